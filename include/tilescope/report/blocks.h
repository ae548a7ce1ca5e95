/* SPDX-License-Identifier: MIT */
/*
 * blocks - lightweight profiling: real durations of named blocks, on one tile of each IPU.
 *
 * A lane is a tile. Its blocks nest by containment: a block lies inside another that neither starts later nor ends
 * earlier. Blocks that only overlap (which the recording does not promise to exclude) get a row of their own and are
 * counted as crossing. Clocks of different IPUs start at different times: cycles of two lanes are not to be compared,
 * their lengths are (MODEL.md, honesty rules).
 *
 * Blocks are in a pile: millions of them do not stay in memory. Cycles are tile clock cycles; intervals are half-open.
 */
#ifndef TS_REPORT_BLOCKS_H
#define TS_REPORT_BLOCKS_H

#include <stdatomic.h>

#include "tilescope/report/dictionary.h"
#include "tilescope/report/memory.h"

enum { TS_BLOCK_ROWS_MAX = 64, TS_BLOCK_NO_ROW = TS_BLOCK_ROWS_MAX };

/* What a block is. Flush and overflow are the profiler's own: nothing else was recorded in that time. */
enum ts_block_kind {
	TS_BLOCK_COMMON,
	TS_BLOCK_STREAM_COPY,
	TS_BLOCK_FLUSH,
	TS_BLOCK_OVERFLOW,
	TS_BLOCK_OTHER, /* any other word */
	TS_BLOCK_KINDS
};

/* Word of a kind as it stands in a report; "other" for TS_BLOCK_OTHER. */
const char *ts_block_kind_name(enum ts_block_kind kind);

struct ts_block {
	int64_t tile, seq, from, to;
	int64_t program; /* TS_UNKNOWN */
	int64_t self;	 /* cycles in no block inside it */
	int32_t name;	 /* entry of `names`: its own, else its program's; or TS_DICTIONARY_NONE */
	uint16_t kind;	 /* enum ts_block_kind */
	uint16_t row;	 /* how deep it is drawn, or TS_BLOCK_NO_ROW */
};

struct ts_block_lane {
	int64_t tile;
	int64_t from, to;    /* the first start and the last end */
	int64_t lost;	     /* cycles in flush or overflow, each once */
	size_t first, count; /* of its blocks in `block`, those without a row last */
	size_t row_at, rows; /* rows that are drawn: ts_block_row_first() */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_blocks {
	atomic_int uses;
	size_t count, lanes;
	struct ts_pile
		block; /* struct ts_block, by tile, row and start; those of a row do not overlap */
	struct ts_pile lane; /* struct ts_block_lane, by tile */
	struct ts_pile
		row; /* size_t: where each row of each lane starts in `block`, and where the last one ends */
	struct ts_dictionary names;
	int64_t bad_rows; /* left out: no tile, no start or end, or it ends before it starts */
	int64_t crossing; /* overlap another one without being inside it */
	int64_t too_deep; /* have no row: more than TS_BLOCK_ROWS_MAX at once */
	bool partial;	  /* damage: what could be read */
};

/*
 * Read `block`. `progress` (NULL allowed) counts rows. Errors: TS_E_ABSENT with the reason, TS_E_NOMEM, TS_E_SYS,
 * TS_E_CANCELLED, TS_E_LIMIT. Damage sets `partial`. Give back with ts_blocks_close().
 */
enum ts_code ts_blocks_read(struct ts_blocks **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_blocks *ts_blocks_hold(struct ts_blocks *b);
void ts_blocks_close(struct ts_blocks *b); /* NULL allowed */

static inline const struct ts_block *
ts_block_at(const struct ts_blocks *b, size_t i)
{
	return (const struct ts_block *)b->block.memory + i;
}

static inline const struct ts_block_lane *
ts_block_lane_at(const struct ts_blocks *b, size_t i)
{
	return (const struct ts_block_lane *)b->lane.memory + i;
}

/* Where a row (0 .. lane->rows) of a lane starts in `block`; row `rows`: the end of the last one. */
static inline size_t
ts_block_row_first(const struct ts_blocks *b, const struct ts_block_lane *lane, size_t row)
{
	return ((const size_t *)b->row.memory)[lane->row_at + row];
}

/*
 * The first block of a row of a lane that ends after `cycles`; where the next row starts when there is none.
 * Logarithmic: a column of a chart asks for its edges, whatever the number of blocks between them.
 */
size_t ts_blocks_after(const struct ts_blocks *b, const struct ts_block_lane *lane, size_t row,
	int64_t cycles);

/* Name of a block (not NUL-terminated, untrusted); NULL: neither it nor its program has one. */
const char *ts_block_name(size_t *n, const struct ts_blocks *b, int32_t name);

/*
 * What blocks of one name and kind took. Percentiles are nearest rank; the deviation is that of all of them (divided by
 * their number, not by one less), and jitter is deviation / mean.
 */
struct ts_block_statistics {
	int32_t name;
	enum ts_block_kind kind;
	int64_t count;
	int64_t sum, self; /* cycles; at most INT64_MAX */
	int64_t least, p50, p95, most;
	double mean, deviation;
};

/*
 * Statistics of the blocks of one tile (TS_UNKNOWN: of all) that start in [from, to), by falling sum into the pile
 * `list` of struct ts_block_statistics. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_blocks_statistics(struct ts_pile *list, const struct ts_blocks *b, int64_t tile,
	int64_t from, int64_t to, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
