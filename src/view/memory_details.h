/* SPDX-License-Identifier: MIT */
/* memory_details - what the files of the tab Details share. */
#ifndef TS_VIEW_MEMORY_DETAILS_H
#define TS_VIEW_MEMORY_DETAILS_H

#include "memory_internal.h"
#include "tilescope/report/tile_details.h"
#include "tilescope/ui/table_order.h"

enum {
	DETAIL_NAMES = 256,
	DETAIL_KINDS = TS_DETAIL_PROFILING + 1,
	DETAIL_PLACES = TS_DETAIL_REGIONS + 1
};

struct details_tab {
	struct memory_asked ask;
	struct ts_tile_details d;

	/* what is shown: of `d`, or the categories of the tile as the graph knows them */
	struct ts_detail_node *node;
	uint32_t *line;		     /* nodes that are in sight */
	struct ts_table_order order; /* what is wanted of the lines: of siblings, ... */
	struct ts_table_wish is;     /* ... and as they are */
	bool *kept; /* a node passes the filter, or one in it does; NULL: no filter */
	size_t nodes, lines;
	int64_t used; /* what shares are of */
	struct memory_scope shown;
	uint64_t data, rows_data; /* of which answer, of which rows of the graph */
	int gaps;
	bool open[DETAIL_KINDS][DETAIL_PLACES][DETAIL_NAMES]; /* by kind, region and name */
};

/* The node on a line; NULL: there is none. */
const struct ts_detail_node *memory_details_node(const struct details_tab *s, int64_t line);

/* Is the answer that of this scope? */
bool memory_details_current(const struct details_tab *s, const struct memory_scope *scope);

/* Is the node unfolded? With a filter: to show what in it passes. */
bool memory_details_open(const struct details_tab *s, const struct ts_detail_node *n);

/* What there is of the tile under the cursor; what was shown stays until there is something. */
void memory_details_update(struct ts_tab *t);

/* --- memory_details_draw.c --- */

struct ts_table memory_details_table(const struct ts_tab *t);

/* The same of all nodes, in sight or not, with values only. */
struct ts_table memory_details_all(const struct ts_tab *t);
void memory_details_draw(struct ts_tab *t, struct ts_canvas *c, bool focus);
void memory_details_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
bool memory_details_sheet(struct ts_tab *t, struct ts_sheet *out);
void memory_details_explain(struct ts_tab *t, struct ts_explain *out);

#endif
