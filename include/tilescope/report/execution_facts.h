/* SPDX-License-Identifier: MIT */
/*
 * execution_facts - what the rules look at in the execution: where the cycles of the runs go, tiles that wait, stages of
 * a pipeline, rearrangement.
 *
 * They are read apart from the facts of the memory (report/insights.h), for without the index they take passes over all
 * steps. They are few figures of fixed size; the views and reports that they come from have the rest.
 *
 * Cycles of the runs: from the first start to the last end of each run, overlapping runs counted once, and without those
 * of the step that the profiler itself inflated (`artefact`). Where no run has a place it is the whole trace. Each IPU is
 * looked at by itself over all of them; steps that overlap are intersected, never added (report/proportions.h).
 */
#ifndef TS_REPORT_EXECUTION_FACTS_H
#define TS_REPORT_EXECUTION_FACTS_H

#include "tilescope/base/pattern.h"
#include "tilescope/report/honesty.h"
#include "tilescope/report/index.h"
#include "tilescope/report/report.h"

/* Sections of the index that have them. */
#define TS_EXECUTION_SECTIONS                                                  \
	(ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES) | \
		ts_section_bit(TS_SECTION_RUNS) | ts_section_bit(TS_SECTION_PROGRAMS))

enum { TS_FACT_NAME = 64, TS_FACT_SETS = 3 };

/* Compute sets that take less of the cycles of the runs are not looked at for their tiles. */
#define TS_FACT_LARGE 0.01

enum {
	TS_EXECUTION_TIME = 1,
	TS_EXECUTION_LOSS = 2,
	TS_EXECUTION_STAGES = 4,
	TS_EXECUTION_COSTS = 8
};

/* Cycles of a class on the IPU that has the most of them (of equals the first); `bare`: no compute runs meanwhile. */
struct ts_class_fact {
	int64_t ipu, cycles, bare;
};

/* A compute set; name: its end, "" = none. */
struct ts_set_fact {
	int64_t compute_set, ipu;
	int64_t tiles, active;
	int64_t executions, most,
		sum; /* steps that execute it; cycles of the slowest tile of one execution, of all */
	int64_t saves; /* cycles of the runs on that IPU, were it balanced */
	int64_t step;  /* the first that executes it, or TS_UNKNOWN */
	double balance,
		share; /* mean / slowest tile; what of the runs balance saves, or it takes */
	bool estimated;
	char name[TS_FACT_NAME];
};

struct ts_execution_facts {
	unsigned has;		    /* TS_EXECUTION_*: known */
	unsigned partial;	    /* of them: not all of it could be read */
	char why[4][TS_REASON_MAX]; /* of what is not known, by its bit */
	struct ts_honesty honest;

	/* TS_EXECUTION_TIME */
	int runs;	 /* that have a place; 0: the whole trace */
	bool wait_apart; /* the profiler's own wait is known, and left out or not there */
	int64_t ipus;	 /* that have steps */
	int64_t span;	 /* cycles of the runs */
	int64_t artefact_cycles; /* of honest.artefact, left out; TS_UNKNOWN: there is none, or where it lies */
	struct ts_class_fact wait, copy, exchange, global; /* copy: by `bare` */

	/* TS_EXECUTION_LOSS */
	enum ts_mark loss_mark;
	int loss_runs; /* shares are of all runs, so many; 0: of the trace */
	int lost;      /* of lost_sets */
	struct ts_set_fact lost_set[TS_FACT_SETS]; /* most lost tile-cycles first; share: saved */
	int64_t large;			 /* compute sets that take TS_FACT_LARGE of the runs */
	struct ts_set_fact uneven, idle; /* of these: least balance, fewest active tiles */

	/* TS_EXECUTION_STAGES */
	int stages;
	double slow_factor, bubble, saves; /* as in struct ts_pipeline; below 0: not known */
	int64_t slowest_ipu, slowest_span; /* cycles of all its passes */
	char slow_name
		[TS_FACT_NAME]; /* the kind of operation that the slowest works most on, its end; "" = not known */
	double slow_share;	/* what of its work that is; */
	double slow_lost;	/* and what of it is lost while tiles wait; below 0: not known */
	bool slow_sampled;	/* both are of a sample */
	bool named_by_exchange; /* every global exchange ends a phase: bytes are not recorded */
	char stages_of
		[TS_FACT_NAME]; /* the expression that names the stages, as far as it fits; "" = by exchange */

	/* TS_EXECUTION_COSTS */
	int64_t compute, rearranged; /* cycles of compute steps, on all IPUs, each by itself */
	int64_t rearrangers;	     /* programs */
	int64_t rearrange_most,
		rearrange_step; /* of the one with the most; its first step or TS_UNKNOWN */
	char rearrange_name[TS_FACT_NAME];

	struct ts_notes notes; /* what could not be read */
};

/*
 * Read them. What is absent or damaged ends nothing. `cache`: where the index keeps what was worked out; NULL: nowhere.
 * stages: what names the stages of a pipeline; NULL: by exchange. progress may be NULL. Errors: TS_E_CANCELLED, TS_E_NOMEM. Free with ts_execution_facts_fini() in every case.
 */
enum ts_code ts_execution_facts_read(struct ts_execution_facts *x, struct ts_reader *rd,
	const struct ts_pattern *stages, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_execution_facts_fini(struct ts_execution_facts *x);

/* Why it is not known; `what` is one TS_EXECUTION_ bit. */
const char *ts_execution_why(const struct ts_execution_facts *x, unsigned what);

/* Is that the name of a rearrangement: copies and transposes that the compiler or a library puts in? */
bool ts_is_rearrangement(const char *name, size_t n);

#endif
