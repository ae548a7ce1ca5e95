/* SPDX-License-Identifier: MIT */
/*
 * tile_live_internal - how the table of tile_live.h is made: the axis (classes, their intervals, points), then
 * gathers, one for each thread that reads rows, then one of them that has what all have.
 *
 * A gather adds up the rows of the tile that it is at, and puts the pairs away as a *fragment* when another tile comes. A tile
 * that is come back to has several fragments; they are put together when there are many, and at the end. So it
 * does not matter in which order rows stand, and memory is bounded by pairs, not by rows.
 */
#ifndef TS_REPORT_TILE_LIVE_INTERNAL_H
#define TS_REPORT_TILE_LIVE_INTERNAL_H

#include "tilescope/report/tile_live.h"

/* Read-only once it is read: shared by the threads. */
struct ts_live_axis {
	struct ts_pile point, class, interval;
	size_t points, classes, intervals;
	struct ts_pile near; /* uint32_t by small class number: index + 1, 0 = none */
	int64_t steps, bad_intervals, reversed, beyond;
};

struct ts_live_gather {
	const struct ts_live_axis *axis;
	const struct ts_cache *cache;
	struct ts_pile sum;	/* int64_t by class, of the tile under way; all 0 between tiles */
	struct ts_pile touched; /* uint32_t: classes that are not 0 there */
	struct ts_pile bits;	/* the same, a bit each */
	size_t touches;
	int64_t tile, always, unplaced; /* under way; tile < 0: none is */
	struct ts_pile fragment, pairs;
	size_t fragments, merge_at;
	int64_t bytes; /* of all rows that count */
	int64_t rows, bad_rows, too_large, unplaced_rows;
};

/* A row, its values as they were read; TS_UNKNOWN = no number, `class` also where it has none. */
struct ts_live_row {
	int64_t tile, bytes, class, always;
};

/* Columns of a query, in this order. */
enum { TS_LIVE_TILE, TS_LIVE_BYTES, TS_LIVE_CLASS, TS_LIVE_ALWAYS, TS_LIVE_COLUMNS };
struct ts_rows_query ts_live_query(void);

/* Read class_interval and how many steps there are. Damage keeps what was read. */
enum ts_code ts_live_axis_read(struct ts_live_axis *a, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_live_axis_fini(struct ts_live_axis *a);

/* Index of a class, or -1. */
ptrdiff_t ts_live_axis_class(const struct ts_live_axis *a, int64_t number);

enum ts_code ts_live_gather_begin(struct ts_live_gather *g, const struct ts_live_axis *a,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_live_gather_fini(struct ts_live_gather *g);

/* Read rows until the query's end; `has` (or NULL): only these tiles. `total`: rows, for progress. */
enum ts_code ts_live_gather_read(struct ts_live_gather *g, struct ts_reader *rd,
	const struct ts_rows_query *q, bool (*has)(const void *set, int64_t tile), const void *set,
	int64_t total, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* Row k of a block whose first columns are those; false: it cannot be used, nor can any row of the block. */
struct ts_rows_block;
bool ts_live_row_of(struct ts_live_row *r, const struct ts_rows_block *b, int k);

/* Add a row. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_live_gather_add(struct ts_live_gather *g, const struct ts_live_row *r,
	struct ts_err *err) TS_WARN_UNUSED;

/* No more rows: the tile under way is put away. */
enum ts_code ts_live_gather_end(struct ts_live_gather *g, struct ts_err *err) TS_WARN_UNUSED;

/* Add what `from` has (and has put away). *fits false: the bytes of both are too many. */
enum ts_code ts_live_gather_merge(bool *fits, struct ts_live_gather *g,
	const struct ts_live_gather *from, struct ts_err *err) TS_WARN_UNUSED;

/* The crests of a table that has everything else. Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_live_crests(struct ts_tile_lives *l, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The table of what a gather has; `all`: with the tiles that only tile_memory knows. Takes the arrays out of the
 * axis and the gather. Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_live_table(struct ts_tile_lives **out, struct ts_live_axis *a,
	struct ts_live_gather *g, struct ts_reader *rd, bool all,
	struct ts_err *err) TS_WARN_UNUSED;

/* From the index; *out NULL: it does not hold it. Errors: TS_E_NOMEM. */
enum ts_code ts_tile_lives_indexed(struct ts_tile_lives **out, struct ts_index *x,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
