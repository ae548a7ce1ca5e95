/* SPDX-License-Identifier: MIT */
/*
 * finder - see the header. Where a word may begin is looked at for sixteen places at a time: is its first byte there, and its
 * last one so far behind?
 */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "tilescope/base/finder.h"

/* GCC and clang make of it what the processor has. */
typedef unsigned char block __attribute__((vector_size(16)));

enum { BLOCK = sizeof(block) };

static inline unsigned char
small(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

void
ts_finder_small(char *word)
{
	for (; *word; word++)
		*word = (char)small((unsigned char)*word);
}

static inline bool
goes_on(const struct ts_finder *f, const char *s)
{
	size_t k = 0;

	while (k < f->n &&
		(f->any_case ? small((unsigned char)s[k]) : (unsigned char)s[k]) ==
			(unsigned char)f->word[k])
		k++;
	return k == f->n;
}

/* A byte of the word in all places; with `fold` set in a byte of the text it may be either case of the letter. */
struct byte {
	block is, fold;
};

static inline struct byte
byte_of(const struct ts_finder *f, size_t at)
{
	unsigned char c = (unsigned char)f->word[at];
	bool letter = f->any_case && c >= 'a' && c <= 'z';

	return (struct byte){c - (block){0}, (unsigned char)(letter ? 0x20 : 0) - (block){0}};
}

/* 0xff where the byte is. */
static inline block
places_of(const char *s, const struct byte *b)
{
	block text;

	memcpy(&text, s, sizeof(text));
	return (block)((text | b->fold) == b->is);
}

/* The first of the places from s on where the word is; BLOCK: at none. */
static inline size_t
find_in_block(const struct ts_finder *f, const char *s, const struct byte *first,
	const struct byte *last)
{
	block both = places_of(s, first) & places_of(s + f->n - 1, last);
	uint64_t any[2];
	size_t i = 0;

	memcpy(any, &both, sizeof(any));
	if (!(any[0] | any[1]))
		return BLOCK;
	while (i < BLOCK && !(both[i] && goes_on(f, s + i)))
		i++;
	return i;
}

bool
ts_finder_next(struct ts_finder *f, const char *s, size_t n, size_t same)
{
	size_t i = same < f->n ? 0 : same - f->n + 1, places;
	struct byte first, last;

	if (f->n == 0)
		return true;
	if (f->end > 0 && f->end <= same)
		return true;
	f->end = 0;
	places = n < f->n ? 0 : n - f->n + 1;
	if (i >= places)
		return false;
	if (places - i < BLOCK) {
		for (; i < places && f->end == 0; i++)
			f->end = goes_on(f, s + i) ? i + f->n : 0;
		return f->end > 0;
	}
	first = byte_of(f, 0);
	last = byte_of(f, f->n - 1);
	for (; i < places && f->end == 0; i += BLOCK) {
		size_t at = i + BLOCK <= places ? i : places - BLOCK; /* the last ones once more */
		size_t hit = find_in_block(f, s + at, &first, &last);

		f->end = hit < BLOCK ? at + hit + f->n : 0;
	}
	return f->end > 0;
}
