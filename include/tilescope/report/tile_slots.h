/* SPDX-License-Identifier: MIT */
/*
 * tile_slots - a small number for each tile that rows name, in the order in which they come.
 *
 * Tile numbers are a report's word: mostly 0, 1, 2, ..., but any number may stand there. Small ones have
 * a table, the others a hash.
 */
#ifndef TS_REPORT_TILE_SLOTS_H
#define TS_REPORT_TILE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_SLOT_FULL = -1, TS_SLOT_NOMEM = -2 };

struct ts_far_slot;

/* All zero = empty. */
struct ts_tile_slots {
	size_t count, cap;
	int64_t *tile; /* by slot */
	size_t most;   /* tiles that are taken in at most; 0 = TS_TILES_MAX */
	size_t near_cap;
	uint32_t *near; /* slot + 1 of small tile numbers; 0 = none */
	struct ts_far_slot *far;
	int64_t last; /* rows of a tile mostly stand together */
	ptrdiff_t last_slot;
};

void ts_tile_slots_fini(struct ts_tile_slots *s);

/* The slot of a tile, made if need be; TS_SLOT_FULL, TS_SLOT_NOMEM. */
ptrdiff_t ts_tile_slot_make(struct ts_tile_slots *s, int64_t tile);

static inline ptrdiff_t
ts_tile_slot(struct ts_tile_slots *s, int64_t tile)
{
	return s->count > 0 && s->last == tile ? s->last_slot : ts_tile_slot_make(s, tile);
}

#endif
