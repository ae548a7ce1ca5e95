/* SPDX-License-Identifier: MIT */
/*
 * variable_pieces - what an unlowered variable was lowered to, by tile.
 */
#ifndef TS_REPORT_VARIABLE_PIECES_H
#define TS_REPORT_VARIABLE_PIECES_H

#include "tilescope/report/variables.h"

struct ts_variable_pieces {
	int64_t variable;
	int64_t pieces;		/* lowered variables */
	int64_t bytes;		/* of all of them, at most TS_NUMBER_MAX */
	int64_t on;		/* tiles that have one */
	int64_t fullest;	/* most bytes on one tile, ... */
	int64_t fullest_tile;	/* ... the lowest of equals; TS_UNKNOWN: it has no pieces */
	int64_t tiles;		/* of the array */
	struct ts_pile by_tile; /* int64_t a tile: bytes + 1; 0: it has no piece there */
	int64_t bad_rows; /* left out: tile or bytes are no numbers, or the tile is too large */
	bool partial;	  /* the report is damaged */
};

/*
 * From the section `pieces` of the index, else by one pass over the lowered variables. TS_E_ABSENT: what they were lowered from is not recorded. Errors: as
 * ts_rows_next(), damage excepted. Free with ts_variable_pieces_fini() in every case.
 */
enum ts_code ts_variable_pieces_read(struct ts_variable_pieces *p, struct ts_reader *rd,
	const struct ts_variables *v, int64_t variable, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_variable_pieces_fini(struct ts_variable_pieces *p);

/* The most bytes on a tile of [from, to); tiles behind the array have none. */
int64_t ts_variable_pieces_most(const struct ts_variable_pieces *p, int64_t from, int64_t to);

#endif
