/* SPDX-License-Identifier: MIT */
/*
 * identities - what holds in a sound profile: sums that come out the same in two places, blobs that decode.
 *
 * They hold in the real file that was looked at. A file in which one is broken is damaged, or of a version that means
 * something else by a column: figures that come from there are not to be trusted, and that is said.
 */
#ifndef TS_PROFILE_IDENTITIES_H
#define TS_PROFILE_IDENTITIES_H

#include "tilescope/db/schema.h"

/*
 * Told of each identity that is broken, and of each column with blobs that do not decode, in a sentence of plain
 * English ("memory_by_tile: ...").
 */
typedef void ts_profile_broken_fn(void *ctx, const char *sentence);

/*
 * Look at all of them. Work grows with the file: each table is read once or twice. What a file does not have is
 * not looked at; damaged pages end a look. Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_profile_identities(struct ts_db *db, const struct ts_schema *schema,
	ts_profile_broken_fn *broken, void *ctx, struct ts_err *err) TS_WARN_UNUSED;

#endif
