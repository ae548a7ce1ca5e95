/* SPDX-License-Identifier: MIT */
/* What proportions.c and proportions_lanes.c share: the sweeps of the IPUs. */
#ifndef TS_REPORT_PROPORTIONS_INTERNAL_H
#define TS_REPORT_PROPORTIONS_INTERNAL_H

#include "trace_internal.h"

#include "tilescope/report/proportions.h"
#include "tilescope/report/slices.h"

/* What steps of an IPU do, while it is added up. */
struct work_sum {
	struct ts_step_work work;
	bool cut[TS_TRAFFIC_COUNT][2]; /* a sum of bytes does not fit: it stays unknown */
};

void work_sum_init(struct work_sum *w);

/* As it stands in the index, and back. */
void work_sum_keep(struct ts_step_work *kept, const struct work_sum *w);
void work_sum_of(struct work_sum *w, const struct ts_step_work *kept);

/* A step, and what another sum has. False: cycles do not fit, and are left out (of bytes `cut` says it). */
bool work_sum_add(struct work_sum *w, const struct ts_slice *s);
bool work_sum_join(struct work_sum *to, const struct work_sum *from);

/*
 * A row of step_ipu that begins something: its IPU, start, end and what work_sum_add() looks at. `steps`: their classes.
 * False: it is no such row. The query has asked for work_columns.
 */
enum { WORK_COLUMNS = 8 };
extern const int work_columns[WORK_COLUMNS];
bool work_row(struct ts_slice *s, struct ts_rows *rows, const struct ts_steps *steps);

/* An IPU while its figures are added up. */
struct lane_work {
	struct ts_class_time time;
	struct ts_class_sweep sweep;
	struct work_sum sum;
	bool passed; /* a row behind the range was seen */
};

struct proportions_read {
	struct ts_proportions *p;
	struct ts_reader *rd;
	const struct ts_trace *t;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	unsigned what;
	struct lane_work *lane; /* as p->ipu */
	bool whole;		/* read all rows: the caller wants it, or starts fall */
	bool bounded;		/* rows behind the one that all IPUs have passed do not count */
	int passed, hint;
	int beyond; /* consecutive rows that begin behind the range */
};

/* Begin the figures of an IPU, anew. */
void proportions_begin(struct proportions_read *r, int lane);

/* The sums of a range from the section of the index; *done false: it has none, and the sums are as they were. */
enum ts_code work_of_range(bool *done, struct proportions_read *r, struct ts_err *err);

/* The lanes of the index, gone over for one range after the other. */
struct lanes_walk {
	struct ts_reader *rd;
	struct ts_lanes lanes;
	struct ts_steps steps;
	const struct ts_lane *of;
	struct ts_class_sweep *sweep;
	bool by_order; /* IPUs are known by the order of their rows within a step */
	bool readable; /* rows that the index does not hold can be read by row id */
	bool broken;   /* it cannot say */
	int64_t rows;  /* that were read from the report */
	struct ts_err *err;
	enum ts_code code;
};

/* False: the reader's index has no lanes. Close with lanes_walk_close() only when true. */
bool lanes_walk_open(struct lanes_walk *w, struct ts_reader *rd);
void lanes_walk_close(struct lanes_walk *w);

/*
 * Give the steps of an IPU to a sweep that has begun. *done false: the index cannot say (it does not hold together, rows
 * stand in no order: sweep->falls).
 */
enum ts_code lanes_walk_ipu(bool *done, struct lanes_walk *w, struct ts_class_sweep *sweep,
	int64_t ipu, struct ts_err *err);

#endif
