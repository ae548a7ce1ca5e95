/* SPDX-License-Identifier: MIT */
/* memory - the tiles; categories.c has what the categories tell. See the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_ipus.h"

enum { KEPT = 1 << 16 /* tiles that a reader keeps, at most */ };

/* --- one row per tile ------------------------------------------------------------------------- */

enum { T_TILE, T_TOTAL, T_IPU, T_GAPS, T_OVERFLOWED, T_ALWAYS, T_PEAK, T_PHYSICAL, T_COLUMNS };

static const int tile_columns[T_COLUMNS] = {TS_TILE_MEMORY_TILE, TS_TILE_MEMORY_TOTAL,
	TS_TILE_MEMORY_IPU, TS_TILE_MEMORY_TOTAL_GAPS, TS_TILE_MEMORY_OVERFLOWED,
	TS_TILE_MEMORY_ALWAYS_LIVE, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK, TS_TILE_MEMORY_PHYSICAL};

/* An optional number: TS_UNKNOWN when it is not there or not one. */
static int64_t
optional(struct ts_rows *rows, int i, bool *bad)
{
	int64_t v;
	enum ts_value value = ts_rows_number(rows, i, &v);

	*bad |= value == TS_VALUE_BAD;
	return value == TS_VALUE_OK ? v : TS_UNKNOWN;
}

/* Add to a sum where the row knows: false when it does not fit any more. */
static bool
add_known(int64_t *sum, int64_t v)
{
	int64_t from = *sum == TS_UNKNOWN ? 0 : *sum;

	if (v == TS_UNKNOWN)
		return true;
	if (!ts_add_i64(&from, v))
		return false;
	*sum = from;
	return true;
}

/* The row as a tile; false when it has to be left out. */
static bool
read_tile(struct ts_tile *t, struct ts_rows *rows)
{
	bool bad = ts_rows_number(rows, T_TILE, &t->tile) != TS_VALUE_OK ||
		ts_rows_number(rows, T_TOTAL, &t->total) != TS_VALUE_OK;

	t->ipu = optional(rows, T_IPU, &bad);
	t->total_gaps = optional(rows, T_GAPS, &bad);
	t->overflowed = optional(rows, T_OVERFLOWED, &bad);
	t->always_live = optional(rows, T_ALWAYS, &bad);
	t->not_always_live_peak = optional(rows, T_PEAK, &bad);
	t->physical = optional(rows, T_PHYSICAL, &(bool){false}); /* no figure depends on it */
	return !bad;
}

static bool
sum_tile(struct ts_tiles *all, const struct ts_tile *t)
{
	struct ts_tiles sums = *all;

	if (!ts_add_i64(&sums.total, t->total) || !ts_add_i64(&sums.used, ts_tile_used(t)) ||
		!add_known(&sums.total_gaps, t->total_gaps) ||
		!add_known(&sums.always_live, t->always_live))
		return false;
	*all = sums;
	return true;
}

static enum ts_code
add_tile(struct ts_tiles *all, const struct ts_tile *t, struct ts_err *err)
{
	void *p = all->tile;

	if (all->count == TS_TILES_MAX)
		return ts_err_set(err, TS_E_LIMIT, "more than %d tiles", TS_TILES_MAX);
	if (!ts_room(&p, &all->cap, all->count, sizeof(*t)))
		return ts_err_nomem(err);
	all->tile = p;
	all->tile[all->count++] = *t;
	return TS_OK;
}

/* Of equal ones the fullest is the first. */
static int
by_tile(const void *a, const void *b)
{
	const struct ts_tile *x = a, *y = b;
	int64_t p = ts_tile_used(x), q = ts_tile_used(y);

	if (x->tile != y->tile)
		return x->tile < y->tile ? -1 : 1;
	return (p < q) - (p > q);
}

/* Each tile once, and their sums. */
static void
add_up(struct ts_tiles *t)
{
	size_t kept = 0;

	if (t->count)
		qsort(t->tile, t->count, sizeof(*t->tile), by_tile);
	for (size_t i = 0; i < t->count; i++)
		if (kept && t->tile[kept - 1].tile == t->tile[i].tile)
			t->repeated++;
		else if (!sum_tile(t, &t->tile[i]))
			t->bad_rows++;
		else
			t->tile[kept++] = t->tile[i];
	t->count = kept;
}

static void
finish_tiles(struct ts_tiles *t, const struct ts_report *r)
{
	size_t with_gaps = 0, with_live = 0;
	const struct ts_binding *b = &r->binding[TS_TILE_MEMORY];
	bool said = r->kind == TS_KIND_STORE && r->part_of[b->source] == TS_PART_PROFILE;

	add_up(t);
	for (size_t i = 0; i < t->count; i++) {
		if (ts_tile_used(&t->tile[i]) > ts_tile_used(&t->tile[t->worst]))
			t->worst = i;
		with_gaps += t->tile[i].total_gaps != TS_UNKNOWN;
		with_live += t->tile[i].always_live != TS_UNKNOWN;
	}
	if (with_gaps < t->count)
		t->total_gaps = TS_UNKNOWN;
	if (with_live < t->count)
		t->always_live = TS_UNKNOWN;
	/* where a profile of the SDK, or an archive, has only one figure, it is not known which one */
	t->gaps = with_gaps == t->count && t->count > 0 ? 1 : said && with_gaps == 0 ? 0 : -1;
}

/* IPUs that the tiles' own rows do not say. */
static enum ts_code
fill_ipus(struct ts_tiles *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tile_ipus ipus;
	struct ts_err why;
	enum ts_code code = ts_tile_ipus_recorded(&ipus, rd, &why);

	for (size_t i = 0; i < t->count && ipus.ranges > 0; i++)
		if (t->tile[i].ipu == TS_UNKNOWN)
			t->tile[i].ipu = ts_tile_ipus_find(&ipus, t->tile[i].tile);
	ts_tile_ipus_fini(&ipus);
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
read_rows(struct ts_tiles *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = T_COLUMNS, .past_damage = true};
	struct ts_rows *rows;
	enum ts_code code, end;
	bool there;

	*t = (struct ts_tiles){.total_gaps = TS_UNKNOWN, .always_live = TS_UNKNOWN, .gaps = -1};
	memcpy(q.columns, tile_columns, sizeof(tile_columns));
	code = ts_reader_rows(&rows, rd, TS_TILE_MEMORY, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_tile tile;

		t->rows++;
		if (!read_tile(&tile, rows))
			t->bad_rows++;
		else if ((code = add_tile(t, &tile, err)))
			break;
	}
	ts_rows_close(rows);
	t->partial = code != TS_OK;
	finish_tiles(t, rd->report);
	if (code && code != TS_E_DAMAGED)
		return code;
	end = fill_ipus(t, rd, code ? NULL : err);
	return end && end != TS_E_DAMAGED ? end : code ? code : end;
}

static bool
copy_tiles(struct ts_tiles *to, const struct ts_tiles *from)
{
	struct ts_tile *tile = from->count > 0 ? ts_alloc(from->count, sizeof(*tile)) : NULL;

	*to = (struct ts_tiles){0};
	if (from->count > 0 && !tile)
		return false;
	*to = *from;
	to->cap = from->count;
	to->tile = tile;
	if (tile)
		memcpy(tile, from->tile, from->count * sizeof(*tile));
	return true;
}

/* For the next question of this reader: most of them begin with the tiles. Without memory they are read again. */
static void
keep_tiles(struct ts_reader *rd, const struct ts_tiles *t)
{
	struct ts_tiles *kept = t->count <= KEPT ? ts_alloc(1, sizeof(*kept)) : NULL;

	if (kept && copy_tiles(kept, t))
		rd->tiles = kept;
	else
		free(kept);
}

enum ts_code
ts_tiles_read(struct ts_tiles *t, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code;

	if (rd->tiles)
		return copy_tiles(t, rd->tiles) ? TS_OK : ts_err_nomem(err);
	code = read_rows(t, rd, err);
	if (!code)
		keep_tiles(rd, t);
	return code;
}

void
ts_tiles_fini(struct ts_tiles *t)
{
	free(t->tile);
	*t = (struct ts_tiles){0};
}

ptrdiff_t
ts_tiles_find(const struct ts_tiles *t, int64_t tile)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->tile[middle].tile < tile)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->tile[low].tile == tile ? (ptrdiff_t)low : -1;
}

size_t
ts_tiles_over(const struct ts_tiles *t, int64_t limit)
{
	size_t over = 0;

	for (size_t i = 0; i < t->count; i++)
		over += t->tile[i].overflowed > 0 ||
			(limit != TS_UNKNOWN && ts_tile_used(&t->tile[i]) > limit);
	return over;
}
