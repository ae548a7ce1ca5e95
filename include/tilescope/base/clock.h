/* SPDX-License-Identifier: MIT */
/* clock - monotonic time in microseconds since an arbitrary start, and processor time. */
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

#include <stdint.h>

int64_t ts_clock_us(void);

/* Of a processor that the calling thread has had: what a bound of work is measured by, whoever else works. */
int64_t ts_clock_thread_us(void);

#endif
