/* SPDX-License-Identifier: MIT */
/* insights_tiles - the tab of the fullest tiles: why each of them is, and how memory is spread over all of them. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/chart_page.h"

#include "insights_internal.h"

enum {
	T_TILE,
	T_IPU,
	T_USED,
	T_SHARE,
	T_LIVE,
	T_CATEGORY,
	T_MORE,
	T_VARIABLE,
	T_VARIABLE_MORE,
	T_COLUMNS
};

static const struct ts_column tile_columns[T_COLUMNS] = {
	[T_TILE] = {"Tile", 7, 9, 0, 0, TS_FIELD_RIGHT},
	[T_IPU] = {"IPU", 3, 5, 0, 5, TS_FIELD_RIGHT},
	[T_USED] = {"Used", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[T_SHARE] = {"%", 6, 6, 0, 0, TS_FIELD_RIGHT},
	[T_LIVE] = {"Live", 9, 12, 0, 4, TS_FIELD_RIGHT},
	[T_CATEGORY] = {"Above median", 12, 24, 1, 0, TS_FIELD_ELLIPSIS},
	[T_MORE] = {"by", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[T_VARIABLE] = {"mostly in", 12, 0, 2, 2, TS_FIELD_TAIL},
	[T_VARIABLE_MORE] = {"there by", 9, 12, 0, 3, TS_FIELD_RIGHT},
};

static const struct ts_column_facts tile_facts[T_COLUMNS] = {
	[T_TILE] = {.name = "tile"},
	[T_IPU] = {.name = "ipu"},
	[T_USED] = {.name = "used", .unit = "bytes", .sum = TS_SUM_BYTES},
	[T_SHARE] = {.name = "share", .unit = "%"},
	[T_LIVE] = {.name = "live", .unit = "bytes", .sum = TS_SUM_BYTES},
	[T_CATEGORY] = {.name = "category"},
	[T_MORE] = {.name = "category_more", .unit = "bytes", .sum = TS_SUM_BYTES},
	[T_VARIABLE] = {.name = "variable"},
	[T_VARIABLE_MORE] = {.name = "variable_more", .unit = "bytes", .sum = TS_SUM_BYTES},
};

static int64_t
ipu_of(const struct insights_view *s, const struct ts_full_tile *f)
{
	return ts_tile_ipu(&insights_facts(s)->tiles.tile[f->place], &insights_facts(s)->target);
}

static bool
tile_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct ts_fullest *all = &insights_facts(s)->fullest;
	const struct ts_full_tile *f;
	int64_t limit = insights_facts(s)->target.bytes_per_tile;

	if (row == TS_TABLE_TOTAL) {
		if (column == T_CATEGORY)
			ts_table_value_text(out, "together");
		insights_sum(out, ctx, tile_value, all->count, tile_facts, column);
		return true;
	}
	if (row < 0 || row >= all->count)
		return false;
	f = &all->tile[row];
	if (column == T_TILE || column == T_USED || column == T_IPU)
		ts_table_value_known(out,
			column == T_TILE	   ? f->tile
				: column == T_USED ? f->used
						   : ipu_of(s, f));
	else if (column == T_LIVE)
		ts_table_value_known(out, f->live);
	else if (column == T_SHARE && limit > 0)
		ts_table_value_real(out, 100.0 * (double)f->used / (double)limit);
	else if (column == T_CATEGORY || column == T_VARIABLE)
		ts_table_value_text(out, column == T_CATEGORY ? f->category : f->variable);
	else if (column == T_MORE && f->category)
		ts_table_value_known(out, f->category_bytes - f->category_median);
	else if (column == T_VARIABLE_MORE && f->variable)
		ts_table_value_known(out, f->variable_bytes - f->variable_median);
	return true;
}

static bool
tile_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct insights_view *s = ctx;
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!tile_value(ctx, row, column, &v))
		return false;
	insights_show_value(s, &v, tile_facts[column].unit, out);
	if (row == TS_TABLE_TOTAL)
		out->role = TS_ROLE_TOTAL;
	else if (column == T_TILE && v.type == TS_VALUE_INTEGER)
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v.integer);
	else if (column == T_SHARE && v.type == TS_VALUE_REAL)
		out->role = v.real > 100 ? TS_ROLE_BAD
			: v.real >= 90	 ? TS_ROLE_WARN
					 : TS_ROLE_VALUE;
	else if (column == T_CATEGORY && v.type == TS_VALUE_NONE)
		out->s = insights_facts(s)->has_categories ? "nothing" : "not known";
	return true;
}

static struct ts_table
tile_table(struct insights_view *s, struct insights_list *l)
{
	return (struct ts_table){.column = tile_columns,
		.columns = T_COLUMNS,
		.cell = tile_cell,
		.ctx = s,
		.header = true,
		.total = insights_facts(s)->fullest.count > 1,
		.focus = s->in_tabs,
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = "the memory of tiles is not recorded",
		.id = "insights.tiles",
		.facts = tile_facts,
		.value = tile_value,
		.looks = s->base.env->looks,
		.order = &l->order,
		.units = s->found.units};
}

static int64_t
tile_rows(const struct insights_view *s)
{
	return insights_facts(s)->fullest.count;
}

static void
tile_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	const struct ts_fullest *all = &insights_facts(s)->fullest;
	const struct ts_full_tile *f;
	char used[TS_FMT_MAX], more[TS_FMT_MAX];

	if (row < 0 || row >= all->count)
		return;
	f = &all->tile[row];
	ts_strbuf_printf(out, "tile %" PRId64 " uses %s", f->tile,
		insights_bytes(s, used, f->used));
	if (f->category)
		ts_strbuf_printf(out, ", %s more %s than tile %" PRId64,
			insights_bytes(s, more, f->category_bytes - f->category_median),
			f->category, all->median_tile);
	if (f->variable)
		ts_strbuf_printf(out, ": %s", f->variable);
}

static void
tile_place(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT])
{
	if (row < insights_facts(s)->fullest.count)
		snprintf(out, TS_PLACE_TEXT, "memory?tile=%" PRId64 "&by=category",
			insights_facts(s)->fullest.tile[row].tile);
}

/* In the order in which they are left out where there is no room. */
const struct insights_percentile insights_percentiles[INSIGHTS_PERCENTILES] = {{50, "median"},
	{0, "least"}, {100, "most"}, {95, "95%"}, {5, "5%"}, {25, "25%"}, {75, "75%"}, {99, "99%"}};

/* "5%", "median", ... with their figures, as many as fit. */
static void
draw_percentiles(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t, int y)
{
	const struct insights_percentile *wanted = insights_percentiles;
	static const int order[INSIGHTS_PERCENTILES] = {1, 4, 5, 0, 6, 3, 7, 2}; /* ascending */
	enum { ONE = 13 };
	int fit = t->r.w / ONE, x = 1;
	char buf[TS_FMT_MAX];

	for (size_t k = 0; k < TS_COUNT(order); k++) {
		int i = order[k];

		if (i >= fit)
			continue;
		x = ts_canvas_printf(c, t->r, x, y, TS_ROLE_LABEL, "%s ", wanted[i].name);
		x = ts_canvas_text(c, t->r, x, y, TS_ROLE_VALUE,
			ts_fmt_bytes_short(buf,
				ts_percentile(s->found.used, insights_facts(s)->tiles.count,
					wanted[i].p),
				s->found.units));
		x += 2;
	}
}

static void
draw_balance(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_insight_facts *x = insights_facts(s);
	const struct ts_tiles *tiles = &x->tiles;
	double mean = (double)tiles->used / (double)tiles->count;
	char balance[40] = "not known", median[TS_FMT_MAX], average[TS_FMT_MAX];

	if (s->found.has_balance)
		snprintf(balance, sizeof(balance), "%.3f", s->found.balance);
	insights_head_line(c, t, 0, TS_ROLE_TEXT,
		"balance %s  mean %s  fullest/mean %.2f  median tile %" PRId64 " (%s)", balance,
		insights_bytes(s, average, (int64_t)mean),
		mean > 0 ? (double)x->fullest.tile[0].used / mean : 1, x->fullest.median_tile,
		insights_bytes(s, median, x->fullest.median_used));
}

static const char *
bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct insights_view *s = ctx;

	return ts_fmt_bytes_short(out, (int64_t)v, s->found.units);
}

static const char *
count_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	return ts_fmt_count(out, (int64_t)v);
}

enum { BINS_MAX = 400 };

/* The limit as an upright line, named on the side that has room; red is what stands behind it. */
static void
draw_limit(const struct insights_view *s, struct ts_canvas *c, struct ts_rect plot, int at)
{
	char bytes[TS_FMT_MAX], text[TS_FMT_MAX + 8];
	int w = snprintf(text, sizeof(text), "limit %s",
		ts_fmt_bytes_short(bytes, insights_facts(s)->target.bytes_per_tile,
			s->found.units));

	ts_chart_tint(c, plot, at + 1, plot.w, TS_ROLE_BAD);
	ts_chart_divider(c, plot, at, TS_ROLE_LIMIT);
	if (at + 2 + w <= plot.w)
		ts_canvas_text(c, plot, at + 2, 0, TS_ROLE_LIMIT, text);
	else if (at - 1 - w >= 0)
		ts_canvas_text(c, plot, at - 1 - w, 0, TS_ROLE_LIMIT, text);
}

int64_t
insights_histogram_top(const struct insights_view *s)
{
	const struct ts_insight_facts *x = insights_facts(s);

	return ts_max_i64(s->found.used[x->tiles.count - 1], x->target.bytes_per_tile);
}

/* How many tiles use how much: from nothing to the limit, or to the fullest where that is more. */
static void
draw_histogram(struct insights_view *s, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_insight_facts *x = insights_facts(s);
	int64_t count[BINS_MAX + 1], limit = x->target.bytes_per_tile;
	int64_t top = insights_histogram_top(s);
	double height[BINS_MAX], highest = 1;
	struct ts_chart_frame f;
	struct ts_band band = {height, TS_ROLE_FILL, '#'};
	int bins, at;

	s->bars = 0;
	if (r.h < 4 || top <= 0)
		return;
	f = ts_chart_frame(r, 0, 1);
	bins = (int)ts_min_i64(f.plot.w, BINS_MAX);
	ts_histogram_sorted(count, bins, s->found.used, x->tiles.count, top);
	for (int i = 0; i < bins; i++)
		highest = (double)count[i] > highest ? (double)count[i] : highest;
	f = ts_chart_frame(r, ts_chart_y_width(r.h - 1, highest, 10, count_tick, s), 1);
	bins = (int)ts_min_i64(f.plot.w, BINS_MAX);
	if (bins < 8)
		return;
	s->bars = bins;
	ts_histogram_sorted(count, bins, s->found.used, x->tiles.count, top);
	at = limit > 0 && limit < top ? (int)((double)limit / (double)top * bins) : bins;
	for (int i = 0; i < bins; i++) { /* no tile is lost: an eighth of a row at least */
		double least = highest / (8.0 * f.plot.h);

		height[i] = count[i] > 0 && (double)count[i] < least ? least : (double)count[i];
	}
	ts_chart_area(c, f.plot,
		&(struct ts_area){.columns = bins, .bands = 1, .band = &band, .top = highest});
	ts_chart_y_axis(c, &f, highest, 10, count_tick, s);
	ts_chart_x_axis(c, &f, 0, (double)top, s->found.units == TS_UNITS_KIB ? 2 : 10, bytes_tick,
		s);
	ts_canvas_text(c, f.plot, 1, 0, TS_ROLE_AXIS, "tiles");
	if (at < bins)
		draw_limit(s, c, f.plot, at);
}

static void
tiles_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = insights_host(t);
	struct ts_table table = tile_table(s, insights_rows_of(t));
	struct ts_rect r = insights_table_rect(t);

	if (insights_draw_state(t, c))
		return;
	table.focus = focus;
	if (insights_facts(s)->has_tiles)
		draw_balance(s, c, t);
	ts_table_draw(c, ts_rect_cut_top(&r, TS_FULLEST + 1 + table.total), &table,
		&insights_rows_of(t)->list);
	if (!insights_facts(s)->has_tiles || r.h < 1)
		return;
	draw_percentiles(s, c, t, r.y - t->r.y);
	ts_rect_cut_top(&r, 1);
	draw_histogram(s, c, r);
}

static void
tiles_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct insights_view *s = insights_host(t);
	char buf[TS_FMT_MAX];

	if (insights_ready(s) && insights_facts(s)->has_tiles)
		snprintf(out, TS_TAB_NOTE, "the %d fullest of %s", insights_facts(s)->fullest.count,
			ts_fmt_count(buf, (int64_t)insights_facts(s)->tiles.count));
}

/* The histogram on paper: fewer bins than the page has columns, so that it stays one. */
static bool
tiles_chart(struct ts_tab *t, struct ts_chart_page *page)
{
	enum { BINS = 100 };
	struct insights_view *s = insights_host(t);
	const struct ts_insight_facts *x = insights_facts(s);
	char tiles[TS_FMT_MAX];
	int64_t count[BINS + 1], limit = x->target.bytes_per_tile, top;
	double *v, *over, highest = 1;
	int at;

	if (!insights_ready(s) || !x->has_tiles)
		return false;
	top = insights_histogram_top(s);
	page->columns = page->columns < BINS ? page->columns : BINS;
	if (top <= 0)
		return false;
	ts_histogram_sorted(count, page->columns, s->found.used, x->tiles.count, top);
	snprintf(page->title, sizeof(page->title), "How many tiles use how much memory");
	snprintf(page->subtitle, sizeof(page->subtitle), "%s tiles, balance %s%.3f",
		ts_fmt_count(tiles, (int64_t)x->tiles.count),
		s->found.has_balance ? "" : "not known ",
		s->found.has_balance ? s->found.balance : 0);
	snprintf(page->x.title, sizeof(page->x.title), "memory of a tile");
	snprintf(page->y.title, sizeof(page->y.title), "tiles");
	at = limit > 0 && limit < top ? (int)((double)limit / (double)top * page->columns)
				      : page->columns;
	v = ts_chart_page_band(page, "tiles", TS_ROLE_FILL);
	over = at < page->columns ? ts_chart_page_band(page, "over the limit", TS_ROLE_BAD) : NULL;
	if (!v)
		return false;
	for (int i = 0; i < page->columns; i++) {
		*(over && i > at ? over + i : v + i) = (double)count[i];
		highest = (double)count[i] > highest ? (double)count[i] : highest;
	}
	page->kind = TS_PAGE_AREA;
	page->x.to = (double)top;
	page->x.base = s->found.units == TS_UNITS_KIB ? 2 : 10;
	page->x.tick = bytes_tick;
	page->x.ctx = s;
	page->y.to = highest;
	page->y.base = 10;
	page->y.tick = count_tick;
	page->y.ctx = s;
	if (limit > 0)
		ts_chart_page_label(page, (double)limit, TS_ROLE_LIMIT, true, "limit");
	return true;
}

const struct insights_tab_table insights_tiles_table = {tile_table, tile_rows, tile_text,
	tile_place, insights_explain_tile, insights_one_line, NULL, "Fullest tiles"};

const struct ts_tab_ops insights_tab_tiles = {
	.name = "tiles",
	.title = "Fullest tiles",
	.brief = "Tiles",
	.note = tiles_note,
	.draw = tiles_draw,
	.chart = tiles_chart,
	INSIGHTS_TABLE_TAB,
};
