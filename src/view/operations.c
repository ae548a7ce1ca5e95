/* SPDX-License-Identifier: MIT */
/* operations - the view's table of functions: panes, commands. See the header and operations_internal.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/typed.h"

enum { BY_CYCLES = 4 }; /* column that the table is sorted by at first */

/* --- life ----------------------------------------------------------------------------------------- */

static struct ts_view *
open_view(struct ts_view_env *env)
{
	struct operations_view *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base.ops = &ts_view_operations;
	s->base.env = env;
	s->go_to = TS_NO_OPERATION;
	s->kept_number = s->kept_context = -1;
	ts_table_order_init(&s->order);
	s->order.sorted = s->wish.sorted = BY_CYCLES;
	s->order.descending = s->wish.descending = true;
	ts_outline_init(&s->outline);
	if (!ts_split_init(&s->split, &s->base, s, operations_tab_ops, OPERATIONS_TABS)) {
		ts_split_fini(&s->split);
		free(s);
		return NULL;
	}
	return &s->base;
}

static void
close_view(struct ts_view *v)
{
	struct operations_view *s = operations_of(v);

	operations_drop(s);
	ts_split_fini(&s->split);
	ts_outline_fini(&s->outline);
	ts_table_order_fini(&s->order);
	ts_pile_fini(&s->hit);
	free(s);
}

static void
reload(struct ts_view *v)
{
	struct operations_view *s = operations_of(v);

	if (v->env->reload != TS_RELOAD_OTHER)
		operations_keep_cursor(s);
	operations_drop(s);
	ts_tabs_drop(&s->split.tabs);
}

void
operations_layout(struct operations_view *s)
{
	struct ts_table table = operations_table(s);

	ts_split_layout(&s->split);
	ts_list_resize(&s->outline.list, ts_table_rows(&table, s->split.at));
}

static void
resize(struct ts_view *v, struct ts_rect area)
{
	operations_of(v)->split.area = area;
	operations_layout(operations_of(v));
}

static enum ts_effect
deliver(struct ts_view *v, struct ts_fetch *f)
{
	enum ts_effect effect = operations_deliver(v, f);

	operations_layout(operations_of(v));
	return effect;
}

/* --- drawing -------------------------------------------------------------------------------------- */

/* "popart, from contexts (2 of 4)" */
static void
layer_words(const struct operations_view *s, char *out, size_t size)
{
	size_t n;
	const char *name = ts_operation_layer_name(&n, s->ops, s->wish.layer);

	snprintf(out, size, "%.*s (%u of %u), %s", (int)ts_min_i64((int64_t)n, 40), name,
		s->wish.layer + 1, s->ops->layers,
		ts_operation_from_word((enum ts_operation_from)s->ops->layer[s->wish.layer].from));
}

static const char *
measure_words(const struct operations_view *s)
{
	static const char *const words[] = {"cycles executed in all runs",
		"cycles measured, once each", "cycles estimated, once each"};

	return words[operations_measure(s->ops)];
}

static void
draw_rule(const struct operations_view *s, struct ts_canvas *c)
{
	char title[200] = "Operations", layer[80], right[120] = "", n[TS_FMT_MAX];
	size_t of;

	if (s->ops && s->wish.tree)
		snprintf(title, sizeof(title), "Operations: all layers and their programs; %s",
			measure_words(s));
	else if (s->ops && s->shape && s->shape->groups) { /* room for the expression */
		const char *name = ts_operation_layer_name(&of, s->ops, s->wish.layer);

		snprintf(title, sizeof(title), "Operations: %.*s", (int)ts_min_i64((int64_t)of, 12),
			name);
	} else if (s->ops) {
		layer_words(s, layer, sizeof(layer));
		snprintf(title, sizeof(title), "Operations: %s; %s", layer, measure_words(s));
	}
	if (s->asked[ASK_SHAPE])
		snprintf(right, sizeof(right), "arranging");
	else if (s->wish.filter[0])
		snprintf(right, sizeof(right), "& %.60s", s->wish.filter);
	else if (s->hits > 0)
		snprintf(right, sizeof(right), "%s found", ts_fmt_count(n, (int64_t)s->hits));
	else if (s->shape && s->shape->groups)
		snprintf(right, sizeof(right), "%s by %.60s",
			ts_fmt_count(n, (int64_t)s->shape->groups->count), s->wish.rollup);
	else if (s->asked[ASK_TRACE])
		snprintf(right, sizeof(right), "adding up what was executed");
	ts_split_rule(&s->split, c, title, right);
}

static void
draw(struct ts_view *v, struct ts_canvas *c)
{
	struct operations_view *s = operations_of(v);
	struct ts_table table = operations_table(s);

	if (!ts_rect_empty(s->split.at)) {
		draw_rule(s, c);
		if (s->shape)
			ts_table_draw(c, s->split.at, &table, &s->outline.list);
		else if (s->ops)
			ts_canvas_pending(c, s->split.at, 2, 0);
		else
			ts_pane_draw(c, s->split.at, v->env, &s->state);
	}
	if (!ts_rect_empty(s->split.below))
		ts_tabs_draw(&s->split.tabs, c, s->split.in_tabs);
}

/* --- what is shown ---------------------------------------------------------------------------------- */

enum ts_effect
operations_layer(struct operations_view *s, const char *name)
{
	const char *is;
	size_t n;
	uint32_t at = s->wish.tree ? s->wish.layer : (s->wish.layer + 1) % s->ops->layers;

	for (at = name ? 0 : at; name && at < s->ops->layers; at++) {
		is = ts_operation_layer_name(&n, s->ops, at);
		if (strlen(name) == n && memcmp(name, is, n) == 0)
			break;
	}
	if (at >= s->ops->layers) {
		ts_view_say_error(s->base.env, "there is no layer \"%.60s\"", name);
		return TS_EFFECT_BELL;
	}
	s->wish.layer = at;
	s->wish.tree = false;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

enum ts_effect
operations_tree(struct operations_view *s, bool on)
{
	s->wish.tree = on;
	s->marked_known = false;
	if (on && s->wish.group)
		s->wish.group = false;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

enum ts_effect
operations_rollup(struct operations_view *s, const char *regex)
{
	struct ts_pattern *pattern = NULL;
	struct ts_err err = {0};

	if (!regex && s->wish.group) {
		s->wish.group = false;
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	}
	if (!regex)
		regex = s->wish.rollup[0] ? s->wish.rollup : s->base.env->options->layer_pattern;
	if (strlen(regex) >= sizeof(s->wish.rollup)) {
		ts_view_say_error(s->base.env, "the expression is too long");
		return TS_EFFECT_BELL;
	}
	if (ts_pattern_compile(&pattern, regex, TS_PATTERN_SMART, NULL, &err)) {
		ts_view_say_error(s->base.env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	ts_pattern_free(pattern);
	if (regex != s->wish.rollup)
		snprintf(s->wish.rollup, sizeof(s->wish.rollup), "%s", regex);
	s->wish.group = true;
	s->wish.tree = false;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* --- commands ------------------------------------------------------------------------------------- */

/* `sort`, `filter`: what the table says of them becomes what is to be shown. */
static enum ts_effect
order(struct operations_view *s, const struct ts_call *call)
{
	struct ts_table t = operations_table(s);
	enum ts_effect effect;
	char say[200] = "";

	if (call->cmd == TS_CMD_FILTER && !ts_call_arg(call, 0)) {
		s->wish.filter[0] = s->order.filter[0] = '\0';
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	}
	s->order.sorted = s->wish.sorted;
	s->order.descending = s->wish.descending;
	t.order = &s->order;
	effect = ts_table_order_command(&t, call, say, sizeof(say));
	if (effect & TS_EFFECT_UNKNOWN)
		return effect;
	if (say[0] && effect & TS_EFFECT_BELL)
		ts_view_say_error(s->base.env, "%s", say);
	else if (say[0])
		ts_view_say(s->base.env, "%s", say);
	s->wish.sorted = s->order.sorted;
	s->wish.descending = s->order.descending;
	memcpy(s->wish.filter, s->order.filter, sizeof(s->wish.filter));
	return effect | TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
copy_row(struct operations_view *s)
{
	struct ts_sheet sheet = {.list = NULL};

	if (!ts_view_operations.sheet(&s->base, &sheet) ||
		!ts_sheet_copy(&sheet, s->base.env->copy, sizeof(s->base.env->copy)))
		return TS_EFFECT_BELL;
	return TS_EFFECT_NONE;
}

/* A program's place is in Programs; an operation of the table leads to its place in the tree; all else folds. */
static enum ts_effect
open_row(struct operations_view *s)
{
	int64_t program = operations_program_at(s);
	uint32_t node = operations_at(s);

	if (program != TS_UNKNOWN) {
		snprintf(s->base.env->place, sizeof(s->base.env->place),
			"programs?program=%" PRId64, program);
		return TS_EFFECT_REPAINT;
	}
	if (s->shape && !s->wish.tree && node < s->shape->ids.nodes) {
		operations_tree(s, true);
		return operations_go_node(s, node);
	}
	return ts_outline_command(&s->outline, TS_CMD_OPEN);
}

static enum ts_effect
go_to_row(struct operations_view *s, const char *word)
{
	char *end;
	long long row = word ? strtoll(word, &end, 10) : 0;

	if (!word || end == word || *end || row < 1 || row > (long long)s->outline.count) {
		ts_view_say_error(s->base.env, "there is no row \"%.40s\"", word ? word : "");
		return TS_EFFECT_BELL;
	}
	return ts_list_jump(&s->outline.list, row - 1) | TS_EFFECT_RECALC;
}

static enum ts_effect
list_command(struct operations_view *s, const struct ts_call *call)
{
	const char *word = ts_call_arg(call, 0);
	enum ts_effect effect;

	switch (call->cmd) {
	case TS_CMD_SOFTWARE_LAYER:
		return operations_layer(s, word);
	case TS_CMD_LAYER_TREE:
		return operations_tree(s, word ? strcmp(word, "on") == 0 : !s->wish.tree);
	case TS_CMD_ROLLUP:
		return operations_rollup(s, word);
	case TS_CMD_SORT:
	case TS_CMD_SORT_REVERSE:
	case TS_CMD_FILTER:
		return order(s, call);
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		operations_seek(s, word ? word : "", call->cmd == TS_CMD_SEARCH ? 1 : -1);
		return TS_EFFECT_REPAINT;
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return operations_next_hit(s, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1);
	case TS_CMD_MARK:
		return operations_mark(s);
	case TS_CMD_MARKS_CLEAR:
		return operations_marks_clear(s);
	case TS_CMD_COPY:
		return copy_row(s);
	case TS_CMD_GOTO:
		return go_to_row(s, word);
	case TS_CMD_OPEN:
		return open_row(s);
	default:
		break;
	}
	effect = ts_outline_command(&s->outline, call->cmd);
	if (s->outline.full)
		ts_view_say(s->base.env, "there are more below: open them one by one");
	return effect;
}

/* These are the view's, whichever pane has the keys. */
static bool
is_of_view(enum ts_cmd cmd)
{
	return cmd == TS_CMD_SOFTWARE_LAYER || cmd == TS_CMD_LAYER_TREE || cmd == TS_CMD_ROLLUP;
}

static enum ts_effect
command(struct ts_view *v, const struct ts_call *call)
{
	struct operations_view *s = operations_of(v);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;

	if (!is_of_view(call->cmd))
		effect = ts_split_command(&s->split, call);
	if (effect & TS_EFFECT_UNKNOWN && s->ops && (!s->split.in_tabs || is_of_view(call->cmd)))
		effect = list_command(s, call);
	operations_layout(s);
	return effect;
}

static bool
is_filtered(struct ts_view *v)
{
	const struct operations_view *s = operations_of(v);

	return s->ops && !s->split.in_tabs && s->wish.filter[0];
}

/* Rows of the table are those of the order that was asked for. */
static bool
waits(struct ts_view *v, enum ts_cmd cmd)
{
	struct operations_view *s = operations_of(v);

	if (s->split.in_tabs)
		return ts_split_waits(&s->split, cmd);
	return s->ops && ts_typed_is_of_rows(cmd) && !(s->shape && operations_is_shown(s));
}

static void
complete(struct ts_view *v, enum ts_cmd cmd, const char *line, struct ts_candidates *out)
{
	struct operations_view *s = operations_of(v);
	struct ts_table t = operations_table(s);
	const char *word = strrchr(line, ' ');

	if (cmd != TS_CMD_FILTER || s->split.in_tabs)
		return;
	word = word ? word + 1 : line;
	out->start = (size_t)(word - line);
	for (int i = 0; i < t.columns; i++) {
		const char *name = ts_table_column_name(&t, i);

		if (strncmp(name, word, strlen(word)) == 0)
			ts_candidates_add(out, name);
	}
}

static enum ts_context
pane_context(struct ts_view *v)
{
	struct operations_view *s = operations_of(v);

	return s->split.in_tabs ? ts_tabs_context(&s->split.tabs) : TS_CONTEXT_LIST;
}

static const struct ts_hint *
pane_hints(struct ts_view *v)
{
	struct operations_view *s = operations_of(v);

	return s->split.in_tabs ? ts_tabs_hints(&s->split.tabs) : NULL;
}

static enum ts_effect
mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct operations_view *s = operations_of(v);
	struct ts_table t = operations_table(s);

	if (ts_split_mouse(&s->split, y, wheel))
		return ts_tabs_mouse(&s->split.tabs, x, y, wheel);
	operations_layout(s);
	return ts_list_mouse(&s->outline.list, ts_table_line(&t, s->split.at, y), wheel) |
		TS_EFFECT_RECALC;
}

static struct ts_tabs *
tabs_of(struct ts_view *v)
{
	return &operations_of(v)->split.tabs;
}

static bool
sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct operations_view *s = operations_of(v);
	char layer[80];

	if (s->split.in_tabs)
		return ts_tabs_sheet(&s->split.tabs, out);
	if (!s->shape)
		return false;
	layer_words(s, layer, sizeof(layer));
	snprintf(out->title, sizeof(out->title), "Operations: %s",
		s->wish.tree ? "all layers" : layer);
	out->table = operations_table(s);
	out->list = &s->outline.list;
	out->rows = (int64_t)s->outline.count;
	if (s->asked[ASK_SHAPE])
		out->wait = "rows are being put in order";
	return true;
}

/* The program of an operation that takes longest: where it is gone to in Programs. */
static const struct ts_program_cost *
longest_program(const struct operations_view *s, uint32_t node)
{
	const struct ts_operations *o = s->ops;
	const struct ts_program_cost *all = o->costs ? o->costs->cost.memory : NULL, *best = NULL;
	uint32_t end = s->shape->wish.tree ? ts_operation_at(o, node)->end : node + 1;

	for (uint64_t i = 0; all && i < o->owns; i++)
		if (o->own[i].node >= node && o->own[i].node < end &&
			(!best || all[o->own[i].program].executed > best->executed))
			best = &all[o->own[i].program];
	return best;
}

static void
add_program(struct ts_at_cursor *out, const struct ts_program_cost *p)
{
	out->program = p->program;
	out->compute_set = p->compute_set;
	out->tile = p->measured.tile != TS_UNKNOWN ? p->measured.tile : p->estimated.tile;
	out->step = p->first_step;
	out->live_step = p->live_step;
	out->live_step_is = "the first of the program";
}

static void
object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct operations_view *s = operations_of(v);
	uint32_t row = operations_at(s), node = operations_node_at(s), i;
	const struct ts_program_cost *p = NULL;
	struct ts_operation_figures room;
	const struct ts_operation_figures *f;
	struct ts_at_cursor of_tab;

	if (row == UINT32_MAX)
		return;
	f = operations_figures(s->shape, row, &room);
	if (operations_row(&s->shape->ids, row, &i) == ROW_PROGRAM)
		p = (const struct ts_program_cost *)s->ops->costs->cost.memory + i;
	else if (node != TS_NO_OPERATION)
		p = longest_program(s, node);
	if (p)
		add_program(out, p);
	if (node != TS_NO_OPERATION)
		out->operation = ts_operation_at(s->ops, node)->operation;
	if (row == node) {
		out->step = f->first_step;
		out->live_step = f->live_first;
		out->live_step_is = "the first of the operation";
	}
	if (!s->split.in_tabs)
		return;
	ts_tabs_object(&s->split.tabs, &of_tab);
	if (of_tab.program >= 0)
		ts_at_cursor_none(out); /* of that one alone */
	ts_at_cursor_add(out, &of_tab);
}

static const struct ts_hint hints[] = {
	{TS_CMD_SOFTWARE_LAYER, "layer"},
	{TS_CMD_LAYER_TREE, "tree"},
	{TS_CMD_ROLLUP, "roll-up"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_view_ops ts_view_operations = {
	.name = "operations",
	.title = "Operations",
	.number = 6,
	.context = TS_CONTEXT_OPERATIONS,
	.open = open_view,
	.close = close_view,
	.reload = reload,
	.resize = resize,
	.draw = draw,
	.request = operations_request,
	.ahead = operations_ahead,
	.deliver = deliver,
	.command = command,
	.filtered = is_filtered,
	.waits = waits,
	.complete = complete,
	.pane_context = pane_context,
	.pane_hints = pane_hints,
	.mouse = mouse,
	.object = object,
	.explain = operations_explain,
	.tabs = tabs_of,
	.sheet = sheet,
	.graph = operations_graph,
	.hints = hints,
	.not_selected = "figures of all tiles",
	.args = operations_args,
};
