/* SPDX-License-Identifier: MIT */
/* chart_svg_cells - lanes and grids of a page as SVG; see chart_svg.h. Neighbours of the same colour become one path. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "chart_svg.h"

enum { RING = 6, NOTE_SIZE = 9 };

/* --- LANES ------------------------------------------------------------------------------------ */

static double
lane_value(const struct ts_chart_page *p, int lane, int band, int column)
{
	return svg_height(p->band[band].v[lane * p->columns + column], 1);
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

/* Does something of the band stand in the lane, in that shade? */
static bool
has_shade(const struct ts_chart_page *p, int lane, int band, bool pale)
{
	for (int i = 0; i < p->columns; i++)
		if (lane_value(p, lane, band, i) > 0 && is_pale(p, lane, i) == pale)
			return true;
	return false;
}

bool
svg_is_paler(const struct ts_chart_page *p, int band)
{
	bool any = false;

	for (int lane = 0; p->pale && !any && lane < p->lanes; lane++)
		any = has_shade(p, lane, band, true);
	return any && !p->band[band].hatched;
}

/* How a band is filled, in a shade of its colour. */
static void
put_fill(struct svg_pen *n, const struct ts_page_band *b, bool pale)
{
	int colour = svg_colour(b->role);

	if (b->hatched)
		ts_strbuf_puts(n->out, SVG_HATCHED);
	else
		ts_strbuf_printf(n->out, " fill=\"#%06x\"", pale ? svg_paler(colour) : colour);
}

static void
put_lane(struct svg_pen *n, int lane, double y, double h)
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
					svg_column_x(n, i), y + h * (1 - below),
					svg_column_x(n, to), -h * (below + v > 1 ? 1 - below : v),
					svg_column_x(n, i));
		}
		ts_strbuf_puts(n->out, "\"/>\n");
	}
}

/* The end of a name that has room, behind "..": what of it tells it from others. */
static const char *
end_of(const char *name, double room)
{
	const char *s = name;

	while (*s && svg_width(s) * NOTE_SIZE / 12 > room)
		for (s++; ((unsigned char)*s & 0xc0) == 0x80;)
			s++;
	return s;
}

static void
put_notes(struct svg_pen *n, double each)
{
	enum { LEAST = 6, BESIDE = 3 }; /* letters that say something */

	for (int i = 0; i < n->p->notes; i++) {
		const struct ts_page_note *o = &n->p->note[i];
		double x = svg_x(n, o->from) + BESIDE, room = svg_x(n, o->to) - BESIDE - x;
		const char *s = end_of(o->name, room);
		char text[TS_PAGE_TEXT + 4];

		if (s != o->name)
			s = end_of(o->name, room - 2.0 * SVG_LETTER * NOTE_SIZE / 12);
		if (s != o->name && strlen(s) < LEAST)
			continue;
		snprintf(text, sizeof(text), "%s%s", s != o->name ? ".." : "", s);
		svg_text(n, x, n->top + each * (o->lane + 0.5) + NOTE_SIZE / 2.0 - 1,
			" font-size=\"9\"" SVG_HALO, text);
	}
}

void
svg_lanes(struct svg_pen *n)
{
	double each = n->h / (n->p->lanes > 0 ? n->p->lanes : 1), shown = -1e9;

	for (int i = 0; i < n->p->lanes; i++) {
		double y = n->top + each * i;

		put_lane(n, i, y + each * 0.08, each * 0.84);
		if (y - shown < 12)
			continue;
		svg_text(n, n->left - SVG_TICK - 3, y + each / 2 + 4, " text-anchor=\"end\"",
			n->p->lane[i]);
		shown = y;
	}
	ts_strbuf_printf(n->out, "<path d=\"M%d %.2fV%.2f\" stroke=\"#33404d\" fill=\"none\"/>\n",
		n->left, n->top, n->top + n->h);
	put_notes(n, each);
	svg_levels(n);
	svg_y_title(n);
}

/* --- GRID ------------------------------------------------------------------------------------- */

/* Place of a value on the scale, as one of SVG_RAMP steps; SVG_RAMP: off the scale; -1: nothing is there. */
static int
grade(const struct ts_chart_page *p, double v)
{
	double least = p->least, most = p->most;

	if (isnan(v))
		return -1;
	if (isinf(v))
		return SVG_RAMP;
	if (p->logarithmic) {
		v = log1p(v > 0 ? v : 0);
		least = log1p(least > 0 ? least : 0);
		most = log1p(most > 0 ? most : 0);
	}
	return (int)(svg_share(v, least, most) * (SVG_RAMP - 1) + 0.5);
}

void
svg_grid(struct svg_pen *n)
{
	const struct ts_chart_page *p = n->p;
	double each = n->h / p->lanes;

	for (int g = 0; p->grid && g <= SVG_RAMP; g++) {
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
						g == SVG_RAMP
							? svg_colour(TS_ROLE_BAD)
							: svg_ramp((double)g / (SVG_RAMP - 1)));
				any = true;
				ts_strbuf_printf(n->out, "M%.2f %.2fH%.2fv%.2fH%.2fz",
					svg_column_x(n, i), n->top + each * row,
					svg_column_x(n, to), each, svg_column_x(n, i));
			}
		ts_strbuf_puts(n->out, any ? "\"/>\n" : "");
	}
	for (int row = 0, last = -1; row < p->lanes; row++) {
		if (!p->lane[row][0] || (last >= 0 && each * (row - last) < 12))
			continue;
		svg_text(n, n->left - SVG_TICK - 3, n->top + each * (row + 0.5) + 4,
			" text-anchor=\"end\"", p->lane[row]);
		last = row;
	}
}

/* Lines above rows, with words in the margin where they have room. */
void
svg_sides(struct svg_pen *n)
{
	double each = n->h / n->p->lanes, last = -1e9;

	for (int i = 0; i < n->p->sides; i++) {
		double row = n->p->side[i].row, y = n->top + each * row;

		if (!(row >= 0) || !(row < n->p->lanes))
			continue;
		ts_strbuf_printf(n->out,
			"<path d=\"M%d %.2fH%d\" stroke=\"#1b2a3a\" fill=\"none\"/>\n", n->left, y,
			n->left + n->w + SVG_TICK);
		if (y - last < 12)
			continue;
		svg_text(n, n->left + n->w + SVG_TICK, y + 12, "", n->p->side[i].name);
		last = y;
	}
}

bool
svg_has_spot(const struct ts_chart_page *p)
{
	return p->spot.name[0] && p->spot.row >= 0 && p->spot.row <= p->lanes &&
		p->spot.x >= p->x.from && p->spot.x <= p->x.to;
}

/* Black on white, to be seen on any colour. */
void
svg_ring(struct svg_pen *n, double x, double y)
{
	ts_strbuf_printf(n->out,
		"<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" fill=\"none\" stroke=\"#ffffff\" "
		"stroke-width=\"4\"/>\n<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" fill=\"none\" "
		"stroke=\"#000000\" stroke-width=\"2\"/>\n",
		x, y, RING, x, y, RING);
}
