/* SPDX-License-Identifier: MIT */
/* clock - see the header. */
#include "config.h"

#include <time.h>

#include "tilescope/base/clock.h"

int64_t
ts_clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
