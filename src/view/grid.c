/* SPDX-License-Identifier: MIT */
/* grid - see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/grid.h"

enum {
	CELL_MAX = 40,	/* columns of a cell in the table; the rest stands in the details */
	CELL_LEAST = 4, /* else a column that is cut is not begun */
	LABEL_MAX = 28, /* of a name in the details */
	TYPE_WIDTH = 9, /* of a declared type ... */
	TYPE_FROM = 60, /* ... where there is room for it */
	TEXT_MAX = 1 << 16,
	MEASURED = 256, /* bytes of a value that are looked at */
	MARKS = 3,	/* columns around a name: of the cursor, of a sort */
};

void
ts_grid_init(struct ts_grid *g)
{
	*g = (struct ts_grid){.sorted = -1};
	ts_list_init(&g->list);
	ts_list_set_count(&g->list, 0);
	ts_strbuf_init(&g->text, TEXT_MAX);
}

void
ts_grid_fini(struct ts_grid *g)
{
	ts_strbuf_fini(&g->text);
}

static int
columns_of(const char *s, size_t n)
{
	int w = ts_utf8_columns(s, n < MEASURED ? n : MEASURED);

	return w < CELL_MAX ? w : CELL_MAX;
}

void
ts_grid_set(struct ts_grid *g, struct ts_grid_column *column, int columns)
{
	g->column = column;
	g->columns = columns;
	g->at = g->first = g->skip = 0;
	for (int i = 0; i < columns; i++)
		column[i].width = columns_of(column[i].name, strlen(column[i].name)) + MARKS;
	ts_list_set_count(&g->list, 0);
}

void
ts_grid_measure(struct ts_grid *g, const struct ts_row_block *b)
{
	for (int i = 0; i < g->columns && i < b->columns; i++)
		for (int r = 0; r < b->rows; r++) {
			const struct ts_row_cell *c = ts_row_block_at(b, r, i);
			int w;

			if (c->type == TS_SQL_TEXT || c->type == TS_SQL_BLOB)
				g->column[i].text = true;
			if (g->column[i].width >= CELL_MAX)
				continue;
			ts_strbuf_reset(&g->text);
			ts_row_cell_text(&g->text, b, c);
			w = columns_of(g->text.s, g->text.len);
			if (w > g->column[i].width)
				g->column[i].width = w;
		}
}

/* --- the table ------------------------------------------------------------------------------------ */

static bool
cell(void *ctx, int64_t at, int column, struct ts_table_cell *out)
{
	struct ts_grid *g = ctx;
	const struct ts_row_block *b;
	const struct ts_row_cell *value;
	int row;

	if (!g->row(g->ctx, at, &b, &row) || g->shown[column] >= b->columns)
		return false;
	value = ts_row_block_at(b, row, g->shown[column]);
	ts_strbuf_reset(&g->text);
	ts_row_cell_text(&g->text, b, value);
	out->s = g->text.s;
	out->n = g->text.len;
	out->role = value->type == TS_SQL_NULL || value->type == TS_SQL_BLOB ? TS_ROLE_DIM
		: value->type == TS_SQL_TEXT				     ? TS_ROLE_TEXT
									     : TS_ROLE_VALUE;
	return true;
}

/* Columns that fit from g->first on; the last may be cut. */
static int
choose(struct ts_grid *g, int width)
{
	int n = 0, x = 0;

	for (int i = g->first; i < g->columns && n < TS_TABLE_COLUMNS; i++, n++) {
		int room = width - x, w = g->column[i].width;

		if (w > room && (room < CELL_LEAST && n > 0))
			break;
		w = w < room ? w : room;
		g->shown[n] = i;
		snprintf(g->title[n], sizeof(g->title[n]), i == g->at ? "[%.60s]" : "%.62s",
			g->column[i].name);
		g->look[n] = (struct ts_column){.title = g->title[n],
			.min = w,
			.max = w,
			.field = g->column[i].text ? TS_FIELD_ELLIPSIS : TS_FIELD_RIGHT};
		x += w + 1;
	}
	return n;
}

/* Move the first column until the one under the cursor is whole, or the first. */
static int
scroll(struct ts_grid *g, int width)
{
	int n;

	if (g->first > g->at)
		g->first = g->at;
	for (;;) {
		n = choose(g, width);
		if (g->first >= g->at ||
			(n > 0 && g->shown[n - 1] >= g->at &&
				g->look[g->at - g->first].min >= g->column[g->at].width))
			return n;
		g->first++;
	}
}

static void
table_of(struct ts_table *t, struct ts_grid *g, struct ts_rect r)
{
	*t = (struct ts_table){.column = g->look,
		.columns = scroll(g, r.w),
		.cell = cell,
		.ctx = g,
		.header = true,
		.sorted = -1,
		.descending = g->descending,
		.empty = g->empty};
	for (int i = 0; i < t->columns; i++)
		if (g->shown[i] == g->sorted)
			t->sorted = i;
}

void
ts_grid_resize(struct ts_grid *g, struct ts_rect r)
{
	ts_list_resize(&g->list, r.h > 1 ? r.h - 1 : r.h);
}

void
ts_grid_draw(struct ts_grid *g, struct ts_canvas *c, struct ts_rect r, bool focus)
{
	struct ts_table t;

	if (g->columns == 0 || ts_rect_empty(r))
		return;
	table_of(&t, g, r);
	t.focus = focus;
	ts_table_draw(c, r, &t, &g->list);
}

/* --- the details ---------------------------------------------------------------------------------- */

static int
label_width(const struct ts_grid *g, int w)
{
	int widest = 4;

	for (int i = 0; i < g->columns; i++)
		widest = (int)ts_max_i64(widest,
			columns_of(g->column[i].name, strlen(g->column[i].name)));
	widest = widest < LABEL_MAX ? widest : LABEL_MAX;
	return widest < w / 3 ? widest : w / 3;
}

/* One column of the row from line y on, which may lie above the rectangle; the lines it takes. */
static int
draw_field(struct ts_grid *g, struct ts_canvas *c, struct ts_rect r, int y, int label, int i,
	const struct ts_row_block *b, int row)
{
	const struct ts_row_cell *value = ts_row_block_at(b, row, i);
	const struct ts_grid_column *column = &g->column[i];
	int type = r.w >= TYPE_FROM && column->type ? TYPE_WIDTH + 1 : 0;
	struct ts_rect at = {r.x + label + type + 2, r.y + (y > 0 ? y : 0), r.w - label - type - 3,
		r.h - (y > 0 ? y : 0)};
	struct ts_strbuf safe;
	int lines;

	ts_strbuf_reset(&g->text);
	ts_row_cell_full(&g->text, b, value);
	ts_strbuf_init(&safe, (size_t)TEXT_MAX * 3);
	ts_utf8_safe(&safe, g->text.s, g->text.len);
	lines = ts_canvas_wrap(c, at, y < 0 ? -y : 0,
		value->type == TS_SQL_NULL ? TS_ROLE_DIM : TS_ROLE_VALUE, safe.s);
	ts_strbuf_fini(&safe);
	if (y >= 0 && y < r.h)
		ts_canvas_field(c, r, 1, y, label, i == g->at ? TS_ROLE_ACCENT : TS_ROLE_LABEL,
			column->name, strlen(column->name), TS_FIELD_ELLIPSIS);
	if (y >= 0 && y < r.h && type > 0)
		ts_canvas_field(c, r, label + 2, y, TYPE_WIDTH, TS_ROLE_DIM, column->type,
			strlen(column->type), TS_FIELD_ELLIPSIS);
	return lines > 0 ? lines : 1;
}

void
ts_grid_draw_details(struct ts_grid *g, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_row_block *b;
	int row, label, y;

	if (ts_rect_empty(r) || g->list.count == 0)
		return;
	if (!g->row(g->ctx, g->list.cursor, &b, &row)) {
		ts_canvas_pending(c, r, 1, 0);
		return;
	}
	label = label_width(g, r.w);
	g->skip = (int)ts_clamp_i64(g->skip, 0, ts_max_i64(g->lines - 1, 0));
	y = -g->skip;
	for (int i = 0; i < g->columns && i < b->columns; i++)
		y += draw_field(g, c, r, y, label, i, b, row);
	g->lines = y + g->skip;
}

/* --- commands -------------------------------------------------------------------------------------- */

static enum ts_effect
scroll_details(struct ts_grid *g, int by, int height)
{
	int most = g->lines > height ? g->lines - height : 0;
	int skip = (int)ts_clamp_i64((int64_t)g->skip + by, 0, most);

	if (skip == g->skip)
		return TS_EFFECT_BELL;
	g->skip = skip;
	return TS_EFFECT_REPAINT;
}

static const struct {
	enum ts_cmd cmd;
	int lines, pages; /* of the details */
} moves[] = {
	{TS_CMD_UP, -1, 0},
	{TS_CMD_DOWN, 1, 0},
	{TS_CMD_PAGE_UP, 0, -1},
	{TS_CMD_PAGE_DOWN, 0, 1},
	{TS_CMD_FIRST, 0, -1000000},
	{TS_CMD_LAST, 0, 1000000},
};

enum ts_effect
ts_grid_command(struct ts_grid *g, enum ts_cmd cmd, bool details, int height)
{
	enum ts_effect effect;

	if (cmd == TS_CMD_LEFT || cmd == TS_CMD_RIGHT) {
		int to = g->at + (cmd == TS_CMD_RIGHT ? 1 : -1);

		if (to < 0 || to >= g->columns)
			return TS_EFFECT_BELL;
		g->at = to;
		return TS_EFFECT_REPAINT;
	}
	for (size_t i = 0; details && i < TS_COUNT(moves); i++)
		if (moves[i].cmd == cmd)
			return scroll_details(g,
				(int)ts_clamp_i64(moves[i].lines +
						(int64_t)moves[i].pages * (height > 1 ? height : 1),
					-INT32_MAX, INT32_MAX),
				height);
	effect = ts_list_command(&g->list, cmd);
	if (effect & TS_EFFECT_SELECT)
		g->skip = 0;
	return effect;
}

bool
ts_grid_copy(struct ts_grid *g, char *out, size_t size)
{
	const struct ts_row_block *b;
	size_t used = 0;
	int row;

	if (g->list.count == 0 || !g->row || !g->row(g->ctx, g->list.cursor, &b, &row))
		return false;
	out[0] = '\0';
	for (int i = 0; i < b->columns && used + 1 < size; i++) {
		ts_strbuf_reset(&g->text);
		ts_row_cell_text(&g->text, b, ts_row_block_at(b, row, i));
		snprintf(out + used, size - used, "%s%s", i ? "\t" : "", g->text.s);
		used += strlen(out + used);
	}
	return true;
}
