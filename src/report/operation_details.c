/* SPDX-License-Identifier: MIT */
/*
 * operation_details - see the header. Programs and compute sets are read in ranges of their numbers, which mostly follow each
 * other; blobs are added up one at a time.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operation_details.h"
#include "tilescope/report/operation_groups.h"
#include "tilescope/report/rows.h"

#include "operations_internal.h"
#include "program_details_internal.h"

enum { EACH = 4, GAP = 16, PROGRESS_ROWS = 64 };

/* A program, or a compute set and how many of the programs take its cycles. */
struct wanted {
	int64_t key;
	uint32_t place; /* of a program in the costs */
	bool done;
	int64_t take[TS_CYCLES_KINDS];
};

struct detailing {
	struct ts_program_details *d;
	struct ts_reader *rd;
	const struct ts_operations *o;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_pile program, set; /* struct wanted, by key */
	size_t programs, sets;
	struct ts_pile vertex; /* struct ts_vertex_row, then by type */
	int64_t seen;
};

static struct wanted *
wanted_at(const struct ts_pile *p, size_t i)
{
	return (struct wanted *)p->memory + i;
}

static int
by_key(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static struct wanted *
find(const struct ts_pile *p, size_t n, int64_t key)
{
	struct wanted w = {.key = key};

	return n == 0 || key == TS_UNKNOWN ? NULL : bsearch(&w, p->memory, n, sizeof(w), by_key);
}

/* --- by tile ---------------------------------------------------------------------------------------- */

/* A blob, `times` times. *known: it is recorded. */
static enum ts_code
add_blob(bool *known, struct ts_tile_cycles *c, struct ts_rows *rows, int column, int64_t times,
	const char *from, struct ts_err *err)
{
	const unsigned char *p;
	const void *bytes;
	int64_t *more;
	size_t n;

	*known = ts_rows_blob(rows, column, &bytes, &n) == TS_VALUE_OK && n % EACH == 0;
	if (!*known || times == 0)
		return TS_OK;
	n = n / EACH < TS_TILES_MAX ? n / EACH : TS_TILES_MAX;
	if (n > c->tiles || !c->cycles) {
		more = ts_resize(c->cycles, n + 1, sizeof(*more));
		if (!more)
			return ts_err_nomem(err);
		memset(more + c->tiles, 0, (n + 1 - c->tiles) * sizeof(*more));
		c->cycles = more;
		c->tiles = n;
	}
	c->from = c->known && c->from != from ? "program.*, compute_set.*" : from;
	c->known = true;
	p = bytes;
	for (size_t i = 0; i < n; i++, p += EACH)
		c->cycles[i] += times *
			((int64_t)p[0] | (int64_t)p[1] << 8 | (int64_t)p[2] << 16 |
				(int64_t)p[3] << 24);
	return TS_OK;
}

static void
end_tiles(struct ts_tile_cycles *c)
{
	for (size_t i = 0; i < c->tiles; i++) {
		c->sum = c->cycles[i] > TS_NUMBER_MAX - c->sum ? TS_NUMBER_MAX
							       : c->sum + c->cycles[i];
		c->active += c->cycles[i] > 0;
		if (c->cycles[i] > c->most) {
			c->most = c->cycles[i];
			c->tile = (int64_t)i;
		}
	}
}

/* --- rows in ranges --------------------------------------------------------------------------------- */

typedef enum ts_code (*take_row)(struct detailing *w, struct wanted *of, struct ts_rows *rows,
	struct ts_err *err);

/* Column 0 is the key; each row whose key is wanted. Damage ends the range. */
static enum ts_code
read_range(struct detailing *w, enum ts_relation relation, struct ts_rows_query q,
	const struct ts_pile *list, size_t n, take_row take, struct ts_err *err)
{
	struct ts_err why = {0};
	struct ts_rows *rows;
	bool there;
	enum ts_code code = ts_reader_rows(&rows, w->rd, relation, &q, &why);

	while (!code && !(code = ts_rows_next(rows, &there, &why)) && there) {
		struct wanted *of = find(list, n, ts_rows_known(rows, 0));

		if (++w->seen % PROGRESS_ROWS == 0)
			ts_progress_set(w->progress, w->seen, (int64_t)(w->programs + w->sets));
		if (of)
			code = take(w, of, rows, &why);
	}
	ts_rows_close(rows);
	if (code == TS_E_DAMAGED)
		return TS_OK;
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
read_wanted(struct detailing *w, enum ts_relation relation, const int *columns, int columns_n,
	const struct ts_pile *list, size_t n, take_row take, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = columns_n};
	enum ts_code code = TS_OK;

	if (!ts_report_has(w->rd->report, relation) || n == 0)
		return TS_OK;
	memcpy(q.columns, columns, (size_t)columns_n * sizeof(*columns));
	if (w->rd->report->binding[relation].reach.key == TS_REACH_NONE)
		return read_range(w, relation, q, list, n, take, err);
	q.range = TS_RANGE_KEY;
	for (size_t i = 0, end; !code && i < n; i = end) {
		for (end = i + 1;
			end < n && wanted_at(list, end)->key - wanted_at(list, end - 1)->key <= GAP;
			end++)
			;
		q.from = wanted_at(list, i)->key;
		q.to = wanted_at(list, end - 1)->key + 1;
		code = read_range(w, relation, q, list, n, take, err);
	}
	return code;
}

/* --- programs, compute sets, vertices --------------------------------------------------------------- */

enum { P_PROGRAM, P_MEASURED, P_ESTIMATED, P_CODE, P_CONTROL };

static const int program_columns[] = {
	[P_PROGRAM] = TS_PROGRAM_PROGRAM,
	[P_MEASURED] = TS_PROGRAM_CYCLES_BY_TILE,
	[P_ESTIMATED] = TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE,
	[P_CODE] = TS_PROGRAM_CODE_BY_TILE,
	[P_CONTROL] = TS_PROGRAM_CONTROL_CODE_BY_TILE,
};

static enum ts_code
take_program(struct detailing *w, struct wanted *of, struct ts_rows *rows, struct ts_err *err)
{
	const struct ts_program_cost *cost =
		(const struct ts_program_cost *)w->o->costs->cost.memory + of->place;
	struct wanted *set = find(&w->set, w->sets, cost->compute_set);
	bool known[TS_CYCLES_KINDS], code_known;
	enum ts_code code;

	if (of->done)
		return TS_OK;
	of->done = true;
	code = add_blob(&known[0], &w->d->cycles[TS_CYCLES_MEASURED], rows, P_MEASURED, 1,
		"program.cycles_by_tile", err);
	if (!code)
		code = add_blob(&known[1], &w->d->cycles[TS_CYCLES_ESTIMATED], rows, P_ESTIMATED, 1,
			"program.estimated_cycles_by_tile", err);
	if (!code)
		code = add_blob(&code_known, &w->d->code[TS_CODE_EXCHANGE], rows, P_CODE, 1,
			"program.code_by_tile", err);
	if (!code && w->o->program[of->place].leaf > 0)
		code = add_blob(&code_known, &w->d->code[TS_CODE_CONTROL], rows, P_CONTROL, 1,
			"program.control_code_by_tile", err);
	for (int i = 0; !code && set && i < TS_CYCLES_KINDS; i++)
		set->take[i] += !known[i];
	return code;
}

static enum ts_code
take_set(struct detailing *w, struct wanted *of, struct ts_rows *rows, struct ts_err *err)
{
	bool known;
	enum ts_code code;

	if (of->done)
		return TS_OK;
	of->done = true;
	code = add_blob(&known, &w->d->cycles[TS_CYCLES_MEASURED], rows, 1,
		of->take[TS_CYCLES_MEASURED], "compute_set.cycles_by_tile", err);
	return code ? code
		    : add_blob(&known, &w->d->cycles[TS_CYCLES_ESTIMATED], rows, 2,
			      of->take[TS_CYCLES_ESTIMATED], "compute_set.estimated_cycles_by_tile",
			      err);
}

static int64_t
tiles_of(struct ts_rows *rows, int column)
{
	const unsigned char *p;
	const void *bytes;
	int64_t tiles = 0;
	size_t n;

	if (ts_rows_blob(rows, column, &bytes, &n) != TS_VALUE_OK || n % EACH != 0)
		return TS_UNKNOWN;
	p = bytes;
	for (size_t i = 0; i < n; i += EACH)
		tiles += p[i] || p[i + 1] || p[i + 2] || p[i + 3];
	return tiles;
}

static enum ts_code
take_vertex(struct detailing *w, struct wanted *of, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_vertex_row v = {.vertex_type = ts_rows_known(rows, 1),
		.instances = ts_rows_known(rows, 2),
		.state_bytes = TS_UNKNOWN};

	(void)of;
	if (v.vertex_type == TS_UNKNOWN || v.instances == TS_UNKNOWN)
		return TS_OK;
	v.tiles = tiles_of(rows, 3);
	return ts_pile_add(&w->vertex, &v, sizeof(v), w->cache, err);
}

static int
by_type(const void *a, const void *b)
{
	const struct ts_vertex_row *x = a, *y = b;

	return (x->vertex_type > y->vertex_type) - (x->vertex_type < y->vertex_type);
}

static int
most_first(const void *a, const void *b)
{
	const struct ts_vertex_row *x = a, *y = b;

	if (x->instances != y->instances)
		return x->instances < y->instances ? 1 : -1;
	return by_type(a, b);
}

/* Each type once; those with most instances are kept. */
static enum ts_code
keep_vertices(struct detailing *w, struct ts_err *err)
{
	struct ts_program_details *d = w->d;
	size_t n = w->vertex.used / sizeof(*d->vertex), kept = 0;
	struct ts_vertex_row *v;
	enum ts_code code = ts_pile_sort(&w->vertex, n, sizeof(*v), by_type, w->cache,
		w->rd->cancel, err);

	v = w->vertex.memory;
	for (size_t i = 0; !code && i < n; i++) {
		int64_t sum;

		d->instances = v[i].instances > TS_NUMBER_MAX - d->instances
			? TS_NUMBER_MAX
			: d->instances + v[i].instances;
		if (kept == 0 || v[kept - 1].vertex_type != v[i].vertex_type) {
			v[kept++] = v[i];
			continue;
		}
		sum = v[kept - 1].instances;
		v[kept - 1].instances = ts_add_i64(&sum, v[i].instances) ? sum : TS_NUMBER_MAX;
		v[kept - 1].tiles = TS_UNKNOWN; /* some of them may be the same */
	}
	if (!code)
		code = ts_pile_sort(&w->vertex, kept, sizeof(*v), most_first, w->cache,
			w->rd->cancel, err);
	if (code)
		return code;
	d->kinds = (int64_t)kept;
	d->vertices = (int)(kept < TS_VERTEX_ROWS ? kept : TS_VERTEX_ROWS);
	d->vertex = ts_alloc((size_t)d->vertices + 1, sizeof(*v));
	if (!d->vertex)
		return ts_err_nomem(err);
	if (d->vertices > 0)
		memcpy(d->vertex, w->vertex.memory, (size_t)d->vertices * sizeof(*v));
	return ts_details_name_vertices(d, w->rd, err);
}

/* --- together --------------------------------------------------------------------------------------- */

/* The programs of the operation, and their compute sets. */
static enum ts_code
want(struct detailing *w, uint32_t node, bool below, struct ts_err *err)
{
	const struct ts_program_cost *cost = w->o->costs->cost.memory;
	struct ts_pile list = {0};
	enum ts_code code = ts_operation_programs(&list, w->o, node, below, w->cache, w->rd->cancel,
		err);
	size_t n = list.used / sizeof(int64_t), kept = 0;
	struct wanted *set;

	for (size_t i = 0; !code && i < n; i++) {
		int64_t program = ((const int64_t *)list.memory)[i];
		struct wanted p = {.key = program, .place = ts_op_place(w->o->costs, program)};
		struct wanted s = {.key = cost[p.place].compute_set};

		code = ts_pile_add(&w->program, &p, sizeof(p), w->cache, err);
		if (!code && s.key != TS_UNKNOWN)
			code = ts_pile_add(&w->set, &s, sizeof(s), w->cache, err);
	}
	ts_pile_fini(&list);
	w->programs = n;
	w->sets = w->set.used / sizeof(*set);
	if (!code)
		code = ts_pile_sort(&w->set, w->sets, sizeof(*set), by_key, w->cache, w->rd->cancel,
			err);
	set = w->set.memory;
	for (size_t i = 0; !code && i < w->sets; i++)
		if (kept == 0 || set[kept - 1].key != set[i].key)
			set[kept++] = set[i];
	w->sets = kept;
	return code;
}

static enum ts_code
read_all(struct detailing *w, struct ts_err *err)
{
	static const int sets[] = {TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE,
		TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE};
	static const int vertices[] = {TS_COMPUTE_SET_VERTEX_COMPUTE_SET,
		TS_COMPUTE_SET_VERTEX_VERTEX_TYPE, TS_COMPUTE_SET_VERTEX_INSTANCES,
		TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE};
	struct ts_program_details *d = w->d;
	enum ts_code code = read_wanted(w, TS_PROGRAM, program_columns, TS_COUNT(program_columns),
		&w->program, w->programs, take_program, err);

	if (!code)
		code = read_wanted(w, TS_COMPUTE_SET, sets, TS_COUNT(sets), &w->set, w->sets,
			take_set, err);
	if (!code && w->sets > 0 && ts_report_has(w->rd->report, TS_COMPUTE_SET_VERTEX)) {
		d->has_vertices = true;
		code = read_wanted(w, TS_COMPUTE_SET_VERTEX, vertices, TS_COUNT(vertices), &w->set,
			w->sets, take_vertex, err);
	}
	for (int i = 0; !code && i < TS_CYCLES_KINDS; i++) {
		end_tiles(&d->cycles[i]);
		end_tiles(&d->code[i]);
	}
	return code;
}

enum ts_code
ts_operation_details_read(struct ts_program_details *d, struct ts_reader *rd,
	const struct ts_operations *o, uint32_t i, bool below, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct detailing w = {.d = d, .rd = rd, .o = o, .cache = cache, .progress = progress};
	enum ts_code code;

	*d = (struct ts_program_details){.program = TS_UNKNOWN, .compute_set = TS_UNKNOWN};
	ts_strbuf_init(&d->text, TS_DETAILS_TEXT);
	code = want(&w, i, below, err);
	if (!code && w.programs == 1)
		d->program = wanted_at(&w.program, 0)->key;
	if (!code && w.sets == 1)
		d->compute_set = wanted_at(&w.set, 0)->key;
	if (!code)
		code = read_all(&w, err);
	if (!code && d->has_vertices)
		code = keep_vertices(&w, err);
	if (!code && d->text.nomem)
		code = ts_err_nomem(err);
	if (!code)
		code = ts_details_list_tiles(d, err);
	ts_pile_fini(&w.program);
	ts_pile_fini(&w.set);
	ts_pile_fini(&w.vertex);
	return code;
}
