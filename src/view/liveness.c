/* SPDX-License-Identifier: MIT */
/*
 * liveness - places and commands of the Liveness view: liveness_data.c asks, liveness_draw.c draws, the tabs below the
 * graph have files of their own.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "tilescope/view/live_heat.h"
#include "tilescope/view/typed.h"
#include "tilescope/view/what_if.h"

#include "liveness_internal.h"

enum {
	LEAST_STEPS = 4,  /* zooming in stops here */
	PAIR_LEAST = 180, /* columns from which on two tabs are side by side */
	WHEEL_ROWS = 3,
};

/* --- places ----------------------------------------------------------------------------------- */

int64_t
live_step(const struct liveness *s)
{
	return s->src.line.count > 0 ? s->src.line.step[s->span.cursor] : TS_UNKNOWN;
}

int64_t
live_program(const struct liveness *s)
{
	return s->src.line.count > 0 ? s->src.line.program[s->span.cursor] : -1;
}

enum ts_units
live_units(const struct liveness *s)
{
	return s->v.env->options->units;
}

/* The cursor has moved: tell the others. */
static enum ts_effect
moved(struct liveness *s, enum ts_effect effect)
{
	if (s->src.line.count > 0)
		s->v.env->selection->live_step = live_step(s);
	return effect;
}

static enum ts_effect
go_point(struct liveness *s, size_t point)
{
	return moved(s, ts_span_go(&s->span, (int64_t)point));
}

void
live_take_selection(struct liveness *s)
{
	int64_t step = s->v.env->selection->live_step;

	if (s->src.line.count == 0)
		return;
	if (step >= 0 && !s->to_peak)
		go_point(s, ts_liveness_find(&s->src.line, step));
	else
		live_go_peak(s);
}

void
live_go_peak(struct liveness *s)
{
	go_point(s, s->src.line.peaks.count > 0 ? s->src.line.peaks.peak[0].at : 0);
}

/* --- commands --------------------------------------------------------------------------------- */

/*
 * With several steps to a column the cursor stands on the highest of them; of those behind `old`, where it
 * comes from: at the edge of the screen the range moves, and the column may hold that one again.
 */
static void
prefer_highest(struct liveness *s, int64_t old)
{
	int column = ts_span_column(&s->span, s->span.cursor);
	struct ts_live_range range;
	int64_t a, b;

	if (column < 0 || s->src.line.count == 0)
		return;
	ts_span_bucket(&s->span, column, &a, &b);
	if (old < s->span.cursor)
		a = ts_max_i64(a, old + 1);
	if (b - a < 2)
		return;
	ts_liveness_range(&range, &s->src.line, (size_t)a, (size_t)b);
	s->span.cursor = (int64_t)range.highest;
}

static enum ts_effect
along_chart(struct liveness *s, const struct ts_call *call)
{
	int64_t old = s->span.cursor;
	enum ts_effect effect;

	if (s->src.line.count == 0)
		return TS_EFFECT_BELL;
	effect = ts_span_command(&s->span, call->cmd);
	if ((call->cmd == TS_CMD_LEFT || call->cmd == TS_CMD_RIGHT) && s->span.cursor != old)
		prefer_highest(s, old);
	return moved(s, effect);
}

static enum ts_effect
walk_peaks(struct liveness *s, const struct ts_call *call)
{
	const struct ts_peaks *peaks = &s->src.line.peaks;
	ptrdiff_t rank, step = call->cmd == TS_CMD_PEAK_NEXT ? 1 : -1;

	if (peaks->count == 0)
		return TS_EFFECT_BELL;
	rank = ts_peaks_rank(peaks, (size_t)s->span.cursor);
	if (rank >= 0)
		rank += step;
	else /* from anywhere: to the highest, or back to the one before */
		rank = step > 0 || s->rank >= (ptrdiff_t)peaks->count ? 0 : s->rank;
	if (rank < 0 || rank >= (ptrdiff_t)peaks->count) {
		ts_view_say(s->v.env, rank < 0 ? "this is the highest peak" : "no more peaks");
		return TS_EFFECT_BELL;
	}
	s->rank = rank;
	return (enum ts_effect)(go_point(s, peaks->peak[rank].at) | TS_EFFECT_REPAINT);
}

enum ts_effect
live_go_step(struct liveness *s, int64_t step)
{
	return go_point(s, ts_liveness_find(&s->src.line, step));
}

static enum ts_effect
go_to(struct liveness *s, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	char *end;
	long long step;
	size_t point;

	if (!text || s->src.line.count == 0)
		return TS_EFFECT_BELL;
	step = strtoll(text, &end, 10);
	if (end == text || *end || step < 0) {
		ts_view_say_error(s->v.env, "not a liveness step: %s", text);
		return TS_EFFECT_BELL;
	}
	point = ts_liveness_find(&s->src.line, step);
	if (s->src.line.step[point] != step)
		ts_view_say(s->v.env, "no step %lld here; the nearest is %lld", step,
			(long long)s->src.line.step[point]);
	return (enum ts_effect)(go_point(s, point) | TS_EFFECT_REPAINT);
}

static enum ts_effect
toggle_base(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	if (s->src.line.always_live == TS_UNKNOWN) {
		ts_view_say(s->v.env, "how much is always live is not recorded");
		return TS_EFFECT_BELL;
	}
	s->no_base = !s->no_base;
	s->base_chosen = true;
	live_lay_out(s);
	ts_view_say(s->v.env,
		s->no_base ? "always-live memory is hidden in the graph"
			   : "always-live memory is shown");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
switch_limit(struct liveness *s, const struct ts_call *call)
{
	bool near = false;

	(void)call;
	if (live_memory(s) == TS_UNKNOWN) {
		ts_view_say(s->v.env, "how much memory there is is not recorded");
		return TS_EFFECT_BELL;
	}
	if (s->limit == LIVE_LIMIT_NEAR) {
		live_lay_out(s);
		near = live_limit_drawn(s);
	}
	s->limit = s->limit == LIVE_LIMIT_ON || near ? LIVE_LIMIT_OFF : LIVE_LIMIT_ON;
	if (s->limit == LIVE_LIMIT_ON && live_base(s) != TS_UNKNOWN)
		s->no_base = false; /* the limit is for all memory, what is always live with it */
	live_lay_out(s);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* Which variables are listed, by what became of them between the steps that are compared. */
static enum ts_effect
list_only(struct liveness *s, const struct ts_call *call)
{
	static const char *const words[TS_ALIVE_ONLY_COUNT] = {"all", "born", "died", "changed"};
	static const char *const says[TS_ALIVE_ONLY_COUNT] = {"all that are alive",
		"only those that were born between the steps that are compared",
		"only those that died between the steps that are compared",
		"only those that were born or died between the steps that are compared"};
	const char *text = ts_call_arg(call, 0);
	int only = (s->only + 1) % TS_ALIVE_ONLY_COUNT;

	for (int i = 0; text && i < TS_ALIVE_ONLY_COUNT; i++)
		if (strcmp(text, words[i]) == 0)
			only = i;
	if (text && strcmp(text, words[only]) != 0)
		return TS_EFFECT_BELL;
	if (only != TS_ALIVE_EVERY && s->asked.against == TS_UNKNOWN) {
		ts_view_say(s->v.env, "nothing is compared: mark a step (m), or go to a peak (p)");
		return TS_EFFECT_BELL;
	}
	s->only = (enum ts_alive_only)only;
	ts_view_say(s->v.env, "%s", says[only]);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static void
give_focus(struct liveness *s, int pane)
{
	s->focus = pane;
	if (pane == LIVE_GRAPH || !s->tabs.debug_focus)
		s->about_step = pane == LIVE_GRAPH;
	live_lay_out(s);
}

static enum ts_effect
change_pane(struct liveness *s, const struct ts_call *call)
{
	int step = call->cmd == TS_CMD_PANE_NEXT ? 1 : -1;

	if (s->focus == LIVE_TABS && ts_tabs_step(&s->tabs, step)) {
		give_focus(s, LIVE_TABS);
	} else if (s->focus == LIVE_TABS) {
		give_focus(s, LIVE_GRAPH);
	} else {
		ts_tabs_enter(&s->tabs, step);
		give_focus(s, LIVE_TABS);
	}
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* From the first mark to the last. */
static enum ts_effect
zoom_marks(struct liveness *s, const struct ts_call *call)
{
	const struct ts_liveness *l = &s->src.line;
	enum ts_effect effect;

	(void)call;
	if (s->marks < 2 || l->count == 0) {
		ts_view_say(s->v.env, "mark two steps first (m)");
		return TS_EFFECT_BELL;
	}
	effect = ts_span_show(&s->span, (int64_t)ts_liveness_find(l, s->mark[0]),
		(int64_t)ts_liveness_find(l, s->mark[s->marks - 1]) + 1);
	return moved(s, (enum ts_effect)(effect | TS_EFFECT_REPAINT | TS_EFFECT_RECALC));
}

static enum ts_effect
zoom_pane(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	s->zoomed = !s->zoomed;
	live_lay_out(s);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}

/* The step and its bytes. */
static enum ts_effect
copy(struct liveness *s, const struct ts_call *call)
{
	struct ts_view_env *env = s->v.env;

	(void)call;
	if (s->src.line.count == 0)
		return TS_EFFECT_BELL;
	snprintf(env->copy, sizeof(env->copy), "%lld\t%lld", (long long)live_step(s),
		(long long)s->src.line.bytes[s->span.cursor]);
	return TS_EFFECT_NONE;
}

/* Of the heat map: it is shown, and does it. */
static enum ts_effect
in_heat_map(struct liveness *s, const struct ts_call *call)
{
	for (int i = 0; i < s->tabs.count; i++)
		if (s->tabs.tab[i].ops == &ts_tab_heat)
			ts_tabs_show(&s->tabs, i);
	give_focus(s, LIVE_TABS);
	return (enum ts_effect)(
		ts_tabs_command(&s->tabs, call) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* Those of the graph, while it has the keys. */
static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct liveness *s, const struct ts_call *call);
} graph_commands[] = {
	{TS_CMD_LEFT, along_chart},
	{TS_CMD_RIGHT, along_chart},
	{TS_CMD_FIRST, along_chart},
	{TS_CMD_LAST, along_chart},
	{TS_CMD_PAGE_UP, along_chart},
	{TS_CMD_PAGE_DOWN, along_chart},
	{TS_CMD_HALF_UP, along_chart},
	{TS_CMD_HALF_DOWN, along_chart},
	{TS_CMD_MARK, live_mark},
	{TS_CMD_COPY, copy},
	{TS_CMD_SEARCH, live_search_steps},
	{TS_CMD_SEARCH_BACK, live_search_steps},
	{TS_CMD_SEARCH_NEXT, live_search_again},
	{TS_CMD_SEARCH_PREVIOUS, live_search_again},
	{TS_CMD_FILTER, live_filter_steps},
};

/* Those that work whichever pane has the keys. */
static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct liveness *s, const struct ts_call *call);
} commands[] = {
	{TS_CMD_PAGE_LEFT, along_chart},
	{TS_CMD_PAGE_RIGHT, along_chart},
	{TS_CMD_ZOOM_IN, along_chart},
	{TS_CMD_ZOOM_OUT, along_chart},
	{TS_CMD_ZOOM_FIT, along_chart},
	{TS_CMD_ZOOM_SELECTION, zoom_marks},
	{TS_CMD_RANGE, live_mark_range},
	{TS_CMD_PEAK_NEXT, walk_peaks},
	{TS_CMD_PEAK_PREVIOUS, walk_peaks},
	{TS_CMD_GOTO, go_to},
	{TS_CMD_SERIES, toggle_base},
	{TS_CMD_LIMIT_LINE, switch_limit},
	{TS_CMD_MARKS_CLEAR, live_clear_marks},
	{TS_CMD_SOURCE, live_source_command},
	{TS_CMD_IPU_NEXT, live_source_ipu},
	{TS_CMD_IPU_PREVIOUS, live_source_ipu},
	{TS_CMD_REPLICA, live_replica_command},
	{TS_CMD_ONLY, list_only},
	{TS_CMD_BOTTLENECK, in_heat_map},
	{TS_CMD_PANE_NEXT, change_pane},
	{TS_CMD_PANE_PREVIOUS, change_pane},
	{TS_CMD_PANE_ZOOM, zoom_pane},
};

static bool
is_filtered(struct ts_view *v)
{
	const struct liveness *s = (struct liveness *)v;

	return s->focus == LIVE_GRAPH && s->steps.wanted.count > 0;
}

static enum ts_effect
command(struct ts_view *v, const struct ts_call *call)
{
	struct liveness *s = (struct liveness *)v;
	enum ts_effect effect = ts_tabs_switch(&s->tabs, call);

	if (!(effect & TS_EFFECT_UNKNOWN)) {
		give_focus(s, call->cmd == TS_CMD_TAB ? LIVE_TABS : s->focus);
		return effect;
	}
	if (s->focus == LIVE_TABS)
		effect = ts_tabs_command(&s->tabs, call);
	for (size_t i = 0; s->focus == LIVE_GRAPH && i < TS_COUNT(graph_commands); i++)
		if (graph_commands[i].cmd == call->cmd)
			return graph_commands[i].run(s, call);
	for (size_t i = 0; effect & TS_EFFECT_UNKNOWN && i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			return commands[i].run(s, call);
	/* a chart has no rows: moving by rows, sorting go to the tab in any case */
	if (effect & TS_EFFECT_UNKNOWN && s->focus == LIVE_GRAPH)
		effect = ts_tabs_command(&s->tabs, call);
	live_lay_out(s);
	return effect;
}

/* Does it go along the steps? */
static bool
is_of_steps(enum ts_cmd cmd)
{
	for (size_t i = 0; i < TS_COUNT(commands); i++)
		if (commands[i].cmd == cmd)
			return commands[i].run == along_chart || commands[i].run == walk_peaks ||
				commands[i].run == go_to || commands[i].run == live_mark_range;
	for (size_t i = 0; i < TS_COUNT(graph_commands); i++)
		if (graph_commands[i].cmd == cmd)
			return true;
	return false;
}

/* Of the graph's keys those that act on rows go to the tab. */
static bool
waits(struct ts_view *v, enum ts_cmd cmd)
{
	const struct liveness *s = (const struct liveness *)v;
	bool of_tab = s->focus == LIVE_TABS || cmd == TS_CMD_UP || cmd == TS_CMD_DOWN ||
		cmd == TS_CMD_OPEN || cmd == TS_CMD_TICK;

	if (s->src.line.count == 0 && s->graph.state <= TS_PANE_LOADING &&
		(is_of_steps(cmd) || ts_typed_is_of_rows(cmd)))
		return true;
	return of_tab && ts_tabs_waits(&s->tabs, cmd);
}

static enum ts_context
pane_context(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;

	return s->focus == LIVE_GRAPH ? TS_CONTEXT_CHART : ts_tabs_context(&s->tabs);
}

/* --- mouse ------------------------------------------------------------------------------------ */

static enum ts_effect
mouse_chart(struct liveness *s, int x, int wheel, bool strip)
{
	struct ts_span all = s->span;
	struct live_parts parts;
	int64_t a, b;

	live_parts(&parts, s);
	x -= parts.frame.plot.x;
	if (s->src.line.count == 0 || x < 0 || x >= parts.frame.plot.w)
		return TS_EFFECT_NONE;
	if (strip)
		ts_span_show(&all, 0, all.count);
	ts_span_bucket(&all, x, &a, &b);
	if (wheel == 0) {
		enum ts_effect effect = go_point(s, (size_t)a);

		if (!strip)
			prefer_highest(s, INT64_MAX);
		return moved(s, (enum ts_effect)(effect | TS_EFFECT_REPAINT));
	}
	return moved(s, ts_span_command(&s->span, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT));
}

static enum ts_effect
mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct liveness *s = (struct liveness *)v;
	int pane = ts_layout_at(s->pane, x, y);
	enum ts_effect effect = TS_EFFECT_NONE;

	if (pane == LIVE_STRIP || pane == LIVE_GRAPH)
		effect = mouse_chart(s, x, wheel, pane == LIVE_STRIP);
	else if (pane == LIVE_TABS)
		effect = ts_tabs_mouse(&s->tabs, x, y, wheel);
	if (wheel == 0 && pane >= LIVE_GRAPH)
		give_focus(s, pane);
	return (enum ts_effect)(effect | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- life ------------------------------------------------------------------------------------- */

static const struct ts_tab_ops *const tabs[] = {
	&live_tab_alive,
	&live_tab_always,
	&live_tab_groups,
	&live_tab_lifetimes,
	&live_tab_vertices,
	&live_tab_cycles,
	&live_tab_path,
	&ts_tab_heat,
	&ts_tab_what_if,
	&ts_tab_debug,
};

static struct ts_view *
open_view(struct ts_view_env *env)
{
	struct liveness *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->v.ops = &ts_view_liveness;
	s->v.env = env;
	s->focus = LIVE_GRAPH;
	s->about_step = true;
	s->group = -1;
	s->asked.step = -1;
	s->line_wanted = true;
	s->graph.absent = TS_ABSENT_LIVENESS;
	s->table.absent = TS_ABSENT_LIVE_VARIABLES;
	s->labels_pane.absent = TS_ABSENT_LIVE_VARIABLES;
	ts_span_init(&s->span);
	s->span.least = LEAST_STEPS;
	if (!ts_tabs_init(&s->tabs, &s->v, s, tabs, (int)TS_COUNT(tabs))) {
		ts_tabs_fini(&s->tabs);
		free(s);
		return NULL;
	}
	s->tabs.pair = true;
	s->tabs.least = PAIR_LEAST;
	return &s->v;
}

static void
close_view(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;

	live_drop(s);
	ts_live_source_fini(&s->source);
	ts_tabs_fini(&s->tabs);
	free(v);
}

/* The place is kept, also the source and the marks; of another report only if it says so in its address. */
static void
reload(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;

	live_drop(s);
	if (v->env->reload != TS_RELOAD_OTHER)
		return;
	ts_live_source_fini(&s->source);
	s->marks = 0;
	s->group = -1;
	s->only = TS_ALIVE_EVERY;
	s->one_replica = s->follow = s->base_chosen = false;
	s->data = 0;
	live_forget_hits(s);
	s->steps.line.count = 0;
	s->steps.filter_wanted = false;
}

static void
shown(struct ts_view *v)
{
	live_take_selection((struct liveness *)v);
}

static void
resize(struct ts_view *v, struct ts_rect area)
{
	struct liveness *s = (struct liveness *)v;

	s->area = area;
	live_lay_out(s);
}

/* While one end of a range is marked. */
static const struct ts_hint range_hints[] = {
	{TS_CMD_RANGE, "mark the other end"},
	{TS_CMD_MARKS_CLEAR, "drop it"},
	{TS_CMD_PEAK_NEXT, "peak"},
	{TS_CMD_SOURCE, "source"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_hint chart_hints[] = {
	{TS_CMD_PEAK_NEXT, "peak"},
	{TS_CMD_SOURCE, "source"},
	{TS_CMD_MARK, "mark"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_ZOOM_IN, "zoom"},
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
	struct liveness *s = (struct liveness *)v;

	if (s->focus == LIVE_TABS)
		return ts_tabs_hints(&s->tabs);
	return s->graph.state == TS_PANE_ABSENT ? NULL : s->marks == 1 ? range_hints : chart_hints;
}

static struct ts_tabs *
tabs_of(struct ts_view *v)
{
	return &((struct liveness *)v)->tabs;
}

const struct ts_view_ops ts_view_liveness = {
	.name = "liveness",
	.title = "Liveness",
	.number = 4,
	.context = TS_CONTEXT_LIVENESS,
	.open = open_view,
	.close = close_view,
	.reload = reload,
	.indexed = live_indexed,
	.shown = shown,
	.resize = resize,
	.draw = live_draw,
	.request = live_request,
	.deliver = live_deliver,
	.command = command,
	.filtered = is_filtered,
	.waits = waits,
	.pane_context = pane_context,
	.mouse = mouse,
	.explain = live_explain,
	.object = live_object,
	.tabs = tabs_of,
	.sheet = live_sheet,
	.chart = live_chart,
	.pane_hints = pane_hints,
	.hints = hints,
	.args = live_args,
};
