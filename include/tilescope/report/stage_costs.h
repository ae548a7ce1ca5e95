/* SPDX-License-Identifier: MIT */
/*
 * stage_costs - what the work of a stage of the pipeline consists of, by what is executed: which operation makes it slow.
 *
 * Each row of step_ipu that lies in a pass of the stage counts for the compute set that it executes, else for its program,
 * with the cycles of its interval that lie in passes, without those of the artefact (report/pipeline.h). Work is compute and
 * both exchanges, as there; but here steps that overlap count each, so all of them together may come to more than the
 * stage's work.
 *
 * Of a trace of more rows than ts_stage_sample says, only some of the stage is read: its passes laid end to end are cut
 * into as many equal parts as there are places, and in each so many cycles are read, which begin at another part of it each
 * time (so that nothing that comes round with each micro-batch is seen at one and the same moment of it). Shares are of
 * what was read then, and figures of the whole stage an estimate: `sampled`.
 */
#ifndef TS_REPORT_STAGE_COSTS_H
#define TS_REPORT_STAGE_COSTS_H

#include "tilescope/report/pipeline.h"

/*
 * What is read: all, of a trace with at most `all` rows of step_ipu, or of one whose rows cannot be found by their cycles; else
 * about `rows` of all IPUs, at so many places, and never more than `most` of the stage's (where steps stand closer than
 * elsewhere, and with those around the places).
 */
struct ts_stage_sample {
	int64_t all, rows, most;
	int places;
};

/* What users see. On another host, where a place is a round trip or two, it is less. */
struct ts_stage_sample ts_stage_sample_of(const struct ts_report *r);

/*
 * Whose costs: of each compute set or program; of each operation, which is what these are called without the last part of
 * their names (parts are separated by '/'; the exchange before a compute set is called as that is, with a part ExchangePre
 * that does not count); of each kind of operation: the same whatever numbers parts of it end with
 * ("layer_*" is layer_0, layer_1, ...).
 */
enum ts_stage_by {
	TS_STAGE_BY_KIND,
	TS_STAGE_BY_OPERATION,
	TS_STAGE_BY_EXECUTED,
	TS_STAGE_BY_COUNT
};

/* Cycles are of the rows that were read. */
struct ts_stage_cost {
	int64_t compute_set,
		program; /* TS_UNKNOWN: it is not by that; neither: by its name, else type */
	uint32_t name;	 /* entry of `names`; its text may be empty: no name, no type */
	bool named;	 /* that is a name, and not the type of steps that have none */
	int64_t members; /* compute sets and programs that it stands for */
	enum ts_step_class class_of; /* of that of them with the most cycles */
	int64_t steps;		     /* rows, those that are cut at the ends of passes too */
	int64_t first_step;	     /* of these rows */
	int64_t cycles;
	int64_t balanced; /* of these, cycles of the steps whose balance is recorded; */
	int64_t mean; /* and of those, what the tiles take on average: the rest is lost to waiting */
};

/* Read-only once it is read. */
struct ts_stage_costs {
	struct ts_pile cost; /* struct ts_stage_cost, the most cycles first */
	size_t count;
	struct ts_dictionary names;
	int64_t cycles;		/* of all of them: what shares are of */
	int64_t balanced, mean; /* the same of these */
	int64_t work;		/* of the stage, all of it (ts_pipeline_work()) */
	int64_t passes;		/* with work */
	int64_t rows; /* of its IPUs, that were read; of a stage on several IPUs: of all */
	int places;   /* that were read; with `sampled` */
	bool sampled, unseen, partial; /* unseen: ts_slices_unseen(); partial: damage */
	int64_t bad_rows; /* of those that were gone through, left out: no number, or no such step */
};

/*
 * Read the costs of stage `stage` of p, which is of `t`. `progress` (NULL allowed) counts rows. Errors: those of
 * ts_slices_next(), TS_E_NOMEM; damage sets `partial`. Give back with ts_stage_costs_fini() in every case.
 */
enum ts_code ts_stage_costs_read(struct ts_stage_costs *c, struct ts_reader *rd,
	const struct ts_trace *t, const struct ts_pipeline *p, int stage,
	struct ts_stage_sample sample, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_stage_costs_fini(struct ts_stage_costs *c);

/*
 * The same, made of those of compute sets and programs (`c`). Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED. Give back with
 * ts_stage_costs_fini() in every case.
 */
enum ts_code ts_stage_costs_group(struct ts_stage_costs *out, const struct ts_stage_costs *c,
	enum ts_stage_by by, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

static inline const struct ts_stage_cost *
ts_stage_cost_at(const struct ts_stage_costs *c, size_t i)
{
	return (const struct ts_stage_cost *)c->cost.memory + i;
}

/* Its name as the report has it (not NUL-terminated, untrusted); NULL: it has none. */
const char *ts_stage_cost_name(size_t *n, const struct ts_stage_costs *c, size_t i);

/* What of the stage's work it is, 0 .. 1; below 0: nothing was read. */
double ts_stage_cost_share(const struct ts_stage_costs *c, size_t i);

/* Cycles of a mean pass of the stage that are its; estimated where `sampled`; below 0: not known. */
double ts_stage_cost_a_pass(const struct ts_stage_costs *c, size_t i);

/* The same of cycles that tiles wait for the slowest one; below 0: balance is not recorded. */
double ts_stage_cost_lost(const struct ts_stage_costs *c, size_t i);

/* The same of all that the stage executes. */
double ts_stage_costs_lost(const struct ts_stage_costs *c);

/* What of its work that is, 0 .. 1; below 0: as above. */
double ts_stage_costs_waits(const struct ts_stage_costs *c);

#endif
