/* SPDX-License-Identifier: MIT */
/*
 * selection - what the views have in common: the object that the user looks at.
 *
 * app/ owns it. A view writes what is under its cursor and reads the rest when it is shown or told
 * to go there. -1 = nothing.
 */
#ifndef TS_VIEW_SELECTION_H
#define TS_VIEW_SELECTION_H

#include <stdint.h>

#include "tilescope/view/marked.h"

enum { TS_SELECT_OF_IPU = -2 }; /* for a tile: the fullest one of `ipu` */

struct ts_selection {
	int64_t tile;
	int64_t ipu;
	int64_t step;	   /* execution step */
	int64_t live_step; /* liveness step: another thing, never joined with `step` */
	struct ts_marked_variables marked;
};

#define TS_SELECTION_NONE                                          \
	{                                                          \
		.tile = -1, .ipu = -1, .step = -1, .live_step = -1 \
	}

#endif
