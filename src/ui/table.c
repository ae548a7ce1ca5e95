/* SPDX-License-Identifier: MIT */
/*
 * table - a list drawn in columns.
 *
 * Widths first: when the minimum widths do not fit, the column with the highest priority number
 * goes, until what is left fits; the room that remains is shared by weight up to each maximum.
 * Then rows are asked for and drawn one by one, each in the rectangle of its cell.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_looks.h"
#include "tilescope/ui/table_order.h"

enum { GAP = 1 };

/* --- values ----------------------------------------------------------------------------------- */

void
ts_table_value_integer(struct ts_table_value *out, int64_t v)
{
	out->type = TS_VALUE_INTEGER;
	out->integer = v;
}

void
ts_table_value_known(struct ts_table_value *out, int64_t v)
{
	if (v >= 0)
		ts_table_value_integer(out, v);
}

void
ts_table_value_real(struct ts_table_value *out, double v)
{
	out->type = TS_VALUE_REAL;
	out->real = v;
}

void
ts_table_value_text(struct ts_table_value *out, const char *s)
{
	if (!s)
		return;
	out->type = TS_VALUE_TEXT;
	out->s = s;
	out->n = strlen(s);
}

/* --- columns ---------------------------------------------------------------------------------- */

const char *
ts_table_column_name(const struct ts_table *t, int column)
{
	const char *name = t->facts ? t->facts[column].name : NULL;

	if (!name && t->column)
		name = t->column[column].title;
	return name ? name : "";
}

bool
ts_table_column_wanted(const struct ts_table *t, int column)
{
	const char *name = ts_table_column_name(t, column);
	int said = *name && t->id && t->looks ? ts_table_looks_of(t->looks, t->id, name) : 0;

	return said ? said > 0 : !(t->facts && t->facts[column].extra);
}

/* --- rows ------------------------------------------------------------------------------------- */

int64_t
ts_table_row(const struct ts_table *t, int64_t place)
{
	const struct ts_table_order *o = t->order;

	if (place < 0 || !o || !o->row)
		return place;
	return place < o->count ? (int64_t)o->row[place] : -1;
}

int64_t
ts_table_place(const struct ts_table *t, int64_t row)
{
	const struct ts_table_order *o = t->order;

	if (row < 0 || !o || !o->row)
		return row;
	for (int64_t i = 0; i < o->count; i++)
		if ((int64_t)o->row[i] == row)
			return i;
	return -1;
}

/* --- widths ----------------------------------------------------------------------------------- */

static int
least(const struct ts_column *column)
{
	return column->min > 0 ? column->min : 1;
}

/*
 * Leave columns out until the minimum widths fit; returns the columns that are left over. Those whose
 * width is 0 when it begins are not there at all.
 */
static int
give_minimum(int out[], const struct ts_column *column, int n, int width)
{
	for (int i = 0; i < n; i++)
		out[i] = out[i] ? least(&column[i]) : 0;
	for (;;) {
		int64_t need = -GAP;
		int drop = -1;

		for (int i = 0; i < n; i++) {
			if (out[i] == 0)
				continue;
			need += (int64_t)out[i] + GAP;
			if (column[i].priority > 0 &&
				(drop < 0 || column[i].priority >= column[drop].priority))
				drop = i;
		}
		if (need <= width)
			return (int)(width - need);
		if (drop < 0)
			return 0;
		out[drop] = 0;
	}
}

/* May column i still grow? */
static bool
grows(const int out[], const struct ts_column *column, int i)
{
	return out[i] > 0 && column[i].weight > 0 && (column[i].max <= 0 || out[i] < column[i].max);
}

static void
share_rest(int out[], const struct ts_column *column, int n, int left)
{
	while (left > 0) {
		int64_t total = 0, before = 0;
		int given = 0;

		for (int i = 0; i < n; i++)
			total += grows(out, column, i) ? column[i].weight : 0;
		if (total == 0)
			return;
		for (int i = 0; i < n; i++) {
			int64_t after = before + column[i].weight, extra;

			if (!grows(out, column, i))
				continue;
			extra = left * after / total - left * before / total;
			before = after;
			if (column[i].max > 0)
				extra = ts_min_i64(extra, column[i].max - out[i]);
			out[i] += (int)extra;
			given += (int)extra;
		}
		left -= given;
		if (given == 0)
			return;
	}
}

static int
lay_out(int out[TS_TABLE_COLUMNS], const struct ts_column *column, int n, int width)
{
	int shown = 0;

	share_rest(out, column, n, give_minimum(out, column, n, width > 0 ? width : 0));
	for (int i = 0; i < n; i++)
		shown += out[i] > 0;
	return shown;
}

int
ts_table_widths(int out[TS_TABLE_COLUMNS], const struct ts_column *column, int n, int width)
{
	n = n < TS_TABLE_COLUMNS ? n : TS_TABLE_COLUMNS;
	for (int i = 0; i < n; i++)
		out[i] = 1;
	return n > 0 ? lay_out(out, column, n, width) : 0;
}

int
ts_table_layout(int out[TS_TABLE_COLUMNS], const struct ts_table *t, int width)
{
	int n = t->columns < TS_TABLE_COLUMNS ? t->columns : TS_TABLE_COLUMNS;

	for (int i = 0; i < n; i++)
		out[i] = ts_table_column_wanted(t, i);
	return n > 0 ? lay_out(out, t->column, n, width) : 0;
}

/* Cut header and total off; what is left is for the rows of the list. */
static struct ts_rect
body_of(const struct ts_table *t, struct ts_rect r, struct ts_rect *header, struct ts_rect *total)
{
	/* a small table keeps its rows: the total goes first, then the header */
	*header = ts_rect_cut_top(&r, t->header && r.h > 1);
	*total = ts_rect_cut_bottom(&r, t->total && r.h > 1);
	return r;
}

int
ts_table_rows(const struct ts_table *t, struct ts_rect r)
{
	struct ts_rect header, total, body = body_of(t, r, &header, &total);

	return ts_rect_empty(body) ? 0 : body.h;
}

int
ts_table_line(const struct ts_table *t, struct ts_rect r, int y)
{
	struct ts_rect header, total, body = body_of(t, r, &header, &total);

	return y < body.y || y - body.y >= body.h ? -1 : y - body.y;
}

static void
draw_header(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t, const int *width)
{
	bool own = t->order && t->order->sorted >= 0;
	int sorted = own ? t->order->sorted : t->sorted;
	bool descending = own ? t->order->descending
		: t->order    ? t->descending != t->order->descending
			      : t->descending;

	ts_canvas_fill(c, r, TS_ROLE_HEADER, ' ');
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		const char *title = t->column[i].title ? t->column[i].title : "";
		int field = t->column[i].field & (TS_FIELD_RIGHT | TS_FIELD_CENTRE);
		struct ts_rect cell;

		if (width[i] == 0)
			continue;
		cell = ts_rect_cut_left(&r, width[i]);
		ts_rect_cut_left(&r, GAP);
		if (i == sorted && cell.w > 1) {
			struct ts_rect mark = ts_rect_cut_right(&cell, 1);

			if (own && t->order->work) /* they are not in that order yet */
				ts_canvas_pending(c, mark, 0, 0);
			else
				ts_canvas_glyph(c, mark, 0, 0, TS_ROLE_HEADER,
					descending ? 0x25be : 0x25b4);
			/* a letter is not to be read as the last one of the title */
			if (c->glyphs == TS_GLYPHS_ASCII &&
				cell.w > ts_utf8_columns(title, strlen(title)))
				ts_rect_cut_right(&cell, 1);
		}
		ts_canvas_field(c, cell, 0, 0, cell.w, TS_ROLE_HEADER, title, strlen(title),
			field | TS_FIELD_ELLIPSIS);
	}
}

/* Long text of a column that can grow moves with the list's `left`. */
static void
draw_cell(struct ts_canvas *c, struct ts_rect r, const struct ts_column *column,
	const struct ts_table_cell *cell, int left)
{
	const char *s = cell->s ? cell->s : "";
	size_t n = cell->n == (size_t)-1 ? strlen(s) : cell->n;
	bool said = cell->role == TS_ROLE_TOTAL &&
		column->field & (TS_FIELD_TAIL | TS_FIELD_ELLIPSIS); /* no name */

	if (said)
		ts_canvas_field(c, r, 0, 0, r.w, cell->role, s, n, TS_FIELD_CLAUSES);
	else if (left > 0 && column->weight > 0)
		ts_canvas_field(c, r, -left, 0, left + r.w, cell->role, s, n, TS_FIELD_LEFT);
	else
		ts_canvas_field(c, r, 0, 0, r.w, cell->role, s, n, column->field);
}

/* A figure never loses digits or its unit: where it has no room it is said short, "1.36 GB" or "1.20M". */
static void
shorten(const struct ts_table *t, int64_t row, int column, int width, struct ts_table_cell *cell)
{
	const struct ts_column_facts *f = t->facts ? &t->facts[column] : NULL;
	struct ts_table_value v = {0};
	const char *s = cell->s ? cell->s : "";
	bool bytes;

	if (!f || !t->value ||
		ts_utf8_columns(s, cell->n == (size_t)-1 ? strlen(s) : cell->n) <= width)
		return;
	bytes = f->sum == TS_SUM_BYTES || (f->unit && strcmp(f->unit, "bytes") == 0);
	if ((!bytes && f->sum != TS_SUM_COUNT) || !t->value(t->ctx, row, column, &v) ||
		v.type != TS_VALUE_INTEGER)
		return;
	if (bytes)
		ts_fmt_bytes(cell->buf, v.integer,
			t->units == TS_UNITS_BYTES ? TS_UNITS_KB : t->units);
	else
		ts_fmt_cycles_short(cell->buf, v.integer);
	cell->s = cell->buf;
	cell->n = (size_t)-1;
}

static void
draw_row(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t, const int *width,
	int64_t row, int left)
{
	struct ts_rect whole = r;

	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		struct ts_table_cell cell = {.s = NULL, .n = (size_t)-1, .role = TS_ROLE_TEXT};
		struct ts_rect at;

		if (width[i] == 0)
			continue;
		at = ts_rect_cut_left(&r, width[i]);
		ts_rect_cut_left(&r, GAP);
		if (row == TS_TABLE_TOTAL)
			cell.role = TS_ROLE_TOTAL;
		if (!t->cell(t->ctx, row, i, &cell)) {
			ts_canvas_pending(c, whole, 0, 0);
			return;
		}
		shorten(t, row, i, at.w, &cell);
		draw_cell(c, at, &t->column[i], &cell, left);
	}
}

/*
 * The total of the rows that a filter leaves: what may be added up is, and the first column with a text says how
 * many there are.
 */
static void
draw_filtered_total(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t,
	const int *width)
{
	char text[80], n[TS_FMT_MAX], all[TS_FMT_MAX];
	bool said = false;

	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		enum ts_column_sum sum = t->facts ? t->facts[i].sum : TS_SUM_NONE;
		struct ts_rect at;

		if (width[i] == 0)
			continue;
		at = ts_rect_cut_left(&r, width[i]);
		ts_rect_cut_left(&r, GAP);
		text[0] = '\0';
		if (sum == TS_SUM_NONE && !said && t->column[i].weight > 0) {
			snprintf(text, sizeof(text), "%s of %s rows",
				ts_fmt_count(n, t->order->count),
				ts_fmt_count(all, t->order->rows));
			said = true;
		} else if (sum == TS_SUM_BYTES) {
			ts_fmt_bytes(text, (int64_t)t->order->sum[i], t->units);
			if (t->units == TS_UNITS_BYTES && (int)strlen(text) > at.w)
				ts_fmt_bytes(text, (int64_t)t->order->sum[i], TS_UNITS_KB);
		} else if (sum == TS_SUM_COUNT) {
			ts_fmt_count(text, (int64_t)t->order->sum[i]);
			if ((int)strlen(text) > at.w) /* rather than without its last digits */
				ts_fmt_cycles_short(text, (int64_t)t->order->sum[i]);
		}
		ts_canvas_field(c, at, 0, 0, at.w, TS_ROLE_TOTAL, text, strlen(text),
			t->column[i].field);
	}
}

/* Texts are searched, not figures: the columns that share what is left over. */
static bool
mark_word(struct ts_canvas *c, struct ts_rect line, const struct ts_table *t, const int *width)
{
	bool some = false;

	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		struct ts_rect at;

		if (width[i] == 0)
			continue;
		at = ts_rect_cut_left(&line, width[i]);
		ts_rect_cut_left(&line, GAP);
		if (t->column[i].weight > 0)
			some |= ts_canvas_overlay_text(c, at, TS_ROLE_MATCH, t->needle);
	}
	return some;
}

/* What was found is told apart under the cursor, too. */
static void
draw_over(struct ts_canvas *c, struct ts_rect line, const struct ts_table *t, const int *width,
	enum ts_role over, bool cursor)
{
	bool word = (over == TS_ROLE_MATCH || !t->row) && t->needle && t->needle[0];

	if (cursor)
		ts_canvas_overlay(c, line, t->focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER);
	if (word)
		word = mark_word(c, line, t, width);
	if (!cursor && !word && over != TS_ROLE_TEXT)
		ts_canvas_overlay(c, line, over);
}

static void
draw_body(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t, const int *width,
	const struct ts_list *l)
{
	for (int y = 0; y < r.h; y++) {
		struct ts_rect line = ts_rect_row(r, y);
		int64_t place = l->top + y, row = ts_table_row(t, place);
		enum ts_role over;

		if (l->count >= 0 && place >= l->count)
			break;
		draw_row(c, line, t, width, row, l->left);
		over = t->row ? t->row(t->ctx, row) : TS_ROLE_TEXT;
		draw_over(c, line, t, width, over, place == l->cursor && !t->plain);
	}
}

void
ts_table_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t,
	const struct ts_list *l)
{
	struct ts_rect header, total, body;
	int width[TS_TABLE_COLUMNS] = {0};
	bool filtered = t->order && t->order->filtered;
	const char *empty = filtered && t->missing > 0
		? "No row matches the filter; not all rows are here (& and Enter: those that are)."
		: filtered ? "No row matches the filter (& and Enter: all rows)."
		: t->empty ? t->empty
			   : "nothing here";

	if (ts_rect_empty(r) || t->columns <= 0)
		return;
	body = body_of(t, r, &header, &total);
	if (!ts_rect_empty(total) && l->count > 0 && l->count < body.h)
		total.y = body.y + (int)l->count; /* below the last row, as on paper */
	ts_table_layout(width, t, r.w);
	if (t->order)
		t->order->width = r.w;
	if (!ts_rect_empty(header))
		draw_header(c, header, t, width);
	if (l->count == 0)
		ts_canvas_wrap(c, body, 0, TS_ROLE_DIM, empty);
	else
		draw_body(c, body, t, width, l);
	if (!ts_rect_empty(total)) {
		ts_canvas_fill(c, total, TS_ROLE_TOTAL, ' ');
		if (filtered)
			draw_filtered_total(c, total, t, width);
		else
			draw_row(c, total, t, width, TS_TABLE_TOTAL, 0);
	}
}
