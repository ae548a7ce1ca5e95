/* SPDX-License-Identifier: MIT */
/*
 * memory_tables - where the panes of the Memory view are, and the table of a tile's largest variables.
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
	memory_room_for_rows(m);
	ts_tabs_resize(&m->tabs, m->pane[PANE_TABS], m->zoomed == PANE_TABS);
}

/* --- tables ----------------------------------------------------------------------------------- */

enum { V_NAME, V_CATEGORY, V_BYTES, V_SHARE, V_OFFSET, V_COLUMNS };

static const struct ts_column variable_columns[V_COLUMNS] = {
	[V_NAME] = {"variable", 16, 0, 6, 0, TS_FIELD_TAIL},
	[V_CATEGORY] = {"category", 10, 22, 1, 3, TS_FIELD_ELLIPSIS},
	[V_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[V_SHARE] = {"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
	[V_OFFSET] = {"offset", 8, 10, 0, 4, TS_FIELD_RIGHT},
};

const char *
memory_category_name(const struct memory_view *m, int category)
{
	if (m->categories)
		return m->categories->c.category[category].name;
	return m->variables.categories && category < m->variables.categories->count
		? m->variables.categories->name[category]
		: "";
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
