/* SPDX-License-Identifier: MIT */
/*
 * live_heat - commands and questions of the tab "heat".
 *
 * Two questions: the table of all tiles, once (from the index, else a pass over all lowered variables), and then the cells
 * in sight with the spot under the cursor, again after each move. Cells hold whole groups of tiles as soon as they are
 * larger than one, so that the table's crests answer.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/target.h"

#include "live_heat_internal.h"

enum { KIND_TABLE, KIND_CELLS, ROWS_OF_SCREEN = 2, WHEEL_CELLS = 4 };

static const enum ts_effect moved = (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);

static struct heat *
heat_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- axes ------------------------------------------------------------------------------------- */

int64_t
heat_cell(const struct heat_axis *a, int64_t unit)
{
	return a->from + (unit - a->from) / a->each * a->each;
}

static int64_t
fit(const struct heat_axis *a)
{
	return (int64_t)ts_live_heat_fit((size_t)a->count, a->cells, (size_t)a->group);
}

/* Units to a cell as they may be: a multiple of the group, or fewer than it. */
static int64_t
rounded(const struct heat_axis *a, int64_t each)
{
	each = ts_clamp_i64(each, 1, fit(a));
	return a->group > 1 && each > a->group ? each / a->group * a->group : each;
}

/* Begin at a multiple of what a cell or a group has, no empty cells at the end where it can be. */
static void
settle(struct heat_axis *a)
{
	int64_t align = a->group > 1 && a->each >= a->group ? a->group : 1;
	int64_t most = a->count - a->each * a->cells;

	a->cursor = ts_clamp_i64(a->cursor, 0, ts_max_i64(a->count - 1, 0));
	most = most > 0 ? (most + align - 1) / align * align : 0;
	a->from = ts_clamp_i64(a->from / align * align, 0, most);
}

/* The cursor is in sight. */
static void
follow(struct heat_axis *a)
{
	int64_t seen = a->each * a->cells;

	settle(a);
	if (a->cursor < a->from)
		a->from = a->cursor / a->each * a->each;
	else if (a->cursor >= a->from + seen)
		a->from = a->cursor - a->cursor % a->each - seen + a->each;
	settle(a);
	if (a->cursor >= a->from + seen) /* alignment took its cell away */
		a->from += a->each;
}

static void
zoom_to(struct heat_axis *a, int64_t each)
{
	int64_t at = (a->cursor - a->from) / a->each; /* its cell of the screen stays */

	a->each = rounded(a, each);
	a->from = ts_max_i64(a->cursor - at * a->each, 0);
	follow(a);
}

static void
resize_axis(struct heat_axis *a, int cells)
{
	bool whole = a->each == 0 || (a->from == 0 && a->each * a->cells >= a->count);

	if (cells == a->cells && a->each > 0)
		return;
	a->cells = cells > 0 ? cells : 1;
	a->each = whole ? fit(a) : rounded(a, a->each);
	follow(a);
}

static void
move(struct heat_axis *a, int64_t cells)
{
	a->cursor = heat_cell(a, a->cursor) + cells * a->each;
	follow(a);
}

int64_t
heat_tile(const struct heat *h, int64_t place)
{
	return h->l && place >= 0 && place < (int64_t)h->l->tiles ? h->l->tile[place].tile
								  : TS_UNKNOWN;
}

int64_t
heat_ipu(const struct heat *h, int64_t place)
{
	if (heat_tile(h, place) == TS_UNKNOWN || h->l->tile[place].ipu == TS_LIVE_NO_IPU)
		return TS_UNKNOWN;
	return h->l->tile[place].ipu;
}

/* --- questions -------------------------------------------------------------------------------- */

struct table_fetch {
	struct ts_fetch f;
	struct ts_tile_lives *l;
	int64_t limit;
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

static enum ts_code
read_table(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct table_fetch *q = (struct table_fetch *)f;
	struct ts_target target;
	enum ts_code code = ts_target_of(&target, rd, err);

	q->limit = code ? TS_UNKNOWN : target.bytes_per_tile;
	return code ? code : ts_tile_lives_read(&q->l, rd, &f->job.progress, err);
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

static void
ask_table(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	struct ts_view_env *env = t->view->env;
	struct table_fetch *q;

	env->wanted |= 1u << TS_SECTION_TILE_LIVES;
	if (h->pane.state != TS_PANE_EMPTY || env->looking ||
		ts_view_waits(env, TS_SECTION_TILE_LIVES, TS_LOWERED_VARIABLE))
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->f.read = read_table;
	q->f.fini = fini_table;
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
		.per_column = h->x.each,
		.columns = h->x.cells};
}

static bool
same_cells(const struct ts_live_heat *a, const struct ts_live_heat *b)
{
	return a->tile == b->tile && a->per_row == b->per_row && a->rows == b->rows &&
		a->step == b->step && a->per_column == b->per_column && a->columns == b->columns;
}

static void
ask_cells(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	struct ts_live_heat cells = question(h);
	int64_t cell[2] = {heat_cell(&h->x, h->x.cursor), heat_cell(&h->y, h->y.cursor)};
	struct cells_fetch *q;

	if (h->x.count == 0 || h->y.count == 0 ||
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
	q->end[0] = ts_min_i64(cell[0] + h->x.each, h->x.count);
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
		h->x.cursor = s->live_step;
	if (s->tile >= 0 && s->tile != h->seen_tile) {
		ptrdiff_t place = ts_tile_lives_find(h->l, s->tile);

		h->y.cursor = place < 0 ? h->y.cursor : place;
	}
	h->seen_step = s->live_step;
	h->seen_tile = s->tile;
	follow(&h->x);
	follow(&h->y);
}

static void
request(struct ts_tab *t)
{
	struct heat *h = heat_of(t);

	ask_table(t);
	if (!h->l)
		return;
	take_selection(t);
	ask_cells(t);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void
go_to_spot(struct heat *h, const struct ts_live_spot *spot)
{
	if (spot->place < 0)
		return;
	h->y.cursor = spot->place;
	h->x.cursor = spot->step;
	follow(&h->x);
	follow(&h->y);
}

static void
log_left_out(struct ts_tab *t, int64_t n, const char *what)
{
	if (n > 0)
		ts_log_add(t->view->env->log, "liveness by tile: %lld %s", (long long)n, what);
}

static void
resize(struct ts_tab *t)
{
	struct heat *h = heat_of(t);
	struct heat_parts p = heat_parts(t->r);

	if (!h->l || ts_rect_empty(p.map))
		return;
	resize_axis(&h->x, p.map.w);
	resize_axis(&h->y, p.map.h * ROWS_OF_SCREEN);
}

static void
take_table(struct ts_tab *t, struct table_fetch *q)
{
	struct heat *h = heat_of(t);
	struct ts_live_spot spot;

	ts_pane_result(&h->pane, q->f.code, &q->f.err, q->l != NULL);
	if (!q->l)
		return;
	h->l = q->l;
	q->l = NULL;
	h->limit = q->limit;
	h->x = (struct heat_axis){.count = ts_live_heat_steps(h->l), .group = 1};
	h->y = (struct heat_axis){.count = (int64_t)h->l->tiles,
		.group = ts_max_i64((int64_t)h->l->crest_tiles, 1)};
	h->x.each = h->y.each = 0;
	h->seen_step = t->view->env->selection->live_step;
	h->seen_tile = t->view->env->selection->tile;
	spot = ts_live_bottleneck(h->l);
	h->y.cursor = ts_max_i64(spot.place, 0);
	h->x.cursor = ts_max_i64(spot.step, 0);
	resize(t);
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

static enum ts_effect
deliver(struct ts_tab *t, struct ts_fetch *f)
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
		return moved;
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

static void
drop(struct ts_tab *t)
{
	struct heat *h = heat_of(t);

	ts_tile_lives_close(h->l);
	free(h->most);
	*h = (struct heat){.limit = TS_UNKNOWN,
		.zoom = h->zoom,
		.pane = {.absent = TS_ABSENT_TILE_LIVES}};
}

static bool
open_tab(struct ts_tab *t)
{
	struct heat *h = ts_alloc(1, sizeof(*h));

	if (!h)
		return false;
	t->own = h;
	drop(t);
	return true;
}

static void
close_tab(struct ts_tab *t)
{
	if (!t->own)
		return;
	drop(t);
	free(t->own);
	t->own = NULL;
}

/* What waited for a section that failed, or was stopped, may ask again; one that is being read ends sooner. */
static void
indexed(struct ts_tab *t)
{
	struct heat *h = heat_of(t);

	if (h->pane.state == TS_PANE_LOADING && is_quick(t->view->env))
		h->pane.state = TS_PANE_EMPTY;
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
zoom(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);
	enum ts_cmd cmd = call->cmd;
	struct heat_axis *axes[] = {h->zoom == HEAT_TILES ? NULL : &h->x,
		h->zoom == HEAT_STEPS ? NULL : &h->y};
	bool changed = false;

	for (size_t i = 0; i < TS_COUNT(axes); i++) {
		struct heat_axis *a = axes[i];
		int64_t each = a ? a->each : 0, from = a ? a->from : 0;

		if (!a)
			continue;
		zoom_to(a,
			cmd == TS_CMD_ZOOM_IN		 ? each / 2
				: cmd == TS_CMD_ZOOM_OUT ? each * 2
							 : a->count);
		changed |= a->each != each || a->from != from;
	}
	return changed ? moved : TS_EFFECT_BELL;
}

static enum ts_effect
step(struct heat_axis *a, int64_t cells)
{
	int64_t cursor = a->cursor;

	move(a, cells);
	return a->cursor == cursor ? TS_EFFECT_BELL : moved;
}

static enum ts_effect
to_end(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);

	h->x.cursor = call->cmd == TS_CMD_LAST ? h->x.count - 1 : 0;
	follow(&h->x);
	return moved;
}

/* A command for the view that it stands in, as if somebody had typed it; one that has none of it does nothing. */
static void tell_view(struct ts_tab *t, enum ts_cmd cmd, const char *fmt, ...) TS_PRINTF(3, 4);

static void
tell_view(struct ts_tab *t, enum ts_cmd cmd, const char *fmt, ...)
{
	struct ts_call call = {.cmd = cmd, .argc = 1};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(call.text, sizeof(call.text), fmt, ap);
	va_end(ap);
	t->view->ops->command(t->view, &call);
}

/*
 * That tile and step become the selection; the view goes there, shows what is alive on that tile, and its list has
 * the keys.
 */
static enum ts_effect
go_there(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);
	struct ts_selection *s = t->view->env->selection;

	(void)call;
	if (h->spot.place < 0 || !h->most)
		return TS_EFFECT_BELL;
	s->tile = heat_tile(h, h->spot.place);
	s->ipu = heat_ipu(h, h->spot.place);
	s->live_step = h->spot.step;
	h->seen_step = s->live_step;
	h->seen_tile = s->tile;
	if (t->view->ops->shown)
		t->view->ops->shown(t->view);
	tell_view(t, TS_CMD_SOURCE, "tile %lld", (long long)s->tile);
	tell_view(t, TS_CMD_TAB, "%s", t->tabs->tab[0].ops->name);
	ts_view_say(t->view->env, "tile %lld at liveness step %lld", (long long)s->tile,
		(long long)s->live_step);
	return (enum ts_effect)(moved | TS_EFFECT_SELECT | TS_EFFECT_REFLOW);
}

static enum ts_effect
to_bottleneck(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);
	struct ts_live_spot spot;

	(void)call;
	if (!h->l) /* that is where the cursor is first, when it is here */
		return moved;
	spot = ts_live_bottleneck(h->l);
	go_to_spot(h, &spot);
	return moved;
}

static enum ts_effect
change_axes(struct ts_tab *t, const struct ts_call *call)
{
	static const char *const names[HEAT_ZOOMS] = {"+ and - zoom both axes",
		"+ and - zoom steps", "+ and - zoom tiles"};
	struct heat *h = heat_of(t);

	(void)call;
	h->zoom = (enum heat_zoom)((h->zoom + 1) % HEAT_ZOOMS);
	ts_view_say(t->view->env, "%s", names[h->zoom]);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
change_scale(struct ts_tab *t, const struct ts_call *call)
{
	static const char *const names[TS_HEAT_HOWS] = {"linear", "log", "limit"};
	struct heat *h = heat_of(t);
	const char *name = ts_call_arg(call, 0);
	int how = (h->how + 1) % TS_HEAT_HOWS;

	for (int i = 0; name && i < TS_HEAT_HOWS; i++)
		how = strcmp(names[i], name) == 0 ? i : how;
	if (how == TS_HEAT_LIMIT && h->limit <= 0)
		how = TS_HEAT_LINEAR;
	h->how = (enum ts_heat_how)how;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
copy(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);
	struct ts_view_env *env = t->view->env;

	(void)call;
	if (h->spot.place < 0 || !h->most)
		return TS_EFFECT_BELL;
	snprintf(env->copy, sizeof(env->copy), "%lld\t%lld\t%lld",
		(long long)heat_tile(h, h->spot.place), (long long)h->spot.step,
		(long long)h->spot.bytes);
	return TS_EFFECT_NONE;
}

/* Moves: along steps or tiles, by cells, or by parts of what is in sight. */
static const struct {
	enum ts_cmd cmd;
	bool tiles;
	int cells, halves;
} moves[] = {
	{TS_CMD_LEFT, false, -1, 0},
	{TS_CMD_RIGHT, false, 1, 0},
	{TS_CMD_UP, true, -1, 0},
	{TS_CMD_DOWN, true, 1, 0},
	{TS_CMD_PAGE_LEFT, false, 0, -2},
	{TS_CMD_PAGE_RIGHT, false, 0, 2},
	{TS_CMD_PAGE_UP, true, 0, -2},
	{TS_CMD_PAGE_DOWN, true, 0, 2},
	{TS_CMD_HALF_UP, true, 0, -1},
	{TS_CMD_HALF_DOWN, true, 0, 1},
};

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct ts_tab *t, const struct ts_call *call);
} commands[] = {
	{TS_CMD_FIRST, to_end},
	{TS_CMD_LAST, to_end},
	{TS_CMD_ZOOM_IN, zoom},
	{TS_CMD_ZOOM_OUT, zoom},
	{TS_CMD_ZOOM_FIT, zoom},
	{TS_CMD_OPEN, go_there},
	{TS_CMD_AXES, change_axes},
	{TS_CMD_SCALE, change_scale},
	{TS_CMD_COPY, copy},
};

static enum ts_effect
command(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);

	if (call->cmd == TS_CMD_BOTTLENECK)
		return to_bottleneck(t, call);
	if (!h->l || h->x.count == 0 || h->y.count == 0 || h->x.each == 0)
		return TS_EFFECT_UNKNOWN;
	for (size_t i = 0; i < TS_COUNT(moves); i++) {
		struct heat_axis *a = moves[i].tiles ? &h->y : &h->x;

		if (moves[i].cmd == call->cmd)
			return step(a, moves[i].cells + moves[i].halves * (int64_t)a->cells / 2);
	}
	for (size_t i = 0; i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			return commands[i].run(t, call);
	return TS_EFFECT_UNKNOWN;
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct heat *h = heat_of(t);
	struct heat_parts p = heat_parts(t->r);

	if (!h->l || h->x.each == 0 || !ts_rect_has(p.map, x, y))
		return TS_EFFECT_NONE;
	if (wheel != 0)
		return step(&h->y, wheel * WHEEL_CELLS);
	h->x.cursor = h->x.from + (x - p.map.x) * h->x.each;
	h->y.cursor = h->y.from + (y - p.map.y) * ROWS_OF_SCREEN * h->y.each;
	follow(&h->x);
	follow(&h->y);
	return moved;
}

static enum ts_context
pane_context(const struct ts_tab *t)
{
	(void)t;
	return TS_CONTEXT_CHART;
}

static bool
absent(const struct ts_tab *t)
{
	const struct ts_report *r = t->view->env->report;

	return r && !ts_tile_lives_can(r);
}

static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct heat *h = heat_of(t);

	if (!h->l || h->x.each == 0)
		return;
	snprintf(out, TS_TAB_NOTE, "a cell: the fullest of %lld tile%s x %lld step%s",
		(long long)h->y.each, h->y.each == 1 ? "" : "s", (long long)h->x.each,
		h->x.each == 1 ? "" : "s");
}

static const struct ts_hint hints[] = {
	{TS_CMD_BOTTLENECK, "fullest"},
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_AXES, "axes"},
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_PANE_ZOOM, "large"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops ts_tab_heat = {
	.name = "heat",
	.title = "Heat map",
	.brief = "Heat",
	.open = open_tab,
	.close = close_tab,
	.drop = drop,
	.indexed = indexed,
	.absent = absent,
	.note = note,
	.resize = resize,
	.request = request,
	.deliver = deliver,
	.draw = heat_draw,
	.command = command,
	.mouse = mouse,
	.pane_context = pane_context,
	.explain = heat_explain,
	.sheet = heat_sheet,
	.chart = heat_chart,
	.hints = hints,
};
