/* SPDX-License-Identifier: MIT */
/* trace_bsp_keys - moving over the tiles of the drawing by tile, and what its figures are. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_bsp.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"

enum { ZOOM = 4 /* times fewer tiles, or more */ };

void
bsp_select(struct trace_drawing *d)
{
	struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;
	struct ts_selection *s = d->trace->view.env->selection;

	if (p->columns == 0)
		return;
	b->cursor = ts_clamp_i64(b->cursor, p->all.first, p->all.first + p->all.count - 1);
	if (trace_drawn(d->trace) == d)
		s->tile = b->cursor;
}

/* Tiles in sight. */
static int64_t
shown(const struct bsp_drawing *b)
{
	return b->tiles ? b->tiles : b->bsp.all.count;
}

/* Move the window so that the cursor is in it. */
static enum ts_effect
follow(struct trace_drawing *d)
{
	struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;
	int64_t n = shown(b), at;

	bsp_select(d);
	at = b->cursor - p->all.first;
	if (at < b->first)
		b->first = at;
	if (at >= b->first + n)
		b->first = at - n + 1;
	b->first = ts_clamp_i64(b->first, 0, ts_max_i64(p->all.count - n, 0));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

static enum ts_effect
move(struct trace_drawing *d, int64_t by)
{
	struct bsp_drawing *b = d->own;
	int64_t before = b->cursor;

	b->cursor += by;
	bsp_select(d);
	return b->cursor == before ? TS_EFFECT_BELL : follow(d);
}

/* Show so many tiles, around the cursor. */
static enum ts_effect
zoom(struct trace_drawing *d, int64_t tiles)
{
	struct bsp_drawing *b = d->own;
	int64_t all = b->bsp.all.count, least = ts_min_i64(ts_max_i64(d->plot.h, 1), all);
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	tiles = ts_clamp_i64(tiles, least, all);
	if (tiles == shown(b))
		return TS_EFFECT_BELL;
	b->first = b->cursor - b->bsp.all.first - tiles / 2;
	b->tiles = tiles == all ? 0 : tiles;
	ts_view_say(d->trace->view.env, "%s of %s tiles", ts_fmt_count(n, tiles),
		ts_fmt_count(of, all));
	return follow(d);
}

enum ts_effect
bsp_command(struct trace_drawing *d, const struct ts_call *call)
{
	struct bsp_drawing *b = d->own;
	const struct ts_bsp *p = &b->bsp;
	int64_t row, all = p->all.count;

	if (p->columns == 0)
		return TS_EFFECT_UNKNOWN;
	row = ts_max_i64(p->tiles / p->rows, 1);
	switch (call->cmd) {
	case TS_CMD_UP:
		return move(d, -row);
	case TS_CMD_DOWN:
		return move(d, row);
	case TS_CMD_PAGE_UP:
		return move(d, -p->tiles);
	case TS_CMD_PAGE_DOWN:
		return move(d, p->tiles);
	case TS_CMD_HALF_UP:
		return move(d, -ts_max_i64(p->tiles / 2, 1));
	case TS_CMD_HALF_DOWN:
		return move(d, ts_max_i64(p->tiles / 2, 1));
	case TS_CMD_TILES_IN:
		return zoom(d, shown(b) / ZOOM);
	case TS_CMD_TILES_OUT:
		return zoom(d, shown(b) > all / ZOOM ? all : shown(b) * ZOOM);
	default:
		return TS_EFFECT_UNKNOWN;
	}
}

/* --- the tiles that are shown, in the address ---------------------------------------------------------- */

static struct trace_drawing *
drawing_of(struct trace_view *t)
{
	for (int i = 0; i < t->drawings; i++)
		if (t->drawing[i].ops == &trace_drawing_bsp)
			return &t->drawing[i];
	return NULL;
}

/* "120-184": tiles of the report, the last one is not in sight any more. False: all are, or another drawing is. */
bool
trace_say_tiles(struct trace_view *t, struct ts_strbuf *out)
{
	const struct bsp_drawing *b = drawing_of(t)->own;
	int64_t first = b->bsp.all.first + b->first;

	if (trace_drawn(t) != drawing_of(t) || b->tiles == 0)
		return false;
	ts_strbuf_printf(out, "%lld-%lld", (long long)first, (long long)(first + b->tiles));
	return true;
}

enum ts_arg_state
trace_set_tiles(struct trace_view *t, int64_t from, int64_t to)
{
	struct trace_drawing *d = drawing_of(t);
	struct bsp_drawing *b = d->own;
	const struct ts_bsp_tiles *all = &b->bsp.all;

	if (trace_drawn(t) != d || b->pane.state == TS_PANE_ABSENT ||
		b->pane.state == TS_PANE_FAILED) {
		ts_view_say_error(t->view.env, "no tiles are drawn");
		return TS_ARG_NO;
	}
	if (b->bsp.columns == 0 || b->bsp.ipu != trace_ipu(t))
		return TS_ARG_LATER;
	from = ts_max_i64(from, all->first);
	to = ts_min_i64(to, all->first + all->count);
	if (from >= to) {
		ts_view_say_error(t->view.env, "tiles of ipu %lld are %lld to %lld",
			(long long)b->bsp.ipu, (long long)all->first,
			(long long)(all->first + all->count - 1));
		return TS_ARG_NO;
	}
	b->first = from - all->first;
	b->tiles = to - from == all->count ? 0 : to - from;
	b->cursor = ts_clamp_i64(b->cursor, from, to - 1);
	bsp_select(d);
	return TS_ARG_DONE;
}

/* --- what the figures are --------------------------------------------------------------------------- */

void
bsp_explain(struct trace_drawing *d, struct ts_explain *out)
{
	static const char *const does[TS_BSP_PARTS] = {"computes", "exchanges", "waits"};
	const struct ts_bsp *p = &((struct bsp_drawing *)d->own)->bsp;
	int64_t first, last, from, to;
	int row, column;

	if (!bsp_cursor(d, &row, &column))
		return;
	ts_bsp_row_tiles(p, row, &first, &last);
	ts_trace_column(p->from, p->to, p->columns, column, &from, &to);
	for (int k = 0; k < TS_BSP_PARTS; k++) {
		double v = 100 * (double)ts_bsp_share(p, row, (enum ts_bsp_part)k)[column];
		struct ts_explained *x = ts_explain_add(out,
			"part of its cycles in which tile %lld to %lld %s", (long long)first,
			(long long)last, does[k]);

		ts_explain_real(x, v, "%");
		ts_explain_from(x, ts_known_of_mark(bsp_mark(p)),
			"compute_set.cycles_by_tile, program.cycles_by_tile, else the estimated ones; "
			"step_ipu.start, end of IPU %lld",
			(long long)p->ipu);
		ts_explain_formula(x,
			"of the %lld cycles from %lld on, mean of the tiles; a tile waits from the end "
			"of its own cycles to the end of the step",
			(long long)(to - from), (long long)from);
		ts_explain_note(x, "%s%s", ts_mark_sentence(bsp_mark(p)),
			p->sampled
				? " Of many steps one at each place was read; no query."
				: " A mean over steps that are cut at the edge of a column has no "
				  "query.");
	}
}
