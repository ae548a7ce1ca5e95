/* SPDX-License-Identifier: MIT */
/*
 * damage - see the header.
 *
 * A path goes down from the root by a row id, through pages that are sound and whose keys lie where those above
 * them say. So no page is believed in two places, whatever points at it, and going on at the row id behind a
 * gap always comes further: a walk ends after as many steps as the file has cells.
 */
#include "config.h"

#include "tilescope/db/damage.h"
#include "tilescope/db/pages.h"

#include "tree.h"

/* Where a path ends: a leaf, or the page that is damaged. */
struct landing {
	uint32_t page;
	bool sound;
	int64_t low, high; /* row ids below it, inclusive */
	unsigned cells;
	bool there;    /* the leaf has a row at or behind the row id ... */
	int64_t rowid; /* ... this one */
	int64_t last;  /* of the leaf, unless it is empty */
};

static enum ts_code
land(struct landing *l, struct ts_pages *pages, uint32_t root, int64_t rowid, struct ts_err *err)
{
	*l = (struct landing){.page = root, .low = INT64_MIN, .high = INT64_MAX};
	for (int depth = 0;; depth++) {
		struct ts_pages_slot *slot;
		struct ts_page page;
		unsigned at;
		enum ts_code code = ts_pages_get(&slot, &page, pages, l->page, err);

		if (code || !slot || !ts_page_fits(&page, depth, l->low, l->high)) {
			ts_pages_put(slot);
			return code == TS_E_DAMAGED ? TS_OK : code;
		}
		at = ts_page_search(&page, rowid);
		if (page.leaf) {
			l->sound = true;
			l->cells = page.cells;
			l->there = at < page.cells;
			l->rowid = l->there ? ts_rowid_at(page.bytes, at) : 0;
			l->last = page.cells ? ts_rowid_at(page.bytes, page.cells - 1) : 0;
		} else {
			l->page = ts_child_at(page.bytes, page.cells, at);
			ts_child_range(&l->low, &l->high, &page, at);
		}
		ts_pages_put(slot);
		if (l->sound)
			return TS_OK;
	}
}

enum ts_code
ts_path_find(enum ts_path *path, struct ts_gap *gap, struct ts_db *db, const struct ts_object *o,
	int64_t rowid, struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	struct landing l;
	enum ts_code code;

	*path = TS_PATH_UNKNOWN;
	if (!pages || o->root == 0)
		return TS_OK;
	/* the row that follows may stand in the next leaf */
	while (!(code = land(&l, pages, o->root, rowid, err)) && l.sound && !l.there &&
		l.high < INT64_MAX)
		rowid = l.high + 1;
	if (code)
		return code;
	*path = !l.sound ? TS_PATH_GAP : l.there ? TS_PATH_ROW : TS_PATH_END;
	*gap = l.sound ? (struct ts_gap){l.page, l.rowid, l.rowid}
		       : (struct ts_gap){l.page, l.low > rowid ? l.low : rowid, l.high};
	return TS_OK;
}

enum ts_code
ts_table_end(int64_t *rowid, bool *found, bool last, struct ts_db *db, const struct ts_object *o,
	struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	struct landing l;
	enum ts_code code;

	*found = false;
	if (!pages || o->root == 0)
		return TS_OK;
	code = land(&l, pages, o->root, last ? INT64_MAX : INT64_MIN, err);
	if (code)
		return code;
	if (l.sound) {
		*found = l.cells > 0;
		*rowid = last ? l.last : l.rowid;
	} else {
		*found = l.page != o->root;
		*rowid = last ? l.low : l.high;
	}
	return TS_OK;
}

enum ts_code
ts_table_walk(struct ts_table_state *s, struct ts_db *db, const struct ts_object *o,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_pages *pages = ts_db_pages(db);
	int64_t rowid = INT64_MIN;

	*s = (struct ts_table_state){.known = pages && o->root != 0};
	while (s->known) {
		struct landing l;
		enum ts_code code = land(&l, pages, o->root, rowid, err);

		if (code)
			return code;
		if (l.sound) {
			s->pages++;
			s->rows += l.cells;
		} else {
			ts_gaps_add(&s->gaps, &(struct ts_gap){l.page, l.low, l.high});
		}
		ts_progress_set(progress, s->pages + s->gaps.count, 0);
		if (l.high == INT64_MAX)
			break;
		rowid = l.high + 1;
	}
	return TS_OK;
}

/* --- words ------------------------------------------------------------------------------------ */

void
ts_gaps_add(struct ts_gaps *g, const struct ts_gap *gap)
{
	g->count++;
	if (g->kept < TS_GAPS)
		g->gap[g->kept++] = *gap;
}

void
ts_gap_describe(struct ts_strbuf *out, const struct ts_gap *g)
{
	if (g->from == g->to)
		ts_strbuf_printf(out, "row id %lld", (long long)g->from);
	else if (g->from == INT64_MIN && g->to == INT64_MAX)
		ts_strbuf_puts(out, "all rows");
	else if (g->from == INT64_MIN)
		ts_strbuf_printf(out, "row ids up to %lld", (long long)g->to);
	else if (g->to == INT64_MAX)
		ts_strbuf_printf(out, "row ids from %lld on", (long long)g->from);
	else
		ts_strbuf_printf(out, "row ids %lld to %lld", (long long)g->from, (long long)g->to);
	if (g->page > 0)
		ts_strbuf_printf(out, " (page %lu)", (unsigned long)g->page);
}

void
ts_gaps_describe(struct ts_strbuf *out, const struct ts_gaps *g, const char *table)
{
	enum { NAMED = 3, NAME = 60 };
	int named = g->kept < NAMED ? g->kept : NAMED;

	ts_strbuf_printf(out, "table %.*s: ", NAME, table);
	for (int i = 0; i < named; i++) {
		if (i > 0)
			ts_strbuf_puts(out, ", ");
		ts_gap_describe(out, &g->gap[i]);
	}
	if (g->count > named)
		ts_strbuf_printf(out, " and %lld more places", (long long)(g->count - named));
	ts_strbuf_puts(out, " cannot be read");
}
