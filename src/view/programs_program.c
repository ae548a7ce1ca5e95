/* SPDX-License-Identifier: MIT */
/* programs_program - tabs about the program under the cursor that other views have, too: those of program_tabs.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "program_tabs.h"
#include "programs_internal.h"

static bool
ready(const struct ts_tab *t)
{
	return programs_host(t)->data != NULL;
}

static int64_t
program(const struct ts_tab *t)
{
	const struct programs_view *s = programs_host(t);
	uint32_t at = programs_at(s);

	return s->data && at != UINT32_MAX ? programs_node(s->data, at)->program : TS_UNKNOWN;
}

/* The memory of that tile. */
static enum ts_effect
open_tile(struct ts_tab *t, int64_t tile)
{
	snprintf(t->view->env->place, sizeof(t->view->env->place), "memory?tile=%" PRId64, tile);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
open_program(struct ts_tab *t, int64_t to)
{
	return programs_go_to(programs_host(t), to);
}

static struct ts_program_tree *
tree(const struct ts_tab *t)
{
	const struct programs_view *s = programs_host(t);

	return s->data && !s->data->flat ? ts_program_tree_hold(s->data->tree) : NULL;
}

static const struct program_tab_of of_cursor = {.ready = ready,
	.program = program,
	.place = programs_tab_note,
	.open_tile = open_tile,
	.open_program = open_program,
	.tree = tree,
	.nothing = "There is no program under the cursor.",
	.what = "program"};

static bool
code_open(struct ts_tab *t)
{
	return program_tab_open(t, &of_cursor, PROGRAM_CODE);
}

static bool
vertices_open(struct ts_tab *t)
{
	return program_tab_open(t, &of_cursor, PROGRAM_VERTICES);
}

static bool
cycles_open(struct ts_tab *t)
{
	return program_tab_open(t, &of_cursor, PROGRAM_CYCLES);
}

static bool
path_open(struct ts_tab *t)
{
	return program_path_open(t, &of_cursor);
}

bool
programs_tab_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct ts_held_list *l = t->own;

	if (!l->table.column || !l->table.value)
		return false;
	snprintf(out->title, sizeof(out->title), "%s of program %" PRId64, t->ops->title,
		program(t));
	out->table = l->table;
	out->list = &l->list;
	out->rows = l->order.rows;
	return true;
}

static const struct ts_hint tile_hints[] = {
	{TS_CMD_OPEN, "tile"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops programs_tab_code = {
	.name = "code",
	.title = "Code by tile",
	.brief = "Code",
	.hints = tile_hints,
	.open = code_open,
	.absent = program_code_absent,
	.sheet = programs_tab_sheet,
	PROGRAM_TAB_OPS,
};

static const struct ts_hint vertices_hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops programs_tab_vertices = {
	.name = "vertices",
	.title = "Vertices",
	.hints = vertices_hints,
	.open = vertices_open,
	.absent = program_vertices_absent,
	.sheet = programs_tab_sheet,
	PROGRAM_TAB_OPS,
};

const struct ts_tab_ops programs_tab_cycles = {
	.name = "cycles",
	.title = "Cycles",
	.hints = tile_hints,
	.open = cycles_open,
	.absent = program_cycles_absent,
	.sheet = programs_tab_sheet,
	PROGRAM_TAB_OPS,
};

static const struct ts_hint path_hints[] = {
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_EDIT, "source"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops programs_tab_path = {
	.name = "path",
	.title = "Path",
	.hints = path_hints,
	.open = path_open,
	.absent = program_path_absent,
	.sheet = programs_tab_sheet,
	PROGRAM_PATH_OPS,
};
