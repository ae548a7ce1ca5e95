/* SPDX-License-Identifier: MIT */
/*
 * dispatch - from an event to a command, from a command to whoever knows it.
 *
 * A command goes to the view first, then to the program's own table below.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/edit.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/tile_live.h"
#include "tilescope/view/help.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/jobs.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/log.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/open.h"
#include "tilescope/view/sql.h"
#include "tilescope/view/summary.h"
#include "tilescope/view/tables.h"
#include "tilescope/view/trace.h"
#include "tilescope/view/variables.h"
#include "tilescope/view/what_if.h"

const struct ts_view_ops *const ts_views[TS_VIEW_COUNT] = {
	[TS_VIEW_SUMMARY] = &ts_view_summary,
	[TS_VIEW_INSIGHTS] = &ts_view_insights,
	[TS_VIEW_MEMORY] = &ts_view_memory,
	[TS_VIEW_LIVENESS] = &ts_view_liveness,
	[TS_VIEW_TRACE] = &ts_view_trace,
	[TS_VIEW_VARIABLES] = &ts_view_variables,
	[TS_VIEW_TABLES] = &ts_view_tables,
	[TS_VIEW_OPEN] = &ts_view_open,
	[TS_VIEW_HELP] = &ts_view_help,
	[TS_VIEW_LOG] = &ts_view_log,
	[TS_VIEW_JOBS] = &ts_view_jobs,
	[TS_VIEW_SQL] = &ts_view_sql,
};

enum { PATH_LIMIT = 1 << 14 };

static bool
is_cover(enum ts_view_id id)
{
	return id >= TS_VIEW_OPEN;
}

static struct ts_view *
current(struct ts_app *app)
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
	if (is_cover(id) && !is_cover(app->current))
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
	if (is_cover(app->current))
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

	if (to < 0 || to >= app->places || is_cover(app->current))
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

static enum ts_effect
do_back(struct ts_app *app, const struct ts_call *call)
{
	enum ts_effect effect = go_place(app, app->at_place - 1);

	(void)call;
	if (effect != TS_EFFECT_BELL)
		app->at_place--;
	return effect;
}

static enum ts_effect
do_forward(struct ts_app *app, const struct ts_call *call)
{
	enum ts_effect effect = go_place(app, app->at_place);

	(void)call;
	if (effect != TS_EFFECT_BELL)
		app->at_place++;
	return effect;
}

static enum ts_effect
go_view(struct ts_app *app, enum ts_view_id id)
{
	if (!app->env.report && app->view[TS_VIEW_OPEN]) {
		ts_view_say(&app->env, "choose a report first");
		return TS_EFFECT_BELL;
	}
	if (id != app->current)
		push_place(app);
	ts_app_show(app, id);
	return TS_EFFECT_REPAINT;
}

/* --- the program's own commands --------------------------------------------------------------- */

static enum ts_effect
do_quit(struct ts_app *app, const struct ts_call *call)
{
	(void)app;
	(void)call;
	return TS_EFFECT_QUIT;
}

static enum ts_effect
do_close(struct ts_app *app, const struct ts_call *call)
{
	bool listing = !app->env.report && app->view[TS_VIEW_OPEN];

	(void)call;
	if (!is_cover(app->current) || (listing && app->current == TS_VIEW_OPEN))
		return TS_EFFECT_QUIT;
	ts_app_show(app, listing ? TS_VIEW_OPEN : app->under);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_reports(struct ts_app *app, const struct ts_call *call)
{
	if (app->current == TS_VIEW_OPEN && app->env.report)
		return do_close(app, call);
	ts_app_show(app, TS_VIEW_OPEN);
	return TS_EFFECT_REPAINT;
}

/* Typed with a path; without one it is for what has the cursor. "~/" is the home directory. */
static enum ts_effect
do_open(struct ts_app *app, const struct ts_call *call)
{
	const char *path = ts_call_arg(call, 0), *home = getenv("HOME");
	struct ts_strbuf whole;

	if (!path)
		return TS_EFFECT_UNKNOWN;
	ts_strbuf_init(&whole, PATH_LIMIT);
	if (strncmp(path, "~/", 2) == 0 && home)
		ts_strbuf_printf(&whole, "%s%s", home, path + 1);
	else
		ts_strbuf_puts(&whole, path);
	free(app->env.open);
	app->env.open = ts_strbuf_take(&whole);
	ts_strbuf_fini(&whole);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_view(struct ts_app *app, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);

	for (int i = 0; i < TS_VIEW_COUNT; i++)
		if (ts_views[i]->number > 0 && strcmp(ts_views[i]->name, name) == 0)
			return go_view(app, (enum ts_view_id)i);
	ts_view_say_error(&app->env, "there is no view \"%s\"", name);
	return TS_EFFECT_BELL;
}

/*
 * Go to a view with the object that is looked at. Only the IPU is common to Memory and Trace; steps of the
 * program's liveness and steps of its execution are different things: that is said, not glossed over.
 */
static enum ts_effect
go_with_object(struct ts_app *app, enum ts_view_id id)
{
	enum ts_view_id from = app->current;
	enum ts_effect effect = go_view(app, id);
	bool by_ipu = from != TS_VIEW_LIVENESS && id != TS_VIEW_LIVENESS;

	if (effect == TS_EFFECT_BELL || from == id || from == TS_VIEW_SUMMARY ||
		from == TS_VIEW_TABLES || is_cover(from))
		return effect;
	if ((from == TS_VIEW_VARIABLES || from == TS_VIEW_LIVENESS) && id == TS_VIEW_MEMORY &&
		app->selection.tile >= 0)
		ts_view_say(&app->env, "tile %lld, as in %s", (long long)app->selection.tile,
			ts_views[from]->title);
	else if (by_ipu && app->selection.ipu >= 0)
		ts_view_say(&app->env, "ipu %lld, as in %s", (long long)app->selection.ipu,
			ts_views[from]->title);
	else
		ts_view_say(&app->env,
			"%s stays where it was: %s has nothing that it could be taken to",
			ts_views[id]->title, ts_views[from]->title);
	return effect;
}

static enum ts_effect
do_goto_memory(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	if (app->current == TS_VIEW_TRACE && app->selection.ipu >= 0)
		app->selection.tile = TS_SELECT_OF_IPU;
	return go_with_object(app, TS_VIEW_MEMORY);
}

/* From Memory: the liveness of its tile, at the highest step, where the report has what that is derived from. */
static enum ts_effect
do_goto_liveness(struct ts_app *app, const struct ts_call *call)
{
	enum ts_view_id from = app->current;
	int64_t tile = app->selection.tile;
	struct ts_call source = {.cmd = TS_CMD_SOURCE, .argc = 1};
	enum ts_effect effect;

	(void)call;
	if (from != TS_VIEW_MEMORY || tile < 0 || !app->env.report ||
		!ts_tile_lives_can(app->env.report))
		return go_with_object(app, TS_VIEW_LIVENESS);
	effect = go_view(app, TS_VIEW_LIVENESS);
	if (effect & TS_EFFECT_BELL || app->current != TS_VIEW_LIVENESS)
		return effect;
	snprintf(source.text, sizeof(source.text), "tile %lld peak", (long long)tile);
	effect = current(app)->ops->command(current(app), &source);
	ts_view_say(&app->env, "tile %lld, as in %s", (long long)tile, ts_views[from]->title);
	return effect;
}

static enum ts_effect
do_goto_trace(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	return go_with_object(app, TS_VIEW_TRACE);
}

/* Help is one text: what records what stands at its end. */
static const char help_topic[] = "capture";

static enum ts_effect
show_topic(struct ts_app *app)
{
	static const struct ts_call search = {.cmd = TS_CMD_SEARCH,
		.argc = 1,
		.text = "WHAT RECORDS WHAT"};

	ts_app_show(app, TS_VIEW_HELP);
	if (app->current != TS_VIEW_HELP)
		return TS_EFFECT_BELL;
	return current(app)->ops->command(current(app), &search);
}

static enum ts_effect
do_help(struct ts_app *app, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	int cmd = name ? ts_command_find(name) : -1;

	if (name && strcmp(name, help_topic) == 0)
		return show_topic(app);
	if (name && cmd < 0) {
		ts_view_say_error(&app->env, "there is no command \"%s\"", name);
		return TS_EFFECT_BELL;
	}
	if (name) {
		const char *words = ts_command_words((enum ts_cmd)cmd);

		ts_view_say(&app->env, "%s %s: %s%s", name, ts_commands[cmd].args,
			words ? words : ts_commands[cmd].help, words ? "; none: all" : "");
		return TS_EFFECT_REPAINT;
	}
	if (app->current == TS_VIEW_HELP)
		return do_close(app, call);
	ts_app_show(app, TS_VIEW_HELP);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_log(struct ts_app *app, const struct ts_call *call)
{
	if (app->current == TS_VIEW_LOG)
		return do_close(app, call);
	ts_app_show(app, TS_VIEW_LOG);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_jobs(struct ts_app *app, const struct ts_call *call)
{
	if (app->current == TS_VIEW_JOBS)
		return do_close(app, call);
	ts_app_show(app, TS_VIEW_JOBS);
	ts_indexing_tick(app, ts_clock_us());
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
set_option(struct ts_app *app, const char *name, const char *value)
{
	struct ts_options wanted = app->options;
	struct ts_err err = {0};

	if (ts_option_set(&wanted, name, value, &err)) {
		ts_view_say_error(&app->env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	if (strcmp(wanted.theme, app->options.theme) != 0 && !ts_app_use_theme(app, wanted.theme))
		return TS_EFFECT_BELL;
	if (strcmp(wanted.keymap, app->options.keymap) != 0 &&
		!ts_app_use_keymap(app, wanted.keymap))
		return TS_EFFECT_BELL;
	if (wanted.mouse != app->options.mouse && !ts_tty_mouse(app->tty, wanted.mouse))
		ts_view_say_error(&app->env, "this terminal has no mouse");
	if (wanted.cache != app->options.cache)
		ts_view_say(&app->env, "cache: from the next start on");
	if (wanted.index != app->options.index) {
		app->options.index = wanted.index;
		ts_indexing_restart(app);
	}
	app->options = wanted;
	if (app->settings && ts_option_kept(name) &&
		!ts_settings_put(app->settings, "set", name, value))
		ts_view_say(&app->env, "%s is not kept for the next start", name);
	return TS_EFFECT_REFLOW | TS_EFFECT_RECALC;
}

static enum ts_effect
do_set(struct ts_app *app, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0), *value = ts_call_arg(call, 1);
	char text[TS_OPTION_TEXT], joined[TS_OPTION_TEXT];
	const char *equals = strchr(name, '=');

	if (equals && !value) { /* `set units=kib` */
		snprintf(joined, sizeof(joined), "%.*s", (int)(equals - name), name);
		return set_option(app, joined, equals + 1);
	}
	if (value)
		return set_option(app, name, value);
	if (ts_option_get(&app->options, name, text))
		ts_view_say(&app->env, "%s is %s", name, text);
	else
		ts_view_say_error(&app->env, "there is no option \"%s\"", name);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_theme(struct ts_app *app, const struct ts_call *call)
{
	return set_option(app, "theme", ts_call_arg(call, 0));
}

static enum ts_effect
do_keymap(struct ts_app *app, const struct ts_call *call)
{
	return set_option(app, "keymap", ts_call_arg(call, 0));
}

static enum ts_effect
do_mouse(struct ts_app *app, const struct ts_call *call)
{
	const char *value = ts_call_arg(call, 0);

	return set_option(app, "mouse", value ? value : app->options.mouse ? "off" : "on");
}

static enum ts_effect
do_reload(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	app->failed = (struct ts_err){0}; /* if it fails once more that is said once more */
	if (app->path)
		ts_app_load(app);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_redraw(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	ts_tty_redraw(app->tty);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_suspend(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	ts_tty_suspend(app->tty);
	ts_app_layout(app);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_cancel(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	ts_app_stop(app);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_import(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	return ts_importing_start(app) ? TS_EFFECT_REPAINT : TS_EFFECT_BELL;
}

static enum ts_effect
do_index(struct ts_app *app, const struct ts_call *call)
{
	const char *word = ts_call_arg(call, 0);

	if (word && strcmp(word, "stop") != 0) {
		ts_view_say_error(&app->env, "index takes nothing or \"stop\", not \"%s\"", word);
		return TS_EFFECT_BELL;
	}
	if (word)
		ts_view_say(&app->env,
			ts_indexing_stop(app) ? "the index is not built any further"
					      : "no index is being built");
	else
		ts_view_say(&app->env, "%s", ts_indexing_start(app));
	return TS_EFFECT_REPAINT;
}

/* Words that the table of commands has for the argument that begins at `word`. */
static void
complete_arg(const char *line, const char *word, struct ts_candidates *out)
{
	char known[TS_PROMPT_CANDIDATES][TS_COMMAND_WORD], name[TS_PROMPT_CANDIDATE];
	size_t len = strcspn(line, " ");
	int n, cmd, arg = -1;

	snprintf(name, sizeof(name), "%.*s", (int)ts_min_i64((int64_t)len, sizeof(name) - 1), line);
	cmd = ts_command_find(name);
	if (cmd < 0)
		return;
	for (const char *s = line; s < word; s++)
		arg += *s == ' ' && s[1] != ' ';
	n = ts_command_complete_arg((enum ts_cmd)cmd, arg, word, known, TS_PROMPT_CANDIDATES);
	for (int i = 0; i < n && i < TS_PROMPT_CANDIDATES; i++)
		ts_candidates_add(out, known[i]);
}

/* What only the view knows: parts of its chart. */
static void
complete_view(struct ts_app *app, const char *line, struct ts_candidates *out)
{
	static const enum ts_cmd cmds[] = {TS_CMD_SERIES, TS_CMD_BREAKDOWN, TS_CMD_METRIC};
	struct ts_view *v = current(app);

	for (size_t i = 0; v && v->ops->complete && i < TS_COUNT(cmds); i++) {
		size_t n = strlen(ts_commands[cmds[i]].name);

		if (strncmp(line, ts_commands[cmds[i]].name, n) == 0 && line[n] == ' ')
			v->ops->complete(v, cmds[i], line, out);
	}
}

/* Candidates of the prompt: commands, then views, options and their values. */
static void
complete(void *ctx, const char *line, struct ts_candidates *out)
{
	const char *word = strrchr(line, ' ');
	const struct ts_command *found[TS_PROMPT_CANDIDATES];
	int n;

	if (!word) {
		out->start = 0;
		n = ts_command_complete(line, strlen(line), found, TS_PROMPT_CANDIDATES);
		for (int i = 0; i < n && i < TS_PROMPT_CANDIDATES; i++)
			ts_candidates_add(out, found[i]->name);
		return;
	}
	word++;
	out->start = (size_t)(word - line);
	n = (int)strlen(word);
	for (int i = 0; strncmp(line, "view ", 5) == 0 && i < TS_VIEW_COUNT; i++)
		if (ts_views[i]->number > 0 && strncmp(ts_views[i]->name, word, (size_t)n) == 0)
			ts_candidates_add(out, ts_views[i]->name);
	for (const struct ts_option *o = ts_option_table; strncmp(line, "set ", 4) == 0 && o->name;
		o++)
		if (strncmp(o->name, word, (size_t)n) == 0 && strchr(line, ' ') + 1 == word)
			ts_candidates_add(out, o->name);
	for (int i = 0; strncmp(line, "help ", 5) == 0 && i < TS_CMD_COUNT; i++)
		if (strncmp(ts_commands[i].name, word, (size_t)n) == 0)
			ts_candidates_add(out, ts_commands[i].name);
	if (strncmp(line, "help ", 5) == 0 && strncmp(help_topic, word, (size_t)n) == 0)
		ts_candidates_add(out, help_topic);
	for (int i = 0; strncmp(line, "sql ", 4) == 0 && i < TS_RELATION_COUNT; i++)
		if (n > 0 &&
			strncmp(ts_relation_def((enum ts_relation)i)->name, word, (size_t)n) == 0)
			ts_candidates_add(out, ts_relation_def((enum ts_relation)i)->name);
	complete_arg(line, word, out);
	complete_view(ctx, line, out);
}

/* Commands that ask for their text at the bottom line, and back. */
static const struct {
	enum ts_cmd cmd;
	enum ts_asking asking;
} askings[] = {
	{TS_CMD_SEARCH, TS_ASK_SEARCH},
	{TS_CMD_SEARCH_BACK, TS_ASK_SEARCH_BACK},
	{TS_CMD_FILTER, TS_ASK_FILTER},
};

static enum ts_asking
asking_of(enum ts_cmd cmd)
{
	for (size_t i = 0; i < TS_COUNT(askings); i++)
		if (askings[i].cmd == cmd)
			return askings[i].asking;
	return TS_ASK_NOTHING;
}

static enum ts_cmd
asked_for(enum ts_asking asking)
{
	for (size_t i = 0; i < TS_COUNT(askings); i++)
		if (askings[i].asking == asking)
			return askings[i].cmd;
	return TS_CMD_SEARCH;
}

/* Candidates of the text of a search or a filter: the view knows them. */
static void
complete_text(void *ctx, const char *line, struct ts_candidates *out)
{
	struct ts_app *app = ctx;
	struct ts_view *v = current(app);

	if (v && v->ops->complete)
		v->ops->complete(v, asked_for(app->asking), line, out);
}

static enum ts_effect
ask(struct ts_app *app, enum ts_asking asking, const char *text)
{
	static const char *const labels[] = {"", ":", "/", "\\", "&"};

	app->asking = asking;
	ts_prompt_open(&app->prompt, labels[asking], text,
		asking == TS_ASK_COMMAND ? &app->commands : &app->searches,
		asking == TS_ASK_COMMAND ? complete : complete_text, app);
	if (asking != TS_ASK_COMMAND && app->current == TS_VIEW_VARIABLES)
		ts_prompt_hint(&app->prompt, ts_command_words(TS_CMD_FILTER));
	else if (asking == TS_ASK_FILTER)
		ts_prompt_hint(&app->prompt, "text COLUMN:text COLUMN>1000 COLUMN=NULL");
	return TS_EFFECT_REPAINT;
}

/* Which part of a chart is to be hidden is typed, or chosen with Tab. */
static enum ts_effect
do_series(struct ts_app *app, const struct ts_call *call)
{
	return call->argc == 0 ? ask(app, TS_ASK_COMMAND, "series ") : TS_EFFECT_UNKNOWN;
}

static enum ts_effect
do_prompt(struct ts_app *app, const struct ts_call *call)
{
	return ask(app, TS_ASK_COMMAND, ts_call_arg(call, 0));
}

/* Show the view of answers, which then runs the statement; without one it can be typed anew. */
static enum ts_effect
do_sql(struct ts_app *app, const struct ts_call *call)
{
	const char *last = ts_view_sql_last(app->view[TS_VIEW_SQL]);
	char line[TS_PROMPT_MAX];

	if (call->argc == 0) {
		snprintf(line, sizeof(line), "sql %s", last ? last : "SELECT ");
		return ask(app, TS_ASK_COMMAND, line);
	}
	if (app->current == TS_VIEW_SQL)
		return TS_EFFECT_UNKNOWN;
	ts_app_show(app, TS_VIEW_SQL);
	if (app->current != TS_VIEW_SQL)
		return TS_EFFECT_BELL;
	return current(app)->ops->command(current(app), call);
}

static enum ts_effect
do_copy(struct ts_app *app, const struct ts_call *call)
{
	(void)app;
	(void)call;
	return TS_EFFECT_BELL; /* the view had nothing under its cursor */
}

/* Changes are the selection's: any view will do. */
static enum ts_effect
do_what_if(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view v = {.env = &app->env};

	return ts_what_if_command(&v, call);
}

/* The words that open the present place once more. */
static enum ts_effect
do_copy_address(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view *v = current(app);
	struct ts_strbuf words;

	(void)call;
	if (!v || v->ops->number == 0 || !app->env.report) {
		ts_view_say_error(&app->env, "only places in a report have an address");
		return TS_EFFECT_BELL;
	}
	ts_strbuf_init(&words, sizeof(app->env.copy) - 1);
	ts_address_command(&words, app->env.report->path, v);
	if (words.cut)
		ts_view_say_error(&app->env, "the address of this place is too long");
	else
		snprintf(app->env.copy, sizeof(app->env.copy), "%s", words.s);
	ts_strbuf_fini(&words);
	return TS_EFFECT_REPAINT;
}

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct ts_app *app, const struct ts_call *call);
} handlers[] = {
	{TS_CMD_QUIT, do_quit},
	{TS_CMD_SQL, do_sql},
	{TS_CMD_OPEN, do_open},
	{TS_CMD_REPORTS, do_reports},
	{TS_CMD_CLOSE, do_close},
	{TS_CMD_VIEW, do_view},
	{TS_CMD_HELP, do_help},
	{TS_CMD_LOG, do_log},
	{TS_CMD_JOBS, do_jobs},
	{TS_CMD_INDEX, do_index},
	{TS_CMD_IMPORT, do_import},
	{TS_CMD_PROMPT, do_prompt},
	{TS_CMD_SERIES, do_series},
	{TS_CMD_SET, do_set},
	{TS_CMD_THEME, do_theme},
	{TS_CMD_KEYMAP, do_keymap},
	{TS_CMD_MOUSE, do_mouse},
	{TS_CMD_RELOAD, do_reload},
	{TS_CMD_REDRAW, do_redraw},
	{TS_CMD_SUSPEND, do_suspend},
	{TS_CMD_CANCEL, do_cancel},
	{TS_CMD_BACK, do_back},
	{TS_CMD_FORWARD, do_forward},
	{TS_CMD_GOTO_MEMORY, do_goto_memory},
	{TS_CMD_GOTO_LIVENESS, do_goto_liveness},
	{TS_CMD_GOTO_TRACE, do_goto_trace},
	{TS_CMD_TILES, ts_app_tiles_command},
	{TS_CMD_MARKS_CLEAR, ts_app_tiles_clear},
	{TS_CMD_WHAT_IF, do_what_if},
	{TS_CMD_COPY, do_copy},
	{TS_CMD_COPY_ADDRESS, do_copy_address},
	{TS_CMD_EXPLAIN, ts_app_explain},
	{TS_CMD_COLUMNS, ts_app_columns},
	{TS_CMD_WRITE, ts_app_write},
	{TS_CMD_WRITE_OVER, ts_app_write},
};

static enum ts_effect
run_own(struct ts_app *app, const struct ts_call *call)
{
	for (size_t i = 0; i < TS_COUNT(handlers); i++)
		if (handlers[i].cmd == call->cmd)
			return handlers[i].run(app, call);
	return TS_EFFECT_UNKNOWN;
}

/* A path was chosen in the list of reports. */
static void
open_chosen(struct ts_app *app)
{
	if (!app->env.open)
		return;
	free(app->opened);
	app->opened = app->env.open;
	app->env.open = NULL;
	app->path = app->opened;
	app->chosen = true;
	ts_app_load(app);
}

/* To an address, as --at would. */
static void
follow_place(struct ts_app *app)
{
	struct ts_address at;
	struct ts_err err = {0};

	if (!app->env.place[0])
		return;
	if (ts_address_parse(&at, app->env.place, &err)) {
		ts_view_say_error(&app->env, "%s", err.msg);
	} else {
		push_place(app);
		app->at = at;
		ts_app_show(app, (enum ts_view_id)at.view);
		ts_address_turn(app);
	}
	app->env.place[0] = '\0';
}

/* A view wants to lead elsewhere. */
static void
follow(struct ts_app *app)
{
	struct ts_call call = {.cmd = (enum ts_cmd)app->env.go};

	if (app->env.go < 0)
		return;
	app->env.go = -1;
	run_own(app, &call);
}

static void
copy_out(struct ts_app *app)
{
	if (!app->env.copy[0])
		return;
	if (ts_tty_copy(app->tty, app->env.copy))
		ts_view_say(&app->env, "sent to the terminal's clipboard");
	else
		ts_view_say_error(&app->env, "the terminal takes nothing now");
	app->env.copy[0] = '\0';
}

void
ts_app_effect(struct ts_app *app, enum ts_effect effect)
{
	struct ts_view *v = current(app);

	if (effect & TS_EFFECT_QUIT)
		app->quit = true;
	if (effect & TS_EFFECT_BELL)
		ts_tty_bell(app->tty);
	if (effect & TS_EFFECT_REFLOW)
		ts_app_layout(app);
	if (v && v->ops->request && app->env.report)
		v->ops->request(v);
	ts_app_tiles_turn(app);
	open_chosen(app);
	ts_app_edit(app);
	copy_out(app);
	follow_place(app);
	follow(app);
	app->dirty = true;
}

void
ts_app_call(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view *v = current(app);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;
	enum ts_asking asking = asking_of(call->cmd);
	struct ts_job_info screen;

	if (app->popup.kind != TS_POPUP_NONE) {
		effect = ts_app_popup_command(app, call);
		if (!(effect & TS_EFFECT_UNKNOWN)) {
			ts_app_effect(app, effect);
			return;
		}
	}
	if (asking != TS_ASK_NOTHING && call->argc == 0 &&
		(asking != TS_ASK_FILTER || app->current == TS_VIEW_VARIABLES ||
			app->current == TS_VIEW_TABLES || app->current == TS_VIEW_OPEN ||
			app->current == TS_VIEW_LIVENESS || /* its list, whoever has the keys */
			ts_app_can_filter(app)))
		effect = ask(app, asking, NULL);
	if (effect & TS_EFFECT_UNKNOWN && v && !(call->cmd == TS_CMD_OPEN && call->argc > 0))
		effect = v->ops->command(v, call);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = ts_app_table_command(app, call);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = run_own(app, call);
	if (effect & TS_EFFECT_UNKNOWN) {
		ts_jobs_info(app->jobs, TS_WORKER_SCREEN, &screen);
		ts_view_say_error(&app->env,
			screen.what ? "%s: not yet, this is being read" : "%s does nothing here",
			ts_commands[call->cmd].name);
		effect = TS_EFFECT_BELL;
	}
	ts_app_effect(app, effect);
}

/* --- keys ------------------------------------------------------------------------------------- */

int
ts_app_contexts(struct ts_app *app, enum ts_context out[4])
{
	struct ts_view *v = current(app);
	int n = 0;

	if (app->asking != TS_ASK_NOTHING) {
		out[n++] = TS_CONTEXT_PROMPT;
		return n;
	}
	if (app->popup.kind != TS_POPUP_NONE)
		out[n++] = TS_CONTEXT_POPUP;
	if (v) {
		out[n++] = v->ops->context;
		out[n++] = v->ops->pane_context ? v->ops->pane_context(v) : TS_CONTEXT_LIST;
	}
	out[n++] = TS_CONTEXT_GLOBAL;
	return n;
}

/* The line was typed: run it, or search for it. */
static void
accept(struct ts_app *app)
{
	enum ts_asking asking = app->asking;
	struct ts_call call;
	struct ts_err err = {0};
	char *word = app->prompt.text, nothing[] = "", *none = nothing;
	enum ts_code code;

	app->asking = TS_ASK_NOTHING;
	app->dirty = true;
	if (!*word && asking != TS_ASK_FILTER) /* an empty filter leaves all rows */
		return;
	if (asking == TS_ASK_COMMAND) {
		code = ts_call_parse(&call, word, &err);
		if (!code && call.cmd == TS_CMD_FILTER && call.argc == 0) /* typed: all rows */
			code = ts_call_make(&call, call.cmd, &none, 1, &err);
	} else {
		code = ts_call_make(&call, asked_for(asking), &word, 1, &err);
	}
	if (code)
		ts_view_say_error(&app->env, "%s", err.msg);
	else
		ts_app_call(app, &call);
}

static void
prompt_result(struct ts_app *app, enum ts_prompt_result result)
{
	if (result == TS_PROMPT_ACCEPTED)
		accept(app);
	else if (result == TS_PROMPT_DISMISSED)
		app->asking = TS_ASK_NOTHING;
	app->dirty = true;
}

static void
run_binding(struct ts_app *app, const struct ts_key_binding *b)
{
	struct ts_call call;
	struct ts_err err = {0};

	if (app->asking != TS_ASK_NOTHING) {
		prompt_result(app, ts_prompt_command(&app->prompt, b->cmd));
		return;
	}
	if (ts_call_make(&call, b->cmd, b->arg, b->argc, &err))
		ts_view_say_error(&app->env, "%s", err.msg);
	else
		ts_app_call(app, &call);
}

static void
on_key(struct ts_app *app, ts_key key)
{
	enum ts_context contexts[4];
	int n = ts_app_contexts(app, contexts);
	const struct ts_key_binding *b;
	enum ts_match match;

	app->env.message[0] = '\0';
	app->at.pending = false;
	app->dirty = true;
	if (app->keys.n < TS_KEYS_MAX)
		app->keys.key[app->keys.n++] = key;
	match = ts_keymap_find(&b, &app->keymap, contexts, n, &app->keys);
	if (match == TS_MATCH_PREFIX)
		return;
	if (match == TS_MATCH_FOUND) {
		app->keys.n = 0;
		run_binding(app, b);
		return;
	}
	if (app->asking != TS_ASK_NOTHING && app->keys.n == 1 && ts_key_is_text(key)) {
		prompt_result(app, ts_prompt_type(&app->prompt, key));
	} else if (!(key == TS_KEY_ESC)) {
		char text[TS_KEYS_TEXT];

		ts_view_say(&app->env, "%s is not bound (? shows the keys)",
			ts_keys_print(text, &app->keys));
	}
	app->keys.n = 0;
}

static const struct {
	enum ts_mouse mouse;
	int wheel;
	bool open;
} mouse_events[] = {
	{TS_MOUSE_PRESS, 0, false},
	{TS_MOUSE_DOUBLE, 0, true},
	{TS_MOUSE_WHEEL_UP, -1, false},
	{TS_MOUSE_WHEEL_DOWN, 1, false},
};

static void
on_mouse(struct ts_app *app, const struct ts_event *e)
{
	static const struct ts_call open = {.cmd = TS_CMD_OPEN};
	struct ts_view *v = current(app);

	for (size_t i = 0; app->popup.kind != TS_POPUP_NONE && i < TS_COUNT(mouse_events); i++)
		if (mouse_events[i].mouse == e->mouse) {
			ts_app_effect(app, ts_app_popup_mouse(app, mouse_events[i].wheel));
			return;
		}
	for (size_t i = 0; v && v->ops->mouse && i < TS_COUNT(mouse_events); i++)
		if (mouse_events[i].mouse == e->mouse) {
			ts_app_effect(app, v->ops->mouse(v, e->x, e->y, mouse_events[i].wheel));
			if (mouse_events[i].open)
				ts_app_call(app, &open);
			return;
		}
}

void
ts_app_event(struct ts_app *app, const struct ts_event *e)
{
	switch (e->type) {
	case TS_EVENT_KEY:
		on_key(app, e->key);
		break;
	case TS_EVENT_PASTE:
		if (app->asking != TS_ASK_NOTHING)
			prompt_result(app, ts_prompt_type(&app->prompt, e->key));
		break;
	case TS_EVENT_MOUSE:
		on_mouse(app, e);
		break;
	case TS_EVENT_RESIZE:
		ts_app_layout(app);
		app->dirty = true;
		break;
	}
}
