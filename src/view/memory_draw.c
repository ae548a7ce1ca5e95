/* SPDX-License-Identifier: MIT */
/*
 * memory_draw - the Memory view on the canvas.
 *
 * From top to bottom: the strip over all tiles, what the graph shows, its legend, the graph with IPUs
 * and tile numbers below, the figures of the tile under the cursor, and the two tables of that
 * tile, side by side where there is room. Everything is drawn from figures that memory_data.c made;
 * the work is bounded by cells.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum { WIDE = 100, LONG_READOUT = 120 };

/* --- layout ----------------------------------------------------------------------------------- */

#define TOP_PANES                                                                                  \
	{.depth = 0, .kind = TS_SPLIT_ROWS},                                                       \
		{.depth = 1, .kind = TS_PANE, .id = PANE_STRIP, .fixed = 1, .keep = 2},            \
		{.depth = 1, .kind = TS_PANE, .id = PANE_TITLE, .fixed = 1, .keep = 6},            \
		{.depth = 1, .kind = TS_PANE, .id = PANE_LEGEND, .fixed = 1, .keep = 1},           \
		{.depth = 1, .kind = TS_PANE, .id = PANE_GRAPH, .weight = 5, .min = 4, .keep = 9}, \
	{                                                                                          \
		.depth = 1, .kind = TS_PANE, .id = PANE_READOUT, .fixed = 1, .keep = 8             \
	}

static const struct ts_layout_item graph_alone[] = {TOP_PANES};

static const struct ts_layout_item with_categories[] = {TOP_PANES,
	{.depth = 1, .kind = TS_PANE, .id = PANE_CATEGORIES, .weight = 4, .min = 4, .keep = 4}};

static const struct ts_layout_item with_variables[] = {TOP_PANES,
	{.depth = 1, .kind = TS_PANE, .id = PANE_VARIABLES, .weight = 4, .min = 4, .keep = 4}};

static const struct ts_layout_item with_both[] = {TOP_PANES,
	{.depth = 1, .kind = TS_SPLIT_COLUMNS, .weight = 4, .min = 4, .keep = 4, .gap = 1},
	{.depth = 2, .kind = TS_PANE, .id = PANE_CATEGORIES, .weight = 2, .min = 40},
	{.depth = 2, .kind = TS_PANE, .id = PANE_VARIABLES, .weight = 3, .min = 50}};

/* --- numbers ---------------------------------------------------------------------------------- */

static enum ts_units
units(const struct memory_view *m)
{
	return m->view.env->options->units;
}

static const char *
bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	return ts_fmt_bytes_short(out, (int64_t)v, units(ctx));
}

static int
tick_base(const struct memory_view *m)
{
	return units(m) == TS_UNITS_KIB ? 2 : 10;
}

/* Numbers below the axis: of the tile where the numbers are not those of the list. */
static const char *
tile_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct memory_view *m = ctx;
	int64_t i = (int64_t)v;

	out[0] = '\0';
	if (v < 0 || v != (double)i)
		return out;
	if (m->tiles->dense)
		return ts_fmt_count(out, i);
	return i < m->tiles->n ? ts_fmt_count(out, m->tiles->tiles.tile[i].tile) : out;
}

/* A figure of this view: long where there is room. */
static const char *
bytes_text(const struct memory_view *m, char out[TS_FMT_MAX], int64_t bytes, bool wide)
{
	return wide ? ts_fmt_bytes(out, bytes, units(m)) : ts_fmt_bytes_short(out, bytes, units(m));
}

/* --- tables ----------------------------------------------------------------------------------- */

enum { K_LETTER, K_NAME, K_BYTES, K_SHARE, K_BAR, K_COLUMNS };

static const struct ts_column category_columns[K_COLUMNS] = {
	[K_LETTER] = {"", 1, 1, 0, 3, TS_FIELD_LEFT},
	[K_NAME] = {"category", 14, 28, 3, 0, TS_FIELD_ELLIPSIS},
	[K_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[K_SHARE] = {"share", 6, 6, 0, 1, TS_FIELD_RIGHT},
	[K_BAR] = {"", 6, 0, 2, 2, TS_FIELD_LEFT},
};

enum { V_NAME, V_CATEGORY, V_BYTES, V_SHARE, V_OFFSET, V_COLUMNS };

static const struct ts_column variable_columns[V_COLUMNS] = {
	[V_NAME] = {"variable", 16, 0, 6, 0, TS_FIELD_TAIL},
	[V_CATEGORY] = {"category", 10, 22, 1, 3, TS_FIELD_ELLIPSIS},
	[V_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[V_SHARE] = {"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
	[V_OFFSET] = {"offset", 8, 10, 0, 4, TS_FIELD_RIGHT},
};

/* The band of the graph that a category belongs to, or -1. */
static int
band_of(const struct memory_view *m, int category)
{
	const struct memory_categories *k = m->categories;

	if (category < 0 || !k || k->bands == 0)
		return -1;
	return category < k->bands - (k->other ? 1 : 0) ? category : k->bands - 1;
}

static bool
category_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct memory_view *m = ctx;
	bool total = row == TS_TABLE_TOTAL;
	int64_t bytes = total ? m->rows_bytes : row < m->rows ? m->row[row].bytes : 0;
	int category = total || row >= m->rows ? -1 : m->row[row].category;
	int band = band_of(m, category);

	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case K_LETTER:
		if (band >= 0) {
			snprintf(out->buf, sizeof(out->buf), "%c", m->categories->letter[band]);
			out->role = TS_ROLE_SERIES_0 + (unsigned)band % TS_ROLE_SERIES;
		}
		break;
	case K_NAME:
		out->s = total	       ? "total"
			: category < 0 ? "gaps between variables"
				       : m->categories->c.category[category].name;
		break;
	case K_BYTES:
		ts_fmt_bytes(out->buf, bytes, units(m));
		break;
	case K_SHARE:
		ts_fmt_percent(out->buf, (double)bytes, (double)m->rows_bytes);
		break;
	default:
		break;
	}
	return true;
}

static void
total_name(const struct ts_tile_variables *v, struct ts_table_cell *out)
{
	char found[TS_FMT_MAX];

	snprintf(out->buf, sizeof(out->buf), "%s variable%s%s", ts_fmt_count(found, v->found),
		v->found == 1 ? "" : "s", v->found > v->count ? ", the largest 1,000 shown" : "");
}

static bool
variable_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct memory_view *m = ctx;
	const struct ts_tile_variables *v = &m->variables;
	bool total = row == TS_TABLE_TOTAL;
	const struct ts_tile_variable none = {.bytes = v->bytes, .offset = TS_UNKNOWN};
	const struct ts_tile_variable *x = total ? &none : &v->variable[row];

	if (!total && (row < 0 || row >= v->count))
		return false;
	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case V_NAME:
		if (total)
			total_name(v, out);
		else if (x->name)
			out->s = x->name;
		else
			out->s = v->has_names ? "(no name)" : "(names are not recorded)";
		break;
	case V_CATEGORY:
		out->s = x->category ? x->category : "";
		break;
	case V_BYTES:
		if (x->bytes >= 0)
			ts_fmt_bytes(out->buf, x->bytes, units(m));
		break;
	case V_SHARE:
		if (x->bytes >= 0)
			ts_fmt_percent(out->buf, (double)x->bytes, (double)v->bytes);
		break;
	default:
		if (x->offset != TS_UNKNOWN)
			snprintf(out->buf, sizeof(out->buf), "0x%llx",
				(unsigned long long)x->offset);
		break;
	}
	return true;
}

static enum ts_role
variable_row(void *ctx, int64_t row)
{
	const struct memory_view *m = ctx;
	const char *name = row >= 0 && row < m->variables.count ? m->variables.variable[row].name
								: NULL;

	return m->search[0] && name && ts_contains_nocase(name, m->search) ? TS_ROLE_MATCH
									   : TS_ROLE_TEXT;
}

static struct ts_table
category_table(const struct memory_view *m)
{
	return (struct ts_table){.column = category_columns,
		.columns = K_COLUMNS,
		.cell = category_cell,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = m->focus == PANE_CATEGORIES,
		.sorted = K_BYTES,
		.descending = true,
		.empty = "Nothing is counted for this tile."};
}

static struct ts_table
variable_table(const struct memory_view *m)
{
	return (struct ts_table){.column = variable_columns,
		.columns = m->variables.has_offsets ? V_COLUMNS : V_OFFSET,
		.cell = variable_cell,
		.row = variable_row,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = m->focus == PANE_VARIABLES,
		.sorted = V_BYTES,
		.descending = true,
		.empty = "No variables on this tile."};
}

/* What is below the rule of a table's pane. */
static struct ts_rect
table_rect(const struct memory_view *m, enum memory_pane pane)
{
	struct ts_rect r = m->pane[pane];

	ts_rect_cut_top(&r, 1);
	return r;
}

void
memory_layout(struct memory_view *m)
{
	struct ts_table categories = category_table(m), variables = variable_table(m);
	enum memory_pane zoomed = m->zoomed == PANE_GRAPH ? PANE_NONE : m->zoomed;

	m->wide = m->area.w >= WIDE;
	if (m->zoomed == PANE_GRAPH)
		ts_layout(m->pane, graph_alone, TS_COUNT(graph_alone), m->area, PANE_NONE);
	else if (m->wide)
		ts_layout(m->pane, with_both, TS_COUNT(with_both), m->area, zoomed);
	else if (m->details == PANE_VARIABLES)
		ts_layout(m->pane, with_variables, TS_COUNT(with_variables), m->area, zoomed);
	else
		ts_layout(m->pane, with_categories, TS_COUNT(with_categories), m->area, zoomed);
	ts_list_resize(&m->category_list,
		ts_table_rows(&categories, table_rect(m, PANE_CATEGORIES)));
	ts_list_resize(&m->variable_list, ts_table_rows(&variables, table_rect(m, PANE_VARIABLES)));
}

struct ts_list *
memory_list_at(struct memory_view *m, int y, enum memory_pane pane, int *line)
{
	struct ts_table t = pane == PANE_CATEGORIES ? category_table(m) : variable_table(m);

	*line = ts_table_line(&t, table_rect(m, pane), y);
	return pane == PANE_CATEGORIES ? &m->category_list : &m->variable_list;
}

int
memory_gutter(const struct memory_view *m)
{
	int h = m->pane[PANE_GRAPH].h - AXIS_ROWS;
	int w = ts_chart_y_width(h, m->top, tick_base(m), bytes_tick, (void *)(uintptr_t)m);

	return w < m->pane[PANE_GRAPH].w / 3 ? w : 0;
}

/* Bars in the last column of the categories, drawn over the table. */
static void
draw_bars(struct ts_canvas *c, struct ts_rect r, const struct memory_view *m,
	const struct ts_table *t)
{
	int width[TS_TABLE_COLUMNS], x = 0, rows = ts_table_rows(t, r);
	int64_t from, to;

	ts_table_widths(width, category_columns, K_COLUMNS, r.w);
	for (int i = 0; i < K_BAR; i++)
		x += width[i] > 0 ? width[i] + 1 : 0;
	if (width[K_BAR] == 0)
		return;
	ts_list_window(&m->category_list, &from, &to);
	for (int64_t row = from; row < to && row - from < rows && row < m->rows; row++) {
		struct ts_rect bar = {r.x + x, r.y + (r.h > 1) + (int)(row - from), width[K_BAR],
			1};
		int band = band_of(m, m->row[row].category);
		struct ts_segment s = {(double)m->row[row].bytes, TS_ROLE_BAR, 0};

		if (band >= 0)
			s.role = TS_ROLE_SERIES_0 + (unsigned)band % TS_ROLE_SERIES;
		ts_chart_bar(c, bar, &s, 1, (double)m->rows_bytes);
	}
}

static enum ts_role
rule_role(const struct memory_view *m, enum memory_pane pane)
{
	return m->focus == pane ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER;
}

/* Words on the right end of a table's rule: what is wrong with it, or how to get the other one. */
static const char *
rule_note(const struct memory_view *m, const struct ts_pane_data *d, const char *other)
{
	if (d->state == TS_PANE_PARTIAL)
		return "partial: the report is damaged";
	return m->wide || m->zoomed != PANE_NONE ? NULL : other;
}

static void
draw_categories(struct ts_canvas *c, const struct memory_view *m, const struct ts_tile *tile)
{
	struct ts_rect r = m->pane[PANE_CATEGORIES];
	struct ts_table t = category_table(m);
	char title[80];

	if (ts_rect_empty(r))
		return;
	snprintf(title, sizeof(title), "Categories of tile %lld%s", (long long)tile->tile,
		m->categories && m->categories->c.from_variables ? ", by lowered variables" : "");
	ts_canvas_rule(c, ts_rect_cut_top(&r, 1), rule_role(m, PANE_CATEGORIES), title,
		rule_note(m, &m->categories_state, "Tab: variables"));
	if (!m->categories) {
		ts_pane_draw(c, r, &m->categories_state);
		return;
	}
	ts_table_draw(c, r, &t, &m->category_list);
	draw_bars(c, r, m, &t);
}

static void
variables_title(const struct memory_view *m, const struct ts_tile *tile, char *out, size_t size)
{
	int64_t shown = m->variables_of >= 0 ? m->variables_of : tile->tile;

	if (m->variables_state.state == TS_PANE_STALE)
		snprintf(out, size, "Variables of tile %lld (reading tile %lld)", (long long)shown,
			(long long)tile->tile);
	else if (m->variables.bad_rows > 0)
		snprintf(out, size, "Variables of tile %lld (%lld without a size left out)",
			(long long)shown, (long long)m->variables.bad_rows);
	else
		snprintf(out, size, "Largest variables of tile %lld", (long long)shown);
}

static void
draw_variables(struct ts_canvas *c, const struct memory_view *m, const struct ts_tile *tile)
{
	struct ts_rect r = m->pane[PANE_VARIABLES];
	struct ts_table t = variable_table(m);
	char title[120];

	if (ts_rect_empty(r))
		return;
	variables_title(m, tile, title, sizeof(title));
	ts_canvas_rule(c, ts_rect_cut_top(&r, 1), rule_role(m, PANE_VARIABLES), title,
		rule_note(m, &m->variables_state, "Tab: graph"));
	if (ts_pane_has(&m->variables_state))
		ts_table_draw(c, r, &t, &m->variable_list);
	else
		ts_pane_draw(c, r, &m->variables_state);
}

/* --- strip, title, legend --------------------------------------------------------------------- */

static void
draw_strip(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_STRIP];
	const struct memory_plot *p = &m->plot;
	int n = p->strip_columns, cursor = ts_span_overview(&m->span, n, m->span.cursor);

	if (ts_rect_empty(r) || n <= 0)
		return;
	ts_chart_strip(c, r, p->strip, n, m->top, ts_span_overview(&m->span, n, m->span.from),
		ts_span_overview(&m->span, n, m->span.to - 1) + 1, NULL);
	for (int i = 0; i < n; i++)
		if (p->strip_bad[i])
			ts_canvas_overlay(c, (struct ts_rect){r.x + i, r.y, 1, 1}, TS_ROLE_BAD);
	if (cursor >= 0)
		ts_canvas_overlay(c, (struct ts_rect){r.x + cursor, r.y, 1, 1},
			TS_ROLE_COLUMN_OTHER);
}

static void
graph_title(const struct memory_view *m, char *out, size_t size)
{
	static const char *const several[BY_COUNT] =
		{"Memory: mean and fullest tile of each column",
			"Memory by category: fullest tile of each column",
			"Memory by category: mean of each column",
			"Memory by liveness: fullest tile of each column"};
	static const char *const single[BY_COUNT] = {"Memory of each tile",
		"Memory of each tile by category", "Memory of each tile by category",
		"Memory of each tile by liveness"};
	const char *what = (m->plot.several ? several : single)[m->breakdown];
	bool wait = m->breakdown != BY_TOTAL && m->breakdown != BY_LIVENESS && !m->categories;

	snprintf(out, size, "%s%s", what,
		wait			      ? " (being counted)"
			: !m->tiles->has_gaps ? ""
			: m->gaps	      ? ", with gaps"
					      : ", without gaps");
}

static void
draw_title(struct ts_canvas *c, const struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	char title[120], right[120], n[TS_FMT_MAX], over[TS_FMT_MAX], cut[TS_FMT_MAX];

	graph_title(m, title, sizeof(title));
	snprintf(right, sizeof(right), "%s tile%s", ts_fmt_count(n, t->n), t->n == 1 ? "" : "s");
	if (t->over > 0)
		snprintf(right + strlen(right), sizeof(right) - strlen(right),
			", %s over the limit", ts_fmt_count(over, (int64_t)t->over));
	if ((double)t->top[m->gaps] > m->top)
		snprintf(right + strlen(right), sizeof(right) - strlen(right), ", cut at %s",
			ts_fmt_bytes_short(cut, (int64_t)m->top, units(m)));
	ts_canvas_rule(c, m->pane[PANE_TITLE], rule_role(m, PANE_GRAPH), title, right);
}

/* What is not whole about the tiles, at the right end of the legend; returns its columns. */
static int
draw_note(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_LEGEND];
	char text[160] = "", n[TS_FMT_MAX];

	if (m->tiles_state.state == TS_PANE_PARTIAL)
		snprintf(text, sizeof(text), "partial: %.140s", m->tiles_state.reason);
	else if (m->tiles->tiles.bad_rows > 0)
		snprintf(text, sizeof(text), "%s row%s left out: bad numbers",
			ts_fmt_count(n, m->tiles->tiles.bad_rows),
			m->tiles->tiles.bad_rows == 1 ? "" : "s");
	else if (m->tiles->target_note[0])
		snprintf(text, sizeof(text), "%s", m->tiles->target_note);
	if (text[0])
		ts_canvas_right(c, r, 0, 0, TS_ROLE_NOTE, text);
	return (int)strlen(text);
}

/* The bands of the graph, their names; returns how many. */
static int
graph_bands(const struct memory_view *m, struct ts_band band[MEMORY_BANDS],
	const char *name[MEMORY_BANDS])
{
	const struct memory_plot *p = &m->plot;
	const struct memory_categories *k = m->categories;

	if (m->breakdown == BY_LIVENESS) {
		band[0] = (struct ts_band){p->layer[0], TS_ROLE_BASE, 'a'};
		band[1] = (struct ts_band){p->layer[1], TS_ROLE_FILL, 'n'};
		name[0] = "always live";
		name[1] = "not always live, at the tile's peak";
		return 2;
	}
	if (m->breakdown == BY_TOTAL || !k) {
		/* the second band only where it is needed: one band has finer blocks in ASCII */
		band[0] = (struct ts_band){p->fill, TS_ROLE_FILL, 0};
		band[1] = (struct ts_band){p->over, TS_ROLE_BAD, '!'};
		name[0] = p->several ? "mean of the column" : "used";
		name[1] = "over the limit";
		return m->tiles->over > 0 ? 2 : 1;
	}
	for (int b = 0; b < k->bands; b++) {
		band[b] = (struct ts_band){p->layer[b],
			TS_ROLE_SERIES_0 + (unsigned)b % TS_ROLE_SERIES, k->letter[b]};
		name[b] = k->name[b];
	}
	return k->bands;
}

/* Is the fullest tile drawn as a line? Where the area is that tile there is nothing to add. */
static bool
has_outline(const struct memory_view *m)
{
	if (m->breakdown == BY_LIVENESS)
		return true;
	return m->plot.several && (m->breakdown != BY_CATEGORY || !m->categories);
}

static void
draw_legend(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_LEGEND];
	struct ts_band band[MEMORY_BANDS];
	const char *name[MEMORY_BANDS];
	int n = graph_bands(m, band, name), x;

	if (ts_rect_empty(r))
		return;
	ts_rect_cut_right(&r, draw_note(c, m) + 1);
	ts_rect_cut_left(&r, m->gutter);
	if (has_outline(m)) {
		ts_canvas_glyph(c, r, 0, 0, TS_ROLE_OUTLINE, 0x23bb);
		x = ts_canvas_text(c, r, 2, 0, TS_ROLE_LABEL,
			m->breakdown == BY_LIVENESS ? "used" : "fullest tile");
		ts_rect_cut_left(&r, x + 2);
	}
	ts_chart_legend(c, r, band, name, n);
}

/* --- graph ------------------------------------------------------------------------------------ */

static void
draw_ipus(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	const struct memory_plot *p = &m->plot;
	struct ts_chart_label label[MEMORY_IPUS];
	char text[MEMORY_IPUS][40];
	int n = 0, begins = 0;

	for (int i = 0; i < p->columns; i++)
		begins += p->ipu[i];
	for (int i = 0; i < p->columns && n < MEMORY_IPUS; i++) {
		int64_t at = p->bucket[i].from;

		if (!p->ipu[i] && i > 0)
			continue;
		while (i > 0 && at + 1 < p->bucket[i].to &&
			m->tiles->ipu[at] == m->tiles->ipu[at - 1])
			at++;
		if (at >= m->tiles->n || m->tiles->ipu[at] == TS_UNKNOWN)
			continue;
		if (i > 0 && begins * 4 <= p->columns)
			ts_chart_divider(c, f->plot, i, TS_ROLE_BOUNDARY);
		snprintf(text[n], sizeof(text[n]), "ipu %lld", (long long)m->tiles->ipu[at]);
		label[n] = (struct ts_chart_label){i, text[n], TS_ROLE_BOUNDARY};
		n++;
	}
	if (f->x.h > 1)
		ts_chart_labels(c, f, 0, label, n);
}

static void
draw_limit(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	const struct ts_target *t = &m->tiles->target;
	char label[64], text[TS_FMT_MAX];

	if (t->bytes_per_tile == TS_UNKNOWN)
		return;
	snprintf(label, sizeof(label), "limit %s%s",
		ts_fmt_bytes_short(text, t->bytes_per_tile, units(m)),
		t->assumed ? " (assumed)" : "");
	ts_chart_level(c, f->plot, (double)t->bytes_per_tile, m->top, TS_ROLE_LIMIT, label);
}

/* Columns with a tile that does not fit: red, and a sign on the axis. */
static void
draw_bad(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	for (int i = 0; i < m->plot.columns; i++) {
		if (!m->plot.bad[i])
			continue;
		if (m->breakdown == BY_TOTAL)
			ts_canvas_overlay(c,
				(struct ts_rect){f->plot.x + i, f->plot.y, 1, f->plot.h},
				TS_ROLE_BAD);
		if (f->x.h > 1)
			ts_canvas_glyph(c, f->x, i, 0, TS_ROLE_BAD, '!');
	}
}

static void
draw_cursor(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	int column = ts_span_column(&m->span, m->span.cursor), end = column + 1;

	if (column < 0)
		return;
	while (!m->plot.several && end < m->plot.columns &&
		m->plot.bucket[end].from == m->span.cursor)
		end++; /* a tile that takes several columns */
	for (int i = column; i < end; i++)
		ts_chart_cursor(c, f->plot, i, m->focus == PANE_GRAPH);
	ts_canvas_glyph(c, f->x, column + (end - column) / 2, 0, TS_ROLE_MARK, 0x25b2);
}

static void
draw_axes(struct ts_canvas *c, struct memory_view *m, const struct ts_chart_frame *f)
{
	double first = m->tiles->dense ? (double)m->tiles->tiles.tile[0].tile : 0;

	if (m->gutter > 0)
		ts_chart_y_axis(c, f, m->top, tick_base(m), bytes_tick, m);
	ts_chart_x_axis(c, f, first + (double)m->span.from, first + (double)m->span.to, 10,
		tile_tick, m);
}

static void
draw_graph(struct ts_canvas *c, struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_GRAPH];
	struct ts_chart_frame f = ts_chart_frame(r, m->gutter, r.h > AXIS_ROWS + 2 ? AXIS_ROWS : 1);
	struct ts_band band[MEMORY_BANDS];
	const char *name[MEMORY_BANDS];
	struct ts_area a = {.columns = m->plot.columns,
		.bands = graph_bands(m, band, name),
		.band = band,
		.top = m->top,
		.outline = has_outline(m) ? m->plot.outline : NULL};

	if (ts_rect_empty(r))
		return;
	draw_axes(c, m, &f);
	ts_chart_area(c, f.plot, &a);
	draw_limit(c, m, &f);
	draw_ipus(c, m, &f);
	draw_bad(c, m, &f);
	draw_cursor(c, m, &f);
}

/* --- read-out --------------------------------------------------------------------------------- */

struct readout {
	struct ts_canvas *c;
	struct ts_rect r;
	int x;
};

static void TS_PRINTF(3, 4) piece(struct readout *o, enum ts_role role, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	o->x = ts_canvas_text(o->c, o->r, o->x, 0, role, text);
}

static enum ts_role
fullness(const struct memory_tiles *t, const struct ts_tile *tile, int64_t used)
{
	enum { WARN_PERCENT = 90 };
	int64_t limit = t->target.bytes_per_tile;

	if (tile->overflowed > 0 || (limit != TS_UNKNOWN && used > limit))
		return TS_ROLE_BAD;
	if (limit != TS_UNKNOWN && (double)used * 100 >= (double)limit * WARN_PERCENT)
		return TS_ROLE_WARN;
	return TS_ROLE_VALUE;
}

static void
gaps_piece(struct readout *o, const struct memory_view *m, const struct ts_tile *tile, bool wide)
{
	char text[TS_FMT_MAX];
	int64_t gaps = tile->total_gaps - tile->total;

	if (tile->total_gaps == TS_UNKNOWN && m->tiles->tiles.gaps == 0)
		piece(o, TS_ROLE_NOTE, wide ? "  gaps not recorded" : "  no gaps");
	else if (tile->total_gaps == TS_UNKNOWN)
		piece(o, TS_ROLE_NOTE,
			wide ? "  whether it includes gaps is not known" : "  gaps not known");
	else if (!m->gaps)
		piece(o, TS_ROLE_LABEL, "  without gaps");
	else if (wide && gaps >= 0)
		piece(o, TS_ROLE_LABEL, "  with gaps (%s)", bytes_text(m, text, gaps, wide));
	else
		piece(o, TS_ROLE_LABEL, "  with gaps");
}

/* Which of the column's tiles it is. */
static void
column_piece(struct readout *o, const struct memory_view *m, bool wide)
{
	int column = ts_span_column(&m->span, m->span.cursor);
	const struct ts_bucket *b;
	const struct ts_tile *tile = m->tiles->tiles.tile;
	int64_t n;

	if (column < 0 || column >= m->plot.columns)
		return;
	b = &m->plot.bucket[column];
	n = b->to - b->from;
	if (n <= 1)
		return;
	if (b->max_at == m->span.cursor && wide)
		piece(o, TS_ROLE_LABEL,
			"  the fullest of the %lld tiles of this column (%lld to %lld)",
			(long long)n, (long long)tile[b->from].tile,
			(long long)tile[b->to - 1].tile);
	else if (b->max_at == m->span.cursor)
		piece(o, TS_ROLE_LABEL, "  fullest of %lld here", (long long)n);
	else if (b->max_at >= 0)
		piece(o, TS_ROLE_NOTE,
			wide ? "  one of %lld in this column, the fullest is %lld"
			     : "  of %lld here, fullest %lld",
			(long long)n, (long long)tile[b->max_at].tile);
}

static void
draw_readout(struct ts_canvas *c, const struct memory_view *m, const struct ts_tile *tile)
{
	const struct memory_tiles *t = m->tiles;
	struct readout o = {c, m->pane[PANE_READOUT], 0};
	int64_t i = m->span.cursor, used = t->value[m->gaps][i], limit = t->target.bytes_per_tile;
	bool wide = o.r.w >= LONG_READOUT;
	enum ts_role role = fullness(t, tile, used);
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	piece(&o, TS_ROLE_LABEL, "tile ");
	piece(&o, TS_ROLE_ACCENT, "%lld", (long long)tile->tile);
	if (t->ipu[i] != TS_UNKNOWN)
		piece(&o, TS_ROLE_LABEL, " ipu %lld", (long long)t->ipu[i]);
	piece(&o, role, "  %s", bytes_text(m, a, used, wide));
	if (limit != TS_UNKNOWN)
		piece(&o, role, " of %s  %s", bytes_text(m, a, limit, wide),
			ts_fmt_percent(b, (double)used, (double)limit));
	else
		piece(&o, TS_ROLE_NOTE, "  limit not known");
	if (limit != TS_UNKNOWN && t->target.assumed && wide)
		piece(&o, TS_ROLE_NOTE, " (limit assumed)");
	if (tile->overflowed > 0)
		piece(&o, TS_ROLE_BAD, "  overflowed %s", bytes_text(m, a, tile->overflowed, wide));
	gaps_piece(&o, m, tile, wide);
	piece(&o, TS_ROLE_LABEL, "  rank %s", ts_fmt_count(a, (int64_t)t->rank[m->gaps][i] + 1));
	if (wide)
		piece(&o, TS_ROLE_LABEL, " of %s", ts_fmt_count(a, t->n));
	column_piece(&o, m, wide);
}

/* --- all of it -------------------------------------------------------------------------------- */

void
memory_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct memory_view *m = (struct memory_view *)v;
	const struct ts_tile *tile = memory_tile(m);
	struct ts_rect left = m->pane[PANE_CATEGORIES];

	if (!m->tiles) {
		ts_pane_draw(c, m->area, &m->tiles_state);
		return;
	}
	if (!tile) {
		ts_canvas_wrap(c, m->area, 0, TS_ROLE_TEXT,
			"This report has a table of the tiles' memory, but no tile in it.");
		return;
	}
	draw_strip(c, m);
	draw_title(c, m);
	draw_legend(c, m);
	draw_graph(c, m);
	draw_readout(c, m, tile);
	draw_categories(c, m, tile);
	draw_variables(c, m, tile);
	if (!ts_rect_empty(left) && !ts_rect_empty(m->pane[PANE_VARIABLES]))
		ts_canvas_vline(c, m->area, left.x + left.w - m->area.x, left.y - m->area.y, left.h,
			TS_ROLE_BORDER);
}

/* --- copy ------------------------------------------------------------------------------------- */

void
memory_copy(struct memory_view *m, char *out, size_t size)
{
	const struct ts_tile *tile = memory_tile(m);
	int64_t row;

	out[0] = '\0';
	if (!tile)
		return;
	if (m->focus == PANE_CATEGORIES && m->rows > 0) {
		row = ts_clamp_i64(m->category_list.cursor, 0, m->rows - 1);
		snprintf(out, size, "%lld\t%.900s\t%lld", (long long)tile->tile,
			m->row[row].category < 0
				? "gaps"
				: m->categories->c.category[m->row[row].category].name,
			(long long)m->row[row].bytes);
	} else if (m->focus == PANE_VARIABLES && m->variables.count > 0) {
		const struct ts_tile_variable *x;

		row = ts_clamp_i64(m->variable_list.cursor, 0, m->variables.count - 1);
		x = &m->variables.variable[row];
		snprintf(out, size, "%lld\t%.800s\t%.100s\t%lld", (long long)m->variables.tile,
			x->name ? x->name : "", x->category ? x->category : "",
			(long long)x->bytes);
	} else {
		snprintf(out, size, "%lld\t%lld", (long long)tile->tile,
			(long long)m->tiles->value[m->gaps][m->span.cursor]);
	}
}
