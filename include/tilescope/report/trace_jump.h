/* SPDX-License-Identifier: MIT */
/*
 * trace_jump - places of a lane to go to: the next step, the next of a class, the next gap, the
 * longest steps.
 *
 * With the index the tree of the lane answers, whatever the number of steps; without it the rows are
 * read from the place on, in pieces that grow.
 *
 * Cycles are tile clock cycles of the report. Steps of no length are none here: nothing is seen of
 * them.
 */
#ifndef TS_REPORT_TRACE_JUMP_H
#define TS_REPORT_TRACE_JUMP_H

#include "tilescope/report/trace.h"

enum { TS_TRACE_LONGEST = 200 /* steps, at most */ };

enum ts_trace_goal { TS_GOAL_STEP, TS_GOAL_CLASS, TS_GOAL_GAP };

struct ts_trace_jump {
	/* asked */
	enum ts_trace_goal goal;
	bool back;
	int64_t ipu, at;	     /* from this cycle on, which does not count */
	enum ts_step_class class_of; /* TS_GOAL_CLASS */
	int64_t least;		     /* TS_GOAL_GAP: cycles that it has at least; at least 1 */
	/* answered */
	bool found;
	int64_t start, end; /* of the step; of the gap, in which nothing runs */
};

/* The first one that starts behind `at`, or the last one before it. Errors as ts_rows_next(). */
enum ts_code ts_trace_jump_read(struct ts_trace_jump *j, struct ts_reader *rd,
	const struct ts_trace *t, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* A step that lies at least in part in a range of cycles. */
struct ts_trace_long {
	int64_t step, start, end;
	enum ts_step_class class_of;
	int64_t inside; /* cycles of it in the range */
};

/*
 * The steps of an IPU with the most cycles in [from, to), the longest first, at most `most`
 * (1 ... TS_TRACE_LONGEST) of them: *n. Of equal ones the first counts. What the index cannot say is
 * read from all rows of the range. Errors as ts_rows_next(); with damage what could be read is there.
 */
enum ts_code ts_trace_longest_read(struct ts_trace_long *out, int *n, int most,
	struct ts_reader *rd, const struct ts_trace *t, int64_t ipu, int64_t from, int64_t to,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The first of them, as the index has it: a screen may wait for it. *n = 0 where the index cannot say,
 * and where there is none; else 1. Errors as ts_rows_next(), with *n = 0.
 */
enum ts_code ts_trace_longest_first(struct ts_trace_long *out, int *n, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t from, int64_t to,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Which IPU to look at a step on: `wanted`, when it has cycles there, else the one with most of them,
 * of equals the first; where none has cycles one that takes part. TS_UNKNOWN: none does, or no IPU is
 * recorded. Errors as ts_rows_next().
 */
enum ts_code ts_trace_step_ipu(int64_t *ipu, struct ts_reader *rd, const struct ts_trace *t,
	int64_t step, int64_t wanted, struct ts_err *err) TS_WARN_UNUSED;

/* Rows of the list for some steps, in their order; those that are not there are left out. */
enum ts_code ts_trace_rows_read(struct ts_trace_window *w, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, const int64_t *step, int n,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
