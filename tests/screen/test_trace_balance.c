/* SPDX-License-Identifier: MIT */
/*
 * The tabs Balance and Lost of the Trace view: figures of a report small enough to be worked out by hand, what they are
 * of, and what is said where something is not recorded.
 */
#include "config.h"

#include "view_harness.h"

#include "tilescope/view/trace.h"

static struct harness h;

/*
 * IPU 0 computes in [0, 100), where a copy runs beside it in [50, 150), and moves 400 bytes out in [150, 200). Two tiles
 * an IPU; the compute set takes 100 and 40 cycles: 60 tile-cycles are lost, 30 cycles of 200 would be saved.
 */
static void
tables(void)
{
	harness_dir(&h);
	harness_sql(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', 1, 1, 2, 1000);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile "
		"BLOB); INSERT INTO compute_set VALUES(0, 'matMul', x'6400000028000000'),"
		"(1, 'other', NULL);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, compute_set "
		"INTEGER); INSERT INTO step VALUES(0, 0, 'OnTileExecute', 0),"
		"(1, 0, 'StreamCopyMid', NULL), (2, 1, 'GlobalExchange', NULL);"
		"CREATE TABLE run(run INTEGER, name TEXT, first_step INTEGER, step_count INTEGER);"
		"INSERT INTO run VALUES(0, 'a', 0, 2), (1, 'b', 2, 1);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		" \"end\" INTEGER, data_in INTEGER, data_out INTEGER, tile_balance REAL);"
		"INSERT INTO step_ipu VALUES(0, 0, 100, 0, 100, 0, 0, 0.7),"
		"(1, 0, 100, 50, 150, 200, 0, 1.0), (2, 0, 50, 150, 200, 0, 400, 0.5)");
}

static void
start(int w, int height, const char *tab)
{
	harness_start(&h, &ts_view_trace, w, height, TS_GLYPHS_ASCII);
	harness_settle(&h);
	harness_command(&h, tab);
	harness_command(&h, "pane-zoom");
}

START_TEST(overlap_is_intersected)
{
	tables();
	start(200, 20, "tab balance");
	harness_says(&h, "everything: 200");
	/* compute, global exchange, copy; idle 0; overlap 50 of 200, half of the copy covered */
	harness_says(&h,
		"   0  50.0%     0%  25.0%     0%     0%     0%  50.0%     0%     0%     0%  "
		"25.0%  50.0%");
	/* (70 + 100 + 25) of 250 cycles; 70 of 200 cycles of both tiles compute */
	harness_says(&h, "78.0%  35.0%");
	harness_says(&h, "200B        0  2.00 B/c        0     400B  8.00 B/c");
	harness_command(&h, "scope run");
	harness_says(&h, "run 0: 150");
	harness_says(&h, "   0  66.7%     0%     0%");
	harness_command(&h, "goto 2");
	harness_says(&h, "run 1: 50");
	harness_says(&h, "   0     0%     0%   100%");
	ck_assert(harness_command(&h, "scope nothing") & TS_EFFECT_BELL);
	harness_command(&h, "scope range");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no range is marked"));
	harness_says(&h, "everything: 200");
	harness_command(&h, "pane-zoom");
	harness_command(&h, "tab steps");
	harness_command(&h, "goto 0");
	harness_command(&h, "range");
	harness_command(&h, "goto 1");
	harness_command(&h, "range");
	harness_command(&h, "tab balance");
	harness_says(&h, "marked range: ");
	harness_end(&h);
}
END_TEST

/* The wait that the profiler inflated has its sign, wherever its cycles are shown. */
START_TEST(artefact_is_marked)
{
	tables();
	harness_sql(&h, "UPDATE step SET type = 'StreamCopyBegin' WHERE step = 2");
	start(200, 20, "tab balance");
	harness_says(&h, "! everything: 200, profiler's wait in it");
	harness_command(&h, "tab longest");
	harness_says(&h, " !50 ");
	harness_end(&h);
}
END_TEST

START_TEST(lost_is_ranked)
{
	tables();
	start(160, 20, "tab lost");
	harness_says(&h, "the first saves 15.0%");
	harness_says(&h,
		"60 tile-cycles lost in 1 compute set, measured once, repeated; 1 more not "
		"by tile");
	harness_says(&h, "70.0%");
	harness_command(&h, "open");
	harness_command(&h, "filter lost>100");
	harness_says(&h, "0 of 0 match");
	harness_command(&h, "tab steps");
	harness_says(&h, "1 hit, 40.0% of ipu 0");
	harness_end(&h);
}
END_TEST

START_TEST(what_is_not_recorded_is_said)
{
	tables();
	harness_sql(&h,
		"ALTER TABLE compute_set DROP COLUMN cycles_by_tile;"
		"ALTER TABLE step_ipu DROP COLUMN tile_balance;"
		"ALTER TABLE step_ipu DROP COLUMN data_in;"
		"ALTER TABLE step_ipu DROP COLUMN data_out");
	start(200, 20, "tab balance");
	ck_assert(!harness_has(&h, " Lost "));
	harness_says(&h, "   0  50.0%     0%  25.0%");
	ck_assert(!harness_has(&h, "200  "));
	harness_end(&h);
	tables();
	harness_sql(&h, "DROP TABLE step_ipu");
	start(120, 24, "tab steps");
	ck_assert(!harness_has(&h, " Balance "));
	harness_end(&h);
	tables();
	harness_sql(&h, "UPDATE report SET value = 'ipu' WHERE key = 'compute_instrumentation'");
	start(120, 24, "tab lost");
	harness_says(&h, "measured on one tile of an IPU only");
	harness_end(&h);
}
END_TEST

/* The columns that stay where it is narrow; the pinned total stands in the columns of the table. */
START_TEST(it_fits)
{
	const struct ts_demo_options o = {.layout = TS_DEMO_STORE, .ipus = 3};

	harness_demo(&h, &o);
	start(80, 20, "tab balance");
	harness_command(&h, "scope all");
	harness_says(&h,
		" ipu  comp.  exch.  glob.   sync  ext.s   wait   copy   idle   bal.   util");
	harness_says(&h, "   2  33.2%");
	harness_says(&h, " all  38.5%");
	harness_says(&h, "everything: ");
	harness_says(&h, " cycles, profiler's wait in it");
	harness_resize(&h, 120, 20);
	harness_settle(&h);
	harness_says(&h, "host in      out  glob in      out");
	harness_command(&h, "tab lost");
	harness_says(&h, "tile-cycles lost in ");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("trace_balance");
	TCase *tc = tcase_create("tabs");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, overlap_is_intersected);
	tcase_add_test(tc, artefact_is_marked);
	tcase_add_test(tc, lost_is_ranked);
	tcase_add_test(tc, what_is_not_recorded_is_said);
	tcase_add_test(tc, it_fits);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
