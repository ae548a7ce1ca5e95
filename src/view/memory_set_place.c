/* SPDX-License-Identifier: MIT */
/*
 * memory_set_place - where a name on several tiles is: its largest piece on the tile that has most of it.
 *
 * The sums do not say it. When a key asks for it, or Debug is in sight, a worker reads the variables of that tile; the key
 * goes on when the piece is here, if the cursor is still on the row, which has the keys of the view that is shown.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_set_internal.h"
#include "tilescope/base/mem.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

/* --- asking ------------------------------------------------------------------------------------- */

struct place_fetch {
	struct ts_fetch f; /* first */
	struct set_place place;
	char *name;
};

/* The largest are first. */
static void
find_piece(struct set_place *p, const struct ts_tile_variables *v, const char *name)
{
	for (int i = 0; i < v->count && !p->found; i++) {
		const struct ts_tile_variable *x = &v->variable[i];

		if (x->unnamed || strcmp(x->name ? x->name : "", name) != 0)
			continue;
		p->found = true;
		p->piece = *x;
		p->piece.name = NULL;
		p->piece.category = NULL;
	}
}

static enum ts_code
read_place(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct place_fetch *q = (struct place_fetch *)f;
	struct ts_tile_variables v;
	enum ts_code code = ts_tile_variables_list(&v, rd, q->place.tile, TS_TILE_VARIABLES,
		&f->job.progress, err);

	find_piece(&q->place, &v, q->name);
	ts_tile_variables_fini(&v);
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static void
fini_place(struct ts_fetch *f)
{
	free(((struct place_fetch *)f)->name);
}

static const struct ts_set_variable *
row_at(const struct ts_tab *t, int64_t row)
{
	const struct ts_set_variables *v = memory_set_variables_of(t);

	return row >= 0 && row < (int64_t)v->count ? &v->row[row] : NULL;
}

/* Is it of the row under the cursor? */
static bool
is_here(const struct ts_tab *t)
{
	const struct set_tab *s = memory_set_of(t);
	int64_t row = memory_set_row(t);

	return row >= 0 && s->place.row == row && s->place.data == s->data;
}

/* `then`: what goes on when it is here; TS_CMD_COUNT: nothing. */
static enum ts_effect
ask(struct ts_tab *t, int kind, enum ts_cmd then)
{
	struct set_tab *s = memory_set_of(t);
	const struct ts_set_variable *r = row_at(t, memory_set_row(t));
	const struct ts_view_env *env = t->view->env;
	struct place_fetch *q = r ? ts_alloc(1, sizeof(*q)) : NULL;

	if (q)
		q->name = ts_strdup(ts_set_variable_name(memory_set_variables_of(t), r));
	if (!q || !q->name) {
		free(q);
		return TS_EFFECT_BELL;
	}
	q->f.read = read_place;
	q->f.fini = fini_place;
	q->place = (struct set_place){.data = s->data,
		.row = memory_set_row(t),
		.tile = r->fullest_tile};
	s->place = q->place; /* what cannot be found is not looked for again, but by a key */
	s->placing = &q->f;
	s->place_then = then;
	ts_fetch_send(t->view, &q->f, kind,
		ts_tile_variables_quick(env->report, env->index, r->fullest_tile) ? TS_WORKER_SCREEN
										  : TS_WORKER_BULK,
		"looking where a variable is");
	return TS_EFFECT_REPAINT;
}

void
memory_set_ask_place(struct ts_tab *t, int kind)
{
	const struct ts_view_env *env = t->view->env;
	const struct ts_set_variable *r = row_at(t, memory_set_row(t));

	if (r && t->tabs->debug.shown && !is_here(t) &&
		ts_tile_variables_quick(env->report, env->index, r->fullest_tile))
		(void)ask(t, kind, TS_CMD_COUNT);
}

/* --- what goes on ------------------------------------------------------------------------------- */

/* As from another view: the tile in the graph, the variable in its map of addresses. */
static enum ts_effect
go_there(struct ts_tab *t)
{
	const struct set_place *p = &memory_set_of(t)->place;
	struct ts_view_env *env = t->view->env;

	env->selection->tile = p->tile;
	env->selection->address = p->found ? p->piece.offset : TS_UNKNOWN;
	t->view->ops->shown(t->view);
	ts_view_say(env, "tile %lld, which has most of it of the selected ones",
		(long long)p->tile);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);
}

static enum ts_effect
mark(struct ts_tab *t)
{
	const struct ts_set_variables *v = memory_set_variables_of(t);
	const struct set_place *p = &memory_set_of(t)->place;
	struct ts_marked_variable mark = {.lowered = true,
		.variable = p->piece.variable,
		.row = p->piece.rowid,
		.id = p->piece.id,
		.tile = p->tile,
		.class_of = p->piece.class_of,
		.bytes = p->piece.bytes};

	snprintf(mark.name, sizeof(mark.name), "%s", ts_set_variable_name(v, row_at(t, p->row)));
	return ts_view_mark(t->view, &mark);
}

static enum ts_effect
go_on(struct ts_tab *t, enum ts_cmd cmd)
{
	const struct set_place *p = &memory_set_of(t)->place;

	if (cmd == TS_CMD_OPEN || cmd == TS_CMD_GOTO_MEMORY)
		return go_there(t);
	if (!p->found) {
		ts_view_say_error(t->view->env,
			"it is not found among the largest variables of tile %lld",
			(long long)p->tile);
		return TS_EFFECT_BELL;
	}
	if (cmd == TS_CMD_MARK)
		return mark(t);
	t->view->env->go = (int)cmd; /* the program asks what is under the cursor */
	return TS_EFFECT_REPAINT;
}

enum ts_effect
memory_set_place_command(struct ts_tab *t, int kind, enum ts_cmd cmd)
{
	struct set_tab *s = memory_set_of(t);

	if (is_here(t) && !s->placing && !s->place.failed)
		return go_on(t, cmd);
	return ask(t, kind, cmd);
}

/* Is the user still at the row, where the key was pressed? */
static bool
is_waited_for(const struct ts_tab *t)
{
	return !t->view->env->behind && memory_tab_focus(memory_of(t), TAB_VARIABLES) && is_here(t);
}

enum ts_effect
memory_set_take_place(struct ts_tab *t, struct ts_fetch *f)
{
	struct set_tab *s = memory_set_of(t);
	bool stopped = ts_fetch_in_vain(f, t->view->env->generation);

	s->placing = NULL;
	if (f->code && f->code != TS_E_CANCELLED)
		ts_view_say_error(t->view->env, "%s", f->err.msg);
	s->place.failed = stopped || f->code;
	if (s->place.failed || !is_here(t))
		return TS_EFFECT_REPAINT;
	s->place = ((struct place_fetch *)f)->place;
	return s->place_then == TS_CMD_COUNT || !is_waited_for(t)
		? (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC)
		: go_on(t, s->place_then);
}

/* --- what others are told ----------------------------------------------------------------------- */

bool
memory_set_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct set_place *p = &memory_set_of(t)->place;

	if (!is_here(t) || !p->found)
		return false;
	*out = (struct ts_debug_about){.relation = TS_LOWERED_VARIABLE,
		.key = p->tile,
		.row = p->piece.row,
		.what = "variable"};
	return true;
}

void
memory_set_object(const struct ts_tab *t, struct ts_at_cursor *out)
{
	const struct memory_view *m = memory_of(t);
	const struct ts_set_variable *r = row_at(t, memory_set_row(t));
	const struct set_place *p = &memory_set_of(t)->place;
	ptrdiff_t at = r ? ts_tiles_find(&m->tiles->tiles, r->fullest_tile) : -1;

	if (at < 0)
		return;
	out->tile = r->fullest_tile;
	out->ipu = m->tiles->ipu[at];
	if (!is_here(t) || !p->found)
		return;
	out->address = p->piece.offset;
	out->lowered = p->piece.id;
	out->variable = p->piece.variable;
}
