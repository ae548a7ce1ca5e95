/* SPDX-License-Identifier: MIT */
/*
 * pipeline - the stages of a pipeline, what each pass through one takes, and which of them is the slowest.
 *
 * No relation records a pipeline. It is found in one of two ways:
 *
 *   by exchange  A global exchange of more than `least_bytes` bytes ends a phase on every IPU, and so does the end of a
 *                run. An IPU is a stage; a phase in which it computes or exchanges is a pass of it (a micro-batch), a
 *                phase in which it does neither is a bubble as a whole.
 *   by name      A regular expression finds the stage in the names of steps: its first capture group, else all that it
 *                matched. A pass goes from the first step of a stage on an IPU to the next step there of another
 *                stage; steps without a stage belong to the pass that they stand in.
 *
 * Cycles of a pass are a partition: where steps overlap each cycle counts once (ts_class_partition()). Work is compute and
 * both exchanges; I/O is host wait, copy and end; bubble is sync, external sync and the cycles in which the IPU does
 * nothing. Control is neither. Cycles are tile clock cycles. Those of the step that the profiler inflated
 * (ts_trace.artefact_start, artefact_end) are in no figure, on any IPU: as in report/execution_facts.h.
 */
#ifndef TS_REPORT_PIPELINE_H
#define TS_REPORT_PIPELINE_H

#include <stdatomic.h>

#include "tilescope/base/pattern.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/trace.h"

enum { TS_PIPELINE_BYTES = 1024, TS_PIPELINE_PASSES = 1 << 18, TS_PIPELINE_STAGES = 1024 };

struct ts_pipeline_options {
	const struct ts_pattern *stages; /* names of stages; NULL: by exchange */
	int64_t least_bytes;		 /* an exchange of more ends a phase */
};

struct ts_pipeline_pass {
	int64_t ipu, from, to; /* cycles [from, to) */
	int64_t first_step;    /* that begins in it on this IPU; by exchange: TS_UNKNOWN */
	int64_t by_class[TS_CLASS_COUNT];
	int64_t idle;	  /* in no step */
	int64_t left_out; /* of [from, to): of the artefact */
	int32_t stage;
	int32_t run; /* index into trace->run, or -1 */
};

struct ts_pipeline_stage {
	int64_t ipu;	/* of all its passes; TS_UNKNOWN: of several */
	int32_t name;	/* entry of `names`; TS_DICTIONARY_NONE: it is its IPU */
	int64_t first;	/* of its passes in `pass`, by start */
	int64_t count;	/* of them, those without work too */
	int64_t passes; /* with work */
	int64_t span;	/* cycles of all its passes together, without what is left out */
	int64_t by_class[TS_CLASS_COUNT];
	int64_t idle;
	int64_t most_work; /* of a pass */
	bool regular; /* it has at least half as many passes as the stage with most: compared with the others */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_pipeline {
	atomic_int uses;
	bool by_name;
	int64_t least_bytes;
	int64_t ends,
		phases; /* by exchange: exchanges that end one, and phases with the ends of runs; else 0 */
	int stages;
	struct ts_pipeline_stage *stage; /* by the start of their first pass with work */
	struct ts_pile pass;		 /* struct ts_pipeline_pass, by stage and start */
	size_t passes;
	struct ts_dictionary names;
	int64_t bad_rows; /* rows of steps left out: no number, or no such step */
	int64_t left_out; /* cycles of the artefact in passes, of all IPUs together */
	int64_t falls;	  /* by name: rows that start before their pass does, left out */
	bool bytes_known; /* by exchange: the report records bytes; else every global exchange ends a phase */
	bool cut;     /* more passes or stages than are kept */
	bool partial; /* damage: what could be read */

	/* The slowest of the regular stages; -1: fewer than two. */
	int slowest, fastest;
	double mean_work;   /* of a pass of a regular stage: mean over the stages of their means */
	double slow_factor; /* mean work of the slowest / mean_work; below 0: not known */
	double bubble; /* share of sync, external sync and idle in all passes of regular stages; below 0: none */
	double at_once; /* by exchange: stages that work at a time, on average; below 0: not known */
	/*
	 * Moving this part of the slowest stage's work to the fastest one makes a pass of it so much shorter (a share of its
	 * mean span): until the two are equal, or the next slowest one leads; the work of its mean pass is `target` then.
	 * Estimated: as if cycles went with the work.
	 */
	double move, saves, target;
	double second; /* mean work of the next slowest one: what is saved beyond that, it takes; 0: none */
};

/*
 * Find it. `progress` (NULL allowed) counts rows. Errors: TS_E_ABSENT: no step_ipu, no global exchange that is large
 * enough on more than one IPU, or no name that matches, with the reason; TS_E_LIMIT: the expression takes too long;
 * those of ts_lane_times_of(). Damage sets `partial`. Give back with ts_pipeline_close().
 */
enum ts_code ts_pipeline_read(struct ts_pipeline **out, struct ts_reader *rd,
	const struct ts_trace *t, const struct ts_pipeline_options *o, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
struct ts_pipeline *ts_pipeline_hold(struct ts_pipeline *p);
void ts_pipeline_close(struct ts_pipeline *p); /* NULL allowed */

/* Cycles of a pass that count. */
static inline int64_t
ts_pipeline_pass_span(const struct ts_pipeline_pass *pass)
{
	return pass->to - pass->from - pass->left_out;
}

static inline const struct ts_pipeline_pass *
ts_pipeline_pass_at(const struct ts_pipeline *p, size_t i)
{
	return (const struct ts_pipeline_pass *)p->pass.memory + i;
}

/* Name of a stage as the report has it (not NUL-terminated, untrusted); NULL: it is an IPU. */
const char *ts_pipeline_stage_name(size_t *n, const struct ts_pipeline *p, int stage);

/* Cycles that were worked out as a real number, as a whole one: at most INT64_MAX, 0 below. */
static inline int64_t
ts_cycles_of(double cycles)
{
	return cycles >= 0x1p63 ? INT64_MAX : cycles > 0 ? (int64_t)cycles : 0;
}

/* Of the cycles of a pass or a stage. */
int64_t ts_pipeline_work(const int64_t by_class[TS_CLASS_COUNT]);
int64_t ts_pipeline_io(const int64_t by_class[TS_CLASS_COUNT]);
int64_t ts_pipeline_syncs(const int64_t by_class[TS_CLASS_COUNT]);
int64_t ts_pipeline_bubble(const int64_t by_class[TS_CLASS_COUNT], int64_t idle);

/* Mean work of a pass of a stage; below 0: it has none. */
double ts_pipeline_mean_work(const struct ts_pipeline_stage *s);

/* Mean cycles of a pass of a stage, of those without work too; 0: it has none. */
double ts_pipeline_mean_span(const struct ts_pipeline_stage *s);

#endif
