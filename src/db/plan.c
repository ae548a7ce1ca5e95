/* SPDX-License-Identifier: MIT */
/*
 * plan - see the header.
 *
 * A stop is a page to go through on the way to some rows. All stops whose page is here are gone
 * through, and those behind them, before anything is waited for: then all that are left are on
 * their way. So trees that are not equally deep do not wait for each other. All leaves of a tree
 * are equally deep: when one was met, the others are only asked for, but those that lead on: of an
 * index to rows, of rows to overflow pages. Chains of these are taken to lie together, as they
 * nearly always do.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/pages.h"
#include "tilescope/db/plan.h"

#include "index_page.h"
#include "tree.h"

enum { CHAIN_MAX = 1024 /* overflow pages of a row that are asked for */ };

struct stop {
	uint32_t page;
	uint32_t tree; /* TREES for each of the rows that were named */
	int depth;
	int64_t from, to;
};

struct stops {
	struct stop *at;
	size_t n, cap;
};

/* Of rows that were named: the index, the rows themselves, what is only asked for. */
enum { TREE_INDEX, TREE_ROWS, TREE_CHAIN, TREES };

struct tree {
	int leaves;   /* how deep they are; -1: not known */
	size_t pages; /* that it led to */
};

struct walk {
	struct ts_pages *pages;
	const struct ts_plan_rows *rows;
	struct tree *tree;
	struct stops now, next;
	struct ts_extent extent; /* a page of an index */
	uint32_t *number;	 /* of the pages of `now` */
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

static const struct ts_plan_rows *
rows_of(const struct walk *w, const struct stop *s)
{
	return &w->rows[s->tree / TREES];
}

static bool
is_tree(const struct stop *s, uint32_t which)
{
	return s->tree % TREES == which;
}

static bool
lead_on(struct walk *w, const struct stop *s)
{
	return w->next.n >= TS_PLAN_PAGES || add_stop(&w->next, s);
}

/* The overflow pages of a leaf's rows. */
static enum ts_code
go_along_chains(struct walk *w, const struct stop *s, const struct ts_page *page,
	struct ts_err *err)
{
	const struct ts_geometry *g = ts_pages_geometry(w->pages);
	struct stop chain = {.tree = s->tree - TREE_ROWS + TREE_CHAIN};

	for (unsigned i = ts_page_search(page, s->from); i < page->cells; i++) {
		struct ts_cell c;
		uint64_t here, pages;

		ts_cell_read(&c, page->bytes + ts_cell_at(page->bytes, TS_LEAF_HEADER, i));
		if (c.rowid > s->to)
			break;
		here = ts_local_bytes(g, c.size);
		if (here == c.size)
			continue;
		chain.page = ts_be32(c.payload + here);
		pages = (c.size - here + g->usable - 5) / (g->usable - 4);
		for (uint64_t k = 0; k < pages && k < CHAIN_MAX; k++, chain.page++) {
			w->tree[chain.tree].pages++;
			if (!lead_on(w, &chain))
				return ts_err_nomem(err);
		}
	}
	return TS_OK;
}

/* An entry of an index: its row. Rows that follow on each other are one stop. */
static enum ts_code
go_to_row(struct walk *w, const struct stop *s, const struct index_entry *e, struct ts_err *err)
{
	struct stop *last = w->next.n > 0 ? &w->next.at[w->next.n - 1] : NULL;
	const struct stop row = {rows_of(w, s)->o->root, s->tree - TREE_INDEX + TREE_ROWS, 0,
		e->rowid, e->rowid};

	if (row.page == 0 || !e->has_rowid || e->is != INDEX_NUMBER || e->key < s->from ||
		e->key > s->to)
		return TS_OK;
	if (last && last->tree == row.tree && last->page == row.page && last->to < INT64_MAX &&
		last->to + 1 == e->rowid) {
		last->to++;
		return TS_OK;
	}
	return lead_on(w, &row) ? TS_OK : ts_err_nomem(err);
}

/* A page of an index: what is below it, and the rows that its own entries name. */
static enum ts_code
pass_index(struct walk *w, const struct stop *s, struct ts_err *err)
{
	const unsigned char *bytes;
	struct index_page page;
	struct index_entry e;
	struct stop child = *s;
	unsigned first, last;
	enum ts_code code = ts_extent_get(&bytes, &w->extent, w->pages, s->page, 1, err);

	if (code || !bytes || !index_page_open(&page, ts_pages_geometry(w->pages), bytes))
		return ends(code) ? code : TS_OK;
	for (unsigned i = 0; i < page.cells && !code; i++) {
		index_page_entry(&e, &page, i);
		code = go_to_row(w, s, &e, err);
	}
	if (page.leaf || code || s->depth >= TS_TREE_DEPTH)
		return code;
	child.depth++;
	index_page_children(&first, &last, &page, s->from, s->to);
	for (unsigned i = first; i <= last; i++) {
		child.page = index_page_child(&page, i);
		w->tree[s->tree].pages++;
		if (!lead_on(w, &child))
			return ts_err_nomem(err);
	}
	return TS_OK;
}

/* Go through a stop; its page is read. */
static enum ts_code
pass(struct walk *w, const struct stop *s, struct ts_err *err)
{
	struct ts_pages_slot *slot;
	struct ts_page page;
	enum ts_code code;

	if (is_tree(s, TREE_INDEX))
		return pass_index(w, s, err);
	if (is_tree(s, TREE_CHAIN)) {
		const unsigned char *bytes;

		code = ts_extent_get(&bytes, &w->extent, w->pages, s->page, 1, err);
		return ends(code) ? code : TS_OK;
	}
	code = ts_pages_get(&slot, &page, w->pages, s->page, err);
	if (!code && slot && page.leaf) {
		w->tree[s->tree].leaves = s->depth;
		if (rows_of(w, s)->whole)
			code = go_along_chains(w, s, &page, err);
	} else if (!code && slot && s->depth < TS_TREE_DEPTH) {
		code = go_down(w, s, &page, err);
	}
	ts_pages_put(slot);
	return ends(code) ? code : TS_OK;
}

/* Does its tree lead to more than is wanted of it? */
static bool
is_wide(const struct walk *w, const struct stop *s)
{
	size_t most = (size_t)rows_of(w, s)->most;

	return most > 0 && w->tree[s->tree].pages > most;
}

/* Then it is enough to have asked for it. */
static bool
is_leaf(const struct walk *w, const struct stop *s)
{
	return is_tree(s, TREE_CHAIN) ||
		(is_tree(s, TREE_ROWS) && !rows_of(w, s)->whole &&
			s->depth == w->tree[s->tree].leaves);
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
	w.tree = ts_alloc(count * TREES, sizeof(*w.tree));
	if (!w.tree)
		return ts_err_nomem(err);
	for (size_t i = 0; !code && i < count; i++) {
		bool index = rows[i].index > 0;
		const struct stop s = {index ? rows[i].index : rows[i].o->root,
			(uint32_t)i * TREES + (index ? TREE_INDEX : TREE_ROWS), 0, rows[i].from,
			rows[i].to};

		w.tree[i * TREES + TREE_ROWS].leaves = -1;
		if (s.page > 0 && s.from <= s.to && !add_stop(&w.now, &s))
			code = ts_err_nomem(err);
	}
	while (!code && w.now.n > 0)
		code = go_on(&w, err);
	free(w.now.at);
	free(w.next.at);
	free(w.number);
	free(w.tree);
	ts_extent_fini(&w.extent);
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

enum {
	CHUNK = 1024, /* pages that are asked for together */
	INDEXES_MAX = 256,
};

/* Ask for pages, sorted. */
static void
want_pages(struct ts_pages *pages, const struct stop *s, size_t count)
{
	uint32_t number[CHUNK];

	for (size_t from = 0, n; from < count; from += n) {
		n = count - from < CHUNK ? count - from : CHUNK;
		for (size_t i = 0; i < n; i++)
			number[i] = s[from + i].page;
		ts_pages_want(pages, number, n, false);
	}
}

/* A page of any b-tree, which is no leaf: its children; 0: it is another page, or unsound. */
static unsigned
children_of(uint32_t *first, const unsigned char *bytes, const struct ts_geometry *g)
{
	struct index_page index;
	struct ts_page table;

	*first = 0;
	if (!bytes)
		return 0;
	if (index_page_open(&index, g, bytes)
			? index.leaf
			: !ts_page_check(&table, g, bytes, NULL) || table.leaf)
		return 0;
	*first = ts_child_at(bytes, ts_be16(bytes + 3), 0);
	return ts_be16(bytes + 3) + 1;
}

/*
 * How many pages lie above the leaves of each b-tree: put into `from` of its first page, 1 or more; those that are a leaf, or of
 * which nothing is known, are taken out. The first pages of all are gone down together.
 */
static enum ts_code
find_depths(struct stops *roots, struct ts_extent *x, struct ts_pages *pages, struct ts_err *err)
{
	const struct ts_geometry *g = ts_pages_geometry(pages);
	struct stops now = {0};
	enum ts_code code = TS_OK;
	size_t n = 0;

	for (size_t i = 0; i < roots->n; i++)
		if (!add_stop(&now, &(struct stop){.page = roots->at[i].page, .tree = (uint32_t)i}))
			code = ts_err_nomem(err);
	for (int depth = 0; now.n > 0 && depth <= TS_TREE_DEPTH && !code; depth++, n = 0) {
		qsort(now.at, now.n, sizeof(*now.at), by_page);
		want_pages(pages, now.at, now.n);
		for (size_t i = 0; i < now.n && !code; i++) {
			const unsigned char *bytes;
			struct stop *s = &now.at[i];
			uint32_t child;

			code = ts_extent_get(&bytes, x, pages, s->page, 1, err);
			if (!code && children_of(&child, bytes, g) > 0) {
				roots->at[s->tree].from = depth + 1;
				now.at[n++] = (struct stop){.page = child, .tree = s->tree};
			} else if (!ends(code)) {
				code = TS_OK;
			}
		}
		now.n = n;
	}
	free(now.at);
	for (size_t i = 0; i < roots->n; i++)
		if (roots->at[i].from > 0)
			roots->at[n++] = roots->at[i];
	roots->n = n;
	return code;
}

/* One level: all its pages, and those of the level below. */
static enum ts_code
fetch_level(struct stops *below, const struct stops *level, int *left, int64_t *done,
	struct ts_extent *x, struct ts_pages *pages, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	below->n = 0;
	for (size_t from = 0, n; !code && from<level->n && * left> 0; from += n) {
		n = level->n - from < CHUNK ? level->n - from : CHUNK;
		n = n < (size_t)*left ? n : (size_t)*left;
		want_pages(pages, level->at + from, n);
		*left -= (int)n;
		for (size_t i = 0; !code && i < n; i++) {
			const struct stop *s = &level->at[from + i];
			const unsigned char *bytes;
			uint32_t first;
			unsigned children = 0;

			ts_progress_set(progress, ++*done, 0);
			code = ts_extent_get(&bytes, x, pages, s->page, 1, err);
			if (!code && s->from > 1)
				children = children_of(&first, bytes, ts_pages_geometry(pages));
			for (unsigned k = 0; k < children && below->n < TS_PLAN_PAGES; k++)
				if (!add_stop(below,
					    &(struct stop){ts_child_at(bytes, children - 1, k), 0,
						    0, s->from - 1, 0}))
					return ts_err_nomem(err);
			if (code && !ends(code))
				code = TS_OK;
		}
	}
	return code;
}

/* The first pages of all b-trees that SQLite alone reads; what the schema says of them is no more than a hint. */
static enum ts_code
add_indexes(struct stops *roots, struct ts_db *db, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	bool row;
	enum ts_code code = ts_db_prepare(db, &stmt,
		"SELECT rootpage FROM main.sqlite_schema WHERE type = 'index' AND rootpage > 1 UNION "
		"SELECT s.rootpage FROM main.sqlite_schema AS s JOIN pragma_table_list AS t ON t.schema = "
		"'main' AND t.name = s.name WHERE s.type = 'table' AND t.wr AND s.rootpage > 1",
		err);

	if (code)
		return ends(code) ? code : TS_OK;
	while (!(code = ts_db_step(db, stmt, &row, err)) && row && roots->n < INDEXES_MAX) {
		int64_t root = sqlite3_column_int64(stmt, 0);

		if (root <= UINT32_MAX && !add_stop(roots, &(struct stop){.page = (uint32_t)root}))
			code = ts_err_nomem(err);
		if (code)
			break;
	}
	ts_db_release(db, stmt);
	return ends(code) ? code : TS_OK;
}

enum ts_code
ts_plan_interior(struct ts_db *db, const struct ts_object *const *o, size_t count, int most,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	struct stops level = {0}, below = {0};
	struct ts_extent x = {0};
	enum ts_code code = TS_OK;
	int64_t done = 0;

	if (!ts_plan_helps(db))
		return TS_OK;
	for (size_t i = 0; !code && i < count; i++)
		if (o[i]->root > 0 && !add_stop(&level, &(struct stop){.page = o[i]->root}))
			code = ts_err_nomem(err);
	if (!code)
		code = add_indexes(&level, db, err);
	/* a stop's `from` is how many levels lead to the leaves from here on */
	if (!code)
		code = find_depths(&level, &x, pages, err);
	for (int depth = 0; !code && level.n > 0 && most > 0 && depth <= TS_TREE_DEPTH; depth++) {
		struct stops was = level;

		qsort(level.at, level.n, sizeof(*level.at), by_page);
		code = fetch_level(&below, &level, &most, &done, &x, pages, progress, err);
		level = below;
		below = was;
	}
	ts_extent_fini(&x);
	free(level.at);
	free(below.at);
	return code;
}

/* --- what SQLite goes along --------------------------------------------------------------------- */

enum ts_code
ts_plan_index(uint32_t *root, struct ts_db *db, const char *sql, struct ts_err *err)
{
	struct ts_strbuf text;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	*root = 0;
	ts_strbuf_init(&text, TS_DB_LENGTH_MAX);
	ts_strbuf_printf(&text, "EXPLAIN %s", sql);
	code = ts_db_prepare_sql(db, &stmt, &text, err);
	if (code)
		return code;
	while (*root == 0 && !(code = ts_db_step(db, stmt, &row, err)) && row) {
		const char *op = (const char *)sqlite3_column_text(stmt, 1);
		const char *key = (const char *)sqlite3_column_text(stmt, 5);
		int64_t page = sqlite3_column_int64(stmt, 3);

		/* KeyInfo in P4: the b-tree of an index, or of a table without row ids */
		if (op && key && strcmp(op, "OpenRead") == 0 && strncmp(key, "k(", 2) == 0 &&
			page > 1 && page <= UINT32_MAX)
			*root = (uint32_t)page;
	}
	ts_db_release(db, stmt);
	return code;
}
