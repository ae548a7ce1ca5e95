/* SPDX-License-Identifier: MIT */
/*
 * recents - keep in the list of recent reports what was opened, and later what Summary found.
 *
 * Written by a worker, twice at most for each time that a report is read: when it is open, and when its figures are
 * known. Not with `--cache none`, and not by a program without a screen. What goes wrong is told in the log, once.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/app/recents.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/recent.h"

struct keep {
	struct ts_job job;
	char *file;
	struct ts_recent one;
	struct ts_err err;
};

static void
keep_free(struct keep *k)
{
	free(k->one.path);
	free(k->file);
	free(k);
}

static void
run(struct ts_job *job, void *local)
{
	struct keep *k = (struct keep *)job;
	char *slash = strrchr(k->file, '/');
	enum ts_code code;

	(void)local;
	*slash = '\0';
	code = ts_make_dirs(k->file, &k->err);
	*slash = '/';
	if (!code && ts_recents_add(k->file, &k->one, &k->err))
		return; /* it rides in err */
}

static void
send(struct ts_app *app)
{
	const struct ts_report *r = app->env.report;
	struct keep *k;

	if (!app->recent.file || !app->recent.keeps || !r || !ts_report_is_known(r))
		return;
	k = ts_alloc(1, sizeof(*k));
	if (!k)
		return;
	k->file = ts_strdup(app->recent.file);
	k->one = (struct ts_recent){.path = ts_strdup(app->env.word),
		.opened = app->recent.opened,
		.bytes = r->identity.bytes,
		.mtime = r->identity.mtime,
		.mtime_ns = r->identity.mtime_ns,
		.figures = app->env.figures};
	if (!k->file || !k->one.path) {
		keep_free(k);
		return;
	}
	k->job.run = run;
	k->job.what = "keeping the list of recent reports";
	k->job.worker = TS_WORKER_BULK;
	k->job.owner = TS_OWNER_RECENT;
	ts_jobs_send(app->jobs, &k->job);
}

void
ts_app_recents_begin(struct ts_app *app)
{
	const char *cache = app->args->cache;

	app->recent.file = ts_state_path("recent");
	app->recent.keeps = !(cache && strcmp(cache, "none") == 0);
	app->env.recents = app->recent.file;
}

void
ts_app_recents_end(struct ts_app *app)
{
	free(app->recent.file);
}

void
ts_app_recents_opened(struct ts_app *app)
{
	app->recent.opened = time(NULL);
	app->recent.complete = false;
	send(app);
}

void
ts_app_recents_turn(struct ts_app *app)
{
	if (!app->env.figures_known || app->recent.complete)
		return;
	app->recent.complete = true;
	send(app);
}

void
ts_app_recents_take(struct ts_app *app, struct ts_job *job)
{
	struct keep *k = (struct keep *)job;

	if (k->err.code && !app->recent.told) {
		app->recent.told = true;
		ts_log_add(app->log, "recent reports are not kept: %s", k->err.msg);
	}
	keep_free(k);
}

void
ts_app_recents_free(struct ts_job *job)
{
	keep_free((struct keep *)job);
}
