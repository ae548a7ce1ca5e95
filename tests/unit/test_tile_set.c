/* SPDX-License-Identifier: MIT */
/*
 * Sets of tiles: expressions and what they name, random ones against sets worked out tile by tile, texts that
 * are wrong.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/tile_set.h"

enum { TILES = 200, PER = 50, LIMIT = 1000 };

static int64_t used[TILES];
static struct ts_err err;

/* Every seventh tile has a variable called conv"2; the pattern is the text itself. */
static enum ts_code using(void *ctx, struct ts_tile_set *out, const char *name, bool pattern,
	struct ts_err *e) {
	const char *is = pattern ? "a/b\\d" : "conv\"2";

	(void)ctx;
	if (strcmp(name, "fails") == 0) return ts_err_set(e, TS_E_CANCELLED, "cancelled");
	if (strcmp(name, "odd") == 0) return ts_err_set(e, TS_E_USAGE, "it is odd");
	for (int t = 0; t < TILES && strstr(is, name); t += 7) ts_tile_set_add(out, t, t + 1);
	return TS_OK;
}

static int64_t
ipu_of(void *ctx, int64_t tile)
{
	(void)ctx;
	return tile / PER;
}

static struct ts_tile_world
world(void)
{
	for (int t = 0; t < TILES; t++)
		used[t] = t % 40 == 39 ? -1 : t * 37 % 1009;
	return (struct ts_tile_world){.tiles = TILES,
		.ipu_of = ipu_of,
		.used = used,
		.limit = LIMIT,
		.using = using};
}

/* The tiles of a set as ranges. */
static const char *
as_text(const struct ts_tile_set *s)
{
	static char out[4096];

	ck_assert(ts_tile_set_print(out, sizeof(out), s));
	return out;
}

static const struct {
	const char *text, *tiles;
} means[] = {
	{"12", "12"},
	{"12,40-45", "12,40-45"},
	{" 12 , 40-45 ,44 ", "12,40-45"},
	{"all", "0-199"},
	{"ipu(1)", "50-99"},
	{"ipu(0-1)", "0-99"},
	{"ipu( 3 ) & 140-170", "150-170"},
	{"40-45 - 42", "40-41,43-45"},
	{"40 - 45", "40"},
	{"all - ipu(1) - ipu(3)", "0-49,100-149"},
	{"ipu(1) & 60-70 - 65 , 3", "3,60-64,66-70"},
	{"ipu(1) & (60-70 , 3)", "60-70"},
	{"selected", "5,7"},
	{"all & selected", "5,7"},
	{"worst(3)", "27,109,136"},
	{"WORST(3) , Ipu(0) & 7", "7,27,109,136"},
	{"over(99%)", "27,109,136"},
	{"over(99.7%)", "27,109"},
	{"over(997B)", "27,109"},
	{"over(0.974KiB)", "27,109"},
	{"over( 99.7 % )", "27,109"},
	{"over(0.974 kib)", "27,109"},
	{"under(1B)", "0"},
	{"using(\"conv\\\"2\") & 0-20", "0,7,14"},
	{"using(\"nothing\")", ""},
	{"using(/a\\/b\\d/) & 0-9", "0,7"},
	{"((((7))))", "7"},
};

START_TEST(names_tiles)
{
	struct ts_tile_world w = world();
	struct ts_tile_set selected, s;

	ck_assert(ts_tile_set_init(&selected, TILES));
	ts_tile_set_add(&selected, 5, 6);
	ts_tile_set_add(&selected, 7, 8);
	w.selected = &selected;
	ck_assert_msg(ts_tile_set_parse(&s, means[_i].text, &w, &err) == TS_OK, "%s: %s",
		means[_i].text, err.msg);
	ck_assert_str_eq(as_text(&s), means[_i].tiles);
	ts_tile_set_fini(&s);
	ts_tile_set_fini(&selected);
}
END_TEST

static const struct {
	const char *text, *says;
} wrongs[] = {
	{"", "character 1: a tile is missing, as in 12,40-45 or worst(5)"},
	{"12,", "character 4: a tile is missing, as in 12,40-45 or worst(5)"},
	{"12 13", "character 4: an operator (, & -) is missing"},
	{"7, 45-40", "character 4: the range ends before it begins"},
	{"200", "character 1: there is no tile 200, they are 0 to 199"},
	{"7, 300", "character 4: there is no tile 300, they are 0 to 199"},
	{"99999999999999999999", "character 1: too large a number"},
	{"ipu(4)", "character 5: there is no IPU 4, they are 0 to 3"},
	{"ipu 4", "character 5: ( is missing behind ipu"},
	{"ipu(1", "character 6: ) is missing"},
	{"(1", "character 3: ) is missing"},
	{"1)", "character 2: an operator (, & -) is missing"},
	{"worst(0)", "character 7: worst(0) would be no tile: worst(1) is the fullest one"},
	{"worst(-1)", "character 7: a number is missing"},
	{"tiles(3)", "character 1: no word \"tiles\": all selected ipu over under worst using"},
	{"1,fullestones",
		"character 3: no word \"fullesto\": all selected ipu over under worst using"},
	{"over(x)", "character 6: a number is missing"},
	{"over(500)", "character 6: 500 what? 500K, or 500B, or a share as in 90%"},
	{"under( 1.5 )", "character 8: 1.5 what? 1.5K, or 1.5B, or a share as in 90%"},
	{"using(conv)", "character 7: a name in quotes, or /a regular expression/, is missing"},
	{"using(/conv)", "character 7: the / is not closed"},
	{"using(/\\)", "character 7: the / is not closed"},
	{"using(\"\")", "character 7: a name is missing"},
	{"using(\"conv)", "character 7: the quote is not closed"},
	{"using(\"conv\\", "character 7: the quote is not closed"},
	{"using(\"fails\")", "cancelled"},
	{"1, using(\"odd\")", "character 10: it is odd"},
	{"\033[31m", "character 1: a tile is missing, as in 12,40-45 or worst(5)"},
};

START_TEST(says_what_is_wrong)
{
	struct ts_tile_world w = world();
	struct ts_tile_set s;

	ck_assert_int_ne(ts_tile_set_parse(&s, wrongs[_i].text, &w, &err), TS_OK);
	ck_assert_str_eq(err.msg, wrongs[_i].says);
}
END_TEST

START_TEST(what_is_not_known)
{
	static const char *const lines[] = {"ipu(0)", "over(50%)", "worst(1)", "using(\"x\")",
		"under(7B)"};
	struct ts_tile_world w = {.tiles = 10, .limit = -1};
	struct ts_tile_set s;

	for (size_t i = 0; i < TS_COUNT(lines); i++)
		ck_assert_int_eq(ts_tile_set_parse(&s, lines[i], &w, &err), TS_E_USAGE);
	ck_assert_int_eq(ts_tile_set_parse(&s, "1, selected", &w, &err), TS_E_USAGE);
	ck_assert_str_eq(err.msg,
		"character 4: tiles are selected in the app only: \"selected\" means nothing here");
	w.selected = &(const struct ts_tile_set){0};
	ck_assert_int_eq(ts_tile_set_parse(&s, "selected", &w, &err), TS_OK);
	ck_assert_int_eq(ts_tile_set_count(&s), 0);
	ts_tile_set_fini(&s);
	w.tiles = 0;
	ck_assert_int_eq(ts_tile_set_parse(&s, "0", &w, &err), TS_E_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "it is not known what tiles there are"));
	ck_assert_int_eq(ts_tile_set_parse(&s, "all", &w, &err), TS_OK);
	ck_assert_int_eq(ts_tile_set_next(&s, 0), -1);
	ts_tile_set_fini(&s);
}
END_TEST

/* Tiles that there are not belong to no set, and are named by no number. */
START_TEST(some_are_not_there)
{
	struct ts_tile_world w = world();
	struct ts_tile_set there, s;

	ck_assert(ts_tile_set_init(&there, TILES));
	ts_tile_set_add(&there, 0, 60);
	ts_tile_set_add(&there, 70, 80);
	w.there = &there;
	ck_assert_int_eq(ts_tile_set_parse(&s, "50-75 , all - ipu(0) & 74-199", &w, &err), TS_OK);
	ck_assert_str_eq(as_text(&s), "50-59,70-79");
	ts_tile_set_fini(&s);
	ck_assert_int_eq(ts_tile_set_parse(&s, "1, 65", &w, &err), TS_E_USAGE);
	ck_assert_str_eq(err.msg, "character 4: there is no tile 65");
	ts_tile_set_fini(&there);
}
END_TEST

START_TEST(copies_and_flips)
{
	struct ts_tile_set a, b;
	char text[8];

	ck_assert(ts_tile_set_init(&a, 130));
	ts_tile_set_add(&a, 60, 130);
	ts_tile_set_flip(&a, 64);
	ts_tile_set_flip(&a, 3);
	ts_tile_set_flip(&a, 200);
	ck_assert(ts_tile_set_copy(&b, &a, 70));
	ck_assert_str_eq(as_text(&b), "3,60-63,65-69");
	ck_assert(!ts_tile_set_print(text, sizeof(text), &b));
	ck_assert_str_eq(text, "3,60-63");
	ts_tile_set_fini(&b);
	ck_assert(ts_tile_set_copy(&b, &a, 300));
	ck_assert_int_eq(ts_tile_set_count(&b), ts_tile_set_count(&a));
	ts_tile_set_fini(&b);
	ts_tile_set_fini(&a);
}
END_TEST

START_TEST(brackets_have_a_depth)
{
	struct ts_tile_world w = world();
	char text[TS_TILE_SET_TEXT + 8];
	struct ts_tile_set s;

	memset(text, '(', 1000);
	snprintf(text + 1000, 2, "1");
	ck_assert_int_eq(ts_tile_set_parse(&s, text, &w, &err), TS_E_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "character 33: more than 32 brackets"));
	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(ts_tile_set_parse(&s, text, &w, &err), TS_E_USAGE);
}
END_TEST

/* A random expression, as text and tile by tile. */
struct made {
	char text[4096];
	bool in[TILES];
};

static unsigned dice;

static int
chance(int n)
{
	dice = dice * 1103515245u + 12345u;
	return (int)(dice >> 16) % n;
}

static void
make(struct made *m, int depth)
{
	struct made *a, *b;
	int from, to, kind = depth > 0 ? chance(4) : 3;

	if (kind == 3) {
		from = chance(TILES);
		to = from + chance(TILES - from);
		snprintf(m->text, sizeof(m->text), from == to ? "%d" : "%d-%d", from, to);
		for (int t = 0; t < TILES; t++)
			m->in[t] = t >= from && t <= to;
		return;
	}
	a = malloc(sizeof(*a));
	b = malloc(sizeof(*b));
	make(a, depth - 1);
	make(b, depth - 1);
	snprintf(m->text, sizeof(m->text), "(%.1500s)%s(%.1500s)", a->text,
		(const char *[]){",", " & ", " - "}[kind], b->text);
	for (int t = 0; t < TILES; t++)
		m->in[t] = kind == 0 ? a->in[t] || b->in[t]
			: kind == 1  ? a->in[t] && b->in[t]
				     : a->in[t] && !b->in[t];
	free(a);
	free(b);
}

START_TEST(equals_tile_by_tile)
{
	struct ts_tile_world w = world();

	for (dice = 1; dice < 400; dice++) {
		unsigned seed = dice;
		struct ts_tile_set s;
		struct made m;
		int n = 0;

		make(&m, 4);
		dice = seed;
		if (strlen(m.text) >= TS_TILE_SET_TEXT)
			continue;
		ck_assert_msg(ts_tile_set_parse(&s, m.text, &w, &err) == TS_OK, "%s: %s", m.text,
			err.msg);
		for (int t = 0; t < TILES; t++) {
			ck_assert_msg(ts_tile_set_has(&s, t) == m.in[t], "tile %d of %s", t,
				m.text);
			n += m.in[t];
		}
		ck_assert_int_eq(ts_tile_set_count(&s), n);
		ts_tile_set_fini(&s);
	}
}
END_TEST

/* Pieces of expressions and of nothing, in any order. */
static void
nonsense(char *out, size_t size)
{
	static const char *const piece[] = {"12", "7-9", "9-7", ",", "&", "-", " ", "(", ")", "all",
		"selected", "ipu(", "over(", "under(", "worst(", "using(", "90%", "1.5KiB", "\"",
		"/", "\\", "conv", "a/b", "*", "\377", "\t", "99999", "0", "x", "=", "'"};
	size_t n = 0;

	out[0] = '\0';
	for (int k = chance(12); k >= 0; k--)
		n += (size_t)snprintf(out + n, size - n, "%s", piece[chance(TS_COUNT(piece))]);
}

/* Whatever is typed: tiles, or one line that fits a screen and says where. */
START_TEST(nonsense_is_said_in_a_line)
{
	struct ts_tile_world w = world();
	const struct ts_tile_set none = {0};
	int taken = 0;

	w.selected = &none;
	dice = 7;
	for (int i = 0; i < 10000; i++) {
		char text[256];
		struct ts_tile_set s;
		struct ts_err why = {0};
		size_t at = 0, said = 0;
		enum ts_code check, code;

		nonsense(text, sizeof(text));
		check = ts_tile_set_check(text, &at, &why);
		code = ts_tile_set_parse(&s, text, &w, &err);
		if (!code) {
			ck_assert_msg(!check, "%s: %s", text, why.msg);
			ts_tile_set_fini(&s);
			taken++;
			continue;
		}
		ck_assert_int_eq(code, TS_E_USAGE);
		ck_assert_msg(strlen(err.msg) <= 78, "%s: %s", text, err.msg);
		ck_assert_int_eq(sscanf(err.msg, "character %zu: ", &said), 1);
		ck_assert_msg(said >= 1 && said <= strlen(text) + 1, "%s: %s", text, err.msg);
		if (check) {
			ck_assert_msg(at <= strlen(text), "%s: %s", text, why.msg);
			ck_assert_int_eq(strncmp(why.msg, "character ", 10), 0);
		}
	}
	ck_assert_int_gt(taken, 50);
}
END_TEST

START_TEST(asks_what_is_selected)
{
	ck_assert(ts_tile_set_asks_selected("1,Selected - 3"));
	ck_assert(!ts_tile_set_asks_selected("12,using(\"unselected\")"));
	ck_assert(!ts_tile_set_asks_selected("using(\"encoder/selected\")"));
	ck_assert(!ts_tile_set_asks_selected("using(\"a\\\" selected\") & using(/\\/ selected/)"));
	ck_assert(!ts_tile_set_asks_selected("using(/\"/) - using(/ selected \"/)"));
	ck_assert(!ts_tile_set_asks_selected("using(\"selected"));
	ck_assert(ts_tile_set_asks_selected("using(\"a/\\\\\") - selected"));
	ck_assert(ts_tile_set_asks_selected("using(/a\"\\\\/) & SELECTED"));
	ck_assert(!ts_tile_set_asks_selected(""));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile_set");
	TCase *t = tcase_create("tile_set");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, names_tiles, 0, (int)TS_COUNT(means));
	tcase_add_loop_test(t, says_what_is_wrong, 0, (int)TS_COUNT(wrongs));
	tcase_add_test(t, what_is_not_known);
	tcase_add_test(t, some_are_not_there);
	tcase_add_test(t, copies_and_flips);
	tcase_add_test(t, brackets_have_a_depth);
	tcase_add_test(t, equals_tile_by_tile);
	tcase_add_test(t, nonsense_is_said_in_a_line);
	tcase_add_test(t, asks_what_is_selected);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
