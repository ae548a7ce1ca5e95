/* SPDX-License-Identifier: MIT */
/*
 * Percentiles, histogram, balance and cumulative share: by hand, and against slow computations from their
 * definitions on random values, among them 0 and 2^62.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"

enum { VALUES = 60, BINS = 9 };

static uint64_t
draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* n values below `most`, of few kinds or many. */
static void
fill(int64_t *v, size_t n, int64_t most, uint64_t *state)
{
	uint64_t kinds = draw(state) % 3 ? UINT64_MAX : 4;

	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)(draw(state) % kinds % ((uint64_t)most + 1));
}

START_TEST(by_hand)
{
	const int64_t v[] = {15, 20, 35, 40, 50}, full[] = {10, 10, 10, 10}, two[] = {0, 10};
	const int64_t third[] = {0, 0, 10};
	int64_t bins[5];
	double x;

	ck_assert_int_eq(ts_percentile(v, 5, 0), 15);
	ck_assert_int_eq(ts_percentile(v, 5, 5), 15);
	ck_assert_int_eq(ts_percentile(v, 5, 30), 20);
	ck_assert_int_eq(ts_percentile(v, 5, 40), 20);
	ck_assert_int_eq(ts_percentile(v, 5, 50), 35);
	ck_assert_int_eq(ts_percentile(v, 5, 100), 50);
	ts_histogram(bins, 4, v, 5, 40);
	ck_assert_int_eq(bins[0], 0);
	ck_assert_int_eq(bins[1], 1);
	ck_assert_int_eq(bins[2], 1);
	ck_assert_int_eq(bins[3], 2); /* 35, and 40, which is the top */
	ck_assert_int_eq(bins[4], 1);
	ck_assert(ts_balance_index(&x, full, 4, 10));
	ck_assert_double_eq(x, 1);
	ck_assert(ts_balance_index(&x, two, 2, 10)); /* mean 5, half a tile: RMSE 5 of 5 */
	ck_assert_double_eq(x, 0);
	ck_assert(ts_balance_index(&x, two, 2, 8)); /* mean above half: RMSE_max is the mean */
	ck_assert_double_eq(x, 0);
	ck_assert(ts_balance_index(&x, third, 3, 20));
	ck_assert_double_eq_tol(x, 1 - sqrt(200 / 9.0) / (20 - 10 / 3.0), 1e-12);
	ck_assert(!ts_balance_index(&x, v, 0, 10) && !ts_balance_index(&x, v, 5, 0));
	ck_assert_uint_eq(ts_share_count((const int64_t[]){50, 30, 20}, 3, 100, 50), 1);
	ck_assert_uint_eq(ts_share_count((const int64_t[]){50, 30, 20}, 3, 100, 51), 2);
	ck_assert_uint_eq(ts_share_count((const int64_t[]){50, 30, 20}, 3, 101, 100), 4);
	ck_assert_uint_eq(ts_share_count((const int64_t[]){0}, 1, 0, 50), 0);
}
END_TEST

/* Every property at once, on one random series. */
START_TEST(by_definition)
{
	uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(_i + 1);
	const int64_t tops[] = {1, 7, 1000, 638976, (int64_t)1 << 62};
	int64_t v[VALUES], top = tops[draw(&state) % TS_COUNT(tops)], bins[BINS + 1],
			   sorted[BINS + 1], seen = 0;
	size_t n = 1 + draw(&state) % VALUES;
	double mean = 0, squares = 0, x;

	fill(v, n, draw(&state) % 2 ? top : top / 2 + top / 4, &state);
	for (size_t i = 0; i < n; i++)
		mean += (double)v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((double)v[i] - mean) * ((double)v[i] - mean) / (double)n;
	ck_assert(ts_balance_index(&x, v, n, top));
	ck_assert_double_eq_tol(x,
		1 - sqrt(squares) / (mean <= (double)top / 2 ? (double)top - mean : mean), 1e-6);
	ts_histogram(bins, BINS, v, n, top);
	for (int b = 0; b <= BINS; b++) {
		int64_t count = 0;

		for (size_t i = 0; i < n; i++) {
			long double at = (long double)v[i] * BINS / (long double)top;

			count += b == BINS	? v[i] > top
				: b == BINS - 1 ? v[i] <= top && (v[i] == top || at >= b)
						: v[i] < top && at >= b && at < b + 1;
		}
		ck_assert_int_eq(bins[b], count);
		seen += bins[b];
	}
	ck_assert_int_eq(seen, (int64_t)n);
	ts_spread_sort(v, n);
	ts_histogram_sorted(sorted, BINS, v, n, top);
	ck_assert_mem_eq(sorted, bins, sizeof(bins));
	for (int p = 0; p <= 100; p++) {
		int64_t got = ts_percentile(v, n, p);
		size_t not_above = 0, below = 0;

		for (size_t i = 0; i < n; i++) {
			not_above += v[i] <= got;
			below += v[i] < got;
		}
		ck_assert_uint_ge(not_above * 100, (size_t)p * n); /* enough of them ... */
		ck_assert(p == 0 ? below == 0 : below * 100 < (size_t)p * n); /* ... and no fewer */
	}
}
END_TEST

START_TEST(share_by_definition)
{
	uint64_t state = 0xd1b54a32d192ed03u * (uint64_t)(_i + 1);
	int64_t v[VALUES], down[VALUES], whole = 0;
	size_t n = 1 + draw(&state) % VALUES, k;
	int percent = 1 + (int)(draw(&state) % 100);
	long double sum = 0;

	fill(v, n, 1000000, &state);
	ts_spread_sort(v, n);
	for (size_t i = 0; i < n; i++) {
		down[i] = v[n - 1 - i];
		whole += v[i];
	}
	whole += draw(&state) % 2 ? 0 : 500000;
	k = ts_share_count(down, n, whole, percent);
	for (size_t i = 0; i + 1 < k && i < n; i++)
		sum += (long double)down[i];
	ck_assert(whole == 0 ? k == 0 : sum * 100 < (long double)whole * percent);
	if (k > 0 && k <= n)
		ck_assert((sum + (long double)down[k - 1]) * 100 >= (long double)whole * percent);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("spread");
	TCase *t = tcase_create("spread");
	SRunner *r;
	int failed;

	tcase_add_test(t, by_hand);
	tcase_add_loop_test(t, by_definition, 0, 300);
	tcase_add_loop_test(t, share_by_definition, 0, 300);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
