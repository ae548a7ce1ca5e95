/* SPDX-License-Identifier: MIT */
/* cancel - see the header. */
#include "config.h"

#include <time.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/clock.h"

enum { NAP_NS = 300000 }; /* short: the time may be moved, and the token set */

void
ts_cancel_rest(const struct ts_cancel *c, const _Atomic int64_t *until, int64_t latest_us)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	for (int64_t now = ts_clock_us();
		!atomic_load(&c->set) && now < atomic_load(until) && now < latest_us;
		now = ts_clock_us())
		nanosleep(&nap, NULL);
}
