/* SPDX-License-Identifier: MIT */
/*
 * operations_tiles - code and cycles by tile and vertices of the operation under the cursor, all its programs together: tabs of
 * program_tabs.h over a set of programs.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "tilescope/report/operation_details.h"

#include "operations_internal.h"
#include "program_tabs.h"

/* What a number means: a node with all below it, a node alone, a program by its place. */
enum { NUMBER_BELOW, NUMBER_ALONE, NUMBER_PROGRAM, NUMBER_KINDS };

static bool
ready(const struct ts_tab *t)
{
	return operations_host(t)->shape != NULL;
}

static int64_t
number(const struct ts_tab *t)
{
	const struct operations_view *s = operations_host(t);
	uint32_t row = operations_at(s), i;

	if (row == UINT32_MAX)
		return TS_UNKNOWN;
	switch (operations_row(&s->shape->ids, row, &i)) {
	case ROW_NODE:
		return (int64_t)i * NUMBER_KINDS +
			(s->shape->wish.tree ? NUMBER_BELOW : NUMBER_ALONE);
	case ROW_PROGRAM:
		return (int64_t)i * NUMBER_KINDS + NUMBER_PROGRAM;
	case ROW_GROUP:
	case ROW_OUTSIDE:
	default:
		return TS_UNKNOWN;
	}
}

static void *
hold(const struct ts_tab *t)
{
	return ts_operations_hold(operations_host(t)->ops);
}

static void
release(void *held)
{
	ts_operations_close(held);
}

static enum ts_code
read_tiles(struct ts_program_details *d, struct ts_reader *rd, void *held, int64_t of,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_operations *o = held;
	int64_t i = of / NUMBER_KINDS;

	if (of % NUMBER_KINDS == NUMBER_PROGRAM)
		return ts_program_details_read(d, rd,
			((const struct ts_program_cost *)o->costs->cost.memory)[i].program, err);
	return ts_operation_details_read(d, rd, o, (uint32_t)i, of % NUMBER_KINDS == NUMBER_BELOW,
		NULL, progress, err);
}

static bool
query(const struct ts_tab *t, char *out, size_t size)
{
	const struct operations_view *s = operations_host(t);
	char with[OPERATIONS_QUERY];
	uint32_t row = operations_at(s);
	bool program = operations_program_at(s) != TS_UNKNOWN;

	if (program)
		snprintf(with, sizeof(with),
			"WITH of(p, c) AS (SELECT DISTINCT program, compute_set FROM "
			"operation_member WHERE program = %" PRId64 ") ",
			operations_program_at(s));
	return (program || operations_query(with, s->shape, row)) &&
		(size_t)snprintf(out, size, "%s", with) < size;
}

/* The memory of that tile. */
static enum ts_effect
open_tile(struct ts_tab *t, int64_t tile)
{
	snprintf(t->view->env->place, sizeof(t->view->env->place), "memory?tile=%" PRId64, tile);
	return TS_EFFECT_REPAINT;
}

static const struct program_tab_of of_cursor = {.ready = ready,
	.program = number,
	.place = operations_tab_note,
	.open_tile = open_tile,
	.nothing = OPERATIONS_NOTHING,
	.what = "operation",
	.hold = hold,
	.release = release,
	.read = read_tiles,
	.about = operations_tab_about,
	.query = query};

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

static const struct ts_hint tile_hints[] = {
	{TS_CMD_OPEN, "tile"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_hint vertices_hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops operations_tab_code = {
	.name = "code",
	.title = "Code by tile",
	.brief = "Code",
	.hints = tile_hints,
	.open = code_open,
	.absent = program_code_absent,
	.sheet = operations_tab_sheet,
	PROGRAM_TAB_OPS,
};

const struct ts_tab_ops operations_tab_vertices = {
	.name = "vertices",
	.title = "Vertices",
	.hints = vertices_hints,
	.open = vertices_open,
	.absent = program_vertices_absent,
	.sheet = operations_tab_sheet,
	PROGRAM_TAB_OPS,
};

const struct ts_tab_ops operations_tab_cycles = {
	.name = "cycles",
	.title = "Cycles by tile",
	.brief = "Cycles",
	.hints = tile_hints,
	.open = cycles_open,
	.absent = program_cycles_absent,
	.sheet = operations_tab_sheet,
	PROGRAM_TAB_OPS,
};
