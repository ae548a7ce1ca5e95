/* SPDX-License-Identifier: MIT */
/*
 * tree - a folded tree: which nodes are open, which are in sight, where the cursor is.
 *
 * The nodes stand in one row, each before all that is in it, and are numbered from 0; what they say comes
 * from a function of the view. The tree holds a byte and a number for each node and no text. Lines in sight
 * are kept in a struct ts_list, so that moving, scrolling and the mouse work as in any list.
 */
#ifndef TS_UI_TREE_H
#define TS_UI_TREE_H

#include "tilescope/ui/canvas.h"
#include "tilescope/ui/list.h"

enum { TS_TREE_NODES = 1 << 22 };

/* One node. Texts need no NUL behind them; NULL = none. */
struct ts_tree_node {
	bool shape; /* set by the tree: it asks for depth and inside alone */
	int depth;
	uint32_t inside; /* nodes that follow and are in it */
	const char *key, *value;
	size_t key_n, value_n;
	enum ts_role key_role, value_role;
	int value_at; /* column of the screen for the value, where the key leaves room for that; 0 = behind it */
};

typedef void ts_tree_node_fn(void *ctx, size_t i, struct ts_tree_node *out);

struct ts_tree {
	ts_tree_node_fn *node;
	void *ctx;
	size_t count;
	unsigned char *open;
	uint32_t *line; /* nodes in sight (if the screen were long enough) */
	struct ts_list list;
};

void ts_tree_init(struct ts_tree *t);
void ts_tree_fini(struct ts_tree *t);

/*
 * Other nodes; those of a depth below `open_depth` are open. The cursor goes to the first. False: no memory,
 * the tree is empty then.
 */
bool ts_tree_set(struct ts_tree *t, ts_tree_node_fn *node, void *ctx, size_t count,
	int open_depth) TS_WARN_UNUSED;

/* The node under the cursor; SIZE_MAX when there are none. */
size_t ts_tree_cursor(const struct ts_tree *t);

/* Open or fold one node (the cursor stays in sight). */
void ts_tree_open(struct ts_tree *t, size_t node, bool open);

/* Put the cursor on a node; what it is in is opened. */
void ts_tree_go(struct ts_tree *t, size_t node);

/*
 * Those of ts_list_command(), and OPEN: unfold or fold; RIGHT: unfold, else into it; LEFT: fold, else to what
 * it is in; UNFOLD, FOLD: all of the tree. UNKNOWN for others.
 */
enum ts_effect ts_tree_command(struct ts_tree *t, enum ts_cmd cmd);

/*
 * The next node behind the cursor (before it for direction < 0), going round, whose key or value holds `needle`
 * (letters of ASCII in any case), folded or not; SIZE_MAX: none does.
 */
size_t ts_tree_find(const struct ts_tree *t, const char *needle, int direction);

void ts_tree_resize(struct ts_tree *t, int rows);

/* `focus`: this pane has the keys. `empty`: what to say without nodes. */
void ts_tree_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_tree *t, bool focus,
	const char *empty);

#endif
