/* SPDX-License-Identifier: MIT */
/*
 * split - see the header.
 *
 * The tree is read from the root downwards, level by level, until one has at least ENOUGH entries or its entries
 * are leaves. All entries of a level count the same, for all leaves of a tree are equally deep. How many
 * rows an entry has is looked at in a few of them.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/pages.h"
#include "tilescope/db/split.h"

#include "cell.h"

enum { ENOUGH = 512, DEPTH = 20, SAMPLES = 5 };

/* A level: its pages from left to right, all of them interior ones. */
struct level {
	int pages;
	uint32_t number[ENOUGH];
	unsigned children[ENOUGH];
	int64_t entries; /* children of all */
};

/* *known false: damaged, or not to be read now. */
static enum ts_code
get_page(struct ts_pages_slot **slot, struct ts_page *page, bool *known, struct ts_pages *pages,
	uint32_t number, struct ts_err *err)
{
	enum ts_code code = ts_pages_get(slot, page, pages, number, err);

	*known = !code && *slot;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* How many children each page has; *leaves: they are leaves themselves. */
static enum ts_code
count_children(struct level *l, bool *known, bool *leaves, struct ts_pages *pages,
	struct ts_err *err)
{
	l->entries = 0;
	*leaves = false;
	for (int i = 0; i < l->pages; i++) {
		struct ts_pages_slot *slot;
		struct ts_page page;
		enum ts_code code = get_page(&slot, &page, known, pages, l->number[i], err);

		if (code || !*known)
			return code;
		*leaves = page.leaf;
		l->children[i] = page.cells + 1;
		l->entries += page.cells + 1;
		ts_pages_put(slot);
		if (*leaves)
			break;
	}
	return TS_OK;
}

/* The level below: its pages. */
static enum ts_code
go_down(struct level *below, const struct level *l, bool *known, struct ts_pages *pages,
	struct ts_err *err)
{
	below->pages = 0;
	for (int i = 0; i < l->pages; i++) {
		struct ts_pages_slot *slot;
		struct ts_page page;
		enum ts_code code = get_page(&slot, &page, known, pages, l->number[i], err);

		if (code || !*known)
			return code;
		for (unsigned k = 0; k <= page.cells && below->pages < ENOUGH; k++)
			below->number[below->pages++] = ts_child_at(page.bytes, page.cells, k);
		ts_pages_put(slot);
	}
	return TS_OK;
}

/* Find the level to divide at: l[*at]; *known false: there is none. */
static enum ts_code
find_level(struct level l[2], int *at, bool *known, struct ts_pages *pages, uint32_t root,
	struct ts_err *err)
{
	bool leaves;
	enum ts_code code;

	*at = 0;
	l[0].pages = 1;
	l[0].number[0] = root;
	code = count_children(&l[0], known, &leaves, pages, err);
	*known = *known && !leaves;
	for (int depth = 0; !code && *known && depth < DEPTH && l[*at].entries < ENOUGH; depth++) {
		struct level *below = &l[!*at];

		code = go_down(below, &l[*at], known, pages, err);
		if (!code && *known)
			code = count_children(below, known, &leaves, pages, err);
		if (leaves)
			break;
		*at = !*at;
	}
	return code;
}

/* Entry i of a level: its page, and the largest row id below it (INT64_MAX behind the last key of a page). */
static enum ts_code
get_entry(uint32_t *number, int64_t *high, bool *known, const struct level *l, int64_t i,
	struct ts_pages *pages, struct ts_err *err)
{
	struct ts_pages_slot *slot;
	struct ts_page page;
	enum ts_code code;
	int at = 0;

	while (i >= l->children[at])
		i -= l->children[at++];
	code = get_page(&slot, &page, known, pages, l->number[at], err);
	if (code || !*known)
		return code;
	*known = !page.leaf && i <= page.cells;
	if (*known) {
		*number = ts_child_at(page.bytes, page.cells, (unsigned)i);
		*high = i < page.cells ? ts_key_at(page.bytes, (unsigned)i) : INT64_MAX;
	}
	ts_pages_put(slot);
	return TS_OK;
}

/* About how many rows lie below a page. */
static enum ts_code
count_rows(double *rows, struct ts_pages *pages, uint32_t number, struct ts_err *err)
{
	*rows = 1;
	for (int depth = 0; depth < DEPTH; depth++) {
		struct ts_pages_slot *slot;
		struct ts_page page;
		bool known, leaf;
		enum ts_code code = get_page(&slot, &page, &known, pages, number, err);

		if (code || !known)
			return code;
		leaf = page.leaf;
		*rows *= leaf ? page.cells : page.cells + 1;
		if (!leaf)
			number = ts_child_at(page.bytes, page.cells, page.cells / 2);
		ts_pages_put(slot);
		if (leaf)
			break;
	}
	return TS_OK;
}

static enum ts_code
estimate(struct ts_split *s, const struct level *l, struct ts_pages *pages, struct ts_err *err)
{
	double sum = 0;
	enum ts_code code = TS_OK;

	for (int i = 0; !code && i < SAMPLES; i++) {
		uint32_t number;
		int64_t high;
		double rows = 0;
		bool known;

		code = get_entry(&number, &high, &known, l,
			l->entries * (2 * i + 1) / (2 * SAMPLES), pages, err);
		if (!code && known)
			code = count_rows(&rows, pages, number, err);
		sum += rows;
	}
	sum = sum / SAMPLES * (double)l->entries;
	s->rows = sum < (double)INT64_MAX / 2 ? (int64_t)sum : INT64_MAX;
	return code;
}

/* A part begins behind a key: that of the entry before, or where it is the last of its page, of the next that has one. */
static enum ts_code
divide(struct ts_split *s, const struct level *l, int most, struct ts_pages *pages,
	struct ts_err *err)
{
	int64_t before = INT64_MIN;
	enum ts_code code = TS_OK;

	s->parts = 1;
	s->begin[0] = INT64_MIN;
	for (int i = 1; !code && i < most; i++) {
		int64_t at = l->entries * i / most, high = INT64_MAX;
		uint32_t number;
		bool known = true;

		for (; !code && known && at > 0 && at < l->entries && high == INT64_MAX; at++)
			code = get_entry(&number, &high, &known, l, at - 1, pages, err);
		if (!code && known && high > before && high < INT64_MAX)
			s->begin[s->parts++] = (before = high) + 1;
	}
	return code;
}

enum ts_code
ts_split_table(struct ts_split *s, struct ts_db *db, const struct ts_object *o, int most,
	struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	struct level *l;
	bool known = false;
	enum ts_code code;
	int at;

	*s = (struct ts_split){0};
	if (!pages || o->root == 0)
		return TS_OK;
	l = ts_alloc(2, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	code = find_level(l, &at, &known, pages, o->root, err);
	if (!code && known)
		code = divide(s, &l[at], (int)ts_clamp_i64(most, 1, TS_SPLIT_PARTS), pages, err);
	if (!code && known)
		code = estimate(s, &l[at], pages, err);
	free(l);
	return code;
}
