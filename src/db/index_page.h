/* SPDX-License-Identifier: MIT */
/*
 * index_page - what a page of an index, or of a table WITHOUT ROWID, says of integers in the first
 * column: as much as is needed to name pages before SQLite reads them (plan.c). No figure depends
 * on it: what is odd here is unknown.
 *
 * https://www.sqlite.org/fileformat2.html, "B-tree Pages" and "Record Format".
 */
#ifndef TS_DB_INDEX_PAGE_H
#define TS_DB_INDEX_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/db/pages.h"

struct index_page {
	const struct ts_geometry *g;
	const unsigned char *bytes;
	unsigned cells;
	bool leaf;
};

enum index_key { INDEX_BEFORE, INDEX_NUMBER, INDEX_BEHIND, INDEX_UNKNOWN };

/*
 * An entry: its first column (before all numbers, one, behind all of them), and the row id that it
 * ends with.
 */
struct index_entry {
	enum index_key is;
	int64_t key; /* INDEX_NUMBER */
	bool has_rowid;
	int64_t rowid;
};

/* False: it is no page of an index. `bytes` have TS_PAGE_SLACK behind them. */
bool index_page_open(struct index_page *p, const struct ts_geometry *g, const unsigned char *bytes);

void index_page_entry(struct index_entry *e, const struct index_page *p, unsigned i);

/* Child i of a page that is no leaf: 0 .. cells. */
uint32_t index_page_child(const struct index_page *p, unsigned i);

/* The children [*first, *last] in which keys of [from, to] may stand. */
void index_page_children(unsigned *first, unsigned *last, const struct index_page *p, int64_t from,
	int64_t to);

#endif
