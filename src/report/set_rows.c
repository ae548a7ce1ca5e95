/* SPDX-License-Identifier: MIT */
/*
 * set_rows - see the header.
 *
 * Half a million rows in a few milliseconds, of which a page of memory that is touched for the first time takes as
 * much as a thousand. So the rows are gone through twice: the first time they are added up by kind, an addition each,
 * which says how many names there are and which are the largest; the second time all the rest is counted, of these
 * names alone.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/dense.h"
#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/memory.h"

#include "set_rows.h"

enum {
	BITS = 64,
	LOOK = 16,	   /* tiles from one look at the token to the next */
	CATEGORY_SEEN = 3, /* so that no category is 0 */
};

/* One of the largest names, and those as large as the last of these. */
struct line {
	int64_t bytes;
	uint32_t first; /* of its kinds */
	uint32_t order; /* in which it came */
	int64_t pieces, tiles;
	size_t last_tile, fullest_tile; /* indices of tiles */
	int64_t on_tile, fullest;
	int32_t category; /* as in struct ts_set_variable */
};

struct summing {
	struct ts_set_variables *v;
	struct ts_kinds rows;
	const int64_t *tiles;
	size_t n, most; /* names that are kept */
	uint64_t *
		sum; /* by kind: as in struct ts_kind_sums; then the number of its line, + 1; 0: it has none */
	int32_t *
		mixed; /* of the first of several kinds of a name: their category, + CATEGORY_SEEN; 0: none so far */
	struct ts_pile lines_of; /* struct line: no more than there are kinds */
	struct line *line;
	size_t lines;
	uint32_t came; /* lines */
};

static bool
is_alone(const struct ts_kinds *k, size_t kind)
{
	return !(k->not_alone[kind / BITS] >> kind % BITS & 1);
}

/* Before there are lines. */
static int64_t
bytes_of(const struct summing *s, size_t kind)
{
	return (int64_t)(s->sum[kind] & (TS_KIND_ROW - 1));
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

/* --- bytes of each name ------------------------------------------------------------------------- */

static bool
has_tile(const void *ctx, int64_t tile)
{
	const struct summing *s = ctx;

	return ts_has_i64(s->tiles, s->n, tile);
}

static int32_t
category_of(const struct summing *s, size_t kind)
{
	uint16_t category = s->rows.category[kind];

	return category == TS_KIND_NO_CATEGORY ? TS_SET_NO_CATEGORY : category;
}

/* Kinds of a name have all that the name has where the first of them is, which comes before the others. */
static void
join_names(struct summing *s)
{
	for (size_t i = 0; i < s->rows.kinds; i++) {
		size_t first = s->rows.first[i];

		if (s->sum[i] == 0 || is_alone(&s->rows, i))
			continue;
		s->mixed[first] = CATEGORY_SEEN +
			(s->mixed[first] == 0
					? category_of(s, i)
					: ts_set_category_with(s->mixed[first] - CATEGORY_SEEN,
						  category_of(s, i)));
		if (first == i)
			continue;
		/* that there are rows has to be seen, not how many */
		s->sum[first] = (uint64_t)(bytes_of(s, first) + bytes_of(s, i)) | TS_KIND_ROW;
		s->sum[i] = 0;
	}
}

/* What the tiles have without regard to names. */
static void
count_tiles(struct summing *s)
{
	for (size_t i = 0; i < s->n; i++) {
		ptrdiff_t at = find_tile(&s->rows, s->tiles[i]);

		if (at < 0)
			continue;
		s->v->found += s->rows.tile[at].rows;
		s->v->bad_rows += s->rows.tile[at].unsized;
	}
}

/* How many names there are, and how large one has to be to be among the largest: where all are kept, any. */
static enum ts_code
count_names(struct summing *s, int64_t *least, struct ts_err *err)
{
	bool all = s->rows.kinds <= s->most;
	struct ts_top top;

	if (!ts_top_init(&top, all ? 1 : (int)s->most))
		return ts_err_nomem(err);
	for (size_t i = 0; i < s->rows.kinds; i++) {
		if (s->sum[i] == 0)
			continue;
		s->v->names++;
		s->v->bytes += bytes_of(s, i);
		if (!all)
			(void)ts_top_offer(&top, bytes_of(s, i), 0);
	}
	ts_top_sort(&top);
	*least = all || top.count == 0 ? 0 : top.entry[top.count - 1].value;
	ts_top_fini(&top);
	return TS_OK;
}

/* Lines of the names that are so large. In `sum` are their numbers then. */
static enum ts_code
make_lines(struct summing *s, int64_t least, struct ts_err *err)
{
	enum ts_code code;
	size_t n = 0;

	for (size_t i = 0; i < s->rows.kinds; i++)
		n += s->sum[i] > 0 && bytes_of(s, i) >= least;
	code = ts_pile_room(&s->lines_of, n * sizeof(*s->line), NULL, err);
	if (code)
		return code;
	s->line = s->lines_of.memory;
	for (size_t i = 0; i < s->rows.kinds; i++) {
		size_t first = s->rows.first[i];
		int64_t bytes = bytes_of(s, i);

		if (!is_alone(&s->rows, i) && first != i) {
			s->sum[i] = s->sum[first];
		} else if (s->sum[i] > 0 && bytes >= least) {
			s->line[s->lines] = (struct line){.bytes = bytes,
				.first = (uint32_t)i,
				.category = is_alone(&s->rows, i) ? category_of(s, i)
								  : s->mixed[i] - CATEGORY_SEEN};
			s->sum[i] = ++s->lines;
		} else {
			s->sum[i] = 0;
		}
	}
	return TS_OK;
}

/* --- the rest of the largest -------------------------------------------------------------------- */

static inline void
count(struct line *l, size_t tile, int64_t bytes, uint32_t *came)
{
	if (l->pieces == 0)
		l->order = (*came)++;
	if (l->pieces == 0 || l->last_tile != tile) {
		l->tiles++;
		l->on_tile = 0;
	}
	l->last_tile = tile;
	l->on_tile = ts_min_i64(l->on_tile + bytes, TS_NUMBER_MAX);
	if (l->on_tile > l->fullest || l->pieces == 0) {
		l->fullest = l->on_tile;
		l->fullest_tile = tile;
	}
	l->pieces++;
}

/* False: the section is not to be believed. */
static bool
count_tile(struct summing *s, size_t tile)
{
	struct ts_tile_rows_walk w = ts_tile_rows_begin(&s->rows, tile);
	uint32_t kind[TS_TILE_ROWS_BATCH];
	int64_t bytes[TS_TILE_ROWS_BATCH];
	int n;

	while ((n = ts_tile_rows_next(&w, kind, bytes)) > 0)
		for (int i = 0; i < n; i++)
			if (s->sum[kind[i]] > 0)
				count(&s->line[s->sum[kind[i]] - 1], tile, bytes[i], &s->came);
	return w.sound;
}

static enum ts_code
count_lines(bool *sound, struct summing *s, const struct ts_cancel *cancel,
	struct ts_progress *progress, struct ts_err *err)
{
	for (size_t i = 0; *sound && i < s->n; i++) {
		ptrdiff_t at = find_tile(&s->rows, s->tiles[i]);

		if (i % LOOK == 0)
			ts_progress_set(progress, (int64_t)i, (int64_t)s->n);
		if (i % LOOK == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (at >= 0)
			*sound = count_tile(s, (size_t)at);
	}
	return TS_OK;
}

enum ts_code
set_rows_add(struct ts_set_variables *v, const struct ts_set_variable *row, struct ts_err *err)
{
	enum ts_code code = ts_pile_add(&v->rows, row, sizeof(*row), NULL, err);

	v->row = v->rows.memory;
	v->count += code == TS_OK;
	return code;
}

enum ts_code
set_rows_keep(struct ts_set_variables *v, size_t n, size_t most, set_rows_name_fn *name,
	const void *ctx, struct ts_err *err)
{
	size_t kept = n < most ? n : most;
	size_t *at = ts_alloc(kept + 1, sizeof(*at)); /* by slot */
	enum ts_code code = TS_OK;
	struct ts_top top;

	if (!ts_top_init(&top, (int)kept) || !at)
		code = ts_err_nomem(err);
	for (size_t i = 0; !code && i < n; i++) {
		size_t order;
		struct ts_set_variable row = name(ctx, i, &order);
		int slot = ts_top_offer(&top, row.bytes == TS_UNKNOWN ? INT64_MAX : row.bytes,
			(int64_t)order);

		if (slot >= 0)
			at[slot] = i;
	}
	ts_top_sort(&top);
	for (int i = 0; !code && i < top.count; i++) {
		size_t order;
		struct ts_set_variable row = name(ctx, at[top.entry[i].slot], &order);

		code = set_rows_add(v, &row, err);
	}
	ts_top_fini(&top);
	free(at);
	return code;
}

static struct ts_set_variable
name_of_line(const void *ctx, size_t i, size_t *order)
{
	const struct summing *s = ctx;
	const struct line *l = &s->line[i];
	uint32_t name = s->rows.kind[l->first].name;

	*order = l->order;
	return (struct ts_set_variable){.key = name == TS_KIND_NAMELESS ? TS_UNKNOWN
									: (int64_t)name,
		.category = l->category,
		.bytes = l->bytes,
		.pieces = l->pieces,
		.tiles = l->tiles,
		.fullest = l->fullest,
		.fullest_tile = s->rows.tile[l->fullest_tile].tile};
}

static enum ts_code
sum_up(bool *done, struct summing *s, const struct ts_cancel *cancel, struct ts_progress *progress,
	struct ts_err *err)
{
	int64_t least = 0;
	enum ts_code code = ts_kinds_add_up(done, s->sum, &s->rows, has_tile, s, cancel, err);

	if (code || !*done)
		return code;
	join_names(s);
	count_tiles(s);
	code = count_names(s, &least, err);
	if (!code)
		code = make_lines(s, least, err);
	if (!code)
		code = count_lines(done, s, cancel, progress, err);
	return code || !*done ? code : set_rows_keep(s->v, s->lines, s->most, name_of_line, s, err);
}

enum ts_code
set_rows_sum(bool *done, struct ts_set_variables *v, const struct ts_kinds *kinds,
	const int64_t *tiles, size_t n, size_t most, const struct ts_cancel *cancel,
	struct ts_progress *progress, struct ts_err *err)
{
	struct summing s = {.lines_of.small = TS_PILE_SHOWN,
		.v = v,
		.rows = *kinds,
		.tiles = tiles,
		.n = n,
		.most = most};
	enum ts_code code = TS_OK;

	*done = kinds->names != TS_UNKNOWN;
	if (!*done)
		return TS_OK;
	s.sum = ts_dense_alloc(kinds->kinds + 1, sizeof(*s.sum));
	s.mixed = ts_dense_alloc(kinds->kinds + 1, sizeof(*s.mixed));
	code = s.sum && s.mixed ? sum_up(done, &s, cancel, progress, err) : ts_err_nomem(err);
	if (!*done)
		v->found = v->bytes = v->bad_rows = 0;
	if (!*done)
		v->names = v->count = 0;
	free(s.sum);
	free(s.mixed);
	ts_pile_fini(&s.lines_of);
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
	size_t most, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	v->names = (size_t)kept->names;
	v->found = kept->found;
	v->bytes = kept->bytes;
	v->others = kept->others;
	v->bad_rows = kept->bad_rows;
	for (uint64_t i = 0; !code && i < kept->count && i < most; i++) {
		const struct ts_kept_name *r = &k->kept_name[kept->first + i];

		code = set_rows_add(v,
			&(struct ts_set_variable){.key = r->key,
				.category = (int32_t)r->category,
				.bytes = r->bytes,
				.pieces = r->pieces,
				.tiles = r->tiles,
				.fullest = r->fullest,
				.fullest_tile = r->fullest_tile},
			err);
	}
	return code;
}

static bool
is_sound(const struct ts_kinds *k, const struct ts_kept_names *kept)
{
	if (kept->found < 0 || kept->bytes < TS_UNKNOWN || kept->others < 0 || kept->bad_rows < 0 ||
		kept->count > TS_SET_FIRST || kept->first > k->kept_rows ||
		kept->count > k->kept_rows - kept->first || kept->count > kept->names)
		return false;
	for (uint64_t i = 0; i < kept->count; i++) {
		const struct ts_kept_name *r = &k->kept_name[kept->first + i];

		if (r->key < TS_UNKNOWN || r->key >= k->names || r->bytes < TS_UNKNOWN ||
			r->pieces < 0 || r->tiles < 0 || r->fullest < 0 || r->fullest_tile < 0 ||
			r->category < TS_SET_SEVERAL || r->category > TS_CATEGORIES_MAX)
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

/* A category is the number of its name. */
static void
name_categories(struct ts_category_names *out, const struct ts_kinds *k)
{
	const char *s = k->category_text, *end = s + k->category_bytes;

	while (s < end && out->count < TS_CATEGORIES_MAX) {
		size_t n = strnlen(s, (size_t)(end - s));

		if (ts_category_named(out, s, n) != out->count - 1)
			return; /* twice: it is not to be believed */
		s += n + 1;
	}
}

enum ts_code
set_rows_read(bool *done, struct ts_set_variables *v, struct ts_reader *rd, int64_t names,
	const int64_t *tiles, size_t n, size_t most, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_kept_names *kept;
	struct ts_kinds k;

	*done = ts_tile_rows_of(&k, rd->index) && k.names == names;
	if (!*done)
		return TS_OK;
	name_categories(v->categories, &k);
	kept = kept_of(&k, tiles, n);
	return kept && (kept->count >= most || kept->count == kept->names)
		? take_kept(v, &k, kept, most, err)
		: set_rows_sum(done, v, &k, tiles, n, most, rd->cancel, progress, err);
}
