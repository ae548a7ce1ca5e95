/* SPDX-License-Identifier: MIT */
/*
 * The tabs of the Memory view on a canvas: what runs on a tile, its memory by address; of one tile and of several; what
 * is absent; reports that are not as they should be.
 */
#include "config.h"

#include <locale.h>

#include "view_harness.h"

#include "tilescope/ui/chart_page.h"
#include "tilescope/ui/table_looks.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/tab.h"

/* Three tiles of 64 KiB in four elements, the last two interleaved; all that the tabs show. */
static const char relations[] =
	"CREATE TABLE report(key TEXT, value TEXT);"
	"CREATE TABLE target(type TEXT, architecture TEXT, ipus INTEGER, replicas INTEGER,"
	" tiles_per_ipu INTEGER, bytes_per_tile INTEGER, clock_hz REAL);"
	"INSERT INTO target VALUES('IPU', 'Mk2', 1, 1, 3, 65536, 1e9);"
	"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, ipu INTEGER, total INTEGER,"
	" total_gaps INTEGER);"
	"INSERT INTO tile_memory VALUES(0, 0, 40000, 41000), (1, 0, 30000, 30100), (2, 0, 50000, 50000);"
	"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
	"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'vertexCode'), (2, 'stack'),"
	" (3, 'instrumentationResults');"
	"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT,"
	" not_overlapped INTEGER, overlapped INTEGER);"
	"INSERT INTO tile_category VALUES(0, 0, 'non_interleaved', 10000, 2000),"
	" (0, 0, 'interleaved', 20000, 0), (0, 1, 'non_interleaved', 5000, 0),"
	" (0, 2, 'non_interleaved', 3000, 0), (0, 3, 'non_interleaved', 1000, 0),"
	" (1, 0, 'non_interleaved', 30000, 0), (2, 0, 'interleaved', 50000, 0);"
	"CREATE TABLE memory_element(element INTEGER, offset INTEGER, bytes INTEGER,"
	" interleaved INTEGER);"
	"INSERT INTO memory_element VALUES(0, 0, 16384, 0), (1, 16384, 16384, 0),"
	" (2, 32768, 16384, 1), (3, 49152, 16384, 1);"
	"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT,"
	" bytes INTEGER, offset INTEGER, alignment INTEGER, category INTEGER);"
	"INSERT INTO lowered_variable VALUES(0, 0, 'stack', 3000, 0, 8, 2),"
	" (1, 0, 'layer1/weights', 10000, 3008, 32, 0), (2, 0, 'layer1/activations', 4000, 10000, 8, 0),"
	" (3, 0, 'code', 5000, 16384, 4, 1), (4, 0, 'layer2/weights', 20000, 32768, 8, 0),"
	" (5, 0, 'nowhere', 77, NULL, 8, 0), (6, 0, 'nothing', 0, 60000, 8, 0),"
	" (7, 1, 'layer1/weights', 30000, 0, 8, 0), (8, 2, 'layer2/weights', 60000, 10000, 8, 0);"
	"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile BLOB,"
	" estimated_cycles_by_tile BLOB);"
	"INSERT INTO compute_set VALUES(0, 'layer1/matMul/Convolve', x'e8030000d0070000', NULL),"
	" (1, 'layer1/gelu', NULL, x'64000000'), (2, 'loss', x'0000000000000000b80b0000', NULL);"
	"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER,"
	" instances INTEGER, count_by_tile BLOB);"
	"INSERT INTO compute_set_vertex VALUES(0, 0, 10, x'0600000004000000'), (1, 2, 6, x'06000000'),"
	" (0, 1, 2, x'02000000');"
	"CREATE TABLE vertex_type(vertex_type INTEGER PRIMARY KEY, name TEXT, state_bytes INTEGER);"
	"INSERT INTO vertex_type VALUES(0, 'poplin__ConvPartial1x1Out___half_float_true_16', 52),"
	" (1, 'poplin__ConvPartial1x1Out___half_half_false_8', 40), (2, 'popnn__NonLinearity___half', 16);"
	"CREATE TABLE tile_vertex(tile INTEGER, vertex_type INTEGER, code_bytes INTEGER);"
	"INSERT INTO tile_vertex VALUES(0, 0, 3000), (0, 1, 1500), (0, 2, 500), (1, 0, 3000);"
	"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, code_by_tile BLOB,"
	" estimated_cycles_by_tile BLOB);"
	"INSERT INTO program VALUES(0, 'Sequence', 'main', NULL, NULL),"
	" (1, 'DoExchange', 'layer1/matMul/PreArrange', x'5000000020000000', x'2c010000'),"
	" (2, 'DoExchange', 'grads', x'40000000', NULL);";

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	harness_dir(h);
	harness_rows(h, relations);
	harness_start(h, &ts_view_memory, w, height, glyphs);
	h->canvas->mono = glyphs == TS_GLYPHS_ASCII;
	h->options.units = TS_UNITS_BYTES;
	harness_settle(h);
	harness_type(h, "goto 0");
	harness_settle(h);
}

static const char *const tabs[] = {"details", "variables", "sets", "vertices", "exchanges",
	"addresses", "debug"};

/* Show a tab, and give it the keys. */
static void
show(struct harness *h, const char *tab)
{
	char line[40];

	snprintf(line, sizeof(line), "tab %s", tab);
	harness_type(h, line);
	for (int i = 0; i < 2; i++)
		if (ts_view_memory.pane_context(h->view) == TS_CONTEXT_CHART)
			harness_type(h, "pane-next");
	harness_type(h, line);
	harness_settle(h);
}

static const struct shot {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *tab, *line[4];
} shots[] = {
	{"tabs_details_80x22", 80, 22, TS_GLYPHS_FULL, "details", {0}},
	{"tabs_details_open_120x38", 120, 38, TS_GLYPHS_FULL, "details", {"unfold"}},
	{"tabs_sets_120x38", 120, 38, TS_GLYPHS_FULL, "sets", {0}},
	{"tabs_sets_80x22_ascii", 80, 22, TS_GLYPHS_ASCII, "sets", {"down"}},
	{"tabs_vertices_120x38", 120, 38, TS_GLYPHS_FULL, "vertices", {"open"}},
	{"tabs_vertices_80x22", 80, 22, TS_GLYPHS_FULL, "vertices", {"unfold"}},
	{"tabs_exchanges_120x38", 120, 38, TS_GLYPHS_FULL, "exchanges", {0}},
	{"tabs_addresses_120x38", 120, 38, TS_GLYPHS_FULL, "addresses", {"fullest"}},
	{"tabs_addresses_80x22_ascii", 80, 22, TS_GLYPHS_ASCII, "addresses", {"search activ"}},
	{"tabs_addresses_zoom_200x58", 200, 58, TS_GLYPHS_FULL, "addresses",
		{"zoom-in", "zoom-in", "pane-zoom"}},
	{"tabs_set_variables_120x38", 120, 38, TS_GLYPHS_FULL, "variables",
		{"pane-next", "mark", "right", "mark"}},
	{"tabs_selected_200x58", 200, 58, TS_GLYPHS_FULL, "sets",
		{"pane-next", "mark", "right", "mark"}},
};

START_TEST(screens_are_those_that_were_kept)
{
	const struct shot *s = &shots[_i];
	struct harness h;

	begin(&h, s->w, s->h, s->glyphs);
	show(&h, s->tab);
	for (int i = 0; i < 4 && s->line[i]; i++) {
		harness_type(&h, s->line[i]);
		harness_settle(&h);
	}
	harness_draw(&h);
	golden_check(s->name, h.canvas);
	harness_end(&h);
}
END_TEST

START_TEST(vertices_roll_up_and_unfold)
{
	struct ts_sheet sheet = {.list = NULL};
	struct harness h;

	begin(&h, 160, 44, TS_GLYPHS_FULL);
	show(&h, "vertices");
	harness_says(&h, "3 vertex types in 2 families");
	harness_says(&h, "poplin::ConvPartial1x1Out ");
	ck_assert(!harness_has(&h, "half, float"));
	harness_type(&h, "open");
	harness_says(&h, "poplin::ConvPartial1x1Out<half, float, true, 16>");
	harness_says(&h, "poplin::ConvPartial1x1Out<half, half, false, 8>");
	harness_type(&h, "open");
	ck_assert(!harness_has(&h, "half, float"));
	harness_type(&h, "unfold");
	harness_says(&h, "popnn::NonLinearity<half>");
	harness_type(&h, "search half8");
	ck_assert(h.env.message_is_error);
	harness_type(&h, "search nonlin");
	harness_type(&h, "fold");
	harness_says(&h, "in 2 families");
	harness_type(&h, "first");
	ck_assert(ts_view_memory.sheet(h.view, &sheet) && sheet.table.order && sheet.rows == 2);
	ck_assert(ts_sheet_copy(&sheet, h.env.copy, sizeof(h.env.copy)));
	ck_assert_ptr_nonnull(strstr(h.env.copy, "poplin::ConvPartial1x1Out\t4500\t392\t8\t2"));
	ck_assert(harness_type(&h, "filter half") &
		TS_EFFECT_UNKNOWN); /* the program's, of all types */
	ck_assert(ts_view_memory.sheet(h.view, &sheet) && sheet.rows == 3);
	harness_end(&h);
}
END_TEST

/* Without names a vertex type has its number, and it is said that there are none; what is not recorded is not worked out. */
START_TEST(vertices_without_names)
{
	struct ts_explain *x = calloc(1, sizeof(*x));
	struct harness h;

	ck_assert_ptr_nonnull(x);
	begin(&h, 160, 44, TS_GLYPHS_FULL);
	harness_stop(&h);
	harness_sql(&h, "DROP TABLE vertex_types");
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_command(&h, "goto 0");
	show(&h, "vertices");
	harness_says(&h, "3 vertex types, names not recorded");
	harness_says(&h, "vertex type 0");
	harness_says(&h, "vertex type 2");
	ck_assert(!harness_has(&h, "(no name)"));
	harness_type(&h, "open");
	ts_explain_init(x);
	ts_view_memory.explain(h.view, x);
	for (int i = 0; i < x->count; i++)
		ck_assert_msg(!strstr(x->figure[i].formula, "x 0 bytes"), "%s",
			x->figure[i].formula);
	free(x);
	harness_end(&h);
}
END_TEST

/* From a compute set to who runs it, from an exchange to its program; many programs may have a vertex. */
START_TEST(leads_to_programs)
{
	struct harness h;

	begin(&h, 160, 44, TS_GLYPHS_FULL);
	show(&h, "sets");
	ck_assert_int_ge(harness_at_cursor(&h).compute_set, 0);
	show(&h, "exchanges");
	ck_assert_int_ge(harness_at_cursor(&h).program, 0);
	show(&h, "vertices");
	ck_assert_int_eq(harness_at_cursor(&h).program, TS_UNKNOWN);
	ck_assert_int_eq(harness_at_cursor(&h).compute_set, TS_UNKNOWN);
	harness_end(&h);
}
END_TEST

/* Many tiles: a few are looked at first. Whatever is there says what it is of, and all are in the end. */
START_TEST(many_selected_tiles)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, relations);
	harness_rows(&h,
		"WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 49) "
		"INSERT INTO lowered_variable(tile, name, bytes) SELECT i, 'many', 100 FROM n;"
		"INSERT INTO tile_memory(tile, total) SELECT tile, 100 FROM lowered_variable "
		"WHERE name = 'many'");
	harness_start(&h, &ts_view_memory, 160, 44, TS_GLYPHS_FULL);
	show(&h, "variables");
	ck_assert(ts_tile_set_init(&h.selection.tiles.set, 64));
	ts_tile_set_add(&h.selection.tiles.set, 10, 50);
	h.selection.tiles.count = 40;
	h.selection.tiles.version++;
	for (bool all = false; !all;) {
		bool part;

		h.view->ops->request(h.view);
		(void)harness_take_one(&h, 1);
		part = harness_has(&h, "8 of 40 selected tiles so far");
		all = harness_has(&h, "40 selected tiles, 1 name");
		ck_assert(!part || harness_has(&h, "1 name on 8 of the tiles"));
		ck_assert(!(part && all));
	}
	harness_settle(&h);
	harness_says(&h, "40 selected tiles, 1 name");
	ts_select_no_tiles(&h.selection);
	harness_settle(&h);
	harness_end(&h);
}
END_TEST

START_TEST(the_selected_tiles_are_summed_up)
{
	struct harness h;

	begin(&h, 160, 44, TS_GLYPHS_FULL);
	show(&h, "sets");
	harness_says(&h, "2 compute sets");
	harness_says(&h, "1,000 measured");
	harness_type(&h, "pane-previous");
	harness_type(&h, "pane-previous");
	harness_type(&h, "mark");
	harness_type(&h, "goto 1");
	harness_type(&h, "mark");
	harness_settle(&h);
	harness_says(&h, "2 selected tiles");
	harness_says(&h, "3,000 measured"); /* of both, ... */
	harness_says(&h, "slowest");
	harness_says(&h, "2     2,000"); /* ... and of the slowest */
	show(&h, "variables");
	harness_says(&h, "2 selected tiles, 7 names");
	harness_type(&h, "first");
	harness_type(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "layer1/weights\tvariable\t40000\t"));
	harness_type(&h, "search activ");
	harness_type(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "layer1/activations\tvariable\t4000\t"));
	show(&h, "sets");
	harness_type(&h, "marks-clear");
	harness_settle(&h);
	harness_says(&h, "1 compute set");
	harness_end(&h);
}
END_TEST

/* Variables come to 42,077 bytes, of which some share memory; the tile has 40,000 and gaps of 1,000. */
START_TEST(both_tables_come_to_the_same)
{
	struct harness h;

	begin(&h, 200, 44, TS_GLYPHS_FULL);
	show(&h, "variables");
	harness_says(&h, "7 variables: 42,077 B, overlaps -2,077 B, gaps 1,000 B");
	harness_says(&h, "41,000 B   100%");
	harness_says(&h, "20,000 B  48.8%"); /* of 41,000, as in Details */
	harness_end(&h);
	begin(&h, 200, 44, TS_GLYPHS_FULL);
	harness_type(&h, "goto 1");
	harness_settle(&h);
	show(&h, "variables");
	harness_says(&h, "1 variable: 30,000 B, gaps 100 B");
	harness_type(&h, "pane-next");
	harness_type(&h, "mark");
	harness_type(&h, "goto 2");
	harness_type(&h, "mark");
	harness_settle(&h);
	show(&h, "variables");
	harness_says(&h, "2 names: 90,000 B, overlaps -10,000 B, gaps 100 B");
	harness_says(&h, "80,100 B");
	harness_end(&h);
	begin(&h, 80, 22, TS_GLYPHS_FULL);
	show(&h, "variables");
	harness_says(&h, "42,077 -2,077 overlaps +1,000 gaps"); /* rather than how many */
	h.options.units = TS_UNITS_KIB;
	harness_says(&h, "41.1K -2.03K overlaps +1000B gaps");
	harness_resize(&h, 50, 22);
	harness_says(&h, "overlapping ");
	harness_end(&h);
}
END_TEST

START_TEST(variables_are_ticked_and_marked)
{
	const struct ts_what_if_changes *what_if;
	const struct ts_marked_variables *marked;
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	what_if = &h.selection.what_if;
	marked = &h.selection.marked;
	show(&h, "variables");
	ck_assert(!harness_has(&h, "what if"));
	harness_type(&h, "tick");
	ck_assert_int_eq(what_if->count, 1);
	ck_assert_int_eq(what_if->item[0].of, TS_WHAT_IF_LOWERED);
	ck_assert_int_eq(what_if->item[0].id, 4);
	harness_says(&h, "removed");
	harness_says(&h, "what if");
	harness_type(&h, "tick");
	harness_says(&h, "halved");
	harness_type(&h, "down");
	harness_type(&h, "mark");
	ck_assert_int_eq(marked->count, 1);
	ck_assert_str_eq(marked->item[0].name, "layer1/weights");
	ck_assert_int_eq(marked->item[0].id, 1);
	ck_assert_int_eq(marked->item[0].tile, 0);
	ck_assert_int_eq(h.selection.tiles.count, 0);
	harness_says(&h, "* layer1/weights");
	harness_type(&h, "mark");
	ck_assert_int_eq(marked->count, 0);
	harness_type(&h, "up");
	harness_type(&h, "tick");
	harness_type(&h, "tick");
	ck_assert_int_eq(what_if->count, 0);
	ck_assert(!harness_has(&h, "what if"));
	harness_end(&h);
}
END_TEST

/* By their row ids, which may have gaps. */
START_TEST(variables_are_marked_by_row_id)
{
	const struct ts_marked_variables *marked;
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, relations);
	harness_rows(&h,
		"UPDATE lowered_variable SET id = 100 + id;"
		"UPDATE lowered_variable SET id = (id - 100) * 2 + 1;");
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_type(&h, "goto 0");
	harness_settle(&h);
	show(&h, "variables");
	marked = &h.selection.marked;
	harness_type(&h, "mark");
	ck_assert_int_eq(marked->count, 1);
	ck_assert_str_eq(marked->item[0].name, "layer2/weights");
	ck_assert_int_eq(marked->item[0].row, 9);
	harness_says(&h, "* layer2/weights");
	harness_end(&h);
}
END_TEST

/* A row of selected tiles is marked where it has most. */
START_TEST(a_row_of_selected_tiles_is_marked)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_type(&h, "mark");
	show(&h, "variables");
	harness_settle(&h);
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 1);
	harness_end(&h);
}
END_TEST

/* The tab that is shown is always in the line, in whole words. */
START_TEST(the_tab_is_in_sight_at_any_width)
{
	static const char *const title[] = {"Details", "Vars", "Sets", "Vert", "Exch", "Addr",
		"Debug"};
	struct harness h;
	char shown[20];

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	for (int w = 20; w <= 80; w += 7) {
		harness_resize(&h, w, 22);
		for (size_t i = 0; i < TS_COUNT(tabs); i++) {
			show(&h, tabs[i]);
			snprintf(shown, sizeof(shown), "[%s]", title[i]);
			ck_assert_msg(harness_has(&h, shown) || harness_has(&h, "[Variables]") ||
					harness_has(&h, "[Compute sets]") ||
					harness_has(&h, "[Vertices]") ||
					harness_has(&h, "[Exchanges]") ||
					harness_has(&h, "[Address map]"),
				"%s at %d", tabs[i], w);
			if (w == 27)
				ck_assert(harness_has(&h, "─<") || harness_has(&h, ">─"));
		}
	}
	harness_end(&h);
}
END_TEST

/* Shares of a column's bytes come to no more than all of them; gaps of all rows are those that the map has. */
static void
addresses_on_paper(struct harness *h, double gaps)
{
	struct ts_chart_page *page = calloc(1, sizeof(*page));
	const struct ts_page_band *gap = NULL;
	double sum = 0;

	ck_assert_ptr_nonnull(page);
	ts_chart_page_init(page, 500);
	ck_assert(h->view->ops->chart(h->view, page));
	ck_assert_int_eq(page->kind, TS_PAGE_LANES);
	ck_assert_str_eq(page->lane[0], "0x00000");
	for (int b = 0; b < page->bands; b++)
		if (strcmp(page->band[b].name, "gap") == 0)
			gap = &page->band[b];
	ck_assert_ptr_nonnull(gap);
	ck_assert(gap->hatched); /* no colour of a category */
	ck_assert_str_eq(page->pale_name, "paler: every second variable");
	for (int i = 0; i < page->columns * page->lanes; i++) {
		double all = 0;

		for (int b = 0; b < page->bands; b++)
			all += page->band[b].v[i];
		ck_assert(all <= 1 + 1e-9);
		sum += gap->v[i] * page->x.to / page->columns;
	}
	ck_assert_double_eq_tol(sum, gaps, gaps / 100);
	ts_chart_page_fini(page);
	free(page);
}

/* On paper, too, what does not fit is told from what does, by a line; variables have their names. */
START_TEST(paper_says_where_the_memory_ends)
{
	struct ts_chart_page *page = calloc(1, sizeof(*page));
	const struct ts_page_band *beyond = NULL;
	struct harness h;

	ck_assert_ptr_nonnull(page);
	begin(&h, 200, 44, TS_GLYPHS_FULL);
	harness_type(&h, "goto 2");
	harness_settle(&h);
	show(&h, "addresses");
	ts_chart_page_init(page, 500);
	ck_assert(h.view->ops->chart(h.view, page));
	ck_assert_int_eq(page->levels, 1);
	ck_assert_ptr_nonnull(strstr(page->level[0].name, "end of the memory, "));
	ck_assert_ptr_nonnull(strstr(page->subtitle, " beyond the end"));
	for (int b = 0; b < page->bands; b++)
		if (strcmp(page->band[b].name, "beyond the end") == 0)
			beyond = &page->band[b];
	ck_assert_ptr_nonnull(beyond);
	for (int i = 0; i < page->columns * page->lanes; i++)
		ck_assert(beyond->v[i] == 0 || i / page->columns >= (int)page->level[0].value);
	ck_assert_int_gt(page->notes, 0);
	ck_assert_ptr_nonnull(page->pale);
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

START_TEST(gaps_are_walked_and_said)
{
	struct harness h;

	begin(&h, 200, 44, TS_GLYPHS_FULL);
	show(&h, "addresses");
	harness_says(&h, "gaps: interleaved 11,384, elements 2,384, alignment 8");
	addresses_on_paper(&h, 11384 + 2384 + 8);
	harness_type(&h, "first");
	harness_says(&h, "0x00000  stack, 3,000 B at 0x0, stack, alignment 8");
	harness_type(&h, "fullest");
	harness_says(&h, "gap of 11,384 B: interleaved memory begins with layer2/weights");
	harness_type(&h, "fullest");
	harness_says(&h, "gap of 2,384 B: a memory element begins; it has no room for code");
	harness_type(&h, "fullest");
	harness_says(&h, "gap of 8 B: alignment 32 of layer1/weights");
	ck_assert_int_eq(harness_type(&h, "fullest"), TS_EFFECT_BELL);
	harness_type(&h, "fullest-back");
	harness_says(&h, "gap of 2,384 B");
	harness_type(&h, "search activations");
	harness_says(&h,
		"2 on top of each other: layer1/activations, 4,000 B at 0x2710; layer1/weights, 10,000 B");
	harness_type(&h, "open"); /* to the list */
	harness_says(&h, "[Variables]");
	harness_type(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "layer1/activations"));
	harness_type(&h, "goto 2");
	show(&h, "addresses");
	harness_says(&h, "beyond the end");
	harness_type(&h, "first");
	harness_type(&h, "last");
	harness_says(&h, "beyond the end of the memory: layer2/weights");
	harness_end(&h);
}
END_TEST

START_TEST(the_largest_variables_are_walked)
{
	struct harness h;

	begin(&h, 160, 44, TS_GLYPHS_FULL);
	show(&h, "addresses");
	harness_says(&h, "0x08000  layer2/weights, 20,000 B"); /* where it begins */
	harness_type(&h, "goto 1");
	harness_settle(&h);
	harness_says(&h, "0x00000  layer1/weights, 30,000 B");
	harness_type(&h, "goto 0");
	harness_settle(&h);
	harness_type(&h, "largest");
	harness_says(&h, "0x00bc0  layer1/weights, 10,000 B");
	harness_type(&h, "largest");
	harness_says(&h, "0x04000  code, 5,000 B");
	harness_type(&h, "largest-back");
	harness_says(&h, "0x00bc0  layer1/weights, 10,000 B");
	for (int i = 0; i < 3; i++)
		harness_type(&h, "largest");
	harness_says(&h, "0x00000  stack, 3,000 B");
	ck_assert_int_eq(harness_type(&h, "largest"), TS_EFFECT_BELL);
	harness_type(&h, "right"); /* from somewhere else: from the largest on */
	harness_type(&h, "largest");
	harness_says(&h, "0x08000  layer2/weights, 20,000 B");
	ck_assert_int_eq(harness_type(&h, "largest-back"), TS_EFFECT_BELL);
	harness_end(&h);
}
END_TEST

static const struct ts_view_arg *
arg_called(const char *name)
{
	const struct ts_view_arg *arg = ts_view_memory.args;

	while (strcmp(arg->name, name) != 0)
		arg++;
	return arg;
}

/* What is ticked here is in the address, as in Liveness. */
START_TEST(changes_are_in_the_address)
{
	const struct ts_view_arg *arg = arg_called("what-if");
	const struct ts_what_if_changes *changes;
	struct ts_what_if_change before;
	struct ts_strbuf say;
	struct harness h;

	begin(&h, 120, 50, TS_GLYPHS_FULL);
	changes = &h.selection.what_if;
	ts_strbuf_init(&say, 400);
	ck_assert(!arg->get(h.view, &say));
	show(&h, "variables");
	harness_command(&h, "down");
	harness_command(&h, "tick");
	harness_command(&h, "tick");
	ck_assert_int_eq(changes->count, 1);
	before = changes->item[0];
	ck_assert(arg->get(h.view, &say));
	ck_assert_int_eq(arg->set(h.view, ""), TS_ARG_DONE);
	ck_assert_int_eq(changes->count, 0);
	ck_assert_int_eq(arg->set(h.view, say.s), TS_ARG_DONE);
	ck_assert_int_eq(changes->count, 1);
	ck_assert_int_eq(changes->item[0].of, before.of);
	ck_assert_int_eq(changes->item[0].how, before.how);
	ck_assert_int_eq(changes->item[0].id, before.id);
	ts_strbuf_fini(&say);
	harness_end(&h);
}
END_TEST

/* What Enter does is said where it does something. */
START_TEST(details_say_where_enter_unfolds)
{
	const struct ts_view_arg *filter = arg_called("filter");
	const struct ts_hint *hint;
	int64_t leaves = 0, folded = 0, open = 0;
	struct ts_sheet sheet = {.list = NULL};
	struct harness h;

	begin(&h, 120, 50, TS_GLYPHS_FULL);
	show(&h, "details");
	harness_type(&h, "unfold");
	harness_type(&h, "first");
	harness_type(&h, "open"); /* the first one again */
	harness_draw(&h);
	ck_assert(ts_view_memory.sheet(h.view, &sheet));
	for (int64_t r = 0; r < sheet.rows; r++, harness_type(&h, "down")) {
		bool says, does;

		hint = ts_view_memory.pane_hints(h.view);
		says = hint->cmd == TS_CMD_OPEN;
		leaves += !says;
		folded += says && strcmp(hint->word, "unfold") == 0;
		open += says && strcmp(hint->word, "fold") == 0;
		does = !(harness_type(&h, "open") & TS_EFFECT_BELL);
		ck_assert_int_eq(does, says);
		if (does)
			harness_type(&h, "open"); /* as it was */
	}
	ck_assert(leaves > 0 && folded == 1 && open > 0);
	ck_assert_int_eq(filter->set(h.view, "interleaved"), TS_ARG_DONE);
	harness_draw(&h);
	harness_type(&h, "first");
	ck_assert_int_ne(ts_view_memory.pane_hints(h.view)->cmd, TS_CMD_OPEN); /* all is unfolded */
	harness_end(&h);
}
END_TEST

/* Siblings are sorted, each with what is in it; a filter leaves what passes and what that is in. */
START_TEST(details_are_sorted_and_filtered)
{
	const struct ts_view_arg *filter = arg_called("filter"), *order = arg_called("sort");
	static const char *const sorted[] = {"name", "-name", "-bytes", "bytes"};
	struct ts_sheet sheet;
	struct harness h;

	begin(&h, 120, 50, TS_GLYPHS_FULL);
	show(&h, "details");
	harness_type(&h, "unfold");
	for (size_t i = 0; i < TS_COUNT(sorted); i++) {
		struct ts_table_value v[2];
		int64_t more = 0;

		ck_assert_int_eq(order->set(h.view, sorted[i]), TS_ARG_DONE);
		harness_draw(&h);
		sheet = (struct ts_sheet){.list = NULL};
		ck_assert(ts_view_memory.sheet(h.view, &sheet));
		ck_assert_int_gt(sheet.rows, 8);
		for (int64_t r = 0; r + 1 < sheet.rows; r++) {
			struct ts_table_cell cell[2] = {{.s = NULL}, {.s = NULL}};
			size_t depth[2];

			for (int k = 0; k < 2; k++) {
				ck_assert(sheet.table.cell(sheet.table.ctx, r + k, 1, &cell[k]));
				ck_assert(sheet.table.value(sheet.table.ctx, r + k, i / 2 + 1,
					&v[k]));
				depth[k] = strspn(cell[k].s, " ");
			}
			if (depth[0] != depth[1] || depth[0] == 0)
				continue;
			more += i < 2 ? 1 : v[0].integer != v[1].integer;
			if (i < 2) /* as people sort words */
				ck_assert_int_eq(i == 0, strcasecmp(v[0].s, v[1].s) < 0);
			else
				ck_assert_msg(i == 2 ? v[0].integer <= v[1].integer
						     : v[0].integer >= v[1].integer,
					"%s: %s has %lld, %s %lld", sorted[i], cell[0].s,
					(long long)v[0].integer, cell[1].s,
					(long long)v[1].integer);
		}
		ck_assert_int_gt(more, 0);
	}
	ck_assert_int_eq(filter->set(h.view, "interleaved"), TS_ARG_DONE);
	harness_says(&h, "by region"); /* what it is in, ... */
	harness_says(&h, "non-interleaved");
	ck_assert(!harness_has(&h, "liveness")); /* ... and nothing else */
	harness_says(&h, "& interleaved; tile 0");
	harness_type(&h, "first");
	ck_assert_int_eq(harness_type(&h, "open"),
		TS_EFFECT_BELL); /* all that passes is unfolded */
	ck_assert_int_eq(filter->set(h.view, "no such row"), TS_ARG_DONE);
	harness_says(&h, "No row matches");
	ck_assert_int_eq(filter->set(h.view, ""), TS_ARG_DONE);
	harness_draw(&h);
	ck_assert(ts_view_memory.sheet(h.view, &sheet) && sheet.rows > 8);
	harness_end(&h);
}
END_TEST

/* On paper: the map of the whole tile, not what is in sight; and which tiles are selected. */
START_TEST(paper_has_all_of_it)
{
	struct ts_chart_page *page = malloc(sizeof(*page));
	int64_t rows;
	struct harness h;
	struct ts_tab *tab;
	bool there;

	ck_assert_ptr_nonnull(page);
	begin(&h, 80, 24, TS_GLYPHS_FULL);
	harness_type(&h, "mark");
	harness_settle(&h);
	ts_chart_page_init(page, 400);
	ck_assert(ts_view_memory.chart(h.view, page));
	ck_assert_ptr_nonnull(strstr(page->subtitle, "; selected 1 tile"));
	ck_assert_str_eq(page->label[0].name, "tile 0");
	ts_chart_page_fini(page);
	harness_type(&h, "marks-clear");
	show(&h, "addresses");
	for (int i = 0; i < 3; i++)
		harness_type(&h, "zoom-in");
	harness_draw(&h);
	tab = ts_tabs_at(ts_view_memory.tabs(h.view));
	rows = tab->ops->list(tab, &there)->count;
	ts_chart_page_init(page, 400);
	ck_assert(ts_view_memory.chart(h.view, page));
	ck_assert_int_eq(page->lanes, rows);
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

/* The filter that is in force stands in the line of the tab, before what may be cut. */
START_TEST(a_filter_is_shown)
{
	static const char *const filtered[] = {"variables", "sets", "vertices", "exchanges"};
	const struct ts_view_arg *filter = arg_called("filter");
	struct harness h;

	for (size_t i = 0; i < TS_COUNT(filtered); i++) {
		begin(&h, 80, 24, TS_GLYPHS_FULL);
		show(&h, filtered[i]);
		ck_assert(!harness_has(&h, "& "));
		harness_type(&h, "unfold"); /* families have no filter */
		ck_assert_int_eq(filter->set(h.view, "half"), TS_ARG_DONE);
		harness_says(&h, "& half; tile ");
		ck_assert_int_eq(filter->set(h.view,
					 "a_word_that_is_so_long_that_no_line_has_room"),
			TS_ARG_DONE);
		harness_says(&h, "& a_word_that_");
		ck_assert_int_eq(filter->set(h.view, ""), TS_ARG_DONE);
		ck_assert(!harness_has(&h, "& "));
		harness_end(&h);
	}
}
END_TEST

/* What an address says of a table, in a program where nothing was chosen: the same columns, order and filter. */
START_TEST(an_address_has_the_table_as_it_is)
{
	static const char *const names[] = {"columns", "sort", "filter"};
	static const char *const said[] = {"variable,bytes,share", "-bytes", "layer"};
	struct ts_strbuf text;
	struct harness h;

	for (int again = 0; again < 2; again++) {
		begin(&h, 120, 40, TS_GLYPHS_FULL);
		h.env.looks = ts_table_looks_new();
		ck_assert_ptr_nonnull(h.env.looks);
		show(&h, "variables");
		for (size_t i = 0; i < TS_COUNT(names); i++) {
			const struct ts_view_arg *arg = arg_called(names[i]);

			ts_strbuf_init(&text, 100);
			ck_assert(!arg->get(h.view, &text)); /* as it is at first */
			ck_assert_int_eq(arg->set(h.view, said[i]), TS_ARG_DONE);
			ck_assert(arg->get(h.view, &text));
			ck_assert_str_eq(text.s, said[i]);
			ts_strbuf_fini(&text);
			ck_assert_int_eq(arg->set(h.view, "nonsense>1"), TS_ARG_NO);
		}
		harness_says(&h, "3 of 7 rows");
		ck_assert(!harness_has(&h, "offset"));
		harness_says(&h, "bytes▴");
		ts_table_looks_free(h.env.looks);
		h.env.looks = NULL;
		harness_end(&h);
	}
}
END_TEST

START_TEST(an_address_leads_to_a_tab)
{
	struct ts_strbuf text;
	struct harness h;

	begin(&h, 120, 40, TS_GLYPHS_FULL);
	show(&h, "addresses");
	ts_strbuf_init(&text, 100);
	ck_assert(arg_called("tab")->get(h.view, &text));
	ck_assert_str_eq(text.s, "addresses");
	ts_strbuf_fini(&text);
	ck_assert_int_eq(harness_type(&h, "tab nowhere"), TS_EFFECT_BELL);
	ck_assert(strstr(h.env.message, "tab is one of details, variables, sets"));
	harness_end(&h);
}
END_TEST

/* Of a report that has nothing of it each tab says so, and how it is recorded. */
START_TEST(debug_is_of_a_variable_from_the_first)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_type(&h, "tab debug"); /* Variables was never shown */
	harness_settle(&h);
	harness_says(&h, "Debug: variable");
	harness_end(&h);
}
END_TEST

START_TEST(what_is_absent_is_said)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE tile_memory(tile INTEGER, total INTEGER);"
		"INSERT INTO tile_memory VALUES(0, 5), (1, 7);");
	harness_start(&h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (size_t i = 1; i < 6; i++) {
		show(&h, tabs[i]);
		harness_says(&h, "Not in this report");
		harness_says(&h, "autoReport.");
	}
	harness_end(&h);
}
END_TEST

static const char *const hostile[] = {
	/* tiles beyond the target and beyond any, the same address again and again, no size, no offset */
	("INSERT INTO tile_memory VALUES(99, 7, 1, 2), (4611686018427387904, 9, 5, NULL);"
	 "INSERT INTO lowered_variable SELECT NULL, 0, 'again', 4611686018427387904, 4, 1, 0 FROM program;"
	 "INSERT INTO lowered_variable VALUES(NULL, 99, 'x', NULL, 5, 1, 0), (NULL, NULL, 'y', 1, 1, 1, 1),"
	 " (NULL, 99, char(27) || '[2J', 5, 4611686018427387904, 4611686018427387904, 77);"
	 "INSERT INTO tile_vertex VALUES(99, 7, 4611686018427387904), (99, 8, 4611686018427387904), (0, -1, 5);"),
	/* elements that make no sense */
	"UPDATE memory_element SET offset = 5",
	"UPDATE memory_element SET bytes = 0",
	"UPDATE memory_element SET bytes = 4611686018427387904",
	"UPDATE memory_element SET offset = offset + 4611686018427300000",
	"DELETE FROM memory_element; UPDATE target SET bytes_per_tile = 4611686018427387904",
	"DELETE FROM memory_element; DELETE FROM target; UPDATE lowered_variable SET offset = 1 << 61",
	/* blobs of any kind, categories that overflow */
	("UPDATE compute_set SET cycles_by_tile = x'ff'; UPDATE program SET code_by_tile = zeroblob(400000);"
	 "UPDATE compute_set_vertex SET count_by_tile = x'ffffffffffffffffffffffff';"
	 "UPDATE vertex_type SET state_bytes = 4611686018427387904, name = '___<' || char(10);"
	 "UPDATE tile_category SET not_overlapped = 4611686018427387904, region = 'elsewhere'"),
	/* relations and columns left out */
	"DROP TABLE tile_category",
	"DROP TABLE tile_category; DROP TABLE lowered_variable",
	"DROP TABLE lowered_variable",
	"DROP TABLE compute_set",
	"DROP TABLE compute_set_vertex; DROP TABLE vertex_type",
	"DROP TABLE vertex_type; DROP TABLE memory_category",
	"DROP TABLE tile_vertex; DROP TABLE program",
	"DROP TABLE memory_element; DROP TABLE target",
	"ALTER TABLE lowered_variable DROP COLUMN name; ALTER TABLE compute_set DROP COLUMN name",
	"ALTER TABLE lowered_variable DROP COLUMN category; ALTER TABLE program DROP COLUMN type",
	"ALTER TABLE tile_category DROP COLUMN region; ALTER TABLE tile_category DROP COLUMN overlapped",
	/* nothing */
	("DELETE FROM lowered_variable; DELETE FROM compute_set; DELETE FROM program; DELETE FROM tile_vertex;"
	 "DELETE FROM tile_category"),
};

static const char *const moves[] = {"left", "right", "up", "down", "page-up", "page-down", "first",
	"last", "zoom-in", "zoom-out", "zoom-fit", "fullest", "fullest-back", "open", "fold",
	"unfold", "search e", "search-next", "pane-next", "pane-previous", "pane-zoom", "tab-next",
	"tab-previous", "debug", "mark", "marks-clear", "goto 99", "goto 0", "copy", "sort",
	"series gaps"};

START_TEST(odd_reports_draw_sanely)
{
	struct harness h;
	unsigned seed = (unsigned)_i + 1;
	int bad = 0;

	harness_dir(&h);
	harness_rows(&h, relations);
	harness_rows(&h, hostile[_i]);
	harness_start(&h, &ts_view_memory, 100, 30, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (int i = 0; i < 450; i++) {
		seed = seed * 1103515245u + 12345u;
		if (i % 32 == 0)
			show(&h, tabs[(i / 32) % TS_COUNT(tabs)]);
		harness_type(&h, moves[(seed >> 16) % TS_COUNT(moves)]);
		if (i % 5 == 0)
			harness_settle(&h);
		if (i % 13 == 0)
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

int
main(void)
{
	Suite *s = suite_create("memory tabs");
	TCase *c = tcase_create("memory tabs");
	SRunner *r;
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, screens_are_those_that_were_kept, 0, (int)TS_COUNT(shots));
	tcase_add_test(c, vertices_roll_up_and_unfold);
	tcase_add_test(c, vertices_without_names);
	tcase_add_test(c, leads_to_programs);
	tcase_add_test(c, many_selected_tiles);
	tcase_add_test(c, the_selected_tiles_are_summed_up);
	tcase_add_test(c, both_tables_come_to_the_same);
	tcase_add_test(c, variables_are_ticked_and_marked);
	tcase_add_test(c, variables_are_marked_by_row_id);
	tcase_add_test(c, a_row_of_selected_tiles_is_marked);
	tcase_add_test(c, the_tab_is_in_sight_at_any_width);
	tcase_add_test(c, gaps_are_walked_and_said);
	tcase_add_test(c, paper_says_where_the_memory_ends);
	tcase_add_test(c, the_largest_variables_are_walked);
	tcase_add_test(c, a_filter_is_shown);
	tcase_add_test(c, paper_has_all_of_it);
	tcase_add_test(c, changes_are_in_the_address);
	tcase_add_test(c, details_say_where_enter_unfolds);
	tcase_add_test(c, details_are_sorted_and_filtered);
	tcase_add_test(c, an_address_has_the_table_as_it_is);
	tcase_add_test(c, an_address_leads_to_a_tab);
	tcase_add_test(c, debug_is_of_a_variable_from_the_first);
	tcase_add_test(c, what_is_absent_is_said);
	tcase_add_loop_test(c, odd_reports_draw_sanely, 0, (int)TS_COUNT(hostile));
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
