/* SPDX-License-Identifier: MIT */
/*
 * The tab of lifetimes: idle steps of variables and of pieces on a tile, of all that are alive, whatever their size; marks of
 * pieces and of variables.
 */
#include "config.h"

#include "../unit/depth.h"
#include "live_report.h"
#include "table_rows.h"

#include "tilescope/ui/chart_page.h"

#define STEPS                                                                           \
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19) " \
	"INSERT INTO liveness_step SELECT i, CASE WHEN i IN (3, 7, 8) THEN 5 ELSE 6 END, 100 FROM n;"

enum { STEPS_OF_IT = 20 };

/* b, c and a of pieces(), a column for each step: where they are used, where they are idle, never both. */
static void
bars_on_paper(struct harness *h)
{
	static const int used[] = {2, 0, 3}, idle[] = {13, 15, 7};
	struct ts_chart_page *page = calloc(1, sizeof(*page));

	ck_assert_ptr_nonnull(page);
	ts_chart_page_init(page, STEPS_OF_IT);
	ck_assert(h->view->ops->chart(h->view, page));
	ck_assert_int_eq(page->kind, TS_PAGE_LANES);
	ck_assert_int_eq(page->lanes, 3);
	ck_assert_int_eq(page->columns, STEPS_OF_IT);
	ck_assert_str_eq(page->lane[0], "b  60 B");
	for (int lane = 0; lane < 3; lane++) {
		int sum[3] = {0};

		for (int x = 0; x < page->columns; x++) {
			int at = lane * page->columns + x, here = 0;

			for (int b = 0; b < page->bands; b++) {
				here += page->band[b].v[at] > 0;
				sum[b] += page->band[b].v[at] > 0;
			}
			ck_assert_int_le(here, 1);
		}
		ck_assert_int_eq(sum[0], used[lane]);
		ck_assert_int_eq(sum[1], idle[lane]);
		ck_assert_int_eq(sum[2], 0);
	}
	ck_assert_str_eq(page->band[2].name, ""); /* nothing of it: not in the legend */
	for (int b = 0; b < 3; b++)		  /* what is not known is the faintest */
		ck_assert_int_eq(page->band[b].hatched, b == 2);
	ts_chart_page_fini(page);
	free(page);
}

/* Each piece has the uses of its own, and the steps of its own life alone. */
START_TEST(pieces)
{
	struct harness h;

	begin_own(&h,
		STEPS "INSERT INTO tile_memory VALUES(0,0,1000,0),(1,0,1000,0);"
		      "INSERT INTO class_interval VALUES(1,0,10),(2,5,20);"
		      "INSERT INTO lowered_variable VALUES(11,0,'a',100,1,7,0),(12,0,'b',60,2,7,0),"
		      "(13,0,'c',50,2,8,0),(14,1,'d',1000,1,9,0);"
		      "INSERT INTO program_variable VALUES(5,11),(5,12),(5,14),(9,13)");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 200, 38);
	harness_settle(&h);
	harness_command(&h, "source tile 0");
	harness_command(&h, "goto 6");
	harness_command(&h, "tab lifetimes");
	/* a: 10 steps, used at 3, 7, 8; b: 15, used at 7, 8; c: its program runs nowhere */
	harness_says(&h, "100 B      10       7            700");
	harness_says(&h, "60 B      15      13            780");
	harness_says(&h, "50 B      15      15            750");
	bars_on_paper(&h);
	harness_command(&h, "source tile 1");
	harness_says(&h, "1,000 B      10       7          7,000");
	harness_end(&h);
}
END_TEST

/* The smallest of many is the idlest: it stands first, though lists end before it. */
START_TEST(idlest)
{
	struct harness h;
	struct ts_sheet sheet = {.list = NULL};
	struct ts_chart_page *page;

	begin_own(&h,
		STEPS
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
		"INSERT INTO variable SELECT i, 'v' || i, 10000 - i, 0 FROM n;"
		"INSERT INTO liveness_variable SELECT variable, 0, 9 FROM variable;"
		"INSERT INTO lowered_variable VALUES(11,0,'a',100,1,1500,0),(12,0,'b',100,1,3,0);"
		"INSERT INTO program_variable VALUES(5,11),(6,12)");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 140, 38);
	harness_settle(&h);
	harness_command(&h, "goto 5");
	harness_command(&h, "tab lifetimes");
	ck_assert(!harness_has(&h, "idlest 1,000")); /* all are here then */
	harness_says(&h, "alive at step 5");
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.list->count, 1500);
	harness_says(&h, "v1500");
	harness_says(&h, "51,000"); /* 8,500 x 6 */
	harness_says(&h, "v3 ");
	harness_says(&h, "29,991"); /* 9,997 x 3 */
	harness_command(&h, "last");
	page = calloc(1,
		sizeof(*page)); /* on paper they begin with the first, wherever the cursor is */
	ck_assert_ptr_nonnull(page);
	ts_chart_page_init(page, STEPS_OF_IT);
	ck_assert(h.view->ops->chart(h.view, page));
	ck_assert_int_eq(page->lanes, TS_PAGE_LANES_MAX);
	ck_assert_str_eq(page->lane[0], "v1500  8,500 B");
	ck_assert_msg(strstr(page->subtitle,
			      "the first 256 of 1,500, alive at step 5, sorted by bytes x idle"),
		"%s", page->subtitle);
	ck_assert_str_eq(page->y.title, "variable, its bytes");
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

/* What cannot be read is said; rows of the step before do not stand for it, and the next step is asked again. */
START_TEST(in_vain)
{
	struct ts_sheet sheet = {.list = NULL};
	struct harness h;

	begin_own(&h,
		STEPS "INSERT INTO variable VALUES(1,'early',100,0),(2,'late',50,0);"
		      "INSERT INTO liveness_variable VALUES(1,0,9),(2,9,20)");
	harness_resize(&h, 140, 38);
	harness_settle(&h);
	harness_command(&h, "goto 5");
	harness_command(&h, "tab lifetimes");
	harness_says(&h, "early ");
	harness_type(&h, "goto 12");
	harness_settle_in_vain(&h, "looking at lifetimes", _i ? TS_E_CANCELLED : TS_E_LIMIT);
	harness_says(&h, _i ? "it was stopped; reload to try again" : "the disk is gone");
	ck_assert(!harness_has(&h, "early "));
	ck_assert(!h.view->ops->sheet(h.view, &sheet));
	harness_command(&h, "goto 13");
	harness_says(&h, "late ");
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	harness_end(&h);
}
END_TEST

/* Long names keep their begin and their end on paper, and take no time; the page of marked ones says its order as well. */
START_TEST(long_names)
{
	struct ts_chart_page *page = calloc(1, sizeof(*page));
	struct harness h;

	ck_assert_ptr_nonnull(page);
	begin_own(&h,
		STEPS
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
		"INSERT INTO variable SELECT i, CASE WHEN i = 1 THEN 'é/' || replace(hex("
		"zeroblob(40)), '0', 'ü') || '/end' ELSE 'layer/' || i || '/' || "
		"replace(hex(zeroblob(4000)), '0', 'x') || '/weights/out' END, 10000 - i, 0 FROM n;"
		"INSERT INTO liveness_variable SELECT variable, 0, 9 FROM variable;"
		"INSERT INTO lowered_variable VALUES(11,0,'a',100,1,3,0);"
		"INSERT INTO program_variable VALUES(5,11),(6,11)");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 140, 38);
	harness_settle(&h);
	harness_command(&h, "goto 5");
	harness_command(&h, "tab groups");
	harness_command(&h, "tab lifetimes");
	harness_command(&h, "sort bytes");
	ts_chart_page_init(page, STEPS_OF_IT);
	ck_assert(h.view->ops->chart(h.view, page));
	ck_assert_str_eq(page->lane[0], "é/üüüüüüüüüü…üüüüüüüüüüüüüüüüüüüü/end  9,999 B");
	ck_assert_str_eq(page->lane[1], "layer/2/xxxx…xxxxxxxxxxxx/weights/out  9,998 B");
	ck_assert_msg(strstr(page->subtitle, "alive at step 5, sorted by bytes downwards; "), "%s",
		page->subtitle);
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

/* Many more than a screen holds: the idlest first, all behind them, in any order, filtered, searched and written. */
START_TEST(many)
{
#define MANY                                                                                                                \
	"SELECT 'v' || variable, bytes, \"end\" - 3 AS idle, bytes * (\"end\" - 3) AS product, start, \"end\" - 1 AS last " \
	"FROM liveness_variable "
	static const char *const names[] = {"variable", "bytes", "idle", "bytes_x_idle", "from",
		"to"};
	const struct ts_call all = {.cmd = TS_CMD_FILTER, .argc = 1};
	struct harness h;
	struct ts_sheet sheet = {.list = NULL};

	begin_own(&h,
		STEPS
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) "
		"INSERT INTO variable SELECT i, 'v' || i, 40000 - i, 0 FROM n;"
		"INSERT INTO liveness_variable SELECT variable, 0, 9 + variable % 8 FROM variable;"
		"INSERT INTO lowered_variable SELECT variable, 0, '', 1, 1, variable, 0 FROM variable;"
		"INSERT INTO program_variable SELECT 5, variable FROM variable");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 140, 38);
	harness_settle(&h);
	harness_command(&h, "goto 5");
	harness_type(&h, "tab lifetimes");
	while (!harness_has(&h, "idlest 1,000 of 25,000 so far"))
		ck_assert(harness_take_one(&h, 60000));
	/* a file does not wait for them */
	ck_assert_int_eq(table_rows_check(&h, &ts_view_liveness, names, 6,
				 MANY "ORDER BY product DESC, bytes DESC, variable"),
		25000);
	harness_settle(&h);
	ck_assert_int_eq(table_rows_check(&h, &ts_view_liveness, names, 6,
				 MANY "ORDER BY product DESC, bytes DESC, variable"),
		25000);
	harness_command(&h, "sort bytes");
	harness_command(&h, "sort-reverse");
	ck_assert_int_eq(table_rows_check(&h, &ts_view_liveness, names, 6, MANY "ORDER BY bytes"),
		25000);
	harness_command(&h, "filter variable:77 and idle>8");
	ck_assert_int_gt(table_rows_check(&h, &ts_view_liveness, names, 6,
				 MANY "WHERE variable LIKE '%77%' AND idle > 8 ORDER BY bytes"),
		10);
	h.view->ops->command(h.view, &all);
	harness_settle(&h);
	harness_command(&h, "first");
	harness_command(&h, "search v12345");
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.list->cursor, 25000 - 12345);
	ck_assert_str_eq(h.env.message, "hit 1 of 1");
	harness_end(&h);
}
END_TEST

/* A marked piece has its bar on its tile; a mark that has no life there is counted. */
START_TEST(marks)
{
	struct harness h;

	begin_own(&h,
		STEPS
		"INSERT INTO tile_memory VALUES(0,0,1000,0),(1,0,1000,0);"
		"INSERT INTO class_interval VALUES(1,0,10),(2,5,20);"
		"INSERT INTO variable VALUES(7,'whole',100,0);"
		"INSERT INTO liveness_variable VALUES(7,0,10);"
		"INSERT INTO lowered_variable VALUES(11,0,'piece',100,1,7,0),(12,0,'b',60,2,7,0),"
		"(14,1,'d',1000,1,9,0);"
		"INSERT INTO program_variable VALUES(5,11)");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 140, 38);
	harness_settle(&h);
	harness_command(&h, "source tile 0");
	harness_command(&h, "goto 6");
	harness_command(&h, "pane-next");
	harness_command(&h, "first");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 1);
	harness_command(&h, "tab lifetimes");
	harness_says(&h, "1 marked");
	ck_assert_int_eq(h.view->ops->pane_hints(h.view)->cmd, TS_CMD_MARK);
	harness_says(&h, "piece");
	harness_says(&h, "         700");
	ck_assert(!harness_has(&h, " 60 B "));
	harness_command(&h, "source tile 1");
	harness_says(&h, "alive at step 6");
	harness_command(&h, "source all");
	harness_says(&h, "1 marked"); /* the variable that it was lowered from */
	harness_command(&h, "source tile 0");
	harness_command(&h, "first");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 0);
	ck_assert_int_ne(h.view->ops->pane_hints(h.view)->cmd, TS_CMD_MARK); /* nothing to unmark */
	harness_says(&h, " 60 B ");
	harness_end(&h);
}
END_TEST

/* Marks of other views, and of this one, are of row ids: with gaps, too. */
START_TEST(marks_of_row_ids)
{
	struct ts_marked_variable v = {.lowered = true, .variable = 7, .row = 20, .name = "b"};
	struct harness h;

	begin_own(&h,
		STEPS "INSERT INTO tile_memory VALUES(0,0,1000,0),(1,0,1000,0);"
		      "INSERT INTO class_interval VALUES(1,0,10),(2,5,20);"
		      "INSERT INTO lowered_variable(id, tile, name, bytes, class, variable, "
		      "always_live) VALUES(10,0,'a',100,1,7,0),(20,0,'b',60,2,7,0),"
		      "(30,0,'c',50,2,8,0),(40,1,'d',1000,1,9,0);");
	h.options.units = TS_UNITS_BYTES;
	harness_resize(&h, 140, 38);
	harness_settle(&h);
	harness_command(&h, "source tile 0");
	harness_command(&h, "goto 6");
	ck_assert(ts_marked_toggle(&h.selection.marked, &v));
	harness_command(&h, "pane-next");
	harness_command(&h, "first");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 2);
	ck_assert_str_eq(h.selection.marked.item[1].name, "a");
	ck_assert_int_eq(h.selection.marked.item[1].row, 10);
	harness_command(&h, "mark");
	harness_command(&h, "tab lifetimes");
	harness_says(&h, "1 marked");
	harness_says(&h, " 60 B ");
	ck_assert(!harness_has(&h, " 100 B "));
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("liveness lives");
	TCase *tc = tcase_create("liveness lives");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, pieces);
	tcase_add_test(tc, idlest);
	tcase_add_loop_test(tc, in_vain, 0, 2);
	tcase_add_test(tc, long_names);
	tcase_add_full_test(tc, many);
	tcase_add_test(tc, marks);
	tcase_add_test(tc, marks_of_row_ids);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
