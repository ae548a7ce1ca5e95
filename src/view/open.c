/* SPDX-License-Identifier: MIT */
/*
 * open - see the header. Two panes: what was opened last, with what was known of it, and a directory.
 *
 * The picker shows everything that can be opened below its directory, the newest first, and behind it the directories
 * to go into. A row is opened by its path alone; the program does the rest.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/typed.h"

#include "open_internal.h"

static struct open_view *
self(struct ts_view *v)
{
	return (struct open_view *)v;
}

static struct ts_view *
open_open(struct ts_view_env *env)
{
	struct open_view *o = ts_alloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->base.env = env;
	o->pane = PANE_FOUND;
	for (int i = 0; i < PANES; i++) {
		ts_list_init(&o->at[i].list);
		ts_list_set_count(&o->at[i].list, 0);
		o->at[i].order = -1;
	}
	return &o->base;
}

static void
open_close(struct ts_view *v)
{
	struct open_view *o = self(v);

	for (int i = 0; i < PANES; i++)
		open_drop(o, (enum open_pane)i);
	free(o->dir);
	free(o->from);
	free(v);
}

/* Another directory; its rows come later. */
static void
look_below(struct open_view *o, const char *dir)
{
	char *copy = ts_strdup(dir);

	if (!copy)
		return;
	free(o->dir);
	o->dir = copy;
	open_drop(o, PANE_FOUND);
	o->at[PANE_FOUND].state = (struct ts_pane_data){0};
	o->at[PANE_FOUND].filter[0] = '\0';
	ts_list_set_count(&o->at[PANE_FOUND].list, 0);
	open_ask(o, PANE_FOUND);
}

void
ts_view_open_below(struct ts_view *v, const char *dir)
{
	struct open_view *o = self(v);

	o->pane = PANE_FOUND;
	o->placed = true;
	look_below(o, dir);
}

/* Both are asked for anew: what is shown may be of long ago. */
static void
open_shown(struct ts_view *v)
{
	struct open_view *o = self(v);

	open_ask(o, PANE_RECENT);
	if (!o->dir)
		look_below(o, ".");
	else
		open_ask(o, PANE_FOUND);
}

/* Another report came while they were asked for: the answers do not arrive any more. */
static void
open_reload(struct ts_view *v)
{
	struct open_view *o = self(v);

	for (int i = 0; i < PANES; i++)
		if (o->at[i].asked)
			open_ask(o, (enum open_pane)i);
}

static void
open_resize(struct ts_view *v, struct ts_rect area)
{
	self(v)->area = area;
	open_layout(self(v));
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
focus(struct open_view *o, enum open_pane pane, bool zoomed)
{
	o->pane = pane;
	o->placed = true;
	o->zoomed = zoomed;
	open_layout(o);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
open_row(struct open_view *o)
{
	struct ts_view_env *env = o->base.env;
	const struct open_list *l = &o->at[o->pane];
	char *word;

	if (l->list.cursor >= l->count)
		return TS_EFFECT_BELL;
	word = open_row_word(o, o->pane, l->list.cursor);
	if (!word)
		return TS_EFFECT_BELL;
	if (o->pane == PANE_FOUND && !open_row_found(o, l->list.cursor)->parts) {
		look_below(o, word);
		free(word);
		return TS_EFFECT_REPAINT;
	}
	free(env->open);
	env->open = word;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
go_up(struct open_view *o)
{
	char *up = o->dir ? ts_find_above(o->dir) : NULL;

	if (!up)
		return TS_EFFECT_BELL;
	free(o->from);
	o->from = ts_strdup(o->dir);
	look_below(o, up);
	free(up);
	return focus(o, PANE_FOUND, o->zoomed);
}

static bool
is_hit(void *ctx, int64_t place)
{
	const struct open_view *o = ctx;

	return ts_contains_nocase(open_row_path(o, o->pane, place), o->sought);
}

static enum ts_effect
search(struct open_view *o, int step)
{
	struct ts_list *l = &o->at[o->pane].list;
	struct ts_list_hit hit = {.at = -1};

	if (!*o->sought)
		return TS_EFFECT_BELL;
	hit = ts_list_find(l, step, false, is_hit, o);
	if (hit.at < 0) {
		ts_view_say_error(o->base.env, "not found: %s", o->sought);
		return TS_EFFECT_BELL;
	}
	ts_view_say_hit(o->base.env, hit.number, hit.count, NULL);
	return ts_list_jump(l, hit.at) | TS_EFFECT_REPAINT;
}

static enum ts_effect
search_for(struct open_view *o, const char *text, int step)
{
	snprintf(o->sought, sizeof(o->sought), "%s", text ? text : "");
	return search(o, step);
}

static enum ts_effect
filter(struct open_view *o, const char *text)
{
	snprintf(o->at[o->pane].filter, OPEN_TEXT, "%s", text ? text : "");
	open_arrange(o, o->pane);
	open_layout(o);
	return TS_EFFECT_REPAINT;
}

/* By the next column that has a title; behind the last one as they came. */
static enum ts_effect
sort(struct open_view *o, const char *name)
{
	struct open_list *l = &o->at[o->pane];
	const struct ts_column *columns = open_columns[o->pane];
	int n = open_column_count[o->pane], to = -1;

	for (int i = 0; name && i < n; i++)
		if (*columns[i].title && strcasecmp(columns[i].title, name) == 0)
			to = i;
	if (name && to < 0 && strcasecmp(name, "row") != 0) {
		ts_view_say_error(o->base.env, "there is no column \"%s\"", name);
		return TS_EFFECT_BELL;
	}
	if (!name && l->order + 1 < n && *columns[l->order + 1].title)
		to = l->order + 1;
	l->order = to;
	l->reverse = false;
	open_arrange(o, o->pane);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
reverse(struct open_view *o)
{
	o->at[o->pane].reverse = !o->at[o->pane].reverse;
	open_arrange(o, o->pane);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
copy_path(struct open_view *o)
{
	const struct open_list *l = &o->at[o->pane];
	char *word;

	if (l->list.cursor >= l->count)
		return TS_EFFECT_BELL;
	word = open_row_word(o, o->pane, l->list.cursor);
	snprintf(o->base.env->copy, sizeof(o->base.env->copy), "%s", word ? word : "");
	free(word);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
look_again(struct open_view *o)
{
	open_shown(&o->base);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
open_command(struct ts_view *v, const struct ts_call *call)
{
	struct open_view *o = self(v);
	enum open_pane other = o->pane == PANE_RECENT ? PANE_FOUND : PANE_RECENT;

	switch (call->cmd) {
	case TS_CMD_OPEN:
		return open_row(o);
	case TS_CMD_BACK:
		return go_up(o);
	case TS_CMD_PANE_NEXT:
	case TS_CMD_PANE_PREVIOUS:
		return focus(o, other, o->zoomed);
	case TS_CMD_PANE_ZOOM:
		return focus(o, o->pane, !o->zoomed);
	case TS_CMD_SEARCH:
		return search_for(o, ts_call_arg(call, 0), 1);
	case TS_CMD_SEARCH_BACK:
		return search_for(o, ts_call_arg(call, 0), -1);
	case TS_CMD_SEARCH_NEXT:
		return search(o, 1);
	case TS_CMD_SEARCH_PREVIOUS:
		return search(o, -1);
	case TS_CMD_FILTER:
		return filter(o, ts_call_arg(call, 0));
	case TS_CMD_SORT:
		return sort(o, ts_call_arg(call, 0));
	case TS_CMD_SORT_REVERSE:
		return reverse(o);
	case TS_CMD_COPY:
		return copy_path(o);
	case TS_CMD_RELOAD:
		return look_again(o);
	default:
		return ts_list_command(&o->at[o->pane].list, call->cmd);
	}
}

static bool
open_waits(struct ts_view *v, enum ts_cmd cmd)
{
	const struct open_view *o = self(v);

	return ts_typed_is_of_rows(cmd) && o->at[o->pane].state.state <= TS_PANE_LOADING;
}

static enum ts_effect
open_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct open_view *o = self(v);
	struct open_list *l;
	struct ts_table t;
	int64_t row;

	for (int i = 0; i < PANES; i++)
		if (ts_rect_has(o->at[i].area, x, y))
			focus(o, (enum open_pane)i, o->zoomed);
	l = &o->at[o->pane];
	if (wheel)
		return ts_list_scroll(&l->list, wheel * 3);
	open_table(&t, o, o->pane);
	row = ts_list_at(&l->list, ts_table_line(&t, l->rows, y));
	return (row >= 0 ? ts_list_go(&l->list, row) : TS_EFFECT_NONE) | TS_EFFECT_REPAINT;
}

static const struct ts_hint hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_OPEN, "open"},
	{TS_CMD_BACK, "up"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_view_ops ts_view_open = {
	.name = "open",
	.title = "Open",
	.context = TS_CONTEXT_OPEN,
	.open = open_open,
	.close = open_close,
	.reload = open_reload,
	.shown = open_shown,
	.resize = open_resize,
	.draw = open_draw,
	.deliver = open_deliver,
	.command = open_command,
	.waits = open_waits,
	.mouse = open_mouse,
	.hints = hints,
};
