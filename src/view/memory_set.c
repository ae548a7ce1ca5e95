/* SPDX-License-Identifier: MIT */
/*
 * memory_set - see the header; report/set_variables.h sums them up.
 *
 * With the index the largest names are there first, which fill the screen; the smaller ones come behind them,
 * while somebody looks at those. In another order than that, or with a filter, the first row may be any: then all
 * come at once.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/tile_rows.h"

#include "memory_set_internal.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

/* --- asking ----------------------------------------------------------------------------------- */

enum {
	ASK_SET,
	ASK_LOOK,
	ASK_REST,
	ASK_ORDER,
	ASK_HIT,
	ASK_GONE,
	ASK_PLACE
}; /* kinds of the tab's fetches */

struct set_fetch {
	struct memory_scope_fetch of; /* first */
	size_t some;		      /* look at so many of the tiles; 0: all */
	size_t most;
	struct set_names *names;
	struct ts_table_wish wanted; /* of many rows: */
	int64_t whole;
	struct ts_arranged *arranged; /* NULL: they are as they come */
};

void
memory_set_close_names(struct set_names *n)
{
	if (!n || atomic_fetch_sub(&n->uses, 1) > 1)
		return;
	ts_set_variables_fini(&n->v);
	free(n);
}

/* Is the largest name the first row? */
static bool
is_plain(const struct ts_table_wish *o)
{
	return ts_table_wish_is_plain(o, S_BYTES);
}

/* Many rows come in the order in which they are wanted. */
static enum ts_code
arrange_set(struct set_fetch *a, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_arrangeable what;
	enum ts_code code;

	if (a->names->v.count <= TS_ARRANGED_FROM || is_plain(&a->wanted))
		return TS_OK;
	if (!memory_set_arrangeable(&what, a->names, a->whole))
		return ts_err_nomem(err);
	code = ts_arranged_make(&a->arranged, &what, &a->wanted, cancel, err);
	what.free(what.table.ctx);
	return code;
}

static enum ts_code
read_set(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct set_fetch *a = (struct set_fetch *)f;
	size_t n = a->of.n;
	enum ts_code code;

	if (a->some > 0 && ts_set_variables_kept(rd, a->of.tile, n))
		return TS_OK;		     /* all are there as soon */
	for (size_t i = 0; i < a->some; i++) /* from all over the set */
		a->of.tile[i] = a->of.tile[i * n / a->some];
	code = ts_set_variables_read(&a->names->v, rd, a->of.tile, a->some > 0 ? a->some : n,
		a->most, &f->job.progress, err);
	if (code)
		return code;
	code = arrange_set(a, rd->cancel, err);
	return code == TS_E_CANCELLED ? code : TS_OK; /* without it they are put in order later */
}

static void
fini_set(struct ts_fetch *f)
{
	struct set_fetch *a = (struct set_fetch *)f;

	free(a->of.tile);
	memory_set_close_names(a->names);
	ts_arranged_close(a->arranged);
}

static void
make_order(struct ts_tab *t)
{
	struct set_tab *s = memory_set_of(t);
	struct ts_table table = memory_set_table(t);
	int64_t rows = s->ask.here ? (int64_t)memory_set_variables_of(t)->count : 0;

	s->order.elsewhere = rows > TS_ARRANGED_FROM;
	ts_table_order_make(&s->order, &table, &s->list, rows, s->data);
}

const struct ts_set_variables *
memory_set_variables_of(const struct ts_tab *t)
{
	static const struct ts_set_variables none;
	const struct set_tab *s = memory_set_of(t);

	return s->names ? &s->names->v : &none;
}

int64_t
memory_set_row(const struct ts_tab *t)
{
	const struct set_tab *s = memory_set_of(t);
	struct ts_table table = memory_set_table(t);

	return s->ask.here && s->list.count > 0 ? ts_table_row(&table, s->list.cursor) : -1;
}

struct gone_fetch {
	struct ts_fetch f; /* first */
	struct set_names *names;
};

static void
fini_gone(struct ts_fetch *f)
{
	memory_set_close_names(((struct gone_fetch *)f)->names);
}

static enum ts_code
read_gone(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct gone_fetch *g = (struct gone_fetch *)f;

	(void)rd;
	(void)err;
	memory_set_close_names(g->names);
	g->names = NULL;
	return TS_OK;
}

/* Names are given back: many by a worker, which takes milliseconds. */
static void
let_go(struct ts_tab *t)
{
	struct set_tab *s = memory_set_of(t);
	struct gone_fetch *g = s->names && s->names->v.count > TS_ARRANGED_FROM
		? ts_alloc(1, sizeof(*g))
		: NULL;

	if (g) {
		g->f.read = read_gone;
		g->f.fini = fini_gone;
		g->f.job.patient = true;
		g->names = s->names;
		ts_fetch_send(t->view, &g->f, t->kind + ASK_GONE, TS_WORKER_BULK,
			"giving memory back");
	} else {
		memory_set_close_names(s->names);
	}
	s->names = NULL;
}

/* The rows are gone. */
static void
forget(struct ts_tab *t)
{
	struct set_tab *s = memory_set_of(t);

	let_go(t);
	s->ask.here = s->rest_failed = false;
	s->rest = NULL;
	s->some = 0;
	s->data++;
	make_order(t);
}

enum {
	FEW = 16,    /* tiles that are read at once, where each is reached */
	MANY = 4096, /* the same where the index has their rows as numbers: five million rows, 25 ms */
	LOOK = 8,    /* the same of more, for a first look, */
	LOOK_NUMBERS = 32, /* ... with the index, ... */
	SOON = 192,	   /* ... which adds up so many soon enough */
};

static struct set_fetch *
new_fetch(struct ts_tab *t, const struct memory_scope *scope, size_t some, size_t most)
{
	struct set_fetch *f = memory_scope_fetch_new(memory_of(t), scope, sizeof(*f));

	if (!f)
		return NULL;
	f->of.fetch.read = read_set;
	f->of.fetch.fini = fini_set;
	f->some = some;
	f->most = most;
	f->whole = memory_scope_bytes(memory_of(t), scope);
	f->wanted = ts_table_wish(&memory_set_of(t)->order);
	f->names = ts_alloc(1, sizeof(*f->names));
	if (!f->names) {
		ts_fetch_free(&f->of.fetch);
		return NULL;
	}
	atomic_init(&f->names->uses, 1);
	return f;
}

/* Names of a few of the tiles, while those of all are summed up. */
static void
look(struct ts_tab *t, const struct memory_scope *scope, size_t some)
{
	struct set_fetch *f = new_fetch(t, scope, some, TS_SET_FIRST);

	if (!f)
		return;
	memory_set_of(t)->looking = &f->of.fetch;
	ts_fetch_send(t->view, &f->of.fetch, t->kind + ASK_LOOK, TS_WORKER_SCREEN,
		"looking at some of the tiles");
}

/*
 * All names of what is here, the largest of which are. These fill the screen: whatever else is asked for
 * goes first, until the list is wanted in an order that needs all.
 */
static void
ask_rest(struct ts_tab *t, const struct memory_scope *scope)
{
	struct set_tab *s = memory_set_of(t);
	const struct ts_table_wish wish = ts_table_wish(&s->order);
	struct set_fetch *f;
	bool urgent = !is_plain(&wish) || s->search.wanted;

	if (!memory_set_lacks_names(t) || !memory_same_scope(&s->ask.of, scope) ||
		(s->rest_failed && ts_table_wish_is(&s->rest_for, &s->order)) ||
		(s->rest && s->rest_urgent >= urgent))
		return;
	s->rest_for = wish;
	f = new_fetch(t, scope, 0, TS_SET_NAMES);
	s->rest_failed = !f;
	if (!f)
		return;
	s->rest = &f->of.fetch;
	s->rest->job.patient = !urgent;
	s->rest_urgent = urgent;
	ts_fetch_send(t->view, s->rest, t->kind + ASK_REST, TS_WORKER_BULK,
		"reading the smaller names");
}

/* Many rows in another order. */
static void
ask_order(struct ts_tab *t)
{
	struct set_tab *s = memory_set_of(t);
	const struct ts_table_wish wish = ts_table_wish(&s->order);
	struct ts_table table = memory_set_table(t);
	struct ts_arrangeable what;

	make_order(t);
	if (!s->order.elsewhere || ts_arranging_is_asked(&s->arranging, &s->order, s->data))
		return;
	if (is_plain(&wish) || !s->names)
		ts_arranging_set(&s->arranging, &table, &s->list, s->data, NULL);
	else
		ts_arranging_send(&s->arranging, t, t->kind + ASK_ORDER, &table, s->data,
			memory_set_arrangeable(&what, s->names, memory_set_whole(t)) ? &what
										     : NULL);
}

/* When all rows are there, or no more of them will be, in their order. */
static void
ask_hit(struct ts_tab *t)
{
	struct set_tab *s = memory_set_of(t);
	struct ts_arrangeable what;

	if (!s->search.wanted || s->arranging.sent || memory_set_waits_for_all(t))
		return;
	s->search.wanted = false;
	if (!s->order.elsewhere) {
		struct ts_table table = memory_set_table(t);

		(void)memory_find_row(t, &s->list, &table, s->search.step, s->search.here,
			memory_set_is_hit);
		return;
	}
	if (s->names)
		(void)ts_row_search_send(&s->search, t, t->kind + ASK_HIT, &s->list, s->data,
			memory_of(t)->search,
			memory_set_arrangeable(&what, s->names, memory_set_whole(t)) ? &what : NULL,
			s->order.row ? s->arranging.shown : NULL);
}

static void
set_request(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct set_tab *s = memory_set_of(t);
	struct memory_scope scope = memory_scope(m);
	struct ts_view_env *env = t->view->env;
	const struct ts_table_wish wish = ts_table_wish(&s->order);
	struct set_fetch *f;
	bool few, numbers;

	if (s->some > 0 && !memory_same_scope(&s->ask.of, &scope))
		forget(t); /* a first look at others is worth nothing */
	if (!memory_asked_needs(&s->ask, &scope)) {
		ask_rest(t, &scope);
		ask_order(t);
		ask_hit(t);
		memory_set_ask_place(t, t->kind + ASK_PLACE);
		return;
	}
	s->looking = s->rest = NULL;
	s->rest_failed = false;
	numbers = ts_tile_rows_quick(env->index);
	f = new_fetch(t, &scope, 0, numbers && is_plain(&wish) ? TS_SET_FIRST : TS_SET_NAMES);
	if (!f) {
		memory_asked_sent(&s->ask, NULL);
		return;
	}
	memory_asked_sent(&s->ask, &f->of.fetch);
	few = ts_set_variables_quick(env->report, env->index, f->of.tile, f->of.n);
	if (f->of.n > FEW) {
		ts_view_wants_tile_rows(env);
		if (few && (!numbers || f->of.n > SOON))
			look(t, &scope, numbers ? LOOK_NUMBERS : LOOK);
		few = numbers && f->of.n <= MANY;
	}
	ts_fetch_send(t->view, &f->of.fetch, t->kind + ASK_SET,
		few ? TS_WORKER_SCREEN : TS_WORKER_BULK, "summing up variables of tiles");
}

static void
take(struct ts_tab *t, struct set_fetch *a)
{
	struct set_tab *s = memory_set_of(t);
	struct ts_table table;

	let_go(t);
	s->names = a->names;
	a->names = NULL;
	s->some = (int64_t)a->some;
	s->most = a->most;
	s->data++;
	make_order(t);
	table = memory_set_table(t);
	if (!a->arranged || !s->order.elsewhere || !ts_table_wish_is(&a->wanted, &s->order))
		return;
	ts_arranging_set(&s->arranging, &table, &s->list, s->data, a->arranged);
	a->arranged = NULL;
}

/* Do these have all that is here, and perhaps more? */
static bool
is_more(const struct ts_set_variables *all, const struct ts_set_variables *largest)
{
	return all->count >= largest->count && all->names >= largest->names &&
		all->others <= largest->others;
}

/* The largest stay as they are, the others come behind; the cursor stays on its row. */
static enum ts_effect
take_rest(struct ts_tab *t, struct set_fetch *a)
{
	struct set_tab *s = memory_set_of(t);
	const struct ts_fetch *f = &a->of.fetch;
	struct ts_table table = memory_set_table(t);
	int64_t row = s->list.cursor > 0 ? ts_table_row(&table, s->list.cursor) : -1;

	s->rest = NULL;
	if (f->code && f->code != TS_E_CANCELLED)
		ts_view_say_error(t->view->env, "the smaller names: %s", f->err.msg);
	s->rest_failed = f->code || ts_fetch_in_vain(f, t->view->env->generation) ||
		!is_more(&a->names->v, memory_set_variables_of(t));
	if (s->rest_failed || !memory_same_scope(&a->of.scope, &s->ask.of))
		return TS_EFFECT_REPAINT;
	take(t, a);
	table = memory_set_table(t);
	if (row >= 0 && ts_table_place(&table, row) >= 0)
		ts_list_follow(&s->list, ts_table_place(&table, row));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* What was looked at stands there until all is, or for good where that was stopped. */
static enum ts_effect
take_look(struct ts_tab *t, struct set_fetch *a)
{
	struct set_tab *s = memory_set_of(t);

	s->looking = NULL;
	if (!s->ask.sent || a->of.fetch.code || a->names->v.count == 0 ||
		ts_fetch_in_vain(&a->of.fetch, t->view->env->generation) ||
		!memory_same_scope(&a->of.scope, &s->ask.wanted))
		return TS_EFFECT_NONE;
	s->ask.here = true;
	s->ask.of = a->of.scope;
	s->ask.state.state = TS_PANE_STALE;
	take(t, a);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_SOON);
}

/* Rows in their order, or where a word is. */
static enum ts_effect
take_arranged(struct ts_tab *t, struct ts_fetch *f)
{
	struct set_tab *s = memory_set_of(t);
	struct ts_table table = memory_set_table(t);
	struct ts_row_hit found;

	if (f == s->arranging.sent && s->order.elsewhere)
		ts_arranging_take(&s->arranging, f, t->view->env, &table, &s->list, s->data);
	else if (f == s->arranging.sent)
		ts_arranging_drop(&s->arranging);
	else if (ts_row_search_take(&s->search, f, t->view->env, s->data, &found))
		memory_row_hit(t, &s->list, &table, &found);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
set_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct set_tab *s = memory_set_of(t);
	struct set_fetch *a = (struct set_fetch *)f;

	if (f == s->placing)
		return memory_set_take_place(t, f);
	if (f == s->arranging.sent || f == s->search.sent)
		return take_arranged(t, f);
	if (f == s->looking)
		return take_look(t, a);
	if (f == s->rest)
		return take_rest(t, a);
	if (f != s->ask.sent)
		return TS_EFFECT_NONE;
	s->looking = NULL;
	if (!memory_asked_take(&s->ask, t->view, f, &a->of.scope, TS_ABSENT_TILE_VARIABLES,
		    a->names->v.count > 0))
		return TS_EFFECT_REPAINT;
	take(t, a);
	return TS_EFFECT_REPAINT;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool
set_open(struct ts_tab *t)
{
	struct set_tab *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return false;
	ts_list_init(&s->list);
	ts_table_order_init(&s->order);
	t->own = s;
	return true;
}

static void
set_drop(struct ts_tab *t)
{
	struct set_tab *s = memory_set_of(t);

	s->looking = s->rest = NULL;
	memory_asked_drop(&s->ask);
	ts_arranging_drop(&s->arranging);
	s->search = (struct ts_row_search){.wanted = false};
	s->placing = NULL;
	forget(t);
}

static void
set_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	memory_set_close_names(memory_set_of(t)->names);
	memory_set_of(t)->names = NULL;
	set_drop(t);
	ts_table_order_fini(&memory_set_of(t)->order);
	ts_arranging_fini(&memory_set_of(t)->arranging);
	free(t->own);
	t->own = NULL;
}

/* --- drawing and commands ----------------------------------------------------------------------- */

static void
set_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct set_tab *s = memory_set_of(t);
	struct ts_table table = memory_set_table(t);

	(void)focus;
	if (s->ask.here)
		ts_table_draw(c, t->r, &table, &s->list);
	else
		ts_pane_draw(c, t->r, t->view->env, &s->ask.state);
}

_Static_assert((int)MEMORY_SEARCH == (int)TS_ARRANGED_NEEDLE, "room for what is looked for");

static enum ts_effect
search_far(struct ts_tab *t, const struct ts_call *call)
{
	bool again = call->cmd == TS_CMD_SEARCH_NEXT || call->cmd == TS_CMD_SEARCH_PREVIOUS;
	enum ts_effect effect = ts_row_search_command(&memory_set_of(t)->search,
		memory_of(t)->search, call);

	if (!again || !(effect & TS_EFFECT_UNKNOWN))
		return effect;
	ts_view_say_error(t->view->env, "nothing was searched for");
	return TS_EFFECT_BELL;
}

static enum ts_effect
set_command(struct ts_tab *t, const struct ts_call *call)
{
	struct set_tab *s = memory_set_of(t);
	struct ts_table table = memory_set_table(t);

	make_order(t);
	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		if (s->order.elsewhere || memory_set_waits_for_all(t))
			return search_far(t, call);
		return memory_search_rows(t, &s->list, &table, call, memory_set_is_hit);
	case TS_CMD_TICK:
		return memory_set_tick(t);
	case TS_CMD_OPEN:
	case TS_CMD_MARK:
	case TS_CMD_GOTO_MEMORY:
	case TS_CMD_GOTO_PROGRAMS:
	case TS_CMD_GOTO_OPERATIONS:
		return memory_set_place_command(t, t->kind + ASK_PLACE, call->cmd);
	default:
		return (enum ts_effect)((int)ts_list_command(&memory_set_of(t)->list, call->cmd) &
			~TS_EFFECT_SELECT);
	}
}

static enum ts_effect
set_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = memory_set_table(t);

	(void)x;
	return ts_list_mouse(&memory_set_of(t)->list, ts_table_line(&table, t->r, y), wheel);
}

static void
set_resize(struct ts_tab *t)
{
	struct ts_table table = memory_set_table(t);

	ts_list_resize(&memory_set_of(t)->list, ts_table_rows(&table, t->r));
	make_order(t);
}

static struct ts_list *
set_list(struct ts_tab *t, bool *there)
{
	struct memory_scope scope = memory_scope(memory_of(t));

	*there = memory_set_of(t)->ask.here && memory_same_scope(&memory_set_of(t)->ask.of, &scope);
	return &memory_set_of(t)->list;
}

const struct ts_tab_ops memory_set_variables = {
	.open = set_open,
	.close = set_close,
	.drop = set_drop,
	.note = memory_set_note,
	.resize = set_resize,
	.request = set_request,
	.deliver = set_deliver,
	.draw = set_draw,
	.command = set_command,
	.mouse = set_mouse,
	.about = memory_set_about,
	.object = memory_set_object,
	.explain = memory_set_explain,
	.sheet = memory_set_sheet,
	.list = set_list,
};
