/* SPDX-License-Identifier: MIT */
/*
 * popup - the box over the view: `=` (what a figure is) and `columns` (which columns a table shows).
 *
 * One at a time. It takes the commands that move in it; any other closes it and goes on to the view.
 */
#ifndef TS_APP_POPUP_H
#define TS_APP_POPUP_H

#include "tilescope/ui/command.h"
#include "tilescope/ui/effect.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/table_looks.h"
#include "tilescope/view/explain.h"

struct ts_app;
struct ts_canvas;
struct ts_rect;

enum ts_popup_kind { TS_POPUP_NONE, TS_POPUP_EXPLAIN, TS_POPUP_COLUMNS };

struct ts_app_popup {
	enum ts_popup_kind kind;
	struct ts_explain *explain; /* made when it is first needed */
	int skip;		    /* lines scrolled away */
	struct ts_list list;	    /* of columns */
	struct ts_table_looks *looks;
};

/* Before views are made: what is kept of the columns of tables (app->settings). At the end. */
void ts_app_popup_begin(struct ts_app *app);
void ts_app_popup_end(struct ts_app *app);

/* EXPLAIN, COLUMNS [NAMES]. */
enum ts_effect ts_app_explain(struct ts_app *app, const struct ts_call *call);
enum ts_effect ts_app_columns(struct ts_app *app, const struct ts_call *call);

/*
 * SORT, SORT_REVERSE, FILTER, COPY of the table of the pane with the keys, when its rows are held and the view has no such
 * command of its own; UNKNOWN: it is none of these, or there is no such table.
 */
enum ts_effect ts_app_table_command(struct ts_app *app, const struct ts_call *call);

/* May rows of that table be filtered? */
bool ts_app_can_filter(struct ts_app *app);

/* Is a filter in force of what has the keys (ts_view_ops.filtered, or that table)? */
bool ts_app_is_filtered(struct ts_app *app);

/* A command while there is one; UNKNOWN: it is not the popup's, and the popup is gone. */
enum ts_effect ts_app_popup_command(struct ts_app *app, const struct ts_call *call);

/* The wheel over it moves (-1, 1); a click closes it. */
enum ts_effect ts_app_popup_mouse(struct ts_app *app, int wheel);

void ts_app_popup_draw(struct ts_app *app, struct ts_canvas *c, struct ts_rect r);

#endif
