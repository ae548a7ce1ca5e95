/* SPDX-License-Identifier: MIT */
/*
 * picture - see the header.
 *
 * SVG: a cell is 16 x 32 units, so that eighths of it and the dots of braille are whole numbers. Blocks,
 * lines and braille are drawn as areas, since fonts leave gaps between them or do not have them; areas of
 * neighbours with the same height become one. Everything else is text, a word at a time, each put at
 * its own place and stretched to its columns (`textLength`): a font that is wider than usual shifts nothing.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/picture.h"

enum { CELL_W = 16, CELL_H = 32, BASELINE = 25, LINE = 2, DOT = 4, UNITS_A_PIXEL = 2 };

/* The ground of a picture, and the terminal's own colour on it. */

/* What a cell comes to. */
struct look {
	int fg, bg; /* 0xRRGGBB; of ANSI a number of 256; bg -1 = the ground, fg -1 = its own */
	uint8_t attr;
};

static struct look
look_of(const struct ts_theme *theme, const struct ts_cell *cell, enum ts_depth depth)
{
	struct ts_look l = ts_theme_look(theme, cell, depth);

	return (struct look){l.fg, l.bg, l.attr};
}

static bool
same_look(struct look a, struct look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

/* --- ANSI ------------------------------------------------------------------------------------- */

static const struct {
	enum ts_attr attr;
	const char *sgr;
} attr_codes[] = {
	{TS_ATTR_BOLD, ";1"},
	{TS_ATTR_DIM, ";2"},
	{TS_ATTR_ITALIC, ";3"},
	{TS_ATTR_UNDERLINE, ";4"},
	{TS_ATTR_BLINK, ";5"},
	{TS_ATTR_REVERSE, ";7"},
};

static void
put_sgr(struct ts_strbuf *out, struct look l)
{
	ts_strbuf_puts(out, "\033[0");
	for (size_t i = 0; i < TS_COUNT(attr_codes); i++)
		if (l.attr & attr_codes[i].attr)
			ts_strbuf_puts(out, attr_codes[i].sgr);
	if (l.fg >= 0)
		ts_strbuf_printf(out, ";38;5;%d", l.fg);
	if (l.bg >= 0)
		ts_strbuf_printf(out, ";48;5;%d", l.bg);
	ts_strbuf_putc(out, 'm');
}

static bool
is_plain_blank(const struct ts_cell *cell, struct look l)
{
	return cell->cp == ' ' && l.bg < 0 && !(l.attr & (TS_ATTR_REVERSE | TS_ATTR_UNDERLINE));
}

static void
ansi_row(struct ts_strbuf *out, const struct ts_canvas *c, int y, const struct ts_theme *theme,
	enum ts_depth depth)
{
	struct look now = {-1, -1, 0}, plain = now;
	char enc[4];
	int end = c->w;

	while (end > 0 &&
		is_plain_blank(ts_canvas_at(c, end - 1, y),
			look_of(theme, ts_canvas_at(c, end - 1, y), depth)))
		end--;
	for (int x = 0; x < end; x++) {
		const struct ts_cell *cell = ts_canvas_at(c, x, y);
		struct look l = look_of(theme, cell, depth);

		if (cell->width == 0)
			continue;
		if (!same_look(l, now))
			put_sgr(out, l);
		now = l;
		ts_strbuf_add(out, enc, ts_utf8_encode(cell->cp, enc));
	}
	if (!same_look(now, plain))
		ts_strbuf_puts(out, "\033[0m");
	ts_strbuf_putc(out, '\n');
}

/* --- SVG: glyphs that are areas ----------------------------------------------------------------- */

struct area {
	int x, y, w, h;
};

enum { AREAS = 8 };

struct shape {
	uint32_t cp;
	struct area area[3]; /* the last ones may be empty */
};

enum { MID_X = CELL_W / 2 - LINE / 2, MID_Y = CELL_H / 2 - LINE / 2 };
enum { REST_X = CELL_W - MID_X, REST_Y = CELL_H - MID_Y };

#define LEFT                                 \
	{                                    \
		0, MID_Y, MID_X + LINE, LINE \
	}
#define RIGHT                              \
	{                                  \
		MID_X, MID_Y, REST_X, LINE \
	}
#define UP                                   \
	{                                    \
		MID_X, 0, LINE, MID_Y + LINE \
	}
#define DOWN                               \
	{                                  \
		MID_X, MID_Y, LINE, REST_Y \
	}
#define ACROSS                         \
	{                              \
		0, MID_Y, CELL_W, LINE \
	}
#define UPRIGHT                        \
	{                              \
		MID_X, 0, LINE, CELL_H \
	}
#define FLAT(y)                    \
	{                          \
		0, y, CELL_W, LINE \
	}

static const struct shape shapes[] = {
	{0x23ba, {FLAT(1)}},
	{0x23bb, {FLAT(8)}},
	{0x23bc, {FLAT(22)}},
	{0x23bd, {FLAT(29)}},
	{0x2500, {ACROSS}},
	{0x2502, {UPRIGHT}},
	{0x2504, {{0, MID_Y, 4, LINE}, {6, MID_Y, 4, LINE}, {12, MID_Y, 3, LINE}}},
	{0x2506, {{MID_X, 0, LINE, 8}, {MID_X, 11, LINE, 8}, {MID_X, 22, LINE, 8}}},
	{0x2508, {{1, MID_Y, 2, LINE}, {6, MID_Y, 2, LINE}, {11, MID_Y, 2, LINE}}},
	{0x250a, {{MID_X, 2, LINE, 4}, {MID_X, 13, LINE, 4}, {MID_X, 24, LINE, 4}}},
	{0x250c, {RIGHT, DOWN}},
	{0x2510, {LEFT, DOWN}},
	{0x2514, {RIGHT, UP}},
	{0x2518, {LEFT, UP}},
	{0x251c, {UPRIGHT, RIGHT}},
	{0x2524, {UPRIGHT, LEFT}},
	{0x252c, {ACROSS, DOWN}},
	{0x2534, {ACROSS, UP}},
	{0x253c, {ACROSS, UPRIGHT}},
	{0x254c, {{1, MID_Y, 6, LINE}, {9, MID_Y, 6, LINE}}},
	{0x254e, {{MID_X, 2, LINE, 11}, {MID_X, 18, LINE, 11}}},
	{0x2550, {FLAT(12), FLAT(18)}},
	{0x256d, {RIGHT, DOWN}},
	{0x256e, {LEFT, DOWN}},
	{0x256f, {LEFT, UP}},
	{0x2570, {RIGHT, UP}},
	{0x2574, {LEFT}},
	{0x2575, {UP}},
	{0x2576, {RIGHT}},
	{0x2577, {DOWN}},
	{0x2580, {{0, 0, CELL_W, CELL_H / 2}}},
	{0x2590, {{CELL_W / 2, 0, CELL_W / 2, CELL_H}}},
	{0x2594, {{0, 0, CELL_W, CELL_H / 8}}},
};

static int
compare_shape(const void *key, const void *entry)
{
	uint32_t cp = *(const uint32_t *)key, at = ((const struct shape *)entry)->cp;

	return cp < at ? -1 : cp > at;
}

/* Dots of braille: the bit of each, row by row, left and right. */
static int
braille(uint32_t cp, struct area out[AREAS])
{
	static const unsigned char bit[AREAS] = {0, 3, 1, 4, 2, 5, 6, 7};
	int n = 0;

	for (int i = 0; i < AREAS; i++)
		if (cp >> bit[i] & 1)
			out[n++] = (struct area){i % 2 * CELL_W / 2 + CELL_W / 4 - DOT / 2,
				i / 2 * CELL_H / 4 + CELL_H / 8 - DOT / 2, DOT, DOT};
	return n;
}

/* The areas of a glyph; 0: it is text (or a blank of braille, which nothing needs to draw). */
static int
areas_of(uint32_t cp, struct area out[AREAS])
{
	const struct shape *s;
	int n = 0;

	if (cp > 0x2800 && cp <= 0x28ff)
		return braille(cp, out);
	if (cp >= 0x2581 && cp <= 0x2588) { /* lower eighths */
		int h = (int)(cp - 0x2580) * CELL_H / 8;

		out[0] = (struct area){0, CELL_H - h, CELL_W, h};
		return 1;
	}
	if (cp >= 0x2589 && cp <= 0x258f) { /* left eighths */
		out[0] = (struct area){0, 0, (int)(0x2590 - cp) * CELL_W / 8, CELL_H};
		return 1;
	}
	s = bsearch(&cp, shapes, TS_COUNT(shapes), sizeof(shapes[0]), compare_shape);
	while (s && n < (int)TS_COUNT(s->area) && s->area[n].w > 0) {
		out[n] = s->area[n];
		n++;
	}
	return n;
}

static bool
is_area(uint32_t cp)
{
	struct area none[AREAS];

	return areas_of(cp, none) > 0;
}

/* --- SVG: writing --------------------------------------------------------------------------------- */

static void
put_xml(struct ts_strbuf *out, uint32_t cp)
{
	char enc[4];

	switch (ts_cp_safe(cp) ? cp : TS_CP_REPLACEMENT) {
	case '<':
		ts_strbuf_puts(out, "&lt;");
		break;
	case '>':
		ts_strbuf_puts(out, "&gt;");
		break;
	case '&':
		ts_strbuf_puts(out, "&amp;");
		break;
	default:
		ts_strbuf_add(out, enc,
			ts_utf8_encode(ts_cp_safe(cp) ? cp : TS_CP_REPLACEMENT, enc));
	}
}

/* Reverse video and the terminal's own colours worked out: what is painted where. */
static struct look
svg_look(const struct ts_theme *theme, const struct ts_cell *cell, enum ts_depth depth)
{
	struct look l = look_of(theme, cell, depth);
	int fg = l.fg < 0 ? theme->ground.fg : l.fg, bg = l.bg;

	if (l.attr & TS_ATTR_REVERSE) {
		l.fg = bg < 0 ? theme->ground.bg : bg;
		l.bg = fg;
	} else {
		l.fg = fg;
	}
	l.attr &= (uint8_t) ~(TS_ATTR_REVERSE | TS_ATTR_BLINK);
	return l;
}

struct svg {
	struct ts_strbuf *out;
	const struct ts_canvas *c;
	const struct ts_theme *theme;
	enum ts_depth depth;
};

static struct look
look_at(const struct svg *s, int x, int y)
{
	return svg_look(s->theme, ts_canvas_at(s->c, x, y), s->depth);
}

/* What stands behind the cells of a row. */
static void
put_grounds(const struct svg *s, int y)
{
	for (int x = 0, end; x < s->c->w; x = end) {
		int bg = look_at(s, x, y).bg;

		for (end = x + 1; end < s->c->w && look_at(s, end, y).bg == bg;)
			end++;
		if (bg >= 0 && bg != s->theme->ground.bg)
			ts_strbuf_printf(s->out, "<path fill=\"#%06x\" d=\"M%d %dh%dv%dh-%dz\"/>\n",
				(unsigned)bg, x * CELL_W, y * CELL_H, (end - x) * CELL_W, CELL_H,
				(end - x) * CELL_W);
	}
}

static void
put_area(struct ts_strbuf *out, const struct area *a)
{
	if (a->w > 0)
		ts_strbuf_printf(out, "M%d %dh%dv%dh-%dz", a->x, a->y, a->w, a->h, a->w);
}

static bool
same_ink(struct look a, struct look b)
{
	return a.fg == b.fg && (a.attr & TS_ATTR_DIM) == (b.attr & TS_ATTR_DIM);
}

/* Glyphs that are areas: one path for neighbours of one colour. */
static void
put_areas(const struct svg *s, int y)
{
	for (int x = 0; x < s->c->w; x++) {
		struct look l = look_at(s, x, y);
		struct area pending = {0}, a[AREAS];

		if (!is_area(ts_canvas_at(s->c, x, y)->cp))
			continue;
		ts_strbuf_printf(s->out, "<path fill=\"#%06x\"%s d=\"", (unsigned)l.fg,
			l.attr & TS_ATTR_DIM ? " opacity=\".6\"" : "");
		for (; x < s->c->w && same_ink(look_at(s, x, y), l); x++) {
			int n = areas_of(ts_canvas_at(s->c, x, y)->cp, a);

			for (int i = 0; i < n; i++) {
				a[i].x += x * CELL_W;
				a[i].y += y * CELL_H;
				if (a[i].y == pending.y && a[i].h == pending.h &&
					a[i].x == pending.x + pending.w) {
					pending.w += a[i].w;
					continue;
				}
				put_area(s->out, &pending);
				pending = a[i];
			}
			if (n == 0)
				break;
		}
		x--;
		put_area(s->out, &pending);
		ts_strbuf_puts(s->out, "\"/>\n");
	}
}

/* Cells [from, to): a word of one look. */
static void
put_word(const struct svg *s, int y, int from, int to, struct look l)
{
	ts_strbuf_printf(s->out, "<text x=\"%d\" y=\"%d\"", from * CELL_W, y * CELL_H + BASELINE);
	if (to - from > 1)
		ts_strbuf_printf(s->out, " textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"",
			(to - from) * CELL_W);
	if (l.fg != s->theme->ground.fg)
		ts_strbuf_printf(s->out, " fill=\"#%06x\"", (unsigned)l.fg);
	ts_strbuf_printf(s->out, "%s%s%s%s>", l.attr & TS_ATTR_BOLD ? " font-weight=\"bold\"" : "",
		l.attr & TS_ATTR_ITALIC ? " font-style=\"italic\"" : "",
		l.attr & TS_ATTR_UNDERLINE ? " text-decoration=\"underline\"" : "",
		l.attr & TS_ATTR_DIM ? " opacity=\".6\"" : "");
	for (int x = from; x < to; x++)
		if (ts_canvas_at(s->c, x, y)->width > 0)
			put_xml(s->out, ts_canvas_at(s->c, x, y)->cp);
	ts_strbuf_puts(s->out, "</text>\n");
}

static bool
is_text(const struct ts_cell *cell)
{
	return cell->cp != ' ' && cell->cp != 0x2800 && !is_area(cell->cp);
}

static void
put_words(const struct svg *s, int y)
{
	for (int x = 0, end; x < s->c->w; x = end) {
		struct look l = look_at(s, x, y);

		end = x + 1;
		if (!is_text(ts_canvas_at(s->c, x, y)))
			continue;
		while (end < s->c->w &&
			(ts_canvas_at(s->c, end, y)->width == 0 ||
				(is_text(ts_canvas_at(s->c, end, y)) &&
					same_look(look_at(s, end, y), l))))
			end++;
		put_word(s, y, x, end, l);
	}
}

static void
put_title(struct ts_strbuf *out, const char *title)
{
	size_t left = strlen(title), n;

	ts_strbuf_puts(out, "<title>");
	for (uint32_t cp; left > 0; title += n, left -= n) {
		n = ts_utf8_next(title, left, &cp);
		put_xml(out, cp);
	}
	ts_strbuf_puts(out, "</title>\n");
}

static void
write_svg(const struct svg *s, const char *title)
{
	int w = s->c->w * CELL_W, h = s->c->h * CELL_H;

	ts_strbuf_printf(s->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\">\n",
		w / UNITS_A_PIXEL, h / UNITS_A_PIXEL, w, h);
	if (title)
		put_title(s->out, title);
	ts_strbuf_printf(s->out, "<path fill=\"#%06x\" d=\"M0 0h%dv%dh-%dz\"/>\n",
		(unsigned)s->theme->ground.bg, w, h, w);
	ts_strbuf_puts(s->out, "<g shape-rendering=\"crispEdges\">\n");
	for (int y = 0; y < s->c->h; y++)
		put_grounds(s, y);
	for (int y = 0; y < s->c->h; y++)
		put_areas(s, y);
	ts_strbuf_printf(s->out,
		"</g>\n<g font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" "
		"font-size=\"26.5\" fill=\"#%06x\">\n",
		(unsigned)s->theme->ground.fg);
	for (int y = 0; y < s->c->h; y++)
		put_words(s, y);
	ts_strbuf_puts(s->out, "</g>\n</svg>\n");
}

void
ts_picture_write(struct ts_strbuf *out, enum ts_picture format, const struct ts_canvas *c,
	const struct ts_theme *theme, bool mono, const char *title)
{
	struct svg svg = {out, c, theme, mono ? TS_DEPTH_MONO : TS_DEPTH_DIRECT};

	if (format == TS_PICTURE_TXT)
		ts_canvas_dump(c, out);
	for (int y = 0; format == TS_PICTURE_ANSI && y < c->h; y++)
		ansi_row(out, c, y, theme, mono ? TS_DEPTH_MONO : TS_DEPTH_256);
	if (format == TS_PICTURE_SVG)
		write_svg(&svg, title);
}
