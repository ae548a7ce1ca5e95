/* SPDX-License-Identifier: MIT */
/*
 * memory - commands of the Memory view.
 *
 * Left, right, pages and zoom belong to the graph, up and down to the tables; with the keys in a table
 * left and right move its long names. Every command ends in memory_settle(), which makes the figures anew for
 * what is in sight and tells the selection.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/sheet.h"

static const enum ts_effect rearranged = (enum ts_effect)(
	TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);

static struct memory_view *
memory_of(struct ts_view *v)
{
	return (struct memory_view *)v;
}

static struct ts_view *
memory_open(struct ts_view_env *env)
{
	struct memory_view *m = ts_alloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->view.ops = &ts_view_memory;
	m->view.env = env;
	ts_span_init(&m->span);
	ts_list_init(&m->category_list);
	ts_list_init(&m->variable_list);
	ts_list_init(&m->code_list);
	ts_table_order_init(&m->variable_order);
	ts_table_order_init(&m->code_order);
	m->focus = PANE_GRAPH;
	m->zoomed = PANE_NONE;
	m->gaps = 1;
	m->walk = m->want_tile = m->range_from = -1;
	memory_drop(m);
	if (!ts_tabs_init(&m->tabs, &m->view, m, memory_tabs, TAB_COUNT)) {
		ts_tabs_fini(&m->tabs);
		free(m);
		return NULL;
	}
	m->tabs.pair = true;
	m->tabs.home = TAB_VARIABLES;
	return &m->view;
}

static void
memory_close(struct ts_view *v)
{
	memory_drop(memory_of(v));
	ts_tabs_fini(&memory_of(v)->tabs);
	free(memory_of(v)->other);
	ts_table_order_fini(&memory_of(v)->variable_order);
	ts_table_order_fini(&memory_of(v)->code_order);
	free(v);
}

static void
memory_reload(struct ts_view *v)
{
	struct memory_view *m = memory_of(v);
	const struct ts_tile *tile = memory_tile(m);

	if (tile)
		m->want_tile = tile->tile;
	m->range_from = -1;
	memory_drop(m);
	ts_tabs_drop(&m->tabs);
}

/* Where a variable lies, for who comes from one: its place in the address map. */
static void
take_address(struct memory_view *m)
{
	struct ts_selection *s = m->view.env->selection;

	if (s->address < 0)
		return;
	memory_addresses_go(&m->tabs.tab[TAB_ADDRESSES], s->address);
	s->address = -1;
	ts_tabs_show(&m->tabs, TAB_ADDRESSES);
	memory_layout(m);
}

static void
memory_shown(struct ts_view *v)
{
	struct memory_view *m = memory_of(v);
	int64_t wanted = v->env->selection->tile;
	const struct ts_tile *tile = memory_tile(m);
	ptrdiff_t at;

	take_address(m);
	if (!m->tiles) {
		m->want_tile = wanted != -1 ? wanted : m->want_tile;
		return;
	}
	at = !tile || tile->tile != wanted ? memory_place(m, wanted) : -1;
	if (at >= 0)
		memory_go(m, at);
	else
		memory_select_tile(m);
}

/* --- what the graph shows --------------------------------------------------------------------- */

static enum ts_effect
mark(struct memory_view *m, const struct ts_call *call)
{
	return memory_settle(m,
		call->cmd == TS_CMD_MARK		  ? memory_mark(m, call)
			: call->cmd == TS_CMD_RANGE	  ? memory_mark_range(m, call)
			: call->cmd == TS_CMD_MARKS_CLEAR ? memory_no_marks(m, call)
							  : memory_fit_marks(m, call));
}

/* The end of a range that was begun; else there is nothing to open. */
static enum ts_effect
end_range(struct memory_view *m, const struct ts_call *call)
{
	return m->range_from < 0 ? TS_EFFECT_UNKNOWN : memory_settle(m, memory_mark_range(m, call));
}

/*
 * Memory alone is divided, and by the graph alone. The key turns another metric back to it; a name may be that of an
 * address, which has a metric of its own.
 */
static enum ts_effect
break_down(struct memory_view *m, const struct ts_call *call)
{
	enum ts_effect effect = memory_break_down(m, call);
	bool other = !memory_is_of_tiles(m);
	struct ts_strbuf by;

	if (effect & TS_EFFECT_BELL || (!other && !m->map.shown))
		return memory_settle(m, effect);
	ts_strbuf_init(&by, 40);
	ts_arg_say_word(&by, MEMORY_BREAKDOWNS, (int)m->breakdown);
	if (other && call->argc == 0)
		memory_metric_memory(m);
	ts_view_say(m->view.env,
		!other ? "by %s in the graph: a map is not divided"
			: call->argc == 0
			? "memory again, by %s: other metrics are not divided"
			: "by %s once memory is shown: this metric is not divided",
		by.s);
	ts_strbuf_fini(&by);
	return memory_settle(m, effect);
}

static enum ts_effect
per_ipu(struct memory_view *m, const struct ts_call *call)
{
	return memory_settle(m, memory_per_ipu(m, call));
}

static enum ts_effect
limit_line(struct memory_view *m, const struct ts_call *call)
{
	(void)call;
	m->no_limit = !m->no_limit;
	return memory_settle(m, TS_EFFECT_REPAINT);
}

static enum ts_effect
series(struct memory_view *m, const struct ts_call *call)
{
	return memory_settle(m, memory_series(m, call));
}

/* --- panes ------------------------------------------------------------------------------------ */

static void
arrange(struct memory_view *m)
{
	memory_layout(m);
	memory_update(m);
}

static enum ts_effect
focus_pane(struct memory_view *m, enum memory_pane pane)
{
	m->focus = pane;
	m->tabs.debug_focus &= pane == PANE_TABS;
	if (m->zoomed != PANE_NONE)
		m->zoomed = pane;
	arrange(m);
	if (ts_rect_empty(m->pane[pane])) { /* no room for all of them */
		m->zoomed = pane;
		arrange(m);
	}
	return rearranged;
}

/* The pane of tabs with this one in it. */
static enum ts_effect
focus_tab(struct memory_view *m, enum memory_tab tab)
{
	ts_tabs_show(&m->tabs, (int)tab);
	return focus_pane(m, PANE_TABS);
}

enum ts_effect
memory_show_variable(struct memory_view *m, int64_t tile, int64_t row)
{
	struct ts_table table = memory_variable_table(m);

	for (int i = 0; m->variables_of == tile && i < m->variables.count; i++)
		if (m->variables.variable[i].row == row && ts_table_place(&table, i) >= 0) {
			ts_list_jump(&m->variable_list, ts_table_place(&table, i));
			return focus_tab(m, TAB_VARIABLES);
		}
	ts_view_say(m->view.env, "it is not among the variables that are listed there");
	return TS_EFFECT_BELL;
}

/* After a command that may have changed the tab: it has to be seen. */
static enum ts_effect
tab_changed(struct memory_view *m, enum ts_effect effect)
{
	if (!(effect & TS_EFFECT_REFLOW))
		return effect;
	if (ts_rect_empty(m->pane[PANE_TABS]))
		return focus_pane(m, PANE_TABS);
	arrange(m);
	return effect;
}

static enum ts_effect
next_pane(struct memory_view *m, const struct ts_call *call)
{
	int step = call->cmd == TS_CMD_PANE_NEXT ? 1 : -1;

	if (m->focus == PANE_GRAPH)
		ts_tabs_enter(&m->tabs, step);
	else if (!ts_tabs_step(&m->tabs, step))
		return focus_pane(m, PANE_GRAPH);
	return focus_pane(m, PANE_TABS);
}

static enum ts_effect
zoom_pane(struct memory_view *m, const struct ts_call *call)
{
	(void)call;
	m->zoomed = m->zoomed == PANE_NONE ? m->focus : PANE_NONE;
	arrange(m);
	return rearranged;
}

/* Of the graph: the tile. */
static enum ts_effect
copy_row(struct memory_view *m, const struct ts_call *call)
{
	struct ts_sheet s = {.list = NULL};

	(void)call;
	if (m->focus == PANE_TABS)
		return ts_tabs_sheet(&m->tabs, &s) &&
				ts_sheet_copy(&s, m->view.env->copy, sizeof(m->view.env->copy))
			? TS_EFFECT_REPAINT
			: TS_EFFECT_BELL;
	snprintf(m->view.env->copy, sizeof(m->view.env->copy), "%lld\t%lld",
		(long long)memory_tile(m)->tile, (long long)m->tiles->value[m->gaps][memory_at(m)]);
	return TS_EFFECT_REPAINT;
}

/* --- search ----------------------------------------------------------------------------------- */

static bool
is_hit(void *ctx, int64_t place)
{
	const struct memory_view *m = ctx;
	struct ts_table t = memory_variable_table((struct memory_view *)ctx);
	const char *name = m->variables.variable[ts_table_row(&t, place)].name;

	return name && ts_contains_nocase(name, m->search);
}

/* The next hit from the cursor in a direction, round and round. */
static enum ts_effect
find(struct memory_view *m, int step, bool from_here)
{
	struct ts_list_hit hit;

	if (memory_tab_focus(m, TAB_CODE) || memory_only_code(m))
		return memory_find_code(m, step, from_here);
	if (m->focus == PANE_GRAPH)
		return memory_find_tile(m, step, from_here);
	if (!m->search[0] || m->variable_list.count <= 0 || !ts_pane_has(&m->variables_state)) {
		ts_view_say_error(m->view.env,
			m->search[0] ? "there are no variables to search"
				     : "nothing was searched for");
		return TS_EFFECT_BELL;
	}
	if (!memory_is_named(m)) {
		m->find = step;
		m->find_here = from_here;
		ts_view_say(m->view.env, "reading the names of this tile's variables");
		return TS_EFFECT_REPAINT;
	}
	hit = ts_list_find(&m->variable_list, step, from_here, is_hit, m);
	if (hit.at >= 0) {
		ts_list_jump(&m->variable_list, hit.at);
		ts_view_say_hit(m->view.env, hit.number, hit.count,
			m->variables.found > m->variables.count ? " among the largest 1,000"
								: NULL);
		return focus_tab(m, TAB_VARIABLES);
	}
	ts_view_say_error(m->view.env,
		"no variable of this tile has \"%.60s\" in its name (a search in the graph finds tiles that have one)",
		m->search);
	return TS_EFFECT_BELL;
}

void
memory_show_hit(struct memory_view *m)
{
	struct ts_list_hit hit;

	if (!memory_hits_are_of(m) || m->variable_list.count <= 0 || !memory_is_named(m))
		return;
	hit = ts_list_find(&m->variable_list, 1, true, is_hit, m);
	if (hit.at >= 0)
		ts_list_jump(&m->variable_list, hit.at);
}

enum ts_effect
memory_find(struct memory_view *m)
{
	int step = m->find;

	m->find = 0;
	return find(m, step, m->find_here);
}

static enum ts_effect
search(struct memory_view *m, const struct ts_call *call)
{
	if (!memory_take_search(m, call))
		return TS_EFFECT_UNKNOWN; /* the program asks for it */
	return find(m, call->cmd == TS_CMD_SEARCH ? 1 : -1, true);
}

static enum ts_effect
search_again(struct memory_view *m, const struct ts_call *call)
{
	return find(m, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1, false);
}

/* --- commands --------------------------------------------------------------------------------- */

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct memory_view *m, const struct ts_call *call);
} handlers[] = {
	{TS_CMD_FULLEST, memory_fullest},
	{TS_CMD_FULLEST_BACK, memory_fullest},
	{TS_CMD_IPU_NEXT, memory_next_ipu},
	{TS_CMD_IPU_PREVIOUS, memory_next_ipu},
	{TS_CMD_GOTO, memory_goto_tile},
	{TS_CMD_BREAKDOWN, break_down},
	{TS_CMD_SERIES, series},
	{TS_CMD_MAP, memory_map_switch},
	{TS_CMD_SCALE, memory_map_scale},
	{TS_CMD_TILE_ORDER, memory_map_order},
	{TS_CMD_METRIC, memory_set_metric},
	{TS_CMD_METRIC_BACK, memory_set_metric},
	{TS_CMD_PER_IPU, per_ipu},
	{TS_CMD_LIMIT_LINE, limit_line},
	{TS_CMD_MARK, mark},
	{TS_CMD_RANGE, mark},
	{TS_CMD_OPEN, end_range},
	{TS_CMD_MARKS_CLEAR, mark},
	{TS_CMD_ZOOM_SELECTION, mark},
	{TS_CMD_PANE_NEXT, next_pane},
	{TS_CMD_PANE_PREVIOUS, next_pane},
	{TS_CMD_PANE_ZOOM, zoom_pane},
	{TS_CMD_COPY, copy_row},
	{TS_CMD_SEARCH, search},
	{TS_CMD_SEARCH_BACK, search},
	{TS_CMD_SEARCH_NEXT, search_again},
	{TS_CMD_SEARCH_PREVIOUS, search_again},
};

static enum ts_effect
tab_command(struct memory_view *m, const struct ts_call *call)
{
	return tab_changed(m, ts_tabs_command(&m->tabs, call));
}

static enum ts_effect
memory_command(struct ts_view *v, const struct ts_call *call)
{
	struct memory_view *m = memory_of(v);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;

	if (!memory_has_tiles(m))
		return TS_EFFECT_UNKNOWN;
	if (m->focus == PANE_TABS)
		effect = tab_command(m, call);
	else
		effect = tab_changed(m, ts_tabs_switch(&m->tabs, call));
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (m->map.shown && (m->focus == PANE_GRAPH || memory_is_of_graph_only(call->cmd)))
		effect = memory_map_command(m, call);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	for (size_t i = 0; i < TS_COUNT(handlers); i++)
		if (handlers[i].cmd == call->cmd)
			return handlers[i].run(m, call);
	if (m->focus == PANE_TABS && !memory_is_of_graph_only(call->cmd))
		return TS_EFFECT_UNKNOWN;
	if (call->cmd == TS_CMD_UP || call->cmd == TS_CMD_DOWN)
		return tab_command(m, call);
	return memory_graph_command(m, call->cmd);
}

static bool
memory_waits(struct ts_view *v, enum ts_cmd cmd)
{
	const struct memory_view *m = memory_of(v);
	bool of_tab = m->focus == PANE_TABS ||
		(!m->map.shown && (cmd == TS_CMD_UP || cmd == TS_CMD_DOWN));

	return memory_has_tiles(m) && of_tab && ts_tabs_waits(&m->tabs, cmd);
}

static enum ts_context
memory_pane_context(struct ts_view *v)
{
	struct memory_view *m = memory_of(v);

	return m->focus == PANE_GRAPH ? TS_CONTEXT_CHART : ts_tabs_context(&m->tabs);
}

static void
memory_resize(struct ts_view *v, struct ts_rect area)
{
	struct memory_view *m = memory_of(v);

	m->area = area;
	memory_layout(m);
	if (m->focus != PANE_GRAPH && ts_rect_empty(m->pane[m->focus])) {
		m->focus = PANE_GRAPH;
		memory_layout(m);
	}
	memory_update(m);
}

/* --- mouse ------------------------------------------------------------------------------------ */

static enum ts_effect
click_graph(struct memory_view *m, int x)
{
	int column = x - m->pane[PANE_GRAPH].x - m->gutter;
	int64_t a, b;

	if (column < 0 || column >= m->plot.columns)
		return TS_EFFECT_NONE;
	ts_span_bucket(&m->span, column, &a, &b);
	ts_span_go(&m->span, a);
	memory_snap(m, 0, m->tiles->n);
	focus_pane(m, PANE_GRAPH);
	return memory_settle(m, (enum ts_effect)(rearranged | TS_EFFECT_SELECT));
}

static enum ts_effect
click_strip(struct memory_view *m, int x)
{
	int64_t a, b;

	ts_buckets_range(0, m->tiles->n, m->pane[PANE_STRIP].w, x - m->pane[PANE_STRIP].x, &a, &b);
	return a < b ? memory_go(m, memory_place_at(m, a)) : TS_EFFECT_NONE;
}

static enum ts_effect
mouse_tabs(struct memory_view *m, int x, int y, int wheel)
{
	enum ts_effect effect = ts_tabs_mouse(&m->tabs, x, y, wheel);

	return wheel ? effect : (enum ts_effect)(effect | (int)focus_pane(m, PANE_TABS));
}

static enum ts_effect
memory_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct memory_view *m = memory_of(v);

	if (!memory_has_tiles(m))
		return TS_EFFECT_NONE;
	switch (ts_layout_at(m->pane, x, y)) {
	case PANE_STRIP:
		return wheel ? TS_EFFECT_NONE : click_strip(m, x);
	case PANE_GRAPH:
		if (!wheel)
			focus_pane(m, PANE_GRAPH);
		if (m->map.shown)
			return memory_map_mouse(m, x, y, wheel);
		if (!wheel)
			return click_graph(m, x);
		return memory_graph_command(m, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT);
	case PANE_TABS:
		return mouse_tabs(m, x, y, wheel);
	default:
		return TS_EFFECT_NONE;
	}
}

static enum ts_effect
memory_take(struct ts_view *v, struct ts_fetch *f)
{
	enum ts_effect effect = memory_deliver(v, f);

	return memory_settle(memory_of(v), effect);
}

static const struct ts_hint graph_hints[] = {
	{TS_CMD_FULLEST, "fullest"},
	{TS_CMD_BREAKDOWN, "breakdown"},
	{TS_CMD_MAP, "map"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_RANGE, "range"},
	{TS_CMD_IPU_NEXT, "ipu"},
	{TS_CMD_METRIC, "metric"},
	{TS_CMD_COUNT, NULL},
};

/* From the second on where there is one IPU only. */
static const struct ts_hint map_hints[] = {
	{TS_CMD_IPU_NEXT, "ipu"},
	{TS_CMD_FULLEST, "fullest"},
	{TS_CMD_METRIC, "metric"},
	{TS_CMD_SCALE, "scale"},
	{TS_CMD_MAP, "graph"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_RANGE, "range"},
	{TS_CMD_TILE_ORDER, "order"},
	{TS_CMD_METRIC_BACK, "metric before"},
	{TS_CMD_COUNT, NULL},
};

/* While a range is open. */
static const struct ts_hint range_hints[] = {
	{TS_CMD_RANGE, "select the range"},
	{TS_CMD_MARKS_CLEAR, "drop it"},
	{TS_CMD_IPU_NEXT, "ipu"},
	{TS_CMD_FULLEST, "fullest"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_hint hints[] = {
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_hint *
pane_hints(struct ts_view *v)
{
	struct memory_view *m = (struct memory_view *)v;

	if (m->focus == PANE_TABS)
		return ts_tabs_hints(&m->tabs);
	if (m->tiles_state.state == TS_PANE_ABSENT)
		return NULL;
	if (m->range_from >= 0)
		return range_hints;
	if (m->map.shown)
		return m->map.map.floor.blocks > 1 ? map_hints : map_hints + 1;
	return graph_hints;
}

static struct ts_tabs *
tabs_of(struct ts_view *v)
{
	return &((struct memory_view *)v)->tabs;
}

const struct ts_view_ops ts_view_memory = {
	.name = "memory",
	.title = "Memory",
	.number = 3,
	.context = TS_CONTEXT_MEMORY,
	.open = memory_open,
	.close = memory_close,
	.reload = memory_reload,
	.indexed = memory_indexed,
	.shown = memory_shown,
	.resize = memory_resize,
	.draw = memory_draw,
	.request = memory_request,
	.deliver = memory_take,
	.command = memory_command,
	.waits = memory_waits,
	.complete = memory_complete,
	.pane_context = memory_pane_context,
	.mouse = memory_mouse,
	.explain = memory_explain,
	.object = memory_object,
	.tabs = tabs_of,
	.sheet = memory_sheet,
	.chart = memory_chart,
	.pane_hints = pane_hints,
	.hints = hints,
	.args = memory_args,
};
