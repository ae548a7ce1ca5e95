/* SPDX-License-Identifier: MIT */
/*
 * memory_tables - where the panes of the Memory view are.
 */
#include "config.h"

#include "memory_internal.h"
#include "tilescope/base/mem.h"

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

	if (!memory_map_layout(m)) {
		ts_layout(m->pane, alone ? graph_alone : with_tabs,
			alone ? TS_COUNT(graph_alone) : TS_COUNT(with_tabs), m->area,
			alone ? PANE_NONE : m->zoomed);
		memory_room_for_rows(m);
	}
	ts_tabs_resize(&m->tabs, m->pane[PANE_TABS], m->zoomed == PANE_TABS);
}

const char *
memory_category_name(const struct memory_view *m, int category)
{
	if (m->categories)
		return m->categories->c.category[category].name;
	return m->variables.categories && category < m->variables.categories->count
		? m->variables.categories->name[category]
		: "";
}
