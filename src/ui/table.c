/* SPDX-License-Identifier: MIT */
/*
 * table - a list drawn in columns.
 *
 * Widths first: when the minimum widths do not fit, the column with the highest priority number
 * goes, until what is left fits; the room that remains is shared by weight up to each maximum.
 * Then rows are asked for and drawn one by one, each in the rectangle of its cell.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/table.h"

enum { GAP = 1 };

static int
least(const struct ts_column *column)
{
	return column->min > 0 ? column->min : 1;
}

/* Leave columns out until the minimum widths fit; returns the columns that are left over. */
static int
give_minimum(int out[], const struct ts_column *column, int n, int width)
{
	for (int i = 0; i < n; i++)
		out[i] = least(&column[i]);
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

int
ts_table_widths(int out[TS_TABLE_COLUMNS], const struct ts_column *column, int n, int width)
{
	int shown = 0;

	n = n < TS_TABLE_COLUMNS ? n : TS_TABLE_COLUMNS;
	if (n <= 0)
		return 0;
	share_rest(out, column, n, give_minimum(out, column, n, width > 0 ? width : 0));
	for (int i = 0; i < n; i++)
		shown += out[i] > 0;
	return shown;
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
	ts_canvas_fill(c, r, TS_ROLE_HEADER, ' ');
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		const char *title = t->column[i].title ? t->column[i].title : "";
		int field = t->column[i].field & (TS_FIELD_RIGHT | TS_FIELD_CENTRE);
		struct ts_rect cell;

		if (width[i] == 0)
			continue;
		cell = ts_rect_cut_left(&r, width[i]);
		ts_rect_cut_left(&r, GAP);
		if (i == t->sorted && cell.w > 1) {
			struct ts_rect mark = ts_rect_cut_right(&cell, 1);

			ts_canvas_glyph(c, mark, 0, 0, TS_ROLE_HEADER,
				t->descending ? 0x25be : 0x25b4);
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

	if (left > 0 && column->weight > 0)
		ts_canvas_field(c, r, -left, 0, left + r.w, cell->role, s, n, TS_FIELD_LEFT);
	else
		ts_canvas_field(c, r, 0, 0, r.w, cell->role, s, n, column->field);
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
		draw_cell(c, at, &t->column[i], &cell, left);
	}
}

static void
draw_body(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t, const int *width,
	const struct ts_list *l)
{
	for (int y = 0; y < r.h; y++) {
		struct ts_rect line = ts_rect_row(r, y);
		int64_t row = l->top + y;
		enum ts_role over;

		if (l->count >= 0 && row >= l->count)
			break;
		draw_row(c, line, t, width, row, l->left);
		over = t->row ? t->row(t->ctx, row) : TS_ROLE_TEXT;
		if (row == l->cursor && !t->plain)
			over = t->focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER;
		if (over != TS_ROLE_TEXT)
			ts_canvas_overlay(c, line, over);
	}
}

void
ts_table_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_table *t,
	const struct ts_list *l)
{
	struct ts_rect header, total, body;
	int width[TS_TABLE_COLUMNS] = {0};
	const char *empty = t->empty ? t->empty : "nothing here";

	if (ts_rect_empty(r) || t->columns <= 0)
		return;
	body = body_of(t, r, &header, &total);
	ts_table_widths(width, t->column, t->columns, r.w);
	if (!ts_rect_empty(header))
		draw_header(c, header, t, width);
	if (l->count == 0)
		ts_canvas_wrap(c, body, 0, TS_ROLE_DIM, empty);
	else
		draw_body(c, body, t, width, l);
	if (!ts_rect_empty(total)) {
		ts_canvas_fill(c, total, TS_ROLE_TOTAL, ' ');
		draw_row(c, total, t, width, TS_TABLE_TOTAL, 0);
	}
}
