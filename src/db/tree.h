/* SPDX-License-Identifier: MIT */
/* tree - how a table's b-tree is gone down, for table.c and damage.c: pages have passed ts_page_check(). */
#ifndef TS_DB_TREE_H
#define TS_DB_TREE_H

#include "tilescope/db/pages.h"

#include "cell.h"

enum { TS_TREE_DEPTH = 19 }; /* interior pages above a leaf; SQLite's limit is 20 pages */

/* Row i of a leaf. */
static inline int64_t
ts_rowid_at(const unsigned char *page, unsigned i)
{
	struct ts_cell cell;

	ts_cell_read(&cell, page + ts_cell_at(page, TS_LEAF_HEADER, i));
	return cell.rowid;
}

/* Bytes of a row's payload of that size that stand in its leaf. */
static inline uint64_t
ts_local_bytes(const struct ts_geometry *g, uint64_t size)
{
	uint64_t here;

	if (size <= g->max_local)
		return size;
	here = g->min_local + (size - g->min_local) % (g->usable - 4);
	return here > g->max_local ? g->min_local : here;
}

/* The first of a page's entries whose key is at least `rowid`; cells = none. */
static inline unsigned
ts_page_search(const struct ts_page *page, int64_t rowid)
{
	unsigned low = 0, high = page->cells;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		int64_t key = page->leaf ? ts_rowid_at(page->bytes, middle)
					 : ts_key_at(page->bytes, middle);

		if (key < rowid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* From the row ids of an interior page, inclusive, to those of its child. */
static inline void
ts_child_range(int64_t *low, int64_t *high, const struct ts_page *page, unsigned child)
{
	if (child > 0) {
		int64_t key = ts_key_at(page->bytes, child - 1);

		*low = key == INT64_MAX ? key : key + 1;
	}
	if (child < page->cells)
		*high = ts_key_at(page->bytes, child);
}

/* Are a page's keys what those above it say? */
static inline bool
ts_page_in_range(const struct ts_page *page, int64_t low, int64_t high)
{
	int64_t (*key)(const unsigned char *, unsigned) = page->leaf ? ts_rowid_at : ts_key_at;

	return page->cells == 0 ||
		(key(page->bytes, 0) >= low && key(page->bytes, page->cells - 1) <= high);
}

/* Is it one that may stand `depth` pages below the root? */
static inline bool
ts_page_fits(const struct ts_page *page, int depth, int64_t low, int64_t high)
{
	return ts_page_in_range(page, low, high) && (page->cells > 0 || depth == 0) &&
		(page->leaf || depth < TS_TREE_DEPTH);
}

#endif
