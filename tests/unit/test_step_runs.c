/* SPDX-License-Identifier: MIT */
/*
 * What steps execute, counted slowly: random steps with numbers that are none, far too large or missing; from the
 * rows, and from the index that was built in several parts. Many pairs, so that the table of the counting overflows.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "index_dir.h"
#include "sqlite_bytes.h"

#include "tilescope/report/memory.h"
#include "tilescope/report/step_runs.h"

enum { STEPS = 40000, FEW = 3000 };

struct truth {
	int64_t program, set;
};

static struct index_dir d;
static struct ts_report *r;
static struct ts_reader *rd;
static struct truth truth[STEPS];
static int steps;
static bool counted[STEPS];
static uint64_t seed;

static int64_t
roll(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((uint32_t)(seed >> 33) % n);
}

/* `many`: more pairs than the table has slots; else a few, again and again. */
static void
make_truth(bool many)
{
	steps = many ? STEPS : FEW;
	for (int i = 0; i < steps; i++) {
		truth[i].program = roll(20) == 0 ? TS_UNKNOWN : roll(many ? 30000 : 12);
		truth[i].set = roll(5) == 0 ? TS_UNKNOWN : roll(many ? 3 : 9);
		if (roll(50) == 0)
			truth[i].set = INT64_C(1) << 62;
	}
}

static void
write_report(const char *path)
{
	sqlite3_stmt *insert;
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite_run(db,
		"PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER,"
		" compute_set INTEGER)");
	ck_assert_int_eq(sqlite3_prepare_v2(db, "INSERT INTO step VALUES(?1, 'Sync', ?2, ?3)", -1,
				 &insert, NULL),
		SQLITE_OK);
	for (int i = 0; i < steps; i++) {
		sqlite3_bind_int64(insert, 1, i);
		/* what is no number names nothing */
		sqlite3_bind_int64(insert, 2, truth[i].program);
		if (truth[i].set < 0)
			sqlite3_bind_null(insert, 3);
		else
			sqlite3_bind_int64(insert, 3, truth[i].set);
		ck_assert_int_eq(sqlite3_step(insert), SQLITE_DONE);
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	sqlite_run(db, "COMMIT");
	sqlite3_close(db);
}

static void
begin(int round, bool spoilt)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};
	char relations[INDEX_PATH], path[INDEX_PATH];

	seed = (uint64_t)round + 3;
	index_dir_begin(&d);
	make_truth(round % 2 == 1);
	snprintf(relations, sizeof(relations), "%s/relations.db", d.dir);
	snprintf(path, sizeof(path), "%s/profile.pop", d.dir);
	write_report(relations);
	relations_profile(relations, path);
	if (spoilt)
		damage_table(path, "steps");
	ck_assert_msg(ts_report_open(&r, path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
}

static void
end(void)
{
	ts_reader_close(rd);
	ts_report_close(r);
	index_dir_end(&d);
}

/* Each run has exactly the steps that name its pair, and no pair is missing. */
static void
check_runs(const struct ts_step_runs *runs)
{
	int64_t all = 0;

	memset(counted, 0, sizeof(counted));
	for (size_t k = 0; k < runs->count; k++) {
		const struct ts_step_run *x = &runs->run[k];

		if (k > 0)
			ck_assert(x[-1].program < x->program ||
				(x[-1].program == x->program &&
					x[-1].compute_set < x->compute_set));
		ck_assert(x->first >= 0 && x->first < steps);
		ck_assert_int_eq(truth[x->first].program, x->program);
		ck_assert_int_eq(truth[x->first].set, x->compute_set);
		ck_assert(!counted[x->first]);
		counted[x->first] = true;
		all += x->steps;
	}
	ck_assert_int_eq(all, steps);
}

/* Of a few pairs: every count and every first step. */
static void
check_slowly(const struct ts_step_runs *runs)
{
	for (size_t k = 0; k < runs->count; k++) {
		int64_t n = 0, first = -1;

		for (int i = 0; i < steps; i++)
			if (truth[i].program == runs->run[k].program &&
				truth[i].set == runs->run[k].compute_set) {
				first = n++ ? first : i;
			}
		ck_assert_int_eq(runs->run[k].steps, n);
		ck_assert_int_eq(runs->run[k].first, first);
	}
}

START_TEST(counts)
{
	struct ts_step_runs from_rows, runs;
	struct ts_err err = {0};
	struct ts_index *x;

	begin(_i, false);
	ck_assert_msg(ts_step_runs_read(&from_rows, rd, &d.c, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_ptr_null(from_rows.index);
	check_runs(&from_rows);
	if (steps == FEW)
		check_slowly(&from_rows);
	x = index_dir_build(&d, r, rd, ts_section_bit(TS_SECTION_RUNS), 1 + _i % 4);
	ts_reader_set_index(rd, x);
	ts_index_release(x);
	ck_assert_msg(ts_step_runs_read(&runs, rd, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_ptr_nonnull(runs.index);
	ck_assert_uint_eq(runs.count, from_rows.count);
	for (size_t i = 0; i < runs.count; i++)
		ck_assert_mem_eq(&runs.run[i], &from_rows.run[i], sizeof(*runs.run));
	ts_step_runs_fini(&runs);
	ts_step_runs_fini(&from_rows);
	ts_reader_set_index(rd, NULL);
	end();
}
END_TEST

/* What can be read counts, and it is said that this is not all. */
START_TEST(damage)
{
	struct ts_step_runs runs;
	struct ts_err err = {0};
	int64_t all = 0;

	begin(0, true);
	ck_assert_int_eq(ts_step_runs_read(&runs, rd, &d.c, NULL, &err), TS_E_DAMAGED);
	for (size_t i = 0; i < runs.count; i++)
		all += runs.run[i].steps;
	ck_assert(all > 0 && all < steps);
	ts_step_runs_fini(&runs);
	end();
}
END_TEST

START_TEST(cancelled)
{
	struct ts_step_runs runs;
	struct ts_cancel token;
	struct ts_err err = {0};

	begin(1, false);
	ts_cancel_clear(&token);
	ts_cancel_set(&token);
	ts_reader_set_cancel(rd, &token);
	ck_assert_int_eq(ts_step_runs_read(&runs, rd, &d.c, NULL, &err), TS_E_CANCELLED);
	ck_assert_uint_eq(runs.count, 0);
	ts_step_runs_fini(&runs);
	ts_reader_set_cancel(rd, NULL);
	end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("step runs");
	TCase *t = tcase_create("runs");
	SRunner *run;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, counts, 0, 4);
	tcase_add_test(t, damage);
	tcase_add_test(t, cancelled);
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
