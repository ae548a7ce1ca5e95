/* SPDX-License-Identifier: MIT */
/*
 * chart_svg - a page as SVG: see chart_page.h.
 *
 * Coordinates are pixels of a page PAGE_W wide, with two decimals; areas are paths of steps, since a column is a range of
 * whole units (tiles, steps) and nothing is known between them; neighbours of the same height become one. The
 * same page gives the same bytes. Colours are a table of their own: themes are made for dark grounds.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart_page.h"

enum {
	PAGE_W = 960,
	LEFT = 88,	  /* of the plot, where names do not need more, */
	LEFT_MOST = 372,  /* and at most */
	LEGEND_TOP = 56,  /* of the legend that stands above a tall plot, */
	AXIS_ABOVE = 20,  /* and of its axis: the numbers, */
	WORDS_ABOVE = 16, /* a line of words */
	SIDE_W = 44,	  /* of the words at the right side */
	RING = 6,
	LEVEL_H = 14, /* of the words at a level */
	RIGHT = 24,
	TOP = 78,
	PLOT_H = 320,
	TALL = PLOT_H * 3 / 2, /* lanes are higher only where their names need it */
	LANE_MOST = 28,
	LANE_LEAST = 3,
	LANE_NAMED = 13, /* so that each can be read */
	TICK = 5,
	TICKS_X = 9,
	TICKS_Y = 6,
	LINE_H = 18,
	SWATCH = 12,
	RAMP = 64,  /* steps of the scale of colours */
	LETTER = 7, /* pixels of a letter, on the wide side */
	NOTE_SIZE = 9,
};

/* Letters on a coloured ground. */
#define HALO " paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"2.5\""

/* What is hatched, by the pattern of put_hatch(). */
#define HATCHED " fill=\"url(#hatch)\" stroke=\"#b8c0c8\" stroke-width=\"0.5\""

struct pen {
	struct ts_strbuf *out;
	const struct ts_chart_page *p;
	double top, h; /* of the plot */
	int left, w;   /* of the plot */
	bool tall; /* its end is not in sight where it begins: legend and axis stand above it, too */
	double words; /* y of the words of labels */
	int margin;   /* x where a line of the legend begins */
	double end;   /* y below all that is drawn so far */
};

/* --- colours ---------------------------------------------------------------------------------- */

static const struct {
	enum ts_role role;
	int colour;
} colours[] = {
	{TS_ROLE_FILL, 0x4c86c6},
	{TS_ROLE_BASE, 0x2f5d8a},
	{TS_ROLE_OUTLINE, 0x1b2a3a},
	{TS_ROLE_LIMIT, 0xc62828},
	{TS_ROLE_BAD, 0xd32f2f},
	{TS_ROLE_WARN, 0xe08a00},
	{TS_ROLE_GOOD, 0x2e7d32},
	{TS_ROLE_MARK, 0xb8860b},
	{TS_ROLE_BOUNDARY, 0x7a8590},
	{TS_ROLE_COMPUTE, 0xd64545},
	{TS_ROLE_EXCHANGE, 0x77b6e0},
	{TS_ROLE_GLOBAL_EXCHANGE, 0x6f9d8b},
	{TS_ROLE_SYNC, 0xe3c229},
	{TS_ROLE_EXTERNAL_SYNC, 0x55606a},
	{TS_ROLE_HOST_WAIT, 0xa3a9af},
	{TS_ROLE_HOST_COPY, 0xe88a2a},
	{TS_ROLE_HOST_END, 0xf0d77b},
	{TS_ROLE_CONTROL, 0xd5d9dd},
	{TS_ROLE_GAPS, 0xe9d3b0},
	{TS_ROLE_REST, 0xccd2d8},
};

static const int series[TS_ROLE_SERIES] = {0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0x76b7b2,
	0xedc948, 0xb07aa1, 0x9c755f, 0xff9da7, 0x2f5597, 0x8cd17d, 0xd37295, 0xb6992d, 0x499894,
	0xd4a6c8, 0xa0a7ad};

static int
colour_of(enum ts_role role)
{
	if (role >= TS_ROLE_SERIES_0 && role <= TS_ROLE_SERIES_15)
		return series[role - TS_ROLE_SERIES_0];
	for (size_t i = 0; i < TS_COUNT(colours); i++)
		if (colours[i].role == role)
			return colours[i].colour;
	return 0x5b6670;
}

/* A scale that keeps its order in grey: pale yellow, green-blue, dark violet. */
static int
ramp(double share)
{
	static const int stop[] = {0xfdf3c4, 0xb8dfae, 0x5fb9b0, 0x3b83b5, 0x37458f, 0x2a1346};
	double at = share * (double)(TS_COUNT(stop) - 1);
	size_t i = at >= (double)(TS_COUNT(stop) - 1) ? TS_COUNT(stop) - 2 : (size_t)at;
	double part = at - (double)i;
	int out = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		int a = stop[i] >> shift & 0xff, b = stop[i + 1] >> shift & 0xff;

		out |= (int)(a + (b - a) * part + 0.5) << shift;
	}
	return out;
}

/* --- text ------------------------------------------------------------------------------------- */

static void
put_escaped(struct ts_strbuf *out, const char *s)
{
	struct ts_strbuf safe;

	ts_strbuf_init(&safe, 4096);
	ts_utf8_safe(&safe, s, strlen(s));
	for (const char *c = safe.s; *c; c++) {
		if (*c == '<')
			ts_strbuf_puts(out, "&lt;");
		else if (*c == '>')
			ts_strbuf_puts(out, "&gt;");
		else if (*c == '&')
			ts_strbuf_puts(out, "&amp;");
		else if (*c == '"')
			ts_strbuf_puts(out, "&quot;");
		else
			ts_strbuf_putc(out, *c);
	}
	ts_strbuf_fini(&safe);
}

static void
put_text(struct pen *n, double x, double y, const char *look, const char *s)
{
	if (!*s)
		return;
	ts_strbuf_printf(n->out, "<text x=\"%.2f\" y=\"%.2f\"%s>", x, y, look);
	put_escaped(n->out, s);
	ts_strbuf_puts(n->out, "</text>\n");
}

static double
width_of(const char *s)
{
	return (double)ts_utf8_columns(s, strlen(s)) * LETTER;
}

static const char *
tick_text(const struct ts_page_axis *a, double v, char out[TS_FMT_MAX])
{
	if (a->tick)
		return a->tick(a->ctx, v, out);
	return ts_fmt_count(out, (int64_t)v);
}

/* --- where things are --------------------------------------------------------------------------- */

static double
share_of(double v, double from, double to)
{
	double s = to > from ? (v - from) / (to - from) : 0;

	return isnan(s) || s < 0 ? 0 : s > 1 ? 1 : s;
}

static double
x_of(const struct pen *n, double v)
{
	return n->left + n->w * share_of(v, n->p->x.from, n->p->x.to);
}

static double
y_of(const struct pen *n, double v)
{
	return n->top + n->h * (1 - share_of(v, n->p->y.from, n->p->y.to));
}

static double
column_x(const struct pen *n, int column)
{
	return n->left + (double)n->w * column / n->p->columns;
}

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

static void
put_y_title(struct pen *n)
{
	if (!n->p->y.title[0])
		return;
	ts_strbuf_printf(n->out, "<g transform=\"translate(18 %.2f) rotate(-90)\">\n",
		n->top + n->h / 2);
	put_text(n, 0, 0, " text-anchor=\"middle\"", n->p->y.title);
	ts_strbuf_puts(n->out, "</g>\n");
}

static void
put_y_axis(struct pen *n)
{
	double at[TICKS_AT_MOST];
	int count = ticks_of(&n->p->y, TICKS_Y, at);
	char text[TS_FMT_MAX];

	for (int i = 0; i < count; i++) {
		double y = y_of(n, at[i]);

		ts_strbuf_printf(n->out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#dfe3e7\" fill=\"none\"/>\n", n->left, y,
			n->left + n->w);
		put_text(n, n->left - TICK - 3, y + 4, " text-anchor=\"end\"",
			tick_text(&n->p->y, at[i], text));
	}
	ts_strbuf_printf(n->out, "<path d=\"M%d %.2fV%.2f\" stroke=\"#33404d\" fill=\"none\"/>\n",
		n->left, n->top, n->top + n->h);
	put_y_title(n);
}

/* Ticks and their numbers along y, below it (down 1) or above it (-1). */
static void
put_ticks(struct pen *n, double y, int down)
{
	double at[TICKS_AT_MOST], text_y = down > 0 ? y + TICK + 13 : y - TICK - 4;
	int count = ticks_of(&n->p->x, TICKS_X, at);
	char text[TS_FMT_MAX];

	ts_strbuf_printf(n->out, "<path d=\"M%d %.2fH%d", n->left, y, n->left + n->w);
	for (int i = 0; i < count; i++)
		if (*tick_text(&n->p->x, at[i], text))
			ts_strbuf_printf(n->out, "M%.2f %.2fv%d", x_of(n, at[i]), y, down * TICK);
	ts_strbuf_puts(n->out, "\" stroke=\"#33404d\" fill=\"none\"/>\n");
	for (int i = 0; i < count; i++)
		put_text(n, x_of(n, at[i]), text_y, " text-anchor=\"middle\"",
			tick_text(&n->p->x, at[i], text));
}

static void
put_x_axis(struct pen *n)
{
	double y = n->top + n->h;

	put_ticks(n, y, 1);
	put_text(n, n->left + n->w / 2.0, y + TICK + 34, " text-anchor=\"middle\"", n->p->x.title);
	n->end = y + TICK + 42;
}

/* --- AREA ------------------------------------------------------------------------------------- */

static double
height_of(double v, double top)
{
	return isnan(v) || v < 0 ? 0 : v > top ? top : v;
}

/* A line of steps through `v`, forwards or backwards; `first`: "M" or "L". */
static void
put_steps(struct pen *n, const double *v, bool back, char first)
{
	int columns = n->p->columns;

	for (int i = 0; i < columns; i++) {
		int at = back ? columns - 1 - i : i, before = back ? at + 1 : at - 1;
		double y = y_of(n, v[at]);

		if (i == 0)
			ts_strbuf_printf(n->out, "%c%.2f %.2f", first, column_x(n, at + back), y);
		else if (v[at] != v[before])
			ts_strbuf_printf(n->out, "H%.2fV%.2f", column_x(n, at + back), y);
	}
	ts_strbuf_printf(n->out, "H%.2f", back ? column_x(n, 0) : column_x(n, columns));
}

static void
put_bands(struct pen *n)
{
	double below[TS_PAGE_COLUMNS] = {0}, above[TS_PAGE_COLUMNS];

	for (int b = 0; b < n->p->bands; b++) {
		bool any = false;

		for (int i = 0; i < n->p->columns; i++) {
			above[i] = below[i] + height_of(n->p->band[b].v[i], n->p->y.to);
			any = any || above[i] > below[i];
		}
		if (!any)
			continue;
		ts_strbuf_puts(n->out, "<path d=\"");
		put_steps(n, above, false, 'M');
		put_steps(n, below, true, 'L');
		ts_strbuf_printf(n->out, "Z\" fill=\"#%06x\"/>\n", colour_of(n->p->band[b].role));
		memcpy(below, above, sizeof(below));
	}
}

static void
put_outline(struct pen *n)
{
	if (!n->p->outline)
		return;
	ts_strbuf_puts(n->out, "<path d=\"");
	put_steps(n, n->p->outline, false, 'M');
	ts_strbuf_printf(n->out, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.2\"/>\n",
		colour_of(TS_ROLE_OUTLINE));
}

static void
put_levels(struct pen *n)
{
	bool lanes = n->p->kind == TS_PAGE_LANES;

	for (int i = 0; i < n->p->levels; i++) {
		const struct ts_page_level *l = &n->p->level[i];
		char look[120];
		double y;

		if (!(l->value >= (lanes ? 0 : n->p->y.from)) ||
			!(l->value <= (lanes ? n->p->lanes : n->p->y.to)))
			continue;
		y = lanes ? n->top + n->h * l->value / n->p->lanes : y_of(n, l->value);
		ts_strbuf_printf(n->out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#%06x\" stroke-width=\"1.5\" "
			"stroke-dasharray=\"6 4\" fill=\"none\"/>\n",
			n->left, y, n->left + n->w, colour_of(l->role));
		snprintf(look, sizeof(look), " text-anchor=\"end\" fill=\"#%06x\"%s",
			colour_of(l->role), lanes ? HALO : "");
		/* below the line where words of labels are above it */
		put_text(n, n->left + n->w - 4, y < n->top + LEVEL_H ? y + LEVEL_H : y - 4, look,
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
put_label(struct pen *n, struct taken *t, double x, const struct ts_page_label *l)
{
	double w = width_of(l->name) + 4;
	char look[48];

	snprintf(look, sizeof(look), " fill=\"#%06x\"", colour_of(l->role));
	if (take_place(t, x + 3, w))
		put_text(n, x + 3, n->words, look, l->name);
	else if (take_place(t, x - 3 - w, w))
		put_text(n, x + 1 - w, n->words, look, l->name);
}

/* Words above the plot where they do not meet, the first ones first; lines always. */
static void
put_labels(struct pen *n)
{
	struct taken taken = {0};

	for (int i = 0; i < n->p->labels; i++) {
		const struct ts_page_label *l = &n->p->label[i];
		double x = x_of(n, l->x);

		if (!(l->x >= n->p->x.from) || !(l->x <= n->p->x.to))
			continue;
		if (l->line)
			ts_strbuf_printf(n->out,
				"<path d=\"M%.2f %.2fV%.2f\" stroke=\"#%06x\" "
				"stroke-dasharray=\"2 3\" fill=\"none\"/>\n",
				x, n->words + 2, n->top + n->h, colour_of(l->role));
		else
			ts_strbuf_printf(n->out,
				"<path d=\"M%.2f %.2fl3 5h-6z\" fill=\"#%06x\"/>\n", x,
				n->top + n->h + 1, colour_of(l->role));
		put_label(n, &taken, x, l);
	}
}

/* --- LANES ------------------------------------------------------------------------------------ */

static double
lane_value(const struct ts_chart_page *p, int lane, int band, int column)
{
	return height_of(p->band[band].v[lane * p->columns + column], 1);
}

/* What lies below a band. */
static double
below_of(const struct ts_chart_page *p, int lane, int band, int column)
{
	double below = 0;

	for (int k = 0; k < band; k++)
		below += lane_value(p, lane, k, column);
	return below;
}

static bool
is_pale(const struct ts_chart_page *p, int lane, int column)
{
	return p->pale && p->pale[lane * p->columns + column];
}

/* Half the way to white. */
static int
paler(int colour)
{
	return (colour >> 1 & 0x7f7f7f) + 0x7f7f7f;
}

/* Does something of the band stand in the lane, in that shade? */
static bool
has_shade(const struct ts_chart_page *p, int lane, int band, bool pale)
{
	for (int i = 0; i < p->columns; i++)
		if (lane_value(p, lane, band, i) > 0 && is_pale(p, lane, i) == pale)
			return true;
	return false;
}

/* How a band is filled, in a shade of its colour. */
static void
put_fill(struct pen *n, const struct ts_page_band *b, bool pale)
{
	int colour = colour_of(b->role);

	if (b->hatched)
		ts_strbuf_puts(n->out, HATCHED);
	else
		ts_strbuf_printf(n->out, " fill=\"#%06x\"", pale ? paler(colour) : colour);
}

static void
put_lane(struct pen *n, int lane, double y, double h)
{
	const struct ts_chart_page *p = n->p;

	for (int k = 0; k < 2 * p->bands; k++) {
		int b = k / 2;
		bool pale = k % 2;

		if (!has_shade(p, lane, b, pale))
			continue;
		ts_strbuf_puts(n->out, "<path");
		put_fill(n, &p->band[b], pale);
		ts_strbuf_puts(n->out, " d=\"");
		for (int i = 0, to; i < p->columns; i = to) {
			double below = below_of(p, lane, b, i), v = lane_value(p, lane, b, i);

			for (to = i + 1; to < p->columns && lane_value(p, lane, b, to) == v &&
				below_of(p, lane, b, to) == below &&
				is_pale(p, lane, to) == is_pale(p, lane, i);)
				to++;
			if (v > 0 && below < 1 && is_pale(p, lane, i) == pale)
				ts_strbuf_printf(n->out, "M%.2f %.2fH%.2fv%.2fH%.2fz",
					column_x(n, i), y + h * (1 - below), column_x(n, to),
					-h * (below + v > 1 ? 1 - below : v), column_x(n, i));
		}
		ts_strbuf_puts(n->out, "\"/>\n");
	}
}

/* The end of a name that has room, behind "..": what of it tells it from others. */
static const char *
end_of(const char *name, double room)
{
	const char *s = name;

	while (*s && width_of(s) * NOTE_SIZE / 12 > room)
		for (s++; ((unsigned char)*s & 0xc0) == 0x80;)
			s++;
	return s;
}

static void
put_notes(struct pen *n, double each)
{
	enum { LEAST = 6, BESIDE = 3 }; /* letters that say something */

	for (int i = 0; i < n->p->notes; i++) {
		const struct ts_page_note *o = &n->p->note[i];
		double x = x_of(n, o->from) + BESIDE, room = x_of(n, o->to) - BESIDE - x;
		const char *s = end_of(o->name, room);
		char text[TS_PAGE_TEXT + 4];

		if (s != o->name)
			s = end_of(o->name, room - 2.0 * LETTER * NOTE_SIZE / 12);
		if (s != o->name && strlen(s) < LEAST)
			continue;
		snprintf(text, sizeof(text), "%s%s", s != o->name ? ".." : "", s);
		put_text(n, x, n->top + each * (o->lane + 0.5) + NOTE_SIZE / 2.0 - 1,
			" font-size=\"9\"" HALO, text);
	}
}

static void
put_lanes(struct pen *n)
{
	double each = n->h / (n->p->lanes > 0 ? n->p->lanes : 1), shown = -1e9;

	for (int i = 0; i < n->p->lanes; i++) {
		double y = n->top + each * i;

		put_lane(n, i, y + each * 0.08, each * 0.84);
		if (y - shown < 12)
			continue;
		put_text(n, n->left - TICK - 3, y + each / 2 + 4, " text-anchor=\"end\"",
			n->p->lane[i]);
		shown = y;
	}
	ts_strbuf_printf(n->out, "<path d=\"M%d %.2fV%.2f\" stroke=\"#33404d\" fill=\"none\"/>\n",
		n->left, n->top, n->top + n->h);
	put_notes(n, each);
	put_levels(n);
	put_y_title(n);
}

/* --- GRID ------------------------------------------------------------------------------------- */

/* Place of a value on the scale, as one of RAMP steps; RAMP: off the scale; -1: nothing is there. */
static int
grade(const struct ts_chart_page *p, double v)
{
	double least = p->least, most = p->most;

	if (isnan(v))
		return -1;
	if (isinf(v))
		return RAMP;
	if (p->logarithmic) {
		v = log1p(v > 0 ? v : 0);
		least = log1p(least > 0 ? least : 0);
		most = log1p(most > 0 ? most : 0);
	}
	return (int)(share_of(v, least, most) * (RAMP - 1) + 0.5);
}

static void
put_grid(struct pen *n)
{
	const struct ts_chart_page *p = n->p;
	double each = n->h / p->lanes;

	for (int g = 0; p->grid && g <= RAMP; g++) {
		bool any = false;

		for (int row = 0; row < p->lanes; row++)
			for (int i = 0, to; i < p->columns; i = to) {
				const double *v = p->grid + (size_t)row * (size_t)p->columns;

				to = i + 1;
				if (grade(p, v[i]) != g)
					continue;
				while (to < p->columns && grade(p, v[to]) == g)
					to++;
				if (!any)
					ts_strbuf_printf(n->out,
						"<path shape-rendering=\"crispEdges\" "
						"fill=\"#%06x\" d=\"",
						g == RAMP ? colour_of(TS_ROLE_BAD)
							  : ramp((double)g / (RAMP - 1)));
				any = true;
				ts_strbuf_printf(n->out, "M%.2f %.2fH%.2fv%.2fH%.2fz",
					column_x(n, i), n->top + each * row, column_x(n, to), each,
					column_x(n, i));
			}
		ts_strbuf_puts(n->out, any ? "\"/>\n" : "");
	}
	for (int row = 0, last = -1; row < p->lanes; row++) {
		if (!p->lane[row][0] || (last >= 0 && each * (row - last) < 12))
			continue;
		put_text(n, n->left - TICK - 3, n->top + each * (row + 0.5) + 4,
			" text-anchor=\"end\"", p->lane[row]);
		last = row;
	}
}

/* Lines above rows, with words in the margin where they have room. */
static void
put_sides(struct pen *n)
{
	double each = n->h / n->p->lanes, last = -1e9;

	for (int i = 0; i < n->p->sides; i++) {
		double row = n->p->side[i].row, y = n->top + each * row;

		if (!(row >= 0) || !(row < n->p->lanes))
			continue;
		ts_strbuf_printf(n->out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#1b2a3a\" fill=\"none\"/>\n", n->left, y,
			n->left + n->w + TICK);
		if (y - last < 12)
			continue;
		put_text(n, n->left + n->w + TICK, y + 12, "", n->p->side[i].name);
		last = y;
	}
}

static bool
has_spot(const struct ts_chart_page *p)
{
	return p->spot.name[0] && p->spot.row >= 0 && p->spot.row <= p->lanes &&
		p->spot.x >= p->x.from && p->spot.x <= p->x.to;
}

/* Red on white, to be seen on either end of the scale. */
static void
put_ring(struct pen *n, double x, double y)
{
	ts_strbuf_printf(n->out,
		"<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" fill=\"none\" stroke=\"#ffffff\" "
		"stroke-width=\"4\"/>\n<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" fill=\"none\" "
		"stroke=\"#c62828\" stroke-width=\"2\"/>\n",
		x, y, RING, x, y, RING);
}

/* --- legend ----------------------------------------------------------------------------------- */

/* Room for an entry at *x, in the next line where there is none in this one. */
static void
make_room(struct pen *n, double *x, const char *name)
{
	if (*x + SWATCH + 6 + width_of(name) + 14 <= n->left + n->w || *x <= n->margin)
		return;
	*x = n->margin;
	n->end += LINE_H;
}

/* What an entry is called, behind its sign; *x is then behind it. */
static void
put_name(struct pen *n, double *x, const char *name)
{
	put_text(n, *x + SWATCH + 6, n->end + SWATCH - 2, "", name);
	*x += SWATCH + 6 + width_of(name) + 14;
}

static void
put_square(struct pen *n, double x, double w, const char *fill)
{
	ts_strbuf_printf(n->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.0f\" height=\"%d\"%s/>\n",
		x, n->end, w, SWATCH, fill);
}

/* A square of a colour; `pale`: half of it is paler. */
static void
put_sample(struct pen *n, double *x, int colour, bool pale, const char *name)
{
	char fill[24];

	make_room(n, x, name);
	snprintf(fill, sizeof(fill), " fill=\"#%06x\"", colour);
	put_square(n, *x, SWATCH, fill);
	snprintf(fill, sizeof(fill), " fill=\"#%06x\"", paler(colour));
	if (pale)
		put_square(n, *x + SWATCH / 2.0, SWATCH / 2.0, fill);
	put_name(n, x, name);
}

static void
put_line_sample(struct pen *n, double *x, const char *name)
{
	make_room(n, x, name);
	ts_strbuf_printf(n->out,
		"<path d=\"M%.2f %.2fh%d\" stroke=\"#%06x\" stroke-width=\"2\" fill=\"none\"/>\n",
		*x, n->end + SWATCH / 2.0, SWATCH, colour_of(TS_ROLE_OUTLINE));
	put_name(n, x, name);
}

static void
put_scale(struct pen *n)
{
	enum { SCALE_W = 240, SCALE_H = 12 };
	const struct ts_chart_page *p = n->p;
	struct ts_page_axis a = p->y;
	char text[TS_FMT_MAX];
	double y = n->end + 4;

	for (int i = 0; i < RAMP; i++)
		ts_strbuf_printf(n->out, "<path fill=\"#%06x\" d=\"M%.2f %.2fh%.2fv%dh%.2fz\"/>\n",
			ramp((double)i / (RAMP - 1)), n->left + (double)SCALE_W * i / RAMP, y,
			(double)SCALE_W / RAMP + 0.3, SCALE_H, -(double)SCALE_W / RAMP - 0.3);
	put_text(n, n->left, y + SCALE_H + 14, "", tick_text(&a, p->least, text));
	put_text(n, n->left + SCALE_W, y + SCALE_H + 14, " text-anchor=\"end\"",
		tick_text(&a, p->most, text));
	put_text(n, n->left + SCALE_W + 12, y + SCALE_H - 2, "",
		p->scale[0]		 ? p->scale
			: p->logarithmic ? "logarithmic"
					 : "");
	if (p->over[0]) {
		double x = n->left + SCALE_W + 24 + width_of(p->scale);

		n->end = y;
		put_sample(n, &x, colour_of(TS_ROLE_BAD), false, p->over);
	}
	n->end = y + SCALE_H + 2 * LINE_H;
}

/* --- the page ----------------------------------------------------------------------------------- */

/* Does a band stand on the page in its paler shade? */
static bool
is_paler(const struct ts_chart_page *p, int band)
{
	bool any = false;

	for (int lane = 0; p->pale && !any && lane < p->lanes; lane++)
		any = has_shade(p, lane, band, true);
	return any && !p->band[band].hatched;
}

static void
put_band_sample(struct pen *n, double *x, int band)
{
	const struct ts_page_band *b = &n->p->band[band];

	if (!b->name[0])
		return;
	if (!b->hatched) {
		put_sample(n, x, colour_of(b->role), is_paler(n->p, band), b->name);
		return;
	}
	make_room(n, x, b->name);
	put_square(n, *x, SWATCH, HATCHED);
	put_name(n, x, b->name);
}

static void
put_legend(struct pen *n)
{
	const struct ts_chart_page *p = n->p;
	double x = n->margin;
	bool pale = false;

	n->end += 6;
	if (p->outline && p->outline_name[0])
		put_line_sample(n, &x, p->outline_name);
	for (int i = p->bands - 1; i >= 0; i--) { /* as they lie one above the other */
		put_band_sample(n, &x, i);
		pale = pale || is_paler(p, i);
	}
	if (pale && p->pale_name[0])
		put_sample(n, &x, colour_of(TS_ROLE_TEXT), true, p->pale_name);
	if (p->kind == TS_PAGE_GRID && has_spot(p)) {
		make_room(n, &x, p->spot.name);
		put_ring(n, x + SWATCH / 2.0, n->end + SWATCH / 2.0);
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
put_plot(struct pen *n)
{
	switch (n->p->kind) {
	case TS_PAGE_LANES:
		put_lanes(n);
		break;
	case TS_PAGE_GRID:
		put_grid(n);
		put_sides(n);
		if (has_spot(n->p))
			put_ring(n, x_of(n, n->p->spot.x),
				n->top + n->h / n->p->lanes * n->p->spot.row);
		if (!has_names(n->p))
			put_y_axis(n);
		else
			put_y_title(n);
		break;
	default:
		put_y_axis(n);
		put_bands(n);
		put_outline(n);
		put_levels(n);
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
	enum { BESIDE = TICK + 3 + 4, TITLE = 26 };
	double w = 0;

	for (int i = 0; p->kind == TS_PAGE_LANES && i < p->lanes; i++)
		w = fmax(w, width_of(p->lane[i]));
	w += BESIDE + (p->y.title[0] ? TITLE : 0);
	return w < LEFT ? LEFT : w > LEFT_MOST ? LEFT_MOST : (int)w;
}

/* Above a tall plot: the legend, the axis, and room for the words of labels between its title and its numbers. */
static void
put_head(struct pen *n)
{
	n->margin = LEFT;
	n->end = LEGEND_TOP;
	put_legend(n);
	put_text(n, n->left + n->w / 2.0, n->end + 12, " text-anchor=\"middle\"", n->p->x.title);
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
	struct pen pen = {.out = &body, .p = p, .h = plot_height(p)}, *n = &pen;

	n->left = n->margin = left_of(p);
	n->w = PAGE_W - n->left - (p->kind == TS_PAGE_GRID && p->sides > 0 ? SIDE_W : RIGHT);
	n->top = TOP;
	n->words = TOP - 6;
	n->tall = p->kind == TS_PAGE_LANES && n->h > TALL;
	ts_strbuf_init(&body, out->max);
	put_text(n, LEFT, 28, " font-size=\"18\" font-weight=\"bold\"", p->title);
	put_text(n, LEFT, 48, " fill=\"#5b6670\"", p->subtitle);
	if (n->tall)
		put_head(n);
	put_plot(n);
	if (p->kind == TS_PAGE_GRID)
		put_scale(n);
	if (!n->tall)
		put_legend(n);
	n->end += 16;
	put_text(n, LEFT, n->end, " font-size=\"10\" fill=\"#8a949e\"", p->source);
	n->end += 12;
	ts_strbuf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
		"font-size=\"12\" fill=\"#1f2933\">\n<title>",
		PAGE_W, ceil(n->end), PAGE_W, ceil(n->end));
	put_escaped(out, p->title);
	ts_strbuf_printf(out, "</title>\n<rect width=\"%d\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
		PAGE_W, ceil(n->end));
	put_hatch(out, p);
	ts_strbuf_add(out, body.s, body.len);
	ts_strbuf_puts(out, "</svg>\n");
	out->cut |= body.cut;
	ts_strbuf_fini(&body);
}
