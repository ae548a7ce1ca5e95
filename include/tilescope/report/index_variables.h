/* SPDX-License-Identifier: MIT */
/*
 * index_variables - the section that says where the lowered variables of each tile stand, and which
 * are the largest.
 */
#ifndef TS_REPORT_INDEX_VARIABLES_H
#define TS_REPORT_INDEX_VARIABLES_H

#include "tilescope/report/index_build.h"
#include "tilescope/report/memory.h"

enum {
	TS_LARGEST_OF_ALL = 1000,
	TS_LARGEST_OF_CATEGORY = 64,
	TS_TILE_ROWS_TOGETHER = 1, /* flag: no other row stands between those of the tile */
};

/* The lowered variables of a tile. */
struct ts_tile_rows {
	int64_t tile;
	int64_t first, last; /* row ids; first > last: rows have no row ids */
	int64_t bytes;	     /* TS_UNKNOWN: their sum does not fit 63 bits */
	uint32_t rows;	     /* also those whose size is no number */
	uint32_t flags;
};

struct ts_large_row {
	int64_t row; /* row id */
	int64_t bytes;
};

/* Lent by the snapshot that it was taken from. */
struct ts_index_variables {
	int64_t rows;
	int64_t bad_tiles; /* rows whose tile is no number */
	int64_t bad_sizes; /* rows whose size is no number */
	int64_t bytes;	   /* of all rows whose size is a number; TS_UNKNOWN: does not fit */
	bool has_row_ids;
	bool in_order; /* the tile never falls along the rows (rows without one do not count) */
	size_t tiles;
	const struct ts_tile_rows *tile; /* by tile */
	size_t largest;
	const struct ts_large_row *large; /* largest first, of equals the lower row id */
	int categories;
	const void *payload;
	size_t size;
};

/* False when the index does not hold it. */
bool ts_index_variables(struct ts_index_variables *v, const struct ts_index *x);

/* The rows of a tile; NULL: it has none. */
const struct ts_tile_rows *ts_index_variables_tile(const struct ts_index_variables *v,
	int64_t tile);

/* The largest of category i (of rows that have a tile, too), and its name (not NUL-terminated). */
const struct ts_large_row *ts_index_variables_category(const struct ts_index_variables *v, int i,
	size_t *count, const char **name, size_t *n);

#endif
