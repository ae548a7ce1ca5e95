/* SPDX-License-Identifier: MIT */
/*
 * summary - the first screen: does it fit, where do the cycles go, what is this report?
 *
 * The view is one list of lines. Each line is drawn by a function from what has arrived so far; which
 * lines there are follows from that too. Four questions go to the workers: the figures of one row per
 * tile (at once: the verdict), the small relations, and the two passes over large relations, which take
 * as long as the report is large and show their progress in the title.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/summary.h"

#include "summary_internal.h"

static struct summary_view *
self(struct ts_view *v)
{
	return (struct summary_view *)v;
}

static struct ts_view *
summary_open(struct ts_view_env *env)
{
	struct summary_view *s = ts_alloc(1, sizeof(*s));

	(void)env;
	if (!s)
		return NULL;
	ts_list_init(&s->list);
	s->figures = s->before = TS_FIGURES_NONE;
	s->kept = -1;
	return &s->base;
}

static void
summary_close(struct ts_view *v)
{
	summary_drop(self(v));
	free(v);
}

static void
summary_reload(struct ts_view *v)
{
	struct summary_view *s = self(v);
	bool had = s->changed;

	if (s->kept < 0)
		s->kept = s->list.cursor;
	summary_keep_figures(s);
	if (s->changed != had) /* what is looked at moves down, or up */
		s->kept += s->changed ? SUMMARY_CHANGES + 2 : -(SUMMARY_CHANGES + 2);
	s->kept = v->env->reload == TS_RELOAD_OTHER ? -1 : ts_max_i64(s->kept, 0);
	summary_drop(s);
	summary_figures(s);
	summary_make_lines(s);
}

static void
summary_resize(struct ts_view *v, struct ts_rect area)
{
	self(v)->area = area;
	ts_list_resize(&self(v)->list, area.h);
	summary_make_lines(self(v));
}

static void
summary_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct summary_view *s = self(v);
	int64_t from, to;

	if (!v->env->report) {
		ts_canvas_text(c, s->area, 2, 1, TS_ROLE_DIM, "being read");
		return;
	}
	ts_list_window(&s->list, &from, &to);
	for (int64_t i = from; i < to && i < s->lines; i++) {
		struct ts_rect row = ts_rect_row(s->area, (int)(i - from));

		s->line[i].draw(s, c, row, s->line[i].arg);
		if (i == s->list.cursor)
			ts_canvas_overlay(c, row, TS_ROLE_CURSOR);
	}
}

static enum ts_effect
search(struct summary_view *s, const char *text, int step)
{
	struct ts_strbuf line;
	int64_t found = -1;

	ts_strbuf_init(&line, 4096);
	for (int i = 1; i <= s->lines && found < 0; i++) {
		int64_t at = ((s->list.cursor + (int64_t)step * i) % s->lines + s->lines) %
			s->lines;

		ts_strbuf_reset(&line);
		summary_line_text(s, (int)at, &line);
		if (ts_contains_nocase(line.s, text))
			found = at;
	}
	ts_strbuf_fini(&line);
	if (found >= 0)
		return ts_list_jump(&s->list, found) | TS_EFFECT_REPAINT;
	ts_view_say_error(s->base.env, "not found: %s", text);
	return TS_EFFECT_BELL;
}

/* Enter: put what the line speaks of into the selection; the program goes to its view. */
static enum ts_effect
follow(struct summary_view *s)
{
	const struct summary_line *l = s->lines ? &s->line[s->list.cursor] : NULL;
	struct ts_selection *selection = s->base.env->selection;

	if (l && l->goal == GO_IMPORT) {
		s->base.env->go = TS_CMD_IMPORT;
		return TS_EFFECT_REPAINT;
	}
	if (!l || l->goal == GO_NOWHERE || l->object < 0)
		return TS_EFFECT_BELL;
	if (l->goal == GO_TILE)
		selection->tile = l->object;
	else if (l->goal == GO_PEAK)
		selection->live_step = l->object;
	else
		selection->ipu = l->object;
	s->base.env->go = l->goal == GO_TILE ? TS_CMD_GOTO_MEMORY
		: l->goal == GO_PEAK	     ? TS_CMD_GOTO_LIVENESS
					     : TS_CMD_GOTO_TRACE;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
copy_line(struct summary_view *s)
{
	struct ts_strbuf line;

	if (s->lines == 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&line, 1000);
	summary_line_text(s, (int)s->list.cursor, &line);
	snprintf(s->base.env->copy, sizeof(s->base.env->copy), "%s", line.s);
	ts_strbuf_fini(&line);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
summary_command(struct ts_view *v, const struct ts_call *call)
{
	struct summary_view *s = self(v);
	const char *text = ts_call_arg(call, 0);

	s->kept = -1;
	switch (call->cmd) {
	case TS_CMD_SEARCH:
		snprintf(s->sought, sizeof(s->sought), "%s", text ? text : "");
		return search(s, s->sought, 1);
	case TS_CMD_SEARCH_BACK:
		snprintf(s->sought, sizeof(s->sought), "%s", text ? text : "");
		return search(s, s->sought, -1);
	case TS_CMD_SEARCH_NEXT:
		return *s->sought ? search(s, s->sought, 1) : TS_EFFECT_BELL;
	case TS_CMD_SEARCH_PREVIOUS:
		return *s->sought ? search(s, s->sought, -1) : TS_EFFECT_BELL;
	case TS_CMD_OPEN:
		return follow(s);
	case TS_CMD_COPY:
		return copy_line(s);
	default:
		return ts_list_command(&s->list, call->cmd);
	}
}

static enum ts_context
summary_context(struct ts_view *v)
{
	(void)v;
	return TS_CONTEXT_LIST;
}

static enum ts_effect
summary_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct summary_view *s = self(v);
	int64_t row = ts_list_at(&s->list, y - s->area.y);

	(void)x;
	if (wheel)
		return ts_list_scroll(&s->list, wheel * 3);
	return row >= 0 ? ts_list_go(&s->list, row) : TS_EFFECT_NONE;
}

const struct ts_view_ops ts_view_summary = {
	.name = "summary",
	.title = "Summary",
	.number = 1,
	.context = TS_CONTEXT_SUMMARY,
	.open = summary_open,
	.close = summary_close,
	.reload = summary_reload,
	.indexed = summary_indexed,
	.resize = summary_resize,
	.draw = summary_draw,
	.request = summary_request,
	.deliver = summary_deliver,
	.command = summary_command,
	.pane_context = summary_context,
	.mouse = summary_mouse,
};
