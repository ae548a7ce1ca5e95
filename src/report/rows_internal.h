/* SPDX-License-Identifier: MIT */
/* rows_internal - what the files of the row cursor share: rows.c, and rows_past.c, which goes on behind damage. */
#ifndef TS_REPORT_ROWS_INTERNAL_H
#define TS_REPORT_ROWS_INTERNAL_H

#include "tilescope/base/strbuf.h"
#include "tilescope/db/damage.h"
#include "tilescope/report/rows.h"
#include "tilescope/db/table.h"

enum { ROWS_SLOTS = 4 * TS_ROWS_COLUMNS + 3 };

_Static_assert((int)ROWS_SLOTS <= (int)TS_TABLE_COLUMNS,
	"a table cursor has room for all columns of a query");

struct rows_block;
struct rows_moved;

enum way { BY_NOTHING, BY_KEY, BY_ROWID, FROM_ROWID };

struct ts_rows {
	struct ts_db *db;
	struct ts_table *table; /* rows come from pages ... */
	sqlite3_stmt *stmt;	/* ... or, where this is set, from SQLite */
	struct ts_rows_query q;
	/* columns of the statement, or -1 */
	int slot_a[TS_ROWS_COLUMNS], slot_b[TS_ROWS_COLUMNS], slot_c[TS_ROWS_COLUMNS],
		slot_d[TS_ROWS_COLUMNS];
	const struct ts_table_value *plain[TS_ROWS_COLUMNS]; /* a column as it stands, or NULL */
	int rowid_slot, key_slot, only_slot;		     /* or -1 */
	struct ts_table *lookup[TS_ROWS_COLUMNS]; /* TS_OP_LOOKUP: opened when it is needed */
	int order_slot;				  /* that TS_OP_ORDER_IN goes by, or -1 */
	int order_column;			  /* of the query, with such an order */
	int slots, column[ROWS_SLOTS];		  /* the columns that are read, -1 = the row id */
	enum way way;				  /* how the range is applied, */
	int64_t from, to;			  /* and to what: row ids, or keys; half-open */
	bool until;				  /* rows end where the key reaches q.to */
	bool whole;				  /* the first row read is the relation's first */
	bool ended;
	int64_t given;	       /* rows handed out */
	struct ts_err late;    /* amid a row: told with the next one */
	struct ts_err damaged; /* told at the end: a dictionary, or rows that were passed over */
	struct ts_gaps gaps;   /* these */
	int64_t at;	       /* highest row id that was read, with `begun` */
	int64_t beyond;	       /* where reading went on behind damage, with `went_on` */
	int64_t leaf_end;      /* the statement gives rows up to this row id, with `of_leaf` */
	bool begun, went_on, of_leaf;
	int64_t most; /* rows of a view that are believed */
	int64_t position;
	int64_t order; /* row order within equal values of the group, NO_ORDER = not known yet */
	int64_t group;
	bool grouped;	  /* `group` is set */
	bool ungroupable; /* this row has no number to be grouped by, and no order */
	bool from_start;
	struct ts_strbuf text[TS_ROWS_COLUMNS]; /* dictionary texts of this row */
	struct rows_block *block;
	struct rows_moved *moved; /* TS_OP_MOVED: made when it is needed */
};

/* Which number of TS_OP_MOVED: a program, an IPU (both >= 0), received there or sent from there. */
struct rows_moved_of {
	int64_t program, ipu;
	bool out;
};

/*
 * Bytes of 0 .. 2^62, TS_UNKNOWN where the program moves none that are recorded, or what is recorded is damaged.
 * `by` are the rows of "program_moved"; *m is made at the first call. Errors: as ts_db_step().
 */
enum ts_code rows_moved_get(int64_t *v, struct rows_moved **m, struct ts_db *db,
	const struct ts_object *by, const struct rows_moved_of *of,
	struct ts_err *err) TS_WARN_UNUSED;

/* NULL: nothing to do. */
void rows_moved_close(struct rows_moved *m, struct ts_db *db);

/* Rows from SQLite from here on; `more`: rows beyond the limit that the caller leaves out. */
enum ts_code rows_open_statement(struct ts_rows *rows, enum way way, int64_t from, int64_t to,
	int64_t more, struct ts_err *err) TS_WARN_UNUSED;

/* Rows from pages again, from `rowid` on. */
void rows_back_to_pages(struct ts_rows *rows, int64_t rowid);

/* The next row, whoever reads it, up to damage. */
enum ts_code rows_read(struct ts_rows *rows, bool *there, struct ts_err *err) TS_WARN_UNUSED;

/* The same, and behind damage where that is asked for. */
enum ts_code rows_past_read(struct ts_rows *rows, bool *there, struct ts_err *err) TS_WARN_UNUSED;

/* Row ids of pages rise; those that SQLite reads from a page that is not sound may not. */
static inline void
rows_note(struct ts_rows *rows, int64_t rowid)
{
	if (!rows->begun || rowid > rows->at)
		rows->at = rowid;
	rows->begun = true;
}

#endif
