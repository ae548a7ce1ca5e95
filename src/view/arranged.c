/* SPDX-License-Identifier: MIT */
/* arranged - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/arranged.h"

struct ts_arranged *
ts_arranged_hold(struct ts_arranged *a)
{
	if (a)
		atomic_fetch_add(&a->uses, 1);
	return a;
}

void
ts_arranged_close(struct ts_arranged *a)
{
	if (!a || atomic_fetch_sub(&a->uses, 1) > 1)
		return;
	for (int i = 0; i < TS_ARRANGED_PILES; i++)
		ts_pile_fini(&a->pile[i]);
	free(a);
}

static void *
get_pile(void *ctx, size_t bytes)
{
	struct ts_arranged *a = ctx;
	struct ts_err err = {0};

	if (a->piles == TS_ARRANGED_PILES ||
		ts_pile_room(&a->pile[a->piles], bytes, NULL, &err) != TS_OK)
		return NULL;
	return a->pile[a->piles++].memory;
}

enum ts_code
ts_arranged_make(struct ts_arranged **out, const struct ts_arrangeable *what,
	const struct ts_table_order *wanted, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_arranged *a = ts_alloc(1, sizeof(*a));
	struct ts_table_order order = {.sorted = wanted->sorted,
		.descending = wanted->descending,
		.rows = what->rows};
	struct ts_table table = what->table;
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	atomic_init(&a->uses, 1);
	for (int i = 0; i < TS_ARRANGED_PILES; i++)
		a->pile[i].small = TS_PILE_LARGE;
	memcpy(order.filter, wanted->filter, sizeof(order.filter));
	table.order = &order;
	code = ts_table_arrange(&a->a, &table, what->rows, &(struct ts_table_memory){a, get_pile},
		cancel, err);
	for (int i = 0; i < TS_ARRANGED_PILES; i++)
		if (code || a->pile[i].memory != a->a.row)
			ts_pile_fini(&a->pile[i]);
	if (code)
		ts_arranged_close(a);
	else
		*out = a;
	return code;
}

/* --- a list ------------------------------------------------------------------------------------- */

struct arrange_fetch {
	struct ts_fetch f; /* first */
	struct ts_arrangeable what;
	struct ts_table_order wanted;
	struct ts_arranged *rows;
};

static enum ts_code
read_arranged(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct arrange_fetch *x = (struct arrange_fetch *)f;

	return ts_arranged_make(&x->rows, &x->what, &x->wanted, rd->cancel, err);
}

static void
fini_arranged(struct ts_fetch *f)
{
	struct arrange_fetch *x = (struct arrange_fetch *)f;

	if (x->what.free)
		x->what.free(x->what.table.ctx);
	ts_arranged_close(x->rows);
}

bool
ts_arranging_is_asked(const struct ts_arranging *g, const struct ts_table_order *o, uint64_t of)
{
	return g->of == of && g->sorted == o->sorted && g->descending == o->descending &&
		strcmp(g->filter, o->filter) == 0;
}

static void
note_asked(struct ts_arranging *g, const struct ts_table_order *o, uint64_t of)
{
	g->of = of;
	g->sorted = o->sorted;
	g->descending = o->descending;
	memcpy(g->filter, o->filter, sizeof(g->filter));
	g->sent = NULL;
}

static void
show(struct ts_arranging *g, const struct ts_table *t, struct ts_list *l, struct ts_arranged *rows)
{
	const struct ts_table_arranged plain = {.row = NULL};

	ts_table_order_give(t, l, rows ? &rows->a : &plain);
	ts_arranged_close(g->shown);
	g->shown = rows;
}

void
ts_arranging_set(struct ts_arranging *g, const struct ts_table *t, struct ts_list *l, uint64_t of,
	struct ts_arranged *rows)
{
	note_asked(g, t->order, of);
	show(g, t, l, rows);
}

void
ts_arranging_send(struct ts_arranging *g, struct ts_tab *tab, int kind, const struct ts_table *t,
	uint64_t of, const struct ts_arrangeable *what)
{
	struct arrange_fetch *x = ts_alloc(1, sizeof(*x));

	note_asked(g, t->order, of);
	if (!x) {
		if (what->free)
			what->free(what->table.ctx);
		return;
	}
	x->f.read = read_arranged;
	x->f.fini = fini_arranged;
	x->what = *what;
	x->wanted.sorted = t->order->sorted;
	x->wanted.descending = t->order->descending;
	memcpy(x->wanted.filter, t->order->filter, sizeof(x->wanted.filter));
	g->sent = &x->f;
	ts_fetch_send(tab->view, &x->f, kind, TS_WORKER_SCREEN, "putting rows in order");
}

void
ts_arranging_take(struct ts_arranging *g, struct ts_fetch *f, struct ts_view_env *env,
	const struct ts_table *t, struct ts_list *l, uint64_t of)
{
	struct arrange_fetch *x = (struct arrange_fetch *)f;

	g->sent = NULL;
	if (f->code && f->code != TS_E_CANCELLED)
		ts_view_say_error(env, "%s", f->err.msg);
	if (f->code || ts_fetch_in_vain(f, env->generation) ||
		!ts_arranging_is_asked(g, t->order, of))
		return;
	show(g, t, l, x->rows);
	x->rows = NULL;
}

void
ts_arranging_drop(struct ts_arranging *g)
{
	g->sent = NULL;
	g->of = 0;
}

void
ts_arranging_fini(struct ts_arranging *g)
{
	ts_arranged_close(g->shown);
	*g = (struct ts_arranging){0};
}
