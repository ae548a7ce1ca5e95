/* SPDX-License-Identifier: MIT */
/* open - the Open view: the reports that were opened last, and a picker of directories and reports. */
#ifndef TS_VIEW_OPEN_H
#define TS_VIEW_OPEN_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_open;

/* The picker looks below this directory now. */
void ts_view_open_below(struct ts_view *v, const char *dir);

#endif
