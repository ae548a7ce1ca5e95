/* SPDX-License-Identifier: MIT */
/*
 * lifetimes - when some variables are alive, and how long they lie idle.
 *
 * A variable is *used* at a step when the program of that step names one of the lowered variables that it became
 * (program_variable, liveness_step.program). It is *idle* at the other steps of its life. Bytes x idle steps are what
 * recomputing it, or keeping it with the host, could free. Where a report names no program for a variable nothing is
 * known of its uses: idle is unknown then, not its whole life.
 */
#ifndef TS_REPORT_LIFETIMES_H
#define TS_REPORT_LIFETIMES_H

#include "tilescope/report/liveness.h"
#include "tilescope/report/lives.h"

enum {
	TS_LIFETIME_ROWS = 1000,      /* that fill a screen, and are there first */
	TS_LIFETIME_MOST = 1 << 20,   /* that are listed at all */
	TS_LIFETIME_PIECES = 1 << 24, /* 128 MiB, in a file without a name */
	TS_USES_MAX = 16 << 20
};

/* Which programs name which variables, and at which steps they run. Read-only once it is read. */
struct ts_uses {
	atomic_int holders;   /* ts_uses_hold(), ts_uses_close() */
	struct ts_pile named; /* struct ts_use, by variable, then program, each once */
	struct ts_pile runs;  /* struct ts_run_of, by program, then step */
	size_t names, steps;
	int64_t left_out; /* beyond TS_USES_MAX */
	bool pieces; /* `named` has row ids of lowered_variable, those of the lives of one tile */
};

struct ts_use {
	int64_t variable, program;
};

struct ts_run_of {
	int64_t program, step;
};

/*
 * As the index has them, else one pass over program_variable, lowered_variable and liveness_step, and kept then (section
 * `uses`, below `cache`, which may be NULL). Errors: TS_E_ABSENT (with what is missing),
 * those of ts_rows_next(). *out may be set on TS_E_DAMAGED too.
 */
enum ts_code ts_uses_read(struct ts_uses **out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same for lives that are pieces on a tile (ts_lives.lowered): each for itself, by lowered_variable.id. Those of other
 * lives are not in it.
 */
enum ts_code ts_uses_read_pieces(struct ts_uses **out, struct ts_reader *rd,
	const struct ts_lives *lives, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_uses *ts_uses_hold(struct ts_uses *u);
void ts_uses_close(struct ts_uses *u); /* NULL allowed */

struct ts_lifetime {
	int64_t variable; /* as struct ts_live_variable */
	int64_t bytes;
	int64_t steps;	      /* of its life */
	int64_t used, idle;   /* of these; TS_UNKNOWN: no program names it */
	int64_t longest;      /* idle steps one after the other; TS_UNKNOWN */
	uint32_t index;	      /* of ts_lives.variable */
	uint32_t life, lives; /* in `piece`: intervals, ascending */
	uint32_t use, uses;   /* in `piece`: steps at which it is used, put together to intervals */
};

struct ts_lifetimes {
	int rows;
	const struct ts_lifetime *row; /* in the order in which they were asked for; in pile[0] */
	size_t pieces;
	const struct ts_live_piece {
		uint32_t start, end; /* half-open */
	} * piece;		     /* in pile[1] */
	bool cut; /* more pieces than are kept: some rows have fewer than they should */
	struct ts_pile pile[2];
};

/*
 * Of the variables index[0..n) of `lives`. `uses` may be NULL: nothing is known of them. Free with ts_lifetimes_fini() in
 * every case. `cache` (may be NULL): where what is large lies. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_lifetimes_make(struct ts_lifetimes *l, const struct ts_lives *lives,
	const struct ts_uses *uses, const uint32_t *index, int n, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_lifetimes_fini(struct ts_lifetimes *l);

/*
 * Of all variables that are alive at a step those with the most bytes x idle steps first, then the largest of which
 * nothing is known: index[0 .. *n), at most `most`; *alive is how many are alive. Errors: TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_lifetimes_idlest(uint32_t *index, int *n, int64_t *alive,
	const struct ts_lives *lives, const struct ts_uses *uses, int64_t step, int most,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Indexes of variables by their numbers; UINT32_MAX: it is not among the lives. One look at all of them. */
void ts_lives_find(uint32_t *index, const struct ts_lives *lives, const int64_t *variable, int n);

#endif
