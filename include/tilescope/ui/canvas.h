/* SPDX-License-Identifier: MIT */
/*
 * canvas - a grid of cells; the only way to the screen.
 *
 * Views draw here, ts_tty_show() sends it to the terminal, tests dump it as text. A cell holds a
 * glyph and what it means (a role); colours come from the theme when it is shown.
 *
 * Every function takes the rectangle that it may draw in, and x, y from that rectangle's corner.
 * What lies outside of it, or of the canvas, is not drawn: any numbers are safe, a rectangle that
 * is empty or negative draws nothing. This is also the one place where text is made harmless:
 * an unsafe code point (ts_cp_safe) becomes U+FFFD, or '?' where the glyphs are ASCII. A wide
 * character (two columns) that would be cut by an edge is drawn as blanks.
 */
#ifndef TS_UI_CANVAS_H
#define TS_UI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/ui/role.h"

/* ---- rectangles: x, y from the top left; empty when w or h is 0 or less ---- */

struct ts_rect {
	int x, y, w, h;
};

static inline bool
ts_rect_empty(struct ts_rect r)
{
	return r.w <= 0 || r.h <= 0;
}

static inline bool
ts_rect_has(struct ts_rect r, int x, int y)
{
	return x >= r.x && y >= r.y && x - r.x < r.w && y - r.y < r.h;
}

/* The common part; empty (w = h = 0) when there is none. */
struct ts_rect ts_rect_clip(struct ts_rect a, struct ts_rect b);

/* Row i of r as a rectangle of one row; empty when r has no such row. */
struct ts_rect ts_rect_row(struct ts_rect r, int i);

/*
 * Cut n rows or columns off *r and return them (fewer when there are fewer; n < 0: none). Laying
 * out a pane is a series of cuts: `top = ts_rect_cut_top(&r, 1)`.
 */
struct ts_rect ts_rect_cut_top(struct ts_rect *r, int n);
struct ts_rect ts_rect_cut_bottom(struct ts_rect *r, int n);
struct ts_rect ts_rect_cut_left(struct ts_rect *r, int n);
struct ts_rect ts_rect_cut_right(struct ts_rect *r, int n);

/* ---- cells ---- */

enum ts_attr {
	TS_ATTR_BOLD = 1 << 0,
	TS_ATTR_DIM = 1 << 1,
	TS_ATTR_UNDERLINE = 1 << 2,
	TS_ATTR_REVERSE = 1 << 3,
	TS_ATTR_ITALIC = 1 << 4,
	TS_ATTR_BLINK = 1 << 5,
};

/*
 * How a cell looks: the style of `role`; then, when `back` is not TS_ROLE_TEXT, the foreground
 * colour of `back` behind it (two areas meet in this cell); then, when `over` is not
 * TS_ROLE_TEXT, whatever `over` sets in the theme (the cursor line over coloured text).
 */
struct ts_cell {
	uint32_t cp;   /* safe code point; ' ' when blank */
	uint8_t width; /* 1 or 2; 0 = right half of the wide cell before it */
	uint8_t role;  /* enum ts_role */
	uint8_t back;  /* enum ts_role; TS_ROLE_TEXT = none */
	uint8_t over;  /* enum ts_role; TS_ROLE_TEXT = none */
	uint8_t attr;  /* enum ts_attr, added to what the theme says */
};

/* Which glyphs the terminal is trusted with. */
enum ts_glyphs {
	TS_GLYPHS_FULL, /* all of Unicode */
	TS_GLYPHS_BASIC, /* drawing keeps to what old fonts have: lines, full and half blocks, shades */
	TS_GLYPHS_ASCII, /* nothing but ASCII; text that is not becomes '?' */
};

enum { TS_CANVAS_MAX_W = 1000, TS_CANVAS_MAX_H = 500 };

struct ts_canvas {
	int w, h;
	enum ts_glyphs glyphs;
	bool mono; /* no colours: charts tell areas apart by letters. Set by whoever owns the canvas */
	int cursor_x, cursor_y; /* of the terminal's own cursor; -1 = hidden */
	struct ts_cell *cell;	/* w * h, row by row */
};

/* A blank canvas. NULL when there is no memory. Sizes are clamped to 0..TS_CANVAS_MAX_*. */
struct ts_canvas *ts_canvas_new(int w, int h, enum ts_glyphs glyphs) TS_WARN_UNUSED;
void ts_canvas_free(struct ts_canvas *c);

/* Another size; blank afterwards. Without memory the old size stays, blank. */
enum ts_code ts_canvas_resize(struct ts_canvas *c, int w, int h, struct ts_err *err);

/* All cells blank, role TEXT, terminal's cursor hidden. */
void ts_canvas_erase(struct ts_canvas *c);

static inline struct ts_rect
ts_canvas_rect(const struct ts_canvas *c)
{
	return (struct ts_rect){0, 0, c->w, c->h};
}

/* The cell at x, y of the canvas; NULL outside. */
const struct ts_cell *ts_canvas_at(const struct ts_canvas *c, int x, int y);

/* ---- drawing ---- */

/*
 * One glyph of our own drawing (a block, a line, a letter). Where the terminal does not have it
 * it is replaced by the table in canvas.c: blocks, eighths, shades, braille, box lines, scan
 * lines, arrows, bullets, dots.
 */
void ts_canvas_glyph(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	uint32_t cp);

/* The same with `back`: the colour behind the glyph is the foreground of that role. */
void ts_canvas_glyph2(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	enum ts_role back, uint32_t cp);

/* Text from x, y, cut at the rectangle's right edge. Returns the column behind it. */
int ts_canvas_text(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *s);

/* The same with printf; what is longer than 1023 bytes is cut. */
int ts_canvas_printf(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *fmt, ...) TS_PRINTF(6, 7);

/* How text is put into a field: or-ed together, 0 = left, cut at the end without a sign. */
enum ts_field {
	TS_FIELD_LEFT = 0,
	TS_FIELD_RIGHT = 1 << 0,
	TS_FIELD_CENTRE = 1 << 1,
	TS_FIELD_ELLIPSIS = 1 << 2, /* too long: the end is cut and `…` (`~`) stands there */
	TS_FIELD_TAIL =
		1 << 3, /* too long: the middle is cut (`first/…last`): for paths of names */
	TS_FIELD_CLAUSES =
		1 << 4, /* too long: the last clauses are left out: for sentences with figures */
};

/*
 * The bytes that are left of a text of n when its last clause (", largest first", "; 3 more", " (not recorded)") is
 * taken away; 0: it is a single one.
 */
size_t ts_text_shorten(const char *s, size_t n);

/*
 * Text of n bytes in a field of w columns from x, y. Only the text's own columns are drawn.
 * Returns the columns it took (at most w).
 */
int ts_canvas_field(struct ts_canvas *c, struct ts_rect r, int x, int y, int w, enum ts_role role,
	const char *s, size_t n, int field);

/* Text in what is left of the row; with an ellipsis where it is cut. Returns the column behind it. */
int ts_canvas_piece(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *fmt, ...) TS_PRINTF(6, 7);

/* An ellipsis behind what ends before column x of the row: more was left out. Of a full row it takes the last column; behind that nothing is drawn. */
void ts_canvas_cut(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role);

/* Right-aligned: the text ends at the rectangle's right edge less `x` columns. */
int ts_canvas_right(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *s);

/*
 * Text broken at blanks into lines of the rectangle, '\n' begins a new one. Starts with line
 * `skip` of the text (0 = first). Returns the number of lines of the whole text at that width.
 */
int ts_canvas_wrap(struct ts_canvas *c, struct ts_rect r, int skip, enum ts_role role,
	const char *s);

/* The sign for something that is still loading: a dim `⋯`, `...` in ASCII. */
void ts_canvas_pending(struct ts_canvas *c, struct ts_rect r, int x, int y);

void ts_canvas_fill(struct ts_canvas *c, struct ts_rect r, enum ts_role role, uint32_t cp);
void ts_canvas_hline(struct ts_canvas *c, struct ts_rect r, int x, int y, int w, enum ts_role role);
void ts_canvas_vline(struct ts_canvas *c, struct ts_rect r, int x, int y, int h, enum ts_role role);

/*
 * A line across the top row of r with a title in it: `── Title ────────── right ──`. Either text
 * may be NULL. What does not fit is cut with a mark; `right`, which gives way first, is left out where there is hardly room.
 */
void ts_canvas_rule(struct ts_canvas *c, struct ts_rect r, enum ts_role role, const char *title,
	const char *right);

/* Signs at the right end of the first and of the last row of r: of a page that is scrolled, there is more. */
void ts_canvas_more(struct ts_canvas *c, struct ts_rect r, bool above, bool below);

/* Lay a role over all cells of r; their glyphs stay (cursor line, selection, match). */
void ts_canvas_overlay(struct ts_canvas *c, struct ts_rect r, enum ts_role over);

/*
 * The same over each place in r's rows where a text stands (case of ASCII letters aside), its wide glyphs whole. False: it stands
 * nowhere, or is none.
 */
bool ts_canvas_overlay_text(struct ts_canvas *c, struct ts_rect r, enum ts_role over,
	const char *s);

/* Put the terminal's own cursor at x, y of r (hidden when that is outside). */
void ts_canvas_cursor(struct ts_canvas *c, struct ts_rect r, int x, int y);

/* ---- text of it, for tests and for `:write` ---- */

/* The glyphs, one line per row, blanks at line ends cut off. */
void ts_canvas_dump(const struct ts_canvas *c, struct ts_strbuf *out);

/* The role letters, same shape: `over` where there is one, else `role`. A blank TEXT cell is ' '. */
void ts_canvas_dump_roles(const struct ts_canvas *c, struct ts_strbuf *out);

#endif
