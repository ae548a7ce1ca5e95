/* SPDX-License-Identifier: MIT */
/* Golden screens of every figure of the ui layer, in three sizes and with three kinds of glyphs. */
#include "config.h"

#include <check.h>
#include <locale.h>
#include <stdlib.h>

#include "figures.h"
#include "golden.h"

static const struct {
	int w, h;
} sizes[] = {{80, 24}, {40, 10}, {200, 50}};

static const struct {
	const char *name;
	enum ts_glyphs glyphs;
	bool mono;
} kinds[] = {
	{"full", TS_GLYPHS_FULL, false},
	{"mono", TS_GLYPHS_FULL, true},
	{"basic", TS_GLYPHS_BASIC, false},
	{"ascii", TS_GLYPHS_ASCII, true},
};

enum { SCREENS = TS_COUNT(sizes) * TS_COUNT(kinds) };

START_TEST(figures_look_as_they_did)
{
	size_t size = (size_t)_i % TS_COUNT(sizes), kind = (size_t)_i / TS_COUNT(sizes);
	struct ts_canvas *c = ts_canvas_new(sizes[size].w, sizes[size].h, kinds[kind].glyphs);
	struct figures f;
	struct ts_list l;
	char name[64];

	ck_assert_ptr_nonnull(c);
	c->mono = kinds[kind].mono;
	figures_init(&f);
	ts_list_init(&l);
	ts_list_set_count(&l, FIGURE_ROWS);
	figures_draw(c, &f, &l, "read-out line");
	snprintf(name, sizeof(name), "ui_figures_%dx%d_%s", c->w, c->h, kinds[kind].name);
	golden_check(name, c);
	ts_canvas_free(c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_figures");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_loop_test(c, figures_look_as_they_did, 0, SCREENS);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
