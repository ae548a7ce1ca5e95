/* SPDX-License-Identifier: MIT */
/*
 * places - which view is shown, what was shown before, and the ways from one to another.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "dispatch_internal.h"
#include "tilescope/view/help.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/jobs.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/log.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/open.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/programs.h"
#include "tilescope/view/sql.h"
#include "tilescope/view/summary.h"
#include "tilescope/view/tables.h"
#include "tilescope/view/trace.h"
#include "tilescope/view/variables.h"

const struct ts_view_ops *const ts_views[TS_VIEW_COUNT] = {
	[TS_VIEW_SUMMARY] = &ts_view_summary,
	[TS_VIEW_INSIGHTS] = &ts_view_insights,
	[TS_VIEW_MEMORY] = &ts_view_memory,
	[TS_VIEW_LIVENESS] = &ts_view_liveness,
	[TS_VIEW_PROGRAMS] = &ts_view_programs,
	[TS_VIEW_OPERATIONS] = &ts_view_operations,
	[TS_VIEW_TRACE] = &ts_view_trace,
	[TS_VIEW_VARIABLES] = &ts_view_variables,
	[TS_VIEW_TABLES] = &ts_view_tables,
	[TS_VIEW_OPEN] = &ts_view_open,
	[TS_VIEW_HELP] = &ts_view_help,
	[TS_VIEW_LOG] = &ts_view_log,
	[TS_VIEW_JOBS] = &ts_view_jobs,
	[TS_VIEW_SQL] = &ts_view_sql,
};

bool
ts_app_is_cover(enum ts_view_id id)
{
	return id >= TS_VIEW_OPEN;
}

struct ts_view *
ts_app_view(struct ts_app *app)
{
	return app->view[app->current];
}

/* The view, made when it is first needed; NULL without memory. */
static struct ts_view *
ensure_view(struct ts_app *app, enum ts_view_id id)
{
	struct ts_view *v = app->view[id];

	if (v)
		return v;
	v = ts_views[id]->open(&app->env);
	if (!v)
		return NULL;
	v->ops = ts_views[id];
	v->env = &app->env;
	v->id = (int)id;
	app->view[id] = v;
	return v;
}

void
ts_app_show(struct ts_app *app, enum ts_view_id id)
{
	struct ts_view *v = ensure_view(app, id);

	if (!v) {
		ts_view_say_error(&app->env, "out of memory");
		return;
	}
	if (ts_app_is_cover(id) && !ts_app_is_cover(app->current))
		app->under = app->current;
	app->current = id;
	if (v->ops->shown)
		v->ops->shown(v);
	ts_app_layout(app);
	if (v->ops->request && app->env.report)
		v->ops->request(v);
	app->dirty = true;
}

void
ts_app_ahead(struct ts_app *app)
{
	app->ahead = app->env.generation;
	for (int i = 0; i < TS_VIEW_COUNT; i++) {
		struct ts_view *v = ts_views[i]->ahead ? ensure_view(app, (enum ts_view_id)i)
						       : NULL;

		if (v)
			v->ops->ahead(v);
	}
}

/* --- places: back and forward ----------------------------------------------------------------- */

static struct ts_place
present_place(const struct ts_app *app)
{
	const struct ts_selection *s = &app->selection;

	return (struct ts_place){app->current, s->tile, s->ipu, s->step, s->live_step};
}

/* Remember where we are before going elsewhere. */
static void
push_place(struct ts_app *app)
{
	if (ts_app_is_cover(app->current))
		return;
	if (app->at_place == TS_PLACES) {
		memmove(app->place, app->place + 1, (TS_PLACES - 1) * sizeof(app->place[0]));
		app->at_place--;
	}
	app->place[app->at_place++] = present_place(app);
	app->places = app->at_place;
}

static enum ts_effect
go_place(struct ts_app *app, int to)
{
	struct ts_place here = present_place(app), there;

	if (to < 0 || to >= app->places || ts_app_is_cover(app->current))
		return TS_EFFECT_BELL;
	there = app->place[to];
	app->place[to] = here;
	app->selection.tile = there.tile;
	app->selection.ipu = there.ipu;
	app->selection.step = there.step;
	app->selection.live_step = there.live_step;
	ts_app_show(app, there.view);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
ts_app_back(struct ts_app *app, const struct ts_call *call)
{
	enum ts_effect effect = go_place(app, app->at_place - 1);

	(void)call;
	if (effect != TS_EFFECT_BELL)
		app->at_place--;
	return effect;
}

enum ts_effect
ts_app_forward(struct ts_app *app, const struct ts_call *call)
{
	enum ts_effect effect = go_place(app, app->at_place);

	(void)call;
	if (effect != TS_EFFECT_BELL)
		app->at_place++;
	return effect;
}

enum ts_effect
ts_app_go_view(struct ts_app *app, enum ts_view_id id)
{
	if (ts_app_has_to_choose(app)) {
		ts_view_say(&app->env, "choose a report first");
		return TS_EFFECT_BELL;
	}
	if (id != app->current)
		push_place(app);
	ts_app_show(app, id);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
ts_app_view_command(struct ts_app *app, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);

	for (int i = 0; i < TS_VIEW_COUNT; i++)
		if (ts_views[i]->number > 0 && strcmp(ts_views[i]->name, name) == 0)
			return ts_app_go_view(app, (enum ts_view_id)i);
	ts_view_say_error(&app->env, "there is no view \"%s\"", name);
	return TS_EFFECT_BELL;
}

/* The peaks before and after, from wherever the changes were made. */
enum ts_effect
ts_app_goto_what_if(struct ts_app *app, const struct ts_call *call)
{
	static const struct ts_call tab = {.cmd = TS_CMD_TAB, .argc = 1, .text = "what-if"};
	enum ts_effect effect = ts_app_go_view(app, TS_VIEW_LIVENESS);
	struct ts_view *v = ts_app_view(app);

	(void)call;
	if (effect & TS_EFFECT_BELL || app->current != TS_VIEW_LIVENESS)
		return effect;
	return (enum ts_effect)(effect | v->ops->command(v, &tab));
}

/* To an address, as --at would. */
void
ts_app_go_address(struct ts_app *app, const char *text, const char *says)
{
	struct ts_address at;
	struct ts_err err = {0};

	if (ts_address_parse(&at, text, &err)) {
		ts_view_say_error(&app->env, "%s", err.msg);
		return;
	}
	push_place(app);
	snprintf(at.says, sizeof(at.says), "%s", says);
	app->at = at;
	ts_app_show(app, (enum ts_view_id)at.view);
	ts_address_turn(app);
}

/* Where a view leads to. */
void
ts_app_follow_place(struct ts_app *app)
{
	char place[sizeof(app->env.place)];

	if (!app->env.place[0])
		return;
	memcpy(place, app->env.place, sizeof(place));
	app->env.place[0] = '\0';
	ts_app_go_address(app, place, "");
}
