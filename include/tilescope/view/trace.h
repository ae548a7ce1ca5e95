/* SPDX-License-Identifier: MIT */
/* trace - the Trace view: a lane per IPU, and the list of steps that goes with it. */
#ifndef TS_VIEW_TRACE_H
#define TS_VIEW_TRACE_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_trace;

#endif
