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

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"

#include "indexing_internal.h"

/* Beside the sections that are promised. */
#define LOOKING (UINT64_C(1) << 63)

enum {
	BUSY_US = 1000000,
	SOON_US = 30000000,
	FRESH_US = 5000000, /* who types without end sees what was built so late */
	CORE = (1 << TS_SECTION_LIVES) - 1,
};

static void end_build(struct ts_app *app, enum ts_indexing_state then);

static void
send_or_end(struct ts_app *app, enum ts_indexing_kind kind)
{
	if (!ts_indexing_send(app, kind, 0))
		end_build(app, TS_INDEXING_STOPPED);
}

bool
ts_indexing_is_offered(const struct ts_app *app)
{
	return app->env.report && app->env.report->files && !app->indexing.asked;
}

static void
look(struct ts_app *app)
{
	/* what has failed once is not tried again until somebody asks, or the report is read anew */
	app->indexing.planned = ts_indexing_is_offered(app)
		? 0
		: (CORE | app->env.wanted) & ~app->indexing.failed;
	send_or_end(app, TS_INDEXING_LOOK);
}

/* Who has asked for it is told that it is there. */
static void
tell_done(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	if (!ix->tell)
		return;
	ix->tell = false;
	ts_view_say(&app->env, "the index is there%s",
		ix->failed ? ", but for what could not be built (M shows why)" : "");
	ts_log_add(app->log, "%s", app->env.message);
	app->dirty = true;
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

	if (ix->build) {
		bool sent = ts_indexing_send(app, TS_INDEXING_FREE, 0);

		if (!sent) /* no memory for a job: then here */
			ts_build_free(ix->build);
		ix->build = NULL; /* the job's */
		ts_report_close(ix->report);
		ix->report = NULL;
		if (sent)
			return;
	}
	ts_jobs_forget(app->jobs, TS_WORKER_BULK);
	if (ix->then == TS_INDEXING_LOOKING && app->env.report) {
		ix->then = TS_INDEXING_STOPPED;
		look(app);
	} else {
		ix->state = ix->then;
	}
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
	ix->elsewhere = false;
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
	ts_index_release(app->indexing.fresh);
	app->indexing.fresh = NULL;
	app->env.index = index;
	app->env.coming &= ~ts_index_sections(index);
	for (int i = 0; i < TS_VIEW_COUNT; i++)
		if (app->view[i] && app->view[i]->ops->indexed)
			app->view[i]->ops->indexed(app->view[i]);
	v = app->view[app->current];
	if (v && v->ops->request && app->env.report)
		v->ops->request(v);
	app->dirty = true;
}

struct ts_index *
ts_indexing_newest(const struct ts_app *app)
{
	return app->indexing.fresh ? app->indexing.fresh : app->env.index;
}

/* When the views get what is fresh: not in the midst of what somebody does. */
static int64_t
adopt_at(const struct ts_app *app)
{
	return ts_min_i64(app->key_us + TS_CALM_US, app->indexing.fresh_us + FRESH_US);
}

/* What was built can wait for calm; what was there already somebody waits for. */
static void
offer(struct ts_app *app, struct ts_index *index, bool built)
{
	struct ts_indexing *ix = &app->indexing;
	int64_t now = ts_clock_us();

	if (!ix->fresh)
		ix->fresh_us = now;
	if (!built || now >= adopt_at(app)) {
		adopt(app, index);
		return;
	}
	ts_index_release(ix->fresh);
	ix->fresh = index;
}

/* The report is another one than was planned for: nothing of this build is worth anything. */
static void
stale(struct ts_app *app)
{
	ts_log_add(app->log, "index: the report has changed while it was being built");
	end_build(app, TS_INDEXING_STOPPED);
	ts_app_watch_look(app);
}

static void
fail_stage(struct ts_app *app, const char *why)
{
	struct ts_indexing *ix = &app->indexing;
	uint64_t sections = ts_build_sections(ix->build, ix->stage);

	ix->failed |= sections;
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		if (sections & ts_section_bit(s))
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
	if (ix->stage < ts_build_stages(ix->build)) {
		send_or_end(app, TS_INDEXING_BEGIN);
		return;
	}
	end_build(app, TS_INDEXING_DONE);
	tell_done(app);
}

/* The first stage, as soon as there is a frame of the report. */
static void
begin_build(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	if (!ix->drawn) {
		ix->state = TS_INDEXING_WAITING;
		return;
	}
	ix->stage = 0;
	ix->build_us = ts_clock_us();
	ix->percent = 0;
	ix->left_s = -1;
	begin_stage(app);
}

/* Reading all of a far report is asked for, not begun. */
static void
offer_build(struct ts_app *app)
{
	if (ts_indexing_is_offered(app) && !ts_index_sections(ts_indexing_newest(app)) &&
		!app->env.message[0])
		ts_view_say(&app->env,
			"of another host: some figures are sampled until :index reads all of it");
}

static void
after_look(struct ts_app *app, struct ts_indexing_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	ix->elsewhere = !j->code && j->busy;
	if (j->code) {
		complain(app, "", j->err.msg);
		end_build(app, TS_INDEXING_STOPPED);
	} else if (!ix->cache->dir) {
		if (!app->args->cache || strcmp(app->args->cache, "none") != 0)
			complain(app, "none is kept", ix->cache->why);
		end_build(app, TS_INDEXING_OFF);
	} else if (j->busy) {
		ix->state = TS_INDEXING_BUSY;
		ix->look_at_us = ts_clock_us() + BUSY_US;
	} else if (ix->build) {
		begin_build(app);
	} else {
		offer_build(app);
		end_build(app, TS_INDEXING_DONE);
		tell_done(app);
	}
	app->dirty = true;
}

static void
after_begin(struct ts_app *app, struct ts_indexing_job *j)
{
	struct ts_indexing *ix = &app->indexing;
	int parts = ts_build_parts(ix->build, ix->stage);

	if (j->code) {
		fail_stage(app, j->err.msg);
		send_or_end(app, TS_INDEXING_DROP);
		return;
	}
	for (int i = 0; i < parts && i < TS_PASS_PARTS; i++)
		if (!ts_indexing_send(app, TS_INDEXING_PART, i)) {
			end_build(app, TS_INDEXING_STOPPED);
			return;
		}
}

static void
after_part(struct ts_app *app, struct ts_indexing_job *j)
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
	send_or_end(app, ix->bad ? TS_INDEXING_DROP : TS_INDEXING_FINISH);
}

static void
after_finish(struct ts_app *app, struct ts_indexing_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	if (j->code) {
		fail_stage(app, j->err.msg);
		send_or_end(app, TS_INDEXING_DROP);
		return;
	}
	ts_log_add(app->log, "index: %s built in %.1f s", ts_build_what(ix->build, ix->stage),
		(double)(ts_clock_us() - ix->stage_us) / 1e6);
	ix->stage++;
	begin_stage(app);
}

static void
after_drop(struct ts_app *app, struct ts_indexing_job *j)
{
	(void)j;
	app->indexing.stage++;
	begin_stage(app);
}

static void (*const after[])(struct ts_app *app, struct ts_indexing_job *j) = {
	[TS_INDEXING_LOOK] = after_look,
	[TS_INDEXING_BEGIN] = after_begin,
	[TS_INDEXING_FINISH] = after_finish,
	[TS_INDEXING_DROP] = after_drop,
	[TS_INDEXING_FREE] = NULL,
	[TS_INDEXING_PART] = after_part,
};

/* What the job has made is ours now, whatever comes next. */
static void
take_results(struct ts_app *app, struct ts_indexing_job *j)
{
	struct ts_indexing *ix = &app->indexing;

	if (j->made) {
		ix->cache = j->cache;
		app->env.cache = ix->cache;
		j->made = false;
	}
	if (ts_indexing_kind_of(j) == TS_INDEXING_LOOK && j->build) {
		ix->build = j->build;
		ix->report = ts_report_hold(j->report);
	}
	if (j->index && j->job.generation == ix->epoch &&
		ts_index_sections(j->index) != ts_index_sections(ts_indexing_newest(app))) {
		offer(app, j->index, ts_indexing_kind_of(j) == TS_INDEXING_FINISH);
		j->index = NULL;
	}
}

void
ts_indexing_take(struct ts_app *app, struct ts_job *job)
{
	struct ts_indexing_job *j = (struct ts_indexing_job *)job;
	struct ts_indexing *ix = &app->indexing;
	enum ts_indexing_kind kind = ts_indexing_kind_of(j);

	ix->under_way--;
	if (kind == TS_INDEXING_PART || kind == TS_INDEXING_FINISH)
		ix->part[j->part] = NULL;
	if (job->dropped)
		j->code = TS_E_CANCELLED;
	take_results(app, j);
	if (ix->state == TS_INDEXING_ENDING) {
		if (ix->under_way == 0)
			ended(app);
	} else if (j->code == TS_E_CANCELLED && !(kind == TS_INDEXING_PART && ix->bad)) {
		end_build(app, TS_INDEXING_STOPPED);
	} else if (j->code == TS_E_STALE) {
		stale(app);
	} else {
		after[kind](app, j);
	}
	ts_indexing_job_free(j);
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
	ts_index_release(ix->fresh);
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

/* Is it about to be known what there is? */
static bool
is_looking(const struct ts_indexing *ix)
{
	if (ix->state == TS_INDEXING_ENDING)
		return ix->then == TS_INDEXING_LOOKING;
	return ix->state == TS_INDEXING_LOOKING && !ix->elsewhere;
}

/* Sections that a build under way is still going to make. */
static uint64_t
to_build(const struct ts_indexing *ix)
{
	uint64_t bits = 0;

	for (int i = ix->state == TS_INDEXING_WAITING ? 0 : ix->stage;
		i < ts_build_stages(ix->build); i++)
		bits |= ts_build_sections(ix->build, i);
	return bits;
}

/* What views find when they look now. */
static uint64_t
promise(const struct ts_app *app)
{
	return app->env.coming | (app->env.looking ? LOOKING : 0);
}

/* What is worth waiting for. Views that wait for what does not come are told in ts_indexing_turn(). */
static void
set_coming(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;
	uint64_t coming = 0;

	ix->promised |= promise(app); /* somebody may have looked since the last turn */
	app->env.looking = is_looking(ix);
	if (app->env.looking)
		coming = CORE | app->env.wanted;
	else if (ix->build && ix->state != TS_INDEXING_ENDING &&
		ts_indexing_left(ix, ts_clock_us()) <= SOON_US)
		coming = to_build(ix);
	coming |= ts_index_sections(ix->fresh);
	app->env.coming = coming & ~ix->failed & ~ts_index_sections(app->env.index);
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
	if (ts_indexing_is_building(app))
		return;
	ix->failed = 0;
	if (ix->under_way > 0 || ix->build)
		end_build(app, TS_INDEXING_LOOKING);
	else
		look(app);
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
		return "the index is being built (:index stop ends that)";
	if (ix->state == TS_INDEXING_DONE && !ix->failed && !ts_indexing_is_offered(app))
		return "the index is complete";
	app->options.index = ix->asked = ix->tell = true;
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
	ts_index_release(ix->fresh);
	app->env.index = ix->fresh = NULL;
	app->env.wanted = 0;
	ix->failed = 0;
	ix->asked = ix->tell = false;
}

bool
ts_indexing_is_building(const struct ts_app *app)
{
	enum ts_indexing_state s = app->indexing.state;

	return s >= TS_INDEXING_LOOKING && s < TS_INDEXING_ENDING;
}

bool
ts_indexing_stop(struct ts_app *app)
{
	if (!ts_indexing_is_building(app))
		return false;
	app->indexing.tell = false;
	become(app, TS_INDEXING_STOPPED);
	return true;
}

void
ts_indexing_drawn(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;

	ix->drawn |= app->env.report != NULL;
	if (ix->state == TS_INDEXING_WAITING && ix->drawn)
		begin_build(app);
}

/* A section that views wait for does not come after all: let them ask the rows. */
static void
tell_lost(struct ts_app *app)
{
	struct ts_view *v = app->view[app->current];
	uint64_t lost = app->indexing.promised & ~promise(app) & ~ts_index_sections(app->env.index);

	app->indexing.promised = 0;
	if (!lost)
		return;
	if (v && v->ops->request && app->env.report)
		v->ops->request(v);
	app->dirty = true;
}

void
ts_indexing_turn(struct ts_app *app, int64_t now)
{
	struct ts_indexing *ix = &app->indexing;
	uint64_t lacks = app->env.wanted & ~ix->planned & ~ix->failed &
		~ts_index_sections(ts_indexing_newest(app));

	if (ix->fresh && now >= adopt_at(app)) {
		struct ts_index *fresh = ix->fresh;

		ix->fresh = NULL;
		adopt(app, fresh);
	}
	if (ix->look_at_us && now >= ix->look_at_us) {
		ix->look_at_us = 0;
		look(app);
	} else if (ix->state == TS_INDEXING_DONE && lacks && !ts_indexing_is_offered(app)) {
		look(app);
	}
	set_coming(app);
	tell_lost(app);
}

int64_t
ts_indexing_next(const struct ts_app *app)
{
	const struct ts_indexing *ix = &app->indexing;
	int64_t look = ix->look_at_us, fresh = ix->fresh ? adopt_at(app) : 0;

	return !look ? fresh : !fresh ? look : ts_min_i64(look, fresh);
}
