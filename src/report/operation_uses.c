/* SPDX-License-Identifier: MIT */
/*
 * operation_uses - which variables programs name, and in which operations they were made: what links operations
 * (operation_links.c), for any layer. Made once, by one pass over the variables before lowering.
 *
 * Three lists lead from an operation to its variables: programs by node, variables by program, variables by the node of their
 * debug context. What is at or below an operation is a range of nodes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"

#include "operation_links_internal.h"
#include "operations_internal.h"

enum { LOOK = 4096, CLIMB = 4096 };

/* From a context to the node that it belongs to. */
struct climbing {
	const struct ts_operations *o;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_context_steps steps;
	struct ts_context_step one;
	struct ts_dictionary met; /* contexts that were asked for, and */
	struct ts_pile door;	  /* uint32_t: the node of each, of any layer */
};

/* --- contexts --------------------------------------------------------------------------------------- */

static enum ts_code
open_contexts(struct climbing *w, struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code = ts_context_steps_open(&w->steps, w->rd, w->cache, progress, err);

	ts_context_step_init(&w->one, TS_OPERATION_TEXT);
	w->met.numbers = true;
	w->met.cache = w->cache;
	for (uint32_t i = 0; !code && i < w->o->count; i++) {
		uint32_t entry;
		int64_t known;

		if (!w->o->node[i].has_context)
			continue;
		/* a recorded operation below the node of its context stands for it */
		known = ts_dictionary_find(&w->met, w->o->node[i].context);
		if (known != TS_DICTIONARY_NONE) {
			uint32_t *door = (uint32_t *)w->door.memory + known;

			if (w->o->node[i].parent == *door &&
				w->o->node[*door].from == TS_OPERATION_BY_CONTEXT)
				*door = i;
			continue;
		}
		code = ts_dictionary_number(&w->met, &entry, w->o->node[i].context, "", 0, err);
		if (!code)
			code = ts_pile_add(&w->door, &i, sizeof(i), w->cache, err);
	}
	return code;
}

/* The node of a context, or of the nearest above it. What is climbed is remembered. */
static enum ts_code
door_of(uint32_t *node, struct climbing *w, uint64_t id, struct ts_err *err)
{
	int64_t known = ts_dictionary_find(&w->met, (int64_t)id);
	uint64_t first = id;
	uint32_t entry;
	enum ts_code code = TS_OK;

	*node = TS_NO_OPERATION;
	for (int n = 0; known == TS_DICTIONARY_NONE && w->steps.any && n < CLIMB; n++) {
		code = ts_context_step_read(&w->one, &w->steps, id, err);
		if (code)
			return code;
		if (!w->one.found || !w->one.has_parent)
			break;
		id = w->one.parent;
		known = ts_dictionary_find(&w->met, (int64_t)id);
	}
	if (known != TS_DICTIONARY_NONE)
		*node = ((const uint32_t *)w->door.memory)[known];
	if (first == id && known != TS_DICTIONARY_NONE)
		return TS_OK;
	code = ts_dictionary_number(&w->met, &entry, (int64_t)first, "", 0, err);
	return code ? code : ts_pile_add(&w->door, node, sizeof(*node), w->cache, err);
}

static void
fini_climbing(struct climbing *w)
{
	ts_context_steps_close(&w->steps);
	ts_context_step_fini(&w->one);
	ts_dictionary_fini(&w->met);
	ts_pile_fini(&w->door);
}

/* --- variables -------------------------------------------------------------------------------------- */

static int
by_key(const void *a, const void *b)
{
	const struct op_belongs *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static enum ts_code
sort_belongs(struct ts_pile *p, const struct climbing *w, struct ts_err *err)
{
	return ts_pile_sort(p, p->used / sizeof(struct op_belongs), sizeof(struct op_belongs),
		by_key, w->cache, w->rd->cancel, err);
}

static enum ts_code
belongs(struct ts_pile *p, uint32_t key, size_t item, const struct climbing *w, struct ts_err *err)
{
	struct op_belongs b = {key, (uint32_t)item};

	return ts_pile_add(p, &b, sizeof(b), w->cache, err);
}

static enum ts_code
add_variable(struct ts_operation_uses *v, int64_t number, size_t first, const struct climbing *w,
	struct ts_err *err)
{
	struct op_variable one = {number, TS_UNKNOWN, first, TS_NO_OPERATION, 0};

	return ts_pile_add(&v->variable, &one, sizeof(one), w->cache, err);
}

/* Those that programs name, once each, and whose they are. */
static enum ts_code
list_variables(struct ts_operation_uses *v, const struct climbing *w, struct ts_err *err)
{
	const struct ts_use *use = v->uses->named.memory;
	size_t names = v->uses->names;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < names; i++) {
		uint32_t place = ts_op_place(w->o->costs, use[i].program);

		if (i % LOOK == 0 && ts_cancelled(w->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (i == 0 || use[i - 1].variable != use[i].variable) {
			code = add_variable(v, use[i].variable, i, w, err);
			v->variables += !code;
		}
		if (!code && place != UINT32_MAX)
			code = belongs(&v->of_program, place, v->variables - 1, w, err);
	}
	if (!code)
		code = add_variable(v, INT64_MAX, names, w, err);
	return code ? code : sort_belongs(&v->of_program, w, err);
}

static enum ts_code
list_programs(struct ts_operation_uses *v, const struct climbing *w, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (uint64_t i = 0; !code && i < w->o->owns; i++)
		code = belongs(&v->programs, w->o->own[i].node, w->o->own[i].program, w, err);
	return code ? code : sort_belongs(&v->programs, w, err);
}

static int
by_number(const void *a, const void *b)
{
	const struct op_variable *x = a, *y = b;

	return (x->variable > y->variable) - (x->variable < y->variable);
}

static struct op_variable *
find_variable(const struct ts_operation_uses *v, int64_t number)
{
	struct op_variable wanted = {.variable = number};

	return number == TS_UNKNOWN || v->variables == 0
		? NULL
		: bsearch(&wanted, v->variable.memory, v->variables, sizeof(wanted), by_number);
}

/* Bytes of each, and the node of its context. */
static enum ts_code
read_variables(struct ts_operation_uses *v, struct climbing *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_BYTES,
					  TS_VARIABLE_CONTEXT},
		.column_count = 3,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	uint64_t id;
	bool there;

	if (!ts_report_has(w->rd->report, TS_VARIABLE))
		return TS_OK;
	code = ts_reader_rows(&rows, w->rd, TS_VARIABLE, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		struct op_variable *one = find_variable(v, ts_rows_known(rows, 0));

		if (!one)
			continue;
		one->bytes = ts_rows_known(rows, 1);
		if (ts_rows_bits(rows, 2, &id) == TS_VALUE_OK)
			code = door_of(&one->door, w, id, err);
	}
	ts_rows_close(rows);
	v->partial |= code == TS_E_DAMAGED;
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	for (size_t i = 0; !code && i < v->variables; i++)
		if (ts_op_variable(v, i)->door != TS_NO_OPERATION)
			code = belongs(&v->of_door, ts_op_variable(v, i)->door, i, w, err);
	return code ? code : sort_belongs(&v->of_door, w, err);
}

static enum ts_code
read_all(struct ts_operation_uses *v, struct climbing *w, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_uses_read(&v->uses, w->rd, w->cache, progress, &why);

	v->partial = code == TS_E_DAMAGED;
	if (code == TS_E_ABSENT) {
		snprintf(v->why, sizeof(v->why), "%.*s", (int)sizeof(v->why) - 1, why.msg);
		return TS_OK;
	}
	if (code && code != TS_E_DAMAGED) {
		if (err)
			*err = why;
		return code;
	}
	code = v->uses ? open_contexts(w, progress, err) : TS_OK;
	if (!code && v->uses)
		code = list_variables(v, w, err);
	if (!code && v->uses)
		code = list_programs(v, w, err);
	return code || !v->uses ? code : read_variables(v, w, err);
}

enum ts_code
ts_operation_uses_read(struct ts_operation_uses **out, struct ts_reader *rd,
	struct ts_operations *o, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_operation_uses *v = ts_alloc(1, sizeof(*v));
	struct climbing w = {.o = o, .rd = rd, .cache = cache};
	enum ts_code code;

	*out = NULL;
	if (!v)
		return ts_err_nomem(err);
	atomic_init(&v->holders, 1);
	v->ops = ts_operations_hold(o);
	code = read_all(v, &w, progress, err);
	fini_climbing(&w);
	if (code)
		ts_operation_uses_close(v);
	else
		*out = v;
	return code;
}

struct ts_operation_uses *
ts_operation_uses_hold(struct ts_operation_uses *v)
{
	if (v)
		atomic_fetch_add(&v->holders, 1);
	return v;
}

void
ts_operation_uses_close(struct ts_operation_uses *v)
{
	if (!v || atomic_fetch_sub(&v->holders, 1) > 1)
		return;
	ts_uses_close(v->uses);
	ts_pile_fini(&v->variable);
	ts_pile_fini(&v->of_program);
	ts_pile_fini(&v->of_door);
	ts_pile_fini(&v->programs);
	ts_operations_close(v->ops);
	free(v);
}

/* --- the operation of a variable -------------------------------------------------------------------- */

/* The first row of a relation whose column 0 is `key`: columns 1 .. as bits; *found false: there is none. */
static enum ts_code
row_of(bool *found, uint64_t *bits, bool *known, struct ts_reader *rd, enum ts_relation relation,
	const int *columns, int n, int64_t key, struct ts_err *err)
{
	bool by_key = ts_relation_def(relation)->key == columns[0];
	struct ts_rows_query q = {.column_count = n, .past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;

	*found = false;
	if (!ts_report_has(rd->report, relation) ||
		!ts_report_has_column(rd->report, relation, columns[0]))
		return TS_OK;
	memcpy(q.columns, columns, (size_t)n * sizeof(*columns));
	if (by_key) {
		q.range = TS_RANGE_KEY;
		q.from = key;
		q.to = key + 1;
	}
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	while (!code && !*found) {
		bool there;

		code = ts_rows_next(rows, &there, err);
		if (code || !there)
			break;
		*found = ts_rows_known(rows, 0) == key;
		for (int i = 1; *found && i < n; i++)
			known[i - 1] = ts_rows_bits(rows, i, &bits[i - 1]) == TS_VALUE_OK;
	}
	ts_rows_close(rows);
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* As the context of the row says. */
static enum ts_code
by_row(uint32_t *node, uint64_t *before, bool *has_before, struct climbing *w, int layer,
	enum ts_relation relation, const int *columns, int n, int64_t key, struct ts_err *err)
{
	uint64_t bits[2] = {0, 0};
	bool found, known[2] = {false, false};
	enum ts_code code = row_of(&found, bits, known, w->rd, relation, columns, n, key, err);

	if (!code && found && known[0])
		code = door_of(node, w, bits[0], err);
	*node = ts_op_up_to(w->o, *node, layer);
	*before = bits[1];
	*has_before = found && known[1];
	return code;
}

enum ts_code
ts_operation_of_variable(uint32_t *node, struct ts_reader *rd, const struct ts_operations *o,
	int64_t variable, bool lowered, int layer, const struct ts_cache *cache, struct ts_err *err)
{
	static const int said[] = {TS_OPERATION_VARIABLE_LOWERED_VARIABLE,
		TS_OPERATION_VARIABLE_OPERATION};
	static const int low[] = {TS_LOWERED_VARIABLE_ID, TS_LOWERED_VARIABLE_CONTEXT,
		TS_LOWERED_VARIABLE_VARIABLE};
	static const int high[] = {TS_VARIABLE_VARIABLE, TS_VARIABLE_CONTEXT};
	struct climbing w = {.o = o, .rd = rd, .cache = cache};
	uint64_t bits[1], before = (uint64_t)variable;
	bool found = false, known[1] = {false}, has_before = true;
	enum ts_code code = open_contexts(&w, NULL, err);

	*node = TS_NO_OPERATION;
	if (!code && lowered)
		code = row_of(&found, bits, known, rd, TS_OPERATION_VARIABLE, said, TS_COUNT(said),
			variable, err);
	if (!code && found && known[0])
		*node = ts_op_up_to(o, ts_operation_of_number(o, (int64_t)bits[0]), layer);
	if (!code && lowered && *node == TS_NO_OPERATION)
		code = by_row(node, &before, &has_before, &w, layer, TS_LOWERED_VARIABLE, low,
			TS_COUNT(low), variable, err);
	if (!code && has_before && *node == TS_NO_OPERATION && before <= (uint64_t)TS_NUMBER_MAX)
		code = by_row(node, &before, &has_before, &w, layer, TS_VARIABLE, high,
			TS_COUNT(high), (int64_t)before, err);
	fini_climbing(&w);
	return code;
}
