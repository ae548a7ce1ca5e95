/* SPDX-License-Identifier: MIT */
/*
 * The queue of jobs: ownership, replacing, cancelling, waking, ending.
 *
 * Nothing here depends on how long something takes: a job that has to run while the test looks waits for a
 * gate that the test opens; ending is tried until it succeeds, as a busy machine may need more than one wait.
 */
#include "config.h"

#include <check.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/job/jobs.h"

enum { JOBS_MAX = 64, POOL = 3 };

struct gated {
	struct ts_job job;
	sem_t started, gate;
	bool wait_for_cancel; /* else for the gate */
	int order;	      /* in which it was run; from 1 */
	int locals;	      /* what it found in the worker's memory */
	bool blocked;	      /* all signals were blocked */
	bool saw_cancel;
};

struct local {
	int runs;
};

static atomic_int ran, finis;

static void
wait_gate(sem_t *s)
{
	while (sem_wait(s) != 0)
		;
}

static void
run_gated(struct ts_job *job, void *local)
{
	struct gated *g = (struct gated *)job;
	struct local *l = local;
	sigset_t mask;

	g->order = atomic_fetch_add(&ran, 1) + 1;
	g->locals = l->runs++;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	g->blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGWINCH) &&
		sigismember(&mask, SIGTERM);
	sem_post(&g->started);
	ts_progress_set(&job->progress, 3, 10);
	if (!g->wait_for_cancel)
		wait_gate(&g->gate);
	while (g->wait_for_cancel && !ts_cancelled(&job->cancel))
		usleep(500);
	g->saw_cancel = ts_cancelled(&job->cancel);
}

static void
fini_local(void *local)
{
	atomic_fetch_add(&finis, ((struct local *)local)->runs + 100);
	*(struct local *)local = (struct local){0};
}

static struct gated pool[JOBS_MAX];
static struct ts_jobs *jobs;
static int given_back;

static void
give_back(struct ts_job *job)
{
	ck_assert_ptr_nonnull(job);
	given_back++;
}

static void
begin(void)
{
	struct ts_err err = {0};

	for (int i = 0; i < JOBS_MAX; i++) {
		memset(&pool[i], 0, sizeof(pool[i]));
		sem_init(&pool[i].started, 0, 0);
		sem_init(&pool[i].gate, 0, 0);
	}
	atomic_store(&ran, 0);
	atomic_store(&finis, 0);
	given_back = 0;
	ck_assert_int_eq(ts_jobs_new_pool(&jobs, POOL, sizeof(struct local), fini_local, &err),
		TS_OK);
}

static void
end(void)
{
	if (!jobs)
		return;
	for (int i = 0; i < JOBS_MAX; i++)
		sem_post(&pool[i].gate);
	while (!ts_jobs_free(jobs, give_back))
		;
	jobs = NULL;
}

static struct gated *
send(int i, enum ts_worker_id worker, int owner, int kind)
{
	struct gated *g = &pool[i];

	g->job.run = run_gated;
	g->job.what = "waiting";
	g->job.worker = worker;
	g->job.owner = owner;
	g->job.kind = kind;
	g->job.generation = (uint64_t)i;
	ts_jobs_send(jobs, &g->job);
	return g;
}

/* One that nobody waits for at the screen. */
static struct gated *
send_patient(int i, int owner, int kind)
{
	pool[i].job.patient = true;
	return send(i, TS_WORKER_BULK, owner, kind);
}

static bool
readable(int ms)
{
	struct pollfd p = {ts_jobs_fd(jobs), POLLIN, 0};

	return poll(&p, 1, ms) == 1;
}

/* The next finished job, waited for. */
static struct gated *
receive(void)
{
	struct ts_job *job = NULL;

	while (!job) {
		ck_assert(readable(10000));
		job = ts_jobs_receive(jobs);
	}
	return (struct gated *)job;
}

START_TEST(a_job_runs_and_comes_back)
{
	struct gated *g = send(0, TS_WORKER_SCREEN, 1, 1);

	wait_gate(&g->started);
	ck_assert(!readable(0));
	ck_assert_ptr_null(ts_jobs_receive(jobs));
	sem_post(&g->gate);
	ck_assert_ptr_eq(receive(), g);
	ck_assert_int_eq(ts_jobs_sent(jobs, TS_WORKER_SCREEN), 1);
	ck_assert_int_eq(ts_jobs_sent(jobs, TS_WORKER_BULK), 0);
	ck_assert(!g->job.dropped);
	ck_assert(g->blocked);
	ck_assert(!g->saw_cancel);
	ck_assert_int_ge(g->job.ended_us, g->job.started_us);
	ck_assert_int_gt(g->job.started_us, 0);
	ck_assert_ptr_null(ts_jobs_receive(jobs));
	ck_assert(!readable(0));
}
END_TEST

START_TEST(each_worker_has_memory_of_its_own)
{
	for (int i = 0; i < 4; i++)
		sem_post(&send(i, (enum ts_worker_id)(i % 2), 1, i)->gate);
	for (int i = 0; i < 4; i++)
		receive();
	ck_assert_int_eq(pool[0].locals + pool[2].locals, 1);
	end();
	ck_assert_int_eq(atomic_load(&finis), (POOL + TS_QUESTIONS + 1) * 100 + 4);
}
END_TEST

START_TEST(workers_forget_when_told)
{
	struct gated *busy[POOL];

	for (int i = 0; i < POOL; i++)
		busy[i] = send_patient(i, 1, i);
	for (int i = 0; i < POOL; i++)
		wait_gate(&busy[i]->started);
	ts_jobs_forget(jobs, TS_WORKER_BULK);
	while (atomic_load(&finis) < TS_QUESTIONS * 100) /* those that are idle, at once */
		usleep(500);
	ck_assert_int_eq(atomic_load(&finis), TS_QUESTIONS * 100);
	for (int i = 0; i < POOL; i++) {
		sem_post(&busy[i]->gate);
		receive();
	}
	sem_post(&send_patient(POOL, 1, POOL)->gate);
	ck_assert_int_eq(receive()->locals, 0); /* whichever worker of the pool it was */
	while (atomic_load(&finis) < TS_QUESTIONS * 100 + POOL * 101)
		usleep(500);
	ts_jobs_forget(jobs, TS_WORKER_SCREEN);
	while (atomic_load(&finis) < TS_QUESTIONS * 100 + POOL * 101 + 100)
		usleep(500);
}
END_TEST

START_TEST(workers_do_not_wait_for_each_other)
{
	struct gated *bulk = send(0, TS_WORKER_BULK, 1, 1);
	struct gated *screen;

	wait_gate(&bulk->started);
	screen = send(1, TS_WORKER_SCREEN, 1, 1);
	sem_post(&screen->gate);
	ck_assert_ptr_eq(receive(), screen);
	sem_post(&bulk->gate);
	ck_assert_ptr_eq(receive(), bulk);
	ck_assert(!bulk->saw_cancel); /* of the same owner and kind, but another worker's */
}
END_TEST

START_TEST(patient_jobs_run_side_by_side)
{
	ck_assert_int_eq(ts_jobs_pool(jobs), POOL);
	for (int i = 0; i < POOL; i++)
		send_patient(i, 1, i);
	for (int i = 0; i < POOL; i++)
		wait_gate(&pool[i].started);
	for (int i = 0; i < POOL; i++) {
		sem_post(&pool[i].gate);
		ck_assert_ptr_eq(receive(), &pool[i]);
		ck_assert(!pool[i].saw_cancel);
	}
}
END_TEST

START_TEST(questions_and_patient_jobs_do_not_wait_for_each_other)
{
	/* more of both than there are workers for them */
	for (int i = 0; i < POOL + 2; i++)
		send_patient(i, 1, i);
	for (int i = 10; i < 10 + TS_QUESTIONS + 1; i++)
		send(i, TS_WORKER_BULK, 2, i);
	for (int i = 0; i < POOL; i++)
		wait_gate(&pool[i].started);
	for (int i = 10; i < 10 + TS_QUESTIONS; i++)
		wait_gate(&pool[i].started);
	/* a worker that gets free takes what is for it */
	sem_post(&pool[0].gate);
	ck_assert_ptr_eq(receive(), &pool[0]);
	wait_gate(&pool[POOL].started);
	sem_post(&pool[10].gate);
	ck_assert_ptr_eq(receive(), &pool[10]);
	wait_gate(&pool[10 + TS_QUESTIONS].started);
	ck_assert_int_eq(pool[POOL + 1].order, 0);
	for (int i = 0; i < JOBS_MAX; i++)
		sem_post(&pool[i].gate);
	for (int i = 0; i < POOL + 1 + TS_QUESTIONS; i++)
		receive();
}
END_TEST

START_TEST(a_job_in_the_pool_is_cancelled_by_its_successor)
{
	struct gated *next;

	for (int i = 0; i < POOL; i++) {
		pool[i].wait_for_cancel = true;
		send_patient(i, 1, i);
	}
	for (int i = 0; i < POOL; i++)
		wait_gate(&pool[i].started);
	next = send_patient(10, 1, 1);
	sem_post(&next->gate);
	ck_assert_ptr_eq(receive(), &pool[1]);
	ck_assert(pool[1].saw_cancel);
	ck_assert_ptr_eq(receive(), next);
	ts_jobs_cancel(jobs, 1);
	for (int i = 0; i < POOL - 1; i++)
		ck_assert(receive()->saw_cancel);
}
END_TEST

START_TEST(a_waiting_job_is_replaced)
{
	struct gated *first = send(0, TS_WORKER_SCREEN, 7, 7), *back;

	wait_gate(&first->started);
	for (int i = 1; i <= 50; i++)
		send(i, TS_WORKER_SCREEN, 1, 1);
	send(51, TS_WORKER_SCREEN, 1, 2);
	send(52, TS_WORKER_SCREEN, 2, 1);
	/* all but the last of their kind are back, in the order in which they were dropped */
	for (int i = 1; i < 50; i++) {
		back = receive();
		ck_assert_ptr_eq(back, &pool[i]);
		ck_assert(back->job.dropped);
		ck_assert_int_eq(back->order, 0);
	}
	ck_assert_ptr_null(ts_jobs_receive(jobs));
	for (int i = 0; i <= 52; i++)
		sem_post(&pool[i].gate);
	ck_assert_ptr_eq(receive(), first);
	ck_assert_ptr_eq(receive(), &pool[50]);
	ck_assert_ptr_eq(receive(), &pool[51]);
	ck_assert_ptr_eq(receive(), &pool[52]);
	ck_assert(!first->saw_cancel);
	ck_assert(!pool[50].job.dropped && !pool[51].job.dropped && !pool[52].job.dropped);
	ck_assert_int_eq(pool[50].order, 2);
	ck_assert_int_eq(pool[52].order, 4);
}
END_TEST

/* By their owners, whether they have begun or not. */
START_TEST(what_waits_can_be_told)
{
	struct gated *first = send(0, TS_WORKER_SCREEN, 7, 7);

	wait_gate(&first->started);
	ck_assert_ptr_null(ts_jobs_waiting(jobs, 1, 2));
	for (int i = 1; i <= 3; i++)
		send(i, TS_WORKER_SCREEN, i, 1);
	ck_assert_str_eq(ts_jobs_waiting(jobs, 1, 1), "waiting");
	ck_assert_str_eq(ts_jobs_waiting(jobs, 3, 5), "waiting");
	ck_assert_ptr_null(ts_jobs_waiting(jobs, 4, 6));
	ck_assert_str_eq(ts_jobs_waiting(jobs, 7, 7), "waiting"); /* it runs */
	for (int i = 0; i <= 3; i++)
		sem_post(&pool[i].gate);
	for (int i = 0; i <= 3; i++)
		receive();
	ck_assert_ptr_null(ts_jobs_waiting(jobs, 0, 9));
}
END_TEST

START_TEST(what_has_ended_waits_until_it_is_received)
{
	wait_gate(&send(0, TS_WORKER_SCREEN, 1, 1)->started);
	send(1, TS_WORKER_SCREEN, 2, 1);
	sem_post(&pool[0].gate);
	wait_gate(&pool[1].started);
	ts_jobs_cancel(jobs, 9); /* what has ended is collected */
	ck_assert_str_eq(ts_jobs_waiting(jobs, 1, 1), "waiting");
	ck_assert(ts_jobs_awaited(jobs, 1) && ts_jobs_awaited(jobs, 2));
	ck_assert_ptr_eq(receive(), &pool[0]);
	ck_assert_ptr_null(ts_jobs_waiting(jobs, 1, 1));
	ck_assert(!ts_jobs_awaited(jobs, 1) && ts_jobs_awaited(jobs, 2));
	sem_post(&pool[1].gate);
	receive();
}
END_TEST

START_TEST(what_nobody_waits_for)
{
	wait_gate(&send(0, TS_WORKER_SCREEN, 1, 1)->started);
	send(1, TS_WORKER_SCREEN, 2, 1);
	send_patient(2, 3, 1);
	ck_assert_str_eq(ts_jobs_waiting(jobs, 3, 3), "waiting");
	ck_assert(!ts_jobs_awaited(jobs, 3));
	ck_assert(ts_jobs_awaited(jobs, 1) && ts_jobs_awaited(jobs, 2));
	ts_jobs_cancel(jobs, 1); /* it still runs */
	ts_jobs_cancel(jobs, 2); /* it has not begun, and is dropped */
	ck_assert_str_eq(ts_jobs_waiting(jobs, 1, 1), "waiting");
	ck_assert(!ts_jobs_awaited(jobs, 1));
	ck_assert_ptr_null(ts_jobs_waiting(jobs, 2, 2));
	ck_assert(!ts_jobs_awaited(jobs, 2));
	ck_assert_ptr_eq(receive(), &pool[1]);
}
END_TEST

START_TEST(a_replaced_last_job_leaves_a_sound_queue)
{
	struct gated *first = send(0, TS_WORKER_SCREEN, 7, 7);

	wait_gate(&first->started);
	send(1, TS_WORKER_SCREEN, 1, 1);
	send(2, TS_WORKER_SCREEN, 1, 2);
	send(3, TS_WORKER_SCREEN, 1, 2); /* replaces the tail */
	send(4, TS_WORKER_SCREEN, 1, 1); /* replaces the head */
	send(5, TS_WORKER_SCREEN, 1, 3);
	ck_assert_ptr_eq(receive(), &pool[2]);
	ck_assert_ptr_eq(receive(), &pool[1]);
	for (int i = 0; i <= 5; i++)
		sem_post(&pool[i].gate);
	ck_assert_ptr_eq(receive(), first);
	ck_assert_ptr_eq(receive(), &pool[3]);
	ck_assert_ptr_eq(receive(), &pool[4]);
	ck_assert_ptr_eq(receive(), &pool[5]);
}
END_TEST

START_TEST(a_running_job_is_cancelled_by_its_successor)
{
	struct gated *first = &pool[0], *next;

	first->wait_for_cancel = true;
	send(0, TS_WORKER_SCREEN, 1, 1);
	wait_gate(&first->started);
	next = send(1, TS_WORKER_SCREEN, 1, 1);
	sem_post(&next->gate);
	ck_assert_ptr_eq(receive(), first);
	ck_assert(first->saw_cancel);
	ck_assert(!first->job.dropped);
	ck_assert_ptr_eq(receive(), next);
	ck_assert(!next->saw_cancel);
}
END_TEST

START_TEST(an_owner_takes_its_jobs_back)
{
	struct gated *running = &pool[0];

	running->wait_for_cancel = true;
	send(0, TS_WORKER_SCREEN, 1, 1);
	wait_gate(&running->started);
	send(1, TS_WORKER_SCREEN, 1, 2);
	send(2, TS_WORKER_SCREEN, 2, 1);
	send(3, TS_WORKER_SCREEN, 1, 3);
	ts_jobs_cancel(jobs, 1);
	sem_post(&pool[2].gate);
	ck_assert_ptr_eq(receive(), &pool[1]);
	ck_assert_ptr_eq(receive(), &pool[3]);
	ck_assert(pool[1].job.dropped && pool[3].job.dropped);
	ck_assert_ptr_eq(receive(), running);
	ck_assert(running->saw_cancel);
	ck_assert_ptr_eq(receive(), &pool[2]);
	ck_assert(!pool[2].job.dropped && !pool[2].saw_cancel);
	ts_jobs_cancel(jobs, 1); /* nothing to cancel */
	ck_assert_ptr_null(ts_jobs_receive(jobs));
}
END_TEST

START_TEST(a_job_can_be_sent_again)
{
	struct gated *g = &pool[0];

	g->wait_for_cancel = true;
	send(0, TS_WORKER_SCREEN, 1, 1);
	wait_gate(&g->started);
	ts_jobs_cancel(jobs, -1);
	ck_assert_ptr_eq(receive(), g);
	g->wait_for_cancel = false;
	sem_post(&g->gate);
	send(0, TS_WORKER_BULK, 1, 1);
	ck_assert_ptr_eq(receive(), g);
	ck_assert(!g->saw_cancel && !g->job.dropped);
}
END_TEST

START_TEST(the_descriptor_tells_of_every_batch)
{
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 5; i++)
			sem_post(&send(i, (enum ts_worker_id)(i % 2), 1, i)->gate);
		for (int i = 0; i < 5; i++)
			receive();
		ck_assert_ptr_null(ts_jobs_receive(jobs));
	}
}
END_TEST

START_TEST(what_a_worker_does_can_be_told)
{
	struct gated *g = send(0, TS_WORKER_BULK, 4, 5);
	struct ts_job_info info;
	int patient = 0;

	wait_gate(&g->started);
	for (int i = 1; i < POOL + 2; i++)
		send_patient(i, 4, 6 + i);
	for (int i = 1; i < POOL + 1; i++)
		wait_gate(&pool[i].started);
	do
		ts_jobs_info(jobs, TS_WORKER_BULK, &info);
	while (info.total == 0);
	ck_assert_str_eq(info.what, "waiting");
	ck_assert_int_eq(info.owner, 4);
	ck_assert_int_eq(info.kind, 5); /* the one that has run longest */
	ck_assert_int_eq(info.done, 3);
	ck_assert_int_eq(info.total, 10);
	ck_assert_int_eq(info.waiting, 1);
	ck_assert_int_ge(info.running_us, 0);
	ts_jobs_info(jobs, TS_WORKER_SCREEN, &info);
	ck_assert_ptr_null(info.what);
	ck_assert_int_eq(ts_jobs_workers(jobs), 1 + TS_QUESTIONS + POOL);
	for (int i = 0; i < ts_jobs_workers(jobs); i++) {
		ts_jobs_worker(jobs, i, &info);
		ck_assert_int_eq(info.worker, i == 0 ? TS_WORKER_SCREEN : TS_WORKER_BULK);
		ck_assert_int_eq(info.waiting, i == 0 ? 0 : 1);
		ck_assert_int_eq(info.patient, i > TS_QUESTIONS);
		ck_assert(!info.what || info.kind == 5 || info.patient);
		patient += info.what && info.kind > 5;
	}
	ck_assert_int_eq(patient, POOL);
	for (int i = 0; i < POOL + 2; i++)
		sem_post(&pool[i].gate);
	for (int i = 0; i < POOL + 2; i++)
		receive();
	ts_jobs_info(jobs, TS_WORKER_BULK, &info);
	ck_assert_int_eq(info.finished, POOL + 2);
	ck_assert_int_eq(info.waiting, 0);
}
END_TEST

/* Behind its gate it looks at its token once, and says whether it was set. */
static void
run_looking(struct ts_job *job, void *local)
{
	struct gated *g = (struct gated *)job;

	(void)local;
	sem_post(&g->started);
	wait_gate(&g->gate);
	g->saw_cancel = ts_cancelled(&job->cancel);
}

static struct gated *
send_looking(int i, bool patient, bool behind)
{
	struct gated *g = &pool[i];

	g->job.run = run_looking;
	g->job.worker = TS_WORKER_BULK;
	g->job.kind = i;
	g->job.patient = patient;
	g->job.behind = behind;
	ts_jobs_send(jobs, &g->job);
	return g;
}

START_TEST(patient_jobs_rest)
{
	struct gated *patient = send_looking(0, true, false), *question;

	wait_gate(&patient->started);
	ts_jobs_rest(jobs, INT64_MAX);
	sem_post(&patient->gate);
	question = send_looking(1, false, false);
	sem_post(&question->gate);
	ck_assert_ptr_eq(receive(), question);
	ck_assert_ptr_null(ts_jobs_receive(jobs));
	ts_jobs_rest(jobs, 0);
	ck_assert_ptr_eq(receive(), patient);
	ck_assert(!patient->saw_cancel);
	/* not when they are to end */
	wait_gate(&send_looking(0, true, false)->started);
	ts_jobs_rest(jobs, INT64_MAX);
	sem_post(&patient->gate);
	ts_jobs_cancel(jobs, -1);
	ck_assert_ptr_eq(receive(), patient);
	ck_assert(patient->saw_cancel);
}
END_TEST

/* Not for ever: it holds a worker. */
START_TEST(what_comes_behind_rests_before_it_begins)
{
	enum { LEAST_US = 90000 };
	struct gated *patient, *behind, *question;
	int64_t from = ts_clock_us();

	for (int i = 0; i < 3; i++)
		sem_post(&pool[i].gate);
	ts_jobs_rest(jobs, INT64_MAX);
	patient = send_looking(0, true, false);
	behind = send_looking(1, false, true);
	question = send_looking(2, false, false);
	ck_assert_ptr_eq(receive(), question);
	ck_assert_ptr_eq(receive(), behind);
	ck_assert_int_ge(ts_clock_us() - from, LEAST_US);
	ck_assert_int_ne(sem_trywait(&patient->started), 0);
	ts_jobs_rest(jobs, 0);
	ck_assert_ptr_eq(receive(), patient);
	ck_assert(!patient->saw_cancel && !behind->saw_cancel);
}
END_TEST

/* Until it begins it waits, and nobody is told that it is under way. */
START_TEST(what_rests_waits_and_can_be_cancelled)
{
	const struct timespec nap = {.tv_nsec = 20000000};
	struct gated *patient = &pool[0];
	struct ts_job_info info;

	ts_jobs_rest(jobs, INT64_MAX);
	patient->job.what = "resting";
	sem_post(&patient->gate);
	send_looking(0, true, false);
	nanosleep(&nap, NULL); /* by now a worker has it, as a rule */
	ts_jobs_info(jobs, TS_WORKER_BULK, &info);
	ck_assert_ptr_null(info.what);
	ck_assert_int_eq(info.waiting, 1);
	ts_jobs_cancel(jobs, -1);
	ck_assert_ptr_eq(receive(), patient);
	ck_assert(patient->saw_cancel || patient->job.dropped);
}
END_TEST

START_TEST(ending_cancels_what_runs)
{
	pool[0].wait_for_cancel = pool[1].wait_for_cancel = true;
	send(0, TS_WORKER_SCREEN, 1, 1);
	send(1, TS_WORKER_BULK, 1, 1);
	wait_gate(&pool[0].started);
	wait_gate(&pool[1].started);
	for (int i = 10; i < 10 + POOL; i++) {
		pool[i].wait_for_cancel = true;
		send_patient(i, 1, i);
		wait_gate(&pool[i].started);
	}
	send(2, TS_WORKER_SCREEN, 1, 2);
	for (int i = 20; i < 23; i++)
		send_patient(i, 1, i);
	while (!ts_jobs_free(jobs, give_back))
		;
	jobs = NULL;
	ck_assert_int_eq(given_back, POOL + 6);
	ck_assert(pool[0].saw_cancel && pool[1].saw_cancel);
	ck_assert(pool[2].job.dropped);
	for (int i = 10; i < 10 + POOL; i++)
		ck_assert(pool[i].saw_cancel);
	ck_assert(pool[20].job.dropped && pool[21].job.dropped && pool[22].job.dropped);
	ck_assert_int_eq(atomic_load(&finis), (POOL + TS_QUESTIONS + 1) * 100 + POOL + 2);
}
END_TEST

START_TEST(ending_does_not_wait_for_the_deaf)
{
	struct gated *g = send(0, TS_WORKER_BULK, 1, 1);
	int64_t start;

	wait_gate(&g->started);
	start = ts_clock_us();
	ck_assert(!ts_jobs_free(jobs, give_back));
	ck_assert_int_ge(ts_clock_us() - start, 400000);
	ck_assert_int_eq(given_back, 0);
	/* nothing was freed: once it listens the queue can still be ended */
	sem_post(&g->gate);
	while (!ts_jobs_free(jobs, give_back))
		;
	jobs = NULL;
	ck_assert_int_eq(given_back, 1);
}
END_TEST

START_TEST(ending_at_once)
{
	end();
	ck_assert(ts_jobs_free(NULL, NULL));
	for (int i = 0; i < 50; i++) {
		begin();
		for (int k = 0; k < 4; k++)
			sem_post(&send(k, (enum ts_worker_id)(k % 2), 1, k)->gate);
		end();
		ck_assert_int_eq(given_back, 4);
	}
}
END_TEST

/* Everything at once, for the thread sanitizer. */
START_TEST(a_storm)
{
	int sent = 0, back = 0;
	bool out[JOBS_MAX] = {false};

	for (int i = 0; i < JOBS_MAX; i++)
		for (int k = 0; k < 200; k++)
			sem_post(&pool[i].gate);
	for (int round = 0; round < 5000; round++) {
		int i = round % JOBS_MAX;
		struct ts_job_info info;
		struct ts_job *job;

		if (!out[i]) {
			out[i] = true;
			pool[i].job.patient = i % 7 != 0;
			send(i, (enum ts_worker_id)(i % 2), i % 3, i % 5);
			sent++;
		}
		if (round % 37 == 0)
			ts_jobs_cancel(jobs, round % 4 - 1);
		if (round % 97 == 0)
			ts_jobs_forget(jobs, (enum ts_worker_id)(round % 2));
		ts_jobs_info(jobs, (enum ts_worker_id)(round % 2), &info);
		ts_jobs_worker(jobs, round % ts_jobs_workers(jobs), &info);
		while ((job = ts_jobs_receive(jobs))) {
			out[(struct gated *)job - pool] = false;
			back++;
		}
	}
	end();
	ck_assert_int_eq(back + given_back, sent);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("jobs");
	TCase *c = tcase_create("jobs");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 20);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, a_job_runs_and_comes_back);
	tcase_add_test(c, each_worker_has_memory_of_its_own);
	tcase_add_test(c, workers_forget_when_told);
	tcase_add_test(c, workers_do_not_wait_for_each_other);
	tcase_add_test(c, patient_jobs_run_side_by_side);
	tcase_add_test(c, questions_and_patient_jobs_do_not_wait_for_each_other);
	tcase_add_test(c, a_job_in_the_pool_is_cancelled_by_its_successor);
	tcase_add_test(c, a_waiting_job_is_replaced);
	tcase_add_test(c, what_waits_can_be_told);
	tcase_add_test(c, what_has_ended_waits_until_it_is_received);
	tcase_add_test(c, what_nobody_waits_for);
	tcase_add_test(c, a_replaced_last_job_leaves_a_sound_queue);
	tcase_add_test(c, a_running_job_is_cancelled_by_its_successor);
	tcase_add_test(c, an_owner_takes_its_jobs_back);
	tcase_add_test(c, a_job_can_be_sent_again);
	tcase_add_test(c, the_descriptor_tells_of_every_batch);
	tcase_add_test(c, what_a_worker_does_can_be_told);
	tcase_add_test(c, patient_jobs_rest);
	tcase_add_test(c, what_comes_behind_rests_before_it_begins);
	tcase_add_test(c, what_rests_waits_and_can_be_cancelled);
	tcase_add_test(c, ending_cancels_what_runs);
	tcase_add_test(c, ending_does_not_wait_for_the_deaf);
	tcase_add_test(c, ending_at_once);
	tcase_add_test(c, a_storm);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
