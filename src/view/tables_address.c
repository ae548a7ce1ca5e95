/* SPDX-License-Identifier: MIT */
/* tables_address - the arguments of `tables?...`. */
#include "config.h"

#include <string.h>

#include "tables_internal.h"
#include "tilescope/view/arg.h"

#define PANES_WORDS "tables|rows|row"

static struct tables_view *
tables_of(struct ts_view *v)
{
	return (struct tables_view *)v;
}

static bool
get_table(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_browse_table *table = tables_shown(tables_of(v));

	if (table)
		ts_strbuf_puts(out, table->object->name);
	return table != NULL;
}

static enum ts_arg_state
set_table(struct ts_view *v, const char *value)
{
	struct tables_view *t = tables_of(v);

	if (!tables_shown(t))
		return TS_ARG_LATER;
	for (int i = 0; i < t->tables.count; i++)
		if (strcmp(t->tables.table[i].object->name, value) == 0) {
			ts_list_jump(&t->list, i);
			tables_choose(t, i);
			return TS_ARG_DONE;
		}
	ts_view_say_error(v->env, "there is no table \"%.80s\"", value);
	return TS_ARG_NO;
}

static bool
get_filter(struct ts_view *v, struct ts_strbuf *out)
{
	ts_strbuf_puts(out, tables_of(v)->wish.filter);
	return tables_of(v)->wish.filter[0] != '\0';
}

static bool
get_sort(struct ts_view *v, struct ts_strbuf *out)
{
	struct tables_view *t = tables_of(v);

	if (!tables_shown(t) || t->wish.sort < 0)
		return false;
	ts_strbuf_puts(out, tables_shown(t)->object->column[t->wish.sort].name);
	return true;
}

static bool
get_reverse(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, tables_of(v)->wish.sort >= 0 && tables_of(v)->wish.descending);
}

static enum ts_arg_state
set_reverse(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_SORT_REVERSE, tables_of(v)->wish.descending,
		ts_arg_is_yes(value));
}

static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_row(out, &tables_of(v)->grid.list);
}

/* Where rows are not counted any row may be; the end is found out by going there. */
static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	struct tables_view *t = tables_of(v);
	bool there = tables_shown(t) && (!t->by_order || t->whole || t->order_failed);

	if (there && t->grid.list.count == TS_LIST_UNKNOWN)
		return ts_arg_command(v, TS_CMD_GOTO, value);
	return ts_arg_go_row(v, &t->grid.list, there, value);
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	enum tables_pane pane = tables_of(v)->pane;

	return pane != PANE_TABLES && ts_arg_say_word(out, PANES_WORDS, (int)pane);
}

/* A pane that is not on a screen of this size has it for itself. */
static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	struct tables_view *t = tables_of(v);

	if (!tables_shown(t))
		return TS_ARG_LATER;
	t->pane = (enum tables_pane)ts_arg_word(PANES_WORDS, value);
	t->zoomed |= !tables_has(t, t->pane);
	tables_layout(t);
	return TS_ARG_DONE;
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, tables_of(v)->zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, tables_of(v)->zoomed, ts_arg_is_yes(value));
}

const struct ts_view_arg tables_args[] = {
	{"table", TS_ARG_TEXT, get_table, set_table, 0},
	{"filter", TS_ARG_TEXT, get_filter, NULL, TS_CMD_FILTER},
	{"sort", TS_ARG_TEXT, get_sort, NULL, TS_CMD_SORT},
	{"reverse", TS_ARG_YES, get_reverse, set_reverse, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{"pane", PANES_WORDS, get_pane, set_pane, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{0},
};
