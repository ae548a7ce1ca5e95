/* SPDX-License-Identifier: MIT */
/*
 * jump - the same object in another view.
 *
 * A view says what is under its cursor (view/at_cursor.h); where that leads to in another one is the table below, the first
 * line that fits. Steps of the program's liveness and steps of its execution are different things and never stand for
 * each other: what leads from one to the other is the program that runs in both.
 */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dispatch_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/tile_live.h"
#include "tilescope/view/arg.h"

#define OF(member) offsetof(struct ts_at_cursor, member)
#define TOLD(member) offsetof(struct ts_selection, member)
#define NOT_TOLD SIZE_MAX

static bool
has_tile_lives(const struct ts_report *r)
{
	return ts_tile_lives_can(r);
}

static bool
has_ipu_lives(const struct ts_report *r)
{
	return ts_tile_lives_can(r) || ts_report_has(r, TS_LIVENESS_STEP_IPU);
}

static const struct lead {
	enum ts_view_id to;
	size_t field;	     /* of the object */
	const char *address; /* # stands for its number; NULL: the selection is told, */
	size_t told;	     /* here, ... */
	int64_t instead;     /* ... this one in its place, unless 0 */
	bool (*where)(const struct ts_report *r); /* the report has what it takes; NULL: always */
	const char *says;			  /* # stands for the number */
} leads[] = {
	{TS_VIEW_MEMORY, OF(tile), NULL, TOLD(tile), 0, NULL, "tile #"},
	{TS_VIEW_MEMORY, OF(ipu), NULL, TOLD(tile), TS_SELECT_OF_IPU, NULL,
		"the fullest tile of ipu #"},
	{TS_VIEW_LIVENESS, OF(live_step), NULL, TOLD(live_step), 0, NULL, "step #"},
	{TS_VIEW_LIVENESS, OF(program), "liveness?program=#", NOT_TOLD, 0, NULL,
		"the first liveness step of program #"},
	{TS_VIEW_LIVENESS, OF(tile), "liveness?source=tile%20#%20peak", NOT_TOLD, 0, has_tile_lives,
		"tile # at its highest step"},
	{TS_VIEW_LIVENESS, OF(ipu), "liveness?source=ipu%20#%20peak", NOT_TOLD, 0, has_ipu_lives,
		"ipu # at its highest step"},
	{TS_VIEW_PROGRAMS, OF(lowered), "programs?lowered=#", NOT_TOLD, 0, NULL,
		"programs that name lowered variable #"},
	{TS_VIEW_PROGRAMS, OF(variable), "programs?variable=#", NOT_TOLD, 0, NULL,
		"programs that name variable #"},
	{TS_VIEW_PROGRAMS, OF(program), "programs?program=#", NOT_TOLD, 0, NULL, "program #"},
	{TS_VIEW_PROGRAMS, OF(compute_set), "programs?compute_set=#", NOT_TOLD, 0, NULL,
		"compute set #"},
	{TS_VIEW_OPERATIONS, OF(operation), "operations?operation=#", NOT_TOLD, 0, NULL,
		"operation #"},
	{TS_VIEW_OPERATIONS, OF(lowered), "operations?lowered=#", NOT_TOLD, 0, NULL,
		"the operation of lowered variable #"},
	{TS_VIEW_OPERATIONS, OF(variable), "operations?variable=#", NOT_TOLD, 0, NULL,
		"the operation of variable #"},
	{TS_VIEW_OPERATIONS, OF(program), "operations?program=#", NOT_TOLD, 0, NULL,
		"the operation of program #"},
	{TS_VIEW_OPERATIONS, OF(compute_set), "operations?compute_set=#", NOT_TOLD, 0, NULL,
		"the operation of compute set #"},
	{TS_VIEW_TRACE, OF(step), NULL, TOLD(step), 0, NULL, "step #"},
	{TS_VIEW_TRACE, OF(program), "trace?program=#", NOT_TOLD, 0, NULL, "steps of program #"},
	{TS_VIEW_TRACE, OF(compute_set), "trace?set=#", NOT_TOLD, 0, NULL,
		"steps of compute set #"},
	{TS_VIEW_TRACE, OF(ipu), NULL, TOLD(ipu), 0, NULL, "ipu #"},
};

static const struct {
	enum ts_cmd cmd;
	enum ts_view_id to;
} commands[] = {
	{TS_CMD_GOTO_MEMORY, TS_VIEW_MEMORY},
	{TS_CMD_GOTO_LIVENESS, TS_VIEW_LIVENESS},
	{TS_CMD_GOTO_PROGRAMS, TS_VIEW_PROGRAMS},
	{TS_CMD_GOTO_OPERATIONS, TS_VIEW_OPERATIONS},
	{TS_CMD_GOTO_TRACE, TS_VIEW_TRACE},
};

static int64_t
number_of(const struct ts_at_cursor *o, size_t field)
{
	int64_t v;

	memcpy(&v, (const char *)o + field, sizeof(v));
	return v;
}

/* What an address that a row leads to says of it. */
static const struct {
	enum ts_view_id view;
	const char *arg;
	size_t field;
} args[] = {
	{TS_VIEW_MEMORY, "tile", OF(tile)},
	{TS_VIEW_LIVENESS, "step", OF(live_step)},
	{TS_VIEW_PROGRAMS, "program", OF(program)},
	{TS_VIEW_OPERATIONS, "operation", OF(operation)},
	{TS_VIEW_OPERATIONS, "program", OF(program)},
	{TS_VIEW_TRACE, "step", OF(step)},
	{TS_VIEW_TRACE, "ipu", OF(ipu)},
};

static void
take_place(struct ts_at_cursor *o, const struct ts_address *a)
{
	const struct ts_view_arg *arg = ts_views[a->view]->args;

	for (int i = 0; arg && arg[i].name && i < TS_ADDRESS_ARGS; i++)
		for (size_t k = 0; k < TS_COUNT(args); k++)
			if (a->has[i] && (int)args[k].view == a->view &&
				strcmp(args[k].arg, arg[i].name) == 0 &&
				number_of(o, args[k].field) < 0) {
				int64_t v = ts_arg_number(a->text + a->at[i]);

				memcpy((char *)o + args[k].field, &v, sizeof(v));
			}
}

/* `text` with the number in the place of its #. */
static void
put_number(char *out, size_t size, const char *text, int64_t number)
{
	int n = (int)strcspn(text, "#");

	snprintf(out, size, "%.*s%" PRId64 "%s", n, text, number, text + n + 1);
}

static void
tell(struct ts_app *app, const struct lead *l, const struct ts_at_cursor *o)
{
	struct ts_selection *s = &app->selection;
	int64_t v = l->instead ? l->instead : number_of(o, l->field);

	if (o->ipu >= 0)
		s->ipu = o->ipu;
	if (l->to == TS_VIEW_MEMORY && o->address >= 0)
		s->address = o->address;
	memcpy((char *)s + l->told, &v, sizeof(v));
}

static enum ts_effect
follow(struct ts_app *app, const struct lead *l, const struct ts_at_cursor *o)
{
	const char *from = ts_views[app->current]->title;
	int64_t number = number_of(o, l->field);
	char says[sizeof(app->at.says)], place[sizeof(app->env.place)];
	enum ts_effect effect;
	char what[sizeof(says) / 2];

	put_number(what, sizeof(what), l->says, number);
	if (l->field == OF(live_step) && o->live_step_is)
		snprintf(says, sizeof(says), "%s, %s", what, o->live_step_is);
	else
		snprintf(says, sizeof(says), "%s, as in %s", what, from);
	if (l->address) {
		put_number(place, sizeof(place), l->address, number);
		ts_app_go_address(app, place, says);
		return TS_EFFECT_REPAINT;
	}
	tell(app, l, o);
	effect = ts_app_go_view(app, l->to);
	if (effect != TS_EFFECT_BELL && !app->env.message[0])
		ts_view_say(&app->env, "%s", says);
	return effect;
}

/* Does something under the cursor lead there, but not in this report? */
static bool
is_not_recorded(const struct ts_app *app, enum ts_view_id to, const struct ts_at_cursor *o)
{
	for (size_t i = 0; i < TS_COUNT(leads); i++)
		if (leads[i].to == to && leads[i].where && number_of(o, leads[i].field) >= 0 &&
			!leads[i].where(app->env.report))
			return true;
	return false;
}

/* Views that cover others, those of no report, and those whose rows are no objects: nothing is taken along. */
static enum ts_effect
go_without(struct ts_app *app, enum ts_view_id to, const struct ts_at_cursor *o)
{
	enum ts_view_id from = app->current;
	enum ts_effect effect = ts_app_go_view(app, to);

	if (effect != TS_EFFECT_BELL && from != to && is_not_recorded(app, to, o))
		ts_view_say(&app->env,
			"%s stays where it was: when what is on a tile is alive is not recorded here",
			ts_views[to]->title);
	else if (effect != TS_EFFECT_BELL && from != to && ts_views[from]->object)
		ts_view_say(&app->env,
			"%s stays where it was: nothing under the cursor of %s leads there",
			ts_views[to]->title, ts_views[from]->title);
	return effect;
}

enum ts_effect
ts_app_goto_object(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view *v = ts_app_view(app);
	enum ts_view_id to = app->current;
	struct ts_address at = {0};
	struct ts_at_cursor o;

	for (size_t i = 0; i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			to = commands[i].to;
	ts_at_cursor_none(&o);
	if (to != app->current && v && v->ops->object && app->env.report)
		v->ops->object(v, &o);
	if (o.place[0] && !ts_address_parse(&at, o.place, NULL)) {
		if (at.view == (int)to) {
			ts_app_go_address(app, o.place, "");
			return TS_EFFECT_REPAINT;
		}
		take_place(&o, &at);
	}
	for (size_t i = 0; i < TS_COUNT(leads); i++)
		if (leads[i].to == to && number_of(&o, leads[i].field) >= 0 &&
			(!leads[i].where || leads[i].where(app->env.report)))
			return follow(app, &leads[i], &o);
	return go_without(app, to, &o);
}
