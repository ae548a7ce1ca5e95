/* SPDX-License-Identifier: MIT */
/*
 * liveness_bars - a bar for each lifetime, over the steps that the graph shows: full where a program names the variable,
 * shaded where it lies idle, a double line where no program names it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "liveness_lifetimes.h"

enum bar_state { BAR_USED, BAR_IDLE, BAR_ALIVE, BAR_NOTHING };

static const struct {
	enum ts_role role, on_paper; /* a shade is no colour of its own there */
	uint32_t glyph;
	const char *name, *word; /* the word is that of the line above the bars */
} looks[BAR_NOTHING] = {
	[BAR_USED] = {TS_ROLE_FILL, TS_ROLE_FILL, 0x2588, "a program names it", "used"},
	[BAR_IDLE] = {TS_ROLE_BASE, TS_ROLE_REST, 0x2591, "alive, idle", "idle"},
	[BAR_ALIVE] = {TS_ROLE_FILL, TS_ROLE_BASE, 0x2550, "alive, no program is known to name it",
		"not known"},
};

/* Does a piece reach into the steps [from, to)? `at` only grows. */
static bool
reaches(const struct ts_live_piece *p, uint32_t n, uint32_t *at, int64_t from, int64_t to)
{
	while (*at < n && (int64_t)p[*at].end <= from)
		++*at;
	return *at < n && (int64_t)p[*at].start < to;
}

/* What a variable is in the columns of a chart of the steps in sight. */
static void
look(const struct lifetimes_tab *d, const struct ts_lifetime *row, int columns,
	enum bar_state state[TS_CANVAS_MAX_W])
{
	const struct ts_live_piece *life = d->rows->made.piece + row->life,
				   *use = d->rows->made.piece + row->use;
	const struct liveness *s = d->s;
	struct ts_span span = s->span;
	uint32_t at = 0, used = 0;

	ts_span_resize(&span, columns);
	ts_span_show(&span, s->span.from, s->span.to);
	for (int x = 0; x < columns; x++) {
		int64_t a, b, from, to;

		ts_span_bucket(&span, x, &a, &b);
		from = s->src.line.step[a];
		to = s->src.line.step[b - 1] + 1;
		state[x] = !reaches(life, row->lives, &at, from, to) ? BAR_NOTHING
			: row->idle == TS_UNKNOWN		     ? BAR_ALIVE
			: reaches(use, row->uses, &used, from, to)   ? BAR_USED
								     : BAR_IDLE;
	}
}

static void
draw_bar(struct ts_canvas *c, const struct lifetimes_tab *d, const struct ts_lifetime *row, int y)
{
	enum bar_state state[TS_CANVAS_MAX_W];
	int w = d->bars.w < TS_CANVAS_MAX_W ? d->bars.w : TS_CANVAS_MAX_W;

	look(d, row, w, state);
	for (int x = 0; x < w; x++)
		if (state[x] != BAR_NOTHING)
			ts_canvas_glyph(c, d->bars, x, y, looks[state[x]].role,
				looks[state[x]].glyph);
}

/* Above the bars: which steps these are, and what a bar says where there is room. */
static void
draw_scale(struct ts_canvas *c, const struct lifetimes_tab *d)
{
	enum { LEGEND = 24, WITH_UNKNOWN = LEGEND + 14 };
	const struct liveness *s = d->s;
	struct ts_rect r = ts_rect_row(d->bars, 0);
	char n[TS_FMT_MAX];
	bool unknown = false;
	int64_t from, to;
	int x, last;

	ts_list_window(&d->l.list, &from, &to);
	for (int64_t place = from; place < to; place++) {
		int64_t row = ts_table_row(&d->l.table, place);

		unknown |= row >= 0 && row < live_lifetimes_count(d) &&
			d->rows->made.row[row].idle == TS_UNKNOWN;
	}
	x = ts_canvas_printf(c, r, 0, 0, TS_ROLE_HEADER, "step %s",
		ts_fmt_count(n, s->src.line.step[s->span.from]));
	ts_fmt_count(n, s->src.line.step[s->span.to - 1]);
	last = (int)strlen(n);
	ts_canvas_right(c, r, 0, 0, TS_ROLE_HEADER, n);
	x += 3;
	if (r.w - last - x < (unknown ? WITH_UNKNOWN : LEGEND))
		return;
	for (int i = 0; i < BAR_NOTHING - !unknown; i++) {
		ts_canvas_glyph(c, r, x, 0, looks[i].role, looks[i].glyph);
		x = ts_canvas_text(c, r, x + 2, 0, TS_ROLE_DIM, looks[i].word) + 3;
	}
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

		if (row >= 0 && row < live_lifetimes_count(d) && place - from + 1 < d->bars.h)
			draw_bar(c, d, &d->rows->made.row[row], (int)(place - from) + 1);
	}
	ts_span_resize(&span, d->bars.w);
	ts_span_show(&span, s->span.from, s->span.to);
	cursor = ts_span_column(&span, s->span.cursor);
	ts_chart_cursor(c, (struct ts_rect){d->bars.x, d->bars.y + 1, d->bars.w, d->bars.h - 1},
		cursor, false);
}

/* --- on paper --------------------------------------------------------------------------------- */

/* The end of a name, where there is little room beside a lane. */
static void
lane_name(char out[TS_PAGE_LANE], const char *name)
{
	enum { COLUMNS = 10 };
	uint32_t cp;
	const char *s = name;

	while (*s && ts_utf8_columns(s, strlen(s)) > COLUMNS)
		s += ts_utf8_next(s, strlen(s), &cp);
	snprintf(out, TS_PAGE_LANE, "%s%.24s", s > name ? "…" : "", s);
}

static void
fill_lane(const struct lifetimes_tab *d, int64_t row, struct ts_chart_page *page, int lane,
	double *band[BAR_NOTHING])
{
	enum bar_state state[TS_CANVAS_MAX_W];
	char buf[LIFETIME_NAME];

	look(d, &d->rows->made.row[row], page->columns, state);
	for (int x = 0; x < page->columns; x++)
		if (state[x] != BAR_NOTHING)
			band[state[x]][lane * page->columns + x] = 1;
	lane_name(page->lane[lane], live_lifetime_name(d->rows, row, buf));
}

bool
live_bars_chart(const struct lifetimes_tab *d, struct ts_chart_page *page)
{
	const struct liveness *s = d->s;
	struct ts_span span = s->span;
	double *band[BAR_NOTHING];
	int64_t from, to;

	ts_list_window(&d->l.list, &from, &to);
	to = ts_min_i64(to, from + TS_PAGE_LANES_MAX);
	if (!d->rows || from >= to || s->src.line.count == 0)
		return false;
	ts_span_resize(&span, (int)ts_min_i64(page->columns, TS_CANVAS_MAX_W));
	page->columns = span.columns;
	page->kind = TS_PAGE_LANES;
	page->lanes = (int)(to - from);
	snprintf(page->title, sizeof(page->title), "When variables are alive");
	snprintf(page->subtitle, sizeof(page->subtitle),
		"idle: steps whose program does not name the variable");
	page->x = (struct ts_page_axis){.from = (double)s->span.from,
		.to = (double)s->span.to,
		.base = 10,
		.tick = live_step_tick,
		.ctx = (void *)s};
	snprintf(page->x.title, sizeof(page->x.title), "liveness step");
	for (int i = 0; i < BAR_NOTHING; i++) {
		band[i] = ts_chart_page_band(page, looks[i].name, looks[i].on_paper);
		if (!band[i])
			return false;
	}
	for (int64_t place = from; place < to; place++) {
		int64_t row = ts_table_row(&d->l.table, place);

		if (row >= 0 && row < live_lifetimes_count(d))
			fill_lane(d, row, page, (int)(place - from), band);
	}
	ts_chart_page_forget_empty(page);
	return true;
}
