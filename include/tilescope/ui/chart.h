/* SPDX-License-Identifier: MIT */
/*
 * chart - drawing of figures that somebody else computed, in cells.
 *
 * The pieces are put together by the view: cut the rectangle into axis, plot and strip
 * (ts_chart_frame), draw bands, then lines, marks and the cursor over it. A value array has one
 * element per column of the plot. Values may be anything: NaN and negative count as nothing there,
 * infinite as the top; a top that is not above 0 draws an empty plot.
 *
 * Three encodings: colour (roles), glyph (letters of the bands where the canvas is mono), and the
 * number on the read-out line, which is the view's.
 */
#ifndef TS_UI_CHART_H
#define TS_UI_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/base/fmt.h"
#include "tilescope/ui/canvas.h"

/* ---- frame ---- */

struct ts_chart_frame {
	struct ts_rect y;    /* labels of the y axis, left of the plot */
	struct ts_rect plot; /* one column per value */
	struct ts_rect x;    /* labels of the x axis, below the plot */
};

/* Cut r: `gutter` columns for the y axis (0 = none), `rows` rows for the x axis. */
struct ts_chart_frame ts_chart_frame(struct ts_rect r, int gutter, int rows);

/* Text of a tick: "384K", "1.2M". Returns out. */
typedef const char *ts_tick_fn(void *ctx, double v, char out[TS_FMT_MAX]);

/*
 * y axis from 0 (bottom) to top: round ticks `base` 2 or 10, right-aligned in f->y, with a tick
 * mark. Returns the columns that its widest label takes plus one (for the gutter of a later draw).
 */
int ts_chart_y_axis(struct ts_canvas *c, const struct ts_chart_frame *f, double top, int base,
	ts_tick_fn *tick, void *ctx);

/* Columns for the gutter of such an axis on a plot of h rows: nothing is drawn. */
int ts_chart_y_width(int h, double top, int base, ts_tick_fn *tick, void *ctx);

/* x axis in f->x from `from` (left edge) to `to` (right edge), round ticks with labels. */
void ts_chart_x_axis(struct ts_canvas *c, const struct ts_chart_frame *f, double from, double to,
	int base, ts_tick_fn *tick, void *ctx);

/* Texts at columns of the plot in row `row` of f->x ("ipu 0"); overlapping ones are left out. */
struct ts_chart_label {
	int column;
	const char *s;
	enum ts_role role;
};

void ts_chart_labels(struct ts_canvas *c, const struct ts_chart_frame *f, int row,
	const struct ts_chart_label *label, int n);

/* ---- areas ---- */

struct ts_band {
	const double *v; /* height of this band in each column, not cumulative; NULL = none */
	enum ts_role role;
	char letter; /* stands for it where there are no colours; 0 = blocks */
};

enum { TS_CHART_BANDS = 40 };

/*
 * Bands stacked from the bottom of the plot; eighth blocks where a band ends. One band is a
 * histogram, two are base and top, many that add up to `top` are shares.
 */
struct ts_area {
	int columns; /* elements of every array */
	int bands;
	const struct ts_band *band; /* from the bottom */
	double top;		    /* value at the upper edge of the plot */
	const double *outline;	    /* maximum of each column (from 0, not stacked); NULL = none */
	enum ts_role outline_role;  /* TS_ROLE_TEXT = OUTLINE */
	double line; /* value of the ts_chart_level() over it, whose side of it every end shows; 0 = none */
};

void ts_chart_area(struct ts_canvas *c, struct ts_rect plot, const struct ts_area *a);

/* A dashed line at a value with a label at its right end (NULL = none). Not above the top. */
void ts_chart_level(struct ts_canvas *c, struct ts_rect plot, double value, double top,
	enum ts_role role, const char *label);

/* The level's own words on the axis, where a tick of another value has its row. */
void ts_chart_level_tick(struct ts_canvas *c, const struct ts_chart_frame *f, double value,
	double top, enum ts_role role, const char *text);

/* A line down the plot where its cells are blank (where an IPU or a run ends). */
void ts_chart_divider(struct ts_canvas *c, struct ts_rect plot, int column, enum ts_role role);

/* The cursor's column: COLUMN laid over (COLUMN_OTHER without focus), glyphs stay. */
void ts_chart_cursor(struct ts_canvas *c, struct ts_rect plot, int column, bool focus);

/* ---- strips, lanes, bars ---- */

/*
 * Overview in one row: the maximum of each of n columns of the whole axis as eighths, brackets
 * around the visible columns [from, to), hits in another colour, and never empty; * where there are no colours. `hit` is
 * NULL or n flags.
 */
void ts_chart_strip(struct ts_canvas *c, struct ts_rect r, const double *v, int n, double top,
	int from, int to, const bool *hit);

/*
 * A lane: what a lane does in each column, as shares of its classes (bands with top 1); `start`
 * (NULL = none) flags the columns where another step begins: there, and where the class changes,
 * the class's letter is drawn. One row high or more. With one row a column shows its largest
 * class, and half of it the second one where that has a quarter or more. Without colours the
 * letter of the largest class stands in every column, and a `|` at a start.
 */
void ts_chart_lane(struct ts_canvas *c, struct ts_rect r, const struct ts_area *a,
	const bool *start);

/* A bar of r.w columns, one row high: segments of `whole`, the rest BAR_EMPTY. */
struct ts_segment {
	double v;
	enum ts_role role;
	char letter; /* without colours; 0 = blocks, in ASCII - = # */
};

void ts_chart_bar(struct ts_canvas *c, struct ts_rect r, const struct ts_segment *segment, int n,
	double whole);

/* Lay a role over those columns [from, to) of a plot that are not blank: an underline of the theme would show in those. */
void ts_chart_tint(struct ts_canvas *c, struct ts_rect plot, int from, int to, enum ts_role over);

/* Legend: sample (or letter) and name of each band, as many as fit, then how many more there are. Returns columns used. */
int ts_chart_legend(struct ts_canvas *c, struct ts_rect r, const struct ts_band *band,
	const char *const *name, int n);

#endif
