/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Tables view share: tables.c (commands), tables_data.c (what is asked of the report,
 * and answers), tables_draw.c (to the canvas).
 */
#ifndef TS_VIEW_TABLES_INTERNAL_H
#define TS_VIEW_TABLES_INTERNAL_H

#include "tilescope/report/browse.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/grid.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/tables.h"

enum tables_kind { ASK_TABLES, ASK_ORDER, ASK_WINDOW, ASK_KINDS };

enum tables_pane { PANE_TABLES, PANE_ROWS, PANE_DETAILS, PANES };

struct tables_fetch {
	struct ts_fetch fetch; /* first */
	int serial;
	struct ts_browse_table table;
	struct ts_browse_wish wish;
	int64_t from, to; /* of a window */
	int64_t limit;	  /* of an order */

	/* answers; of a window `order` is what is read by, held, or NULL */
	struct ts_browse_list tables;
	struct ts_browse_order *order;
	struct ts_browse_window window;
};

struct tables_places {
	struct ts_rect tables_rule, tables, line, rule, status, table, details_rule, details;
};

struct tables_view {
	struct ts_view view; /* first */
	struct ts_rect area;
	struct tables_places at;
	enum tables_pane pane;
	bool zoomed; /* the pane alone */

	struct ts_pane_data data; /* of the list of tables */
	struct ts_report *report; /* held: whose tables these are; or NULL */
	struct ts_browse_list tables;
	struct ts_list list;		   /* of them */
	int name_width;			   /* the longest name */
	struct ts_column look[5];	   /* columns of the list, as wide as the names are */
	struct ts_fetch *fetch[ASK_KINDS]; /* the newest of each kind, under way; or NULL */

	int chosen; /* table whose rows are shown, or -1 */
	int serial; /* counts what is shown: answers of an older one are of no use */
	struct ts_grid grid;
	struct ts_grid_column *columns;
	struct ts_browse_wish wish;
	struct ts_browse_order *order; /* held; or NULL */
	bool by_order;		       /* rows are reached by an order, made or being made */
	bool whole;		       /* `order` is all there is, not the first rows */
	bool order_failed;
	struct ts_pane_data rows; /* state of the rows */
	struct ts_browse_window window;
	int64_t window_from;
	bool window_there;
	int64_t asked_from, asked_to; /* not once more: it would give the same */

	char *kept_name; /* before a reload; or NULL */
	int64_t kept_row;
	char empty[80];
	struct ts_column_facts facts[TS_SHEET_COLUMNS]; /* of the columns, for a file */
};

/* --- tables_data.c --- */
void tables_request(struct ts_view *v);
enum ts_effect tables_deliver(struct ts_view *v, struct ts_fetch *f);
void tables_drop(struct tables_view *t); /* everything that was read */
const struct ts_browse_table *tables_shown(const struct tables_view *t);
void tables_choose(struct tables_view *t, int table);
void tables_wish(struct tables_view *t, const struct ts_browse_wish *wish);
bool tables_row(void *ctx, int64_t position, const struct ts_row_block **block, int *row);

/* --- tables_draw.c --- */
void tables_draw(struct ts_view *v, struct ts_canvas *c);
void tables_list(struct ts_table *table, struct tables_view *t);
void tables_layout(struct tables_view *t);
bool tables_has(const struct tables_view *t, enum tables_pane pane); /* can it be gone to? */

/* --- tables_address.c --- */
extern const struct ts_view_arg tables_args[];

#endif
