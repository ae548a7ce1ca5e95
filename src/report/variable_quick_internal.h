/* SPDX-License-Identifier: MIT */
/*
 * variable_quick - rows that pass a filter, asked of the columns in the index within a bound of processor time: what variable_first.c (the first rows
 * of a list) and variable_next.c (the next hit) share. Who is late leaves it to the pass over all rows (variable_pass.c),
 * which has the same answers.
 */
#ifndef TS_REPORT_VARIABLE_QUICK_INTERNAL_H
#define TS_REPORT_VARIABLE_QUICK_INTERNAL_H

#include "variable_columns_internal.h"

#include "tilescope/base/clock.h"

enum {
	QUICK_FULL = 1 << 14,	   /* so few rows are put in order at once */
	QUICK_GLANCE_US = 600,	   /* along an order, */
	QUICK_WALK_US = 9000,	   /* and where many rows pass */
	QUICK_ASK_US = 2500,	   /* names as they begin in an order */
	QUICK_FEW_GROUPS = 256,	   /* of names: more of them take longer to ask an expression, */
	QUICK_FEW_OF_WORDS = 2048, /* or to look for words in */
	QUICK_LOOK = 64,	   /* rows, blocks or groups between looks at the clock */
};

/* A row as it is compared in an order: forwards, whichever way the list is read. */
struct keyed {
	uint64_t unknown, key;
	int64_t tie, place;
};

/* What is asked, by one thread, and what was found so far. */
struct quick {
	struct columns_asking a;
	const struct ts_variable_list *by_name; /* all rows in the order of their names; or NULL */
	const struct ts_variable_list
		*bits; /* ready: its bits say what passes; NULL: the filter does */
	const struct ts_cancel *cancel;
	int64_t at; /* the row that is asked */
	struct ts_bound bound;
	uint32_t names; /* comparisons with a name that have to be so */
	bool alone;	/* and nothing else has to */
	bool words;	/* no expression is asked */
	bool many;	/* rows have one of the names */
	uint64_t *wanted;
	struct ts_pile place; /* int64_t: rows that pass */
	bool over;	      /* there are more */
	bool late;	      /* it takes too long */
};

/* Rows that were found. */
static inline int64_t
quick_places(const struct quick *f)
{
	return (int64_t)(f->place.used / sizeof(int64_t));
}

/* So long from now on. */
static inline void
quick_set_bound(struct quick *f, int64_t us)
{
	ts_bound_begin(&f->bound, us);
}

/* An expression that takes too long on a name is for who does not wait. */
static inline bool
quick_is_costly(const struct quick *f)
{
	return ts_filter_use_costly(&f->a.p->asking.use) > 0;
}

/* Nobody waits any longer. */
static inline bool
quick_is_late(struct quick *f)
{
	return ts_bound_is_over(&f->bound) || ts_cancelled(f->cancel) || quick_is_costly(f);
}

/* Are these all rows in this order? */
static inline bool
quick_is_usable(const struct ts_variable_list *order, const struct ts_variables *v,
	enum ts_variable_sort sort)
{
	return order && order->v == v && order->sort == sort && order->filter.count == 0 &&
		atomic_load(&order->ready);
}

/* The place at position i of an order of all rows, read in this direction. */
static inline int64_t
quick_order_at(const struct ts_variable_list *order, int64_t i, bool reverse)
{
	if (reverse && i < order->known)
		i = order->known - 1 - i;
	return order->natural ? i : (int64_t)variable_get(order->order, order->width, i);
}

/* Are these all rows that pass? */
static inline bool
quick_is_sure(const struct quick *f)
{
	return !f->late && !f->over && !f->a.untrue && !quick_is_costly(f);
}

/* Would it take long to ask all names? */
static inline bool
quick_has_many_names(const struct quick *f)
{
	return f->names != 0 &&
		f->a.names.groups > (f->words ? QUICK_FEW_OF_WORDS : QUICK_FEW_GROUPS);
}

/* Does the order say where each name stands? */
static inline bool
quick_knows_names(const struct quick *f, const struct ts_variable_list *order)
{
	return f->names && order->names > 0 && order->names == f->a.c.names;
}

/* What row f->at has in a column; TS_UNKNOWN: nothing, or not to be believed (f->a.untrue). */
int64_t quick_value(struct quick *f, int column);

/* Does the filter, or f->bits, let a row pass? */
bool quick_passes(struct quick *f, int64_t place);

/* Is it a name that will do? It is asked about when it was not before. */
bool quick_will_do(struct quick *f, int64_t name);

/* Of rows anywhere, at most TS_COLUMN_GATHER: a bit for each that passes. */
uint64_t quick_which_pass(struct quick *f, const int64_t *place, int n);

enum ts_code quick_add(struct quick *f, int64_t place, struct ts_err *err);

/* Where a name begins in an order that says so, read in this direction; -1: nowhere. */
int64_t quick_begins_at(struct quick *f, const struct ts_variable_list *order, bool reverse,
	int64_t name);

/* How many rows have a name. */
int64_t quick_rows_named(struct quick *f, int64_t name);

/* What names there are of those that are asked for, and whether many rows have one. *none: no row has. */
enum ts_code quick_look_at_names(struct quick *f, bool *none, struct ts_err *err);

/* The rows of a block that have a wanted name and pass, into f->place. */
enum ts_code quick_pick_block(struct quick *f, int64_t block, struct ts_err *err);

/* The rows of a block that pass, into `place`. */
enum ts_code quick_ask_block(struct columns_asking *a, struct ts_pile *place, int64_t block,
	const struct ts_cache *cache, struct ts_err *err);

/* Rows with a name, as f->by_name has them: in an order by name they stand together. */
struct quick_rows {
	int64_t from, to, next;
};

struct quick_rows quick_rows_begin(struct quick *f, int64_t name);

/* Some more of them: how many. 0: there are none, or f->over: nobody waits for them. */
int quick_rows_next(struct quick *f, struct quick_rows *r, int64_t place[TS_COLUMN_GATHER]);

/* Those that pass into f->place. */
enum ts_code quick_take_rows_named(struct quick *f, int64_t name, struct ts_err *err);

/* All rows that pass into f->place, as far as there is time and room: see quick_is_sure(). */
enum ts_code quick_take_all(struct quick *f, struct ts_err *err);

/* Rows, at most TS_COLUMN_GATHER, as they are compared. */
void quick_key_rows(struct keyed *out, struct quick *f, const struct ts_variable_list *l,
	int column, const int64_t *place, int n);

struct keyed quick_key_row(struct quick *f, const struct ts_variable_list *l, int column,
	int64_t place);

/* Of struct keyed, for qsort(). */
int quick_compare(const void *x, const void *y);

/* *out NULL: the columns cannot say. Give to quick_finish() in every case. Errors: TS_E_NOMEM, TS_E_SYS, those of tiles. */
enum ts_code quick_begin(struct quick **out, struct ts_variable_list *l,
	const struct ts_variable_list *by_name, struct ts_reader *rd,
	const struct ts_cancel *cancel, struct ts_err *err);

/* Who was told to stop has no answer. */
enum ts_code quick_finish(struct quick *f, enum ts_code code, bool done, struct ts_err *err);

#endif
