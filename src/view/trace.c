/* SPDX-License-Identifier: MIT */
/*
 * trace - the Trace view: commands, the drawing above, the tabs below, the view's table.
 *
 * Drawing and list are one thing seen twice: a time in the lane of the selected IPU, and the step that
 * it runs then. Commands move one of the two cursors and leave a note for the other one to follow.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_blocks.h"
#include "trace_internal.h"
#include "trace_pipeline.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/typed.h"

enum { LEAST_CYCLES = 16 };

/* --- life ------------------------------------------------------------------------------------- */

static const struct ts_tab_ops *const tabs[] = {
	&trace_tab_steps,
	&trace_tab_details,
	&trace_tab_vertices,
	&trace_tab_cycles,
	&trace_tab_longest,
	&trace_tab_hits,
	&trace_tab_stages,
	&trace_tab_work,
	&trace_tab_passes,
	&trace_tab_blocks,
	&trace_tab_balance,
	&trace_tab_lost,
	&trace_tab_frame,
	&ts_tab_debug,
};

static void
view_close(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;

	trace_drop(t);
	trace_lanes_fini(t);
	ts_tabs_fini(&t->tabs);
	trace_drawings_close(t);
	free(v);
}

static struct ts_view *
view_open(struct ts_view_env *env)
{
	struct trace_view *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->view.ops = &ts_view_trace;
	t->view.env = env;
	t->jump_class = -1;
	t->about.relation = TS_RELATION_COUNT;
	t->kept_step = t->goal = t->row_at = TS_UNKNOWN;
	t->time = t->option_time = env->options->time;
	ts_span_init(&t->span);
	t->span.least = LEAST_CYCLES;
	ts_list_init(&t->list);
	if (!trace_drawings_open(t) ||
		!ts_tabs_init(&t->tabs, &t->view, t, tabs, (int)TS_COUNT(tabs))) {
		view_close(&t->view);
		return NULL;
	}
	return &t->view;
}

static void
view_reload(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	if (row)
		t->kept_step = row->step;
	trace_drop(t);
	t->search++;
}

static void
view_indexed(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;

	trace_ahead(v);
	trace_drawings_indexed(t);
	ts_tabs_indexed(&t->tabs);
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
		t->follow = FOLLOW_WORK;
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
move_span(struct trace_view *t, const struct ts_call *call)
{
	enum ts_effect effect = ts_span_command(&t->span, call->cmd);

	if (effect & TS_EFFECT_SELECT)
		t->follow = FOLLOW_TIME;
	return effect;
}

/* Another lane: the step stays, the time goes to where that IPU runs it. */
enum ts_effect
trace_go_ipu(struct trace_view *t, int ipu)
{
	if (ipu < 0 || ipu >= t->trace->ipus)
		return TS_EFFECT_BELL;
	t->ipu = ipu;
	t->follow = FOLLOW_LIST;
	trace_arrange(t);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

enum ts_effect
trace_go_time(struct trace_view *t, int64_t cycle)
{
	ts_span_go(&t->span, cycle - t->trace->from);
	t->follow = FOLLOW_TIME;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

enum ts_effect
trace_go_step(struct trace_view *t, int64_t step)
{
	t->goal = step;
	t->follow = FOLLOW_STEP;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

enum ts_effect
trace_land_on_step(struct trace_view *t, int64_t step)
{
	enum ts_effect effect = trace_go_step(t, step);

	t->follow = FOLLOW_WORK;
	return effect;
}

static enum ts_effect
move_ipu(struct trace_view *t, const struct ts_call *call)
{
	bool back = call->cmd == TS_CMD_IPU_PREVIOUS || call->cmd == TS_CMD_UP;
	int lane = trace_lane_at(t, t->ipu) + (back ? -1 : 1);

	if (lane < 0 || lane >= t->lane.count)
		return TS_EFFECT_BELL;
	return trace_go_ipu(t, t->lane.shown[lane]);
}

static void
give_focus(struct trace_view *t, enum trace_pane pane)
{
	t->focus = pane;
	trace_arrange(t); /* zoomed: it has the room */
}

static enum ts_effect
move_pane(struct trace_view *t, const struct ts_call *call)
{
	int step = call->cmd == TS_CMD_PANE_NEXT ? 1 : -1;

	if (t->focus == TRACE_TABS && ts_tabs_step(&t->tabs, step)) {
		give_focus(t, TRACE_TABS);
	} else if (t->focus == TRACE_TABS) {
		give_focus(t, TRACE_LANES);
	} else {
		ts_tabs_enter(&t->tabs, step);
		give_focus(t, TRACE_TABS);
	}
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
zoom_pane(struct trace_view *t, const struct ts_call *call)
{
	(void)call;
	t->zoomed = !t->zoomed;
	trace_arrange(t);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
no_steps(struct trace_view *t)
{
	ts_view_say_error(t->view.env, "no steps are recorded");
	return TS_EFFECT_BELL;
}

static enum ts_effect
go_to(struct trace_view *t, const struct ts_call *call)
{
	const char *word = ts_call_arg(call, 0);
	char *end, first[TS_FMT_MAX], last[TS_FMT_MAX];
	long long step;

	if (t->trace->rows == 0)
		return no_steps(t);
	errno = 0;
	step = word ? strtoll(word, &end, 10) : -1;
	if (!word || errno || end == word || *end || step < t->trace->first_step ||
		step > t->trace->last_step) {
		ts_view_say_error(t->view.env, "steps go from %s to %s",
			ts_fmt_count(first, t->trace->first_step),
			ts_fmt_count(last, t->trace->last_step));
		return TS_EFFECT_BELL;
	}
	return trace_go_step(t, step);
}

/* Zoom so that the step takes a third of the lane. */
static enum ts_effect
show_step(struct trace_view *t, const struct ts_call *call)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t from, length, to;

	(void)call;
	if (!row || !row->here || row->end <= row->start) {
		ts_view_say(t->view.env, "this IPU does nothing in this step");
		return TS_EFFECT_BELL;
	}
	length = ts_max_i64(row->end - row->start, LEAST_CYCLES);
	from = row->start - t->trace->from;
	to = from;
	for (int i = 0; i < 2; i++)
		if (!ts_add_i64(&to, length))
			to = TS_SPAN_MAX;
	ts_span_show(&t->span, ts_max_i64(from - length, 0), to);
	ts_span_go(&t->span, from);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* --- other commands --------------------------------------------------------------------------- */

static enum ts_effect
switch_time(struct trace_view *t, const struct ts_call *call)
{
	(void)call;
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

	if (t->trace->rows == 0)
		return no_steps(t);
	trace_search_begin(t, needle ? needle : "", call->cmd == TS_CMD_SEARCH ? 1 : -1);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* The steps that run the same compute set, or the same program where there is none. */
static enum ts_effect
executions(struct trace_view *t, const struct ts_call *call)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	char needle[40];

	(void)call;
	if (!row || (row->compute_set == TS_UNKNOWN && row->program == TS_UNKNOWN)) {
		ts_view_say(t->view.env,
			"neither compute set nor program of this step is recorded");
		return TS_EFFECT_BELL;
	}
	if (row->compute_set != TS_UNKNOWN)
		snprintf(needle, sizeof(needle), "set:%lld", (long long)row->compute_set);
	else
		snprintf(needle, sizeof(needle), "program:%lld", (long long)row->program);
	trace_search_begin(t, needle, 1);
	t->jump = false; /* it stays where it is: n goes to the next one */
	for (int i = 0; i < t->tabs.count; i++)
		if (t->tabs.tab[i].ops == &trace_tab_hits)
			ts_tabs_show(&t->tabs, i);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
search_again(struct trace_view *t, const struct ts_call *call)
{
	if (!t->needle[0]) {
		ts_view_say(t->view.env, "nothing was searched for yet");
		return TS_EFFECT_BELL;
	}
	if (!t->has_hits || (!trace_searched(t) && t->hits.count == 0)) {
		ts_view_say(t->view.env, "still searching");
		return TS_EFFECT_NONE;
	}
	return trace_search_step(t, ts_search_step(call, t->direction));
}

static enum ts_effect
copy(struct trace_view *t, const struct ts_call *call)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	const char *text = t->window.text;

	(void)call;
	if (!row)
		return TS_EFFECT_BELL;
	snprintf(t->view.env->copy, sizeof(t->view.env->copy),
		"%lld\t%.*s\t%.*s\tipu %lld\t%lld\t%lld\t%lld", (long long)row->step,
		(int)row->type_n, text + row->type, (int)ts_min_i64(row->name_n, 800),
		text + row->name, (long long)t->window.ipu, (long long)row->cycles,
		(long long)row->start, (long long)row->end);
	return TS_EFFECT_NONE;
}

static enum ts_effect
set_stages(struct trace_view *t, const struct ts_call *call)
{
	return trace_set_stages(t, ts_call_arg(call, 0));
}

struct command {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct trace_view *t, const struct ts_call *call);
};

/* Those of the drawing, while it has the keys. */
static const struct command drawing_commands[] = {
	{TS_CMD_UP, move_ipu},
	{TS_CMD_DOWN, move_ipu},
	{TS_CMD_LEFT, move_span},
	{TS_CMD_RIGHT, move_span},
	{TS_CMD_FIRST, move_span},
	{TS_CMD_LAST, move_span},
	{TS_CMD_PAGE_UP, move_span},
	{TS_CMD_PAGE_DOWN, move_span},
	{TS_CMD_HALF_UP, move_span},
	{TS_CMD_HALF_DOWN, move_span},
};

/* Those that work whichever pane has the keys. */
static const struct command commands[] = {
	{TS_CMD_PANE_NEXT, move_pane},
	{TS_CMD_PANE_PREVIOUS, move_pane},
	{TS_CMD_PANE_ZOOM, zoom_pane},
	{TS_CMD_STAGES, set_stages},
	{TS_CMD_BREAKDOWN, trace_break_down},
	{TS_CMD_DRAWING, trace_draw_by},
	{TS_CMD_DRAWING_BACK, trace_draw_by},
	{TS_CMD_EXECUTIONS, executions},
	{TS_CMD_JUMP, trace_jump_command},
	{TS_CMD_JUMP_BACK, trace_jump_command},
	{TS_CMD_MERGE, trace_merge_command},
	{TS_CMD_MERGE_IPUS, trace_merge_command},
	{TS_CMD_MARK, trace_mark},
	{TS_CMD_RANGE, trace_range},
	{TS_CMD_MARKS_CLEAR, trace_clear_marks},
	{TS_CMD_ZOOM_SELECTION, trace_zoom_marks},
	{TS_CMD_LANES, trace_lanes_command},
	{TS_CMD_LANE_FOLD, trace_fold_lane},
	{TS_CMD_SERIES, trace_series},
	{TS_CMD_IPU_NEXT, move_ipu},
	{TS_CMD_IPU_PREVIOUS, move_ipu},
	{TS_CMD_PAGE_LEFT, move_span},
	{TS_CMD_PAGE_RIGHT, move_span},
	{TS_CMD_ZOOM_IN, move_span},
	{TS_CMD_ZOOM_OUT, move_span},
	{TS_CMD_ZOOM_FIT, move_span},
	{TS_CMD_GOTO, go_to},
	{TS_CMD_OPEN, show_step},
	{TS_CMD_TIME_UNIT, switch_time},
	{TS_CMD_SEARCH, search},
	{TS_CMD_SEARCH_BACK, search},
	{TS_CMD_SEARCH_NEXT, search_again},
	{TS_CMD_SEARCH_PREVIOUS, search_again},
	{TS_CMD_COPY, copy},
};

static enum ts_effect
run_of(const struct command *table, size_t n, struct trace_view *t, const struct ts_call *call)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].cmd == call->cmd)
			return table[i].run(t, call);
	return TS_EFFECT_UNKNOWN;
}

/* Where there is none below the list it is the tab of its own, and has the keys; from there it goes away again. */
static void
make_room_for_debug(struct trace_view *t, bool leave)
{
	struct ts_tabs *tabs_of = &t->tabs;

	if (leave)
		ts_tabs_show(tabs_of, 0);
	else if (tabs_of->split && !tabs_of->debug.shown)
		ts_tabs_show(tabs_of, tabs_of->count - 1);
	else
		return;
	tabs_of->split = false;
	give_focus(t, TRACE_TABS);
}

static enum ts_effect
view_command(struct ts_view *v, const struct ts_call *call)
{
	struct trace_view *t = (struct trace_view *)v;
	struct trace_drawing *d = trace_drawn(t);
	bool in_debug = ts_tabs_at(&t->tabs)->ops == &ts_tab_debug;
	enum ts_effect effect;

	if (!t->trace)
		return TS_EFFECT_UNKNOWN;
	effect = ts_tabs_switch(&t->tabs, call);
	if (!(effect & TS_EFFECT_UNKNOWN)) {
		give_focus(t, call->cmd == TS_CMD_TAB ? TRACE_TABS : t->focus);
		if (call->cmd == TS_CMD_DEBUG)
			make_room_for_debug(t, in_debug);
		return effect;
	}
	if (t->focus == TRACE_TABS)
		effect = ts_tabs_command(&t->tabs, call);
	else if (d->ops->command)
		effect = d->ops->command(d, call);
	if (effect & TS_EFFECT_UNKNOWN && t->focus == TRACE_LANES)
		effect = run_of(drawing_commands, TS_COUNT(drawing_commands), t, call);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = run_of(commands, TS_COUNT(commands), t, call);
	trace_arrange(t);
	return effect;
}

/* Of a step in the list its row, once that is here; a search waits by itself. */
static bool
view_waits(struct ts_view *v, enum ts_cmd cmd)
{
	const struct trace_view *t = (const struct trace_view *)v;
	bool in_list = t->tabs.tab[t->tabs.at].ops == &trace_tab_steps;

	if (!t->trace || t->focus != TRACE_TABS)
		return false;
	if (!in_list)
		return ts_tabs_waits(&t->tabs, cmd);
	return ts_typed_is_of_row(cmd) && !ts_typed_is_search(cmd) && t->list.count > 0 &&
		!trace_row(t, t->list.cursor);
}

static enum ts_context
view_pane_context(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;

	return t->focus == TRACE_LANES ? TS_CONTEXT_CHART : ts_tabs_context(&t->tabs);
}

static const struct ts_hint hints[] = {
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_IPU_NEXT, "ipu"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_COUNT, NULL},
};

static int
add_hints(struct trace_view *t, int n, const struct ts_hint *list)
{
	for (; list && list->word && n < TRACE_HINTS - 1; list++)
		t->hint[n++] = *list;
	return n;
}

/* While a range is open. */
static const struct ts_hint range_hints[] = {
	{TS_CMD_RANGE, "end the range here"},
	{TS_CMD_MARKS_CLEAR, "drop it"},
	{TS_CMD_COUNT, NULL},
};

/* Those of the pane, then the view's; none where there is no trace to use them on. */
static const struct ts_hint *
view_pane_hints(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;
	int n = 0;

	if (!t->trace && t->data.state == TS_PANE_ABSENT)
		return NULL;
	if (t->marks.began)
		n = add_hints(t, n, range_hints);
	n = add_hints(t, n,
		t->focus == TRACE_TABS ? ts_tabs_hints(&t->tabs) : trace_drawn(t)->ops->hints);
	n = add_hints(t, n, hints);
	t->hint[n] = (struct ts_hint){TS_CMD_COUNT, NULL};
	return t->hint;
}

/* --- what is written and explained --------------------------------------------------------------- */

static struct ts_tabs *
view_tabs(struct ts_view *v)
{
	return &((struct trace_view *)v)->tabs;
}

static void
view_explain(struct ts_view *v, struct ts_explain *out)
{
	struct trace_view *t = (struct trace_view *)v;
	struct trace_drawing *d = trace_drawn(t);

	if (!t->trace)
		return;
	if (t->focus == TRACE_TABS)
		ts_tabs_explain(&t->tabs, out);
	else if (d->ops->explain)
		d->ops->explain(d, out);
	else
		trace_explain_step(t, out);
}

static bool
view_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct trace_view *t = (struct trace_view *)v;
	struct trace_drawing *d = trace_drawn(t);

	if (!t->trace)
		return false;
	if (t->focus == TRACE_TABS)
		return ts_tabs_sheet(&t->tabs, out);
	return d->ops->sheet ? d->ops->sheet(d, out) : trace_steps_sheet(t, out);
}

/* A tab without a chart has that of the drawing, which shows the same. */
static bool
view_chart(struct ts_view *v, struct ts_chart_page *page)
{
	struct trace_view *t = (struct trace_view *)v;
	struct trace_drawing *d = trace_drawn(t);

	if (t->focus == TRACE_TABS && ts_tabs_at(&t->tabs)->ops->chart)
		return ts_tabs_chart(&t->tabs, page);
	return d->ops->chart && d->ops->chart(d, page);
}

static bool
view_range(struct ts_view *v, int64_t *from, int64_t *to)
{
	struct trace_view *t = (struct trace_view *)v;

	if (!t->trace || !t->trace->has_parts)
		return false;
	*from = t->marks.range ? t->marks.from : t->trace->from + t->span.from;
	*to = t->marks.range ? t->marks.to : t->trace->from + t->span.to;
	return true;
}

/* --- mouse ------------------------------------------------------------------------------------ */

static enum ts_effect
mouse_drawing(struct trace_view *t, int x, int y, int wheel)
{
	struct trace_drawing *d = trace_drawn(t);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;
	struct ts_call call = {.cmd = wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT};
	int64_t a, b;

	t->focus = TRACE_LANES;
	if (d->ops->mouse)
		effect = d->ops->mouse(d, x, y, wheel);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (wheel)
		return move_span(t, &call);
	ts_span_bucket(&t->span, x - d->plot.x, &a, &b);
	return trace_go_time(t, t->trace->from + a);
}

static enum ts_effect
view_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct trace_view *t = (struct trace_view *)v;
	enum ts_effect effect;

	if (!t->trace)
		return TS_EFFECT_NONE;
	if (ts_rect_has(t->at.lanes, x, y))
		return mouse_drawing(t, x, y, wheel);
	if (y <= t->at.legend.y || ts_rect_has(t->at.readout, x, y))
		return TS_EFFECT_NONE;
	effect = ts_tabs_mouse(&t->tabs, x, y, wheel);
	if (wheel == 0)
		give_focus(t, TRACE_TABS);
	return (enum ts_effect)(effect | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

const struct ts_view_ops ts_view_trace = {
	.name = "trace",
	.title = "Trace",
	.number = 7,
	.context = TS_CONTEXT_TRACE,
	.open = view_open,
	.close = view_close,
	.reload = view_reload,
	.indexed = view_indexed,
	.ahead = trace_ahead,
	.shown = view_shown,
	.resize = view_resize,
	.draw = trace_draw,
	.request = trace_request,
	.deliver = trace_deliver,
	.command = view_command,
	.waits = view_waits,
	.pane_context = view_pane_context,
	.pane_hints = view_pane_hints,
	.mouse = view_mouse,
	.explain = view_explain,
	.object = trace_object,
	.tabs = view_tabs,
	.sheet = view_sheet,
	.chart = view_chart,
	.range = view_range,
	.not_selected = "figures of whole IPUs",
	.args = trace_args,
};
