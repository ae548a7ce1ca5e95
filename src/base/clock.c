/* SPDX-License-Identifier: MIT */
/* clock - see the header. */
#include "config.h"

#include <time.h>

#include "tilescope/base/clock.h"

static int64_t
us_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t
ts_clock_us(void)
{
	return us_of(CLOCK_MONOTONIC);
}

int64_t
ts_clock_thread_us(void)
{
	return us_of(CLOCK_THREAD_CPUTIME_ID);
}
