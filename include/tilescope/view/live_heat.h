/* SPDX-License-Identifier: MIT */
/*
 * live_heat - the tab "heat": tile x liveness step, each cell the fullest of its tiles at the fullest of its steps.
 *
 * It needs nothing of its host: the report, and the selection. Both axes zoom and pan; what is under the cursor is told
 * exactly (which tile, which step). `open` makes that tile and step the selection, and the view goes there.
 */
#ifndef TS_VIEW_LIVE_HEAT_H
#define TS_VIEW_LIVE_HEAT_H

#include "tilescope/view/tab.h"

struct ts_explained;

/* Where the live bytes of a tile at a step come from, and the query that gives them. */
void ts_live_explain(struct ts_explained *x, const struct ts_report *r, int64_t tile, int64_t step);

/*
 * The tab stands below a chart that has the steps [from, to) in sight behind a margin of so many columns: the same steps
 * stand in the same columns, until somebody zooms the map. margin 0: there is no chart above.
 */
void ts_live_heat_below(struct ts_tab *t, int margin, int64_t from, int64_t to);

extern const struct ts_tab_ops ts_tab_heat;

#endif
