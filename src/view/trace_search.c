/* SPDX-License-Identifier: MIT */
/*
 * trace_search - hits of a name: begin, tell, go to the next.
 *
 * Hits are counted over all steps; their share of the cycles is of the selected IPU and comes later. The
 * search goes round, and says so when it does.
 *
 * Many steps are looked through in slices, from that of the cursor on in the direction of the search, so
 * that the next hit is there long before all of them are; what was found so far is shown. Behind the first
 * one two workers have a slice each; answers are taken in their order.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum { SLICE_ROWS = 1 << 19, SLICES = 64 };

__extension__ typedef __int128 i128;

/* Row ids of the list, where they rise with the steps; 0 = not so. */
static int64_t
span_of(const struct ts_trace *trace)
{
	uint64_t span = (uint64_t)trace->step.last - (uint64_t)trace->step.first;

	return trace->step.range != TS_RANGE_ROWID || trace->forwards ||
			trace->step.first > trace->step.last || span >= INT64_MAX
		? 0
		: (int64_t)span + 1;
}

void
trace_search_slice(struct trace_view *t, struct trace_fetch *f)
{
	int64_t span = span_of(t->trace), first = t->trace->step.first, slice = f->q.at, at;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int i;

	snprintf(f->needle, sizeof(f->needle), "%s", t->needle);
	f->cache = t->view.env->cache;
	f->called = t->called ? ts_program_called_hold(t->called) : NULL;
	if (slice == 0) {
		at = row ? row->at : ts_trace_row_at(t->trace, t->list.cursor);
		t->slices = (int)ts_clamp_i64(span / SLICE_ROWS, 1, SLICES);
		t->first_slice = 0;
		if (!t->from_begin && span > 0 && at >= first && at - first < span)
			t->first_slice = (int)((i128)(at - first) * t->slices / span);
	}
	i = (t->first_slice + t->direction * (int)slice + t->slices) % t->slices;
	f->slices = t->slices;
	f->from = first + (int64_t)((i128)span * i / t->slices);
	f->to = first + (int64_t)((i128)span * (i + 1) / t->slices);
}

/* Slices from that of the cursor to the end in the direction of the search. */
static int
slices_ahead(const struct trace_view *t)
{
	return t->direction > 0 ? t->slices - t->first_slice : t->first_slice + 1;
}

/* Is there a hit ahead, else one behind where the search goes round, and nothing before it that was not looked at? */
static bool
may_jump(const struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t here = !t->from_begin && row && row->step != TS_UNKNOWN ? row->step
									: t->trace->first_step;

	if (ts_trace_hit_next(&t->hits, here - t->direction, t->direction) != TS_UNKNOWN)
		return true;
	return t->hits.count > (trace_searched(t) ? 0 : t->hits_ahead);
}

static void
say_none(const struct trace_view *t)
{
	if (strncmp(t->needle, "set:", 4) == 0)
		ts_view_say_error(t->view.env, "no step runs compute set %s", t->needle + 4);
	else if (strncmp(t->needle, "program:", 8) == 0)
		ts_view_say_error(t->view.env, "no step runs program %s%s", t->needle + 8,
			t->hits.calls ? ", or what it calls" : "");
	else
		ts_view_say_error(t->view.env, "no step has \"%s\" in its name", t->needle);
}

static void
take_hits(struct ts_trace_hits *to, struct ts_trace_hits *from)
{
	ts_trace_hits_fini(to);
	*to = *from;
	*from = (struct ts_trace_hits){0};
}

/* Those of the next slice. */
static void
add_slice(struct trace_view *t, struct ts_trace_hits *hits)
{
	if (t->searched++ > 0)
		ts_trace_hits_add(&t->hits, hits);
	else
		take_hits(&t->hits, hits);
	ts_trace_hits_fini(hits);
	if (t->searched <= slices_ahead(t))
		t->hits_ahead = t->hits.count;
}

enum ts_effect
trace_search_take(struct trace_view *t, struct trace_fetch *f)
{
	if (f->q.search != t->search || !t->needle[0]) /* another search, or it has failed */
		return TS_EFFECT_NONE;
	if (f->fetch.code && !(f->fetch.code == TS_E_DAMAGED && f->hits.bit)) {
		ts_view_say_error(t->view.env, "search: %s", f->fetch.err.msg);
		t->needle[0] = '\0';
		t->has_hits = false;
		return TS_EFFECT_REPAINT;
	}
	if (f->q.at != t->searched) {
		take_hits(&t->early, &f->hits);
		return TS_EFFECT_NONE;
	}
	add_slice(t, &f->hits);
	if (t->early.bit)
		add_slice(t, &t->early);
	if (!t->called) {
		t->called = f->called;
		f->called = NULL;
	}
	t->has_hits = true;
	if (trace_searched(t) && t->hits.count == 0) {
		say_none(t);
		return TS_EFFECT_REPAINT | TS_EFFECT_BELL;
	}
	if (trace_searched(t))
		trace_say_hits(t);
	if (t->jump && may_jump(t))
		return trace_search_step(t, t->direction) | TS_EFFECT_REPAINT;
	return TS_EFFECT_RECALC | (trace_searched(t) ? TS_EFFECT_REPAINT : TS_EFFECT_LATER);
}

void
trace_search_begin(struct trace_view *t, const char *needle, int direction)
{
	for (enum trace_kind kind = ASK_SEARCH; kind <= ASK_SEARCH_BESIDE; kind++)
		if (t->fetch[kind]) /* what follows may be asked much later, or never */
			ts_cancel_set(&t->fetch[kind]->job.cancel);
	snprintf(t->needle, sizeof(t->needle), "%s", needle);
	t->direction = direction;
	t->search++;
	t->jump = true;
	t->from_begin = false;
	trace_search_drop(t);
}

void
trace_search_drop(struct trace_view *t)
{
	ts_trace_hits_fini(&t->hits);
	ts_trace_hits_fini(&t->early);
	ts_program_called_close(t->called);
	t->called = NULL;
	t->has_hits = t->has_cost = false;
	t->searched = 0;
	t->slices = 1;
}

/* Whose steps the hits are, where that is not only what was searched for. */
static void
say_called(const struct trace_view *t, char *out, size_t size)
{
	long long program = ts_trace_needle_program(t->needle);

	*out = '\0';
	if (t->hits.called > 0 && t->hits.called < t->hits.count)
		snprintf(out, size, " of program %lld and what it calls", program);
	else if (t->hits.called > 0)
		snprintf(out, size, " of what program %lld calls", program);
}

/* "hit 2 of 12" where a hit is gone to, else "12 hits": as far as they are known. */
static void
say_count(const struct trace_view *t, int64_t step, char *out, size_t size)
{
	char count[TS_FMT_MAX], number[TS_FMT_MAX];

	ts_fmt_count(count, t->hits.count);
	if (trace_searched(t) && step != TS_UNKNOWN && ts_trace_hit(&t->hits, step))
		snprintf(out, size, "hit %s of %s",
			ts_fmt_count(number, ts_trace_hit_number(&t->hits, step)), count);
	else
		snprintf(out, size, "%s %s%s", count, t->hits.count == 1 ? "hit" : "hits",
			trace_searched(t) ? "" : " so far");
}

/* What the search found, for the bottom line; `round`: it went on from the other end. */
static void
say_hits(struct trace_view *t, const char *round)
{
	char count[2 * TS_FMT_MAX + 16], share[TS_FMT_MAX], of_run[TS_FMT_MAX + 48] = "", of[64];
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t step = trace_goes_to_step(t) ? t->goal : row ? row->step : TS_UNKNOWN;
	int run = ts_trace_run_of(t->trace, step);

	say_count(t, step, count, sizeof(count));
	say_called(t, of, sizeof(of));
	if (!t->has_cost) {
		ts_view_say(t->view.env, "%s%s%s", count, of, round);
		return;
	}
	if (run >= 0 && run < t->cost.runs) {
		ts_fmt_percent(share, (double)t->cost.run[run].hits, (double)t->cost.run[run].all);
		snprintf(of_run, sizeof(of_run), ", %s of run %lld", share,
			(long long)t->trace->run[run].run);
	}
	ts_fmt_percent(share, (double)t->cost.hits, (double)t->cost.all);
	ts_view_say(t->view.env, "%s%s%s, %s of all cycles%s on ipu %lld", count, of, round, share,
		of_run, (long long)t->cost.ipu);
}

void
trace_say_hits(struct trace_view *t)
{
	say_hits(t, "");
}

enum ts_effect
trace_search_step(struct trace_view *t, int direction)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t here = row && row->step != TS_UNKNOWN ? row->step : t->trace->first_step - 1, next;
	const char *round = "";
	bool jump = t->jump;
	enum ts_effect effect;

	if (jump && t->from_begin)
		here = t->trace->first_step;
	else if (trace_goes_to_step(t))
		here = t->goal;
	if (jump) /* a hit under the cursor counts */
		here -= direction;
	t->jump = false;
	next = ts_trace_hit_next(&t->hits, here, direction);
	if (next == TS_UNKNOWN && !jump && !trace_searched(t)) {
		ts_view_say(t->view.env, "still searching");
		return TS_EFFECT_NONE;
	}
	if (next == TS_UNKNOWN) {
		next = ts_trace_hit_next(&t->hits,
			direction > 0 ? t->trace->first_step - 1 : t->trace->last_step + 1,
			direction);
		round = direction > 0 ? ", went on from the begin" : ", went on from the end";
	}
	if (next == TS_UNKNOWN) {
		say_none(t);
		return (enum ts_effect)(TS_EFFECT_BELL | TS_EFFECT_REPAINT);
	}
	effect = trace_land_on_step(t, next);
	say_hits(t, round);
	return effect;
}

/* --- for other views ------------------------------------------------------------------------------ */

void
trace_object_of(struct ts_at_cursor *out, const struct ts_trace_row *row)
{
	out->step = row->step;
	out->program = row->program;
	out->compute_set = row->compute_set;
}

/* The step under the cursor; a tab that says another one is about that alone. */
void
trace_object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct trace_view *t = (struct trace_view *)v;
	const struct ts_trace_row *row = t->trace ? trace_row(t, t->list.cursor) : NULL;
	struct ts_at_cursor of_tab;

	if (!t->trace)
		return;
	out->ipu = trace_ipu(t);
	if (row)
		trace_object_of(out, row);
	if (t->focus != TRACE_TABS)
		return;
	ts_tabs_object(&t->tabs, &of_tab);
	if ((of_tab.step >= 0 && of_tab.step != out->step) ||
		(of_tab.compute_set >= 0 && of_tab.compute_set != out->compute_set))
		out->step = out->program = out->compute_set = TS_UNKNOWN;
	ts_at_cursor_add(out, &of_tab);
}
