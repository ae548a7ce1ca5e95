/* SPDX-License-Identifier: MIT */
/* Layouts, lists and spans: arithmetic with its invariants under any commands and numbers. */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/layout.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/span.h"

/* Check writes down each assertion, also those that hold: too slow where there are millions. */
#define HOLDS(x)                                              \
	do {                                                  \
		if (!(x))                                     \
			ck_abort_msg("%s does not hold", #x); \
	} while (0)

static uint64_t
next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 24;
}

/* ---- layout ---- */

enum { STRIP, GRAPH, LEFT, RIGHT, READOUT };

static const struct ts_layout_item memory[] = {
	{.depth = 0, .kind = TS_SPLIT_ROWS},
	{.depth = 1, .kind = TS_PANE, .id = STRIP, .fixed = 1, .keep = 1},
	{.depth = 1, .kind = TS_PANE, .id = GRAPH, .weight = 3, .min = 5, .keep = 3},
	{.depth = 1, .kind = TS_SPLIT_COLUMNS, .weight = 1, .min = 4, .gap = 1, .keep = 2},
	{.depth = 2, .kind = TS_PANE, .id = LEFT, .weight = 1, .min = 20, .max = 40},
	{.depth = 2, .kind = TS_PANE, .id = RIGHT, .weight = 2, .min = 30, .keep = 1},
	{.depth = 1, .kind = TS_PANE, .id = READOUT, .fixed = 1, .keep = 2},
};

static void
lay_out(struct ts_rect out[TS_LAYOUT_PANES], int w, int h, int zoomed)
{
	ts_layout(out, memory, (int)TS_COUNT(memory), (struct ts_rect){3, 2, w, h}, zoomed);
}

static void
is_rect(struct ts_rect r, int x, int y, int w, int h)
{
	ck_assert_int_eq(r.x, x);
	ck_assert_int_eq(r.y, y);
	ck_assert_int_eq(r.w, w);
	ck_assert_int_eq(r.h, h);
}

START_TEST(room_is_shared_by_weight)
{
	struct ts_rect out[TS_LAYOUT_PANES];

	lay_out(out, 80, 23, TS_LAYOUT_NONE);
	is_rect(out[STRIP], 3, 2, 80, 1);
	is_rect(out[GRAPH], 3, 3, 80, 14); /* 5 and 9 of the 12 left over */
	is_rect(out[LEFT], 3, 17, 29, 7);
	is_rect(out[RIGHT], 33, 17, 50, 7);
	is_rect(out[READOUT], 3, 24, 80, 1);
	lay_out(out, 200, 23, TS_LAYOUT_NONE);
	is_rect(out[LEFT], 3, 17, 40, 7); /* its maximum */
	is_rect(out[RIGHT], 44, 17, 159, 7);
}
END_TEST

START_TEST(what_does_not_fit_is_left_out_weakest_first)
{
	struct ts_rect out[TS_LAYOUT_PANES];

	lay_out(out, 45, 10, TS_LAYOUT_NONE); /* 1 + 5 + 4 + 1 = 11 do not fit */
	ck_assert(ts_rect_empty(out[STRIP]));
	is_rect(out[GRAPH], 3, 2, 45, 5);
	ck_assert(ts_rect_empty(out[LEFT])); /* 20 + 1 + 30 do not fit; the right one is kept */
	is_rect(out[RIGHT], 3, 7, 45, 4);
	lay_out(out, 45, 7, TS_LAYOUT_NONE);
	ck_assert(ts_rect_empty(out[RIGHT]));
	ck_assert(ts_rect_empty(out[STRIP]));
	lay_out(out, 3, 1, TS_LAYOUT_NONE);
	is_rect(out[GRAPH], 3, 2, 3, 1);
	lay_out(out, 0, 5, TS_LAYOUT_NONE);
	ck_assert(ts_rect_empty(out[GRAPH]));
}
END_TEST

START_TEST(a_zoomed_pane_has_it_all)
{
	struct ts_rect out[TS_LAYOUT_PANES];

	lay_out(out, 80, 23, RIGHT);
	is_rect(out[RIGHT], 3, 2, 80, 23);
	ck_assert(ts_rect_empty(out[GRAPH]));
	lay_out(out, 80, 23, 9); /* no such pane: as if not zoomed */
	ck_assert(!ts_rect_empty(out[GRAPH]));
}
END_TEST

START_TEST(panes_never_overlap_and_stay_inside)
{
	for (int h = 0; h < 90; h++)
		for (int w = 0; w < 260; w += 7) {
			struct ts_rect out[TS_LAYOUT_PANES];
			int cells = 0;

			lay_out(out, w, h, TS_LAYOUT_NONE);
			for (int i = 0; i <= READOUT; i++) {
				struct ts_rect in = ts_rect_clip(out[i],
					(struct ts_rect){3, 2, w, h});

				HOLDS(ts_rect_empty(out[i]) ||
					(in.w == out[i].w && in.h == out[i].h));
				cells += ts_rect_empty(out[i]) ? 0 : out[i].w * out[i].h;
				for (int k = 0; k < i; k++)
					HOLDS(ts_rect_empty(ts_rect_clip(out[i], out[k])));
			}
			if (w > 0 && h >= 5) /* nothing but the gap of the split is unused */
				HOLDS(cells >= w * h - h);
		}
}
END_TEST

START_TEST(panes_in_turn)
{
	struct ts_rect out[TS_LAYOUT_PANES];
	unsigned wants = 1u << GRAPH | 1u << LEFT | 1u << RIGHT;

	lay_out(out, 80, 23, TS_LAYOUT_NONE);
	ck_assert_int_eq(ts_layout_next(out, wants, GRAPH, 1), LEFT);
	ck_assert_int_eq(ts_layout_next(out, wants, RIGHT, 1), GRAPH);
	ck_assert_int_eq(ts_layout_next(out, wants, GRAPH, -1), RIGHT);
	ck_assert_int_eq(ts_layout_next(out, 1u << GRAPH, GRAPH, 1), GRAPH);
	ck_assert_int_eq(ts_layout_next(out, 0, GRAPH, 1), GRAPH);
	ck_assert_int_eq(ts_layout_at(out, 35, 18), RIGHT);
	ck_assert_int_eq(ts_layout_at(out, 0, 0), TS_LAYOUT_NONE);
}
END_TEST

/* ---- list ---- */

static void
list_is_sane(const struct ts_list *l)
{
	int64_t count = l->count < 0 ? TS_LIST_MAX : l->count, rows = l->rows > 0 ? l->rows : 1;

	HOLDS(l->cursor >= 0);
	HOLDS(l->cursor <= (count > 0 ? count - 1 : 0));
	HOLDS(l->top >= 0);
	HOLDS(l->top <= l->cursor);
	HOLDS(l->cursor < l->top + rows);
	HOLDS(l->top + rows <= count || l->top == 0);
}

START_TEST(lists_survive_anything)
{
	static const enum ts_cmd commands[] = {TS_CMD_UP, TS_CMD_DOWN, TS_CMD_PAGE_UP,
		TS_CMD_PAGE_DOWN, TS_CMD_HALF_UP, TS_CMD_HALF_DOWN, TS_CMD_FIRST, TS_CMD_LAST,
		TS_CMD_LEFT, TS_CMD_RIGHT};
	static const int64_t odd[] = {INT64_MIN, -1, 0, 1, 5, 1000, TS_LIST_MAX - 1, TS_LIST_MAX,
		INT64_MAX};
	uint64_t seed = 1;
	struct ts_list l;

	ts_list_init(&l);
	for (int round = 0; round < 100000; round++) {
		int64_t any = next(&seed) % 2 ? odd[next(&seed) % TS_COUNT(odd)]
					      : (int64_t)(next(&seed) % 200);
		struct ts_list before = l;
		int effect;
		int64_t from, to;

		switch (next(&seed) % 8) {
		case 0:
			ts_list_set_count(&l, any);
			break;
		case 1:
			ts_list_resize(&l, (int)any);
			break;
		case 2:
			ts_list_go(&l, any);
			break;
		case 3:
			ts_list_jump(&l, any);
			break;
		case 4:
			ts_list_follow(&l, any);
			break;
		case 5:
			ts_list_scroll(&l, any);
			break;
		default:
			effect = ts_list_command(&l, commands[next(&seed) % TS_COUNT(commands)]);
			HOLDS(!!(effect & TS_EFFECT_SELECT) == (l.cursor != before.cursor));
			HOLDS(!!(effect & TS_EFFECT_RECALC) == (l.top != before.top));
			HOLDS(effect & (TS_EFFECT_REPAINT | TS_EFFECT_BELL));
		}
		list_is_sane(&l);
		ts_list_window(&l, &from, &to);
		HOLDS(from <= to);
		if (!ts_list_enough(&l, 0, 0, &from, &to)) {
			int64_t a, b;

			HOLDS(from < to);
			HOLDS(to - from <= 4 * ts_max_i64(l.rows, 1) + 4);
			HOLDS(ts_list_enough(&l, from, to, &a,
				&b)); /* what it asks for is enough */
		}
	}
}
END_TEST

START_TEST(pages_keep_the_line_of_the_cursor)
{
	struct ts_list l;

	ts_list_init(&l);
	ts_list_set_count(&l, 100);
	ts_list_resize(&l, 10);
	ts_list_go(&l, 3);
	ts_list_command(&l, TS_CMD_PAGE_DOWN);
	ck_assert_int_eq(l.cursor, 13);
	ck_assert_int_eq(l.top, 10);
	ts_list_command(&l, TS_CMD_LAST);
	ck_assert_int_eq(l.cursor, 99);
	ck_assert_int_eq(l.top, 90);
	ck_assert_int_eq(ts_list_command(&l, TS_CMD_DOWN), TS_EFFECT_BELL);
	ts_list_jump(&l, 50);
	ck_assert_int_eq(l.top, 45);
	ts_list_follow(&l, 20); /* reload: the same thing is row 20 now */
	ck_assert_int_eq(l.top, 15);
	ts_list_set_count(&l, 18);
	ck_assert_int_eq(l.cursor, 17);
	ck_assert_int_eq(ts_list_at(&l, 0), 8);
	ck_assert_int_eq(ts_list_at(&l, 10), -1);
	ck_assert_int_eq(ts_list_command(&l, TS_CMD_ZOOM_IN), TS_EFFECT_UNKNOWN);
}
END_TEST

START_TEST(an_unknown_end_is_not_jumped_to)
{
	struct ts_list l;

	ts_list_init(&l);
	ts_list_resize(&l, 10);
	ck_assert_int_eq(ts_list_command(&l, TS_CMD_LAST), TS_EFFECT_BELL);
	ts_list_go(&l, (int64_t)1 << 40);
	ck_assert_int_eq(l.cursor, (int64_t)1 << 40);
	ts_list_set_count(&l, 7);
	ck_assert_int_eq(l.cursor, 6);
	ck_assert_int_eq(l.top, 0);
}
END_TEST

START_TEST(rows_are_fetched_ahead_in_the_direction_of_travel)
{
	struct ts_list l;
	int64_t from, to;

	ts_list_init(&l);
	ts_list_set_count(&l, 1000);
	ts_list_resize(&l, 20);
	ck_assert(!ts_list_enough(&l, 0, 0, &from, &to));
	ck_assert_int_eq(from, 0);
	ck_assert_int_eq(to, 40);
	ts_list_command(&l, TS_CMD_PAGE_DOWN);
	ck_assert(!ts_list_enough(&l, 0, 40, &from, &to)); /* less than half a screen is left */
	ck_assert_int_eq(from, 10);
	ck_assert_int_eq(to, 70);
	ck_assert(ts_list_enough(&l, from, to, &from, &to));
}
END_TEST

/* ---- span ---- */

static void
span_is_sane(const struct ts_span *s)
{
	HOLDS(s->from >= 0);
	HOLDS(s->to <= s->count);
	HOLDS(s->from < s->to || s->count == 0);
	HOLDS(s->count == 0 || (s->cursor >= s->from && s->cursor < s->to));
}

/* Buckets tile the visible part, and the column of a unit shows it. */
static void
buckets_are_sane(const struct ts_span *s, uint64_t *seed)
{
	int64_t last = s->from, a, b, unit;
	int column;

	for (int i = 0; i < s->columns && s->count > 0; i++) {
		ts_span_bucket(s, i, &a, &b);
		HOLDS(a < b);
		if (s->to - s->from >= s->columns)
			HOLDS(a == last);
		else
			HOLDS(a == last || a + 1 == last);
		last = b;
	}
	if (s->count == 0 || s->columns == 0)
		return;
	HOLDS(last == s->to);
	unit = s->from + (int64_t)(next(seed) % (uint64_t)(s->to - s->from));
	column = ts_span_column(s, unit);
	HOLDS(column >= 0);
	HOLDS(column < s->columns);
	ts_span_bucket(s, column, &a, &b);
	HOLDS(unit >= a && unit < b);
	HOLDS(ts_span_column(s, s->to) == -1);
}

START_TEST(spans_survive_anything)
{
	static const enum ts_cmd commands[] = {TS_CMD_LEFT, TS_CMD_RIGHT, TS_CMD_PAGE_LEFT,
		TS_CMD_PAGE_RIGHT, TS_CMD_HALF_UP, TS_CMD_HALF_DOWN, TS_CMD_FIRST, TS_CMD_LAST,
		TS_CMD_ZOOM_IN, TS_CMD_ZOOM_IN, TS_CMD_ZOOM_OUT, TS_CMD_ZOOM_FIT};
	static const int64_t odd[] = {INT64_MIN, -1, 0, 1, 2, 1472, TS_SPAN_MAX - 1, TS_SPAN_MAX,
		INT64_MAX};
	uint64_t seed = 5;
	struct ts_span s;

	ts_span_init(&s);
	for (int round = 0; round < 30000; round++) {
		int64_t any = next(&seed) % 2 ? odd[next(&seed) % TS_COUNT(odd)]
					      : (int64_t)(next(&seed) % 3000);
		struct ts_span before = s;
		int effect;

		switch (next(&seed) % 10) {
		case 0:
			ts_span_set_count(&s, any);
			break;
		case 1:
			ts_span_resize(&s, (int)(next(&seed) % 250));
			break;
		case 2:
			ts_span_go(&s, any);
			break;
		case 3:
			ts_span_show(&s, any, any + (any < 1000000 ? 50 : 0));
			break;
		default:
			effect = ts_span_command(&s, commands[next(&seed) % TS_COUNT(commands)]);
			HOLDS(!!(effect & TS_EFFECT_SELECT) == (s.cursor != before.cursor));
			HOLDS(!!(effect & TS_EFFECT_RECALC) ==
				(s.from != before.from || s.to != before.to));
		}
		span_is_sane(&s);
		buckets_are_sane(&s, &seed);
	}
}
END_TEST

START_TEST(zooming_keeps_the_cursor_where_it_is)
{
	struct ts_span s;
	int column;

	ts_span_init(&s);
	ts_span_set_count(&s, 1472);
	ts_span_resize(&s, 100);
	ts_span_go(&s, 1000);
	column = ts_span_column(&s, 1000);
	for (int i = 0; i < 3; i++) {
		ts_span_command(&s, TS_CMD_ZOOM_IN);
		ck_assert_int_le(abs(ts_span_column(&s, 1000) - column), 1);
	}
	ck_assert_int_eq(s.to - s.from, 184);
	for (int i = 0; i < 10; i++)
		ts_span_command(&s, TS_CMD_ZOOM_OUT);
	ck_assert(ts_span_whole(&s));
	ck_assert_int_eq(ts_span_command(&s, TS_CMD_ZOOM_FIT), TS_EFFECT_BELL);
	/* a count that grows: what showed all shows all */
	ts_span_set_count(&s, 2000);
	ck_assert(ts_span_whole(&s));
}
END_TEST

START_TEST(the_cursor_visits_every_column)
{
	struct ts_span s;

	ts_span_init(&s);
	ts_span_set_count(&s, 1472);
	ts_span_resize(&s, 97);
	for (int i = 0; i < 97; i++) {
		ck_assert_int_eq(ts_span_column(&s, s.cursor), i);
		ts_span_command(&s, TS_CMD_RIGHT);
	}
	ts_span_show(&s, 10, 20); /* a unit takes several columns: one key, one unit */
	ts_span_go(&s, 10);
	for (int i = 10; i < 30; i++) {
		ck_assert_int_eq(s.cursor, i);
		ts_span_command(&s, TS_CMD_RIGHT);
	}
	ck_assert_int_eq(ts_span_overview(&s, 50, 0), 0);
	ck_assert_int_eq(ts_span_overview(&s, 50, 1471), 49);
	ck_assert_int_eq(ts_span_overview(&s, 50, 1472), -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_panes");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, room_is_shared_by_weight);
	tcase_add_test(c, what_does_not_fit_is_left_out_weakest_first);
	tcase_add_test(c, a_zoomed_pane_has_it_all);
	tcase_add_test(c, panes_never_overlap_and_stay_inside);
	tcase_add_test(c, panes_in_turn);
	tcase_add_test(c, lists_survive_anything);
	tcase_add_test(c, pages_keep_the_line_of_the_cursor);
	tcase_add_test(c, an_unknown_end_is_not_jumped_to);
	tcase_add_test(c, rows_are_fetched_ahead_in_the_direction_of_travel);
	tcase_add_test(c, spans_survive_anything);
	tcase_add_test(c, zooming_keeps_the_cursor_where_it_is);
	tcase_add_test(c, the_cursor_visits_every_column);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
