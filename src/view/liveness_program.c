/* SPDX-License-Identifier: MIT */
/* liveness_program - tabs about the program that runs at the step: those of program_tabs.h. */
#include "config.h"

#include <stdio.h>

#include "liveness_internal.h"
#include "program_tabs.h"

static bool
ready(const struct ts_tab *t)
{
	const struct liveness *s = t->host;

	return s->src.line.count > 0;
}

static int64_t
program(const struct ts_tab *t)
{
	return live_program(t->host);
}

static void
place(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	char n[TS_FMT_MAX];

	snprintf(out, TS_TAB_NOTE, "step %s", ts_fmt_count(n, live_step(t->host)));
}

/* The liveness of that tile. */
static enum ts_effect
open_tile(struct ts_tab *t, int64_t tile)
{
	struct ts_live_source source = {.where = TS_LIVE_TILE, .number = tile};

	if (!ts_tile_lives_can(t->view->env->report))
		return TS_EFFECT_BELL;
	t->view->env->selection->tile = tile;
	live_set_source(t->host, &source, NULL);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static const struct program_tab_of of_step = {.ready = ready,
	.program = program,
	.place = place,
	.open_tile = open_tile,
	.nothing = "Which program runs at this step is not recorded.",
	.what = "step"};

static bool
vertices_open(struct ts_tab *t)
{
	return program_tab_open(t, &of_step, PROGRAM_VERTICES);
}

static bool
cycles_open(struct ts_tab *t)
{
	return program_tab_open(t, &of_step, PROGRAM_CYCLES);
}

static bool
path_open(struct ts_tab *t)
{
	return program_path_open(t, &of_step);
}

static const struct ts_hint vertices_hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_vertices = {
	.name = "vertices",
	.title = "Vertices",
	.hints = vertices_hints,
	.open = vertices_open,
	.absent = program_vertices_absent,
	.sheet = live_tab_sheet,
	PROGRAM_TAB_OPS,
};

static const struct ts_hint cycles_hints[] = {
	{TS_CMD_OPEN, "tile"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_cycles = {
	.name = "cycles",
	.title = "Cycles",
	.hints = cycles_hints,
	.open = cycles_open,
	.absent = program_cycles_absent,
	.sheet = live_tab_sheet,
	PROGRAM_TAB_OPS,
};

static const struct ts_hint path_hints[] = {
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_EDIT, "source"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_path = {
	.name = "path",
	.title = "Path",
	.hints = path_hints,
	.open = path_open,
	.absent = program_path_absent,
	.sheet = live_tab_sheet,
	PROGRAM_PATH_OPS,
};
