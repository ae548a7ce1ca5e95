/* SPDX-License-Identifier: MIT */
/*
 * Every figure comes out the same with the index and without: in tables, behind keys and indexes, in views
 * that are one table's rows and in views that are not, and with rows that do not count.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/depth.h"
#include "../unit/index_dir.h"
#include "figures.h"
#include "index_build.h"

/* How the tables of the demo are changed; `each`: for every table, its name for each %s. */
static const struct shape {
	const char *name, *each, *then;
} shapes[] = {
	{"profile", NULL, NULL},
	{"views",
		"ALTER TABLE \"%s\" RENAME TO \"%s_rows\"; CREATE VIEW \"%s\" AS SELECT * FROM \"%s_rows\";",
		NULL},
	{"views that are worked out",
		"ALTER TABLE \"%s\" RENAME TO \"%s_rows\"; "
		"CREATE VIEW \"%s\" AS SELECT DISTINCT * FROM \"%s_rows\" WHERE 1;",
		NULL},
	{"no keys",
		"ALTER TABLE \"%s\" RENAME TO \"%s_rows\"; CREATE TABLE \"%s\" AS SELECT * FROM \"%s_rows\";",
		NULL},
	{"indexes", NULL,
		"CREATE INDEX i1 ON steps_by_ipu(step_id); CREATE INDEX i2 ON steps_by_ipu(ipu, cycles_base);"
		"CREATE INDEX i3 ON vars_info(tile); CREATE INDEX i4 ON steps(type)"},
	{"rows that do not count", NULL,
		"UPDATE steps_by_ipu SET cycles = 'x' WHERE rowid % 7 = 0;"
		"UPDATE steps_by_ipu SET cycles_base = -100000000 WHERE rowid % 11 = 0;"
		"UPDATE steps_by_ipu SET ipu = 'x' WHERE rowid % 13 = 0;"
		"DELETE FROM steps WHERE rowid % 17 = 0;"
		"UPDATE steps SET type = 7 WHERE rowid % 5 = 0;"
		"UPDATE vars_info SET size_bytes = 1e30 WHERE rowid % 9 = 0;"
		"UPDATE vars_info SET tile = 'x' WHERE rowid % 10 = 0;"
		"UPDATE memory_by_category SET interleaved_overlapped = 'x' WHERE rowid % 6 = 0;"
		"UPDATE memory_not_always_live_by_step_and_ipu SET delta_bytes = 'x' WHERE rowid % 88 = 0"},
	{"out of order", NULL,
		"UPDATE steps_by_ipu SET rowid = -rowid; UPDATE eq_class_step SET rowid = -rowid;"
		"UPDATE var_bytes_by_eq_class SET rowid = -rowid;"
		"UPDATE memory_not_always_live_by_step_and_ipu SET rowid = -rowid"},
	{"gaps", NULL,
		"DELETE FROM steps WHERE rowid % 3 = 0; DELETE FROM vars_info WHERE rowid % 3 = 0;"
		"DELETE FROM steps_by_ipu WHERE rowid % 4 = 1; DELETE FROM depth_first_steps WHERE rowid % 5 = 2;"
		"UPDATE steps_by_ipu SET rowid = -rowid * 5; UPDATE steps_by_ipu SET rowid = -rowid"},
	{"no lowered variables", NULL, "DELETE FROM vars_info"},
	{"no rows", NULL,
		"DELETE FROM steps; DELETE FROM steps_by_ipu; DELETE FROM depth_first_steps;"
		"DELETE FROM memory_by_category; DELETE FROM vars_info"},
};

enum { NAMES = 100 };

static void
run_sql(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s: %s", why, sql);
}

static void
for_each_table(sqlite3 *db, const char *each)
{
	char *name[NAMES];
	sqlite3_stmt *q;
	int n = 0;

	ck_assert_int_eq(sqlite3_prepare_v2(db,
				 "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT "
				 "LIKE 'sqlite%' AND name NOT LIKE 'meta%'",
				 -1, &q, NULL),
		SQLITE_OK);
	while (n < NAMES && sqlite3_step(q) == SQLITE_ROW)
		name[n++] = strdup((const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	ck_assert_int_gt(n, 3);
	for (int i = 0; i < n; i++) {
		char *sql = sqlite3_mprintf(each, name[i], name[i], name[i], name[i]);

		run_sql(db, sql);
		sqlite3_free(sql);
		free(name[i]);
	}
}

static struct ts_report *
make(struct index_dir *d, const struct shape *s)
{
	const struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.ipus = 2,
		.tiles = 8,
		.steps = 3000,
		.variables = 2000,
		.debug = true};
	const struct ts_report_options options = {0};
	struct ts_err err = {0};
	struct ts_report *r;
	sqlite3 *db;
	char *path;

	index_dir_begin(d);
	ck_assert_msg(ts_demo_write(&path, d->dir, &o, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	if (s->each)
		for_each_table(db, s->each);
	if (s->then)
		run_sql(db, s->then);
	sqlite3_close(db);
	ck_assert_msg(ts_report_open(&r, path, &options, &err) == TS_OK, "%s: %s", s->name,
		err.msg);
	free(path);
	return r;
}

struct answer {
	uint64_t figure[TS_COUNT(figures)], summary;
	enum ts_code code[TS_COUNT(figures)], summary_code;
	bool partial;
};

static void
ask(struct answer *a, const struct ts_report *r, struct ts_index *x)
{
	struct ts_reader *rd;
	struct ts_err err = {0};

	*a = (struct answer){0};
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ts_reader_set_index(rd, x);
	for (size_t i = 0; i < TS_COUNT(figures); i++)
		a->code[i] = figures[i].read(&a->figure[i], rd, &err);
	a->summary_code = read_summary(&a->summary, &a->partial, rd, &err);
	ts_reader_close(rd);
}

/* _i: shape x (one part, three parts) */
START_TEST(same)
{
	const struct shape *s = &shapes[_i / 2];
	struct answer without, with;
	struct index_dir d;
	struct ts_report *r;
	struct ts_err err = {0};
	struct ts_index *x;
	int failed;

	if (!in_sample(_i))
		return;
	r = make(&d, s);
	ask(&without, r, NULL);
	ck_assert_msg(build_index(&x, &failed, r, &d.c, INDEX_ALL, _i % 2 ? 3 : 1, NULL, &err) ==
			TS_OK,
		"%s: %s", s->name, err.msg);
	ck_assert_msg(failed == 0, "%s: %d stages failed: %s", s->name, failed, err.msg);
	ask(&with, r, x);
	for (size_t i = 0; i < TS_COUNT(figures); i++) {
		ck_assert_msg(with.code[i] == without.code[i], "%s, %s: code %d, with the index %d",
			s->name, figures[i].name, (int)without.code[i], (int)with.code[i]);
		ck_assert_msg(with.figure[i] == without.figure[i], "%s, %s: another figure",
			s->name, figures[i].name);
	}
	ck_assert_int_eq(with.summary_code, without.summary_code);
	ck_assert_msg(with.summary == without.summary && with.partial == without.partial,
		"%s: another summary", s->name);
	ts_index_release(x);
	ts_report_close(r);
	index_dir_end(&d);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("with and without the index");
	TCase *c = tcase_create("same");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, same, 0, 2 * (int)TS_COUNT(shapes));
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
