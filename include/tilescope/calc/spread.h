/* SPDX-License-Identifier: MIT */
/*
 * spread - how values are spread: percentiles, a histogram, balance, and how few of them make up how much.
 *
 * Values are 0 or more. All arithmetic is exact until a figure that is no integer is formed.
 */
#ifndef TS_CALC_SPREAD_H
#define TS_CALC_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The p-th percentile (p in 0..100) of v[0..n), ascending, n above 0, by nearest rank: the least of them that
 * p percent are not above; p = 0 gives the least of all.
 */
int64_t ts_percentile(const int64_t *v, size_t n, int p);

/* Sort ascending. */
void ts_spread_sort(int64_t *v, size_t n);

/*
 * count[i] for i in 0..bins: how many of v[0..n) lie in [ceil(i * top / bins), ceil((i + 1) * top / bins)); `top` itself
 * counts to the last bin. count[bins]: those above `top` (more than 0). So count has bins + 1 cells.
 */
void ts_histogram(int64_t *count, int bins, const int64_t *v, size_t n, int64_t top);

/* The same of values that are ascending, looked up instead of counted: bins x log n. */
void ts_histogram_sorted(int64_t *count, int bins, const int64_t *v, size_t n, int64_t top);

/*
 * 1 - RMSE / RMSE_max of v[0..n): RMSE is the root of the mean square distance from the mean m; RMSE_max is full - m
 * where m is at most full / 2, else m. 1 = all are equal; values above `full` may make it negative.
 * False: there is no such figure (no values, or full below 1).
 */
bool ts_balance_index(double *out, const int64_t *v, size_t n, int64_t full);

/*
 * How many of v[0..n), descending, it takes until their sum is at least `percent` (1..100) percent of `whole`; n + 1:
 * all of them are not enough. 0 where `whole` is 0 or less.
 */
size_t ts_share_count(const int64_t *v, size_t n, int64_t whole, int percent);

#endif
