/* SPDX-License-Identifier: MIT */
/*
 * The Tables view on a canvas: screens that were looked at and kept, and what its commands do. The file has
 * names that need quotes, row ids with gaps, rows without row ids, views, blobs by tile (unit/sql_check.h).
 */
#include "config.h"

#include <locale.h>

#include "view_harness.h"

#include "../../src/view/tables_internal.h"
#include "../unit/sql_check.h"

#include "tilescope/base/mem.h"

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs, const char *sql)
{
	harness_dir(h);
	harness_sql(h, sql);
	harness_start(h, &ts_view_tables, w, height, glyphs);
	harness_settle(h);
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
} sizes[] = {
	{"tables-80x22", 80, 22, TS_GLYPHS_FULL},
	{"tables-120x38", 120, 38, TS_GLYPHS_FULL},
	{"tables-200x58", 200, 58, TS_GLYPHS_FULL},
	{"tables-40x10-ascii", 40, 10, TS_GLYPHS_ASCII},
};

START_TEST(screens)
{
	struct harness h;

	begin(&h, sizes[_i].w, sizes[_i].h, sizes[_i].glyphs, sql_check_file);
	harness_command(&h, "down");
	harness_command(&h, "down"); /* odd: gaps */
	harness_command(&h, "pane-next");
	harness_command(&h, "right");
	harness_look(&h, sizes[_i].name);
	harness_end(&h);
}
END_TEST

START_TEST(filter_and_sort)
{
	struct harness h;

	begin(&h, 120, 30, TS_GLYPHS_FULL, sql_check_file);
	harness_says(&h, "300 rows");
	harness_command(&h, "filter type:sync id>100");
	harness_says(&h, "66 rows match");
	harness_command(&h, "sort id");
	harness_command(&h, "sort-reverse");
	harness_look(&h, "tables-filter-120x30");
	harness_command(&h, "filter nosuch=1");
	ck_assert_msg(strstr(h.env.message, "there is no column \"nosuch\": id, ") != NULL, "%s",
		h.env.message);
	harness_command(&h, "filter type=never");
	harness_says(&h, "No row matches");
	harness_command(&h, "filter \"\"");
	harness_command(&h, "sort row");
	harness_says(&h, "300 rows");
	ck_assert(harness_command(&h, "sort nosuch") & TS_EFFECT_BELL);
	ck_assert(harness_command(&h, "goto 301") & TS_EFFECT_BELL);
	harness_command(&h, "goto 300");
	harness_says(&h, "row 300 of 300");
	harness_command(&h, "open");
	harness_command(&h, "open");
	harness_says(&h, "Tables");
	harness_end(&h);
}
END_TEST

/* Keys while answers are under way, every command at every size: nothing falls over. */
START_TEST(any_keys)
{
	static const char *const lines[] = {"down", "pane-next", "right", "open", "sort",
		"sort-reverse", "page-down", "pane-zoom", "last", "up", "filter x", "left", "first",
		"goto 7", "copy", "half-page-down", "pane-previous", "filter \"\""};
	struct harness h;
	struct ts_call call;
	struct ts_err err = {0};
	unsigned dice = 12345;

	begin(&h, 80, 22, TS_GLYPHS_FULL, sql_check_file);
	for (int i = 0; i < 3000; i++) {
		dice = dice * 1103515245u + 12345u;
		if (dice >> 16 & 15) {
			ck_assert_int_eq(ts_call_parse(&call, lines[(dice >> 20) % TS_COUNT(lines)],
						 &err),
				TS_OK);
			h.view->ops->command(h.view, &call);
			h.view->ops->request(h.view);
		} else if (dice >> 20 & 1) {
			harness_settle(&h);
		} else {
			ts_canvas_resize(h.canvas, 40 + (int)(dice >> 21) % 90,
				10 + (int)(dice >> 25) % 50, NULL);
			h.view->ops->resize(h.view, ts_canvas_rect(h.canvas));
		}
		harness_draw(&h);
	}
	harness_end(&h);
}
END_TEST

/* The report is read again: the table and the row stay. */
START_TEST(reloaded)
{
	struct ts_report *old;
	struct harness h;

	begin(&h, 120, 30, TS_GLYPHS_FULL, sql_check_file);
	harness_command(&h, "down");
	harness_command(&h, "pane-next");
	harness_command(&h, "goto 40");
	harness_says(&h, "row 40 of 64");
	old = h.env.report;
	harness_open(&h);
	h.env.generation++;
	ts_report_close(old);
	h.view->ops->reload(h.view);
	harness_settle(&h);
	harness_says(&h, "row 40 of 64");
	harness_end(&h);
}
END_TEST

START_TEST(nothing_to_see)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, "CREATE TABLE t(x); DROP TABLE t;");
	harness_says(&h, "no tables");
	harness_end(&h);
	begin(&h, 80, 22, TS_GLYPHS_FULL,
		"CREATE TABLE t(x); CREATE VIEW bad AS SELECT nosuch FROM t;"
		"CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
		" SELECT i FROM n;");
	harness_says(&h, "No rows.");
	harness_command(&h, "down");
	harness_says(&h, "nosuch");
	harness_command(&h, "down"); /* read forwards, as far as it is looked at */
	harness_command(&h, "pane-next");
	harness_command(&h, "page-down");
	harness_says(&h, "rows are read forwards");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_tables");
	TCase *t = tcase_create("tables");
	SRunner *r;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, screens, 0, (int)TS_COUNT(sizes));
	tcase_add_test(t, filter_and_sort);
	tcase_add_test(t, any_keys);
	tcase_add_test(t, reloaded);
	tcase_add_test(t, nothing_to_see);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
