/* SPDX-License-Identifier: MIT */
/*
 * index_page_check - what has to hold of the page of an index, whatever its bytes, for the fuzzer (tests/fuzz/fuzz_index_page.c)
 * and for the replay of its corpus (test_index_page).
 *
 * The first four bytes are the begin of the keys that are looked for, as many their end; the rest is the page. What is read
 * lies in the page and in its slack: the page is a block of its own, so that the sanitizers see it.
 */
#ifndef TS_TESTS_UNIT_INDEX_PAGE_CHECK_H
#define TS_TESTS_UNIT_INDEX_PAGE_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "../../src/db/index_page.h"

enum { INDEX_CHECK_KEYS = 8, INDEX_CHECK_LEAST = 480 };

static inline int64_t
index_check_key(const unsigned char *p)
{
	return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

/* Children outside of [first, last] have no key of [from, to], by what the entries beside them say. */
static inline const char *
index_check_children(const struct index_page *p, int64_t from, int64_t to)
{
	unsigned first, last;

	index_page_children(&first, &last, p, from, to);
	if (first > last || last > p->cells)
		return "children that are not there";
	for (unsigned i = first; i < last; i++) {
		struct index_entry e;

		index_page_entry(&e, p, i);
		if (e.is == INDEX_BEHIND || (e.is == INDEX_NUMBER && e.key > to))
			return "children behind the last key";
	}
	for (unsigned i = 0; i <= p->cells; i++)
		(void)index_page_child(p, i);
	return NULL;
}

/* NULL, or what does not hold. */
static inline const char *
index_page_check(const unsigned char *bytes, size_t n)
{
	struct ts_geometry g = {0};
	struct index_page p;
	unsigned char *page;
	const char *why = NULL;

	if (n < INDEX_CHECK_KEYS + INDEX_CHECK_LEAST || n > INDEX_CHECK_KEYS + (1 << 16))
		return NULL;
	g.page = g.usable = (uint32_t)(n - INDEX_CHECK_KEYS);
	g.max_cells = (g.page - 8) / 6;
	page = calloc(1, g.page + TS_PAGE_SLACK);
	if (!page)
		return "no memory";
	memcpy(page, bytes + INDEX_CHECK_KEYS, g.page);
	if (index_page_open(&p, &g, page)) {
		for (unsigned i = 0; i < p.cells && !why; i++) {
			struct index_entry e;

			index_page_entry(&e, &p, i);
			if (e.is > INDEX_UNKNOWN)
				why = "an entry that is nothing";
		}
		if (!why && !p.leaf)
			why = index_check_children(&p, index_check_key(bytes),
				index_check_key(bytes + 4));
	}
	free(page);
	return why;
}

#endif
