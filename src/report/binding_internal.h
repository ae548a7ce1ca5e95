/* SPDX-License-Identifier: MIT */
/* binding_internal - shared by binding.c, sample.c and reach.c: looking at rows to fit a map to them. */
#ifndef TS_REPORT_BINDING_INTERNAL_H
#define TS_REPORT_BINDING_INTERNAL_H

#include "tilescope/report/binding.h"

enum {
	TS_SAMPLE_WHOLE = 16384, /* tables of up to so many row ids are looked at whole */
	TS_SAMPLE_WINDOWS = 24,	 /* of larger ones so many windows */
	TS_SAMPLE_WINDOW_ROWS = 256,
	TS_REACH_PROBES = 32, /* and rows at so many places, to see whether a key rises */
};

/* Errors that end everything; all others only mean "this does not fit". */
bool ts_is_fatal(enum ts_code code);

/*
 * A stride rounded down by less than a 64th of it: where a table is looked at is then the same for row ids that are known
 * roughly, so that it can be asked for before its last row is here (ahead.c).
 */
uint64_t ts_steady_stride(uint64_t stride);

/* Append SELECT "a", "b" FROM main."object". */
void ts_sql_select(struct ts_strbuf *sql, const struct ts_object *o, const int *columns, int count);

/* Rows of a few integer columns; a value that is none is -1. */
struct ts_sample {
	int columns; /* the first is the group's */
	size_t rows, cap;
	int64_t *value; /* rows x columns */
};

/*
 * Rows of `columns` of r->rows, the first being the group's, sorted by it: the whole table when it is
 * small, else whole groups from windows at evenly spaced row ids. Damaged pages end a window early and
 * nothing else. Errors: only fatal ones.
 */
enum ts_code ts_sample_take(struct ts_sample *s, const struct ts_reach *r, struct ts_db *db,
	const int *columns, int count, struct ts_err *err) TS_WARN_UNUSED;
void ts_sample_fini(struct ts_sample *s);

/* Row ids of window i of `rows` rows or more, inclusive; first > last: there are not so many. */
void ts_sample_window(int64_t *first, int64_t *last, const struct ts_reach *r, int i, int rows);

/* One column of the sample, judged group by group. */
struct ts_verdict {
	int groups;   /* with an integer to group by */
	int exact;    /* values are 0..size-1, each once */
	int apart;    /* values are distinct small integers */
	int largest;  /* rows of the largest group, at most GROUP_MAX */
	int common;   /* size that most exact groups have */
	int distinct; /* small integers that occur, over all groups */
};

enum ts_code ts_sample_judge(struct ts_verdict *v, const struct ts_sample *s, int column,
	struct ts_err *err) TS_WARN_UNUSED;

/* Fill in the row ids, or the row ids and the way, by which r->rows is reached by r->column. */
enum ts_code ts_reach_rowids(struct ts_reach *r, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;
/* Without order (a view, or row ids far apart): are there few rows? */
enum ts_code ts_reach_count_few(struct ts_reach *r, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;
/* The row id at which place i of TS_REACH_PROBES (and the last one) is looked at, where row ids have no gaps. */
int64_t ts_reach_probe_row(const struct ts_reach *r, int i);
/* Have all of these here (ahead.c). Errors: those of ts_plan_fetch(). */
enum ts_code ts_reach_ahead(const struct ts_reach *r, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;
/*
 * Have all rows here, of a table of at most TS_PASS_PAGES pages (of a larger one only pages that lead to them): for who is going to look
 * at most of them. Errors: those of ts_plan_fetch().
 */
enum {
	TS_PASS_PAGES = 2048,		 /* 8 MiB */
	TS_PASS_ALL = 2 * TS_PASS_PAGES, /* named for one pass: half of a file's cache */
};
enum ts_code ts_reach_all_ahead(const struct ts_reach *r, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;
/* The first page of the index that leads to rows by their key (db/plan.h); 0: none. Errors: those of ts_db_step(). */
enum ts_code ts_reach_index(uint32_t *root, const struct ts_reach *r, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;
/*
 * Have the rows with these keys here, with their overflow pages when `whole`: of a report on another host, before they are read one
 * by one. Errors: those of ts_plan_fetch().
 */
enum ts_code ts_reach_keys_ahead(const struct ts_reach *r, struct ts_db *db, const int64_t *key,
	size_t n, bool whole, struct ts_err *err) TS_WARN_UNUSED;
/* Can a row be found by its key without reading a large table? */
bool ts_reach_can_look_up(const struct ts_reach *r);
enum ts_code ts_reach_find(struct ts_reach *r, struct ts_db *db, struct ts_err *err) TS_WARN_UNUSED;
/*
 * Rows of an equal number in `column` have an order: where they do not stand together, they are to be read
 * sorted by it (r->gather), and no longer by row id.
 */
enum ts_code ts_reach_gather(struct ts_reach *r, int column, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
