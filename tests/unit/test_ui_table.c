/* SPDX-License-Identifier: MIT */
/* Tables: widths of columns, and what is drawn. */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/table.h"

static const struct ts_column columns[] = {
	{"id", 4, 0, 0, 2, TS_FIELD_RIGHT},
	{"name", 6, 0, 1, 0, TS_FIELD_TAIL},
	{"bytes", 7, 0, 0, 1, TS_FIELD_RIGHT},
	{"note", 4, 10, 1, 3, TS_FIELD_ELLIPSIS},
};

/* Row 3 is not there; `ctx` counts how many rows were asked for. */
static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	static const char *const name[] = {"a/long/path/of/names", "x", "m\033[1m"};

	++*(int *)ctx;
	ck_assert_int_lt(row, 6);
	if (row == 3)
		return false;
	if (column == 1) {
		out->s = row == TS_TABLE_TOTAL ? "total" : name[row % 3];
		return true;
	}
	snprintf(out->buf, sizeof(out->buf), "%d", column == 0 ? (int)row : 1000);
	out->s = column == 3 || (column == 0 && row < 0) ? NULL : out->buf;
	return true;
}

static void
draws(int w, int h, struct ts_list *l, const char *expected, const char *roles)
{
	struct ts_canvas *c = ts_canvas_new(w, h, TS_GLYPHS_ASCII);
	struct ts_strbuf out;
	int asked = 0;
	struct ts_table t = {columns, 4, cell, NULL, &asked, true, true, true, false, 1, false,
		NULL};

	ts_list_resize(l, ts_table_rows(&t, ts_canvas_rect(c)));
	ts_table_draw(c, ts_canvas_rect(c), &t, l);
	ts_strbuf_init(&out, 10000);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, expected);
	ts_strbuf_reset(&out);
	ts_canvas_dump_roles(c, &out);
	if (roles)
		ck_assert_str_eq(out.s, roles);
	ck_assert_int_le(asked, 4 * h);
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}

START_TEST(rows_header_and_total)
{
	struct ts_list l;

	ts_list_init(&l);
	ts_list_set_count(&l, 6);
	draws(20, 6, &l,
		"  id name  ^   bytes\n"
		"   0 ~/names    1000\n"
		"   1 x          1000\n"
		"   2 m?[1m      1000\n"
		"...\n"
		"     total      1000\n",
		"hhhhhhhhhhhhhhhhhhhh\n"
		"cccccccccccccccccccc\n"
		"   . .          ....\n"
		"   . .....      ....\n"
		"ddd\n"
		"TTTTTTTTTTTTTTTTTTTT\n");
	ts_list_command(&l, TS_CMD_LAST);
	ts_list_command(&l, TS_CMD_RIGHT); /* long names move to the left */
	draws(20, 5, &l,
		"  id name  ^   bytes\n"
		"...\n"
		"   4            1000\n"
		"   5            1000\n"
		"     total      1000\n",
		NULL);
}
END_TEST

START_TEST(small_tables)
{
	struct ts_list l;

	ts_list_init(&l);
	ts_list_set_count(&l, 6);
	draws(20, 2, &l, "  id name  ^   bytes\n   0 ~/names    1000\n", NULL);
	draws(20, 1, &l, "   0 ~/names    1000\n", NULL);
	draws(6, 2, &l, "name ^\n~names\n", NULL);
	draws(3, 2, &l, "n~^\n~es\n", NULL);
	ts_list_set_count(&l, 0);
	draws(20, 3, &l, "  id name  ^   bytes\nnothing here\n     total      1000\n", NULL);
}
END_TEST

START_TEST(the_least_important_columns_go_first)
{
	int w[TS_TABLE_COLUMNS];

	ck_assert_int_eq(ts_table_widths(w, columns, 4, 24), 4); /* 4 + 6 + 7 + 4 and three gaps */
	ck_assert_int_eq(w[1], 6);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 60), 4);
	ck_assert_int_eq(w[3], 10); /* its maximum; the name has the rest */
	ck_assert_int_eq(w[1], 36);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 23), 3);
	ck_assert_int_eq(w[3], 0);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 18), 2);
	ck_assert_int_eq(w[0], 0);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 5), 1);
	ck_assert_int_eq(w[1], 6);
	ck_assert_int_eq(ts_table_widths(w, columns, 0, 5), 0);
}
END_TEST

START_TEST(widths_fit_for_any_columns)
{
	unsigned seed = 4;

	for (int round = 0; round < 20000; round++) {
		struct ts_column c[8];
		int w[TS_TABLE_COLUMNS], n, width, sum = -1, shown;

		seed = seed * 1664525u + 1013904223u;
		n = (int)(seed >> 10) % 8;
		width = (int)(seed >> 14) % 300;
		for (int i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			c[i] = (struct ts_column){"t", (int)(seed >> 8) % 30,
				(int)(seed >> 12) % 50, (int)(seed >> 16) % 4,
				1 + (int)(seed >> 20) % 3, 0};
		}
		shown = ts_table_widths(w, c, n, width);
		for (int i = 0; i < n; i++) {
			sum += w[i] > 0 ? w[i] + 1 : 0;
			shown -= w[i] > 0;
			if (w[i] > 0 && c[i].max > c[i].min)
				ck_assert_int_le(w[i], c[i].max);
		}
		ck_assert_int_eq(shown, 0);
		ck_assert_int_le(sum, width);
	}
}
END_TEST

START_TEST(lines_of_the_mouse)
{
	struct ts_table t = {columns, 4, cell, NULL, NULL, true, true, true, false, -1, false,
		NULL};
	struct ts_rect r = {5, 10, 30, 6};

	ck_assert_int_eq(ts_table_rows(&t, r), 4);
	ck_assert_int_eq(ts_table_line(&t, r, 10), -1);
	ck_assert_int_eq(ts_table_line(&t, r, 11), 0);
	ck_assert_int_eq(ts_table_line(&t, r, 14), 3);
	ck_assert_int_eq(ts_table_line(&t, r, 15), -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_table");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, rows_header_and_total);
	tcase_add_test(c, small_tables);
	tcase_add_test(c, the_least_important_columns_go_first);
	tcase_add_test(c, widths_fit_for_any_columns);
	tcase_add_test(c, lines_of_the_mouse);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
