/* SPDX-License-Identifier: MIT */
/* beside - see the header. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/thread.h"

struct other {
	void (*work)(void *ctx, int who);
	void *ctx;
};

static void *
run(void *arg)
{
	const struct other *o = arg;

	o->work(o->ctx, 1);
	return NULL;
}

static bool
is_alone(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) < 2;
}

void
ts_beside(void (*work)(void *ctx, int who), void *ctx)
{
	struct other o = {work, ctx};
	pthread_t thread;
	bool started = !is_alone() && ts_thread_start(&thread, NULL, run, &o) == 0;

	work(ctx, 0);
	if (started)
		pthread_join(thread, NULL);
}
