/* SPDX-License-Identifier: MIT */
/*
 * tile_ipus - to which IPU a tile belongs.
 *
 * One answer for everybody who asks: what the tile's own row says (tile_memory.ipu), else what the relation `ipu` says
 * (first_tile, tile_count), else the tile's number divided by the tiles of an IPU of the target; else it is not known.
 * Where IPUs of the relation overlap, a tile belongs to the one that begins first, of equals to the lower number.
 */
#ifndef TS_REPORT_TILE_IPUS_H
#define TS_REPORT_TILE_IPUS_H

#include "tilescope/report/memory.h"
#include "tilescope/report/target.h"

enum {
	TS_TILE_IPUS_MAX = 4096
}; /* numbers of IPUs in the relation are below this: others are passed over */

/* Tiles [from, to). */
struct ts_ipu_run {
	int64_t from, to, ipu;
};

struct ts_tile_ipus {
	struct ts_ipu_run *row,
		*range; /* of tiles' rows, of the relation; ascending, none overlaps */
	size_t rows, row_cap, ranges, range_cap;
	int64_t tiles_per_ipu; /* TS_UNKNOWN */
	int64_t ipus;	       /* the largest number in the relation + 1; 0: nothing is recorded */
	int64_t *replica;      /* of each of these; TS_UNKNOWN */
	enum ts_code unread;   /* TS_OK, or why not all could be read: for who keeps it */
};

/*
 * Read them. `tiles` and `target` as they were read before (not kept). A relation that is absent or damaged says what it says.
 * Errors: TS_E_CANCELLED, TS_E_NOMEM. Free with ts_tile_ipus_fini() in every case.
 */
enum ts_code ts_tile_ipus_of(struct ts_tile_ipus *m, const struct ts_tiles *tiles,
	const struct ts_target *target, struct ts_reader *rd, struct ts_err *err) TS_WARN_UNUSED;

/* The same for who has neither tiles nor target. */
enum ts_code ts_tile_ipus_read(struct ts_tile_ipus *m, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
/* The relation alone. Errors: those of ts_rows_next(); it has what could be read then. */
enum ts_code ts_tile_ipus_recorded(struct ts_tile_ipus *m, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
/* The caller's, too. False: no memory, it knows nothing then. */
bool ts_tile_ipus_copy(struct ts_tile_ipus *to, const struct ts_tile_ipus *from) TS_WARN_UNUSED;
void ts_tile_ipus_fini(struct ts_tile_ipus *m);

/* The IPU of a tile, or TS_UNKNOWN. */
int64_t ts_tile_ipus_find(const struct ts_tile_ipus *m, int64_t tile);

/* The replica of an IPU as the relation says; TS_UNKNOWN. */
int64_t ts_tile_ipus_replica(const struct ts_tile_ipus *m, int64_t ipu);

#endif
