/* SPDX-License-Identifier: MIT */
/*
 * index_columns - making the section; see the header, and index_columns_read.c for what reads it.
 *
 * Each part packs its own blocks and has a dictionary of its own. At the end names get their numbers among all, which
 * are those of their order, and the blocks of their column are packed again; everything else is put one behind the other.
 * Names in order share long beginnings with the one before: only the rest is kept, and only the rest need be looked
 * at by who looks for something in them. Where names are nearly all distinct nothing is won by numbers, and there is
 * no column of names.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/varint.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"

#include "index_columns_internal.h"
#include "variable_internal.h"

enum {
	SHARE = 24,    /* the section is at most so much of the report, ... */
	ROW_BYTES = 5, /* ... or so many bytes a row, about as an order that is kept */
	SHARE_LEAST = 256 << 10,
	NAMES_SHARE = 3, /* of the rows are distinct names, at most, */
	NAMES_LEAST = 1 << 16,
	LOOK = 1 << 17, /* rows until what is done may leave memory */
};

#define NO_TEXT UINT32_MAX /* of a number that the table of names has without one */

/* A column of a part, as far as it is packed. */
struct packing {
	bool kept;
	uint64_t v[TS_COLUMN_ROWS];
	struct ts_pile block; /* struct ts_column_block */
	struct ts_pile bits;
};

struct part {
	int slot[TS_COLUMN_COUNT]; /* of the query, or -1 */
	struct packing column[TS_COLUMN_COUNT];
	struct ts_dictionary names; /* texts, or numbers */
	struct ts_pile number;	    /* uint32_t an entry of it: that among all */
	int n;			    /* rows of the block under way */
	int64_t rows, first, last, bytes, unsized;
	bool has_row_ids, gaps;
};

/* --- packing ---------------------------------------------------------------------------------- */

static int
bits_of(uint64_t v)
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

static int
packed_width(uint64_t most)
{
	int n = bits_of(most);

	return n <= COLUMN_WIDTH_MOST ? n : COLUMN_WHOLE;
}

/* From the least value on, in units. */
static struct ts_column_block
plan_values(const uint64_t *v, int n)
{
	struct ts_column_block b = {.base = v[0]};
	uint64_t most = v[0], all = 0;

	for (int i = 1; i < n; i++) {
		b.base = v[i] < b.base ? v[i] : b.base;
		most = v[i] > most ? v[i] : most;
	}
	for (int i = 0; i < n; i++)
		all |= v[i] - b.base;
	b.shift = all ? (uint8_t)__builtin_ctzll(all) : 0;
	b.width = (uint8_t)packed_width((most - b.base) >> b.shift);
	return b;
}

/* From one to the next. False: they differ by too much. */
static bool
plan_steps(struct ts_column_block *b, const uint64_t *v, int n)
{
	int64_t least = INT32_MAX, most = INT32_MIN;

	for (int i = 1; i < n; i++) {
		int64_t step = (int64_t)(v[i] - v[i - 1]);

		least = step < least ? step : least;
		most = step > most ? step : most;
	}
	if (n < 2 || least < INT32_MIN || most > INT32_MAX)
		return false;
	*b = (struct ts_column_block){.base = v[0], .step = (int32_t)least, .differs = 1};
	b->width = (uint8_t)packed_width((uint64_t)(most - least));
	return true;
}

static enum ts_code
put_bits(struct ts_pile *bits, const uint64_t *v, int n, int width, const struct ts_cache *cache,
	struct ts_err *err)
{
	unsigned char bytes[TS_COLUMN_ROWS * 8 + 8];
	size_t have = 0, out = 0;
	uint64_t left = 0;

	if (width == COLUMN_WHOLE)
		return ts_pile_add(bits, v, (size_t)n * sizeof(*v), cache, err);
	for (int i = 0; i < n; i++) {
		left |= v[i] << have;
		for (have += (size_t)width; have >= 8; have -= 8) {
			bytes[out++] = (unsigned char)left;
			left >>= 8;
		}
	}
	if (have > 0)
		bytes[out++] = (unsigned char)left;
	return ts_pile_add(bits, bytes, out, cache, err);
}

/* Values plus 1; they are overwritten. */
static enum ts_code
put_block(struct packing *p, uint64_t *v, int n, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_column_block b = plan_values(v, n), steps;
	enum ts_code code;

	if (plan_steps(&steps, v, n) && steps.width < b.width) {
		b = steps;
		for (int i = n - 1; i > 0; i--)
			v[i] = v[i] - v[i - 1] - (uint64_t)(int64_t)b.step;
	} else {
		for (int i = 0; i < n; i++)
			v[i] = (v[i] - b.base) >> b.shift;
	}
	b.at = p->bits.used;
	code = put_bits(&p->bits, b.differs ? v + 1 : v, (int)column_packed(&b, n), b.width, cache,
		err);
	return code ? code : ts_pile_add(&p->block, &b, sizeof(b), cache, err);
}

static enum ts_code
put_blocks(struct part *part, const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; !code && i < TS_COLUMN_COUNT; i++)
		if (part->column[i].kept)
			code = put_block(&part->column[i], part->column[i].v, part->n, cache, err);
	part->n = 0;
	return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum ts_code
name_of(uint64_t *v, struct part *part, struct ts_rows *rows, const struct ts_rows_block *b, int k,
	bool by_number, struct ts_err *err)
{
	int slot = part->slot[TS_COLUMN_NAME];
	struct ts_dictionary *d = &part->names;
	enum ts_code code = TS_OK;
	uint32_t entry = 0;
	int64_t found;
	const char *s;
	size_t n;

	*v = 0;
	if (by_number) {
		if (b->is[slot] != TS_VALUE_OK)
			return TS_OK;
		found = ts_dictionary_find(d, b->v[slot][k]);
		if (found == TS_DICTIONARY_NONE)
			code = ts_dictionary_number(d, &entry, b->v[slot][k], "", 0, err);
		else
			entry = (uint32_t)found;
	} else {
		if (b->is[slot] != TS_VALUE_BAD || ts_rows_text(rows, slot, &s, &n) != TS_VALUE_OK)
			return TS_OK;
		code = ts_dictionary_text(d, &entry, s, n, err);
	}
	*v = code ? 0 : (uint64_t)entry + 1;
	if (d->count > part->rows / NAMES_SHARE + NAMES_LEAST) {
		part->column[TS_COLUMN_NAME].kept = false;
		ts_dictionary_fini(d);
	}
	return code;
}

static void
note_row(struct part *part, const struct ts_rows_block *b, int k)
{
	int slot = part->slot[TS_COLUMN_BYTES];
	bool sized = slot >= 0 && b->is[slot] == TS_VALUE_OK;

	if (b->rowid) {
		part->gaps |= part->has_row_ids && b->rowid[k] - 1 != part->last;
		if (!part->has_row_ids)
			part->first = b->rowid[k];
		part->has_row_ids = true;
		part->last = b->rowid[k];
	}
	part->rows++;
	part->unsized += !sized;
	if (sized && part->bytes != TS_UNKNOWN && !ts_add_i64(&part->bytes, b->v[slot][k]))
		part->bytes = TS_UNKNOWN;
}

static enum ts_code
take_row(struct part *part, struct ts_rows *rows, const struct ts_rows_block *b, int k,
	bool by_number, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	note_row(part, b, k);
	for (int i = 0; !code && i < TS_COLUMN_COUNT; i++) {
		struct packing *p = &part->column[i];
		int slot = part->slot[i];

		if (!p->kept)
			continue;
		if (i == TS_COLUMN_NAME)
			code = name_of(&p->v[part->n], part, rows, b, k, by_number, err);
		else
			p->v[part->n] = b->is[slot] == TS_VALUE_OK ? (uint64_t)b->v[slot][k] + 1
								   : 0;
		if (i == TS_COLUMN_CATEGORY && b->is[slot] == TS_VALUE_BAD)
			p->kept = false; /* it may be a text */
	}
	part->n++;
	return code;
}

static void
rest(struct part *part)
{
	for (int i = 0; i < TS_COLUMN_COUNT; i++) {
		ts_pile_rest(&part->column[i].block);
		ts_pile_rest(&part->column[i].bits);
	}
	ts_dictionary_rest(&part->names);
}

static enum ts_code
read_rows(struct part *part, struct ts_rows *rows, const struct ts_cache *cache, bool by_number,
	struct ts_progress *progress, struct ts_err *err)
{
	int64_t rested = 0;
	struct ts_rows_block b;
	enum ts_code code;

	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		for (int k = 0; !code && k < b.rows; k++) {
			code = take_row(part, rows, &b, k, by_number, err);
			if (!code && part->n == TS_COLUMN_ROWS)
				code = put_blocks(part, cache, err);
		}
		if (code)
			return code;
		ts_progress_set(progress, part->rows, 0);
		if (part->rows - rested >= LOOK) {
			rested = part->rows;
			rest(part);
		}
	}
	return !code && part->n > 0 ? put_blocks(part, cache, err) : code;
}

static bool
by_number_in(const struct ts_report *r)
{
	return r->binding[TS_LOWERED_VARIABLE].column[TS_LOWERED_VARIABLE_NAME].op == TS_OP_DICT;
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.range = p->range, .from = p->from, .to = p->to};
	struct part *part = p->state;
	struct ts_rows *rows;
	enum ts_code code;

	part->names.cache = p->run->cache;
	part->first = part->last = -1;
	for (int i = 0; i < TS_COLUMN_COUNT; i++) {
		int column = ts_column_relation((enum ts_column)i);

		part->column[i].kept = ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
			column);
		part->slot[i] = part->column[i].kept ? q.column_count : -1;
		if (part->column[i].kept)
			q.columns[q.column_count++] = column;
	}
	code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	code = read_rows(part, rows, p->run->cache, by_number_in(rd->report), progress, err);
	ts_rows_close(rows);
	return code;
}

static void
part_fini(struct ts_pass_part *p)
{
	struct part *part = p->state;

	for (int i = 0; i < TS_COLUMN_COUNT; i++) {
		ts_pile_fini(&part->column[i].block);
		ts_pile_fini(&part->column[i].bits);
	}
	ts_dictionary_fini(&part->names);
	ts_pile_fini(&part->number);
}

/* --- names of all parts ----------------------------------------------------------------------- */

struct merging {
	struct ts_dictionary names; /* of all parts: texts, or numbers */
	struct ts_dictionary texts; /* of the numbers */
	struct ts_pile
		known; /* uint32_t an entry of `names`, where they are numbers: that of its text, and one more */
	struct ts_pile signature; /* a group of them */
	struct ts_pile first;	  /* uint32_t a number: an entry with its text */
	uint32_t ranks, numbers;  /* names with a text; one more where some have none */
	struct ts_pile coded, group;
	struct ts_pile
		before; /* int64_t a name, and one more: its rows; in the end those with names before it */
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
};

/* Where the texts are. */
static struct ts_dictionary *
texts_of(struct merging *m, bool by_number)
{
	return by_number ? &m->texts : &m->names;
}

static enum ts_code
number_of(struct merging *m, uint32_t *number, const struct ts_dictionary *d, uint32_t entry,
	bool by_number, struct ts_err *err)
{
	const struct ts_dictionary_entry *e = ts_dictionary_at(d, entry);
	int64_t found;

	if (!by_number)
		return ts_dictionary_text(&m->names, number, (const char *)d->text.memory + e->at,
			e->n, err);
	found = ts_dictionary_find(&m->names, (int64_t)e->key);
	*number = (uint32_t)found;
	return found != TS_DICTIONARY_NONE
		? TS_OK
		: ts_dictionary_number(&m->names, number, (int64_t)e->key, "", 0, err);
}

/* The blocks of a part's names, with the numbers that they have among all. */
static enum ts_code
renumber(struct merging *m, struct part *part, struct ts_err *err)
{
	struct packing *p = &part->column[TS_COLUMN_NAME], again = {.kept = true};
	size_t blocks = p->block.used / sizeof(struct ts_column_block);
	const uint32_t *number = part->number.memory;
	int64_t *rows = m->before.memory;
	enum ts_code code = ts_pile_add(&p->bits, (char[COLUMN_SLACK]){0}, COLUMN_SLACK, m->cache,
		err);
	int64_t start[] = {0, 0};
	struct ts_columns c = {.rows = part->rows,
		.blocks = 1,
		.start = start,
		.bits = p->bits.memory,
		.bits_size = p->bits.used};

	for (size_t i = 0; !code && i < blocks; i++) {
		int64_t *v = (int64_t *)again.v;

		start[1] = ts_min_i64(TS_COLUMN_ROWS, part->rows - (int64_t)i * TS_COLUMN_ROWS);
		c.block[TS_COLUMN_NAME] = (const struct ts_column_block *)p->block.memory + i;
		if (ts_cancelled(m->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (!ts_columns_read(&c, TS_COLUMN_NAME, 0, v))
			code = ts_err_set(err, TS_E_SYS, "a work file is not what was written");
		for (int64_t k = 0; !code && k < start[1]; k++) {
			bool named = v[k] >= 0; /* v is what is written */

			again.v[k] = named ? (uint64_t)number[v[k]] + 1 : 0;
			rows[again.v[k]] += named; /* of name i in rows[i + 1] */
		}
		if (!code)
			code = put_block(&again, again.v, (int)start[1], m->cache, err);
	}
	ts_pile_fini(&p->bits);
	ts_pile_fini(&p->block);
	p->bits = again.bits;
	p->block = again.block;
	return code;
}

/* The names of all parts as one; of each entry of a part its entry there. */
static enum ts_code
gather_names(struct merging *m, struct ts_pass_part *parts, int count, bool by_number,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int k = 0; !code && k < count; k++) {
		struct part *part = parts[k].state;

		for (uint32_t i = 0; !code && i < part->names.count; i++) {
			uint32_t entry;

			code = number_of(m, &entry, &part->names, i, by_number, err);
			if (!code)
				code = ts_pile_add(&part->number, &entry, sizeof(entry), m->cache,
					err);
		}
		ts_dictionary_fini(&part->names);
	}
	return code;
}

/* A row of the table of names: the first of a number counts. */
static enum ts_code
take_text(void *ctx, int64_t number, const char *s, size_t n, struct ts_err *err)
{
	struct merging *m = ctx;
	int64_t entry = ts_dictionary_find(&m->names, number);
	uint32_t *known = m->known.memory, text;
	enum ts_code code;

	if (entry == TS_DICTIONARY_NONE || known[entry])
		return TS_OK;
	known[entry] = NO_TEXT;
	if (!s)
		return TS_OK;
	code = ts_dictionary_text(&m->texts, &text, s, n, err);
	known[entry] = text + 1;
	return code;
}

/* What has its name where the table of names is damaged is not known: the rows answer then. */
static enum ts_code
look_up_numbers(struct merging *m, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = ts_pile_room(&m->known, ((size_t)m->names.count + 1) * sizeof(uint32_t),
		m->cache, err);
	bool damaged = false;

	if (!code)
		code = variable_name_table(rd, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME,
			take_text, m, &damaged, err);
	if (!code && damaged)
		code = ts_err_set(err, TS_E_DAMAGED, "names cannot be read to their end");
	return code;
}

/* The number of an entry of all names. */
static uint32_t
final_number(struct merging *m, uint32_t entry, bool by_number)
{
	uint32_t text = entry + 1;

	if (by_number)
		text = ((const uint32_t *)m->known.memory)[entry];
	if (text == 0 || text == NO_TEXT) {
		m->numbers = m->ranks + 1;
		return m->ranks;
	}
	return ts_dictionary_at(texts_of(m, by_number), text - 1)->rank;
}

/* Names get the numbers of their order. */
static enum ts_code
rank_names(struct merging *m, bool by_number, struct ts_err *err)
{
	struct ts_dictionary *d = texts_of(m, by_number);
	enum ts_code code = ts_dictionary_rank(d, &m->ranks, m->cancel, err);

	m->numbers = m->ranks;
	if (!code)
		code = ts_pile_room(&m->first, ((size_t)m->ranks + 1) * sizeof(uint32_t), m->cache,
			err);
	for (uint32_t i = 0; !code && i < d->count; i++)
		((uint32_t *)m->first.memory)[ts_dictionary_at(d, i)->rank] = i;
	return code;
}

static enum ts_code
merge_names(struct merging *m, struct ts_pass_part *parts, int count, bool by_number,
	struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = gather_names(m, parts, count, by_number, err);

	if (!code && by_number)
		code = look_up_numbers(m, rd, err);
	if (!code)
		code = rank_names(m, by_number, err);
	if (!code)
		code = ts_pile_room(&m->before, ((size_t)m->ranks + 2) * sizeof(int64_t), m->cache,
			err);
	for (int k = 0; !code && k < count; k++) {
		struct part *part = parts[k].state;
		uint32_t *number = part->number.memory;

		for (size_t i = 0; i < part->number.used / sizeof(*number); i++)
			number[i] = final_number(m, number[i], by_number);
		code = renumber(m, part, err);
		ts_pile_fini(&part->number);
	}
	for (uint32_t i = 0; !code && i < m->numbers; i++)
		((int64_t *)m->before.memory)[i + 1] += ((int64_t *)m->before.memory)[i];
	m->before.used = ((size_t)m->numbers + 1) * sizeof(int64_t);
	return code;
}

/* Of a name what it does not share with the one before. */
static enum ts_code
put_name(struct merging *m, const char *s, uint32_t n, const char *before, uint32_t have,
	struct ts_err *err)
{
	unsigned char head[10];
	size_t used;
	uint32_t same = 0;
	enum ts_code code;

	while (s && same < n && same < have && s[same] == before[same])
		same++;
	used = ts_varint_put(head, same);
	used += ts_varint_put(head + used, s ? n - same + 1 : 0);
	code = ts_pile_add(&m->coded, head, used, m->cache, err);
	return code || !s ? code : ts_pile_add(&m->coded, s + same, n - same, m->cache, err);
}

static void
text_at(struct merging *m, uint32_t i, bool by_number, const char **s, uint32_t *n)
{
	const struct ts_dictionary *d = texts_of(m, by_number);
	const struct ts_dictionary_entry *e;

	*s = NULL;
	*n = 0;
	if (i >= m->ranks)
		return;
	e = ts_dictionary_at(d, ((const uint32_t *)m->first.memory)[i]);
	*n = e->n;
	*s = *n > 0 ? (const char *)d->text.memory + e->at : "";
}

static enum ts_code
code_names(struct merging *m, bool by_number, struct ts_err *err)
{
	const char *s, *before = NULL;
	struct ts_signature of = {0};
	uint32_t n, have = 0;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < m->numbers; i++) {
		bool last = i + 1 == m->numbers || (i + 1) % TS_COLUMN_NAMES == 0;
		uint64_t at = m->coded.used;

		if (i % LOOK == 0 && ts_cancelled(m->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (i % TS_COLUMN_NAMES == 0) {
			have = 0;
			code = ts_pile_add(&m->group, &at, sizeof(at), m->cache, err);
		}
		text_at(m, i, by_number, &s, &n);
		if (!code)
			code = put_name(m, s, n, before, have, err);
		if (s) {
			before = s;
			have = n;
			ts_signature_add(&of, s, n, 0);
		} else {
			ts_signature_fill(&of);
		}
		if (!code && last) {
			code = ts_pile_add(&m->signature, &of, sizeof(of), m->cache, err);
			of = (struct ts_signature){0};
		}
	}
	return code ? code
		    : ts_pile_add(&m->group, &(uint64_t){m->coded.used}, sizeof(uint64_t), m->cache,
			      err);
}

/* --- the section ------------------------------------------------------------------------------ */

struct totals {
	struct columns_head head;
	bool kept[TS_COLUMN_COUNT];
	struct ts_pile start, block[TS_COLUMN_COUNT], bits;
};

/* What the parts say of all rows. */
static void
sum_up(struct totals *t, struct ts_pass_part *parts, int count)
{
	struct columns_head *h = &t->head;
	const struct part *before = NULL;
	bool gaps = false;

	h->first = -1;
	for (int i = 0; i < TS_COLUMN_COUNT; i++)
		t->kept[i] = true;
	for (int k = 0; k < count; k++) {
		const struct part *part = parts[k].state;

		for (int i = 0; i < TS_COLUMN_COUNT; i++)
			t->kept[i] &= part->column[i].kept;
		if (part->rows == 0)
			continue;
		gaps |= !part->has_row_ids || part->gaps ||
			(before && before->last != part->first - 1);
		if (!before)
			h->first = part->first;
		before = part;
		h->rows += part->rows;
		h->blocks += (part->rows + TS_COLUMN_ROWS - 1) / TS_COLUMN_ROWS;
		h->unsized += part->unsized;
		if (part->bytes == TS_UNKNOWN || h->bytes == TS_UNKNOWN ||
			!ts_add_i64(&h->bytes, part->bytes))
			h->bytes = TS_UNKNOWN;
	}
	h->flags = before && !gaps ? COLUMNS_GAPLESS : 0;
}

/* Columns from the least needed on are left out until the rest is small enough. */
static bool
choose(struct totals *t, struct ts_pass_part *parts, int count, int64_t most)
{
	int64_t size[TS_COLUMN_COUNT] = {0}, all = 0;

	for (int k = 0; k < count; k++)
		for (int i = 0; i < TS_COLUMN_COUNT; i++) {
			const struct packing *p = &((const struct part *)parts[k].state)->column[i];

			size[i] += t->kept[i] ? (int64_t)(p->bits.used + p->block.used) : 0;
		}
	for (int i = 0; i < TS_COLUMN_COUNT; i++)
		all += size[i];
	for (int i = TS_COLUMN_COUNT - 1; i > TS_COLUMN_CATEGORY && all > most; i--) {
		t->kept[i] = false;
		all -= size[i];
	}
	return all <= most && t->kept[TS_COLUMN_TILE] && t->kept[TS_COLUMN_BYTES];
}

static enum ts_code
gather_column(struct totals *t, const struct packing *p, int i, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct ts_column_block *b = p->block.memory;
	size_t blocks = p->block.used / sizeof(*b);
	enum ts_code code;

	for (size_t k = 0; k < blocks; k++)
		b[k].at += t->bits.used;
	code = ts_pile_add(&t->block[i], b, p->block.used, cache, err);
	if (!code)
		code = ts_pile_add(&t->bits, p->bits.memory, p->bits.used, cache, err);
	ts_pile_rest(&t->bits);
	return code;
}

static enum ts_code
gather(struct totals *t, struct ts_pass_part *parts, int count, const struct ts_cache *cache,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t row = 0;

	for (int k = 0; !code && k < count; k++) {
		const struct part *part = parts[k].state;

		for (int64_t done = 0; !code && done < part->rows; done += TS_COLUMN_ROWS) {
			int64_t at = row + done;

			code = ts_pile_add(&t->start, &at, sizeof(at), cache, err);
		}
		row += part->rows;
		for (int i = 0; !code && i < TS_COLUMN_COUNT; i++)
			if (t->kept[i])
				code = gather_column(t, &part->column[i], i, cache, err);
	}
	if (!code)
		code = ts_pile_add(&t->start, &row, sizeof(row), cache, err);
	return code ? code
		    : ts_pile_add(&t->bits, (char[COLUMN_SLACK]){0}, COLUMN_SLACK, cache, err);
}

static enum ts_code
leave(struct ts_section_writer *w, struct ts_err *err)
{
	struct columns_head h = {.flags = COLUMNS_LEFT_TO_THE_ROWS};

	return ts_section_append(w, NULL, &h, sizeof(h), err);
}

static enum ts_code
write_section(struct ts_section_writer *w, struct totals *t, const struct merging *m,
	struct ts_err *err)
{
	struct columns_head *h = &t->head;
	struct ts_section_array array[TS_COLUMN_COUNT + 6] = {
		{&h->start_at, t->start.memory, t->start.used},
		{&h->bits_at, t->bits.memory, t->bits.used},
		{&h->before_at, m->before.memory, m->before.used},
		{&h->group_at, m->group.memory, m->group.used},
		{&h->signature_at, m->signature.memory, m->signature.used},
		{&h->text_at, m->coded.memory, m->coded.used},
	};
	size_t arrays = 6;

	h->bits_size = t->bits.used;
	h->text_size = m->coded.used;
	h->names = m->numbers;
	h->texts = m->ranks;
	for (int i = 0; i < TS_COLUMN_COUNT; i++)
		if (t->kept[i])
			array[arrays++] = (struct ts_section_array){&h->block_at[i],
				t->block[i].memory, t->block[i].used};
	return ts_section_put_arrays(w, h, sizeof(*h), array, arrays, err);
}

static enum ts_code
make_section(struct ts_pass_run *run, struct totals *t, struct merging *m,
	struct ts_pass_part *parts, int count, struct ts_reader *rd, struct ts_err *err)
{
	int64_t most;
	bool by_number = by_number_in(run->report);
	enum ts_code code = TS_OK;

	sum_up(t, parts, count);
	most = ts_max_i64(run->report->identity.bytes / SHARE,
		ts_max_i64(t->head.rows * ROW_BYTES, SHARE_LEAST));
	if (t->kept[TS_COLUMN_NAME])
		code = merge_names(m, parts, count, by_number, rd, err);
	else
		code = ts_pile_add(&m->before, &(int64_t){0}, sizeof(int64_t), run->cache, err);
	if (!code)
		code = code_names(m, by_number, err);
	if (code)
		return code;
	if (!choose(t, parts, count,
		    most -
			    (int64_t)(m->coded.used + m->group.used + m->signature.used +
				    m->before.used)))
		return leave(run->writer[0], err);
	code = gather(t, parts, count, run->cache, err);
	return code ? code : write_section(run->writer[0], t, m, err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct merging m = {.cache = run->cache, .cancel = rd->cancel};
	struct totals t = {.kept = {false}};
	enum ts_code code;

	(void)progress;
	m.names.cache = m.texts.cache = run->cache;
	code = make_section(run, &t, &m, parts, count, rd, err);
	ts_dictionary_fini(&m.names);
	ts_dictionary_fini(&m.texts);
	ts_pile_fini(&m.known);
	ts_pile_fini(&m.first);
	ts_pile_fini(&m.before);
	ts_pile_fini(&m.coded);
	ts_pile_fini(&m.group);
	ts_pile_fini(&m.signature);
	ts_pile_fini(&t.start);
	ts_pile_fini(&t.bits);
	for (int i = 0; i < TS_COLUMN_COUNT; i++)
		ts_pile_fini(&t.block[i]);
	return code;
}

bool
ts_columns_can(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_TILE) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_BYTES);
}

const struct ts_pass ts_pass_columns = {
	.what = "columns of variables",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_COLUMNS, TS_SECTION_COUNT},
	.can = ts_columns_can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};
