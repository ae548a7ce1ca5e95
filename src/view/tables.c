/* SPDX-License-Identifier: MIT */
/* tables - the Tables view: commands, the view's table. See the header and tables_internal.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tables_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/grid_source.h"

/* --- life ----------------------------------------------------------------------------------------- */

static struct ts_view *
view_open(struct ts_view_env *env)
{
	struct tables_view *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->view.ops = &ts_view_tables;
	t->view.env = env;
	t->chosen = -1;
	t->asked_from = t->asked_to = -1;
	t->wish.sort = -1;
	ts_grid_init(&t->grid);
	t->grid.row = tables_row;
	t->grid.ctx = t;
	ts_list_init(&t->list);
	ts_list_set_count(&t->list, 0);
	return &t->view;
}

static void
view_close(struct ts_view *v)
{
	struct tables_view *t = (struct tables_view *)v;

	memset(t->fetch, 0, sizeof(t->fetch)); /* all are gone */
	tables_drop(t);
	free(t->kept_name);
	ts_grid_fini(&t->grid);
	free(v);
}

static void
view_reload(struct ts_view *v)
{
	struct tables_view *t = (struct tables_view *)v;

	if (tables_shown(t)) {
		free(t->kept_name);
		t->kept_name = ts_strdup(tables_shown(t)->object->name);
		t->kept_row = t->grid.list.cursor;
	}
	tables_drop(t);
}

static void
view_resize(struct ts_view *v, struct ts_rect area)
{
	struct tables_view *t = (struct tables_view *)v;

	t->area = area;
	tables_layout(t);
}

/* --- commands ------------------------------------------------------------------------------------- */

static enum ts_effect
focus(struct tables_view *t, enum tables_pane pane, bool zoomed)
{
	t->pane = pane;
	t->zoomed = zoomed;
	tables_layout(t);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* The next pane that can be seen. */
static enum ts_effect
next_pane(struct tables_view *t, int by)
{
	int pane = (int)t->pane;

	do
		pane = (pane + by + PANES) % PANES;
	while (pane != (int)t->pane && !t->zoomed && !tables_has(t, (enum tables_pane)pane));
	return focus(t, (enum tables_pane)pane, t->zoomed);
}

/* Deeper: the rows of a table, all of a row, and back to the rows. */
static enum ts_effect
open(struct tables_view *t)
{
	if (t->pane == PANE_TABLES)
		return focus(t, PANE_ROWS, false);
	if (t->pane == PANE_ROWS)
		return focus(t, PANE_DETAILS, true);
	return focus(t, PANE_ROWS, false);
}

static enum ts_effect
go_to(struct tables_view *t, const char *word)
{
	struct ts_list *l = &t->grid.list;
	char *end, count[TS_FMT_MAX];
	long long row;

	errno = 0;
	row = word ? strtoll(word, &end, 10) : 0;
	if (!word || errno || end == word || *end || row < 1 ||
		row > (l->count >= 0 ? l->count : TS_LIST_MAX)) {
		ts_view_say_error(t->view.env, "rows go from 1 to %s",
			l->count >= 0 ? ts_fmt_count(count, l->count) : "where they end");
		return TS_EFFECT_BELL;
	}
	if (t->pane == PANE_TABLES)
		focus(t, PANE_ROWS, false);
	return ts_list_jump(l, row - 1) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
sort_by(struct tables_view *t, const char *name)
{
	const struct ts_browse_table *table = tables_shown(t);
	struct ts_browse_wish wish = t->wish;

	if (name && strcasecmp(name, "row") == 0 && ts_object_column(table->object, name) < 0)
		wish.sort = -1;
	else if (name)
		wish.sort = ts_object_column(table->object, name);
	else
		wish.sort = t->wish.sort == t->grid.at ? -1 : t->grid.at;
	if (name && wish.sort < 0 && strcasecmp(name, "row") != 0) {
		ts_view_say_error(t->view.env, "there is no column \"%s\"", name);
		return TS_EFFECT_BELL;
	}
	wish.descending = false;
	tables_wish(t, &wish);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
reverse(struct tables_view *t)
{
	struct ts_browse_wish wish = t->wish;

	if (wish.sort < 0)
		wish.sort = t->grid.at;
	wish.descending = t->wish.sort < 0 || !wish.descending;
	tables_wish(t, &wish);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
filter(struct tables_view *t, const char *line)
{
	struct ts_browse_wish wish = t->wish;
	struct ts_err err = {0};

	line = line ? line : "";
	line += strspn(line, " ");
	if (ts_browse_check(tables_shown(t), line, &err)) {
		ts_view_say_error(t->view.env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	snprintf(wish.filter, sizeof(wish.filter), "%s", line);
	tables_wish(t, &wish);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
to_list(struct tables_view *t, enum ts_cmd cmd)
{
	enum ts_effect effect;

	if (t->pane != PANE_TABLES)
		return ts_grid_command(&t->grid, cmd, t->pane == PANE_DETAILS, t->at.details.h);
	if (cmd == TS_CMD_LEFT || cmd == TS_CMD_RIGHT)
		return TS_EFFECT_BELL;
	effect = ts_list_command(&t->list, cmd);
	return effect & TS_EFFECT_SELECT ? effect | TS_EFFECT_RECALC : effect;
}

static enum ts_effect
view_command(struct ts_view *v, const struct ts_call *call)
{
	struct tables_view *t = (struct tables_view *)v;

	if (!tables_shown(t))
		return TS_EFFECT_UNKNOWN;
	switch (call->cmd) {
	case TS_CMD_PANE_NEXT:
		return next_pane(t, 1);
	case TS_CMD_PANE_PREVIOUS:
		return next_pane(t, -1);
	case TS_CMD_PANE_ZOOM:
		return focus(t, t->pane, !t->zoomed);
	case TS_CMD_OPEN:
		return open(t);
	case TS_CMD_GOTO:
		return go_to(t, ts_call_arg(call, 0));
	case TS_CMD_SORT:
		return sort_by(t, ts_call_arg(call, 0));
	case TS_CMD_SORT_REVERSE:
		return reverse(t);
	case TS_CMD_FILTER:
		return filter(t, ts_call_arg(call, 0));
	case TS_CMD_COPY:
		return ts_grid_copy(&t->grid, v->env->copy, sizeof(v->env->copy)) ? TS_EFFECT_NONE
										  : TS_EFFECT_BELL;
	default:
		return to_list(t, call->cmd);
	}
}

static bool
is_filtered(struct ts_view *v)
{
	const struct tables_view *t = (struct tables_view *)v;

	return tables_shown(t) && t->wish.filter[0];
}

static void
view_complete(struct ts_view *v, enum ts_cmd cmd, const char *line, struct ts_candidates *out)
{
	const struct ts_browse_table *table = tables_shown((struct tables_view *)v);
	const char *word = strrchr(line, ' ');

	(void)cmd;
	word = word ? word + 1 : line;
	out->start = (size_t)(word - line);
	for (int i = 0; table && i < table->object->column_count; i++) {
		const char *name = table->object->column[i].name;

		if (strncasecmp(name, word, strlen(word)) == 0 && !strchr(name, ' '))
			ts_candidates_add(out, name);
	}
}

static enum ts_effect
view_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct tables_view *t = (struct tables_view *)v;
	struct ts_table table;

	if (ts_rect_has(t->at.tables, x, y)) {
		focus(t, PANE_TABLES, t->zoomed);
		tables_list(&table, t);
		return ts_list_mouse(&t->list, ts_table_line(&table, t->at.tables, y), wheel) |
			TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	}
	if (!ts_rect_has(t->at.table, x, y))
		return TS_EFFECT_NONE;
	focus(t, PANE_ROWS, t->zoomed);
	return ts_list_mouse(&t->grid.list, y - t->at.table.y - 1, wheel) | TS_EFFECT_REPAINT |
		TS_EFFECT_RECALC;
}

static const struct ts_hint hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_OPEN, "open"},
	{TS_CMD_COUNT, NULL},
};

static struct ts_row_source *
all_rows(struct ts_view *v)
{
	struct tables_view *t = (struct tables_view *)v;

	return ts_grid_table_source(tables_shown(t), &t->wish, t->by_order ? t->order : NULL,
		t->grid.columns, t->grid.list.count);
}

static bool
view_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct tables_view *t = (struct tables_view *)v;
	const struct ts_browse_table *b = tables_shown(t);

	if (!b || t->grid.columns == 0)
		return false;
	snprintf(out->title, sizeof(out->title), "%.120s%s%.60s", b->object->name,
		t->wish.filter[0] ? ", with " : "", t->wish.filter);
	ts_grid_sheet(&t->grid, t->facts, out);
	out->source = all_rows;
	if (t->by_order && !t->whole)
		out->wait = "its rows are still being put in order, or are more than a list takes";
	return true;
}

const struct ts_view_ops ts_view_tables = {
	.name = "tables",
	.title = "Tables",
	.number = 9,
	.context = TS_CONTEXT_TABLES,
	.open = view_open,
	.close = view_close,
	.reload = view_reload,
	.resize = view_resize,
	.draw = tables_draw,
	.request = tables_request,
	.deliver = tables_deliver,
	.command = view_command,
	.filtered = is_filtered,
	.complete = view_complete,
	.mouse = view_mouse,
	.sheet = view_sheet,
	.hints = hints,
	.args = tables_args,
};
