/* SPDX-License-Identifier: MIT */
/*
 * class_time - how long each class of step runs on one IPU, where steps may overlap.
 *
 * Steps of one IPU overlap (I/O tiles work beside the others), so lengths must not be added: at any cycle a *set* of
 * classes runs, and the cycles are counted by that set. All else is a sum over sets: of a class (those that hold it),
 * of it alone, of two at once, of nothing at all. The sets of a range come to its length, always.
 *
 * Intervals are half-open, in cycles, given in the order of their starts: nothing is kept of them but the
 * last end of each class, so a sweep takes no memory whatever it goes over.
 */
#ifndef TS_CALC_CLASS_TIME_H
#define TS_CALC_CLASS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/calc/step_class.h"

/* Cycles by set of classes: bit k of the place = class k runs. */
struct ts_class_time {
	int64_t of[1 << TS_CLASS_COUNT];
};

struct ts_class_sweep {
	struct ts_class_time *time;
	int64_t from, to, now;
	int64_t end[TS_CLASS_COUNT]; /* of each class: it runs until here */
	bool falls; /* a start was below an earlier one: the figures do not count */
};

/* Go over [from, to), 0 <= from <= to; `time` is zero, and the caller's. */
void ts_class_sweep_init(struct ts_class_sweep *s, struct ts_class_time *time, int64_t from,
	int64_t to);

/* A step. What of it lies outside of the range does not count; one without length is nothing. */
void ts_class_sweep_add(struct ts_class_sweep *s, int64_t start, int64_t end, enum ts_step_class k);

/*
 * Many steps at once, none of which overlaps another: the first starts at `start`, the last ends at `end`, `length` are
 * their cycles by class. False, and nothing is done, where they cannot be taken as a whole: they reach out of
 * the range, or something runs beside a part of them only.
 */
bool ts_class_sweep_add_all(struct ts_class_sweep *s, int64_t start, int64_t end,
	const int64_t length[TS_CLASS_COUNT]);

/* A stretch [start, end) of which the cycles of a set of classes are known, as a whole. */
struct ts_class_set {
	int64_t cycles;
	uint32_t set;
	uint32_t unused; /* 0 */
};

/* The same for steps that do overlap: n sets that come to end - start. */
bool ts_class_sweep_add_sets(struct ts_class_sweep *s, int64_t start, int64_t end,
	const struct ts_class_set *set, size_t n);

/* All steps were given. */
void ts_class_sweep_finish(struct ts_class_sweep *s);

/* What is asked of the sets. Cycles. */
struct ts_class_figures {
	int64_t span;			 /* all of the range */
	int64_t busy;			 /* something runs */
	int64_t all[TS_CLASS_COUNT];	 /* the class runs, whatever runs beside it */
	int64_t alone[TS_CLASS_COUNT];	 /* and nothing else */
	int64_t covered[TS_CLASS_COUNT]; /* and compute runs, too */
	int64_t overlap;		 /* two classes or more */
	int64_t io;			 /* host wait, copy or end */
	int64_t io_covered;		 /* of these: compute runs meanwhile */
};

void ts_class_figures_of(struct ts_class_figures *f, const struct ts_class_time *time);

/*
 * Exclusive time: where several classes run at once the cycle counts for the first of them in this order: compute, exchange,
 * global exchange, host copy, host end, host wait, external sync, sync, control, async sync.
 */
extern const enum ts_step_class ts_class_order[TS_CLASS_COUNT];

/* The exclusive time of each class. Returns the cycles in which nothing runs; both together come to the span. */
int64_t ts_class_partition(int64_t out[TS_CLASS_COUNT], const struct ts_class_time *time);

#endif
