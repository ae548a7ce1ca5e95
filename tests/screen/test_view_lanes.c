/* SPDX-License-Identifier: MIT */
/*
 * Lanes of the Trace view: which there are, how high they are, the second row where steps overlap, and classes
 * that are hidden, which changes no figure.
 */
#include "config.h"

#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/trace.h"

static struct harness h;

static void
begin(const char *sql, int w, int height)
{
	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER,"
		"  compute_set INTEGER, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		"  \"end\" INTEGER, active_tiles INTEGER, tile_balance REAL, data_in INTEGER,"
		"  data_out INTEGER)");
	harness_rows(&h, sql);
	harness_start(&h, &ts_view_trace, w, height, TS_GLYPHS_ASCII);
	harness_settle(&h);
}

/* Steps in turn of 1000 cycles on so many IPUs: compute, exchange, sync, a wait for the host. */
static void
plain(int ipus, int w, int height)
{
	char sql[900];

	snprintf(sql, sizeof(sql),
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39) INSERT INTO step "
		"SELECT i, 0, CASE i %% 4 WHEN 0 THEN 'OnTileExecute' WHEN 1 THEN 'DoExchange' "
		"WHEN 2 THEN 'Sync' ELSE 'StreamCopyBegin' END, i, NULL, 'layer' || (i / 4) FROM n;"
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO step_ipu "
		"SELECT step, i, 1000, step * 1000, step * 1000 + 1000, 5, 0.5, 10, 20 "
		"FROM step, n ORDER BY step, i",
		ipus - 1);
	begin(sql, w, height);
}

static bool
bell(const char *line)
{
	return harness_command(&h, line) & TS_EFFECT_BELL;
}

static void
address(struct ts_strbuf *out)
{
	ts_strbuf_init(out, 1000);
	for (const struct ts_view_arg *a = ts_view_trace.args; a->name; a++) {
		struct ts_strbuf value;

		ts_strbuf_init(&value, 400);
		if (a->get && a->get(h.view, &value))
			ts_strbuf_printf(out, "%s=%s ", a->name, value.s);
		ts_strbuf_fini(&value);
	}
}

static void
says_address(const char *words)
{
	struct ts_strbuf out;

	address(&out);
	ck_assert_msg(strstr(out.s, words), "no %s in %s", words, out.s);
	ts_strbuf_fini(&out);
}

START_TEST(lanes_are_chosen)
{
	plain(7, 80, 24);
	harness_says(&h, "ipu 6");
	harness_command(&h, "lanes 1,3-4");
	harness_says(&h, ">ipu 1");
	harness_says(&h, "ipu 4");
	ck_assert(!harness_has(&h, "ipu 2"));
	harness_says(&h, "3 of 7 ipus");
	says_address("lanes=1,3-4 ");
	ck_assert(!bell("ipu-next"));
	harness_says(&h, ">ipu 3");
	ck_assert(!bell("ipu-next"));
	ck_assert(bell("ipu-next"));
	ck_assert(bell("lanes 9-12"));
	ck_assert(bell("lanes x"));
	ck_assert(bell("lanes 1,,-"));
	harness_says(&h, ">ipu 4");
	ck_assert(!bell("lanes 0-999999999999999999999999"));
	harness_says(&h, "ipu 0");
	ck_assert(!bell("lanes 5"));
	ck_assert(!bell("lanes"));
	harness_says(&h, ">ipu 5");
	harness_end(&h);
}
END_TEST

START_TEST(many_lanes_scroll)
{
	plain(64, 80, 24);
	for (int i = 0; i < 63; i++)
		ck_assert(!bell("ipu-next"));
	ck_assert(bell("ipu-next"));
	harness_says(&h, ">ipu 63");
	harness_says(&h, "of 64 ipus");
	harness_command(&h, "unfold");
	harness_says(&h, ">ipu 63");
	says_address("fold=unfolded");
	harness_command(&h, "lane-fold");
	harness_says(&h, ">ipu 63");
	harness_command(&h, "fold");
	harness_command(&h, "pane-zoom");
	harness_says(&h, "ipu 50"); /* one row each */
	harness_command(&h, "fold");
	harness_says(&h, ">ipu 63");
	harness_end(&h);
}
END_TEST

/* As many lanes as there is room for, a row each; unfolded some rows each; it says how many of all these are. */
static const struct {
	const char *name;
	int w, h;
	const char *command;
} many_looks[] = {
	{"lanes-64-80x24", 80, 24, "fold"},
	{"lanes-64-unfolded-80x24", 80, 24, "unfold"},
	{"lanes-64-120x40", 120, 40, "fold"},
	{"lanes-64-200x60", 200, 60, "fold"},
};

START_TEST(many_lanes_look)
{
	plain(64, many_looks[_i].w, many_looks[_i].h);
	for (int i = 0; i < 40; i++)
		ck_assert(!bell("ipu-next"));
	harness_command(&h, many_looks[_i].command);
	harness_says(&h, ">ipu 40");
	harness_look(&h, many_looks[_i].name);
	harness_end(&h);
}
END_TEST

/* A copy that runs all the time, beside compute; three at once in the end; another IPU without overlap. */
#define OVERLAPPED                                                                     \
	"INSERT INTO step VALUES (0, 0, 'StreamCopyMid', 0, NULL, 'in'), "             \
	"(1, 0, 'OnTileExecute', 1, NULL, 'a'), (2, 0, 'DoExchange', 2, NULL, 'b'), "  \
	"(3, 0, 'OnTileExecute', 3, NULL, 'c');"                                       \
	"INSERT INTO step_ipu VALUES (0, 0, 9000, 0, 9000, 1, 1, 0, 0), "              \
	"(0, 1, 1000, 0, 1000, 1, 1, 0, 0), (1, 0, 3000, 0, 3000, 1, 1, 0, 0), "       \
	"(2, 0, 3000, 3000, 6000, 1, 1, 0, 0), (3, 0, 3000, 6000, 9000, 1, 1, 0, 0), " \
	"(3, 1, 3000, 6000, 9000, 1, 1, 0, 0)"

START_TEST(overlapping_steps_have_a_row)
{
	begin(OVERLAPPED, 60, 20);
	harness_says(&h, ">ipu 0  |CCCCCCCCCCCCCCCC|xxxxxxxxxxxxxxxx|CCCCCCCCCCCCCCCC");
	harness_says(&h, "\n  i/o   mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm");
	ck_assert(harness_has(&h, " ipu 1  |mm"));
	harness_command(&h, "lane-fold"); /* what is not seen is said */
	harness_says(&h, ">ipu 0 +");
	ck_assert(!harness_has(&h, "i/o"));
	harness_command(&h, "lane-fold");
	harness_says(&h, "  i/o   mmmm");
	ck_assert(!harness_has(&h, "3 or more"));
	harness_end(&h);
	begin(OVERLAPPED "; INSERT INTO step VALUES (4, 0, 'StreamCopyBegin', 4, NULL, 'd');"
			 "INSERT INTO step_ipu VALUES (4, 0, 1000, 8000, 9000, 1, 1, 0, 0)",
		60, 20);
	harness_says(&h, "overlaps hidden");
	harness_end(&h);
}
END_TEST

/* All figures that `=` tells of. */
static void
figures(struct ts_strbuf *out)
{
	struct ts_explain *e = ts_alloc(1, sizeof(*e));
	char exact[TS_EXPLAIN_SHOWN];

	ck_assert_ptr_nonnull(e);
	ts_explain_init(e);
	h.view->ops->explain(h.view, e);
	ts_strbuf_init(out, 1 << 16);
	for (int i = 0; i < e->count; i++)
		ts_strbuf_printf(out, "%s: %s\n", e->figure[i].title,
			ts_explain_exact(&e->figure[i], exact));
	free(e);
}

START_TEST(hidden_classes_change_no_figure)
{
	static const char *const hide[] = {"series", "series exchange,s", "series host_wait",
		"series compute", "series all"};
	struct ts_strbuf before, now;

	plain(2, 120, 30);
	harness_command(&h, "search layer3");
	figures(&before);
	ck_assert(strstr(before.s, "3") != NULL);
	for (size_t i = 0; i < TS_COUNT(hide); i++) {
		ck_assert(!bell(hide[i]));
		figures(&now);
		ck_assert_str_eq(before.s, now.s);
		ts_strbuf_fini(&now);
		harness_says(&h, "4 hits, 10.0% of ipu 0");
	}
	ck_assert(!bell("series x"));
	says_address("hidden=exchange ");
	harness_says(&h, "- exchange");
	ck_assert(bell("series colour"));
	ck_assert(bell("series compute,,x"));
	says_address("hidden=exchange ");
	ts_strbuf_fini(&before);
	harness_end(&h);
}
END_TEST

/* Marked steps are added up for the selected IPU; a range is zoomed to; both go away. */
START_TEST(marks_are_added_up)
{
	plain(2, 120, 30);
	harness_command(&h, "mark");
	harness_says(&h, "1 marked: 1,000 cycles on ipu 0, 2.5% of all");
	harness_command(&h, "goto 7");
	harness_command(&h, "mark");
	harness_says(&h, "2 marked: 2,000 cycles on ipu 0, 5.0% of all");
	harness_command(&h, "ipu-next");
	harness_says(&h, "2 marked: 2,000 cycles on ipu 1, 5.0% of all");
	ck_assert(!bell("zoom-selection"));
	says_address("zoom=0-8000 ");
	harness_command(&h, "mark");
	harness_says(&h, "1 marked: 1,000 cycles");
	harness_command(&h, "marks-clear");
	ck_assert(!harness_has(&h, "marked"));
	ck_assert(bell("zoom-selection"));
	harness_command(&h, "zoom-fit");
	harness_command(&h, "goto 4");
	harness_command(&h, "range");
	harness_command(&h, "goto 5");
	harness_command(&h, "range");
	ck_assert(!bell("zoom-selection"));
	says_address("zoom=4000-6000 ");
	harness_end(&h);
}
END_TEST

static enum ts_arg_state
go_to_address(const char *name, const char *value)
{
	for (const struct ts_view_arg *a = ts_view_trace.args; a->name; a++)
		if (strcmp(a->name, name) == 0 && a->set) {
			enum ts_arg_state state = a->set(h.view, value);

			harness_settle(&h);
			return state;
		}
	ck_abort_msg("no %s", name);
}

/* The address has marks and range; they come back, and the range stands in the overview. */
START_TEST(marks_are_in_the_address)
{
	static const char *const bad[] = {"", "x", "3-", "-3", "5-3", "40", "0-40", "3,", "3;4",
		"99999999999999999999", "3-99999999999999999999"};

	plain(2, 48, 30); /* 40 columns of 1000 cycles */
	ck_assert_int_eq(go_to_address("marks", "9,3-5,4"), TS_ARG_DONE);
	harness_says(&h, "4 marked: 4,000 cycles on ipu 0, 10.0% of all");
	says_address("marks=3-5,9 ");
	for (size_t i = 0; i < TS_COUNT(bad); i++)
		ck_assert_int_eq(go_to_address("marks", bad[i]), TS_ARG_NO);
	says_address("marks=3-5,9 ");
	ck_assert(!harness_has(&h, "<"));
	ck_assert_int_eq(go_to_address("range", "8000-12000"), TS_ARG_DONE);
	says_address("range=8000-12000 ");
	harness_says(&h, "<__>");
	ck_assert_int_eq(go_to_address("range", "39000-999999"), TS_ARG_DONE);
	says_address("range=39000-40000 ");
	ck_assert_int_eq(go_to_address("range", "40000-50000"), TS_ARG_NO);
	ck_assert_int_eq(go_to_address("zoom", "30000-34000"), TS_ARG_DONE);
	says_address("zoom=30000-34000 ipu=0 step=30 ");
	h.view->ops->reload(h.view);
	harness_settle(&h);
	harness_command(&h, "zoom-fit");
	harness_command(&h, "goto 0");
	for (const struct ts_view_arg *a = ts_view_trace.args; a->name; a++)
		if (strcmp(a->name, "zoom") ==
			0) /* both before any answer, as an address has them */
			a->set(h.view, "30000-34000");
		else if (strcmp(a->name, "ipu") == 0)
			a->set(h.view, "1");
	harness_settle(&h);
	says_address("zoom=30000-34000 ipu=1 step=30 ");
	harness_command(&h, "zoom-fit");
	harness_command(&h, "marks-clear");
	harness_command(&h, "goto 20");
	harness_command(&h, "range"); /* it has begun */
	harness_says(&h, "#___|___#");
	harness_end(&h);
	plain(1, 48, 30);
	harness_sql(&h, "DROP TABLE steps_by_ipu");
	harness_stop(&h);
	harness_start(&h, &ts_view_trace, 48, 30, TS_GLYPHS_ASCII);
	ck_assert_int_eq(go_to_address("marks", "3"), TS_ARG_LATER); /* nothing is there yet */
	harness_settle(&h);
	ck_assert_int_eq(go_to_address("marks", "3"), TS_ARG_DONE);
	ck_assert_int_eq(go_to_address("range", "0-1"), TS_ARG_NO);
	harness_end(&h);
}
END_TEST

static void
stands_on(const char *step)
{
	char words[40];

	snprintf(words, sizeof(words), "\nstep %s  ", step);
	harness_says(&h, words);
}

START_TEST(jumps_lead_there)
{
	plain(1, 120, 30);
	harness_command(&h, "jump class");
	stands_on("4");
	harness_command(&h, "jump class");
	stands_on("8");
	harness_command(&h, "jump step");
	stands_on("9");
	harness_command(&h, "jump class");
	stands_on("13");
	harness_command(&h, "jump-back class");
	stands_on("9");
	harness_command(&h, "jump-back step");
	stands_on("8");
	harness_command(&h, "jump gap");
	stands_on("8");
	harness_command(&h, "executions");
	harness_says(&h, "1 of 1 with \"program:8\"");
	ck_assert(bell("jump run"));
	ck_assert(bell("jump nowhere"));
	harness_end(&h);
	begin(OVERLAPPED "; INSERT INTO step VALUES (4, 0, 'StreamCopyBegin', 4, NULL, 'd');"
			 "INSERT INTO step_ipu VALUES (4, 0, 500, 12000, 12500, 1, 1, 0, 0)",
		100, 30);
	harness_command(&h, "jump gap");
	harness_says(&h, ">ipu 0");
	ck_assert(strstr(h.env.message, "runs nothing for 3,000 cycles"));
	harness_command(&h, "jump longest");
	stands_on("0");
	harness_command(&h, "tab longest");
	harness_says(&h, "5 longest in sight");
	harness_command(&h, "tab steps");
	harness_command(&h, "sort"); /* one key from the list; marks are of its rows there */
	harness_command(&h, "down");
	harness_command(&h, "mark");
	harness_command(&h, "down");
	harness_command(&h, "mark");
	harness_says(&h, "2 marked: 6,000 cycles on ipu 0");
	harness_command(&h, "mark");
	harness_says(&h, "1 marked: 3,000 cycles on ipu 0");
	says_address("marks=1 ");
	says_address("tab=longest ");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("view_lanes");
	TCase *lanes = tcase_create("lanes");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(lanes, lanes_are_chosen);
	tcase_add_test(lanes, many_lanes_scroll);
	tcase_add_loop_test(lanes, many_lanes_look, 0, (int)TS_COUNT(many_looks));
	tcase_add_test(lanes, overlapping_steps_have_a_row);
	tcase_add_test(lanes, hidden_classes_change_no_figure);
	tcase_add_test(lanes, marks_are_added_up);
	tcase_add_test(lanes, marks_are_in_the_address);
	tcase_add_test(lanes, jumps_lead_there);
	suite_add_tcase(suite, lanes);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
