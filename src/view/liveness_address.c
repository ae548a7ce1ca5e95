/* SPDX-License-Identifier: MIT */
/* liveness_address - the arguments of `liveness?...`. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liveness_internal.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/what_if.h"

#define PANES "graph|tab"
#define CHANGES "all|born|died|changed"

static struct liveness *
liveness_of(struct ts_view *v)
{
	return (struct liveness *)v;
}

/* Is the timeline of the wanted source here? */
static bool
is_read(const struct liveness *s)
{
	return s->src.line.count > 0 && !s->line_wanted && !s->under_way[LIVE_FETCH_LINE] &&
		!live_steps_filtering(s);
}

/* A large base is hidden at first, so it is always said. */
static bool
get_base(struct ts_view *v, struct ts_strbuf *out)
{
	struct liveness *s = liveness_of(v);

	if (s->src.line.count == 0 || s->src.line.always_live == TS_UNKNOWN)
		return false;
	ts_strbuf_puts(out, s->no_base ? "no" : "yes");
	return true;
}

static enum ts_arg_state
set_base(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);

	if (!is_read(s))
		return TS_ARG_LATER;
	s->base_chosen = true;
	return ts_arg_switch(v, TS_CMD_SERIES, !s->no_base, ts_arg_is_yes(value));
}

/* Which steps there are. */
static bool
get_steps(struct ts_view *v, struct ts_strbuf *out)
{
	const struct live_steps *t = &liveness_of(v)->steps;

	ts_strbuf_puts(out, t->line.line);
	return t->line.count > 0;
}

static enum ts_arg_state
set_steps(struct ts_view *v, const char *value)
{
	struct ts_call call;

	if (!is_read(liveness_of(v)))
		return TS_ARG_LATER;
	if (ts_call_make(&call, TS_CMD_FILTER, (char *const[]){(char *)value}, 1, NULL))
		return TS_ARG_NO;
	return live_filter_steps(liveness_of(v), &call) & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

/* Liveness steps, the last one is not in sight any more. */
static bool
get_zoom(struct ts_view *v, struct ts_strbuf *out)
{
	struct liveness *s = liveness_of(v);

	if (s->src.line.count == 0 || ts_span_whole(&s->span))
		return false;
	ts_strbuf_printf(out, "%lld-%lld", (long long)s->src.line.step[s->span.from],
		(long long)s->src.line.step[s->span.to - 1] + 1);
	return true;
}

static enum ts_arg_state
set_zoom(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);
	int64_t from, to;

	if (!is_read(s))
		return TS_ARG_LATER;
	ts_arg_range(value, &from, &to);
	ts_span_show(&s->span, (int64_t)ts_liveness_find(&s->src.line, from),
		(int64_t)ts_liveness_find(&s->src.line, to - 1) + 1);
	return TS_ARG_DONE;
}

static bool
get_step(struct ts_view *v, struct ts_strbuf *out)
{
	if (liveness_of(v)->src.line.count > 0)
		ts_strbuf_printf(out, "%lld", (long long)live_step(liveness_of(v)));
	return liveness_of(v)->src.line.count > 0;
}

static enum ts_arg_state
set_step(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);

	if (!is_read(s))
		return TS_ARG_LATER;
	if (s->src.line.step[ts_liveness_find(&s->src.line, ts_arg_number(value))] !=
		ts_arg_number(value)) {
		ts_view_say_error(v->env, "there is no liveness step %s", value);
		return TS_ARG_NO;
	}
	return ts_arg_command(v, TS_CMD_GOTO, value);
}

static bool
get_nothing(struct ts_view *v, struct ts_strbuf *out)
{
	(void)v;
	(void)out;
	return false;
}

/* The first step at which a program runs. */
static enum ts_arg_state
set_program(struct ts_view *v, const char *value)
{
	const struct ts_liveness *l = &liveness_of(v)->src.line;
	char step[24];

	if (!is_read(liveness_of(v)))
		return TS_ARG_LATER;
	for (size_t i = 0; i < l->count; i++)
		if (l->program[i] == ts_arg_number(value)) {
			snprintf(step, sizeof(step), "%lld", (long long)l->step[i]);
			return ts_arg_command(v, TS_CMD_GOTO, step);
		}
	ts_view_say_error(v->env, "no liveness step runs program %s%s", value,
		l->per > 1 ? ", of those that are shown" : "");
	return TS_ARG_NO;
}

/* "all" has not to be said; a set of tiles is the selection, which has an argument of its own. */
static bool
get_source(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_live_source *source = &liveness_of(v)->source;

	if (source->where == TS_LIVE_IPU)
		ts_strbuf_printf(out, "ipu %lld", (long long)source->number);
	else if (source->where == TS_LIVE_TILE && source->number != LIVE_FULLEST)
		ts_strbuf_printf(out, "tile %lld", (long long)source->number);
	else if (source->where == TS_LIVE_SET)
		ts_strbuf_puts(out, "selected");
	return source->where != TS_LIVE_ALL && source->number != LIVE_FULLEST;
}

static enum ts_arg_state
set_source(struct ts_view *v, const char *value)
{
	const struct ts_selected_tiles *t = &v->env->selection->tiles;

	if (strcmp(value, "selected") == 0 && t->count == 0)
		return TS_ARG_LATER;
	return ts_arg_command(v, TS_CMD_SOURCE, value);
}

static bool
get_replica(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, liveness_of(v)->one_replica);
}

static enum ts_arg_state
set_replica(struct ts_view *v, const char *value)
{
	if (!is_read(liveness_of(v)))
		return TS_ARG_LATER;
	return ts_arg_switch(v, TS_CMD_REPLICA, liveness_of(v)->one_replica, ts_arg_is_yes(value));
}

static bool
get_limit(struct ts_view *v, struct ts_strbuf *out)
{
	enum live_limit limit = liveness_of(v)->limit;

	if (limit != LIVE_LIMIT_NEAR)
		ts_strbuf_puts(out, limit == LIVE_LIMIT_ON ? "yes" : "no");
	return limit != LIVE_LIMIT_NEAR;
}

static enum ts_arg_state
set_limit(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);

	s->limit = ts_arg_is_yes(value) ? LIVE_LIMIT_ON : LIVE_LIMIT_OFF;
	live_lay_out(s);
	return TS_ARG_DONE;
}

/* Numbers of steps with commas between them. */
static bool
get_marks(struct ts_view *v, struct ts_strbuf *out)
{
	const struct liveness *s = liveness_of(v);

	for (int i = 0; i < s->marks; i++)
		ts_strbuf_printf(out, "%s%lld", i > 0 ? "," : "", (long long)s->mark[i]);
	return s->marks > 0;
}

static enum ts_arg_state
set_marks(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);
	const char *at = value;

	if (!is_read(s))
		return TS_ARG_LATER;
	s->marks = 0;
	while (*at) {
		char *end;
		long long step = strtoll(at, &end, 10);

		if (end == at || step < 0 || (*end && *end != ',') || !live_add_mark(s, step)) {
			ts_view_say_error(v->env, "not steps, or too many of them: %s", value);
			s->marks = 0;
			return TS_ARG_NO;
		}
		at = end + (*end == ',');
	}
	return TS_ARG_DONE;
}

static bool
get_only(struct ts_view *v, struct ts_strbuf *out)
{
	int only = liveness_of(v)->only;

	return only != TS_ALIVE_EVERY && ts_arg_say_word(out, CHANGES, only);
}

static enum ts_arg_state
set_only(struct ts_view *v, const char *value)
{
	if (liveness_of(v)->asked.step < 0)
		return TS_ARG_LATER;
	return ts_arg_command(v, TS_CMD_ONLY, value);
}

static bool
get_tab(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say(&liveness_of(v)->tabs, out);
}

static enum ts_arg_state
set_tab(struct ts_view *v, const char *value)
{
	enum ts_arg_state state = ts_tabs_set(&liveness_of(v)->tabs, value);

	live_lay_out(liveness_of(v));
	return state;
}

/* The table of the tab that is shown: its own state begins with it. NULL: it has none. */
static struct ts_held_list *
list_of(struct liveness *s)
{
	struct ts_tab *t = ts_tabs_at(&s->tabs);
	struct ts_held_list *l = t->own;
	bool there;

	return l && t->ops->list && t->ops->list(t, &there) == &l->list ? l : NULL;
}

static bool
get_filter(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_held_list *l = list_of(liveness_of(v));

	if (!l || !l->order.filter[0])
		return false;
	ts_strbuf_puts(out, l->order.filter);
	return true;
}

/* What one looks for first is at the top: the largest figure, names from A. */
static bool
falls(const struct ts_held_list *l)
{
	return l->order.sorted >= 0 && l->table.facts[l->order.sorted].unit;
}

/* A column; with a minus in front from the other end. */
static bool
get_sort(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_held_list *l = list_of(liveness_of(v));
	bool back;

	if (!l || !l->table.column || l->order.sorted < 0)
		return false;
	back = l->order.descending != falls(l);
	if (l->order.sorted == l->first && !back)
		return false;
	ts_strbuf_printf(out, "%s%s", back ? "-" : "",
		ts_table_column_name(&l->table, l->order.sorted));
	return true;
}

/* A command of the tab's table, once it has rows. */
static enum ts_arg_state
in_table(struct ts_view *v, enum ts_cmd cmd, const char *value)
{
	struct liveness *s = liveness_of(v);
	struct ts_tab *t = ts_tabs_at(&s->tabs);
	char *words[] = {(char *)value};
	struct ts_call call;
	bool there = false;

	if (!list_of(s)) {
		ts_view_say_error(v->env, "the tab %s has no table to sort or filter",
			t->ops->name);
		return TS_ARG_NO;
	}
	if (!t->ops->list || !t->ops->list(t, &there) || !there)
		return TS_ARG_LATER;
	if (ts_call_make(&call, cmd, words, value ? 1 : 0, NULL))
		return TS_ARG_NO;
	return ts_tabs_command(&s->tabs, &call) & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

static enum ts_arg_state
set_filter(struct ts_view *v, const char *value)
{
	return in_table(v, TS_CMD_FILTER, value);
}

static enum ts_arg_state
set_sort(struct ts_view *v, const char *value)
{
	enum ts_arg_state state = in_table(v, TS_CMD_SORT, value + (*value == '-'));
	struct ts_held_list *l = list_of(liveness_of(v));

	if (state == TS_ARG_DONE && l->order.descending != (falls(l) != (*value == '-')))
		return in_table(v, TS_CMD_SORT_REVERSE, NULL);
	return state;
}

/* Only variables of this group are listed. */
static bool
get_group(struct ts_view *v, struct ts_strbuf *out)
{
	const struct liveness *s = liveness_of(v);

	ts_strbuf_puts(out, live_group_name(s, s->group));
	return s->group >= 0;
}

static enum ts_arg_state
set_group(struct ts_view *v, const char *value)
{
	struct liveness *s = liveness_of(v);
	int group;

	if (!s->groups)
		return ts_pane_has(&s->labels_pane) || s->labels_pane.state == TS_PANE_FAILED ||
				s->labels_pane.state == TS_PANE_ABSENT
			? TS_ARG_NO
			: TS_ARG_LATER;
	group = ts_groups_find(s->groups, value);
	if (group < 0) {
		ts_view_say_error(v->env, "there is no group %s", value);
		return TS_ARG_NO;
	}
	s->group = group;
	return TS_ARG_DONE;
}

static bool
get_debug(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, liveness_of(v)->tabs.split);
}

static enum ts_arg_state
set_debug(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_DEBUG, liveness_of(v)->tabs.split, ts_arg_is_yes(value));
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
	return ts_tabs_say_row(&liveness_of(v)->tabs, out);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	return ts_tabs_set_row(&liveness_of(v)->tabs, value);
}

const struct ts_view_arg live_args[] = {
	{"tiles", TS_ARG_TEXT, ts_arg_get_tiles, ts_arg_set_tiles, 0},
	{"source", TS_ARG_TEXT, get_source, set_source, 0},
	{"replica", TS_ARG_YES, get_replica, set_replica, 0},
	{"base", TS_ARG_YES, get_base, set_base, 0},
	{"limit", TS_ARG_YES, get_limit, set_limit, 0},
	{"steps", TS_ARG_TEXT, get_steps, set_steps, 0},
	{"zoom", TS_ARG_RANGE, get_zoom, set_zoom, 0},
	{"step", TS_ARG_NUMBER, get_step, set_step, 0},
	{"program", TS_ARG_NUMBER, get_nothing, set_program, 0},
	{"marks", TS_ARG_TEXT, get_marks, set_marks, 0},
	{"only", CHANGES, get_only, set_only, 0},
	{"what-if", TS_ARG_TEXT, ts_what_if_get, ts_what_if_set, 0},
	{"tab", TS_ARG_TEXT, get_tab, set_tab, 0},
	{"group", TS_ARG_TEXT, get_group, set_group, 0},
	{"sort", TS_ARG_TEXT, get_sort, set_sort, 0},
	{"filter", TS_ARG_TEXT, get_filter, set_filter, 0},
	{"debug", TS_ARG_YES, get_debug, set_debug, 0},
	{"pane", PANES, get_pane, set_pane, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{"columns", TS_ARG_TEXT, ts_arg_get_columns, ts_arg_set_columns, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{0},
};
