/* SPDX-License-Identifier: MIT */
/*
 * operations_forest - which operations there are, and which stands below which.
 *
 * A recorded operation stands in the place of its context: it is that context where both are of one layer, else it
 * stands between the context and what is below it. Nodes are made in any order, then sorted: siblings by the first
 * program below them, so that they come in about the order in which things happen.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/frames.h"

#include "operations_internal.h"

enum { LOOK = 4096 };

static enum ts_code
add_raw(uint32_t *at, struct op_making *k, const struct op_raw *raw, struct ts_err *err)
{
	enum ts_code code = ts_pile_add(&k->raw, raw, sizeof(*raw), k->cache, err);

	*at = (uint32_t)k->raws;
	k->raws += !code;
	return code;
}

static enum ts_code
add_own(struct op_making *k, uint32_t program, uint32_t node, bool said, struct ts_err *err)
{
	struct ts_operation_own own = {program, node, said};
	enum ts_code code;

	if (k->owns == TS_OPERATION_ROWS) {
		k->o->left_out++;
		return TS_OK;
	}
	code = ts_pile_add(&k->own, &own, sizeof(own), k->cache, err);
	k->owns += !code;
	return code;
}

/* --- contexts and recorded operations -------------------------------------------------------------- */

/* The first operation of a context stands for it. */
static void
give_ops(struct op_making *k)
{
	for (size_t i = 0; i < k->rows; i++) {
		uint32_t at = ts_op_row_at(k, i)->context;
		struct op_context *c = at == TS_NO_OPERATION ? NULL : ts_op_context_at(k, at);

		if (c && !c->found)
			ts_op_row_at(k, i)->context = TS_NO_OPERATION;
		else if (c && c->op == TS_NO_OPERATION && c->depth < TS_OPERATION_LEVELS)
			c->op = (uint32_t)i;
	}
}

static enum ts_code
add_row_node(struct op_making *k, uint32_t row, uint32_t parent, bool cut, struct ts_err *err)
{
	struct op_row *r = ts_op_row_at(k, row);
	struct op_raw raw = {.parent = parent,
		.context = r->context,
		.op = row,
		.name = r->name,
		.layer = r->layer,
		.from = TS_OPERATION_IS_RECORDED,
		.cut = cut};

	return add_raw(&r->node, k, &raw, err);
}

static enum ts_code
add_context_node(struct op_making *k, uint32_t at, struct ts_err *err)
{
	struct op_context *c = ts_op_context_at(k, at);
	const struct op_row *op = c->op == TS_NO_OPERATION ? NULL : ts_op_row_at(k, c->op);
	struct op_raw raw = {.parent = TS_NO_OPERATION,
		.context = at,
		.op = TS_NO_OPERATION,
		.name = c->name,
		.layer = c->layer,
		.from = TS_OPERATION_BY_CONTEXT,
		.cut = c->cut};
	enum ts_code code = TS_OK;

	if (!op || op->layer != c->layer) {
		code = add_raw(&c->node, k, &raw, err);
		c->door = c->node;
	}
	if (!code && op) {
		code = add_row_node(k, c->op, c->node, c->cut, err);
		c->door = op->node;
		if (c->node == TS_NO_OPERATION)
			c->node = op->node;
	}
	return code;
}

static enum ts_code
add_contexts(struct op_making *k, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < k->contexts; i++) {
		const struct op_context *c = ts_op_context_at(k, i);

		k->o->cut += c->cut;
		if (c->found && c->depth < TS_OPERATION_LEVELS)
			code = add_context_node(k, i, err);
		else if (c->found)
			k->o->left_out++;
	}
	if (code)
		return code;
	if (k->contexts > 0)
		ts_op_contexts_doors(k);
	for (uint32_t i = 0; i < k->contexts; i++) {
		const struct op_context *c = ts_op_context_at(k, i);

		if (c->node != TS_NO_OPERATION && c->parent != TS_NO_OPERATION)
			ts_op_raw_at(k, c->node)->parent = ts_op_context_at(k, c->parent)->door;
	}
	return TS_OK;
}

/* Operations that stand for no context: below that which does, else on top. */
static enum ts_code
add_rows(struct op_making *k, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < k->rows; i++) {
		const struct op_row *r = ts_op_row_at(k, i);
		uint32_t parent = TS_NO_OPERATION;

		if (r->node != TS_NO_OPERATION)
			continue;
		if (r->context != TS_NO_OPERATION)
			parent = ts_op_context_at(k, r->context)->door;
		code = add_row_node(k, i, parent, false, err);
	}
	return code;
}

static enum ts_code
take_program(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t operation = ts_rows_known(rows, 0), program = ts_rows_known(rows, 1);
	const struct op_row *r = operation == TS_UNKNOWN ? NULL : ts_op_row_find(k, operation);
	uint32_t place = program == TS_UNKNOWN ? UINT32_MAX : ts_op_place(k->o->costs, program);

	if (r && place != UINT32_MAX)
		return add_own(k, place, r->node, true, err);
	k->o->bad_rows++;
	return TS_OK;
}

/* --- names ------------------------------------------------------------------------------------------ */

struct naming {
	struct ts_dictionary nodes; /* by parent and text */
	struct ts_pile at;	    /* uint32_t: the node of each */
};

/* Child `part` of a node; made unless `find`. */
static enum ts_code
step_down(uint32_t *node, struct naming *n, struct op_making *k, const struct ts_frame_part *part,
	bool find, struct ts_err *err)
{
	struct op_raw raw = {.parent = *node,
		.context = TS_NO_OPERATION,
		.op = TS_NO_OPERATION,
		.layer = TS_DICTIONARY_NONE,
		.from = TS_OPERATION_BY_NAME};
	uint32_t text, entry;
	int64_t key, known;
	enum ts_code code = ts_dictionary_text(&k->texts, &text, part->s, part->n, err);

	if (code)
		return code;
	raw.name = (int32_t)text;
	key = (int64_t)((uint64_t)*node << 32 | text);
	known = ts_dictionary_find(&n->nodes, key);
	if (known != TS_DICTIONARY_NONE || find) {
		*node = known == TS_DICTIONARY_NONE ? TS_NO_OPERATION
						    : ((const uint32_t *)n->at.memory)[known];
		return TS_OK;
	}
	code = ts_dictionary_number(&n->nodes, &entry, key, "", 0, err);
	if (!code)
		code = add_raw(node, k, &raw, err);
	return code ? code : ts_pile_add(&n->at, node, sizeof(*node), k->cache, err);
}

/* Names of one part belong to an operation only where longer ones begin with it. */
static enum ts_code
add_name(struct naming *n, struct op_making *k, uint32_t place, bool single, struct ts_err *err)
{
	const struct op_program *p = (const struct op_program *)k->program.memory + place;
	struct ts_frame_parts parts = {0};
	const struct ts_dictionary_entry *e;
	uint32_t node = TS_NO_OPERATION;
	char name[TS_OPERATION_TEXT];
	enum ts_code code = TS_OK;

	if (p->name == TS_DICTIONARY_NONE)
		return TS_OK;
	e = ts_dictionary_at(&k->texts, (uint32_t)p->name);
	memcpy(name, (const char *)k->texts.text.memory + e->at, e->n);
	ts_frame_parts_add(&parts, name, e->n);
	if (parts.n == 0 || (parts.n == 1) != single)
		return TS_OK;
	for (int i = 0; !code && i < parts.n; i++)
		code = step_down(&node, n, k, &parts.part[i], single, err);
	if (!code && node != TS_NO_OPERATION)
		code = add_own(k, place, node, false, err);
	return code;
}

/* Names of programs that are in no operation so far. */
static enum ts_code
add_names(struct op_making *k, struct ts_err *err)
{
	struct naming n = {.nodes = {.numbers = true, .cache = k->cache}};
	size_t programs = k->o->costs->count;
	unsigned char *has = ts_alloc(programs / 8 + 1, 1);
	enum ts_code code = has ? TS_OK : ts_err_nomem(err);

	for (size_t i = 0; !code && i < k->owns; i++) {
		uint32_t at = ((const struct ts_operation_own *)k->own.memory)[i].program;

		has[at / 8] |= (unsigned char)(1U << at % 8);
	}
	for (int single = 0; single < 2; single++)
		for (uint32_t i = 0; !code && i < programs; i++)
			if (!(has[i / 8] >> i % 8 & 1))
				code = add_name(&n, k, i, single != 0, err);
	ts_dictionary_fini(&n.nodes);
	ts_pile_fini(&n.at);
	free(has);
	return code;
}

/* --- in preorder ------------------------------------------------------------------------------------ */

struct op_place {
	uint32_t parent, first, raw;
};

static int
by_place(const void *a, const void *b)
{
	const struct op_place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->raw > y->raw) - (x->raw < y->raw);
}

/* Parents of nodes are followed without a bound: contexts have no circles any more, and at most TS_OPERATION_LEVELS. */
static void
find_first(struct op_making *k)
{
	const struct ts_operation_own *own = k->own.memory;

	for (size_t i = 0; i < k->owns; i++)
		for (uint32_t at = own[i].node; at != TS_NO_OPERATION;
			at = ts_op_raw_at(k, at)->parent) {
			struct op_raw *raw = ts_op_raw_at(k, at);

			if (raw->first <= own[i].program)
				break;
			raw->first = own[i].program;
		}
}

/*
 * Contexts with neither a program nor a recorded operation at or below them are no operations: those of compute sets that
 * no program executes, for instance. UINT32_MAX - 1: no program, but kept.
 */
static void
keep_rows(struct op_making *k)
{
	for (size_t i = 0; i < k->rows; i++)
		for (uint32_t at = ts_op_row_at(k, i)->node; at != TS_NO_OPERATION;
			at = ts_op_raw_at(k, at)->parent) {
			struct op_raw *raw = ts_op_raw_at(k, at);

			if (raw->first != UINT32_MAX)
				break;
			raw->first = UINT32_MAX - 1;
		}
}

static enum ts_code
sort_places(struct ts_pile *places, struct op_making *k, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; i < k->raws; i++) {
		ts_op_raw_at(k, i)->first = UINT32_MAX;
		ts_op_raw_at(k, i)->place = TS_NO_OPERATION;
	}
	find_first(k);
	keep_rows(k);
	for (uint32_t i = 0; !code && i < k->raws; i++) {
		const struct op_raw *raw = ts_op_raw_at(k, i);
		struct op_place p = {raw->parent, raw->first, i};

		if (raw->first != UINT32_MAX)
			code = ts_pile_add(places, &p, sizeof(p), k->cache, err);
	}
	return code ? code
		    : ts_pile_sort(places, places->used / sizeof(struct op_place),
			      sizeof(struct op_place), by_place, k->cache, k->rd->cancel, err);
}

static size_t
first_child(const struct op_place *p, size_t n, uint32_t parent)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum ts_code
put_node(struct op_making *k, uint32_t raw, uint32_t parent, struct ts_err *err)
{
	struct ts_operations *o = k->o;
	struct op_raw *r = ts_op_raw_at(k, raw);
	const struct op_row *row = r->op == TS_NO_OPERATION ? NULL : ts_op_row_at(k, r->op);
	const struct op_context *c = r->context == TS_NO_OPERATION
		? NULL
		: ts_op_context_at(k, r->context);
	struct ts_operation *nodes = o->pile[TS_OP_NODES].memory,
			    n = {.operation = row ? row->operation : TS_UNKNOWN,
				    .context = c ? (int64_t)c->id : TS_UNKNOWN,
				    .parent = parent,
				    .name = r->name,
				    .debug_name = row ? row->debug_name : TS_DICTIONARY_NONE,
				    .depth = parent == TS_NO_OPERATION
					    ? 0
					    : (uint8_t)(nodes[parent].depth + 1),
				    .from = r->from,
				    .programs_said = row &&
					    ts_report_has(k->rd->report, TS_OPERATION_PROGRAM),
				    .has_context = c != NULL,
				    .cut = r->cut};

	ts_op_figures_none(&n.of);
	ts_op_figures_none(&n.below);
	r->place = o->count;
	o->count++;
	return ts_pile_add(&o->pile[TS_OP_NODES], &n, sizeof(n), k->cache, err);
}

/* A walk in depth with a stack of its own: as deep as nodes go. */
static enum ts_code
walk(struct op_making *k, const struct op_place *p, size_t n, struct ts_err *err)
{
	struct {
		size_t next;
		uint32_t raw, node;
	} stack[2 * TS_OPERATION_LEVELS + 2];
	int depth = 0;
	enum ts_code code = TS_OK;

	stack[0].next = first_child(p, n, TS_NO_OPERATION);
	stack[0].raw = stack[0].node = TS_NO_OPERATION;
	while (!code && depth >= 0) {
		size_t at = stack[depth].next++;

		if (at >= n || p[at].parent != stack[depth].raw) {
			if (depth > 0)
				((struct ts_operation *)k->o->pile[TS_OP_NODES]
						.memory)[stack[depth].node]
					.end = k->o->count;
			depth--;
			continue;
		}
		if (k->o->count % LOOK == 0 && ts_cancelled(k->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = put_node(k, p[at].raw, stack[depth].node, err);
		if (!code && depth + 1 < (int)TS_COUNT(stack)) {
			depth++;
			stack[depth].raw = p[at].raw;
			stack[depth].node = k->o->count - 1;
			stack[depth].next = first_child(p, n, p[at].raw);
		}
	}
	return code;
}

static int
by_program(const void *a, const void *b)
{
	const struct ts_operation_own *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (y->said > x->said) - (y->said < x->said);
}

static enum ts_code
sort_own(struct op_making *k, struct ts_err *err)
{
	struct ts_operation_own *own = k->own.memory;
	size_t n = 0;
	enum ts_code code;

	for (size_t i = 0; i < k->owns; i++)
		own[i].node = ts_op_raw_at(k, own[i].node)->place;
	code = ts_pile_sort(&k->own, k->owns, sizeof(*own), by_program, k->cache, k->rd->cancel,
		err);
	own = k->own.memory;
	for (size_t i = 0; !code && i < k->owns; i++)
		if (n == 0 || own[n - 1].program != own[i].program ||
			own[n - 1].node != own[i].node)
			own[n++] = own[i];
	k->owns = code ? k->owns : n;
	return code;
}

/* --- layers ----------------------------------------------------------------------------------------- */

struct op_layer {
	int32_t name;
	uint32_t depth, order;
	bool names;
	uint8_t from;
	uint16_t number;
};

static int
by_depth(const void *a, const void *b)
{
	const struct op_layer *x = a, *y = b;

	if (x->names != y->names)
		return x->names ? 1 : -1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int
by_order(const void *a, const void *b)
{
	const struct op_layer *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Distinct layers in the order in which nodes have them; `slot` by text: 0 or 1 + where; [texts]: none, [texts + 1]: names */
static enum ts_code
gather_layers(struct ts_pile *list, uint32_t *slot, struct op_making *k, const uint32_t *raw_of,
	struct ts_err *err)
{
	const struct ts_operation *node = k->o->pile[TS_OP_NODES].memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < k->o->count; i++) {
		bool names = node[i].from == TS_OPERATION_BY_NAME;
		int32_t name = ts_op_raw_at(k, raw_of[i])->layer;
		uint32_t *s = &slot[names		     ? k->texts.count + 1
				: name == TS_DICTIONARY_NONE ? k->texts.count
							     : (uint32_t)name];
		struct op_layer *l;

		if (*s == 0) {
			struct op_layer new = {.name = name,
				.depth = node[i].depth,
				.order = (uint32_t)(list->used / sizeof(new)),
				.names = names,
				.from = node[i].from};

			code = ts_pile_add(list, &new, sizeof(new), k->cache, err);
			*s = new.order + 1;
		}
		l = code ? NULL : (struct op_layer *)list->memory + (*s - 1);
		if (l && node[i].depth < l->depth)
			l->depth = node[i].depth;
		if (l && node[i].from < l->from)
			l->from = node[i].from;
	}
	return code;
}

/* Layers beyond those that are told apart share the last number but that of names. */
static enum ts_code
number_layers(struct op_making *k, struct op_layer *l, size_t n, struct ts_err *err)
{
	struct ts_operations *o = k->o;
	bool names = n > 0;
	size_t shown;
	enum ts_code code = TS_OK;

	if (n > 0) /* else there is no array to be sorted */
		qsort(l, n, sizeof(*l), by_depth);
	names = n > 0 && l[n - 1].names;
	shown = n - names;
	for (size_t i = 0; !code && i < n; i++) {
		bool more = !l[i].names && i >= TS_OPERATION_LAYERS - 1;
		struct ts_operation_layer new = {.name = more ? TS_DICTIONARY_NONE : l[i].name,
			.from = l[i].from,
			.depth = (uint8_t)l[i].depth};

		ts_op_figures_none(&new.all);
		ts_op_figures_none(&new.outside);
		if (!more || i == TS_OPERATION_LAYERS - 1)
			code = ts_pile_add(&o->pile[TS_OP_LAYERS], &new, sizeof(new), k->cache,
				err);
		o->layers = (uint32_t)(o->pile[TS_OP_LAYERS].used / sizeof(new));
		l[i].number = (uint16_t)(o->layers - 1);
		if (more)
			k->o->left_out += i > TS_OPERATION_LAYERS - 1 ||
				shown > TS_OPERATION_LAYERS;
	}
	if (n > 1)
		qsort(l, n, sizeof(*l), by_order);
	return code;
}

static enum ts_code
make_layers(struct op_making *k, struct ts_err *err)
{
	struct ts_operation *node = k->o->pile[TS_OP_NODES].memory;
	struct ts_pile list = {0}, slot = {0}, raw_of = {0};
	size_t slots = (size_t)k->texts.count + 2;
	enum ts_code code = ts_pile_room(&slot, slots * sizeof(uint32_t), k->cache, err);

	if (!code)
		code = ts_pile_room(&raw_of, ((size_t)k->raws + 1) * sizeof(uint32_t), k->cache,
			err);
	if (!code) {
		memset(slot.memory, 0, slots * sizeof(uint32_t));
		for (uint32_t i = 0; i < k->raws; i++)
			if (ts_op_raw_at(k, i)->place != TS_NO_OPERATION)
				((uint32_t *)raw_of.memory)[ts_op_raw_at(k, i)->place] = i;
		code = gather_layers(&list, slot.memory, k, raw_of.memory, err);
	}
	if (!code)
		code = number_layers(k, list.memory, list.used / sizeof(struct op_layer), err);
	for (uint32_t i = 0; !code && i < k->o->count; i++) {
		int32_t name = ts_op_raw_at(k, ((uint32_t *)raw_of.memory)[i])->layer;
		uint32_t at = node[i].from == TS_OPERATION_BY_NAME ? k->texts.count + 1
			: name == TS_DICTIONARY_NONE		   ? k->texts.count
								   : (uint32_t)name;

		node[i].layer =
			((struct op_layer *)list.memory)[((uint32_t *)slot.memory)[at] - 1].number;
	}
	ts_pile_fini(&list);
	ts_pile_fini(&slot);
	ts_pile_fini(&raw_of);
	return code;
}

/* --- all together ----------------------------------------------------------------------------------- */

static enum ts_code
add_programs(struct op_making *k, struct ts_err *err)
{
	static const int said[] = {TS_OPERATION_PROGRAM_OPERATION, TS_OPERATION_PROGRAM_PROGRAM};
	const struct op_program *p = k->program.memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < k->o->costs->count; i++)
		if (p[i].context != TS_NO_OPERATION &&
			ts_op_context_at(k, p[i].context)->door != TS_NO_OPERATION)
			code = add_own(k, i, ts_op_context_at(k, p[i].context)->door, false, err);
	if (!code && k->rows > 0)
		code = ts_op_each(k, TS_OPERATION_PROGRAM, said, TS_COUNT(said), take_program, err);
	return code ? code : add_names(k, err);
}

enum ts_code
ts_op_forest(struct op_making *k, struct ts_err *err)
{
	struct ts_pile places = {0};
	enum ts_code code;

	ts_op_contexts_settle(k);
	give_ops(k);
	code = add_contexts(k, err);
	if (!code)
		code = add_rows(k, err);
	if (!code)
		code = add_programs(k, err);
	if (!code)
		code = sort_places(&places, k, err);
	if (!code)
		code = walk(k, places.memory, places.used / sizeof(struct op_place), err);
	if (!code)
		code = sort_own(k, err);
	if (!code)
		code = make_layers(k, err);
	ts_pile_fini(&places);
	return code;
}
