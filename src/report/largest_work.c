/* SPDX-License-Identifier: MIT */
/*
 * largest_work - the largest vertex code, vertex state and exchange code of each scope.
 *
 * A scope is the model, the fullest tile, or an IPU: a tile is in up to three of them. One pass over each relation adds what it
 * says of a tile to all of these. An exchange is one row: its sums are compared at once. Vertex types have rows in two relations,
 * so each has a line of cells, one for each scope and figure, in mapped memory; how many types there may be
 * follows from how many scopes there are.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/vertex_name.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_slots.h"

#include "largest_internal.h"

enum { CELLS = 4 << 20, TYPES = 1 << 18, NAME = 8192, PROGRESS_ROWS = 256, BYTES_EACH = 4 };
enum { INSTANCES, CODE, FIGURES };

struct work {
	struct ts_largest *l;
	struct ts_reader *rd;
	struct ts_progress *progress;
	int scopes;
	int32_t *ipu; /* scope of a tile's IPU: 0 = the model alone, -1 = there is no such tile */
	int64_t tiles;
	int64_t *sum; /* by scope: of a row */
	struct ts_tile_slots types;
	struct ts_pile cell;  /* int64_t by type, scope, figure; below 0 = does not fit */
	struct ts_pile state; /* int64_t by type: state_bytes + 1 */
	int64_t seen, total;
};

/* --- tiles ------------------------------------------------------------------------------------ */

static enum ts_code
place_tiles(struct work *w, const struct ts_insight_facts *x, struct ts_err *err)
{
	const struct ts_tile *t = x->tiles.tile;

	for (size_t i = 0; i < x->tiles.count; i++)
		if (t[i].tile < TS_TILES_MAX)
			w->tiles = ts_max_i64(w->tiles, t[i].tile + 1);
	w->ipu = ts_alloc((size_t)w->tiles + 1, sizeof(*w->ipu));
	w->sum = ts_alloc((size_t)w->scopes, sizeof(*w->sum));
	if (!w->ipu || !w->sum)
		return ts_err_nomem(err);
	for (int64_t i = 0; i < w->tiles; i++)
		w->ipu[i] = -1;
	for (size_t i = 0; i < x->tiles.count; i++) {
		int64_t ipu = ts_tile_ipu(&t[i], &x->target);

		if (t[i].tile < w->tiles)
			w->ipu[t[i].tile] = ipu >= 0 && ipu < w->l->ipus
				? TS_LARGE_IPU + (int32_t)ipu
				: 0;
	}
	return TS_OK;
}

/* Add to a sum of bytes; what does not fit is below 0 from then on. */
static void
add_to(int64_t *sum, int64_t v)
{
	if (*sum >= 0 && !ts_add_i64(sum, v))
		*sum = -1;
}

static void
add_at(const struct work *w, int64_t *cell, size_t each, int64_t tile, int64_t v)
{
	if (tile >= w->tiles || w->ipu[tile] < 0)
		return;
	add_to(&cell[TS_LARGE_MODEL * each], v);
	if (tile == w->l->tile)
		add_to(&cell[TS_LARGE_TILE * each], v);
	if (w->ipu[tile] > 0)
		add_to(&cell[(size_t)w->ipu[tile] * each], v);
}

/* The numbers of a `_by_tile` blob into w->sum; false: there is nothing, or it is none. */
static bool
sum_blob(struct work *w, struct ts_rows *rows, int column)
{
	const void *p;
	size_t bytes, n;

	if (ts_rows_blob(rows, column, &p, &bytes) != TS_VALUE_OK || bytes % BYTES_EACH != 0)
		return false;
	memset(w->sum, 0, (size_t)w->scopes * sizeof(*w->sum));
	n = (size_t)ts_min_i64((int64_t)(bytes / BYTES_EACH), w->tiles);
	for (size_t i = 0; i < n; i++) {
		const unsigned char *b = (const unsigned char *)p + i * BYTES_EACH;
		uint32_t v = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
			(uint32_t)b[3] << 24;

		if (v > 0)
			add_at(w, w->sum, 1, (int64_t)i, v);
	}
	return w->sum[TS_LARGE_MODEL] > 0;
}

/* Is it larger than what is there, of equals the one with the lower number? */
static bool
is_larger(const struct ts_large_one *one, int64_t bytes, int64_t id)
{
	return bytes > 0 && (bytes > one->bytes || (bytes == one->bytes && id < one->id));
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef enum ts_code row_fn(struct work *w, struct ts_rows *rows, struct ts_err *err);

enum { EXCHANGE_ID, EXCHANGE_CODE, EXCHANGE_NAME };

static enum ts_code
exchange_row(struct work *w, struct ts_rows *rows, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	const char *name;
	int64_t id;
	size_t n;

	if (ts_rows_number(rows, EXCHANGE_ID, &id) != TS_VALUE_OK ||
		!sum_blob(w, rows, EXCHANGE_CODE))
		return TS_OK;
	if (ts_rows_text(rows, EXCHANGE_NAME, &name, &n) != TS_VALUE_OK)
		n = 0;
	for (int i = 0; i < w->scopes && !code; i++) {
		struct ts_large_one *one = &w->l->one[i][TS_LARGE_EXCHANGE_CODE];

		if (is_larger(one, w->sum[i], id))
			code = largest_take(one, w->sum[i], id, n > 0 ? name : NULL, n, err);
	}
	return code;
}

/* The cells of a vertex type; NULL: no memory (*err), or there are too many. */
static int64_t *
cells_of(struct work *w, int64_t type, struct ts_err *err)
{
	size_t line = (size_t)w->scopes * FIGURES;
	ptrdiff_t slot = ts_tile_slot_make(&w->types, type);
	enum ts_code code = TS_OK;

	if (slot == TS_SLOT_FULL) {
		w->l->partial = true;
		return NULL;
	}
	if (slot < 0)
		code = ts_err_nomem(err);
	else if (w->cell.room < ((size_t)slot + 1) * line * sizeof(int64_t))
		code = ts_pile_room(&w->cell, 2 * ((size_t)slot + 1) * line * sizeof(int64_t), NULL,
			err);
	if (code)
		return NULL;
	w->cell.used = w->types.count * line * sizeof(int64_t);
	return (int64_t *)w->cell.memory + (size_t)slot * line;
}

static enum ts_code
instances_row(struct work *w, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_err why = {0};
	int64_t type, *cell;

	if (ts_rows_number(rows, 0, &type) != TS_VALUE_OK || !sum_blob(w, rows, 1))
		return TS_OK;
	cell = cells_of(w, type, &why);
	for (int i = 0; cell && i < w->scopes; i++)
		add_to(&cell[i * FIGURES + INSTANCES], w->sum[i]);
	if (why.code && err)
		*err = why;
	return why.code;
}

static enum ts_code
code_row(struct work *w, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_err why = {0};
	int64_t tile, type, bytes, *cell;

	if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK || tile >= w->tiles || w->ipu[tile] < 0 ||
		ts_rows_number(rows, 1, &type) != TS_VALUE_OK ||
		ts_rows_number(rows, 2, &bytes) != TS_VALUE_OK)
		return TS_OK;
	cell = cells_of(w, type, &why);
	if (cell)
		add_at(w, cell + CODE, FIGURES, tile, bytes);
	if (why.code && err)
		*err = why;
	return why.code;
}

/* The place of a type that was seen, or -1. */
static ptrdiff_t
slot_of(struct work *w, int64_t type)
{
	size_t before = w->types.count;
	ptrdiff_t slot = ts_tile_slot(&w->types, type);

	return slot >= 0 && (size_t)slot < before &&
			(size_t)slot < w->cell.used / sizeof(int64_t) / FIGURES / (size_t)w->scopes
		? slot
		: -1;
}

static enum ts_code
state_row(struct work *w, struct ts_rows *rows, struct ts_err *err)
{
	int64_t type, bytes;
	ptrdiff_t slot;

	(void)err;
	if (ts_rows_number(rows, 0, &type) != TS_VALUE_OK ||
		ts_rows_number(rows, 1, &bytes) != TS_VALUE_OK)
		return TS_OK;
	slot = slot_of(w, type);
	if (slot >= 0 && ((int64_t *)w->state.memory)[slot] == 0)
		((int64_t *)w->state.memory)[slot] = bytes + 1;
	return TS_OK;
}

/* Names of those that were found, as people write them. */
static enum ts_code
name_row(struct work *w, struct ts_rows *rows, struct ts_err *err)
{
	static const enum ts_large_kind kinds[] = {TS_LARGE_VERTEX_CODE, TS_LARGE_VERTEX_STATE};
	enum ts_code code = TS_OK;
	const char *name;
	char said[NAME];
	int64_t type;
	size_t n, k = 0;

	if (ts_rows_number(rows, 0, &type) != TS_VALUE_OK ||
		ts_rows_text(rows, 1, &name, &n) != TS_VALUE_OK || n == 0 || slot_of(w, type) < 0)
		return TS_OK;
	for (int i = 0; i < 2 * w->scopes && !code; i++) {
		struct ts_large_one *one = &w->l->one[i / 2][kinds[i % 2]];

		if (one->id != type || one->name)
			continue;
		if (k == 0)
			k = ts_vertex_demangle(said, sizeof(said), name, n);
		code = largest_take(one, one->bytes, type, k > 0 ? said : name, k > 0 ? k : n, err);
	}
	return code;
}

/* --- passes ----------------------------------------------------------------------------------- */

enum { COLUMNS = 3 };

static const struct pass {
	enum ts_relation relation;
	int columns[COLUMNS], count;
	int need; /* a column without which it says nothing */
	row_fn *each;
} passes[] = {
	{TS_PROGRAM, {TS_PROGRAM_PROGRAM, TS_PROGRAM_CODE_BY_TILE, TS_PROGRAM_NAME}, 3,
		TS_PROGRAM_CODE_BY_TILE, exchange_row},
	{TS_COMPUTE_SET_VERTEX,
		{TS_COMPUTE_SET_VERTEX_VERTEX_TYPE, TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE}, 2,
		TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE, instances_row},
	{TS_TILE_VERTEX,
		{TS_TILE_VERTEX_TILE, TS_TILE_VERTEX_VERTEX_TYPE, TS_TILE_VERTEX_CODE_BYTES}, 3,
		TS_TILE_VERTEX_CODE_BYTES, code_row},
};

static const struct pass state_pass = {TS_VERTEX_TYPE,
	{TS_VERTEX_TYPE_VERTEX_TYPE, TS_VERTEX_TYPE_STATE_BYTES}, 2, TS_VERTEX_TYPE_STATE_BYTES,
	state_row};
static const struct pass name_pass = {TS_VERTEX_TYPE,
	{TS_VERTEX_TYPE_VERTEX_TYPE, TS_VERTEX_TYPE_NAME}, 2, TS_VERTEX_TYPE_NAME, name_row};

static bool
can(const struct work *w, const struct pass *p)
{
	return ts_report_has(w->rd->report, p->relation) &&
		ts_report_has_column(w->rd->report, p->relation, p->need);
}

static enum ts_code
run(struct work *w, const struct pass *p, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = p->count, .past_damage = true};
	struct ts_err why = {0};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!can(w, p))
		return TS_OK;
	memcpy(q.columns, p->columns, sizeof(p->columns));
	code = ts_reader_rows(&rows, w->rd, p->relation, &q, &why);
	if (!code) {
		while (!(code = ts_rows_next(rows, &there, &why)) && there) {
			if ((code = p->each(w, rows, &why)))
				break;
			if (++w->seen % PROGRESS_ROWS == 0)
				ts_progress_set(w->progress, w->seen, w->total);
		}
		ts_rows_close(rows);
	}
	return largest_bear(w->l, code, &why, err);
}

/* The types with most code and with most state, of each scope. */
static void
choose_types(struct work *w)
{
	const int64_t *cell = w->cell.memory, *state = w->state.memory;
	size_t types = w->cell.used / sizeof(*cell) / FIGURES / (size_t)w->scopes;

	for (size_t t = 0; t < types; t++)
		for (int i = 0; i < w->scopes; i++, cell += FIGURES) {
			struct ts_large_one *one = w->l->one[i];
			int64_t id = w->types.tile[t], bytes;

			if (is_larger(&one[TS_LARGE_VERTEX_CODE], cell[CODE], id)) {
				one[TS_LARGE_VERTEX_CODE].bytes = cell[CODE];
				one[TS_LARGE_VERTEX_CODE].id = id;
			}
			if (state[t] > 0 && cell[INSTANCES] > 0 &&
				!__builtin_mul_overflow(cell[INSTANCES], state[t] - 1, &bytes) &&
				is_larger(&one[TS_LARGE_VERTEX_STATE], bytes, id)) {
				one[TS_LARGE_VERTEX_STATE].bytes = bytes;
				one[TS_LARGE_VERTEX_STATE].id = id;
			}
		}
}

enum ts_code
largest_work(struct ts_largest *l, struct ts_reader *rd, const struct ts_insight_facts *x,
	struct ts_progress *progress, struct ts_err *err)
{
	struct work w = {.l = l, .rd = rd, .progress = progress, .scopes = TS_LARGE_IPU + l->ipus};
	enum ts_code code = place_tiles(&w, x, err);

	w.types.most = (size_t)ts_min_i64(TYPES, CELLS / FIGURES / w.scopes);
	for (size_t i = 0; i < TS_COUNT(passes); i++)
		if (can(&w, &passes[i]))
			w.total += ts_reach_work(&rd->report->binding[passes[i].relation].reach);
	for (size_t i = 0; i < TS_COUNT(passes) && !code; i++)
		code = run(&w, &passes[i], err);
	if (!code)
		code = ts_pile_room(&w.state, (w.types.count + 1) * sizeof(int64_t), NULL, err);
	if (!code)
		code = run(&w, &state_pass, err);
	if (!code)
		choose_types(&w);
	if (!code)
		code = run(&w, &name_pass, err);
	ts_tile_slots_fini(&w.types);
	ts_pile_fini(&w.cell);
	ts_pile_fini(&w.state);
	free(w.ipu);
	free(w.sum);
	return code;
}
