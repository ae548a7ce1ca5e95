/* SPDX-License-Identifier: MIT */
/*
 * Breakdowns of tiles' memory: every part of every tile against sums worked out row by row from the relations as
 * SQL gives them, for a demo's report and for small random ones with all that rows may hold; in pieces of
 * any size the same; what a report lacks, and expressions that are none.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "damage.h"
#include "world.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/breakdown.h"
#include "tilescope/report/query.h"

static struct ts_err err;

static void
begin_demo(struct world *w)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.layout = TS_DEMO_PROFILE,
		.seed = 5,
		.tiles = 64,
		.variables = 6000};

	begin_world(w, &o);
}

/* --- the slow way ------------------------------------------------------------------------------- */

enum { CELLS = 20000, PART = 100 };

struct slow {
	int n;
	struct {
		int64_t tile, bytes;
		char part[PART];
		bool seen;
	} cell[CELLS];
};

static void
slow_add(struct slow *s, int64_t tile, const char *part, int64_t bytes)
{
	int i = s->n - 1;

	while (i >= 0 && (s->cell[i].tile != tile || strcmp(s->cell[i].part, part) != 0))
		i--;
	if (i < 0) {
		ck_assert_int_lt(s->n, CELLS);
		i = s->n++;
		s->cell[i].tile = tile;
		snprintf(s->cell[i].part, PART, "%s", part);
	}
	s->cell[i].bytes += bytes;
}

/* "layer 3" of a name, without regular expressions: (?:^|/)(?:layer|blocks|encoder)[/_.]?(\d+), letters of any case */
static void
slow_layer(char out[PART], const char *name)
{
	static const char *const words[] = {"layer", "blocks", "encoder"};

	snprintf(out, PART, TS_NO_LAYER);
	for (const char *at = name; *at; at++)
		for (size_t i = 0; i < TS_COUNT(words) && (at == name || at[-1] == '/'); i++) {
			const char *s = at + strlen(words[i]);
			size_t digits;

			if (strncasecmp(at, words[i], strlen(words[i])) != 0)
				continue;
			s += *s && strchr("/_.", *s);
			digits = strspn(s, "0123456789");
			if (digits > 0) {
				snprintf(out, PART, "layer %.*s", (int)digits, s);
				return;
			}
		}
}

/* "a::B" of "a__B___c", of "a::B<c>" */
static void
slow_family(char out[PART], const char *name)
{
	const char *end = strstr(name, "___") ? strstr(name, "___") : strchr(name, '<');
	size_t k = 0;

	end = end ? end : name + strlen(name);
	for (const char *s = name; s < end; s++) {
		if (s[0] == '_' && s + 1 < end && s[1] == '_') {
			out[k++] = ':';
			out[k++] = ':';
			s++;
		} else {
			out[k++] = *s;
		}
	}
	out[k] = '\0';
}

/* Rows (tile, text, bytes) of a statement; the text is the part, or what it is made of. */
static void
slow_read(struct slow *s, const struct world *w, const char *sql,
	void (*part)(char *, const char *))
{
	struct ts_query *q;
	bool row;

	ck_assert_int_eq(ts_query_open(&q, w->report, &err), TS_OK);
	ck_assert_msg(ts_query_prepare(q, sql, 0, &err) == TS_OK, "%s: %s", sql, err.msg);
	while (ts_query_step(q, &row, &err) == TS_OK && row) {
		struct ts_sql_value tile, text, bytes;
		char is[8000], name[PART];

		ts_query_value(&tile, q, 0);
		ts_query_value(&text, q, 1);
		ts_query_value(&bytes, q, 2);
		snprintf(is, sizeof(is), "%.*s", (int)text.n, text.bytes);
		snprintf(name, sizeof(name), "%.99s", is);
		if (part)
			part(name, is);
		slow_add(s, tile.integer, name, bytes.integer);
	}
	ts_query_close(q);
}

/* The same of the rows as they were written, which mean nothing as often as not. */
static void
slow_read_made(struct slow *s, const struct world *w, const char *sql,
	void (*part)(char *, const char *))
{
	char path[2 * REPORT_DIR], name[PART];
	sqlite3_stmt *stmt;
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/relations.db", w->dir);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *is = (const char *)sqlite3_column_text(stmt, 1);

		snprintf(name, sizeof(name), "%.99s", is);
		if (part)
			part(name, is);
		slow_add(s, sqlite3_column_int64(stmt, 0), name, sqlite3_column_int64(stmt, 2));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static const struct {
	enum ts_breakdown_by by;
	const char *sql;
	void (*part)(char *, const char *);
} cases[] = {
	{TS_BREAKDOWN_LAYER, "SELECT tile, coalesce(name, ''), bytes FROM lowered_variable",
		slow_layer},
	{TS_BREAKDOWN_NAMES,
		"SELECT tile, name, bytes FROM lowered_variable "
		"WHERE name IN ('__stack', 'syncID', 'nobody')",
		NULL},
	{TS_BREAKDOWN_FAMILY,
		"SELECT v.tile, t.name, v.code_bytes FROM tile_vertex v JOIN vertex_type t "
		"USING (vertex_type)",
		slow_family},
	{TS_BREAKDOWN_REGION,
		"SELECT tile, 'non-interleaved', non_interleaved FROM tile_memory UNION ALL "
		"SELECT tile, 'interleaved', interleaved FROM tile_memory UNION ALL "
		"SELECT tile, 'overflowed', overflowed FROM tile_memory",
		NULL},
	{TS_BREAKDOWN_LIVENESS,
		"SELECT tile, 'always live', always_live FROM tile_memory UNION ALL SELECT tile, "
		"'not always live, at its peak', not_always_live_peak FROM tile_memory",
		NULL},
};

static void
read_all(struct ts_categories *c, const struct world *w, const struct ts_breakdown_query *q,
	int64_t piece)
{
	struct ts_breakdown *b;
	bool end = false;

	ck_assert_msg(ts_breakdown_new(&b, w->report, q, NULL, &err) == TS_OK, "%s", err.msg);
	while (!end) {
		ck_assert_msg(ts_breakdown_read(b, &end, w->rd, piece, NULL, &err) == TS_OK, "%s",
			err.msg);
		if (!end) { /* what there is may be looked at */
			ck_assert_int_eq(ts_breakdown_look(c, b, &err), TS_OK);
			ts_categories_fini(c);
		}
	}
	ck_assert_int_eq(ts_breakdown_look(c, b, &err), TS_OK);
	ts_breakdown_free(b);
}

/* Every cell of the one is in the other. */
static void
equal(struct ts_categories *c, struct slow *s)
{
	int64_t cells = 0;

	for (int i = 0; i < c->count; i++)
		for (size_t t = 0; t < c->tiles; t++)
			cells += ts_categories_at(c, i, t) > 0;
	for (int k = 0; k < s->n; k++) {
		int i = 0;

		while (i < c->count && strcmp(c->category[i].name, s->cell[k].part) != 0)
			i++;
		ck_assert_msg(i < c->count || s->cell[k].bytes == 0, "no part \"%s\"",
			s->cell[k].part);
		ck_assert_msg(i == c->count ||
				ts_categories_on_tile(c, i, s->cell[k].tile) == s->cell[k].bytes,
			"tile %lld, %s: %lld, not %lld", (long long)s->cell[k].tile,
			s->cell[k].part, (long long)ts_categories_on_tile(c, i, s->cell[k].tile),
			(long long)s->cell[k].bytes);
		cells -= s->cell[k].bytes > 0;
	}
	ck_assert_int_eq(cells, 0);
}

static struct ts_breakdown_query
query_of(enum ts_breakdown_by by)
{
	struct ts_breakdown_query q = {.by = by};

	if (by == TS_BREAKDOWN_NAMES) {
		q.count = 3;
		snprintf(q.name[0], TS_BREAKDOWN_NAME, "syncID");
		snprintf(q.name[1], TS_BREAKDOWN_NAME, "__stack");
		snprintf(q.name[2], TS_BREAKDOWN_NAME, "nobody");
	}
	return q;
}

START_TEST(parts_are_those_of_the_rows)
{
	static const int64_t pieces[] = {0, 700};
	struct slow *s = calloc(1, sizeof(*s));
	struct world w;

	begin_demo(&w);
	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		struct ts_breakdown_query q = query_of(cases[i].by);

		memset(s, 0, sizeof(*s));
		slow_read(s, &w, cases[i].sql, cases[i].part);
		ck_assert_int_gt(s->n, 10);
		for (size_t k = 0; k < TS_COUNT(pieces); k++) {
			struct ts_categories c;

			read_all(&c, &w, &q, pieces[k]);
			equal(&c, s);
			ts_categories_fini(&c);
		}
	}
	free(s);
	end_world(&w);
}
END_TEST

/* Without the columns the liveness of tiles is worked out of variables: the demo's columns say the same. */
START_TEST(liveness_is_worked_out)
{
	struct ts_breakdown_query q = {.by = TS_BREAKDOWN_LIVENESS};
	struct ts_categories a, b;
	struct world w;

	begin_demo(&w);
	read_all(&a, &w, &q, 0);
	ts_reader_close(w.rd);
	ts_report_close(w.report);
	report_dir_sql(w.dir, &w.path, NULL,
		"ALTER TABLE memory_by_tile DROP COLUMN not_always_live_max_bytes");
	open_world(&w);
	read_all(&b, &w, &q, 0);
	ck_assert_int_eq(a.count, 2);
	ck_assert_int_eq(b.count, 2);
	for (size_t t = 0; t < a.tiles; t++)
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < 2; k++)
				if (strcmp(a.category[i].name, b.category[k].name) == 0)
					ck_assert_int_eq(ts_categories_at(&a, i, t),
						ts_categories_on_tile(&b, k, a.tile[t]));
	ts_categories_fini(&a);
	ts_categories_fini(&b);
	end_world(&w);
}
END_TEST

/* --- rows that are odd ------------------------------------------------------------------------- */

static unsigned dice;

static int
chance(int n)
{
	dice = dice * 1103515245u + 12345u;
	return (int)(dice >> 16) % n;
}

/* Tiles and bytes of any kind; names with layers at odd places, or none. */
START_TEST(random_rows)
{
	static const char *const names[] = {"'layer0'", "'a/layer_7/b'", "'xlayer3/layers'",
		"'LAYER/12'", "'encoder.3x'", "'blocks//4'", "'layer_1/layer_2'", "''", "NULL",
		"'layer'", "x'ff'", "5"};
	static const char *const bytes[] = {"0", "1", "4096", "4294967295", "-1", "NULL", "'x'",
		"1.5", "4611686018427387904", "9223372036854775807"};
	static const char *const tiles[] = {"0", "1", "2", "7", "-1", "NULL", "1000000000000"};
	struct slow *s = calloc(1, sizeof(*s));
	struct ts_breakdown_query q = {.by = TS_BREAKDOWN_LAYER};
	struct ts_categories c;
	struct ts_strbuf sql;
	struct world w;

	dice = (unsigned)_i + 1;
	ts_strbuf_init(&sql, 1 << 20);
	ts_strbuf_puts(&sql,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name, bytes);");
	for (int i = 0; i < 200; i++) {
		/* what is too large to be added to anything comes seldom, and not always */
		const char *size = bytes[_i % 2 && !chance(40) ? 8 + chance(2) : chance(8)];

		ts_strbuf_printf(&sql, "INSERT INTO lowered_variable VALUES(%d, %s, %s, %s);",
			i * (1 + _i % 3), tiles[chance(7)], names[chance(12)], size);
	}
	begin_sql(&w, sql.s);
	ts_strbuf_fini(&sql);
	slow_read(s, &w,
		"SELECT tile, coalesce(name, ''), bytes FROM lowered_variable WHERE tile >= 0 AND bytes >= 0 "
		"AND typeof(bytes) = 'integer' AND bytes < 4611686018427387904",
		slow_layer);
	read_all(&c, &w, &q, 1 + chance(50));
	if (_i % 2 == 0)
		equal(&c, s);
	for (int k = 0; k < s->n; k++)
		for (int i = 0; i < c.count; i++)
			if (strcmp(c.category[i].name, s->cell[k].part) == 0)
				ck_assert_int_ge(ts_categories_on_tile(&c, i, s->cell[k].tile),
					s->cell[k].bytes); /* more: one row of 2^62 */
	ts_categories_fini(&c);
	free(s);
	end_world(&w);
}
END_TEST

/* Regions and families of rows of any kind: numbers that are none, regions that are no text, types that nobody names. */
START_TEST(random_regions_and_families)
{
	static const char *const bytes[] = {"0", "1", "4096", "77", "-1", "NULL", "'x'", "1.5",
		"65536", "4611686018427387905"};
	static const char *const tiles[] = {"0", "1", "2", "7", "-1", "NULL", "1000000000000"};
	static const char *const names[] = {"'a__B___c'", "'a__B___d'", "'x'", "NULL"};
	static const char *const regions[] = {"'interleaved'", "'overflowed'", "NULL", "5"};
	static const char *const sql_of[] = {
		"SELECT tile, region, not_overlapped + coalesce(overlapped, 0) FROM tile_category "
		"WHERE typeof(tile) = 'integer' AND tile >= 0 AND typeof(region) = 'text' AND "
		"typeof(not_overlapped) = 'integer' AND not_overlapped BETWEEN 0 AND 4611686018427387904 "
		"AND (overlapped IS NULL OR (typeof(overlapped) = 'integer' AND overlapped BETWEEN 0 AND "
		"4611686018427387904))",
		"SELECT v.tile, coalesce(t.name, 'unnamed vertices'), v.code_bytes FROM tile_vertex v "
		"LEFT JOIN vertex_type t ON t.vertex_type = v.vertex_type WHERE "
		"typeof(v.tile) = 'integer' AND v.tile >= 0 AND typeof(v.code_bytes) = 'integer' AND "
		"v.code_bytes BETWEEN 0 AND 4611686018427387904"};
	struct ts_strbuf sql;
	struct world w;

	dice = (unsigned)_i + 100;
	ts_strbuf_init(&sql, 1 << 20);
	ts_strbuf_puts(&sql,
		"CREATE TABLE tile_category(tile, category, region, not_overlapped, overlapped);"
		"CREATE TABLE vertex_type(vertex_type, name, state_bytes);"
		"CREATE TABLE tile_vertex(tile, vertex_type, code_bytes);");
	for (int i = 0; i < 4; i++)
		ts_strbuf_printf(&sql, "INSERT INTO vertex_type VALUES(%d, %s, 4);", i, names[i]);
	for (int i = 0; i < 120; i++) {
		ts_strbuf_printf(&sql, "INSERT INTO tile_category VALUES(%s, %d, %s, %s, %s);",
			tiles[chance(7)], chance(3), regions[chance(4)], bytes[chance(10)],
			bytes[chance(10)]);
		ts_strbuf_printf(&sql, "INSERT INTO tile_vertex VALUES(%s, %d, %s);",
			tiles[chance(7)], chance(6), bytes[chance(10)]);
	}
	begin_as_it_is(&w, sql.s);
	ts_strbuf_fini(&sql);
	for (int k = 0; k < 2; k++) {
		struct ts_breakdown_query q = {.by = k ? TS_BREAKDOWN_FAMILY : TS_BREAKDOWN_REGION};
		struct slow *s = calloc(1, sizeof(*s));
		struct ts_categories c;

		slow_read_made(s, &w, sql_of[k], k ? slow_family : NULL);
		read_all(&c, &w, &q, 0);
		equal(&c, s);
		ts_categories_fini(&c);
		free(s);
	}
	end_world(&w);
}
END_TEST

/* Vertices whose names are lost are counted, and the damage is said. */
START_TEST(names_that_are_damaged)
{
	struct ts_breakdown_query q = {.by = TS_BREAKDOWN_FAMILY};
	struct ts_categories c;
	struct ts_breakdown *b;
	struct world w;
	int64_t sum = 0;
	bool end;

	begin_sql(&w,
		"PRAGMA page_size=512;"
		"CREATE TABLE vertex_type(vertex_type INTEGER PRIMARY KEY, name TEXT, state_bytes INTEGER);"
		"CREATE TABLE tile_vertex(tile INTEGER, vertex_type INTEGER, code_bytes INTEGER);"
		"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 99) "
		"INSERT INTO vertex_type SELECT t, 'popops__V' || t || '___float', 4 FROM t;"
		"INSERT INTO tile_vertex SELECT vertex_type % 3, vertex_type, 100 FROM vertex_type;");
	ts_reader_close(w.rd);
	ts_report_close(w.report);
	damage_table(w.path, "vertex_types");
	open_world(&w);
	ck_assert_int_eq(ts_breakdown_new(&b, w.report, &q, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_breakdown_read(b, &end, w.rd, 0, NULL, &err), TS_E_DAMAGED);
	ck_assert_int_eq(ts_breakdown_look(&c, b, &err), TS_OK);
	for (int i = 0; i < c.count; i++)
		sum += c.category[i].bytes;
	ck_assert_int_eq(sum, 100 * 100);
	ts_categories_fini(&c);
	ts_breakdown_free(b);
	end_world(&w);
}
END_TEST

START_TEST(more_layers_than_parts)
{
	struct ts_breakdown_query q = {.by = TS_BREAKDOWN_LAYER, .pattern = "^v(\\d+)$"};
	struct ts_categories c;
	struct world w;
	int64_t sum = 0;
	bool further = false;

	begin_sql(&w,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT, bytes INTEGER);"
		"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 999) "
		"INSERT INTO lowered_variable SELECT t, t % 3, 'v' || t, 1 + t FROM t;");
	read_all(&c, &w, &q, 0);
	ck_assert_int_le(c.count, TS_CATEGORIES_MAX);
	for (int i = 0; i < c.count; i++) {
		sum += c.category[i].bytes;
		further |= strcmp(c.category[i].name, TS_FURTHER_LAYERS) == 0;
	}
	ck_assert(further);
	ck_assert_int_eq(sum, 1000 * 1001 / 2);
	ts_categories_fini(&c);
	end_world(&w);
}
END_TEST

START_TEST(expressions_that_are_none)
{
	struct ts_breakdown_query q = {.by = TS_BREAKDOWN_LAYER, .pattern = "layer("};
	struct ts_breakdown *b;
	struct world w;
	bool end;

	begin_sql(&w,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT, bytes INTEGER);"
		"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 99) "
		"INSERT INTO lowered_variable SELECT t, 0, printf('%.*c%d', 2000, 'a', t), 1 FROM t;");
	ck_assert_int_eq(ts_breakdown_new(&b, w.report, &q, NULL, &err), TS_E_USAGE);
	q.pattern = "(a+)+$"; /* would take for ever */
	ck_assert_int_eq(ts_breakdown_new(&b, w.report, &q, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_breakdown_read(b, &end, w.rd, 0, NULL, &err), TS_E_LIMIT);
	ts_breakdown_free(b);
	end_world(&w);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("breakdown");
	TCase *t = tcase_create("breakdown");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, parts_are_those_of_the_rows);
	tcase_add_test(t, liveness_is_worked_out);
	tcase_add_loop_test(t, random_rows, 0, 12);
	tcase_add_loop_test(t, random_regions_and_families, 0, 12);
	tcase_add_test(t, names_that_are_damaged);
	tcase_add_test(t, more_layers_than_parts);
	tcase_add_test(t, expressions_that_are_none);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
