/* SPDX-License-Identifier: MIT */
/*
 * bsp - what each tile of an IPU does in a range of cycles: computes, exchanges, waits for the slowest.
 *
 * The machine works in supersteps: all tiles of an IPU begin a step together, each takes the cycles that its own
 * vertices or messages take, and waits for the others. Cycles by tile are those of the step's compute set,
 * or of its program for an exchange: measured (one execution, repeated for all of them) where they are
 * recorded, else the compiler's estimates, else nothing is known of the tiles and the step stands for all of them
 * (`whole`). A tile waits from the end of its own cycles to the end of the step. Sync is waiting, too.
 *
 * The picture has columns of time and rows of tiles; a cell holds the parts of its tile-cycles. Steps of a range with
 * few of them are all read; else one step for each of at most TS_BSP_PLACES places, the one that runs there
 * (`sampled`), as steps fill the time.
 */
#ifndef TS_REPORT_BSP_H
#define TS_REPORT_BSP_H

#include "tilescope/report/tile_ipus.h"
#include "tilescope/report/trace.h"

enum {
	TS_BSP_COLUMNS = TS_TRACE_COLUMNS,
	TS_BSP_ROWS = 256,
	TS_BSP_STEPS = 2048,   /* of the IPU, with a length, that are all read */
	TS_BSP_SLICES = 16384, /* rows of step_ipu, of all IPUs, up to which they are */
	TS_BSP_PLACES = 96,
};

/* Parts of a cell that are known by tile. */
enum ts_bsp_part { TS_BSP_COMPUTE, TS_BSP_EXCHANGE, TS_BSP_WAIT, TS_BSP_PARTS };

/* Which tiles an IPU has: [first, first + count). count 0: it is not known. */
struct ts_bsp_tiles {
	int64_t first, count;
};

struct ts_bsp_tiles ts_bsp_tiles_of(const struct ts_tile_ipus *ipus, int64_t ipu);

struct ts_bsp {
	int64_t ipu, from, to;	 /* cycles */
	struct ts_bsp_tiles all; /* of the IPU */
	int64_t tile, tiles;	 /* shown: [tile, tile + tiles) */
	int columns, rows;
	double *share; /* ts_bsp_share(): 0 .. 1 */
	double *whole; /* ts_bsp_whole(): of each class and column, 0 .. 1: what is not known by tile */
	/* steps of compute and exchange that were read; of these known by tile, and by estimates */
	int64_t steps, by_tile, estimated;
	bool sampled; /* not every step was read */
	bool partial; /* damage: what could be read */
};

/* Does the report say anything of cycles by tile? */
bool ts_bsp_recorded(const struct ts_report *r);

/*
 * Read the picture of [from, to) for tiles [tile, tile + tiles) of `all` in `columns` x `rows` cells (rows are never more
 * than tiles). `all` is not empty. Errors: TS_E_ABSENT with the reason; TS_E_CANCELLED, TS_E_NOMEM; with
 * TS_E_DAMAGED b has what could be read. Free with ts_bsp_fini() in every case.
 */
enum ts_code ts_bsp_read(struct ts_bsp *b, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, struct ts_bsp_tiles all, int64_t from, int64_t to, int columns, int64_t tile,
	int64_t tiles, int rows, const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_bsp_fini(struct ts_bsp *b);

/* Of each column of a row. */
static inline const double *
ts_bsp_share(const struct ts_bsp *b, int row, enum ts_bsp_part part)
{
	return b->share + ((size_t)row * TS_BSP_PARTS + (size_t)part) * (size_t)b->columns;
}

static inline const double *
ts_bsp_whole(const struct ts_bsp *b, enum ts_step_class k)
{
	return b->whole + (size_t)k * (size_t)b->columns;
}

/* The tiles [*first, *last + 1) of a row. */
static inline void
ts_bsp_row_tiles(const struct ts_bsp *b, int row, int64_t *first, int64_t *last)
{
	*first = b->tile + b->tiles * row / b->rows;
	*last = b->tile + b->tiles * (row + 1) / b->rows - 1;
}

#endif
