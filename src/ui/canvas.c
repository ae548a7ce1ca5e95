/* SPDX-License-Identifier: MIT */
/*
 * canvas - the grid of cells, and putting text into it.
 *
 * All drawing ends in put(), which knows the canvas's edges and keeps wide characters whole: a cell
 * that is drawn over takes the other half of a wide one with it. Rectangles are clipped once per
 * call, coordinates are added up in 64 bits.
 */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "glyph.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/canvas.h"

static const struct ts_cell blank = {' ', 1, TS_ROLE_TEXT, TS_ROLE_TEXT, TS_ROLE_TEXT, 0};

enum {
	PRINTF_MAX = 1024,
	FIELD_MAX = 1 << 20,
	FRONT_PART = 3, /* the first part of a path of names has at most one of so many columns */
	RULE_CUT = 12,	/* columns of a cut text in a rule */
	ARROW_UP = 0x2191,
	ARROW_DOWN = 0x2193,
};

static int
clamp(int v, int max)
{
	return v < 0 ? 0 : v > max ? max : v;
}

struct ts_canvas *
ts_canvas_new(int w, int h, enum ts_glyphs glyphs)
{
	struct ts_canvas *c = ts_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->glyphs = glyphs;
	if (ts_canvas_resize(c, w, h, NULL) != TS_OK) {
		ts_canvas_free(c);
		return NULL;
	}
	return c;
}

void
ts_canvas_free(struct ts_canvas *c)
{
	if (!c)
		return;
	free(c->cell);
	free(c);
}

enum ts_code
ts_canvas_resize(struct ts_canvas *c, int w, int h, struct ts_err *err)
{
	struct ts_cell *cell;

	w = clamp(w, TS_CANVAS_MAX_W);
	h = clamp(h, TS_CANVAS_MAX_H);
	cell = ts_alloc((size_t)w * (size_t)h, sizeof(*cell));
	if (!cell) {
		ts_canvas_erase(c);
		return ts_err_nomem(err);
	}
	free(c->cell);
	c->cell = cell;
	c->w = w;
	c->h = h;
	ts_canvas_erase(c);
	return TS_OK;
}

void
ts_canvas_erase(struct ts_canvas *c)
{
	for (int i = 0; i < c->w * c->h; i++)
		c->cell[i] = blank;
	c->cursor_x = c->cursor_y = -1;
}

const struct ts_cell *
ts_canvas_at(const struct ts_canvas *c, int x, int y)
{
	return ts_rect_has(ts_canvas_rect(c), x, y) ? &c->cell[y * c->w + x] : NULL;
}

static struct ts_cell *
cell_at(struct ts_canvas *c, int x, int y)
{
	return &c->cell[y * c->w + x];
}

/* Before x, y is drawn over: the other half of a wide character there becomes blank. */
static void
break_wide(struct ts_canvas *c, int x, int y)
{
	struct ts_cell *cell = cell_at(c, x, y);

	if (cell->width == 0 && x > 0) {
		cell[-1].cp = ' ';
		cell[-1].width = 1;
	} else if (cell->width == 2 && x + 1 < c->w) {
		cell[1].cp = ' ';
		cell[1].width = 1;
	}
}

/* Draw one cell or two at a place that is inside of the canvas. */
static void
put(struct ts_canvas *c, int x, int y, struct ts_cell cell)
{
	break_wide(c, x, y);
	if (cell.width == 2)
		break_wide(c, x + 1, y);
	*cell_at(c, x, y) = cell;
	if (cell.width == 2) {
		cell.cp = ' ';
		cell.width = 0;
		*cell_at(c, x + 1, y) = cell;
	}
}

static struct ts_cell
make_cell(uint32_t cp, int width, enum ts_role role, enum ts_role back)
{
	struct ts_cell cell = blank;

	cell.cp = cp;
	cell.width = (uint8_t)width;
	cell.role = (uint8_t)role;
	cell.back = (uint8_t)back;
	return cell;
}

/* What a code point of somebody's text becomes here, and its columns. */
static uint32_t
text_glyph(const struct ts_canvas *c, uint32_t cp, int *width)
{
	*width = 1;
	if (cp >= 0x20 && cp < 0x7f)
		return cp;
	if (c->glyphs == TS_GLYPHS_ASCII)
		return ts_glyph_map(&cp, TS_GLYPHS_ASCII) ? cp : '?';
	if (!ts_cp_safe(cp)) {
		uint32_t own = cp;

		return ts_glyph_map(&own, TS_GLYPHS_FULL) ? own : TS_CP_REPLACEMENT;
	}
	*width = ts_cp_width(cp);
	return cp;
}

static int64_t
text_columns(const struct ts_canvas *c, const char *s, size_t n)
{
	int64_t columns = 0;
	uint32_t cp;
	int width;

	for (size_t used; n > 0; s += used, n -= used) {
		used = ts_utf8_next(s, n, &cp);
		text_glyph(c, cp, &width);
		columns += width;
	}
	return columns;
}

void
ts_canvas_glyph2(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	enum ts_role back, uint32_t cp)
{
	struct ts_rect clip = ts_rect_clip(r, ts_canvas_rect(c));
	int64_t ax = (int64_t)r.x + x, ay = (int64_t)r.y + y;
	int width = 1;

	if (ax < clip.x || ay < clip.y || ax >= (int64_t)clip.x + clip.w ||
		ay >= (int64_t)clip.y + clip.h)
		return;
	if (!ts_glyph_map(&cp, c->glyphs))
		cp = text_glyph(c, cp, &width);
	if (width == 2 && ax + 1 >= (int64_t)clip.x + clip.w) {
		cp = ' ';
		width = 1;
	}
	put(c, (int)ax, (int)ay, make_cell(cp, width, role, back));
}

void
ts_canvas_glyph(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role, uint32_t cp)
{
	ts_canvas_glyph2(c, r, x, y, role, TS_ROLE_TEXT, cp);
}

/* Text of n bytes from column x of r to column `end` at most. Returns the column behind it. */
static int64_t
put_text(struct ts_canvas *c, struct ts_rect r, int64_t x, int y, int64_t end, enum ts_role role,
	const char *s, size_t n)
{
	struct ts_rect clip = ts_rect_clip(r, ts_canvas_rect(c));
	bool row = !ts_rect_empty(clip) && (int64_t)r.y + y >= clip.y &&
		(int64_t)r.y + y < (int64_t)clip.y + clip.h;
	int64_t left = (int64_t)clip.x - r.x, right = left + clip.w;
	uint32_t cp;
	int width;

	end = ts_min_i64(end, r.w);
	for (size_t used; n > 0 && x < end; s += used, n -= used, x += width) {
		used = ts_utf8_next(s, n, &cp);
		cp = text_glyph(c, cp, &width);
		if (!row || x + width <= left || x >= right)
			continue;
		if (x < left || x + width > right || x + width > end) {
			/* half of a wide one is inside */
			put(c, (int)(r.x + ts_max_i64(x, left)), r.y + y,
				make_cell(' ', 1, role, TS_ROLE_TEXT));
			continue;
		}
		put(c, (int)(r.x + x), r.y + y, make_cell(cp, width, role, TS_ROLE_TEXT));
	}
	return ts_min_i64(x, ts_max_i64(end, 0));
}

int
ts_canvas_text(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *s)
{
	return (int)put_text(c, r, x, y, r.w, role, s, strlen(s));
}

int
ts_canvas_printf(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *fmt, ...)
{
	char buf[PRINTF_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return ts_canvas_text(c, r, x, y, role, buf);
}

/* The bytes of s that are left when columns are cut off its begin until at most `room` remain. */
static const char *
tail_of(const struct ts_canvas *c, const char *s, size_t *n, int64_t columns, int64_t room)
{
	uint32_t cp;
	int width;

	while (*n > 0 && columns > room) {
		size_t used = ts_utf8_next(s, *n, &cp);

		text_glyph(c, cp, &width);
		columns -= width;
		s += used;
		*n -= used;
	}
	return s;
}

size_t
ts_text_shorten(const char *s, size_t n)
{
	size_t separator = 0, bracket = 0, closed = 0;

	for (size_t i = 1; i + 1 < n; i++) {
		if ((s[i] == ',' || s[i] == ';') && s[i + 1] == ' ')
			separator = i;
		if (s[i] == ' ' && s[i + 1] == '(')
			bracket = i;
	}
	for (size_t i = separator; separator && i < n; i++)
		closed = s[i] == ')' ? i : closed;
	return bracket && (bracket > separator || closed) ? bracket : separator;
}

/* What stands before the last colon of a sentence; 0: it has none. */
static size_t
before_colon(const char *s, size_t n)
{
	for (size_t i = n; i-- > 1;)
		if (s[i - 1] == ':' && s[i] == ' ')
			return i - 1;
	return 0;
}

/* The bytes of s that fit when its last clauses are left out, else what they follow; or of its first words. */
static size_t
clauses_of(const struct ts_canvas *c, const char *s, size_t n, int64_t room)
{
	size_t less;

	while (text_columns(c, s, n) > room && (less = ts_text_shorten(s, n)) > 0)
		n = less;
	while (text_columns(c, s, n) > room && (less = before_colon(s, n)) > 0)
		n = less;
	return n;
}

/*
 * A path of names that is being cut, from left to right: what says least goes. Its first part tells `bert/...` from
 * `Gradient/...` and stays, if that leaves most of the room; so does the first number that a part behind it ends with, of a layer
 * for instance, in half of it. The rest is for its last parts.
 */
struct path {
	struct ts_canvas *c;
	struct ts_rect r;
	int y;
	enum ts_role role;
	int64_t x, end;	 /* where to write */
	const char *s;	 /* what is left of it, */
	size_t n;	 /* in bytes, */
	int64_t columns; /* and in columns */
};

/* Write the next `n` bytes. */
static void
path_keep(struct path *p, size_t n)
{
	int64_t columns = text_columns(p->c, p->s, n);

	put_text(p->c, p->r, p->x, p->y, p->end, p->role, p->s, n);
	p->x += columns;
	p->columns -= columns;
	p->s += n;
	p->n -= n;
}

/* Leave them out. */
static void
path_cut(struct path *p, size_t n)
{
	if (n == 0)
		return;
	put_text(p->c, p->r, p->x, p->y, p->end, p->role, "…", strlen("…"));
	p->x++;
	p->columns -= text_columns(p->c, p->s, n);
	p->s += n;
	p->n -= n;
}

/* Bytes of the next part with its '/'; 0: it is the last one. */
static size_t
next_part(const char *s, size_t n)
{
	const char *slash = n > 0 ? memchr(s, '/', n) : NULL;

	return slash ? (size_t)(slash - s) + 1 : 0;
}

/* The same before the number at its end. */
static size_t
before_number(const char *s, size_t part)
{
	size_t n = part - 1;

	while (n > 0 && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return n;
}

/* The first number of a part that is not among the last ones, if it stands within `most` columns from here. */
static void
path_number(struct path *p, int64_t most)
{
	size_t at = 0, part;
	int64_t rest = p->columns; /* from the number on: each part is measured once */

	while ((part = next_part(p->s + at, p->n - at)) > 0) {
		size_t number = at + before_number(p->s + at, part);

		rest -= text_columns(p->c, p->s + at, number - at);
		at += part;
		if (rest < p->end - p->x)
			return; /* there is room for it, and for all behind it */
		rest -= text_columns(p->c, p->s + number, at - number);
		if (number + 1 == at)
			continue;
		if (1 + (int64_t)(at - number) <= most) {
			path_cut(p, number);
			path_keep(p, at - number);
		}
		return;
	}
}

static void
put_path(struct path p)
{
	int64_t room = p.end - p.x;
	size_t front = next_part(p.s, p.n), left;
	int64_t columns = text_columns(p.c, p.s, front);
	const char *tail;

	if (front > 1 && columns <= room / FRONT_PART) {
		path_keep(&p, front);
		path_number(&p, room / 2 - columns);
	}
	left = p.n;
	tail = tail_of(p.c, p.s, &left, p.columns, p.end - p.x - 1);
	path_cut(&p, (size_t)(tail - p.s));
	path_keep(&p, left);
}

int
ts_canvas_field(struct ts_canvas *c, struct ts_rect r, int x, int y, int w, enum ts_role role,
	const char *s, size_t n, int field)
{
	int64_t columns = text_columns(c, s, n), end, at = x;

	w = clamp(w, FIELD_MAX);
	if (columns > w && field & TS_FIELD_CLAUSES) {
		n = clauses_of(c, s, n, w);
		columns = text_columns(c, s, n);
		field = (field & ~TS_FIELD_TAIL) | TS_FIELD_ELLIPSIS;
	}
	end = (int64_t)x + w;
	if (columns <= w) {
		if (field & TS_FIELD_RIGHT)
			at = end - columns;
		else if (field & TS_FIELD_CENTRE)
			at = x + (w - columns) / 2;
		put_text(c, r, at, y, end, role, s, n);
		return (int)columns;
	}
	if (w > 1 && field & TS_FIELD_TAIL) {
		put_path((struct path){c, r, y, role, x, end, s, n, columns});
	} else if (w > 1 && field & TS_FIELD_ELLIPSIS) {
		at = put_text(c, r, x, y, end - 1, role, s, n);
		put_text(c, r, end - 1, y, end, role, "…", strlen("…"));
	} else {
		put_text(c, r, x, y, end, role, s, n);
	}
	return w;
}

int
ts_canvas_piece(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *fmt, ...)
{
	char buf[PRINTF_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return x + ts_canvas_field(c, r, x, y, r.w - x, role, buf, strlen(buf), TS_FIELD_ELLIPSIS);
}

void
ts_canvas_cut(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role)
{
	if (x <= r.w)
		ts_canvas_text(c, r, x + 1 < r.w ? x + 1 : r.w - 1, y, role, "…");
}

int
ts_canvas_right(struct ts_canvas *c, struct ts_rect r, int x, int y, enum ts_role role,
	const char *s)
{
	struct ts_rect field = r;

	ts_rect_cut_right(&field, x);
	return ts_canvas_field(c, field, 0, y, field.w, role, s, strlen(s), TS_FIELD_RIGHT);
}

/*
 * Bytes of the next line of s at `width` columns, and in *skip those behind it that break it: up to the last blank, or,
 * of a word that is longer than the line, up to its last '/'.
 */
static size_t
line_of(const struct ts_canvas *c, const char *s, int width, size_t *skip)
{
	size_t len = strcspn(s, "\n"), at = 0, blank_at = 0, slash_at = 0;
	int64_t columns = 0;
	uint32_t cp;
	int one;

	*skip = s[len] == '\n';
	while (at < len) {
		size_t used = ts_utf8_next(s + at, len - at, &cp);

		text_glyph(c, cp, &one);
		if (columns + one > width && at > 0)
			break;
		if (cp == ' ')
			blank_at = at;
		columns += one;
		at += used;
		if (cp == '/')
			slash_at = at;
	}
	if (at == len)
		return len;
	*skip = 0;
	if (s[at] != ' ' && (blank_at > 0 || slash_at > 0))
		at = blank_at > 0 ? blank_at : slash_at;
	*skip = strspn(s + at, " ");
	*skip += s[at + *skip] == '\n';
	return at;
}

int
ts_canvas_wrap(struct ts_canvas *c, struct ts_rect r, int skip, enum ts_role role, const char *s)
{
	int line = 0;

	if (r.w <= 0)
		return 0;
	while (*s && line < INT_MAX) {
		size_t behind, n = line_of(c, s, r.w, &behind);

		if (line >= skip && (int64_t)line - skip < r.h)
			put_text(c, r, 0, (int)((int64_t)line - skip), r.w, role, s, n);
		s += n + behind;
		line++;
	}
	return line;
}

void
ts_canvas_pending(struct ts_canvas *c, struct ts_rect r, int x, int y)
{
	if (c->glyphs == TS_GLYPHS_FULL)
		ts_canvas_glyph(c, r, x, y, TS_ROLE_DIM, 0x22ef);
	else
		ts_canvas_text(c, r, x, y, TS_ROLE_DIM, "...");
}

void
ts_canvas_fill(struct ts_canvas *c, struct ts_rect r, enum ts_role role, uint32_t cp)
{
	r = ts_rect_clip(r, ts_canvas_rect(c));
	for (int y = 0; y < r.h; y++)
		for (int x = 0; x < r.w; x++)
			ts_canvas_glyph(c, r, x, y, role, cp);
}

/* A rectangle w by h at x, y of r, inside of r. */
static struct ts_rect
inside(struct ts_rect r, int x, int y, int w, int h)
{
	struct ts_rect at = {clamp(x, INT_MAX), clamp(y, INT_MAX), clamp(w, INT_MAX),
		clamp(h, INT_MAX)};
	struct ts_rect whole = {0, 0, clamp(r.w, INT_MAX), clamp(r.h, INT_MAX)};

	at = ts_rect_clip(at, whole);
	at.x = (int)ts_clamp_i64((int64_t)at.x + r.x, INT_MIN, INT_MAX);
	at.y = (int)ts_clamp_i64((int64_t)at.y + r.y, INT_MIN, INT_MAX);
	return at;
}

void
ts_canvas_hline(struct ts_canvas *c, struct ts_rect r, int x, int y, int w, enum ts_role role)
{
	ts_canvas_fill(c, inside(r, x, y, w, 1), role, 0x2500);
}

void
ts_canvas_vline(struct ts_canvas *c, struct ts_rect r, int x, int y, int h, enum ts_role role)
{
	ts_canvas_fill(c, inside(r, x, y, 1, h), role, 0x2502);
}

void
ts_canvas_rule(struct ts_canvas *c, struct ts_rect r, enum ts_role role, const char *title,
	const char *right)
{
	struct ts_rect row = ts_rect_row(r, 0), text = row;
	int used;

	ts_canvas_hline(c, row, 0, 0, row.w, role);
	ts_rect_cut_left(&text, 3);
	ts_rect_cut_right(&text, 3);
	if (title && *title && text.w > 0) {
		used = ts_canvas_field(c, text, 0, 0, text.w, role, title, strlen(title),
			TS_FIELD_ELLIPSIS);
		ts_canvas_glyph(c, row, 2, 0, role, ' ');
		ts_canvas_glyph(c, row, 3 + used, 0, role, ' ');
		ts_rect_cut_left(&text, used + 3);
	}
	if (right && *right &&
		(text.w >= RULE_CUT || text_columns(c, right, strlen(right)) <= text.w)) {
		used = ts_canvas_field(c, text, 0, 0, text.w, role, right, strlen(right),
			TS_FIELD_RIGHT | TS_FIELD_ELLIPSIS);
		ts_canvas_glyph(c, row, row.w - 3, 0, role, ' ');
		ts_canvas_glyph(c, row, row.w - 4 - used, 0, role, ' ');
	}
}

void
ts_canvas_more(struct ts_canvas *c, struct ts_rect r, bool above, bool below)
{
	if (above)
		ts_canvas_glyph(c, r, r.w - 1, 0, TS_ROLE_NOTE, ARROW_UP);
	if (below && r.h > above)
		ts_canvas_glyph(c, r, r.w - 1, r.h - 1, TS_ROLE_NOTE, ARROW_DOWN);
}

void
ts_canvas_overlay(struct ts_canvas *c, struct ts_rect r, enum ts_role over)
{
	r = ts_rect_clip(r, ts_canvas_rect(c));
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_at(c, x, y)->over = (uint8_t)over;
}

static uint32_t
folded(uint32_t cp)
{
	return cp >= 'A' && cp <= 'Z' ? cp + ('a' - 'A') : cp;
}

/* Columns from x to `end` that the text takes there; 0: it does not stand there. */
static int
text_at(const struct ts_canvas *c, int x, int end, int y, const char *s)
{
	size_t left = strlen(s);
	int begin = x;

	while (left > 0) {
		uint32_t cp;
		size_t n = ts_utf8_next(s, left, &cp);

		if (x >= end || folded(cell_at((struct ts_canvas *)c, x, y)->cp) != folded(cp))
			return 0;
		x++;
		while (x < end && cell_at((struct ts_canvas *)c, x, y)->width == 0)
			x++;
		s += n;
		left -= n;
	}
	return x - begin;
}

bool
ts_canvas_overlay_text(struct ts_canvas *c, struct ts_rect r, enum ts_role over, const char *s)
{
	bool some = false;

	r = ts_rect_clip(r, ts_canvas_rect(c));
	for (int y = r.y; s && *s && y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w;) {
			int n = text_at(c, x, r.x + r.w, y, s);

			ts_canvas_overlay(c, (struct ts_rect){x, y, n, n > 0}, over);
			some |= n > 0;
			x += n > 0 ? n : 1;
		}
	return some;
}

void
ts_canvas_cursor(struct ts_canvas *c, struct ts_rect r, int x, int y)
{
	struct ts_rect at = inside(r, x, y, 1, 1);

	c->cursor_x = c->cursor_y = -1;
	if (x < 0 || y < 0 || ts_rect_empty(ts_rect_clip(at, ts_canvas_rect(c))))
		return;
	c->cursor_x = at.x;
	c->cursor_y = at.y;
}

static void
dump_end_line(struct ts_strbuf *out, size_t begin)
{
	size_t len = out->len;

	while (len > begin && out->s[len - 1] == ' ')
		len--;
	if (len < out->len) {
		out->len = len;
		out->s[len] = '\0';
	}
	ts_strbuf_putc(out, '\n');
}

void
ts_canvas_dump(const struct ts_canvas *c, struct ts_strbuf *out)
{
	enum { PIECE = 512, LONGEST = 4 };
	char enc[PIECE + LONGEST];

	for (int y = 0; y < c->h; y++) {
		size_t begin = out->len, n = 0;

		for (int x = 0; x < c->w; x++) {
			const struct ts_cell *cell = ts_canvas_at(c, x, y);

			if (cell->width > 0)
				n += ts_utf8_encode(cell->cp, enc + n);
			if (n >= PIECE) {
				ts_strbuf_add(out, enc, n);
				n = 0;
			}
		}
		ts_strbuf_add(out, enc, n);
		dump_end_line(out, begin);
	}
}

static char
role_letter(const struct ts_cell *cell)
{
	enum ts_role role = cell->over		? cell->over
		: cell->cp == ' ' && cell->back ? cell->back
						: cell->role;

	return role == TS_ROLE_TEXT && cell->cp == ' ' ? ' ' : ts_roles[role].letter;
}

void
ts_canvas_dump_roles(const struct ts_canvas *c, struct ts_strbuf *out)
{
	for (int y = 0; y < c->h; y++) {
		size_t begin = out->len;

		for (int x = 0; x < c->w; x++)
			ts_strbuf_putc(out, role_letter(ts_canvas_at(c, x, y)));
		dump_end_line(out, begin);
	}
}
