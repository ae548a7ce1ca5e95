/* SPDX-License-Identifier: MIT */
/* tile_slots - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/tile_slots.h"

struct ts_far_slot {
	int64_t tile;
	uint32_t slot;
	UT_hash_handle hh;
};

static bool
near_room(struct ts_tile_slots *s, size_t tile)
{
	size_t cap = s->near_cap ? s->near_cap : 1024;
	uint32_t *bigger;

	if (tile < s->near_cap)
		return true;
	while (cap <= tile)
		cap *= 2;
	bigger = ts_resize(s->near, cap, sizeof(*bigger));
	if (!bigger)
		return false;
	memset(bigger + s->near_cap, 0, (cap - s->near_cap) * sizeof(*bigger));
	s->near = bigger;
	s->near_cap = cap;
	return true;
}

/* A place for the next slot's tile. */
static bool
tile_room(struct ts_tile_slots *s)
{
	void *p = s->tile;

	if (!ts_room(&p, &s->cap, s->count, sizeof(*s->tile)))
		return false;
	s->tile = p;
	return true;
}

static bool
remember_far(struct ts_tile_slots *s, int64_t tile)
{
	struct ts_far_slot *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return false;
	f->tile = tile;
	f->slot = (uint32_t)s->count;
	HASH_ADD(hh, s->far, tile, sizeof(f->tile), f);
	if (f->hh.tbl)
		return true;
	free(f);
	return false;
}

ptrdiff_t
ts_tile_slot_make(struct ts_tile_slots *s, int64_t tile)
{
	bool near = tile >= 0 && tile < TS_TILES_MAX;
	ptrdiff_t slot = TS_SLOT_FULL;

	if (near) {
		if ((size_t)tile < s->near_cap && s->near[tile] > 0)
			slot = (ptrdiff_t)s->near[tile] - 1;
	} else {
		struct ts_far_slot *f;

		HASH_FIND(hh, s->far, &tile, sizeof(tile), f);
		slot = f ? (ptrdiff_t)f->slot : TS_SLOT_FULL;
	}
	if (slot == TS_SLOT_FULL) {
		if (s->count == (s->most ? s->most : (size_t)TS_TILES_MAX))
			return TS_SLOT_FULL;
		if (!tile_room(s) || !(near ? near_room(s, (size_t)tile) : remember_far(s, tile)))
			return TS_SLOT_NOMEM;
		slot = (ptrdiff_t)s->count;
		if (near)
			s->near[tile] = (uint32_t)slot + 1;
		s->tile[s->count++] = tile;
	}
	s->last = tile;
	s->last_slot = slot;
	return slot;
}

void
ts_tile_slots_fini(struct ts_tile_slots *s)
{
	struct ts_far_slot *f, *next;

	HASH_ITER(hh, s->far, f, next) {
		HASH_DEL(s->far, f);
		free(f);
	}
	free(s->near);
	free(s->tile);
	*s = (struct ts_tile_slots){.most = s->most};
}
