/* SPDX-License-Identifier: MIT */
/* headless - see the header. */
#include "config.h"

#include <poll.h>
#include <stdlib.h>

#include "tilescope/app/headless.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/find.h"
#include "tilescope/report/index.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/sheet.h"

enum {
	LOOK_MS = 50,	    /* how often it is looked whether the user has cancelled */
	ANSWERS_MAX = 1000, /* no view needs so many questions for one screen */
};

/* What is built of the report's index: checksums of all its sections are looked at. */
static enum ts_code
use_index(struct ts_app *app, struct ts_watch *w, struct ts_err *err)
{
	struct ts_cache cache;
	enum ts_code code = ts_cache_look(&cache, app->args->cache, err);

	if (code)
		return code;
	code = ts_index_open(&app->env.index, &cache, app->env.report, app->log, ts_watch_cancel(w),
		err);
	ts_cache_fini(&cache);
	return code;
}

enum ts_code
ts_headless_new(struct ts_app **out, const struct ts_args *args, struct ts_report *r,
	enum ts_glyphs glyphs, bool mono, struct ts_err *err)
{
	struct ts_app *app = *out = ts_alloc(1, sizeof(*app));
	enum ts_code code;
	char *word;

	if (!app)
		return ts_err_nomem(err);
	app->headless = true;
	code = ts_app_init(app, args, err);
	if (code)
		return code;
	ts_app_configure(app);
	app->options.index = false;
	app->env.message[0] = '\0';
	if (args->theme && !ts_app_use_theme(app, args->theme))
		return ts_err_set(err, TS_E_USAGE, "%s", app->env.message);
	app->env.message[0] = '\0';
	app->canvas = ts_canvas_new(args->size.columns, args->size.rows, glyphs);
	if (!app->canvas)
		return ts_err_nomem(err);
	app->canvas->mono = mono || !ts_theme_coloured(&app->theme);
	app->env.report = ts_report_hold(r);
	word = ts_find_word(args->path_count ? args->paths[0] : r->path, r->path);
	ts_app_called(app, word ? word : r->path);
	free(word);
	app->env.generation = 1;
	return TS_OK;
}

static int64_t
sent(const struct ts_app *app)
{
	return ts_jobs_sent(app->jobs, TS_WORKER_SCREEN) + ts_jobs_sent(app->jobs, TS_WORKER_BULK);
}

/* On the terminal of somebody who waits: the job that has most to do. */
static void
show_progress(struct ts_app *app, struct ts_progress *progress)
{
	for (int i = 0; i < ts_jobs_workers(app->jobs); i++) {
		struct ts_job_info info;

		ts_jobs_worker(app->jobs, i, &info);
		if (info.what && info.total >= progress->total) {
			progress->total = info.total;
			progress->done = info.done;
		}
	}
}

/* Until everything that was asked is answered, and nothing more is asked. */
static enum ts_code
settle(struct ts_app *app, struct ts_watch *w, struct ts_err *err)
{
	struct ts_view *v = app->view[app->current];
	struct pollfd p = {.fd = ts_jobs_fd(app->jobs), .events = POLLIN};

	for (;;) {
		int64_t before;

		ts_app_take_answers(app);
		if (ts_cancelled(ts_watch_cancel(w)))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (app->received > ANSWERS_MAX)
			return ts_err_set(err, TS_E_LIMIT, "the %s view does not come to rest",
				v->ops->name);
		before = sent(app);
		if (app->received < before) {
			poll(&p, 1, LOOK_MS);
			show_progress(app, ts_watch_progress(w));
			continue;
		}
		v->ops->request(v);
		ts_address_turn(app);
		if (sent(app) == before)
			return TS_OK;
	}
}

enum ts_code
ts_headless_draw(struct ts_app *app, struct ts_watch *w, struct ts_err *err)
{
	enum ts_code code = use_index(app, w, err);

	if (code)
		return code;
	ts_app_archive_opened(app);
	ts_app_archive_drawn(app);
	ts_app_show(app, (enum ts_view_id)app->at.view);
	if (!app->view[app->at.view])
		return ts_err_nomem(err);
	code = settle(app, w, err);
	if (code)
		return code;
	while (ts_view_order_turn(app->view[app->at.view]))
		;
	if (app->at.failed)
		return ts_err_set(err, TS_E_USAGE, "--at %s: %s", app->args->at, app->env.message);
	if (app->at.pending)
		return ts_err_set(err, TS_E_USAGE, "--at %s: there is no such place in this report",
			app->args->at);
	ts_app_draw(app);
	return TS_OK;
}

bool
ts_headless_free(struct ts_app *app)
{
	if (app && !ts_app_fini(app))
		return false;
	free(app);
	return true;
}
