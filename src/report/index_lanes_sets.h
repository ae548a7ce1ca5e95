/* SPDX-License-Identifier: MIT */
/*
 * index_lanes_sets - how long which classes of step run together, of one block of a lane after the other.
 *
 * Rows come leaf by leaf, as they stand. A block whose rows do not stand by their start, or in which there are too many sets,
 * has none: its rows have to be looked at.
 */
#ifndef TS_REPORT_INDEX_LANES_SETS_H
#define TS_REPORT_INDEX_LANES_SETS_H

#include "tilescope/report/index_lanes.h"

struct lane_sets {
	struct ts_class_sweep sweep;
	bool cut; /* there are too many sets */
	size_t n;
	struct ts_class_set set[TS_LANE_SETS];
};

/* A block begins, at the first start of its first leaf. */
void lane_sets_begin(struct lane_sets *s, int64_t start);

/* A leaf's rows (at least one); `ordered`: each starts where the one before has ended, or later. */
void lane_sets_add(struct lane_sets *s, const struct ts_lane_row *row, int n, bool ordered);

/* The block ends. False: it has no sets. */
bool lane_sets_finish(struct lane_sets *s);

#endif
