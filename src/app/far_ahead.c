/* SPDX-License-Identifier: MIT */
/*
 * far_ahead - of a report on another host: once the first screen stands, the pages that lead to the rows of its tables are
 * fetched behind everything else, and kept on disk. From then on any row costs one round trip.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"
#include "tilescope/db/plan.h"
#include "tilescope/view/fetch.h"

enum { TABLES = 64 };

static enum ts_code
fetch_pages(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_schema *s = rd->report->schema[0];
	const struct ts_object *table[TABLES];
	size_t n = 0;

	for (int i = 0; s && i < s->count && n < TABLES; i++)
		if (s->object[i].root > 0)
			table[n++] = &s->object[i];
	return ts_plan_interior(rd->db[0], table, n, TS_PLAN_PAGES, &f->job.progress, err);
}

void
ts_app_far_opened(struct ts_app *app)
{
	ts_jobs_cancel(app->jobs, TS_OWNER_FAR);
	app->far_wanted = app->env.report->files != NULL;
}

void
ts_app_far_drawn(struct ts_app *app)
{
	struct ts_fetch *f;

	if (!app->far_wanted || !app->env.report)
		return;
	app->far_wanted = false;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->read = fetch_pages;
	f->report = ts_report_hold(app->env.report);
	f->job.patient = true;
	f->job.generation = app->env.generation;
	ts_fetch_begin(app->jobs, f, TS_OWNER_FAR, 0, TS_WORKER_BULK,
		"fetching the pages that lead to rows");
}

/* Nothing waits for it, and what went wrong the next question meets, too. */
void
ts_app_far_take(struct ts_app *app, struct ts_job *job)
{
	struct ts_fetch *f = (struct ts_fetch *)job;

	if (f->code == TS_E_CANCELLED)
		ts_log_add(app->log, "fetching the pages that lead to rows was cancelled");
	ts_fetch_free(f);
}
