/* SPDX-License-Identifier: MIT */
/*
 * index_categories - bytes by tile and category, in the index.
 *
 * The payload: a head, an entry for each category (most bytes first), their names, the tiles in
 * ascending order, and for each category its bytes by tile, in 4 bytes each where they do.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_categories.h"

enum { FROM_VARIABLES = 1, LEFT_TO_THE_ROWS = 2, PROGRESS_ROWS = 8192 };
enum { SHARE = 256, SHARE_LEAST = 16 << 10, PART_BUDGET = 8 << 20 };

struct head {
	uint32_t count, flags;
	int64_t rows, bad_rows;
	uint64_t tiles, tile_at, entry_at, text_at, text_bytes;
};

struct entry {
	int64_t bytes, worst_tile, worst_tile_bytes;
	uint64_t cells_at;
	uint32_t name_at, name_bytes, wide, unused;
};

size_t
ts_section_share(const struct ts_report *r)
{
	return (size_t)ts_max_i64(r->source[0]->size / SHARE, SHARE_LEAST);
}

/* --- writing ---------------------------------------------------------------------------------- */

static size_t
cell_bytes(const struct ts_category *k)
{
	return k->wide ? sizeof(*k->wide) : sizeof(*k->narrow);
}

static size_t
payload_bytes(const struct ts_categories *c)
{
	size_t n = sizeof(struct head) + c->tiles * sizeof(*c->tile);

	for (int i = 0; i < c->count; i++)
		n += sizeof(struct entry) + strlen(c->category[i].name) +
			c->tiles * cell_bytes(&c->category[i]);
	return n;
}

static enum ts_code
write_names(struct head *h, struct entry *entry, struct ts_section_writer *w,
	const struct ts_categories *c, struct ts_err *err)
{
	struct ts_strbuf text;
	enum ts_code code;

	ts_strbuf_init(&text, (size_t)TS_CATEGORIES_MAX * (TS_NAME_MAX + 1));
	for (int i = 0; i < c->count; i++) {
		entry[i].name_at = (uint32_t)text.len;
		entry[i].name_bytes = (uint32_t)strlen(c->category[i].name);
		ts_strbuf_puts(&text, c->category[i].name);
	}
	h->text_bytes = text.len;
	code = text.nomem || text.cut ? ts_err_nomem(err)
				      : ts_section_append(w, &h->text_at, text.s, text.len, err);
	ts_strbuf_fini(&text);
	return code;
}

static enum ts_code
write_cells(struct head *h, struct entry *entry, struct ts_section_writer *w,
	const struct ts_categories *c, struct ts_err *err)
{
	enum ts_code code = ts_section_append(w, &h->tile_at, c->tile, c->tiles * sizeof(*c->tile),
		err);

	for (int i = 0; !code && i < c->count; i++) {
		const struct ts_category *k = &c->category[i];

		entry[i].bytes = k->bytes;
		entry[i].worst_tile = k->worst_tile;
		entry[i].worst_tile_bytes = k->worst_tile_bytes;
		entry[i].wide = k->wide != NULL;
		code = ts_section_append(w, &entry[i].cells_at,
			k->wide ? (const void *)k->wide : (const void *)k->narrow,
			c->tiles * cell_bytes(k), err);
	}
	return code;
}

static enum ts_code
write_figures(struct ts_section_writer *w, const struct ts_categories *c, bool left_to_the_rows,
	struct ts_err *err)
{
	struct head h = {.count = (uint32_t)c->count,
		.flags = c->from_variables ? FROM_VARIABLES : 0,
		.rows = c->rows,
		.bad_rows = c->bad_rows,
		.tiles = c->tiles};
	struct entry *entry = ts_alloc((size_t)c->count, sizeof(*entry));
	uint64_t at;
	enum ts_code code;

	if (!entry)
		return ts_err_nomem(err);
	if (left_to_the_rows)
		h = (struct head){.flags = LEFT_TO_THE_ROWS};
	code = ts_section_append(w, &at, &h, sizeof(h), err);
	if (!code && !left_to_the_rows) {
		code = write_names(&h, entry, w, c, err);
		if (!code)
			code = write_cells(&h, entry, w, c, err);
		if (!code)
			code = ts_section_append(w, &h.entry_at, entry,
				(size_t)c->count * sizeof(*entry), err);
		if (!code)
			code = ts_section_put(w, at, &h, sizeof(h), err);
	}
	free(entry);
	return code;
}

enum ts_code
ts_categories_write(struct ts_section_writer *w, struct ts_category_sums *s,
	const struct ts_report *r, bool from_variables, struct ts_err *err)
{
	struct ts_categories *c = ts_alloc(1, sizeof(*c));
	bool differs = s->cut || s->overflow;
	enum ts_code code;

	if (!c)
		return ts_err_nomem(err);
	c->from_variables = from_variables;
	code = ts_category_sums_finish(c, s, err);
	if (!code)
		code = write_figures(w, c, differs || payload_bytes(c) > ts_section_share(r), err);
	ts_categories_fini(c);
	free(c);
	return code;
}

void
ts_categories_put(const struct ts_categories *c, const struct ts_cache *cache,
	const struct ts_report *r, enum ts_section section)
{
	struct ts_section_writer *w;
	struct ts_err err;

	if (!cache || !cache->dir || payload_bytes(c) > ts_section_share(r) ||
		ts_section_create(&w, cache, r, section, &err))
		return;
	if (write_figures(w, c, false, &err))
		ts_section_abandon(w);
	else if (ts_section_commit(w, &err))
		return; /* it is made anew the next time */
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool
read_entry(struct ts_category *k, const struct head *h, const struct entry *e, const void *payload,
	size_t size)
{
	const char *text = ts_section_at(payload, size, h->text_at, h->text_bytes, 1);
	const void *cells = ts_section_at(payload, size, e->cells_at, h->tiles,
		e->wide ? sizeof(*k->wide) : sizeof(*k->narrow));

	if (!text || !cells || e->name_at > h->text_bytes ||
		e->name_bytes > h->text_bytes - e->name_at)
		return false;
	k->name = ts_strndup(text + e->name_at, e->name_bytes);
	k->bytes = e->bytes;
	k->worst_tile = e->worst_tile;
	k->worst_tile_bytes = e->worst_tile_bytes;
	k->wide = e->wide ? cells : NULL;
	k->narrow = e->wide ? NULL : cells;
	return k->name && k->bytes >= 0;
}

bool
ts_categories_indexed(struct ts_categories *c, struct ts_index *x)
{
	return ts_categories_of(c, x, TS_SECTION_CATEGORIES);
}

bool
ts_categories_of(struct ts_categories *c, struct ts_index *x, enum ts_section section)
{
	size_t size;
	const void *payload = ts_index_section(x, section, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;
	const struct entry *entry;
	bool from_variables = c->from_variables;

	if (!h || h->flags & LEFT_TO_THE_ROWS || h->count > TS_CATEGORIES_MAX ||
		h->tiles > TS_TILES_MAX || from_variables != (h->flags & FROM_VARIABLES))
		return false;
	entry = ts_section_at(payload, size, h->entry_at, h->count, sizeof(*entry));
	c->tile = ts_section_at(payload, size, h->tile_at, h->tiles, sizeof(*c->tile));
	c->index = ts_index_hold(x);
	c->tiles = h->tiles;
	c->rows = h->rows;
	c->bad_rows = h->bad_rows;
	for (uint32_t i = 0; entry && c->tile && i < h->count; i++) {
		bool ok = read_entry(&c->category[i], h, &entry[i], payload, size);

		c->count += c->category[i].name != NULL;
		if (!ok)
			entry = NULL;
	}
	if (entry && c->tile)
		return true;
	ts_categories_fini(c);
	c->from_variables = from_variables;
	return false;
}

/* --- the pass over tile_category -------------------------------------------------------------- */

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_TILE_CATEGORY);
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_category_sums *s = p->state;
	struct ts_rows_query q = {.columns = {TS_TILE_CATEGORY_TILE, TS_TILE_CATEGORY_CATEGORY,
					  TS_TILE_CATEGORY_NOT_OVERLAPPED,
					  TS_TILE_CATEGORY_OVERLAPPED},
		.column_count = TS_CATEGORY_MORE + 1,
		.range = p->range,
		.from = p->from,
		.to = p->to};
	struct ts_rows *rows;
	struct ts_rows_block b;
	enum ts_code code = ts_category_names_read(&s->names, rd, err);
	int64_t told = 0;

	s->budget = PART_BUDGET;
	if (!code)
		code = ts_reader_rows(&rows, rd, TS_TILE_CATEGORY, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		if (!ts_category_sums_block(s, rows, &b, true)) {
			code = ts_err_nomem(err);
			break;
		}
		if (s->rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = s->rows, 0);
	}
	ts_rows_close(rows);
	ts_progress_set(progress, s->rows, 0);
	return code;
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_category_sums *all = parts[0].state;

	(void)rd;
	(void)progress;
	all->budget = TS_CATEGORY_BUDGET;
	for (int i = 1; i < count; i++) {
		if (!ts_category_sums_merge(all, parts[i].state))
			return ts_err_nomem(err);
		ts_category_sums_fini(parts[i].state);
	}
	return ts_categories_write(run->writer[0], all, run->report, false, err);
}

static void
part_fini(struct ts_pass_part *p)
{
	ts_category_sums_fini(p->state);
}

const struct ts_pass ts_pass_categories = {
	.what = "memory categories",
	.relation = TS_TILE_CATEGORY,
	.section = {TS_SECTION_CATEGORIES, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct ts_category_sums),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};
