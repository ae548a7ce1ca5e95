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

/* Where cycles of a step by tile stand, as text of SQL: the first that has them; false: nowhere. */
static bool
sources_of(const struct trace_view *t, char *blobs, char *joins, size_t size)
{
	static const struct {
		enum ts_relation relation;
		int column;
		bool measured;
		const char *blob;
	} of[] = {{TS_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE, true, "p.cycles_by_tile"},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE, true, "k.cycles_by_tile"},
		{TS_PROGRAM, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE, false,
			"p.estimated_cycles_by_tile"},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE, false,
			"k.estimated_cycles_by_tile"}};
	const struct ts_report *r = t->view.env->report;
	size_t n = 0;

	blobs[0] = '\0';
	for (size_t i = 0; i < TS_COUNT(of); i++)
		if (ts_report_has_column(r, of[i].relation, of[i].column) &&
			!(of[i].measured && t->trace->honest.one_tile))
			n += (size_t)snprintf(blobs + n, size - n, "tile_at(%s, i.tile), ",
				of[i].blob);
	snprintf(joins, size, "%s%s",
		ts_report_has(r, TS_PROGRAM) ? " LEFT JOIN program p ON p.program = s.program" : "",
		ts_report_has(r, TS_COMPUTE_SET)
			? " LEFT JOIN compute_set k ON k.compute_set = s.compute_set"
			: "");
	return n > 0;
}

/* The parts of a cell in SQL, in columns from the first on: as the picture adds them up. */
static bool
query_of(const struct trace_view *t, const struct ts_bsp *p, int row, int column, const char *part,
	char out[TS_EXPLAIN_QUERY])
{
	long long from = (long long)p->from, to = (long long)p->to;
	double width = (double)(p->to - p->from) / p->columns;
	char blobs[240], joins[240];
	int64_t first, last;

	ts_bsp_row_tiles(p, row, &first, &last);
	if (p->sampled || !sources_of(t, blobs, joins, sizeof(blobs)))
		return false;
	return snprintf(out, TS_EXPLAIN_QUERY,
		       "WITH RECURSIVE i(tile) AS (SELECT %lld UNION ALL SELECT tile + 1 FROM i WHERE tile "
		       "< %lld), o AS (SELECT x.start AS f, x.\"end\" AS t, x.\"end\" - x.start AS n, "
		       "step_class(s.type, s.sync_type) AS k, coalesce(%sNULL) AS own FROM step_ipu x JOIN step "
		       "s ON s.step = x.step%s, i WHERE x.ipu = %lld AND x.\"end\" > x.start AND x.start < "
		       "%lld AND x.\"end\" > %lld), m AS (SELECT f, t, k = 'compute' AS c, f + n * "
		       "(min(own, n) * 1.0 / n) AS m FROM o WHERE k IN ('compute', 'exchange', "
		       "'global_exchange')), v AS (SELECT c, (max(f, %lld) - %lld) / (1.0 * %.17g) AS f, "
		       "(min(max(m, %lld), %lld) - %lld) / (1.0 * %.17g) AS m, (min(t, %lld) - %lld) / (1.0 * "
		       "%.17g) AS t FROM m WHERE m IS NOT NULL), w AS (SELECT c, max(0, min(m, %d) - max(f, "
		       "%d)) AS own, max(0, min(t, %d) - max(m, %d)) AS wait FROM v) SELECT 100.0 * %s / "
		       "max(1, computes + exchanges + waits) FROM (SELECT total(own * c) / %lld AS computes, "
		       "total(own * (1 - c)) / %lld AS exchanges, total(wait) / %lld AS waits FROM w)",
		       (long long)first, (long long)last, blobs, joins, (long long)p->ipu, to, from,
		       from, from, width, from, to, from, width, to, from, width, column + 1,
		       column, column + 1, column, part, (long long)(last - first + 1),
		       (long long)(last - first + 1),
		       (long long)(last - first + 1)) < TS_EXPLAIN_QUERY;
}

void
bsp_explain(struct trace_drawing *d, struct ts_explain *out)
{
	static const char *const does[TS_BSP_PARTS] = {"computes", "exchanges", "waits"};
	const struct ts_bsp *p = &((struct bsp_drawing *)d->own)->bsp;
	char query[TS_EXPLAIN_QUERY];
	int64_t first, last, from, to;
	int row, column;

	if (!bsp_cursor(d, &row, &column))
		return;
	ts_bsp_row_tiles(p, row, &first, &last);
	ts_trace_column(p->from, p->to, p->columns, column, &from, &to);
	for (int k = 0; k < TS_BSP_PARTS; k++) {
		double v = 100 * ts_bsp_share(p, row, (enum ts_bsp_part)k)[column];
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
			p->sampled ? " Of many steps one at each place was read; no query." : "");
		if (query_of(d->trace, p, row, column, does[k], query))
			ts_explain_query(x, "%s", query);
	}
}
