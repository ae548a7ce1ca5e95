/* SPDX-License-Identifier: MIT */
/*
 * element_type - the names by which people and tools call the element types of variables.
 *
 * Poplar says float, half, unsigned int; libpva and frameworks FLOAT, FP32, float16, uint32. Which of them a report
 * uses depends on who wrote it: who asks for one of them means all. Names are compared without regard to case; blanks
 * and underscores in them do not count.
 */
#ifndef TS_BASE_ELEMENT_TYPE_H
#define TS_BASE_ELEMENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_TYPE_NAMES = 5 };

/* The names that mean the same as these n bytes, the most usual one first, NULL behind them; NULL: it is not known. */
const char *const *ts_type_names(const char *name, size_t n);

/* The most usual name of each type, from 0; NULL behind the last one. */
const char *ts_type_name(size_t i);

/* Do these n bytes mean what `as` does? */
bool ts_type_is(const char *name, size_t n, const char *as);

#endif
