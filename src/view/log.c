/* SPDX-License-Identifier: MIT */
/* log - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/list.h"
#include "tilescope/view/log.h"

struct log_view {
	struct ts_view base;
	struct ts_list list;
	struct ts_rect area, workers, lines;
};

static const char *const worker_names[TS_WORKER_COUNT] = {"screen", "bulk"};

static struct log_view *
self(struct ts_view *v)
{
	return (struct log_view *)v;
}

static struct ts_view *
log_open(struct ts_view_env *env)
{
	struct log_view *l = ts_alloc(1, sizeof(*l));

	(void)env;
	if (!l)
		return NULL;
	ts_list_init(&l->list);
	return &l->base;
}

static void
log_close(struct ts_view *v)
{
	free(v);
}

static int
first_kept(struct ts_log *log)
{
	int count = ts_log_count(log);

	return count > TS_LOG_LINES ? count - TS_LOG_LINES : 0;
}

static void
log_shown(struct ts_view *v)
{
	struct log_view *l = self(v);
	int lines = ts_log_count(v->env->log) - first_kept(v->env->log);

	ts_list_set_count(&l->list, lines);
	if (lines > 0)
		ts_list_go(&l->list, lines - 1);
}

static void
log_resize(struct ts_view *v, struct ts_rect area)
{
	struct log_view *l = self(v);

	l->area = area;
	l->lines = area;
	l->workers = ts_rect_cut_top(&l->lines, TS_WORKER_COUNT + 2);
	ts_rect_cut_top(&l->lines, 1);
	ts_list_resize(&l->list, l->lines.h);
}

static void
draw_worker(struct log_view *l, struct ts_canvas *c, int y, enum ts_worker_id id)
{
	struct ts_job_info info;
	char a[TS_FMT_MAX], b[TS_FMT_MAX], d[TS_FMT_MAX];
	int x;

	ts_jobs_info(l->base.env->jobs, id, &info);
	ts_canvas_text(c, l->workers, 1, y, TS_ROLE_LABEL, worker_names[id]);
	x = ts_canvas_printf(c, l->workers, 10, y, TS_ROLE_TEXT, "%s",
		info.what ? info.what : "idle");
	if (info.what)
		x = ts_canvas_printf(c, l->workers, x + 2, y, TS_ROLE_VALUE, "%s rows  %s  %s",
			ts_fmt_count(a, info.done),
			info.total > 0 ? ts_fmt_percent(b, (double)info.done, (double)info.total)
				       : "",
			ts_fmt_time(d, (double)info.running_us));
	ts_canvas_printf(c, l->workers, x + 2, y, TS_ROLE_DIM, "%d waiting, %s done", info.waiting,
		ts_fmt_count(a, info.finished));
}

static void
log_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct log_view *l = self(v);
	int first = first_kept(v->env->log);
	int64_t from, to;

	ts_canvas_rule(c, l->workers, TS_ROLE_BORDER, "Workers", NULL);
	for (int i = 0; i < TS_WORKER_COUNT; i++)
		draw_worker(l, c, i + 1, (enum ts_worker_id)i);
	ts_canvas_rule(c, (struct ts_rect){l->area.x, l->lines.y - 1, l->area.w, 1}, TS_ROLE_BORDER,
		"Messages", NULL);
	if (l->list.count == 0)
		ts_canvas_text(c, l->lines, 1, 0, TS_ROLE_DIM, "none so far");
	ts_list_window(&l->list, &from, &to);
	for (int64_t i = from; i < to; i++) {
		char line[TS_LOG_LINE_MAX];

		if (!ts_log_get(v->env->log, first + (int)i, line))
			break;
		ts_canvas_text(c, l->lines, 1, (int)(i - from), TS_ROLE_TEXT, line);
		if (i == l->list.cursor)
			ts_canvas_overlay(c, ts_rect_row(l->lines, (int)(i - from)),
				TS_ROLE_CURSOR);
	}
}

static enum ts_effect
log_command(struct ts_view *v, const struct ts_call *call)
{
	return ts_list_command(&self(v)->list, call->cmd);
}

static enum ts_effect
log_mouse(struct ts_view *v, int x, int y, int wheel)
{
	(void)x;
	(void)y;
	return wheel ? ts_list_scroll(&self(v)->list, wheel * 3) : TS_EFFECT_NONE;
}

const struct ts_view_ops ts_view_log = {
	.name = "log",
	.title = "Messages",
	.context = TS_CONTEXT_LOG,
	.open = log_open,
	.close = log_close,
	.shown = log_shown,
	.resize = log_resize,
	.draw = log_draw,
	.command = log_command,
	.mouse = log_mouse,
};
