/* SPDX-License-Identifier: MIT */
/*
 * programs_rows - the rows of the Programs view: which children of a program are shown, in which order, and which of them stay
 * open when that changes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"

enum {
	OPEN_MOST = 256, /* rows that stay open, ... */
	ROWS_MOST =
		1 << 15, /* ... as long as there are not more of them: each is looked for anew */
	LEVELS_MOST = 20000, /* of a way */
	FEW_ROWS = 8,	     /* with so few all are open */
};

enum programs_measure
programs_measure(const struct programs_view *s)
{
	if (s->data->all.executed > 0)
		return PROGRAMS_EXECUTED;
	return s->data->all.measured > 0 ? PROGRAMS_MEASURED : PROGRAMS_ESTIMATED;
}

int64_t
programs_figure(const struct programs_view *s, const struct ts_program_sums *sums)
{
	if (sums->programs == TS_UNKNOWN)
		return TS_UNKNOWN;
	switch (programs_measure(s)) {
	case PROGRAMS_EXECUTED:
		return sums->executed;
	case PROGRAMS_MEASURED:
		return sums->measured;
	default:
		return sums->estimated;
	}
}

/* Is it worth a row, as far as is known? */
static bool
is_worth(const struct programs_view *s, uint32_t node)
{
	int64_t all = programs_figure(s, &s->data->all);
	int64_t own = programs_figure(s, programs_below(s->data, node));

	return s->fold == 0 || all <= 0 || own == TS_UNKNOWN ||
		(double)own * 100000.0 >= (double)all * (double)s->fold;
}

bool
programs_sort(struct programs_view *s, struct ts_pile *siblings, ts_table_value_fn *value)
{
	size_t n = siblings->used / sizeof(uint32_t);
	struct ts_table_order order = {.sorted = s->sort.sorted,
		.descending = s->sort.descending,
		.rows = (int64_t)n};
	struct ts_table_arranged a = {.row = NULL};
	struct ts_table t = programs_table(s);
	struct programs_siblings of = {s, NULL};
	struct ts_err err = {0};
	enum ts_code code;
	uint32_t *copy;

	if (n < 2 || (order.sorted < 0 && !order.descending))
		return true;
	copy = ts_alloc(n, sizeof(*copy));
	if (!copy)
		return false;
	memcpy(copy, siblings->memory, n * sizeof(*copy));
	of.node = copy;
	t.ctx = &of;
	t.value = value;
	t.order = &order;
	code = ts_table_arrange(&a, &t, (int64_t)n, NULL, NULL, &err);
	for (int64_t i = 0; !code && i < a.count; i++)
		((uint32_t *)siblings->memory)[i] = copy[a.row[i]];
	free(a.row);
	free(copy);
	return code == TS_OK;
}

static bool
sibling_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct programs_siblings *of = ctx;

	return programs_value(of->s, of->node[i], column, out);
}

/* Those of n nodes that are worth a row, in the order that is wished. False: no memory. */
static bool
arrange(struct ts_pile *out, struct programs_view *s, const uint32_t *node, size_t n)
{
	struct ts_err err;
	bool fits = true;

	out->used = 0;
	for (size_t i = 0; fits && i < n; i++)
		if (is_worth(s, node[i]) && programs_is_kept(s, node[i]))
			fits = ts_pile_add(out, &node[i], sizeof(node[i]), NULL, &err) == TS_OK;
	return fits && programs_sort(s, out, sibling_value);
}

/* Children of a node, in s->order. */
static bool
order_children(struct programs_view *s, uint32_t node)
{
	const struct ts_program_node *n = programs_node(s->data, node);
	const uint32_t *child = s->data->tree->child.memory;

	s->order_of = UINT32_MAX;
	if (!arrange(&s->order, s, child ? child + n->first_edge : NULL, n->edges))
		return false;
	s->order_of = node;
	return true;
}

/* Nodes on top: the roots; without any what nothing calls. */
static bool
find_roots(struct programs_view *s)
{
	const struct ts_program_tree *t = s->data->tree;
	const struct ts_program_root *root = t->root.memory;
	struct ts_pile all = {0};
	struct ts_err err;
	bool fits = true;

	for (size_t i = 0; fits && i < t->roots; i++) {
		uint32_t node = ts_program_tree_find(t, root[i].program);

		fits = ts_pile_add(&all, &node, sizeof(node), NULL, &err) == TS_OK;
	}
	for (uint32_t i = 0; fits && t->roots == 0 && i < t->nodes; i++)
		if (programs_node(s->data, i)->uses == 0)
			fits = ts_pile_add(&all, &i, sizeof(i), NULL, &err) == TS_OK;
	fits = fits && arrange(&s->root, s, all.memory, all.used / sizeof(uint32_t));
	ts_pile_fini(&all);
	return fits;
}

bool
programs_is_plain(const struct programs_view *s)
{
	return s->sort.sorted < 0 && !s->sort.descending && s->fold == 0 && !s->keep.memory;
}

static uint32_t
children(void *ctx, uint32_t node)
{
	struct programs_view *s = ctx;

	if (programs_is_plain(s))
		return programs_node(s->data, node)->edges;
	if (s->order_of != node && !order_children(s, node))
		return 0;
	return (uint32_t)(s->order.used / sizeof(uint32_t));
}

static uint32_t
child(void *ctx, uint32_t node, uint32_t i)
{
	struct programs_view *s = ctx;
	const uint32_t *all = s->data->tree->child.memory;

	if (s->order_of == node && !programs_is_plain(s))
		return ((const uint32_t *)s->order.memory)[i];
	return all[programs_node(s->data, node)->first_edge + i];
}

static const struct ts_outline_graph graph = {children, child};

uint32_t
programs_row_node(const struct programs_view *s, int64_t row)
{
	if (row < 0 || row >= (int64_t)s->outline.count)
		return UINT32_MAX;
	return s->diff ? ts_program_diff_pair(s->diff, s->outline.row[row].node)->after
		       : s->outline.row[row].node;
}

uint32_t
programs_at(const struct programs_view *s)
{
	return programs_row_node(s, s->outline.list.cursor);
}

bool
programs_go(struct programs_view *s, uint32_t node)
{
	uint32_t *way = ts_alloc(LEVELS_MOST, sizeof(*way));
	size_t n = 0;
	bool there;

	if (!way)
		return false;
	for (uint32_t at = node; at != UINT32_MAX && n < LEVELS_MOST;
		at = programs_node(s->data, at)->parent)
		way[n++] = at;
	for (size_t i = 0, j = n - 1; n > 0 && i < j; i++, j--) {
		uint32_t swap = way[i];

		way[i] = way[j];
		way[j] = swap;
	}
	there = s->diff ? programs_diff_go(s, way, n) : ts_outline_go(&s->outline, way, n);
	free(way);
	return there;
}

/* --- other rows, the same ones open ------------------------------------------------------------------ */

/* The way to each row that is open, and to the cursor: how long, and its nodes. */
struct opened {
	struct ts_pile way; /* uint32_t: n, then n nodes; and so on */
	struct ts_pile cursor;
};

/* `node` is the way to each row as far as it was gone: the rows stand in that order. */
static void
note_opened(struct opened *o, const struct programs_view *s)
{
	uint32_t *node = ts_alloc(LEVELS_MOST, sizeof(*node));
	struct ts_err err;
	int open = 0;

	for (size_t i = 0; node && i < s->outline.count && open < OPEN_MOST; i++) {
		const struct ts_outline_row *row = &s->outline.row[i];
		uint32_t n = row->depth + 1;
		bool at = (int64_t)i == s->outline.list.cursor;

		if (row->depth >= LEVELS_MOST)
			continue;
		node[row->depth] = row->node;
		if (at && ts_pile_add(&o->cursor, node, n * sizeof(*node), NULL, &err))
			break;
		if (!row->open)
			continue;
		open++;
		if (ts_pile_add(&o->way, &n, sizeof(n), NULL, &err) ||
			ts_pile_add(&o->way, node, n * sizeof(*node), NULL, &err))
			break;
	}
	free(node);
}

static void
open_again(struct programs_view *s, const struct opened *o)
{
	const uint32_t *way = o->way.memory;
	size_t n = o->way.used / sizeof(*way);

	for (size_t i = 0; i + 1 < n && s->outline.count < ROWS_MOST; i += 1 + way[i])
		if (ts_outline_go(&s->outline, way + i + 1, way[i]))
			ts_outline_open(&s->outline, (size_t)s->outline.list.cursor, true);
}

static void
make_rows(struct programs_view *s, const struct opened *o)
{
	uint32_t at = UINT32_MAX;

	open_again(s, o);
	if (o->cursor.used > 0 &&
		ts_outline_go(&s->outline, o->cursor.memory, o->cursor.used / sizeof(uint32_t)))
		return;
	if (s->kept >= 0)
		at = ts_program_tree_find(s->data->tree, s->kept);
	else if (o->cursor.used > 0 && !s->diff)
		at = ((const uint32_t *)o->cursor.memory)[o->cursor.used / sizeof(uint32_t) - 1];
	if (at < s->data->tree->nodes && programs_go(s, at))
		return;
	ts_list_go(&s->outline.list, 0);
	for (size_t i = s->outline.count; s->outline.count <= FEW_ROWS && i > 0; i--)
		ts_outline_open(&s->outline, i - 1, true);
}

void
programs_rows(struct programs_view *s)
{
	struct opened o = {0};

	note_opened(&o, s);
	s->order_of = UINT32_MAX;
	if (!s->diff && !find_roots(s))
		s->root.used = 0;
	if (s->diff ? programs_diff_rows(s)
		    : ts_outline_set(&s->outline, &graph, s, s->root.memory,
			      s->root.used / sizeof(uint32_t)))
		make_rows(s, &o);
	s->kept = -1;
	ts_pile_fini(&o.way);
	ts_pile_fini(&o.cursor);
}
