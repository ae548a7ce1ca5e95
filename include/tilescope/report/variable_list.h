/* SPDX-License-Identifier: MIT */
/*
 * variable_list - the variables that a filter leaves, in some order.
 *
 * A list maps positions (rows of a screen) to places (variables.h). One pass over the rows makes it;
 * while that runs the list can be looked at: without an order the rows that match so far, with one the
 * TS_VARIABLE_TOP first of the rows read so far. What is large lies in mapped files, not in memory.
 *
 * Orders: sizes and counts from the largest down, other numbers from the lowest up, texts by their bytes;
 * equals as they stand in the report, rows of which it is not known last. Backwards is the same order
 * read from its end, the unknown last there, too. Orders of all lowered variables are kept as sections of the index
 * when they were made once.
 *
 * Threads: one makes it (ts_variable_list_make()), any may read it meanwhile.
 */
#ifndef TS_REPORT_VARIABLE_LIST_H
#define TS_REPORT_VARIABLE_LIST_H

#include "tilescope/report/variable_filter.h"
#include "tilescope/report/variables.h"

enum ts_variable_sort {
	TS_SORT_ROW, /* as they stand in the report */
	TS_SORT_BYTES,
	TS_SORT_NAME,
	TS_SORT_TILE,
	TS_SORT_CATEGORY,
	TS_SORT_TYPE,
	TS_SORT_OFFSET,
	TS_SORT_ALIGNMENT,
	TS_SORT_ALWAYS,
	TS_SORT_FROM,
	TS_SORT_TO,
	TS_SORT_STEPS,
	TS_SORT_TILES,
	TS_SORT_FULLEST,
	TS_SORT_BALANCE,
	TS_SORT_ID,
	TS_SORT_VARIABLE,
	TS_SORT_CLASS,
	TS_SORT_COUNT
};

enum { TS_VARIABLE_TOP = 1000 };

const char *ts_variable_sort_name(enum ts_variable_sort sort); /* "row", "bytes", ... */
int ts_variable_sort_find(const char *name);		       /* or -1 */
int ts_variable_sort_of(int field); /* that goes by the field; -1: none, or none is given */

/* The field that it sorts by, -1: none. */
int ts_variable_sort_field(enum ts_variable_sort sort);

/* Does it begin with the largest? */
bool ts_variable_sort_falls(enum ts_variable_sort sort);

/* Is the column recorded that it sorts by? */
bool ts_variable_sort_can(const struct ts_variables *v, enum ts_variable_sort sort);

/* "row, bytes, name": those that can be had, into out. */
void ts_variable_sorts(struct ts_strbuf *out, const struct ts_variables *v);

/* The first rows of an order while it is being made. */
struct ts_variable_top {
	struct ts_variable_top *older;
	int count;
	int64_t place[TS_VARIABLE_TOP];
};

struct ts_variable_list {
	atomic_int uses;
	/* set when it is made anew */
	struct ts_variables *v; /* held */
	enum ts_variable_sort sort;
	struct ts_filter filter;     /* lets everything through: all rows */
	struct ts_tile_set selected; /* what `selected` means in the filter */
	atomic_bool reverse;	     /* may be changed when it is ready: `version` then grows */
	bool begun;		     /* set before it is made: its first rows are there, and stay */
	bool anew; /* set before it is made: an order that is kept is not to be believed */

	/* written by the thread that makes it, read by any */
	_Atomic int64_t scanned; /* rows read so far */
	_Atomic int64_t found;	 /* rows that match, among them */
	_Atomic int64_t bytes;	 /* of these; rows of unknown size count 0 */
	_Atomic int64_t all_bytes;
	_Atomic int64_t unsized; /* rows read so far whose size is not known */
	_Atomic int64_t costly;	 /* texts for which a regular expression took too long: left out */
	_Atomic int version;	 /* grows when positions come to mean other places */
	_Atomic(struct ts_variable_top *) top;
	atomic_bool marked; /* `bit` and `before` are there, as far as `whole` */
	_Atomic int64_t whole, whole_found;
	atomic_bool ready; /* what follows is there, and does not change any more */

	bool partial;	       /* the report is damaged: the rows before that */
	struct ts_pile bit;    /* a bit a place */
	struct ts_pile before; /* uint64_t: bits set before every TS_VARIABLE_BLOCK bits */
	bool natural;	       /* positions are places, or numbers of set bits */
	int64_t count;	       /* positions */
	int64_t known;	       /* of these: rows that have what they are sorted by */
	int width;	       /* of an element: 4 or 8 */
	const void *order;     /* places; in `made` or in `index` */
	/* of an order of all rows in `index`: where each name of the section columns stands */
	int64_t names;	       /* 0: that is not known */
	const uint32_t *first; /* the first position with it, + 1; 0: none */
	const uint32_t *last;  /* the same of the last one below `known` */
	const uint32_t *begin
		[2]; /* names as they begin: read forwards, and backwards; those that are nowhere last */
	struct ts_pile made;
	struct ts_index *index; /* held */
};

enum { TS_VARIABLE_BLOCK = 512 };

/*
 * A list that is yet to be made; one of all rows as they stand is ready at once when v is placed. `filter`
 * may be NULL. NULL: no memory.
 */
struct ts_variable_list *ts_variable_list_new(struct ts_variables *v, enum ts_variable_sort sort,
	bool reverse, const struct ts_filter *filter) TS_WARN_UNUSED;

/* Before it is made: what `tile in selected` means (copied; NULL: nothing). False: no memory. */
bool ts_variable_list_select(struct ts_variable_list *l,
	const struct ts_tile_set *selected) TS_WARN_UNUSED;
struct ts_variable_list *ts_variable_list_hold(struct ts_variable_list *l);
void ts_variable_list_release(struct ts_variable_list *l); /* NULL allowed */

/*
 * Make it (of one that is ready: add its bytes up); v has to be placed. *gap true (with TS_E_STALE): a row is missing that was believed to be there:
 * count, and begin again with a new list. With damage the list is of the rows before it, partial. Errors:
 * TS_E_SYS (no room for the work), TS_E_CANCELLED, TS_E_NOMEM, TS_E_ABSENT (the column is not recorded).
 */
enum ts_code ts_variable_list_make(struct ts_variable_list *l, struct ts_reader *rd, bool *gap,
	const struct ts_cancel *cancel, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Before it is made: its first rows in a few milliseconds, from the columns in the index, when they can be had so (*done): they
 * are those that it has in the end. Of few rows the list is then `ready`. `order` (may be NULL): all rows in the same order, ready; `by_name`
 * (may be NULL): all rows by name, ready. Not done: nothing has
 * happened, and ts_variable_list_make() is there for it. Errors: TS_E_USAGE (an expression of tiles), TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_variable_list_first(struct ts_variable_list *l, bool *done,
	const struct ts_variable_list *order, const struct ts_variable_list *by_name,
	struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same for the next hit: see ts_variable_list_next(), of which it has the answer when it is `done`. `hits` need not be
 * made yet. none: no row at all is a hit, also outside of the list.
 */
struct ts_variable_next {
	int64_t at; /* position, or -1 */
	bool done, none;
};

enum ts_code ts_variable_list_seek(struct ts_variable_next *out, const struct ts_variable_list *l,
	struct ts_variable_list *hits, const struct ts_variable_list *by_name, int64_t position,
	int by, struct ts_reader *rd, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* An order of all rows that was kept: true: it is ready. */
bool ts_variable_list_load(struct ts_variable_list *l, struct ts_reader *rd);

/* Keep a ready order as a section of the index, where it is not and there is a place for it. */
enum ts_code ts_variable_list_keep(const struct ts_variable_list *l, struct ts_reader *rd,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
/*
 * Is there nothing to keep? `named`: the index has the names of the rows; an order that was kept before it had them is
 * kept once more, with where each name stands.
 */
bool ts_variable_list_is_kept(const struct ts_variable_list *l, bool named);

/* Positions that it has now. */
int64_t ts_variable_list_count(const struct ts_variable_list *l);

/* The place at a position, -1 when there is none (yet). */
int64_t ts_variable_list_place(const struct ts_variable_list *l, int64_t position);

/*
 * Does a position mean no row although the list has it? Then it was taken from an index that is not true:
 * it has to be made `anew`.
 */
bool ts_variable_list_is_untrue(const struct ts_variable_list *l, int64_t position);

/* Does a place belong to it? (As far as it is made.) */
bool ts_variable_list_has(const struct ts_variable_list *l, int64_t place);

/* Rows that belong to both; both are ready, and of the same variables. */
int64_t ts_variable_list_common(const struct ts_variable_list *a, const struct ts_variable_list *b);

/* The position of a place, -1 when it is not in the list or the list is not ready. Reads an order to its end. */
int64_t ts_variable_list_find(const struct ts_variable_list *l, int64_t place,
	const struct ts_cancel *cancel);

/*
 * The next position behind (by = 1) or before (by = -1) `position` whose row is in `hits`, a list of no
 * order; around the end. Rows of which `hits` does not know yet, while it is made, are read here. *at
 * -1: none. *gap as for ts_variable_list_make(). progress counts positions; may be NULL.
 */
enum ts_code ts_variable_list_next(int64_t *at, const struct ts_variable_list *l,
	const struct ts_variable_list *hits, int64_t position, int by, bool *gap,
	struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
