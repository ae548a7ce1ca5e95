/* SPDX-License-Identifier: MIT */
/*
 * memory_map - the tile map of the Memory view: where the tiles are, and commands that move on it.
 *
 * It takes the place of the graph, with the same tile under the cursor, the same metric, the same selection; what is
 * below follows as ever. Pages are those of the cursor's IPU; up and down move on the map while it has the keys.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"

enum {
	ABOVE = 2, /* rows of title and legend */
	TABS_LEAST = 5,
	TABS_FEW = 14, /* so few rows below are less than a column of them beside the map */
	TABS_COLUMNS = 48,
	JUMP = 8
};

static const enum ts_effect rearranged = (enum ts_effect)(
	TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);

/* --- laying out and colouring ----------------------------------------------------------------- */

bool
memory_has_physical(const struct memory_view *m)
{
	for (int64_t i = 0; i < m->tiles->n; i++)
		if (m->tiles->tiles.tile[i].physical == TS_UNKNOWN)
			return false;
	return m->tiles->n > 0;
}

static void
lay_out(struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	struct memory_map *k = &m->map;
	int64_t *number = ts_alloc(2 * (size_t)t->n, sizeof(*number));
	bool physical = k->physical && memory_has_physical(m);

	k->tiles = t;
	k->laid_physical = k->physical;
	k->values = NULL;
	for (int64_t i = 0; number && i < t->n; i++) {
		number[i] = t->tiles.tile[i].tile;
		number[t->n + i] = t->tiles.tile[i].physical;
	}
	if (!number ||
		!ts_tile_map_lay(&k->map, number, t->ipu, physical ? number + t->n : NULL, t->n,
			t->target.tiles_per_ipu))
		ts_view_say_error(m->view.env, "out of memory");
	free(number);
}

void
memory_map_drop(struct memory_view *m)
{
	ts_tile_map_fini(&m->map.map);
	m->map.tiles = NULL;
	m->map.values = NULL;
}

/* Has a tile more than its memory? Whatever the metric that is shown. */
static bool
is_over(void *ctx, int64_t i)
{
	const struct memory_view *m = ctx;

	return memory_does_not_fit(m->tiles, i);
}

static void
colour(struct memory_view *m)
{
	struct memory_map *k = &m->map;
	struct ts_tile_map_values v = {.value = memory_metric_values(m),
		.other = memory_other(m),
		.limit = ts_metric_defs[m->metric.id].of_limit ? m->tiles->target.bytes_per_tile
							       : TS_UNKNOWN,
		.is_over = !m->no_limit ? is_over : NULL,
		.beyond = m->metric.id <= TS_METRIC_TOTAL_GAPS,
		.ctx = m};

	k->map.how = k->how;
	k->values = v.value;
	k->no_limit = m->no_limit;
	k->data = m->data;
	ts_tile_map_color(&k->map, &v);
}

void
memory_map_update(struct memory_view *m)
{
	struct memory_map *k = &m->map;
	struct ts_rect r;

	if (!k->shown || !memory_has_tiles(m))
		return;
	if (k->tiles != m->tiles || k->laid_physical != k->physical) {
		lay_out(m);
		memory_layout(m); /* tiles that came while the map is shown */
	}
	if (k->map.level &&
		(k->values != memory_metric_values(m) || k->map.how != k->how ||
			k->no_limit != m->no_limit || k->data != m->data))
		colour(m);
	r = memory_map_rect(m);
	(void)ts_tile_map_fit(&k->map, r.w, r.h, k->whole, memory_at(m));
}

/* Is something not seen: other pages, or the rest of a block? */
static bool
has_more(const struct memory_map *k)
{
	const struct ts_floor_view *v = &k->map.seen;

	return k->map.level &&
		(ts_floor_pages(v, &k->map.floor) > 1 || v->columns < k->map.floor.columns ||
			v->rows < k->map.floor.rows);
}

static int
fit(struct memory_view *m, int width, int height)
{
	return ts_tile_map_fit(&m->map.map, width, height, m->map.whole, memory_at(m));
}

/* Where the panes are: the tabs below the map or beside it, the legend above or beside it. */
struct plan {
	int readout, most;   /* rows */
	int rows, columns;   /* of the map */
	bool beside, legend; /* the tabs, the legend */
};

/* Larger tiles are nice to have, tables below are, too: but all IPUs on one page come first. */
static void
plan_below(struct memory_view *m, struct plan *p, int width)
{
	bool alone = m->zoomed == PANE_GRAPH;

	m->map.map.seen.nameless = false;
	p->rows = fit(m, width, alone ? p->most : p->most * 2 / 3);
	if (!alone && (m->map.map.zoom > 0 || has_more(&m->map)))
		p->rows = fit(m, width, p->most);
	p->columns = ts_floor_width(&m->map.map.seen);
}

/* The tabs have the columns that are free when there are few rows below. False: nothing has changed. */
static bool
plan_beside(struct memory_view *m, struct plan *p, int width)
{
	struct plan before = *p;
	bool more = has_more(&m->map);

	if (m->zoomed == PANE_GRAPH || width - p->columns <= TABS_COLUMNS ||
		m->area.h - ABOVE - p->readout - p->rows >= TABS_FEW)
		return false;
	p->rows = fit(m, width - TABS_COLUMNS - 1, m->area.h - ABOVE - p->readout);
	p->columns = ts_floor_width(&m->map.map.seen);
	if (has_more(&m->map) && !more) {
		*p = before;
		plan_below(m, p, width);
		return false;
	}
	return true;
}

/* The legend has the columns that are free: a row more for the map, and its name. */
static bool
plan_legend(struct memory_view *m, struct plan *p, int width)
{
	if (width - p->columns <= TS_TILE_MAP_SIDE || p->rows < TS_TILE_MAP_SIDE_ROWS)
		return false;
	m->map.map.seen.nameless = true;
	p->rows = fit(m, width - TS_TILE_MAP_SIDE - 1, p->rows);
	p->columns = ts_floor_width(&m->map.map.seen);
	return true;
}

static void
put_panes(struct memory_view *m, const struct plan *p)
{
	int columns = MEMORY_MAP_MARGIN + p->columns, above = p->legend ? 0 : 1;
	bool alone = m->zoomed == PANE_GRAPH;
	struct ts_layout_item rows[] = {
		{.depth = 0, .kind = TS_SPLIT_ROWS},
		{.depth = 1, .kind = TS_PANE, .id = PANE_TITLE, .fixed = 1, .keep = 6},
		{.depth = 1, .kind = TS_PANE, .id = PANE_LEGEND, .fixed = 1, .keep = 7},
		{.depth = 1, .kind = TS_PANE, .id = PANE_GRAPH, .min = 4, .keep = 9},
		{.depth = 1, .kind = TS_PANE, .id = PANE_READOUT, .fixed = p->readout, .keep = 8},
		{.depth = 1, .kind = TS_PANE, .id = PANE_TABS, .min = 4, .keep = 4},
	};
	struct ts_rect *graph = &m->pane[PANE_GRAPH], *side = &m->pane[PANE_LEGEND];

	if (!alone && !p->beside && p->rows > 0)
		rows[3].fixed = p->rows;
	if (!above)
		memmove(&rows[2], &rows[3], sizeof(rows) - 3 * sizeof(rows[0]));
	if (!above && !alone && p->rows > 0)
		rows[2].fixed = p->rows;
	ts_layout(m->pane, rows, (int)TS_COUNT(rows) - !above - (alone || p->beside), m->area,
		PANE_NONE);
	if (p->legend) {
		*side = *graph;
		ts_rect_cut_left(side, columns + 1);
		graph->w = (int)ts_min_i64(graph->w, columns);
	}
	if (p->beside) {
		m->pane[PANE_TABS] = *graph;
		ts_rect_cut_left(&m->pane[PANE_TABS], columns + 1);
		graph->w = (int)ts_min_i64(graph->w, columns);
	}
}

bool
memory_map_layout(struct memory_view *m)
{
	enum { LEAST = 16 };
	struct memory_map *k = &m->map;
	int width = m->area.w - MEMORY_MAP_MARGIN;
	struct plan p = {.readout = m->area.h < LEAST ? 1 : 1 + memory_rows_wanted(m)};

	if (!k->shown || !memory_has_tiles(m) ||
		(m->zoomed != PANE_NONE && m->zoomed != PANE_GRAPH))
		return false;
	if (k->tiles != m->tiles || k->laid_physical != k->physical)
		lay_out(m);
	m->rows_below = memory_rows_wanted(m);
	p.most = m->area.h - ABOVE - p.readout - (m->zoomed == PANE_GRAPH ? 0 : TABS_LEAST);
	plan_below(m, &p, width);
	p.beside = plan_beside(m, &p, width);
	p.legend = !p.beside && plan_legend(m, &p, width);
	put_panes(m, &p);
	return true;
}

/* --- what is shown ---------------------------------------------------------------------------- */

static enum ts_effect
arrange(struct memory_view *m)
{
	memory_layout(m);
	memory_update(m);
	return rearranged;
}

enum ts_effect
memory_map_switch(struct memory_view *m, const struct ts_call *call)
{
	(void)call;
	m->map.shown = !m->map.shown;
	return arrange(m);
}

enum ts_effect
memory_map_scale(struct memory_view *m, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	int how = (int)m->map.how;

	for (int i = 0; i < TS_HEAT_HOWS; i++) {
		how = (how + 1) % TS_HEAT_HOWS;
		if (!name || strcmp(name, ts_heat_how_name((enum ts_heat_how)how)) == 0)
			break;
	}
	if (name && strcmp(name, ts_heat_how_name((enum ts_heat_how)how)) != 0) {
		ts_view_say_error(m->view.env, "scale is one of linear, log, limit");
		return TS_EFFECT_BELL;
	}
	m->map.how = (enum ts_heat_how)how;
	m->map.shown = true;
	return arrange(m);
}

enum ts_effect
memory_map_order(struct memory_view *m, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	bool physical = name ? strcmp(name, "physical") == 0 : !m->map.physical;
	int64_t at = memory_at(m);

	if (name && !physical && strcmp(name, "software") != 0) {
		ts_view_say_error(m->view.env, "order is software or physical");
		return TS_EFFECT_BELL;
	}
	if (physical && !memory_has_physical(m)) {
		ts_view_say_error(m->view.env,
			"physical numbers of the tiles are not recorded in this report: software order");
		return TS_EFFECT_BELL;
	}
	m->map.physical = physical;
	memory_axis_make(m);
	ts_span_go(&m->span, memory_position(m, at));
	m->data++;
	return arrange(m);
}

/* --- moving ----------------------------------------------------------------------------------- */

static const struct {
	enum ts_cmd cmd;
	int dx, dy, times;
} moves[] = {
	{TS_CMD_LEFT, -1, 0, 1},
	{TS_CMD_RIGHT, 1, 0, 1},
	{TS_CMD_UP, 0, -1, 1},
	{TS_CMD_DOWN, 0, 1, 1},
	{TS_CMD_HALF_UP, 0, -1, JUMP},
	{TS_CMD_HALF_DOWN, 0, 1, JUMP},
};

static enum ts_effect
move(struct memory_view *m, int dx, int dy, int times)
{
	const struct ts_tile_map *k = &m->map.map;
	int64_t to = memory_at(m), next;
	enum ts_effect effect;

	for (int i = 0; i < times; i++) {
		next = ts_floor_step(&k->seen, &k->floor, to, dx, dy);
		if (next < 0)
			break;
		to = next;
	}
	if (to == memory_at(m))
		return TS_EFFECT_BELL;
	effect = memory_go(m, to);
	m->ahead = ts_floor_step(&k->seen, &k->floor, to, dx, dy);
	return effect;
}

/* The same place of a block on the next page or the one before; else its first tile. */
static enum ts_effect
turn_page(struct memory_view *m, int step)
{
	const struct ts_tile_map *k = &m->map.map;
	int64_t at = memory_at(m);
	int block = k->floor.block_of[at] + step * k->seen.across * k->seen.down;
	int64_t to;

	if (ts_floor_pages(&k->seen, &k->floor) < 2)
		return TS_EFFECT_BELL;
	if (block >= k->floor.blocks &&
		k->seen.first + k->seen.across * k->seen.down < k->floor.blocks)
		block = k->floor.blocks - 1;
	if (block < 0 || block >= k->floor.blocks)
		return TS_EFFECT_BELL;
	to = k->floor.block[block].at[k->floor.slot_of[at]];
	return memory_go(m, to >= 0 ? to : k->floor.block[block].first);
}

static enum ts_effect
resize_tiles(struct memory_view *m, enum ts_cmd cmd)
{
	struct memory_map *k = &m->map;
	int zoom = k->map.zoom, size = k->map.size;

	k->map.zoom = cmd == TS_CMD_ZOOM_FIT ? 0
		: cmd == TS_CMD_ZOOM_IN	     ? (int)ts_min_i64(size + 1, TS_FLOOR_ZOOMS - 1)
					     : (int)ts_max_i64(size - 1, 1);
	if (k->map.zoom == size && cmd != TS_CMD_ZOOM_FIT)
		k->map.zoom = zoom;
	if (k->map.zoom == zoom)
		return TS_EFFECT_BELL;
	return arrange(m);
}

enum ts_effect
memory_map_command(struct memory_view *m, const struct ts_call *call)
{
	if (!m->map.map.level)
		return TS_EFFECT_UNKNOWN;
	for (size_t i = 0; i < TS_COUNT(moves); i++)
		if (moves[i].cmd == call->cmd)
			return move(m, moves[i].dx, moves[i].dy, moves[i].times);
	switch (call->cmd) {
	case TS_CMD_PAGE_UP:
	case TS_CMD_PAGE_LEFT:
		return turn_page(m, -1);
	case TS_CMD_PAGE_DOWN:
	case TS_CMD_PAGE_RIGHT:
		return turn_page(m, 1);
	case TS_CMD_ZOOM_IN:
	case TS_CMD_ZOOM_OUT:
	case TS_CMD_ZOOM_FIT:
		return resize_tiles(m, call->cmd);
	default:
		return TS_EFFECT_UNKNOWN;
	}
}

enum ts_effect
memory_map_mouse(struct memory_view *m, int x, int y, int wheel)
{
	struct ts_rect r = memory_map_rect(m);
	int64_t at;

	if (wheel)
		return resize_tiles(m, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT);
	at = m->map.map.level ? ts_tile_map_at(&m->map.map, x - r.x, y - r.y) : -1;
	return at >= 0 ? memory_go(m, at) : TS_EFFECT_NONE;
}

bool
memory_map_in_range(const struct memory_view *m, int64_t i)
{
	const struct ts_floor *f = &m->map.map.floor;

	return m->range_from >= 0 && m->range_from < f->tiles &&
		ts_floor_between(f, m->range_from, memory_at(m), i);
}
