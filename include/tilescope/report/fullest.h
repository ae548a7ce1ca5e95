/* SPDX-License-Identifier: MIT */
/*
 * fullest - the fullest tiles of a report, and why each of them is that full.
 *
 * A tile is compared with the *median tile*: the one in the middle of all tiles in the order of what they use (the
 * lower middle, of equals the lowest number). The category that sets it apart is the one of which it has most more than
 * the median tile; the variable is the one of that category, by name, of which it has most more.
 *
 * Less may be live on a fuller tile: what is allocated counts. `live` says how much is, at the tile's own peak.
 *
 * FP32 of a tile: its lowered variables of that element type that are alive at the tile's own peak, always or at the
 * first of the liveness steps with most not-always-live bytes on it (report/tile_live.h).
 */
#ifndef TS_REPORT_FULLEST_H
#define TS_REPORT_FULLEST_H

#include "tilescope/report/memory.h"

enum {
	TS_FULLEST = 5,
	TS_FULLEST_NAMES = 256, /* of a tile's largest variables, names are looked up of so many */
};

struct ts_full_tile {
	size_t place; /* of the tile in ts_tiles */
	int64_t tile, used;
	/* what sets it apart; names are raw and the caller's; NULL: nothing does, or it is not known */
	char *category, *variable;
	int64_t category_bytes, category_median; /* on it, on the median tile */
	int64_t variable_bytes, variable_median;
	int64_t live; /* most live bytes on it, with what is always live; TS_UNKNOWN: not known */
	/* at its own peak */
	bool has_fp32;
	int64_t peak_step;	  /* TS_UNKNOWN: nothing on it is ever alive but always */
	int64_t fp32, fp32_bytes; /* how many lowered variables, their bytes (at most INT64_MAX) */
	int64_t fp32_most;	  /* bytes of the largest of them, */
	char *fp32_name;	  /* its name, raw; NULL: none, or not recorded */
};

struct ts_fullest {
	int count;
	struct ts_full_tile tile[TS_FULLEST]; /* the fullest first, of equals the lowest number */
	int64_t median_tile, median_used;     /* TS_UNKNOWN without tiles */
	bool looked; /* at variables: they are recorded, and a tile's rows can be reached */
	bool typed;  /* element types and intervals are recorded, too: FP32 is known */
};

/*
 * `categories` may be NULL. Variables are looked at where a tile's rows are reached without a pass over all.
 * Errors: TS_E_CANCELLED, TS_E_NOMEM; damage leaves the variable unknown and is no error.
 * Free with ts_fullest_fini() in every case.
 */
enum ts_code ts_fullest_read(struct ts_fullest *f, struct ts_reader *rd,
	const struct ts_tiles *tiles, const struct ts_categories *categories,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_fullest_fini(struct ts_fullest *f);

#endif
