/* SPDX-License-Identifier: MIT */
/*
 * outline - a graph seen as a folded tree: rows are ways from its roots, opened one at a time.
 *
 * Nothing is known of the graph but how many children a node has and which they are, so that it may be large, shared
 * and have circles: a row stands for one way to a node, a node may have many rows. A row whose node stands above it
 * already is a circle and is not opened. At most TS_OUTLINE_ROWS rows are open at once. The cursor and scrolling are those
 * of `list`; the view draws rows itself.
 */
#ifndef TS_UI_OUTLINE_H
#define TS_UI_OUTLINE_H

#include <stddef.h>

#include "tilescope/ui/list.h"

enum { TS_OUTLINE_ROWS = 1 << 18 };

#define TS_OUTLINE_NONE SIZE_MAX

struct ts_outline_graph {
	uint32_t (*children)(void *ctx, uint32_t node);
	uint32_t (*child)(void *ctx, uint32_t node, uint32_t i); /* i < children */
};

struct ts_outline_row {
	uint32_t node;
	uint32_t depth; /* roots: 0 */
	bool open;
	bool circle; /* its node is one of those above it */
};

struct ts_outline {
	const struct ts_outline_graph *graph;
	void *ctx;
	struct ts_outline_row *row;
	size_t count, cap;
	bool full; /* the last command would have opened more rows than there may be */
	struct ts_list list;
};

void ts_outline_init(struct ts_outline *o);
void ts_outline_fini(struct ts_outline *o);

/* Another graph, with these nodes on top, all folded. False: no memory; there are no rows then. */
bool ts_outline_set(struct ts_outline *o, const struct ts_outline_graph *graph, void *ctx,
	const uint32_t *root, size_t n) TS_WARN_UNUSED;

/* No rows any more. */
void ts_outline_clear(struct ts_outline *o);

/* The row under the cursor, or NULL. */
const struct ts_outline_row *ts_outline_at(const struct ts_outline *o);

/* Open or fold a row; the cursor stays on its row, or goes to the one that is folded. */
void ts_outline_open(struct ts_outline *o, size_t row, bool open);

/*
 * Put the cursor on the way that leads over `node[0]` (a root) ... `node[n - 1]`, opening what is folded. False: there is no
 * such way, or no room for it.
 */
bool ts_outline_go(struct ts_outline *o, const uint32_t *node, size_t n);

/* The row that a row is in. */
size_t ts_outline_parent(const struct ts_outline *o, size_t row); /* TS_OUTLINE_NONE: a root */

/*
 * Those of ts_list_command(), and OPEN: unfold or fold; RIGHT: unfold, else into it; LEFT: fold, else to what it is
 * in; UNFOLD: all below the cursor, level by level, as far as rows go; FOLD: all.
 */
enum ts_effect ts_outline_command(struct ts_outline *o, enum ts_cmd cmd);

#endif
