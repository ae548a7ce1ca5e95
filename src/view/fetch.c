/* SPDX-License-Identifier: MIT */
/* fetch - see the header. */
#include "config.h"

#include <stdlib.h>

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

static void
run(struct ts_job *job, void *local)
{
	struct ts_fetch *f = (struct ts_fetch *)job;
	struct ts_reader *rd;

	f->code = ts_fetch_reader(&rd, local, f->report, f->index, &job->cancel, &f->err);
	if (f->code)
		return;
	f->code = f->read(f, rd, &f->err);
	ts_reader_set_cancel(rd, NULL);
}

void
ts_fetch_send(struct ts_view *v, struct ts_fetch *f, int kind, enum ts_worker_id worker,
	const char *what)
{
	f->report = ts_report_hold(v->env->report);
	f->index = ts_index_hold(v->env->index);
	f->job.run = run;
	f->job.what = what;
	f->job.worker = worker;
	f->job.owner = v->id;
	f->job.kind = kind;
	f->job.generation = v->env->generation;
	ts_jobs_send(v->env->jobs, &f->job);
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
