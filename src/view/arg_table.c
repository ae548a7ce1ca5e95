/* SPDX-License-Identifier: MIT */
/*
 * arg_table - `columns`, `sort` and `filter` of an address, for every table that is held, alike (view/arg.h).
 *
 * They are of the table of the pane that has the keys, so they stand behind `pane` and `tab` in a view's list. An address
 * names all columns that are shown, so that it leads to the same ones whatever its reader has chosen; going there changes what
 * is shown now, and not what is kept for the next start.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/ui/table_looks.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/sheet.h"

/* The table that has the keys; false: there is none, or not yet. */
static bool
table_of(struct ts_view *v, struct ts_sheet *s)
{
	memset(s, 0, sizeof(*s));
	return v->env->report && v->ops->sheet && v->ops->sheet(v, s) && s->list &&
		s->table.column && s->table.id;
}

/* --- columns ---------------------------------------------------------------------------------- */

bool
ts_arg_get_columns(struct ts_view *v, struct ts_strbuf *out)
{
	struct ts_strbuf said;
	struct ts_sheet s;
	bool some;

	if (!table_of(v, &s) || !v->env->looks)
		return false;
	ts_strbuf_init(&said, TS_SETTING_VALUE);
	ts_table_looks_get(v->env->looks, s.table.id, &said);
	some = said.len > 0;
	ts_strbuf_fini(&said);
	for (int i = 0; some && i < s.table.columns && i < TS_TABLE_COLUMNS; i++) {
		const char *name = ts_table_column_name(&s.table, i);

		if (*name && ts_table_column_wanted(&s.table, i))
			ts_strbuf_printf(out, "%s%s", out->len ? "," : "", name);
	}
	return out->len > 0;
}

enum ts_arg_state
ts_arg_set_columns(struct ts_view *v, const char *value)
{
	struct ts_err err = {0};
	struct ts_sheet s;

	if (!table_of(v, &s) || !v->env->looks)
		return TS_ARG_LATER;
	if (!ts_table_looks_set(v->env->looks, &s.table, value, &err))
		return TS_ARG_DONE;
	ts_view_say_error(v->env, "%s", err.msg);
	return TS_ARG_NO;
}

/* --- order and filter ------------------------------------------------------------------------- */

static enum ts_arg_state
in_table(struct ts_view *v, enum ts_cmd cmd, const char *word)
{
	char say[160], *words[] = {(char *)(uintptr_t)word};
	struct ts_call call;
	struct ts_sheet s;

	if (!table_of(v, &s) || s.wait)
		return TS_ARG_LATER;
	if (!s.table.order || ts_call_make(&call, cmd, words, word ? 1 : 0, NULL) ||
		ts_table_order_command(&s.table, &call, say, sizeof(say)) == TS_EFFECT_BELL) {
		ts_view_say_error(v->env, "%s",
			s.table.order ? say : "this table is in no other order");
		return TS_ARG_NO;
	}
	ts_table_order_make(s.table.order, &s.table, s.list, s.table.order->rows,
		s.table.order->of);
	return TS_ARG_DONE;
}

bool
ts_arg_get_sort(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_table_order *o;
	struct ts_sheet s;
	bool back;

	if (!table_of(v, &s) || !s.table.order)
		return false;
	o = s.table.order;
	if (o->sorted < 0 && !o->descending)
		return false;
	back = o->descending != (o->sorted >= 0 && ts_table_falls(&s.table, o->sorted));
	ts_strbuf_printf(out, "%s%s", back ? "-" : "",
		o->sorted < 0 ? "row" : ts_table_column_name(&s.table, o->sorted));
	return true;
}

enum ts_arg_state
ts_arg_set_sort(struct ts_view *v, const char *value)
{
	bool back = *value == '-';
	enum ts_arg_state state = in_table(v, TS_CMD_SORT, value + back);

	return state == TS_ARG_DONE && back ? in_table(v, TS_CMD_SORT_REVERSE, NULL) : state;
}

bool
ts_arg_say_order(struct ts_strbuf *out, const struct ts_table *t)
{
	if (t->sorted < 0 && !t->descending)
		return false;
	ts_strbuf_printf(out, "%s%s", t->descending ? "-" : "",
		t->sorted < 0 ? "row" : ts_table_column_name(t, t->sorted));
	return true;
}

bool
ts_arg_order(int *sorted, bool *descending, const struct ts_table *t, const char *value)
{
	bool falls = *value == '-';
	int i = 0;

	while (i < t->columns && strcmp(ts_table_column_name(t, i), value + falls) != 0)
		i++;
	if (i == t->columns && strcmp(value + falls, "row") != 0)
		return false;
	*sorted = i == t->columns ? -1 : i;
	*descending = falls;
	return true;
}

bool
ts_arg_get_filter(struct ts_view *v, struct ts_strbuf *out)
{
	struct ts_sheet s;

	if (table_of(v, &s) && s.table.order)
		ts_strbuf_puts(out, s.table.order->filter);
	return out->len > 0;
}

enum ts_arg_state
ts_arg_set_filter(struct ts_view *v, const char *value)
{
	return in_table(v, TS_CMD_FILTER, value);
}
