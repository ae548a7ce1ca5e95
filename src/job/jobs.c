/* SPDX-License-Identifier: MIT */
/*
 * jobs - two queues, two threads, one list of what is done.
 *
 * One mutex guards everything and is never held while a job runs. Waking the UI is an eventfd, so that
 * it can wait for keys and answers in one ppoll().
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/job/jobs.h"

enum { QUIT_MS = 500, BULK_NICE = 10 };

struct worker {
	struct ts_jobs *jobs;
	enum ts_worker_id id;
	pthread_t thread;
	bool started, ended;
	pthread_cond_t wake;
	struct ts_job *first, **last; /* waiting */
	struct ts_job *running;
	int64_t finished;
	void *local;
};

struct ts_jobs {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct worker worker[TS_WORKER_COUNT];
	struct ts_job *done, **done_last;
	void (*local_fini)(void *local);
	int fd;
	bool quit;
};

/* With the lock held. */
static void
finish(struct ts_jobs *jobs, struct ts_job *job)
{
	const uint64_t one = 1;
	ssize_t ignored;

	job->next = NULL;
	*jobs->done_last = job;
	jobs->done_last = &job->next;
	ignored = write(jobs->fd, &one, sizeof(one));
	(void)ignored;
}

/* With the lock held: the next job to run, or NULL to end. */
static struct ts_job *
next_job(struct worker *w)
{
	struct ts_job *job;

	while (!w->first && !w->jobs->quit)
		pthread_cond_wait(&w->wake, &w->jobs->lock);
	if (w->jobs->quit)
		return NULL;
	job = w->first;
	w->first = job->next;
	if (!w->first)
		w->last = &w->first;
	return job;
}

static void *
work(void *ctx)
{
	struct worker *w = ctx;
	struct ts_jobs *jobs = w->jobs;
	struct ts_job *job;

	if (w->id == TS_WORKER_BULK)
		setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), BULK_NICE);
	pthread_mutex_lock(&jobs->lock);
	while ((job = next_job(w))) {
		w->running = job;
		job->started_us = ts_clock_us();
		pthread_mutex_unlock(&jobs->lock);
		job->run(job, w->local);
		pthread_mutex_lock(&jobs->lock);
		job->ended_us = ts_clock_us();
		w->running = NULL;
		w->finished++;
		finish(jobs, job);
	}
	pthread_mutex_unlock(&jobs->lock);
	if (jobs->local_fini)
		jobs->local_fini(w->local);
	pthread_mutex_lock(&jobs->lock);
	w->ended = true;
	pthread_cond_broadcast(&jobs->ended);
	pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

/* Signals stay with the UI thread: a thread inherits the mask of the one that makes it. */
static int
start(struct worker *w)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	w->started = rc == 0;
	return rc;
}

static int
init_worker(struct ts_jobs *jobs, enum ts_worker_id id, size_t local_size)
{
	struct worker *w = &jobs->worker[id];

	w->jobs = jobs;
	w->id = id;
	w->last = &w->first;
	w->local = ts_alloc(1, local_size);
	pthread_cond_init(&w->wake, NULL);
	return w->local ? start(w) : ENOMEM;
}

enum ts_code
ts_jobs_new(struct ts_jobs **out, size_t local_size, void (*local_fini)(void *local),
	struct ts_err *err)
{
	struct ts_jobs *jobs = ts_alloc(1, sizeof(*jobs));
	pthread_condattr_t monotonic;
	int rc = 0, why;

	*out = NULL;
	if (!jobs)
		return ts_err_nomem(err);
	jobs->done_last = &jobs->done;
	jobs->local_fini = local_fini;
	jobs->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	why = errno;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&jobs->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (jobs->fd < 0)
		rc = why;
	for (int i = 0; i < TS_WORKER_COUNT && !rc; i++)
		rc = init_worker(jobs, (enum ts_worker_id)i, local_size);
	if (rc) {
		ts_jobs_free(jobs, NULL);
		if (rc == ENOMEM)
			return ts_err_nomem(err);
		return ts_err_sys(err, rc, "cannot start a worker");
	}
	*out = jobs;
	return TS_OK;
}

/* With the lock held: wait until every worker that started has ended, at most QUIT_MS. */
static bool
wait_for_workers(struct ts_jobs *jobs)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)QUIT_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	for (int i = 0; i < TS_WORKER_COUNT; i++)
		while (jobs->worker[i].started && !jobs->worker[i].ended)
			if (pthread_cond_timedwait(&jobs->ended, &jobs->lock, &until))
				return false;
	return true;
}

bool
ts_jobs_free(struct ts_jobs *jobs, void (*give_back)(struct ts_job *job))
{
	struct ts_job *job;
	bool ended;

	if (!jobs)
		return true;
	ts_jobs_cancel(jobs, -1);
	pthread_mutex_lock(&jobs->lock);
	jobs->quit = true;
	for (int i = 0; i < TS_WORKER_COUNT; i++)
		if (jobs->worker[i].started)
			pthread_cond_signal(&jobs->worker[i].wake);
	ended = wait_for_workers(jobs);
	pthread_mutex_unlock(&jobs->lock);
	if (!ended)
		return false;
	while ((job = ts_jobs_receive(jobs)))
		if (give_back)
			give_back(job);
	for (int i = 0; i < TS_WORKER_COUNT; i++) {
		if (jobs->worker[i].started)
			pthread_join(jobs->worker[i].thread, NULL);
		if (jobs->worker[i].jobs)
			pthread_cond_destroy(&jobs->worker[i].wake);
		free(jobs->worker[i].local);
	}
	if (jobs->fd >= 0)
		close(jobs->fd);
	pthread_cond_destroy(&jobs->ended);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
	return true;
}

/* With the lock held: take waiting jobs that match out of the queue. */
static void
drop_waiting(struct worker *w, int owner, int kind)
{
	for (struct ts_job **p = &w->first; *p;) {
		struct ts_job *job = *p;

		if ((owner >= 0 && job->owner != owner) || (kind >= 0 && job->kind != kind)) {
			p = &job->next;
			continue;
		}
		*p = job->next;
		if (!*p)
			w->last = p;
		job->dropped = true;
		finish(w->jobs, job);
	}
}

static void
cancel_running(struct worker *w, int owner, int kind)
{
	struct ts_job *job = w->running;

	if (job && (owner < 0 || job->owner == owner) && (kind < 0 || job->kind == kind))
		ts_cancel_set(&job->cancel);
}

void
ts_jobs_send(struct ts_jobs *jobs, struct ts_job *job)
{
	struct worker *w = &jobs->worker[job->worker];

	ts_cancel_clear(&job->cancel);
	ts_progress_set(&job->progress, 0, 0);
	job->dropped = false;
	job->next = NULL;
	pthread_mutex_lock(&jobs->lock);
	drop_waiting(w, job->owner, job->kind);
	cancel_running(w, job->owner, job->kind);
	*w->last = job;
	w->last = &job->next;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&jobs->lock);
}

struct ts_job *
ts_jobs_receive(struct ts_jobs *jobs)
{
	struct ts_job *job;
	uint64_t count;

	pthread_mutex_lock(&jobs->lock);
	job = jobs->done;
	if (job) {
		jobs->done = job->next;
		job->next = NULL;
	}
	if (!jobs->done) {
		ssize_t ignored = read(jobs->fd, &count, sizeof(count));

		(void)ignored;
		jobs->done_last = &jobs->done;
	}
	pthread_mutex_unlock(&jobs->lock);
	return job;
}

int
ts_jobs_fd(const struct ts_jobs *jobs)
{
	return jobs->fd;
}

void
ts_jobs_cancel(struct ts_jobs *jobs, int owner)
{
	pthread_mutex_lock(&jobs->lock);
	for (int i = 0; i < TS_WORKER_COUNT; i++) {
		if (!jobs->worker[i].started)
			continue;
		drop_waiting(&jobs->worker[i], owner, -1);
		cancel_running(&jobs->worker[i], owner, -1);
	}
	pthread_mutex_unlock(&jobs->lock);
}

void
ts_jobs_info(struct ts_jobs *jobs, enum ts_worker_id worker, struct ts_job_info *out)
{
	struct worker *w = &jobs->worker[worker];

	*out = (struct ts_job_info){0};
	pthread_mutex_lock(&jobs->lock);
	out->finished = w->finished;
	for (const struct ts_job *job = w->first; job; job = job->next)
		out->waiting++;
	if (w->running) {
		out->what = w->running->what;
		out->owner = w->running->owner;
		out->kind = w->running->kind;
		out->done = w->running->progress.done;
		out->total = w->running->progress.total;
		out->running_us = ts_clock_us() - w->running->started_us;
	}
	pthread_mutex_unlock(&jobs->lock);
}
