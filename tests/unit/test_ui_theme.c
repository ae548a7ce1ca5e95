/* SPDX-License-Identifier: MIT */
/* Colours and themes: parsed, mapped to what the terminal has, readable. */
#include "config.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/theme.h"

static int
mapped(const char *word, enum ts_depth depth)
{
	ts_colour c;

	ck_assert_msg(ts_colour_parse(word, &c), "%s", word);
	return ts_colour_map(c, depth);
}

START_TEST(colours_are_mapped_down)
{
	ck_assert_int_eq(mapped("#ff0000", TS_DEPTH_DIRECT), 0xff0000);
	ck_assert_int_eq(mapped("#f00", TS_DEPTH_256), 196);
	ck_assert_int_eq(mapped("#808080", TS_DEPTH_256), 244);
	ck_assert_int_eq(mapped("#000000", TS_DEPTH_256), 16);
	ck_assert_int_eq(mapped("#ffffff", TS_DEPTH_256), 231);
	ck_assert_int_eq(mapped("#ff0000", TS_DEPTH_16), 9);
	ck_assert_int_eq(mapped("#ff0000", TS_DEPTH_8), 1);
	ck_assert_int_eq(mapped("#ff0000/cyan", TS_DEPTH_256), 196);
	ck_assert_int_eq(mapped("#ff0000/cyan", TS_DEPTH_16), 6);
	ck_assert_int_eq(mapped("#ff0000/default", TS_DEPTH_16), -1);
	ck_assert_int_eq(mapped("bright-green", TS_DEPTH_256), 10);
	ck_assert_int_eq(mapped("bright-green", TS_DEPTH_8), 2);
	ck_assert_int_eq(mapped("grey", TS_DEPTH_8), 7);
	ck_assert_int_eq(mapped("13", TS_DEPTH_16), 13);
	ck_assert_int_eq(mapped("default", TS_DEPTH_256), -1);
	ck_assert_int_eq(mapped("-", TS_DEPTH_256), -1);
	ck_assert_int_eq(mapped("red", TS_DEPTH_MONO), -1);
	ck_assert_int_eq(mapped("bright-red", TS_DEPTH_DIRECT), 0xff0000);
}
END_TEST

START_TEST(words_that_are_no_colours)
{
	static const char *const words[] = {"", "#", "#12", "#12345", "#1234567", "#gggggg",
		"#fff/", "#fff/pink", "pink", "16", "bright-", "bright", "bold", "reddish"};
	ts_colour c;

	for (size_t i = 0; i < TS_COUNT(words); i++)
		ck_assert_msg(!ts_colour_parse(words[i], &c), "%s", words[i]);
}
END_TEST

START_TEST(contrast_is_that_of_wcag)
{
	ck_assert_double_eq_tol(ts_colour_contrast(0x000000, 0xffffff), 21.0, 0.01);
	ck_assert_double_eq_tol(ts_colour_contrast(0x777777, 0xffffff), 4.48, 0.01);
	ck_assert_double_eq_tol(ts_colour_contrast(0xff0000, 0xff0000), 1.0, 0.01);
}
END_TEST

static const char *
find_theme(void *ctx, const char *name)
{
	char path[64];
	const struct ts_embedded *e;

	(void)ctx;
	snprintf(path, sizeof(path), "themes/%s.theme", name);
	e = ts_embedded_find(path);
	return e ? e->text : NULL;
}

static struct ts_theme
read_theme(const char *file, const char *text, const char *expected)
{
	struct ts_theme t;
	struct ts_strbuf complaints;

	ts_theme_init(&t);
	ts_strbuf_init(&complaints, 10000);
	ts_theme_read(&t, file, text, find_theme, NULL, &complaints);
	ck_assert_str_eq(complaints.s, expected);
	ts_strbuf_fini(&complaints);
	return t;
}

static struct ts_look
look_at(const struct ts_theme *t, enum ts_role role, enum ts_role back, enum ts_role over,
	enum ts_depth depth)
{
	struct ts_cell cell = {'x', 1, (uint8_t)role, (uint8_t)back, (uint8_t)over, 0};

	return ts_theme_look(t, &cell, depth);
}

/* A look as a terminal shows it: what differs here can be told apart. */
static bool
same_look(struct ts_look a, struct ts_look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

START_TEST(shipped_themes_can_be_read_on_their_ground)
{
	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		struct ts_theme t;

		if (strncmp(e->name, "themes/", 7) != 0)
			continue;
		t = read_theme(e->name, e->text, "");
		for (int i = 0; i < TS_ROLE_COUNT; i++) {
			uint32_t fg = t.role[i].fg >= 0 ? ts_colour_rgb(t.role[i].fg)
							: (uint32_t)t.ground.fg;
			uint32_t bg = (uint32_t)t.ground.bg;

			if (i == TS_ROLE_INK || i >= TS_ROLE_HEAT_0) /* areas, no text */
				continue;
			if (t.role[i].fg == TS_COLOUR_KEEP) /* what is below keeps its colour */
				continue;
			if (t.role[i].bg >= 0)
				bg = ts_colour_rgb(t.role[i].bg);
			ck_assert_msg(ts_colour_contrast(fg, bg) >= 3.6,
				"%s: %s has a contrast of %.1f", e->name, ts_roles[i].name,
				ts_colour_contrast(fg, bg));
		}
	}
}
END_TEST

/* Yellow cannot be read on the white ground of few colours. */
START_TEST(warnings_can_be_read_with_few_colours)
{
	static const enum ts_role said[] = {TS_ROLE_TEXT, TS_ROLE_WARN, TS_ROLE_BAD, TS_ROLE_NOTE,
		TS_ROLE_ACCENT, TS_ROLE_DIM, TS_ROLE_HINT_KEY};
	struct ts_theme t = read_theme("light", find_theme(NULL, "light"), "");

	for (size_t i = 0; i < TS_COUNT(said); i++)
		for (int d = TS_DEPTH_8; d <= TS_DEPTH_16; d++) {
			struct ts_look look = look_at(&t, said[i], 0, 0, (enum ts_depth)d);
			uint32_t fg = ts_colour_shown(look.fg, (enum ts_depth)d);
			uint32_t bg = ts_colour_shown(look.bg, (enum ts_depth)d);

			ck_assert_msg(ts_colour_contrast(fg, bg) >= 3, "%s at depth %d",
				ts_roles[said[i]].name, d);
		}
}
END_TEST

START_TEST(letters_can_be_read_on_every_class)
{
	static const char *const names[] = {"default", "colour-blind", "light", "high-contrast"};

	for (size_t k = 0; k < TS_COUNT(names); k++) {
		struct ts_theme t = read_theme(names[k], find_theme(NULL, names[k]), "");
		uint32_t ink = ts_colour_rgb(t.role[TS_ROLE_INK].fg);

		for (int i = TS_ROLE_COMPUTE; i <= TS_ROLE_CONTROL; i++)
			ck_assert_msg(ts_colour_contrast(ink, ts_colour_rgb(t.role[i].fg)) >= 3.6,
				"%s", ts_roles[i].name);
	}
}
END_TEST

START_TEST(classes_and_series_differ)
{
	static const char *const names[] = {"default", "colour-blind", "light", "high-contrast"};

	for (size_t k = 0; k < TS_COUNT(names); k++) {
		struct ts_theme t = read_theme(names[k], find_theme(NULL, names[k]), "");

		for (int i = TS_ROLE_COMPUTE; i <= TS_ROLE_SERIES_15; i++)
			for (int j = TS_ROLE_COMPUTE; j < i; j++) {
				bool classes = i <= TS_ROLE_CONTROL, series = j >= TS_ROLE_SERIES_0;

				if (classes || series)
					ck_assert_msg(ts_colour_map(t.role[i].fg, TS_DEPTH_256) !=
							ts_colour_map(t.role[j].fg, TS_DEPTH_256),
						"%s: %s and %s", names[k], ts_roles[i].name,
						ts_roles[j].name);
				if (classes)
					ck_assert_msg(ts_colour_map(t.role[i].fg, TS_DEPTH_16) !=
							ts_colour_map(t.role[j].fg, TS_DEPTH_16),
						"%s: %s and %s of 16", names[k], ts_roles[i].name,
						ts_roles[j].name);
			}
	}
}
END_TEST

/* Square of the distance of two colours. */
static int
apart(ts_colour a, ts_colour b)
{
	uint32_t x = ts_colour_rgb(a), y = ts_colour_rgb(b);
	int sum = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		int d = (int)(x >> shift & 0xff) - (int)(y >> shift & 0xff);

		sum += d * d;
	}
	return sum;
}

/* Gaps, and what is in no part, stand above the parts of a plot: they are told from all of them, and from the ground. */
START_TEST(gaps_and_the_rest_differ_from_all_parts)
{
	enum { LEAST = 60 };
	static const char *const names[] = {"default", "colour-blind", "light", "high-contrast"};
	static const enum ts_role above[] = {TS_ROLE_GAPS, TS_ROLE_REST};

	for (size_t k = 0; k < TS_COUNT(names); k++) {
		struct ts_theme t = read_theme(names[k], find_theme(NULL, names[k]), "");

		ck_assert_int_ge(apart(t.role[above[0]].fg, t.role[above[1]].fg), LEAST * LEAST);
		for (size_t a = 0; a < TS_COUNT(above); a++) {
			ts_colour c = t.role[above[a]].fg;

			ck_assert_int_ge(apart(c, t.ground.bg), LEAST * LEAST);
			ck_assert_int_ge(apart(c, t.role[TS_ROLE_FILL].fg), LEAST * LEAST);
			ck_assert_int_ge(apart(c, t.role[TS_ROLE_BASE].fg), LEAST * LEAST);
			for (int i = 0; i < TS_ROLE_SERIES; i++)
				ck_assert_msg(apart(c, t.role[TS_ROLE_SERIES_0 + i].fg) >=
						LEAST * LEAST,
					"%s: %s and series_%d", names[k], ts_roles[above[a]].name,
					i);
		}
	}
}
END_TEST

/* Where the ground is light more is darker, else brighter, also of 256 colours; what is over the limit is no level. */
START_TEST(heat_rises_in_lightness)
{
	static const char *const names[] = {"default", "colour-blind", "light", "high-contrast"};

	for (size_t k = 0; k < TS_COUNT(names); k++) {
		struct ts_theme t = read_theme(names[k], find_theme(NULL, names[k]), "");
		bool light = ts_colour_contrast((uint32_t)t.ground.bg, 0) > 10;
		double before = 0;

		for (int i = 0; i < TS_ROLE_HEAT; i++) {
			uint32_t rgb = ts_colour_shown(ts_colour_map(t.role[TS_ROLE_HEAT_0 + i].fg,
							       TS_DEPTH_256),
				TS_DEPTH_256);
			double now = ts_colour_contrast(rgb, light ? 0xffffff : 0x000000);

			ck_assert_msg(now >= 0.94 * before, "%s: heat_%d", names[k], i);
			before = now;
		}
		ck_assert_int_ge(apart(t.role[TS_ROLE_HEAT_11].fg, t.role[TS_ROLE_BAD].fg), 8000);
	}
}
END_TEST

/* Levels of a heat map: each can be told from the others, from the ground, and from what is over a limit. */
START_TEST(levels_of_heat_differ)
{
	static const enum ts_role others[] = {TS_ROLE_BAD, TS_ROLE_TITLE, TS_ROLE_HEAT_UNKNOWN,
		TS_ROLE_HEAT_SELECTED_0, TS_ROLE_HEAT_SELECTED_1, TS_ROLE_HEAT_SELECTED_2,
		TS_ROLE_HEAT_SELECTED_3, TS_ROLE_HEAT_SELECTED_OVER};

	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		struct ts_theme t;

		if (strncmp(e->name, "themes/", 7) != 0)
			continue;
		t = read_theme(e->name, e->text, "");
		for (int i = 0; i < TS_ROLE_HEAT && ts_theme_coloured(&t); i++) {
			int c = ts_colour_map(t.role[TS_ROLE_HEAT_0 + i].fg, TS_DEPTH_256);

			for (int j = 0; j < i; j++)
				ck_assert_msg(c !=
						ts_colour_map(t.role[TS_ROLE_HEAT_0 + j].fg,
							TS_DEPTH_256),
					"%s: heat_%d and heat_%d", e->name, i, j);
			for (size_t j = 0; j < TS_COUNT(others); j++)
				ck_assert_msg(c !=
						ts_colour_map(t.role[others[j]].fg, TS_DEPTH_256),
					"%s: heat_%d and %s", e->name, i, ts_roles[others[j]].name);
			ck_assert_msg(apart(t.role[TS_ROLE_HEAT_0 + i].fg,
					      t.role[TS_ROLE_TITLE].fg) >= 20000,
				"%s: heat_%d and the cursor", e->name, i);
		}
	}
}
END_TEST

START_TEST(overlays_are_seen_at_every_depth)
{
	static const enum ts_role over[] = {TS_ROLE_CURSOR, TS_ROLE_CURSOR_OTHER, TS_ROLE_COLUMN,
		TS_ROLE_COLUMN_OTHER, TS_ROLE_SELECTION, TS_ROLE_MATCH};

	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		struct ts_theme t;

		if (strncmp(e->name, "themes/", 7) != 0)
			continue;
		t = read_theme(e->name, e->text, "");
		for (size_t i = 0; i < TS_COUNT(over); i++)
			for (int d = TS_DEPTH_MONO; d <= TS_DEPTH_DIRECT; d++) {
				struct ts_look plain = look_at(&t, TS_ROLE_TEXT, 0, 0,
					(enum ts_depth)d);
				struct ts_look with = look_at(&t, TS_ROLE_TEXT, 0, over[i],
					(enum ts_depth)d);

				ck_assert_msg(!same_look(plain, with), "%s: %s at depth %d",
					e->name, ts_roles[over[i]].name, d);
				if (with.fg >= 0)
					ck_assert_int_ne(with.fg, with.bg);
			}
		/* the pane with the keys can be told from the others */
		for (int d = TS_DEPTH_MONO; d <= TS_DEPTH_DIRECT; d++)
			ck_assert(!same_look(look_at(&t, TS_ROLE_TEXT, 0, TS_ROLE_CURSOR,
						     (enum ts_depth)d),
				look_at(&t, TS_ROLE_TEXT, 0, TS_ROLE_CURSOR_OTHER,
					(enum ts_depth)d)));
	}
}
END_TEST

/* A line of a chart is not underlined, and the cursor's row has no text that is dim on bright. */
START_TEST(attributes_that_would_be_in_the_way)
{
	struct ts_theme t = read_theme("x",
		"role bad red bold underline\nrole dim default dim\n"
		"role cursor - reverse\n",
		"");
	struct ts_cell cell = {.cp = 'x', .width = 1, .role = TS_ROLE_BAD};

	ck_assert_int_eq(ts_theme_look(&t, &cell, TS_DEPTH_16).attr,
		TS_ATTR_BOLD | TS_ATTR_UNDERLINE);
	cell.cp = 0x2502;
	ck_assert_int_eq(ts_theme_look(&t, &cell, TS_DEPTH_16).attr, TS_ATTR_BOLD);
	cell.cp = 0x28ff;
	ck_assert_int_eq(ts_theme_look(&t, &cell, TS_DEPTH_MONO).attr, TS_ATTR_BOLD);
	cell = (struct ts_cell){.cp = 'x', .width = 1, .role = TS_ROLE_DIM};
	ck_assert_int_eq(ts_theme_look(&t, &cell, TS_DEPTH_MONO).attr, TS_ATTR_DIM);
	cell.over = TS_ROLE_CURSOR;
	ck_assert_int_eq(ts_theme_look(&t, &cell, TS_DEPTH_MONO).attr, TS_ATTR_REVERSE);
	cell = (struct ts_cell){.cp = 0x2588,
		.width = 1,
		.role = TS_ROLE_FILL,
		.over = TS_ROLE_BAD};
	ck_assert_int_eq(ts_theme_look(&t, &cell, TS_DEPTH_16).attr, TS_ATTR_BOLD);
}
END_TEST

/* What a cursor's row or a selection is laid over can be read in every shipped theme, whatever its role. */
static void
check_overlays(const char *name, const struct ts_theme *t, enum ts_depth depth, uint32_t cp,
	double least)
{
	static const enum ts_role over[] = {TS_ROLE_CURSOR, TS_ROLE_CURSOR_OTHER,
		TS_ROLE_SELECTION};

	for (size_t i = 0; i < TS_COUNT(over); i++)
		for (int role = 0; role < TS_ROLE_COUNT; role++) {
			struct ts_cell cell = {cp, 1, (uint8_t)role, 0, (uint8_t)over[i], 0};
			struct ts_look look = ts_theme_look(t, &cell, depth);

			if (look.bg < 0 || ts_colour_map(t->role[over[i]].bg, depth) < 0)
				continue;
			if (look.fg < 0) /* the terminal's own */
				look.fg = ts_colour_map(t->ground.fg, depth);
			ck_assert_msg(ts_colour_contrast(ts_colour_shown(look.fg, depth),
					      ts_colour_shown(look.bg, depth)) >= least,
				"%s: %s below %s, depth %d", name, ts_roles[role].name,
				ts_roles[over[i]].name, (int)depth);
		}
}

START_TEST(text_below_overlays_can_be_read)
{
	for (const struct ts_embedded *e = ts_embedded; e->name; e++)
		if (strncmp(e->name, "themes/", 7) == 0) {
			struct ts_theme t = read_theme(e->name, e->text, "");

			for (int d = TS_DEPTH_8; d <= TS_DEPTH_DIRECT; d++)
				check_overlays(e->name, &t, (enum ts_depth)d, 'x', 3);
		}
}
END_TEST

/* A bar keeps its colour in the cursor's row, and can be seen there; where two areas meet both keep theirs. */
START_TEST(drawings_keep_their_colours_below_the_cursor)
{
	static const enum ts_role bars[] = {TS_ROLE_BAR, TS_ROLE_FILL, TS_ROLE_COMPUTE,
		TS_ROLE_SERIES_0, TS_ROLE_SERIES_15};
	enum { FULL_BLOCK = 0x2588, LEFT_HALF = 0x258c };

	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		struct ts_theme t;

		if (strncmp(e->name, "themes/", 7) != 0)
			continue;
		t = read_theme(e->name, e->text, "");
		for (size_t i = 0; i < TS_COUNT(bars); i++) {
			struct ts_cell bar = {.cp = FULL_BLOCK,
				.width = 1,
				.role = (uint8_t)bars[i]};
			struct ts_cell two = {.cp = LEFT_HALF,
				.width = 1,
				.role = (uint8_t)bars[i],
				.back = TS_ROLE_SYNC};
			struct ts_look alone = ts_theme_look(&t, &bar, TS_DEPTH_DIRECT);
			struct ts_look both = ts_theme_look(&t, &two, TS_DEPTH_DIRECT), look;

			bar.over = two.over = TS_ROLE_CURSOR;
			look = ts_theme_look(&t, &bar, TS_DEPTH_DIRECT);
			ck_assert_int_eq(look.fg, alone.fg);
			if (look.fg >= 0 && look.bg >= 0)
				ck_assert_double_ge(ts_colour_contrast((uint32_t)look.fg,
							    (uint32_t)look.bg),
					2);
			look = ts_theme_look(&t, &two, TS_DEPTH_DIRECT);
			ck_assert_int_eq(look.fg, both.fg);
			ck_assert_int_eq(look.bg, both.bg);
		}
	}
}
END_TEST

START_TEST(areas_meet_in_a_cell)
{
	struct ts_theme t = read_theme("x", "role fill red\nrole base blue\n", "");
	struct ts_look look = look_at(&t, TS_ROLE_FILL, TS_ROLE_BASE, 0, TS_DEPTH_16);

	ck_assert_int_eq(look.fg, 1);
	ck_assert_int_eq(look.bg, 4);
	look = look_at(&t, TS_ROLE_FILL, TS_ROLE_BASE, 0, TS_DEPTH_MONO);
	ck_assert_int_eq(look.bg, -1);
	ck_assert(ts_theme_coloured(&(struct ts_theme){.role = {[TS_ROLE_COMPUTE] = {1, 0, 0}}}));
	t = read_theme("mono", find_theme(NULL, "mono"), "");
	ck_assert(!ts_theme_coloured(&t));
}
END_TEST

START_TEST(faults_are_reported_and_the_rest_is_used)
{
	struct ts_theme t = read_theme("x.theme",
		"role\n"
		"role nothing red\n"
		"role text red sparkling\n"
		"role text red blue green\n"
		"colour text red\n"
		"inherit nobody\n"
		"inherit\n"
		"role \"text\n"
		"role title #123456 bold   # a comment\n",
		"x.theme:1: role takes a name and a colour\n"
		"x.theme:2: unknown role \"nothing\"\n"
		"x.theme:3: neither a colour nor an attribute: \"sparkling\"\n"
		"x.theme:4: neither a colour nor an attribute: \"green\"\n"
		"x.theme:5: unknown word \"colour\"\n"
		"x.theme:6: there is no \"nobody\" to inherit\n"
		"x.theme:7: inherit takes one name\n"
		"x.theme:8: unterminated quote\n");

	ck_assert_int_eq((int)t.role[TS_ROLE_TITLE].fg, 0x123456);
	ck_assert_int_eq(t.role[TS_ROLE_TITLE].attr, TS_ATTR_BOLD);
	ck_assert_int_eq((int)t.role[TS_ROLE_TEXT].fg, (int)TS_COLOUR_KEEP);
}
END_TEST

START_TEST(a_painted_ground_is_everywhere)
{
	struct ts_theme t = read_theme("x", "ground #1a1a1a #ffffff painted\nrole note #ffffff\n",
		"");
	struct ts_theme plain = read_theme("x", "ground #1a1a1a #ffffff\n", "");
	struct ts_theme light = read_theme("light", find_theme(NULL, "light"), "");
	struct ts_cell text = {.cp = 'a', .width = 1}, note = {.cp = 'a', .width = 1};
	struct ts_look look = ts_theme_look(&t, &text, TS_DEPTH_DIRECT);

	ck_assert_int_eq(look.fg, 0x1a1a1a);
	ck_assert_int_eq(look.bg, 0xffffff);
	note.role = TS_ROLE_NOTE; /* white on white */
	look = ts_theme_look(&t, &note, TS_DEPTH_DIRECT);
	ck_assert_int_eq(look.fg, 0x1a1a1a);
	look = ts_theme_look(&t, &text, TS_DEPTH_MONO);
	ck_assert_int_eq(look.fg, -1);
	ck_assert_int_eq(look.bg, -1);
	look = ts_theme_look(&plain, &text, TS_DEPTH_DIRECT);
	ck_assert_int_eq(look.bg, -1);
	for (int i = 0; i < TS_ROLE_HEAT_0; i++)
		for (int depth = TS_DEPTH_8; depth <= TS_DEPTH_DIRECT; depth++) {
			struct ts_cell cell = {.cp = 'a', .width = 1, .role = (uint8_t)i};

			look = ts_theme_look(&light, &cell, (enum ts_depth)depth);
			ck_assert_msg(look.fg >= 0 && look.bg >= 0 && look.fg != look.bg, "%s",
				ts_roles[i].name);
		}
}
END_TEST

START_TEST(a_terminal_may_say_that_it_is_light)
{
	static const struct {
		const char *says, *theme;
	} known[] = {
		{"0;15", "light"},
		{"0;default;15", "light"},
		{"0;7", "light"},
		{"12;9", "light"},
		{"15;0", "default"},
		{"15;8", "default"},
		{"7;default", "default"},
		{"0;16", "default"},
		{"0;", "default"},
		{"15", "default"},
		{"", "default"},
		{NULL, "default"},
	};

	for (size_t i = 0; i < TS_COUNT(known); i++)
		ck_assert_str_eq(ts_theme_of_terminal(known[i].says), known[i].theme);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_theme");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, colours_are_mapped_down);
	tcase_add_test(c, words_that_are_no_colours);
	tcase_add_test(c, contrast_is_that_of_wcag);
	tcase_add_test(c, shipped_themes_can_be_read_on_their_ground);
	tcase_add_test(c, warnings_can_be_read_with_few_colours);
	tcase_add_test(c, letters_can_be_read_on_every_class);
	tcase_add_test(c, classes_and_series_differ);
	tcase_add_test(c, gaps_and_the_rest_differ_from_all_parts);
	tcase_add_test(c, heat_rises_in_lightness);
	tcase_add_test(c, levels_of_heat_differ);
	tcase_add_test(c, overlays_are_seen_at_every_depth);
	tcase_add_test(c, areas_meet_in_a_cell);
	tcase_add_test(c, text_below_overlays_can_be_read);
	tcase_add_test(c, drawings_keep_their_colours_below_the_cursor);
	tcase_add_test(c, attributes_that_would_be_in_the_way);
	tcase_add_test(c, a_painted_ground_is_everywhere);
	tcase_add_test(c, a_terminal_may_say_that_it_is_light);
	tcase_add_test(c, faults_are_reported_and_the_rest_is_used);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
