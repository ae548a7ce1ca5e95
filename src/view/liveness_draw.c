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
#include "tilescope/view/live_heat.h"
#include "tilescope/view/what_if.h"

enum {
	MARKS_FROM = 7, /* rows of the graph's pane from which the parts are drawn */
	TITLE_FROM = 5,
	AXIS_FROM = 4,
	SECOND_FROM = 10,
	THIRD_FROM = 11,
	POINTER = 0x25bc,
	GUTTER = 6,
	PEAKS_MARKED = 99,
	EIGHTHS = 8, /* of a row: the least that is drawn */
};

static const struct ts_layout_item layout[] = {
	{.depth = 0, .kind = TS_SPLIT_ROWS},
	{.depth = 1, .kind = TS_PANE, .id = LIVE_STRIP, .fixed = 1, .keep = 1},
	{.depth = 1, .kind = TS_PANE, .id = LIVE_GRAPH, .weight = 3, .min = 6, .keep = 3},
	{.depth = 1, .kind = TS_PANE, .id = LIVE_TABS, .weight = 2, .min = 5, .keep = 2},
};

const char *
live_bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	return ts_fmt_bytes_short(out, v < (double)TS_NUMBER_MAX ? (int64_t)v : TS_NUMBER_MAX,
		live_units(ctx));
}

/* Ticks lie on points; what stands there is the number of the step. */
const char *
live_step_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct liveness *s = ctx;
	int64_t point = ts_clamp_i64((int64_t)v, 0, (int64_t)s->src.line.count - 1);

	return ts_fmt_count(out, s->src.line.step[point]);
}

/* --- figures of the graph --------------------------------------------------------------------- */

/* Bytes below what is not always live, as far as they are known and shown. */
static double
base_bytes(const struct liveness *s)
{
	int64_t base = live_base(s);

	return s->no_base || base == TS_UNKNOWN ? 0 : (double)base;
}

/* The highest value of the graph, and whether the memory that there is is in sight with it. */
double
live_top(const struct liveness *s, bool *limit)
{
	double high = base_bytes(s), memory = (double)live_memory(s);

	if (s->src.line.peaks.count > 0)
		high += (double)live_scaled(s, s->src.line.peaks.peak[0].height);
	*limit = !s->no_base && live_memory(s) != TS_UNKNOWN && s->limit != LIVE_LIMIT_OFF &&
		(s->limit == LIVE_LIMIT_ON || memory < 1.6 * high);
	if (*limit && memory > high)
		high = memory;
	return high > 0 ? high * 1.02 : 1;
}

bool
live_limit_drawn(const struct liveness *s)
{
	bool limit;

	live_top(s, &limit);
	return limit;
}

static int
tick_base(const struct liveness *s)
{
	return live_units(s) == TS_UNITS_KIB ? 2 : 10;
}

void
live_parts(struct live_parts *p, const struct liveness *s)
{
	struct ts_rect r = s->pane[LIVE_GRAPH];
	int h = r.h, rows = h >= AXIS_FROM, gutter;
	bool limit;

	p->title = ts_rect_cut_top(&r, h >= TITLE_FROM);
	p->read_out = ts_rect_cut_bottom(&r, h >= THIRD_FROM ? 3 : h >= SECOND_FROM ? 2 : h >= 2);
	p->marks = ts_rect_cut_top(&r, h >= MARKS_FROM);
	gutter = ts_chart_y_width(r.h - rows, live_top(s, &limit), tick_base(s), live_bytes_tick,
		(void *)s);
	gutter = gutter < GUTTER
		? GUTTER
		: gutter; /* room for "step" and "all", and "ipu 0" of the heat map below */
	p->frame = ts_chart_frame(r, gutter < r.w / 4 ? gutter : 0, rows);
	ts_rect_cut_left(&p->marks, p->marks.w - p->frame.plot.w);
}

/* The same step stands in the same column of the graph and of the heat map below it. */
void
live_align_heat(struct liveness *s)
{
	const struct ts_liveness *l = &s->src.line;
	struct live_parts parts;
	int64_t from = 0, to = 0;
	bool above;

	live_parts(&parts, s);
	above = parts.frame.plot.w > 0 && parts.frame.plot.h > 0;
	if (l->count > 0 && s->span.to > s->span.from) {
		from = l->step[s->span.from];
		to = s->span.to < (int64_t)l->count ? l->step[s->span.to] : l->last_step + 1;
	}
	for (int i = 0; i < s->tabs.count; i++)
		if (s->tabs.tab[i].ops == &ts_tab_heat)
			ts_live_heat_below(&s->tabs.tab[i],
				above ? parts.frame.plot.x - s->pane[LIVE_GRAPH].x : 0, from, to);
}

void
live_lay_out(struct liveness *s)
{
	struct live_parts parts;
	bool alone = s->zoomed;

	ts_layout(s->pane, layout, (int)TS_COUNT(layout), s->area,
		alone ? s->focus : TS_LAYOUT_NONE);
	if (!alone && s->focus == LIVE_TABS && s->pane[LIVE_TABS].h == 0) {
		alone = true; /* no room for both: what has the keys is seen */
		ts_layout(s->pane, layout, (int)TS_COUNT(layout), s->area, LIVE_TABS);
	}
	live_parts(&parts, s);
	live_align_heat(s);
	ts_tabs_resize(&s->tabs, s->pane[LIVE_TABS], alone);
	ts_span_resize(&s->span, (int)ts_min_i64(parts.frame.plot.w, TS_CANVAS_MAX_W));
}

static bool
same_key(const struct live_key *a, const struct live_key *b)
{
	return a->from == b->from && a->to == b->to && a->columns == b->columns &&
		a->rows == b->rows && a->no_base == b->no_base && a->data == b->data &&
		a->one_replica == b->one_replica && a->limit == b->limit && a->hits == b->hits;
}

/*
 * Where the highest step of a column lies in the same row of the plot as the mean, the area itself goes
 * up to it: less than a row is no outline. It is rounded up, so that the highest is never lost; what is less than
 * can be drawn, on a high base, is drawn as the least that can.
 */
static void
fill_columns(struct liveness *s, int rows)
{
	struct live_columns *c = &s->columns;
	double base = base_bytes(s), row;
	double replicas = s->one_replica ? 1 : (double)s->src.line.replicas;
	bool limit;

	row = live_top(s, &limit) / (rows > 0 ? rows : 1);
	c->grouped = c->outlined = false;
	for (int x = 0; x < s->span.columns; x++) {
		struct ts_live_range range;
		int64_t a, b;

		ts_span_bucket(&s->span, x, &a, &b);
		ts_liveness_range(&range, &s->src.line, (size_t)a, (size_t)b);
		c->base[x] = base;
		c->mean[x] = range.mean * replicas;
		c->highest[x] = base + (double)range.bytes * replicas;
		c->grouped |= range.steps > 1;
		if (c->highest[x] - base - c->mean[x] < row) {
			c->mean[x] = c->highest[x] - base;
			c->highest[x] = 0;
			if (c->mean[x] > 0 && c->mean[x] < row / EIGHTHS)
				c->mean[x] = row / EIGHTHS;
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

	bool search = s->steps.needle[0] && s->steps.of == s->data;

	ts_span_show(&all, 0, all.count);
	memset(c->hit, 0, sizeof(c->hit));
	for (int x = 0; x < all.columns; x++) {
		struct ts_live_range range;
		int64_t a, b;

		ts_span_bucket(&all, x, &a, &b);
		ts_liveness_range(&range, &s->src.line, (size_t)a, (size_t)b);
		c->strip[x] = (double)range.bytes;
		for (int64_t i = a; search && i < b && !c->hit[x]; i++)
			c->hit[x] = live_steps_hit(s, (size_t)i);
	}
	for (size_t i = 0; !search && i < s->src.line.peaks.count && i < PEAKS_MARKED; i++) {
		int x = ts_span_column(&all, (int64_t)s->src.line.peaks.peak[i].at);

		if (x >= 0)
			c->hit[x] = true;
	}
}

static void
refresh_columns(struct liveness *s, int rows)
{
	struct live_key key = {s->span.from, s->span.to, s->span.columns, rows, s->no_base,
		s->one_replica, (int)s->limit, s->data, 0};
	struct live_key whole = {.columns = s->span.columns,
		.data = s->data,
		.hits = s->steps.needle[0] ? s->steps.of + s->steps.asked : 0};

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

/* ", 12 of 1,062 steps" */
static void
graph_steps(const struct liveness *s, char *out, size_t size)
{
	char n[TS_FMT_MAX], all[TS_FMT_MAX] = "";

	if (s->steps.filtered)
		ts_fmt_count(all, s->steps.whole.steps);
	snprintf(out, size, ", %s%s%s step%s", ts_fmt_count(n, s->src.line.steps),
		all[0] ? " of " : "", all, live_whole(s)->steps == 1 ? "" : "s");
}

/* Whose figures these are, and what has to be said about them; `brief`: not how many steps there are. */
static void
graph_title(const struct liveness *s, bool brief, char *out, size_t size)
{
	const struct ts_liveness *l = &s->src.line;
	char note[TS_FMT_MAX * 2] = "", name[LIVE_SOURCE], next[LIVE_SOURCE + 32] = "";
	char n[TS_FMT_MAX], steps[2 * TS_FMT_MAX + 24] = "", filter[LIVE_SOURCE] = "";
	int64_t left_out = l->bad_rows + l->repeated + l->unsorted;

	if (s->graph.state == TS_PANE_PARTIAL)
		snprintf(note, sizeof(note), " (damaged: what could be read)");
	else if (left_out > 0)
		snprintf(note, sizeof(note), " (%s row%s left out)", ts_fmt_count(n, left_out),
			left_out == 1 ? "" : "s");
	else if (s->checks.broken > 0)
		snprintf(note, sizeof(note), " (figures disagree: M)");
	if (s->graph.state == TS_PANE_STALE)
		snprintf(next, sizeof(next), "; %s is being read",
			live_source_name(name, sizeof(name), s, &s->source));
	if (s->steps.filtered) {
		snprintf(filter, sizeof(filter), " with %.100s%s", s->steps.line.line,
			s->steps.partial ? " (partial: not all names can be read)" : "");
	}
	if (!brief || s->steps.filtered)
		graph_steps(s, steps, sizeof(steps));
	snprintf(out, size, "Live bytes of %s%s%s%s%s%s%s",
		live_source_name(name, sizeof(name), s, &s->shown),
		s->src.derived ? ", derived" : "", steps, filter, s->no_base ? ", base hidden" : "",
		note, next);
}

static int
legend_columns(const char *const *name, int n)
{
	enum { SAMPLE = 4 }; /* with the blanks around it */
	int w = 0;

	for (int i = 0; i < n; i++)
		w += (int)strlen(name[i]) + SAMPLE;
	return w;
}

/* The title, and what the colours mean: where there is little room in short words. */
static void
draw_title(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	enum { AROUND = 6 };
	static const char *const kinds[][3] = {{"always live", "not always live"},
		{"always live", "not always: highest"},
		{"always live", "not always: mean", "highest"}};
	static const char *const brief[][3] = {{"always", "not always"},
		{"always", "rest: highest"}, {"always", "mean", "highest"}};
	bool base = base_bytes(s) > 0, outlined = s->columns.outlined;
	struct ts_band band[] = {{NULL, TS_ROLE_BASE, 'a'}, {NULL, TS_ROLE_FILL, base ? 'n' : 0},
		{NULL, TS_ROLE_OUTLINE, base ? '#' : '-'}};
	int n = 2 + outlined - !base, w;
	int kind = s->columns.grouped + outlined;
	const char *const *names = kinds[kind] + !base;
	char title[3 * LIVE_SOURCE + 160];

	graph_title(s, false, title, sizeof(title));
	w = legend_columns(names, n);
	if (w + (int)strlen(title) + AROUND > r.w) {
		names = brief[kind] + !base;
		w = legend_columns(names, n);
	}
	if (w + (int)strlen(title) + AROUND > r.w)
		graph_title(s, true, title, sizeof(title));
	ts_canvas_rule(c, r, border(s, LIVE_GRAPH), title, NULL);
	if (w + (int)strlen(title) + AROUND > r.w)
		return;
	ts_rect_cut_right(&r, 2);
	r = ts_rect_cut_right(&r, w);
	ts_canvas_fill(c, r, TS_ROLE_TEXT, ' ');
	ts_rect_cut_left(&r, 1);
	ts_chart_legend(c, r, band + !base, names, n);
}

/* What stands above the plot: letters of marked steps, then numbers of peaks where there is room. */
struct above {
	struct ts_rect r;
	bool taken[TS_CANVAS_MAX_W + 2];
};

/* `alone`: not beside another one, whose part it would seem to be. */
static bool
put_above(struct ts_canvas *c, struct above *m, int x, const char *text, bool alone)
{
	int w = (int)strlen(text);

	if (x < 0 || x + w > m->r.w || m->taken[x] ||
		(alone && (m->taken[x + w] || (x > 0 && m->taken[x - 1]))))
		return false;
	ts_canvas_text(c, m->r, x, 0, TS_ROLE_MARK, text);
	m->taken[x] = m->taken[x + w - 1] = true;
	return true;
}

static void
draw_marks(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	struct above above = {.r = r};
	int cursor = ts_span_column(&s->span, s->span.cursor);
	bool named = false;

	for (int i = 0; i < s->marks; i++) {
		char letter[] = {(char)('A' + i), '\0'};
		int x = ts_span_column(&s->span,
			(int64_t)ts_liveness_find(&s->src.line, s->mark[i]));

		named |= put_above(c, &above, x, letter, false) && x == cursor;
	}
	for (size_t i = 0; i < s->src.line.peaks.count && i < PEAKS_MARKED; i++) {
		int x = ts_span_column(&s->span, (int64_t)s->src.line.peaks.peak[i].at);
		char number[TS_FMT_MAX];

		snprintf(number, sizeof(number), "%d", (int)i + 1);
		named |= put_above(c, &above, x, number, true) && x == cursor;
	}
	if (cursor >= 0 && !named)
		ts_canvas_glyph(c, r, cursor, 0, TS_ROLE_COLUMN, POINTER);
}

static void
draw_limit(struct ts_canvas *c, struct ts_rect plot, const struct liveness *s, double top)
{
	char bytes[TS_FMT_MAX], label[TS_FMT_MAX + 40];

	snprintf(label, sizeof(label), "memory of %s %s%s", live_memory_owner(s),
		ts_fmt_bytes(bytes, live_memory(s), live_units(s)),
		s->src.line.memory_assumed ? " (assumed)" : "");
	ts_chart_level(c, plot, (double)live_memory(s), top, TS_ROLE_LIMIT, label);
}

/* How high the peak would be with the changes of What-if: over the graph as it is, below which it stands out. */
static void
draw_what_if(struct ts_canvas *c, struct ts_rect plot, const struct liveness *s, double top)
{
	struct ts_what_if_peak after;
	char label[LIVE_WHAT_IF];

	if (live_what_if(s, &after, NULL) == TS_WHAT_IF_PEAK)
		ts_chart_level(c, plot, (double)after.bytes, top, TS_ROLE_MARK,
			live_what_if_text(label, s, &after));
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
		v->outlined ? v->highest : NULL, TS_ROLE_OUTLINE, 0};
	bool limit;

	area.top = live_top(s, &limit);
	if (limit)
		area.line = (double)live_memory(s);
	ts_chart_y_axis(c, &p->frame, area.top, tick_base(s), live_bytes_tick, (void *)s);
	ts_chart_area(c, p->frame.plot, &area);
	if (limit)
		draw_limit(c, p->frame.plot, s, area.top);
	draw_what_if(c, p->frame.plot, s, area.top);
	ts_chart_x_axis(c, &p->frame, (double)s->span.from, (double)s->span.to, 10, live_step_tick,
		(void *)s);
	if (p->frame.x.h > 0 && p->frame.x.x - s->pane[LIVE_GRAPH].x > 4)
		ts_canvas_text(c, (struct ts_rect){s->pane[LIVE_GRAPH].x, p->frame.x.y, 4, 1}, 0, 0,
			TS_ROLE_AXIS, "step");
	for (int i = 0; i < s->marks; i++)
		ts_chart_divider(c, p->frame.plot,
			ts_span_column(&s->span,
				(int64_t)ts_liveness_find(&s->src.line, s->mark[i])),
			TS_ROLE_MARK);
	draw_cursor(c, p->frame.plot, s);
}

static void
draw_graph(struct ts_canvas *c, struct liveness *s)
{
	struct live_parts parts;

	live_parts(&parts, s);
	if (s->span.columns <= 0) {
		live_draw_figures(c, ts_rect_row(parts.read_out, 0), s);
		return;
	}
	refresh_columns(s, parts.frame.plot.h);
	draw_title(c, parts.title, s);
	draw_marks(c, parts.marks, s);
	draw_plot(c, &parts, s);
	live_draw_figures(c, ts_rect_row(parts.read_out, 0), s);
	live_draw_program(c, ts_rect_row(parts.read_out, 1), s);
	live_draw_changes(c, ts_rect_row(parts.read_out, 2), s);
	if (!ts_rect_empty(s->pane[LIVE_STRIP])) {
		struct ts_rect strip = s->pane[LIVE_STRIP];

		ts_canvas_text(c, strip, 0, 0, TS_ROLE_STRIP, "all");
		ts_rect_cut_left(&strip, parts.frame.plot.x - strip.x);
		ts_chart_strip(c, strip, s->columns.strip, s->span.columns,
			(double)s->src.line.peaks.peak[0].height,
			ts_span_overview(&s->span, s->span.columns, s->span.from),
			s->span.to == s->span.count
				? s->span.columns
				: ts_span_overview(&s->span, s->span.columns, s->span.to - 1) + 1,
			ts_span_whole(&s->span) && !s->steps.needle[0] ? NULL : s->columns.hit);
	}
}

static void
draw_nothing(struct ts_canvas *c, const struct liveness *s)
{
	char name[LIVE_SOURCE], words[LIVE_SOURCE + 60];

	if (s->shown.where == TS_LIVE_ALL)
		snprintf(words, sizeof(words), "No liveness steps are recorded.");
	else
		snprintf(words, sizeof(words), "There are no liveness steps of %s.",
			live_source_name(name, sizeof(name), s, &s->shown));
	ts_canvas_wrap(c, s->area, 0, TS_ROLE_DIM, words);
}

void
live_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct liveness *s = (struct liveness *)v;

	live_lay_out(s);
	if (!ts_pane_has(&s->graph)) {
		ts_pane_draw(c, s->area, s->v.env, &s->graph);
	} else if (s->src.line.count == 0) {
		draw_nothing(c, s);
	} else {
		draw_graph(c, s);
		ts_tabs_draw(&s->tabs, c, s->focus == LIVE_TABS);
	}
}
