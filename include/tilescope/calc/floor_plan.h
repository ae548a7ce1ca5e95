/* SPDX-License-Identifier: MIT */
/*
 * floor_plan - where tiles are on a map: IPUs as blocks of 64 columns, pages of blocks.
 *
 * An IPU's tiles stand in rows of 64 (Mk2: 1,472 = 64 x 23), by their number in the IPU, or in the order of
 * their physical numbers. Where a chip has a tile is on no public surface: an order is all that this is.
 * Tiles are places in a list, ascending by number; an IPU is a run of equal `ipu` in it.
 *
 * A map has units: columns of the screen, and half rows. A tile takes `w` x `h` units. As many blocks as fit
 * make a page; where not even one fits, a window of it is seen that moves with the cursor.
 */
#ifndef TS_CALC_FLOOR_PLAN_H
#define TS_CALC_FLOOR_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_FLOOR_COLUMNS = 64, TS_FLOOR_BLOCKS = 4096 };

struct ts_floor_block {
	int64_t first, count; /* its tiles in the list */
	int64_t ipu;	      /* below 0 = not known */
	int32_t *at;	      /* tile by slot, -1 = none; `slots` of the floor */
};

struct ts_floor {
	int64_t tiles;
	int blocks;
	struct ts_floor_block *block;
	int32_t *block_of, *slot_of; /* by tile */
	int32_t *at;		     /* of all blocks */
	int64_t slots;		     /* of each block */
	int columns, rows;	     /* of a block */
	bool ranked; /* `order` did not fit slots: the tiles stand in its order, without holes */
};

/*
 * Lay out n tiles. `per_ipu`: 0 or less = not known. `order` (NULL: the numbers of the tiles): what the tiles
 * of an IPU are ordered by; numbers that are one by one in 0 .. per_ipu, or go on from IPU to IPU,
 * leave holes where one is missing. False: no memory.
 */
bool ts_floor_init(struct ts_floor *f, const int64_t *tile, const int64_t *ipu,
	const int64_t *order, int64_t n, int64_t per_ipu);
void ts_floor_fini(struct ts_floor *f);

/* How it is seen. */
struct ts_floor_view {
	int width, height; /* units of the screen */
	int w, h;	   /* units of a tile */
	bool nameless;	   /* wanted: no room for a block's name when it has the page to itself */
	int label;	   /* units above a block for its name */
	int across, down;  /* blocks of a page */
	int first;	   /* block at the page's begin */
	int left, top;	   /* the first column and row of a block that are seen, ... */
	int columns, rows; /* ... and how many */
};

/*
 * Fit into width x height units. `zoom` 0: the largest tiles with which everything is on one page, at
 * most TS_FLOOR_ZOOMS - 1; else that size. `whole`: a tile may not be half a row (screens without halves),
 * except at zoom 1. The page is the one with the cursor's tile; a window moves as little as need be.
 * Returns the zoom that was taken.
 */
enum { TS_FLOOR_ZOOMS = 9 };

int ts_floor_fit(struct ts_floor_view *v, const struct ts_floor *f, int width, int height, int zoom,
	bool whole, int64_t cursor);

/* Units of a tile: false when it is not on the page. Of a block's name: of its top left corner. */
bool ts_floor_place(const struct ts_floor_view *v, const struct ts_floor *f, int64_t tile, int *x,
	int *y);
bool ts_floor_label(const struct ts_floor_view *v, const struct ts_floor *f, int block, int *x,
	int *y);

/* The tile at a unit; -1 = none. */
int64_t ts_floor_at(const struct ts_floor_view *v, const struct ts_floor *f, int x, int y);

/* The tile to the left (dx -1), right, above (dy -1) or below; -1 = none. Over the edge of a block into the next. */
int64_t ts_floor_step(const struct ts_floor_view *v, const struct ts_floor *f, int64_t tile, int dx,
	int dy);

/* Is a tile in the rectangle that two tiles span? Of two blocks: is it between them in the list? */
bool ts_floor_between(const struct ts_floor *f, int64_t a, int64_t b, int64_t tile);

/* Columns of a page. */
int ts_floor_width(const struct ts_floor_view *v);

static inline int
ts_floor_pages(const struct ts_floor_view *v, const struct ts_floor *f)
{
	return (f->blocks + v->across * v->down - 1) / (v->across * v->down);
}

#endif
