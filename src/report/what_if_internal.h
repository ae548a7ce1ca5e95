/* SPDX-License-Identifier: MIT */
/*
 * what_if_internal - what_if.c works out peaks, what_if_rows.c which lowered variables a change names, what_if_run.c has several
 * threads go over them.
 */
#ifndef TS_REPORT_WHAT_IF_INTERNAL_H
#define TS_REPORT_WHAT_IF_INTERNAL_H

#include <stdatomic.h>

#include "tilescope/report/rows.h"
#include "tilescope/report/what_if.h"

/* Who asks, and with what. */
struct what_if_work {
	struct ts_what_if *w;
	struct ts_reader *rd;
	struct ts_groups *groups;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_what_if_run *run; /* or NULL */
	int blamed;		    /* 1 + the change that the error is about; 0: not known */
	const struct ts_tile_set *selected; /* or NULL */
};

/* The tiles that are selected; NULL: none, or r is NULL. */
const struct ts_tile_set *what_if_run_selected(const struct ts_what_if_run *r);

/* The bytes that tiles lose, as a table; with those who help. *out may be set on TS_E_DAMAGED. */
enum ts_code what_if_less(struct ts_tile_lives **out, struct what_if_work *w,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * What one thread does of it: the bytes that tiles lose by the rows that it reads, by tile and class; counts in w->w->sum. `w`
 * outlives it.
 */
struct what_if_share;

/*
 * Which variables the changes name; with `like` (or NULL) that is known from another share, which outlives it. *out is to be closed in
 * every case (it may be NULL).
 */
enum ts_code what_if_share_open(struct what_if_share **out, struct what_if_work *w,
	const struct what_if_share *like, struct ts_err *err) TS_WARN_UNUSED;
void what_if_share_close(struct what_if_share *h); /* NULL allowed */

/* May several shares have parts of the rows? */
bool what_if_share_splits(const struct what_if_share *h);

/* Go over rows. Damage is kept for what_if_share_table(). `seen`: rows of all shares, for progress. */
enum ts_code what_if_share_read(struct what_if_share *h, enum ts_range range, int64_t from,
	int64_t to, _Atomic int64_t *seen, struct ts_err *err) TS_WARN_UNUSED;

/* Add what another has. TS_E_STALE: they have not read the same. */
enum ts_code what_if_share_merge(struct what_if_share *to, struct what_if_share *from,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * All rows are read: a table of its own (its classes and points are those of the table of all tiles). *out may
 * be set on TS_E_DAMAGED.
 */
enum ts_code what_if_share_table(struct ts_tile_lives **out, struct what_if_share *h,
	struct ts_err *err) TS_WARN_UNUSED;

/* Nobody needs help any more. NULL allowed. */
void what_if_run_end(struct ts_what_if_run *r);
void what_if_run_blame(struct ts_what_if_run *r, int change);

#endif
