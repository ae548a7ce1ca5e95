/* SPDX-License-Identifier: MIT */
/*
 * operations_programs - the tab of the programs of an operation: those that run it, as they stand in the tree of programs, each
 * indented below the nearest one of the same operation that calls it.
 *
 * The tree of programs and their names are read once a report; the programs of another operation are then listed at once.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "operations_internal.h"
#include "program_tabs.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/names.h"
#include "tilescope/view/held_list.h"

enum { LOOK = 1 << 12, INDENT_MOST = 12 };

/* Read once. Not changed once it is delivered. */
struct world {
	atomic_int uses;
	struct ts_program_tree *tree; /* NULL: it is not recorded */
	struct ts_names names;
	struct ts_pile rank; /* uint32_t by node: when a walk by first uses comes to it */
};

struct row {
	const struct ts_program_cost *cost;
	uint32_t node, rank; /* UINT32_MAX: the tree has it not */
	uint32_t depth;
};

struct programs_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	struct ts_operations *ops; /* held */
	struct world *world;	   /* held; NULL: read it */
	uint32_t of;
	bool below;
	struct ts_pile row; /* struct row */
};

struct programs_tab {
	struct ts_held_list l; /* first */
	struct operations_view *s;
	struct ts_fetch *sent;
	int64_t asked, here;	   /* number of an operation */
	unsigned of;		   /* version of the operations that were asked */
	struct ts_operations *ops; /* held: rows are of its costs */
	struct world *world;
	struct ts_pile row;
	struct ts_rect body, total;
};

static void
release(struct world *w)
{
	if (!w || atomic_fetch_sub(&w->uses, 1) > 1)
		return;
	ts_program_tree_close(w->tree);
	ts_names_fini(&w->names);
	ts_pile_fini(&w->rank);
	free(w);
}

static struct world *
hold(struct world *w)
{
	if (w)
		atomic_fetch_add(&w->uses, 1);
	return w;
}

/* --- in a worker -------------------------------------------------------------------------------------- */

static const struct ts_program_node *
node_at(const struct world *w, uint32_t i)
{
	return (const struct ts_program_node *)w->tree->node.memory + i;
}

/* A walk over first uses: from each root down, children in their order. */
static enum ts_code
rank_nodes(struct world *w, const struct ts_cache *cache, struct ts_err *err)
{
	const struct ts_program_tree *t = w->tree;
	const struct ts_program_root *root = t->root.memory;
	const uint32_t *child = t->child.memory;
	struct ts_pile stack = {0};
	size_t bytes = (t->nodes + 1) * sizeof(uint32_t), depth = 0;
	uint32_t *rank, *top, at = 0;
	enum ts_code code = ts_pile_room(&w->rank, bytes, cache, err);

	if (!code)
		code = ts_pile_room(&stack, bytes, cache, err);
	if (code)
		return code;
	rank = w->rank.memory;
	top = stack.memory;
	for (size_t i = 0; i < t->nodes; i++)
		rank[i] = UINT32_MAX;
	for (size_t r = 0; r < t->roots; r++) {
		uint32_t node = ts_program_tree_find(t, root[r].program);

		if (node == UINT32_MAX || rank[node] != UINT32_MAX)
			continue;
		top[depth++] = node;
		while (depth > 0) {
			const struct ts_program_node *n;

			node = top[--depth];
			if (rank[node] != UINT32_MAX)
				continue;
			rank[node] = at++;
			n = node_at(w, node);
			for (uint32_t i = n->edges; i-- > 0;) {
				uint32_t to = child[n->first_edge + i];

				if (node_at(w, to)->parent == node && rank[to] == UINT32_MAX &&
					depth < t->nodes)
					top[depth++] = to;
			}
		}
	}
	ts_pile_fini(&stack);
	return TS_OK;
}

static enum ts_code
read_world(struct programs_fetch *q, struct ts_reader *rd, struct ts_err *err)
{
	struct world *w = q->world = ts_alloc(1, sizeof(*w));
	enum ts_code code;

	if (!w)
		return ts_err_nomem(err);
	atomic_init(&w->uses, 1);
	code = ts_program_tree_read(&w->tree, rd, q->cache, &q->f.job.progress, err);
	if (code == TS_E_ABSENT || code == TS_E_DAMAGED)
		code = TS_OK;
	if (!code)
		code = ts_names_read(&w->names, rd, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_NAME,
			err);
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	return code || !w->tree ? code : rank_nodes(w, q->cache, err);
}

static int
by_rank(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->cost->program > y->cost->program) - (x->cost->program < y->cost->program);
}

/* Is `node` above `below`, by first uses? Rows between them in the walk are few levels apart: the way up is short. */
static bool
is_above(const struct world *w, uint32_t node, uint32_t below)
{
	for (int i = 0; i < TS_PROGRAM_LEVELS && below != UINT32_MAX; i++) {
		below = node_at(w, below)->parent;
		if (below == node)
			return true;
	}
	return false;
}

/* In the order of the walk what calls a row stands before it: those that are open make a stack. */
static void
find_depths(struct row *row, size_t n, const struct world *w)
{
	uint32_t open[TS_PROGRAM_LEVELS], depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (row[i].node == UINT32_MAX)
			continue;
		while (depth > 0 && !is_above(w, open[depth - 1], row[i].node))
			depth--;
		row[i].depth = depth;
		if (depth < TS_PROGRAM_LEVELS)
			open[depth++] = row[i].node;
	}
}

static enum ts_code
list_rows(struct programs_fetch *q, const struct ts_pile *programs, struct ts_reader *rd,
	struct ts_err *err)
{
	const int64_t *program = programs->memory;
	const struct world *w = q->world;
	size_t n = programs->used / sizeof(*program), rows;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < n; i++) {
		struct row r = {ts_program_costs_find(q->ops->costs, program[i]), UINT32_MAX,
			UINT32_MAX, 0};

		if (w->tree)
			r.node = ts_program_tree_find(w->tree, program[i]);
		if (r.node != UINT32_MAX)
			r.rank = ((const uint32_t *)w->rank.memory)[r.node];
		if (i % LOOK == 0 && ts_cancelled(rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (!code && r.cost)
			code = ts_pile_add(&q->row, &r, sizeof(r), q->cache, err);
	}
	rows = q->row.used / sizeof(struct row);
	if (!code)
		code = ts_pile_sort(&q->row, rows, sizeof(struct row), by_rank, q->cache,
			rd->cancel, err);
	if (!code && w->tree)
		find_depths(q->row.memory, rows, w);
	return code;
}

static enum ts_code
read_programs(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct programs_fetch *q = (struct programs_fetch *)f;
	struct ts_pile programs = {0};
	enum ts_code code = q->world ? TS_OK : read_world(q, rd, err);

	if (!code)
		code = ts_operation_programs(&programs, q->ops, q->of, q->below, q->cache,
			rd->cancel, err);
	if (!code)
		code = list_rows(q, &programs, rd, err);
	ts_pile_fini(&programs);
	return code;
}

static void
fini_programs(struct ts_fetch *f)
{
	struct programs_fetch *q = (struct programs_fetch *)f;

	ts_operations_close(q->ops);
	release(q->world);
	ts_pile_fini(&q->row);
}

/* --- the tab ------------------------------------------------------------------------------------------ */

static bool
programs_open(struct ts_tab *t)
{
	struct programs_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = operations_host(t);
	d->asked = d->here = -1;
	ts_held_list_init(&d->l, -1);
	t->own = d;
	return true;
}

static void
programs_drop(struct ts_tab *t)
{
	struct programs_tab *d = t->own;

	ts_operations_close(d->ops);
	release(d->world);
	ts_pile_fini(&d->row);
	d->ops = NULL;
	d->world = NULL;
	d->sent = NULL;
	d->asked = d->here = -1;
	d->l.of++;
}

static void
programs_close(struct ts_tab *t)
{
	programs_drop(t);
	ts_held_list_fini(&((struct programs_tab *)t->own)->l);
	free(t->own);
}

/* Which operation, and whether with all below it; -1: none. */
static int64_t
number(const struct programs_tab *d)
{
	uint32_t node = operations_node_at(d->s);

	return node == TS_NO_OPERATION ? -1 : (int64_t)node * 2 + d->s->shape->wish.tree;
}

static void
programs_request(struct ts_tab *t)
{
	struct programs_tab *d = t->own;
	int64_t of = number(d);
	struct programs_fetch *q;

	if (of < 0 || (of == d->asked && d->of == d->s->version))
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	d->asked = of;
	d->of = d->s->version;
	q->f.read = read_programs;
	q->f.fini = fini_programs;
	q->cache = t->view->env->cache;
	q->ops = ts_operations_hold(d->s->ops);
	q->world = hold(d->world);
	q->of = (uint32_t)(of / 2);
	q->below = of % 2;
	d->sent = &q->f;
	ts_fetch_send(t->view, &q->f, t->kind, d->world ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"listing the programs of an operation");
}

static enum ts_effect
programs_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct programs_tab *d = t->own;
	struct programs_fetch *q = (struct programs_fetch *)f;

	if (!d->world && q->world && !ts_fetch_in_vain(f, t->view->env->generation) && !f->code)
		d->world = hold(q->world);
	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation))
		return TS_EFFECT_REPAINT;
	if (f->code)
		ts_view_say_error(t->view->env, "%s", f->err.msg);
	ts_operations_close(d->ops);
	ts_pile_fini(&d->row);
	d->ops = q->ops;
	d->row = q->row;
	d->here = (int64_t)q->of * 2 + q->below;
	q->ops = NULL;
	q->row = (struct ts_pile){0};
	d->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static bool
is_current(const struct programs_tab *d)
{
	return d->ops && d->here >= 0 && d->here == number(d);
}

static const struct row *
row_at(const struct programs_tab *d, int64_t i)
{
	return i >= 0 && i < (int64_t)(d->row.used / sizeof(struct row))
		? (const struct row *)d->row.memory + i
		: NULL;
}

/* --- the table ---------------------------------------------------------------------------------------- */

enum {
	P_TYPE,
	P_NAME,
	P_STEPS,
	P_CYCLES,
	P_ONCE,
	P_EXCHANGE,
	P_CONTROL,
	P_LIVE,
	P_SET,
	P_PROGRAM,
	P_COUNT
};

static const struct ts_column columns[P_COUNT] = {
	[P_TYPE] = {"program", 18, 34, 1, 0, TS_FIELD_ELLIPSIS},
	[P_NAME] = {"name", 12, 0, 4, 0, TS_FIELD_TAIL},
	[P_STEPS] = {"steps", 9, 11, 0, 2, TS_FIELD_RIGHT},
	[P_CYCLES] = {"cycles", 8, 10, 0, 1, TS_FIELD_RIGHT},
	[P_ONCE] = {"each", 8, 10, 0, 3, TS_FIELD_RIGHT},
	[P_EXCHANGE] = {"exch code", 10, 10, 0, 4, TS_FIELD_RIGHT},
	[P_CONTROL] = {"control", 8, 9, 0, 5, TS_FIELD_RIGHT},
	[P_LIVE] = {"live", 8, 9, 0, 6, TS_FIELD_RIGHT},
	[P_SET] = {"set", 7, 8, 0, 6, TS_FIELD_RIGHT},
	[P_PROGRAM] = {"number", 7, 8, 0, 1, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[P_COUNT] = {
	[P_TYPE] = {"type", NULL, TS_SUM_NONE, false},
	[P_NAME] = {"name", NULL, TS_SUM_NONE, false},
	[P_STEPS] = {"steps", NULL, TS_SUM_COUNT, false},
	[P_CYCLES] = {"cycles", "cycles", TS_SUM_COUNT, false},
	[P_ONCE] = {"cycles_once", "cycles", TS_SUM_NONE, false},
	[P_EXCHANGE] = {"exchange_code", "bytes", TS_SUM_BYTES, false},
	[P_CONTROL] = {"control_code", "bytes", TS_SUM_NONE, false},
	[P_LIVE] = {"live", "bytes", TS_SUM_NONE, false},
	[P_SET] = {"compute_set", NULL, TS_SUM_NONE, false},
	[P_PROGRAM] = {"program", NULL, TS_SUM_NONE, false},
};

/* Of one execution: measured, else estimated. */
static int64_t
once(const struct ts_program_cost *p)
{
	return p->measured.most == TS_UNKNOWN ? p->estimated.most : p->measured.most;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct programs_tab *d = ctx;
	const struct row *row = row_at(d, i);
	const struct ts_program_cost *p = row ? row->cost : NULL;
	const char *s = NULL;
	size_t n = 0;

	if (!p || !d->world)
		return false;
	switch (column) {
	case P_TYPE:
		s = ts_program_type(&n, d->ops->costs, p);
		break;
	case P_NAME:
		s = ts_names_find(&d->world->names, p->program, &n);
		break;
	case P_PROGRAM:
		ts_table_value_integer(out, p->program);
		break;
	default:
		ts_table_value_known(out,
			column == P_STEPS	       ? p->steps
				: column == P_CYCLES   ? p->executed
				: column == P_ONCE     ? once(p)
				: column == P_EXCHANGE ? p->exchange_code
				: column == P_CONTROL  ? p->control_code
				: column == P_LIVE     ? p->live
						       : p->compute_set);
	}
	if (s)
		*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = s, .n = n};
	return true;
}

static void
type_cell(const struct programs_tab *d, const struct row *row, const struct ts_table_value *v,
	struct ts_table_cell *out)
{
	char n[TS_FMT_MAX], count[TS_FMT_MAX + 4] = "";
	uint32_t depth = d->l.order.sorted < 0 ? row->depth : 0;

	if (row->cost->repeat_count != TS_UNKNOWN)
		snprintf(count, sizeof(count), " x%s", ts_fmt_count(n, row->cost->repeat_count));
	snprintf(out->buf, sizeof(out->buf), "%*s%.*s%s", (int)ts_min_i64(depth, INDENT_MOST) * 2,
		"", v->s ? (int)ts_min_i64((int64_t)v->n, 60) : 7, v->s ? v->s : "program", count);
	out->role = (enum ts_role)(TS_ROLE_COMPUTE + row->cost->class_of);
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct programs_tab *d = ctx;
	const struct row *row = row_at(d, i);
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	bool bytes = column == P_EXCHANGE || column == P_CONTROL || column == P_LIVE;
	char n[TS_FMT_MAX];

	if (!value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	if (column == P_TYPE) {
		type_cell(d, row, &v, out);
	} else if (v.type == TS_VALUE_TEXT) {
		out->s = v.s;
		out->n = v.n;
	} else if (v.type == TS_VALUE_NONE) {
		out->s = "";
	} else if (bytes) {
		ts_fmt_bytes_short(out->buf, v.integer, d->s->base.env->options->units);
	} else if (column == P_STEPS) {
		ts_fmt_count(out->buf, v.integer);
	} else if (column == P_PROGRAM || column == P_SET) {
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v.integer);
	} else {
		snprintf(out->buf, sizeof(out->buf), "%s%s",
			column == P_ONCE && row->cost->measured.most == TS_UNKNOWN ? "~" : "",
			ts_fmt_cycles_short(n, v.integer));
	}
	return true;
}

static const struct ts_held_table table = {.id = "operations.programs",
	.column = columns,
	.facts = facts,
	.columns = P_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no program belongs to this operation alone: see what is below it (the tree)"};

static void
programs_begin(struct programs_tab *d, const struct ts_tab *t)
{
	d->body = t->r;
	ts_held_list_begin(&d->l, t, &table, d->body,
		is_current(d) ? (int64_t)(d->row.used / sizeof(struct row)) : 0);
}

static void
programs_resize(struct ts_tab *t)
{
	programs_begin(t->own, t);
}

static void
programs_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct programs_tab *d = t->own;

	(void)focus;
	if (!d->s->shape)
		return;
	if (number(d) < 0) {
		ts_canvas_wrap(c, t->r, 0, TS_ROLE_DIM, OPERATIONS_NOTHING);
	} else if (!is_current(d)) {
		ts_canvas_pending(c, t->r, 2, 0);
	} else {
		programs_begin(d, t);
		ts_held_list_draw(&d->l, c, d->body);
	}
}

static const struct row *
row_at_cursor(const struct programs_tab *d)
{
	return is_current(d) ? row_at(d, ts_held_list_row(&d->l)) : NULL;
}

static enum ts_effect
programs_command(struct ts_tab *t, const struct ts_call *call)
{
	struct programs_tab *d = t->own;
	const struct row *row;

	programs_begin(d, t);
	row = row_at_cursor(d);
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) && row) {
		snprintf(t->view->env->place, sizeof(t->view->env->place),
			"programs?program=%" PRId64, row->cost->program);
		return TS_EFFECT_REPAINT;
	}
	return ts_held_list_command(&d->l, t, call);
}

static enum ts_effect
programs_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct programs_tab *d = t->own;

	(void)x;
	programs_begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
programs_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct row *row = row_at_cursor(t->own);

	if (!row)
		return false;
	*out = (struct ts_debug_about){.relation = TS_PROGRAM,
		.key = row->cost->program,
		.what = "program"};
	return true;
}

static void
programs_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct programs_tab *d = t->own;
	char n[TS_FMT_MAX], name[TS_TAB_NOTE] = "";

	operations_tab_note(t, name);
	if (is_current(d))
		snprintf(out, TS_TAB_NOTE, "%s of %.90s",
			ts_fmt_count(n, (int64_t)(d->row.used / sizeof(struct row))), name);
	else
		snprintf(out, TS_TAB_NOTE, "%s", name);
}

static void
programs_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct programs_tab *d = t->own;
	const struct row *row = row_at_cursor(d);

	if (row)
		program_explain(out, row->cost, t->view->env->options->units);
}

static struct ts_list *
programs_list(struct ts_tab *t, bool *there)
{
	struct programs_tab *d = t->own;

	*there = is_current(d);
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "in Programs"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops operations_tab_programs = {
	.name = "programs",
	.title = "Programs",
	.hints = hints,
	.open = programs_open,
	.close = programs_close,
	.drop = programs_drop,
	.note = programs_note,
	.resize = programs_resize,
	.request = programs_request,
	.deliver = programs_deliver,
	.draw = programs_draw,
	.command = programs_command,
	.mouse = programs_mouse,
	.about = programs_about,
	.explain = programs_explain,
	.sheet = operations_tab_sheet,
	.list = programs_list,
};
