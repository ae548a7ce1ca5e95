/* SPDX-License-Identifier: MIT */
/*
 * operations_shape - which rows the Operations view has, and in which order: worked out by a worker, for a table of a layer, its
 * groups and the tree of all layers alike.
 *
 * Rows are put in order and filtered as those of any table (ts_table_arrange()), all that may be shown at once; then each goes
 * to its parent in that order. A filter leaves operations that pass, what is below them, and the way to them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"

enum { LOOK = 1 << 12, PILES = 4, PATH = 1 << 14 };

enum operations_row_kind
operations_row(const struct operations_ids *ids, uint32_t row, uint32_t *i)
{
	if (row < ids->nodes) {
		*i = row;
		return ROW_NODE;
	}
	if (row < ids->nodes + ids->groups) {
		*i = row - ids->nodes;
		return ROW_GROUP;
	}
	*i = row - ids->nodes - ids->groups;
	if (*i == 0)
		return ROW_OUTSIDE;
	(*i)--;
	return ROW_PROGRAM;
}

struct operations_shape *
operations_shape_hold(struct operations_shape *s)
{
	atomic_fetch_add(&s->uses, 1);
	return s;
}

void
operations_shape_close(struct operations_shape *s)
{
	if (!s || atomic_fetch_sub(&s->uses, 1) > 1)
		return;
	ts_operations_close(s->ops);
	ts_operation_groups_close(s->groups);
	ts_pile_fini(&s->root);
	ts_pile_fini(&s->first);
	ts_pile_fini(&s->child);
	ts_pile_fini(&s->parent);
	ts_pile_fini(&s->place);
	ts_pile_fini(&s->list);
	ts_pile_fini(&s->paths);
	ts_pile_fini(&s->path_at);
	free(s);
}

/* --- figures ---------------------------------------------------------------------------------------- */

enum operations_measure
operations_measure(const struct ts_operations *o)
{
	if (o->all.executed > 0)
		return OPERATIONS_EXECUTED;
	return o->all.measured > 0 ? OPERATIONS_MEASURED : OPERATIONS_ESTIMATED;
}

int64_t
operations_cycles(const struct ts_operations *o, const struct ts_operation_figures *f)
{
	switch (operations_measure(o)) {
	case OPERATIONS_EXECUTED:
		return f->executed;
	case OPERATIONS_MEASURED:
		return f->measured;
	default:
		return f->estimated;
	}
}

static void
know_nothing(struct ts_operation_figures *f)
{
	int64_t *v = (int64_t *)f;

	for (size_t i = 0; i < sizeof(*f) / sizeof(*v); i++)
		v[i] = TS_UNKNOWN;
}

void
operations_of_program(struct ts_operation_figures *out, const struct ts_program_cost *p)
{
	know_nothing(out);
	out->programs = 1;
	out->steps = p->steps;
	out->first_step = p->first_step;
	out->executed = p->executed;
	out->measured = p->measured.most;
	out->measured_tiles = p->measured.sum;
	out->estimated = p->estimated.most;
	out->estimated_tiles = p->estimated.sum;
	out->control_code = p->control_code;
	out->exchange_code = p->exchange_code;
	out->live = p->live;
	out->live_first = p->live_step;
}

const struct ts_operation_figures *
operations_figures(const struct operations_shape *s, uint32_t row,
	struct ts_operation_figures *room)
{
	uint32_t i;

	switch (operations_row(&s->ids, row, &i)) {
	case ROW_NODE:
		return s->wish.tree ? &ts_operation_at(s->ops, i)->below
				    : &ts_operation_at(s->ops, i)->of;
	case ROW_GROUP:
		return &ts_operation_group_at(s->groups, i)->of;
	case ROW_OUTSIDE:
		return &s->outside;
	case ROW_PROGRAM:
	default:
		operations_of_program(room,
			(const struct ts_program_cost *)s->ops->costs->cost.memory + i);
		return room;
	}
}

/* --- which rows there may be ------------------------------------------------------------------------- */

struct making {
	struct operations_shape *s;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
	struct ts_err *err;
	struct ts_pile row;  /* uint32_t: rows in the order in which they are to stand */
	struct ts_pile keep; /* a byte by row: it is shown */
	struct ts_pile pass; /* a byte by node: it passes the filter, or something above it does */
	struct ts_pile node; /* uint32_t: nodes that pass themselves */
};

static uint32_t *
numbers(const struct ts_pile *p)
{
	return p->memory;
}

static unsigned char *
bytes(const struct ts_pile *p)
{
	return p->memory;
}

static enum ts_code
add_row(struct making *m, uint32_t row, uint32_t parent)
{
	numbers(&m->s->parent)[row] = parent;
	return ts_pile_add(&m->row, &row, sizeof(row), m->cache, m->err);
}

/* Room for n elements of `size` bytes, all zero. */
static enum ts_code
clear(struct ts_pile *p, size_t n, size_t size, struct making *m)
{
	enum ts_code code = ts_pile_room(p, (n + 1) * size, m->cache, m->err);

	if (!code) {
		memset(p->memory, 0, (n + 1) * size);
		p->used = n * size;
	}
	return code;
}

/*
 * A program stands under the innermost operations that it belongs to: not where another one below this has it, too. Those of
 * no operation at all stand together.
 */
static enum ts_code
add_programs(struct making *m)
{
	struct operations_shape *s = m->s;
	const struct ts_operation_own *own = s->ops->own;
	size_t n = s->ops->owns, at = 0;
	enum ts_code code = TS_OK;

	for (uint32_t p = 0; !code && p < s->ids.programs; p++) {
		uint32_t row = operations_program_row(&s->ids, p), node = TS_NO_OPERATION;

		while (at < n && own[at].program < p)
			at++;
		for (; at < n && own[at].program == p; at++)
			if (node == TS_NO_OPERATION ||
				own[at].node < ts_operation_at(s->ops, node)->end)
				node = own[at].node;
		code = add_row(m, row,
			node == TS_NO_OPERATION ? operations_outside_row(&s->ids) : node);
		if (p % LOOK == 0 && ts_cancelled(m->cancel))
			code = ts_err_set(m->err, TS_E_CANCELLED, "cancelled");
	}
	return code;
}

static enum ts_code
add_groups(struct making *m)
{
	struct operations_shape *s = m->s;
	const struct ts_operation_group *g = s->groups->group.memory;
	const uint32_t *node = s->groups->node.memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < s->ids.groups; i++) {
		code = add_row(m, s->ids.nodes + i, UINT32_MAX);
		for (uint64_t k = 0; !code && k < g[i].count; k++)
			code = add_row(m, node[g[i].first + k], s->ids.nodes + i);
	}
	return code;
}

static enum ts_code
add_layer(struct making *m)
{
	struct operations_shape *s = m->s;
	enum ts_code code = TS_OK;

	for (uint64_t i = 0; !code && i < s->ops->layer[s->wish.layer].count; i++)
		code = add_row(m, ts_operation_in_layer(s->ops, s->wish.layer, i), UINT32_MAX);
	return code;
}

static enum ts_code
add_tree(struct making *m)
{
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < m->s->ids.nodes; i++)
		code = add_row(m, i, ts_operation_at(m->s->ops, i)->parent);
	return code ? code : add_programs(m);
}

/* Paths of the nodes that are parts of names, for the table: sorted, filtered and searched by what is shown. */
static enum ts_code
make_paths(struct making *m)
{
	struct operations_shape *s = m->s;
	enum ts_code code = TS_OK;
	struct ts_strbuf path;

	if (s->wish.tree || s->ops->layer[s->wish.layer].from != TS_OPERATION_BY_NAME)
		return TS_OK;
	code = ts_pile_room(&s->path_at, (s->ids.nodes + 1) * sizeof(uint64_t), m->cache, m->err);
	if (!code) /* never without memory, which says that there are paths */
		code = ts_pile_room(&s->paths, 1, m->cache, m->err);
	ts_strbuf_init(&path, PATH);
	for (uint32_t i = 0; !code && i < s->ids.nodes; i++) {
		const struct ts_operation *o = ts_operation_at(s->ops, i);

		((uint64_t *)s->path_at.memory)[i] = s->paths.used;
		if (i % LOOK == 0 && ts_cancelled(m->cancel))
			code = ts_err_set(m->err, TS_E_CANCELLED, "cancelled");
		if (code || o->layer != s->wish.layer || o->from != TS_OPERATION_BY_NAME)
			continue;
		ts_operation_path(&path, s->ops, i);
		code = ts_pile_add(&s->paths, path.s, path.len, m->cache, m->err);
	}
	ts_strbuf_fini(&path);
	if (!code)
		((uint64_t *)s->path_at.memory)[s->ids.nodes] = s->paths.used;
	return code;
}

static enum ts_code
list_rows(struct making *m)
{
	size_t n = operations_rows(&m->s->ids);
	enum ts_code code = clear(&m->s->parent, n, sizeof(uint32_t), m);

	if (!code)
		code = clear(&m->keep, n, 1, m);
	if (!code)
		code = clear(&m->pass, m->s->ids.nodes, 1, m);
	if (code)
		return code;
	if (m->s->wish.tree)
		return add_tree(m);
	return m->s->groups ? add_groups(m) : add_layer(m);
}

/* --- order and filter -------------------------------------------------------------------------------- */

struct rooms {
	struct ts_pile pile[PILES];
	int piles;
	const struct ts_cache *cache;
};

static void *
get_room(void *ctx, size_t size)
{
	struct rooms *r = ctx;
	struct ts_err err = {0};

	if (r->piles == PILES || ts_pile_room(&r->pile[r->piles], size, r->cache, &err) != TS_OK)
		return NULL;
	return r->pile[r->piles++].memory;
}

/* Rows of `from` as they are asked for, into `to`. */
static enum ts_code
arrange(struct ts_pile *to, const struct ts_pile *from, struct making *m, int sorted,
	bool descending, const char *filter)
{
	struct operations_values values = {m->s, from->memory};
	struct ts_table_order order = {.sorted = sorted, .descending = descending};
	size_t n = from->used / sizeof(uint32_t);
	struct rooms rooms = {.cache = m->cache};
	struct ts_table_memory memory = {&rooms, get_room};
	struct ts_table_arranged a = {.row = NULL};
	struct ts_table t;
	enum ts_code code = TS_OK;

	to->used = 0;
	if (n == 0)
		return TS_OK;
	memcpy(order.filter, filter, strlen(filter) + 1);
	order.rows = (int64_t)n;
	operations_values_table(&t, &values);
	t.order = &order;
	code = ts_table_arrange(&a, &t, (int64_t)n, &memory, m->cancel, m->err);
	for (int64_t i = 0; !code && i < a.count; i++)
		code = ts_pile_add(to, &values.row[a.row[i]], sizeof(uint32_t), m->cache, m->err);
	for (int i = 0; i < PILES; i++)
		ts_pile_fini(&rooms.pile[i]);
	return code;
}

static enum ts_code
sort_rows(struct making *m)
{
	const struct operations_wish *w = &m->s->wish;
	struct ts_pile sorted = {0};
	enum ts_code code;

	if (w->sorted < 0 && !w->descending)
		return TS_OK;
	code = arrange(&sorted, &m->row, m, w->sorted, w->descending, "");
	ts_pile_fini(&m->row);
	m->row = sorted;
	return code;
}

/* Nodes that pass, and what is below and above them. */
static void
spread(struct making *m)
{
	const struct ts_operations *o = m->s->ops;
	const uint32_t *node = numbers(&m->node);
	unsigned char *pass = bytes(&m->pass), *keep = bytes(&m->keep);

	for (size_t i = 0; i < m->node.used / sizeof(*node); i++)
		pass[node[i]] = 1;
	for (uint32_t i = 0; m->s->wish.tree && i < o->count; i++) {
		uint32_t parent = ts_operation_at(o, i)->parent;

		if (parent != TS_NO_OPERATION && pass[parent])
			pass[i] = 1;
	}
	memcpy(keep, pass, o->count);
	for (uint32_t i = o->count; m->s->wish.tree && i-- > 0;) {
		uint32_t parent = ts_operation_at(o, i)->parent;

		if (keep[i] && parent != TS_NO_OPERATION)
			keep[parent] = 1;
	}
}

/* Nodes in sight: those of the rows. */
static enum ts_code
list_nodes(struct ts_pile *out, const struct making *m)
{
	const uint32_t *row = numbers(&m->row);
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < m->row.used / sizeof(*row); i++)
		if (row[i] < m->s->ids.nodes)
			code = ts_pile_add(out, &row[i], sizeof(*row), m->cache, m->err);
	return code;
}

static enum ts_code
filter_rows(struct making *m)
{
	const struct operations_wish *w = &m->s->wish;
	struct ts_pile all = {0};
	enum ts_code code = list_nodes(&all, m);

	if (!code && w->filter[0]) {
		code = arrange(&m->node, &all, m, -1, false, w->filter);
		ts_pile_fini(&all);
	} else {
		m->node = all;
	}
	if (code)
		return code;
	m->s->matches = m->node.used / sizeof(uint32_t);
	spread(m);
	return TS_OK;
}

/* --- the shape --------------------------------------------------------------------------------------- */

/* Is a row shown that is no node? Groups with an operation, programs of one that passes. */
static bool
is_kept(const struct making *m, uint32_t row)
{
	const struct operations_ids *ids = &m->s->ids;
	uint32_t parent = numbers(&m->s->parent)[row], i;

	switch (operations_row(ids, row, &i)) {
	case ROW_PROGRAM:
		return parent < ids->nodes ? bytes(&m->pass)[parent] : !m->s->wish.filter[0];
	case ROW_NODE:
	case ROW_GROUP:
	case ROW_OUTSIDE:
	default:
		return bytes(&m->keep)[row];
	}
}

static void
keep_groups(struct making *m)
{
	const struct operations_ids *ids = &m->s->ids;
	unsigned char *keep = bytes(&m->keep);
	const uint32_t *parent = numbers(&m->s->parent), *row = numbers(&m->row);
	size_t n = m->row.used / sizeof(*row);

	for (size_t i = 0; i < n; i++)
		if (row[i] < ids->nodes && keep[row[i]] && parent[row[i]] != UINT32_MAX &&
			parent[row[i]] >= ids->nodes)
			keep[parent[row[i]]] = 1;
	for (size_t i = 0; m->s->wish.tree && i < n; i++)
		if (row[i] > operations_outside_row(ids) &&
			parent[row[i]] == operations_outside_row(ids) && !m->s->wish.filter[0])
			keep[parent[row[i]]] = 1;
}

/* What is in no operation stands last, whatever the order. */
static enum ts_code
add_outside(struct making *m)
{
	struct operations_shape *s = m->s;
	uint32_t row = operations_outside_row(&s->ids);

	if (!s->wish.tree && s->outside.programs > 0 && !s->wish.filter[0])
		bytes(&m->keep)[row] = 1;
	return bytes(&m->keep)[row] ? add_row(m, row, UINT32_MAX) : TS_OK;
}

/* Count children, then put each to its parent, in the order of the rows. */
static enum ts_code
give_to_parents(struct making *m)
{
	struct operations_shape *s = m->s;
	size_t rows = operations_rows(&s->ids), n = m->row.used / sizeof(uint32_t);
	const uint32_t *row = numbers(&m->row), *parent = numbers(&m->s->parent);
	uint32_t *first, at = 0;
	enum ts_code code = clear(&s->first, rows + 2, sizeof(uint32_t), m);

	if (!code)
		code = clear(&s->child, n, sizeof(uint32_t), m);
	if (code)
		return code;
	first = numbers(&s->first);
	for (size_t i = 0; i < n; i++)
		if (is_kept(m, row[i]) && parent[row[i]] != UINT32_MAX)
			first[parent[row[i]] + 2]++;
	for (size_t i = 2; i < rows + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; !code && i < n; i++) {
		if (!is_kept(m, row[i]))
			continue;
		at++;
		if (parent[row[i]] == UINT32_MAX)
			code = ts_pile_add(&s->root, &row[i], sizeof(*row), m->cache, m->err);
		else
			numbers(&s->child)[first[parent[row[i]] + 1]++] = row[i];
	}
	s->roots = s->root.used / sizeof(uint32_t);
	s->shown = at;
	return code;
}

/* Where rows stand when all is open: a walk from the roots, with a stack of rows (a forest: each row once). */
static enum ts_code
find_places(struct making *m)
{
	struct operations_shape *s = m->s;
	size_t rows = operations_rows(&s->ids), depth = 0;
	struct ts_pile stack = {0};
	const uint32_t *first = numbers(&s->first), *child = numbers(&s->child);
	uint32_t *place, *list, *top, at = 0;
	enum ts_code code = clear(&s->place, rows, sizeof(uint32_t), m);

	if (!code)
		code = clear(&s->list, s->shown, sizeof(uint32_t), m);
	if (!code)
		code = clear(&stack, s->shown, sizeof(uint32_t), m);
	if (code) {
		ts_pile_fini(&stack);
		return code;
	}
	place = numbers(&s->place);
	list = numbers(&s->list);
	top = numbers(&stack);
	memset(place, 0xff, rows * sizeof(*place));
	for (size_t i = s->roots; i-- > 0;)
		top[depth++] = numbers(&s->root)[i];
	while (depth > 0) {
		uint32_t row = top[--depth];

		place[row] = at;
		list[at++] = row;
		for (uint32_t i = first[row + 1]; i-- > first[row];)
			top[depth++] = child[i];
	}
	ts_pile_fini(&stack);
	return TS_OK;
}

/* a += b, where both are known; what is known alone. */
static void
add_known(int64_t *a, int64_t b)
{
	if (b != TS_UNKNOWN && (*a == TS_UNKNOWN || !ts_add_i64(a, b)))
		*a = b;
}

/* The cycles of operations, one by one: programs that several of them have count in each. */
static void
sum_rows(struct making *m)
{
	struct operations_shape *s = m->s;
	const struct ts_operations *o = s->ops;
	const struct ts_operation_layer *layer = &o->layer[s->wish.layer];
	bool all = !s->wish.filter[0];
	size_t n = all ? layer->count : m->node.used / sizeof(uint32_t);

	s->sum = TS_UNKNOWN;
	for (size_t i = 0; !s->wish.tree && i < n; i++) {
		uint32_t node = all ? ts_operation_in_layer(o, s->wish.layer, i)
				    : numbers(&m->node)[i];

		add_known(&s->sum, operations_cycles(o, &o->node[node].of));
	}
}

/* What is on top of all: without a filter all programs; with one, what passes. */
static enum ts_code
add_up(struct making *m)
{
	struct operations_shape *s = m->s;

	if (!s->wish.filter[0]) {
		s->total = s->ops->all;
		return TS_OK;
	}
	return ts_operations_sum(&s->total, s->ops, m->node.memory, m->node.used / sizeof(uint32_t),
		s->wish.tree, m->cache, m->cancel, m->err);
}

/* Of the programs in no operation of any layer; of one layer it is known. */
static void
add_outside_programs(struct making *m)
{
	struct operations_shape *s = m->s;
	struct ts_operation_figures one;

	if (!s->wish.tree) {
		s->outside = s->ops->layer[s->wish.layer].outside;
		return;
	}
	know_nothing(&s->outside);
	s->outside.programs = 0;
	for (uint32_t p = 0; p < s->ids.programs; p++) {
		const struct ts_program_cost *cost =
			(const struct ts_program_cost *)s->ops->costs->cost.memory + p;

		if (numbers(&m->s->parent)[operations_program_row(&s->ids, p)] !=
			operations_outside_row(&s->ids))
			continue;
		operations_of_program(&one, cost);
		s->outside.programs++;
		add_known(&s->outside.steps, one.steps);
		add_known(&s->outside.executed, one.executed);
		add_known(&s->outside.measured, one.measured);
		add_known(&s->outside.estimated, one.estimated);
		add_known(&s->outside.exchange_code, one.exchange_code);
	}
}

static enum ts_code
make(struct making *m)
{
	enum ts_code code = list_rows(m);

	if (code)
		return code;
	add_outside_programs(m);
	code = make_paths(m);
	if (!code)
		code = sort_rows(m);
	if (!code)
		code = filter_rows(m);
	if (code)
		return code;
	keep_groups(m);
	code = add_outside(m);
	if (!code)
		code = give_to_parents(m);
	if (!code)
		code = find_places(m);
	if (!code)
		sum_rows(m);
	return code ? code : add_up(m);
}

static enum ts_code
read_groups(struct making *m)
{
	const struct operations_wish *w = &m->s->wish;
	struct ts_pattern *pattern;
	enum ts_code code;

	if (!w->group || w->tree)
		return TS_OK;
	code = ts_pattern_compile(&pattern, w->rollup, TS_PATTERN_SMART, NULL, m->err);
	if (code)
		return code;
	code = ts_operation_groups_read(&m->s->groups, m->s->ops, w->layer, pattern, m->cache,
		m->cancel, m->err);
	ts_pattern_free(pattern);
	return code;
}

enum ts_code
operations_shape_make(struct operations_shape **out, struct ts_operations *o,
	const struct operations_wish *wish, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct operations_shape *s = ts_alloc(1, sizeof(*s));
	struct making m = {.s = s, .cache = cache, .cancel = cancel, .err = err};
	enum ts_code code;

	*out = NULL;
	if (!s)
		return ts_err_nomem(err);
	atomic_init(&s->uses, 1);
	s->wish = *wish;
	s->ops = ts_operations_hold(o);
	code = read_groups(&m);
	s->ids = operations_ids(o, s->groups);
	if (!code)
		code = make(&m);
	ts_pile_fini(&m.row);
	ts_pile_fini(&m.keep);
	ts_pile_fini(&m.pass);
	ts_pile_fini(&m.node);
	if (code)
		operations_shape_close(s);
	else
		*out = s;
	return code;
}
