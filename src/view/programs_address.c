/* SPDX-License-Identifier: MIT */
/* programs_address - the address of the Programs view: "programs?order=-cycles&filter=matMul&program=12&tab=code". */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/view/arg.h"

static bool
get_program(struct ts_view *v, struct ts_strbuf *out)
{
	struct programs_view *s = programs_of(v);
	uint32_t at = programs_at(s);

	if (!s->data || at == UINT32_MAX)
		return false;
	ts_strbuf_printf(out, "%" PRId64, programs_node(s->data, at)->program);
	return true;
}

static enum ts_arg_state
set_program(struct ts_view *v, const char *value)
{
	struct programs_view *s = programs_of(v);

	if (!s->data)
		return s->state.state == TS_PANE_EMPTY || s->state.state == TS_PANE_LOADING
			? TS_ARG_LATER
			: TS_ARG_NO;
	return programs_go_to_word(s, value) & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

/* The first program that runs this compute set. */
static enum ts_arg_state
set_compute_set(struct ts_view *v, const char *value)
{
	struct programs_view *s = programs_of(v);
	const struct ts_program_cost *p = s->data ? s->data->costs->cost.memory : NULL;
	int64_t set = strtoll(value, NULL, 10);

	if (!s->data)
		return s->state.state == TS_PANE_EMPTY || s->state.state == TS_PANE_LOADING
			? TS_ARG_LATER
			: TS_ARG_NO;
	for (size_t i = 0; i < s->data->costs->count; i++)
		if (p[i].compute_set == set)
			return programs_go_to(s, p[i].program) & TS_EFFECT_BELL ? TS_ARG_NO
										: TS_ARG_DONE;
	if (!s->traced) /* steps may say who runs it */
		return TS_ARG_LATER;
	ts_view_say_error(v->env, "no program runs compute set %" PRId64, set);
	return TS_ARG_NO;
}

/* Programs that name it: the cursor goes to the first. */
static enum ts_arg_state
seek_users(struct ts_view *v, bool lowered, const char *value)
{
	struct programs_view *s = programs_of(v);

	if (!s->data)
		return s->state.state == TS_PANE_EMPTY || s->state.state == TS_PANE_LOADING
			? TS_ARG_LATER
			: TS_ARG_NO;
	programs_seek_users(s, lowered, ts_arg_number(value));
	return TS_ARG_DONE;
}

static enum ts_arg_state
set_variable(struct ts_view *v, const char *value)
{
	return seek_users(v, false, value);
}

static enum ts_arg_state
set_lowered(struct ts_view *v, const char *value)
{
	return seek_users(v, true, value);
}

static bool
get_nothing(struct ts_view *v, struct ts_strbuf *out)
{
	(void)v;
	(void)out;
	return false;
}

static bool
get_order(struct ts_view *v, struct ts_strbuf *out)
{
	struct ts_table t = programs_table(programs_of(v));

	return ts_arg_say_order(out, &t);
}

static enum ts_arg_state
set_order(struct ts_view *v, const char *value)
{
	struct programs_view *s = programs_of(v);

	struct ts_table t = programs_table(s);

	if (!ts_arg_order(&s->sort.sorted, &s->sort.descending, &t, value)) {
		ts_view_say_error(v->env, "programs have no column \"%.40s\"", value);
		return TS_ARG_NO;
	}
	if (s->data)
		programs_rows(s);
	return TS_ARG_DONE;
}

static bool
get_filter(struct ts_view *v, struct ts_strbuf *out)
{
	ts_strbuf_puts(out, programs_of(v)->filter);
	return programs_of(v)->filter[0] != '\0';
}

/* Before a program is gone to, which it may leave out. */
static enum ts_arg_state
set_filter(struct ts_view *v, const char *value)
{
	struct programs_view *s = programs_of(v);

	if (!s->data)
		return s->state.state == TS_PANE_EMPTY || s->state.state == TS_PANE_LOADING
			? TS_ARG_LATER
			: TS_ARG_NO;
	if (strcmp(s->filter, value) != 0)
		programs_filter(s, value);
	if (strcmp(s->filter, value) != 0)
		return TS_ARG_NO;
	return s->asked[ASK_FILTER] ? TS_ARG_LATER : TS_ARG_DONE;
}

static bool
get_threshold(struct ts_view *v, struct ts_strbuf *out)
{
	if (programs_of(v)->fold == 0)
		return false;
	ts_strbuf_printf(out, "%g", (double)programs_of(v)->fold / PROGRAMS_PERCENT);
	return true;
}

static enum ts_arg_state
set_threshold(struct ts_view *v, const char *value)
{
	return programs_threshold(programs_of(v), value) & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

static bool
get_tab(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say(&programs_of(v)->split.tabs, out);
}

static enum ts_arg_state
set_tab(struct ts_view *v, const char *value)
{
	enum ts_arg_state state = ts_tabs_set(&programs_of(v)->split.tabs, value);

	programs_layout(programs_of(v));
	return state;
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	if (!programs_of(v)->split.in_tabs)
		return false;
	ts_strbuf_puts(out, "tabs");
	return true;
}

static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	ts_split_focus(&programs_of(v)->split, strcmp(value, "tabs") == 0);
	programs_layout(programs_of(v));
	return TS_ARG_DONE;
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, programs_of(v)->split.zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, programs_of(v)->split.zoomed,
		ts_arg_is_yes(value));
}

const struct ts_view_arg programs_args[] = {
	{"order", TS_ARG_TEXT, get_order, set_order, 0},
	{"threshold", TS_ARG_TEXT, get_threshold, set_threshold, 0},
	{"filter", TS_ARG_TEXT, get_filter, set_filter, 0},
	{"program", TS_ARG_NUMBER, get_program, set_program, 0},
	{"compute_set", TS_ARG_NUMBER, get_nothing, set_compute_set, 0},
	{"variable", TS_ARG_NUMBER, get_nothing, set_variable, 0},
	{"lowered", TS_ARG_NUMBER, get_nothing, set_lowered, 0},
	{"tab", TS_ARG_TEXT, get_tab, set_tab, 0},
	{"pane", "programs|tabs", get_pane, set_pane, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{0},
};
