/* SPDX-License-Identifier: MIT */
/*
 * index_ipu_lives - the section that holds the lives of each IPU's variables, built when it is asked for.
 *
 * What an IPU has is the joined rows of its tiles (live_source.h): a pass over two million lowered variables, for
 * each IPU that somebody looks at. The section has what comes of it, largest first, for all of them.
 */
#ifndef TS_REPORT_INDEX_IPU_LIVES_H
#define TS_REPORT_INDEX_IPU_LIVES_H

#include "tilescope/report/index.h"
#include "tilescope/report/lives.h"

/* Is it there? false also where it was left to the rows. */
bool ts_ipu_lives_quick(const struct ts_index *x);

/* Borrow those of an IPU from the index (which is held): *out NULL when they are not there. TS_E_NOMEM. */
enum ts_code ts_ipu_lives_indexed(struct ts_lives **out, struct ts_index *x, int64_t ipu,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
