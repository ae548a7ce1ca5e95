/* SPDX-License-Identifier: MIT */
/* variable_quick - see the header. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "variable_quick_internal.h"

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"

enum {
	MOST = 1 << 19,	      /* places that are kept */
	MANY = 500,	      /* one of so many rows passes: they are many */
	WHOLE_US = 30000,     /* all names, at most */
	NUMBERS_US = 40000,   /* a filter that names nothing */
	BOTH_BLOCKS = 1 << 8, /* so many take longer than to begin a thread */
};

/* --- one row ------------------------------------------------------------------------------------- */

int64_t
quick_value(struct quick *f, int column)
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
	struct quick *f = ctx;

	*v = quick_value(f,
		ts_column_find(ts_variable_field_column((enum ts_variable_field)field)));
	if (field == TS_VARIABLE_FIELD_IPU)
		*v = ts_variables_ipu(f->a.p->l->v, *v);
	else if (field == TS_VARIABLE_FIELD_ALWAYS && *v > 0)
		*v = 1;
	return *v >= 0;
}

static enum ts_truth
row_text(void *ctx, const struct ts_filter_node *n)
{
	struct quick *f = ctx;
	bool named = n->field == TS_VARIABLE_FIELD_NAME;
	int64_t v = quick_value(f, named ? TS_COLUMN_NAME : TS_COLUMN_CATEGORY);
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
	return ts_variable_asking_in(&((const struct quick *)ctx)->a.p->asking, n, v);
}

static bool
is_wanted(const struct quick *f, int64_t name)
{
	return name >= 0 && name < f->a.c.names && f->wanted[name / 64] >> name % 64 & 1;
}

bool
quick_passes(struct quick *f, int64_t place)
{
	const struct ts_filter_row row = {f, row_number, row_text, row_in, NULL};

	if (f->bits)
		return ts_variable_list_has(f->bits, place);
	f->at = place;
	return ts_filter_ask(&f->a.p->l->filter, &row) == TS_YES;
}

bool
quick_will_do(struct quick *f, int64_t name)
{
	const uint32_t need = f->names | f->names << VARIABLE_SURE;
	uint32_t bits = 0;

	if (f->wanted)
		return is_wanted(f, name);
	f->a.untrue |= !ts_name_answers_one(&f->a.names, name, &bits);
	return (bits & need) == need;
}

uint64_t
quick_which_pass(struct quick *f, const int64_t *place, int n)
{
	int64_t name[TS_COLUMN_GATHER];
	bool named = f->names != 0 && !f->bits;
	uint64_t pass = 0;

	if (named && !ts_columns_gather(&f->a.c, TS_COLUMN_NAME, place, n, name)) {
		f->a.untrue = true;
		return 0;
	}
	for (int i = 0; i < n; i++)
		if ((!named || quick_will_do(f, name[i])) &&
			((named && f->alone) || quick_passes(f, place[i])))
			pass |= UINT64_C(1) << i;
	return pass;
}

enum ts_code
quick_add(struct quick *f, int64_t place, struct ts_err *err)
{
	if (quick_places(f) == MOST) {
		f->over = true;
		return TS_OK;
	}
	return ts_pile_add(&f->place, &place, sizeof(place), f->a.p->l->v->cache, err);
}

/* --- names ------------------------------------------------------------------------------------- */

int64_t
quick_begins_at(struct quick *f, const struct ts_variable_list *order, bool reverse, int64_t name)
{
	f->a.untrue |= name >= order->names;
	return f->a.untrue ? -1 : variable_name_at(order, name, reverse);
}

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

static bool
is_of_words(const struct ts_filter *f)
{
	for (int i = 0; i < f->count; i++)
		if (f->node[i].op == TS_FILTER_MATCHES)
			return false;
	return true;
}

int64_t
quick_rows_named(struct quick *f, int64_t name)
{
	int64_t from = f->a.c.before[name], to = f->a.c.before[name + 1];

	f->a.untrue |= from < 0 || to < from || to > f->a.c.rows;
	return f->a.untrue ? 0 : to - from;
}

/* What the second of two who ask has for itself. */
struct second {
	struct columns_asking a;
	struct variable_pass p;
	struct ts_bound bound;
	bool begun;
};

struct two {
	struct quick *f;
	struct second *second;
};

/* tw->second is NULL where there is no memory. Give to end_second() in every case. */
static enum ts_code
begin_second(struct two *tw, struct quick *f, struct ts_err *err)
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
	tw->f->late |= quick_is_costly(tw->f) ||
		ts_filter_use_costly(&tw->second->p.asking.use) > 0;
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
		return quick_is_late(tw->f);
	if (!x->begun)
		ts_bound_begin(&x->bound, WHOLE_US);
	x->begun = true;
	return ts_bound_is_over(&x->bound) || ts_cancelled(tw->f->cancel) ||
		ts_filter_use_costly(&x->p.asking.use) > 0;
}

static enum ts_code
ask_all_names(struct quick *f, struct ts_err *err)
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
ask_names(struct quick *f, int64_t *rows, struct ts_err *err)
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
			*rows += quick_rows_named(f, from + __builtin_ctzll(is));
		f->a.untrue |= *rows > f->a.c.rows;
	}
	return TS_OK;
}

enum ts_code
quick_look_at_names(struct quick *f, bool *none, struct ts_err *err)
{
	enum ts_code code;
	int64_t rows;

	*none = false;
	if (f->names == 0)
		return TS_OK;
	quick_set_bound(f, WHOLE_US);
	code = ask_names(f, &rows, err);
	*none = rows == 0;
	f->many = rows > f->a.c.rows / MANY;
	return code;
}

/* --- all rows that pass --------------------------------------------------------------------------- */

enum ts_code
quick_pick_block(struct quick *f, int64_t block, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	uint16_t k[TS_COLUMN_ROWS];
	int n = ts_columns_pick(&f->a.c, block, f->wanted, TS_COLUMN_ROWS, k);

	f->a.untrue |= n < 0;
	for (int i = 0; i < n && !code; i++) {
		int64_t place = f->a.c.start[block] + k[i];

		if (f->alone || quick_passes(f, place))
			code = quick_add(f, place, err);
	}
	return code;
}

enum ts_code
quick_ask_block(struct columns_asking *a, struct ts_pile *place, int64_t block,
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
	struct quick *f = x->tw.f;
	struct columns_asking *a = who == 0 ? &f->a : &x->tw.second->a;
	int64_t b;

	while (!atomic_load(&x->stopped) &&
		(b = atomic_fetch_add(&x->next, QUICK_LOOK)) < f->a.c.blocks) {
		for (int64_t end = ts_min_i64(b + QUICK_LOOK, f->a.c.blocks);
			b < end && !x->code[who] && !a->untrue; b++)
			x->code[who] = quick_ask_block(a, &x->place[who], b, f->a.p->l->v->cache,
				&x->err[who]);
		if (x->code[who] || a->untrue || is_one_late(&x->tw, who) ||
			x->place[who].used > MOST * sizeof(int64_t))
			atomic_store(&x->stopped, true);
	}
}

/* All rows are asked, by two threads where that is quicker. */
static enum ts_code
take_by_two(struct quick *f, struct ts_err *err)
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
	f->over |= quick_places(f) > MOST;
	if (x.tw.second)
		ts_name_answers_fini(&x.tw.second->a.names);
	end_second(&x.tw);
	return code;
}

/* The set bits of a list that is ready. */
static enum ts_code
take_bits(struct quick *f, struct ts_err *err)
{
	const uint64_t *word = f->bits->bit.memory;
	enum ts_code code = TS_OK;

	for (int64_t w = 0; w * 64 < f->bits->v->rows && !code && !f->over; w++)
		for (uint64_t left = word[w]; left && !code; left &= left - 1)
			code = quick_add(f, w * 64 + __builtin_ctzll(left), err);
	return code;
}

struct quick_rows
quick_rows_begin(struct quick *f, int64_t name)
{
	int64_t from = f->a.c.before[name], to = from + quick_rows_named(f, name);

	f->a.untrue |= to > f->by_name->known;
	return (struct quick_rows){from, to, from};
}

int
quick_rows_next(struct quick *f, struct quick_rows *r, int64_t place[TS_COLUMN_GATHER])
{
	int n = (int)ts_min_i64(TS_COLUMN_GATHER, r->to - r->next);

	if (n > 0 && r->next > r->from)
		f->over |= quick_is_late(f); /* not all are here: others answer */
	if (n <= 0 || f->over || f->a.untrue)
		return 0;
	for (int i = 0; i < n; i++)
		place[i] = quick_order_at(f->by_name, r->next + i, false);
	r->next += n;
	return n;
}

enum ts_code
quick_take_rows_named(struct quick *f, int64_t name, struct ts_err *err)
{
	struct quick_rows rows = quick_rows_begin(f, name);
	int64_t place[TS_COLUMN_GATHER], v[TS_COLUMN_GATHER];
	enum ts_code code = TS_OK;
	int n;

	while (!code && (n = quick_rows_next(f, &rows, place)) > 0) {
		f->a.untrue |= !ts_columns_gather(&f->a.c, TS_COLUMN_NAME, place, n, v);
		for (int i = 0; i < n && !f->a.untrue && !code; i++) {
			f->a.untrue |= v[i] != name;
			if (f->alone || quick_passes(f, place[i]))
				code = quick_add(f, place[i], err);
		}
	}
	return code;
}

/* The rows of all names that are wanted. */
static enum ts_code
take_named(struct quick *f, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t taken = 0;

	for (int64_t i = 0; i < f->a.c.names && !code && !f->over && !f->a.untrue; i++) {
		if (!is_wanted(f, i))
			continue;
		code = quick_take_rows_named(f, i, err);
		if (++taken % QUICK_LOOK == 0 && quick_is_late(f))
			f->over = true; /* not all are here: others answer */
	}
	return code;
}

enum ts_code
quick_take_all(struct quick *f, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	f->place.used = 0;
	if (f->bits)
		return take_bits(f, err);
	quick_set_bound(f, f->wanted && !f->many ? WHOLE_US : NUMBERS_US);
	if (!f->wanted)
		return take_by_two(f, err);
	if (f->by_name && !f->many)
		return take_named(f, err);
	for (int64_t b = 0; b < f->a.c.blocks && !code; b++) {
		f->late |= b % QUICK_LOOK == 0 && quick_is_late(f);
		if (f->late || f->a.untrue || f->over)
			break;
		code = quick_pick_block(f, b, err);
	}
	return code;
}

/* --- in order ------------------------------------------------------------------------------------ */

void
quick_key_rows(struct keyed *out, struct quick *f, const struct ts_variable_list *l, int column,
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

struct keyed
quick_key_row(struct quick *f, const struct ts_variable_list *l, int column, int64_t place)
{
	struct keyed k;

	quick_key_rows(&k, f, l, column, &place, 1);
	return k;
}

int
quick_compare(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	if (a->unknown != b->unknown)
		return a->unknown < b->unknown ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->tie > b->tie) - (a->tie < b->tie);
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

enum ts_code
quick_begin(struct quick **out, struct ts_variable_list *l, const struct ts_variable_list *by_name,
	struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_columns c;
	struct quick *f;
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
	f->by_name = quick_is_usable(by_name, l->v, TS_SORT_NAME) ? by_name : NULL;
	f->a.p = p;
	*out = f;
	f->words = is_of_words(&l->filter);
	f->alone = true;
	f->names = names_of(&l->filter, l->filter.count - 1, &f->alone);
	code = ts_variable_asking_init(&p->asking, &l->filter, l->v, &l->selected, rd, NULL, err);
	return code ? code : variable_columns_begin(&f->a, p, &c, err);
}

enum ts_code
quick_finish(struct quick *f, enum ts_code code, bool done, struct ts_err *err)
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
