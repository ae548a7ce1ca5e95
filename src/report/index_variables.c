/* SPDX-License-Identifier: MIT */
/*
 * index_variables - one pass over the lowered variables: the rows of each tile, the largest, and (where no
 * relation records them) the categories of the tiles.
 *
 * A part keeps a few numbers for each tile that it meets. Rows of a tile stand together when the tile
 * is never come back to; where two parts meet, the last tile of the one may be the first of the other.
 * The largest are kept in heaps whose root is the smallest: rows come in the order of their row ids, so one
 * that is not larger than the root stays out.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_categories.h"
#include "tilescope/report/index_variables.h"

enum { PROGRESS_ROWS = 8192, PART_BUDGET = 8 << 20, TILES_MOST = 1 << 17 };
enum { HAS_ROW_IDS = 1, IN_ORDER = 2, LEFT_TO_THE_ROWS = 4 };
enum { NO_TILE = -1, BAD_TILE = -2 };

struct head {
	uint32_t flags, categories;
	int64_t rows, bad_tiles, bad_sizes, bytes;
	uint64_t tiles, tile_at, largest, largest_at, category_at, text_at, text_bytes;
};

struct category_entry {
	uint64_t at;
	uint32_t count, name_at, name_bytes, unused;
};

struct heap {
	int count, most;
	struct ts_large_row *row;
};

struct part {
	struct ts_category_sums sums; /* its names and slots are used in any case */
	struct ts_tile_rows *tile;    /* by slot */
	size_t tile_cap;
	int64_t rows, bad_tiles, bad_sizes, bytes;
	int64_t first_tile, last_tile; /* of the first and the last row; NO_TILE, BAD_TILE */
	int64_t highest;	       /* the last tile that is a number */
	int64_t lowest;		       /* the first one */
	bool out_of_order, has_row_ids;
	bool limited; /* a limit was met: the section is left to the rows */
	struct heap largest, of_category[TS_CATEGORIES_MAX];
};

/* --- the largest ------------------------------------------------------------------------------ */

/* Is x to stand behind y? */
static bool
behind(const struct ts_large_row *x, const struct ts_large_row *y)
{
	return x->bytes != y->bytes ? x->bytes < y->bytes : x->row > y->row;
}

static void
sink(struct heap *h, int i)
{
	for (;;) {
		int last = i;
		struct ts_large_row t;

		for (int child = 2 * i + 1; child <= 2 * i + 2 && child < h->count; child++)
			if (behind(&h->row[child], &h->row[last]))
				last = child;
		if (last == i)
			return;
		t = h->row[i];
		h->row[i] = h->row[last];
		h->row[last] = t;
		i = last;
	}
}

/* False: no memory. */
static bool
offer(struct heap *h, int most, struct ts_large_row x)
{
	int i = h->count;

	if (h->count == most) {
		if (behind(&h->row[0], &x)) {
			h->row[0] = x;
			sink(h, 0);
		}
		return true;
	}
	if (!h->row) {
		h->row = ts_alloc((size_t)most, sizeof(*h->row));
		if (!h->row)
			return false;
	}
	h->count++;
	for (; i > 0 && behind(&x, &h->row[(i - 1) / 2]); i = (i - 1) / 2)
		h->row[i] = h->row[(i - 1) / 2];
	h->row[i] = x;
	return true;
}

/* Quick way past rows that are too small to be kept. */
static inline bool
offer_if(struct heap *h, int most, int64_t row, int64_t bytes)
{
	if (h->count == most && bytes <= h->row[0].bytes)
		return true;
	return offer(h, most, (struct ts_large_row){row, bytes});
}

static int
largest_first(const void *a, const void *b)
{
	return behind(a, b) ? 1 : behind(b, a) ? -1 : 0;
}

/* --- a part ----------------------------------------------------------------------------------- */

static void
add_bytes(int64_t *sum, int64_t bytes)
{
	if (*sum != TS_UNKNOWN && !ts_add_i64(sum, bytes))
		*sum = TS_UNKNOWN;
}

/* The rows of a tile, made if need be: NULL with p->limited, or without: no memory. */
static struct ts_tile_rows *
rows_of(struct part *p, int64_t tile)
{
	ptrdiff_t slot = ts_tile_slot(&p->sums.slots, tile);
	size_t from = p->tile_cap;
	void *room = p->tile;

	p->limited |= slot == TS_SLOT_FULL;
	if (slot < 0)
		return NULL;
	if ((size_t)slot < p->tile_cap)
		return &p->tile[slot];
	while ((size_t)slot >= p->tile_cap) {
		if (!ts_room(&room, &p->tile_cap, p->tile_cap, sizeof(*p->tile)))
			return NULL;
		p->tile = room;
	}
	memset(p->tile + from, 0, (p->tile_cap - from) * sizeof(*p->tile));
	return &p->tile[slot];
}

/* A row of a tile. False: no memory, or p->limited. */
static bool
add_to_tile(struct part *p, int64_t tile, int64_t row, int64_t bytes)
{
	struct ts_tile_rows *t = rows_of(p, tile);

	if (!t)
		return false;
	if (t->rows == 0)
		*t = (struct ts_tile_rows){.tile = tile,
			.first = row,
			.flags = TS_TILE_ROWS_TOGETHER};
	else if (p->last_tile != tile)
		t->flags &= ~(uint32_t)TS_TILE_ROWS_TOGETHER;
	t->last = row;
	t->rows++;
	p->limited |= t->rows == UINT32_MAX;
	if (bytes != TS_UNKNOWN)
		add_bytes(&t->bytes, bytes);
	p->out_of_order |= tile < p->highest;
	p->highest = tile;
	if (p->lowest == NO_TILE)
		p->lowest = tile;
	return true;
}

/* Count a row; category: TS_CATEGORY_NONE and so on. False: no memory. */
static bool
add_row(struct part *p, int64_t tile, int category, int64_t bytes, int64_t row)
{
	p->rows++;
	p->bad_tiles += tile == TS_UNKNOWN;
	p->bad_sizes += bytes == TS_UNKNOWN;
	p->limited |= category == TS_CATEGORY_TOO_MANY;
	if (tile != TS_UNKNOWN && !p->limited && !add_to_tile(p, tile, row, bytes) && !p->limited)
		return false;
	p->last_tile = tile == TS_UNKNOWN ? BAD_TILE : tile;
	if (p->rows == 1)
		p->first_tile = p->last_tile;
	if (bytes == TS_UNKNOWN)
		return true;
	add_bytes(&p->bytes, bytes);
	if (!p->has_row_ids)
		return true;
	return offer_if(&p->largest, TS_LARGEST_OF_ALL, row, bytes) &&
		(category < 0 ||
			offer_if(&p->of_category[category], TS_LARGEST_OF_CATEGORY, row, bytes));
}

/* False: no memory. */
static bool
read_block(struct part *p, struct ts_rows *rows, const struct ts_rows_block *b, bool categories)
{
	bool has_tile = b->is[TS_CATEGORY_TILE] == TS_VALUE_OK;
	bool has_bytes = b->is[TS_CATEGORY_BYTES] == TS_VALUE_OK;

	p->has_row_ids = b->rowid != NULL;
	for (int k = 0; k < b->rows; k++) {
		int64_t tile = has_tile ? b->v[TS_CATEGORY_TILE][k] : TS_UNKNOWN;
		int64_t bytes = has_bytes ? b->v[TS_CATEGORY_BYTES][k] : TS_UNKNOWN;
		int category = TS_CATEGORY_NONE;

		/* as ts_category_sums_block(): a category is known by the rows that count */
		if (has_tile && has_bytes)
			category = ts_category_at(&p->sums.names, rows, b, TS_CATEGORY_CATEGORY, k);
		if (categories && !ts_category_sums_add(&p->sums, tile, category, bytes))
			return false;
		if (!add_row(p, tile, category, bytes, b->rowid ? b->rowid[k] : 0))
			return false;
	}
	return !p->sums.names.nomem;
}

static enum ts_code
read_rows(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	bool categories, struct ts_err *err)
{
	struct part *p = part->state;
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_TILE,
					  TS_LOWERED_VARIABLE_CATEGORY, TS_LOWERED_VARIABLE_BYTES},
		.column_count = TS_CATEGORY_MORE,
		.range = part->range,
		.from = part->from,
		.to = part->to};
	struct ts_rows *rows;
	struct ts_rows_block b;
	enum ts_code code = ts_category_names_read(&p->sums.names, rd, err);
	int64_t told = 0;

	p->sums.budget = PART_BUDGET;
	p->sums.slots.most = TILES_MOST;
	p->first_tile = p->last_tile = p->lowest = p->highest = NO_TILE;
	if (!code)
		code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		if (!read_block(p, rows, &b, categories)) {
			code = ts_err_nomem(err);
			break;
		}
		if (p->rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = p->rows, 0);
	}
	ts_rows_close(rows);
	ts_progress_set(progress, p->rows, 0);
	return code;
}

static enum ts_code
part_alone(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	return read_rows(p, rd, progress, false, err);
}

static enum ts_code
part_both(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	return read_rows(p, rd, progress, true, err);
}

static void
forget(struct part *p)
{
	ts_category_sums_fini(&p->sums);
	free(p->tile);
	free(p->largest.row);
	for (int i = 0; i < TS_CATEGORIES_MAX; i++)
		free(p->of_category[i].row);
	*p = (struct part){0};
}

static void
part_fini(struct ts_pass_part *p)
{
	forget(p->state);
}

/* --- merging ---------------------------------------------------------------------------------- */

static bool
merge_heap(struct heap *to, int most, const struct heap *from)
{
	for (int i = 0; i < from->count; i++)
		if (!offer(to, most, from->row[i]))
			return false;
	return true;
}

static bool
merge_tile(struct part *p, const struct part *from, const struct ts_tile_rows *t)
{
	struct ts_tile_rows *to = rows_of(p, t->tile);
	bool adjoin = p->last_tile == t->tile && from->first_tile == t->tile;

	if (!to)
		return p->limited;
	if (to->rows == 0) {
		*to = *t;
		return true;
	}
	to->last = t->last;
	p->limited |= to->rows > UINT32_MAX - t->rows;
	to->rows += t->rows;
	if (!adjoin || !(t->flags & TS_TILE_ROWS_TOGETHER))
		to->flags &= ~(uint32_t)TS_TILE_ROWS_TOGETHER;
	if (t->bytes == TS_UNKNOWN)
		to->bytes = TS_UNKNOWN;
	else
		add_bytes(&to->bytes, t->bytes);
	return true;
}

/* Add what `from` has, whose rows come behind those of p. False: no memory. */
static bool
merge(struct part *p, const struct part *from, bool categories)
{
	if (categories && !ts_category_sums_merge(&p->sums, &from->sums))
		return false;
	for (size_t i = 0; i < from->sums.slots.count && i < from->tile_cap; i++)
		if (from->tile[i].rows > 0 && !merge_tile(p, from, &from->tile[i]))
			return false;
	p->limited |= !ts_category_names_merge(&p->sums.names, &from->sums.names);
	for (int i = 0; i < from->sums.names.count; i++) {
		const char *name = from->sums.names.name[i];
		int category = ts_category_named(&p->sums.names, name, strlen(name));

		if (p->sums.names.nomem ||
			(category >= 0 &&
				!merge_heap(&p->of_category[category], TS_LARGEST_OF_CATEGORY,
					&from->of_category[i])))
			return false;
	}
	if (from->rows > 0) {
		p->first_tile = p->rows > 0 ? p->first_tile : from->first_tile;
		p->last_tile = from->last_tile;
		p->has_row_ids = from->has_row_ids;
	}
	if (from->lowest != NO_TILE) {
		p->out_of_order |= p->highest > from->lowest;
		p->lowest = p->lowest == NO_TILE ? from->lowest : p->lowest;
		p->highest = from->highest;
	}
	p->out_of_order |= from->out_of_order;
	p->limited |= from->limited;
	p->rows += from->rows;
	p->bad_tiles += from->bad_tiles;
	p->bad_sizes += from->bad_sizes;
	if (from->bytes == TS_UNKNOWN)
		p->bytes = TS_UNKNOWN;
	else
		add_bytes(&p->bytes, from->bytes);
	return merge_heap(&p->largest, TS_LARGEST_OF_ALL, &from->largest);
}

/* --- writing ---------------------------------------------------------------------------------- */

static int
by_tile(const void *a, const void *b)
{
	const struct ts_tile_rows *x = a, *y = b;

	return (x->tile > y->tile) - (x->tile < y->tile);
}

static enum ts_code
write_heap(uint64_t *at, uint64_t *spent, struct ts_section_writer *w, struct heap *h,
	struct ts_err *err)
{
	size_t n = (size_t)h->count * sizeof(*h->row);

	*spent += n;
	if (h->count > 1)
		qsort(h->row, (size_t)h->count, sizeof(*h->row), largest_first);
	return ts_section_append(w, at, h->row ? (const void *)h->row : "", n, err);
}

static enum ts_code
write_categories(struct head *h, struct ts_section_writer *w, struct part *p, struct ts_err *err)
{
	int n = p->sums.names.count;
	struct category_entry *entry = ts_alloc((size_t)n, sizeof(*entry));
	struct ts_strbuf text;
	uint64_t spent = 0;
	enum ts_code code = entry ? TS_OK : ts_err_nomem(err);

	ts_strbuf_init(&text, (size_t)TS_CATEGORIES_MAX * (TS_NAME_MAX + 1));
	for (int i = 0; !code && i < n; i++) {
		entry[i].count = (uint32_t)p->of_category[i].count;
		entry[i].name_at = (uint32_t)text.len;
		entry[i].name_bytes = (uint32_t)strlen(p->sums.names.name[i]);
		ts_strbuf_puts(&text, p->sums.names.name[i]);
		code = write_heap(&entry[i].at, &spent, w, &p->of_category[i], err);
	}
	if (!code && (text.nomem || text.cut))
		code = ts_err_nomem(err);
	h->categories = (uint32_t)n;
	h->text_bytes = text.len;
	if (!code)
		code = ts_section_append(w, &h->text_at, text.s, text.len, err);
	if (!code)
		code = ts_section_append(w, &h->category_at, entry, (size_t)n * sizeof(*entry),
			err);
	ts_strbuf_fini(&text);
	free(entry);
	return code;
}

static size_t
payload_bytes(const struct part *p, size_t tiles)
{
	size_t n = sizeof(struct head) + tiles * sizeof(*p->tile) +
		(size_t)p->largest.count * sizeof(struct ts_large_row);

	for (int i = 0; i < p->sums.names.count; i++)
		n += sizeof(struct category_entry) + strlen(p->sums.names.name[i]) +
			(size_t)p->of_category[i].count * sizeof(struct ts_large_row);
	return n;
}

/* Tiles that have rows, in order; the others are dropped. */
static size_t
settle_tiles(struct part *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->sums.slots.count && i < p->tile_cap; i++)
		if (p->tile[i].rows > 0)
			p->tile[n++] = p->tile[i];
	for (size_t i = 0; i < n && !p->has_row_ids; i++) {
		p->tile[i].first = 0;
		p->tile[i].last = -1;
	}
	if (n > 1)
		qsort(p->tile, n, sizeof(*p->tile), by_tile);
	return n;
}

static enum ts_code
write_variables(struct ts_section_writer *w, struct part *p, const struct ts_report *r,
	struct ts_err *err)
{
	size_t tiles = settle_tiles(p);
	struct head h = {.flags = (p->has_row_ids ? HAS_ROW_IDS : 0u) |
			(p->out_of_order ? 0u : IN_ORDER),
		.rows = p->rows,
		.bad_tiles = p->bad_tiles,
		.bad_sizes = p->bad_sizes,
		.bytes = p->bytes,
		.tiles = tiles,
		.largest = (uint64_t)p->largest.count};
	uint64_t at, spent = 0;
	enum ts_code code;

	if (p->limited || payload_bytes(p, tiles) > ts_section_share(r)) {
		h = (struct head){.flags = LEFT_TO_THE_ROWS};
		return ts_section_append(w, &at, &h, sizeof(h), err);
	}
	code = ts_section_append(w, &at, &h, sizeof(h), err);
	if (!code)
		code = ts_section_append(w, &h.tile_at, tiles ? (const void *)p->tile : "",
			tiles * sizeof(*p->tile), err);
	if (!code)
		code = write_heap(&h.largest_at, &spent, w, &p->largest, err);
	if (!code)
		code = write_categories(&h, w, p, err);
	return code ? code : ts_section_put(w, at, &h, sizeof(h), err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count,
	struct ts_section_writer *variables, struct ts_section_writer *categories,
	struct ts_err *err)
{
	struct part *all = parts[0].state;
	enum ts_code code = TS_OK;

	all->sums.budget = TS_CATEGORY_BUDGET;
	for (int i = 1; i < count; i++) {
		if (!merge(all, parts[i].state, categories != NULL))
			return ts_err_nomem(err);
		forget(parts[i].state);
	}
	if (variables)
		code = write_variables(variables, all, run->report, err);
	if (!code && categories)
		code = ts_categories_write(categories, &all->sums, run->report, true, err);
	return code;
}

static enum ts_code
finish_alone(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	(void)rd;
	(void)progress;
	return finish(run, parts, count, run->writer[0], NULL, err);
}

static enum ts_code
finish_both(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	(void)rd;
	(void)progress;
	return finish(run, parts, count, run->writer[1], run->writer[0], err);
}

/* Are the categories of the tiles summed over lowered variables? */
static bool
can_both(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) && !ts_report_has(r, TS_TILE_CATEGORY) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CATEGORY);
}

static bool
can_alone(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) && !can_both(r);
}

const struct ts_pass ts_pass_variables = {
	.what = "lowered variables",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_VARIABLES, TS_SECTION_COUNT},
	.can = can_alone,
	.part_size = sizeof(struct part),
	.part = part_alone,
	.finish = finish_alone,
	.part_fini = part_fini,
};

const struct ts_pass ts_pass_variables_and_categories = {
	.what = "lowered variables",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_CATEGORIES, TS_SECTION_VARIABLES},
	.can = can_both,
	.part_size = sizeof(struct part),
	.part = part_both,
	.finish = finish_both,
	.part_fini = part_fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

bool
ts_index_variables(struct ts_index_variables *v, const struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_VARIABLES, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;

	*v = (struct ts_index_variables){0};
	if (!h || h->flags & LEFT_TO_THE_ROWS || h->categories > TS_CATEGORIES_MAX ||
		!ts_section_at(payload, size, h->category_at, h->categories,
			sizeof(struct category_entry)))
		return false;
	*v = (struct ts_index_variables){.rows = h->rows,
		.bad_tiles = h->bad_tiles,
		.bad_sizes = h->bad_sizes,
		.bytes = h->bytes,
		.has_row_ids = h->flags & HAS_ROW_IDS,
		.in_order = h->flags & IN_ORDER,
		.tiles = h->tiles,
		.tile = ts_section_at(payload, size, h->tile_at, h->tiles, sizeof(*v->tile)),
		.largest = h->largest,
		.large = ts_section_at(payload, size, h->largest_at, h->largest, sizeof(*v->large)),
		.categories = (int)h->categories,
		.payload = payload,
		.size = size};
	return v->tile && v->large;
}

const struct ts_tile_rows *
ts_index_variables_tile(const struct ts_index_variables *v, int64_t tile)
{
	struct ts_tile_rows key = {.tile = tile};

	return v->tiles > 0 ? bsearch(&key, v->tile, v->tiles, sizeof(key), by_tile) : NULL;
}

const struct ts_large_row *
ts_index_variables_category(const struct ts_index_variables *v, int i, size_t *count,
	const char **name, size_t *n)
{
	const struct head *h = ts_section_at(v->payload, v->size, 0, 1, sizeof(*h));
	const struct category_entry *e;
	const struct ts_large_row *row;
	const char *text;

	*count = *n = 0;
	*name = "";
	if (!h || i < 0 || i >= v->categories)
		return NULL;
	e = ts_section_at(v->payload, v->size, h->category_at, h->categories, sizeof(*e));
	text = ts_section_at(v->payload, v->size, h->text_at, h->text_bytes, 1);
	if (!e || !text || e[i].name_at > h->text_bytes ||
		e[i].name_bytes > h->text_bytes - e[i].name_at)
		return NULL;
	row = ts_section_at(v->payload, v->size, e[i].at, e[i].count, sizeof(*row));
	if (!row)
		return NULL;
	*count = e[i].count;
	*name = text + e[i].name_at;
	*n = e[i].name_bytes;
	return row;
}
