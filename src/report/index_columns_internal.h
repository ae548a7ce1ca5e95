/* SPDX-License-Identifier: MIT */
/* How a column is packed: index_columns.c writes it, index_columns_read.c reads it. */
#ifndef TS_REPORT_INDEX_COLUMNS_INTERNAL_H
#define TS_REPORT_INDEX_COLUMNS_INTERNAL_H

#include "tilescope/report/index_columns.h"

enum {
	COLUMN_WIDTH_MOST = 56, /* bits that a load of eight bytes has, wherever it begins */
	COLUMN_WHOLE = 64,	/* the width of values that are not packed */
	COLUMN_SLACK = 8,	/* bytes behind the last value */
	COLUMNS_LEFT_TO_THE_ROWS = 1,
	COLUMNS_GAPLESS = 2,
};

/*
 * A block of a column. A value is kept plus 1, and 0 for one that is not known. Each is `base` + packed << shift; or,
 * where `differs`, the one before (the first: base) plus `step` + packed: of a block of n values n - 1 are packed.
 */
struct ts_column_block {
	uint64_t base;
	uint64_t at; /* of the first bit, in bytes */
	int32_t step;
	uint8_t width, shift, differs, spare;
};

struct columns_head {
	uint64_t flags;
	int64_t rows, blocks, names, texts, first, bytes, unsized;
	uint64_t start_at, block_at[TS_COLUMN_COUNT]; /* 0: not kept */
	uint64_t bits_at, bits_size, before_at, group_at, signature_at, text_at, text_size;
};

static inline int64_t
column_packed(const struct ts_column_block *b, int rows)
{
	return b->differs ? rows - 1 : rows;
}

#endif
