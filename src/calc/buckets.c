/* SPDX-License-Identifier: MIT */
/* buckets - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/buckets.h"

__extension__ typedef __int128 i128;

void
ts_buckets_range(int64_t from, int64_t to, int columns, int i, int64_t *a, int64_t *b)
{
	i128 n = (i128)to - from;

	*a = *b = from;
	if (n <= 0 || i < 0 || i >= columns)
		return;
	*a = from + (int64_t)(n * i / columns);
	*b = from + (int64_t)(n * ((i128)i + 1) / columns);
	if (*b == *a)
		*b = *a + 1;
}

static void
sum_up(struct ts_bucket *b, const int64_t *v)
{
	i128 sum = 0;

	b->known = 0;
	b->max = b->min = b->max_at = -1;
	b->mean = 0;
	for (int64_t i = b->from; i < b->to; i++) {
		if (v[i] < 0)
			continue;
		sum += v[i];
		if (b->known++ == 0 || v[i] < b->min)
			b->min = v[i];
		if (v[i] > b->max) {
			b->max = v[i];
			b->max_at = i;
		}
	}
	if (b->known > 0)
		b->mean = (double)sum / (double)b->known;
}

void
ts_buckets(struct ts_bucket *out, int columns, const int64_t *v, int64_t n, int64_t from,
	int64_t to)
{
	from = ts_clamp_i64(from, 0, ts_max_i64(n, 0));
	to = ts_clamp_i64(to, from, ts_max_i64(n, 0));
	for (int i = 0; i < columns; i++) {
		ts_buckets_range(from, to, columns, i, &out[i].from, &out[i].to);
		if (i > 0 && out[i].from == out[i - 1].from && out[i].to == out[i - 1].to)
			out[i] = out[i - 1]; /* a value that takes several columns */
		else
			sum_up(&out[i], v);
	}
}

static double
mean_of(const int64_t *v, int64_t from, int64_t to)
{
	i128 sum = 0;

	for (int64_t i = from; i < to; i++)
		sum += ts_max_i64(v[i], 0);
	return to > from ? (double)sum / (double)(to - from) : 0;
}

void
ts_buckets_layer(double *out, int columns, const struct ts_bucket *bucket, const int64_t *v,
	int64_t n, enum ts_stack how)
{
	for (int i = 0; i < columns; i++) {
		const struct ts_bucket *b = &bucket[i];

		if (how == TS_STACK_MEAN)
			out[i] = mean_of(v, ts_clamp_i64(b->from, 0, n), ts_clamp_i64(b->to, 0, n));
		else if (b->max_at >= 0 && b->max_at < n)
			out[i] = (double)ts_max_i64(v[b->max_at], 0);
		else
			out[i] = 0;
	}
}

void
ts_buckets_differences(double *more, double *less, int columns, const int64_t *now,
	const int64_t *before, int64_t n, int64_t from, int64_t to)
{
	from = ts_clamp_i64(from, 0, n);
	to = ts_clamp_i64(to, 0, n);
	for (int i = 0; i < columns; i++) {
		int64_t a, b, grown = 0, shrunk = 0;

		ts_buckets_range(from, to, columns, i, &a, &b);
		for (; a < b; a++) {
			if (now[a] < 0 || before[a] < 0)
				continue;
			grown = ts_max_i64(grown, now[a] - before[a]);
			shrunk = ts_max_i64(shrunk, before[a] - now[a]);
		}
		more[i] = (double)grown;
		less[i] = (double)shrunk;
	}
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

struct place {
	uint64_t key; /* the smallest first */
	uint32_t i;
};

/* By the digit at `shift`; those that have the same stay as they are. False: all have the same, and nothing was done. */
static bool
spread_out(struct place *to, const struct place *from, uint32_t n, int shift)
{
	uint32_t begin[DIGITS] = {0}, at = 0;

	for (uint32_t i = 0; i < n; i++)
		begin[from[i].key >> shift & (DIGITS - 1)]++;
	if (n == 0 || begin[from[0].key >> shift & (DIGITS - 1)] == n)
		return false;
	for (int d = 0; d < DIGITS; d++) {
		uint32_t count = begin[d];

		begin[d] = at;
		at += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[begin[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

bool
ts_buckets_order(uint32_t *order, const int64_t *v, uint32_t n)
{
	struct place *p = ts_alloc(n, 2 * sizeof(*p)), *now = p, *next = p + n;

	if (!p)
		return false;
	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct place){v[i] < 0 ? UINT64_MAX : (uint64_t)(INT64_MAX - v[i]), i};
	for (int shift = 0; shift < 64; shift += DIGIT_BITS)
		if (spread_out(next, now, n, shift)) {
			struct place *was = now;

			now = next;
			next = was;
		}
	for (uint32_t i = 0; i < n; i++)
		order[i] = now[i].i;
	free(p);
	return true;
}
