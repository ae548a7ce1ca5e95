/* SPDX-License-Identifier: MIT */
/*
 * plan - see the header.
 *
 * A stop is a page to go through on the way to some rows. The stops of a level stand in the order of their pages, so that
 * each page is asked for and looked at once. All leaves of a tree are equally deep: when one of its pages is a leaf the
 * others of that level are, too, and are only asked for.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/pages.h"
#include "tilescope/db/plan.h"

#include "tree.h"

struct stop {
	uint32_t page;
	uint32_t tree; /* which of the rows that were named */
	int64_t from, to;
};

struct stops {
	struct stop *at;
	size_t n, cap;
};

struct tree {
	bool leaves;  /* this level is that of its leaves */
	size_t pages; /* of the next level */
};

struct walk {
	struct ts_pages *pages;
	const struct ts_plan_rows *rows;
	struct tree *tree;
	struct stops now, next;
	uint32_t *number; /* of the level's pages */
	bool urgent;
};

static int
by_page(const void *a, const void *b)
{
	const struct stop *x = a, *y = b;

	return (x->page > y->page) - (x->page < y->page);
}

static bool
add_stop(struct stops *s, uint32_t page, uint32_t tree, int64_t from, int64_t to)
{
	void *at = s->at;

	if (s->n > 0 && s->at[s->n - 1].page == page && s->at[s->n - 1].tree == tree &&
		s->at[s->n - 1].from == from && s->at[s->n - 1].to == to)
		return true;
	if (!ts_room(&at, &s->cap, s->n, sizeof(*s->at)))
		return false;
	s->at = at;
	s->at[s->n++] = (struct stop){page, tree, from, to};
	return true;
}

/* Errors that end it: whoever reads the rows meets all others. */
static bool
ends(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_CONNECT || code == TS_E_STALE ||
		code == TS_E_NOMEM;
}

/* Ask for the pages of the level. */
static enum ts_code
ask(struct walk *w, struct ts_err *err)
{
	size_t n = 0;

	qsort(w->now.at, w->now.n, sizeof(*w->now.at), by_page);
	free(w->number);
	w->number = ts_alloc(w->now.n, sizeof(*w->number));
	if (!w->number)
		return ts_err_nomem(err);
	for (size_t i = 0; i < w->now.n; i++)
		if (n == 0 || w->number[n - 1] != w->now.at[i].page)
			w->number[n++] = w->now.at[i].page;
	ts_pages_want(w->pages, w->number, n, w->urgent);
	return TS_OK;
}

/* The children of an interior page that lead to the rows of a stop. */
static enum ts_code
go_down(struct walk *w, const struct stop *s, const struct ts_page *page, struct ts_err *err)
{
	struct tree *t = &w->tree[s->tree];

	for (unsigned i = ts_page_search(page, s->from); i <= page->cells; i++) {
		if (w->next.n < TS_PLAN_PAGES &&
			!add_stop(&w->next, ts_child_at(page->bytes, page->cells, i), s->tree,
				s->from, s->to))
			return ts_err_nomem(err);
		t->pages++;
		if (i == page->cells || ts_key_at(page->bytes, i) >= s->to)
			break;
	}
	return TS_OK;
}

/* One level: the next one is in w->next. */
static enum ts_code
go_through(struct walk *w, struct ts_err *err)
{
	enum ts_code code = ask(w, err);

	for (size_t i = 0; !code && i < w->now.n; i++) {
		const struct stop *s = &w->now.at[i];
		struct ts_pages_slot *slot;
		struct ts_page page;

		if (w->tree[s->tree].leaves)
			continue;
		code = ts_pages_get(&slot, &page, w->pages, s->page, err);
		if (!code && slot) {
			w->tree[s->tree].leaves = page.leaf;
			if (!page.leaf)
				code = go_down(w, s, &page, err);
		}
		ts_pages_put(slot);
		if (code && !ends(code))
			code = TS_OK;
	}
	return code;
}

/* Those of trees that have become too wide are left out. */
static void
next_level(struct walk *w)
{
	struct stops was = w->now;

	w->now = w->next;
	w->next = (struct stops){was.at, 0, was.cap};
	was.n = w->now.n;
	w->now.n = 0;
	for (size_t i = 0; i < was.n; i++) {
		const struct stop *s = &w->now.at[i];
		size_t most = (size_t)w->rows[s->tree].most;

		if (most == 0 || w->tree[s->tree].pages <= most)
			w->now.at[w->now.n++] = *s;
	}
}

bool
ts_plan_helps(const struct ts_db *db)
{
	const struct ts_pages *pages = ts_db_pages((struct ts_db *)db);

	return pages && ts_pages_are_far(pages);
}

enum ts_code
ts_plan_fetch(struct ts_db *db, const struct ts_plan_rows *rows, size_t count, struct ts_err *err)
{
	struct walk w = {.pages = ts_db_pages(db), .rows = rows, .urgent = true};
	enum ts_code code = TS_OK;

	if (!ts_plan_helps(db) || count == 0)
		return TS_OK;
	w.tree = ts_alloc(count, sizeof(*w.tree));
	if (!w.tree)
		return ts_err_nomem(err);
	for (size_t i = 0; !code && i < count; i++)
		if (rows[i].o->root > 0 && rows[i].from <= rows[i].to &&
			!add_stop(&w.now, rows[i].o->root, (uint32_t)i, rows[i].from, rows[i].to))
			code = ts_err_nomem(err);
	for (int depth = 0; !code && w.now.n > 0 && depth <= TS_TREE_DEPTH; depth++) {
		for (size_t i = 0; i < count; i++)
			w.tree[i].pages = 0;
		code = go_through(&w, err);
		next_level(&w);
	}
	free(w.now.at);
	free(w.next.at);
	free(w.number);
	free(w.tree);
	return code;
}

/* --- all pages that lead to rows ---------------------------------------------------------------- */

enum { CHUNK = 1024 }; /* pages that are asked for together */

/* How many pages lie above a leaf of a table; 0: it is a leaf, or nothing is known. */
static enum ts_code
depth_of(int *depth, struct ts_pages *pages, uint32_t number, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	bool leaf = false;

	for (*depth = 0; !code && !leaf && *depth <= TS_TREE_DEPTH; *depth += !leaf) {
		struct ts_pages_slot *slot;
		struct ts_page page;

		code = ts_pages_get(&slot, &page, pages, number, err);
		if (code || !slot) {
			*depth = 0;
			break;
		}
		leaf = page.leaf;
		if (!leaf)
			number = ts_child_at(page.bytes, page.cells, 0);
		ts_pages_put(slot);
	}
	return ends(code) ? code : TS_OK;
}

/* One level: all its pages, and those of the level below. */
static enum ts_code
fetch_level(struct stops *below, const struct stops *level, int *left, int64_t *done,
	struct ts_pages *pages, struct ts_progress *progress, struct ts_err *err)
{
	uint32_t number[CHUNK];
	enum ts_code code = TS_OK;

	below->n = 0;
	for (size_t from = 0, n; !code && from<level->n && * left> 0; from += n) {
		n = level->n - from < CHUNK ? level->n - from : CHUNK;
		n = n < (size_t)*left ? n : (size_t)*left;
		for (size_t i = 0; i < n; i++)
			number[i] = level->at[from + i].page;
		ts_pages_want(pages, number, n, false);
		*left -= (int)n;
		for (size_t i = 0; !code && i < n; i++) {
			const struct stop *s = &level->at[from + i];
			struct ts_pages_slot *slot;
			struct ts_page page;

			ts_progress_set(progress, ++*done, 0);
			code = ts_pages_get(&slot, &page, pages, s->page, err);
			for (unsigned k = 0;
				!code && slot && !page.leaf && s->from > 1 && k <= page.cells; k++)
				if (!add_stop(below, ts_child_at(page.bytes, page.cells, k), 0,
					    s->from - 1, 0))
					code = ts_err_nomem(err);
			ts_pages_put(slot);
			if (code && !ends(code))
				code = TS_OK;
		}
	}
	return code;
}

enum ts_code
ts_plan_interior(struct ts_db *db, const struct ts_object *const *o, size_t count, int most,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	struct stops level = {0}, below = {0};
	enum ts_code code = TS_OK;
	int64_t done = 0;

	if (!ts_plan_helps(db))
		return TS_OK;
	for (size_t i = 0; !code && i < count; i++) {
		int depth;

		if (o[i]->root == 0)
			continue;
		code = depth_of(&depth, pages, o[i]->root, err);
		/* a stop's `from` is how many levels lead to the leaves from here on */
		if (!code && depth > 0 && !add_stop(&level, o[i]->root, 0, depth, 0))
			code = ts_err_nomem(err);
	}
	for (int depth = 0; !code && level.n > 0 && most > 0 && depth <= TS_TREE_DEPTH; depth++) {
		struct stops was = level;

		qsort(level.at, level.n, sizeof(*level.at), by_page);
		code = fetch_level(&below, &level, &most, &done, pages, progress, err);
		level = below;
		below = was;
	}
	free(level.at);
	free(below.at);
	return code;
}
