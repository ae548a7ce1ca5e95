/* SPDX-License-Identifier: MIT */
/*
 * dispatch - from an event to a command, from a command to whoever knows it.
 *
 * A command goes to the view first, then to the program's own (commands.c).
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch_internal.h"
#include "tilescope/app/edit.h"
#include "tilescope/base/mem.h"

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

/* A view wants to lead elsewhere. */
static void
follow(struct ts_app *app)
{
	struct ts_call call = {.cmd = (enum ts_cmd)app->env.go};

	if (app->env.go < 0)
		return;
	app->env.go = -1;
	ts_app_run_own(app, &call);
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
	struct ts_view *v = ts_app_view(app);

	if (effect & TS_EFFECT_QUIT)
		app->quit = true;
	if (effect & TS_EFFECT_BELL)
		ts_tty_bell(app->tty);
	if (effect & TS_EFFECT_REFLOW)
		ts_app_layout(app);
	if (v && v->ops->request && app->env.report)
		v->ops->request(v);
	ts_app_tiles_turn(app);
	ts_app_what_if_turn(app);
	open_chosen(app);
	ts_app_edit(app);
	copy_out(app);
	ts_app_follow_place(app);
	follow(app);
	app->dirty = true;
}

/* The keys of a command that are in force everywhere; its name where none are. */
static const char *
keys_of(const struct ts_app *app, enum ts_cmd cmd, char out[TS_KEYS_TEXT])
{
	static const enum ts_context global = TS_CONTEXT_GLOBAL;
	const struct ts_key_binding *b = ts_keymap_of(&app->keymap, &global, 1, cmd, NULL);

	return b ? ts_keys_print(out, &b->keys) : ts_commands[cmd].name;
}

/* What takes rows of a table, with the keys in a chart above one. */
static bool
wants_table(struct ts_app *app, enum ts_cmd cmd)
{
	struct ts_view *v = ts_app_view(app);

	return (cmd == TS_CMD_FILTER || cmd == TS_CMD_SORT || cmd == TS_CMD_SORT_REVERSE) && v &&
		v->ops->tabs && v->ops->pane_context && v->ops->pane_context(v) == TS_CONTEXT_CHART;
}

/* Nobody takes a command. Of one that takes what is under the cursor: what that would have to be, by its key. */
static void
say_unknown(struct ts_app *app, enum ts_cmd cmd)
{
	const char *name = ts_commands[cmd].name;
	char keys[TS_KEYS_TEXT];
	struct ts_job_info screen;

	ts_jobs_info(app->jobs, TS_WORKER_SCREEN, &screen);
	if (screen.what)
		ts_view_say_error(&app->env, "%s: not yet, this is being read", name);
	else if (cmd == TS_CMD_TICK)
		ts_view_say_error(&app->env,
			"%s: what if a variable or a group were less? None is under the cursor",
			keys_of(app, cmd, keys));
	else if (wants_table(app, cmd))
		ts_view_say_error(&app->env, "%s is for a table: %s goes to the one below", name,
			keys_of(app, TS_CMD_PANE_NEXT, keys));
	else
		ts_view_say_error(&app->env, "%s does nothing here", name);
}

/* The view waits for the report that is being opened, or is on its way to an address. */
static bool
is_going(const struct ts_app *app)
{
	const struct ts_view *v = app->view[app->current];

	if (ts_app_is_cover(app->current) || !v)
		return false;
	if (!app->env.report)
		return ts_jobs_waiting(app->jobs, TS_OWNER_APP, TS_OWNER_APP) != NULL;
	return app->at.pending && app->at.view == v->id && ts_typed_reads(v);
}

/* A filter may be typed: there is what takes it, or what is being read may. */
static bool
takes_filter(struct ts_app *app)
{
	static const enum ts_view_id views[] = {TS_VIEW_SUMMARY, TS_VIEW_VARIABLES,
		TS_VIEW_PROGRAMS, TS_VIEW_OPERATIONS, TS_VIEW_TABLES, TS_VIEW_OPEN,
		TS_VIEW_LIVENESS /* its list, whoever has the keys */};
	const struct ts_view *v = ts_app_view(app);

	for (size_t i = 0; i < TS_COUNT(views); i++)
		if (app->current == views[i])
			return true;
	return ts_app_can_filter(app) || is_going(app) || (v && ts_typed_reads(v));
}

static enum ts_effect
to_view(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view *v = ts_app_view(app);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;

	if (v && !(call->cmd == TS_CMD_OPEN && call->argc > 0))
		effect = v->ops->command(v, call);
	return effect & TS_EFFECT_UNKNOWN ? ts_app_table_command(app, call) : effect;
}

/* Escape is for what is nearest: a filter that is in force where the keys are. UNKNOWN: there is none. */
static enum ts_effect
take_filter_back(struct ts_app *app)
{
	char nothing[] = "", *none = nothing;
	enum ts_effect effect;
	struct ts_call all;

	if (!ts_app_is_filtered(app) || ts_call_make(&all, TS_CMD_FILTER, &none, 1, NULL))
		return TS_EFFECT_UNKNOWN;
	effect = to_view(app, &all);
	if (!(effect & TS_EFFECT_UNKNOWN) && !app->env.message[0])
		ts_view_say(&app->env, "the filter is taken back: all rows");
	return effect;
}

/* UNKNOWN: nobody takes it. */
static enum ts_effect
run(struct ts_app *app, const struct ts_call *call)
{
	enum ts_effect effect = TS_EFFECT_UNKNOWN;
	enum ts_asking asking = ts_app_asking_of(call->cmd);

	if (asking != TS_ASK_NOTHING && call->argc == 0 &&
		(asking != TS_ASK_FILTER || takes_filter(app)))
		effect = ts_app_ask(app, asking, NULL);
	if (call->cmd == TS_CMD_MARKS_CLEAR)
		effect = take_filter_back(app);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = to_view(app, call);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = ts_app_run_own(app, call);
	return effect;
}

/* A command was taken while others waited: they are dropped, which is said where it has nothing to say itself. */
static void
drop_waiting(struct ts_app *app)
{
	int count = app->typed.count;

	ts_typed_drop(&app->typed);
	if (count > 0 && !app->env.message[0])
		ts_view_say(&app->env, "%d key%s that waited %s dropped", count,
			count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

/* What a call asks for beyond the row: a line to type, a report to open. It is not for the rows that are being read. */
static bool
asks_first(const struct ts_call *call)
{
	return (ts_app_asking_of(call->cmd) != TS_ASK_NOTHING && call->argc == 0) ||
		(call->cmd == TS_CMD_OPEN && call->argc > 0);
}

/* Where a word was searched for; in another tab or pane it was not. */
static void
note_search(struct ts_app *app, const struct ts_call *call)
{
	const char *word = ts_call_arg(call, 0);

	if ((call->cmd == TS_CMD_SEARCH || call->cmd == TS_CMD_SEARCH_BACK) && word && *word) {
		snprintf(app->sought, sizeof(app->sought), "%s", word);
		app->sought_in = app->current;
	} else if (call->cmd >= TS_CMD_PANE_NEXT && call->cmd <= TS_CMD_TAB_PREVIOUS) {
		app->sought_in = TS_VIEW_COUNT;
	}
}

void
ts_app_call(struct ts_app *app, const struct ts_call *call)
{
	struct ts_view *v = ts_app_view(app);
	enum ts_effect effect;

	if (app->popup.kind != TS_POPUP_NONE) {
		effect = ts_app_popup_command(app, call);
		if (!(effect & TS_EFFECT_UNKNOWN)) {
			ts_app_effect(app, effect);
			return;
		}
	}
	if (call->cmd == TS_CMD_RELOAD && ts_hosts_answer(app))
		return;
	if (!asks_first(call) && v && ts_typed_keep(&app->typed, v, call, is_going(app)))
		return;
	app->at.pending = false;
	note_search(app, call);
	effect = run(app, call);
	if (effect & TS_EFFECT_UNKNOWN) {
		if (v && ts_typed_later(&app->typed, v, call, is_going(app)))
			return;
		say_unknown(app, call->cmd);
		effect = TS_EFFECT_BELL;
	}
	if (app->asking == TS_ASK_NOTHING) /* else what is typed comes behind them */
		drop_waiting(app);
	ts_app_effect(app, effect);
}

/* Something lies over the view that has the keys: a list, a line that is typed, a question of a host. */
static bool
is_covered(struct ts_app *app)
{
	return app->popup.kind != TS_POPUP_NONE ||
		(app->asking != TS_ASK_NOTHING && !app->seeking) || ts_hosts_ask(app);
}

void
ts_app_typed_turn(struct ts_app *app)
{
	char said[sizeof(app->env.message)];
	struct ts_call call;

	while (!app->quit && !is_covered(app) && ts_app_view(app) &&
		ts_typed_next(&app->typed, ts_app_view(app), is_going(app), &call)) {
		struct ts_view *v = ts_app_view(app);
		bool error = app->env.message_is_error;
		enum ts_effect effect;

		memcpy(said, app->env.message, sizeof(said));
		app->env.message[0] = '\0';
		effect = run(app, &call);
		if (effect & TS_EFFECT_UNKNOWN && (is_going(app) || ts_typed_reads(v))) {
			memcpy(app->env.message, said, sizeof(said));
			app->env.message_is_error = error;
			return;
		}
		ts_typed_done(&app->typed);
		if (effect & TS_EFFECT_UNKNOWN) {
			say_unknown(app, call.cmd);
			effect = TS_EFFECT_BELL;
		}
		ts_app_effect(app, effect);
	}
}

/* --- keys ------------------------------------------------------------------------------------- */

int
ts_app_contexts(struct ts_app *app, enum ts_context out[4])
{
	struct ts_view *v = ts_app_view(app);
	int n = 0;

	if (app->asking != TS_ASK_NOTHING || ts_hosts_ask(app)) {
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

static void
run_binding(struct ts_app *app, const struct ts_key_binding *b)
{
	struct ts_call call;
	struct ts_err err = {0};

	if (ts_hosts_ask(app)) {
		ts_hosts_command(app, b->cmd);
		return;
	}
	if (app->asking != TS_ASK_NOTHING) {
		ts_app_prompt_result(app, ts_prompt_command(&app->prompt, b->cmd));
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
	if (ts_hosts_ask(app) && app->keys.n == 1 && ts_key_is_text(key)) {
		ts_hosts_type(app, key);
	} else if (app->asking != TS_ASK_NOTHING && app->keys.n == 1 && ts_key_is_text(key)) {
		ts_app_prompt_result(app, ts_prompt_type(&app->prompt, key));
	} else if (key == TS_KEY_ESC) {
		ts_typed_drop(&app->typed);
	} else {
		char text[TS_KEYS_TEXT];

		ts_view_say(&app->env, "%s is not bound (? shows the keys)",
			ts_keys_print(text, &app->keys));
	}
	app->keys = (struct ts_keys){.n = 0};
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
	struct ts_view *v = ts_app_view(app);
	enum ts_view_id tab;

	if (ts_hosts_ask(app))
		return;
	ts_typed_drop(&app->typed);
	app->sought_in = TS_VIEW_COUNT;
	for (size_t i = 0; app->popup.kind != TS_POPUP_NONE && i < TS_COUNT(mouse_events); i++)
		if (mouse_events[i].mouse == e->mouse) {
			ts_app_effect(app, ts_app_popup_mouse(app, mouse_events[i].wheel));
			return;
		}
	if (e->y == 0 && e->mouse == TS_MOUSE_PRESS && ts_app_tab_at(&tab, app, e->x)) {
		ts_app_effect(app, ts_app_go_view(app, tab));
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
	if ((e->type == TS_EVENT_KEY || e->type == TS_EVENT_PASTE) && !ts_hosts_take_key(app))
		return;
	switch (e->type) {
	case TS_EVENT_KEY:
		on_key(app, e->key);
		break;
	case TS_EVENT_PASTE:
		if (ts_hosts_ask(app))
			ts_hosts_type(app, e->key);
		else if (app->asking != TS_ASK_NOTHING)
			ts_app_prompt_result(app, ts_prompt_type(&app->prompt, e->key));
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
