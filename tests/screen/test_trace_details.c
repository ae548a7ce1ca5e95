/* SPDX-License-Identifier: MIT */
/*
 * The tab Details of the Trace view: how the cycles of a step are spread over tiles, and what its compute set runs. Figures of
 * a report that is small enough to be worked out by hand.
 */
#include "config.h"

#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/trace.h"

static struct harness h;

/*
 * Two IPUs of ten tiles. Compute set 5 takes 100 cycles on tile 0, 96 on 1, 95 on 2, 20 on 3 and 1 on 12; compute set 6 has
 * estimates; step 2 says its compute set alone, step 3 nothing, step 4 an exchange that takes 2^32 - 1 cycles on tile 1.
 */
static void
begin(const char *more, int w, int height, enum ts_glyphs glyphs)
{
	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', 2, 1, 10, 1000);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, compute_set "
		"INTEGER, estimated_cycles_by_tile BLOB);"
		"INSERT INTO program VALUES(1, 'OnTileExecute', 'a', 5, NULL),"
		"(2, 'OnTileExecute', 'b', 6, NULL), (4, 'DoExchange', 'x', NULL, "
		"x'00000000ffffffff');"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile "
		"BLOB, estimated_cycles_by_tile BLOB);"
		"INSERT INTO compute_set VALUES(5, 'matMul', x'64000000600000005f00000014000000"
		"0000000000000000000000000000000000000000000000000000000000000000"
		"01000000', NULL), (6, 'add', NULL, x'0a0000000a000000'), (7, 'none', x'', NULL);"
		"CREATE TABLE vertex_type(vertex_type INTEGER PRIMARY KEY, name TEXT, state_bytes "
		"INTEGER);"
		"INSERT INTO vertex_type VALUES(0, 'poplin::Conv', 8), (1, 'popops::Add', 4);"
		"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER, instances "
		"INTEGER); INSERT INTO compute_set_vertex VALUES(5, 0, 40), (5, 1, 2), (6, 1, 1)");
	harness_rows(&h,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER,"
		"  compute_set INTEGER);"
		"INSERT INTO step VALUES(0, 0, 'OnTileExecute', 1, 5), (1, 0, 'OnTileExecute', 2, 6),"
		"(2, 0, 'OnTileExecute', NULL, 5), (3, 0, 'Sync', NULL, NULL),"
		"(4, 0, 'DoExchange', 4, NULL), (5, 0, 'OnTileExecute', NULL, 7);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		" \"end\" INTEGER);"
		"INSERT INTO step_ipu SELECT step, 0, 100, step * 100, step * 100 + 100 FROM step");
	if (more)
		harness_rows(&h, more);
	harness_start(&h, &ts_view_trace, w, height, glyphs);
	harness_settle(&h);
	harness_command(&h, "tab details");
}

START_TEST(bands_are_counted)
{
	begin(NULL, 120, 40, TS_GLYPHS_ASCII);
	harness_says(&h, "compute set 5: 42 vertices of 2 kinds, 40 of poplin::Conv");
	/* 15 of the 20 tiles of both IPUs, which both have some */
	harness_says(&h,
		"5 tiles, measured: mean 62, slowest 100, 15 idle; slowest tiles 0 1 2 3 12");
	harness_says(&h, "91..100        3 ");
	harness_says(&h, "81..90        0 ");
	harness_says(&h, "11..20        1 ");
	harness_says(&h, "1..10        1 ");
	harness_command(&h, "goto 1");
	harness_says(&h, "compute set 6: 1 vertex, popops::Add");
	harness_says(&h, "2 tiles, estimated: mean 10, slowest 10, 8 idle; slowest tiles 0 1");
	harness_command(&h, "goto 2"); /* without a program */
	harness_says(&h, "compute set 5: 42 vertices");
	harness_says(&h, "5 tiles, measured");
	harness_command(&h, "goto 3");
	harness_says(&h, "cycles by tile are not recorded for this step");
	harness_command(&h, "goto 4");
	harness_says(&h, "1 tile, estimated: mean 4,294,967,295, slowest 4,294,967,295, 9 idle");
	harness_says(&h, "3,865,470,566..4,294,967,295        1 ");
	harness_command(&h, "goto 5");
	harness_says(&h, "compute set 7: 0 vertices of 0 kinds");
	harness_says(&h, "0 tiles, measured:");
	harness_end(&h);
}
END_TEST

/* Whatever the size: the rows of the IPUs stay, and 64 of them leave the tiles some rows. */
START_TEST(there_is_room)
{
	begin("INSERT INTO step_ipu WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 63)"
	      " SELECT 0, i, 100, 0, 100 FROM n",
		120, 50, TS_GLYPHS_FULL);
	harness_says(&h, "5 tiles, measured");
	harness_says(&h, "81..100");
	for (int height = 1; height < 45; height += 3) {
		harness_resize(&h, 20 + 2 * height, height);
		harness_settle(&h);
		harness_draw(&h);
	}
	harness_end(&h);
	begin(NULL, 80, 22, TS_GLYPHS_FULL);
	harness_look(&h, "trace-details-80x22");
	harness_resize(&h, 120, 38);
	harness_settle(&h);
	harness_look(&h, "trace-details-120x38");
	harness_end(&h);
}
END_TEST

/* Blobs that are none, of an odd length; tiles beyond the target; no target; no vertices; none of the relations. */
/* The line of titles, without the brackets of the shown one and what stands behind them. */
static void
titles(char out[400])
{
	char *text = harness_text(&h), *line = strstr(text, "Steps"), *end;

	ck_assert_ptr_nonnull(line);
	end = strstr(line, "Debug");
	ck_assert(end && end - line < 390);
	snprintf(out, 400, "%.*s", (int)(end - line), line);
	for (char *p = out; *p; p++)
		if (*p == '[' || *p == ']')
			*p = ' ';
	free(text);
}

/* Titles stay as they are and where they are, whichever tab is shown and whatever it says of itself. */
START_TEST(titles_stay)
{
	static const char *const tabs[] = {"tab details", "tab vertices", "tab longest",
		"tab pipeline", "tab balance", "tab lost"};
	const int widths[] = {100, 112, 120, 140};
	char first[400], next[400];

	begin(NULL, widths[_i], 40, TS_GLYPHS_ASCII);
	harness_command(&h, "tab steps");
	titles(first);
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		harness_command(&h, tabs[i]);
		titles(next);
		ck_assert_str_eq(first, next);
	}
	harness_end(&h);
}
END_TEST

/* Is the word in the line of the heads of columns? */
static bool
head_says(const char *word)
{
	char *text = harness_text(&h), *line = strstr(text, " bal. "), *end;
	bool there;

	ck_assert_ptr_nonnull(line);
	end = line + strcspn(line, "\n");
	*end = '\0';
	while (line > text && line[-1] != '\n')
		line--;
	there = strstr(line, word) != NULL;
	free(text);
	return there;
}

/* What stands over cycles says so, and over times as well, from the next frame on; sorting goes on by what it was called. */
START_TEST(heads_follow_the_unit)
{
	static const char *const tabs[] = {"tab steps", "tab details", "tab longest", "tab hits"};

	begin(NULL, 120, 40, TS_GLYPHS_ASCII);
	h.options.clock_hz = 1e9;
	harness_command(&h, "tab steps");
	harness_command(&h, "executions");
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		harness_command(&h, tabs[i]);
		for (int turn = 0; turn < 4; turn++) {
			bool time = turn % 2;

			h.options.time = time ? TS_TIME_US : TS_TIME_CYCLES;
			harness_settle(&h);
			ck_assert_msg(head_says(" cycles") == !time && head_says(" time") == time,
				"%s, turn %d", tabs[i], turn);
		}
		if (i > 0)
			harness_command(&h, "sort cycles");
	}
	harness_end(&h);
}
END_TEST

START_TEST(hostile)
{
	static const char *const sql[] = {"UPDATE compute_set SET cycles_by_tile = 'text'",
		"UPDATE compute_set SET cycles_by_tile = x'010203'",
		"UPDATE compute_set SET cycles_by_tile = zeroblob(400004)",
		"UPDATE compute_set SET cycles_by_tile = CAST(zeroblob(399996) || x'01000000' AS BLOB)",
		"UPDATE target SET tiles_per_ipu = 4611686018427387904",
		"UPDATE target SET tiles_per_ipu = 0", "DROP TABLE target",
		"DROP TABLE compute_set_vertex", "DROP TABLE vertex_type", "DROP TABLE compute_set",
		"DROP TABLE program",
		"UPDATE compute_set_vertex SET instances = 4611686018427387904",
		"UPDATE vertex_type SET name = x'1b5b41' || char(10) || 'x'",
		"UPDATE step SET compute_set = -5, program = 99"};

	for (size_t i = 0; i < TS_COUNT(sql); i++) {
		struct ts_explain e;

		begin(sql[i], 120, 40, TS_GLYPHS_FULL);
		for (int step = 0; step < 6; step++) {
			char line[20];

			snprintf(line, sizeof(line), "goto %d", step);
			harness_command(&h, line);
			harness_says(&h, step == 3 ? "cycles by tile are not recorded" : "step ");
			ts_explain_init(&e);
			h.view->ops->explain(h.view, &e);
			ck_assert_int_gt(e.count, 0);
		}
		harness_end(&h);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("trace_details");
	TCase *c = tcase_create("details");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(c, bands_are_counted);
	tcase_add_test(c, there_is_room);
	tcase_add_loop_test(c, titles_stay, 0, 4);
	tcase_add_test(c, heads_follow_the_unit);
	tcase_add_test(c, hostile);
	tcase_set_timeout(c, 60);
	suite_add_tcase(suite, c);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
