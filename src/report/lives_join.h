/* SPDX-License-Identifier: MIT */
/*
 * lives_join - the variables that the lowered ones of a source come to, with their lives.
 *
 * Rows of lowered_variable go in one by one. Where it is recorded which variable a row was lowered from (`joined`), rows of
 * one variable and class are one, with the bytes of all of them; else each row is one.
 *
 *	code = lives_join_begin(&j, rd, tiles, joined, cache, err);
 *	code = lives_join_row(&j, &block, i, number, err);	for each row that belongs to the source
 *	code = lives_join_merge(&j, &other, err);		what another thread has
 *	code = lives_join_order(&j, err);			no more rows
 *	code = lives_join_finish(&lives, &j, code);		in every case
 */
#ifndef TS_REPORT_LIVES_JOIN_H
#define TS_REPORT_LIVES_JOIN_H

#include "tilescope/report/rows.h"
#include "tilescope/report/tile_live.h"

#include "lives_internal.h"

struct lives_join {
	struct lives_work w;
	const struct ts_tile_lives
		*tiles; /* the classes, their intervals and the points of these */
	bool joined;
	int64_t orphans;      /* rows without a class; variables of unknown classes are in w.l */
	struct ts_pile class; /* int64_t: of each variable, while they are joined */
	struct ts_pile slot;  /* uint32_t: variable + 1, or 0 */
	size_t slots;	      /* a power of two */
};

/* Columns of the rows, in this order. */
enum { LIVES_TILE, LIVES_BYTES, LIVES_CLASS, LIVES_ALWAYS, LIVES_VARIABLE, LIVES_COLUMNS };

/* A query for them, of all rows. */
struct ts_rows_query lives_join_query(void);

/* Does the report say which variable a row was lowered from? */
bool lives_can_join(const struct ts_report *r);

enum ts_code lives_join_begin(struct lives_join *j, struct ts_reader *rd,
	const struct ts_tile_lives *tiles, bool joined, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;

/* Right after the begin: arrays of a tile or some are ordinary memory. Files for them took half of the time. */
void lives_join_in_memory(struct lives_join *j);

/* Row i of a block; `number` stands for its row id where rows have none. */
enum ts_code lives_join_row(struct lives_join *j, const struct ts_rows_block *b, int i,
	int64_t number, struct ts_err *err) TS_WARN_UNUSED;

/* Add the variables of `from` (joined, as j is), which stays what it is. */
enum ts_code lives_join_merge(struct lives_join *j, const struct lives_join *from,
	struct ts_err *err) TS_WARN_UNUSED;

/* The class of that number; NULL: none of its steps is known. */
const struct ts_live_class *lives_join_class(const struct ts_tile_lives *l, int64_t number);

/* Instead of rows (not joined): all that there is of a variable and its class (NULL: as above). */
enum ts_code lives_join_whole(struct lives_join *j, int64_t id, const struct ts_live_class *c,
	int64_t bytes, struct ts_err *err) TS_WARN_UNUSED;

enum ts_code lives_join_order(struct lives_join *j, struct ts_err *err) TS_WARN_UNUSED;

/* As lives_finish(); nothing is left of j. */
enum ts_code lives_join_finish(struct ts_lives **out, struct lives_join *j, enum ts_code code);

#endif
