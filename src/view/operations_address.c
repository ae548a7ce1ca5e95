/* SPDX-License-Identifier: MIT */
/*
 * operations_address - the address of the Operations view: "operations?layer=popart&order=-code&operation=12&tab=links". A program,
 * a compute set or a variable leads to the operation that it belongs to.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/operation_links.h"
#include "tilescope/view/arg.h"

/* Nothing is known yet: later; there are none: no. */
static enum ts_arg_state
not_yet(const struct operations_view *s)
{
	return s->state.state == TS_PANE_EMPTY || s->state.state == TS_PANE_LOADING ? TS_ARG_LATER
										    : TS_ARG_NO;
}

static enum ts_arg_state
done(enum ts_effect effect)
{
	return effect & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

static bool
get_nothing(struct ts_view *v, struct ts_strbuf *out)
{
	(void)v;
	(void)out;
	return false;
}

static bool
get_layer(struct ts_view *v, struct ts_strbuf *out)
{
	struct operations_view *s = operations_of(v);
	const char *name;
	size_t n;

	if (!s->ops || s->wish.tree)
		return false;
	name = ts_operation_layer_name(&n, s->ops, s->wish.layer);
	ts_strbuf_add(out, name, n);
	return true;
}

static enum ts_arg_state
set_layer(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);

	return s->ops ? done(operations_layer(s, value)) : not_yet(s);
}

static bool
get_tree(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, operations_of(v)->wish.tree);
}

static enum ts_arg_state
set_tree(struct ts_view *v, const char *value)
{
	return done(operations_tree(operations_of(v), ts_arg_is_yes(value)));
}

static bool
get_rollup(struct ts_view *v, struct ts_strbuf *out)
{
	if (!operations_of(v)->wish.group)
		return false;
	ts_strbuf_puts(out, operations_of(v)->wish.rollup);
	return true;
}

static enum ts_arg_state
set_rollup(struct ts_view *v, const char *value)
{
	return done(operations_rollup(operations_of(v), value));
}

static bool
get_order(struct ts_view *v, struct ts_strbuf *out)
{
	struct operations_view *s = operations_of(v);
	struct ts_table t = operations_table(s);

	return ts_arg_say_order(out, &t);
}

static enum ts_arg_state
set_order(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);
	struct ts_table t = operations_table(s);

	if (!ts_arg_order(&s->wish.sorted, &s->wish.descending, &t, value)) {
		ts_view_say_error(v->env, "operations have no column \"%.40s\"", value);
		return TS_ARG_NO;
	}
	s->order.sorted = s->wish.sorted;
	s->order.descending = s->wish.descending;
	return TS_ARG_DONE;
}

static bool
get_filter(struct ts_view *v, struct ts_strbuf *out)
{
	ts_strbuf_puts(out, operations_of(v)->wish.filter);
	return operations_of(v)->wish.filter[0] != '\0';
}

static enum ts_arg_state
set_filter(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);
	struct ts_table t = operations_table(s);
	struct ts_err err = {0};

	if (strlen(value) >= sizeof(s->wish.filter) || ts_table_filter_check(&t, value, &err)) {
		ts_view_say_error(v->env, "%s", err.msg[0] ? err.msg : "the filter is too long");
		return TS_ARG_NO;
	}
	snprintf(s->wish.filter, sizeof(s->wish.filter), "%s", value);
	snprintf(s->order.filter, sizeof(s->order.filter), "%s", value);
	return TS_ARG_DONE;
}

/* --- the row -------------------------------------------------------------------------------------------- */

/* The node under the cursor, when it is said so: by its number, its context, or else its place in the forest. */
static const struct ts_operation *
node_of(struct ts_view *v, enum ts_operation_from by)
{
	struct operations_view *s = operations_of(v);
	uint32_t node = operations_node_at(s);
	const struct ts_operation *o;
	enum ts_operation_from from;

	if (node == TS_NO_OPERATION || operations_program_at(s) != TS_UNKNOWN)
		return NULL;
	o = ts_operation_at(s->ops, node);
	from = o->operation != TS_UNKNOWN	      ? TS_OPERATION_IS_RECORDED
		: operations_context(o) != TS_UNKNOWN ? TS_OPERATION_BY_CONTEXT
						      : TS_OPERATION_BY_NAME;
	return from == by ? o : NULL;
}

static bool
get_operation(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_operation *o = node_of(v, TS_OPERATION_IS_RECORDED);

	if (o)
		ts_strbuf_printf(out, "%" PRId64, o->operation);
	return o != NULL;
}

static bool
get_context(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_operation *o = node_of(v, TS_OPERATION_BY_CONTEXT);

	if (o)
		ts_strbuf_printf(out, "%" PRId64, operations_context(o));
	return o != NULL;
}

static bool
get_node(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_operation *o = node_of(v, TS_OPERATION_BY_NAME);

	if (o)
		ts_strbuf_printf(out, "%" PRIu32, operations_node_at(operations_of(v)));
	return o != NULL;
}

static enum ts_arg_state
go(struct operations_view *s, uint32_t node, const char *what, const char *value)
{
	if (node != TS_NO_OPERATION && node < s->ops->count)
		return done(operations_go_node(s, node));
	ts_view_say_error(s->base.env, "no operation is known of %s %.40s", what, value);
	return TS_ARG_NO;
}

static enum ts_arg_state
set_operation(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);

	return s->ops
		? go(s, ts_operation_of_number(s->ops, ts_arg_number(value)), "operation", value)
		: not_yet(s);
}

/* In the layer of the table; where it has none of it, in any. */
static int
layer_of(const struct operations_view *s)
{
	return s->wish.tree ? -1 : (int)s->wish.layer;
}

static enum ts_arg_state
set_context(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);

	return s->ops
		? go(s, ts_operation_of_context(s->ops, ts_arg_number(value), -1), "context", value)
		: not_yet(s);
}

static enum ts_arg_state
set_node(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);
	int64_t n = ts_arg_number(value);

	return s->ops ? go(s, n < (int64_t)UINT32_MAX ? (uint32_t)n : TS_NO_OPERATION, "row", value)
		      : not_yet(s);
}

static enum ts_arg_state
set_program(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);
	int64_t program = ts_arg_number(value);
	uint32_t node;

	if (!s->ops)
		return not_yet(s);
	node = ts_operation_of_program(s->ops, program, layer_of(s));
	if (node == TS_NO_OPERATION)
		node = ts_operation_of_program(s->ops, program, -1);
	return go(s, node, "program", value);
}

static enum ts_arg_state
set_compute_set(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);
	int64_t set = ts_arg_number(value);
	uint32_t node;

	if (!s->ops)
		return not_yet(s);
	node = ts_operation_of_compute_set(s->ops, set, layer_of(s));
	if (node == TS_NO_OPERATION)
		node = ts_operation_of_compute_set(s->ops, set, -1);
	if (node == TS_NO_OPERATION && !s->traced) /* steps may say who runs it */
		return TS_ARG_LATER;
	return go(s, node, "compute set", value);
}

/* --- the operation of a variable: a worker reads its row ------------------------------------------------ */

struct variable_fetch {
	struct ts_fetch f;	   /* first */
	struct ts_operations *ops; /* held */
	int64_t variable;
	bool lowered;
	int layer;
	uint32_t node;
	const struct ts_cache *cache;
};

static enum ts_code
read_variable(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct variable_fetch *q = (struct variable_fetch *)f;
	enum ts_code code = ts_operation_of_variable(&q->node, rd, q->ops, q->variable, q->lowered,
		q->layer, q->cache, err);

	if (!code && q->node == TS_NO_OPERATION)
		code = ts_operation_of_variable(&q->node, rd, q->ops, q->variable, q->lowered, -1,
			q->cache, err);
	return code;
}

static void
fini_variable(struct ts_fetch *f)
{
	ts_operations_close(((struct variable_fetch *)f)->ops);
}

static enum ts_arg_state
ask_variable(struct ts_view *v, const char *value, bool lowered)
{
	struct operations_view *s = operations_of(v);
	struct variable_fetch *q;

	if (!s->ops)
		return not_yet(s);
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return TS_ARG_NO;
	q->f.read = read_variable;
	q->f.fini = fini_variable;
	q->ops = ts_operations_hold(s->ops);
	q->variable = ts_arg_number(value);
	q->lowered = lowered;
	q->layer = layer_of(s);
	q->cache = v->env->cache;
	s->asked[ASK_VARIABLE] = &q->f;
	ts_fetch_send(v, &q->f, ASK_VARIABLE, TS_WORKER_SCREEN,
		"looking for a variable's operation");
	return TS_ARG_DONE;
}

enum ts_effect
operations_take_variable(struct operations_view *s, struct ts_fetch *f)
{
	struct variable_fetch *q = (struct variable_fetch *)f;
	char number[32];

	s->asked[ASK_VARIABLE] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation))
		return TS_EFFECT_NONE;
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		return TS_EFFECT_REPAINT;
	}
	snprintf(number, sizeof(number), "%" PRId64, q->variable);
	go(s, q->ops->count == s->ops->count ? q->node : TS_NO_OPERATION,
		q->lowered ? "lowered variable" : "variable", number);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_arg_state
set_variable(struct ts_view *v, const char *value)
{
	return ask_variable(v, value, false);
}

static enum ts_arg_state
set_lowered(struct ts_view *v, const char *value)
{
	return ask_variable(v, value, true);
}

/* --- panes ------------------------------------------------------------------------------------------------ */

static bool
get_tab(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_tabs_say(&operations_of(v)->split.tabs, out);
}

static enum ts_arg_state
set_tab(struct ts_view *v, const char *value)
{
	enum ts_arg_state state = ts_tabs_set(&operations_of(v)->split.tabs, value);

	operations_layout(operations_of(v));
	return state;
}

static bool
get_pane(struct ts_view *v, struct ts_strbuf *out)
{
	if (!operations_of(v)->split.in_tabs)
		return false;
	ts_strbuf_puts(out, "tabs");
	return true;
}

static enum ts_arg_state
set_pane(struct ts_view *v, const char *value)
{
	ts_split_focus(&operations_of(v)->split, strcmp(value, "tabs") == 0);
	return TS_ARG_DONE;
}

/* Of the tab, or of a row above that is no operation. */
static bool
get_row(struct ts_view *v, struct ts_strbuf *out)
{
	struct operations_view *s = operations_of(v);

	if (s->split.in_tabs)
		return ts_tabs_say_row(&s->split.tabs, out);
	if (!s->shape || operations_at(s) < s->shape->ids.nodes)
		return false;
	return ts_arg_say_row(out, &s->outline.list);
}

static enum ts_arg_state
set_row(struct ts_view *v, const char *value)
{
	struct operations_view *s = operations_of(v);

	if (s->split.in_tabs)
		return ts_tabs_set_row(&s->split.tabs, value);
	if (!s->ops)
		return not_yet(s);
	return ts_arg_go_row(v, &s->outline.list, s->shape && operations_is_shown(s), value);
}

static bool
get_full(struct ts_view *v, struct ts_strbuf *out)
{
	return ts_arg_say_yes(out, operations_of(v)->split.zoomed);
}

static enum ts_arg_state
set_full(struct ts_view *v, const char *value)
{
	return ts_arg_switch(v, TS_CMD_PANE_ZOOM, operations_of(v)->split.zoomed,
		ts_arg_is_yes(value));
}

const struct ts_view_arg operations_args[] = {
	{"layer", TS_ARG_TEXT, get_layer, set_layer, 0},
	{"tree", TS_ARG_YES, get_tree, set_tree, 0},
	{"rollup", TS_ARG_TEXT, get_rollup, set_rollup, 0},
	{"order", TS_ARG_TEXT, get_order, set_order, 0},
	{"filter", TS_ARG_TEXT, get_filter, set_filter, 0},
	{"operation", TS_ARG_NUMBER, get_operation, set_operation, 0},
	{"context", TS_ARG_NUMBER, get_context, set_context, 0},
	{"node", TS_ARG_NUMBER, get_node, set_node, 0},
	{"program", TS_ARG_NUMBER, get_nothing, set_program, 0},
	{"compute_set", TS_ARG_NUMBER, get_nothing, set_compute_set, 0},
	{"variable", TS_ARG_NUMBER, get_nothing, set_variable, 0},
	{"lowered", TS_ARG_NUMBER, get_nothing, set_lowered, 0},
	{"tab", TS_ARG_TEXT, get_tab, set_tab, 0},
	{"pane", "operations|tabs", get_pane, set_pane, 0},
	{"columns", TS_ARG_TEXT, ts_arg_get_columns, ts_arg_set_columns, 0},
	{"row", TS_ARG_NUMBER, get_row, set_row, 0},
	{"full", TS_ARG_YES, get_full, set_full, 0},
	{0},
};
