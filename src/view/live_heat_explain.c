/* SPDX-License-Identifier: MIT */
/* live_heat_explain - what a figure of the heat map is, and its cells as rows of a file. */
#include "config.h"

#include <stdio.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

#include "live_heat_internal.h"

/* --- what a figure is ------------------------------------------------------------------------- */

/* What is always live on the tile: as tile_memory records it, else of its lowered variables. */
static void
base_query(char *out, size_t size, const struct ts_report *r, int64_t tile)
{
	bool flags = ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ALWAYS_LIVE);
	bool recorded = ts_report_has(r, TS_TILE_MEMORY) &&
		ts_report_has_column(r, TS_TILE_MEMORY, TS_TILE_MEMORY_ALWAYS_LIVE);
	char sum[160] = "0";

	if (flags)
		snprintf(sum, sizeof(sum),
			"(SELECT coalesce(sum(bytes), 0) FROM lowered_variable WHERE tile = %lld "
			"AND always_live > 0)",
			(long long)tile);
	if (recorded)
		snprintf(out, size,
			"coalesce((SELECT always_live FROM tile_memory WHERE tile = %lld), %s)",
			(long long)tile, sum);
	else
		snprintf(out, size, "%s", sum);
}

void
ts_live_explain(struct ts_explained *x, const struct ts_report *r, int64_t tile, int64_t step)
{
	bool flags = ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ALWAYS_LIVE);
	char base[400];

	base_query(base, sizeof(base), r, tile);
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"tile_memory.always_live, lowered_variable (tile, bytes, class, always_live), "
		"class_interval");
	ts_explain_query(x,
		"SELECT %s + (SELECT coalesce(sum(bytes), 0) FROM lowered_variable WHERE tile = "
		"%lld%s AND class IN (SELECT class FROM class_interval WHERE start <= %lld AND "
		"\"end\" > %lld))",
		base, (long long)tile, flags ? " AND NOT ifnull(always_live, 0)" : "",
		(long long)step, (long long)step);
}

static void
explain_spot(struct ts_explain *out, const struct ts_tab *t, const struct heat *h,
	const struct ts_live_spot *s, const char *what)
{
	enum ts_units units = t->view->env->options->units;
	int64_t base = h->l->tile[s->place].base, tile = heat_tile(h, s->place);
	struct ts_explained *x = ts_explain_add(out, "%s: tile %lld at liveness step %lld", what,
		(long long)tile, (long long)s->step);

	ts_explain_bytes(x, s->bytes, units);
	ts_explain_formula(x, "always live %lld + alive at step %lld %lld = %lld bytes",
		(long long)base, (long long)s->step, (long long)(s->bytes - base),
		(long long)s->bytes);
	ts_explain_note(x,
		h->sampled ? "a sample: of the tiles of a cell one is read so far"
			   : "the most of the cell's tiles at any of its steps: nothing is "
			     "sampled");
	ts_live_explain(x, t->view->env->report, tile, s->step);
}

void
heat_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct heat *h = t->own;
	struct ts_live_spot most;

	if (!h->l || !h->most || h->l->tiles == 0)
		return;
	most = ts_live_bottleneck(h->l);
	if (h->spot.place >= 0)
		explain_spot(out, t, h, &h->spot, "live bytes of the cell");
	if (most.place >= 0)
		explain_spot(out, t, h, &most, "the fullest tile and step");
}

/* --- rows ------------------------------------------------------------------------------------- */

enum { R_FIRST_TILE, R_LAST_TILE, R_FIRST_STEP, R_LAST_STEP, R_BYTES, COLUMNS };

static const struct ts_column_facts facts[COLUMNS] = {
	[R_FIRST_TILE] = {.name = "first_tile"},
	[R_LAST_TILE] = {.name = "last_tile"},
	[R_FIRST_STEP] = {.name = "first_step"},
	[R_LAST_STEP] = {.name = "last_step"},
	[R_BYTES] = {.name = "most_live", .unit = "bytes"},
};

/* Cells row by row. */
static bool
value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct heat *h = ((const struct ts_tab *)ctx)->own;
	const struct ts_live_heat *s = &h->shown;
	int64_t place, step, end;

	if (!h->most || row < 0 || row >= (int64_t)s->rows * s->columns)
		return false;
	place = (int64_t)(s->tile + (size_t)(row / s->columns) * s->per_row);
	ts_live_heat_column(s, (int)(row % s->columns), &step, &end);
	switch (column) {
	case R_FIRST_TILE:
		ts_table_value_known(out, heat_tile(h, place));
		break;
	case R_LAST_TILE:
		ts_table_value_known(out,
			heat_tile(h,
				ts_min_i64(place + (int64_t)s->per_row, (int64_t)h->l->tiles) - 1));
		break;
	case R_FIRST_STEP:
		ts_table_value_integer(out, step);
		break;
	case R_LAST_STEP:
		ts_table_value_integer(out, ts_min_i64(end, h->x.count) - 1);
		break;
	default:
		ts_table_value_known(out, h->most[row]);
		break;
	}
	return true;
}

/* Of the pane's rows those that have tiles. */
static size_t
rows_of(const struct heat *h)
{
	return (heat_places(h) + h->shown.per_row - 1) / h->shown.per_row;
}

bool
heat_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	const struct heat *h = t->own;

	if (!h->most)
		return false;
	snprintf(out->title, sizeof(out->title), "Live bytes by tile and liveness step");
	out->table = (struct ts_table){.columns = COLUMNS,
		.ctx = t,
		.sorted = -1,
		.id = "liveness.heat",
		.facts = facts,
		.value = value};
	out->rows = (int64_t)rows_of(h) * h->shown.columns;
	out->wait = h->sampled ? "the map is of some tiles: the others are being read"
		: h->asking    ? "the cells are being worked out"
			       : NULL;
	return true;
}
