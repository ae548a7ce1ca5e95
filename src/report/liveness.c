/* SPDX-License-Identifier: MIT */
/*
 * liveness - the timeline.
 *
 * It is exact up to TS_LIVENESS_POINTS steps. Beyond that pairs of neighbours are put
 * together, again and again, so that memory is bounded and the highest step of each group keeps its
 * number.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/summary.h"

enum { PROGRESS_ROWS = 8192 };

/* Rows that a relation may have, for progress; 0 = not known. */
static int64_t
rows_of(const struct ts_reader *rd, enum ts_relation relation)
{
	return ts_reach_span(&rd->report->binding[relation].reach);
}

struct point {
	int64_t step, bytes;
	int32_t program;
};

static bool
timeline_room(struct ts_liveness *l)
{
	size_t cap = l->cap ? l->cap * 2 : 1024;
	int64_t *step, *bytes;
	int32_t *program;

	if (l->count < l->cap)
		return true;
	step = ts_resize(l->step, cap, sizeof(*step));
	l->step = step ? step : l->step;
	bytes = ts_resize(l->bytes, cap, sizeof(*bytes));
	l->bytes = bytes ? bytes : l->bytes;
	program = ts_resize(l->program, cap, sizeof(*program));
	l->program = program ? program : l->program;
	if (!step || !bytes || !program)
		return false;
	l->cap = cap;
	return true;
}

static struct point
point_at(const struct ts_liveness *l, size_t i)
{
	return (struct point){l->step[i], l->bytes[i], l->program[i]};
}

static void
set_point(struct ts_liveness *l, size_t i, struct point p)
{
	l->step[i] = p.step;
	l->bytes[i] = p.bytes;
	l->program[i] = p.program;
}

static int
by_step(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static bool
is_sorted(const struct ts_liveness *l)
{
	for (size_t i = 1; i < l->count; i++)
		if (l->step[i - 1] >= l->step[i])
			return false;
	return true;
}

/* Order by step, one row each. Only while every point is one step. */
static enum ts_code
sort_points(struct ts_liveness *l, struct ts_err *err)
{
	struct point *all;
	size_t kept = 0;

	if (is_sorted(l))
		return TS_OK;
	all = ts_alloc(l->count, sizeof(*all));
	if (!all)
		return ts_err_nomem(err);
	for (size_t i = 0; i < l->count; i++)
		all[i] = point_at(l, i);
	qsort(all, l->count, sizeof(*all), by_step);
	for (size_t i = 0; i < l->count; i++)
		if (kept == 0 || l->step[kept - 1] != all[i].step)
			set_point(l, kept++, all[i]);
	l->repeated += (int64_t)(l->count - kept);
	l->count = kept;
	free(all);
	return TS_OK;
}

/* Twice as many steps to a point, half as many points. */
static enum ts_code
halve(struct ts_liveness *l, struct ts_err *err)
{
	size_t pairs = l->count / 2;

	if (!l->sum) {
		l->sum = ts_alloc(l->cap, sizeof(*l->sum));
		if (!l->sum)
			return ts_err_nomem(err);
		for (size_t i = 0; i < l->count; i++)
			l->sum[i] = (double)l->bytes[i];
	}
	for (size_t i = 0; i < pairs; i++) {
		size_t high = l->bytes[2 * i + 1] > l->bytes[2 * i] ? 2 * i + 1 : 2 * i;

		set_point(l, i, point_at(l, high));
		l->sum[i] = l->sum[2 * i] + l->sum[2 * i + 1];
	}
	l->count = pairs;
	l->per *= 2;
	l->last = l->per;
	return TS_OK;
}

/* A step of a timeline that is kept in groups. */
static void
add_to_group(struct ts_liveness *l, struct point p)
{
	size_t i = l->count - 1;

	if (p.step <= l->last_step) {
		l->unsorted++;
		return;
	}
	l->last_step = p.step;
	l->steps++;
	if (l->last == l->per) {
		set_point(l, l->count, p);
		l->sum[l->count++] = (double)p.bytes;
		l->last = 1;
		return;
	}
	l->last++;
	l->sum[i] += (double)p.bytes;
	if (p.bytes > l->bytes[i])
		set_point(l, i, p);
}

static enum ts_code
add_point(struct ts_liveness *l, struct point p, struct ts_err *err)
{
	enum ts_code code;

	if (l->count == TS_LIVENESS_POINTS && l->per == 1) {
		code = sort_points(l, err);
		if (code)
			return code;
		l->steps = (int64_t)l->count;
		l->first_step = l->step[0];
		l->last_step = l->step[l->count - 1];
	}
	if (l->count == TS_LIVENESS_POINTS && l->last == l->per && (code = halve(l, err)))
		return code;
	if (l->per > 1) {
		add_to_group(l, p);
		return TS_OK;
	}
	if (!timeline_room(l))
		return ts_err_nomem(err);
	set_point(l, l->count++, p);
	return TS_OK;
}

enum { L_STEP, L_BYTES, L_PROGRAM, L_COLUMNS };

static bool
read_point(struct point *p, struct ts_rows *rows)
{
	int64_t program;

	p->program = -1;
	if (ts_rows_number(rows, L_STEP, &p->step) != TS_VALUE_OK ||
		ts_rows_number(rows, L_BYTES, &p->bytes) != TS_VALUE_OK)
		return false;
	if (ts_rows_number(rows, L_PROGRAM, &program) == TS_VALUE_OK && program <= INT32_MAX)
		p->program = (int32_t)program;
	return true;
}

static enum ts_code
read_points(struct ts_liveness *l, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LIVENESS_STEP_LIVE_STEP,
					  TS_LIVENESS_STEP_NOT_ALWAYS_LIVE,
					  TS_LIVENESS_STEP_PROGRAM},
		.column_count = L_COLUMNS};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LIVENESS_STEP, &q, err);
	int64_t seen = 0, total = rows_of(rd, TS_LIVENESS_STEP);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct point p;

		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, total);
		if (!read_point(&p, rows))
			l->bad_rows++;
		else if ((code = add_point(l, p, err)))
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* Order, ends and peaks of what was read. */
static enum ts_code
finish_timeline(struct ts_liveness *l, struct ts_err *err)
{
	enum ts_code code;

	if (l->count == 0)
		return TS_OK;
	if (l->per == 1) {
		code = sort_points(l, err);
		if (code)
			return code;
		l->steps = (int64_t)l->count;
		l->first_step = l->step[0];
		l->last_step = l->step[l->count - 1];
	}
	return ts_peaks_find(&l->peaks, l->bytes, l->count, TS_PEAK_SHARE, TS_LIVENESS_PEAKS, err);
}

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM;
}

/* What the device has and what it always needs: unknown where it cannot be read whole. */
static enum ts_code
read_device(struct ts_liveness *l, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tiles tiles;
	struct ts_target target;
	enum ts_code code = ts_tiles_read(&tiles, rd, err);
	int64_t count = code == TS_OK ? tiles.rows : 0; /* broken ones too */
	int64_t bad_rows;

	if (code)
		tiles.always_live = TS_UNKNOWN;
	if (!ends_all(code))
		code = ts_always_live_read(&l->always_live, &bad_rows, &tiles, rd, err);
	if (code)
		l->always_live = TS_UNKNOWN;
	if (!ends_all(code))
		code = ts_target_read(&target, rd, count, ts_step_ipus(rd->report), err);
	if (code == TS_OK) {
		l->replicas = target.replicas > 0 ? target.replicas : 1;
		l->memory_assumed = target.assumed;
		if (target.bytes_per_tile != TS_UNKNOWN && count > 0 &&
			target.bytes_per_tile <= TS_NUMBER_MAX / count)
			l->memory = target.bytes_per_tile * count;
	}
	ts_tiles_fini(&tiles);
	return ends_all(code) ? code : TS_OK;
}

enum ts_code
ts_liveness_read(struct ts_liveness *l, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code, ends;

	*l = (struct ts_liveness){.per = 1,
		.last = 1,
		.first_step = TS_UNKNOWN,
		.last_step = TS_UNKNOWN,
		.always_live = TS_UNKNOWN,
		.memory = TS_UNKNOWN,
		.replicas = 1};
	if (!ts_report_has(rd->report, TS_LIVENESS_STEP))
		return read_points(l, rd, NULL, err);
	ends = read_device(l, rd, err);
	if (ends)
		return ends;
	code = read_points(l, rd, progress, err);
	ends = finish_timeline(l, code ? NULL : err);
	return code ? code : ends;
}

void
ts_liveness_fini(struct ts_liveness *l)
{
	free(l->step);
	free(l->bytes);
	free(l->program);
	free(l->sum);
	ts_peaks_fini(&l->peaks);
	*l = (struct ts_liveness){0};
}

size_t
ts_liveness_find(const struct ts_liveness *l, int64_t step)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->step[middle] < step)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == l->count)
		return l->count ? l->count - 1 : 0;
	if (low > 0 && step - l->step[low - 1] < l->step[low] - step)
		return low - 1;
	return low;
}

void
ts_liveness_range(struct ts_live_range *out, const struct ts_liveness *l, size_t from, size_t to)
{
	double sum = 0;

	*out = (struct ts_live_range){.highest = from, .bytes = l->bytes[from]};
	for (size_t i = from; i < to; i++) {
		if (l->bytes[i] > out->bytes) {
			out->bytes = l->bytes[i];
			out->highest = i;
		}
		sum += l->sum ? l->sum[i] : (double)l->bytes[i];
	}
	out->steps = (int64_t)(to - from) * l->per - (to == l->count ? l->per - l->last : 0);
	out->mean = sum / (double)out->steps;
}

int64_t
ts_liveness_device(const struct ts_liveness *l, int64_t bytes)
{
	return bytes > TS_NUMBER_MAX / l->replicas ? TS_NUMBER_MAX : bytes * l->replicas;
}
