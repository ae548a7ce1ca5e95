/* SPDX-License-Identifier: MIT */
/*
 * trace - the Trace view: commands, the two panes, the view's table.
 *
 * Lanes and list are one thing seen twice: a time in the lane of the selected IPU, and the step that
 * it runs then. Commands move one of the two cursors and leave a note for the other one to follow.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum { LEAST_CYCLES = 16 };

/* --- life ------------------------------------------------------------------------------------- */

static struct ts_view *
view_open(struct ts_view_env *env)
{
	struct trace_view *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->view.ops = &ts_view_trace;
	t->view.env = env;
	t->kept_step = t->goal = t->row_at = TS_UNKNOWN;
	t->time = t->option_time = env->options->time;
	ts_span_init(&t->span);
	t->span.least = LEAST_CYCLES;
	ts_list_init(&t->list);
	ts_debug_init(&t->debug);
	return &t->view;
}

static void
view_close(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;

	trace_drop(t);
	ts_debug_drop(&t->debug);
	free(v);
}

static void
view_reload(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	if (row)
		t->kept_step = row->step;
	trace_drop(t);
	ts_debug_drop(&t->debug);
	t->search++;
}

/* Take over the IPU and the step that another view left. */
static void
view_shown(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;
	const struct ts_selection *s = v->env->selection;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	if (!t->trace)
		return;
	for (int i = 0; i < t->trace->ipus; i++)
		if (t->trace->ipu[i] == s->ipu)
			t->ipu = i;
	if (s->step >= t->trace->first_step && s->step <= t->trace->last_step &&
		(!row || row->step != s->step)) {
		t->goal = s->step;
		t->follow = FOLLOW_STEP;
	}
}

static void
view_resize(struct ts_view *v, struct ts_rect area)
{
	struct trace_view *t = (struct trace_view *)v;

	t->area = area;
	trace_arrange(t);
}

/* --- moving ----------------------------------------------------------------------------------- */

static enum ts_effect
move_list(struct trace_view *t, enum ts_cmd cmd)
{
	enum ts_effect effect = ts_list_command(&t->list, cmd);

	if (effect & TS_EFFECT_SELECT)
		t->follow = FOLLOW_LIST;
	return effect;
}

static enum ts_effect
move_span(struct trace_view *t, enum ts_cmd cmd)
{
	enum ts_effect effect = ts_span_command(&t->span, cmd);

	if (effect & TS_EFFECT_SELECT)
		t->follow = FOLLOW_TIME;
	return effect;
}

/* Another lane: the step stays, the time goes to where that IPU runs it. */
static enum ts_effect
move_ipu(struct trace_view *t, int by)
{
	int ipu = t->ipu + by;

	if (ipu < 0 || ipu >= t->trace->ipus)
		return TS_EFFECT_BELL;
	t->ipu = ipu;
	t->follow = FOLLOW_LIST;
	trace_arrange(t);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT;
}

static enum ts_effect
move_pane(struct trace_view *t, bool back)
{
	static const enum trace_pane next[] = {TRACE_STEPS, TRACE_DEBUG, TRACE_LANES};
	static const enum trace_pane before[] = {TRACE_DEBUG, TRACE_LANES, TRACE_STEPS};

	do
		t->focus = back ? before[t->focus] : next[t->focus];
	while (t->focus == TRACE_DEBUG && !t->debug.shown);
	trace_arrange(t); /* zoomed: the other one has the room */
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
go_to(struct trace_view *t, const char *word)
{
	char *end, first[TS_FMT_MAX], last[TS_FMT_MAX];
	long long step;

	errno = 0;
	step = word ? strtoll(word, &end, 10) : -1;
	if (!word || errno || end == word || *end || step < t->trace->first_step ||
		step > t->trace->last_step) {
		ts_view_say_error(t->view.env, "steps go from %s to %s",
			ts_fmt_count(first, t->trace->first_step),
			ts_fmt_count(last, t->trace->last_step));
		return TS_EFFECT_BELL;
	}
	t->goal = step;
	t->follow = FOLLOW_STEP;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT;
}

/* Zoom so that the step takes a third of the lane. */
static enum ts_effect
show_step(struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t from, length;

	if (!row || !row->here || row->end <= row->start) {
		ts_view_say(t->view.env, "this IPU does nothing in this step");
		return TS_EFFECT_BELL;
	}
	length = ts_max_i64(row->end - row->start, LEAST_CYCLES);
	from = row->start - t->trace->from;
	ts_span_show(&t->span, from - length, from + 2 * length);
	ts_span_go(&t->span, from);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* --- other commands --------------------------------------------------------------------------- */

static enum ts_effect
switch_time(struct trace_view *t)
{
	if (trace_clock(t) <= 0) {
		ts_view_say(t->view.env,
			"the clock is not recorded, so cycles are all there is; "
			":set clock=1.85GHz (Bow) or 1.33GHz (Mk2) says it");
		return TS_EFFECT_BELL;
	}
	t->time = t->time == TS_TIME_US ? TS_TIME_CYCLES : TS_TIME_US;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
search(struct trace_view *t, const struct ts_call *call)
{
	const char *needle = ts_call_arg(call, 0);

	trace_search_begin(t, needle ? needle : "", call->cmd == TS_CMD_SEARCH ? 1 : -1);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
search_again(struct trace_view *t, enum ts_cmd cmd)
{
	if (!t->needle[0]) {
		ts_view_say(t->view.env, "nothing was searched for yet");
		return TS_EFFECT_BELL;
	}
	if (!t->has_hits || (!trace_searched(t) && t->hits.count == 0)) {
		ts_view_say(t->view.env, "still searching");
		return TS_EFFECT_NONE;
	}
	trace_say_hits(t);
	return trace_search_step(t, cmd == TS_CMD_SEARCH_NEXT ? t->direction : -t->direction);
}

static enum ts_effect
copy(struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	const char *text = t->window.text;

	if (!row)
		return TS_EFFECT_BELL;
	snprintf(t->view.env->copy, sizeof(t->view.env->copy),
		"%lld\t%.*s\t%.*s\tipu %lld\t%lld\t%lld\t%lld", (long long)row->step,
		(int)row->type_n, text + row->type, (int)ts_min_i64(row->name_n, 800),
		text + row->name, (long long)t->window.ipu, (long long)row->cycles,
		(long long)row->start, (long long)row->end);
	return TS_EFFECT_NONE;
}

/* Show or hide the debug context of the step. */
static enum ts_effect
switch_debug(struct trace_view *t)
{
	t->debug.shown = !t->debug.shown;
	if (!t->debug.shown && t->focus == TRACE_DEBUG)
		t->focus = TRACE_STEPS;
	trace_arrange(t);
	if (t->debug.shown && ts_rect_empty(t->at.debug)) { /* no room beside the list */
		t->focus = TRACE_DEBUG;
		trace_arrange(t);
	}
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* Commands that are the tab's while it has the keys; UNKNOWN: go on. */
static enum ts_effect
debug_command(struct trace_view *t, const struct ts_call *call)
{
	if (call->cmd == TS_CMD_DEBUG)
		return switch_debug(t);
	if (call->cmd == TS_CMD_EDIT)
		return ts_debug_edit(&t->debug, &t->view);
	if (t->focus != TRACE_DEBUG)
		return TS_EFFECT_UNKNOWN;
	return ts_debug_command(&t->debug, &t->view, call);
}

static bool
is_of_list(enum ts_cmd cmd)
{
	return cmd == TS_CMD_UP || cmd == TS_CMD_DOWN || cmd == TS_CMD_PAGE_UP ||
		cmd == TS_CMD_PAGE_DOWN || cmd == TS_CMD_HALF_UP || cmd == TS_CMD_HALF_DOWN ||
		cmd == TS_CMD_FIRST || cmd == TS_CMD_LAST || cmd == TS_CMD_LEFT ||
		cmd == TS_CMD_RIGHT;
}

static enum ts_effect
move(struct trace_view *t, enum ts_cmd cmd)
{
	if (t->focus == TRACE_STEPS && is_of_list(cmd))
		return move_list(t, cmd);
	if (cmd == TS_CMD_UP || cmd == TS_CMD_DOWN)
		return move_ipu(t, cmd == TS_CMD_UP ? -1 : 1);
	return move_span(t, cmd);
}

static enum ts_effect
view_command(struct ts_view *v, const struct ts_call *call)
{
	struct trace_view *t = (struct trace_view *)v;

	enum ts_effect effect;

	if (!t->trace)
		return TS_EFFECT_UNKNOWN;
	effect = debug_command(t, call);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	switch (call->cmd) {
	case TS_CMD_PANE_NEXT:
	case TS_CMD_PANE_PREVIOUS:
		return move_pane(t, call->cmd == TS_CMD_PANE_PREVIOUS);
	case TS_CMD_PANE_ZOOM:
		t->zoomed = !t->zoomed;
		trace_arrange(t);
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	case TS_CMD_IPU_NEXT:
	case TS_CMD_IPU_PREVIOUS:
		return move_ipu(t, call->cmd == TS_CMD_IPU_NEXT ? 1 : -1);
	case TS_CMD_GOTO:
		return go_to(t, ts_call_arg(call, 0));
	case TS_CMD_OPEN:
		return show_step(t);
	case TS_CMD_TIME_UNIT:
		return switch_time(t);
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		return search(t, call);
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return search_again(t, call->cmd);
	case TS_CMD_COPY:
		return copy(t);
	default:
		return move(t, call->cmd);
	}
}

static enum ts_context
view_pane_context(struct ts_view *v)
{
	return ((struct trace_view *)v)->focus == TRACE_LANES ? TS_CONTEXT_CHART : TS_CONTEXT_LIST;
}

/* --- mouse ------------------------------------------------------------------------------------ */

static enum ts_effect
mouse_lanes(struct trace_view *t, int x, int y, int wheel)
{
	int64_t a, b;
	int lane = t->lane_top + (y - t->at.lanes.y) / ts_max_i64(t->at.lane_rows, 1);

	t->focus = TRACE_LANES;
	if (wheel)
		return move_span(t, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT);
	if (lane < t->trace->ipus)
		t->ipu = lane;
	ts_span_bucket(&t->span, x - t->at.lanes.x, &a, &b);
	ts_span_go(&t->span, a);
	t->follow = FOLLOW_TIME;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT;
}

static enum ts_effect
view_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct trace_view *t = (struct trace_view *)v;
	struct ts_table table;
	int64_t row;

	if (!t->trace)
		return TS_EFFECT_NONE;
	if (ts_rect_has(t->at.lanes, x, y))
		return mouse_lanes(t, x, y, wheel);
	if (ts_rect_has(t->at.debug, x, y)) {
		t->focus = TRACE_DEBUG;
		return ts_debug_mouse(&t->debug, y - t->at.debug.y, wheel);
	}
	if (!ts_rect_has(t->at.table, x, y))
		return TS_EFFECT_NONE;
	t->focus = TRACE_STEPS;
	if (wheel) {
		ts_list_scroll(&t->list, 3 * (int64_t)wheel);
	} else {
		trace_table(&table, t);
		row = ts_list_at(&t->list, ts_table_line(&table, t->at.table, y));
		if (row >= 0)
			ts_list_go(&t->list, row);
	}
	t->follow = FOLLOW_LIST;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT;
}

static const struct ts_hint hints[] = {
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_IPU_NEXT, "ipu"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_view_ops ts_view_trace = {
	.name = "trace",
	.title = "Trace",
	.number = 7,
	.context = TS_CONTEXT_TRACE,
	.open = view_open,
	.close = view_close,
	.reload = view_reload,
	.indexed = trace_ahead,
	.ahead = trace_ahead,
	.shown = view_shown,
	.resize = view_resize,
	.draw = trace_draw,
	.request = trace_request,
	.deliver = trace_deliver,
	.command = view_command,
	.pane_context = view_pane_context,
	.mouse = view_mouse,
	.explain = trace_explain,
	.sheet = trace_sheet,
	.chart = trace_chart,
	.not_selected = "figures of whole IPUs",
	.hints = hints,
	.args = trace_args,
};
