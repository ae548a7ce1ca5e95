/* SPDX-License-Identifier: MIT */
/* operations_rows - rows that are open and the one under the cursor, and how they stay when another shape comes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"

enum {
	LEVELS_MOST = TS_OPERATION_LEVELS + 4,
	OPEN_MOST = 256, /* rows that stay open */
	ROWS_MOST = 1 << 15,
	FEW_ROWS = 8, /* with so few on top all are open */
};

static uint32_t
children(void *ctx, uint32_t row)
{
	const struct operations_view *s = ctx;
	const uint32_t *first = s->shape->first.memory;

	return first[row + 1] - first[row];
}

static uint32_t
child(void *ctx, uint32_t row, uint32_t i)
{
	const struct operations_view *s = ctx;
	const uint32_t *first = s->shape->first.memory, *all = s->shape->child.memory;

	return all[first[row] + i];
}

static const struct ts_outline_graph graph = {children, child};

uint32_t
operations_at(const struct operations_view *s)
{
	const struct ts_outline_row *row = s->shape ? ts_outline_at(&s->outline) : NULL;

	return row ? row->node : UINT32_MAX;
}

/* The row that a row stands in. */
static uint32_t
parent_of(const struct operations_view *s, size_t at)
{
	size_t parent = ts_outline_parent(&s->outline, at);

	return parent == TS_OUTLINE_NONE ? UINT32_MAX : s->outline.row[parent].node;
}

uint32_t
operations_node_at(const struct operations_view *s)
{
	uint32_t row = operations_at(s), i;

	if (row != UINT32_MAX && row > operations_outside_row(&s->shape->ids))
		row = parent_of(s, (size_t)s->outline.list.cursor);
	return row != UINT32_MAX && operations_row(&s->shape->ids, row, &i) == ROW_NODE
		? i
		: TS_NO_OPERATION;
}

int64_t
operations_program_at(const struct operations_view *s)
{
	uint32_t row = operations_at(s), i;

	if (row == UINT32_MAX || operations_row(&s->shape->ids, row, &i) != ROW_PROGRAM)
		return TS_UNKNOWN;
	return ((const struct ts_program_cost *)s->ops->costs->cost.memory)[i].program;
}

/* --- going to a row ---------------------------------------------------------------------------------- */

bool
operations_go_row(struct operations_view *s, uint32_t row)
{
	uint32_t way[LEVELS_MOST];
	const uint32_t *parent, *place;
	size_t n = 0;

	if (!s->shape || row >= operations_rows(&s->shape->ids))
		return false;
	parent = s->shape->parent.memory;
	place = s->shape->place.memory;
	if (place[row] == UINT32_MAX)
		return false;
	for (; row != UINT32_MAX && n < LEVELS_MOST; row = parent[row])
		way[n++] = row;
	for (size_t i = 0, j = n - 1; i < j; i++, j--) {
		uint32_t swap = way[i];

		way[i] = way[j];
		way[j] = swap;
	}
	return ts_outline_go(&s->outline, way, n);
}

static bool
is_in_layer(const struct operations_view *s, uint32_t node)
{
	return s->wish.tree || ts_operation_at(s->ops, node)->layer == s->wish.layer;
}

/* What is shown is what was asked for, and all that will be known: no answer is on its way. */
static bool
is_final(const struct operations_view *s)
{
	return operations_is_shown(s) &&
		(s->traced || !ts_report_has(s->base.env->report, TS_STEP));
}

/*
 * Nobody who is led to an operation wants to hear that his filter hides it. Whether it does is known when what was executed
 * is: until then he waits.
 */
static void
without_filter(struct operations_view *s)
{
	if (!s->wish.filter[0])
		return;
	ts_view_say(s->base.env, "the filter left it out: all are shown");
	s->wish.filter[0] = s->order.filter[0] = '\0';
}

enum ts_effect
operations_go_node(struct operations_view *s, uint32_t node)
{
	if (!s->ops || node >= s->ops->count)
		return TS_EFFECT_BELL;
	if (!is_in_layer(s, node))
		s->wish.layer = ts_operation_at(s->ops, node)->layer;
	else if (operations_is_shown(s) && operations_go_row(s, node))
		return TS_EFFECT_REPAINT | TS_EFFECT_SELECT | TS_EFFECT_RECALC;
	else if (is_final(s))
		without_filter(s);
	s->go_to = node;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* --- another shape ----------------------------------------------------------------------------------- */

/* A row, whatever the shape: its number is that of one. */
struct same_row {
	enum operations_row_kind kind;
	uint32_t i;
};

struct kept {
	struct same_row open[OPEN_MOST], cursor;
	int n;
	bool has_cursor;
	bool grouped; /* there were no groups before, or others */
	bool stays_first; /* the cursor was on the first row, and rows are the same ones with other figures */
};

static struct same_row
same_of(const struct operations_shape *x, uint32_t row)
{
	struct same_row r;

	r.kind = operations_row(&x->ids, row, &r.i);
	return r;
}

static uint32_t
row_of(const struct operations_shape *x, const struct same_row *r)
{
	switch (r->kind) {
	case ROW_NODE:
		return r->i < x->ids.nodes ? r->i : UINT32_MAX;
	case ROW_GROUP:
		return r->i < x->ids.groups ? x->ids.nodes + r->i : UINT32_MAX;
	case ROW_PROGRAM:
		return r->i < x->ids.programs ? operations_program_row(&x->ids, r->i) : UINT32_MAX;
	case ROW_OUTSIDE:
	default:
		return operations_outside_row(&x->ids);
	}
}

/* Groups of another expression, and operations of another layer, are others. */
static void
note(struct kept *k, const struct operations_view *s, const struct operations_shape *next)
{
	const struct operations_shape *x = s->shape;
	bool same_groups = x && x->groups && next->groups &&
		strcmp(x->wish.rollup, next->wish.rollup) == 0;

	k->grouped = next->groups && !same_groups;
	k->stays_first = x && s->outline.list.cursor == 0 && x->ops != next->ops;
	for (size_t i = 0; x && i < s->outline.count; i++) {
		struct same_row r = same_of(x, s->outline.row[i].node);

		if (r.kind == ROW_GROUP && !same_groups)
			continue;
		if ((int64_t)i == s->outline.list.cursor) {
			k->cursor = r;
			k->has_cursor = true;
		}
		if (s->outline.row[i].open && k->n < OPEN_MOST)
			k->open[k->n++] = r;
	}
}

static void
open_again(struct operations_view *s, const struct kept *k)
{
	for (int i = 0; i < k->n && s->outline.count < ROWS_MOST; i++)
		if (operations_go_row(s, row_of(s->shape, &k->open[i])))
			ts_outline_open(&s->outline, (size_t)s->outline.list.cursor, true);
	if (k->n == 0 && s->shape->roots <= FEW_ROWS && s->shape->wish.tree)
		for (size_t i = s->outline.count; i > 0; i--)
			ts_outline_open(&s->outline, i - 1, true);
}

void
operations_keep_cursor(struct operations_view *s)
{
	uint32_t at = s->go_to != TS_NO_OPERATION ? s->go_to : operations_node_at(s);

	if (at == TS_NO_OPERATION || !s->ops)
		return;
	s->kept_number = ts_operation_at(s->ops, at)->operation;
	s->kept_context = operations_context(ts_operation_at(s->ops, at));
}

/* The operation that had the cursor before there were others. */
static uint32_t
find_kept(struct operations_view *s)
{
	uint32_t node = TS_NO_OPERATION;

	if (s->kept_number >= 0)
		node = ts_operation_of_number(s->ops, s->kept_number);
	else if (s->kept_context >= 0)
		node = ts_operation_of_context(s->ops, s->kept_context, -1);
	s->kept_number = s->kept_context = -1;
	return node;
}

/* The row that stands for the one that had the cursor: its group, when groups have come. */
static uint32_t
shown_as(const struct operations_view *s, const struct kept *k)
{
	uint32_t row = row_of(s->shape, &k->cursor), parent = UINT32_MAX;

	if (k->grouped && k->cursor.kind == ROW_NODE && row != UINT32_MAX)
		parent = ((const uint32_t *)s->shape->parent.memory)[row];
	return parent != UINT32_MAX && parent != 0 ? parent : row;
}

static void
place_cursor(struct operations_view *s, const struct kept *k)
{
	uint32_t kept = find_kept(s), node = s->go_to != TS_NO_OPERATION ? s->go_to : kept;

	if (node != TS_NO_OPERATION && s->go_to == node && !operations_go_row(s, node) &&
		s->wish.filter[0]) {
		if (is_final(s))
			without_filter(s);
		return; /* to be gone to when all are shown, or all is known */
	}
	s->go_to = TS_NO_OPERATION;
	if (node != TS_NO_OPERATION && operations_go_row(s, node))
		return;
	if (k->has_cursor && !k->stays_first && operations_go_row(s, shown_as(s, k)))
		return;
	ts_list_go(&s->outline.list, 0);
}

void
operations_take_shape(struct operations_view *s, struct operations_shape *shape)
{
	struct kept *k = ts_alloc(1, sizeof(*k));
	struct kept none = {.n = 0};

	if (k)
		note(k, s, shape);
	operations_shape_close(s->shape);
	s->shape = shape;
	s->hits = 0;
	s->hit.used = 0;
	if (ts_outline_set(&s->outline, &graph, s, shape->root.memory, shape->roots)) {
		open_again(s, k ? k : &none);
		place_cursor(s, k ? k : &none);
	}
	free(k);
	if (s->sought[0])
		operations_seek(s, NULL, 0);
}
