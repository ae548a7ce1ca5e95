/* SPDX-License-Identifier: MIT */
/* liveness - places and commands of the Liveness view; liveness_data.c asks, liveness_draw.c draws. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "liveness_internal.h"

enum {
	LEAST_STEPS = 4, /* zooming in stops here */
	WHEEL_ROWS = 3,
};

/* --- places ----------------------------------------------------------------------------------- */

int64_t
live_step(const struct liveness *s)
{
	return s->line.count > 0 ? s->line.step[s->span.cursor] : TS_UNKNOWN;
}

const char *
live_name(const struct liveness *s, int row, char buf[LIVE_NAME])
{
	const char *name = ts_alive_name(s->alive, row);

	if (*name)
		return name;
	snprintf(buf, LIVE_NAME, "variable %lld", (long long)s->alive->row[row].variable);
	return buf;
}

/* The cursor has moved: tell the others. */
static enum ts_effect
moved(struct liveness *s, enum ts_effect effect)
{
	if (s->line.count > 0)
		s->v.env->selection->live_step = live_step(s);
	return effect;
}

static enum ts_effect
go_point(struct liveness *s, size_t point)
{
	return moved(s, ts_span_go(&s->span, (int64_t)point));
}

void
live_take_selection(struct liveness *s)
{
	int64_t step = s->v.env->selection->live_step;

	if (s->line.count == 0)
		return;
	if (step >= 0)
		go_point(s, ts_liveness_find(&s->line, step));
	else
		go_point(s, s->line.peaks.count > 0 ? s->line.peaks.peak[0].at : 0);
}

/* --- commands --------------------------------------------------------------------------------- */

/*
 * With several steps to a column the cursor stands on the highest of them; of those behind `old`, where it
 * comes from: at the edge of the screen the range moves, and the column may hold that one again.
 */
static void
prefer_highest(struct liveness *s, int64_t old)
{
	int column = ts_span_column(&s->span, s->span.cursor);
	struct ts_live_range range;
	int64_t a, b;

	if (column < 0 || s->line.count == 0)
		return;
	ts_span_bucket(&s->span, column, &a, &b);
	if (old < s->span.cursor)
		a = ts_max_i64(a, old + 1);
	if (b - a < 2)
		return;
	ts_liveness_range(&range, &s->line, (size_t)a, (size_t)b);
	s->span.cursor = (int64_t)range.highest;
}

static enum ts_effect
along_chart(struct liveness *s, const struct ts_call *call)
{
	int64_t old = s->span.cursor;
	enum ts_effect effect;

	if (s->line.count == 0)
		return TS_EFFECT_BELL;
	effect = ts_span_command(&s->span, call->cmd);
	if ((call->cmd == TS_CMD_LEFT || call->cmd == TS_CMD_RIGHT) && s->span.cursor != old)
		prefer_highest(s, old);
	return moved(s, effect);
}

static enum ts_effect
along_list(struct liveness *s, const struct ts_call *call)
{
	return s->alive ? ts_list_command(&s->list, call->cmd) : TS_EFFECT_BELL;
}

static enum ts_effect
along_focus(struct liveness *s, const struct ts_call *call)
{
	return (s->focus == LIVE_TABLE ? along_list : along_chart)(s, call);
}

static enum ts_effect
walk_peaks(struct liveness *s, const struct ts_call *call)
{
	const struct ts_peaks *peaks = &s->line.peaks;
	ptrdiff_t rank, step = call->cmd == TS_CMD_PEAK_NEXT ? 1 : -1;

	if (peaks->count == 0)
		return TS_EFFECT_BELL;
	rank = ts_peaks_rank(peaks, (size_t)s->span.cursor);
	if (rank >= 0)
		rank += step;
	else /* from anywhere: to the highest, or back to the one before */
		rank = step > 0 || s->rank >= (ptrdiff_t)peaks->count ? 0 : s->rank;
	if (rank < 0 || rank >= (ptrdiff_t)peaks->count) {
		ts_view_say(s->v.env, rank < 0 ? "this is the highest peak" : "no more peaks");
		return TS_EFFECT_BELL;
	}
	s->rank = rank;
	return (enum ts_effect)(go_point(s, peaks->peak[rank].at) | TS_EFFECT_REPAINT);
}

static enum ts_effect
go_to(struct liveness *s, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	char *end;
	long long step;
	size_t point;

	if (!text || s->line.count == 0)
		return TS_EFFECT_BELL;
	step = strtoll(text, &end, 10);
	if (end == text || *end || step < 0) {
		ts_view_say_error(s->v.env, "not a liveness step: %s", text);
		return TS_EFFECT_BELL;
	}
	point = ts_liveness_find(&s->line, step);
	if (s->line.step[point] != step)
		ts_view_say(s->v.env, "no step %lld here; the nearest is %lld", step,
			(long long)s->line.step[point]);
	return (enum ts_effect)(go_point(s, point) | TS_EFFECT_REPAINT);
}

static enum ts_effect
toggle_base(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	if (s->line.always_live == TS_UNKNOWN) {
		ts_view_say(s->v.env, "how much is always live is not recorded");
		return TS_EFFECT_BELL;
	}
	s->no_base = !s->no_base;
	live_lay_out(s);
	ts_view_say(s->v.env,
		s->no_base ? "always-live memory is hidden in the graph"
			   : "always-live memory is shown");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* The keys go to a pane; the Debug tab tells of the one that had them before. */
static void
give_focus(struct liveness *s, int pane)
{
	s->focus = pane;
	if (pane != LIVE_DEBUG)
		s->source = pane;
	live_lay_out(s);
}

static enum ts_effect
switch_debug(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	s->debug.shown = !s->debug.shown;
	give_focus(s, s->source);
	if (s->debug.shown && ts_rect_empty(s->pane[LIVE_DEBUG])) /* no room beside the table */
		give_focus(s, LIVE_DEBUG);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
edit(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	return ts_debug_edit(&s->debug, &s->v);
}

static enum ts_effect
change_pane(struct liveness *s, const struct ts_call *call)
{
	int step = call->cmd == TS_CMD_PANE_NEXT ? 1 : -1;
	int n = LIVE_PANES - LIVE_GRAPH - !s->debug.shown; /* panes that take keys, in this order */

	give_focus(s, LIVE_GRAPH + (s->focus - LIVE_GRAPH + n + step) % n);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
zoom_pane(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	s->zoomed = !s->zoomed;
	live_lay_out(s);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}

/* The next row from the cursor in a direction whose name holds the needle, around the end; -1. */
static int
find_row(const struct liveness *s, int from, int step)
{
	int n = s->alive->rows;

	for (int i = 0; i < n; i++, from += step) {
		char buf[LIVE_NAME];
		int row = ((from % n) + n) % n;

		if (ts_contains_nocase(live_name(s, row, buf), s->needle))
			return row;
	}
	return -1;
}

static enum ts_effect
find(struct liveness *s, int step, bool here)
{
	int hits = 0, before = 0, row;
	char buf[LIVE_NAME];

	if (!s->alive || s->alive->rows == 0 || !s->needle[0]) {
		ts_view_say(s->v.env,
			s->needle[0] ? "no variables to search" : "nothing to search for");
		return TS_EFFECT_BELL;
	}
	row = find_row(s, (int)s->list.cursor + (here ? 0 : step), step);
	if (row < 0) {
		ts_view_say_error(s->v.env,
			"no variable alive at step %lld has this in its name: %s",
			(long long)s->alive->step, s->needle);
		return TS_EFFECT_BELL;
	}
	for (int i = 0; i < s->alive->rows; i++) {
		bool hit = ts_contains_nocase(live_name(s, i, buf), s->needle);

		hits += hit;
		before += hit && i < row;
	}
	ts_view_say(s->v.env, "hit %d of %d%s", before + 1, hits,
		s->alive->rows < s->alive->count ? " in the largest variables" : "");
	return (enum ts_effect)(ts_list_jump(&s->list, row) | TS_EFFECT_REPAINT);
}

static enum ts_effect
search(struct liveness *s, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);

	if (!text)
		return TS_EFFECT_UNKNOWN; /* the program asks for it first */
	snprintf(s->needle, sizeof(s->needle), "%s", text);
	return find(s, call->cmd == TS_CMD_SEARCH ? 1 : -1, true);
}

static enum ts_effect
search_again(struct liveness *s, const struct ts_call *call)
{
	return find(s, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1, false);
}

static enum ts_effect
copy(struct liveness *s, const struct ts_call *call)
{
	struct ts_view_env *env = s->v.env;
	struct ts_strbuf text;
	char buf[LIVE_NAME];

	(void)call;
	if (s->line.count == 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&text, sizeof(env->copy) - 1);
	if (s->focus == LIVE_TABLE && s->alive && s->list.cursor < s->alive->rows) {
		const struct ts_alive_row *row = &s->alive->row[s->list.cursor];
		const char *name = live_name(s, (int)s->list.cursor, buf);

		ts_strbuf_printf(&text, "%lld\t%lld\t%lld\t", (long long)row->bytes,
			(long long)row->start, (long long)row->end - 1);
		ts_utf8_safe(&text, name, strlen(name));
	} else {
		ts_strbuf_printf(&text, "%lld\t%lld", (long long)live_step(s),
			(long long)s->line.bytes[s->span.cursor]);
	}
	snprintf(env->copy, sizeof(env->copy), "%s", text.s);
	ts_strbuf_fini(&text);
	return TS_EFFECT_NONE;
}

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct liveness *s, const struct ts_call *call);
} commands[] = {
	{TS_CMD_LEFT, along_focus},
	{TS_CMD_RIGHT, along_focus},
	{TS_CMD_FIRST, along_focus},
	{TS_CMD_LAST, along_focus},
	{TS_CMD_PAGE_UP, along_focus},
	{TS_CMD_PAGE_DOWN, along_focus},
	{TS_CMD_HALF_UP, along_focus},
	{TS_CMD_HALF_DOWN, along_focus},
	{TS_CMD_UP, along_list}, /* a chart has no rows: the keys go to the table in any case */
	{TS_CMD_DOWN, along_list},
	{TS_CMD_PAGE_LEFT, along_chart},
	{TS_CMD_PAGE_RIGHT, along_chart},
	{TS_CMD_ZOOM_IN, along_chart},
	{TS_CMD_ZOOM_OUT, along_chart},
	{TS_CMD_ZOOM_FIT, along_chart},
	{TS_CMD_PEAK_NEXT, walk_peaks},
	{TS_CMD_PEAK_PREVIOUS, walk_peaks},
	{TS_CMD_GOTO, go_to},
	{TS_CMD_SERIES, toggle_base},
	{TS_CMD_PANE_NEXT, change_pane},
	{TS_CMD_PANE_PREVIOUS, change_pane},
	{TS_CMD_PANE_ZOOM, zoom_pane},
	{TS_CMD_SEARCH, search},
	{TS_CMD_SEARCH_BACK, search},
	{TS_CMD_SEARCH_NEXT, search_again},
	{TS_CMD_SEARCH_PREVIOUS, search_again},
	{TS_CMD_COPY, copy},
	{TS_CMD_DEBUG, switch_debug},
	{TS_CMD_EDIT, edit},
};

static enum ts_effect
command(struct ts_view *v, const struct ts_call *call)
{
	struct liveness *s = (struct liveness *)v;
	enum ts_effect effect = TS_EFFECT_UNKNOWN;

	if (s->focus == LIVE_DEBUG)
		effect = ts_debug_command(&s->debug, v, call);
	for (size_t i = 0; effect & TS_EFFECT_UNKNOWN && i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			return commands[i].run(s, call);
	return effect;
}

static enum ts_context
pane_context(struct ts_view *v)
{
	return ((struct liveness *)v)->focus == LIVE_GRAPH ? TS_CONTEXT_CHART : TS_CONTEXT_LIST;
}

/* --- mouse ------------------------------------------------------------------------------------ */

static enum ts_effect
mouse_chart(struct liveness *s, int x, int wheel, bool strip)
{
	struct ts_span all = s->span;
	struct live_parts parts;
	int64_t a, b;

	live_parts(&parts, s);
	x -= parts.frame.plot.x;
	if (s->line.count == 0 || x < 0 || x >= parts.frame.plot.w)
		return TS_EFFECT_NONE;
	if (strip)
		ts_span_show(&all, 0, all.count);
	ts_span_bucket(&all, x, &a, &b);
	if (wheel == 0) {
		enum ts_effect effect = go_point(s, (size_t)a);

		if (!strip)
			prefer_highest(s, INT64_MAX);
		return moved(s, (enum ts_effect)(effect | TS_EFFECT_REPAINT));
	}
	return moved(s, ts_span_command(&s->span, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT));
}

static enum ts_effect
mouse_table(struct liveness *s, int y, int wheel)
{
	struct ts_column columns[TS_TABLE_COLUMNS];
	struct ts_rect totals, body = live_table_body(s, &totals);
	struct ts_table t;
	int64_t row;

	if (!s->alive)
		return TS_EFFECT_NONE;
	if (wheel != 0)
		return ts_list_scroll(&s->list, wheel * WHEEL_ROWS);
	live_table(&t, columns, s);
	row = ts_list_at(&s->list, ts_table_line(&t, body, y));
	return row < 0 ? TS_EFFECT_NONE : ts_list_go(&s->list, row);
}

static enum ts_effect
mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct liveness *s = (struct liveness *)v;
	int pane = ts_layout_at(s->pane, x, y);
	enum ts_effect effect = TS_EFFECT_NONE;

	if (pane == LIVE_STRIP || pane == LIVE_GRAPH)
		effect = mouse_chart(s, x, wheel, pane == LIVE_STRIP);
	else if (pane == LIVE_TABLE)
		effect = mouse_table(s, y, wheel);
	else if (pane == LIVE_DEBUG)
		effect = ts_debug_mouse(&s->debug, y - s->pane[LIVE_DEBUG].y, wheel);
	if (wheel == 0 && pane >= LIVE_GRAPH)
		give_focus(s, pane);
	return (enum ts_effect)(effect | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- life ------------------------------------------------------------------------------------- */

static struct ts_view *
open_view(struct ts_view_env *env)
{
	struct liveness *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->v.ops = &ts_view_liveness;
	s->v.env = env;
	s->focus = s->source = LIVE_GRAPH;
	ts_debug_init(&s->debug);
	s->asked_step = -1;
	s->graph.absent = TS_ABSENT_LIVENESS;
	s->table.absent = TS_ABSENT_LIVE_VARIABLES;
	ts_span_init(&s->span);
	s->span.least = LEAST_STEPS;
	ts_list_init(&s->list);
	return &s->v;
}

static void
close_view(struct ts_view *v)
{
	live_drop((struct liveness *)v);
	free(v);
}

static void
reload(struct ts_view *v)
{
	live_drop((struct liveness *)v);
}

static void
shown(struct ts_view *v)
{
	live_take_selection((struct liveness *)v);
}

static void
resize(struct ts_view *v, struct ts_rect area)
{
	struct liveness *s = (struct liveness *)v;

	s->area = area;
	live_lay_out(s);
}

const struct ts_view_ops ts_view_liveness = {
	.name = "liveness",
	.title = "Liveness",
	.number = 4,
	.context = TS_CONTEXT_LIVENESS,
	.open = open_view,
	.close = close_view,
	.reload = reload,
	.indexed = live_indexed,
	.shown = shown,
	.resize = resize,
	.draw = live_draw,
	.request = live_request,
	.deliver = live_deliver,
	.command = command,
	.pane_context = pane_context,
	.mouse = mouse,
	.args = live_args,
};
