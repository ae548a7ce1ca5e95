/* SPDX-License-Identifier: MIT */
/*
 * table_order - sorting and filtering of tables whose rows are all held, for every such table alike.
 *
 * A view embeds a `struct ts_table_order`, points ts_table.order to it and calls ts_table_order_make() when it gets other
 * rows (and whenever it likes: nothing is done when nothing has changed). The rows on the screen are then those
 * that pass the filter, in the order that was asked for; the view's functions get the view's own row numbers all the
 * same. Sorting is stable: equals keep the view's order. Values come from ts_table.value.
 *
 * Filter: the language of base/filter.h over the columns that have names. Plain words look into all texts, and a number
 * among them is one as a whole. Blanks and other signs in a name are written as _.
 */
#ifndef TS_UI_TABLE_ORDER_H
#define TS_UI_TABLE_ORDER_H

#include "tilescope/base/cancel.h"
#include "tilescope/ui/command.h"
#include "tilescope/ui/effect.h"
#include "tilescope/ui/table.h"

enum {
	TS_TABLE_FILTER = 256, /* bytes, NUL included */
	TS_TABLE_TROUBLE = 200,
	TS_TABLE_ROWS_MAX = 1 << 20, /* rows that are sorted or filtered here */
};

struct table_sort;

struct ts_table_order {
	int sorted; /* column, or -1: as the view has them */
	int first;  /* column that SORT begins with; it goes round to the one before */
	bool descending;
	char filter[TS_TABLE_FILTER]; /* "" = all rows */

	int width; /* of the screen, when the table was drawn last; 0: it was not */

	bool elsewhere; /* the view has its rows arranged in a worker: ts_table_arrange() */

	/* made */
	uint32_t *row; /* the view's row at each place; NULL: all of them as they come */
	bool lent;     /* `row` is the view's */
	int64_t rows;  /* of the view */
	int64_t count; /* that are shown */
	uint64_t of;   /* what they were made of */
	bool made, filtered;
	double sum[TS_TABLE_COLUMNS]; /* of the rows that pass, where facts say so */
	/* why a filter was given up, to be said once (ts_view_order_turn()); "" = it was not */
	char trouble[TS_TABLE_TROUBLE];

	/* being made: the rows above are shown until it is there */
	struct table_sort *work; /* NULL: nothing is */
	bool others;		 /* of other rows than those that were shown before, */
	int64_t cursor;		 /* with the cursor here */
};

/* What somebody wants of an order. */
struct ts_table_wish {
	int sorted;
	bool descending;
	char filter[TS_TABLE_FILTER];
};

/* As the view has its rows. */
#define TS_TABLE_WISH_PLAIN  \
	{                    \
		.sorted = -1 \
	}

struct ts_table_wish ts_table_wish(const struct ts_table_order *o);
bool ts_table_wish_is(const struct ts_table_wish *w, const struct ts_table_order *o);

/* All rows, in the order in which they come: by that column, the largest first (-1: by none). */
bool ts_table_wish_is_plain(const struct ts_table_wish *w, int column);
void ts_table_wish_set(struct ts_table_order *o, const struct ts_table_wish *w);

void ts_table_order_init(struct ts_table_order *o);
void ts_table_order_fini(struct ts_table_order *o);

/*
 * The table has `rows` rows now; `of` is another number when these are others. Counts l->count, keeps the cursor on its
 * row. Without memory, or with too many rows, all rows are shown as they come.
 */
void ts_table_order_make(struct ts_table_order *o, const struct ts_table *t, struct ts_list *l,
	int64_t rows, uint64_t of);

/*
 * A table of many rows (some ten thousand, with a filter some thousand) is put in order piece by piece: one of a millisecond
 * or two with each call. Until it is done rows stay as they were (other rows: as the view has them). False: nothing is
 * to be done. The loop calls it for all tables of the view that is shown (ts_view_order_turn()).
 */
bool ts_table_order_step(const struct ts_table *t, struct ts_list *l);

/*
 * The same for more rows than the thread that draws should sort, by a worker: the view sets `elsewhere`, asks
 * whenever the order is another one than that of the last answer (rows stay as they are meanwhile), and gives the answer. `t`
 * there is a table of its own, with an order that says what is wanted; its functions are called in the worker.
 */
struct ts_table_arranged {
	uint32_t *row; /* as ts_table_order.row; in `memory` */
	int64_t count;
	bool filtered;
	double sum[TS_TABLE_COLUMNS];
};

/* Where rows by the million are sorted: NULL: there is no more. Whoever made it frees it all at once. */
struct ts_table_memory {
	void *ctx;
	void *(*get)(void *ctx, size_t bytes);
};

/* Errors: TS_E_USAGE (the filter is none of this table), TS_E_LIMIT (it takes too long), TS_E_NOMEM, TS_E_CANCELLED. */
enum ts_code ts_table_arrange(struct ts_table_arranged *out, const struct ts_table *t, int64_t rows,
	const struct ts_table_memory *memory, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Rows as the answer has them, for as long as the order does not get others; NULL: as the view has them. */
void ts_table_order_give(const struct ts_table *t, struct ts_list *l,
	const struct ts_table_arranged *a);

/*
 * SORT [COLUMN], SORT_REVERSE, FILTER TEXT of a table with an order; UNKNOWN for others. `say` gets a line for the user;
 * BELL: it is an error. The view's next ts_table_order_make() puts it in force.
 */
enum ts_effect ts_table_order_command(const struct ts_table *t, const struct ts_call *call,
	char *say, size_t size);

/*
 * Is `sort` of this column from the largest down: what one looks for first of numbers? By the first that is known, of
 * the first rows or of some of the others.
 */
bool ts_table_falls(const struct ts_table *t, int column);

/*
 * The total of the rows that the filter lets through: what may be added up; the first other column that has a name
 * says how many they are, in out->buf.
 */
void ts_table_filtered_total(const struct ts_table *t, int column, struct ts_table_value *out);

/* Is the text a filter of this table? Errors: TS_E_USAGE. */
enum ts_code ts_table_filter_check(const struct ts_table *t, const char *filter,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
