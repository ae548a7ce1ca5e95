/* SPDX-License-Identifier: MIT */
/*
 * variables - the Variables view: every lowered variable, in any order, filtered.
 *
 * A list of any length with the row under the cursor in full below it. `sort` takes the next order (or
 * the one that is named), `sort-reverse` turns it round, `filter` leaves what matches; both show what
 * is found while they work. The tile and the IPU under the cursor are in the selection.
 */
#ifndef TS_VIEW_VARIABLES_H
#define TS_VIEW_VARIABLES_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_variables;

#endif
