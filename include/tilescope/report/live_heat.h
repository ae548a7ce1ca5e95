/* SPDX-License-Identifier: MIT */
/*
 * live_heat - tile x liveness step at the resolution of a screen: the fullest tile at the fullest step of each cell.
 *
 * Bytes of a tile at a step are those that are always live there and those that are alive then
 * (tile_live.h). Every cell is exact: nothing is sampled. Where cells hold whole groups of tiles their crests
 * answer, else each tile in sight is walked.
 *
 * Tiles are places in the table's list (by number); nothing says that a report's tiles are 0, 1, 2, ...
 */
#ifndef TS_REPORT_LIVE_HEAT_H
#define TS_REPORT_LIVE_HEAT_H

#include "tilescope/report/tile_live.h"

struct ts_live_heat {
	size_t tile, per_row; /* row i has places [tile + i * per_row, ...) */
	int rows;
	int64_t step, steps; /* that the columns have between them: ts_buckets_range() says which */
	int columns;	     /* no more than `steps` */
};

/* Steps that there are: those recorded, else up to the last point. */
int64_t ts_live_heat_steps(const struct ts_tile_lives *l);

/* Steps [*from, *to) of a column. */
void ts_live_heat_column(const struct ts_live_heat *h, int column, int64_t *from, int64_t *to);

/* The column of a step; -1 before the first, h->columns behind the last. */
int ts_live_heat_column_of(const struct ts_live_heat *h, int64_t step);

/*
 * The best number of tiles to a cell so that n of them fit `cells`: a multiple of a group's where there are that many
 * to a cell.
 */
size_t ts_live_heat_fit(size_t n, int cells, size_t group);

/*
 * most[row * columns + column]: bytes, TS_UNKNOWN where there is no tile or step. Errors: TS_E_CANCELLED,
 * TS_E_NOMEM.
 */
enum ts_code ts_live_heat_read(int64_t *most, const struct ts_tile_lives *l,
	const struct ts_live_heat *h, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Where the most bytes of some places and steps are: the first tile, then the first step, of equals. */
struct ts_live_spot {
	ptrdiff_t place; /* in l->tile; -1: there is none */
	int64_t step;
	int64_t bytes; /* base and not always live */
};

/* Of places [from, to) and steps [step, step_to). Errors: TS_E_NOMEM. */
enum ts_code ts_live_spot_read(struct ts_live_spot *s, const struct ts_tile_lives *l, size_t from,
	size_t to, int64_t step, int64_t step_to, struct ts_err *err) TS_WARN_UNUSED;

/* Of all: the bottleneck pair. Where the fullest tile has nothing but its base, step is 0. */
struct ts_live_spot ts_live_bottleneck(const struct ts_tile_lives *l);

#endif
