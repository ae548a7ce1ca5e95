/* SPDX-License-Identifier: MIT */
/*
 * The tabs Heat map and What-if, in Liveness: their screens, what their keys do, and what they say of reports that
 * have nothing for them, or what no report should have.
 */
#include "config.h"

#include <math.h>

#include "table_rows.h"
#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/what_if.h"

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64, .steps = 400, .variables = 3000};

	harness_demo(h, &o);
	harness_start(h, &ts_view_liveness, w, height, glyphs);
	harness_settle(h);
}

/* A report of our own: three steps, and these rows. */
static void
begin_own(struct harness *h, const char *rows)
{
	harness_dir(h);
	harness_rows(h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE liveness_step(live_step, program, not_always_live);"
		"CREATE TABLE class_interval(class, start, \"end\");"
		"CREATE TABLE lowered_variable(id, tile, name, bytes, class, always_live);"
		"CREATE TABLE tile_memory(tile, ipu, total, always_live);"
		"INSERT INTO liveness_step VALUES(0,0,10),(1,0,30),(2,0,20)");
	harness_rows(h, rows);
	harness_start(h, &ts_view_liveness, 140, 40, TS_GLYPHS_FULL);
	harness_settle(h);
}

static void
what_if(struct harness *h, const char *text)
{
	struct ts_call call = {.cmd = TS_CMD_WHAT_IF, .argc = 1};

	snprintf(call.text, sizeof(call.text), "%s", text);
	h->env.message[0] = '\0';
	ts_what_if_command(h->view, &call);
	harness_settle(h);
}

/* --- screens ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	bool mono;
	const char *commands[5];
} screens[] = {
	{"heat-80x22", 80, 22, TS_GLYPHS_FULL, false, {"bottleneck", NULL}},
	{"heat-120x38", 120, 38, TS_GLYPHS_FULL, false, {"bottleneck", "pane-zoom", NULL}},
	{"heat-120x38-zoom", 120, 38, TS_GLYPHS_FULL, true,
		{"bottleneck", "pane-zoom", "zoom-in", "zoom-in", "scale limit"}},
	{"heat-80x22-ascii", 80, 22, TS_GLYPHS_ASCII, true, {"bottleneck", "pane-zoom", NULL}},
	{"what-if-80x22", 80, 22, TS_GLYPHS_FULL, false, {"tab what-if", "pane-zoom", NULL}},
	{"what-if-120x38", 120, 38, TS_GLYPHS_FULL, false,
		{"bottleneck", "open", "tick", "tab what-if", NULL}},
};

START_TEST(golden)
{
	struct harness h;

	begin(&h, screens[_i].w, screens[_i].h, screens[_i].glyphs);
	h.canvas->mono = screens[_i].mono;
	for (int i = 0; i < 5 && screens[_i].commands[i]; i++)
		harness_command(&h, screens[_i].commands[i]);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

START_TEST(any_size)
{
	static const int sizes[] = {0, 1, 2, 3, 5, 8, 13, 22, 40, 80, 250, 1000};
	struct harness h;

	begin(&h, 10, 10, TS_GLYPHS_FULL);
	harness_command(&h, _i ? "tab what-if" : "tab heat");
	harness_command(&h, "pane-zoom");
	what_if(&h, "halve activations");
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

/* --- keys ------------------------------------------------------------------------------------- */

START_TEST(heat_keys)
{
	static const char *const keys[] = {"left", "right", "up", "down", "page-left", "page-right",
		"page-up", "page-down", "half-page-up", "half-page-down", "zoom-in", "zoom-in",
		"axes", "zoom-in", "first", "last", "scale", "scale log", "axes", "zoom-out",
		"copy", "zoom-fit", "bottleneck"};
	struct harness h;

	begin(&h, 100, 38, TS_GLYPHS_FULL);
	harness_command(&h, "bottleneck");
	harness_says(&h, "most live: tile ");
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < TS_COUNT(keys); i++) {
			harness_command(&h, keys[i]);
			harness_draw(&h);
			harness_says(&h, " live, ");
		}
	harness_command(&h, "open");
	ck_assert_int_ge(h.selection.tile, 0);
	ck_assert_int_ge(h.selection.live_step, 0);
	harness_says(&h, "[Alive]");
	harness_end(&h);
}
END_TEST

/* The tile with most live bytes fits, another one does not: said on the former alone. */
START_TEST(heat_of_a_tile_that_fits)
{
	struct harness h;

	begin_own(&h,
		"CREATE TABLE target(ipus, replicas, tiles_per_ipu); INSERT INTO target VALUES(1, 1, 2);"
		"ALTER TABLE tile_memory ADD COLUMN overflowed;"
		"INSERT INTO class_interval VALUES(0, 1, 2);"
		"INSERT INTO lowered_variable VALUES(0, 0, 'a', 900, 0, 0), (1, 1, 'b', 500, 0, 0);"
		"INSERT INTO tile_memory VALUES(0, 0, 900, 0, 0), (1, 0, 1000, 0, 76)");
	harness_command(&h, "bottleneck");
	harness_says(&h,
		"tile 0 (ipu 0) at step 1: 900 B live; it has most live bytes, and fits: "
		"what overflows is tile 1");
	harness_resize(&h, 80, 40);
	harness_says(&h, "900 B live; tile 1 overflows");
	harness_command(&h, "last");
	harness_command(&h, "down");
	harness_says(&h, "tile 1 (ipu 0) at step");
	ck_assert(!harness_has(&h, "overflows"));
	harness_end(&h);
}
END_TEST

/* Leftmost column with the cursor of the graph; while the map has the keys, of the map. */
static int
cursor_column(const struct ts_canvas *c, bool heat)
{
	int least = -1;

	for (int i = 0; i < c->w * c->h; i++) {
		const enum ts_role over = (enum ts_role)c->cell[i].over;

		if (over == (heat ? TS_ROLE_CURSOR : TS_ROLE_COLUMN_OTHER) &&
			(least < 0 || i % c->w < least))
			least = i % c->w;
	}
	return least;
}

/* The same step stands in the same column of the graph and of the map below it, at any width and zoom of the graph. */
START_TEST(heat_below_graph)
{
	static const struct {
		int w, h;
		const char *zoom;
	} at[] = {{80, 22, NULL}, {120, 38, NULL}, {200, 58, NULL}, {200, 58, "zoom-in"},
		{143, 40, "zoom-in"}, {200, 58, "zoom-fit"}, {97, 30, NULL}};
	char line[40];
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	h.canvas->mono = true; /* a whole cell has the cursor */
	harness_command(&h, "tab heat");
	for (size_t i = 0; i < TS_COUNT(at); i++) {
		harness_resize(&h, at[i].w, at[i].h);
		h.canvas->mono = true;
		if (at[i].zoom) {
			harness_command(&h, "pane-previous");
			harness_command(&h, at[i].zoom);
			harness_command(&h, "tab heat");
		}
		for (int step = 0; step < 60; step += 7) {
			snprintf(line, sizeof(line), "goto %d", step);
			harness_command(&h, line);
			harness_draw(&h);
			ck_assert_int_gt(cursor_column(h.canvas, false), 0);
			ck_assert_msg(cursor_column(h.canvas, true) ==
					cursor_column(h.canvas, false),
				"%dx%d, %s: step %d is in column %d, below in %d", at[i].w, at[i].h,
				at[i].zoom ? at[i].zoom : "as it is", (int)h.selection.live_step,
				cursor_column(h.canvas, false), cursor_column(h.canvas, true));
		}
	}
	harness_end(&h);
}
END_TEST

/* Before all rows are read the map is of some tiles, and says so; then of all, and who went somewhere is still there. */
START_TEST(sample)
{
	struct harness h;

	begin_own(&h,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 139999) "
		"INSERT INTO lowered_variable SELECT i, i / 700, 'v', 10 + i / 700, 1, 0 FROM n;"
		"INSERT INTO tile_memory SELECT DISTINCT tile, 0, tile % 50, 0 FROM lowered_variable;"
		"INSERT INTO class_interval VALUES (1, 0, 2)");
	h.env.coming = ts_section_bit(TS_SECTION_TILE_LIVES); /* it does not come in this test */
	harness_command(&h, "tab heat");
	harness_says(&h, "sample: ");
	harness_says(&h, "most live of the sample: tile 199 at step 0, 143 KiB");
	harness_command(&h, "page-up");
	harness_says(&h, " at step ");
	h.env.coming = 0;
	harness_settle(&h);
	ck_assert(!harness_has(&h, "sample"));
	harness_says(&h, "most live: tile 199 at step 0, 143 KiB");
	harness_end(&h);
}
END_TEST

/* Worked out by hand: tile 1 has 100 + 30 at step 1, tile 0 has 50 + 70 at steps 1 and 2. */
static const char rows[] =
	"CREATE TABLE target(ipus, replicas, tiles_per_ipu, bytes_per_tile); INSERT INTO target VALUES(2, 1, 2, NULL);"
	"INSERT INTO tile_memory VALUES(0,0,500,50),(1,0,500,100),(2,1,500,7);"
	"INSERT INTO class_interval VALUES(1,1,2),(2,0,9),(2,1,3),(3,2,1);"
	"INSERT INTO lowered_variable VALUES(1,0,'a/out',70,2,0),(2,1,'b/out',30,1,0),"
	"(3,2,'c',9,3,0),(4,1,'w',100,4,1)";

START_TEST(peaks_before_and_after)
{
	struct harness h;

	begin_own(&h, rows);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	harness_says(&h, "nothing is changed yet");
	harness_says(&h, "257 B");		 /* 157 always, 100 at step 1 */
	harness_says(&h, "130 B tile 1 step 1"); /* the tile with most */
	harness_says(&h, "tile 0 is fullest: 500 B allocated, 120 B live at its peak");
	harness_says(&h, "tile 1 has most live bytes: 130 B at step 1; 500 B allocated");
	what_if(&h, "remove b/");
	harness_says(&h, "120 B tile 0 step 0"); /* then it is this one, from step 0 on */
	harness_says(&h, "227 B step 0");
	harness_says(&h, "loses 30 B");		/* tile 1 */
	harness_says(&h, "100 B tile 1 never"); /* always live: the next tile then */
	what_if(&h, "split 7 out$");		/* behind the other: it decides for both */
	harness_says(&h, "105 B tile 1 step 1");
	harness_says(&h, "nothing is called so");
	what_if(&h, "clear");
	what_if(&h, "halve piece 2");
	harness_says(&h, "242 B step 1");
	harness_says(&h, "1 piece");
	harness_command(&h, "first");
	harness_command(&h, "tick"); /* no change has the cursor: the last of them goes on, in 4 */
	harness_says(&h, "split 4");
	harness_command(&h, "tick");
	harness_says(&h, "nothing is changed yet");
	harness_end(&h);
}
END_TEST

/* Enter leads to the peak of the row: to its step, and to the source that it is a peak of. */
START_TEST(goes_there)
{
	struct harness h;

	begin_own(&h, rows);
	harness_command(&h, "source tile 2");
	harness_says(&h, "Live bytes of tile 2");
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	harness_command(&h, "first");
	harness_command(&h, "open"); /* the device's */
	harness_says(&h, "Live bytes of all");
	ck_assert_int_eq(h.selection.live_step, 0);
	harness_command(&h, "down");
	harness_command(&h, "open"); /* the worst tile's */
	harness_says(&h, "Live bytes of tile 0");
	ck_assert_int_eq(h.selection.tile, 0);
	while (!harness_has(&h, "Live bytes of ipu 0")) {
		ck_assert(!(harness_command(&h, "down") & TS_EFFECT_BELL));
		harness_command(&h, "open");
	}
	harness_end(&h);
}
END_TEST

/* `=` has the figures of the row, then those of the device, of the worst tile and of the fullest, whatever row that is. */
START_TEST(explains)
{
	static const struct {
		const char *title;
		int64_t bytes;
	} said[] = {{"peak of device, as it is", 257}, {"peak of device, with the changes", 227},
		{"peak of device, less", 30}, {"peak of worst tile by live bytes, as it is", 130},
		{"peak of worst tile by live bytes, with the changes", 120},
		{"allocated on tile 0, the fullest", 500}};
	struct harness h;
	struct ts_explain e;

	begin_own(&h, rows);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	for (int row = 0; row < 3; row++) {
		ts_explain_init(&e);
		h.view->ops->explain(h.view, &e);
		for (size_t i = 0; i < TS_COUNT(said); i++) {
			int found = 0;

			for (int k = 0; k < e.count; k++)
				if (strcmp(e.figure[k].title, said[i].title) == 0) {
					ck_assert_int_eq(e.figure[k].integer, said[i].bytes);
					found++;
				}
			ck_assert_msg(found == 1, "%s: %d times", said[i].title, found);
		}
		ck_assert_ptr_null(strstr(e.figure[0].title, "step"));
		harness_command(&h, row == 0 ? "last" : "up");
		if (row == 0) {
			ts_explain_init(&e);
			h.view->ops->explain(h.view, &e);
			ck_assert_str_eq(e.figure[0].title, "remove pattern b/: less");
			ck_assert_int_eq(e.figure[0].integer, 30);
		}
	}
	harness_end(&h);
}
END_TEST

/* Queries of all figures of all rows. */
static int
ask_all(struct harness *h)
{
	int queries = 0;

	harness_command(h, "first");
	do {
		struct ts_explain e;

		ts_explain_init(&e);
		h->view->ops->explain(h->view, &e);
		queries += harness_ask(h, &e);
	} while (!(harness_command(h, "down") & TS_EFFECT_BELL));
	return queries;
}

/* Before and after, and what the changes come to, are what their queries print: by number, name, group, expression. */
START_TEST(queries)
{
	static const char *const changes[] = {"halve activations", "split 7 /matMul.*[0-9]$/",
		"remove grad", "halve piece 40", "remove variable 3", "split 3 it's|OUT"};
	struct harness h;

	if (_i)
		begin_own(&h, rows);
	else
		begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "tab what-if");
	ck_assert_int_ge(ask_all(&h), 10);
	for (size_t i = 0; i < TS_COUNT(changes); i += (size_t)stride_of(2, 3))
		what_if(&h, changes[i]);
	what_if(&h, "halve piece 2");
	ck_assert_int_ge(ask_all(&h), 25);
	for (int i = 0; i < 12; i++) { /* too many for one query: that is said */
		char line[140];

		snprintf(line, sizeof(line), "remove nobody%d%080d", i, i);
		what_if(&h, line);
	}
	ck_assert_int_ge(ask_all(&h), 10);
	harness_end(&h);
}
END_TEST

static struct ts_sheet
sheet_of(struct harness *h)
{
	struct ts_sheet sheet = {.list = NULL};

	ck_assert(h->view->ops->sheet(h->view, &sheet));
	return sheet;
}

/* The text of a column of the row at a place of the list; "" where it has none. */
static const char *
text_at(const struct ts_sheet *s, int64_t place, int column)
{
	static char text[200];
	struct ts_table_value v = {0};
	int64_t row = ts_table_row(&s->table, place);

	ck_assert(s->table.value(s->table.ctx, row, column, &v));
	snprintf(text, sizeof(text), "%.*s", v.type == TS_VALUE_TEXT ? (int)v.n : 0,
		v.s ? v.s : "");
	return text;
}

/* Two IPUs, each half of the rows; the ring is around the darkest cell. */
static void
paper_marks(const struct ts_chart_page *p)
{
	double x = (p->spot.x - p->x.from) / (p->x.to - p->x.from) * p->columns;

	ck_assert_int_eq(p->sides, 2);
	ck_assert_str_eq(p->side[0].name, "ipu 0");
	ck_assert_str_eq(p->side[1].name, "ipu 1");
	ck_assert_double_eq(p->side[0].row, 0);
	ck_assert_double_eq_tol(p->side[1].row, p->lanes / 2.0, 0.5);
	ck_assert_ptr_nonnull(strstr(p->spot.name, "most live: tile "));
	ck_assert_double_eq(p->grid[(int)p->spot.row * p->columns + (int)x], p->most);
}

/* Paper has cells of its own, as many whatever the pane has room for, IPUs, and the place with the most live bytes. */
START_TEST(heat_on_paper)
{
	static const int sizes[][2] = {{80, 22}, {200, 58}};
	struct ts_chart_page *page[2] = {calloc(1, sizeof(**page)), calloc(1, sizeof(**page))};
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "bottleneck");
	for (int i = 0; i < 2; i++) {
		harness_resize(&h, sizes[i][0], sizes[i][1]);
		harness_settle(&h);
		ck_assert_ptr_nonnull(page[i]);
		ts_chart_page_init(page[i], 800);
		ck_assert(h.view->ops->chart(h.view, page[i]));
	}
	ck_assert_int_ge(page[0]->lanes, 40);
	ck_assert_int_ge(page[0]->columns, 200);
	ck_assert_int_eq(page[0]->lanes, page[1]->lanes);
	ck_assert_int_eq(page[0]->columns, page[1]->columns);
	ck_assert_mem_eq(page[0]->grid, page[1]->grid,
		sizeof(double) * (size_t)page[0]->lanes * (size_t)page[0]->columns);
	paper_marks(page[0]);
	harness_command(&h, "zoom-in"); /* the cursor is there: it stays in sight */
	harness_command(&h, "zoom-in");
	ts_chart_page_fini(page[1]);
	ts_chart_page_init(page[1], 800);
	ck_assert(h.view->ops->chart(h.view, page[1]));
	ck_assert_double_lt(page[1]->x.to - page[1]->x.from, page[0]->x.to - page[0]->x.from);
	ck_assert_str_eq(page[0]->spot.name, page[1]->spot.name);
	for (int i = 0; i < 2; i++) {
		ts_chart_page_fini(page[i]);
		free(page[i]);
	}
	harness_end(&h);
}
END_TEST

/* What is over the limit has the colour of that on paper, too, in any scale. */
START_TEST(heat_over_the_limit)
{
	struct ts_chart_page *page = calloc(1, sizeof(*page));
	struct harness h;

	ck_assert_ptr_nonnull(page);
	begin_own(&h,
		"CREATE TABLE target(ipus, replicas, tiles_per_ipu, bytes_per_tile);"
		"INSERT INTO target VALUES(1, 1, 2, 600);"
		"INSERT INTO class_interval VALUES(0, 1, 2);"
		"INSERT INTO lowered_variable VALUES(0, 0, 'a', 900, 0, 0), (1, 1, 'b', 500, 0, 0);"
		"INSERT INTO tile_memory VALUES(0, 0, 900, 0), (1, 0, 500, 0)");
	harness_command(&h, "bottleneck");
	harness_says(&h, "over the limit");
	ts_chart_page_init(page, 800);
	ck_assert(h.view->ops->chart(h.view, page));
	ck_assert_int_eq(page->lanes, 2);
	ck_assert_int_eq(page->columns, 3);
	ck_assert_str_eq(page->over, "over the limit");
	ck_assert(isinf(page->grid[1]));
	ck_assert_double_eq(page->grid[3 + 1], 500);
	ck_assert_int_eq(page->sides, 0); /* one IPU */
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

/* As in all files words have no blanks in the header, and figures their unit. */
START_TEST(heat_in_files)
{
	static const char *const names[] = {"first_tile", "last_tile", "first_step", "last_step",
		"most_live"};
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	struct ts_sheet s;
	struct harness h;

	begin_own(&h, rows);
	harness_command(&h, "tab heat");
	s = sheet_of(&h);
	ck_assert_int_eq(s.table.columns, TS_COUNT(names));
	for (int i = 0; i < s.table.columns; i++)
		ck_assert_str_eq(ts_table_column_name(&s.table, i), names[i]);
	ck_assert_str_eq(s.table.facts[4].unit, "bytes");
	ck_assert(s.table.value(s.table.ctx, 0, 4, &v));
	ck_assert_int_eq(v.type, TS_VALUE_INTEGER);
	for (int64_t i = 0; i < s.rows;
		i++) /* lines of the pane below the last tile are not in it */
		for (int k = 0; k < 2; k++) {
			v.type = TS_VALUE_NONE;
			ck_assert(s.table.value(s.table.ctx, i, k, &v));
			ck_assert_int_eq(v.type, TS_VALUE_INTEGER);
		}
	ck_assert_int_gt(s.rows, 0);
	harness_end(&h);
}
END_TEST

/* One table, which is sorted, filtered, searched and copied as all are; what is done to a row is done to that under the cursor. */
START_TEST(a_table_as_others)
{
	enum { WHAT, OF };
	const struct ts_call all = {.cmd = TS_CMD_FILTER, .argc = 1};
	struct ts_table_value v = {0};
	int64_t last = INT64_MAX;
	struct ts_sheet s;
	struct harness h;
	int less;

	begin_own(&h, rows);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	what_if(&h, "halve a/");
	harness_command(&h, "sort less");
	s = sheet_of(&h);
	less = table_rows_column(&s, "less");
	for (int64_t i = 0; i < s.list->count; i++) {
		v = (struct ts_table_value){0};
		ck_assert(s.table.value(s.table.ctx, ts_table_row(&s.table, i), less, &v));
		if (v.type != TS_VALUE_INTEGER)
			continue;
		ck_assert_int_le(v.integer, last);
		last = v.integer;
	}
	ck_assert_int_lt(last, 30);
	harness_command(&h, "filter what:remove");
	s = sheet_of(&h);
	ck_assert_int_eq(s.list->count, 1);
	ck_assert_str_eq(text_at(&s, 0, OF), "pattern b/");
	harness_command(&h, "first");
	harness_command(&h, "copy");
	ck_assert_str_eq(h.env.copy, "remove\tpattern b/\t30\t\t0\t1 piece\t30\t100");
	harness_command(&h, "tick"); /* that change, not the one that stands there unfiltered */
	ck_assert_int_eq(h.selection.what_if.item[1].how, TS_WHAT_IF_HALVE);
	ck_assert_str_eq(h.selection.what_if.item[1].text, "b/");
	h.view->ops->command(h.view, &all);
	s = sheet_of(&h);
	for (int64_t i = 0; i < s.list->count; i++) /* one header: that of the file */
		ck_assert_str_ne(text_at(&s, i, WHAT), "change");
	harness_command(&h, "search fullest");
	harness_command(&h, "open");
	ck_assert_int_eq(h.selection.tile, 0);
	harness_end(&h);
}
END_TEST

/* Each cell of a file is one value: places are numbers, and figures that stand in words have columns. */
START_TEST(one_value_a_cell)
{
	static const struct {
		const char *what, *column;
		int64_t v; /* -1: none */
	} cells[] = {
		{"worst tile", "tile", 1},
		{"worst tile", "step", 1},
		{"worst tile", "tile_then", 0},
		{"worst tile", "step_then", 0},
		{"worst tile", "pieces", -1},
		{"device", "tile", -1},
		{"device", "step", 1},
		{"fullest tile", "over_limit", -1},
		{"remove", "pieces", 1},
		{"remove", "step", -1},
	};
	static const char *const words[] = {"of", "where", "where_then"};
	struct ts_sheet s;
	struct harness h;

	begin_own(&h, rows);
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	s = sheet_of(&h);
	ck_assert(s.in_file != NULL);
	for (size_t i = 0; i < TS_COUNT(words); i++)
		ck_assert(!s.in_file(&s.table, table_rows_column(&s, words[i])));
	for (size_t i = 0; i < TS_COUNT(cells); i++) {
		int column = table_rows_column(&s, cells[i].column);
		struct ts_table_value v = {.type = TS_VALUE_NONE};
		int64_t row = 0;

		while (row < s.rows && strcmp(text_at(&s, row, 0), cells[i].what) != 0)
			row++;
		ck_assert_int_lt(row, s.rows);
		ck_assert(s.in_file(&s.table, column));
		ck_assert(!ts_table_column_wanted(&s.table, column));
		ck_assert(s.table.value(s.table.ctx, ts_table_row(&s.table, row), column, &v));
		ck_assert_msg(v.type == (cells[i].v < 0 ? TS_VALUE_NONE : TS_VALUE_INTEGER) &&
				(cells[i].v < 0 || v.integer == cells[i].v),
			"%s, %s: %lld", cells[i].what, cells[i].column, (long long)v.integer);
	}
	harness_end(&h);
}
END_TEST

/* Of the tiles that are selected the worst has a row: before, and after. */
START_TEST(selected_tiles)
{
	struct ts_tile_set set = {0};
	struct harness h;

	begin_own(&h, rows);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	ck_assert(!harness_has(&h, "selected"));
	ck_assert(ts_tile_set_init(&set, 4));
	ts_tile_set_add(&set, 1, 3);
	ts_select_tiles(&h.selection, &set, "1-2");
	harness_settle(&h);
	harness_says(&h, "selected     the worst of 2");
	harness_says(&h, "100 B tile 1 never");
	ck_assert_int_ge(ask_all(&h), 20);
	ck_assert(ts_tile_set_init(&set, 4));
	ts_tile_set_add(&set, 2, 3);
	ts_select_tiles(&h.selection, &set, "2");
	harness_settle(&h);
	harness_says(&h, "selected     tile");
	harness_says(&h, "7 B tile 2 never");
	ts_select_no_tiles(&h.selection);
	harness_settle(&h);
	ck_assert(!harness_has(&h, "selected"));
	harness_end(&h);
}
END_TEST

/* The graph of a tile or an IPU has the line of its own peak, as the chart on paper has; of others it is said that there is none. */
START_TEST(over_the_graph_of_a_source)
{
	static const struct {
		const char *source, *says;
		int64_t bytes;
	} shown[] = {{"source all", "what if: 227 B at step 0", 227},
		{"source tile 0", "what if: 120 B at step 0", 120},
		{"source tile 1", "what if: 100 B, always live", 100},
		{"source ipu 0", "what if: 220 B at step 0", 220},
		{"source tile 2", "what if: peak of the tile not worked out", 0}};
	struct ts_chart_page *page = malloc(sizeof(*page));
	struct harness h;
	struct ts_explain e;

	ck_assert_ptr_nonnull(page);
	begin_own(&h, rows);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	harness_command(&h, "pane-next");
	for (size_t i = 0; i < TS_COUNT(shown); i++) {
		int found = 0, levels = 0;

		harness_command(&h, shown[i].source);
		if (shown[i].bytes == 0)
			harness_says(&h, shown[i].says);
		ts_explain_init(&e);
		h.view->ops->explain(h.view, &e);
		for (int k = 0; k < e.count; k++)
			if (strstr(e.figure[k].title, ", with the changes") &&
				strstr(e.figure[k].title, "highest peak")) {
				ck_assert_int_eq(e.figure[k].integer, shown[i].bytes);
				found++;
			}
		ck_assert_int_eq(found, shown[i].bytes > 0);
		ts_chart_page_init(page, 20);
		ck_assert(h.view->ops->chart(h.view, page));
		for (int k = 0; k < page->levels; k++)
			levels += strcmp(page->level[k].name, shown[i].says) == 0;
		ck_assert_int_eq(levels, shown[i].bytes > 0);
		ts_chart_page_fini(page);
	}
	free(page);
	harness_end(&h);
}
END_TEST

/* An answer that is not of the newest change says so, where the one that would be was stopped. */
START_TEST(stopped)
{
	struct ts_call call = {.cmd = TS_CMD_WHAT_IF, .argc = 1, .text = "remove b/"};
	struct harness h;

	begin_own(&h, rows);
	harness_command(&h, "tab what-if");
	ts_what_if_command(h.view, &call);
	h.view->ops->request(h.view);
	ts_jobs_cancel(h.env.jobs, h.view->id);
	harness_settle(&h);
	if (!harness_has(&h, "227 B")) /* it may have been quicker */
		harness_says(&h, "stopped: not of the newest change");
	harness_end(&h);
}
END_TEST

/* The same of the tiles that are selected. */
START_TEST(stopped_with_other_tiles)
{
	struct ts_tile_set set;
	struct ts_job *job;
	struct harness h;

	begin_own(&h, rows);
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	ck_assert(ts_tile_set_init(&set, 4096));
	ts_tile_set_add(&set, 1, 2);
	ts_select_tiles(&h.selection, &set, "1");
	for (bool idle = false; !idle;) {
		h.view->ops->request(h.view);
		idle = harness_idle(&h);
		while ((job = ts_jobs_receive(h.env.jobs))) {
			struct ts_fetch *f = (struct ts_fetch *)job;

			if (strcmp(job->what, "working out what if") == 0)
				f->code = TS_E_CANCELLED;
			h.view->ops->deliver(h.view, f);
			ts_fetch_free(f);
			idle = false;
		}
	}
	harness_says(&h, "not of the selected");
	harness_end(&h);
}
END_TEST

/* A tile has 112 bytes: what is live then is against that, exactly, and never said to fit. */
START_TEST(still_above)
{
	struct harness h;
	struct ts_explain e;
	int found = 0;

	begin_own(&h, rows);
	harness_stop(&h);
	harness_sql(&h, "UPDATE target_info SET num_ipus = 1, num_tiles = 2, bytes_per_tile = 112");
	harness_start(&h, &ts_view_liveness, 140, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	harness_says(&h, "18 B too much"); /* 130 */
	what_if(&h, "remove b/");
	harness_says(&h, "8 B too much"); /* 120 */
	ts_explain_init(&e);
	h.view->ops->explain(h.view, &e);
	for (int k = 0; k < e.count; k++)
		if (strstr(e.figure[k].title, "still above what a tile has")) {
			ck_assert_int_eq(e.figure[k].integer, 8);
			found++;
		}
	ck_assert_int_eq(found, 1);
	what_if(&h, "split 7 out$"); /* 105 */
	ck_assert(!harness_has(&h, " above"));
	ck_assert(!harness_has(&h, "fits"));
	harness_end(&h);
}
END_TEST

/*
 * The peak of the device against all tiles, that of an IPU against its own. Where how many there are is too much for a
 * number, neither is said; that of a tile is.
 */
static void
check_still_above(const char *target, const char *says, int64_t above)
{
	struct harness h;
	struct ts_explain e;
	int64_t found = 0;

	begin_own(&h, rows);
	harness_stop(&h);
	harness_sql(&h, target);
	harness_start(&h, &ts_view_liveness, 140, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	what_if(&h, "remove b/");
	harness_says(&h, "227 B step 0");
	if (says)
		harness_says(&h, says);
	ts_explain_init(&e);
	h.view->ops->explain(h.view, &e);
	for (int k = 0; k < e.count; k++)
		if (strstr(e.figure[k].title, "peak of device") &&
			strstr(e.figure[k].title, "still above what all tiles have"))
			found = e.figure[k].integer;
	ck_assert_int_eq(found, above);
	harness_end(&h);
}

START_TEST(device_still_above)
{
	check_still_above("UPDATE target_info SET bytes_per_tile = 20", "147 B too much", 227 - 80);
	check_still_above("UPDATE target_info SET bytes_per_tile = 20", "180 B too much", 227 - 80);
	check_still_above("UPDATE target_info SET bytes_per_tile = 60", NULL, 0);
	check_still_above(
		"UPDATE target_info SET bytes_per_tile = 20, tiles_per_ipu = 4611686018427387904",
		"100 B too much", 0);
}
END_TEST

/* Where not all rows fit the line above them says what was changed; what is typed is a group, or a pattern. */
START_TEST(changes_in_sight)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "tab what-if");
	harness_says(&h, "fullest: tile 83");
	ck_assert(!harness_has(&h, "what if: "));
	what_if(&h, "halve activations");
	harness_says(&h, "halved group activations: ");
	harness_says(&h, " MiB at step "); /* over the graph */
	ck_assert(harness_has(&h, "what if: "));
	what_if(&h, "remove stash");
	what_if(&h, "split 4 cls/");
	harness_says(&h, "3 changes, the last: in 4 pattern cls/: ");
	what_if(&h, "remove nobody");
	harness_says(&h, "4 changes, the last: removed pattern nobody: nothing is called so");
	harness_command(&h, "pane-zoom"); /* all rows are there */
	harness_says(&h, "it has most live bytes, too");
	harness_says(&h, "halve        group activations");
	harness_says(&h, "remove       group stash");
	harness_says(&h, "split 4      pattern cls/");
	harness_end(&h);
}
END_TEST

/* `marks-clear` takes the changes away, and again brings them back, unless others were asked for in between. */
START_TEST(clear_and_undo)
{
	struct harness h;

	begin_own(&h, rows);
	harness_command(&h, "tab what-if");
	what_if(&h, "halve piece 2");
	what_if(&h, "remove b/");
	for (int i = 0; i < 3; i++) {
		harness_command(&h, "marks-clear");
		harness_says(&h, "nothing is changed yet");
		ck_assert_str_eq(h.env.message, "2 changes taken away; the same key undoes that");
		harness_command(&h, "marks-clear");
		ck_assert_str_eq(h.env.message, "2 changes again");
		harness_says(&h, "halve        piece 2");
		harness_says(&h, "remove       pattern b/");
	}
	harness_command(&h, "marks-clear");
	what_if(&h, "remove out");
	what_if(&h, "clear");
	harness_command(&h, "marks-clear");
	ck_assert_int_eq(h.selection.what_if.count, 0);
	harness_end(&h);
}
END_TEST

/* Nothing on the tile with most is alive at a step of its own: no step is said. */
START_TEST(always_live)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO tile_memory VALUES(0,0,900,50),(1,0,500,100);"
		"INSERT INTO class_interval VALUES(1,1,2);"
		"INSERT INTO lowered_variable VALUES(1,0,'a',7,1,0),(2,1,'w',100,2,1)");
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "tab what-if");
	harness_says(&h, "tile 1 has most live bytes: 100 B always; 500 B allocated");
	harness_end(&h);
}
END_TEST

/* What an address says of changes makes the same changes, whatever is in their names. */
START_TEST(addresses)
{
	static const char *const texts[] = {"halve mat;Mul[;/]", "remove ;", "split 3 a;;b;",
		"halve \\;x\\\\", "remove plain", "halve piece 2"};
	struct ts_what_if_changes before;
	struct ts_strbuf value;
	struct harness h;

	begin_own(&h, rows);
	for (size_t i = 0; i < TS_COUNT(texts); i++)
		what_if(&h, texts[i]);
	before = h.selection.what_if;
	ck_assert_int_eq(before.count, TS_COUNT(texts));
	ts_strbuf_init(&value, 4096);
	ck_assert(ts_what_if_get(h.view, &value));
	ck_assert_msg(ts_what_if_set(h.view, value.s) == TS_ARG_DONE, "%s", value.s);
	ck_assert_int_eq(h.selection.what_if.count, before.count);
	for (int i = 0; i < before.count; i++) {
		const struct ts_what_if_change *x = &h.selection.what_if.item[i];

		ck_assert_int_eq(x->of, before.item[i].of);
		ck_assert_int_eq(x->how, before.item[i].how);
		ck_assert_int_eq(x->n, before.item[i].n);
		ck_assert_int_eq(x->id, before.item[i].id);
		ck_assert_str_eq(x->text, before.item[i].text);
	}
	ck_assert_int_eq(ts_what_if_set(h.view, "halve a;remove b; split 2 c"), TS_ARG_DONE);
	ck_assert_int_eq(h.selection.what_if.count, 3);
	ts_strbuf_fini(&value);
	harness_end(&h);
}
END_TEST

/* Without the index one works it out alone: no other worker waits for it. */
START_TEST(no_help_alone)
{
	struct harness h;
	int64_t before;

	begin_own(&h, rows);
	before = ts_jobs_sent(h.env.jobs, TS_WORKER_BULK);
	harness_command(&h, "tab what-if");
	ck_assert_int_eq(ts_jobs_sent(h.env.jobs, TS_WORKER_BULK) - before, 1);
	what_if(&h, "remove b/");
	ck_assert_int_eq(ts_jobs_sent(h.env.jobs, TS_WORKER_BULK) - before, 2);
	harness_end(&h);
}
END_TEST

/* An expression that takes too long is given up, said, and taken back. */
START_TEST(too_long)
{
	static const char *const texts[] = {"remove first", "halve ^(a+)+$", "remove newest"};
	struct harness h;

	begin_own(&h,
		"INSERT INTO tile_memory VALUES(0,0,500,50);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)"
		" INSERT INTO lowered_variable SELECT i,0,replace(hex(zeroblob(40)),'0','a')||i,"
		"7,1,0 FROM n; INSERT INTO class_interval VALUES(1,0,2)");
	harness_command(&h, "tab what-if");
	what_if(&h, "halve ^(a+)+$");
	ck_assert_msg(strstr(h.env.message, "takes too long"), "%s", h.env.message);
	ck_assert_int_eq(h.selection.what_if.count, 0);
	harness_command(&h, "tab variables"); /* nobody asks yet */
	for (size_t i = 0; i < TS_COUNT(texts); i++)
		what_if(&h, texts[i]);
	ck_assert_int_eq(h.selection.what_if.count, 3);
	harness_command(&h, "tab what-if");
	ck_assert_msg(strstr(h.env.message, "takes too long"), "%s", h.env.message);
	ck_assert_int_eq(h.selection.what_if.count, 2); /* the others stay */
	ck_assert_str_eq(h.selection.what_if.item[0].text, "first");
	ck_assert_str_eq(h.selection.what_if.item[1].text, "newest");
	harness_end(&h);
}
END_TEST

/* Long names and many digits: one line of 80 columns, and the end of the name. */
START_TEST(ticks_fit_a_line)
{
	struct ts_what_if_change x = {.of = TS_WHAT_IF_VARIABLE};
	struct harness h;

	begin_own(&h, rows);
	for (int i = 0; i < 40; i++) {
		x.id = i;
		for (size_t n = 0; n < sizeof(x.text) - 4; n += 4)
			memcpy(x.text + n, i % 2 ? "ab/c" : "\xe5\xad\x97/", 5);
		memcpy(x.text + sizeof(x.text) - 8, "the/end", 8);
		ts_what_if_tick(h.view, &x);
		ck_assert_int_le(ts_utf8_columns(h.env.message, strlen(h.env.message)), 78);
		ck_assert_ptr_nonnull(strstr(h.env.message, "removed: ..."));
		ck_assert_ptr_nonnull(strstr(h.env.message, "the/end ("));
		ck_assert_ptr_nonnull(strstr(h.env.message, "What-if"));
	}
	ck_assert(h.selection.what_if.item[0].sure); /* it stands in a list: nobody looks for it */
	harness_end(&h);
}
END_TEST

START_TEST(wrong_words)
{
	static const struct {
		const char *text, *says;
	} words[] = {
		{"halve", "whatif remove|halve|split N"},
		{"split 0 x", "whatif remove|halve|split N"},
		{"split 99999999999 x", "whatif remove|halve|split N"},
		{"double x", "whatif remove|halve|split N"},
		{"remove marked", "no variable is marked"},
		{"remove (", "missing closing parenthesis (at offset 1)"},
		{"halve a{2,1}", "numbers out of order in {} quantifier (at offset 5)"},
	};
	struct harness h;
	char text[40];

	begin_own(&h, rows);
	harness_command(&h, "tab what-if");
	for (size_t i = 0; i < TS_COUNT(words); i++) {
		what_if(&h, words[i].text);
		ck_assert_msg(strstr(h.env.message, words[i].says), "%s: %s", words[i].text,
			h.env.message);
	}
	harness_says(&h,
		"by live bytes"); /* what is no pattern is taken back, what was shown stays */
	ck_assert_int_eq(h.selection.what_if.count, 0);
	for (int i = 0; i <= TS_WHAT_IF_CHANGES; i++) {
		snprintf(text, sizeof(text), "remove nobody%d", i);
		what_if(&h, text);
	}
	ck_assert_ptr_nonnull(strstr(h.env.message, "no more than"));
	ck_assert_int_eq(h.selection.what_if.count, TS_WHAT_IF_CHANGES);
	harness_end(&h);
}
END_TEST

/* --- reports ---------------------------------------------------------------------------------- */

static const struct {
	const char *rows, *heat, *what_if;
} reports[] = {
	{"DROP TABLE class_interval", "Not in this report: when the lowered variables",
		"Not in this report: when the lowered variables"},
	{"DROP TABLE lowered_variable", "Not in this report: when the lowered variables",
		"Not in this report: when the lowered variables"},
	{"SELECT 1", "no tile has a lowered variable", "by live bytes"},
	{"INSERT INTO lowered_variable VALUES(1,0,'a',10,NULL,0),(2,0,'b',5,77,0)",
		"tile 0 at step 0: 0 B live",
		"not placed: 15 B of 2 pieces, alive at no known step (in no peak)"},
	{"INSERT INTO lowered_variable VALUES(1,4611686018427387904,'a',4611686018427387904,1,0),"
	 "(2,7,'b',4611686018427387904,1,0); INSERT INTO class_interval VALUES"
	 "(1,0,4611686018427387904),(1,7,3),(1,2,2)",
		"tile 4611686018427387904 at step 0", "step 0"},
};

START_TEST(other_reports)
{
	struct harness h;

	begin_own(&h, reports[_i].rows);
	harness_command(&h, "tab heat");
	harness_says(&h, reports[_i].heat);
	harness_command(&h, "tab what-if");
	what_if(&h, "halve a");
	harness_says(&h, reports[_i].what_if);
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("what_if");
	TCase *c = tcase_create("what_if");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, golden, 0, TS_COUNT(screens));
	tcase_add_loop_test(c, any_size, 0, 2);
	tcase_add_test(c, heat_keys);
	tcase_add_test(c, heat_of_a_tile_that_fits);
	tcase_add_test(c, heat_below_graph);
	tcase_add_test(c, heat_in_files);
	tcase_add_test(c, one_value_a_cell);
	tcase_add_test(c, heat_on_paper);
	tcase_add_test(c, heat_over_the_limit);
	tcase_add_test(c, sample);
	tcase_add_test(c, peaks_before_and_after);
	tcase_add_test(c, goes_there);
	tcase_add_test(c, explains);
	tcase_add_loop_test(c, queries, 0, 2);
	tcase_add_test(c, a_table_as_others);
	tcase_add_test(c, selected_tiles);
	tcase_add_test(c, stopped);
	tcase_add_test(c, stopped_with_other_tiles);
	tcase_add_test(c, over_the_graph_of_a_source);
	tcase_add_test(c, still_above);
	tcase_add_test(c, device_still_above);
	tcase_add_test(c, changes_in_sight);
	tcase_add_test(c, clear_and_undo);
	tcase_add_test(c, ticks_fit_a_line);
	tcase_add_test(c, always_live);
	tcase_add_test(c, addresses);
	tcase_add_test(c, no_help_alone);
	tcase_add_test(c, too_long);
	tcase_add_test(c, wrong_words);
	tcase_add_loop_test(c, other_reports, 0, TS_COUNT(reports));
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
