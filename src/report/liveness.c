/* SPDX-License-Identifier: MIT */
/*
 * liveness - the timeline.
 *
 * It is exact up to TS_LIVENESS_POINTS steps. Beyond that pairs of neighbours are put
 * together, again and again, so that memory is bounded and the highest step of each group keeps its
 * number. A pyramid over the points (64 to a node) answers what a column of a chart shows.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files.h"
#include "tilescope/report/index.h"
#include "tilescope/report/index_liveness.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/summary.h"

#include "liveness_internal.h"

__extension__ typedef unsigned __int128 u128;

enum { PROGRESS_ROWS = 8192, NODE_BITS = 6, LEVELS = 11 };
_Static_assert(1 << NODE_BITS == TS_LIVENESS_NODE, "bits of a node");

static void
add_sum(struct ts_live_sum *to, struct ts_live_sum v)
{
	u128 sum = ((u128)to->high << 64 | to->low) + ((u128)v.high << 64 | v.low);

	to->low = (uint64_t)sum;
	to->high = (uint64_t)(sum >> 64);
}

static struct ts_live_sum
sum_at(const struct ts_liveness *l, size_t i)
{
	return l->sum ? l->sum[i] : (struct ts_live_sum){(uint64_t)l->bytes[i], 0};
}

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

	l->sorted = l->count;
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
	l->count = l->sorted = kept;
	free(all);
	return TS_OK;
}

/* What a group has beside its highest step. */
static enum ts_code
begin_groups(struct ts_liveness *l, struct ts_err *err)
{
	l->sum = ts_alloc(l->cap, sizeof(*l->sum));
	l->least = ts_alloc(l->cap, sizeof(*l->least));
	if (!l->sum || !l->least)
		return ts_err_nomem(err);
	for (size_t i = 0; i < l->count; i++) {
		l->sum[i] = (struct ts_live_sum){(uint64_t)l->bytes[i], 0};
		l->least[i] = l->bytes[i];
	}
	return TS_OK;
}

/* Twice as many steps to a point, half as many points. */
static enum ts_code
halve(struct ts_liveness *l, struct ts_err *err)
{
	size_t pairs = l->count / 2;
	enum ts_code code = l->sum ? TS_OK : begin_groups(l, err);

	if (code)
		return code;
	for (size_t i = 0; i < pairs; i++) {
		size_t high = l->bytes[2 * i + 1] > l->bytes[2 * i] ? 2 * i + 1 : 2 * i;

		set_point(l, i, point_at(l, high));
		l->sum[i] = l->sum[2 * i];
		add_sum(&l->sum[i], l->sum[2 * i + 1]);
		l->least[i] = ts_min_i64(l->least[2 * i], l->least[2 * i + 1]);
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
		l->least[l->count] = p.bytes;
		l->sum[l->count++] = (struct ts_live_sum){(uint64_t)p.bytes, 0};
		l->last = 1;
		return;
	}
	l->last++;
	add_sum(&l->sum[i], (struct ts_live_sum){(uint64_t)p.bytes, 0});
	l->least[i] = ts_min_i64(l->least[i], p.bytes);
	if (p.bytes > l->bytes[i])
		set_point(l, i, p);
}

/*
 * Another row of a step that was put in order before? It takes no point: a table that is nothing but such
 * rows would have to be sorted again for each of them.
 */
static bool
join_sorted(struct ts_liveness *l, struct point p)
{
	size_t low = 0, high = l->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->step[middle] < p.step)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == l->sorted || l->step[low] != p.step)
		return false;
	if (p.bytes > l->bytes[low])
		set_point(l, low, p);
	l->repeated++;
	return true;
}

static enum ts_code
add_point(struct ts_liveness *l, struct point p, struct ts_err *err)
{
	enum ts_code code;

	if (l->per == 1 && l->sorted > 0 && join_sorted(l, p))
		return TS_OK;
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

static void
note_peak(struct ts_peak *p, int64_t step, int64_t bytes)
{
	p->steps++;
	if (bytes > p->bytes || (bytes == p->bytes && step < p->step)) {
		p->bytes = bytes;
		p->step = step;
	}
}

enum ts_code
liveness_add(struct ts_liveness *l, int64_t step, int64_t bytes, int32_t program,
	struct ts_err *err)
{
	l->peak.steps = l->peak.steps == TS_UNKNOWN ? 0 : l->peak.steps;
	note_peak(&l->peak, step, bytes);
	return add_point(l, (struct point){step, bytes, program}, err);
}

static enum ts_code
read_points(struct ts_liveness *l, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LIVENESS_STEP_LIVE_STEP,
					  TS_LIVENESS_STEP_NOT_ALWAYS_LIVE,
					  TS_LIVENESS_STEP_PROGRAM},
		.column_count = L_COLUMNS,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LIVENESS_STEP, &q, err);
	int64_t seen = 0, total = rows_of(rd, TS_LIVENESS_STEP);
	bool there;

	if (code)
		return code;
	l->peak.steps = 0;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct point p;

		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, total);
		if (!read_point(&p, rows)) {
			l->bad_rows++;
			continue;
		}
		if ((code = liveness_add(l, p.step, p.bytes, p.program, err)))
			break;
	}
	ts_rows_close(rows);
	l->peak.bad_rows = l->bad_rows;
	return code;
}

/* --- the pyramid ------------------------------------------------------------------------------ */

static struct ts_live_node
point_node(const struct ts_liveness *l, size_t i)
{
	return (struct ts_live_node){l->bytes[i], l->least ? l->least[i] : l->bytes[i],
		sum_at(l, i), i};
}

/* Behind what `to` has; an empty one has bytes < 0. */
static void
add_node(struct ts_live_node *to, const struct ts_live_node *n)
{
	if (to->bytes < 0) {
		*to = *n;
		return;
	}
	add_sum(&to->sum, n->sum);
	to->least = ts_min_i64(to->least, n->least);
	if (n->bytes > to->bytes) {
		to->bytes = n->bytes;
		to->highest = n->highest;
	}
}

/* Nodes of a level above n nodes or points. */
static size_t
nodes_above(size_t n)
{
	return (n + TS_LIVENESS_NODE - 1) / TS_LIVENESS_NODE;
}

size_t
ts_liveness_nodes(size_t points)
{
	size_t all = 0;

	for (size_t n = points; n > 1; n = nodes_above(n))
		all += nodes_above(n);
	return all;
}

static enum ts_code
make_pyramid(struct ts_liveness *l, struct ts_err *err)
{
	size_t below = l->count, from = 0,
	       at = 0; /* `from`: of the level below, when it is nodes */

	l->node = ts_alloc(ts_liveness_nodes(l->count), sizeof(*l->node));
	if (!l->node)
		return ts_err_nomem(err);
	l->nodes = ts_liveness_nodes(l->count);
	for (int level = 0; below > 1; level++) {
		size_t n = nodes_above(below);

		for (size_t i = 0; i < n; i++)
			l->node[at + i].bytes = -1;
		for (size_t i = 0; i < below; i++) {
			struct ts_live_node one = level > 0 ? l->node[from + i] : point_node(l, i);

			add_node(&l->node[at + i / TS_LIVENESS_NODE], &one);
		}
		from = at;
		at += n;
		below = n;
	}
	return TS_OK;
}

void
ts_liveness_range(struct ts_live_range *out, const struct ts_liveness *l, size_t from, size_t to)
{
	size_t begin[LEVELS] = {0}; /* of the levels above the points */
	struct ts_live_node all = {.bytes = -1};
	int levels = 0;

	for (size_t n = l->count, at = 0; n > 1 && levels < LEVELS; n = nodes_above(n)) {
		begin[levels++] = at;
		at += nodes_above(n);
	}
	for (size_t i = from; i < to;) {
		struct ts_live_node one;
		size_t size = 1;
		int level = 0;

		while (level < levels && i % (size << NODE_BITS) == 0 &&
			(size << NODE_BITS) <= to - i) {
			size <<= NODE_BITS;
			level++;
		}
		one = level > 0 ? l->node[begin[level - 1] + i / size] : point_node(l, i);
		add_node(&all, &one);
		i += size;
	}
	*out = (struct ts_live_range){.highest = (size_t)all.highest,
		.bytes = all.bytes,
		.least = all.least};
	out->steps = (int64_t)(to - from) * l->per - (to == l->count ? l->per - l->last : 0);
	out->mean = (double)((u128)all.sum.high << 64 | all.sum.low) / (double)out->steps;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum ts_code
liveness_finish(struct ts_liveness *l, struct ts_err *err)
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
	code = make_pyramid(l, err);
	if (code)
		return code;
	return ts_peaks_find(&l->peaks, l->bytes, l->count, TS_PEAK_SHARE, TS_LIVENESS_PEAKS, err);
}

bool
liveness_ends_all(enum ts_code code)
{
	return ts_ends_all(code);
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
	if (!liveness_ends_all(code))
		code = ts_always_live_read(&l->always_live, &bad_rows, &tiles, rd, err);
	if (code)
		l->always_live = TS_UNKNOWN;
	if (!liveness_ends_all(code))
		code = ts_target_read(&target, rd, count, ts_step_ipus(rd->report), err);
	if (code == TS_OK) {
		l->replicas = target.replicas > 0 ? target.replicas : 1;
		l->memory_assumed = target.assumed;
		if (target.bytes_per_tile != TS_UNKNOWN && count > 0 &&
			target.bytes_per_tile <= TS_NUMBER_MAX / count)
			l->memory = target.bytes_per_tile * count;
	}
	ts_tiles_fini(&tiles);
	return liveness_ends_all(code) ? code : TS_OK;
}

void
liveness_begin(struct ts_liveness *l)
{
	*l = (struct ts_liveness){.per = 1,
		.last = 1,
		.first_step = TS_UNKNOWN,
		.last_step = TS_UNKNOWN,
		.peak = {TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN, 0},
		.always_live = TS_UNKNOWN,
		.memory = TS_UNKNOWN,
		.replicas = 1};
}

enum ts_code
ts_liveness_read_rows(struct ts_liveness *l, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code, ends;

	liveness_begin(l);
	if (!ts_report_has(rd->report, TS_LIVENESS_STEP))
		return read_points(l, rd, NULL, err);
	ends = read_device(l, rd, err);
	if (ends)
		return ends;
	code = read_points(l, rd, progress, err);
	ends = liveness_finish(l, code ? NULL : err);
	return code ? code : ends;
}

enum ts_code
ts_liveness_read(struct ts_liveness *l, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	liveness_begin(l);
	return ts_liveness_indexed(l, rd->index) ? TS_OK
						 : ts_liveness_read_rows(l, rd, progress, err);
}

void
ts_liveness_fini(struct ts_liveness *l)
{
	if (l->index) {
		ts_index_release(l->index);
		*l = (struct ts_liveness){0};
		return;
	}
	free(l->step);
	free(l->bytes);
	free(l->program);
	free(l->sum);
	free(l->least);
	free(l->node);
	ts_peaks_fini(&l->peaks);
	*l = (struct ts_liveness){0};
}

enum ts_code
ts_peak_read(struct ts_peak *p, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LIVENESS_STEP_LIVE_STEP,
					  TS_LIVENESS_STEP_NOT_ALWAYS_LIVE},
		.column_count = 2,
		.past_damage = true};
	struct ts_liveness indexed;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	liveness_begin(&indexed);
	*p = indexed.peak;
	if (!ts_report_has(rd->report, TS_LIVENESS_STEP))
		return TS_OK;
	if (ts_liveness_indexed(&indexed, rd->index)) {
		*p = indexed.peak;
		ts_liveness_fini(&indexed);
		return TS_OK;
	}
	code = ts_reader_rows(&rows, rd, TS_LIVENESS_STEP, &q, err);
	if (code)
		return code;
	p->steps = 0;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t step, bytes;

		if (ts_rows_number(rows, 0, &step) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &bytes) != TS_VALUE_OK)
			p->bad_rows++;
		else
			note_peak(p, step, bytes);
	}
	ts_rows_close(rows);
	return code;
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
	if (low > 0 &&
		(uint64_t)step - (uint64_t)l->step[low - 1] <
			(uint64_t)l->step[low] - (uint64_t)step)
		return low - 1;
	return low;
}

int64_t
ts_liveness_device(const struct ts_liveness *l, int64_t bytes)
{
	return bytes > TS_NUMBER_MAX / l->replicas ? TS_NUMBER_MAX : bytes * l->replicas;
}
