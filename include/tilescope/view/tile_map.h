/* SPDX-License-Identifier: MIT */
/*
 * tile_map - a value of each tile as a map of the IPUs (calc/floor_plan.h), drawn in levels of heat (ui/heat.h).
 *
 * It knows places in a list of tiles, their values, and where they stand; what the values are is its user's. With
 * `other` it shows differences: value - other, with the colours of more and less.
 *
 * Use: ts_tile_map_lay() when the tiles come or their order changes, ts_tile_map_color() when values, scale or
 * what is over change, ts_tile_map_fit() for a rectangle and a cursor, then draw. Nothing allocates
 * but the first two.
 */
#ifndef TS_VIEW_TILE_MAP_H
#define TS_VIEW_TILE_MAP_H

#include "tilescope/base/fmt.h"
#include "tilescope/calc/floor_plan.h"
#include "tilescope/ui/heat.h"

/* What is coloured: arrays of as many tiles as were laid out. */
struct ts_tile_map_values {
	const int64_t
		*value; /* below 0 = not known; NULL = not here yet: all tiles are not known */
	const int64_t *other; /* NULL, or what the values are compared with */
	int64_t limit; /* end of the scale 0 to limit; below 0 = not known: the largest value */
	bool (*is_over)(void *ctx, int64_t i); /* a tile that breaks a limit; NULL = none does */
	bool beyond; /* it does so by its value: the scale ends with the tiles that do not */
	void *ctx;
};

struct ts_tile_map {
	enum ts_heat_how how;
	int zoom; /* wanted: 0 = as large as everything fits */
	int size; /* that was taken */
	struct ts_floor floor;
	struct ts_floor_view seen;
	struct ts_heat_scale scale;
	uint8_t *level;	   /* by tile */
	int64_t *top;	   /* largest value of each block, below 0 = none is known */
	int64_t unknown;   /* tiles */
	int64_t over;	   /* tiles that are marked as such */
	int64_t different; /* the largest difference without its sign; -1 = none are shown */
};

/* Lay out (ts_floor_init()). False: no memory, the map is empty. */
bool ts_tile_map_lay(struct ts_tile_map *m, const int64_t *tile, const int64_t *ipu,
	const int64_t *order, int64_t n, int64_t per_ipu);
void ts_tile_map_fini(struct ts_tile_map *m);

void ts_tile_map_color(struct ts_tile_map *m, const struct ts_tile_map_values *v);

/* Rows of the screen that the map takes of `height` when it is fitted into them. */
int ts_tile_map_fit(struct ts_tile_map *m, int width, int height, bool whole, int64_t cursor);

/* What a number is called. */
typedef const char *ts_tile_map_text(void *ctx, int64_t v, char out[TS_FMT_MAX]);

struct ts_tile_map_marks {
	int64_t cursor;				 /* -1 = none */
	bool (*is_marked)(void *ctx, int64_t i); /* selected; NULL = none is */
	ts_tile_map_text *text;
	const char *note; /* beside the map: what else has to be said; NULL = nothing */
	void *ctx;
};

/* The map in a rectangle that it was fitted into; its blocks' names; marks of the cursor's row and column. */
void ts_tile_map_draw(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k);

/* Levels with their ends, what is over and not known, in one row. Returns the columns it took. */
int ts_tile_map_legend(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k);

/*
 * The same from top to bottom, in a rectangle beside the map of at least TS_TILE_MAP_SIDE columns; above it the name of
 * the page's only block where the map has no room for it. What has no row is left out: levels are put together.
 */
enum { TS_TILE_MAP_SIDE = 14, TS_TILE_MAP_SIDE_ROWS = 8 };

void ts_tile_map_side(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k);

/* The tile at a cell of the rectangle: of its two halves the one with more; -1 = none. */
int64_t ts_tile_map_at(const struct ts_tile_map *m, int x, int y);

#endif
