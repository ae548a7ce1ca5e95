/* SPDX-License-Identifier: MIT */
/*
 * importing - see the header.
 *
 * Python is started a second after the first frame, by the pool: nobody waits for it. What was found out holds
 * for the whole run of the program. The import itself is a question that somebody waits for.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/import.h"
#include "tilescope/view/fetch.h"

enum { KIND_PROBE, KIND_IMPORT, AFTER_FRAME_US = 1000000, NAMED = 2 };

struct import_job {
	struct ts_job job;	  /* first */
	struct ts_report *report; /* held */
	const char *cache;	  /* --cache, or NULL */
	char python[TS_OPTION_PATH];
	char *path; /* of the store */
	struct ts_import_outcome outcome;
	enum ts_code code;
	struct ts_err err;
};

enum ts_code
ts_import_place(char **path, const char *cache, const struct ts_report *r, struct ts_err *err)
{
	char *dir = ts_cache_dir(cache), *slash;
	enum ts_code code;

	*path = NULL;
	if (!dir)
		return ts_err_set(err, TS_E_USAGE,
			"there is no cache directory to write to (tilescope import -o STORE names a file)");
	*path = ts_import_store_path(dir, r);
	free(dir);
	if (!*path)
		return ts_err_nomem(err);
	slash = strrchr(*path, '/');
	*slash = '\0';
	code = ts_make_dirs(*path, err);
	*slash = '/';
	return code;
}

/* --- in a worker ------------------------------------------------------------------------------ */

static void
run_probe(struct ts_job *job, void *local)
{
	struct import_job *i = (struct import_job *)job;

	(void)local;
	i->code = ts_import_probe(i->python, &job->cancel, &i->err);
}

static void
run_import(struct ts_job *job, void *local)
{
	struct import_job *i = (struct import_job *)job;
	struct ts_import_options options = {.python = i->python};
	struct ts_reader *rd;

	i->code = ts_import_place(&i->path, i->cache, i->report, &i->err);
	if (!i->code)
		i->code = ts_fetch_reader(&rd, local, i->report, NULL, &job->cancel, &i->err);
	if (i->code)
		return;
	i->code = ts_import(&i->outcome, i->path, rd, &options, &job->progress, &job->cancel,
		&i->err);
	ts_reader_set_cancel(rd, NULL);
	if (!i->code)
		ts_import_tidy(i->path, i->report->real ? i->report->real : i->report->file);
}

/* --- asking ----------------------------------------------------------------------------------- */

static void
send(struct ts_app *app, int kind)
{
	struct import_job *i = ts_alloc(1, sizeof(*i));

	if (!i)
		return;
	i->report = ts_report_hold(app->env.report);
	i->cache = app->args->cache;
	memcpy(i->python, app->options.python, sizeof(i->python));
	i->job.run = kind == KIND_PROBE ? run_probe : run_import;
	i->job.what = kind == KIND_PROBE ? "looking for libpva" : "importing";
	i->job.worker = TS_WORKER_BULK;
	i->job.patient = kind == KIND_PROBE;
	i->job.owner = TS_OWNER_IMPORT;
	i->job.kind = kind;
	ts_jobs_send(app->jobs, &i->job);
}

/* Views show it; a line of theirs may come or go with it. */
static void
tell(struct ts_app *app, const char *text)
{
	struct ts_importing *im = &app->importing;

	snprintf(im->text, sizeof(im->text), "%s", text);
	app->env.offer = im->text[0] ? im->text : NULL;
	if (app->canvas)
		ts_app_layout(app);
}

/* Would libpva bring anything, and is there a place for it? */
static bool
is_worth(const struct ts_app *app)
{
	const struct ts_report *r = app->env.report;
	char *dir;

	if (!r || r->files || r->kind != TS_KIND_SDK || r->overlay || !r->map[0] ||
		r->being_written || ts_import_lacks(r, NULL, 0) == 0)
		return false;
	dir = ts_cache_dir(app->args->cache);
	free(dir);
	return dir != NULL;
}

static void
offer(struct ts_app *app)
{
	const char *name[NAMED] = {NULL};
	char text[TS_OFFER_TEXT];
	int n, at;

	if (!is_worth(app) || !app->importing.there) {
		tell(app, "");
		return;
	}
	n = ts_import_lacks(app->env.report, name, NAMED);
	at = snprintf(text, sizeof(text), "is here: :import asks it for %s", name[0]);
	if (n > 1)
		at += snprintf(text + at, sizeof(text) - (size_t)at, ", %s", name[1]);
	if (n > NAMED)
		snprintf(text + at, sizeof(text) - (size_t)at, " and %d more relations", n - NAMED);
	tell(app, text);
}

void
ts_importing_opened(struct ts_app *app)
{
	struct ts_importing *im = &app->importing;

	im->ask_at_us = 0;
	im->failed = false;
	if (im->outcome[0]) {
		ts_view_say(&app->env, "%s", im->outcome);
		im->outcome[0] = '\0';
	}
	if (!im->under_way)
		offer(app);
}

void
ts_importing_drawn(struct ts_app *app)
{
	struct ts_importing *im = &app->importing;

	if (!im->known && !im->ask_at_us && is_worth(app))
		im->ask_at_us = ts_clock_us() + AFTER_FRAME_US;
}

static void
tell_progress(struct ts_app *app, int64_t now)
{
	struct ts_importing *im = &app->importing;
	char text[TS_OFFER_TEXT], rows[TS_FMT_MAX], rate[TS_FMT_MAX];
	int64_t took = now - im->began_us, done = 0;

	for (int i = 0; i < ts_jobs_workers(app->jobs); i++) {
		struct ts_job_info info;

		ts_jobs_worker(app->jobs, i, &info);
		if (info.what && info.owner == TS_OWNER_IMPORT && info.kind == KIND_IMPORT)
			done = info.done;
	}
	snprintf(text, sizeof(text), "is being asked: %s rows, %s a second (C-c stops it)",
		ts_fmt_count(rows, done),
		ts_fmt_count(rate, took > 0 ? (int64_t)((double)done / (double)took * 1e6) : 0));
	if (strcmp(text, im->text) != 0)
		tell(app, text);
}

void
ts_importing_turn(struct ts_app *app, int64_t now)
{
	struct ts_importing *im = &app->importing;

	if (im->ask_at_us && now >= im->ask_at_us) {
		im->ask_at_us = 0;
		im->known = true; /* or soon is */
		send(app, KIND_PROBE);
	}
}

void
ts_importing_tick(struct ts_app *app, int64_t now)
{
	if (app->importing.under_way)
		tell_progress(app, now);
}

bool
ts_importing_start(struct ts_app *app)
{
	const struct ts_report *r = app->env.report;
	struct ts_importing *im = &app->importing;
	const char *why = im->under_way ? "an import is under way (C-c stops it)"
		: !r			? "there is no report yet"
		: r->kind != TS_KIND_SDK || !r->map[0]
		? "libpva reads profiles of the SDK: this is none"
		: NULL;

	if (why) {
		ts_view_say_error(&app->env, "%s", why);
		return false;
	}
	im->under_way = true;
	im->failed = false;
	im->began_us = ts_clock_us();
	send(app, KIND_IMPORT);
	tell_progress(app, im->began_us);
	return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Is what was written the store of the report that is shown? */
static bool
is_ours(const struct ts_app *app, const struct import_job *i)
{
	char *dir = app->env.report && i->path ? ts_cache_dir(app->args->cache) : NULL;
	char *path = dir ? ts_import_store_path(dir, app->env.report) : NULL;
	bool yes = path && strcmp(path, i->path) == 0;

	free(path);
	free(dir);
	return yes;
}

static void
take_store(struct ts_app *app, const struct import_job *i)
{
	struct ts_importing *im = &app->importing;
	const struct ts_notes *skipped = &i->outcome.skipped;
	char rows[TS_FMT_MAX];
	int at;

	im->known = im->there = true;
	at = snprintf(im->outcome, sizeof(im->outcome), "imported: %s rows",
		ts_fmt_count(rows, i->outcome.rows));
	if (skipped->count > 0)
		snprintf(im->outcome + at, sizeof(im->outcome) - (size_t)at,
			"; libpva does not give %d properties (M lists them)", skipped->count);
	ts_log_add(app->log, "%s: %s", im->outcome, i->path);
	for (int k = 0; k < skipped->count; k++)
		ts_log_add(app->log, "libpva does not give %s", skipped->note[k]);
	if (is_ours(app, i)) {
		ts_app_load(app);
		return;
	}
	ts_view_say(&app->env, "%s (of the report shown before)", im->outcome);
	im->outcome[0] = '\0';
	offer(app);
}

static void
take_failure(struct ts_app *app, const struct import_job *i)
{
	char text[TS_OFFER_TEXT];

	if (i->job.dropped || i->code == TS_E_CANCELLED) {
		ts_view_say(&app->env, "the import was stopped: nothing of it is kept");
		offer(app);
		return;
	}
	ts_view_say_error(&app->env, "import: %s", i->err.msg);
	ts_log_add(app->log, "import: %s", i->err.msg);
	snprintf(text, sizeof(text), "could not be asked (:import tries again): %.140s",
		i->err.msg);
	app->importing.failed = true;
	tell(app, text);
}

void
ts_importing_take(struct ts_app *app, struct ts_job *job)
{
	struct import_job *i = (struct import_job *)job;
	struct ts_importing *im = &app->importing;

	if (job->kind == KIND_PROBE) {
		im->there = !job->dropped && i->code == TS_OK;
		if (!im->under_way && !im->failed)
			offer(app);
	} else {
		im->under_way = false;
		if (!job->dropped && i->code == TS_OK)
			take_store(app, i);
		else
			take_failure(app, i);
	}
	app->dirty = true;
	ts_importing_give_back(job);
}

void
ts_importing_give_back(struct ts_job *job)
{
	struct import_job *i = (struct import_job *)job;

	ts_report_close(i->report);
	ts_import_outcome_fini(&i->outcome);
	free(i->path);
	free(i);
}
