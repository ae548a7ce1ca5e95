/* SPDX-License-Identifier: MIT */
/* beside - see the header. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

#include "tilescope/base/beside.h"

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

/* Signals stay with the thread that draws: a thread inherits the mask of the one that makes it. */
static bool
start(pthread_t *thread, struct other *o)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(thread, NULL, run, o);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc == 0;
}

void
ts_beside(void (*work)(void *ctx, int who), void *ctx)
{
	struct other o = {work, ctx};
	pthread_t thread;
	bool started = !is_alone() && start(&thread, &o);

	work(ctx, 0);
	if (started)
		pthread_join(thread, NULL);
}
