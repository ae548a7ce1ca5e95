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
at_full_depth(void)
{
	const char *depth = getenv("TS_DEPTH");

	return depth && strcmp(depth, "full") == 0;
}

/* Of n random cases: all at full depth, else the first quarter. */
static inline int
sample_of(int n)
{
	return at_full_depth() ? n : (n + 3) / 4;
}

/* Is case i of a kind x layout (two of them) looked at? All at full depth, else one layout of each kind. */
static inline bool
in_sample(int i)
{
	return at_full_depth() || i % 2 == i / 2 % 2;
}

/* Add a test that only the full depth has. */
#define tcase_add_full_test(tcase, test)               \
	do {                                           \
		if (at_full_depth())                   \
			tcase_add_test((tcase), test); \
	} while (0)

#endif
