/* SPDX-License-Identifier: MIT */
/* fetch - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/report/index.h"
#include "tilescope/view/fetch.h"

void
ts_fetch_local_fini(void *local)
{
	struct ts_fetch_local *l = local;

	ts_reader_close(l->reader);
	ts_report_close(l->report);
	*l = (struct ts_fetch_local){0};
}

enum ts_code
ts_fetch_reader(struct ts_reader **rd, struct ts_fetch_local *l, struct ts_report *report,
	struct ts_index *index, const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*rd = NULL;
	if (l->report != report || !l->reader) {
		ts_fetch_local_fini(l);
		code = ts_reader_open(&l->reader, report, err);
		if (!code)
			l->report = ts_report_hold(report);
	}
	if (code)
		return code;
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
