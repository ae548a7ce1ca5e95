/* SPDX-License-Identifier: MIT */
/*
 * layout - where the panes of a view are.
 *
 * A layout is a constant table: a tree written down in depth-first order, each item one deeper
 * than the split that it belongs to. ts_layout() is pure arithmetic from the table and an area
 * to rectangles, done again at every resize; nothing is kept.
 *
 *	static const struct ts_layout_item memory[] = {
 *		{ 0, TS_SPLIT_ROWS },
 *		{ 1, TS_PANE, .id = STRIP, .fixed = 1, .keep = 1 },
 *		{ 1, TS_PANE, .id = GRAPH, .weight = 3, .min = 5 },
 *		{ 1, TS_SPLIT_COLUMNS, .weight = 2, .min = 4, .gap = 1 },
 *		{ 2, TS_PANE, .id = CATEGORIES, .weight = 1, .min = 20 },
 *		{ 2, TS_PANE, .id = VARIABLES, .weight = 2, .min = 30 },
 *	};
 *
 * Sizes are along the direction of the split that holds the item: rows in TS_SPLIT_ROWS, columns in
 * TS_SPLIT_COLUMNS. When the minimum sizes do not fit, items are left out, those with the lowest
 * `keep` first, of these the last; what is left out has an empty rectangle.
 */
#ifndef TS_UI_LAYOUT_H
#define TS_UI_LAYOUT_H

#include "tilescope/ui/canvas.h"

enum ts_layout_kind {
	TS_PANE,
	TS_SPLIT_ROWS,	  /* children one above the other */
	TS_SPLIT_COLUMNS, /* children side by side */
};

struct ts_layout_item {
	int depth; /* 0 = root (one only), 1 = its children, ... */
	enum ts_layout_kind kind;
	int id;	    /* TS_PANE: index into the result, 0..TS_LAYOUT_PANES-1 */
	int fixed;  /* exactly so many rows or columns; 0 = by weight */
	int weight; /* share of what is left after fixed and min; 0 counts as 1 */
	int min;    /* at least so many; 0 counts as 1 */
	int max;    /* at most so many; 0 = any number */
	int keep;   /* the higher, the longer it stays when it gets narrow */
	int gap;    /* splits: blank rows or columns between children (a line is drawn there) */
};

enum { TS_LAYOUT_PANES = 16, TS_LAYOUT_ITEMS = 32, TS_LAYOUT_NONE = -1 };

/*
 * out[id] for every pane of the table (others become empty). `zoomed` is the pane that has the
 * whole area for itself, or TS_LAYOUT_NONE.
 */
void ts_layout(struct ts_rect out[TS_LAYOUT_PANES], const struct ts_layout_item *items, int n,
	struct ts_rect area, int zoomed);

/*
 * The pane after (step 1) or before (-1) pane `id` among those that are not empty and that
 * `wants` (a bit per pane id) names as taking keys; `id` itself when there is no other.
 */
int ts_layout_next(const struct ts_rect panes[TS_LAYOUT_PANES], unsigned wants, int id, int step);

/* The pane at a cell of the screen (mouse); TS_LAYOUT_NONE when there is none. */
int ts_layout_at(const struct ts_rect panes[TS_LAYOUT_PANES], int x, int y);

#endif
