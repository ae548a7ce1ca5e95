/* SPDX-License-Identifier: MIT */
/* lifetimes_internal - uses (uses.c) are lists of pairs, which lifetimes.c looks things up in. */
#ifndef TS_REPORT_LIFETIMES_INTERNAL_H
#define TS_REPORT_LIFETIMES_INTERNAL_H

#include "tilescope/report/lifetimes.h"

struct pair {
	int64_t a, b;
};

_Static_assert(sizeof(struct pair) == sizeof(struct ts_use), "a use is a pair");
_Static_assert(sizeof(struct pair) == sizeof(struct ts_run_of), "a run is a pair");

/* The first of n sorted pairs whose `a` is not below. */
static inline size_t
pair_first(const struct pair *p, size_t n, int64_t a)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].a < a)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
