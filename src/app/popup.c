/* SPDX-License-Identifier: MIT */
/* popup - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/settings.h"
#include "tilescope/ui/box.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/sheet.h"

enum { COLUMNS_WIDE = 48, PAGE = 8 };

static const char kept[] = "columns"; /* kind of the settings */

static void
take_kept(void *ctx, const char *id, const char *names)
{
	ts_table_looks_put(ctx, id, names);
}

void
ts_app_popup_begin(struct ts_app *app)
{
	app->popup.looks = ts_table_looks_new();
	app->env.looks = app->popup.looks;
	if (app->popup.looks && app->settings)
		ts_settings_each(app->settings, kept, take_kept, app->popup.looks);
}

void
ts_app_popup_end(struct ts_app *app)
{
	free(app->popup.explain);
	ts_table_looks_free(app->popup.looks);
}

static enum ts_effect
close_it(struct ts_app *app)
{
	app->popup.kind = TS_POPUP_NONE;
	return TS_EFFECT_REPAINT;
}

/* --- explain ---------------------------------------------------------------------------------- */

static bool
is_damaged(const struct ts_app *app)
{
	return app->env.report->header.truncated || app->env.partial ||
		app->trouble.code == TS_E_DAMAGED;
}

enum ts_effect
ts_app_explain(struct ts_app *app, const struct ts_call *call)
{
	struct ts_app_popup *p = &app->popup;
	struct ts_view *v = app->view[app->current];

	(void)call;
	if (!p->explain)
		p->explain = ts_alloc(1, sizeof(*p->explain));
	if (!p->explain) {
		ts_view_say_error(&app->env, "out of memory");
		return TS_EFFECT_BELL;
	}
	ts_explain_init(p->explain);
	if (v && v->ops->explain && app->env.report)
		v->ops->explain(v, p->explain);
	if (p->explain->count == 0) {
		ts_view_say_error(&app->env, "there is no figure here that could be explained");
		return TS_EFFECT_BELL;
	}
	for (int i = 0; i < p->explain->count && is_damaged(app); i++)
		ts_explain_note(&p->explain->figure[i],
			"the report is damaged: of what can be read");
	p->kind = TS_POPUP_EXPLAIN;
	p->skip = 0;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
explain_go(struct ts_app_popup *p, int by)
{
	int to = (int)ts_clamp_i64((int64_t)p->explain->at + by, 0, p->explain->count - 1);

	if (to == p->explain->at)
		return TS_EFFECT_BELL;
	p->explain->at = to;
	p->skip = 0;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
explain_copy(struct ts_app *app)
{
	const struct ts_explained *x = &app->popup.explain->figure[app->popup.explain->at];
	struct ts_strbuf words;

	if (!x->query[0]) {
		ts_view_say_error(&app->env, "this figure has no query");
		return TS_EFFECT_BELL;
	}
	ts_strbuf_init(&words, sizeof(app->env.copy) - 1);
	ts_explain_command(&words, x, app->env.word);
	if (words.cut)
		ts_view_say_error(&app->env, "the query is too long for the clipboard");
	else
		snprintf(app->env.copy, sizeof(app->env.copy), "%s", words.s);
	ts_strbuf_fini(&words);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
explain_command(struct ts_app *app, enum ts_cmd cmd)
{
	struct ts_app_popup *p = &app->popup;

	switch (cmd) {
	case TS_CMD_UP:
	case TS_CMD_LEFT:
		return explain_go(p, -1);
	case TS_CMD_DOWN:
	case TS_CMD_RIGHT:
		return explain_go(p, 1);
	case TS_CMD_FIRST:
		return explain_go(p, -p->explain->count);
	case TS_CMD_LAST:
		return explain_go(p, p->explain->count);
	case TS_CMD_PAGE_UP:
	case TS_CMD_HALF_UP:
		p->skip -= PAGE;
		return TS_EFFECT_REPAINT;
	case TS_CMD_PAGE_DOWN:
	case TS_CMD_HALF_DOWN:
	case TS_CMD_OPEN:
		p->skip += PAGE;
		return TS_EFFECT_REPAINT;
	case TS_CMD_COPY:
		return explain_copy(app);
	case TS_CMD_EXPLAIN:
		return close_it(app);
	default:
		return TS_EFFECT_UNKNOWN;
	}
}

/* --- columns ---------------------------------------------------------------------------------- */

/* The table of the pane with the keys, with columns that can be chosen. */
static bool
table_here(struct ts_app *app, struct ts_sheet *s)
{
	struct ts_view *v = app->view[app->current];

	memset(s, 0, sizeof(*s));
	return v && v->ops->sheet && app->env.report && v->ops->sheet(v, s) && s->list &&
		s->table.column && s->table.id && s->table.looks;
}

/* The column of the n-th line: those that have a name. */
static int
named_column(const struct ts_table *t, int64_t n)
{
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++)
		if (*ts_table_column_name(t, i) && n-- == 0)
			return i;
	return -1;
}

static int
named_columns(const struct ts_table *t)
{
	int n = 0;

	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++)
		n += *ts_table_column_name(t, i) != '\0';
	return n;
}

static enum ts_effect
set_columns(struct ts_app *app, const struct ts_table *t, const char *names)
{
	struct ts_strbuf said;
	struct ts_err err = {0};

	if (ts_table_looks_set(app->popup.looks, t, names, &err)) {
		ts_view_say_error(&app->env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	ts_strbuf_init(&said, TS_SETTING_VALUE);
	ts_table_looks_get(app->popup.looks, t->id, &said);
	if (app->settings)
		ts_settings_put(app->settings, kept, t->id, said.len ? said.s : NULL);
	ts_strbuf_fini(&said);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}

enum ts_effect
ts_app_columns(struct ts_app *app, const struct ts_call *call)
{
	const char *names = ts_call_arg(call, 0);
	struct ts_sheet s;

	if (!table_here(app, &s) || named_columns(&s.table) == 0) {
		ts_view_say_error(&app->env,
			"there is no table here whose columns could be chosen");
		return TS_EFFECT_BELL;
	}
	if (names)
		return set_columns(app, &s.table, names);
	app->popup.kind = TS_POPUP_COLUMNS;
	ts_list_init(&app->popup.list);
	ts_list_set_count(&app->popup.list, named_columns(&s.table));
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
toggle(struct ts_app *app, const struct ts_table *t)
{
	int column = named_column(t, app->popup.list.cursor);
	char name[TS_EXPLAIN_TITLE];

	if (column < 0)
		return TS_EFFECT_BELL;
	snprintf(name, sizeof(name), "%c%s", ts_table_column_wanted(t, column) ? '-' : '+',
		ts_table_column_name(t, column));
	return set_columns(app, t, name);
}

static enum ts_effect
columns_command(struct ts_app *app, const struct ts_call *call)
{
	struct ts_sheet s;

	if (!table_here(app, &s))
		return TS_EFFECT_UNKNOWN;
	if (call->cmd == TS_CMD_OPEN && call->argc == 0)
		return toggle(app, &s.table);
	if (call->cmd == TS_CMD_COLUMNS && call->argc == 0)
		return close_it(app);
	return call->argc ? TS_EFFECT_UNKNOWN : ts_list_command(&app->popup.list, call->cmd);
}

static void
draw_columns(struct ts_app *app, struct ts_canvas *c, struct ts_rect r)
{
	struct ts_list *l = &app->popup.list;
	struct ts_rect inner;
	struct ts_sheet s;

	if (!table_here(app, &s))
		return;
	ts_list_set_count(l, named_columns(&s.table));
	inner = ts_box_draw(c, r, COLUMNS_WIDE, (int)l->count, "Columns", NULL,
		"Space: show or hide  Esc: close");
	ts_list_resize(l, inner.h);
	for (int y = 0; y < inner.h && l->top + y < l->count; y++) {
		struct ts_rect row = ts_rect_row(inner, y);
		int i = named_column(&s.table, l->top + y);
		const char *unit = s.table.facts && s.table.facts[i].unit ? s.table.facts[i].unit
									  : "";

		ts_canvas_text(c, row, 0, 0, TS_ROLE_VALUE,
			ts_table_column_wanted(&s.table, i) ? "[x]" : "[ ]");
		ts_canvas_text(c, row, 4, 0, TS_ROLE_TEXT, ts_table_column_name(&s.table, i));
		ts_canvas_right(c, row, 0, 0, TS_ROLE_DIM, unit);
		if (l->top + y == l->cursor)
			ts_canvas_overlay(c, row, TS_ROLE_CURSOR);
	}
}

/* --- held tables ------------------------------------------------------------------------------ */

static bool
held_table(struct ts_app *app, struct ts_sheet *s)
{
	struct ts_view *v = app->view[app->current];

	memset(s, 0, sizeof(*s));
	return v && v->ops->sheet && app->env.report && v->ops->sheet(v, s) && s->list &&
		s->table.order && s->table.value;
}

bool
ts_app_can_filter(struct ts_app *app)
{
	struct ts_sheet s;

	return held_table(app, &s);
}

bool
ts_app_is_filtered(struct ts_app *app)
{
	struct ts_view *v = app->view[app->current];
	struct ts_sheet s;

	if (!app->env.report || !v)
		return false;
	return (v->ops->filtered && v->ops->filtered(v)) ||
		(held_table(app, &s) && s.table.order->filter[0]);
}

enum ts_effect
ts_app_table_command(struct ts_app *app, const struct ts_call *call)
{
	struct ts_sheet s;
	char say[160];
	enum ts_effect effect;

	if ((call->cmd != TS_CMD_SORT && call->cmd != TS_CMD_SORT_REVERSE &&
		    call->cmd != TS_CMD_FILTER && call->cmd != TS_CMD_COPY) ||
		!held_table(app, &s))
		return TS_EFFECT_UNKNOWN;
	if (call->cmd == TS_CMD_COPY)
		return ts_sheet_copy(&s, app->env.copy, sizeof(app->env.copy)) ? TS_EFFECT_REPAINT
									       : TS_EFFECT_BELL;
	effect = ts_table_order_command(&s.table, call, say, sizeof(say));
	if (effect == TS_EFFECT_BELL)
		ts_view_say_error(&app->env, "%s", say);
	else if (say[0])
		ts_view_say(&app->env, "%s", say);
	return effect;
}

/* --- both ------------------------------------------------------------------------------------- */

enum ts_effect
ts_app_popup_command(struct ts_app *app, const struct ts_call *call)
{
	enum ts_effect effect;

	if (call->cmd == TS_CMD_CLOSE)
		return close_it(app);
	effect = app->popup.kind == TS_POPUP_EXPLAIN
		? (call->argc ? TS_EFFECT_UNKNOWN : explain_command(app, call->cmd))
		: columns_command(app, call);
	if (effect & TS_EFFECT_UNKNOWN)
		close_it(app);
	return effect;
}

enum ts_effect
ts_app_popup_mouse(struct ts_app *app, int wheel)
{
	struct ts_call call = {.cmd = wheel < 0 ? TS_CMD_UP : TS_CMD_DOWN};

	return wheel ? ts_app_popup_command(app, &call) : close_it(app);
}

void
ts_app_popup_draw(struct ts_app *app, struct ts_canvas *c, struct ts_rect r)
{
	struct ts_app_popup *p = &app->popup;

	if (p->kind == TS_POPUP_EXPLAIN && app->env.report)
		ts_explain_draw(c, r, p->explain, app->env.word,
			"y: copy the query  Up, Down: other figures  Esc: close", &p->skip);
	else if (p->kind == TS_POPUP_COLUMNS)
		draw_columns(app, c, r);
}
