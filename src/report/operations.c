/* SPDX-License-Identifier: MIT */
/*
 * operations - see the header. Reading: what programs, compute sets and recorded operations say of themselves; then the
 * forest (operations_forest.c), then what everything comes to (operations_figures.c). Looking up is below.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/frames.h"
#include "tilescope/report/index_operations.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/target.h"

#include "operations_internal.h"

enum { PROGRESS_ROWS = 8192 };

/* --- rows ------------------------------------------------------------------------------------------- */

enum ts_code
ts_op_each(struct op_making *k, enum ts_relation relation, const int *columns, int n,
	enum ts_code (*each)(struct op_making *k, struct ts_rows *rows, struct ts_err *err),
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = n, .past_damage = true};
	const struct ts_reach *reach = &k->rd->report->binding[relation].reach;
	struct ts_rows *rows;
	enum ts_code code;
	int64_t seen = 0;
	bool there;

	if (!ts_report_has(k->rd->report, relation))
		return TS_OK;
	memcpy(q.columns, columns, (size_t)n * sizeof(*columns));
	code = ts_reader_rows(&rows, k->rd, relation, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(k->progress, seen, ts_reach_span(reach));
		code = each(k, rows, err);
	}
	ts_rows_close(rows);
	k->o->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

uint32_t
ts_op_place(const struct ts_program_costs *c, int64_t program)
{
	const struct ts_program_cost *p = ts_program_costs_find(c, program);

	return p ? (uint32_t)(p - (const struct ts_program_cost *)c->cost.memory) : UINT32_MAX;
}

static enum ts_code
take_text(int32_t *to, struct op_making *k, struct ts_rows *rows, int column, struct ts_err *err)
{
	const char *s;
	uint32_t entry;
	size_t n;
	enum ts_code code;

	*to = TS_DICTIONARY_NONE;
	if (ts_rows_text(rows, column, &s, &n) != TS_VALUE_OK || n == 0)
		return TS_OK;
	n = n < TS_OPERATION_TEXT ? n : TS_OPERATION_TEXT;
	code = ts_dictionary_text(&k->texts, &entry, s, n, err);
	if (!code && entry <= INT32_MAX)
		*to = (int32_t)entry;
	return code;
}

/* Column `column` is a context, the next one a name. */
static enum ts_code
take_says(struct op_program *p, struct op_making *k, struct ts_rows *rows, int column,
	struct ts_err *err)
{
	uint64_t id;
	enum ts_code code = take_text(&p->name, k, rows, column + 1, err);

	p->context = TS_NO_OPERATION;
	if (!code && ts_rows_bits(rows, column, &id) == TS_VALUE_OK)
		code = ts_op_context(&p->context, k, id, err);
	if (!code && p->context != TS_NO_OPERATION && !ts_op_context_at(k, p->context)->found)
		p->context = TS_NO_OPERATION;
	k->o->has_contexts |= !code && p->context != TS_NO_OPERATION;
	return code;
}

static enum ts_code
take_set(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_set_context s = {.set = ts_rows_known(rows, 0)};
	enum ts_code code;

	if (s.set == TS_UNKNOWN)
		return TS_OK;
	code = take_says(&s.says, k, rows, 1, err);
	return code ? code : ts_pile_add(&k->sets, &s, sizeof(s), k->cache, err);
}

/* Of rows with the same number the first counts, as in the costs. */
static enum ts_code
take_program(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t program = ts_rows_known(rows, 0);
	uint32_t place = program == TS_UNKNOWN ? UINT32_MAX : ts_op_place(k->o->costs, program);
	struct op_program *p = place == UINT32_MAX ? NULL
						   : (struct op_program *)k->program.memory + place;

	if (!p || p->name != INT32_MIN)
		return TS_OK;
	return take_says(p, k, rows, 1, err);
}

static int
by_set(const void *a, const void *b)
{
	const struct op_set_context *x = a, *y = b;

	return (x->set > y->set) - (x->set < y->set);
}

/* What the compute set of a program says, where the program itself does not. */
static void
take_from_sets(struct op_making *k)
{
	const struct ts_program_cost *cost = k->o->costs->cost.memory;
	size_t sets = k->sets.used / sizeof(struct op_set_context);

	for (size_t i = 0; i < k->o->costs->count; i++) {
		struct op_program *p = (struct op_program *)k->program.memory + i;
		struct op_set_context wanted = {.set = cost[i].compute_set};
		const struct op_set_context *s = sets == 0 || wanted.set == TS_UNKNOWN
			? NULL
			: bsearch(&wanted, k->sets.memory, sets, sizeof(wanted), by_set);

		if (p->name == INT32_MIN)
			p->name = TS_DICTIONARY_NONE;
		if (s && p->context == TS_NO_OPERATION)
			p->context = s->says.context;
		if (s && p->name == TS_DICTIONARY_NONE)
			p->name = s->says.name;
	}
}

static enum ts_code
read_programs(struct op_making *k, struct ts_err *err)
{
	static const int set[] = {TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_CONTEXT,
		TS_COMPUTE_SET_NAME};
	static const int program[] = {TS_PROGRAM_PROGRAM, TS_PROGRAM_CONTEXT, TS_PROGRAM_NAME};
	struct op_program none = {TS_NO_OPERATION, INT32_MIN};
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < k->o->costs->count; i++)
		code = ts_pile_add(&k->program, &none, sizeof(none), k->cache, err);
	if (!code)
		code = ts_op_each(k, TS_COMPUTE_SET, set, TS_COUNT(set), take_set, err);
	if (!code)
		code = ts_pile_sort(&k->sets, k->sets.used / sizeof(struct op_set_context),
			sizeof(struct op_set_context), by_set, k->cache, k->rd->cancel, err);
	if (!code)
		code = ts_op_each(k, TS_PROGRAM, program, TS_COUNT(program), take_program, err);
	if (!code)
		take_from_sets(k);
	return code;
}

/* --- recorded operations ---------------------------------------------------------------------------- */

static enum ts_code
take_operation(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_row r = {.operation = ts_rows_known(rows, 0),
		.first = ts_rows_known(rows, 5),
		.last = ts_rows_known(rows, 6),
		.context = TS_NO_OPERATION,
		.node = TS_NO_OPERATION};
	uint64_t id;
	enum ts_code code;

	if (r.operation == TS_UNKNOWN) {
		k->o->bad_rows++;
		return TS_OK;
	}
	if (k->rows == TS_OPERATIONS_MAX) {
		k->o->left_out++;
		return TS_OK;
	}
	code = take_text(&r.layer, k, rows, 1, err);
	if (!code)
		code = take_text(&r.name, k, rows, 2, err);
	if (!code)
		code = take_text(&r.debug_name, k, rows, 3, err);
	if (!code && ts_rows_bits(rows, 4, &id) == TS_VALUE_OK)
		code = ts_op_context(&r.context, k, id, err);
	if (!code)
		code = ts_pile_add(&k->row, &r, sizeof(r), k->cache, err);
	k->rows += !code;
	return code;
}

static int
by_number(const void *a, const void *b)
{
	const struct op_row *x = a, *y = b;

	return (x->operation > y->operation) - (x->operation < y->operation);
}

/* By number; of equal ones the first row counts. */
static enum ts_code
read_operations(struct op_making *k, struct ts_err *err)
{
	static const int columns[] = {TS_OPERATION_OPERATION, TS_OPERATION_LAYER, TS_OPERATION_NAME,
		TS_OPERATION_DEBUG_NAME, TS_OPERATION_CONTEXT, TS_OPERATION_FIRST_STEP,
		TS_OPERATION_LAST_STEP};
	enum ts_code code = ts_op_each(k, TS_OPERATION, columns, TS_COUNT(columns), take_operation,
		err);
	size_t n = 0;

	if (!code)
		code = ts_pile_sort(&k->row, k->rows, sizeof(struct op_row), by_number, k->cache,
			k->rd->cancel, err);
	for (size_t i = 0; !code && i < k->rows; i++)
		if (n == 0 || ts_op_row_at(k, n - 1)->operation != ts_op_row_at(k, i)->operation)
			*ts_op_row_at(k, n++) = *ts_op_row_at(k, i);
	k->o->bad_rows += (int64_t)(k->rows - n);
	k->rows = n;
	k->o->recorded = ts_report_has(k->rd->report, TS_OPERATION);
	return code;
}

const struct op_row *
ts_op_row_find(const struct op_making *k, int64_t operation)
{
	struct op_row wanted = {.operation = operation};

	return k->rows == 0 ? NULL
			    : bsearch(&wanted, k->row.memory, k->rows, sizeof(wanted), by_number);
}

/* --- reading ---------------------------------------------------------------------------------------- */

/* Nodes with something of their own, by layer. */
static enum ts_code
list_layers(struct op_making *k, struct ts_err *err)
{
	struct ts_operations *o = k->o;
	const struct ts_operation *node = o->pile[TS_OP_NODES].memory;
	struct ts_operation_layer *layer = o->pile[TS_OP_LAYERS].memory;
	uint64_t at = 0;
	enum ts_code code;
	uint32_t *list;

	for (uint32_t i = 0; i < o->count; i++)
		layer[node[i].layer].count += ts_operation_has_own(&node[i]);
	for (uint32_t i = 0; i < o->layers; i++) {
		layer[i].first = at;
		at += layer[i].count;
		layer[i].count = 0;
	}
	code = ts_pile_room(&o->pile[TS_OP_IN_LAYER], (at + 1) * sizeof(*list), k->cache, err);
	if (code)
		return code;
	list = o->pile[TS_OP_IN_LAYER].memory;
	o->pile[TS_OP_IN_LAYER].used = at * sizeof(*list);
	for (uint32_t i = 0; i < o->count; i++) {
		struct ts_operation_layer *l = &layer[node[i].layer];

		if (ts_operation_has_own(&node[i]))
			list[l->first + l->count++] = i;
	}
	return TS_OK;
}

static enum ts_code
put_texts(struct op_making *k, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < k->texts.count; i++) {
		const struct ts_dictionary_entry *e = ts_dictionary_at(&k->texts, i);
		struct ts_operation_text t = {e->at, e->n};

		code = ts_pile_add(&k->o->pile[TS_OP_TEXTS], &t, sizeof(t), k->cache, err);
	}
	k->o->pile[TS_OP_BYTES] = k->texts.text;
	k->texts.text = (struct ts_pile){0};
	k->o->pile[TS_OP_OWN] = k->own;
	k->o->pile[TS_OP_OWN].used = k->owns * sizeof(struct ts_operation_own);
	k->own = (struct ts_pile){0};
	return code;
}

static void
lend(struct ts_operations *o)
{
	o->node = o->pile[TS_OP_NODES].memory;
	o->layer = o->pile[TS_OP_LAYERS].memory;
	o->in_layer = o->pile[TS_OP_IN_LAYER].memory;
	o->own = o->pile[TS_OP_OWN].memory;
	o->program = o->pile[TS_OP_PROGRAMS].memory;
	o->set = o->pile[TS_OP_SETS].memory;
	o->run = o->pile[TS_OP_RUNS].memory;
	o->type = o->pile[TS_OP_TYPES].memory;
	o->text = o->pile[TS_OP_TEXTS].memory;
	o->bytes = o->pile[TS_OP_BYTES].memory;
	o->in_layers = o->pile[TS_OP_IN_LAYER].used / sizeof(*o->in_layer);
	o->owns = o->pile[TS_OP_OWN].used / sizeof(*o->own);
	o->runs = o->pile[TS_OP_RUNS].used / sizeof(*o->run);
	o->sets = (uint32_t)(o->pile[TS_OP_SETS].used / sizeof(*o->set));
	o->types = (uint32_t)(o->pile[TS_OP_TYPES].used / sizeof(*o->type));
	o->texts = (uint32_t)(o->pile[TS_OP_TEXTS].used / sizeof(*o->text));
	o->text_bytes = o->pile[TS_OP_BYTES].used;
}

static enum ts_code
read_honesty(struct ts_honesty *h, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_about about;
	struct ts_target target;
	struct ts_err why = {0};
	enum ts_code code = ts_about_read(&about, rd, &why);

	*h = ts_honesty_unknown();
	if (code == TS_E_NOMEM || code == TS_E_CANCELLED)
		return ts_err_set(err, code, "%s", why.msg);
	if (code)
		return TS_OK;
	code = ts_target_of(&target, rd, err);
	if (!code)
		ts_honesty_of(h, &about, target.replicas, TS_UNKNOWN);
	return code;
}

static void
fini_making(struct op_making *k)
{
	ts_context_steps_close(&k->steps);
	ts_context_step_fini(&k->one);
	ts_dictionary_fini(&k->texts);
	ts_dictionary_fini(&k->ids);
	ts_dictionary_fini(&k->types);
	ts_pile_fini(&k->context);
	ts_pile_fini(&k->row);
	ts_pile_fini(&k->program);
	ts_pile_fini(&k->raw);
	ts_pile_fini(&k->own);
	ts_pile_fini(&k->sets);
	ts_pile_fini(&k->sums);
	ts_pile_fini(&k->pairs);
}

static enum ts_code
make(struct op_making *k, struct ts_err *err)
{
	enum ts_code code = ts_context_steps_open(&k->steps, k->rd, k->cache, k->progress, err);

	ts_context_step_init(&k->one, TS_OPERATION_TEXT);
	if (!code && k->steps.debug) {
		k->o->in_debug = true;
		k->o->debug = k->steps.debug->identity;
	}
	if (!code)
		code = read_honesty(&k->o->honesty, k->rd, err);
	if (!code)
		code = read_programs(k, err);
	if (!code)
		code = read_operations(k, err);
	if (!code)
		code = ts_op_forest(k, err);
	if (!code)
		code = ts_op_figures(k, err);
	if (!code)
		code = list_layers(k, err);
	if (!code)
		code = put_texts(k, err);
	fini_making(k);
	if (!code)
		lend(k->o);
	return code;
}

enum ts_code
ts_operations_read(struct ts_operations **out, struct ts_reader *rd, const struct ts_cache *cache,
	bool trace, struct ts_progress *progress, struct ts_err *err)
{
	struct op_making k = {.rd = rd,
		.cache = cache,
		.progress = progress,
		.trace = trace,
		.texts = {.cache = cache},
		.ids = {.cache = cache, .numbers = true}};
	struct ts_operations *o = ts_alloc(1, sizeof(*o));
	struct ts_err why;
	enum ts_code code;

	*out = NULL;
	if (!o)
		return ts_err_nomem(err);
	atomic_init(&o->uses, 1);
	code = ts_program_costs_read(&o->costs, rd, cache, trace, progress, err);
	if (!code && o->costs->traced && ts_operations_kept(o, rd, cache)) {
		code = ts_op_share(o, cache, rd->cancel, err);
		if (code)
			ts_operations_close(o);
		else
			*out = o;
		return code;
	}
	k.o = o;
	k.trace |= !code && o->costs->traced;
	if (!code)
		code = make(&k, err);
	if (!code && o->count == 0)
		code = ts_err_set(err, TS_E_ABSENT,
			"no operation is recorded, and no program says a debug context or a name of parts");
	if (!code)
		code = ts_op_share(o, cache, rd->cancel, err);
	if (!code) {
		o->traced = o->costs->traced;
		o->partial |= o->costs->partial;
	}
	if (!code && o->traced && !o->partial && cache && cache->dir &&
		ts_operations_keep(rd, cache, o, &why) == TS_E_CANCELLED)
		code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (code)
		ts_operations_close(o);
	else
		*out = o;
	return code;
}

struct ts_operations *
ts_operations_hold(struct ts_operations *o)
{
	atomic_fetch_add(&o->uses, 1);
	return o;
}

void
ts_operations_close(struct ts_operations *o)
{
	if (!o || atomic_fetch_sub(&o->uses, 1) > 1)
		return;
	for (size_t i = 0; i < TS_COUNT(o->pile); i++)
		ts_pile_fini(&o->pile[i]);
	ts_pile_fini(&o->shared_pile);
	ts_program_costs_close(o->costs);
	ts_index_release(o->index);
	free(o);
}

/* --- texts ------------------------------------------------------------------------------------------ */

static const char *
text_of(size_t *n, const struct ts_operations *o, int32_t text)
{
	*n = 0;
	if (text == TS_DICTIONARY_NONE)
		return NULL;
	*n = (size_t)o->text[text].n;
	return o->bytes + o->text[text].at;
}

const char *
ts_operation_name(size_t *n, const struct ts_operations *o, uint32_t i)
{
	static const char none[] = "(no name)";
	const char *s = text_of(n, o, o->node[i].name);

	if (s)
		return s;
	*n = sizeof(none) - 1;
	return none;
}

const char *
ts_operation_debug_name(size_t *n, const struct ts_operations *o, uint32_t i)
{
	return text_of(n, o, o->node[i].debug_name);
}

const char *
ts_operation_layer_name(size_t *n, const struct ts_operations *o, uint32_t layer)
{
	const struct ts_operation_layer *l = &o->layer[layer];
	const char *s = text_of(n, o, l->name);

	if (s)
		return s;
	s = l->from == TS_OPERATION_BY_NAME ? "names" : "(no layer)";
	*n = strlen(s);
	return s;
}

const char *
ts_operation_from_word(enum ts_operation_from from)
{
	static const char *const word[] = {
		[TS_OPERATION_IS_RECORDED] = "recorded",
		[TS_OPERATION_BY_CONTEXT] = "from contexts",
		[TS_OPERATION_BY_NAME] = "from names",
	};

	return word[from];
}

void
ts_operation_path(struct ts_strbuf *out, const struct ts_operations *o, uint32_t i)
{
	uint32_t way[2 * TS_OPERATION_LEVELS + 2];
	struct ts_frame_parts parts = {0};
	int depth = 0;

	for (; i != TS_NO_OPERATION && depth < (int)TS_COUNT(way); i = o->node[i].parent)
		way[depth++] = i;
	while (depth-- > 0) {
		size_t n;
		const char *s = text_of(&n, o, o->node[way[depth]].name);
		const char *debug = ts_operation_debug_name(&n, o, way[depth]);

		if (!debug)
			s = ts_operation_name(&n, o, way[depth]);
		if (o->node[way[depth]].from != TS_OPERATION_BY_NAME)
			ts_frame_parts_add(&parts, debug ? debug : s, n);
		else if (parts.n < (int)TS_COUNT(parts.part))
			parts.part[parts.n++] = (struct ts_frame_part){s, n};
	}
	ts_strbuf_reset(out);
	for (int k = 0; k < parts.n; k++) {
		if (k > 0)
			ts_strbuf_putc(out, '/');
		ts_strbuf_add(out, parts.part[k].s, parts.part[k].n);
	}
}

/* --- who is whose ----------------------------------------------------------------------------------- */

size_t
ts_op_first_own(const struct ts_operations *o, uint32_t program)
{
	size_t low = 0, high = (size_t)o->owns;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->own[middle].program < program)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t
ts_operation_of_program(const struct ts_operations *o, int64_t program, int layer)
{
	uint32_t place = ts_op_place(o->costs, program), best = TS_NO_OPERATION;

	if (place == UINT32_MAX)
		return TS_NO_OPERATION;
	for (size_t i = ts_op_first_own(o, place); i < o->owns && o->own[i].program == place; i++) {
		uint32_t at = o->own[i].node, of = ts_op_up_to(o, at, layer);

		if (of == TS_NO_OPERATION ||
			(layer >= 0 && o->node[of].programs_said && !(o->own[i].said && of == at)))
			continue;
		if (best == TS_NO_OPERATION ||
			(layer < 0 && o->node[of].depth > o->node[best].depth))
			best = of;
	}
	return best;
}

uint32_t
ts_operation_of_context(const struct ts_operations *o, int64_t context, int layer)
{
	uint32_t i = 0;

	while (i < o->count && !(o->node[i].has_context && o->node[i].context == context))
		i++;
	if (i == o->count)
		return TS_NO_OPERATION;
	/* a recorded operation of another layer stands below the node of its context, alone */
	if (o->node[i].from == TS_OPERATION_BY_CONTEXT && o->node[i].end > i + 1 &&
		o->node[i + 1].has_context && o->node[i + 1].context == context)
		i++;
	return ts_op_up_to(o, i, layer);
}

uint32_t
ts_operation_of_number(const struct ts_operations *o, int64_t operation)
{
	for (uint32_t i = 0; operation != TS_UNKNOWN && i < o->count; i++)
		if (o->node[i].operation == operation)
			return i;
	return TS_NO_OPERATION;
}

uint32_t
ts_operation_of_compute_set(const struct ts_operations *o, int64_t set, int layer)
{
	const struct ts_program_cost *cost = o->costs->cost.memory;

	for (size_t i = 0; set != TS_UNKNOWN && i < o->costs->count; i++)
		if (cost[i].compute_set == set)
			return ts_operation_of_program(o, cost[i].program, layer);
	return TS_NO_OPERATION;
}
