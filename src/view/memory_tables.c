/* SPDX-License-Identifier: MIT */
/*
 * memory_tables - where the panes of the Memory view are, and its two tables: the categories of a tile
 * and its largest variables.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum { DEBUG_LEAST = 7 }; /* rows of list and Debug tab together */

enum { WIDE = 100 };

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

static const struct ts_layout_item with_code[] = {TOP_PANES,
	{.depth = 1, .kind = TS_PANE, .id = PANE_CODE, .weight = 4, .min = 4, .keep = 4}};

static const struct ts_layout_item with_both[] = {TOP_PANES,
	{.depth = 1, .kind = TS_SPLIT_COLUMNS, .weight = 4, .min = 4, .keep = 4, .gap = 1},
	{.depth = 2, .kind = TS_PANE, .id = PANE_CATEGORIES, .weight = 2, .min = 40},
	{.depth = 2, .kind = TS_PANE, .id = PANE_VARIABLES, .weight = 3, .min = 50}};

static const struct ts_layout_item with_both_code[] = {TOP_PANES,
	{.depth = 1, .kind = TS_SPLIT_COLUMNS, .weight = 4, .min = 4, .keep = 4, .gap = 1},
	{.depth = 2, .kind = TS_PANE, .id = PANE_CATEGORIES, .weight = 2, .min = 40},
	{.depth = 2, .kind = TS_PANE, .id = PANE_CODE, .weight = 3, .min = 50}};

/* --- tables ----------------------------------------------------------------------------------- */

enum { K_LETTER, K_NAME, K_BYTES, K_SHARE, K_BAR, K_COLUMNS };

static const struct ts_column category_columns[K_COLUMNS] = {
	[K_LETTER] = {"", 1, 1, 0, 3, TS_FIELD_LEFT},
	[K_NAME] = {"category", 20, 28, 3, 0, TS_FIELD_ELLIPSIS},
	[K_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[K_SHARE] = {"share", 6, 6, 0, 1, TS_FIELD_RIGHT},
	[K_BAR] = {"", 6, 0, 2, 4, TS_FIELD_LEFT},
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

static const char *
category_name(const struct memory_view *m, int category)
{
	if (m->categories)
		return m->categories->c.category[category].name;
	return m->variables.categories && category < m->variables.categories->count
		? m->variables.categories->name[category]
		: "";
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
				       : category_name(m, category);
		break;
	case K_BYTES:
		ts_fmt_bytes(out->buf, bytes, memory_units(m));
		break;
	case K_SHARE:
		ts_fmt_percent(out->buf, (double)bytes, (double)m->rows_bytes);
		break;
	default:
		break;
	}
	return true;
}

struct ts_rect
memory_table_rect(const struct memory_view *m, enum memory_pane pane)
{
	struct ts_rect r = m->pane[pane];

	ts_rect_cut_top(&r, 1);
	return r;
}

static int
variable_column_count(const struct memory_view *m)
{
	return m->variables.has_offsets ? V_COLUMNS : V_OFFSET;
}

/* The totals are of all variables of the tile, also where not all are listed: as many words as fit. */
static void
total_name(const struct memory_view *m, struct ts_table_cell *out)
{
	static const char *const behind[] = {" variables (the largest 1,000 listed)",
		" (1,000 largest listed)", " (1,000 listed)", ""};
	const struct ts_tile_variables *v = &m->variables;
	int width[TS_TABLE_COLUMNS];
	char found[TS_FMT_MAX];

	ts_fmt_count(found, v->found);
	if (v->found <= v->count) {
		snprintf(out->buf, sizeof(out->buf), "%s variable%s", found,
			v->found == 1 ? "" : "s");
		return;
	}
	ts_table_widths(width, variable_columns, variable_column_count(m),
		memory_table_rect(m, PANE_VARIABLES).w);
	for (size_t i = 0; i < TS_COUNT(behind); i++) {
		int n = snprintf(out->buf, sizeof(out->buf), "all %s%s", found, behind[i]);

		if (n <= width[V_NAME])
			return;
	}
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
			total_name(m, out);
		else if (x->unnamed) {
			out->s = "⋯";
			out->role = TS_ROLE_DIM;
		} else if (x->name)
			out->s = x->name;
		else
			out->s = v->has_names ? "(no name)" : "(names are not recorded)";
		break;
	case V_CATEGORY:
		out->s = x->category ? x->category : "";
		break;
	case V_BYTES:
		if (x->bytes >= 0)
			ts_fmt_bytes(out->buf, x->bytes, memory_units(m));
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
		.columns = variable_column_count(m),
		.cell = variable_cell,
		.row = variable_row,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = m->focus == PANE_VARIABLES && !m->debug_focus,
		.sorted = V_BYTES,
		.descending = true,
		.empty = "No variables on this tile."};
}

/* What is shown has to be there. */
static void
choose_details(struct memory_view *m)
{
	if (memory_only_code(m)) {
		m->details = PANE_CODE;
	} else if (!memory_has_code(m)) {
		m->right = PANE_VARIABLES;
		if (m->details == PANE_CODE)
			m->details = PANE_CATEGORIES;
	}
}

void
memory_layout(struct memory_view *m)
{
	struct ts_table categories = category_table(m), variables = variable_table(m);
	struct ts_table code = memory_code_table(m);
	enum memory_pane zoomed = m->zoomed == PANE_GRAPH ? PANE_NONE : m->zoomed;

	m->wide = m->area.w >= WIDE;
	choose_details(m);
	if (m->zoomed == PANE_GRAPH)
		ts_layout(m->pane, graph_alone, TS_COUNT(graph_alone), m->area, PANE_NONE);
	else if (m->details == PANE_CODE && (!m->wide || memory_only_code(m)))
		ts_layout(m->pane, with_code, TS_COUNT(with_code), m->area, zoomed);
	else if (m->wide && m->right == PANE_CODE)
		ts_layout(m->pane, with_both_code, TS_COUNT(with_both_code), m->area, zoomed);
	else if (m->wide)
		ts_layout(m->pane, with_both, TS_COUNT(with_both), m->area, zoomed);
	else if (m->details == PANE_VARIABLES)
		ts_layout(m->pane, with_variables, TS_COUNT(with_variables), m->area, zoomed);
	else
		ts_layout(m->pane, with_categories, TS_COUNT(with_categories), m->area, zoomed);
	memory_room_for_selected(m);
	ts_list_resize(&m->category_list,
		ts_table_rows(&categories, memory_table_rect(m, PANE_CATEGORIES)));
	m->debug_at = (struct ts_rect){0};
	if (m->debug.shown && m->pane[PANE_VARIABLES].h >= DEBUG_LEAST)
		m->debug_at = ts_rect_cut_bottom(&m->pane[PANE_VARIABLES],
			m->pane[PANE_VARIABLES].h / 2);
	ts_debug_resize(&m->debug, m->debug_at);
	ts_list_resize(&m->variable_list,
		ts_table_rows(&variables, memory_table_rect(m, PANE_VARIABLES)));
	ts_list_resize(&m->code_list, ts_table_rows(&code, memory_table_rect(m, PANE_CODE)));
}

struct ts_list *
memory_list_at(struct memory_view *m, int y, enum memory_pane pane, int *line)
{
	struct ts_table t = pane == PANE_CATEGORIES ? category_table(m)
		: pane == PANE_CODE		    ? memory_code_table(m)
						    : variable_table(m);

	*line = ts_table_line(&t, memory_table_rect(m, pane), y);
	return memory_list_of(m, pane);
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
		if (row == m->category_list.cursor)
			ts_canvas_overlay(c, bar, t->focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER);
	}
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
categories_title(const struct memory_view *m, const struct ts_tile *tile, char *out, size_t size)
{
	const struct ts_categories *c = m->categories ? &m->categories->c : NULL;

	if (c && c->cut)
		snprintf(out, size, "Categories of tile %lld (too many: not all counted)",
			(long long)tile->tile);
	else if (c && c->bad_rows > 0)
		snprintf(out, size, "Categories of tile %lld (%lld bad rows left out)",
			(long long)tile->tile, (long long)c->bad_rows);
	else
		snprintf(out, size, "Categories of tile %lld%s", (long long)tile->tile,
			c && c->from_variables ? ", by lowered variables" : "");
}

void
memory_draw_categories(struct ts_canvas *c, const struct memory_view *m, const struct ts_tile *tile)
{
	struct ts_rect r = m->pane[PANE_CATEGORIES];
	struct ts_table t = category_table(m);
	char title[100];

	if (ts_rect_empty(r))
		return;
	categories_title(m, tile, title, sizeof(title));
	ts_canvas_rule(c, ts_rect_cut_top(&r, 1), memory_rule_role(m, PANE_CATEGORIES), title,
		rule_note(m, &m->categories_state, "Tab: variables"));
	if (!m->rows_counted && m->categories_state.state <= TS_PANE_LOADING) {
		ts_canvas_text(c, r, 2, 1, TS_ROLE_DIM, "being counted");
		return;
	}
	if (!m->rows_counted) {
		ts_pane_draw(c, r, m->view.env, &m->categories_state);
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

void
memory_draw_variables(struct ts_canvas *c, const struct memory_view *m, const struct ts_tile *tile)
{
	struct ts_rect r = m->pane[PANE_VARIABLES];
	struct ts_table t = variable_table(m);
	char title[120];

	if (ts_rect_empty(r))
		return;
	variables_title(m, tile, title, sizeof(title));
	ts_canvas_rule(c, ts_rect_cut_top(&r, 1), memory_rule_role(m, PANE_VARIABLES), title,
		rule_note(m, &m->variables_state, memory_has_code(m) ? "Tab: code" : "Tab: graph"));
	if (ts_pane_has(&m->variables_state))
		ts_table_draw(c, r, &t, &m->variable_list);
	else
		ts_pane_draw(c, r, m->view.env, &m->variables_state);
	ts_debug_draw(c, m->debug_at, &m->debug, m->debug_focus);
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
			m->row[row].category < 0 ? "gaps" : category_name(m, m->row[row].category),
			(long long)m->row[row].bytes);
	} else if (m->focus == PANE_CODE) {
		memory_copy_code(m, out, size);
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
