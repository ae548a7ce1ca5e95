/* SPDX-License-Identifier: MIT */
/* arranged - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/finder.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/arranged.h"
#include "tilescope/view/sheet.h"

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
	const struct ts_table_wish *wanted, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_arranged *a = ts_alloc(1, sizeof(*a));
	struct ts_table_order order = {.rows = what->rows};
	struct ts_table table = what->table;
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	atomic_init(&a->uses, 1);
	for (int i = 0; i < TS_ARRANGED_PILES; i++)
		a->pile[i].small = TS_PILE_LARGE;
	ts_table_wish_set(&order, wanted);
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

static void
free_arrangeable(const struct ts_arrangeable *what)
{
	if (what && what->free)
		what->free(what->table.ctx);
}

/* --- a list ------------------------------------------------------------------------------------- */

struct arrange_fetch {
	struct ts_fetch f; /* first */
	struct ts_arrangeable what;
	struct ts_table_wish wanted;
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

	free_arrangeable(&x->what);
	ts_arranged_close(x->rows);
}

bool
ts_arranging_is_asked(const struct ts_arranging *g, const struct ts_table_order *o, uint64_t of)
{
	return g->of == of && ts_table_wish_is(&g->wanted, o);
}

static void
note_asked(struct ts_arranging *g, const struct ts_table_order *o, uint64_t of)
{
	g->of = of;
	g->wanted = ts_table_wish(o);
	g->sent = NULL;
}

static void
show(struct ts_arranging *g, const struct ts_table *t, struct ts_list *l, struct ts_arranged *rows)
{
	const struct ts_table_arranged plain = {.row = NULL};

	ts_table_order_give(t, l, rows ? &rows->a : &plain);
	ts_arranged_close(g->shown);
	g->shown = rows;
	g->shown_of = g->of;
	g->is = g->wanted;
}

void
ts_arranging_set(struct ts_arranging *g, const struct ts_table *t, struct ts_list *l, uint64_t of,
	struct ts_arranged *rows)
{
	note_asked(g, t->order, of);
	show(g, t, l, rows);
}

/* Other rows than those that are shown are as they come. */
static void
want_what_is_shown(struct ts_arranging *g, const struct ts_table *t, uint64_t of)
{
	static const struct ts_table_wish plain = TS_TABLE_WISH_PLAIN;

	ts_table_wish_set(t->order, g->shown_of == of ? &g->is : &plain);
	note_asked(g, t->order, of);
}

void
ts_arranging_send(struct ts_arranging *g, struct ts_tab *tab, int kind, const struct ts_table *t,
	uint64_t of, const struct ts_arrangeable *what)
{
	struct arrange_fetch *x = what ? ts_alloc(1, sizeof(*x)) : NULL;

	if (!x) {
		free_arrangeable(what);
		ts_view_say_error(tab->view->env, "out of memory");
		want_what_is_shown(g, t, of);
		return;
	}
	note_asked(g, t->order, of);
	x->f.read = read_arranged;
	x->f.fini = fini_arranged;
	x->what = *what;
	x->wanted = g->wanted;
	g->sent = &x->f;
	ts_fetch_send(tab->view, &x->f, kind, TS_WORKER_SCREEN, "putting rows in order");
}

void
ts_arranging_take(struct ts_arranging *g, struct ts_fetch *f, struct ts_view_env *env,
	const struct ts_table *t, struct ts_list *l, uint64_t of)
{
	struct arrange_fetch *x = (struct arrange_fetch *)f;
	bool wanted = ts_arranging_is_asked(g, t->order, of);

	g->sent = NULL;
	if (f->code && f->code != TS_E_CANCELLED)
		ts_view_say_error(env, "%s", f->err.msg);
	if (!wanted)
		return;
	if (f->code || ts_fetch_in_vain(f, env->generation)) {
		want_what_is_shown(g, t, of);
		return;
	}
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

/* --- a word --------------------------------------------------------------------------------------- */

enum { PIECE = 1 << 12 /* rows that one thread looks at before it looks at the token */ };

/* Hits in rows that follow each other: places, -1 for none. */
struct hits {
	int64_t first, last, count;
	int64_t near, before; /* the one that is looked for among these; how many stand before it */
};

struct find_fetch {
	struct ts_fetch f; /* first */
	struct ts_arrangeable what;
	struct ts_arranged *shown; /* held, or NULL */
	int64_t count, at;	   /* places; the first that is looked at */
	int step;
	char word[TS_ARRANGED_NEEDLE]; /* in small letters */
	struct ts_row_hit found;

	/* while it runs */
	struct hits *piece;
	_Atomic int64_t next;
	const struct ts_cancel *cancel;
};

static void
look_at_piece(const struct find_fetch *x, struct ts_finder *word, int64_t from)
{
	struct hits *h = &x->piece[from / PIECE];

	*h = (struct hits){-1, -1, 0, -1, 0};
	for (int64_t i = from, end = ts_min_i64(from + PIECE, x->count); i < end; i++) {
		int64_t row = x->shown ? (int64_t)x->shown->a.row[i] : i;
		struct ts_table_value v = {.type = TS_VALUE_NONE};

		if (!x->what.table.value(x->what.table.ctx, row, 0, &v) ||
			v.type != TS_VALUE_TEXT || !ts_finder_next(word, v.s, v.n, 0))
			continue;
		if (h->first < 0)
			h->first = i;
		h->last = i;
		if (x->step > 0 ? i >= x->at && h->near < 0 : i <= x->at) {
			h->near = i;
			h->before = h->count;
		}
		h->count++;
	}
}

static void
look_at_pieces(void *ctx, int who)
{
	struct find_fetch *x = ctx;
	struct ts_finder word = {.word = x->word, .n = strlen(x->word), .any_case = true};
	int64_t from;

	(void)who;
	while (!ts_cancelled(x->cancel) && (from = atomic_fetch_add(&x->next, PIECE)) < x->count)
		look_at_piece(x, &word, from);
}

/* The first hit from `at` on, in the direction of `step`, around the end. */
static void
join_pieces(struct find_fetch *x)
{
	int64_t first = -1, last = -1, near = -1, before = 0, hits = 0;

	for (int64_t i = 0; i * PIECE < x->count; i++) {
		const struct hits *h = &x->piece[i];

		if (first < 0)
			first = h->first;
		if (h->last >= 0)
			last = h->last;
		if (h->near >= 0 && (near < 0 || x->step < 0)) {
			near = h->near;
			before = hits + h->before;
		}
		hits += h->count;
	}
	x->found.hits = hits;
	x->found.at = near >= 0 ? near : x->step > 0 ? first : last;
	x->found.before = near >= 0 ? before : x->step > 0 || hits == 0 ? 0 : hits - 1;
}

/* One pass over all, by two threads where the table is shared. */
static enum ts_code
read_find(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct find_fetch *x = (struct find_fetch *)f;

	x->piece = ts_alloc((size_t)(x->count / PIECE + 1), sizeof(*x->piece));
	if (!x->piece)
		return ts_err_nomem(err);
	x->cancel = rd->cancel;
	if (x->what.table.shared && x->count > PIECE)
		ts_beside(look_at_pieces, x);
	else
		look_at_pieces(x, 0);
	if (ts_cancelled(rd->cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	join_pieces(x);
	return TS_OK;
}

static void
fini_find(struct ts_fetch *f)
{
	struct find_fetch *x = (struct find_fetch *)f;

	free_arrangeable(&x->what);
	ts_arranged_close(x->shown);
	free(x->piece);
}

enum ts_effect
ts_row_search_command(struct ts_row_search *f, char needle[TS_ARRANGED_NEEDLE],
	const struct ts_call *call)
{
	bool again = call->cmd == TS_CMD_SEARCH_NEXT || call->cmd == TS_CMD_SEARCH_PREVIOUS;
	bool forward = call->cmd == TS_CMD_SEARCH || call->cmd == TS_CMD_SEARCH_NEXT;
	const char *text = ts_call_arg(call, 0);

	if (!again && call->cmd != TS_CMD_SEARCH && call->cmd != TS_CMD_SEARCH_BACK)
		return TS_EFFECT_UNKNOWN;
	if (again ? !needle[0] : !text || !*text)
		return TS_EFFECT_UNKNOWN;
	if (!again)
		snprintf(needle, TS_ARRANGED_NEEDLE, "%s", text);
	*f = (struct ts_row_search){.wanted = true, .here = !again, .step = forward ? 1 : -1};
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

bool
ts_row_search_send(struct ts_row_search *f, struct ts_tab *tab, int kind, const struct ts_list *l,
	uint64_t of, const char *needle, const struct ts_arrangeable *what,
	struct ts_arranged *shown)
{
	struct find_fetch *x = what ? ts_alloc(1, sizeof(*x)) : NULL;
	int64_t at = l->cursor + (f->here ? 0 : f->step);

	f->wanted = false;
	if (!x || l->count <= 0) {
		ts_view_say_error(tab->view->env, "%s", x ? "no rows to search" : "out of memory");
		free(x);
		free_arrangeable(what);
		return false;
	}
	x->f.read = read_find;
	x->f.fini = fini_find;
	x->what = *what;
	x->shown = ts_arranged_hold(shown);
	x->count = shown ? shown->a.count : what->rows;
	x->at = x->count > 0 ? (at % x->count + x->count) % x->count : 0;
	x->step = f->step;
	snprintf(x->found.needle, sizeof(x->found.needle), "%s", needle);
	snprintf(x->word, sizeof(x->word), "%s", needle);
	ts_finder_small(x->word);
	f->of = of;
	f->sent = &x->f;
	ts_fetch_send(tab->view, &x->f, kind, TS_WORKER_SCREEN, "searching");
	return true;
}

bool
ts_row_search_take(struct ts_row_search *f, struct ts_fetch *fetch, struct ts_view_env *env,
	uint64_t of, struct ts_row_hit *out)
{
	f->sent = NULL;
	*out = ((struct find_fetch *)fetch)->found;
	if (fetch->code && fetch->code != TS_E_CANCELLED)
		ts_view_say_error(env, "%s", fetch->err.msg);
	return !fetch->code && f->of == of && !ts_fetch_in_vain(fetch, env->generation);
}

/* --- a file of such rows ------------------------------------------------------------------------ */

struct arranged_source {
	struct ts_row_source base; /* first */
	struct ts_arrangeable rows;
	struct ts_arranged *arranged; /* held; NULL: as they come */
	int64_t at, count;
	struct ts_table_value total[TS_TABLE_COLUMNS];
	/* of rows that are read first; NULL: they are here, and in their order */
	enum ts_code (*read)(struct ts_arrangeable *what, struct ts_reader *rd, struct ts_err *err);
	struct ts_table_wish wanted;
	int by; /* the column that rows come by; -1: none */
};

static enum ts_code
source_read(struct arranged_source *s, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = s->read(&s->rows, rd, err);

	s->read = NULL;
	if (!code && !ts_table_wish_is_plain(&s->wanted, s->by))
		code = ts_arranged_make(&s->arranged, &s->rows, &s->wanted, rd->cancel, err);
	s->count = code ? 0 : s->arranged ? s->arranged->a.count : s->rows.rows;
	return code;
}

static enum ts_code
source_next(struct ts_row_source *base, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct arranged_source *s = (struct arranged_source *)base;
	enum ts_code code = s->read ? source_read(s, rd, err) : TS_OK;
	int64_t row;

	*more = s->at < s->count;
	if (code || !*more)
		return code;
	row = s->arranged ? (int64_t)s->arranged->a.row[s->at] : s->at;
	for (int i = 0; i < s->rows.table.columns; i++)
		s->rows.table.value(s->rows.table.ctx, row, i, &values[i]);
	s->at++;
	return TS_OK;
}

static bool
source_total(struct ts_row_source *base, struct ts_table_value *values)
{
	const struct arranged_source *s = (struct arranged_source *)base;

	for (int i = 0; i < s->rows.table.columns; i++)
		values[i] = s->total[i];
	return true;
}

static void
source_free(struct ts_row_source *base)
{
	struct arranged_source *s = (struct arranged_source *)base;

	if (s->rows.free)
		s->rows.free(s->rows.table.ctx);
	ts_arranged_close(s->arranged);
	free(s);
}

/* NULL: no memory. */
static struct arranged_source *
new_source(const struct ts_arrangeable *what, int64_t expected)
{
	struct arranged_source *s = ts_alloc(1, sizeof(*s));

	if (!s) {
		free_arrangeable(what);
		return NULL;
	}
	s->rows = *what;
	s->base = (struct ts_row_source){source_next, NULL, source_free, expected};
	return s;
}

struct ts_row_source *
ts_arranged_source(const struct ts_arrangeable *what, const struct ts_table *t,
	struct ts_arranged *shown)
{
	struct arranged_source *s = new_source(what, t->order->count);

	if (!s)
		return NULL;
	s->arranged = t->order->row ? ts_arranged_hold(shown) : NULL;
	s->count = t->order->count;
	s->base.total = source_total;
	for (int i = 0; i < what->table.columns; i++) {
		if (t->order->filtered)
			ts_table_filtered_total(t, i, &s->total[i]);
		else
			t->value(t->ctx, TS_TABLE_TOTAL, i, &s->total[i]);
	}
	return &s->base;
}

struct ts_row_source *
ts_arranged_source_read(const struct ts_arrangeable *what,
	enum ts_code (*read)(struct ts_arrangeable *what, struct ts_reader *rd, struct ts_err *err),
	const struct ts_table_wish *wanted, int by, int64_t expected)
{
	struct arranged_source *s = new_source(what, expected);

	if (!s)
		return NULL;
	s->read = read;
	s->wanted = *wanted;
	s->by = by;
	return &s->base;
}
