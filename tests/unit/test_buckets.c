/* SPDX-License-Identifier: MIT */
/*
 * Buckets: columns tile the range whatever the numbers, no value is lost at any width, figures are
 * those of a plain count, and the division is that of ui/span.h.
 */
#include "config.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/buckets.h"
#include "tilescope/ui/span.h"

#include "depth.h"

#define HUGE_VALUE ((int64_t)1 << 62)

enum { MOST = 700 };

static uint64_t
next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Values of all kinds: small, equal, huge, not known. */
static void
fill(int64_t *v, int n, uint64_t seed)
{
	for (int i = 0; i < n; i++) {
		uint64_t r = next(&seed);

		v[i] = r % 7 == 0     ? -1
			: r % 11 == 0 ? HUGE_VALUE - (int64_t)(r % 3)
				      : (int64_t)(r % 50);
	}
}

START_TEST(columns_tile_the_range)
{
	for (int64_t n = 1; n < 40; n++)
		for (int w = 1; w < 60; w++) {
			int64_t end = 5, a, b, seen = 0;

			for (int i = 0; i < w; i++) {
				ts_buckets_range(5, 5 + n, w, i, &a, &b);
				ck_assert_int_lt(a, b);
				ck_assert_int_ge(a, 5);
				ck_assert_int_le(b, 5 + n);
				if (n >= w)
					ck_assert_int_eq(a, end);
				seen += b > end ? b - end : 0;
				end = b > end ? b : end;
			}
			ck_assert_int_eq(end, 5 + n);
			ck_assert_int_eq(seen, n);
		}
}
END_TEST

START_TEST(a_range_has_no_column_outside)
{
	int64_t a, b;

	ts_buckets_range(3, 9, 4, -1, &a, &b);
	ck_assert_int_eq(a, b);
	ts_buckets_range(3, 9, 4, 4, &a, &b);
	ck_assert_int_eq(a, b);
	ts_buckets_range(3, 3, 4, 0, &a, &b);
	ck_assert_int_eq(a, b);
	ts_buckets_range(9, 3, 4, 0, &a, &b);
	ck_assert_int_eq(a, b);
	ts_buckets_range(3, 9, 0, 0, &a, &b);
	ck_assert_int_eq(a, b);
	ts_buckets_range(0, INT64_MAX, 1000, 999, &a, &b);
	ck_assert(b == INT64_MAX && a < b);
}
END_TEST

START_TEST(columns_are_those_of_a_span)
{
	static const int64_t counts[] = {1, 2, 7, 80, 2944, 94208, ((int64_t)1 << 60) + 12345};

	for (size_t k = 0; k < TS_COUNT(counts); k++)
		for (int w = 1; w < 300; w += 13) {
			struct ts_span s;

			ts_span_init(&s);
			ts_span_resize(&s, w);
			ts_span_set_count(&s, counts[k]);
			ts_span_show(&s, counts[k] / 3, counts[k] / 3 + counts[k] / 2 + 1);
			for (int i = 0; i < w; i++) {
				int64_t a, b, c, d;

				ts_span_bucket(&s, i, &a, &b);
				ts_buckets_range(s.from, s.to, w, i, &c, &d);
				ck_assert_int_eq(a, c);
				ck_assert_int_eq(b, d);
			}
		}
}
END_TEST

/* The figures of one column, counted plainly. */
static void
check_bucket(const struct ts_bucket *b, const int64_t *v)
{
	int64_t known = 0, max = -1, min = -1, at = -1;
	long double sum = 0;

	for (int64_t i = b->from; i < b->to; i++) {
		if (v[i] < 0)
			continue;
		known++;
		sum += v[i];
		if (v[i] > max) {
			max = v[i];
			at = i;
		}
		if (min < 0 || v[i] < min)
			min = v[i];
	}
	ck_assert_int_eq(b->known, known);
	ck_assert_int_eq(b->max, max);
	ck_assert_int_eq(b->min, min);
	ck_assert_int_eq(b->max_at, at);
	if (known == 0)
		ck_assert(b->mean == 0);
	else
		ck_assert_ldouble_eq_tol(b->mean, sum / known, (sum / known + 1) * 1e-15L);
}

START_TEST(figures_are_those_of_a_plain_count)
{
	struct ts_bucket b[MOST];
	int64_t v[MOST];
	uint64_t seed = (uint64_t)_i;

	for (int round = 0; round < 60; round++) {
		int n = (int)(next(&seed) % MOST), w = 1 + (int)(next(&seed) % 250);
		int64_t from = n > 0 ? (int64_t)(next(&seed) % (unsigned)n) : 0;
		int64_t to = from + (int64_t)(next(&seed) % MOST);

		fill(v, n, seed);
		ts_buckets(b, w, v, n, from, to);
		for (int i = 0; i < w; i++) {
			ck_assert_int_le(b[i].to, n);
			check_bucket(&b[i], v);
		}
	}
}
END_TEST

/* One full tile among many must stand out in exactly the column that holds it, at every width. */
START_TEST(no_value_is_lost_at_any_width)
{
	enum { TILES = 2944 };
	static int64_t v[TILES];
	struct ts_bucket b[250];
	uint64_t seed = 3;

	for (int i = 0; i < TILES; i++)
		v[i] = 100;
	for (int w = 1; w <= 250; w++) {
		int hot = (int)(next(&seed) % TILES), columns = 0;

		v[hot] = 101;
		ts_buckets(b, w, v, TILES, 0, TILES);
		for (int i = 0; i < w; i++) {
			if (b[i].max != 101)
				continue;
			columns++;
			ck_assert_int_eq(b[i].max_at, hot);
			ck_assert(b[i].from <= hot && hot < b[i].to);
		}
		ck_assert_int_eq(columns, 1);
		v[hot] = 100;
	}
}
END_TEST

START_TEST(sums_of_huge_values_do_not_overflow)
{
	int64_t v[64];
	struct ts_bucket b;

	for (int i = 0; i < 64; i++)
		v[i] = HUGE_VALUE;
	ts_buckets(&b, 1, v, 64, 0, 64);
	ck_assert(b.mean == (double)HUGE_VALUE);
}
END_TEST

START_TEST(layers_are_of_the_fullest_or_of_the_mean)
{
	/* three parts of ten tiles; tile 7 has no third part */
	static const int64_t used[10] = {5, 9, 2, 2, 0, -1, 4, 8, 8, 1};
	static const int64_t part[10] = {1, 6, 2, 0, 0, -1, 3, -1, 5, 1};
	struct ts_bucket b[3];
	double out[3];

	ts_buckets(b, 3, used, 10, 0, 10); /* [0,3) [3,6) [6,10) */
	ts_buckets_layer(out, 3, b, part, 10, TS_STACK_MAX);
	ck_assert(out[0] == 6 && out[1] == 0 && out[2] == 0);
	ts_buckets_layer(out, 3, b, part, 10, TS_STACK_MEAN);
	ck_assert(out[0] == 3 && out[1] == 0 && out[2] == 9.0 / 4);
	ts_buckets_layer(out, 3, b, part, 0, TS_STACK_MEAN); /* an axis of another length */
	ck_assert(out[0] == 0 && out[1] == 0 && out[2] == 0);
}
END_TEST

START_TEST(parts_of_the_mean_add_up_to_the_mean)
{
	int64_t part[4][MOST], sum[MOST] = {0};
	struct ts_bucket b[100];
	double layer[4][100];

	for (int k = 0; k < 4; k++)
		for (int i = 0; i < MOST; i++) {
			part[k][i] = (i * 37 + k * 101) % 97;
			sum[i] += part[k][i];
		}
	ts_buckets(b, 100, sum, MOST, 0, MOST);
	for (int k = 0; k < 4; k++)
		ts_buckets_layer(layer[k], 100, b, part[k], MOST, TS_STACK_MEAN);
	for (int i = 0; i < 100; i++)
		ck_assert_double_eq_tol(layer[0][i] + layer[1][i] + layer[2][i] + layer[3][i],
			b[i].mean, 1e-9);
}
END_TEST

START_TEST(differences_have_the_largest_of_each_sign)
{
	static const int64_t now[] = {5, 9, -1, 4, 0, HUGE_VALUE, 7, 7};
	static const int64_t before[] = {8, 2, 3, -1, 6, 0, 7, 1};
	double more[4], less[4];

	ts_buckets_differences(more, less, 4, now, before, 8, 0, 8);
	ck_assert_double_eq(more[0], 7);
	ck_assert_double_eq(less[0], 3);
	ck_assert(more[1] == 0 && less[1] == 0); /* neither is known on both sides */
	ck_assert_double_eq(more[2], (double)HUGE_VALUE);
	ck_assert_double_eq(less[2], 6);
	ck_assert(more[3] == 6 && less[3] == 0);
	ts_buckets_differences(more, less, 4, now, before, 8, -5, 1); /* clamped */
	ck_assert_double_eq(less[3], 3);
	ck_assert(less[0] == 3 && more[0] == 0); /* a value takes several columns */
}
END_TEST

/* Values of every size, many of them the same, against a look at each pair of neighbours. */
START_TEST(the_order_holds_between_neighbours)
{
	enum { MANY = 3000 };
	static int64_t v[MANY];
	static uint32_t order[MANY];
	static bool met[MANY];
	uint64_t x = 42;

	for (int i = 0; i < MANY; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		v[i] = (int64_t)(x >> (x >> 58)) - (x >> 32) % 2;
	}
	v[7] = INT64_MAX;
	v[8] = INT64_MIN;
	ck_assert(ts_buckets_order(order, v, MANY));
	for (int i = 0; i < MANY; i++) {
		ck_assert_uint_lt(order[i], MANY);
		ck_assert(!met[order[i]]);
		met[order[i]] = true;
	}
	for (int i = 1; i < MANY; i++) {
		int64_t before = v[order[i - 1]] < 0 ? -1 : v[order[i - 1]];
		int64_t here = v[order[i]] < 0 ? -1 : v[order[i]];

		ck_assert(before > here || (before == here && order[i - 1] < order[i]));
	}
}
END_TEST

START_TEST(the_order_is_fullest_first_and_stable)
{
	static const int64_t v[] = {3, -1, 9, 3, 0, 9, HUGE_VALUE};
	static const uint32_t expected[] = {6, 2, 5, 0, 3, 4, 1};
	uint32_t order[7];

	ck_assert(ts_buckets_order(order, v, 7));
	for (int i = 0; i < 7; i++)
		ck_assert_uint_eq(order[i], expected[i]);
	ck_assert(ts_buckets_order(order, v, 0));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("buckets");
	TCase *c = tcase_create("buckets");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_test(c, columns_tile_the_range);
	tcase_add_test(c, a_range_has_no_column_outside);
	tcase_add_test(c, columns_are_those_of_a_span);
	tcase_add_loop_test(c, figures_are_those_of_a_plain_count, 0, sample_of(20));
	tcase_add_test(c, no_value_is_lost_at_any_width);
	tcase_add_test(c, sums_of_huge_values_do_not_overflow);
	tcase_add_test(c, layers_are_of_the_fullest_or_of_the_mean);
	tcase_add_test(c, parts_of_the_mean_add_up_to_the_mean);
	tcase_add_test(c, differences_have_the_largest_of_each_sign);
	tcase_add_test(c, the_order_is_fullest_first_and_stable);
	tcase_add_test(c, the_order_holds_between_neighbours);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
