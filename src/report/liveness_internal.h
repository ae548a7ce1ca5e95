/* SPDX-License-Identifier: MIT */
/* liveness_internal - how a timeline is made: shared by liveness.c and live_source.c. */
#ifndef TS_REPORT_LIVENESS_INTERNAL_H
#define TS_REPORT_LIVENESS_INTERNAL_H

#include "tilescope/report/liveness.h"

/* Empty, nothing known, one replica. */
void liveness_begin(struct ts_liveness *l);

/* A row of the timeline; program -1 = not known. */
enum ts_code liveness_add(struct ts_liveness *l, int64_t step, int64_t bytes, int32_t program,
	struct ts_err *err) TS_WARN_UNUSED;

/* All rows were added: order, pyramid, peaks. */
enum ts_code liveness_finish(struct ts_liveness *l, struct ts_err *err) TS_WARN_UNUSED;

/* Does it end all that goes on (cancelled, no memory)? */
bool liveness_ends_all(enum ts_code code);

#endif
