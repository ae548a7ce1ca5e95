/* SPDX-License-Identifier: MIT */
/* Which programs name a variable: against what SQLite says of the same rows, on random reports, and without what it takes. */
#include "config.h"

#include <check.h>

#include "depth.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/program_users.h"

enum { SEEDS = 40, VARIABLES = 12, LOWERED = 40, PROGRAMS = 15 };

static void
fill(struct fixture *f, bool steps)
{
	sql(f,
		"CREATE TABLE program_variable(program INTEGER, lowered_variable INTEGER);"
		"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER, variable INTEGER);"
		"CREATE TABLE liveness_step(live_step INTEGER, program INTEGER, not_always_live INTEGER)");
	for (unsigned i = rnd(f, LOWERED); i > 0; i--)
		sql(f, "INSERT INTO lowered_variable VALUES(%u, 0, 4, %s)", rnd(f, LOWERED),
			rnd(f, 5) ? (char[]){(char)('0' + rnd(f, 10)), '\0'} : "NULL");
	for (unsigned i = 1 + rnd(f, 79); i > 0; i--)
		sql(f, "INSERT INTO program_variable VALUES(%u, %u)", rnd(f, PROGRAMS),
			rnd(f, LOWERED));
	for (unsigned i = rnd(f, 10); i > 0; i--)
		sql(f, "INSERT INTO liveness_step VALUES(%u, %u, 1)", i, rnd(f, PROGRAMS));
	if (rnd(f, 3) == 0)
		sql(f, "INSERT INTO program_variable VALUES(NULL, 3), (3, NULL), ('x', 4), (-1, 5)");
	if (!steps)
		sql(f, "DROP TABLE liveness_step");
}

/* What SQLite says of the rows that have numbers. */
static void
same(struct fixture *f, bool lowered, int64_t number)
{
	static const char rows[] =
		"SELECT DISTINCT p.program FROM program_variable p %s WHERE typeof(p.program) = 'integer' "
		"AND p.program >= 0 AND %s = %lld ORDER BY 1";
	struct ts_pile got = {0};
	struct ts_err err = {0};
	char query[400];
	sqlite3_stmt *stmt;
	size_t i = 0;

	snprintf(query, sizeof(query), rows,
		lowered ? "" : "JOIN lowered_variable l ON l.id = p.lowered_variable",
		lowered ? "p.lowered_variable" : "l.variable", (long long)number);
	ck_assert_msg(ts_program_users_read(&got, f->reader, lowered, number, NULL, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, query, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		ck_assert_uint_lt(i, got.used / sizeof(int64_t));
		ck_assert_int_eq(((const int64_t *)got.memory)[i++], sqlite3_column_int64(stmt, 0));
	}
	ck_assert_uint_eq(i, got.used / sizeof(int64_t));
	sqlite3_finalize(stmt);
	ts_pile_fini(&got);
}

START_TEST(random_reports)
{
	struct fixture f;

	make_relations(&f, (unsigned)_i + 1);
	fill(&f, _i % 2);
	open_report(&f);
	for (int64_t i = 0; i < LOWERED; i++)
		same(&f, true, i);
	for (int64_t i = 0; i < VARIABLES; i++)
		same(&f, false, i);
	end(&f);
}
END_TEST

static const char *const without[] = {"DROP TABLE program_variable", "DROP TABLE lowered_variable",
	"ALTER TABLE lowered_variable RENAME COLUMN variable TO other"};

START_TEST(absent)
{
	struct ts_pile got = {0};
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 3);
	fill(&f, true);
	sql(&f, "%s", without[_i]);
	open_report(&f);
	ck_assert_int_eq(ts_program_users_read(&got, f.reader, false, 3, NULL, NULL, &err),
		TS_E_ABSENT);
	ck_assert_str_ne(err.msg, "");
	ts_pile_fini(&got);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("program_users");
	TCase *tc = tcase_create("users");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_reports, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, absent, 0, (int)TS_COUNT(without));
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
