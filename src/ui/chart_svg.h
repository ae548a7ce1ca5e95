/* SPDX-License-Identifier: MIT */
/*
 * chart_svg - what the parts of a page as SVG have in common. Private to ui/: chart_svg.c has axes, areas, legend and the page,
 * chart_svg_cells.c lanes and grids, chart_svg_pen.c colours, words and where things are.
 */
#ifndef TS_SRC_UI_CHART_SVG_H
#define TS_SRC_UI_CHART_SVG_H

#include <stdbool.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/chart_page.h"

enum {
	SVG_TICK = 5,
	SVG_RAMP = 64,	/* steps of the scale of colours */
	SVG_LETTER = 7, /* pixels of a letter, on the wide side */
};

/* Letters on a coloured ground. */
#define SVG_HALO " paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"2.5\""

/* What is hatched, by the pattern of chart_svg.c. */
#define SVG_HATCHED " fill=\"url(#hatch)\" stroke=\"#b8c0c8\" stroke-width=\"0.5\""

struct svg_pen {
	struct ts_strbuf *out;
	const struct ts_chart_page *p;
	double top, h; /* of the plot */
	int left, w;   /* of the plot */
	bool tall; /* its end is not in sight where it begins: legend and axis stand above it, too */
	double words; /* y of the words of labels */
	int margin;   /* x where a line of the legend begins */
	double end;   /* y below all that is drawn so far */
};

/* --- chart_svg_pen.c --- */
int svg_colour(enum ts_role role); /* 0xrrggbb */
int svg_paler(int colour);	   /* half the way to white */

/* A scale that keeps its order in grey, from 0 to 1: pale yellow, green-blue, dark violet. */
int svg_ramp(double share);

/* Text made safe, and as an element at a place; `look`: more attributes, with a blank in front. */
void svg_escaped(struct ts_strbuf *out, const char *s);
void svg_text(struct svg_pen *n, double x, double y, const char *look, const char *s);
double svg_width(const char *s);
const char *svg_tick_text(const struct ts_page_axis *a, double v, char out[TS_FMT_MAX]);

/* Where v lies from `from` (0) to `to` (1), no further; on the axes; where a column begins. */
double svg_share(double v, double from, double to);
double svg_x(const struct svg_pen *n, double v);
double svg_y(const struct svg_pen *n, double v);
double svg_column_x(const struct svg_pen *n, int column);

/* From 0 to `top`; what is none is 0. */
double svg_height(double v, double top);

/* --- chart_svg_cells.c --- */
void svg_lanes(struct svg_pen *n);
void svg_grid(struct svg_pen *n);
void svg_sides(struct svg_pen *n);

/* Does a band stand on the page in its paler shade? */
bool svg_is_paler(const struct ts_chart_page *p, int band);

/* The ring around a place: is it in sight; and the ring. */
bool svg_has_spot(const struct ts_chart_page *p);
void svg_ring(struct svg_pen *n, double x, double y);

/* --- chart_svg.c --- */
void svg_levels(struct svg_pen *n);
void svg_y_title(struct svg_pen *n);

#endif
