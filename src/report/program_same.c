/* SPDX-License-Identifier: MIT */
/*
 * program_same - see the header. Vertex types of the compute set, then the compute sets that have one of these, then the programs
 * of these: two short sorted lists.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_same.h"
#include "tilescope/report/rows.h"

enum { ROWS_BY_SAME = TS_SAME_SET | TS_SAME_CONTEXT | TS_SAME_VERTEX };

static int
by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ascending numbers, each perhaps several times. */
static bool
is_in(const struct ts_pile *p, int64_t v)
{
	return p->used > 0 &&
		bsearch(&v, p->memory, p->used / sizeof(v), sizeof(v), by_number) != NULL;
}

static enum ts_code
sort_numbers(struct ts_pile *p, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_err *err)
{
	return ts_pile_sort(p, p->used / sizeof(int64_t), sizeof(int64_t), by_number, cache,
		rd->cancel, err);
}

/*
 * Column `give` of the rows of compute_set_vertex: those of compute set `of`, or (TS_UNKNOWN) those whose vertex type is
 * in `types`.
 */
static enum ts_code
read_numbers(struct ts_pile *out, struct ts_reader *rd, int64_t of, const struct ts_pile *types,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_COMPUTE_SET_VERTEX_COMPUTE_SET,
					  TS_COMPUTE_SET_VERTEX_VERTEX_TYPE},
		.column_count = 2,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (of != TS_UNKNOWN) {
		q.range = TS_RANGE_KEY;
		q.from = of;
		q.to = of + 1;
	}
	code = ts_reader_rows(&rows, rd, TS_COMPUTE_SET_VERTEX, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t set = ts_rows_known(rows, 0), type = ts_rows_known(rows, 1);

		if (set == TS_UNKNOWN || type == TS_UNKNOWN)
			continue;
		if (of != TS_UNKNOWN)
			code = ts_pile_add(out, &type, sizeof(type), cache, err);
		else if (is_in(types, type))
			code = ts_pile_add(out, &set, sizeof(set), cache, err);
	}
	ts_rows_close(rows);
	return code;
}

/* Compute sets with a vertex of a type that `set` has, too. */
static enum ts_code
read_sets(struct ts_pile *sets, struct ts_program_same *s, struct ts_reader *rd, int64_t set,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_pile types = {0};
	enum ts_code code, damage = TS_OK;

	if (set == TS_UNKNOWN || !ts_report_has(rd->report, TS_COMPUTE_SET_VERTEX))
		return TS_OK;
	code = read_numbers(&types, rd, set, NULL, cache, err);
	if (code == TS_E_DAMAGED)
		damage = code;
	if (!code || damage)
		code = sort_numbers(&types, rd, cache, err);
	if (!code && types.used > 0)
		code = read_numbers(sets, rd, TS_UNKNOWN, &types, cache, err);
	if (code == TS_E_DAMAGED)
		damage = code;
	if (!code || damage)
		code = sort_numbers(sets, rd, cache, err);
	ts_pile_fini(&types);
	s->partial |= damage != TS_OK;
	return code;
}

static unsigned
shared(const struct ts_program_cost *a, const struct ts_program_cost *b, const struct ts_pile *sets)
{
	unsigned same = 0;

	if (a->compute_set != TS_UNKNOWN && a->compute_set == b->compute_set)
		same |= TS_SAME_SET;
	if (a->context != TS_UNKNOWN && a->context == b->context)
		same |= TS_SAME_CONTEXT;
	if (b->compute_set != TS_UNKNOWN && is_in(sets, b->compute_set))
		same |= TS_SAME_VERTEX;
	return same;
}

/* The lowest bit first: a compute set says more than a context, this more than a vertex. */
static int
by_same(const void *a, const void *b)
{
	const struct ts_program_same_row *x = a, *y = b;
	unsigned p = x->same & -x->same, q = y->same & -y->same;

	if (p != q)
		return p < q ? -1 : 1;
	return (x->cost->program > y->cost->program) - (x->cost->program < y->cost->program);
}

enum ts_code
ts_program_same_read(struct ts_program_same *s, struct ts_reader *rd,
	const struct ts_program_costs *c, int64_t program, const struct ts_cache *cache,
	struct ts_err *err)
{
	const struct ts_program_cost *all = c->cost.memory, *of = ts_program_costs_find(c, program);
	struct ts_pile sets = {0};
	enum ts_code code;

	*s = (struct ts_program_same){.program = program};
	if (!of)
		return TS_OK;
	code = read_sets(&sets, s, rd, of->compute_set, cache, err);
	for (size_t i = 0; !code && i < c->count; i++) {
		struct ts_program_same_row row = {&all[i], shared(of, &all[i], &sets)};

		if (!(row.same & ROWS_BY_SAME) || row.cost == of)
			continue;
		s->count++;
		s->with_set += (row.same & TS_SAME_SET) != 0;
		s->with_context += (row.same & TS_SAME_CONTEXT) != 0;
		s->with_vertex += (row.same & TS_SAME_VERTEX) != 0;
		code = ts_pile_add(&s->row, &row, sizeof(row), cache, err);
	}
	if (!code)
		code = ts_pile_sort(&s->row, (size_t)s->count, sizeof(struct ts_program_same_row),
			by_same, cache, rd->cancel, err);
	ts_pile_fini(&sets);
	return code;
}

void
ts_program_same_fini(struct ts_program_same *s)
{
	ts_pile_fini(&s->row);
	*s = (struct ts_program_same){0};
}
