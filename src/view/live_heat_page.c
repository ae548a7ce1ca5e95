/* SPDX-License-Identifier: MIT */
/*
 * live_heat_page - the heat map on paper: the tiles and steps in sight, in cells of a size of their own, whatever the pane has
 * room for; where IPUs begin; and the place with the most live bytes.
 *
 * The cells are worked out by the thread that draws. Whole groups of tiles are a look at their crests; tiles one by one are
 * walked only where their pieces are few enough for a frame or so. Where they are not, and no groups help, the cells are
 * those of the screen.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"

#include "live_heat_internal.h"

enum { PAPER_ROWS = 160, PAPER_COLUMNS = 400, PAPER_PAIRS = 1 << 18 /* pieces that are walked */ };

/* --- cells ------------------------------------------------------------------------------------ */

size_t
heat_places(const struct heat *h)
{
	size_t seen = h->shown.per_row * (size_t)h->shown.rows, left = h->l->tiles - h->shown.tile;

	return seen < left ? seen : left;
}

static bool
is_much(const struct heat *h)
{
	uint64_t pairs = 0;

	for (size_t i = 0; i < heat_places(h); i++)
		pairs += h->l->tile[h->shown.tile + i].pairs;
	return pairs > PAPER_PAIRS;
}

/* What is asked for a page; false: nothing better than what is here already. */
static bool
question(struct ts_live_heat *q, const struct heat *h)
{
	size_t group = h->l->crest_tiles, n = heat_places(h);
	bool much = is_much(h);

	*q = h->shown;
	q->columns = (int)ts_min_i64(PAPER_COLUMNS, q->steps);
	q->per_row = ts_live_heat_fit(n, PAPER_ROWS, group);
	if (much && q->per_row < group)
		q->per_row = group;
	q->rows = (int)((n + q->per_row - 1) / q->per_row);
	return !much || (group > 0 && q->tile % group == 0 && q->per_row <= h->shown.per_row);
}

/* A map with the cells of the page; its `most` is the caller's to free. False: no memory (nomem). */
static bool
take_cells(struct heat *paper, const struct heat *h, struct ts_chart_page *p)
{
	struct ts_err err;
	size_t n;

	*paper = *h;
	if (!question(&paper->shown, h))
		paper->shown = h->shown;
	n = (size_t)paper->shown.rows * (size_t)paper->shown.columns;
	paper->most = ts_alloc(n, sizeof(*paper->most));
	if (paper->most && !ts_live_heat_read(paper->most, paper->l, &paper->shown, NULL, &err))
		return true;
	p->nomem = true;
	return false;
}

/* --- what stands beside them ------------------------------------------------------------------ */

static void
name_lanes(struct ts_chart_page *p, const struct heat *h)
{
	enum { LABELS = 12 };
	int64_t each = heat_tile_ticks(h, p->lanes, LABELS);

	for (int i = 0; i < p->lanes; i++) {
		int64_t tile = heat_round_tile(h,
			(int64_t)(h->shown.tile + (size_t)i * h->shown.per_row),
			(int64_t)h->shown.per_row, each);

		if (tile != TS_UNKNOWN)
			snprintf(p->lane[i], sizeof(p->lane[i]), "%lld", (long long)tile);
	}
}

static bool
has_ipus(const struct heat *h)
{
	size_t i = 0;

	while (i < h->l->tiles && h->l->tile[i].ipu == h->l->tile[0].ipu)
		i++;
	return i < h->l->tiles;
}

/* Where an IPU begins, which may be within a row; the one that is in sight first has its number at the top. */
static void
mark_ipus(struct ts_chart_page *p, const struct heat *h)
{
	int64_t before = TS_UNKNOWN;

	if (!has_ipus(h))
		return;
	for (size_t i = 0; i < heat_places(h); i++) {
		int64_t ipu = heat_ipu(h, (int64_t)(h->shown.tile + i));

		if (ipu != TS_UNKNOWN && ipu != before)
			ts_chart_page_side(p, (double)i / (double)h->shown.per_row, "ipu %lld",
				(long long)ipu);
		before = ipu;
	}
}

/* In the middle of its cell: columns are not quite as wide as their steps. */
static void
mark_most(struct ts_chart_page *p, const struct heat *h, enum ts_units units)
{
	struct ts_live_spot s = ts_live_bottleneck(h->l);
	const struct ts_live_heat *q = &h->shown;
	int column = ts_live_heat_column_of(q, s.step);
	char bytes[TS_FMT_MAX];

	if (s.place < (ptrdiff_t)q->tile || (size_t)s.place - q->tile >= heat_places(h) ||
		column < 0 || column >= q->columns)
		return;
	ts_chart_page_spot(p, p->x.from + (column + 0.5) * (p->x.to - p->x.from) / q->columns,
		(double)(((size_t)s.place - q->tile) / q->per_row) + 0.5,
		"most live%s: tile %lld at step %lld, %s", h->sampled ? " of the sample" : "",
		(long long)heat_tile(h, s.place), (long long)s.step,
		ts_fmt_bytes(bytes, s.bytes, units));
}

static const char *
bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct ts_tab *t = ctx;

	return ts_fmt_bytes_short(out, (int64_t)v, t->view->env->options->units);
}

static void
name_page(struct ts_chart_page *p, const struct heat *h)
{
	const struct ts_live_heat *s = &h->shown;
	char steps[HEAT_STEPS_TEXT];

	snprintf(p->title, sizeof(p->title), "Live bytes by tile and liveness step");
	snprintf(p->subtitle, sizeof(p->subtitle),
		"each cell: the fullest of %lld tile%s at the fullest of %s", (long long)s->per_row,
		s->per_row == 1 ? "" : "s", heat_steps_text(steps, s->steps, s->columns));
	if (h->sampled)
		snprintf(p->subtitle, sizeof(p->subtitle), "a sample of %lld tiles",
			(long long)h->l->tiles);
	snprintf(p->x.title, sizeof(p->x.title), "liveness step");
	snprintf(p->y.title, sizeof(p->y.title), "tile");
	snprintf(p->scale, sizeof(p->scale), "live bytes, %s", ts_heat_how_title(h->how));
}

/* --- the page --------------------------------------------------------------------------------- */

static void
fill_grid(struct ts_chart_page *p, double *grid, const struct heat *h)
{
	bool limit = h->how == TS_HEAT_LIMIT;

	p->least = limit ? 0 : HUGE_VAL;
	p->most = limit ? (double)h->limit : 0;
	for (int64_t i = 0; i < (int64_t)h->shown.rows * h->shown.columns; i++) {
		double bytes = (double)h->most[i];

		if (h->most[i] < 0)
			continue;
		grid[i] = bytes;
		if (h->limit > 0 && h->most[i] > h->limit) {
			grid[i] = HUGE_VAL; /* off the scale, whatever that is */
			snprintf(p->over, sizeof(p->over), "over the limit");
		}
		if (limit)
			continue;
		p->least = fmin(p->least, bytes);
		p->most = fmax(p->most, bytes);
	}
}

bool
heat_chart(struct ts_tab *t, struct ts_chart_page *p)
{
	const struct heat *h = t->own;
	struct heat paper;
	double *grid = NULL;

	if (!h->most || h->shown.tile >= h->l->tiles || h->shown.rows > TS_PAGE_LANES_MAX ||
		h->shown.columns > TS_PAGE_COLUMNS)
		return false;
	if (take_cells(&paper, h, p)) {
		const struct ts_live_heat *s = &paper.shown;

		p->columns = s->columns;
		p->lanes = s->rows;
		p->x = (struct ts_page_axis){.from = (double)s->step,
			.to = (double)(s->step + s->steps),
			.base = 10};
		/* of the scale of colours: tiles have their names */
		p->y = (struct ts_page_axis){.base = 10, .tick = bytes_tick, .ctx = t};
		p->logarithmic = h->how == TS_HEAT_LOG;
		name_page(p, &paper);
		grid = ts_chart_page_grid(p);
	}
	if (grid) {
		fill_grid(p, grid, &paper);
		name_lanes(p, &paper);
		mark_ipus(p, &paper);
		mark_most(p, &paper, t->view->env->options->units);
	}
	free(paper.most);
	return grid != NULL;
}
