/* SPDX-License-Identifier: MIT */
/*
 * memory_explain - what the figures of the Memory view's graph, of its variables and of its code are, and the graph
 * as a chart on paper.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/archive.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/explain_common.h"

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
	int64_t used = t->value[m->gaps][memory_at(m)];
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
	ts_explain_integer(x, (int64_t)t->rank[m->gaps][memory_at(m)] + 1, NULL);
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

/* What is allocated on the tile and not live at its own peak: what the breakdown by liveness has left. */
static void
explain_not_live(const struct memory_view *m, struct ts_explain *out)
{
	const struct ts_tile *tile = memory_tile(m);
	int64_t live[2] = {TS_UNKNOWN, TS_UNKNOWN};
	struct ts_explained *x;

	for (int i = 0; i < 2 && m->tiles->has_live; i++)
		live[i] = m->tiles->live[i][memory_at(m)];
	if (live[0] == TS_UNKNOWN || live[1] == TS_UNKNOWN || live[0] > tile->total ||
		live[1] > tile->total - live[0])
		return;
	x = ts_explain_add(out, "not live at its peak, on tile %lld", (long long)tile->tile);
	ts_explain_bytes(x, tile->total - live[0] - live[1], memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"tile_memory.total, .always_live, .not_always_live_peak");
	ts_explain_formula(x, "used without gaps %lld - always live %lld - not always live %lld",
		(long long)tile->total, (long long)live[0], (long long)live[1]);
	ts_explain_query(x,
		"SELECT total - always_live - not_always_live_peak FROM tile_memory WHERE tile = "
		"%lld",
		(long long)tile->tile);
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

		ts_explain_bytes(x, m->tiles->live[i][memory_at(m)], memory_units(m));
		ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.%s", columns[i]);
		ts_explain_query(x, "SELECT %s FROM tile_memory WHERE tile = %lld", columns[i],
			(long long)tile->tile);
	}
	explain_not_live(m, out);
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
	if (b->to - b->from <= 1 || m->plot.shown || m->map.shown || m->axis.place)
		return; /* by physical numbers a column's tiles have no words in SQL */
	from = tile[b->from].tile;
	to = tile[b->to - 1].tile;
	x = ts_explain_add(out, "mean of the column: tiles %lld to %lld", (long long)from,
		(long long)to);
	ts_explain_bytes(x, (int64_t)b->mean, memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	ts_explain_formula(x, "the mean of %lld tile%s, in whole bytes",
		(long long)(b->to - b->from), b->to - b->from == 1 ? "" : "s");
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

/* Bytes of the tile in SQL, as shares of the table are of. */
static void
whole_sql(const struct memory_view *m, char *out, size_t size)
{
	long long tile = (long long)m->variables_of;
	struct memory_scope of = {.tile = m->variables_of};

	if (memory_scope_bytes(m, &of) >= 0)
		snprintf(out, size, "(SELECT %s FROM tile_memory WHERE tile = %lld)",
			m->gaps ? TS_EXPLAIN_USED : "total", tile);
	else
		snprintf(out, size, "(SELECT sum(bytes) FROM lowered_variable WHERE tile = %lld)",
			tile);
}

/* The pinned total: what the variables of the tile come to, and what that is not of its memory. */
static void
explain_whole(const struct memory_view *m, struct ts_explain *out)
{
	const struct ts_tile_variables *v = &m->variables;
	struct memory_scope of = {.tile = m->variables_of};
	struct memory_whole whole = memory_scope_whole(m, &of);
	long long tile = (long long)m->variables_of;
	struct ts_explained *x = ts_explain_add(out, "bytes of all variables of tile %lld", tile);

	ts_explain_bytes(x, v->bytes, memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_formula(x, "the sum; variables that share memory count each");
	ts_explain_query(x, "SELECT sum(bytes) FROM lowered_variable WHERE tile = %lld", tile);
	if (whole.bytes < 0 || v->bytes < 0)
		return;
	x = ts_explain_add(out, "what the memory of tile %lld is made of", tile);
	ts_explain_bytes(x, whole.bytes, memory_units(m));
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total%s",
		whole.gaps > 0 ? ", tile_memory.total_gaps" : "");
	ts_explain_formula(x,
		"%lld of variables + %lld of gaps + %lld (below 0: variables share memory and "
		"count each; above: memory of no variable)",
		(long long)v->bytes, (long long)whole.gaps,
		(long long)(whole.bytes - whole.gaps - v->bytes));
	ts_explain_query(x, "SELECT %s FROM tile_memory WHERE tile = %lld",
		m->gaps ? TS_EXPLAIN_USED : "total", tile);
}

/* Which row of the tile: by its number, else by how many of the report stand before it. */
static void
row_sql(char *out, size_t size, long long tile, const struct ts_tile_variable *y)
{
	if (y->id != TS_UNKNOWN)
		snprintf(out, size, "tile = %lld AND id = %lld", tile, (long long)y->id);
	else
		snprintf(out, size, "tile = %lld ORDER BY rowid LIMIT 1 OFFSET %lld", tile,
			(long long)y->row);
}

void
memory_explain_variable(const struct memory_view *m, struct ts_explain *out)
{
	const struct ts_tile_variables *v = &m->variables;
	const struct ts_tile_variable *y = memory_variable(m);
	long long tile = (long long)m->variables_of;
	struct ts_explained *x;
	char query[300], whole[120], row[100];

	if (!ts_pane_has(&m->variables_state) || !y)
		return;
	row_sql(row, sizeof(row), tile, y);
	x = ts_explain_add(out, "bytes of %s on tile %lld", y->name ? y->name : "a variable", tile);
	ts_explain_bytes(x, y->bytes, memory_units(m));
	ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable.bytes");
	ts_explain_formula(x, "row %lld of those of the tile", (long long)y->row + 1);
	ts_explain_query(x, "SELECT bytes FROM lowered_variable WHERE %s", row);
	whole_sql(m, whole, sizeof(whole));
	snprintf(query, sizeof(query),
		"SELECT 100.0 * (SELECT bytes FROM lowered_variable WHERE %s) / %s", row, whole);
	ts_explain_share(out, "its share of the tile's memory", y->bytes, memory_variables_whole(m),
		"lowered_variable.bytes, tile_memory", query);
	if (y->offset != TS_UNKNOWN) {
		x = ts_explain_add(out, "its offset in the tile's memory");
		ts_explain_integer(x, y->offset, "bytes");
		ts_explain_shown(x, "0x%llx", (unsigned long long)y->offset);
		ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable.offset");
		ts_explain_query(x, "SELECT \"offset\" FROM lowered_variable WHERE %s", row);
	}
	x = ts_explain_add(out, "variables of tile %lld", tile);
	ts_explain_integer(x, v->found, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable");
	ts_explain_query(x, "SELECT count(*) FROM lowered_variable WHERE tile = %lld", tile);
	explain_whole(m, out);
}

void
memory_explain(struct ts_view *v, struct ts_explain *out)
{
	struct memory_view *m = (struct memory_view *)v;

	if (!memory_has_tiles(m))
		return;
	if (m->focus == PANE_TABS)
		ts_tabs_explain(&m->tabs, out);
	memory_ipu_explain(m, out);
	if (!memory_is_of_tiles(m))
		memory_metric_explain(m, out);
	if (!memory_is_of_tiles(m))
		memory_rank_explain(m, out);
	if (m->breakdown == BY_LIVENESS)
		explain_liveness(m, out);
	memory_explain_parts(m, out);
	explain_tile(m, out);
	if (memory_is_of_tiles(m) && m->map.shown)
		memory_rank_explain(m, out);
	memory_explain_why(m, out);
	explain_column(m, out);
	explain_selected(m, out);
	if (m->breakdown != BY_LIVENESS)
		explain_liveness(m, out);
	ts_explain_left_out(out, m->tiles->tiles.bad_rows, "tile_memory");
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
			!memory_is_of_tiles(m)	  ? "tile with most of each column"
				: m->plot.several ? "fullest tile of each column"
						  : "used");

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

/* Ranges of selected tiles: a sign at the middle of each, with its numbers. */
static void
mark_selected(struct memory_view *m, struct ts_chart_page *page)
{
	enum { MARKS = 16 };
	size_t used = strlen(page->subtitle);
	int marks = 0, ranges = 0;
	char title[160];

	if (m->selected.tiles == 0)
		return;
	for (int64_t from = m->span.from, to; from < m->span.to; from = to + 1) {
		for (to = from; to < m->span.to && memory_is_selected(m, to, to + 1); to++)
			;
		ranges += to > from;
		if (to == from || marks == MARKS)
			continue;
		marks++;
		ts_chart_page_label(page,
			page->x.from + (double)(from - m->span.from) + (double)(to - from) / 2,
			TS_ROLE_MARK, false, to - from > 1 ? "tiles %lld-%lld" : "tile %lld",
			(long long)m->tiles->tiles.tile[memory_place_at(m, from)].tile,
			(long long)m->tiles->tiles.tile[memory_place_at(m, to - 1)].tile);
	}
	memory_selected_title(m, title, sizeof(title));
	snprintf(page->subtitle + used, sizeof(page->subtitle) - used, "; %.80s", title);
	used = strlen(page->subtitle);
	if (ranges > marks)
		snprintf(page->subtitle + used, sizeof(page->subtitle) - used,
			" (the first %d of %d ranges are marked)", marks, ranges);
}

static void
axis_title(const struct memory_view *m, char *out, size_t size)
{
	static const char *const units[] = {"bytes", "cycles", "vertices"};
	enum ts_metric_unit unit = ts_metric_defs[m->metric.id].unit;
	struct ts_strbuf title;

	ts_strbuf_init(&title, 200);
	memory_metric_title(m, &title);
	snprintf(out, size, "%s of %s (%s%s)", memory_is_of_tiles(m) ? "memory" : title.s,
		memory_by_ipu(m) ? "an IPU" : "a tile", units[unit],
		unit == TS_UNIT_BYTES && memory_units(m) == TS_UNITS_KIB ? ", K = 1,024" : "");
	ts_strbuf_fini(&title);
}

/* What there is for a bar: of a tile, or of the IPU with most tiles. */
static int64_t
limit_of(const struct memory_view *m)
{
	int64_t most = TS_UNKNOWN;

	if (!memory_by_ipu(m))
		return m->tiles->target.bytes_per_tile;
	for (int i = 0; i < m->ipus.count; i++)
		most = ts_max_i64(most, memory_ipu_limit(m, &m->ipus.ipu[i]));
	return most;
}

static void
say_bars(const struct memory_view *m, char *out, size_t size)
{
	bool ipus = memory_by_ipu(m);
	int64_t count = ipus ? m->ipus.count : m->tiles->n;
	char text[TS_FMT_MAX], n[TS_FMT_MAX];

	snprintf(out, size, "%s %s%s, fullest %s", ts_fmt_count(n, count), ipus ? "IPU" : "tile",
		count == 1 ? "" : "s",
		ts_fmt_bytes(text, ipus ? m->ipus.top : m->tiles->top[m->gaps], memory_units(m)));
}

/* What the plot of `page->columns` columns says; m->plot is that plot. */
static void
fill_page(struct memory_view *m, struct ts_chart_page *page)
{
	const struct memory_tiles *t = m->tiles;
	double first = t->dense && !m->axis.place ? (double)t->tiles.tile[0].tile : 0;
	int64_t limit = limit_of(m);
	char text[TS_FMT_MAX];

	memory_graph_title(m, page->title, sizeof(page->title));
	say_bars(m, page->subtitle, sizeof(page->subtitle));
	page->x = (struct ts_page_axis){.from = first + (double)m->span.from,
		.to = first + (double)m->span.to,
		.base = 10,
		.tick = memory_tile_tick,
		.ctx = m};
	snprintf(page->x.title, sizeof(page->x.title),
		m->axis.place ? "tile, by its physical number" : "tile");
	page->y = (struct ts_page_axis){.from = 0,
		.to = m->top,
		.base = memory_tick_base(m),
		.tick = memory_bytes_tick,
		.ctx = m};
	axis_title(m, page->y.title, sizeof(page->y.title));
	copy_bands(m, page);
	mark_selected(m, page);
	mark_ipus(m, page);
	if (limit != TS_UNKNOWN && ts_metric_defs[m->metric.id].of_limit)
		ts_chart_page_level(page, (double)limit, TS_ROLE_LIMIT, "limit %s%s",
			ts_fmt_bytes(text, limit, memory_units(m)),
			t->target.assumed ? " (assumed)" : "");
}

bool
memory_chart(struct ts_view *v, struct ts_chart_page *page)
{
	struct memory_view *m = (struct memory_view *)v;
	struct memory_plot *kept = memory_has_tiles(m) ? ts_alloc(1, sizeof(*kept)) : NULL;
	struct ts_span span = m->span;

	if (m->focus == PANE_TABS) {
		free(kept);
		return ts_tabs_chart(&m->tabs, page);
	}
	if (kept && m->map.shown) {
		free(kept);
		return memory_map_chart(m, page);
	}
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
