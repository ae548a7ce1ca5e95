/* SPDX-License-Identifier: MIT */
/* tab_line - the line of titles above a row of tabs (view/tab.h); for tab.c. */
#ifndef TS_VIEW_TAB_LINE_H
#define TS_VIEW_TAB_LINE_H

#include "tilescope/view/tab.h"

static inline bool
tab_is_hidden(const struct ts_tab *t)
{
	return t->ops->hidden && t->ops->hidden(t);
}

/* Line 0 (of the first tab, where two are side by side) or 1; `focus`: the pane has the keys. */
void tab_line_draw(struct ts_canvas *c, struct ts_tabs *s, int which, bool focus);

/* The tab whose title is at column x of the screen, or -1. */
int tab_line_at(struct ts_tabs *s, int which, int x);

#endif
