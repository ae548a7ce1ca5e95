/* SPDX-License-Identifier: MIT */
/*
 * operation_groups - see the header. Each program climbs from its nodes and is put down for the groups it comes to; what was
 * put down is sorted, and added up group by group.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operation_groups.h"

#include "operations_internal.h"

enum { LOOK = 4096, PATH = TS_PATTERN_TEXT };

/* Looks at vertex types that compute sets of groups run, by kind: beyond, the code of what is left is not known. */
enum { LOOKS_MOST = TS_OPERATION_ROWS };

/* A program of a group. */
struct member {
	uint32_t group, program;
};

static int
by_member(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->program > y->program) - (x->program < y->program);
}

/* A compute set, or a kind of vertex types: in which sum it was met last, and how many programs of that run it. */
struct sight {
	uint32_t epoch, programs;
};

struct grouping {
	const struct ts_operations *o;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
	struct ts_pile group;  /* uint32_t, by node; TS_NO_OPERATION: in none */
	struct ts_pile member; /* struct member, each once */
	size_t members;
	struct ts_pile seen; /* struct sight: of compute sets, then of kinds */
	struct ts_pile met;  /* uint32_t: compute sets of the sum under way */
	uint32_t epoch;
	size_t looks; /* at vertex types, in all */
};

static void
fini(struct grouping *g)
{
	ts_pile_fini(&g->group);
	ts_pile_fini(&g->member);
	ts_pile_fini(&g->seen);
	ts_pile_fini(&g->met);
}

static enum ts_code
begin(struct grouping *g, struct ts_err *err)
{
	size_t nodes = (size_t)g->o->count + 1;
	size_t seen = ((size_t)g->o->sets + g->o->types + 1) * sizeof(struct sight);
	enum ts_code code = ts_pile_room(&g->group, nodes * sizeof(uint32_t), g->cache, err);

	if (!code)
		code = ts_pile_room(&g->seen, seen, g->cache, err);
	if (!code) {
		memset(g->group.memory, 0xff, nodes * sizeof(uint32_t));
		memset(g->seen.memory, 0, seen);
	}
	return code;
}

/* --- who is in which group -------------------------------------------------------------------------- */

/* All that is marked may be one group: a program that comes to it again and again on one way is put down once. */
static enum ts_code
climb(struct grouping *g, const struct ts_operation_own *own, bool below, struct ts_err *err)
{
	const struct ts_operation *node = g->o->node;
	const uint32_t *group = g->group.memory;
	uint32_t last = TS_NO_OPERATION;
	uint64_t layers = 0;
	enum ts_code code = TS_OK;

	for (uint32_t at = own->node; !code && at != TS_NO_OPERATION; at = node[at].parent) {
		bool counts = ts_op_counts_in(g->o, own, at, &layers);
		struct member m = {group[at], own->program};

		if (m.group == TS_NO_OPERATION || m.group == last || !(below || counts))
			continue;
		last = m.group;
		code = ts_pile_add(&g->member, &m, sizeof(m), g->cache, err);
	}
	return code;
}

static enum ts_code
find_members(struct grouping *g, bool below, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct member *m;
	size_t n, kept = 0;

	for (uint64_t i = 0; !code && i < g->o->owns; i++) {
		if (i % LOOK == 0 && ts_cancelled(g->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = climb(g, &g->o->own[i], below, err);
	}
	n = g->member.used / sizeof(*m);
	if (!code)
		code = ts_pile_sort(&g->member, n, sizeof(*m), by_member, g->cache, g->cancel, err);
	m = g->member.memory;
	for (size_t i = 0; !code && i < n; i++)
		if (kept == 0 || by_member(&m[kept - 1], &m[i]) != 0)
			m[kept++] = m[i];
	g->members = kept;
	return code;
}

/* --- what a group comes to -------------------------------------------------------------------------- */

static enum ts_code
look(struct grouping *g, size_t at, struct ts_err *err)
{
	return at % LOOK == 0 && ts_cancelled(g->cancel)
		? ts_err_set(err, TS_E_CANCELLED, "cancelled")
		: TS_OK;
}

/* What a compute set runs that so many programs of the sum have. */
static enum ts_code
add_types(struct ts_operation_figures *f, struct grouping *g, const struct ts_operation_set *s,
	uint32_t programs, struct ts_err *err)
{
	struct sight *seen = (struct sight *)g->seen.memory + g->o->sets;
	enum ts_code code = TS_OK;

	if (s->types > LOOKS_MOST - g->looks) {
		f->vertex_code = f->vertex_alone = TS_OP_BEYOND;
		return TS_OK;
	}
	for (uint32_t i = 0; !code && i < s->types; i++) {
		uint32_t t = g->o->run[s->first + i];

		code = look(g, g->looks++, err);
		if (seen[t].epoch != g->epoch) {
			seen[t] = (struct sight){g->epoch, 0};
			ts_op_figures_type(f, &g->o->type[t], false);
		}
		seen[t].programs += programs;
		if (seen[t].programs == g->o->type[t].programs)
			ts_op_figures_type(f, &g->o->type[t], true);
	}
	return code;
}

/*
 * All but variables and recorded steps: of members [from, to). Programs first, which says how many of them have each compute set;
 * then what these run, so that each compute set is looked into once, however many programs have it.
 */
static enum ts_code
add_members(struct ts_operation_figures *f, struct grouping *g, size_t from, size_t to,
	struct ts_err *err)
{
	const struct ts_program_cost *cost = g->o->costs->cost.memory;
	const struct member *m = g->member.memory;
	struct sight *seen = g->seen.memory;
	enum ts_code code = TS_OK;

	g->epoch++;
	g->met.used = 0;
	for (size_t i = from; !code && i < to; i++) {
		const struct ts_operation_program *p = &g->o->program[m[i].program];

		ts_op_figures_program(f, &cost[m[i].program], p, &g->o->honesty);
		code = look(g, i, err);
		if (code || p->set == TS_NO_OPERATION)
			continue;
		if (seen[p->set].epoch != g->epoch) {
			seen[p->set] = (struct sight){g->epoch, 0};
			ts_op_figures_set(f, &g->o->set[p->set]);
			code = ts_pile_add(&g->met, &p->set, sizeof(p->set), g->cache, err);
		}
		seen[p->set].programs++;
	}
	for (size_t i = 0; !code && i < g->met.used / sizeof(uint32_t); i++) {
		uint32_t set = ((const uint32_t *)g->met.memory)[i];

		code = add_types(f, g, &g->o->set[set], seen[set].programs, err);
	}
	f->live_first = f->live_last = TS_UNKNOWN; /* operations may say more exactly */
	return code;
}

static void
add_node(struct ts_operation_figures *f, const struct ts_operation_figures *n)
{
	ts_op_figures_variables(f, n);
	if (n->live_first != TS_UNKNOWN &&
		(f->live_first == TS_UNKNOWN || n->live_first < f->live_first))
		f->live_first = n->live_first;
	f->live_last = ts_max_i64(f->live_last, n->live_last);
}

/* --- nodes ------------------------------------------------------------------------------------------ */

enum ts_code
ts_operation_programs(struct ts_pile *out, const struct ts_operations *o, uint32_t i, bool below,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct grouping g = {.o = o, .cache = cache, .cancel = cancel};
	const struct ts_program_cost *cost = o->costs->cost.memory;
	enum ts_code code = begin(&g, err);

	if (!code) {
		((uint32_t *)g.group.memory)[i] = 0;
		code = find_members(&g, below, err);
	}
	for (size_t k = 0; !code && k < g.members; k++)
		code = ts_pile_add(out,
			&cost[((struct member *)g.member.memory)[k].program].program,
			sizeof(int64_t), cache, err);
	fini(&g);
	return code;
}

/* What it has is in a marked one above it, too: the nearest of another layer. */
static bool
is_in_another(const struct ts_operations *o, const uint32_t *group, uint32_t i)
{
	uint64_t layers = UINT64_C(1) << o->node[i].layer;

	for (uint32_t at = o->node[i].parent; at != TS_NO_OPERATION; at = o->node[at].parent) {
		uint64_t bit = UINT64_C(1) << o->node[at].layer;

		if (!(layers & bit) && group[at] != TS_NO_OPERATION)
			return true;
		layers |= bit;
	}
	return false;
}

enum ts_code
ts_operations_sum(struct ts_operation_figures *sum, const struct ts_operations *o,
	const uint32_t *node, size_t n, bool below, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct grouping g = {.o = o, .cache = cache, .cancel = cancel};
	uint32_t *group, end = 0;
	enum ts_code code = begin(&g, err);

	ts_op_figures_none(sum);
	group = g.group.memory;
	for (size_t i = 0; !code && i < n; i++)
		group[node[i]] = 0;
	if (!code)
		code = find_members(&g, below, err);
	if (!code)
		code = add_members(sum, &g, 0, g.members, err);
	if (!code) {
		for (uint32_t i = 0; i < o->count; i++) {
			if (group[i] == TS_NO_OPERATION || (below && i < end) ||
				(!below && is_in_another(o, group, i)))
				continue;
			add_node(sum, below ? &o->node[i].below : &o->node[i].of);
			end = o->node[i].end;
		}
		ts_op_figures_end(sum);
	}
	fini(&g);
	return code;
}

/* --- by expression ---------------------------------------------------------------------------------- */

/* The group of a text: *group is TS_NO_OPERATION where it does not match, or there are too many. */
static enum ts_code
group_of(uint32_t *group, struct ts_operation_groups *to, struct ts_matcher *m, bool captures,
	const char *s, size_t n, struct ts_err *err)
{
	size_t from, end;
	const char *text;
	enum ts_code code;

	*group = TS_NO_OPERATION;
	if (ts_pattern_matches(m, s, n) != TS_MATCH_YES)
		return TS_OK;
	if (!(captures && ts_matcher_group(m, 1, &text, &from, &end)) &&
		!ts_matcher_group(m, 0, &text, &from, &end))
		return TS_OK;
	code = ts_dictionary_text(&to->keys, group, text + from, end - from, err);
	if (!code && *group >= TS_OPERATION_GROUPS) {
		*group = TS_NO_OPERATION;
		to->left_out++;
	}
	return code;
}

static enum ts_code
group_nodes(struct ts_operation_groups *to, struct grouping *g, uint32_t layer,
	const struct ts_pattern *by, struct ts_err *err)
{
	const struct ts_operations *o = g->o;
	bool captures = ts_pattern_groups(by) > 0;
	struct ts_matcher *m = NULL;
	struct ts_strbuf path;
	enum ts_code code = ts_matcher_new(&m, by, err);

	ts_strbuf_init(&path, PATH);
	for (uint64_t i = 0; !code && i < o->layer[layer].count; i++) {
		uint32_t at = ts_operation_in_layer(o, layer, i);
		size_t n;
		const char *s = ts_operation_debug_name(&n, o, at);

		if (!s) {
			ts_operation_path(&path, o, at);
			s = path.s;
			n = path.len;
		}
		if (i % LOOK == 0 && ts_cancelled(g->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (!code)
			code = group_of((uint32_t *)g->group.memory + at, to, m, captures, s, n,
				err);
		if (!code && ts_matcher_costly(m))
			code = ts_pattern_costly_err(by, err);
	}
	ts_strbuf_fini(&path);
	ts_matcher_free(m);
	return code;
}

/* Nodes of the layer by group; those in none are the last group, if there are any. */
static enum ts_code
list_groups(struct ts_operation_groups *to, struct grouping *g, uint32_t layer, struct ts_err *err)
{
	const struct ts_operation_layer *l = &g->o->layer[layer];
	size_t keys = to->keys.count < TS_OPERATION_GROUPS ? to->keys.count : TS_OPERATION_GROUPS;
	uint32_t *group = g->group.memory, *list;
	struct ts_operation_group *r;
	uint64_t at = 0;
	enum ts_code code = ts_pile_room(&to->node, (l->count + 1) * sizeof(*list), g->cache, err);

	for (size_t i = 0; !code && i <= keys; i++) {
		struct ts_operation_group none = {
			.key = i < keys ? (int64_t)i : TS_DICTIONARY_NONE};

		ts_op_figures_none(&none.of);
		code = ts_pile_add(&to->group, &none, sizeof(none), g->cache, err);
	}
	if (code)
		return code;
	r = to->group.memory;
	list = to->node.memory;
	for (uint64_t i = 0; i < l->count; i++) {
		uint32_t *of = &group[ts_operation_in_layer(g->o, layer, i)];

		*of = *of == TS_NO_OPERATION ? (uint32_t)keys : *of;
		r[*of].count++;
	}
	for (size_t i = 0; i <= keys; at += r[i++].count)
		r[i].first = at;
	for (size_t i = 0; i <= keys; i++)
		r[i].count = 0;
	for (uint64_t i = 0; i < l->count; i++) {
		uint32_t node = ts_operation_in_layer(g->o, layer, i);

		list[r[group[node]].first + r[group[node]].count++] = node;
	}
	to->count = keys + (r[keys].count > 0);
	return TS_OK;
}

static size_t
members_end(const struct grouping *g, size_t from, size_t group)
{
	const struct member *m = g->member.memory;

	while (from < g->members && m[from].group == group)
		from++;
	return from;
}

/* Programs that several groups have; members of a group stand together, each program once. */
static enum ts_code
share(struct ts_operation_groups *to, struct grouping *g, struct ts_err *err)
{
	const struct member *m = g->member.memory;
	struct ts_operation_group *r = to->group.memory;
	size_t programs = g->o->costs->count;
	struct ts_pile owners = {0};
	enum ts_code code = ts_pile_room(&owners, (programs + 1) * sizeof(uint32_t), g->cache, err);
	uint32_t *n = owners.memory;

	if (code)
		return code;
	memset(n, 0, programs * sizeof(*n));
	for (size_t i = 0; i < g->members; i++)
		n[m[i].program]++;
	for (size_t i = 0; i < g->members; i++)
		if (n[m[i].program] > 1)
			ts_op_shared_add(&r[m[i].group].shared, n[m[i].program] - 1);
	for (size_t i = 0; i < programs; i++)
		if (n[i] > 1)
			ts_op_shared_add(&to->shared, n[i] - 1);
	ts_pile_fini(&owners);
	return TS_OK;
}

static enum ts_code
add_up(struct ts_operation_groups *to, struct grouping *g, struct ts_err *err)
{
	struct ts_operation_group *r = to->group.memory;
	const uint32_t *list = to->node.memory;
	size_t from = 0, end;
	enum ts_code code = share(to, g, err);

	for (size_t i = 0; !code && i < to->count; i++, from = end) {
		end = members_end(g, from, i);
		code = add_members(&r[i].of, g, from, end, err);
		for (uint64_t k = 0; k < r[i].count; k++)
			add_node(&r[i].of, &g->o->node[list[r[i].first + k]].of);
		to->not_summed += r[i].of.vertex_code == TS_OP_BEYOND;
		ts_op_figures_end(&r[i].of);
	}
	return code;
}

enum ts_code
ts_operation_groups_read(struct ts_operation_groups **out, const struct ts_operations *o,
	uint32_t layer, const struct ts_pattern *by, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct grouping g = {.o = o, .cache = cache, .cancel = cancel};
	struct ts_operation_groups *to = ts_alloc(1, sizeof(*to));
	enum ts_code code;

	*out = NULL;
	if (!to)
		return ts_err_nomem(err);
	atomic_init(&to->uses, 1);
	to->keys.cache = cache;
	to->all = o->layer[layer].all;
	code = begin(&g, err);
	if (!code)
		code = group_nodes(to, &g, layer, by, err);
	if (!code)
		code = list_groups(to, &g, layer, err);
	if (!code)
		code = find_members(&g, false, err);
	if (!code)
		code = add_up(to, &g, err);
	fini(&g);
	if (code)
		ts_operation_groups_close(to);
	else
		*out = to;
	return code;
}

struct ts_operation_groups *
ts_operation_groups_hold(struct ts_operation_groups *g)
{
	atomic_fetch_add(&g->uses, 1);
	return g;
}

void
ts_operation_groups_close(struct ts_operation_groups *g)
{
	if (!g || atomic_fetch_sub(&g->uses, 1) > 1)
		return;
	ts_dictionary_fini(&g->keys);
	ts_pile_fini(&g->group);
	ts_pile_fini(&g->node);
	free(g);
}

const char *
ts_operation_group_key(size_t *n, const struct ts_operation_groups *g, size_t i)
{
	const struct ts_operation_group *r = ts_operation_group_at(g, i);
	const struct ts_dictionary_entry *e;

	*n = 0;
	if (r->key == TS_DICTIONARY_NONE)
		return NULL;
	e = ts_dictionary_at(&g->keys, (uint32_t)r->key);
	*n = e->n;
	return (const char *)g->keys.text.memory + e->at;
}
