/* SPDX-License-Identifier: MIT */
/*
 * arranged - rows of a held table sorted, filtered and searched by a worker, where they are more than the thread that
 * draws should.
 *
 * The order is that of any table (ts_table_arrange()). A worker has a table of its own, whose context holds what
 * values are worked out of; keys of the sort and rows of the order lie in files without a name (pile.h), so that a
 * list of millions needs no memory. Rows stay as they are on the screen until the answer is there.
 */
#ifndef TS_VIEW_ARRANGED_H
#define TS_VIEW_ARRANGED_H

#include <stdatomic.h>

#include "tilescope/report/pile.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/tab.h"

struct ts_row_source;

enum {
	TS_ARRANGED_FROM =
		20000, /* more rows than these are put in order, and searched, by a worker */
	TS_ARRANGED_PILES = 4,
	TS_ARRANGED_NEEDLE = 256,
};

/* Rows in an order; shared, read-only when it is made. */
struct ts_arranged {
	atomic_int uses;
	struct ts_table_arranged a;
	struct ts_pile pile[TS_ARRANGED_PILES];
	int piles;
};

struct ts_arranged *ts_arranged_hold(struct ts_arranged *a); /* NULL: NULL */
void ts_arranged_close(struct ts_arranged *a);		     /* NULL allowed */

/* What is arranged, or searched. */
struct ts_arrangeable {
	/* columns, facts, value, rank, shared, ctx: all of it lives as long as ctx */
	struct ts_table table;
	int64_t rows;
	void (*free)(void *ctx); /* NULL: it is somebody else's */
};

/* In a worker. Errors: those of ts_table_arrange(). */
enum ts_code ts_arranged_make(struct ts_arranged **out, const struct ts_arrangeable *what,
	const struct ts_table_wish *wanted, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* --- a list whose rows are arranged so ---------------------------------------------------------- */

/* Begins all zero: nothing was asked for. */
struct ts_arranging {
	uint64_t of; /* the rows that the newest question is about; 0: none */
	struct ts_table_wish wanted;
	struct ts_fetch *sent;	   /* its fetch; NULL: it is answered */
	struct ts_arranged *shown; /* NULL: rows are as they come */
	uint64_t shown_of;	   /* the rows that are shown, */
	struct ts_table_wish is;   /* and their order */
};

/* Is the newest question about this order of these rows? */
bool ts_arranging_is_asked(const struct ts_arranging *g, const struct ts_table_order *o,
	uint64_t of);

/*
 * Ask for the order of t, which is of rows `of`. `what` is taken; NULL: there was no memory for it. Then, as where there is none here,
 * that is said, and the order that is shown is wanted again.
 */
void ts_arranging_send(struct ts_arranging *g, struct ts_tab *tab, int kind,
	const struct ts_table *t, uint64_t of, const struct ts_arrangeable *what);

/*
 * The order is that of the rows as they come, or was worked out with them: `rows` (taken; NULL: as they come).
 */
void ts_arranging_set(struct ts_arranging *g, const struct ts_table *t, struct ts_list *l,
	uint64_t of, struct ts_arranged *rows);

/*
 * g->sent comes back: its rows are shown, where they are still wanted. Where it failed, or was stopped, the order that
 * is shown is wanted again, so that nothing says what is not so.
 */
void ts_arranging_take(struct ts_arranging *g, struct ts_fetch *f, struct ts_view_env *env,
	const struct ts_table *t, struct ts_list *l, uint64_t of);

void ts_arranging_drop(struct ts_arranging *g); /* what was asked for */
void ts_arranging_fini(struct ts_arranging *g);

/*
 * Its rows for a file, in the order of the screen, with its total: t is the table that is shown. `what` is taken. The thread that draws
 * copies no rows. NULL: no memory.
 */
struct ts_row_source *ts_arranged_source(const struct ts_arrangeable *what,
	const struct ts_table *t, struct ts_arranged *shown);

/*
 * The same of rows of which not all are here, perhaps: `read` (in the worker) has `what` have all of them, in the same ctx. They
 * are put in the order `wanted` then, without a total; they come by column `by`, the largest first (-1: by none). `expected`: how many they may be.
 */
struct ts_row_source *ts_arranged_source_read(const struct ts_arrangeable *what,
	enum ts_code (*read)(struct ts_arrangeable *what, struct ts_reader *rd, struct ts_err *err),
	const struct ts_table_wish *wanted, int by, int64_t expected);

/* --- a word in the first column ----------------------------------------------------------------- */

/* A search of rows; begins all zero. */
struct ts_row_search {
	bool wanted, here; /* here: from the row under the cursor on, else from the one behind it */
	int step;	   /* 1 or -1 */
	uint64_t of;	   /* the rows that are looked at */
	struct ts_fetch *sent; /* NULL: none is under way */
};

/* Where it is: places of the list. */
struct ts_row_hit {
	int64_t at; /* -1: nowhere */
	int64_t before, hits;
	char needle[TS_ARRANGED_NEEDLE]; /* what was looked for */
};

/*
 * A search that is typed or goes on, to be sent when the rows are there. UNKNOWN: it is none, or there is nothing to look for.
 */
enum ts_effect ts_row_search_command(struct ts_row_search *f, char needle[TS_ARRANGED_NEEDLE],
	const struct ts_call *call);

/*
 * Look for it in a worker, in the order that is `shown` (NULL: as they come); `what` is taken, its texts end with a NUL;
 * NULL: there was no memory for it. False: no rows, or no memory, which is said.
 */
bool ts_row_search_send(struct ts_row_search *f, struct ts_tab *tab, int kind,
	const struct ts_list *l, uint64_t of, const char *needle, const struct ts_arrangeable *what,
	struct ts_arranged *shown);

/* f->sent comes back. False: it was stopped, is of other rows, or has failed, which is said. */
bool ts_row_search_take(struct ts_row_search *f, struct ts_fetch *fetch, struct ts_view_env *env,
	uint64_t of, struct ts_row_hit *out);

#endif
