/* SPDX-License-Identifier: MIT */
/*
 * table - a list drawn in columns.
 *
 * The columns are a constant table, the text of a cell comes from a function of the view, the
 * position from a struct ts_list. Drawing holds nothing and asks only for rows on the screen.
 */
#ifndef TS_UI_TABLE_H
#define TS_UI_TABLE_H

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
	char buf[64];
};

/*
 * Cell of a row (TS_TABLE_TOTAL = the pinned total) and column. False: the row is not there yet,
 * and `⋯` is drawn.
 */
typedef bool ts_table_cell_fn(void *ctx, int64_t row, int column, struct ts_table_cell *out);

/* A role to lay over a whole row (MATCH, SELECTION), or TS_ROLE_TEXT for none. */
typedef enum ts_role ts_table_row_fn(void *ctx, int64_t row);

struct ts_table {
	const struct ts_column *column;
	int columns;
	ts_table_cell_fn *cell;
	ts_table_row_fn *row; /* NULL = none */
	void *ctx;
	bool header;	 /* titles in the first row */
	bool total;	 /* pinned total in the last row */
	bool focus;	 /* this pane has the keys: its cursor line is CURSOR, else CURSOR_OTHER */
	bool plain;	 /* no cursor line */
	int sorted;	 /* column by which it is sorted (marked in the header), -1 = none */
	bool descending; /* which way */
	const char *empty; /* what to say when there are no rows; NULL = "nothing here" */
};

/*
 * Widths for `width` columns of the screen, with one blank between columns: out[i] = 0 for a
 * column that is left out. Returns the number of columns shown.
 */
int ts_table_widths(int out[TS_TABLE_COLUMNS], const struct ts_column *column, int n, int width);

/* Rows of the list that fit into r: to be told to ts_list_resize(). */
int ts_table_rows(const struct ts_table *t, struct ts_rect r);

/* Line of the list at screen row y of r (mouse), or -1 (header, total, outside). */
int ts_table_line(const struct ts_table *t, struct ts_rect r, int y);

void ts_table_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t,
	const struct ts_list *l);

#endif
