/* SPDX-License-Identifier: MIT */
/*
 * table_order - see the header.
 *
 * A list of row numbers is made in one pass of the filter and one merge sort (stable, n log n whatever
 * the rows are); values are asked of the view, not kept. Sums are made in the same pass.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/table_order.h"

void
ts_table_order_init(struct ts_table_order *o)
{
	*o = (struct ts_table_order){.sorted = -1};
}

void
ts_table_order_fini(struct ts_table_order *o)
{
	free(o->row);
	ts_table_order_init(o);
}

/* --- filter ----------------------------------------------------------------------------------- */

enum test { HAS_TEXT, IS_MORE, IS_LESS, IS_AT_LEAST, IS_AT_MOST, IS_EQUAL };

struct word {
	enum test test;
	int column; /* -1: any */
	double number;
	const char *text; /* in `copy` of the filter */
};

struct filter {
	char copy[TS_TABLE_FILTER];
	struct word word[TS_TABLE_WORDS];
	int words;
};

static const struct {
	const char *sign;
	enum test test;
} signs[] = {{":", HAS_TEXT}, {">=", IS_AT_LEAST}, {"<=", IS_AT_MOST}, {">", IS_MORE},
	{"<", IS_LESS}, {"=", IS_EQUAL}};

static const struct {
	const char *name;
	double factor;
} powers[] = {{"", 1}, {"K", 1024}, {"KiB", 1024}, {"M", 1048576}, {"MiB", 1048576},
	{"G", 1073741824}, {"GiB", 1073741824}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"%", 1}};

static bool
number_of(const char *s, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(s, &end);
	if (end == s || errno)
		return false;
	for (size_t i = 0; i < TS_COUNT(powers); i++)
		if (strcmp(end, powers[i].name) == 0) {
			*out *= powers[i].factor;
			return true;
		}
	return false;
}

static int
column_of(const struct ts_table *t, const char *name, size_t n)
{
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		const char *is = ts_table_column_name(t, i);

		if (*is && strlen(is) == n && strncmp(is, name, n) == 0)
			return i;
	}
	return -1;
}

/* NAME, a sign, a value, when it begins with the name of a column; else a text. */
static enum ts_code
parse_word(struct word *w, const struct ts_table *t, char *s, struct ts_err *err)
{
	size_t n = strcspn(s, ":<>=");

	*w = (struct word){.column = -1, .text = s};
	w->column = s[n] && n > 0 ? column_of(t, s, n) : -1;
	if (w->column < 0 && s[n] && s[n] != ':')
		return ts_err_set(err, TS_E_USAGE, "filter: no column \"%.*s\" here",
			(int)ts_min_i64((int64_t)n, 40), s);
	if (w->column < 0)
		return TS_OK;
	for (size_t i = 0; i < TS_COUNT(signs); i++) {
		size_t len = strlen(signs[i].sign);

		if (strncmp(s + n, signs[i].sign, len) != 0)
			continue;
		w->test = signs[i].test;
		w->text = s + n + len;
		if (w->test == HAS_TEXT || number_of(w->text, &w->number))
			return TS_OK;
		return ts_err_set(err, TS_E_USAGE, "filter: \"%.60s\" is no number", w->text);
	}
	return TS_OK;
}

/* The next word, cut out in place; quotes keep blanks together. */
static char *
next_word(char **rest)
{
	char *s = *rest, *out, *word;
	bool quoted = false;

	while (*s == ' ')
		s++;
	if (!*s)
		return NULL;
	for (word = out = s; *s && (quoted || *s != ' '); s++) {
		if (*s == '"')
			quoted = !quoted;
		else
			*out++ = *s;
	}
	*rest = *s ? s + 1 : s;
	*out = '\0';
	return word;
}

static enum ts_code
parse(struct filter *f, const struct ts_table *t, const char *text, struct ts_err *err)
{
	char *rest = f->copy, *word;
	enum ts_code code = TS_OK;

	f->words = 0;
	if (snprintf(f->copy, sizeof(f->copy), "%s", text) >= (int)sizeof(f->copy))
		return ts_err_set(err, TS_E_USAGE, "filter: longer than %d bytes",
			TS_TABLE_FILTER - 1);
	while (!code && (word = next_word(&rest))) {
		if (f->words == TS_TABLE_WORDS)
			return ts_err_set(err, TS_E_USAGE, "filter: more than %d words",
				TS_TABLE_WORDS);
		code = parse_word(&f->word[f->words++], t, word, err);
	}
	return code;
}

enum ts_code
ts_table_filter_check(const struct ts_table *t, const char *filter, struct ts_err *err)
{
	struct filter f;

	return parse(&f, t, filter, err);
}

static double
real_of(const struct ts_table_value *v)
{
	return v->type == TS_VALUE_INTEGER ? (double)v->integer : v->real;
}

static bool
is_number(const struct ts_table_value *v)
{
	return v->type == TS_VALUE_INTEGER || v->type == TS_VALUE_REAL;
}

static bool
value_of(const struct ts_table *t, int64_t row, int column, struct ts_table_value *v)
{
	*v = (struct ts_table_value){.type = TS_VALUE_NONE};
	return t->value(t->ctx, row, column, v) && v->type != TS_VALUE_NONE;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* ASCII letters in any case. */
static bool
contains(const char *s, size_t n, const char *text)
{
	size_t len = strlen(text), i;

	for (size_t from = 0; from + len <= n; from++) {
		for (i = 0; i < len && lower(s[from + i]) == lower(text[i]); i++)
			;
		if (i == len)
			return true;
	}
	return false;
}

static bool
has_text(const struct ts_table_value *v, const char *text)
{
	char number[40];

	if (v->type == TS_VALUE_TEXT)
		return contains(v->s, v->n, text);
	if (v->type != TS_VALUE_INTEGER)
		return false;
	snprintf(number, sizeof(number), "%lld", (long long)v->integer);
	return strcmp(number, text) == 0; /* a number is one as a whole: tile 12 is not tile 312 */
}

static bool
holds(const struct word *w, const struct ts_table_value *v)
{
	double x = real_of(v);

	if (w->test == HAS_TEXT)
		return has_text(v, w->text);
	if (!is_number(v))
		return false;
	return w->test == IS_MORE	 ? x > w->number
		: w->test == IS_LESS	 ? x < w->number
		: w->test == IS_AT_LEAST ? x >= w->number
		: w->test == IS_AT_MOST	 ? x <= w->number
					 : x == w->number;
}

static bool
passes(const struct filter *f, const struct ts_table *t, int64_t row)
{
	for (int i = 0; i < f->words; i++) {
		const struct word *w = &f->word[i];
		bool found = false;

		for (int c = 0; c < t->columns && c < TS_TABLE_COLUMNS && !found; c++) {
			struct ts_table_value v;

			if ((w->column < 0 || w->column == c) && *ts_table_column_name(t, c))
				found = value_of(t, row, c, &v) && holds(w, &v);
		}
		if (!found)
			return false;
	}
	return true;
}

/* --- order ------------------------------------------------------------------------------------ */

static int
compare_text(const struct ts_table_value *x, const struct ts_table_value *y)
{
	int c = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);

	return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* Numbers before texts; what is not known comes last whichever way it goes. */
static int
compare(const struct ts_table *t, uint32_t a, uint32_t b)
{
	struct ts_table_value x, y;
	bool has_x = value_of(t, a, t->order->sorted, &x);
	bool has_y = value_of(t, b, t->order->sorted, &y);
	int c;

	if (!has_x || !has_y)
		return has_y - has_x;
	if (is_number(&x) != is_number(&y))
		return is_number(&x) ? -1 : 1;
	if (x.type == TS_VALUE_INTEGER && y.type == TS_VALUE_INTEGER)
		c = (x.integer > y.integer) - (x.integer < y.integer);
	else if (is_number(&x))
		c = (real_of(&x) > real_of(&y)) - (real_of(&x) < real_of(&y));
	else
		c = compare_text(&x, &y);
	return t->order->descending ? -c : c;
}

/* [from, to) of `row` sorted, by way of `room`. */
static void
merge(const struct ts_table *t, uint32_t *row, uint32_t *room, int64_t from, int64_t middle,
	int64_t to)
{
	int64_t a = from, b = middle;

	for (int64_t i = from; i < to; i++) {
		bool first = a < middle && (b == to || compare(t, row[a], row[b]) <= 0);

		room[i] = row[first ? a++ : b++];
	}
	memcpy(row + from, room + from, (size_t)(to - from) * sizeof(*row));
}

static bool
sort_rows(const struct ts_table *t, uint32_t *row, int64_t n)
{
	uint32_t *room = ts_alloc((size_t)n, sizeof(*room));

	if (!room)
		return false;
	for (int64_t width = 1; width < n; width *= 2)
		for (int64_t from = 0; from + width < n; from += 2 * width)
			merge(t, row, room, from, from + width, ts_min_i64(from + 2 * width, n));
	free(room);
	return true;
}

static void
reverse(uint32_t *row, int64_t n)
{
	for (int64_t i = 0; i < n / 2; i++) {
		uint32_t kept = row[i];

		row[i] = row[n - 1 - i];
		row[n - 1 - i] = kept;
	}
}

static void
add_up(struct ts_table_order *o, const struct ts_table *t)
{
	memset(o->sum, 0, sizeof(o->sum));
	for (int c = 0; t->facts && c < t->columns && c < TS_TABLE_COLUMNS; c++)
		for (int64_t i = 0; t->facts[c].sum != TS_SUM_NONE && i < o->count; i++) {
			struct ts_table_value v;

			if (value_of(t, o->row[i], c, &v) && is_number(&v))
				o->sum[c] += real_of(&v);
		}
}

/* The list of rows; false: they are shown as they come. */
static bool
make_rows(struct ts_table_order *o, const struct ts_table *t, int64_t rows)
{
	struct filter f = {.words = 0};
	bool plain = o->sorted < 0 && !o->descending && !o->filter[0];

	if (plain || !t->value || rows > TS_TABLE_ROWS_MAX ||
		parse(&f, t, o->filter, NULL) != TS_OK)
		return false;
	o->row = ts_alloc((size_t)ts_max_i64(rows, 1), sizeof(*o->row));
	if (!o->row)
		return false;
	o->count = 0;
	for (int64_t i = 0; i < rows; i++)
		if (passes(&f, t, i))
			o->row[o->count++] = (uint32_t)i;
	o->filtered = f.words > 0;
	if (o->filtered)
		add_up(o, t);
	if (o->sorted >= 0)
		return sort_rows(t, o->row, o->count);
	if (o->descending)
		reverse(o->row, o->count);
	return true;
}

void
ts_table_order_make(struct ts_table_order *o, const struct ts_table *t, struct ts_list *l,
	int64_t rows, uint64_t of)
{
	int64_t at;

	rows = ts_max_i64(rows, 0);
	if (o->made && o->rows == rows && o->of == of && l->count == o->count)
		return;
	at = o->rows == rows ? ts_table_row(t, l->cursor) : -1; /* else another table's */
	free(o->row);
	o->row = NULL;
	o->filtered = false;
	o->rows = rows;
	o->of = of;
	if (!make_rows(o, t, rows)) {
		free(o->row);
		o->row = NULL;
		o->filtered = false;
		o->count = rows;
	}
	o->made = true;
	ts_list_set_count(l, o->count);
	if (at >= 0 && ts_table_place(t, at) >= 0)
		ts_list_jump(l, ts_table_place(t, at));
}

/* --- commands --------------------------------------------------------------------------------- */

/* The next column that has a name and is wanted, behind the last: the view's own order again. */
static int
next_column(const struct ts_table *t)
{
	for (int i = t->order->sorted + 1; i < t->columns && i < TS_TABLE_COLUMNS; i++)
		if (*ts_table_column_name(t, i) && ts_table_column_wanted(t, i))
			return i;
	return -1;
}

/* Is it a column of numbers? By the first that is known. */
static bool
has_numbers(const struct ts_table *t, int column)
{
	struct ts_table_value v;

	for (int64_t i = 0; i < t->order->rows; i++)
		if (value_of(t, i, column, &v))
			return is_number(&v);
	return false;
}

static enum ts_effect
sort(const struct ts_table *t, const char *name, char *say, size_t size)
{
	struct ts_table_order *o = t->order;
	int to = name ? column_of(t, name, strlen(name)) : next_column(t);

	if (name && to < 0 && strcmp(name, "row") != 0) {
		snprintf(say, size, "sort: this table has no column \"%.60s\"", name);
		return TS_EFFECT_BELL;
	}
	o->sorted = to;
	/* numbers from the largest down, names from A: what one looks for first */
	o->descending = to >= 0 && has_numbers(t, to);
	o->made = false;
	if (to < 0)
		snprintf(say, size, "sorted as at first");
	else
		snprintf(say, size, "sorted by %s", ts_table_column_name(t, to));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}

static enum ts_effect
filter(const struct ts_table *t, const char *text, char *say, size_t size)
{
	struct ts_table_order *o = t->order;
	struct ts_err err = {0};

	if (ts_table_filter_check(t, text, &err) != TS_OK) {
		snprintf(say, size, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	snprintf(o->filter, sizeof(o->filter), "%s", text);
	o->made = false;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}

enum ts_effect
ts_table_order_command(const struct ts_table *t, const struct ts_call *call, char *say, size_t size)
{
	const char *text = ts_call_arg(call, 0);

	say[0] = '\0';
	if (!t->order || !t->value)
		return TS_EFFECT_UNKNOWN;
	if (call->cmd == TS_CMD_SORT)
		return sort(t, text, say, size);
	if (call->cmd == TS_CMD_FILTER && text)
		return filter(t, text, say, size);
	if (call->cmd != TS_CMD_SORT_REVERSE)
		return TS_EFFECT_UNKNOWN;
	t->order->descending = !t->order->descending;
	t->order->made = false;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}
