/* SPDX-License-Identifier: MIT */
/*
 * liveness - the Liveness view: how much memory is live at each liveness step, and whose it is.
 *
 * A timeline (the always-live base, on it what is not always live: the mean and the highest step of
 * each column), its peaks, and the variables that are alive at the step under the cursor. `series`
 * takes the always-live base away and back. The cursor's step is in the selection.
 */
#ifndef TS_VIEW_LIVENESS_H
#define TS_VIEW_LIVENESS_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_liveness;

#endif
