/* SPDX-License-Identifier: MIT */
/*
 * live_heat_data - what the tab "heat" asks of the report, and what becomes of the answers.
 *
 * Two questions: the table of all tiles, once (from the index, else a pass over all lowered variables), and then the cells
 * in sight with the spot under the cursor, again after each move. Before a pass over many rows a tile for each row of cells
 * is read, which takes as long as a frame or two: the map is of these, and says so, until all are there. Cells hold whole groups of tiles as soon as they are
 * larger than one, so that the table's crests answer.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/target.h"

#include "live_heat_internal.h"

enum { KIND_TABLE, KIND_CELLS, KIND_SAMPLE };

enum {
	SAMPLE_MOST = 128,     /* tiles of the first look */
	SAMPLE_ROWS = 1 << 17, /* so many rows are worth one */
};

static struct heat *
heat_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- questions -------------------------------------------------------------------------------- */

struct table_fetch {
	struct ts_fetch f;
	struct ts_tile_lives *l;
	int64_t limit, overflows; /* as in struct heat */
	size_t tiles;		  /* of a first look */
};

struct cells_fetch {
	struct ts_fetch f;
	struct ts_tile_lives *l; /* held */
	struct ts_live_heat cells;
	bool spot_alone; /* the cells are here already */
	int64_t cell[2], end[2];
	int64_t *most;
	struct ts_live_spot spot;
};

static bool
is_over(const struct ts_tile *t, int64_t limit)
{
	return t->overflowed > 0 || (limit > 0 && ts_tile_used(t) > limit);
}

/* The fullest tile, where it overflows and the one with most live bytes does not. What cannot be read says nothing. */
static int64_t
find_overflow(struct ts_reader *rd, const struct ts_tile_lives *l, int64_t limit)
{
	struct ts_live_spot spot = ts_live_bottleneck(l);
	int64_t over = TS_UNKNOWN;
	struct ts_tiles t = {.count = 0};

	if (spot.place >= 0 && ts_tiles_read(&t, rd, NULL) == TS_OK && t.count > 0 && !t.partial) {
		ptrdiff_t at = ts_tiles_find(&t, l->tile[spot.place].tile);

		if (at >= 0 && !is_over(&t.tile[at], limit) && is_over(&t.tile[t.worst], limit))
			over = t.tile[t.worst].tile;
	}
	ts_tiles_fini(&t);
	return over;
}

static enum ts_code
read_table(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct table_fetch *q = (struct table_fetch *)f;
	struct ts_target target;
	enum ts_code code = ts_target_of(&target, rd, err);

	q->limit = code ? TS_UNKNOWN : target.bytes_per_tile;
	q->overflows = TS_UNKNOWN;
	if (code)
		return code;
	code = q->tiles > 0 ? ts_tile_lives_read_sample(&q->l, rd, q->tiles, err)
			    : ts_tile_lives_read(&q->l, rd, &f->job.progress, err);
	if (!code && q->tiles == 0)
		q->overflows = find_overflow(rd, q->l, q->limit);
	return code;
}

static void
fini_table(struct ts_fetch *f)
{
	ts_tile_lives_close(((struct table_fetch *)f)->l);
}

static enum ts_code
read_cells(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct cells_fetch *q = (struct cells_fetch *)f;
	enum ts_code code = TS_OK;

	if (!q->spot_alone)
		code = ts_live_heat_read(q->most, q->l, &q->cells, rd->cancel, err);
	if (code)
		return code;
	return ts_live_spot_read(&q->spot, q->l, (size_t)q->cell[1], (size_t)q->end[1], q->cell[0],
		q->end[0], err);
}

static void
fini_cells(struct ts_fetch *f)
{
	struct cells_fetch *q = (struct cells_fetch *)f;

	ts_tile_lives_close(q->l);
	free(q->most);
}

/* Nothing to read: the section is there. */
static bool
is_quick(const struct ts_view_env *env)
{
	return ts_tile_lives_quick(env->index);
}

static struct table_fetch *
new_table_fetch(size_t tiles)
{
	struct table_fetch *q = ts_alloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->f.read = read_table;
	q->f.fini = fini_table;
	q->tiles = tiles;
	return q;
}

/* A tile for each row of cells: there is something to look at long before all are read. */
static void
ask_sample(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	const struct ts_report *r = t->view->env->report;
	int rows = heat_parts(t->r, h).map.h * HEAT_ROWS_OF_SCREEN;
	struct table_fetch *q;

	if (h->sample_asked || h->l || rows <= 0 || t->view->env->looking || is_quick(t->view->env))
		return;
	h->sample_asked = true;
	if (!ts_tile_lives_can(r) ||
		ts_reach_work(&r->binding[TS_LOWERED_VARIABLE].reach) < SAMPLE_ROWS)
		return;
	q = new_table_fetch((size_t)(rows < SAMPLE_MOST ? rows : SAMPLE_MOST));
	if (!q)
		return;
	h->sampling = &q->f;
	ts_fetch_send(t->view, &q->f, t->kind + KIND_SAMPLE, TS_WORKER_SCREEN,
		"looking at some tiles");
}

static void
ask_table(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	struct ts_view_env *env = t->view->env;
	struct table_fetch *q;

	env->wanted |= ts_section_bit(TS_SECTION_TILE_LIVES);
	if (h->pane.state != TS_PANE_EMPTY || env->looking ||
		ts_view_waits(env, TS_SECTION_TILE_LIVES, TS_LOWERED_VARIABLE))
		return;
	q = new_table_fetch(0);
	if (!q)
		return;
	h->pane.state = TS_PANE_LOADING;
	h->reading = &q->f;
	ts_fetch_send(t->view, &q->f, t->kind + KIND_TABLE,
		is_quick(env) ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"reading what is alive on tiles");
}

static struct ts_live_heat
question(const struct heat *h)
{
	return (struct ts_live_heat){.tile = (size_t)h->y.from,
		.per_row = (size_t)h->y.each,
		.rows = h->y.cells,
		.step = h->x.from,
		.steps = h->x.to - h->x.from,
		.columns = (int)ts_min_i64(h->x.columns, h->x.to - h->x.from)};
}

static bool
same_cells(const struct ts_live_heat *a, const struct ts_live_heat *b)
{
	return a->tile == b->tile && a->per_row == b->per_row && a->rows == b->rows &&
		a->step == b->step && a->steps == b->steps && a->columns == b->columns;
}

static void
ask_cells(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	struct ts_live_heat cells = question(h);
	int64_t cell[2], end;
	struct cells_fetch *q;

	heat_steps(h, &cell[0], &end);
	cell[1] = heat_cell(&h->y, h->y.cursor);
	if (h->x.count == 0 || h->y.count == 0 || h->x.columns == 0 ||
		(same_cells(&cells, &h->asked) && memcmp(cell, h->asked_cell, sizeof(cell)) == 0))
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->f.read = read_cells;
	q->f.fini = fini_cells;
	q->cells = cells;
	q->spot_alone = h->most && same_cells(&cells, &h->shown);
	if (!q->spot_alone)
		q->most = ts_alloc((size_t)cells.rows * (size_t)cells.columns, sizeof(*q->most));
	if (!q->spot_alone && !q->most) {
		free(q);
		return;
	}
	memcpy(q->cell, cell, sizeof(cell));
	q->end[0] = end;
	q->end[1] = ts_min_i64(cell[1] + h->y.each, h->y.count);
	q->l = ts_tile_lives_hold(h->l);
	h->asked = cells;
	memcpy(h->asked_cell, cell, sizeof(cell));
	h->asking = &q->f;
	ts_fetch_send(t->view, &q->f, t->kind + KIND_CELLS, TS_WORKER_SCREEN,
		"looking which tile is how full when");
}

/* The cursor to the step and the tile that the selection names, when it names others than before. */
static void
take_selection(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	const struct ts_selection *s = t->view->env->selection;

	if (s->live_step >= 0 && s->live_step != h->seen_step)
		ts_span_go(&h->x, s->live_step);
	if (s->tile >= 0 && s->tile != h->seen_tile) {
		ptrdiff_t place = ts_tile_lives_find(h->l, s->tile);

		h->y.cursor = place < 0 ? h->y.cursor : place;
	}
	h->seen_step = s->live_step;
	h->seen_tile = s->tile;
	heat_follow(&h->y);
}

void
heat_request(struct ts_tab *t)
{
	struct heat *h = heat_of(t);

	ask_sample(t);
	ask_table(t);
	if (!h->l)
		return;
	take_selection(t);
	ask_cells(t);
}

/* --- answers ---------------------------------------------------------------------------------- */

void
heat_go_to_spot(struct heat *h, const struct ts_live_spot *spot)
{
	if (spot->place < 0)
		return;
	h->y.cursor = spot->place;
	ts_span_go(&h->x, spot->step);
	heat_follow(&h->y);
}

static void
log_left_out(struct ts_tab *t, int64_t n, const char *what)
{
	if (n > 0)
		ts_log_add(t->view->env->log, "liveness by tile: %lld %s", (long long)n, what);
}

void
heat_resize(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	struct heat_parts p = heat_parts(t->r, h);

	if (!h->l || ts_rect_empty(p.map))
		return;
	ts_span_resize(&h->x, p.map.w);
	heat_resize_axis(&h->y, p.map.h * HEAT_ROWS_OF_SCREEN);
}

/* Another table: what was of the one before is gone, but for where somebody went in it. */
static void
show_table(struct ts_tab *t, struct table_fetch *q)
{
	struct heat *h = heat_of(t);
	struct ts_live_spot spot = {.place = -1};
	int64_t tile = TS_UNKNOWN, step = h->x.cursor;

	if (h->l)
		spot = ts_live_bottleneck(h->l);
	if (spot.place >= 0 && (h->y.cursor != spot.place || h->x.cursor != spot.step))
		tile = heat_tile(h, h->y.cursor);
	ts_tile_lives_close(h->l);
	free(h->most);
	h->most = NULL;
	h->asking = NULL;
	h->asked = (struct ts_live_heat){0};
	h->sampled = q->tiles > 0;
	h->l = q->l;
	q->l = NULL;
	h->limit = q->limit;
	h->overflows = q->overflows;
	ts_span_init(&h->x);
	ts_span_set_count(&h->x, ts_live_heat_steps(h->l));
	if (h->to > h->from)
		ts_span_show(&h->x, h->from, h->to);
	h->y = (struct heat_axis){.count = (int64_t)h->l->tiles,
		.group = ts_max_i64((int64_t)h->l->crest_tiles, 1)};
	h->y.each = 0;
	h->seen_step = t->view->env->selection->live_step;
	h->seen_tile = t->view->env->selection->tile;
	spot = ts_live_bottleneck(h->l);
	h->y.cursor = ts_max_i64(spot.place, 0);
	ts_span_go(&h->x, ts_max_i64(spot.step, 0));
	if (tile != TS_UNKNOWN && ts_tile_lives_find(h->l, tile) >= 0) {
		h->y.cursor = ts_tile_lives_find(h->l, tile);
		ts_span_go(&h->x, step);
	}
	heat_resize(t);
}

/* The first look is only of use before the table is there; nor is it said when there is none. */
static void
take_sample(struct ts_tab *t, struct table_fetch *q)
{
	if (!heat_of(t)->l && q->l && q->l->tiles > 0 && !q->f.code)
		show_table(t, q);
}

static void
take_table(struct ts_tab *t, struct table_fetch *q)
{
	struct heat *h = heat_of(t);

	ts_pane_result(&h->pane, q->f.code, &q->f.err, q->l != NULL);
	if (!q->l)
		return;
	show_table(t, q);
	log_left_out(t, h->l->bad_rows,
		"lowered variables left out: a number is missing, negative "
		"or too large");
	log_left_out(t, h->l->too_large,
		"lowered variables left out: all bytes together are too "
		"many");
	log_left_out(t, h->l->unplaced,
		"lowered variables are at no step: no class that has an "
		"interval");
	log_left_out(t, h->l->bad_intervals,
		"intervals left out: a number is missing, negative or "
		"too large");
	log_left_out(t, h->l->reversed, "intervals left out: empty, or they end before they start");
	log_left_out(t, h->l->beyond, "intervals cut: they go on behind the last step");
}

enum ts_effect
heat_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct heat *h = heat_of(t);
	bool vain = ts_fetch_in_vain(f, t->view->env->generation);

	if (f == h->reading) {
		h->reading = NULL;
		if (vain)
			h->pane.state = TS_PANE_FAILED;
		else
			take_table(t, (struct table_fetch *)f);
		if (vain)
			snprintf(h->pane.reason, sizeof(h->pane.reason), "stopped");
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	}
	if (f == h->sampling) {
		h->sampling = NULL;
		if (!vain)
			take_sample(t, (struct table_fetch *)f);
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	}
	if (f == h->asking) {
		struct cells_fetch *q = (struct cells_fetch *)f;

		h->asking = NULL;
		if (vain || f->code)
			return TS_EFFECT_NONE;
		if (q->most) {
			free(h->most);
			h->most = q->most;
			h->shown = q->cells;
			q->most = NULL;
		}
		h->spot = q->spot;
		memcpy(h->shown_cell, q->cell, sizeof(q->cell));
	}
	return TS_EFFECT_REPAINT;
}

void
heat_drop(struct ts_tab *t)
{
	struct heat *h = heat_of(t);

	ts_tile_lives_close(h->l);
	free(h->most);
	*h = (struct heat){.limit = TS_UNKNOWN,
		.zoom = h->zoom,
		.margin = h->margin,
		.from = h->from,
		.to = h->to,
		.pane = {.absent = TS_ABSENT_TILE_LIVES}};
}

void
ts_live_heat_below(struct ts_tab *t, int margin, int64_t from, int64_t to)
{
	struct heat *h = heat_of(t);
	bool other = h && margin != h->margin;

	if (!h)
		return;
	h->margin = margin;
	if (from != h->from || to != h->to) {
		h->from = from;
		h->to = to;
		if (h->l)
			ts_span_show(&h->x, from, to);
	}
	if (other)
		heat_resize(t);
}

bool
heat_open(struct ts_tab *t)
{
	struct heat *h = ts_alloc(1, sizeof(*h));

	if (!h)
		return false;
	t->own = h;
	heat_drop(t);
	return true;
}

void
heat_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	heat_drop(t);
	free(t->own);
	t->own = NULL;
}

/* What waited for a section that failed, or was stopped, may ask again; one that is being read ends sooner. */
void
heat_indexed(struct ts_tab *t)
{
	struct heat *h = heat_of(t);

	if (h->pane.state == TS_PANE_LOADING && is_quick(t->view->env))
		h->pane.state = TS_PANE_EMPTY;
}
