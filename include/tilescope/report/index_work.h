/* SPDX-License-Identifier: MIT */
/*
 * index_work - the section of what steps do: bytes and balance by IPU, summed over stretches of rows of step_ipu.
 *
 * A stretch is about TS_WORK_STRETCH rows of each IPU that follow on each other, with the least and the greatest of their
 * starts: what begins in a range of cycles is the sums of the stretches that begin in it as a whole, and the rows of
 * those at its ends (report/proportions.h). It does not matter in what order the rows stand.
 *
 * Left empty, so that the rows answer: IPUs that are known by the order of their rows, more of them than a trace shows,
 * sums of cycles that do not fit.
 */
#ifndef TS_REPORT_INDEX_WORK_H
#define TS_REPORT_INDEX_WORK_H

#include "tilescope/report/index_build.h"
#include "tilescope/report/proportions.h"

enum { TS_WORK_STRETCH = 512 };

/* In place of bytes: their sum does not fit. */
#define TS_WORK_CUT INT64_C(-2)

/* Begin of the payload. */
struct ts_work_head {
	uint64_t left; /* 1: the rows answer */
	uint64_t ipus, ipus_at;
	uint64_t stretches, stretches_at;
	uint64_t sums_at; /* struct ts_step_work: of each stretch one for each IPU */
};

struct ts_work_stretch {
	int64_t rowid, to;	 /* row ids [rowid, to) */
	int64_t least, greatest; /* start of its rows that count; least > greatest: none does */
};

/* An open section. Read by any thread. */
struct ts_work {
	struct ts_index *index; /* held */
	const struct ts_work_head *head;
	const int64_t *ipu; /* sorted */
	const struct ts_work_stretch *stretch;
	const struct ts_step_work *sum;
};

/* False: the index (NULL allowed) does not have it, it is empty, or it does not hold together. */
bool ts_work_open(struct ts_work *w, struct ts_index *x);
void ts_work_close(struct ts_work *w);

extern const struct ts_pass ts_pass_work;

#endif
