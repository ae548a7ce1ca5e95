/* SPDX-License-Identifier: MIT */
/* How the section is laid out: index_tile_rows.c writes it, tile_rows.c reads it. */
#ifndef TS_REPORT_INDEX_TILE_ROWS_H
#define TS_REPORT_INDEX_TILE_ROWS_H

#include <stdint.h>

#include "tilescope/report/tile_rows.h"

enum { TILE_ROWS_LEFT_TO_THE_ROWS = 1, TILE_ROWS_JOINED = 2 };

/*
 * Of a tile: for each row a word, the lowest bits of which (`kind_bits`) are its kind, and the others its bytes in units. Where all
 * of these are set, so many units as the next eight bytes say. All numbers have their low bytes first.
 */
struct tile_rows_head {
	uint64_t flags, shift, kind_bits;
	uint64_t kinds, lives, classes, tiles, bytes;
	int64_t names;
	uint64_t kind_at, class_at, tile_at, packed_at;
	uint64_t first_at, not_alone_at; /* where kinds have names */
	uint64_t kept, kept_rows, kept_names_at, kept_name_at;
	uint64_t category_at, category_text_at, category_bytes;
};

/* So that no row whose bytes are in its word has more than a sum holds (TS_KIND_BYTES_BITS). */
static inline uint64_t
ts_tile_rows_shift_most(uint64_t kind_bits)
{
	return TS_KIND_BYTES_BITS - (32 - kind_bits);
}

#endif
