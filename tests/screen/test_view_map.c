/* SPDX-License-Identifier: MIT */
/*
 * The tile map of the Memory view: screens that were looked at and kept, moving on it, metrics, scales, orders,
 * marking rectangles, pages, and differences (which no command shows yet).
 */
#include "config.h"

#include <locale.h>
#include <stdlib.h>

#include "view_harness.h"

#include "tilescope/report/memory.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/tile_map.h"

static const char tables[] =
	"CREATE TABLE report(key TEXT, value TEXT);"
	"CREATE TABLE target(type TEXT, architecture TEXT, ipus INTEGER, replicas INTEGER,"
	" tiles_per_ipu INTEGER, bytes_per_tile INTEGER, clock_hz REAL);"
	"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, ipu INTEGER,"
	" total INTEGER, total_gaps INTEGER, overflowed INTEGER);"
	"CREATE TABLE compute_set(compute_set INTEGER, name TEXT,"
	" estimated_cycles_by_tile BLOB, cycles_by_tile BLOB);"
	"INSERT INTO compute_set VALUES(0, 'a', X'0500000009000000', NULL), (1, 'b', NULL, NULL);"
	"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
	"INSERT INTO memory_category VALUES(0, 'stack'), (1, 'variable');"
	"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT,"
	" not_overlapped INTEGER, overlapped INTEGER);";

/* Waves over the tiles of each IPU; tile 70 is over the limit. */
static const char rows[] =
	"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < %d * %d - 1)"
	"INSERT INTO tile_memory SELECT t, t / %d,"
	" 200000 + 1500 * abs(t %% 128 - 64) + 3000 * (t / 64 %% 23) + 300000 * (t = 70),"
	" 201000 + 1500 * abs(t %% 128 - 64) + 3000 * (t / 64 %% 23) + 300000 * (t = 70), 0 FROM t;"
	"INSERT INTO tile_category SELECT tile, tile %% 2, NULL, total, 0 FROM tile_memory;"
	"INSERT INTO target VALUES('IPU', 'Mk2', %d, 1, %d, 500000, 1.33e9);";

static void
begin(struct harness *h, int ipus, int tiles, int w, int height, enum ts_glyphs glyphs)
{
	char *text = sqlite3_mprintf(rows, ipus, tiles, tiles, ipus, tiles);

	harness_dir(h);
	harness_rows(h, tables);
	harness_rows(h, text);
	sqlite3_free(text);
	harness_start(h, &ts_view_memory, w, height, glyphs);
	h->canvas->mono = glyphs == TS_GLYPHS_ASCII;
	harness_settle(h);
}

/* --- screens ------------------------------------------------------------------------------------ */

static const struct shot {
	const char *name;
	int ipus, tiles, w, h;
	enum ts_glyphs glyphs;
	const char *line[6];
} shots[] = {
	{"map_80x22", 1, 1472, 80, 22, TS_GLYPHS_FULL, {"map"}},
	{"map_80x22_ascii", 1, 1472, 80, 22, TS_GLYPHS_ASCII, {"map", "down"}},
	{"map_mk1_80x22", 1, 1216, 80, 22, TS_GLYPHS_FULL, {"map", "scale"}},
	{"map_40x8", 1, 1472, 40, 8, TS_GLYPHS_FULL, {"map"}},
	{"map_4_120x38", 4, 1472, 120, 38, TS_GLYPHS_FULL,
		{"map", "scale limit", "range", "down", "right", "range"}},
	{"map_4_200x58", 4, 1472, 200, 58, TS_GLYPHS_BASIC, {"metric category:stack", "map"}},
	{"map_zoom_120x38", 1, 1472, 120, 38, TS_GLYPHS_FULL,
		{"map", "zoom-in", "zoom-in", "zoom-in", "last"}},
	{"map_alone_120x38_ascii", 1, 1472, 120, 38, TS_GLYPHS_ASCII, {"map", "pane-zoom"}},
	{"map_estimated_80x22", 1, 1472, 80, 22, TS_GLYPHS_FULL,
		{"map", "metric active-cycles-once"}},
};

/* The tabs below the map are no matter of these screens: cut off from their titles on. */
static void
check_upper(const char *name, struct ts_canvas *c)
{
	int h = c->h;

	for (int y = 1; y < c->h; y++)
		for (int x = 0; x < 4; x++)
			if (ts_canvas_at(c, x, y)->cp == '[' && y < h)
				h = y;
	c->h = h;
	golden_check(name, c);
}

START_TEST(screens_are_those_that_were_kept)
{
	const struct shot *s = &shots[_i];
	struct harness h;

	begin(&h, s->ipus, s->tiles, s->w, s->h, s->glyphs);
	for (int i = 0; i < 6 && s->line[i]; i++)
		harness_command(&h, s->line[i]);
	harness_draw(&h);
	check_upper(s->name, h.canvas);
	harness_end(&h);
}
END_TEST

/* --- moving ------------------------------------------------------------------------------------- */

START_TEST(the_cursor_moves_in_two_dimensions)
{
	struct harness h;

	begin(&h, 2, 1472, 160, 38, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "goto 65");
	harness_draw(&h);
	harness_command(&h, "down");
	ck_assert_int_eq(h.selection.tile, 129);
	harness_command(&h, "up");
	harness_command(&h, "up");
	ck_assert_int_eq(h.selection.tile, 1);
	ck_assert(harness_command(&h, "up") & TS_EFFECT_BELL);
	harness_command(&h, "left");
	ck_assert_int_eq(h.selection.tile, 0);
	ck_assert(harness_command(&h, "left") & TS_EFFECT_BELL);
	harness_command(&h, "goto 127");
	harness_command(&h, "right"); /* into the next block, same row */
	ck_assert_int_eq(h.selection.tile, 1472 + 64);
	ck_assert_int_eq(h.selection.ipu, 1);
	harness_command(&h, "fullest");
	ck_assert_int_eq(h.selection.tile, 70);
	harness_end(&h);
}
END_TEST

START_TEST(pages_are_turned)
{
	struct harness h;

	begin(&h, 4, 1472, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "goto 5");
	harness_says(&h, "page 1/4");
	harness_command(&h, "page-down");
	ck_assert_int_eq(h.selection.tile, 1477);
	harness_says(&h, "page 2/4");
	harness_command(&h, "ipu-next");
	harness_says(&h, "page 3/4");
	harness_command(&h, "page-right");
	ck_assert(harness_command(&h, "page-right") & TS_EFFECT_BELL);
	harness_says(&h, "page 4/4");
	harness_end(&h);
}
END_TEST

START_TEST(a_rectangle_is_marked)
{
	uint64_t before;
	struct harness h;

	begin(&h, 1, 1472, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "goto 200");
	harness_command(&h, "range");
	harness_command(&h, "down");
	harness_command(&h, "left");
	before = h.selection.tiles.version;
	harness_command(&h, "range");
	ck_assert_uint_eq(h.selection.tiles.version, before + 1); /* once, not row by row */
	ck_assert_int_eq(h.selection.tiles.count, 4);
	ck_assert(ts_is_selected(&h.selection, 199) && ts_is_selected(&h.selection, 200) &&
		ts_is_selected(&h.selection, 263) && ts_is_selected(&h.selection, 264));
	harness_command(&h, "marks-clear");
	ck_assert_int_eq(h.selection.tiles.count, 0);
	harness_end(&h);
}
END_TEST

START_TEST(the_mouse_finds_a_tile)
{
	struct harness h;

	begin(&h, 1, 1472, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_draw(&h);
	ts_view_memory.mouse(h.view, 10, 6, 0); /* tiles are one column wide or more */
	ck_assert_int_lt(h.selection.tile, 1472);
	ck_assert_int_gt(h.selection.tile, 0);
	ts_view_memory.mouse(h.view, 119, 6, 0);
	ts_view_memory.mouse(h.view, 10, 6, -1);
	ts_view_memory.mouse(h.view, 10, 6, 1);
	harness_says(&h, "Tile map");
	harness_end(&h);
}
END_TEST

/* --- what it shows ------------------------------------------------------------------------------ */

START_TEST(metrics_scales_and_orders_are_chosen)
{
	struct harness h;

	begin(&h, 1, 1472, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_says(&h, "Tile map: memory with gaps");
	harness_command(&h, "metric");
	harness_says(&h, "Tile map: memory without gaps");
	harness_command(&h, "metric"); /* not once more "with gaps" */
	harness_says(&h, "Tile map: gaps");
	harness_command(&h, "metric category:stack");
	harness_says(&h, "Tile map: memory of category stack");
	ck_assert(harness_command(&h, "metric cycles") & TS_EFFECT_BELL);
	ck_assert(h.env.message_is_error);
	ck_assert(harness_command(&h, "metric nonsense") & TS_EFFECT_BELL);
	harness_command(&h, "metric category:nothing");
	harness_says(&h, "no tile has memory of a category \"nothing\"");
	harness_command(&h, "metric active-cycles-once");
	harness_says(&h, "(cycles, estimated)");
	harness_says(&h, "summed over the 1 of 2 that record it");
	harness_command(&h, "goto 1");
	harness_says(&h, "rank 1 of 1,472");
	harness_command(&h, "metric used");
	harness_says(&h, "1 of 1,472 over the limit");
	harness_command(&h, "scale");
	harness_says(&h, "logarithmic");
	ck_assert(harness_command(&h, "scale wrong") & TS_EFFECT_BELL);
	harness_command(&h, "map");
	harness_says(&h, "Memory");
	harness_end(&h);
}
END_TEST

static bool
is_drawn_as(struct harness *h, enum ts_role role, int x, int y)
{
	const struct ts_cell *cell;

	harness_draw(h);
	cell = ts_canvas_at(h->canvas, x, y);
	/* a cell of one colour may have the other one behind it */
	return (cell->role == role && cell->cp != ' ') ||
		(cell->back == role && cell->cp != 0x2588);
}

START_TEST(tiles_over_the_limit_are_marked_whatever_the_metric)
{
	enum { X = 1 + 70 - 64, Y = 1 }; /* tile 70, the lower half of the cell */
	struct harness h;

	begin(&h, 1, 1472, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "goto 0");
	for (int i = 0; i < 12; i++) {
		harness_says(&h, " over the limit");
		ck_assert(is_drawn_as(&h, TS_ROLE_BAD, X, Y));
		ck_assert(!is_drawn_as(&h, TS_ROLE_BAD, X + 1, Y));
		harness_command(&h, "metric");
		harness_settle(&h);
	}
	harness_command(&h, "limit-line");
	harness_says(&h, " over the limit");
	ck_assert(!is_drawn_as(&h, TS_ROLE_BAD, X, Y));
	harness_end(&h);
}
END_TEST

START_TEST(a_tile_over_the_limit_is_seen_in_a_selection)
{
	enum { X = 1 + 70 - 64, Y = 1 }; /* tile 70, the lower half of the cell */
	struct harness h;

	begin(&h, 1, 1472, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "goto 0");
	harness_command(&h, "goto 65");
	harness_command(&h, "range");
	harness_command(&h, "goto 80");
	harness_command(&h, "range");
	harness_settle(&h);
	harness_says(&h, " both");
	ck_assert(is_drawn_as(&h, TS_ROLE_HEAT_SELECTED_OVER, X, Y));
	ck_assert(!is_drawn_as(&h, TS_ROLE_BAD, X, Y));
	ck_assert(!is_drawn_as(&h, TS_ROLE_HEAT_SELECTED_OVER, X + 1, Y));
	ts_select_no_tiles(&h.selection);
	harness_settle(&h);
	ck_assert(is_drawn_as(&h, TS_ROLE_BAD, X, Y));
	harness_end(&h);
}
END_TEST

START_TEST(the_walk_reaches_categories)
{
	static const char *const titles[] =
		{"Tile map: memory of category variable (bytes, recorded)",
			"Tile map: memory of category stack (bytes, recorded)",
			"Tile map: active cycles"};
	struct harness h;
	int steps = 0;

	begin(&h, 1, 1472, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	for (size_t i = 0; i < TS_COUNT(titles); i++) {
		harness_command(&h, "metric-back");
		harness_settle(&h);
		harness_says(&h, titles[i]);
	}
	for (; steps < 3; steps++)
		harness_command(&h, "metric");
	harness_settle(&h);
	harness_says(&h, "Tile map: memory with gaps (bytes, recorded)");
	harness_end(&h);
}
END_TEST

START_TEST(physical_order_that_is_not_recorded_is_said)
{
	struct harness h;

	begin(&h, 1, 100, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	ck_assert(harness_command(&h, "order") & TS_EFFECT_BELL);
	ck_assert_ptr_nonnull(strstr(h.env.message, "not recorded"));
	harness_end(&h);
}
END_TEST

START_TEST(a_reload_keeps_the_metric)
{
	struct harness h;

	begin(&h, 1, 100, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "metric category:variable");
	h.env.generation++;
	ts_view_memory.reload(h.view);
	harness_settle(&h);
	harness_says(&h, "Tile map: memory of category variable");
	harness_end(&h);
}
END_TEST

START_TEST(what_does_not_add_up_is_said)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, tables);
	harness_rows(&h, "INSERT INTO tile_memory VALUES(0, 0, 100, 90, 0), (1, 0, 5, 5, 0)");
	harness_start(&h, &ts_view_memory, 200, 50, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "1 of 2 tiles have less memory with gaps than without: bytes 90, not 100");
	harness_command(&h, "map");
	harness_says(&h, "1 of 2 tiles have less memory with gaps than without");
	harness_resize(&h, 80, 22);
	harness_says(&h, "memory does not add up: see Summary");
	harness_end(&h);
}
END_TEST

/* Tiles nobody would make: numbers with holes, huge ones, IPUs not known, 0 and 2^62 bytes. */
START_TEST(odd_tiles_are_drawn_sanely)
{
	static const char *const reports[] = {
		"INSERT INTO tile_memory VALUES(0, NULL, 0, 0, 0)",
		"INSERT INTO tile_memory VALUES(5, 3, 4611686018427387904, NULL, 0), "
		"(9, 3, 0, NULL, 0), (4611686018427387904, 7, 10, NULL, 0)",
		"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 9999) "
		"INSERT INTO tile_memory SELECT t * 1000003, t, t, t, t % 2 FROM t",
		"INSERT INTO target VALUES('IPU', 'x', 1, 1, 4611686018427387904, 5, 1);"
		"INSERT INTO tile_memory VALUES(0, 0, 9, 9, 9), (1, 0, 9, 9, 9)",
	};
	static const char *const lines[] = {"map", "down", "right", "zoom-in", "zoom-in", "last",
		"page-down", "up", "scale", "scale", "scale", "metric", "range", "first", "range",
		"zoom-fit", "order", "pane-zoom", "fullest", "left"};
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, tables);
	harness_rows(&h, reports[_i]);
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (size_t i = 0; i < TS_COUNT(lines); i++) {
		harness_command(&h, lines[i]);
		harness_draw(&h);
		harness_says(&h, "tile ");
	}
	for (int w = 1; w < 100; w += 9) {
		harness_resize(&h, w, w / 3);
		harness_draw(&h);
	}
	harness_end(&h);
}
END_TEST

/* --- differences -------------------------------------------------------------------------------- */

static const char *
plain(void *ctx, int64_t v, char out[TS_FMT_MAX])
{
	(void)ctx;
	return ts_fmt_count(out, v);
}

START_TEST(differences_have_their_colours)
{
	const int64_t tile[] = {0, 1, 2, 3, 4}, ipu[5] = {0};
	const int64_t before[] = {100, 100, 100, TS_UNKNOWN, 100};
	const int64_t now[] = {400, 90, 100, 5, TS_UNKNOWN};
	struct ts_tile_map_values v = {.value = now, .other = before, .limit = -1};
	struct ts_tile_map_marks k = {.cursor = -1, .text = plain};
	struct ts_canvas *c = ts_canvas_new(60, 3, TS_GLYPHS_FULL);
	struct ts_tile_map m = {.zoom = 2};
	struct ts_strbuf out;

	ck_assert(c && ts_tile_map_lay(&m, tile, ipu, NULL, 5, 5));
	ts_tile_map_color(&m, &v);
	ck_assert_int_eq(m.different, 300);
	ck_assert(m.level[0] == TS_HEAT_MORE + 2 && m.level[1] == TS_HEAT_SAME - 1 &&
		m.level[2] == TS_HEAT_SAME && m.level[3] == TS_HEAT_UNKNOWN &&
		m.level[4] == TS_HEAT_UNKNOWN);
	ck_assert_int_eq(ts_tile_map_fit(&m, 60, 2, false, -1), 1);
	ts_tile_map_draw(&m, c, (struct ts_rect){0, 0, 60, 2}, &k);
	ts_tile_map_legend(&m, c, (struct ts_rect){0, 2, 60, 1}, &k);
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->role, TS_ROLE_MORE_3);
	ck_assert_int_eq(ts_canvas_at(c, 2, 0)->role, TS_ROLE_LESS_1);
	ck_assert_int_eq(ts_canvas_at(c, 4, 0)->role, TS_ROLE_SAME);
	ck_assert_int_eq(ts_canvas_at(c, 8, 0)->role, TS_ROLE_HEAT_UNKNOWN);
	ts_strbuf_init(&out, 1000);
	ts_canvas_dump(c, &out);
	ck_assert_ptr_nonnull(strstr(out.s, "-300 "));
	ck_assert_ptr_nonnull(strstr(out.s, "+300"));
	ts_strbuf_fini(&out);
	ts_tile_map_fini(&m);
	ts_canvas_free(c);
}
END_TEST

/* A third of the tiles grew, a third shrank, of one the other value is not known. */
static void
compare(struct harness *h)
{
	static int64_t other[1472];

	for (int i = 0; i < 1472; i++) {
		int64_t now = 201000 + 1500 * llabs(i % 128 - 64) + 3000 * (i / 64 % 23) +
			300000 * (i == 70);

		other[i] = i == 3 ? TS_UNKNOWN
				  : now - 20480 * (i / 500 == 0) + 10240 * (i / 500 == 1);
	}
	ck_assert(!ts_memory_compare(h->view, other, 1471));
	ck_assert(ts_memory_compare(h->view, other, 1472));
}

START_TEST(a_signed_difference_is_drawn)
{
	static const enum ts_glyphs glyphs[] = {TS_GLYPHS_FULL, TS_GLYPHS_ASCII};
	static const char *const names[] = {"difference_80x22", "difference_80x22_ascii"};
	static const char *const maps[] = {"difference_map_80x22", "difference_map_80x22_ascii"};
	struct harness h;

	begin(&h, 1, 1472, 80, 22, glyphs[_i]);
	compare(&h);
	harness_command(&h, "goto 40");
	harness_says(&h, "Difference of memory with gaps of each tile");
	harness_says(&h, "before 211K  +20K  +9.5%");
	harness_draw(&h);
	check_upper(names[_i], h.canvas);
	harness_command(&h, "goto 600");
	harness_says(&h, "  -10K  -");
	harness_command(&h, "goto 1200");
	harness_says(&h, "  0  0%");
	harness_command(&h, "goto 3");
	harness_says(&h, "difference not known");
	harness_command(&h, "map");
	harness_says(&h, "Tile map: difference of memory with gaps");
	harness_says(&h, "from +13.3K");
	harness_draw(&h);
	check_upper(maps[_i], h.canvas);
	harness_command(&h, "metric gaps"); /* they were of the other metric */
	harness_settle(&h);
	harness_says(&h, "Tile map: gaps (bytes, derived)");
	harness_command(&h, "metric used");
	ck_assert(ts_memory_compare(h.view, NULL, 0));
	harness_says(&h, "Tile map: memory with gaps (bytes, recorded)");
	harness_end(&h);
}
END_TEST

START_TEST(the_map_on_paper_marks_what_is_over)
{
	struct ts_chart_page page;
	struct ts_strbuf svg;
	struct harness h;

	begin(&h, 2, 1472, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_draw(&h);
	ts_chart_page_init(&page, 200);
	ck_assert(ts_view_memory.chart(h.view, &page));
	ck_assert_str_eq(page.subtitle, "2,944 tiles, software order");
	ck_assert_str_eq(page.lane[0], "0"); /* tiles: the first of each row */
	ck_assert_int_gt(atoi(page.lane[1]), 0);
	ts_strbuf_init(&svg, 4 << 20);
	ts_chart_page_svg(&svg, &page);
	ck_assert_ptr_nonnull(strstr(svg.s, ">1 over the limit<"));
	ck_assert_ptr_nonnull(strstr(svg.s, ">ipu 1<"));
	ck_assert_ptr_nonnull(strstr(svg.s, ">linear<"));
	ts_strbuf_fini(&svg);
	ts_chart_page_fini(&page);
	harness_end(&h);
}
END_TEST

START_TEST(one_value_of_all_tiles_has_no_scale)
{
	static const int sizes[][2] = {{80, 22},
		{60, 12}}; /* the legend beside the map, and above it */
	struct harness h;

	begin(&h, 1, 1472, sizes[_i][0], sizes[_i][1], TS_GLYPHS_FULL);
	harness_command(&h, "map");
	harness_command(&h, "metric gaps");
	harness_settle(&h);
	harness_says(&h, " all 1000");
	harness_end(&h);
}
END_TEST

/* A tile is full of what does not live together: the row says so in as many words as there is room for. */
START_TEST(why_a_tile_is_full_is_said)
{
	static const struct {
		int w;
		const char *says;
	} rows_of[] = {
		{140,
			"mostly variable 300K 60.0%  largest encoder/layer_11/attention/self 200K  "
			"less is live at once (100K) than on tile 1 (300K)"},
		{100, "largest encoder/layer_11/attention/self 200K  live 100K, on 1 300K"},
		{80,
			"largest \xe2\x80\xa6"
			"1/attention/self 200K  live 100K, on 1 300K"},
		{50, "mostly variable 300K 60.0%"},
	};
	struct harness h;

	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER, total_gaps INTEGER,"
		" always_live INTEGER, not_always_live_peak INTEGER);"
		"INSERT INTO tile_memory VALUES(0, 512000, 512000, 2400, 100000),"
		" (1, 400000, 400000, 7200, 300000);"
		"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
		"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'stack');"
		"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT,"
		" not_overlapped INTEGER, overlapped INTEGER);"
		"INSERT INTO tile_category VALUES(0, 0, NULL, 307200, 0), (0, 1, NULL, 204800, 0);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT,"
		" bytes INTEGER, category INTEGER);"
		"INSERT INTO lowered_variable VALUES(0, 0, 'a', 100, 0),"
		" (1, 0, 'encoder/layer_11/attention/self', 204800, 0);");
	harness_start(&h, &ts_view_memory, rows_of[_i].w, 30, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_command(&h, "goto 0");
	harness_settle(&h);
	harness_says(&h, rows_of[_i].says);
	harness_command(&h, "goto 1"); /* has most live */
	harness_settle(&h);
	ck_assert(!harness_has(&h, "live at once") && !harness_has(&h, " < "));
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_map");
	TCase *c = tcase_create("view_map");
	SRunner *r;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, screens_are_those_that_were_kept, 0, (int)TS_COUNT(shots));
	tcase_add_test(c, the_cursor_moves_in_two_dimensions);
	tcase_add_test(c, pages_are_turned);
	tcase_add_test(c, a_rectangle_is_marked);
	tcase_add_test(c, the_mouse_finds_a_tile);
	tcase_add_test(c, metrics_scales_and_orders_are_chosen);
	tcase_add_test(c, tiles_over_the_limit_are_marked_whatever_the_metric);
	tcase_add_test(c, a_tile_over_the_limit_is_seen_in_a_selection);
	tcase_add_test(c, the_walk_reaches_categories);
	tcase_add_test(c, physical_order_that_is_not_recorded_is_said);
	tcase_add_test(c, a_reload_keeps_the_metric);
	tcase_add_test(c, what_does_not_add_up_is_said);
	tcase_add_loop_test(c, odd_tiles_are_drawn_sanely, 0, 4);
	tcase_add_loop_test(c, a_signed_difference_is_drawn, 0, 2);
	tcase_add_test(c, the_map_on_paper_marks_what_is_over);
	tcase_add_loop_test(c, one_value_of_all_tiles_has_no_scale, 0, 2);
	tcase_add_loop_test(c, why_a_tile_is_full_is_said, 0, 4);
	tcase_add_test(c, differences_have_their_colours);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
