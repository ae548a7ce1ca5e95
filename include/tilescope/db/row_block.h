/* SPDX-License-Identifier: MIT */
/*
 * row_block - rows of SQL values, copied: what a screen shows of a table or of an answer.
 *
 * Bounded: of a text or blob the first TS_ROW_VALUE bytes are kept (fewer where there are many columns), of
 * a block TS_ROW_TEXT bytes.
 */
#ifndef TS_DB_ROW_BLOCK_H
#define TS_DB_ROW_BLOCK_H

#include <stdbool.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/db/sql_value.h"

enum { TS_ROW_VALUE = 4096, TS_ROW_TEXT = 16 << 20 };

struct ts_row_cell {
	enum ts_sql_type type;
	bool by_tile;	/* a blob of a number for each tile */
	uint32_t at, n; /* of a text or blob: what is kept, in the block's text */
	union {
		int64_t integer;
		double real;
		int64_t size; /* of a text or blob: its bytes */
	};
	int64_t sum;	  /* by_tile: of the numbers, */
	uint32_t most;	  /* the largest, */
	uint32_t most_at; /* and the tile that has it */
};

struct ts_row_block {
	int columns, rows, room;
	int most;		  /* bytes of a value that are kept */
	struct ts_row_cell *cell; /* rows * columns */
	struct ts_strbuf text;
	bool nomem; /* a row was not added because there was no memory */
};

void ts_row_block_init(struct ts_row_block *b, int columns);
void ts_row_block_fini(struct ts_row_block *b);

/*
 * Append a row; `by_tile` says of a column that its blobs hold a number for each tile. False: there is no
 * room (TS_ROW_TEXT), or no memory (`nomem`); nothing was added.
 */
bool ts_row_block_add(struct ts_row_block *b, const struct ts_sql_value *values,
	const bool *by_tile) __attribute__((warn_unused_result));

static inline const struct ts_row_cell *
ts_row_block_at(const struct ts_row_block *b, int row, int column)
{
	return &b->cell[(size_t)row * (size_t)b->columns + (size_t)column];
}

/* Do blobs of a column of this name hold a number for each tile? */
bool ts_is_by_tile(const char *column);

/* Append the shortest digits that are read back as the same number, and that look like a real. */
void ts_sql_add_real(struct ts_strbuf *out, double v);
void ts_sql_add_hex(struct ts_strbuf *out, const char *bytes, size_t n);

/* Append the value as one line: untrusted text, to be drawn through the canvas. */
void ts_row_cell_text(struct ts_strbuf *out, const struct ts_row_block *b,
	const struct ts_row_cell *c);

/* Append all that is known of it: blobs as hexadecimal digits, or as the numbers of the tiles. */
void ts_row_cell_full(struct ts_strbuf *out, const struct ts_row_block *b,
	const struct ts_row_cell *c);

#endif
