/* SPDX-License-Identifier: MIT */
/*
 * trace_lanes - the drawing with a lane for each IPU, and the key of the classes.
 *
 * While a newer chart is under way the old one is shown, stretched to where its times now are. Which lanes there are,
 * and how high, says trace_lane_set.c.
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

/* What runs beside the rest: I/O of the host, and syncs that are answered later. */
static bool
is_beside(int k)
{
	return k == TS_CLASS_HOST_WAIT || k == TS_CLASS_HOST_COPY || k == TS_CLASS_HOST_END ||
		k == TS_CLASS_ASYNC_SYNC;
}

/* Of each row the classes that stand there, each what those before it leave. */
static void
split(struct trace_lane_shares *s, const struct ts_trace_chart *chart, int lane, int from, int x)
{
	double above = 1, below = 1;

	for (int i = 0; i < TS_CLASS_COUNT; i++) {
		enum ts_step_class k = ts_class_order[i];
		double own = ts_trace_own(chart, lane, k)[from];
		double *left = is_beside(k) ? &below : &above;
		double v = own < *left ? own : *left;

		s->more |= k != TS_CLASS_ASYNC_SYNC && own > v + 0.001;
		*left -= v;
		s->upper[k][x] = is_beside(k) ? 0 : v;
		s->lower[k][x] = is_beside(k) ? v : 0;
	}
}

static void
fill_shares(struct trace_lane_shares *s, const struct trace_view *t, int lane, int columns,
	bool two)
{
	s->columns = columns < TS_TRACE_COLUMNS ? columns : TS_TRACE_COLUMNS;
	s->starts = 0;
	s->more = false;
	for (int x = 0; x < s->columns; x++) {
		int from = chart_column(t, x);
		bool there = from >= 0 && from < t->chart.columns;

		s->start[x] = there && ts_trace_start(&t->chart, lane)[from];
		s->starts += s->start[x];
		for (int k = 0; k < TS_CLASS_COUNT; k++) {
			s->upper[k][x] = there
				? ts_trace_share(&t->chart, lane, (enum ts_step_class)k)[from]
				: 0;
			s->lower[k][x] = 0;
		}
		if (two && there)
			split(s, &t->chart, lane, from, x);
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			if (t->hidden & 1u << k)
				s->upper[k][x] = s->lower[k][x] = 0;
	}
}

static void
draw_row(struct ts_canvas *c, struct ts_rect r, double (*share)[TS_TRACE_COLUMNS], int columns,
	const bool *start)
{
	struct ts_band band[TS_CLASS_COUNT];
	struct ts_area area = {.columns = columns, .bands = TS_CLASS_COUNT, .band = band, .top = 1};

	for (int k = 0; k < TS_CLASS_COUNT; k++)
		band[k] = (struct ts_band){share[k], (enum ts_role)(TS_ROLE_COMPUTE + k),
			ts_step_class_letter((enum ts_step_class)k)};
	ts_chart_lane(c, r, &area, start);
}

#define LINE_FROM 0.05 /* of a column */

/* The second row: a sync that is answered later is a line, no area. */
static void
draw_beside(struct ts_canvas *c, struct ts_rect r, struct trace_lane_shares *s)
{
	double line[TS_TRACE_COLUMNS];

	memcpy(line, s->lower[TS_CLASS_ASYNC_SYNC], sizeof(line));
	memset(s->lower[TS_CLASS_ASYNC_SYNC], 0, sizeof(line));
	draw_row(c, r, s->lower, s->columns, NULL);
	for (int x = 0; x < s->columns; x++)
		if (line[x] >= LINE_FROM)
			ts_canvas_glyph(c, r, x, 0, TS_ROLE_ASYNC_SYNC, 0x2500);
}

/* The column of the begin of the step that the profiler inflated; -1: it is not in sight. */
static int
artefact_column(const struct trace_view *t)
{
	return t->trace->artefact_start == TS_UNKNOWN || t->hidden & 1u << TS_CLASS_HOST_WAIT
		? -1
		: ts_span_column(&t->span, t->trace->artefact_start - t->trace->from);
}

static void
draw_artefact(const struct trace_view *t, struct ts_canvas *c, struct ts_rect r)
{
	int x = artefact_column(t);

	if (x >= 0)
		ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, TS_ROLE_HOST_WAIT,
			(unsigned char)ts_mark_sign(TS_MARK_ARTEFACT));
}

static void
draw_lane(struct trace_view *t, struct ts_canvas *c, struct ts_rect r, int lane, int ipu)
{
	struct trace_lane_shares *s = &t->lane.shares;
	bool two = trace_lane_is_two(t, ipu);
	struct ts_rect second = two && r.h > 1 ? ts_rect_cut_bottom(&r, 1) : (struct ts_rect){0};

	fill_shares(s, t, lane, r.w, !ts_rect_empty(second));
	draw_row(c, r, s->upper, s->columns,
		s->starts * STARTS_SHARE <= s->columns ? s->start : NULL);
	if (!ts_rect_empty(second))
		draw_beside(c, second, s);
	draw_artefact(t, c, ts_rect_empty(second) ? r : second);
	t->lane.more |= s->more;
	for (int x = 0; x < s->columns; x++)
		if (chart_column(t, x) >= 0 &&
			ts_trace_unknown(&t->chart, lane)[chart_column(t, x)])
			ts_canvas_glyph(c, r, x, r.h - 1, TS_ROLE_DIM, 0xb7);
}

/* What is to be known of a whole lane: its cycles are estimates, of one replica. */
static char
lane_sign(const struct trace_view *t)
{
	const struct ts_honesty *h = &t->trace->honest;
	enum ts_mark m = ts_honesty_step(h, TS_UNKNOWN, TS_CLASS_COMPUTE);

	if (m == TS_MARK_ESTIMATED || m == TS_MARK_UNKNOWN)
		return ts_mark_sign(m);
	return h->replicas > 1 ? ts_mark_sign(TS_MARK_REPLICA) : ' ';
}

static void
draw_label(const struct trace_view *t, struct ts_canvas *c, struct ts_rect r, int ipu)
{
	enum ts_role role = ipu == t->ipu ? TS_ROLE_ACCENT : TS_ROLE_LABEL;
	int x = ts_canvas_printf(c, r, 0, 0, role, "%cipu %lld", ipu == t->ipu ? '>' : ' ',
		(long long)t->trace->ipu[ipu]);

	ts_canvas_glyph(c, r, x, 0, TS_ROLE_NOTE, (unsigned char)lane_sign(t));
	if (trace_lane_is_two(t, ipu) && r.h > 1)
		ts_canvas_text(c, r, 2, r.h - 1, TS_ROLE_DIM, "i/o");
	else if (trace_lane_overlaps(t, ipu)) /* something runs beside what is seen */
		ts_canvas_glyph(c, r, r.w - 1, 0, TS_ROLE_NOTE, '+');
}

static void
lanes_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus)
{
	struct trace_view *t = d->trace;
	const struct trace_places *at = &t->at;

	(void)focus;
	if (!ts_pane_has(&t->lanes) && t->chart.columns == 0) {
		ts_pane_draw(c, at->lanes, t->view.env, &t->lanes);
		return;
	}
	t->lane.more = false;
	for (int i = 0; i < at->lane_count && t->lane_top + i < t->lane.count; i++) {
		int ipu = t->lane.shown[t->lane_top + i];
		int lane = chart_lane(t, t->trace->ipu[ipu]);
		struct ts_rect r = {at->lanes.x, at->lanes.y + at->lane_y[i], at->lanes.w,
			at->lane_y[i + 1] - at->lane_y[i]};

		r.h -= r.h >= GAP_FROM;
		draw_label(t, c, (struct ts_rect){at->labels.x, r.y, at->labels.w, r.h}, ipu);
		if (lane >= 0)
			draw_lane(t, c, r, lane, ipu);
		else
			ts_canvas_pending(c, r, 0, 0);
	}
}

/* --- legend ----------------------------------------------------------------------------------- */

const char *
trace_class_name(int k, int legend)
{
	static const char *const names[TRACE_LEGENDS - 1][TS_CLASS_COUNT] = {
		{"compute", "exchange", "global", "sync", "ext.sync", "async", "wait", "copy",
			"end", "control"},
		{"compute", "exchange", "global", "sync", "ext", "async", "wait", "copy", "end",
			"ctl"},
	};

	return legend == 0 ? ts_step_class_label((enum ts_step_class)k) : names[legend - 1][k];
}

/* The longest names that fit. */
static int
choose_legend(int room)
{
	int legend = 0;

	for (; legend + 1 < TRACE_LEGENDS; legend++) {
		int w = -1;

		for (int k = 0; k < TS_CLASS_COUNT; k++)
			w += (int)strlen(trace_class_name(k, legend)) + 3;
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
		snprintf(note, size, "%d of %d ipus, ", t->at.lane_count, t->trace->ipus);
	if (t->lane.more)
		strncat(note, "overlaps hidden, ", size - strlen(note) - 1);
	if (t->hidden)
		strncat(note, "some hidden, ", size - strlen(note) - 1);
	if (t->chart.sampled)
		strncat(note, "sampled, ", size - strlen(note) - 1);
	if (t->trace->forwards)
		strncat(note, "read forwards, ", size - strlen(note) - 1);
	if (t->lanes.state == TS_PANE_PARTIAL)
		strncat(note, "damaged, ", size - strlen(note) - 1);
	if (note[0])
		note[strlen(note) - 2] = '\0';
}

void
trace_draw_key(const struct trace_view *t, struct ts_canvas *c, struct ts_rect r)
{
	bool letters = c->mono || c->glyphs == TS_GLYPHS_ASCII;
	const char *artefact = ts_mark_word(TS_MARK_ARTEFACT);
	bool marked = t->drawing[t->drawn].ops == &trace_drawing_lanes && artefact_column(t) >= 0;
	int x = 0, w = (int)strlen(artefact) + 3, legend = choose_legend(r.w - (marked ? w : 0));

	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		enum ts_role role = (enum ts_role)(TS_ROLE_COMPUTE + k);
		uint32_t letter = (unsigned char)ts_step_class_letter((enum ts_step_class)k);

		if (x + 2 + (int)strlen(trace_class_name(k, legend)) > r.w)
			break;
		if (t->hidden & 1u << k)
			ts_canvas_glyph(c, r, x, 0, TS_ROLE_DIM, '-');
		else if (letters)
			ts_canvas_glyph(c, r, x, 0, role, letter);
		else
			ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, role, letter);
		x = ts_canvas_text(c, r, x + 2, 0,
			    t->hidden & 1u << k ? TS_ROLE_DIM : TS_ROLE_LABEL,
			    trace_class_name(k, legend)) +
			1;
	}
	if (marked && x + w - 1 <= r.w) {
		ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, TS_ROLE_HOST_WAIT,
			(unsigned char)ts_mark_sign(TS_MARK_ARTEFACT));
		ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, artefact);
	}
}

/* --- as a drawing ------------------------------------------------------------------------------- */

static int
lanes_rows(struct trace_drawing *d, int room)
{
	struct trace_view *t = d->trace;

	if (t->lanes.state != TS_PANE_ABSENT)
		return trace_lanes_rows(t, room);
	t->at.lane_count = 0;
	t->lane_top = 0;
	return (int)ts_clamp_i64(room, 1, PANEL);
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
	int lane = t->at.lane_count - 1;

	(void)x;
	while (lane > 0 && y - d->plot.y < t->at.lane_y[lane])
		lane--;
	if (!wheel && lane >= 0)
		t->ipu = t->lane.shown[t->lane_top + lane];
	return TS_EFFECT_UNKNOWN;
}

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct trace_view *t, const struct ts_call *call);
} commands[] = {
	{TS_CMD_FOLD, trace_fold_lanes},
	{TS_CMD_UNFOLD, trace_fold_lanes},
	{TS_CMD_LANE_FOLD, trace_fold_lane},
};

static enum ts_effect
lanes_command(struct trace_drawing *d, const struct ts_call *call)
{
	for (size_t i = 0; i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			return commands[i].run(d->trace, call);
	return TS_EFFECT_UNKNOWN;
}

const struct trace_drawing_ops trace_drawing_lanes = {
	.name = "lanes",
	.title = "a lane for each IPU",
	.rows = lanes_rows,
	.request = lanes_request,
	.draw = lanes_draw,
	.note = lanes_note,
	.command = lanes_command,
	.mouse = lanes_mouse,
	.chart = trace_lanes_chart,
};
