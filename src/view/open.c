/* SPDX-License-Identifier: MIT */
/* open - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/open.h"

enum { PATH, SIZE, CHANGED, REMARK, COLUMNS };

static const struct ts_column columns[COLUMNS] = {
	[PATH] = {.title = "report", .min = 20, .weight = 1, .field = TS_FIELD_TAIL},
	[SIZE] = {.title = "size", .min = 9, .field = TS_FIELD_RIGHT},
	[CHANGED] = {.title = "changed", .min = 16, .priority = 1},
	[REMARK] = {.title = "", .min = 12, .priority = 2},
};

struct open_view {
	struct ts_view base;
	struct ts_found_list *found;
	char *dir;
	struct ts_list list;
	struct ts_rect area, rows;
};

static struct open_view *
self(struct ts_view *v)
{
	return (struct open_view *)v;
}

static struct ts_view *
open_open(struct ts_view_env *env)
{
	struct open_view *o = ts_alloc(1, sizeof(*o));

	(void)env;
	if (!o)
		return NULL;
	ts_list_init(&o->list);
	return &o->base;
}

static void
drop(struct open_view *o)
{
	if (o->found)
		ts_found_list_fini(o->found);
	free(o->found);
	free(o->dir);
	o->found = NULL;
	o->dir = NULL;
}

static void
open_close(struct ts_view *v)
{
	drop(self(v));
	free(v);
}

void
ts_view_open_take(struct ts_view *v, const char *dir, struct ts_found_list *list)
{
	struct open_view *o = self(v);

	drop(o);
	o->found = list;
	o->dir = ts_strdup(dir);
	ts_list_set_count(&o->list, list->count);
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct open_view *o = ctx;
	const struct ts_found *f = &o->found->item[row];
	time_t when = (time_t)f->mtime;
	struct tm tm;

	out->s = out->buf;
	switch (column) {
	case PATH:
		out->s = f->path;
		break;
	case SIZE:
		ts_fmt_bytes(out->buf, f->bytes, o->base.env->options->units);
		break;
	case CHANGED:
		if (localtime_r(&when, &tm))
			strftime(out->buf, sizeof(out->buf), "%Y-%m-%d %H:%M", &tm);
		break;
	default:
		out->s = f->half_written ? "half-written" : "";
		out->role = TS_ROLE_WARN;
	}
	return true;
}

static struct ts_table
table(struct open_view *o)
{
	return (struct ts_table){.column = columns,
		.columns = COLUMNS,
		.cell = cell,
		.ctx = o,
		.header = true,
		.focus = true,
		.sorted = -1,
		.empty = "no report here"};
}

static void
open_resize(struct ts_view *v, struct ts_rect area)
{
	struct open_view *o = self(v);
	struct ts_table t = table(o);

	o->area = area;
	o->rows = area;
	ts_rect_cut_top(&o->rows, 2);
	ts_list_resize(&o->list, ts_table_rows(&t, o->rows));
}

static void
open_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct open_view *o = self(v);
	struct ts_table t = table(o);
	int x = ts_canvas_text(c, o->area, 1, 0, TS_ROLE_LABEL, "reports below ");

	ts_canvas_text(c, o->area, x, 0, TS_ROLE_TITLE, o->dir ? o->dir : "");
	if (!o->found)
		return;
	ts_table_draw(c, o->rows, &t, &o->list);
	if (o->found->cut)
		ts_canvas_right(c, o->area, 1, 0, TS_ROLE_NOTE, "not all are shown");
}

static enum ts_effect
open_command(struct ts_view *v, const struct ts_call *call)
{
	struct open_view *o = self(v);

	if (call->cmd == TS_CMD_OPEN && o->found && o->list.cursor < o->found->count) {
		free(v->env->open);
		v->env->open = ts_strdup(o->found->item[o->list.cursor].path);
		return TS_EFFECT_REPAINT;
	}
	return ts_list_command(&o->list, call->cmd);
}

static enum ts_context
open_context(struct ts_view *v)
{
	(void)v;
	return TS_CONTEXT_LIST;
}

static enum ts_effect
open_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct open_view *o = self(v);
	struct ts_table t = table(o);
	int64_t row = ts_list_at(&o->list, ts_table_line(&t, o->rows, y));

	(void)x;
	if (wheel)
		return ts_list_scroll(&o->list, wheel * 3);
	return row >= 0 ? ts_list_go(&o->list, row) : TS_EFFECT_NONE;
}

const struct ts_view_ops ts_view_open = {
	.name = "open",
	.title = "Open",
	.context = TS_CONTEXT_OPEN,
	.open = open_open,
	.close = open_close,
	.resize = open_resize,
	.draw = open_draw,
	.command = open_command,
	.pane_context = open_context,
	.mouse = open_mouse,
};
