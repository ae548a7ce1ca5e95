/* SPDX-License-Identifier: MIT */
/* chart_svg_pen - colours, words and where things are on a page as SVG; see chart_svg.h. Themes are made for dark grounds. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "chart_svg.h"

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
	{TS_ROLE_ASYNC_SYNC, 0x5b9a96},
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

int
svg_colour(enum ts_role role)
{
	if (role >= TS_ROLE_SERIES_0 && role <= TS_ROLE_SERIES_15)
		return series[role - TS_ROLE_SERIES_0];
	for (size_t i = 0; i < TS_COUNT(colours); i++)
		if (colours[i].role == role)
			return colours[i].colour;
	return 0x5b6670;
}

int
svg_ramp(double share)
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

int
svg_paler(int colour)
{
	return (colour >> 1 & 0x7f7f7f) + 0x7f7f7f;
}

/* --- text ------------------------------------------------------------------------------------- */

void
svg_escaped(struct ts_strbuf *out, const char *s)
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

void
svg_text(struct svg_pen *n, double x, double y, const char *look, const char *s)
{
	if (!*s)
		return;
	ts_strbuf_printf(n->out, "<text x=\"%.2f\" y=\"%.2f\"%s>", x, y, look);
	svg_escaped(n->out, s);
	ts_strbuf_puts(n->out, "</text>\n");
}

double
svg_width(const char *s)
{
	return (double)ts_utf8_columns(s, strlen(s)) * SVG_LETTER;
}

const char *
svg_tick_text(const struct ts_page_axis *a, double v, char out[TS_FMT_MAX])
{
	if (a->tick)
		return a->tick(a->ctx, v, out);
	return ts_fmt_count(out, (int64_t)fmax(-9e18, fmin(v, 9e18))); /* it may be infinite */
}

/* --- where things are --------------------------------------------------------------------------- */

double
svg_share(double v, double from, double to)
{
	double s = to > from ? (v - from) / (to - from) : 0;

	return isnan(s) || s < 0 ? 0 : s > 1 ? 1 : s;
}

double
svg_x(const struct svg_pen *n, double v)
{
	return n->left + n->w * svg_share(v, n->p->x.from, n->p->x.to);
}

double
svg_y(const struct svg_pen *n, double v)
{
	return n->top + n->h * (1 - svg_share(v, n->p->y.from, n->p->y.to));
}

double
svg_column_x(const struct svg_pen *n, int column)
{
	return n->left + (double)n->w * column / n->p->columns;
}

double
svg_height(double v, double top)
{
	return isnan(v) || v < 0 ? 0 : v > top ? top : v;
}
