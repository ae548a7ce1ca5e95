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
	[BAR_ALIVE] = {TS_ROLE_FILL, TS_ROLE_REST, 0x2550,
		"alive, not known whether idle: no program is known to name it", "not known"},
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

int
live_bars_legend(struct ts_canvas *c, struct ts_rect r, int x, bool unknown)
{
	for (int i = 0; i < BAR_NOTHING - !unknown; i++) {
		ts_canvas_glyph(c, r, x, 0, looks[i].role, looks[i].glyph);
		x = ts_canvas_text(c, r, x + 2, 0, TS_ROLE_DIM, looks[i].word) + 3;
	}
	return x;
}

/* Above the bars: which steps these are, and what a bar says where there is room (true). */
static bool
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
		return false;
	live_bars_legend(c, r, x, unknown);
	return true;
}

bool
live_draw_bars(struct ts_canvas *c, const struct lifetimes_tab *d)
{
	const struct liveness *s = d->s;
	struct ts_span span = s->span;
	int64_t from, to;
	int cursor;
	bool legend;

	if (d->bars.w < 2 || d->bars.h < 2)
		return true;
	legend = draw_scale(c, d);
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
	return legend;
}

/* --- on paper --------------------------------------------------------------------------------- */

/* From where on the end of a name is within `columns` and `bytes`. */
static const char *
name_end(const char *name, size_t n, int columns, size_t bytes)
{
	const char *s = name + (n > bytes ? ts_utf8_cut(name, n, n - bytes) : 0);
	uint32_t cp;

	while (*s && (ts_utf8_columns(s, strlen(s)) > columns || strlen(s) > bytes))
		s += ts_utf8_next(s, strlen(s), &cp);
	return s;
}

/* How many bytes at its begin are. */
static size_t
name_begin(const char *name, size_t n, int columns, size_t bytes)
{
	uint32_t cp;
	size_t at = 0;

	for (int x = 0; at < n; columns -= x) {
		size_t used = ts_utf8_next(name + at, n - at, &cp);

		x = ts_utf8_columns(name + at, used);
		if (x > columns || at + used > bytes)
			break;
		at += used;
	}
	return at;
}

/* A name, of a long one a third from its begin and the rest from its end, with the bytes of the variable behind it. */
static void
lane_name(char out[TS_PAGE_LANE], const char *name, const char *bytes)
{
	enum { NAME_BYTES = TS_PAGE_LANE - TS_FMT_MAX - 8, BEGIN = 3 /* one part of so many */ };
	int columns = TS_PAGE_LANE_WIDE - (int)strlen(bytes) - 2;
	size_t n = strlen(name), front;
	const char *end;

	if (n <= NAME_BYTES && ts_utf8_columns(name, n) <= columns) {
		snprintf(out, TS_PAGE_LANE, "%s  %s", name, bytes);
		return;
	}
	columns--; /* the sign of what is left out */
	front = name_begin(name, n, columns / BEGIN, NAME_BYTES / BEGIN);
	end = name_end(name + front, n - front, columns - columns / BEGIN,
		NAME_BYTES - NAME_BYTES / BEGIN);
	snprintf(out, TS_PAGE_LANE, "%.*s…%s  %s", (int)front, name, end, bytes);
}

static void
fill_lane(const struct lifetimes_tab *d, int64_t row, struct ts_chart_page *page, int lane,
	double *band[BAR_NOTHING])
{
	enum bar_state state[TS_CANVAS_MAX_W];
	char buf[LIFETIME_NAME], bytes[TS_FMT_MAX];

	look(d, &d->rows->made.row[row], page->columns, state);
	for (int x = 0; x < page->columns; x++)
		if (state[x] != BAR_NOTHING)
			band[state[x]][lane * page->columns + x] = 1;
	lane_name(page->lane[lane], live_lifetime_name(d->rows, row, buf),
		ts_fmt_bytes(bytes, d->rows->made.row[row].bytes, live_units(d->s)));
}

/* What is drawn, of what, in which order. */
static void
name_page(const struct lifetimes_tab *d, struct ts_chart_page *page)
{
	const struct ts_table_order *o = &d->l.order;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], source[LIVE_SOURCE], part[80] = "", filter[80] = "",
								at[TS_FMT_MAX + 20] = "";

	snprintf(page->title, sizeof(page->title), "When %s variables of %.70s are alive",
		d->rows->of_marked ? "marked" : "the",
		live_source_name(source, sizeof(source), d->s, &d->s->shown));
	if (page->lanes < d->l.list.count)
		snprintf(part, sizeof(part), "the first %d of %s, ", page->lanes,
			ts_fmt_count(n, d->l.list.count));
	else if (live_lifetimes_some(d->rows) && !o->filter[0])
		snprintf(part, sizeof(part), "%d of %s, ", page->lanes,
			ts_fmt_count(n, d->rows->count));
	if (o->filter[0])
		snprintf(filter, sizeof(filter), ", only those with %.50s", o->filter);
	if (!d->rows->of_marked)
		snprintf(at, sizeof(at), "alive at step %s, ", ts_fmt_count(m, live_step(d->s)));
	snprintf(page->subtitle, sizeof(page->subtitle),
		"%s%ssorted by %.30s%s%s; idle: its program does not name the variable", part, at,
		o->sorted < 0 ? "the most bytes x idle" : d->l.table.column[o->sorted].title,
		o->sorted >= 0 && o->descending ? " downwards" : "", filter);
}

bool
live_bars_chart(const struct lifetimes_tab *d, struct ts_chart_page *page)
{
	const struct liveness *s = d->s;
	struct ts_span span = s->span;
	double *band[BAR_NOTHING];
	int64_t to = ts_min_i64(d->l.list.count, TS_PAGE_LANES_MAX);

	if (!d->rows || to <= 0 || s->src.line.count == 0)
		return false;
	ts_span_resize(&span, (int)ts_min_i64(page->columns, TS_CANVAS_MAX_W));
	page->columns = span.columns;
	page->kind = TS_PAGE_LANES;
	page->lanes = (int)to;
	name_page(d, page);
	page->x = (struct ts_page_axis){.from = (double)s->span.from,
		.to = (double)s->span.to,
		.base = 10,
		.tick = live_step_tick,
		.ctx = (void *)s};
	snprintf(page->x.title, sizeof(page->x.title), "liveness step");
	snprintf(page->y.title, sizeof(page->y.title), "variable, its bytes");
	ts_chart_page_label(page, (double)s->span.cursor, TS_ROLE_MARK, true, "step %lld",
		(long long)live_step(s));
	for (int i = 0; i < BAR_NOTHING; i++) {
		band[i] = ts_chart_page_band(page, looks[i].name, looks[i].on_paper);
		if (!band[i])
			return false;
	}
	ts_chart_page_hatch(page); /* BAR_ALIVE, the last: what is not known is the faintest */
	for (int64_t place = 0; place < to; place++) {
		int64_t row = ts_table_row(&d->l.table, place);

		if (row >= 0 && row < live_lifetimes_count(d))
			fill_lane(d, row, page, (int)place, band);
	}
	ts_chart_page_forget_empty(page);
	return true;
}
