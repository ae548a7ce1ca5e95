/* SPDX-License-Identifier: MIT */
/* largest - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_ipus.h"
#include "tilescope/report/tile_slots.h"
#include "tilescope/report/tile_variables.h"

#include "largest_internal.h"

const char *
ts_large_kind_name(enum ts_large_kind kind)
{
	static const char *const names[] = {"vertex state", "vertex code", "exchange code",
		"variable"};

	return names[kind];
}

enum ts_code
largest_bear(struct ts_largest *l, enum ts_code code, const struct ts_err *why, struct ts_err *err)
{
	l->partial |= code == TS_E_DAMAGED;
	if (code != TS_E_CANCELLED && code != TS_E_NOMEM)
		return TS_OK;
	if (err)
		*err = *why;
	return code;
}

enum ts_code
largest_take(struct ts_large_one *one, int64_t bytes, int64_t id, const char *name, size_t n,
	struct ts_err *err)
{
	char *copy = name && n > 0 ? ts_strndup(name, n < TS_PEAK_NAME ? n : TS_PEAK_NAME) : NULL;

	if (name && n > 0 && !copy)
		return ts_err_nomem(err);
	free(one->name);
	one->name = copy;
	one->bytes = bytes;
	one->id = id;
	return TS_OK;
}

enum {
	LOOKED_AT = 64,
	LOOKED_AT_OF_CATEGORY = 4, /* when these are code, all of the category is */
	CELLS = 1 << 15,	   /* of IPUs and categories */
};

/* Is it code or state, which stands among the variables under the name of its category? */
static bool
is_category(const struct ts_names *categories, const char *s, size_t n)
{
	for (size_t i = 0; i < categories->count && i < TS_CATEGORIES_MAX; i++) {
		const struct ts_name *k = &categories->name[i];

		if (n > 0 && k->length == n && memcmp(categories->text + k->at, s, n) == 0)
			return true;
	}
	return false;
}

/* --- variables -------------------------------------------------------------------------------- */

static enum ts_code
read_tile_variable(struct ts_largest *l, struct ts_reader *rd, const struct ts_names *categories,
	struct ts_err *err)
{
	struct ts_large_one *one = &l->one[TS_LARGE_TILE][TS_LARGE_VARIABLE];
	struct ts_tile_variables v;
	struct ts_err why = {0};
	enum ts_code code;

	if (l->tile == TS_UNKNOWN || !ts_report_has(rd->report, TS_LOWERED_VARIABLE) ||
		!ts_tile_variables_quick(rd->report, rd->index, l->tile))
		return TS_OK;
	code = largest_bear(l, ts_tile_variables_list(&v, rd, l->tile, LOOKED_AT, NULL, &why), &why,
		err);
	for (int i = 0; i < v.count && i < LOOKED_AT && !code; i++) {
		const char *name = v.variable[i].name;

		if (name && is_category(categories, name, strlen(name)))
			continue;
		code = largest_take(one, v.variable[i].bytes, l->tile, name,
			name ? strlen(name) : 0, err);
		break;
	}
	ts_tile_variables_fini(&v);
	return code;
}

/* The largest rows of an IPU and a category, behind those that were looked at in the pass before. */
struct candidates {
	struct ts_top top;
	int64_t row[LOOKED_AT]; /* by slot */
	int64_t last, last_row; /* bytes and row id of the last one before */
};

/* What is looked for of IPUs. */
struct of_ipus {
	struct ts_largest *l;
	struct ts_reader *rd;
	const struct ts_names *categories;
	const struct ts_cache *cache; /* may be NULL */
	struct ts_progress *progress;
	struct ts_tile_ipus ipus;
	int64_t *row; /* by IPU: row id of what was found, TS_UNKNOWN: nothing */
	int left;     /* IPUs of which nothing is found yet */
	bool has_category;
	struct ts_tile_slots category; /* a place for each number; without numbers one for all */
	int places;
	struct candidates **cell; /* by IPU and place; NULL: there is no such row */
};

static struct ts_large_one *
one_of_ipu(const struct of_ipus *f, int64_t ipu)
{
	return ipu >= 0 && ipu < f->l->ipus ? &f->l->one[TS_LARGE_IPU + ipu][TS_LARGE_VARIABLE]
					    : NULL;
}

/*
 * A large row, which becomes that of its IPU if it is larger and no code; *taken then. No range of rows ends behind
 * the last row id that there can be: it is left out, which is said.
 */
static enum ts_code
read_large(bool *taken, struct of_ipus *f, int64_t row, struct ts_err *err)
{
	enum { TILE, BYTES, NAME, COLUMNS };
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
					  TS_LOWERED_VARIABLE_NAME},
		.column_count = COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = row,
		.to = row < INT64_MAX ? row + 1 : row};
	struct ts_large_one *one;
	struct ts_rows *rows;
	int64_t bytes, tile;
	const char *s = "";
	size_t n = 0;
	enum ts_code code;
	bool there;

	*taken = false;
	if (row == INT64_MAX) {
		f->l->partial = true;
		return TS_OK;
	}
	code = ts_reader_rows(&rows, f->rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there && ts_rows_number(rows, TILE, &tile) == TS_VALUE_OK &&
		ts_rows_number(rows, BYTES, &bytes) == TS_VALUE_OK) {
		one = one_of_ipu(f, ts_tile_ipus_find(&f->ipus, tile));
		if (ts_rows_text(rows, NAME, &s, &n) != TS_VALUE_OK)
			n = 0;
		if (one && bytes > one->bytes && !is_category(f->categories, s, n)) {
			f->left -= one->bytes == TS_UNKNOWN;
			code = largest_take(one, bytes, tile, s, n, err);
			f->row[ts_tile_ipus_find(&f->ipus, tile)] = row;
			*taken = true;
		}
	}
	ts_rows_close(rows);
	return code;
}

/* From the index: the largest rows of all. */
static enum ts_code
read_indexed(struct of_ipus *f, struct ts_err *err)
{
	struct ts_index_variables v;
	struct ts_err why = {0};
	enum ts_code code = TS_OK;
	bool taken;

	if (!ts_index_variables(&v, f->rd->index) || !v.has_row_ids)
		return TS_OK;
	for (size_t i = 0; i < v.largest && i < TS_LARGEST_OF_ALL && f->left > 0 && !code; i++)
		code = largest_bear(f->l, read_large(&taken, f, v.large[i].row, &why), &why, err);
	return code;
}

/* NULL: no memory. */
static struct candidates *
new_candidates(bool has_category)
{
	struct candidates *c = ts_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->last = c->last_row = INT64_MAX;
	if (ts_top_init(&c->top, has_category ? LOOKED_AT_OF_CATEGORY : LOOKED_AT))
		return c;
	free(c);
	return NULL;
}

static enum ts_code
offer_row(struct of_ipus *f, int64_t ipu, int64_t category, int64_t bytes, int64_t row,
	struct ts_err *err)
{
	ptrdiff_t place = ts_tile_slot(&f->category, category);
	struct candidates **c;
	int slot;

	if (place == TS_SLOT_FULL) {
		f->l->partial = true;
		return TS_OK;
	}
	if (place < 0)
		return ts_err_nomem(err);
	c = &f->cell[ipu * f->places + place];
	if (!*c && !(*c = new_candidates(category != TS_UNKNOWN)))
		return ts_err_nomem(err);
	if (bytes > (*c)->last || (bytes == (*c)->last && row <= (*c)->last_row))
		return TS_OK;
	slot = ts_top_offer(&(*c)->top, bytes, row);
	if (slot >= 0)
		(*c)->row[slot] = row;
	return TS_OK;
}

/* One pass: candidates of all IPUs of which nothing is found yet. */
static enum ts_code
pass_rows(struct of_ipus *f, const bool *open, struct ts_err *err)
{
	enum { BYTES, TILE, CATEGORY, COLUMNS };
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_BYTES, TS_LOWERED_VARIABLE_TILE,
					  TS_LOWERED_VARIABLE_CATEGORY},
		.column_count = f->has_category ? COLUMNS : CATEGORY,
		.past_damage = true};
	int64_t span = ts_reach_span(&f->rd->report->binding[TS_LOWERED_VARIABLE].reach);
	int64_t seen = 0, tile = TS_UNKNOWN, ipu = TS_UNKNOWN;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, f->rd, TS_LOWERED_VARIABLE, &q, err);

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		bool has = f->has_category && b.is[CATEGORY] == TS_VALUE_OK;

		ts_progress_set(f->progress, seen += b.rows, span);
		for (int i = 0; !code && i < b.rows && b.rowid && !b.is[BYTES] && !b.is[TILE];
			i++) {
			if (b.v[TILE][i] != tile) {
				tile = b.v[TILE][i];
				ipu = ts_tile_ipus_find(&f->ipus, tile);
			}
			if (ipu >= 0 && ipu < f->l->ipus && open[ipu])
				code = offer_row(f, ipu, has ? b.v[CATEGORY][i] : TS_UNKNOWN,
					b.v[BYTES][i], b.rowid[i], err);
		}
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* The largest that is no code; *more: all were code, and there may be others. */
static enum ts_code
take_candidates(struct of_ipus *f, struct candidates *c, int ipu, bool *more, struct ts_err *err)
{
	const struct ts_large_one *one = one_of_ipu(f, ipu);
	struct ts_err why = {0};
	enum ts_code code = TS_OK;
	bool taken = false;
	int i = 0;

	ts_top_sort(&c->top);
	for (; i < c->top.count && !taken && !code; i++) {
		c->last = c->top.entry[i].value;
		c->last_row = c->row[c->top.entry[i].slot];
		if (c->last <= one->bytes)
			break;
		code = largest_bear(f->l, read_large(&taken, f, c->last_row, &why), &why, err);
	}
	*more |= !taken && i == LOOKED_AT;
	c->top.count = 0;
	return code;
}

/* By a pass over all rows; by some where no categories are recorded, and the first candidates are code. */
static enum ts_code
read_passes(struct of_ipus *f, struct ts_err *err)
{
	enum { PASSES = 8 };
	bool *open = ts_alloc((size_t)f->l->ipus, sizeof(*open)), more = true;
	struct ts_err why = {0};
	enum ts_code code = f->cell && open ? TS_OK : ts_err_nomem(err);

	for (int pass = 0; pass < PASSES && more && f->left > 0 && !code; pass++) {
		more = false;
		for (int i = 0; i < f->l->ipus; i++)
			open[i] = one_of_ipu(f, i)->bytes == TS_UNKNOWN;
		code = largest_bear(f->l, pass_rows(f, open, &why), &why, err);
		for (int i = 0; i < f->l->ipus * f->places && !code; i++)
			if (open[i / f->places] && f->cell[i])
				code = take_candidates(f, f->cell[i], i / f->places, &more, err);
	}
	free(open);
	return code;
}

/* --- what passes have found, kept ------------------------------------------------------------- */

struct head {
	uint64_t ipus, row_at;
};

/* What was found for these IPUs; the rows themselves say how large they are, and what they are called. */
static bool
take_kept(struct of_ipus *f, const struct ts_index *x, enum ts_code *code, struct ts_err *err)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_LARGEST, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;
	struct ts_err why = {0};
	const int64_t *row;
	bool taken;

	if (!h || h->ipus != (uint64_t)f->l->ipus)
		return false;
	row = ts_section_at(payload, size, h->row_at, h->ipus, sizeof(*row));
	for (int i = 0; row && i < f->l->ipus && !*code; i++)
		if (row[i] != TS_UNKNOWN)
			*code = largest_bear(f->l, read_large(&taken, f, row[i], &why), &why, err);
	return row != NULL;
}

/* Of an IPU that has none there none was found: that is kept, too. */
static bool
load_kept(struct of_ipus *f, enum ts_code *code, struct ts_err *err)
{
	struct ts_index *with = NULL;
	bool taken = take_kept(f, f->rd->index, code, err);

	if (!taken && f->cache && f->cache->dir &&
		!ts_index_with(&with, f->rd->index, TS_SECTION_LARGEST, f->cache, f->rd->report,
			NULL))
		taken = take_kept(f, with, code, err);
	ts_index_release(with);
	return taken;
}

/* Where there is a place for it; if not, passes are made the next time, too. */
static void
keep(const struct of_ipus *f)
{
	struct head h = {.ipus = (uint64_t)f->l->ipus};
	const struct ts_section_array array = {&h.row_at, f->row,
		(size_t)f->l->ipus * sizeof(*f->row)};
	struct ts_section_writer *w;

	if (!f->cache || !f->cache->dir || f->l->partial ||
		ts_section_create(&w, f->cache, f->rd->report, TS_SECTION_LARGEST, NULL))
		return;
	ts_section_set_cancel(w, f->rd->cancel);
	if (ts_section_put_arrays(w, &h, sizeof(h), &array, 1, NULL))
		ts_section_abandon(w);
	else
		(void)!ts_section_commit(w, NULL);
}

static enum ts_code
find_all(struct of_ipus *f, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (load_kept(f, &code, err) || code)
		return code;
	code = read_indexed(f, err);
	if (code || f->left == 0)
		return code;
	code = read_passes(f, err);
	if (!code)
		keep(f);
	return code;
}

static enum ts_code
read_ipu_variables(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *x,
	const struct ts_names *categories, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct of_ipus f = {.l = l,
		.rd = rd,
		.categories = categories,
		.cache = cache,
		.progress = progress,
		.left = l->ipus};
	enum ts_code code;

	if (!ts_report_has(rd->report, TS_LOWERED_VARIABLE) || l->ipus == 0)
		return TS_OK;
	f.row = ts_alloc((size_t)l->ipus, sizeof(*f.row));
	if (!f.row)
		return ts_err_nomem(err);
	for (int i = 0; i < l->ipus; i++)
		f.row[i] = TS_UNKNOWN;
	f.has_category = ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_CATEGORY);
	f.places = f.has_category ? (int)ts_min_i64(TS_CATEGORIES_MAX, CELLS / l->ipus) : 1;
	f.category.most = (size_t)f.places;
	f.cell = ts_alloc((size_t)l->ipus * (size_t)f.places, sizeof(struct candidates *));
	code = ts_tile_ipus_of(&f.ipus, &x->tiles, &x->target, rd, err);
	if (!code)
		code = find_all(&f, err);
	for (int i = 0; f.cell && i < l->ipus * f.places; i++)
		if (f.cell[i]) {
			ts_top_fini(&f.cell[i]->top);
			free(f.cell[i]);
		}
	free(f.cell);
	free(f.row);
	ts_tile_slots_fini(&f.category);
	ts_tile_ipus_fini(&f.ipus);
	return code;
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum ts_code
begin(struct ts_largest *l, const struct ts_insight_facts *x, struct ts_err *err)
{
	int64_t last = -1;

	*l = (struct ts_largest){
		.tile = x->fullest.count > 0 ? x->fullest.tile[0].tile : TS_UNKNOWN};
	for (size_t i = 0; i < x->tiles.count; i++)
		last = ts_max_i64(last, ts_tile_ipu(&x->tiles.tile[i], &x->target));
	l->ipus = (int)ts_min_i64(last + 1, TS_LARGE_IPUS);
	l->more = last + 1 > TS_LARGE_IPUS;
	l->one = ts_alloc((size_t)(TS_LARGE_IPU + l->ipus), sizeof(*l->one));
	if (!l->one) {
		l->ipus = 0;
		return ts_err_nomem(err);
	}
	for (int i = 0; i < TS_LARGE_IPU + l->ipus; i++)
		for (int k = 0; k < TS_LARGE_KINDS; k++)
			l->one[i][k].bytes = l->one[i][k].id = TS_UNKNOWN;
	return TS_OK;
}

enum ts_code
ts_largest_read(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *facts,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_peak_variable *most = &facts->peak.most;
	enum ts_code code = begin(l, facts, err);
	struct ts_names categories = {0};
	struct ts_err why = {0};

	if (!code && facts->has_peak && most->bytes != TS_UNKNOWN)
		code = largest_take(&l->one[TS_LARGE_MODEL][TS_LARGE_VARIABLE], most->bytes,
			most->variable, most->name, most->name ? strlen(most->name) : 0, err);
	if (!code)
		code = largest_bear(l,
			ts_names_read(&categories, rd, TS_MEMORY_CATEGORY,
				TS_MEMORY_CATEGORY_CATEGORY, TS_MEMORY_CATEGORY_NAME, &why),
			&why, err);
	if (!code)
		code = read_tile_variable(l, rd, &categories, err);
	if (!code)
		code = read_ipu_variables(l, rd, facts, &categories, cache, progress, err);
	ts_names_fini(&categories);
	return code ? code : largest_work(l, rd, facts, progress, err);
}

void
ts_largest_fini(struct ts_largest *l)
{
	for (int i = 0; l->one && i < TS_LARGE_IPU + l->ipus; i++)
		for (int k = 0; k < TS_LARGE_KINDS; k++)
			free(l->one[i][k].name);
	free(l->one);
	l->one = NULL;
	l->ipus = 0;
}
