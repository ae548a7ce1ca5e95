/* SPDX-License-Identifier: MIT */
/* The tabs Pipeline and Passes of the Trace view: their screens, keys and commands, and what they say without a pipeline. */
#include "config.h"

#define HARNESS_OLD_LAYOUT

#include "view_harness.h"

#include "tilescope/base/utf8.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/trace.h"

/* Of each stage: cycles of compute and exchange of a phase that takes 1,000; the global exchange takes the last 50. */
static const int work[3][2] = {{400, 200}, {700, 250}, {300, 100}};

enum { PHASES = 6 };

static void
add(char *sql, size_t size, int step, const char *type, const char *name)
{
	size_t n = strlen(sql);

	snprintf(sql + n, size - n, "INSERT INTO step VALUES(%d, 0, '%s', NULL, '%s');", step, type,
		name);
}

static void
add_part(char *sql, size_t size, int step, int ipu, int from, int to, int bytes)
{
	size_t n = strlen(sql);

	snprintf(sql + n, size - n, "INSERT INTO step_ipu VALUES(%d, %d, %d, %d, %d, %d, %d);",
		step, ipu, to - from, from, to, bytes, bytes);
}

/* A pipeline of three IPUs; global exchanges move `bytes` on each; `more` changes it. In a tab of the Trace. */
static void
begin_in(const char *tab, struct harness *h, int w, int height, enum ts_glyphs glyphs, int bytes,
	const char *more)
{
	char sql[16000] =
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'),('source','store');"
		"CREATE TABLE run(run INTEGER, name TEXT, first_step INTEGER, step_count INTEGER);"
		"INSERT INTO run VALUES(0, 'train', 0, 18);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, "
		"name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"end INTEGER, data_in INTEGER, data_out INTEGER);";
	char name[40];

	for (int p = 0; p < PHASES; p++) {
		int at = p * 1000;

		snprintf(name, sizeof(name), "net/stage%d/matMul", p % 2);
		add(sql, sizeof(sql), 3 * p, "OnTileExecute", name);
		snprintf(name, sizeof(name), "net/stage%d/out", p % 2);
		add(sql, sizeof(sql), 3 * p + 1, "DoExchange", name);
		add(sql, sizeof(sql), 3 * p + 2, "GlobalExchange", "hand over");
		for (int i = 0; i < 3; i++) {
			int middle = at + work[i][0];

			add_part(sql, sizeof(sql), 3 * p, i, at, middle, 0);
			add_part(sql, sizeof(sql), 3 * p + 1, i, middle, middle + work[i][1], 0);
			add_part(sql, sizeof(sql), 3 * p + 2, i, at + 950, at + 1000, bytes);
		}
	}
	harness_dir(h);
	harness_sql(h, sql);
	harness_sql(h, more);
	harness_start(h, &ts_view_trace, w, height, glyphs);
	harness_settle(h);
	harness_command(h, tab);
	harness_settle(h);
}

static void
begin_with(struct harness *h, int w, int height, enum ts_glyphs glyphs, int bytes, const char *more)
{
	begin_in("tab pipeline", h, w, height, glyphs, bytes, more);
}

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs, int bytes)
{
	begin_with(h, w, height, glyphs, bytes, "");
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *commands[6];
} screens[] = {
	{"pipeline-80x22", 80, 22, TS_GLYPHS_FULL, {NULL}},
	{"pipeline-120x38", 120, 38, TS_GLYPHS_FULL, {NULL}},
	{"pipeline-120x38-ascii", 120, 38, TS_GLYPHS_ASCII, {"pane-zoom", NULL}},
	{"pipeline-passes-80x22", 80, 22, TS_GLYPHS_FULL, {"open", NULL}},
	{"pipeline-passes-160x40", 160, 40, TS_GLYPHS_FULL,
		{"open", "down", "down", "down", "open"}},
	{"pipeline-work-80x22", 80, 22, TS_GLYPHS_FULL, {"tab work", NULL}},
	{"pipeline-work-120x38-ascii", 120, 38, TS_GLYPHS_ASCII, {"tab work", "breakdown", NULL}},
	{"pipeline-named-120x38", 120, 38, TS_GLYPHS_FULL, {"stages stage(\\d)", NULL}},
};

START_TEST(golden)
{
	struct harness h;

	begin(&h, screens[_i].w, screens[_i].h, screens[_i].glyphs, 4096);
	for (int i = 0; i < 6 && screens[_i].commands[i]; i++)
		harness_command(&h, screens[_i].commands[i]);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

/* Small exchanges end no phase: the tab says what to do, and a smaller limit finds the stages. */
START_TEST(no_stages)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL, 100);
	ck_assert(harness_has(&h, "No pipeline was found"));
	ck_assert(harness_has(&h, ":stages REGEX"));
	harness_command(&h, "tab passes");
	ck_assert(harness_has(&h, "No pipeline was found"));
	harness_command(&h, "stages 200");
	ck_assert(!harness_has(&h, "No pipeline was found"));
	ck_assert(harness_has(&h, "slowest ipu 1, 1.43 x the mean"));
	harness_command(&h, "stages");
	ck_assert(harness_has(&h, "No pipeline was found"));
	harness_end(&h);
}
END_TEST

/* Who comes to the passes without having seen the stages sees those of the slowest one. */
START_TEST(passes_first)
{
	struct harness h;

	begin_in("tab passes", &h, 80, 22, TS_GLYPHS_FULL, 4096, "");
	ck_assert(harness_has(&h, "6 passes of ipu 1 in 6,000, "));
	ck_assert(!harness_has(&h, "slowest ipu 1"));
	harness_end(&h);
}
END_TEST

/* Where runs are not known, or not where the first wait of the second one stands, both tabs say that it may be in. */
START_TEST(artefact)
{
	static const char two_runs[] = "UPDATE step SET type = 'StreamCopyBegin' WHERE step = 9;"
				       "DELETE FROM run;"
				       "INSERT INTO run VALUES(0, 'a', 0, 9), (1, 'b', 9, 9);";
	struct harness h;

	begin_with(&h, 120, 38, TS_GLYPHS_FULL, 4096, two_runs);
	ck_assert(harness_has(&h, "profiler's wait not told apart"));
	harness_command(&h, "tab passes");
	ck_assert(harness_has(&h, "% work, profiler's wait not told apart"));
	harness_end(&h);
	begin_with(&h, 120, 38, TS_GLYPHS_FULL, 4096, "DELETE FROM run;");
	ck_assert(harness_has(&h, "profiler's wait not told apart"));
	harness_end(&h);
}
END_TEST

/* An expression that is none, or that matches nothing, changes nothing else. */
START_TEST(bad_expressions)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL, 4096);
	harness_command(&h, "stages stage(");
	ck_assert(h.env.message_is_error);
	ck_assert(harness_has(&h, "slowest ipu 1"));
	harness_command(&h, "stages nothing");
	ck_assert(harness_has(&h, "no step has a name that matches nothing"));
	harness_end(&h);
}
END_TEST

/* Enter on a pass puts its IPU and its time into the drawing; the address brings the tab back. */
START_TEST(goes_to_a_pass)
{
	struct harness h;
	const struct ts_view_arg *args;
	struct ts_strbuf say;

	begin(&h, 120, 38, TS_GLYPHS_FULL, 4096);
	harness_command(&h, "open");
	ck_assert(harness_has(&h, "of stage ipu 1"));
	for (int i = 0; i < 4; i++)
		harness_command(&h, "down");
	harness_command(&h, "open");
	ck_assert(harness_has(&h, ">ipu 1"));
	ck_assert(harness_has(&h, "4,000..4,700"));
	harness_command(&h, "stages stage(\\d)");
	ts_strbuf_init(&say, 400);
	for (args = h.view->ops->args; args->name; args++)
		if (strcmp(args->name, "stages") == 0)
			ck_assert(args->get(h.view, &say));
	ck_assert_str_eq(say.s, "stage(\\d)");
	ts_strbuf_fini(&say);
	harness_end(&h);
}
END_TEST

static const struct ts_explained *
titled(const struct ts_explain *e, const char *title)
{
	for (int i = 0; i < e->count; i++)
		if (strcmp(e->figure[i].title, title) == 0)
			return &e->figure[i];
	ck_abort_msg("nothing is called %s", title);
	return NULL;
}

/*
 * What stands below the table, worked out by hand: works of 650, 1,000 and 450 with the exchange, in passes of 1,000. From 1,000
 * to 450 half of the difference moves.
 */
static void
says_the_sentence(const struct ts_explain *e)
{
	static const struct {
		const char *title, *formula;
		double value;
		enum ts_known known;
	} said[] = {
		{"bubble of all stages", "5400 / 18000 cycles", 30, TS_KNOWN_DERIVED},
		{"stages at work at a time", "work 12600 / (18000 cycles of all passes / 3 stages)",
			2.1, TS_KNOWN_DERIVED},
		{"slowest stage, ipu 1, against the mean", "1000.0 / 700.0 cycles", 1000 / 700.0,
			TS_KNOWN_DERIVED},
		{"work to move from ipu 1 to ipu 2", "(1000.0 - 725.0) / 1000.0 cycles", 27.5,
			TS_KNOWN_ESTIMATED},
		{"a pass of ipu 1 is then shorter by",
			"(1000.0 - 725.0) / (6000 cycles / 6 passes)", 27.5, TS_KNOWN_ESTIMATED},
	};

	for (size_t i = 0; i < TS_COUNT(said); i++) {
		const struct ts_explained *x = titled(e, said[i].title);

		ck_assert_double_eq_tol(x->real, said[i].value, 1e-9);
		ck_assert_msg(strstr(x->formula, said[i].formula) != NULL, "%s", x->formula);
		ck_assert_int_eq(x->known, said[i].known);
	}
}

/* The figures of `=` are those that the fixture has. */
START_TEST(explains)
{
	struct harness h;
	struct ts_explain e;

	begin(&h, 120, 38, TS_GLYPHS_FULL, 4096);
	ts_explain_init(&e);
	h.view->ops->explain(h.view, &e);
	ck_assert_int_ge(e.count, 4);
	ck_assert_double_eq_tol(e.figure[0].real, 1000, 1e-9);
	ck_assert_double_eq_tol(e.figure[1].real, 0, 1e-9);
	ck_assert_double_eq_tol(e.figure[2].real, 1000 / 700.0, 1e-9);
	harness_command(&h, "down");
	ts_explain_init(&e);
	h.view->ops->explain(h.view, &e);
	ck_assert_double_eq_tol(e.figure[1].real, 55, 1e-9);
	ck_assert_int_eq(e.figure[e.count - 1].integer,
		harness_number(&h, "%s", e.figure[e.count - 1].query));
	says_the_sentence(&e);
	harness_command(&h, "open");
	ts_explain_init(&e);
	h.view->ops->explain(h.view, &e);
	ck_assert_int_eq(e.figure[0].integer, 450);
	ck_assert_int_eq(e.figure[1].integer, 550);
	harness_end(&h);
}
END_TEST

/*
 * What the slow stage works on: 6 x 700 cycles of matMul and 6 x 250 of out, in two stages by name; the verdict has their
 * kind, the tab all of them, and what goes to the next step of each.
 */
START_TEST(work_of_a_stage)
{
	struct harness h;
	struct ts_explain e;

	begin(&h, 120, 38, TS_GLYPHS_FULL, 4096);
	ck_assert(harness_has(&h, "ipu 1 works most on: 95.0% net/stage*"));
	harness_command(&h, "tab work");
	ck_assert(harness_has(&h, "net/stage*"));
	ck_assert(harness_has(&h, "hand over"));
	harness_command(&h, "breakdown operations");
	ck_assert(harness_has(&h, "net/stage0"));
	ck_assert(harness_has(&h, "47.5%"));
	harness_command(&h, "breakdown compute-sets");
	ck_assert(harness_has(&h, "net/stage0/matMul"));
	ck_assert(harness_has(&h, "a pass of ipu 1 works 1,000 cycles"));
	ts_explain_init(&e);
	h.view->ops->explain(h.view, &e);
	ck_assert_double_eq_tol(e.figure[0].real, 350, 1e-9);
	ck_assert_double_eq_tol(e.figure[1].real, 35, 1e-9);
	harness_command(&h, "pane-next");
	harness_command(&h, "breakdown"); /* whoever has the keys */
	ck_assert(harness_has(&h, "net/stage*"));
	harness_command(&h, "breakdown compute-sets");
	harness_command(&h, "tab work");
	harness_command(&h, "breakdown nothing");
	ck_assert(h.env.message_is_error);
	harness_command(&h, "open");
	harness_settle(&h);
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit 1 of 3"));
	harness_command(&h, "tab pipeline");
	harness_command(&h, "up");
	harness_command(&h, "tab work");
	harness_settle(&h);
	ck_assert(harness_has(&h, "a pass of ipu 0 works 650 cycles"));
	harness_end(&h);
}
END_TEST

/* Of steps without a name Enter goes to the first one; rows that are no numbers are counted. */
START_TEST(work_without_names)
{
	struct harness h;

	begin_in("tab work", &h, 120, 38, TS_GLYPHS_FULL, 4096,
		"UPDATE step SET name = NULL WHERE name LIKE '%matMul';"
		"INSERT INTO step_ipu VALUES(17, 1, 1, 'x', 'y', 0, 0), (17, 1, 1, NULL, 2, 0, 0)");
	ck_assert(harness_has(&h, "2 rows left out: bad numbers, or no such step"));
	harness_command(&h, "breakdown compute-sets");
	ck_assert(harness_has(&h, "OnTileExecute "));
	harness_command(&h, "open");
	harness_settle(&h);
	ck_assert_msg(!h.env.message_is_error, "%s", h.env.message);
	ck_assert_int_eq(h.env.selection->step, 0);
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("trace_pipeline");
	TCase *t = tcase_create("pipeline");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, golden, 0, (int)TS_COUNT(screens));
	tcase_add_test(t, no_stages);
	tcase_add_test(t, passes_first);
	tcase_add_test(t, artefact);
	tcase_add_test(t, bad_expressions);
	tcase_add_test(t, goes_to_a_pass);
	tcase_add_test(t, explains);
	tcase_add_test(t, work_of_a_stage);
	tcase_add_test(t, work_without_names);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
