/* SPDX-License-Identifier: MIT */
/*
 * heat - values to the few levels of a heat map, and a grid of them on the canvas.
 *
 * A cell is a byte: a level of the scale, or one of the signs below, and flags. Few levels are on purpose:
 * neighbours differ to the eye, a terminal is sent less, and the number stands on the read-out.
 *
 * Two rows of the grid share a row of the screen: with colours as the two halves of a cell, without as
 * one glyph of a ramp, for the larger of the two (the selection and the cursor are laid over it).
 */
#ifndef TS_UI_HEAT_H
#define TS_UI_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/ui/canvas.h"

enum {
	TS_HEAT_LEVELS = 12,
	TS_HEAT_UNKNOWN = TS_HEAT_LEVELS, /* not recorded */
	TS_HEAT_OVER,			  /* over a limit */
	TS_HEAT_LESS,			  /* differences: 3 levels of less, the largest first */
	TS_HEAT_SAME = TS_HEAT_LESS + 3,
	TS_HEAT_MORE,		       /* 3 levels of more, the smallest first */
	TS_HEAT_NOTHING = 31,	       /* there is nothing to show */
	TS_HEAT_CODE = 31,	       /* mask of the above */
	TS_HEAT_SELECTED = 1 << 5,     /* flag */
	TS_HEAT_CURSOR = 1 << 6,       /* flag */
	TS_HEAT_DIFFERENCE_LEVELS = 3, /* each way */
};

enum ts_heat_how {
	TS_HEAT_LINEAR, /* from the least to the most */
	TS_HEAT_LOG,	/* the same in equal factors; 0 counts as 1 */
	TS_HEAT_LIMIT,	/* from 0 to a limit */
	TS_HEAT_HOWS
};

/* As it is typed: "log"; and as it is shown: "logarithmic". */
const char *ts_heat_how_name(enum ts_heat_how how);
const char *ts_heat_how_title(enum ts_heat_how how);

struct ts_heat_scale {
	enum ts_heat_how how;
	int64_t least, most; /* of values, 0 or more; of TS_HEAT_LIMIT most is the limit */
};

/* Level of a value: values below 0 are unknown, below `least` the first level, above `most` the last. */
uint8_t ts_heat_level(const struct ts_heat_scale *s, int64_t v);

/* Where a level begins (0 .. TS_HEAT_LEVELS: the last is where the scale ends), for legends. */
double ts_heat_begin(const struct ts_heat_scale *s, int level);

/*
 * Level of a signed difference, `most` being the largest of all without its sign: a third of it each.
 * INT64_MIN is unknown.
 */
uint8_t ts_heat_difference(int64_t d, int64_t most);

/* The largest of differences without its sign; 0 when there is none. */
int64_t ts_heat_most_different(const int64_t *d, size_t n);

struct ts_heat_grid {
	int w, h; /* columns, rows: two of them to a row of the screen */
	const uint8_t *level;
};

/* Has the screen halves of cells, or one glyph for two rows of the grid? */
bool ts_heat_halves(const struct ts_canvas *c);

void ts_heat_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_heat_grid *g);

/* One cell of one code, as in the map: for legends. */
void ts_heat_sample(struct ts_canvas *c, struct ts_rect r, int x, int y, uint8_t code);

/* The role whose colour a code has. */
enum ts_role ts_heat_role(uint8_t code);

#endif
