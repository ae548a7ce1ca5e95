/* SPDX-License-Identifier: MIT */
/*
 * Sources, marks and tabs of the Liveness view: what they show is what SQL says of the same report, and reports in which
 * things are missing or make no sense are told from those that are sound.
 */
#include "config.h"

#include <sys/stat.h>

#include "live_report.h"

#include "tilescope/report/program_details.h"
#include "tilescope/view/liveness.h"

static void
begin(struct harness *h, int w, int height)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64, .steps = 400, .variables = 3000};

	harness_demo(h, &o);
	harness_start(h, &ts_view_liveness, w, height, TS_GLYPHS_FULL);
	harness_settle(h);
}

/* Tiles [from, to) become the selection. */
static void
select_tiles(struct harness *h, int64_t from, int64_t to)
{
	struct ts_tile_set set;

	ck_assert(ts_tile_set_init(&set, 128));
	ts_tile_set_add(&set, from, to);
	ts_select_tiles(&h->selection, &set, NULL);
}

/* What the read-out line has to say: bytes that are not always live, and those that are. */
static void
says_figures(struct harness *h, int64_t not_always, int64_t always)
{
	char a[TS_FMT_MAX], b[TS_FMT_MAX], c[TS_FMT_MAX], words[200];

	snprintf(words, sizeof(words), "not always live %s + always %s = %s",
		ts_fmt_bytes(a, not_always, TS_UNITS_KIB), ts_fmt_bytes(b, always, TS_UNITS_KIB),
		ts_fmt_bytes(c, not_always + always, TS_UNITS_KIB));
	harness_says(h, words);
}

#define ALIVE_ON                                                                                \
	"SELECT coalesce(sum(v.bytes), 0) FROM lowered_variable v WHERE v.always_live = 0 AND " \
	"EXISTS (SELECT 1 FROM class_interval i WHERE i.class = v.class AND "                   \
	"i.start <= %lld AND i.end > %lld) AND v.tile "

#define BORN                                                                         \
	"SELECT %s FROM variable v WHERE always_live = 0 AND EXISTS (SELECT 1 FROM " \
	"liveness_variable l WHERE l.variable = v.variable AND l.start <= %d AND "   \
	"l.end > %d) AND NOT EXISTS (SELECT 1 FROM liveness_variable l WHERE "       \
	"l.variable = v.variable AND l.start <= %d AND l.end > %d)"

/* A filter is said where the titles of all tabs would take the whole line. */
START_TEST(filters_are_shown)
{
	static const char *const tabs[] = {"groups", "lifetimes", "vertices", "cycles", "path"};
	const struct ts_view_arg *filter = ts_view_liveness.args;
	char command[40];
	struct harness h;

	while (strcmp(filter->name, "filter") != 0)
		filter++;
	begin(&h, 80, 22);
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		snprintf(command, sizeof(command), "tab %s", tabs[i]);
		harness_command(&h, command);
		harness_settle(&h);
		ck_assert(!harness_has(&h, "& "));
		ck_assert_msg(filter->set(h.view, "op") != TS_ARG_NO, "%s: %s", tabs[i],
			h.env.message);
		harness_settle(&h);
		harness_says(&h, "& op ");
		ck_assert_int_ne(filter->set(h.view, ""), TS_ARG_NO);
		harness_settle(&h);
	}
	harness_end(&h);
}
END_TEST

/* ---- sources ---- */

START_TEST(sources)
{
	struct harness h;
	long long step;

	begin(&h, 120, 38);
	harness_says(&h, "Live bytes of all tiles,");
	harness_command(&h, "source tile 5");
	harness_says(&h, "Live bytes of tile 5, derived");
	ck_assert_int_eq(h.selection.tile, 5);
	for (int i = 0; i < 3; i++) {
		step = (long long)h.selection.live_step;
		says_figures(&h, harness_number(&h, ALIVE_ON "= 5", step, step),
			harness_number(&h, "SELECT always_live FROM tile_memory WHERE tile = 5"));
		harness_command(&h, i == 0 ? "goto 100" : "goto 333");
	}
	harness_command(&h, "source all");
	harness_command(&h, "source 5"); /* one tile is no set */
	ck_assert_int_eq(h.env.tiles_asked.state, TS_TILES_NOTHING);
	harness_says(&h, "Live bytes of tile 5, derived");
	harness_command(&h, "source ipu 1");
	step = (long long)h.selection.live_step;
	harness_says(&h, "Live bytes of ipu 1, ");
	says_figures(&h,
		harness_number(&h,
			"SELECT not_always_live FROM liveness_step_ipu WHERE ipu = 1 AND "
			"live_step = %lld",
			step),
		harness_number(&h, "SELECT sum(always_live) FROM tile_memory WHERE ipu = 1"));
	/* the list is derived from what lies on its tiles: the same */
	ck_assert(!harness_has(&h, "the timeline says"));
	ck_assert_int_eq(harness_number(&h, ALIVE_ON ">= 64", step, step),
		harness_number(&h,
			"SELECT not_always_live FROM liveness_step_ipu WHERE ipu = 1 AND "
			"live_step = %lld",
			step));
	harness_command(&h, "ipu-next"); /* behind the last: all again */
	harness_says(&h, "Live bytes of all tiles,");
	ck_assert(harness_command(&h, "source selected") & TS_EFFECT_BELL);
	harness_command(&h, "source 3-8");
	ck_assert_int_eq(h.env.tiles_asked.state, TS_TILES_ASKED);
	select_tiles(&h, 3, 9); /* as the program does; all views have them now, which is said */
	harness_settle(&h);
	ck_assert_str_eq(h.env.message, "source: 6 tiles: 3-8, selected in all views");
	harness_says(&h, "Live bytes of 6 tiles");
	ts_select_no_tiles(&h.selection);
	harness_settle(&h);
	harness_command(&h, "source worst(x)");
	h.env.tiles_asked.state = TS_TILES_WRONG;
	harness_settle(&h);
	select_tiles(&h, 3, 9); /* of another view: it is not what was asked for */
	harness_settle(&h);
	harness_says(&h, "Live bytes of all tiles,");
	harness_command(&h, "source selected");
	step = (long long)h.selection.live_step;
	harness_says(&h, "Live bytes of 6 tiles");
	says_figures(&h, harness_number(&h, ALIVE_ON "BETWEEN 3 AND 8", step, step),
		harness_number(&h,
			"SELECT sum(always_live) FROM tile_memory WHERE tile BETWEEN 3 AND 8"));
	select_tiles(&h, 3, 8); /* it follows the selection */
	harness_settle(&h);
	harness_says(&h, "Live bytes of 5 tiles");
	ts_select_no_tiles(&h.selection);
	harness_settle(&h);
	harness_says(&h, "Live bytes of all tiles,");
	harness_end(&h);
}
END_TEST

/* All sources by one key, round: what is selected first. */
START_TEST(next_source)
{
	struct harness h;
	long long fullest;
	char says[60];

	begin(&h, 100, 30);
	select_tiles(&h, 3, 9);
	harness_command(&h, "source");
	harness_says(&h, "Live bytes of 6 tiles");
	harness_command(&h, "source");
	harness_says(&h, "Live bytes of ipu 0");
	harness_command(&h, "source");
	fullest = harness_number(&h,
		"SELECT tile FROM tile_memory ORDER BY coalesce(total_gaps, total) DESC, tile LIMIT 1");
	snprintf(says, sizeof(says), "Live bytes of tile %lld", fullest);
	ck_assert_int_ne(fullest, 0);
	harness_says(&h, says); /* nobody has gone to a tile */
	ck_assert_int_eq(h.selection.tile, fullest);
	harness_command(&h, "source");
	harness_says(&h, "Live bytes of all tiles");
	ts_select_no_tiles(&h.selection);
	harness_end(&h);
}
END_TEST

/* ---- marks ---- */

START_TEST(marks)
{
	struct harness h;
	char words[200], a[TS_FMT_MAX], b[TS_FMT_MAX];

	begin(&h, 140, 38);
	harness_command(&h, "goto 100");
	harness_command(&h, "mark");
	harness_command(&h, "goto 300");
	harness_command(&h, "mark");
	harness_says(&h, "A 100");
	harness_says(&h, "B 300");
	snprintf(words, sizeof(words), "step 100 to 300: born %s in %s",
		ts_fmt_bytes(a, harness_number(&h, BORN, "sum(bytes)", 300, 300, 100, 100),
			TS_UNITS_KIB),
		ts_fmt_count(b, harness_number(&h, BORN, "count(*)", 300, 300, 100, 100)));
	harness_says(&h, words);
	snprintf(words, sizeof(words), "died %s in %s",
		ts_fmt_bytes(a, harness_number(&h, BORN, "sum(bytes)", 100, 100, 300, 300),
			TS_UNITS_KIB),
		ts_fmt_count(b, harness_number(&h, BORN, "count(*)", 100, 100, 300, 300)));
	harness_says(&h, words);
	harness_command(&h, "only died");
	snprintf(words, sizeof(words), "%s died, of ",
		ts_fmt_count(b, harness_number(&h, BORN, "count(*)", 100, 100, 300, 300)));
	harness_says(&h, words);
	harness_look(&h, "live-marks-140x38");
	harness_command(&h, "only all");
	ck_assert(!(harness_command(&h, "zoom-selection") & TS_EFFECT_BELL));
	ck_assert_int_ge(h.selection.live_step, 100);
	ck_assert_int_le(h.selection.live_step, 300);
	harness_command(&h, "zoom-fit");
	harness_command(&h, "goto 100"); /* takes the mark away */
	harness_command(&h, "mark");
	ck_assert(!harness_has(&h, "A 100"));
	harness_command(&h, "marks-clear");
	ck_assert(harness_command(&h, "zoom-selection") & TS_EFFECT_BELL);
	ck_assert(!harness_has(&h, "300: born"));
	for (int i = 0; i < 6; i++) {
		snprintf(words, sizeof(words), "goto %d", 10 * i);
		harness_command(&h, words);
		ck_assert(!(harness_command(&h, "mark") & TS_EFFECT_BELL));
	}
	harness_command(&h, "goto 200");
	ck_assert(harness_command(&h, "mark") & TS_EFFECT_BELL);
	harness_says(&h, "ABCD EF"); /* in columns that follow each other, too */
	harness_end(&h);
}
END_TEST

/* ---- replicas, limit ---- */

/* Figures of the device and of one replica are never in one sum, and the screen says which they are. */
START_TEST(replicas)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO target VALUES(2, 2, 2, 10000);"
		"INSERT INTO ipu VALUES(0, 0, 0, 2),(1, 1, 2, 2);"
		"INSERT INTO tile_memory VALUES(0,0,1000,500),(1,0,1000,700),(2,1,1000,800),(3,1,1000,1000);"
		"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,3000);"
		"INSERT INTO variable VALUES(1,'a',3000,0);"
		"INSERT INTO liveness_variable VALUES(1,1,2)");
	harness_says(&h, "Live bytes of device of 2 replicas");
	harness_says(&h, "not always live 5.86 KiB + always 2.93 KiB = 8.79 KiB");
	harness_says(&h, "1 variable of one replica");
	harness_says(&h, "sum, device of 2 replicas");
	harness_command(&h, "replica");
	harness_says(&h, "Live bytes of one replica of 2");
	harness_says(&h, "not always live 2.93 KiB + always 1.17 KiB = 4.10 KiB"); /* IPU 0 */
	harness_says(&h, "always live, one replica");
	harness_command(&h, "limit-line");
	harness_says(&h, "memory of the replica 19.5 KiB");
	harness_command(&h, "replica");
	harness_says(&h, "memory of all tiles 39.1 KiB");
	harness_command(&h, "source ipu 1");
	ck_assert(harness_command(&h, "replica") & TS_EFFECT_BELL);
	harness_end(&h);
}
END_TEST

/* What is always live, by name, is the device's here: with one replica it is divided, and that is said. */
START_TEST(replicas_in_tabs)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO target VALUES(2, 2, 2, 10000);"
		"INSERT INTO ipu VALUES(0, 0, 0, 2),(1, 1, 2, 2);"
		"INSERT INTO tile_memory VALUES(0,0,1000,500),(1,0,1000,700),(2,1,1000,800),(3,1,1000,1000);"
		"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,3000);"
		"INSERT INTO variable VALUES(1,'a',3000,0),(2,'w',3000,1),(3,'c',100,0);"
		"INSERT INTO liveness_variable VALUES(1,1,2),(3,0,1)");
	h.options.units = TS_UNITS_BYTES;
	harness_settle(&h);
	harness_says(&h, "born 6,000 B in 1 variable, died 200 B in 1 variable, all replicas");
	harness_command(&h, "tab groups");
	harness_says(&h, "6,000 B not always live in 1 variable, device; Enter");
	harness_says(&h, "9,000 B");
	harness_command(&h, "replica");
	harness_says(&h, "3,000 B not always live in 1 variable, one replica");
	harness_says(&h, "always live: device / 2, assumed");
	harness_says(&h, "1,500 B");
	harness_says(&h, "4,500 B");
	harness_says(&h, "born 3,000 B in 1 variable, died 100 B in 1 variable, one replica");
	harness_command(&h, "tab always");
	harness_says(&h, "3,000 B in 1 variable, device of 2 replicas");
	harness_command(&h, "tab lifetimes");
	harness_says(&h, "of one replica; idle");
	harness_end(&h);
}
END_TEST

/* Back from another source the device has what it had: its list is kept; and once more when it was read anew. */
START_TEST(device_again)
{
	char *device, *ipu, *again;
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "tab always");
	device = harness_text(&h);
	for (int i = 0; i < 2; i++) {
		harness_command(&h, "source ipu 1");
		ipu = harness_text(&h);
		ck_assert_str_ne(ipu, device);
		free(ipu);
		harness_command(&h, "source all");
		again = harness_text(&h);
		ck_assert_str_eq(again, device);
		free(again);
		ts_view_liveness.reload(h.view);
		h.env.generation++;
		harness_settle(&h);
	}
	again = harness_text(&h);
	ck_assert_str_eq(again, device);
	free(again);
	free(device);
	harness_end(&h);
}
END_TEST

/* Without the relation that tells replicas apart the base of one is an assumption, and marked. */
START_TEST(replicas_assumed)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO target VALUES(2, 2, NULL, 10000);"
		"INSERT INTO tile_memory VALUES(0,0,1000,500),(1,0,1000,700),(2,1,1000,800),(3,1,1000,1000);"
		"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,3000)");
	harness_command(&h, "replica");
	harness_says(&h, "+ always 1.46 KiB (assumed)");
	harness_end(&h);
}
END_TEST

/* ---- tabs ---- */

/* Vertex types of a step are all of them, the most used first; of more than can be listed the screen says how many are. */
START_TEST(many_vertices)
{
	enum { STATE = 4 /* the column */ };
	struct ts_sheet sheet = {.list = NULL};
	struct ts_table_value v = {0};
	char rows[1200];
	struct harness h;

	snprintf(rows, sizeof(rows),
		"CREATE TABLE program(program, type, name, compute_set);"
		"CREATE TABLE compute_set(compute_set, name);"
		"CREATE TABLE compute_set_vertex(compute_set, vertex_type, instances);"
		"CREATE TABLE vertex_type(vertex_type, name, state_bytes);"
		"INSERT INTO program VALUES(3,'OnTileExecute','p',1);"
		"INSERT INTO compute_set VALUES(1,'set');"
		"INSERT INTO liveness_step VALUES(0,3,10),(1,3,30);"
		"INSERT INTO variable VALUES(0,'a',10,0);"
		"INSERT INTO liveness_variable VALUES(0,0,2);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO vertex_type SELECT i, 'vertex' || i, i FROM n;"
		"INSERT INTO compute_set_vertex SELECT 1, vertex_type, 50000 - vertex_type FROM vertex_type;"
		"UPDATE vertex_type SET name = NULL WHERE vertex_type = 3",
		_i ? 17000 : 3000);
	begin_own(&h, rows);
	harness_resize(&h, 120, 38);
	harness_settle(&h);
	harness_command(&h, "tab vertices");
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.list->count, _i ? TS_VERTEX_ROWS : 3000);
	for (int64_t i = 0; i < sheet.list->count; i++) {
		char name[40];

		snprintf(name, sizeof(name), "vertex%lld", (long long)i + 1);
		ck_assert(sheet.table.value(sheet.table.ctx, ts_table_row(&sheet.table, i), 0, &v));
		ck_assert(i + 1 == 3 || (v.n == strlen(name) && memcmp(v.s, name, v.n) == 0));
		ck_assert(sheet.table.value(sheet.table.ctx, ts_table_row(&sheet.table, i), STATE,
			&v));
		ck_assert_int_eq(v.integer, i + 1);
	}
	ck_assert_int_eq(harness_has(&h, "of 17,000 vertex types, the 16,384 most used are listed"),
		_i == 1);
	harness_command(&h, "search vertex2999");
	ck_assert_int_eq(sheet.list->cursor, 2998);
	harness_end(&h);
}
END_TEST

/* A program without cycles: what would have recorded them, and of what. */
START_TEST(no_cycles_by_tile)
{
	struct harness h;

	begin_own(&h,
		"CREATE TABLE program(program, type, name, cycles_by_tile);"
		"INSERT INTO program VALUES(3,'StreamCopyMid','p',NULL);"
		"INSERT INTO liveness_step VALUES(0,3,10),(1,3,30)");
	harness_command(&h, "tab cycles");
	harness_says(&h, "No cycles by tile are recorded for it");
	harness_says(&h, "autoReport.outputExecutionProfile");
	harness_says(&h, "alone have them");
	harness_end(&h);
}
END_TEST

/* A range is one of steps, whichever pane has the keys: its begin, its end, and it is said. */
START_TEST(range_from_below)
{
	struct harness h;

	begin(&h, 140, 38);
	harness_command(&h, _i ? "tab lifetimes" : "pane-next");
	harness_command(&h, "goto 20");
	harness_command(&h, "range");
	ck_assert_ptr_nonnull(strstr(h.env.message, "step 20 is marked in the graph"));
	harness_command(&h, "goto 40");
	harness_command(&h, "range");
	ck_assert_ptr_nonnull(strstr(h.env.message, "steps 20 to 40 are marked in the graph"));
	harness_says(&h, "marks A to B, step 20 to 40");
	harness_command(&h, "range");
	ck_assert_ptr_nonnull(strstr(h.env.message, "step 20 is marked in the graph"));
	harness_command(&h, "goto 20");
	harness_command(&h, "range");
	ck_assert_str_eq(h.env.message, "no step is marked any more");
	harness_end(&h);
}
END_TEST

/* What a tab is filtered by stands in its line. */
START_TEST(filter_is_shown)
{
	static const char *const filtered[] = {"groups", "lifetimes", "vertices", "cycles", "path",
		"what-if"};
	char command[40];
	struct harness h;

	begin(&h, 140, 38);
	snprintf(command, sizeof(command), "tab %s", filtered[_i]);
	harness_command(&h, command);
	harness_command(&h, "filter e");
	harness_says(&h, "& e");
	harness_end(&h);
}
END_TEST

static const char *const tabs[] = {"always", "groups", "lifetimes", "vertices", "cycles", "path"};

START_TEST(tab_screens)
{
	struct harness h;
	char words[64];

	begin(&h, 120, 38);
	snprintf(words, sizeof(words), "tab %s", tabs[_i]);
	harness_command(&h, "goto 482"); /* it runs a compute set */
	harness_command(&h, words);
	snprintf(words, sizeof(words), "live-tab-%s-120x38", tabs[_i]);
	harness_look(&h, words);
	harness_command(&h, "down");
	harness_command(&h, "sort-reverse");
	harness_command(&h, "search no such name");
	harness_command(&h, "copy");
	harness_command(&h, "source tile 3");
	harness_command(&h, "pane-zoom");
	harness_draw(&h);
	harness_resize(&h, 40, 8);
	harness_draw(&h);
	for (int y = -1; y < 9; y++)
		for (int wheel = -1; wheel <= 1; wheel++)
			h.view->ops->mouse(h.view, 3 * y, y, wheel);
	harness_settle(&h);
	harness_draw(&h);
	harness_end(&h);
}
END_TEST

/* Files have nothing where the screen is blank: of groups that are always live no variable is counted. */
START_TEST(groups_in_files)
{
	enum { VARIABLES = 3 };
	struct ts_sheet sheet = {.list = NULL};
	struct harness h;
	int none = 0, some = 0;

	begin(&h, 120, 38);
	harness_command(&h, "tab groups");
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_str_eq(ts_table_column_name(&sheet.table, VARIABLES), "variables");
	for (int64_t row = 0; row < sheet.list->count; row++)
		for (int column = 1; column < sheet.table.columns; column++) {
			struct ts_table_cell cell = {.n = (size_t)-1};
			struct ts_table_value value = {.type = TS_VALUE_NONE};

			if (strcmp(ts_table_column_name(&sheet.table, column), "what_if") == 0)
				continue;
			ck_assert(sheet.table.cell(sheet.table.ctx, row, column, &cell));
			ck_assert(sheet.table.value(sheet.table.ctx, row, column, &value));
			ck_assert_msg((value.type == TS_VALUE_NONE) == !*cell.s,
				"row %lld, %s: \"%s\"", (long long)row,
				ts_table_column_name(&sheet.table, column), cell.s);
			none += column == VARIABLES && !*cell.s;
			some += column == VARIABLES && *cell.s;
		}
	ck_assert_int_gt(none, 3);
	ck_assert_int_gt(some, 3);
	harness_end(&h);
}
END_TEST

/* A set keeps its name while another one is read, and when that cannot be had. */
START_TEST(set_keeps_its_name)
{
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "source 3-8");
	select_tiles(&h, 3, 9);
	harness_settle(&h);
	harness_says(&h, "Live bytes of 6 tiles: 3-8");
	harness_type(&h, "source ipu 1");
	harness_says(&h, "Live bytes of 6 tiles: 3-8, derived, 1,043 steps; ipu 1 is being read");
	harness_settle_in_vain(&h, "reading liveness steps", TS_E_CANCELLED);
	harness_says(&h, "Live bytes of 6 tiles: 3-8, derived");
	harness_command(&h, "source ipu 77");
	harness_settle(&h);
	harness_says(&h, "Live bytes of 6 tiles: 3-8, derived");
	harness_end(&h);
}
END_TEST

/* Who stops the list of what is always live of a source does not see that of another one. */
START_TEST(always_of_another_source)
{
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "tab always");
	harness_settle(&h);
	harness_says(&h, "all tiles, from variable");
	harness_type(&h, "source tile 5");
	harness_settle_in_vain(&h, "reading what is always live", TS_E_CANCELLED);
	harness_says(&h, "Live bytes of tile 5");
	harness_says(&h, "it was stopped; reload to try again");
	harness_says(&h, "\u2500 always live \u2500"); /* no figure of the other one */
	harness_command(&h, "source all");
	harness_settle(&h);
	harness_says(&h, "all tiles, from variable");
	harness_end(&h);
}
END_TEST

/* A group of which nothing is alive but always leads to the list of that. */
START_TEST(group_that_always_lives)
{
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "tab groups");
	harness_command(&h, "filter group=code");
	harness_settle(&h);
	harness_command(&h, "first");
	harness_command(&h, "open");
	harness_settle(&h);
	ck_assert_str_eq(h.env.message, "all of code is always live");
	harness_says(&h, "[Always]");
	harness_says(&h, "internalExchangeCode");
	harness_says(&h, "match");
	harness_end(&h);
}
END_TEST

/* A group that is opened is what is listed, until it is opened again. */
START_TEST(one_group)
{
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "tab groups");
	harness_command(&h, "sort not_always_live");
	harness_command(&h, "first");
	harness_command(&h, "open");
	harness_says(&h, " in activations, of ");
	ck_assert_ptr_nonnull(strstr(h.env.message, "only "));
	harness_command(&h, "tab groups");
	harness_command(&h, "open");
	ck_assert_str_eq(h.env.message, "all groups are listed");
	harness_end(&h);
}
END_TEST

/* The user's rules with a line that is none: it is said, and the others group. */
START_TEST(own_groups)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64, .steps = 400, .variables = 3000};
	char dir[2 * REPORT_DIR], path[3 * REPORT_DIR];
	struct harness h;
	FILE *f;

	harness_demo(&h, &o);
	harness_start(&h, &ts_view_liveness, 160, 40, TS_GLYPHS_FULL);
	snprintf(dir, sizeof(dir), "%s/rules", h.dir);
	snprintf(path, sizeof(path), "%s/groups.rules", dir);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("group mine name (\ngroup \"all of it\" name .\n", f);
	fclose(f);
	h.env.rules = dir;
	harness_settle(&h);
	ck_assert(h.env.message_is_error);
	ck_assert_ptr_nonnull(strstr(h.env.message, "groups.rules: line 1: "));
	harness_command(&h, "tab groups");
	harness_settle(&h);
	harness_says(&h, "not all rules: see Log");
	harness_says(&h, "all of it");
	h.env.rules = NULL;
	unlink(path);
	rmdir(dir);
	harness_end(&h);
}
END_TEST

/* A group is ticked as a variable is; it is the change that `whatif` makes of its name. */
START_TEST(tick_group)
{
	static const char *const says[] = {"removed", "halved", "in 4"};
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "tab groups");
	harness_command(&h, "sort not_always_live");
	harness_command(&h, "first");
	for (size_t i = 0; i < TS_COUNT(says); i++) {
		harness_command(&h, "tick");
		harness_says(&h, says[i]);
		ck_assert_ptr_nonnull(strstr(h.env.message, ": activations (1 change"));
		ck_assert_int_eq(h.selection.what_if.count, 1);
		ck_assert_int_eq(h.selection.what_if.item[0].of, TS_WHAT_IF_PATTERN);
	}
	harness_command(&h, "tick");
	ck_assert_int_eq(h.selection.what_if.count, 0);
	harness_end(&h);
}
END_TEST

START_TEST(marked_variables)
{
	struct harness h;

	begin(&h, 120, 38);
	harness_command(&h, "pane-next");
	harness_command(&h, "mark");
	harness_command(&h, "down");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 2);
	harness_command(&h, "tab lifetimes");
	harness_says(&h, "2 marked");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 1);
	harness_says(&h, "1 marked");
	harness_end(&h);
}
END_TEST

/* Marks stand in the list, by what they mark: in another order, while it is read again, and then. */
START_TEST(marks_stay_in_the_list)
{
	struct harness h;

	begin(&h, 120, 120);
	harness_command(&h, "pane-next");
	harness_command(&h, "pane-zoom");
	ck_assert(!harness_has(&h, " * "));
	harness_command(&h, "mark");
	harness_says(&h, " * ");
	harness_command(&h, "sort variable");
	harness_says(&h, " * ");
	ts_view_liveness.reload(h.view);
	harness_draw(&h); /* nothing there */
	ck_assert_int_eq(h.selection.marked.count, 1);
	h.env.generation++;
	harness_settle(&h);
	harness_says(&h, " * ");
	harness_command(&h, "marks-clear");
	harness_command(&h, "marks-clear");
	h.selection.marked.count = 0;
	ck_assert(!harness_has(&h, " * "));
	harness_end(&h);
}
END_TEST

/* ---- bad input ---- */

static const struct {
	const char *rows, *commands[4], *says;
} bad[] = {
	{"", {"source ipu 3", NULL}, "Not in this report"},
	{"", {"source tile 99", NULL}, "Not in this report"},
	{"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,200)", {"source tile 99", NULL},
		"Live bytes of tile 99, derived"},
	{"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,200)",
		{"source ipu 4611686018427387904"}, "Live bytes of"},
	{"INSERT INTO liveness_step VALUES(0,-1,4611686018427387904),(1,-1,4611686018427387904);"
	 "INSERT INTO variable VALUES(1,'a',4611686018427387904,0),(2,'b',4611686018427387904,0);"
	 "INSERT INTO liveness_variable VALUES(1,0,9),(2,0,9)",
		{"mark", "right", "mark"}, "Live bytes of"},
	{"INSERT INTO liveness_step VALUES(0,-1,1),(1,-1,2);"
	 "INSERT INTO tile_memory VALUES(7,0,10,10);"
	 "INSERT INTO lowered_variable VALUES(1,7,'x',4611686018427387904,1,NULL,0),(2,7,'y',5,1,NULL,0),"
	 "(3,7,'z',0,2,NULL,0),(4,7,'w',3,3,NULL,0);"
	 "INSERT INTO class_interval VALUES(1,0,1),(2,5,2),(3,1,4611686018427387904)",
		{"source tile 7", "tab lifetimes"}, "Live bytes of tile 7, derived"},
	{"INSERT INTO lowered_variable VALUES(1,0,'x',8,1,NULL,0);"
	 "INSERT INTO class_interval VALUES(1,2,5); DROP TABLE liveness_step",
		{"source all", "tab groups"}, "Live bytes of all tiles, derived, 5 steps"},
	{"INSERT INTO liveness_step VALUES(0,-1,1),(1,-1,2)", {"source", "source", "only born"},
		"Live bytes of"},
};

START_TEST(makes_no_sense)
{
	struct harness h;

	begin_own(&h, bad[_i].rows);
	if (!*bad[_i].rows)
		harness_sql(&h, "DROP TABLE depth_first_steps; DROP TABLE eq_class_step");
	if (!*bad[_i].rows) {
		harness_stop(&h);
		harness_start(&h, &ts_view_liveness, 100, 30, TS_GLYPHS_FULL);
		harness_settle(&h);
	}
	for (int i = 0; i < 4 && bad[_i].commands[i]; i++)
		harness_command(&h, bad[_i].commands[i]);
	harness_says(&h, bad[_i].says);
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		char words[40];

		snprintf(words, sizeof(words), "tab %s", tabs[i]);
		harness_command(&h, words);
		harness_draw(&h);
	}
	harness_end(&h);
}
END_TEST

/* A tile or an IPU that the target does not have: said, and the source stays; one with variables on it is shown. */
START_TEST(nowhere)
{
	struct harness h;

	begin_own(&h,
		"INSERT INTO target VALUES(1, 1, 2, 10000);"
		"INSERT INTO tile_memory VALUES(0,0,1000,500),(1,0,1000,700);"
		"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,300);"
		"INSERT INTO class_interval VALUES(1,0,1);"
		"INSERT INTO lowered_variable VALUES(1,1,'a',100,1,NULL,0),(2,7,'b',30,1,NULL,0)");
	h.options.units = TS_UNITS_BYTES;
	harness_command(&h, "source tile 5");
	ck_assert_str_eq(h.env.message,
		"there is no tile 5: the device has 2, and nothing lies there");
	harness_says(&h, "Live bytes of all tiles");
	harness_command(&h, "source ipu 1");
	ck_assert_ptr_nonnull(strstr(h.env.message, "there is no ipu 1"));
	harness_says(&h, "Live bytes of all tiles");
	harness_command(&h, "source tile 7");
	harness_says(&h, "Live bytes of tile 7");
	harness_command(&h, "goto 0");
	harness_says(&h, "not always live 30 B");
	harness_command(&h, "source tile 1");
	harness_says(&h, "Live bytes of tile 1");
	harness_command(&h, "source tile 5");
	harness_says(&h, "Live bytes of tile 1");
	harness_command(&h, "pane-next");
	harness_command(&h, "filter size>5");
	ck_assert_msg(!h.env.message_is_error, "%s", h.env.message);
	harness_end(&h);
}
END_TEST

/* More variables than are listed: how many are not, and their bytes, exactly; also at marks, and where few are left. */
START_TEST(more_than_listed)
{
	char a[TS_FMT_MAX], words[200];
	struct harness h;

	begin_own(&h,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) "
		"INSERT INTO variable SELECT i, 'v' || i, 100 + i, 0 FROM n;"
		"INSERT INTO liveness_variable SELECT variable, 0, CASE WHEN variable % 2 THEN 2 "
		"ELSE 1 END FROM variable;"
		"INSERT INTO liveness_step SELECT 0, -1, sum(bytes) FROM variable;"
		"INSERT INTO liveness_step SELECT 1, -1, sum(bytes) FROM variable WHERE variable % 2");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 100, 40);
	harness_settle(&h);
	harness_says(&h, "24,000 smaller ones, not listed yet");
	harness_says(&h,
		ts_fmt_bytes(a,
			harness_number(&h,
				"SELECT sum(bytes) FROM variable WHERE variable <= 24000"),
			TS_UNITS_BYTES));
	harness_command(&h, "pane-next");
	harness_command(&h, "last");
	harness_command(&h, "last");
	harness_says(&h, "25,000 variables");
	harness_command(&h, "filter v999");
	harness_says(&h, "11 of the 25,000 listed");
	harness_command(&h, "sort variable");
	harness_command(&h, "pane-previous");
	harness_command(&h, "mark");
	harness_command(&h, "goto 1");
	harness_command(&h, "only died");
	snprintf(words, sizeof(words), "died %s in 12,500 variables",
		ts_fmt_bytes(a,
			harness_number(&h,
				"SELECT sum(bytes) FROM variable WHERE variable %% 2 = 0"),
			TS_UNITS_BYTES));
	harness_says(&h, words);
	harness_end(&h);
}
END_TEST

/* What contradicts itself is said. */
START_TEST(identities)
{
	struct harness h;

	begin_own(&h,
		"CREATE TABLE liveness_step_ipu(live_step, ipu, not_always_live);"
		"INSERT INTO liveness_step_ipu VALUES(0,0,60),(0,1,40),(1,0,1),(1,1,1);"
		"INSERT INTO liveness_step VALUES(0,-1,100),(1,-1,3000);"
		"INSERT INTO variable VALUES(1,'a',100,0),(2,'b',2999,0);"
		"INSERT INTO liveness_variable VALUES(1,0,1),(2,1,2)");
	harness_says(&h, "(figures disagree: M)");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("liveness tabs");
	TCase *tc = tcase_create("liveness tabs");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, filters_are_shown);
	tcase_add_test(tc, sources);
	tcase_add_test(tc, next_source);
	tcase_add_test(tc, marks);
	tcase_add_test(tc, replicas);
	tcase_add_test(tc, replicas_in_tabs);
	tcase_add_test(tc, device_again);
	tcase_add_test(tc, replicas_assumed);
	tcase_add_loop_test(tc, tab_screens, 0, TS_COUNT(tabs));
	tcase_add_loop_test(tc, many_vertices, 0, 2);
	tcase_add_test(tc, no_cycles_by_tile);
	tcase_add_loop_test(tc, filter_is_shown, 0, 6);
	tcase_add_loop_test(tc, range_from_below, 0, 2);
	tcase_add_test(tc, one_group);
	tcase_add_test(tc, groups_in_files);
	tcase_add_test(tc, group_that_always_lives);
	tcase_add_test(tc, always_of_another_source);
	tcase_add_test(tc, set_keeps_its_name);
	tcase_add_test(tc, own_groups);
	tcase_add_test(tc, tick_group);
	tcase_add_test(tc, marked_variables);
	tcase_add_test(tc, marks_stay_in_the_list);
	tcase_add_loop_test(tc, makes_no_sense, 0, TS_COUNT(bad));
	tcase_add_test(tc, nowhere);
	tcase_add_test(tc, more_than_listed);
	tcase_add_test(tc, identities);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
