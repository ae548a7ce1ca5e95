/* SPDX-License-Identifier: MIT */
/* Blocks of lightweight profiling in the Trace view: the drawing, the tab, the keys, and what `=` says. */
#include "config.h"

#include "view_harness.h"

#include "tilescope/base/utf8.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/trace.h"

/* Two tiles; on the first a block holds two others, one crosses, and the profiler loses time. */
#define BLOCKS                                                                                  \
	"CREATE TABLE block(tile INTEGER, seq INTEGER, program INTEGER, name TEXT, kind TEXT, " \
	"cycles_from INTEGER, cycles_to INTEGER);"                                              \
	"INSERT INTO block VALUES(0, 0, NULL, 'net/step', 'common', 1000, 2000),"               \
	"(0, 1, NULL, 'net/step/forward', 'common', 1000, 1400),"                               \
	"(0, 2, NULL, 'net/step/backward', 'common', 1400, 1900),"                              \
	"(0, 3, NULL, 'net/late', 'common', 1950, 2300),"                                       \
	"(0, 4, NULL, 'flush', 'flush', 2400, 2500),"                                           \
	"(0, 5, NULL, 'net/step', 'common', 2500, 3700),"                                       \
	"(1472, 0, NULL, 'net/step', 'common', 5000, 6100),"                                    \
	"(1472, 1, NULL, 'in', 'stream_copy', 6100, 6400),"                                     \
	"(1472, 2, NULL, NULL, 'strange', 6400, 6500);"

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs, const char *blocks)
{
	harness_dir(h);
	harness_rows(h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, "
		"name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"end INTEGER);"
		"INSERT INTO step VALUES(0, 0, 'OnTileExecute', NULL, 'work');"
		"INSERT INTO step_ipu VALUES(0, 0, 100, 0, 100)");
	harness_rows(h, blocks);
	harness_start(h, &ts_view_trace, w, height, glyphs);
	harness_settle(h);
	harness_command(h, "drawing blocks");
	harness_settle(h);
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	bool mono;
	const char *commands[6];
} screens[] = {
	{"blocks-80x22", 80, 22, TS_GLYPHS_FULL, false, {"tab blocks", NULL}},
	{"blocks-120x38", 120, 38, TS_GLYPHS_FULL, false, {"right", "down", "tab blocks", NULL}},
	{"blocks-80x22-ascii", 80, 22, TS_GLYPHS_ASCII, true, {"pane-zoom", NULL}},
	{"blocks-zoom-160x40", 160, 40, TS_GLYPHS_FULL, false,
		{"down", "open", "zoom-in", "right", NULL}},
};

START_TEST(golden)
{
	struct harness h;

	begin(&h, screens[_i].w, screens[_i].h, screens[_i].glyphs, BLOCKS);
	h.canvas->mono = screens[_i].mono;
	for (int i = 0; i < 6 && screens[_i].commands[i]; i++)
		harness_command(&h, screens[_i].commands[i]);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

static struct ts_explained
explained(struct harness *h, int i)
{
	struct ts_explain e;

	ts_explain_init(&e);
	h->view->ops->explain(h->view, &e);
	ck_assert_int_gt(e.count, i);
	return e.figure[i];
}

/* The cursor goes down the rows of a lane and on to the next tile; what it is on is said, and its query agrees. */
START_TEST(walks)
{
	struct harness h;
	struct ts_explained x;

	begin(&h, 120, 38, TS_GLYPHS_FULL, BLOCKS);
	ck_assert(harness_has(&h, "net/step  1,000, 100 by itself"));
	x = explained(&h, 0);
	ck_assert_int_eq(x.integer, 1000);
	ck_assert_int_eq(x.integer, harness_number(&h, "%s", x.query));
	harness_command(&h, "down");
	ck_assert(harness_has(&h, "net/step/forward  400, 400 by itself"));
	harness_command(&h, "down");
	ck_assert(harness_has(&h, ">t1472"));
	ck_assert(harness_has(&h, "net/step  1,100, 1,100 by itself"));
	harness_command(&h, "ipu-previous");
	ck_assert(harness_has(&h, ">t0"));
	ck_assert(harness_has(&h, "3.7% lost of tile 0"));
	harness_end(&h);
}
END_TEST

/* Every figure of the table that has a query is what the query gives. */
START_TEST(queries)
{
	struct harness h;

	begin(&h, 160, 40, TS_GLYPHS_FULL, BLOCKS);
	harness_command(&h, "tab blocks");
	for (int row = 0; row < 7; row++) {
		for (int i = 0; i < 4; i++) {
			struct ts_explained x = explained(&h, i);

			if (x.query[0] && x.kind == TS_EXPLAIN_INTEGER)
				ck_assert_int_eq(x.integer, harness_number(&h, "%s", x.query));
			else
				ck_assert(x.kind == TS_EXPLAIN_REAL || strstr(x.title, "no name"));
		}
		harness_command(&h, "down");
	}
	harness_end(&h);
}
END_TEST

START_TEST(nothing_there)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL, "SELECT 1");
	ck_assert(harness_has(&h, "profiler.blocks.filter"));
	harness_command(&h, "right");
	harness_command(&h, "down");
	harness_command(&h, "tab blocks");
	ck_assert(harness_has(&h, "profiler.blocks.filter"));
	harness_end(&h);
	begin(&h, 80, 22, TS_GLYPHS_FULL,
		"SELECT 1"); /* all of the panel, which does not lead to where one is */
	ck_assert(harness_has(&h, "any table of the file."));
	ck_assert(!harness_has(&h, "Trace (7)"));
	harness_end(&h);
	begin(&h, 120, 38, TS_GLYPHS_FULL,
		"CREATE TABLE block(tile INTEGER, seq INTEGER, program INTEGER, name TEXT, kind TEXT, "
		"cycles_from INTEGER, cycles_to INTEGER)");
	harness_says(&h, "blocks has no rows");
	for (int i = 0; i < 3; i++)
		harness_command(&h, i == 0 ? "right" : i == 1 ? "open" : "zoom-in");
	harness_end(&h);
}
END_TEST

/* A report of lightweight profiling has nothing but blocks: they are shown, the rest says what is missing. */
START_TEST(nothing_but_blocks)
{
	static const char *const keys[] = {"search x", "search-next", "goto 3", "mark", "range",
		"marks-clear", "zoom-selection", "jump step", "jump class", "jump gap",
		"jump longest", "jump run", "executions", "lanes all", "lane-fold", "open",
		"sort cycles", "scope all", "merge all", "copy", "ipu-next", "zoom-in", "right",
		"time-unit"};
	static const char *const drawings[] = {"lanes", "flame", "merged", "bsp"};
	struct harness h;
	struct ts_explain e;

	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE tile_memory(tile, total)");
	harness_rows(&h, BLOCKS);
	harness_start(&h, &ts_view_trace, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_look(&h, "blocks-alone-120x38");
	harness_says(&h, "9 blocks on 2 tiles");
	harness_says(&h, "net/step  1,000, 100 by itself");
	ck_assert(harness_command(&h, "goto 0") & TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message, "no steps are recorded");
	harness_command(&h, "tab steps");
	harness_says(&h, "the steps of the execution");
	harness_says(&h, "the blocks of lightweight profiling");
	for (size_t d = 0; d < TS_COUNT(drawings); d++) {
		char line[40];

		snprintf(line, sizeof(line), "drawing %s", drawings[d]);
		harness_command(&h, line);
		harness_says(&h, "ot in this report");
		for (size_t i = 0; i < TS_COUNT(keys); i++)
			harness_command(&h, keys[i]);
		harness_command(&h, "pane-next");
		ts_explain_init(&e);
		h.view->ops->explain(h.view, &e);
	}
	for (int i = 0; i < 14; i++) {
		harness_command(&h, "tab-next");
		harness_draw(&h);
		ts_explain_init(&e);
		h.view->ops->explain(h.view, &e);
	}
	h.view->ops->reload(h.view);
	harness_settle(&h);
	harness_says(&h, "9 blocks on 2 tiles");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("trace_blocks");
	TCase *t = tcase_create("blocks");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, golden, 0, (int)TS_COUNT(screens));
	tcase_add_test(t, walks);
	tcase_add_test(t, queries);
	tcase_add_test(t, nothing_there);
	tcase_add_test(t, nothing_but_blocks);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
