/* SPDX-License-Identifier: MIT */
/* finder - see the header. */
#include "config.h"

#include "tilescope/base/finder.h"

static inline unsigned char
small(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

/* The rest of the word behind its first byte. */
static inline bool
goes_on(const struct ts_finder *f, const char *s)
{
	size_t k = 1;

	while (k < f->n &&
		(f->any_case ? small((unsigned char)s[k]) : (unsigned char)s[k]) ==
			(unsigned char)f->word[k])
		k++;
	return k == f->n;
}

bool
ts_finder_next(struct ts_finder *f, const char *s, size_t n, size_t same)
{
	size_t from = same < f->n ? 0 : same - f->n + 1;
	unsigned char first, other;

	if (f->n == 0)
		return true;
	if (f->end > 0 && f->end <= same)
		return true;
	f->end = 0;
	first = other = (unsigned char)f->word[0];
	if (f->any_case && first >= 'a' && first <= 'z')
		other = (unsigned char)(first & ~0x20);
	for (size_t i = from; i + f->n <= n; i++)
		if (((unsigned char)s[i] == first || (unsigned char)s[i] == other) &&
			goes_on(f, s + i)) {
			f->end = i + f->n;
			return true;
		}
	return false;
}
