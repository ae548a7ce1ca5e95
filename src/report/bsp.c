/* SPDX-License-Identifier: MIT */
/*
 * bsp - see the header. The steps of the range come first (bsp_steps.c), sorted by what they execute; then one blob after
 * the other is read and laid over all the steps that it belongs to, so that one is held at a time.
 */
#include "config.h"

#include <stdlib.h>

#include "binding_internal.h"
#include "bsp_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/db/plan.h"

enum { BYTES_EACH = 4 };

struct bsp_read {
	struct ts_bsp *b;
	struct ts_reader *rd;
	const struct ts_trace *t;
	double width; /* cycles of a column */
	enum ts_code damage;
	struct ts_err *err;
};

bool
ts_bsp_recorded(const struct ts_report *r)
{
	return ts_report_has_column(r, TS_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE) ||
		ts_report_has_column(r, TS_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE) ||
		ts_report_has_column(r, TS_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE) ||
		ts_report_has_column(r, TS_PROGRAM, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE);
}

static struct ts_bsp_tiles
tiles_in(const struct ts_ipu_run *run, size_t n, int64_t ipu)
{
	int64_t first = INT64_MAX, end = 0;

	for (size_t i = 0; i < n; i++)
		if (run[i].ipu == ipu) {
			first = ts_min_i64(first, run[i].from);
			end = ts_max_i64(end, run[i].to);
		}
	return (struct ts_bsp_tiles){end ? first : 0, end ? end - first : 0};
}

struct ts_bsp_tiles
ts_bsp_tiles_of(const struct ts_tile_ipus *m, int64_t ipu)
{
	struct ts_bsp_tiles a = tiles_in(m->range, m->ranges, ipu);

	if (a.count == 0)
		a = tiles_in(m->row, m->rows, ipu);
	if (a.count == 0 && m->tiles_per_ipu > 0 && ipu >= 0 &&
		ipu <= TS_TILES_MAX / m->tiles_per_ipu)
		a = (struct ts_bsp_tiles){ipu * m->tiles_per_ipu, m->tiles_per_ipu};
	a.first = ts_min_i64(a.first, TS_TILES_MAX);
	a.count = ts_min_i64(a.count, TS_TILES_MAX - a.first);
	return a;
}

/* --- laying over ------------------------------------------------------------------------------------ */

/* Add the cycles [from, to) to columns, `weight` each. */
static void
lay(const struct bsp_read *r, double *column, double from, double to, double weight)
{
	double a = from > (double)r->b->from ? from - (double)r->b->from : 0;
	double b = (to < (double)r->b->to ? to : (double)r->b->to) - (double)r->b->from;
	int x, last;

	if (a >= b)
		return;
	a /= r->width;
	b /= r->width;
	x = (int)a;
	last = r->b->columns - 1;
	x = x < last ? x : last;
	for (; x <= last && (double)x < b; x++) {
		double left = a > x ? a : x, right = b < x + 1 ? b : x + 1;

		if (right > left)
			column[x] += weight * (right - left);
	}
}

static uint32_t
number_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A step whose cycles by tile are there: n numbers; tiles behind them have none. */
static void
lay_tiles(struct bsp_read *r, const struct bsp_step *s, const unsigned char *bytes, size_t n)
{
	enum ts_bsp_part part = s->class_of == TS_CLASS_COMPUTE ? TS_BSP_COMPUTE : TS_BSP_EXCHANGE;
	struct ts_bsp *b = r->b;

	for (int row = 0; row < b->rows; row++) {
		double *share = b->share + (size_t)row * TS_BSP_PARTS * (size_t)b->columns;
		int64_t first, last;
		double weight;

		ts_bsp_row_tiles(b, row, &first, &last);
		weight = 1 / (double)(last - first + 1);
		for (int64_t tile = first; tile <= last; tile++) {
			int64_t own = (uint64_t)tile < n ? number_at(bytes + tile * BYTES_EACH) : 0;
			double end;

			/* of a step that stands for a place: the same part of that place */
			own = ts_min_i64(own, s->length);
			end = (double)s->start +
				(double)(s->end - s->start) * ((double)own / (double)s->length);
			lay(r, share + (size_t)part * (size_t)b->columns, (double)s->start, end,
				weight);
			lay(r, share + (size_t)TS_BSP_WAIT * (size_t)b->columns, end,
				(double)s->end, weight);
		}
	}
}

static void
lay_whole(struct bsp_read *r, const struct bsp_step *s)
{
	lay(r, r->b->whole + (size_t)s->class_of * (size_t)r->b->columns, (double)s->start,
		(double)s->end, 1);
}

/* --- blobs ------------------------------------------------------------------------------------------- */

/* Where cycles by tile stand: measured before estimated, a program's own before those of its compute set. */
static const struct source {
	enum ts_relation relation;
	int key, blob;
	bool estimated;
} sources[] = {
	{TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE, false},
	{TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE, false},
	{TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE, true},
	{TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE, true},
};

/* Lay one source over the steps [0, n), which execute the same; *done: it has the numbers. */
static enum ts_code
lay_source(bool *done, struct bsp_read *r, const struct source *from, const struct bsp_step *s,
	size_t n)
{
	int64_t id = from->relation == TS_PROGRAM ? s->program : s->compute_set;
	struct ts_rows_query q = {.columns = {from->blob},
		.column_count = 1,
		.range = TS_RANGE_KEY,
		.from = id,
		.to = id + 1};
	const void *bytes;
	struct ts_rows *rows;
	enum ts_code code;
	size_t size;
	bool there;

	if (id == TS_UNKNOWN || !ts_report_has_column(r->rd->report, from->relation, from->blob) ||
		(r->t->honest.one_tile && !from->estimated)) /* it is of one tile alone */
		return TS_OK;
	code = ts_reader_rows(&rows, r->rd, from->relation, &q, r->err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, r->err);
	*done = !code && there && ts_rows_blob(rows, 0, &bytes, &size) == TS_VALUE_OK &&
		size % BYTES_EACH == 0;
	for (size_t i = 0; *done && i < n; i++) {
		lay_tiles(r, &s[i], bytes, size / BYTES_EACH);
		r->b->by_tile++;
		r->b->estimated += from->estimated;
	}
	ts_rows_close(rows);
	return code;
}

static bool
has_tiles(const struct bsp_step *s)
{
	return s->class_of == TS_CLASS_COMPUTE || s->class_of == TS_CLASS_EXCHANGE ||
		s->class_of == TS_CLASS_GLOBAL_EXCHANGE;
}

/* Steps [0, n) that execute the same. */
static enum ts_code
lay_steps(struct bsp_read *r, const struct bsp_step *s, size_t n)
{
	enum ts_code code = TS_OK;
	bool done = false;

	for (size_t i = 0; has_tiles(s) && !code && !done && i < TS_COUNT(sources); i++) {
		code = lay_source(&done, r, &sources[i], s, n);
		if (code == TS_E_DAMAGED) {
			r->damage = code;
			code = TS_OK;
		}
	}
	for (size_t i = 0; i < n; i++) {
		r->b->steps += has_tiles(s);
		if (!done)
			lay_whole(r, &s[i]);
	}
	return code;
}

static int
by_executed(const void *a, const void *b)
{
	const struct bsp_step *x = a, *y = b;

	if (x->class_of != y->class_of)
		return x->class_of < y->class_of ? -1 : 1;
	if (x->compute_set != y->compute_set)
		return x->compute_set < y->compute_set ? -1 : 1;
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static bool
executes_same(const struct bsp_step *a, const struct bsp_step *b)
{
	return a->class_of == b->class_of && a->compute_set == b->compute_set &&
		a->program == b->program;
}

/* Of a report on another host: have the blobs here of what all steps execute. */
static enum ts_code
blobs_ahead(struct bsp_read *r, const struct bsp_steps *steps, enum ts_relation relation)
{
	const struct ts_binding *b = &r->rd->report->binding[relation];
	int64_t *id;
	size_t n = 0;
	enum ts_code code;

	if (!b->bound || !ts_plan_helps(r->rd->db[b->source]))
		return TS_OK;
	id = ts_alloc(steps->n, sizeof(*id));
	if (!id)
		return ts_err_nomem(r->err);
	for (size_t i = 0; i < steps->n; i++) {
		const struct bsp_step *s = &steps->step[i];
		int64_t v = relation == TS_PROGRAM ? s->program : s->compute_set;

		if (has_tiles(s) && v != TS_UNKNOWN && (n == 0 || id[n - 1] != v))
			id[n++] = v;
	}
	code = ts_reach_keys_ahead(&b->reach, r->rd->db[b->source], id, n, true, r->err);
	free(id);
	return code;
}

static enum ts_code
lay_all(struct bsp_read *r, struct bsp_steps *steps)
{
	enum ts_code code;

	if (steps->n > 1)
		qsort(steps->step, steps->n, sizeof(*steps->step), by_executed);
	code = blobs_ahead(r, steps, TS_COMPUTE_SET);
	if (!code)
		code = blobs_ahead(r, steps, TS_PROGRAM);
	for (size_t i = 0, n; i < steps->n && !code; i += n) {
		for (n = 1; i + n < steps->n && executes_same(&steps->step[i], &steps->step[i + n]);
			n++)
			;
		if (ts_cancelled(r->rd->cancel))
			return ts_err_set(r->err, TS_E_CANCELLED, "cancelled");
		code = lay_steps(r, &steps->step[i], n);
	}
	return code;
}

/* Steps that overlap (I/O tiles) share a column: together they are never more than all of it. */
static void
limit(struct ts_bsp *b)
{
	for (int row = 0; row < b->rows; row++) {
		double *share = b->share + (size_t)row * TS_BSP_PARTS * (size_t)b->columns;

		for (int x = 0; x < b->columns; x++) {
			double sum = 0;

			for (int k = 0; k < TS_BSP_PARTS; k++)
				sum += share[k * b->columns + x];
			for (int k = 0; sum > 1 && k < TS_BSP_PARTS; k++)
				share[k * b->columns + x] /= sum;
		}
	}
	for (int i = 0; i < TS_CLASS_COUNT * b->columns; i++)
		b->whole[i] = b->whole[i] > 1 ? 1 : b->whole[i];
}

enum ts_code
ts_bsp_read(struct ts_bsp *b, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	struct ts_bsp_tiles all, int64_t from, int64_t to, int columns, int64_t tile, int64_t tiles,
	int rows, const struct ts_cache *cache, struct ts_err *err)
{
	struct bsp_read r = {.b = b, .rd = rd, .t = t, .err = err};
	struct bsp_steps steps = {0};
	enum ts_code code;

	*b = (struct ts_bsp){.ipu = ipu, .from = ts_clamp_i64(from, 0, TS_NUMBER_MAX), .all = all};
	b->to = ts_clamp_i64(to, b->from + 1, TS_NUMBER_MAX + 1);
	b->columns = (int)ts_clamp_i64(columns, 1, TS_BSP_COLUMNS);
	b->tile = ts_clamp_i64(tile, all.first, all.first + all.count - 1);
	b->tiles = ts_clamp_i64(tiles, 1, all.first + all.count - b->tile);
	b->rows = (int)ts_clamp_i64(rows, 1, ts_min_i64(b->tiles, TS_BSP_ROWS));
	if (!t->has_parts)
		return ts_err_set(err, TS_E_ABSENT, "%s", t->why_no_parts);
	b->share = ts_alloc((size_t)b->rows * TS_BSP_PARTS * (size_t)b->columns, sizeof(*b->share));
	b->whole = ts_alloc((size_t)TS_CLASS_COUNT * (size_t)b->columns, sizeof(*b->whole));
	if (!b->share || !b->whole)
		return ts_err_nomem(err);
	r.width = (double)(b->to - b->from) / b->columns;
	code = bsp_steps_read(&steps, rd, t, ipu, b->from, b->to, b->columns, cache, err);
	b->sampled = steps.sampled;
	if (code == TS_E_DAMAGED) {
		r.damage = code;
		code = TS_OK;
	}
	if (!code)
		code = lay_all(&r, &steps);
	limit(b);
	free(steps.step);
	code = code ? code : r.damage;
	b->partial = code == TS_E_DAMAGED;
	return code;
}

void
ts_bsp_fini(struct ts_bsp *b)
{
	free(b->share);
	free(b->whole);
	*b = (struct ts_bsp){0};
}
