/* SPDX-License-Identifier: MIT */
/* memory - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"

enum { CELLS_MAX = 4 << 20, PROGRESS_ROWS = 8192 };

/* --- one row per tile ------------------------------------------------------------------------- */

enum { T_TILE, T_TOTAL, T_IPU, T_GAPS, T_OVERFLOWED, T_ALWAYS, T_PEAK, T_COLUMNS };

static const int tile_columns[T_COLUMNS] = {TS_TILE_MEMORY_TILE, TS_TILE_MEMORY_TOTAL,
	TS_TILE_MEMORY_IPU, TS_TILE_MEMORY_TOTAL_GAPS, TS_TILE_MEMORY_OVERFLOWED,
	TS_TILE_MEMORY_ALWAYS_LIVE, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK};

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

static int
by_tile(const void *a, const void *b)
{
	const struct ts_tile *x = a, *y = b;

	return (x->tile > y->tile) - (x->tile < y->tile);
}

static void
finish_tiles(struct ts_tiles *t, const struct ts_report *r)
{
	size_t with_gaps = 0, with_live = 0;

	if (t->count)
		qsort(t->tile, t->count, sizeof(*t->tile), by_tile);
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
	/* whether the profile's own total includes gaps is not public */
	t->gaps = r->kind == TS_KIND_SDK ? -1 : with_gaps == 0 ? 0 : with_gaps == t->count ? 1 : -1;
}

enum ts_code
ts_tiles_read(struct ts_tiles *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = T_COLUMNS};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*t = (struct ts_tiles){.total_gaps = TS_UNKNOWN, .always_live = TS_UNKNOWN, .gaps = -1};
	memcpy(q.columns, tile_columns, sizeof(tile_columns));
	code = ts_reader_rows(&rows, rd, TS_TILE_MEMORY, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_tile tile;

		t->rows++;
		if (!read_tile(&tile, rows) || !sum_tile(t, &tile))
			t->bad_rows++;
		else if ((code = add_tile(t, &tile, err)))
			break;
	}
	ts_rows_close(rows);
	t->partial = code != TS_OK;
	finish_tiles(t, rd->report);
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

/* --- categories ------------------------------------------------------------------------------- */

struct ts_tile_slot {
	int64_t tile;
	size_t slot;
	UT_hash_handle hh;
};

/* Which category of the result an id or a text of the relation is. */
struct category_id {
	int64_t id;
	int index;
	UT_hash_handle hh;
};

struct categories_pass {
	struct ts_categories *c;
	struct ts_names names;
	struct category_id *ids;
	struct ts_tile_slot *last; /* rows of a tile mostly stand together */
	bool nomem;
};

static struct ts_tile_slot *
slot_of(struct categories_pass *p, int64_t tile)
{
	struct ts_categories *c = p->c;
	struct ts_tile_slot *s;

	HASH_FIND(hh, c->slots, &tile, sizeof(tile), s);
	if (s || c->slot_count == TS_TILES_MAX)
		return s;
	s = ts_alloc(1, sizeof(*s));
	p->nomem |= !s;
	if (!s)
		return NULL;
	s->tile = tile;
	s->slot = c->slot_count;
	HASH_ADD(hh, c->slots, tile, sizeof(s->tile), s);
	if (!s->hh.tbl) {
		p->nomem = true;
		free(s);
		return NULL;
	}
	c->slot_count++;
	return s;
}

/* The category of that name, made if need be; -1 when there are too many, or there is no memory. */
static int
category_named(struct categories_pass *p, const char *name, size_t n)
{
	struct ts_categories *c = p->c;

	n = strnlen(name, n);
	for (int i = 0; i < c->count; i++)
		if (strlen(c->category[i].name) == n && memcmp(c->category[i].name, name, n) == 0)
			return i;
	if (c->count == TS_CATEGORIES_MAX)
		return -1;
	c->category[c->count].name = ts_strndup(name, n);
	p->nomem |= !c->category[c->count].name;
	return c->category[c->count].name ? c->count++ : -1;
}

static int
category_by_id(struct categories_pass *p, int64_t id)
{
	struct category_id *known;
	const char *name;
	char unnamed[40];
	size_t n;

	HASH_FIND(hh, p->ids, &id, sizeof(id), known);
	if (known)
		return known->index;
	if (HASH_COUNT(p->ids) >= TS_CATEGORIES_MAX)
		return -1;
	name = ts_names_find(&p->names, id, &n);
	if (!name) {
		n = (size_t)snprintf(unnamed, sizeof(unnamed), "category %lld", (long long)id);
		name = unnamed;
	}
	known = ts_alloc(1, sizeof(*known));
	p->nomem |= !known;
	if (!known)
		return -1;
	known->id = id;
	known->index = category_named(p, name, n);
	HASH_ADD(hh, p->ids, id, sizeof(known->id), known);
	if (!known->hh.tbl) {
		p->nomem = true;
		free(known);
		return -1;
	}
	return known->index;
}

/* Room for `slot` in the category's row of bytes. */
static bool
category_room(struct categories_pass *p, struct ts_category *k, size_t slot)
{
	struct ts_categories *c = p->c;
	size_t cap = k->cap ? k->cap : 64;
	int64_t *bigger;

	if (slot < k->cap)
		return true;
	while (cap <= slot)
		cap *= 2;
	if (c->cells + (cap - k->cap) > CELLS_MAX)
		return false;
	bigger = ts_resize(k->by_slot, cap, sizeof(*bigger));
	p->nomem |= !bigger;
	if (!bigger)
		return false;
	for (size_t i = k->cap; i < cap; i++)
		bigger[i] = TS_UNKNOWN; /* nothing there, not even 0 bytes */
	c->cells += cap - k->cap;
	k->by_slot = bigger;
	k->cap = cap;
	return true;
}

/* Add bytes; false when the row has to be left out. */
static bool
add_bytes(struct categories_pass *p, int64_t tile, int index, int64_t bytes)
{
	struct ts_categories *c = p->c;
	struct ts_category *k;

	if (!p->last || p->last->tile != tile)
		p->last = slot_of(p, tile);
	if (index < 0 || !p->last || !category_room(p, &c->category[index], p->last->slot)) {
		c->cut = true;
		return false;
	}
	k = &c->category[index];
	if (!ts_add_i64(&k->bytes, bytes))
		return false;
	if (k->by_slot[p->last->slot] == TS_UNKNOWN)
		k->by_slot[p->last->slot] = 0;
	k->by_slot[p->last->slot] += bytes; /* at most k->bytes: cannot overflow */
	return true;
}

enum { C_TILE, C_CATEGORY, C_BYTES, C_MORE, C_COLUMNS };

static int
row_category(struct categories_pass *p, struct ts_rows *rows)
{
	const char *s;
	size_t n;
	int64_t id;

	if (ts_rows_number(rows, C_CATEGORY, &id) == TS_VALUE_OK)
		return category_by_id(p, id);
	if (ts_rows_text(rows, C_CATEGORY, &s, &n) == TS_VALUE_OK)
		return category_named(p, s, n);
	return -2;
}

static bool
add_row(struct categories_pass *p, struct ts_rows *rows, bool has_more)
{
	int64_t tile, bytes, more = 0;
	int index;

	if (ts_rows_number(rows, C_TILE, &tile) != TS_VALUE_OK ||
		ts_rows_number(rows, C_BYTES, &bytes) != TS_VALUE_OK)
		return false;
	if (has_more && ts_rows_number(rows, C_MORE, &more) == TS_VALUE_BAD)
		return false;
	if (!ts_add_i64(&bytes, more))
		return false;
	index = row_category(p, rows);
	return index != -2 && add_bytes(p, tile, index, bytes);
}

static enum ts_code
sum_rows(struct categories_pass *p, struct ts_reader *rd, enum ts_relation relation,
	const struct ts_rows_query *q, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[relation].reach;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, relation, q, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++p->c->rows % PROGRESS_ROWS == 0)
			ts_progress_set(progress, p->c->rows, ts_reach_span(reach));
		if (!add_row(p, rows, q->column_count > C_MORE))
			p->c->bad_rows++;
		if (p->nomem) {
			code = ts_err_nomem(err);
			break;
		}
	}
	ts_rows_close(rows);
	return code;
}

static void
find_worst(struct ts_categories *c)
{
	for (struct ts_tile_slot *s = c->slots; s; s = s->hh.next)
		for (int i = 0; i < c->count; i++) {
			struct ts_category *k = &c->category[i];
			int64_t bytes = s->slot < k->cap ? k->by_slot[s->slot] : TS_UNKNOWN;

			if (bytes == TS_UNKNOWN)
				continue;
			if (bytes > k->worst_tile_bytes ||
				(bytes == k->worst_tile_bytes && s->tile < k->worst_tile)) {
				k->worst_tile = s->tile;
				k->worst_tile_bytes = bytes;
			}
		}
}

static int
most_bytes_first(const void *a, const void *b)
{
	const struct ts_category *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

enum ts_code
ts_categories_read(struct ts_categories *c, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct categories_pass p = {.c = c};
	struct category_id *id, *next;
	struct ts_rows_query of_tiles = {.columns = {TS_TILE_CATEGORY_TILE,
						 TS_TILE_CATEGORY_CATEGORY,
						 TS_TILE_CATEGORY_NOT_OVERLAPPED,
						 TS_TILE_CATEGORY_OVERLAPPED},
		.column_count = C_COLUMNS};
	struct ts_rows_query of_variables = {.columns = {TS_LOWERED_VARIABLE_TILE,
						     TS_LOWERED_VARIABLE_CATEGORY,
						     TS_LOWERED_VARIABLE_BYTES},
		.column_count = C_MORE};
	enum ts_code code;

	memset(c, 0, sizeof(*c));
	c->from_variables = !ts_report_has(rd->report, TS_TILE_CATEGORY);
	if (c->from_variables && ts_report_has(rd->report, TS_LOWERED_VARIABLE) &&
		!ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
			TS_LOWERED_VARIABLE_CATEGORY))
		return ts_err_set(err, TS_E_ABSENT, "lowered variables have no category");
	code = ts_names_read(&p.names, rd, TS_MEMORY_CATEGORY, TS_MEMORY_CATEGORY_CATEGORY,
		TS_MEMORY_CATEGORY_NAME, err);
	if (!code)
		code = c->from_variables
			? sum_rows(&p, rd, TS_LOWERED_VARIABLE, &of_variables, progress, err)
			: sum_rows(&p, rd, TS_TILE_CATEGORY, &of_tiles, progress, err);
	for (int i = 0; i < c->count; i++)
		c->category[i].worst_tile = INT64_MAX;
	find_worst(c);
	qsort(c->category, (size_t)c->count, sizeof(c->category[0]), most_bytes_first);
	HASH_ITER(hh, p.ids, id, next) {
		HASH_DEL(p.ids, id);
		free(id);
	}
	ts_names_fini(&p.names);
	return code;
}

void
ts_categories_fini(struct ts_categories *c)
{
	struct ts_tile_slot *s, *next;

	HASH_ITER(hh, c->slots, s, next) {
		HASH_DEL(c->slots, s);
		free(s);
	}
	for (int i = 0; i < c->count; i++) {
		free(c->category[i].name);
		free(c->category[i].by_slot);
	}
	memset(c, 0, sizeof(*c));
}

int64_t
ts_categories_on_tile(const struct ts_categories *c, int i, int64_t tile)
{
	struct ts_tile_slot *s;

	HASH_FIND(hh, c->slots, &tile, sizeof(tile), s);
	return s && s->slot < c->category[i].cap ? ts_max_i64(c->category[i].by_slot[s->slot], 0)
						 : 0;
}
