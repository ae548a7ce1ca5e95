/* SPDX-License-Identifier: MIT */
/*
 * memory - commands of the Memory view.
 *
 * Left, right, pages and zoom belong to the graph, up and down to the tables; with the keys in a table
 * left and right move its long names. Every command ends in settle(), which makes the figures anew for
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

/* --- the cursor ------------------------------------------------------------------------------- */

/* The tile under the cursor becomes what all views look at. */
static void
select_tile(struct memory_view *m)
{
	const struct ts_tile *tile = memory_tile(m);

	if (!tile)
		return;
	m->view.env->selection->tile = tile->tile;
	m->view.env->selection->ipu = m->tiles->ipu[memory_at(m)];
}

static enum ts_effect
settle(struct memory_view *m, enum ts_effect effect)
{
	memory_update(m);
	if (effect & TS_EFFECT_SELECT)
		select_tile(m);
	return effect;
}

static enum ts_effect
go(struct memory_view *m, int64_t place)
{
	enum ts_effect effect = ts_span_go(&m->span, memory_position(m, place));

	return settle(m, effect == TS_EFFECT_NONE ? TS_EFFECT_REPAINT : effect);
}

enum ts_effect
memory_go(struct memory_view *m, int64_t place)
{
	return go(m, place);
}

/* The position of the fullest tile of those at [a, b), the first of equals. */
static int64_t
fullest_of(const struct memory_view *m, int64_t a, int64_t b)
{
	const int64_t *v = memory_values(m);
	int64_t best = a;

	for (int64_t i = a; i < b; i++)
		if (v[memory_place_at(m, i)] > v[memory_place_at(m, best)])
			best = i;
	return best;
}

/*
 * After a move by columns: on the fullest tile of the column, of those in [from, to): a column that
 * comes into sight at the edge may hold tiles again that the cursor has left.
 */
static void
snap(struct memory_view *m, int64_t from, int64_t to)
{
	int column;

	memory_update(m);
	column = ts_span_column(&m->span, m->span.cursor);
	if (!m->plot.several || column < 0 || column >= m->plot.columns)
		return;
	from = ts_max_i64(from, m->plot.bucket[column].from);
	to = ts_min_i64(to, m->plot.bucket[column].to);
	if (from < to)
		m->span.cursor = fullest_of(m, from, to);
}

/* Where a column has several tiles, leave it from its edge: the cursor stands anywhere in it. */
static void
leave_column(struct memory_view *m, enum ts_cmd cmd, int64_t *from, int64_t *to)
{
	int64_t a, b;

	*from = 0;
	*to = m->tiles->n;
	if (!m->plot.several || (cmd != TS_CMD_LEFT && cmd != TS_CMD_RIGHT))
		return;
	ts_span_bucket(&m->span, ts_span_column(&m->span, m->span.cursor), &a, &b);
	m->span.cursor = cmd == TS_CMD_LEFT ? a : b - 1;
	*(cmd == TS_CMD_LEFT ? to : from) = cmd == TS_CMD_LEFT ? a : b;
}

/* Where the same command goes from here, or -1. */
static int64_t
place_after(struct memory_view *m, enum ts_cmd cmd)
{
	const struct ts_span kept = m->span;
	int64_t from, to, a, b, place = -1;
	enum ts_effect effect;
	int column;

	leave_column(m, cmd, &from, &to);
	effect = ts_span_command(&m->span, cmd);
	column = ts_span_column(&m->span, m->span.cursor);
	if (effect != TS_EFFECT_UNKNOWN && effect != TS_EFFECT_BELL && column >= 0) {
		place = memory_at(m);
		ts_span_bucket(&m->span, column, &a, &b);
		from = ts_max_i64(from, a);
		to = ts_min_i64(to, b);
		if (m->plot.several && from < to)
			place = memory_place_at(m, fullest_of(m, from, to));
	}
	m->span = kept;
	return place;
}

static bool
is_of_graph_only(enum ts_cmd cmd)
{
	return cmd == TS_CMD_ZOOM_IN || cmd == TS_CMD_ZOOM_OUT || cmd == TS_CMD_ZOOM_FIT ||
		cmd == TS_CMD_PAGE_LEFT || cmd == TS_CMD_PAGE_RIGHT;
}

/* The fullest tile of the IPU before or behind; tiles of an IPU stand together in the list. */
static enum ts_effect
ipu_step(struct memory_view *m, int step)
{
	const struct memory_tiles *t = m->tiles;
	const int64_t *value = memory_values(m);
	int64_t i = memory_at(m), ipu = t->ipu[i], best;

	while (i >= 0 && i < t->n && t->ipu[i] == ipu)
		i += step;
	if (i < 0 || i >= t->n)
		return TS_EFFECT_BELL;
	best = i;
	for (ipu = t->ipu[i]; i >= 0 && i < t->n && t->ipu[i] == ipu; i += step)
		if (value[i] > value[best] || (value[i] == value[best] && i < best))
			best = i;
	return go(m, best);
}

static enum ts_effect
graph_command(struct memory_view *m, enum ts_cmd cmd)
{
	int64_t n = m->tiles->n, cursor = m->span.cursor, from, to;
	enum ts_effect effect;

	if (memory_by_ipu(m) && (cmd == TS_CMD_LEFT || cmd == TS_CMD_RIGHT))
		return ipu_step(m, cmd == TS_CMD_LEFT ? -1 : 1);
	if (memory_by_ipu(m) && is_of_graph_only(cmd))
		return TS_EFFECT_BELL; /* all IPUs are in sight */
	if (cmd == TS_CMD_FIRST || cmd == TS_CMD_LAST)
		return m->span.cursor == (cmd == TS_CMD_FIRST ? 0 : n - 1)
			? TS_EFFECT_BELL
			: go(m, memory_place_at(m, cmd == TS_CMD_FIRST ? 0 : n - 1));
	leave_column(m, cmd, &from, &to);
	effect = ts_span_command(&m->span, cmd);
	if (effect == TS_EFFECT_UNKNOWN || effect == TS_EFFECT_BELL) {
		m->span.cursor = cursor;
		return effect;
	}
	if (cmd != TS_CMD_ZOOM_IN && cmd != TS_CMD_ZOOM_OUT && cmd != TS_CMD_ZOOM_FIT) {
		snap(m, from, to);
		m->ahead = place_after(m, cmd);
	}
	return settle(m, (enum ts_effect)(effect | TS_EFFECT_SELECT));
}

ptrdiff_t
memory_place(const struct memory_view *m, int64_t tile)
{
	const struct memory_tiles *t = m->tiles;

	if (tile >= 0)
		return ts_tiles_find(&t->tiles, tile);
	for (int64_t i = 0; tile == TS_SELECT_OF_IPU && i < t->n; i++)
		if (t->ipu[t->order[m->gaps][i]] == m->view.env->selection->ipu)
			return t->order[m->gaps][i];
	return -1;
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
		go(m, at);
	else
		select_tile(m);
}

/* --- walks ------------------------------------------------------------------------------------ */

/* A walk begins at the fullest tile; on it already, at the next. */
static enum ts_effect
walk(struct memory_view *m, int step)
{
	const uint32_t *order = memory_fullest_first(m);
	bool walking = m->walk >= 0 && m->walk < m->tiles->n && order[m->walk] == memory_at(m);
	int64_t to = walking ? m->walk + step
		: step > 0   ? order[0] == memory_at(m)
			     : memory_rank(m)[memory_at(m)] - 1;
	enum ts_effect effect;
	char n[TS_FMT_MAX];

	if (to < 0 || to >= m->tiles->n)
		return TS_EFFECT_BELL;
	m->walk = to;
	effect = go(m, order[to]);
	m->ahead = to + step >= 0 && to + step < m->tiles->n ? (int64_t)order[to + step] : -1;
	ts_view_say(m->view.env, to == 0 ? "the fullest tile" : "number %s of the fullest tiles",
		ts_fmt_count(n, to + 1));
	return effect;
}

static enum ts_effect
fullest(struct memory_view *m, const struct ts_call *call)
{
	return walk(m, call->cmd == TS_CMD_FULLEST ? 1 : -1);
}

static enum ts_effect
next_ipu(struct memory_view *m, const struct ts_call *call)
{
	return ipu_step(m, call->cmd == TS_CMD_IPU_NEXT ? 1 : -1);
}

static enum ts_effect
mark(struct memory_view *m, const struct ts_call *call)
{
	return settle(m,
		call->cmd == TS_CMD_MARK		  ? memory_mark(m, call)
			: call->cmd == TS_CMD_RANGE	  ? memory_mark_range(m, call)
			: call->cmd == TS_CMD_MARKS_CLEAR ? memory_no_marks(m, call)
							  : memory_fit_marks(m, call));
}

/* The number of a tile, or an expression: the fullest of those that it names. */
static enum ts_effect
goto_tile(struct memory_view *m, const struct ts_call *call)
{
	const char *word = ts_call_arg(call, 0);
	char *end = NULL;
	long long tile;
	ptrdiff_t at;

	errno = 0;
	tile = word ? strtoll(word, &end, 10) : -1;
	if (word && (end == word || *end)) {
		ts_view_ask_tiles(m->view.env, word, true);
		return TS_EFFECT_REPAINT;
	}
	if (!word || errno) {
		ts_view_say_error(m->view.env, "goto wants the number of a tile");
		return TS_EFFECT_BELL;
	}
	at = ts_tiles_find(&m->tiles->tiles, tile);
	if (at < 0) {
		ts_view_say_error(m->view.env, "there is no tile %lld", tile);
		return TS_EFFECT_BELL;
	}
	return go(m, at);
}

/* --- what the graph shows --------------------------------------------------------------------- */

static enum ts_effect
break_down(struct memory_view *m, const struct ts_call *call)
{
	return settle(m, memory_break_down(m, call));
}

static enum ts_effect
per_ipu(struct memory_view *m, const struct ts_call *call)
{
	return settle(m, memory_per_ipu(m, call));
}

static enum ts_effect
limit_line(struct memory_view *m, const struct ts_call *call)
{
	(void)call;
	m->no_limit = !m->no_limit;
	return settle(m, TS_EFFECT_REPAINT);
}

static enum ts_effect
series(struct memory_view *m, const struct ts_call *call)
{
	return settle(m, memory_series(m, call));
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
is_hit(const struct memory_view *m, int64_t row)
{
	const char *name = m->variables.variable[row].name;

	return name && ts_contains_nocase(name, m->search);
}

static void
say_hits(struct memory_view *m, const struct ts_table *t, int64_t at)
{
	int64_t hits = 0, number = 0;

	for (int64_t i = 0; i < m->variable_list.count; i++) {
		hits += is_hit(m, ts_table_row(t, i));
		if (i == at)
			number = hits;
	}
	ts_view_say(m->view.env, "%lld of %lld hits%s", (long long)number, (long long)hits,
		m->variables.found > m->variables.count ? " among the largest 1,000" : "");
}

/* The next hit from the cursor in a direction, round and round. */
static enum ts_effect
find(struct memory_view *m, int step, bool from_here)
{
	struct ts_table t = memory_variable_table(m);
	int64_t n = m->variable_list.count, at = m->variable_list.cursor;

	if (memory_tab_focus(m, TAB_CODE) || memory_only_code(m))
		return memory_find_code(m, step, from_here);
	if (!m->search[0] || n <= 0 || !ts_pane_has(&m->variables_state)) {
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
	for (int64_t i = from_here ? 0 : 1; i <= n; i++) {
		int64_t place = ((at + step * i) % n + n) % n;

		if (!is_hit(m, ts_table_row(&t, place)))
			continue;
		ts_list_jump(&m->variable_list, place);
		say_hits(m, &t, place);
		return focus_tab(m, TAB_VARIABLES);
	}
	ts_view_say_error(m->view.env, "no variable of this tile has \"%.60s\" in its name",
		m->search);
	return TS_EFFECT_BELL;
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
	const char *text = ts_call_arg(call, 0);

	if (!text)
		return TS_EFFECT_UNKNOWN; /* the program asks for it */
	snprintf(m->search, sizeof(m->search), "%s", text);
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
	{TS_CMD_FULLEST, fullest},
	{TS_CMD_FULLEST_BACK, fullest},
	{TS_CMD_IPU_NEXT, next_ipu},
	{TS_CMD_IPU_PREVIOUS, next_ipu},
	{TS_CMD_GOTO, goto_tile},
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
	if (m->map.shown && (m->focus == PANE_GRAPH || is_of_graph_only(call->cmd)))
		effect = memory_map_command(m, call);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	for (size_t i = 0; i < TS_COUNT(handlers); i++)
		if (handlers[i].cmd == call->cmd)
			return handlers[i].run(m, call);
	if (m->focus == PANE_TABS && !is_of_graph_only(call->cmd))
		return TS_EFFECT_UNKNOWN;
	if (call->cmd == TS_CMD_UP || call->cmd == TS_CMD_DOWN)
		return tab_command(m, call);
	return graph_command(m, call->cmd);
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
	snap(m, 0, m->tiles->n);
	focus_pane(m, PANE_GRAPH);
	return settle(m, (enum ts_effect)(rearranged | TS_EFFECT_SELECT));
}

static enum ts_effect
click_strip(struct memory_view *m, int x)
{
	int64_t a, b;

	ts_buckets_range(0, m->tiles->n, m->pane[PANE_STRIP].w, x - m->pane[PANE_STRIP].x, &a, &b);
	return a < b ? go(m, memory_place_at(m, a)) : TS_EFFECT_NONE;
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
		return graph_command(m, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT);
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

	return settle(memory_of(v), effect);
}

static const struct ts_hint graph_hints[] = {
	{TS_CMD_FULLEST, "fullest"},
	{TS_CMD_BREAKDOWN, "breakdown"},
	{TS_CMD_MAP, "map"},
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
	.complete = memory_complete,
	.pane_context = memory_pane_context,
	.mouse = memory_mouse,
	.explain = memory_explain,
	.tabs = tabs_of,
	.sheet = memory_sheet,
	.chart = memory_chart,
	.pane_hints = pane_hints,
	.hints = hints,
	.args = memory_args,
};
