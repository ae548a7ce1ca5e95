/* SPDX-License-Identifier: MIT */
/*
 * tile_live - see the header.
 *
 * A walk has an array of changes by point and a bit for each point that a pair of the tile touched: the bits give the
 * points in order, so that a tile costs what it has, not what all classes have.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_variables.h"

#include "tile_live_internal.h"

enum { LOOK = 64, BOTH_TILES = 100 /* so many take longer than to begin a thread */ };

/* --- reading ---------------------------------------------------------------------------------- */

bool
ts_tile_lives_can(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) && ts_report_has(r, TS_CLASS_INTERVAL) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CLASS);
}

/* TS_E_ABSENT with what is missing. */
static enum ts_code
absent(const struct ts_report *r, struct ts_err *err)
{
	if (!ts_report_has(r, TS_LOWERED_VARIABLE))
		return ts_err_set(err, TS_E_ABSENT,
			"no lowered_variable: which tile has what is "
			"not recorded");
	if (!ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CLASS))
		return ts_err_set(err, TS_E_ABSENT,
			"lowered_variable has no class: when each is "
			"alive is not recorded");
	return ts_err_set(err, TS_E_ABSENT,
		"no class_interval: when lowered variables are alive is "
		"not recorded");
}

/* Some tiles: a sorted list of them. */
struct some {
	int64_t *tile;
	size_t count;
};

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool
some_has(const void *set, int64_t tile)
{
	const struct some *s = set;

	return bsearch(&tile, s->tile, s->count, sizeof(tile), by_number) != NULL;
}

/* All rows of some tiles: one after the other where each can be reached, else one pass. */
static enum ts_code
read_some(struct ts_live_gather *g, struct ts_reader *rd, const struct some *some,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query q = ts_live_query();
	enum ts_code code = TS_OK, damage = TS_OK;
	bool quick = true;

	for (size_t i = 0; i < some->count; i++)
		quick = quick && ts_tile_variables_quick(rd->report, rd->index, some->tile[i]);
	if (!quick)
		return ts_live_gather_read(g, rd, &q, some_has, some,
			ts_reach_span(&rd->report->binding[TS_LOWERED_VARIABLE].reach), progress,
			err);
	for (size_t i = 0; !code && i < some->count; i++) {
		struct some one = {&some->tile[i], 1};
		struct ts_err why;
		int64_t total;

		q = ts_live_query();
		if (!ts_tile_variables_plan(&q, &total, rd, some->tile[i]))
			continue;
		code = ts_live_gather_read(g, rd, &q, some_has, &one, 0, NULL, &why);
		if (code && err)
			*err = why;
		damage = code == TS_E_DAMAGED ? code : damage;
		code = code == TS_E_DAMAGED ? TS_OK : code;
		ts_progress_set(progress, (int64_t)i + 1, (int64_t)some->count);
	}
	return code ? code : damage;
}

static enum ts_code
read_table(struct ts_tile_lives **out, struct ts_reader *rd, const struct ts_cache *cache,
	const struct some *some, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query q = ts_live_query();
	struct ts_live_gather g = {0};
	struct ts_live_axis a;
	enum ts_code code, damage;
	struct ts_err why;

	*out = NULL;
	if (!ts_tile_lives_can(rd->report))
		return absent(rd->report, err);
	damage = ts_live_axis_read(&a, rd, cache, err);
	code = damage == TS_E_DAMAGED ? TS_OK : damage;
	if (code) {
		ts_live_axis_fini(&a);
		return code;
	}
	code = ts_live_gather_begin(&g, &a, cache, &why);
	if (!code && some)
		code = read_some(&g, rd, some, progress, &why);
	else if (!code)
		code = ts_live_gather_read(&g, rd, &q, NULL, NULL,
			ts_reach_span(&rd->report->binding[TS_LOWERED_VARIABLE].reach), progress,
			&why);
	if (code && err)
		*err = why;
	if (code == TS_E_DAMAGED) {
		damage = code;
		code = TS_OK;
	}
	if (!code && (code = ts_live_table(out, &a, &g, rd, !some, &why)) && err)
		*err = why;
	ts_live_gather_fini(&g);
	ts_live_axis_fini(&a);
	return code ? code : damage;
}

enum ts_code
ts_tile_lives_read_rows(struct ts_tile_lives **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	return read_table(out, rd, cache, NULL, progress, err);
}

enum ts_code
ts_tile_lives_read(struct ts_tile_lives **out, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code = ts_tile_lives_indexed(out, rd->index, err);

	return code || *out ? code : read_table(out, rd, NULL, NULL, progress, err);
}

enum ts_code
ts_tile_lives_read_tiles(struct ts_tile_lives **out, struct ts_reader *rd, const int64_t *tile,
	size_t n, struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code = ts_tile_lives_indexed(out, rd->index, err);
	struct some some = {.count = 0};

	if (code || *out)
		return code;
	some.tile = ts_alloc(n, sizeof(*some.tile));
	if (!some.tile)
		return ts_err_nomem(err);
	if (n > 0)
		memcpy(some.tile, tile, n * sizeof(*tile));
	qsort(some.tile, n, sizeof(*tile), by_number);
	for (size_t i = 0; i < n; i++)
		if (some.count == 0 || some.tile[some.count - 1] != some.tile[i])
			some.tile[some.count++] = some.tile[i];
	code = read_table(out, rd, NULL, &some, progress, err);
	free(some.tile);
	return code;
}

/* The tile that uses most, of those [from, to): where bytes are not known, the first. */
static int64_t
fullest_of(const struct ts_tiles *tiles, size_t from, size_t to)
{
	size_t at = from;

	for (size_t i = from + 1; i < to; i++)
		if (ts_tile_used(&tiles->tile[i]) > ts_tile_used(&tiles->tile[at]))
			at = i;
	return tiles->tile[at].tile;
}

enum ts_code
ts_tile_lives_read_sample(struct ts_tile_lives **out, struct ts_reader *rd, size_t most,
	struct ts_err *err)
{
	struct ts_tiles tiles;
	enum ts_code code = ts_tiles_read(&tiles, rd, err);
	size_t n = tiles.count < most ? tiles.count : most;
	int64_t *tile = NULL;

	*out = NULL;
	if (!code && n > 0) {
		tile = ts_alloc(n, sizeof(*tile));
		code = tile ? TS_OK : ts_err_nomem(err);
	}
	for (size_t i = 0; !code && i < n; i++) {
		tile[i] = fullest_of(&tiles, i * tiles.count / n, (i + 1) * tiles.count / n);
		if (!ts_tile_variables_quick(rd->report, rd->index, tile[i]))
			n = 0;
	}
	if (!code && n > 0)
		code = ts_tile_lives_read_tiles(out, rd, tile, n, NULL, err);
	free(tile);
	ts_tiles_fini(&tiles);
	return code;
}

struct ts_tile_lives *
ts_tile_lives_hold(struct ts_tile_lives *l)
{
	atomic_fetch_add(&l->uses, 1);
	return l;
}

void
ts_tile_lives_close(struct ts_tile_lives *l)
{
	if (!l || atomic_fetch_sub(&l->uses, 1) > 1)
		return;
	for (size_t i = 0; i < TS_COUNT(l->pile); i++)
		ts_pile_fini(&l->pile[i]);
	ts_index_release(l->index);
	free(l);
}

/* --- places ----------------------------------------------------------------------------------- */

static int
by_tile(const void *a, const void *b)
{
	const struct ts_tile_live *x = a, *y = b;

	return (x->tile > y->tile) - (x->tile < y->tile);
}

ptrdiff_t
ts_tile_lives_find(const struct ts_tile_lives *l, int64_t tile)
{
	struct ts_tile_live key = {.tile = tile}, *found = NULL;

	if (l->tiles > 0)
		found = bsearch(&key, l->tile, l->tiles, sizeof(key), by_tile);
	return found ? found - l->tile : -1;
}

/* The first point behind a step: a number of points. */
static size_t
points_up_to(const struct ts_tile_lives *l, int64_t step)
{
	size_t low = 0, high = l->points;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->point[middle] <= step)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

ptrdiff_t
ts_tile_lives_span(const struct ts_tile_lives *l, int64_t step)
{
	size_t n = points_up_to(l, step);

	return n == l->points ? -1 : (ptrdiff_t)n - 1;
}

/* --- pairs ------------------------------------------------------------------------------------ */

struct ts_live_pairs
ts_tile_lives_pairs(const struct ts_tile_lives *l, size_t tile)
{
	const struct ts_tile_live *t = &l->tile[tile];

	return (struct ts_live_pairs){l->pairs + t->at, l->pairs + l->bytes, 0, t->pairs};
}

static inline bool
unpack(uint64_t *v, struct ts_live_pairs *p)
{
	*v = 0;
	for (int shift = 0; shift < 63 && p->p < p->end; shift += 7) {
		unsigned char b = *p->p++;

		*v |= (uint64_t)(b & 127) << shift;
		if (b < 128)
			return true;
	}
	return false;
}

bool
ts_live_pairs_next(struct ts_live_pairs *p, uint32_t *class, int64_t *bytes)
{
	uint64_t far, v;

	if (p->left == 0 || !unpack(&far, p) || !unpack(&v, p))
		return false;
	*class = p->class + (uint32_t)far;
	*bytes = (int64_t)v;
	p->class = *class + 1;
	p->left--;
	return true;
}

void
ts_tile_lives_add(int64_t *change, const struct ts_tile_lives *l, size_t tile)
{
	struct ts_live_pairs p = ts_tile_lives_pairs(l, tile);
	uint32_t class;
	int64_t bytes;

	while (ts_live_pairs_next(&p, &class, &bytes) && class < l->classes) {
		const struct ts_live_class *c = &l->class[class];

		for (uint32_t i = c->first; i < c->first + c->count; i++) {
			change[l->interval[i].from] += bytes;
			change[l->interval[i].to] -= bytes;
		}
	}
}

void
ts_live_sum_up(int64_t *v, size_t n)
{
	for (size_t i = 1; i < n;
		i++) /* of a section that is not to be believed they may be anything */
		v[i] = (int64_t)((uint64_t)v[i] + (uint64_t)v[i - 1]);
}

/* --- walking ---------------------------------------------------------------------------------- */

struct ts_live_walk {
	const struct ts_tile_lives *l;
	int64_t *change;
	uint64_t *bits; /* of points that were touched */
	struct ts_live_run *run;
};

struct ts_live_walk *
ts_live_walk_new(const struct ts_tile_lives *l)
{
	struct ts_live_walk *w = ts_alloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->l = l;
	w->change = ts_alloc(l->points, sizeof(*w->change));
	w->bits = ts_alloc(l->points / 64 + 1, sizeof(*w->bits));
	w->run = ts_alloc(l->points, sizeof(*w->run));
	if (w->change && w->bits && w->run)
		return w;
	ts_live_walk_free(w);
	return NULL;
}

void
ts_live_walk_free(struct ts_live_walk *w)
{
	if (!w)
		return;
	free(w->change);
	free(w->bits);
	free(w->run);
	free(w);
}

static inline void
change_at(struct ts_live_walk *w, uint32_t point, int64_t bytes)
{
	w->change[point] += bytes;
	w->bits[point / 64] |= UINT64_C(1) << point % 64;
}

void
ts_live_walk_pair(struct ts_live_walk *w, uint32_t class, int64_t bytes)
{
	const struct ts_live_class *c = &w->l->class[class];

	for (uint32_t i = c->first; i < c->first + c->count; i++) {
		change_at(w, w->l->interval[i].from, bytes);
		change_at(w, w->l->interval[i].to, -bytes);
	}
}

void
ts_live_walk_tile(struct ts_live_walk *w, size_t tile)
{
	struct ts_live_pairs p = ts_tile_lives_pairs(w->l, tile);
	uint32_t class;
	int64_t bytes;

	while (ts_live_pairs_next(&p, &class, &bytes) && class < w->l->classes)
		ts_live_walk_pair(w, class, bytes);
}

size_t
ts_live_walk_runs(struct ts_live_walk *w, const struct ts_live_run **run)
{
	size_t words = w->l->points / 64 + 1, n = 0;
	int64_t bytes = 0;

	for (size_t i = 0; i < words; i++) {
		for (; w->bits[i]; w->bits[i] &= w->bits[i] - 1) {
			uint32_t point = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(w->bits[i]);

			if (w->change[point] == 0)
				continue;
			bytes += w->change[point];
			w->change[point] = 0;
			w->run[n++] = (struct ts_live_run){point, bytes};
		}
	}
	*run = w->run;
	return n;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Tiles whose bytes are added up by class, by two where there are many: each into lines of its own. */
struct summing {
	const struct ts_tile_lives *l;
	bool (*has)(const void *set, int64_t tile);
	const void *set;
	const struct ts_cancel *cancel;
	uint64_t *of_class[TS_BESIDE];
	_Atomic size_t next;
};

static void
sum_tiles(void *ctx, int who)
{
	struct summing *x = ctx;
	const struct ts_tile_lives *l = x->l;
	size_t from;

	while ((from = atomic_fetch_add(&x->next, LOOK)) < l->tiles && !ts_cancelled(x->cancel))
		for (size_t i = from; i < l->tiles && i < from + LOOK; i++) {
			struct ts_live_pairs p = ts_tile_lives_pairs(l, i);
			uint32_t class;
			int64_t bytes;

			if (x->has && !x->has(x->set, l->tile[i].tile))
				continue;
			while (ts_live_pairs_next(&p, &class, &bytes) && class < l->classes)
				x->of_class[who][class] += (uint64_t)bytes;
		}
}

/* Bytes by class into changes at the points. */
static void
spread_classes(int64_t *change, const struct ts_tile_lives *l, const uint64_t *of_class)
{
	for (size_t k = 0; k < l->classes; k++) {
		const struct ts_live_class *c = &l->class[k];

		for (uint32_t i = c->first; of_class[k] && i < c->first + c->count; i++) {
			const struct ts_live_interval *t = &l->interval[i];

			change[t->from] = (int64_t)((uint64_t)change[t->from] + of_class[k]);
			change[t->to] = (int64_t)((uint64_t)change[t->to] - of_class[k]);
		}
	}
}

enum ts_code
ts_tile_lives_sum(int64_t *out, const struct ts_tile_lives *l,
	bool (*has)(const void *set, int64_t tile), const void *set, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct summing x = {.l = l, .has = has, .set = set, .cancel = cancel};
	size_t tiles = 0;
	bool room;

	for (size_t i = 0; i < l->tiles; i++)
		tiles += !has || has(set, l->tile[i].tile);
	for (int who = 0; who < TS_BESIDE; who++)
		x.of_class[who] = ts_alloc(l->classes, sizeof(*x.of_class[who]));
	room = x.of_class[0] && x.of_class[1];
	memset(out, 0, l->points * sizeof(*out));
	if (room) {
		if (tiles >= BOTH_TILES)
			ts_beside(sum_tiles, &x);
		else
			sum_tiles(&x, 0);
		spread_classes(out, l, x.of_class[0]);
		spread_classes(out, l, x.of_class[1]);
		ts_live_sum_up(out, l->points);
	}
	free(x.of_class[0]);
	free(x.of_class[1]);
	if (!room)
		return ts_err_nomem(err);
	return ts_cancelled(cancel) ? ts_err_set(err, TS_E_CANCELLED, "cancelled") : TS_OK;
}

void
ts_tile_lives_steps(int64_t *out, int64_t from, int64_t to, const struct ts_tile_lives *l,
	const int64_t *by_span)
{
	size_t next = points_up_to(l, from);

	for (int64_t step = from; step < to;) {
		int64_t end = next < l->points ? ts_min_i64(l->point[next], to) : to;
		int64_t bytes = next > 0 ? by_span[next - 1] : 0;

		for (; step < end; step++)
			out[step - from] = bytes;
		next++;
	}
}

void
ts_tile_lives_peak(int64_t *bytes, int64_t *step, const struct ts_tile_lives *l,
	const int64_t *by_span)
{
	*bytes = 0;
	*step = TS_UNKNOWN;
	for (size_t i = 0; i < l->points; i++)
		if (by_span[i] > *bytes) {
			*bytes = by_span[i];
			*step = l->point[i];
		}
}
