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
	const char *name;
	enum ts_demo_layout layout;
	bool keys;
	const char *each, *then;
} shapes[] = {
	{"store", TS_DEMO_STORE, false, NULL, NULL},
	{"sdk", TS_DEMO_SDK, false, NULL, NULL},
	{"sdk with keys", TS_DEMO_SDK, true, NULL, NULL},
	{"views", TS_DEMO_STORE, false,
		"ALTER TABLE \"%s\" RENAME TO \"%s_rows\"; CREATE VIEW \"%s\" AS SELECT * FROM \"%s_rows\";",
		NULL},
	{"views that are worked out", TS_DEMO_STORE, false,
		"ALTER TABLE \"%s\" RENAME TO \"%s_rows\"; "
		"CREATE VIEW \"%s\" AS SELECT DISTINCT * FROM \"%s_rows\" WHERE 1;",
		NULL},
	{"views, sdk", TS_DEMO_SDK, false,
		"ALTER TABLE \"%s\" RENAME TO \"%s_rows\"; CREATE VIEW \"%s\" AS SELECT * FROM \"%s_rows\";",
		NULL},
	{"indexes", TS_DEMO_STORE, false, NULL,
		"CREATE INDEX i1 ON step_ipu(step); CREATE INDEX i2 ON step_ipu(ipu, start);"
		"CREATE INDEX i3 ON lowered_variable(tile); CREATE INDEX i4 ON step(type)"},
	{"rows that do not count", TS_DEMO_STORE, false, NULL,
		"UPDATE step_ipu SET cycles = NULL WHERE rowid % 7 = 0;"
		"UPDATE step_ipu SET start = -1 WHERE rowid % 11 = 0;"
		"UPDATE step_ipu SET ipu = 'x' WHERE rowid % 13 = 0;"
		"UPDATE step_ipu SET step = 1 << 40 WHERE rowid % 17 = 0;"
		"UPDATE step SET type = NULL WHERE rowid % 5 = 0;"
		"UPDATE lowered_variable SET bytes = 1e30 WHERE rowid % 9 = 0;"
		"UPDATE lowered_variable SET tile = NULL WHERE rowid % 10 = 0;"
		"UPDATE tile_category SET overlapped = -5 WHERE rowid % 6 = 0;"
		"UPDATE liveness_step SET not_always_live = NULL WHERE rowid % 8 = 0"},
	{"out of order", TS_DEMO_STORE, false, NULL,
		"UPDATE step_ipu SET rowid = -rowid; UPDATE step SET rowid = -rowid;"
		"UPDATE lowered_variable SET rowid = -rowid; UPDATE liveness_step SET rowid = -rowid"},
	{"gaps", TS_DEMO_STORE, false, NULL,
		"DELETE FROM step WHERE rowid % 3 = 0; DELETE FROM lowered_variable WHERE rowid % 3 = 0;"
		"DELETE FROM step_ipu WHERE rowid % 4 = 1; DELETE FROM liveness_step WHERE rowid % 5 = 2;"
		"UPDATE step_ipu SET rowid = -rowid * 5; UPDATE step_ipu SET rowid = -rowid"},
	{"IPUs by order, a gap amid a step", TS_DEMO_SDK, false, NULL,
		"ALTER TABLE steps_by_ipu RENAME TO old; CREATE TABLE steps_by_ipu (step_id INTEGER, "
		"cycles INTEGER, cycles_base INTEGER, active_cycles_from_min INTEGER, "
		"active_cycles_to_max INTEGER); INSERT INTO steps_by_ipu (rowid, step_id, cycles, "
		"cycles_base, active_cycles_from_min, active_cycles_to_max) SELECT rowid + 20000 * "
		"(rowid > 3001), step_id, cycles, cycles_base, active_cycles_from_min, "
		"active_cycles_to_max FROM old ORDER BY rowid; DROP TABLE old"},
	{"no lowered variables", TS_DEMO_STORE, false, NULL, "DELETE FROM lowered_variable"},
	{"no rows", TS_DEMO_STORE, false, NULL,
		"DELETE FROM step; DELETE FROM step_ipu; DELETE FROM liveness_step;"
		"DELETE FROM tile_category; DELETE FROM lowered_variable"},
};

enum { NAMES = 64 };

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
	const struct ts_demo_options o = {.layout = s->layout,
		.ipus = 2,
		.tiles = 8,
		.steps = 3000,
		.variables = 2000,
		.keys = s->keys,
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
