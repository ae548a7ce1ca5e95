/* SPDX-License-Identifier: MIT */
/*
 * memory_sheet - the tables of the Memory view for files: a row for each tile, as the graph is drawn from; and the
 * variables of a tile with all their names.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/sheet.h"

/* --- tiles as a table --------------------------------------------------------------------------- */

enum {
	T_TILE,
	T_IPU,
	T_TOTAL,
	T_GAPS,
	T_SHARE,
	T_RANK,
	T_OVERFLOWED,
	T_ALWAYS_LIVE,
	T_NOT_ALWAYS_LIVE,
	T_FIXED
};

static const struct ts_column_facts fixed_facts[T_FIXED] = {
	[T_TILE] = {"tile", NULL, TS_SUM_NONE, false},
	[T_IPU] = {"ipu", NULL, TS_SUM_NONE, false},
	[T_TOTAL] = {"total", "bytes", TS_SUM_BYTES, false},
	[T_GAPS] = {"total_with_gaps", "bytes", TS_SUM_BYTES, false},
	[T_SHARE] = {"share_of_limit", "%", TS_SUM_NONE, false},
	[T_RANK] = {"rank", NULL, TS_SUM_NONE, false},
	[T_OVERFLOWED] = {"overflowed", "bytes", TS_SUM_BYTES, false},
	[T_ALWAYS_LIVE] = {"always_live", "bytes", TS_SUM_BYTES, false},
	[T_NOT_ALWAYS_LIVE] = {"not_always_live_peak", "bytes", TS_SUM_BYTES, false},
};

static const char *
unit_of(const struct memory_view *m)
{
	static const char *const units[] = {"bytes", "cycles", NULL};

	return units[ts_metric_defs[m->metric.id].unit];
}

/* Sums of the columns, where every tile knows its part. */
static void
tiles_total(const struct memory_view *m, int column, struct ts_table_value *out)
{
	const struct ts_tiles *t = &m->tiles->tiles;

	if (column == T_TILE)
		ts_table_value_text(out, "total");
	else if (column == T_TOTAL)
		ts_table_value_known(out, t->total);
	else if (column == T_GAPS)
		ts_table_value_known(out, t->total_gaps);
	else if (column == T_ALWAYS_LIVE)
		ts_table_value_known(out, t->always_live);
}

static bool
tiles_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct memory_view *m = ctx;
	const struct memory_tiles *t = m->tiles;
	const struct ts_tile *tile = row >= 0 && row < t->n ? &t->tiles.tile[row] : NULL;

	if (row == TS_TABLE_TOTAL)
		tiles_total(m, column, out);
	if (!tile)
		return row == TS_TABLE_TOTAL;
	if (column == T_FIXED && !memory_is_of_tiles(m)) {
		ts_table_value_known(out, memory_values(m)[row]);
		return true;
	}
	if (column >= T_FIXED) {
		ts_table_value_known(out,
			memory_drawn_bytes(m, memory_parts(m), m->plot.band[column - T_FIXED].part,
				row));
		return true;
	}
	if (column == T_SHARE && t->target.bytes_per_tile > 0 && t->value[m->gaps][row] >= 0)
		ts_table_value_real(out,
			100 * (double)t->value[m->gaps][row] / (double)t->target.bytes_per_tile);
	if (column != T_SHARE) {
		const int64_t values[] = {[T_TILE] = tile->tile,
			[T_IPU] = t->ipu[row],
			[T_TOTAL] = tile->total,
			[T_GAPS] = tile->total_gaps,
			[T_RANK] = (int64_t)t->rank[m->gaps][row] + 1,
			[T_OVERFLOWED] = tile->overflowed,
			[T_ALWAYS_LIVE] = tile->always_live,
			[T_NOT_ALWAYS_LIVE] = tile->not_always_live_peak};

		ts_table_value_known(out, values[column]);
	}
	return true;
}

/* --- IPUs as a table ---------------------------------------------------------------------------- */

enum { I_IPU, I_TILES, I_BYTES, I_LIMIT, I_SHARE, I_MEAN, I_FULLEST, I_MOST, I_FIXED };

static const struct ts_column_facts ipu_facts[I_FIXED] = {
	[I_IPU] = {"ipu", NULL, TS_SUM_NONE, false},
	[I_TILES] = {"tiles", NULL, TS_SUM_COUNT, false},
	[I_BYTES] = {"bytes", "bytes", TS_SUM_BYTES, false},
	[I_LIMIT] = {"limit", "bytes", TS_SUM_BYTES, false},
	[I_SHARE] = {"share_of_limit", "%", TS_SUM_NONE, false},
	[I_MEAN] = {"mean_of_tiles", "bytes", TS_SUM_NONE, false},
	[I_FULLEST] = {"fullest_tile", NULL, TS_SUM_NONE, false},
	[I_MOST] = {"bytes_of_fullest", "bytes", TS_SUM_NONE, false},
};

static bool
ipus_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct memory_view *m = ctx;
	const struct memory_ipu *x;
	int64_t limit;

	if (row < 0 || row >= m->ipus.count)
		return false;
	x = &m->ipus.ipu[row];
	limit = m->plot.shown ? TS_UNKNOWN : memory_ipu_limit(m, x);
	if (column >= I_FIXED) {
		ts_table_value_known(out, x->part[column - I_FIXED]);
	} else if (column == I_SHARE) {
		if (limit > 0)
			ts_table_value_real(out, 100 * (double)x->bytes / (double)limit);
	} else {
		const int64_t values[I_FIXED] = {[I_IPU] = x->ipu,
			[I_TILES] = x->tiles,
			[I_BYTES] = x->known > 0 ? x->bytes : TS_UNKNOWN,
			[I_LIMIT] = limit,
			[I_MEAN] = x->known > 0 ? x->bytes / x->known : TS_UNKNOWN,
			[I_FULLEST] = m->tiles->tiles.tile[x->fullest].tile,
			[I_MOST] = memory_values(m)[x->fullest]};

		ts_table_value_known(out, values[column]);
	}
	return true;
}

/* The facts of bands behind `columns` others; how many there are then. */
static int
band_facts(struct memory_view *m, int columns)
{
	for (int b = 0; memory_parts(m) && b < m->plot.bands && columns < TS_TABLE_COLUMNS; b++)
		m->facts[columns++] = (struct ts_column_facts){m->plot.band[b].name, "bytes",
			TS_SUM_NONE, false};
	return columns;
}

static const char *
wait_for_parts(const struct memory_view *m)
{
	const struct memory_categories *k = memory_parts(m);

	return m->breakdown != BY_TOTAL && (!k || !k->whole) ? "the parts are being counted" : NULL;
}

/* What the plot by IPU draws: a row for each. */
static bool
ipus_sheet(struct memory_view *m, struct ts_sheet *out)
{
	memcpy(m->facts, ipu_facts, sizeof(ipu_facts));
	snprintf(out->title, sizeof(out->title), "Memory of %d IPU%s%s", m->ipus.count,
		m->ipus.count == 1 ? "" : "s",
		m->plot.shown ? ", of the parts that are shown" : "");
	out->table = (struct ts_table){.columns = band_facts(m, I_FIXED),
		.ctx = m,
		.sorted = I_IPU,
		.id = "memory.ipus",
		.facts = m->facts,
		.value = ipus_value,
		.looks = m->view.env->looks};
	out->rows = m->ipus.count;
	out->wait = wait_for_parts(m);
	return true;
}

bool
memory_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct memory_view *m = (struct memory_view *)v;
	int columns;

	if (!memory_has_tiles(m))
		return false;
	if (m->focus == PANE_TABS)
		return ts_tabs_sheet(&m->tabs, out);
	if (memory_by_ipu(m) && !m->map.shown)
		return ipus_sheet(m, out);
	memcpy(m->facts, fixed_facts, sizeof(fixed_facts));
	columns = band_facts(m, T_FIXED);
	if (!memory_is_of_tiles(m))
		m->facts[columns++] = (struct ts_column_facts){m->metric.id == TS_METRIC_CATEGORY
				? m->metric.category
				: ts_metric_defs[m->metric.id].name,
			unit_of(m), TS_SUM_NONE, false};
	snprintf(out->title, sizeof(out->title), "Memory of %lld tile%s", (long long)m->tiles->n,
		m->tiles->n == 1 ? "" : "s");
	out->table = (struct ts_table){.columns = columns,
		.ctx = m,
		.total = true,
		.sorted = T_TILE,
		.id = "memory.tiles",
		.facts = m->facts,
		.value = tiles_value,
		.looks = m->view.env->looks};
	out->rows = m->tiles->n;
	out->wait = wait_for_parts(m);
	return true;
}

/* --- variables of a tile ------------------------------------------------------------------------ */

struct variable_source {
	struct ts_row_source source; /* first */
	struct ts_tile_variables v;
	int64_t tile, whole;
	int at; /* -1 = nothing is read yet */
};

static bool
variable_values(const struct variable_source *s, int at, struct ts_table_value *values)
{
	for (int i = 0; i < TS_TABLE_COLUMNS; i++)
		memory_variable_value(&s->v, s->whole, at, i, &values[i]);
	return true;
}

static enum ts_code
variable_next(struct ts_row_source *source, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct variable_source *s = (struct variable_source *)source;
	enum ts_code code = TS_OK;

	if (s->at < 0) {
		s->at = 0;
		code = ts_tile_variables_list(&s->v, rd, s->tile, TS_TILE_VARIABLES, NULL, err);
	}
	*more = !code && s->at < s->v.count;
	if (*more)
		variable_values(s, s->at++, values);
	return code;
}

static bool
variable_total(struct ts_row_source *source, struct ts_table_value *values)
{
	return variable_values((struct variable_source *)source, (int)TS_TABLE_TOTAL, values);
}

static void
variable_free(struct ts_row_source *source)
{
	struct variable_source *s = (struct variable_source *)source;

	ts_tile_variables_fini(&s->v);
	free(s);
}

struct ts_row_source *
memory_variable_source(struct ts_view *v)
{
	struct memory_view *m = (struct memory_view *)v;
	struct variable_source *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->source = (struct ts_row_source){.next = variable_next,
		.total = variable_total,
		.free = variable_free,
		.expected = m->variables.count};
	s->tile = m->variables_of;
	s->whole = memory_variables_whole(m);
	s->at = -1;
	return &s->source;
}
