/* SPDX-License-Identifier: MIT */
/*
 * grid_source - all rows of a table of the file, or of an answer of SQL, for `:write` (view/sheet.h).
 *
 * Columns without facts of their own: the names are the table's. Of a text of a table the first TS_ROW_VALUE bytes are
 * kept, with "…" behind them; answers of SQL are asked for anew and are whole. Blobs are hexadecimal digits.
 */
#ifndef TS_VIEW_GRID_SOURCE_H
#define TS_VIEW_GRID_SOURCE_H

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/browse.h"
#include "tilescope/view/grid.h"
#include "tilescope/view/sheet.h"

/* `order` is held for it; may be NULL. `count`: rows, for progress, below 0 = not known. NULL: no memory. */
struct ts_row_source *ts_grid_table_source(const struct ts_browse_table *table,
	const struct ts_browse_wish *wish, struct ts_browse_order *order, int columns,
	int64_t count);

/*
 * The statement is asked once more, of the whole report; `selected` is what it means (copied), `rules` the file of the user's
 * groups (taken; or NULL). NULL: no memory.
 */
struct ts_row_source *ts_grid_query_source(struct ts_report *report, const char *sql,
	const struct ts_tile_set *selected, char *rules);

/* What a grid shows as a sheet without rows; `facts` has room for TS_SHEET_COLUMNS. */
void ts_grid_sheet(const struct ts_grid *g, struct ts_column_facts *facts, struct ts_sheet *out);

#endif
