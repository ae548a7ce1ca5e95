/* SPDX-License-Identifier: MIT */
/*
 * variable_first - what a screen shows first of a filter, in a few milliseconds.
 *
 * All is asked of the columns in the index. Where many rows pass, a few thousand looks along the
 * order that there is find the first of them. Where few do, most filters name something: the names
 * are asked first, and a block of rows is then gone through in a microsecond for those that have
 * one of them; so few rows as pass are put in order at once, and the list is whole. What is in
 * between, or would take longer, is left to the pass over all rows (variable_pass.c), which has the
 * same answers.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "variable_quick_internal.h"

#include "tilescope/base/mem.h"

enum {
	FIRST = 160, /* rows: a screen, and what is read ahead of it */
	AT_ONCE =
		16, /* names, of which rows were taken, from one look whether others come before to the next */
};

/* --- along an order ------------------------------------------------------------------------------- */

/* Where the first row with a name that will do stands in an order. */
static int64_t
first_with_name(struct quick *f, const struct ts_variable_list *order, bool reverse)
{
	const uint32_t *begin = order->begin[reverse];

	if (!quick_knows_names(f, order))
		return 0;
	for (int64_t i = 0; i < order->names && !f->a.untrue; i++)
		if (quick_will_do(f, begin[i]) || (i % QUICK_LOOK == 0 && quick_is_late(f))) {
			int64_t at = quick_begins_at(f, order, reverse, begin[i]);

			return at >= 0 ? at : order->count;
		}
	return order->count;
}

/* The first rows along an order; *end: these are all. */
static enum ts_code
walk_order(struct quick *f, const struct ts_variable_list *order, bool *end, struct ts_err *err)
{
	bool reverse = atomic_load(&f->a.p->l->reverse);
	enum ts_code code = TS_OK;
	int64_t place[TS_COLUMN_GATHER], i = first_with_name(f, order, reverse);

	while (i < order->count && !code && quick_places(f) < FIRST && !f->a.untrue &&
		!quick_is_late(f)) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, order->count - i);

		for (int k = 0; k < n; k++)
			place[k] = quick_order_at(order, i + k, reverse);
		for (uint64_t left = quick_which_pass(f, place, n); left && !code; left &= left - 1)
			code = quick_add(f, place[__builtin_ctzll(left)], err);
		i += n;
	}
	*end = i == order->count && !f->a.untrue;
	return code;
}

/* The same as rows stand. */
static enum ts_code
walk_blocks(struct quick *f, bool *end, struct ts_err *err)
{
	bool reverse = atomic_load(&f->a.p->l->reverse);
	int64_t blocks = f->a.c.blocks, b;
	enum ts_code code = TS_OK;

	for (b = 0; b < blocks && !code && quick_places(f) < FIRST && !f->a.untrue; b++) {
		int64_t block = reverse ? blocks - 1 - b : b;

		if (quick_is_late(f))
			break;
		code = f->wanted
			? quick_pick_block(f, block, err)
			: quick_ask_block(&f->a, &f->place, block, f->a.p->l->v->cache, err);
	}
	*end = b == blocks;
	return code;
}

/* --- the first of those that are found ----------------------------------------------------------------- */

/* The first `most` of rows that are offered one by one. */
struct earliest {
	struct keyed *k; /* twice as many */
	int64_t most, have;
	bool cut; /* what is behind k[most - 1] does not count */
	bool sorted;
};

static bool
earliest_init(struct earliest *e, int64_t most)
{
	*e = (struct earliest){.k = ts_alloc((size_t)most * 2, sizeof(*e->k)), .most = most};
	return e->k;
}

static void
earliest_sort(struct earliest *e)
{
	qsort(e->k, (size_t)e->have, sizeof(*e->k), quick_compare);
	e->cut |= e->have >= e->most;
	e->have = ts_min_i64(e->have, e->most);
	e->sorted = true;
}

/* Could it be among them? */
static bool
earliest_wants(const struct earliest *e, const struct keyed *k)
{
	return !e->cut || quick_compare(k, &e->k[e->most - 1]) <= 0;
}

static void
earliest_offer(struct earliest *e, const struct keyed *k)
{
	if (!earliest_wants(e, k))
		return;
	e->k[e->have++] = *k;
	e->sorted = false;
	if (e->have == 2 * e->most)
		earliest_sort(e);
}

/* All rows that were found. */
static void
offer_rows(struct earliest *e, struct quick *f, const struct ts_variable_list *l, int column)
{
	const int64_t *place = f->place.memory;
	struct keyed k[TS_COLUMN_GATHER];

	for (int64_t i = 0; i < quick_places(f); i += TS_COLUMN_GATHER) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, quick_places(f) - i);

		quick_key_rows(k, f, l, column, place + i, n);
		for (int j = 0; j < n; j++)
			earliest_offer(e, &k[j]);
	}
}

/* The first `most` of the rows that pass, in order; *n of them. NULL: no memory. */
static struct keyed *
put_in_order(struct quick *f, const struct ts_variable_list *l, int column, int64_t most,
	int64_t *n)
{
	struct earliest e;

	*n = 0;
	if (!earliest_init(&e, most))
		return NULL;
	offer_rows(&e, f, l, column);
	earliest_sort(&e);
	*n = e.have;
	return e.k;
}

/* --- the answer ----------------------------------------------------------------------------------- */

static enum ts_code
show(struct ts_variable_list *l, const int64_t *place, int64_t n, struct ts_err *err)
{
	struct ts_variable_top *top = ts_alloc(1, sizeof(*top));

	if (!top)
		return ts_err_nomem(err);
	top->count = (int)ts_min_i64(n, FIRST);
	memcpy(top->place, place, (size_t)top->count * sizeof(*place));
	l->begun = true;
	variable_top_publish(l, top);
	return TS_OK;
}

static enum ts_code
show_keyed(struct ts_variable_list *l, const struct keyed *k, int64_t n, struct ts_err *err)
{
	int64_t place[FIRST];

	for (int64_t i = 0; i < n && i < FIRST; i++)
		place[i] = k[i].place;
	return show(l, place, n, err);
}

/* Are enough rows found that stand before the place where the next name begins? */
static bool
are_first(struct quick *f, struct earliest *e, const struct ts_variable_list *order, int column,
	int64_t next)
{
	struct keyed at;

	if (e->have < FIRST)
		return false;
	if (!e->sorted)
		earliest_sort(e);
	at = quick_key_row(f, f->a.p->l, column,
		quick_order_at(order, next, atomic_load(&f->a.p->l->reverse)));
	return quick_compare(&e->k[FIRST - 1], &at) < 0 && !f->a.untrue;
}

/* The rows with a name, as far as they could be among the first. */
static void
offer_named(struct earliest *e, struct quick *f, int column, int64_t name)
{
	struct quick_rows rows = quick_rows_begin(f, name);
	int64_t place[TS_COLUMN_GATHER], of;
	struct keyed k[TS_COLUMN_GATHER];
	int n;

	while ((n = quick_rows_next(f, &rows, place)) > 0) {
		quick_key_rows(k, f, f->a.p->l, column, place, n);
		for (int i = 0; i < n && !f->a.untrue; i++) {
			if (!earliest_wants(e, &k[i]))
				continue;
			f->a.untrue |= !ts_columns_at(&f->a.c, TS_COLUMN_NAME, place[i], &of) ||
				of != name;
			if (f->alone || quick_passes(f, place[i]))
				earliest_offer(e, &k[i]);
		}
	}
}

/* How far names of an order were gone through. */
struct names_walk {
	struct earliest e; /* e.k NULL: it has not begun */
	int64_t at;
	int64_t seen; /* since the last look */
};

static bool
names_walk_begin(struct names_walk *w)
{
	free(w->e.k);
	*w = (struct names_walk){.seen = QUICK_LOOK};
	return earliest_init(&w->e, FIRST);
}

/*
 * The first rows with the names, where the order says where each name begins: names are asked as they begin, and all rows taken of
 * those that will do, until enough rows stand before the place where the next name begins. Names that begin behind it
 * are not asked, and rows that are large and have other names, however many there are, are never looked at. Where there are
 * enough rows in time, and it is only not known yet that no others come before, it may take longer. Who comes again goes on.
 */
static enum ts_code
walk_names(struct names_walk *w, struct quick *f, const struct ts_variable_list *order, int column,
	int64_t us, bool *done, struct ts_err *err)
{
	bool reverse = atomic_load(&f->a.p->l->reverse), longer = false;
	const uint32_t *begin = order->begin[reverse];

	if (!w->e.k && !names_walk_begin(w))
		return ts_err_nomem(err);
	quick_set_bound(f, us);
	for (; w->at < order->names; w->at++) {
		int64_t name = begin[w->at];
		bool does = quick_will_do(f, name);

		w->seen += does ? QUICK_LOOK / AT_ONCE : 1;
		if (w->seen >= QUICK_LOOK) {
			int64_t at = quick_begins_at(f, order, reverse, name);

			w->seen = 0;
			*done = at >= 0 && are_first(f, &w->e, order, column, at);
			if (at < 0 || *done || f->a.untrue)
				break;
			if (quick_is_late(f)) {
				if (longer || w->e.have < FIRST)
					break;
				longer = true;
				quick_set_bound(f, QUICK_WALK_US);
			}
		}
		if (does)
			offer_named(&w->e, f, column, name);
		if (f->over) /* rows of this one are missing */
			break;
	}
	if (*done)
		return show_keyed(f->a.p->l, w->e.k, FIRST, err);
	if (f->over && !names_walk_begin(w))
		return ts_err_nomem(err);
	f->over = false; /* there are other ways */
	return TS_OK;
}

/* These are all rows of the list, in its order: it is ready. */
static enum ts_code
finish(struct quick *f, const struct keyed *k, int64_t n, struct ts_err *err)
{
	struct variable_pass *p = f->a.p;
	struct ts_variable_list *l = p->l;
	bool ordered = l->sort != TS_SORT_ROW, reverse = atomic_load(&l->reverse);
	enum ts_code code = variable_pass_room(p, err);
	uint64_t *word = l->bit.memory, *before = l->before.memory;

	p->bytes = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t bytes;

		f->at = k[i].place;
		bytes = quick_value(f, TS_COLUMN_BYTES);
		if (bytes >= 0)
			p->overflow |= !ts_add_i64(&p->bytes, bytes);
		l->known += !k[i].unknown;
	}
	if (!code && ordered)
		code = ts_pile_room(&l->made, (size_t)(n ? n : 1) * (size_t)p->place_width,
			l->v->cache, err);
	if (code || f->a.untrue)
		return code;
	for (int64_t i = 0; i < n; i++) {
		int64_t to = reverse && i < l->known ? l->known - 1 - i : i;

		if (k[i].place / TS_VARIABLE_BLOCK < l->v->rows / TS_VARIABLE_BLOCK)
			before[k[i].place / TS_VARIABLE_BLOCK + 1] += !(
				word[k[i].place / 64] >> k[i].place % 64 & 1);
		word[k[i].place / 64] |= UINT64_C(1) << k[i].place % 64;
		if (ordered)
			variable_put(l->made.memory, p->place_width, to, (uint64_t)k[i].place);
	}
	for (int64_t b = 0; b < l->v->rows / TS_VARIABLE_BLOCK; b++)
		before[b + 1] += before[b];
	p->scanned = l->v->rows;
	p->found = n;
	p->all_bytes = f->a.c.bytes;
	p->all_overflow = f->a.c.bytes == TS_UNKNOWN;
	p->unsized = f->a.c.unsized;
	variable_pass_publish(p);
	l->natural = !ordered;
	l->width = p->place_width;
	l->order = l->made.memory;
	l->count = n;
	variable_list_ready(l);
	return TS_OK;
}

/* Of rows that pass: all, or the first of them and others. */
static enum ts_code
answer(struct quick *f, int column, bool all, bool *done, struct ts_err *err)
{
	struct ts_variable_list *l = f->a.p->l;
	bool full = all && quick_places(f) <= QUICK_FULL;
	enum ts_code code = TS_OK;
	struct keyed *k;
	int64_t n;

	k = put_in_order(f, l, column, full ? QUICK_FULL : FIRST, &n);
	if (!k)
		return ts_err_nomem(err);
	if (!f->a.untrue)
		code = full ? finish(f, k, n, err) : show_keyed(l, k, n, err);
	*done = !code && !f->a.untrue;
	free(k);
	return code;
}

/* Along the order, for so long. *done: the first rows are shown; *all: those that were found are all. */
static enum ts_code
walk(struct quick *f, const struct ts_variable_list *order, int column, int64_t us, bool *all,
	bool *done, struct ts_err *err)
{
	struct ts_variable_list *l = f->a.p->l;
	enum ts_code code = TS_OK;

	f->place.used = 0;
	quick_set_bound(f, us);
	if (l->sort == TS_SORT_ROW)
		code = walk_blocks(f, all, err);
	else if (quick_is_usable(order, l->v, l->sort))
		code = walk_order(f, order, all, err);
	if (code || f->a.untrue || quick_places(f) < FIRST)
		return code;
	if (l->sort == TS_SORT_ROW) /* of a block all are there, in its order */
		return answer(f, column, false, done, err);
	code = show(l, f->place.memory, quick_places(f), err);
	*done = !code;
	return code;
}

static enum ts_code
find_first(struct quick *f, const struct ts_variable_list *order, struct names_walk *w, bool *done,
	struct ts_err *err)
{
	struct ts_variable_list *l = f->a.p->l;
	bool all = false, none, sorted, named;
	int column;
	enum ts_code code = TS_OK;

	sorted = variable_columns_sort(&column, &f->a.c, l->sort);
	named = sorted && quick_is_usable(order, l->v, l->sort) && f->by_name &&
		quick_knows_names(f, order);
	if (f->names == 0 || quick_has_many_names(f) || !f->by_name || !sorted)
		code = walk(f, order, column, QUICK_GLANCE_US, &all, done, err);
	if (!code && !*done && !all && named && quick_has_many_names(f))
		code = walk_names(w, f, order, column, QUICK_ASK_US, done, err);
	if (code || *done || f->a.untrue || (all && !sorted))
		return code;
	if (all)
		return answer(f, column, true, done, err);
	code = quick_look_at_names(f, &none, err);
	if (!code && f->many && !f->late && named)
		code = walk_names(w, f, order, column, QUICK_WALK_US, done, err);
	if (!code && f->many && !f->late && !*done)
		code = walk(f, order, column, QUICK_WALK_US, &all, done, err);
	if (code || *done || f->a.untrue || f->late || !sorted)
		return code;
	if (none)
		f->place.used = 0;
	else if (!all)
		code = quick_take_all(f, err);
	if (code || !quick_is_sure(f))
		return code;
	return answer(f, column, true, done, err);
}

enum ts_code
ts_variable_list_first(struct ts_variable_list *l, bool *done, const struct ts_variable_list *order,
	const struct ts_variable_list *by_name, struct ts_reader *rd,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct names_walk w = {.e.k = NULL};
	struct quick *f;
	enum ts_code code = quick_begin(&f, l, by_name, rd, cancel, err);

	*done = false;
	if (!code && f)
		code = find_first(f, order, &w, done, err);
	free(w.e.k);
	return quick_finish(f, code, *done, err);
}
