/* SPDX-License-Identifier: MIT */
/* log - messages so far, and what the workers do. */
#ifndef TS_VIEW_LOG_H
#define TS_VIEW_LOG_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_log;

#endif
