/* SPDX-License-Identifier: MIT */
/*
 * trace_lanes - the drawing with a lane for each IPU, and the key of the classes.
 *
 * While a newer chart is under way the old one is shown, stretched to where its times now are.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum {
	GAP_FROM = 4,	  /* rows of a lane from which on one of them is left blank */
	STARTS_SHARE = 3, /* letters at starts when at most a third of the columns has one */
	PANEL = 10,	  /* rows that say why there are no lanes */
};

/* The column of the chart that has column x of the span; -1 when the chart does not have it. */
static int
chart_column(const struct trace_view *t, int x)
{
	const struct ts_trace_chart *k = &t->chart;
	int64_t a, b, middle;
	int column;

	if (k->from == t->trace->from + t->span.from && k->to == t->trace->from + t->span.to &&
		k->columns == t->span.columns)
		return x;
	ts_span_bucket(&t->span, x, &a, &b);
	middle = t->trace->from + a + (b - a) / 2;
	if (middle < k->from || middle >= k->to)
		return -1;
	column = (int)((double)(middle - k->from) / (double)(k->to - k->from) * k->columns);
	return column < k->columns ? column : -1; /* rounded up at the end of an enormous range */
}

static int
chart_lane(const struct trace_view *t, int64_t ipu)
{
	for (int l = 0; l < t->chart.lanes; l++)
		if (t->chart.ipu[l] == ipu)
			return l;
	return -1;
}

static void
draw_lane(struct trace_view *t, struct ts_canvas *c, struct ts_rect r, int lane)
{
	double share[TS_CLASS_COUNT][TS_TRACE_COLUMNS];
	bool start[TS_TRACE_COLUMNS];
	struct ts_band band[TS_CLASS_COUNT];
	struct ts_area area = {.bands = TS_CLASS_COUNT, .band = band, .top = 1};
	int starts = 0;

	area.columns = r.w < TS_TRACE_COLUMNS ? r.w : TS_TRACE_COLUMNS;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		band[k] = (struct ts_band){share[k], (enum ts_role)(TS_ROLE_COMPUTE + k),
			ts_step_class_letter((enum ts_step_class)k)};
	for (int x = 0; x < area.columns; x++) {
		int from = chart_column(t, x);
		bool there = from >= 0 && from < t->chart.columns;

		start[x] = there && ts_trace_start(&t->chart, lane)[from];
		starts += start[x];
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			share[k][x] = there
				? ts_trace_share(&t->chart, lane, (enum ts_step_class)k)[from]
				: 0;
	}
	ts_chart_lane(c, r, &area, starts * STARTS_SHARE <= area.columns ? start : NULL);
	for (int x = 0; x < area.columns; x++)
		if (chart_column(t, x) >= 0 &&
			ts_trace_unknown(&t->chart, lane)[chart_column(t, x)])
			ts_canvas_glyph(c, r, x, r.h - 1, TS_ROLE_DIM, 0xb7);
}

static void
lanes_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus)
{
	struct trace_view *t = d->trace;
	const struct trace_places *at = &t->at;

	(void)focus;

	if (ts_rect_empty(at->lanes))
		return;
	if (!ts_pane_has(&t->lanes) && t->chart.columns == 0) {
		ts_pane_draw(c, at->lanes, t->view.env, &t->lanes);
		return;
	}
	for (int i = 0; i < at->lane_count && t->lane_top + i < t->trace->ipus; i++) {
		int ipu = t->lane_top + i, lane = chart_lane(t, t->trace->ipu[ipu]);
		struct ts_rect r = {at->lanes.x, at->lanes.y + i * at->lane_rows, at->lanes.w,
			at->lane_rows - (at->lane_rows >= GAP_FROM)};
		struct ts_rect label = {at->labels.x, r.y, at->labels.w, 1};

		ts_canvas_printf(c, label, 0, 0, ipu == t->ipu ? TS_ROLE_ACCENT : TS_ROLE_LABEL,
			"%cipu %lld", ipu == t->ipu ? '>' : ' ', (long long)t->trace->ipu[ipu]);
		if (lane >= 0)
			draw_lane(t, c, r, lane);
		else
			ts_canvas_pending(c, r, 0, 0);
	}
}

/* --- legend ----------------------------------------------------------------------------------- */

enum { LEGENDS = 3 };

static const char *
legend_name(int k, int legend)
{
	static const char *const names[LEGENDS - 1][TS_CLASS_COUNT] = {
		{"compute", "exchange", "global", "sync", "ext.sync", "wait", "copy", "end",
			"control"},
		{"compute", "exchange", "global", "sync", "ext", "wait", "copy", "end", "ctl"},
	};

	return legend == 0 ? ts_step_class_label((enum ts_step_class)k) : names[legend - 1][k];
}

/* The longest names that fit. */
static int
choose_legend(int room)
{
	int legend = 0;

	for (; legend + 1 < LEGENDS; legend++) {
		int w = -1;

		for (int k = 0; k < TS_CLASS_COUNT; k++)
			w += (int)strlen(legend_name(k, legend)) + 3;
		if (w <= room)
			break;
	}
	return legend;
}

static void
lanes_note(struct trace_drawing *d, char note[TRACE_NOTE])
{
	const struct trace_view *t = d->trace;
	size_t size = TRACE_NOTE;

	if (t->trace->ipus > t->at.lane_count)
		snprintf(note, size, "%d of %d %s", t->at.lane_count, t->trace->ipus,
			t->chart.sampled ? "" : "ipus");
	if (t->chart.sampled)
		strncat(note, "sampled", size - strlen(note) - 1);
	if (t->trace->forwards)
		strncat(note, " read forwards", size - strlen(note) - 1);
	if (t->lanes.state == TS_PANE_PARTIAL)
		strncat(note, " damaged", size - strlen(note) - 1);
}

void
trace_draw_key(struct ts_canvas *c, struct ts_rect r)
{
	bool letters = c->mono || c->glyphs == TS_GLYPHS_ASCII;
	int x = 0, legend = choose_legend(r.w);

	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		enum ts_role role = (enum ts_role)(TS_ROLE_COMPUTE + k);
		uint32_t letter = (unsigned char)ts_step_class_letter((enum ts_step_class)k);

		if (x + 2 + (int)strlen(legend_name(k, legend)) > r.w)
			break;
		if (letters)
			ts_canvas_glyph(c, r, x, 0, role, letter);
		else
			ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, role, letter);
		x = ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, legend_name(k, legend)) + 1;
	}
}

/* --- as a drawing ------------------------------------------------------------------------------- */

/* Rows for lanes: all of them if a little more than half of the room is enough. */
static int
lanes_rows(struct trace_drawing *d, int room)
{
	struct trace_view *t = d->trace;
	int ipus = t->trace && t->trace->ipus > 0 ? t->trace->ipus : 1;
	bool alone = t->zoomed && t->focus == TRACE_LANES;
	int most = alone ? room : room * 11 / 20;

	if (t->lanes.state == TS_PANE_ABSENT) {
		t->at.lane_rows = (int)ts_clamp_i64(room, 1, PANEL);
		t->at.lane_count = 1;
		t->lane_top = 0;
		return t->at.lane_rows;
	}
	most = most > 1 ? most : 1;
	t->at.lane_rows = 1;
	if (room >= 24)
		t->at.lane_rows = (int)ts_clamp_i64(most / ipus, 1, 4);
	if (alone)
		t->at.lane_rows = (int)ts_clamp_i64(most / ipus, 1, 8);
	t->at.lane_count = (int)ts_clamp_i64(most / t->at.lane_rows, 1, ipus);
	t->lane_top = (int)ts_clamp_i64(t->lane_top, t->ipu - t->at.lane_count + 1, t->ipu);
	t->lane_top = (int)ts_clamp_i64(t->lane_top, 0, ipus - t->at.lane_count);
	return t->at.lane_count * t->at.lane_rows;
}

static void
lanes_request(struct trace_drawing *d)
{
	trace_ask_chart(d->trace);
}

static enum ts_effect
lanes_mouse(struct trace_drawing *d, int x, int y, int wheel)
{
	struct trace_view *t = d->trace;
	int lane = t->lane_top + (y - d->plot.y) / ts_max_i64(t->at.lane_rows, 1);

	(void)x;
	if (!wheel && lane < t->trace->ipus)
		t->ipu = lane;
	return TS_EFFECT_UNKNOWN;
}

const struct trace_drawing_ops trace_drawing_lanes = {
	.name = "lanes",
	.title = "a lane for each IPU",
	.rows = lanes_rows,
	.request = lanes_request,
	.draw = lanes_draw,
	.note = lanes_note,
	.mouse = lanes_mouse,
	.chart = trace_lanes_chart,
};
