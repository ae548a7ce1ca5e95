/* SPDX-License-Identifier: MIT */
/*
 * colour - what a theme names, and what a terminal can show of it.
 *
 * A colour is kept as it was written (RGB, or one of the 16 that the terminal's user chose) and
 * mapped down at the edge, when the depth of the terminal is known. Nearest is not always best: a
 * theme may say which of the 16 it wants where there are no more (`#8fb7e8/bright-blue`).
 */
#ifndef TS_UI_COLOUR_H
#define TS_UI_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * 0xRRGGBB, or TS_COLOUR_ANSI + 0..15, or one of the two special values; for RGB the colour for 16
 * and 8 colours may be added as TS_COLOUR_FEW * (1 + 0..15), or * TS_COLOUR_FEW_NONE for none.
 */
typedef int64_t ts_colour;

#define TS_COLOUR_DEFAULT ((ts_colour)-1) /* the terminal's own */
#define TS_COLOUR_KEEP ((ts_colour)-2)	  /* for overlays: what is there already */
#define TS_COLOUR_ANSI ((ts_colour)0x1000000)
#define TS_COLOUR_FEW ((ts_colour)0x100000000)
#define TS_COLOUR_FEW_NONE 17

enum ts_depth {
	TS_DEPTH_MONO, /* attributes only */
	TS_DEPTH_8,
	TS_DEPTH_16,
	TS_DEPTH_256,
	TS_DEPTH_DIRECT, /* 0xRRGGBB itself */
};

/*
 * `#rrggbb` or `#rgb`, alone or with `/` and one of the 16 (or `default`) for terminals that have
 * no more;
 * `default`, `-` (keep), or one of the 16: `0`..`15`, black red green yellow blue magenta cyan
 * white, each also as bright-NAME, grey = bright-black. False for anything else.
 */
bool ts_colour_parse(const char *word, ts_colour *out);

/* 0xRRGGBB of any colour, as an usual terminal shows it (default = light grey). */
uint32_t ts_colour_rgb(ts_colour c);

/*
 * The number to give to the terminal: -1 for default, else 0..7, 0..15, 0..255 or RGB. The
 * nearest by eye (weighted distance). MONO gives -1.
 */
int ts_colour_map(ts_colour c, enum ts_depth depth);

/* 0xRRGGBB of such a number, as an usual terminal shows it. */
uint32_t ts_colour_shown(int number, enum ts_depth depth);

/* Contrast of two RGB values, 1..21 (WCAG 2: relative luminance). */
double ts_colour_contrast(uint32_t a, uint32_t b);

#endif
