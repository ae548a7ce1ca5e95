/* SPDX-License-Identifier: MIT */
/*
 * depth - how much a test looks at: a sample in `make check`, everything in `make check-full`.
 *
 * tests/run.py starts programs that include this header once more, with TS_DEPTH=full, for what only the
 * full depth has.
 */
#ifndef TS_TESTS_UNIT_DEPTH_H
#define TS_TESTS_UNIT_DEPTH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool
at_depth(const char *name)
{
	const char *depth = getenv("TS_DEPTH");

	return depth && strcmp(depth, name) == 0;
}

static inline bool
at_full_depth(void)
{
	return at_depth("full");
}

/* One of so many: all at full depth, every `check`th in make check, every `smoke`th with sanitizers. */
static inline int
stride_of(int check, int smoke)
{
	return at_full_depth() ? 1 : at_depth("smoke") ? smoke : check;
}

/* Of n random cases: how many, from the first on. */
static inline int
sample_of(int n)
{
	int stride = stride_of(4, 12);

	return (n + stride - 1) / stride;
}

/* Is case i of kinds x two layouts looked at? All at full depth, else one layout of each kind (of every second). */
static inline bool
in_sample(int i)
{
	return at_full_depth() || (i % 2 == i / 2 % 2 && i / 2 % stride_of(1, 2) == 0);
}

/* Add a test that only the full depth has. */
#define tcase_add_full_test(tcase, test)               \
	do {                                           \
		if (at_full_depth())                   \
			tcase_add_test((tcase), test); \
	} while (0)

#endif
