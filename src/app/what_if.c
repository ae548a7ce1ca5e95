/* SPDX-License-Identifier: MIT */
/*
 * what_if - `:whatif` in every view, the way to the tab that shows the peaks, and: does what was typed name anything?
 *
 * A change counts at once. Those of which nobody has looked yet whether they name anything (`sure` is not set: they were
 * typed, or stand in an address) are looked at by a worker; one that names nothing is taken back, and the bottom line
 * says so. A newer question replaces an older one: it is about what is not sure then.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/what_if.h"

struct what_if_fetch {
	struct ts_fetch fetch;
	struct ts_what_if_changes changes; /* a copy */
	bool any[TS_WHAT_IF_CHANGES];	   /* of those that are not sure */
	int wrong;			   /* the one that `fetch.code` is about; -1: all */
	char problem[TS_GROUPS_PROBLEM];   /* with the rules of groups; "": none */
	char *rules;
};

static enum ts_code
read_names(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct what_if_fetch *w = (struct what_if_fetch *)f;
	struct ts_groups *groups;
	enum ts_code code = ts_groups_open(&groups, w->rules, err);
	const char *problem = "";

	if (!code && ts_groups_wrong(groups, &problem) > 0)
		snprintf(w->problem, sizeof(w->problem), "%s", problem);
	for (int i = 0; !code && i < w->changes.count; i++) {
		const struct ts_what_if_change *x = &w->changes.item[i];

		if (x->sure)
			continue;
		w->wrong = i;
		code = ts_what_if_names(&w->any[i], rd, x, groups, &f->job.progress, err);
	}
	ts_groups_close(groups);
	return code;
}

static void
fini_names(struct ts_fetch *f)
{
	free(((struct what_if_fetch *)f)->rules);
}

static bool
all_sure(const struct ts_what_if_changes *c)
{
	for (int i = 0; i < c->count; i++)
		if (!c->item[i].sure)
			return false;
	return true;
}

void
ts_app_what_if_turn(struct ts_app *app)
{
	struct ts_what_if_changes *c = &app->selection.what_if;
	struct ts_view sender = {.env = &app->env, .id = TS_OWNER_WHAT_IF};
	struct what_if_fetch *f;

	if (all_sure(c) || !app->env.report || app->what_if_sent == c->version)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->changes = *c;
	f->wrong = -1;
	f->rules = ts_what_if_rules(&app->env);
	f->fetch.read = read_names;
	f->fetch.fini = fini_names;
	app->what_if_sent = c->version;
	ts_jobs_cancel(app->jobs, TS_OWNER_WHAT_IF);
	ts_fetch_send(&sender, &f->fetch, 0, TS_WORKER_BULK, "looking for variables");
}

/* What a change was about, and why it is not taken: on one line of 80 columns. */
static void
say_not_taken(struct ts_app *app, const struct ts_what_if_change *x, const char *why,
	const char *problem)
{
	struct ts_strbuf name;

	ts_strbuf_init(&name, 2 * TS_WHAT_IF_TEXT);
	ts_utf8_safe(&name, x->text, strlen(x->text));
	if (*why)
		ts_view_say_error(&app->env, "not taken: %.160s", why);
	else if (x->of == TS_WHAT_IF_VARIABLE || x->of == TS_WHAT_IF_LOWERED)
		ts_view_say_error(&app->env, "not taken: there is no %.100s", name.s);
	else if (*problem)
		ts_view_say_error(&app->env, "not taken: no variable matches %.100s; %s", name.s,
			problem);
	else
		ts_view_say_error(&app->env, "not taken: no variable matches %.100s", name.s);
	ts_strbuf_fini(&name);
}

/* What is known of change i of a question: a reason against it; "" = it names nothing; NULL = nothing against it. */
static const char *
reason_against(const struct what_if_fetch *f, int i)
{
	if (f->any[i] || f->fetch.code == TS_E_CANCELLED)
		return NULL;
	return f->fetch.code && (f->wrong < 0 || i == f->wrong) ? f->fetch.err.msg : "";
}

/* Those that are asked for still: sure, or taken back. True: the bottom line says something. */
static bool
settle(struct ts_app *app, const struct what_if_fetch *f)
{
	struct ts_what_if_changes *c = &app->selection.what_if;
	bool said = false;

	for (int i = 0; i < f->changes.count; i++) {
		const struct ts_what_if_change *x = &f->changes.item[i];
		const char *why = reason_against(f, i);
		int at = x->sure ? -1 : ts_what_if_find(c, x);

		/* behind one that went wrong nobody has looked */
		if (at < 0 || c->item[at].sure || (why && f->fetch.code && i > f->wrong))
			continue;
		c->item[at].sure = true;
		if (!why)
			continue;
		say_not_taken(app, x, why, f->problem);
		ts_what_if_take(c, at);
		said = true;
	}
	return said;
}

void
ts_app_what_if_take(struct ts_app *app, struct ts_job *job)
{
	struct what_if_fetch *f = (struct what_if_fetch *)job;
	bool said = false;

	/* one that was replaced says nothing: the newer one is about the same changes */
	if (app->what_if_sent == f->changes.version) {
		app->what_if_sent = 0;
		if (!job->dropped && job->generation == app->env.generation)
			said = settle(app, f);
	}
	ts_fetch_free(&f->fetch);
	ts_app_effect(app,
		said ? (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_BELL) : TS_EFFECT_REPAINT);
}

enum ts_effect
ts_app_what_if_command(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view v = {.env = &app->env};

	if (ts_app_has_to_choose(app)) {
		ts_view_say_error(&app->env, "choose a report first");
		return TS_EFFECT_BELL;
	}
	return ts_what_if_command(&v, call);
}
