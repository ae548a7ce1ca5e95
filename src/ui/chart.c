/* SPDX-License-Identifier: MIT */
/*
 * chart - areas, lanes, strips and bars in cells.
 *
 * A cell is divided into eighths. Values become whole eighths once, at the edge (level()), which is
 * also the only place that looks at NaN, infinities and signs; everything behind it is small
 * integers. What is there but less than half an eighth is drawn as one: nothing vanishes.
 *
 * Areas are stacks of bands. A cell that lies in one band is a full block; where a band ends inside
 * of a cell, an eighth block has that band's colour and that of the widest one above it behind. Without
 * colours, or where there are only ASCII glyphs, a cell shows the letter of the band that has
 * its middle.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart.h"

enum {
	EIGHTHS = 8,
	FULL_BLOCK = 0x2588,
	LOWER_BLOCKS = 0x2580, /* + 1..8 eighths */
	LEFT_BLOCKS = 0x2590,  /* - 1..7 eighths: U+258F is one eighth */
	MIDDLE_DOT = 0xb7,
	DASH = 0x254c,
	LINE_H = 0x2500,
	LINE_V = 0x2502,
	LINE_V_DOTTED = 0x250a,
	TEE_LEFT = 0x2524,
	TEE_DOWN = 0x252c,
	SQUARE = 0x25a0,
	BELOW = 3, /* eighths of a cell, seen below a line through its middle, */
	ABOVE = 5  /* and above it */
};

/* Bands without a letter, where there are no colours. */
static const uint32_t shades[] = {FULL_BLOCK, 0x2592, 0x2591, 0x2593};

/* How high a line runs in its cell, by eighths 1..8: the scan lines of the DEC terminals. */
static const uint32_t scan_lines[EIGHTHS] = {0x23bd, 0x23bd, 0x23bc, 0x23bc, 0x23bb, 0x23bb, 0x23ba,
	0x23ba};

static double
positive(double v)
{
	return v > 0 ? v : 0;
}

/* v of top in 0..max parts. Anything above nothing is at least one part. */
static int
level(double v, double top, int max)
{
	int l;

	if (!(v > 0) || !(top > 0) || max <= 0)
		return 0;
	if (v >= top)
		return max;
	l = (int)(v / top * max + 0.5);
	return l < 1 ? 1 : l > max ? max : l;
}

/* The cell at x, y of a rectangle, or NULL. */
static const struct ts_cell *
cell_in(const struct ts_canvas *c, struct ts_rect r, int x, int y)
{
	int64_t ax = (int64_t)r.x + x, ay = (int64_t)r.y + y;

	if (ax < 0 || ay < 0 || ax >= c->w || ay >= c->h)
		return NULL;
	return ts_canvas_at(c, (int)ax, (int)ay);
}

/* Letters instead of areas? */
static bool
lettered(const struct ts_canvas *c)
{
	return c->mono || c->glyphs == TS_GLYPHS_ASCII;
}

/* ---- frame and axes ---- */

struct ts_chart_frame
ts_chart_frame(struct ts_rect r, int gutter, int rows)
{
	struct ts_chart_frame f;

	f.x = ts_rect_cut_bottom(&r, rows);
	f.y = ts_rect_cut_left(&r, gutter);
	ts_rect_cut_left(&f.x, gutter);
	f.plot = r;
	return f;
}

/* A round step so that a span (above 0, finite) has at most `ticks` of them. */
static double
round_step(double span, int ticks, int base)
{
	static const double parts[] = {0.1, 0.2, 0.5, 1, 2, 5, 10};
	double step = 1;

	if (base == 2) {
		while (step * ticks < span)
			step *= 2;
		while (step / 2 * ticks >= span)
			step /= 2;
		return step;
	}
	while (step * 10 <= span)
		step *= 10;
	while (step > span)
		step /= 10;
	for (size_t i = 0; i < TS_COUNT(parts); i++)
		if (span <= step * parts[i] * ticks)
			return step * parts[i];
	return step * 10;
}

static bool
sane_span(double span)
{
	return span > 1e-9 && span < 1e18;
}

/* Steps of a y axis: a label in every second row, in low plots in two of three. */
static int
y_ticks(int h)
{
	int low = h * 2 / 3;

	low = low > 5 ? 5 : low < 1 ? 1 : low;
	return h > 16 ? 8 : h / 2 > low ? h / 2 : low;
}

/* Bytes and counts have no parts. */
static double
y_step(int h, double top, int base)
{
	double step = round_step(top, y_ticks(h), base);

	return step < 1 && top >= 1 ? 1 : step;
}

/* The row of the plot (from its top) where a value lies. */
static int
y_row(int h, double v, double top)
{
	int l = level(v, top, h * EIGHTHS);

	return h - 1 - (l > 0 ? (l - 1) / EIGHTHS : 0);
}

int
ts_chart_y_width(int h, double top, int base, ts_tick_fn *tick, void *ctx)
{
	char text[TS_FMT_MAX];
	int widest = 0;
	double step;

	if (!sane_span(top) || h <= 0 || h > TS_CANVAS_MAX_H)
		return 0;
	step = y_step(h, top, base);
	for (int i = 0; i * step <= top * 1.000001; i++) {
		const char *s = tick(ctx, i * step, text);
		int w = ts_utf8_columns(s, strlen(s));

		widest = w > widest ? w : widest;
	}
	return widest + 1;
}

int
ts_chart_y_axis(struct ts_canvas *c, const struct ts_chart_frame *f, double top, int base,
	ts_tick_fn *tick, void *ctx)
{
	struct ts_rect labels = f->y, line = ts_rect_cut_right(&labels, 1);
	char text[TS_FMT_MAX];
	int last = f->plot.h;
	double step;

	ts_canvas_fill(c, line, TS_ROLE_AXIS, LINE_V);
	if (!sane_span(top) || f->plot.h <= 0 || f->plot.h > TS_CANVAS_MAX_H)
		return 0;
	step = y_step(f->plot.h, top, base);
	for (int i = 0; i * step <= top * 1.000001; i++) {
		int row = y_row(f->plot.h, i * step, top);

		if (row >= last)
			continue;
		last = row;
		ts_canvas_glyph(c, line, 0, row, TS_ROLE_AXIS, TEE_LEFT);
		ts_canvas_right(c, labels, 0, row, TS_ROLE_AXIS, tick(ctx, i * step, text));
	}
	return ts_chart_y_width(f->plot.h, top, base, tick, ctx);
}

void
ts_chart_x_axis(struct ts_canvas *c, const struct ts_chart_frame *f, double from, double to,
	int base, ts_tick_fn *tick, void *ctx)
{
	enum { LABEL = 10 }; /* columns that a tick and its label want */
	struct ts_rect row = ts_rect_row(f->x, f->x.h - 1);
	char text[TS_FMT_MAX], before[TS_FMT_MAX] = "";
	double step, first;
	int free_from = 0;

	if (f->x.h > 1)
		ts_canvas_hline(c, f->x, 0, 0, f->x.w, TS_ROLE_AXIS);
	if (!sane_span(to - from) || !(from > -1e18 && from < 1e18) || row.w <= 0 ||
		row.w > TS_CANVAS_MAX_W)
		return;
	step = round_step(to - from, row.w / LABEL + 1, base);
	first = (double)(int64_t)(from / step) * step;
	for (int i = 0; first + i * step < to && i < 2 * row.w; i++) {
		double v = first + i * step;
		int x = v >= from ? (int)((v - from) / (to - from) * row.w) : -1;
		const char *s = tick(ctx, v, text);
		int w = ts_utf8_columns(s, strlen(s));

		if (x < free_from || x + w > row.w || strcmp(s, before) == 0)
			continue; /* the same again: between two whole numbers there is none */
		snprintf(before, sizeof(before), "%s", s);
		ts_canvas_text(c, row, x, 0, TS_ROLE_AXIS, s);
		if (f->x.h > 1)
			ts_canvas_glyph(c, f->x, x, 0, TS_ROLE_AXIS, TEE_DOWN);
		free_from = x + w + 1;
	}
}

void
ts_chart_labels(struct ts_canvas *c, const struct ts_chart_frame *f, int row,
	const struct ts_chart_label *label, int n)
{
	struct ts_rect r = ts_rect_row(f->x, row);
	int free_from = 0;

	for (int i = 0; i < n; i++) {
		int w = label[i].s ? ts_utf8_columns(label[i].s, strlen(label[i].s)) : 0;

		if (w == 0 || label[i].column < free_from || w > r.w - label[i].column)
			continue;
		ts_canvas_text(c, r, label[i].column, 0, label[i].role, label[i].s);
		free_from = label[i].column + w + 1;
	}
}

/* ---- areas ---- */

/* One column of an area: end[b] = eighths from the bottom to the upper edge of band b. */
struct stack {
	int n;
	int end[TS_CHART_BANDS];
};

/*
 * Eighths of a column that ends at v. In the row of the area's line, which runs through the middle of its cells, an end that
 * is not above the line's value stays below the line, and one that is above it does not.
 */
static int
end_of(const struct ts_area *a, double v, int h)
{
	int l = level(v, a->top, h * EIGHTHS), line = level(a->line, a->top, h * EIGHTHS), k;

	if (l == 0 || line == 0)
		return l;
	k = (line - 1) / EIGHTHS;
	if ((l - 1) / EIGHTHS != k)
		return l;
	if (v > a->line)
		return l < k * EIGHTHS + ABOVE ? k * EIGHTHS + ABOVE : l;
	return l > k * EIGHTHS + BELOW ? k * EIGHTHS + BELOW : l;
}

static void
stack_column(struct stack *s, const struct ts_area *a, int x, int h)
{
	double sum = 0;

	s->n = a->bands < TS_CHART_BANDS ? a->bands : TS_CHART_BANDS;
	for (int b = 0; b < s->n; b++) {
		if (a->band[b].v)
			sum += positive(a->band[b].v[x]);
		s->end[b] = end_of(a, sum, h);
	}
}

static int
stack_top(const struct stack *s)
{
	return s->n > 0 ? s->end[s->n - 1] : 0;
}

/* The band that has eighth e (0 = the lowest), or -1. */
static int
band_at(const struct stack *s, int e)
{
	for (int b = 0; b < s->n; b++)
		if (e < s->end[b])
			return b;
	return -1;
}

static uint32_t
band_glyph(const struct ts_area *a, int b)
{
	if (a->band[b].letter)
		return (unsigned char)a->band[b].letter;
	return a->bands > 1 ? shades[b % (int)TS_COUNT(shades)] : FULL_BLOCK;
}

/* Cell k (0 = the lowest) of column x as the letter of the band in its middle. */
static void
letter_cell(struct ts_canvas *c, struct ts_rect plot, const struct ts_area *a,
	const struct stack *s, int x, int k)
{
	int b = band_at(s, k * EIGHTHS + EIGHTHS / 2 - 1), y = plot.h - 1 - k;

	if (b >= 0) {
		ts_canvas_glyph(c, plot, x, y, a->band[b].role, band_glyph(a, b));
		return;
	}
	b = band_at(s, k * EIGHTHS);
	if (b >= 0)
		ts_canvas_glyph(c, plot, x, y, a->band[b].role, LOWER_BLOCKS + 1);
}

/* The band that has most of the eighths [from, to), the lowest of equals. */
static int
widest_band(const struct stack *s, int from, int to)
{
	int widest = 0, most = -1;

	for (int b = 0, begin = 0; b < s->n; begin = s->end[b++]) {
		int n = (s->end[b] < to ? s->end[b] : to) - (begin > from ? begin : from);

		if (n > most) {
			most = n;
			widest = b;
		}
	}
	return widest;
}

/*
 * A cell has two colours: of the bands in it the lowest, which goes on from the cell below, and of those above it the one
 * with most of the cell. Where the column ends in it one of them is the ground: then the band with most goes up to the end.
 */
static void
block_cell(struct ts_canvas *c, struct ts_rect plot, const struct ts_area *a, const struct stack *s,
	int x, int k)
{
	int from = k * EIGHTHS, to = from + EIGHTHS, low = band_at(s, from), part;
	enum ts_role behind = TS_ROLE_TEXT;

	if (low < 0)
		return;
	part = (s->end[low] < to ? s->end[low] : to) - from;
	if (stack_top(s) < to) {
		part = stack_top(s) - from;
		low = widest_band(s, from, stack_top(s));
	} else if (part < EIGHTHS) {
		behind = a->band[widest_band(s, from + part, to)].role;
	}
	ts_canvas_glyph2(c, plot, x, plot.h - 1 - k, a->band[low].role, behind,
		(uint32_t)(LOWER_BLOCKS + part));
}

static enum ts_role
outline_role(const struct ts_area *a)
{
	return a->outline_role ? a->outline_role : TS_ROLE_OUTLINE;
}

/* Eighths to the outline of column x; 0 = none. */
static int
outline_level(const struct ts_area *a, int x, int h)
{
	return x >= 0 && x < a->columns ? end_of(a, a->outline[x], h) : 0;
}

/*
 * The cell in which both the area and the outline end: less than a row apart they are one edge, and the area
 * goes up to it. Among letters it is the block of the outline, which has the finer edge.
 */
static void
shared_cell(struct ts_canvas *c, struct ts_rect plot, const struct ts_area *a,
	const struct stack *s, int x, int k, int part)
{
	int from = k * EIGHTHS, area = stack_top(s) - from, y = plot.h - 1 - k;
	int band = widest_band(s, from, from + (area < EIGHTHS ? area : EIGHTHS));
	enum ts_role top = a->band[band].role, outline = outline_role(a);

	if (area > EIGHTHS) /* the area goes on above it */
		ts_canvas_glyph2(c, plot, x, y, outline, top, scan_lines[part - 1]);
	else if (area > part) /* a maximum below the mean: the area stays */
		return;
	else if (a->bands > 1 && lettered(c))
		ts_canvas_glyph(c, plot, x, y, outline, (uint32_t)(LOWER_BLOCKS + part));
	else
		ts_canvas_glyph(c, plot, x, y, top, (uint32_t)(LOWER_BLOCKS + part));
}

/*
 * The outline of one column: a line at its height; where it stands out from its neighbours a stem
 * below it, down to the higher of the lower neighbour and the area.
 */
static void
outline_column(struct ts_canvas *c, struct ts_rect plot, const struct ts_area *a,
	const struct stack *s, int x)
{
	enum ts_role role = outline_role(a);
	int l = outline_level(a, x, plot.h), k = (l - 1) / EIGHTHS, part = l - k * EIGHTHS;
	int left = outline_level(a, x > 0 ? x - 1 : x, plot.h);
	int right = outline_level(a, x + 1 < a->columns ? x + 1 : x, plot.h);
	int lower = left < right ? left : right, area = stack_top(s);

	if (l == 0)
		return;
	if (area > k * EIGHTHS) {
		shared_cell(c, plot, a, s, x, k, part);
		return;
	}
	ts_canvas_glyph(c, plot, x, plot.h - 1 - k, role, scan_lines[part - 1]);
	lower = lower > area ? lower : area;
	for (int stem = k - 1; stem >= 0 && stem * EIGHTHS >= lower; stem--)
		ts_canvas_glyph(c, plot, x, plot.h - 1 - stem, role, LINE_V);
}

void
ts_chart_area(struct ts_canvas *c, struct ts_rect plot, const struct ts_area *a)
{
	struct stack s;
	bool letters = lettered(c) && a->bands > 1;

	if (ts_rect_empty(plot) || plot.h > TS_CANVAS_MAX_H)
		return;
	for (int x = 0; x < a->columns && x < plot.w; x++) {
		stack_column(&s, a, x, plot.h);
		for (int k = 0; k < plot.h && k * EIGHTHS < stack_top(&s); k++)
			(letters ? letter_cell : block_cell)(c, plot, a, &s, x, k);
		if (a->outline)
			outline_column(c, plot, a, &s, x);
	}
}

/* ---- lines over areas ---- */

void
ts_chart_level(struct ts_canvas *c, struct ts_rect plot, double value, double top,
	enum ts_role role, const char *label)
{
	int row;

	if (!(value >= 0) || !(value <= top) || !(top > 0) || ts_rect_empty(plot) ||
		plot.h > TS_CANVAS_MAX_H)
		return;
	row = y_row(plot.h, value, top);
	for (int x = 0; x < plot.w && x < c->w; x++) {
		const struct ts_cell *cell = cell_in(c, plot, x, row);

		if (!cell || cell->cp == ' ')
			ts_canvas_glyph(c, plot, x, row, role, DASH);
		else if (cell->cp == FULL_BLOCK)
			ts_canvas_glyph2(c, plot, x, row, role, (enum ts_role)cell->role, LINE_H);
	}
	if (label && *label) {
		int w = ts_utf8_columns(label, strlen(label));

		if (w + 2 <= plot.w)
			ts_canvas_printf(c, plot, plot.w - w - 2, row, role, " %s ", label);
	}
}

void
ts_chart_level_tick(struct ts_canvas *c, const struct ts_chart_frame *f, double value, double top,
	enum ts_role role, const char *text)
{
	struct ts_rect labels = f->y, line = ts_rect_cut_right(&labels, 1);
	const struct ts_cell *cell;
	int row;

	if (!(value >= 0) || !(value <= top) || !(top > 0) || ts_rect_empty(f->plot) ||
		f->plot.h > TS_CANVAS_MAX_H)
		return;
	row = y_row(f->plot.h, value, top);
	cell = cell_in(c, line, 0, row);
	if (!cell || cell->cp != TEE_LEFT || ts_utf8_columns(text, strlen(text)) > labels.w)
		return;
	ts_canvas_fill(c, ts_rect_row(labels, row), TS_ROLE_AXIS, ' ');
	ts_canvas_right(c, labels, 0, row, role, text);
}

void
ts_chart_divider(struct ts_canvas *c, struct ts_rect plot, int column, enum ts_role role)
{
	for (int y = 0; y < plot.h && y < TS_CANVAS_MAX_H && column >= 0 && column < plot.w; y++) {
		const struct ts_cell *cell = cell_in(c, plot, column, y);

		if (cell && cell->cp == ' ' && cell->back == TS_ROLE_TEXT)
			ts_canvas_glyph(c, plot, column, y, role, LINE_V_DOTTED);
	}
}

void
ts_chart_cursor(struct ts_canvas *c, struct ts_rect plot, int column, bool focus)
{
	struct ts_rect r = plot;

	if (column < 0 || column >= plot.w)
		return;
	ts_rect_cut_left(&r, column);
	ts_canvas_overlay(c, ts_rect_cut_left(&r, 1),
		focus ? TS_ROLE_COLUMN : TS_ROLE_COLUMN_OTHER);
}

void
ts_chart_tint(struct ts_canvas *c, struct ts_rect plot, int from, int to, enum ts_role over)
{
	for (int x = from > 0 ? from : 0; x < to && x < plot.w && x < TS_CANVAS_MAX_W; x++)
		for (int y = 0; y < plot.h && y < TS_CANVAS_MAX_H; y++) {
			const struct ts_cell *cell = cell_in(c, plot, x, y);

			if (cell && (cell->cp != ' ' || cell->back != TS_ROLE_TEXT))
				ts_canvas_overlay(c, (struct ts_rect){plot.x + x, plot.y + y, 1, 1},
					over);
		}
}

/* ---- strips, lanes, bars ---- */

void
ts_chart_strip(struct ts_canvas *c, struct ts_rect r, const double *v, int n, double top, int from,
	int to, const bool *hit)
{
	r = ts_rect_row(r, 0);
	for (int x = 0; x < n && x < r.w; x++) {
		bool inside = x >= from && x < to, found = hit && hit[x];
		int l = level(v[x], top, EIGHTHS);

		if (found && l == 0)
			l = 1;
		if (found && c->mono) { /* an attribute is hardly seen on a low bar */
			ts_canvas_glyph(c, r, x, 0, TS_ROLE_MARK, '*');
			continue;
		}
		ts_canvas_glyph(c, r, x, 0,
			found		 ? TS_ROLE_MARK
				: inside ? TS_ROLE_STRIP_VISIBLE
					 : TS_ROLE_STRIP,
			l > 0 ? (uint32_t)(LOWER_BLOCKS + l) : ' ');
	}
	if (from >= 0 && to > from && to <= n) {
		ts_canvas_glyph(c, r, from, 0, TS_ROLE_MARK, to - from > 1 ? '[' : '|');
		if (to - from > 1)
			ts_canvas_glyph(c, r, to - 1, 0, TS_ROLE_MARK, ']');
	}
}

/* What a lane does in a column: the largest class and the second, and how full it is. */
struct lane_column {
	int first, second; /* bands, -1 = none */
	double v1, v2, sum;
};

static struct lane_column
lane_column(const struct ts_area *a, int x)
{
	struct lane_column l = {-1, -1, 0, 0, 0};

	for (int b = 0; b < a->bands && b < TS_CHART_BANDS; b++) {
		double v = a->band[b].v ? positive(a->band[b].v[x]) : 0;

		l.sum += v;
		if (v > l.v1) {
			l.second = l.first;
			l.v2 = l.v1;
			l.first = b;
			l.v1 = v;
		} else if (v > l.v2) {
			l.second = b;
			l.v2 = v;
		}
	}
	return l;
}

static uint32_t
letter_of(const struct ts_area *a, int b)
{
	return a->band[b].letter ? (unsigned char)a->band[b].letter : '#';
}

/* One cell of a lane that is one row high. */
static void
lane_cell(struct ts_canvas *c, struct ts_rect r, const struct ts_area *a, int x, bool letter)
{
	struct lane_column l = lane_column(a, x);
	int part = level(l.sum, a->top, EIGHTHS);
	enum ts_role role;

	if (l.first < 0 || part == 0)
		return;
	role = a->band[l.first].role;
	if (lettered(c))
		ts_canvas_glyph(c, r, x, 0, role, letter_of(a, l.first));
	else if (letter)
		ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, role, letter_of(a, l.first));
	else if (part < EIGHTHS - 1)
		ts_canvas_glyph(c, r, x, 0, role, (uint32_t)(LOWER_BLOCKS + part));
	else if (l.second >= 0 && l.v2 * 4 >= l.sum)
		ts_canvas_glyph2(c, r, x, 0, a->band[l.second].role, role, LOWER_BLOCKS + 4);
	else
		ts_canvas_glyph(c, r, x, 0, role, FULL_BLOCK);
}

/* A lane of several rows: the area, and letters where steps begin. */
static void
tall_lane(struct ts_canvas *c, struct ts_rect r, const struct ts_area *a, const bool *start)
{
	struct ts_rect row = ts_rect_row(r, r.h - 1);

	ts_chart_area(c, r, a);
	for (int x = 0; x < a->columns && x < r.w && start && !lettered(c); x++) {
		struct lane_column l = lane_column(a, x);

		if (start[x] && l.first >= 0 && (x == 0 || lane_column(a, x - 1).first != l.first))
			ts_canvas_glyph2(c, row, x, 0, TS_ROLE_INK, a->band[l.first].role,
				letter_of(a, l.first));
	}
}

void
ts_chart_lane(struct ts_canvas *c, struct ts_rect r, const struct ts_area *a, const bool *start)
{
	int before = -1;

	if (ts_rect_empty(r))
		return;
	if (r.h > 1) {
		tall_lane(c, r, a, start);
		return;
	}
	for (int x = 0; x < a->columns && x < r.w; x++) {
		int class = lane_column(a, x).first;
		bool begins = start && start[x];
		bool alone = !start || x + 1 >= a->columns || !start[x + 1];

		lane_cell(c, r, a, x, begins || class != before);
		if (lettered(c) && begins && alone)
			ts_canvas_glyph(c, r, x, 0, TS_ROLE_BOUNDARY, '|');
		before = class;
	}
}

/*
 * Without colours: the letter of the segment in the middle of the cell. Where the bar ends before that, or there is no
 * letter, a block of as much of the cell as there is.
 */
static void
bar_letter(struct ts_canvas *c, struct ts_rect r, const struct ts_segment *segment,
	const struct stack *s, int x)
{
	int from = x * EIGHTHS, part = stack_top(s) - from;
	int middle = band_at(s, from + EIGHTHS / 2 - 1);
	int at = middle >= 0 ? middle : band_at(s, from);
	uint32_t glyph = part < EIGHTHS ? (uint32_t)(LEFT_BLOCKS - part) : FULL_BLOCK;

	if (middle >= 0 && segment[middle].letter)
		glyph = (unsigned char)segment[middle].letter;
	ts_canvas_glyph(c, r, x, 0, segment[at].role, glyph);
}

/* One cell of a bar, from its left eighth: the segment there, and the one that follows in it. */
static void
bar_cell(struct ts_canvas *c, struct ts_rect r, const struct ts_segment *segment,
	const struct stack *s, int x)
{
	int from = x * EIGHTHS, left = band_at(s, from), right = band_at(s, from + EIGHTHS - 1);
	int part;

	if (left < 0)
		return;
	if (lettered(c)) {
		bar_letter(c, r, segment, s, x);
		return;
	}
	part = s->end[left] - from;
	ts_canvas_glyph2(c, r, x, 0, segment[left].role,
		part < EIGHTHS && right > left ? segment[right].role : TS_ROLE_TEXT,
		part < EIGHTHS ? (uint32_t)(LEFT_BLOCKS - part) : FULL_BLOCK);
}

void
ts_chart_bar(struct ts_canvas *c, struct ts_rect r, const struct ts_segment *segment, int n,
	double whole)
{
	struct stack s = {.n = n < TS_CHART_BANDS ? n : TS_CHART_BANDS};
	double sum = 0;

	r = ts_rect_row(r, 0);
	if (ts_rect_empty(r))
		return;
	if (r.w > TS_CANVAS_MAX_W)
		r.w = TS_CANVAS_MAX_W;
	for (int i = 0; i < s.n; i++) {
		sum += positive(segment[i].v);
		s.end[i] = level(sum, whole, r.w * EIGHTHS);
	}
	ts_canvas_fill(c, r, TS_ROLE_BAR_EMPTY, MIDDLE_DOT);
	for (int x = 0; x < r.w; x++)
		bar_cell(c, r, segment, &s, x);
}

int
ts_chart_legend(struct ts_canvas *c, struct ts_rect r, const struct ts_band *band,
	const char *const *name, int n)
{
	enum { GAP = 2, MORE = 3 }; /* between two of them; "+99" */
	struct ts_area a = {.bands = n, .band = band};
	int x = 0;

	r = ts_rect_row(r, 0);
	for (int i = 0; i < n; i++) {
		int w = 2 + ts_utf8_columns(name[i], strlen(name[i]));

		if (w + (i + 1 < n ? GAP + MORE : 0) > r.w - x) {
			if (MORE <= r.w - x)
				x = GAP + ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, "+%d", n - i);
			break;
		}
		ts_canvas_glyph(c, r, x, 0, band[i].role, lettered(c) ? band_glyph(&a, i) : SQUARE);
		ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, name[i]);
		x += w + GAP;
	}
	return x > GAP ? x - GAP : 0;
}
