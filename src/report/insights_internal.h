/* SPDX-License-Identifier: MIT */
/* insights_internal - what the files of the measures share. */
#ifndef TS_REPORT_INSIGHTS_INTERNAL_H
#define TS_REPORT_INSIGHTS_INTERNAL_H

#include "tilescope/report/insights.h"

struct measure {
	const struct ts_insight_facts *facts;	    /* not for measures of the execution */
	const struct ts_execution_facts *execution; /* or NULL: not read yet */
	enum ts_units units;
};

/* It is not recorded: false. */
static inline bool
measure_missing(struct ts_finding *f, const char *what)
{
	snprintf(f->evidence, sizeof(f->evidence), "%s not recorded", what);
	return false;
}

/* insights_memory.c; false: not recorded, `evidence` says what. */
bool measure_worst_tile_share(struct ts_finding *f, const struct measure *m);
bool measure_overflowed_bytes(struct ts_finding *f, const struct measure *m);
bool measure_tile_imbalance(struct ts_finding *f, const struct measure *m);
bool measure_gaps_share(struct ts_finding *f, const struct measure *m);
bool measure_code_share(struct ts_finding *f, const struct measure *m);
bool measure_exchange_code_share(struct ts_finding *f, const struct measure *m);
bool measure_profiling_share(struct ts_finding *f, const struct measure *m);
bool measure_peak_over_steady(struct ts_finding *f, const struct measure *m);
bool measure_fp32_share(struct ts_finding *f, const struct measure *m);
bool measure_fp32_of_tile(struct ts_finding *f, const struct measure *m);
bool measure_half_of_peak(struct ts_finding *f, const struct measure *m);

/* insights_execution.c; false: not known, `evidence` says why. */
bool measure_host_wait(struct ts_finding *f, const struct measure *m);
bool measure_host_copy(struct ts_finding *f, const struct measure *m);
bool measure_exchange(struct ts_finding *f, const struct measure *m);
bool measure_global_alone(struct ts_finding *f, const struct measure *m);
bool measure_balance(struct ts_finding *f, const struct measure *m);
bool measure_lost(struct ts_finding *f, const struct measure *m);
bool measure_active(struct ts_finding *f, const struct measure *m);
bool measure_slow_stage(struct ts_finding *f, const struct measure *m);
bool measure_bubble(struct ts_finding *f, const struct measure *m);
bool measure_rearrangement(struct ts_finding *f, const struct measure *m);
bool measure_artefact(struct ts_finding *f, const struct measure *m);

#endif
