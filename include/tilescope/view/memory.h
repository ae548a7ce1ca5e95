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

/*
 * Compare: graph and map show what the view's values of n tiles (all of its list, in the order of their numbers) are more
 * or less than these; below 0 is not known. They are copied, belong to the metric that is shown and are forgotten with
 * it. NULL: nothing is compared any more. False: the tiles are not here, are not n, or no memory.
 */
bool ts_memory_compare(struct ts_view *v, const int64_t *other, int64_t n);

#endif
