/* SPDX-License-Identifier: MIT */
/*
 * trace_marks - steps that are marked one by one, a range of cycles, and what the marked steps come to.
 *
 * Their sum is of the selected IPU; it is asked for again when another step is marked or another IPU is selected.
 * Steps that run at the same time are not added to time: it says cycles of steps.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

static int
place_of(const struct trace_marks *m, int64_t step)
{
	for (int i = 0; i < m->n; i++)
		if (m->step[i] == step)
			return i;
	return -1;
}

bool
trace_is_marked(const struct trace_view *t, int64_t step)
{
	return place_of(&t->marks, step) >= 0;
}

enum ts_effect
trace_mark(struct trace_view *t, const struct ts_call *call)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	(void)call;
	return trace_mark_step(t, row ? row->step : TS_UNKNOWN);
}

enum ts_effect
trace_mark_step(struct trace_view *t, int64_t step)
{
	struct trace_marks *m = &t->marks;
	int i = place_of(m, step);

	if (step == TS_UNKNOWN)
		return TS_EFFECT_BELL;
	if (i >= 0) {
		m->step[i] = m->step[--m->n];
	} else if (m->n < TRACE_MARKS) {
		m->step[m->n++] = step;
	} else {
		ts_view_say(t->view.env, "%d steps are marked: that is all there is room for",
			TRACE_MARKS);
		return TS_EFFECT_BELL;
	}
	m->version++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);
}

enum ts_effect
trace_range(struct trace_view *t, const struct ts_call *call)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	struct trace_marks *m = &t->marks;
	int64_t at = t->trace->from + t->span.cursor, begin = m->begin;
	char length[TS_FMT_MAX];

	(void)call;
	if (!t->trace->has_parts)
		return TS_EFFECT_BELL;
	if (!m->began) {
		m->began = true;
		m->begin = at;
		ts_view_say(t->view.env, "a range begins here; v again at its end");
		return TS_EFFECT_REPAINT;
	}
	m->began = false;
	m->range = true;
	m->from = ts_min_i64(begin, at);
	m->to = ts_max_i64(begin, at) + 1;
	if (row && row->here &&
		row->start <= m->to - 1) /* the step in which it ends belongs to it */
		m->to = ts_max_i64(m->to, row->end);
	ts_view_say(t->view.env, "a range of %s%s (Z shows it, :export FILE writes it)",
		trace_fmt_length(t, length, m->to - m->from), trace_in_time(t) ? "" : " cycles");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

enum ts_effect
trace_clear_marks(struct trace_view *t, const struct ts_call *call)
{
	uint64_t version = t->marks.version + 1;

	(void)call;
	if (t->marks.n == 0 && !t->marks.began && !t->marks.range)
		return TS_EFFECT_UNKNOWN; /* it is for the selected tiles */
	t->marks = (struct trace_marks){.version = version};
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);
}

/* The range, else from the first to the last of the marked steps. */
enum ts_effect
trace_zoom_marks(struct trace_view *t, const struct ts_call *call)
{
	const struct trace_marks *m = &t->marks;
	int64_t from = m->from, to = m->to;

	(void)call;
	if (!m->range) {
		from = m->first;
		to = m->last;
	}
	if (to <= from) {
		ts_view_say(t->view.env, "nothing is marked: m marks a step, v begins a range");
		return TS_EFFECT_BELL;
	}
	ts_span_show(&t->span, from - t->trace->from, to - t->trace->from);
	return trace_go_time(t, from);
}

/* --- in the address ---------------------------------------------------------------------------------- */

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* "5,9-12": the marked steps, rising. False: none are. */
bool
trace_write_marks(const struct trace_view *t, struct ts_strbuf *out)
{
	int64_t step[TRACE_MARKS];
	int n = t->marks.n;

	memcpy(step, t->marks.step, sizeof(step));
	qsort(step, (size_t)n, sizeof(step[0]), by_number);
	for (int i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && step[last + 1] == step[last] + 1;)
			last++;
		ts_strbuf_printf(out, "%s%lld", i > 0 ? "," : "", (long long)step[i]);
		if (last > i)
			ts_strbuf_printf(out, "-%lld", (long long)step[last]);
	}
	return n > 0;
}

static bool
take_step(const char **s, const struct ts_trace *trace, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	*out = strtoll(*s, &end, 10);
	*s = end;
	return !errno && *out >= trace->first_step && *out <= trace->last_step;
}

/* Mark the steps of such a list instead of those that are marked. False: it is none, or of too many. */
bool
trace_read_marks(struct trace_view *t, const char *list)
{
	struct trace_marks marks = t->marks;
	int64_t a, b;

	marks.n = 0;
	do {
		if (!take_step(&list, t->trace, &a))
			return false;
		b = a;
		if (*list == '-' && (list++, !take_step(&list, t->trace, &b)))
			return false;
		if (b < a || b - a >= TRACE_MARKS - marks.n)
			return false;
		for (; a <= b; a++)
			if (place_of(&marks, a) < 0)
				marks.step[marks.n++] = a;
	} while (*list++ == ',');
	if (list[-1])
		return false;
	marks.version++;
	marks.known = false;
	t->marks = marks;
	return true;
}

/* [from, to) is the range, as far as there are cycles. False: there are none in it. */
bool
trace_set_range(struct trace_view *t, int64_t from, int64_t to)
{
	from = ts_max_i64(from, t->trace->from);
	to = ts_min_i64(to, t->trace->to);
	if (from >= to)
		return false;
	t->marks.began = false;
	t->marks.range = true;
	t->marks.from = from;
	t->marks.to = to;
	return true;
}

/* --- what they come to ------------------------------------------------------------------------------ */

enum ts_code
trace_read_marked(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	return ts_trace_rows_read(&t->window, rd, t->trace, t->q.ipu, t->marked, t->marked_n, err);
}

void
trace_ask_marked(struct trace_view *t)
{
	const struct trace_marks *m = &t->marks;
	struct trace_fetch *f;

	if (m->n == 0)
		return;
	f = trace_begin(t, ASK_MARKED,
		(struct trace_question){.ipu = trace_ipu(t), .search = m->version});
	if (!f)
		return;
	memcpy(f->marked, m->step, sizeof(f->marked));
	f->marked_n = m->n;
	trace_send(t, ASK_MARKED, f);
}

enum ts_effect
trace_take_marked(struct trace_view *t, struct trace_fetch *f)
{
	struct trace_marks *m = &t->marks;

	if (f->q.search != m->version || (f->fetch.code && f->fetch.code != TS_E_DAMAGED))
		return TS_EFFECT_NONE;
	m->known = true;
	m->ipu = f->q.ipu;
	m->cycles = m->here = 0;
	m->first = INT64_MAX;
	m->last = INT64_MIN;
	for (int i = 0; i < f->window.count; i++) {
		const struct ts_trace_row *r = &f->window.row[i];

		if (!r->here)
			continue;
		m->here++;
		m->cut |= __builtin_add_overflow(m->cycles, r->cycles, &m->cycles);
		m->first = ts_min_i64(m->first, r->start);
		m->last = ts_max_i64(m->last, r->end);
	}
	return TS_EFFECT_REPAINT;
}

/* "3 marked: 1,234 cycles on ipu 0, 0.1% of all". False: none are. */
static bool
say_marked(const struct trace_view *t, char *out, size_t size)
{
	const struct trace_marks *m = &t->marks;
	char cycles[TS_FMT_MAX], share[TS_FMT_MAX];

	if (m->n == 0)
		return false;
	if (!m->known || m->ipu != trace_ipu(t)) {
		snprintf(out, size, "%d marked: being added up", m->n);
		return true;
	}
	if (m->cut) {
		snprintf(out, size, "%d marked: their cycles do not fit a number", m->n);
		return true;
	}
	snprintf(out, size, "%d marked: %s%s on ipu %lld, %s of all", m->n,
		trace_fmt_length(t, cycles, m->cycles), trace_in_time(t) ? "" : " cycles",
		(long long)m->ipu,
		ts_fmt_percent(share, (double)m->cycles, (double)(t->trace->to - t->trace->from)));
	return true;
}

enum { TOTAL_FROM = 3 /* rows above a pinned total */ };

/* The row of a list in which that stands; empty: there is none. */
struct ts_rect
trace_cut_marked(const struct trace_view *t, struct ts_rect *list)
{
	return ts_rect_cut_bottom(list, t->marks.n > 0 && list->h > TOTAL_FROM);
}

void
trace_draw_marked(const struct trace_view *t, struct ts_canvas *c, struct ts_rect r)
{
	char total[160];

	if (ts_rect_empty(r) || !say_marked(t, total, sizeof(total)))
		return;
	ts_canvas_fill(c, r, TS_ROLE_TOTAL, ' ');
	ts_canvas_text(c, r, 0, 0, TS_ROLE_TOTAL, total);
}

/* In the overview its columns stand out; of one that has only begun, the column. */
void
trace_draw_range_in(struct trace_view *t, struct ts_canvas *c, struct ts_rect strip)
{
	const struct trace_marks *m = &t->marks;
	int64_t first = (m->range ? m->from : m->begin) - t->trace->from;
	int64_t last = m->range ? m->to - 1 - t->trace->from : first;
	int from, to;

	if (!m->range && !m->began)
		return;
	from = ts_span_overview(&t->span, strip.w, first);
	to = ts_span_overview(&t->span, strip.w, last);
	ts_rect_cut_left(&strip, from);
	strip = ts_rect_cut_left(&strip, to - from + 1);
	ts_canvas_overlay(c, strip, TS_ROLE_SELECTION);
	ts_canvas_glyph(c, strip, 0, 0, TS_ROLE_MARK, from < to ? '<' : '|');
	if (from < to)
		ts_canvas_glyph(c, strip, to - from, 0, TS_ROLE_MARK, '>');
}

void
trace_draw_range(struct trace_view *t, struct ts_canvas *c)
{
	const struct trace_marks *m = &t->marks;
	int64_t at[2] = {m->range ? m->from : m->begin, m->to - 1};

	for (int i = 0; i < (m->range ? 2 : m->began); i++)
		ts_chart_cursor(c, t->at.lanes, ts_span_column(&t->span, at[i] - t->trace->from),
			false);
}
