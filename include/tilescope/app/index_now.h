/* SPDX-License-Identifier: MIT */
/*
 * index_now - what a verb does that would otherwise pass over a large report several times: build the index first.
 *
 * The app builds behind its screen (app/indexing.h); a verb has nobody who waits for a key, so it uses all its cores,
 * and goes on when the sections are there.
 */
#ifndef TS_APP_INDEX_NOW_H
#define TS_APP_INDEX_NOW_H

#include "tilescope/app/args.h"
#include "tilescope/app/watch.h"
#include "tilescope/report/index.h"

/*
 * Open the cache that --cache says (*cache is to be given to ts_cache_fini() in every case), build what it lacks of
 * `sections` (bits), and lend the reader what there is then. Another program that builds is waited for. What cannot be
 * built (no cache, a full disk, damage, a report that is being written) is no error: the rows answer, as with
 * `--cache none`. Errors: TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code ts_index_now(struct ts_cache *cache, struct ts_report *r, struct ts_reader *rd,
	const struct ts_args *args, uint64_t sections, struct ts_watch *w,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
