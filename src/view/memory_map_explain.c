/* SPDX-License-Identifier: MIT */
/*
 * memory_map_explain - what the figure of a metric is that the Memory view's map or graph shows, with the query
 * that gives it; and the map on paper.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/explain_common.h"

/* --- queries ---------------------------------------------------------------------------------- */

/* Of a figure that stands in rows of tiles; @ is the tile. */
static const struct {
	enum ts_metric_id id;
	const char *sql;
} queries[] = {
	{TS_METRIC_USED, "SELECT coalesce(total_gaps, total) FROM tile_memory WHERE tile = @"},
	{TS_METRIC_TOTAL, "SELECT total FROM tile_memory WHERE tile = @"},
	{TS_METRIC_TOTAL_GAPS, "SELECT total_gaps FROM tile_memory WHERE tile = @"},
	{TS_METRIC_GAPS, "SELECT total_gaps - total FROM tile_memory WHERE tile = @"},
	{TS_METRIC_NON_INTERLEAVED, "SELECT non_interleaved FROM tile_memory WHERE tile = @"},
	{TS_METRIC_INTERLEAVED, "SELECT interleaved FROM tile_memory WHERE tile = @"},
	{TS_METRIC_OVERFLOWED, "SELECT overflowed FROM tile_memory WHERE tile = @"},
	{TS_METRIC_VERTEX_CODE,
		"SELECT coalesce(sum(code_bytes), 0) FROM tile_vertex WHERE tile = @"},
};

/* What is summed over blobs, one line for each relation that has some: the blob of a row, how often it counts, which rows. */
static const struct sum {
	enum ts_metric_id id;
	enum ts_relation of; /* left out where the report has it not */
	const char *times, *blob, *from, *where;
} sums[] = {
#define CYCLES "coalesce(cycles_by_tile, estimated_cycles_by_tile)"
#define SETS TS_COMPUTE_SET, "", CYCLES, "compute_set", NULL
#define SETS_THAT_RUN \
	TS_COMPUTE_SET, "n * ", CYCLES, "e JOIN compute_set ON compute_set = e.c", NULL
#define EXCHANGES(blob) TS_PROGRAM, "", blob, "program", "compute_set IS NULL"
#define EXCHANGES_THAT_RUN \
	TS_PROGRAM, "n * ", CYCLES, "s JOIN program ON program = s.p", "compute_set IS NULL"
	{TS_METRIC_CYCLES, SETS_THAT_RUN},
	{TS_METRIC_CYCLES, EXCHANGES_THAT_RUN},
	{TS_METRIC_CYCLES_ONCE, SETS},
	{TS_METRIC_CYCLES_ONCE, EXCHANGES(CYCLES)},
	{TS_METRIC_ACTIVE_CYCLES, SETS_THAT_RUN},
	{TS_METRIC_ACTIVE_CYCLES_ONCE, SETS},
	{TS_METRIC_EXCHANGE_CODE, EXCHANGES("code_by_tile")},
	{TS_METRIC_CONTROL_CODE, TS_PROGRAM, "", "control_code_by_tile", "program",
		TS_EXPLAIN_LEAF},
	{TS_METRIC_BYTES_IN, EXCHANGES("bytes_in_by_tile")},
	{TS_METRIC_BYTES_OUT, EXCHANGES("bytes_out_by_tile")},
	{TS_METRIC_VERTEX_COUNT, TS_COMPUTE_SET_VERTEX, "", "count_by_tile", "compute_set_vertex",
		NULL},
	{TS_METRIC_VERTEX_STATE, TS_COMPUTE_SET_VERTEX, "state_bytes * ", "count_by_tile",
		"compute_set_vertex JOIN vertex_type USING (vertex_type)", NULL},
};

static void
put_sql(struct ts_strbuf *out, const char *sql, const char *tile)
{
	for (; *sql; sql++)
		if (*sql == '@')
			ts_strbuf_puts(out, tile);
		else
			ts_strbuf_putc(out, *sql);
}

/*
 * Steps by what they execute: `s` by compute set and program as they stand, `e` by compute set, where a step that names a
 * program alone executes the one of that.
 */
static void
steps_sql(const struct memory_view *m, struct ts_strbuf *out)
{
	if (m->metric.id != TS_METRIC_CYCLES && m->metric.id != TS_METRIC_ACTIVE_CYCLES)
		return;
	ts_strbuf_puts(out,
		"WITH s AS MATERIALIZED (SELECT compute_set AS c, iif(compute_set IS NULL, program, NULL) "
		"AS p, count(*) AS n FROM step GROUP BY 1, 2), e AS MATERIALIZED (");
	ts_strbuf_puts(out,
		ts_report_has(m->view.env->report, TS_PROGRAM)
			? "SELECT coalesce(s.c, q.compute_set) AS c, sum(n) AS n FROM s LEFT JOIN "
			  "program q ON q.program = s.p GROUP BY 1) "
			: "SELECT c, n FROM s) ");
}

/* The next line of the figure's sums from *at on that the report has; NULL: there is none. */
static const struct sum *
next_sum(const struct memory_view *m, size_t *at)
{
	while (*at < TS_COUNT(sums)) {
		const struct sum *k = &sums[(*at)++];

		if (k->id == m->metric.id && ts_report_has(m->view.env->report, k->of))
			return k;
	}
	return NULL;
}

/* Nothing where the figure is no sum over blobs. */
static void
sum_sql(const struct memory_view *m, const char *tile, struct ts_strbuf *out)
{
	const struct sum *k;
	size_t at = 0;

	if (!next_sum(m, &at))
		return;
	steps_sql(m, out);
	ts_strbuf_puts(out, "SELECT 0");
	for (at = 0; (k = next_sum(m, &at));)
		ts_strbuf_printf(out, " + coalesce((SELECT sum(%stile_at(%s, %s)) FROM %s%s%s), 0)",
			k->times, k->blob, tile, k->from, k->where ? " WHERE " : "",
			k->where ? k->where : "");
}

/* The same of all tiles at once, so that each blob is read once: rows (v). */
static void
all_sums_sql(const struct memory_view *m, struct ts_strbuf *out)
{
	const char *before = "";
	const struct sum *k;
	size_t at = 0;

	ts_strbuf_puts(out,
		"(SELECT coalesce(w.v, 0) AS v FROM tile_memory LEFT JOIN (SELECT tile, sum(v) AS v "
		"FROM (");
	steps_sql(m, out);
	for (; (k = next_sum(m, &at)); before = " UNION ALL ")
		ts_strbuf_printf(out, "%sSELECT t.tile, %st.value AS v FROM %s, tiles(%s) AS t%s%s",
			before, k->times, k->from, k->blob, k->where ? " WHERE " : "",
			k->where ? k->where : "");
	ts_strbuf_puts(out, ") GROUP BY tile) AS w USING (tile))");
}

static void
category_sql(const struct memory_view *m, const char *tile, struct ts_strbuf *out)
{
	const struct ts_report *r = m->view.env->report;
	char name[2 * TS_METRIC_NAME + 3];

	if (!ts_explain_quote(name, sizeof(name), m->metric.category))
		return;
	put_sql(out,
		ts_report_has(r, TS_TILE_CATEGORY)
			? "SELECT coalesce(sum(not_overlapped + coalesce(overlapped, 0)), 0) FROM "
			  "tile_category WHERE tile = @"
			: "SELECT coalesce(sum(bytes), 0) FROM lowered_variable WHERE tile = @",
		tile);
	ts_strbuf_printf(out, " AND category_name(category) = %s", name);
}

/* What a report of liveness has by tile: columns of the tiles, or what has to be worked out of intervals. */
static void
live_sql(const struct memory_view *m, const char *tile, struct ts_strbuf *out)
{
	const struct ts_report *r = m->view.env->report;
	bool peak = m->metric.id != TS_METRIC_ALWAYS_LIVE;

	if (peak && !ts_report_has_column(r, TS_TILE_MEMORY, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK))
		return;
	if (m->metric.id != TS_METRIC_NOT_ALWAYS_LIVE &&
		!ts_report_has_column(r, TS_TILE_MEMORY, TS_TILE_MEMORY_ALWAYS_LIVE)) {
		if (!peak && ts_report_has(r, TS_TILE_ALWAYS_LIVE))
			put_sql(out,
				"SELECT coalesce(sum(bytes), 0) FROM tile_always_live WHERE tile = @",
				tile);
		return;
	}
	ts_strbuf_printf(out, "SELECT %s FROM tile_memory WHERE tile = %s",
		m->metric.id == TS_METRIC_PEAK ? "always_live + not_always_live_peak"
			: peak		       ? "not_always_live_peak"
					       : "always_live",
		tile);
}

static void
metric_sql(const struct memory_view *m, const char *tile, struct ts_strbuf *out)
{
	if (memory_is_of_tiles(m) && !m->gaps) {
		put_sql(out, "SELECT total FROM tile_memory WHERE tile = @", tile);
		return;
	}
	for (size_t i = 0; i < TS_COUNT(queries); i++)
		if (queries[i].id == m->metric.id) {
			put_sql(out, queries[i].sql, tile);
			return;
		}
	if (m->metric.id == TS_METRIC_CATEGORY)
		category_sql(m, tile, out);
	else if (m->metric.id <= TS_METRIC_PEAK)
		live_sql(m, tile, out);
	else
		sum_sql(m, tile, out);
}

/* --- explain ---------------------------------------------------------------------------------- */

static enum ts_known
known_of(const struct memory_view *m)
{
	static const enum ts_known known[TS_METRIC_KNOWN_COUNT] = {
		[TS_METRIC_RECORDED] = TS_KNOWN_RECORDED,
		[TS_METRIC_MEASURED] = TS_KNOWN_MEASURED,
		[TS_METRIC_REPEATED] = TS_KNOWN_REPEATED,
		[TS_METRIC_PARTLY] = TS_KNOWN_ESTIMATED,
		[TS_METRIC_ESTIMATED] = TS_KNOWN_ESTIMATED,
		[TS_METRIC_DERIVED] = TS_KNOWN_DERIVED,
	};

	return known[m->values ? m->values->v.known : ts_metric_defs[m->metric.id].known];
}

void
memory_metric_explain(const struct memory_view *m, struct ts_explain *out)
{
	const struct ts_metric_def *def = &ts_metric_defs[m->metric.id];
	const int64_t *value = memory_metric_values(m);
	long long tile = (long long)memory_tile(m)->tile;
	char number[TS_FMT_MAX];
	struct ts_strbuf title, query;
	struct ts_explained *x;
	char note[200];

	ts_strbuf_init(&title, 200);
	ts_strbuf_init(&query, TS_EXPLAIN_QUERY - 1);
	memory_metric_title(m, &title);
	x = ts_explain_add(out, "%s of tile %lld", title.s, tile);
	if (!value)
		ts_explain_note(x, "%s", m->metric_state.reason);
	else if (def->unit == TS_UNIT_BYTES)
		ts_explain_bytes(x, value[memory_at(m)], memory_units(m));
	else
		ts_explain_integer(x, value[memory_at(m)],
			def->unit == TS_UNIT_CYCLES ? "cycles" : NULL);
	ts_explain_from(x, known_of(m), "%s", def->columns);
	ts_explain_formula(x, "%s", def->formula);
	if (m->values && m->values->v.alone[0])
		ts_explain_note(x, "of %s alone: no cycles of %s are recorded by tile",
			m->values->v.alone, m->values->v.without);
	memory_metric_note(m, note, sizeof(note));
	snprintf(number, sizeof(number), "%lld", tile);
	metric_sql(m, number, &query);
	if (value && query.len > 0 && !query.cut)
		ts_explain_query(x, "%s", query.s);
	if (value && note[0] && query.len > 0)
		ts_explain_note(x, "%s", note);
	else if (value && query.len == 0)
		ts_explain_note(x,
			"worked out of lowered_variable and class_interval step by step: no query of "
			"one line");
	ts_strbuf_fini(&title);
	ts_strbuf_fini(&query);
}

/*
 * The values of all tiles as v, as a table in brackets; of a figure that has a limit whether each tile is over it. False: there is no
 * query of the figure, or it is too long.
 */
static bool
all_sql(const struct memory_view *m, struct ts_strbuf *out)
{
	struct ts_strbuf one;
	char limit[64];
	size_t at = 0;
	bool there;

	if (next_sum(m, &at)) {
		all_sums_sql(m, out);
		return !out->cut;
	}
	ts_strbuf_init(&one, TS_EXPLAIN_QUERY - 1);
	metric_sql(m, "t.tile", &one);
	there = one.len > 0 && !one.cut;
	ts_strbuf_printf(out, "(SELECT (%s) AS v, coalesce(total_gaps, total) > ", one.s);
	ts_strbuf_fini(&one);
	if (m->tiles->target.bytes_per_tile > 0)
		ts_strbuf_puts(out, ts_explain_limit_sql(&m->tiles->target, limit));
	else
		ts_strbuf_puts(out, "NULL");
	if (ts_report_has_column(m->view.env->report, TS_TILE_MEMORY, TS_TILE_MEMORY_OVERFLOWED))
		ts_strbuf_puts(out, " OR overflowed > 0");
	ts_strbuf_puts(out, " AS over FROM tile_memory AS t)");
	return there && !out->cut;
}

static const char no_query[] = "no query: the figure has none, or it is too long for all tiles";

static void
explain_scale(const struct memory_view *m, struct ts_explain *out, const char *all)
{
	static const char *const ends[] = {"least", "most"};
	const struct ts_tile_map *k = &m->map.map;
	bool some = m->metric.id <= TS_METRIC_TOTAL_GAPS && k->over > 0;

	for (int i = 0; i < 2 && k->scale.how != TS_HEAT_LIMIT && k->scale.most >= 0; i++) {
		struct ts_explained *x = ts_explain_add(out, "%s of the scale", ends[i]);

		ts_explain_integer(x, i ? k->scale.most : k->scale.least,
			ts_metric_defs[m->metric.id].unit == TS_UNIT_BYTES ? "bytes" : NULL);
		ts_explain_from(x, known_of(m), "%s", ts_metric_defs[m->metric.id].columns);
		ts_explain_formula(x, "%s of the tiles%s", i ? "the largest" : "the smallest",
			some ? " that are not over the limit" : "");
		if (all)
			ts_explain_query(x, "SELECT %s(v) FROM %s%s", i ? "max" : "min", all,
				some ? " WHERE coalesce(over, 0) = 0" : "");
		else
			ts_explain_note(x, "%s", no_query);
	}
}

void
memory_rank_explain(const struct memory_view *m, struct ts_explain *out)
{
	const int64_t *value = memory_metric_values(m);
	int64_t i = memory_at(m), known = memory_metric_known(m), rank;
	long long tile = (long long)memory_tile(m)->tile;
	struct ts_explained *x;
	struct ts_strbuf all;
	bool one_row;

	if (!value || value[i] == TS_UNKNOWN || known <= 0)
		return;
	rank = memory_fuller_than(m, i);
	ts_strbuf_init(&all, TS_EXPLAIN_QUERY - 1);
	one_row = all_sql(m, &all);
	x = ts_explain_add(out, "rank of tile %lld by this metric", tile);
	ts_explain_integer(x, rank + 1, NULL);
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", ts_metric_defs[m->metric.id].columns);
	ts_explain_formula(x, "1 + the tiles with more");
	if (one_row)
		ts_explain_query(x, "SELECT count(*) + 1 FROM %s WHERE v > %lld", all.s,
			(long long)value[i]);
	else
		ts_explain_note(x, "%s", no_query);
	x = ts_explain_add(out, "percentile of tile %lld by this metric", tile);
	ts_explain_real(x, 100.0 * (double)(known - rank) / (double)known, "%");
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", ts_metric_defs[m->metric.id].columns);
	ts_explain_formula(x, "100 x %lld tiles with as much or less / %lld tiles that are known",
		(long long)(known - rank), (long long)known);
	if (one_row)
		ts_explain_query(x, "SELECT 100.0 * sum(v <= %lld) / count(v) FROM %s",
			(long long)value[i], all.s);
	else
		ts_explain_note(x, "%s", no_query);
	if (m->map.shown)
		explain_scale(m, out, one_row ? all.s : NULL);
	ts_strbuf_fini(&all);
}

/* --- on paper --------------------------------------------------------------------------------- */

enum { GAP = 2 };

struct sheet_of_blocks {
	int first, blocks, across, down;
};

/* All IPUs where the page has room for them, side by side in about a square; else those of the screen's page. */
static bool
arrange(const struct ts_tile_map *k, int columns, struct sheet_of_blocks *s)
{
	int across = 1, most = (columns + GAP) / (k->floor.columns + GAP);

	if (most < 1 || k->floor.rows > TS_PAGE_LANES_MAX)
		return false;
	*s = (struct sheet_of_blocks){.blocks = k->floor.blocks};
	while (across < most && across * across < s->blocks)
		across++;
	if ((s->blocks + across - 1) / across * (k->floor.rows + GAP) - GAP > TS_PAGE_LANES_MAX) {
		s->first = k->seen.first;
		s->blocks = (int)ts_min_i64(k->seen.across * k->seen.down,
			k->floor.blocks - s->first);
		across = (int)ts_min_i64(k->seen.across, most);
	}
	s->across = (int)ts_min_i64(across, s->blocks);
	s->down = (s->blocks + s->across - 1) / s->across;
	return s->down * (k->floor.rows + GAP) - GAP <= TS_PAGE_LANES_MAX;
}

static void
name_lane(const struct ts_floor *f, const struct sheet_of_blocks *s, int row, char out[32])
{
	int a = s->first + row * s->across;
	int b = (int)ts_min_i64(a + s->across, s->first + s->blocks) - 1;

	if (f->block[a].ipu < 0)
		snprintf(out, 32, "tiles");
	else if (s->down == 1) /* their names stand above them */
		snprintf(out, 32, " ");
	else if (a == b)
		snprintf(out, 32, "ipu %lld", (long long)f->block[a].ipu);
	else
		snprintf(out, 32, "ipu %lld-%lld", (long long)f->block[a].ipu,
			(long long)f->block[b].ipu);
}

/* A row has the number of its first tile, where it has no name. */
static void
name_row(const struct memory_view *m, int64_t place, char out[TS_PAGE_LANE])
{
	const struct ts_tile *tile = &m->tiles->tiles.tile[place];

	if (!out[0] || strcmp(out, " ") == 0)
		snprintf(out, TS_PAGE_LANE, "%lld",
			(long long)(m->map.physical ? tile->physical : tile->tile));
}

static void
fill_grid(const struct memory_view *m, const struct sheet_of_blocks *s, struct ts_chart_page *page,
	double *grid)
{
	const struct ts_floor *f = &m->map.map.floor;
	const int64_t *value = memory_metric_values(m);

	for (int b = 0; b < s->blocks; b++) {
		int x = b % s->across * (f->columns + GAP), y = b / s->across * (f->rows + GAP);

		if (b % s->across == 0)
			name_lane(f, s, b / s->across, page->lane[y]);
		if (s->down == 1 && f->block[s->first + b].ipu >= 0)
			ts_chart_page_label(page, x, TS_ROLE_BOUNDARY, true, "ipu %lld",
				(long long)f->block[s->first + b].ipu);
		for (int64_t slot = 0; slot < f->slots; slot++) {
			int64_t i = f->block[s->first + b].at[slot];

			if (i >= 0 && b % s->across == 0 && slot % f->columns == 0)
				name_row(m, i, page->lane[y + slot / f->columns]);

			if (i >= 0 && value[i] >= 0)
				grid[(y + slot / f->columns) * page->columns + x +
					slot % f->columns] = m->map.map.level[i] == TS_HEAT_OVER
					? INFINITY
					: (double)value[i];
		}
	}
}

/* The columns of a block are no numbers. */
static const char *
no_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	(void)v;
	out[0] = '\0';
	return out;
}

bool
memory_map_chart(struct memory_view *m, struct ts_chart_page *page)
{
	const struct ts_tile_map *k = &m->map.map;
	char note[200], n[TS_FMT_MAX];
	struct sheet_of_blocks s;
	struct ts_strbuf title;
	double *grid;

	if (!k->level || !memory_metric_values(m) || !arrange(k, page->columns, &s))
		return false;
	page->columns = s.across * (k->floor.columns + GAP) - GAP;
	page->lanes = s.down * (k->floor.rows + GAP) - GAP;
	grid = ts_chart_page_grid(page);
	if (!grid)
		return false;
	page->x = (struct ts_page_axis){.to = page->columns, .base = 2, .tick = no_tick};
	fill_grid(m, &s, page, grid);
	ts_strbuf_init(&title, TS_PAGE_TEXT - 1);
	ts_strbuf_puts(&title, "Tile map: ");
	memory_metric_title(m, &title);
	ts_strbuf_puts(&title, " (");
	memory_metric_kind(m, &title);
	ts_strbuf_putc(&title, ')');
	snprintf(page->title, sizeof(page->title), "%s", title.s);
	ts_strbuf_fini(&title);
	memory_metric_note(m, note, sizeof(note));
	snprintf(page->subtitle, sizeof(page->subtitle), "%s tiles, %s order%s%.100s",
		ts_fmt_count(n, m->tiles->n), m->map.physical ? "physical" : "software",
		memory_is_of_tiles(m) || !note[0] ? "" : "; ", memory_is_of_tiles(m) ? "" : note);
	page->least = ts_heat_begin(&k->scale, 0);
	page->most = ts_heat_begin(&k->scale, TS_HEAT_LEVELS);
	page->logarithmic = k->scale.how == TS_HEAT_LOG;
	snprintf(page->scale, sizeof(page->scale), "%s", ts_heat_how_title(k->how));
	if (k->over > 0)
		snprintf(page->over, sizeof(page->over), "%s over the limit",
			ts_fmt_count(n, k->over));
	snprintf(page->x.title, sizeof(page->x.title), "rows of %d tiles%s", k->floor.columns,
		s.across > 1
			? ", IPUs side by side; numbers of rows: the first tile of the left IPU"
			: "; numbers of rows: the first tile");
	page->y = (struct ts_page_axis){.to = page->lanes,
		.base = memory_tick_base(m),
		.tick = memory_bytes_tick,
		.ctx = m};
	return true;
}
