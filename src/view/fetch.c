/* SPDX-License-Identifier: MIT */
/* fetch - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/report/index.h"
#include "tilescope/view/fetch.h"

/* In the worker: who reads the counters takes microseconds. */
static void
take(struct ts_fetch_local *l)
{
	while (atomic_exchange(&l->taken, true))
		;
}

static void
give(struct ts_fetch_local *l)
{
	atomic_store(&l->taken, false);
}

void
ts_fetch_local_fini(void *local)
{
	struct ts_fetch_local *l = local;
	struct ts_reader *old = l->reader;

	take(l);
	if (old)
		ts_reader_add_stats(&l->before, old);
	l->reader = NULL;
	give(l);
	ts_reader_close(old);
	ts_report_close(l->report);
	l->report = NULL;
}

static void
add_stats(struct ts_reader_stats *s, const struct ts_fetch_local *l)
{
	const struct ts_reader_stats *b = &l->before;

	s->page_hits += b->page_hits;
	s->page_misses += b->page_misses;
	s->bytes += b->bytes;
	s->reads += b->reads;
	s->statement_hits += b->statement_hits;
	s->statement_misses += b->statement_misses;
	ts_source_counts_add(&s->far, &b->far);
	if (l->reader)
		ts_reader_add_stats(s, l->reader);
}

bool
ts_fetch_stats(struct ts_reader_stats *s, const struct ts_jobs *jobs)
{
	struct ts_reader_stats sum = {0};

	for (int i = 0; i < ts_jobs_workers(jobs); i++) {
		struct ts_fetch_local *l = ts_jobs_local(jobs, i);

		if (atomic_exchange(&l->taken, true))
			return false;
		add_stats(&sum, l);
		give(l);
	}
	*s = sum;
	return true;
}

enum ts_code
ts_fetch_reader(struct ts_reader **rd, struct ts_fetch_local *l, struct ts_report *report,
	struct ts_index *index, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_reader *fresh;
	enum ts_code code;

	*rd = NULL;
	if (l->report != report || !l->reader) {
		ts_fetch_local_fini(l);
		code = ts_reader_open(&fresh, report, err);
		if (code)
			return code;
		take(l);
		l->reader = fresh;
		give(l);
		l->report = ts_report_hold(report);
	}
	ts_reader_set_cancel(l->reader, cancel);
	ts_reader_set_index(l->reader, index);
	*rd = l->reader;
	return TS_OK;
}

/* The entry of a question; NULL: there are too many. */
static struct ts_query_counts *
query_of(struct ts_query_counts *query, const char *what)
{
	for (int i = 0; i < TS_QUERIES; i++) {
		if (!query[i].what)
			query[i].what = what;
		if (strcmp(query[i].what, what) == 0)
			return &query[i];
	}
	return NULL;
}

static void
add_query(struct ts_query_counts *query, const struct ts_query_counts *more)
{
	struct ts_query_counts *q = query_of(query, more->what);

	if (!q)
		return;
	q->runs += more->runs;
	ts_source_counts_add(&q->far, &more->far);
}

bool
ts_fetch_queries(struct ts_query_counts query[TS_QUERIES], const struct ts_jobs *jobs)
{
	struct ts_query_counts sum[TS_QUERIES] = {0};

	for (int i = 0; i < ts_jobs_workers(jobs); i++) {
		struct ts_fetch_local *l = ts_jobs_local(jobs, i);

		if (atomic_exchange(&l->taken, true))
			return false;
		for (int k = 0; k < TS_QUERIES && l->query[k].what; k++)
			add_query(sum, &l->query[k]);
		give(l);
	}
	memcpy(query, sum, sizeof(sum));
	return true;
}

/* In the worker: what a question has taken of a report on another host. */
static void
count_query(struct ts_fetch_local *l, const char *what, const struct ts_source_counts *before)
{
	struct ts_query_counts q = {.what = what, .runs = 1};
	struct ts_reader_stats s = {0};

	ts_reader_add_stats(&s, l->reader);
	q.far = (struct ts_source_counts){s.far.trips - before->trips,
		s.far.requests - before->requests, s.far.bytes - before->bytes,
		s.far.hits - before->hits, s.far.misses - before->misses,
		s.far.kept - before->kept};
	take(l);
	add_query(l->query, &q);
	give(l);
}

static void
run(struct ts_job *job, void *local)
{
	struct ts_fetch *f = (struct ts_fetch *)job;
	struct ts_reader_stats before = {0};
	struct ts_reader *rd;

	if (job->behind && ts_cancelled(&job->cancel)) {
		f->code = ts_err_set(&f->err, TS_E_CANCELLED, "cancelled");
		return;
	}
	f->code = ts_fetch_reader(&rd, local, f->report, f->index, &job->cancel, &f->err);
	if (f->code)
		return;
	ts_reader_add_stats(&before, rd);
	f->code = f->read(f, rd, &f->err);
	ts_reader_set_cancel(rd, NULL);
	if (f->report->files)
		count_query(local, job->what, &before.far);
}

void
ts_fetch_begin(struct ts_jobs *jobs, struct ts_fetch *f, int owner, int kind,
	enum ts_worker_id worker, const char *what)
{
	f->job.run = run;
	f->job.what = what;
	f->job.worker = worker;
	f->job.owner = owner;
	f->job.kind = kind;
	ts_jobs_send(jobs, &f->job);
}

void
ts_fetch_send(struct ts_view *v, struct ts_fetch *f, int kind, enum ts_worker_id worker,
	const char *what)
{
	f->report = ts_report_hold(v->env->report);
	f->index = ts_index_hold(v->env->index);
	f->job.generation = v->env->generation;
	ts_fetch_begin(v->env->jobs, f, v->id, kind, worker, what);
}

void
ts_fetch_free(struct ts_fetch *f)
{
	if (!f)
		return;
	if (f->fini)
		f->fini(f);
	ts_report_close(f->report);
	ts_index_release(f->index);
	free(f);
}

bool
ts_fetch_in_vain(const struct ts_fetch *f, uint64_t generation)
{
	return f->job.dropped || f->job.generation != generation || f->code == TS_E_CANCELLED;
}
