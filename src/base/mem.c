/* SPDX-License-Identifier: MIT */
/* mem - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__ /* known when a header of it has been included */
#include <malloc.h>
#endif

#include "tilescope/base/mem.h"

/*
 * The first touch of a page takes a thousand times as long as the next one, so what a question takes for a moment is left to the
 * next question of the same thread; what is large is not.
 */
enum { MAPPED_FROM = 4 << 20, KEPT = 8 << 20 };

void
ts_mem_give_back(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

void *
ts_alloc(size_t n, size_t size)
{
	return calloc(n ? n : 1, size ? size : 1);
}

void *
ts_resize(void *p, size_t n, size_t size)
{
	return reallocarray(p, n ? n : 1, size ? size : 1);
}

bool
ts_room(void **p, size_t *cap, size_t n, size_t size)
{
	size_t want;
	void *bigger;

	if (n < *cap)
		return true;
	if (__builtin_add_overflow(*cap, *cap / 2 + 16, &want))
		return false;
	bigger = ts_resize(*p, want, size);
	if (!bigger)
		return false;
	*p = bigger;
	*cap = want;
	return true;
}

char *
ts_strdup(const char *s)
{
	return s ? strdup(s) : NULL;
}

char *
ts_strndup(const char *s, size_t n)
{
	return s ? strndup(s, n) : NULL;
}

bool
ts_ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && strcmp(s + n - m, end) == 0;
}

bool
ts_has_i64(const int64_t *v, size_t n, int64_t x)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && v[low] == x;
}
