/* SPDX-License-Identifier: MIT */
/*
 * arranged - rows of a held table sorted and filtered by a worker, where they are more than the thread that draws should.
 *
 * The order is that of any table (ts_table_arrange()). A worker has a table of its own, whose context holds what values
 * are worked out of; keys of the sort and rows of the order lie in files without a name (pile.h), so that a list of
 * millions needs no memory. Rows stay as they are on the screen until the answer is there.
 */
#ifndef TS_VIEW_ARRANGED_H
#define TS_VIEW_ARRANGED_H

#include <stdatomic.h>

#include "tilescope/report/pile.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/tab.h"

/* Rows in an order; shared, read-only when it is made. */
enum { TS_ARRANGED_PILES = 4 };

struct ts_arranged {
	atomic_int uses;
	struct ts_table_arranged a;
	struct ts_pile pile[TS_ARRANGED_PILES];
	int piles;
};

struct ts_arranged *ts_arranged_hold(struct ts_arranged *a); /* NULL: NULL */
void ts_arranged_close(struct ts_arranged *a);		     /* NULL allowed */

/* What is arranged. */
struct ts_arrangeable {
	struct ts_table
		table; /* columns, facts, value, rank, shared, ctx; all of it lives as long as ctx */
	int64_t rows;
	void (*free)(void *ctx); /* NULL: it is somebody else's */
};

/* In a worker. `wanted`: column, way and filter. Errors: those of ts_table_arrange(). */
enum ts_code ts_arranged_make(struct ts_arranged **out, const struct ts_arrangeable *what,
	const struct ts_table_order *wanted, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* --- a list whose rows are arranged so ---------------------------------------------------------- */

/* Begins all zero: nothing was asked for. */
struct ts_arranging {
	uint64_t of; /* the rows that the newest question is about; 0: none */
	int sorted;
	bool descending;
	char filter[TS_TABLE_FILTER];
	struct ts_fetch *sent;	   /* its fetch; NULL: it is answered */
	struct ts_arranged *shown; /* NULL: rows are as they come */
};

/* Is the newest question about this order of these rows? */
bool ts_arranging_is_asked(const struct ts_arranging *g, const struct ts_table_order *o,
	uint64_t of);

/* Ask for the order of t, which is of rows `of`. `what` is taken. */
void ts_arranging_send(struct ts_arranging *g, struct ts_tab *tab, int kind,
	const struct ts_table *t, uint64_t of, const struct ts_arrangeable *what);

/* The order is that of the rows as they come, or was worked out with them: `rows` (taken; NULL: as they come). */
void ts_arranging_set(struct ts_arranging *g, const struct ts_table *t, struct ts_list *l,
	uint64_t of, struct ts_arranged *rows);

/* g->sent comes back: its rows are shown, where they are still wanted. */
void ts_arranging_take(struct ts_arranging *g, struct ts_fetch *f, struct ts_view_env *env,
	const struct ts_table *t, struct ts_list *l, uint64_t of);

void ts_arranging_drop(struct ts_arranging *g); /* what was asked for */
void ts_arranging_fini(struct ts_arranging *g);

#endif
