/* SPDX-License-Identifier: MIT */
/*
 * tile_world - what expressions of tiles (calc/tile_set.h) mean in a report.
 *
 * Bytes are those that decide whether a tile fits: with gaps where known. Where no row says how much a tile
 * uses, the tiles are those of the target. Of numbers from TS_TILES_MAX on nothing can be said.
 */
#ifndef TS_REPORT_TILE_WORLD_H
#define TS_REPORT_TILE_WORLD_H

#include "tilescope/base/progress.h"
#include "tilescope/calc/tile_set.h"
#include "tilescope/report/index.h"
#include "tilescope/report/report.h"

/* The set with what the screen says of it. */
struct ts_tiles_named {
	struct ts_tile_set set;
	int64_t count;
	int64_t bytes; /* of those that are known; -1 = of none */
	int64_t fullest; /* the lowest of equals; the first tile where no bytes are known; -1 = it is empty */
	int64_t *used; /* bytes of tile i of set.tiles, below 0 = not known; NULL: of none */
};

/*
 * Work out `text`. `selected` and `cache` may be NULL. using() is a pass over the lowered variables:
 * `progress` (or NULL) counts them, the reader's token ends it. Errors: TS_E_USAGE with the place in the
 * text, TS_E_ABSENT: using() where no variable or no name is recorded, TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS,
 * TS_E_DAMAGED: using() where the variables cannot be read to their end. Free with ts_tiles_named_fini()
 * in every case.
 */
enum ts_code ts_tiles_named(struct ts_tiles_named *out, const char *text,
	const struct ts_tile_set *selected, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_tiles_named_fini(struct ts_tiles_named *n);

#endif
