/* SPDX-License-Identifier: MIT */
/* cancel - see the header. */
#include "config.h"

#include <time.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/clock.h"

enum { NAP_NS = 300000 }; /* short: the time may be moved, and the token set */

void
ts_cancel_rest(const struct ts_cancel *c)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	while (!atomic_load(&c->set) && ts_clock_us() < atomic_load(c->rest))
		nanosleep(&nap, NULL);
}
