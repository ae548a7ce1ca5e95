/* SPDX-License-Identifier: MIT */
/*
 * held_list - a table of a tab whose rows are all held.
 *
 * Moving, sorting, filtering, searching and copying are the same for all of them: over the exact values that each
 * table gives (ts_table.value), its first column being the name.
 */
#ifndef TS_VIEW_HELD_LIST_H
#define TS_VIEW_HELD_LIST_H

#include "tilescope/ui/list.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/tab.h"

enum { TS_HELD_NEEDLE = 256 };

struct ts_held_list {
	struct ts_list list;
	struct ts_table_order order;
	int first; /* what it was sorted by in the beginning */
	char needle[TS_HELD_NEEDLE];
	struct ts_table table; /* of the last ts_held_list_begin() */
	uint64_t of;	       /* what its rows were made of: grows with the data */
};

/* What a table is; the columns are constant, or live as long as the list. */
struct ts_held_table {
	const char *id;
	const struct ts_column *column;
	const struct ts_column_facts *facts;
	int columns;
	ts_table_cell_fn *cell;
	ts_table_value_fn *value;
	ts_table_rank_fn *rank; /* or NULL */
	const char *empty;
};

/* Sorted by a column, from the largest down; -1: as the tab has its rows. */
void ts_held_list_init(struct ts_held_list *l, int sorted);
void ts_held_list_fini(struct ts_held_list *l);

/*
 * Make l->table of tab `t`, with `rows` rows to be drawn in r. The list is the first member of what the tab keeps
 * (ts_tab.own), and the context of its functions.
 */
void ts_held_list_begin(struct ts_held_list *l, const struct ts_tab *t,
	const struct ts_held_table *what, struct ts_rect r, int64_t rows);
void ts_held_list_draw(struct ts_held_list *l, struct ts_canvas *c, struct ts_rect r);

/* Where lines that stand below the list at r are drawn: right below its last row where it is short. */
struct ts_rect ts_held_list_below(const struct ts_held_list *l, struct ts_rect r,
	struct ts_rect lines);

/* Moving, sorting, filtering, searching, copying; after ts_held_list_begin(). */
enum ts_effect ts_held_list_command(struct ts_held_list *l, const struct ts_tab *t,
	const struct ts_call *call);
enum ts_effect ts_held_list_mouse(struct ts_held_list *l, struct ts_rect r, int y, int wheel);

/* The tab's row under the cursor, -1 = none. */
int64_t ts_held_list_row(const struct ts_held_list *l);

/*
 * To the next hit of the needle (step 1 or -1), from the row under the cursor on or (`here` false) from the one behind it;
 * and the same when somebody else has looked: at place `hit` (-1: nowhere), with so many before it, of so many.
 */
enum ts_effect ts_held_list_find(struct ts_held_list *l, struct ts_view_env *env, int step,
	bool here);
enum ts_effect ts_held_list_found(struct ts_held_list *l, struct ts_view_env *env, int64_t hit,
	int64_t before, int64_t hits);

/* Is the needle in the first column of the row? */
bool ts_held_list_hit(const struct ts_held_list *l, int64_t row);

#endif
