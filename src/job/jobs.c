/* SPDX-License-Identifier: MIT */
/*
 * jobs - two queues, the threads that serve them, one list of what is done.
 *
 * One mutex guards everything and is never held while a job runs. Waking the UI is an eventfd, so that
 * it can wait for keys and answers in one ppoll().
 *
 * Workers of the pool run under SCHED_IDLE, those that answer questions at nice 5: somebody waits for
 * them. That alone decides who gets how much, not who goes first: since 6.6 Linux lets a thread that is
 * running end its slice. So the thread of the screen and its worker ask for short slices (6.12 and
 * later; elsewhere it is refused, and does not matter): they take the core at once when they wake up.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
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

enum {
	QUIT_MS = 500,
	QUESTION_NICE = 5,
	POOL_NICE = 19,		       /* where SCHED_IDLE is refused */
	POOL_FIRST = 1 + TS_QUESTIONS, /* number of the first worker of the pool */
	SCREEN_SLICE_NS = 100000,
};

/* Which jobs a worker takes. */
enum manner {
	MANNER_SCREEN,
	MANNER_QUESTIONS, /* of the bulk queue: those that are not patient */
	MANNER_POOL,	  /* of the bulk queue: those that are */
};

struct worker {
	struct ts_jobs *jobs;
	enum manner manner;
	struct queue *queue;
	pthread_t thread;
	bool started, ended;
	bool forget; /* `local` is to be emptied */
	struct ts_job *running;
	int64_t finished;
	void *local;
};

struct queue {
	struct ts_job *first, **last; /* waiting */
	pthread_cond_t wake;
	int64_t sent; /* of the sender's thread */
};

struct ts_jobs {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct queue queue[TS_WORKER_COUNT];
	struct worker worker[TS_WORKERS_MAX];
	int workers;
	struct ts_job *done, **done_last;
	void (*local_fini)(void *local);
	int fd;
	bool quit;
};

/* --- the workers ------------------------------------------------------------------------------ */

/* With the lock held; afterwards the receiver has to be woken. */
static void
finish(struct ts_jobs *jobs, struct ts_job *job)
{
	job->next = NULL;
	*jobs->done_last = job;
	jobs->done_last = &job->next;
}

/* Without the lock: who is woken wants it, and may not get it for long from a worker of low priority. */
static void
wake_receiver(struct ts_jobs *jobs)
{
	const uint64_t one = 1;
	ssize_t ignored = write(jobs->fd, &one, sizeof(one));

	(void)ignored;
}

/* With the lock held: take the job at *p out of its queue. */
static struct ts_job *
unlink_job(struct queue *q, struct ts_job **p)
{
	struct ts_job *job = *p;

	*p = job->next;
	if (!*p)
		q->last = p;
	return job;
}

/* With the lock held: a job for this worker, or NULL. */
static struct ts_job *
pick(struct worker *w)
{
	bool patient = w->manner == MANNER_POOL;

	for (struct ts_job **p = &w->queue->first; *p; p = &(*p)->next)
		if (w->manner == MANNER_SCREEN || (*p)->patient == patient)
			return unlink_job(w->queue, p);
	return NULL;
}

/* With the lock held, and held again afterwards. */
static void
forget(struct worker *w)
{
	w->forget = false;
	if (!w->jobs->local_fini)
		return;
	pthread_mutex_unlock(&w->jobs->lock);
	w->jobs->local_fini(w->local);
	pthread_mutex_lock(&w->jobs->lock);
}

/* With the lock held: the next job to run, or NULL to end. */
static struct ts_job *
next_job(struct worker *w)
{
	struct ts_job *job;

	for (;;) {
		if (w->jobs->quit)
			return NULL;
		if (w->forget) {
			forget(w);
			continue;
		}
		job = pick(w);
		if (job)
			return job;
		pthread_cond_wait(&w->queue->wake, &w->jobs->lock);
	}
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
ask_short_slices(void)
{
	struct attributes a = {.size = sizeof(a),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = SCREEN_SLICE_NS};

	if (sched_getscheduler(0) == SCHED_OTHER)
		syscall(SYS_sched_setattr, 0, &a, 0);
}

/* How much of the machine a worker may have. It is a wish: where it is refused, it runs as it is. */
static void
set_priority(enum manner manner)
{
	const struct sched_param none = {0};
	id_t self = (id_t)syscall(SYS_gettid);

	if (manner == MANNER_SCREEN)
		ask_short_slices();
	else
		setpriority(PRIO_PROCESS, self, manner == MANNER_POOL ? POOL_NICE : QUESTION_NICE);
	if (manner == MANNER_POOL)
		sched_setscheduler((pid_t)self, SCHED_IDLE, &none);
}

static void *
work(void *ctx)
{
	struct worker *w = ctx;
	struct ts_jobs *jobs = w->jobs;
	struct ts_job *job;

	set_priority(w->manner);
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
		pthread_mutex_unlock(&jobs->lock);
		wake_receiver(jobs);
		pthread_mutex_lock(&jobs->lock);
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

/* --- begin and end ---------------------------------------------------------------------------- */

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
	if (rc == 0) { /* the thread looks at it, too */
		pthread_mutex_lock(&w->jobs->lock);
		w->started = true;
		pthread_mutex_unlock(&w->jobs->lock);
	}
	return rc;
}

static int
init_worker(struct ts_jobs *jobs, int i, size_t local_size)
{
	struct worker *w = &jobs->worker[i];

	w->jobs = jobs;
	w->manner = i == 0 ? MANNER_SCREEN : i < POOL_FIRST ? MANNER_QUESTIONS : MANNER_POOL;
	w->queue = &jobs->queue[i == 0 ? TS_WORKER_SCREEN : TS_WORKER_BULK];
	w->local = ts_alloc(1, local_size);
	jobs->workers = i + 1;
	return w->local ? start(w) : ENOMEM;
}

/* The mutex, the conditions, the queues: they can be freed whatever happens next. */
static void
init_shared(struct ts_jobs *jobs)
{
	pthread_condattr_t monotonic;

	jobs->done_last = &jobs->done;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&jobs->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	for (int i = 0; i < TS_WORKER_COUNT; i++) {
		pthread_cond_init(&jobs->queue[i].wake, NULL);
		jobs->queue[i].last = &jobs->queue[i].first;
	}
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
	init_shared(jobs);
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
	ask_short_slices(); /* the caller has the screen; workers would inherit it */
	*out = jobs;
	return TS_OK;
}

/* Cores that this process may use. */
static int
cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return CPU_COUNT(&set);
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

enum ts_code
ts_jobs_new(struct ts_jobs **out, size_t local_size, void (*local_fini)(void *local),
	struct ts_err *err)
{
	int n = cores();

	return ts_jobs_new_pool(out,
		n < 1			  ? 1
			: n > TS_POOL_MAX ? TS_POOL_MAX
					  : n,
		local_size, local_fini, err);
}

int
ts_jobs_pool(const struct ts_jobs *jobs)
{
	return jobs->workers - POOL_FIRST;
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
	for (int i = 0; i < jobs->workers; i++)
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
		pthread_cond_broadcast(&jobs->queue[i].wake);
	ended = wait_for_workers(jobs);
	pthread_mutex_unlock(&jobs->lock);
	if (!ended)
		return false;
	while ((job = ts_jobs_receive(jobs)))
		if (give_back)
			give_back(job);
	for (int i = 0; i < jobs->workers; i++) {
		if (jobs->worker[i].started)
			pthread_join(jobs->worker[i].thread, NULL);
		free(jobs->worker[i].local);
	}
	if (jobs->fd >= 0)
		close(jobs->fd);
	for (int i = 0; i < TS_WORKER_COUNT; i++)
		pthread_cond_destroy(&jobs->queue[i].wake);
	pthread_cond_destroy(&jobs->ended);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
	return true;
}

/* --- send, receive, cancel -------------------------------------------------------------------- */

static bool
matches(const struct ts_job *job, int owner, int kind)
{
	return (owner < 0 || job->owner == owner) && (kind < 0 || job->kind == kind);
}

/* With the lock held: take waiting jobs that match out of the queue. Were there any? */
static bool
drop_waiting(struct ts_jobs *jobs, struct queue *q, int owner, int kind)
{
	bool any = false;

	for (struct ts_job **p = &q->first; *p;) {
		struct ts_job *job = *p;

		if (!matches(job, owner, kind)) {
			p = &job->next;
			continue;
		}
		unlink_job(q, p);
		job->dropped = true;
		finish(jobs, job);
		any = true;
	}
	return any;
}

/* With the lock held. */
static void
cancel_running(struct ts_jobs *jobs, const struct queue *q, int owner, int kind)
{
	for (int i = 0; i < jobs->workers; i++) {
		struct worker *w = &jobs->worker[i];

		if (w->queue == q && w->running && matches(w->running, owner, kind))
			ts_cancel_set(&w->running->cancel);
	}
}

void
ts_jobs_send(struct ts_jobs *jobs, struct ts_job *job)
{
	struct queue *q = &jobs->queue[job->worker];
	bool dropped;

	ts_cancel_clear(&job->cancel);
	ts_progress_set(&job->progress, 0, 0);
	job->dropped = false;
	job->next = NULL;
	pthread_mutex_lock(&jobs->lock);
	dropped = drop_waiting(jobs, q, job->owner, job->kind);
	cancel_running(jobs, q, job->owner, job->kind);
	*q->last = job;
	q->last = &job->next;
	q->sent++;
	pthread_cond_broadcast(&q->wake); /* not each of them may take it */
	pthread_mutex_unlock(&jobs->lock);
	if (dropped)
		wake_receiver(jobs);
}

int64_t
ts_jobs_sent(const struct ts_jobs *jobs, enum ts_worker_id worker)
{
	return jobs->queue[worker].sent;
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
	bool dropped = false;

	pthread_mutex_lock(&jobs->lock);
	for (int i = 0; i < TS_WORKER_COUNT; i++) {
		dropped |= drop_waiting(jobs, &jobs->queue[i], owner, -1);
		cancel_running(jobs, &jobs->queue[i], owner, -1);
	}
	pthread_mutex_unlock(&jobs->lock);
	if (dropped)
		wake_receiver(jobs);
}

void
ts_jobs_forget(struct ts_jobs *jobs, enum ts_worker_id worker)
{
	struct queue *q = &jobs->queue[worker];

	pthread_mutex_lock(&jobs->lock);
	for (int i = 0; i < jobs->workers; i++)
		if (jobs->worker[i].queue == q)
			jobs->worker[i].forget = true;
	pthread_cond_broadcast(&q->wake);
	pthread_mutex_unlock(&jobs->lock);
}

/* --- telling ---------------------------------------------------------------------------------- */

/* With the lock held. */
static void
describe(const struct worker *w, struct ts_job_info *out)
{
	const struct ts_job *job = w->running;

	if (!job)
		return;
	out->what = job->what;
	out->owner = job->owner;
	out->kind = job->kind;
	out->done = job->progress.done;
	out->total = job->progress.total;
	out->running_us = ts_clock_us() - job->started_us;
}

static int
count_waiting(const struct queue *q)
{
	int n = 0;

	for (const struct ts_job *job = q->first; job; job = job->next)
		n++;
	return n;
}

void
ts_jobs_info(struct ts_jobs *jobs, enum ts_worker_id worker, struct ts_job_info *out)
{
	const struct worker *longest = NULL;

	*out = (struct ts_job_info){.worker = worker};
	pthread_mutex_lock(&jobs->lock);
	out->waiting = count_waiting(&jobs->queue[worker]);
	for (int i = 0; i < jobs->workers; i++) {
		const struct worker *w = &jobs->worker[i];

		if (w->queue != &jobs->queue[worker])
			continue;
		out->finished += w->finished;
		if (w->running &&
			(!longest || w->running->started_us < longest->running->started_us))
			longest = w;
	}
	if (longest)
		describe(longest, out);
	pthread_mutex_unlock(&jobs->lock);
}

int
ts_jobs_workers(const struct ts_jobs *jobs)
{
	return jobs->workers;
}

void
ts_jobs_worker(struct ts_jobs *jobs, int i, struct ts_job_info *out)
{
	const struct worker *w = &jobs->worker[i];

	*out = (struct ts_job_info){.worker = (enum ts_worker_id)(w->queue - jobs->queue),
		.patient = w->manner == MANNER_POOL};
	pthread_mutex_lock(&jobs->lock);
	out->waiting = count_waiting(w->queue);
	out->finished = w->finished;
	describe(w, out);
	pthread_mutex_unlock(&jobs->lock);
}

void *
ts_jobs_local(const struct ts_jobs *jobs, int i)
{
	return jobs->worker[i].local;
}
