/* SPDX-License-Identifier: MIT */
/*
 * index_steps - the section of the steps: the class of each, and where the rows of the list stand.
 *
 * Classes stand by step in pages of half a byte each, as ts_step_classes has them. Where row ids are
 * missing the row id of every 64th row is kept as well, so that the number of a row and its row id lead
 * to each other anywhere by one lookup and at most 64 rows. What was only looked at in places when
 * the report was opened (do steps rise along the row ids? is every step there?) is known here.
 */
#ifndef TS_REPORT_INDEX_STEPS_H
#define TS_REPORT_INDEX_STEPS_H

#include "tilescope/calc/step_class.h"
#include "tilescope/report/index.h"
#include "tilescope/report/index_build.h"

enum {
	TS_STEP_PAGE = 1 << 14, /* steps */
	TS_STEP_PAGES = 8192,
	TS_NO_STEP = 0xf, /* in place of a class */
	TS_STEP_ANCHOR = 64,
};

/* What the steps are like (bits). */
enum {
	TS_STEPS_HAVE_ROWID = 1 << 0,
	TS_STEPS_GAPS = 1 << 1,	 /* row ids are missing: there are anchors */
	TS_STEPS_FALL = 1 << 2,	 /* a step is below one of an earlier row: never bisect */
	TS_STEPS_DENSE = 1 << 3, /* the step of row r is first_step + r */
};

/* Begin of the payload. */
enum { TS_STEPS_PROGRAMS, TS_STEPS_COMPUTE_SETS, TS_STEPS_NAMES };

struct ts_steps_head {
	int64_t rows;	  /* of the list */
	int64_t steps;	  /* rows with a valid step */
	int64_t bad_rows; /* without one */
	int64_t flags;
	int64_t first_step, last_step; /* of the first and the last row that have one; -1 = none */
	int64_t least_step, most_step;
	int64_t first_rowid, last_rowid;
	uint64_t pages, pages_at;	  /* struct ts_steps_page, by rising number */
	uint64_t stretches, stretches_at; /* struct ts_steps_stretch; none without gaps */
	int64_t names[TS_STEPS_NAMES],
		bad_names[TS_STEPS_NAMES]; /* rows, as struct ts_names has them */
};

struct ts_steps_page {
	int64_t number; /* step / TS_STEP_PAGE */
	uint64_t at;	/* TS_STEP_PAGE / 2 bytes: the even step low, TS_NO_STEP = there is none */
};

/* Rows of the list that one part of the pass saw. */
struct ts_steps_stretch {
	int64_t row, rows;
	int64_t rowid;	     /* of its first row */
	uint64_t anchors_at; /* row id of its rows 0, 64, 128, ... */
};

/* An open section; all zero = none. Read by any thread. */
struct ts_steps {
	struct ts_index *index; /* held */
	const void *payload;
	size_t size;
	const struct ts_steps_head *head;
	const struct ts_steps_page *page;
	const struct ts_steps_stretch *stretch;
};

/* False: the index (NULL allowed) does not have it, or it does not hold together. */
bool ts_steps_open(struct ts_steps *s, struct ts_index *x);
void ts_steps_close(struct ts_steps *s);

/* The class of a step; -1 when there is no such step. */
int ts_steps_class(const struct ts_steps *s, int64_t step);

/*
 * The row id of list row `row` (0 .. rows - 1), and the list row of a row id (the first one at or behind
 * it; `rows` when there is none). For TS_STEPS_HAVE_ROWID. Errors: as ts_rows_next().
 */
enum ts_code ts_steps_rowid(int64_t *rowid, const struct ts_steps *s, struct ts_reader *rd,
	int64_t row, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_steps_row(int64_t *row, const struct ts_steps *s, struct ts_reader *rd,
	int64_t rowid, struct ts_err *err) TS_WARN_UNUSED;

extern const struct ts_pass ts_pass_steps;

/* Row ids of a part, as many as its rows or more; 0 = not known. */
static inline int64_t
ts_pass_part_span(const struct ts_pass_part *p)
{
	uint64_t span = (uint64_t)p->to - (uint64_t)p->from;

	if (p->range != TS_RANGE_ROWID || p->from >= p->to)
		return 0;
	return span < INT64_MAX ? (int64_t)span : INT64_MAX;
}

#endif
