/* SPDX-License-Identifier: MIT */
/*
 * finder - a word in one text after another, where texts that follow each other begin alike.
 *
 * Names in order share long beginnings: what was found, or not found, in the part that a text shares with the
 * one before is known. Only ASCII letters match without regard to case.
 */
#ifndef TS_BASE_FINDER_H
#define TS_BASE_FINDER_H

#include <stdbool.h>
#include <stddef.h>

struct ts_finder {
	const char *word; /* in small letters when `any_case`; must outlive it */
	size_t n;
	bool any_case;
	size_t end; /* of the first hit in the text before; 0: none */
};

/* Letters of a word in place, for `any_case`. */
void ts_finder_small(char *word);

/* Is the word in it? `same`: so many bytes at the begin are those of the text that was asked about before (0: it is another one). */
bool ts_finder_next(struct ts_finder *f, const char *s, size_t n, size_t same);

#endif
