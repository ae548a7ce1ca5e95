/* SPDX-License-Identifier: MIT */
/*
 * trace - the execution, step by step: a list of steps, lanes of what each IPU does, search.
 *
 * Everything is answered from bounded direct queries: windows of steps by row id or key, lanes from
 * rows that are found by bisecting (the starts of one IPU rise along its rows). Only reports whose
 * steps stand in a view, or in no order, are read forwards as a whole (`forwards`).
 *
 * With the index of a reader: lanes are exact at any zoom, every row of the list has its number, and
 * what was looked at in places is known.
 *
 * Cycles are tile clock cycles of the report; steps count from 0; ranges are half-open.
 */
#ifndef TS_REPORT_TRACE_H
#define TS_REPORT_TRACE_H

#include <stdatomic.h>

#include "tilescope/report/execution.h"
#include "tilescope/report/honesty.h"
#include "tilescope/report/index_lanes.h"
#include "tilescope/report/program_called.h"
#include "tilescope/report/rows.h"

enum {
	TS_TRACE_RUNS = 256,	   /* more are left out */
	TS_TRACE_RUN_NAME = 48,	   /* bytes, NUL included */
	TS_TRACE_COLUMNS = 1024,   /* of a chart */
	TS_TRACE_LANES = 256,	   /* of a chart */
	TS_TRACE_WINDOW = 4096,	   /* rows of a window */
	TS_TRACE_TEXT = 4 << 20,   /* bytes of their names and types */
	TS_TRACE_EXACT = 40000,	   /* rows of step_ipu up to which lanes are exact */
	TS_TRACE_LOOK_BACK = 2048, /* rows before the range that may still reach into it */
};

struct ts_trace_run {
	int64_t run; /* its number in the report */
	int64_t first_step, steps;
	/* cycles: the first start of its first step that is on an IPU, the last end of its last one; or TS_UNKNOWN */
	int64_t start, end;
	char name[TS_TRACE_RUN_NAME];
};

/* How rows of a relation are addressed: by row id, by key, or only from the first one on. */
struct ts_trace_axis {
	enum ts_range range; /* TS_RANGE_ROWID, TS_RANGE_KEY, TS_RANGE_ALL: forwards */
	int64_t first, last; /* addresses, inclusive; first > last = no rows */
	int per;	     /* rows that one address has (about) */
};

/* What is known before any row is looked for. Not changed afterwards; any thread may read it. */
struct ts_trace {
	atomic_int uses;
	struct ts_step_names names;
	struct ts_step_classes classes; /* only with `forwards` (copy it to look something up) */
	bool forwards;			/* lanes and the rows of an IPU are read as a whole */
	struct ts_steps steps;		/* of the index that the reader had; or closed */
	bool fall[2]; /* the steps of `step`, of `step_ipu` do not rise along the rows after all */

	struct ts_trace_axis step, part; /* of `step` and `step_ipu` */
	int group;			 /* rows of step_ipu that a step has (about), at least 1 */
	int64_t rows;			 /* steps of the list; with `gaps` an estimate */
	int64_t first_step, last_step;
	bool dense;    /* the step of row r is first_step + r */
	bool gaps;     /* row ids are missing: rows have no fixed number */
	bool numbered; /* row ids are missing, but the index knows the number of each row */
	bool cut;      /* read forwards: there are more steps than are counted */

	bool has_parts;			  /* step_ipu is there */
	char why_no_parts[TS_REASON_MAX]; /* when not */
	int ipus;
	int64_t *ipu;	  /* sorted */
	int64_t from, to; /* cycles: the first start and the last end of all IPUs */

	int runs;
	struct ts_trace_run *run;
	bool has_run; /* the run of a step is known, from `run` or from `step` */
	struct ts_honesty honest;
	int64_t artefact_start, artefact_end; /* cycles of that step, of all IPUs; or TS_UNKNOWN */
	double clock_hz;		      /* 0 = not known */
};

/*
 * Find it out. Errors: TS_E_ABSENT when there are no steps; all else as ts_rows_next(). With
 * TS_E_DAMAGED *out may still be there. Give back with ts_trace_release().
 */
enum ts_code ts_trace_open(struct ts_trace **out, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* The same where the report was opened before, with less of the index: `before` has what is the same with any (or NULL). */
enum ts_code ts_trace_open_again(struct ts_trace **out, struct ts_reader *rd,
	const struct ts_trace *before, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* One without steps, for a report that has nothing but blocks: `rows` is 0, and why stands in `why_no_parts`. */
enum ts_code ts_trace_open_empty(struct ts_trace **out, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_trace *ts_trace_hold(struct ts_trace *t);
void ts_trace_release(struct ts_trace *t);

/* Index of the run that a step belongs to, by first_step and steps; -1 when that is not known. */
int ts_trace_run_of(const struct ts_trace *t, int64_t step);

/* --- windows of the list ---------------------------------------------------------------------- */

struct ts_trace_row {
	int64_t at;		      /* address in `step` */
	int64_t step;		      /* TS_UNKNOWN: not a number */
	int64_t run;		      /* TS_UNKNOWN: not known */
	int64_t program, compute_set; /* or TS_UNKNOWN */
	enum ts_step_class class_of;
	uint32_t type, type_n, name, name_n; /* in the window's text; name_n 0 = no name */
	bool here;			     /* the IPU has a valid row of this step */
	bool damaged;			     /* the step, or the IPU's row of it, cannot be read */
	int64_t cycles, start, end;	     /* of that row */
	int64_t active_tiles;		     /* or TS_UNKNOWN */
	double balance;			     /* mean / max over all tiles; below 0 = not recorded */
	double active_balance;		     /* the same over active tiles */
	int64_t data_in, data_out;	     /* bytes; or TS_UNKNOWN */
	int64_t active_start_max, active_end_min; /* cycles; or TS_UNKNOWN */
};

struct ts_trace_window {
	int64_t ipu;
	int64_t first_row; /* number of row[0] in the list */
	int count;
	struct ts_trace_row *row;
	char *text;
	size_t text_n;
	bool at_begin, at_end; /* row[0] is the first of all, the last one is the last of all */
};

/*
 * The rows [row - before, row + after) around list row `row`, whose address is `at` (or the first one
 * behind it, where ids are missing), with the figures of `ipu`.
 */
enum ts_code ts_trace_window_read(struct ts_trace_window *w, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t row, int64_t at, int before, int after,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_trace_window_fini(struct ts_trace_window *w);

/* What an IPU did in a step; figures of ts_trace_row, `here`. */
struct ts_trace_part {
	int64_t ipu;
	struct ts_trace_row of;
};

/* The rows of a step, by IPU: *part (free() it), *n. Only the first row of an IPU counts. */
enum ts_code ts_trace_step_read(struct ts_trace_part **part, int *n, struct ts_reader *rd,
	const struct ts_trace *t, int64_t step, struct ts_err *err) TS_WARN_UNUSED;

/* Address of a list row where rows have fixed numbers, else an estimate. */
int64_t ts_trace_row_at(const struct ts_trace *t, int64_t row);

/* The list row of a step (an estimate with `gaps`) and its address; *found false: none. */
enum ts_code ts_trace_find_step(int64_t *row, int64_t *at, bool *found, struct ts_reader *rd,
	const struct ts_trace *t, int64_t step, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The step that an IPU runs at a time: of those that have started, have a length, and have not ended
 * the last; when it runs none, the last one before. *found false: none nearby.
 */
enum ts_code ts_trace_step_at(int64_t *step, bool *found, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t cycles, struct ts_err *err) TS_WARN_UNUSED;

/* --- lanes ------------------------------------------------------------------------------------ */

struct ts_trace_chart {
	int64_t from, to; /* cycles */
	int columns, lanes;
	int64_t *ipu;  /* of each lane */
	double *share; /* ts_trace_share(): of each lane, class and column */
	double *own;   /* ts_trace_own(): the same, not limited by other classes */
	bool *overlap; /* of each lane: some of its steps run at the same time (of those that were looked at) */
	bool *start;   /* ts_trace_start(): a step with a length begins in the column */
	bool *unknown; /* ts_trace_unknown(): no sample told anything about the column */
	bool sampled;  /* not every row was read */
	int64_t rows;  /* that were read */
};

/*
 * What the lanes do in each column. A class's share is the part of the column that it has for itself: classes take their
 * cycles in ts_class_order, as far as there is room, so all of them come to 1 at most. Exact when the range has no
 * more than TS_TRACE_EXACT rows, else sampled: at a few places of each column the rows that stand there. Columns as
 * ts_span_bucket() has them.
 */
enum ts_code ts_trace_chart_read(struct ts_trace_chart *c, struct ts_reader *rd,
	const struct ts_trace *t, int64_t from, int64_t to, int columns, const int64_t *ipu,
	int lanes, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_trace_chart_copy(struct ts_trace_chart *c, const struct ts_trace_chart *from,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_trace_chart_fini(struct ts_trace_chart *c);

static inline const double *
ts_trace_share(const struct ts_trace_chart *c, int lane, enum ts_step_class k)
{
	return c->share + ((size_t)lane * TS_CLASS_COUNT + (size_t)k) * (size_t)c->columns;
}

static inline const bool *
ts_trace_start(const struct ts_trace_chart *c, int lane)
{
	return c->start + (size_t)lane * (size_t)c->columns;
}

static inline const bool *
ts_trace_unknown(const struct ts_trace_chart *c, int lane)
{
	return c->unknown + (size_t)lane * (size_t)c->columns;
}

/* The cycles of a class's steps in each column, as part of the column: above 1 where several of them run at once. */
static inline const double *
ts_trace_own(const struct ts_trace_chart *c, int lane, enum ts_step_class k)
{
	return c->own + ((size_t)lane * TS_CLASS_COUNT + (size_t)k) * (size_t)c->columns;
}

/* The cycles [*a, *b) of column i. */
void ts_trace_column(int64_t from, int64_t to, int columns, int i, int64_t *a, int64_t *b);

/* --- search ----------------------------------------------------------------------------------- */

enum { TS_TRACE_HITS_BYTES = 16 << 20, TS_TRACE_NEEDLE = 256 };

/* Steps whose name contains something: a bit per step. */
struct ts_trace_hits {
	char needle[TS_TRACE_NEEDLE];
	int64_t first, steps; /* the bits stand for [first, first + steps) */
	uint8_t *bit;
	int64_t count;
	int64_t least, most; /* marked bits lie in [least, most); 0, 0: there is none */
	int64_t left_out;    /* hits whose step lies outside of the bits: counted, not marked */
	int64_t looked_at;
	bool calls; /* `program:N`: the program calls others, and steps of these are hits, too: */
	int64_t called; /* of `count` */
};

/*
 * Look at all steps. A step matches when its name contains `needle` (ASCII letters of either case); a
 * step without a name when its type does; `type:TEXT` looks at types alone; `set:N` are the steps that execute that compute
 * set, `program:N` those that execute that program or what it calls (report/program_called.h).
 */
enum ts_code ts_trace_search(struct ts_trace_hits *h, struct ts_reader *rd,
	const struct ts_trace *t, const char *needle, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* The program that `program:N` is about; TS_UNKNOWN: it is not such a search. */
int64_t ts_trace_needle_program(const char *needle);

/*
 * Look at the steps of the addresses [from, to) only, where steps have row ids (t->step.range). `called`: of the program that
 * the search is about, read once for all parts; NULL: what it calls does not count.
 */
enum ts_code ts_trace_search_part(struct ts_trace_hits *h, struct ts_reader *rd,
	const struct ts_trace *t, const char *needle, const struct ts_program_called *called,
	int64_t from, int64_t to, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* Add the hits of another part of the same search. */
void ts_trace_hits_add(struct ts_trace_hits *h, const struct ts_trace_hits *more);
void ts_trace_hits_fini(struct ts_trace_hits *h);

bool ts_trace_hit(const struct ts_trace_hits *h, int64_t step);

/* How many hits do not lie behind a step: of a hit its number, from 1. */
int64_t ts_trace_hit_number(const struct ts_trace_hits *h, int64_t step);

/* The next hit behind (`by` 1) or before (-1) a step; TS_UNKNOWN when there is none. */
int64_t ts_trace_hit_next(const struct ts_trace_hits *h, int64_t step, int by);

/* Cycles of hits and of all steps of one IPU: of everything, and run by run. */
struct ts_trace_cost {
	int64_t ipu;
	int64_t hits, all; /* cycles */
	int runs;
	struct {
		int64_t hits, all;
	} run[TS_TRACE_RUNS];
	int64_t left_out; /* rows whose cycles are no number, or that overflow */
	/* where hits begin on this IPU, of `columns` columns over [from, to) */
	int columns;
	bool mark[TS_TRACE_COLUMNS];
};

enum ts_code ts_trace_cost_read(struct ts_trace_cost *cost, struct ts_reader *rd,
	const struct ts_trace *t, const struct ts_trace_hits *h, int64_t ipu, int columns,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
