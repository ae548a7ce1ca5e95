/* SPDX-License-Identifier: MIT */
/*
 * tree - see the header.
 *
 * Lines are made anew from the nodes whenever something is folded: one walk that jumps over what is folded
 * (a node knows how many are in it). `inside` comes from a file perhaps: a walk never goes beyond the count.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/tree.h"

enum { INDENT = 2, DEPTH_SHOWN = 24 };

void
ts_tree_init(struct ts_tree *t)
{
	*t = (struct ts_tree){0};
	ts_list_init(&t->list);
	ts_list_set_count(&t->list, 0);
}

void
ts_tree_fini(struct ts_tree *t)
{
	free(t->open);
	free(t->line);
	*t = (struct ts_tree){0};
}

static struct ts_tree_node
ask(const struct ts_tree *t, size_t i, bool shape)
{
	struct ts_tree_node n = {.shape = shape,
		.key_role = TS_ROLE_LABEL,
		.value_role = TS_ROLE_TEXT};

	t->node(t->ctx, i, &n);
	if (n.inside > t->count - 1 - i)
		n.inside = (uint32_t)(t->count - 1 - i);
	return n;
}

static struct ts_tree_node
node_of(const struct ts_tree *t, size_t i)
{
	return ask(t, i, false);
}

static struct ts_tree_node
shape_of(const struct ts_tree *t, size_t i)
{
	return ask(t, i, true);
}

/* The node behind all that is in node i. */
static size_t
behind(const struct ts_tree *t, size_t i)
{
	return i + 1 + shape_of(t, i).inside;
}

/* Lines anew; the cursor goes to the line of `node`, or of what it is folded into. */
static void
make_lines(struct ts_tree *t, size_t node)
{
	size_t lines = 0, at = 0;

	for (size_t i = 0; i < t->count;) {
		if (i <= node)
			at = lines;
		t->line[lines++] = (uint32_t)i;
		i = t->open[i] ? i + 1 : behind(t, i);
	}
	ts_list_set_count(&t->list, (int64_t)lines);
	ts_list_follow(&t->list, (int64_t)at);
}

bool
ts_tree_set(struct ts_tree *t, ts_tree_node_fn *node, void *ctx, size_t count, int open_depth)
{
	struct ts_list list = t->list;
	bool room;

	if (count > TS_TREE_NODES)
		count = TS_TREE_NODES;
	ts_tree_fini(t);
	t->list = list;
	t->open = ts_alloc(count, sizeof(*t->open));
	t->line = ts_alloc(count, sizeof(*t->line));
	room = t->open && t->line;
	t->node = node;
	t->ctx = ctx;
	t->count = room ? count : 0;
	for (size_t i = 0; i < t->count; i++)
		t->open[i] = shape_of(t, i).depth < open_depth;
	ts_list_init(&t->list);
	ts_list_resize(&t->list, list.rows);
	make_lines(t, 0);
	return room;
}

size_t
ts_tree_cursor(const struct ts_tree *t)
{
	return t->list.count > 0 ? t->line[t->list.cursor] : SIZE_MAX;
}

void
ts_tree_open(struct ts_tree *t, size_t node, bool open)
{
	size_t cursor = ts_tree_cursor(t);

	if (node >= t->count || t->open[node] == open)
		return;
	t->open[node] = open;
	make_lines(t, cursor);
}

/* What a node is in; SIZE_MAX = nothing. */
static size_t
parent_of(const struct ts_tree *t, size_t node)
{
	size_t parent = SIZE_MAX;

	for (size_t i = 0; i < node;) {
		size_t next = behind(t, i);

		if (next > node) {
			parent = i;
			i++;
		} else {
			i = next;
		}
	}
	return parent;
}

void
ts_tree_go(struct ts_tree *t, size_t node)
{
	size_t cursor = ts_tree_cursor(t);

	if (node >= t->count)
		return;
	for (size_t i = 0; i < node;) {
		size_t next = behind(t, i);

		if (next > node)
			t->open[i++] = true;
		else
			i = next;
	}
	make_lines(t, cursor); /* the screen stays, unless the node is not on it */
	for (int64_t l = 0; l < t->list.count; l++)
		if (t->line[l] == node)
			ts_list_jump(&t->list, l);
}

static enum ts_effect
open_all(struct ts_tree *t, bool open)
{
	size_t cursor = ts_tree_cursor(t);

	memset(t->open, open, t->count);
	make_lines(t, cursor);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
go_line_of(struct ts_tree *t, size_t node)
{
	if (node == SIZE_MAX)
		return TS_EFFECT_BELL;
	ts_tree_go(t, node);
	return TS_EFFECT_REPAINT | TS_EFFECT_SELECT;
}

enum ts_effect
ts_tree_command(struct ts_tree *t, enum ts_cmd cmd)
{
	size_t at = ts_tree_cursor(t);
	bool folds = at != SIZE_MAX && shape_of(t, at).inside > 0;

	if (at == SIZE_MAX)
		return ts_list_command(&t->list, cmd);
	switch (cmd) {
	case TS_CMD_OPEN:
		if (!folds)
			return TS_EFFECT_BELL;
		ts_tree_open(t, at, !t->open[at]);
		return TS_EFFECT_REPAINT;
	case TS_CMD_RIGHT:
		if (!folds)
			return TS_EFFECT_BELL;
		if (t->open[at])
			return go_line_of(t, at + 1);
		ts_tree_open(t, at, true);
		return TS_EFFECT_REPAINT;
	case TS_CMD_LEFT:
		if (!folds || !t->open[at])
			return go_line_of(t, parent_of(t, at));
		ts_tree_open(t, at, false);
		return TS_EFFECT_REPAINT;
	case TS_CMD_UNFOLD:
	case TS_CMD_FOLD:
		return open_all(t, cmd == TS_CMD_UNFOLD);
	default:
		return ts_list_command(&t->list, cmd);
	}
}

/* --- searching -------------------------------------------------------------------------------- */

static unsigned char
lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool
holds(const char *s, size_t n, const char *needle, size_t m)
{
	for (size_t i = 0; s && i + m <= n; i++) {
		size_t k = 0;

		while (k < m && lower(s[i + k]) == lower(needle[k]))
			k++;
		if (k == m)
			return true;
	}
	return false;
}

size_t
ts_tree_find(const struct ts_tree *t, const char *needle, int direction)
{
	size_t at = ts_tree_cursor(t), m = strlen(needle);

	for (size_t i = 0; at != SIZE_MAX && m > 0 && i < t->count; i++) {
		struct ts_tree_node n;

		if (direction < 0)
			at = at == 0 ? t->count - 1 : at - 1;
		else
			at = at + 1 == t->count ? 0 : at + 1;
		n = node_of(t, at);
		if (holds(n.key, n.key_n, needle, m) || holds(n.value, n.value_n, needle, m))
			return at;
	}
	return SIZE_MAX;
}

/* --- drawing ---------------------------------------------------------------------------------- */

void
ts_tree_resize(struct ts_tree *t, int rows)
{
	ts_list_resize(&t->list, rows);
}

static void
draw_node(struct ts_canvas *c, struct ts_rect r, const struct ts_tree *t, size_t i)
{
	struct ts_tree_node n = node_of(t, i);
	int x = 1 + INDENT * (n.depth < DEPTH_SHOWN ? n.depth : DEPTH_SHOWN);

	if (n.inside > 0)
		ts_canvas_glyph(c, r, x, 0, TS_ROLE_BORDER, t->open[i] ? 0x25be : 0x25b8);
	x += 2;
	if (n.key && x < r.w)
		x += ts_canvas_field(c, r, x, 0, r.w - x, n.key_role, n.key, n.key_n,
			     TS_FIELD_ELLIPSIS) +
			2;
	if (n.value_at > x)
		x = n.value_at;
	if (n.value && x < r.w)
		ts_canvas_field(c, r, x, 0, r.w - x, n.value_role, n.value, n.value_n,
			TS_FIELD_ELLIPSIS);
}

void
ts_tree_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_tree *t, bool focus,
	const char *empty)
{
	int64_t from, to;

	if (ts_rect_empty(r))
		return;
	if (t->list.count <= 0) {
		ts_canvas_wrap(c, r, 0, TS_ROLE_DIM, empty);
		return;
	}
	ts_list_window(&t->list, &from, &to);
	for (int64_t l = from; l < to && l - from < r.h; l++) {
		struct ts_rect line = ts_rect_row(r, (int)(l - from));

		draw_node(c, line, t, t->line[l]);
		if (l == t->list.cursor)
			ts_canvas_overlay(c, line, focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER);
	}
}
