/* SPDX-License-Identifier: MIT */
/*
 * trace_search - hits of a name: begin, tell, go to the next.
 *
 * Hits are counted over all steps; their share of the cycles is of the selected IPU and comes later. The
 * search goes round, and says so when it does.
 */
#include "config.h"

#include <stdio.h>

#include "trace_internal.h"

void
trace_search_begin(struct trace_view *t, const char *needle, int direction)
{
	snprintf(t->needle, sizeof(t->needle), "%s", needle);
	t->direction = direction;
	t->search++;
	t->jump = true;
	ts_trace_hits_fini(&t->hits);
	t->has_hits = t->has_cost = false;
}

/* What the search found, for the bottom line. */
void
trace_say_hits(struct trace_view *t)
{
	char count[TS_FMT_MAX], share[TS_FMT_MAX], of_run[TS_FMT_MAX + 48] = "";
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int run = row ? ts_trace_run_of(t->trace, row->step) : -1;

	ts_fmt_count(count, t->hits.count);
	if (!t->has_cost) {
		ts_view_say(t->view.env, "%s %s", count, t->hits.count == 1 ? "hit" : "hits");
		return;
	}
	if (run >= 0 && run < t->cost.runs) {
		ts_fmt_percent(share, (double)t->cost.run[run].hits, (double)t->cost.run[run].all);
		snprintf(of_run, sizeof(of_run), ", %s of run %lld", share,
			(long long)t->trace->run[run].run);
	}
	ts_fmt_percent(share, (double)t->cost.hits, (double)t->cost.all);
	ts_view_say(t->view.env, "%s %s, %s of all cycles%s on ipu %lld", count,
		t->hits.count == 1 ? "hit" : "hits", share, of_run, (long long)t->cost.ipu);
}

enum ts_effect
trace_search_step(struct trace_view *t, int direction)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t here = row && row->step != TS_UNKNOWN ? row->step : t->trace->first_step - 1, next;

	if (t->follow == FOLLOW_STEP)
		here = t->goal;
	if (t->jump) /* a hit under the cursor counts */
		here -= direction;
	t->jump = false;
	next = ts_trace_hit_next(&t->hits, here, direction);
	if (next == TS_UNKNOWN) {
		next = ts_trace_hit_next(&t->hits,
			direction > 0 ? t->trace->first_step - 1 : t->trace->last_step + 1,
			direction);
		if (next != TS_UNKNOWN)
			ts_view_say(t->view.env, "the search went on from the %s",
				direction > 0 ? "begin" : "end");
	}
	if (next == TS_UNKNOWN)
		return TS_EFFECT_BELL;
	t->goal = next;
	t->follow = FOLLOW_STEP;
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT | TS_EFFECT_SELECT;
}
