/* SPDX-License-Identifier: MIT */
/*
 * functions - a connection to a profile, with SQL functions that read its packed numbers (blob.h).
 *
 * KIND is 'list', 'runs' or 'differences'; N the count of numbers that the blob has to have, NULL: any. A blob that
 * is damaged or has another count gives NULL, or no rows.
 *
 * numbers(KIND, N, B0 [, ... B5])       a table: i, v0 .. v5: the numbers at place i of up to six blobs; places
 *                                       where all are 0 are left out. A blob that is NULL has NULL everywhere
 * items(KIND, N, B0 [, ... B5])         the same with all places
 * by_tile(KIND, N, B)                   little-endian unsigned 32-bit numbers; NULL when one is larger
 * by_tile_sum(KIND, N, B)               an aggregate: the sum of several, as by_tile; NULL when there is none
 * by_tile_minus(X, Y)                   of what by_tile gave: X - Y; Y NULL: X. NULL when a number would be negative
 * by_tile_join(N, B)                    an aggregate: runs of N numbers each, one behind the other, as by_tile
 * numbers_sum(KIND, N, B)               the sum
 * add_up(X)                             an aggregate: the sum of integers as sum() has it; NULL, and no error, when it
 *                                       is too large, or something is no integer
 * first_item(B)                         the first number of a list that is not 0; NULL when there is none
 * region_bytes(TEXT)                    of '[4,12),[16,24)': 16; NULL when it reads otherwise
 * context_says(ID, WHAT)                NULL here; of a report's reader what debug.cbor says (report/context_says.c)
 */
#ifndef TS_PROFILE_FUNCTIONS_H
#define TS_PROFILE_FUNCTIONS_H

#include "tilescope/db/db.h"

/* As ts_db_open(); then the functions are there. */
enum ts_code ts_profile_connect(struct ts_db **db, struct ts_source *source,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
