/* SPDX-License-Identifier: MIT */
/*
 * browse - the rows of any table or view of a report's files, by position, whatever they mean.
 *
 * Three ways lead to a row. A table whose row ids follow each other is addressed by row id (believed until
 * a row is missed). Where they do not, and for a filter or a sort, an *order* is made in one pass: the row
 * id of every 64th row, or of every row that matches, at most TS_BROWSE_LISTED of them. Rows without row ids
 * (WITHOUT ROWID, most views) are read forwards: position p costs p rows.
 */
#ifndef TS_REPORT_BROWSE_H
#define TS_REPORT_BROWSE_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"
#include "tilescope/db/row_block.h"

enum {
	TS_BROWSE_WINDOW = 512,	    /* rows at once */
	TS_BROWSE_VALUES = 1 << 17, /* of them, but at least the rows of a screen */
	TS_BROWSE_LISTED = 1000000, /* rows of a filter or a sort */
	TS_BROWSE_TERMS = 16,	    /* of a filter */
	TS_BROWSE_FILTER = 256,	    /* bytes of its text, NUL included */
};

/* A table or view, and what is known of it without reading its rows. */
struct ts_browse_table {
	int source;
	const struct ts_object *object; /* its name and columns */
	const struct ts_object
		*rows; /* where its rows are read: the base table of a view, or itself */
	bool has_rowid;
	int64_t first;	      /* row id of the first row */
	int64_t estimate;     /* rows, by the row ids; -1 = not known */
	int64_t counted;      /* rows, where somebody has counted them; else -1 */
	const char *relation; /* that is bound to it, or NULL */
	int relations;	      /* how many are */
	char problem[120];    /* why it cannot be read, or "" */
};

struct ts_browse_list {
	int count;
	struct ts_browse_table *table;
};

/* All tables and views. Errors: TS_E_CANCELLED, TS_E_NOMEM; damage is a table's `problem`. */
enum ts_code ts_browse_tables(struct ts_browse_list *list, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_browse_list_fini(struct ts_browse_list *list);

/* --- which rows, in which order ------------------------------------------------------------------ */

struct ts_browse_wish {
	char filter[TS_BROWSE_FILTER]; /* as typed; "" = all rows */
	int sort;		       /* column, or -1 = as they stand */
	bool descending;
};

/*
 * Is the text of a filter one? Words, all of which a row has to meet: text (some column contains it, ASCII
 * letters in any case), COLUMN:text, COLUMN=value and != < <= > >=; "quotes" around what has blanks;
 * NULL is the value that is none. Numbers are compared as numbers. Errors: TS_E_USAGE.
 */
enum ts_code ts_browse_check(const struct ts_browse_table *t, const char *filter,
	struct ts_err *err) TS_WARN_UNUSED;

struct ts_browse_order {
	atomic_int uses;
	int stride; /* every such row's row id is here: 1, or 64 for all rows as they stand */
	int64_t *rowid;
	size_t n, room;
	int64_t count; /* rows */
	bool cut;      /* there are more than `limit` */
};

/*
 * One pass: the row ids of what is wished for, the first `limit` (0: TS_BROWSE_LISTED; all rows as they
 * stand have no limit). Only for tables with row ids. Rows before damage are kept: TS_E_DAMAGED and
 * an order. Errors: as ts_db_step(), TS_E_USAGE.
 */
enum ts_code ts_browse_order_make(struct ts_browse_order **order, struct ts_reader *rd,
	const struct ts_browse_table *t, const struct ts_browse_wish *wish, int64_t limit,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
struct ts_browse_order *ts_browse_order_hold(struct ts_browse_order *o);
void ts_browse_order_release(struct ts_browse_order *o); /* NULL allowed */

/* --- rows ---------------------------------------------------------------------------------------- */

struct ts_browse_window {
	struct ts_row_block block;
	bool gap;   /* row ids do not follow each other: an order has to be made */
	bool ended; /* there are no rows behind these */
	bool damaged;
};

/*
 * Rows [from, to) of the order, or (order NULL) of the table by row id or read forwards under `wish`.
 * Rows before damage are given, with TS_E_DAMAGED. Errors: as ts_db_step(), TS_E_USAGE.
 */
enum ts_code ts_browse_read(struct ts_browse_window *w, struct ts_reader *rd,
	const struct ts_browse_table *t, const struct ts_browse_wish *wish,
	const struct ts_browse_order *order, int64_t from, int64_t to, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_browse_window_fini(struct ts_browse_window *w);

#endif
