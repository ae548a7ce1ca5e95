/* SPDX-License-Identifier: MIT */
/*
 * proportions - what each IPU does in a range of cycles: shares by class, balance of its tiles, bytes.
 *
 * A range is of cycles: what is in view, a run, steps that are selected (from the first start to the last end), or
 * everything. Two kinds of figure:
 *
 *   time   cycles of the range in which a class runs. Steps are cut at the ends of the range. Steps of one IPU that
 *          overlap are intersected, never added (calc/class_time.h). From the lanes of the index, whatever the
 *          length of the range, else from the rows of step_ipu.
 *   work   sums over the steps that *begin* in the range, whole: bytes, balance. From the rows of step_ipu.
 *
 * Rows of a range are found by bisecting on their starts (report/trace.h). Where starts are seen to fall all rows are
 * read; where they fall elsewhere only, work may miss rows that stand far from their place (times from the index do not).
 *
 * Balance of a step = mean over maximum of the tiles' cycles; of many steps = sum of the tiles' mean cycles / sum of
 * cycles, so each counts by its length. Sync (both kinds) and steps of no length are left out. The mean
 * cycles of a step are balance x cycles, rounded to a whole cycle: the sums are the same in any order.
 * Utilisation = mean cycles of the compute steps / cycles of the range: the part of all tile-cycles in which a
 * vertex runs. Bandwidth = bytes / cycles of the steps that record bytes.
 */
#ifndef TS_REPORT_PROPORTIONS_H
#define TS_REPORT_PROPORTIONS_H

#include "tilescope/base/progress.h"
#include "tilescope/calc/class_time.h"
#include "tilescope/report/trace.h"

/* Who moves bytes. */
enum ts_traffic { TS_TRAFFIC_STREAM, TS_TRAFFIC_GLOBAL, TS_TRAFFIC_EXCHANGE, TS_TRAFFIC_COUNT };

/* Of the steps of one kind. in, out: TS_UNKNOWN where no step records it (or the sum does not fit). */
struct ts_traffic_sum {
	int64_t steps;	/* that have a length */
	int64_t cycles; /* of them, each by itself: those that record bytes */
	int64_t in, out;
};

/* Cycles of steps and of their tiles on average; both of those alone whose balance is recorded. */
struct ts_balance_sum {
	int64_t steps, cycles, mean;
};

struct ts_step_work {
	int64_t steps;		       /* with a length, that begin in the range */
	struct ts_balance_sum all;     /* but for sync */
	struct ts_balance_sum compute; /* of compute steps alone */
	struct ts_traffic_sum traffic[TS_TRAFFIC_COUNT];
};

struct ts_proportion {
	int64_t ipu;
	struct ts_class_figures time;
	int64_t part
		[TS_CLASS_COUNT]; /* each busy cycle to one class (ts_class_partition()): they come to time.busy */
	struct ts_step_work work;
};

enum ts_proportions_what {
	TS_PROPORTIONS_TIME = 1,
	TS_PROPORTIONS_WORK = 2,
	TS_PROPORTIONS_ALL_ROWS = 4, /* flag: read all rows, do not assume that starts rise */
};

struct ts_proportions {
	int64_t from, to;
	unsigned has; /* of what */
	int count;
	struct ts_proportion *ipu; /* as trace->ipu, at most TS_TRACE_LANES */
	struct ts_proportion sum;  /* of all of them; its ipu is TS_UNKNOWN */
	int64_t rows;		   /* that were read from the report */
	int64_t bad_rows;	   /* left out: a number is none, or there is no such step */
	bool partial;		   /* damage: what could be read */
};

/*
 * The figures of all IPUs of the trace (the first TS_TRACE_LANES) in [from, to). `what`: which of them. Those that are
 * not there (TS_PROPORTIONS_WORK without columns of bytes and balance) are unknown. `progress` counts rows. Errors:
 * TS_E_ABSENT: step_ipu is not there; TS_E_LIMIT: too many steps in no order; TS_E_CANCELLED, TS_E_NOMEM; with
 * TS_E_DAMAGED p has what could be read. Free with ts_proportions_fini() in every case.
 */
enum ts_code ts_proportions_read(struct ts_proportions *p, struct ts_reader *rd,
	const struct ts_trace *t, int64_t from, int64_t to, unsigned what,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_proportions_fini(struct ts_proportions *p);

/*
 * The times of one IPU in many small ranges, one after the other: what is found out once is kept. A few microseconds each
 * with the index, a reading of rows without. One thread's; `rd` and `t` must outlive it, and keep their index.
 */
struct ts_lane_times;

enum ts_code ts_lane_times_open(struct ts_lane_times **out, struct ts_reader *rd,
	const struct ts_trace *t, const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_lane_times_close(struct ts_lane_times *x); /* NULL allowed */

/* Errors as ts_proportions_read(); an IPU that has no steps does nothing. */
enum ts_code ts_lane_times_of(struct ts_class_time *time, struct ts_lane_times *x, int64_t ipu,
	int64_t from, int64_t to, struct ts_err *err) TS_WARN_UNUSED;

/* Does the report record balance, or bytes, of steps? */
bool ts_proportions_has_balance(const struct ts_report *r);
bool ts_proportions_has_bytes(const struct ts_report *r);

/* Are the times there without reading rows: has the reader's index the lanes? */
bool ts_proportions_indexed(const struct ts_reader *rd);

/* The same of bytes and balance: the section work (report/index_work.h). */
bool ts_proportions_work_indexed(const struct ts_reader *rd);

/* Shares in 0 .. 1; below 0: not known. */
double ts_balance_share(const struct ts_balance_sum *b);
double ts_utilisation(const struct ts_proportion *p);

#endif
