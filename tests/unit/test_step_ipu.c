/* SPDX-License-Identifier: MIT */
/* Which IPU a step is looked at on: against what SQLite says of the same rows, on random and on odd reports. */
#include "config.h"

#include <check.h>

#include "depth.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/trace_jump.h"

enum { SEEDS = 40, STEPS = 60, IPUS = 5 };

/* Each IPU has a row of a step or none, with cycles or without; some rows are no rows. */
static void
fill(struct fixture *f)
{
	static const char *const odd[] = {"NULL", "-4", "'x'", "4611686018427387905"};

	sql(f, "CREATE TABLE step(step INTEGER%s, type TEXT)", rnd(f, 2) ? " PRIMARY KEY" : "");
	sql(f, "CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles, start INTEGER, \"end\" INTEGER)");
	if (rnd(f, 2))
		sql(f, "CREATE INDEX by_step ON step_ipu(step)");
	for (int step = 0; step < STEPS; step++) {
		sql(f, "INSERT INTO step VALUES(%d, 'OnTileExecute')", step);
		for (int ipu = 0; ipu < IPUS; ipu++) {
			unsigned kind = rnd(f, 8), cycles = kind < 4 ? 0 : rnd(f, 4) * 100;

			if (kind == 0)
				continue;
			if (kind == 1)
				sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %s, %d, %d)", step, ipu,
					odd[rnd(f, TS_COUNT(odd))], step * 1000, step * 1000 + 9);
			else
				sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %u, %d, %u)", step, ipu,
					cycles, step * 1000, (unsigned)step * 1000 + cycles);
		}
	}
}

static int64_t
asked(struct fixture *f, const char *query)
{
	sqlite3_stmt *stmt;
	int64_t v = TS_UNKNOWN;

	ck_assert_msg(sqlite3_prepare_v2(f->db, query, -1, &stmt, NULL) == SQLITE_OK, "%s", query);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return v;
}

/* The wanted one first where it has cycles, or where nobody has; else most cycles, else the lowest number. */
static void
same(struct fixture *f, const struct ts_trace *t, int64_t step, int64_t wanted)
{
	int64_t got, expected;
	struct ts_err err = {0};
	char query[600];

	snprintf(query, sizeof(query),
		"WITH r AS (SELECT ipu, cycles FROM step_ipu WHERE step = %lld AND typeof(cycles) = "
		"'integer' AND cycles BETWEEN 0 AND 4611686018427387904) SELECT ipu FROM r ORDER BY "
		"ipu = %lld AND (cycles > 0 OR (SELECT max(cycles) FROM r) = 0) DESC, cycles DESC, ipu",
		(long long)step, (long long)wanted);
	expected = asked(f, query);
	ck_assert_msg(ts_trace_step_ipu(&got, f->reader, t, step, wanted, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_msg(got == expected, "step %lld, wanted %lld: %lld, not %lld", (long long)step,
		(long long)wanted, (long long)got, (long long)expected);
}

static struct ts_trace *
open_trace(struct fixture *f)
{
	struct ts_trace *t;
	struct ts_err err = {0};

	open_report(f);
	ck_assert_msg(ts_trace_open(&t, f->reader, NULL, &err) == TS_OK, "%s", err.msg);
	return t;
}

START_TEST(random_reports)
{
	struct fixture f;
	struct ts_trace *t;

	make_relations(&f, (unsigned)_i + 1);
	fill(&f);
	t = open_trace(&f);
	for (int64_t step = -1; step <= STEPS; step++)
		for (int64_t wanted = -1; wanted <= IPUS; wanted++)
			same(&f, t, step, wanted);
	ts_trace_release(t);
	end(&f);
}
END_TEST

/* No rows by IPU; rows of no step; the same IPU again and again. */
static const char *const odd[] = {"DROP TABLE step_ipu", "DELETE FROM step_ipu",
	"UPDATE step_ipu SET step = NULL", "UPDATE step_ipu SET ipu = -1",
	"UPDATE step_ipu SET start = 'x'"};

START_TEST(no_ipu)
{
	struct fixture f;
	struct ts_trace *t;
	struct ts_err err = {0};
	int64_t ipu = 3;

	make_relations(&f, 7);
	fill(&f);
	sql(&f, "%s", odd[_i]);
	t = open_trace(&f);
	ck_assert_int_eq(ts_trace_step_ipu(&ipu, f.reader, t, 5, 0, &err), TS_OK);
	ck_assert_int_eq(ipu, TS_UNKNOWN);
	ts_trace_release(t);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("step_ipu");
	TCase *tc = tcase_create("step_ipu");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_reports, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, no_ipu, 0, (int)TS_COUNT(odd));
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
