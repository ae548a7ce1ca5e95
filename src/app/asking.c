/* SPDX-License-Identifier: MIT */
/*
 * asking - what is typed at the bottom line: commands, searches and filters, and how they are completed.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "dispatch_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/help.h"

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
	struct ts_view *v = ts_app_view(app);

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
	for (const struct ts_help_topic *t = ts_help_topics;
		strncmp(line, "help ", 5) == 0 && t->name; t++)
		if (strncmp(t->name, word, (size_t)n) == 0 && ts_command_find(t->name) < 0)
			ts_candidates_add(out, t->name);
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

enum ts_asking
ts_app_asking_of(enum ts_cmd cmd)
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
	struct ts_view *v = ts_app_view(app);

	if (v && v->ops->complete)
		v->ops->complete(v, asked_for(app->asking), line, out);
}

enum ts_effect
ts_app_ask(struct ts_app *app, enum ts_asking asking, const char *text)
{
	static const char *const labels[] = {"", ":", "/", "\\", "&"};

	app->asking = asking;
	app->seeking = false;
	ts_prompt_open(&app->prompt, labels[asking], text,
		asking == TS_ASK_COMMAND ? &app->commands : &app->searches,
		asking == TS_ASK_COMMAND ? complete : complete_text, app);
	if (asking != TS_ASK_COMMAND && app->current == TS_VIEW_VARIABLES)
		ts_prompt_hint(&app->prompt, ts_command_words(TS_CMD_FILTER));
	else if (asking == TS_ASK_FILTER && app->current != TS_VIEW_SUMMARY) /* a text alone */
		ts_prompt_hint(&app->prompt, "text COLUMN:text COLUMN>1000 COLUMN=NULL");
	return TS_EFFECT_REPAINT;
}

static bool
is_search(enum ts_asking asking)
{
	return asking == TS_ASK_SEARCH || asking == TS_ASK_SEARCH_BACK;
}

/* What stands in the line was searched for while it was there. */
static bool
goes_on(const struct ts_app *app)
{
	return app->seeking && strcmp(app->prompt.text, app->sought) == 0;
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
	if (is_search(asking) && goes_on(app)) /* it stands on the hit */
		return;
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
	if (app->env.message_is_error && app->env.message[0]) /* it is gone with the next key */
		ts_log_add(app->env.log, "%s", app->env.message);
}

/* Search for the line, or go on to the next hit, and leave it there; an empty line is the one before. What is found stands above it. */
static void
search_on(struct ts_app *app, bool back)
{
	enum ts_asking asking = app->asking;
	struct ts_call call = {.absolute = true};
	char word[TS_PROMPT_MAX], *words = word;
	struct ts_err err = {0};

	if (!is_search(asking) || (!app->prompt.text[0] && !app->sought[0])) {
		ts_tty_bell(app->tty);
		return;
	}
	if (!app->prompt.text[0]) {
		ts_app_ask(app, asking, app->sought);
		app->seeking = app->sought_in == app->current;
	}
	if (goes_on(app)) {
		call.cmd = back ? TS_CMD_SEARCH_PREVIOUS : TS_CMD_SEARCH_NEXT;
	} else {
		memcpy(word, app->prompt.text, app->prompt.len + 1);
		ts_history_add(&app->searches, word);
		if (ts_call_make(&call, back ? TS_CMD_SEARCH_BACK : TS_CMD_SEARCH, &words, 1, &err))
			ts_view_say_error(&app->env, "%s", err.msg);
	}
	app->seeking = true;
	ts_prompt_hint(&app->prompt, app->env.message);
	if (!err.code)
		ts_app_call(app, &call);
}

void
ts_app_prompt_result(struct ts_app *app, enum ts_prompt_result result)
{
	if (result == TS_PROMPT_ACCEPTED)
		accept(app);
	else if (result == TS_PROMPT_ON || result == TS_PROMPT_ON_BACK)
		search_on(app, result == TS_PROMPT_ON_BACK);
	else if (result == TS_PROMPT_DISMISSED)
		app->asking = TS_ASK_NOTHING;
	app->dirty = true;
}
