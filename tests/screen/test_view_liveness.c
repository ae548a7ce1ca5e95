/* SPDX-License-Identifier: MIT */
/*
 * The Liveness view: its screens at several sizes, what its keys do, and what it says of reports in which
 * something is missing, damaged or not what it should be.
 */
#include "config.h"

#include "../unit/damage.h"
#include "view_harness.h"

#include "tilescope/ui/chart_page.h"
#include "tilescope/view/liveness.h"
#include "tilescope/report/liveness.h"

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64, .steps = 400, .debug = true};

	harness_demo(h, &o);
	harness_start(h, &ts_view_liveness, w, height, glyphs);
	harness_settle(h);
}

/* A report of our own with these rows; not opened yet. */
static void
make_own(struct harness *h, const char *rows)
{
	harness_dir(h);
	harness_rows(h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE liveness_step(live_step, program, not_always_live);"
		"CREATE TABLE variable(variable, name, bytes, always_live);"
		"CREATE TABLE liveness_variable(variable, start, \"end\");"
		"CREATE TABLE target(ipus, replicas, bytes_per_tile);"
		"CREATE TABLE tile_memory(tile, total, always_live);");
	harness_rows(h, rows);
}

static void
begin_own(struct harness *h, const char *rows)
{
	make_own(h, rows);
	harness_start(h, &ts_view_liveness, 80, 22, TS_GLYPHS_FULL);
	harness_settle(h);
}

/* ---- screens ---- */

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	bool mono;
	const char *commands[4];
} screens[] = {
	{"live-80x22", 80, 22, TS_GLYPHS_FULL, false, {NULL}},
	{"live-80x22-ascii", 80, 22, TS_GLYPHS_ASCII, true, {"peak-next"}},
	{"live-80x22-mono", 80, 22, TS_GLYPHS_FULL, true,
		{"series", "zoom-in", "pane-next", "search layer_1"}},
	{"live-40x8", 40, 8, TS_GLYPHS_FULL, false, {NULL}},
	{"live-120x38-zoom", 120, 38, TS_GLYPHS_FULL, false, {"zoom-in", "zoom-in", "zoom-in"}},
	{"live-200x58", 200, 58, TS_GLYPHS_BASIC, false, {"goto 20", "pane-next", "down"}},
	{"live-80x22-table", 80, 22, TS_GLYPHS_FULL, false, {"pane-next", "pane-zoom"}},
};

START_TEST(golden)
{
	struct harness h;

	begin(&h, screens[_i].w, screens[_i].h, screens[_i].glyphs);
	h.canvas->mono = screens[_i].mono;
	for (int i = 0; i < 4 && screens[_i].commands[i]; i++)
		harness_command(&h, screens[_i].commands[i]);
	harness_draw(&h);
	golden_check(screens[_i].name, h.canvas);
	harness_end(&h);
}
END_TEST

/* Every size draws, from nothing to much. */
START_TEST(any_size)
{
	static const int sizes[] = {0, 1, 2, 3, 5, 8, 13, 22, 40, 80, 250, 1000};
	struct harness h;

	begin(&h, 10, 10, TS_GLYPHS_FULL);
	for (size_t w = 0; w < TS_COUNT(sizes); w++)
		for (size_t y = 0; y < TS_COUNT(sizes) - 1; y++) {
			harness_resize(&h, sizes[w], sizes[y]);
			harness_draw(&h);
			harness_command(&h, "right");
			harness_command(&h, "zoom-in");
			harness_draw(&h);
			harness_command(&h, "zoom-fit");
		}
	harness_end(&h);
}
END_TEST

/* Where two bands share a cell the cursor's column has no hole: no cell of it has two colours. */
START_TEST(cursor_is_whole)
{
	struct harness h;
	int seen = 0, holes = 0;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	for (int height = 16; height < 50; height++) {
		harness_resize(&h, 80, height);
		harness_draw(&h);
		for (int i = 0; i < h.canvas->w * h.canvas->h; i++) {
			const struct ts_cell *cell = &h.canvas->cell[i];

			seen += cell->back != TS_ROLE_TEXT;
			holes += cell->over == TS_ROLE_COLUMN && cell->back != TS_ROLE_TEXT;
		}
	}
	ck_assert_int_gt(seen, 0);
	ck_assert_int_eq(holes, 0);
	harness_end(&h);
}
END_TEST

/* ---- keys ---- */

/* It begins at the highest peak; p and P walk, the ends ring. */
START_TEST(peaks)
{
	struct harness h;
	int64_t highest, before, second = TS_UNKNOWN;
	char words[40];

	begin(&h, 100, 22, TS_GLYPHS_FULL);
	highest = harness_number(&h,
		"SELECT live_step FROM liveness_step ORDER BY not_always_live DESC, "
		"live_step LIMIT 1");
	ck_assert_int_eq(h.selection.live_step, highest);
	harness_says(&h, "peak 1 of 17");
	before = highest;
	for (int i = 2; i <= 17; i++) {
		snprintf(words, sizeof(words), "peak %d of 17", i);
		harness_command(&h, "peak-next");
		ck_assert_int_ne(h.selection.live_step, before);
		harness_says(&h, words);
		before = second;
		second = h.selection.live_step;
	}
	ck_assert(harness_command(&h, "peak-next") & TS_EFFECT_BELL);
	ck_assert_int_eq(h.selection.live_step, second);
	harness_command(&h, "first");
	ck_assert_int_eq(h.selection.live_step, 0);
	harness_command(&h, "peak-previous"); /* back to where one was */
	ck_assert_int_eq(h.selection.live_step, second);
	for (int i = 1; i < 17; i++)
		harness_command(&h, "peak-previous");
	ck_assert_int_eq(h.selection.live_step, highest);
	ck_assert(harness_command(&h, "peak-previous") & TS_EFFECT_BELL);
	harness_command(&h, "last");
	ck_assert_int_eq(h.selection.live_step,
		harness_number(&h, "SELECT max(live_step) FROM liveness_step"));
	harness_command(&h, "peak-next");
	ck_assert_int_eq(h.selection.live_step, highest);
	harness_end(&h);
}
END_TEST

START_TEST(moving)
{
	struct harness h;
	int64_t last, step;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	last = harness_number(&h, "SELECT max(live_step) FROM liveness_step");
	harness_command(&h, "goto 33");
	ck_assert_int_eq(h.selection.live_step, 33);
	harness_says(&h, "step 33 ");
	harness_says(&h, "not always live at step 33");
	ck_assert(harness_command(&h, "goto x") & TS_EFFECT_BELL);
	harness_command(&h, "goto 999999");
	ck_assert_int_eq(h.selection.live_step, last);
	ck_assert_ptr_nonnull(strstr(h.env.message, "nearest"));
	harness_command(&h, "goto 100");
	for (int i = 0; i < 20; i++) /* as far as it goes: a few steps, each several columns */
		harness_command(&h, "zoom-in");
	harness_command(&h, "right");
	ck_assert_int_eq(h.selection.live_step, 101);
	harness_command(&h, "left");
	harness_command(&h, "left");
	ck_assert_int_eq(h.selection.live_step, 99);
	harness_command(&h, "zoom-fit");
	ck_assert_int_eq(h.selection.live_step, 99);
	harness_command(&h, "page-left");
	harness_command(&h, "right"); /* several steps to a column: the highest of them */
	step = h.selection.live_step;
	ck_assert_int_gt(step, 0);
	ck_assert(harness_command(&h, "quit") & TS_EFFECT_UNKNOWN);
	harness_end(&h);
}
END_TEST

/* At any zoom: the cursor goes over every column, and none loses its highest step. */
START_TEST(zoom_is_exact)
{
	struct harness h;
	int64_t highest;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	highest = harness_number(&h,
		"SELECT live_step FROM liveness_step ORDER BY not_always_live DESC, "
		"live_step LIMIT 1");
	for (int zoom = 0; zoom < 5; zoom++) {
		char words[64], bytes[TS_FMT_MAX], query[200];
		bool seen = false;

		harness_command(&h, "zoom-in");
		harness_command(&h, "first");
		do {
			seen |= h.selection.live_step == highest;
		} while (!(harness_command(&h, "right") & TS_EFFECT_BELL));
		ck_assert(seen);
		harness_command(&h, "half-page-up");
		snprintf(query, sizeof(query),
			"SELECT not_always_live FROM liveness_step WHERE live_step = %lld",
			(long long)h.selection.live_step);
		snprintf(words, sizeof(words), "not always live %s",
			ts_fmt_bytes(bytes, harness_number(&h, "%s", query), TS_UNITS_KIB));
		harness_says(&h, words);
	}
	harness_end(&h);
}
END_TEST

START_TEST(table)
{
	struct harness h;
	char *text;

	begin(&h, 80, 40, TS_GLYPHS_FULL);
	ck_assert_int_eq(ts_view_liveness.pane_context(h.view), TS_CONTEXT_CHART);
	harness_command(&h, "pane-next");
	ck_assert_int_eq(ts_view_liveness.pane_context(h.view), TS_CONTEXT_LIST);
	ck_assert(harness_command(&h, "search no such name") & TS_EFFECT_BELL);
	harness_command(&h, "search LAYER_1");
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit 1 of "));
	harness_command(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "layer_1"));
	text = ts_strdup(h.env.copy);
	text[strcspn(text, "\t")] = '\0';
	harness_command(&h, "search-next");
	harness_command(&h, "copy");
	ck_assert_int_ne(strncmp(h.env.copy, text, strlen(text)), 0);
	harness_command(&h, "search-previous");
	harness_command(&h, "copy");
	ck_assert_int_eq(strncmp(h.env.copy, text, strlen(text)), 0);
	harness_command(&h, "pane-next"); /* the row follows the variable to another step */
	harness_command(&h, "left");
	harness_command(&h, "pane-next");
	harness_command(&h, "copy");
	ck_assert_int_eq(strncmp(h.env.copy, text, strlen(text)), 0);
	free(text);
	ck_assert(harness_command(&h, "search") & TS_EFFECT_UNKNOWN);
	harness_end(&h);
}
END_TEST

/* While an answer is under way the old rows stay, and the screen says so. */
START_TEST(stale)
{
	struct ts_call call;
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "goto 50");
	ck_assert_int_eq(ts_call_parse(&call, "goto 51", NULL), TS_OK);
	ts_view_liveness.command(h.view, &call);
	harness_says(&h, "step 50 (51 is being read)");
	harness_settle(&h);
	harness_says(&h, "not always live at step 51");
	harness_end(&h);
}
END_TEST

START_TEST(reload_keeps_the_place)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "goto 60");
	harness_command(&h, "zoom-in");
	ts_view_liveness.reload(h.view);
	harness_draw(&h); /* nothing there */
	h.env.generation++;
	harness_settle(&h);
	ck_assert_int_eq(h.selection.live_step, 60);
	harness_says(&h, "step 60 ");
	ts_view_liveness.reload(h.view); /* with answers of before under way */
	ts_view_liveness.request(h.view);
	ts_view_liveness.reload(h.view);
	h.env.generation++;
	harness_settle(&h);
	harness_says(&h, "step 60 ");
	h.selection.live_step = 7;
	ts_view_liveness.shown(h.view);
	harness_settle(&h);
	harness_says(&h, "not always live at step 7");
	harness_end(&h);
}
END_TEST

START_TEST(stopped)
{
	struct harness h;

	harness_demo(&h, &(struct ts_demo_options){.ipus = 1, .tiles = 8, .steps = 100});
	harness_start(&h, &ts_view_liveness, 80, 22, TS_GLYPHS_FULL);
	ts_view_liveness.request(h.view);
	ts_jobs_cancel(h.env.jobs, -1);
	harness_settle(&h); /* ends: it is not asked again and again */
	harness_draw(&h);
	harness_end(&h);
}
END_TEST

START_TEST(mouse)
{
	struct harness h;
	int64_t step;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	ts_view_liveness.mouse(h.view, 60, 6, 0);
	step = h.selection.live_step;
	ts_view_liveness.mouse(h.view, 20, 6, 0);
	ck_assert_int_lt(h.selection.live_step, step);
	ts_view_liveness.mouse(h.view, 20, 6, -1);
	ts_view_liveness.mouse(h.view, 20, 6, 1);
	ts_view_liveness.mouse(h.view, 60, 0, 0); /* the strip */
	ck_assert_int_ge(h.selection.live_step, step - 20);
	harness_settle(&h);
	ts_view_liveness.mouse(h.view, 5, 17, 0);
	ck_assert_int_eq(ts_view_liveness.pane_context(h.view), TS_CONTEXT_LIST);
	for (int y = -1; y < 24; y++)
		for (int wheel = -1; wheel <= 1; wheel++)
			ts_view_liveness.mouse(h.view, 3 * y, y, wheel);
	harness_draw(&h);
	harness_end(&h);
}
END_TEST

/* The Debug tab is about what had the keys before it: the step, or a variable. */
START_TEST(debug)
{
	struct harness h;

	begin(&h, 160, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert(harness_command(&h, "edit") & TS_EFFECT_BELL);
	harness_command(&h, "debug");
	harness_says(&h, "Debug: step");
	harness_says(&h, "poplibs");
	harness_command(&h, "pane-next");
	harness_says(&h, "Debug: variable");
	harness_command(&h, "pane-next"); /* the tab itself: still about that variable */
	harness_says(&h, "Debug: variable");
	harness_says(&h, "location");
	harness_command(&h, "search location");
	harness_command(&h, "edit");
	ck_assert_ptr_nonnull(h.env.edit);
	ck_assert_ptr_nonnull(strstr(h.env.edit, ".cpp"));
	harness_command(&h, "pane-next");
	harness_says(&h, "Debug: step");
	harness_command(&h, "pane-next");
	harness_command(&h, "pane-next");
	harness_command(&h, "pane-zoom");
	harness_says(&h, "Debug: variable");
	harness_resize(&h, 80, 22); /* no room for both: it is where the keys are */
	harness_command(&h, "pane-zoom");
	harness_says(&h, "Debug: variable");
	harness_command(&h, "debug");
	harness_says(&h, "not always live at step");
	free(h.env.edit);
	harness_end(&h);
}
END_TEST

/* ---- what is not as it should be ---- */

START_TEST(absent)
{
	struct ts_demo_options o = {.ipus = 1, .tiles = 8, .steps = 100};
	struct harness h;

	harness_demo(&h, &o);
	harness_sql(&h, "DROP TABLE depth_first_steps; DROP TABLE eq_class_step");
	harness_start(&h, &ts_view_liveness, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_draw(&h);
	golden_check("live-absent", h.canvas);
	ck_assert(harness_command(&h, "right") & TS_EFFECT_BELL);
	ck_assert(harness_command(&h, "peak-next") & TS_EFFECT_BELL);
	ck_assert(harness_command(&h, "search x") & TS_EFFECT_BELL);
	ck_assert(harness_command(&h, "down") & TS_EFFECT_BELL);
	ck_assert(harness_command(&h, "copy") & TS_EFFECT_BELL);
	harness_end(&h);
}
END_TEST

START_TEST(no_variables)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO liveness_step VALUES(0,0,10),(1,0,30);"
		"DROP TABLE liveness_variable");
	harness_says(&h, "not always live 30 B (always live: not recorded)");
	harness_says(&h, "Not in this report: which variables are live at each step");
	harness_end(&h);
}
END_TEST

/* A page of noise in the middle of the steps, then of the lives: what comes before is shown, or what could not be read is said. */
START_TEST(damaged)
{
	static const char *const rows[] = {
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) "
		"INSERT INTO liveness_step SELECT i, 0, i FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) "
		"INSERT INTO liveness_variable SELECT i / 10000, i, i + 1 FROM n;"
		"INSERT INTO variable VALUES(0,'first',77,0),(1,'second',5,0);"
		"INSERT INTO liveness_step VALUES(0,0,77),(1,0,77)"};
	struct harness h;

	make_own(&h, rows[_i]);
	harness_make(&h);
	damage_leaf(h.path, _i ? "eq_class_step" : "depth_first_steps", 10);
	harness_start(&h, &ts_view_liveness, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	/* lives are put in order, for which all of them are read */
	harness_says(&h, _i ? "could not be read: " : "(damaged: what could be read)");
	harness_says(&h, "peak 1 of 1");
	harness_end(&h);
}
END_TEST

START_TEST(few_steps)
{
	struct harness h;

	begin_own(&h, "SELECT 1");
	harness_says(&h, "No liveness steps are recorded");
	ck_assert(harness_command(&h, "goto 0") & TS_EFFECT_BELL);
	harness_end(&h);
	begin_own(&h, "INSERT INTO liveness_step VALUES(5,0,0)");
	harness_says(&h, "1 step ");
	harness_says(&h, "step 5  not always live 0 B");
	harness_says(&h, "peak 1 of 1");
	harness_says(&h, "nothing but what is always live");
	harness_command(&h, "zoom-in");
	harness_command(&h, "right");
	harness_says(&h, "step 5 ");
	harness_end(&h);
}
END_TEST

/* Two replicas: what is not always live counts twice on the device, variables are of one. */
START_TEST(replicas)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO liveness_step VALUES(0,0,1000),(1,0,3000);"
		"INSERT INTO target VALUES(2,2,10000);"
		"INSERT INTO tile_memory VALUES(0,9000,2000),(1,9000,2000);"
		"INSERT INTO variable VALUES(1,'a',1000,0),(2,'b',2000,0);"
		"INSERT INTO liveness_variable VALUES(1,0,2),(2,1,2)");
	h.options.units = TS_UNITS_BYTES;
	harness_says(&h, "2 replicas");
	harness_says(&h, "not always live 6,000 B + always 4,000 B = 10,000 B");
	harness_says(&h, "2 variables of one replica");
	harness_end(&h);
}
END_TEST

/* Spikes stand out of the mean; a base that dwarfs everything is left out at first. */
START_TEST(spikes)
{
	struct harness h;

	begin_own(&h,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
		"INSERT INTO liveness_step SELECT i, 0, CASE WHEN i % 700 = 350 THEN 900 + i / 10 "
		"ELSE 400 + i % 1000 / 10 END FROM n;"
		"INSERT INTO tile_memory VALUES(0,9000,1000000)");
	harness_says(&h, "base hidden");
	harness_says(&h, "peak 1 of 14");
	harness_draw(&h);
	golden_check("live-spikes", h.canvas);
	harness_command(&h, "series");
	harness_says(&h, "always live  ");
	harness_end(&h);
}
END_TEST

/* Why a peak is one: what came since the valley; the first step has none before it. */
START_TEST(causes)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO liveness_step VALUES(0,0,9000),(1,0,1000),(2,0,1000),(3,0,7000);"
		"INSERT INTO variable VALUES(1,'a',1000,0),(2,'b',8000,0),(3,'c',6000,0);"
		"INSERT INTO liveness_variable VALUES(1,0,4),(2,0,1),(3,3,4)");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 120, 38);
	harness_settle(&h);
	harness_says(&h, "the first step: alive from the beginning");
	harness_command(&h, "peak-next");
	harness_settle(&h);
	harness_says(&h,
		"since the last valley, step 2: born 6,000 B in 1 variable, died 0; largest c");
	harness_resize(&h, 80, 22);
	harness_says(&h, "since the valley at 2: born 6,000 B in 1 variable, died 0");
	harness_command(&h, "goto 0");
	harness_command(&h, "mark");
	harness_command(&h, "goto 2");
	harness_settle(&h);
	harness_says(&h, "mark A, step 0, to here: born 0, died 8,000 B in 1 variable");
	harness_command(&h, "mark");
	harness_settle(&h);
	harness_says(&h, "marks A to B, step 0 to 2: born 0, died 8,000 B in 1 variable");
	harness_end(&h);
}
END_TEST

/* The memory of all tiles is a line where it is near. */
START_TEST(limit)
{
	struct ts_chart_page *page = calloc(1, sizeof(*page));
	struct harness h;

	begin_own(&h,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199) "
		"INSERT INTO liveness_step SELECT i, 0, 300 * min(i, 200 - i) FROM n;"
		"INSERT INTO target VALUES(1,1,50000);"
		"INSERT INTO tile_memory VALUES(0,9000,10000),(1,9000,30000)");
	harness_resize(&h, 130, 30);
	harness_says(&h, "70.0% of all tiles' 97.7 KiB");
	harness_draw(&h);
	golden_check("live-limit", h.canvas);
	/* on paper the peak is as high as the axis says: with what is always live */
	ck_assert_ptr_nonnull(page);
	ts_chart_page_init(page, 400);
	ck_assert(ts_view_liveness.chart(h.view, page));
	ck_assert_int_ge(page->labels, 1);
	ck_assert_str_eq(page->label[0].name, "1: 68.4 KiB");
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

START_TEST(hostile)
{
	struct ts_strbuf name, rows;
	struct harness h;

	ts_strbuf_init(&name, 1 << 14);
	for (int i = 0; i < 500; i++)
		ts_strbuf_puts(&name, "long/name\x1b");
	ts_strbuf_init(&rows, 1 << 16);
	ts_strbuf_printf(&rows,
		"INSERT INTO liveness_step VALUES(0,0,4611686018427387904),(1,0,-5),(2,0,'x'),"
		"(4611686018427387904,0,3);"
		"INSERT INTO variable VALUES(1,'a\x1b[31mb\tc\nd\xe2\x80\xae',7,0),"
		"(2,'%s',4611686018427387904,0),(3,CAST(x'ff00fe' AS TEXT),5,0);"
		"INSERT INTO liveness_variable VALUES(1,0,4611686018427387904),(2,0,9),(3,0,9)",
		name.s);
	begin_own(&h, rows.s);
	h.options.units = TS_UNITS_BYTES;
	for (int w = 40; w <= 200; w += 80) {
		harness_resize(&h, w, 30);
		harness_draw(&h);
		for (int i = 0; i < h.canvas->w * h.canvas->h; i++)
			ck_assert(h.canvas->cell[i].cp >= ' ' &&
				(h.canvas->cell[i].cp < 0x7f || h.canvas->cell[i].cp > 0x9f));
	}
	harness_says(&h, "(1 row left out)");
	harness_command(&h, "last");
	harness_command(&h, "goto 0");
	harness_command(&h, "search long");
	harness_command(&h, "pane-next");
	harness_command(&h, "copy");
	ck_assert_ptr_null(strchr(h.env.copy, '\x1b'));
	ts_strbuf_fini(&name);
	ts_strbuf_fini(&rows);
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("view liveness");
	TCase *t = tcase_create("view liveness");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, golden, 0, (int)TS_COUNT(screens));
	tcase_add_test(t, any_size);
	tcase_add_test(t, cursor_is_whole);
	tcase_add_test(t, peaks);
	tcase_add_test(t, moving);
	tcase_add_test(t, zoom_is_exact);
	tcase_add_test(t, table);
	tcase_add_test(t, stale);
	tcase_add_test(t, reload_keeps_the_place);
	tcase_add_test(t, stopped);
	tcase_add_test(t, mouse);
	tcase_add_test(t, debug);
	tcase_add_test(t, absent);
	tcase_add_test(t, no_variables);
	tcase_add_loop_test(t, damaged, 0, 2);
	tcase_add_test(t, few_steps);
	tcase_add_test(t, replicas);
	tcase_add_test(t, spikes);
	tcase_add_test(t, causes);
	tcase_add_test(t, limit);
	tcase_add_test(t, hostile);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
