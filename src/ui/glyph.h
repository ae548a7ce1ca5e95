/* SPDX-License-Identifier: MIT */
/*
 * glyph - what to draw where the terminal does not have a glyph. Private to the canvas.
 */
#ifndef TS_SRC_UI_GLYPH_H
#define TS_SRC_UI_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/ui/canvas.h"

/* A glyph of our own drawing for these terminals; false: it is not one of ours. */
bool ts_glyph_map(uint32_t *cp, enum ts_glyphs glyphs);

#endif
