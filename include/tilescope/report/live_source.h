/* SPDX-License-Identifier: MIT */
/*
 * live_source - whose liveness: of the device, of an IPU, of a tile or of a set of tiles.
 *
 * The timeline of the device is recorded (liveness_step), that of an IPU may be (liveness_step_ipu); all others are
 * derived from lowered variables and the intervals of their classes (tile_live.h). An IPU and a tile belong
 * to one replica: their figures count once, and replicas is 1.
 */
#ifndef TS_REPORT_LIVE_SOURCE_H
#define TS_REPORT_LIVE_SOURCE_H

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/tile_live.h"
#include "tilescope/report/tile_rows.h"

enum ts_live_where { TS_LIVE_ALL, TS_LIVE_IPU, TS_LIVE_TILE, TS_LIVE_SET };

struct ts_live_source {
	enum ts_live_where where;
	int64_t number;		/* of the IPU or the tile */
	struct ts_tile_set set; /* SET: of this struct */
};

/* *to is the caller's (ts_live_source_fini()). False: no memory, it is ALL then. */
bool ts_live_source_copy(struct ts_live_source *to, const struct ts_live_source *from);
void ts_live_source_fini(struct ts_live_source *s);
bool ts_live_source_same(const struct ts_live_source *a, const struct ts_live_source *b);

/* Does a tile belong to it? `tiles` knows the IPUs. */
bool ts_live_source_has(const struct ts_live_source *s, const struct ts_tile_lives *tiles,
	int64_t tile);

/*
 * The timeline of a source, and (*tiles, held; NULL where they were not needed) the tiles it was derived from. `what`
 * says of what it is made. With TS_LIVE_ALL as ts_liveness_read(); where liveness_step is absent all is
 * derived too. Errors as there; TS_E_ABSENT: neither recorded nor to be derived; TS_E_LIMIT.
 */
struct ts_source_line {
	struct ts_liveness line;
	struct ts_tile_lives *tiles;
	bool derived;		/* from lowered variables; else recorded */
	int64_t tile_count;	/* tiles of the source; TS_UNKNOWN */
	int64_t ipus;		/* of the device; TS_UNKNOWN */
	int64_t tiles_per_ipu;	/* TS_UNKNOWN */
	int64_t recorded_peak;	/* TILE: tile_memory.not_always_live_peak; TS_UNKNOWN */
	int64_t always_replica; /* ALL: always_live of one replica; TS_UNKNOWN */
	bool always_divided;	/* it is the device's divided by the replicas: an assumption */
	int64_t memory_replica; /* ALL: memory of one replica's tiles; TS_UNKNOWN */
};

enum ts_code ts_source_line_read(struct ts_source_line *out, struct ts_reader *rd,
	const struct ts_live_source *source, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_source_line_fini(struct ts_source_line *l);

/*
 * What the tiles of a SET have of each kind of rows, where the index says it: *out (ts_kind_sums_close()) NULL where it does
 * not, or where it keeps the lives of these tiles (an IPU's). `tiles`: those of its line.
 */
enum ts_code ts_source_sums_read(struct ts_kind_sums **out, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_tile_lives *tiles,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Who is alive on them at a step and at the marks: as ts_alive_read() of the lives that ts_lives_read_source() makes of
 * them, for at most TS_ALIVE_MAX rows, without labels and groups; no row says where it stands among those lives.
 */
enum ts_code ts_alive_read_set(struct ts_alive **out, struct ts_reader *rd,
	const struct ts_kind_sums *sums, const struct ts_tile_lives *tiles,
	const struct ts_alive_query *q, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The lives of the variables of a source that is not ALL. `tiles`: those of its line, or all; NULL: they are read if
 * need be. With the index those of an IPU, and of a set that has just its tiles, are there at once. `sums`: as read of
 * the source before, or NULL. On one tile
 * every lowered variable is one; on several they are joined by their unlowered variable where it is recorded.
 * *out may be set on TS_E_DAMAGED too. Errors as ts_lives_read().
 */
enum ts_code ts_lives_read_source(struct ts_lives **out, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_tile_lives *tiles,
	const struct ts_kind_sums *sums, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
