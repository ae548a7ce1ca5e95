/* SPDX-License-Identifier: MIT */
/*
 * test_profile_tables - the tables of profile.pop as data: SQL makes what they say, and where a real file is at hand
 * they are the tables of that file, and every blob in it decodes as they say.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <string.h>

#include "real.h"

#include "tilescope/base/mem.h"
#include "tilescope/profile/tables.h"

static sqlite3_stmt *
query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s;

	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s", sql,
		sqlite3_errmsg(db));
	return s;
}

static int64_t
number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = query(db, sql);
	int64_t v;

	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

static sqlite3 *
made(void)
{
	struct ts_strbuf sql;
	sqlite3 *db;

	ts_strbuf_init(&sql, TS_PROFILE_SQL);
	ts_profile_sql(&sql);
	ck_assert(!sql.cut);
	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, sql.s, NULL, NULL, NULL) == SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	ts_strbuf_fini(&sql);
	return db;
}

static sqlite3 *
real(void)
{
	char path[REAL_PATH], uri[REAL_PATH + 30];
	sqlite3 *db;

	if (!real_file(path, "qr-c600/profile.pop"))
		return NULL;
	snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
	ck_assert_int_eq(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
		SQLITE_OK);
	return db;
}

START_TEST(found_by_name)
{
	const struct ts_profile_table *t = ts_profile_table_find("steps_by_ipu");

	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->group, TS_GROUP_EXECUTION);
	ck_assert_ptr_nonnull(ts_profile_column_find(t, "cycles_base"));
	ck_assert_ptr_null(ts_profile_column_find(t, "cycles_bases"));
	ck_assert_ptr_null(ts_profile_table_find("step"));
	ck_assert_int_eq(ts_profile_tables_count, 67);
}
END_TEST

/* Names, types, NOT NULL and keys of every table, and the indexes, in one text. */
static void
describe(struct ts_strbuf *out, sqlite3 *db)
{
	sqlite3_stmt *s = query(db,
		"SELECT m.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_schema m, "
		"pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid");

	while (sqlite3_step(s) == SQLITE_ROW)
		ts_strbuf_printf(out, "%s.%s %s %d %d\n", sqlite3_column_text(s, 0),
			sqlite3_column_text(s, 1), sqlite3_column_text(s, 2),
			sqlite3_column_int(s, 3), sqlite3_column_int(s, 4));
	sqlite3_finalize(s);
	s = query(db,
		"SELECT i.name, i.\"unique\", group_concat(c.name) FROM sqlite_schema m, "
		"pragma_index_list(m.name) i, pragma_index_info(i.name) c WHERE m.type = 'table' "
		"GROUP BY i.name ORDER BY i.name");
	while (sqlite3_step(s) == SQLITE_ROW)
		ts_strbuf_printf(out, "%s %d (%s)\n", sqlite3_column_text(s, 0),
			sqlite3_column_int(s, 1), sqlite3_column_text(s, 2));
	sqlite3_finalize(s);
}

START_TEST(tables_are_those_of_a_real_file)
{
	sqlite3 *ours = made(), *theirs = real();
	struct ts_strbuf a, b;

	ts_strbuf_init(&a, TS_PROFILE_SQL);
	ts_strbuf_init(&b, TS_PROFILE_SQL);
	describe(&a, ours);
	ck_assert_uint_gt(a.len, 10000);
	if (theirs) {
		const char *x = a.s, *y = b.s;

		describe(&b, theirs);
		for (y = b.s; *x && *x == *y; x++)
			y++;
		ck_assert_msg(*x == *y, "ours: %.100s\ntheirs: %.100s", x, y);
	}
	ts_strbuf_fini(&a);
	ts_strbuf_fini(&b);
	sqlite3_close(ours);
	sqlite3_close(theirs);
}
END_TEST

START_TEST(every_blob_of_a_real_file_decodes)
{
	sqlite3 *db = real();
	int64_t tiles, ipus, blobs = 0;

	if (!db)
		return;
	tiles = number(db, "SELECT num_tiles FROM target_info");
	ipus = number(db, "SELECT num_ipus FROM target_info");
	for (int t = 0; t < ts_profile_tables_count; t++)
		for (int c = 0; c < ts_profile_tables[t].columns; c++) {
			const struct ts_profile_column *column = &ts_profile_tables[t].column[c];
			int64_t n = column->of == TS_BLOB_OF_IPU ? ipus
				: column->of == TS_BLOB_OF_ANY	 ? -1
								 : tiles / ipus;
			sqlite3_stmt *s;
			char sql[200];

			if (column->type != TS_DECLARED_BLOB)
				continue;
			snprintf(sql, sizeof(sql), "SELECT \"%s\" FROM %s WHERE \"%s\" IS NOT NULL",
				column->name, ts_profile_tables[t].name, column->name);
			s = query(db, sql);
			while (sqlite3_step(s) == SQLITE_ROW) {
				const struct ts_blob b = {sqlite3_column_blob(s, 0),
					(size_t)sqlite3_column_bytes(s, 0), column->blob};
				struct ts_blob_totals totals;
				struct ts_err err = {0};

				ck_assert_msg(ts_blob_add_up(&totals, 1 << 20, &b, &err) == TS_OK,
					"%s: %s", sql, err.msg);
				ck_assert_msg(n < 0 || totals.count == n, "%s: %d numbers", sql,
					(int)totals.count);
				blobs++;
			}
			sqlite3_finalize(s);
		}
	ck_assert_int_gt(blobs, 4000);
	sqlite3_close(db);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("profile tables");
	TCase *t = tcase_create("layout");
	SRunner *r;
	int failed;

	tcase_add_test(t, found_by_name);
	tcase_add_test(t, tables_are_those_of_a_real_file);
	tcase_add_test(t, every_blob_of_a_real_file_decodes);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
