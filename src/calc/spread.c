/* SPDX-License-Identifier: MIT */
/* spread - see the header. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/calc/spread.h"

__extension__ typedef unsigned __int128 u128;

int64_t
ts_percentile(const int64_t *v, size_t n, int p)
{
	size_t rank = (size_t)(((u128)n * (unsigned)p + 99) / 100);

	return v[rank > 0 ? rank - 1 : 0];
}

static int
ascending(const void *a, const void *b)
{
	int64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

void
ts_spread_sort(int64_t *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), ascending);
}

void
ts_histogram(int64_t *count, int bins, const int64_t *v, size_t n, int64_t top)
{
	memset(count, 0, ((size_t)bins + 1) * sizeof(*count));
	for (size_t i = 0; i < n; i++) {
		int at = bins;

		if (v[i] < top)
			at = (int)((u128)v[i] * (unsigned)bins / (u128)top);
		else if (v[i] == top)
			at = bins - 1;
		count[at]++;
	}
}

/* How many are below `edge`. */
static size_t
below(const int64_t *v, size_t n, u128 edge)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((u128)v[middle] < edge)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
ts_histogram_sorted(int64_t *count, int bins, const int64_t *v, size_t n, int64_t top)
{
	size_t before = 0;

	for (int i = 0; i < bins; i++) {
		u128 edge = ((u128)top * (unsigned)(i + 1) + (unsigned)bins - 1) / (unsigned)bins;
		size_t upto = below(v, n, i == bins - 1 ? (u128)top + 1 : edge);

		count[i] = (int64_t)(upto - before);
		before = upto;
	}
	count[bins] = (int64_t)(n - before);
}

bool
ts_balance_index(double *out, const int64_t *v, size_t n, int64_t full)
{
	u128 sum = 0;
	long double mean, squares = 0;

	if (n == 0 || full < 1)
		return false;
	for (size_t i = 0; i < n; i++)
		sum += (u128)v[i];
	mean = (long double)sum / (long double)n;
	for (size_t i = 0; i < n; i++) {
		long double d = (long double)v[i] - mean;

		squares += d * d;
	}
	*out = (double)(1 -
		sqrtl(squares / (long double)n) /
			(2 * mean <= (long double)full ? (long double)full - mean : mean));
	return true;
}

size_t
ts_share_count(const int64_t *v, size_t n, int64_t whole, int percent)
{
	u128 sum = 0;

	if (whole <= 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		sum += (u128)v[i];
		if (sum * 100 >= (u128)whole * (unsigned)percent)
			return i + 1;
	}
	return n + 1;
}
