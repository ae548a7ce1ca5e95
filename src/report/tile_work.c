/* SPDX-License-Identifier: MIT */
/* tile_work - see the header. Each kind is one or two passes, each of which adds to the rows that are there. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/vertex_name.h"
#include "tilescope/calc/step_class.h"
#include "tilescope/report/kept_text.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_slots.h"
#include "tilescope/report/tile_work.h"

enum { BYTES_EACH = 4, MORE_ROWS = 1024 };

struct work_read {
	struct ts_tile_work *w;
	struct ts_reader *rd;
	const int64_t *tile;
	size_t n;
	struct ts_progress *progress;
	struct ts_tile_slots slots; /* of ids: place in w->row */
	int64_t last_set;	    /* vertices: compute set that was counted last */
	int64_t seen;
};

/* --- rows that are kept ----------------------------------------------------------------------- */

/* The row of an id, made if need be; NULL: no memory (*err) or no more are kept. */
static struct ts_work_row *
make_row(struct work_read *r, int64_t id, struct ts_err *err)
{
	ptrdiff_t slot = ts_tile_slot_make(&r->slots, id);
	void *p = r->w->row;

	if (slot == TS_SLOT_FULL || slot >= TS_WORK_ROWS) {
		r->w->cut = true;
		return NULL;
	}
	if (slot == TS_SLOT_NOMEM || !ts_room(&p, &r->w->cap, (size_t)slot, sizeof(*r->w->row))) {
		(void)ts_err_nomem(err);
		return NULL;
	}
	r->w->row = p;
	if ((size_t)slot == r->w->count) {
		r->w->row[slot] = (struct ts_work_row){.id = id,
			.cycles = TS_UNKNOWN,
			.cycles_sum = TS_UNKNOWN,
			.vertices = TS_UNKNOWN,
			.code = TS_UNKNOWN,
			.state = TS_UNKNOWN};
		r->w->count++;
	}
	return &r->w->row[slot];
}

/* Add to a figure that may not be known yet; what does not fit is not known. */
static void
add_to(int64_t *sum, int64_t v)
{
	if (*sum == TS_UNKNOWN)
		*sum = v;
	else if (!ts_add_i64(sum, v))
		*sum = TS_UNKNOWN;
}

/* --- blobs ------------------------------------------------------------------------------------ */

struct by_tile {
	bool there;    /* recorded */
	int64_t tiles; /* with more than 0 */
	int64_t most, sum;
};

static int64_t
number_at(const unsigned char *p, size_t i)
{
	p += i * BYTES_EACH;
	return (int64_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		(uint32_t)p[3] << 24);
}

/* A blob's numbers of the tiles; false: it is none (the row is left out and counted). */
static bool
look(struct work_read *r, struct ts_rows *rows, int column, struct by_tile *out)
{
	const void *p;
	size_t bytes;
	enum ts_value is = ts_rows_blob(rows, column, &p, &bytes);

	*out = (struct by_tile){0};
	if (is == TS_VALUE_NULL)
		return true;
	if (is == TS_VALUE_BAD || bytes % BYTES_EACH != 0) {
		r->w->bad_rows++;
		return false;
	}
	out->there = true;
	for (size_t i = 0; i < r->n && (uint64_t)r->tile[i] < bytes / BYTES_EACH; i++) {
		int64_t v = number_at(p, (size_t)r->tile[i]);

		out->tiles += v > 0;
		out->most = ts_max_i64(out->most, v);
		out->sum += v; /* at most TS_TILES_MAX numbers of 32 bits */
	}
	return true;
}

static bool
id_of(struct work_read *r, struct ts_rows *rows, int column, int64_t *id)
{
	if (ts_rows_number(rows, column, id) == TS_VALUE_OK)
		return true;
	r->w->bad_rows++;
	return false;
}

/* --- passes ----------------------------------------------------------------------------------- */

typedef enum ts_code pass_fn(struct work_read *r, struct ts_rows *rows, struct ts_err *err);

enum { SET_ID, SET_NAME, SET_CYCLES, SET_ESTIMATED };

static enum ts_code
compute_set_row(struct work_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct by_tile measured, estimated, *cycles;
	struct ts_work_row *row;
	struct ts_err why = {0};
	int64_t id;

	if (!id_of(r, rows, SET_ID, &id) || !look(r, rows, SET_CYCLES, &measured) ||
		!look(r, rows, SET_ESTIMATED, &estimated))
		return TS_OK;
	row = make_row(r, id, &why);
	if (!row)
		return why.code ? (*err = why, why.code) : TS_OK;
	row->tiles = ts_max_i64(row->tiles, ts_max_i64(measured.tiles, estimated.tiles));
	if (row->tiles == 0)
		return TS_OK; /* dropped in the end */
	row->name = ts_kept_text(&r->w->text, TS_WORK_TEXT, rows, SET_NAME, TS_WORK_NAME);
	if (!measured.there && !estimated.there)
		return TS_OK;
	cycles = measured.there ? &measured : &estimated;
	row->known = measured.there ? TS_WORK_MEASURED : TS_WORK_ESTIMATED;
	row->cycles = cycles->most;
	row->cycles_sum = cycles->sum;
	return TS_OK;
}

enum { VERTEX_SET, VERTEX_TYPE, VERTEX_COUNTS };

/* Vertices on the tiles: *out is the row of their compute set or type; NULL: none of them is there, or no more rows are kept. */
static enum ts_code
add_vertices(struct ts_work_row **out, struct work_read *r, struct ts_rows *rows, int column,
	struct ts_err *err)
{
	struct ts_work_row *row;
	struct by_tile counts;
	struct ts_err why = {0};
	int64_t id;

	*out = NULL;
	if (!id_of(r, rows, column, &id) || !look(r, rows, VERTEX_COUNTS, &counts) ||
		counts.tiles == 0)
		return TS_OK;
	row = make_row(r, id, &why);
	if (!row)
		return why.code ? (*err = why, why.code) : TS_OK;
	add_to(&row->vertices, counts.sum);
	row->tiles = ts_max_i64(row->tiles, counts.tiles);
	*out = row;
	return TS_OK;
}

/* A compute set without cycles runs there, too. */
static enum ts_code
set_vertices_row(struct work_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_work_row *row;

	return add_vertices(&row, r, rows, VERTEX_SET, err);
}

static enum ts_code
type_vertices_row(struct work_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_work_row *row;
	enum ts_code code = add_vertices(&row, r, rows, VERTEX_TYPE, err);

	if (row)
		row->sets++;
	return code;
}

static enum ts_code
tile_vertex_row(struct work_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_work_row *row;
	struct ts_err why = {0};
	int64_t tile, id, bytes;

	if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK) {
		r->w->bad_rows++;
		return TS_OK;
	}
	if (!ts_has_i64(r->tile, r->n, tile))
		return TS_OK;
	if (ts_rows_number(rows, 1, &id) != TS_VALUE_OK ||
		ts_rows_number(rows, 2, &bytes) != TS_VALUE_OK) {
		r->w->bad_rows++;
		return TS_OK;
	}
	row = make_row(r, id, &why);
	if (!row)
		return why.code ? (*err = why, why.code) : TS_OK;
	add_to(&row->code, bytes);
	row->code_tiles = ts_min_i64(row->code_tiles + 1, (int64_t)r->n);
	return TS_OK;
}

/* Name and state of the types that were found; others are passed over. */
static enum ts_code
vertex_type_row(struct work_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_work_row *row;
	int64_t id, bytes, state;
	ptrdiff_t slot;

	(void)err;
	if (!id_of(r, rows, 0, &id))
		return TS_OK;
	slot = ts_tile_slot(&r->slots, id);
	if (slot < 0 || (size_t)slot >= r->w->count)
		return TS_OK;
	row = &r->w->row[slot];
	row->name = ts_kept_text(&r->w->text, TS_WORK_TEXT, rows, 1, TS_WORK_NAME);
	if (ts_rows_number(rows, 2, &bytes) != TS_VALUE_OK || row->vertices == TS_UNKNOWN)
		return TS_OK;
	row->state = __builtin_mul_overflow(bytes, row->vertices, &state) ? TS_UNKNOWN : state;
	return TS_OK;
}

enum { PROGRAM_ID, PROGRAM_NAME, PROGRAM_TYPE, PROGRAM_CODE, PROGRAM_CYCLES, PROGRAM_ESTIMATED };

static enum ts_code
exchange_row(struct work_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct by_tile code, measured, estimated;
	struct ts_work_row *row;
	struct ts_err why = {0};
	int64_t id;

	if (!id_of(r, rows, PROGRAM_ID, &id) || !look(r, rows, PROGRAM_CODE, &code) ||
		code.tiles == 0 || !look(r, rows, PROGRAM_CYCLES, &measured) ||
		!look(r, rows, PROGRAM_ESTIMATED, &estimated))
		return TS_OK;
	row = make_row(r, id, &why);
	if (!row)
		return why.code ? (*err = why, why.code) : TS_OK;
	row->name = ts_kept_text(&r->w->text, TS_WORK_TEXT, rows, PROGRAM_NAME, TS_WORK_NAME);
	row->type = ts_kept_text(&r->w->text, TS_WORK_TEXT, rows, PROGRAM_TYPE, TS_WORK_NAME);
	row->code = code.sum;
	row->tiles = code.tiles;
	if (measured.there || estimated.there) {
		const struct by_tile *cycles = measured.there ? &measured : &estimated;

		row->known = measured.there ? TS_WORK_MEASURED : TS_WORK_ESTIMATED;
		row->cycles = cycles->most;
		row->cycles_sum = cycles->sum;
	}
	return TS_OK;
}

/* A pass needs one of two columns beside the id; without them it says nothing. */
static const struct pass {
	enum ts_work_kind kind;
	enum ts_relation relation;
	int columns[6], count;
	int need[2];
	pass_fn *each;
} passes[] = {
	{TS_WORK_COMPUTE_SETS, TS_COMPUTE_SET_VERTEX,
		{TS_COMPUTE_SET_VERTEX_COMPUTE_SET, TS_COMPUTE_SET_VERTEX_VERTEX_TYPE,
			TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE},
		3, {TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE, TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE},
		set_vertices_row},
	{TS_WORK_COMPUTE_SETS, TS_COMPUTE_SET,
		{TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_NAME, TS_COMPUTE_SET_CYCLES_BY_TILE,
			TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE},
		4, {TS_COMPUTE_SET_CYCLES_BY_TILE, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE},
		compute_set_row},
	{TS_WORK_VERTICES, TS_COMPUTE_SET_VERTEX,
		{TS_COMPUTE_SET_VERTEX_COMPUTE_SET, TS_COMPUTE_SET_VERTEX_VERTEX_TYPE,
			TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE},
		3, {TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE, TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE},
		type_vertices_row},
	{TS_WORK_VERTICES, TS_TILE_VERTEX,
		{TS_TILE_VERTEX_TILE, TS_TILE_VERTEX_VERTEX_TYPE, TS_TILE_VERTEX_CODE_BYTES}, 3,
		{TS_TILE_VERTEX_CODE_BYTES, TS_TILE_VERTEX_CODE_BYTES}, tile_vertex_row},
	{TS_WORK_EXCHANGES, TS_PROGRAM,
		{TS_PROGRAM_PROGRAM, TS_PROGRAM_NAME, TS_PROGRAM_TYPE, TS_PROGRAM_CODE_BY_TILE,
			TS_PROGRAM_CYCLES_BY_TILE, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE},
		6, {TS_PROGRAM_CODE_BY_TILE, TS_PROGRAM_CODE_BY_TILE}, exchange_row},
};

static bool
pass_recorded(const struct ts_report *r, const struct pass *p)
{
	return ts_report_has(r, p->relation) &&
		(ts_report_has_column(r, p->relation, p->need[0]) ||
			ts_report_has_column(r, p->relation, p->need[1]));
}

bool
ts_tile_work_recorded(const struct ts_report *r, enum ts_work_kind kind)
{
	for (size_t i = 0; i < TS_COUNT(passes); i++)
		if (passes[i].kind == kind && pass_recorded(r, &passes[i]))
			return true;
	return false;
}

/* Rows of one tile are reached by its key where there is one. */
static void
narrow(struct ts_rows_query *q, const struct work_read *r, const struct pass *p)
{
	if (p->relation != TS_TILE_VERTEX || r->n != 1 ||
		r->rd->report->binding[TS_TILE_VERTEX].reach.key == TS_REACH_NONE)
		return;
	q->range = TS_RANGE_KEY;
	q->from = r->tile[0];
	q->to = r->tile[0] + 1;
}

static enum ts_code
run(struct work_read *r, enum ts_relation relation, struct ts_rows_query *q, pass_fn *each,
	struct ts_err *err)
{
	const struct ts_reach *reach = &r->rd->report->binding[relation].reach;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	q->past_damage = true;
	code = ts_reader_rows(&rows, r->rd, relation, q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if ((code = each(r, rows, err)))
			break;
		ts_progress_set(r->progress, ++r->seen, ts_reach_span(reach));
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
run_pass(struct work_read *r, const struct pass *p, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = p->count};

	memcpy(q.columns, p->columns, (size_t)p->count * sizeof(int));
	narrow(&q, r, p);
	return run(r, p->relation, &q, p->each, err);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int64_t
weight(const struct ts_work_row *a)
{
	return a->cycles_sum != TS_UNKNOWN ? a->cycles_sum
		: a->cycles != TS_UNKNOWN  ? a->cycles
		: a->code != TS_UNKNOWN	   ? a->code
					   : a->vertices;
}

static int
compare(const void *x, const void *y, bool by_code)
{
	const struct ts_work_row *a = x, *b = y;
	int64_t p = by_code ? a->code : weight(a), q = by_code ? b->code : weight(b);

	if (p != q)
		return p < q ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

static int
by_weight(const void *a, const void *b)
{
	return compare(a, b, false);
}

static int
by_code(const void *a, const void *b)
{
	return compare(a, b, true);
}

/* --- families --------------------------------------------------------------------------------- */

/* While families are made the first row of each is found by its name. */
struct named {
	uint32_t row;
	uint32_t name; /* in the text */
};

static int
by_name(const void *x, const void *y, void *text)
{
	const struct named *a = x, *b = y;
	int c = strcmp((const char *)text + a->name, (const char *)text + b->name);

	return c ? c : (a->row > b->row) - (a->row < b->row);
}

/* A text of our own making, behind the report's; 0: no room. */
static uint32_t
keep_text(struct ts_tile_work *w, const char *said, size_t n)
{
	size_t at = w->text.len;

	if (n == 0 || at + n + 1 > TS_WORK_TEXT)
		return 0;
	ts_strbuf_add(&w->text, said, n + 1);
	return w->text.cut ? 0 : (uint32_t)at;
}

static uint32_t
keep_said(struct ts_tile_work *w, size_t (*say)(char *, size_t, const char *, size_t),
	uint32_t name)
{
	char said[TS_WORK_NAME];
	size_t n = say(said, sizeof(said), w->text.s + name, strlen(w->text.s + name));

	return keep_text(w, said, n);
}

static void
add_to_family(struct ts_work_row *f, const struct ts_work_row *r)
{
	f->types++;
	f->sets += r->sets;
	f->tiles = ts_max_i64(f->tiles, r->tiles);
	if (r->code != TS_UNKNOWN)
		add_to(&f->code, r->code);
	if (r->state != TS_UNKNOWN)
		add_to(&f->state, r->state);
	if (r->vertices != TS_UNKNOWN)
		add_to(&f->vertices, r->vertices);
}

static const struct ts_work_row nothing = {.cycles = TS_UNKNOWN,
	.cycles_sum = TS_UNKNOWN,
	.vertices = TS_UNKNOWN,
	.code = TS_UNKNOWN,
	.state = TS_UNKNOWN};

/* Rows of a family together: by its rank, then as they were. */
static int
by_rank(const void *x, const void *y)
{
	const struct ts_work_row *a = x, *b = y;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return by_code(a, b);
}

/* Ranks by code; the old place of each family is in its `family` until then. */
static bool
rank_families(struct ts_tile_work *w)
{
	uint32_t *rank = ts_alloc(w->families, sizeof(*rank));

	if (!rank)
		return false;
	qsort(w->family, w->families, sizeof(w->family[0]), by_code);
	for (size_t i = 0; i < w->families; i++)
		rank[w->family[i].family] = (uint32_t)i;
	for (size_t i = 0; i < w->count; i++)
		w->row[i].family = rank[w->row[i].family];
	qsort(w->row, w->count, sizeof(w->row[0]), by_rank);
	for (size_t i = w->count; i-- > 0;)
		w->family[w->row[i].family].family = (uint32_t)i;
	free(rank);
	return true;
}

/* What stands for the name of a vertex type that has none, and for its family. */
static uint32_t
keep_number(struct ts_tile_work *w, int64_t id)
{
	char said[40];
	int n = snprintf(said, sizeof(said), "vertex type %lld", (long long)id);

	return keep_text(w, said, (size_t)n);
}

/* False: no memory. */
static bool
make_families(struct ts_tile_work *w)
{
	struct named *k = ts_alloc(w->count, sizeof(*k));
	bool ok;

	w->family = ts_alloc(w->count, sizeof(*w->family));
	if (!k || !w->family) {
		free(k);
		return false;
	}
	for (size_t i = 0; i < w->count; i++) {
		uint32_t name = w->row[i].name;
		uint32_t number = w->text.s[name] ? 0 : keep_number(w, w->row[i].id);

		w->row[i].said = number ? number : keep_said(w, ts_vertex_demangle, name);
		k[i] = (struct named){(uint32_t)i,
			number ? number : keep_said(w, ts_vertex_family, name)};
	}
	qsort_r(k, w->count, sizeof(*k), by_name, w->text.s);
	for (size_t i = 0; i < w->count; i++) {
		if (i == 0 || strcmp(w->text.s + k[i].name, w->text.s + k[i - 1].name) != 0) {
			struct ts_work_row *f = &w->family[w->families];

			*f = nothing;
			f->id = (int64_t)w->families; /* equals stay in the order of their names */
			f->name = f->said = k[i].name;
			f->family = (uint32_t)w->families++;
		}
		add_to_family(&w->family[w->families - 1], &w->row[k[i].row]);
		w->row[k[i].row].family = (uint32_t)(w->families - 1);
	}
	ok = rank_families(w);
	free(k);
	return ok;
}

static void
sum_up(struct ts_tile_work *w)
{
	struct ts_work_row *s = &w->sum;

	*s = nothing;
	for (size_t i = 0; i < w->count; i++) {
		const struct ts_work_row *r = &w->row[i];
		const int64_t *from[] = {&r->cycles, &r->cycles_sum, &r->vertices, &r->code,
			&r->state};
		int64_t *to[] = {&s->cycles, &s->cycles_sum, &s->vertices, &s->code, &s->state};

		for (size_t k = 0; k < TS_COUNT(to); k++)
			if (*from[k] != TS_UNKNOWN)
				add_to(to[k], *from[k]);
		if (s->known == TS_WORK_UNKNOWN)
			s->known = r->known;
		else if (r->known != TS_WORK_UNKNOWN && r->known != s->known)
			s->known = TS_WORK_PARTLY;
	}
}

/* Rows that have nothing on any of the tiles. */
static void
drop_empty(struct ts_tile_work *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->count; i++) {
		struct ts_work_row *r = &w->row[i];

		r->tiles = ts_max_i64(r->tiles, r->code_tiles);
		if (r->tiles > 0)
			w->row[kept++] = *r;
	}
	w->count = kept;
}

enum ts_code
ts_tile_work_read(struct ts_tile_work *w, struct ts_reader *rd, enum ts_work_kind kind,
	const int64_t *tiles, size_t n, struct ts_progress *progress, struct ts_err *err)
{
	struct work_read r = {.w = w, .rd = rd, .tile = tiles, .n = n, .progress = progress};
	struct ts_rows_query types = {.columns = {TS_VERTEX_TYPE_VERTEX_TYPE, TS_VERTEX_TYPE_NAME,
					      TS_VERTEX_TYPE_STATE_BYTES},
		.column_count = 3};
	enum ts_code code = TS_OK, damage = TS_OK;
	struct ts_err why = {0};

	*w = (struct ts_tile_work){.kind = kind};
	ts_strbuf_init(&w->text, TS_WORK_TEXT);
	ts_strbuf_add(&w->text, "", 1); /* place 0: no name */
	if (!ts_tile_work_recorded(rd->report, kind))
		return ts_err_set(err, TS_E_ABSENT, "its tables do not say it by tile");
	r.slots.most = TS_WORK_ROWS;
	for (size_t i = 0; !code && i < TS_COUNT(passes); i++) {
		const struct pass *p = &passes[i];

		if (p->kind != kind || !ts_report_has(rd->report, p->relation) ||
			(!pass_recorded(rd->report, p) && p->relation != TS_COMPUTE_SET))
			continue; /* compute sets have names, too */
		code = run_pass(&r, p, &why);
		if (code == TS_E_DAMAGED) {
			damage = code;
			code = TS_OK;
		}
	}
	if (!code && kind == TS_WORK_VERTICES && ts_report_has(rd->report, TS_VERTEX_TYPE))
		code = run(&r, TS_VERTEX_TYPE, &types, vertex_type_row, &why);
	ts_tile_slots_fini(&r.slots);
	code = code ? code : damage;
	w->partial = code == TS_E_DAMAGED;
	drop_empty(w);
	for (size_t i = 0; i < w->count; i++) {
		w->has_cycles |= w->row[i].cycles != TS_UNKNOWN;
		w->has_vertices |= w->row[i].vertices != TS_UNKNOWN;
		w->has_code |= w->row[i].code != TS_UNKNOWN;
		w->has_state |= w->row[i].state != TS_UNKNOWN;
	}
	if (w->count > 0)
		qsort(w->row, w->count, sizeof(w->row[0]),
			kind == TS_WORK_COMPUTE_SETS ? by_weight : by_code);
	if (kind == TS_WORK_VERTICES && w->count > 0 && !make_families(w))
		return ts_err_nomem(err);
	if (w->text.nomem) /* names are missing */
		return ts_err_nomem(err);
	sum_up(w);
	if (code && err)
		*err = why;
	return code;
}

void
ts_tile_work_fini(struct ts_tile_work *w)
{
	free(w->row);
	free(w->family);
	ts_strbuf_fini(&w->text);
	*w = (struct ts_tile_work){0};
}
