/* SPDX-License-Identifier: MIT */
/*
 * indexing - see the header.
 *
 * A state machine that is moved by the jobs that come back: each kind of job has a function that says
 * what comes next. Whatever ends a build early (the user, another report, an error) goes through one
 * state, ENDING: all jobs are cancelled and waited for before the build is freed, and only then does
 * anything new begin, so that there is never more than one build and one lock.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/fetch.h"

enum { BUSY_US = 1000000, SOON_US = 30000000, CORE = (1 << TS_SECTION_LIVES) - 1 };

enum kind {
	KIND_OPEN,
	KIND_PLAN,
	KIND_BEGIN,
	KIND_FINISH,
	KIND_DROP,
	KIND_FREE,
	KIND_PART, /* + number: the last */
};

struct index_job {
	struct ts_job job;
	struct ts_report *report; /* held */
	struct ts_index *have;	  /* held; or NULL */
	const char *cache_option;
	int64_t cache_cap;
	struct ts_cache *cache; /* lent; made when NULL, then the job's until it is taken */
	bool made;
	struct ts_log *log;
	unsigned wanted;
	int parts, stage, part;
	struct ts_build *build; /* lent; made by KIND_PLAN; taken by KIND_FREE */
	struct ts_index *index; /* the result, or NULL */
	bool busy;
	char what[48];
	enum ts_code code;
	struct ts_err err;
};

/* --- in the workers --------------------------------------------------------------------------- */

/* What another program has built since `have` was made. */
static enum ts_code
open_more(struct index_job *j)
{
	struct ts_index *now = ts_index_hold(j->have), *more;
	size_t size;

	for (int s = 0; !j->code && s < TS_SECTION_COUNT; s++) {
		if (ts_index_section(now, (enum ts_section)s, &size))
			continue;
		j->code = ts_index_with(&more, now, (enum ts_section)s, j->cache, j->report,
			&j->err);
		if (j->code)
			break;
		ts_index_release(now);
		now = more;
	}
	j->index = now;
	return j->code;
}

static void
run_open(struct ts_job *job, void *local)
{
	struct index_job *j = (struct index_job *)job;

	(void)local;
	if (!j->cache) {
		j->cache = ts_alloc(1, sizeof(*j->cache));
		j->code = j->cache ? ts_cache_init(j->cache, j->cache_option, j->cache_cap, &j->err)
				   : ts_err_nomem(&j->err);
		if (j->code) {
			free(j->cache);
			j->cache = NULL;
		}
		j->made = j->cache != NULL;
	}
	if (!j->code && j->cache->dir && j->have)
		j->code = open_more(j);
	else if (!j->code && j->cache->dir)
		j->code = ts_index_open(&j->index, j->cache, j->report, j->log, &job->cancel,
			&j->err);
}

static void
run_plan(struct ts_job *job, void *local)
{
	struct index_job *j = (struct index_job *)job;

	(void)local;
	j->code = ts_build_new(&j->build, &j->busy, j->report, j->cache, j->have, j->wanted,
		j->parts, &j->err);
}

static void
run_begin(struct ts_job *job, void *local)
{
	struct index_job *j = (struct index_job *)job;

	(void)local;
	j->code = ts_build_begin(j->build, j->stage, &j->err);
}

static void
run_part(struct ts_job *job, void *local)
{
	struct index_job *j = (struct index_job *)job;
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
	struct index_job *j = (struct index_job *)job;
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
	struct index_job *j = (struct index_job *)job;

	(void)local;
	ts_build_drop(j->build, j->stage);
}

static void
run_free(struct ts_job *job, void *local)
{
	struct index_job *j = (struct index_job *)job;

	(void)local;
	ts_build_free(j->build);
	j->build = NULL;
}

static const struct {
	void (*run)(struct ts_job *job, void *local);
	const char *what;	      /* the stage is put behind it */
	enum ts_indexing_state state; /* while it is under way */
} steps[] = {
	[KIND_OPEN] = {run_open, "looking for the index", TS_INDEXING_OPENING},
	[KIND_PLAN] = {run_plan, "looking what the index lacks", TS_INDEXING_PLANNING},
	[KIND_BEGIN] = {run_begin, "index", TS_INDEXING_BEGIN},
	[KIND_FINISH] = {run_finish, "index, writing", TS_INDEXING_FINISH},
	[KIND_DROP] = {run_drop, "index, dropping", TS_INDEXING_DROP},
	[KIND_FREE] = {run_free, "ending the index", TS_INDEXING_ENDING},
	[KIND_PART] = {run_part, "index", TS_INDEXING_PARTS},
};

/* --- sending ---------------------------------------------------------------------------------- */

static void end_build(struct ts_app *app, enum ts_indexing_state then);

static void
job_free(struct index_job *j)
{
	ts_index_release(j->have);
	ts_index_release(j->index);
	ts_report_close(j->report);
	free(j);
}

/* Send a job of this kind; without memory the build ends. */
static bool
send(struct ts_app *app, enum kind kind, int part)
{
	struct ts_indexing *ix = &app->indexing;
	struct index_job *j = ts_alloc(1, sizeof(*j));
	bool staged = ix->build && kind != KIND_FREE;

	if (!j) {
		ts_view_say_error(&app->env, "out of memory: no index");
		return false;
	}
	j->job.run = steps[kind].run;
	snprintf(j->what, sizeof(j->what), "%s%s%s", steps[kind].what, staged ? ": " : "",
		staged ? ts_build_what(ix->build, ix->stage) : "");
	j->job.what = j->what;
	j->job.worker = TS_WORKER_BULK;
	j->job.owner = TS_OWNER_INDEX;
	j->job.kind = (int)kind + part;
	/* a look at what there is takes milliseconds, and figures wait for it */
	j->job.patient = kind != KIND_OPEN && kind != KIND_PLAN;
	j->job.generation = ix->epoch;
	j->report = ts_report_hold(ix->build ? ix->report : app->env.report);
	j->have = ts_index_hold(app->env.index);
	j->cache_option = app->args->cache;
	j->cache_cap = app->options.cache;
	j->cache = ix->cache;
	j->log = app->log;
	j->wanted = ix->planned;
	j->parts = ts_jobs_pool(app->jobs);
	j->stage = ix->stage;
	j->part = part;
	j->build = ix->build;
	if (kind == KIND_PART || kind == KIND_FINISH)
		ix->part[part] = &j->job;
	ix->state = steps[kind].state;
	ix->under_way++;
	ts_jobs_send(app->jobs, &j->job);
	return true;
}

static void
send_or_end(struct ts_app *app, enum kind kind)
{
	if (!send(app, kind, 0))
		end_build(app, TS_INDEXING_STOPPED);
}

/* Say it once: in the log always, in the bottom line when there is room. */
static void
complain(struct ts_app *app, const char *what, const char *why)
{
	struct ts_indexing *ix = &app->indexing;
	char text[TS_ERR_MSG];

	snprintf(text, sizeof(text), "index: %.100s%s%.380s", what, *what ? ": " : "", why);
	if (strcmp(text, ix->told) == 0)
		return;
	snprintf(ix->told, sizeof(ix->told), "%s", text);
	ts_log_add(app->log, "%s", text);
	if (!app->env.message[0])
		ts_view_say(&app->env, "%s", text);
}

/* --- ending ----------------------------------------------------------------------------------- */

/* All jobs are back: free the build in a worker, then go on with what comes after it. */
static void
ended(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	if (ix->build && send(app, KIND_FREE, 0)) {
		ix->build = NULL; /* the job's */
		ts_report_close(ix->report);
		ix->report = NULL;
		return;
	}
	if (ix->build) { /* no memory for a job: then here */
		ts_build_free(ix->build);
		ix->build = NULL;
		ts_report_close(ix->report);
		ix->report = NULL;
	}
	ix->state = ix->then;
	ts_jobs_forget(app->jobs, TS_WORKER_BULK);
	ts_indexing_tick(app, ts_clock_us());
	app->dirty = true;
}

static void
end_build(struct ts_app *app, enum ts_indexing_state then)
{
	struct ts_indexing *ix = &app->indexing;
	bool freeing = ix->state == TS_INDEXING_ENDING && !ix->build && ix->under_way > 0;

	ix->state = TS_INDEXING_ENDING;
	ix->then = then;
	ix->look_at_us = 0;
	if (freeing)
		return; /* that job must not be cancelled: it has the build, and the lock */
	if (ix->under_way > 0)
		ts_jobs_cancel(app->jobs, TS_OWNER_INDEX);
	else
		ended(app);
}

/* --- what comes next -------------------------------------------------------------------------- */

/* A larger index: the views ask again for what it makes exact. */
static void
adopt(struct ts_app *app, struct ts_index *index)
{
	struct ts_view *v;

	ts_index_release(app->env.index);
	app->env.index = index;
	for (int i = 0; i < TS_VIEW_COUNT; i++)
		if (app->view[i] && app->view[i]->ops->indexed)
			app->view[i]->ops->indexed(app->view[i]);
	v = app->view[app->current];
	if (v && v->ops->request && app->env.report)
		v->ops->request(v);
	app->dirty = true;
}

/* The report is another one than was planned for: nothing of this build is worth anything. */
static void
stale(struct ts_app *app)
{
	ts_log_add(app->log, "index: the report has changed while it was being built");
	end_build(app, TS_INDEXING_STOPPED);
	ts_app_look(app);
}

static void
fail_stage(struct ts_app *app, const char *why)
{
	struct ts_indexing *ix = &app->indexing;
	unsigned sections = ts_build_sections(ix->build, ix->stage);

	ix->failed |= sections;
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		if (sections & 1u << s)
			snprintf(ix->status.section[s].reason, TS_STATUS_REASON, "%.*s",
				TS_STATUS_REASON - 1, why);
	complain(app, ts_build_what(ix->build, ix->stage), why);
}

static void
begin_stage(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	ix->bad = false;
	ix->ended_rows = 0;
	ix->stage_us = ts_clock_us();
	if (ix->stage < ts_build_stages(ix->build))
		send_or_end(app, KIND_BEGIN);
	else
		end_build(app, TS_INDEXING_DONE);
}

static void
plan(struct ts_app *app)
{
	app->indexing.planned = CORE | app->env.wanted;
	send_or_end(app, KIND_PLAN);
}

static void
after_open(struct ts_app *app, struct index_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	if (j->code) {
		complain(app, "", j->err.msg);
		end_build(app, TS_INDEXING_STOPPED);
	} else if (!ix->cache->dir) {
		if (!app->args->cache || strcmp(app->args->cache, "none") != 0)
			complain(app, "none is kept", ix->cache->why);
		end_build(app, TS_INDEXING_OFF);
	} else {
		plan(app);
	}
}

static void
after_plan(struct ts_app *app, struct index_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	if (j->code) {
		complain(app, "", j->err.msg);
		end_build(app, TS_INDEXING_STOPPED);
	} else if (j->busy) {
		ix->state = TS_INDEXING_BUSY;
		ix->look_at_us = ts_clock_us() + BUSY_US;
	} else {
		ix->stage = 0;
		begin_stage(app);
	}
}

static void
after_begin(struct ts_app *app, struct index_job *j)
{
	struct ts_indexing *ix = &app->indexing;
	int parts = ts_build_parts(ix->build, ix->stage);

	if (j->code) {
		fail_stage(app, j->err.msg);
		send_or_end(app, KIND_DROP);
		return;
	}
	for (int i = 0; i < parts && i < TS_PASS_PARTS; i++)
		if (!send(app, KIND_PART, i)) {
			end_build(app, TS_INDEXING_STOPPED);
			return;
		}
}

static void
after_part(struct ts_app *app, struct index_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	ix->ended_rows += j->job.progress.done;
	if (j->code && !ix->bad) {
		ix->bad = true;
		fail_stage(app, j->err.msg);
		ts_jobs_cancel(app->jobs, TS_OWNER_INDEX); /* its siblings */
	}
	if (ix->under_way > 0)
		return;
	send_or_end(app, ix->bad ? KIND_DROP : KIND_FINISH);
}

static void
after_finish(struct ts_app *app, struct index_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	if (j->code) {
		fail_stage(app, j->err.msg);
		send_or_end(app, KIND_DROP);
		return;
	}
	ts_log_add(app->log, "index: %s built in %.1f s", ts_build_what(ix->build, ix->stage),
		(double)(ts_clock_us() - ix->stage_us) / 1e6);
	ix->stage++;
	begin_stage(app);
}

static void
after_drop(struct ts_app *app, struct index_job *j)
{
	(void)j;
	app->indexing.stage++;
	begin_stage(app);
}

static void (*const after[])(struct ts_app *app, struct index_job *j) = {
	[KIND_OPEN] = after_open,
	[KIND_PLAN] = after_plan,
	[KIND_BEGIN] = after_begin,
	[KIND_FINISH] = after_finish,
	[KIND_DROP] = after_drop,
	[KIND_FREE] = NULL,
	[KIND_PART] = after_part,
};

/* What the job has made is ours now, whatever comes next. */
static void
take_results(struct ts_app *app, struct index_job *j, enum kind kind)
{
	struct ts_indexing *ix = &app->indexing;

	if (j->made) {
		ix->cache = j->cache;
		app->env.cache = ix->cache;
		j->made = false;
	}
	if (kind == KIND_PLAN && j->build) {
		ix->build = j->build;
		ix->report = ts_report_hold(j->report);
		j->index = ts_index_hold(ts_build_index(j->build));
	}
	if (j->index && j->job.generation == ix->epoch &&
		ts_index_sections(j->index) != ts_index_sections(app->env.index)) {
		adopt(app, j->index);
		j->index = NULL;
	}
}

void
ts_indexing_take(struct ts_app *app, struct ts_job *job)
{
	struct index_job *j = (struct index_job *)job;
	struct ts_indexing *ix = &app->indexing;
	enum kind kind = job->kind < KIND_PART ? (enum kind)job->kind : KIND_PART;

	ix->under_way--;
	if (kind == KIND_PART || kind == KIND_FINISH)
		ix->part[j->part] = NULL;
	if (job->dropped)
		j->code = TS_E_CANCELLED;
	take_results(app, j, kind);
	if (ix->state == TS_INDEXING_ENDING) {
		if (ix->under_way == 0)
			ended(app);
	} else if (j->code == TS_E_CANCELLED && !(kind == KIND_PART && ix->bad)) {
		end_build(app, TS_INDEXING_STOPPED);
	} else if (j->code == TS_E_STALE) {
		stale(app);
	} else {
		after[kind](app, j);
	}
	job_free(j);
}

void
ts_indexing_give_back(struct ts_job *job)
{
	struct index_job *j = (struct index_job *)job;

	/* what it has made nobody else knows; only one job of these kinds is ever under way */
	if (j->job.kind == KIND_PLAN || j->job.kind == KIND_FREE)
		ts_build_free(j->build);
	if (j->made) {
		ts_cache_fini(j->cache);
		free(j->cache);
	}
	job_free(j);
}

/* --- begin, stop, another report -------------------------------------------------------------- */

void
ts_indexing_begin(struct ts_app *app)
{
	app->indexing.status.resident = -1;
	app->env.indexing = &app->indexing.status;
}

void
ts_indexing_end(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	ts_build_free(ix->build);
	ts_report_close(ix->report);
	ts_index_release(app->env.index);
	app->env.index = NULL;
	if (ix->cache)
		ts_cache_fini(ix->cache);
	free(ix->cache);
	*ix = (struct ts_indexing){0};
}

/* To another state, through ENDING when there is something to end. */
static void
become(struct ts_app *app, enum ts_indexing_state state)
{
	struct ts_indexing *ix = &app->indexing;

	if (ix->under_way > 0 || ix->build)
		end_build(app, state);
	else
		ix->state = state;
	ix->look_at_us = 0;
}

/* Tell the views what is worth waiting for. */
static void
set_coming(struct ts_app *app)
{
	const struct ts_indexing *ix = &app->indexing;
	bool slow = ts_indexing_left(ix, ts_clock_us()) > SOON_US;
	bool comes = ix->state == TS_INDEXING_WAITING ||
		(ts_indexing_is_building(app) && ix->state != TS_INDEXING_BUSY && !slow);

	app->env.coming = comes
		? (CORE | app->env.wanted) & ~ix->failed & ~ts_index_sections(app->env.index)
		: 0;
}

static void
restart(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;
	const struct ts_report *r = app->env.report;
	bool nowhere = ix->cache && !ix->cache->dir;

	if (!app->options.index || !r || r->being_written || nowhere) {
		become(app, TS_INDEXING_OFF);
		return;
	}
	if (ts_indexing_is_building(app) || ix->state == TS_INDEXING_WAITING)
		return;
	ix->failed = 0;
	become(app, TS_INDEXING_WAITING);
}

void
ts_indexing_restart(struct ts_app *app)
{
	restart(app);
	set_coming(app);
}

const char *
ts_indexing_start(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	if (ts_indexing_is_building(app))
		return "the index is being built";
	app->options.index = true;
	ts_indexing_restart(app);
	if (ix->state == TS_INDEXING_OFF && ix->cache && ix->cache->why[0])
		return ix->cache->why;
	return ix->state == TS_INDEXING_OFF ? "no index is built now" : "building the index";
}

void
ts_indexing_let_go(struct ts_app *app, bool all)
{
	struct ts_indexing *ix = &app->indexing;

	ix->epoch++;
	become(app, TS_INDEXING_OFF);
	if (!all)
		return;
	ts_index_release(app->env.index);
	app->env.index = NULL;
	app->env.wanted = 0;
	ix->failed = 0;
}

bool
ts_indexing_is_building(const struct ts_app *app)
{
	enum ts_indexing_state s = app->indexing.state;

	return s >= TS_INDEXING_OPENING && s < TS_INDEXING_ENDING;
}

bool
ts_indexing_stop(struct ts_app *app)
{
	if (!ts_indexing_is_building(app) && app->indexing.state != TS_INDEXING_WAITING)
		return false;
	become(app, TS_INDEXING_STOPPED);
	return true;
}

void
ts_indexing_drawn(struct ts_app *app)
{
	if (app->indexing.state == TS_INDEXING_WAITING && app->env.report)
		send_or_end(app, KIND_OPEN);
}

/* A section that a view waits for does not come after all: let it ask the rows. */
static void
tell_lost(struct ts_app *app, unsigned before)
{
	struct ts_view *v = app->view[app->current];

	if (!(before & ~app->env.coming & ~ts_index_sections(app->env.index)))
		return;
	if (v && v->ops->request && app->env.report)
		v->ops->request(v);
	app->dirty = true;
}

void
ts_indexing_turn(struct ts_app *app, int64_t now)
{
	struct ts_indexing *ix = &app->indexing;
	unsigned before = app->env.coming;
	unsigned lacks = app->env.wanted & ~ix->planned & ~ts_index_sections(app->env.index);

	if (ix->look_at_us && now >= ix->look_at_us) {
		ix->look_at_us = 0;
		send_or_end(app, KIND_OPEN);
	} else if (ix->state == TS_INDEXING_DONE && lacks) {
		plan(app);
	}
	set_coming(app);
	tell_lost(app, before);
}
