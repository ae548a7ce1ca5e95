/* SPDX-License-Identifier: MIT */
/*
 * insights - see the header.
 *
 * Each measure is a function in one table (insights_memory.c, insights_execution.c). It fills in the value, the sentence
 * and the place, or says what it needs that this report does not record.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/summary.h"

#include "insights_internal.h"

/* --- facts ------------------------------------------------------------------------------------ */

static const char bad_number[] = "a number is missing, negative or too large";

static enum ts_code
read_tiles(struct ts_insight_facts *x, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_tiles_read(&x->tiles, rd, &why);

	x->has_tiles = x->tiles.count > 0;
	x->partial |= x->tiles.partial ? TS_FACT_TILES : 0;
	code = ts_notes_soften(&x->notes, code, "tile memory", &why, err);
	if (code)
		return code;
	code = ts_target_read(&x->target, rd, x->tiles.partial ? 0 : x->tiles.rows,
		ts_step_ipus(rd->report), &why);
	if (x->has_tiles) {
		ts_summary_tile_notes(&x->notes, &x->tiles, &x->target);
		x->partial |= ts_summary_all_tiles(&x->tiles, &x->target) ? 0 : TS_FACT_TILES;
	}
	return ts_notes_soften(&x->notes, code, "target", &why, err);
}

static enum ts_code
read_categories(struct ts_insight_facts *x, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_categories_read(&x->categories, rd, progress, &why);

	x->has_categories = x->categories.count > 0;
	x->partial |= code == TS_E_DAMAGED || x->categories.cut ? TS_FACT_CATEGORIES : 0;
	ts_notes_left_out(&x->notes, "memory categories", x->categories.bad_rows, bad_number);
	if (x->categories.cut)
		ts_notes_add(&x->notes,
			"memory categories: more categories or tiles than are kept");
	x->notes.partial |= x->categories.cut;
	return ts_notes_soften(&x->notes, code, "memory categories", &why, err);
}

static enum ts_code
read_liveness(struct ts_insight_facts *x, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_liveness_read(&x->liveness, rd, progress, &why);

	x->has_liveness = x->liveness.count > 0;
	x->partial |= code == TS_E_DAMAGED ? TS_FACT_LIVENESS : 0;
	ts_notes_left_out(&x->notes, "liveness", x->liveness.bad_rows, bad_number);
	code = ts_notes_soften(&x->notes, code, "liveness", &why, err);
	if (code)
		return code;
	code = ts_peak_variables_read(&x->peak, rd,
		x->has_liveness ? x->liveness.peak.step : TS_UNKNOWN, x->liveness.replicas,
		x->has_categories ? &x->categories : NULL, progress, &why);
	x->has_peak = code == TS_OK;
	x->partial |= x->peak.partial ? TS_FACT_VARIABLES : 0;
	x->notes.partial |= x->peak.partial;
	ts_notes_left_out(&x->notes, "variables", x->peak.bad_rows, bad_number);
	if (x->peak.partial)
		ts_notes_add(&x->notes, "variables: not all that are alive at the peak are known");
	return ts_notes_soften(&x->notes, code, "variables", &why, err);
}

enum ts_code
ts_insight_facts_read(struct ts_insight_facts *x, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code;

	memset(x, 0, sizeof(*x));
	ts_notes_copy(&x->notes, &rd->report->notes);
	code = read_tiles(x, rd, err);
	if (!code)
		code = read_categories(x, rd, progress, err);
	if (!code)
		code = read_liveness(x, rd, progress, err);
	return code ? code
		    : ts_fullest_read(&x->fullest, rd, &x->tiles,
			      x->has_categories ? &x->categories : NULL, err);
}

void
ts_insight_facts_fini(struct ts_insight_facts *x)
{
	ts_tiles_fini(&x->tiles);
	ts_categories_fini(&x->categories);
	ts_liveness_fini(&x->liveness);
	ts_peak_variables_fini(&x->peak);
	ts_fullest_fini(&x->fullest);
	ts_notes_fini(&x->notes);
}

/* --- measures --------------------------------------------------------------------------------- */

static const struct row {
	const char *name, *what;
	unsigned of; /* TS_FACT_*, or with `execution` TS_EXECUTION_* */
	/* False: not recorded; `evidence` says what. */
	bool (*find)(struct ts_finding *f, const struct measure *m);
	bool execution;
} measures[] = {
	{"worst-tile-share", "bytes of the fullest tile, of a tile's size", TS_FACT_TILES,
		measure_worst_tile_share, false},
	{"overflowed-bytes", "bytes that tiles have too much, in all", TS_FACT_TILES,
		measure_overflowed_bytes, false},
	{"tile-imbalance", "the fullest tile over the mean", TS_FACT_TILES, measure_tile_imbalance,
		false},
	{"gaps-share", "gaps, of the bytes in use with gaps", TS_FACT_TILES, measure_gaps_share,
		false},
	{"code-share", "all kinds of code, of the bytes in use without gaps",
		TS_FACT_TILES | TS_FACT_CATEGORIES, measure_code_share, false},
	{"exchange-code-share", "internal exchange code, of the bytes in use without gaps",
		TS_FACT_TILES | TS_FACT_CATEGORIES, measure_exchange_code_share, false},
	{"profiling-share", "instrumentation results, of the bytes in use",
		TS_FACT_TILES | TS_FACT_CATEGORIES, measure_profiling_share, false},
	{"peak-over-steady", "the not-always-live peak over the mean of all steps",
		TS_FACT_LIVENESS, measure_peak_over_steady, false},
	{"fp32-share", "FP32, of the variables alive at the peak",
		TS_FACT_LIVENESS | TS_FACT_VARIABLES, measure_fp32_share, false},
	{"fp32-of-fullest-tile", "FP32 alive at its peak, of what the fullest tile uses",
		TS_FACT_TILES, measure_fp32_of_tile, false},
	{"half-of-peak", "how few are half of the variables alive at the peak",
		TS_FACT_LIVENESS | TS_FACT_VARIABLES, measure_half_of_peak, false},
	{"host-wait-share", "waiting for the host, of an IPU's cycles of the runs",
		TS_EXECUTION_TIME, measure_host_wait, true},
	{"host-copy-share", "copies of the host beside no compute, of an IPU's cycles",
		TS_EXECUTION_TIME, measure_host_copy, true},
	{"exchange-share", "exchange between tiles, of an IPU's cycles of the runs",
		TS_EXECUTION_TIME, measure_exchange, true},
	{"global-exchange-alone", "global exchange, of the cycles of a program on one IPU",
		TS_EXECUTION_TIME, measure_global_alone, true},
	{"tile-balance", "mean over slowest tile, least of the large compute sets",
		TS_EXECUTION_LOSS, measure_balance, true},
	{"balance-saving", "cycles of the runs that balance of one compute set saves",
		TS_EXECUTION_LOSS, measure_lost, true},
	{"active-tiles", "active tiles, fewest of the large compute sets", TS_EXECUTION_LOSS,
		measure_active, true},
	{"slow-stage", "work of the slowest stage of a pipeline over the mean", TS_EXECUTION_STAGES,
		measure_slow_stage, true},
	{"bubble-share", "sync and nothing, of the cycles of a pipeline's stages",
		TS_EXECUTION_STAGES, measure_bubble, true},
	{"rearrangement-share", "copies and transposes, of the cycles of compute steps",
		TS_EXECUTION_COSTS, measure_rearrangement, true},
	{"artefact-share", "the profiler's own wait, of the cycles of the runs", TS_EXECUTION_TIME,
		measure_artefact, true},
};

const char *
ts_measure_name(int i, const char **what)
{
	if (i < 0 || i >= (int)TS_COUNT(measures))
		return NULL;
	*what = measures[i].what;
	return measures[i].name;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Of what could not be read to its end nothing is fine. */
static void
doubt(struct ts_finding *f)
{
	char seen[TS_EVIDENCE];

	snprintf(seen, sizeof(seen), "%s", f->evidence);
	f->known = false;
	f->saving = TS_UNKNOWN;
	f->place[0] = '\0';
	snprintf(f->evidence, sizeof(f->evidence), "not all of it can be read; of what can: %.180s",
		seen);
}

static const struct row *
measure_of(const struct ts_rule *rule)
{
	for (size_t i = 0; i < TS_COUNT(measures); i++)
		if (strcmp(measures[i].name, rule->measure) == 0)
			return &measures[i];
	return NULL;
}

static void
judge(struct ts_finding *f, const struct measure *m)
{
	const struct row *r = measure_of(f->rule);
	unsigned partial = 0;

	*f = (struct ts_finding){.rule = f->rule, .saving = TS_UNKNOWN};
	if (!r) {
		snprintf(f->evidence, sizeof(f->evidence), "there is no measure \"%s\"",
			f->rule->measure);
		return;
	}
	if (r->execution)
		partial = m->execution ? m->execution->partial : 0;
	else
		partial = m->facts->partial;
	f->known = r->find(f, m);
	if (f->known)
		f->severity = ts_rule_judge(f->rule, f->value);
	if (f->known && !f->severity && r->of & partial)
		doubt(f);
}

/* The worse first; what is not known last; in the order of the rules. */
static int
worse_first(const void *a, const void *b)
{
	const struct ts_finding *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static void
put_in_order(struct ts_insights *in)
{
	memset(in->by_severity, 0, sizeof(in->by_severity));
	in->unknown = 0;
	for (int i = 0; i < in->count; i++) {
		in->by_severity[in->finding[i].severity] += in->finding[i].known;
		in->unknown += !in->finding[i].known;
	}
	qsort(in->finding, (size_t)in->count, sizeof(*in->finding), worse_first);
}

enum ts_code
ts_insights_find(struct ts_insights *out, const struct ts_rules *rules,
	const struct ts_insight_facts *facts, enum ts_units units, struct ts_err *err)
{
	const struct measure m = {facts, NULL, units};

	*out = (struct ts_insights){0};
	out->finding = ts_alloc((size_t)rules->count + 1, sizeof(*out->finding));
	if (!out->finding)
		return ts_err_nomem(err);
	for (int i = 0; i < rules->count; i++) {
		if (rules->rule[i].off)
			continue;
		out->finding[out->count].rule = &rules->rule[i];
		judge(&out->finding[out->count++], &m);
	}
	put_in_order(out);
	return TS_OK;
}

void
ts_insights_add_execution(struct ts_insights *in, const struct ts_execution_facts *execution)
{
	const struct measure m = {NULL, execution, TS_UNITS_BYTES};

	for (int i = 0; i < in->count; i++) {
		const struct row *r = measure_of(in->finding[i].rule);

		if (r && r->execution)
			judge(&in->finding[i], &m);
	}
	put_in_order(in);
}

int
ts_insights_together(const struct ts_insights *in, int at)
{
	const struct ts_finding *f = &in->finding[at];
	int n = 1;

	while (!f->known && at + n < in->count && !f[n].known &&
		strcmp(f->evidence, f[n].evidence) == 0)
		n++;
	return n;
}

const char *
ts_saving_word(enum ts_saving of)
{
	static const char *const words[] = {"tile", "device", "runs"};

	return words[of];
}

const char *
ts_saving_of(enum ts_saving of)
{
	static const char *const words[] = {"of that tile", "of the device", "cycles"};

	return words[of];
}

void
ts_insights_fini(struct ts_insights *out)
{
	free(out->finding);
	*out = (struct ts_insights){0};
}

const char *
ts_insights_verdict(const struct ts_insights *in)
{
	for (int i = TS_SEVERITY_BAD; i > TS_SEVERITY_NONE; i--)
		if (in->by_severity[i])
			return ts_severity_name((enum ts_severity)i);
	return in->by_severity[TS_SEVERITY_NONE] ? "ok" : "not known";
}
