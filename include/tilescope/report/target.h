/* SPDX-License-Identifier: MIT */
/*
 * target - the machine that the program was compiled for, as recorded or as assumed.
 */
#ifndef TS_REPORT_TARGET_H
#define TS_REPORT_TARGET_H

#include "tilescope/report/memory.h"

enum { TS_TARGET_NAME = 32 };

struct ts_target {
	char type[TS_TARGET_NAME];	   /* "" = not known */
	char architecture[TS_TARGET_NAME]; /* "" = not known */
	int64_t ipus;			   /* of all replicas; this and the next: or TS_UNKNOWN */
	int64_t replicas;
	int64_t tiles_per_ipu;
	int64_t bytes_per_tile;
	double clock_hz; /* 0 = not known */
	bool assumed;	 /* not recorded: worked out from the number of tiles and IPUs */
};

/*
 * The recorded target, else one assumed from `tiles` (rows of tile_memory, broken ones
 * too: they are of all replicas; 0 when not all could be read) and
 * `step_ipus` (IPUs that have steps, one replica's; 0 = none known): tiles a multiple of 1,472 (Mk2),
 * else of 1,216 (Mk1), with a quotient that is a multiple of step_ipus, give tiles per IPU and memory;
 * else tiles / step_ipus; else nothing. Mk2 and Bow differ only in clock, so that stays unknown.
 */
enum ts_code ts_target_read(struct ts_target *t, struct ts_reader *rd, int64_t tiles,
	int64_t step_ipus, struct ts_err *err) TS_WARN_UNUSED;

/* IPUs that have steps, as far as the sample of the binding shows; 0 = none known. For the screen. */
int64_t ts_step_ipus(const struct ts_report *r);

/*
 * The target with what follows from the report's own rows of tile_memory, as the screen shows it. Errors only
 * where nothing can be read any more: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_target_of(struct ts_target *t, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/* The IPU of a tile whose row was read, or TS_UNKNOWN. Of other tiles: tile_ipus.h. */
static inline int64_t
ts_tile_ipu(const struct ts_tile *tile, const struct ts_target *t)
{
	if (tile->ipu != TS_UNKNOWN)
		return tile->ipu;
	return t->tiles_per_ipu > 0 ? tile->tile / t->tiles_per_ipu : TS_UNKNOWN;
}

void ts_target_assume(struct ts_target *t, int64_t tiles, int64_t step_ipus);

#endif
