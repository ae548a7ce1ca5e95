/* SPDX-License-Identifier: MIT */
/*
 * tile_details - what the memory of a tile, or of several together, is made of: a tree whose sums hold.
 *
 * The bytes with gaps are divided once by category (each into what overlaps with others and what does not), once by
 * region, once by liveness; vertex data and the cost of profiling are parts of the first that have a name of their
 * own. Every node is the sum of those in it. Where a report's own total is not what its parts say, the difference
 * has a node: `in no category` when parts are missing, `counted more than once` (negative) when they are more than
 * the total, because variables that overlap are in their categories each.
 *
 * Categories come from tile_category, else from lowered variables (`from_variables`: then nothing is known of regions
 * and overlaps).
 */
#ifndef TS_REPORT_TILE_DETAILS_H
#define TS_REPORT_TILE_DETAILS_H

#include "tilescope/base/progress.h"
#include "tilescope/report/categories.h"
#include "tilescope/report/report.h"

enum ts_detail_region {
	TS_DETAIL_NON_INTERLEAVED,
	TS_DETAIL_INTERLEAVED,
	TS_DETAIL_OVERFLOWED,
	TS_DETAIL_OTHER, /* not recorded, or of another name */
	TS_DETAIL_REGIONS,
};

enum ts_detail_kind {
	TS_DETAIL_CATEGORY,
	TS_DETAIL_NOT_OVERLAPPED,
	TS_DETAIL_OVERLAPPED,
	TS_DETAIL_GAPS,
	TS_DETAIL_NO_CATEGORY,
	TS_DETAIL_TWICE,
	TS_DETAIL_BY_REGION,
	TS_DETAIL_REGION,
	TS_DETAIL_BY_LIVENESS,
	TS_DETAIL_ALWAYS_LIVE,
	TS_DETAIL_NOT_ALWAYS_LIVE,
	TS_DETAIL_VERTEX_DATA,
	TS_DETAIL_PROFILING,
};

struct ts_detail_node {
	int depth;
	uint32_t inside; /* nodes that follow and are in it */
	enum ts_detail_kind kind;
	enum ts_detail_region region; /* of what is in one */
	int category;		      /* index into `names`, or -1 */
	const char *name;	      /* raw, or our words; lent */
	int64_t bytes;		      /* TS_DETAIL_TWICE: below 0 */
};

/* Sums of the tiles' columns; TS_UNKNOWN where one of them does not know it. */
struct ts_detail_totals {
	int64_t total, total_gaps, always_live, not_always_live;
	int64_t region[TS_DETAIL_OTHER];
};

struct ts_tile_details {
	struct ts_category_names names;
	int64_t (*cell)[TS_DETAIL_REGIONS][2]; /* by category: not overlapped, overlapped */
	struct ts_detail_totals totals;
	struct ts_detail_node *node;
	size_t nodes;
	int64_t used;	     /* with gaps where they are known; TS_UNKNOWN */
	bool from_variables; /* categories of lowered variables */
	bool has_categories;
	bool has_overlap; /* `overlapped` is recorded */
	int64_t bad_rows;
	bool cut, partial;
};

/* Is it read without a pass over many rows of other tiles? */
bool ts_tile_details_quick(const struct ts_report *r, const struct ts_index *x,
	const int64_t *tiles, size_t n);

/*
 * Read and divide the memory of n tiles (ascending numbers). TS_E_ABSENT: neither tile_memory nor categories. Damage
 * keeps what could be read: TS_E_DAMAGED, `partial`. Free with ts_tile_details_fini() in every case.
 */
enum ts_code ts_tile_details_read(struct ts_tile_details *d, struct ts_reader *rd,
	const int64_t *tiles, size_t n, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_tile_details_fini(struct ts_tile_details *d);

#endif
