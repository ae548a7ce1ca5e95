/* SPDX-License-Identifier: MIT */
/* held_rows - see the header. Cells are 16 bytes, texts stand one behind the other. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/ui/table_order.h"

#include "held_rows.h"

enum { CELLS_MOST = 2 << 20, TEXT_MOST = 32 << 20 };

struct cell {
	enum ts_table_value_type type;
	uint32_t n;
	union {
		int64_t integer;
		double real;
		size_t text; /* in `text` */
	} v;
};

struct held {
	struct ts_row_source source; /* first */
	struct cell *cell;
	struct ts_strbuf text;
	int columns;
	int64_t rows, at;
	bool total; /* one more row of cells */
};

static void
held_values(const struct held *h, int64_t row, struct ts_table_value *values)
{
	for (int i = 0; i < h->columns; i++) {
		const struct cell *c = &h->cell[row * h->columns + i];

		values[i].type = c->type;
		values[i].n = c->n;
		if (c->type == TS_VALUE_INTEGER)
			values[i].integer = c->v.integer;
		else if (c->type == TS_VALUE_REAL)
			values[i].real = c->v.real;
		else if (c->type == TS_VALUE_TEXT)
			values[i].s = h->text.s + c->v.text;
	}
}

static enum ts_code
held_next(struct ts_row_source *s, struct ts_reader *rd, struct ts_table_value *values, bool *more,
	struct ts_err *err)
{
	struct held *h = (struct held *)s;

	(void)rd;
	(void)err;
	*more = h->at < h->rows;
	if (*more)
		held_values(h, h->at++, values);
	return TS_OK;
}

static bool
held_total(struct ts_row_source *s, struct ts_table_value *values)
{
	struct held *h = (struct held *)s;

	if (h->total)
		held_values(h, h->rows, values);
	return h->total;
}

static void
held_free(struct ts_row_source *s)
{
	struct held *h = (struct held *)s;

	free(h->cell);
	ts_strbuf_fini(&h->text);
	free(h);
}

static void
keep_value(struct held *h, const struct ts_table_value *v, struct cell *to)
{
	to->type = v->type;
	if (v->type == TS_VALUE_INTEGER) {
		to->v.integer = v->integer;
	} else if (v->type == TS_VALUE_REAL) {
		to->v.real = v->real;
	} else if (v->type == TS_VALUE_TEXT) {
		to->v.text = h->text.len;
		to->n = (uint32_t)v->n;
		ts_strbuf_add(&h->text, v->s, v->n);
	}
}

static void
keep_row(struct held *h, const struct ts_table *t, int64_t row, struct cell *to)
{
	for (int i = 0; i < h->columns; i++) {
		struct ts_table_value v = {.type = TS_VALUE_NONE};

		if (!t->value(t->ctx, row, i, &v))
			v.type = TS_VALUE_NONE;
		keep_value(h, &v, &to[i]);
	}
}

static void
keep_filtered_total(struct held *h, const struct ts_table *t, struct cell *to)
{
	for (int i = 0; i < h->columns; i++) {
		struct ts_table_value v;

		ts_table_filtered_total(t, i, &v);
		keep_value(h, &v, &to[i]);
	}
}

/* Row k of those that are written for line i; -1: no more. */
static int64_t
written(const struct ts_sheet *s, int64_t i, int64_t k)
{
	int64_t row = ts_table_row(&s->table, i);

	if (s->written)
		return s->written(s->table.ctx, row, k);
	return k > 0 ? -1 : row;
}

/* How many rows so many lines are. */
static int64_t
count_written(const struct ts_sheet *s, int64_t lines)
{
	int64_t n = 0;

	if (!s->written)
		return lines;
	for (int64_t i = 0; i < lines; i++)
		for (int64_t k = 0; written(s, i, k) >= 0; k++)
			n++;
	return n;
}

static void
keep_rows(struct held *h, const struct ts_sheet *s, int64_t lines)
{
	int64_t n = 0, row;

	for (int64_t i = 0; i < lines; i++)
		for (int64_t k = 0; n < h->rows && (row = written(s, i, k)) >= 0; k++)
			keep_row(h, &s->table, row, h->cell + n++ * h->columns);
}

struct ts_row_source *
ts_held_rows(const struct ts_sheet *s)
{
	const struct ts_table *t = &s->table;
	bool ordered = t->order && t->order->row, filtered = t->order && t->order->filtered;
	int64_t lines = ordered ? t->order->count : s->rows, rows = count_written(s, lines);
	struct held *h = ts_alloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->source = (struct ts_row_source){.next = held_next,
		.total = held_total,
		.free = held_free,
		.expected = rows};
	h->columns = t->columns;
	h->rows = rows;
	h->total = t->total;
	ts_strbuf_init(&h->text, TEXT_MOST);
	if (rows < 0 || rows >= CELLS_MOST / (h->columns > 0 ? h->columns : 1))
		rows = -1;
	h->cell = rows < 0 ? NULL
			   : ts_alloc((size_t)(rows + 1) * (size_t)h->columns, sizeof(*h->cell));
	if (h->cell)
		keep_rows(h, s, lines);
	if (h->cell && h->total && filtered)
		keep_filtered_total(h, t, h->cell + rows * h->columns);
	else if (h->cell && h->total)
		keep_row(h, t, TS_TABLE_TOTAL, h->cell + rows * h->columns);
	if (!h->cell || h->text.cut) {
		held_free(&h->source);
		return NULL;
	}
	return &h->source;
}
