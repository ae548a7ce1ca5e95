/* SPDX-License-Identifier: MIT */
/*
 * mem - allocation and arithmetic that cannot overflow unnoticed.
 *
 * All memory is had from malloc and given back with free(). Every function that allocates may
 * return NULL, and every caller checks: a report decides how much is asked for.
 */
#ifndef TS_BASE_MEM_H
#define TS_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For the begin of a program: what is large and freed goes back to the system at once. (Left alone, glibc
 * keeps blocks of many megabytes for each thread that freed one: half as much again on a large report.)
 */
void ts_mem_give_back(void);

/* n zeroed elements of `size` bytes (at least one byte); NULL when it overflows or there is none. */
void *ts_alloc(size_t n, size_t size) __attribute__((malloc, warn_unused_result));

/* Resize an array to n elements of `size` bytes; NULL leaves `p` as it was. New space is not zeroed. */
void *ts_resize(void *p, size_t n, size_t size) __attribute__((warn_unused_result));

/*
 * Make room for one more element: *p has `n` elements used and room for *cap. Grows by half.
 * Returns false when there is no memory (nothing changed).
 */
bool ts_room(void **p, size_t *cap, size_t n, size_t size) __attribute__((warn_unused_result));

/* Copies of text; NULL in, NULL out. */
char *ts_strdup(const char *s) __attribute__((warn_unused_result));
char *ts_strndup(const char *s, size_t n) __attribute__((warn_unused_result));

/* Has `s` this ending, and something before it? */
bool ts_ends_with(const char *s, const char *end);

/* Is x among the n ascending numbers? */
bool ts_has_i64(const int64_t *v, size_t n, int64_t x);

/* *sum += v for v >= 0; false (and *sum unchanged) when it does not fit 63 bits. */
static inline bool
ts_add_i64(int64_t *sum, int64_t v)
{
	int64_t r;
	if (__builtin_add_overflow(*sum, v, &r))
		return false;
	*sum = r;
	return true;
}

static inline int64_t
ts_min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
ts_max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t
ts_clamp_i64(int64_t v, int64_t lo, int64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

#define TS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
