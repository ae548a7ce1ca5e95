/* SPDX-License-Identifier: MIT */
/*
 * memory_explain - what the figures of the Memory view's graph are, the tiles as a table for files, and the
 * graph as a chart on paper. The tabs below the graph speak for themselves.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/sheet.h"

/* --- explain ---------------------------------------------------------------------------------- */

/* The bytes that the graph shows, in SQL and in words. */
static const char *
shown_sql(const struct memory_view *m)
{
	return m->gaps ? TS_EXPLAIN_USED : "total";
}

static void
explain_tile(const struct memory_view *m, struct ts_explain *out)
{
	const struct memory_tiles *t = m->tiles;
	const struct ts_tile *tile = memory_tile(m);
	int64_t used = t->value[m->gaps][m->span.cursor];
	struct ts_explained *x = ts_explain_add(out, "memory of tile %lld", (long long)tile->tile);
	char query[300], limit[64];

	ts_explain_bytes(x, used, memory_units(m));
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.%s",
		m->gaps && tile->total_gaps != TS_UNKNOWN ? "total_gaps" : "total");
	ts_explain_formula(x,
		m->gaps && tile->total_gaps != TS_UNKNOWN
			? "total_gaps, the bytes used and the holes between them"
			: "total, the bytes used without the holes between them");
	ts_explain_query(x, "SELECT %s FROM tile_memory WHERE tile = %lld", shown_sql(m),
		(long long)tile->tile);
	ts_explain_limit(out, &t->target, memory_units(m));
	snprintf(query, sizeof(query),
		"SELECT 100.0 * %s / (SELECT bytes_per_tile FROM target) FROM tile_memory WHERE tile "
		"= %lld",
		shown_sql(m), (long long)tile->tile);
	ts_explain_share(out, "share of the limit that it uses", used, t->target.bytes_per_tile,
		"tile_memory, target.bytes_per_tile", t->target.assumed ? NULL : query);
	if (tile->total_gaps != TS_UNKNOWN && tile->total_gaps >= tile->total) {
		x = ts_explain_add(out, "gaps of tile %lld", (long long)tile->tile);
		ts_explain_bytes(x, tile->total_gaps - tile->total, memory_units(m));
		ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
		ts_explain_formula(x, "%lld including - %lld excluding gaps",
			(long long)tile->total_gaps, (long long)tile->total);
		ts_explain_query(x, "SELECT total_gaps - total FROM tile_memory WHERE tile = %lld",
			(long long)tile->tile);
	}
	if (tile->overflowed > 0) {
		x = ts_explain_add(out, "overflowed memory of tile %lld", (long long)tile->tile);
		ts_explain_bytes(x, tile->overflowed, memory_units(m));
		ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.overflowed");
		ts_explain_query(x, "SELECT overflowed FROM tile_memory WHERE tile = %lld",
			(long long)tile->tile);
	}
	x = ts_explain_add(out, "rank of tile %lld", (long long)tile->tile);
	ts_explain_integer(x, (int64_t)t->rank[m->gaps][m->span.cursor] + 1, NULL);
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory");
	ts_explain_formula(x, "1 + the tiles with more bytes, of equals those with a lower number");
	ts_explain_query(x,
		"SELECT count(*) + 1 FROM tile_memory WHERE %s > %lld OR (%s = %lld AND tile < %lld)",
		shown_sql(m), (long long)used, shown_sql(m), (long long)used,
		(long long)tile->tile);
	x = ts_explain_add(out, "tiles over the limit");
	ts_explain_integer(x, (int64_t)t->over, NULL);
	ts_explain_from(x, t->target.assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
		"tile_memory.total_gaps, tile_memory.overflowed, target.bytes_per_tile");
	if (t->target.bytes_per_tile > 0)
		ts_explain_query(x,
			"SELECT count(*) FROM tile_memory WHERE " TS_EXPLAIN_USED
			" > %s OR overflowed > 0",
			ts_explain_limit_sql(&t->target, limit));
	else
		ts_explain_note(x, "the limit is not known: only overflowed tiles are counted");
}

/* Always live and not always live at the tile's own peak, as the breakdown by liveness has them. */
static void
explain_liveness(const struct memory_view *m, struct ts_explain *out)
{
	static const char *const columns[] = {"always_live", "not_always_live_peak"};
	const struct ts_tile *tile = memory_tile(m);

	for (int i = 0; i < 2 && m->tiles->has_live; i++) {
		struct ts_explained *x = i
			? ts_explain_add(out, "most that is not always live on tile %lld",
				  (long long)tile->tile)
			: ts_explain_add(out, "always live on tile %lld", (long long)tile->tile);

		ts_explain_bytes(x, m->tiles->live[i][m->span.cursor], memory_units(m));
		ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.%s", columns[i]);
		ts_explain_query(x, "SELECT %s FROM tile_memory WHERE tile = %lld", columns[i],
			(long long)tile->tile);
	}
}

/* The column of the graph under the cursor, when it holds several tiles. */
static void
explain_column(const struct memory_view *m, struct ts_explain *out)
{
	int column = ts_span_column(&m->span, m->span.cursor);
	const struct ts_tile *tile = m->tiles->tiles.tile;
	const struct ts_bucket *b;
	struct ts_explained *x;
	int64_t from, to;

	if (column < 0 || column >= m->plot.columns)
		return;
	b = &m->plot.bucket[column];
	if (b->to - b->from <= 1 || m->plot.shown)
		return;
	from = tile[b->from].tile;
	to = tile[b->to - 1].tile;
	x = ts_explain_add(out, "mean of the column: tiles %lld to %lld", (long long)from,
		(long long)to);
	ts_explain_bytes(x, (int64_t)b->mean, memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	ts_explain_formula(x, "the mean of %lld tiles, in whole bytes",
		(long long)(b->to - b->from));
	ts_explain_query(x,
		"SELECT sum(%s) / count(*) FROM tile_memory WHERE tile BETWEEN %lld AND %lld",
		shown_sql(m), (long long)from, (long long)to);
	x = ts_explain_add(out, "fullest tile of the column: tiles %lld to %lld", (long long)from,
		(long long)to);
	ts_explain_bytes(x, b->max, memory_units(m));
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total_gaps, tile_memory.total");
	ts_explain_query(x, "SELECT max(%s) FROM tile_memory WHERE tile BETWEEN %lld AND %lld",
		shown_sql(m), (long long)from, (long long)to);
}

static void
explain_selected(const struct memory_view *m, struct ts_explain *out)
{
	const struct memory_selected *s = &m->selected;
	const struct ts_selected_tiles *set = &m->view.env->selection->tiles;
	struct ts_explained *x;
	char where[1000];
	bool said;

	if (s->tiles == 0)
		return;
	said = ts_explain_tiles_sql(where, sizeof(where), &set->set);
	x = ts_explain_add(out, "selected tiles");
	ts_explain_integer(x, s->tiles, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.tile");
	ts_explain_formula(x, "%s", set->text);
	if (said)
		ts_explain_query(x, "SELECT count(*) FROM tile_memory WHERE %s", where);
	else
		ts_explain_note(x, "so many that they do not fit into a query");
	if (s->known != s->tiles || s->bytes == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "memory of the selected tiles");
	ts_explain_bytes(x, s->bytes, memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	if (said)
		ts_explain_query(x, "SELECT sum(%s) FROM tile_memory WHERE %s", shown_sql(m),
			where);
	else
		ts_explain_note(x, "so many that they do not fit into a query");
	x = ts_explain_add(out, "mean of the selected tiles");
	ts_explain_bytes(x, s->bytes / s->known, memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	ts_explain_formula(x, "%lld / %lld, whole bytes", (long long)s->bytes, (long long)s->known);
	if (said)
		ts_explain_query(x, "SELECT sum(%s) / count(*) FROM tile_memory WHERE %s",
			shown_sql(m), where);
	else
		ts_explain_note(x, "so many that they do not fit into a query");
}

void
memory_explain(struct ts_view *v, struct ts_explain *out)
{
	struct memory_view *m = (struct memory_view *)v;

	if (!memory_has_tiles(m))
		return;
	if (m->focus == PANE_TABS)
		ts_tabs_explain(&m->tabs, out);
	if (m->breakdown == BY_LIVENESS)
		explain_liveness(m, out);
	explain_tile(m, out);
	explain_column(m, out);
	explain_selected(m, out);
	if (m->breakdown != BY_LIVENESS)
		explain_liveness(m, out);
}

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
	[T_GAPS] = {"total_gaps", "bytes", TS_SUM_BYTES, false},
	[T_SHARE] = {"share_of_limit", "%", TS_SUM_NONE, false},
	[T_RANK] = {"rank", NULL, TS_SUM_NONE, false},
	[T_OVERFLOWED] = {"overflowed", "bytes", TS_SUM_BYTES, false},
	[T_ALWAYS_LIVE] = {"always_live", "bytes", TS_SUM_BYTES, false},
	[T_NOT_ALWAYS_LIVE] = {"not_always_live_peak", "bytes", TS_SUM_BYTES, false},
};

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

bool
memory_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct memory_view *m = (struct memory_view *)v;
	const struct memory_categories *k = memory_parts(m);
	int columns = T_FIXED;

	if (!memory_has_tiles(m))
		return false;
	if (m->focus == PANE_TABS)
		return ts_tabs_sheet(&m->tabs, out);
	memcpy(m->facts, fixed_facts, sizeof(fixed_facts));
	for (int b = 0; k && b < m->plot.bands && columns < TS_TABLE_COLUMNS; b++)
		m->facts[columns++] = (struct ts_column_facts){m->plot.band[b].name, "bytes",
			TS_SUM_NONE, false};
	snprintf(out->title, sizeof(out->title), "Memory of %lld tiles", (long long)m->tiles->n);
	out->table = (struct ts_table){.columns = columns,
		.ctx = m,
		.total = true,
		.sorted = T_TILE,
		.id = "memory.tiles",
		.facts = m->facts,
		.value = tiles_value,
		.looks = m->view.env->looks};
	out->rows = m->tiles->n;
	out->wait = m->breakdown != BY_TOTAL && (!k || !k->whole) ? "the parts are being counted"
								  : NULL;
	return true;
}

/* --- the chart -------------------------------------------------------------------------------- */

static void
copy_bands(struct memory_view *m, struct ts_chart_page *page)
{
	struct ts_band band[MEMORY_DRAWN];
	const char *name[MEMORY_DRAWN];
	int n = memory_graph_bands(m, band, name, false);
	size_t bytes = (size_t)page->columns * sizeof(double);

	for (int b = 0; b < n; b++) {
		double *to = ts_chart_page_band(page, name[b], band[b].role);

		if (to)
			memcpy(to, band[b].v, bytes);
	}
	if (memory_has_outline(m)) {
		double *to = ts_chart_page_outline(page,
			m->plot.several ? "fullest tile of each column" : "used");

		if (to)
			memcpy(to, m->plot.outline, bytes);
	}
}

static void
mark_ipus(struct memory_view *m, struct ts_chart_page *page)
{
	const struct memory_tiles *t = m->tiles;
	int64_t from = m->span.from, to = m->span.to;

	for (int64_t i = from; i < to; i++)
		if (t->ipu[i] != TS_UNKNOWN && (i == from || t->ipu[i] != t->ipu[i - 1]))
			ts_chart_page_label(page, (double)i + page->x.from - (double)from,
				TS_ROLE_BOUNDARY, true, "ipu %lld", (long long)t->ipu[i]);
}

/* What the plot of `page->columns` columns says; m->plot is that plot. */
static void
fill_page(struct memory_view *m, struct ts_chart_page *page)
{
	const struct memory_tiles *t = m->tiles;
	double first = t->dense ? (double)t->tiles.tile[0].tile : 0;
	char text[TS_FMT_MAX], n[TS_FMT_MAX];

	memory_graph_title(m, page->title, sizeof(page->title));
	snprintf(page->subtitle, sizeof(page->subtitle), "%s tiles, fullest %s",
		ts_fmt_count(n, t->n), ts_fmt_bytes(text, t->top[m->gaps], memory_units(m)));
	page->x = (struct ts_page_axis){.from = first + (double)m->span.from,
		.to = first + (double)m->span.to,
		.base = 10,
		.tick = memory_tile_tick,
		.ctx = m};
	snprintf(page->x.title, sizeof(page->x.title), "tile");
	page->y = (struct ts_page_axis){.from = 0,
		.to = m->top,
		.base = memory_units(m) == TS_UNITS_KIB ? 2 : 10,
		.tick = memory_bytes_tick,
		.ctx = m};
	snprintf(page->y.title, sizeof(page->y.title), "memory of a tile (bytes%s)",
		memory_units(m) == TS_UNITS_KIB ? ", K = 1,024" : "");
	copy_bands(m, page);
	mark_ipus(m, page);
	if (t->target.bytes_per_tile != TS_UNKNOWN)
		ts_chart_page_level(page, (double)t->target.bytes_per_tile, TS_ROLE_LIMIT,
			"limit %s%s", ts_fmt_bytes(text, t->target.bytes_per_tile, memory_units(m)),
			t->target.assumed ? " (assumed)" : "");
}

bool
memory_chart(struct ts_view *v, struct ts_chart_page *page)
{
	struct memory_view *m = (struct memory_view *)v;
	struct memory_plot *kept = memory_has_tiles(m) ? ts_alloc(1, sizeof(*kept)) : NULL;
	struct ts_span span = m->span;

	if (!kept)
		return false;
	*kept = m->plot;
	ts_span_resize(&m->span, page->columns);
	m->plot.columns = page->columns;
	m->plot.from = m->span.from;
	m->plot.to = m->span.to;
	memory_make_plot(m);
	fill_page(m, page);
	m->span = span;
	m->plot = *kept;
	free(kept);
	return true;
}
