/* SPDX-License-Identifier: MIT */
/*
 * picture - a canvas as a file that others can look at.
 *
 * The same canvas and theme give the same bytes. Text that a canvas holds is safe already; whatever a
 * format has signs of its own for (`<`, `&`) is escaped here.
 */
#ifndef TS_UI_PICTURE_H
#define TS_UI_PICTURE_H

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/theme.h"

enum ts_picture {
	TS_PICTURE_TXT,	 /* the glyphs, a line a row, blanks at line ends cut off */
	TS_PICTURE_ANSI, /* with colours as SGR sequences (256 of them), the same shape */
	TS_PICTURE_SVG,	 /* text and areas in the colours of the theme on its ground */
};

/* Append. `mono`: attributes, no colours. `title` (SVG's own, UTF-8, made safe) may be NULL. */
void ts_picture_write(struct ts_strbuf *out, enum ts_picture format, const struct ts_canvas *c,
	const struct ts_theme *theme, bool mono, const char *title);

#endif
