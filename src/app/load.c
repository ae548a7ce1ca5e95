/* SPDX-License-Identifier: MIT */
/*
 * load - open a report without the screen waiting for it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/find.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/open.h"

/* The job: open `path`. */
struct load {
	struct ts_job job;
	char *word;		/* as it was asked for: a path, or HOST:PATH */
	char *path;		/* in `files` */
	struct ts_files *files; /* NULL: on this machine */
	struct ts_report *was;	/* that is shown, held; or NULL */
	char *before;		/* its file, or NULL */
	bool gone;		/* it is not there any more */
	bool latest;
	bool any;	   /* or its tables alone, when it is no report */
	const char *cache; /* --cache, or NULL */
	bool convert; /* read vars.json, too, and of a host all that lies beside the profile: in the background */
	struct ts_report *report; /* opened */
	bool found;		  /* there are reports below `path`, which is none itself */
	bool being_written;	  /* why it cannot be read: somebody writes it */
	struct ts_err err;
	enum ts_code code;
};

static enum ts_code
newest(struct load *l, const struct ts_cancel *cancel, struct ts_err *err)
{
	char *found, *word;
	enum ts_code code = ts_find_latest(&found, l->files, l->path, cancel, err);

	if (code)
		return code;
	word = ts_find_word(l->word, found);
	if (!word) {
		free(found);
		return ts_err_nomem(err);
	}
	free(l->path);
	free(l->word);
	l->path = found;
	l->word = word;
	return TS_OK;
}

static void
find_below(struct load *l, const struct ts_cancel *cancel)
{
	struct ts_file_state state;
	char *path;

	if (l->files) { /* whoever looks there sees it as it comes */
		l->found = !ts_files_look(l->files, &state, l->path, cancel, NULL) &&
			state.kind == TS_FILE_DIRECTORY;
		return;
	}
	l->found = !ts_find_latest(&path, NULL, l->path, cancel, NULL);
	if (l->found)
		free(path);
}

/* Is there something beside the path that says: a database is being written here? */
static bool
is_being_written(const struct load *l)
{
	char *file = NULL;
	bool yes = !ts_find_profile(&file, l->files, l->path, &l->job.cancel, NULL) &&
		ts_is_being_written(l->files, file);

	free(file);
	return yes;
}

/* SQLite of something else: its tables can be looked at, where it has any. */
static void
open_any(struct load *l, struct ts_report_options *options)
{
	struct ts_report *r;

	options->any = true;
	if (ts_report_open(&r, l->path, options, NULL))
		return;
	if (r->schema[0]->count > 0) {
		l->report = r;
		l->code = TS_OK;
	} else {
		ts_report_close(r);
	}
}

/* Where that cannot be told, as on a host that is not reached or behind a closed directory, it is not gone. */
static bool
is_gone(const struct ts_report *r, const struct ts_cancel *cancel)
{
	struct ts_file_state state;
	enum ts_code code = ts_files_look(r->files, &state, r->file, cancel, NULL);

	return !code && state.kind == TS_FILE_NONE;
}

static void
run_open(struct ts_job *job, void *local)
{
	struct load *l = (struct load *)job;
	char *cache = ts_cache_dir(l->cache);
	struct ts_report_options options = {.files = l->files,
		.convert = l->convert,
		.parts_later = !l->convert,
		.progress = &job->progress,
		.cancel = &job->cancel};

	(void)local;
	if (l->files && cache) /* for what is kept of it; it is done without, too */
		(void)!ts_make_dirs(cache, NULL);
	l->gone = l->was && l->was->files == l->files &&
		is_gone(l->was, &job->cancel); /* else nobody asks */
	l->code = l->latest ? newest(l, &job->cancel, &l->err) : TS_OK;
	if (!l->code)
		l->code = ts_report_open(&l->report, l->path, &options, &l->err);
	if (l->code == TS_E_FORMAT && l->any && !is_being_written(l))
		open_any(l, &options);
	if (l->code == TS_E_NOT_FOUND)
		find_below(l, &job->cancel);
	else if (l->code && l->code != TS_E_CONNECT && l->code != TS_E_CANCELLED)
		l->being_written = is_being_written(l);
	free(cache);
}

static void
load_free(struct load *l)
{
	ts_report_close(l->report);
	ts_report_close(l->was);
	ts_files_release(l->files);
	free(l->word);
	free(l->path);
	free(l->before);
	free(l);
}

/* What was asked for is no report: the one that is shown stays the program's. */
static void
keep_path(struct ts_app *app)
{
	const char *word = app->env.word;
	char *path = word && strcmp(app->path, word) != 0 ? ts_strdup(word) : NULL;

	if (!path)
		return;
	free(app->opened);
	app->opened = path;
	app->path = path;
}

static enum ts_code
fill_in(struct load *l, struct ts_app *app, struct ts_err *err)
{
	struct ts_report *r = app->env.report;

	l->was = r ? ts_report_hold(r) : NULL;
	l->before = r ? ts_strdup(r->file) : NULL;
	l->word = ts_strdup(app->path);
	if (!l->word || (r && !l->before))
		return ts_err_nomem(err);
	return ts_hosts_place(app, &l->files, &l->path, l->word, err);
}

/* Nothing could be asked of a worker. */
static void
not_asked(struct ts_app *app, const struct ts_err *err)
{
	if (app->env.report || app->canvas) {
		ts_view_say_error(&app->env, "%s", err->msg);
		app->chosen = false;
		keep_path(app);
		return;
	}
	app->failed = *err;
	app->status = ts_exit_of(err->code);
	app->quit = true;
}

static void
load(struct ts_app *app, bool convert)
{
	const struct ts_report *r = app->env.report;
	struct load *l = ts_alloc(1, sizeof(*l));
	struct ts_err err = {0};

	if (l ? fill_in(l, app, &err) : ts_err_nomem(&err)) {
		if (l)
			load_free(l);
		not_asked(app, &err);
		return;
	}
	l->latest = app->args->latest && !app->opened;
	l->any = !r || !ts_report_is_known(r);
	l->cache = app->args->cache;
	l->job.run = run_open;
	l->convert = convert;
	l->job.what = !convert ? "opening the report"
		: r->vars_wait ? "reading vars.json"
			       : "looking at what lies beside the profile";
	l->job.worker = convert ? TS_WORKER_BULK : TS_WORKER_SCREEN;
	l->job.owner = TS_OWNER_APP;
	l->job.generation = app->env.generation;
	app->look_at_us = 0;
	ts_jobs_send(app->jobs, &l->job);
}

void
ts_app_load(struct ts_app *app)
{
	load(app, false);
}

static void
tell_notes(struct ts_app *app, const struct ts_report *r)
{
	for (int i = 0; i < r->notes.count; i++)
		ts_log_add(app->log, "%s", r->notes.note[i]);
	if (r->notes.count > 0)
		ts_view_say(&app->env, "%s%s", r->notes.note[0],
			r->notes.count > 1 ? "  (M shows all notes)" : "");
}

static bool
is_same_file(const struct ts_report *a, const struct ts_report *b)
{
	return a->files == b->files && strcmp(a->file, b->file) == 0 &&
		a->identity.device == b->identity.device &&
		a->identity.inode == b->identity.inode &&
		ts_identity_same(&a->identity, &b->identity);
}

/* The same file with the same bytes: what is built of its index holds. */
static bool
is_same(const struct ts_report *a, const struct ts_report *b)
{
	return a && is_same_file(a, b) && a->composition == b->composition;
}

/* What was shown may be gone, and what it left, an archive for instance, is another report. */
static void
tell_other_file(struct ts_app *app, const struct load *l)
{
	const char *now = app->env.report->file;
	const char *a = strrchr(l->before, '/'), *b = strrchr(now, '/');

	if (strcmp(l->before, now) == 0 || !l->gone)
		return;
	ts_view_say(&app->env, "%s is gone: %s is shown", a ? a + 1 : l->before, b ? b + 1 : now);
	ts_log_add(app->log, "%s", app->env.message);
}

/* What vars.json adds to a report is no change of it. */
static enum ts_reload
reload_of(const struct ts_app *app, const struct load *l)
{
	const struct ts_report *was = app->env.report, *now = l->report;

	if (!was || strcmp(app->env.word, l->word) != 0)
		return TS_RELOAD_OTHER;
	if (l->convert || is_same(was, now) || (was->parts_wait && is_same_file(was, now)) ||
		(!app->watch.changed && ts_identity_same(&was->identity, &now->identity)))
		return TS_RELOAD_SAME;
	return TS_RELOAD_CHANGED;
}

/* Numbers of another report's tiles and variables name other things in this one. */
static void
forget_objects(struct ts_selection *s)
{
	ts_select_no_tiles(s);
	if (s->what_if.count > 0)
		ts_what_if_clear(&s->what_if);
}

void
ts_app_called(struct ts_app *app, const char *word)
{
	char *copy = ts_strdup(word);

	if (!copy) /* the old name is no name of it */
		ts_err_nomem(&app->failed);
	free(app->word);
	app->word = copy;
	app->env.word = copy ? copy : "";
}

static void
take_report(struct ts_app *app, struct load *l)
{
	app->env.reload = reload_of(app, l);
	if (app->env.reload == TS_RELOAD_OTHER &&
		app->env.report) /* else it was asked for while this one was opened */
		forget_objects(&app->selection);
	app->env.figures = TS_FIGURES_NONE;
	app->env.figures_known = false;
	if (!is_same(app->env.report, l->report))
		ts_indexing_let_go(app, true);
	ts_report_close(app->env.report);
	app->env.report = l->report;
	l->report = NULL;
	ts_app_called(app, l->word);
	ts_hosts_well(app);
	app->env.generation++;
	ts_app_archive_opened(app);
	ts_app_far_opened(app);
	app->failed = (struct ts_err){0};
	app->waiting = false;
	tell_notes(app, app->env.report);
	if (app->watch.changed && l->before && strcmp(l->before, app->env.report->file) == 0) {
		ts_view_say(&app->env, "%s",
			app->env.reload == TS_RELOAD_CHANGED
				? "the report has changed: it was read again"
				: "the report was read again");
		ts_log_add(app->log, "%s", app->env.message);
	}
	ts_app_watch_restart(app);
	if (l->before && app->env.reload != TS_RELOAD_OTHER)
		tell_other_file(app, l);
	if ((app->env.report->vars_wait || app->env.report->parts_wait) && !l->convert)
		load(app, true); /* with another source it is another index */
	else
		ts_indexing_restart(app); /* before the views ask for what it may have */
	for (int i = 0; i < TS_VIEW_COUNT; i++)
		if (app->view[i] && app->view[i]->ops->reload)
			app->view[i]->ops->reload(app->view[i]);
	if (!ts_report_is_known(app->env.report)) {
		ts_view_say(&app->env,
			"no report: nothing is known of this database but its tables");
		ts_app_show(app, TS_VIEW_TABLES);
	} else if (app->current == TS_VIEW_OPEN &&
		(app->chosen || app->env.reload == TS_RELOAD_OTHER))
		ts_app_show(app, (enum ts_view_id)app->at.view);
	else
		ts_app_layout(app); /* the banner may have come or gone; and it asks for the rows */
	app->chosen = false;
	ts_app_tiles_turn(app); /* they may have been asked for before there was a report */
	ts_app_what_if_turn(app);
	ts_app_recents_opened(app);
}

static void
show_below(struct ts_app *app, const char *dir)
{
	ts_app_show(app, TS_VIEW_OPEN);
	if (app->view[TS_VIEW_OPEN])
		ts_view_open_below(app->view[TS_VIEW_OPEN], dir);
}

/* No report: wait while it is being written, offer what lies below a directory, or give up. */
static void
take_failure(struct ts_app *app, struct load *l)
{
	bool chosen = app->chosen;
	bool again = !chosen && app->failed.code && strcmp(app->failed.msg, l->err.msg) == 0;

	app->failed = l->err;
	app->waiting = l->being_written;
	app->chosen = false;
	if (app->waiting)
		return;
	if (l->found && (chosen || !app->env.report)) {
		keep_path(app);
		show_below(app, l->word);
		return;
	}
	if (app->env.report || chosen) { /* what was there stays */
		if (again)
			return;
		ts_view_say_error(&app->env, "%s%s: %s",
			app->watch.changed ? "the report has changed and cannot be read: " : "",
			l->word, ts_uri_reason(l->word, l->err.msg));
		ts_log_add(app->log, "%s", app->env.message);
		keep_path(app);
		return;
	}
	app->status = ts_exit_of(l->code);
	app->leaves = ts_hosts_ask(app); /* what is typed into its box must not go to a shell */
	app->quit = !app->leaves;
}

bool
ts_app_hopeless(struct ts_app *app, struct ts_job *job)
{
	struct load *l = (struct load *)job;

	if (l->code == TS_OK || l->found || l->being_written)
		return false;
	app->failed = l->err;
	app->status = ts_exit_of(l->code);
	app->quit = true;
	load_free(l);
	return true;
}

/* Only archive.a is left where a profile was: that is another report, which nobody has asked for. */
static void
check_kind(const struct ts_app *app, struct load *l)
{
	const struct ts_report *was = app->env.report;

	if (l->code || !was || was->kind == TS_KIND_ARCHIVE || l->report->kind != TS_KIND_ARCHIVE ||
		strcmp(app->env.word, l->word) != 0)
		return;
	l->code = ts_err_set(&l->err, TS_E_NOT_FOUND,
		"the profile is gone, only archive.a is left (open that by its name)");
}

void
ts_app_take(struct ts_app *app, struct ts_job *job)
{
	struct load *l = (struct load *)job;

	/* vars.json of a report that is not shown any more: another one was opened meanwhile */
	bool late = l->convert && job->generation != app->env.generation;

	if (!job->dropped && !late) {
		if (l->code == TS_E_CONNECT && ts_cancelled(&job->cancel))
			l->code = TS_E_CANCELLED; /* the host was stopped with it */
		check_kind(app, l);
		if (l->code == TS_OK)
			take_report(app, l);
		else if (l->code == TS_E_CANCELLED && l->convert)
			ts_indexing_restart(app); /* of the report as it is */
		else if (l->code == TS_E_CANCELLED)
			ts_view_say(&app->env,
				"opening was cancelled (r opens it again, q leaves)");
		else
			take_failure(app, l);
		if (l->code)
			ts_app_watch_soon(app);
	}
	app->dirty = true;
	load_free(l);
}

void
ts_app_load_free(struct ts_job *job)
{
	load_free((struct load *)job);
}
