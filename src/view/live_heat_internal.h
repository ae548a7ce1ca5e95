/* SPDX-License-Identifier: MIT */
/* live_heat_internal - the state of the tab "heat", shared by its files. */
#ifndef TS_VIEW_LIVE_HEAT_INTERNAL_H
#define TS_VIEW_LIVE_HEAT_INTERNAL_H

#include "tilescope/report/live_heat.h"
#include "tilescope/ui/heat.h"
#include "tilescope/ui/span.h"
#include "tilescope/view/live_heat.h"

enum { HEAT_ROWS_OF_SCREEN = 2 }; /* cells above each other in a row of the screen */

/* Places of tiles, so many to a cell. (Steps lie on columns as in any chart: struct ts_span.) */
struct heat_axis {
	int64_t count, from, each, cursor;
	int64_t group; /* a cell of more units than these has a multiple of them, from a multiple on */
	int cells;
};

enum heat_zoom { HEAT_BOTH, HEAT_STEPS, HEAT_TILES, HEAT_ZOOMS };

struct heat {
	struct ts_pane_data pane;
	struct ts_fetch *reading, *sampling, *asking;
	bool sampled; /* `l` is of some tiles: a first look (ts_tile_lives_read_sample()) */
	bool sample_asked;
	struct ts_tile_lives *l; /* held; NULL: not read yet */
	int64_t limit;		 /* bytes of a tile, or TS_UNKNOWN */
	int64_t overflows; /* the fullest tile, where it has more than it can and the one with most live bytes has not */
	struct ts_span x;    /* steps */
	struct heat_axis y;  /* tiles */
	int margin;	     /* columns left of the cells; 0: as many as labels like to have */
	int64_t from, to;    /* steps of the chart above, when it was looked at last; 0, 0: none */
	enum heat_zoom zoom; /* what + and - change */
	enum ts_heat_how how;
	int64_t seen_step, seen_tile; /* of the selection, when it was looked at last */

	/* the newest question, and what is here */
	struct ts_live_heat asked, shown;
	int64_t asked_cell[2], shown_cell[2]; /* begin of the cell under the cursor: step, place */
	int64_t *most;			      /* of `shown`; NULL: nothing yet */
	struct ts_live_spot spot;	      /* of shown_cell */
};

/* Where its parts are; empty where there is no room. */
struct heat_parts {
	struct ts_rect legend, labels, map, axis, read_out;
};

struct heat_parts heat_parts(struct ts_rect r, const struct heat *h);
void heat_draw(struct ts_tab *t, struct ts_canvas *c, bool focus);

/* --- live_heat_axis.c --- */
void heat_follow(struct heat_axis *a); /* the cursor is in sight */
void heat_zoom_to(struct heat_axis *a, int64_t each);
void heat_resize_axis(struct heat_axis *a, int cells);
void heat_move_axis(struct heat_axis *a, int64_t cells);

/* --- live_heat_data.c: as in struct ts_tab_ops --- */
bool heat_open(struct ts_tab *t);
void heat_close(struct ts_tab *t);
void heat_drop(struct ts_tab *t);
void heat_indexed(struct ts_tab *t);
void heat_resize(struct ts_tab *t);
void heat_request(struct ts_tab *t);
enum ts_effect heat_deliver(struct ts_tab *t, struct ts_fetch *f);
void heat_go_to_spot(struct heat *h, const struct ts_live_spot *spot);

/* --- live_heat_explain.c --- */
void heat_explain(struct ts_tab *t, struct ts_explain *out);
bool heat_sheet(struct ts_tab *t, struct ts_sheet *out);

/* --- live_heat_page.c --- */
bool heat_chart(struct ts_tab *t, struct ts_chart_page *p);
size_t heat_places(const struct heat *h); /* in sight */

/* Begin of the cell of a place. */
int64_t heat_cell(const struct heat_axis *a, int64_t unit);

/* Steps [*from, *to) of the cells under the cursor. */
void heat_steps(const struct heat *h, int64_t *from, int64_t *to);

/* "3 steps", "16-17 steps": what each of so many columns has. */
enum { HEAT_STEPS_TEXT = 80 };
const char *heat_steps_text(char out[HEAT_STEPS_TEXT], int64_t steps, int columns);

/* Number of the tile at a place, and its IPU (TS_UNKNOWN). */
int64_t heat_tile(const struct heat *h, int64_t place);

/* Between two numbers of tiles, for about so many labels beside `rows` rows of cells: 1, 2, 5, 10, ... */
int64_t heat_tile_ticks(const struct heat *h, int rows, int labels);

/* The tile of these places whose number is a multiple of `each`; TS_UNKNOWN: none. */
int64_t heat_round_tile(const struct heat *h, int64_t place, int64_t places, int64_t each);
int64_t heat_ipu(const struct heat *h, int64_t place);

#endif
