/* SPDX-License-Identifier: MIT */
/*
 * memory_work - the tabs Compute sets, Vertices and Exchanges of the Memory view: what runs on the tile under the cursor,
 * or on the tiles that are selected (report/tile_work.h).
 *
 * One tab in three kinds. What was read stays on the screen, with its tile beside it, until the next tile's comes.
 * Vertices are rolled up by family: a family unfolds with Enter; `*` shows all types as one table that can be sorted,
 * filtered and written, `_` rolls them up again.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_work.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/base/vertex_name.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static struct work_tab *
work_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- the shelf -------------------------------------------------------------------------------- */

/* To the front, when it is not large; what lies there longest falls off. */
static void
put_on_shelf(struct work_tab *w, struct ts_tile_work *work, int64_t tile)
{
	enum { ROWS = 1 << 14, TEXT = 1 << 20 };

	if (work->count <= ROWS && work->text.len <= TEXT) {
		ts_tile_work_fini(&w->shelf[WORK_SHELF - 1]);
		memmove(w->shelf + 1, w->shelf, (WORK_SHELF - 1) * sizeof(w->shelf[0]));
		memmove(w->shelf_tile + 1, w->shelf_tile,
			(WORK_SHELF - 1) * sizeof(w->shelf_tile[0]));
		w->shelf[0] = *work;
		w->shelf_tile[0] = tile;
		*work = (struct ts_tile_work){0};
	}
	ts_tile_work_fini(work);
}

/* Where the tile lies, or -1; an empty place has no text. */
static int
place_on_shelf(const struct work_tab *w, int64_t tile)
{
	for (int i = 0; i < WORK_SHELF; i++)
		if (w->shelf[i].text.len > 0 && w->shelf_tile[i] == tile)
			return i;
	return -1;
}

static struct ts_tile_work
take_from_shelf(struct work_tab *w, int at)
{
	struct ts_tile_work work = w->shelf[at];

	w->shelf[at] = (struct ts_tile_work){0};
	return work;
}

/* What was shown (`was` says of what) may be wanted again. */
static void
put_away(struct work_tab *w, const struct memory_asked *was)
{
	if (was->here && was->were == TS_PANE_READY && was->of.count == 0)
		put_on_shelf(w, &w->work, was->of.tile);
}

/* It is shown from now on; what is said of it is set. */
static void
show(struct ts_tab *t, struct ts_tile_work *work)
{
	struct work_tab *w = work_of(t);

	ts_tile_work_fini(&w->work);
	w->work = *work;
	*work = (struct ts_tile_work){0};
	w->data++;
	w->unfolded = -1;
	memory_work_lines(w);
	memory_work_order(t);
}

/* The same for one that was read ahead, or before. */
static void
show_ready(struct ts_tab *t, struct ts_tile_work *work, const struct memory_scope *scope)
{
	struct work_tab *w = work_of(t);

	put_away(w, &w->ask);
	w->ask.state = (struct ts_pane_data){.state = TS_PANE_READY};
	w->ask.were = TS_PANE_READY;
	w->ask.here = true;
	w->ask.of = *scope;
	show(t, work);
}

/* --- asking ----------------------------------------------------------------------------------- */

enum { FETCH_WORK, FETCH_WORK_AHEAD };

enum { MANY = 64 }; /* tiles that a screen does not wait for */

struct work_fetch {
	struct memory_scope_fetch of; /* first */
	enum ts_work_kind kind;
	struct ts_tile_work work;
};

static enum ts_code
read_work(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct work_fetch *w = (struct work_fetch *)f;

	return ts_tile_work_read(&w->work, rd, w->kind, w->of.tile, w->of.n, &f->job.progress, err);
}

static void
fini_work(struct ts_fetch *f)
{
	struct work_fetch *w = (struct work_fetch *)f;

	free(w->of.tile);
	ts_tile_work_fini(&w->work);
}

static struct work_fetch *
new_fetch(struct ts_tab *t, const struct memory_scope *scope)
{
	struct work_fetch *f = memory_scope_fetch_new(memory_of(t), scope, sizeof(*f));

	if (!f)
		return NULL;
	f->kind = work_of(t)->kind;
	f->of.fetch.read = read_work;
	f->of.fetch.fini = fini_work;
	return f;
}

/* The tile where the same key would go next. */
static void
ask_ahead(struct ts_tab *t)
{
	const struct memory_view *m = memory_of(t);
	struct work_tab *w = work_of(t);
	struct memory_scope scope = {.tile = -1};
	struct work_fetch *f;

	if (w->ask.sent || w->ahead_sent || !w->ask.here || w->ask.of.count > 0 || m->ahead < 0 ||
		m->ahead >= m->tiles->n)
		return;
	scope.tile = m->tiles->tiles.tile[m->ahead].tile;
	if (scope.tile == w->ask.of.tile || scope.tile == w->ahead_read - 1 ||
		place_on_shelf(w, scope.tile) >= 0)
		return;
	f = new_fetch(t, &scope);
	if (!f)
		return;
	w->ahead_sent = &f->of.fetch;
	w->ahead_read = scope.tile + 1;
	ts_fetch_send(t->view, &f->of.fetch, t->kind + FETCH_WORK_AHEAD, TS_WORKER_BULK,
		"reading ahead");
}

static void
work_request(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct work_tab *w = work_of(t);
	struct memory_scope scope = memory_scope(m);
	struct work_fetch *f;
	int at;

	if (!ts_tile_work_recorded(t->view->env->report, w->kind)) {
		w->ask.state = (struct ts_pane_data){.state = TS_PANE_ABSENT,
			.absent = TS_ABSENT_TILE_WORK};
		return;
	}
	if (!memory_asked_needs(&w->ask, &scope)) {
		ask_ahead(t);
		return;
	}
	at = scope.count == 0 ? place_on_shelf(w, scope.tile) : -1;
	if (at >= 0) {
		struct ts_tile_work work = take_from_shelf(w, at);

		show_ready(t, &work, &scope);
		ask_ahead(t);
		return;
	}
	f = new_fetch(t, &scope);
	memory_asked_sent(&w->ask, f ? &f->of.fetch : NULL);
	if (!f)
		return;
	ts_fetch_send(t->view, &f->of.fetch, t->kind + FETCH_WORK,
		f->of.n > MANY ? TS_WORKER_BULK : TS_WORKER_SCREEN, "reading what runs on a tile");
}

/* What was read ahead may be what is wanted by now. */
static enum ts_effect
take_ahead(struct ts_tab *t, struct work_fetch *a)
{
	struct work_tab *w = work_of(t);

	w->ahead_sent = NULL;
	if (ts_fetch_in_vain(&a->of.fetch, t->view->env->generation) || a->of.fetch.code)
		return TS_EFFECT_NONE;
	if (w->ask.sent && memory_same_scope(&w->ask.wanted, &a->of.scope)) {
		ts_cancel_set(&w->ask.sent->job.cancel);
		w->ask.sent = NULL;
		show_ready(t, &a->work, &a->of.scope);
		return TS_EFFECT_REPAINT;
	}
	put_on_shelf(w, &a->work, a->of.scope.tile);
	return TS_EFFECT_NONE;
}

static enum ts_effect
work_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct work_tab *w = work_of(t);
	struct work_fetch *a = (struct work_fetch *)f;
	struct memory_asked was = w->ask;

	if (f == w->ahead_sent)
		return take_ahead(t, a);
	if (f != w->ask.sent)
		return TS_EFFECT_NONE;
	if (memory_asked_take(&w->ask, t->view, f, &a->of.scope, TS_ABSENT_TILE_WORK,
		    a->work.count > 0)) {
		put_away(w, &was);
		show(t, &a->work);
	}
	return TS_EFFECT_REPAINT;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool
open_kind(struct ts_tab *t, enum ts_work_kind kind)
{
	struct work_tab *w = ts_alloc(1, sizeof(*w));

	if (!w)
		return false;
	w->kind = kind;
	w->unfolded = -1;
	ts_list_init(&w->list);
	ts_table_order_init(&w->order);
	t->own = w;
	return true;
}

static bool
open_sets(struct ts_tab *t)
{
	return open_kind(t, TS_WORK_COMPUTE_SETS);
}

static bool
open_vertices(struct ts_tab *t)
{
	return open_kind(t, TS_WORK_VERTICES);
}

static bool
open_exchanges(struct ts_tab *t)
{
	return open_kind(t, TS_WORK_EXCHANGES);
}

static void
work_drop(struct ts_tab *t)
{
	struct work_tab *w = work_of(t);

	ts_tile_work_fini(&w->work);
	free(w->line);
	w->line = NULL;
	w->lines = 0;
	w->unfolded = -1;
	for (int i = 0; i < WORK_SHELF; i++)
		ts_tile_work_fini(&w->shelf[i]);
	w->ahead_sent = NULL;
	w->ahead_read = 0;
	memory_asked_drop(&w->ask);
	w->data++;
	ts_list_set_count(&w->list, 0);
}

static void
work_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	work_drop(t);
	ts_table_order_fini(&work_of(t)->order);
	free(t->own);
	t->own = NULL;
}

/* --- the rest --------------------------------------------------------------------------------- */

static enum ts_effect
work_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = memory_work_table(t);

	(void)x;
	return ts_list_mouse(&work_of(t)->list, ts_table_line(&table, t->r, y), wheel);
}

static bool
work_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct work_tab *w = work_of(t);
	const struct ts_work_row *r = memory_work_at_cursor((struct ts_tab *)(uintptr_t)t);

	if (!r || w->kind == TS_WORK_VERTICES)
		return false;
	*out = (struct ts_debug_about){.relation = w->kind == TS_WORK_EXCHANGES ? TS_PROGRAM
										: TS_COMPUTE_SET,
		.key = r->id,
		.what = w->kind == TS_WORK_EXCHANGES ? "program" : "compute set"};
	return true;
}

static struct ts_list *
work_list(struct ts_tab *t, bool *there)
{
	struct work_tab *w = work_of(t);
	struct memory_scope scope = memory_scope(memory_of(t));

	*there = w->ask.here && memory_same_scope(&w->ask.of, &scope);
	return &w->list;
}

static bool
work_hidden(const struct ts_tab *t)
{
	return memory_only_code(memory_of(t));
}

static bool
work_absent(const struct ts_tab *t)
{
	return t->view->env->report &&
		!ts_tile_work_recorded(t->view->env->report, work_of(t)->kind);
}

static void
work_resize(struct ts_tab *t)
{
	struct ts_table table = memory_work_table(t);

	ts_list_resize(&work_of(t)->list, ts_table_rows(&table, t->r));
	memory_work_order(t);
}

static const struct ts_hint hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_hint set_hints[] = {
	{TS_CMD_GOTO_PROGRAMS, "program"},
	{TS_CMD_GOTO_TRACE, "trace"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_hint vertex_hints[] = {
	{TS_CMD_OPEN, "types"},
	{TS_CMD_UNFOLD, "all types"},
	{TS_CMD_FOLD, "families"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_COUNT, NULL},
};

#define WORK_OPS                                                                              \
	.close = work_close, .drop = work_drop, .hidden = work_hidden, .absent = work_absent, \
	.note = memory_work_note, .resize = work_resize, .request = work_request,             \
	.deliver = work_deliver, .draw = memory_work_draw, .command = memory_work_command,    \
	.mouse = work_mouse, .explain = memory_work_explain, .sheet = memory_work_sheet,      \
	.list = work_list

const struct ts_tab_ops memory_tab_sets = {.name = "sets",
	.title = "Compute sets",
	.brief = "Sets",
	.open = open_sets,
	.about = work_about,
	.hints = set_hints,
	WORK_OPS};

const struct ts_tab_ops memory_tab_vertices = {.name = "vertices",
	.title = "Vertices",
	.brief = "Vert",
	.open = open_vertices,
	.hints = vertex_hints,
	WORK_OPS};

const struct ts_tab_ops memory_tab_exchanges = {.name = "exchanges",
	.title = "Exchanges",
	.brief = "Exch",
	.open = open_exchanges,
	.about = work_about,
	.hints = hints,
	WORK_OPS};
