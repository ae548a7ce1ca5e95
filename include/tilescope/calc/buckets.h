/* SPDX-License-Identifier: MIT */
/*
 * buckets - many values on few columns, so that none is lost.
 *
 * A chart shows the values [from, to) of an array on a number of columns. Column i stands for the
 * values [a, b) with a = from + floor(i * n / columns), n = to - from: the columns tile the range
 * without gap or overlap, whatever the numbers; where there are fewer values than columns a value
 * takes several. (ui/span.h divides its axis in the same way.)
 *
 * A value below 0 means "not known": it is counted in no figure. All arithmetic is exact until the
 * mean is formed: sums of values up to 2^62 are kept in 128 bits.
 */
#ifndef TS_CALC_BUCKETS_H
#define TS_CALC_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

struct ts_bucket {
	int64_t from, to; /* the values of the column, half-open; equal: there are none */
	int64_t known;	  /* how many of them are known */
	int64_t max, min; /* of those; -1 when there is none */
	int64_t max_at;	  /* index of the largest, the first of equals; -1 when there is none */
	double mean;	  /* 0 when there is none */
};

/* The values of column i: empty (*a == *b) when i is no column or the range is empty. */
void ts_buckets_range(int64_t from, int64_t to, int columns, int i, int64_t *a, int64_t *b);

/*
 * Fill in out[0 .. columns) for the values v[from .. to) of an array of n; the range is clamped to
 * the array.
 */
void ts_buckets(struct ts_bucket *out, int columns, const int64_t *v, int64_t n, int64_t from,
	int64_t to);

/* How several arrays of one axis are put on its columns. */
enum ts_stack {
	TS_STACK_MAX,  /* the values at the column's largest value (bucket[i].max_at) */
	TS_STACK_MEAN, /* the mean of the column's values; those not known count as 0 */
};

/*
 * out[i] for the columns of `bucket`: one layer of a stack. `v` has n values, as the array that
 * the buckets were made of.
 */
void ts_buckets_layer(double *out, int columns, const struct ts_bucket *bucket, const int64_t *v,
	int64_t n, enum ts_stack how);

/*
 * For each column of the values [from, to): more[i] is the largest now - before above 0 of those that are known in both
 * arrays of n, less[i] the largest before - now; 0 where there is none.
 */
void ts_buckets_differences(double *more, double *less, int columns, const int64_t *now,
	const int64_t *before, int64_t n, int64_t from, int64_t to);

/*
 * Order an axis by its values: order[0] is the index of the largest, equals in their order. Not
 * known values come last. False: no memory.
 */
bool ts_buckets_order(uint32_t *order, const int64_t *v, uint32_t n);

#endif
