/* SPDX-License-Identifier: MIT */
/* fullest - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/fullest.h"
#include "tilescope/report/peak_variables.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_live.h"
#include "tilescope/report/tile_variables.h"

#include "binding_internal.h"

/* What is damaged, or too large to be worked out, leaves it unknown. */
static enum ts_code
bear(enum ts_code code, const struct ts_err *why, struct ts_err *err)
{
	if (code != TS_E_CANCELLED && code != TS_E_NOMEM)
		return TS_OK;
	if (err)
		*err = *why;
	return code;
}

/* --- which ------------------------------------------------------------------------------------ */

static enum ts_code
pick_fullest(struct ts_fullest *f, const struct ts_tiles *tiles, struct ts_err *err)
{
	size_t place[TS_FULLEST];
	struct ts_top top;

	if (!ts_top_init(&top, TS_FULLEST))
		return ts_err_nomem(err);
	for (size_t i = 0; i < tiles->count; i++) {
		int slot = ts_top_offer(&top, ts_tile_used(&tiles->tile[i]), (int64_t)i);

		if (slot >= 0)
			place[slot] = i;
	}
	ts_top_sort(&top);
	for (f->count = 0; f->count < top.count; f->count++) {
		size_t at = place[top.entry[f->count].slot];

		f->tile[f->count] = (struct ts_full_tile){.place = at,
			.tile = tiles->tile[at].tile,
			.live = TS_UNKNOWN,
			.used = ts_tile_used(&tiles->tile[at])};
	}
	ts_top_fini(&top);
	return TS_OK;
}

struct used_tile {
	int64_t used, tile;
};

static int
by_use(const void *a, const void *b)
{
	const struct used_tile *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return (x->tile > y->tile) - (x->tile < y->tile);
}

static enum ts_code
find_median(struct ts_fullest *f, const struct ts_tiles *tiles, struct ts_err *err)
{
	struct used_tile *sorted = ts_alloc(tiles->count + 1, sizeof(*sorted));

	if (!sorted)
		return ts_err_nomem(err);
	for (size_t i = 0; i < tiles->count; i++)
		sorted[i] = (struct used_tile){ts_tile_used(&tiles->tile[i]), tiles->tile[i].tile};
	if (tiles->count > 0) {
		qsort(sorted, tiles->count, sizeof(*sorted), by_use);
		f->median_tile = sorted[(tiles->count - 1) / 2].tile;
		f->median_used = sorted[(tiles->count - 1) / 2].used;
	}
	free(sorted);
	return TS_OK;
}

/* --- why -------------------------------------------------------------------------------------- */

static enum ts_code
find_category(struct ts_full_tile *t, int64_t median, const struct ts_categories *c,
	struct ts_err *err)
{
	int64_t most = 0;

	for (int i = 0; i < c->count; i++) {
		int64_t here = ts_categories_on_tile(c, i, t->tile);
		int64_t there = ts_categories_on_tile(c, i, median);

		if (here - there <= most)
			continue;
		most = here - there;
		free(t->category);
		t->category = ts_strdup(c->category[i].name);
		t->category_bytes = here;
		t->category_median = there;
		if (!t->category)
			return ts_err_nomem(err);
	}
	return TS_OK;
}

/* Bytes of all variables of that name and category that are looked at. */
static int64_t
bytes_of(const struct ts_tile_variables *v, const char *name, const char *category)
{
	int64_t bytes = 0;

	for (int i = 0; i < v->count && i < TS_FULLEST_NAMES; i++) {
		const struct ts_tile_variable *x = &v->variable[i];

		if (x->name && strcmp(x->name, name) == 0 &&
			(!category || (x->category && strcmp(x->category, category) == 0)) &&
			!ts_add_i64(&bytes, x->bytes))
			bytes = INT64_MAX;
	}
	return bytes;
}

static enum ts_code
find_variable(struct ts_full_tile *t, const struct ts_tile_variables *v,
	const struct ts_tile_variables *median, struct ts_err *err)
{
	int64_t most = 0;
	const char *found = NULL;

	for (int i = 0; i < v->count && i < TS_FULLEST_NAMES; i++) {
		const struct ts_tile_variable *x = &v->variable[i];
		int64_t here, there;

		if (!x->name || (t->category && (!x->category || strcmp(x->category, t->category))))
			continue;
		here = bytes_of(v, x->name, t->category);
		there = bytes_of(median, x->name, t->category);
		if (here - there <= most)
			continue;
		most = here - there;
		found = x->name;
		t->variable_bytes = here;
		t->variable_median = there;
	}
	t->variable = found ? ts_strdup(found) : NULL;
	return found && !t->variable ? ts_err_nomem(err) : TS_OK;
}

/* Damage leaves what could be read. */
static enum ts_code
read_variables(struct ts_tile_variables *v, struct ts_reader *rd, int64_t tile, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_tile_variables_list(v, rd, tile, TS_FULLEST_NAMES, NULL, &why);

	return bear(code, &why, err);
}

static enum ts_code
find_variables(struct ts_fullest *f, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tile_variables median;
	enum ts_code code;

	f->looked = ts_report_has_column(rd->report, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME);
	for (int i = 0; i < f->count; i++)
		f->looked &= ts_tile_variables_quick(rd->report, rd->index, f->tile[i].tile);
	f->looked &= f->count > 0 && ts_tile_variables_quick(rd->report, rd->index, f->median_tile);
	if (!f->looked)
		return TS_OK;
	code = read_variables(&median, rd, f->median_tile, err);
	for (int i = 0; i < f->count && !code; i++) {
		struct ts_tile_variables v;

		code = read_variables(&v, rd, f->tile[i].tile, err);
		if (!code)
			code = find_variable(&f->tile[i], &v, &median, err);
		ts_tile_variables_fini(&v);
	}
	ts_tile_variables_fini(&median);
	return code;
}

/* --- FP32 ------------------------------------------------------------------------------------- */

static int
by_class(const void *key, const void *element)
{
	const int64_t *number = key;
	const struct ts_live_class *c = element;

	return (*number > c->number) - (*number < c->number);
}

/* Is a class alive at a step? */
static bool
lives_at(const struct ts_tile_lives *l, int64_t number, int64_t step)
{
	const struct ts_live_class *c = l->classes
		? bsearch(&number, l->class, l->classes, sizeof(*c), by_class)
		: NULL;

	for (uint32_t i = 0; c && i < c->count; i++) {
		const struct ts_live_interval *in = &l->interval[c->first + i];

		if (l->point[in->from] <= step && step < l->point[in->to])
			return true;
	}
	return false;
}

enum { F_TILE, F_BYTES, F_ALWAYS, F_CLASS, F_TYPE, F_NAME, F_COLUMNS };

enum { NAME_MOST = 1024 }; /* bytes of a name that are kept */

/* False: no memory. */
static bool
keep_largest(struct ts_full_tile *t, struct ts_rows *rows, int64_t bytes)
{
	const char *s;
	size_t n;

	t->fp32_most = bytes;
	free(t->fp32_name);
	t->fp32_name = NULL;
	if (ts_rows_text(rows, F_NAME, &s, &n) != TS_VALUE_OK)
		return true;
	t->fp32_name = ts_strndup(s, n < NAME_MOST ? n : NAME_MOST);
	return t->fp32_name;
}

/* False: no memory. */
static bool
count_fp32(struct ts_full_tile *t, struct ts_rows *rows, const struct ts_tile_lives *l)
{
	int64_t tile, bytes, always = 0, class = 0;
	const char *s;
	size_t n;

	if (ts_rows_number(rows, F_TILE, &tile) != TS_VALUE_OK || tile != t->tile ||
		ts_rows_text(rows, F_TYPE, &s, &n) != TS_VALUE_OK || !ts_type_is_fp32(s, n) ||
		ts_rows_number(rows, F_BYTES, &bytes) != TS_VALUE_OK ||
		ts_rows_number(rows, F_ALWAYS, &always) == TS_VALUE_BAD)
		return true;
	if (!always &&
		(t->peak_step == TS_UNKNOWN ||
			ts_rows_number(rows, F_CLASS, &class) != TS_VALUE_OK ||
			!lives_at(l, class, t->peak_step)))
		return true;
	t->fp32++;
	if (!ts_add_i64(&t->fp32_bytes, bytes))
		t->fp32_bytes = INT64_MAX;
	return (t->fp32 > 1 && bytes <= t->fp32_most) || keep_largest(t, rows, bytes);
}

static enum ts_code
read_fp32(struct ts_full_tile *t, struct ts_reader *rd, const struct ts_tile_lives *l,
	struct ts_err *err)
{
	static const int columns[F_COLUMNS] = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
		TS_LOWERED_VARIABLE_ALWAYS_LIVE, TS_LOWERED_VARIABLE_CLASS,
		TS_LOWERED_VARIABLE_ELEMENT_TYPE, TS_LOWERED_VARIABLE_NAME};
	struct ts_rows_query q = {.column_count = F_COLUMNS, .past_damage = true};
	struct ts_rows *rows;
	int64_t total;
	enum ts_code code;
	bool there;

	t->has_fp32 = true;
	if (!ts_tile_variables_plan(&q, &total, rd, t->tile))
		return TS_OK;
	memcpy(q.columns, columns, sizeof(columns));
	code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there)
		if (!count_fp32(t, rows, l))
			code = ts_err_nomem(err);
	ts_rows_close(rows);
	t->has_fp32 = !code; /* a part of them is no figure */
	return code;
}

static enum ts_code
read_live(struct ts_full_tile *t, bool typed, struct ts_reader *rd, const struct ts_tile_lives *l,
	struct ts_err *err)
{
	ptrdiff_t at = ts_tile_lives_find(l, t->tile);

	t->peak_step = at >= 0 ? l->tile[at].step : TS_UNKNOWN;
	if (at >= 0)
		t->live = l->tile[at].base + l->tile[at].peak;
	return typed ? read_fp32(t, rd, l, err) : TS_OK;
}

static enum ts_code
find_fp32(struct ts_fullest *f, struct ts_reader *rd, struct ts_err *err)
{
	int64_t tile[TS_FULLEST];
	struct ts_tile_lives *l = NULL;
	struct ts_err why = {0};
	enum ts_code code;

	if (!f->looked || !ts_tile_lives_can(rd->report))
		return TS_OK;
	for (int i = 0; i < f->count; i++)
		tile[i] = f->tile[i].tile;
	code = ts_tile_lives_read_tiles(&l, rd, tile, (size_t)f->count, NULL, &why);
	f->typed = code == TS_OK &&
		ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
			TS_LOWERED_VARIABLE_ELEMENT_TYPE);
	for (int i = 0; i < f->count && !code; i++)
		code = read_live(&f->tile[i], f->typed, rd, l, &why);
	ts_tile_lives_close(l);
	return bear(code, &why, err);
}

enum ts_code
ts_fullest_read(struct ts_fullest *f, struct ts_reader *rd, const struct ts_tiles *tiles,
	const struct ts_categories *categories, struct ts_err *err)
{
	const struct ts_binding *lowered = &rd->report->binding[TS_LOWERED_VARIABLE];
	enum ts_code code;

	*f = (struct ts_fullest){.median_tile = TS_UNKNOWN, .median_used = TS_UNKNOWN};
	code = pick_fullest(f, tiles, err);
	if (!code)
		code = find_median(f, tiles, err);
	for (int i = 0; i < f->count && !code && categories; i++)
		code = find_category(&f->tile[i], f->median_tile, categories, err);
	if (!code && lowered->bound) /* a tile's rows would be bisected for, and the next one's */
		code = ts_reach_all_ahead(&lowered->reach, rd->db[lowered->source], err);
	if (!code)
		code = find_variables(f, rd, err);
	return code ? code : find_fp32(f, rd, err);
}

void
ts_fullest_fini(struct ts_fullest *f)
{
	for (int i = 0; i < f->count; i++) {
		free(f->tile[i].category);
		free(f->tile[i].variable);
		free(f->tile[i].fp32_name);
	}
	f->count = 0;
}
