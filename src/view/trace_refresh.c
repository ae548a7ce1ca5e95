/* SPDX-License-Identifier: MIT */
/*
 * trace_refresh - the index has grown: the trace is opened again, and put in the place of the old one.
 *
 * What is on the screen stays: the old charts until the exact ones come, the same cycles, the same IPU,
 * the same step on the same line. Only the numbers of rows change, where they were estimates.
 */
#include "config.h"

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"

unsigned
trace_sections(const struct trace_view *t)
{
	unsigned bits = 0;
	size_t size;

	for (int s = TS_SECTION_STEPS; s <= TS_SECTION_LANES; s++)
		if (ts_index_section(t->view.env->index, (enum ts_section)s, &size))
			bits |= 1u << s;
	return bits;
}

int64_t
trace_ref_row(const struct trace_view *t)
{
	const struct ts_trace_row *row = t->trace ? trace_row(t, t->list.cursor) : NULL;

	return row && t->trace->gaps ? row->at : TS_UNKNOWN;
}

/* Rows had estimated numbers: now they have their own. */
static void
number_rows(struct trace_view *t, const struct trace_fetch *f)
{
	struct ts_trace_window *w = &t->window;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t by, cursor;
	int i = 0;

	t->fetch[ASK_WINDOW] = NULL;
	t->asked[ASK_WINDOW].asked = false;
	t->row_at = TS_UNKNOWN;
	while (f->found && i < w->count && w->row[i].at != f->ref_at)
		i++;
	if (f->found && i < w->count) {
		by = f->row - (w->first_row + i);
		w->first_row += by;
		cursor = t->list.cursor + by;
		ts_list_set_count(&t->list, ts_max_i64(t->list.count, t->trace->rows));
		ts_list_follow(&t->list, cursor);
	} else {
		if (row && row->step != TS_UNKNOWN) {
			t->goal = row->step;
			t->follow = FOLLOW_STEP;
		}
		w->count = 0;
	}
}

static void
keep_cycles(struct trace_view *t, const struct ts_trace *old)
{
	bool whole = ts_span_whole(&t->span);
	int64_t by = old->from - t->trace->from;
	int64_t from = t->span.from + by, to = t->span.to + by, cursor = t->span.cursor + by;

	ts_span_set_count(&t->span, t->trace->has_parts ? t->trace->to - t->trace->from : 0);
	if (!whole)
		ts_span_show(&t->span, from, to);
	ts_span_go(&t->span, cursor);
}

enum ts_effect
trace_refresh(struct trace_view *t, struct trace_fetch *f)
{
	struct ts_trace *old = t->trace;
	int64_t ipu = trace_ipu(t);

	t->trace = f->opened;
	f->opened = NULL;
	t->sections = f->sections;
	for (int i = 0; i < t->trace->ipus; i++)
		if (t->trace->ipu[i] == ipu)
			t->ipu = i;
	t->ipu = (int)ts_clamp_i64(t->ipu, 0, ts_max_i64(t->trace->ipus - 1, 0));
	trace_lanes_begin(t);
	if (old->has_parts != t->trace->has_parts)
		trace_lanes_state(t);
	keep_cycles(t, old);
	if (old->gaps && !t->trace->gaps)
		number_rows(t, f);
	ts_list_set_count(&t->list, t->trace->rows);
	ts_trace_release(old);
	/* the same questions, which get other answers now */
	t->asked[ASK_CHART].asked = t->asked[ASK_OVERVIEW].asked = false;
	t->asked[ASK_LOCATE].asked = false;
	t->fetch[ASK_LOCATE] = NULL;
	trace_arrange(t);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}
