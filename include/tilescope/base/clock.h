/* SPDX-License-Identifier: MIT */
/* clock - monotonic time in microseconds since an arbitrary start. */
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

#include <stdint.h>

int64_t ts_clock_us(void);

#endif
