/* SPDX-License-Identifier: MIT */
/* The canvas: what is drawn, what is made safe, and that nothing leaves its rectangle. */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/ui/canvas.h"

static struct ts_canvas *
canvas(int w, int h, enum ts_glyphs glyphs)
{
	struct ts_canvas *c = ts_canvas_new(w, h, glyphs);

	ck_assert_ptr_nonnull(c);
	return c;
}

/* The dump is `expected`; the canvas is freed. */
static void
shows(struct ts_canvas *c, const char *expected)
{
	struct ts_strbuf out;

	ts_strbuf_init(&out, 1 << 20);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, expected);
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}

static void
field(const char *expected, const char *text, int w, int how, enum ts_glyphs glyphs)
{
	struct ts_canvas *c = canvas(60, 1, glyphs);
	int used = ts_canvas_field(c, ts_canvas_rect(c), 1, 0, w, TS_ROLE_TEXT, text, strlen(text),
		how);

	ck_assert_int_le(used, w > 0 ? w : 0);
	shows(c, expected);
}

START_TEST(text_is_cut_at_the_edge_of_its_rectangle)
{
	struct ts_canvas *c = canvas(10, 2, TS_GLYPHS_FULL);
	struct ts_rect r = {2, 0, 4, 2};

	ck_assert_int_eq(ts_canvas_text(c, r, 1, 0, TS_ROLE_TEXT, "abcdef"), 4);
	ck_assert_int_eq(ts_canvas_text(c, r, -2, 1, TS_ROLE_TEXT, "abcd"), 2);
	ck_assert_int_eq(ts_canvas_text(c, r, 0, 2, TS_ROLE_TEXT, "below"), 4);
	shows(c, "   abc\n  cd\n");
}
END_TEST

/* Every place of it in the rectangle, and nothing of one that its edge cuts. */
START_TEST(a_text_is_told_apart_where_it_stands)
{
	struct ts_canvas *c = canvas(16, 2, TS_GLYPHS_FULL);
	struct ts_rect r = {0, 0, 14, 2};
	struct ts_strbuf out;

	ts_canvas_text(c, r, 0, 0, TS_ROLE_TEXT, "aConv conv CONV");
	ts_canvas_text(c, r, 0, 1, TS_ROLE_TEXT, "\xe5\xb1\xa4x \xe5\xb1\xa4 aaa");
	ck_assert(ts_canvas_overlay_text(c, r, TS_ROLE_MATCH, "cONV"));
	ck_assert(ts_canvas_overlay_text(c, r, TS_ROLE_CURSOR, "\xe5\xb1\xa4"));
	ck_assert(ts_canvas_overlay_text(c, r, TS_ROLE_CURSOR, "aa"));
	ck_assert(!ts_canvas_overlay_text(c, r, TS_ROLE_CURSOR, "none"));
	ck_assert(!ts_canvas_overlay_text(c, r, TS_ROLE_CURSOR, ""));
	ck_assert(!ts_canvas_overlay_text(c, r, TS_ROLE_CURSOR, "\xff"));
	ck_assert(!ts_canvas_overlay_text(c, (struct ts_rect){0}, TS_ROLE_CURSOR, "a"));
	ts_strbuf_init(&out, 1 << 16);
	ts_canvas_dump_roles(c, &out);
	ck_assert_str_eq(out.s, ".mmmm mmmm ...\ncc. cc cc.\n");
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}
END_TEST

START_TEST(unsafe_code_points_are_replaced)
{
	struct ts_canvas *c = canvas(12, 1, TS_GLYPHS_FULL);

	ts_canvas_text(c, ts_canvas_rect(c), 0, 0, TS_ROLE_TEXT,
		"a\033[1m\t\n\xff\xe2\x80\xae\xc2\x9b");
	shows(c, "a\uFFFD[1m\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\n");
}
END_TEST

START_TEST(ascii_has_nothing_but_ascii)
{
	struct ts_canvas *c = canvas(20, 1, TS_GLYPHS_ASCII);

	ts_canvas_text(c, ts_canvas_rect(c), 0, 0, TS_ROLE_TEXT,
		"x\u2026\u2588\u2502\u5909\u00e9\033");
	ts_canvas_glyph(c, ts_canvas_rect(c), 10, 0, TS_ROLE_TEXT, 0x2584);
	ts_canvas_glyph(c, ts_canvas_rect(c), 11, 0, TS_ROLE_TEXT, 0x28ff);
	ts_canvas_pending(c, ts_canvas_rect(c), 13, 0);
	shows(c, "x~#|???   =# ...\n");
}
END_TEST

START_TEST(every_glyph_has_an_ascii_form)
{
	for (uint32_t cp = 0; cp < 0x30000; cp++) {
		struct ts_canvas *c = canvas(1, 1, TS_GLYPHS_ASCII);

		ts_canvas_glyph(c, ts_canvas_rect(c), 0, 0, TS_ROLE_TEXT, cp);
		ck_assert_uint_ge(ts_canvas_at(c, 0, 0)->cp, ' ');
		ck_assert_uint_lt(ts_canvas_at(c, 0, 0)->cp, 0x7f);
		ts_canvas_free(c);
	}
}
END_TEST

START_TEST(wide_characters_stay_whole)
{
	struct ts_canvas *c = canvas(6, 3, TS_GLYPHS_FULL);
	struct ts_rect r = {0, 0, 3, 3};

	ts_canvas_text(c, r, 0, 0, TS_ROLE_TEXT, "\u5909\u6570"); /* the second is cut: blank */
	ts_canvas_text(c, ts_canvas_rect(c), 0, 1, TS_ROLE_TEXT, "\u5909\u6570x");
	ts_canvas_text(c, ts_canvas_rect(c), 1, 1, TS_ROLE_TEXT, "ab"); /* half of both */
	ts_canvas_text(c, ts_canvas_rect(c), -1, 2, TS_ROLE_TEXT, "\u5909yz");
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->width, 2);
	ck_assert_int_eq(ts_canvas_at(c, 1, 0)->width, 0);
	ck_assert_int_eq(ts_canvas_at(c, 2, 0)->width, 1);
	ck_assert_int_eq(ts_canvas_at(c, 3, 1)->width, 1);
	shows(c, "\u5909\n ab x\n yz\n");
}
END_TEST

START_TEST(fields)
{
	field(" abc\n", "abc", 5, TS_FIELD_LEFT, TS_GLYPHS_FULL);
	field("   abc\n", "abc", 5, TS_FIELD_RIGHT, TS_GLYPHS_FULL);
	field("  abc\n", "abc", 5, TS_FIELD_CENTRE, TS_GLYPHS_FULL);
	field(" abcde\n", "abcdefg", 5, TS_FIELD_LEFT, TS_GLYPHS_FULL);
	field(" abcd\u2026\n", "abcdefg", 5, TS_FIELD_ELLIPSIS | TS_FIELD_RIGHT, TS_GLYPHS_FULL);
	field(" abcd~\n", "abcdefg", 5, TS_FIELD_ELLIPSIS, TS_GLYPHS_ASCII);
	field(" \u2026defg\n", "abcdefg", 5, TS_FIELD_TAIL, TS_GLYPHS_FULL);
	field(" ~defg\n", "abcdefg", 5, TS_FIELD_TAIL, TS_GLYPHS_ASCII);
	field(" \u2026\u6570c\n", "a\u5909b\u6570c", 4, TS_FIELD_TAIL, TS_GLYPHS_FULL);
	field(" a\n", "abc", 1, TS_FIELD_ELLIPSIS, TS_GLYPHS_FULL);
	field("\n", "abc", 0, TS_FIELD_ELLIPSIS, TS_GLYPHS_FULL);
	field("\n", "abc", -5, TS_FIELD_TAIL, TS_GLYPHS_FULL);
}
END_TEST

#define LAYER "bert/encoder/layer_12/attention/self/matMul/Conv_2"

/* What says least of a path of names is cut: what it is in, its layer and what it is stay; a long first part does not. */
START_TEST(paths_keep_both_ends)
{
	enum { T = TS_FIELD_TAIL };

	field(" bert/…matMul/Conv_*\n", "bert/encoder/layer/matMul/Conv_*", 19, T, TS_GLYPHS_FULL);
	field(" bert/~matMul/Conv_*\n", "bert/encoder/layer/matMul/Conv_*", 19, T, TS_GLYPHS_ASCII);
	field(" Gradient/…r/matMul/Conv_*/x\n", "Gradient/bert/encoder/layer/matMul/Conv_*/x", 27,
		T, TS_GLYPHS_FULL);
	field(" …yer/matMul/Conv_*/x\n", "Gradient/bert/encoder/layer/matMul/Conv_*/x", 20, T,
		TS_GLYPHS_FULL);
	field(" …runs/3/profile.pop\n", "/home/me/runs/3/profile.pop", 19, T, TS_GLYPHS_FULL);
	field(" bert/layer/x\n", "bert/layer/x", 12, T, TS_GLYPHS_FULL);
	field(" " LAYER "\n", LAYER, 50, T, TS_GLYPHS_FULL);
	field(" bert/…layer_12/attention/self/matMul/Conv_2\n", LAYER, 43, T, TS_GLYPHS_FULL);
	field(" bert/…12/attention/self/matMul/Conv_2\n", LAYER, 37, T, TS_GLYPHS_FULL);
	field(" bert/…12/…ention/self/matMul/Conv_2\n", LAYER, 35, T, TS_GLYPHS_FULL);
	field(" bert/…12/…ion/self/matMul/Conv_2\n", LAYER, 32, T, TS_GLYPHS_FULL);
	field(" bert/…12/…ul/Conv_2\n", LAYER, 19, T, TS_GLYPHS_FULL);
	field(" bert/…tMul/Conv_2\n", LAYER, 17, T, TS_GLYPHS_FULL);
	field(" a/…7/…ghijklmnopqr\n", "a/bcdefg7/c9/defghijklmnopqr", 18, T, TS_GLYPHS_FULL);
}
END_TEST

/* A figure is never cut in its middle while there is a clause to leave out. */
START_TEST(clauses_are_left_out)
{
	enum { C = TS_FIELD_CLAUSES };

	field(" 1,921, 3; 4\n", "1,921, 3; 4", 11, C, TS_GLYPHS_FULL);
	field(" 1,921, 3\n", "1,921, 3; 4", 10, C, TS_GLYPHS_FULL);
	field(" 1,921\n", "1,921, 3 (x, y)", 7, C, TS_GLYPHS_FULL);
	field(" 1,92\u2026\n", "1,92134, 3", 5, C, TS_GLYPHS_FULL);
	field("  12\n", "12, 3", 3, C | TS_FIELD_RIGHT, TS_GLYPHS_FULL);
	field(" 12: 3\n", "12: 3, 4", 6, C, TS_GLYPHS_FULL); /* what a clause follows goes last */
	field(" 1 of 2\n", "1 of 2: 12:30 of 4", 9, C, TS_GLYPHS_FULL);
	field(" 12:\u2026\n", "12:30", 4, C, TS_GLYPHS_FULL);
	ck_assert_uint_eq(ts_text_shorten("a (b, c)", 8), 1);
	ck_assert_uint_eq(ts_text_shorten("a, b (c)", 8), 4);
	ck_assert_uint_eq(ts_text_shorten("a1,921", 6), 0);
	ck_assert_uint_eq(ts_text_shorten(", ", 2), 0);
	ck_assert_uint_eq(ts_text_shorten("", 0), 0);
}
END_TEST

START_TEST(wrapped_text)
{
	struct ts_canvas *c = canvas(10, 6, TS_GLYPHS_FULL);
	const char *text = "the quick brown\n\nfox-jumps-over it  \nx";

	ck_assert_int_eq(ts_canvas_wrap(c, ts_canvas_rect(c), 0, TS_ROLE_TEXT, text), 6);
	shows(c, "the quick\nbrown\n\nfox-jumps-\nover it\nx\n");
	c = canvas(10, 2, TS_GLYPHS_FULL);
	ck_assert_int_eq(ts_canvas_wrap(c, ts_canvas_rect(c), 3, TS_ROLE_TEXT, text), 6);
	shows(c, "fox-jumps-\nover it\n");
	c = canvas(10, 4, TS_GLYPHS_FULL);
	ck_assert_int_eq(ts_canvas_wrap(c, ts_canvas_rect(c), 0, TS_ROLE_TEXT,
				 "in /home/x/insights.rules"),
		4);
	shows(c, "in\n/home/x/\ninsights.r\nules\n");
}
END_TEST

START_TEST(rules_and_lines)
{
	struct ts_canvas *c = canvas(24, 3, TS_GLYPHS_ASCII);
	struct ts_rect r = ts_canvas_rect(c);

	ts_canvas_rule(c, r, TS_ROLE_BORDER, "Tiles", "end");
	ts_canvas_hline(c, r, 2, 1, 3, TS_ROLE_BORDER);
	ts_canvas_vline(c, r, 0, 1, 99, TS_ROLE_BORDER);
	shows(c, "-- Tiles -------- end --\n| ---\n|\n");
}
END_TEST

START_TEST(a_rule_cuts_with_a_mark)
{
	struct ts_canvas *c = canvas(30, 3, TS_GLYPHS_ASCII);
	struct ts_rect r = ts_canvas_rect(c);

	ts_canvas_rule(c, r, TS_ROLE_BORDER, "Tiles", "what does not fit in it");
	ts_canvas_rule(c, ts_rect_row(r, 1), TS_ROLE_BORDER, "Tiles of all IPUs", "left out");
	ts_canvas_rule(c, ts_rect_row(r, 2), TS_ROLE_BORDER, "Tiles of all IPUs", "it");
	shows(c,
		"-- Tiles - what does not f~ --\n-- Tiles of all IPUs ---------\n"
		"-- Tiles of all IPUs --- it --\n");
}
END_TEST

START_TEST(signs_say_that_there_is_more)
{
	struct ts_canvas *c = canvas(4, 3, TS_GLYPHS_ASCII);
	struct ts_rect r = ts_canvas_rect(c);

	ts_canvas_more(c, r, true, true);
	shows(c, "   ^\n\n   v\n");
	c = canvas(4, 1, TS_GLYPHS_ASCII);
	ts_canvas_more(c, ts_canvas_rect(c), true, true);
	shows(c, "   ^\n");
	c = canvas(4, 1, TS_GLYPHS_ASCII);
	ts_canvas_more(c, ts_canvas_rect(c), false, true);
	ts_canvas_more(c, (struct ts_rect){0, 0, 0, 0}, true, true);
	shows(c, "   v\n");
}
END_TEST

START_TEST(overlays_keep_glyphs)
{
	struct ts_canvas *c = canvas(6, 1, TS_GLYPHS_FULL);
	struct ts_strbuf out;

	ts_canvas_text(c, ts_canvas_rect(c), 0, 0, TS_ROLE_VALUE, "abc");
	ts_canvas_overlay(c, (struct ts_rect){1, 0, 3, 1}, TS_ROLE_CURSOR);
	ts_strbuf_init(&out, 100);
	ts_canvas_dump_roles(c, &out);
	ck_assert_str_eq(out.s, "vccc\n");
	ck_assert_int_eq(ts_canvas_at(c, 1, 0)->role, TS_ROLE_VALUE);
	ts_strbuf_fini(&out);
	shows(c, "abc\n");
}
END_TEST

START_TEST(the_cursor_is_hidden_outside)
{
	struct ts_canvas *c = canvas(6, 2, TS_GLYPHS_FULL);
	struct ts_rect r = {1, 1, 3, 1};

	ts_canvas_cursor(c, r, 2, 0);
	ck_assert_int_eq(c->cursor_x, 3);
	ck_assert_int_eq(c->cursor_y, 1);
	ts_canvas_cursor(c, r, 3, 0);
	ck_assert_int_eq(c->cursor_x, -1);
	ts_canvas_free(c);
}
END_TEST

START_TEST(sizes_are_clamped)
{
	struct ts_canvas *c = canvas(-3, INT_MAX, TS_GLYPHS_FULL);

	ck_assert_int_eq(c->w, 0);
	ck_assert_int_eq(c->h, TS_CANVAS_MAX_H);
	ck_assert_int_eq(ts_canvas_resize(c, 3, 1, NULL), TS_OK);
	ts_canvas_text(c, ts_canvas_rect(c), 0, 0, TS_ROLE_TEXT, "abcd");
	shows(c, "abc\n");
}
END_TEST

START_TEST(role_letters_are_unique)
{
	for (int i = 0; i < TS_ROLE_COUNT; i++) {
		ck_assert_int_eq(ts_role_find(ts_roles[i].name), i);
		for (int k = 0; k < i; k++)
			ck_assert_msg(ts_roles[i].letter != ts_roles[k].letter, "%s and %s",
				ts_roles[i].name, ts_roles[k].name);
	}
}
END_TEST

static unsigned
next(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static int
any_int(unsigned *seed)
{
	static const int odd[] = {INT_MIN, INT_MIN + 1, -1000, -1, 0, 1, 2, 79, 80, 81, 1 << 20,
		INT_MAX - 1, INT_MAX};

	return next(seed) % 3 ? (int)(next(seed) % 100) - 10
			      : odd[next(seed) % (sizeof(odd) / sizeof(odd[0]))];
}

/* Draw something with any numbers. */
static void
scribble(struct ts_canvas *c, struct ts_rect r, unsigned *seed)
{
	static const char *const texts[] = {"", "plain", "\u5909\u6570\u5909\u6570",
		"\033[2J\xff\xc0",
		"a long text that does not fit anywhere near the room that it is given here"};
	const char *s = texts[next(seed) % 5];
	int x = any_int(seed), y = any_int(seed), w = any_int(seed);

	switch (next(seed) % 10) {
	case 0:
		ts_canvas_text(c, r, x, y, TS_ROLE_BAD, s);
		break;
	case 1:
		ts_canvas_field(c, r, x, y, w, TS_ROLE_BAD, s, strlen(s), (int)(next(seed) % 16));
		break;
	case 2:
		ts_canvas_right(c, r, x, y, TS_ROLE_BAD, s);
		break;
	case 3:
		ts_canvas_wrap(c, r, any_int(seed), TS_ROLE_BAD, s);
		break;
	case 4:
		ts_canvas_hline(c, r, x, y, w, TS_ROLE_BAD);
		break;
	case 5:
		ts_canvas_vline(c, r, x, y, w, TS_ROLE_BAD);
		break;
	case 6:
		ts_canvas_rule(c, r, TS_ROLE_BAD, s, s);
		break;
	case 7:
		ts_canvas_glyph2(c, r, x, y, TS_ROLE_BAD, TS_ROLE_BASE, next(seed));
		break;
	case 8:
		ts_canvas_cursor(c, r, x, y);
		break;
	default:
		ts_canvas_overlay(c, r, TS_ROLE_CURSOR);
	}
}

/* The first cell outside of r that is not blank, or NULL. */
static const struct ts_cell *
outside(const struct ts_canvas *c, struct ts_rect r)
{
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct ts_cell *cell = ts_canvas_at(c, x, y);

			if ((ts_rect_empty(r) || !ts_rect_has(r, x, y)) &&
				(cell->cp != ' ' || cell->role || cell->over))
				return cell;
		}
	return NULL;
}

START_TEST(nothing_leaves_its_rectangle)
{
	unsigned seed = 20;
	struct ts_canvas *c = canvas(80, 24, TS_GLYPHS_FULL);

	for (int round = 0; round < 5000; round++) {
		struct ts_rect r = {any_int(&seed), any_int(&seed), any_int(&seed), any_int(&seed)};

		c->glyphs = (enum ts_glyphs)(round % 3);
		scribble(c, r, &seed);
		ck_assert_ptr_null(outside(c, ts_rect_clip(r, ts_canvas_rect(c))));
		ts_canvas_erase(c);
	}
	ts_canvas_free(c);
}
END_TEST

START_TEST(rectangles_are_cut_within_themselves)
{
	unsigned seed = 3;

	for (int round = 0; round < 20000; round++) {
		struct ts_rect r = {any_int(&seed), any_int(&seed), any_int(&seed), any_int(&seed)};
		struct ts_rect rest = r, part;
		int n = any_int(&seed);

		part = round % 2 ? ts_rect_cut_top(&rest, n) : ts_rect_cut_bottom(&rest, n);
		ck_assert_int_ge(part.h, 0);
		ck_assert_int_eq(part.h + rest.h, r.h > 0 ? r.h : 0);
		rest = r;
		part = round % 2 ? ts_rect_cut_left(&rest, n) : ts_rect_cut_right(&rest, n);
		ck_assert_int_ge(part.w, 0);
		ck_assert_int_eq(part.w + rest.w, r.w > 0 ? r.w : 0);
		part = ts_rect_row(r, n);
		ck_assert_int_le(part.h, 1);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_canvas");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, text_is_cut_at_the_edge_of_its_rectangle);
	tcase_add_test(c, a_text_is_told_apart_where_it_stands);
	tcase_add_test(c, unsafe_code_points_are_replaced);
	tcase_add_test(c, ascii_has_nothing_but_ascii);
	tcase_add_test(c, every_glyph_has_an_ascii_form);
	tcase_add_test(c, wide_characters_stay_whole);
	tcase_add_test(c, fields);
	tcase_add_test(c, paths_keep_both_ends);
	tcase_add_test(c, clauses_are_left_out);
	tcase_add_test(c, wrapped_text);
	tcase_add_test(c, rules_and_lines);
	tcase_add_test(c, a_rule_cuts_with_a_mark);
	tcase_add_test(c, signs_say_that_there_is_more);
	tcase_add_test(c, overlays_keep_glyphs);
	tcase_add_test(c, the_cursor_is_hidden_outside);
	tcase_add_test(c, sizes_are_clamped);
	tcase_add_test(c, role_letters_are_unique);
	tcase_add_test(c, nothing_leaves_its_rectangle);
	tcase_add_test(c, rectangles_are_cut_within_themselves);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
