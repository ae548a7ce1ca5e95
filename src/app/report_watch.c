/* SPDX-License-Identifier: MIT */
/*
 * report_watch - the files of the open report: have they changed, are they complete, what is to be done?
 *
 * What happens to the files wakes the loop (io/file_watch.h); a moment later a worker looks at all of them and
 * makes the next watch, for other directories may be on the way now. Where nothing wakes, it looks every two
 * seconds. A change is shown with the names of the files until the report is read again: by the user,
 * or, with --watch, by itself once two looks found the same files and the profile complete. What was
 * tried in vain is not tried again until something changes.
 *
 * While somebody writes a report that cannot be read yet, or only in part, it is read again by itself.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/app/report_watch.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/file_watch.h"
#include "tilescope/report/find.h"

enum {
	FAR_US = 60000000,  /* between looks at files of another host: each takes round trips */
	POLL_US = 2000000,  /* between looks where nothing wakes */
	SOON_US = 200000,   /* from an event to a look: more of them are coming */
	QUIET_US = 1000000, /* a file that nobody has touched for so long is complete */
	NAMES_MAX = 400,    /* bytes of the names of changed files */
};

/* The job of a look. */
struct look {
	struct ts_job job;
	struct ts_report *report; /* held */
	struct ts_watched now;
	struct ts_file_watch *files;
	enum ts_code code;
};

static void
look_free(struct look *l)
{
	ts_report_close(l->report);
	ts_watched_fini(&l->now);
	ts_file_watch_free(l->files);
	free(l);
}

void
ts_app_watch_free(struct ts_job *job)
{
	look_free((struct look *)job);
}

/* The watch before the look: what changes in between is heard of. */
static void
run_look(struct ts_job *job, void *local)
{
	struct look *l = (struct look *)job;

	(void)local;
	ts_watched_list(&l->now, l->report);
	if (!l->report->files) /* nothing wakes for those of another host */
		l->files = ts_file_watch_new((const char *const *)l->now.path, l->now.count);
	l->code = ts_watched_look(&l->now, l->report, &job->cancel, NULL);
}

/* Somebody writes it: it is read again without being asked for. */
static bool
is_half(const struct ts_report *r)
{
	const char *slash = strrchr(r->file, '/');

	return r->being_written || ts_is_temporary_profile(slash ? slash + 1 : r->file);
}

/* When to look again if nothing happens. */
static int64_t
next_look(const struct ts_app *app)
{
	const struct ts_report_watch *w = &app->watch;
	bool polls = app->waiting ||
		(app->env.report &&
			(!w->begun || ts_file_watch_polls(w->files) || is_half(app->env.report)));

	return polls
		? ts_clock_us() + (app->env.report && app->env.report->files ? FAR_US : POLL_US)
		: 0;
}

void
ts_app_watch_later(struct ts_app *app)
{
	int64_t at = next_look(app);

	if (at && (!app->look_at_us || at < app->look_at_us))
		app->look_at_us = at;
}

void
ts_app_watch_soon(struct ts_app *app)
{
	if (app->env.report && !app->waiting)
		app->look_at_us = ts_clock_us() + SOON_US;
	else
		ts_app_watch_later(app);
}

void
ts_app_watch_look(struct ts_app *app)
{
	struct look *l;

	app->look_at_us = 0;
	if (app->waiting) {
		ts_app_load(app);
		return;
	}
	if (!app->env.report)
		return;
	l = ts_alloc(1, sizeof(*l));
	if (!l) {
		app->look_at_us = ts_clock_us() + POLL_US;
		return;
	}
	l->report = ts_report_hold(app->env.report);
	l->job.run = run_look;
	l->job.what = "looking whether the files have changed";
	l->job.worker = l->report->files ? TS_WORKER_BULK : TS_WORKER_SCREEN;
	l->job.owner = TS_OWNER_WATCH;
	ts_jobs_send(app->jobs, &l->job);
}

static void
forget(struct ts_report_watch *w)
{
	ts_watched_fini(&w->opened);
	ts_watched_fini(&w->last);
	ts_watched_fini(&w->tried);
	w->begun = w->changed = false;
	w->text[0] = '\0';
}

void
ts_app_watch_restart(struct ts_app *app)
{
	forget(&app->watch);
	app->look_at_us = ts_clock_us() + SOON_US;
}

void
ts_app_watch_end(struct ts_app *app)
{
	forget(&app->watch);
	ts_file_watch_free(app->watch.files);
}

int
ts_app_watch_fd(const struct ts_app *app)
{
	return app->look_at_us ? -1 : ts_file_watch_fd(app->watch.files);
}

void
ts_app_watch_event(struct ts_app *app)
{
	if (ts_file_watch_take(app->watch.files))
		app->look_at_us = ts_clock_us() + SOON_US;
}

static const char *
reload_key(struct ts_app *app, char keys[TS_KEYS_TEXT])
{
	enum ts_context contexts[4];
	int n = ts_app_contexts(app, contexts);
	const struct ts_key_binding *b = ts_keymap_of(&app->keymap, contexts, n, TS_CMD_RELOAD,
		NULL);

	return b ? ts_keys_print(keys, &b->keys) : ":reload";
}

/* What the line below the tabs says; the screen is laid out anew when it comes. */
static void
tell(struct ts_app *app, const char *names, bool quiet)
{
	struct ts_report_watch *w = &app->watch;
	char keys[TS_KEYS_TEXT], text[sizeof(w->text)];
	const char *key = reload_key(app, keys);

	if (w->last.closed[0])
		snprintf(text, sizeof(text), "Changed, %s tries to read it again: %.200s", key,
			names);
	else if (quiet && w->last.complete)
		snprintf(text, sizeof(text), "Changed, %s reads the report again: %.200s", key,
			names);
	else if (quiet)
		snprintf(text, sizeof(text),
			"Changed, not complete yet, %s reads it as it is: %.200s", key, names);
	else
		snprintf(text, sizeof(text), "Changing, %s reads it as it is: %.200s", key, names);
	if (strcmp(text, w->text) == 0)
		return;
	if (!w->text[0])
		ts_log_add(app->log, "changed: %s", names);
	snprintf(w->text, sizeof(w->text), "%s", text);
	ts_app_layout(app);
}

static void
untell(struct ts_app *app)
{
	if (app->watch.changed) /* it is back: what is built of its index holds */
		ts_indexing_restart(app);
	app->watch.changed = false;
	if (!app->watch.text[0])
		return;
	app->watch.text[0] = '\0';
	ts_app_layout(app);
}

/* Something is another: say what, and read it again when that is wanted and makes sense. */
static void
on_change(struct ts_app *app, const char *names, bool quiet)
{
	struct ts_report_watch *w = &app->watch;
	bool wanted = app->args->watch || is_half(app->env.report);

	if (w->last.profile && !w->changed)
		ts_indexing_let_go(app, false); /* it is of no use any more */
	w->changed = true;
	tell(app, names, quiet);
	if (!quiet) {
		app->look_at_us = ts_clock_us() + QUIET_US;
		return;
	}
	if (!wanted || (!w->last.complete && !is_half(app->env.report)) ||
		ts_watched_same(&w->last, &w->tried))
		return;
	ts_watched_copy(&w->tried, &w->last);
	ts_app_load(app);
}

static void
take(struct ts_app *app, struct look *l)
{
	struct ts_report_watch *w = &app->watch;
	struct ts_strbuf names;
	bool quiet = ts_watched_same(&w->last, &l->now);

	ts_file_watch_free(w->files);
	w->files = l->files;
	l->files = NULL;
	ts_watched_fini(&w->last);
	w->last = l->now;
	l->now = (struct ts_watched){0};
	if (!w->begun) {
		ts_watched_copy(&w->opened, &w->last);
		ts_watched_as_opened(&w->opened, app->env.report);
		w->begun = true;
	}
	ts_app_watch_later(app);
	ts_strbuf_init(&names, NAMES_MAX);
	if (ts_watched_changes(&w->opened, &w->last, &names) > 0 || w->last.other)
		on_change(app, names.len ? names.s : "another file", quiet);
	else
		untell(app);
	ts_strbuf_fini(&names);
}

void
ts_app_watch_take(struct ts_app *app, struct ts_job *job)
{
	struct look *l = (struct look *)job;

	if (job->dropped || l->code || l->report != app->env.report)
		ts_app_watch_later(app);
	else
		take(app, l);
	look_free(l);
}
