/* SPDX-License-Identifier: MIT */
/* trace_program - tabs about the program of the step under the cursor: those of program_tabs.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "program_tabs.h"
#include "trace_internal.h"

#include "tilescope/base/utf8.h"

static const struct ts_trace_row *
row_of(const struct ts_tab *tab)
{
	const struct trace_view *t = tab->host;

	return t->trace ? trace_row(t, t->list.cursor) : NULL;
}

static bool
ready(const struct ts_tab *tab)
{
	return row_of(tab) != NULL;
}

static int64_t
program(const struct ts_tab *tab)
{
	const struct ts_trace_row *row = row_of(tab);

	return row ? row->program : TS_UNKNOWN;
}

static void
place(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct ts_trace_row *row = row_of(tab);
	char n[TS_FMT_MAX];

	if (row)
		snprintf(out, TS_TAB_NOTE, "step %s", ts_fmt_count(n, row->step));
}

/* The tile in Memory. */
static enum ts_effect
open_tile(struct ts_tab *tab, int64_t tile)
{
	tab->view->env->selection->tile = tile;
	tab->view->env->go = TS_CMD_GOTO_MEMORY;
	return TS_EFFECT_REPAINT;
}

static const struct program_tab_of of_step = {.ready = ready,
	.program = program,
	.place = place,
	.open_tile = open_tile,
	.nothing = "Which program runs in this step is not recorded.",
	.what = "step"};

static bool
vertices_open(struct ts_tab *tab)
{
	return program_tab_open(tab, &of_step, PROGRAM_VERTICES);
}

static bool
cycles_open(struct ts_tab *tab)
{
	return program_tab_open(tab, &of_step, PROGRAM_CYCLES);
}

static bool
program_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct ts_held_list *l = tab->own;
	char note[TS_TAB_NOTE] = "";

	if (!l->table.column || !l->table.value)
		return false;
	program_tab_note(tab, note);
	snprintf(out->title, sizeof(out->title), "%s, %.*s", tab->ops->title,
		(int)ts_utf8_cut(note, strlen(note), TS_SHEET_ABOUT), note);
	out->table = l->table;
	out->list = &l->list;
	out->rows = l->order.rows;
	return true;
}

static const struct ts_hint hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_vertices = {
	.name = "vertices",
	.title = "Vertices",
	.brief = "Vert",
	.hints = hints,
	.open = vertices_open,
	.absent = program_vertices_absent,
	.sheet = program_sheet,
	PROGRAM_TAB_OPS,
};

const struct ts_tab_ops trace_tab_cycles = {
	.name = "cycles",
	.title = "Cycles",
	.brief = "Cyc",
	.hints = hints,
	.open = cycles_open,
	.absent = program_cycles_absent,
	.sheet = program_sheet,
	PROGRAM_TAB_OPS,
};
