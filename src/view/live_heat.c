/* SPDX-License-Identifier: MIT */
/* live_heat - the keys of the tab "heat"; live_heat_data.c asks, live_heat_draw.c draws. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "live_heat_internal.h"

enum { WHEEL_CELLS = 4 };

static const enum ts_effect moved = (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);

static struct heat *
heat_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
zoom(struct ts_tab *t, const struct ts_call *call)
{
	struct heat *h = heat_of(t);
	enum ts_cmd cmd = call->cmd;
	struct heat_axis *y = &h->y;
	int64_t each = y->each, from = y->from;
	bool changed = h->zoom != HEAT_TILES && !(ts_span_command(&h->x, cmd) & TS_EFFECT_BELL);

	if (h->zoom != HEAT_STEPS)
		heat_zoom_to(y,
			cmd == TS_CMD_ZOOM_IN		 ? each / 2
				: cmd == TS_CMD_ZOOM_OUT ? each * 2
							 : y->count);
	return changed || y->each != each || y->from != from ? moved : TS_EFFECT_BELL;
}

static enum ts_effect
by_tiles(struct heat_axis *a, int64_t cells)
{
	int64_t cursor = a->cursor;

	heat_move_axis(a, cells);
	return a->cursor == cursor ? TS_EFFECT_BELL : moved;
}

static enum ts_effect
to_end(struct ts_tab *t, const struct ts_call *call)
{
	ts_span_command(&heat_of(t)->x, call->cmd);
	return moved;
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
	ts_tab_tell_view(t, TS_CMD_SOURCE, "tile %lld", (long long)s->tile);
	ts_tab_tell_view(t, TS_CMD_TAB, "%s", t->tabs->tab[0].ops->name);
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
	heat_go_to_spot(h, &spot);
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

/* Moves along tiles, by cells, or by parts of what is in sight. */
static const struct {
	enum ts_cmd cmd;
	int cells, halves;
} moves[] = {
	{TS_CMD_UP, -1, 0},
	{TS_CMD_DOWN, 1, 0},
	{TS_CMD_PAGE_UP, 0, -2},
	{TS_CMD_PAGE_DOWN, 0, 2},
	{TS_CMD_HALF_UP, 0, -1},
	{TS_CMD_HALF_DOWN, 0, 1},
};

/* A move along steps. */
static enum ts_effect
by_steps(struct ts_tab *t, const struct ts_call *call)
{
	return ts_span_command(&heat_of(t)->x, call->cmd) & TS_EFFECT_BELL ? TS_EFFECT_BELL : moved;
}

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct ts_tab *t, const struct ts_call *call);
} commands[] = {
	{TS_CMD_LEFT, by_steps},
	{TS_CMD_RIGHT, by_steps},
	{TS_CMD_PAGE_LEFT, by_steps},
	{TS_CMD_PAGE_RIGHT, by_steps},
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
	if (!h->l || h->x.count == 0 || h->y.count == 0 || h->y.each == 0)
		return TS_EFFECT_UNKNOWN;
	for (size_t i = 0; i < TS_COUNT(moves); i++)
		if (moves[i].cmd == call->cmd)
			return by_tiles(&h->y,
				moves[i].cells + moves[i].halves * (int64_t)h->y.cells / 2);
	for (size_t i = 0; i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			return commands[i].run(t, call);
	return TS_EFFECT_UNKNOWN;
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct heat *h = heat_of(t);
	struct heat_parts p = heat_parts(t->r, h);
	int64_t from, to;

	if (!h->l || h->y.each == 0 || h->x.count == 0 || !ts_rect_has(p.map, x, y))
		return TS_EFFECT_NONE;
	if (wheel != 0)
		return by_tiles(&h->y, wheel * WHEEL_CELLS);
	ts_span_bucket(&h->x, x - p.map.x, &from, &to);
	ts_span_go(&h->x, from);
	h->y.cursor = h->y.from + (y - p.map.y) * HEAT_ROWS_OF_SCREEN * h->y.each;
	heat_follow(&h->y);
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

/* How far the others are, or why they do not come. */
static void
sampled_note(const struct heat *h, char out[TS_TAB_NOTE])
{
	char read[TS_TAB_NOTE];

	snprintf(read, sizeof(read), "%.100s",
		h->pane.state == TS_PANE_FAILED ? h->pane.reason
			: out[0]		? out
						: "the others are on their way");
	snprintf(out, TS_TAB_NOTE, "sample: %lld tiles; %.80s", (long long)h->l->tiles, read);
}

static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct heat *h = heat_of(t);
	char steps[HEAT_STEPS_TEXT];
	int64_t done, total;

	if (h->reading) {
		done = atomic_load(&h->reading->job.progress.done);
		total = atomic_load(&h->reading->job.progress.total);
		if (total > 0)
			snprintf(out, TS_TAB_NOTE, "lowered variables are read: %d%%",
				(int)(100. * (double)done / (double)total));
	}
	if (!h->l || h->y.each == 0)
		return;
	if (h->sampled) {
		sampled_note(h, out);
		return;
	}
	snprintf(out, TS_TAB_NOTE, "cell: %lld tile%s x %s, the fullest", (long long)h->y.each,
		h->y.each == 1 ? "" : "s",
		heat_steps_text(steps, h->x.to - h->x.from, h->x.columns));
}

static const struct ts_hint hints[] = {
	{TS_CMD_BOTTLENECK, "most live"},
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_AXES, "axes"},
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_PANE_ZOOM, "large"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops ts_tab_heat = {
	.name = "heat",
	.title = "Heat map",
	.wide = true, /* its steps stand below those of the graph */
	.brief = "Heat",
	.open = heat_open,
	.close = heat_close,
	.drop = heat_drop,
	.indexed = heat_indexed,
	.absent = absent,
	.note = note,
	.resize = heat_resize,
	.request = heat_request,
	.deliver = heat_deliver,
	.draw = heat_draw,
	.command = command,
	.mouse = mouse,
	.pane_context = pane_context,
	.explain = heat_explain,
	.sheet = heat_sheet,
	.chart = heat_chart,
	.hints = hints,
};
