/* SPDX-License-Identifier: MIT */
/*
 * table_sort - see the header.
 *
 * First each row is asked once: does it pass, what is its key, what does it add to the sums. Then the keys are merged, in
 * runs of 1, 2, 4, ... (stable, n log n whatever the rows are); many whole numbers are put in order by their digits, the
 * lowest first, which looks at each a few times only. All of it can stop after any row, so that the thread that
 * draws never gives more than a few milliseconds to it. Keys are numbers, or the first eight bytes of a text: texts are
 * asked for again where these are the same, and never kept; where texts are numbered in their order their numbers are the keys.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "table_sort.h"

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"

/* That a filter, comparing texts, and asking for one (which is mostly written for it) are worth. */
enum { FILTER_LOOKS = 16, TEXT_LOOKS = 4, ASK_LOOKS = 32 };

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	DIGITS_FROM = 1024, /* keys: fewer are merged */
};

/* Numbers before texts; what is not known comes last whichever way it goes. */
enum key_kind { KEY_INTEGER, KEY_REAL, KEY_TEXT, KEY_NONE };

struct key {
	union {
		int64_t integer;
		double real;
		uint64_t text; /* its first bytes, the first one on top */
	} v;
	uint32_t row;
	enum key_kind kind;
};

/* What rows that follow each other said. */
struct asked {
	struct key *key; /* of those that pass */
	int64_t count;
	bool mixed;	     /* some keys are neither integers nor unknown */
	int64_t least, most; /* integer */
	double sum[TS_TABLE_COLUMNS];
};

struct table_sort {
	struct table_filter filter; /* lies where it is */
	struct key *key, *room;
	int64_t rows, next, count; /* of the view; that is asked next; that pass */
	struct asked asked;
	int64_t width;		/* of the runs that are merged; 0 = rows are still asked */
	int64_t from, a, b, to; /* the merge that is under way */
	int column;
	bool descending, filtered;
	bool sums[TS_TABLE_COLUMNS]; /* what columns have can be added up */

	/* by digits */
	int digits, digit; /* of a key (0: they are merged); the one under way */
	bool counted; /* `place` is where the next key with a digit goes, else how many have it so far */
	int64_t at; /* the next key */
	uint32_t place[DIGITS];

	const struct ts_table_memory *memory; /* NULL: the usual one */
	enum ts_code other;		      /* what the second thread's filter came to */
	struct ts_err why;
};

static bool
value_of(const struct ts_table *t, int64_t row, int column, struct ts_table_value *v)
{
	v->type = TS_VALUE_NONE;
	return t->value(t->ctx, row, column, v) && v->type != TS_VALUE_NONE;
}

/* Memory for n of `size` bytes, at least one. */
static void *
get(const struct ts_table_memory *m, int64_t n, size_t size)
{
	size_t count = (size_t)ts_max_i64(n, 1);

	return m ? m->get(m->ctx, count * size) : ts_alloc(count, size);
}

static void
begin_asked(struct asked *a, struct key *key)
{
	*a = (struct asked){.key = key, .least = INT64_MAX, .most = INT64_MIN};
}

/* Texts add nothing. */
static void
find_sums(struct table_sort *s, const struct ts_table *t)
{
	for (int c = 0; t->facts && c < t->columns && c < TS_TABLE_COLUMNS; c++)
		s->sums[c] = t->facts[c].sum != TS_SUM_NONE;
	for (int i = 1; s->filter.field[i].name; i++)
		if (s->filter.field[i].type == TS_FILTER_NAME)
			s->sums[s->filter.column[i]] = false;
}

struct table_sort *
table_sort_new(const struct ts_table *t, int64_t rows, const struct ts_table_memory *memory)
{
	struct table_sort *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->rows = rows;
	s->column = t->order->sorted;
	s->descending = t->order->descending;
	s->memory = memory;
	s->key = get(memory, rows, sizeof(*s->key));
	begin_asked(&s->asked, s->key);
	if (table_filter_init(&s->filter, t, rows, t->order->filter, NULL) != TS_OK || !s->key) {
		table_sort_free(s);
		return NULL;
	}
	s->filtered = s->filter.filter.count > 0;
	find_sums(s, t);
	return s;
}

void
table_sort_free(struct table_sort *s)
{
	if (!s)
		return;
	table_filter_fini(&s->filter);
	if (!s->memory) {
		free(s->key);
		free(s->room);
	}
	free(s);
}

/* --- asking ----------------------------------------------------------------------------------- */

static uint64_t
first_bytes(const char *s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v = v << 8 | (i < n ? (unsigned char)s[i] : 0);
	return v;
}

static void
make_key(struct key *k, const struct ts_table *t, int column)
{
	struct ts_table_value v;

	k->kind = KEY_NONE;
	if (column < 0)
		return;
	if (t->rank && t->rank(t->ctx, k->row, column, &k->v.integer)) {
		k->kind = KEY_INTEGER;
		return;
	}
	if (!value_of(t, k->row, column, &v))
		return;
	if (v.type == TS_VALUE_INTEGER) {
		k->kind = KEY_INTEGER;
		k->v.integer = v.integer;
	} else if (v.type == TS_VALUE_REAL) {
		k->kind = KEY_REAL;
		k->v.real = v.real;
	} else {
		k->kind = KEY_TEXT;
		k->v.text = first_bytes(v.s, v.n);
	}
}

static void
add_up(struct asked *a, const struct table_sort *s, const struct ts_table *t, int64_t row)
{
	for (int c = 0; c < t->columns && c < TS_TABLE_COLUMNS; c++) {
		struct ts_table_value v;

		if (!s->sums[c] || !value_of(t, row, c, &v))
			continue;
		if (v.type == TS_VALUE_INTEGER)
			a->sum[c] += (double)v.integer;
		else if (v.type == TS_VALUE_REAL)
			a->sum[c] += v.real;
	}
}

static void
ask_row(struct asked *a, const struct table_sort *s, struct table_filter *f,
	const struct ts_table *t, int64_t row)
{
	struct key *k = &a->key[a->count];

	if (s->filtered && !table_filter_passes(f, row))
		return;
	if (s->filtered)
		add_up(a, s, t, row);
	k->row = (uint32_t)row;
	make_key(k, t, s->column);
	a->mixed |= k->kind != KEY_INTEGER && k->kind != KEY_NONE;
	if (k->kind == KEY_INTEGER) {
		a->least = ts_min_i64(a->least, k->v.integer);
		a->most = ts_max_i64(a->most, k->v.integer);
	}
	a->count++;
}

/* --- by two threads --------------------------------------------------------------------------- */

enum {
	PIECE = 2048,	       /* rows that one thread asks */
	BOTH_FROM = 4 * PIECE, /* rows: fewer take no longer than to begin a thread */
};

struct asking {
	const struct table_sort *s;
	const struct ts_table *t;
	const struct ts_cancel *cancel;
	struct table_filter *filter[TS_BESIDE];
	struct asked *piece; /* each with its keys where those of its rows are */
	_Atomic int64_t next;
};

static void
ask_pieces(void *ctx, int who)
{
	struct asking *x = ctx;
	int64_t rows = x->s->rows, from;

	while (!ts_cancelled(x->cancel) && (from = atomic_fetch_add(&x->next, PIECE)) < rows) {
		struct asked *a = &x->piece[from / PIECE];

		begin_asked(a, x->s->key + from);
		for (int64_t i = from, end = ts_min_i64(from + PIECE, rows); i < end; i++)
			ask_row(a, x->s, x->filter[who], x->t, i);
	}
}

/* `more` comes behind. Sums are made in the order of the pieces: the same whoever asked them. */
static void
put_behind(struct asked *a, const struct asked *more)
{
	memmove(a->key + a->count, more->key, (size_t)more->count * sizeof(*a->key));
	a->count += more->count;
	a->mixed |= more->mixed;
	a->least = ts_min_i64(a->least, more->least);
	a->most = ts_max_i64(a->most, more->most);
	for (int c = 0; c < TS_TABLE_COLUMNS; c++)
		a->sum[c] += more->sum[c];
}

void
table_sort_ask(struct table_sort *s, const struct ts_table *t, const struct ts_cancel *cancel)
{
	struct asking x = {.s = s, .t = t, .cancel = cancel, .filter = {&s->filter}};
	int64_t pieces = (s->rows + PIECE - 1) / PIECE;
	struct table_filter other;

	if (s->rows < BOTH_FROM)
		return;
	s->filter.t = t;
	x.filter[1] = &other;
	x.piece = ts_alloc((size_t)pieces, sizeof(*x.piece));
	if (table_filter_init(&other, t, s->rows, t->order->filter, NULL) == TS_OK && x.piece) {
		ts_beside(ask_pieces, &x);
		for (int64_t i = 0; i < pieces && !ts_cancelled(cancel); i++)
			put_behind(&s->asked, &x.piece[i]);
		s->next = s->rows;
		s->other = ts_filter_use_check(&other.use, &s->why);
	}
	table_filter_fini(&other);
	free(x.piece);
}

/* --- order ------------------------------------------------------------------------------------ */

static int
compare_text(const struct ts_table *t, int column, const struct key *x, const struct key *y)
{
	struct ts_table_value a, b;
	int c;

	if (x->v.text != y->v.text)
		return x->v.text < y->v.text ? -1 : 1;
	if (!value_of(t, x->row, column, &a) || !value_of(t, y->row, column, &b) ||
		a.type != TS_VALUE_TEXT || b.type != TS_VALUE_TEXT)
		return 0;
	c = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);
	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static int
compare(const struct table_sort *s, const struct ts_table *t, const struct key *x,
	const struct key *y)
{
	int c;

	if (x->kind == KEY_NONE || y->kind == KEY_NONE)
		return (x->kind == KEY_NONE) - (y->kind == KEY_NONE);
	if ((x->kind == KEY_TEXT) != (y->kind == KEY_TEXT))
		return x->kind == KEY_TEXT ? 1 : -1;
	if (x->kind == KEY_TEXT) {
		c = compare_text(t, s->column, x, y);
	} else if (x->kind == KEY_INTEGER && y->kind == KEY_INTEGER) {
		c = (x->v.integer > y->v.integer) - (x->v.integer < y->v.integer);
	} else {
		double a = x->kind == KEY_REAL ? x->v.real : (double)x->v.integer;
		double b = y->kind == KEY_REAL ? y->v.real : (double)y->v.integer;

		c = (a > b) - (a < b);
	}
	return s->descending ? -c : c;
}

static void
swap_keys(struct table_sort *s)
{
	struct key *kept = s->key;

	s->key = s->room;
	s->room = kept;
}

/* The next two runs; false: all of this width are merged, and it is the next width. */
static void
begin_merge(struct table_sort *s, int64_t from)
{
	if (from + s->width >= s->count) { /* what is left is one run */
		memcpy(s->room + from, s->key + from, (size_t)(s->count - from) * sizeof(*s->key));
		swap_keys(s);
		s->width *= 2;
		from = 0;
	}
	s->from = s->a = from;
	s->b = ts_min_i64(from + s->width, s->count);
	s->to = ts_min_i64(from + 2 * s->width, s->count);
}

static int64_t
merge(struct table_sort *s, const struct ts_table *t, int64_t looks)
{
	int64_t middle = ts_min_i64(s->from + s->width, s->count);

	int cost = s->key[s->a < s->count ? s->a : 0].kind == KEY_TEXT ? TEXT_LOOKS : 1;

	for (; looks > 0 && (s->a < middle || s->b < s->to); looks -= cost) {
		int64_t at = s->a + (s->b - middle);
		bool first = s->a < middle &&
			(s->b == s->to || compare(s, t, &s->key[s->a], &s->key[s->b]) <= 0);

		s->room[at] = s->key[first ? s->a++ : s->b++];
	}
	if (s->a == middle && s->b == s->to)
		begin_merge(s, s->to);
	return looks;
}

/* --- by digits -------------------------------------------------------------------------------- */

/* How many a key has; 0: they are not to be put in order so. */
static int
digits_of(const struct table_sort *s)
{
	uint64_t range = (uint64_t)s->asked.most - (uint64_t)s->asked.least;

	if (s->asked.mixed || s->count < DIGITS_FROM || s->asked.least > s->asked.most ||
		range == UINT64_MAX)
		return 0;
	return (64 - __builtin_clzll(range + 1) + DIGIT_BITS - 1) / DIGIT_BITS;
}

/* What is not known comes behind all others. */
static size_t
digit_of(const struct table_sort *s, const struct key *k)
{
	uint64_t least = (uint64_t)s->asked.least, most = (uint64_t)s->asked.most;
	uint64_t number = most - least + 1;

	if (k->kind != KEY_NONE)
		number = s->descending ? most - (uint64_t)k->v.integer
				       : (uint64_t)k->v.integer - least;
	return number >> DIGIT_BITS * s->digit & (DIGITS - 1);
}

/* Each digit twice over the keys: how many have it, and then each goes to its place, equals as they came. */
static int64_t
order_digits(struct table_sort *s, int64_t looks)
{
	uint32_t before = 0;

	for (; looks > 0 && s->at < s->count; s->at++, looks--) {
		struct key *k = &s->key[s->at];
		uint32_t *place = &s->place[digit_of(s, k)];

		if (s->counted)
			s->room[*place] = *k;
		++*place;
	}
	if (s->at < s->count)
		return looks;
	s->at = 0;
	s->counted = !s->counted;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t n = s->place[i];

		s->place[i] = s->counted ? before : 0;
		before += n;
	}
	if (!s->counted) {
		swap_keys(s);
		s->digit++;
	}
	return looks;
}

/* --- begin, go on ----------------------------------------------------------------------------- */

static void
reverse(struct table_sort *s)
{
	for (int64_t i = 0; i < s->count / 2; i++) {
		struct key kept = s->key[i];

		s->key[i] = s->key[s->count - 1 - i];
		s->key[s->count - 1 - i] = kept;
	}
}

/* All rows are asked; false: nothing is to be merged. */
static bool
begin_order(struct table_sort *s)
{
	if (s->column < 0 && s->descending)
		reverse(s);
	s->room = s->column >= 0 && s->count > 1 ? get(s->memory, s->count, sizeof(*s->room))
						 : NULL;
	if (!s->room)
		return false; /* without memory: as the view has them */
	s->width = 1;
	s->digits = digits_of(s);
	if (s->digits == 0)
		begin_merge(s, 0);
	return true;
}

static bool
is_ordered(const struct table_sort *s)
{
	return s->digits > 0 ? s->digit == s->digits : s->width >= s->count;
}

/* Was the last row's key a text? */
static bool
asked_text(const struct table_sort *s)
{
	return s->count > 0 && s->key[s->count - 1].kind == KEY_TEXT;
}

bool
table_sort_step(struct table_sort *s, const struct ts_table *t, int64_t looks)
{
	s->filter.t = t;
	while (s->next < s->rows && looks > 0) {
		ask_row(&s->asked, s, &s->filter, t, s->next++);
		s->count = s->asked.count;
		looks -= asked_text(s) ? ASK_LOOKS : s->filtered ? FILTER_LOOKS : 1;
	}
	if (s->next < s->rows)
		return false;
	s->count = s->asked.count;
	if (s->width == 0 && !begin_order(s))
		return true;
	while (!is_ordered(s) && looks > 0)
		looks = s->digits > 0 ? order_digits(s, looks) : merge(s, t, looks);
	return is_ordered(s);
}

enum ts_code
table_sort_check(const struct table_sort *s, struct ts_err *err)
{
	if (s->other && err)
		*err = s->why;
	return s->other ? s->other : ts_filter_use_check(&s->filter.use, err);
}

uint32_t *
table_sort_take(struct table_sort *s, int64_t *count, bool *filtered, double sum[TS_TABLE_COLUMNS])
{
	uint32_t *row = get(s->memory, s->count, sizeof(*row));

	for (int64_t i = 0; row && i < s->count; i++)
		row[i] = s->key[i].row;
	*count = s->count;
	*filtered = s->filtered;
	memcpy(sum, s->asked.sum, sizeof(s->asked.sum));
	return row;
}
