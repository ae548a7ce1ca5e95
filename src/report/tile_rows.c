/* SPDX-License-Identifier: MIT */
/* tile_rows - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/dense.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/tile_rows.h"

#include "index_tile_rows.h"

enum {
	BITS = 64,
	PIECE = 16, /* tiles that are taken at once */
	WORTH = 5,  /* rows for each kind, from which two threads are quicker */
};

/* Are the kinds in their order, and within what they name? */
static bool
sound_kinds(const struct ts_kinds *t)
{
	for (size_t i = 0; i < t->kinds; i++) {
		const struct ts_row_kind *k = &t->kind[i];

		if ((i < t->lives) != (k->class < t->classes) ||
			(k->class >= t->classes && k->class < TS_KIND_ALWAYS) ||
			(k->name != TS_KIND_NAMELESS && (int64_t)k->name >= t->names) ||
			t->first[i] > i)
			return false;
	}
	return true;
}

/* Do tiles stand in order, with no more rows than there is room for? Else sums of rows could be of more than there are. */
static bool
sound_tiles(const struct ts_kinds *t)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < t->tiles; i++) {
		const struct ts_tile_rows_of *of = &t->tile[i];

		rows += of->rows;
		if ((i > 0 && (of->tile <= of[-1].tile || of->at < of[-1].at)) ||
			rows > t->bytes / TS_TILE_ROWS_WORD)
			return false;
	}
	return true;
}

static bool
is_sound(const void *of)
{
	const struct ts_kinds *t = of;

	return sound_kinds(t) && sound_tiles(t);
}

static const struct tile_rows_head *
head_of(const struct ts_index *x, const void **payload, size_t *size)
{
	const struct tile_rows_head *h = NULL;

	*payload = ts_index_section(x, TS_SECTION_TILE_ROWS, size);
	if (*payload)
		h = ts_section_at(*payload, *size, 0, 1, sizeof(*h));
	return h && !(h->flags & TILE_ROWS_LEFT_TO_THE_ROWS) ? h : NULL;
}

bool
ts_tile_rows_quick(const struct ts_index *x)
{
	const void *payload;
	size_t size;

	return head_of(x, &payload, &size);
}

bool
ts_tile_rows_of(struct ts_kinds *t, const struct ts_index *x)
{
	const void *payload;
	size_t size;
	const struct tile_rows_head *h = head_of(x, &payload, &size);

	*t = (struct ts_kinds){0};
	if (!h || h->kinds >= UINT32_MAX || h->classes >= TS_KIND_ALWAYS || h->lives > h->kinds ||
		h->kind_bits < TS_TILE_ROWS_KIND_LEAST || h->kind_bits > TS_TILE_ROWS_KIND_MOST ||
		h->shift > ts_tile_rows_shift_most(h->kind_bits))
		return false;
	t->kind = ts_section_at(payload, size, h->kind_at, h->kinds, sizeof(*t->kind));
	t->class = ts_section_at(payload, size, h->class_at, h->classes, sizeof(*t->class));
	t->tile = ts_section_at(payload, size, h->tile_at, h->tiles, sizeof(*t->tile));
	t->packed = ts_section_at(payload, size, h->packed_at, h->bytes, 1);
	t->first = ts_section_at(payload, size, h->first_at, h->kinds, sizeof(*t->first));
	t->not_alone = ts_section_at(payload, size, h->not_alone_at, h->kinds / BITS + 1,
		sizeof(*t->not_alone));
	t->category = ts_section_at(payload, size, h->category_at, h->kinds, sizeof(*t->category));
	t->category_text = ts_section_at(payload, size, h->category_text_at, h->category_bytes, 1);
	t->category_bytes = (size_t)h->category_bytes;
	if (!t->kind || !t->class || !t->tile || !t->packed || !t->first || !t->not_alone ||
		!t->category || !t->category_text)
		return false;
	t->kept_names = ts_section_at(payload, size, h->kept_names_at, h->kept,
		sizeof(*t->kept_names));
	t->kept_name = ts_section_at(payload, size, h->kept_name_at, h->kept_rows,
		sizeof(*t->kept_name));
	t->kept = t->kept_names && t->kept_name ? (size_t)h->kept : 0;
	t->kept_rows = (size_t)h->kept_rows;
	t->kinds = (size_t)h->kinds;
	t->lives = (size_t)h->lives;
	t->classes = (size_t)h->classes;
	t->tiles = (size_t)h->tiles;
	t->bytes = (size_t)h->bytes;
	t->joined = h->flags & TILE_ROWS_JOINED;
	t->names = h->names;
	t->kind_bits = (int)h->kind_bits;
	t->shift = (int)h->shift;
	return ts_index_is_sound(x, TS_SECTION_TILE_ROWS, is_sound, t);
}

struct ts_tile_rows_walk
ts_tile_rows_begin(const struct ts_kinds *t, size_t tile)
{
	const struct ts_tile_rows_of *of = &t->tile[tile];
	struct ts_tile_rows_walk w = {.end = t->packed + t->bytes,
		.left = of->rows,
		.kinds = (uint32_t)t->kinds,
		.kind_bits = t->kind_bits,
		.shift = t->shift,
		.sound = of->at <= t->bytes};

	w.p = w.sound ? t->packed + of->at : w.end;
	w.left = w.sound ? w.left : 0;
	return w;
}

/* --- what a set of tiles has of each kind ------------------------------------------------------- */

/* Rows of many tiles are added up by two threads, each into sums of its own. */
struct adding {
	const struct ts_kinds *rows;
	bool (*has)(const void *set, int64_t tile);
	const void *set;
	const struct ts_cancel *cancel;
	_Atomic size_t next;		/* tile */
	uint64_t *sum[TS_BESIDE];	/* by kind */
	atomic_bool unsound, cancelled; /* nobody need go on */
};

static bool
add_tile(const struct ts_kinds *rows, uint64_t *sum, size_t tile)
{
	struct ts_tile_rows_walk w = ts_tile_rows_begin(rows, tile);
	uint32_t kind[TS_TILE_ROWS_BATCH];
	int64_t bytes[TS_TILE_ROWS_BATCH];
	int n;

	while ((n = ts_tile_rows_next(&w, kind, bytes)) > 0)
		for (int i = 0; i < n; i++)
			sum[kind[i]] += TS_KIND_ROW + (uint64_t)bytes[i];
	return w.sound;
}

/* The second one makes its sums while the first one adds: without memory that one does all. */
static void
add_pieces(void *ctx, int who)
{
	struct adding *a = ctx;
	size_t i;

	if (who > 0)
		a->sum[who] = ts_dense_alloc(a->rows->kinds + 1, sizeof(**a->sum));
	while (a->sum[who] && !atomic_load(&a->unsound) && !atomic_load(&a->cancelled) &&
		(i = atomic_fetch_add(&a->next, PIECE)) < a->rows->tiles) {
		if (ts_cancelled(a->cancel))
			atomic_store(&a->cancelled, true);
		for (size_t end = i + PIECE; i < end && i < a->rows->tiles; i++) {
			if (!a->has(a->set, a->rows->tile[i].tile))
				continue;
			if (!add_tile(a->rows, a->sum[who], i))
				atomic_store(&a->unsound, true);
		}
	}
}

/* What the second one added up. */
static void
join(const struct adding *a)
{
	for (size_t i = 0; i < a->rows->kinds; i++)
		a->sum[0][i] += a->sum[1][i];
}

/* So many rows that a second thread is worth the sums that it needs? */
static bool
are_many(const struct adding *a)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < a->rows->tiles && rows / WORTH <= a->rows->kinds; i++)
		if (a->has(a->set, a->rows->tile[i].tile))
			rows += a->rows->tile[i].rows;
	return rows / WORTH > a->rows->kinds;
}

enum ts_code
ts_kinds_add_up(bool *sound, uint64_t *sum, const struct ts_kinds *rows,
	bool (*has)(const void *set, int64_t tile), const void *set, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct adding a = {rows, has, set, cancel, .sum = {sum}};

	if (are_many(&a))
		ts_beside(add_pieces, &a);
	else
		add_pieces(&a, 0);
	if (a.sum[1])
		join(&a);
	free(a.sum[1]);
	*sound = !atomic_load(&a.unsound);
	return atomic_load(&a.cancelled) ? ts_err_set(err, TS_E_CANCELLED, "cancelled") : TS_OK;
}

/* Rows that never are a life. */
static void
count_others(struct ts_kind_sums *s, bool (*has)(const void *set, int64_t tile), const void *set)
{
	for (size_t i = 0; i < s->rows.tiles; i++) {
		const struct ts_tile_rows_of *of = &s->rows.tile[i];

		if (!has(set, of->tile))
			continue;
		s->always += of->always;
		s->classless += of->classless;
		s->bad += (int64_t)of->bad + of->unsized;
	}
}

enum ts_code
ts_kind_sums_read(struct ts_kind_sums **out, struct ts_index *x,
	bool (*has)(const void *set, int64_t tile), const void *set, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_kind_sums *s;
	struct ts_kinds rows;
	enum ts_code code;
	bool sound = false;

	*out = NULL;
	if (!ts_tile_rows_of(&rows, x))
		return ts_err_set(err, TS_E_ABSENT, "the index has no rows by tile");
	s = ts_alloc(1, sizeof(*s));
	if (!s)
		return ts_err_nomem(err);
	atomic_init(&s->uses, 1);
	s->rows = rows;
	s->index = ts_index_hold(x);
	s->sum = ts_dense_alloc(rows.kinds + 1, sizeof(*s->sum));
	code = s->sum ? ts_kinds_add_up(&sound, s->sum, &rows, has, set, cancel, err)
		      : ts_err_nomem(err);
	if (!code && !sound)
		code = ts_err_set(err, TS_E_ABSENT, "the rows by tile are not sound");
	if (code) {
		ts_kind_sums_close(s);
		return code;
	}
	count_others(s, has, set);
	*out = s;
	return TS_OK;
}

bool
ts_kind_sums_next(const struct ts_kind_sums *s, size_t *i, size_t *first, int64_t *bytes)
{
	const struct ts_row_kind *kind = s->rows.kind;

	while (*i < s->rows.lives && s->sum[*i] == 0)
		++*i;
	if (*i >= s->rows.lives)
		return false;
	*first = *i;
	*bytes = 0;
	for (; *i < s->rows.lives && kind[*i].id == kind[*first].id &&
		kind[*i].class == kind[*first].class;
		++*i)
		*bytes += (int64_t)(s->sum[*i] & (TS_KIND_ROW - 1));
	return true;
}

struct ts_kind_sums *
ts_kind_sums_hold(struct ts_kind_sums *s)
{
	atomic_fetch_add(&s->uses, 1);
	return s;
}

void
ts_kind_sums_close(struct ts_kind_sums *s)
{
	if (!s || atomic_fetch_sub(&s->uses, 1) > 1)
		return;
	free(s->sum);
	ts_index_release(s->index);
	free(s);
}
