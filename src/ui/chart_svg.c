/* SPDX-License-Identifier: MIT */
/*
 * chart_svg - a page as SVG: see chart_page.h.
 *
 * Coordinates are pixels of a page PAGE_W wide, with two decimals; areas are paths of steps, since a column is a range of
 * whole units (tiles, steps) and nothing is known between them; neighbours of the same height become one. The
 * same page gives the same bytes. Colours are a table of their own (chart_svg_pen.c).
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "chart_svg.h"

enum {
	PAGE_W = 960,
	LEFT = 88,	  /* of the plot, where names do not need more, */
	LEFT_MOST = 372,  /* and at most */
	LEGEND_TOP = 56,  /* of the legend that stands above a tall plot, */
	AXIS_ABOVE = 20,  /* and of its axis: the numbers, */
	WORDS_ABOVE = 16, /* a line of words */
	SIDE_W = 44,	  /* of the words at the right side */
	LEVEL_H = 14,	  /* of the words at a level */
	RIGHT = 24,
	TOP = 78,
	PLOT_H = 320,
	TALL = PLOT_H * 3 / 2, /* lanes are higher only where their names need it */
	LANE_MOST = 28,
	LANE_LEAST = 3,
	LANE_NAMED = 13, /* so that each can be read */
	TICKS_X = 9,
	TICKS_Y = 6,
	LINE_H = 18,
	SWATCH = 12,
};

/* --- axes ------------------------------------------------------------------------------------- */

enum { TICKS_AT_MOST = 64 };

/* Round places on an axis, from the first at or above `from`. */
static int
ticks_of(const struct ts_page_axis *a, int about, double out[TICKS_AT_MOST])
{
	double span = a->to - a->from;
	int64_t step, first;
	int n = 0;

	if (!(span > 0) || !(fabs(a->from) < 4e18) || !(fabs(a->to) < 4e18))
		return 0;
	step = ts_fmt_tick((int64_t)(span < 1 ? 1 : span), about, a->base);
	first = (int64_t)ceil(a->from / (double)step) * step;
	for (double v = (double)first; v <= a->to && n < TICKS_AT_MOST; v += (double)step)
		out[n++] = v;
	return n;
}

void
svg_y_title(struct svg_pen *n)
{
	if (!n->p->y.title[0])
		return;
	ts_strbuf_printf(n->out, "<g transform=\"translate(18 %.2f) rotate(-90)\">\n",
		n->top + n->h / 2);
	svg_text(n, 0, 0, " text-anchor=\"middle\"", n->p->y.title);
	ts_strbuf_puts(n->out, "</g>\n");
}

static void
put_y_axis(struct svg_pen *n)
{
	double at[TICKS_AT_MOST];
	int count = ticks_of(&n->p->y, TICKS_Y, at);
	char text[TS_FMT_MAX];

	for (int i = 0; i < count; i++) {
		double y = svg_y(n, at[i]);

		ts_strbuf_printf(n->out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#dfe3e7\" fill=\"none\"/>\n", n->left, y,
			n->left + n->w);
		svg_text(n, n->left - SVG_TICK - 3, y + 4, " text-anchor=\"end\"",
			svg_tick_text(&n->p->y, at[i], text));
	}
	ts_strbuf_printf(n->out, "<path d=\"M%d %.2fV%.2f\" stroke=\"#33404d\" fill=\"none\"/>\n",
		n->left, n->top, n->top + n->h);
	svg_y_title(n);
}

/* Ticks and their numbers along y, below it (down 1) or above it (-1). */
static void
put_ticks(struct svg_pen *n, double y, int down)
{
	double at[TICKS_AT_MOST], text_y = down > 0 ? y + SVG_TICK + 13 : y - SVG_TICK - 4;
	int count = ticks_of(&n->p->x, TICKS_X, at);
	char text[TS_FMT_MAX];

	ts_strbuf_printf(n->out, "<path d=\"M%d %.2fH%d", n->left, y, n->left + n->w);
	for (int i = 0; i < count; i++)
		if (*svg_tick_text(&n->p->x, at[i], text))
			ts_strbuf_printf(n->out, "M%.2f %.2fv%d", svg_x(n, at[i]), y,
				down * SVG_TICK);
	ts_strbuf_puts(n->out, "\" stroke=\"#33404d\" fill=\"none\"/>\n");
	for (int i = 0; i < count; i++)
		svg_text(n, svg_x(n, at[i]), text_y, " text-anchor=\"middle\"",
			svg_tick_text(&n->p->x, at[i], text));
}

static void
put_x_axis(struct svg_pen *n)
{
	double y = n->top + n->h;

	put_ticks(n, y, 1);
	svg_text(n, n->left + n->w / 2.0, y + SVG_TICK + 34, " text-anchor=\"middle\"",
		n->p->x.title);
	n->end = y + SVG_TICK + 42;
}

/* --- AREA ------------------------------------------------------------------------------------- */

/* A line of steps through `v`, forwards or backwards; `first`: "M" or "L". */
static void
put_steps(struct svg_pen *n, const double *v, bool back, char first)
{
	int columns = n->p->columns;

	for (int i = 0; i < columns; i++) {
		int at = back ? columns - 1 - i : i, before = back ? at + 1 : at - 1;
		double y = svg_y(n, v[at]);

		if (i == 0)
			ts_strbuf_printf(n->out, "%c%.2f %.2f", first, svg_column_x(n, at + back),
				y);
		else if (v[at] != v[before])
			ts_strbuf_printf(n->out, "H%.2fV%.2f", svg_column_x(n, at + back), y);
	}
	ts_strbuf_printf(n->out, "H%.2f", back ? svg_column_x(n, 0) : svg_column_x(n, columns));
}

static void
put_bands(struct svg_pen *n)
{
	double below[TS_PAGE_COLUMNS] = {0}, above[TS_PAGE_COLUMNS];

	for (int b = 0; b < n->p->bands; b++) {
		bool any = false;

		for (int i = 0; i < n->p->columns; i++) {
			above[i] = below[i] + svg_height(n->p->band[b].v[i], n->p->y.to);
			any = any || above[i] > below[i];
		}
		if (!any)
			continue;
		ts_strbuf_puts(n->out, "<path d=\"");
		put_steps(n, above, false, 'M');
		put_steps(n, below, true, 'L');
		ts_strbuf_printf(n->out, "Z\" fill=\"#%06x\"/>\n", svg_colour(n->p->band[b].role));
		memcpy(below, above, sizeof(below));
	}
}

static void
put_outline(struct svg_pen *n)
{
	if (!n->p->outline)
		return;
	ts_strbuf_puts(n->out, "<path d=\"");
	put_steps(n, n->p->outline, false, 'M');
	ts_strbuf_printf(n->out, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.2\"/>\n",
		svg_colour(TS_ROLE_OUTLINE));
}

void
svg_levels(struct svg_pen *n)
{
	bool lanes = n->p->kind == TS_PAGE_LANES;

	for (int i = 0; i < n->p->levels; i++) {
		const struct ts_page_level *l = &n->p->level[i];
		char look[120];
		double y;

		if (!(l->value >= (lanes ? 0 : n->p->y.from)) ||
			!(l->value <= (lanes ? n->p->lanes : n->p->y.to)))
			continue;
		y = lanes ? n->top + n->h * l->value / n->p->lanes : svg_y(n, l->value);
		ts_strbuf_printf(n->out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#%06x\" stroke-width=\"1.5\" "
			"stroke-dasharray=\"6 4\" fill=\"none\"/>\n",
			n->left, y, n->left + n->w, svg_colour(l->role));
		snprintf(look, sizeof(look), " text-anchor=\"end\" fill=\"#%06x\"%s",
			svg_colour(l->role), lanes ? SVG_HALO : "");
		/* below the line where words of labels are above it */
		svg_text(n, n->left + n->w - 4, y < n->top + LEVEL_H ? y + LEVEL_H : y - 4, look,
			l->name);
	}
}

/* Where labels stand already, from and to. */
struct taken {
	int count;
	double from[TS_PAGE_LABELS], to[TS_PAGE_LABELS];
};

static bool
take_place(struct taken *t, double from, double w)
{
	if (from < LEFT || from + w > PAGE_W)
		return false;
	for (int i = 0; i < t->count; i++)
		if (from < t->to[i] && from + w > t->from[i])
			return false;
	t->from[t->count] = from;
	t->to[t->count++] = from + w;
	return true;
}

/* Right of its place, else left of it; where both are taken by labels before it there is none. */
static void
put_label(struct svg_pen *n, struct taken *t, double x, const struct ts_page_label *l)
{
	double w = svg_width(l->name) + 4;
	char look[48];

	snprintf(look, sizeof(look), " fill=\"#%06x\"", svg_colour(l->role));
	if (take_place(t, x + 3, w))
		svg_text(n, x + 3, n->words, look, l->name);
	else if (take_place(t, x - 3 - w, w))
		svg_text(n, x + 1 - w, n->words, look, l->name);
}

/* Words above the plot where they do not meet, the first ones first; lines always. */
static void
put_labels(struct svg_pen *n)
{
	struct taken taken = {0};

	for (int i = 0; i < n->p->labels; i++) {
		const struct ts_page_label *l = &n->p->label[i];
		double x = svg_x(n, l->x);

		if (!(l->x >= n->p->x.from) || !(l->x <= n->p->x.to))
			continue;
		if (l->line)
			ts_strbuf_printf(n->out,
				"<path d=\"M%.2f %.2fV%.2f\" stroke=\"#%06x\" "
				"stroke-dasharray=\"2 3\" fill=\"none\"/>\n",
				x, n->words + 2, n->top + n->h, svg_colour(l->role));
		else
			ts_strbuf_printf(n->out,
				"<path d=\"M%.2f %.2fl3 5h-6z\" fill=\"#%06x\"/>\n", x,
				n->top + n->h + 1, svg_colour(l->role));
		put_label(n, &taken, x, l);
	}
}

/* --- legend ----------------------------------------------------------------------------------- */

/* Room for an entry at *x, in the next line where there is none in this one. */
static void
make_room(struct svg_pen *n, double *x, const char *name)
{
	if (*x + SWATCH + 6 + svg_width(name) + 14 <= n->left + n->w || *x <= n->margin)
		return;
	*x = n->margin;
	n->end += LINE_H;
}

/* What an entry is called, behind its sign; *x is then behind it. */
static void
put_name(struct svg_pen *n, double *x, const char *name)
{
	svg_text(n, *x + SWATCH + 6, n->end + SWATCH - 2, "", name);
	*x += SWATCH + 6 + svg_width(name) + 14;
}

static void
put_square(struct svg_pen *n, double x, double w, const char *fill)
{
	ts_strbuf_printf(n->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.0f\" height=\"%d\"%s/>\n",
		x, n->end, w, SWATCH, fill);
}

/* A square of a colour; `pale`: half of it is paler. */
static void
put_sample(struct svg_pen *n, double *x, int colour, bool pale, const char *name)
{
	char fill[24];

	make_room(n, x, name);
	snprintf(fill, sizeof(fill), " fill=\"#%06x\"", colour);
	put_square(n, *x, SWATCH, fill);
	snprintf(fill, sizeof(fill), " fill=\"#%06x\"", svg_paler(colour));
	if (pale)
		put_square(n, *x + SWATCH / 2.0, SWATCH / 2.0, fill);
	put_name(n, x, name);
}

static void
put_line_sample(struct svg_pen *n, double *x, const char *name)
{
	make_room(n, x, name);
	ts_strbuf_printf(n->out,
		"<path d=\"M%.2f %.2fh%d\" stroke=\"#%06x\" stroke-width=\"2\" fill=\"none\"/>\n",
		*x, n->end + SWATCH / 2.0, SWATCH, svg_colour(TS_ROLE_OUTLINE));
	put_name(n, x, name);
}

static void
put_scale(struct svg_pen *n)
{
	enum { SCALE_W = 240, SCALE_H = 12 };
	const struct ts_chart_page *p = n->p;
	const char *scale = p->scale[0] ? p->scale : p->logarithmic ? "logarithmic" : "";
	struct ts_page_axis a = p->y;
	char text[TS_FMT_MAX];
	double y = n->end + 4;

	for (int i = 0; i < SVG_RAMP; i++)
		ts_strbuf_printf(n->out, "<path fill=\"#%06x\" d=\"M%.2f %.2fh%.2fv%dh%.2fz\"/>\n",
			svg_ramp((double)i / (SVG_RAMP - 1)),
			n->left + (double)SCALE_W * i / SVG_RAMP, y,
			(double)SCALE_W / SVG_RAMP + 0.3, SCALE_H,
			-(double)SCALE_W / SVG_RAMP - 0.3);
	svg_text(n, n->left, y + SCALE_H + 14, "", svg_tick_text(&a, p->least, text));
	svg_text(n, n->left + SCALE_W, y + SCALE_H + 14, " text-anchor=\"end\"",
		svg_tick_text(&a, p->most, text));
	svg_text(n, n->left + SCALE_W + 12, y + SCALE_H - 2, "", scale);
	if (p->over[0]) {
		double x = n->left + SCALE_W + 24 + svg_width(scale);

		n->end = y;
		put_sample(n, &x, svg_colour(TS_ROLE_BAD), false, p->over);
	}
	n->end = y + SCALE_H + 2 * LINE_H;
}

/* --- the page ----------------------------------------------------------------------------------- */

static void
put_band_sample(struct svg_pen *n, double *x, int band)
{
	const struct ts_page_band *b = &n->p->band[band];

	if (!b->name[0])
		return;
	if (!b->hatched) {
		put_sample(n, x, svg_colour(b->role), svg_is_paler(n->p, band), b->name);
		return;
	}
	make_room(n, x, b->name);
	put_square(n, *x, SWATCH, SVG_HATCHED);
	put_name(n, x, b->name);
}

static void
put_legend(struct svg_pen *n)
{
	const struct ts_chart_page *p = n->p;
	double x = n->margin;
	bool pale = false;

	n->end += 6;
	if (p->outline && p->outline_name[0])
		put_line_sample(n, &x, p->outline_name);
	for (int i = p->bands - 1; i >= 0; i--) { /* as they lie one above the other */
		put_band_sample(n, &x, i);
		pale = pale || svg_is_paler(p, i);
	}
	if (pale && p->pale_name[0])
		put_sample(n, &x, svg_colour(TS_ROLE_TEXT), true, p->pale_name);
	if (p->kind == TS_PAGE_GRID && svg_has_spot(p)) {
		make_room(n, &x, p->spot.name);
		svg_ring(n, x + SWATCH / 2.0, n->end + SWATCH / 2.0);
		put_name(n, &x, p->spot.name);
	}
	n->end += x > n->margin ? LINE_H : 0;
}

/* Rows that are called by what they are, some of them: else they lie on an axis. */
static bool
has_names(const struct ts_chart_page *p)
{
	int i = 0;

	while (i < p->lanes && !p->lane[i][0])
		i++;
	return i < p->lanes;
}

static void
put_plot(struct svg_pen *n)
{
	switch (n->p->kind) {
	case TS_PAGE_LANES:
		svg_lanes(n);
		break;
	case TS_PAGE_GRID:
		svg_grid(n);
		svg_sides(n);
		if (svg_has_spot(n->p))
			svg_ring(n, svg_x(n, n->p->spot.x),
				n->top + n->h / n->p->lanes * n->p->spot.row);
		if (!has_names(n->p))
			put_y_axis(n);
		else
			svg_y_title(n);
		break;
	default:
		put_y_axis(n);
		put_bands(n);
		put_outline(n);
		svg_levels(n);
	}
	put_x_axis(n);
	put_labels(n);
}

static double
plot_height(const struct ts_chart_page *p)
{
	double h = p->lanes > 0 ? (double)p->lanes * LANE_MOST : PLOT_H;

	if (p->kind == TS_PAGE_AREA)
		return PLOT_H;
	if (p->kind == TS_PAGE_LANES && (double)p->lanes * LANE_NAMED > TALL)
		return (double)p->lanes * LANE_NAMED; /* else the names of some are left out */
	return h < (double)LANE_LEAST * p->lanes ? (double)LANE_LEAST * p->lanes
		: h > TALL			 ? TALL
						 : h;
}

/* Names of lanes have the room that they need. */
static int
left_of(const struct ts_chart_page *p)
{
	enum { BESIDE = SVG_TICK + 3 + 4, TITLE = 26 };
	double w = 0;

	for (int i = 0; p->kind == TS_PAGE_LANES && i < p->lanes; i++)
		w = fmax(w, svg_width(p->lane[i]));
	w += BESIDE + (p->y.title[0] ? TITLE : 0);
	return w < LEFT ? LEFT : w > LEFT_MOST ? LEFT_MOST : (int)w;
}

/* Above a tall plot: the legend, the axis, and room for the words of labels between its title and its numbers. */
static void
put_head(struct svg_pen *n)
{
	n->margin = LEFT;
	n->end = LEGEND_TOP;
	put_legend(n);
	svg_text(n, n->left + n->w / 2.0, n->end + 12, " text-anchor=\"middle\"", n->p->x.title);
	n->words = n->end + 12 + (n->p->labels > 0 ? WORDS_ABOVE : 0);
	n->top = n->words + AXIS_ABOVE + 4;
	put_ticks(n, n->top, -1);
}

/* Lines that are hatched from left to right, thin and grey on white. */
static void
put_hatch(struct ts_strbuf *out, const struct ts_chart_page *p)
{
	bool any = false;

	for (int i = 0; i < p->bands; i++)
		any = any || p->band[i].hatched;
	if (any)
		ts_strbuf_puts(out,
			"<defs><pattern id=\"hatch\" width=\"4\" height=\"4\" "
			"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
			"<rect width=\"4\" height=\"4\" fill=\"#ffffff\"/>"
			"<path d=\"M0 0V4\" stroke=\"#b8c0c8\" stroke-width=\"1.6\" fill=\"none\"/>"
			"</pattern></defs>\n");
}

void
ts_chart_page_svg(struct ts_strbuf *out, const struct ts_chart_page *p)
{
	struct ts_strbuf body;
	struct svg_pen pen = {.out = &body, .p = p, .h = plot_height(p)}, *n = &pen;

	n->left = n->margin = left_of(p);
	n->w = PAGE_W - n->left - (p->kind == TS_PAGE_GRID && p->sides > 0 ? SIDE_W : RIGHT);
	n->top = TOP;
	n->words = TOP - 6;
	n->tall = p->kind == TS_PAGE_LANES && n->h > TALL;
	ts_strbuf_init(&body, out->max);
	svg_text(n, LEFT, 28, " font-size=\"18\" font-weight=\"bold\"", p->title);
	svg_text(n, LEFT, 48, " fill=\"#5b6670\"", p->subtitle);
	if (n->tall)
		put_head(n);
	put_plot(n);
	if (p->kind == TS_PAGE_GRID)
		put_scale(n);
	if (!n->tall)
		put_legend(n);
	n->end += 16;
	svg_text(n, LEFT, n->end, " font-size=\"10\" fill=\"#8a949e\"", p->source);
	n->end += 12;
	ts_strbuf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
		"font-size=\"12\" fill=\"#1f2933\">\n<title>",
		PAGE_W, ceil(n->end), PAGE_W, ceil(n->end));
	svg_escaped(out, p->title);
	ts_strbuf_printf(out, "</title>\n<rect width=\"%d\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
		PAGE_W, ceil(n->end));
	put_hatch(out, p);
	ts_strbuf_add(out, body.s, body.len);
	ts_strbuf_puts(out, "</svg>\n");
	out->cut |= body.cut;
	ts_strbuf_fini(&body);
}
