/* SPDX-License-Identifier: MIT */
/* index_lives - the section that holds the lives of variables, built when it is asked for. */
#ifndef TS_REPORT_INDEX_LIVES_H
#define TS_REPORT_INDEX_LIVES_H

#include "tilescope/report/index.h"
#include "tilescope/report/lives.h"

/* Borrow the lives from the index (which is held): *out NULL when they are not there. TS_E_NOMEM. */
enum ts_code ts_lives_indexed(struct ts_lives **out, struct ts_index *x,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
