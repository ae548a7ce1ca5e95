/* SPDX-License-Identifier: MIT */
/*
 * memory_tables - where the panes of the Memory view are, and two tables of its tabs: the categories of a tile
 * and its largest variables.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

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

static const struct ts_layout_item with_tabs[] = {TOP_PANES,
	{.depth = 1, .kind = TS_PANE, .id = PANE_TABS, .weight = 4, .min = 4, .keep = 4}};

void
memory_layout(struct memory_view *m)
{
	bool alone = m->zoomed == PANE_GRAPH;

	if (!memory_map_layout(m))
		ts_layout(m->pane, alone ? graph_alone : with_tabs,
			alone ? TS_COUNT(graph_alone) : TS_COUNT(with_tabs), m->area,
			alone ? PANE_NONE : m->zoomed);
	memory_room_for_selected(m);
	ts_tabs_resize(&m->tabs, m->pane[PANE_TABS], m->zoomed == PANE_TABS);
}

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

static int
variable_column_count(const struct memory_view *m)
{
	return m->variables.has_offsets ? V_COLUMNS : V_OFFSET;
}

/* The totals are of all variables of the tile, also where not all are listed: as many words as fit. */
static void
total_name(const struct memory_view *m, const struct ts_table *table, struct ts_table_cell *out)
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
	ts_table_layout(width, table, memory_tab_rect(m, TAB_VARIABLES).w);
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
	struct ts_table table;

	if (!total && (row < 0 || row >= v->count))
		return false;
	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case V_NAME:
		if (total) {
			table = memory_variable_table(m);
			total_name(m, &table, out);
		} else if (x->unnamed) {
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

static const struct ts_column_facts variable_facts[V_COLUMNS] = {
	[V_BYTES] = {NULL, "bytes", TS_SUM_BYTES, false},
	[V_SHARE] = {NULL, "%", TS_SUM_NONE, false},
};

bool
memory_variable_value(const struct ts_tile_variables *v, int64_t row, int column,
	struct ts_table_value *out)
{
	const struct ts_tile_variable none = {.bytes = v->bytes, .offset = TS_UNKNOWN};
	const struct ts_tile_variable *x = row == TS_TABLE_TOTAL ? &none : &v->variable[row];

	if (row != TS_TABLE_TOTAL && (row < 0 || row >= v->count))
		return false;
	if (column == V_NAME)
		ts_table_value_text(out, row == TS_TABLE_TOTAL ? "total" : x->name);
	else if (column == V_CATEGORY)
		ts_table_value_text(out, x->category);
	else if (column == V_BYTES)
		ts_table_value_known(out, x->bytes);
	else if (column == V_SHARE && x->bytes >= 0 && v->bytes > 0)
		ts_table_value_real(out, 100 * (double)x->bytes / (double)v->bytes);
	else if (column == V_OFFSET)
		ts_table_value_known(out, x->offset);
	return true;
}

static bool
variable_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	return memory_variable_value(&((const struct memory_view *)ctx)->variables, row, column,
		out);
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

struct ts_table
memory_category_table(const struct memory_view *m)
{
	return (struct ts_table){.column = category_columns,
		.columns = K_COLUMNS,
		.cell = category_cell,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(m, TAB_DETAILS),
		.sorted = K_BYTES,
		.descending = true,
		.empty = "Nothing is counted for this tile."};
}

struct ts_table
memory_variable_table(const struct memory_view *m)
{
	return (struct ts_table){.column = variable_columns,
		.columns = variable_column_count(m),
		.cell = variable_cell,
		.row = variable_row,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(m, TAB_VARIABLES),
		.sorted = V_BYTES,
		.descending = true,
		.empty = "No variables on this tile.",
		.id = "memory.variables",
		.facts = variable_facts,
		.value = variable_value,
		.looks = m->view.env->looks,
		.order = (struct ts_table_order *)(uintptr_t)&m->variable_order,
		.units = memory_units(m)};
}

void
memory_order_variables(struct memory_view *m)
{
	struct ts_table t = memory_variable_table(m);

	ts_table_order_make(&m->variable_order, &t, &m->variable_list, m->variables.count,
		m->variables_version);
}

const struct ts_tile_variable *
memory_variable(const struct memory_view *m)
{
	struct ts_table t = memory_variable_table(m);
	int64_t row = ts_table_row(&t, m->variable_list.cursor);

	return row >= 0 && row < m->variables.count ? &m->variables.variable[row] : NULL;
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

void
memory_categories_note(const struct memory_view *m, char *out, size_t size)
{
	const struct ts_tile *tile = memory_tile(m);
	const struct ts_categories *c = m->categories ? &m->categories->c : NULL;
	long long number = tile ? (long long)tile->tile : 0;

	if (!tile)
		out[0] = '\0';
	else if (m->categories_state.state == TS_PANE_PARTIAL)
		snprintf(out, size, "tile %lld, partial: the report is damaged", number);
	else if (c && c->cut)
		snprintf(out, size, "tile %lld (too many: not all counted)", number);
	else if (c && c->bad_rows > 0)
		snprintf(out, size, "tile %lld (%lld bad rows left out)", number,
			(long long)c->bad_rows);
	else
		snprintf(out, size, "tile %lld%s", number,
			c && c->from_variables ? ", by lowered variables" : "");
}

void
memory_draw_categories(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = memory_tab_rect(m, TAB_DETAILS);
	struct ts_table t = memory_category_table(m);

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

void
memory_variables_note(const struct memory_view *m, char *out, size_t size)
{
	const struct ts_tile *tile = memory_tile(m);
	long long shown = m->variables_of >= 0 ? (long long)m->variables_of
		: tile			       ? (long long)tile->tile
					       : 0;

	if (!tile)
		out[0] = '\0';
	else if (m->variables_state.state == TS_PANE_STALE)
		snprintf(out, size, "tile %lld (reading tile %lld)", shown, (long long)tile->tile);
	else if (m->variables_state.state == TS_PANE_PARTIAL)
		snprintf(out, size, "tile %lld, partial: the report is damaged", shown);
	else if (m->variables.bad_rows > 0)
		snprintf(out, size, "tile %lld (%lld without a size left out)", shown,
			(long long)m->variables.bad_rows);
	else if (m->variable_order.filter[0])
		snprintf(out, size, "tile %lld, with %.60s", shown, m->variable_order.filter);
	else
		snprintf(out, size, "tile %lld%s", shown,
			m->variable_order.row ? "" : ", largest first");
}

void
memory_draw_variables(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = memory_tab_rect(m, TAB_VARIABLES);
	struct ts_table t = memory_variable_table(m);

	if (ts_pane_has(&m->variables_state))
		ts_table_draw(c, r, &t, &m->variable_list);
	else
		ts_pane_draw(c, r, m->view.env, &m->variables_state);
}

/* --- copy ------------------------------------------------------------------------------------- */

void
memory_copy_category(const struct memory_view *m, char *out, size_t size)
{
	int64_t row = m->category_list.cursor;

	out[0] = '\0';
	if (row < m->rows)
		snprintf(out, size, "%lld\t%.900s\t%lld", (long long)m->rows_of,
			m->row[row].category < 0 ? "gaps" : category_name(m, m->row[row].category),
			(long long)m->row[row].bytes);
}
