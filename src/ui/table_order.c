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

#include "table_filter.h"

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

enum ts_code
ts_table_filter_check(const struct ts_table *t, const char *filter, struct ts_err *err)
{
	struct table_filter f;
	enum ts_code code = table_filter_init(&f, t, t->order ? t->order->rows : 0, filter, err);

	table_filter_fini(&f);
	return code;
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

/* Those that pass the filter. */
static bool
choose_rows(struct ts_table_order *o, const struct ts_table *t, int64_t rows)
{
	struct table_filter f;
	bool made = table_filter_init(&f, t, rows, o->filter, NULL) == TS_OK;

	o->row = made ? ts_alloc((size_t)ts_max_i64(rows, 1), sizeof(*o->row)) : NULL;
	o->count = 0;
	for (int64_t i = 0; o->row && i < rows; i++)
		if (table_filter_passes(&f, i))
			o->row[o->count++] = (uint32_t)i;
	o->filtered = made && f.filter.count > 0;
	table_filter_fini(&f);
	return o->row != NULL;
}

/* The list of rows; false: they are shown as they come. */
static bool
make_rows(struct ts_table_order *o, const struct ts_table *t, int64_t rows)
{
	bool plain = o->sorted < 0 && !o->descending && !o->filter[0];

	if (plain || !t->value || rows > TS_TABLE_ROWS_MAX || !choose_rows(o, t, rows))
		return false;
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
		snprintf(say, size, "filter: %s", err.msg);
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
