/* SPDX-License-Identifier: MIT */
/*
 * stop - C-c: which of the works that run is stopped, and what is said about it.
 *
 * Works stand in an order: what somebody waits for, what reads behind the screen, the index. One press stops
 * the first that runs, by name, and says what another one would stop.
 */
#include "config.h"

#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

enum { WORKS_TEXT = 120 };

static const struct {
	int first, last; /* owners */
} works[] = {
	{0, TS_OWNER_APP},
	{TS_OWNER_WRITE, TS_OWNER_WRITE},
	{TS_OWNER_ARCHIVE, TS_OWNER_ARCHIVE},
	{TS_OWNER_FAR, TS_OWNER_FAR},
};

/* The names of what runs of these owners, each once; else of what was asked for and is about to begin. False: nothing. */
static bool
name_running(struct ts_strbuf *names, const struct ts_app *app, size_t work)
{
	ts_strbuf_reset(names);
	for (int i = 0; i < ts_jobs_workers(app->jobs); i++) {
		struct ts_job_info info;

		ts_jobs_worker(app->jobs, i, &info);
		if (!info.what || info.owner < works[work].first || info.owner > works[work].last ||
			(names->len && strstr(names->s, info.what)))
			continue;
		ts_strbuf_printf(names, "%s%s", names->len ? ", " : "", info.what);
	}
	if (work > 0 && !names->len) {
		const char *what = ts_jobs_waiting(app->jobs, works[work].first, works[work].last);

		ts_strbuf_puts(names, what ? what : "");
	}
	return names->len > 0;
}

/* What the next press would stop. */
static void
name_next(struct ts_strbuf *names, const struct ts_app *app, size_t work)
{
	while (++work < TS_COUNT(works))
		if (name_running(names, app, work))
			return;
	ts_strbuf_reset(names);
	if (ts_indexing_is_building(app))
		ts_strbuf_puts(names, "the index");
}

void
ts_app_stop(struct ts_app *app)
{
	struct ts_strbuf names, next;
	size_t work = 0;
	bool host;

	ts_strbuf_init(&names, WORKS_TEXT);
	ts_strbuf_init(&next, WORKS_TEXT);
	while (work < TS_COUNT(works) && !name_running(&names, app, work))
		work++;
	for (int i = 0; i <= TS_OWNER_APP; i++) /* also what only waits, or has just come */
		ts_jobs_cancel(app->jobs, i);
	/* after who waits for it was named and cancelled: its failing is then no failure to open */
	host = ts_hosts_stop(app);
	if (host)
		ts_log_add(app->log, "connecting was stopped");
	if (work == TS_COUNT(works) && host) {
		ts_view_say(&app->env, "cancelled: connecting");
	} else if (work == TS_COUNT(works)) {
		ts_view_say(&app->env, "%s",
			ts_indexing_stop(app)
				? "the index is not built any further (:index goes on)"
				: "nothing is running (q leaves)");
	} else {
		for (int i = works[work].first; i <= works[work].last; i++)
			ts_jobs_cancel(app->jobs, i);
		name_next(&next, app, work);
		if (next.len)
			ts_view_say(&app->env, "cancelled: %s (once more: %s)", names.s, next.s);
		else
			ts_view_say(&app->env, "cancelled: %s", names.s);
	}
	ts_strbuf_fini(&names);
	ts_strbuf_fini(&next);
}
