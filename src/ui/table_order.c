/* SPDX-License-Identifier: MIT */
/*
 * table_order - see the header.
 *
 * A list of row numbers is made by table_sort.c: at once where that takes no time that anybody could see, else a piece at
 * a turn of the loop (ts_table_order_step()), while the rows stay as they are.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table_sort.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/table_order.h"

/* Rows that are looked at for what a column has, when it is sorted: at most twice as many. */
enum { FALLS_LOOK = 4096 };

void
ts_table_order_init(struct ts_table_order *o)
{
	*o = (struct ts_table_order){.sorted = -1};
}

struct ts_table_wish
ts_table_wish(const struct ts_table_order *o)
{
	struct ts_table_wish w = {.sorted = o->sorted, .descending = o->descending};

	memcpy(w.filter, o->filter, sizeof(w.filter));
	return w;
}

bool
ts_table_wish_is(const struct ts_table_wish *w, const struct ts_table_order *o)
{
	return w->sorted == o->sorted && w->descending == o->descending &&
		strcmp(w->filter, o->filter) == 0;
}

bool
ts_table_wish_is_plain(const struct ts_table_wish *w, int column)
{
	return !w->filter[0] &&
		((w->sorted < 0 && !w->descending) ||
			(column >= 0 && w->sorted == column && w->descending));
}

void
ts_table_wish_set(struct ts_table_order *o, const struct ts_table_wish *w)
{
	o->sorted = w->sorted;
	o->descending = w->descending;
	memcpy(o->filter, w->filter, sizeof(o->filter));
}

static void
release(struct ts_table_order *o)
{
	if (!o->lent)
		free(o->row);
	o->row = NULL;
	o->lent = false;
}

void
ts_table_order_fini(struct ts_table_order *o)
{
	release(o);
	table_sort_free(o->work);
	ts_table_order_init(o);
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
column_of(const struct ts_table *t, const char *name)
{
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		const char *is = ts_table_column_name(t, i), *also = table_filter_also(t, i);

		if (*is && (strcmp(is, name) == 0 || (also && strcmp(also, name) == 0)))
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

static enum ts_column_sum
sum_of(const struct ts_table *t, int column)
{
	return t->facts ? t->facts[column].sum : TS_SUM_NONE;
}

/* The column that has no sum, and says how many rows there are; -1: none. */
static int
count_column(const struct ts_table *t)
{
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++)
		if (sum_of(t, i) == TS_SUM_NONE && *ts_table_column_name(t, i))
			return i;
	return -1;
}

void
ts_table_filtered_total(const struct ts_table *t, int column, struct ts_table_value *out)
{
	const struct ts_table_order *o = t->order;

	*out = (struct ts_table_value){.type = TS_VALUE_NONE};
	if (sum_of(t, column) != TS_SUM_NONE) {
		ts_table_value_integer(out, (int64_t)o->sum[column]);
	} else if (column == count_column(t)) {
		out->type = TS_VALUE_TEXT;
		out->s = out->buf;
		out->n = (size_t)snprintf(out->buf, sizeof(out->buf), "%lld of %lld rows",
			(long long)o->count, (long long)o->rows);
	}
}

/* --- order ------------------------------------------------------------------------------------ */

/* Looks at rows at once, and at each turn: one to three milliseconds. */
enum { LOOKS_AT_ONCE = 1 << 17, LOOKS = 1 << 16 };

static void
put_rows(struct ts_table_order *o, const struct ts_table *t, struct ts_list *l,
	const struct ts_table_arranged *a)
{
	bool stays = o->others && l->cursor == o->cursor; /* of other rows: where the list is */
	int64_t at = stays ? -1 : ts_table_row(t, l->cursor);

	release(o);
	o->row = a->row;
	o->filtered = a->row && a->filtered;
	o->count = a->row ? a->count : o->rows;
	memcpy(o->sum, a->sum, sizeof(o->sum));
	ts_list_set_count(l, o->count);
	if (at >= 0 && ts_table_place(t, at) >= 0)
		ts_list_jump(l, ts_table_place(t, at));
}

/* As the view has them, the cursor on row `at` (-1: where it is). */
static void
show_plain(struct ts_table_order *o, struct ts_list *l, int64_t at)
{
	release(o);
	o->filtered = false;
	o->count = o->rows;
	ts_list_set_count(l, o->count);
	if (at >= 0)
		ts_list_jump(l, at);
}

/* A filter that takes too long is taken back; rows are asked again for their order alone. */
static void
take_rows(struct ts_table_order *o, const struct ts_table *t, struct ts_list *l)
{
	struct ts_table_arranged a = {.row = NULL};
	struct ts_err err = {0};
	bool given_up = table_sort_check(o->work, &err) != TS_OK;

	if (!given_up)
		a.row = table_sort_take(o->work, &a.count, &a.filtered, a.sum);
	table_sort_free(o->work);
	o->work = NULL;
	if (!given_up) {
		put_rows(o, t, l, &a);
		return;
	}
	snprintf(o->trouble, sizeof(o->trouble), "%.180s", err.msg);
	o->filter[0] = '\0';
	show_plain(o, l, ts_table_row(t, l->cursor));
	o->made = false;
}

void
ts_table_order_give(const struct ts_table *t, struct ts_list *l, const struct ts_table_arranged *a)
{
	put_rows(t->order, t, l, a);
	t->order->lent = a->row != NULL;
	t->order->others = false;
}

enum ts_code
ts_table_arrange(struct ts_table_arranged *out, const struct ts_table *t, int64_t rows,
	const struct ts_table_memory *memory, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct table_sort *s;
	enum ts_code code = ts_table_filter_check(t, t->order->filter, err);
	bool done = false;

	*out = (struct ts_table_arranged){.row = NULL};
	if (code)
		return code;
	s = table_sort_new(t, rows, memory);
	if (s && t->shared)
		table_sort_ask(s, t, cancel);
	while (s && !code && !done) {
		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else
			done = table_sort_step(s, t, LOOKS);
	}
	if (done)
		code = table_sort_check(s, err);
	if (done && !code)
		out->row = table_sort_take(s, &out->count, &out->filtered, out->sum);
	table_sort_free(s);
	return code ? code : out->row ? TS_OK : ts_err_nomem(err);
}

bool
ts_table_order_step(const struct ts_table *t, struct ts_list *l)
{
	struct ts_table_order *o = t->order;

	if (!o || !o->work || !t->value)
		return false;
	if (table_sort_step(o->work, t, LOOKS))
		take_rows(o, t, l);
	return true;
}

void
ts_table_order_make(struct ts_table_order *o, const struct ts_table *t, struct ts_list *l,
	int64_t rows, uint64_t of)
{
	bool plain = o->sorted < 0 && !o->descending && !o->filter[0];
	int64_t at;

	rows = ts_max_i64(rows, 0);
	if (o->made && o->rows == rows && o->of == of && l->count == o->count)
		return;
	at = o->rows == rows ? ts_table_row(t, l->cursor) : -1; /* else another table's */
	o->others = at < 0;
	table_sort_free(o->work);
	o->work = NULL;
	if (o->rows != rows || o->of != of || l->count != o->count) {
		o->rows = rows;
		show_plain(o, l, at);
	}
	o->of = of;
	o->made = true;
	o->cursor = l->cursor;
	if (o->elsewhere)
		return;
	if (!plain && t->value && rows <= TS_TABLE_ROWS_MAX)
		o->work = table_sort_new(t, rows, NULL);
	if (!o->work)
		show_plain(o, l, at);
	else if (table_sort_step(o->work, t, LOOKS_AT_ONCE))
		take_rows(o, t, l);
}

/* --- commands --------------------------------------------------------------------------------- */

/* The next column that has a name and is wanted, behind the last: the view's own order again. */
static int
next_column(const struct ts_table *t)
{
	const struct ts_table_order *o = t->order;
	int n = (int)ts_min_i64(t->columns, TS_TABLE_COLUMNS);

	for (int k = o->sorted < 0 ? 0 : (o->sorted - o->first + n) % n + 1; k < n; k++) {
		int i = (o->first + k) % n;

		if (*ts_table_column_name(t, i) && ts_table_column_wanted(t, i))
			return i;
	}
	return -1;
}

bool
ts_table_falls(const struct ts_table *t, int column)
{
	int64_t rows = t->order->rows, stride = rows / FALLS_LOOK + 1;
	struct ts_table_value v;

	for (int64_t i = 0; i < rows && i < FALLS_LOOK; i++)
		if (value_of(t, i, column, &v))
			return is_number(&v);
	for (int64_t i = FALLS_LOOK; i < rows; i += stride)
		if (value_of(t, i, column, &v))
			return is_number(&v);
	return false;
}

/* Is it one that there was no room for, so that nothing in the table shows the order? */
static bool
is_left_out(const struct ts_table *t, int column)
{
	int width[TS_TABLE_COLUMNS] = {0};

	ts_table_layout(width, t, t->order->width);
	return t->order->width > 0 && width[column] == 0;
}

static enum ts_effect
sort(const struct ts_table *t, const char *name, char *say, size_t size)
{
	struct ts_table_order *o = t->order;
	int to = name ? column_of(t, name) : next_column(t);

	if (name && to < 0 && strcmp(name, "row") != 0) {
		snprintf(say, size, "sort: this table has no column \"%.60s\"", name);
		return TS_EFFECT_BELL;
	}
	o->sorted = to;
	/* numbers from the largest down, names from A: what one looks for first */
	o->descending = to >= 0 && ts_table_falls(t, to);
	o->made = false;
	if (to < 0)
		snprintf(say, size, "sorted by no column: rows as they come");
	else
		snprintf(say, size, "sorted by %s%s", ts_table_column_name(t, to),
			!is_left_out(t, to)			? ""
				: ts_table_column_wanted(t, to) ? ", for which there is no room"
								: ", which is not shown (C)");
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
