/* SPDX-License-Identifier: MIT */
/* What pattern.c and pattern_needs.c share. */
#ifndef TS_BASE_PATTERN_INTERNAL_H
#define TS_BASE_PATTERN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

enum { PATTERN_NEEDS = 64 };

/*
 * A word without which the expression (which compiles) matches no text: its bytes, ASCII, in small letters when letters match without regard
 * to case. 0: none is plain to see.
 */
size_t pattern_needs(char out[PATTERN_NEEDS], const char *text, bool any_case);

#endif
