/* SPDX-License-Identifier: MIT */
/*
 * operations_figures - what operations come to.
 *
 * What is counted is an *item*: a program, a compute set, a vertex type, a variable. An item belongs to nodes; it
 * counts once in each of these and in all above them (`below`), and once in the node of each layer that is the nearest
 * one going up (`of`). So each item climbs from its nodes to the roots, marks where it has been, and is added
 * where it comes for the first time: as many steps as there are levels, no sets to be united. An item of several programs counts
 * how many of them came to a node: where all did, nothing else has it (vertex_alone).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/report/rows.h"

#include "operations_internal.h"

enum { LOOK = 1024 };

#define BEYOND INT64_MAX

/* --- figures ---------------------------------------------------------------------------------------- */

static void
add_known(int64_t *sum, int64_t v)
{
	if (v == TS_UNKNOWN || *sum == BEYOND)
		return;
	if (*sum == TS_UNKNOWN)
		*sum = 0;
	if (!ts_add_i64(sum, v))
		*sum = BEYOND;
}

static void
take_least(int64_t *to, int64_t v)
{
	if (v != TS_UNKNOWN && (*to == TS_UNKNOWN || v < *to))
		*to = v;
}

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
		add_known(&f->control_code, c->control_code);
	add_known(&f->exchange_code, c->exchange_code);
	add_known(&f->measured, c->measured.most);
	add_known(&f->measured_tiles, c->measured.sum);
	add_known(&f->estimated, c->estimated.most);
	add_known(&f->estimated_tiles, c->estimated.sum);
	add_known(&f->steps, c->steps);
	add_known(&f->executed, c->executed);
	take_least(&f->first_step, c->first_step);
	f->live = ts_max_i64(f->live, c->live);
	take_least(&f->live_first, c->live_step);
	f->live_last = ts_max_i64(f->live_last, more->live_last);
	if (c->executed > 0)
		f->mark |= INT64_C(1)
			<< ts_honesty_step(h, TS_UNKNOWN, (enum ts_step_class)c->class_of);
}

void
ts_op_figures_set(struct ts_operation_figures *f, const struct ts_operation_set *s)
{
	add_known(&f->compute_sets, 1);
	add_known(&f->vertices, s->vertices);
}

void
ts_op_figures_type(struct ts_operation_figures *f, const struct ts_operation_type *t, bool alone)
{
	add_known(alone ? &f->vertex_alone : &f->vertex_code, t->code_bytes);
}

void
ts_op_figures_variables(struct ts_operation_figures *f, const struct ts_operation_figures *more)
{
	add_known(&f->variables, more->variables);
	add_known(&f->bytes, more->bytes);
	add_known(&f->said_variables, more->said_variables);
	add_known(&f->said_bytes, more->said_bytes);
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
	add_known(&f->code, f->control_code);
	add_known(&f->code, f->exchange_code);
	add_known(&f->code, f->vertex_alone);
	for (size_t i = 0; i < sizeof(*f) / sizeof(*v); i++)
		if (v[i] == BEYOND)
			v[i] = TS_UNKNOWN;
}

/* --- items that climb ------------------------------------------------------------------------------- */

/* Where an item was: by node twice (below, of), then by layer. */
struct op_visit {
	uint32_t item, member; /* which came last */
	uint32_t members;      /* how many of this item's */
};

struct climbing {
	struct op_making *k;
	struct op_visit *below, *of;		     /* by node */
	struct op_visit in[TS_OPERATION_LAYERS + 2]; /* by layer */
	struct ts_pile seen;			     /* uint32_t: nodes of this item */
	uint32_t item, member;
	bool programs; /* items are programs, or what programs run */
	struct ts_pile visits;
};

/* Is this the first member of the item here? */
static bool
visit(struct op_visit *v, const struct climbing *c)
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

/* What is added of an item, to one sum. */
typedef void (*op_add)(struct ts_operation_figures *f, const void *item);

static struct ts_operation *
nodes_of(const struct climbing *c)
{
	return c->k->o->pile[TS_OP_NODES].memory;
}

static struct ts_operation_layer *
layers_of(const struct climbing *c)
{
	return c->k->o->pile[TS_OP_LAYERS].memory;
}

static void
belong(struct climbing *c, uint32_t at, op_add add, const void *item)
{
	struct ts_operation *n = &nodes_of(c)[at];

	if (visit(&c->of[at], c))
		add(&n->of, item);
	if (visit(&c->in[n->layer], c))
		add(&layers_of(c)[n->layer].all, item);
}

/*
 * From a node to the root: the nearest of each layer has it. Operations that say which programs are theirs have no others,
 * but stand in the way of those further up.
 */
static enum ts_code
climb(struct climbing *c, uint32_t from, bool said, op_add add, const void *item,
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

static void
next_item(struct climbing *c)
{
	c->item++;
	c->member = 0;
	c->seen.used = 0;
}

/* One of the item's programs climbs from all its nodes. */
static enum ts_code
next_program(struct climbing *c, uint32_t program, op_add add, const void *item, struct ts_err *err)
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
	for (; !code && low < c->k->owns && own[low].program == program; low++)
		code = climb(c, own[low].node, own[low].said, add, item, err);
	return code;
}

/* Behind the last of its programs: what no node of a layer has; what one has alone. */
static void
end_item(struct climbing *c, op_add add, op_add alone, const void *item)
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
count_programs(struct climbing *c, struct ts_err *err)
{
	const struct ts_operations *o = c->k->o;
	const struct ts_program_cost *cost = o->costs->cost.memory;
	const struct ts_operation_program *more = o->pile[TS_OP_PROGRAMS].memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < o->costs->count; i++) {
		struct program_item p = {&cost[i], &more[i], &o->honesty};

		if (i % LOOK == 0 && ts_cancelled(c->k->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		next_item(c);
		code = next_program(c, i, add_program, &p, err);
		end_item(c, add_program, NULL, &p);
	}
	return code;
}

/* --- compute sets and vertex types ------------------------------------------------------------------ */

/* Sums by key of a relation: vertices of a compute set, code of a vertex type. */
struct op_sum {
	int64_t key, sum;
};

static int
by_key(const void *a, const void *b)
{
	const struct op_sum *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int64_t
sum_of(const struct ts_pile *sums, int64_t key)
{
	struct op_sum wanted = {key, 0};
	size_t n = sums->used / sizeof(wanted);
	const struct op_sum *s = n == 0 ? NULL
					: bsearch(&wanted, sums->memory, n, sizeof(wanted), by_key);

	return s ? s->sum : TS_UNKNOWN;
}

static enum ts_code
put_together(struct op_making *k, struct ts_pile *sums, struct ts_err *err)
{
	size_t n = sums->used / sizeof(struct op_sum), kept = 0;
	enum ts_code code = ts_pile_sort(sums, n, sizeof(struct op_sum), by_key, k->cache,
		k->rd->cancel, err);
	struct op_sum *s = sums->memory;

	for (size_t i = 0; !code && i < n; i++) {
		if (kept == 0 || s[kept - 1].key != s[i].key)
			s[kept++] = s[i];
		else
			add_known(&s[kept - 1].sum, s[i].sum);
	}
	sums->used = kept * sizeof(*s);
	return code;
}

/* Rows by tile come back to each type again and again: they are put together now and then. */
static enum ts_code
take_sum(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_sum s = {ts_rows_known(rows, 0), ts_rows_known(rows, 1)};
	enum ts_code code;

	if (s.key == TS_UNKNOWN || s.sum == TS_UNKNOWN)
		return TS_OK;
	code = ts_pile_add(&k->sums, &s, sizeof(s), k->cache, err);
	if (!code && k->sums.used >= k->sums_full) {
		code = put_together(k, &k->sums, err);
		k->sums_full = k->sums.used * 2 > TS_PILE_LARGE ? k->sums.used * 2 : TS_PILE_LARGE;
	}
	return code;
}

static enum ts_code
read_sums(struct ts_pile *to, struct op_making *k, enum ts_relation relation, const int *columns,
	struct ts_err *err)
{
	enum ts_code code;

	k->sums = (struct ts_pile){0};
	k->sums_full = TS_PILE_LARGE;
	code = ts_op_each(k, relation, columns, 2, take_sum, err);
	*to = k->sums;
	k->sums = (struct ts_pile){0};
	return code ? code : put_together(k, to, err);
}

/* Two numbers, sorted, each pair once. */
struct op_pair {
	uint32_t a, b;
};

static int
by_pair(const void *x, const void *y)
{
	const struct op_pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

static enum ts_code
sort_pairs(struct op_making *k, struct ts_pile *pairs, struct ts_err *err)
{
	size_t n = pairs->used / sizeof(struct op_pair), kept = 0;
	enum ts_code code = ts_pile_sort(pairs, n, sizeof(struct op_pair), by_pair, k->cache,
		k->rd->cancel, err);
	struct op_pair *p = pairs->memory;

	for (size_t i = 0; !code && i < n; i++)
		if (kept == 0 || by_pair(&p[kept - 1], &p[i]) != 0)
			p[kept++] = p[i];
	pairs->used = kept * sizeof(*p);
	return code;
}

/* The compute sets that programs have, by number, and for each program which of them. */
static enum ts_code
find_sets(struct op_making *k, struct ts_err *err)
{
	static const int columns[] = {TS_COMPUTE_SET_VERTEX_COMPUTE_SET,
		TS_COMPUTE_SET_VERTEX_INSTANCES};
	struct ts_pile *sets = &k->o->pile[TS_OP_SETS], vertices = {0};
	const struct ts_program_cost *cost = k->o->costs->cost.memory;
	struct ts_operation_program *program = k->o->pile[TS_OP_PROGRAMS].memory;
	enum ts_code code = read_sums(&vertices, k, TS_COMPUTE_SET_VERTEX, columns, err);

	for (size_t i = 0; !code && i < k->o->costs->count; i++)
		if (cost[i].compute_set != TS_UNKNOWN) {
			struct op_sum s = {cost[i].compute_set, 0};

			code = ts_pile_add(&k->sums, &s, sizeof(s), k->cache, err);
		}
	if (!code)
		code = put_together(k, &k->sums, err);
	for (size_t i = 0; !code && i < k->sums.used / sizeof(struct op_sum); i++) {
		int64_t key = ((const struct op_sum *)k->sums.memory)[i].key;
		struct ts_operation_set s = {key, sum_of(&vertices, key), 0, 0};

		((struct op_sum *)k->sums.memory)[i].sum = (int64_t)i;
		code = ts_pile_add(sets, &s, sizeof(s), k->cache, err);
	}
	for (size_t i = 0; !code && i < k->o->costs->count; i++)
		program[i].set = (uint32_t)sum_of(&k->sums, cost[i].compute_set);
	ts_pile_fini(&vertices);
	return code; /* `sums` has the numbers of compute sets: for take_type() */
}

static enum ts_code
take_type(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t set = ts_rows_known(rows, 0), type = ts_rows_known(rows, 1);
	struct op_pair p;
	uint32_t entry;
	int64_t known;
	enum ts_code code = TS_OK;

	set = set == TS_UNKNOWN ? TS_UNKNOWN : sum_of(&k->sums, set);
	if (set == TS_UNKNOWN || type == TS_UNKNOWN)
		return TS_OK;
	if (k->pairs.used / sizeof(p) >= TS_OPERATION_ROWS) {
		k->o->left_out++;
		return TS_OK;
	}
	known = ts_dictionary_find(&k->types, type);
	entry = (uint32_t)known;
	if (known == TS_DICTIONARY_NONE)
		code = ts_dictionary_number(&k->types, &entry, type, "", 0, err);
	p = (struct op_pair){(uint32_t)set, entry};
	return code ? code : ts_pile_add(&k->pairs, &p, sizeof(p), k->cache, err);
}

/* The vertex types that compute sets run, and how much code they are. */
static enum ts_code
find_types(struct op_making *k, struct ts_err *err)
{
	static const int code_bytes[] = {TS_TILE_VERTEX_VERTEX_TYPE, TS_TILE_VERTEX_CODE_BYTES};
	static const int types[] = {TS_COMPUTE_SET_VERTEX_COMPUTE_SET,
		TS_COMPUTE_SET_VERTEX_VERTEX_TYPE};
	struct ts_operations *o = k->o;
	struct ts_operation_set *set = o->pile[TS_OP_SETS].memory;
	struct ts_pile codes = {0};
	enum ts_code code;

	if (!ts_report_has(k->rd->report, TS_TILE_VERTEX))
		return TS_OK;
	k->types = (struct ts_dictionary){.numbers = true, .cache = k->cache};
	code = ts_op_each(k, TS_COMPUTE_SET_VERTEX, types, TS_COUNT(types), take_type, err);
	if (!code)
		code = sort_pairs(k, &k->pairs, err);
	ts_pile_fini(&k->sums);
	if (!code)
		code = read_sums(&codes, k, TS_TILE_VERTEX, code_bytes, err);
	for (uint32_t i = 0; !code && i < k->types.count; i++) {
		int64_t type = (int64_t)ts_dictionary_at(&k->types, i)->key;
		struct ts_operation_type t = {type, sum_of(&codes, type), 0};

		code = ts_pile_add(&o->pile[TS_OP_TYPES], &t, sizeof(t), k->cache, err);
	}
	for (size_t i = 0; !code && i < k->pairs.used / sizeof(struct op_pair); i++) {
		const struct op_pair *p = (const struct op_pair *)k->pairs.memory + i;

		if (set[p->a].types++ == 0)
			set[p->a].first = (uint32_t)i;
		code = ts_pile_add(&o->pile[TS_OP_RUNS], &p->b, sizeof(p->b), k->cache, err);
	}
	ts_pile_fini(&codes);
	ts_pile_fini(&k->pairs);
	ts_dictionary_fini(&k->types);
	return code;
}

static void
add_set(struct ts_operation_figures *f, const void *item)
{
	const struct ts_operation_set *s = item;

	ts_op_figures_set(f, s);
}

static void
add_type(struct ts_operation_figures *f, const void *item)
{
	ts_op_figures_type(f, item, false);
}

static void
add_alone(struct ts_operation_figures *f, const void *item)
{
	ts_op_figures_type(f, item, true);
}

/* Pairs of an item and a program, in order: each item climbs with its programs. */
static enum ts_code
count_pairs(struct climbing *c, const char *items, size_t size, op_add add, op_add alone,
	struct ts_err *err)
{
	struct ts_pile *pairs = &c->k->pairs;
	enum ts_code code = sort_pairs(c->k, pairs, err);
	const struct op_pair *p = pairs->memory;
	size_t n = pairs->used / sizeof(*p);

	for (size_t i = 0, end; !code && i < n; i = end) {
		const void *item = items + p[i].a * size;

		next_item(c);
		if (c->item % LOOK == 0 && ts_cancelled(c->k->rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (end = i; !code && end < n && p[end].a == p[i].a; end++)
			code = next_program(c, p[end].b, add, item, err);
		if (!code)
			end_item(c, add, alone, item);
	}
	ts_pile_fini(pairs);
	return code;
}

static enum ts_code
count_sets(struct climbing *c, struct ts_err *err)
{
	struct ts_operations *o = c->k->o;
	const struct ts_operation_program *program = o->pile[TS_OP_PROGRAMS].memory;
	enum ts_code code = find_sets(c->k, err);

	for (uint32_t i = 0; !code && i < o->costs->count; i++)
		if (program[i].set != TS_NO_OPERATION) {
			struct op_pair p = {program[i].set, i};

			code = ts_pile_add(&c->k->pairs, &p, sizeof(p), c->k->cache, err);
		}
	return code ? code
		    : count_pairs(c, o->pile[TS_OP_SETS].memory, sizeof(struct ts_operation_set),
			      add_set, NULL, err);
}

static enum ts_code
count_types(struct climbing *c, struct ts_err *err)
{
	struct ts_operations *o = c->k->o;
	const struct ts_operation_program *program = o->pile[TS_OP_PROGRAMS].memory;
	const struct ts_operation_set *set;
	const uint32_t *run;
	struct ts_operation_type *type;
	enum ts_code code = find_types(c->k, err);

	set = o->pile[TS_OP_SETS].memory;
	run = o->pile[TS_OP_RUNS].memory;
	type = o->pile[TS_OP_TYPES].memory;
	for (uint32_t i = 0; !code && i < o->costs->count; i++) {
		const struct ts_operation_set *s = program[i].set == TS_NO_OPERATION
			? NULL
			: &set[program[i].set];

		if (i % LOOK == 0 && ts_cancelled(c->k->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (uint32_t j = 0; !code && s && j < s->types; j++) {
			struct op_pair p = {run[s->first + j], i};

			type[p.a].programs++;
			if (c->k->pairs.used / sizeof(p) >= TS_OPERATION_ROWS) {
				o->left_out++;
				continue;
			}
			code = ts_pile_add(&c->k->pairs, &p, sizeof(p), c->k->cache, err);
		}
	}
	return code ? code
		    : count_pairs(c, o->pile[TS_OP_TYPES].memory, sizeof(struct ts_operation_type),
			      add_type, add_alone, err);
}

/* --- variables -------------------------------------------------------------------------------------- */

/* Variables of a node: how many, and their bytes. Their context's, or `said`. */
struct op_bytes {
	int64_t variables, bytes;
};

static void
add_bytes(struct ts_operation_figures *f, const void *item)
{
	const struct op_bytes *b = item;

	add_known(&f->variables, b->variables);
	add_known(&f->bytes, b->bytes);
}

static void
add_said(struct ts_operation_figures *f, const void *item)
{
	const struct op_bytes *b = item;

	add_known(&f->said_variables, b->variables);
	add_known(&f->said_bytes, b->bytes);
}

static enum ts_code
take_variable(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_bytes b = {1, ts_rows_known(rows, 1)};
	struct op_bytes *at;
	uint32_t context = TS_NO_OPERATION;
	uint64_t id;
	enum ts_code code = TS_OK;

	if (b.bytes == TS_UNKNOWN)
		return TS_OK;
	if (ts_rows_bits(rows, 0, &id) == TS_VALUE_OK)
		code = ts_op_context(&context, k, id, err);
	if (code)
		return code;
	/* by context first: doors of those that only variables name are not known yet; that of none stands first */
	context = context == TS_NO_OPERATION ? 0 : context + 1;
	while (!code && k->sums.used / sizeof(b) <= context) {
		struct op_bytes none = {0, 0};

		code = ts_pile_add(&k->sums, &none, sizeof(none), k->cache, err);
	}
	if (code)
		return code;
	at = (struct op_bytes *)k->sums.memory + context;
	at->variables++;
	add_known(&at->bytes, b.bytes);
	return TS_OK;
}

/* Variables count where their context is, or the nearest operation above it. */
static enum ts_code
count_variables(struct climbing *c, struct ts_err *err)
{
	static const int before[] = {TS_VARIABLE_CONTEXT, TS_VARIABLE_BYTES};
	static const int lowered[] = {TS_LOWERED_VARIABLE_CONTEXT, TS_LOWERED_VARIABLE_BYTES};
	struct op_making *k = c->k;
	const struct ts_report *r = k->rd->report;
	bool pass = !ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_CONTEXT);
	struct op_bytes *b;
	enum ts_code code;

	if (!k->steps.any ||
		(pass &&
			!ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CONTEXT)))
		return TS_OK;
	if (pass && !k->trace)
		return TS_OK; /* of millions of rows: later */
	k->o->bytes_lowered = pass;
	k->sums = (struct ts_pile){0};
	code = pass ? ts_op_each(k, TS_LOWERED_VARIABLE, lowered, 2, take_variable, err)
		    : ts_op_each(k, TS_VARIABLE, before, 2, take_variable, err);
	if (!code) {
		ts_op_contexts_settle(k);
		ts_op_contexts_doors(k);
	}
	b = k->sums.memory;
	for (size_t i = 0; !code && i < k->sums.used / sizeof(*b); i++) {
		uint32_t door = i == 0 ? TS_NO_OPERATION
				       : ts_op_context_at(k, (uint32_t)i - 1)->door;

		if (b[i].variables == 0)
			continue;
		while (door != TS_NO_OPERATION && ts_op_raw_at(k, door)->place == TS_NO_OPERATION)
			door = ts_op_raw_at(k, door)->parent;
		next_item(c);
		c->member++;
		if (door != TS_NO_OPERATION)
			code = climb(c, ts_op_raw_at(k, door)->place, false, add_bytes, &b[i], err);
		end_item(c, add_bytes, NULL, &b[i]);
	}
	ts_pile_fini(&k->sums);
	return code;
}

struct op_said {
	int64_t lowered, bytes;
	uint32_t node, spare;
};

static int
by_lowered(const void *a, const void *b)
{
	const struct op_said *x = a, *y = b;

	if (x->lowered != y->lowered)
		return x->lowered < y->lowered ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static enum ts_code
take_said(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t operation = ts_rows_known(rows, 0);
	const struct op_row *r = operation == TS_UNKNOWN ? NULL : ts_op_row_find(k, operation);
	struct op_said s = {.lowered = ts_rows_known(rows, 1), .bytes = TS_UNKNOWN};

	if (!r || s.lowered == TS_UNKNOWN) {
		k->o->bad_rows++;
		return TS_OK;
	}
	if (k->sums.used / sizeof(s) >= TS_OPERATION_ROWS) {
		k->o->left_out++;
		return TS_OK;
	}
	s.node = ts_op_raw_at(k, r->node)->place;
	return ts_pile_add(&k->sums, &s, sizeof(s), k->cache, err);
}

/* The bytes of a lowered variable, to all that say it. */
static enum ts_code
take_lowered(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_said *s = k->sums.memory, wanted = {.lowered = ts_rows_known(rows, 0)};
	size_t n = k->sums.used / sizeof(*s), low = 0, high = n;

	(void)err;
	while (wanted.lowered != TS_UNKNOWN && low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_lowered(&s[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && s[low].lowered == wanted.lowered; low++)
		s[low].bytes = ts_rows_known(rows, 1);
	return TS_OK;
}

/* Of millions of rows, which no key leads to: later. */
static enum ts_code
look_up_lowered(struct op_making *k, struct ts_err *err)
{
	static const int columns[] = {TS_LOWERED_VARIABLE_ID, TS_LOWERED_VARIABLE_BYTES};

	if (!k->trace || k->sums.used == 0 ||
		!ts_report_has_column(k->rd->report, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID))
		return TS_OK;
	return ts_op_each(k, TS_LOWERED_VARIABLE, columns, TS_COUNT(columns), take_lowered, err);
}

/* Lowered variables that operations name: in each of these, and above. */
static enum ts_code
count_said(struct climbing *c, struct ts_err *err)
{
	static const int columns[] = {TS_OPERATION_VARIABLE_OPERATION,
		TS_OPERATION_VARIABLE_LOWERED_VARIABLE};
	struct op_making *k = c->k;
	const struct op_said *s;
	enum ts_code code = TS_OK;

	if (k->rows == 0 || !ts_report_has(k->rd->report, TS_OPERATION_VARIABLE))
		return TS_OK;
	code = ts_op_each(k, TS_OPERATION_VARIABLE, columns, 2, take_said, err);
	if (!code)
		code = ts_pile_sort(&k->sums, k->sums.used / sizeof(*s), sizeof(*s), by_lowered,
			k->cache, k->rd->cancel, err);
	if (!code)
		code = look_up_lowered(k, err);
	s = k->sums.memory;
	for (size_t i = 0, end, n = k->sums.used / sizeof(*s); !code && i < n; i = end) {
		struct op_bytes b = {1, s[i].bytes};

		next_item(c);
		c->member++;
		for (end = i; !code && end < n && s[end].lowered == s[i].lowered; end++)
			code = climb(c, s[end].node, true, add_said, &b, err);
		end_item(c, add_said, NULL, &b);
	}
	ts_pile_fini(&k->sums);
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
			take_least(&node[at].below.live_first, r->first);
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
	struct climbing c = {.k = k, .programs = true};
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
		code = count_sets(&c, err);
	if (!code)
		code = count_types(&c, err);
	c.programs = false;
	ts_pile_fini(&k->sums);
	if (!code)
		code = count_variables(&c, err);
	if (!code)
		code = count_said(&c, err);
	if (!code) {
		take_steps(k);
		end_figures(k->o);
	}
	ts_pile_fini(&c.visits);
	ts_pile_fini(&c.seen);
	return code;
}
