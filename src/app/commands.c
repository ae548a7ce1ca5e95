/* SPDX-License-Identifier: MIT */
/*
 * commands - what the program itself does at a command, where no view has taken it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch_internal.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/view/help.h"
#include "tilescope/view/sql.h"

enum { PATH_LIMIT = 1 << 14 };

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
	bool listing = ts_app_has_to_choose(app);

	(void)call;
	if (!ts_app_is_cover(app->current) || (listing && app->current == TS_VIEW_OPEN))
		return TS_EFFECT_QUIT;
	ts_app_show(app, listing ? TS_VIEW_OPEN : app->under);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
do_reports(struct ts_app *app, const struct ts_call *call)
{
	if (app->current == TS_VIEW_OPEN && app->env.report)
		return do_close(app, call);
	if (app->current == TS_VIEW_OPEN) {
		ts_view_say(&app->env, "no report is open (q leaves)");
		return TS_EFFECT_REPAINT;
	}
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

static void
show_help(struct ts_app *app)
{
	app->env.help_context = ts_views[app->current]->context;
	ts_app_show(app, TS_VIEW_HELP);
}

static enum ts_effect
do_help(struct ts_app *app, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	int cmd = name ? ts_command_find(name) : -1;

	if (name && ts_help_topic_find(name)) {
		if (app->current != TS_VIEW_HELP)
			show_help(app);
		return app->current == TS_VIEW_HELP
			? ts_app_view(app)->ops->command(ts_app_view(app), call)
			: TS_EFFECT_BELL;
	}
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
	show_help(app);
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

/* Which part of a chart is to be hidden is typed, or chosen with Tab. */
static enum ts_effect
do_series(struct ts_app *app, const struct ts_call *call)
{
	return call->argc == 0 ? ts_app_ask(app, TS_ASK_COMMAND, "series ") : TS_EFFECT_UNKNOWN;
}

static enum ts_effect
do_prompt(struct ts_app *app, const struct ts_call *call)
{
	return ts_app_ask(app, TS_ASK_COMMAND, ts_call_arg(call, 0));
}

/* Show the view of answers, which then runs the statement; without one it can be typed anew. */
static enum ts_effect
do_sql(struct ts_app *app, const struct ts_call *call)
{
	const char *last = ts_view_sql_last(app->view[TS_VIEW_SQL]);
	char line[TS_PROMPT_MAX];

	if (call->argc == 0) {
		snprintf(line, sizeof(line), "sql %s", last ? last : "SELECT ");
		return ts_app_ask(app, TS_ASK_COMMAND, line);
	}
	if (app->current == TS_VIEW_SQL)
		return TS_EFFECT_UNKNOWN;
	ts_app_show(app, TS_VIEW_SQL);
	if (app->current != TS_VIEW_SQL)
		return TS_EFFECT_BELL;
	return ts_app_view(app)->ops->command(ts_app_view(app), call);
}

static enum ts_effect
do_copy(struct ts_app *app, const struct ts_call *call)
{
	(void)app;
	(void)call;
	return TS_EFFECT_BELL; /* the view had nothing under its cursor */
}

/* The words that open the present place once more. */
static enum ts_effect
do_copy_address(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view *v = ts_app_view(app);
	struct ts_strbuf words;

	(void)call;
	if (!v || v->ops->number == 0 || !app->env.report) {
		ts_view_say_error(&app->env, "only places in a report have an address");
		return TS_EFFECT_BELL;
	}
	ts_strbuf_init(&words, sizeof(app->env.copy) - 1);
	ts_address_command(&words, app->env.word, v);
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
	{TS_CMD_VIEW, ts_app_view_command},
	{TS_CMD_HELP, do_help},
	{TS_CMD_LOG, do_log},
	{TS_CMD_JOBS, do_jobs},
	{TS_CMD_INDEX, do_index},
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
	{TS_CMD_BACK, ts_app_back},
	{TS_CMD_FORWARD, ts_app_forward},
	{TS_CMD_GOTO_MEMORY, ts_app_goto_object},
	{TS_CMD_GOTO_LIVENESS, ts_app_goto_object},
	{TS_CMD_GOTO_PROGRAMS, ts_app_goto_object},
	{TS_CMD_GOTO_OPERATIONS, ts_app_goto_object},
	{TS_CMD_GOTO_TRACE, ts_app_goto_object},
	{TS_CMD_GOTO_WHAT_IF, ts_app_goto_what_if},
	{TS_CMD_TILES, ts_app_tiles_command},
	{TS_CMD_MARKS_CLEAR, ts_app_tiles_clear},
	{TS_CMD_WHAT_IF, ts_app_what_if_command},
	{TS_CMD_COPY, do_copy},
	{TS_CMD_COPY_ADDRESS, do_copy_address},
	{TS_CMD_EXPLAIN, ts_app_explain},
	{TS_CMD_COLUMNS, ts_app_columns},
	{TS_CMD_WRITE, ts_app_write},
	{TS_CMD_WRITE_OVER, ts_app_write},
	{TS_CMD_EXPORT, ts_app_write},
	{TS_CMD_EXPORT_OVER, ts_app_write},
};

enum ts_effect
ts_app_run_own(struct ts_app *app, const struct ts_call *call)
{
	for (size_t i = 0; i < TS_COUNT(handlers); i++)
		if (handlers[i].cmd == call->cmd)
			return handlers[i].run(app, call);
	return TS_EFFECT_UNKNOWN;
}
