/* SPDX-License-Identifier: MIT */
/* clock - monotonic time in microseconds since an arbitrary start, and processor time. */
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

int64_t ts_clock_us(void);

/*
 * A bound of the processor time that the calling thread has had, whoever else works. To ask for that takes half a microsecond, twenty times what monotonic time takes; and
 * no thread has had more of a processor than has passed: it is asked for when it could have run out. All 0: over.
 */
struct ts_bound {
	int64_t thread, not_before; /* us */
};

/* `us` from now on. */
void ts_bound_begin(struct ts_bound *b, int64_t us);

bool ts_bound_is_over(struct ts_bound *b);

#endif
