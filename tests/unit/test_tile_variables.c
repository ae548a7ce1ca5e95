/* SPDX-License-Identifier: MIT */
/*
 * The variables of a tile: the same largest ones in the same order as a plain SQL query, whether rows
 * are reached by tile or by a pass over all of them; counts and sums with bad rows; bounds; cancel.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/tile_variables.h"

#include "index_dir.h"

struct fixture {
	char dir[64];
	char path[128];	     /* of the profile */
	char relations[128]; /* what it is made of, or says */
	const char *then;    /* SQL that changes the profile, or NULL */
	sqlite3 *db;	     /* of `relations` */
	struct ts_report *report;
	struct ts_reader *reader;
};

static void
begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/ts-variables-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/profile.pop", f->dir);
	snprintf(f->relations, sizeof(f->relations), "%s/relations.db", f->dir);
}

static void
sql(struct fixture *f, const char *text)
{
	char *message = NULL;

	if (!f->db)
		ck_assert_int_eq(sqlite3_open(f->relations, &f->db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s", message);
}

static void
open_report(struct fixture *f)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};

	sqlite3 *db;

	if (f->db)
		relations_profile(f->relations, f->path);
	else
		profile_relations(f->path, f->relations);
	if (!f->db)
		ck_assert_int_eq(sqlite3_open(f->relations, &f->db), SQLITE_OK);
	if (f->then) {
		ck_assert_int_eq(sqlite3_open(f->path, &db), SQLITE_OK);
		sqlite_run(db, f->then);
		sqlite3_close(db);
	}
	ck_assert_msg(ts_report_open(&f->report, f->path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_reader_open(&f->reader, f->report, &err) == TS_OK, "%s", err.msg);
}

static void
end(struct fixture *f)
{
	ts_reader_close(f->reader);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	index_dir_remove(f->dir);
}

static struct ts_tile_variables
variables(struct fixture *f, int64_t tile)
{
	struct ts_tile_variables v;
	struct ts_err err = {0};

	ck_assert_msg(ts_tile_variables_read(&v, f->reader, tile, NULL, &err) == TS_OK, "%s",
		err.msg);
	return v;
}

/* What SQL says: rows of (name, category, bytes), the largest first, equals by row id. */
static void
check_against(struct fixture *f, int64_t tile, const char *query)
{
	struct ts_tile_variables v = variables(f, tile);
	int64_t found = 0, bytes = 0;
	sqlite3_stmt *s = NULL;

	ck_assert_msg(sqlite3_prepare_v2(f->db, query, -1, &s, NULL) == SQLITE_OK, "%s",
		sqlite3_errmsg(f->db));
	sqlite3_bind_int64(s, 1, tile);
	for (; sqlite3_step(s) == SQLITE_ROW; found++) {
		bytes += sqlite3_column_int64(s, 2);
		if (found >= v.count)
			continue;
		ck_assert_int_eq(v.variable[found].bytes, sqlite3_column_int64(s, 2));
		ck_assert_str_eq(v.variable[found].name, (const char *)sqlite3_column_text(s, 0));
		ck_assert_str_eq(v.variable[found].category,
			(const char *)sqlite3_column_text(s, 1));
	}
	sqlite3_finalize(s);
	ck_assert_int_eq(v.found, found);
	ck_assert_int_eq(v.bytes, bytes);
	ck_assert_int_eq(v.count, found < TS_TILE_VARIABLES ? found : TS_TILE_VARIABLES);
	ts_tile_variables_fini(&v);
}

static const char rows_of[] =
	"SELECT v.name, c.name, v.bytes FROM lowered_variable v JOIN memory_category c "
	"ON c.category = v.category WHERE v.tile = ?1 ORDER BY v.bytes DESC, v.rowid";

/* ---- demo reports ---- */

static const struct ts_demo_options demos[] = {
	{.layout = TS_DEMO_PROFILE, .ipus = 2, .tiles = 8, .steps = 20, .variables = 3000},
	{.layout = TS_DEMO_PROFILE, .ipus = 1, .tiles = 2, .steps = 20, .variables = 40000},
};

START_TEST(a_demo_says_what_sql_says)
{
	const struct ts_demo_options *o = &demos[_i];
	struct ts_err err = {0};
	struct fixture f;
	char *path;

	begin(&f);
	ck_assert_msg(ts_demo_write(&path, f.dir, o, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	snprintf(f.path, sizeof(f.path), "%s", path);
	free(path);
	open_report(&f);
	ck_assert(ts_tile_variables_quick(f.report, NULL, 0));
	for (int64_t tile = 0; tile <= o->ipus * o->tiles; tile++)
		check_against(&f, tile, rows_of);
	end(&f);
}
END_TEST

/* ---- reports made here ---- */

static const char tables[] =
	"CREATE TABLE lowered_variable(tile INTEGER, bytes INTEGER, category INTEGER, name TEXT);"
	"CREATE TABLE memory_category(category INTEGER, name TEXT);"
	"CREATE TABLE tile_memory(tile INTEGER, total INTEGER);"
	"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'stack');";

/* Rows of all tiles mixed: nothing but a pass over all of them finds one tile's. */
START_TEST(a_pass_finds_the_same)
{
	struct fixture f;

	begin(&f);
	sql(&f, tables);
	sql(&f,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39999) "
		"INSERT INTO lowered_variable SELECT (i * 7919) % 9, (i * 104729) % 5000, i % 2, "
		"'layer_' || i % 500 || '/w' FROM n");
	if (_i == 1)
		f.then = "CREATE INDEX by_tile ON vars_info(tile)";
	open_report(&f);
	ck_assert_int_eq(ts_tile_variables_quick(f.report, NULL, 0), _i == 1);
	for (int64_t tile = 0; tile < 10; tile++)
		check_against(&f, tile, rows_of);
	end(&f);
}
END_TEST

START_TEST(bad_sizes_are_left_out_and_counted)
{
	struct ts_tile_variables v;
	struct fixture f;

	begin(&f);
	sql(&f, tables);
	sql(&f,
		"INSERT INTO lowered_variable VALUES(1, 10, 0, 'layer_1/w'), (1, -5, 0, 'a'), (1, NULL, 0, 'b'), "
		"(1, 9223372036854775807, 0, 'c'), (1, 'x', 0, 'd'), (1, 30, 77, NULL), "
		"(1, 20, NULL, 'lost'), (2, 5, 0, 'e'), (NULL, 6, 0, 'f')");
	f.then = "DELETE FROM vars_string_table WHERE string = 'lost'";
	open_report(&f);
	v = variables(&f, 1);
	ck_assert_int_eq(v.found, 3);
	ck_assert_int_eq(v.bad_rows, 4);
	ck_assert_int_eq(v.bytes, 60);
	ck_assert_int_eq(v.variable[0].bytes, 30);
	ck_assert_ptr_null(v.variable[0].name);
	ck_assert_str_eq(v.variable[0].category, "category 77");
	ck_assert_int_eq(v.variable[0].offset, TS_UNKNOWN);
	ck_assert_ptr_null(v.variable[1].name); /* no such string */
	ck_assert_ptr_null(v.variable[1].category);
	ck_assert_str_eq(v.variable[2].name, "layer_1/w");
	ck_assert(v.has_names && v.has_categories && !v.has_offsets);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

START_TEST(a_sum_that_does_not_fit_is_unknown)
{
	struct ts_tile_variables v;
	struct fixture f;

	begin(&f);
	sql(&f, tables);
	sql(&f,
		"INSERT INTO lowered_variable VALUES(1, 4611686018427387904, 0, 'a'), "
		"(1, 4611686018427387904, 0, 'b'), (1, 7, 0, 'c')");
	open_report(&f);
	v = variables(&f, 1);
	ck_assert_int_eq(v.found, 3);
	ck_assert_int_eq(v.bytes, TS_UNKNOWN);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

START_TEST(long_names_are_cut)
{
	struct ts_tile_variables v;
	struct fixture f;

	begin(&f);
	sql(&f, tables);
	sql(&f, "INSERT INTO lowered_variable VALUES(1, 5, 0, replace(hex(zeroblob(10000)), '0', 'n'))");
	open_report(&f);
	v = variables(&f, 1);
	ck_assert_uint_eq(strlen(v.variable[0].name), TS_TILE_VARIABLE_NAME);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

/*
 * More rows than are kept, each larger than the one before: names that went make room for others. Where those that stay
 * do not fit (_i: 1) all are there, some of them short.
 */
START_TEST(names_of_many_have_room)
{
	int letters = _i ? 1000 : 400, whole = 0;
	struct ts_tile_variables v;
	struct fixture f;
	char rows[600];

	begin(&f);
	sql(&f, "CREATE TABLE lowered_variable(tile INTEGER, bytes INTEGER, name TEXT)");
	snprintf(rows, sizeof(rows),
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) "
		"INSERT INTO lowered_variable SELECT 0, i, printf('%%.%dc', 'n') FROM n",
		letters);
	sql(&f, rows);
	open_report(&f);
	v = variables(&f, 0);
	ck_assert_int_eq(v.found, 40000);
	ck_assert_int_eq(v.count, TS_TILE_VARIABLES);
	for (int i = 0; i < v.count; i++) {
		size_t n = strlen(v.variable[i].name);

		ck_assert_int_eq(v.variable[i].bytes, 40000 - i);
		ck_assert(n == (size_t)letters || (_i && n == TS_TILE_VARIABLE_SHORT + 3));
		whole += n == (size_t)letters;
	}
	ck_assert_uint_le(v.named,
		TS_TILE_VARIABLES_TEXT + TS_TILE_VARIABLE_NAME +
			(TS_TILE_VARIABLE_SHORT + 4) * (size_t)v.count);
	ck_assert(_i ? whole > 0 && whole < v.count : whole == v.count);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

START_TEST(an_absent_relation_is_said)
{
	struct ts_tile_variables v;
	struct ts_err err = {0};
	struct fixture f;

	begin(&f);
	sql(&f, "CREATE TABLE tile_memory(tile INTEGER, total INTEGER);");
	open_report(&f);
	ck_assert(!ts_tile_variables_quick(f.report, NULL, 0));
	ck_assert_int_eq(ts_tile_variables_read(&v, f.reader, 1, NULL, &err), TS_E_ABSENT);
	ck_assert_int_eq(v.count, 0);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

START_TEST(no_variables_are_no_error)
{
	struct ts_tile_variables v;
	struct fixture f;

	begin(&f);
	sql(&f, tables);
	open_report(&f);
	v = variables(&f, 1);
	ck_assert(v.count == 0 && v.found == 0 && v.bytes == 0);
	ts_tile_variables_fini(&v);
	v = variables(&f, INT64_MAX);
	ck_assert(v.count == 0 && v.found == 0);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

START_TEST(a_pass_shows_progress_and_can_be_cancelled)
{
	struct ts_cancel cancel = {0};
	struct ts_progress progress = {0};
	struct ts_tile_variables v;
	struct ts_err err = {0};
	struct fixture f;

	begin(&f);
	sql(&f, tables);
	sql(&f,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
		"INSERT INTO lowered_variable SELECT i % 10, i, 0, 'a' FROM n");
	open_report(&f);
	ck_assert_int_eq(ts_tile_variables_read(&v, f.reader, 3, &progress, &err), TS_OK);
	ck_assert_int_gt(progress.done, 0);
	ck_assert_int_eq(progress.total, 100000);
	ts_tile_variables_fini(&v);
	ts_cancel_set(&cancel);
	ts_reader_set_cancel(f.reader, &cancel);
	ck_assert_int_eq(ts_tile_variables_read(&v, f.reader, 3, NULL, &err), TS_E_CANCELLED);
	ts_reader_set_cancel(f.reader, NULL);
	ts_tile_variables_fini(&v);
	v = variables(&f, 3); /* the reader lives */
	ck_assert_int_eq(v.found, 10000);
	ts_tile_variables_fini(&v);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile_variables");
	TCase *c = tcase_create("tile_variables");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, a_demo_says_what_sql_says, 0, (int)TS_COUNT(demos));
	tcase_add_loop_test(c, a_pass_finds_the_same, 0, 2);
	tcase_add_test(c, bad_sizes_are_left_out_and_counted);
	tcase_add_test(c, a_sum_that_does_not_fit_is_unknown);
	tcase_add_test(c, long_names_are_cut);
	tcase_add_loop_test(c, names_of_many_have_room, 0, 2);
	tcase_add_test(c, an_absent_relation_is_said);
	tcase_add_test(c, no_variables_are_no_error);
	tcase_add_test(c, a_pass_shows_progress_and_can_be_cancelled);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
