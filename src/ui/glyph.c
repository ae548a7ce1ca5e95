/* SPDX-License-Identifier: MIT */
/*
 * glyph - what to draw where the terminal does not have a glyph.
 *
 * BASIC is for fonts that know code page 437 and little more (the Linux console): full and half
 * blocks, shades and single lines stay, eighths are rounded to them, those of bars to as much ink:
 * │ ░ ▌ ▓. ASCII keeps the shape as well as it can: `_ = #` for rising blocks, `- = #` for bars,
 * `" - _` for a line that runs high, in the middle, low.
 */
#include "config.h"

#include <stdlib.h>

#include "glyph.h"
#include "tilescope/base/mem.h"

struct glyph {
	uint16_t cp;
	uint16_t basic;
	char ascii;
};

/* Sorted by code point. */
static const struct glyph glyphs_table[] = {
	{0x00b1, 0x00b1, '~'},			      /* plus-minus */
	{0x00b5, 0x00b5, 'u'},			      /* micro */
	{0x00b7, 0x00b7, '.'},			      /* middle dot */
	{0x00d7, 0x00d7, 'x'},			      /* times */
	{0x0394, 'd', 'd'},			      /* Delta */
	{0x2013, '-', '-'},			      /* en dash */
	{0x2014, '-', '-'},			      /* em dash */
	{0x2022, '*', '*'},			      /* bullet */
	{0x2026, '~', '~'},			      /* ellipsis */
	{0x2190, 0x2190, '<'},			      /* arrows: left */
	{0x2191, 0x2191, '^'},			      /* up */
	{0x2192, 0x2192, '>'},			      /* right */
	{0x2193, 0x2193, 'v'},			      /* down */
	{0x2248, '~', '~'},			      /* almost equal */
	{0x2264, '<', '<'},			      /* less or equal */
	{0x2265, '>', '>'},			      /* greater or equal */
	{0x22ef, '.', '.'},			      /* midline ellipsis */
	{0x23ba, 0x00af, '"'},			      /* scan lines: 1, the highest */
	{0x23bb, 0x2500, '-'},			      /* 3 */
	{0x23bc, 0x2500, '-'},			      /* 7 */
	{0x23bd, '_', '_'},			      /* 9, the lowest */
	{0x2500, 0x2500, '-'},			      /* box lines: horizontal */
	{0x2502, 0x2502, '|'},			      /* vertical */
	{0x2504, 0x2500, '-'},			      /* dashed */
	{0x2506, 0x2502, '|'}, {0x2508, 0x2500, '-'}, /* dotted */
	{0x250a, 0x2502, '|'}, {0x250c, 0x250c, '+'}, /* corners */
	{0x2510, 0x2510, '+'}, {0x2514, 0x2514, '+'}, {0x2518, 0x2518, '+'},
	{0x251c, 0x251c, '+'}, /* tees */
	{0x2524, 0x2524, '+'}, {0x252c, 0x252c, '+'}, {0x2534, 0x2534, '+'}, {0x253c, 0x253c, '+'},
	{0x254c, 0x2500, '~'}, /* double dashed: limits; not the '-' of outlines */
	{0x254e, 0x2502, '|'}, {0x2550, 0x2550, '='}, /* double line */
	{0x256d, 0x250c, '+'},			      /* round corners */
	{0x256e, 0x2510, '+'}, {0x256f, 0x2518, '+'}, {0x2570, 0x2514, '+'},
	{0x2574, 0x2500, '-'}, /* half lines */
	{0x2575, 0x2502, '\''}, {0x2576, 0x2500, '-'}, {0x2577, 0x2502, ','},
	{0x2580, 0x2580, '"'}, /* blocks: upper half */
	{0x2581, '_', '_'},    /* lower eighths: 1 */
	{0x2582, '_', '_'}, {0x2583, 0x2584, '='}, {0x2584, 0x2584, '='}, {0x2585, 0x2584, '='},
	{0x2586, 0x2588, '#'}, {0x2587, 0x2588, '#'}, {0x2588, 0x2588, '#'}, /* full */
	{0x2589, 0x2593, '#'},						     /* left eighths: 7 */
	{0x258a, 0x2593, '#'}, {0x258b, 0x258c, '='}, {0x258c, 0x258c, '='}, {0x258d, 0x258c, '='},
	{0x258e, 0x2591, '-'}, {0x258f, 0x2502, '-'}, {0x2590, 0x2590, '='}, /* right half */
	{0x2591, 0x2591, '.'},						     /* shades */
	{0x2592, 0x2592, ':'}, {0x2593, 0x2593, '#'}, {0x2594, 0x00af, '"'}, /* upper eighth */
	{0x25a0, 0x2588, '#'},						     /* squares */
	{0x25a1, 'o', 'o'}, {0x25b2, 0x25b2, '^'},			     /* triangles */
	{0x25b4, 0x25b2, '^'}, {0x25b6, '>', '>'}, {0x25b8, '>', '>'}, {0x25bc, 0x25bc, 'v'},
	{0x25be, 0x25bc, 'v'}, {0x25c0, '<', '<'}, {0x25c2, '<', '<'},
	{0x25c6, '*', '*'},			/* diamond */
	{0x25cb, 'o', 'o'},			/* circles */
	{0x25cf, '*', '*'}, {0x2713, '+', '+'}, /* check mark */
	{0x2717, 'x', 'x'},			/* ballot x */
};

static int
compare(const void *key, const void *entry)
{
	uint32_t cp = *(const uint32_t *)key;
	const struct glyph *g = entry;

	return cp < g->cp ? -1 : cp > g->cp;
}

/* Dots of a braille cell: 1-3 and 7 down the left column, 4-6 and 8 down the right one. */
static char
braille_ascii(uint32_t dots)
{
	enum { UPPER = 0x1b, LOWER = 0xe4 };

	if (dots == 0)
		return ' ';
	if (!(dots & UPPER))
		return '.';
	if (!(dots & LOWER))
		return '\'';
	return __builtin_popcount(dots) > 5 ? '#' : ':';
}

bool
ts_glyph_map(uint32_t *cp, enum ts_glyphs glyphs)
{
	const struct glyph *g;

	if (*cp >= 0x20 && *cp < 0x7f)
		return true;
	if (*cp >= 0x2800 && *cp <= 0x28ff) {
		if (glyphs != TS_GLYPHS_FULL)
			*cp = (uint32_t)braille_ascii(*cp & 0xff);
		return true;
	}
	g = bsearch(cp, glyphs_table, TS_COUNT(glyphs_table), sizeof(*g), compare);
	if (!g)
		return false;
	if (glyphs != TS_GLYPHS_FULL)
		*cp = glyphs == TS_GLYPHS_BASIC ? g->basic : (uint32_t)g->ascii;
	return true;
}
