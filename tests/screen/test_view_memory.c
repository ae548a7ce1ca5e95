/* SPDX-License-Identifier: MIT */
/*
 * The Memory view on a canvas: screens that were looked at and kept, and what its commands do.
 *
 * The report is made here with SQL, so that screens do not change with the demo: 2 IPUs of 120 tiles,
 * waves of used memory, one hot tile, gaps, three categories and a dozen small ones, names of all kinds.
 */
#include "config.h"

#include <locale.h>
#include <sched.h>

#include "../unit/damage.h"
#include "view_harness.h"

#include "tilescope/view/memory.h"
#include "tilescope/report/tile_variables.h"

static const char tables[] =
	"CREATE TABLE report(key TEXT, value TEXT);"
	"CREATE TABLE target(type TEXT, architecture TEXT, ipus INTEGER, replicas INTEGER,"
	" tiles_per_ipu INTEGER, bytes_per_tile INTEGER, clock_hz REAL);"
	"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, ipu INTEGER, total INTEGER,"
	" total_gaps INTEGER, overflowed INTEGER, always_live INTEGER,"
	" not_always_live_peak INTEGER);"
	"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT,"
	" not_overlapped INTEGER, overlapped INTEGER);"
	"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT,"
	" bytes INTEGER, offset INTEGER, category INTEGER);";

/* Bytes of category k on tile t; tile 170 is the hot one. */
#define BYTES                                                                        \
	"(CASE k WHEN 0 THEN 150000 + 1500 * abs(t % 60 - 30) + 250000 * (t = 170)"  \
	" WHEN 1 THEN 40000 + 900 * (t % 40) WHEN 2 THEN 30000 + 20000 * (t >= 120)" \
	" ELSE 700 * (19 - k) END)"

static const char rows[] =
	"CREATE TEMP TABLE cell AS WITH RECURSIVE"
	" t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 239),"
	" k(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM k WHERE k < 17)"
	" SELECT t, k, " BYTES " AS bytes FROM t, k ORDER BY t, k;"
	"INSERT INTO target VALUES('IPU', 'Mk2', 2, 1, 120, 638976, 1.33e9);"
	"INSERT INTO tile_memory SELECT t, t / 120, sum(bytes), sum(bytes) + 2048 + t % 5 * 512,"
	" max(sum(bytes) - 638976, 0), sum(bytes) / 2, sum(bytes) / 4 FROM cell GROUP BY t;"
	"INSERT INTO memory_category SELECT k, CASE k WHEN 0 THEN 'variable' WHEN 1 THEN"
	" 'internalExchangeCode' WHEN 2 THEN 'vertexCode' ELSE 'category_' || char(97 + k) END"
	" FROM cell WHERE t = 0;"
	"INSERT INTO tile_category SELECT t, k, 'non_interleaved', bytes, 0 FROM cell;"
	"INSERT INTO lowered_variable SELECT NULL, t, CASE WHEN k > 2 THEN 'code' ELSE"
	" 'bert/encoder/layer_' || k || '/attention/self/matMul/Conv_' || (t % 3) END,"
	" bytes, k * 40960, k FROM cell ORDER BY t, k;"
	"UPDATE lowered_variable SET name = 'x' || char(27) || '[31m' || char(8238) || 'y' ||"
	" char(9) || 'z' WHERE tile = 170 AND category = 3;";

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	harness_dir(h);
	harness_rows(h, tables);
	harness_rows(h, rows);
	harness_start(h, &ts_view_memory, w, height, glyphs);
	h->canvas->mono = glyphs == TS_GLYPHS_ASCII;
}

/* ---- screens ---- */

static const struct shot {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *line[6];
} shots[] = {
	{"memory_80x22", 80, 22, TS_GLYPHS_FULL, {0}},
	{"memory_80x22_ascii", 80, 22, TS_GLYPHS_ASCII, {0}},
	{"memory_80x22_basic", 80, 22, TS_GLYPHS_BASIC, {0}},
	{"memory_40x8", 40, 8, TS_GLYPHS_FULL, {0}},
	{"memory_60x13", 60, 13, TS_GLYPHS_FULL,
		{0}}, /* one row of the x axis; labels of y are whole */
	{"memory_200x58", 200, 58, TS_GLYPHS_FULL, {0}},
	{"memory_category_80x22", 80, 22, TS_GLYPHS_FULL, {"breakdown category"}},
	{"memory_category_80x22_ascii", 80, 22, TS_GLYPHS_ASCII, {"breakdown category"}},
	{"memory_mean_120x38", 120, 38, TS_GLYPHS_FULL, {"breakdown mean", "right", "right"}},
	{"memory_liveness_120x38", 120, 38, TS_GLYPHS_FULL, {"breakdown liveness", "series gaps"}},
	{"memory_zoom_80x22", 80, 22, TS_GLYPHS_FULL, {"zoom-in", "zoom-in", "zoom-in"}},
	{"memory_search_80x22", 80, 22, TS_GLYPHS_FULL,
		{"tab variables", "pane-next", "search conv"}},
	{"memory_narrow_tables_40x8", 40, 8, TS_GLYPHS_FULL, {"pane-next"}},
	{"memory_pane_zoom_80x22", 80, 22, TS_GLYPHS_FULL,
		{"tab variables", "pane-next", "pane-zoom", "down"}},
};

START_TEST(screens_are_those_that_were_kept)
{
	const struct shot *s = &shots[_i];
	struct harness h;

	begin(&h, s->w, s->h, s->glyphs);
	harness_settle(&h);
	for (int i = 0; i < 6 && s->line[i]; i++) {
		harness_type(&h, s->line[i]);
		harness_settle(&h);
	}
	harness_draw(&h);
	golden_check(s->name, h.canvas);
	harness_end(&h);
}
END_TEST

static const char few_tables[] = "CREATE TABLE tile_memory(tile INTEGER, total INTEGER);"
				 "CREATE TABLE memory_category(category INTEGER, name TEXT);";
static const char few_tiles[] =
	"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 1471) "
	"INSERT INTO tile_memory SELECT t, 300000 + 100 * (t % 100) FROM t;";

START_TEST(what_is_absent_is_said)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h, few_tiles);
	harness_start(&h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_draw(&h);
	golden_check("memory_absent_120x38", h.canvas);
	harness_says(&h, "autoReport.outputLoweredVars");
	harness_says(&h, "limit 624K (assumed)");
	harness_says(&h, "whether it includes gaps is not known");
	ck_assert_int_eq(harness_type(&h, "series gaps"), TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message, "gaps are not recorded in this report");
	ck_assert_int_eq(harness_type(&h, "breakdown"), TS_EFFECT_BELL);
	ck_assert(h.env.message_is_error);
	ck_assert_int_eq(harness_type(&h, "breakdown category"), TS_EFFECT_BELL);
	harness_end(&h);
}
END_TEST

START_TEST(no_tile_memory_is_a_panel)
{
	struct harness h;

	harness_dir(&h);
	harness_sql(&h, "CREATE TABLE programs(id INTEGER, name TEXT)");
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "Not in this report: memory of the tiles.");
	harness_says(&h, "autoReport.outputGraphProfile");
	ck_assert_int_eq(harness_type(&h, "right"), TS_EFFECT_UNKNOWN);
	harness_end(&h);
}
END_TEST

START_TEST(no_tiles_are_said)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "no tile in it");
	ck_assert_int_eq(harness_type(&h, "fullest"), TS_EFFECT_UNKNOWN);
	harness_end(&h);
}
END_TEST

START_TEST(loading_is_drawn)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_ASCII);
	harness_says(&h, "being read");
	harness_settle(&h);
	harness_says(&h, "tile 170");
	harness_end(&h);
}
END_TEST

/* Large work for the test: it stands at 34 of 100 until it is let go. */
struct slow_job {
	struct ts_job job;
	atomic_bool begun, go;
};

static void
run_slowly(struct ts_job *job, void *local)
{
	struct slow_job *s = (struct slow_job *)job;

	(void)local;
	ts_progress_set(&job->progress, 34, 100);
	atomic_store(&s->begun, true);
	while (!atomic_load(&s->go))
		sched_yield();
}

static bool
pane_says(struct harness *h, const struct ts_pane_data *d, const char *words)
{
	struct ts_strbuf out;
	bool has;

	ts_canvas_erase(h->canvas);
	ts_pane_draw(h->canvas, ts_canvas_rect(h->canvas), &h->env, d);
	ts_strbuf_init(&out, 1 << 16);
	ts_canvas_dump(h->canvas, &out);
	has = strstr(out.s, words) != NULL;
	ts_strbuf_fini(&out);
	return has;
}

/* A pane that waits says what is under way, and how far it is. */
START_TEST(loading_says_how_far)
{
	struct slow_job slow = {.job = {.run = run_slowly,
					.what = "counting",
					.worker = TS_WORKER_BULK,
					.owner = 99}};
	struct ts_pane_data d = {.state = TS_PANE_LOADING};
	struct ts_job *back = NULL;
	struct ts_jobs *jobs, *own;
	struct ts_err err;
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	own = h.env.jobs;
	ck_assert_int_eq(ts_jobs_new(&jobs, sizeof(int), NULL, &err), TS_OK);
	h.env.jobs = jobs;
	ck_assert(pane_says(&h, &d, "being read") && !pane_says(&h, &d, "counting"));
	ts_jobs_send(jobs, &slow.job);
	while (!atomic_load(&slow.begun))
		sched_yield();
	ck_assert(pane_says(&h, &d, "being read; under way: counting, 34%"));
	atomic_store(&slow.go, true);
	while (!(back = ts_jobs_receive(jobs)))
		sched_yield();
	ck_assert_ptr_eq(back, &slow.job);
	ts_jobs_free(jobs, NULL);
	h.env.jobs = own;
	harness_end(&h);
}
END_TEST

/* ---- the cursor ---- */

START_TEST(the_fullest_tile_comes_first)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert_int_eq(h.selection.tile, 170);
	ck_assert_int_eq(h.selection.ipu, 1);
	harness_says(&h, "tile 170 ipu 1");
	harness_says(&h, "rank 1 ");
	harness_end(&h);
}
END_TEST

/* The order of the walk is that of an ORDER BY. */
START_TEST(the_walk_goes_from_the_fullest_down)
{
	struct harness h;
	sqlite3_stmt *s;
	sqlite3 *db;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert_int_eq(sqlite3_open(h.path, &db), SQLITE_OK);
	ck_assert_int_eq(
		sqlite3_prepare_v2(db,
			"SELECT tile FROM memory_by_tile ORDER BY total_including_gaps DESC, tile",
			-1, &s, NULL),
		SQLITE_OK);
	harness_type(&h, "goto 3"); /* the walk begins at the fullest, wherever the cursor is */
	for (int i = 0; i < 240; i++) {
		ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
		ck_assert_int_ne(harness_type(&h, "fullest"), TS_EFFECT_BELL);
		ck_assert_int_eq(h.selection.tile, sqlite3_column_int64(s, 0));
	}
	ck_assert_int_eq(harness_type(&h, "fullest"), TS_EFFECT_BELL);
	for (int i = 0; i < 239; i++)
		harness_type(&h, "fullest-back");
	ck_assert_int_eq(h.selection.tile, 170);
	ck_assert_int_eq(harness_type(&h, "fullest-back"), TS_EFFECT_BELL);
	sqlite3_finalize(s);
	sqlite3_close(db);
	harness_end(&h);
}
END_TEST

/* On the fullest tile already, the first step leads to the next. */
START_TEST(the_walk_goes_on_from_the_fullest)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "rank 1 ");
	ck_assert_int_ne(harness_type(&h, "fullest"), TS_EFFECT_BELL);
	harness_says(&h, "rank 2 ");
	harness_type(&h, "fullest-back");
	harness_says(&h, "rank 1 ");
	harness_end(&h);
}
END_TEST

/* From one end to the other by columns: every column once, on its fullest tile, both ways. */
START_TEST(columns_lead_from_end_to_end)
{
	static const int widths[] = {40, 61, 80, 99, 100, 123, 200, 400};
	struct harness h;
	int steps = 0, back = 0;
	int64_t before;

	begin(&h, widths[_i], 24, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (int zoom = 0; zoom < 2; zoom++) {
		harness_type(&h, "first");
		for (before = h.selection.tile; harness_type(&h, "right") != TS_EFFECT_BELL;
			steps++) {
			ck_assert_int_gt(h.selection.tile, before);
			before = h.selection.tile;
			ck_assert_int_lt(steps, 1000);
		}
		ck_assert_int_ge(h.selection.tile, zoom ? 236 : 230);
		for (; harness_type(&h, "left") != TS_EFFECT_BELL; back++) {
			ck_assert_int_lt(h.selection.tile, before);
			before = h.selection.tile;
			ck_assert_int_lt(back, 1000);
		}
		ck_assert_int_le(h.selection.tile, 10);
		harness_type(&h, "zoom-in");
	}
	harness_end(&h);
}
END_TEST

START_TEST(goto_takes_a_tile_number)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_type(&h, "goto 121");
	ck_assert_int_eq(h.selection.tile, 121);
	ck_assert_int_eq(h.selection.ipu, 1);
	harness_says(&h, "tile 121 ipu 1");
	ck_assert_int_eq(harness_type(&h, "goto 240"), TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message, "there is no tile 240");
	ck_assert_int_eq(harness_type(&h, "goto 99999999999999999999"), TS_EFFECT_BELL);
	ck_assert_int_eq(h.env.tiles_asked.state, TS_TILES_NOTHING);
	harness_type(&h, "goto worst(3) & ipu(0)"); /* the program works it out */
	ck_assert_int_eq(h.env.tiles_asked.state, TS_TILES_ASKED);
	ck_assert_str_eq(h.env.tiles_asked.text, "worst(3) & ipu(0)");
	ck_assert(h.env.tiles_asked.go);
	ck_assert_int_eq(h.selection.tile, 121);
	harness_end(&h);
}
END_TEST

START_TEST(tiles_are_marked)
{
	struct harness h;
	int64_t tile;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert_int_eq(harness_type(&h, "zoom-selection"), TS_EFFECT_BELL);
	harness_type(&h, "goto 30");
	harness_type(&h, "mark");
	ck_assert_str_eq(h.selection.tiles.text, "30");
	harness_says(&h, "selected 1 tile, ");
	harness_type(&h, "goto 100");
	harness_type(&h, "range");
	harness_type(&h, "goto 110");
	harness_command(&h, "range");
	ck_assert_int_ge(h.selection.tiles.count, 12);
	ck_assert(ts_is_selected(&h.selection, 100) && ts_is_selected(&h.selection, 110));
	harness_command(&h, "pane-zoom");
	harness_look(&h, "memory-selected-120x38");
	harness_command(&h, "pane-zoom");
	harness_type(&h, "zoom-selection");
	for (tile = 100; tile <= 110; tile++)
		ck_assert(ts_is_selected(&h.selection, tile));
	harness_type(&h, "goto 105");
	harness_type(&h, "mark"); /* out of it again */
	ck_assert(!ts_is_selected(&h.selection, 105) && ts_is_selected(&h.selection, 104));
	ck_assert_int_eq(harness_type(&h, "open"), TS_EFFECT_UNKNOWN); /* no range is open */
	harness_type(&h, "zoom-selection");
	harness_type(&h, "goto 101");
	harness_type(&h, "range");
	harness_type(&h, "goto 103");
	harness_says(&h, "range of 3 tiles");
	ck_assert_str_eq(ts_view_memory.pane_hints(h.view)->word, "select the range");
	harness_type(&h, "open"); /* ends it, too */
	ck_assert(!harness_has(&h, "range of"));
	ck_assert_str_ne(ts_view_memory.pane_hints(h.view)->word, "select the range");
	harness_type(&h, "range");
	harness_type(&h, "marks-clear"); /* the range that was begun */
	ck_assert_int_gt(h.selection.tiles.count, 0);
	harness_type(&h, "marks-clear");
	ck_assert_int_eq(h.selection.tiles.count, 0);
	harness_settle(&h);
	ck_assert(!harness_has(&h, "selected"));
	harness_end(&h);
}
END_TEST

/* What others select is seen here, also tiles that this report does not have. */
START_TEST(a_selection_of_others_is_shown)
{
	struct ts_tile_set set;
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert(ts_tile_set_init(&set, 100000));
	ts_tile_set_add(&set, 230, 100000);
	ts_select_tiles(&h.selection, &set, "230-99999");
	harness_settle(&h);
	harness_says(&h, "selected 10 tiles, ");
	harness_end(&h);
}
END_TEST

START_TEST(ipus_are_walked_by_their_fullest_tile)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert_int_eq(harness_type(&h, "ipu-next"), TS_EFFECT_BELL);
	harness_type(&h, "ipu-previous");
	ck_assert_int_eq(h.selection.ipu, 0);
	harness_says(&h, "ipu 0  ");
	ck_assert_int_eq(harness_type(&h, "ipu-previous"), TS_EFFECT_BELL);
	harness_type(&h, "ipu-next");
	ck_assert_int_eq(h.selection.tile, 170);
	harness_end(&h);
}
END_TEST

START_TEST(the_selection_is_followed)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	h.selection.tile = 33;
	ts_view_memory.shown(h.view); /* before the tiles are here */
	harness_settle(&h);
	harness_says(&h, "tile 33 ");
	h.selection.tile = 44;
	ts_view_memory.shown(h.view);
	harness_says(&h, "tile 44 ");
	h.selection.tile = 4444; /* no such tile: ours stays, and is told */
	ts_view_memory.shown(h.view);
	harness_says(&h, "tile 44 ");
	ck_assert_int_eq(h.selection.tile, 44);
	harness_end(&h);
}
END_TEST

START_TEST(a_reload_keeps_the_place)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_type(&h, "goto 57");
	harness_type(&h, "breakdown category");
	h.env.generation++;
	ts_view_memory.reload(h.view);
	ts_view_memory.request(h.view);
	harness_settle(&h);
	harness_says(&h, "tile 57 ");
	harness_says(&h, "Memory by category");
	harness_end(&h);
}
END_TEST

/* ---- figures ---- */

START_TEST(gaps_are_left_out_and_taken_in)
{
	struct harness h;

	begin(&h, 160, 58, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_type(&h, "set units=bytes"); /* not the view's */
	h.options.units = TS_UNITS_BYTES;
	ts_view_memory.resize(h.view, ts_canvas_rect(h.canvas));
	harness_type(&h, "goto 0");
	harness_says(&h, "361,548 B of 638,976 B"); /* 359,500 + 2,048 */
	harness_says(&h, "with gaps (2,048 B)");
	harness_says(&h, "gaps between variables");
	harness_type(&h, "series gaps");
	harness_says(&h, "359,500 B of 638,976 B");
	harness_says(&h, "without gaps");
	ck_assert(!harness_has(&h, "gaps between variables"));
	harness_end(&h);
}
END_TEST

/* The categories of the tile are those of SQL, and add up to what the tile uses. */
START_TEST(categories_add_up_to_the_tile)
{
	struct harness h;
	char text[64];

	begin(&h, 160, 57, TS_GLYPHS_FULL);
	harness_settle(&h);
	h.options.units = TS_UNITS_BYTES;
	for (int64_t tile = 0; tile < 240; tile += 13) {
		snprintf(text, sizeof(text), "goto %lld", (long long)tile);
		harness_type(&h, text);
		harness_settle(&h);
		for (int k = 0; k < 18; k++)
			harness_says(&h,
				ts_fmt_bytes(text,
					harness_number(&h,
						"SELECT not_overlapped FROM tile_category WHERE tile = %lld "
						"AND category = %d",
						(long long)tile, k),
					TS_UNITS_BYTES));
		harness_says(&h,
			ts_fmt_bytes(text,
				harness_number(&h,
					"SELECT total_gaps FROM tile_memory WHERE tile = %lld",
					(long long)tile),
				TS_UNITS_BYTES));
	}
	harness_end(&h);
}
END_TEST

START_TEST(breakdowns_go_round)
{
	static const char *const titles[] = {"Memory by category: fullest tile per column",
		"Memory by category: mean per column",
		"Memory by liveness: fullest tile per column",
		"Memory by region: fullest tile per column",
		"Memory by layer: fullest tile per column",
		"Memory: mean and fullest tile per column"};
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (size_t i = 0; i < 2 * TS_COUNT(titles); i++) {
		harness_command(&h, "breakdown");
		harness_says(&h, titles[i % TS_COUNT(titles)]);
		ck_assert(!harness_has(&h, "being counted"));
	}
	ck_assert_int_eq(harness_type(&h, "breakdown colour"), TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message,
		"breakdown is one of total, category, mean, liveness, region, layer, family, marked");
	ck_assert_int_eq(harness_type(&h, "breakdown marked"), TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message, "no variables are marked (m marks one in Variables)");
	harness_end(&h);
}
END_TEST

START_TEST(tiles_that_do_not_fit_are_counted)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, tables);
	harness_rows(&h, rows);
	harness_rows(&h,
		"UPDATE tile_memory SET total_gaps = 638977 WHERE tile IN (5, 6, 7);"
		"UPDATE tile_memory SET overflowed = 1 WHERE tile = 9;"
		"UPDATE tile_memory SET total_gaps = 638976 WHERE tile = 11;");
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_ASCII);
	h.canvas->mono = true;
	harness_settle(&h);
	harness_says(&h, "4 of 240 over the limit");
	harness_type(&h, "goto 9");
	harness_says(&h, "!");
	harness_end(&h);
}
END_TEST

/* ---- tables ---- */

START_TEST(variables_follow_the_cursor)
{
	struct harness h;

	begin(&h, 160, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "tile 170, largest first");
	for (int i = 0; i < 40; i++) /* nothing is received meanwhile */
		harness_type(&h, i % 2 ? "left" : "right");
	harness_type(&h, "goto 12");
	harness_says(&h, "tile 170 (reading tile 12)");
	harness_settle(&h);
	harness_says(&h, "tile 12, largest first");
	harness_says(&h, "18 variables");
	harness_type(&h, "goto 13"); /* and back before the answer */
	harness_type(&h, "goto 12");
	harness_says(&h, "tile 12, largest first");
	harness_settle(&h);
	harness_says(&h, "tile 12, largest first");
	harness_end(&h);
}
END_TEST

START_TEST(a_search_finds_variables_of_the_tile)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert_int_eq(harness_type(&h, "search-next"), TS_EFFECT_BELL);
	ck_assert_int_eq(harness_type(&h, "search"), TS_EFFECT_UNKNOWN);
	harness_type(&h, "tab variables");
	harness_type(&h, "pane-next");
	harness_type(&h, "search CONV_2");
	ck_assert_str_eq(h.env.message, "hit 1 of 3");
	ck_assert_int_eq(ts_view_memory.pane_context(h.view), TS_CONTEXT_LIST);
	harness_type(&h, "search-next");
	ck_assert_str_eq(h.env.message, "hit 2 of 3");
	harness_type(&h, "search-next");
	harness_type(&h, "search-next");
	ck_assert_str_eq(h.env.message, "hit 1 of 3"); /* round */
	harness_type(&h, "search-previous");
	ck_assert_str_eq(h.env.message, "hit 3 of 3");
	ck_assert_int_eq(harness_type(&h, "search nowhere"), TS_EFFECT_BELL);
	ck_assert(strstr(h.env.message, "nowhere"));
	harness_end(&h);
}
END_TEST

/* The tile under the cursor has a variable with that in its name, and its variables are shown with the cursor on it. */
static void
is_on_hit(struct harness *h, const char *word)
{
	long long tile = (long long)harness_at_cursor(h).tile;

	ck_assert_int_gt(harness_number(h,
				 "SELECT count(*) FROM lowered_variable "
				 "WHERE tile = %lld AND name LIKE '%%%s%%'",
				 tile, word),
		0);
}

START_TEST(a_search_in_the_graph_goes_from_tile_to_tile)
{
	long long first, tile, n = 0;
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert_int_eq(harness_command(&h, "search-next"), TS_EFFECT_BELL);
	harness_command(&h, "search CONV_2");
	ck_assert_msg(strstr(h.env.message, "of 80 tiles with a variable \"CONV_2\""), "%s",
		h.env.message);
	ck_assert_int_eq(ts_view_memory.pane_context(h.view), TS_CONTEXT_CHART);
	first = tile = (long long)harness_at_cursor(&h).tile;
	do {
		is_on_hit(&h, "conv_2");
		harness_command(&h, "search-next");
		ck_assert((long long)harness_at_cursor(&h).tile != tile);
		tile = (long long)harness_at_cursor(&h).tile;
		n++;
	} while (tile != first && n < 1000);
	ck_assert_int_eq(n, 80); /* one of three, and round */
	harness_command(&h, "search-previous");
	ck_assert_int_eq((long long)harness_at_cursor(&h).tile, first - 3);
	harness_command(&h, "search nowhere \"at\" all");
	ck_assert(strstr(h.env.message, "no variable of any tile"));
	ck_assert_int_eq(harness_command(&h, "marks-clear"), TS_EFFECT_NONE); /* no marks to see */
	harness_end(&h);
}
END_TEST

/* The first search of a word begins on a tile that does not have it, as often as on one that does. */
START_TEST(a_first_search_leaves_a_tile_without_the_word)
{
	static const struct {
		const char *line;
		int64_t tile;
	} tries[] = {{"search CONV_2", 11}, {"search-back CONV_2", 8}, {"search CONV_2", 11}};
	struct harness h;

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		begin(&h, 80, 22, TS_GLYPHS_FULL);
		harness_settle(&h);
		if (i == 2)
			harness_command(&h, "map");
		harness_command(&h, "goto 10");
		ck_assert_int_eq(harness_number(&h,
					 "SELECT count(*) FROM lowered_variable WHERE tile = 10 "
					 "AND name LIKE '%%conv_2%%'"),
			0);
		harness_command(&h, tries[i].line);
		ck_assert_msg(strstr(h.env.message, "of 80 tiles"), "%s", h.env.message);
		ck_assert_int_eq(harness_at_cursor(&h).tile, tries[i].tile);
		harness_end(&h);
	}
}
END_TEST

/* Its answer leads to no tile, and says nothing, where the user has gone on. */
START_TEST(a_search_in_the_graph_is_left)
{
	static const char *const left[] = {"goto 13", "pane-next", "search conv_1"};
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_command(&h, "tab variables");
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		while (ts_view_memory.pane_context(h.view) != TS_CONTEXT_CHART)
			harness_command(&h, "pane-next");
		harness_command(&h, "goto 10");
		harness_command(&h, "search nowhere");
		harness_type(&h, "search CONV_2");
		harness_command(&h, left[i]);
		ck_assert_msg(!strstr(h.env.message, "CONV_2"), "%s", h.env.message);
		if (i < 2)
			ck_assert_int_eq(harness_at_cursor(&h).tile, i == 0 ? 13 : 10);
	}
	harness_command(&h, "goto 10");
	harness_type(&h, "search CONV_2");
	h.env.behind = true; /* another view is shown */
	harness_settle(&h);
	ck_assert_int_eq(harness_at_cursor(&h).tile, 10);
	harness_end(&h);
}
END_TEST

/* Memory alone is divided: the key turns another metric back to it, a name says that it waits. */
START_TEST(a_breakdown_is_of_memory)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert(!(harness_command(&h, "metric gaps") & TS_EFFECT_BELL));
	harness_command(&h, "breakdown category");
	ck_assert_ptr_nonnull(strstr(h.env.message, "by category once memory is shown"));
	harness_says(&h, "Gaps of each tile");
	harness_command(&h, "breakdown");
	ck_assert_ptr_nonnull(strstr(h.env.message, "memory again, by mean"));
	harness_says(&h, "Memory by category: mean");
	harness_command(&h, "map");
	harness_command(&h, "breakdown");
	ck_assert_ptr_nonnull(strstr(h.env.message, "in the graph: a map is not divided"));
	harness_end(&h);
}
END_TEST

/* The plot by IPU is written as it is drawn: a row for each IPU. */
START_TEST(rows_of_ipus_are_written)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	struct ts_sheet sheet = {.list = NULL};
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_command(&h, "breakdown category");
	harness_command(&h, "per-ipu");
	harness_draw(&h);
	ck_assert(ts_view_memory.sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.rows, 2);
	ck_assert_str_eq(sheet.table.facts[2].name, "bytes");
	for (int64_t ipu = 0; ipu < 2; ipu++) {
		ck_assert(sheet.table.value(sheet.table.ctx, ipu, 2, &v));
		ck_assert_int_eq(v.integer,
			harness_number(&h, "SELECT sum(total_gaps) FROM tile_memory WHERE ipu = %d",
				(int)ipu));
	}
	ck_assert_int_gt(sheet.table.columns, 8); /* the parts stand behind */
	harness_command(&h, "per-ipu");
	ck_assert(ts_view_memory.sheet(h.view, &sheet) && sheet.rows == 240);
	harness_end(&h);
}
END_TEST

START_TEST(rows_are_copied)
{
	struct harness h;

	begin(&h, 160, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_type(&h, "goto 0");
	harness_settle(&h);
	harness_type(&h, "copy");
	ck_assert_str_eq(h.env.copy, "0\t361548");
	harness_type(&h, "pane-next");
	harness_type(&h, "copy");
	ck_assert_str_eq(h.env.copy, "0\tvariable\t195000");
	harness_type(&h, "pane-next");
	harness_type(&h, "down");
	harness_type(&h, "copy");
	ck_assert_str_eq(h.env.copy,
		"bert/encoder/layer_1/attention/self/matMul/Conv_0\t"
		"internalExchangeCode\t40000\t11.0635\t40960");
	harness_type(&h, "pane-next");
	ck_assert_int_eq(ts_view_memory.pane_context(h.view), TS_CONTEXT_CHART);
	harness_end(&h);
}
END_TEST

START_TEST(the_mouse_puts_the_cursor)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	ts_view_memory.mouse(h.view, 5, 10, 0); /* the first column of the plot */
	ck_assert_int_lt(h.selection.tile, 3);
	ts_view_memory.mouse(h.view, 119, 0, 0); /* the end of the strip */
	ck_assert_int_gt(h.selection.tile, 230);
	ts_view_memory.mouse(h.view, 80, 30, 0); /* a variable */
	ck_assert_int_eq(ts_view_memory.pane_context(h.view), TS_CONTEXT_LIST);
	ts_view_memory.mouse(h.view, 80, 30, 1);
	ts_view_memory.mouse(h.view, 50, 10, -1);
	ts_view_memory.mouse(h.view, 50, 10, -1);
	harness_says(&h, "Memory of each tile");
	harness_end(&h);
}
END_TEST

START_TEST(stopped_work_is_said)
{
	struct harness h;

	begin(&h, 160, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	h.env.generation++;
	ts_view_memory.reload(h.view);
	ts_view_memory.request(h.view);
	ts_jobs_cancel(h.env.jobs, -1);
	harness_settle(&h);
	/* whichever of them was done before */
	ck_assert(harness_has(&h, "stopped") || harness_has(&h, "tile 170"));
	harness_end(&h);
}
END_TEST

/* Rows of all tiles mixed: the variables of a tile take a pass over all of them. */
START_TEST(variables_without_a_key_take_a_pass)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h, few_tiles);
	harness_rows(&h,
		"CREATE TABLE lowered_variable(tile INTEGER, bytes INTEGER, category INTEGER);"
		"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'stack');"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) "
		"INSERT INTO lowered_variable SELECT (i * 7919) % 1472, i % 1000, i % 2 FROM n;");
	harness_start(&h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	ck_assert(!ts_tile_variables_quick(h.env.report, NULL, 0));
	harness_settle(&h);
	harness_says(&h, "tile 99, largest first");
	harness_says(&h, "34 variables");
	harness_says(&h, "(names are not recorded)");
	harness_says(&h, "tile 99, by lowered");
	for (int i = 0; i < 20; i++)
		harness_type(&h, "right");
	harness_type(&h, "goto 7");
	harness_settle(&h);
	harness_says(&h, "tile 7, largest first");
	harness_end(&h);
}
END_TEST

/* The first rows of the categories, as they are copied. */
static void
copy_categories(struct harness *h, char out[4096])
{
	out[0] = '\0';
	harness_type(h, "pane-next");
	harness_type(h, "first");
	for (int i = 0; i < 6; i++) {
		harness_type(h, "copy");
		snprintf(out + strlen(out), 4096 - strlen(out), "%s\n", h->env.copy);
		harness_type(h, "down");
	}
	harness_type(h, "first");
	harness_type(h, "pane-previous");
}

/*
 * While the index is being built, which is going to have the categories of all tiles, those of the tile under
 * the cursor come from its own variables, the same.
 */
START_TEST(one_tile_does_not_wait_for_all)
{
	const struct ts_demo_options o = {.ipus = 2, .tiles = 8, .steps = 20, .variables = 3000};
	char before[4096], then[4096];
	struct harness h;

	harness_demo(&h, &o);
	harness_sql(&h, "DROP TABLE memory_by_category"); /* else they are there */
	harness_start(&h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	h.env.coming = ts_section_bit(TS_SECTION_CATEGORIES);
	harness_settle(&h);
	harness_type(&h, "goto 5");
	harness_settle(&h);
	copy_categories(&h, before);
	harness_type(&h, "breakdown category");
	harness_says(&h, "being counted");
	h.env.coming = 0; /* it could not be built */
	ts_view_memory.request(h.view);
	harness_settle(&h);
	ck_assert(!harness_has(&h, "being counted"));
	copy_categories(&h, then);
	ck_assert_str_eq(before, then);
	ck_assert_ptr_nonnull(strstr(before, "5\tvariable\t"));
	harness_end(&h);
}
END_TEST

/* ---- reports that are not as they should be ---- */

/* What could be read is shown, and that it is not all. */
START_TEST(damage_is_said)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h,
		"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 99999) "
		"INSERT INTO tile_memory SELECT t, 300000 + t % 1000 FROM t");
	harness_make(&h);
	damage_leaf(h.path, "memory_by_tile", 20);
	harness_start(&h, &ts_view_memory, 160, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "partial: ");
	harness_says(&h, "tile 999 ");
	harness_end(&h);
}
END_TEST

static const char *const odd[] = {
	/* one tile */
	"INSERT INTO tile_memory VALUES(0, 5)",
	/* nothing used */
	"INSERT INTO tile_memory VALUES(0, 0), (1, 0)",
	/* numbers that are not dense, the largest there are */
	"INSERT INTO tile_memory VALUES(4611686018427387904, 5), (17, 4), (100000, 3), (18, 9)",
	/* values that overflow any sum */
	"INSERT INTO tile_memory VALUES(1, 4611686018427387904), (2, 9223372036854775807), "
	"(3, -4), (4, NULL), (5, 'y'), (6, 4611686018427387903)",
	/* no tile that can be used */
	"INSERT INTO tile_memory VALUES(1, NULL)",
	/* 100,000 tiles */
	"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 99999) "
	"INSERT INTO tile_memory SELECT t, t % 1000 FROM t",
	/* names of all kinds, more categories than bands, sums that overflow */
	"INSERT INTO tile_memory VALUES(0, 5), (1, 7), (2, 9);"
	"CREATE TABLE lowered_variable(tile INTEGER, bytes INTEGER, category INTEGER, name TEXT);"
	"CREATE TABLE words(id INTEGER PRIMARY KEY, string TEXT);"
	"INSERT INTO words VALUES(0, ''), (1, char(27) || ']52;c;x' || char(7)), "
	"(2, replace(hex(zeroblob(2500)), '0', 'n')), (3, CAST(x'fffe80c3' AS TEXT)), "
	"(4, char(8238) || char(10) || char(9)), (5, char(128514));"
	"WITH RECURSIVE k(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM k WHERE k < 299) "
	"INSERT INTO memory_category SELECT k, CASE k % 4 WHEN 0 THEN '' WHEN 1 THEN "
	"char(27) || '[2J' || k WHEN 2 THEN NULL ELSE char(65 + k % 26) || k END FROM k;"
	"WITH RECURSIVE k(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM k WHERE k < 2999) "
	"INSERT INTO lowered_variable SELECT k / 1000, CASE WHEN k % 50 = 0 THEN 4611686018427387904 "
	"WHEN k % 51 = 0 THEN -1 ELSE k END, k % 301, (SELECT string FROM words WHERE id = k % 8) FROM k;",
};

static const char *const moves[] = {"left", "right", "page-left", "page-right", "zoom-in",
	"zoom-out", "zoom-fit", "first", "last", "fullest", "fullest-back", "ipu-next",
	"ipu-previous", "breakdown", "series", "pane-next", "pane-previous", "pane-zoom",
	"tab-next", "tab-previous", "debug", "up", "down", "page-up", "page-down", "half-page-up",
	"half-page-down", "search n", "search-next", "copy", "goto 17", "breakdown mean",
	"breakdown liveness"};

START_TEST(odd_reports_draw_sanely)
{
	struct harness h;
	unsigned seed = (unsigned)_i + 1;
	int bad = 0;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h, odd[_i]);
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (int i = 0; i < 1500; i++) {
		seed = seed * 1103515245u + 12345u;
		harness_type(&h, moves[(seed >> 16) % TS_COUNT(moves)]);
		if (i % 7 == 0)
			harness_settle(&h);
		if (i % 11 == 0)
			harness_resize(&h, (int)((seed >> 8) % 230), (int)((seed >> 20) % 70));
		harness_draw(&h);
		for (int k = 0; k < h.canvas->w * h.canvas->h; k++)
			bad += h.canvas->cell[k].width > 0 && h.canvas->cell[k].cp < ' ';
		ts_view_memory.mouse(h.view, (int)(seed % 200), (int)(seed / 200 % 60),
			(int)(seed >> 30) - 1);
	}
	ck_assert_int_eq(bad, 0);
	harness_end(&h);
}
END_TEST

START_TEST(numbers_that_are_not_dense_stand_on_the_axis)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h, odd[2]);
	harness_start(&h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "100000");
	harness_says(&h, "4611686018427387904");
	harness_says(&h, "tile 18 ");
	harness_says(&h, "limit not known");
	harness_end(&h);
}
END_TEST

START_TEST(categories_say_what_is_left_out)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h, odd[6]);
	harness_start(&h, &ts_view_memory, 160, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "(too many: not all counted)");
	harness_says(&h, "without size)");
	harness_end(&h);
}
END_TEST

START_TEST(bad_rows_are_counted)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, few_tables);
	harness_rows(&h, odd[3]);
	harness_start(&h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "rows left out: bad numbers");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_memory");
	TCase *c = tcase_create("view_memory");
	SRunner *r;
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, screens_are_those_that_were_kept, 0, (int)TS_COUNT(shots));
	tcase_add_test(c, what_is_absent_is_said);
	tcase_add_test(c, no_tile_memory_is_a_panel);
	tcase_add_test(c, no_tiles_are_said);
	tcase_add_test(c, loading_is_drawn);
	tcase_add_test(c, loading_says_how_far);
	tcase_add_test(c, the_fullest_tile_comes_first);
	tcase_add_test(c, the_walk_goes_from_the_fullest_down);
	tcase_add_test(c, the_walk_goes_on_from_the_fullest);
	tcase_add_loop_test(c, columns_lead_from_end_to_end, 0, 8);
	tcase_add_test(c, goto_takes_a_tile_number);
	tcase_add_test(c, tiles_are_marked);
	tcase_add_test(c, a_selection_of_others_is_shown);
	tcase_add_test(c, ipus_are_walked_by_their_fullest_tile);
	tcase_add_test(c, the_selection_is_followed);
	tcase_add_test(c, a_reload_keeps_the_place);
	tcase_add_test(c, gaps_are_left_out_and_taken_in);
	tcase_add_test(c, categories_add_up_to_the_tile);
	tcase_add_test(c, breakdowns_go_round);
	tcase_add_test(c, tiles_that_do_not_fit_are_counted);
	tcase_add_test(c, variables_follow_the_cursor);
	tcase_add_test(c, a_search_finds_variables_of_the_tile);
	tcase_add_test(c, a_breakdown_is_of_memory);
	tcase_add_test(c, rows_of_ipus_are_written);
	tcase_add_test(c, a_search_in_the_graph_goes_from_tile_to_tile);
	tcase_add_test(c, a_first_search_leaves_a_tile_without_the_word);
	tcase_add_test(c, a_search_in_the_graph_is_left);
	tcase_add_test(c, rows_are_copied);
	tcase_add_test(c, the_mouse_puts_the_cursor);
	tcase_add_test(c, stopped_work_is_said);
	tcase_add_test(c, variables_without_a_key_take_a_pass);
	tcase_add_test(c, one_tile_does_not_wait_for_all);
	tcase_add_test(c, damage_is_said);
	tcase_add_loop_test(c, odd_reports_draw_sanely, 0, (int)TS_COUNT(odd));
	tcase_add_test(c, numbers_that_are_not_dense_stand_on_the_axis);
	tcase_add_test(c, categories_say_what_is_left_out);
	tcase_add_test(c, bad_rows_are_counted);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
