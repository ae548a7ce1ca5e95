/* SPDX-License-Identifier: MIT */
/*
 * categories - bytes by category and tile.
 *
 * Sums are kept in one array per category, by the slot of the tile, in 4 bytes as long as they do: half a
 * million numbers of a large machine are 2 MB. A category's own sum must fit 63 bits, so no sum of
 * a tile can overflow before it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/categories.h"
#include "tilescope/report/index.h"
#include "tilescope/report/index_categories.h"

enum { PROGRESS_ROWS = 8192 };

/* --- names ------------------------------------------------------------------------------------ */

struct ts_category_id {
	int64_t id;
	int index;
	UT_hash_handle hh;
};

enum ts_code
ts_category_names_read(struct ts_category_names *k, struct ts_reader *rd, struct ts_err *err)
{
	return ts_names_read(&k->read, rd, TS_MEMORY_CATEGORY, TS_MEMORY_CATEGORY_CATEGORY,
		TS_MEMORY_CATEGORY_NAME, err);
}

void
ts_category_names_fini(struct ts_category_names *k)
{
	struct ts_category_id *id, *next;

	HASH_ITER(hh, k->ids, id, next) {
		HASH_DEL(k->ids, id);
		free(id);
	}
	for (int i = 0; i < k->count; i++)
		free(k->name[i]);
	ts_names_fini(&k->read);
	k->count = 0;
}

int
ts_category_named(struct ts_category_names *k, const char *name, size_t n)
{
	n = strnlen(name, n);
	for (int i = 0; i < k->count; i++)
		if (strlen(k->name[i]) == n && memcmp(k->name[i], name, n) == 0)
			return i;
	if (k->count == TS_CATEGORIES_MAX)
		return TS_CATEGORY_TOO_MANY;
	k->name[k->count] = ts_strndup(name, n);
	k->nomem |= !k->name[k->count];
	return k->name[k->count] ? k->count++ : TS_CATEGORY_TOO_MANY;
}

/* What stands for the name of a category that has none. */
static const char nameless[] = "category ";

bool
ts_category_is_named(const struct ts_category *k)
{
	size_t n = sizeof(nameless) - 1;

	return strncmp(k->name, nameless, n) != 0 || !k->name[n] ||
		k->name[n + strspn(k->name + n, "0123456789")] != '\0';
}

/* The category of a number that was not looked up before. */
static int
look_up(struct ts_category_names *k, int64_t id)
{
	const char *name;
	char unnamed[40];
	size_t n;

	if (k->numbers >= TS_CATEGORIES_MAX)
		return TS_CATEGORY_TOO_MANY;
	k->numbers++;
	name = ts_names_find(&k->read, id, &n);
	if (!name) {
		n = (size_t)snprintf(unnamed, sizeof(unnamed), "%s%lld", nameless, (long long)id);
		name = unnamed;
	}
	return ts_category_named(k, name, n);
}

int
ts_category_numbered(struct ts_category_names *k, int64_t id)
{
	struct ts_category_id *known;
	int index;

	if (id < TS_CATEGORY_SMALL && k->small[id] > 0)
		return k->small[id] - 1;
	if (id < TS_CATEGORY_SMALL) {
		index = look_up(k, id);
		if (index >= 0)
			k->small[id] = (int16_t)(index + 1);
		return index;
	}
	HASH_FIND(hh, k->ids, &id, sizeof(id), known);
	if (known)
		return known->index;
	index = look_up(k, id);
	known = index >= 0 ? ts_alloc(1, sizeof(*known)) : NULL;
	if (index < 0)
		return index;
	k->nomem |= !known;
	if (!known)
		return TS_CATEGORY_TOO_MANY;
	known->id = id;
	known->index = index;
	HASH_ADD(hh, k->ids, id, sizeof(known->id), known);
	if (!known->hh.tbl) {
		k->nomem = true;
		free(known);
		return TS_CATEGORY_TOO_MANY;
	}
	return index;
}

int
ts_category_of(struct ts_category_names *names, struct ts_rows *rows, int column)
{
	int64_t id;
	enum ts_value is = ts_rows_number(rows, column, &id);

	return ts_category_make(names, rows, column, is, id);
}

int
ts_category_make(struct ts_category_names *names, struct ts_rows *rows, int column,
	enum ts_value is, int64_t id)
{
	const char *s;
	size_t n;

	if (is == TS_VALUE_OK)
		return ts_category_numbered(names, id);
	if (ts_rows_text(rows, column, &s, &n) == TS_VALUE_OK)
		return ts_category_named(names, s, n);
	return TS_CATEGORY_NONE;
}

bool
ts_category_names_merge(struct ts_category_names *names, const struct ts_category_names *from)
{
	bool room = true;

	for (int i = 0; i < from->count; i++)
		room &= ts_category_named(names, from->name[i], strlen(from->name[i])) >= 0;
	for (int64_t id = 0; id < TS_CATEGORY_SMALL; id++)
		if (from->small[id] > 0)
			room &= ts_category_numbered(names, id) >= 0;
	for (const struct ts_category_id *k = from->ids; k; k = k->hh.next)
		room &= ts_category_numbered(names, k->id) >= 0;
	return room;
}

/* --- cells ------------------------------------------------------------------------------------ */

void
ts_category_sums_fini(struct ts_category_sums *s)
{
	for (int i = 0; i < TS_CATEGORIES_MAX; i++) {
		free(s->cells[i].narrow);
		free(s->cells[i].wide);
		s->cells[i] = (struct ts_category_cells){0};
	}
	ts_category_names_fini(&s->names);
	ts_tile_slots_fini(&s->slots);
	s->used = 0;
}

/* May so many bytes more be used? */
static bool
spend(struct ts_category_sums *s, size_t bytes)
{
	size_t budget = s->budget ? s->budget : TS_CATEGORY_BUDGET;

	if (bytes > budget - s->used)
		return false;
	s->used += bytes;
	return true;
}

/* Room for `slot`: false when there is none, or no memory (names.nomem). */
static bool
cells_room(struct ts_category_sums *s, struct ts_category_cells *k, size_t slot)
{
	size_t cap = slot + slot / 8 + 64, size = k->wide ? sizeof(*k->wide) : sizeof(*k->narrow);
	void *bigger;

	if (slot < k->cap)
		return true;
	if (!spend(s, (cap - k->cap) * size))
		return false;
	bigger = ts_resize(k->wide ? (void *)k->wide : (void *)k->narrow, cap, size);
	s->names.nomem |= !bigger;
	if (!bigger)
		return false;
	memset((char *)bigger + k->cap * size, 0xff, (cap - k->cap) * size); /* nothing there */
	if (k->wide)
		k->wide = bigger;
	else
		k->narrow = bigger;
	k->cap = cap;
	return true;
}

static int64_t
cell(const struct ts_category_cells *k, size_t slot)
{
	if (slot >= k->cap)
		return TS_UNKNOWN;
	if (k->wide)
		return k->wide[slot];
	return k->narrow[slot] == UINT32_MAX ? TS_UNKNOWN : (int64_t)k->narrow[slot];
}

static bool
widen(struct ts_category_sums *s, struct ts_category_cells *k)
{
	int64_t *wide;

	if (!spend(s, k->cap * (sizeof(*wide) - sizeof(*k->narrow))))
		return false;
	wide = ts_alloc(k->cap, sizeof(*wide));
	s->names.nomem |= !wide;
	if (!wide)
		return false;
	for (size_t i = 0; i < k->cap; i++)
		wide[i] = cell(k, i);
	free(k->narrow);
	k->narrow = NULL;
	k->wide = wide;
	return true;
}

/* Add to a cell; *left_out when the row has to be left out. False: no memory. */
static bool
add_to_cell(struct ts_category_sums *s, int category, size_t slot, int64_t bytes, bool *left_out)
{
	struct ts_category_cells *k = &s->cells[category];
	int64_t sum = k->bytes, now;

	*left_out = true;
	if (!cells_room(s, k, slot)) {
		s->cut = true;
		return !s->names.nomem;
	}
	if (!ts_add_i64(&sum, bytes)) {
		s->overflow = true;
		return true;
	}
	now = ts_max_i64(cell(k, slot), 0) + bytes; /* at most the sum: cannot overflow */
	if (now >= UINT32_MAX && !k->wide && !widen(s, k)) {
		s->cut = true;
		return !s->names.nomem;
	}
	if (k->wide)
		k->wide[slot] = now;
	else
		k->narrow[slot] = (uint32_t)now;
	k->bytes = sum;
	*left_out = false;
	return true;
}

/* The short way to most cells: there is room, and it fits 4 bytes. */
static inline bool
add_quickly(struct ts_category_cells *k, size_t slot, int64_t bytes)
{
	uint64_t now;

	if (slot >= k->cap || !k->narrow || bytes >= UINT32_MAX || k->bytes > TS_NUMBER_MAX)
		return false;
	now = (uint64_t)bytes + (k->narrow[slot] == UINT32_MAX ? 0 : k->narrow[slot]);
	if (now >= UINT32_MAX)
		return false;
	k->narrow[slot] = (uint32_t)now;
	k->bytes += bytes;
	return true;
}

bool
ts_category_sums_add(struct ts_category_sums *s, int64_t tile, int category, int64_t bytes)
{
	ptrdiff_t slot;
	bool left_out = true;

	s->rows++;
	if (tile == TS_UNKNOWN || bytes == TS_UNKNOWN || category == TS_CATEGORY_NONE) {
		s->bad_rows++;
		return !s->names.nomem;
	}
	slot = ts_tile_slot(&s->slots, tile);
	if (slot == TS_SLOT_NOMEM || s->names.nomem)
		return false;
	if (category >= 0 && slot >= 0 && add_quickly(&s->cells[category], (size_t)slot, bytes))
		return true;
	if (category < 0 || slot < 0)
		s->cut = true;
	else if (!add_to_cell(s, category, (size_t)slot, bytes, &left_out))
		return false;
	s->bad_rows += left_out;
	return true;
}

bool
ts_category_sums_block(struct ts_category_sums *s, struct ts_rows *rows,
	const struct ts_rows_block *b, bool has_more)
{
	bool known = b->is[TS_CATEGORY_TILE] == TS_VALUE_OK &&
		b->is[TS_CATEGORY_BYTES] == TS_VALUE_OK &&
		!(has_more && b->is[TS_CATEGORY_MORE] == TS_VALUE_BAD);

	for (int k = 0; k < b->rows; k++) {
		int64_t tile = TS_UNKNOWN, bytes = known ? b->v[TS_CATEGORY_BYTES][k] : TS_UNKNOWN;
		int category = TS_CATEGORY_NONE;

		if (known && (!has_more || ts_add_i64(&bytes, b->v[TS_CATEGORY_MORE][k]))) {
			tile = b->v[TS_CATEGORY_TILE][k];
			category = ts_category_at(&s->names, rows, b, TS_CATEGORY_CATEGORY, k);
		}
		if (!ts_category_sums_add(s, tile, category, bytes))
			return false;
	}
	return true;
}

bool
ts_category_sums_merge(struct ts_category_sums *s, const struct ts_category_sums *from)
{
	s->rows += from->rows;
	s->bad_rows += from->bad_rows;
	s->cut |= from->cut;
	s->overflow |= from->overflow;
	s->cut |= !ts_category_names_merge(&s->names, &from->names);
	for (int i = 0; i < from->names.count; i++) {
		const struct ts_category_cells *k = &from->cells[i];
		int category = ts_category_named(&s->names, from->names.name[i],
			strlen(from->names.name[i]));

		if (s->names.nomem)
			return false;
		s->cut |= category < 0;
		for (size_t j = 0; category >= 0 && j < from->slots.count; j++) {
			ptrdiff_t slot;
			bool left_out;

			if (cell(k, j) == TS_UNKNOWN)
				continue;
			slot = ts_tile_slot(&s->slots, from->slots.tile[j]);
			s->cut |= slot == TS_SLOT_FULL;
			if (slot == TS_SLOT_NOMEM)
				return false;
			if (slot >= 0 &&
				!add_to_cell(s, category, (size_t)slot, cell(k, j), &left_out))
				return false;
		}
	}
	return true;
}

/* --- figures ---------------------------------------------------------------------------------- */

struct placed {
	int64_t tile;
	size_t slot;
};

static int
by_tile(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return (x->tile > y->tile) - (x->tile < y->tile);
}

/* Slots in the order of their tiles. */
static struct placed *
order_slots(const struct ts_tile_slots *slots)
{
	struct placed *p = ts_alloc(slots->count, sizeof(*p));
	bool sorted = true;

	for (size_t i = 0; p && i < slots->count; i++) {
		p[i] = (struct placed){slots->tile[i], i};
		sorted = sorted && (i == 0 || p[i - 1].tile < p[i].tile);
	}
	if (p && !sorted)
		qsort(p, slots->count, sizeof(*p), by_tile);
	return p;
}

/* The cells of a category in the order of the tiles; frees those by slot. */
static bool
place_cells(struct ts_category *k, struct ts_category_cells *cells, const struct placed *p,
	size_t n)
{
	size_t size = cells->wide ? sizeof(*cells->wide) : sizeof(*cells->narrow);
	void *placed = ts_alloc(n, size);

	if (!placed)
		return false;
	k->worst_tile = INT64_MAX;
	for (size_t i = 0; i < n; i++) {
		int64_t bytes = cell(cells, p[i].slot);

		if (cells->wide)
			((int64_t *)placed)[i] = bytes;
		else
			((uint32_t *)placed)[i] = bytes < 0 ? UINT32_MAX : (uint32_t)bytes;
		if (bytes != TS_UNKNOWN &&
			(k->worst_tile == INT64_MAX || bytes > k->worst_tile_bytes)) {
			k->worst_tile = p[i].tile;
			k->worst_tile_bytes = bytes;
		}
	}
	k->narrow = cells->wide ? NULL : placed;
	k->wide = cells->wide ? placed : NULL;
	k->bytes = cells->bytes;
	free(cells->narrow);
	free(cells->wide);
	*cells = (struct ts_category_cells){0};
	return true;
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
ts_category_sums_finish(struct ts_categories *c, struct ts_category_sums *s, struct ts_err *err)
{
	struct placed *p = order_slots(&s->slots);
	int64_t *tile = ts_alloc(s->slots.count, sizeof(*tile));
	bool ok = p && tile;

	c->tile = tile;
	c->tiles = ok ? s->slots.count : 0;
	for (size_t i = 0; i < c->tiles; i++)
		tile[i] = p[i].tile;
	for (int i = 0; ok && i < s->names.count; i++) {
		ok = place_cells(&c->category[i], &s->cells[i], p, c->tiles);
		c->category[i].name = s->names.name[i];
		s->names.name[i] = NULL;
		c->count++;
	}
	c->rows = s->rows;
	c->bad_rows = s->bad_rows;
	c->cut = s->cut;
	free(p);
	ts_category_sums_fini(s);
	qsort(c->category, (size_t)c->count, sizeof(c->category[0]), most_bytes_first);
	return ok ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
sum_rows(struct ts_category_sums *s, struct ts_reader *rd, enum ts_relation relation,
	const struct ts_rows_query *q, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[relation].reach;
	struct ts_rows *rows;
	struct ts_rows_block b;
	enum ts_code code = ts_reader_rows(&rows, rd, relation, q, err);
	int64_t told = 0;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		if (s->rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = s->rows, ts_reach_span(reach));
		if (!ts_category_sums_block(s, rows, &b, q->column_count > TS_CATEGORY_MORE)) {
			code = ts_err_nomem(err);
			break;
		}
	}
	ts_rows_close(rows);
	return code;
}

static const struct ts_rows_query of_tiles = {.columns = {TS_TILE_CATEGORY_TILE,
						      TS_TILE_CATEGORY_CATEGORY,
						      TS_TILE_CATEGORY_NOT_OVERLAPPED,
						      TS_TILE_CATEGORY_OVERLAPPED},
	.column_count = TS_CATEGORY_MORE + 1,
	.past_damage = true};

static const struct ts_rows_query of_variables = {.columns = {TS_LOWERED_VARIABLE_TILE,
							  TS_LOWERED_VARIABLE_CATEGORY,
							  TS_LOWERED_VARIABLE_BYTES},
	.column_count = TS_CATEGORY_MORE,
	.past_damage = true};

static enum ts_code
sum_up(struct ts_categories *c, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_category_sums *s = ts_alloc(1, sizeof(*s));
	enum ts_code code, end;

	if (!s)
		return ts_err_nomem(err);
	code = ts_category_names_read(&s->names, rd, err);
	if (!code)
		code = c->from_variables
			? sum_rows(s, rd, TS_LOWERED_VARIABLE, &of_variables, progress, err)
			: sum_rows(s, rd, TS_TILE_CATEGORY, &of_tiles, progress, err);
	end = ts_category_sums_finish(c, s, code ? NULL : err);
	ts_category_sums_fini(s);
	free(s);
	return code ? code : end;
}

enum ts_code
ts_categories_read(struct ts_categories *c, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	memset(c, 0, sizeof(*c));
	c->from_variables = !ts_report_has(rd->report, TS_TILE_CATEGORY);
	if (c->from_variables && ts_report_has(rd->report, TS_LOWERED_VARIABLE) &&
		!ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
			TS_LOWERED_VARIABLE_CATEGORY))
		return ts_err_set(err, TS_E_ABSENT, "lowered variables have no category");
	return ts_categories_indexed(c, rd->index) ? TS_OK : sum_up(c, rd, progress, err);
}

void
ts_categories_forget_tiles(struct ts_categories *c)
{
	for (int i = 0; i < c->count; i++) {
		if (!c->index) {
			free((void *)(uintptr_t)c->category[i].narrow);
			free((void *)(uintptr_t)c->category[i].wide);
		}
		c->category[i].narrow = NULL;
		c->category[i].wide = NULL;
	}
	if (!c->index)
		free((void *)(uintptr_t)c->tile);
	c->tile = NULL;
	c->tiles = 0;
	ts_index_release(c->index);
	c->index = NULL;
}

void
ts_categories_fini(struct ts_categories *c)
{
	ts_categories_forget_tiles(c);
	for (int i = 0; i < c->count; i++)
		free(c->category[i].name);
	memset(c, 0, sizeof(*c));
}

ptrdiff_t
ts_categories_find(const struct ts_categories *c, int64_t tile)
{
	size_t low = 0, high = c->tiles;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->tile[middle] < tile)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->tiles && c->tile[low] == tile ? (ptrdiff_t)low : -1;
}

int64_t
ts_categories_on_tile(const struct ts_categories *c, int i, int64_t tile)
{
	ptrdiff_t place = ts_categories_find(c, tile);

	return place < 0 ? 0 : ts_categories_at(c, i, (size_t)place);
}
