/* SPDX-License-Identifier: MIT */
/*
 * The flame graphs of the Trace view: along the time of an IPU, and merged. What a frame says of itself is held against
 * SQL on the report; the keys walk from frame to frame; what is not there, stopped or hostile is said.
 */
#include "config.h"

#define HARNESS_OLD_LAYOUT

#include <locale.h>

#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/trace.h"

static struct harness h;

static const struct ts_demo_options small = {.layout = TS_DEMO_STORE,
	.ipus = 2,
	.tiles = 16,
	.steps = 300,
	.variables = 600};

static void
demo(int w, int height, enum ts_glyphs glyphs)
{
	harness_demo(&h, &small);
	harness_start(&h, &ts_view_trace, w, height, glyphs);
	harness_settle(&h);
}

/* Two layers of 30 steps each in two runs, on IPU 0; IPU 3 does every third. */
static void
made(const char *more, int w, int height)
{
	harness_dir(&h);
	harness_sql(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE run(run INTEGER PRIMARY KEY, name TEXT, first_step INTEGER, step_count INTEGER);"
		"INSERT INTO run VALUES(0, 'train', 0, 30), (1, 'train', 30, 30);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER,"
		"  compute_set INTEGER, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		"  \"end\" INTEGER)");
	harness_sql(&h,
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) INSERT INTO step "
		"SELECT i, i / 30, CASE i % 2 WHEN 0 THEN 'OnTileExecute' ELSE 'DoExchange' END, i, NULL,"
		"  CASE WHEN i % 30 < 20 THEN 'net/conv' ELSE 'net/pool' END FROM n;"
		"INSERT INTO step_ipu SELECT step, ipu, 100, step * 100, step * 100 + 100 FROM step,"
		"  (SELECT 0 AS ipu UNION SELECT 3) WHERE ipu = 0 OR step % 3 = 0 ORDER BY step, ipu");
	if (more)
		harness_sql(&h, more);
	harness_start(&h, &ts_view_trace, w, height, TS_GLYPHS_ASCII);
	harness_settle(&h);
}

static bool
bell(const char *line)
{
	return harness_command(&h, line) & TS_EFFECT_BELL;
}

/* NULL: the address does not have it. */
static void
says_address(const char *name, const char *value)
{
	struct ts_strbuf out;
	bool found = false;

	for (const struct ts_view_arg *a = ts_view_trace.args; a->name; a++) {
		ts_strbuf_init(&out, 400);
		if (strcmp(a->name, name) == 0 && a->get(h.view, &out)) {
			ck_assert_pstr_eq(out.s, value);
			found = true;
		}
		ts_strbuf_fini(&out);
	}
	ck_assert_msg(found == (value != NULL), "no %s", name);
}

START_TEST(golden_screens)
{
	demo(80, 21, TS_GLYPHS_FULL);
	harness_command(&h, "pane-zoom"); /* without the tabs, which others change */
	harness_command(&h, "drawing flame");
	for (int i = 0; i < 4; i++)
		harness_command(&h, "down");
	harness_look(&h, "flame-80x21");
	harness_resize(&h, 120, 37);
	harness_settle(&h);
	harness_look(&h, "flame-120x37");
	harness_command(&h, "drawing merged");
	for (int i = 0; i < 4; i++)
		harness_command(&h, "down");
	harness_look(&h, "merged-120x37");
	harness_command(&h, "search matMul");
	h.canvas->mono = true;
	harness_resize(&h, 80, 21);
	harness_settle(&h);
	harness_look(&h, "merged-mono-80x21");
	harness_end(&h);
}
END_TEST

START_TEST(golden_screens_of_ascii)
{
	demo(80, 21, TS_GLYPHS_ASCII);
	harness_command(&h, "pane-zoom");
	harness_command(&h, "drawing flame");
	harness_command(&h, "down");
	harness_look(&h, "flame-ascii-80x21");
	harness_command(&h, "drawing merged");
	harness_command(&h, "down");
	harness_command(&h, "open");
	harness_look(&h, "merged-ascii-80x21");
	harness_end(&h);
}
END_TEST

/* --- along the time --------------------------------------------------------------------------------- */

/* A command, and what the screen says then; "" in its place: the bell rings. */
struct turn {
	const char *command, *says;
};

static void
walk(const struct turn *turn, size_t n)
{
	for (; n-- > 0; turn++)
		if (*turn->says) {
			harness_command(&h, turn->command);
			harness_says(&h, turn->says);
		} else {
			ck_assert_msg(bell(turn->command), "%s", turn->command);
		}
}

START_TEST(frames_are_walked)
{
	static const struct turn turns[] = {{"drawing flame", "|Engine::run"},
		{"drawing flame", "3,000 cycles  100% of run 0  30 steps  Engine::run"},
		{"down", "30 steps  net"},
		{"down", "2,000 cycles  66.7% of run 0  20 steps  net/conv"},
		{"right", "1,000 cycles  33.3% of run 0  10 steps  net/pool"},
		/* the same frame of the next run is another box */
		{"right", "2,000 cycles  66.7% of run 1  20 steps  net/conv"},
		{"left", "10 steps  net/pool"}, {"left", "20 steps  net/conv"}, {"left", ""},
		{"open", "2,000 cycles  66.7% of run 0  20 steps  net/conv"}, {"open", ""},
		{"down", "1 step  net/conv/OnTileExecute"}, {"down", ""},
		{"right", "1 step  net/conv/DoExchange"}, {"back", "net/conv"}};

	made(NULL, 80, 24);
	walk(turns, 9);
	says_address("drawing", "flame");
	walk(turns + 9, 2);
	says_address("zoom", "0-2000");
	walk(turns + 11, TS_COUNT(turns) - 11);
	ck_assert(harness_command(&h, "back") & TS_EFFECT_UNKNOWN); /* the program's own */
	for (int i = 0; i < 3; i++)
		harness_command(&h, "up");
	ck_assert(bell("up"));
	harness_end(&h);
}
END_TEST

START_TEST(another_ipu_has_another_flame)
{
	made(NULL, 80, 24);
	harness_command(&h, "drawing flame");
	harness_command(&h, "ipu-next");
	harness_says(&h, ">ipu 3");
	harness_command(&h, "goto 0");
	harness_says(&h, "1,000 cycles  33.3% of run 0  10 steps  Engine::run");
	harness_end(&h);
}
END_TEST

START_TEST(hidden_classes_and_hits)
{
	made(NULL, 80, 24);
	harness_command(&h, "drawing flame");
	harness_command(&h, "series exchange");
	harness_says(&h, "some hidden");
	harness_command(&h, "search pool");
	harness_says(&h, "pool");
	harness_end(&h);
}
END_TEST

/* --- merged ----------------------------------------------------------------------------------------- */

START_TEST(figures_are_those_of_sql)
{
	char want[200], n[TS_FMT_MAX], steps[TS_FMT_MAX];

	demo(120, 37, TS_GLYPHS_FULL);
	harness_command(&h, "drawing merged");
	for (int ipu = 0; ipu < 2; ipu++) {
		snprintf(want, sizeof(want), "%s cycles",
			ts_fmt_count(n,
				harness_number(&h,
					"SELECT sum(cycles) FROM step_ipu WHERE ipu = %d", ipu)));
		harness_says(&h, want);
		snprintf(want, sizeof(want), "%s steps  Engine::run",
			ts_fmt_count(steps,
				harness_number(&h, "SELECT count(*) FROM step_ipu WHERE ipu = %d",
					ipu)));
		harness_says(&h, want);
		harness_command(&h, "ipu-next");
	}
	harness_command(&h, "merge-ipus");
	says_address("ipus", "yes");
	snprintf(want, sizeof(want), "%s cycles",
		ts_fmt_count(n, harness_number(&h, "SELECT sum(cycles) FROM step_ipu")));
	harness_says(&h, want);
	harness_says(&h, "of all of all ipus");
	harness_command(&h, "merge run");
	says_address("merge", "run");
	snprintf(want, sizeof(want), "%s cycles",
		ts_fmt_count(n,
			harness_number(&h,
				"SELECT sum(cycles) FROM step_ipu, run WHERE run = 0 AND step >= first_step AND step < first_step + step_count")));
	harness_says(&h, want);
	harness_end(&h);
}
END_TEST

START_TEST(the_heaviest_is_on_the_left)
{
	static const struct turn turns[] =
		{{"merge all", "6,000 cycles  100% of all of ipu 0  60 steps  Engine::run"},
			{"down", "60 steps  net"},
			{"down", "4,000 cycles  66.7% of all of ipu 0  40 steps  net/conv"},
			{"right", "2,000 cycles  33.3% of all of ipu 0  20 steps  net/pool"},
			{"right", ""}, {"open", ">ipu 0  |pool"}, {"open", ""}, {"left", ""},
			{"down", "10 steps  net/pool/DoExchange"}, {"down", ""}, {"back", "|pool"},
			{"back", ">ipu 0  |Engine::run"}};

	made(NULL, 80, 24);
	walk(turns, TS_COUNT(turns));
	says_address("drawing", "merged");
	ck_assert(harness_command(&h, "back") & TS_EFFECT_UNKNOWN);
	harness_command(&h, "merge view"); /* all of it */
	says_address("merge", "view");
	harness_says(&h, "what was in sight of ipu 0");
	ck_assert(bell("merge nothing"));
	harness_end(&h);
}
END_TEST

START_TEST(a_range_is_merged)
{
	made(NULL, 80, 24);
	harness_command(&h, "drawing flame");
	harness_command(&h, "down");
	harness_command(&h, "down");
	harness_command(&h, "open"); /* conv of run 0 */
	harness_command(&h, "merge view");
	harness_says(&h, "2,000 cycles  100% of what was in sight of ipu 0  20 steps");
	harness_command(&h, "ipu-next");
	harness_says(&h, "700 cycles  35.0% of what was in sight of ipu 3  7 steps");
	harness_command(&h, "merge run");
	harness_says(&h, "1,000 cycles  33.3% of run 0 of ipu 3  10 steps");
	harness_command(&h, "merge"); /* nothing is marked */
	says_address("drawing", "merged");
	harness_says(&h, "of all of ipu 3");
	harness_command(&h, "ipu-previous");
	harness_command(&h, "merge view");
	harness_says(&h, "2,000 cycles");
	harness_command(&h, "drawing lanes");
	harness_command(&h, "zoom-fit");
	harness_command(&h, "goto 10");
	harness_command(&h, "range");
	harness_command(&h, "goto 15");
	harness_command(&h, "range");
	harness_command(&h, "merge marks");
	says_address("merge", "marks");
	harness_says(&h, "600 cycles  100% of the marks of ipu 0  6 steps");
	harness_end(&h);
}
END_TEST

START_TEST(hits_have_a_share)
{
	made(NULL, 100, 24);
	harness_command(&h, "merge all");
	harness_command(&h, "search pool");
	harness_says(&h, "1 frame, 33.3% of the cycles");
	harness_command(&h, "search-next");
	harness_says(&h, "20 steps  net/pool");
	harness_command(&h, "search o"); /* conv, pool, and what is in them counts once */
	harness_says(&h, "100% of the cycles");
	harness_end(&h);
}
END_TEST

static enum ts_arg_state
set_address(const char *name, const char *value)
{
	enum ts_arg_state state = TS_ARG_NO;

	for (const struct ts_view_arg *a = ts_view_trace.args; a->name; a++)
		if (strcmp(a->name, name) == 0)
			state = a->set(h.view, value);
	harness_settle(&h);
	return state;
}

static enum ts_arg_state
go_to_frame(const char *value)
{
	return set_address("frame", value);
}

/* The address has the frame that is zoomed to, and the one under the cursor in it. */
START_TEST(an_address_has_both_frames)
{
	made(NULL, 80, 24);
	harness_command(&h, "merge all");
	says_address("inside", NULL);
	harness_command(&h, "down");
	harness_command(&h, "down");
	says_address("inside", NULL);
	harness_command(&h, "open");
	says_address("inside", "Engine::run;net;conv");
	harness_command(&h, "down");
	says_address("inside", "Engine::run;net;conv");
	says_address("frame", "Engine::run;net;conv;DoExchange");
	ck_assert_int_eq(set_address("inside", "Engine::run;net;nothing"), TS_ARG_NO);
	ck_assert_int_eq(set_address("inside", "Engine::run;net"), TS_ARG_DONE);
	ck_assert_int_eq(go_to_frame("Engine::run;net;pool"), TS_ARG_DONE);
	says_address("inside", "Engine::run;net");
	says_address("frame", "Engine::run;net;pool");
	harness_says(&h, ">ipu 0  |net");
	harness_command(&h, "drawing flame");
	says_address("inside", NULL);
	ck_assert_int_eq(set_address("inside", "Engine::run"), TS_ARG_NO);
	harness_end(&h);
}
END_TEST

/* The tab Frame: the stack, the frame, what is in it; its figures are SQL's. Enter goes there; the address has it. */
START_TEST(a_frame_has_a_tab)
{
	struct ts_explain e;
	int queries = 0;

	made(NULL, 110, 36);
	ck_assert(bell("tab frame")); /* no flame graph is shown */
	harness_command(&h, "drawing merged");
	harness_command(&h, "tab frame");
	harness_says(&h, "[Frame]");
	harness_says(&h, "1 in it, of all of ipu 0");
	harness_says(&h, "\nEngine::run");
	harness_says(&h, "\n net ");
	harness_command(&h, "pane-next"); /* the drawing */
	harness_command(&h, "down");
	harness_command(&h, "down");
	says_address("frame", "Engine::run;net;conv");
	harness_says(&h, "\n  conv");
	harness_says(&h, "\n   DoExchange ");
	harness_says(&h, "4,000   66.7%");
	harness_command(&h, "pane-next");
	for (int i = 0; i < 5; i++, harness_command(&h, i == 1 ? "first" : "down")) {
		ts_explain_init(&e);
		h.view->ops->explain(h.view, &e);
		ck_assert_int_eq(e.count, 3);
		queries += harness_ask(&h, &e);
	}
	ck_assert_int_eq(queries, 15);
	harness_command(&h, "last");
	harness_command(&h, "open");
	says_address("frame", "Engine::run;net;conv;OnTileExecute");
	ck_assert_int_eq(go_to_frame("Engine::run;net;pool"), TS_ARG_DONE);
	says_address("frame", "Engine::run;net;pool");
	ck_assert_int_eq(go_to_frame("Engine::run;net;poo"), TS_ARG_NO);
	ck_assert_int_eq(go_to_frame(""), TS_ARG_NO);
	ck_assert_int_eq(go_to_frame("Engine::run;net;pool;OnTileExecute;x"), TS_ARG_NO);
	/* along the time: the frame under the cursor, by what it comes to in all */
	harness_command(&h, "pane-next");
	harness_command(&h, "drawing flame");
	harness_command(&h, "goto 25");
	harness_command(&h, "down");
	harness_command(&h, "down");
	harness_says(&h, "2,000   33.3%");
	ck_assert_int_eq(go_to_frame("Engine::run"), TS_ARG_NO);
	harness_end(&h);
}
END_TEST

START_TEST(the_mouse_picks_a_frame)
{
	made(NULL, 68, 24); /* 60 columns of 100 cycles */
	harness_command(&h, "drawing merged");
	h.view->ops->mouse(h.view, 8 + 45, 2, 0);
	says_address("frame", "Engine::run;net;pool");
	h.view->ops->mouse(h.view, 8 + 39, 2, 0);
	says_address("frame", "Engine::run;net;conv");
	h.view->ops->mouse(h.view, 8 + 19, 3, 0);
	says_address("frame", "Engine::run;net;conv;DoExchange");
	h.view->ops->mouse(h.view, 8 + 20, 3, 0);
	says_address("frame", "Engine::run;net;conv;OnTileExecute");
	h.view->ops->mouse(h.view, 8 + 20, 3, -1); /* the wheel zooms into it, and out again */
	harness_says(&h, ">ipu 0  |OnTileExecute");
	h.view->ops->mouse(h.view, 8 + 20, 0, 1);
	harness_says(&h, ">ipu 0  |conv");
	for (int y = 0; y < 24; y++) /* below what is there, beside it */
		h.view->ops->mouse(h.view, 3 * y, y, 0);
	harness_end(&h);
}
END_TEST

/* Names that SQL finds no other way: quotes, slashes that divide nothing, other names that begin the same. */
START_TEST(queries_of_strange_names)
{
	struct ts_explain e;

	made("UPDATE step SET name = CASE step % 5 WHEN 0 THEN 'net/con''v' WHEN 1 THEN 'net/con' "
	     "WHEN 2 THEN 'net' WHEN 3 THEN NULL ELSE 'a_b%' END",
		110, 36);
	harness_command(&h, "drawing merged");
	harness_command(&h, "tab frame");
	for (int depth = 0; depth < 4; depth++) {
		for (int i = 0; i < 6; i++) {
			ts_explain_init(&e);
			h.view->ops->explain(h.view, &e);
			ck_assert_int_eq(harness_ask(&h, &e), e.count);
			harness_command(&h, "down");
		}
		harness_command(&h, "open");
		harness_command(&h, "tab frame");
	}
	harness_end(&h);
}
END_TEST

/* What `=` and :write say of a frame. */
START_TEST(figures_are_explained_and_written)
{
	struct ts_explain *e = ts_alloc(1, sizeof(*e));
	struct ts_table_value values[8] = {0};
	struct ts_row_source *rows;
	struct ts_sheet sheet = {0};
	int64_t own = 0, all, n = 0;
	bool more = true;

	demo(120, 37, TS_GLYPHS_FULL);
	all = harness_number(&h, "SELECT sum(cycles) FROM step_ipu WHERE ipu = 0");
	harness_command(&h, "drawing merged");
	ts_explain_init(e);
	h.view->ops->explain(h.view, e);
	ck_assert_int_eq(e->count, 3);
	ck_assert_int_eq(e->figure[0].integer, all);
	ck_assert_ptr_nonnull(strstr(e->figure[0].title, "Engine::run"));
	ck_assert(e->figure[1].real > 0 && e->figure[1].real <= 100);
	ck_assert_int_eq(e->figure[2].integer,
		harness_number(&h, "SELECT count(*) FROM step_ipu WHERE ipu = 0"));
	free(e);
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert(sheet.stacks);
	rows = sheet.source(h.view);
	ck_assert_ptr_nonnull(rows);
	for (; rows->next(rows, NULL, values, &more, NULL) == TS_OK && more; n++) {
		ck_assert_int_eq(values[0].type, TS_VALUE_TEXT);
		ck_assert_int_eq(strncmp(values[0].s, "Engine::run", 11), 0);
		own += values[1].integer;
	}
	ck_assert_int_eq(n, sheet.rows);
	ck_assert_int_eq(own, all);
	rows->free(rows);
	harness_end(&h);
}
END_TEST

/* --- what is not there, stopped, hostile ------------------------------------------------------------ */

START_TEST(what_is_stopped_is_said)
{
	harness_demo(&h, &small);
	harness_start(&h, &ts_view_trace, 100, 30, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_type(&h, "drawing merged");
	ts_jobs_cancel(h.env.jobs, h.view->id);
	harness_settle(&h);
	harness_command(&h, "merge"); /* once more, or the next range when it was done before */
	harness_says(&h, "Engine::run");
	harness_end(&h);
}
END_TEST

START_TEST(steps_without_ipus_say_so)
{
	made("DROP TABLE step_ipu", 80, 24);
	harness_command(&h, "drawing flame");
	harness_says(&h, "step_ipu");
	harness_command(&h, "drawing merged");
	harness_says(&h, "step_ipu");
	harness_command(&h, "down");
	harness_command(&h, "open");
	harness_end(&h);
}
END_TEST

START_TEST(names_as_nobody_wrote_them)
{
	static const char *const commands[] = {"drawing flame", "down", "down", "down", "down",
		"open", "right", "left", "back", "drawing merged", "down", "down", "down", "open",
		"right", "merge run", "merge view", "merge-ipus", "search \"\"", "search-next",
		"zoom-fit", NULL};

	made("UPDATE step SET name = char(27, 91, 50, 74) || name WHERE step % 3 = 0;"
	     "UPDATE step SET name = '////' WHERE step % 5 = 0;"
	     "UPDATE step SET type = NULL, name = NULL WHERE step % 7 = 0;"
	     "UPDATE step_ipu SET cycles = 4611686018427387904 WHERE step = 9;"
	     "UPDATE step_ipu SET cycles = NULL WHERE step = 11;"
	     "UPDATE step_ipu SET start = \"end\", \"end\" = start WHERE step = 13;"
	     "WITH RECURSIVE n(i, t) AS (SELECT 1, 'a' UNION ALL SELECT i + 1, t || '/b' FROM n WHERE i < 10000)"
	     "UPDATE step SET name = (SELECT t FROM n WHERE i = 10000) WHERE step = 17",
		80, 24);
	for (int size = 0; size < 3; size++) {
		static const int w[] = {80, 20, 200}, height[] = {24, 6, 60};

		harness_resize(&h, w[size], height[size]);
		for (int i = 0; commands[i]; i++) {
			harness_command(&h, commands[i]);
			harness_draw(&h);
		}
	}
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("view_flame");
	TCase *looks = tcase_create("looks");
	SRunner *runner = srunner_create(suite);
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(looks, 120);
	tcase_add_test(looks, golden_screens);
	tcase_add_test(looks, golden_screens_of_ascii);
	tcase_add_test(looks, frames_are_walked);
	tcase_add_test(looks, another_ipu_has_another_flame);
	tcase_add_test(looks, hidden_classes_and_hits);
	tcase_add_test(looks, figures_are_those_of_sql);
	tcase_add_test(looks, the_heaviest_is_on_the_left);
	tcase_add_test(looks, a_range_is_merged);
	tcase_add_test(looks, hits_have_a_share);
	tcase_add_test(looks, a_frame_has_a_tab);
	tcase_add_test(looks, an_address_has_both_frames);
	tcase_add_test(looks, the_mouse_picks_a_frame);
	tcase_add_test(looks, queries_of_strange_names);
	tcase_add_test(looks, figures_are_explained_and_written);
	tcase_add_test(looks, what_is_stopped_is_said);
	tcase_add_test(looks, steps_without_ipus_say_so);
	tcase_add_test(looks, names_as_nobody_wrote_them);
	suite_add_tcase(suite, looks);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
