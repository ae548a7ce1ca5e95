/* SPDX-License-Identifier: MIT */
/*
 * trace_draw - the Trace view to the canvas.
 *
 * From the top: overview of all cycles (how much of it is compute), axis, the drawing, legend, tabs, the step
 * under the cursor. Where it gets narrow the legend goes first, then the overview, then the read-out; the
 * drawing and a tab stay. What a report does not have is said in the place of all that is above the tabs.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum {
	NEED_READOUT = 7, /* rows of the area from which on a part is shown */
	NEED_STRIP = 9,
	NEED_LEGEND = 11,
	NEED_READOUT_2 = 15,
	LEAST_TABLE = 3,
	PANEL = 12,	 /* of a panel that says what is missing */
	PAIR_WIDE = 150, /* columns from which on the list stays beside another tab */
};

/* --- layout ----------------------------------------------------------------------------------- */

static int
label_width(const struct trace_view *t)
{
	int64_t largest = t->trace && t->trace->ipus > 0 ? t->trace->ipu[t->trace->ipus - 1] : 0;
	int digits = snprintf(NULL, 0, "%lld", (long long)largest);

	return digits < 2 ? 8 : 7 + (digits < 10 ? digits : 10);
}

const struct ts_pane_data *
trace_missing(const struct trace_view *t)
{
	const struct trace_drawing *d = &t->drawing[t->drawn];
	const struct ts_pane_data *from = d->ops->without ? d->ops->without(d) : &t->lanes;

	return t->trace && from && from->state == TS_PANE_ABSENT ? from : NULL;
}

/* Rows that the drawing gets of the room. */
static int
drawing_rows(struct trace_view *t, int room)
{
	struct trace_drawing *d = trace_drawn(t);
	bool alone = t->zoomed && t->focus == TRACE_LANES;
	int most = ts_max_i64(room, 1);

	t->at.lane_rows = t->at.lane_count = 1;
	if (trace_missing(t) && !alone) /* what a tab below does not have wants room, too */
		return (int)ts_clamp_i64(room * 11 / 20, ts_min_i64(PANEL, most), most);
	if (trace_missing(t))
		return most;
	if (d->ops->rows)
		return (int)ts_clamp_i64(d->ops->rows(d, room), 1, most);
	return (int)ts_clamp_i64(alone ? room : room * 11 / 20, 1, most);
}

static void
place_drawing(struct trace_view *t, struct ts_rect *r, bool tabs)
{
	struct trace_places *at = &t->at;
	int gutter = label_width(t), h = t->area.h, fixed;
	bool missing = trace_missing(t), own = missing || trace_drawn(t)->ops->own_axis;
	bool legend = h >= NEED_LEGEND && !missing;

	if (h >= NEED_STRIP && !own) {
		at->strip = ts_rect_cut_top(r, 1);
		ts_rect_cut_left(&at->strip, gutter);
	}
	if (!own) {
		at->axis = ts_rect_cut_top(r, 1);
		ts_rect_cut_left(&at->axis, gutter);
	}
	fixed = legend + (tabs ? 1 + LEAST_TABLE : 0);
	at->lanes = ts_rect_cut_top(r, drawing_rows(t, r->h - fixed));
	at->labels = ts_rect_cut_left(&at->lanes, gutter);
	if (legend)
		at->legend = ts_rect_cut_top(r, 1);
}

static void
trace_layout(struct trace_view *t)
{
	struct ts_rect r = t->area;
	bool above = !(t->zoomed && t->focus != TRACE_LANES);
	bool below = !(t->zoomed && t->focus == TRACE_LANES);

	t->at = (struct trace_places){.lane_rows = 1};
	if (t->area.h >= NEED_READOUT)
		t->at.readout = ts_rect_cut_bottom(&r, t->area.h >= NEED_READOUT_2 ? 2 : 1);
	if (above)
		place_drawing(t, &r, below);
	t->tabs.pair = t->area.w >= PAIR_WIDE;
	ts_tabs_resize(&t->tabs, below ? r : (struct ts_rect){0}, t->zoomed);
}

void
trace_arrange(struct trace_view *t)
{
	trace_layout(t);
	for (int i = 0; i < t->drawings; i++) {
		struct trace_drawing *d = &t->drawing[i];

		d->labels = d->plot = (struct ts_rect){0};
		if (i == t->drawn) {
			d->labels = t->at.labels;
			d->plot = t->at.lanes;
		}
		if (d->ops->resize)
			d->ops->resize(d);
	}
	if (t->at.lanes.w > 0) /* no lanes: the zoom stays as it is */
		ts_span_resize(&t->span, t->at.lanes.w);
	if (t->list.rows <= 0) /* the list is not shown, but it has a cursor */
		ts_list_resize(&t->list, 1);
}

/* --- figures ---------------------------------------------------------------------------------- */

double
trace_clock(const struct trace_view *t)
{
	double said = t->view.env->options->clock_hz;

	return said > 0 ? said : t->trace ? t->trace->clock_hz : 0;
}

bool
trace_in_time(const struct trace_view *t)
{
	return t->time == TS_TIME_US && trace_clock(t) > 0;
}

const char *
trace_fmt_length(const struct trace_view *t, char out[TS_FMT_MAX], int64_t cycles)
{
	if (trace_in_time(t))
		return ts_fmt_time(out, (double)cycles / trace_clock(t) * 1e6);
	return ts_fmt_count(out, cycles);
}

const char *
trace_fmt_place(const struct trace_view *t, char out[TS_FMT_MAX], int64_t cycles)
{
	if (!trace_in_time(t))
		return ts_fmt_count(out, cycles);
	snprintf(out, TS_FMT_MAX, "%.6f ms", (double)cycles / trace_clock(t) * 1e3);
	return out;
}

/* A tick with as many digits as tell it from its neighbours. */
struct ticks {
	double unit;
	int decimals;
	const char *suffix;
};

/* Far from the begin, and near to each other, only the first one is written whole: the others say how far behind it they are. */
struct ruler {
	struct ticks whole, near;
	double from, base; /* base: of the first tick in sight, below 0: not known yet */
	bool relative, time;
};

static const char *
say_tick(const struct ticks *k, double v, const char *sign, char out[TS_FMT_MAX])
{
	if (v == 0)
		snprintf(out, TS_FMT_MAX, "0");
	else
		snprintf(out, TS_FMT_MAX, "%s%.*f%s", sign, k->decimals, v / k->unit, k->suffix);
	return out;
}

static const char *
say_whole(const struct ruler *r, double v, char out[TS_FMT_MAX])
{
	if (r->relative && !r->time)
		return ts_fmt_count(out, (int64_t)v);
	return say_tick(&r->whole, v, "", out);
}

static const char *
tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	struct ruler *r = ctx;

	if (r->relative && r->base >= 0)
		return say_tick(&r->near, v - r->base, "+", out);
	if (v >= r->from)
		r->base = v;
	return say_whole(r, v, out);
}

enum {
	PLAIN = 10 /* thousands of cycles up to which they are not counted in thousands */,
	TICK_MOST =
		8, /* columns of a tick: where it is longer, they are said from the first one on */
};

static void
choose_ticks(struct ticks *k, double to, double step, bool time)
{
	static const struct ticks cycles[] = {{1, 0, ""}, {1e3, 0, "k"}, {1e6, 0, "M"},
		{1e9, 0, "G"}, {1e12, 0, "T"}};
	static const struct ticks times[] = {{1e-3, 0, " ns"}, {1, 0, " us"}, {1e3, 0, " ms"},
		{1e6, 0, " s"}};
	const struct ticks *table = time ? times : cycles;
	size_t n = time ? TS_COUNT(times) : TS_COUNT(cycles), i = 0;

	while (i + 1 < n && to >= table[i + 1].unit * (time || i > 0 ? 1 : PLAIN))
		i++;
	/* rather a smaller unit than a long row of decimals */
	while (i > 0 && step > 0 && table[i].unit / step > 1e4)
		i--;
	*k = table[i];
	if (step > 0 && step < k->unit)
		k->decimals = (int)ts_clamp_i64((int64_t)ceil(log10(k->unit / step) - 1e-9), 0, 9);
}

int
trace_draw_ruler(struct trace_view *t, struct ts_canvas *c, struct ts_rect plot,
	struct ts_rect axis, int64_t first, int64_t last)
{
	struct ts_chart_frame frame = {.plot = plot, .x = axis};
	bool time = trace_in_time(t);
	double scale = time ? 1e6 / trace_clock(t) : 1;
	double from = (double)first * scale, to = (double)last * scale, step;
	struct ruler ruler = {.from = from, .base = -1, .time = time};
	char text[TS_FMT_MAX];

	if (ts_rect_empty(axis) || to <= from)
		return 0;
	step = (to - from) / (axis.w / 10 + 1) / 2;
	choose_ticks(&ruler.whole, to, step, time);
	choose_ticks(&ruler.near, to - from, step, time);
	ruler.relative = strlen(say_tick(&ruler.whole, to, "", text)) > TICK_MOST;
	ts_chart_x_axis(c, &frame, from, to, 10, tick, &ruler);
	ts_canvas_text(c, (struct ts_rect){t->area.x, axis.y, axis.x - t->area.x, 1}, 0, 0,
		TS_ROLE_AXIS, time ? "time" : "cycles");
	if (!ruler.relative || ruler.base < 0)
		return 0;
	return (int)((ruler.base - from) / (to - from) * axis.w) +
		(int)strlen(say_whole(&ruler, ruler.base, text));
}

/* What stands on the ruler; a blank beyond its ends. */
static uint32_t
on_ruler(const struct ts_canvas *c, struct ts_rect r, int x)
{
	const struct ts_cell *cell = x >= 0 && x < r.w ? ts_canvas_at(c, r.x + x, r.y) : NULL;

	return cell ? cell->cp : ' ';
}

static bool
is_digit(uint32_t cp)
{
	return cp >= '0' && cp <= '9';
}

/* The blank before a unit is part of the tick: `1.5 ms`. */
static bool
is_tick(uint32_t left, uint32_t cp, uint32_t right)
{
	return cp != ' ' || (is_digit(left) && right >= 'a' && right <= 'z');
}

/* Take away what is left of a tick that a label covers: from x on, to the left or (by 1) to the right. */
static void
clear_tick(struct ts_canvas *c, struct ts_rect r, int x, int by)
{
	uint32_t before = on_ruler(c, r, x - by);

	for (; x >= 0 && x < r.w; x += by) {
		uint32_t cp = on_ruler(c, r, x), next = on_ruler(c, r, x + by);

		if (!is_tick(by > 0 ? before : next, cp, by > 0 ? next : before))
			break;
		ts_canvas_glyph(c, r, x, 0, TS_ROLE_TEXT, ' ');
		before = cp;
	}
}

/* The rows of the drawing whose columns are time. */
static struct ts_rect
time_rows(const struct trace_view *t)
{
	struct ts_rect r = t->at.lanes;

	r.h -= t->drawing[t->drawn].ops->foot;
	return r;
}

/* Where runs begin: their number over the axis from a column on, a line through the idle cells of the lanes. */
static void
draw_runs(struct trace_view *t, struct ts_canvas *c, int free_from)
{
	for (int i = 0; i < t->trace->runs; i++) {
		const struct ts_trace_run *r = &t->trace->run[i];
		int x = r->start == TS_UNKNOWN
			? -1
			: ts_span_column(&t->span, r->start - t->trace->from);
		char text[32];
		int w = snprintf(text, sizeof(text), "|run %lld ", (long long)r->run);

		if (x < 0)
			continue;
		ts_chart_divider(c, time_rows(t), x, TS_ROLE_BOUNDARY);
		if (x < free_from || x + w > t->at.axis.w)
			continue;
		clear_tick(c, t->at.axis, x - 1, -1);
		clear_tick(c, t->at.axis, x + w - 1, 1);
		ts_canvas_text(c, t->at.axis, x, 0, TS_ROLE_BOUNDARY, text);
		free_from = x + w;
	}
}

/* --- overview --------------------------------------------------------------------------------- */

/* Share of compute over the lanes of the overview; where there is none, a trace of being busy. */
static void
overview_values(const struct ts_trace_chart *o, double *v, int n)
{
	for (int i = 0; i < n; i++) {
		int x = (int)((int64_t)i * o->columns / n);
		double busy = 0;

		v[i] = 0;
		for (int l = 0; l < o->lanes; l++) {
			v[i] += ts_trace_share(o, l, TS_CLASS_COMPUTE)[x] / o->lanes;
			for (int k = 0; k < TS_CLASS_COUNT; k++)
				busy += ts_trace_share(o, l, (enum ts_step_class)k)[x];
		}
		if (v[i] < 0.01 && busy > 0)
			v[i] = 0.01;
	}
}

static void
draw_strip(struct trace_view *t, struct ts_canvas *c)
{
	double v[TS_TRACE_COLUMNS];
	bool hit[TS_TRACE_COLUMNS] = {false};
	struct ts_rect r = t->at.strip;
	int n = r.w < TS_TRACE_COLUMNS ? r.w : TS_TRACE_COLUMNS, from, to;

	if (ts_rect_empty(r))
		return;
	ts_canvas_text(c, (struct ts_rect){t->area.x, r.y, t->at.labels.w, 1}, 0, 0, TS_ROLE_LABEL,
		"compute");
	if (t->overview.columns == 0) {
		if (t->fetch[ASK_OVERVIEW])
			ts_canvas_text(c, r, 0, 0, TS_ROLE_DIM, "reading");
		return;
	}
	overview_values(&t->overview, v, n);
	for (int i = 0; t->has_cost && t->cost.columns > 0 && i < n; i++)
		hit[i] = t->cost.mark[(int64_t)i * t->cost.columns / n];
	from = ts_span_overview(&t->span, n, t->span.from);
	to = ts_span_overview(&t->span, n, t->span.to - 1) + 1;
	ts_chart_strip(c, r, v, n, 1, from, to, t->has_cost ? hit : NULL);
	trace_draw_range_in(t, c, (struct ts_rect){r.x, r.y, n, 1});
}

/* --- read-out --------------------------------------------------------------------------------- */

static const char *
mark_of(const struct trace_view *t, const struct ts_trace_row *row)
{
	return ts_mark_note(ts_honesty_step(&t->trace->honest, row->step, row->class_of));
}

/* "47% of run 0", of all cycles where the run is not known. */
static void
share_text(const struct trace_view *t, const struct ts_trace_row *row, char *out, size_t size)
{
	int i = ts_trace_run_of(t->trace, row->step);
	char share[TS_FMT_MAX];
	double length = (double)(t->trace->to - t->trace->from);

	if (i >= 0 && t->trace->run[i].start != TS_UNKNOWN &&
		t->trace->run[i].end > t->trace->run[i].start) {
		length = (double)(t->trace->run[i].end - t->trace->run[i].start);
		snprintf(out, size, "%s of run %lld",
			ts_fmt_percent(share, (double)row->cycles, length),
			(long long)t->trace->run[i].run);
	} else {
		snprintf(out, size, "%s of all",
			ts_fmt_percent(share, (double)row->cycles, length));
	}
}

static void
tiles_text(const struct ts_trace_row *row, char *out, size_t size)
{
	char tiles[TS_FMT_MAX];
	int n = 0;

	out[0] = '\0';
	if (row->active_tiles != TS_UNKNOWN)
		n = snprintf(out, size, "  %s %s", ts_fmt_count(tiles, row->active_tiles),
			row->active_tiles == 1 ? "tile" : "tiles");
	if (row->balance >= 0 && n >= 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, "  balance %.0f%%", 100 * row->balance);
}

/* Figures of the step on the selected IPU, the less important ones where there is room. */
static void
figures_text(const struct trace_view *t, const struct ts_trace_row *row, char *out, size_t size,
	int room)
{
	char from[TS_FMT_MAX], to[TS_FMT_MAX], length[TS_FMT_MAX], share[80], tiles[80];
	int n;

	if (t->window.ipu < 0) {
		snprintf(out, size, "what each IPU did in it is not in this report");
		return;
	}
	if (!row->here && row->damaged) {
		snprintf(out, size, "damaged: what ipu %lld did cannot be read",
			(long long)t->window.ipu);
		return;
	}
	if (!row->here) {
		snprintf(out, size, "ipu %lld has no part in it", (long long)t->window.ipu);
		return;
	}
	if (row->cycles == 0 && row->end == row->start) {
		snprintf(out, size, "ipu %lld does nothing in it, at %s", (long long)t->window.ipu,
			trace_fmt_place(t, from, row->start));
		return;
	}
	share_text(t, row, share, sizeof(share));
	tiles_text(row, tiles, sizeof(tiles));
	n = snprintf(out, size, "ipu %lld  %s%s  %s", (long long)t->window.ipu,
		trace_fmt_length(t, length, row->cycles), trace_in_time(t) ? "" : " cycles", share);
	if (n < 0 || (size_t)n >= size)
		return;
	n += snprintf(out + n, size - (size_t)n, "  %s..%s", trace_fmt_place(t, from, row->start),
		trace_fmt_place(t, to, row->end));
	if ((size_t)n < size && n + (int)strlen(tiles) <= room)
		snprintf(out + n, size - (size_t)n, "%s", tiles);
}

static void
draw_readout(struct trace_view *t, struct ts_canvas *c)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	struct ts_rect r = t->at.readout, line;
	char figures[256], what[64], step[TS_FMT_MAX];
	const char *name, *mark;
	int x;

	if (ts_rect_empty(r))
		return;
	ts_canvas_fill(c, r, TS_ROLE_STATUS, ' ');
	line = ts_rect_row(r, 0);
	if (t->trace->rows == 0) {
		ts_canvas_text(c, line, 0, 0, TS_ROLE_STATUS,
			"lightweight profiling alone: blocks, and no steps");
		return;
	}
	if (!row || t->window.ipu != trace_ipu(t)) {
		if (t->fetch[ASK_WINDOW])
			ts_canvas_pending(c, line, 0, 0);
		return;
	}
	figures_text(t, row, figures, sizeof(figures), r.w);
	snprintf(what, sizeof(what), "step %s  %.*s  ", ts_fmt_count(step, row->step),
		(int)ts_min_i64(row->type_n, 24), t->window.text + row->type);
	x = ts_canvas_text(c, line, 0, 0, TS_ROLE_STATUS, what);
	if (r.h < 2) {
		ts_canvas_text(c, line, x, 0, TS_ROLE_STATUS, figures);
		return;
	}
	name = row->name_n > 0 ? t->window.text + row->name : "";
	mark = row->here && row->cycles > 0 ? mark_of(t, row) : "";
	ts_canvas_right(c, line, 0, 0, TS_ROLE_NOTE, mark);
	ts_canvas_field(c, line, x, 0, line.w - x - (int)strlen(mark) - 2, TS_ROLE_STATUS, name,
		row->name_n, TS_FIELD_TAIL);
	ts_canvas_text(c, ts_rect_row(r, 1), 0, 0, TS_ROLE_STATUS, figures);
}

static void
draw_cursor(struct trace_view *t, struct ts_canvas *c)
{
	ts_chart_cursor(c, time_rows(t), ts_span_column(&t->span, t->span.cursor),
		t->focus == TRACE_LANES);
}

/* --- together ----------------------------------------------------------------------------------- */

static void
draw_legend(struct trace_view *t, struct ts_canvas *c)
{
	struct trace_drawing *d = trace_drawn(t);
	struct ts_rect r = t->at.legend;
	char note[TRACE_NOTE] = "";

	if (ts_rect_empty(r))
		return;
	if (d->ops->note)
		d->ops->note(d, note);
	ts_canvas_right(c, r, 0, 0, TS_ROLE_NOTE, note);
	r.w -= note[0] ? (int)ts_utf8_columns(note, strlen(note)) + 1 : 0;
	if (d->ops->legend)
		d->ops->legend(d, c, r);
	else
		trace_draw_key(t, c, r);
}

static void
draw_drawing(struct trace_view *t, struct ts_canvas *c)
{
	struct trace_drawing *d = trace_drawn(t);
	const struct ts_pane_data *missing = trace_missing(t);
	struct ts_rect lanes = t->at.lanes;
	int free_from;

	if (missing) {
		lanes.w += lanes.x - t->area.x;
		lanes.x = t->area.x;
		ts_pane_draw(c, lanes, t->view.env, missing);
		return;
	}
	draw_strip(t, c);
	free_from = trace_draw_ruler(t, c, t->at.lanes, t->at.axis, t->trace->from + t->span.from,
		t->trace->from + t->span.to);
	d->ops->draw(d, c, t->focus == TRACE_LANES);
	if (!d->ops->own_axis) {
		draw_runs(t, c, free_from);
		trace_draw_range(t, c);
		draw_cursor(t, c);
	}
	draw_legend(t, c);
}

void
trace_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct trace_view *t = (struct trace_view *)v;

	if (!t->trace) {
		ts_pane_draw(c, t->area, t->view.env, &t->data);
		return;
	}
	if (!ts_rect_empty(t->at.lanes))
		draw_drawing(t, c);
	draw_readout(t, c);
	ts_tabs_draw(&t->tabs, c, t->focus == TRACE_TABS);
}
