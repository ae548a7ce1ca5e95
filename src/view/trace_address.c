/* SPDX-License-Identifier: MIT */
/* trace_address - the arguments of `trace?...`. */
#include "config.h"

#include <stdio.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/arg.h"
#include "trace_internal.h"
#include "trace_pipeline.h"

#define PANES "lanes|tab|steps" /* "steps": the tab of that name */
#define FOLDINGS "auto|folded|unfolded"
#define TIMES "cycles|us"

static struct trace_view *
trace_of(struct ts_view *v)
{
	return (struct trace_view *)v;
}

static bool
get_time(struct ts_view *v, struct ts_strbuf *out)
{
	struct trace_view *t = trace_of(v);

	return t->time != v->env->options->time &&
		ts_arg_say_word(out, TIMES, t->time == TS_TIME_US);
}

static enum ts_arg_state
set_time(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_TIME_UNIT, trace_of(v)->time == TS_TIME_US,
		ts_arg_word(TIMES, value) == 1);
}

/* Cycles, the last one is not in sight any more. */
static bool
get_zoom(struct ts_view *v, struct ts_strbuf *out)
{
	struct trace_view *t = trace_of(v);

	if (!t->trace || t->span.count == 0 || ts_span_whole(&t->span))
		return false;
	ts_strbuf_printf(out, "%lld-%lld", (long long)(t->trace->from + t->span.from),
		(long long)(t->trace->from + t->span.to));
	return true;
}

static enum ts_arg_state
set_zoom(struct ts_view *v, const char *value)
{
	struct trace_view *t = trace_of(v);
	char first[TS_FMT_MAX], last[TS_FMT_MAX];
	int64_t from, to;

	if (!t->trace)
		return TS_ARG_LATER;
	ts_arg_range(value, &from, &to);
	if (from >= t->trace->to || to <= t->trace->from) {
		ts_view_say_error(v->env, "cycles go from %s to %s",
			ts_fmt_count(first, t->trace->from), ts_fmt_count(last, t->trace->to));
		return TS_ARG_NO;
	}
	ts_span_show(&t->span, ts_max_i64(from - t->trace->from, 0), to - t->trace->from);
	t->follow = FOLLOW_TIME;
	return TS_ARG_DONE;
}

static bool
get_ipu(struct ts_view *v, struct ts_strbuf *out)
{
	struct trace_view *t = trace_of(v);

	if (!t->trace || t->trace->ipus < 2)
		return false;
	ts_strbuf_printf(out, "%lld", (long long)trace_ipu(t));
	return true;
}

static enum ts_arg_state
set_ipu(struct ts_view *v, const char *value)
{
	struct trace_view *t = trace_of(v);
	int64_t ipu = ts_arg_number(value);

	for (int i = 0; t->trace && i < t->trace->ipus; i++)
		if (t->trace->ipu[i] == ipu) {
			t->ipu = i;
			if (t->follow != FOLLOW_TIME) /* the zoom said where */
				t->follow = FOLLOW_LIST;
			trace_arrange(t);
			return TS_ARG_DONE;
		}
	if (!t->trace)
		return TS_ARG_LATER;
	ts_view_say_error(v->env, "there is no ipu %lld", (long long)ipu);
	return TS_ARG_NO;
}

static bool
get_step(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_trace_row *row = trace_row(trace_of(v), trace_of(v)->list.cursor);

	if (row)
		ts_strbuf_printf(out, "%lld", (long long)row->step);
	return row != NULL;
}

static bool
get_marks(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_write_marks(trace_of(v), out);
}

static enum ts_arg_state
set_marks(struct ts_view *v, const char *value)
{
	struct trace_view *t = trace_of(v);

	if (!t->trace)
		return TS_ARG_LATER;
	if (trace_read_marks(t, value)) {
		trace_arrange(t);
		return TS_ARG_DONE;
	}
	ts_view_say_error(v->env, "marks are steps from %lld to %lld, %d at most: 5,9-12",
		(long long)t->trace->first_step, (long long)t->trace->last_step, TRACE_MARKS);
	return TS_ARG_NO;
}

static bool
get_range(struct ts_view *v, struct ts_strbuf *out)
{
	const struct trace_marks *m = &trace_of(v)->marks;

	if (m->range)
		ts_strbuf_printf(out, "%lld-%lld", (long long)m->from, (long long)m->to);
	return m->range;
}

static enum ts_arg_state
set_range(struct ts_view *v, const char *value)
{
	struct trace_view *t = trace_of(v);
	char first[TS_FMT_MAX], last[TS_FMT_MAX];
	int64_t from, to;

	if (!t->trace)
		return TS_ARG_LATER;
	ts_arg_range(value, &from, &to);
	if (trace_set_range(t, from, to))
		return TS_ARG_DONE;
	ts_view_say_error(v->env, "cycles go from %s to %s", ts_fmt_count(first, t->trace->from),
		ts_fmt_count(last, t->trace->to));
	return TS_ARG_NO;
}

static bool
get_nothing(struct ts_view *v, struct ts_strbuf *out)
{
	(void)v;
	(void)out;
	return false;
}

/* The steps of a program, or of a compute set: found as by a search, the cursor on the first one. */
static enum ts_arg_state
find(struct ts_view *v, const char *what, const char *value)
{
	struct trace_view *t = trace_of(v);
	char needle[40];

	if (!t->trace)
		return TS_ARG_LATER;
	snprintf(needle, sizeof(needle), "%s:%s", what, value);
	trace_search_begin(t, needle, 1);
	t->from_begin = true;
	return TS_ARG_DONE;
}

static enum ts_arg_state
set_program(struct ts_view *v, const char *value)
{
	return find(v, "program", value);
}

static enum ts_arg_state
set_set(struct ts_view *v, const char *value)
{
	return find(v, "set", value);
}

static bool
get_debug(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, trace_of(v)->tabs.split);
}

static enum ts_arg_state
set_debug(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_DEBUG, trace_of(v)->tabs.split, ts_arg_is_yes(value));
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	enum trace_pane pane = trace_of(v)->focus;

	return pane != TRACE_LANES && ts_arg_say_word(out, PANES, (int)pane);
}

static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	struct trace_view *t = trace_of(v);
	int wanted = ts_arg_word(PANES, value);

	if (!t->trace)
		return TS_ARG_LATER;
	if (wanted > TRACE_TABS)
		ts_tabs_show(&t->tabs, 0);
	t->focus = wanted == TRACE_LANES ? TRACE_LANES : TRACE_TABS;
	trace_arrange(t);
	return TS_ARG_DONE;
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, trace_of(v)->zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, trace_of(v)->zoomed, ts_arg_is_yes(value));
}

static bool
get_drawing(struct ts_view *v, struct ts_strbuf *out)
{
	struct trace_view *t = trace_of(v);

	if (t->drawn > 0)
		ts_strbuf_puts(out, trace_drawn(t)->ops->name);
	return t->drawn > 0;
}

static enum ts_arg_state
set_drawing(struct ts_view *v, const char *value)
{
	if (!trace_of(v)->trace)
		return TS_ARG_LATER;
	if (trace_draw_named(trace_of(v), value))
		return TS_ARG_DONE;
	ts_view_say_error(v->env, "there is no drawing \"%.40s\"", value);
	return TS_ARG_NO;
}

#define MERGES "all|view|run|marks"

static bool
get_merge(struct ts_view *v, struct ts_strbuf *out)
{
	bool all_ipus;
	const char *said = trace_merge_said(trace_of(v), &all_ipus);

	if (said)
		ts_strbuf_puts(out, said);
	return said != NULL;
}

static enum ts_arg_state
set_merge(struct ts_view *v, const char *value)
{
	struct trace_view *t = trace_of(v);

	if (!t->trace || (!trace_row(t, t->list.cursor) && !trace_goes_to_step(t))) /* its run */
		return TS_ARG_LATER;
	return trace_merge(t, value) ? TS_ARG_DONE : TS_ARG_NO;
}

static bool
get_all_ipus(struct ts_view *v, struct ts_strbuf *out)
{
	bool all_ipus;

	trace_merge_said(trace_of(v), &all_ipus);
	return ts_arg_say_yes(out, all_ipus);
}

static enum ts_arg_state
set_all_ipus(struct ts_view *v, const char *value)
{
	return trace_merge_ipus(trace_of(v), ts_arg_is_yes(value)) ? TS_ARG_DONE : TS_ARG_NO;
}

static bool
get_frame(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_say_frame(trace_of(v), out);
}

static enum ts_arg_state
set_frame(struct ts_view *v, const char *value)
{
	return trace_of(v)->trace ? trace_set_frame(trace_of(v), value) : TS_ARG_LATER;
}

static bool
get_inside(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_say_inside(trace_of(v), out);
}

static enum ts_arg_state
set_inside(struct ts_view *v, const char *value)
{
	return trace_of(v)->trace ? trace_set_inside(trace_of(v), value) : TS_ARG_LATER;
}

static bool
get_shown_tiles(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_say_tiles(trace_of(v), out);
}

static enum ts_arg_state
set_shown_tiles(struct ts_view *v, const char *value)
{
	int64_t from, to;

	ts_arg_range(value, &from, &to);
	return trace_of(v)->trace ? trace_set_tiles(trace_of(v), from, to) : TS_ARG_LATER;
}

static bool
get_lanes(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_say_lanes(trace_of(v), out);
}

static enum ts_arg_state
set_lanes(struct ts_view *v, const char *value)
{
	if (!trace_of(v)->trace)
		return TS_ARG_LATER;
	if (!trace_choose_lanes(trace_of(v), value)) {
		ts_view_say_error(v->env, "lanes are IPUs that are there: 0,2-5");
		return TS_ARG_NO;
	}
	trace_arrange(trace_of(v));
	return TS_ARG_DONE;
}

static bool
get_folding(struct ts_view *v, struct ts_strbuf *out)
{
	enum trace_folding all = trace_of(v)->lane.all;

	return all != TRACE_AUTO && ts_arg_say_word(out, FOLDINGS, (int)all);
}

static enum ts_arg_state
set_folding(struct ts_view *v, const char *value)
{
	if (!trace_of(v)->trace)
		return TS_ARG_LATER;
	trace_fold_all(trace_of(v), (enum trace_folding)ts_arg_word(FOLDINGS, value));
	return TS_ARG_DONE;
}

static bool
get_hidden(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_say_hidden(trace_of(v), out);
}

static enum ts_arg_state
set_hidden(struct ts_view *v, const char *value)
{
	if (trace_hide_classes(trace_of(v), value))
		return TS_ARG_DONE;
	ts_view_say_error(v->env, "there is no such class of steps: %.60s", value);
	return TS_ARG_NO;
}

static bool
get_tab(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say(&trace_of(v)->tabs, out);
}

static enum ts_arg_state
set_tab(struct ts_view *v, const char *value)
{
	enum ts_arg_state state = ts_tabs_set(&trace_of(v)->tabs, value);

	trace_arrange(trace_of(v));
	return state;
}

static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say_row(&trace_of(v)->tabs, out);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	return ts_tabs_set_row(&trace_of(v)->tabs, value);
}

static bool
get_stages(struct ts_view *v, struct ts_strbuf *out)
{
	return trace_say_stages(trace_of(v), out);
}

static enum ts_arg_state
set_stages(struct ts_view *v, const char *value)
{
	if (!trace_of(v)->trace)
		return TS_ARG_LATER;
	return trace_set_stages(trace_of(v), value) & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

static bool
get_scope(struct ts_view *v, struct ts_strbuf *out)
{
	if (trace_of(v)->scope == TRACE_SCOPE_VIEW)
		return false;
	ts_strbuf_puts(out, trace_scope_name(trace_of(v)));
	return true;
}

static enum ts_arg_state
set_scope(struct ts_view *v, const char *value)
{
	return trace_set_scope(trace_of(v), value) ? TS_ARG_DONE : TS_ARG_NO;
}

const struct ts_view_arg trace_args[] = {
	{"drawing", TS_ARG_TEXT, get_drawing, set_drawing, 0},
	{"lanes", TS_ARG_TEXT, get_lanes, set_lanes, 0},
	{"fold", FOLDINGS, get_folding, set_folding, 0},
	{"hidden", TS_ARG_TEXT, get_hidden, set_hidden, 0},
	{"time", TIMES, get_time, set_time, 0},
	{"zoom", TS_ARG_RANGE, get_zoom, set_zoom, 0},
	{"ipu", TS_ARG_NUMBER, get_ipu, set_ipu, 0},
	{"step", TS_ARG_NUMBER, get_step, NULL, TS_CMD_GOTO},
	{"marks", TS_ARG_TEXT, get_marks, set_marks, 0},
	{"range", TS_ARG_RANGE, get_range, set_range, 0},
	{"program", TS_ARG_NUMBER, get_nothing, set_program, 0},
	{"set", TS_ARG_NUMBER, get_nothing, set_set, 0},
	{"stages", TS_ARG_TEXT, get_stages, set_stages, 0},
	{"merge", MERGES, get_merge, set_merge, 0},
	{"ipus", TS_ARG_YES, get_all_ipus, set_all_ipus, 0},
	{"bsp", TS_ARG_RANGE, get_shown_tiles, set_shown_tiles, 0},
	{"inside", TS_ARG_TEXT, get_inside, set_inside, 0},
	{"frame", TS_ARG_TEXT, get_frame, set_frame, 0},
	{"scope", "view|range|run|all", get_scope, set_scope, 0},
	{"tab", TS_ARG_TEXT, get_tab, set_tab, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{"debug", TS_ARG_YES, get_debug, set_debug, 0},
	{"pane", PANES, get_pane, set_pane, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{"columns", TS_ARG_TEXT, ts_arg_get_columns, ts_arg_set_columns, 0},
	{0},
};
