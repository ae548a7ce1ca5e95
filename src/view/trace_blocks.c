/* SPDX-License-Identifier: MIT */
/*
 * trace_blocks - the drawing of blocks: a lane for each tile that was profiled, blocks inside blocks from top to bottom.
 *
 * Each tile has a clock of its own, and no clock is that of the trace: the x axis is cycles since the first block of the
 * lane. A column shows the block in its middle, else the first one that it touches; blocks that the profiler used for
 * itself stand out.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_blocks.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/explain.h"

enum { SERIES = 16, LEAST_CYCLES = 16 };

struct drawn_blocks {
	struct ts_span span; /* cycles since the lane's begin */
	size_t lane, top;    /* that has the cursor, that is drawn first */
	size_t row;	     /* of it, under the cursor */
	const struct ts_blocks *of;
	struct ts_rect axis, plot, labels;
};

static const struct ts_blocks *
blocks_of(const struct trace_drawing *d)
{
	return trace_blocks_of(d->trace)->blocks;
}

static bool
drawing_open(struct trace_drawing *d)
{
	struct drawn_blocks *o = ts_alloc(1, sizeof(*o));

	if (!o)
		return false;
	ts_span_init(&o->span);
	o->span.least = LEAST_CYCLES;
	d->own = o;
	return true;
}

static void
drawing_close(struct trace_drawing *d)
{
	free(d->own);
}

static void
drawing_drop(struct trace_drawing *d)
{
	struct drawn_blocks *o = d->own;

	o->of = NULL;
}

/* Other blocks have come: the axis is as long as the longest lane. */
static void
take_blocks(struct drawn_blocks *o, const struct ts_blocks *b)
{
	int64_t longest = 0;

	if (o->of == b)
		return;
	o->of = b;
	o->lane = o->top = o->row = 0;
	for (size_t i = 0; b && i < b->lanes; i++) {
		const struct ts_block_lane *lane = ts_block_lane_at(b, i);

		longest = ts_max_i64(longest, lane->to - lane->from);
	}
	ts_span_set_count(&o->span, ts_min_i64(longest + 1, TS_SPAN_MAX));
	ts_span_command(&o->span, TS_CMD_ZOOM_FIT);
}

/* Rows of the screen for a lane, with one that is left blank. */
static int
lane_height(const struct ts_blocks *b, size_t lane)
{
	return (int)ts_block_lane_at(b, lane)->rows + (b->lanes > 1);
}

/* All lanes and the axis, if a little more than half of the room is enough. */
static int
drawing_rows(struct trace_drawing *d, int room)
{
	const struct trace_view *t = d->trace;
	const struct ts_blocks *b = blocks_of(d);
	int most = t->zoomed && t->focus == TRACE_LANES ? room : room * 11 / 20, rows = 1;

	for (size_t i = 0; b && i < b->lanes && rows < most; i++)
		rows += lane_height(b, i);
	return b && rows < most ? rows : most;
}

static void
drawing_resize(struct trace_drawing *d)
{
	struct drawn_blocks *o = d->own;

	o->plot = d->plot;
	o->labels = d->labels;
	o->axis = ts_rect_cut_top(&o->plot, o->plot.h > 1);
	ts_rect_cut_top(&o->labels, o->labels.h > 1);
	take_blocks(o, blocks_of(d));
	if (o->plot.w > 0)
		ts_span_resize(&o->span, o->plot.w);
}

static void
drawing_request(struct trace_drawing *d)
{
	trace_ask_blocks(d->trace);
}

/* --- drawing -------------------------------------------------------------------------------------- */

static enum ts_role
role_of(const struct ts_block *b)
{
	if (b->kind == TS_BLOCK_FLUSH || b->kind == TS_BLOCK_OVERFLOW)
		return TS_ROLE_WARN;
	if (b->kind == TS_BLOCK_STREAM_COPY)
		return TS_ROLE_HOST_COPY;
	return (enum ts_role)(TS_ROLE_SERIES_0 + (b->name < 0 ? 0 : b->name % SERIES));
}

/* The block of a row that a column shows, or NULL. */
static const struct ts_block *
block_in(const struct drawn_blocks *o, const struct ts_blocks *b, const struct ts_block_lane *lane,
	size_t row, int column)
{
	size_t end = ts_block_row_first(b, lane, row + 1), i;
	int64_t from, to;

	ts_span_bucket(&o->span, column, &from, &to);
	from += lane->from;
	to += lane->from;
	i = ts_blocks_after(b, lane, row, from + (to - from) / 2);
	if (i < end && ts_block_at(b, i)->from <= from + (to - from) / 2)
		return ts_block_at(b, i);
	i = ts_blocks_after(b, lane, row, from);
	if (i < end && ts_block_at(b, i)->from < to)
		return ts_block_at(b, i);
	return NULL;
}

/* The last part of a name: what there is room for. */
static const char *
short_name(const struct ts_blocks *b, const struct ts_block *block, char *buf, size_t size)
{
	const char *last;

	trace_block_name(b, block->name, buf, size);
	last = strrchr(buf, '/');
	return last && last[1] ? last + 1 : buf;
}

/* Blocks are told apart by letters, not by the colours behind them. */
static bool
one_glyph(const struct ts_canvas *c)
{
	return c->mono || c->glyphs == TS_GLYPHS_ASCII;
}

/* A name over the n columns of its block. */
static void
draw_name(struct ts_canvas *c, struct ts_rect r, int x, int n, const struct ts_blocks *b,
	const struct ts_block *block)
{
	char buf[128];
	const char *name = short_name(b, block, buf, sizeof(buf));
	int begin = one_glyph(c); /* the sign of its begin stays */
	struct ts_rect cells = {r.x + x + begin, r.y, n -= begin, 1};

	if (n < 3)
		return;
	for (int i = 0; name[i] && i < n - 1 && (unsigned char)name[i] < 0x80; i++)
		ts_canvas_glyph2(c, cells, i, 0, TS_ROLE_INK, role_of(block),
			(unsigned char)name[i]);
}

static void
draw_row(const struct drawn_blocks *o, struct ts_canvas *c, struct ts_rect r,
	const struct ts_blocks *b, const struct ts_block_lane *lane, size_t row)
{
	const struct ts_block *before = NULL;
	char name[128];
	int start = 0;

	for (int x = 0; x <= r.w; x++) {
		const struct ts_block *at = x < r.w ? block_in(o, b, lane, row, x) : NULL;

		if (at != before) {
			if (before)
				draw_name(c, r, start, x - start, b, before);
			start = x;
			before = at;
		}
		if (!at)
			continue;
		if (one_glyph(c))
			ts_canvas_glyph(c, r, x, 0, role_of(at),
				x == start ? '|'
					   : (unsigned char)*short_name(b, at, name, sizeof(name)));
		else
			ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, role_of(at), ' ');
	}
}

static void
draw_lane(struct trace_drawing *d, struct ts_canvas *c, int y, size_t number, bool focus)
{
	const struct drawn_blocks *o = d->own;
	const struct ts_blocks *b = blocks_of(d);
	const struct ts_block_lane *lane = ts_block_lane_at(b, number);
	bool here = number == o->lane;

	ts_canvas_printf(c, o->labels, 0, y, here ? TS_ROLE_ACCENT : TS_ROLE_LABEL, "%ct%lld",
		here ? '>' : ' ', (long long)lane->tile);
	for (size_t row = 0; row < lane->rows && y + (int)row < o->plot.h; row++) {
		struct ts_rect r = ts_rect_row(o->plot, y + (int)row);

		draw_row(o, c, r, b, lane, row);
		if (here && row == o->row)
			ts_chart_cursor(c, r, ts_span_column(&o->span, o->span.cursor), focus);
	}
}

/* The lane with the cursor is in sight. */
static void
scroll(struct drawn_blocks *o, const struct ts_blocks *b)
{
	int h = 0;

	if (o->lane < o->top)
		o->top = o->lane;
	for (size_t i = o->lane + 1; i-- > o->top;) {
		h += lane_height(b, i);
		if (h > o->plot.h + (b->lanes > 1)) {
			o->top = i < o->lane ? i + 1 : i;
			return;
		}
	}
}

static void
drawing_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus)
{
	struct drawn_blocks *o = d->own;
	struct blocks_tab *tab = trace_blocks_of(d->trace);
	const struct ts_blocks *b = tab->blocks;
	int y = 0;

	if (!b || b->lanes == 0) {
		if (b)
			ts_canvas_text(c, d->plot, 0, 0, TS_ROLE_TEXT, "no blocks");
		else
			ts_pane_draw(c, d->plot, d->trace->view.env, &tab->pane);
		return;
	}
	take_blocks(o, b);
	scroll(o, b);
	trace_draw_ruler(d->trace, c, o->plot, o->axis, o->span.from, o->span.to);
	for (size_t i = o->top; i < b->lanes && y < o->plot.h; i++) {
		draw_lane(d, c, y, i, focus);
		y += lane_height(b, i);
	}
}

/* --- the cursor ----------------------------------------------------------------------------------- */

/* The block under the cursor, or NULL. */
static const struct ts_block *
cursor_block(const struct trace_drawing *d)
{
	const struct drawn_blocks *o = d->own;
	const struct ts_blocks *b = blocks_of(d);
	const struct ts_block_lane *lane;
	int column = ts_span_column(&o->span, o->span.cursor);

	if (!b || o->of != b || o->lane >= b->lanes || column < 0)
		return NULL;
	lane = ts_block_lane_at(b, o->lane);
	return o->row < lane->rows ? block_in(o, b, lane, o->row, column) : NULL;
}

static void
drawing_legend(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_block *at = cursor_block(d);
	const struct ts_blocks *b = blocks_of(d);
	char name[200], all[TS_FMT_MAX], own[TS_FMT_MAX], kind[60];
	char figures[2 * TS_FMT_MAX + 16];
	int x, n;

	if (!at)
		return;
	trace_block_name(b, at->name, name, sizeof(name));
	x = ts_canvas_field(c, r, 0, 0, (int)ts_min_i64(r.w / 2, (int64_t)sizeof(name)),
		TS_ROLE_VALUE, name, strlen(name), TS_FIELD_TAIL);
	n = snprintf(figures, sizeof(figures), "%s, %s by itself",
		trace_fmt_length(d->trace, all, at->to - at->from),
		trace_fmt_length(d->trace, own, at->self));
	x += 2 +
		ts_canvas_field(c, r, x + 2, 0, r.w - x - 2, TS_ROLE_TEXT, figures, (size_t)n,
			TS_FIELD_CLAUSES | TS_FIELD_ELLIPSIS);
	snprintf(kind, sizeof(kind), "%s%s", ts_block_kind_name((enum ts_block_kind)at->kind),
		role_of(at) == TS_ROLE_WARN ? ": lost time" : "");
	if (at->kind != TS_BLOCK_COMMON && x + 2 + (int)strlen(kind) <= r.w)
		ts_canvas_text(c, r, x + 2, 0, role_of(at), kind);
}

static const struct ts_pane_data *
drawing_without(const struct trace_drawing *d)
{
	const struct blocks_tab *tab = trace_blocks_of(d->trace);

	return tab->blocks ? NULL : &tab->pane;
}

static void
drawing_note(struct trace_drawing *d, char out[TRACE_NOTE])
{
	const struct drawn_blocks *o = d->own;
	const struct ts_blocks *b = blocks_of(d);
	const struct ts_block_lane *lane;
	char n[TS_FMT_MAX];

	out[0] = '\0';
	if (!b || o->lane >= b->lanes)
		return;
	lane = ts_block_lane_at(b, o->lane);
	snprintf(out, TRACE_NOTE, "measured; %s lost of tile %lld",
		ts_fmt_percent(n, (double)lane->lost, (double)(lane->to - lane->from)),
		(long long)lane->tile);
}

static enum ts_effect
go_lane(struct drawn_blocks *o, const struct ts_blocks *b, int by)
{
	if (by < 0 ? o->lane == 0 : o->lane + 1 >= b->lanes)
		return TS_EFFECT_BELL;
	o->lane += (size_t)by;
	o->row = ts_min_i64((int64_t)o->row, (int64_t)ts_block_lane_at(b, o->lane)->rows - 1);
	return TS_EFFECT_REPAINT;
}

/* Down and up the rows, and from the last one of a lane to the next lane. */
static enum ts_effect
go_row(struct drawn_blocks *o, const struct ts_blocks *b, int by)
{
	size_t rows = ts_block_lane_at(b, o->lane)->rows;

	if (by > 0 && o->row + 1 < rows) {
		o->row++;
	} else if (by < 0 && o->row > 0) {
		o->row--;
	} else {
		enum ts_effect effect = go_lane(o, b, by);

		if (effect == TS_EFFECT_BELL)
			return effect;
		o->row = by > 0 ? 0 : ts_block_lane_at(b, o->lane)->rows - 1;
	}
	return TS_EFFECT_REPAINT;
}

/* Zoom to the block under the cursor. */
static enum ts_effect
open_block(struct trace_drawing *d)
{
	struct drawn_blocks *o = d->own;
	const struct ts_block *at = cursor_block(d);
	const struct ts_block_lane *lane;

	if (!at)
		return TS_EFFECT_BELL;
	lane = ts_block_lane_at(blocks_of(d), o->lane);
	ts_span_show(&o->span, at->from - lane->from, at->to - lane->from);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
drawing_command(struct trace_drawing *d, const struct ts_call *call)
{
	struct drawn_blocks *o = d->own;
	const struct ts_blocks *b = blocks_of(d);

	if (!b || b->lanes == 0 || o->of != b)
		return TS_EFFECT_UNKNOWN;
	switch (call->cmd) {
	case TS_CMD_UP:
		return go_row(o, b, -1);
	case TS_CMD_DOWN:
		return go_row(o, b, 1);
	case TS_CMD_IPU_NEXT:
		return go_lane(o, b, 1);
	case TS_CMD_IPU_PREVIOUS:
		return go_lane(o, b, -1);
	case TS_CMD_OPEN:
		return open_block(d);
	default:
		return ts_span_command(&o->span, call->cmd);
	}
}

static enum ts_effect
drawing_mouse(struct trace_drawing *d, int x, int y, int wheel)
{
	struct drawn_blocks *o = d->own;
	const struct ts_blocks *b = blocks_of(d);
	int64_t from, to;
	int top = o->plot.y;

	if (!b || wheel || !ts_rect_has(o->plot, x, y))
		return TS_EFFECT_UNKNOWN;
	for (size_t i = o->top; i < b->lanes && top <= y; i++) {
		if (y - top < (int)ts_block_lane_at(b, i)->rows) {
			o->lane = i;
			o->row = (size_t)(y - top);
		}
		top += lane_height(b, i);
	}
	ts_span_bucket(&o->span, x - o->plot.x, &from, &to);
	ts_span_go(&o->span, from);
	return TS_EFFECT_REPAINT;
}

static void
drawing_explain(struct trace_drawing *d, struct ts_explain *out)
{
	const struct ts_block *at = cursor_block(d);
	struct ts_explained *x;
	char name[64];

	if (!at)
		return;
	x = ts_explain_add(out, "block %s of tile %lld",
		trace_block_name(blocks_of(d), at->name, name, sizeof(name)), (long long)at->tile);
	ts_explain_integer(x, at->to - at->from, "cycles");
	ts_explain_from(x, TS_KNOWN_MEASURED, "block.cycles_from, block.cycles_to");
	ts_explain_formula(x, "%lld - %lld", (long long)at->to, (long long)at->from);
	ts_explain_note(x, "A real duration on this tile; clocks of other tiles start elsewhere.");
	ts_explain_query(x,
		"SELECT cycles_to - cycles_from FROM block WHERE tile = %lld AND seq %s %lld AND "
		"cycles_from = %lld AND cycles_to = %lld",
		(long long)at->tile, at->seq < 0 ? "IS NOT" : "=", (long long)at->seq,
		(long long)at->from, (long long)at->to);
	x = ts_explain_add(out, "the same by itself");
	ts_explain_integer(x, at->self, "cycles");
	ts_explain_from(x, TS_KNOWN_DERIVED, "block.cycles_from, block.cycles_to");
	ts_explain_formula(x, "%lld less the cycles of the blocks directly inside it, each once",
		(long long)(at->to - at->from));
	ts_explain_note(x, "No query: which block is inside which is found by walking the lane.");
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "zoom to block"},
	{TS_CMD_IPU_NEXT, "next tile"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct trace_drawing_ops trace_drawing_blocks = {
	.name = "blocks",
	.title = "blocks of lightweight profiling, by tile",
	.own_axis = true,
	.open = drawing_open,
	.close = drawing_close,
	.drop = drawing_drop,
	.resize = drawing_resize,
	.rows = drawing_rows,
	.request = drawing_request,
	.draw = drawing_draw,
	.without = drawing_without,
	.legend = drawing_legend,
	.note = drawing_note,
	.command = drawing_command,
	.mouse = drawing_mouse,
	.hints = hints,
	.explain = drawing_explain,
};
