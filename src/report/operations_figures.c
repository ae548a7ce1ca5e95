/* SPDX-License-Identifier: MIT */
/*
 * operations_figures - what operations come to: sums of figures, and how items climb (operations_climb.h), of which programs are
 * the first.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/report/rows.h"

#include "operations_climb.h"

enum { LOOK = 1024 };

/* --- figures ---------------------------------------------------------------------------------------- */

/* All unknown but what is counted; `mark` is a set of marks until the end. */
void
ts_op_figures_none(struct ts_operation_figures *f)
{
	int64_t *v = (int64_t *)f;

	for (size_t i = 0; i < sizeof(*f) / sizeof(*v); i++)
		v[i] = TS_UNKNOWN;
	f->programs = f->mark = 0;
}

void
ts_op_figures_program(struct ts_operation_figures *f, const struct ts_program_cost *c,
	const struct ts_operation_program *more, const struct ts_honesty *h)
{
	f->programs++;
	if (more->leaf > 0)
		ts_op_add_known(&f->control_code, c->control_code);
	ts_op_add_known(&f->exchange_code, c->exchange_code);
	ts_op_add_known(&f->measured, c->measured.most);
	ts_op_add_known(&f->measured_tiles, c->measured.sum);
	ts_op_add_known(&f->estimated, c->estimated.most);
	ts_op_add_known(&f->estimated_tiles, c->estimated.sum);
	ts_op_add_known(&f->steps, c->steps);
	ts_op_add_known(&f->executed, c->executed);
	ts_op_take_least(&f->first_step, c->first_step);
	f->live = ts_max_i64(f->live, c->live);
	ts_op_take_least(&f->live_first, c->live_step);
	f->live_last = ts_max_i64(f->live_last, more->live_last);
	if (c->executed > 0)
		f->mark |= INT64_C(1)
			<< ts_honesty_step(h, TS_UNKNOWN, (enum ts_step_class)c->class_of);
}

void
ts_op_figures_set(struct ts_operation_figures *f, const struct ts_operation_set *s)
{
	ts_op_add_known(&f->compute_sets, 1);
	ts_op_add_known(&f->vertices, s->vertices);
}

void
ts_op_figures_type(struct ts_operation_figures *f, const struct ts_operation_type *t, bool alone)
{
	ts_op_add_known(alone ? &f->vertex_alone : &f->vertex_code, t->code_bytes);
}

void
ts_op_figures_variables(struct ts_operation_figures *f, const struct ts_operation_figures *more)
{
	ts_op_add_known(&f->variables, more->variables);
	ts_op_add_known(&f->bytes, more->bytes);
	ts_op_add_known(&f->said_variables, more->said_variables);
	ts_op_add_known(&f->said_bytes, more->said_bytes);
}

static int64_t
mark_of(int64_t set)
{
	enum ts_mark mark = TS_MARK_UNKNOWN;
	bool any = false;

	for (int i = 0; i < TS_MARK_COUNT; i++)
		if (set >> i & 1) {
			mark = any ? ts_mark_join(mark, (enum ts_mark)i) : (enum ts_mark)i;
			any = true;
		}
	return mark;
}

void
ts_op_figures_end(struct ts_operation_figures *f)
{
	int64_t *v = (int64_t *)f;

	f->mark = mark_of(f->mark);
	f->code = TS_UNKNOWN;
	ts_op_add_known(&f->code, f->control_code);
	ts_op_add_known(&f->code, f->exchange_code);
	ts_op_add_known(&f->code, f->vertex_alone);
	for (size_t i = 0; i < sizeof(*f) / sizeof(*v); i++)
		if (v[i] == TS_OP_BEYOND)
			v[i] = TS_UNKNOWN;
}

/* --- items that climb ------------------------------------------------------------------------------- */

/* Is this the first member of the item here? */
static bool
visit(struct op_visit *v, const struct op_climbing *c)
{
	bool first = v->item != c->item;

	if (first)
		*v = (struct op_visit){c->item, 0, 0};
	if (v->member != c->member) {
		v->member = c->member;
		v->members++;
	}
	return first;
}

static struct ts_operation *
nodes_of(const struct op_climbing *c)
{
	return c->k->o->pile[TS_OP_NODES].memory;
}

static struct ts_operation_layer *
layers_of(const struct op_climbing *c)
{
	return c->k->o->pile[TS_OP_LAYERS].memory;
}

static void
belong(struct op_climbing *c, uint32_t at, op_add add, const void *item)
{
	struct ts_operation *n = &nodes_of(c)[at];

	if (visit(&c->of[at], c))
		add(&n->of, item);
	if (visit(&c->in[n->layer], c))
		add(&layers_of(c)[n->layer].all, item);
}

enum ts_code
ts_op_climb(struct op_climbing *c, uint32_t from, bool said, op_add add, const void *item,
	struct ts_err *err)
{
	struct ts_operation *node = nodes_of(c);
	uint64_t layers = 0;
	enum ts_code code = TS_OK;

	for (uint32_t at = from; !code && at != TS_NO_OPERATION; at = node[at].parent) {
		uint64_t bit = UINT64_C(1) << node[at].layer;
		bool others = c->programs && node[at].programs_said && !(said && at == from);

		if (visit(&c->below[at], c)) {
			add(&node[at].below, item);
			code = ts_pile_add(&c->seen, &at, sizeof(at), c->k->cache, err);
		}
		if (!(layers & bit) && !others)
			belong(c, at, add, item);
		layers |= bit;
	}
	return code;
}

void
ts_op_next_item(struct op_climbing *c)
{
	c->item++;
	c->member = 0;
	c->seen.used = 0;
}

enum ts_code
ts_op_next_program(struct op_climbing *c, uint32_t program, op_add add, const void *item,
	struct ts_err *err)
{
	const struct ts_operation_own *own = c->k->own.memory;
	size_t low = 0, high = c->k->owns;
	enum ts_code code = TS_OK;

	c->member++;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (own[middle].program < program)
			low = middle + 1;
		else
			high = middle;
	}
	for (; !code && low < c->k->owns && own[low].program == program; low++) {
		if (low % LOOK == 0 && ts_cancelled(c->k->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = ts_op_climb(c, own[low].node, own[low].said, add, item, err);
	}
	return code;
}

void
ts_op_end_item(struct op_climbing *c, op_add add, op_add alone, const void *item)
{
	struct ts_operation *node = nodes_of(c);
	struct ts_operation_layer *layer = layers_of(c);
	const uint32_t *seen = c->seen.memory;
	struct ts_operations *o = c->k->o;

	add(&o->all, item);
	if (alone)
		alone(&o->all, item);
	for (uint32_t i = 0; i < o->layers; i++) {
		uint32_t in = c->in[i].item == c->item ? c->in[i].members : 0;

		if (in < c->member)
			add(&layer[i].outside, item);
		if (alone && in == c->member)
			alone(&layer[i].all, item);
		if (alone && in == 0)
			alone(&layer[i].outside, item);
	}
	for (size_t i = 0; alone && i < c->seen.used / sizeof(*seen); i++) {
		if (c->below[seen[i]].members == c->member)
			alone(&node[seen[i]].below, item);
		if (c->of[seen[i]].item == c->item && c->of[seen[i]].members == c->member)
			alone(&node[seen[i]].of, item);
	}
}

/* --- programs --------------------------------------------------------------------------------------- */

struct program_item {
	const struct ts_program_cost *cost;
	const struct ts_operation_program *more;
	const struct ts_honesty *honesty;
};

static void
add_program(struct ts_operation_figures *f, const void *item)
{
	const struct program_item *p = item;

	ts_op_figures_program(f, p->cost, p->more, p->honesty);
}

static enum ts_code
take_live(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t step = ts_rows_known(rows, 0), program = ts_rows_known(rows, 1);
	uint32_t place = program == TS_UNKNOWN ? UINT32_MAX : ts_op_place(k->o->costs, program);
	struct ts_operation_program *p = k->o->pile[TS_OP_PROGRAMS].memory;

	(void)err;
	if (place != UINT32_MAX)
		p[place].live_last = ts_max_i64(p[place].live_last, step);
	return TS_OK;
}

static int
is_leaf(const struct ts_program_tree *tree, int64_t program)
{
	uint32_t at;

	if (!tree)
		return TS_UNKNOWN;
	at = ts_program_tree_find(tree, program);
	return at == UINT32_MAX ||
		((const struct ts_program_node *)tree->node.memory)[at].edges == 0;
}

/* What programs are besides what they cost. */
static enum ts_code
find_programs(struct op_making *k, struct ts_err *err)
{
	static const int columns[] = {TS_LIVENESS_STEP_LIVE_STEP, TS_LIVENESS_STEP_PROGRAM};
	const struct ts_program_cost *cost = k->o->costs->cost.memory;
	struct ts_program_tree *tree = NULL;
	struct ts_err why = {0};
	enum ts_code code = ts_program_tree_read(&tree, k->rd, k->cache, k->progress, &why);

	k->o->partial |= code == TS_E_DAMAGED;
	if (code == TS_E_DAMAGED || code == TS_E_ABSENT)
		code = TS_OK;
	if (code && err)
		*err = why;
	for (size_t i = 0; !code && i < k->o->costs->count; i++) {
		struct ts_operation_program p = {.live_last = TS_UNKNOWN,
			.set = TS_NO_OPERATION,
			.leaf = is_leaf(tree, cost[i].program)};

		code = ts_pile_add(&k->o->pile[TS_OP_PROGRAMS], &p, sizeof(p), k->cache, err);
	}
	ts_program_tree_close(tree);
	return code ? code
		    : ts_op_each(k, TS_LIVENESS_STEP, columns, TS_COUNT(columns), take_live, err);
}

static enum ts_code
count_programs(struct op_climbing *c, struct ts_err *err)
{
	const struct ts_operations *o = c->k->o;
	const struct ts_program_cost *cost = o->costs->cost.memory;
	const struct ts_operation_program *more = o->pile[TS_OP_PROGRAMS].memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < o->costs->count; i++) {
		struct program_item p = {&cost[i], &more[i], &o->honesty};

		if (i % LOOK == 0 && ts_cancelled(c->k->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		ts_op_next_item(c);
		code = ts_op_next_program(c, i, add_program, &p, err);
		ts_op_end_item(c, add_program, NULL, &p);
	}
	return code;
}

/* --- all together ----------------------------------------------------------------------------------- */

/* What operations say of their liveness steps goes before what their programs come to. */
static void
take_steps(struct op_making *k)
{
	struct ts_operation *node = k->o->pile[TS_OP_NODES].memory;

	for (size_t i = 0; i < k->rows; i++) {
		const struct op_row *r = ts_op_row_at(k, i);
		uint32_t at = ts_op_raw_at(k, r->node)->place;

		if (r->first != TS_UNKNOWN)
			node[at].of.live_first = r->first;
		if (r->last != TS_UNKNOWN)
			node[at].of.live_last = r->last;
		for (; at != TS_NO_OPERATION; at = node[at].parent) {
			ts_op_take_least(&node[at].below.live_first, r->first);
			node[at].below.live_last = ts_max_i64(node[at].below.live_last, r->last);
		}
	}
}

static void
end_figures(struct ts_operations *o)
{
	struct ts_operation *node = o->pile[TS_OP_NODES].memory;
	struct ts_operation_layer *layer = o->pile[TS_OP_LAYERS].memory;

	for (uint32_t i = 0; i < o->count; i++) {
		ts_op_figures_end(&node[i].of);
		ts_op_figures_end(&node[i].below);
	}
	for (uint32_t i = 0; i < o->layers; i++) {
		ts_op_figures_end(&layer[i].all);
		ts_op_figures_end(&layer[i].outside);
	}
	ts_op_figures_end(&o->all);
}

enum ts_code
ts_op_figures(struct op_making *k, struct ts_err *err)
{
	struct op_climbing c = {.k = k, .programs = true};
	size_t bytes = ((size_t)k->o->count + 1) * sizeof(*c.below);
	enum ts_code code = ts_pile_room(&c.visits, 2 * bytes, k->cache, err);

	if (!code) {
		memset(c.visits.memory, 0, 2 * bytes);
		c.below = c.visits.memory;
		c.of = c.below + k->o->count + 1;
		ts_op_figures_none(&k->o->all);
		code = find_programs(k, err);
	}
	if (!code)
		code = count_programs(&c, err);
	if (!code)
		code = ts_op_count_sets(&c, err);
	if (!code)
		code = ts_op_count_types(&c, err);
	c.programs = false;
	ts_pile_fini(&k->sums);
	if (!code)
		code = ts_op_count_variables(&c, err);
	if (!code)
		code = ts_op_count_said(&c, err);
	if (!code) {
		take_steps(k);
		end_figures(k->o);
	}
	ts_pile_fini(&c.visits);
	ts_pile_fini(&c.seen);
	return code;
}
