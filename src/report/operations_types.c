/* SPDX-License-Identifier: MIT */
/* operations_types - compute sets of operations, and the vertex types that these run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"

#include "operations_climb.h"

enum { LOOK = 1024 };

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
			ts_op_add_known(&s[kept - 1].sum, s[i].sum);
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

/*
 * Types that the same compute sets run are one kind: whoever runs one of them runs all, so that no sum tells them apart. Each
 * compute set parts the kinds that it runs some of from what it does not run of them.
 */
struct op_split {
	uint32_t set;  /* the last one that parted the kind, from 1 */
	uint32_t kind; /* of those that it runs */
};

static const uint32_t NUMBERED = UINT32_MAX;

/* The kind of each type, and how many there are. Pairs are of a compute set and a type. */
static enum ts_code
part_kinds(uint32_t *kind, uint32_t *kinds, struct op_making *k, struct ts_err *err)
{
	const struct op_pair *p = k->pairs.memory;
	struct op_split none = {0, 0}, *split;
	struct ts_pile splits = {0};
	enum ts_code code = ts_pile_add(&splits, &none, sizeof(none), k->cache, err);
	uint32_t n = 1;

	memset(kind, 0, k->types.count * sizeof(*kind));
	for (size_t i = 0; !code && i < k->pairs.used / sizeof(*p); i++) {
		split = (struct op_split *)splits.memory + kind[p[i].b];
		if (split->set != p[i].a + 1) {
			*split = (struct op_split){p[i].a + 1, n++};
			code = ts_pile_add(&splits, &none, sizeof(none), k->cache, err);
		}
		if (!code)
			kind[p[i].b] = ((struct op_split *)splits.memory)[kind[p[i].b]].kind;
		if (i % LOOK == 0 && ts_cancelled(k->rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	split = splits.memory;
	*kinds = 0;
	for (uint32_t t = 0; !code && t < k->types.count; t++) {
		if (split[kind[t]].set != NUMBERED)
			split[kind[t]] = (struct op_split){NUMBERED, (*kinds)++};
		kind[t] = split[kind[t]].kind;
	}
	ts_pile_fini(&splits);
	return code;
}

/* Kinds, how much code each is, and which of them compute sets run. */
static enum ts_code
keep_kinds(struct op_making *k, const uint32_t *kind, uint32_t kinds, const struct ts_pile *codes,
	struct ts_err *err)
{
	struct ts_pile *types = &k->o->pile[TS_OP_TYPES];
	struct ts_operation_type none = {TS_UNKNOWN, 0};
	struct op_pair *p = k->pairs.memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < kinds; i++)
		code = ts_pile_add(types, &none, sizeof(none), k->cache, err);
	for (uint32_t t = 0; !code && t < k->types.count; t++)
		ts_op_add_known(&((struct ts_operation_type *)types->memory)[kind[t]].code_bytes,
			sum_of(codes, (int64_t)ts_dictionary_at(&k->types, t)->key));
	for (size_t i = 0; i < k->pairs.used / sizeof(*p); i++)
		p[i].b = kind[p[i].b];
	return code ? code : sort_pairs(k, &k->pairs, err);
}

/* The vertex types that compute sets run, by kind. */
static enum ts_code
find_types(struct op_making *k, struct ts_err *err)
{
	static const int code_bytes[] = {TS_TILE_VERTEX_VERTEX_TYPE, TS_TILE_VERTEX_CODE_BYTES};
	static const int types[] = {TS_COMPUTE_SET_VERTEX_COMPUTE_SET,
		TS_COMPUTE_SET_VERTEX_VERTEX_TYPE};
	struct ts_operations *o = k->o;
	struct ts_operation_set *set = o->pile[TS_OP_SETS].memory;
	struct ts_pile codes = {0}, kind = {0};
	uint32_t kinds = 0;
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
	if (!code)
		code = ts_pile_room(&kind, (k->types.count + 1) * sizeof(uint32_t), k->cache, err);
	if (!code)
		code = part_kinds(kind.memory, &kinds, k, err);
	if (!code)
		code = keep_kinds(k, kind.memory, kinds, &codes, err);
	for (size_t i = 0; !code && i < k->pairs.used / sizeof(struct op_pair); i++) {
		const struct op_pair *p = (const struct op_pair *)k->pairs.memory + i;

		if (set[p->a].types++ == 0)
			set[p->a].first = (uint32_t)i;
		code = ts_pile_add(&o->pile[TS_OP_RUNS], &p->b, sizeof(p->b), k->cache, err);
	}
	ts_pile_fini(&codes);
	ts_pile_fini(&kind);
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
count_pairs(struct op_climbing *c, const char *items, size_t size, op_add add, op_add alone,
	struct ts_err *err)
{
	struct ts_pile *pairs = &c->k->pairs;
	enum ts_code code = sort_pairs(c->k, pairs, err);
	const struct op_pair *p = pairs->memory;
	size_t n = pairs->used / sizeof(*p);

	for (size_t i = 0, end; !code && i < n; i = end) {
		const void *item = items + p[i].a * size;

		ts_op_next_item(c);
		for (end = i; !code && end < n && p[end].a == p[i].a; end++)
			code = ts_op_next_program(c, p[end].b, add, item, err);
		if (!code)
			ts_op_end_item(c, add, alone, item);
	}
	ts_pile_fini(pairs);
	return code;
}

enum ts_code
ts_op_count_sets(struct op_climbing *c, struct ts_err *err)
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

/* How many programs run each kind. */
static enum ts_code
count_runners(struct op_making *k, struct ts_err *err)
{
	struct ts_operations *o = k->o;
	const struct ts_operation_program *program = o->pile[TS_OP_PROGRAMS].memory;
	const struct ts_operation_set *set = o->pile[TS_OP_SETS].memory;
	struct ts_operation_type *type = o->pile[TS_OP_TYPES].memory;
	const uint32_t *run = o->pile[TS_OP_RUNS].memory;
	size_t sets = o->pile[TS_OP_SETS].used / sizeof(*set);
	struct ts_pile programs = {0};
	enum ts_code code = ts_pile_room(&programs, (sets + 1) * sizeof(uint32_t), k->cache, err);
	uint32_t *of = programs.memory;

	if (code)
		return code;
	memset(of, 0, sets * sizeof(*of));
	for (uint32_t i = 0; i < o->costs->count; i++)
		if (program[i].set != TS_NO_OPERATION)
			of[program[i].set]++;
	for (size_t i = 0; i < sets; i++)
		for (uint32_t j = 0; j < set[i].types; j++)
			type[run[set[i].first + j]].programs += of[i];
	ts_pile_fini(&programs);
	return TS_OK;
}

/* Each kind climbs with all programs that run it, as long as there are not too many. */
enum ts_code
ts_op_count_types(struct op_climbing *c, struct ts_err *err)
{
	struct op_making *k = c->k;
	struct ts_operations *o = k->o;
	const struct ts_operation_program *program = o->pile[TS_OP_PROGRAMS].memory;
	enum ts_code code = find_types(k, err);
	const struct ts_operation_set *set = o->pile[TS_OP_SETS].memory;
	const uint32_t *run = o->pile[TS_OP_RUNS].memory;

	if (!code)
		code = count_runners(k, err);
	for (uint32_t i = 0; !code && i < o->costs->count; i++) {
		const struct ts_operation_set *s = program[i].set == TS_NO_OPERATION
			? NULL
			: &set[program[i].set];
		size_t room = TS_OPERATION_ROWS - k->pairs.used / sizeof(struct op_pair);
		uint32_t types = !s ? 0 : s->types < room ? s->types : (uint32_t)room;

		o->left_out += s ? s->types - types : 0;
		for (uint32_t j = 0; !code && j < types; j++) {
			struct op_pair p = {run[s->first + j], i};

			if (j % LOOK == 0 && ts_cancelled(k->rd->cancel))
				return ts_err_set(err, TS_E_CANCELLED, "cancelled");
			code = ts_pile_add(&k->pairs, &p, sizeof(p), k->cache, err);
		}
	}
	return code ? code
		    : count_pairs(c, o->pile[TS_OP_TYPES].memory, sizeof(struct ts_operation_type),
			      add_type, add_alone, err);
}
