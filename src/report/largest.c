/* SPDX-License-Identifier: MIT */
/* largest - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/largest.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_variables.h"
#include "tilescope/report/tile_work.h"

const char *
ts_large_kind_name(enum ts_large_kind kind)
{
	static const char *const names[] = {"vertex state", "vertex code", "exchange code",
		"variable"};

	return names[kind];
}

/* Cancelled or no memory ends it; all else leaves figures unknown. */
static enum ts_code
bear(struct ts_largest *l, enum ts_code code, const struct ts_err *why, struct ts_err *err)
{
	l->partial |= code == TS_E_DAMAGED;
	if (code != TS_E_CANCELLED && code != TS_E_NOMEM)
		return TS_OK;
	if (err)
		*err = *why;
	return code;
}

static enum ts_code
take(struct ts_large_one *one, int64_t bytes, int64_t id, const char *name, struct ts_err *err)
{
	free(one->name);
	one->bytes = bytes;
	one->id = id;
	one->name = name && *name ? ts_strdup(name) : NULL;
	return name && *name && !one->name ? ts_err_nomem(err) : TS_OK;
}

/* --- code and state --------------------------------------------------------------------------- */

static enum ts_code
take_row(struct ts_large_one *one, const struct ts_tile_work *w, bool state, struct ts_err *err)
{
	const struct ts_work_row *most = NULL;
	int64_t bytes = 0;

	for (size_t i = 0; i < w->count; i++) {
		int64_t here = state ? w->row[i].state : w->row[i].code;

		if (here > bytes) {
			bytes = here;
			most = &w->row[i];
		}
	}
	return most ? take(one, bytes, most->id, ts_work_said(w, most), err) : TS_OK;
}

static enum ts_code
read_work(struct ts_largest *l, struct ts_large_one *one, struct ts_reader *rd,
	enum ts_work_kind kind, const int64_t *tiles, size_t n, struct ts_err *err)
{
	struct ts_tile_work w;
	struct ts_err why = {0};
	enum ts_code code;

	if (!ts_tile_work_recorded(rd->report, kind) || n == 0)
		return TS_OK;
	code = bear(l, ts_tile_work_read(&w, rd, kind, tiles, n, NULL, &why), &why, err);
	if (!code && kind == TS_WORK_EXCHANGES)
		code = take_row(&one[TS_LARGE_EXCHANGE_CODE], &w, false, err);
	if (!code && kind == TS_WORK_VERTICES)
		code = take_row(&one[TS_LARGE_VERTEX_CODE], &w, false, err);
	if (!code && kind == TS_WORK_VERTICES)
		code = take_row(&one[TS_LARGE_VERTEX_STATE], &w, true, err);
	ts_tile_work_fini(&w);
	return code;
}

static int64_t
ipu_of(const struct ts_insight_facts *x, const struct ts_tile *t)
{
	int64_t per_ipu = x->target.tiles_per_ipu;

	return t->ipu != TS_UNKNOWN ? t->ipu : per_ipu > 0 ? t->tile / per_ipu : TS_UNKNOWN;
}

/* The tiles of a scope, ascending; returns how many. */
static size_t
pick_tiles(int64_t *tiles, const struct ts_largest *l, const struct ts_insight_facts *x, int scope)
{
	size_t n = 0;

	for (size_t i = 0; i < x->tiles.count; i++) {
		const struct ts_tile *t = &x->tiles.tile[i];

		if (scope == TS_LARGE_MODEL || (scope == TS_LARGE_TILE && t->tile == l->tile) ||
			(scope >= TS_LARGE_IPU && ipu_of(x, t) == scope - TS_LARGE_IPU))
			tiles[n++] = t->tile;
	}
	return n;
}

static enum ts_code
read_scopes(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *x,
	struct ts_progress *progress, struct ts_err *err)
{
	int64_t *tiles = ts_alloc(x->tiles.count + 1, sizeof(*tiles));
	int scopes = TS_LARGE_IPU + l->ipus;
	enum ts_code code = tiles ? TS_OK : ts_err_nomem(err);

	for (int i = 0; i < scopes && !code; i++) {
		size_t n = pick_tiles(tiles, l, x, i);

		ts_progress_set(progress, i, scopes);
		code = read_work(l, l->one[i], rd, TS_WORK_VERTICES, tiles, n, err);
		if (!code)
			code = read_work(l, l->one[i], rd, TS_WORK_EXCHANGES, tiles, n, err);
	}
	free(tiles);
	return code;
}

enum { LARGE_ROWS = TS_LARGEST_OF_ALL, LOOKED_AT = 64 };

/* Is it code or state, which stands among the variables under the name of its category? */
static bool
is_category(const struct ts_insight_facts *x, const char *s, size_t n)
{
	for (int i = 0; i < x->categories.count; i++) {
		const char *name = x->categories.category[i].name;

		if (strlen(name) == n && memcmp(name, s, n) == 0)
			return true;
	}
	return false;
}

/* --- variables -------------------------------------------------------------------------------- */

static enum ts_code
read_tile_variable(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *x,
	struct ts_err *err)
{
	struct ts_large_one *one = &l->one[TS_LARGE_TILE][TS_LARGE_VARIABLE];
	struct ts_tile_variables v;
	struct ts_err why = {0};
	enum ts_code code;

	if (l->tile == TS_UNKNOWN || !ts_report_has(rd->report, TS_LOWERED_VARIABLE) ||
		!ts_tile_variables_quick(rd->report, rd->index, l->tile))
		return TS_OK;
	code = bear(l, ts_tile_variables_list(&v, rd, l->tile, LOOKED_AT, NULL, &why), &why, err);
	for (int i = 0; i < v.count && i < LOOKED_AT && !code; i++) {
		const char *name = v.variable[i].name;

		if (name && is_category(x, name, strlen(name)))
			continue;
		code = take(one, v.variable[i].bytes, l->tile, name, err);
		break;
	}
	ts_tile_variables_fini(&v);
	return code;
}

/* The row of a large variable: of its IPU, unless that has one already. */
static enum ts_code
read_large(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *x,
	int64_t row, int *left, struct ts_err *err)
{
	enum { TILE, BYTES, NAME, COLUMNS };
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
					  TS_LOWERED_VARIABLE_NAME},
		.column_count = COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = row,
		.to = row + 1};
	struct ts_rows *rows;
	struct ts_tile of = {.ipu = TS_UNKNOWN};
	int64_t bytes, ipu;
	const char *s = "";
	size_t n = 0;
	ptrdiff_t at;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	bool there;

	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there && ts_rows_number(rows, TILE, &of.tile) == TS_VALUE_OK &&
		ts_rows_number(rows, BYTES, &bytes) == TS_VALUE_OK) {
		at = ts_tiles_find(&x->tiles, of.tile);
		ipu = ipu_of(x, at >= 0 ? &x->tiles.tile[at] : &of);
		(void)ts_rows_text(rows, NAME, &s, &n);
		if (!is_category(x, s, n) && ipu >= 0 && ipu < l->ipus &&
			l->one[TS_LARGE_IPU + ipu][TS_LARGE_VARIABLE].bytes == TS_UNKNOWN) {
			struct ts_large_one *one = &l->one[TS_LARGE_IPU + ipu][TS_LARGE_VARIABLE];

			one->bytes = bytes;
			one->id = of.tile;
			one->name = n > 0 ? ts_strndup(s, n < TS_PEAK_NAME ? n : TS_PEAK_NAME)
					  : NULL;
			--*left;
		}
	}
	ts_rows_close(rows);
	return code;
}

/* Without the index: the largest rows by one pass, where there are not many. */
static enum ts_code
pass_large_rows(int64_t *large, int *count, struct ts_reader *rd, struct ts_err *err)
{
	enum { BYTES, TILE, COLUMNS, ROWS = 2000000 };
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_BYTES, TS_LOWERED_VARIABLE_TILE},
		.column_count = COLUMNS,
		.past_damage = true};
	int64_t span = ts_reach_span(&rd->report->binding[TS_LOWERED_VARIABLE].reach);
	int64_t row[LARGE_ROWS];
	struct ts_rows_block b;
	struct ts_rows *rows = NULL;
	struct ts_top top;
	enum ts_code code;

	*count = 0;
	if (span == 0 || span > ROWS)
		return TS_OK;
	if (!ts_top_init(&top, LARGE_ROWS))
		return ts_err_nomem(err);
	code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	while (!code && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0)
		for (int i = 0; i < b.rows && b.rowid && !b.is[BYTES] && !b.is[TILE]; i++) {
			int slot = ts_top_offer(&top, b.v[BYTES][i], b.rowid[i]);

			if (slot >= 0)
				row[slot] = b.rowid[i];
		}
	ts_rows_close(rows);
	ts_top_sort(&top);
	for (; *count < top.count; ++*count)
		large[*count] = row[top.entry[*count].slot];
	ts_top_fini(&top);
	return code;
}

static enum ts_code
read_ipu_variables(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *x,
	struct ts_err *err)
{
	struct ts_index_variables v;
	struct ts_err why = {0};
	int64_t large[LARGE_ROWS];
	enum ts_code code = TS_OK;
	int left = l->ipus, count = 0;

	if (!ts_report_has(rd->report, TS_LOWERED_VARIABLE))
		return TS_OK;
	if (ts_index_variables(&v, rd->index) && v.has_row_ids)
		for (; count < LARGE_ROWS && (size_t)count < v.largest; count++)
			large[count] = v.large[count].row;
	else
		code = bear(l, pass_large_rows(large, &count, rd, &why), &why, err);
	for (int i = 0; i < count && left > 0 && !code; i++)
		if (large[i] < INT64_MAX)
			code = bear(l, read_large(l, rd, x, large[i], &left, &why), &why, err);
	return code;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void
begin(struct ts_largest *l, const struct ts_insight_facts *x)
{
	int64_t last = -1;

	*l = (struct ts_largest){
		.tile = x->fullest.count > 0 ? x->fullest.tile[0].tile : TS_UNKNOWN};
	for (int i = 0; i < TS_LARGE_SCOPES; i++)
		for (int k = 0; k < TS_LARGE_KINDS; k++)
			l->one[i][k].bytes = l->one[i][k].id = TS_UNKNOWN;
	for (size_t i = 0; i < x->tiles.count; i++)
		last = ts_max_i64(last, ipu_of(x, &x->tiles.tile[i]));
	l->ipus = (int)ts_min_i64(last + 1, TS_LARGE_IPUS);
	l->more = last + 1 > TS_LARGE_IPUS;
}

enum ts_code
ts_largest_read(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *facts,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_peak_variable *most = &facts->peak.most;
	enum ts_code code = TS_OK;

	begin(l, facts);
	if (facts->has_peak && most->bytes != TS_UNKNOWN)
		code = take(&l->one[TS_LARGE_MODEL][TS_LARGE_VARIABLE], most->bytes, most->variable,
			most->name, err);
	if (!code)
		code = read_tile_variable(l, rd, facts, err);
	if (!code)
		code = read_ipu_variables(l, rd, facts, err);
	return code ? code : read_scopes(l, rd, facts, progress, err);
}

void
ts_largest_fini(struct ts_largest *l)
{
	for (int i = 0; i < TS_LARGE_SCOPES; i++)
		for (int k = 0; k < TS_LARGE_KINDS; k++) {
			free(l->one[i][k].name);
			l->one[i][k].name = NULL;
		}
}
