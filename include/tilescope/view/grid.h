/* SPDX-License-Identifier: MIT */
/*
 * grid - rows of any columns on the screen: scrolled both ways, a cursor on a row and a column, all of a
 * row below. What the Tables view and the answers of SQL have in common; no view by itself.
 *
 * The values stay with the view (blocks of rows); a grid asks for a row by its position.
 */
#ifndef TS_VIEW_GRID_H
#define TS_VIEW_GRID_H

#include "tilescope/db/row_block.h"
#include "tilescope/ui/table.h"

/* The block that has the row, and which of its rows it is; false while it is not there. */
typedef bool ts_grid_row_fn(void *ctx, int64_t position, const struct ts_row_block **block,
	int *row);

struct ts_grid_column {
	const char *name; /* of the view, or the report's: untrusted */
	const char *type; /* as declared; "" or NULL = unknown */
	int width;	  /* of the widest value that was seen */
	bool text;	  /* one that is no number was seen */
};

struct ts_grid {
	struct ts_list list;
	struct ts_grid_column *column; /* the view's */
	int columns;
	int at, first; /* column under the cursor, first on the screen */
	int skip;      /* lines of the details that are scrolled away */
	int lines;     /* of the details, as drawn last */

	/* filled in for a drawing */
	ts_grid_row_fn *row;
	void *ctx;
	int sorted; /* column, or -1 */
	bool descending;
	const char *empty;
	int shown[TS_TABLE_COLUMNS]; /* column of the report at each place */
	char title[TS_TABLE_COLUMNS][64];
	struct ts_column look[TS_TABLE_COLUMNS];
	struct ts_strbuf text; /* of a cell that is being drawn */
};

void ts_grid_init(struct ts_grid *g);
void ts_grid_fini(struct ts_grid *g);

/* Other columns (kept by the view); the cursor goes to the first row and column. */
void ts_grid_set(struct ts_grid *g, struct ts_grid_column *column, int columns);

/* Let the columns grow to what the block needs. */
void ts_grid_measure(struct ts_grid *g, const struct ts_row_block *b);

/* Rows of the table that fit, header taken off. */
void ts_grid_resize(struct ts_grid *g, struct ts_rect r);
void ts_grid_draw(struct ts_grid *g, struct ts_canvas *c, struct ts_rect r, bool focus);

/* All columns of the row under the cursor, with their types. */
void ts_grid_draw_details(struct ts_grid *g, struct ts_canvas *c, struct ts_rect r);

/* Cursor of rows and columns; UNKNOWN for other commands. `details`: they scroll instead. */
enum ts_effect ts_grid_command(struct ts_grid *g, enum ts_cmd cmd, bool details, int height);

/* The row under the cursor, values with tabs between, for the clipboard; false: not there. */
bool ts_grid_copy(struct ts_grid *g, char *out, size_t size);

#endif
