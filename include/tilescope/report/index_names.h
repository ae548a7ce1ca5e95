/* SPDX-License-Identifier: MIT */
/*
 * index_names - the names of variables before lowering in the index: a number a variable, in the order of the texts.
 *
 * So who is called what is looked up without a read, and names are put in order as numbers. Each distinct text is there
 * once; it ends at its first NUL and at TS_DICTIONARY_TEXT bytes, and an empty one is none. Of several rows
 * of a variable the first with a name counts.
 *
 * Beside them: what is always live, the largest first, as report/always.h lists it without a pass over the rows.
 */
#ifndef TS_REPORT_INDEX_NAMES_H
#define TS_REPORT_INDEX_NAMES_H

#include "tilescope/report/index.h"

/* A row of `variable` that is always live. */
struct ts_always_entry {
	int64_t variable, bytes; /* both 0 .. TS_NUMBER_MAX */
	uint32_t name, unused;	 /* 0: it has none */
};

/* A view of the section, as long as the index is held. */
struct ts_variable_names {
	int64_t numbers;      /* variables have numbers below this */
	const uint32_t *name; /* of each; 0: none */
	int64_t names;	      /* 1 .. names, ascending as the texts do, by bytes */
	const uint32_t *at;   /* of name i + 1: where it begins in `text`, ascending */
	const char *text;     /* each with a NUL behind it */
	size_t size;
	const struct ts_always_entry
		*always; /* the largest first; of one size by variable, then as the rows stand */
	int64_t always_count;
	int64_t always_bad; /* rows that are always live, of no number or no size; TS_UNKNOWN: nothing is known of this kind */
};

/* False: there is none, or it was left empty. */
bool ts_variable_names_of(struct ts_variable_names *v, const struct ts_index *x);

/* The number of the name of a variable; 0: it has none. */
uint32_t ts_variable_names_find(const struct ts_variable_names *v, int64_t variable);

/* The text of a number, NUL-terminated; "" for 0, and where the section is not to be believed. */
const char *ts_variable_names_text(const struct ts_variable_names *v, uint32_t name);

#endif
