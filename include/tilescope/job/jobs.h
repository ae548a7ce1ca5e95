/* SPDX-License-Identifier: MIT */
/*
 * jobs - work that the screen must not wait for.
 *
 * A job is a struct whose ownership moves into the queue when it is sent and back to the sender when it
 * is received; running cannot fail: results and errors ride inside. Two queues: one for what the screen
 * waits for, with one worker (a thread); one for passes over whole tables. Of those jobs the patient
 * ones (nobody looks at a screen for them) belong to a pool of workers at the lowest priority, the
 * others to two of a higher one: neither is left behind the other.
 *
 * Jobs carry an owner, a kind and a generation that mean nothing here but this: a new job replaces
 * one of the same owner, kind and queue that still waits, and cancels one that runs; so holding
 * PageDown leaves one query, not fifty. In the pool the new one may begin before the old one has ended.
 * Replaced jobs come back too, marked `dropped`, in the order in which they were finished with.
 *
 * Threads: send, receive, cancel from one thread (the UI's). Workers have all signals blocked.
 */
#ifndef TS_JOB_JOBS_H
#define TS_JOB_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/progress.h"

enum ts_worker_id { TS_WORKER_SCREEN, TS_WORKER_BULK, TS_WORKER_COUNT };

enum { TS_POOL_MAX = 4, TS_QUESTIONS = 2, TS_WORKERS_MAX = 1 + TS_QUESTIONS + TS_POOL_MAX };

struct ts_job {
	/* set by the sender */
	void (*run)(struct ts_job *job,
		void *local); /* local: the worker's own, see ts_jobs_new() */
	const char *what;     /* for people: "counting categories" */
	enum ts_worker_id worker;
	int owner, kind;
	bool patient; /* BULK: for the pool */
	bool behind; /* BULK: begins when patient jobs need not rest (what is asked for first is on the screen), at most 0.1 s later */
	uint64_t generation;

	/* set by the queue */
	struct ts_cancel cancel; /* `run` has to look at it */
	struct ts_progress progress;
	bool dropped; /* never ran */
	int64_t started_us, ended_us;
	struct ts_job *next;
};

struct ts_jobs;

/*
 * Start the workers. Each gets `local_size` bytes of zeroed memory of its own, handed to every job
 * that it runs; `local_fini` is called on it in the worker when it ends, and when it is to forget: it
 * leaves zeroed memory. The pool has a worker for each core, at most TS_POOL_MAX.
 */
enum ts_code ts_jobs_new(struct ts_jobs **out, size_t local_size, void (*local_fini)(void *local),
	struct ts_err *err) TS_WARN_UNUSED;

/* The same with a pool of so many: 1 .. TS_POOL_MAX. */
enum ts_code ts_jobs_new_pool(struct ts_jobs **out, int pool, size_t local_size,
	void (*local_fini)(void *local), struct ts_err *err) TS_WARN_UNUSED;

/* Cores that this process may use, at most TS_POOL_MAX: so many workers the pool has. */
int ts_jobs_cores(void);

/* How many patient jobs run at the same time. */
int ts_jobs_pool(const struct ts_jobs *jobs);

/*
 * Cancel everything, wait at most 500 ms for the workers, and free. False when a worker did not end
 * in time: then nothing was freed and the program should exit. Jobs that were not received go to
 * `give_back` (in this thread).
 */
bool ts_jobs_free(struct ts_jobs *jobs, void (*give_back)(struct ts_job *job));

/* Takes the job. */
void ts_jobs_send(struct ts_jobs *jobs, struct ts_job *job);

/* How many were sent to a queue so far: tells whether something was asked in between. */
int64_t ts_jobs_sent(const struct ts_jobs *jobs, enum ts_worker_id worker);

/* A finished or dropped job, the caller's again; NULL when there is none. */
struct ts_job *ts_jobs_receive(struct ts_jobs *jobs);

/* Becomes readable when there is something to receive; now and then when there is nothing any more. */
int ts_jobs_fd(const struct ts_jobs *jobs);

/*
 * Until then (ts_clock_us(); 0 = no more) patient jobs rest before they begin and where they look at their token, and those
 * that come behind before they begin: somebody waits for a frame, and they would take half of what a core can do, the
 * caches and the disk.
 */
void ts_jobs_rest(struct ts_jobs *jobs, int64_t until_us);

/* Cancel waiting and running jobs of an owner (-1 = of all). They come back. */
void ts_jobs_cancel(struct ts_jobs *jobs, int owner);

/* Workers of a queue free what they keep between jobs: at once, or when the job they run has ended. */
void ts_jobs_forget(struct ts_jobs *jobs, enum ts_worker_id worker);

/* What a worker is doing: copied, safe to show. */
struct ts_job_info {
	const char *what;	  /* NULL = idle */
	enum ts_worker_id worker; /* whose queue it serves */
	int owner, kind;
	bool patient;	     /* it takes patient jobs */
	int64_t done, total; /* progress */
	int64_t running_us;
	int waiting;	  /* jobs in its queue */
	int64_t finished; /* since the start */
};

/* Of a queue: the job that has run longest; all that wait, all that are finished. */
void ts_jobs_info(struct ts_jobs *jobs, enum ts_worker_id worker, struct ts_job_info *out);

/* Of one worker, 0 .. ts_jobs_workers() - 1: the screen's, TS_QUESTIONS, the pool. */
int ts_jobs_workers(const struct ts_jobs *jobs);
void ts_jobs_worker(struct ts_jobs *jobs, int i, struct ts_job_info *out);

/*
 * What a job of these owners (first .. last) is for that was sent and not received yet, whether it has ended or not; NULL: there
 * is none but those that were dropped.
 */
const char *ts_jobs_waiting(const struct ts_jobs *jobs, int first, int last);

/* Is there such a job of the owner that somebody waits for: neither patient nor cancelled? */
bool ts_jobs_awaited(const struct ts_jobs *jobs, int owner);

/* The memory of a worker. It may be using it: only what is made for other threads may be looked at. */
void *ts_jobs_local(const struct ts_jobs *jobs, int i);

#endif
