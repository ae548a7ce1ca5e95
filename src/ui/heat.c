/* SPDX-License-Identifier: MIT */
/* heat - see the header. */
#include "config.h"

#include <math.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/heat.h"

enum { UPPER_HALF = 0x2580, LOWER_HALF = 0x2584, FULL_BLOCK = 0x2588 };

/* Without halves: what looks fuller and fuller, in any font. */
static const char ramp[] = ".,-:=+*oO%#@";
static const char differences[] = "Vv,.'^A";

bool
ts_heat_halves(const struct ts_canvas *c)
{
	return !c->mono && c->glyphs != TS_GLYPHS_ASCII;
}

enum ts_role
ts_heat_role(uint8_t code)
{
	unsigned k = code & TS_HEAT_CODE;

	if (code & TS_HEAT_CURSOR)
		return TS_ROLE_TITLE;
	if (code & TS_HEAT_SELECTED) {
		enum { EACH = TS_HEAT_LEVELS / TS_ROLE_HEAT_SELECTED };

		if (k == TS_HEAT_OVER)
			return TS_ROLE_HEAT_SELECTED_OVER;
		return (enum ts_role)(
			TS_ROLE_HEAT_SELECTED_0 + (k < TS_HEAT_LEVELS ? k / EACH : 0));
	}
	if (k < TS_HEAT_LEVELS)
		return (enum ts_role)(TS_ROLE_HEAT_0 + k);
	if (k == TS_HEAT_OVER)
		return TS_ROLE_BAD;
	if (k >= TS_HEAT_LESS && k < TS_HEAT_MORE + TS_HEAT_DIFFERENCE_LEVELS)
		return (enum ts_role)(TS_ROLE_LESS_3 + (k - TS_HEAT_LESS));
	return k == TS_HEAT_UNKNOWN ? TS_ROLE_HEAT_UNKNOWN : TS_ROLE_TEXT;
}

static uint32_t
glyph_of(uint8_t code)
{
	unsigned k = code & TS_HEAT_CODE;

	if (k < TS_HEAT_LEVELS)
		return (unsigned char)ramp[k];
	if (k >= TS_HEAT_LESS && k < TS_HEAT_MORE + TS_HEAT_DIFFERENCE_LEVELS)
		return (unsigned char)differences[k - TS_HEAT_LESS];
	return k == TS_HEAT_OVER ? '!' : k == TS_HEAT_UNKNOWN ? '?' : ' ';
}

/* Which of two is shown where one has to stand for both. */
static int
weight(uint8_t code)
{
	unsigned k = code & TS_HEAT_CODE;

	if (k == TS_HEAT_NOTHING)
		return -1;
	if (k == TS_HEAT_UNKNOWN)
		return 0;
	if (k >= TS_HEAT_LESS && k < TS_HEAT_MORE + TS_HEAT_DIFFERENCE_LEVELS)
		return 1 +
			(k > TS_HEAT_SAME ? 2 * ((int)k - TS_HEAT_SAME)
					  : 2 * (TS_HEAT_SAME - (int)k) + (k < TS_HEAT_SAME));
	return 1 + (int)k;
}

static void
draw_glyph(struct ts_canvas *c, struct ts_rect r, int x, int y, uint8_t upper, uint8_t lower)
{
	uint8_t code = weight(lower) > weight(upper) ? lower : upper;
	uint8_t flags = (uint8_t)((upper | lower) & ~TS_HEAT_CODE);
	struct ts_rect cell = {r.x + x, r.y + y, 1, 1};

	ts_canvas_glyph(c, r, x, y, ts_heat_role(code & TS_HEAT_CODE), glyph_of(code));
	if (flags & TS_HEAT_SELECTED)
		ts_canvas_overlay(c, cell, TS_ROLE_SELECTION);
	if (flags & TS_HEAT_CURSOR)
		ts_canvas_overlay(c, cell, TS_ROLE_CURSOR);
}

static void
draw_halves(struct ts_canvas *c, struct ts_rect r, int x, int y, uint8_t upper, uint8_t lower)
{
	enum ts_role a = ts_heat_role(upper), b = ts_heat_role(lower);

	if (a == b)
		ts_canvas_glyph(c, r, x, y, a, a == TS_ROLE_TEXT ? ' ' : FULL_BLOCK);
	else if (a == TS_ROLE_TEXT)
		ts_canvas_glyph(c, r, x, y, b, LOWER_HALF);
	else
		ts_canvas_glyph2(c, r, x, y, a, b, UPPER_HALF);
}

/*
 * A terminal is told two colours for a cell whose halves differ from those of the cell before; a cell that has no
 * other colours than that one has them in some order, or one of them alone, and costs a glyph. So a row keeps a
 * pair as long as it does, and where one colour begins a pair its partner is what comes next.
 */
struct pair {
	enum ts_role a, b; /* TEXT: none */
};

/* The last row of the grid may have none below it. */
static uint8_t
under_it(const struct ts_heat_grid *g, const uint8_t *row, bool alone, int x)
{
	return alone ? TS_HEAT_NOTHING : row[g->w + x];
}

static enum ts_role
next_role(const struct ts_heat_grid *g, const uint8_t *row, bool alone, int x, enum ts_role than)
{
	for (x++; x < g->w; x++) {
		uint8_t under = under_it(g, row, alone, x);
		enum ts_role upper = ts_heat_role(row[x]), lower = ts_heat_role(under);

		if ((row[x] | under) & TS_HEAT_CURSOR)
			continue;
		if (upper == TS_ROLE_TEXT || lower == TS_ROLE_TEXT)
			break;
		if (upper != than || lower != than)
			return upper != than ? upper : lower;
	}
	return TS_ROLE_TEXT;
}

static void
draw_pair(struct ts_canvas *c, struct ts_rect r, int x, const struct pair *p, enum ts_role upper,
	enum ts_role lower)
{
	uint32_t cp = upper == lower ? (upper == p->a ? FULL_BLOCK : ' ')
		: upper == p->a	     ? UPPER_HALF
				     : LOWER_HALF;

	ts_canvas_glyph2(c, r, x, 0, p->a, p->b, cp);
}

/* Row `row` of the grid, and the one below it unless it is `alone`. */
static void
draw_row(struct ts_canvas *c, struct ts_rect r, const struct ts_heat_grid *g, const uint8_t *row,
	bool alone)
{
	struct pair p = {TS_ROLE_TEXT, TS_ROLE_TEXT};

	for (int x = 0; x < r.w && x < g->w; x++) {
		uint8_t upper = row[x], lower = under_it(g, row, alone, x);
		enum ts_role a = ts_heat_role(upper), b = ts_heat_role(lower);

		if (a == TS_ROLE_TEXT || b == TS_ROLE_TEXT)
			p = (struct pair){TS_ROLE_TEXT, TS_ROLE_TEXT};
		if (a == TS_ROLE_TEXT && b == TS_ROLE_TEXT)
			continue;
		if (a == TS_ROLE_TEXT || b == TS_ROLE_TEXT || (upper | lower) & TS_HEAT_CURSOR) {
			draw_halves(c, r, x, 0, upper, lower);
			continue;
		}
		if ((a != p.a && a != p.b) || (b != p.a && b != p.b))
			p = (struct pair){a, a != b ? b : next_role(g, row, alone, x, a)};
		draw_pair(c, r, x, &p, a, b);
	}
}

void
ts_heat_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_heat_grid *g)
{
	bool halves = ts_heat_halves(c);

	for (int y = 0; y < r.h && 2 * y < g->h; y++) {
		const uint8_t *row = g->level + (size_t)2 * (size_t)y * (size_t)g->w;
		bool alone = 2 * y + 1 == g->h;

		if (halves)
			draw_row(c, ts_rect_row(r, y), g, row, alone);
		for (int x = 0; x < r.w && x < g->w && !halves; x++) {
			uint8_t lower = under_it(g, row, alone, x);

			if (row[x] != TS_HEAT_NOTHING || lower != TS_HEAT_NOTHING)
				draw_glyph(c, r, x, y, row[x], lower);
		}
	}
}

void
ts_heat_sample(struct ts_canvas *c, struct ts_rect r, int x, int y, uint8_t code)
{
	(ts_heat_halves(c) ? draw_halves : draw_glyph)(c, r, x, y, code, code);
}

const char *
ts_heat_how_name(enum ts_heat_how how)
{
	static const char *const names[TS_HEAT_HOWS] = {"linear", "log", "limit"};

	return names[how];
}

const char *
ts_heat_how_title(enum ts_heat_how how)
{
	static const char *const names[TS_HEAT_HOWS] = {"linear", "logarithmic", "0 to limit"};

	return names[how];
}

/* --- values to levels -------------------------------------------------------------------------- */

static double
at_least_one(int64_t v)
{
	return v > 1 ? (double)v : 1;
}

uint8_t
ts_heat_level(const struct ts_heat_scale *s, int64_t v)
{
	double from = (double)s->least, span = (double)s->most - from, part;

	if (v < 0)
		return TS_HEAT_UNKNOWN;
	if (s->how == TS_HEAT_LIMIT) {
		from = 0;
		span = (double)s->most;
	}
	part = span > 0 ? ((double)v - from) / span : v >= s->most && v > 0;
	if (s->how == TS_HEAT_LOG) {
		double factor = at_least_one(s->most) / at_least_one(s->least);

		part = factor > 1 ? log(at_least_one(v) / at_least_one(s->least)) / log(factor)
				  : v >= s->most && v > 0;
	}
	if (!(part > 0))
		return 0;
	return part < 1 ? (uint8_t)(part * TS_HEAT_LEVELS) : TS_HEAT_LEVELS - 1;
}

double
ts_heat_begin(const struct ts_heat_scale *s, int level)
{
	double part = (double)level / TS_HEAT_LEVELS;
	double from = s->how == TS_HEAT_LIMIT ? 0 : (double)s->least;

	if (s->how == TS_HEAT_LOG)
		return at_least_one(s->least) *
			pow(at_least_one(s->most) / at_least_one(s->least), part);
	return from + ((double)s->most - from) * part;
}

/* Without its sign; the most negative number has none. */
static uint64_t
size_of(int64_t d)
{
	return d < 0 ? (uint64_t)0 - (uint64_t)d : (uint64_t)d;
}

uint8_t
ts_heat_difference(int64_t d, int64_t most)
{
	double part;
	int level;

	if (d == INT64_MIN)
		return TS_HEAT_UNKNOWN;
	if (d == 0 || most <= 0)
		return TS_HEAT_SAME;
	part = (double)size_of(d) / (double)most;
	level = part < 1 ? (int)(part * TS_HEAT_DIFFERENCE_LEVELS) : TS_HEAT_DIFFERENCE_LEVELS - 1;
	return (uint8_t)(d > 0 ? TS_HEAT_MORE + level : TS_HEAT_SAME - 1 - level);
}

int64_t
ts_heat_most_different(const int64_t *d, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (d[i] != INT64_MIN && size_of(d[i]) > most)
			most = size_of(d[i]);
	return (int64_t)most;
}
