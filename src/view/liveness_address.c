/* SPDX-License-Identifier: MIT */
/* liveness_address - the arguments of `liveness?...`. */
#include "config.h"

#include "liveness_internal.h"
#include "tilescope/view/arg.h"

#define PANES "graph|variables|debug"

static struct liveness *
liveness_of(struct ts_view *v)
{
	return (struct liveness *)v;
}

/* A large base is hidden at first, so it is always said. */
static bool
get_base(struct ts_view *v, struct ts_strbuf *out)
{
	struct liveness *s = liveness_of(v);

	if (s->line.count == 0 || s->line.always_live == TS_UNKNOWN)
		return false;
	ts_strbuf_puts(out, s->no_base ? "no" : "yes");
	return true;
}

static enum ts_arg_state
set_base(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);

	if (s->line.count == 0)
		return TS_ARG_LATER;
	return ts_arg_switch(v, TS_CMD_SERIES, !s->no_base, ts_arg_is_yes(value));
}

/* Liveness steps, the last one is not in sight any more. */
static bool
get_zoom(struct ts_view *v, struct ts_strbuf *out)
{
	struct liveness *s = liveness_of(v);

	if (s->line.count == 0 || ts_span_whole(&s->span))
		return false;
	ts_strbuf_printf(out, "%lld-%lld", (long long)s->line.step[s->span.from],
		(long long)s->line.step[s->span.to - 1] + 1);
	return true;
}

static enum ts_arg_state
set_zoom(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);
	int64_t from, to;

	if (s->line.count == 0)
		return TS_ARG_LATER;
	ts_arg_range(value, &from, &to);
	ts_span_show(&s->span, (int64_t)ts_liveness_find(&s->line, from),
		(int64_t)ts_liveness_find(&s->line, to - 1) + 1);
	return TS_ARG_DONE;
}

static bool
get_step(struct ts_view *v, struct ts_strbuf *out)
{
	if (liveness_of(v)->line.count > 0)
		ts_strbuf_printf(out, "%lld", (long long)live_step(liveness_of(v)));
	return liveness_of(v)->line.count > 0;
}

static enum ts_arg_state
set_step(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);

	if (s->line.count == 0)
		return TS_ARG_LATER;
	if (s->line.step[ts_liveness_find(&s->line, ts_arg_number(value))] !=
		ts_arg_number(value)) {
		ts_view_say_error(v->env, "there is no liveness step %s", value);
		return TS_ARG_NO;
	}
	return ts_arg_command(v, TS_CMD_GOTO, value);
}

static bool
get_debug(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, liveness_of(v)->debug.shown);
}

static enum ts_arg_state
set_debug(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_DEBUG, liveness_of(v)->debug.shown, ts_arg_is_yes(value));
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	int pane = liveness_of(v)->focus;

	return pane != LIVE_GRAPH && ts_arg_say_word(out, PANES, pane - LIVE_GRAPH);
}

static bool
has_focus(struct ts_view *v, int pane)
{
	return liveness_of(v)->focus == pane;
}

static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	return ts_arg_walk(v, has_focus, LIVE_GRAPH + ts_arg_word(PANES, value), value);
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, liveness_of(v)->zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, liveness_of(v)->zoomed, ts_arg_is_yes(value));
}

static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_row(out, &liveness_of(v)->list);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);
	bool there = s->alive && s->asked_step == live_step(s) && s->asked_listed &&
		!s->under_way[LIVE_FETCH_ALIVE];

	return ts_arg_go_row(v, &s->list, there, value);
}

const struct ts_view_arg live_args[] = {
	{"base", TS_ARG_YES, get_base, set_base, 0},
	{"zoom", TS_ARG_RANGE, get_zoom, set_zoom, 0},
	{"step", TS_ARG_NUMBER, get_step, set_step, 0},
	{"debug", TS_ARG_YES, get_debug, set_debug, 0},
	{"pane", PANES, get_pane, set_pane, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{0},
};
