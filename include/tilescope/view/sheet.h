/* SPDX-License-Identifier: MIT */
/*
 * sheet - the table that the pane with the keys shows, for everything that is the same for all tables:
 * `columns`, sorting and filtering of tables that are held, copying a row, `:write` as csv, json and md.
 *
 * A view that shows a table answers its op `sheet`. Where all rows are held (or can be said without reading:
 * one for every tile) ts_table.value gives them, and `rows` says how many; where only those in sight are, `source`
 * makes a reader of all of them, which runs in a worker. While a chart has the keys the sheet is what the chart is
 * drawn from (a row per tile, a row per step): `table.column` may be NULL then, there are only `facts`.
 */
#ifndef TS_VIEW_SHEET_H
#define TS_VIEW_SHEET_H

#include "tilescope/base/err.h"
#include "tilescope/ui/table.h"

/* Columns that a sheet has at most, and the values that a source gives: those of a table that SQLite opens. */
enum { TS_SHEET_COLUMNS = 2000 };

struct ts_reader;
struct ts_view;

/* All rows of a table one by one, in a worker: whatever it needs is its own. The reader has the token to look at. */
struct ts_row_source {
	/*
	 * values[i] of column i of the table, NONE before; texts live until the next call. *more false: there was none.
	 * TS_E_DAMAGED, at the end: some rows could not be read.
	 */
	enum ts_code (*next)(struct ts_row_source *s, struct ts_reader *rd,
		struct ts_table_value *values, bool *more, struct ts_err *err);
	/* The pinned total, asked for when the rows are at their end; NULL or false: none. */
	bool (*total)(struct ts_row_source *s, struct ts_table_value *values);
	void (*free)(struct ts_row_source *s);
	int64_t expected; /* rows, for progress; 0 = not known */
};

enum { TS_SHEET_ABOUT = 150 }; /* bytes of a title that say what the rows are of, at most */

struct ts_sheet {
	char title[200];       /* "Variables of tile 12" */
	struct ts_table table; /* with `id`, `facts`, `value`, and `order` where it is held */
	struct ts_list *list;  /* of the table on the screen; NULL: it is not there */
	int64_t rows; /* that table.value gives (with `order`: ts_table_order.count counts) */
	/*
	 * Of a table that shows several things in one row: row k of those that are written for `row`, as table.value
	 * takes it; -1: there are no more. NULL: what is shown is written.
	 */
	int64_t (*written)(void *ctx, int64_t row, int64_t k);
	/*
	 * Of a table with words for the screen, whose parts have columns that are not shown until somebody asks: is a column
	 * one of a file? NULL: those that are wanted are.
	 */
	bool (*in_file)(const struct ts_table *t, int column);
	struct ts_row_source *(*source)(
		struct ts_view *v); /* NULL: table.value gives them; its NULL: no memory */
	bool stacks; /* its first two columns are a stack, frames with ';' between, and its own weight: :write FILE.folded */
	const char *wait; /* not all is there yet: why nothing can be written; NULL: it is */
};

/*
 * The row under the cursor for the clipboard: exact values of the columns that are wanted, with tabs between.
 * False: there is none, or no values.
 */
bool ts_sheet_copy(const struct ts_sheet *s, char *out, size_t size);

/*
 * A piece of the order that tables of the view wait for, those of all its tabs that are shown (ts_table_order_step()).
 * False: none does. The loop calls it at each turn and does not sleep meanwhile.
 */
bool ts_view_order_turn(struct ts_view *v);

#endif
