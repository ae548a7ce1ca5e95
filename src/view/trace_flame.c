/* SPDX-License-Identifier: MIT */
/*
 * trace_flame - the drawing of the selected IPU's time as a flame graph: a row for each frame of the stacks.
 *
 * In each column stands one path (report/flame.h); neighbours of the same frame are one box. The cursor is a frame: the
 * time of the view and a row. The last row says what the box under it is. While a newer chart is under way the old
 * one is shown, stretched to where its times now are.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_frames.h"

#include "tilescope/base/mem.h"

enum {
	BACKS = 16,
	COLUMNS = TS_TRACE_COLUMNS,
	NOTE_WIDE = 90 /* columns for a note in whole words */
};

struct question {
	bool asked;
	int64_t from, to, ipu;
	int columns;
	unsigned sections;
};

struct flame {
	struct ts_pane_data data;
	struct ts_fetch *fetch; /* the newest, or NULL */
	struct question asked;
	struct ts_flame_chart chart;
	uint32_t leaf[COLUMNS]; /* of each column of the plot, by what is drawn; TS_FLAME_NONE */
	int run[COLUMNS];	/* the run that it is in, also where nothing runs; -1: none */
	int columns;
	int depth, top; /* of the cursor, of the first row */
	int tallest; /* depth of the deepest frame so far: the rows do not jump with each step aside */
	struct {
		int64_t from, to;
	} back[BACKS];
	int backs;
};

struct flame_fetch {
	struct trace_frames_fetch of; /* first */
	struct question q;
	struct ts_flame_chart chart;
};

/* --- asking ----------------------------------------------------------------------------------------- */

static enum ts_code
read_chart(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct flame_fetch *f = (struct flame_fetch *)fetch;
	enum ts_code code = trace_frames_contexts(&f->of, rd, err);

	return code ? code
		    : ts_flame_chart_read(&f->chart, rd, f->of.trace, f->of.contexts, f->q.from,
			      f->q.to, f->q.columns, f->q.ipu, err);
}

static void
fini(struct ts_fetch *fetch)
{
	struct flame_fetch *f = (struct flame_fetch *)fetch;

	ts_flame_chart_fini(&f->chart);
	trace_frames_fini(&f->of);
}

static void
flame_request(struct trace_drawing *d)
{
	struct trace_view *t = d->trace;
	struct flame *k = d->own;
	struct question q = {.asked = true,
		.from = t->trace->from + t->span.from,
		.to = t->trace->from + t->span.to,
		.ipu = trace_ipu(t),
		.columns = t->span.columns};
	const struct question *was = &k->asked;
	struct flame_fetch *f;

	if (!t->trace->has_parts || q.columns <= 0 || q.columns > COLUMNS || d->plot.h <= 0)
		return;
	if (was->asked && was->from == q.from && was->to == q.to && was->ipu == q.ipu &&
		was->columns == q.columns)
		return;
	f = trace_frames_fetch(d, sizeof(*f), read_chart, fini);
	if (!f)
		return;
	f->q = k->asked = q;
	k->fetch = &f->of.fetch;
	k->data.state = k->chart.columns > 0 ? TS_PANE_STALE : TS_PANE_LOADING;
	/* debug contexts, and what can only be read forwards, take longer than a screen may wait */
	trace_drawing_send(d, k->fetch, 0,
		t->contexts_known && !t->trace->forwards ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"reading frames");
}

static void fill_columns(struct trace_drawing *d);

static int
deepest(const struct flame *k)
{
	int depth = 0;

	for (int x = 0; x < k->columns; x++)
		if (k->leaf[x] != TS_FLAME_NONE)
			depth = (int)ts_max_i64(depth,
				ts_frame_at(&k->chart.frames, k->leaf[x])->depth);
	return depth;
}

static enum ts_effect
flame_deliver(struct trace_drawing *d, struct ts_fetch *fetch)
{
	struct flame_fetch *f = (struct flame_fetch *)fetch;
	struct flame *k = d->own;
	bool some;

	trace_frames_take(d->trace, &f->of);
	if (k->fetch != fetch)
		return TS_EFFECT_NONE;
	k->fetch = NULL;
	some = f->chart.columns > 0;
	ts_pane_result(&k->data, fetch->code, &fetch->err, some);
	if (some) {
		ts_flame_chart_fini(&k->chart);
		k->chart = f->chart;
		f->chart = (struct ts_flame_chart){0};
		fill_columns(d); /* they name frames of the chart that is gone */
		k->tallest = (int)ts_max_i64(k->tallest, deepest(k));
	}
	return TS_EFFECT_REPAINT;
}

static void
flame_drop(struct trace_drawing *d)
{
	struct flame *k = d->own;

	ts_flame_chart_fini(&k->chart);
	trace_frames_drop(d->trace);
	k->fetch = NULL;
	k->asked.asked = false;
	k->data.state = TS_PANE_EMPTY;
	k->backs = k->columns = k->tallest = 0;
}

static bool
flame_open(struct trace_drawing *d)
{
	d->own = ts_alloc(1, sizeof(struct flame));
	return d->own != NULL;
}

static void
flame_close(struct trace_drawing *d)
{
	if (d->own)
		flame_drop(d);
	free(d->own);
	d->own = NULL;
}

/* --- boxes ------------------------------------------------------------------------------------------ */

/* The column of the chart that has column x of the plot; -1: none. */
static int
chart_column(const struct trace_view *t, const struct ts_flame_chart *c, int x)
{
	int64_t a, b, middle;

	if (c->from == t->trace->from + t->span.from && c->to == t->trace->from + t->span.to &&
		c->columns == t->span.columns)
		return x;
	ts_span_bucket(&t->span, x, &a, &b);
	middle = t->trace->from + a + (b - a) / 2;
	if (middle < c->from || middle >= c->to)
		return -1;
	x = (int)((double)(middle - c->from) / (double)(c->to - c->from) * c->columns);
	return x < c->columns ? x : -1;
}

/* The run of a column: of its step, else of the time in its middle; -1: none. */
static int
run_of(const struct trace_view *t, const struct flame *k, int x, int from)
{
	int64_t a, b;

	if (from >= 0 && k->chart.step[from] != TS_UNKNOWN)
		return ts_trace_run_of(t->trace, k->chart.step[from]);
	ts_span_bucket(&t->span, x, &a, &b);
	a += t->trace->from + (b - a) / 2;
	for (int i = 0; i < t->trace->runs; i++)
		if (t->trace->run[i].start != TS_UNKNOWN && a >= t->trace->run[i].start &&
			a < t->trace->run[i].end)
			return i;
	return -1;
}

/* Fill in what each column of the plot shows. */
static void
fill_columns(struct trace_drawing *d)
{
	const struct trace_view *t = d->trace;
	struct flame *k = d->own;

	k->columns = d->plot.w < t->span.columns ? d->plot.w : t->span.columns;
	k->columns = k->columns < COLUMNS ? k->columns : COLUMNS;
	for (int x = 0; x < k->columns; x++) {
		int from = k->chart.columns > 0 && k->chart.ipu == trace_ipu(t)
			? chart_column(t, &k->chart, x)
			: -1;
		uint32_t leaf = from < 0 ? TS_FLAME_NONE : k->chart.leaf[from];

		if (leaf != TS_FLAME_NONE &&
			t->hidden & 1u << ts_frame_at(&k->chart.frames, leaf)->class_of)
			leaf = TS_FLAME_NONE;
		k->leaf[x] = leaf;
		k->run[x] = k->chart.columns > 0 ? run_of(t, k, x, from) : -1;
	}
}

/* The frame of a column at a depth. The run goes on where nothing runs. */
static uint32_t
frame_at(const struct flame *k, int x, int depth)
{
	const struct ts_frames *f = &k->chart.frames;

	if (x < 0 || x >= k->columns)
		return TS_FLAME_NONE;
	if (k->leaf[x] == TS_FLAME_NONE)
		return depth == 0 && k->run[x] >= 0 ? TS_FRAME_RUN : TS_FLAME_NONE;
	return ts_frame_at(f, k->leaf[x])->depth < depth ? TS_FLAME_NONE
							 : ts_frame_up(f, k->leaf[x], depth);
}

/* Columns [*from, *to) of the box that column x is in at a depth; false: there is none. */
static bool
box_at(const struct flame *k, int x, int depth, int *from, int *to)
{
	uint32_t frame = frame_at(k, x, depth);

	if (frame == TS_FLAME_NONE)
		return false;
	for (*from = x; frame_at(k, *from - 1, depth) == frame && k->run[*from - 1] == k->run[x];)
		--*from;
	for (*to = x + 1; frame_at(k, *to, depth) == frame && k->run[*to] == k->run[x];)
		++*to;
	return true;
}

/* The class that most columns of a box have, and those that are there. */
static enum ts_step_class
class_of(const struct flame *k, int from, int to, unsigned *classes)
{
	int columns[TS_CLASS_COUNT] = {0}, best = 0;

	*classes = 0;
	for (int x = from; x < to; x++) {
		int c;

		if (k->leaf[x] == TS_FLAME_NONE)
			continue;
		c = ts_frame_at(&k->chart.frames, k->leaf[x])->class_of;
		columns[c]++;
		*classes |= 1u << c;
	}
	for (int c = 1; c < TS_CLASS_COUNT; c++)
		if (columns[c] > columns[best])
			best = c;
	return (enum ts_step_class)best;
}

/* The column of the cursor, and the depth of the frame under it; false: nothing runs there. */
static bool
cursor_at(const struct trace_view *t, const struct flame *k, int *x, int *depth)
{
	*x = ts_span_column(&t->span, t->span.cursor);
	if (frame_at(k, *x, 0) == TS_FLAME_NONE)
		return false;
	*depth = 0;
	if (k->leaf[*x] != TS_FLAME_NONE)
		*depth = (int)ts_min_i64(k->depth,
			ts_frame_at(&k->chart.frames, k->leaf[*x])->depth);
	return true;
}

bool
trace_flame_cursor(const struct trace_view *t, const struct ts_frames **frames, uint32_t *frame)
{
	const struct flame *k = NULL;
	int x, depth;

	for (int i = 0; i < t->drawings; i++)
		if (t->drawing[i].ops == &trace_drawing_flame)
			k = t->drawing[i].own;
	if (!k || k->columns == 0 || !cursor_at(t, k, &x, &depth))
		return false;
	*frames = &k->chart.frames;
	*frame = frame_at(k, x, depth);
	return *frame != TS_FLAME_NONE;
}

/* --- drawing ---------------------------------------------------------------------------------------- */

static void
draw_row(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect row, int depth, bool focus)
{
	const struct trace_view *t = d->trace;
	const struct flame *k = d->own;
	int cursor, at, to;
	bool here = cursor_at(t, k, &cursor, &at) && at == depth;

	for (int x = 0, from; x < k->columns; x = to) {
		struct trace_box b = {.x = x};
		unsigned classes;
		uint32_t frame;

		to = x + 1;
		if (!box_at(k, x, depth, &from, &to))
			continue;
		frame = frame_at(k, x, depth);
		b.w = to - x;
		b.class_of = class_of(k, x, to, &classes);
		b.name = ts_frame_name(&k->chart.frames, frame, &b.n);
		b.hit = trace_frame_hit(t, b.name, b.n);
		b.cursor = here && cursor >= x && cursor < to;
		trace_draw_box(c, row, &b, focus);
	}
}

/* Cycles that a step of the frame runs in the box, and how many do; false: the chart is sampled. */
static bool
measure(const struct trace_view *t, const struct flame *k, int from, int to, int depth,
	struct ts_flame_place *sum)
{
	*sum = (struct ts_flame_place){0};
	for (int x = from; x < to; x++) {
		int at = chart_column(t, &k->chart, x);

		if (at < 0)
			continue;
		sum->covered += ts_flame_place_at(&k->chart, at, depth)->covered;
		sum->runs += x == from ? ts_flame_place_at(&k->chart, at, depth)->runs
				       : ts_flame_place_at(&k->chart, at, depth)->begins;
	}
	return !k->chart.sampled && k->fetch == NULL;
}

/* "12.1% of run 0" of a length. */
static void
share_text(const struct trace_view *t, int run, int64_t cycles, char *out, size_t size)
{
	char share[TS_FMT_MAX];

	if (run >= 0 && t->trace->run[run].start != TS_UNKNOWN &&
		t->trace->run[run].end > t->trace->run[run].start)
		snprintf(out, size, "%s of run %lld",
			ts_fmt_percent(share, (double)cycles,
				(double)(t->trace->run[run].end - t->trace->run[run].start)),
			(long long)t->trace->run[run].run);
	else
		snprintf(out, size, "%s of all",
			ts_fmt_percent(share, (double)cycles,
				(double)(t->trace->to - t->trace->from)));
}

static void
draw_readout(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect row)
{
	const struct trace_view *t = d->trace;
	const struct flame *k = d->own;
	char figures[160], length[TS_FMT_MAX], count[TS_FMT_MAX], share[80];
	struct ts_flame_place sum;
	unsigned classes;
	int x, depth, from, to;
	int64_t a, b, c1;

	ts_canvas_fill(c, row, TS_ROLE_STATUS, ' ');
	if (!cursor_at(t, k, &x, &depth) || !box_at(k, x, depth, &from, &to)) {
		ts_canvas_text(c, row, 0, 0, TS_ROLE_STATUS,
			k->columns > 0 ? "nothing runs here" : "");
		return;
	}
	class_of(k, from, to, &classes);
	if (measure(t, k, from, to, depth, &sum)) {
		share_text(t, k->run[x], sum.covered, share, sizeof(share));
		snprintf(figures, sizeof(figures), "%s%s  %s  %s %s",
			trace_fmt_length(t, length, sum.covered), trace_in_time(t) ? "" : " cycles",
			share, ts_fmt_count(count, sum.runs), sum.runs == 1 ? "step" : "steps");
	} else {
		ts_span_bucket(&t->span, from, &a, &c1);
		ts_span_bucket(&t->span, to - 1, &c1, &b);
		share_text(t, k->run[x], b - a, share, sizeof(share));
		snprintf(figures, sizeof(figures), "about %s%s  %s",
			trace_fmt_length(t, length, b - a), trace_in_time(t) ? "" : " cycles",
			share);
	}
	trace_frame_line(c, row, figures, &k->chart.frames, frame_at(k, x, depth),
		trace_frame_mark(t, classes));
}

static void
draw_labels(const struct trace_drawing *d, struct ts_canvas *c, int rows)
{
	const struct flame *k = d->own;
	int last = deepest(k);

	for (int i = 1; i < rows && k->top + i <= last; i++)
		ts_canvas_printf(c, ts_rect_row(d->labels, i), d->labels.w - 3, 0, TS_ROLE_AXIS,
			"%2d", k->top + i);
	ts_canvas_printf(c, ts_rect_row(d->labels, 0), 0, 0, TS_ROLE_ACCENT, ">ipu %lld",
		(long long)trace_ipu(d->trace));
	if (k->top > 0 && rows > 1)
		ts_canvas_text(c, ts_rect_row(d->labels, 1), 0, 0, TS_ROLE_DIM, "^");
	if (k->top + rows <= last && rows > 2)
		ts_canvas_text(c, ts_rect_row(d->labels, rows - 1), 0, 0, TS_ROLE_DIM, "v");
}

static void
flame_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus)
{
	struct trace_view *t = d->trace;
	struct flame *k = d->own;
	struct ts_rect r = d->plot, line;
	int x, depth;

	if (!ts_pane_has(&k->data) && k->chart.columns == 0) {
		ts_pane_draw(c, r, t->view.env, &k->data);
		return;
	}
	fill_columns(d);
	line = r.h > 1 ? ts_rect_cut_bottom(&r, 1) : (struct ts_rect){0};
	depth = cursor_at(t, k, &x, &depth) ? depth : k->depth;
	k->top = (int)ts_clamp_i64(k->top, depth - r.h + 1, depth);
	k->top = (int)ts_clamp_i64(k->top, 0, ts_max_i64(deepest(k) - r.h + 1, 0));
	for (int i = 0; i < r.h; i++)
		draw_row(d, c, ts_rect_row(r, i), k->top + i, focus);
	draw_labels(d, c, r.h);
	draw_readout(d, c, line);
}

static void
flame_note(struct trace_drawing *d, char note[TRACE_NOTE])
{
	const struct flame *k = d->own;
	const char *sampled = d->plot.w < NOTE_WIDE ? "sampled"
						    : "the step in each column's middle";

	snprintf(note, TRACE_NOTE, "%s%s%s", k->chart.sampled ? sampled : "",
		k->data.state == TS_PANE_PARTIAL ? " damaged" : "",
		d->trace->hidden ? " some hidden" : "");
}

/* All frames, and a row for what is said of one. */
static int
flame_rows(struct trace_drawing *d, int room)
{
	const struct flame *k = d->own;
	int most = d->trace->zoomed ? room : room * 3 / 5;

	return (int)ts_clamp_i64(k->columns > 0 ? k->tallest + 2 : most, 4, ts_max_i64(most, 4));
}

/* --- commands --------------------------------------------------------------------------------------- */

static enum ts_effect
move_depth(struct trace_drawing *d, int by)
{
	struct flame *k = d->own;
	int x, depth;

	if (!cursor_at(d->trace, k, &x, &depth) || depth + by < 0 ||
		(by > 0 && frame_at(k, x, depth + by) == TS_FLAME_NONE))
		return TS_EFFECT_BELL;
	k->depth = depth + by;
	return TS_EFFECT_REPAINT;
}

/* To the box beside, over what is idle; beyond the edge the view goes on. */
static enum ts_effect
move_box(struct trace_drawing *d, int by)
{
	struct trace_view *t = d->trace;
	struct flame *k = d->own;
	int x, depth = k->depth, from, to;
	int64_t a, b;

	x = ts_span_column(&t->span, t->span.cursor);
	if (cursor_at(t, k, &x, &depth) && box_at(k, x, depth, &from, &to))
		x = by > 0 ? to - 1 : from;
	for (x += by; x >= 0 && x < k->columns && frame_at(k, x, depth) == TS_FLAME_NONE;)
		x += by;
	if (x < 0 || x >= k->columns) {
		a = by > 0 ? t->span.to : t->span.from - 1;
		if (a < 0 || a >= t->span.count)
			return TS_EFFECT_BELL;
		return trace_go_time(t, t->trace->from + a);
	}
	if (by < 0 && box_at(k, x, depth, &from, &to))
		x = from;
	ts_span_bucket(&t->span, x, &a, &b);
	return trace_go_time(t, t->trace->from + a);
}

/* The box under the cursor gets the whole width. */
static enum ts_effect
zoom_in(struct trace_drawing *d)
{
	struct trace_view *t = d->trace;
	struct flame *k = d->own;
	int64_t from = t->span.from, to = t->span.to, a, b, c;
	int x, depth, first, behind;

	if (!cursor_at(t, k, &x, &depth) || !box_at(k, x, depth, &first, &behind))
		return TS_EFFECT_BELL;
	ts_span_bucket(&t->span, first, &a, &c);
	ts_span_bucket(&t->span, behind - 1, &c, &b);
	ts_span_show(&t->span, a, b);
	if (t->span.from == from && t->span.to == to) {
		ts_view_say(t->view.env, "it has the whole width already");
		return TS_EFFECT_BELL;
	}
	if (k->backs == BACKS)
		memmove(&k->back[0], &k->back[1], sizeof(k->back[0]) * --k->backs);
	k->back[k->backs].from = from;
	k->back[k->backs++].to = to;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
zoom_out(struct trace_drawing *d)
{
	struct flame *k = d->own;

	if (k->backs == 0)
		return TS_EFFECT_UNKNOWN;
	k->backs--;
	ts_span_show(&d->trace->span, k->back[k->backs].from, k->back[k->backs].to);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
flame_command(struct trace_drawing *d, const struct ts_call *call)
{
	if (!d->trace->trace->has_parts)
		return TS_EFFECT_UNKNOWN;
	fill_columns(d);
	switch (call->cmd) {
	case TS_CMD_UP:
	case TS_CMD_DOWN:
		return move_depth(d, call->cmd == TS_CMD_DOWN ? 1 : -1);
	case TS_CMD_LEFT:
	case TS_CMD_RIGHT:
		return move_box(d, call->cmd == TS_CMD_RIGHT ? 1 : -1);
	case TS_CMD_OPEN:
		return zoom_in(d);
	case TS_CMD_BACK:
		return zoom_out(d);
	default:
		return TS_EFFECT_UNKNOWN;
	}
}

static enum ts_effect
flame_mouse(struct trace_drawing *d, int x, int y, int wheel)
{
	struct flame *k = d->own;

	(void)x;
	if (!wheel && y - d->plot.y < d->plot.h - 1)
		k->depth = k->top + y - d->plot.y;
	return TS_EFFECT_UNKNOWN;
}

static const struct ts_hint hints[] = {
	{TS_CMD_DOWN, "frames"},
	{TS_CMD_OPEN, "zoom into"},
	{TS_CMD_BACK, "out"},
	{TS_CMD_IPU_NEXT, "ipu"},
	{TS_CMD_DRAWING, "drawing"},
	{TS_CMD_COUNT, NULL},
};

const struct trace_drawing_ops trace_drawing_flame = {
	.name = "flame",
	.title = "a flame graph of the selected IPU's time",
	.foot = 1,
	.open = flame_open,
	.close = flame_close,
	.drop = flame_drop,
	.rows = flame_rows,
	.request = flame_request,
	.deliver = flame_deliver,
	.draw = flame_draw,
	.note = flame_note,
	.command = flame_command,
	.mouse = flame_mouse,
	.hints = hints,
};
