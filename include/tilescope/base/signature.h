/* SPDX-License-Identifier: MIT */
/*
 * signature - which three bytes follow each other somewhere in a set of texts, in 256 bits.
 *
 * A word of which one run of three is in none of the texts is in none of them: most sets are told so from a rare word
 * without a look at their texts (a Bloom filter with one hash, Bloom 1970). ASCII letters count as small ones. A word of less
 * than three bytes has no runs: it may be anywhere.
 */
#ifndef TS_BASE_SIGNATURE_H
#define TS_BASE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_SIGNATURE_RUN = 3, TS_SIGNATURE_WORDS = 4 };

struct ts_signature {
	uint64_t bit[TS_SIGNATURE_WORDS];
};

/* A text more, of which `same` bytes at the begin are those of one that was added before. */
void ts_signature_add(struct ts_signature *of, const char *s, size_t n, size_t same);

/* All that there can be: nothing is ever told from it. */
void ts_signature_fill(struct ts_signature *of);

/* False: no text of `of` has the word in it. */
static inline bool
ts_signature_may_have(const struct ts_signature *of, const struct ts_signature *word)
{
	uint64_t lacks = 0;

	for (int i = 0; i < TS_SIGNATURE_WORDS; i++)
		lacks |= word->bit[i] & ~of->bit[i];
	return !lacks;
}

#endif
