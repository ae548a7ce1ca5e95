/* SPDX-License-Identifier: MIT */
/*
 * execution - where the cycles went: classes of steps, and sums by IPU.
 */
#ifndef TS_REPORT_EXECUTION_H
#define TS_REPORT_EXECUTION_H

#include "tilescope/base/mem.h"
#include "tilescope/base/progress.h"
#include "tilescope/calc/step_class.h"
#include "tilescope/report/index_steps.h"
#include "tilescope/report/names.h"
#include "tilescope/report/report.h"
#include "tilescope/report/rows.h"

enum { TS_IPUS_MAX = 4096 };

/* The names that steps have: their compute set's, else their program's. */
struct ts_step_names {
	struct ts_names programs, compute_sets;
};

enum ts_code ts_step_names_read(struct ts_step_names *n, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_step_names_fini(struct ts_step_names *n);

/*
 * How many programs and compute sets there are, without their names, as ts_step_names_read() has them: who needs no more than
 * that of a report with an index is spared all its names.
 */
void ts_steps_counts(struct ts_step_names *n, const struct ts_steps *s);

/* As ts_names_share(), of both or none; false, too, where not all of them could be read. */
bool ts_step_names_share(struct ts_step_names *to, const struct ts_step_names *from);

/* The columns of `step` that a query asks for first, in this order, to use the functions below. */
enum {
	TS_STEP_Q_STEP,
	TS_STEP_Q_TYPE,
	TS_STEP_Q_SYNC_TYPE,
	TS_STEP_Q_PROGRAM,
	TS_STEP_Q_COMPUTE_SET,
	TS_STEP_Q_NAME,
	TS_STEP_Q_COUNT
};
extern const int ts_step_columns[TS_STEP_Q_COUNT];

/* Name of the cursor's step (not NUL-terminated), or NULL. Valid until the next row. */
const char *ts_step_name(struct ts_rows *rows, const struct ts_step_names *names, size_t *n);

/*
 * The same where a query asks for other columns: place[] says where it has the TS_STEP_Q_ ones (those from
 * TS_STEP_Q_PROGRAM on count); -1 = not.
 */
const char *ts_step_name_of(struct ts_rows *rows, const int place[TS_STEP_Q_COUNT],
	const struct ts_step_names *names, size_t *n);

/* Class of the cursor's step. */
enum ts_step_class ts_step_class_row(struct ts_rows *rows);

/*
 * The class of every step, half a byte each, in pages: for joining steps with their IPUs' rows in one
 * pass over each, whatever the order. From the index when it has them. Bounded: steps beyond
 * TS_STEP_PAGES pages are left out and counted.
 */
struct ts_step_page;

struct ts_step_classes {
	struct ts_step_page *pages; /* hash by step / TS_STEP_PAGE */
	struct ts_step_page *last;
	int64_t steps;	  /* rows with a valid id */
	int64_t bad_rows; /* without one */
	int64_t left_out;
	struct ts_steps indexed; /* open: then there are no pages */
};

enum ts_code ts_step_classes_read(struct ts_step_classes *c, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_step_classes_fini(struct ts_step_classes *c);

/* Note the class of a step; of equal steps the last one counts. Errors: TS_E_NOMEM. */
enum ts_code ts_step_classes_add(struct ts_step_classes *c, int64_t step, enum ts_step_class k,
	struct ts_err *err) TS_WARN_UNUSED;

/* Move what `from` has to `to`, as if its rows came behind. Errors: TS_E_NOMEM. */
enum ts_code ts_step_classes_merge(struct ts_step_classes *to, struct ts_step_classes *from,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The pages, by rising number: half a byte a step, the even one low, TS_NO_STEP where there is none.
 * *page NULL before the first; false at the end. Sorts them when it begins.
 */
bool ts_step_classes_next(struct ts_step_classes *c, struct ts_step_page **page, int64_t *number,
	const unsigned char **nibbles);

/* The class of a step; -1 when there is no such step. */
int ts_step_classes_find(struct ts_step_classes *c, int64_t step);

struct ts_ipu_cycles {
	int64_t ipu;
	int64_t first_start, last_end; /* cycles; the first and last of all its intervals */
	int64_t step_cycles;	       /* sum over its steps */
	int64_t by_class[TS_CLASS_COUNT];
};

struct ts_execution {
	int count;
	struct ts_ipu_cycles *ipu; /* sorted by IPU */
	int step_ipus;		   /* IPUs that rows name, those whose rows are all left out too */
	int64_t rows;
	int64_t bad_rows; /* left out: a number is missing, negative or too large */
	int64_t orphans;  /* left out: no such step */
	int64_t reversed; /* kept: intervals that end before they start */
	int hint;	  /* where the next row's IPU may be */
	bool limited;	  /* a sum or the IPUs are at their limit: the order of the rows counts */
};

/* The columns of `step_ipu` that a query asks for first, and a row of them. */
enum { TS_X_STEP, TS_X_IPU, TS_X_CYCLES, TS_X_START, TS_X_END, TS_X_COUNT };
extern const int ts_execution_columns[TS_X_COUNT];

struct ts_execution_row {
	int64_t v[TS_X_COUNT];
	bool ok[TS_X_COUNT]; /* it is a number */
	bool all;	     /* all of them are */
};

void ts_execution_row_get(struct ts_execution_row *row, struct ts_rows *rows);

/* What all rows of a block have in common, and the values of row k. */
void ts_execution_row_of(struct ts_execution_row *row, const struct ts_rows_block *b);

static inline void
ts_execution_row_at(struct ts_execution_row *row, const struct ts_rows_block *b, int k)
{
	for (int i = 0; i < TS_X_COUNT; i++)
		row->v[i] = b->v[i][k];
}

/* The short way to add most rows; false: it was not, use ts_execution_add(). */
static inline bool
ts_execution_add_quickly(struct ts_execution *x, const struct ts_execution_row *row, int class_of)
{
	int i = x->hint < x->count ? x->hint : 0; /* rows of the IPUs take turns */
	struct ts_ipu_cycles *k;

	if (!row->all || class_of < 0 || x->count == 0)
		return false;
	k = &x->ipu[i];
	if (k->ipu != row->v[TS_X_IPU] || k->step_cycles >= TS_NUMBER_MAX)
		return false;
	x->hint = i + 1;
	x->rows++;
	k->step_cycles += row->v[TS_X_CYCLES];
	k->by_class[class_of] += row->v[TS_X_CYCLES];
	k->first_start = ts_min_i64(k->first_start, row->v[TS_X_START]);
	k->last_end = ts_max_i64(k->last_end, row->v[TS_X_END]);
	x->reversed += row->v[TS_X_END] < row->v[TS_X_START];
	return true;
}

/* Add a row; class_of -1: there is no such step. Errors: TS_E_NOMEM. */
enum ts_code ts_execution_add(struct ts_execution *x, const struct ts_execution_row *row,
	int class_of, struct ts_err *err) TS_WARN_UNUSED;

/* Add the rows of `from`, which come behind. TS_E_LIMIT: one by one they may give something else. */
enum ts_code ts_execution_merge(struct ts_execution *x, const struct ts_execution *from,
	struct ts_err *err) TS_WARN_UNUSED;

/* All rows are added. */
void ts_execution_finish(struct ts_execution *x);

/*
 * One pass over step_ipu, or the sums of the index. Without `step` only step_ipus is found out, and the code is TS_E_ABSENT. Damage keeps what was read.
 * `classes` are the steps' (ts_step_classes_read()).
 */
enum ts_code ts_execution_read(struct ts_execution *x, struct ts_reader *rd,
	struct ts_step_classes *classes, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_execution_fini(struct ts_execution *x);

#endif
