/* SPDX-License-Identifier: MIT */
/*
 * program_costs - what each program costs: code, cycles, how often it runs, memory at its steps.
 *
 * Every figure is of the program itself (what stands below it in the tree: report/program_below.h). Programs are in
 * piles: not more than a few megabytes stay in memory for hundreds of thousands.
 *
 * What the figures mean (MODEL.md, honesty rules):
 *   control code    bytes of all tiles. Of a program with children that figure includes theirs, so it counts only for
 *                   leaves.
 *   exchange code   bytes of all tiles. Exchanges share code: sums exceed the category internalExchangeCode.
 *   cycles          of one execution, measured (the last one) or estimated: of all tiles together, and of the tile that
 *                   takes longest, which is how long the others wait. A compute set's where the program has one.
 *   executed        cycles of the steps of the trace that execute it, on all IPUs of the trace. Steps that overlap
 *                   count each.
 *   live            bytes that are not always live at its liveness steps, at most; and the first such step.
 */
#ifndef TS_REPORT_PROGRAM_COSTS_H
#define TS_REPORT_PROGRAM_COSTS_H

#include <stdatomic.h>

#include "tilescope/calc/step_class.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/report.h"

/* Cycles of one execution; TS_UNKNOWN: not recorded. */
struct ts_program_cycles {
	int64_t sum;	    /* of all tiles */
	int64_t most, tile; /* of one, and of which: the first of equals */
};

struct ts_program_cost {
	int64_t program;
	int64_t compute_set, repeat_count, context; /* TS_UNKNOWN: none */
	int64_t control_code, exchange_code;	    /* bytes; TS_UNKNOWN */
	struct ts_program_cycles measured, estimated;
	int64_t steps;	    /* of the trace; TS_UNKNOWN: there is none */
	int64_t executed;   /* cycles; TS_UNKNOWN */
	int64_t first_step; /* of them, or TS_UNKNOWN */
	int64_t live_step;  /* the first of its liveness steps, or TS_UNKNOWN */
	int64_t live_steps; /* how many they are; TS_UNKNOWN: not recorded */
	int64_t live;	    /* bytes at the fullest of them, or TS_UNKNOWN */
	int32_t type;	    /* entry of `types`, or TS_DICTIONARY_NONE */
	uint16_t class_of;  /* enum ts_step_class */
	uint16_t
		set_by_steps; /* the compute set is what its steps name, for the program names none */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_program_costs {
	atomic_int uses;
	size_t count;
	struct ts_pile cost;	/* struct ts_program_cost, by program, each once; lent by ... */
	struct ts_index *index; /* ... this, held, where they were kept */
	struct ts_dictionary types;
	int64_t bad_rows; /* left out: no program number, or a blob that is none */
	/* Steps whose cycles are in no program: they name one that is not there, or none; and rows of their IPUs left out. */
	int64_t orphans, unnamed, bad_parts;
	bool has_steps;	   /* there is a trace */
	bool has_executed; /* with cycles of steps */
	bool traced;	   /* all that there is to know of the trace is in it */
	bool partial;	   /* damage: what could be read */
};

/*
 * What the index keeps, else: read program, compute_set, liveness_step, step and step_ipu, as far as they are there,
 * and keep it where `cache` has room. `progress` counts rows of what
 * is read at the moment. Without `trace` what needs every step is left unknown: steps, executed, first_step. Errors:
 * TS_E_ABSENT: there is no `program`; TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED. Damage sets `partial`. Give back with
 * ts_program_costs_close().
 */
enum ts_code ts_program_costs_read(struct ts_program_costs **out, struct ts_reader *rd,
	const struct ts_cache *cache, bool trace, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_program_costs *ts_program_costs_hold(struct ts_program_costs *c);
void ts_program_costs_close(struct ts_program_costs *c); /* NULL allowed */

/* By program; NULL: there is none. */
const struct ts_program_cost *ts_program_costs_find(const struct ts_program_costs *c,
	int64_t program);

/* Type of a program (not NUL-terminated); NULL: not known. */
const char *ts_program_type(size_t *n, const struct ts_program_costs *c,
	const struct ts_program_cost *cost);

#endif
