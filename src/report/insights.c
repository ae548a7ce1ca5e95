/* SPDX-License-Identifier: MIT */
/*
 * insights - see the header.
 *
 * Each measure is a function in one table. It fills in the value, the sentence and the place, or says what it needs
 * that this report does not record. Shares of a category are of the bytes in use without gaps, for categories have
 * none; where those are not recorded, of the bytes of all categories.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

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
	ts_notes_left_out(&x->notes, "tile memory", x->tiles.bad_rows, bad_number);
	code = ts_notes_soften(&x->notes, code, "tile memory", &why, err);
	if (code)
		return code;
	code = ts_target_read(&x->target, rd, x->tiles.partial ? 0 : x->tiles.rows,
		ts_step_ipus(rd->report), &why);
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

enum { REPLICAS = 48 };

static const struct ts_tile *
worst_tile(const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;

	return m->facts->has_tiles ? &t->tile[t->worst] : NULL;
}

static void
name_place(struct ts_finding *f, const char *view, int64_t tile, const char *more)
{
	snprintf(f->place, sizeof(f->place), "%s?tile=%" PRId64 "%s", view, tile, more);
}

static bool
worst_tile_share(struct ts_finding *f, const struct measure *m)
{
	int64_t limit = m->facts->target.bytes_per_tile;
	const struct ts_tile *t = worst_tile(m);
	char used[TS_FMT_MAX], of[TS_FMT_MAX], share[TS_FMT_MAX];

	if (!t)
		return measure_missing(f, "the memory of tiles is");
	if (limit <= 0)
		return measure_missing(f, "how much memory a tile has is");
	f->value = (double)ts_tile_used(t) / (double)limit;
	snprintf(f->evidence, sizeof(f->evidence), "%s: tile %" PRId64 ", %s of %s%s%s",
		ts_fmt_percent(share, (double)ts_tile_used(t), (double)limit), t->tile,
		ts_fmt_bytes(used, ts_tile_used(t), m->units), ts_fmt_bytes(of, limit, m->units),
		m->facts->target.assumed ? " (assumed)" : "",
		t->total_gaps == TS_UNKNOWN ? " (whether with gaps is not known)" : ", with gaps");
	name_place(f, "memory", t->tile, "");
	return true;
}

static bool
overflowed_bytes(struct ts_finding *f, const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;
	int64_t limit = m->facts->target.bytes_per_tile, sum = 0, over = 0, most = 0, worst = -1;
	char bytes[TS_FMT_MAX], tiles[TS_FMT_MAX];
	bool recorded = false;

	for (size_t i = 0; i < t->count; i++) {
		int64_t more = limit > 0 ? ts_max_i64(ts_tile_used(&t->tile[i]) - limit, 0) : 0;

		recorded |= t->tile[i].overflowed != TS_UNKNOWN;
		more = ts_max_i64(more, t->tile[i].overflowed);
		if (more > most)
			worst = t->tile[i].tile;
		most = ts_max_i64(most, more);
		over += more > 0;
		if (!ts_add_i64(&sum, more))
			sum = INT64_MAX;
	}
	if (!m->facts->has_tiles)
		return measure_missing(f, "the memory of tiles is");
	if (limit <= 0 && !recorded)
		return measure_missing(f, "how much memory a tile has, and what overflows, is");
	f->value = (double)sum;
	if (over == 0)
		snprintf(f->evidence, sizeof(f->evidence), "no tile has more than it can hold");
	else
		snprintf(f->evidence, sizeof(f->evidence), "%s on %s tile%s, most on %" PRId64,
			ts_fmt_bytes(bytes, sum, m->units), ts_fmt_count(tiles, over),
			over == 1 ? "" : "s", worst);
	if (over > 0)
		name_place(f, "memory", worst, "");
	return true;
}

static bool
tile_imbalance(struct ts_finding *f, const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;
	const struct ts_tile *w = worst_tile(m);
	char most[TS_FMT_MAX], mean[TS_FMT_MAX];
	double average;

	if (!w || t->used <= 0)
		return measure_missing(f, "the memory of tiles is");
	average = (double)t->used / (double)t->count;
	f->value = (double)ts_tile_used(w) / average;
	f->saving = ts_tile_used(w) - (int64_t)average;
	snprintf(f->evidence, sizeof(f->evidence),
		"%.2f times the mean: tile %" PRId64 ", %s; mean of all tiles %s", f->value,
		w->tile, ts_fmt_bytes(most, ts_tile_used(w), m->units),
		ts_fmt_bytes(mean, (int64_t)average, m->units));
	name_place(f, "memory", w->tile, "");
	return true;
}

static bool
gaps_share(struct ts_finding *f, const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;
	int64_t gaps = t->total_gaps - t->total;
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX];

	if (!m->facts->has_tiles || t->total_gaps == TS_UNKNOWN || t->total == TS_UNKNOWN)
		return measure_missing(f, "memory with and without gaps is");
	if (t->total_gaps <= 0 || gaps < 0)
		return measure_missing(f, "memory with gaps that is not less than without is");
	f->value = (double)gaps / (double)t->total_gaps;
	f->saving = gaps;
	f->saving_of = TS_SAVING_DEVICE;
	snprintf(f->evidence, sizeof(f->evidence), "%s of the memory in use: %s of gaps",
		ts_fmt_percent(share, (double)gaps, (double)t->total_gaps),
		ts_fmt_bytes(bytes, gaps, m->units));
	snprintf(f->place, sizeof(f->place), "memory");
	return true;
}

static int64_t
category_bytes(const struct ts_categories *c, const char *name)
{
	for (int i = 0; i < c->count; i++)
		if (strcmp(c->category[i].name, name) == 0)
			return c->category[i].bytes;
	return 0;
}

/* The share of some categories in all of them, and the largest of them. */
static bool
share_of(struct ts_finding *f, const struct measure *m, const char *const *names, int n,
	const char *what)
{
	const struct ts_categories *c = &m->facts->categories;
	const struct ts_category *largest = NULL;
	bool used = m->facts->has_tiles && m->facts->tiles.total > 0;
	int64_t all = 0, sum = 0;
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], worst[TS_FMT_MAX];

	if (!m->facts->has_categories)
		return measure_missing(f, "the categories of memory are");
	for (int i = 0; i < c->count; i++) {
		const struct ts_category *k = &c->category[i];

		if (k->bytes > 0 && !ts_category_is_named(k))
			return measure_missing(f, "the name of each category is");
		if (!ts_add_i64(&all, k->bytes))
			all = INT64_MAX;
		for (int j = 0; j < n; j++)
			if (strcmp(k->name, names[j]) == 0) {
				if (!ts_add_i64(&sum, k->bytes))
					sum = INT64_MAX;
				if (!largest || k->worst_tile_bytes > largest->worst_tile_bytes)
					largest = k;
			}
	}
	if (used)
		all = m->facts->tiles.total;
	if (all <= 0)
		return measure_missing(f, "the bytes of categories are");
	f->value = (double)sum / (double)all;
	snprintf(f->evidence, sizeof(f->evidence), "%s of %s: %s of %s",
		ts_fmt_percent(share, (double)sum, (double)all),
		used ? "the memory in use" : "all categories", ts_fmt_bytes(bytes, sum, m->units),
		what);
	if (largest && largest->worst_tile >= 0) {
		size_t at = strlen(f->evidence);

		snprintf(f->evidence + at, sizeof(f->evidence) - at,
			"; most of one kind on a tile: %s of %s on tile %" PRId64,
			ts_fmt_bytes(worst, largest->worst_tile_bytes, m->units), largest->name,
			largest->worst_tile);
		name_place(f, "memory", largest->worst_tile, "&by=category");
	}
	return true;
}

static bool
code_share(struct ts_finding *f, const struct measure *m)
{
	static const char *const code[] = {"vertexCode", "controlCode", "internalExchangeCode",
		"globalExchangeCode", "hostExchangeCode", "sharedCodeStorage"};

	return share_of(f, m, code, TS_COUNT(code), "code");
}

static bool
exchange_code_share(struct ts_finding *f, const struct measure *m)
{
	static const char *const code[] = {"internalExchangeCode"};

	return share_of(f, m, code, TS_COUNT(code), "internal exchange code");
}

static bool
profiling_share(struct ts_finding *f, const struct measure *m)
{
	static const char *const results[] = {"instrumentationResults"};

	if (!share_of(f, m, results, TS_COUNT(results), "instrumentation results"))
		return false;
	f->saving = category_bytes(&m->facts->categories, results[0]);
	f->saving_of = TS_SAVING_DEVICE;
	return true;
}

/* What figures of the device count, where there is more than one replica. */
static const char *
of_replicas(char out[REPLICAS], const struct ts_liveness *l)
{
	out[0] = '\0';
	if (l->replicas > 1)
		snprintf(out, REPLICAS, ", all %" PRId64 " replicas", l->replicas);
	return out;
}

/* Steady: the mean over all steps. */
static bool
peak_over_steady(struct ts_finding *f, const struct measure *m)
{
	const struct ts_liveness *l = &m->facts->liveness;
	struct ts_live_range all;
	char peak[TS_FMT_MAX], mean[TS_FMT_MAX], step[TS_FMT_MAX], replicas[REPLICAS];

	if (!m->facts->has_liveness)
		return measure_missing(f, "what is alive at each step is");
	ts_liveness_range(&all, l, 0, l->count);
	if (all.mean <= 0)
		return measure_missing(f, "memory that is not always live is");
	f->value = (double)all.bytes / all.mean;
	f->saving = ts_liveness_device(l, all.bytes - (int64_t)all.mean);
	f->saving_of = TS_SAVING_DEVICE;
	snprintf(f->evidence, sizeof(f->evidence),
		"%.2f times the mean at step %s: %s not always live, mean of all steps %s%s",
		f->value, ts_fmt_count(step, l->step[all.highest]),
		ts_fmt_bytes(peak, ts_liveness_device(l, all.bytes), m->units),
		ts_fmt_bytes(mean, ts_liveness_device(l, (int64_t)all.mean), m->units),
		of_replicas(replicas, l));
	snprintf(f->place, sizeof(f->place), "liveness?step=%" PRId64, l->step[all.highest]);
	return true;
}

/* Of the variables that are alive at the peak; false: not known. */
static bool
has_alive(struct ts_finding *f, const struct measure *m)
{
	if (!m->facts->has_peak)
		return measure_missing(f, "variables before lowering are");
	if (!m->facts->peak.has_lives)
		return measure_missing(f, "which variables are alive at which step is");
	snprintf(f->place, sizeof(f->place), "liveness?step=%" PRId64, m->facts->peak.step);
	return true;
}

static const char *
name_of(const struct ts_peak_variable *v)
{
	return v->name ? v->name : "a variable without a name";
}

static bool
fp32_share(struct ts_finding *f, const struct measure *m)
{
	const struct ts_peak_variables *p = &m->facts->peak;
	int64_t whole = ts_peak_bytes(p);
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], step[TS_FMT_MAX], most[TS_FMT_MAX];
	char replicas[REPLICAS];
	size_t at;

	if (!has_alive(f, m))
		return false;
	if (!p->has_types)
		return measure_missing(f, "the element type of variables is");
	if (whole <= 0)
		return measure_missing(f, "memory that is alive at the peak is");
	f->value = (double)p->fp32.bytes / (double)whole;
	f->saving = p->fp32.bytes / 2;
	f->saving_of = TS_SAVING_DEVICE;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of the variables alive at step %s: %s of FP32 of %s%s",
		ts_fmt_percent(share, (double)p->fp32.bytes, (double)whole),
		ts_fmt_count(step, p->step), ts_fmt_bytes(bytes, p->fp32.bytes, m->units),
		ts_fmt_bytes(most, whole, m->units), of_replicas(replicas, &m->facts->liveness));
	at = strlen(f->evidence);
	if (p->halves.count > 0)
		snprintf(f->evidence + at, sizeof(f->evidence) - at, "; the largest is %.100s (%s)",
			name_of(&p->halves.row[0]),
			ts_fmt_bytes(most, p->halves.row[0].bytes, m->units));
	return true;
}

/* On the fullest tile, at its own peak. */
static bool
fp32_of_tile(struct ts_finding *f, const struct measure *m)
{
	const struct ts_full_tile *t = &m->facts->fullest.tile[0];
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], n[TS_FMT_MAX], step[TS_FMT_MAX];

	if (!m->facts->has_tiles)
		return measure_missing(f, "the memory of tiles is");
	if (!t->has_fp32)
		return measure_missing(f, "what is FP32 on a tile, and when it is alive, is");
	if (t->used <= 0)
		return measure_missing(f, "memory in use on a tile is");
	f->value = (double)t->fp32_bytes / (double)t->used;
	f->saving = t->fp32_bytes / 2;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of what tile %" PRId64 " uses: %s in %s FP32 variable%s alive at its peak%s%s",
		ts_fmt_percent(share, (double)t->fp32_bytes, (double)t->used), t->tile,
		ts_fmt_bytes(bytes, t->fp32_bytes, m->units), ts_fmt_count(n, t->fp32),
		t->fp32 == 1 ? "" : "s", t->peak_step == TS_UNKNOWN ? "" : ", step ",
		t->peak_step == TS_UNKNOWN ? "" : ts_fmt_count(step, t->peak_step));
	name_place(f, "memory", t->tile, "");
	return true;
}

/* How few variables are half of what is alive at the peak. */
static bool
half_of_peak(struct ts_finding *f, const struct measure *m)
{
	const struct ts_peak_variables *p = &m->facts->peak;
	int64_t k;
	char bytes[TS_FMT_MAX], step[TS_FMT_MAX], replicas[REPLICAS];
	size_t at;

	if (!has_alive(f, m))
		return false;
	if (ts_peak_bytes(p) <= 0)
		return measure_missing(f, "memory that is alive at the peak is");
	k = ts_peak_share(p, 50);
	f->value = k == TS_UNKNOWN ? TS_PEAK_ROWS + 1 : (double)k;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s%lld variable%s half of the %s of variables alive at step %s%s",
		k == TS_UNKNOWN ? "more than " : "",
		(long long)(k == TS_UNKNOWN ? TS_PEAK_ROWS : k), k == 1 ? " is" : "s are",
		ts_fmt_bytes(bytes, ts_peak_bytes(p), m->units), ts_fmt_count(step, p->step),
		of_replicas(replicas, &m->facts->liveness));
	at = strlen(f->evidence);
	if (p->largest.count > 0)
		snprintf(f->evidence + at, sizeof(f->evidence) - at, "; the largest is %.100s",
			name_of(&p->largest.row[0]));
	return true;
}

static const struct row {
	const char *name, *what;
	unsigned of; /* TS_FACT_*, or with `execution` TS_EXECUTION_* */
	/* False: not recorded; `evidence` says what. */
	bool (*find)(struct ts_finding *f, const struct measure *m);
	bool execution;
} measures[] = {
	{"worst-tile-share", "bytes of the fullest tile, of a tile's size", TS_FACT_TILES,
		worst_tile_share, false},
	{"overflowed-bytes", "bytes that tiles have too much, in all", TS_FACT_TILES,
		overflowed_bytes, false},
	{"tile-imbalance", "the fullest tile over the mean", TS_FACT_TILES, tile_imbalance, false},
	{"gaps-share", "gaps, of the bytes in use with gaps", TS_FACT_TILES, gaps_share, false},
	{"code-share", "all kinds of code, of the bytes in use without gaps",
		TS_FACT_TILES | TS_FACT_CATEGORIES, code_share, false},
	{"exchange-code-share", "internal exchange code, of the bytes in use without gaps",
		TS_FACT_TILES | TS_FACT_CATEGORIES, exchange_code_share, false},
	{"profiling-share", "instrumentation results, of the bytes in use",
		TS_FACT_TILES | TS_FACT_CATEGORIES, profiling_share, false},
	{"peak-over-steady", "the not-always-live peak over the mean of all steps",
		TS_FACT_LIVENESS, peak_over_steady, false},
	{"fp32-share", "FP32, of the variables alive at the peak",
		TS_FACT_LIVENESS | TS_FACT_VARIABLES, fp32_share, false},
	{"fp32-of-fullest-tile", "FP32 alive at its peak, of what the fullest tile uses",
		TS_FACT_TILES, fp32_of_tile, false},
	{"half-of-peak", "how few are half of the variables alive at the peak",
		TS_FACT_LIVENESS | TS_FACT_VARIABLES, half_of_peak, false},
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

const char *
ts_saving_word(enum ts_saving of)
{
	static const char *const words[] = {"tile", "device", "runs"};

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
