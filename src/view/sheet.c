/* SPDX-License-Identifier: MIT */
/* sheet - see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/tab.h"

static void
add_value(struct ts_strbuf *line, const struct ts_table_value *v)
{
	if (v->type == TS_VALUE_INTEGER)
		ts_strbuf_printf(line, "%lld", (long long)v->integer);
	else if (v->type == TS_VALUE_REAL)
		ts_strbuf_printf(line, "%.6g", v->real);
	else if (v->type == TS_VALUE_TEXT)
		ts_strbuf_add(line, v->s, v->n);
}

bool
ts_sheet_copy(const struct ts_sheet *s, char *out, size_t size)
{
	const struct ts_table *t = &s->table;
	struct ts_strbuf line;
	bool first = true;
	int64_t row;

	out[0] = '\0';
	if (!s->list || s->list->count == 0 || !t->value)
		return false;
	row = ts_table_row(t, s->list->cursor);
	ts_strbuf_init(&line, size - 1);
	for (int i = 0; row >= 0 && i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		struct ts_table_value v = {.type = TS_VALUE_NONE};

		if (!*ts_table_column_name(t, i) || !ts_table_column_wanted(t, i))
			continue;
		ts_strbuf_puts(&line, first ? "" : "\t");
		first = false;
		if (t->value(t->ctx, row, i, &v))
			add_value(&line, &v);
	}
	snprintf(out, size, "%s", line.s);
	ts_strbuf_fini(&line);
	return out[0] != '\0';
}

bool
ts_view_order_turn(struct ts_view *v)
{
	struct ts_tabs *tabs = v->ops->tabs ? v->ops->tabs(v) : NULL;
	bool some = false; /* something is to be done, or drawn */

	for (int i = 0; i < (tabs ? tabs->count : 1); i++) {
		struct ts_sheet s = {.list = NULL};
		struct ts_tab *t = tabs ? &tabs->tab[i] : NULL;
		bool there = t ? ts_tab_is_shown(t) && t->ops->sheet && t->ops->sheet(t, &s)
			       : v->ops->sheet && v->ops->sheet(v, &s);

		if (!there || !s.list || !s.table.order)
			continue;
		some |= ts_table_order_step(&s.table, s.list);
		if (s.table.order->trouble[0]) {
			ts_view_say_error(v->env, "%s", s.table.order->trouble);
			s.table.order->trouble[0] = '\0';
			some = true;
		}
	}
	return some;
}
