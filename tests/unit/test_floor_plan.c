/* SPDX-License-Identifier: MIT */
/*
 * The tile map's arithmetic: each tile stands at one place and is found there again, for any machine, screen and
 * zoom; the cursor gets everywhere; levels rise with values and begin where legends say.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/floor_plan.h"
#include "tilescope/ui/heat.h"

enum { MOST = 6000 };

struct machine {
	int64_t tile[MOST], ipu[MOST], physical[MOST];
	int64_t n, per_ipu;
};

static unsigned
rnd(unsigned n)
{
	return (unsigned)rand() % n;
}

static void
make(struct machine *m, int64_t ipus, int64_t per_ipu)
{
	m->n = 0;
	m->per_ipu = per_ipu;
	for (int64_t i = 0; i < ipus * per_ipu && m->n < MOST; i++, m->n++) {
		m->tile[m->n] = i;
		m->ipu[m->n] = i / per_ipu;
		m->physical[m->n] = per_ipu - 1 - i % per_ipu;
	}
}

static struct ts_floor
lay_out(const struct machine *m, bool physical)
{
	struct ts_floor f;

	ck_assert(ts_floor_init(&f, m->tile, m->ipu, physical ? m->physical : NULL, m->n,
		m->per_ipu));
	return f;
}

/* Of the tiles on the page: those that are there, each at a place of its own, each found there again. */
static int64_t
check_page(const struct ts_floor_view *v, const struct ts_floor *f)
{
	int64_t seen = 0;

	for (int64_t i = 0; i < f->tiles; i++) {
		int x, y;

		if (!ts_floor_place(v, f, i, &x, &y))
			continue;
		seen++;
		ck_assert_int_eq(ts_floor_at(v, f, x, y), i);
		ck_assert_int_eq(ts_floor_at(v, f, x + v->w - 1, y + v->h - 1), i);
	}
	return seen;
}

/* Where three have room side by side, four stand two above two. */
START_TEST(blocks_of_a_page_are_even)
{
	static const struct {
		int ipus, across, down;
	} known[] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 2, 2}, {5, 3, 2}, {6, 3, 2}, {7, 3, 2}};

	for (size_t i = 0; i < TS_COUNT(known); i++) {
		static struct machine m;
		struct ts_floor_view v = {0};
		struct ts_floor f;

		make(&m, (unsigned)known[i].ipus, 1472);
		f = lay_out(&m, false);
		ts_floor_fit(&v, &f, 3 * 64 + 4, 2 * (23 + 3), 1, false, 0); /* 7 have two pages */
		ck_assert_int_eq(v.across, known[i].across);
		ck_assert_int_eq(v.down, known[i].down);
		ts_floor_fini(&f);
	}
}
END_TEST

START_TEST(mk2_fits_80_by_24)
{
	static struct machine m;
	struct ts_floor_view v = {0};
	struct ts_floor f;

	make(&m, 1, 1472);
	f = lay_out(&m, false);
	ck_assert(f.columns == 64 && f.rows == 23 && f.blocks == 1 && !f.ranked);
	ck_assert_int_eq(ts_floor_fit(&v, &f, 78, 2 * 12, 0, false, 0), 1);
	ck_assert_int_eq(check_page(&v, &f), 1472);
	ck_assert_int_eq(ts_floor_fit(&v, &f, 78, 2 * 12, 0, true, 0), 1);
	ck_assert_int_eq(check_page(&v, &f), 1472);
	ck_assert_int_eq(ts_floor_fit(&v, &f, 78, 2 * 23, 0, true, 0), 2);
	ck_assert_int_eq(ts_floor_fit(&v, &f, 200, 2 * 50, 0, false, 0), 5);
	ts_floor_fini(&f);
	make(&m, 1, 1216);
	f = lay_out(&m, false);
	ck_assert(f.columns == 64 && f.rows == 19);
	ts_floor_fini(&f);
}
END_TEST

START_TEST(each_tile_has_its_place_on_one_page)
{
	static struct machine m;
	struct ts_floor_view v = {0};
	int64_t seen = 0;
	struct ts_floor f;
	int pages;

	srand((unsigned)_i + 1);
	make(&m, 1 + rnd(7), 1 + rnd(_i % 2 ? 200 : 1500));
	for (unsigned k = rnd(20); k > 0 && m.n > 1; k--) { /* holes */
		unsigned at = rnd((unsigned)m.n);

		m.n--;
		for (int64_t i = at; i < m.n; i++) {
			m.tile[i] = m.tile[i + 1];
			m.ipu[i] = m.ipu[i + 1];
			m.physical[i] = m.physical[i + 1];
		}
	}
	f = lay_out(&m, _i % 3 == 0);
	ck_assert(!f.ranked);
	(void)ts_floor_fit(&v, &f, 70 + (int)rnd(140), 60 + (int)rnd(60), (int)rnd(2), rnd(2), 0);
	pages = ts_floor_pages(&v, &f);
	for (int p = 0; p < pages; p++) {
		v.first = p * v.across * v.down;
		seen += check_page(&v, &f);
	}
	ck_assert_int_eq(seen, m.n);
	for (int64_t i = 0; i < m.n; i++) /* a page is that of the cursor, a window shows it */
		if (rnd(100) == 0) {
			int x, y;

			(void)ts_floor_fit(&v, &f, 5 + (int)rnd(100), 4 + (int)rnd(40),
				(int)rnd(TS_FLOOR_ZOOMS), rnd(2), i);
			ck_assert(ts_floor_place(&v, &f, i, &x, &y));
			ck_assert(x >= 0 && y >= 0);
			check_page(&v, &f);
		}
	ts_floor_fini(&f);
}
END_TEST

START_TEST(the_cursor_gets_everywhere)
{
	static struct machine m;
	static char reached[MOST];
	static int64_t queue[MOST];
	static const int way[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	struct ts_floor_view v = {0};
	int64_t head = 0, tail = 0;
	struct ts_floor f;

	srand((unsigned)_i + 1);
	make(&m, 1 + rnd(5), 1 + rnd(300));
	f = lay_out(&m, rnd(2));
	(void)ts_floor_fit(&v, &f, 60 + (int)rnd(140), 10 + (int)rnd(60), 0, false, 0);
	for (int64_t i = 0; i < m.n; i++)
		reached[i] = 0;
	reached[0] = 1;
	queue[tail++] = 0;
	while (head < tail)
		for (int64_t at = queue[head++], k = 0; k < 4; k++) {
			int64_t to = ts_floor_step(&v, &f, at, way[k][0], way[k][1]);

			if (to >= 0 && !reached[to]) {
				reached[to] = 1;
				queue[tail++] = to;
			}
		}
	ck_assert_int_eq(tail, m.n);
	ck_assert_int_eq(ts_floor_step(&v, &f, -1, 1, 0), -1);
	ck_assert_int_eq(ts_floor_step(&v, &f, m.n, 1, 0), -1);
	ts_floor_fini(&f);
}
END_TEST

START_TEST(orders_that_are_no_slots_are_ranks)
{
	static struct machine m;
	struct ts_floor f;

	make(&m, 2, 100);
	for (int64_t i = 0; i < m.n; i++)
		m.physical[i] = i % 100 * 1000003;
	f = lay_out(&m, true);
	ck_assert(f.ranked && f.slot_of[7] == 7 && f.slot_of[107] == 7);
	ts_floor_fini(&f);
	for (int64_t i = 0; i < m.n; i++)
		m.physical[i] = i; /* they go on from IPU to IPU */
	f = lay_out(&m, true);
	ck_assert(!f.ranked && f.slot_of[107] == 7);
	ts_floor_fini(&f);
	for (int64_t i = 0; i < m.n; i++)
		m.tile[i] = INT64_MAX - m.n + i; /* nobody's numbers */
	f = lay_out(&m, false);
	ck_assert(f.ranked && f.slot_of[107] == 7);
	ts_floor_fini(&f);
	m.per_ipu = INT64_MAX;
	f = lay_out(&m, false);
	ck_assert(f.ranked);
	ts_floor_fini(&f);
}
END_TEST

START_TEST(too_many_ipus_are_one_block)
{
	struct machine *m = ts_alloc(1, sizeof(*m));
	struct ts_floor f;

	ck_assert_ptr_nonnull(m);
	make(m, MOST, 1);
	f = lay_out(m, false);
	ck_assert(f.blocks == 1 && f.block[0].ipu < 0 && f.slots == MOST);
	ts_floor_fini(&f);
	m->n = 0;
	f = lay_out(m, false);
	ck_assert_int_eq(f.blocks, 0);
	ts_floor_fini(&f);
	free(m);
}
END_TEST

/* Blocks are as large as the largest: thousands of small ones beside it are no reason to have no map. */
START_TEST(ipus_of_very_different_sizes_are_one_block)
{
	static struct machine m;
	struct ts_floor_view v = {0};
	struct ts_floor f;

	m.per_ipu = 0;
	for (m.n = 0; m.n < MOST; m.n++) {
		m.tile[m.n] = m.n;
		m.ipu[m.n] = m.n < MOST - 3000 ? 0 : m.n % 2 + 1;
	}
	f = lay_out(&m, false);
	ck_assert_int_eq(f.blocks, 1);
	ck_assert_int_eq(f.block[0].count, MOST);
	(void)ts_floor_fit(&v, &f, 200, 200, 1, false, 0);
	ck_assert_int_eq(check_page(&v, &f), MOST);
	ts_floor_fini(&f);
}
END_TEST

START_TEST(two_corners_span_a_rectangle)
{
	static struct machine m;
	struct ts_floor f;
	int inside = 0;

	make(&m, 2, 256);
	f = lay_out(&m, false);
	for (int64_t i = 0; i < m.n; i++)
		inside += ts_floor_between(&f, 64 + 5, 128 + 3, i);
	ck_assert_int_eq(inside, 6);
	ck_assert(ts_floor_between(&f, 128 + 3, 64 + 5, 64 + 4));
	inside = 0;
	for (int64_t i = 0; i < m.n; i++)
		inside += ts_floor_between(&f, 300, 250, i);
	ck_assert_int_eq(inside, 51);
	ts_floor_fini(&f);
}
END_TEST

/* --- levels ------------------------------------------------------------------------------------- */

START_TEST(levels_rise_and_begin_where_they_say)
{
	struct ts_heat_scale s;
	int before = 0;

	srand((unsigned)_i + 1);
	s.how = (enum ts_heat_how)(_i % TS_HEAT_HOWS);
	s.least = (int64_t)rnd(1000);
	s.most = s.least + (int64_t)rnd(_i % 5 ? 1000000 : 1);
	for (int64_t v = 0; v <= s.most + 5; v += 1 + s.most / 1000) {
		int level = ts_heat_level(&s, v);

		ck_assert(level >= before && level < TS_HEAT_LEVELS);
		if (v >= s.least && v < s.most && s.most > s.least) {
			ck_assert(
				(double)v >= ts_heat_begin(&s, level) - 1e-6 * (double)s.most - 1);
			ck_assert((double)v <=
				ts_heat_begin(&s, level + 1) + 1e-6 * (double)s.most + 1);
		}
		before = level;
	}
	ck_assert_int_eq(ts_heat_level(&s, -1), TS_HEAT_UNKNOWN);
	if (s.most > 0)
		ck_assert_int_eq(ts_heat_level(&s, s.most), TS_HEAT_LEVELS - 1);
}
END_TEST

START_TEST(extremes_have_levels)
{
	struct ts_heat_scale s = {TS_HEAT_LINEAR, 0, INT64_MAX};

	for (int how = 0; how < TS_HEAT_HOWS; how++) {
		s.how = (enum ts_heat_how)how;
		ck_assert_int_eq(ts_heat_level(&s, 0), 0);
		ck_assert_int_eq(ts_heat_level(&s, INT64_MAX), TS_HEAT_LEVELS - 1);
	}
	s = (struct ts_heat_scale){TS_HEAT_LINEAR, 0, 0};
	ck_assert_int_eq(ts_heat_level(&s, 0), 0);
	s = (struct ts_heat_scale){TS_HEAT_LINEAR, 7, 7};
	ck_assert_int_eq(ts_heat_level(&s, 7), TS_HEAT_LEVELS - 1);
}
END_TEST

/* The role whose colour the upper or the lower half of a cell shows. */
static enum ts_role
half(const struct ts_cell *cell, bool lower)
{
	bool front = cell->cp == 0x2588 || cell->cp == (lower ? 0x2584u : 0x2580u);

	if (cell->cp == ' ' && cell->back == TS_ROLE_TEXT)
		return TS_ROLE_TEXT;
	return (enum ts_role)(front ? cell->role : cell->back);
}

/* Whatever pairs of colours cells share with those before them. */
START_TEST(each_half_has_the_colour_of_its_level)
{
	enum { W = 60, H = 15 };
	uint8_t level[W * H];
	struct ts_heat_grid g = {W, H, level};
	struct ts_canvas *c = ts_canvas_new(W, (H + 1) / 2, TS_GLYPHS_FULL);

	ck_assert_ptr_nonnull(c);
	srand((unsigned)_i + 1);
	for (int i = 0; i < W * H; i++)
		level[i] = rnd(9) == 0 ? TS_HEAT_NOTHING
			: rnd(30) == 0 ? (uint8_t)(rnd(5) | TS_HEAT_CURSOR)
			: rnd(9) == 0  ? (uint8_t)(rnd(12) | TS_HEAT_SELECTED)
				       : (uint8_t)rnd(2 + (unsigned)_i % 4);
	ts_heat_draw(c, ts_canvas_rect(c), &g);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			ck_assert_int_eq(half(ts_canvas_at(c, x, y / 2), y % 2),
				ts_heat_role(level[y * W + x]));
	ts_canvas_free(c);
}
END_TEST

START_TEST(differences_have_a_sign)
{
	const int64_t d[] = {0, 90, -30, 10, -90, INT64_MIN};
	int64_t most = ts_heat_most_different(d, TS_COUNT(d));

	ck_assert_int_eq(most, 90);
	ck_assert_int_eq(ts_heat_difference(0, most), TS_HEAT_SAME);
	ck_assert_int_eq(ts_heat_difference(90, most), TS_HEAT_MORE + 2);
	ck_assert_int_eq(ts_heat_difference(-30, most), TS_HEAT_LESS + 1);
	ck_assert_int_eq(ts_heat_difference(10, most), TS_HEAT_MORE);
	ck_assert_int_eq(ts_heat_difference(-90, most), TS_HEAT_LESS);
	ck_assert_int_eq(ts_heat_difference(INT64_MIN, most), TS_HEAT_UNKNOWN);
	ck_assert_int_eq(ts_heat_difference(5, 0), TS_HEAT_SAME);
	ck_assert_int_eq(ts_heat_most_different(d + 5, 1), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("floor_plan");
	TCase *c = tcase_create("floor_plan");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_test(c, mk2_fits_80_by_24);
	tcase_add_test(c, blocks_of_a_page_are_even);
	tcase_add_loop_test(c, each_tile_has_its_place_on_one_page, 0, 9);
	tcase_add_loop_test(c, the_cursor_gets_everywhere, 0, 8);
	tcase_add_test(c, orders_that_are_no_slots_are_ranks);
	tcase_add_test(c, too_many_ipus_are_one_block);
	tcase_add_test(c, ipus_of_very_different_sizes_are_one_block);
	tcase_add_test(c, two_corners_span_a_rectangle);
	tcase_add_loop_test(c, levels_rise_and_begin_where_they_say, 0, 30);
	tcase_add_test(c, extremes_have_levels);
	tcase_add_loop_test(c, each_half_has_the_colour_of_its_level, 0, 20);
	tcase_add_test(c, differences_have_a_sign);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
