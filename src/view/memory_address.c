/* SPDX-License-Identifier: MIT */
/* memory_address - the arguments of `memory?...`. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/what_if.h"

#define SCALES "linear|log|limit"
#define ORDERS "software|physical"
#define PANES "graph|tabs"
#define TABS "details|variables|sets|vertices|exchanges|addresses|debug|code"

static const enum memory_pane panes[] = {PANE_GRAPH, PANE_TABS};

static struct memory_view *
memory_of(struct ts_view *v)
{
	return (struct memory_view *)v;
}

static bool
get_breakdown(struct ts_view *v, struct ts_strbuf *out)
{
	struct memory_view *m = memory_of(v);

	return m->breakdown != BY_TOTAL &&
		ts_arg_say_word(out, MEMORY_BREAKDOWNS, (int)m->breakdown);
}

static bool
get_gaps(struct ts_view *v, struct ts_strbuf *out)
{
	if (!memory_has_tiles(memory_of(v)) || memory_of(v)->gaps)
		return false;
	ts_strbuf_puts(out, "no");
	return true;
}

static enum ts_arg_state
set_gaps(struct ts_view *v, const char *value)
{
	return (memory_of(v)->gaps != 0) == ts_arg_is_yes(value)
		? TS_ARG_DONE
		: ts_arg_command(v, TS_CMD_SERIES, "gaps");
}

static bool
get_ipus(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, memory_of(v)->per_ipu);
}

static enum ts_arg_state
set_ipus(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PER_IPU, memory_of(v)->per_ipu, ts_arg_is_yes(value));
}

static bool
get_limit(struct ts_view *v, struct ts_strbuf *out)
{
	if (memory_of(v)->no_limit)
		ts_strbuf_puts(out, "no");
	return memory_of(v)->no_limit;
}

static enum ts_arg_state
set_limit(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_LIMIT_LINE, !memory_of(v)->no_limit, ts_arg_is_yes(value));
}

/* Names of what is hidden (or is not, where it is at first), with | between them: of the present breakdown. */
static bool
get_hidden(struct ts_view *v, struct ts_strbuf *out)
{
	const struct memory_plot *p = &memory_of(v)->plot;
	size_t before = out->len;

	for (int i = 0; i < p->bands; i++)
		if (memory_is_turned(memory_of(v), p->band[i].name))
			ts_strbuf_printf(out, "%s%s", out->len > before ? "|" : "",
				p->band[i].name);
	return out->len > before;
}

static enum ts_arg_state
set_hidden(struct ts_view *v, const char *value)
{
	struct memory_view *m = memory_of(v);
	char name[TS_CALL_TEXT];

	if (!memory_parts(m) || m->plot.bands == 0)
		return m->breakdown == BY_TOTAL ? TS_ARG_NO : TS_ARG_LATER;
	for (size_t n; *value; value += n + (value[n] == '|')) {
		n = strcspn(value, "|");
		snprintf(name, sizeof(name), "%.*s", (int)n, value);
		if (!memory_is_turned(m, name) &&
			ts_arg_command(v, TS_CMD_SERIES, name) != TS_ARG_DONE)
			return memory_parts(m)->whole ? TS_ARG_NO : TS_ARG_LATER;
	}
	return TS_ARG_DONE;
}

/* Numbers of tiles, the last one is not in sight any more. */
static bool
get_zoom(struct ts_view *v, struct ts_strbuf *out)
{
	struct memory_view *m = memory_of(v);

	if (!memory_has_tiles(m) || ts_span_whole(&m->span))
		return false;
	if (m->axis.place) /* positions: the order stands before it in the address */
		ts_strbuf_printf(out, "%lld-%lld", (long long)m->span.from, (long long)m->span.to);
	else
		ts_strbuf_printf(out, "%lld-%lld",
			(long long)m->tiles->tiles.tile[m->span.from].tile,
			(long long)m->tiles->tiles.tile[m->span.to - 1].tile + 1);
	return true;
}

static enum ts_arg_state
set_zoom(struct ts_view *v, const char *value)
{
	struct memory_view *m = memory_of(v);
	int64_t from, to;
	ptrdiff_t a, b;

	if (!memory_has_tiles(m))
		return TS_ARG_LATER;
	ts_arg_range(value, &from, &to);
	if (m->axis.place) {
		ts_span_show(&m->span, from, to);
		memory_update(m);
		return TS_ARG_DONE;
	}
	a = ts_tiles_find(&m->tiles->tiles, from);
	b = ts_tiles_find(&m->tiles->tiles, to - 1);
	if (a < 0 || b < 0) {
		ts_view_say_error(v->env, "there is no tile %lld",
			(long long)(a < 0 ? from : to - 1));
		return TS_ARG_NO;
	}
	ts_span_show(&m->span, a, b + 1);
	memory_update(m);
	return TS_ARG_DONE;
}

static bool
get_tile(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_tile *tile = memory_tile(memory_of(v));

	if (tile)
		ts_strbuf_printf(out, "%lld", (long long)tile->tile);
	return tile != NULL;
}

static bool
get_debug(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, memory_of(v)->tabs.split);
}

static enum ts_arg_state
set_debug(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_DEBUG, memory_of(v)->tabs.split, ts_arg_is_yes(value));
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	for (int i = 1; i < (int)TS_COUNT(panes); i++)
		if (panes[i] == memory_of(v)->focus)
			return ts_arg_say_word(out, PANES, i);
	return false;
}

static bool
has_focus(struct ts_view *v, int pane)
{
	return (int)memory_of(v)->focus == pane;
}

static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	return ts_arg_walk(v, has_focus, (int)panes[ts_arg_word(PANES, value)], value);
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, memory_of(v)->zoomed != PANE_NONE);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, memory_of(v)->zoomed != PANE_NONE,
		ts_arg_is_yes(value));
}

static bool
get_tab(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say(&memory_of(v)->tabs, out);
}

static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say_row(&memory_of(v)->tabs, out);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	return ts_tabs_set_row(&memory_of(v)->tabs, value);
}

static bool
get_metric(struct ts_view *v, struct ts_strbuf *out)
{
	if (memory_is_of_tiles(memory_of(v)))
		return false;
	ts_metric_say(out, &memory_of(v)->metric);
	return true;
}

static bool
get_map(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, memory_of(v)->map.shown);
}

static enum ts_arg_state
set_map(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_MAP, memory_of(v)->map.shown, ts_arg_is_yes(value));
}

static bool
get_scale(struct ts_view *v, struct ts_strbuf *out)
{
	const struct memory_map *k = &memory_of(v)->map;

	return k->how != TS_HEAT_LINEAR && ts_arg_say_word(out, SCALES, (int)k->how);
}

static bool
get_order(struct ts_view *v, struct ts_strbuf *out)
{
	return memory_of(v)->map.physical && ts_arg_say_word(out, ORDERS, 1);
}

const struct ts_view_arg memory_args[] = {
	{"metric", TS_ARG_TEXT, get_metric, NULL, TS_CMD_METRIC},
	{"scale", SCALES, get_scale, NULL, TS_CMD_SCALE},
	{"order", ORDERS, get_order, NULL, TS_CMD_TILE_ORDER},
	{"map", TS_ARG_YES, get_map, set_map, 0},
	{"tiles", TS_ARG_TEXT, ts_arg_get_tiles, ts_arg_set_tiles, 0},
	{"what-if", TS_ARG_TEXT, ts_what_if_get, ts_what_if_set, 0},
	{"by", MEMORY_BREAKDOWNS, get_breakdown, NULL, TS_CMD_BREAKDOWN},
	{"hide", TS_ARG_TEXT, get_hidden, set_hidden, 0},
	{"ipus", TS_ARG_YES, get_ipus, set_ipus, 0},
	{"limit", TS_ARG_YES, get_limit, set_limit, 0},
	{"gaps", TS_ARG_YES, get_gaps, set_gaps, 0},
	{"zoom", TS_ARG_RANGE, get_zoom, set_zoom, 0},
	{"tile", TS_ARG_NUMBER, get_tile, NULL, TS_CMD_GOTO},
	{"pane", PANES, get_pane, set_pane, 0},
	{"tab", TABS, get_tab, NULL, TS_CMD_TAB},
	{"debug", TS_ARG_YES, get_debug, set_debug, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{"columns", TS_ARG_TEXT, ts_arg_get_columns, ts_arg_set_columns, 0},
	{"sort", TS_ARG_TEXT, ts_arg_get_sort, ts_arg_set_sort, 0},
	{"filter", TS_ARG_TEXT, ts_arg_get_filter, ts_arg_set_filter, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{0},
};
