/* SPDX-License-Identifier: MIT */
/*
 * archive_look - archive.a beside a profile: read in the background, once the first screen stands.
 *
 * The profile has the memory of the tiles, so nothing waits for it: it is compared with the profile, and views
 * find it in `env->archive` when they want to know what is on a tile. An archive that is the report itself
 * was read when it was opened.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/archive.h"
#include "tilescope/view/fetch.h"

struct archive_job {
	struct ts_job job;
	struct ts_report *report;   /* held */
	struct ts_archive *archive; /* what was read, or NULL */
	bool all;		    /* also where each member costs a round trip */
	struct ts_notes notes;
	enum ts_code code;
	struct ts_err err;
};

static bool
is_other(const struct ts_archive_check *c)
{
	return c->different > 0 || c->only_archive > 0 || c->only_profile > 0;
}

/*
 * Tiles that the profile does not have, or that cannot be read, are not compared; nor is the archive of a report that was
 * replaced meanwhile with the profile that is still shown.
 */
static void
compare(struct archive_job *a, struct ts_fetch_local *local)
{
	struct ts_archive_check check;
	struct ts_tiles tiles;
	struct ts_reader *rd;
	bool compared = false;

	if (!ts_fetch_reader(&rd, local, a->report, NULL, &a->job.cancel, NULL)) {
		compared = ts_tiles_read(&tiles, rd, NULL) == TS_OK && a->archive->tiles > 0;
		ts_reader_set_cancel(rd, NULL);
		if (compared)
			ts_archive_compare(&check, a->archive, &tiles);
		ts_tiles_fini(&tiles);
		compared = compared && !(is_other(&check) && ts_report_changed(a->report));
	}
	ts_archive_note(&a->notes, a->archive, compared ? &check : NULL);
}

static void
run(struct ts_job *job, void *local)
{
	struct archive_job *a = (struct archive_job *)job;

	a->code = ts_archive_read_places(&a->archive, a->report->files,
		a->report->part[TS_PART_ARCHIVE].path, a->all, &job->progress, &job->cancel,
		&a->err);
	if (!a->code)
		compare(a, local);
}

void
ts_app_archive_free(struct ts_job *job)
{
	struct archive_job *a = (struct archive_job *)job;

	ts_report_close(a->report);
	ts_archive_release(a->archive);
	ts_notes_fini(&a->notes);
	free(a);
}

void
ts_app_archive_opened(struct ts_app *app)
{
	struct ts_view_env *env = &app->env;

	ts_jobs_cancel(app->jobs, TS_OWNER_ARCHIVE);
	ts_archive_release(env->archive);
	env->archive = ts_archive_hold(env->report->archive);
	env->archive_state = env->report->part[TS_PART_ARCHIVE].state;
	app->archive_wanted = !env->archive && env->archive_state == TS_PART_OK;
}

void
ts_app_archive_drawn(struct ts_app *app)
{
	struct ts_archive *now = app->env.archive;
	bool all = now && now->left_out && now->wanted && !now->asked;
	struct archive_job *a;

	if (!(app->archive_wanted || all) || !app->env.report)
		return;
	app->archive_wanted = false;
	a = ts_alloc(1, sizeof(*a));
	if (!a)
		return;
	a->all = all;
	if (all)
		now->asked = true;
	a->report = ts_report_hold(app->env.report);
	a->job.run = run;
	a->job.what = "reading archive.a";
	a->job.worker = TS_WORKER_BULK;
	a->job.patient = !all; /* somebody waits for what was left out */
	a->job.owner = TS_OWNER_ARCHIVE;
	a->job.generation = app->env.generation;
	ts_jobs_send(app->jobs, &a->job);
}

static void
take(struct ts_app *app, struct archive_job *a)
{
	struct ts_view_env *env = &app->env;

	if (a->code == TS_E_CANCELLED) {
		if (!env->archive)
			env->archive_state = TS_PART_UNREADABLE;
		ts_log_add(app->log, "reading archive.a was cancelled (r reads the report again)");
		return;
	}
	if (a->code) {
		env->archive_state = a->code == TS_E_FORMAT ? TS_PART_DAMAGED : TS_PART_UNREADABLE;
		ts_notes_add(&a->notes, "archive.a: %s", a->err.msg);
	} else {
		ts_archive_release(env->archive); /* one that was left out */
		env->archive = a->archive;
		env->archive_state = a->archive->state;
		a->archive = NULL;
	}
	for (int i = 0; i < a->notes.count; i++)
		ts_log_add(app->log, "%s", a->notes.note[i]);
	if (a->notes.count > 0 && !env->message[0])
		ts_view_say(env, "%s%s", a->notes.note[0],
			a->notes.count > 1 ? "  (M shows all notes)" : "");
}

/* One that was left out and is not here yet can be asked for again. */
static void
ask_again(struct ts_archive *a)
{
	if (a && a->left_out)
		a->wanted = a->asked = false;
}

void
ts_app_archive_take(struct ts_app *app, struct ts_job *job)
{
	struct ts_view *v = app->view[app->current];

	if (job->dropped && job->generation == app->env.generation)
		ask_again(app->env.archive);
	if (!job->dropped && job->generation == app->env.generation) {
		take(app, (struct archive_job *)job);
		ask_again(app->env.archive);
		if (v && v->ops->request && app->env.report)
			v->ops->request(v);
		app->dirty = true;
	}
	ts_app_archive_free(job);
}
