/* SPDX-License-Identifier: MIT */
/*
 * index_name_tiles - on which tiles the lowered variables of each name stand, in the index.
 *
 * Names are the numbers of the section columns (index_columns.h). The tiles of a name are runs, from the lowest on, a byte
 * or two each: so those of thousands of names are put together in a millisecond, where finding the rows that have one takes
 * ten times as long. Rows without a name or a text of it, and tiles from TS_TILES_MAX on, are in none.
 *
 * What a section says is checked as it is read: false means that it is not to be believed, and the columns answer.
 */
#ifndef TS_REPORT_INDEX_NAME_TILES_H
#define TS_REPORT_INDEX_NAME_TILES_H

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/index.h"

/* A view of the section, as long as the index is held. */
struct ts_name_tiles {
	int64_t names, tiles; /* numbers of tiles are below */
	int64_t covered;      /* tiles on which there is a name */
	const uint32_t *at;   /* of each name, and one more: where its runs begin */
	const unsigned char *runs;
	size_t size;
};

/* False: there is none, it was left empty, or it is of other names than so many. */
bool ts_name_tiles_of(struct ts_name_tiles *t, const struct ts_index *x, int64_t names);

/* Add the tiles of a name, 0 .. names-1. False: it is not to be believed. */
bool ts_name_tiles_add(struct ts_tile_set *to, const struct ts_name_tiles *t, int64_t name);

#endif
