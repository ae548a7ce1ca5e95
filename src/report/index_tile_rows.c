/* SPDX-License-Identifier: MIT */
/*
 * index_tile_rows - making the section tile-rows; see tile_rows.h, and index_tile_rows.h for how it is laid out.
 *
 * Each part numbers the kinds of its rows as they come and keeps its rows packed with these numbers. At the end kinds of
 * all parts are put in order, and the rows are packed again with the numbers that they have there, a word each. Names are
 * those of the section columns, by place; where that is not there the kinds have none, and who tells names apart reads the rows.
 *
 * Left to the rows: where these do not stand by tile or have no row ids, where nearly each is of another kind, where the
 * bytes of all, or the rows of a kind, do not fit into a sum (so nobody who adds some up need look), and where the section would be large.
 */
#include "config.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/varint.h"
#include "tilescope/report/categories.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/tile_ipus.h"
#include "tilescope/report/tile_rows.h"

#include "index_tile_rows.h"
#include "lives_join.h"
#include "set_rows.h"

enum {
	SHARE = 24,    /* the section is at most so much of the report, ... */
	ROW_BYTES = 6, /* ... or so many bytes a row */
	SHARE_LEAST = 64 << 10,
	KINDS_SHARE = 2, /* kinds are at most so much of the rows, */
	KINDS_LEAST = 1 << 16,
	LEAST_SLOTS = 1024,
	BITS = 64,
	IPUS = 64,	   /* whose names are kept */
	NUMBER_BYTES = 10, /* of a number, at most */
	LOOK = 1 << 17,	   /* rows until what is done may leave memory */
};

enum { CATEGORY = LIVES_COLUMNS }; /* behind the columns of lives_join.h */

/* A kind with the number of its class, which is an index into the classes in the section only. */
struct kind {
	int64_t id, class;
	uint32_t state; /* 0, or TS_KIND_... */
	uint32_t name;
	uint32_t category; /* of those of its part; in the end of all */
};

struct part {
	struct ts_pile kind; /* struct kind */
	size_t kinds;
	struct ts_pile slot; /* uint32_t: kind + 1, or 0 */
	size_t slots;
	struct ts_pile tile;   /* struct ts_tile_rows_of */
	struct ts_pile packed; /* of each row: kind, bytes */
	uint64_t all;	       /* bytes of all rows, one upon the other, */
	int64_t bytes;	       /* and added up */
	int64_t rows;
	bool fits, joined;

	struct ts_category_names categories;
	struct ts_columns columns; /* names; block NULL: there are none */
	int64_t block;		   /* whose names are in `name`; -1: none */
	int64_t name[TS_COLUMN_ROWS];
	int64_t row[2]; /* places: the first of the block, that behind its last */
};

static struct kind *
kind_at(const struct part *p, size_t i)
{
	return (struct kind *)p->kind.memory + i;
}

/* --- kinds ------------------------------------------------------------------------------------ */

static uint64_t
mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

static size_t
slot_of(const struct part *p, const struct kind *k)
{
	const uint32_t *slot = p->slot.memory;
	size_t i = (size_t)mix((uint64_t)k->id +
			   mix((uint64_t)k->class ^ (uint64_t)k->name << 32 ^
				   (uint64_t)k->category << 24)) &
		(p->slots - 1);

	for (; slot[i] != 0; i = (i + 1) & (p->slots - 1)) {
		const struct kind *at = kind_at(p, slot[i] - 1);

		if (at->id == k->id && at->class == k->class && at->state == k->state &&
			at->name == k->name && at->category == k->category)
			break;
	}
	return i;
}

static enum ts_code
grow(struct part *p, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_pile old = p->slot;
	size_t slots = p->slots ? 2 * p->slots : LEAST_SLOTS;
	enum ts_code code;

	p->slot = (struct ts_pile){0};
	code = ts_pile_room(&p->slot, slots * sizeof(uint32_t), cache, err);
	if (code) {
		p->slot = old;
		return code;
	}
	p->slots = slots;
	for (size_t i = 0; i < p->kinds; i++)
		((uint32_t *)p->slot.memory)[slot_of(p, kind_at(p, i))] = (uint32_t)i + 1;
	ts_pile_fini(&old);
	return TS_OK;
}

static enum ts_code
number_of(uint32_t *number, struct part *p, const struct kind *k, const struct ts_cache *cache,
	struct ts_err *err)
{
	uint32_t *slot;
	enum ts_code code = TS_OK;

	if (4 * (p->kinds + 1) > 3 * p->slots)
		code = grow(p, cache, err);
	if (code)
		return code;
	slot = (uint32_t *)p->slot.memory + slot_of(p, k);
	if (*slot == 0) {
		code = ts_pile_add(&p->kind, k, sizeof(*k), cache, err);
		if (code)
			return code;
		*slot = (uint32_t)++p->kinds;
		p->fits = p->fits && p->kinds <= (size_t)p->rows / KINDS_SHARE + KINDS_LEAST;
	}
	*number = *slot - 1;
	return TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The number of the name of a row, which is found by its row id. */
static uint32_t
name_of(struct part *p, int64_t rowid)
{
	const struct ts_columns *c = &p->columns;
	int64_t place;

	if (!c->block[TS_COLUMN_NAME])
		return TS_KIND_NAMELESS;
	p->fits = p->fits && !__builtin_sub_overflow(rowid, c->first, &place);
	if (!p->fits)
		return TS_KIND_NAMELESS;
	if (p->block < 0 || place < p->row[0] || place >= p->row[1]) {
		int64_t low = 0, high = c->blocks;

		while (high - low > 1) {
			int64_t middle = low + (high - low) / 2;

			*(c->start[middle] <= place ? &low : &high) = middle;
		}
		p->block = low;
		p->row[0] = c->start[low];
		p->row[1] = c->start[low] + ts_columns_rows(c, low);
		p->fits = p->fits && place >= p->row[0] && place < p->row[1] &&
			ts_columns_read(c, TS_COLUMN_NAME, low, p->name);
	}
	if (!p->fits || p->name[place - p->row[0]] < 0)
		return TS_KIND_NAMELESS;
	return (uint32_t)p->name[place - p->row[0]];
}

static uint32_t
category_of(struct part *p, struct ts_rows *rows, const struct ts_rows_block *b, int i)
{
	int category = ts_category_at(&p->categories, rows, b, CATEGORY, i);

	return category < 0 ? TS_KIND_NO_CATEGORY : (uint32_t)category;
}

static struct kind
kind_of(struct part *p, struct ts_rows *rows, const struct ts_rows_block *b, int i)
{
	bool unlowered = b->is[LIVES_VARIABLE] == TS_VALUE_OK;
	int64_t row = b->rowid[i];
	struct kind k = {.id = unlowered ? b->v[LIVES_VARIABLE][i]
			: row < 0	 ? INT64_MIN
					 : -1 - row,
		.name = name_of(p, row),
		.category = category_of(p, rows, b, i)};

	if (b->is[LIVES_ALWAYS] == TS_VALUE_BAD)
		k.state = TS_KIND_BAD;
	else if (b->is[LIVES_ALWAYS] == TS_VALUE_OK && b->v[LIVES_ALWAYS][i] != 0)
		k.state = TS_KIND_ALWAYS;
	else if (b->is[LIVES_CLASS] != TS_VALUE_OK)
		k.state = TS_KIND_CLASSLESS;
	else
		k.class = b->v[LIVES_CLASS][i];
	if (k.state || !p->joined) /* whose it is does not matter */
		k.id = 0;
	return k;
}

static enum ts_code
add_row(struct part *p, struct ts_tile_rows_of *of, struct ts_rows *rows,
	const struct ts_rows_block *b, int i, const struct ts_cache *cache, struct ts_err *err)
{
	unsigned char out[2 * NUMBER_BYTES];
	struct kind k;
	uint32_t number;
	enum ts_code code;
	size_t n;

	if (b->is[LIVES_BYTES] != TS_VALUE_OK) {
		p->fits = p->fits && ++of->unsized < UINT32_MAX;
		return TS_OK;
	}
	k = kind_of(p, rows, b, i);
	code = number_of(&number, p, &k, cache, err);
	if (code)
		return code;
	p->fits = p->fits && ++of->rows < UINT32_MAX;
	p->fits = p->fits && ts_add_i64(&p->bytes, b->v[LIVES_BYTES][i]);
	p->all |= (uint64_t)b->v[LIVES_BYTES][i];
	n = ts_varint_put(out, number);
	n += ts_varint_put(out + n, (uint64_t)b->v[LIVES_BYTES][i]);
	return ts_pile_add(&p->packed, out, n, cache, err);
}

/* The last tile that was added; NULL when none was. */
static struct ts_tile_rows_of *
last_tile(const struct ts_pile *tile)
{
	struct ts_tile_rows_of *of = tile->memory;

	return tile->used > 0 ? &of[tile->used / sizeof(*of) - 1] : NULL;
}

/* The tile of the rows that come; they stand by tile. */
static enum ts_code
next_tile(struct part *p, struct ts_tile_rows_of **of, int64_t tile, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct ts_tile_rows_of new = {.tile = tile, .at = p->packed.used};
	enum ts_code code;

	p->fits = p->fits && (!*of || (*of)->tile < tile);
	code = ts_pile_add(&p->tile, &new, sizeof(new), cache, err);
	*of = last_tile(&p->tile);
	return code;
}

static enum ts_code
read_rows(struct part *p, struct ts_rows *rows, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_tile_rows_of *of = NULL;
	enum ts_code code = TS_OK;
	struct ts_rows_block b;
	int64_t rested = 0;

	while (p->fits && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		p->fits = b.rowid;
		for (int i = 0; p->fits && !code && i < b.rows; i++, p->rows++) {
			if (b.is[LIVES_TILE] != TS_VALUE_OK)
				continue;
			if (!of || of->tile != b.v[LIVES_TILE][i])
				code = next_tile(p, &of, b.v[LIVES_TILE][i], cache, err);
			if (!code)
				code = add_row(p, of, rows, &b, i, cache, err);
		}
		if (code)
			break;
		ts_progress_set(progress, p->rows, 0);
		if (p->rows - rested >= LOOK) {
			rested = p->rows;
			ts_pile_rest(&p->packed);
		}
	}
	return code;
}

static enum ts_code
read_part(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = lives_join_query();
	struct part *p = part->state;
	struct ts_rows *rows;
	enum ts_code code;

	p->fits = true;
	p->joined = lives_can_join(part->run->report);
	p->block = -1;
	if (!ts_columns_of(&p->columns, part->run->index) || !p->columns.gapless)
		p->columns = (struct ts_columns){0};
	q.columns[CATEGORY] = TS_LOWERED_VARIABLE_CATEGORY;
	q.column_count = CATEGORY + 1;
	q.past_damage = false;
	q.range = part->range;
	q.from = part->from;
	q.to = part->to;
	code = ts_category_names_read(&p->categories, rd, err);
	if (!code)
		code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	code = read_rows(p, rows, part->run->cache, progress, err);
	ts_rows_close(rows);
	if (!code && p->categories.nomem)
		code = ts_err_nomem(err);
	return code;
}

static void
part_fini(struct ts_pass_part *part)
{
	struct part *p = part->state;

	ts_pile_fini(&p->kind);
	ts_pile_fini(&p->slot);
	ts_pile_fini(&p->tile);
	ts_pile_fini(&p->packed);
	ts_category_names_fini(&p->categories);
}

/* --- kinds of all parts ----------------------------------------------------------------------- */

/* A kind, and which one it was in its part. */
struct sorted {
	struct kind kind;
	uint32_t part, number;
};

static int
by_kind(const void *a, const void *b)
{
	const struct kind *x = &((const struct sorted *)a)->kind,
			  *y = &((const struct sorted *)b)->kind;

	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->category > y->category) - (x->category < y->category);
}

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct merging {
	struct tile_rows_head head;
	struct ts_pile sorted;		   /* struct sorted */
	struct ts_pile map[TS_PASS_PARTS]; /* uint32_t: of the part's kind the number among all */
	struct ts_pile kind, class, tile, packed;
	struct ts_pile first, not_alone;	/* as in struct ts_kinds */
	struct ts_pile rows;			/* uint32_t: of each kind */
	struct ts_category_names categories;	/* of all parts */
	struct ts_pile category, category_text; /* as in struct ts_kinds */
	struct ts_pile kept_names, kept_name;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
};

/* The number among all of each category of a part. */
static void
join_categories(uint32_t out[TS_CATEGORIES_MAX], struct merging *m, const struct part *p)
{
	for (int i = 0; i < p->categories.count; i++) {
		const char *name = p->categories.name[i];
		int all = ts_category_named(&m->categories, name, strlen(name));

		out[i] = all < 0 ? TS_KIND_NO_CATEGORY : (uint32_t)all;
	}
}

/* Their names, one behind the other. */
static enum ts_code
write_categories(struct merging *m, struct ts_err *err)
{
	enum ts_code code = m->categories.nomem ? ts_err_nomem(err) : TS_OK;

	for (int i = 0; !code && i < m->categories.count; i++)
		code = ts_pile_add(&m->category_text, m->categories.name[i],
			strlen(m->categories.name[i]) + 1, m->cache, err);
	m->head.category_bytes = m->category_text.used;
	return code;
}

static enum ts_code
gather_kinds(struct merging *m, struct ts_pass_part *parts, int count, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	size_t n = 0;

	for (int k = 0; !code && k < count; k++) {
		const struct part *p = parts[k].state;
		uint32_t category[TS_CATEGORIES_MAX];

		join_categories(category, m, p);
		code = ts_pile_room(&m->map[k], (p->kinds + 1) * sizeof(uint32_t), m->cache, err);
		for (size_t i = 0; !code && i < p->kinds; i++, n++) {
			struct sorted s = {*kind_at(p, i), (uint32_t)k, (uint32_t)i};

			if (s.kind.category != TS_KIND_NO_CATEGORY)
				s.kind.category = category[s.kind.category];
			code = ts_pile_add(&m->sorted, &s, sizeof(s), m->cache, err);
			if (!code && !s.kind.state)
				code = ts_pile_add(&m->class, &s.kind.class, sizeof(s.kind.class),
					m->cache, err);
		}
	}
	if (!code)
		code = write_categories(m, err);
	if (!code)
		code = ts_pile_sort(&m->sorted, n, sizeof(struct sorted), by_kind, m->cache,
			m->cancel, err);
	if (!code)
		code = ts_pile_sort(&m->class, m->class.used / sizeof(int64_t), sizeof(int64_t),
			by_number, m->cache, m->cancel, err);
	return code;
}

static void
choose_classes(struct merging *m)
{
	int64_t *class = m->class.memory;
	size_t n = m->class.used / sizeof(*class), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept == 0 || class[kept - 1] != class[i])
			class[kept++] = class[i];
	m->class.used = kept * sizeof(*class);
	m->head.classes = kept;
}

static uint32_t
class_of(const struct merging *m, const struct kind *k)
{
	const int64_t *found;

	if (k->state)
		return k->state;
	found = bsearch(&k->class, m->class.memory, (size_t)m->head.classes, sizeof(*found),
		by_number);
	return (uint32_t)(found - (const int64_t *)m->class.memory);
}

static enum ts_code
number_kinds(struct merging *m, struct ts_err *err)
{
	const struct sorted *s = m->sorted.memory;
	size_t n = m->sorted.used / sizeof(*s);
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < n; i++) {
		if (i == 0 || by_kind(&s[i - 1], &s[i]) != 0) {
			struct ts_row_kind k = {s[i].kind.id, class_of(m, &s[i].kind),
				s[i].kind.name};
			uint16_t category = (uint16_t)s[i].kind.category;

			m->head.kinds++;
			m->head.lives += !s[i].kind.state;
			code = ts_pile_add(&m->kind, &k, sizeof(k), m->cache, err);
			if (!code)
				code = ts_pile_add(&m->category, &category, sizeof(category),
					m->cache, err);
		}
		((uint32_t *)m->map[s[i].part].memory)[s[i].number] = (uint32_t)m->head.kinds - 1;
	}
	return code;
}

/* Kinds of one name, each of which leads to the first. */
static enum ts_code
join_names(struct merging *m, struct ts_err *err)
{
	const struct ts_row_kind *kind = m->kind.memory;
	size_t n = (size_t)m->head.kinds, names = m->head.names < 0 ? 0 : (size_t)m->head.names;
	struct ts_pile by_name = {
		0}; /* uint32_t: its first kind + 1; the last one is of those without a name */
	enum ts_code code = ts_pile_room(&by_name, (names + 1) * sizeof(uint32_t), m->cache, err);
	uint64_t *bits;

	if (!code)
		code = ts_pile_room(&m->first, (n + 1) * sizeof(uint32_t), m->cache, err);
	if (!code)
		code = ts_pile_room(&m->not_alone, (n / BITS + 1) * sizeof(*bits), m->cache, err);
	bits = m->not_alone.memory;
	for (size_t i = 0; !code && i < n; i++) {
		size_t name = kind[i].name == TS_KIND_NAMELESS ? names : kind[i].name;
		uint32_t *of = (uint32_t *)by_name.memory + (name < names ? name : names);
		size_t first = *of ? *of - 1 : i;

		*of = (uint32_t)first + 1;
		((uint32_t *)m->first.memory)[i] = (uint32_t)first;
		if (first < i) {
			bits[i / BITS] |= UINT64_C(1) << i % BITS;
			bits[first / BITS] |= UINT64_C(1) << first % BITS;
		}
	}
	m->first.used = n * sizeof(uint32_t);
	m->not_alone.used = (n / BITS + 1) * sizeof(*bits);
	ts_pile_fini(&by_name);
	return code;
}

/* --- rows of all parts ------------------------------------------------------------------------ */

/* The word of a row, and what stands behind it where its bytes do not fit there; how many bytes that is. */
static size_t
pack_row(unsigned char out[TS_TILE_ROWS_WORD + TS_TILE_ROWS_LARGE], const struct tile_rows_head *h,
	uint32_t kind, uint64_t units)
{
	const uint32_t large = UINT32_MAX >> h->kind_bits;
	bool fits = units < large;
	uint32_t word = htole32(kind | (fits ? (uint32_t)units : large) << h->kind_bits);

	units = htole64(units);
	memcpy(out, &word, TS_TILE_ROWS_WORD);
	if (!fits)
		memcpy(out + TS_TILE_ROWS_WORD, &units, TS_TILE_ROWS_LARGE);
	return TS_TILE_ROWS_WORD + (fits ? 0 : TS_TILE_ROWS_LARGE);
}

/* A row of a tile, of some kind. *fits false: there are too many of that kind to be counted in a sum. */
static void
count_row(bool *fits, struct merging *m, struct ts_tile_rows_of *of, uint32_t kind)
{
	const struct ts_row_kind *k = (const struct ts_row_kind *)m->kind.memory + kind;
	uint32_t *rows = (uint32_t *)m->rows.memory + kind;

	*fits = *fits && of->rows < UINT32_MAX;
	of->rows++;
	of->always += k->class == TS_KIND_ALWAYS;
	of->classless += k->class == TS_KIND_CLASSLESS;
	of->bad += k->class == TS_KIND_BAD;
	*fits = *fits && ++*rows < TS_KIND_ROWS_MOST;
}

/* The rows of a tile once more. */
static enum ts_code
pack_rows(bool *fits, struct merging *m, const struct part *p, const struct ts_tile_rows_of *of,
	struct ts_tile_rows_of *to, const uint32_t *map, struct ts_err *err)
{
	const unsigned char *in = (const unsigned char *)p->packed.memory + of->at;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < of->rows; i++) {
		unsigned char out[TS_TILE_ROWS_WORD + TS_TILE_ROWS_LARGE];
		uint32_t kind = map[ts_varint_get(&in)];
		uint64_t bytes = ts_varint_get(&in);

		count_row(fits, m, to, kind);
		code = ts_pile_add(&m->packed, out,
			pack_row(out, &m->head, kind, bytes >> m->head.shift), m->cache, err);
	}
	return code;
}

/* A tile may end in one part and go on in the next. *fits false: they do not stand by tile. */
static enum ts_code
pack_part(bool *fits, struct merging *m, const struct part *p, const uint32_t *map,
	struct ts_err *err)
{
	const struct ts_tile_rows_of *of = p->tile.memory;
	size_t n = p->tile.used / sizeof(*of);
	enum ts_code code = TS_OK;

	for (size_t i = 0; *fits && !code && i < n; i++) {
		struct ts_tile_rows_of new = {.tile = of[i].tile, .at = m->packed.used};
		struct ts_tile_rows_of *to = last_tile(&m->tile);

		if (ts_cancelled(m->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		*fits = !to || to->tile < of[i].tile || (i == 0 && to->tile == of[i].tile);
		if (!to || to->tile != of[i].tile) {
			code = ts_pile_add(&m->tile, &new, sizeof(new), m->cache, err);
			if (code)
				return code;
			to = last_tile(&m->tile);
		}
		*fits = *fits && to->unsized <= UINT32_MAX - of[i].unsized;
		to->unsized += of[i].unsized;
		code = pack_rows(fits, m, p, &of[i], to, map, err);
	}
	ts_pile_rest(&m->packed);
	return code;
}

/* How a word is divided. */
static void
choose_bits(struct tile_rows_head *h, uint64_t all)
{
	h->kind_bits = TS_TILE_ROWS_KIND_LEAST;
	while (h->kind_bits < TS_TILE_ROWS_KIND_MOST && h->kinds > UINT64_C(1) << h->kind_bits)
		h->kind_bits++;
	h->shift = all ? (uint64_t)__builtin_ctzll(all) : 0;
	if (h->shift > ts_tile_rows_shift_most(h->kind_bits))
		h->shift = ts_tile_rows_shift_most(h->kind_bits);
}

static enum ts_code
pack_all(bool *fits, struct merging *m, struct ts_pass_part *parts, int count, struct ts_err *err)
{
	enum ts_code code = ts_pile_room(&m->rows, (size_t)(m->head.kinds + 1) * sizeof(uint32_t),
		m->cache, err);
	int64_t bytes = 0;
	uint64_t all = 0;

	for (int k = 0; k < count; k++) {
		const struct part *p = parts[k].state;

		all |= p->all;
		*fits = *fits && ts_add_i64(&bytes, p->bytes);
	}
	choose_bits(&m->head, all);
	*fits = *fits && bytes < (int64_t)TS_KIND_ROW &&
		m->head.kinds <= UINT64_C(1) << m->head.kind_bits;
	for (int k = 0; *fits && !code && k < count; k++)
		code = pack_part(fits, m, parts[k].state, m->map[k].memory, err);
	m->head.tiles = m->tile.used / sizeof(struct ts_tile_rows_of);
	return code;
}

/* --- names of each IPU -------------------------------------------------------------------------- */

/* What was made, as who reads the section sees it. */
static struct ts_kinds
view_of(const struct merging *m)
{
	const struct tile_rows_head *h = &m->head;

	return (struct ts_kinds){.kinds = (size_t)h->kinds,
		.lives = (size_t)h->lives,
		.kind = m->kind.memory,
		.category = m->category.memory,
		.category_text = m->category_text.memory,
		.category_bytes = m->category_text.used,
		.classes = (size_t)h->classes,
		.class = m->class.memory,
		.tiles = (size_t)h->tiles,
		.tile = m->tile.memory,
		.names = h->names,
		.first = m->first.memory,
		.not_alone = m->not_alone.memory,
		.packed = m->packed.memory,
		.bytes = m->packed.used,
		.kind_bits = (int)h->kind_bits,
		.shift = (int)h->shift};
}

/* Those of one. */
static enum ts_code
keep_ipu(struct merging *m, int64_t ipu, const int64_t *tiles, size_t n, struct ts_err *err)
{
	struct ts_kinds kinds = view_of(m);
	struct ts_set_variables v = {.rows.small = TS_PILE_SHOWN};
	struct ts_kept_names kept = {.ipu = ipu, .first = m->head.kept_rows};
	bool done;
	enum ts_code code = set_rows_sum(&done, &v, &kinds, tiles, n, TS_SET_FIRST, m->cancel, NULL,
		err);

	for (size_t i = 0; !code && done && i < v.count; i++) {
		struct ts_kept_name name = {v.row[i].key, v.row[i].bytes, v.row[i].pieces,
			v.row[i].tiles, v.row[i].fullest, v.row[i].fullest_tile, v.row[i].category};

		code = ts_pile_add(&m->kept_name, &name, sizeof(name), m->cache, err);
	}
	if (!code && done) {
		kept.found = v.found;
		kept.bytes = v.bytes;
		kept.others = v.others;
		kept.bad_rows = v.bad_rows;
		kept.names = v.names;
		kept.count = v.count;
		m->head.kept++;
		m->head.kept_rows += v.count;
		code = ts_pile_add(&m->kept_names, &kept, sizeof(kept), m->cache, err);
	}
	ts_set_variables_fini(&v);
	return code;
}

/* Of each of the first few IPUs; tiles are told theirs. */
static enum ts_code
keep_ipus(struct merging *m, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tile_rows_of *tile = m->tile.memory;
	size_t tiles = (size_t)m->head.tiles, n = 0;
	int64_t *of = ts_alloc(tiles + 1, sizeof(*of));
	struct ts_tile_ipus ipus;
	enum ts_code code = ts_tile_ipus_read(&ipus, rd, err);

	if (!code && ipus.unread) /* perhaps they can be read the next time */
		code = ts_err_set(err, ipus.unread, "tiles of IPUs cannot be read");
	if (!code && !of)
		code = ts_err_nomem(err);
	for (size_t i = 0; !code && i < tiles; i++)
		tile[i].ipu = ts_tile_ipus_find(&ipus, tile[i].tile);
	for (int64_t ipu = 0; !code && ipu < IPUS && m->head.names != TS_UNKNOWN; ipu++) {
		n = 0;
		for (size_t i = 0; i < tiles; i++)
			if (tile[i].ipu == ipu)
				of[n++] = tile[i].tile;
		if (n > 0)
			code = keep_ipu(m, ipu, of, n, err);
	}
	ts_tile_ipus_fini(&ipus);
	free(of);
	return code;
}

/* --- the section ------------------------------------------------------------------------------ */

static enum ts_code
write_section(struct ts_pass_run *run, struct merging *m, bool fits, int64_t rows,
	struct ts_err *err)
{
	int64_t most = ts_max_i64(run->report->identity.bytes / SHARE,
		ts_max_i64(rows * ROW_BYTES, SHARE_LEAST));
	struct tile_rows_head *h = &m->head;
	const struct ts_section_array array[] = {
		{&h->kind_at, m->kind.memory, m->kind.used},
		{&h->class_at, m->class.memory, m->class.used},
		{&h->tile_at, m->tile.memory, m->tile.used},
		{&h->packed_at, m->packed.memory, m->packed.used},
		{&h->first_at, m->first.memory, m->first.used},
		{&h->not_alone_at, m->not_alone.memory, m->not_alone.used},
		{&h->kept_names_at, m->kept_names.memory, m->kept_names.used},
		{&h->kept_name_at, m->kept_name.memory, m->kept_name.used},
		{&h->category_at, m->category.memory, m->category.used},
		{&h->category_text_at, m->category_text.memory, m->category_text.used},
	};
	size_t size = m->kind.used + m->class.used + m->tile.used + m->packed.used + m->first.used +
		m->not_alone.used + m->category.used + m->category_text.used;

	h->bytes = m->packed.used;
	fits = fits && (int64_t)size <= most;
	if (!fits)
		h->flags = TILE_ROWS_LEFT_TO_THE_ROWS;
	return ts_section_put_arrays(run->writer[0], h, sizeof(*h), array,
		fits ? TS_COUNT(array) : 0, err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct merging m = {.cache = run->cache, .cancel = rd->cancel};
	struct ts_columns columns;
	enum ts_code code = TS_OK;
	bool fits = true;
	int64_t rows = 0;

	(void)progress;
	m.head.flags = lives_can_join(run->report) ? TILE_ROWS_JOINED : 0;
	m.head.names = ts_columns_of(&columns, run->index) && columns.gapless &&
			columns.block[TS_COLUMN_NAME]
		? columns.names
		: TS_UNKNOWN;
	for (int k = 0; k < count; k++) {
		fits = fits && ((const struct part *)parts[k].state)->fits;
		rows += ((const struct part *)parts[k].state)->rows;
	}
	if (fits)
		code = gather_kinds(&m, parts, count, err);
	if (fits && !code) {
		choose_classes(&m);
		code = number_kinds(&m, err);
	}
	if (fits && !code)
		code = join_names(&m, err);
	if (fits && !code)
		code = pack_all(&fits, &m, parts, count, err);
	if (fits && !code)
		code = keep_ipus(&m, rd, err);
	if (!code)
		code = write_section(run, &m, fits, rows, err);
	for (int k = 0; k < TS_PASS_PARTS; k++)
		ts_pile_fini(&m.map[k]);
	ts_pile_fini(&m.sorted);
	ts_pile_fini(&m.kind);
	ts_pile_fini(&m.class);
	ts_pile_fini(&m.tile);
	ts_pile_fini(&m.packed);
	ts_pile_fini(&m.first);
	ts_pile_fini(&m.not_alone);
	ts_pile_fini(&m.rows);
	ts_pile_fini(&m.kept_names);
	ts_pile_fini(&m.kept_name);
	ts_category_names_fini(&m.categories);
	ts_pile_fini(&m.category);
	ts_pile_fini(&m.category_text);
	return code;
}

const struct ts_pass ts_pass_tile_rows = {
	.what = "rows by tile",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_TILE_ROWS, TS_SECTION_COUNT},
	.can = ts_columns_can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};
