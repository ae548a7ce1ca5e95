/* SPDX-License-Identifier: MIT */
/*
 * memory_work_explain - what the figures of the tabs Compute sets, Vertices and Exchanges are: of the row under the
 * cursor (a family: of its vertex types together), and the totals.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_work.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"

enum { ONLY = 1600 };

/* Where a row of a list comes from: a number above 0 in a blob, or (no blob) a row of the tile. */
struct source {
	const char *relation, *blob;
	const char *row; /* its key in that relation */
};

/* What SQL calls the rows of each kind of list. */
static const struct kind {
	const char *relation, *key, *rows, *from;
	struct source source[3];
} kinds[TS_WORK_KINDS] = {
	[TS_WORK_COMPUTE_SETS] = {"compute_set", "compute_set", "compute sets",
		"compute_set.cycles_by_tile, .estimated_cycles_by_tile, compute_set_vertex.count_by_tile",
		{{"compute_set", "cycles_by_tile", "compute_set"},
			{"compute_set", "estimated_cycles_by_tile", "compute_set"},
			{"compute_set_vertex", "count_by_tile", "compute_set, vertex_type"}}},
	[TS_WORK_VERTICES] = {"vertex_type", "vertex_type", "vertex types",
		"compute_set_vertex.count_by_tile, tile_vertex",
		{{"compute_set_vertex", "count_by_tile", "compute_set, vertex_type"},
			{"tile_vertex", NULL, "vertex_type"}}},
	[TS_WORK_EXCHANGES] = {"program", "program", "exchanges", "program.code_by_tile",
		{{"program", "code_by_tile", "program"}}},
};

/* Whose figures: a row, or all rows together. */
struct of {
	struct ts_explain *out;
	const struct ts_tab *t;
	const struct work_tab *w;
	const struct kind *k;
	const struct ts_work_row *row;
	bool all, family, said;
	struct memory_scope_sql tiles;
	const char *why; /* there is no query: why */
	char only[ONLY]; /* the rows in SQL: "compute_set = 5"; "true" = all */
	const char *name;
};

/* --- rows in SQL ------------------------------------------------------------------------------ */

static bool
has_source(const struct of *o, size_t i)
{
	return i < TS_COUNT(o->k->source) && o->k->source[i].relation;
}

/* "FROM relation WHERE ...": its rows of the tiles. */
static void
source_sql(const struct of *o, const struct source *from, struct ts_strbuf *out)
{
	if (from->blob)
		ts_strbuf_printf(out, "FROM %s%s WHERE tile_at(%s, %s) > 0", from->relation,
			o->tiles.join, from->blob, o->tiles.tile);
	else
		ts_strbuf_printf(out, "FROM %s WHERE %s", from->relation, o->tiles.where);
}

/* A query of all that is listed: their keys. */
static void
listed_sql(const struct of *o, struct ts_strbuf *out)
{
	for (size_t i = 0; has_source(o, i); i++) {
		ts_strbuf_printf(out, "%sSELECT %s ", i ? " UNION " : "", o->k->key);
		source_sql(o, &o->k->source[i], out);
	}
}

static void
family_sql(struct of *o, struct ts_strbuf *b)
{
	const struct ts_tile_work *w = &o->w->work;
	uint32_t family = (uint32_t)(o->row - w->family);

	ts_strbuf_puts(b, "vertex_type IN (");
	for (size_t i = o->row->family; i < w->count && w->row[i].family == family; i++)
		ts_strbuf_printf(b, "%s%lld", i > o->row->family ? ", " : "",
			(long long)w->row[i].id);
	ts_strbuf_puts(b, ")");
}

static void
only_sql(struct of *o)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, ONLY - 1);
	if (o->family)
		family_sql(o, &b);
	else if (!o->all)
		ts_strbuf_printf(&b, "%s = %lld", o->k->key, (long long)o->row->id);
	else if (o->w->kind == TS_WORK_EXCHANGES) {
		ts_strbuf_puts(&b, "program IN (");
		listed_sql(o, &b);
		ts_strbuf_puts(&b, ")");
	} else
		ts_strbuf_puts(&b, "true");
	if (b.cut && o->said) {
		o->said = false;
		o->why = "so many vertex types that they do not fit into a query";
	}
	snprintf(o->only, sizeof(o->only), "%s", b.s);
	ts_strbuf_fini(&b);
}

static struct of
of_row(struct ts_explain *out, const struct ts_tab *t, const struct ts_work_row *row)
{
	const struct work_tab *w = t->own;
	const struct ts_tile_work *k = &w->work;
	struct of o = {.out = out,
		.t = t,
		.w = w,
		.k = &kinds[w->kind],
		.row = row,
		.all = row == &k->sum,
		.family = row >= k->family && row < k->family + k->families};

	o.said = memory_scope_sql(t->host, &w->ask.of, &o.tiles, &o.why);
	o.name = o.all ? "all that is listed" : ts_work_said(k, row);
	if (o.said && k->cut)
		o.why = "more rows than are kept";
	o.said &= !k->cut;
	only_sql(&o);
	return o;
}

/* The query, or why there is none. */
static void
query(const struct of *o, struct ts_explained *x, const struct ts_strbuf *sql)
{
	if (o->said)
		ts_explain_query(x, "%s", sql->s);
	else
		ts_explain_note(x, "no query: %s", o->why);
}

static void
take_query(const struct of *o, struct ts_explained *x, struct ts_strbuf *sql)
{
	query(o, x, sql);
	ts_strbuf_fini(sql);
}

/* --- figures ---------------------------------------------------------------------------------- */

/* Cycles of a compute set or program on a tile, as the row has them. */
static void
cycles_sql(const struct of *o, char *out, size_t size)
{
	const char *tile = o->tiles.tile;

	if (o->row->known == TS_WORK_PARTLY || o->all)
		snprintf(out, size,
			"tile_at(coalesce(cycles_by_tile, estimated_cycles_by_tile), %s)", tile);
	else
		snprintf(out, size, "tile_at(%s, %s)",
			o->row->known == TS_WORK_MEASURED ? "cycles_by_tile"
							  : "estimated_cycles_by_tile",
			tile);
}

static const char *
cycles_from(const struct of *o)
{
	return o->row->known == TS_WORK_PARTLY ? "cycles_by_tile, else estimated_cycles_by_tile"
		: o->row->known == TS_WORK_MEASURED ? "cycles_by_tile"
						    : "estimated_cycles_by_tile";
}

static struct ts_explained *
explain_cycles(const struct of *o, const char *what, int64_t value)
{
	struct ts_explained *x = ts_explain_add(o->out, "%s of %s", what, o->name);

	ts_explain_integer(x, value, "cycles");
	ts_explain_from(x,
		o->row->known == TS_WORK_MEASURED ? TS_KNOWN_MEASURED : TS_KNOWN_ESTIMATED, "%s.%s",
		o->k->relation, cycles_from(o));
	if (o->row->known == TS_WORK_PARTLY)
		ts_explain_note(x, "some are measured, the others estimated");
	return x;
}

static void
sum_of_cycles(const struct of *o)
{
	long long tiles = (long long)o->w->ask.of.count;
	struct ts_explained *x = explain_cycles(o, "cycles", o->row->cycles_sum);
	struct ts_strbuf sql;
	char cycles[160];

	if (tiles == 0)
		ts_explain_formula(x, "%s",
			o->all ? "sum of the numbers of the tile in the blobs"
			       : "number of the tile in the blob");
	else
		ts_explain_formula(x, "sum of the numbers of %lld tiles in the blob%s", tiles,
			o->all ? "s" : "");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	cycles_sql(o, cycles, sizeof(cycles));
	ts_strbuf_printf(&sql, "SELECT sum(%s) FROM %s%s WHERE %s", cycles, o->k->relation,
		o->tiles.join, o->only);
	take_query(o, x, &sql);
}

static void
slowest_cycles(const struct of *o)
{
	struct ts_explained *x = explain_cycles(o, "cycles of the slowest tile", o->row->cycles);
	struct ts_strbuf sql;
	char cycles[160];

	ts_explain_formula(x,
		o->all ? "sum over %s of the largest number of the %lld tiles"
		       : "the largest number of the %s%lld tiles in the blob",
		o->all ? o->k->rows : "", (long long)o->w->ask.of.count);
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	cycles_sql(o, cycles, sizeof(cycles));
	if (o->all)
		ts_strbuf_printf(&sql,
			"SELECT sum(most) FROM (SELECT max(%s) AS most FROM %s%s WHERE %s GROUP BY %s)",
			cycles, o->k->relation, o->tiles.join, o->only, o->k->key);
	else
		ts_strbuf_printf(&sql, "SELECT max(%s) FROM %s%s WHERE %s", cycles, o->k->relation,
			o->tiles.join, o->only);
	take_query(o, x, &sql);
}

static void
code_sql(const struct of *o, struct ts_strbuf *sql)
{
	if (o->w->kind == TS_WORK_EXCHANGES)
		ts_strbuf_printf(sql,
			"SELECT sum(tile_at(code_by_tile, %s)) FROM program%s WHERE %s",
			o->tiles.tile, o->tiles.join, o->only);
	else
		ts_strbuf_printf(sql, "SELECT sum(code_bytes) FROM tile_vertex WHERE %s AND %s",
			o->tiles.where, o->only);
}

static void
explain_code(const struct of *o)
{
	struct ts_explained *x = ts_explain_add(o->out, "code of %s", o->name);
	bool exchange = o->w->kind == TS_WORK_EXCHANGES;
	struct ts_strbuf sql;

	ts_explain_bytes(x, o->row->code, memory_units(o->t->host));
	ts_explain_from(x, TS_KNOWN_RECORDED,
		exchange ? "program.code_by_tile" : "tile_vertex.code_bytes");
	ts_explain_formula(x,
		o->w->ask.of.count == 0 ? "bytes on the tile" : "sum of the bytes on %lld tiles",
		(long long)o->w->ask.of.count);
	if (exchange)
		ts_explain_note(x,
			"exchanges share code: together they have more than the category");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	code_sql(o, &sql);
	take_query(o, x, &sql);
}

/* The category beside it, of which what is listed is a part. */
static void
explain_category(const struct of *o)
{
	const char *name, *end;
	int64_t bytes = memory_work_category(o->t, &name, &end);
	int64_t listed = o->w->kind == TS_WORK_EXCHANGES ? o->row->code : o->row->state;
	struct memory_scope_sql of;
	struct ts_explained *x;
	struct ts_strbuf sql;
	const char *why;

	if (bytes == TS_UNKNOWN)
		return;
	x = ts_explain_add(o->out, "%s of the tiles by category",
		o->w->kind == TS_WORK_EXCHANGES ? "exchange code" : "state of vertices");
	ts_explain_bytes(x, bytes, memory_units(o->t->host));
	ts_explain_from(x, TS_KNOWN_RECORDED,
		"tile_category.not_overlapped, tile_category.overlapped");
	if (listed != TS_UNKNOWN && listed < bytes)
		ts_explain_formula(x, "%lld bytes of it are listed; the rest is of no recorded %s",
			(long long)listed, o->w->kind == TS_WORK_EXCHANGES ? "program" : "vertex");
	if (!memory_scope_sql(o->t->host, &o->w->ask.of, &of, &why)) {
		ts_explain_note(x, "no query: %s", why);
		return;
	}
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&sql,
		"SELECT coalesce(sum(not_overlapped + coalesce(overlapped, 0)), 0) FROM tile_category "
		"WHERE %s AND category_name(category) GLOB '*%s'",
		of.where, end);
	ts_explain_query(x, "%s", sql.s);
	ts_strbuf_fini(&sql);
}

static void
explain_state(const struct of *o)
{
	struct ts_explained *x = ts_explain_add(o->out, "state of %s", o->name);
	bool one = !o->all && !o->family && o->row->vertices > 0;
	struct ts_strbuf sql;

	ts_explain_bytes(x, o->row->state, memory_units(o->t->host));
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"compute_set_vertex.count_by_tile, vertex_type.state_bytes");
	if (one)
		ts_explain_formula(x, "%lld vertices x %lld bytes", (long long)o->row->vertices,
			(long long)(o->row->state / o->row->vertices));
	else
		ts_explain_formula(x, "sum over vertex types of vertices x bytes of one");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&sql,
		"SELECT sum(tile_at(count_by_tile, %s) * state_bytes) FROM compute_set_vertex "
		"JOIN vertex_type USING (vertex_type)%s WHERE %s",
		o->tiles.tile, o->tiles.join, o->only);
	take_query(o, x, &sql);
}

static void
explain_vertices(const struct of *o)
{
	struct ts_explained *x = ts_explain_add(o->out, "vertices of %s", o->name);
	bool types = o->w->kind == TS_WORK_VERTICES;
	struct ts_strbuf sql;

	ts_explain_integer(x, o->row->vertices, "vertices");
	ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.count_by_tile");
	ts_explain_formula(x,
		o->all		? "sum over compute sets and vertex types"
			: types ? "sum over compute sets"
				: "sum over vertex types");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&sql,
		"SELECT sum(tile_at(count_by_tile, %s)) FROM compute_set_vertex%s WHERE %s",
		o->tiles.tile, o->tiles.join, o->only);
	take_query(o, x, &sql);
}

/* Of the cycles of all; of exchange code: of the memory of the tiles. */
static void
explain_share(const struct of *o)
{
	const struct memory_view *m = o->t->host;
	bool exchange = o->w->kind == TS_WORK_EXCHANGES;
	int64_t part = memory_work_part(o->w, o->row), whole = memory_work_whole(o->t);
	char cycles[160], all[160];
	struct ts_strbuf sql;
	struct of total = *o;

	if (part == TS_UNKNOWN || whole <= 0)
		return;
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	if (exchange) {
		ts_strbuf_puts(&sql, "SELECT 100.0 * (");
		code_sql(o, &sql);
		ts_strbuf_printf(&sql, ") / (SELECT sum(%s) FROM tile_memory WHERE %s)",
			m->gaps ? TS_EXPLAIN_USED : "total", o->tiles.where);
	} else {
		total.all = true;
		cycles_sql(o, cycles, sizeof(cycles));
		cycles_sql(&total, all, sizeof(all));
		ts_strbuf_printf(&sql,
			"SELECT 100.0 * (SELECT sum(%s) FROM %s%s WHERE %s) / (SELECT sum(%s) FROM %s%s)",
			cycles, o->k->relation, o->tiles.join, o->only, all, o->k->relation,
			o->tiles.join);
	}
	ts_explain_share(o->out, exchange ? "its share of the memory" : "its share of the cycles",
		part, whole,
		exchange ? "program.code_by_tile, tile_memory"
			 : "compute_set.cycles_by_tile, .estimated_cycles_by_tile",
		"");
	take_query(o, &o->out->figure[o->out->count - 1], &sql);
}

/* How many there are in the list. */
static void
explain_count(const struct of *o)
{
	struct ts_explained *x = ts_explain_add(o->out, "%s that are listed", o->k->rows);
	struct ts_strbuf sql;

	ts_explain_integer(x, (int64_t)o->w->work.count, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s", o->k->from);
	ts_explain_formula(x, "those with anything above 0 there");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&sql, "SELECT count(DISTINCT %s) FROM (", o->k->key);
	listed_sql(o, &sql);
	ts_strbuf_puts(&sql, ")");
	take_query(o, x, &sql);
}

/* How many compute sets have such vertices; of a family: of each type. */
static void
explain_sets(const struct of *o)
{
	struct ts_explained *x = ts_explain_add(o->out, "compute sets with %s", o->name);
	struct ts_strbuf sql;

	ts_explain_integer(x, o->row->sets, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.count_by_tile");
	if (o->family)
		ts_explain_formula(x, "sum over its vertex types: some may be the same");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&sql,
		"SELECT count(*) FROM (SELECT DISTINCT compute_set, vertex_type FROM "
		"compute_set_vertex%s WHERE tile_at(count_by_tile, %s) > 0 AND %s)",
		o->tiles.join, o->tiles.tile, o->only);
	take_query(o, x, &sql);
}

/* On how many of the tiles there is anything of it. */
static void
explain_tiles(const struct of *o)
{
	struct ts_explained *x = ts_explain_add(o->out, "selected tiles that have %s", o->name);
	struct ts_strbuf sql;

	ts_explain_integer(x, o->row->tiles, NULL);
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", o->k->from);
	ts_explain_formula(x,
		o->w->kind == TS_WORK_EXCHANGES
			? "numbers above 0"
			: "the most of any row of these, rows with other tiles are not added");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	ts_strbuf_puts(&sql, "SELECT max(n) FROM (");
	for (size_t i = 0; has_source(o, i); i++) {
		ts_strbuf_puts(&sql, i ? " UNION ALL SELECT count(*) " : "SELECT count(*) AS n ");
		source_sql(o, &o->k->source[i], &sql);
		ts_strbuf_printf(&sql, " AND %s GROUP BY %s", o->only, o->k->source[i].row);
	}
	ts_strbuf_puts(&sql, ")");
	take_query(o, x, &sql);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void
explain_figures(const struct of *o)
{
	const struct ts_work_row *r = o->row;
	bool several = o->w->ask.of.count > 0;

	if (r->cycles_sum != TS_UNKNOWN)
		sum_of_cycles(o);
	if (r->cycles != TS_UNKNOWN && several)
		slowest_cycles(o);
	if (r->code != TS_UNKNOWN)
		explain_code(o);
	if (!o->all && o->w->kind != TS_WORK_VERTICES)
		explain_share(o);
	if (r->state != TS_UNKNOWN)
		explain_state(o);
	if (r->vertices != TS_UNKNOWN)
		explain_vertices(o);
	if (!o->all && o->w->kind == TS_WORK_VERTICES)
		explain_sets(o);
	if (!o->all && several)
		explain_tiles(o);
	if (o->all) {
		explain_count(o);
		explain_category(o);
	}
}

/* The total of the rows that pass a filter. */
static void
explain_filtered(struct ts_explain *out, const struct ts_table *t)
{
	for (int i = 0; i < t->columns; i++) {
		const struct ts_column_facts *f = &t->facts[i];
		struct ts_explained *x;

		if (f->sum == TS_SUM_NONE)
			continue;
		x = ts_explain_add(out, "%s of the rows that match", f->name);
		if (f->sum == TS_SUM_BYTES)
			ts_explain_bytes(x, (int64_t)t->order->sum[i], t->units);
		else
			ts_explain_integer(x, (int64_t)t->order->sum[i], f->unit);
		ts_explain_from(x, TS_KNOWN_DERIVED, "the column %s of this table", f->name);
		ts_explain_formula(x, "sum over the %lld rows with %.200s",
			(long long)t->order->count, t->order->filter);
		ts_explain_note(x, "no query: the filter is one of this table");
	}
}

void
memory_work_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct work_tab *w = t->own;
	struct ts_table table = memory_work_table(t);
	const struct ts_work_row *r = w->ask.here ? memory_work_at_cursor(t) : NULL;
	struct of o;

	if (!w->ask.here)
		return;
	if (r) {
		o = of_row(out, t, r);
		explain_figures(&o);
	}
	if (table.order && table.order->filtered)
		explain_filtered(out, &table);
	o = of_row(out, t, &w->work.sum);
	explain_figures(&o);
	ts_explain_left_out(out, w->work.bad_rows, o.k->relation);
}
