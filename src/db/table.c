/* SPDX-License-Identifier: MIT */
/*
 * table - walk the leaves of a table's b-tree and take records apart.
 *
 * Coming to a leaf, a cursor goes down from the root through kept pages, then from leaf to leaf by their
 * parents. It reads the first leaves alone, for most of who asks want a screen of rows; behind that it
 * reads extents, as long as the parent's next children lie in them.
 *
 * Two things make it safe to go on with SQLite in the middle. Each page is checked whole before one of its
 * rows is given, and all row ids have to rise, within a page and as the keys above it say; so a search
 * for the last row that was given ends where this cursor stands. And a record is taken apart up to
 * the last column asked for before its row is given, as SQLite has it done when it returns a row.
 *
 * Most rows of a large table look like one of a few dozen others: header and size of the record are the same
 * bytes. What parse_header() finds out of them is kept by these bytes (a *shape*), so that a scan takes
 * values out of a record without looking at its types; what is no integer has no shape.
 *
 * Limits: tables whose rows have a row id, in UTF-8 files; a record that has fewer columns than are
 * asked for (the column was added later) is left to SQLite.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/table.h"

#include "cell.h"
#include "tree.h"

enum {
	ALONE = 2,		 /* leaves that are read one by one */
	EXTENT_FIRST = 64 << 10, /* bytes; then four times as many */
	HEADER_MAX = 98307,	 /* of a record, in bytes: SQLite's limit */
	SHAPES = 128,
	SHAPE_HEADER = 16, /* bytes of a header that has a shape */
	SHAPE_COLUMNS = 16,
	TYPE_INT64 = 6,
	TYPE_REAL = 7,
	TYPE_BLOB = 12,
};

struct level {
	uint32_t number; /* the page */
	unsigned child;	 /* which we are in: 0 .. cells */
	unsigned cells;
	int64_t low, high; /* row ids below it, inclusive */
};

/* Columns asked for, by their place in the record. */
struct want {
	int column, value;
};

/* Where an integer stands: (eight bytes at `at`) >> shift, & keep, | one. */
struct field {
	uint16_t at;
	uint8_t shift;
	int8_t keep; /* 0: it stands in the type, and is `one` */
	int8_t one;
};

/* Of records with this header and size. */
struct shape {
	uint64_t header[2]; /* its bytes, 0 behind them */
	uint32_t size;	    /* 0: no shape yet */
	bool integers;	    /* all columns asked for are */
	struct field field[SHAPE_COLUMNS];
};

struct cursor {
	struct ts_table t;
	unsigned cell, cells; /* of the leaf: the next one, and how many */
	int64_t high;	      /* the highest row id that may stand there */
	const unsigned char *leaf;
	struct ts_pages *pages;
	const struct ts_geometry *g;
	bool nulls; /* are -1 in ts_table_peek() */
	int wanted;
	struct want want[TS_TABLE_COLUMNS];
	unsigned char rowid_bytes[sizeof(uint64_t) + TS_PAGE_SLACK];
	bool wants_rowid;
	int count; /* columns asked for */

	/* for ts_table_peek(), made when first needed */
	struct shape *shape;  /* SHAPES of them, by their header */
	struct ts_cells list; /* the leaf's rows */
	bool listed;	      /* they are */

	uint32_t root;
	int64_t from; /* where it was sent */
	int64_t to;   /* where it ends, with `bounded` */
	bool bounded;
	bool begun;	/* it has gone there */
	bool given;	/* a row was given: `before`, or t.rowid */
	bool bad_row;	/* unknown is the record of row t.rowid, not a page */
	int64_t before; /* last row id of the leaf before */
	unsigned seen;	/* leaves */
	int depth, leaf_depth;
	struct level level[TS_TREE_DEPTH];
	struct ts_pages_slot *slot; /* that the leaf is in, or NULL: it is in `scan` */
	struct ts_extent scan, chain;
	unsigned char *wide; /* payload that does not stand in one page */
	size_t wide_cap;
};

/* --- opening ---------------------------------------------------------------------------------- */

static int
by_column(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
				      : x->value - y->value;
}

/* Where the columns stand in a record; those that are the row id always have the same value. */
static void
add_columns(struct cursor *c, const struct ts_object *o, const int *columns, int count)
{
	for (int i = 0; i < count; i++) {
		const struct ts_sql_column *column = columns[i] < 0 ? NULL : &o->column[columns[i]];

		if (!column || column->stored < 0) {
			c->wants_rowid = true;
			c->t.value[i].type = TYPE_INT64;
			c->t.value[i].bytes = c->rowid_bytes;
		} else {
			c->t.value[i].real = column->real;
			c->want[c->wanted++] = (struct want){column->stored, i};
		}
	}
	qsort(c->want, (size_t)c->wanted, sizeof(*c->want), by_column);
}

enum ts_code
ts_table_open(struct ts_table **t, struct ts_db *db, const struct ts_object *o, const int *columns,
	int count, struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	struct cursor *c;

	*t = NULL;
	if (!pages || o->root == 0 || count > TS_TABLE_COLUMNS)
		return TS_OK;
	c = ts_alloc(1, sizeof(*c));
	if (!c)
		return ts_err_nomem(err);
	c->pages = pages;
	c->g = ts_pages_geometry(pages);
	c->root = o->root;
	c->count = count;
	add_columns(c, o, columns, count);
	ts_table_seek(&c->t, INT64_MIN);
	*t = &c->t;
	return TS_OK;
}

static void
leave_leaf(struct cursor *c)
{
	ts_pages_put(c->slot);
	c->slot = NULL;
	c->cell = c->cells = 0;
}

void
ts_table_close(struct ts_table *t)
{
	struct cursor *c = (struct cursor *)t;

	if (!c)
		return;
	leave_leaf(c);
	ts_extent_fini(&c->scan);
	ts_extent_fini(&c->chain);
	free(c->wide);
	free(c->shape);
	free(c->list.rowid);
	free(c);
}

void
ts_table_seek(struct ts_table *t, int64_t rowid)
{
	struct cursor *c = (struct cursor *)t;

	leave_leaf(c);
	c->from = rowid;
	c->begun = c->given = c->bad_row = false;
	c->seen = 0;
	c->depth = 0;
	c->leaf_depth = -1;
}

void
ts_table_until(struct ts_table *t, int64_t to)
{
	struct cursor *c = (struct cursor *)t;

	c->bounded = true;
	c->to = to;
}

bool
ts_table_resume(const struct ts_table *t, int64_t *rowid, bool *skip)
{
	const struct cursor *c = (const struct cursor *)t;

	*rowid = c->bad_row ? c->t.rowid : c->before;
	*skip = c->given && !c->bad_row;
	return c->bad_row || c->given;
}

bool
ts_table_at_record(const struct ts_table *t, int64_t *high)
{
	const struct cursor *c = (const struct cursor *)t;

	*high = c->high;
	return c->bad_row;
}

/* --- the tree --------------------------------------------------------------------------------- */

/* The pages to read with the child: the next children behind it, as long as they are most of them. */
static uint32_t
pages_ahead(const struct cursor *c, const struct level *l, const unsigned char *page)
{
	uint32_t first = ts_child_at(page, l->cells, l->child), end = first + 1, useful = 1;
	uint32_t most = (c->seen < 2 * ALONE + 4 ? EXTENT_FIRST : TS_EXTENT_BYTES) / c->g->page;

	for (unsigned i = l->child + 1; i <= l->cells; i++) {
		uint32_t next = ts_child_at(page, l->cells, i);

		if (next < end || next - first >= most || next - first + 1 >= 2 * (useful + 1))
			break;
		useful++;
		end = next + 1;
	}
	return end - first;
}

/* One more leaf of a scan, from an extent. */
static enum ts_code
read_leaf(bool *known, struct ts_page *page, struct cursor *c, uint32_t number, uint32_t ahead,
	struct ts_err *err)
{
	const unsigned char *bytes;
	enum ts_code code = ts_extent_get(&bytes, &c->scan, c->pages, number, ahead, err);

	*known = !code && bytes && ts_page_check(page, c->g, bytes, c->shape ? &c->list : NULL) &&
		page->leaf;
	return code;
}

/*
 * Go down from page `number`, whose row ids lie in low .. high, to the leaf that `from` is in, or would be.
 * `ahead`: pages to read with it where it is a leaf.
 */
static enum ts_code
go_down(bool *known, struct cursor *c, uint32_t number, int64_t low, int64_t high, uint32_t ahead,
	struct ts_err *err)
{
	for (;;) {
		bool scan = c->seen >= ALONE && c->depth == c->leaf_depth;
		struct ts_pages_slot *slot = NULL;
		struct ts_page page;
		struct level *l;
		enum ts_code code;

		if (scan) {
			code = read_leaf(known, &page, c, number, ahead, err);
		} else {
			code = ts_pages_get(&slot, &page, c->pages, number, err);
			*known = slot != NULL;
		}
		*known = *known && ts_page_fits(&page, c->depth, low, high);
		if (code || !*known) {
			ts_pages_put(slot);
			return code;
		}
		if (page.leaf) {
			c->slot = slot;
			c->leaf = page.bytes;
			c->cells = page.cells;
			c->high = high;
			c->cell = ts_page_search(&page, c->from);
			c->listed = scan && c->shape;
			c->leaf_depth = c->depth;
			c->seen++;
			return TS_OK;
		}
		l = &c->level[c->depth++];
		*l = (struct level){number, ts_page_search(&page, c->from), page.cells, low, high};
		number = ts_child_at(page.bytes, page.cells, l->child);
		ts_child_range(&low, &high, &page, l->child);
		ahead = pages_ahead(c, l, page.bytes);
		ts_pages_put(slot);
	}
}

/* The leaf behind this one; *at TS_TABLE_END when there is none. */
static enum ts_code
next_leaf(enum ts_table_at *at, struct cursor *c, struct ts_err *err)
{
	struct ts_pages_slot *slot;
	struct ts_page page;
	struct level *l;
	enum ts_code code;
	uint32_t number, ahead;
	int64_t low, high;
	bool known;

	leave_leaf(c);
	while (c->depth > 0 && c->level[c->depth - 1].child == c->level[c->depth - 1].cells)
		c->depth--;
	*at = TS_TABLE_END;
	if (c->depth == 0)
		return TS_OK;
	*at = TS_TABLE_UNKNOWN;
	l = &c->level[c->depth - 1];
	code = ts_pages_get(&slot, &page, c->pages, l->number, err);
	if (code || !slot)
		return code;
	if (page.leaf || page.cells != l->cells) { /* the file has changed */
		ts_pages_put(slot);
		return TS_OK;
	}
	l->child++;
	number = ts_child_at(page.bytes, page.cells, l->child);
	low = l->low;
	high = l->high;
	ts_child_range(&low, &high, &page, l->child);
	ahead = pages_ahead(c, l, page.bytes);
	ts_pages_put(slot);
	code = go_down(&known, c, number, low, high, ahead, err);
	if (!code && known)
		*at = TS_TABLE_ROW;
	return code;
}

/* Come to a leaf that has another row. */
static enum ts_code
next_rows(enum ts_table_at *at, struct cursor *c, struct ts_err *err)
{
	enum ts_code code;
	bool known;

	*at = TS_TABLE_ROW;
	if (!c->begun) {
		code = go_down(&known, c, c->root, INT64_MIN, INT64_MAX, 1, err);
		if (code || !known) {
			*at = TS_TABLE_UNKNOWN;
			return code;
		}
		c->begun = true;
	} else if (c->cells > 0) {
		c->before = c->t.rowid;
	}
	while (c->cell == c->cells) {
		code = next_leaf(at, c, err);
		if (code || *at != TS_TABLE_ROW)
			return code;
	}
	return TS_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Bytes of a value by its type, 0 .. 11; 10 and 11 are not for files. */
static const uint8_t type_bytes[TYPE_BLOB] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

static inline uint64_t
bytes_of_type(uint64_t type)
{
	return type < TYPE_BLOB ? type_bytes[type] : (type - TYPE_BLOB) / 2;
}

/*
 * Where the values stand in a record whose header is all there; *need: bytes of it up to the end of the last one
 * that has any. False: not a record that we know.
 */
static bool
parse_header(struct cursor *c, const unsigned char *record, uint64_t size, uint64_t *need)
{
	uint64_t header, at, type;
	const unsigned char *p = ts_varint(record, &header), *end;
	int k = 0;

	if (header > size || header > HEADER_MAX)
		return false;
	end = record + header;
	at = *need = header;
	for (int column = 0; k < c->wanted; column++) {
		if (p >= end)
			return false;
		type = *p++;
		if (type >= 0x80)
			p = ts_varint(p - 1, &type);
		if (type > UINT32_MAX)
			return false;
		for (; k < c->wanted && c->want[k].column == column; k++) {
			struct ts_table_value *v = &c->t.value[c->want[k].value];

			v->type = (uint32_t)type;
			v->bytes = record + at;
			if (type == 10 || type == 11)
				return false;
			if (bytes_of_type(type) > 0)
				*need = at + bytes_of_type(type);
		}
		at += bytes_of_type(type);
		if (at > size)
			return false;
	}
	return p < end || (p == end && at == size);
}

/* The first `need` bytes of a record in one piece: c->wide. */
static enum ts_code
gather(bool *known, struct cursor *c, const struct ts_cell *cell, uint64_t need, struct ts_err *err)
{
	uint64_t have = ts_local_bytes(c->g, cell->size), pages = c->g->pages;
	uint32_t room = c->g->usable - 4, next, run = 1;

	*known = !c->g->auto_vacuum && need <= TS_DB_LENGTH_MAX && need <= pages * c->g->page;
	if (!*known)
		return TS_OK;
	if (need + TS_PAGE_SLACK > c->wide_cap) {
		unsigned char *more = ts_alloc(need + need / 2 + TS_PAGE_SLACK, 1);

		if (!more)
			return ts_err_nomem(err);
		free(c->wide);
		c->wide = more;
		c->wide_cap = need + need / 2 + TS_PAGE_SLACK;
	}
	memcpy(c->wide, cell->payload, have);
	next = ts_be32(cell->payload + have);
	while (have < need) {
		uint64_t part = need - have < room ? need - have : room;
		const unsigned char *page;
		enum ts_code code = ts_extent_get(&page, &c->chain, c->pages, next,
			(uint32_t)ts_min_i64(run, (int64_t)((need - have + room - 1) / room)), err);

		if (code || !page) {
			*known = false;
			return code;
		}
		memcpy(c->wide + have, page + 4, part);
		have += part;
		run = ts_be32(page) == next + 1 ? run * 2 : 1; /* mostly they follow each other */
		next = ts_be32(page);
	}
	return TS_OK;
}

/* A record that goes on in overflow pages. */
static enum ts_code
parse_long(bool *known, struct cursor *c, const struct ts_cell *cell, struct ts_err *err)
{
	uint64_t have = ts_local_bytes(c->g, cell->size), header, need;
	const unsigned char *record = cell->payload;
	enum ts_code code;

	ts_varint(record, &header);
	*known = header <= HEADER_MAX && header <= cell->size;
	if (!*known)
		return TS_OK;
	if (header > have) {
		code = gather(known, c, cell, header, err);
		if (code || !*known)
			return code;
		record = c->wide;
	}
	*known = parse_header(c, record, cell->size, &need);
	if (!*known || need <= have)
		return TS_OK;
	code = gather(known, c, cell, need, err);
	if (!code && *known)
		*known = parse_header(c, c->wide, cell->size, &need);
	return code;
}

static enum ts_code
parse_row(bool *known, bool *beyond, struct cursor *c, struct ts_err *err)
{
	struct ts_cell cell;
	uint64_t need;

	ts_cell_read(&cell, c->leaf + ts_cell_at(c->leaf, TS_LEAF_HEADER, c->cell));
	*known = true;
	*beyond = c->bounded && cell.rowid >= c->to;
	if (*beyond)
		return TS_OK;
	c->t.rowid = cell.rowid;
	if (c->wants_rowid) {
		uint64_t be = ts_be64((const unsigned char *)&cell.rowid);

		memcpy(c->rowid_bytes, &be, sizeof(be));
	}
	if (c->wanted == 0)
		return TS_OK;
	if (cell.size > c->g->max_local)
		return parse_long(known, c, &cell, err);
	*known = parse_header(c, cell.payload, cell.size, &need);
	return TS_OK;
}

enum ts_code
ts_table_next(enum ts_table_at *at, struct ts_table *t, struct ts_err *err)
{
	struct cursor *c = (struct cursor *)t;
	enum ts_code code;
	bool known, beyond;

	if (c->cell == c->cells) {
		code = next_rows(at, c, err);
		if (code || *at != TS_TABLE_ROW)
			return code;
	}
	code = parse_row(&known, &beyond, c, err);
	*at = beyond ? TS_TABLE_END : known ? TS_TABLE_ROW : TS_TABLE_UNKNOWN;
	c->bad_row = !known;
	if (code || *at != TS_TABLE_ROW)
		return code;
	c->cell++;
	c->given = true;
	return TS_OK;
}

/* The leaf behind is of no interest: SQLite does not look at it either. */
enum ts_code
ts_table_find(enum ts_table_at *at, struct ts_table *t, int64_t rowid, struct ts_err *err)
{
	struct cursor *c = (struct cursor *)t;
	enum ts_code code;
	bool known;

	ts_table_seek(t, rowid);
	code = go_down(&known, c, c->root, INT64_MIN, INT64_MAX, 1, err);
	*at = known ? TS_TABLE_END : TS_TABLE_UNKNOWN;
	if (code || !known)
		return code;
	c->begun = true;
	if (c->cell == c->cells || ts_rowid_at(c->leaf, c->cell) != rowid)
		return TS_OK;
	return ts_table_next(at, t, err);
}

/* --- rows that look like others --------------------------------------------------------------- */

/* The field of a value that parse_header() has found; false: it is no integer. */
static bool
field_of(struct field *f, const struct ts_table_value *v, const unsigned char *record, bool nulls)
{
	static const uint8_t bits[] = {0, 8, 16, 24, 32, 48, 64}; /* by type */

	*f = (struct field){0};
	if (nulls && v->type == 0 && !v->real) {
		f->one = -1;
		return true;
	}
	if (v->real || v->type == 0 || v->type == TYPE_REAL || v->type >= 10)
		return false;
	if (v->type > TYPE_REAL) {
		f->one = (int8_t)(v->type - 8);
		return true;
	}
	f->at = (uint16_t)(v->bytes - record);
	f->shift = (uint8_t)(64 - bits[v->type]);
	f->keep = -1;
	return true;
}

static void
learn_shape(struct shape *s, struct cursor *c, const unsigned char *record, uint32_t size,
	const uint64_t header[2])
{
	uint64_t need;

	*s = (struct shape){{header[0], header[1]}, size, false, {{0}}};
	s->integers = parse_header(c, record, size, &need);
	for (int k = 0; s->integers && k < c->wanted; k++)
		s->integers = field_of(&s->field[k], &c->t.value[c->want[k].value], record,
			c->nulls);
}

/* A mask of the first n of eight bytes. */
static inline uint64_t
first_bytes(unsigned n)
{
	return n < 8 ? ~(UINT64_MAX >> 8 * n) : UINT64_MAX;
}

/* The shape of a record that stands in its leaf; NULL: none, or not all of integers. */
static inline const struct shape *
shape_of(struct cursor *c, const unsigned char *record, uint32_t size)
{
	unsigned n = record[0];
	uint64_t header[2];
	struct shape *s;

	if (n > SHAPE_HEADER || size == 0)
		return NULL;
	header[0] = ts_be64(record) & first_bytes(n);
	header[1] = ts_be64(record + 8) & first_bytes(n > 8 ? n - 8 : 0);
	s = &c->shape[(header[0] ^ header[1] ^ size << 4) * 0x9e3779b97f4a7c15u >> 57];
	if (s->header[0] != header[0] || s->header[1] != header[1] || s->size != size)
		learn_shape(s, c, record, size, header);
	return s->integers ? s : NULL;
}

/* Room for shapes and lists; the leaf's rows listed. */
static enum ts_code
list_rows(struct cursor *c, struct ts_err *err)
{
	size_t n = c->g->max_cells;
	struct ts_page page;

	if (!c->list.rowid) {
		c->list.rowid = ts_alloc(n, sizeof(*c->list.rowid) + 2 * sizeof(*c->list.size));
		if (!c->list.rowid)
			return ts_err_nomem(err);
		c->list.payload = (uint32_t *)(c->list.rowid + n);
		c->list.size = c->list.payload + n;
	}
	if (!c->shape)
		c->shape = ts_alloc(SHAPES, sizeof(*c->shape));
	if (!c->shape)
		return ts_err_nomem(err);
	c->listed = ts_page_check(&page, c->g, c->leaf, &c->list);
	return TS_OK;
}

/* Take values out of up to `end` rows from the next on; how many there are. */
static int
take_values(struct cursor *c, uint64_t *bits, int64_t *const *v, int end)
{
	const uint32_t *payload = c->list.payload + c->cell, *size = c->list.size + c->cell;
	int64_t *to[SHAPE_COLUMNS];
	uint64_t all = 0;
	int n = 0;

	for (int k = 0; k < c->wanted; k++)
		to[k] = v[c->want[k].value];
	for (; n < end && size[n] <= c->g->max_local; n++) {
		const unsigned char *record = c->leaf + payload[n];
		const struct shape *s = shape_of(c, record, size[n]);

		if (!s)
			break;
		for (int k = 0; k < c->wanted; k++) {
			const struct field *f = &s->field[k];
			int64_t number = (int64_t)ts_be64(record + f->at) >> f->shift;

			number = (number & f->keep) | f->one;
			all |= (uint64_t)number;
			to[k][n] = number;
		}
	}
	*bits = all;
	return n;
}

void
ts_table_nulls(struct ts_table *t)
{
	((struct cursor *)t)->nulls = true;
}

enum ts_code
ts_table_peek(struct ts_table_rows *rows, struct ts_table *t, int64_t *const *v, int most,
	struct ts_err *err)
{
	struct cursor *c = (struct cursor *)t;
	int end = (int)ts_min_i64(most, (int64_t)c->cells - c->cell);
	enum ts_code code = TS_OK;

	*rows = (struct ts_table_rows){0};
	if (end <= 0 || c->wanted > SHAPE_COLUMNS)
		return TS_OK;
	if (!c->listed)
		code = list_rows(c, err);
	if (code || !c->listed)
		return code;
	rows->rowid = c->list.rowid + c->cell;
	while (end > 0 && c->bounded && rows->rowid[end - 1] >= c->to)
		end--;
	rows->n = take_values(c, &rows->bits, v, end);
	for (int i = 0; c->wants_rowid && i < c->count; i++)
		if (c->t.value[i].bytes == c->rowid_bytes && v[i]) {
			memcpy(v[i], rows->rowid, (size_t)rows->n * sizeof(*rows->rowid));
			for (int k = 0; k < rows->n; k++)
				rows->bits |= (uint64_t)v[i][k];
		}
	return TS_OK;
}

void
ts_table_take(struct ts_table *t, int n)
{
	struct cursor *c = (struct cursor *)t;

	if (n <= 0)
		return;
	c->cell += (unsigned)n;
	c->t.rowid = ts_rowid_at(c->leaf, c->cell - 1);
	c->given = true;
	c->bad_row = false;
}

/* --- values ----------------------------------------------------------------------------------- */

double
ts_table_double(const struct ts_table_value *v)
{
	uint64_t bits;
	double d;

	if (v->type != TYPE_REAL)
		return (double)ts_table_int(v);
	bits = ts_be64(v->bytes);
	memcpy(&d, &bits, sizeof(d));
	return d;
}

int64_t
ts_table_int(const struct ts_table_value *v)
{
	int64_t n;

	return ts_table_number(v, &n) ? n : 0;
}

int
ts_table_type(const struct ts_table_value *v)
{
	if (v->type >= TYPE_BLOB)
		return v->type % 2 ? SQLITE_TEXT : SQLITE_BLOB;
	if (v->type == 0)
		return SQLITE_NULL;
	if (v->type == TYPE_REAL) /* SQLite has no NaN */
		return isnan(ts_table_double(v)) ? SQLITE_NULL : SQLITE_FLOAT;
	return v->real ? SQLITE_FLOAT : SQLITE_INTEGER;
}
