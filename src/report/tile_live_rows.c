/* SPDX-License-Identifier: MIT */
/*
 * tile_live_rows - from rows of lowered_variable to pairs.
 *
 * Bytes of the tile under way lie in an array by class; which classes were touched is known twice: as a list, for
 * tiles that have few, and as bits, which give them in order without sorting. Packed, a pair is two
 * numbers of 7 bits a byte: how far the class is behind the one before, less one, and the bytes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_ipus.h"

#include "tile_live_internal.h"

enum { PROGRESS_ROWS = 8192, MERGE_FIRST = 1 << 20, PACKED = 20, LOOK = 256, FEW = 8 };

struct fragment {
	int64_t tile, always, unplaced;
	uint64_t at;
	uint32_t pairs, order;
};

/* --- the tile under way ----------------------------------------------------------------------- */

enum ts_code
ts_live_gather_begin(struct ts_live_gather *g, const struct ts_live_axis *a,
	const struct ts_cache *cache, struct ts_err *err)
{
	size_t n = a->classes > 0 ? a->classes : 1;
	enum ts_code code;

	*g = (struct ts_live_gather){.axis = a,
		.cache = cache,
		.tile = -1,
		.merge_at = MERGE_FIRST};
	code = ts_pile_room(&g->sum, n * sizeof(int64_t), cache, err);
	if (!code)
		code = ts_pile_room(&g->touched, n * sizeof(uint32_t), cache, err);
	if (!code)
		code = ts_pile_room(&g->bits, (n / 64 + 1) * sizeof(uint64_t), cache, err);
	return code;
}

void
ts_live_gather_fini(struct ts_live_gather *g)
{
	ts_pile_fini(&g->sum);
	ts_pile_fini(&g->touched);
	ts_pile_fini(&g->bits);
	ts_pile_fini(&g->fragment);
	ts_pile_fini(&g->pairs);
	*g = (struct ts_live_gather){0};
}

static inline void
touch(struct ts_live_gather *g, uint32_t class, int64_t bytes)
{
	int64_t *sum = g->sum.memory;

	if (sum[class] == 0 && bytes > 0) {
		((uint32_t *)g->touched.memory)[g->touches++] = class;
		((uint64_t *)g->bits.memory)[class / 64] |= UINT64_C(1) << class % 64;
	}
	sum[class] += bytes;
}

static int
by_class(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The touched classes in order. */
static void
order_touched(struct ts_live_gather *g)
{
	uint32_t *touched = g->touched.memory;
	uint64_t *bits = g->bits.memory;
	size_t words = g->axis->classes / 64 + 1, n = 0;

	if (g->touches < words / FEW) {
		qsort(touched, g->touches, sizeof(*touched), by_class);
		for (size_t i = 0; i < g->touches; i++)
			bits[touched[i] / 64] = 0;
		return;
	}
	for (size_t w = 0; w < words; w++)
		for (; bits[w]; bits[w] &= bits[w] - 1)
			touched[n++] = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(bits[w]));
}

static size_t
pack(unsigned char *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 128; v >>= 7)
		to[n++] = (unsigned char)(v | 128);
	to[n++] = (unsigned char)v;
	return n;
}

static enum ts_code
put_fragment(struct ts_live_gather *g, const struct fragment *f, struct ts_err *err)
{
	enum ts_code code = ts_pile_add(&g->fragment, f, sizeof(*f), g->cache, err);

	g->fragments += !code;
	return code;
}

/* Put the tile under way away. */
static enum ts_code
flush(struct ts_live_gather *g, struct ts_err *err)
{
	struct fragment f = {.tile = g->tile,
		.always = g->always,
		.unplaced = g->unplaced,
		.at = g->pairs.used,
		.pairs = (uint32_t)g->touches};
	const uint32_t *touched = g->touched.memory;
	int64_t *sum = g->sum.memory;
	enum ts_code code = TS_OK;
	uint32_t next = 0;

	if (g->tile < 0)
		return TS_OK;
	order_touched(g);
	for (size_t i = 0; i < g->touches; i++) {
		unsigned char b[PACKED];
		size_t n = pack(b, touched[i] - next);

		n += pack(b + n, (uint64_t)sum[touched[i]]);
		sum[touched[i]] = 0;
		next = touched[i] + 1;
		if (!code)
			code = ts_pile_add(&g->pairs, b, n, g->cache, err);
	}
	g->touches = 0;
	g->tile = -1;
	g->always = g->unplaced = 0;
	return code ? code : put_fragment(g, &f, err);
}

/* --- several fragments of a tile -------------------------------------------------------------- */

static int
by_tile(const void *a, const void *b)
{
	const struct fragment *x = a, *y = b;

	return (x->tile > y->tile) - (x->tile < y->tile);
}

static size_t
packed_size(const struct ts_pile *pairs, const struct fragment *f)
{
	const unsigned char *p = (const unsigned char *)pairs->memory + f->at, *q = p;

	for (uint32_t left = 2 * f->pairs; left > 0; q++)
		left -= *q < 128;
	return (size_t)(q - p);
}

/* A fragment that is alone for its tile. */
static enum ts_code
keep_fragment(struct ts_live_gather *g, const struct ts_pile *pairs, struct fragment f,
	struct ts_err *err)
{
	size_t n = packed_size(pairs, &f);
	const unsigned char *p = (const unsigned char *)pairs->memory + f.at;
	enum ts_code code;

	f.at = g->pairs.used;
	code = n > 0 ? ts_pile_add(&g->pairs, p, n, g->cache, err) : TS_OK;
	return code ? code : put_fragment(g, &f, err);
}

/* Add a fragment to the tile under way. */
static void
add_fragment(struct ts_live_gather *g, const struct ts_pile *pairs, const struct fragment *f)
{
	const unsigned char *p = (const unsigned char *)pairs->memory + f->at;
	struct ts_live_pairs it = {p, p + pairs->used - f->at, 0, f->pairs};
	uint32_t class;
	int64_t bytes;

	g->tile = f->tile;
	g->always += f->always;
	g->unplaced += f->unplaced;
	while (ts_live_pairs_next(&it, &class, &bytes))
		touch(g, class, bytes);
}

/* One fragment for each tile, by tile. */
static enum ts_code
settle(struct ts_live_gather *g, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_pile fragment, pairs;
	size_t count;
	enum ts_code code = flush(g, err);

	if (!code)
		code = ts_pile_sort(&g->fragment, g->fragments, sizeof(struct fragment), by_tile,
			g->cache, cancel, err);
	fragment = g->fragment;
	pairs = g->pairs;
	count = g->fragments;
	g->fragment = g->pairs = (struct ts_pile){0};
	g->fragments = 0;
	for (size_t i = 0, end; !code && i < count; i = end) {
		const struct fragment *f = fragment.memory;

		for (end = i + 1; end < count && f[end].tile == f[i].tile; end++)
			;
		if (i % LOOK == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (end == i + 1)
			code = keep_fragment(g, &pairs, f[i], err);
		for (size_t k = i; !code && end > i + 1 && k < end; k++)
			add_fragment(g, &pairs, &f[k]);
		if (!code)
			code = flush(g, err);
	}
	ts_pile_fini(&fragment);
	ts_pile_fini(&pairs);
	g->merge_at = 2 * g->fragments + MERGE_FIRST;
	return code;
}

enum ts_code
ts_live_gather_end(struct ts_live_gather *g, struct ts_err *err)
{
	return flush(g, err);
}

enum ts_code
ts_live_gather_merge(bool *fits, struct ts_live_gather *g, const struct ts_live_gather *from,
	struct ts_err *err)
{
	uint64_t base = g->pairs.used;
	enum ts_code code = ts_pile_add(&g->pairs, from->pairs.memory, from->pairs.used, g->cache,
		err);

	*fits = ts_add_i64(&g->bytes, from->bytes);
	for (size_t i = 0; !code && i < from->fragments; i++) {
		struct fragment f = ((const struct fragment *)from->fragment.memory)[i];

		f.at += base;
		code = put_fragment(g, &f, err);
	}
	g->rows += from->rows;
	g->bad_rows += from->bad_rows;
	g->too_large += from->too_large;
	g->unplaced_rows += from->unplaced_rows;
	return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

struct ts_rows_query
ts_live_query(void)
{
	return (struct ts_rows_query){.columns = {TS_LOWERED_VARIABLE_TILE,
					      TS_LOWERED_VARIABLE_BYTES, TS_LOWERED_VARIABLE_CLASS,
					      TS_LOWERED_VARIABLE_ALWAYS_LIVE},
		.column_count = TS_LIVE_COLUMNS,
		.past_damage = true};
}

bool
ts_live_row_of(struct ts_live_row *r, const struct ts_rows_block *b, int k)
{
	*r = (struct ts_live_row){.class = TS_UNKNOWN};
	if (b->is[TS_LIVE_TILE] != TS_VALUE_OK || b->is[TS_LIVE_BYTES] != TS_VALUE_OK ||
		b->is[TS_LIVE_ALWAYS] == TS_VALUE_BAD)
		return false;
	r->tile = b->v[TS_LIVE_TILE][k];
	r->bytes = b->v[TS_LIVE_BYTES][k];
	if (b->is[TS_LIVE_CLASS] == TS_VALUE_OK)
		r->class = b->v[TS_LIVE_CLASS][k];
	if (b->is[TS_LIVE_ALWAYS] == TS_VALUE_OK)
		r->always = b->v[TS_LIVE_ALWAYS][k];
	return true;
}

enum ts_code
ts_live_gather_add(struct ts_live_gather *g, const struct ts_live_row *r, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	ptrdiff_t class;

	if (r->tile != g->tile)
		code = flush(g, err);
	if (code)
		return code;
	g->tile = r->tile;
	if (!ts_add_i64(&g->bytes, r->bytes)) {
		g->too_large++;
		return TS_OK;
	}
	if (r->always > 0) {
		g->always += r->bytes;
		return TS_OK;
	}
	class = ts_live_axis_class(g->axis, r->class);
	if (class < 0) {
		g->unplaced += r->bytes;
		g->unplaced_rows++;
		return TS_OK;
	}
	touch(g, (uint32_t) class, r->bytes);
	return TS_OK;
}

static enum ts_code
add_block(struct ts_live_gather *g, const struct ts_rows_block *b,
	bool (*has)(const void *set, int64_t tile), const void *set, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct ts_live_row r;

	g->rows += b->rows;
	for (int k = 0; !code && k < b->rows; k++) {
		if (!ts_live_row_of(&r, b, k)) { /* nor are the others of its block */
			g->bad_rows += b->rows;
			return TS_OK;
		}
		if (!has || has(set, r.tile))
			code = ts_live_gather_add(g, &r, err);
	}
	return code;
}

enum ts_code
ts_live_gather_read(struct ts_live_gather *g, struct ts_reader *rd, const struct ts_rows_query *q,
	bool (*has)(const void *set, int64_t tile), const void *set, int64_t total,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows *rows;
	struct ts_rows_block b;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, q, err), more;
	int64_t told = g->rows;
	struct ts_err why;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		code = add_block(g, &b, has, set, err);
		if (!code && g->fragments > g->merge_at)
			code = settle(g, rd->cancel, err);
		if (code)
			break;
		if (g->rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = g->rows, total);
	}
	ts_rows_close(rows);
	more = flush(g, &why);
	if (more && (!code || code == TS_E_DAMAGED)) {
		if (err)
			*err = why;
		code = more;
	}
	return code;
}

/* --- the table -------------------------------------------------------------------------------- */

/* What tile_memory, the IPUs and the target say of tiles. */
struct known {
	struct ts_tiles tiles;
	struct ts_tile_ipus ipus;
	bool bases; /* always-live bytes of tile_memory fit beside all others */
};

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM;
}

static enum ts_code
read_known(struct known *k, const struct ts_live_gather *g, struct ts_reader *rd,
	struct ts_err *err)
{
	enum ts_code code = ts_tiles_read(&k->tiles, rd, err);
	struct ts_target target;
	int64_t all = g->bytes;

	if (ends_all(code))
		return code;
	code = ts_target_read(&target, rd, code || k->tiles.partial ? 0 : k->tiles.rows,
		ts_step_ipus(rd->report), err);
	if (ends_all(code))
		return code;
	code = ts_tile_ipus_of(&k->ipus, &k->tiles, &target, rd, err);
	if (code)
		return code;
	k->bases = true;
	for (size_t i = 0; i < k->tiles.count; i++)
		k->bases = k->bases &&
			(k->tiles.tile[i].always_live == TS_UNKNOWN ||
				ts_add_i64(&all, k->tiles.tile[i].always_live));
	return TS_OK;
}

/* A fragment for each tile that has a figure: tiles may have no variables. */
static enum ts_code
add_known(struct ts_live_gather *g, const struct known *k, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && k->bases && i < k->tiles.count; i++) {
		struct fragment f = {.tile = k->tiles.tile[i].tile};

		if (k->tiles.tile[i].always_live != TS_UNKNOWN)
			code = put_fragment(g, &f, err);
	}
	return code;
}

static uint32_t
ipu_of(const struct known *k, int64_t tile)
{
	int64_t ipu = ts_tile_ipus_find(&k->ipus, tile);

	return ipu < 0 || ipu >= TS_LIVE_NO_IPU ? TS_LIVE_NO_IPU : (uint32_t)ipu;
}

static enum ts_code
make_tiles(struct ts_tile_lives *l, const struct ts_live_gather *g, const struct known *k,
	struct ts_err *err)
{
	const struct fragment *f = g->fragment.memory;
	enum ts_code code = ts_pile_room(&l->pile[3], g->fragments * sizeof(*l->tile), g->cache,
		err);
	struct ts_tile_live *tile = l->pile[3].memory;

	for (size_t i = 0; !code && i < g->fragments; i++) {
		ptrdiff_t at = ts_tiles_find(&k->tiles, f[i].tile);
		const struct ts_tile *t = at < 0 ? NULL : &k->tiles.tile[at];

		tile[i] = (struct ts_tile_live){.tile = f[i].tile,
			.base = f[i].always,
			.always = f[i].always,
			.unplaced = f[i].unplaced,
			.step = TS_UNKNOWN,
			.at = f[i].at,
			.pairs = f[i].pairs,
			.ipu = ipu_of(k, f[i].tile)};
		if (k->bases && t && t->always_live != TS_UNKNOWN)
			tile[i].base = t->always_live;
	}
	l->tile = tile;
	l->tiles = code ? 0 : g->fragments;
	return code;
}

static void
take(struct ts_pile *to, struct ts_pile *from)
{
	*to = *from;
	*from = (struct ts_pile){0};
}

static enum ts_code
find_peaks(struct ts_tile_lives *l, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_live_walk *w = ts_live_walk_new(l);
	struct ts_tile_live *tile = l->pile[3].memory;
	enum ts_code code = w ? TS_OK : ts_err_nomem(err);

	for (size_t i = 0; !code && i < l->tiles; i++) {
		const struct ts_live_run *run;
		size_t n;

		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		ts_live_walk_tile(w, i);
		n = ts_live_walk_runs(w, &run);
		for (size_t k = 0; k < n; k++)
			if (run[k].bytes > tile[i].peak) {
				tile[i].peak = run[k].bytes;
				tile[i].step = l->point[run[k].point];
			}
	}
	ts_live_walk_free(w);
	return code;
}

static void
fill_in(struct ts_tile_lives *l, struct ts_live_axis *a, struct ts_live_gather *g)
{
	l->points = a->points;
	l->classes = a->classes;
	l->intervals = a->intervals;
	l->steps = a->steps;
	l->bad_intervals = a->bad_intervals;
	l->reversed = a->reversed;
	l->beyond = a->beyond;
	l->rows = g->rows;
	l->bad_rows = g->bad_rows;
	l->too_large = g->too_large;
	l->unplaced = g->unplaced_rows;
	l->bytes = g->pairs.used;
	take(&l->pile[0], &a->point);
	take(&l->pile[1], &a->class);
	take(&l->pile[2], &a->interval);
	take(&l->pile[4], &g->pairs);
	l->point = l->pile[0].memory;
	l->class = l->pile[1].memory;
	l->interval = l->pile[2].memory;
	l->pairs = l->pile[4].memory;
}

enum ts_code
ts_live_table(struct ts_tile_lives **out, struct ts_live_axis *a, struct ts_live_gather *g,
	struct ts_reader *rd, bool all, struct ts_err *err)
{
	struct ts_tile_lives *l = ts_alloc(1, sizeof(*l));
	struct known known = {0};
	enum ts_code code = l ? TS_OK : ts_err_nomem(err);

	*out = NULL;
	if (!code)
		code = read_known(&known, g, rd, err);
	if (!code && all)
		code = add_known(g, &known, err);
	if (!code)
		code = settle(g, rd->cancel, err);
	if (l) {
		atomic_init(&l->uses, 1);
		fill_in(l, a, g);
		l->some = !all;
	}
	if (!code)
		code = make_tiles(l, g, &known, err);
	if (!code)
		code = find_peaks(l, rd->cancel, err);
	if (!code && all)
		code = ts_live_crests(l, g->cache, rd->cancel, err);
	ts_tiles_fini(&known.tiles);
	ts_tile_ipus_fini(&known.ipus);
	if (code)
		ts_tile_lives_close(l);
	else
		*out = l;
	return code;
}
