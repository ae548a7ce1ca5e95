/* SPDX-License-Identifier: MIT */
/*
 * liveness - how much memory is needed at each liveness step: the timeline and its peaks.
 *
 * Liveness steps are not execution steps. not_always_live is of one replica, the memory of tiles and
 * what is always live are of the device: the figure for the device is
 * always_live + replicas x not_always_live.
 */
#ifndef TS_REPORT_LIVENESS_H
#define TS_REPORT_LIVENESS_H

#include "tilescope/base/progress.h"
#include "tilescope/calc/peaks.h"
#include "tilescope/report/target.h"

enum {
	TS_LIVENESS_POINTS = 1 << 18, /* more steps than this are kept in groups */
	TS_LIVENESS_PEAKS = 1000,
	TS_LIVENESS_NODE = 64, /* points of a node of the pyramid, nodes of one above */
};

/* The highest step of all that are recorded, as the rows say it. */
struct ts_peak {
	int64_t bytes; /* not always live, all tiles of one replica; or TS_UNKNOWN */
	int64_t step;  /* liveness step, the lowest of equals; or TS_UNKNOWN */
	int64_t steps; /* liveness steps; or TS_UNKNOWN */
	int64_t bad_rows;
};

/* With the index nothing is read. */
enum ts_code ts_peak_read(struct ts_peak *p, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The last recorded liveness step + 1: lives end there, whatever intervals say. TS_UNKNOWN: none is recorded. Damage leaves the
 * last that could be read.
 */
enum ts_code ts_live_steps_read(int64_t *steps, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/* A sum of bytes of many steps: 128 bits, so that it is the same in whatever order it is made. */
struct ts_live_sum {
	uint64_t low, high;
};

/* Some points that stand together. */
struct ts_live_node {
	int64_t bytes; /* the most */
	int64_t least;
	struct ts_live_sum sum;
	uint64_t highest; /* index of the point with the most, the first of equals */
};

/*
 * A point is one liveness step; of a report with more than TS_LIVENESS_POINTS of them a group of
 * `per` steps that follow each other.
 */
struct ts_liveness {
	size_t count, cap;
	size_t sorted; /* while rows are read: so many points are in order, each step once */
	int64_t *step; /* ascending; of a group the one with the most bytes (the first of equals) */
	int64_t *bytes;		       /* not always live at that step, one replica */
	int32_t *program;	       /* at that step, or -1 */
	struct ts_live_sum *sum;       /* of the group's bytes; NULL while per is 1 */
	int64_t *least;		       /* of the group's bytes; NULL while per is 1 */
	int64_t per;		       /* steps of a point; the last may have fewer */
	int64_t last;		       /* steps of the last point */
	int64_t steps;		       /* of all points */
	int64_t first_step, last_step; /* numbers; TS_UNKNOWN without steps */
	int64_t bad_rows;	       /* left out: a number is missing, negative or too large */
	int64_t repeated; /* left out: another row of a step (the one with most bytes is kept) */
	int64_t unsorted; /* left out: does not follow the rows before, beyond TS_LIVENESS_POINTS */
	struct ts_peaks peaks; /* of `bytes`; `at` is an index of a point */
	struct ts_peak peak;   /* of all rows */
	size_t nodes;
	struct ts_live_node *node; /* the pyramid, the lowest level first */
	struct ts_index *index;	   /* held: arrays are mapped; NULL: they are of this struct */

	int64_t always_live; /* bytes, all tiles of the device; or TS_UNKNOWN */
	int64_t memory;	     /* bytes of all tiles of the device; or TS_UNKNOWN */
	int64_t replicas;    /* 1 when it is not known */
	bool memory_assumed; /* the target is not recorded */
};

/*
 * Read the timeline; with the index it is borrowed from there. Free with ts_liveness_fini() in every case. Errors: TS_E_ABSENT, TS_E_DAMAGED
 * (what was read before is kept, peaks included), and those of ts_rows_next(). What the device has and
 * needs always is unknown where it cannot be read; that alone is no error.
 */
enum ts_code ts_liveness_read(struct ts_liveness *l, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_liveness_fini(struct ts_liveness *l);

/* The same without the index: for who builds it. */
enum ts_code ts_liveness_read_rows(struct ts_liveness *l, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* Index of the point that holds a step, else of the nearest one; 0 without points. */
size_t ts_liveness_find(const struct ts_liveness *l, int64_t step);

/*
 * Points [from, to), not empty, within the timeline: the highest one, the least and the mean over its
 * steps, exact and as quick for a million points as for a hundred.
 */
struct ts_live_range {
	size_t highest; /* index of the point, the first of equals */
	int64_t bytes;	/* there */
	int64_t least;
	double mean;
	int64_t steps;
};

void ts_liveness_range(struct ts_live_range *out, const struct ts_liveness *l, size_t from,
	size_t to);

/* replicas x bytes, at most TS_NUMBER_MAX: what one replica's bytes are on the device. */
int64_t ts_liveness_device(const struct ts_liveness *l, int64_t bytes);

#endif
