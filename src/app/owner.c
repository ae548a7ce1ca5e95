/* SPDX-License-Identifier: MIT */
/*
 * owner - whose job came back: a view's, or one of the program's own. Those stand in a table here.
 */
#include "config.h"

#include "tilescope/app/app.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/fetch.h"

static void
free_fetch(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

static const struct {
	void (*take)(struct ts_app *app, struct ts_job *job);
	void (*free)(struct ts_job *job); /* in vain */
} owners[] = {
	[TS_OWNER_TILES - TS_VIEW_COUNT] = {ts_app_tiles_take, free_fetch},
	[TS_OWNER_WHAT_IF - TS_VIEW_COUNT] = {ts_app_what_if_take, free_fetch},
	[TS_OWNER_APP - TS_VIEW_COUNT] = {ts_app_take, ts_app_load_free},
	[TS_OWNER_INDEX - TS_VIEW_COUNT] = {ts_indexing_take, ts_indexing_give_back},
	[TS_OWNER_ARCHIVE - TS_VIEW_COUNT] = {ts_app_archive_take, ts_app_archive_free},
	[TS_OWNER_WATCH - TS_VIEW_COUNT] = {ts_app_watch_take, ts_app_watch_free},
	[TS_OWNER_RECENT - TS_VIEW_COUNT] = {ts_app_recents_take, ts_app_recents_free},
	[TS_OWNER_WRITE - TS_VIEW_COUNT] = {ts_app_write_take, ts_app_write_free},
	[TS_OWNER_FAR - TS_VIEW_COUNT] = {ts_app_far_take, free_fetch},
};

/* Is it a file of the report that could not be read, not what was asked for that is not there? */
static bool
has_lost_a_file(const struct ts_report *r)
{
	for (int i = 0; i < r->sources; i++)
		if (r->source[i] && ts_source_has_failed(r->source[i]))
			return true;
	return false;
}

static void
take_fetch(struct ts_app *app, struct ts_view *v, struct ts_fetch *f)
{
	enum ts_effect effect;

	if (f->code != TS_OK && f->code != TS_E_ABSENT && !app->trouble.code &&
		!ts_fetch_in_vain(f, app->env.generation))
		app->trouble = f->err;
	if (f->report && f->report->files && f->code != TS_OK &&
		!ts_fetch_in_vain(f, app->env.generation) && has_lost_a_file(f->report))
		ts_hosts_trouble(app, &f->err);
	if (v && f->job.generation == app->env.generation) {
		app->env.behind = v != app->view[app->current];
		effect = v->ops->deliver(v, f);
		if (app->env.behind)
			app->env.go = -1; /* somebody went elsewhere meanwhile */
		else if (app->env.go >= 0)
			ts_app_effect(app, effect); /* so does the view, now that it knows where */
		else if (v->ops->request)
			v->ops->request(v);
		app->dirty |= !(effect & TS_EFFECT_LATER);
		if (effect & TS_EFFECT_SOON)
			app->soon_us = ts_clock_us();
	}
	ts_fetch_free(f);
}

void
ts_app_answer(struct ts_app *app, struct ts_job *job)
{
	app->received++;
	if (job->owner < TS_VIEW_COUNT)
		take_fetch(app, app->view[job->owner], (struct ts_fetch *)job);
	else
		owners[job->owner - TS_VIEW_COUNT].take(app, job);
}

void
ts_app_give_back(struct ts_job *job)
{
	if (job->owner < TS_VIEW_COUNT)
		free_fetch(job);
	else
		owners[job->owner - TS_VIEW_COUNT].free(job);
}
