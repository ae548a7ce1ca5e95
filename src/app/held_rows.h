/* SPDX-License-Identifier: MIT */
/* held_rows - a copy of the rows that a view holds, for a worker that writes them. */
#ifndef TS_APP_HELD_ROWS_H
#define TS_APP_HELD_ROWS_H

#include "tilescope/view/sheet.h"

/* All rows of the sheet in the order of the screen, and its total. NULL: there are too many, or no memory. */
struct ts_row_source *ts_held_rows(const struct ts_sheet *s);

#endif
