/* SPDX-License-Identifier: MIT */
/*
 * Peaks: known shapes, and random series against a slow definition of prominence that knows nothing of
 * stacks: for every maximum walk both ways until there is higher ground.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/peaks.h"

static struct ts_peaks
peaks_of(const int64_t *v, size_t n, double share)
{
	struct ts_peaks p;

	ck_assert_int_eq(ts_peaks_find(&p, v, n, share, SIZE_MAX, NULL), TS_OK);
	ck_assert_uint_eq(p.count, p.found);
	return p;
}

static void
check_peak(const struct ts_peaks *p, size_t rank, size_t at, int64_t height, int64_t prominence)
{
	ck_assert_uint_lt(rank, p->count);
	ck_assert_uint_eq(p->peak[rank].at, at);
	ck_assert_int_eq(p->peak[rank].height, height);
	ck_assert_int_eq(p->peak[rank].prominence, prominence);
	ck_assert_int_eq(ts_peaks_rank(p, at), (ptrdiff_t)rank);
}

START_TEST(nothing_and_one)
{
	static const int64_t one[] = {7}, flat[] = {5, 5, 5};
	struct ts_peaks p = peaks_of(NULL, 0, TS_PEAK_SHARE);

	ck_assert_uint_eq(p.count, 0);
	ts_peaks_fini(&p);
	p = peaks_of(one, 1, TS_PEAK_SHARE);
	ck_assert_uint_eq(p.count, 1);
	check_peak(&p, 0, 0, 7, 0);
	ts_peaks_fini(&p);
	p = peaks_of(flat, 3, TS_PEAK_SHARE);
	ck_assert_uint_eq(p.count, 1);
	check_peak(&p, 0, 0, 5, 0);
	ts_peaks_fini(&p);
}
END_TEST

START_TEST(known_shapes)
{
	static const int64_t mountain[] = {0, 40, 100, 70, 30, 60, 20, 55, 10};
	static const int64_t rising[] = {1, 2, 3, 4}, falling[] = {9, 5, 1};
	static const int64_t twins[] = {10, 0, 10}, plateau[] = {0, 8, 8, 8, 7, 8, 0};
	struct ts_peaks p = peaks_of(mountain, TS_COUNT(mountain), TS_PEAK_SHARE);

	ck_assert_uint_eq(p.count, 3);
	check_peak(&p, 0, 2, 100, 100);
	check_peak(&p, 1, 5, 60, 30); /* over 30 to the 100 */
	check_peak(&p, 2, 7, 55, 35); /* over 20 to the 60 */
	ts_peaks_fini(&p);
	p = peaks_of(mountain, TS_COUNT(mountain), 0.32);
	ck_assert_uint_eq(p.count, 2);
	check_peak(&p, 1, 7, 55, 35);
	ts_peaks_fini(&p);
	p = peaks_of(rising, TS_COUNT(rising), TS_PEAK_SHARE);
	ck_assert_uint_eq(p.count, 1);
	check_peak(&p, 0, 3, 4, 3);
	ts_peaks_fini(&p);
	p = peaks_of(falling, TS_COUNT(falling), TS_PEAK_SHARE);
	ck_assert_uint_eq(p.count, 1);
	check_peak(&p, 0, 0, 9, 8);
	ts_peaks_fini(&p);
	p = peaks_of(twins, TS_COUNT(twins), TS_PEAK_SHARE);
	ck_assert_uint_eq(p.count, 2);
	check_peak(&p, 0, 0, 10, 10);
	check_peak(&p, 1, 2, 10, 10);
	ts_peaks_fini(&p);
	p = peaks_of(plateau, TS_COUNT(plateau), 0.2);
	ck_assert_uint_eq(p.count, 1); /* the dip to 7 is noise */
	check_peak(&p, 0, 1, 8, 8);
	ts_peaks_fini(&p);
}
END_TEST

START_TEST(only_so_many)
{
	int64_t v[2001];
	struct ts_peaks p;

	for (int i = 0; i < 2001; i++)
		v[i] = i % 2 ? 1000 + i : 0;
	ck_assert_int_eq(ts_peaks_find(&p, v, 2001, TS_PEAK_SHARE, 10, NULL), TS_OK);
	ck_assert_uint_eq(p.found, 1000);
	ck_assert_uint_eq(p.count, 10);
	check_peak(&p, 0, 1999, 2999, 2999);
	check_peak(&p, 9, 1981, 2981, 2981);
	ck_assert_int_eq(ts_peaks_rank(&p, 0), -1);
	ts_peaks_fini(&p);
}
END_TEST

/* Lowest value on the way from i in one direction to higher ground; -1 when there is none. */
static int64_t
way(const int64_t *v, int n, int i, int step)
{
	int64_t lowest = v[i];

	for (int j = i + step; j >= 0 && j < n; j += step) {
		if (v[j] > v[i] || (v[j] == v[i] && j < i && lowest < v[i]))
			return lowest;
		lowest = v[j] < lowest ? v[j] : lowest;
	}
	return -1;
}

/* Prominence by the definition, or -1 where there is no maximum. */
static int64_t
prominence(const int64_t *v, int n, int i)
{
	int64_t lowest = v[0], left, right;
	int end = i;

	while (end + 1 < n && v[end + 1] == v[i])
		end++;
	if ((i > 0 && v[i - 1] >= v[i]) || (end + 1 < n && v[end + 1] > v[i]))
		return -1;
	for (int j = 0; j < n; j++)
		lowest = v[j] < lowest ? v[j] : lowest;
	left = way(v, n, i, -1);
	right = way(v, n, end, 1);
	if (left < 0 && right < 0)
		return v[i] - lowest;
	return v[i] - (left > right ? left : right);
}

START_TEST(against_the_definition)
{
	enum { N = 60 };
	unsigned seed = (unsigned)_i * 2654435761u + 1;
	int64_t v[N], lowest = INT64_MAX, highest = 0;
	size_t expected = 0;
	struct ts_peaks p;
	int n;

	seed = seed * 1103515245u + 12345u;
	n = 1 + (int)(seed >> 16) % N;
	for (int i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		v[i] = (seed >> 16) % (_i % 3 == 0 ? 4 : 40);
		lowest = v[i] < lowest ? v[i] : lowest;
		highest = v[i] > highest ? v[i] : highest;
	}
	p = peaks_of(v, (size_t)n, 0.15);
	for (int i = 0; i < n; i++) {
		int64_t want = prominence(v, n, i);
		ptrdiff_t rank = ts_peaks_rank(&p, (size_t)i);

		if (want < 0 || (double)want < 0.15 * (double)(highest - lowest)) {
			ck_assert_int_eq(rank, -1);
			continue;
		}
		expected++;
		ck_assert_int_ge(rank, 0);
		check_peak(&p, (size_t)rank, (size_t)i, v[i], want);
	}
	ck_assert_uint_eq(p.count, expected);
	for (size_t i = 1; i < p.count; i++)
		ck_assert(p.peak[i - 1].height > p.peak[i].height ||
			(p.peak[i - 1].height == p.peak[i].height &&
				p.peak[i - 1].at < p.peak[i].at));
	ts_peaks_fini(&p);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("peaks");
	TCase *t = tcase_create("peaks");
	SRunner *runner;
	int failed;

	tcase_add_test(t, nothing_and_one);
	tcase_add_test(t, known_shapes);
	tcase_add_test(t, only_so_many);
	tcase_add_loop_test(t, against_the_definition, 0, 300);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
