/* SPDX-License-Identifier: MIT */
/*
 * summary - the first screen: does it fit, where do the cycles go, what is this report?
 *
 * The view is one list of lines, and below it a pane of what a framework or application wrote beside the report
 * (summary_files.c), which has few rows until it has the keys. Each line is drawn by a function from what has arrived so far; which
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

enum {
	TALL = 30,
	LOW = 12
}; /* rows of the view from which the pane of files has a quarter, has three */

static struct summary_view *
self(struct ts_view *v)
{
	return (struct summary_view *)v;
}

static struct ts_view *
summary_open(struct ts_view_env *env)
{
	struct summary_view *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base.ops = &ts_view_summary;
	s->base.env = env;
	ts_list_init(&s->list);
	s->figures = s->before = TS_FIGURES_NONE;
	s->kept = -1;
	summary_files_init(&s->files);
	return &s->base;
}

static void
summary_close(struct ts_view *v)
{
	summary_drop(self(v));
	summary_files_fini(&self(v)->files);
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
	if (v->env->reload == TS_RELOAD_OTHER)
		summary_files_fini(&s->files);
	summary_figures(s);
	summary_make_lines(s);
}

/*
 * The pane of files has the rows that the lines leave over. Without the keys it takes one of theirs, on a tall screen a
 * quarter; with them two thirds, so that the verdict stays.
 */
void
summary_arrange(struct summary_view *s)
{
	int h = s->area.h, want = summary_files_rows(&s->files, s->files_focus);
	int most = s->files_focus ? h * 2 / 3 : h >= TALL ? h / 4 : 1;

	most = (int)ts_max_i64(most, h - s->lines);
	s->list_at = s->files_at = s->area;
	if (s->zoomed) {
		s->files_at.h = s->files_focus ? h : 0;
		s->list_at.h = s->files_focus ? 0 : h;
	} else {
		s->files_at = ts_rect_cut_bottom(&s->list_at, want < most ? want : most);
	}
	ts_list_resize(&s->list, s->list_at.h);
	summary_files_resize(&s->files, s->files_at);
}

static void
summary_resize(struct ts_view *v, struct ts_rect area)
{
	self(v)->area = area;
	summary_make_lines(self(v));
}

static void
draw_lines(struct summary_view *s, struct ts_canvas *c)
{
	int64_t from, to;

	ts_list_window(&s->list, &from, &to);
	for (int64_t i = from; i < to && i < s->lines && i - from < s->list_at.h; i++) {
		struct ts_rect row = ts_rect_row(s->list_at, (int)(i - from));

		s->line[i].draw(s, c, row, s->line[i].arg);
		if (i == s->list.cursor)
			ts_canvas_overlay(c, row,
				s->files_focus ? TS_ROLE_CURSOR_OTHER : TS_ROLE_CURSOR);
	}
	ts_canvas_more(c, s->list_at, from > 0, from + s->list_at.h < s->lines);
}

static void
summary_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct summary_view *s = self(v);

	if (!v->env->report) {
		ts_canvas_text(c, s->area, 2, 1, TS_ROLE_DIM, "being read");
		return;
	}
	draw_lines(s, c);
	summary_files_draw(c, s->files_at, &s->files, s->files_focus);
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

/* What is not there: the view that would show it says why, and what records it. */
static enum ts_effect
follow_absent(struct summary_view *s, int64_t question)
{
	if (s->state[question].state != TS_PANE_ABSENT)
		return TS_EFFECT_BELL;
	s->base.env->go = question == ASK_EXECUTION ? TS_CMD_GOTO_TRACE : TS_CMD_GOTO_MEMORY;
	return TS_EFFECT_REPAINT;
}

/* Enter: the program goes to the view of what the line speaks of. */
static enum ts_effect
follow(struct summary_view *s)
{
	const struct summary_line *l = s->lines ? &s->line[s->list.cursor] : NULL;

	if (!l || l->goal == GO_NOWHERE || l->object < 0)
		return TS_EFFECT_BELL;
	if (l->goal == GO_ABSENT)
		return follow_absent(s, l->object);
	if (l->goal == GO_FINDING) {
		summary_findings_place(s, (int)l->object, s->base.env->place,
			sizeof(s->base.env->place));
		return TS_EFFECT_REPAINT;
	}
	if (l->goal == GO_OPERATION) {
		snprintf(s->base.env->place, sizeof(s->base.env->place), "%s",
			s->operations.op[l->object].place);
		return TS_EFFECT_REPAINT;
	}
	s->base.env->go = l->goal == GO_TILE ? TS_CMD_GOTO_MEMORY
		: l->goal == GO_PEAK	     ? TS_CMD_GOTO_LIVENESS
					     : TS_CMD_GOTO_TRACE;
	return TS_EFFECT_REPAINT;
}

/* What the line speaks of: of a finding its place. */
static void
summary_object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct summary_view *s = (struct summary_view *)v;
	const struct summary_line *l = s->lines ? &s->line[s->list.cursor] : NULL;

	if (!l || l->object < 0 || s->files_focus)
		return;
	if (l->goal == GO_FINDING)
		summary_findings_place(s, (int)l->object, out->place, sizeof(out->place));
	else if (l->goal == GO_OPERATION)
		snprintf(out->place, sizeof(out->place), "%s", s->operations.op[l->object].place);
	else if (l->goal == GO_TILE)
		out->tile = l->object;
	else if (l->goal == GO_PEAK)
		out->live_step = l->object;
	else if (l->goal == GO_IPU)
		out->ipu = l->object;
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

static bool
is_filtered(struct ts_view *v)
{
	return ((struct summary_view *)v)->filter[0];
}

/* Engine options alone are filtered: the other lines are no rows of a table. */
static enum ts_effect
filter(struct summary_view *s, const char *text)
{
	int options = s->small ? s->small->options : 0, left = 0;

	if (options == 0) {
		ts_view_say_error(s->base.env, "this report has no engine options to filter");
		return TS_EFFECT_BELL;
	}
	snprintf(s->filter, sizeof(s->filter), "%s", text ? text : "");
	for (int i = 0; i < options; i++)
		left += summary_option_passes(s, i);
	summary_make_lines(s);
	ts_list_jump(&s->list, s->lines - (left > 0 ? left : 1)); /* they are the last */
	ts_view_say(s->base.env, "%d of %d engine options", left, options);
	return TS_EFFECT_REPAINT;
}

/* Unfolding may want more rows. */
static enum ts_effect
files_command(struct summary_view *s, const struct ts_call *call)
{
	enum ts_effect effect = summary_files_command(&s->files, &s->base, call);

	summary_arrange(s);
	return effect;
}

static enum ts_effect
lines_command(struct summary_view *s, const struct ts_call *call)
{
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
	case TS_CMD_FILTER:
		return filter(s, text);
	case TS_CMD_OPEN:
		return follow(s);
	case TS_CMD_COPY:
		return copy_line(s);
	default:
		return ts_list_command(&s->list, call->cmd);
	}
}

static enum ts_effect
summary_command(struct ts_view *v, const struct ts_call *call)
{
	struct summary_view *s = self(v);

	switch (call->cmd) {
	case TS_CMD_PANE_NEXT:
	case TS_CMD_PANE_PREVIOUS:
		s->files_focus = !s->files_focus;
		summary_arrange(s);
		return TS_EFFECT_REPAINT;
	case TS_CMD_PANE_ZOOM:
		s->zoomed = !s->zoomed;
		summary_arrange(s);
		return TS_EFFECT_REPAINT;
	default:
		break;
	}
	return s->files_focus ? files_command(s, call) : lines_command(s, call);
}

static enum ts_effect
summary_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct summary_view *s = self(v);
	bool below = y >= s->files_at.y && !ts_rect_empty(s->files_at);
	int64_t row = ts_list_at(&s->list, y - s->list_at.y);
	int top = s->files_at.y;

	(void)x;
	if (!wheel && below != s->files_focus) {
		s->files_focus = below;
		summary_arrange(s);
	}
	if (below)
		return summary_files_mouse(&s->files, y - top, wheel);
	if (wheel)
		return ts_list_scroll(&s->list, wheel * 3);
	return row >= 0 ? ts_list_go(&s->list, row) | (int)TS_EFFECT_REPAINT : TS_EFFECT_REPAINT;
}

static const struct ts_hint hints[] = {
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_OPEN, "open"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

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
	.filtered = is_filtered,
	.mouse = summary_mouse,
	.explain = summary_explain,
	.object = summary_object,
	.not_selected = "figures of all tiles",
	.hints = hints,
};
