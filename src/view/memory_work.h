/* SPDX-License-Identifier: MIT */
/* memory_work - what the files of the tabs Compute sets, Vertices and Exchanges share. */
#ifndef TS_VIEW_MEMORY_WORK_H
#define TS_VIEW_MEMORY_WORK_H

#include "memory_internal.h"
#include "tilescope/report/tile_work.h"
#include "tilescope/ui/table_order.h"

/* Tiles that lie ready beside the one that is shown: where the next key would go, and those that were left. */
enum { WORK_SHELF = 3 };

/* Families of vertex types stand among the lines as -1, -2, ... */
enum { WORK_FAMILY = -1 };

struct work_tab {
	enum ts_work_kind kind;
	struct memory_asked ask;
	struct ts_tile_work work;
	struct ts_tile_work shelf[WORK_SHELF]; /* whole, the last one used first */
	int64_t shelf_tile[WORK_SHELF];
	struct ts_fetch *ahead_sent;
	int64_t ahead_read; /* tile + 1 of the last one read ahead: not again, whatever came of it */
	uint64_t data;	    /* counts changes of the lines */
	bool flat;	    /* vertices: all types, not rolled up */
	int64_t unfolded;   /* family; -1 = none */
	int64_t *line;	    /* a row, or WORK_FAMILY - family */
	int64_t lines;
	struct ts_list list;
	struct ts_table_order order;
};

static inline bool
memory_work_rolled(const struct work_tab *w)
{
	return w->kind == TS_WORK_VERTICES && !w->flat;
}

/* --- memory_work_keys.c --- */

void memory_work_lines(struct work_tab *w);
void memory_work_order(struct ts_tab *t);
const struct ts_work_row *memory_work_row(const struct work_tab *w, int64_t line);
bool memory_work_is_family(const struct work_tab *w, int64_t line);

/* The row under the cursor; NULL: none. */
const struct ts_work_row *memory_work_at_cursor(struct ts_tab *t);

enum ts_effect memory_work_command(struct ts_tab *t, const struct ts_call *call);

/* --- memory_work_draw.c --- */

struct ts_table memory_work_table(const struct ts_tab *t);
void memory_work_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
void memory_work_draw(struct ts_tab *t, struct ts_canvas *c, bool focus);
bool memory_work_sheet(struct ts_tab *t, struct ts_sheet *out);

/*
 * Bytes that the tiles have of the category beside it: of the exchanges all exchange code, of the vertices the state of
 * their instances; *name: in words, *end: what the names of such categories end in. TS_UNKNOWN: not known, or not recorded by category.
 */
int64_t memory_work_category(const struct ts_tab *t, const char **name, const char **end);

/* What the share of a row is of, and what it has of that; TS_UNKNOWN. */
int64_t memory_work_whole(const struct ts_tab *t);
int64_t memory_work_part(const struct work_tab *w, const struct ts_work_row *r);

/* --- memory_work_explain.c --- */

void memory_work_explain(struct ts_tab *t, struct ts_explain *out);

#endif
