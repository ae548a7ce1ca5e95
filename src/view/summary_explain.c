/* SPDX-License-Identifier: MIT */
/*
 * summary_explain - what the figures of the Summary view are: those of the line under the cursor first, then of all
 * other lines as far as there is room.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"

#include "summary_internal.h"

static enum ts_units
units(const struct summary_view *s)
{
	return s->base.env->options->units;
}

static bool
has(const struct summary_view *s, enum ts_relation relation)
{
	return ts_report_has(s->base.env->report, relation);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void
explain_fits(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	const struct ts_target *g = &s->verdict->target;
	const struct ts_tile *worst = &t->tile[t->worst];
	struct ts_explained *x = ts_explain_add(out, "fullest tile");

	(void)arg;
	ts_explain_number(x, worst->tile);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.tile");
	ts_explain_formula(x, "the tile with the most bytes, of equals the lowest");
	ts_explain_query(x,
		"SELECT tile FROM tile_memory ORDER BY " TS_EXPLAIN_USED " DESC, tile LIMIT 1");
	x = ts_explain_add(out, "memory of the fullest tile, %lld", (long long)worst->tile);
	ts_explain_bytes(x, ts_tile_used(worst), units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.%s",
		worst->total_gaps == TS_UNKNOWN ? "total" : "total_gaps");
	ts_explain_formula(x, "%s of tile %lld = %lld",
		worst->total_gaps == TS_UNKNOWN ? "total, excluding gaps" : "total including gaps",
		(long long)worst->tile, (long long)ts_tile_used(worst));
	ts_explain_query(x, "SELECT max(" TS_EXPLAIN_USED ") FROM tile_memory");
	ts_explain_limit(out, &s->verdict->target, units(s));
	if (g->bytes_per_tile <= 0)
		return;
	ts_explain_share(out, "share of the limit that the fullest tile uses", ts_tile_used(worst),
		g->bytes_per_tile, "tile_memory.total_gaps, target.bytes_per_tile",
		g->assumed ? NULL
			   : "SELECT 100.0 * max(" TS_EXPLAIN_USED
			     ") / (SELECT bytes_per_tile FROM "
			     "target) FROM tile_memory");
}

static void
explain_total(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	int64_t limit = s->verdict->target.bytes_per_tile, room;
	bool recorded = !s->verdict->target.assumed;
	struct ts_explained *x = ts_explain_add(out, "memory of all tiles, excluding gaps");

	(void)arg;
	ts_explain_bytes(x, t->total, units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total");
	ts_explain_formula(x, "sum of total over %zu tiles = %lld", t->count, (long long)t->total);
	if (t->total >= 0)
		ts_explain_query(x, "SELECT sum(total) FROM tile_memory");
	if (limit > 0 && !__builtin_mul_overflow(limit, (int64_t)t->count, &room)) {
		x = ts_explain_add(out, "memory that all tiles have");
		ts_explain_bytes(x, room, units(s));
		ts_explain_from(x, recorded ? TS_KNOWN_DERIVED : TS_KNOWN_ASSUMED,
			"target.bytes_per_tile, rows of tile_memory");
		ts_explain_formula(x, "%lld x %zu tiles", (long long)limit, t->count);
		if (recorded)
			ts_explain_query(x,
				"SELECT (SELECT bytes_per_tile FROM target) * count(*) "
				"FROM tile_memory");
		ts_explain_share(out, "share of all memory that is used", t->total, room,
			"tile_memory.total, target.bytes_per_tile",
			recorded ? "SELECT 100.0 * sum(total) / ((SELECT bytes_per_tile FROM "
				   "target) * count(*)) FROM tile_memory"
				 : NULL);
	}
	x = ts_explain_add(out, "tiles");
	ts_explain_integer(x, (int64_t)t->count, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory");
	ts_explain_formula(x, "rows with valid numbers");
	ts_explain_query(x, "SELECT count(*) FROM tile_memory");
	x = ts_explain_add(out, "mean memory of a tile");
	ts_explain_bytes(x, t->used / (int64_t)t->count, units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	ts_explain_formula(x, "%lld / %zu, whole bytes", (long long)t->used, t->count);
	ts_explain_query(x, "SELECT sum(" TS_EXPLAIN_USED ") / count(*) FROM tile_memory");
}

static void
explain_over(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_target *g = &s->verdict->target;
	struct ts_explained *x = ts_explain_add(out, "tiles over the limit");
	char limit[64];

	(void)arg;
	ts_explain_integer(x, (int64_t)ts_tiles_over(&s->verdict->tiles, g->bytes_per_tile), NULL);
	ts_explain_from(x, g->assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
		"tile_memory.total_gaps, tile_memory.overflowed, target.bytes_per_tile");
	ts_explain_formula(x, "tiles with more than %lld bytes, or with overflowed memory",
		(long long)g->bytes_per_tile);
	if (g->assumed)
		ts_explain_note(x, "the limit is assumed: it stands in the query as a number");
	ts_explain_query(x,
		"SELECT count(*) FROM tile_memory WHERE " TS_EXPLAIN_USED " > %s OR overflowed > 0",
		ts_explain_limit_sql(g, limit));
}

static void
explain_gaps(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	struct ts_explained *x = ts_explain_add(out, "gaps of all tiles");
	bool known = t->total_gaps != TS_UNKNOWN && t->total_gaps >= t->total;

	(void)arg;
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	if (!known) {
		ts_explain_note(x, "this report does not say how much memory gaps take");
		return;
	}
	ts_explain_bytes(x, t->total_gaps - t->total, units(s));
	ts_explain_formula(x, "%lld including - %lld excluding gaps", (long long)t->total_gaps,
		(long long)t->total);
	ts_explain_query(x, "SELECT sum(total_gaps) - sum(total) FROM tile_memory");
	x = ts_explain_add(out, "memory of all tiles, including gaps");
	ts_explain_bytes(x, t->total_gaps, units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total_gaps");
	ts_explain_formula(x, "sum of total_gaps over %zu tiles", t->count);
	ts_explain_query(x, "SELECT sum(total_gaps) FROM tile_memory");
}

static void
explain_live(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_peak *p = &s->small->peak;
	bool by_tile = s->verdict && s->verdict->tiles.always_live != TS_UNKNOWN;
	struct ts_explained *x = ts_explain_add(out, "always-live memory of all tiles");

	(void)arg;
	ts_explain_bytes(x, s->small->always_live, units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s",
		by_tile ? "tile_memory.always_live" : "tile_always_live.bytes");
	ts_explain_formula(x, "the sum over all tiles");
	if (s->small->always_live >= 0)
		ts_explain_query(x, "SELECT sum(%s) FROM %s", by_tile ? "always_live" : "bytes",
			by_tile ? "tile_memory" : "tile_always_live");
	if (p->step == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "peak of what is not always live");
	ts_explain_bytes(x, p->bytes, units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "liveness_step.not_always_live");
	ts_explain_formula(x, "the largest of %lld steps, of the tiles of one replica",
		(long long)p->steps);
	ts_explain_query(x, "SELECT max(not_always_live) FROM liveness_step");
	x = ts_explain_add(out, "step of that peak");
	ts_explain_integer(x, p->step, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "liveness_step.live_step");
	ts_explain_formula(x, "the first step with %lld bytes", (long long)p->bytes);
	ts_explain_query(x,
		"SELECT live_step FROM liveness_step ORDER BY not_always_live DESC, "
		"live_step LIMIT 1");
	x = ts_explain_add(out, "liveness steps");
	ts_explain_integer(x, p->steps, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "liveness_step");
	ts_explain_query(x, "SELECT count(*) FROM liveness_step");
}

static void
explain_category(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_categories *c = &s->categories->sums;
	const struct ts_category *k = &c->category[arg];
	const char *table = c->from_variables ? "lowered_variable" : "tile_category";
	const char *bytes = c->from_variables ? "bytes"
					      : "not_overlapped + coalesce(overlapped, 0)";
	struct ts_explained *x = ts_explain_add(out, "memory of category %s", k->name);
	char name[200], query[600];
	int64_t sum = 0;
	bool quoted = ts_explain_quote(name, sizeof(name), k->name);

	for (int i = 0; i < c->count; i++)
		sum += c->category[i].bytes;
	ts_explain_bytes(x, k->bytes, units(s));
	ts_explain_from(x, c->from_variables ? TS_KNOWN_DERIVED : TS_KNOWN_RECORDED,
		"%s.%s, memory_category.name", table,
		c->from_variables ? "bytes" : "not_overlapped + overlapped");
	ts_explain_formula(x, "the sum over all %s of this category",
		c->from_variables ? "lowered variables" : "tiles");
	if (c->from_variables)
		ts_explain_note(x,
			"the report has no categories of tiles: its lowered variables "
			"are added up");
	if (!quoted)
		return;
	ts_explain_query(x, "SELECT sum(%s) FROM %s WHERE category_name(category) = %s", bytes,
		table, name);
	snprintf(query, sizeof(query),
		"SELECT 100.0 * sum(CASE WHEN category_name(category) = %s "
		"THEN %s END) / sum(%s) FROM %s",
		name, bytes, bytes, table);
	ts_explain_share(out, "share of it in all categories", k->bytes, sum, x->from, query);
}

/* --- cycles ----------------------------------------------------------------------------------- */

enum ts_known
summary_cycles_known(const struct summary_view *s)
{
	int measured = s->verdict ? s->verdict->about.measured : -1;

	return measured > 0	? TS_KNOWN_REPEATED
		: measured == 0 ? TS_KNOWN_ESTIMATED
				: TS_KNOWN_DERIVED;
}

static void
explain_runs(struct summary_view *s, struct ts_explain *out, int arg)
{
	struct ts_explained *x = ts_explain_add(out, "steps of the execution");

	(void)arg;
	ts_explain_integer(x, s->execution->steps, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "step");
	if (s->execution->steps >= 0)
		ts_explain_query(x, "SELECT count(*) FROM step");
	x = ts_explain_add(out, "runs");
	ts_explain_integer(x, s->small ? s->small->runs : TS_UNKNOWN, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "run");
	if (s->small && s->small->runs >= 0)
		ts_explain_query(x, "SELECT count(*) FROM run");
}

/* --- facts ------------------------------------------------------------------------------------ */

/* A number of the target: recorded, or what such a report usually has. */
static void
add_target(struct summary_view *s, struct ts_explain *out, const char *title, const char *column,
	int64_t value)
{
	struct ts_explained *x = ts_explain_add(out, "%s", title);
	bool recorded = !s->verdict->target.assumed;

	ts_explain_integer(x, value, NULL);
	ts_explain_from(x, recorded ? TS_KNOWN_RECORDED : TS_KNOWN_ASSUMED, "%s%s",
		recorded ? "target." : "the number of tiles, and of IPUs that have steps",
		recorded ? column : "");
	if (recorded && value >= 0 && has(s, TS_TARGET))
		ts_explain_query(x, "SELECT %s FROM target", column);
	else if (!recorded)
		ts_explain_note(x, "no query: the report has no target");
}

static void
explain_target(struct summary_view *s, struct ts_explain *out, int arg)
{
	(void)arg;
	add_target(s, out, "IPUs of all replicas", "ipus", s->verdict->target.ipus);
	add_target(s, out, "replicas", "replicas", s->verdict->target.replicas);
}

static void
explain_tile(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_target *g = &s->verdict->target;
	struct ts_explained *x;
	int64_t ipu;

	(void)arg;
	ts_explain_limit(out, &s->verdict->target, units(s));
	if (g->bytes_per_tile > 0 && g->tiles_per_ipu > 0 &&
		!__builtin_mul_overflow(g->bytes_per_tile, g->tiles_per_ipu, &ipu)) {
		x = ts_explain_add(out, "memory of an IPU");
		ts_explain_bytes(x, ipu, units(s));
		ts_explain_from(x, g->assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
			"target.bytes_per_tile, target.tiles_per_ipu");
		ts_explain_formula(x, "%lld x %lld tiles", (long long)g->bytes_per_tile,
			(long long)g->tiles_per_ipu);
		if (!g->assumed)
			ts_explain_query(x, "SELECT bytes_per_tile * tiles_per_ipu FROM target");
	}
	add_target(s, out, "tiles of an IPU", "tiles_per_ipu", g->tiles_per_ipu);
	if (g->clock_hz > 0 && !g->assumed) {
		x = ts_explain_add(out, "clock");
		ts_explain_real(x, g->clock_hz, "Hz");
		ts_explain_shown(x, "%.4g GHz", g->clock_hz / 1e9);
		ts_explain_from(x, TS_KNOWN_RECORDED, "target.clock_hz");
		ts_explain_query(x, "SELECT clock_hz FROM target");
	}
}

static void
explain_graph(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_graph *g = &s->small->graph;
	const struct {
		const char *name;
		int64_t value;
		enum ts_relation relation;
	} counts[] = {{"compute_sets", g->compute_sets, TS_COMPUTE_SET},
		{"programs", g->programs, TS_PROGRAM}, {"variables", g->variables, TS_VARIABLE},
		{"vertices", g->vertices, TS_RELATION_COUNT},
		{"edges", g->edges, TS_RELATION_COUNT}};

	(void)arg;
	for (size_t i = 0; i < TS_COUNT(counts); i++) {
		struct ts_explained *x = ts_explain_add(out, "%s of the graph", counts[i].name);
		bool counted = counts[i].relation != TS_RELATION_COUNT &&
			has(s, counts[i].relation);
		const char *table = counted ? ts_relation_def(counts[i].relation)->name : "";

		ts_explain_integer(x, counts[i].value, NULL);
		ts_explain_from(x, TS_KNOWN_RECORDED, "graph_count.value");
		if (counts[i].value < 0)
			continue;
		if (has(s, TS_GRAPH_COUNT)) {
			ts_explain_from(x, TS_KNOWN_RECORDED, "graph_count.value%s%s",
				counted ? ", else rows of " : "", table);
			ts_explain_query(x,
				counted ? "SELECT coalesce((SELECT value FROM graph_count WHERE name "
					  "= '%s'), (SELECT count(*) FROM %s))"
					: "SELECT value FROM graph_count WHERE name = '%s'",
				counts[i].name, table);
		} else if (counted) {
			ts_explain_from(x, TS_KNOWN_RECORDED, "rows of %s", table);
			ts_explain_query(x, "SELECT count(*) FROM %s", table);
		}
	}
}

static void
explain_about(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_about *a = &s->verdict->about;
	const struct {
		const char *title, *key, *value;
	} facts[] = {{"version of Poplar", "poplar_version", a->poplar_version},
		{"instrumentation of compute sets", "compute_instrumentation",
			a->compute_instrumentation}};

	(void)arg;
	for (size_t i = 0; i < TS_COUNT(facts); i++) {
		struct ts_explained *x = ts_explain_add(out, "%s", facts[i].title);

		ts_explain_text(x, facts[i].value[0] ? facts[i].value : NULL);
		ts_explain_from(x, TS_KNOWN_RECORDED, "report.value of %s", facts[i].key);
		if (facts[i].value[0])
			ts_explain_query(x, "SELECT value FROM report WHERE key = '%s'",
				facts[i].key);
	}
}

/* --- lines ------------------------------------------------------------------------------------ */

static void (*const explainers[])(struct summary_view *s, struct ts_explain *out, int arg) = {
	[FIGURE_FITS] = explain_fits,
	[FIGURE_TOTAL] = explain_total,
	[FIGURE_OVER] = explain_over,
	[FIGURE_GAPS] = explain_gaps,
	[FIGURE_LIVE] = explain_live,
	[FIGURE_CATEGORY] = explain_category,
	[FIGURE_RUNS] = explain_runs,
	[FIGURE_IPU] = summary_explain_ipu,
	[FIGURE_TARGET] = explain_target,
	[FIGURE_TILE] = explain_tile,
	[FIGURE_GRAPH] = explain_graph,
	[FIGURE_ABOUT] = explain_about,
};

static void
explain_line(struct summary_view *s, int i, struct ts_explain *out)
{
	enum summary_figure figure = s->line[i].figure;

	if (figure != FIGURE_NONE && (figure != FIGURE_GRAPH || s->line[i].arg == 0))
		explainers[figure](s, out, s->line[i].arg);
}

void
summary_explain(struct ts_view *v, struct ts_explain *out)
{
	struct summary_view *s = (struct summary_view *)v;
	int at = (int)s->list.cursor;

	if (s->lines == 0)
		return;
	explain_line(s, at, out);
	for (int i = 0; i < s->lines; i++)
		if (i != at)
			explain_line(s, i, out);
	if (s->verdict)
		ts_explain_left_out(out, s->verdict->tiles.bad_rows, "tile_memory");
}
