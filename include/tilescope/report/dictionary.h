/* SPDX-License-Identifier: MIT */
/*
 * dictionary - the distinct texts (or numbers with a text each) of a column, and their order.
 *
 * A hash table whose slots, entries and texts are piles: a few distinct texts are ordinary memory, many
 * are files that the kernel may write out. Entries are numbered from 0 in the order in which they come.
 */
#ifndef TS_REPORT_DICTIONARY_H
#define TS_REPORT_DICTIONARY_H

#include "tilescope/report/pile.h"

struct ts_dictionary_entry {
	uint64_t key;  /* hash of the text, or the number */
	uint64_t at;   /* of the text, in `text` */
	uint32_t n;    /* bytes of it */
	uint32_t rank; /* after ts_dictionary_rank(): texts that are equal have the same */
};

struct ts_dictionary {
	const struct ts_cache *cache;
	bool numbers;	      /* keys are numbers: the text is what is told of one */
	struct ts_pile entry; /* struct ts_dictionary_entry */
	struct ts_pile slot;  /* uint32_t: entry + 1, or 0 */
	struct ts_pile text;
	uint32_t count;
};

enum { TS_DICTIONARY_NONE = -1 };

/* The entry of a text (cut at TS_DICTIONARY_TEXT bytes), made when there is none. */
enum { TS_DICTIONARY_TEXT = 8192 };
enum ts_code ts_dictionary_text(struct ts_dictionary *d, uint32_t *entry, const char *s, size_t n,
	struct ts_err *err) TS_WARN_UNUSED;

/* The entry of a number, or TS_DICTIONARY_NONE. */
int64_t ts_dictionary_find(const struct ts_dictionary *d, int64_t number);

/* Add a number that is not in it. Errors: TS_E_LIMIT (too many), TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_dictionary_number(struct ts_dictionary *d, uint32_t *entry, int64_t number,
	const char *s, size_t n, struct ts_err *err) TS_WARN_UNUSED;

static inline struct ts_dictionary_entry *
ts_dictionary_at(const struct ts_dictionary *d, uint32_t entry)
{
	return (struct ts_dictionary_entry *)d->entry.memory + entry;
}

/* Below, at or above 0: the text of a comes before that of b, is the same, comes behind it; by bytes. */
int ts_dictionary_compare(const struct ts_dictionary *d, uint32_t a, uint32_t b);

/* Give every entry the rank of its text, by bytes. *ranks: how many there are. */
enum ts_code ts_dictionary_rank(struct ts_dictionary *d, uint32_t *ranks,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* As ts_pile_rest(). */
void ts_dictionary_rest(const struct ts_dictionary *d);
void ts_dictionary_fini(struct ts_dictionary *d);

#endif
