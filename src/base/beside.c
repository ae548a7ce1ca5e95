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
	cpu_set_t all; /* processors that both may have */
};

/*
 * A thread begins where the one that makes it runs, and would take turns with it for milliseconds before it is moved to a
 * processor that has nothing to do. So it begins on another one; from then on it may be anywhere.
 */
static bool
begin_elsewhere(pthread_attr_t *attributes, const cpu_set_t *all)
{
	cpu_set_t others = *all;
	int here = sched_getcpu();

	if (here >= 0 && here < CPU_SETSIZE)
		CPU_CLR(here, &others);
	return CPU_COUNT(&others) > 0 &&
		pthread_attr_setaffinity_np(attributes, sizeof(others), &others) == 0;
}

static void *
run(void *arg)
{
	const struct other *o = arg;

	(void)sched_setaffinity(0, sizeof(o->all), &o->all);
	o->work(o->ctx, 1);
	return NULL;
}

/* False: there is no other processor, or no thread was to be had. */
static bool
start(pthread_t *thread, struct other *o)
{
	pthread_attr_t attributes;
	bool started;

	if (sched_getaffinity(0, sizeof(o->all), &o->all) || CPU_COUNT(&o->all) < 2 ||
		pthread_attr_init(&attributes))
		return false;
	started = begin_elsewhere(&attributes, &o->all) &&
		ts_thread_start(thread, &attributes, run, o) == 0;
	pthread_attr_destroy(&attributes);
	return started;
}

void
ts_beside(void (*work)(void *ctx, int who), void *ctx)
{
	struct other o = {.work = work, .ctx = ctx};
	pthread_t thread;
	bool started = start(&thread, &o);

	work(ctx, 0);
	if (started)
		pthread_join(thread, NULL);
}
