/* SPDX-License-Identifier: MIT */
/*
 * variable_facts - what other relations say of variables: when they are alive, and over which tiles they are
 * spread.
 *
 * Lifetimes come from `class_interval` (by the class of a lowered variable) and `liveness_variable` (by the
 * number of an unlowered one, and for lowered ones that have no class). Intervals that overlap or touch count
 * once; what lies behind the last recorded step does not. Spread is what the index has of pieces, else one pass over
 * the lowered variables. Both are read when they are first asked for, and kept; one that is there does not change any
 * more: any thread may look at it.
 */
#ifndef TS_REPORT_VARIABLE_FACTS_H
#define TS_REPORT_VARIABLE_FACTS_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/report/index.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/report.h"

/* Liveness steps [start, end). */
struct ts_variable_interval {
	int64_t id, start, end;
};

struct ts_variable_life {
	int64_t id;
	int64_t from, to;   /* the first and the last liveness step, both of them in it */
	int64_t steps;	    /* at which it is alive */
	size_t first;	    /* of its intervals, ... */
	uint32_t intervals; /* ... which stand in order and do not touch */
};

/* Of classes, or of unlowered variables; by number. */
struct ts_variable_lives {
	size_t count;
	struct ts_pile life;	 /* struct ts_variable_life */
	struct ts_pile interval; /* struct ts_variable_interval */
	int64_t end;		 /* the largest end of all */
	int64_t bad_rows;	 /* left out: a number is none */
	int64_t reversed;	 /* left out: intervals that end before they start, or are empty */
	bool partial;		 /* the relation is damaged, or has too many of them */
};

/* The pieces of an unlowered variable. */
struct ts_variable_spread {
	int64_t id;
	int64_t tiles;	      /* on which it has a piece */
	int64_t pieces;	      /* lowered variables */
	int64_t bytes;	      /* of all of them; TS_UNKNOWN: does not fit */
	int64_t fullest;      /* bytes on the tile that has most of it, ... */
	int64_t fullest_tile; /* ... the lowest of equals */
};

struct ts_variable_spreads {
	size_t count;
	struct ts_pile spread; /* by number */
	int64_t bad_rows; /* left out: variable, tile or bytes are no numbers, or the tile is too large */
	bool partial; /* the report is damaged */
	struct ts_index
		*index; /* held: it has them, and there is nothing of what stands above; or NULL */
};

struct ts_variable_facts {
	atomic_int uses;
	const struct ts_cache *cache;				   /* may be NULL */
	_Atomic(struct ts_variable_lives *) of_class, of_variable; /* NULL: not read yet */
	_Atomic(struct ts_variable_spreads *) spreads;
	_Atomic int64_t steps; /* liveness steps of the run, TS_UNKNOWN: not known */
	atomic_bool alive;     /* lifetimes were read, whatever came of it */
};

struct ts_variable_facts *ts_variable_facts_new(const struct ts_cache *cache); /* NULL: no memory */
struct ts_variable_facts *ts_variable_facts_hold(struct ts_variable_facts *f);
void ts_variable_facts_release(struct ts_variable_facts *f); /* NULL allowed */

/* Was something of what was read left out for damage, or because there is too much of it? */
bool ts_variable_facts_partial(const struct ts_variable_facts *f);

/* Can they be had of this report? */
bool ts_variable_lives_can(const struct ts_report *r);
bool ts_variable_spread_can(const struct ts_report *r);

/*
 * Read them where they are not there. A relation that is absent leaves its part unknown, which is no error;
 * damage keeps what was read. Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS (no room for the work).
 */
enum ts_code ts_variable_facts_lives(struct ts_variable_facts *f, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_variable_facts_spread(struct ts_variable_facts *f, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The life of a variable: of its class, else of the unlowered variable. always 1: from the first step to the last,
 * whatever intervals say. False: not known (or not read yet).
 */
bool ts_variable_life(struct ts_variable_life *out, const struct ts_variable_facts *f,
	int64_t class_of, int64_t variable, int always);

/* Is it alive at a step of [from, to] (inclusive)? 1, 0; -1: not known. */
int ts_variable_is_alive(const struct ts_variable_facts *f, int64_t class_of, int64_t variable,
	int always, int64_t from, int64_t to);

/* Its intervals (*count of them), NULL: not known or none. Lent by `f`. */
const struct ts_variable_interval *ts_variable_intervals(const struct ts_variable_facts *f,
	int64_t class_of, int64_t variable, uint32_t *count);

/* False: it has no pieces, or they were not looked at yet. */
bool ts_variable_spread(struct ts_variable_spread *out, const struct ts_variable_facts *f,
	int64_t variable);

/*
 * How evenly its bytes lie on the tiles that it uses: mean / most, in thousandths of a percent (100,000: all the
 * same). TS_UNKNOWN: no bytes.
 */
int64_t ts_variable_balance(const struct ts_variable_spread *s);

#endif
