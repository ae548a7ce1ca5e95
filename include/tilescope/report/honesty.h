/* SPDX-License-Identifier: MIT */
/*
 * honesty - how far a figure of the execution can be believed: one table of marks for lanes, lists and figures.
 *
 * The detailed trace is a replay on a model of the IPU with measured cycles put in: a compute set has one
 * measured duration, that of its last execution, which stands for every execution of it. Without
 * instrumentation all durations are the compiler's estimates. (MODEL.md, honesty rules.)
 */
#ifndef TS_REPORT_HONESTY_H
#define TS_REPORT_HONESTY_H

#include "tilescope/calc/step_class.h"
#include "tilescope/report/summary.h"

enum ts_mark {
	TS_MARK_UNKNOWN,   /* measured or estimated: not recorded */
	TS_MARK_MEASURED,  /* on the machine, this very thing */
	TS_MARK_REPEATED,  /* measured once, put in for every execution */
	TS_MARK_ESTIMATED, /* by the compiler's model */
	TS_MARK_PARTLY,	   /* a sum of both */
	TS_MARK_ARTEFACT,  /* inflated by the profiler's own work */
	TS_MARK_REPLICA,   /* one replica was recorded, the others are taken to be like it */
	TS_MARK_COUNT
};

/*
 * One word ("repeated"), a few ("measured once, repeated"), one sign that stands in one ASCII cell ('"'), and one line
 * that explains it.
 */
const char *ts_mark_word(enum ts_mark m);
const char *ts_mark_note(enum ts_mark m);
char ts_mark_sign(enum ts_mark m);
const char *ts_mark_sentence(enum ts_mark m);

/* Of a sum: the mark of both parts together. A sum with an artefact in it is an artefact. */
enum ts_mark ts_mark_join(enum ts_mark a, enum ts_mark b);

/* What a report says about its cycles: -1 = not recorded, 0 = estimated, 1 = measured. */
struct ts_honesty {
	int compute, exchange;
	bool one_tile; /* measured on one tile of each IPU, or of the device: no figures by tile */
	int64_t replicas; /* of the target; 1 when that is not recorded */
	int64_t artefact; /* the step that the profiler inflated; or TS_UNKNOWN */
};

/* Nothing is known. */
static inline struct ts_honesty
ts_honesty_unknown(void)
{
	return (struct ts_honesty){.compute = -1,
		.exchange = -1,
		.replicas = 1,
		.artefact = TS_UNKNOWN};
}

/* From the report's instrumentation. `replicas` of the target; `artefact` as ts_trace.artefact. */
void ts_honesty_of(struct ts_honesty *h, const struct ts_about *about, int64_t replicas,
	int64_t artefact);

/* Of the cycles of a step (TS_UNKNOWN: of any step of the class). Never TS_MARK_REPLICA: that is of lanes. */
enum ts_mark ts_honesty_step(const struct ts_honesty *h, int64_t step, enum ts_step_class k);

#endif
