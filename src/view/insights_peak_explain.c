/* SPDX-License-Identifier: MIT */
/* insights_peak_explain - what the figures of the tabs Peak and FP32 are, as insights_explain.c says those of the others. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "tilescope/base/mem.h"

#include "insights_peak.h"

/* Bytes of a variable on the device: what is not always live is recorded of one replica. */
const char *
peak_bytes_sql(const struct insights_view *s, char out[PEAK_BYTES_TEXT])
{
	int64_t replicas = s->found.facts.peak.replicas;

	if (replicas > 1)
		snprintf(out, PEAK_BYTES_TEXT,
			"bytes * CASE WHEN ifnull(v.always_live, 0) THEN 1 ELSE %" PRId64 " END",
			replicas);
	else
		snprintf(out, PEAK_BYTES_TEXT, "bytes");
	return out;
}

void
peak_note_replicas(const struct insights_view *s, struct ts_explained *x)
{
	if (s->found.facts.peak.replicas > 1)
		ts_explain_note(x,
			"of all %" PRId64 " replicas: what is not always live is recorded of one",
			s->found.facts.peak.replicas);
}

/* What has no name is no code: NULL IN (...) is neither. */
#define NAMED(names) "NOT (ifnull(v.always_live, 0) AND ifnull(v.name IN (" names "), 0))"

const char *
peak_no_code(const struct insights_view *s)
{
	const struct ts_report *r = s->base.env->report;

	if (!s->found.facts.has_categories)
		return "1"; /* nobody knows what is */
	if (ts_report_has(r, TS_MEMORY_CATEGORY))
		return NAMED("SELECT name FROM memory_category WHERE name IS NOT NULL");
	if (ts_report_has(r, TS_TILE_CATEGORY))
		return NAMED("SELECT category_name(category) FROM tile_category "
			     "WHERE category IS NOT NULL");
	return NAMED("SELECT category_name(category) FROM lowered_variable "
		     "WHERE category IS NOT NULL");
}

static const char not_recorded[] = "no query: who is alive is not recorded";

static void
explain_variable(struct insights_view *s, const struct ts_peak_variable *v, int divide,
	struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "%s of variable %" PRId64,
		divide == 2 ? "saving by halving" : "bytes", v->variable);
	char bytes[PEAK_BYTES_TEXT];

	ts_explain_bytes(x, v->bytes / divide, s->found.units);
	ts_explain_from(x, divide == 2 ? TS_KNOWN_DERIVED : TS_KNOWN_RECORDED, "variable.bytes");
	if (divide == 2)
		ts_explain_formula(x, "%" PRId64 " / 2", v->bytes);
	peak_note_replicas(s, x);
	ts_explain_query(x, "SELECT %s%s FROM variable v WHERE variable = %" PRId64,
		peak_bytes_sql(s, bytes), divide == 2 ? " / 2" : "", v->variable);
}

/* What is `sum` over the variables that are alive at the peak and `more` (" AND ..."), or why no query says it. */
static void
ask_alive(const struct insights_view *s, struct ts_explained *x, const char *sum, const char *more)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;

	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	peak_note_replicas(s, x);
	if (p->has_lives)
		ts_explain_query(x,
			"SELECT %s FROM variable v WHERE bytes >= 0 AND (" PEAK_ALIVE ") AND %s%s",
			sum, p->step, p->step, peak_no_code(s), more);
	else
		ts_explain_note(x, "%s", not_recorded);
}

static void
explain_sum(const struct insights_view *s, const char *what, int64_t bytes, const char *more,
	struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "%s", what);
	char of[PEAK_BYTES_TEXT], sum[PEAK_BYTES_TEXT + 20];

	ts_explain_bytes(x, bytes, s->found.units);
	snprintf(sum, sizeof(sum), "ifnull(sum(%s), 0)", peak_bytes_sql(s, of));
	ask_alive(s, x, sum, more);
}

static void
explain_count(const struct insights_view *s, const char *what, int64_t count, const char *more,
	struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "%s", what);

	ts_explain_integer(x, count, "variables");
	ask_alive(s, x, "count(*)", more);
}

/* How few of the largest have so much of all. */
static void
explain_share(const struct insights_view *s, int percent, struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	int64_t k = peak_share(s, percent), whole = ts_peak_bytes(p);
	struct ts_explained *x;
	char of[PEAK_BYTES_TEXT];

	if (k == TS_UNKNOWN || whole <= 0)
		return;
	x = ts_explain_add(out, "how many of the largest are %d%%", percent);
	ts_explain_integer(x, k, "variables");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x, "the least k whose k largest have %d%% of %" PRId64 " bytes", percent,
		whole);
	peak_note_replicas(s, x);
	if (p->has_lives)
		ts_explain_query(x,
			"WITH a AS (SELECT %s b, v.variable r FROM variable v WHERE (" PEAK_ALIVE
			") AND %s), c AS (SELECT sum(b) OVER (ORDER BY b DESC, r) s,"
			" row_number() OVER (ORDER BY b DESC, r) k FROM a) SELECT min(k) FROM c"
			" WHERE 100 * s >= %d * (SELECT sum(b) FROM a)",
			peak_bytes_sql(s, of), p->step, p->step, peak_no_code(s), percent);
	else
		ts_explain_note(x, "%s", not_recorded);
}

static void
explain_code(const struct insights_view *s, struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "what is no variable");

	ts_explain_bytes(x, s->found.facts.peak.code.bytes, s->found.units);
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live, .name; memory_category.name");
	ts_explain_note(x,
		"code and state: always-live variables that have the name of a category");
	ts_explain_query(x,
		"SELECT ifnull(sum(bytes), 0) FROM variable v WHERE bytes >= 0 AND NOT (%s)",
		peak_no_code(s));
}

/* The foot of the list, where it has not all of them. */
static void
explain_listed(const struct insights_view *s, const struct peak_look *k, struct ts_explain *out)
{
	const struct ts_peak_variables *p = k->found;
	int64_t rows = peak_look_rows(k);
	struct ts_explained *x;
	char of[PEAK_BYTES_TEXT];

	if (rows == 0 || rows >= p->always.count + p->alive.count)
		return;
	x = ts_explain_add(out, "the %" PRId64 " largest together", rows);
	ts_explain_bytes(x, (int64_t)peak_look_so_far(k, rows - 1), s->found.units);
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_note(x, "those that are in the list");
	if (p->has_lives)
		ts_explain_query(x,
			"SELECT sum(b) FROM (SELECT %s AS b FROM variable v WHERE (" PEAK_ALIVE
			") AND %s ORDER BY b DESC LIMIT %" PRId64 ")",
			peak_bytes_sql(s, of), p->step, p->step, peak_no_code(s), rows);
	else
		ts_explain_note(x, "%s", not_recorded);
}

/* Its share of all, and that of it and all larger ones. */
static void
explain_so_far(struct insights_view *s, const struct peak_look *k, int64_t row,
	const struct ts_peak_variable *v, struct ts_explain *out)
{
	const struct ts_peak_variables *p = k->found;
	struct ts_explained *x;
	char of[PEAK_BYTES_TEXT];

	if (k->whole <= 0)
		return;
	x = ts_explain_add(out, "share of variable %" PRId64, v->variable);
	ts_explain_real(x, 100 * (double)v->bytes / k->whole, "%");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x, "100 x %" PRId64 " / %" PRId64, v->bytes, ts_peak_bytes(p));
	peak_note_replicas(s, x);
	if (p->has_lives)
		ts_explain_query(x,
			"SELECT 100.0 * sum(%s * (variable = %" PRId64
			")) / sum(%s) FROM variable v WHERE (" PEAK_ALIVE ") AND %s",
			peak_bytes_sql(s, of), v->variable, of, p->step, p->step, peak_no_code(s));
	else
		ts_explain_note(x, "%s", not_recorded);
	x = ts_explain_add(out, "share of the %" PRId64 " largest", row + 1);
	ts_explain_real(x, 100 * peak_look_so_far(k, row) / k->whole, "%");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"variable.bytes, .always_live; liveness_variable.start, .end");
	ts_explain_formula(x, "100 x %.0f / %" PRId64, peak_look_so_far(k, row), ts_peak_bytes(p));
	peak_note_replicas(s, x);
	if (p->has_lives)
		ts_explain_query(x,
			"WITH a AS (SELECT %s AS b FROM variable v WHERE (" PEAK_ALIVE
			") AND %s) SELECT 100.0 * (SELECT sum(b) FROM (SELECT b FROM a ORDER BY b DESC LIMIT %" PRId64
			")) / sum(b) FROM a",
			peak_bytes_sql(s, of), p->step, p->step, peak_no_code(s), row + 1);
	else
		ts_explain_note(x, "%s", not_recorded);
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
	explain_sum(s, "the always-live ones of them", ts_peak_sum_bytes(&p->always),
		" AND v.always_live", out);
	explain_sum(s, "the others", ts_peak_sum_bytes(&p->alive),
		" AND NOT ifnull(v.always_live, 0)", out);
	explain_code(s, out);
	explain_count(s, "how many variables are alive at the peak",
		p->always.count + p->alive.count, "", out);
	for (int percent = 50; percent <= 90; percent += percent == 50 ? 25 : 15)
		explain_share(s, percent, out);
	explain_listed(s, &k, out);
}

/* --- FP32 ------------------------------------------------------------------------------------- */

static void
explain_half_share(const struct insights_view *s, struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	double whole = (double)ts_peak_bytes(p);
	struct ts_explained *x;
	char of[PEAK_BYTES_TEXT], sum[3 * PEAK_BYTES_TEXT + sizeof(PEAK_FP32)];

	if (whole <= 0)
		return;
	x = ts_explain_add(out, "share of FP32 in the variables alive at the peak");
	ts_explain_real(x, 100 * (double)p->fp32.bytes / whole, "%");
	ts_explain_formula(x, "100 x %" PRId64 " / %" PRId64, p->fp32.bytes, ts_peak_bytes(p));
	peak_bytes_sql(s, of);
	snprintf(sum, sizeof(sum),
		"100.0 * sum(CASE WHEN " PEAK_FP32 " THEN %s ELSE 0 END) / sum(%s)", of, of);
	ask_alive(s, x, sum, "");
}

/* Of all of them, and at the foot, where each is halved. */
static void
explain_half_savings(const struct insights_view *s, struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	const struct peak_look k = peak_look(s, true);
	struct ts_explained *x = ts_explain_add(out, "what all of them in 16 bits save");
	char of[PEAK_BYTES_TEXT], sum[PEAK_BYTES_TEXT + 24];
	int64_t saves = 0, rows = peak_look_rows(&k);
	struct ts_peak_variable v;

	ts_explain_bytes(x, p->fp32.bytes / 2, s->found.units);
	ts_explain_formula(x, "%" PRId64 " / 2", p->fp32.bytes);
	snprintf(sum, sizeof(sum), "ifnull(sum(%s), 0) / 2", peak_bytes_sql(s, of));
	ask_alive(s, x, sum, " AND " PEAK_FP32);
	if (rows < p->fp32.count)
		return;
	for (int64_t i = 0; !k.all && i < rows && peak_look_row(&k, i, &v); i++)
		saves += v.bytes / 2;
	x = ts_explain_add(out, "savings of the rows together");
	ts_explain_bytes(x, k.all ? k.all->half_saves : saves, s->found.units);
	ts_explain_formula(x, "sum of bytes / 2, rounded down in each row");
	snprintf(sum, sizeof(sum), "ifnull(sum(%s / 2), 0)", of);
	ask_alive(s, x, sum, " AND " PEAK_FP32);
}

/* The lines above the list: of each of the fullest tiles, at its own peak. */
static void
explain_tile_halves(const struct insights_view *s, const struct ts_full_tile *t,
	struct ts_explain *out)
{
	for (int divide = 1; divide <= 2; divide++) {
		struct ts_explained *x = ts_explain_add(out,
			divide == 1 ? "FP32 of tile %" PRId64 " at its own peak"
				    : "what FP32 of tile %" PRId64 " saves in 16 bits",
			t->tile);

		ts_explain_bytes(x, t->fp32_bytes / divide, s->found.units);
		ts_explain_from(x, TS_KNOWN_DERIVED,
			"lowered_variable.bytes, .element_type, .always_live, .class; class_interval");
		if (divide == 2)
			ts_explain_formula(x, "%" PRId64 " / 2", t->fp32_bytes);
		else
			ts_explain_formula(x,
				"%" PRId64 " lowered variables, alive at step %" PRId64, t->fp32,
				t->peak_step);
		ts_explain_query(x, "SELECT ifnull(sum(bytes), 0) / %d FROM " PEAK_FP32_OF_TILE,
			divide, t->tile, t->peak_step, t->peak_step);
	}
}

void
insights_explain_half(struct insights_view *s, int64_t row, struct ts_explain *out)
{
	const struct ts_peak_variables *p = &s->found.facts.peak;
	const struct ts_fullest *f = &s->found.facts.fullest;
	const struct peak_look k = peak_look(s, true);
	struct ts_peak_variable v;

	if (peak_look_row(&k, row, &v)) {
		explain_variable(s, &v, 2, out);
		explain_variable(s, &v, 1, out);
	}
	if (!s->found.facts.has_peak || !p->has_types)
		return;
	explain_sum(s, "FP32 variables alive at the peak", p->fp32.bytes, " AND " PEAK_FP32, out);
	explain_half_share(s, out);
	explain_sum(s, "all variables alive at the peak", ts_peak_bytes(p), "", out);
	explain_count(s, "how many variables of FP32 are alive at the peak", p->fp32.count,
		" AND " PEAK_FP32, out);
	explain_half_savings(s, out);
	for (int i = 0; f->typed && i < f->count; i++)
		if (f->tile[i].has_fp32)
			explain_tile_halves(s, &f->tile[i], out);
}
