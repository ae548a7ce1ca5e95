/* SPDX-License-Identifier: MIT */
/* stacks_internal - what making and reading the section of the stacks share: rows that run, and packed sums. */
#ifndef TS_REPORT_STACKS_INTERNAL_H
#define TS_REPORT_STACKS_INTERNAL_H

#include "tilescope/report/index_stacks.h"

/* An IPU while its rows are gone through. */
struct stacks_lane {
	int64_t start, step; /* of its last row; INT64_MIN, -1 */
	int opens;
	struct ts_stacks_open
		open[TS_STACKS_OPEN]; /* rows that have not ended when that one starts */
};

/*
 * What of [from, to) a step covers beyond the rows that are open, which start no later: added to `extra`, frame by frame, or
 * taken `off`.
 */
void stacks_cover(struct ts_stack_sum *sum, uint64_t ipus, const struct ts_stacks_frame *frame,
	const struct stacks_lane *l, uint32_t ipu, uint32_t leaf, int64_t from, int64_t to,
	bool off);

/* Rows that have ended at `at` are open no more. */
void stacks_close(struct stacks_lane *l, int64_t at);

/* False: there are too many. */
bool stacks_push(struct stacks_lane *l, const struct ts_stacks_open *row);

/*
 * Sums are packed as four numbers each, in seven bits a byte: by how many cells it lies behind the one before, steps, cycles,
 * extra less cycles (which is 0 as a rule) with its sign in the lowest bit.
 */
enum { STACKS_PACKED = 40 /* bytes of a sum, at most */ };

/* The bytes of the sum of `cell`; *last: the cell before, -1 at first. */
size_t stacks_pack(unsigned char to[STACKS_PACKED], int64_t *last, uint32_t cell,
	const struct ts_stack_sum *sum);

/* The next one from *at on; false: it is none, or no cell below `cells`. */
bool stacks_unpack(struct ts_stack_sum *sum, int64_t *last, uint64_t cells,
	const unsigned char **at, const unsigned char *end);

#endif
