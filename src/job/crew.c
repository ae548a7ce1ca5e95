/* SPDX-License-Identifier: MIT */
/* crew - see the header. */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/thread.h"
#include "tilescope/job/crew.h"

enum { TICK_NS = 100000000, SECOND_NS = 1000000000 };

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int at_work;
	void (*run)(void *ctx, int part);
	void *ctx;
};

struct member {
	struct crew *crew;
	int part;
	pthread_t thread;
	bool started;
};

static void *
work(void *arg)
{
	struct member *m = arg;

	m->crew->run(m->crew->ctx, m->part);
	pthread_mutex_lock(&m->crew->lock);
	m->crew->at_work--;
	pthread_cond_signal(&m->crew->ended);
	pthread_mutex_unlock(&m->crew->lock);
	return NULL;
}

static void
wait_a_tick(struct crew *crew)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TICK_NS;
	until.tv_sec += until.tv_nsec / SECOND_NS;
	until.tv_nsec %= SECOND_NS;
	pthread_cond_timedwait(&crew->ended, &crew->lock, &until);
}

void
ts_crew_run(int n, void (*run)(void *ctx, int part), void (*tick)(void *ctx), void *ctx)
{
	struct crew crew = {.at_work = n, .run = run, .ctx = ctx};
	struct member *m = ts_alloc((size_t)n, sizeof(*m));

	for (int i = 0; !m && i < n; i++)
		run(ctx, i);
	if (!m)
		return;
	pthread_mutex_init(&crew.lock, NULL);
	pthread_cond_init(&crew.ended, NULL);
	for (int i = 0; i < n; i++) {
		m[i] = (struct member){.crew = &crew, .part = i};
		m[i].started = ts_thread_start(&m[i].thread, NULL, work, &m[i]) == 0;
	}
	for (int i = 0; i < n; i++)
		if (!m[i].started)
			work(&m[i]);
	pthread_mutex_lock(&crew.lock);
	while (crew.at_work > 0) {
		wait_a_tick(&crew);
		tick(ctx);
	}
	pthread_mutex_unlock(&crew.lock);
	for (int i = 0; i < n; i++)
		if (m[i].started)
			pthread_join(m[i].thread, NULL);
	pthread_cond_destroy(&crew.ended);
	pthread_mutex_destroy(&crew.lock);
	free(m);
}
