/* SPDX-License-Identifier: MIT */
/*
 * insights - the view's table of functions: panes, commands, the one question. See the header.
 *
 * One fetch answers all: facts, findings, the fullest tiles, the peak. It goes through no large relation where the index,
 * or the report, has bytes by tile and category; it waits for that section while it is being built. What is asked
 * of whole relations beyond that (the largest things) is asked by its tab when it is shown.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/summary.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/typed.h"

#include "insights_internal.h"

enum { LIST_LEAST = 4, TALL = 30, ROOMY = 50 };

/* --- life ------------------------------------------------------------------------------------- */

static struct ts_view *
open_view(struct ts_view_env *env)
{
	struct insights_view *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base.ops = &ts_view_insights;
	s->base.env = env;
	ts_list_init(&s->list.list);
	ts_table_order_init(&s->list.order);
	if (!ts_tabs_init(&s->tabs, &s->base, s, insights_tab_ops, INSIGHTS_TABS)) {
		ts_tabs_fini(&s->tabs);
		free(s);
		return NULL;
	}
	s->tabs.pair = true;
	return &s->base;
}

static void
drop(struct insights_view *s)
{
	ts_findings_fini(&s->found);
	insights_peak_drop(s);
	s->asked = s->execution = NULL;
	s->no_execution = false;
	s->state = (struct ts_pane_data){0};
	s->offs = s->groups = 0;
	s->data++;
}

static void
close_view(struct ts_view *v)
{
	struct insights_view *s = insights_of(v);

	drop(s);
	ts_tabs_fini(&s->tabs);
	ts_table_order_fini(&s->list.order);
	free(s);
}

/* False: no row is of that rule. */
static bool
go_to_rule(struct insights_view *s, const char *id)
{
	struct ts_table t = insights_table(s);

	for (int64_t i = 0; i < insights_rows(s); i++)
		if (insights_is_of(s, i, id) && ts_table_place(&t, i) >= 0) {
			ts_list_jump(&s->list.list, ts_table_place(&t, i));
			return true;
		}
	return false;
}

/* Rows move when findings come: what the cursor is on stays under it. Before, and after the rows are in order. */
static void
keep_rule(struct insights_view *s)
{
	const struct ts_rule *rule = insights_rule(s, insights_row(s));

	if (rule)
		snprintf(s->kept, sizeof(s->kept), "%s", rule->id);
}

static void
go_to_kept(struct insights_view *s)
{
	if (s->kept[0])
		go_to_rule(s, s->kept);
	s->kept[0] = '\0';
}

/* The cursor stays in its line until there is an answer. */
static void
reload(struct ts_view *v)
{
	struct insights_view *s = insights_of(v);

	keep_rule(s);
	drop(s);
	ts_tabs_drop(&s->tabs);
	if (v->env->reload == TS_RELOAD_OTHER) {
		ts_list_init(&s->list.list);
		s->kept[0] = '\0';
	}
}

static void
layout(struct insights_view *s)
{
	struct ts_rect r = s->area;
	int64_t want; /* a rule, titles, total */
	int most = r.h >= ROOMY ? r.h / 2
		: r.h >= TALL	? r.h * 2 / 5
		: s->in_tabs	? r.h / 3
				: r.h / 2;

	insights_group(s);
	want = insights_rows(s) + 3;
	s->at = s->below = r;
	if (s->zoomed) {
		s->at.h = s->in_tabs ? 0 : r.h;
		s->below.h = s->in_tabs ? r.h : 0;
	} else {
		s->at = ts_rect_cut_top(&r,
			(int)ts_clamp_i64(want, LIST_LEAST, ts_max_i64(most, LIST_LEAST)));
		s->below = r;
	}
	s->rule = ts_rect_cut_top(&s->at, 1);
	insights_order(s);
	ts_tabs_resize(&s->tabs, s->below, s->zoomed);
}

static void
resize(struct ts_view *v, struct ts_rect area)
{
	insights_of(v)->area = area;
	layout(insights_of(v));
}

/* --- the question ----------------------------------------------------------------------------- */

static bool
has_section(const struct ts_view_env *env, enum ts_section section)
{
	size_t size;

	return ts_index_section(env->index, section, &size) != NULL;
}

/* `cheap`: only where no large relation has to be gone through. */
static void
ask_findings(struct insights_view *s, bool cheap)
{
	struct ts_view *v = &s->base;

	if (s->state.state != TS_PANE_EMPTY || s->asked || !ts_findings_can(v->env, cheap))
		return;
	s->asked = ts_findings_ask(v, INSIGHTS_FETCH_FINDINGS, false);
	if (s->asked)
		s->state.state = TS_PANE_LOADING;
	s->whole = has_section(v->env, TS_SECTION_VARIABLES);
}

static void
read_ahead(struct ts_view *v)
{
	ask_findings(insights_of(v), true);
}

static void
request(struct ts_view *v)
{
	struct insights_view *s = insights_of(v);

	ask_findings(s, false);
	if (!s->execution && !s->no_execution && ts_pane_has(&s->state) &&
		ts_findings_can_execution(&s->found, v->env, false))
		s->execution = ts_findings_ask_execution(v, INSIGHTS_FETCH_EXECUTION);
	if (s->found.units != v->env->options->units && ts_pane_has(&s->state)) {
		ts_findings_say(&s->found, v->env->options->units);
		s->data++;
	}
	insights_order(s);
	ts_tabs_request(&s->tabs);
}

/* What could not be said before is said by the index: why a tile is full, or all of it. */
static void
indexed(struct ts_view *v)
{
	struct insights_view *s = insights_of(v);
	bool lacking = ts_pane_has(&s->state) && !s->found.facts.fullest.looked && !s->whole;

	if ((lacking && has_section(v->env, TS_SECTION_VARIABLES)) ||
		(s->state.state == TS_PANE_LOADING && has_section(v->env, TS_SECTION_CATEGORIES)) ||
		s->state.state == TS_PANE_FAILED) {
		s->asked = ts_findings_ask(v, INSIGHTS_FETCH_FINDINGS, false);
		s->whole = has_section(v->env, TS_SECTION_VARIABLES);
	}
	ts_tabs_indexed(&s->tabs);
}

static void
take(struct insights_view *s, struct ts_fetch *f)
{
	int was = s->found.wrong;

	ts_findings_take(&s->found, f);
	s->offs = 0;
	for (int i = 0; i < s->found.rules.count; i++)
		if (s->found.rules.rule[i].off)
			s->off[s->offs++] = i;
	if (!was)
		ts_view_say_rules(s->base.env, s->found.wrong, s->found.problem);
	s->base.env->partial |= s->found.facts.notes.partial;
}

static void
take_execution(struct insights_view *s, struct ts_fetch *f)
{
	keep_rule(s);
	ts_findings_take_execution(&s->found, f);
	s->base.env->partial |= s->found.execution.notes.partial;
	s->data++;
	insights_order(s);
	go_to_kept(s);
}

static enum ts_effect
deliver_execution(struct insights_view *s, struct ts_fetch *f)
{
	s->execution = NULL;
	s->no_execution = ts_fetch_in_vain(f, s->base.env->generation) || f->code;
	if (!s->no_execution)
		take_execution(s, f);
	layout(s);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct insights_view *s = insights_of(v);
	enum ts_effect effect = ts_tabs_deliver(&s->tabs, f);

	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (s->execution == f)
		return deliver_execution(s, f);
	if (s->peak_sent == f) {
		insights_peak_take(s, f);
		layout(s);
		return TS_EFFECT_REPAINT;
	}
	if (s->asked != f)
		return TS_EFFECT_NONE;
	s->asked = NULL;
	if (ts_fetch_in_vain(f, v->env->generation)) {
		if (!ts_pane_has(&s->state))
			s->state.state = TS_PANE_FAILED;
		snprintf(s->state.reason, sizeof(s->state.reason), "cancelled (r reads it again)");
	} else {
		keep_rule(s);
		ts_pane_result(&s->state, f->code, &f->err, false);
		if (f->code == TS_OK)
			take(s, f);
	}
	s->data++;
	layout(s);
	if (ts_pane_has(&s->state))
		go_to_kept(s);
	return TS_EFFECT_REPAINT;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/*
 * Whether the program fits, which is what most come for: "DOES NOT FIT: 7 of 2,944 tiles over", in `room` columns. Empty
 * where the limit is not known.
 */
static enum ts_role
verdict(const struct insights_view *s, int room, char *out, size_t size)
{
	const struct ts_insight_facts *x = &s->found.facts;
	bool known = false, fits = x->has_tiles && ts_summary_fits(&x->tiles, &x->target, &known);
	int64_t over = (int64_t)ts_tiles_over(&x->tiles, x->target.bytes_per_tile);
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	snprintf(out, size, "%s", !known ? "" : fits ? "fits" : "DOES NOT FIT");
	if (!known || fits)
		return TS_ROLE_GOOD;
	if (snprintf(out, size, "DOES NOT FIT: %s of %s tiles over", ts_fmt_count(n, over),
		    ts_fmt_count(of, (int64_t)x->tiles.count)) > room &&
		snprintf(out, size, "DOES NOT FIT: %s tile%s over", n, over == 1 ? "" : "s") > room)
		snprintf(out, size, "DOES NOT FIT");
	return TS_ROLE_BAD;
}

static void
draw_rule(const struct insights_view *s, struct ts_canvas *c)
{
	enum { AROUND = 14, TITLE_AT = 3 }; /* columns of the rule that no text has */
	const struct ts_insights *in = &s->found.insights;
	char title[200] = "FINDINGS", right[80] = "", found[80] = "", fits[80] = "";
	const char *before = "";
	enum ts_role role = TS_ROLE_TEXT;

	if (ts_pane_has(&s->state)) {
		snprintf(found, sizeof(found), "%d bad, %d warn, %d note, %d ok",
			in->by_severity[TS_SEVERITY_BAD], in->by_severity[TS_SEVERITY_WARN],
			in->by_severity[TS_SEVERITY_NOTE], in->by_severity[TS_SEVERITY_NONE]);
		snprintf(right, sizeof(right), "%s%d not known%s",
			s->execution ? "reading the execution, " : "", in->unknown,
			s->found.facts.notes.partial || s->found.execution.notes.partial
				? ", damaged"
				: "");
		if (s->offs)
			snprintf(right + strlen(right), sizeof(right) - strlen(right), ", %d off",
				s->offs);
		role = verdict(s, s->rule.w - (int)(strlen(found) + strlen(right)) - AROUND, fits,
			sizeof(fits));
		before = role == TS_ROLE_BAD ? "" : fits[0] ? "FINDINGS  " : "FINDINGS";
		snprintf(title, sizeof(title), "%s%s  %s", before, fits, found);
	}
	ts_canvas_rule(c, s->rule, s->in_tabs ? TS_ROLE_BORDER : TS_ROLE_BORDER_ACTIVE, title,
		right[0] ? right : NULL);
	ts_canvas_text(c, s->rule, TITLE_AT + (int)strlen(before), 0, role, fits);
}

static void
draw(struct ts_view *v, struct ts_canvas *c)
{
	struct insights_view *s = insights_of(v);
	struct ts_table table = insights_table(s);

	if (!ts_rect_empty(s->at)) {
		draw_rule(s, c);
		if (ts_pane_has(&s->state))
			ts_table_draw(c, s->at, &table, &s->list.list);
		else
			ts_pane_draw(c, s->at, v->env, &s->state);
	}
	if (!ts_rect_empty(s->below))
		ts_tabs_draw(&s->tabs, c, s->in_tabs);
}

/* --- commands --------------------------------------------------------------------------------- */

enum ts_effect
insights_go(struct insights_view *s, const char *place)
{
	if (!place || !place[0])
		return TS_EFFECT_BELL;
	snprintf(s->base.env->place, sizeof(s->base.env->place), "%s", place);
	return TS_EFFECT_REPAINT;
}

/* To the place of the finding. */
static enum ts_effect
follow(struct insights_view *s)
{
	const struct ts_finding *f = insights_finding(s, insights_row(s));

	if (!f)
		return TS_EFFECT_BELL;
	if (!f->place[0])
		ts_view_say(s->base.env, "%s has no place: %s", f->rule->id,
			f->known ? "there is nothing to see" : "it is not known");
	return insights_go(s, f->place);
}

/* What the finding's place, or the row of the tab that has the keys, is about. */
static void
object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct insights_view *s = insights_of(v);
	const struct ts_finding *f = insights_ready(s) ? insights_finding(s, insights_row(s))
						       : NULL;

	if (f)
		snprintf(out->place, sizeof(out->place), "%s", f->place);
	if (s->in_tabs && ts_tabs_at(&s->tabs)->ops->object)
		ts_tabs_object(&s->tabs, out);
}

static enum ts_effect
list_command(struct insights_view *s, const struct ts_call *call)
{
	struct ts_table t = insights_table(s);
	enum ts_effect effect;

	switch (call->cmd) {
	case TS_CMD_OPEN:
		return follow(s);
	default:
		break;
	}
	effect = insights_list_command(s, &s->list, &t, call, insights_row_text);
	insights_order(s);
	return effect;
}

static enum ts_effect
focus(struct insights_view *s, bool in_tabs)
{
	s->in_tabs = in_tabs;
	layout(s);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
next_pane(struct insights_view *s, int step)
{
	if (s->in_tabs && ts_tabs_step(&s->tabs, step))
		return TS_EFFECT_REPAINT;
	if (!s->in_tabs)
		ts_tabs_enter(&s->tabs, step);
	return focus(s, !s->in_tabs);
}

static enum ts_effect
command(struct ts_view *v, const struct ts_call *call)
{
	struct insights_view *s = insights_of(v);
	enum ts_effect effect;

	if (call->cmd == TS_CMD_PANE_NEXT || call->cmd == TS_CMD_PANE_PREVIOUS)
		return next_pane(s, call->cmd == TS_CMD_PANE_NEXT ? 1 : -1);
	if (call->cmd == TS_CMD_PANE_ZOOM) {
		s->zoomed = !s->zoomed;
		return focus(s, s->in_tabs);
	}
	effect = ts_tabs_switch(&s->tabs, call);
	if (effect & TS_EFFECT_UNKNOWN)
		effect = s->in_tabs ? ts_tabs_command(&s->tabs, call) : list_command(s, call);
	if (effect & TS_EFFECT_REFLOW)
		layout(s);
	return effect;
}

static bool
waits(struct ts_view *v, enum ts_cmd cmd)
{
	const struct insights_view *s = insights_of(v);

	return s->in_tabs ? ts_tabs_waits(&s->tabs, cmd)
			  : ts_typed_is_of_rows(cmd) && !ts_pane_has(&s->state);
}

static enum ts_context
pane_context(struct ts_view *v)
{
	struct insights_view *s = insights_of(v);

	return s->in_tabs ? ts_tabs_context(&s->tabs) : TS_CONTEXT_LIST;
}

static enum ts_effect
mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct insights_view *s = insights_of(v);
	struct ts_table t = insights_table(s);
	bool below = !ts_rect_empty(s->below) && y >= s->below.y;

	if (!wheel && below != s->in_tabs)
		focus(s, below);
	if (below)
		return ts_tabs_mouse(&s->tabs, x, y, wheel);
	return ts_list_mouse(&s->list.list, ts_table_line(&t, s->at, y), wheel);
}

static bool
sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct insights_view *s = insights_of(v);

	if (s->in_tabs)
		return ts_tabs_sheet(&s->tabs, out);
	if (!ts_pane_has(&s->state))
		return false;
	snprintf(out->title, sizeof(out->title), "Findings");
	out->table = insights_table(s);
	out->list = &s->list.list;
	out->rows = insights_rows(s);
	out->written = insights_written;
	return true;
}

/* The list of findings has none; what the tab beside it draws is written from there. */
static bool
chart(struct ts_view *v, struct ts_chart_page *out)
{
	struct insights_view *s = insights_of(v);

	if (!s->in_tabs)
		snprintf(out->without, sizeof(out->without), "Findings");
	return s->in_tabs && ts_tabs_chart(&s->tabs, out);
}

/* --- address ---------------------------------------------------------------------------------- */

static bool
get_rule(struct ts_view *v, struct ts_strbuf *out)
{
	struct insights_view *s = insights_of(v);
	const struct ts_rule *rule = insights_rule(s, insights_row(s));

	if (!rule || s->list.list.cursor == 0)
		return false;
	ts_strbuf_puts(out, rule->id);
	return true;
}

static enum ts_arg_state
set_rule(struct ts_view *v, const char *value)
{
	struct insights_view *s = insights_of(v);

	if (s->state.state == TS_PANE_EMPTY || s->state.state == TS_PANE_LOADING)
		return TS_ARG_LATER;
	if (go_to_rule(s, value)) {
		/* those of the execution are one row until it is read */
		bool more = !s->found.has_execution && !s->no_execution && v->env->report &&
			ts_report_has(v->env->report, TS_STEP_IPU);

		return more && insights_together(s, insights_row(s)) > 1 ? TS_ARG_LATER
									 : TS_ARG_DONE;
	}
	ts_view_say_error(v->env, "there is no rule %s", value);
	return TS_ARG_NO;
}

static bool
get_tab(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say(&insights_of(v)->tabs, out);
}

static enum ts_arg_state
set_tab(struct ts_view *v, const char *value)
{
	enum ts_arg_state state = ts_tabs_set(&insights_of(v)->tabs, value);

	layout(insights_of(v));
	return state;
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	if (!insights_of(v)->in_tabs)
		return false;
	ts_strbuf_puts(out, "tabs");
	return true;
}

static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	focus(insights_of(v), strcmp(value, "tabs") == 0);
	return TS_ARG_DONE;
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, insights_of(v)->zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, insights_of(v)->zoomed, ts_arg_is_yes(value));
}

static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say_row(&insights_of(v)->tabs, out);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	return ts_tabs_set_row(&insights_of(v)->tabs, value);
}

static const struct ts_view_arg args[] = {
	{"rule", TS_ARG_TEXT, get_rule, set_rule, 0},
	{"tab", TS_ARG_TEXT, get_tab, set_tab, 0},
	{"pane", "findings|tabs", get_pane, set_pane, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{"columns", TS_ARG_TEXT, ts_arg_get_columns, ts_arg_set_columns, 0},
	{"sort", TS_ARG_TEXT, ts_arg_get_sort, ts_arg_set_sort, 0},
	{"filter", TS_ARG_TEXT, ts_arg_get_filter, ts_arg_set_filter, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{0},
};

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

/* Of the tab, where it has the keys. */
static const struct ts_hint *
pane_hints(struct ts_view *v)
{
	const struct insights_view *s = (struct insights_view *)v;

	return s->in_tabs && insights_ready(s) ? ts_tabs_hints(&s->tabs) : NULL;
}

static struct ts_tabs *
tabs_of(struct ts_view *v)
{
	return &((struct insights_view *)v)->tabs;
}

const struct ts_view_ops ts_view_insights = {
	.name = "insights",
	.title = "Insights",
	.number = 2,
	.context = TS_CONTEXT_INSIGHTS,
	.open = open_view,
	.close = close_view,
	.reload = reload,
	.indexed = indexed,
	.resize = resize,
	.draw = draw,
	.request = request,
	.ahead = read_ahead,
	.deliver = deliver,
	.command = command,
	.waits = waits,
	.pane_context = pane_context,
	.mouse = mouse,
	.explain = insights_explain,
	.object = object,
	.tabs = tabs_of,
	.sheet = sheet,
	.not_selected = "figures of all tiles",
	.pane_hints = pane_hints,
	.hints = hints,
	.chart = chart,
	.args = args,
};
