/* SPDX-License-Identifier: MIT */
/*
 * index_liveness - the section that holds the timeline of ts_liveness_read(), and how it is written.
 */
#ifndef TS_REPORT_INDEX_LIVENESS_H
#define TS_REPORT_INDEX_LIVENESS_H

#include "tilescope/report/index.h"
#include "tilescope/report/liveness.h"

/* Borrow the timeline from the index (which is held); false, and nothing changed: it is not there. */
bool ts_liveness_indexed(struct ts_liveness *l, struct ts_index *x);

/* Nodes of the pyramid over so many points. */
size_t ts_liveness_nodes(size_t points);

#endif
