/* SPDX-License-Identifier: MIT */
/* jobs - what the workers do, what the caches hold, how the index stands. */
#ifndef TS_VIEW_JOBS_H
#define TS_VIEW_JOBS_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_jobs;

#endif
