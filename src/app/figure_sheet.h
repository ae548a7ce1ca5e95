/* SPDX-License-Identifier: MIT */
/* figure_sheet - the figures of a view without tables as a table, for `:write`. */
#ifndef TS_APP_FIGURE_SHEET_H
#define TS_APP_FIGURE_SHEET_H

#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

/*
 * What `=` says of the view's pane: a row for each figure, with its exact value, unit, relations, formula and query. Goes into
 * *x, which lives as long as *out. False: there is no figure.
 */
bool ts_figure_sheet(struct ts_sheet *out, struct ts_explain *x, struct ts_view *v);

#endif
