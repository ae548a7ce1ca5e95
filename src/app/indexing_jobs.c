/* SPDX-License-Identifier: MIT */
/*
 * indexing_jobs - what the workers do for the index.
 *
 * A look maps what is there and plans what is missing in one go: figures wait for it, so it must not
 * stand in a queue twice. All else is patient work of the pool.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/fetch.h"

#include "indexing_internal.h"

/* --- a look ----------------------------------------------------------------------------------- */

static enum ts_code
make_cache(struct ts_indexing_job *j)
{
	enum ts_code code;

	if (j->cache)
		return TS_OK;
	j->cache = ts_alloc(1, sizeof(*j->cache));
	if (!j->cache)
		return ts_err_nomem(&j->err);
	code = ts_cache_init(j->cache, j->cache_option, j->cache_cap, &j->err);
	if (code) {
		free(j->cache);
		j->cache = NULL;
	}
	j->made = j->cache != NULL;
	return code;
}

/* What another program has built since `have` was made. */
static enum ts_code
open_more(struct ts_indexing_job *j)
{
	uint64_t missing = ~ts_index_sections(j->have);
	enum ts_code code = TS_OK;

	j->index = ts_index_hold(j->have);
	for (int s = 0; !code && s < TS_SECTION_COUNT; s++) {
		struct ts_index *more;

		if (!(missing & ts_section_bit(s)) || ts_section_is_order(s))
			continue;
		code = ts_index_with(&more, j->index, (enum ts_section)s, j->cache, j->report,
			&j->err);
		if (code)
			break;
		ts_index_release(j->index);
		j->index = more;
	}
	return code;
}

/* The build of what is missing; none when nothing is, or when somebody else is at it. */
static enum ts_code
plan(struct ts_indexing_job *j)
{
	enum ts_code code;

	if (!(j->wanted & ~ts_index_sections(j->index)))
		return TS_OK;
	code = ts_build_new(&j->build, &j->busy, j->report, j->cache, j->index, j->wanted, j->parts,
		&j->err);
	if (!j->build)
		return code;
	ts_index_release(j->index);
	j->index = ts_index_hold(ts_build_index(j->build));
	if (ts_build_stages(j->build) == 0) { /* it takes no time to free, and is not missed */
		ts_build_free(j->build);
		j->build = NULL;
	}
	return code;
}

static void
run_look(struct ts_job *job, void *local)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;

	(void)local;
	j->code = make_cache(j);
	if (j->code || !j->cache->dir)
		return;
	j->code = j->have
		? open_more(j)
		: ts_index_open(&j->index, j->cache, j->report, j->log, &job->cancel, &j->err);
	if (!j->code)
		j->code = plan(j);
}

/* --- a build ---------------------------------------------------------------------------------- */

static void
run_begin(struct ts_job *job, void *local)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;

	(void)local;
	j->code = ts_build_begin(j->build, j->stage, &j->err);
}

static void
run_part(struct ts_job *job, void *local)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;
	struct ts_reader *rd;

	j->code = ts_fetch_reader(&rd, local, j->report, j->have, &job->cancel, &j->err);
	if (j->code)
		return;
	j->code = ts_build_part(j->build, j->stage, j->part, rd, &job->progress, &j->err);
	ts_reader_set_cancel(rd, NULL);
}

static void
run_finish(struct ts_job *job, void *local)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;
	struct ts_reader *rd;

	j->code = ts_fetch_reader(&rd, local, j->report, j->have, &job->cancel, &j->err);
	if (j->code)
		return;
	j->code = ts_build_finish(&j->index, j->build, j->stage, rd, &job->progress, &j->err);
	ts_reader_set_cancel(rd, NULL);
}

static void
run_drop(struct ts_job *job, void *local)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;

	(void)local;
	ts_build_drop(j->build, j->stage);
}

static void
run_free(struct ts_job *job, void *local)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;

	(void)local;
	ts_build_free(j->build);
	j->build = NULL;
}

/* --- sending ---------------------------------------------------------------------------------- */

static const struct {
	void (*run)(struct ts_job *job, void *local);
	const char *what;	      /* the stage is put behind it */
	enum ts_indexing_state state; /* while it is under way */
} steps[] = {
	[TS_INDEXING_LOOK] = {run_look, "looking for the index", TS_INDEXING_LOOKING},
	[TS_INDEXING_BEGIN] = {run_begin, "index", TS_INDEXING_BEGINNING},
	[TS_INDEXING_FINISH] = {run_finish, "index, writing", TS_INDEXING_FINISHING},
	[TS_INDEXING_DROP] = {run_drop, "index, dropping", TS_INDEXING_DROPPING},
	[TS_INDEXING_FREE] = {run_free, "ending the index", TS_INDEXING_ENDING},
	[TS_INDEXING_PART] = {run_part, "index", TS_INDEXING_PARTS},
};

static struct ts_indexing_job *
new_job(struct ts_app *app, enum ts_indexing_kind kind, int part)
{
	struct ts_indexing *ix = &app->indexing;
	struct ts_indexing_job *j = ts_alloc(1, sizeof(*j));
	bool staged = ix->build && kind != TS_INDEXING_FREE;

	if (!j)
		return NULL;
	snprintf(j->what, sizeof(j->what), "%s%s%s", steps[kind].what, staged ? ": " : "",
		staged ? ts_build_what(ix->build, ix->stage) : "");
	j->job.run = steps[kind].run;
	j->job.what = j->what;
	j->job.worker = TS_WORKER_BULK;
	j->job.owner = TS_OWNER_INDEX;
	j->job.kind = (int)kind + part;
	/* figures wait for a look; not for what another program builds, and the pool has no other work then */
	j->job.patient = kind != TS_INDEXING_LOOK || ix->elsewhere;
	j->job.generation = ix->epoch;
	j->report = ts_report_hold(ix->build ? ix->report : app->env.report);
	j->have = ts_index_hold(ts_indexing_newest(app));
	j->cache_option = app->args->cache;
	j->cache_cap = app->options.cache;
	j->cache = ix->cache;
	j->log = app->log;
	j->wanted = ix->planned;
	j->parts = ts_jobs_pool(app->jobs);
	j->stage = ix->stage;
	j->part = part;
	j->build = ix->build;
	return j;
}

bool
ts_indexing_send(struct ts_app *app, enum ts_indexing_kind kind, int part)
{
	struct ts_indexing *ix = &app->indexing;
	struct ts_indexing_job *j = new_job(app, kind, part);

	if (!j) {
		ts_view_say_error(&app->env, "out of memory: no index");
		return false;
	}
	if (kind == TS_INDEXING_PART || kind == TS_INDEXING_FINISH)
		ix->part[part] = &j->job;
	ix->state = steps[kind].state;
	ix->under_way++;
	ts_jobs_send(app->jobs, &j->job);
	return true;
}

/* --- coming back ------------------------------------------------------------------------------ */

enum ts_indexing_kind
ts_indexing_kind_of(const struct ts_indexing_job *j)
{
	return j->job.kind < TS_INDEXING_PART ? (enum ts_indexing_kind)j->job.kind
					      : TS_INDEXING_PART;
}

void
ts_indexing_job_free(struct ts_indexing_job *j)
{
	ts_index_release(j->have);
	ts_index_release(j->index);
	ts_report_close(j->report);
	free(j);
}

void
ts_indexing_give_back(struct ts_job *job)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;

	/* what it has made nobody else knows; only one job of these kinds is ever under way */
	if (job->kind == TS_INDEXING_LOOK || job->kind == TS_INDEXING_FREE)
		ts_build_free(j->build);
	if (j->made) {
		ts_cache_fini(j->cache);
		free(j->cache);
	}
	ts_indexing_job_free(j);
}
