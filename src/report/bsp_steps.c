/* SPDX-License-Identifier: MIT */
/*
 * bsp_steps - the steps of an IPU in a range: all of them where they are few, else the one that runs at each place.
 *
 * How many rows there are is found by bisecting before any is read. A place is a stretch of some columns; the step that
 * runs in its middle stands for it. So a step is drawn as likely as it is long.
 */
#include "config.h"

#include <string.h>

#include "bsp_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/slices.h"

enum { PLACE_ROWS = 160 /* on either side of a time that are fetched with it, of another host */ };

static enum ts_code
add_step(struct bsp_steps *s, const struct bsp_step *step, struct ts_err *err)
{
	void *p = s->step;

	if (!ts_room(&p, &s->cap, s->n, sizeof(*s->step)))
		return ts_err_nomem(err);
	s->step = p;
	s->step[s->n++] = *step;
	return TS_OK;
}

/* --- all ---------------------------------------------------------------------------------------------- */

/* *many: there are more than are read. */
static enum ts_code
read_all(bool *many, struct bsp_steps *s, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, int64_t from, int64_t to, const struct ts_cache *cache, struct ts_err *err)
{
	const struct ts_slice *at = NULL;
	struct ts_slices *slices;
	int64_t rows = 0, behind = 0; /* consecutive rows that begin behind the range */
	bool done = false;
	enum ts_code code = ts_slices_open_range(&slices, rd, t, from, to, cache, NULL, err);

	if (code)
		return code;
	while (!done && !*many && !(code = ts_slices_next(&at, slices, err)) && at) {
		struct bsp_step step = {at->start, at->end, at->end - at->start, at->program,
			at->compute_set, at->class_of};

		*many = ++rows - behind > 2 * TS_BSP_SLICES || s->n > TS_BSP_STEPS;
		if (at->ipu != ipu)
			continue;
		behind = at->start >= to ? behind + 1 : 0;
		done = behind > TS_TRACE_LOOK_BACK && !t->forwards &&
			trace_rises(t, rd, TS_STEP_IPU);
		if (at->end <= at->start || at->end <= from || at->start >= to)
			continue;
		code = add_step(s, &step, err);
		if (code)
			break;
	}
	ts_slices_close(slices);
	return code;
}

/* --- places ------------------------------------------------------------------------------------------- */

/* What a step executes, and its class; *found false: there is no such step. */
static enum ts_code
read_step(bool *found, struct bsp_step *to, struct ts_reader *rd, const struct ts_trace *t,
	int64_t wanted, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT};
	struct ts_rows *rows;
	enum ts_code code;
	int64_t step;
	bool there;

	*found = false;
	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = trace_keys_open(&rows, rd, t, TS_STEP, &q, wanted, trace_add(wanted, 1), err);
	if (code)
		return code;
	while (!*found && !(code = ts_rows_next(rows, &there, err)) && there) {
		step = ts_rows_known(rows, TS_STEP_Q_STEP);
		if (step > wanted)
			break;
		*found = step == wanted;
		if (!*found)
			continue;
		to->program = ts_rows_known(rows, TS_STEP_Q_PROGRAM);
		to->compute_set = ts_rows_known(rows, TS_STEP_Q_COMPUTE_SET);
		to->class_of = ts_step_class_row(rows);
	}
	ts_rows_close(rows);
	return code;
}

static int64_t
middle_of(int64_t from, int64_t to)
{
	return from + (to - from) / 2;
}

static enum ts_code
read_place(struct bsp_steps *s, struct ts_reader *rd, const struct ts_trace *t,
	const struct trace_anchors *k, int64_t ipu, int64_t from, int64_t to, struct ts_err *err)
{
	int64_t middle = middle_of(from, to);
	struct bsp_step at = {.start = from, .end = to};
	struct trace_part part;
	bool found;
	enum ts_code code = trace_part_at(&part, &found, rd, t, k, ipu, middle, err);

	found = found && middle < part.end;
	at.length = found ? part.end - part.start : 0;
	if (!code && found)
		code = read_step(&found, &at, rd, t, part.step, err);
	return !code && found ? add_step(s, &at, err) : code;
}

struct places {
	int64_t from[TS_BSP_PLACES], to[TS_BSP_PLACES];
	int n;
};

static void
places_of(struct places *p, int64_t from, int64_t to, int columns)
{
	int each = (columns + TS_BSP_PLACES - 1) / TS_BSP_PLACES;

	for (int x = 0; x < columns; x += each) {
		int64_t ignored;

		ts_trace_column(from, to, columns, x, &p->from[p->n], &ignored);
		ts_trace_column(from, to, columns, (int)ts_min_i64(x + each, columns) - 1, &ignored,
			&p->to[p->n++]);
	}
}

/* Of a report on another host: all of them are looked for together. */
static enum ts_code
find_places(struct trace_anchors *k, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	const struct places *p, int64_t from, int64_t to, struct ts_err *err)
{
	int64_t times[TS_BSP_PLACES + 2] = {from, to};

	for (int i = 0; i < p->n; i++)
		times[i + 2] = middle_of(p->from[i], p->to[i]);
	return trace_anchors_find(k, rd, t, ipu, times, p->n + 2, PLACE_ROWS, err);
}

static enum ts_code
read_places(struct bsp_steps *s, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	int64_t from, int64_t to, int columns, struct ts_err *err)
{
	struct trace_anchors k;
	struct places p = {.n = 0};
	enum ts_code code, damage = TS_OK;

	s->sampled = true;
	s->n = 0;
	places_of(&p, from, to, columns);
	code = find_places(&k, rd, t, ipu, &p, from, to, err);
	for (int i = 0; i < p.n && !code; i++) {
		code = read_place(s, rd, t, &k, ipu, p.from[i], p.to[i], err);
		if (code == TS_E_DAMAGED) {
			damage = code;
			code = TS_OK;
		}
		if (!code && ts_cancelled(rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	trace_anchors_fini(&k);
	return code ? code : damage;
}

enum ts_code
bsp_steps_read(struct bsp_steps *s, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	int64_t from, int64_t to, int columns, const struct ts_cache *cache, struct ts_err *err)
{
	struct trace_stretch stretch = {.rows = 0};
	bool many = false;
	enum ts_code code = TS_OK;

	if (t->part.range != TS_RANGE_ALL && t->part.first <= t->part.last)
		code = trace_stretch_find(&stretch, rd, t, NULL, &ipu, 1, from, to, TS_BSP_SLICES,
			err);
	if (code)
		return code;
	many = stretch.rows > TS_BSP_SLICES;
	if (!many)
		code = read_all(&many, s, rd, t, ipu, from, to, cache, err);
	if (many && (!code || code == TS_E_DAMAGED))
		code = read_places(s, rd, t, ipu, from, to, columns, err);
	return code;
}
