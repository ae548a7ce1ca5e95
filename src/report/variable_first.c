/* SPDX-License-Identifier: MIT */
/*
 * variable_first - what a screen shows first of a filter, and the next hit of a search, in a few
 * milliseconds.
 *
 * All is asked of the columns in the index. Where many rows pass, a few thousand looks along the
 * order that there is find the first of them. Where few do, most filters name something: the names
 * are asked first, and a block of rows is then gone through in a microsecond for those that have
 * one of them; so few rows as pass are put in order at once, and the list is whole. What is in
 * between, or would take longer, is left to the pass over all rows (variable_pass.c), which has the
 * same answers.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "variable_columns_internal.h"

#include "tilescope/base/beside.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"

enum {
	FIRST = 160,	      /* rows: a screen, and what is read ahead of it */
	FULL = 1 << 14,	      /* so few rows are put in order at once */
	MOST = 1 << 19,	      /* places that are kept */
	GLANCE_US = 600,      /* along an order, */
	WALK_US = 9000,	      /* and where many rows pass */
	MANY = 500,	      /* one of so many rows passes then */
	ASK_US = 2500,	      /* names as they begin in an order, */
	AT_ONCE = 16,	      /* so many between two looks whether the others stand behind, */
	FEW_GROUPS = 256,     /* and where more of them are to be asked */
	WHOLE_US = 30000,     /* all of it, at most */
	NUMBERS_US = 40000,   /* a filter that names nothing */
	BOTH_BLOCKS = 1 << 8, /* so many take longer than to begin a thread */
	LOOK = 64,	      /* rows, blocks or groups between looks at the clock */
};

/* A row as it is compared in an order: forwards, whichever way the list is read. */
struct keyed {
	uint64_t unknown, key;
	int64_t tie, place;
};

struct first {
	struct columns_asking a;
	const struct ts_variable_list *by_name; /* all rows in the order of their names; or NULL */
	const struct ts_variable_list
		*bits; /* ready: its bits say what passes; NULL: the filter does */
	const struct ts_cancel *cancel;
	int64_t at;	/* the row that is asked */
	int64_t until;	/* us, of this thread */
	uint32_t names; /* comparisons with a name that have to be so */
	bool alone;	/* and nothing else has to */
	bool many;	/* rows have one of the names */
	uint64_t *wanted;
	struct ts_pile place; /* int64_t: rows that pass */
	bool over;	      /* there are more */
	bool late;	      /* it takes too long */
};

static int64_t
places(const struct first *f)
{
	return (int64_t)(f->place.used / sizeof(int64_t));
}

/* So long from now on. */
static void
set_bound(struct first *f, int64_t us)
{
	f->until = ts_clock_thread_us() + us;
}

/* An expression that takes too long on a name is for who does not wait. */
static bool
is_costly(const struct first *f)
{
	return ts_filter_use_costly(&f->a.p->asking.use) > 0;
}

static bool
is_late(const struct first *f)
{
	return ts_clock_thread_us() > f->until || ts_cancelled(f->cancel) || is_costly(f);
}

/* --- one row ------------------------------------------------------------------------------------- */

static int64_t
value(struct first *f, int column)
{
	int64_t v = TS_UNKNOWN;

	if (column < 0 || !ts_columns_at(&f->a.c, (enum ts_column)column, f->at, &v)) {
		f->a.untrue = true;
		return TS_UNKNOWN;
	}
	return v;
}

static bool
row_number(void *ctx, int field, int64_t *v)
{
	struct first *f = ctx;

	*v = value(f, ts_column_find(ts_variable_field_column((enum ts_variable_field)field)));
	if (field == TS_VARIABLE_FIELD_IPU)
		*v = ts_variables_ipu(f->a.p->l->v, *v);
	else if (field == TS_VARIABLE_FIELD_ALWAYS && *v > 0)
		*v = 1;
	return *v >= 0;
}

static enum ts_truth
row_text(void *ctx, const struct ts_filter_node *n)
{
	struct first *f = ctx;
	bool named = n->field == TS_VARIABLE_FIELD_NAME;
	int64_t v = value(f, named ? TS_COLUMN_NAME : TS_COLUMN_CATEGORY);
	uint32_t bits;

	if (!named)
		return v < 0 ? TS_UNSURE : variable_columns_category(&f->a, n, v);
	if (!ts_name_answers_one(&f->a.names, v, &bits)) {
		f->a.untrue = true;
		return TS_UNSURE;
	}
	return variable_truth_of(bits, n);
}

static enum ts_truth
row_in(void *ctx, const struct ts_filter_node *n, int64_t v)
{
	return ts_variable_asking_in(&((const struct first *)ctx)->a.p->asking, n, v);
}

static bool
is_wanted(const struct first *f, int64_t name)
{
	return name >= 0 && name < f->a.c.names && f->wanted[name / 64] >> name % 64 & 1;
}

static bool
passes(struct first *f, int64_t place)
{
	const struct ts_filter_row row = {f, row_number, row_text, row_in, NULL};

	if (f->bits)
		return ts_variable_list_has(f->bits, place);
	f->at = place;
	return ts_filter_ask(&f->a.p->l->filter, &row) == TS_YES;
}

/* Is it a name that will do? It is asked about when it was not before. */
static bool
will_do(struct first *f, int64_t name)
{
	const uint32_t need = f->names | f->names << VARIABLE_SURE;
	uint32_t bits = 0;

	if (f->wanted)
		return is_wanted(f, name);
	f->a.untrue |= !ts_name_answers_one(&f->a.names, name, &bits);
	return (bits & need) == need;
}

/* Of rows anywhere, at most TS_COLUMN_GATHER: a bit for each that passes. */
static uint64_t
which_pass(struct first *f, const int64_t *place, int n)
{
	int64_t name[TS_COLUMN_GATHER];
	bool named = f->names != 0 && !f->bits;
	uint64_t pass = 0;

	if (named && !ts_columns_gather(&f->a.c, TS_COLUMN_NAME, place, n, name)) {
		f->a.untrue = true;
		return 0;
	}
	for (int i = 0; i < n; i++)
		if ((!named || will_do(f, name[i])) && ((named && f->alone) || passes(f, place[i])))
			pass |= UINT64_C(1) << i;
	return pass;
}

static enum ts_code
add(struct first *f, int64_t place, struct ts_err *err)
{
	if (places(f) == MOST) {
		f->over = true;
		return TS_OK;
	}
	return ts_pile_add(&f->place, &place, sizeof(place), f->a.p->l->v->cache, err);
}

/* --- orders of all rows --------------------------------------------------------------------------- */

static bool
is_usable(const struct ts_variable_list *order, const struct ts_variables *v,
	enum ts_variable_sort sort)
{
	return order && order->v == v && order->sort == sort && order->filter.count == 0 &&
		atomic_load(&order->ready);
}

/* The place at position i of an order of all rows, read in this direction. */
static int64_t
order_at(const struct ts_variable_list *order, int64_t i, bool reverse)
{
	if (reverse && i < order->known)
		i = order->known - 1 - i;
	return order->natural ? i : (int64_t)variable_get(order->order, order->width, i);
}

/* --- all rows that pass --------------------------------------------------------------------------- */

/* The comparisons with a name without which node i is not so; *alone: it says nothing else. */
static uint32_t
names_of(const struct ts_filter *f, int i, bool *alone)
{
	const struct ts_filter_node *n = &f->node[i];
	uint32_t names;

	if (n->op == TS_FILTER_AND) {
		names = names_of(f, n->a, alone);
		return names | names_of(f, n->b, alone);
	}
	if (n->field == TS_VARIABLE_FIELD_NAME && n->op >= TS_FILTER_HAS &&
		n->op <= TS_FILTER_MATCHES)
		return UINT32_C(1) << n->text;
	*alone = false;
	return 0;
}

static int64_t
rows_of(struct first *f, int64_t name)
{
	int64_t from = f->a.c.before[name], to = f->a.c.before[name + 1];

	f->a.untrue |= from < 0 || to < from || to > f->a.c.rows;
	return f->a.untrue ? 0 : to - from;
}

/* What the second of two who ask has for itself. */
struct second {
	struct columns_asking a;
	struct variable_pass p;
	int64_t until; /* us, of its thread; 0: it has not begun */
};

struct two {
	struct first *f;
	struct second *second;
};

/* tw->second is NULL where there is no memory. Give to end_second() in every case. */
static enum ts_code
begin_second(struct two *tw, struct first *f, struct ts_err *err)
{
	struct second *x = ts_alloc(1, sizeof(*x));

	*tw = (struct two){f, x};
	if (!x)
		return ts_err_nomem(err);
	x->a.p = &x->p;
	x->p.l = f->a.p->l;
	x->p.asking.v = f->a.p->asking.v;
	memcpy(x->p.asking.tiles, f->a.p->asking.tiles, sizeof(x->p.asking.tiles)); /* lent */
	return ts_filter_use_init(&x->p.asking.use, &f->a.p->l->filter, err);
}

static void
end_second(struct two *tw)
{
	if (!tw->second)
		return;
	tw->f->late |= is_costly(tw->f) || ts_filter_use_costly(&tw->second->p.asking.use) > 0;
	tw->f->a.untrue |= tw->second->a.untrue;
	ts_filter_use_fini(&tw->second->p.asking.use);
	free(tw->second);
}

/* Each has its own clock; the second one's begins when it does. */
static bool
is_one_late(void *ctx, int who)
{
	struct two *tw = ctx;
	struct second *x = tw->second;

	if (who == 0)
		return is_late(tw->f);
	if (x->until == 0)
		x->until = ts_clock_thread_us() + WHOLE_US;
	return ts_clock_thread_us() > x->until || ts_cancelled(tw->f->cancel) ||
		ts_filter_use_costly(&x->p.asking.use) > 0;
}

static enum ts_code
ask_all_names(struct first *f, struct ts_err *err)
{
	struct two tw;
	enum ts_code code = begin_second(&tw, f, err);
	bool stopped;

	if (!code) {
		f->a.untrue |= !ts_name_answers_all(&f->a.names, &tw.second->a, is_one_late, &tw,
			&stopped);
		f->late |= stopped;
	}
	end_second(&tw);
	return code;
}

/* Each distinct name is asked. *rows: so many have one that will do. */
static enum ts_code
ask_names(struct first *f, int64_t *rows, struct ts_err *err)
{
	const uint32_t need = f->names | f->names << VARIABLE_SURE;
	const uint32_t *answer = f->a.names.answer.memory;
	int64_t names = f->a.c.names;
	enum ts_code code;

	*rows = 0;
	f->wanted = ts_alloc((size_t)names / 64 + 1, sizeof(*f->wanted));
	if (!f->wanted)
		return ts_err_nomem(err);
	code = ask_all_names(f, err);
	if (code || f->late || f->a.untrue)
		return code;
	for (int64_t g = 0; g * TS_COLUMN_NAMES < names && !f->a.untrue; g++) {
		int64_t from = g * TS_COLUMN_NAMES;
		uint64_t is = 0;

		if (!ts_name_answers_asks(&f->a.names, g))
			continue;
		for (int k = 0; k < TS_COLUMN_NAMES && from + k < names; k++)
			is |= (uint64_t)((answer[from + k] & need) == need) << k;
		f->wanted[from / 64] |= is << from % 64;
		for (; is; is &= is - 1)
			*rows += rows_of(f, from + __builtin_ctzll(is));
		f->a.untrue |= *rows > f->a.c.rows;
	}
	return TS_OK;
}

static enum ts_code
pick_block(struct first *f, int64_t block, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	uint16_t k[TS_COLUMN_ROWS];
	int n = ts_columns_pick(&f->a.c, block, f->wanted, TS_COLUMN_ROWS, k);

	f->a.untrue |= n < 0;
	for (int i = 0; i < n && !code; i++) {
		int64_t place = f->a.c.start[block] + k[i];

		if (f->alone || passes(f, place))
			code = add(f, place, err);
	}
	return code;
}

/* The rows of a block that pass, into `place`. */
static enum ts_code
ask_block(struct columns_asking *a, struct ts_pile *place, int64_t block,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct columns_answer x = {0};
	enum ts_code code = TS_OK;

	variable_columns_ask(a, block, &x);
	for (int w = 0; w * 64 < a->rows && !a->untrue; w++) {
		uint64_t left = x.yes[w];

		if (a->rows - w * 64 < 64)
			left &= (UINT64_C(1) << (a->rows - w * 64)) - 1;
		for (; left && !code; left &= left - 1) {
			int64_t at = a->c.start[block] + w * 64 + __builtin_ctzll(left);

			code = ts_pile_add(place, &at, sizeof(at), cache, err);
		}
	}
	return code;
}

/* Blocks that two ask about; what passes is put together at the end. */
struct asking_blocks {
	struct two tw;
	struct ts_pile place[TS_BESIDE]; /* int64_t */
	struct ts_err err[TS_BESIDE];
	enum ts_code code[TS_BESIDE];
	_Atomic int64_t next;
	atomic_bool stopped;
};

static void
ask_blocks(void *ctx, int who)
{
	struct asking_blocks *x = ctx;
	struct first *f = x->tw.f;
	struct columns_asking *a = who == 0 ? &f->a : &x->tw.second->a;
	int64_t b;

	while (!atomic_load(&x->stopped) &&
		(b = atomic_fetch_add(&x->next, LOOK)) < f->a.c.blocks) {
		for (int64_t end = ts_min_i64(b + LOOK, f->a.c.blocks);
			b < end && !x->code[who] && !a->untrue; b++)
			x->code[who] = ask_block(a, &x->place[who], b, f->a.p->l->v->cache,
				&x->err[who]);
		if (x->code[who] || a->untrue || is_one_late(&x->tw, who) ||
			x->place[who].used > MOST * sizeof(int64_t))
			atomic_store(&x->stopped, true);
	}
}

/* All rows are asked, by two threads where that is quicker. */
static enum ts_code
take_by_two(struct first *f, struct ts_err *err)
{
	struct asking_blocks x = {.next = 0};
	enum ts_code code = begin_second(&x.tw, f, err);

	if (!code)
		code = variable_columns_begin(&x.tw.second->a, &x.tw.second->p, &f->a.c, err);
	if (!code && f->a.c.blocks >= BOTH_BLOCKS)
		ts_beside(ask_blocks, &x);
	else if (!code)
		ask_blocks(&x, 0);
	f->late |= atomic_load(&x.stopped);
	for (int who = 0; who < TS_BESIDE; who++) {
		if (!code && x.code[who])
			code = ts_err_set(err, x.code[who], "%s", x.err[who].msg);
		if (!code && x.place[who].used > 0)
			code = ts_pile_add(&f->place, x.place[who].memory, x.place[who].used,
				f->a.p->l->v->cache, err);
		ts_pile_fini(&x.place[who]);
	}
	f->over |= places(f) > MOST;
	if (x.tw.second)
		ts_name_answers_fini(&x.tw.second->a.names);
	end_second(&x.tw);
	return code;
}

/* The set bits of a list that is ready. */
static enum ts_code
take_bits(struct first *f, struct ts_err *err)
{
	const uint64_t *word = f->bits->bit.memory;
	enum ts_code code = TS_OK;

	for (int64_t w = 0; w * 64 < f->bits->v->rows && !code && !f->over; w++)
		for (uint64_t left = word[w]; left && !code; left &= left - 1)
			code = add(f, w * 64 + __builtin_ctzll(left), err);
	return code;
}

/* The rows with a name: in an order by name they stand together. */
static enum ts_code
take_rows_named(struct first *f, int64_t name, struct ts_err *err)
{
	const struct ts_variable_list *l = f->by_name;
	int64_t from = f->a.c.before[name], to = from + rows_of(f, name);
	int64_t place[TS_COLUMN_GATHER], v[TS_COLUMN_GATHER];
	enum ts_code code = TS_OK;

	f->a.untrue |= to > l->known;
	while (from < to && !f->a.untrue && !f->over && !code) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, to - from);

		for (int i = 0; i < n; i++)
			place[i] = order_at(l, from + i, false);
		f->a.untrue |= !ts_columns_gather(&f->a.c, TS_COLUMN_NAME, place, n, v);
		for (int i = 0; i < n && !f->a.untrue && !code; i++) {
			f->a.untrue |= v[i] != name;
			if (f->alone || passes(f, place[i]))
				code = add(f, place[i], err);
		}
		from += n;
		if (from < to && is_late(f))
			f->over = true; /* not all are here: others answer */
	}
	return code;
}

static enum ts_code
take_named(struct first *f, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t taken = 0;

	for (int64_t i = 0; i < f->a.c.names && !code && !f->over && !f->a.untrue; i++) {
		if (!is_wanted(f, i))
			continue;
		code = take_rows_named(f, i, err);
		if (++taken % LOOK == 0 && is_late(f))
			f->over = true; /* not all are here: others answer */
	}
	return code;
}

static enum ts_code
take_all(struct first *f, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	f->place.used = 0;
	if (f->bits)
		return take_bits(f, err);
	set_bound(f, f->wanted && !f->many ? WHOLE_US : NUMBERS_US);
	if (!f->wanted)
		return take_by_two(f, err);
	if (f->by_name && !f->many)
		return take_named(f, err);
	for (int64_t b = 0; b < f->a.c.blocks && !code; b++) {
		f->late |= b % LOOK == 0 && is_late(f);
		if (f->late || f->a.untrue || f->over)
			break;
		code = pick_block(f, b, err);
	}
	return code;
}

/* --- the first ones ----------------------------------------------------------------------------------- */

/* Does the order say where each name stands? */
static bool
knows_names(const struct first *f, const struct ts_variable_list *order)
{
	return f->names && order->names > 0 && order->names == f->a.c.names;
}

/* Where a name begins in an order that says so, read in this direction; -1: nowhere. */
static int64_t
begins_at(struct first *f, const struct ts_variable_list *order, bool reverse, int64_t name)
{
	f->a.untrue |= name >= order->names;
	return f->a.untrue ? -1 : variable_name_at(order, name, reverse);
}

/* Where the first row with a name that will do stands in an order. */
static int64_t
first_with_name(struct first *f, const struct ts_variable_list *order, bool reverse)
{
	const uint32_t *begin = order->begin[reverse];

	if (!knows_names(f, order))
		return 0;
	for (int64_t i = 0; i < order->names && !f->a.untrue; i++)
		if (will_do(f, begin[i]) || (i % LOOK == 0 && is_late(f)))
			return begins_at(f, order, reverse, begin[i]);
	return order->count;
}

/* The first rows along an order; *end: these are all. */
static enum ts_code
walk_order(struct first *f, const struct ts_variable_list *order, bool *end, struct ts_err *err)
{
	bool reverse = atomic_load(&f->a.p->l->reverse);
	enum ts_code code = TS_OK;
	int64_t place[TS_COLUMN_GATHER], i = first_with_name(f, order, reverse);

	while (i < order->count && !code && places(f) < FIRST && !f->a.untrue && !is_late(f)) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, order->count - i);

		for (int k = 0; k < n; k++)
			place[k] = order_at(order, i + k, reverse);
		for (uint64_t left = which_pass(f, place, n); left && !code; left &= left - 1)
			code = add(f, place[__builtin_ctzll(left)], err);
		i += n;
	}
	*end = i == order->count && !f->a.untrue;
	return code;
}

/* The same as rows stand. */
static enum ts_code
walk_blocks(struct first *f, bool *end, struct ts_err *err)
{
	bool reverse = atomic_load(&f->a.p->l->reverse);
	int64_t blocks = f->a.c.blocks, b;
	enum ts_code code = TS_OK;

	for (b = 0; b < blocks && !code && places(f) < FIRST && !f->a.untrue; b++) {
		int64_t block = reverse ? blocks - 1 - b : b;

		if (is_late(f))
			break;
		code = f->wanted ? pick_block(f, block, err)
				 : ask_block(&f->a, &f->place, block, f->a.p->l->v->cache, err);
	}
	*end = b == blocks;
	return code;
}

/* Rows, at most TS_COLUMN_GATHER, as they are compared. */
static void
keyed_rows(struct keyed *out, struct first *f, const struct ts_variable_list *l, int column,
	const int64_t *place, int n)
{
	bool reverse = atomic_load(&l->reverse), falls = ts_variable_sort_falls(l->sort) != reverse;
	int64_t v[TS_COLUMN_GATHER];
	bool has = column >= 0 && ts_columns_gather(&f->a.c, (enum ts_column)column, place, n, v);

	f->a.untrue |= column >= 0 && !has;
	for (int i = 0; i < n; i++) {
		uint64_t code = has   ? variable_columns_code(&f->a.c, column, v[i])
			: column >= 0 ? VARIABLE_UNKNOWN
				      : 0;

		out[i] = code == VARIABLE_UNKNOWN
			? (struct keyed){1, 0, place[i], place[i]}
			: (struct keyed){0, falls ? ~code : code, reverse ? -place[i] : place[i],
				  place[i]};
	}
}

static struct keyed
keyed_of(struct first *f, const struct ts_variable_list *l, int column, int64_t place)
{
	struct keyed k;

	keyed_rows(&k, f, l, column, &place, 1);
	return k;
}

static int
compare(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	if (a->unknown != b->unknown)
		return a->unknown < b->unknown ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->tie > b->tie) - (a->tie < b->tie);
}

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
	qsort(e->k, (size_t)e->have, sizeof(*e->k), compare);
	e->cut |= e->have >= e->most;
	e->have = ts_min_i64(e->have, e->most);
	e->sorted = true;
}

/* Could it be among them? */
static bool
earliest_wants(const struct earliest *e, const struct keyed *k)
{
	return !e->cut || compare(k, &e->k[e->most - 1]) <= 0;
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
offer_rows(struct earliest *e, struct first *f, const struct ts_variable_list *l, int column)
{
	const int64_t *place = f->place.memory;
	struct keyed k[TS_COLUMN_GATHER];

	for (int64_t i = 0; i < places(f); i += TS_COLUMN_GATHER) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, places(f) - i);

		keyed_rows(k, f, l, column, place + i, n);
		for (int j = 0; j < n; j++)
			earliest_offer(e, &k[j]);
	}
}

/* The first `most` of the rows that pass, in order; *n of them. NULL: no memory. */
static struct keyed *
put_in_order(struct first *f, const struct ts_variable_list *l, int column, int64_t most,
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
are_first(struct first *f, struct earliest *e, const struct ts_variable_list *order, int column,
	int64_t next)
{
	struct keyed at;

	if (e->have < FIRST)
		return false;
	if (!e->sorted)
		earliest_sort(e);
	at = keyed_of(f, f->a.p->l, column,
		order_at(order, next, atomic_load(&f->a.p->l->reverse)));
	return compare(&e->k[FIRST - 1], &at) < 0 && !f->a.untrue;
}

/* The rows with a name, as far as they could be among the first. */
static void
offer_named(struct earliest *e, struct first *f, int column, int64_t name)
{
	int64_t from = f->a.c.before[name], to = from + rows_of(f, name), place[TS_COLUMN_GATHER];
	struct keyed k[TS_COLUMN_GATHER];

	f->a.untrue |= to > f->by_name->known;
	while (from < to && !f->a.untrue && !f->over) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, to - from);

		for (int i = 0; i < n; i++)
			place[i] = order_at(f->by_name, from + i, false);
		keyed_rows(k, f, f->a.p->l, column, place, n);
		for (int i = 0; i < n && !f->a.untrue; i++) {
			int64_t of;

			if (!earliest_wants(e, &k[i]))
				continue;
			f->a.untrue |= !ts_columns_at(&f->a.c, TS_COLUMN_NAME, place[i], &of) ||
				of != name;
			if (f->alone || passes(f, place[i]))
				earliest_offer(e, &k[i]);
		}
		from += n;
		f->over = from < to && is_late(f);
	}
}

/*
 * The first rows with the names, where the order says where each name begins: names are asked as they begin, and all rows taken of
 * those that will do, until enough rows stand before the place where the next name begins. Names that begin behind it
 * are not asked, and rows that are large and have other names, however many there are, are never looked at. Where there are
 * enough rows in time, and it is only not known yet that no others come before, it may take longer.
 */
static enum ts_code
walk_names(struct first *f, const struct ts_variable_list *order, int column, int64_t us,
	bool *done, struct ts_err *err)
{
	bool reverse = atomic_load(&f->a.p->l->reverse), longer = false;
	const uint32_t *begin = order->begin[reverse];
	enum ts_code code = TS_OK;
	struct earliest e;

	if (!earliest_init(&e, FIRST))
		return ts_err_nomem(err);
	set_bound(f, us);
	for (int64_t i = 0, seen = LOOK; i < order->names; i++) {
		bool does = will_do(f, begin[i]);

		seen += does ? LOOK / AT_ONCE : 1;
		if (seen >= LOOK) {
			int64_t at = begins_at(f, order, reverse, begin[i]);

			seen = 0;
			*done = at >= 0 && are_first(f, &e, order, column, at);
			if (at < 0 || *done || f->a.untrue || f->over)
				break;
			if (is_late(f)) {
				if (longer || e.have < FIRST)
					break;
				longer = true;
				set_bound(f, WALK_US);
			}
		}
		if (does)
			offer_named(&e, f, column, begin[i]);
	}
	if (*done)
		code = show_keyed(f->a.p->l, e.k, FIRST, err);
	free(e.k);
	f->over = false; /* there are other ways */
	return code;
}

/* These are all rows of the list, in its order: it is ready. */
static enum ts_code
finish(struct first *f, const struct keyed *k, int64_t n, struct ts_err *err)
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
		bytes = value(f, TS_COLUMN_BYTES);
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

		word[k[i].place / 64] |= UINT64_C(1) << k[i].place % 64;
		if (ordered)
			variable_put(l->made.memory, p->place_width, to, (uint64_t)k[i].place);
	}
	for (int64_t b = 0; (b + 1) * TS_VARIABLE_BLOCK <= l->v->rows; b++) {
		before[b + 1] = before[b];
		for (int w = 0; w < TS_VARIABLE_BLOCK / 64; w++)
			before[b + 1] += (uint64_t)__builtin_popcountll(
				word[b * (TS_VARIABLE_BLOCK / 64) + w]);
	}
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
answer(struct first *f, int column, bool all, bool *done, struct ts_err *err)
{
	struct ts_variable_list *l = f->a.p->l;
	bool full = all && places(f) <= FULL;
	enum ts_code code = TS_OK;
	struct keyed *k;
	int64_t n;

	k = put_in_order(f, l, column, full ? FULL : FIRST, &n);
	if (!k)
		return ts_err_nomem(err);
	if (!f->a.untrue)
		code = full ? finish(f, k, n, err) : show_keyed(l, k, n, err);
	*done = !code && !f->a.untrue;
	free(k);
	return code;
}

/* Are these all rows that pass? */
static bool
is_sure(const struct first *f)
{
	return !f->late && !f->over && !f->a.untrue && !is_costly(f);
}

/* Along the order, for so long. *done: the first rows are shown; *all: those that were found are all. */
static enum ts_code
walk(struct first *f, const struct ts_variable_list *order, int column, int64_t us, bool *all,
	bool *done, struct ts_err *err)
{
	struct ts_variable_list *l = f->a.p->l;
	enum ts_code code = TS_OK;

	f->place.used = 0;
	set_bound(f, us);
	if (l->sort == TS_SORT_ROW)
		code = walk_blocks(f, all, err);
	else if (is_usable(order, l->v, l->sort))
		code = walk_order(f, order, all, err);
	if (code || f->a.untrue || places(f) < FIRST)
		return code;
	if (l->sort == TS_SORT_ROW) /* of a block all are there, in its order */
		return answer(f, column, false, done, err);
	code = show(l, f->place.memory, places(f), err);
	*done = !code;
	return code;
}

/* What names there are of those that are asked for, and whether many rows have one. *none: no row has. */
static enum ts_code
look_at_names(struct first *f, bool *none, struct ts_err *err)
{
	enum ts_code code;
	int64_t rows;

	*none = false;
	if (f->names == 0)
		return TS_OK;
	set_bound(f, WHOLE_US);
	code = ask_names(f, &rows, err);
	*none = rows == 0;
	f->many = rows > f->a.c.rows / MANY;
	return code;
}

/* Would it take long to ask all names? */
static bool
are_names_many(const struct first *f)
{
	return f->names != 0 && f->a.names.groups > FEW_GROUPS;
}

static enum ts_code
find_first(struct first *f, const struct ts_variable_list *order, bool *done, struct ts_err *err)
{
	struct ts_variable_list *l = f->a.p->l;
	bool all = false, none, sorted, named;
	int column;
	enum ts_code code = TS_OK;

	sorted = variable_columns_sort(&column, &f->a.c, l->sort);
	named = sorted && is_usable(order, l->v, l->sort) && f->by_name && knows_names(f, order);
	if (f->names == 0 || are_names_many(f))
		code = walk(f, order, column, GLANCE_US, &all, done, err);
	if (!code && !*done && !all && named && are_names_many(f))
		code = walk_names(f, order, column, ASK_US, done, err);
	if (code || *done || f->a.untrue || (all && !sorted))
		return code;
	if (all)
		return answer(f, column, true, done, err);
	code = look_at_names(f, &none, err);
	if (!code && f->many && !f->late && named)
		code = walk_names(f, order, column, WALK_US, done, err);
	if (!code && f->many && !f->late && !*done)
		code = walk(f, order, column, WALK_US, &all, done, err);
	if (code || *done || f->a.untrue || f->late || !sorted)
		return code;
	if (none)
		f->place.used = 0;
	else if (!all)
		code = take_all(f, err);
	if (code || !is_sure(f))
		return code;
	return answer(f, column, true, done, err);
}

/* --- the next hit --------------------------------------------------------------------------------- */

/* Is x nearer than y, going in this direction from `from`, which comes last? */
static bool
is_nearer(const struct keyed *x, const struct keyed *y, const struct keyed *from, int by)
{
	bool around_x = compare(x, from) * by <= 0, around_y = compare(y, from) * by <= 0;

	return around_x != around_y ? around_y : compare(x, y) * by < 0;
}

/* Where a row of the list stands in it; -1: the order is not what it says. */
static int64_t
position_of(struct first *f, const struct ts_variable_list *l, int column, const struct keyed *k)
{
	int64_t low = 0, high = l->count;

	if (l->natural)
		return ts_variable_list_find(l, k->place, NULL);
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		struct keyed at = keyed_of(f, l, column, ts_variable_list_place(l, middle));

		if (compare(&at, k) <= 0)
			low = middle;
		else
			high = middle;
	}
	return ts_variable_list_place(l, low) == k->place ? low : -1;
}

/* Along the list. *all: it was gone through, and there is none. */
static bool
walk_list(struct first *f, const struct ts_variable_list *l, int64_t position, int by, int64_t *at,
	bool *all)
{
	int64_t place[TS_COLUMN_GATHER], where[TS_COLUMN_GATHER];

	for (int64_t i = 0; i < l->count && !f->a.untrue;) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, l->count - i);
		uint64_t pass;

		if (is_late(f))
			return false;
		for (int k = 0; k < n; k++) {
			position += by;
			position = position >= l->count ? 0
				: position < 0		? l->count - 1
							: position;
			where[k] = position;
			place[k] = ts_variable_list_place(l, position);
		}
		pass = which_pass(f, place, n);
		if (pass && !f->a.untrue) {
			*at = where[__builtin_ctzll(pass)];
			return true;
		}
		i += n;
	}
	*all = !f->a.untrue;
	return false;
}

/* Of the rows that pass. */
static void
nearest(struct first *f, struct ts_variable_next *out, const struct ts_variable_list *l, int column,
	int64_t position, int by)
{
	const int64_t *place = f->place.memory;
	struct keyed from = keyed_of(f, l, column, ts_variable_list_place(l, position)), best = {0};
	bool found = false;

	for (int64_t i = 0; i < places(f); i++) {
		struct keyed k;

		if (!ts_variable_list_has(l, place[i]))
			continue;
		k = keyed_of(f, l, column, place[i]);
		if (!found || is_nearer(&k, &best, &from, by))
			best = k;
		found = true;
	}
	if (found)
		out->at = position_of(f, l, column, &best);
	out->none = places(f) == 0;
	out->done = !f->a.untrue && (!found || out->at >= 0);
}

/* How far it is to position x from `position`, going forwards and around. */
static int64_t
distance(int64_t x, int64_t position, int64_t count)
{
	return x > position ? x - position : x - position + count;
}

/*
 * Forwards in an order of all rows that says where each name begins: of names that begin behind the position the first
 * place is enough. Only rows of those that have begun before are looked for, where few enough have such a name.
 */
static enum ts_code
seek_names(struct first *f, struct ts_variable_next *out, const struct ts_variable_list *l,
	int column, int64_t position, int64_t us, struct ts_err *err)
{
	bool reverse = atomic_load(&l->reverse);
	const uint32_t *begin = l->begin[reverse];
	int64_t next = -1, rows = 0, at;
	enum ts_code code = TS_OK;

	f->place.used = 0;
	set_bound(f, us);
	for (int64_t i = 0; i < l->names && next < 0 && !code; i++) {
		if (i % LOOK == 0 && is_late(f))
			return TS_OK; /* there are other ways */
		if (!will_do(f, begin[i]))
			continue;
		at = begins_at(f, l, reverse, begin[i]);
		if (at < 0)
			break;
		if (at > position) {
			next = at;
			break;
		}
		rows += rows_of(f, begin[i]);
		if (rows > FULL)
			return TS_OK;
		code = take_rows_named(f, begin[i], err);
	}
	if (code || !is_sure(f)) {
		f->over = false;
		return code;
	}
	nearest(f, out, l, column, position, 1);
	out->none = false;
	if (next < 0 || (out->at >= 0 && distance(out->at, position, l->count) < next - position))
		return TS_OK;
	out->at = next;
	out->done = true;
	return TS_OK;
}

static enum ts_code
find_next(struct first *f, struct ts_variable_next *out, const struct ts_variable_list *l,
	int64_t position, int by, struct ts_err *err)
{
	bool all = false, none = false, named;
	enum ts_code code = TS_OK;
	int column;

	set_bound(f, GLANCE_US);
	out->done = walk_list(f, l, position, by, &out->at, &all);
	if (out->done || f->a.untrue || !variable_columns_sort(&column, &f->a.c, l->sort))
		return TS_OK;
	named = f->alone && by > 0 && l->filter.count == 0 && f->by_name && knows_names(f, l);
	if (named && are_names_many(f))
		code = seek_names(f, out, l, column, position, ASK_US, err);
	if (!f->bits && !code && !out->done)
		code = look_at_names(f, &none, err);
	if (!code && f->many && !f->late && named)
		code = seek_names(f, out, l, column, position, WALK_US, err);
	if (!code && f->many && !f->late && !out->done) {
		set_bound(f, WALK_US);
		out->done = walk_list(f, l, position, by, &out->at, &all);
	}
	if (code || out->done || f->late)
		return code;
	if (none)
		f->place.used = 0;
	else
		code = take_all(f, err);
	if (!code && is_sure(f))
		nearest(f, out, l, column, position, by);
	return code;
}

/* --- begin and end -------------------------------------------------------------------------------- */

/* Sets of tiles that take a pass of their own are not for those who wait. */
static bool
asks_of_tiles_by_name(const struct ts_filter *f)
{
	for (int i = 0; i < f->count; i++)
		if (f->node[i].op == TS_FILTER_IN && strstr(f->text + f->node[i].a, "using"))
			return true;
	return false;
}

/* *out NULL: the columns cannot say. */
static enum ts_code
begin(struct first **out, struct ts_variable_list *l, const struct ts_variable_list *by_name,
	struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_columns c;
	struct first *f;
	struct variable_pass *p;
	enum ts_code code;

	*out = NULL;
	if (l->filter.count == 0 || !variable_columns_can(&c, l, rd->index) ||
		asks_of_tiles_by_name(&l->filter))
		return TS_OK;
	f = ts_alloc(1, sizeof(*f));
	p = ts_alloc(1, sizeof(*p));
	if (!f || !p) {
		free(f);
		free(p);
		return ts_err_nomem(err);
	}
	p->l = l;
	p->rd = rd;
	p->place_width = l->v->rows < UINT32_MAX ? 4 : 8;
	f->cancel = cancel;
	f->by_name = is_usable(by_name, l->v, TS_SORT_NAME) ? by_name : NULL;
	f->a.p = p;
	*out = f;
	f->alone = true;
	f->names = names_of(&l->filter, l->filter.count - 1, &f->alone);
	code = ts_variable_asking_init(&p->asking, &l->filter, l->v, &l->selected, rd, NULL, err);
	return code ? code : variable_columns_begin(&f->a, p, &c, err);
}

/* Who was told to stop has no answer. */
static enum ts_code
end(struct first *f, enum ts_code code, bool done, struct ts_err *err)
{
	if (!code && !done && f && ts_cancelled(f->cancel))
		code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (!f)
		return code;
	ts_name_answers_fini(&f->a.names);
	ts_variable_asking_fini(&f->a.p->asking);
	ts_pile_fini(&f->place);
	free(f->wanted);
	free(f->a.p);
	free(f);
	return code;
}

enum ts_code
ts_variable_list_first(struct ts_variable_list *l, bool *done, const struct ts_variable_list *order,
	const struct ts_variable_list *by_name, struct ts_reader *rd,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct first *f;
	enum ts_code code = begin(&f, l, by_name, rd, cancel, err);

	*done = false;
	if (!code && f)
		code = find_first(f, order, done, err);
	return end(f, code, *done, err);
}

enum ts_code
ts_variable_list_seek(struct ts_variable_next *out, const struct ts_variable_list *l,
	struct ts_variable_list *hits, const struct ts_variable_list *by_name, int64_t position,
	int by, struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct first *f = NULL;

	*out = (struct ts_variable_next){.at = -1};
	if (atomic_load(&l->ready) && position >= 0 && position < l->count)
		code = begin(&f, hits, by_name, rd, cancel, err);
	if (!code && f) {
		f->bits = atomic_load_explicit(&hits->ready, memory_order_acquire) ? hits : NULL;
		code = find_next(f, out, l, position, by, err);
	}
	return end(f, code, out->done, err);
}
