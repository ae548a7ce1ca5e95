/* SPDX-License-Identifier: MIT */
/*
 * program_below - a walk over all that can be reached, each node once, marked with a bit.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_below.h"

enum { CANCEL_NODES = 4096 };

/* What a sum is that did not fit, until all is added: no report has so much of anything. */
#define BEYOND INT64_MAX

/* *sum += v, where v is known; what would not fit stays so. */
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

void
ts_program_sums_none(struct ts_program_sums *s)
{
	*s = (struct ts_program_sums){.control_code = TS_UNKNOWN,
		.exchange_code = TS_UNKNOWN,
		.measured = TS_UNKNOWN,
		.estimated = TS_UNKNOWN,
		.steps = TS_UNKNOWN,
		.executed = TS_UNKNOWN,
		.live = TS_UNKNOWN};
}

void
ts_program_sums_add(struct ts_program_sums *s, const struct ts_program_cost *p, bool leaf)
{
	s->programs++;
	if (!p)
		return;
	if (leaf)
		add_known(&s->control_code, p->control_code);
	add_known(&s->exchange_code, p->exchange_code);
	add_known(&s->measured, p->measured.most);
	add_known(&s->estimated, p->estimated.most);
	add_known(&s->steps, p->steps);
	add_known(&s->executed, p->executed);
	s->live = ts_max_i64(s->live, p->live);
}

void
ts_program_sums_end(struct ts_program_sums *s)
{
	int64_t *const sums[] = {&s->control_code, &s->exchange_code, &s->measured, &s->estimated,
		&s->steps, &s->executed};

	for (size_t i = 0; i < TS_COUNT(sums); i++)
		if (*sums[i] == BEYOND)
			*sums[i] = TS_UNKNOWN;
}

static bool
mark(unsigned char *seen, uint32_t node)
{
	unsigned char bit = (unsigned char)(1U << node % 8);
	bool was = seen[node / 8] & bit;

	seen[node / 8] |= bit;
	return !was;
}

/* What walks share. */
struct walking {
	const struct ts_program_tree *t;
	const struct ts_program_costs *c;
	const struct ts_program_cost **cost; /* by node; NULL: they are looked up */
	unsigned char *seen;		     /* bits by node, zero between walks */
	struct ts_pile list; /* nodes in the order in which they were met: a queue */
	const struct ts_cancel *cancel;
};

static const struct ts_program_cost *
cost_of(const struct walking *w, uint32_t node)
{
	const struct ts_program_node *n = w->t->node.memory;

	return w->cost ? w->cost[node] : ts_program_costs_find(w->c, n[node].program);
}

static enum ts_code
walk(struct ts_program_sums *sums, struct walking *w, uint32_t start, size_t most,
	struct ts_err *err)
{
	const struct ts_program_node *node = w->t->node.memory;
	const uint32_t *child = w->t->child.memory;
	enum ts_code code;
	size_t n = 0;

	ts_program_sums_none(sums);
	w->list.used = 0;
	mark(w->seen, start);
	code = ts_pile_add(&w->list, &start, sizeof(start), NULL, err);
	for (size_t i = 0; !code && i * sizeof(start) < w->list.used; i++) {
		uint32_t at = ((uint32_t *)w->list.memory)[i];

		if (i % CANCEL_NODES == 0 && ts_cancelled(w->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (++n > most) {
			sums->cut = true;
			break;
		}
		ts_program_sums_add(sums, cost_of(w, at), node[at].edges == 0);
		for (uint32_t e = 0; !code && e < node[at].edges; e++) {
			uint32_t down = child[node[at].first_edge + e];

			if (mark(w->seen, down))
				code = ts_pile_add(&w->list, &down, sizeof(down), NULL, err);
		}
	}
	for (size_t i = 0; i * sizeof(start) < w->list.used; i++)
		w->seen[((uint32_t *)w->list.memory)[i] / 8] = 0;
	ts_program_sums_end(sums);
	return code;
}

enum ts_code
ts_program_below(struct ts_program_sums *sums, const struct ts_program_tree *t,
	const struct ts_program_costs *c, int64_t program, size_t most, unsigned char *seen,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct walking w = {.t = t, .c = c, .seen = seen, .cancel = cancel};
	uint32_t start = ts_program_tree_find(t, program);
	enum ts_code code;

	if (start == UINT32_MAX) { /* nothing calls it, and it calls nothing */
		ts_program_sums_none(sums);
		ts_program_sums_add(sums, ts_program_costs_find(c, program), true);
		ts_program_sums_end(sums);
		return TS_OK;
	}
	code = walk(sums, &w, start, most, err);
	ts_pile_fini(&w.list);
	return code;
}

/* Costs by node, looked up once. */
static enum ts_code
find_costs(struct ts_pile *cost, const struct ts_program_tree *t, const struct ts_program_costs *c,
	const struct ts_cache *cache, struct ts_err *err)
{
	const struct ts_program_node *node = t->node.memory;
	enum ts_code code = ts_pile_room(cost, (t->nodes + 1) * sizeof(struct ts_program_cost *),
		cache, err);

	for (size_t i = 0; !code && i < t->nodes; i++)
		((const struct ts_program_cost **)cost->memory)[i] = ts_program_costs_find(c,
			node[i].program);
	return code;
}

enum ts_code
ts_program_below_all(struct ts_pile *sums, const struct ts_program_tree *t,
	const struct ts_program_costs *c, size_t budget, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct walking w = {.t = t, .c = c, .cancel = cancel};
	struct ts_program_sums s;
	struct ts_pile seen = {0}, cost = {0};
	enum ts_code code = ts_pile_room(&seen, t->nodes / 8 + 1, cache, err);

	if (!code)
		code = find_costs(&cost, t, c, cache, err);
	if (!code)
		code = ts_pile_room(sums, t->nodes * sizeof(s), cache, err);
	w.seen = seen.memory;
	w.cost = cost.memory;
	for (uint32_t i = 0; !code && i < t->nodes; i++) {
		code = walk(&s, &w, i, budget, err);
		budget -= (size_t)ts_min_i64(s.programs, (int64_t)budget);
		if (s.cut)
			s.programs = TS_UNKNOWN;
		if (!code)
			code = ts_pile_add(sums, &s, sizeof(s), cache, err);
	}
	ts_pile_fini(&w.list);
	ts_pile_fini(&seen);
	ts_pile_fini(&cost);
	return code;
}

enum ts_code
ts_program_tree_flat(struct ts_program_tree **out, const struct ts_program_costs *c,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_program_tree *t = ts_alloc(1, sizeof(*t));
	const struct ts_program_cost *p = c->cost.memory;
	enum ts_code code = TS_OK;

	*out = NULL;
	if (!t)
		return ts_err_nomem(err);
	atomic_init(&t->uses, 1);
	for (; !code && t->nodes < c->count; t->nodes++) {
		struct ts_program_node node = {.program = p[t->nodes].program,
			.parent = UINT32_MAX,
			.root = UINT32_MAX};

		code = ts_pile_add(&t->node, &node, sizeof(node), cache, err);
	}
	if (code)
		ts_program_tree_close(t);
	else
		*out = t;
	return code;
}
