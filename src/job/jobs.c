/* SPDX-License-Identifier: MIT */
/*
 * jobs - what waits for the workers, the threads that they are, what came back.
 *
 * No lock and no condition is shared with a worker. One of the pool runs only when nobody else wants the
 * core: preempted with a lock in its hand it would stop the screen, and glibc before 2.41 lets the thread
 * that signals a condition wait for those that it has woken before.
 *
 * So what waits belongs to the thread that sends. A worker has a slot, which only that thread fills and
 * from which either may take, and a semaphore that is posted when there is something to look at. What is
 * done goes onto a list that is pushed to by compare-and-swap and taken whole. Waking the UI is an
 * eventfd, so that it can wait for keys and answers in one ppoll(). The worker of the screen
 * has one job ahead, so that it need not wait for the UI thread between two of them; the others get
 * one when they have none, since which of them gets free first is not known.
 *
 * Workers of the pool run under SCHED_IDLE, those that answer questions at nice 5: somebody waits for
 * them. That alone decides who gets how much, not who goes first: since 6.6 Linux lets a thread that is
 * running end its slice. So the thread of the screen and its worker ask for short slices (6.12 and
 * later; elsewhere it is refused, and does not matter): they take the core at once when they wake up.
 * All others ask for the longest. Where sessions are groups (autogroup), a priority of ours says nothing
 * to those outside of our group: the terminal, and the kernel's worker that carries to it what we
 * write. They would wait for the end of a slice for each key and each answer; to who has a shorter
 * slice a group with a long one gives way at once.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/thread.h"
#include "tilescope/job/jobs.h"

enum {
	QUIT_US = 500000,
	BEHIND_US = 100000, /* what comes behind rests no longer */
	QUESTION_NICE = 5,
	POOL_NICE = 19,		       /* where SCHED_IDLE is refused */
	POOL_FIRST = 1 + TS_QUESTIONS, /* number of the first worker of the pool */
	SCREEN_SLICE_NS = 100000,      /* the least there is, */
	PASS_SLICE_NS = 100000000,     /* and the most */
	GIVEN_MAX = 2,		       /* jobs that a worker has: one that runs, one ahead */
};

/* Which jobs a worker takes. */
enum manner {
	MANNER_SCREEN,
	MANNER_QUESTIONS, /* of the bulk queue: those that are not patient */
	MANNER_POOL,	  /* of the bulk queue: those that are */
	MANNER_COUNT,
};

static const struct {
	enum ts_worker_id queue;
	int given; /* jobs that a worker has at most */
} manners[MANNER_COUNT] = {
	[MANNER_SCREEN] = {TS_WORKER_SCREEN, 2},
	[MANNER_QUESTIONS] = {TS_WORKER_BULK, 1},
	[MANNER_POOL] = {TS_WORKER_BULK, 1},
};

typedef _Atomic(struct ts_job *) shared_job;

struct worker {
	/* both threads' */
	struct ts_jobs *jobs;
	shared_job slot;    /* the next job */
	shared_job running; /* NULL before it is the receiver's */
	sem_t wake;	    /* a job, something to forget, the end */
	atomic_bool forget; /* `local` is to be emptied */
	atomic_bool ended;
	_Atomic int64_t finished;

	/* the sender's */
	enum manner manner;
	pthread_t thread;
	bool started;
	struct ts_job *given[GIVEN_MAX]; /* the older first; it may have ended already */

	/* the worker's */
	void *local;
};

/* The sender's own. */
struct list {
	struct ts_job *first, **last;
};

struct ts_jobs {
	/* both threads' */
	shared_job ended; /* pushed by workers, taken whole: the newest first */
	atomic_bool quit;
	_Atomic int64_t rest; /* see ts_jobs_rest() */
	int fd;
	void (*local_fini)(void *local);

	/* the sender's */
	struct worker worker[TS_WORKERS_MAX];
	int workers;
	struct list waiting[MANNER_COUNT];
	struct list done;
	int64_t sent[TS_WORKER_COUNT];
};

/* --- lists of the sender ---------------------------------------------------------------------- */

static void
append(struct list *l, struct ts_job *job)
{
	job->next = NULL;
	*l->last = job;
	l->last = &job->next;
}

/* Take the job at *p out of its list. */
static struct ts_job *
unlink_job(struct list *l, struct ts_job **p)
{
	struct ts_job *job = *p;

	*p = job->next;
	if (!*p)
		l->last = p;
	job->next = NULL;
	return job;
}

/* --- the workers ------------------------------------------------------------------------------ */

static void
wake_receiver(struct ts_jobs *jobs)
{
	const uint64_t one = 1;
	ssize_t ignored = write(jobs->fd, &one, sizeof(one));

	(void)ignored;
}

static void
push_ended(struct ts_jobs *jobs, struct ts_job *job)
{
	struct ts_job *top = atomic_load(&jobs->ended);

	do
		job->next = top;
	while (!atomic_compare_exchange_weak(&jobs->ended, &top, job));
}

/* Others go first. What comes behind holds one of two workers meanwhile, so it is not kept for as long as somebody holds a key. */
static void
rest_before(struct worker *w, const struct ts_job *job)
{
	if (w->manner == MANNER_POOL)
		ts_cancel_rest(&job->cancel, &w->jobs->rest, INT64_MAX);
	else if (job->behind)
		ts_cancel_rest(&job->cancel, &w->jobs->rest, ts_clock_us() + BEHIND_US);
}

static void
run(struct worker *w, struct ts_job *job)
{
	rest_before(w, job); /* what rests is told of as waiting */
	job->started_us = ts_clock_us();
	atomic_store(&w->running, job);
	job->run(job, w->local);
	job->ended_us = ts_clock_us();
	atomic_fetch_add(&w->finished, 1);
	atomic_store(&w->running, NULL);
	push_ended(w->jobs, job); /* from here on it is the receiver's */
	wake_receiver(w->jobs);
}

/* As in linux/sched/types.h, which cannot be had together with sched.h. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* runtime: the slice, ns */
};

static void
ask_slices(uint64_t ns)
{
	struct attributes a = {.size = sizeof(a),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = ns};

	if (sched_getscheduler(0) == SCHED_OTHER)
		syscall(SYS_sched_setattr, 0, &a, 0);
}

/* How much of the machine a worker may have. It is a wish: where it is refused, it runs as it is. */
static void
set_priority(enum manner manner)
{
	const struct sched_param none = {0};
	id_t self = (id_t)syscall(SYS_gettid);

	if (manner != MANNER_SCREEN)
		setpriority(PRIO_PROCESS, self, manner == MANNER_POOL ? POOL_NICE : QUESTION_NICE);
	ask_slices(manner == MANNER_SCREEN ? SCREEN_SLICE_NS : PASS_SLICE_NS);
	if (manner == MANNER_POOL) /* slices stay what they are */
		sched_setscheduler((pid_t)self, SCHED_IDLE, &none);
}

/* A post for each thing that was put down before it: whoever takes one sees that thing, or has done it. */
static void *
work(void *ctx)
{
	struct worker *w = ctx;
	struct ts_jobs *jobs = w->jobs;
	struct ts_job *job;

	set_priority(w->manner);
	while (!atomic_load(&jobs->quit)) {
		if (sem_wait(&w->wake))
			continue;
		if (atomic_exchange(&w->forget, false) && jobs->local_fini)
			jobs->local_fini(w->local);
		job = atomic_exchange(&w->slot, NULL);
		if (job)
			run(w, job);
	}
	if (jobs->local_fini)
		jobs->local_fini(w->local);
	atomic_store(&w->ended, true);
	wake_receiver(jobs);
	return NULL;
}

/* --- begin and end ---------------------------------------------------------------------------- */

static int
start(struct worker *w)
{
	int rc = ts_thread_start(&w->thread, NULL, work, w);

	w->started = rc == 0;
	return rc;
}

static int
init_worker(struct ts_jobs *jobs, int i, size_t local_size)
{
	struct worker *w = &jobs->worker[i];

	w->jobs = jobs;
	w->manner = i == 0 ? MANNER_SCREEN : i < POOL_FIRST ? MANNER_QUESTIONS : MANNER_POOL;
	w->local = ts_alloc(1, local_size);
	sem_init(&w->wake, 0, 0);
	jobs->workers = i + 1;
	return w->local ? start(w) : ENOMEM;
}

enum ts_code
ts_jobs_new_pool(struct ts_jobs **out, int pool, size_t local_size, void (*local_fini)(void *local),
	struct ts_err *err)
{
	struct ts_jobs *jobs = ts_alloc(1, sizeof(*jobs));
	int rc = 0;

	*out = NULL;
	if (!jobs)
		return ts_err_nomem(err);
	for (int m = 0; m < MANNER_COUNT; m++)
		jobs->waiting[m].last = &jobs->waiting[m].first;
	jobs->done.last = &jobs->done.first;
	jobs->local_fini = local_fini;
	jobs->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (jobs->fd < 0)
		rc = errno;
	for (int i = 0; i < POOL_FIRST + pool && i < TS_WORKERS_MAX && !rc; i++)
		rc = init_worker(jobs, i, local_size);
	if (rc) {
		ts_jobs_free(jobs, NULL);
		if (rc == ENOMEM)
			return ts_err_nomem(err);
		return ts_err_sys(err, rc, "cannot start a worker");
	}
	ask_slices(SCREEN_SLICE_NS); /* the caller has the screen; workers would inherit it */
	*out = jobs;
	return TS_OK;
}

int
ts_jobs_cores(void)
{
	cpu_set_t set;

	long n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
							      : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > TS_POOL_MAX ? TS_POOL_MAX : (int)n;
}

enum ts_code
ts_jobs_new(struct ts_jobs **out, size_t local_size, void (*local_fini)(void *local),
	struct ts_err *err)
{
	return ts_jobs_new_pool(out, ts_jobs_cores(), local_size, local_fini, err);
}

int
ts_jobs_pool(const struct ts_jobs *jobs)
{
	return jobs->workers - POOL_FIRST;
}

static void
clear_fd(struct ts_jobs *jobs)
{
	uint64_t count;
	ssize_t ignored = read(jobs->fd, &count, sizeof(count));

	(void)ignored;
}

/* Wait until every worker that started has ended, at most QUIT_US. */
static bool
wait_for_workers(struct ts_jobs *jobs)
{
	int64_t until = ts_clock_us() + QUIT_US, left;
	struct pollfd p = {.fd = jobs->fd, .events = POLLIN};

	for (int i = 0; i < jobs->workers; i++)
		while (jobs->worker[i].started && !atomic_load(&jobs->worker[i].ended)) {
			left = until - ts_clock_us();
			if (left <= 0)
				return false;
			poll(&p, 1, (int)(left / 1000) + 1);
			clear_fd(jobs);
		}
	return true;
}

static void
free_worker(struct worker *w)
{
	if (w->started)
		pthread_join(w->thread, NULL);
	sem_destroy(&w->wake);
	free(w->local);
}

bool
ts_jobs_free(struct ts_jobs *jobs, void (*give_back)(struct ts_job *job))
{
	struct ts_job *job;

	if (!jobs)
		return true;
	ts_jobs_cancel(jobs, -1);
	atomic_store(&jobs->quit, true);
	for (int i = 0; i < jobs->workers; i++)
		sem_post(&jobs->worker[i].wake);
	if (!wait_for_workers(jobs))
		return false;
	while ((job = ts_jobs_receive(jobs)))
		if (give_back)
			give_back(job);
	for (int i = 0; i < jobs->workers; i++)
		free_worker(&jobs->worker[i]);
	if (jobs->fd >= 0)
		close(jobs->fd);
	free(jobs);
	return true;
}

/* --- send, receive, cancel -------------------------------------------------------------------- */

static bool
matches(const struct ts_job *job, int owner, int kind)
{
	return (owner < 0 || job->owner == owner) && (kind < 0 || job->kind == kind);
}

static enum manner
manner_of(const struct ts_job *job)
{
	return job->worker == TS_WORKER_SCREEN ? MANNER_SCREEN
		: job->patient		       ? MANNER_POOL
					       : MANNER_QUESTIONS;
}

/* Take the job off what the worker has. Was it there? */
static bool
take_given(struct worker *w, const struct ts_job *job)
{
	if (w->given[0] != job && w->given[1] != job)
		return false;
	if (w->given[0] == job)
		w->given[0] = w->given[1];
	w->given[1] = NULL;
	return true;
}

static void
put_in_slot(struct worker *w, struct ts_job *job)
{
	atomic_store(&w->slot, job);
	sem_post(&w->wake);
}

/* What workers have ended: in the order in which they did, to the list of what is done. */
static void
collect(struct ts_jobs *jobs)
{
	struct ts_job *job = atomic_exchange(&jobs->ended, NULL), *oldest = NULL, *next;

	for (; job; job = next) {
		next = job->next;
		job->next = oldest;
		oldest = job;
	}
	for (job = oldest; job; job = next) {
		int i = 0;

		next = job->next;
		append(&jobs->done, job);
		while (i < jobs->workers && !take_given(&jobs->worker[i], job))
			i++;
	}
}

/*
 * Workers that may have another job get those that have waited longest. A slot that is full is that of
 * a job that will come back: then it is looked at again.
 */
static void
deal(struct ts_jobs *jobs)
{
	collect(jobs);
	for (int i = 0; i < jobs->workers; i++) {
		struct worker *w = &jobs->worker[i];
		struct list *waiting = &jobs->waiting[w->manner];
		int n = 0;

		while (n < manners[w->manner].given && w->given[n])
			n++;
		if (!waiting->first || n == manners[w->manner].given || atomic_load(&w->slot))
			continue;
		w->given[n] = unlink_job(waiting, &waiting->first);
		put_in_slot(w, w->given[n]);
	}
}

static void
drop(struct ts_jobs *jobs, struct ts_job *job)
{
	job->dropped = true;
	append(&jobs->done, job);
	wake_receiver(jobs);
}

/* What has not begun comes back at once; what has is told to end. */
static void
withdraw_given(struct ts_jobs *jobs, struct worker *w, int owner, int kind)
{
	struct ts_job *ahead = atomic_exchange(&w->slot, NULL);

	if (ahead && matches(ahead, owner, kind)) {
		take_given(w, ahead);
		drop(jobs, ahead);
	} else if (ahead) {
		put_in_slot(w, ahead);
	}
	for (int n = 0; n < GIVEN_MAX; n++)
		if (w->given[n] && matches(w->given[n], owner, kind))
			ts_cancel_set(&w->given[n]->cancel);
}

static void
withdraw(struct ts_jobs *jobs, enum ts_worker_id queue, int owner, int kind)
{
	for (int i = 0; i < jobs->workers; i++)
		if (manners[jobs->worker[i].manner].queue == queue)
			withdraw_given(jobs, &jobs->worker[i], owner, kind);
	for (int m = 0; m < MANNER_COUNT; m++)
		for (struct ts_job **p = &jobs->waiting[m].first;
			manners[m].queue == queue && *p;) {
			if (matches(*p, owner, kind))
				drop(jobs, unlink_job(&jobs->waiting[m], p));
			else
				p = &(*p)->next;
		}
}

void
ts_jobs_send(struct ts_jobs *jobs, struct ts_job *job)
{
	ts_cancel_clear(&job->cancel);
	if (manner_of(job) == MANNER_POOL)
		job->cancel.rest = &jobs->rest;
	ts_progress_set(&job->progress, 0, 0);
	job->dropped = false;
	withdraw(jobs, job->worker, job->owner, job->kind);
	append(&jobs->waiting[manner_of(job)], job);
	jobs->sent[job->worker]++;
	deal(jobs);
}

int64_t
ts_jobs_sent(const struct ts_jobs *jobs, enum ts_worker_id worker)
{
	return jobs->sent[worker];
}

/* As long as there is something to receive the descriptor is readable, or about to be. */
struct ts_job *
ts_jobs_receive(struct ts_jobs *jobs)
{
	struct ts_job *job;

	deal(jobs);
	job = jobs->done.first ? unlink_job(&jobs->done, &jobs->done.first) : NULL;
	if (!jobs->done.first) {
		clear_fd(jobs);
		collect(jobs); /* its waking may just have been cleared */
		if (jobs->done.first)
			wake_receiver(jobs);
	}
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
	for (int i = 0; i < TS_WORKER_COUNT; i++)
		withdraw(jobs, (enum ts_worker_id)i, owner, -1);
	deal(jobs);
}

void
ts_jobs_rest(struct ts_jobs *jobs, int64_t until_us)
{
	atomic_store(&jobs->rest, until_us);
}

void
ts_jobs_forget(struct ts_jobs *jobs, enum ts_worker_id worker)
{
	for (int i = 0; i < jobs->workers; i++) {
		struct worker *w = &jobs->worker[i];

		if (manners[w->manner].queue != worker)
			continue;
		atomic_store(&w->forget, true);
		sem_post(&w->wake);
	}
}

/* --- telling ---------------------------------------------------------------------------------- */

/* A job that runs is still ours to look at: nobody else takes it off the list of what is done. */
static void
describe(struct worker *w, struct ts_job_info *out)
{
	const struct ts_job *job = atomic_load(&w->running);

	if (!job)
		return;
	out->what = job->what;
	out->owner = job->owner;
	out->kind = job->kind;
	out->done = job->progress.done;
	out->total = job->progress.total;
	out->running_us = ts_clock_us() - job->started_us;
}

/* Those that have not begun, and those that have ended and were not received. */
static int
count_waiting(struct ts_jobs *jobs, enum ts_worker_id queue)
{
	int n = 0;

	for (int m = 0; m < MANNER_COUNT; m++)
		for (const struct ts_job *job = jobs->waiting[m].first;
			job && manners[m].queue == queue; job = job->next)
			n++;
	for (int i = 0; i < jobs->workers; i++) {
		struct worker *w = &jobs->worker[i];
		const struct ts_job *running = atomic_load(&w->running);

		for (int k = 0; k < GIVEN_MAX && manners[w->manner].queue == queue; k++)
			n += w->given[k] && w->given[k] != running;
	}
	return n;
}

static bool
is_of(const struct ts_job *job, int first, int last, bool awaited)
{
	if (!job || job->dropped || job->owner < first || job->owner > last)
		return false;
	return !awaited ||
		!(job->patient || atomic_load_explicit(&job->cancel.set, memory_order_relaxed));
}

static const struct ts_job *
find_in(const struct list *l, int first, int last, bool awaited)
{
	const struct ts_job *job = l->first;

	while (job && !is_of(job, first, last, awaited))
		job = job->next;
	return job;
}

/* A job that was sent and not received; those that have ended may be on the list of what is done already. */
static const struct ts_job *
find_sent(const struct ts_jobs *jobs, int first, int last, bool awaited)
{
	const struct ts_job *found = find_in(&jobs->done, first, last, awaited);

	for (int m = 0; m < MANNER_COUNT && !found; m++)
		found = find_in(&jobs->waiting[m], first, last, awaited);
	for (int i = 0; i < jobs->workers && !found; i++)
		for (int k = 0; k < GIVEN_MAX && !found; k++)
			if (is_of(jobs->worker[i].given[k], first, last, awaited))
				found = jobs->worker[i].given[k];
	return found;
}

const char *
ts_jobs_waiting(const struct ts_jobs *jobs, int first, int last)
{
	const struct ts_job *job = find_sent(jobs, first, last, false);

	return job ? job->what : NULL;
}

bool
ts_jobs_awaited(const struct ts_jobs *jobs, int owner)
{
	return find_sent(jobs, owner, owner, true) != NULL;
}

void
ts_jobs_info(struct ts_jobs *jobs, enum ts_worker_id worker, struct ts_job_info *out)
{
	*out = (struct ts_job_info){.worker = worker};
	for (int i = 0; i < jobs->workers; i++) {
		struct worker *w = &jobs->worker[i];
		struct ts_job_info one = {.worker = worker};

		if (manners[w->manner].queue != worker)
			continue;
		describe(w, &one);
		one.finished = out->finished + atomic_load(&w->finished);
		if (one.what && (!out->what || one.running_us > out->running_us))
			*out = one;
		out->finished = one.finished;
	}
	out->waiting = count_waiting(jobs, worker);
}

int
ts_jobs_workers(const struct ts_jobs *jobs)
{
	return jobs->workers;
}

void
ts_jobs_worker(struct ts_jobs *jobs, int i, struct ts_job_info *out)
{
	struct worker *w = &jobs->worker[i];
	enum ts_worker_id queue = manners[w->manner].queue;

	*out = (struct ts_job_info){.worker = queue, .patient = w->manner == MANNER_POOL};
	out->waiting = count_waiting(jobs, queue);
	out->finished = atomic_load(&w->finished);
	describe(w, out);
}

void *
ts_jobs_local(const struct ts_jobs *jobs, int i)
{
	return jobs->worker[i].local;
}
