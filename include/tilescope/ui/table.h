/* SPDX-License-Identifier: MIT */
/*
 * table - a list drawn in columns.
 *
 * The columns are a constant table, the text of a cell comes from a function of the view, the
 * position from a struct ts_list. Drawing holds nothing and asks only for rows on the screen.
 *
 * What is the same for all tables hangs on four more things: an `id`, the `facts` of the columns (names for
 * files and for `columns`, units, what may be added up), `value` (exact values), and, for tables whose rows are
 * all held, an `order` (ui/table_order.h: sorted and filtered here). Functions of the view always get the row as
 * the view counts it; `order` translates.
 */
#ifndef TS_UI_TABLE_H
#define TS_UI_TABLE_H

#include "tilescope/base/fmt.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/list.h"

struct ts_column {
	const char *title;
	int min;    /* columns of the screen that it needs; 0 counts as 1 */
	int max;    /* that it can use; 0 = any number */
	int weight; /* share of what is left over; 0 = stays at min */
	int priority; /* when it gets narrow the highest number goes first; 0 stays (cut, if need be) */
	int field; /* enum ts_field: TS_FIELD_RIGHT for figures, TS_FIELD_TAIL for paths, ... */
};

enum { TS_TABLE_COLUMNS = 32, TS_TABLE_TOTAL = -1 };

/* A view fills this in for one cell. `s` may point to `buf` or to memory of the view. */
struct ts_table_cell {
	const char *s; /* NULL or "" = blank */
	size_t n;      /* bytes; set to strlen by default: leave it (size_t)-1 */
	enum ts_role role;
	char buf[160];
};

/*
 * Cell of a row (TS_TABLE_TOTAL = the pinned total) and column. False: the row is not there yet,
 * and `⋯` is drawn.
 */
typedef bool ts_table_cell_fn(void *ctx, int64_t row, int column, struct ts_table_cell *out);

enum ts_table_value_type { TS_VALUE_NONE, TS_VALUE_INTEGER, TS_VALUE_REAL, TS_VALUE_TEXT };

/* The exact value of a cell: bytes as bytes, shares as they are, names whole. */
struct ts_table_value {
	enum ts_table_value_type type; /* NONE: not known, or nothing */
	int64_t integer;
	double real;
	const char *s; /* of n bytes; lives as long as what the view holds, or in `buf` */
	size_t n;
	char buf[64];
};

void ts_table_value_integer(struct ts_table_value *out, int64_t v); /* INT64_MIN, -1 are numbers */
void ts_table_value_known(struct ts_table_value *out, int64_t v);   /* negative: NONE */
void ts_table_value_real(struct ts_table_value *out, double v);
void ts_table_value_text(struct ts_table_value *out, const char *s); /* NULL: NONE */

/*
 * Value of a row (TS_TABLE_TOTAL = the pinned total) and column; *out is NONE before. False: the row
 * is not held.
 */
typedef bool ts_table_value_fn(void *ctx, int64_t row, int column, struct ts_table_value *out);

/*
 * Where values of a column have whole numbers in their order: that of a row, the same for the same value. Of a column it is
 * known of all rows, or of none (false).
 */
typedef bool ts_table_rank_fn(void *ctx, int64_t row, int column, int64_t *rank);

/* What a total may do with a column when only some rows are shown. */
enum ts_column_sum { TS_SUM_NONE, TS_SUM_BYTES, TS_SUM_COUNT };

struct ts_column_facts {
	const char *name; /* in files, `columns` and filters; NULL: the title; "": a decoration */
	const char
		*unit; /* of the exact value, which then has no words: "bytes", "%"; NULL = none */
	enum ts_column_sum sum;
	bool extra; /* not shown until somebody asks for it */
};

struct ts_table_looks;
struct ts_table_order;

/* A role to lay over a whole row (MATCH, SELECTION), or TS_ROLE_TEXT for none. */
typedef enum ts_role ts_table_row_fn(void *ctx, int64_t row);

struct ts_table {
	const struct ts_column *column;
	int columns;
	ts_table_cell_fn *cell;
	ts_table_row_fn *row; /* NULL = none */
	/*
	 * What was searched for. In a row that `row` calls a MATCH (or any, where `row` is NULL) it is told apart where it stands
	 * in a column that has a weight, else the whole row is.
	 */
	const char *needle;
	void *ctx;
	bool header;	 /* titles in the first row */
	bool total;	 /* pinned total in the last row */
	bool focus;	 /* this pane has the keys: its cursor line is CURSOR, else CURSOR_OTHER */
	bool plain;	 /* no cursor line */
	int sorted;	 /* column by which it is sorted (marked in the header), -1 = none */
	bool descending; /* which way */
	const char *empty; /* what to say when there are no rows; NULL = "nothing here" */
	int64_t missing;   /* rows that there are, and it does not have */

	const char *id; /* "memory.categories": constant; NULL: nothing below is there */
	const struct ts_column_facts *facts; /* of each column; NULL: titles, no units */
	ts_table_value_fn *value;	     /* NULL: there are no exact values */
	ts_table_rank_fn *rank;		     /* NULL: of no column */
	bool shared; /* these two may be called by several threads at once */
	const struct ts_table_looks
		*looks; /* which columns the user wants (env->looks); NULL: all */
	struct ts_table_order
		*order;	     /* of the rows, when all are held; NULL: as the view has them */
	enum ts_units units; /* of totals that are made here */
};

/* The name of a column in files and commands; "": it has none, and is neither written nor chosen. */
const char *ts_table_column_name(const struct ts_table *t, int column);

/* Is the column one that the user wants to see? */
bool ts_table_column_wanted(const struct ts_table *t, int column);

/* The view's number of the row at a place of the list, and back (-1: it is not shown). */
int64_t ts_table_row(const struct ts_table *t, int64_t place);
int64_t ts_table_place(const struct ts_table *t, int64_t row);

/*
 * Widths for `width` columns of the screen, with one blank between columns: out[i] = 0 for a
 * column that is left out. Returns the number of columns shown.
 */
int ts_table_widths(int out[TS_TABLE_COLUMNS], const struct ts_column *column, int n, int width);

/* The same for a table, as it is drawn: columns that nobody wants are left out, too. */
int ts_table_layout(int out[TS_TABLE_COLUMNS], const struct ts_table *t, int width);

/* Rows of the list that fit into r: to be told to ts_list_resize(). */
int ts_table_rows(const struct ts_table *t, struct ts_rect r);

/* Line of the list at screen row y of r (mouse), or -1 (header, total, outside). */
int ts_table_line(const struct ts_table *t, struct ts_rect r, int y);

void ts_table_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t,
	const struct ts_list *l);

#endif
