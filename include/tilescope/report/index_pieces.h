/* SPDX-License-Identifier: MIT */
/*
 * index_pieces - the section that says what each variable before lowering was lowered to: bytes by tile.
 */
#ifndef TS_REPORT_INDEX_PIECES_H
#define TS_REPORT_INDEX_PIECES_H

#include "tilescope/report/index.h"
#include "tilescope/report/variable_facts.h"

/* The tiles of a variable: ascending, each once. The index lends it. */
struct ts_piece_list {
	int64_t pieces;	  /* lowered variables */
	int64_t bad_rows; /* left out: tile or bytes are no numbers, or the tile is too large */
	int64_t tiles;	  /* that have a piece */

	/* where the next one is */
	const unsigned char *at, *end, *packed;
	int64_t least, unit, tile, taken;
	int width;
};

/* Begin a list; a variable without pieces has no tiles. False when the index does not hold it. */
bool ts_index_pieces(struct ts_piece_list *out, const struct ts_index *x, int64_t variable);

/* Does the index hold lists? */
bool ts_index_has_pieces(const struct ts_index *x);

/* What the list of a variable comes to, without going through it; false: it has no pieces. */
bool ts_index_spread(struct ts_variable_spread *out, const struct ts_index *x, int64_t variable);

/* The next tile and the bytes of all pieces on it; false: there are no more, or what the index has is altered. */
bool ts_piece_list_next(struct ts_piece_list *l, int64_t *tile, int64_t *bytes);

#endif
