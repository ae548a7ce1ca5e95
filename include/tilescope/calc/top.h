/* SPDX-License-Identifier: MIT */
/*
 * top - the largest of many, one pass, in memory for so many.
 *
 * A kept value owns a slot, a number below `cap`: the caller keeps what belongs to it in an array of his own at that
 * index. When another value takes the slot over, what stood there is the caller's to free.
 */
#ifndef TS_CALC_TOP_H
#define TS_CALC_TOP_H

#include <stdbool.h>
#include <stdint.h>

struct ts_top_entry {
	int64_t value;
	int64_t tie; /* of equal values the lower one comes first */
	int slot;
};

struct ts_top {
	int cap, count;
	struct ts_top_entry *entry; /* a heap; after ts_top_sort() the largest first */
};

/* False: no memory. */
bool ts_top_init(struct ts_top *t, int cap) __attribute__((warn_unused_result));
void ts_top_fini(struct ts_top *t);

/* The slot for a value that is among the largest so far, or -1. */
int ts_top_offer(struct ts_top *t, int64_t value, int64_t tie);

/* Would it be among the largest so far? */
bool ts_top_takes(const struct ts_top *t, int64_t value, int64_t tie);

/* The largest first. Nothing may be offered behind it. */
void ts_top_sort(struct ts_top *t);

#endif
