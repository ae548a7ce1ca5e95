/* SPDX-License-Identifier: MIT */
/*
 * span - the visible part of a chart's x axis, its cursor, zoom and pan: for charts what list is
 * for rows.
 *
 * The axis is a range of whole units [0, count): tiles, steps, cycles. [from, to) of it is visible
 * on `columns` columns of the screen. Column i shows the units [a, b) of ts_span_bucket(): all
 * arithmetic is in integers (128 bits inside), so that buckets tile the range without gap or
 * overlap for any count up to 2^61. When there are fewer units than columns a unit takes several.
 */
#ifndef TS_UI_SPAN_H
#define TS_UI_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/ui/command.h"
#include "tilescope/ui/effect.h"

#define TS_SPAN_MAX ((int64_t)1 << 61)

struct ts_span {
	int64_t count;	  /* units of the whole axis; 0 = empty */
	int64_t from, to; /* visible, 0 <= from < to <= count */
	int64_t cursor;	  /* unit under the cursor: from <= cursor < to */
	int64_t least;	  /* zooming in stops at so many units (at least 1) */
	int columns;	  /* of the plot; 0 before the first resize */
};

void ts_span_init(struct ts_span *s);

/* Units of the whole axis. A span that showed all shows all again; else clamped. */
void ts_span_set_count(struct ts_span *s, int64_t count);

void ts_span_resize(struct ts_span *s, int columns);

/* Show [from, to), clamped. */
enum ts_effect ts_span_show(struct ts_span *s, int64_t from, int64_t to);

/* Put the cursor on a unit; the range moves (not zooms) when it is outside. */
enum ts_effect ts_span_go(struct ts_span *s, int64_t unit);

/*
 * LEFT, RIGHT (one column), PAGE_LEFT, PAGE_RIGHT, HALF_UP/HALF_DOWN and PAGE_UP/PAGE_DOWN (as
 * left and right), FIRST, LAST, ZOOM_IN, ZOOM_OUT (by 2 about the cursor, which keeps its column),
 * ZOOM_FIT. Effects as ts_list_command().
 */
enum ts_effect ts_span_command(struct ts_span *s, enum ts_cmd cmd);

/* Units of column i, half-open; never empty for 0 <= i < columns when count > 0. */
void ts_span_bucket(const struct ts_span *s, int i, int64_t *a, int64_t *b);

/* The first column that shows a unit; -1 when it is not visible. */
int ts_span_column(const struct ts_span *s, int64_t unit);

/* The same on an axis that shows all of it in `columns` columns (overview strip). */
int ts_span_overview(const struct ts_span *s, int columns, int64_t unit);

/* Is everything visible? */
bool ts_span_whole(const struct ts_span *s);

#endif
