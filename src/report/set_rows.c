/* SPDX-License-Identifier: MIT */
/*
 * set_rows - see the header.
 *
 * Half a million rows in a few milliseconds. What a row adds to lies anywhere among hundreds of
 * thousands of kinds, so there is a number for each, found without a search, and lines only of
 * those that came: the first touch of a page of memory takes longer than a hundred rows. Kinds of
 * the same name, where there are several, have the line of the first. Only the largest are put in
 * order. Where figures of a tile do not fit 32 bits others count.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/dense.h"
#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/memory.h"

#include "set_rows.h"

enum {
	BITS = 64,
	LOOK = 16,	      /* tiles from one look at the token to the next */
	KINDS_MOST = 1 << 19, /* what lines of more would take is no ordinary memory: 20 MiB */
};

struct line {
	uint64_t bytes;
	uint32_t pieces, tiles;
	uint32_t last_tile, fullest_tile; /* indices of tiles */
	uint32_t on_tile, fullest;
};

struct summing {
	struct ts_set_variables *v;
	struct ts_kinds rows;
	uint32_t *number;  /* by kind: that of its line, + 1; 0: it has not come */
	struct line *line; /* in the order in which they came */
	uint32_t *kind;	   /* of a line */
	uint32_t names;	   /* lines */
	bool fits;
};

enum { NO_LINE = INT32_MAX };

/* A row of a line, of at most 32 bits of bytes. False: those on the tile do not fit any more. */
static inline bool
count(struct line *l, uint32_t tile, uint32_t bytes)
{
	uint32_t on_tile = 0;

	if (l->last_tile == tile && l->pieces > 0)
		on_tile = l->on_tile;
	else
		l->tiles++;
	l->last_tile = tile;
	l->pieces++;
	l->bytes += bytes;
	l->on_tile = on_tile + bytes;
	if (l->on_tile < bytes)
		return false;
	if (l->on_tile > l->fullest || l->pieces == 1) {
		l->fullest = l->on_tile;
		l->fullest_tile = tile;
	}
	return true;
}

/* The line of a kind, which may be its first row. NO_LINE: there are too many. */
static uint32_t
line_of(struct summing *s, uint32_t kind)
{
	uint32_t n = s->number[kind];

	if (n > 0)
		return n - 1;
	if (s->names >= TS_SET_NAMES)
		return NO_LINE;
	s->kind[s->names] = kind;
	s->number[kind] = ++s->names;
	return s->names - 1;
}

/* From the kinds of a batch to their lines. Both lie anywhere: all are fetched together, before the first is needed. */
static void
find_lines(struct summing *s, uint32_t *kind, int n)
{
	for (int i = 0; i < n; i++) {
		if (s->rows.not_alone[kind[i] / BITS] >> kind[i] % BITS & 1)
			kind[i] = s->rows.first[kind[i]];
		__builtin_prefetch(&s->number[kind[i]], 1);
	}
	for (int i = 0; i < n; i++) {
		kind[i] = line_of(s, kind[i]);
		if (kind[i] != NO_LINE)
			__builtin_prefetch(&s->line[kind[i]], 1);
	}
}

/* A batch; `kind` of its rows is their line afterwards. */
static void
add_rows(struct summing *s, uint32_t tile, uint32_t *kind, const int64_t *bytes, int n)
{
	struct ts_set_variables *v = s->v;
	bool fits = true;
	int64_t sum = 0;

	find_lines(s, kind, n);
	for (int i = 0; i < n; i++) {
		fits &= bytes[i] <= UINT32_MAX;
		sum += (uint32_t)bytes[i];
		if (kind[i] == NO_LINE)
			v->others++;
		else
			fits &= count(&s->line[kind[i]], tile, (uint32_t)bytes[i]);
	}
	s->fits &= fits;
	v->found += n;
	if (v->bytes != TS_UNKNOWN && !ts_add_i64(&v->bytes, sum))
		v->bytes = TS_UNKNOWN;
}

/* *sound false: the section is not to be believed, or what it says does not fit here. */
static void
add_tile(bool *sound, struct summing *s, size_t tile)
{
	struct ts_tile_rows_walk w = ts_tile_rows_begin(&s->rows, tile);
	uint32_t kind[TS_TILE_ROWS_BATCH];
	int64_t bytes[TS_TILE_ROWS_BATCH];
	int n;

	s->v->bad_rows += s->rows.tile[tile].unsized;
	while ((n = ts_tile_rows_next(&w, kind, bytes)) > 0)
		add_rows(s, (uint32_t)tile, kind, bytes, n);
	*sound = w.sound && s->fits;
}

static ptrdiff_t
find_tile(const struct ts_kinds *t, int64_t tile)
{
	size_t low = 0, high = t->tiles;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->tile[middle].tile < tile)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->tiles && t->tile[low].tile == tile ? (ptrdiff_t)low : -1;
}

static enum ts_code
add_tiles(bool *sound, struct summing *s, const int64_t *tiles, size_t n,
	const struct ts_cancel *cancel, struct ts_progress *progress, struct ts_err *err)
{
	for (size_t i = 0; *sound && i < n; i++) {
		ptrdiff_t at = find_tile(&s->rows, tiles[i]);

		if (i % LOOK == 0)
			ts_progress_set(progress, (int64_t)i, (int64_t)n);
		if (i % LOOK == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (at >= 0)
			add_tile(sound, s, (size_t)at);
	}
	return TS_OK;
}

/* Rows of these tiles: no more lines than rows, nor than kinds. */
static size_t
lines_of(const struct ts_kinds *k, const int64_t *tiles, size_t n)
{
	size_t rows = 0;

	for (size_t i = 0; i < n && rows < k->kinds; i++) {
		ptrdiff_t at = find_tile(k, tiles[i]);

		rows += at >= 0 ? k->tile[at].rows : 0;
	}
	return rows < k->kinds ? rows : k->kinds;
}

static enum ts_code
keep_largest(struct summing *s, struct ts_err *err)
{
	struct ts_set_variables *v = s->v;
	struct ts_top top;

	v->names = s->names;
	v->row = ts_alloc(TS_SET_VARIABLES, sizeof(*v->row));
	if (!v->row || !ts_top_init(&top, TS_SET_VARIABLES))
		return ts_err_nomem(err);
	for (uint32_t i = 0; i < s->names; i++)
		(void)ts_top_offer(&top, (int64_t)s->line[i].bytes, i);
	ts_top_sort(&top);
	v->count = (size_t)top.count;
	for (size_t i = 0; i < v->count; i++) {
		const struct line *l = &s->line[top.entry[i].tie];
		uint32_t name = s->rows.kind[s->kind[top.entry[i].tie]].name;

		v->row[i] = (struct ts_set_variable){.key = name == TS_KIND_NAMELESS
				? TS_UNKNOWN
				: (int64_t)name,
			.bytes = (int64_t)l->bytes,
			.pieces = l->pieces,
			.tiles = l->tiles,
			.fullest = l->fullest,
			.fullest_tile = s->rows.tile[l->fullest_tile].tile};
	}
	ts_top_fini(&top);
	return TS_OK;
}

enum ts_code
set_rows_sum(bool *done, struct ts_set_variables *v, const struct ts_kinds *kinds,
	const int64_t *tiles, size_t n, const struct ts_cancel *cancel,
	struct ts_progress *progress, struct ts_err *err)
{
	struct summing s = {.v = v, .rows = *kinds, .fits = true};
	enum ts_code code = TS_OK;
	size_t lines;

	*done = kinds->names != TS_UNKNOWN && kinds->kinds <= KINDS_MOST;
	if (!*done)
		return TS_OK;
	lines = lines_of(kinds, tiles, n);
	s.number = ts_dense_alloc(kinds->kinds + 1, sizeof(*s.number));
	s.line = ts_dense_alloc(lines + 1, sizeof(*s.line));
	s.kind = ts_dense_alloc(lines + 1, sizeof(*s.kind));
	if (!s.number || !s.line || !s.kind)
		code = ts_err_nomem(err);
	if (!code)
		code = add_tiles(done, &s, tiles, n, cancel, progress, err);
	if (!code && *done)
		code = keep_largest(&s, err);
	if (!*done)
		v->found = v->bytes = v->others = v->bad_rows = 0;
	free(s.number);
	free(s.line);
	free(s.kind);
	return code;
}

/* --- of an IPU, kept ---------------------------------------------------------------------------- */

/* The IPU whose tiles (those that have rows) these are; TS_UNKNOWN: of none. */
static int64_t
ipu_of(const struct ts_kinds *k, const int64_t *tiles, size_t n)
{
	int64_t ipu = TS_UNKNOWN;

	for (size_t i = 0; i < n && ipu == TS_UNKNOWN; i++) {
		ptrdiff_t at = find_tile(k, tiles[i]);

		if (at >= 0 && k->tile[at].ipu == TS_UNKNOWN)
			return TS_UNKNOWN;
		ipu = at >= 0 ? k->tile[at].ipu : ipu;
	}
	for (size_t i = 0, t = 0; i < k->tiles && ipu != TS_UNKNOWN; i++) {
		while (t < n && tiles[t] < k->tile[i].tile)
			t++;
		if ((t < n && tiles[t] == k->tile[i].tile) != (k->tile[i].ipu == ipu))
			return TS_UNKNOWN;
	}
	return ipu;
}

static enum ts_code
take_kept(struct ts_set_variables *v, const struct ts_kinds *k, const struct ts_kept_names *kept,
	struct ts_err *err)
{
	v->row = ts_alloc(TS_SET_VARIABLES, sizeof(*v->row));
	if (!v->row)
		return ts_err_nomem(err);
	v->names = (size_t)kept->names;
	v->found = kept->found;
	v->bytes = kept->bytes;
	v->others = kept->others;
	v->bad_rows = kept->bad_rows;
	for (v->count = 0; v->count < kept->count; v->count++) {
		const struct ts_kept_name *r = &k->kept_name[kept->first + v->count];

		v->row[v->count] = (struct ts_set_variable){.key = r->key,
			.bytes = r->bytes,
			.pieces = r->pieces,
			.tiles = r->tiles,
			.fullest = r->fullest,
			.fullest_tile = r->fullest_tile};
	}
	return TS_OK;
}

static bool
is_sound(const struct ts_kinds *k, const struct ts_kept_names *kept)
{
	if (kept->found < 0 || kept->bytes < TS_UNKNOWN || kept->others < 0 || kept->bad_rows < 0 ||
		kept->count > TS_SET_VARIABLES || kept->first > k->kept_rows ||
		kept->count > k->kept_rows - kept->first)
		return false;
	for (uint64_t i = 0; i < kept->count; i++) {
		const struct ts_kept_name *r = &k->kept_name[kept->first + i];

		if (r->key < TS_UNKNOWN || r->key >= k->names || r->bytes < TS_UNKNOWN ||
			r->pieces < 0 || r->tiles < 0 || r->fullest < 0 || r->fullest_tile < 0)
			return false;
	}
	return true;
}

/* What is kept of the IPU that has just these tiles; NULL: nothing. */
static const struct ts_kept_names *
kept_of(const struct ts_kinds *k, const int64_t *tiles, size_t n)
{
	int64_t ipu = k->kept > 0 ? ipu_of(k, tiles, n) : TS_UNKNOWN;

	for (size_t i = 0; i < k->kept && ipu != TS_UNKNOWN; i++)
		if (k->kept_names[i].ipu == ipu && is_sound(k, &k->kept_names[i]))
			return &k->kept_names[i];
	return NULL;
}

bool
set_rows_kept(struct ts_reader *rd, const int64_t *tiles, size_t n)
{
	struct ts_kinds k;

	return ts_tile_rows_of(&k, rd->index) && kept_of(&k, tiles, n);
}

enum ts_code
set_rows_read(bool *done, struct ts_set_variables *v, struct ts_reader *rd, int64_t names,
	const int64_t *tiles, size_t n, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_kept_names *kept;
	struct ts_kinds k;

	*done = ts_tile_rows_of(&k, rd->index) && k.names == names;
	if (!*done)
		return TS_OK;
	kept = kept_of(&k, tiles, n);
	return kept ? take_kept(v, &k, kept, err)
		    : set_rows_sum(done, v, &k, tiles, n, rd->cancel, progress, err);
}
