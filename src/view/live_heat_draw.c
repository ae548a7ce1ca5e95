/* SPDX-License-Identifier: MIT */
/* live_heat_draw - the picture of the tab "heat": legend, labels of tiles, cells, axis of steps, read-out. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"

#include "live_heat_internal.h"

enum {
	LABELS = 8,	   /* columns, where nothing else says so, and the pane has ... */
	LABELS_LEAST = 40, /* ... so many */
	LEGEND_ROWS = 6,   /* rows of the pane from which on there is a legend, ... */
	AXIS_ROWS = 5,	   /* ... an axis */
	TICK = 12,	   /* columns that two of its numbers want */
	LABEL_ROWS = 2,	   /* rows that two labels want */
};

struct heat_parts
heat_parts(struct ts_rect r, const struct heat *head)
{
	struct heat_parts p = {.legend = {0}};
	int h = r.h, margin = head->margin > 0 ? head->margin : LABELS;

	if (h >= LEGEND_ROWS)
		p.legend = ts_rect_cut_top(&r, 1);
	if (h > 1)
		p.read_out = ts_rect_cut_bottom(&r, 1);
	if (h >= AXIS_ROWS)
		p.axis = ts_rect_cut_bottom(&r, 1);
	if (r.w >= LABELS_LEAST) {
		p.labels = ts_rect_cut_left(&r, margin);
		ts_rect_cut_left(&p.axis, margin);
	}
	p.map = r;
	return p;
}

/* Of the cells in sight; with a limit from 0 to that. */
static struct ts_heat_scale
scale_of(const struct heat *h)
{
	struct ts_heat_scale s = {.how = h->how, .least = INT64_MAX};
	int64_t n = (int64_t)h->shown.rows * h->shown.columns;

	if (h->how == TS_HEAT_LIMIT)
		return (struct ts_heat_scale){h->how, 0, h->limit};
	for (int64_t i = 0; i < n; i++) {
		if (h->most[i] < 0)
			continue;
		s.least = ts_min_i64(s.least, h->most[i]);
		s.most = ts_max_i64(s.most, h->most[i]);
	}
	s.least = ts_min_i64(s.least, s.most);
	return s;
}

static uint8_t
code_of(const struct heat *h, const struct ts_heat_scale *s, int64_t bytes)
{
	if (bytes < 0)
		return TS_HEAT_NOTHING;
	if (h->limit > 0 && bytes > h->limit)
		return TS_HEAT_OVER;
	return ts_heat_level(s, bytes);
}

/* Columns of the screen that the cells take: of few steps each takes several. */
static int
columns_of(const struct heat *h, int room)
{
	return h->shown.columns == h->shown.steps && h->shown.columns < room ? room
									     : h->shown.columns;
}

/* The column of cells that stands in a column of the screen. */
static int
column_at(const struct heat *h, int x, int columns)
{
	return (int)((int64_t)x * h->shown.columns / columns);
}

static void
draw_cells(struct ts_canvas *c, struct ts_rect r, const struct heat *h,
	const struct ts_heat_scale *s, bool focus)
{
	const struct ts_live_heat *shown = &h->shown;
	int columns = columns_of(h, r.w);
	struct ts_heat_grid grid = {columns, shown->rows, NULL};
	uint8_t *level = ts_alloc((size_t)shown->rows * (size_t)columns, 1);
	int64_t row = (h->y.cursor - (int64_t)shown->tile) / (int64_t)shown->per_row;
	int column = ts_live_heat_column_of(shown, h->x.cursor);

	if (!level)
		return;
	for (int y = 0; y < shown->rows; y++)
		for (int x = 0; x < columns; x++) {
			int of = column_at(h, x, columns);
			uint8_t *at = &level[(size_t)y * (size_t)columns + (size_t)x];

			*at = code_of(h, s,
				h->most[(size_t)y * (size_t)shown->columns + (size_t)of]);
			if (y == row && of == column)
				*at |= focus ? TS_HEAT_CURSOR : TS_HEAT_SELECTED;
		}
	grid.level = level;
	ts_heat_draw(c, r, &grid);
	free(level);
}

static bool
any_over(const struct heat *h, const struct ts_heat_scale *s)
{
	for (int i = 0; i < h->shown.rows * h->shown.columns; i++)
		if (code_of(h, s, h->most[i]) == TS_HEAT_OVER)
			return true;
	return false;
}

static void
draw_legend(struct ts_canvas *c, struct ts_rect r, const struct heat *h,
	const struct ts_heat_scale *s, enum ts_units units)
{
	char a[TS_FMT_MAX], b[TS_FMT_MAX];
	struct ts_live_spot spot = ts_live_bottleneck(h->l);
	int x = ts_canvas_printf(c, r, 1, 0, TS_ROLE_DIM, "%s ",
		ts_fmt_bytes_short(a, (int64_t)ts_heat_begin(s, 0), units));

	for (int i = 0; i < TS_HEAT_LEVELS; i++)
		ts_heat_sample(c, r, x++, 0, (uint8_t)i);
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, " %s, %s",
		ts_fmt_bytes_short(b, (int64_t)ts_heat_begin(s, TS_HEAT_LEVELS), units),
		ts_heat_how_title(s->how));
	if (any_over(h, s)) {
		ts_heat_sample(c, r, x + 2, 0, TS_HEAT_OVER);
		x = ts_canvas_text(c, r, x + 4, 0, TS_ROLE_DIM, "over the limit");
	}
	ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, "   most live%s: tile %lld at step %lld, %s",
		h->sampled ? " of the sample" : "", (long long)heat_tile(h, spot.place),
		(long long)spot.step, ts_fmt_bytes(a, spot.bytes, units));
}

int64_t
heat_tile_ticks(const struct heat *h, int rows, int labels)
{
	int64_t last = (int64_t)h->shown.tile + rows * (int64_t)h->shown.per_row;
	int64_t from = heat_tile(h, (int64_t)h->shown.tile);
	int64_t to = heat_tile(h, ts_min_i64(last, h->y.count) - 1);

	return from == TS_UNKNOWN || to < from ? 1 : ts_fmt_tick(to - from + 1, labels, 10);
}

int64_t
heat_round_tile(const struct heat *h, int64_t place, int64_t places, int64_t each)
{
	int64_t first = heat_tile(h, place);
	int64_t last = heat_tile(h, ts_min_i64(place + places, h->y.count) - 1), round;

	if (first == TS_UNKNOWN || last == TS_UNKNOWN)
		return TS_UNKNOWN;
	round = last / each * each;
	return round >= first ? round : TS_UNKNOWN;
}

/* In the line where an IPU begins its number stands, else that of a tile where it is a round one. */
static void
draw_labels(struct ts_canvas *c, struct ts_rect r, const struct heat *h)
{
	int64_t before = TS_UNKNOWN, places = 2 * (int64_t)h->shown.per_row;
	int64_t each = heat_tile_ticks(h, 2 * r.h, ts_max_i64(r.h / LABEL_ROWS, 1));
	int since = LABEL_ROWS;

	for (int i = 0; i < r.h; i++) {
		int64_t place = (int64_t)h->shown.tile + i * places;
		int64_t last = ts_min_i64(place + places, h->y.count) - 1;
		int64_t ipu = heat_ipu(h, i == 0 ? place : last);
		int64_t tile = heat_round_tile(h, place, places, each);
		char text[TS_FMT_MAX] = "", number[TS_FMT_MAX];

		if (heat_tile(h, place) == TS_UNKNOWN)
			break;
		since++;
		if (ipu != before && ipu != TS_UNKNOWN)
			snprintf(text, sizeof(text), "ipu %lld", (long long)ipu);
		else if (tile != TS_UNKNOWN && since >= LABEL_ROWS)
			snprintf(text, sizeof(text), "%s", ts_fmt_number(number, tile));
		if (text[0]) {
			since = 0;
			ts_canvas_field(c, r, 0, i, r.w - 1,
				ipu != before ? TS_ROLE_TITLE : TS_ROLE_DIM, text, strlen(text),
				TS_FIELD_RIGHT);
		}
		before = heat_ipu(h, last);
	}
}

/* Round steps, each below the cell that has it; what they are stands below the labels of the tiles. */
static void
draw_axis(struct ts_canvas *c, struct ts_rect r, struct ts_rect labels, const struct heat *h)
{
	int columns = columns_of(h, r.w);
	const struct ts_span shown = {h->x.count, h->shown.step, h->shown.step + h->shown.steps,
		h->shown.step, 1, columns};
	int64_t each = ts_fmt_tick(h->shown.steps, (int)ts_max_i64(columns / TICK, 1), 10);
	int64_t step = (h->shown.step + each - 1) / each * each;
	struct ts_rect title = {labels.x, r.y, labels.w - 1, 1};

	if (labels.w > 0)
		ts_canvas_right(c, title, 0, 0, TS_ROLE_AXIS, "step");
	for (; step < shown.to; step += each) {
		int x = ts_span_column(&shown, step);
		char number[TS_FMT_MAX];

		ts_fmt_count(number, step);
		if (x + 1 + (int)strlen(number) <= r.w)
			ts_canvas_printf(c, r, x, 0, TS_ROLE_AXIS, "|%s", number);
	}
}

/* Most live bytes need not be what overflows: said where the cursor is on that tile. */
static void
draw_overflow(struct ts_canvas *c, struct ts_rect r, int x, const struct heat *h)
{
	char text[2][100];

	if (h->overflows == TS_UNKNOWN || h->spot.place != ts_live_bottleneck(h->l).place)
		return;
	snprintf(text[0], sizeof(text[0]),
		"; it has most live bytes, and fits: what overflows is tile %lld",
		(long long)h->overflows);
	snprintf(text[1], sizeof(text[1]), "; tile %lld overflows", (long long)h->overflows);
	ts_canvas_piece(c, r, x, 0, TS_ROLE_NOTE, "%s", text[x + (int)strlen(text[0]) > r.w]);
}

static void
draw_read_out(struct ts_canvas *c, struct ts_rect r, const struct heat *h, enum ts_units units)
{
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], text[200], ipu[32] = "";
	const struct ts_live_spot *s = &h->spot;
	int x;

	if (s->place < 0) {
		ts_canvas_text(c, r, 1, 0, TS_ROLE_DIM, "no tile and step here");
		return;
	}
	if (heat_ipu(h, s->place) != TS_UNKNOWN)
		snprintf(ipu, sizeof(ipu), " (ipu %lld)", (long long)heat_ipu(h, s->place));
	snprintf(text, sizeof(text), "tile %lld%s at step %lld: %s live",
		(long long)heat_tile(h, s->place), ipu, (long long)s->step,
		ts_fmt_bytes(bytes, s->bytes, units));
	x = ts_canvas_piece(c, r, 1, 0, TS_ROLE_TEXT, "%s%s%s%s", text, h->limit > 0 ? ", " : "",
		h->limit > 0 ? ts_fmt_percent(share, (double)s->bytes, (double)h->limit) : "",
		h->limit > 0 ? " of a tile" : "");
	draw_overflow(c, r, x, h);
}

/* What there is to say while there are no cells. */
static void
draw_wait(struct ts_tab *t, struct ts_canvas *c)
{
	const struct heat *h = t->own;

	if (h->l && (h->x.count == 0 || h->y.count == 0))
		ts_canvas_text(c, t->r, 1, 0, TS_ROLE_DIM,
			h->y.count == 0 ? "no tile has a lowered variable"
					: "no lowered variable is alive at any step");
	else if (h->l)
		ts_canvas_pending(c, t->r, 1, 0);
	else
		ts_pane_draw(c, t->r, t->view->env, &h->pane);
}

/* Right below the last tile, where there are fewer than the pane has room for. Two rows of cells are a line. */
static int
axis_line(const struct heat_parts *p, const struct heat *h)
{
	int64_t left = h->y.count - (int64_t)h->shown.tile,
		per_line = 2 * (int64_t)h->shown.per_row;

	return (int)ts_min_i64(p->axis.y, p->map.y + (left + per_line - 1) / per_line);
}

void
heat_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	const struct heat *h = t->own;
	enum ts_units units = t->view->env->options->units;
	struct heat_parts p = heat_parts(t->r, h);
	struct ts_heat_scale s;

	if (!h->most || !h->l) {
		draw_wait(t, c);
		return;
	}
	s = scale_of(h);
	p.axis.y = axis_line(&p, h);
	draw_cells(c, p.map, h, &s, focus);
	draw_legend(c, p.legend, h, &s, units);
	draw_labels(c, p.labels, h);
	draw_axis(c, p.axis, p.labels, h);
	draw_read_out(c, p.read_out, h, units);
}
