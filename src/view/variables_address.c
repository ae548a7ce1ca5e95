/* SPDX-License-Identifier: MIT */
/* variables_address - the arguments of `variables?...`. */
#include "config.h"

#include "tilescope/view/arg.h"
#include "variables_internal.h"

static struct variables_view *
variables_of(struct ts_view *v)
{
	return (struct variables_view *)v;
}

static const char levels[] = "lowered|unlowered";

static bool
get_level(struct ts_view *v, struct ts_strbuf *out)
{
	if (variables_of(v)->unlowered)
		ts_strbuf_puts(out, "unlowered");
	return variables_of(v)->unlowered;
}

static bool
get_filter(struct ts_view *v, struct ts_strbuf *out)
{
	ts_strbuf_puts(out, variables_of(v)->wish.filter.line);
	return variables_of(v)->wish.filter.count > 0;
}

static bool
get_sort(struct ts_view *v, struct ts_strbuf *out)
{
	enum ts_variable_sort sort = variables_of(v)->wish.sort;

	ts_strbuf_puts(out, ts_variable_sort_name(sort));
	return sort != TS_SORT_BYTES || variables_of(v)->chosen; /* else as without a word */
}

static bool
get_reverse(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, variables_of(v)->wish.reverse);
}

static enum ts_arg_state
set_reverse(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_SORT_REVERSE, variables_of(v)->wish.reverse,
		ts_arg_is_yes(value));
}

static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_row(out, &variables_of(v)->rows);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	struct variables_view *t = variables_of(v);

	return ts_arg_go_row(v, &t->rows, variables_has_wish(t), value);
}

static bool
get_debug(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, variables_of(v)->debug.shown);
}

static enum ts_arg_state
set_debug(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_DEBUG, variables_of(v)->debug.shown, ts_arg_is_yes(value));
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, variables_of(v)->zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, variables_of(v)->zoomed, ts_arg_is_yes(value));
}

const struct ts_view_arg variables_args[] = {
	{"level", levels, get_level, NULL, TS_CMD_LEVEL},
	{"filter", TS_ARG_TEXT, get_filter, NULL, TS_CMD_FILTER},
	{"sort",
		"row|bytes|name|tile|category|type|offset|alignment|always|from|to|steps|tiles|fullest|balance|"
		"id|variable|class",
		get_sort, NULL, TS_CMD_SORT},
	{"reverse", TS_ARG_YES, get_reverse, set_reverse, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{"columns", TS_ARG_TEXT, ts_arg_get_columns, ts_arg_set_columns, 0},
	{"debug", TS_ARG_YES, get_debug, set_debug, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{0},
};
