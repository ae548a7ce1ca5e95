/* SPDX-License-Identifier: MIT */
/* program_details - see the header. A few rows by key; vertex types are looked up for the rows that are kept. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/vertex_name.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/program_details.h"
#include "tilescope/report/rows.h"

#include "program_details_internal.h"

enum {
	NAME = 8192,
	CYCLE_BYTES = 4,
	BY_KEY = 256 /* vertex types that are looked up one by one */
};

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_NOMEM || code == TS_E_CANCELLED;
}

static void
keep(struct ts_program_details *d, uint32_t *at, uint32_t *length, const char *s, size_t n)
{
	n = n < NAME ? n : NAME;
	if (n == 0 || d->text.len + n + 1 > d->text.max)
		return;
	*at = (uint32_t)d->text.len;
	ts_strbuf_add(&d->text, s, n);
	ts_strbuf_putc(&d->text, '\0');
	*length = d->text.cut ? 0 : (uint32_t)n;
}

static void
keep_text(struct ts_program_details *d, uint32_t *at, uint32_t *length, struct ts_rows *rows,
	int column)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, column, &s, &n) == TS_VALUE_OK)
		keep(d, at, length, s, n);
}

/* --- cycles ----------------------------------------------------------------------------------- */

static uint32_t
number_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A blob of the row: NULL is not recorded, an empty one is 0 everywhere. What is known already stays. */
static enum ts_code
keep_cycles(struct ts_tile_cycles *c, struct ts_rows *rows, int column, const char *from,
	struct ts_err *err)
{
	const void *bytes;
	size_t n;

	if (c->known || ts_rows_blob(rows, column, &bytes, &n) != TS_VALUE_OK ||
		n % CYCLE_BYTES != 0)
		return TS_OK;
	n /= CYCLE_BYTES;
	n = n < TS_TILES_MAX ? n : TS_TILES_MAX;
	c->cycles = ts_alloc(n + 1, sizeof(*c->cycles));
	if (!c->cycles)
		return ts_err_nomem(err);
	c->known = true;
	c->from = from;
	c->tiles = n;
	for (size_t i = 0; i < n; i++) {
		uint32_t v = number_at((const unsigned char *)bytes + i * CYCLE_BYTES);

		c->cycles[i] = v;
		c->sum += v;
		c->active += v > 0;
		if ((int64_t)v > c->most) {
			c->most = v;
			c->tile = (int64_t)i;
		}
	}
	return TS_OK;
}

enum { P_TYPE, P_NAME, P_SET, P_MEASURED, P_ESTIMATED, P_CODE, P_CONTROL, P_COLUMNS };

static enum ts_code
read_program(struct ts_program_details *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_PROGRAM_TYPE, TS_PROGRAM_NAME,
					  TS_PROGRAM_COMPUTE_SET, TS_PROGRAM_CYCLES_BY_TILE,
					  TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE,
					  TS_PROGRAM_CODE_BY_TILE, TS_PROGRAM_CONTROL_CODE_BY_TILE},
		.column_count = P_COLUMNS,
		.range = TS_RANGE_KEY,
		.from = d->program,
		.to = d->program + 1};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has(rd->report, TS_PROGRAM) || d->program == TS_UNKNOWN)
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_PROGRAM, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there) {
		keep_text(d, &d->type_at, &d->type_length, rows, P_TYPE);
		keep_text(d, &d->name_at, &d->name_length, rows, P_NAME);
		if (d->compute_set == TS_UNKNOWN)
			d->compute_set = ts_rows_known(rows, P_SET);
		code = keep_cycles(&d->cycles[TS_CYCLES_MEASURED], rows, P_MEASURED,
			"program.cycles_by_tile", err);
	}
	if (!code && there)
		code = keep_cycles(&d->cycles[TS_CYCLES_ESTIMATED], rows, P_ESTIMATED,
			"program.estimated_cycles_by_tile", err);
	if (!code && there)
		code = keep_cycles(&d->code[TS_CODE_EXCHANGE], rows, P_CODE, "program.code_by_tile",
			err);
	if (!code && there)
		code = keep_cycles(&d->code[TS_CODE_CONTROL], rows, P_CONTROL,
			"program.control_code_by_tile", err);
	ts_rows_close(rows);
	return code;
}

static enum ts_code
read_set(struct ts_program_details *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_COMPUTE_SET_NAME, TS_COMPUTE_SET_CYCLES_BY_TILE,
					  TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE},
		.column_count = 3,
		.range = TS_RANGE_KEY,
		.from = d->compute_set,
		.to = d->compute_set + 1};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (d->compute_set == TS_UNKNOWN || !ts_report_has(rd->report, TS_COMPUTE_SET))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_COMPUTE_SET, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there) {
		keep_text(d, &d->set_at, &d->set_length, rows, 0);
		code = keep_cycles(&d->cycles[TS_CYCLES_MEASURED], rows, 1,
			"compute_set.cycles_by_tile", err);
	}
	if (!code && there)
		code = keep_cycles(&d->cycles[TS_CYCLES_ESTIMATED], rows, 2,
			"compute_set.estimated_cycles_by_tile", err);
	ts_rows_close(rows);
	return code;
}

/* --- the tiles with the most cycles ----------------------------------------------------------- */

/* By the first kind that is known, the most first; equals by tile. */
static int
most_first(const void *a, const void *b)
{
	const struct ts_cycle_row *x = a, *y = b;
	int by = x->cycles[TS_CYCLES_MEASURED] == TS_UNKNOWN ? TS_CYCLES_ESTIMATED
							     : TS_CYCLES_MEASURED;

	if (x->cycles[by] != y->cycles[by])
		return x->cycles[by] < y->cycles[by] ? 1 : -1;
	return (x->tile > y->tile) - (x->tile < y->tile);
}

static int64_t
cycles_at(const struct ts_tile_cycles *c, size_t tile)
{
	return !c->known ? TS_UNKNOWN : tile < c->tiles ? c->cycles[tile] : 0;
}

static enum ts_code
list_kinds(struct ts_cycle_rows *out, const struct ts_tile_cycles kind[TS_CYCLES_KINDS],
	struct ts_err *err)
{
	size_t n = kind[0].tiles > kind[1].tiles ? kind[0].tiles : kind[1].tiles;
	struct ts_cycle_row *all = ts_alloc(n + 1, sizeof(*all));
	size_t rows = 0;

	if (!all)
		return ts_err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct ts_cycle_row row = {(int64_t)i,
			{cycles_at(&kind[0], i), cycles_at(&kind[1], i)}};

		if (row.cycles[0] > 0 || row.cycles[1] > 0)
			all[rows++] = row;
	}
	qsort(all, rows, sizeof(*all), most_first);
	out->active = (int64_t)rows;
	out->count = (int)rows; /* at most TS_TILES_MAX */
	out->row = all;
	return TS_OK;
}

enum ts_code
ts_details_list_tiles(struct ts_program_details *d, struct ts_err *err)
{
	enum ts_code code = list_kinds(&d->rows, d->cycles, err);

	return code ? code : list_kinds(&d->code_rows, d->code, err);
}

/* --- vertices --------------------------------------------------------------------------------- */

static int
most_instances(const void *a, const void *b)
{
	const struct ts_vertex_row *x = a, *y = b;

	if (x->instances != y->instances)
		return x->instances < y->instances ? 1 : -1;
	return (x->vertex_type > y->vertex_type) - (x->vertex_type < y->vertex_type);
}

static int64_t
tiles_of(struct ts_rows *rows, int column)
{
	const void *bytes;
	int64_t tiles = 0;
	size_t n;

	if (ts_rows_blob(rows, column, &bytes, &n) != TS_VALUE_OK || n % CYCLE_BYTES != 0)
		return TS_UNKNOWN;
	for (size_t i = 0; i < n; i += CYCLE_BYTES)
		tiles += number_at((const unsigned char *)bytes + i) > 0;
	return tiles;
}

/* Twice as many are kept while they are read, then the better half. */
static enum ts_code
add_vertices(struct ts_program_details *d, struct ts_rows *rows, struct ts_err *err)
{
	size_t cap = 0;
	enum ts_code code;
	bool there;

	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_vertex_row v = {.state_bytes = TS_UNKNOWN};
		void *room;

		if (ts_rows_number(rows, 0, &v.vertex_type) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &v.instances) != TS_VALUE_OK)
			continue;
		v.tiles = tiles_of(rows, 2);
		d->kinds++;
		d->instances = v.instances > TS_NUMBER_MAX - d->instances
			? TS_NUMBER_MAX
			: d->instances + v.instances;
		if (d->vertices == 2 * TS_VERTEX_ROWS) {
			qsort(d->vertex, (size_t)d->vertices, sizeof(v), most_instances);
			d->vertices = TS_VERTEX_ROWS;
		}
		room = d->vertex;
		if (!ts_room(&room, &cap, (size_t)d->vertices, sizeof(v)))
			return ts_err_nomem(err);
		d->vertex = room;
		d->vertex[d->vertices++] = v;
	}
	return code;
}

enum { T_NAME, T_STATE, T_TYPE, T_COLUMNS };

/* By a row of its type. */
static void
name_by(struct ts_program_details *d, struct ts_vertex_row *v, struct ts_rows *rows)
{
	char said[NAME];

	keep_text(d, &v->at, &v->length, rows, T_NAME);
	if (v->length > 0)
		keep(d, &v->said_at, &v->said_length, said,
			ts_vertex_demangle(said, sizeof(said), d->text.s + v->at, v->length));
	if (ts_rows_number(rows, T_STATE, &v->state_bytes) != TS_VALUE_OK)
		v->state_bytes = TS_UNKNOWN;
}

static enum ts_code
name_vertex(struct ts_program_details *d, struct ts_vertex_row *v, struct ts_reader *rd,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VERTEX_TYPE_NAME, TS_VERTEX_TYPE_STATE_BYTES},
		.column_count = T_TYPE,
		.range = TS_RANGE_KEY,
		.from = v->vertex_type,
		.to = v->vertex_type + 1};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_VERTEX_TYPE, &q, err);
	bool there;

	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there)
		name_by(d, v, rows);
	ts_rows_close(rows);
	return code;
}

static int
by_type(const void *a, const void *b)
{
	const struct ts_vertex_row *x = *(struct ts_vertex_row *const *)a;
	const struct ts_vertex_row *y = *(struct ts_vertex_row *const *)b;

	return (x->vertex_type > y->vertex_type) - (x->vertex_type < y->vertex_type);
}

/* The first of the rows (by type) with a type that is not below it. */
static int
first_of(struct ts_vertex_row *const *row, int n, int64_t type)
{
	int low = 0, high = n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (row[middle]->vertex_type < type)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * All types once, instead of one look for each row. Of types with the same number the first counts, as a look has it: `seen`,
 * of the first row of a type, says that it was there.
 */
static enum ts_code
name_by_pass(struct ts_program_details *d, struct ts_vertex_row **row, bool *seen,
	struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VERTEX_TYPE_NAME, TS_VERTEX_TYPE_STATE_BYTES,
					  TS_VERTEX_TYPE_VERTEX_TYPE},
		.column_count = T_COLUMNS,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_VERTEX_TYPE, &q, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t type = ts_rows_known(rows, T_TYPE);
		int first = first_of(row, d->vertices, type);

		if (first == d->vertices || row[first]->vertex_type != type || seen[first])
			continue;
		seen[first] = true;
		for (int i = first; i < d->vertices && row[i]->vertex_type == type; i++)
			name_by(d, row[i], rows);
	}
	ts_rows_close(rows);
	return code;
}

enum ts_code
ts_details_name_vertices(struct ts_program_details *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_vertex_row **row;
	bool *seen;
	enum ts_code code = TS_OK;

	if (d->vertices > 0)
		qsort(d->vertex, (size_t)d->vertices, sizeof(*d->vertex), most_instances);
	d->vertices = d->vertices < TS_VERTEX_ROWS ? d->vertices : TS_VERTEX_ROWS;
	if (!ts_report_has(rd->report, TS_VERTEX_TYPE))
		return TS_OK;
	for (int i = 0; i < d->vertices && d->vertices <= BY_KEY && !ends_all(code); i++)
		code = name_vertex(d, &d->vertex[i], rd, err);
	if (d->vertices <= BY_KEY)
		return code;
	row = ts_alloc((size_t)d->vertices, sizeof(*row));
	seen = ts_alloc((size_t)d->vertices, sizeof(*seen));
	if (!row || !seen) {
		free(row);
		free(seen);
		return ts_err_nomem(err);
	}
	for (int i = 0; i < d->vertices; i++)
		row[i] = &d->vertex[i];
	qsort(row, (size_t)d->vertices, sizeof(*row), by_type);
	code = name_by_pass(d, row, seen, rd, err);
	free(row);
	free(seen);
	return code;
}

static enum ts_code
read_vertices(struct ts_program_details *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_COMPUTE_SET_VERTEX_VERTEX_TYPE,
					  TS_COMPUTE_SET_VERTEX_INSTANCES,
					  TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE},
		.column_count = 3,
		.range = TS_RANGE_KEY,
		.from = d->compute_set,
		.to = d->compute_set + 1};
	struct ts_rows *rows;
	enum ts_code code;

	if (d->compute_set == TS_UNKNOWN || !ts_report_has(rd->report, TS_COMPUTE_SET_VERTEX))
		return TS_OK;
	d->has_vertices = true;
	code = ts_reader_rows(&rows, rd, TS_COMPUTE_SET_VERTEX, &q, err);
	if (code)
		return code;
	code = add_vertices(d, rows, err);
	ts_rows_close(rows);
	return ends_all(code) ? code : ts_details_name_vertices(d, rd, err);
}

enum ts_code
ts_program_details_read(struct ts_program_details *d, struct ts_reader *rd, int64_t program,
	struct ts_err *err)
{
	return ts_step_details_read(d, rd, program, TS_UNKNOWN, err);
}

enum ts_code
ts_step_details_read(struct ts_program_details *d, struct ts_reader *rd, int64_t program,
	int64_t compute_set, struct ts_err *err)
{
	enum ts_code code;
	enum ts_code (*const read[])(struct ts_program_details *, struct ts_reader *,
		struct ts_err *) = {read_program, read_set, read_vertices};

	*d = (struct ts_program_details){.program = program, .compute_set = compute_set};
	ts_strbuf_init(&d->text, TS_DETAILS_TEXT);
	for (size_t i = 0; i < TS_COUNT(read); i++) {
		code = read[i](d, rd, err);
		if (ends_all(code))
			return code;
	}
	if (d->text.nomem)
		return ts_err_nomem(err);
	return ts_details_list_tiles(d, err);
}

void
ts_program_details_fini(struct ts_program_details *d)
{
	ts_strbuf_fini(&d->text);
	free(d->vertex);
	free(d->rows.row);
	free(d->code_rows.row);
	for (int i = 0; i < TS_CYCLES_KINDS; i++) {
		free(d->cycles[i].cycles);
		free(d->code[i].cycles);
	}
	*d = (struct ts_program_details){0};
}
