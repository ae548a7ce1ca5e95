/* SPDX-License-Identifier: MIT */
/*
 * step_runs - how many steps of the trace name which program and which compute set.
 *
 * There are far fewer such pairs than steps. They are kept as a section of the index when they were asked for once
 * (TS_SECTION_RUNS); without it one pass over the steps makes them. Damage keeps what could be read.
 */
#ifndef TS_REPORT_STEP_RUNS_H
#define TS_REPORT_STEP_RUNS_H

#include "tilescope/base/progress.h"
#include "tilescope/report/index.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/report.h"

struct ts_step_run {
	int64_t program, compute_set; /* TS_UNKNOWN: the steps name none */
	int64_t steps;		      /* 1 .. */
	int64_t first;		      /* the first of them, in the order of the rows: from 0 */
};

struct ts_step_runs {
	size_t count;
	const struct ts_step_run *run; /* by program, then compute set, each pair once */
	bool cut;		       /* too many pairs: some are left out */
	struct ts_pile made;	       /* what lends them, or ... */
	struct ts_index *index;	       /* ... this, held */
};

/*
 * `cache`: for what does not fit into memory; may be NULL. Free with ts_step_runs_fini() in every case. Errors:
 * TS_E_ABSENT: there are no steps; TS_E_DAMAGED: what could be read is there; those of ts_rows_block(),
 * ts_pile_room().
 */
enum ts_code ts_step_runs_read(struct ts_step_runs *out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_step_runs_fini(struct ts_step_runs *r);

#endif
