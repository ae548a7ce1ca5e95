/* SPDX-License-Identifier: MIT */
/*
 * split - where to divide a table so that about as many of its pages lie in each part, and about how many rows it has.
 *
 * Row ids may lie anywhere: one row at 1 and the others from 2^40 on. The upper pages of the table's tree say where they
 * are; a few hundred of them are read, whatever the size of the table.
 */
#ifndef TS_DB_SPLIT_H
#define TS_DB_SPLIT_H

#include "tilescope/db/db.h"
#include "tilescope/db/schema.h"

enum { TS_SPLIT_PARTS = 16 };

struct ts_split {
	int parts;		       /* 0: nothing is known, or the table is one page */
	int64_t begin[TS_SPLIT_PARTS]; /* row ids, rising; begin[0] is INT64_MIN */
	int64_t rows;		       /* about */
};

/*
 * Divide a table into at most `most` (1 .. TS_SPLIT_PARTS) parts. What is damaged is not known. Errors: TS_E_SYS,
 * TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code ts_split_table(struct ts_split *s, struct ts_db *db, const struct ts_object *o,
	int most, struct ts_err *err) TS_WARN_UNUSED;

#endif
