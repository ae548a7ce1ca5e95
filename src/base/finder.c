/* SPDX-License-Identifier: MIT */
/* finder - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/base/finder.h"

static inline char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
begins(const struct ts_finder *f, const char *s)
{
	size_t k = 0;

	if (!f->any_case)
		return memcmp(s, f->word, f->n) == 0;
	while (k < f->n && small(s[k]) == f->word[k])
		k++;
	return k == f->n;
}

bool
ts_finder_next(struct ts_finder *f, const char *s, size_t n, size_t same)
{
	size_t from = same < f->n ? 0 : same - f->n + 1;

	if (f->n == 0)
		return true;
	if (f->end > 0 && f->end <= same)
		return true;
	f->end = 0;
	for (size_t i = from; i + f->n <= n; i++)
		if (begins(f, s + i)) {
			f->end = i + f->n;
			return true;
		}
	return false;
}
