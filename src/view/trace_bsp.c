/* SPDX-License-Identifier: MIT */
/*
 * trace_bsp - the drawing of what each tile does: tiles down, time across, of the selected IPU.
 *
 * Compute is red, exchange light blue, and a tile is yellow while it waits for the slowest one: where a row is redder than
 * the others, that tile holds them up. Two rows of tiles share a row of the screen where it has halves of cells. Steps whose
 * cycles are not known by tile are shaded, in the colour of their class.
 *
 * Up and down move a cursor over the tiles; fewer of them are shown with tiles-in, down to one a row.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_bsp.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/heat.h"

enum {
	UPPER_HALF = 0x2580,
	FULL_BLOCK = 0x2588,
	SHADE = 0x2592,
	PARTS_W = 56,	 /* columns of the key for what is known by tile, */
	WHOLE_W = 7,	 /* for each class that is not; with fewer its words are brief, */
	WIDE = 120,	 /* with so many the longest */
	LABEL_EVERY = 4, /* rows of the screen from one number of a tile to the next */
};

#define NOT_BY_TILE "not known by tile"

/* Parts of a cell that differ by no more are equal: the first has it. */
#define TIE 1e-6

/* --- asking ------------------------------------------------------------------------------------- */

static enum ts_code
read_bsp(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct bsp_fetch *b = (struct bsp_fetch *)f;
	const struct bsp_question *q = &b->q;
	enum ts_code code = TS_OK;

	if (!ts_bsp_recorded(rd->report))
		return ts_err_set(err, TS_E_ABSENT,
			"cycles of compute sets and exchanges by tile are not recorded");
	if (b->want_ipus) {
		code = ts_tile_ipus_read(&b->ipus, rd, err);
		if (code && code != TS_E_DAMAGED)
			return code;
		b->all = ts_bsp_tiles_of(&b->ipus, q->ipu);
	}
	if (b->all.count == 0)
		return ts_err_set(err, TS_E_ABSENT, "it is not known which tiles IPU %lld has",
			(long long)q->ipu);
	return ts_bsp_read(&b->bsp, rd, b->trace, q->ipu, b->all, q->from, q->to, q->columns,
		b->all.first + q->tile, q->tiles ? q->tiles : b->all.count, q->rows, b->cache, err);
}

static void
fini_bsp(struct ts_fetch *f)
{
	struct bsp_fetch *b = (struct bsp_fetch *)f;

	ts_trace_release(b->trace);
	ts_tile_ipus_fini(&b->ipus);
	ts_bsp_fini(&b->bsp);
}

static bool
same(const struct bsp_question *a, const struct bsp_question *b)
{
	return a->from == b->from && a->to == b->to && a->ipu == b->ipu && a->tile == b->tile &&
		a->tiles == b->tiles && a->columns == b->columns && a->rows == b->rows &&
		a->trace == b->trace;
}

/* It is not recorded in any range; the panel that says so has other rows than the picture would have. */
static bool
stays_absent(const struct bsp_drawing *b, const struct bsp_question *q)
{
	return b->pane.state == TS_PANE_ABSENT && q->trace == b->asked.trace &&
		q->ipu == b->asked.ipu;
}

static void
bsp_request(struct trace_drawing *d)
{
	struct trace_view *t = d->trace;
	struct bsp_drawing *b = d->own;
	struct bsp_question q = {.trace = t->trace,
		.from = t->trace->from + t->span.from,
		.to = t->trace->from + t->span.to,
		.ipu = trace_ipu(t),
		.tile = b->first,
		.tiles = b->tiles,
		.columns = t->span.columns,
		.rows = 2 * d->plot.h};
	struct bsp_fetch *f;

	if (d->plot.h <= 0 || q.columns <= 0 || same(&q, &b->asked) || stays_absent(b, &q))
		return;
	if (!t->trace->has_parts) {
		b->pane = t->lanes;
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_bsp;
	f->f.fini = fini_bsp;
	f->trace = ts_trace_hold(t->trace);
	f->cache = t->view.env->cache;
	f->q = b->asked = q;
	f->want_ipus = !b->has_ipus;
	if (b->has_ipus)
		f->all = ts_bsp_tiles_of(&b->ipus, q.ipu);
	b->pane.state = b->bsp.columns > 0 ? TS_PANE_STALE : TS_PANE_LOADING;
	b->sent = &f->f;
	trace_drawing_send(d, &f->f, 0, t->trace->forwards ? TS_WORKER_BULK : TS_WORKER_SCREEN,
		"reading cycles by tile");
}

static enum ts_effect
bsp_deliver(struct trace_drawing *d, struct ts_fetch *f)
{
	struct bsp_drawing *b = d->own;
	struct bsp_fetch *answer = (struct bsp_fetch *)f;

	if (answer->want_ipus && answer->all.count > 0 && !b->has_ipus &&
		!ts_fetch_in_vain(f, d->trace->view.env->generation)) {
		b->ipus = answer->ipus;
		memset(&answer->ipus, 0, sizeof(answer->ipus));
		b->has_ipus = true;
	}
	if (b->sent != f)
		return TS_EFFECT_NONE;
	b->sent = NULL;
	if (ts_fetch_in_vain(f, d->trace->view.env->generation)) {
		b->asked.columns = 0;
		return TS_EFFECT_RECALC;
	}
	ts_bsp_fini(&b->bsp);
	b->bsp = answer->bsp;
	answer->bsp = (struct ts_bsp){0};
	ts_pane_result(&b->pane, f->code, &f->err, b->bsp.columns > 0);
	bsp_select(d);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- drawing ------------------------------------------------------------------------------------ */

/* The column of the picture that has column x of the span; -1: it does not have it. */
static int
picture_column(const struct trace_view *t, const struct ts_bsp *p, int x)
{
	int64_t a, b, middle;
	int column;

	ts_span_bucket(&t->span, x, &a, &b);
	middle = t->trace->from + a + (b - a) / 2;
	if (middle < p->from || middle >= p->to)
		return -1;
	if (p->from == t->trace->from + t->span.from && p->to == t->trace->from + t->span.to &&
		p->columns == t->span.columns)
		return x;
	column = (int)((double)(middle - p->from) / (double)(p->to - p->from) * p->columns);
	return column < p->columns ? column : -1;
}

/* What a cell shows: most of it. */
struct bsp_cell {
	enum ts_role role;
	char letter;
	bool shaded; /* not known by tile */
};

static struct bsp_cell
cell_at(const struct ts_bsp *p, int row, int x)
{
	static const enum ts_step_class class_of[TS_BSP_PARTS] = {TS_CLASS_COMPUTE,
		TS_CLASS_EXCHANGE, TS_CLASS_SYNC};
	struct bsp_cell cell = {TS_ROLE_TEXT, ' ', false};
	double most = 0, all = 0;
	int best = -1;

	for (int k = 0; k < TS_BSP_PARTS; k++) {
		double v = ts_bsp_share(p, row, (enum ts_bsp_part)k)[x];

		all += v;
		if (v > most + TIE) {
			most = v;
			best = (int)class_of[k];
		}
	}
	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		double v = ts_bsp_whole(p, (enum ts_step_class)k)[x];

		all += v;
		if (v > most + TIE) {
			most = v;
			best = k;
			cell.shaded = k == TS_CLASS_COMPUTE || k == TS_CLASS_EXCHANGE ||
				k == TS_CLASS_GLOBAL_EXCHANGE;
		}
	}
	if (best < 0 || 1 - all > most + TIE) /* idle, most of the time */
		return (struct bsp_cell){TS_ROLE_TEXT, ' ', false};
	cell.role = (enum ts_role)(TS_ROLE_COMPUTE + best);
	cell.letter = ts_step_class_letter((enum ts_step_class)best);
	return cell;
}

static void
draw_cell(struct ts_canvas *c, struct ts_rect r, int x, int y, struct bsp_cell up,
	struct bsp_cell down)
{
	if (!ts_heat_halves(c)) {
		if (up.letter != ' ')
			ts_canvas_glyph(c, r, x, y, up.role, (unsigned char)up.letter);
		return;
	}
	if (up.letter == ' ' && down.letter == ' ')
		return;
	if (up.role == down.role)
		ts_canvas_glyph(c, r, x, y, up.role, up.shaded ? SHADE : FULL_BLOCK);
	else if (up.letter == ' ')
		ts_canvas_glyph(c, r, x, y, down.role, 0x2584);
	else if (down.letter == ' ')
		ts_canvas_glyph(c, r, x, y, up.role, UPPER_HALF);
	else
		ts_canvas_glyph2(c, r, x, y, up.role, down.role, UPPER_HALF);
}

/* The row of the picture in row y of the screen; its lower half is the next one. */
static int
picture_row(const struct trace_drawing *d, const struct ts_bsp *p, int y, int half)
{
	return (int)((int64_t)(2 * y + half) * p->rows / (2 * d->plot.h));
}

/* The row of the screen that has a tile. */
static int
screen_row(const struct trace_drawing *d, const struct ts_bsp *p, int64_t tile)
{
	int row = (int)ts_clamp_i64((tile - p->tile) * p->rows / p->tiles, 0, p->rows - 1);

	for (int y = 0; y < d->plot.h; y++)
		if (picture_row(d, p, y, 1) >= row)
			return y;
	return d->plot.h - 1;
}

static void
draw_labels(struct trace_drawing *d, struct ts_canvas *c, const struct ts_bsp *p, bool focus)
{
	const struct bsp_drawing *b = d->own;
	int at = screen_row(d, p, b->cursor);

	for (int y = 0; y < d->labels.h; y++) {
		int64_t first, last;

		if (y != at && (y % LABEL_EVERY != 0 || y == at + 1 || y + 1 == at))
			continue;
		ts_bsp_row_tiles(p, picture_row(d, p, y, 0), &first, &last);
		ts_canvas_printf(c, d->labels, 0, y, y == at ? TS_ROLE_ACCENT : TS_ROLE_LABEL,
			"%c%6lld", y == at ? (focus ? '>' : '-') : ' ',
			(long long)(y == at ? b->cursor : first));
	}
}

static void
bsp_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus)
{
	struct trace_view *t = d->trace;
	struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;

	if (ts_rect_empty(d->plot))
		return;
	if (p->columns == 0 || !ts_pane_has(&b->pane)) {
		ts_pane_draw(c, d->plot, t->view.env, &b->pane);
		return;
	}
	draw_labels(d, c, p, focus);
	for (int x = 0; x < d->plot.w; x++) {
		int from = picture_column(t, p, x);

		for (int y = 0; y < d->plot.h && from >= 0; y++)
			draw_cell(c, d->plot, x, y, cell_at(p, picture_row(d, p, y, 0), from),
				cell_at(p, picture_row(d, p, y, 1), from));
	}
}

/* --- legend -------------------------------------------------------------------------------------- */

bool
bsp_cursor(const struct trace_drawing *d, int *row, int *column)
{
	const struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;

	if (p->columns == 0 || p->ipu != trace_ipu(d->trace) || b->cursor < p->tile ||
		b->cursor >= p->tile + p->tiles)
		return false;
	*row = (int)ts_clamp_i64((b->cursor - p->tile) * p->rows / p->tiles, 0, p->rows - 1);
	*column = picture_column(d->trace, p,
		ts_span_column(&d->trace->span, d->trace->span.cursor));
	return *column >= 0;
}

static int
legend_entry(struct ts_canvas *c, struct ts_rect r, int x, enum ts_step_class k, const char *word)
{
	bool letters = c->mono || c->glyphs == TS_GLYPHS_ASCII;
	enum ts_role role = (enum ts_role)(TS_ROLE_COMPUTE + (int)k);
	uint32_t letter = (unsigned char)ts_step_class_letter(k);

	if (x + 3 + (int)strlen(word) > r.w)
		return r.w;
	if (letters)
		ts_canvas_glyph(c, r, x, 0, role, letter);
	else
		ts_canvas_glyph2(c, r, x, 0, TS_ROLE_INK, role, letter);
	return ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, word) + 1;
}

/* What of a cell's cycles a tile is busy with in some way; "-": nothing is known by tile, or a step that is not known by tile has most of them. */
static const char *
part_text(const struct ts_bsp *p, int row, int column, enum ts_bsp_part part, char out[TS_FMT_MAX])
{
	if (p->by_tile == 0 || cell_at(p, row, column).shaded)
		snprintf(out, TS_FMT_MAX, "-");
	else
		ts_fmt_percent(out, ts_bsp_share(p, row, part)[column], 1);
	return out;
}

/* Classes that are not known by tile, and have most of a column: all tiles have their colour there. How many. */
static int
whole_classes(const struct ts_bsp *p, bool seen[TS_CLASS_COUNT])
{
	int n = 0;

	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		seen[k] = false;
		if (k == TS_CLASS_COMPUTE || k == TS_CLASS_EXCHANGE || k == TS_CLASS_SYNC)
			continue; /* are there */
		for (int i = 0; i < p->columns && !seen[k]; i++)
			seen[k] = ts_bsp_whole(p, (enum ts_step_class)k)[i] > 0.5f;
		n += seen[k];
	}
	return n;
}

static void
bsp_legend(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect r)
{
	static const struct {
		enum ts_step_class class_of;
		const char *word, *brief;
	} part[TS_BSP_PARTS] = {{TS_CLASS_COMPUTE, "compute", "comp."},
		{TS_CLASS_EXCHANGE, "exchange", "exch."}, {TS_CLASS_SYNC, "waits", "waits"}};
	const struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;
	int row = 0, column = 0, x = 0;
	bool at = bsp_cursor(d, &row, &column), seen[TS_CLASS_COUNT];
	int whole = whole_classes(p, seen);
	bool narrow = whole > 0 && r.w < PARTS_W + WHOLE_W * whole;
	int legend = r.w >= WIDE ? 0 : narrow ? TRACE_LEGENDS - 1 : 1;
	char n[TS_FMT_MAX], tiles[64];
	int64_t first, last;

	for (int k = 0; k < TS_BSP_PARTS; k++) {
		x = legend_entry(c, r, x, part[k].class_of, narrow ? part[k].brief : part[k].word);
		if (at && x < r.w)
			x = ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "%s  ",
				part_text(p, row, column, (enum ts_bsp_part)k, n));
	}
	if (at && !narrow) {
		ts_bsp_row_tiles(p, row, &first, &last);
		snprintf(tiles, sizeof(tiles),
			first == last ? "of tile %lld" : "of tiles %lld-%lld", (long long)first,
			(long long)last);
		if (x + (int)strlen(tiles) <= r.w)
			x = ts_canvas_text(c, r, x, 0, TS_ROLE_VALUE, tiles) + 2;
	}
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		if (seen[k])
			x = legend_entry(c, r, x, (enum ts_step_class)k,
				trace_class_name(k, legend));
	if (p->by_tile < p->steps && x + (int)strlen(NOT_BY_TILE) + 3 <= r.w && ts_heat_halves(c)) {
		ts_canvas_glyph(c, r, x, 0, TS_ROLE_LABEL, SHADE);
		ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, NOT_BY_TILE);
	}
}

enum ts_mark
bsp_mark(const struct ts_bsp *p)
{
	return p->by_tile == 0		    ? TS_MARK_UNKNOWN
		: p->estimated == 0	    ? TS_MARK_REPEATED
		: p->estimated < p->by_tile ? TS_MARK_PARTLY
					    : TS_MARK_ESTIMATED;
}

static const struct ts_pane_data *
bsp_without(const struct trace_drawing *d)
{
	return &((const struct bsp_drawing *)d->own)->pane;
}

static void
bsp_note(struct trace_drawing *d, char note[TRACE_NOTE])
{
	const struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;
	char of[TS_FMT_MAX], n[TS_FMT_MAX];

	if (p->columns == 0)
		return;
	snprintf(note, TRACE_NOTE, "ipu %lld  ", (long long)p->ipu);
	if (p->sampled)
		strncat(note, "sampled, ", TRACE_NOTE - strlen(note) - 1);
	if (p->by_tile < p->steps)
		snprintf(note + strlen(note), TRACE_NOTE - strlen(note), "%s of %s by tile, ",
			ts_fmt_count(n, p->by_tile), ts_fmt_count(of, p->steps));
	strncat(note, p->by_tile > 0 ? ts_mark_word(bsp_mark(p)) : "none known",
		TRACE_NOTE - strlen(note) - 1);
	if (b->pane.state == TS_PANE_PARTIAL)
		strncat(note, ", damaged", TRACE_NOTE - strlen(note) - 1);
}

/* --- as a drawing ---------------------------------------------------------------------------------- */

static bool
bsp_open(struct trace_drawing *d)
{
	struct bsp_drawing *b = ts_alloc(1, sizeof(*b));

	if (!b)
		return false;
	b->pane.absent = TS_ABSENT_TILE_CYCLES;
	d->own = b;
	return true;
}

static void
bsp_drop(struct trace_drawing *d)
{
	struct bsp_drawing *b = d->own;

	ts_bsp_fini(&b->bsp);
	ts_tile_ipus_fini(&b->ipus);
	*b = (struct bsp_drawing){.pane = {.absent = TS_ABSENT_TILE_CYCLES}};
}

static void
bsp_close(struct trace_drawing *d)
{
	bsp_drop(d);
	free(d->own);
}

static int
bsp_rows(struct trace_drawing *d, int room)
{
	bool alone = d->trace->zoomed && d->trace->focus == TRACE_LANES;

	return alone ? room : room * 13 / 20;
}

static enum ts_effect
bsp_mouse(struct trace_drawing *d, int x, int y, int wheel)
{
	struct bsp_drawing *b = d->own;
	int64_t first, last;

	(void)x;
	if (!wheel && b->bsp.columns > 0 && d->plot.h > 0) {
		ts_bsp_row_tiles(&b->bsp,
			picture_row(d, &b->bsp, (int)ts_clamp_i64(y - d->plot.y, 0, d->plot.h - 1),
				0),
			&first, &last);
		b->cursor = first;
		bsp_select(d);
	}
	return TS_EFFECT_UNKNOWN;
}

static const struct ts_hint hints[] = {
	{TS_CMD_TILES_IN, "fewer tiles"},
	{TS_CMD_TILES_OUT, "more tiles"},
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_IPU_NEXT, "next IPU"},
	{TS_CMD_DRAWING, "drawing"},
	{TS_CMD_COUNT, NULL},
};

const struct trace_drawing_ops trace_drawing_bsp = {
	.name = "bsp",
	.title = "what each tile does: compute, exchange, waiting for the slowest",
	.open = bsp_open,
	.close = bsp_close,
	.drop = bsp_drop,
	.rows = bsp_rows,
	.request = bsp_request,
	.deliver = bsp_deliver,
	.draw = bsp_draw,
	.without = bsp_without,
	.legend = bsp_legend,
	.note = bsp_note,
	.command = bsp_command,
	.mouse = bsp_mouse,
	.hints = hints,
	.explain = bsp_explain,
};
