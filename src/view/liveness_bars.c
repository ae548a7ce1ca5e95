/* SPDX-License-Identifier: MIT */
/*
 * liveness_bars - a bar for each lifetime, over the steps that the graph shows: full where a program names the variable,
 * shaded where it lies idle, a double line where no program names it.
 */
#include "config.h"

#include <stdio.h>

#include "liveness_lifetimes.h"

enum { USED = 0x2588, IDLE = 0x2591, ALIVE = 0x2550 };

/* Does a piece reach into the steps [from, to)? `at` only grows. */
static bool
reaches(const struct ts_live_piece *p, uint32_t n, uint32_t *at, int64_t from, int64_t to)
{
	while (*at < n && (int64_t)p[*at].end <= from)
		++*at;
	return *at < n && (int64_t)p[*at].start < to;
}

static void
draw_bar(struct ts_canvas *c, const struct lifetimes_tab *d, const struct ts_lifetime *row, int y)
{
	const struct ts_live_piece *life = d->made.piece + row->life,
				   *use = d->made.piece + row->use;
	const struct liveness *s = d->s;
	struct ts_span span = s->span;
	uint32_t at = 0, used = 0;

	ts_span_resize(&span, d->bars.w);
	ts_span_show(&span, s->span.from, s->span.to);
	for (int x = 0; x < d->bars.w; x++) {
		int64_t a, b, from, to;

		ts_span_bucket(&span, x, &a, &b);
		from = s->src.line.step[a];
		to = s->src.line.step[b - 1] + 1;
		if (!reaches(life, row->lives, &at, from, to))
			continue;
		if (row->idle == TS_UNKNOWN)
			ts_canvas_glyph(c, d->bars, x, y, TS_ROLE_FILL, ALIVE);
		else if (reaches(use, row->uses, &used, from, to))
			ts_canvas_glyph(c, d->bars, x, y, TS_ROLE_FILL, USED);
		else
			ts_canvas_glyph(c, d->bars, x, y, TS_ROLE_BASE, IDLE);
	}
}

/* Above the bars: which steps these are. */
static void
draw_scale(struct ts_canvas *c, const struct lifetimes_tab *d)
{
	const struct liveness *s = d->s;
	struct ts_rect r = ts_rect_row(d->bars, 0);
	char n[TS_FMT_MAX], m[TS_FMT_MAX + 8];

	ts_canvas_printf(c, r, 0, 0, TS_ROLE_HEADER, "step %s",
		ts_fmt_count(n, s->src.line.step[s->span.from]));
	snprintf(m, sizeof(m), "%s", ts_fmt_count(n, s->src.line.step[s->span.to - 1]));
	ts_canvas_right(c, r, 0, 0, TS_ROLE_HEADER, m);
}

void
live_draw_bars(struct ts_canvas *c, const struct lifetimes_tab *d)
{
	const struct liveness *s = d->s;
	struct ts_span span = s->span;
	int64_t from, to;
	int cursor;

	if (d->bars.w < 2 || d->bars.h < 2)
		return;
	draw_scale(c, d);
	ts_list_window(&d->l.list, &from, &to);
	for (int64_t place = from; place < to; place++) {
		int64_t row = ts_table_row(&d->l.table, place);

		if (row >= 0 && row < d->made.rows && place - from + 1 < d->bars.h)
			draw_bar(c, d, &d->made.row[row], (int)(place - from) + 1);
	}
	ts_span_resize(&span, d->bars.w);
	ts_span_show(&span, s->span.from, s->span.to);
	cursor = ts_span_column(&span, s->span.cursor);
	ts_chart_cursor(c, (struct ts_rect){d->bars.x, d->bars.y + 1, d->bars.w, d->bars.h - 1},
		cursor, false);
}
