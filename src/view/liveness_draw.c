/* SPDX-License-Identifier: MIT */
/*
 * liveness_draw - the Liveness view on the canvas.
 *
 * What the columns show is worked out when the range, the width or the data has changed (one look over
 * the visible points, and one over all of them for the strip), and kept: a frame that only moves the
 * cursor costs its cells.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/rows.h"

#include "liveness_internal.h"

enum {
	MARKS_FROM = 7, /* rows of the graph's pane from which the parts are drawn */
	TITLE_FROM = 5,
	AXIS_FROM = 4,
	SECOND_FROM = 10,
	NARROW = 66,	 /* columns below which the read-out is short */
	TOTALS_FROM = 9, /* rows of the table's pane from which all totals are drawn */
	POINTER = 0x25bc,
	GUTTER = 5,
	OF_MEMORY = 44, /* columns that the share of the memory may take */
	PEAKS_MARKED = 99,
	ALL_BUT = 100, /* alive but for one step in so many: said so */
};

static const struct ts_layout_item layout[] = {
	{.depth = 0, .kind = TS_SPLIT_ROWS},
	{.depth = 1, .kind = TS_PANE, .id = LIVE_STRIP, .fixed = 1, .keep = 1},
	{.depth = 1, .kind = TS_PANE, .id = LIVE_GRAPH, .weight = 3, .min = 6, .keep = 3},
	{.depth = 1, .kind = TS_PANE, .id = LIVE_TABLE, .weight = 2, .min = 5, .keep = 2},
};

static enum ts_units
units(const struct liveness *s)
{
	return s->v.env->options->units;
}

static const char *
bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	return ts_fmt_bytes_short(out, v < (double)TS_NUMBER_MAX ? (int64_t)v : TS_NUMBER_MAX,
		units(ctx));
}

/* Ticks lie on points; what stands there is the number of the step. */
static const char *
step_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct liveness *s = ctx;
	int64_t point = ts_clamp_i64((int64_t)v, 0, (int64_t)s->line.count - 1);

	return ts_fmt_count(out, s->line.step[point]);
}

/* --- figures of the graph --------------------------------------------------------------------- */

/* Bytes below what is not always live, as far as they are known and shown. */
static double
base_bytes(const struct liveness *s)
{
	return s->no_base || s->line.always_live == TS_UNKNOWN ? 0 : (double)s->line.always_live;
}

/* The highest value of the graph, and whether the memory of all tiles is in sight with it. */
static double
graph_top(const struct liveness *s, bool *limit)
{
	double high = base_bytes(s), memory = (double)s->line.memory;

	if (s->line.peaks.count > 0)
		high += (double)s->line.peaks.peak[0].height * (double)s->line.replicas;
	*limit = !s->no_base && s->line.memory != TS_UNKNOWN && memory < 1.6 * high;
	if (*limit && memory > high)
		high = memory;
	return high > 0 ? high * 1.02 : 1;
}

static int
tick_base(const struct liveness *s)
{
	return units(s) == TS_UNITS_KIB ? 2 : 10;
}

void
live_parts(struct live_parts *p, const struct liveness *s)
{
	struct ts_rect r = s->pane[LIVE_GRAPH];
	int h = r.h, rows = h >= AXIS_FROM, gutter;
	bool limit;

	p->title = ts_rect_cut_top(&r, h >= TITLE_FROM);
	p->read_out = ts_rect_cut_bottom(&r, h >= SECOND_FROM ? 2 : h >= 2);
	p->marks = ts_rect_cut_top(&r, h >= MARKS_FROM);
	gutter = ts_chart_y_width(r.h - rows, graph_top(s, &limit), tick_base(s), bytes_tick,
		(void *)s);
	gutter = gutter < GUTTER ? GUTTER : gutter; /* room for "step" and "all" */
	p->frame = ts_chart_frame(r, gutter < r.w / 4 ? gutter : 0, rows);
	ts_rect_cut_left(&p->marks, p->marks.w - p->frame.plot.w);
}

void
live_lay_out(struct liveness *s)
{
	struct ts_column columns[TS_TABLE_COLUMNS];
	struct ts_rect totals, body;
	struct live_parts parts;
	struct ts_table t;

	ts_layout(s->pane, layout, (int)TS_COUNT(layout), s->area,
		s->zoomed ? (s->focus == LIVE_DEBUG ? LIVE_TABLE : s->focus) : TS_LAYOUT_NONE);
	s->pane[LIVE_DEBUG] = ts_debug_cut(&s->pane[LIVE_TABLE], &s->debug, s->focus == LIVE_DEBUG,
		s->zoomed);
	ts_debug_resize(&s->debug, s->pane[LIVE_DEBUG]);
	live_parts(&parts, s);
	ts_span_resize(&s->span, (int)ts_min_i64(parts.frame.plot.w, TS_CANVAS_MAX_W));
	body = live_table_body(s, &totals);
	live_table(&t, columns, s);
	ts_list_resize(&s->list, ts_table_rows(&t, body));
}

static bool
same_key(const struct live_key *a, const struct live_key *b)
{
	return a->from == b->from && a->to == b->to && a->columns == b->columns &&
		a->rows == b->rows && a->no_base == b->no_base && a->data == b->data;
}

/*
 * Where the highest step of a column lies in the same row of the plot as the mean, the area itself goes
 * up to it: less than a row is no outline. It is rounded up, so that the highest is never lost.
 */
static void
fill_columns(struct liveness *s, int rows)
{
	struct live_columns *c = &s->columns;
	double base = base_bytes(s), replicas = (double)s->line.replicas, row;
	bool limit;

	row = graph_top(s, &limit) / (rows > 0 ? rows : 1);
	c->grouped = c->outlined = false;
	for (int x = 0; x < s->span.columns; x++) {
		struct ts_live_range range;
		int64_t a, b;

		ts_span_bucket(&s->span, x, &a, &b);
		ts_liveness_range(&range, &s->line, (size_t)a, (size_t)b);
		c->base[x] = base;
		c->mean[x] = range.mean * replicas;
		c->highest[x] = base + (double)range.bytes * replicas;
		c->grouped |= range.steps > 1;
		if (c->highest[x] - base - c->mean[x] < row) {
			c->mean[x] = c->highest[x] - base;
			c->highest[x] = 0;
		} else {
			c->outlined = true;
		}
	}
}

static void
fill_strip(struct liveness *s)
{
	struct live_columns *c = &s->columns;
	struct ts_span all = s->span;

	ts_span_show(&all, 0, all.count);
	memset(c->hit, 0, sizeof(c->hit));
	for (int x = 0; x < all.columns; x++) {
		struct ts_live_range range;
		int64_t a, b;

		ts_span_bucket(&all, x, &a, &b);
		ts_liveness_range(&range, &s->line, (size_t)a, (size_t)b);
		c->strip[x] = (double)range.bytes;
	}
	for (size_t i = 0; i < s->line.peaks.count && i < PEAKS_MARKED; i++) {
		int x = ts_span_column(&all, (int64_t)s->line.peaks.peak[i].at);

		if (x >= 0)
			c->hit[x] = true;
	}
}

static void
refresh_columns(struct liveness *s, int rows)
{
	struct live_key key = {s->span.from, s->span.to, s->span.columns, rows, s->no_base,
		s->data};
	struct live_key whole = {0, 0, s->span.columns, 0, false, s->data};

	if (!same_key(&key, &s->columns.key)) {
		fill_columns(s, rows);
		s->columns.key = key;
	}
	if (!same_key(&whole, &s->columns.strip_key)) {
		fill_strip(s);
		s->columns.strip_key = whole;
	}
}

/* --- graph ------------------------------------------------------------------------------------ */

static enum ts_role
border(const struct liveness *s, int pane)
{
	return s->focus == pane ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER;
}

/* What has to be said about the figures: parts of a sentence, in brackets. */
static void
graph_title(const struct liveness *s, char *out, size_t size)
{
	const struct ts_liveness *l = &s->line;
	char replicas[TS_FMT_MAX * 2] = "", note[TS_FMT_MAX * 2] = "";
	char n[TS_FMT_MAX], steps[TS_FMT_MAX];
	int64_t left_out = l->bad_rows + l->repeated + l->unsorted;

	if (l->replicas > 1)
		snprintf(replicas, sizeof(replicas), ", %s replicas", ts_fmt_count(n, l->replicas));
	if (s->graph.state == TS_PANE_PARTIAL)
		snprintf(note, sizeof(note), " (damaged: what could be read)");
	else if (left_out > 0)
		snprintf(note, sizeof(note), " (%s rows left out)", ts_fmt_count(n, left_out));
	snprintf(out, size, "Live bytes%s, %s step%s%s%s", replicas, ts_fmt_count(steps, l->steps),
		l->steps == 1 ? "" : "s", s->no_base ? ", base hidden" : "", note);
}

static void
draw_title(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	static const char *const kinds[][3] = {{"always live", "not always live"},
		{"always live", "not always: highest"},
		{"always live", "not always: mean", "highest"}};
	bool base = base_bytes(s) > 0, outlined = s->columns.outlined;
	struct ts_band band[] = {{NULL, TS_ROLE_BASE, 'a'}, {NULL, TS_ROLE_FILL, base ? 'n' : 0},
		{NULL, TS_ROLE_OUTLINE, base ? '#' : '-'}};
	int n = 2 + outlined - !base, w = 0;
	const char *const *names = kinds[s->columns.grouped + outlined] + !base;
	char title[160];

	graph_title(s, title, sizeof(title));
	ts_canvas_rule(c, r, border(s, LIVE_GRAPH), title, NULL);
	for (int i = 0; i < n; i++)
		w += (int)strlen(names[i]) + 4;
	if (w + (int)strlen(title) + 6 > r.w)
		return;
	ts_rect_cut_right(&r, 2);
	r = ts_rect_cut_right(&r, w);
	ts_canvas_fill(c, r, TS_ROLE_TEXT, ' ');
	ts_rect_cut_left(&r, 1);
	ts_chart_legend(c, r, band + !base, names, n);
}

/* A number above each peak that is in sight, the highest first where they are close. */
static void
draw_marks(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	bool taken[TS_CANVAS_MAX_W + 2] = {false};
	int cursor = ts_span_column(&s->span, s->span.cursor);
	bool numbered = false;

	for (size_t i = 0; i < s->line.peaks.count && i < PEAKS_MARKED; i++) {
		int x = ts_span_column(&s->span, (int64_t)s->line.peaks.peak[i].at),
		    w = 1 + (i >= 9);

		if (x < 0 || x + w > r.w || taken[x] || taken[x + w] || (x > 0 && taken[x - 1]))
			continue;
		ts_canvas_printf(c, r, x, 0, TS_ROLE_MARK, "%d", (int)i + 1);
		taken[x] = taken[x + w - 1] = true;
		numbered |= x == cursor;
	}
	if (cursor >= 0 && !numbered)
		ts_canvas_glyph(c, r, cursor, 0, TS_ROLE_COLUMN, POINTER);
}

static void
draw_limit(struct ts_canvas *c, struct ts_rect plot, const struct liveness *s, double top)
{
	char bytes[TS_FMT_MAX], label[TS_FMT_MAX + 40];

	snprintf(label, sizeof(label), "memory of all tiles %s%s",
		ts_fmt_bytes(bytes, s->line.memory, units(s)),
		s->line.memory_assumed ? " (assumed)" : "");
	ts_chart_level(c, plot, (double)s->line.memory, top, TS_ROLE_LIMIT, label);
}

/*
 * The cursor's column, whole: its role takes the place of both colours of a cell that two bands share,
 * and one of them would be a hole. Letters stay as they are.
 */
static void
draw_cursor(struct ts_canvas *c, struct ts_rect plot, const struct liveness *s)
{
	enum { FULL_BLOCK = 0x2588 };
	int x = ts_span_column(&s->span, s->span.cursor);
	bool blocks = !c->mono && c->glyphs != TS_GLYPHS_ASCII && x >= 0 && x < plot.w;

	for (int y = 0; blocks && y < plot.h; y++) {
		const struct ts_cell *cell = ts_canvas_at(c, plot.x + x, plot.y + y);

		if (cell && cell->back != TS_ROLE_TEXT)
			ts_canvas_glyph(c, plot, x, y, (enum ts_role)cell->back, FULL_BLOCK);
	}
	ts_chart_cursor(c, plot, x, s->focus == LIVE_GRAPH);
}

static void
draw_plot(struct ts_canvas *c, const struct live_parts *p, const struct liveness *s)
{
	const struct live_columns *v = &s->columns;
	bool base = base_bytes(s) > 0; /* without it there is one band, which needs no letter */
	struct ts_band band[] = {{v->base, TS_ROLE_BASE, 'a'},
		{v->mean, TS_ROLE_FILL, base ? 'n' : 0}};
	struct ts_area area = {s->span.columns, 1 + base, band + !base, 0,
		v->outlined ? v->highest : NULL, TS_ROLE_OUTLINE};
	bool limit;

	area.top = graph_top(s, &limit);
	ts_chart_y_axis(c, &p->frame, area.top, tick_base(s), bytes_tick, (void *)s);
	ts_chart_area(c, p->frame.plot, &area);
	if (limit)
		draw_limit(c, p->frame.plot, s, area.top);
	ts_chart_x_axis(c, &p->frame, (double)s->span.from, (double)s->span.to, 10, step_tick,
		(void *)s);
	if (p->frame.x.h > 0 && p->frame.x.x - s->pane[LIVE_GRAPH].x > 4)
		ts_canvas_text(c, (struct ts_rect){s->pane[LIVE_GRAPH].x, p->frame.x.y, 4, 1}, 0, 0,
			TS_ROLE_AXIS, "step");
	draw_cursor(c, p->frame.plot, s);
}

/* The figures at the cursor. */
static void
draw_figures(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	const struct ts_liveness *l = &s->line;
	int64_t point = s->span.cursor, not_always = ts_liveness_device(l, l->bytes[point]);
	int64_t sum = not_always;
	ptrdiff_t rank = ts_peaks_rank(&l->peaks, (size_t)point);
	bool narrow = r.w < NARROW, known = l->always_live != TS_UNKNOWN;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];
	int x;

	x = ts_canvas_printf(c, r, 0, 0, TS_ROLE_STATUS, "step %s",
		ts_fmt_count(a, l->step[point]));
	if (l->per > 1)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_NOTE, " (highest of %s)",
			ts_fmt_count(a, l->per));
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_STATUS, "%s%s",
		narrow ? " " : "  not always live ", ts_fmt_bytes(a, not_always, units(s)));
	if (!known)
		x = ts_canvas_text(c, r, x, 0, TS_ROLE_NOTE, " (always live: not recorded)");
	if (known && !ts_add_i64(&sum, l->always_live))
		sum = INT64_MAX;
	if (known)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_STATUS, " + always %s",
			ts_fmt_bytes(a, l->always_live, units(s)));
	if (known)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_ACCENT, " = %s",
			ts_fmt_bytes(a, sum, units(s)));
	if (rank >= 0)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_MARK, "  peak %d of %s", (int)rank + 1,
			ts_fmt_count(a, (int64_t)l->peaks.found));
	if (known && l->memory != TS_UNKNOWN && x + OF_MEMORY <= r.w)
		ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, "  %s of all tiles' %s%s",
			ts_fmt_percent(a, (double)sum, (double)l->memory),
			ts_fmt_bytes(b, l->memory, units(s)),
			l->memory_assumed ? " (assumed)" : "");
}

/* What runs there, and what else the column holds. */
static void
draw_program(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	int column = ts_span_column(&s->span, s->span.cursor), x = 0;
	bool known = s->alive && s->alive->step == live_step(s);
	struct ts_live_range range;
	char n[TS_FMT_MAX], bytes[TS_FMT_MAX];
	int64_t from, to;

	if (column >= 0) {
		ts_span_bucket(&s->span, column, &from, &to);
		ts_liveness_range(&range, &s->line, (size_t)from, (size_t)to);
		if (range.steps > 1)
			x = ts_canvas_printf(c, r, 0, 0, TS_ROLE_LABEL,
				"column of %s steps, mean %s  ", ts_fmt_count(n, range.steps),
				ts_fmt_bytes(bytes,
					ts_liveness_device(&s->line, (int64_t)range.mean),
					units(s)));
	}
	if (!known && s->under_way[LIVE_FETCH_ALIVE])
		ts_canvas_pending(c, r, x, 0);
	else if (known)
		ts_canvas_field(c, r, x, 0, r.w - x, TS_ROLE_TEXT, s->alive->program.s,
			s->alive->program.len, TS_FIELD_TAIL);
}

static void
draw_graph(struct ts_canvas *c, struct liveness *s)
{
	struct live_parts parts;
	live_parts(&parts, s);
	if (s->span.columns <= 0) {
		draw_figures(c, ts_rect_row(parts.read_out, 0), s);
		return;
	}
	refresh_columns(s, parts.frame.plot.h);
	draw_title(c, parts.title, s);
	draw_marks(c, parts.marks, s);
	draw_plot(c, &parts, s);
	draw_figures(c, ts_rect_row(parts.read_out, 0), s);
	draw_program(c, ts_rect_row(parts.read_out, 1), s);
	if (!ts_rect_empty(s->pane[LIVE_STRIP])) {
		struct ts_rect strip = s->pane[LIVE_STRIP];

		ts_canvas_text(c, strip, 0, 0, TS_ROLE_STRIP, "all");
		ts_rect_cut_left(&strip, parts.frame.plot.x - strip.x);
		ts_chart_strip(c, strip, s->columns.strip, s->span.columns,
			(double)s->line.peaks.peak[0].height,
			ts_span_overview(&s->span, s->span.columns, s->span.from),
			ts_span_overview(&s->span, s->span.columns, s->span.to - 1) + 1,
			ts_span_whole(&s->span) ? NULL : s->columns.hit);
	}
}

/* --- table ------------------------------------------------------------------------------------ */

enum { C_NAME, C_BYTES, C_SHARE, C_CUMULATIVE, C_LIVES, C_COUNT };

static const struct ts_column alive_columns[C_COUNT] = {
	{"variable, not always live", 16, 110, 1, 0, TS_FIELD_TAIL},
	{"bytes", 9, 0, 0, 0, TS_FIELD_RIGHT},
	{"share", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"cumul.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"alive in steps", 17, 0, 0, 3, TS_FIELD_RIGHT},
};

enum { BYTES_WIDE = 16 }; /* where they are written out */

static void
lives_cell(const struct liveness *s, const struct ts_alive_row *row, struct ts_table_cell *out)
{
	int64_t missing = s->line.last_step - s->line.first_step + 1 - row->total;
	char first[TS_FMT_MAX], last[TS_FMT_MAX];

	out->s = out->buf;
	if (missing <= 0)
		snprintf(out->buf, sizeof(out->buf), "all");
	else if (missing <= s->line.steps / ALL_BUT)
		snprintf(out->buf, sizeof(out->buf), "all but %s", ts_fmt_count(first, missing));
	else
		snprintf(out->buf, sizeof(out->buf), "%s..%s%s", ts_fmt_count(first, row->start),
			ts_fmt_count(last, row->end - 1),
			row->total > row->end - row->start ? " +" : "");
}

static bool
alive_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct liveness *s = ctx;
	const struct ts_alive_row *row;
	double whole;

	if (!s->alive || i < 0 || i >= s->alive->rows)
		return false;
	row = &s->alive->row[i];
	whole = (double)s->alive->bytes;
	out->role = column == C_BYTES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	switch (column) {
	case C_NAME:
		out->s = live_name(s, (int)i, out->buf);
		break;
	case C_BYTES:
		out->s = ts_fmt_bytes(out->buf, row->bytes, units(s));
		break;
	case C_SHARE:
		out->s = ts_fmt_percent(out->buf, (double)row->bytes, whole);
		break;
	case C_CUMULATIVE:
		out->s = ts_fmt_percent(out->buf, (double)row->cumulative, whole);
		break;
	default:
		lives_cell(s, row, out);
	}
	return true;
}

static enum ts_role
alive_row_role(void *ctx, int64_t i)
{
	const struct liveness *s = ctx;
	char buf[LIVE_NAME];

	if (!s->needle[0] || !s->alive || i < 0 || i >= s->alive->rows)
		return TS_ROLE_TEXT;
	return ts_contains_nocase(live_name(s, (int)i, buf), s->needle) ? TS_ROLE_MATCH
									: TS_ROLE_TEXT;
}

void
live_table(struct ts_table *t, struct ts_column *columns, struct liveness *s)
{
	memcpy(columns, alive_columns, sizeof(alive_columns));
	if (units(s) == TS_UNITS_BYTES)
		columns[C_BYTES].min = BYTES_WIDE;
	*t = (struct ts_table){.column = columns,
		.columns = C_COUNT,
		.cell = alive_cell,
		.row = alive_row_role,
		.ctx = s,
		.header = true,
		.focus = s->focus == LIVE_TABLE,
		.sorted = C_BYTES,
		.descending = true,
		.empty = "nothing but what is always live"};
}

/* The pinned totals: the first line alone where there is little room. */
enum { TOTAL_NOT_ALWAYS, TOTAL_ALWAYS, TOTAL_SUM, TOTALS };

static void
total_name(const struct liveness *s, int64_t line, char *out, size_t size)
{
	const struct ts_alive *a = s->alive;
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	if (line == TOTAL_ALWAYS)
		snprintf(out, size, "always live");
	else if (line == TOTAL_SUM && s->line.replicas > 1)
		snprintf(out, size, "sum, device of %s replicas",
			ts_fmt_count(n, s->line.replicas));
	else if (line == TOTAL_SUM)
		snprintf(out, size, "sum at step %s", ts_fmt_count(n, a->step));
	else if (a->rows < a->count)
		snprintf(out, size, "%s variables, largest %s listed", ts_fmt_count(n, a->count),
			ts_fmt_count(of, a->rows));
	else
		snprintf(out, size, "%s variables%s", ts_fmt_count(n, a->count),
			s->line.replicas > 1 ? " of one replica" : "");
}

static bool
total_cell(void *ctx, int64_t line, int column, struct ts_table_cell *out)
{
	const struct liveness *s = ctx;
	int64_t always = s->line.always_live, bytes = s->alive->bytes;

	out->role = TS_ROLE_TOTAL;
	out->s = out->buf;
	if (column == C_NAME) {
		total_name(s, line, out->buf, sizeof(out->buf));
		return true;
	}
	if (line == TOTAL_NOT_ALWAYS && column == C_CUMULATIVE && bytes > 0)
		ts_fmt_percent(out->buf,
			s->alive->rows > 0 ? (double)s->alive->row[s->alive->rows - 1].cumulative
					   : 0,
			(double)bytes);
	if (column != C_BYTES)
		return true;
	if (line == TOTAL_ALWAYS)
		bytes = always;
	else if (line == TOTAL_SUM) {
		bytes = ts_liveness_device(&s->line, bytes);
		if (always == TS_UNKNOWN || !ts_add_i64(&bytes, always))
			bytes = TS_UNKNOWN;
	}
	if (bytes == TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "?");
	else
		ts_fmt_bytes(out->buf, bytes, units(s));
	return true;
}

struct ts_rect
live_table_body(const struct liveness *s, struct ts_rect *totals)
{
	struct ts_rect r = s->pane[LIVE_TABLE];
	int h = r.h;

	ts_rect_cut_top(&r, 1);
	*totals = ts_rect_cut_bottom(&r, h >= TOTALS_FROM ? TOTALS : h >= 4);
	return r;
}

static void
draw_totals(struct ts_canvas *c, struct ts_rect r, struct liveness *s)
{
	struct ts_column columns[TS_TABLE_COLUMNS];
	struct ts_list lines;
	struct ts_table t;

	live_table(&t, columns, s);
	t.cell = total_cell;
	t.row = NULL;
	t.header = false;
	t.plain = true;
	ts_list_init(&lines);
	ts_list_set_count(&lines, TOTALS);
	ts_list_resize(&lines, r.h);
	ts_canvas_fill(c, r, TS_ROLE_TOTAL, ' ');
	ts_table_draw(c, r, &t, &lines);
}

/* The rule above the table: whose it is, and whether its figures are what they should be. */
static void
draw_rule(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	const struct ts_alive *a = s->alive;
	char title[120], note[120] = "", n[TS_FMT_MAX], m[TS_FMT_MAX];
	size_t point;

	if (!a || !a->listed) {
		snprintf(title, sizeof(title), "Alive at step %s", ts_fmt_count(n, live_step(s)));
		ts_canvas_rule(c, r, border(s, LIVE_TABLE), title, NULL);
		return;
	}
	snprintf(title, sizeof(title), "Alive at step %s: %s variables%s", ts_fmt_count(n, a->step),
		ts_fmt_count(m, a->count), s->line.replicas > 1 ? ", one replica" : "");
	point = ts_liveness_find(&s->line, a->step);
	if (a->step != live_step(s))
		snprintf(note, sizeof(note), "step %s is being read",
			ts_fmt_count(n, live_step(s)));
	else if (s->table.state == TS_PANE_PARTIAL)
		snprintf(note, sizeof(note), "damaged: what could be read");
	else if (a->bytes != s->line.bytes[point])
		snprintf(note, sizeof(note), "%s; the timeline says %s",
			ts_fmt_bytes(n, a->bytes, units(s)),
			ts_fmt_bytes(m, s->line.bytes[point], units(s)));
	ts_canvas_rule(c, r, border(s, LIVE_TABLE), title, note[0] ? note : NULL);
}

static void
draw_table(struct ts_canvas *c, struct liveness *s)
{
	struct ts_rect r = s->pane[LIVE_TABLE], totals, body = live_table_body(s, &totals);
	struct ts_column columns[TS_TABLE_COLUMNS];
	struct ts_table t;

	if (ts_rect_empty(r))
		return;
	draw_rule(c, ts_rect_row(r, 0), s);
	ts_rect_cut_top(&r, 1);
	if (!ts_pane_has(&s->table)) {
		ts_pane_draw(c, r, s->v.env, &s->table);
	} else if (!s->alive || !s->alive->listed) {
		ts_canvas_pending(c, r, 2, 0);
	} else {
		live_table(&t, columns, s);
		ts_table_draw(c, body, &t, &s->list);
		draw_totals(c, totals, s);
	}
}

void
live_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct liveness *s = (struct liveness *)v;

	live_lay_out(s);
	if (!ts_pane_has(&s->graph)) {
		ts_pane_draw(c, s->area, s->v.env, &s->graph);
	} else if (s->line.count == 0) {
		ts_canvas_wrap(c, s->area, 0, TS_ROLE_DIM, "No liveness steps are recorded.");
	} else {
		draw_graph(c, s);
		draw_table(c, s);
		ts_debug_draw(c, s->pane[LIVE_DEBUG], &s->debug, s->focus == LIVE_DEBUG);
	}
}
