/* SPDX-License-Identifier: MIT */
/*
 * trace_jumps - from the cursor to the next step, run, class, gap of the selected IPU's lane, and through the longest
 * steps in sight; and the tab with those.
 *
 * A jump is a question, whose answer moves the cursor; only the newest counts. The longest steps are of
 * the range that is drawn: they are asked for again when it is another one. Of a new range the longest
 * one is asked for alone, too, of the index: it is there in the frame after the key, the others come
 * behind.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"

static const char *const goals[] = {"step", "class", "gap"};

/* --- run ------------------------------------------------------------------------------------------ */

static enum ts_effect
jump_run(struct trace_view *t, bool back)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t here = trace_goes_to_step(t) ? t->goal : row ? row->step : TS_UNKNOWN;
	const struct ts_trace_run *to = NULL;

	for (int i = 0; i < t->trace->runs; i++) {
		const struct ts_trace_run *r = &t->trace->run[i];

		if (back && r->first_step < here)
			to = r;
		else if (!back && r->first_step > here && !to)
			to = r;
	}
	if (!to) {
		ts_view_say(t->view.env,
			t->trace->runs == 0 ? "runs are not recorded" : "no more runs");
		return TS_EFFECT_BELL;
	}
	ts_view_say(t->view.env, "run %lld%s%s", (long long)to->run, to->name[0] ? ": " : "",
		to->name);
	return trace_go_step(t, to->first_step);
}

/* --- step, class, gap ------------------------------------------------------------------------------ */

enum ts_code
trace_read_jump(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	return ts_trace_jump_read(&t->jump, rd, t->trace, t->cache, &f->job.progress, err);
}

static enum ts_effect
ask_jump(struct trace_view *t, enum ts_trace_goal goal, bool back)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t a, b;

	if (!t->trace->has_parts)
		return TS_EFFECT_BELL;
	ts_span_bucket(&t->span, 0, &a, &b);
	t->jump_wanted = (struct ts_trace_jump){.goal = goal,
		.back = back,
		.ipu = trace_ipu(t),
		.at = t->trace->from + t->span.cursor,
		.class_of = row ? row->class_of : TS_CLASS_COMPUTE,
		.least = b - a}; /* a gap that is a column wide: one that is seen */
	/* the next jump goes on from where the last one leads, wherever the list is */
	if (goal == TS_GOAL_CLASS && t->jump_class >= 0 && t->jump_at == t->jump_wanted.at)
		t->jump_wanted.class_of = (enum ts_step_class)t->jump_class;
	t->jump_asked = true;
	t->asked[ASK_JUMP].asked = false;
	return TS_EFFECT_RECALC;
}

void
trace_ask_jump(struct trace_view *t)
{
	struct trace_fetch *f;

	if (!t->jump_asked)
		return;
	f = trace_begin(t, ASK_JUMP, (struct trace_question){.at = t->jump_wanted.at});
	if (!f)
		return;
	t->jump_asked = false;
	f->jump = t->jump_wanted;
	f->cache = t->view.env->cache;
	trace_send(t, ASK_JUMP, f);
}

enum ts_effect
trace_take_jump(struct trace_view *t, struct trace_fetch *f)
{
	const struct ts_trace_jump *j = &f->jump;
	char length[TS_FMT_MAX];

	if (f->fetch.code && f->fetch.code != TS_E_DAMAGED) {
		ts_view_say_error(t->view.env, "jump: %s", f->fetch.err.msg);
		return TS_EFFECT_REPAINT;
	}
	if (j->ipu != trace_ipu(t)) /* it is another lane meanwhile */
		return TS_EFFECT_NONE;
	if (!j->found) {
		ts_view_say(t->view.env, "no %s %s%s%s%s", j->back ? "earlier" : "further",
			j->goal == TS_GOAL_CLASS ? ts_step_class_label(j->class_of) : "",
			j->goal == TS_GOAL_CLASS ? " " : "", goals[j->goal],
			j->goal == TS_GOAL_GAP ? " as wide as a column (zoom in for smaller ones)"
					       : "");
		return (enum ts_effect)(TS_EFFECT_BELL | TS_EFFECT_REPAINT);
	}
	if (j->goal == TS_GOAL_GAP)
		ts_view_say(t->view.env, "gap: ipu %lld runs nothing for %s%s", (long long)j->ipu,
			trace_fmt_length(t, length, j->end - j->start),
			trace_in_time(t) ? "" : " cycles");
	t->jump_class = j->goal == TS_GOAL_CLASS ? (int)j->class_of : -1;
	t->jump_at = j->start;
	return trace_go_time(t, j->start);
}

/* --- the longest steps in sight ---------------------------------------------------------------------- */

enum ts_code
trace_read_longest(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;
	int64_t step[TS_TRACE_LONGEST];
	enum ts_code code, bad;

	t->longest = ts_alloc(TS_TRACE_LONGEST, sizeof(*t->longest));
	if (!t->longest)
		return ts_err_nomem(err);
	code = ts_trace_longest_read(t->longest, &t->longest_n, TS_TRACE_LONGEST, rd, t->trace,
		t->q.ipu, t->q.from, t->q.to, t->cache, &f->job.progress, err);
	for (int i = 0; i < t->longest_n; i++)
		step[i] = t->longest[i].step;
	if (code && code != TS_E_DAMAGED)
		return code;
	bad = ts_trace_rows_read(&t->window, rd, t->trace, t->q.ipu, step, t->longest_n,
		code ? NULL : err);
	return code ? code : bad;
}

enum ts_code
trace_read_first(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	t->longest = ts_alloc(1, sizeof(*t->longest));
	if (!t->longest)
		return ts_err_nomem(err);
	return ts_trace_longest_first(t->longest, &t->longest_n, rd, t->trace, t->q.ipu, t->q.from,
		t->q.to, err);
}

/* What the longest steps are asked of: what is in sight. */
static struct trace_question
in_sight(const struct trace_view *t)
{
	return (struct trace_question){.ipu = trace_ipu(t),
		.from = t->trace->from + t->span.from,
		.to = t->trace->from + t->span.to,
		.asked = true};
}

static bool
is_in_sight(const struct trace_view *t, int64_t ipu, int64_t from, int64_t to)
{
	struct trace_question q = in_sight(t);

	return ipu == q.ipu && from == q.from && to == q.to;
}

static bool
longest_current(const struct trace_view *t)
{
	const struct trace_longest *l = &t->longest;

	return l->known && is_in_sight(t, l->ipu, l->from, l->to);
}

/* Did the cursor go to the first of those in sight before they are there? */
static bool
went_to_first(const struct trace_view *t)
{
	const struct trace_question *q = &t->longest.first;

	return q->asked && is_in_sight(t, q->ipu, q->from, q->to);
}

static void
ask_of_sight(struct trace_view *t, enum trace_kind kind)
{
	struct trace_fetch *f = trace_begin(t, kind, in_sight(t));

	if (!f)
		return;
	f->cache = t->view.env->cache;
	trace_send(t, kind, f);
}

void
trace_ask_longest(struct trace_view *t)
{
	if (t->trace->has_parts && !longest_current(t))
		ask_of_sight(t, ASK_LONGEST);
}

void
trace_ask_for_jump(struct trace_view *t)
{
	if (t->longest.go == 0 && !went_to_first(t))
		return;
	if (!went_to_first(t) && !longest_current(t) && trace_sections(t) & 1u << TS_SECTION_LANES)
		ask_of_sight(t, ASK_FIRST);
	trace_ask_longest(t);
}

static enum ts_effect
go_to_long(struct trace_view *t, int rank, const struct ts_trace_long *to)
{
	char length[TS_FMT_MAX];

	ts_view_say(t->view.env, "number %d of the longest in sight: %s%s", rank + 1,
		trace_fmt_length(t, length, to->inside), trace_in_time(t) ? "" : " cycles");
	return trace_go_step(t, to->step);
}

static enum ts_effect
go_longest(struct trace_view *t, int rank)
{
	struct trace_longest *l = &t->longest;

	if (rank < 0 || rank >= l->n) {
		ts_view_say(t->view.env,
			rank < 0	    ? "this is the longest step in sight"
				: l->n == 0 ? "no step in sight has a length"
					    : "no more are kept than the %d longest",
			l->n);
		return TS_EFFECT_BELL;
	}
	l->rank = rank;
	return go_to_long(t, rank, &l->of[rank]);
}

static enum ts_effect
jump_longest(struct trace_view *t, bool back)
{
	static const enum trace_kind kinds[] = {ASK_LONGEST, ASK_FIRST};

	if (!t->trace->has_parts)
		return TS_EFFECT_BELL;
	if (longest_current(t))
		return go_longest(t, t->longest.rank + (back ? -1 : 1));
	if (back && went_to_first(t) && t->longest.go <= 1) {
		t->longest.go = 0;
		return go_longest(t, -1);
	}
	/* keys that come before the steps do count: from the first, or from nowhere */
	t->longest.go = (int)ts_max_i64(t->longest.go, went_to_first(t)) + (back ? -1 : 1);
	t->longest.go = (int)ts_max_i64(t->longest.go, 1);
	for (size_t i = 0; i < TS_COUNT(kinds); i++) /* stopped ones are asked again */
		t->asked[kinds[i]].asked &= t->fetch[kinds[i]] != NULL;
	ts_view_say(t->view.env, "looking for the longest steps in sight (C-c stops)");
	return TS_EFFECT_RECALC;
}

enum ts_effect
trace_take_first(struct trace_view *t, struct trace_fetch *f)
{
	/* all of them were there before, or it is another range: then the others say it, or what is wrong */
	if (f->fetch.code || f->longest_n == 0 || t->longest.go == 0 || longest_current(t) ||
		!is_in_sight(t, f->q.ipu, f->q.from, f->q.to))
		return TS_EFFECT_NONE;
	t->longest.go = t->longest.go > 1 ? t->longest.go : 0;
	t->longest.first = f->q;
	return (enum ts_effect)(go_to_long(t, 0, f->longest) | TS_EFFECT_REPAINT);
}

enum ts_effect
trace_take_longest(struct trace_view *t, struct trace_fetch *f)
{
	struct trace_longest *l = &t->longest;
	int go = l->go;

	if (f->fetch.code && f->fetch.code != TS_E_DAMAGED) {
		l->go = 0;
		snprintf(l->why, sizeof(l->why), "%.190s", f->fetch.err.msg);
		if (f->fetch.code != TS_E_CANCELLED)
			ts_view_say_error(t->view.env, "longest steps: %s", f->fetch.err.msg);
		return TS_EFFECT_REPAINT;
	}
	trace_drop_longest(t);
	*l = (struct trace_longest){.known = true,
		.ipu = f->q.ipu,
		.from = f->q.from,
		.to = f->q.to,
		.n = f->longest_n,
		.of = f->longest,
		.rows = f->window,
		.rank = -1,
		.number = l->number + 1,
		.first = l->first};
	f->longest = NULL;
	f->window = (struct ts_trace_window){0};
	if (!longest_current(t)) {
		l->go = go;
		return TS_EFFECT_REPAINT;
	}
	l->rank = went_to_first(t) ? 0 : -1;
	l->first.asked = false; /* from now on `rank` says it */
	return go == 0 ? TS_EFFECT_REPAINT
		       : (enum ts_effect)(go_longest(t, go - 1) | TS_EFFECT_REPAINT);
}

void
trace_drop_longest(struct trace_view *t)
{
	free(t->longest.of);
	ts_trace_window_fini(&t->longest.rows);
	t->longest.of = NULL;
	t->longest.known = false;
	t->longest.n = 0;
}

/* --- the command ------------------------------------------------------------------------------------ */

enum ts_effect
trace_jump_command(struct trace_view *t, const struct ts_call *call)
{
	const char *to = ts_call_arg(call, 0);
	bool back = call->cmd == TS_CMD_JUMP_BACK;

	if (to && strcmp(to, "run") == 0)
		return jump_run(t, back);
	if (to && strcmp(to, "longest") == 0)
		return jump_longest(t, back);
	for (size_t i = 0; to && i < TS_COUNT(goals); i++)
		if (strcmp(to, goals[i]) == 0)
			return ask_jump(t, (enum ts_trace_goal)i, back);
	ts_view_say_error(t->view.env, "jump to step, run, class, gap or longest");
	return TS_EFFECT_BELL;
}
