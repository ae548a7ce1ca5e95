/* SPDX-License-Identifier: MIT */
/*
 * The fullest tiles and what is alive at a step, against SQL on random small reports: intervals that are empty,
 * reversed or overlap, variables of no interval, numbers that are missing or negative, equal sizes.
 */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "depth.h"
#include "../screen/report_dir.h"
#include "index_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/fullest.h"
#include "tilescope/report/largest.h"
#include "tilescope/report/peak_variables.h"

enum { SEEDS = 40, STEPS = 12, VARIABLES = 60, TILES = 30 };

static struct ts_err err;

struct world {
	char dir[REPORT_DIR], *path;
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *rd;
};

static uint64_t
draw(uint64_t *state, uint64_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state % below;
}

/* The first value of a query's first row: NULL is -1. */
static int64_t TS_PRINTF(2, 3) ask(const struct world *w, const char *fmt, ...)
{
	sqlite3_stmt *stmt;
	int64_t v = -1;
	char sql[2000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sql, sizeof(sql), fmt, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_prepare_v2(w->db, sql, -1, &stmt, NULL) == SQLITE_OK, "%s: %s", sql,
		sqlite3_errmsg(w->db));
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return v;
}

static void
open_profile(struct world *w, const char *profile)
{
	struct ts_report_options options = {0};

	ck_assert_msg(ts_report_open(&w->report, profile, &options, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&w->rd, w->report, &err), TS_OK);
	ck_assert_int_eq(sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* Types of variables, and IPUs of any size, stay as they stand: no profile has them. */
static void
open_world(struct world *w, const char *sql)
{
	char profile[2 * REPORT_DIR];

	memset(w, 0, sizeof(*w));
	report_dir_make(w->dir);
	report_dir_sql(w->dir, &w->path, "relations.db",
		"CREATE TABLE memory_category(category, name);"
		"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'stack'), (2, 'code');"
		"CREATE TABLE tile_memory(tile, total, total_gaps);"
		"CREATE TABLE lowered_variable(id, tile, name, bytes, category, class, always_live,"
		" element_type);"
		"CREATE TABLE class_interval(class, start, \"end\");"
		"CREATE TABLE variable(variable, name, bytes, always_live, element_type);"
		"CREATE TABLE liveness_variable(variable, start, end);");
	report_dir_sql(w->dir, &w->path, "relations.db", sql);
	snprintf(profile, sizeof(profile), "%s/profile.pop", w->dir);
	relations_as_they_are(w->path, profile);
	open_profile(w, profile);
}

static void
close_world(struct world *w)
{
	sqlite3_close(w->db);
	ts_reader_close(w->rd);
	ts_report_close(w->report);
	free(w->path);
	index_dir_remove(w->dir);
}

/* --- alive at a step -------------------------------------------------------------------------- */

static void
draw_variables(struct ts_strbuf *sql, uint64_t *state)
{
	static const char *const types[] = {"'float'", "'half'", "NULL", "'FLOAT'", "'int'",
		"'of our own'", "'one of a name that is too long for it'"};
	static const char *const sizes[] = {"0", "NULL", "-5", "'x'"};

	for (int i = 0; i < VARIABLES; i++) {
		char bytes[30];

		snprintf(bytes, sizeof(bytes), "%d", (int)draw(state, 20) * 10);
		ts_strbuf_printf(sql, "INSERT INTO variable VALUES(%d, 'v%d', %s, %d, %s);", i, i,
			draw(state, 9) ? bytes : sizes[draw(state, TS_COUNT(sizes))],
			draw(state, 4) == 0, types[draw(state, TS_COUNT(types))]);
		for (uint64_t k = draw(state, 3); k > 0; k--)
			ts_strbuf_printf(sql, "INSERT INTO liveness_variable VALUES(%d, %d, %d);",
				(int)draw(state, VARIABLES + 5), (int)draw(state, STEPS),
				(int)draw(state, STEPS + 1));
	}
}

#define GOOD "typeof(bytes) = 'integer' AND bytes >= 0"
#define ALIVE                                                                                     \
	"(always_live OR EXISTS (SELECT 1 FROM liveness_variable l WHERE l.variable = v.variable" \
	" AND l.start <= %d AND %d < l.\"end\"))"

/* All rows are those of the largest, where these are all; their sums, and the FP32 ones among them. */
static void
check_rows(const struct world *w, const struct ts_peak_variables *p, int step)
{
	struct ts_peak_rows *r;
	int64_t sum = 0, saves = 0;
	size_t half = 0;

	ck_assert_int_eq(ts_peak_rows_read(&r, w->rd, step, 1, NULL, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(r->count, p->largest.count);
	ck_assert_int_eq(r->named, r->count);
	for (size_t i = 0; i < r->count; i++) {
		const struct ts_peak_variable *v = &p->largest.row[i];

		ck_assert_int_eq(r->row[i].variable, v->variable);
		ck_assert_int_eq(r->row[i].bytes, v->bytes);
		ck_assert(r->row[i].always == v->always && r->row[i].fp32 == v->fp32);
		ck_assert_str_eq(ts_peak_row_name(r, &r->row[i]), v->name);
		ck_assert_pstr_eq(ts_peak_type_name(&r->types, r->row[i].type),
			ts_peak_type_name(&p->types, v->type));
		ck_assert_int_eq(r->row[i].so_far, sum += v->bytes);
		if (!v->fp32)
			continue;
		ck_assert_int_eq(r->half[half++], i);
		saves += v->bytes / 2;
	}
	ck_assert_int_eq(r->halves, half);
	ck_assert_int_eq(r->half_bytes, p->fp32.bytes);
	ck_assert_int_eq(r->half_saves, saves);
	for (int percent = 1; percent <= 100; percent += 9)
		ck_assert_int_eq(ts_peak_rows_share(r, ts_peak_bytes(p), percent),
			ts_peak_share(p, percent));
	ts_peak_rows_close(r);
}

/* What is recorded has its usual name, of which there may be several in a report. */
static void
check_types(const struct world *w, const struct ts_peak_variables *p, int step)
{
	static const char *const names[] = {"FP32", "FP16", "INT32", "of our own"};
	static const char *const recorded[] = {"'float'", "'half'", "'int'", "'of our own'"};

	for (size_t k = 0; k < TS_COUNT(names); k++) {
		int64_t n = 0;

		for (int i = 0; i < p->largest.count; i++) {
			const char *type = ts_peak_type_name(&p->types, p->largest.row[i].type);

			n += type && strcmp(type, names[k]) == 0;
		}
		ck_assert_int_eq(n,
			ask(w,
				"SELECT count(*) FROM variable v WHERE " GOOD " AND " ALIVE
				" AND lower(element_type) = %s",
				step, step, recorded[k]));
	}
	ck_assert_ptr_null(ts_peak_type_name(&p->types, 0));
	ck_assert_ptr_null(ts_peak_type_name(&p->types, p->types.count + 1));
}

static void
check_step(const struct world *w, int step)
{
	struct ts_peak_variables p;
	int64_t whole, sum = 0, k = 0;

	ck_assert_int_eq(ts_peak_variables_read(&p, w->rd, step, 1, NULL, NULL, &err), TS_OK);
	ck_assert(p.has_lives && p.has_types && p.has_names && !p.partial);
	ck_assert_int_eq(p.always.bytes,
		ask(w, "SELECT ifnull(sum(bytes), 0) FROM variable WHERE always_live AND " GOOD));
	whole = ask(w, "SELECT ifnull(sum(bytes), 0) FROM variable v WHERE " GOOD " AND " ALIVE,
		step, step);
	ck_assert_int_eq(ts_peak_bytes(&p), whole);
	ck_assert_int_eq(p.always.count + p.alive.count,
		ask(w, "SELECT count(*) FROM variable v WHERE " GOOD " AND " ALIVE, step, step));
	ck_assert_int_eq(p.fp32.bytes,
		ask(w,
			"SELECT ifnull(sum(bytes), 0) FROM variable v WHERE " GOOD " AND " ALIVE
			" AND lower(element_type) = 'float'",
			step, step));
	ck_assert_int_eq(p.most.bytes, ask(w, "SELECT max(bytes) FROM variable WHERE " GOOD));
	ck_assert_int_eq(p.bad_rows,
		ask(w, "SELECT count(*) FROM variable WHERE NOT (" GOOD ") OR bytes IS NULL"));
	for (int i = 0; i < p.largest.count; i++) {
		char name[20];

		snprintf(name, sizeof(name), "v%" PRId64, p.largest.row[i].variable);
		ck_assert_str_eq(p.largest.row[i].name, name);
		ck_assert(i == 0 || p.largest.row[i].bytes <= p.largest.row[i - 1].bytes);
		if (sum * 2 < whole)
			k++;
		sum += p.largest.row[i].bytes;
	}
	ck_assert_int_eq(sum, whole); /* the list has all of them here */
	ck_assert_int_eq(ts_peak_share(&p, 50), k);
	for (int i = 0; i < p.halves.count; i++)
		ck_assert(p.halves.row[i].fp32);
	check_rows(w, &p, step);
	check_types(w, &p, step);
	ts_peak_variables_fini(&p);
}

START_TEST(alive_against_sql)
{
	uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(_i + 1);
	struct ts_peak_variables p;
	struct ts_strbuf sql;
	struct world w;

	ts_strbuf_init(&sql, 1 << 20);
	draw_variables(&sql, &state);
	open_world(&w, sql.s);
	ts_strbuf_fini(&sql);
	for (int step = 0; step <= STEPS; step += 3)
		check_step(&w, step);
	ck_assert_int_eq(ts_peak_variables_read(&p, w.rd, TS_UNKNOWN, 1, NULL, NULL, &err), TS_OK);
	ck_assert(!p.has_lives && p.alive.count == 0);
	ts_peak_variables_fini(&p);
	close_world(&w);
}
END_TEST

/* More than the list of the largest has, and more names than are kept: those of the largest, in whatever order they come. */
START_TEST(all_rows)
{
	static const char *const bytes[] = {"i % 1000", "i / 80", "999 - i / 80"};
	struct ts_peak_rows *r;
	struct world w;
	char sql[400];

	snprintf(sql, sizeof(sql),
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79999) INSERT INTO "
		"variable SELECT i, printf('%%01000d', i), %s, 1, iif(i %% 2, 'float', 'half') FROM n;",
		bytes[_i]);
	open_world(&w, sql);
	ck_assert_int_eq(ts_peak_rows_read(&r, w.rd, 3, 1, NULL, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(r->count, 80000);
	ck_assert_int_eq(r->halves, 40000);
	ck_assert_int_eq(r->pile[2].used <= TS_PEAK_TEXT, 1);
	ck_assert_int_eq(r->row[0].bytes, 999);
	ck_assert_int_eq(r->row[r->count - 1].so_far, 80 * INT64_C(499500));
	ck_assert_int_ge(r->named, TS_PEAK_TEXT / 2 / 1001);
	ck_assert_int_lt(r->named, r->count);
	for (size_t i = 0; i < r->named; i++) {
		const char *name = ts_peak_row_name(r, &r->row[i]);

		ck_assert_ptr_nonnull(name);
		ck_assert_int_eq(strlen(name), 1000);
		ck_assert_int_eq(atoll(name), r->row[i].variable);
		if (i > 0 && r->row[i].bytes == r->row[i - 1].bytes) /* as they stand */
			ck_assert_int_lt(r->row[i - 1].variable, r->row[i].variable);
	}
	ck_assert_ptr_null(ts_peak_row_name(r, &r->row[r->named]));
	ck_assert_ptr_null(ts_peak_row_name(r, &r->row[r->count - 1]));
	ts_peak_rows_close(r);
	close_world(&w);
	open_world(&w, "DROP TABLE variable;");
	ck_assert_int_eq(ts_peak_rows_read(&r, w.rd, 3, 1, NULL, NULL, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_null(r);
	close_world(&w);
}
END_TEST

START_TEST(alive_of_nothing)
{
	struct ts_peak_variables p;
	struct world w;

	open_world(&w, "DROP TABLE liveness_variable;");
	ck_assert_int_eq(ts_peak_variables_read(&p, w.rd, 3, 1, NULL, NULL, &err), TS_OK);
	ck_assert(!p.has_lives && p.largest.count == 0 && p.most.bytes == TS_UNKNOWN);
	ck_assert_int_eq(ts_peak_share(&p, 50), 0);
	ts_peak_variables_fini(&p);
	close_world(&w);
	open_world(&w, "DROP TABLE variable;");
	ck_assert_int_eq(ts_peak_variables_read(&p, w.rd, 3, 1, NULL, NULL, &err), TS_E_ABSENT);
	ts_peak_variables_fini(&p);
	close_world(&w);
	open_world(&w,
		"INSERT INTO variable VALUES(1, 'a', 4611686018427387904, 1, 'float'),"
		"(2, 'b', 4611686018427387904, 1, 'float'), (3, 'c', 4611686018427387905, 1, 'float');"
		"INSERT INTO liveness_variable VALUES(1, 9, 2), (NULL, 1, 2), (1, -3, 8);");
	ck_assert_int_eq(ts_peak_variables_read(&p, w.rd, 3, 1, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_peak_sum_bytes(&p.always), TS_UNKNOWN);
	ck_assert_int_eq(ts_peak_sum_bytes(&p.alive), 0);
	ck_assert_int_eq(ts_peak_bytes(&p), TS_UNKNOWN);
	ck_assert_int_eq(p.bad_rows, 3);
	ts_peak_variables_fini(&p);
	close_world(&w);
}
END_TEST

/* --- the fullest tiles ------------------------------------------------------------------------ */

static void
draw_tiles(struct ts_strbuf *sql, uint64_t *state)
{
	int tiles = 1 + (int)draw(state, TILES);

	for (int t = 0; t < tiles; t++)
		ts_strbuf_printf(sql, "INSERT INTO tile_memory VALUES(%d, %d, %d);", t,
			(int)draw(state, 9) * 100, 1000 + (int)draw(state, 5) * 100);
	for (int i = 0; i < 6 * tiles; i++)
		ts_strbuf_printf(sql,
			"INSERT INTO lowered_variable VALUES(%d, %d, 'n%d', %d, %d, %d, %d, %s);",
			i, i * tiles / (6 * tiles), (int)draw(state, 4), (int)draw(state, 50) * 4,
			(int)draw(state, 3), (int)draw(state, 9), draw(state, 4) == 0,
			draw(state, 2) ? "'float'" : "'half'");
	for (int i = 0; i < 20; i++)
		ts_strbuf_printf(sql, "INSERT INTO class_interval VALUES(%d, %d, %d);",
			(int)draw(state, 9), (int)draw(state, STEPS), (int)draw(state, STEPS + 3));
}

static void
check_tile(const struct world *w, const struct ts_fullest *f, const struct ts_full_tile *t)
{
	int64_t most = ask(w,
		"SELECT max(d) FROM (SELECT sum(CASE tile WHEN %" PRId64
		" THEN bytes ELSE -bytes END)"
		" d FROM lowered_variable WHERE tile IN (%" PRId64 ", %" PRId64
		") GROUP BY category)",
		t->tile, t->tile, f->median_tile);

	if (t->tile == f->median_tile)
		most = 0;
	ck_assert_int_eq(t->category ? t->category_bytes - t->category_median : 0,
		most > 0 ? most : 0);
	if (!t->category)
		return;
	ck_assert_int_eq(t->category_bytes,
		ask(w,
			"SELECT sum(bytes) FROM lowered_variable JOIN memory_category c USING (category)"
			" WHERE tile = %" PRId64 " AND c.name = '%s'",
			t->tile, t->category));
	most = ask(w,
		"SELECT max(d) FROM (SELECT sum(CASE tile WHEN %" PRId64
		" THEN bytes ELSE -bytes END)"
		" d FROM lowered_variable v JOIN memory_category c USING (category) WHERE tile IN"
		" (%" PRId64 ", %" PRId64 ") AND c.name = '%s' GROUP BY v.name)",
		t->tile, t->tile, f->median_tile, t->category);
	ck_assert_ptr_nonnull(t->variable);
	ck_assert_int_eq(t->variable_bytes - t->variable_median, most);
}

#define LIVES                                                                                    \
	"(ifnull(always_live, 0) OR class IN (SELECT class FROM class_interval WHERE start <= s" \
	" AND s < \"end\"))"

/* FP32 at the tile's own peak: the first step with most that is not always live. */
static void
check_fp32(const struct world *w, const struct ts_full_tile *t)
{
	int64_t step = ask(w,
		"WITH RECURSIVE t(s) AS (SELECT 0 UNION ALL SELECT s + 1 FROM t WHERE s < %d) SELECT s"
		" FROM (SELECT s, (SELECT sum(bytes) FROM lowered_variable WHERE tile = %" PRId64
		" AND NOT always_live AND " LIVES
		") b FROM t) WHERE b > 0 ORDER BY b DESC, s LIMIT 1",
		STEPS + 3, t->tile);

	ck_assert(t->has_fp32);
	ck_assert_int_eq(t->peak_step, step);
	/* what is live then, with what is always live: not recorded here, so its variables */
	if (t->live != TS_UNKNOWN)
		ck_assert_int_eq(t->live,
			ask(w,
				"SELECT ifnull(sum(bytes), 0) FROM lowered_variable, (SELECT %" PRId64
				" s) WHERE tile = %" PRId64 " AND " LIVES,
				step, t->tile));
	else
		ck_assert_int_eq(
			ask(w, "SELECT count(*) FROM lowered_variable WHERE tile = %" PRId64,
				t->tile),
			0);
	ck_assert_int_eq(t->fp32_bytes,
		ask(w,
			"SELECT ifnull(sum(bytes), 0) FROM lowered_variable, (SELECT %" PRId64 " s)"
			" WHERE tile = %" PRId64 " AND element_type = 'float' AND " LIVES,
			step, t->tile));
}

START_TEST(fullest_against_sql)
{
	uint64_t state = 0xd1b54a32d192ed03u * (uint64_t)(_i + 1);
	struct ts_categories categories;
	struct ts_tiles tiles;
	struct ts_fullest f;
	struct ts_strbuf sql;
	struct world w;

	ts_strbuf_init(&sql, 1 << 20);
	draw_tiles(&sql, &state);
	open_world(&w, sql.s);
	ts_strbuf_fini(&sql);
	ck_assert_int_eq(ts_tiles_read(&tiles, w.rd, &err), TS_OK);
	ck_assert_int_eq(ts_categories_read(&categories, w.rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_fullest_read(&f, w.rd, &tiles, &categories, &err), TS_OK);
	ck_assert_int_eq(f.count, tiles.count < TS_FULLEST ? (int)tiles.count : TS_FULLEST);
	ck_assert_int_eq(f.median_tile,
		ask(&w,
			"SELECT tile FROM tile_memory ORDER BY total_gaps, tile LIMIT 1 OFFSET"
			" (SELECT (count(*) - 1) / 2 FROM tile_memory)"));
	ck_assert(f.looked);
	for (int i = 0; i < f.count; i++) {
		ck_assert_int_eq(f.tile[i].tile,
			ask(&w,
				"SELECT tile FROM tile_memory ORDER BY total_gaps DESC, tile"
				" LIMIT 1 OFFSET %d",
				i));
		check_tile(&w, &f, &f.tile[i]);
		check_fp32(&w, &f.tile[i]);
	}
	ts_fullest_fini(&f);
	ts_categories_fini(&categories);
	ts_tiles_fini(&tiles);
	close_world(&w);
}
END_TEST

/* --- the largest things ----------------------------------------------------------------------- */

#define NO_CODE "(name IS NULL OR name NOT IN (SELECT name FROM memory_category))"

/* Is tile t of a scope, with so many tiles an IPU? */
static bool
in_scope(const struct ts_largest *l, int scope, int64_t t, int per)
{
	return scope == TS_LARGE_MODEL || (scope == TS_LARGE_TILE && t == l->tile) ||
		(scope >= TS_LARGE_IPU && t / per == scope - TS_LARGE_IPU);
}

/* The largest sum of blobs over the tiles of a scope: of rows with one id, times a factor. */
static int64_t
largest_blobs(const struct world *w, const struct ts_largest *l, int scope, int per,
	const char *sql)
{
	int64_t best = TS_UNKNOWN, sum = 0, id = -1, times = 0;
	sqlite3_stmt *st;

	ck_assert_int_eq(sqlite3_prepare_v2(w->db, sql, -1, &st, NULL), SQLITE_OK);
	for (bool more = true; more;) {
		more = sqlite3_step(st) == SQLITE_ROW;
		if (!more || sqlite3_column_int64(st, 0) != id) {
			best = sum * times > 0 && sum * times > best ? sum * times : best;
			sum = 0;
		}
		if (!more)
			break;
		id = sqlite3_column_int64(st, 0);
		times = sqlite3_column_int64(st, 1);
		for (int t = 0; t < sqlite3_column_bytes(st, 2) / 4; t++) {
			const unsigned char *b = (const unsigned char *)sqlite3_column_blob(st, 2) +
				4 * t;

			if (in_scope(l, scope, t, per))
				sum += (int64_t)(b[0] | b[1] << 8 | b[2] << 16) +
					((int64_t)b[3] << 24);
		}
	}
	sqlite3_finalize(st);
	return best;
}

START_TEST(largest_against_sql)
{
	const int ipus = _i % 2 ? 2 : 20, per = ipus == 2 ? 24 : 6;
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.layout = TS_DEMO_PROFILE,
		.ipus = ipus,
		.tiles = per,
		.steps = 100,
		.variables = 1500,
		.seed = (uint64_t)_i};
	struct ts_insight_facts facts;
	struct ts_largest l;
	struct world w = {.path = malloc(2 * REPORT_DIR)};
	char *profile = NULL;

	report_dir_make(w.dir);
	report_dir_demo(w.dir, &profile, &o);
	ck_assert_ptr_nonnull(w.path);
	snprintf(w.path, 2 * REPORT_DIR, "%s/relations.db", w.dir);
	profile_relations(profile, w.path);
	open_profile(&w, profile);
	free(profile);
	ck_assert_int_eq(ts_insight_facts_read(&facts, w.rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_largest_read(&l, w.rd, &facts, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(l.ipus, ipus);
	ck_assert(!l.more && !l.partial);
	ck_assert_int_eq(l.one[TS_LARGE_MODEL][TS_LARGE_VERTEX_CODE].bytes,
		ask(&w,
			"SELECT max(s) FROM (SELECT sum(code_bytes) s FROM tile_vertex GROUP BY"
			" vertex_type)"));
	ck_assert_int_eq(l.one[TS_LARGE_TILE][TS_LARGE_VERTEX_CODE].bytes,
		ask(&w, "SELECT max(code_bytes) FROM tile_vertex WHERE tile = %" PRId64, l.tile));
	ck_assert_int_eq(l.one[TS_LARGE_MODEL][TS_LARGE_VARIABLE].bytes,
		ask(&w, "SELECT max(bytes) FROM variable WHERE NOT always_live OR " NO_CODE));
	ck_assert_int_eq(l.one[TS_LARGE_TILE][TS_LARGE_VARIABLE].bytes,
		ask(&w,
			"SELECT max(bytes) FROM lowered_variable WHERE tile = %" PRId64
			" AND " NO_CODE,
			l.tile));
	for (int i = 0; i < l.ipus; i++) {
		ck_assert_int_eq(l.one[TS_LARGE_IPU + i][TS_LARGE_VERTEX_CODE].bytes,
			ask(&w,
				"SELECT max(s) FROM (SELECT sum(code_bytes) s FROM tile_vertex WHERE"
				" tile / %d = %d GROUP BY vertex_type)",
				per, i));
		ck_assert_int_eq(l.one[TS_LARGE_IPU + i][TS_LARGE_VARIABLE].bytes,
			ask(&w, "SELECT max(bytes) FROM lowered_variable WHERE tile / %d = %d AND " NO_CODE,
				per, i));
	}
	for (int i = 0; i < TS_LARGE_IPU + l.ipus; i++) {
		ck_assert_int_eq(l.one[i][TS_LARGE_VERTEX_STATE].bytes,
			largest_blobs(&w, &l, i, per,
				"SELECT vertex_type, state_bytes, count_by_tile FROM compute_set_vertex"
				" JOIN vertex_type USING (vertex_type) WHERE count_by_tile NOT NULL"
				" ORDER BY vertex_type"));
		ck_assert_int_eq(l.one[i][TS_LARGE_EXCHANGE_CODE].bytes,
			largest_blobs(&w, &l, i, per,
				"SELECT program, 1, code_by_tile FROM program WHERE code_by_tile NOT NULL"));
		if (l.one[i][TS_LARGE_VERTEX_CODE].bytes > 0)
			ck_assert_ptr_nonnull(l.one[i][TS_LARGE_VERTEX_CODE].name);
	}
	ts_largest_fini(&l);
	ts_insight_facts_fini(&facts);
	close_world(&w);
}
END_TEST

/* --- the largest of random reports ------------------------------------------------------------- */

enum { L_TILES = 18, L_IPUS = 4, L_ROWS = 150, L_TYPES = 5, L_PROGRAMS = 6 };

/* What was written, and what of it counts: below 0 = no number. */
struct drawn {
	int ipu[L_TILES];			  /* as the relation says; or none: -1 */
	int64_t row[L_ROWS][2];			  /* tile, bytes */
	bool code[L_ROWS];			  /* named as a category */
	int64_t blob[2][L_PROGRAMS][L_TILES + 3]; /* exchanges; vertices of a type */
	int64_t state[L_TYPES], vertex_code[L_TYPES][L_TILES];
};

static const char *
text_of(char out[32], int64_t v)
{
	if (v < 0)
		return v == -1 ? "NULL" : "'x'";
	snprintf(out, 32, "%" PRId64, v);
	return out;
}

/* IPUs of other sizes than a division would give; the last tiles are of none. */
static void
draw_ipus(struct ts_strbuf *sql, struct drawn *d, uint64_t *state)
{
	int first = 0;

	ts_strbuf_puts(sql, "CREATE TABLE ipu(ipu, replica, first_tile, tile_count);");
	for (int t = 0; t < L_TILES; t++) {
		d->ipu[t] = -1;
		ts_strbuf_printf(sql, "INSERT INTO tile_memory VALUES(%d, %d, %d);", t,
			(int)draw(state, 100), 100 + (int)draw(state, 9));
	}
	for (int u = 0; u < L_IPUS; u++) {
		int n = (int)draw(state, 6);

		ts_strbuf_printf(sql, "INSERT INTO ipu VALUES(%d, 0, %d, %d);", u, first, n);
		for (int t = first; t < first + n && t < L_TILES; t++)
			d->ipu[t] = u;
		first += n;
	}
}

static void
draw_rows(struct ts_strbuf *sql, struct drawn *d, uint64_t *state, bool categories)
{
	static const char *const names[] = {"'code'", "'stack'", "'w'", "NULL", "'x/y'"};
	char text[2][32];

	for (int i = 0; i < L_ROWS; i++) {
		int name = (int)draw(state, 5);

		d->code[i] = name < 2;
		d->row[i][0] = draw(state, 20) ? (int64_t)draw(state, L_TILES) : -1;
		d->row[i][1] = draw(state, 15)
			? (int64_t)draw(state, 40) * (draw(state, 30) ? 1 : INT64_C(1) << 50)
			: -1 - (int64_t)draw(state, 2);
		/* code stands in its category, and nothing else does */
		ts_strbuf_printf(sql,
			"INSERT INTO lowered_variable VALUES(%d, %s, %s, %s, %s, 0, 0, NULL);", i,
			text_of(text[0], d->row[i][0]), names[name], text_of(text[1], d->row[i][1]),
			!categories	    ? "NULL"
				: name == 0 ? "2"
				: name == 1 ? "1"
					    : "0");
	}
}

static void
draw_blob(struct ts_strbuf *sql, int64_t *v, uint64_t *state)
{
	int n = (int)draw(state, L_TILES + 3);

	ts_strbuf_puts(sql, "X'");
	for (int t = 0; t < n; t++) {
		int x = draw(state, 3) ? 0 : (int)draw(state, 250);

		v[t] = x;
		ts_strbuf_printf(sql, "%02x000000", (unsigned)x);
	}
	ts_strbuf_puts(sql, "'");
}

static void
draw_work(struct ts_strbuf *sql, struct drawn *d, uint64_t *state)
{
	char text[32];

	ts_strbuf_puts(sql,
		"CREATE TABLE program(program, type, name, code_by_tile);"
		"CREATE TABLE compute_set_vertex(compute_set, vertex_type, instances, count_by_tile);"
		"CREATE TABLE vertex_type(vertex_type, name, state_bytes);"
		"CREATE TABLE tile_vertex(tile, vertex_type, code_bytes);");
	for (int i = 0; i < L_PROGRAMS; i++) {
		ts_strbuf_printf(sql, "INSERT INTO program VALUES(%d, 'DoExchange', 'p%d', ",
			10 - i, i);
		draw_blob(sql, d->blob[0][i], state);
		ts_strbuf_printf(sql, "); INSERT INTO compute_set_vertex VALUES(0, %d, 1, ",
			i % L_TYPES);
		draw_blob(sql, d->blob[1][i], state);
		ts_strbuf_puts(sql, ");");
	}
	for (int i = 0; i < L_TYPES; i++) {
		d->state[i] = draw(state, 4) ? (int64_t)draw(state, 9) : -1;
		if (i + 1 < L_TYPES) /* of the last one nobody says anything */
			ts_strbuf_printf(sql, "INSERT INTO vertex_type VALUES(%d, 't%d', %s);", i,
				i, text_of(text, d->state[i]));
		else
			d->state[i] = -1;
		for (int t = 0; t < L_TILES; t++) {
			d->vertex_code[i][t] = draw(state, 3) ? 0 : (int64_t)draw(state, 50);
			ts_strbuf_printf(sql, "INSERT INTO tile_vertex VALUES(%d, %d, %d);", t, i,
				(int)d->vertex_code[i][t]);
		}
	}
}

static bool
scope_has(const struct ts_largest *l, const struct drawn *d, int scope, int tile)
{
	return scope == TS_LARGE_MODEL || (scope == TS_LARGE_TILE && tile == l->tile) ||
		(scope >= TS_LARGE_IPU && d->ipu[tile] == scope - TS_LARGE_IPU);
}

static int64_t
largest_of(const struct ts_largest *l, const struct drawn *d, int scope, enum ts_large_kind kind)
{
	int64_t best = 0;

	for (int i = 0; i < L_ROWS && kind == TS_LARGE_VARIABLE; i++)
		if (!d->code[i] && d->row[i][0] >= 0 && d->row[i][1] >= 0 &&
			scope_has(l, d, scope, (int)d->row[i][0]))
			best = ts_max_i64(best, d->row[i][1] + 1);
	if (kind == TS_LARGE_VARIABLE)
		return best - 1;
	for (int i = 0; i < L_PROGRAMS; i++) {
		int64_t sum = 0;

		for (int t = 0; t < L_TILES; t++) {
			if (!scope_has(l, d, scope, t))
				continue;
			if (kind == TS_LARGE_EXCHANGE_CODE)
				sum += d->blob[0][i][t];
			else if (kind == TS_LARGE_VERTEX_CODE)
				sum += i < L_TYPES ? d->vertex_code[i][t] : 0;
			else if (i < L_TYPES && d->state[i] >= 0) /* two rows of the first type */
				sum += d->state[i] *
					(d->blob[1][i][t] + (i == 0 ? d->blob[1][L_TYPES][t] : 0));
		}
		best = ts_max_i64(best, sum);
	}
	return best > 0 ? best : TS_UNKNOWN;
}

static void
check_largest(const struct ts_largest *l, const struct drawn *d)
{
	for (int scope = 0; scope < TS_LARGE_IPU + l->ipus; scope++)
		for (int kind = 0; kind < TS_LARGE_KINDS; kind++)
			if (kind != TS_LARGE_VARIABLE || scope >= TS_LARGE_IPU)
				ck_assert_msg(l->one[scope][kind].bytes ==
						largest_of(l, d, scope, (enum ts_large_kind)kind),
					"scope %d, %s: %lld, not %lld", scope,
					ts_large_kind_name((enum ts_large_kind)kind),
					(long long)l->one[scope][kind].bytes,
					(long long)largest_of(l, d, scope,
						(enum ts_large_kind)kind));
}

/* Rows that are not there, or not there to be asked for: nothing crashes, figures may be false. */
static void
alter_largest(const struct index_dir *to, const struct ts_report *r, int ipus)
{
	const int64_t head[2] = {ipus, 16}, rows[] = {INT64_MAX, INT64_MIN, -7, 5, 1 << 20};
	struct ts_section_writer *w;

	ck_assert_int_eq(ts_section_create(&w, &to->c, r, TS_SECTION_LARGEST, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, head, sizeof(head), &err), TS_OK);
	for (int i = 0; i < ipus; i++)
		ck_assert_int_eq(ts_section_append(w, NULL, &rows[i % 5], sizeof(*rows), &err),
			TS_OK);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
}

START_TEST(largest_of_random_reports)
{
	uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(_i + 1);
	struct ts_insight_facts facts;
	struct index_dir kept;
	struct ts_largest l;
	struct ts_strbuf sql;
	struct world w;
	struct drawn d;
	int last = -1;

	memset(&d, 0, sizeof(d));
	ts_strbuf_init(&sql, 1 << 20);
	draw_ipus(&sql, &d, &state);
	draw_rows(&sql, &d, &state, _i % 2);
	draw_work(&sql, &d, &state);
	open_world(&w, sql.s);
	ts_strbuf_fini(&sql);
	for (int t = 0; t < L_TILES; t++)
		last = d.ipu[t] > last ? d.ipu[t] : last;
	index_dir_begin(&kept);
	ck_assert_int_eq(ts_insight_facts_read(&facts, w.rd, NULL, &err), TS_OK);
	/* by passes; the same and kept; as it was kept; as somebody else has altered it */
	for (int time = 0; time < 4; time++) {
		if (time == 3)
			alter_largest(&kept, w.report, last + 1);
		ck_assert_int_eq(ts_largest_read(&l, w.rd, &facts, time > 0 ? &kept.c : NULL, NULL,
					 &err),
			TS_OK);
		ck_assert_int_eq(l.ipus, last + 1);
		ck_assert_int_eq(index_dir_count(&kept, w.report, "largest.idx"),
			time > 0 && (time == 3 || !l.partial));
		if (time < 3)
			check_largest(&l, &d);
		ts_largest_fini(&l);
	}
	index_dir_end(&kept);
	ts_insight_facts_fini(&facts);
	close_world(&w);
}
END_TEST

/* No range ends behind the largest row id that there is: that row is left out, and it is said. */
START_TEST(largest_in_the_last_row)
{
	struct ts_insight_facts facts;
	struct ts_largest l;
	struct world w;

	open_world(&w,
		"CREATE TABLE ipu(ipu, replica, first_tile, tile_count);"
		"INSERT INTO ipu VALUES(0, 0, 0, 1), (1, 0, 1, 1);"
		"INSERT INTO tile_memory VALUES(0, 90, 90), (1, 80, 80);"
		"INSERT INTO lowered_variable(rowid, id, tile, name, bytes, category)"
		" VALUES(1, 0, 0, 'a', 10, 0), (2, 1, 1, 'b', 20, 0),"
		" (9223372036854775807, 2, 1, 'c', 30, 0);");
	ck_assert_int_eq(ts_insight_facts_read(&facts, w.rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_largest_read(&l, w.rd, &facts, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(l.ipus, 2);
	ck_assert_int_eq(l.one[TS_LARGE_IPU][TS_LARGE_VARIABLE].bytes, 10);
	ck_assert_int_eq(l.one[TS_LARGE_IPU + 1][TS_LARGE_VARIABLE].bytes, 20);
	ck_assert(l.partial);
	ts_largest_fini(&l);
	ts_insight_facts_fini(&facts);
	close_world(&w);
}
END_TEST

/* --- the largest of many ---------------------------------------------------------------------- */

START_TEST(top_of_many)
{
	uint64_t state = 0x2545f4914f6cdd1du * (uint64_t)(_i + 1);
	int64_t value[200];
	int slot[20], n = (int)draw(&state, 200), cap = (int)draw(&state, 20);
	struct ts_top t;

	ck_assert(ts_top_init(&t, cap));
	for (int i = 0; i < n; i++) {
		int at;

		value[i] = (int64_t)draw(&state, 30);
		at = ts_top_offer(&t, value[i], i);
		if (at >= 0)
			slot[at] = i;
	}
	ts_top_sort(&t);
	ck_assert_int_eq(t.count, n < cap ? n : cap);
	for (int i = 0; i < t.count; i++) {
		int before = 0, self = slot[t.entry[i].slot];

		ck_assert_int_eq(t.entry[i].value, value[self]);
		for (int j = 0; j < n; j++)
			before += value[j] > value[self] || (value[j] == value[self] && j < self);
		ck_assert_int_eq(before, i);
	}
	ts_top_fini(&t);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("insight_figures");
	TCase *t = tcase_create("insight_figures");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, alive_against_sql, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, all_rows, 0, sample_of(3));
	tcase_add_test(t, alive_of_nothing);
	tcase_add_loop_test(t, fullest_against_sql, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, largest_against_sql, 1, 4);
	tcase_add_loop_test(t, largest_of_random_reports, 0, sample_of(SEEDS));
	tcase_add_test(t, largest_in_the_last_row);
	tcase_add_loop_test(t, top_of_many, 0, SEEDS);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
