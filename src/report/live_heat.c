/* SPDX-License-Identifier: MIT */
/*
 * live_heat - see the header.
 *
 * No tile has less than its base, so a row begins with the largest base of its tiles, and runs of a tile (or spans of a
 * crest) raise the columns that they touch. For each point it is known beforehand in which column it lies.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/buckets.h"
#include "tilescope/report/live_heat.h"

__extension__ typedef __int128 i128;

enum { LOOK = 64 };

/* Columns of a question, by point. */
struct places {
	int32_t *
		at; /* column of the step of a point: -1 before the first, `columns` behind the last */
	int32_t *last; /* column of the step before it */
};

int64_t
ts_live_heat_steps(const struct ts_tile_lives *l)
{
	if (l->steps != TS_UNKNOWN)
		return l->steps;
	return l->points > 0 ? l->point[l->points - 1] : 0;
}

size_t
ts_live_heat_fit(size_t n, int cells, size_t group)
{
	size_t each = cells > 0 ? (n + (size_t)cells - 1) / (size_t)cells : n;

	if (group > 1 && each > group)
		each = (each + group - 1) / group * group;
	return each > 0 ? each : 1;
}

void
ts_live_heat_column(const struct ts_live_heat *h, int column, int64_t *from, int64_t *to)
{
	ts_buckets_range(h->step, h->step + h->steps, h->columns, column, from, to);
}

int
ts_live_heat_column_of(const struct ts_live_heat *h, int64_t step)
{
	if (step < h->step)
		return -1;
	if (step - h->step >= h->steps)
		return h->columns;
	return (int)((((i128)step - h->step + 1) * h->columns - 1) / h->steps);
}

static enum ts_code
find_places(struct places *p, const struct ts_tile_lives *l, const struct ts_live_heat *h,
	struct ts_err *err)
{
	p->at = ts_alloc(l->points, sizeof(*p->at));
	p->last = ts_alloc(l->points, sizeof(*p->last));
	if (!p->at || !p->last)
		return ts_err_nomem(err);
	for (size_t i = 0; i < l->points; i++) {
		p->at[i] = ts_live_heat_column_of(h, l->point[i]);
		p->last[i] = ts_live_heat_column_of(h, l->point[i] - 1);
	}
	return TS_OK;
}

/* [from, to) has at least so many bytes, in the columns that it touches. */
static inline void
raise(int64_t *row, const struct places *p, int columns, size_t from, size_t to, int64_t bytes)
{
	int32_t last = p->last[to] < columns ? p->last[to] : (int32_t)columns - 1;

	for (int32_t c = p->at[from] < 0 ? 0 : p->at[from]; c <= last; c++)
		row[c] = ts_max_i64(row[c], bytes);
}

static void
raise_all(int64_t *row, int columns, int64_t bytes)
{
	for (int c = 0; c < columns; c++)
		row[c] = ts_max_i64(row[c], bytes);
}

static void
add_crest(int64_t *row, const struct ts_tile_lives *l, const struct places *p, int columns,
	size_t group)
{
	const uint32_t *crest = l->crest + group * l->points;

	raise_all(row, columns, crest[l->points - 1]);
	for (size_t k = 0; k + 1 < l->points; k++)
		raise(row, p, columns, k, k + 1, crest[k]);
}

static void
add_tile(int64_t *row, const struct ts_tile_lives *l, const struct places *p, int columns,
	struct ts_live_walk *w, size_t tile)
{
	int64_t base = l->tile[tile].base;
	const struct ts_live_run *run;
	size_t n;

	ts_live_walk_tile(w, tile);
	n = ts_live_walk_runs(w, &run);
	raise_all(row, columns, base);
	for (size_t k = 0; k + 1 < n; k++)
		raise(row, p, columns, run[k].point, run[k + 1].point, base + run[k].bytes);
}

/* Are the tiles [from, to) whole groups? */
static bool
has_crest(const struct ts_tile_lives *l, size_t from, size_t to)
{
	return l->crest_tiles > 0 && from % l->crest_tiles == 0 &&
		(to % l->crest_tiles == 0 || to == l->tiles);
}

static enum ts_code
read_row(int64_t *row, const struct ts_tile_lives *l, const struct places *p,
	const struct ts_live_heat *h, struct ts_live_walk *w, size_t from,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t to = h->per_row < l->tiles - from ? from + h->per_row : l->tiles;

	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (has_crest(l, from, to)) {
		for (size_t i = from; i < to; i += l->crest_tiles)
			add_crest(row, l, p, h->columns, i / l->crest_tiles);
		return TS_OK;
	}
	for (size_t i = from; i < to; i++) {
		if (i % LOOK == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		add_tile(row, l, p, h->columns, w, i);
	}
	return TS_OK;
}

enum ts_code
ts_live_heat_read(int64_t *most, const struct ts_tile_lives *l, const struct ts_live_heat *h,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	int64_t steps = ts_live_heat_steps(l);
	struct ts_live_walk *w = ts_live_walk_new(l);
	struct places p = {NULL, NULL};
	enum ts_code code = w ? find_places(&p, l, h, err) : ts_err_nomem(err);

	for (int r = 0; !code && r < h->rows; r++) {
		int64_t *row = most + (size_t)r * (size_t)h->columns;
		size_t from = h->tile + (size_t)r * h->per_row;

		for (int c = 0; c < h->columns; c++)
			row[c] = TS_UNKNOWN;
		if (from >= l->tiles)
			continue;
		code = read_row(row, l, &p, h, w, from, cancel, err);
		for (int c = h->columns - 1; c >= 0; c--) {
			int64_t first, end;

			ts_live_heat_column(h, c, &first, &end);
			if (first < steps)
				break;
			row[c] = TS_UNKNOWN;
		}
	}
	ts_live_walk_free(w);
	free(p.at);
	free(p.last);
	return code;
}

/* --- where it is ------------------------------------------------------------------------------ */

static void
offer(struct ts_live_spot *s, size_t place, int64_t step, int64_t bytes)
{
	if (s->place < 0 || bytes > s->bytes)
		*s = (struct ts_live_spot){(ptrdiff_t)place, step, bytes};
}

static void
look_at_tile(struct ts_live_spot *s, const struct ts_tile_lives *l, struct ts_live_walk *w,
	size_t place, int64_t step, int64_t step_to)
{
	struct ts_live_spot here = {.place = -1};
	int64_t base = l->tile[place].base;
	const struct ts_live_run *run;
	size_t n;

	ts_live_walk_tile(w, place);
	n = ts_live_walk_runs(w, &run);
	offer(&here, place, step, base);
	for (size_t k = 0; k + 1 < n; k++) {
		int64_t from = ts_max_i64(l->point[run[k].point], step);

		if (from < ts_min_i64(l->point[run[k + 1].point], step_to))
			offer(&here, place, from, base + run[k].bytes);
	}
	offer(s, place, here.step, here.bytes);
}

enum ts_code
ts_live_spot_read(struct ts_live_spot *s, const struct ts_tile_lives *l, size_t from, size_t to,
	int64_t step, int64_t step_to, struct ts_err *err)
{
	struct ts_live_walk *w = ts_live_walk_new(l);

	*s = (struct ts_live_spot){.place = -1, .step = TS_UNKNOWN, .bytes = TS_UNKNOWN};
	if (!w)
		return ts_err_nomem(err);
	for (size_t i = from; step < step_to && i < to && i < l->tiles; i++)
		look_at_tile(s, l, w, i, step, step_to);
	ts_live_walk_free(w);
	return TS_OK;
}

struct ts_live_spot
ts_live_bottleneck(const struct ts_tile_lives *l)
{
	struct ts_live_spot s = {.place = -1, .step = TS_UNKNOWN, .bytes = TS_UNKNOWN};

	for (size_t i = 0; i < l->tiles; i++)
		offer(&s, i, ts_max_i64(l->tile[i].step, 0), l->tile[i].base + l->tile[i].peak);
	return s;
}
