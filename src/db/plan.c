/* SPDX-License-Identifier: MIT */
/*
 * plan - see the header.
 *
 * A stop is a page to go through on the way to some rows. All stops whose page is here are gone through, and those behind
 * them, before anything is waited for: then all that are left are on their way. So trees that are not equally deep do not wait
 * for each other. All leaves of a tree are equally deep: when one was met, the others are only asked for.
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
	int depth;
	int64_t from, to;
};

struct stops {
	struct stop *at;
	size_t n, cap;
};

struct tree {
	int leaves;   /* how deep they are; -1: not known */
	size_t pages; /* that it led to */
};

struct walk {
	struct ts_pages *pages;
	const struct ts_plan_rows *rows;
	struct tree *tree;
	struct stops now, next;
	uint32_t *number; /* of the pages of `now` */
	size_t cap;
	bool one_level; /* it ends when something was waited for ... */
	bool waited;	/* ... which it was */
};

static int
by_page(const void *a, const void *b)
{
	const struct stop *x = a, *y = b;

	return (x->page > y->page) - (x->page < y->page);
}

static bool
add_stop(struct stops *s, const struct stop *stop)
{
	void *at = s->at;

	if (!ts_room(&at, &s->cap, s->n, sizeof(*s->at)))
		return false;
	s->at = at;
	s->at[s->n++] = *stop;
	return true;
}

/* Errors that end it: whoever reads the rows meets all others. */
static bool
ends(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_CONNECT || code == TS_E_STALE ||
		code == TS_E_NOMEM;
}

/* Ask for the pages of all stops. */
static enum ts_code
ask(struct walk *w, struct ts_err *err)
{
	size_t n = 0;

	qsort(w->now.at, w->now.n, sizeof(*w->now.at), by_page);
	if (w->now.n > w->cap) {
		free(w->number);
		w->cap = 2 * w->now.n;
		w->number = ts_alloc(w->cap, sizeof(*w->number));
		if (!w->number)
			return ts_err_nomem(err);
	}
	for (size_t i = 0; i < w->now.n; i++)
		if (n == 0 || w->number[n - 1] != w->now.at[i].page)
			w->number[n++] = w->now.at[i].page;
	ts_pages_want(w->pages, w->number, n, true);
	return TS_OK;
}

/* The children of an interior page that lead to the rows of a stop. */
static enum ts_code
go_down(struct walk *w, const struct stop *s, const struct ts_page *page, struct ts_err *err)
{
	struct tree *t = &w->tree[s->tree];
	struct stop child = *s;

	child.depth++;
	for (unsigned i = ts_page_search(page, s->from); i <= page->cells; i++) {
		child.page = ts_child_at(page->bytes, page->cells, i);
		if (w->next.n < TS_PLAN_PAGES && !add_stop(&w->next, &child))
			return ts_err_nomem(err);
		t->pages++;
		if (i == page->cells || ts_key_at(page->bytes, i) >= s->to)
			break;
	}
	return TS_OK;
}

/* Go through a stop; its page is read. */
static enum ts_code
pass(struct walk *w, const struct stop *s, struct ts_err *err)
{
	struct ts_pages_slot *slot;
	struct ts_page page;
	enum ts_code code = ts_pages_get(&slot, &page, w->pages, s->page, err);

	if (!code && slot && page.leaf)
		w->tree[s->tree].leaves = s->depth;
	else if (!code && slot && s->depth < TS_TREE_DEPTH)
		code = go_down(w, s, &page, err);
	ts_pages_put(slot);
	return ends(code) ? code : TS_OK;
}

/* Does its tree lead to more than is wanted of it? */
static bool
is_wide(const struct walk *w, const struct stop *s)
{
	size_t most = (size_t)w->rows[s->tree].most;

	return most > 0 && w->tree[s->tree].pages > most;
}

/* Then it is enough to have asked for it. */
static bool
is_leaf(const struct walk *w, const struct stop *s)
{
	return s->depth == w->tree[s->tree].leaves;
}

/* Wait for all stops that were asked for; those behind them are another level's. */
static enum ts_code
wait_for_all(struct walk *w, struct ts_err *err)
{
	enum ts_code code = ask(w, err);

	for (size_t i = 0; i < w->now.n && !code; i++)
		if (!is_wide(w, &w->now.at[i]) && !is_leaf(w, &w->now.at[i]))
			code = pass(w, &w->now.at[i], err);
	w->now.n = w->next.n = 0;
	w->waited = true;
	return code;
}

/* All stops that can be gone through without waiting, or else one; what is left and what they lead to is in w->now. */
static enum ts_code
go_on(struct walk *w, struct ts_err *err)
{
	struct stops was;
	enum ts_code code = TS_OK;
	bool any = false;

	for (int turn = 0; turn < 2 && !any && !code; turn++) {
		size_t left = 0;

		if (turn == 1 && w->one_level)
			return wait_for_all(w, err);
		if (turn == 1) /* all together, so that they come together */
			code = ask(w, err);

		for (size_t i = 0; i < w->now.n && !code; i++) {
			const struct stop s = w->now.at[i];

			if (is_wide(w, &s) || (turn == 1 && any && is_leaf(w, &s)))
				continue;
			if (ts_pages_are_here(w->pages, s.page) || (turn == 1 && !any)) {
				any = true;
				code = pass(w, &s, err);
			} else {
				w->now.at[left++] = s;
			}
		}
		w->now.n = left;
		any |= left == 0;
	}
	for (size_t i = 0; i < w->now.n && !code; i++)
		if (!add_stop(&w->next, &w->now.at[i]))
			code = ts_err_nomem(err);
	was = w->now;
	w->now = w->next;
	w->next = (struct stops){was.at, 0, was.cap};
	return code;
}

bool
ts_plan_helps(const struct ts_db *db)
{
	const struct ts_pages *pages = ts_db_pages((struct ts_db *)db);

	return pages && ts_pages_are_far(pages);
}

static enum ts_code
walk_down(bool *waited, struct ts_db *db, const struct ts_plan_rows *rows, size_t count,
	bool one_level, struct ts_err *err)
{
	struct walk w = {.pages = ts_db_pages(db), .rows = rows, .one_level = one_level};
	enum ts_code code = TS_OK;

	*waited = false;
	if (!ts_plan_helps(db) || count == 0)
		return TS_OK;
	w.tree = ts_alloc(count, sizeof(*w.tree));
	if (!w.tree)
		return ts_err_nomem(err);
	for (size_t i = 0; !code && i < count; i++) {
		const struct stop s = {rows[i].o->root, (uint32_t)i, 0, rows[i].from, rows[i].to};

		w.tree[i].leaves = -1;
		if (s.page > 0 && s.from <= s.to && !add_stop(&w.now, &s))
			code = ts_err_nomem(err);
	}
	while (!code && w.now.n > 0)
		code = go_on(&w, err);
	free(w.now.at);
	free(w.next.at);
	free(w.number);
	free(w.tree);
	*waited = w.waited;
	return code;
}

enum ts_code
ts_plan_fetch(struct ts_db *db, const struct ts_plan_rows *rows, size_t count, struct ts_err *err)
{
	bool waited;

	return walk_down(&waited, db, rows, count, false, err);
}

enum ts_code
ts_plan_level(bool *whole, struct ts_db *db, const struct ts_plan_rows *rows, size_t count,
	struct ts_err *err)
{
	bool waited;
	enum ts_code code = walk_down(&waited, db, rows, count, true, err);

	*whole = !waited;
	return code;
}

/* --- where a table ends, roughly ---------------------------------------------------------------- */

/* What the keys of an interior page say of the row ids behind its last key, or those up to its first one. */
static int64_t
guess_end(const struct ts_page *page, bool last)
{
	unsigned at = last ? page->cells - 1 : 0, beside = last ? at - 1 : 1;
	int64_t key = ts_key_at(page->bytes, at), apart = 0, guess;

	if (page->cells > 1 &&
		(last ? __builtin_sub_overflow(key, ts_key_at(page->bytes, beside), &apart)
		      : __builtin_sub_overflow(ts_key_at(page->bytes, beside), key, &apart)))
		apart = 0;
	if (last ? __builtin_add_overflow(key, apart / 2, &guess)
		 : __builtin_sub_overflow(key, apart, &guess))
		guess = key;
	return !last && key >= 1 && guess <= apart ? 1 : guess; /* as a rule they begin there */
}

static bool
end_about(int64_t *rowid, struct ts_pages *pages, uint32_t number, bool last)
{
	bool known = false, more = true;

	for (int depth = 0; more && depth <= TS_TREE_DEPTH && ts_pages_are_here(pages, number);
		depth++) {
		struct ts_pages_slot *slot = NULL;
		struct ts_page page;

		more = !ts_pages_get(&slot, &page, pages, number, NULL) && slot && page.cells > 0;
		if (more && page.leaf)
			*rowid = ts_rowid_at(page.bytes, last ? page.cells - 1 : 0);
		else if (more)
			*rowid = guess_end(&page, last);
		known |= more;
		more = more && !page.leaf;
		if (more)
			number = ts_child_at(page.bytes, page.cells, last ? page.cells : 0);
		ts_pages_put(slot);
	}
	return known;
}

bool
ts_plan_ends(int64_t *first, int64_t *last, struct ts_db *db, const struct ts_object *o)
{
	struct ts_pages *pages = ts_db_pages(db);

	return pages && o->root > 0 && end_about(first, pages, o->root, false) &&
		end_about(last, pages, o->root, true) && *first <= *last;
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
	if (!leaf) /* deeper than any tree is */
		*depth = 0;
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
			for (unsigned k = 0; !code && slot && !page.leaf && s->from > 1 &&
				k <= page.cells && below->n < TS_PLAN_PAGES;
				k++)
				if (!add_stop(below,
					    &(struct stop){ts_child_at(page.bytes, page.cells, k),
						    0, 0, s->from - 1, 0}))
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
		if (!code && depth > 0 &&
			!add_stop(&level, &(struct stop){o[i]->root, 0, 0, depth, 0}))
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
