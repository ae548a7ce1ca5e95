/* SPDX-License-Identifier: MIT */
/* outline - see the header. Rows stand in one array: opening one puts its children behind it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/outline.h"

enum { UNFOLD_NODES = 128 }; /* that one command opens */

void
ts_outline_init(struct ts_outline *o)
{
	*o = (struct ts_outline){0};
	ts_list_init(&o->list);
	ts_list_set_count(&o->list, 0);
}

void
ts_outline_fini(struct ts_outline *o)
{
	free(o->row);
	*o = (struct ts_outline){0};
}

/* Room for n more rows. */
static bool
make_room(struct ts_outline *o, size_t n)
{
	struct ts_outline_row *bigger;
	size_t cap = o->count + n + o->count / 2 + 64;

	if (o->count + n > TS_OUTLINE_ROWS)
		return false;
	if (o->count + n <= o->cap)
		return true;
	bigger = ts_resize(o->row, cap, sizeof(*bigger));
	if (!bigger)
		return false;
	o->row = bigger;
	o->cap = cap;
	return true;
}

bool
ts_outline_set(struct ts_outline *o, const struct ts_outline_graph *graph, void *ctx,
	const uint32_t *root, size_t n)
{
	bool fits;

	o->graph = graph;
	o->ctx = ctx;
	o->count = 0;
	o->full = n > TS_OUTLINE_ROWS;
	n = o->full ? TS_OUTLINE_ROWS : n;
	fits = make_room(o, n);
	for (size_t i = 0; fits && i < n; i++)
		o->row[o->count++] = (struct ts_outline_row){.node = root[i]};
	ts_list_set_count(&o->list, (int64_t)o->count);
	ts_list_go(&o->list, 0);
	return fits;
}

void
ts_outline_clear(struct ts_outline *o)
{
	o->count = 0;
	ts_list_set_count(&o->list, 0);
}

const struct ts_outline_row *
ts_outline_at(const struct ts_outline *o)
{
	return o->list.cursor < (int64_t)o->count ? &o->row[o->list.cursor] : NULL;
}

size_t
ts_outline_parent(const struct ts_outline *o, size_t row)
{
	uint32_t depth = o->row[row].depth;

	while (depth > 0 && row-- > 0)
		if (o->row[row].depth < depth)
			return row;
	return TS_OUTLINE_NONE;
}

/* Does its node stand above it? */
static bool
is_circle(const struct ts_outline *o, size_t parent, uint32_t node)
{
	for (size_t at = parent; at != TS_OUTLINE_NONE; at = ts_outline_parent(o, at))
		if (o->row[at].node == node)
			return true;
	return false;
}

/* Rows behind `row` that are in it. */
static size_t
inside(const struct ts_outline *o, size_t row)
{
	size_t n = 0;

	while (row + 1 + n < o->count && o->row[row + 1 + n].depth > o->row[row].depth)
		n++;
	return n;
}

/* The cursor's row is another one after rows came or went behind `row`. */
static void
follow(struct ts_outline *o, size_t row, int64_t by)
{
	int64_t cursor = o->list.cursor;

	if (cursor > (int64_t)row)
		cursor = by < 0 && cursor <= (int64_t)row - by ? (int64_t)row : cursor + by;
	ts_list_set_count(&o->list, (int64_t)o->count);
	if (cursor != o->list.cursor)
		ts_list_follow(&o->list, cursor);
}

static void
unfold(struct ts_outline *o, size_t row)
{
	uint32_t node = o->row[row].node, n = o->graph->children(o->ctx, node);
	uint32_t depth = o->row[row].depth + 1;
	struct ts_outline_row *to;

	if (n == 0 || o->row[row].circle)
		return;
	if (!make_room(o, n)) {
		o->full = true;
		return;
	}
	to = o->row + row + 1;
	memmove(to + n, to, (o->count - row - 1) * sizeof(*to));
	o->count += n;
	o->row[row].open = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t child = o->graph->child(o->ctx, node, i);

		to[i] = (struct ts_outline_row){.node = child, .depth = depth};
	}
	/* children that are the same node are all circles, or none of them */
	for (uint32_t i = 0; i < n; i++)
		to[i].circle = i > 0 && to[i].node == to[i - 1].node
			? to[i - 1].circle
			: is_circle(o, row, to[i].node);
	follow(o, row, n);
}

static void
fold(struct ts_outline *o, size_t row)
{
	size_t n = inside(o, row);
	struct ts_outline_row *from = o->row + row + 1;

	memmove(from, from + n, (o->count - row - 1 - n) * sizeof(*from));
	o->count -= n;
	o->row[row].open = false;
	follow(o, row, -(int64_t)n);
}

void
ts_outline_open(struct ts_outline *o, size_t row, bool open)
{
	o->full = false;
	if (row >= o->count || o->row[row].open == open)
		return;
	if (open)
		unfold(o, row);
	else
		fold(o, row);
}

bool
ts_outline_go(struct ts_outline *o, const uint32_t *node, size_t n)
{
	size_t at = 0;

	o->full = false;
	for (size_t i = 0; i < n; i++) {
		while (at < o->count && o->row[at].depth >= i &&
			!(o->row[at].depth == i && o->row[at].node == node[i]))
			at++;
		if (at >= o->count || o->row[at].depth != i)
			return false;
		if (i + 1 == n)
			break;
		if (!o->row[at].open)
			unfold(o, at);
		if (!o->row[at].open)
			return false;
		at++;
	}
	if (n > 0)
		ts_list_jump(&o->list, (int64_t)at);
	return n > 0;
}

/* All below a row, level by level, until enough of them are open. */
static void
unfold_below(struct ts_outline *o, size_t row)
{
	uint32_t top = o->row[row].depth;
	int opened = 0;
	bool more = true;

	for (uint32_t level = top; more && opened < UNFOLD_NODES; level++) {
		more = false;
		for (size_t i = row; i < o->count && (i == row || o->row[i].depth > top); i++) {
			if (o->row[i].depth != level || o->row[i].open || opened == UNFOLD_NODES) {
				more |= o->row[i].depth == level && o->row[i].open;
				continue;
			}
			unfold(o, i);
			opened += o->row[i].open;
			more |= o->row[i].open;
		}
	}
	o->full |= opened == UNFOLD_NODES;
}

static void
fold_all(struct ts_outline *o)
{
	size_t kept = 0, root = 0;

	for (size_t i = 0; i < o->count; i++)
		if (o->row[i].depth == 0) {
			root = (int64_t)i <= o->list.cursor ? kept : root;
			o->row[kept] = o->row[i];
			o->row[kept++].open = false;
		}
	o->count = kept;
	ts_list_set_count(&o->list, (int64_t)kept);
	ts_list_go(&o->list, (int64_t)root);
}

static enum ts_effect
left(struct ts_outline *o, size_t at)
{
	size_t parent = ts_outline_parent(o, at);

	if (o->row[at].open) {
		fold(o, at);
		return TS_EFFECT_REPAINT | TS_EFFECT_SELECT | TS_EFFECT_RECALC;
	}
	return parent == TS_OUTLINE_NONE ? TS_EFFECT_BELL
					 : ts_list_go(&o->list, (int64_t)parent) | TS_EFFECT_SELECT;
}

enum ts_effect
ts_outline_command(struct ts_outline *o, enum ts_cmd cmd)
{
	size_t at = (size_t)o->list.cursor;

	o->full = false;
	if (cmd != TS_CMD_OPEN && cmd != TS_CMD_LEFT && cmd != TS_CMD_RIGHT &&
		cmd != TS_CMD_UNFOLD && cmd != TS_CMD_FOLD)
		return ts_list_command(&o->list, cmd);
	if (at >= o->count)
		return TS_EFFECT_BELL;
	if (cmd == TS_CMD_LEFT)
		return left(o, at);
	if (cmd == TS_CMD_RIGHT && o->row[at].open)
		return ts_list_command(&o->list, TS_CMD_DOWN);
	if (cmd == TS_CMD_FOLD)
		fold_all(o);
	else if (cmd == TS_CMD_UNFOLD)
		unfold_below(o, at);
	else if (o->row[at].open)
		fold(o, at);
	else
		unfold(o, at);
	return TS_EFFECT_REPAINT | TS_EFFECT_SELECT | TS_EFFECT_RECALC;
}
