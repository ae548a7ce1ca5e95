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
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"
#include "tilescope/view/live_heat.h"

#include "insights_peak.h"

#define USED "ifnull(total_gaps, total)"

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
	if (has(s, TS_TILE_CATEGORY) && has(s, TS_TILE_MEMORY))
		ts_explain_query(x,
			"SELECT (SELECT sum(not_overlapped + ifnull(overlapped, 0)) FROM tile_category "
			"WHERE category_name(category) IN (%s)) * 1.0 / "
			"(SELECT sum(total) FROM tile_memory)",
			names);
	else if (has(s, TS_TILE_MEMORY))
		ts_explain_query(x,
			"SELECT (SELECT sum(bytes) FROM lowered_variable WHERE category_name(category) IN "
			"(%s)) * 1.0 / (SELECT sum(total) FROM tile_memory)",
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
	char bytes[PEAK_BYTES_TEXT];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .element_type, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x,
		"FP32 / all of the variables alive at step %" PRId64
		" (always live or not, no code): %" PRId64 " / %" PRId64,
		p->step, p->fp32.bytes, ts_peak_bytes(p));
	peak_note_replicas(s, x);
	ts_explain_query(x,
		"SELECT sum(CASE WHEN " PEAK_FP32 " THEN %s"
		" ELSE 0 END) * 1.0 / sum(%s) FROM variable v WHERE (" PEAK_ALIVE ") AND %s",
		peak_bytes_sql(s, bytes), bytes, p->step, p->step, peak_no_code(s));
}

static void
ask_half(const struct insights_view *s, struct ts_explained *x, const struct ts_finding *f)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	char bytes[PEAK_BYTES_TEXT];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x,
		"the least k whose k largest have half of %" PRId64
		" bytes, alive at step %" PRId64,
		ts_peak_bytes(p), p->step);
	ts_explain_query(x,
		"WITH a AS (SELECT %s b, v.variable r FROM variable v WHERE (" PEAK_ALIVE
		") AND %s), c AS (SELECT sum(b) OVER (ORDER BY b DESC, r) s, row_number()"
		" OVER (ORDER BY b DESC, r) k FROM a) SELECT 1.0 * min(501, min(k)) FROM c"
		" WHERE 2 * s >= (SELECT sum(b) FROM a)",
		peak_bytes_sql(s, bytes), p->step, p->step, peak_no_code(s));
	peak_note_replicas(s, x);
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
	ts_explain_query(x,
		"SELECT ifnull(sum(bytes), 0) * 1.0 / %" PRId64 " FROM " PEAK_FP32_OF_TILE, t->used,
		t->tile, t->peak_step, t->peak_step);
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
	if (has(s, TS_TILE_CATEGORY))
		ts_explain_query(x,
			"SELECT sum(not_overlapped + ifnull(overlapped, 0)) FROM tile_category WHERE "
			"category_name(category) = 'instrumentationResults'");
	else
		ts_explain_query(x,
			"SELECT sum(bytes) FROM lowered_variable WHERE category_name(category) = "
			"'instrumentationResults'");
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
	char bytes[PEAK_BYTES_TEXT];

	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .element_type, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x,
		"FP32 variables alive at step %" PRId64 " in 16 bits: %" PRId64 " / 2", p->step,
		p->fp32.bytes);
	peak_note_replicas(s, x);
	ts_explain_query(x,
		"SELECT sum(%s) / 2 FROM variable v WHERE (" PEAK_ALIVE ") AND %s AND " PEAK_FP32,
		peak_bytes_sql(s, bytes), p->step, p->step, peak_no_code(s));
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
	ts_explain_query(x, "SELECT ifnull(sum(bytes), 0) / 2 FROM " PEAK_FP32_OF_TILE, t->tile,
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
	if (t->peak_step != TS_UNKNOWN)
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

static void
explain_category(const struct insights_view *s, const struct ts_full_tile *t,
	struct ts_explain *out)
{
	const struct ts_fullest *all = &s->found.facts.fullest;
	bool by_category = has(s, TS_TILE_CATEGORY);
	struct ts_explained *x;
	char name[200];

	if (!t->category)
		return;
	x = ts_explain_add(out, "what tile %" PRId64 " has more of %s than tile %" PRId64, t->tile,
		t->category, all->median_tile);
	ts_explain_bytes(x, t->category_bytes - t->category_median, s->found.units);
	ts_explain_from(x, TS_KNOWN_DERIVED,
		by_category ? "tile_category.not_overlapped, .overlapped"
			    : "lowered_variable.bytes, .category");
	ts_explain_formula(x, "%" PRId64 " - %" PRId64, t->category_bytes, t->category_median);
	ts_explain_note(x, "of all categories the one with the largest difference");
	if (ts_explain_quote(name, sizeof(name), t->category))
		ts_explain_query(x,
			"SELECT sum(CASE tile WHEN %" PRId64
			" THEN 1 ELSE -1 END * %s) FROM %s WHERE tile IN (%" PRId64 ", %" PRId64
			") AND category_name(category) = %s",
			t->tile, by_category ? "(not_overlapped + ifnull(overlapped, 0))" : "bytes",
			by_category ? "tile_category" : "lowered_variable", t->tile,
			all->median_tile, name);
}

/* Of the name that sets it apart: of each tile its largest variables are looked at. */
static void
explain_mostly(const struct insights_view *s, const struct ts_full_tile *t, struct ts_explain *out)
{
	const struct ts_fullest *all = &s->found.facts.fullest;
	struct ts_explained *x;
	char name[1200], category[200], of[300] = "";
	bool quoted;

	if (!t->variable)
		return;
	x = ts_explain_add(out, "what tile %" PRId64 " has more of %s there", t->tile, t->variable);
	ts_explain_bytes(x, t->variable_bytes - t->variable_median, s->found.units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes, .name, .category");
	ts_explain_formula(x, "%" PRId64 " - %" PRId64 " on tile %" PRId64, t->variable_bytes,
		t->variable_median, all->median_tile);
	ts_explain_note(x,
		"of the names in the category the one with the largest difference, among the %d largest "
		"variables of each tile",
		TS_FULLEST_NAMES);
	quoted = ts_explain_quote(name, sizeof(name), t->variable);
	if (t->category) {
		quoted = quoted && ts_explain_quote(category, sizeof(category), t->category);
		if (quoted)
			snprintf(of, sizeof(of), " AND category_name(category) = %s", category);
	}
	if (quoted)
		ts_explain_query(x,
			"SELECT sum(iif(tile = %" PRId64
			", bytes, -bytes)) FROM (SELECT *, row_number() OVER "
			"(PARTITION BY tile ORDER BY bytes DESC) k FROM lowered_variable WHERE tile IN (%" PRId64
			", %" PRId64 ")) WHERE k <= %d AND name = %s%s",
			t->tile, t->tile, all->median_tile, TS_FULLEST_NAMES, name, of);
	else
		ts_explain_note(x, "no query: the name is too long, or categories have no names");
}

static void
explain_tile_share(const struct insights_view *s, const struct ts_full_tile *t,
	struct ts_explain *out)
{
	const struct ts_target *target = &s->found.facts.target;
	struct ts_explained *x;

	if (target->bytes_per_tile <= 0)
		return;
	x = ts_explain_add(out, "how full tile %" PRId64 " is", t->tile);
	ts_explain_real(x, 100.0 * (double)t->used / (double)target->bytes_per_tile, "%");
	ts_explain_from(x, target->assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
		"tile_memory.total_gaps or .total; target.bytes_per_tile");
	ts_explain_formula(x, "100 x %" PRId64 " / %" PRId64, t->used, target->bytes_per_tile);
	if (target->assumed)
		ts_explain_note(x, "the memory of a tile is assumed: from the number of tiles");
	ts_explain_query(x,
		"SELECT 100.0 * " USED " / %" PRId64 " FROM tile_memory WHERE tile = %" PRId64,
		target->bytes_per_tile, t->tile);
}

static void
explain_used(const struct insights_view *s, const struct ts_full_tile *t, struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "memory of tile %" PRId64, t->tile);

	ts_explain_bytes(x, t->used, s->found.units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total_gaps or .total");
	ts_explain_query(x, "SELECT " USED " FROM tile_memory WHERE tile = %" PRId64, t->tile);
}

/* Columns of the table that have a sum at its foot. */
static const struct {
	const char *what, *column;
	void (*row)(const struct insights_view *s, const struct ts_full_tile *t,
		struct ts_explain *out);
} sums[] = {
	{"use", "used", explain_used},
	{"have live at their peaks", "live", explain_live},
	{"have more of these categories than the median tile", "category_more", explain_category},
	{"have more of these variables", "variable_more", explain_mostly},
};

/* The sum of what the queries of the rows say. */
static void
ask_rows(const struct insights_view *s, struct ts_explained *x, size_t sum)
{
	const struct ts_fullest *all = &s->found.facts.fullest;
	struct ts_explain *one = ts_alloc(1, sizeof(*one));
	struct ts_strbuf query;
	bool asked = one != NULL;

	ts_strbuf_init(&query, 5 * TS_EXPLAIN_QUERY);
	for (int i = 0; i < all->count && asked; i++) {
		ts_explain_init(one);
		sums[sum].row(s, &all->tile[i], one);
		if (one->count == 0)
			continue;
		asked = one->figure[0].query[0];
		ts_strbuf_printf(&query, "%s(%s)", query.len > 0 ? " + " : "",
			one->figure[0].query);
		if (x->from[0] == '\0')
			ts_explain_from(x, TS_KNOWN_DERIVED, "%s", one->figure[0].from);
	}
	if (asked)
		ts_explain_query(x, "SELECT %s", query.s);
	else
		ts_explain_note(x, "no query: a row has none");
	ts_strbuf_fini(&query);
	free(one);
}

static void
explain_together(struct insights_view *s, struct ts_explain *out)
{
	const int count = s->found.facts.fullest.count;
	const struct ts_table table = insights_tiles_table.table(s,
		insights_rows_of(&s->tabs.tab[INSIGHTS_TILES]));

	for (int c = 0; c < table.columns && count > 1; c++) {
		struct ts_table_value v = {.type = TS_VALUE_NONE};
		struct ts_explained *x;
		size_t i = 0;

		while (i < TS_COUNT(sums) && strcmp(sums[i].column, table.facts[c].name) != 0)
			i++;
		if (i == TS_COUNT(sums) || !table.value(table.ctx, TS_TABLE_TOTAL, c, &v) ||
			v.type != TS_VALUE_INTEGER)
			continue;
		x = ts_explain_add(out, "what the %d fullest tiles %s, together", count,
			sums[i].what);
		ts_explain_bytes(x, v.integer, s->found.units);
		ts_explain_note(x, "the sum of the rows above that have a value");
		ask_rows(s, x, i);
	}
}

/* Where a bar of the histogram begins: ceil(top x i / bars), in bytes. */
static int64_t
edge(int64_t top, int i, int bars)
{
	return top / bars * i + (top % bars * i + bars - 1) / bars;
}

/* The highest bar, and what stands behind the limit. */
static void
explain_bars(const struct insights_view *s, struct ts_explain *out)
{
	const struct ts_insight_facts *f = &s->found.facts;
	int64_t *count = s->bars > 0 ? ts_alloc((size_t)s->bars + 1, sizeof(*count)) : NULL;
	int64_t top = insights_histogram_top(s), limit = f->target.bytes_per_tile;
	struct ts_explained *x;
	int most = 0;

	if (count) {
		ts_histogram_sorted(count, s->bars, s->found.used, f->tiles.count, top);
		for (int i = 1; i < s->bars; i++)
			most = count[i] > count[most] ? i : most;
		x = ts_explain_add(out, "tiles of the highest bar of the histogram");
		ts_explain_integer(x, count[most], "tiles");
		ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps or .total");
		ts_explain_formula(x,
			"bar %d of %d from 0 to %" PRId64 " bytes: at least %" PRId64
			", less than %" PRId64,
			most + 1, s->bars, top, edge(top, most, s->bars),
			edge(top, most + 1, s->bars));
		ts_explain_note(x, "bars as the screen draws them; the last one has its end, too");
		ts_explain_query(x,
			"SELECT count(*) FROM tile_memory WHERE " USED " >= %" PRId64 " AND " USED
			" < %" PRId64,
			edge(top, most, s->bars),
			edge(top, most + 1, s->bars) + (most == s->bars - 1));
		free(count);
	}
	if (limit <= 0)
		return;
	x = ts_explain_add(out, "tiles that use more than the limit");
	ts_explain_integer(x, (int64_t)ts_tiles_over(&f->tiles, limit), "tiles");
	ts_explain_from(x, f->target.assumed ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED,
		"tile_memory.total_gaps or .total, .overflowed; target.bytes_per_tile");
	ts_explain_query(x,
		"SELECT count(*) FROM tile_memory WHERE " USED " > %" PRId64
		" OR ifnull(overflowed, 0) > 0",
		limit);
}

void
insights_explain_tile(struct insights_view *s, int64_t row, struct ts_explain *out)
{
	const struct ts_fullest *all = &s->found.facts.fullest;
	const struct ts_full_tile *t;

	if (row < 0 || row >= all->count)
		return;
	t = &all->tile[row];
	explain_used(s, t, out);
	explain_tile_share(s, t, out);
	explain_live(s, t, out);
	explain_category(s, t, out);
	explain_mostly(s, t, out);
	explain_together(s, out);
	explain_spread(s, out);
	explain_bars(s, out);
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
