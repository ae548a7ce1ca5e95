/* SPDX-License-Identifier: MIT */
/* summary - view 1: the verdict on memory and cycles, and what the report says of itself. */
#ifndef TS_VIEW_SUMMARY_H
#define TS_VIEW_SUMMARY_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_summary;

#endif
