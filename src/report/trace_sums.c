/* SPDX-License-Identifier: MIT */
/*
 * trace_sums - cycles by lane, class and column, in whole numbers until the end.
 *
 * Rows from the report and nodes of the index are added in any order and give the same sums, and
 * these are divided once: so a chart is the same, to the last bit, wherever it comes from. A row that covers
 * columns as a whole is noted at the first and behind the last of them, whatever their number. Sums
 * that do not fit stay at the largest number, which does not depend on the order either.
 *
 * Where there are more columns than cycles every cycle is a column here, and spread at the end.
 */
#include "config.h"

#include <stdlib.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum ts_code
trace_sums_init(struct trace_sums *s, const struct ts_trace_chart *c, struct ts_err *err)
{
	size_t cells;

	*s = (struct trace_sums){.from = c->from, .to = c->to, .lanes = c->lanes};
	s->columns = (int)ts_min_i64(c->columns, c->to - c->from);
	s->scale = (double)s->columns / (double)(c->to - c->from);
	cells = (size_t)s->lanes * TS_CLASS_COUNT * (size_t)s->columns;
	s->edge = ts_alloc((size_t)s->columns + 1, sizeof(*s->edge));
	s->part = ts_alloc(cells, sizeof(*s->part));
	s->whole = ts_alloc(cells, sizeof(*s->whole));
	s->start = ts_alloc((size_t)s->lanes * (size_t)s->columns, sizeof(*s->start));
	if (!s->edge || !s->part || !s->whole || !s->start) {
		trace_sums_fini(s);
		return ts_err_nomem(err);
	}
	for (int x = 0; x < s->columns; x++)
		ts_trace_column(s->from, s->to, s->columns, x, &s->edge[x], &s->edge[x + 1]);
	return TS_OK;
}

void
trace_sums_fini(struct trace_sums *s)
{
	free(s->edge);
	free(s->part);
	free(s->whole);
	free(s->start);
	*s = (struct trace_sums){0};
}

/* The column of a time within the range. */
static int
column_of(const struct trace_sums *s, int64_t cycles)
{
	int x = (int)((double)(cycles - s->from) * s->scale);

	x = x < s->columns ? x : s->columns - 1;
	while (cycles < s->edge[x])
		x--;
	while (cycles >= s->edge[x + 1])
		x++;
	return x;
}

static size_t
cell(const struct trace_sums *s, int lane, int k)
{
	return ((size_t)lane * TS_CLASS_COUNT + (size_t)k) * (size_t)s->columns;
}

void
trace_sums_row(struct trace_sums *s, int lane, int64_t start, int64_t end, enum ts_step_class k)
{
	int64_t from = ts_max_i64(start, s->from), to = ts_min_i64(end, s->to);
	int64_t *part = s->part + cell(s, lane, k), *whole = s->whole + cell(s, lane, k);
	int x, y;

	if (from >= to)
		return;
	x = column_of(s, from);
	if (start >= s->from)
		s->start[(size_t)lane * (size_t)s->columns + (size_t)x] = true;
	if (to <= s->edge[x + 1]) {
		trace_add_to(&part[x], to - from);
		return;
	}
	y = column_of(s, to - 1);
	trace_add_to(&part[x], s->edge[x + 1] - from);
	trace_add_to(&part[y], to - s->edge[y]);
	whole[x + 1]++;
	whole[y]--;
}

void
trace_sums_rows(struct trace_sums *s, int lane, const struct ts_lane_row *row, int n)
{
	int64_t *part = s->part + cell(s, lane, 0), a = 1, b = 0;
	bool *start = s->start + (size_t)lane * (size_t)s->columns;
	int x = 0;

	for (int i = 0; i < n; i++) {
		if (row[i].start >= a && row[i].end <= b) { /* in the column of the one before */
			start[x] = true;
			trace_add_to(&part[(size_t)row[i].class_of * (size_t)s->columns +
					     (size_t)x],
				row[i].end - row[i].start);
			continue;
		}
		trace_sums_row(s, lane, row[i].start, row[i].end, row[i].class_of);
		if (row[i].end <= s->from || row[i].end >= s->to)
			continue;
		x = column_of(s, row[i].end);
		a = s->edge[x];
		b = s->edge[x + 1];
	}
}

int64_t
trace_sums_cut(const struct trace_sums *s, int64_t start, int64_t end)
{
	int x;

	if (start < s->from || end > s->to || start >= s->to)
		return 0;
	x = column_of(s, start);
	return x + 2 <= s->columns && end <= s->edge[x + 2] ? s->edge[x + 1] : 0;
}

bool
trace_sums_node(struct trace_sums *s, int lane, int64_t start, int64_t end, const int64_t *length)
{
	int x;

	if (start < s->from || start >= s->to || end > s->to)
		return false;
	x = column_of(s, start);
	if (end > s->edge[x + 1])
		return false;
	s->start[(size_t)lane * (size_t)s->columns + (size_t)x] = true;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		if (length[k])
			trace_add_to(&s->part[cell(s, lane, k) + (size_t)x], length[k]);
	return true;
}

void
trace_sums_halves(struct trace_sums *s, int lane, int64_t start, const int64_t *length,
	const int64_t *before, bool more)
{
	int x = column_of(s, start);
	bool *begins = s->start + (size_t)lane * (size_t)s->columns + (size_t)x;

	begins[0] = true;
	begins[1] |= more;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		if (length[k]) {
			trace_add_to(&s->part[cell(s, lane, k) + (size_t)x], before[k]);
			trace_add_to(&s->part[cell(s, lane, k) + (size_t)x + 1],
				(int64_t)((uint64_t)length[k] - (uint64_t)before[k]));
		}
}

static void
put_lane(struct ts_trace_chart *c, const struct trace_sums *s, int lane, int k)
{
	double *out = c->share + ((size_t)lane * TS_CLASS_COUNT + (size_t)k) * (size_t)c->columns;
	const int64_t *part = s->part + cell(s, lane, k);
	int64_t a, b;

	for (int i = 0; i < c->columns; i++) {
		int x = i;

		if (s->columns < c->columns) {
			ts_trace_column(c->from, c->to, c->columns, i, &a, &b);
			x = (int)(a - s->from);
		}
		if (part[x])
			out[i] = (double)part[x] / (double)(s->edge[x + 1] - s->edge[x]);
	}
}

static void
put_starts(struct ts_trace_chart *c, const struct trace_sums *s, int lane)
{
	bool *out = c->start + (size_t)lane * (size_t)c->columns;
	int64_t a, b;

	for (int i = 0; i < c->columns; i++) {
		ts_trace_column(c->from, c->to, c->columns, i, &a, &b);
		out[i] = s->start[(size_t)lane * (size_t)s->columns +
			(size_t)(s->columns < c->columns ? (int)(a - s->from) : i)];
	}
}

void
trace_sums_put(struct ts_trace_chart *c, struct trace_sums *s)
{
	for (int lane = 0; lane < s->lanes; lane++) {
		for (int k = 0; k < TS_CLASS_COUNT; k++) {
			int64_t *part = s->part + cell(s, lane, k);
			const int64_t *whole = s->whole + cell(s, lane, k);
			int64_t covering = 0, v;

			for (int x = 0; x < s->columns; x++) {
				covering += whole[x];
				if (covering == 0)
					continue;
				if (__builtin_mul_overflow(covering, s->edge[x + 1] - s->edge[x],
					    &v))
					v = INT64_MAX;
				trace_add_to(&part[x], v);
			}
			put_lane(c, s, lane, k);
		}
		put_starts(c, s, lane);
	}
}
