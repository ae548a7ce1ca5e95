/* SPDX-License-Identifier: MIT */
/*
 * trace_answer - what the Trace view does with the answers to its questions.
 *
 * An answer counts when it is that of the newest question of its kind. What is on the screen is replaced,
 * never taken away first.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_blocks.h"
#include "trace_internal.h"

/* Where the cursor goes first: to the step that others look at, else to the begin. */
static void
first_place(struct trace_view *t)
{
	const struct ts_selection *s = t->view.env->selection;
	bool kept = t->kept_step != TS_UNKNOWN;
	int64_t step = kept ? t->kept_step : s->step;

	t->ipu = 0;
	for (int i = 0; i < t->trace->ipus; i++)
		if (t->trace->ipu[i] == s->ipu)
			t->ipu = i;
	t->kept_step = TS_UNKNOWN;
	t->follow = FOLLOW_LIST;
	if (step >= t->trace->first_step && step <= t->trace->last_step) {
		t->goal = step;
		t->follow = kept ? FOLLOW_STEP : FOLLOW_WORK;
	}
}

void
trace_lanes_state(struct trace_view *t)
{
	t->lanes = (struct ts_pane_data){.state = TS_PANE_EMPTY};
	if (t->trace->has_parts)
		return;
	t->lanes.state = TS_PANE_ABSENT;
	t->lanes.absent = t->trace->rows > 0 ? TS_ABSENT_LANES : TS_ABSENT_STEPS;
	snprintf(t->lanes.reason, sizeof(t->lanes.reason), "%.199s", t->trace->why_no_parts);
}

/* What is there when nothing but blocks is: a drawing and a tab. The list says what is missing. */
static void
show_blocks(struct trace_view *t)
{
	t->steps = t->lanes;
	trace_draw_named(t, trace_drawing_blocks.name);
	for (int i = 0; i < t->tabs.count; i++)
		if (t->tabs.tab[i].ops == &trace_tab_blocks)
			ts_tabs_show(&t->tabs, i);
}

static enum ts_effect
take_open(struct trace_view *t, struct trace_fetch *f)
{
	if (t->trace)
		return f->opened ? trace_refresh(t, f) : TS_EFFECT_NONE;
	if (f->ahead && f->fetch.code) { /* whoever wants to see it asks again, and is told */
		trace_drop(t);
		return TS_EFFECT_REPAINT;
	}
	if (f->fetch.code == TS_E_CANCELLED) {
		ts_pane_result(&t->data, TS_E_CANCELLED, &f->fetch.err, false);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&t->data, f->fetch.code, &f->fetch.err, f->opened != NULL);
	t->data.absent = TS_ABSENT_STEPS;
	if (!f->opened)
		return TS_EFFECT_REPAINT;
	t->trace = f->opened;
	f->opened = NULL;
	if (f->fetch.code)
		ts_view_say_error(t->view.env, "trace: %s (what can be read is shown)",
			f->fetch.err.msg);
	t->sections = f->sections;
	trace_lanes_state(t);
	t->steps = (struct ts_pane_data){.state = TS_PANE_EMPTY};
	ts_span_set_count(&t->span, t->trace->has_parts ? t->trace->to - t->trace->from : 0);
	ts_list_set_count(&t->list, t->trace->rows);
	first_place(t);
	trace_lanes_begin(t);
	if (t->trace->rows == 0)
		show_blocks(t);
	trace_arrange(t); /* now it is known how many lanes there are */
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

/* Rows without numbers: what the window says about the ends of the list. */
static void
settle_ends(struct trace_view *t)
{
	struct ts_trace_window *w = &t->window;

	if (!t->trace->gaps || w->count == 0)
		return;
	if (w->at_begin && w->first_row != 0) {
		ts_list_follow(&t->list, t->list.cursor - w->first_row);
		w->first_row = 0;
	}
	if (w->at_end)
		ts_list_set_count(&t->list, w->first_row + w->count);
}

/* The window of the answer is that of the view. */
static void
hold_window(struct trace_view *t, struct trace_fetch *f)
{
	ts_trace_window_fini(&t->window);
	t->window = f->window;
	f->window = (struct ts_trace_window){0};
	ts_window_hold(&t->view, TS_WINDOW_TRACE, t->window.count,
		t->window.count * (int64_t)sizeof(*t->window.row) + (int64_t)t->window.text_n);
}

static enum ts_effect
take_window(struct trace_view *t, struct trace_fetch *f)
{
	bool some = f->window.count > 0;

	if (some || f->fetch.code == TS_OK) {
		hold_window(t, f);
		t->row_at = TS_UNKNOWN;
		settle_ends(t);
	}
	if (f->fetch.code && f->fetch.code != TS_E_CANCELLED)
		ts_view_say_error(t->view.env, "steps: %s", f->fetch.err.msg);
	ts_pane_result(&t->steps, f->fetch.code, &f->fetch.err, some);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_chart(struct trace_view *t, struct trace_fetch *f, enum trace_kind kind)
{
	struct ts_trace_chart *to = kind == ASK_CHART ? &t->chart : &t->overview;
	bool some = f->chart.rows > 0;

	if (f->fetch.code == TS_OK || some) {
		ts_trace_chart_fini(to);
		*to = f->chart;
		f->chart = (struct ts_trace_chart){0};
	}
	trace_lanes_learn(t, to);
	if (kind == ASK_CHART && f->fetch.code == TS_OK)
		trace_share_lanes(t, f);
	if (kind == ASK_CHART && f->fetch.code == TS_E_CANCELLED && t->chart.columns > 0)
		t->lanes.state = TS_PANE_STALE;
	else if (kind == ASK_CHART)
		ts_pane_result(&t->lanes, f->fetch.code, &f->fetch.err, some);
	return TS_EFFECT_REPAINT;
}

/* The IPU that was chosen does nothing in the step that was gone to: look at it on another one, and say so. */
static void
land(struct trace_view *t, int64_t ipu)
{
	struct ts_view_env *env = t->view.env;
	char said[sizeof(env->message) + 4];
	int to = 0;

	while (to < t->trace->ipus && t->trace->ipu[to] != ipu)
		to++;
	if (to == t->trace->ipus || to == t->ipu)
		return;
	snprintf(said, sizeof(said), "%s%s", env->message, env->message[0] ? "; " : "");
	if (trace_lane_at(t, to) < 0) {
		ts_view_say(env, "%.150sipu %lld does nothing in it, ipu %lld has no lane", said,
			(long long)trace_ipu(t), (long long)ipu);
		return;
	}
	ts_view_say(env, "%.150sipu %lld: ipu %lld does nothing in it", said, (long long)ipu,
		(long long)trace_ipu(t));
	t->ipu = to;
	trace_arrange(t);
}

static enum ts_effect
take_locate(struct trace_view *t, struct trace_fetch *f)
{
	enum trace_follow was = t->follow;

	trace_forget_locate(t);
	t->follow = FOLLOW_NONE;
	if (f->fetch.code != TS_OK) {
		ts_view_say_error(t->view.env, "step: %s", f->fetch.err.msg);
		return TS_EFFECT_REPAINT;
	}
	if (!f->found) {
		if (was != FOLLOW_TIME)
			ts_view_say_error(t->view.env, "there is no step %lld", (long long)t->goal);
		return TS_EFFECT_REPAINT;
	}
	if (was == FOLLOW_WORK)
		land(t, f->ipu);
	trace_go_row(t, f->row, f->row_at);
	if (f->window.count > 0 && f->window.ipu == trace_ipu(t)) {
		hold_window(t, f);
		t->fetch[ASK_WINDOW] = NULL; /* what is under way is of another place */
		t->asked[ASK_WINDOW].asked = false;
		ts_pane_result(&t->steps, TS_OK, NULL, true);
	}
	if (was != FOLLOW_TIME)
		t->follow = FOLLOW_LIST;
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_cost(struct trace_view *t, struct trace_fetch *f)
{
	if (f->q.search != t->search || f->fetch.code)
		return TS_EFFECT_REPAINT;
	t->cost = f->cost;
	t->has_cost = true;
	trace_say_hits(t);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
trace_deliver(struct ts_view *v, struct ts_fetch *fetch)
{
	struct trace_view *t = (struct trace_view *)v;
	struct trace_fetch *f = (struct trace_fetch *)fetch;
	enum trace_kind kind = (enum trace_kind)fetch->job.kind;
	enum ts_effect effect;

	effect = ts_tabs_deliver(&t->tabs, fetch);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = trace_drawings_deliver(t, fetch);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if ((int)kind < 0 || kind >= ASK_COUNT || t->fetch[kind] != fetch)
		return TS_EFFECT_NONE;
	t->fetch[kind] = NULL;
	if (fetch->job.dropped || fetch->job.generation != v->env->generation)
		return TS_EFFECT_NONE;
	switch (kind) {
	case ASK_OPEN:
		return take_open(t, f);
	case ASK_WINDOW:
		return take_window(t, f);
	case ASK_CHART:
	case ASK_OVERVIEW:
		return take_chart(t, f, kind);
	case ASK_LOCATE:
		return take_locate(t, f);
	case ASK_SEARCH:
	case ASK_SEARCH_BESIDE:
		return trace_search_take(t, f);
	case ASK_COST:
		return take_cost(t, f);
	case ASK_JUMP:
		return trace_take_jump(t, f);
	case ASK_LONGEST:
		return trace_take_longest(t, f);
	case ASK_FIRST:
		return trace_take_first(t, f);
	case ASK_MARKED:
		return trace_take_marked(t, f);
	case ASK_COUNT:
		break;
	}
	return TS_EFFECT_NONE;
}

void
trace_drop(struct trace_view *t)
{
	ts_trace_release(t->trace);
	t->trace = NULL;
	t->sections = 0;
	ts_trace_window_fini(&t->window);
	ts_window_hold(&t->view, TS_WINDOW_TRACE, 0, 0);
	ts_trace_chart_fini(&t->chart);
	ts_trace_chart_fini(&t->overview);
	trace_search_drop(t);
	trace_drop_longest(t);
	t->jump_asked = false;
	t->longest.go = 0;
	t->longest.first.asked = false;
	t->jump_class = -1;
	if (t->view.env->reload == TS_RELOAD_OTHER)
		t->marks = (struct trace_marks){.version = t->marks.version + 1};
	t->marks.known = false;
	trace_drawings_drop(t);
	ts_tabs_drop(&t->tabs);
	t->about = (struct ts_debug_about){.relation = TS_RELATION_COUNT};
	memset(t->fetch, 0, sizeof(t->fetch));
	memset(t->asked, 0, sizeof(t->asked));
	t->data = (struct ts_pane_data){.state = TS_PANE_EMPTY};
	t->lanes = (struct ts_pane_data){.state = TS_PANE_EMPTY};
	t->steps = (struct ts_pane_data){.state = TS_PANE_EMPTY};
	t->follow = FOLLOW_NONE;
	t->row_at = TS_UNKNOWN;
}
