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

/*
 * A thread begins where the one that makes it runs, and would take turns with it for milliseconds before it is moved to a
 * processor that has nothing to do. So it begins on another one of those that both may have (`all`); from then on it may be anywhere.
 */
static bool
start_elsewhere(pthread_t *thread, struct other *o, const cpu_set_t *all)
{
	cpu_set_t others = *all;
	int here = sched_getcpu();
	pthread_attr_t attributes;
	bool started;

	if (here >= 0 && here < CPU_SETSIZE)
		CPU_CLR(here, &others);
	if (CPU_COUNT(&others) == 0 || pthread_attr_init(&attributes))
		return false;
	started = pthread_attr_setaffinity_np(&attributes, sizeof(others), &others) == 0 &&
		ts_thread_start(thread, &attributes, run, o) == 0;
	pthread_attr_destroy(&attributes);
	if (started)
		(void)pthread_setaffinity_np(*thread, sizeof(*all), all);
	return started;
}

/* False: there is no other processor, or no thread was to be had. */
static bool
start(pthread_t *thread, struct other *o)
{
	cpu_set_t all;
	bool known = sched_getaffinity(0, sizeof(all), &all) == 0;

	if (known && CPU_COUNT(&all) < 2)
		return false;
	return (known && start_elsewhere(thread, o, &all)) ||
		ts_thread_start(thread, NULL, run, o) == 0;
}

void
ts_beside(void (*work)(void *ctx, int who), void *ctx)
{
	struct other o = {work, ctx};
	pthread_t thread;
	bool started = start(&thread, &o);

	work(ctx, 0);
	if (started)
		pthread_join(thread, NULL);
}
