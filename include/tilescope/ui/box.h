/* SPDX-License-Identifier: MIT */
/* box - a frame over what is drawn already. */
#ifndef TS_UI_BOX_H
#define TS_UI_BOX_H

#include "tilescope/ui/canvas.h"

enum { TS_BOX_MARGIN = 2 }; /* columns between its edges and what is in it, frame included */

/*
 * A box of w columns and h rows inside of its frame (fewer where r has no room), in the middle of r. `title` and `right`
 * stand in the upper line, `hint` in the lower one; each may be NULL. What may be drawn in is returned.
 */
struct ts_rect ts_box_draw(struct ts_canvas *c, struct ts_rect r, int w, int h, const char *title,
	const char *right, const char *hint);

#endif
