/* SPDX-License-Identifier: MIT */
/*
 * selection - what the views have in common: the object that the user looks at, and a set of tiles.
 *
 * app/ owns it. A view writes what is under its cursor and reads the rest when it is shown or told
 * to go there. -1 = nothing. The set of tiles is one for all views and places: who draws something of it
 * looks whether `version` is still the one that he made it for.
 */
#ifndef TS_VIEW_SELECTION_H
#define TS_VIEW_SELECTION_H

#include <stdint.h>

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/what_if.h"
#include "tilescope/view/marked.h"

enum { TS_SELECT_OF_IPU = -2 }; /* for a tile: the fullest one of `ipu` */

struct ts_selected_tiles {
	struct ts_tile_set set; /* of no tiles when nothing is selected */
	int64_t count;
	uint64_t version;	     /* grows with every change */
	char text[TS_TILE_SET_TEXT]; /* an expression that names it, "" = none does */
};

struct ts_selection {
	int64_t tile;
	int64_t ipu;
	int64_t step;	   /* execution step */
	int64_t live_step; /* liveness step: another thing, never joined with `step` */
	int64_t address; /* on `tile`: where gm of a variable leads to; who shows it takes it away */
	struct ts_marked_variables marked;
	struct ts_selected_tiles tiles;
	struct ts_what_if_changes what_if; /* that are asked for: view/what_if.h */
};

#define TS_SELECTION_NONE                                                         \
	{                                                                         \
		.tile = -1, .ipu = -1, .step = -1, .live_step = -1, .address = -1 \
	}

/* Select these (*set is taken); `text` names them, NULL: their numbers do. */
void ts_select_tiles(struct ts_selection *s, struct ts_tile_set *set, const char *text);
void ts_select_no_tiles(struct ts_selection *s);

static inline bool
ts_is_selected(const struct ts_selection *s, int64_t tile)
{
	return s->tiles.count > 0 && ts_tile_set_has(&s->tiles.set, tile);
}

#endif
