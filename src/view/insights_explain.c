/* SPDX-License-Identifier: MIT */
/*
 * insights_explain - what the figures of the Insights view are: formula with the numbers, where they come from, and the
 * query that gives the same number.
 *
 * A query is given where the relations are recorded: what was assumed (the memory of a tile), or summed over lowered
 * variables because there are no categories, has none, and the note says so.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"
#include "tilescope/view/live_heat.h"

#include "insights_peak.h"

enum { BYTES_TEXT = 96 };

#define USED "ifnull(total_gaps, total)"
#define ALIVE                                                                                            \
	"v.always_live OR v.variable IN (SELECT variable FROM liveness_variable WHERE start <= %" PRId64 \
	" AND \"end\" > %" PRId64 ")"
#define FP32 "lower(element_type) IN ('float', 'float32', 'fp32')"
#define FP32_OF_TILE                                                                              \
	"lowered_variable WHERE tile = %" PRId64 " AND " FP32                                     \
	" AND (always_live OR class IN (SELECT class FROM class_interval WHERE start <= %" PRId64 \
	" AND \"end\" > %" PRId64 "))"
/* what has no name is no code: NULL IN (...) is neither */
#define NO_CODE                                                                                \
	"NOT (ifnull(v.always_live, 0) AND ifnull(v.name IN (SELECT name FROM memory_category" \
	" WHERE name IS NOT NULL), 0))"

/* Bytes of a variable on the device: what is not always live is recorded of one replica. */
static const char *
bytes_of(const struct insights_view *s, char out[BYTES_TEXT])
{
	int64_t replicas = s->found.facts.peak.replicas;

	if (replicas > 1)
		snprintf(out, BYTES_TEXT,
			"bytes * CASE WHEN ifnull(v.always_live, 0) THEN 1 ELSE %" PRId64 " END",
			replicas);
	else
		snprintf(out, BYTES_TEXT, "bytes");
	return out;
}

static void
note_replicas(const struct insights_view *s, struct ts_explained *x)
{
	if (s->found.facts.peak.replicas > 1)
		ts_explain_note(x,
			"of all %" PRId64 " replicas: what is not always live is recorded of one",
			s->found.facts.peak.replicas);
}

static const char codes[] = "'vertexCode', 'controlCode', 'internalExchangeCode', "
			    "'globalExchangeCode', 'hostExchangeCode', 'sharedCodeStorage'";

static bool
has(const struct insights_view *s, enum ts_relation relation)
{
	return ts_report_has(s->base.env->report, relation);
}

/* --- findings --------------------------------------------------------------------------------- */

static void
ask_share(const struct insights_view *s, struct ts_explained *x, const char *names)
{
	ts_explain_from(x, TS_KNOWN_DERIVED,
		has(s, TS_TILE_CATEGORY)
			? "tile_category.not_overlapped, .overlapped; tile_memory.total"
			: "lowered_variable.bytes, .category; tile_memory.total");
	if (has(s, TS_TILE_CATEGORY) && has(s, TS_MEMORY_CATEGORY) && has(s, TS_TILE_MEMORY))
		ts_explain_query(x,
			"SELECT (SELECT sum(not_overlapped + ifnull(overlapped, 0)) FROM tile_category "
			"JOIN memory_category USING (category) WHERE name IN (%s)) * 1.0 / "
			"(SELECT sum(total) FROM tile_memory)",
			names);
	else if (has(s, TS_MEMORY_CATEGORY) && has(s, TS_TILE_MEMORY))
		ts_explain_query(x,
			"SELECT (SELECT sum(bytes) FROM lowered_variable WHERE category IN (SELECT category FROM "
			"memory_category WHERE name IN (%s))) * 1.0 / (SELECT sum(total) FROM tile_memory)",
			names);
	else
		ts_explain_note(x, "no query: summed over the lowered variables");
}

static void
ask_worst(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_insight_facts *k = &s->found.facts;

	(void)f;
	ts_explain_from(x, k->target.assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
		"tile_memory.total_gaps or .total; target.bytes_per_tile");
	ts_explain_formula(x, "%" PRId64 " / %" PRId64, k->fullest.tile[0].used,
		k->target.bytes_per_tile);
	if (k->target.assumed)
		ts_explain_note(x, "the memory of a tile is assumed: from the number of tiles");
	ts_explain_query(x, "SELECT max(" USED ") * 1.0 / %" PRId64 " FROM tile_memory",
		k->target.bytes_per_tile);
}

static void
ask_overflowed(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"tile_memory.total_gaps or .total, .overflowed; target.bytes_per_tile");
	ts_explain_formula(x, "sum over tiles of max(used - %" PRId64 ", overflowed, 0)",
		s->found.facts.target.bytes_per_tile);
	ts_explain_query(x,
		"SELECT 1.0 * sum(max(" USED " - %" PRId64
		", ifnull(overflowed, 0), 0)) FROM tile_memory",
		s->found.facts.target.bytes_per_tile > 0 ? s->found.facts.target.bytes_per_tile
							 : INT64_MAX);
}

static void
ask_imbalance(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_tiles *t = &s->found.facts.tiles;

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps or .total");
	ts_explain_formula(x, "%" PRId64 " / (%" PRId64 " / %zu)",
		s->found.facts.fullest.tile[0].used, t->used, t->count);
	ts_explain_query(x,
		"SELECT max(" USED ") / (sum(" USED ") * 1.0 / count(*)) FROM tile_memory");
}

static void
ask_gaps(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_tiles *t = &s->found.facts.tiles;

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, .total");
	ts_explain_formula(x, "(%" PRId64 " - %" PRId64 ") / %" PRId64, t->total_gaps, t->total,
		t->total_gaps);
	ts_explain_query(x,
		"SELECT (sum(total_gaps) - sum(total)) * 1.0 / sum(total_gaps) FROM tile_memory");
}

static void
ask_code(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	(void)f;
	ask_share(s, x, codes);
}

static void
ask_exchange(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	(void)f;
	ask_share(s, x, "'internalExchangeCode'");
}

static void
ask_profiling(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	(void)f;
	ask_share(s, x, "'instrumentationResults'");
}

static void
ask_peak(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_liveness *l = &s->found.facts.liveness;

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED, "liveness_step.not_always_live");
	ts_explain_formula(x, "%" PRId64 " (step %" PRId64 ") / mean over %" PRId64 " steps",
		l->peak.bytes, l->peak.step, l->steps);
	ts_explain_query(x,
		"SELECT max(not_always_live) / (sum(not_always_live) * 1.0 / count(*)) FROM liveness_step");
}

static void
ask_fp32(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	char bytes[BYTES_TEXT];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .element_type, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x,
		"FP32 / all of the variables alive at step %" PRId64
		" (always live or not, no code): %" PRId64 " / %" PRId64,
		p->step, p->fp32.bytes, ts_peak_bytes(p));
	note_replicas(s, x);
	if (has(s, TS_MEMORY_CATEGORY))
		ts_explain_query(x,
			"SELECT sum(CASE WHEN " FP32 " THEN %s"
			" ELSE 0 END) * 1.0 / sum(%s) FROM variable v WHERE (" ALIVE
			") AND " NO_CODE,
			bytes_of(s, bytes), bytes, p->step, p->step);
}

static void
ask_half(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	char bytes[BYTES_TEXT];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x,
		"the least k whose k largest have half of %" PRId64
		" bytes, alive at step %" PRId64,
		ts_peak_bytes(p), p->step);
	if (has(s, TS_MEMORY_CATEGORY))
		ts_explain_query(x,
			"WITH a AS (SELECT %s b, v.variable r FROM variable v WHERE (" ALIVE
			") AND " NO_CODE
			"), c AS (SELECT sum(b) OVER (ORDER BY b DESC, r) s, row_number()"
			" OVER (ORDER BY b DESC, r) k FROM a) SELECT 1.0 * min(501, min(k)) FROM c"
			" WHERE 2 * s >= (SELECT sum(b) FROM a)",
			bytes_of(s, bytes), p->step, p->step);
	note_replicas(s, x);
}

static void
ask_fp32_tile(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_full_tile *t = &s->found.facts.fullest.tile[0];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"lowered_variable.bytes, .element_type, .always_live, .class; class_interval; tile_memory");
	ts_explain_formula(x,
		"FP32 alive at its peak, step %" PRId64 " / what tile %" PRId64 " uses: %" PRId64
		" / %" PRId64,
		t->peak_step, t->tile, t->fp32_bytes, t->used);
	ts_explain_query(x, "SELECT ifnull(sum(bytes), 0) * 1.0 / %" PRId64 " FROM " FP32_OF_TILE,
		t->used, t->tile, t->peak_step, t->peak_step);
}

/* --- what mending saves ----------------------------------------------------------------------- */

static void
save_imbalance(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_tiles *t = &s->found.facts.tiles;

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps or .total");
	ts_explain_formula(x,
		"bytes of the fullest tile - mean of all: %" PRId64 " - %" PRId64 " / %zu",
		s->found.facts.fullest.tile[0].used, t->used, t->count);
	ts_explain_query(x,
		"SELECT max(" USED ") - CAST(sum(" USED
		") * 1.0 / count(*) AS INTEGER) FROM tile_memory");
}

static void
save_gaps(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_tiles *t = &s->found.facts.tiles;

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, .total");
	ts_explain_formula(x, "%" PRId64 " - %" PRId64, t->total_gaps, t->total);
	ts_explain_query(x, "SELECT sum(total_gaps) - sum(total) FROM tile_memory");
}

static void
save_profiling(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		has(s, TS_TILE_CATEGORY) ? "tile_category.not_overlapped, .overlapped"
					 : "lowered_variable.bytes, .category");
	ts_explain_formula(x, "bytes of instrumentationResults, on all tiles");
	if (has(s, TS_TILE_CATEGORY) && has(s, TS_MEMORY_CATEGORY))
		ts_explain_query(x,
			"SELECT sum(not_overlapped + ifnull(overlapped, 0)) FROM tile_category JOIN "
			"memory_category USING (category) WHERE name = 'instrumentationResults'");
	else if (has(s, TS_MEMORY_CATEGORY))
		ts_explain_query(x,
			"SELECT sum(bytes) FROM lowered_variable WHERE category IN (SELECT category FROM "
			"memory_category WHERE name = 'instrumentationResults')");
	else
		ts_explain_note(x, "no query: summed over the lowered variables");
}

static void
save_peak(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_liveness *l = &s->found.facts.liveness;

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED, "liveness_step.not_always_live");
	ts_explain_formula(x, "%" PRId64 " (step %" PRId64 ") - mean over %" PRId64 " steps%s",
		l->peak.bytes, l->peak.step, l->steps,
		l->replicas > 1 ? ", times the replicas" : "");
	ts_explain_query(x,
		"SELECT (max(not_always_live) - CAST(sum(not_always_live) * 1.0 / count(*) AS INTEGER)) "
		"* %" PRId64 " FROM liveness_step",
		ts_max_i64(l->replicas, 1));
}

static void
save_fp32(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	char bytes[BYTES_TEXT];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .element_type, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x,
		"FP32 variables alive at step %" PRId64 " in 16 bits: %" PRId64 " / 2", p->step,
		p->fp32.bytes);
	note_replicas(s, x);
	if (has(s, TS_MEMORY_CATEGORY))
		ts_explain_query(x,
			"SELECT sum(%s) / 2 FROM variable v WHERE (" ALIVE ") AND " NO_CODE
			" AND " FP32,
			bytes_of(s, bytes), p->step, p->step);
	else
		ts_explain_note(x, "no query: names of categories are not recorded");
}

static void
save_fp32_tile(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_full_tile *t = &s->found.facts.fullest.tile[0];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"lowered_variable.bytes, .element_type, .always_live, .class; class_interval");
	ts_explain_formula(x,
		"FP32 variables of tile %" PRId64 " alive at its peak, step %" PRId64
		", in 16 bits: %" PRId64 " / 2",
		t->tile, t->peak_step, t->fp32_bytes);
	ts_explain_query(x, "SELECT ifnull(sum(bytes), 0) / 2 FROM " FP32_OF_TILE, t->tile,
		t->peak_step, t->peak_step);
}

/* --- each measure ----------------------------------------------------------------------------- */

static const struct {
	const char *measure;
	insights_explain_fn *ask, *save; /* save: NULL where it saves nothing that is known */
} measures[] = {
	{"worst-tile-share", ask_worst, NULL},
	{"overflowed-bytes", ask_overflowed, NULL},
	{"tile-imbalance", ask_imbalance, save_imbalance},
	{"gaps-share", ask_gaps, save_gaps},
	{"code-share", ask_code, NULL},
	{"exchange-code-share", ask_exchange, NULL},
	{"profiling-share", ask_profiling, save_profiling},
	{"peak-over-steady", ask_peak, save_peak},
	{"fp32-share", ask_fp32, save_fp32},
	{"half-of-peak", ask_half, NULL},
	{"fp32-of-fullest-tile", ask_fp32_tile, save_fp32_tile},
	{"host-wait-share", insights_explain_time, insights_explain_time_saved},
	{"host-copy-share", insights_explain_time, insights_explain_time_saved},
	{"exchange-share", insights_explain_time, NULL},
	{"global-exchange-alone", insights_explain_time, insights_explain_time_saved},
	{"artefact-share", insights_explain_artefact, NULL},
	{"tile-balance", insights_explain_tiles, insights_explain_tiles_saved},
	{"balance-saving", insights_explain_tiles, insights_explain_tiles_saved},
	{"active-tiles", insights_explain_tiles, insights_explain_tiles_saved},
	{"slow-stage", insights_explain_stages, insights_explain_stage_saved},
	{"bubble-share", insights_explain_stages, NULL},
	{"rearrangement-share", insights_explain_rearranged, NULL},
};

/* At most: what is waited for elsewhere, or stands in the way, may take its place. */
static void
explain_saved(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	for (size_t i = 0; i < TS_COUNT(measures); i++)
		if (measures[i].save && strcmp(measures[i].measure, f->rule->measure) == 0)
			measures[i].save(s, x, f);
	ts_explain_note(x, "at most: %s", f->evidence);
}

/* How much of what is allocated on a tile is alive at once. */
static void
explain_live(const struct insights_view *s, const struct ts_full_tile *t, struct ts_explain *out)
{
	struct ts_explained *x;

	if (t->live == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "most live bytes on tile %" PRId64, t->tile);
	ts_explain_bytes(x, t->live, s->found.units);
	if (t->peak_step != TS_UNKNOWN && t->has_fp32)
		ts_live_explain(x, s->base.env->report, t->tile, t->peak_step);
	else
		ts_explain_from(x, TS_KNOWN_DERIVED,
			"tile_memory, lowered_variable, class_interval");
	ts_explain_note(x,
		"at the tile's own peak, always-live bytes with it; what is allocated counts: gaps, and what is never alive "
		"together and does not overlap, too");
}

void
insights_explain_finding(struct insights_view *s, int64_t row, struct ts_explain *out)
{
	const struct ts_finding *f = insights_finding(s, row);
	const struct ts_rule *rule = insights_rule(s, row);
	struct ts_explained *x;

	if (!rule || !ts_pane_has(&s->state))
		return;
	if (!f || !f->known) {
		for (int i = 0; i < insights_together(s, row); i++) {
			rule = f ? f[i].rule : rule;
			x = ts_explain_add(out, "%s: %s", rule->id, rule->measure);
			ts_explain_from(x, TS_KNOWN_DERIVED, "%s", rule->measure);
			ts_explain_note(x, "%s", f ? f[i].evidence : "the rule is switched off");
		}
		return;
	}
	x = ts_explain_add(out, "%s: %s", rule->id, rule->measure);
	ts_explain_real(x, f->value, NULL);
	for (size_t i = 0; i < TS_COUNT(measures); i++)
		if (strcmp(measures[i].measure, rule->measure) == 0)
			measures[i].ask(s, x, f);
	if (strcmp(rule->measure, "worst-tile-share") == 0 && f->value > 1 &&
		s->found.facts.fullest.count > 0)
		explain_live(s, &s->found.facts.fullest.tile[0], out);
	if (f->saving > 0) {
		x = ts_explain_add(out, "%s: what mending it saves at most", rule->id);
		if (f->saving_of == TS_SAVING_CYCLES)
			ts_explain_integer(x, f->saving, "cycles");
		else
			ts_explain_bytes(x, f->saving, s->found.units);
		explain_saved(s, x, f);
	}
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* By nearest rank: each is what a tile uses, none stands between two. */
static void
explain_percentiles(struct insights_view *s, struct ts_explain *out)
{
	const struct ts_insight_facts *f = &s->found.facts;
	long long n = (long long)f->tiles.count;

	for (int i = 0; i < INSIGHTS_PERCENTILES; i++) {
		int p = insights_percentiles[i].p;
		long long rank = ts_max_i64((n * p + 99) / 100, 1);
		struct ts_explained *x = p == 50
			? ts_explain_add(out, "memory of the median tile, %" PRId64,
				  f->fullest.median_tile)
			: ts_explain_add(out, "memory of a tile, %s%s",
				  insights_percentiles[i].name,
				  p > 0 && p < 100 ? " of the tiles have at most" : "");

		ts_explain_bytes(x, ts_percentile(s->found.used, f->tiles.count, p),
			s->found.units);
		ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total_gaps or .total");
		ts_explain_formula(x,
			"number max(ceil(%d x %lld / 100), 1) = %lld of %lld, ascending", p, n,
			rank, n);
		ts_explain_query(x,
			"SELECT " USED " AS u FROM tile_memory ORDER BY u LIMIT 1 OFFSET (SELECT "
			"max((count(*) * %d + 99) / 100, 1) - 1 FROM tile_memory)",
			p);
	}
}

static void
explain_spread(struct insights_view *s, struct ts_explain *out)
{
	const struct ts_insight_facts *f = &s->found.facts;
	struct ts_explained *x;

	if (s->found.has_balance) {
		x = ts_explain_add(out, "balance index of the tiles' memory");
		ts_explain_real(x, s->found.balance, NULL);
		ts_explain_shown(x, "%.3f", s->found.balance);
		ts_explain_from(x, f->target.assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
			"tile_memory.total_gaps or .total; target.bytes_per_tile");
		ts_explain_formula(x,
			"1 - RMSE / RMSE_max: RMSE around the mean; RMSE_max from the mean %.0f to %s tile",
			(double)f->tiles.used / (double)f->tiles.count,
			2.0 * (double)f->tiles.used / (double)f->tiles.count <=
					(double)f->target.bytes_per_tile
				? "a full"
				: "an empty");
		ts_explain_query(x,
			"WITH u AS (SELECT " USED
			" AS u FROM tile_memory), m AS (SELECT sum(u) * 1.0 / count(*) "
			"AS m FROM u) SELECT 1 - sqrt(sum((u - m) * (u - m)) / count(*)) / iif(2 * m <= %" PRId64
			", %" PRId64 " - m, m) FROM u, m",
			f->target.bytes_per_tile, f->target.bytes_per_tile);
	}
	x = ts_explain_add(out, "mean memory of a tile");
	ts_explain_bytes(x, f->tiles.used / (int64_t)f->tiles.count, s->found.units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps or .total");
	ts_explain_formula(x, "%" PRId64 " / %zu, rounded down", f->tiles.used, f->tiles.count);
	ts_explain_query(x, "SELECT sum(" USED ") / count(*) FROM tile_memory");
	if (f->tiles.used > 0) {
		x = ts_explain_add(out, "memory of the fullest tile / mean");
		ts_explain_real(x,
			(double)f->fullest.tile[0].used * (double)f->tiles.count /
				(double)f->tiles.used,
			NULL);
		ask_imbalance(s, x, NULL);
	}
	explain_percentiles(s, out);
}

void
insights_explain_tile(struct insights_view *s, int64_t row, struct ts_explain *out)
{
	const struct ts_fullest *all = &s->found.facts.fullest;
	bool by_category = has(s, TS_TILE_CATEGORY);
	const struct ts_full_tile *t;
	struct ts_explained *x;
	char name[200];

	if (row < 0 || row >= all->count)
		return;
	t = &all->tile[row];
	x = ts_explain_add(out, "memory of tile %" PRId64, t->tile);
	ts_explain_bytes(x, t->used, s->found.units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total_gaps or .total");
	ts_explain_query(x, "SELECT " USED " FROM tile_memory WHERE tile = %" PRId64, t->tile);
	explain_live(s, t, out);
	if (t->category) {
		x = ts_explain_add(out,
			"what tile %" PRId64 " has more of %.60s than tile %" PRId64, t->tile,
			t->category, all->median_tile);
		ts_explain_bytes(x, t->category_bytes - t->category_median, s->found.units);
		ts_explain_from(x, TS_KNOWN_DERIVED,
			by_category ? "tile_category.not_overlapped, .overlapped"
				    : "lowered_variable.bytes, .category");
		ts_explain_formula(x, "%" PRId64 " - %" PRId64, t->category_bytes,
			t->category_median);
		ts_explain_note(x, "of all categories the one with the largest difference");
		if (has(s, TS_MEMORY_CATEGORY) && ts_explain_quote(name, sizeof(name), t->category))
			ts_explain_query(x,
				"SELECT sum(CASE tile WHEN %" PRId64
				" THEN 1 ELSE -1 END * %s) FROM %s WHERE tile IN (%" PRId64
				", %" PRId64
				") AND category IN (SELECT category FROM memory_category WHERE name = %s)",
				t->tile,
				by_category ? "(not_overlapped + ifnull(overlapped, 0))" : "bytes",
				by_category ? "tile_category" : "lowered_variable", t->tile,
				all->median_tile, name);
	}
	explain_spread(s, out);
}

/* --- variables -------------------------------------------------------------------------------- */

static void
explain_variable(struct insights_view *s, const struct ts_peak_variable *v, int divide,
	struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "%s of variable %" PRId64,
		divide == 2 ? "saving by halving" : "bytes", v->variable);
	char bytes[BYTES_TEXT];

	ts_explain_bytes(x, v->bytes / divide, s->found.units);
	ts_explain_from(x, divide == 2 ? TS_KNOWN_DERIVED : TS_KNOWN_RECORDED, "variable.bytes");
	if (divide == 2)
		ts_explain_formula(x, "%" PRId64 " / 2", v->bytes);
	note_replicas(s, x);
	ts_explain_query(x, "SELECT %s / %d FROM variable v WHERE variable = %" PRId64,
		bytes_of(s, bytes), divide, v->variable);
}

static void
explain_sum(struct insights_view *s, const char *what, int64_t bytes, const char *more,
	struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	struct ts_explained *x = ts_explain_add(out, "%s", what);
	char of[BYTES_TEXT];

	ts_explain_bytes(x, bytes, s->found.units);
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	if (has(s, TS_MEMORY_CATEGORY) && p->has_lives)
		ts_explain_query(x,
			"SELECT ifnull(sum(%s), 0) FROM variable v WHERE (" ALIVE ") AND " NO_CODE
			"%s",
			bytes_of(s, of), p->step, p->step, more);
	note_replicas(s, x);
}

/* Its share of all, and that of it and all larger ones. */
static void
explain_so_far(struct insights_view *s, const struct peak_look *k, int64_t row,
	const struct ts_peak_variable *v, struct ts_explain *out)
{
	const struct ts_peak_variables *p = k->found;
	struct ts_explained *x;
	char of[BYTES_TEXT];

	if (k->whole <= 0)
		return;
	x = ts_explain_add(out, "share of variable %" PRId64, v->variable);
	ts_explain_real(x, 100 * (double)v->bytes / k->whole, "%");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x, "100 x %" PRId64 " / %" PRId64, v->bytes, ts_peak_bytes(p));
	note_replicas(s, x);
	if (has(s, TS_MEMORY_CATEGORY) && p->has_lives)
		ts_explain_query(x,
			"SELECT 100.0 * sum(%s * (variable = %" PRId64
			")) / sum(%s) FROM variable v WHERE (" ALIVE ") AND " NO_CODE,
			bytes_of(s, of), v->variable, of, p->step, p->step);
	else
		ts_explain_note(x,
			"no query: who is alive, or the names of categories, are not recorded");
	x = ts_explain_add(out, "share of the %" PRId64 " largest", row + 1);
	ts_explain_real(x, 100 * peak_look_so_far(k, row) / k->whole, "%");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x, "100 x %.0f / %" PRId64, peak_look_so_far(k, row), ts_peak_bytes(p));
	note_replicas(s, x);
	if (has(s, TS_MEMORY_CATEGORY) && p->has_lives)
		ts_explain_query(x,
			"WITH a AS (SELECT %s AS b FROM variable v WHERE (" ALIVE ") AND " NO_CODE
			") SELECT 100.0 * (SELECT sum(b) FROM (SELECT b FROM a ORDER BY b DESC LIMIT %" PRId64
			")) / sum(b) FROM a",
			bytes_of(s, of), p->step, p->step, row + 1);
	else
		ts_explain_note(x, "no query: as above");
}

void
insights_explain_peak(struct insights_view *s, int64_t row, struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;

	const struct peak_look k = peak_look(s, false);
	struct ts_peak_variable v;

	if (peak_look_row(&k, row, &v)) {
		explain_variable(s, &v, 1, out);
		explain_so_far(s, &k, row, &v, out);
	}
	if (!s->found.facts.has_peak)
		return;
	explain_sum(s, "all variables alive at the peak", ts_peak_bytes(p), "", out);
	explain_sum(s, "the always-live ones of them", p->always.bytes, " AND v.always_live", out);
	explain_sum(s, "the others", p->alive.bytes, " AND NOT ifnull(v.always_live, 0)", out);
}

void
insights_explain_half(struct insights_view *s, int64_t row, struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;

	const struct peak_look k = peak_look(s, true);
	struct ts_peak_variable v;

	if (peak_look_row(&k, row, &v)) {
		explain_variable(s, &v, 2, out);
		explain_variable(s, &v, 1, out);
	}
	if (s->found.facts.has_peak && p->has_types)
		explain_sum(s, "FP32 variables alive at the peak", p->fp32.bytes, " AND " FP32,
			out);
}

void
insights_explain(struct ts_view *v, struct ts_explain *out)
{
	struct insights_view *s = insights_of(v);

	if (s->in_tabs)
		ts_tabs_explain(&s->tabs, out);
	else
		insights_explain_finding(s, insights_row(s), out);
}
