/* SPDX-License-Identifier: MIT */
/* fullest - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/fullest.h"
#include "tilescope/report/tile_variables.h"

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

	if (code != TS_E_CANCELLED && code != TS_E_NOMEM)
		return TS_OK;
	if (err)
		*err = why;
	return code;
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

enum ts_code
ts_fullest_read(struct ts_fullest *f, struct ts_reader *rd, const struct ts_tiles *tiles,
	const struct ts_categories *categories, struct ts_err *err)
{
	enum ts_code code;

	*f = (struct ts_fullest){.median_tile = TS_UNKNOWN, .median_used = TS_UNKNOWN};
	code = pick_fullest(f, tiles, err);
	if (!code)
		code = find_median(f, tiles, err);
	for (int i = 0; i < f->count && !code && categories; i++)
		code = find_category(&f->tile[i], f->median_tile, categories, err);
	return code ? code : find_variables(f, rd, err);
}

void
ts_fullest_fini(struct ts_fullest *f)
{
	for (int i = 0; i < f->count; i++) {
		free(f->tile[i].category);
		free(f->tile[i].variable);
	}
	f->count = 0;
}
