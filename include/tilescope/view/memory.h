/* SPDX-License-Identifier: MIT */
/*
 * memory - the Memory view: how full every tile is, and with what.
 *
 * A histogram over all tiles (mean and fullest tile of each column, the limit, the IPUs), the figures
 * of the tile under the cursor, its categories and its largest variables. `breakdown` divides the
 * columns by category or liveness, `fullest` walks the tiles from the fullest down, `series` leaves
 * gaps out and takes them in again.
 */
#ifndef TS_VIEW_MEMORY_H
#define TS_VIEW_MEMORY_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_memory;

#endif
