/* SPDX-License-Identifier: MIT */
/*
 * pages - pages of an SQLite file, read around SQLite, for the b-tree reader (table.h).
 *
 * One object per connection, used by one thread at a time; its counters may be read from any. What is kept
 * is bounded whatever the report: TS_PAGES_BYTES for single pages, TS_EXTENT_BYTES for each scan.
 */
#ifndef TS_DB_PAGES_H
#define TS_DB_PAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/db/vfs.h"

enum {
	TS_PAGES_BYTES = 1 << 20,    /* of single pages that are kept, a connection */
	TS_EXTENT_BYTES = 256 << 10, /* read at once, at most */
	TS_PAGE_SLACK = 32, /* bytes behind every page that may be looked at: they mean nothing */
};

/* How pages of this file are divided; all in bytes. */
struct ts_geometry {
	uint32_t page, usable; /* size of a page, and what is left of it without the reserve */
	uint32_t max_cells;    /* in a page */
	uint32_t max_local, min_local; /* of a row's payload that stands in its leaf */
	uint32_t pages;		       /* in the file */
	uint32_t lock_page;	       /* the one that SQLite never uses */
	bool auto_vacuum; /* overflow chains may be followed through a map of pointers */
};

/* A table b-tree's page that has passed all checks that SQLite makes, and more: see pages.c. */
struct ts_page {
	const unsigned char *bytes;
	unsigned cells; /* 0 only in an empty table's root */
	bool leaf;
};

/* The rows of a leaf, each array with room for g->max_cells. */
struct ts_cells {
	int64_t *rowid;
	uint32_t *payload; /* where it begins in the page */
	uint32_t *size;	   /* of the payload, here and in overflow pages */
};

struct ts_pages;
struct ts_pages_slot;

/*
 * `source` must outlive it, and meter (or NULL), where what it reads is counted, too. *out NULL with TS_OK: a file that is
 * not read in this way (UTF-16, for instance). Errors: TS_E_NOMEM.
 */
enum ts_code ts_pages_new(struct ts_pages **out, struct ts_source *source,
	struct ts_source_meter *meter, const struct ts_sqlite_header *h,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_pages_free(struct ts_pages *p); /* NULL allowed */
void ts_pages_set_cancel(struct ts_pages *p, const struct ts_cancel *cancel);
const struct ts_geometry *ts_pages_geometry(const struct ts_pages *p);

/*
 * Page `number` of a table's b-tree, kept; held until ts_pages_put(). *slot NULL with TS_OK: there is no
 * such page, or it is not sound, or all room is held: ask SQLite. Errors: TS_E_SYS, TS_E_DAMAGED (it
 * lies behind the end of the file), TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code ts_pages_get(struct ts_pages_slot **slot, struct ts_page *page, struct ts_pages *p,
	uint32_t number, struct ts_err *err) TS_WARN_UNUSED;
void ts_pages_put(struct ts_pages_slot *slot); /* NULL allowed */

/* Are they far away, so that it is worth while to name them before they are read? */
bool ts_pages_are_far(const struct ts_pages *p);

/* Can the page be had without waiting? What is no page can. */
bool ts_pages_are_here(struct ts_pages *p, uint32_t number);

/*
 * These pages are going to be read (rising, each once; numbers that no page has are left out): ask for them together.
 * Never waits.
 */
void ts_pages_want(struct ts_pages *p, const uint32_t *number, size_t count, bool urgent);

/* Pages read at once by a scan: its own, and not kept. Zeroed to begin with. */
struct ts_extent {
	unsigned char *bytes;
	uint32_t cap;	       /* pages */
	uint32_t first, count; /* what is there */
};

/*
 * Page `number`, unchecked, valid until the next call; if it is not there, it is read together with the
 * `ahead - 1` behind it. *bytes NULL with TS_OK and errors: as ts_pages_get().
 */
enum ts_code ts_extent_get(const unsigned char **bytes, struct ts_extent *x, struct ts_pages *p,
	uint32_t number, uint32_t ahead, struct ts_err *err) TS_WARN_UNUSED;
void ts_extent_fini(struct ts_extent *x);

/*
 * Check a page of a table's b-tree; false = not sound, or not of a table. cells (or NULL): where the rows of a leaf
 * are listed.
 */
bool ts_page_check(struct ts_page *page, const struct ts_geometry *g, const unsigned char *bytes,
	const struct ts_cells *cells);

struct ts_pages_stats {
	int64_t hits, misses; /* pages that were there, and that were not */
	int64_t bytes;	      /* read */
	int64_t waits;	      /* reads */
};

/* Any thread; NULL allowed. */
void ts_pages_stats(struct ts_pages_stats *s, const struct ts_pages *p);

#endif
