/* SPDX-License-Identifier: MIT */
/* The drawing of the Trace view by tile: what it looks like, moving over tiles, what it says where nothing is known. */
#include "config.h"

#include "golden.h"
#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/trace.h"

static struct harness h;

/* Two IPUs of four tiles. A compute set that takes 100, 50, 25 and 0 cycles, an exchange, sync, a set of which nothing is known. */
static void
small_tables(void)
{
	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', 2, 1, 4, 1000);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile "
		"BLOB); INSERT INTO compute_set VALUES(0, 'a', x'640000003200000019000000'),"
		"(1, 'b', NULL);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, compute_set "
		"INTEGER, estimated_cycles_by_tile BLOB);"
		"INSERT INTO program VALUES(0, 'OnTileExecute', 'a', 0, NULL),"
		"(1, 'DoExchange', 'x', NULL, x'14000000140000001400000014000000'),"
		"(2, 'Sync', 'Internal', NULL, NULL), (3, 'OnTileExecute', 'b', 1, NULL);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER, "
		"compute_set INTEGER); INSERT INTO step VALUES(0, 'OnTileExecute', 0, 0),"
		"(1, 'DoExchange', 1, NULL), (2, 'Sync', 2, NULL), (3, 'OnTileExecute', 3, 1);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		" \"end\" INTEGER); INSERT INTO step_ipu VALUES(0, 0, 100, 0, 100),"
		"(1, 0, 20, 100, 120), (2, 0, 20, 120, 140), (3, 0, 60, 140, 200), (3, 1, 200, 0, 200)");
}

static void
start(int w, int height, enum ts_glyphs glyphs)
{
	harness_start(&h, &ts_view_trace, w, height, glyphs);
	harness_settle(&h);
	ck_assert(!(harness_command(&h, "drawing bsp") & TS_EFFECT_BELL));
}

/* A row of the screen from the gutter on. */
static void
row_is(int y, const char *begins)
{
	char row[260];
	int n = (int)strlen(begins);

	harness_draw(&h);
	for (int x = 0; x < n; x++) {
		const struct ts_cell *cell = &h.canvas->cell[y * h.canvas->w + 8 + x];

		row[x] = (char)cell->cp;
	}
	row[n] = '\0';
	ck_assert_str_eq(row, begins);
}

/* What is not known is no share, 0% neither. */
START_TEST(unknown_is_no_share)
{
	small_tables();
	harness_rows(&h,
		"UPDATE compute_set SET cycles_by_tile = NULL;"
		"UPDATE program SET estimated_cycles_by_tile = NULL");
	start(88, 26, TS_GLYPHS_ASCII);
	harness_says(&h, "C compute -  x exchange -  s waits -  of tile 0");
	harness_end(&h);
}
END_TEST

START_TEST(letters_by_tile)
{
	small_tables();
	start(48, 26, TS_GLYPHS_ASCII); /* 40 columns of 5 cycles */
	row_is(2, "CCCCCCCCCCCCCCCCCCCCxxxxssssCCCCCCCCCCCC");
	row_is(6, "CCCCCCCCCCssssssssssxxxxssss");
	row_is(9, "CCCCCsssssssssssssssxxxxssss");
	row_is(12, "ssssssssssssssssssssxxxxssss");
	harness_resize(&h, 88, 26);
	harness_settle(&h);
	harness_says(&h, "C compute 100%  x exchange 0%  s waits 0%  ");
	harness_says(&h, "2 of 3 by tile, partly estimated");
	ck_assert_int_eq(h.selection.tile, 0);
	harness_command(&h, "down");
	harness_resize(&h, 120, 26);
	harness_settle(&h);
	harness_says(&h, "s waits 0%  of tile 1");
	ck_assert_int_eq(h.selection.tile, 1);
	harness_command(&h, "page-down");
	harness_says(&h, "s waits 100%  of tile 3");
	ck_assert(harness_command(&h, "down") & TS_EFFECT_BELL);
	harness_command(&h, "ipu-next");
	harness_says(&h, "0 of 1 by tile, none known");
	ck_assert_int_eq(h.selection.tile, 4);
	harness_end(&h);
}
END_TEST

START_TEST(nothing_is_known_by_tile)
{
	small_tables();
	harness_sql(&h,
		"DROP TABLE compute_set_cycles_by_tile; ALTER TABLE compute_sets DROP COLUMN cycles_by_tile;"
		"ALTER TABLE compute_sets DROP COLUMN cycles_by_tile_ids;"
		"ALTER TABLE program_type_do_exchange DROP COLUMN cycles_by_tile_ids;"
		"ALTER TABLE program_type_do_exchange DROP COLUMN cycles_by_tile_rle");
	start(80, 22, TS_GLYPHS_ASCII);
	harness_says(&h, "and exchanges by tile are not recorded");
	harness_says(&h, "any table of the file."); /* the end of the panel, */
	ck_assert(!harness_has(&h, " waits"));	    /* without a key for nothing, */
	ck_assert(!harness_has(&h, "\ncycles "));   /* and without an axis */
	ck_assert(harness_command(&h, "tiles-in") & (TS_EFFECT_UNKNOWN | TS_EFFECT_BELL));
	harness_command(&h, "zoom-in");
	harness_command(&h, "drawing lanes");
	harness_says(&h, "\ncycles ");
	harness_says(&h, "C compute");
	harness_end(&h);
	small_tables();
	harness_sql(&h, "DELETE FROM target_info");
	start(80, 30, TS_GLYPHS_ASCII);
	harness_says(&h, "it is not known which tiles IPU 0 has");
	harness_end(&h);
	small_tables();
	harness_sql(&h, "UPDATE instrumentation_settings SET compute_level = 'IPU'");
	start(80, 30, TS_GLYPHS_ASCII); /* what was measured is of one tile of the IPU */
	harness_says(&h, "1 of 3 by tile, estimated");
	harness_end(&h);
	small_tables();
	harness_sql(&h, "DROP TABLE steps_by_ipu");
	start(80, 30, TS_GLYPHS_ASCII);
	harness_says(&h, "steps_by_ipu");
	harness_end(&h);
}
END_TEST

static const struct ts_view_arg *
shown_tiles(void)
{
	const struct ts_view_arg *a = ts_view_trace.args;

	while (strcmp(a->name, "bsp") != 0)
		a++;
	return a;
}

/* The tiles in sight are in the address. */
START_TEST(tiles_have_an_address)
{
	const struct ts_demo_options o = {.ipus = 2, .tiles = 100};
	struct ts_strbuf out;

	harness_demo(&h, &o);
	start(80, 24, TS_GLYPHS_FULL);
	ts_strbuf_init(&out, 100);
	ck_assert(!shown_tiles()->get(h.view, &out)); /* all of them */
	ck_assert_int_eq(shown_tiles()->set(h.view, "20-60"), TS_ARG_DONE);
	harness_settle(&h);
	ck_assert(shown_tiles()->get(h.view, &out));
	ck_assert_str_eq(out.s, "20-60");
	ck_assert_int_eq(shown_tiles()->set(h.view, "0-100"), TS_ARG_DONE);
	ck_assert(!shown_tiles()->get(h.view, &out));
	ck_assert_int_eq(shown_tiles()->set(h.view, "100-140"), TS_ARG_NO); /* another IPU's */
	harness_command(&h, "ipu-next");
	ck_assert_int_eq(shown_tiles()->set(h.view, "120-140"), TS_ARG_DONE);
	harness_settle(&h);
	ts_strbuf_reset(&out);
	ck_assert(shown_tiles()->get(h.view, &out));
	ck_assert_str_eq(out.s, "120-140");
	harness_command(&h, "drawing lanes");
	ck_assert(!shown_tiles()->get(h.view, &out));
	ck_assert_int_eq(shown_tiles()->set(h.view, "120-140"), TS_ARG_NO);
	ts_strbuf_fini(&out);
	harness_end(&h);
}
END_TEST

START_TEST(tiles_are_zoomed)
{
	const struct ts_demo_options o = {0};

	harness_demo(&h, &o);
	start(80, 24, TS_GLYPHS_FULL);
	harness_command(&h, "pane-zoom"); /* the tabs below are others' */
	harness_command(&h, "goto 60");
	for (int i = 0; i < 6; i++)
		harness_command(&h, "zoom-in");
	harness_look(&h, "bsp_80x24");
	harness_command(&h, "half-page-down");
	harness_command(&h, "tiles-in");
	ck_assert_str_eq(h.env.message, "368 of 1,472 tiles");
	harness_command(&h, "tiles-in");
	harness_look(&h, "bsp_80x24_zoomed");
	harness_command(&h, "tiles-out");
	harness_command(&h, "tiles-out");
	ck_assert_str_eq(h.env.message, "1,472 of 1,472 tiles");
	ck_assert(harness_command(&h, "tiles-out") & TS_EFFECT_BELL);
	h.canvas->mono = true;
	harness_look(&h, "bsp_80x24_mono");
	h.canvas->mono = false;
	harness_resize(&h, 200, 60);
	harness_settle(&h);
	harness_look(&h, "bsp_200x60");
	harness_end(&h);
}
END_TEST

/* What = says of a cell is what the legend says. */
START_TEST(figures_are_explained)
{
	struct ts_explain *e = ts_alloc(1, sizeof(*e));

	ck_assert_ptr_nonnull(e);
	small_tables();
	start(80, 30, TS_GLYPHS_ASCII);
	ts_explain_init(e);
	h.view->ops->explain(h.view, e);
	ck_assert_int_ge(e->count, 3);
	ck_assert_str_eq(e->figure[0].title, "part of its cycles in which tile 0 to 0 computes");
	ck_assert_double_eq_tol(e->figure[0].real, 100, 1e-3);
	ck_assert_int_eq(e->figure[0].known, TS_KNOWN_DERIVED);
	free(e);
	harness_end(&h);
}
END_TEST

/* Wherever the cursors are, parts are what their queries print, of steps that columns cut and of several tiles, too. */
START_TEST(figures_are_those_of_sql)
{
	static const char *const keys[] = {"right", "down", "zoom-in", "right", "right", "down",
		"ipu-next", "zoom-fit", "tiles-in", "right", "up", "zoom-in", "left", "zoom-in"};
	const struct ts_demo_options small = {.ipus = 2,
		.tiles = 150,
		.steps = 200,
		.variables = 300};
	struct ts_explain *e = ts_alloc(1, sizeof(*e));
	int queries = 0;

	ck_assert_ptr_nonnull(e);
	if (_i == 1)
		small_tables();
	else
		harness_demo(&h, &small);
	start(80, 30, TS_GLYPHS_FULL);
	for (size_t i = 0; i < 3 * TS_COUNT(keys); i++) {
		harness_command(&h, keys[i % TS_COUNT(keys)]);
		ts_explain_init(e);
		h.view->ops->explain(h.view, e);
		queries += harness_ask(&h, e);
	}
	ck_assert_int_gt(queries, 60);
	free(e);
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_bsp");
	TCase *tc = tcase_create("tiles");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, letters_by_tile);
	tcase_add_test(tc, unknown_is_no_share);
	tcase_add_test(tc, nothing_is_known_by_tile);
	tcase_add_test(tc, tiles_have_an_address);
	tcase_add_test(tc, tiles_are_zoomed);
	tcase_add_test(tc, figures_are_explained);
	tcase_add_loop_test(tc, figures_are_those_of_sql, 0, 2);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
