/* SPDX-License-Identifier: MIT */
/* open - the list of reports below a directory. */
#ifndef TS_VIEW_OPEN_H
#define TS_VIEW_OPEN_H

#include "tilescope/report/find.h"
#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_open;

/* Show these (takes the list, which came from ts_alloc()); `dir` is where they were looked for. */
void ts_view_open_take(struct ts_view *v, const char *dir, struct ts_found_list *list);

#endif
