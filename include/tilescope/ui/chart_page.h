/* SPDX-License-Identifier: MIT */
/*
 * chart_page - a chart as it stands on paper: title, axes with units, legend, and its figures; and the SVG of it.
 *
 * A view fills a page from what its chart is drawn from, at the page's resolution (`columns`, more than a screen has),
 * and ts_chart_page_svg() makes an SVG of it: a light ground, ticks, axis titles, a legend, text as text. It
 * is no picture of cells. All text is the report's or our own and is made safe and escaped here.
 *
 * Kinds: AREA: bands stacked over x, an outline, levels (the limit); LANES: rows of names with the bands' shares of
 * each column (top 1); GRID: a value for each of columns x lanes in a scale of colours (a floor plan, tile x step).
 */
#ifndef TS_UI_CHART_PAGE_H
#define TS_UI_CHART_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/chart.h"

enum ts_page_kind { TS_PAGE_AREA, TS_PAGE_LANES, TS_PAGE_GRID };

enum {
	TS_PAGE_COLUMNS = 1000, /* at most */
	TS_PAGE_TEXT = 120,
	TS_PAGE_LEVELS = 8,
	TS_PAGE_LABELS = 64,
	TS_PAGE_LANES_MAX = 256,
	TS_PAGE_SIDES = 256,
	TS_PAGE_NOTES = 512,	/* words on lanes */
	TS_PAGE_LANE = 192,	/* bytes of a lane's name, */
	TS_PAGE_LANE_WIDE = 46, /* and columns of which there is room for */
};

struct ts_page_axis {
	char title[TS_PAGE_TEXT]; /* with the unit: "memory of a tile (KiB)" */
	double from, to;
	int base;	  /* of round ticks: 2 or 10 */
	ts_tick_fn *tick; /* NULL: plain numbers */
	void *ctx;	  /* of `tick`; needed until the SVG is made */
};

struct ts_page_band {
	char name[TS_PAGE_TEXT]; /* in the legend; "" = not there */
	enum ts_role role;
	bool hatched; /* LANES: grey lines, the faintest of all, instead of the role's colour */
	double *v; /* of `columns` (AREA), `columns` x `lanes` (LANES: lane by lane); given by the page */
};

struct ts_page_level {
	char name[TS_PAGE_TEXT]; /* "limit 624 KiB" */
	double value;		 /* on the y axis; LANES: that many lanes from the top */
	enum ts_role role;
};

/* A line at a column, with words above it: where an IPU begins, a peak, the cursor. */
struct ts_page_label {
	char name[TS_PAGE_TEXT];
	double x; /* on the x axis */
	enum ts_role role;
	bool line; /* from top to bottom; else a sign on the axis */
};

/* LANES: words on a part of a lane, as far as they have room; a long path keeps its end. */
struct ts_page_note {
	char name[TS_PAGE_TEXT];
	int lane;
	double from, to; /* on the x axis */
};

/* GRID: a line above a row, with words right of it: where an IPU begins. */
struct ts_page_side {
	char name[24];
	double row; /* from the top; of a row that it goes through not whole */
};

/* GRID: a ring around a place, and what it is, in the legend. */
struct ts_page_spot {
	char name[TS_PAGE_TEXT]; /* "" = none */
	double x, row;		 /* on the x axis; rows from the top */
};

struct ts_chart_page {
	/* asked for by who wants it */
	int columns; /* at most TS_PAGE_COLUMNS; a view that has fewer may say so */

	/* filled in by the view */
	enum ts_page_kind kind;
	char title[TS_PAGE_TEXT], subtitle[320];
	struct ts_page_axis x, y;
	int bands;
	struct ts_page_band band[TS_CHART_BANDS];
	double *outline; /* of `columns`; given by ts_chart_page_outline(); NULL = none */
	char outline_name[TS_PAGE_TEXT];
	int levels;
	struct ts_page_level level[TS_PAGE_LEVELS];
	int labels;
	struct ts_page_label label[TS_PAGE_LABELS];
	int lanes; /* LANES: rows; GRID: rows of the grid */
	char lane[TS_PAGE_LANES_MAX][TS_PAGE_LANE];
	uint8_t *
		pale; /* LANES: columns x lanes, 1: in a paler shade; given by ts_chart_page_pale(); NULL = none */
	char pale_name[TS_PAGE_TEXT]; /* what is paler, in the legend */
	int notes;
	struct ts_page_note *note; /* LANES; given by ts_chart_page_note() */
	double *grid; /* GRID: row by row, NaN = nothing there, infinite = `over`; given by ts_chart_page_grid() */
	char over[TS_PAGE_TEXT];  /* GRID: what the cells off the scale are, in the legend */
	char scale[TS_PAGE_TEXT]; /* GRID: words behind the scale: "bytes, linear" */
	int sides;
	struct ts_page_side side[TS_PAGE_SIDES]; /* GRID */
	struct ts_page_spot spot;		 /* GRID */
	double least, most;			 /* GRID: of the scale */
	bool logarithmic;			 /* GRID: the scale */
	char source[400]; /* small, below: where it comes from; "" = the program's words for it */
	char without
		[TS_PAGE_TEXT]; /* nothing is filled in: what has the keys, and no chart of its own; "" = not so */
	bool nomem;
};

void ts_chart_page_init(struct ts_chart_page *p, int columns);
void ts_chart_page_fini(struct ts_chart_page *p);

/*
 * One more band (AREA and LANES: set `lanes` before); its array is zeroed. NULL: no more bands, or no memory (nomem). Its
 * name is cut.
 */
double *ts_chart_page_band(struct ts_chart_page *p, const char *name, enum ts_role role);
/* Bands in which nothing is are not in the legend. */
void ts_chart_page_forget_empty(struct ts_chart_page *p);
double *ts_chart_page_outline(struct ts_chart_page *p, const char *name);
/* LANES: the band that was added last is hatched: what is nothing, or is not known. */
void ts_chart_page_hatch(struct ts_chart_page *p);
/* Cells that shall be paler get a 1; `name` says what they are. NULL: no memory (nomem). */
uint8_t *ts_chart_page_pale(struct ts_chart_page *p, const char *name);
/* More than TS_PAGE_NOTES are left out. The name is cut at its begin. */
void ts_chart_page_note(struct ts_chart_page *p, int lane, double from, double to,
	const char *name);
double *ts_chart_page_grid(struct ts_chart_page *p); /* columns x lanes, all NaN */
void ts_chart_page_level(struct ts_chart_page *p, double value, enum ts_role role, const char *fmt,
	...) TS_PRINTF(4, 5);
void ts_chart_page_label(struct ts_chart_page *p, double x, enum ts_role role, bool line,
	const char *fmt, ...) TS_PRINTF(5, 6);
/* More than TS_PAGE_SIDES are left out. */
void ts_chart_page_side(struct ts_chart_page *p, double row, const char *fmt, ...) TS_PRINTF(3, 4);
void ts_chart_page_spot(struct ts_chart_page *p, double x, double row, const char *fmt, ...)
	TS_PRINTF(4, 5);

/* Append the SVG. */
void ts_chart_page_svg(struct ts_strbuf *out, const struct ts_chart_page *p);

#endif
