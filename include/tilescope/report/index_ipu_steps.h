/* SPDX-License-Identifier: MIT */
/*
 * index_ipu_steps - the section that holds the timeline of each IPU, as liveness_step_ipu has it.
 */
#ifndef TS_REPORT_INDEX_IPU_STEPS_H
#define TS_REPORT_INDEX_IPU_STEPS_H

#include "tilescope/report/index.h"
#include "tilescope/report/liveness.h"

/* Are timelines of IPUs there without a read? */
bool ts_ipu_lines_quick(const struct ts_index *x);

/*
 * Borrow the timeline of an IPU from the index (which is held); one that no row names has no points. false, and nothing
 * changed: it is not there. *l is begun.
 */
bool ts_ipu_line_indexed(struct ts_liveness *l, struct ts_index *x, int64_t ipu);

#endif
