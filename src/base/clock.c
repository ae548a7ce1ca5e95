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

static int64_t
thread_us(void)
{
	return us_of(CLOCK_THREAD_CPUTIME_ID);
}

void
ts_bound_begin(struct ts_bound *b, int64_t us)
{
	b->thread = thread_us() + us;
	b->not_before = ts_clock_us() + us;
}

bool
ts_bound_is_over(struct ts_bound *b)
{
	int64_t left;

	if (ts_clock_us() < b->not_before)
		return false;
	left = b->thread - thread_us();
	if (left > 0)
		b->not_before = ts_clock_us() + left;
	return left <= 0;
}
