/* SPDX-License-Identifier: MIT */
/* programs - the view's table of functions: panes, commands, addresses. See the header and programs_internal.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/program_find.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/arg.h"

enum { RULE_REST = 9 }; /* columns of a rule beside its texts */

/* --- life ----------------------------------------------------------------------------------------- */

static struct ts_view *
open_view(struct ts_view_env *env)
{
	struct programs_view *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base.ops = &ts_view_programs;
	s->base.env = env;
	s->kept = -1;
	s->order_of = UINT32_MAX;
	ts_table_order_init(&s->sort);
	ts_outline_init(&s->outline);
	if (!ts_split_init(&s->split, &s->base, s, programs_tab_ops, PROGRAMS_TABS)) {
		ts_split_fini(&s->split);
		free(s);
		return NULL;
	}
	return &s->base;
}

static void
close_view(struct ts_view *v)
{
	struct programs_view *s = programs_of(v);

	programs_drop(s);
	ts_split_fini(&s->split);
	ts_outline_fini(&s->outline);
	ts_pile_fini(&s->root);
	ts_pile_fini(&s->order);
	ts_pile_fini(&s->hit);
	ts_pile_fini(&s->keep);
	programs_drop_diff(s);
	free(s);
}

static void
reload(struct ts_view *v)
{
	struct programs_view *s = programs_of(v);
	uint32_t at = programs_at(s);

	if (s->data && at != UINT32_MAX && v->env->reload != TS_RELOAD_OTHER)
		s->kept = programs_node(s->data, at)->program;
	programs_drop(s);
	ts_tabs_drop(&s->split.tabs);
}

void
programs_layout(struct programs_view *s)
{
	struct ts_table table = programs_table(s);

	ts_split_layout(&s->split);
	ts_list_resize(&s->outline.list, ts_table_rows(&table, s->split.at));
}

static void
resize(struct ts_view *v, struct ts_rect area)
{
	programs_of(v)->split.area = area;
	programs_layout(programs_of(v));
}

static enum ts_effect
deliver(struct ts_view *v, struct ts_fetch *f)
{
	enum ts_effect effect = programs_deliver(v, f);

	programs_layout(programs_of(v));
	return effect;
}

/* --- drawing -------------------------------------------------------------------------------------- */

/* What is not in the figures: not yet, or not at all. */
static void
say_state(const struct programs_view *s, char *out, size_t size)
{
	const struct ts_fetch *f = s->asked[ASK_TRACE];
	int64_t done = f ? atomic_load(&f->job.progress.done) : 0,
		total = f ? atomic_load(&f->job.progress.total) : 0;
	char n[TS_FMT_MAX];

	if (f && total > 0)
		snprintf(out, size, "adding up what was executed %s",
			ts_fmt_percent(n, (double)ts_min_i64(done, total), (double)total));
	else if (f)
		snprintf(out, size, "adding up what was executed");
	else if (s->in_vain)
		snprintf(out, size, "what was executed is not in it (r reads it again)");
	else if (s->data && s->data->not_summed > 0)
		snprintf(out, size, "%s have too many below to be summed",
			ts_fmt_count(n, (int64_t)s->data->not_summed));
}

/* What rows are left, or were found. */
static void
say_rows(const struct programs_view *s, char *out, size_t size)
{
	char n[TS_FMT_MAX];

	if (s->filter[0])
		snprintf(out, size, "%s & %.60s",
			s->keep.memory ? ts_fmt_count(n, (int64_t)s->matches) : "...", s->filter);
	else if (s->hits > 0)
		snprintf(out, size, "%s found", ts_fmt_count(n, (int64_t)s->hits));
	else if (s->fold == 0)
		say_state(s, out, size);
	if (s->fold > 0)
		snprintf(out + strlen(out), size - strlen(out), "%sfrom %g%% on",
			out[0] ? ", " : "", (double)s->fold / PROGRAMS_PERCENT);
}

/* What marked rows in sight share with the one under the cursor. */
static void
say_marked(struct programs_view *s, char *out, size_t size)
{
	unsigned same = 0;
	int64_t from, to;

	ts_list_window(&s->outline.list, &from, &to);
	for (int64_t i = from; i < to; i++)
		if (programs_row_role(s, i) == TS_ROLE_SELECTION)
			same |= programs_same(s, programs_row_node(s, i));
	if (same)
		snprintf(out + strlen(out), size - strlen(out), "%ssame %s marked",
			out[0] ? ", " : "", programs_same_words(same));
}

static void
draw_rule(struct programs_view *s, struct ts_canvas *c)
{
	static const char *const measures[][2] = {{"cycles executed, all runs and IPUs added",
							  "cycles of all runs and IPUs"},
		{"measured cycles, once each", "measured, once each"},
		{"estimated cycles, once each", "estimated, once each"}};
	char title[160] = "Programs", right[200] = "";

	say_rows(s, right, sizeof(right));
	if (s->data)
		say_marked(s, right, sizeof(right));
	for (int brief = 0; s->data && brief < 2; brief++) {
		snprintf(title, sizeof(title), "Programs: %s%s%s%s",
			measures[programs_measure(s)][brief], s->diff ? ", compared" : "",
			s->sort.sorted != programs_by_cost(s) || !s->sort.descending ? ""
				: s->diff ? ", the largest differences first"
					  : ", dearest first",
			s->data->flat ? ", the tree is not recorded" : "");
		if (strlen(title) + strlen(right) + RULE_REST <= (size_t)s->split.rule.w)
			break;
	}
	ts_split_rule(&s->split, c, title, right);
}

static void
draw(struct ts_view *v, struct ts_canvas *c)
{
	struct programs_view *s = programs_of(v);
	struct ts_table table = programs_table(s);

	if (!ts_rect_empty(s->split.at)) {
		draw_rule(s, c);
		if (s->data)
			ts_table_draw(c, s->split.at, &table, &s->outline.list);
		else
			ts_pane_draw(c, s->split.at, v->env, &s->state);
	}
	if (!ts_rect_empty(s->split.below))
		ts_tabs_draw(&s->split.tabs, c, s->split.in_tabs);
}

/* --- commands ------------------------------------------------------------------------------------- */

/* Children of each program by a column, the first of which is what they cost; behind the last: as they run. */
static enum ts_effect
sort(struct programs_view *s, const struct ts_call *call)
{
	struct ts_table t = programs_table(s);
	enum ts_effect effect;
	char say[200];

	s->sort.first = programs_by_cost(s);
	s->sort.rows = (int64_t)s->outline.count;
	t.order = &s->sort;
	effect = ts_table_order_command(&t, call, say, sizeof(say));
	if (effect & TS_EFFECT_BELL) {
		ts_view_say_error(s->base.env, "%s", say);
		return effect;
	}
	ts_view_say(s->base.env, "%s",
		s->sort.sorted < 0 && !s->sort.descending ? "as they run" : say);
	programs_rows(s);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

enum ts_effect
programs_threshold(struct programs_view *s, const char *word)
{
	char *end;
	double percent = word ? strtod(word, &end) : 0;

	if (word &&
		(end == word || !(percent >= 0 && percent <= 100) ||
			(*end && strcmp(end, "%") != 0))) {
		ts_view_say_error(s->base.env, "threshold takes a share from 0%% to 100%%");
		return TS_EFFECT_BELL;
	}
	s->fold = (int64_t)(percent * PROGRAMS_PERCENT + 0.5);
	if (s->data)
		programs_rows(s);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

enum ts_effect
programs_go_to(struct programs_view *s, int64_t program)
{
	uint32_t node = s->data ? ts_program_tree_find(s->data->tree, program) : UINT32_MAX;

	if (node == UINT32_MAX || !programs_go(s, node)) {
		ts_view_say_error(s->base.env,
			s->filter[0] || s->fold > 0
				? "program %" PRId64
				  " is not shown: filter or threshold leave it out"
				: "there is no program %" PRId64 " below a root",
			program);
		return TS_EFFECT_BELL;
	}
	return TS_EFFECT_REPAINT | TS_EFFECT_SELECT | TS_EFFECT_RECALC;
}

enum ts_effect
programs_go_to_word(struct programs_view *s, const char *word)
{
	char *end;
	long long program = word ? strtoll(word, &end, 10) : -1;

	if (word && end != word && !*end)
		return programs_go_to(s, program);
	ts_view_say_error(s->base.env, "\"%.40s\" is no number of a program", word ? word : "");
	return TS_EFFECT_BELL;
}

static enum ts_effect
copy_row(struct programs_view *s)
{
	struct ts_strbuf text;

	ts_strbuf_init(&text, sizeof(s->base.env->copy) - 1);
	programs_row_text(s, s->outline.list.cursor, &text);
	snprintf(s->base.env->copy, sizeof(s->base.env->copy), "%s", text.s);
	ts_strbuf_fini(&text);
	return s->base.env->copy[0] ? TS_EFFECT_NONE : TS_EFFECT_BELL;
}

static enum ts_effect
list_command(struct programs_view *s, const struct ts_call *call)
{
	enum ts_effect effect;

	switch (call->cmd) {
	case TS_CMD_SORT:
	case TS_CMD_SORT_REVERSE:
		return sort(s, call);
	case TS_CMD_THRESHOLD:
		return programs_threshold(s, ts_call_arg(call, 0));
	case TS_CMD_GOTO:
		return programs_go_to_word(s, ts_call_arg(call, 0));
	case TS_CMD_FILTER:
		programs_filter(s, ts_call_arg(call, 0));
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		programs_seek(s, ts_call_arg(call, 0), call->cmd == TS_CMD_SEARCH ? 1 : -1);
		return TS_EFFECT_REPAINT;
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return programs_next_hit(s, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1);
	case TS_CMD_COPY:
		return copy_row(s);
	default:
		break;
	}
	effect = ts_outline_command(&s->outline, call->cmd);
	if (s->outline.full)
		ts_view_say(s->base.env, "there are more below: open them one by one");
	return effect;
}

static enum ts_effect
command(struct ts_view *v, const struct ts_call *call)
{
	struct programs_view *s = programs_of(v);
	enum ts_effect effect = ts_split_command(&s->split, call);

	if (effect & TS_EFFECT_UNKNOWN && s->data)
		effect = list_command(s, call);
	programs_layout(s);
	return effect;
}

static bool
is_filtered(struct ts_view *v)
{
	return !programs_of(v)->split.in_tabs && programs_of(v)->filter[0];
}

static bool
waits(struct ts_view *v, enum ts_cmd cmd)
{
	return ts_split_waits(&programs_of(v)->split, cmd);
}

static void
complete(struct ts_view *v, enum ts_cmd cmd, const char *line, struct ts_candidates *out)
{
	static const char *const structure[] = {"under", "where"};
	const char *word = strrchr(line, ' ');

	(void)v;
	if (cmd != TS_CMD_SEARCH && cmd != TS_CMD_SEARCH_BACK && cmd != TS_CMD_FILTER)
		return;
	word = word ? word + 1 : line;
	out->start = (size_t)(word - line);
	for (size_t i = 0; i < TS_COUNT(structure); i++)
		if (*word && strncmp(structure[i], word, strlen(word)) == 0)
			ts_candidates_add(out, structure[i]);
	for (int i = 1; ts_program_fields[i].name; i++)
		if (strncmp(ts_program_fields[i].name, word, strlen(word)) == 0)
			ts_candidates_add(out, ts_program_fields[i].name);
}

static enum ts_context
pane_context(struct ts_view *v)
{
	struct programs_view *s = programs_of(v);

	return s->split.in_tabs ? ts_tabs_context(&s->split.tabs) : TS_CONTEXT_LIST;
}

static enum ts_effect
mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct programs_view *s = programs_of(v);
	struct ts_table t = programs_table(s);

	if (ts_split_mouse(&s->split, y, wheel))
		return ts_tabs_mouse(&s->split.tabs, x, y, wheel);
	return ts_list_mouse(&s->outline.list, ts_table_line(&t, s->split.at, y), wheel);
}

/* The program, its first steps, and the tile that it takes longest. */
static void
object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct programs_view *s = programs_of(v);
	uint32_t at = programs_at(s);
	const struct ts_program_cost *p;
	struct ts_at_cursor of_tab;

	if (!s->data || at == UINT32_MAX)
		return;
	p = programs_cost(s->data, at);
	out->program = programs_node(s->data, at)->program;
	if (p) {
		out->compute_set = p->compute_set;
		out->step = p->first_step;
		out->live_step = p->live_step;
		out->live_step_is = "the first of the program";
		out->tile = p->measured.tile != TS_UNKNOWN ? p->measured.tile : p->estimated.tile;
	}
	if (!s->split.in_tabs)
		return;
	ts_tabs_object(&s->split.tabs, &of_tab);
	if (of_tab.program >= 0 && of_tab.program != out->program)
		ts_at_cursor_none(out); /* of another one */
	ts_at_cursor_add(out, &of_tab);
}

static struct ts_tabs *
tabs(struct ts_view *v)
{
	return &programs_of(v)->split.tabs;
}

static bool
sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct programs_view *s = programs_of(v);

	if (s->split.in_tabs)
		return ts_tabs_sheet(&s->split.tabs, out);
	if (!s->data)
		return false;
	snprintf(out->title, sizeof(out->title), "Programs");
	out->table = programs_table(s);
	out->list = &s->outline.list;
	out->rows = (int64_t)s->outline.count;
	return true;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "open"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_UNFOLD, "unfold"},
	{TS_CMD_GOTO_TRACE, "trace"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_view_ops ts_view_programs = {
	.name = "programs",
	.title = "Programs",
	.number = 5,
	.context = TS_CONTEXT_PROGRAMS,
	.open = open_view,
	.close = close_view,
	.reload = reload,
	.resize = resize,
	.draw = draw,
	.request = programs_request,
	.ahead = programs_ahead,
	.deliver = deliver,
	.command = command,
	.filtered = is_filtered,
	.waits = waits,
	.complete = complete,
	.pane_context = pane_context,
	.mouse = mouse,
	.explain = programs_explain,
	.object = object,
	.tabs = tabs,
	.sheet = sheet,
	.hints = hints,
	.not_selected = "figures of all tiles",
	.args = programs_args,
};
