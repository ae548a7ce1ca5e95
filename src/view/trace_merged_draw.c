/* SPDX-License-Identifier: MIT */
/*
 * trace_merged_draw - the merged flame graph to the canvas.
 *
 * Frames that are narrower than half a column are not drawn (those behind them in the same frame are not wider): dots stand
 * for their width. So the work is bounded by the cells, whatever the number of frames.
 */
#include "config.h"

#include <stdio.h>

#include "trace_merged.h"

#include "tilescope/base/mem.h"

__extension__ typedef __int128 i128;

static int
depth_of(const struct merged *k, uint32_t node)
{
	return ts_frame_at(&k->tree.flame->frames, k->tree.node[node].frame)->depth;
}

/* Frames below one another in what is shown, at most. */
static int
deepest(const struct merged *k)
{
	int depth = 0, root;

	if (k->tree.count == 0)
		return 0;
	root = depth_of(k, k->root);
	for (uint32_t i = k->root; i <= k->root + k->tree.node[k->root].inside; i++)
		depth = (int)ts_max_i64(depth, depth_of(k, i) - root);
	return depth;
}

/* The column at which so many cycles of the root end. */
static int
column_of(const struct merged *k, int64_t cycles, int w)
{
	int64_t all = k->tree.node[k->root].sum.cycles;

	return all > 0 ? (int)(((i128)cycles * w + all / 2) / all) : 0;
}

struct drawing {
	struct trace_drawing *d;
	struct ts_canvas *c;
	struct ts_rect r; /* of the frames */
	bool focus;
	struct {
		uint32_t child, end; /* children that are still to be drawn */
		int64_t at;	     /* cycles before the next one */
	} open[TS_FRAMES_DEPTH + 1];
};

static void
draw_node(const struct drawing *w, uint32_t node, int depth, int x, int end)
{
	const struct merged *k = w->d->own;
	const struct ts_flame_node *n = &k->tree.node[node];
	struct trace_box b = {.x = x, .w = end - x, .class_of = (enum ts_step_class)n->class_of};

	b.name = ts_frame_name(&k->tree.flame->frames, n->frame, &b.n);
	b.hit = trace_frame_hit(w->d->trace, b.name, b.n);
	b.cursor = node == k->cursor;
	if (depth >= k->top && depth - k->top < w->r.h &&
		!(w->d->trace->hidden & 1u << n->class_of))
		trace_draw_box(w->c, ts_rect_row(w->r, depth - k->top), &b, w->focus);
}

/* What of a frame's width its narrow children have. */
static void
draw_rest(const struct drawing *w, int depth, int x, int end)
{
	const struct merged *k = w->d->own;

	for (; depth >= k->top && depth - k->top < w->r.h && x < end; x++)
		ts_canvas_glyph(w->c, ts_rect_row(w->r, depth - k->top), x, 0, TS_ROLE_DIM, 0xb7);
}

/* All frames that are half a column wide or more: as many as there are columns, row by row. */
static void
draw_nodes(struct drawing *w)
{
	const struct merged *k = w->d->own;
	const struct ts_flame_node *node = k->tree.node;
	int depth = 0;

	draw_node(w, k->root, 0, 0, w->r.w);
	w->open[0].child = k->root + 1;
	w->open[0].end = k->root + node[k->root].inside;
	w->open[0].at = 0;
	while (depth >= 0) {
		uint32_t i = w->open[depth].child;
		int64_t at = w->open[depth].at;
		int x = column_of(k, at, w->r.w), end;

		if (i > w->open[depth].end) {
			depth--;
			continue;
		}
		end = column_of(k, at + node[i].sum.cycles, w->r.w);
		if (end <= x) { /* and those behind it are not wider */
			const struct ts_flame_node *parent = &node[node[i].parent];
			int64_t begin = depth > 0 ? w->open[depth - 1].at : 0;

			if (depth > 0)
				begin -= parent->sum.cycles;
			draw_rest(w, depth + 1, x,
				column_of(k, begin + parent->sum.cycles - parent->sum.own, w->r.w));
			depth--;
			continue;
		}
		draw_node(w, i, depth + 1, x, end);
		w->open[depth].child = i + node[i].inside + 1;
		w->open[depth].at = at + node[i].sum.cycles;
		depth++;
		w->open[depth].child = i + 1;
		w->open[depth].end = i + node[i].inside;
		w->open[depth].at = at;
	}
}

int64_t
trace_merged_at(const struct merged *k, int w, int x, int depth)
{
	const struct ts_flame_node *node = k->tree.node;
	uint32_t at = k->root;
	int64_t from = 0;

	while (depth-- > 0) {
		uint32_t i = at + 1, end = at + node[at].inside;

		while (i <= end && column_of(k, from + node[i].sum.cycles, w) <= x) {
			from += node[i].sum.cycles;
			i += node[i].inside + 1;
		}
		if (i > end || column_of(k, from, w) > x)
			return -1;
		at = i;
	}
	return x < column_of(k, from + node[at].sum.cycles, w) ? (int64_t)at : -1;
}

/* How far the pass is. */
static void
draw_progress(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect row)
{
	const struct merged *k = d->own;
	const struct ts_fetch *f = k->fetch[MERGED_SUMS];
	char done[TS_FMT_MAX], share[TS_FMT_MAX];
	int64_t rows, all;

	if (!f)
		return;
	rows = atomic_load_explicit(&f->job.progress.done, memory_order_relaxed);
	all = atomic_load_explicit(&f->job.progress.total, memory_order_relaxed);
	ts_canvas_fill(c, row, TS_ROLE_STATUS, ' ');
	ts_canvas_printf(c, row, 0, 0, TS_ROLE_STATUS,
		"adding up cycles: %s rows%s%s; C-c stops it", ts_fmt_count(done, rows),
		all > 0 ? ", " : "",
		all > 0 ? ts_fmt_percent(share, (double)rows, (double)all) : "");
}

int64_t
trace_merged_length(const struct trace_view *t, const struct merged *k)
{
	const struct ts_flame_range *r = &k->tree.flame->range;
	int64_t length = ts_min_i64(r->to, t->trace->to) - ts_max_i64(r->from, t->trace->from);

	for (int i = 0; r->steps > 0 && i < t->trace->runs; i++)
		if (t->trace->run[i].first_step == r->first_step &&
			t->trace->run[i].start != TS_UNKNOWN)
			length = t->trace->run[i].end - t->trace->run[i].start;
	if (k->tree.ipu != TS_UNKNOWN)
		return length;
	return length <= INT64_MAX / TS_IPUS_MAX ? length * (int64_t)k->tree.flame->ipus : 0;
}

void
trace_merged_about(const struct trace_view *t, const struct merged *k, char *out, size_t size)
{
	char ipu[40] = "all ipus";

	if (k->tree.ipu != TS_UNKNOWN)
		snprintf(ipu, sizeof(ipu), "ipu %lld", (long long)k->tree.ipu);
	if (k->merge == MERGE_RUN && k->run >= 0 && k->run < t->trace->runs)
		snprintf(out, size, "run %lld of %s", (long long)t->trace->run[k->run].run, ipu);
	else
		snprintf(out, size, "%s of %s",
			k->merge == MERGE_VIEW				    ? "what was in sight"
				: k->merge == MERGE_MARKS && t->marks.range ? "the marks"
									    : "all",
			ipu);
}

static void
draw_readout(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect row)
{
	const struct trace_view *t = d->trace;
	const struct merged *k = d->own;
	const struct ts_flame_node *n = &k->tree.node[k->cursor];
	char figures[240], cycles[TS_FMT_MAX], share[TS_FMT_MAX], steps[TS_FMT_MAX];
	char covers[TS_FMT_MAX + 24] = "", of[80];

	trace_merged_about(t, k, of, sizeof(of));
	if (n->sum.covered != TS_UNKNOWN && trace_merged_length(t, k) > 0)
		snprintf(covers, sizeof(covers), "%s of ",
			ts_fmt_percent(share, (double)n->sum.covered,
				(double)trace_merged_length(t, k)));
	else
		snprintf(covers, sizeof(covers), "share not known, in ");
	snprintf(figures, sizeof(figures), "%s%s  %s%s  %s %s",
		trace_fmt_length(t, cycles, n->sum.cycles), trace_in_time(t) ? "" : " cycles",
		covers, of, ts_fmt_count(steps, n->sum.steps),
		n->sum.steps == 1 ? "step" : "steps");
	trace_frame_line(c, row, figures, &k->tree.flame->frames, n->frame,
		trace_frame_mark(t, n->classes));
}

static void
draw_labels(const struct trace_drawing *d, struct ts_canvas *c, int rows)
{
	const struct merged *k = d->own;
	int last = deepest(k), root = depth_of(k, k->root);
	char ipu[24] = ">all";

	if (k->tree.ipu != TS_UNKNOWN)
		snprintf(ipu, sizeof(ipu), ">ipu %lld", (long long)k->tree.ipu);
	for (int i = 1; i < rows && k->top + i <= last; i++)
		ts_canvas_printf(c, ts_rect_row(d->labels, i), d->labels.w - 3, 0, TS_ROLE_AXIS,
			"%2d", root + k->top + i);
	ts_canvas_text(c, ts_rect_row(d->labels, 0), 0, 0, TS_ROLE_ACCENT, ipu);
	if (k->top > 0 && rows > 1)
		ts_canvas_text(c, ts_rect_row(d->labels, 1), 0, 0, TS_ROLE_DIM, "^");
	if (k->top + rows <= last && rows > 2)
		ts_canvas_text(c, ts_rect_row(d->labels, rows - 1), 0, 0, TS_ROLE_DIM, "v");
}

void
trace_merged_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus)
{
	struct trace_view *t = d->trace;
	struct merged *k = d->own;
	struct ts_rect r = d->plot, line;
	struct drawing w = {.d = d, .c = c, .focus = focus};
	int depth;

	line = r.h > 1 ? ts_rect_cut_bottom(&r, 1) : (struct ts_rect){0};
	if (k->tree.flame == NULL) {
		ts_pane_draw(c, r, t->view.env, &k->data);
		draw_progress(d, c, line);
		return;
	}
	if (k->tree.count == 0) {
		ts_canvas_text(c, r, 0, 0, TS_ROLE_DIM, "no step has a part in it");
		return;
	}
	depth = depth_of(k, k->cursor) - depth_of(k, k->root);
	k->top = (int)ts_clamp_i64(k->top, depth - r.h + 1, depth);
	k->top = (int)ts_clamp_i64(k->top, 0, ts_max_i64(deepest(k) - r.h + 1, 0));
	w.r = r;
	draw_nodes(&w);
	draw_labels(d, c, r.h);
	if (k->fetch[MERGED_SUMS])
		draw_progress(d, c, line);
	else
		draw_readout(d, c, line);
}

int
trace_merged_rows(struct trace_drawing *d, int room)
{
	const struct merged *k = d->own;
	int most = d->trace->zoomed ? room : room * 3 / 5;

	return (int)ts_clamp_i64(k->tree.count > 0 ? deepest(k) + 2 : most, 4, ts_max_i64(most, 4));
}
