/* SPDX-License-Identifier: MIT */
/*
 * insights_execution_explain - what the figures of the execution's rules are, with the query that gives the same number.
 *
 * Steps of an IPU may overlap, so time is not added up: a query goes along the begins and ends of runs, of the step that the
 * profiler inflated, and of the IPU's steps, and adds up the stretches in which the wanted ones run. Stages of a
 * pipeline are found pass by pass: of these there is no query.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "insights_internal.h"

enum { SQL = TS_EXPLAIN_QUERY - 1, SAVED_SQL = 600 };

static const struct ts_execution_facts *
facts_of(const struct insights_view *s)
{
	return &s->found.execution;
}

static bool
has(const struct insights_view *s, enum ts_relation relation)
{
	return ts_report_has(s->base.env->report, relation);
}

/* --- time ------------------------------------------------------------------------------------- */

#define IN_RUNS "r > 0 AND h = 0"

/* The first or the last step of a run that is on any IPU. */
#define EDGE(which)                                                                               \
	"(SELECT " which "(step) FROM step_ipu WHERE step >= first_step AND step < first_step + " \
	"step_count)"

/* Where runs begin and end; without any that has a place the whole trace. */
static const char *
runs_sql(int runs)
{
	return runs > 0 ? "SELECT (SELECT min(start) FROM step_ipu WHERE step = " EDGE(
				  "min") ") AS a, "
					 "(SELECT max(\"end\") FROM step_ipu WHERE step = " EDGE(
						 "max") ") AS b "
							"FROM run"
			: "SELECT min(start) AS a, max(\"end\") AS b FROM step_ipu";
}

/*
 * `what` of the table d(t, n, r, h, k, c): stretches [t, n) with how many runs, left-out steps, steps of class `class` and steps of
 * compute there are on the IPU.
 */
static void
time_sql(const struct insights_view *s, struct ts_strbuf *out, int64_t ipu, const char *class,
	const char *what)
{
	const struct ts_execution_facts *f = facts_of(s);

	ts_strbuf_printf(out,
		"WITH p AS (%s), q AS (SELECT a, b, 1 AS r, 0 AS h, 0 AS k, 0 AS c FROM p WHERE b > a",
		runs_sql(f->runs));
	if (f->artefact_cycles != TS_UNKNOWN)
		ts_strbuf_printf(out,
			" UNION ALL SELECT min(start), max(\"end\"), 0, 1, 0, 0 FROM step_ipu WHERE step = "
			"%" PRId64,
			f->honest.artefact);
	ts_strbuf_printf(out,
		" UNION ALL SELECT i.start, i.\"end\", 0, 0, z = '%s', z = 'compute' FROM (SELECT step, "
		"step_class(type, sync_type) AS z FROM step) JOIN step_ipu i USING (step) WHERE i.ipu = %" PRId64
		" AND z IN ('%s', 'compute')), e AS (SELECT a AS t, r, h, k, c FROM q UNION ALL SELECT b, -r, "
		"-h, -k, -c FROM q), d AS (SELECT t, lead(t) OVER (ORDER BY t) AS n, sum(r) OVER w AS r, sum(h) "
		"OVER w AS h, sum(k) OVER w AS k, sum(c) OVER w AS c FROM e WINDOW w AS (ORDER BY t)) "
		"SELECT %s FROM d",
		class, ipu, class, what);
}

static void
query_time(const struct insights_view *s, struct ts_explained *x, int64_t ipu, const char *class,
	const char *what)
{
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, SQL);
	time_sql(s, &sql, ipu, class, what);
	if (!has(s, TS_STEP) || !has(s, TS_STEP_IPU) || (facts_of(s)->runs > 0 && !has(s, TS_RUN)))
		ts_explain_note(x, "no query: steps are not recorded by IPU");
	else if (!sql.cut)
		ts_explain_query(x, "%s", sql.s);
	ts_strbuf_fini(&sql);
}

/* What each measure looks at: `bare` only where nothing is computed meanwhile. */
static const struct {
	const char *measure, *class, *words;
	size_t of;
	bool bare;
} times[] = {
#define OF(member) offsetof(struct ts_execution_facts, member)
	{"host-wait-share", "host_wait", "host wait", OF(wait), false},
	{"host-copy-share", "host_copy", "host copy", OF(copy), true},
	{"exchange-share", "exchange", "exchange", OF(exchange), false},
	{"global-exchange-alone", "global_exchange", "global exchange", OF(global), false},
#undef OF
};

static int
time_of(const struct ts_finding *f)
{
	int i = 0;

	while (strcmp(times[i].measure, f->rule->measure) != 0)
		i++;
	return i;
}

static const struct ts_class_fact *
class_of(const struct insights_view *s, int i)
{
	return (const struct ts_class_fact *)((const char *)facts_of(s) + times[i].of);
}

static void
time_from(const struct insights_view *s, struct ts_explained *x)
{
	ts_explain_from(x, TS_KNOWN_DERIVED, "step_ipu.start, .end; step.type%s",
		facts_of(s)->runs > 0 ? "; run.first_step, .step_count" : "");
	ts_explain_note(x, "steps of one IPU that overlap are intersected, never added");
	if (facts_of(s)->artefact_cycles != TS_UNKNOWN)
		ts_explain_note(x, "without step %" PRId64 ", the profiler's own wait",
			facts_of(s)->honest.artefact);
}

void
insights_explain_time(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	const struct ts_execution_facts *e = facts_of(s);
	int i = time_of(f);
	const struct ts_class_fact *k = class_of(s, i);

	time_from(s, x);
	if (f->value == 0 && strcmp(f->rule->measure, "global-exchange-alone") == 0 &&
		(e->ipus > 1 || e->honest.replicas > 1)) {
		ts_explain_note(x,
			"no query: several IPUs exchange with each other, which is not "
			"looked at");
		return;
	}
	ts_explain_formula(x,
		"cycles of IPU %" PRId64 " in which %s runs%s / those of %d run%s: %" PRId64
		" / %" PRId64,
		k->ipu, times[i].words, times[i].bare ? " and nothing computes" : "", e->runs,
		e->runs == 1 ? "" : "s", times[i].bare ? k->bare : k->cycles, e->span);
	query_time(s, x, k->ipu, times[i].class,
		times[i].bare ? "1.0 * ifnull(sum(n - t) FILTER (WHERE " IN_RUNS
				" AND k > 0 AND c = 0), 0) / sum(n - t) FILTER (WHERE " IN_RUNS ")"
			      : "1.0 * ifnull(sum(n - t) FILTER (WHERE " IN_RUNS
				" AND k > 0), 0) / sum(n - t) FILTER (WHERE " IN_RUNS ")");
}

void
insights_explain_time_saved(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	int i = time_of(f);
	const struct ts_class_fact *k = class_of(s, i);

	time_from(s, x);
	ts_explain_formula(x,
		"cycles of IPU %" PRId64 " in which %s runs and nothing computes: %" PRId64
		" - %" PRId64,
		k->ipu, times[i].words, k->cycles, k->cycles - k->bare);
	query_time(s, x, k->ipu, times[i].class,
		"sum(n - t) FILTER (WHERE " IN_RUNS " AND k > 0 AND c = 0)");
}

void
insights_explain_artefact(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	const struct ts_execution_facts *e = facts_of(s);
	char what[200];

	time_from(s, x);
	if (e->artefact_cycles == TS_UNKNOWN) {
		ts_explain_note(x, "no query: %s", f->evidence);
		return;
	}
	ts_explain_formula(x, "%" PRId64 " / (%" PRId64 " + %" PRId64 " cycles of the runs)",
		e->artefact_cycles, e->span, e->artefact_cycles);
	snprintf(what, sizeof(what),
		"%" PRId64 ".0 / (%" PRId64 " + sum(n - t) FILTER (WHERE " IN_RUNS "))",
		e->artefact_cycles, e->artefact_cycles);
	query_time(s, x, e->wait.ipu, "host_wait", what);
}

/* --- tiles that wait -------------------------------------------------------------------------- */

/* The compute set that a finding is about; NULL: there is none. */
static const struct ts_set_fact *
set_of(const struct insights_view *s, const struct ts_finding *f)
{
	const struct ts_execution_facts *e = facts_of(s);

	if (strcmp(f->rule->measure, "balance-saving") == 0)
		return e->lost > 0 ? &e->lost_set[0] : NULL;
	if (e->large == 0)
		return NULL;
	return strcmp(f->rule->measure, "active-tiles") == 0 ? &e->idle : &e->uneven;
}

static const char *
column_of(const struct ts_set_fact *k)
{
	return k->estimated ? "estimated_cycles_by_tile" : "cycles_by_tile";
}

static void
set_from(struct ts_explained *x, const struct ts_set_fact *k)
{
	ts_explain_from(x, k->estimated ? TS_KNOWN_ESTIMATED : TS_KNOWN_REPEATED,
		"compute_set.%s; step.compute_set, .program; tile_memory.ipu", column_of(k));
}

/* `what` of the values v of the IPU's tiles, of which there are `m`. */
static void
query_set(const struct insights_view *s, struct ts_explained *x, const struct ts_set_fact *k,
	const char *what)
{
	if (!has(s, TS_TILE_MEMORY)) {
		ts_explain_note(x, "no query: which tiles an IPU has is worked out");
		return;
	}
	ts_explain_query(x,
		"WITH i AS MATERIALIZED (SELECT tile FROM tile_memory WHERE ipu = %" PRId64
		"), v AS (SELECT t.value AS v, (SELECT count(*) FROM i) AS m FROM compute_set k, tiles(k.%s) t "
		"WHERE k.compute_set = %" PRId64
		" AND t.tile IN (SELECT tile FROM i)) SELECT %s FROM v",
		k->ipu, column_of(k), k->compute_set, what);
}

/* executions x (slowest - mean), of such values. */
static void
saved_sql(const struct insights_view *s, const struct ts_set_fact *k, char *out, size_t size)
{
	bool by_program = ts_report_has_column(s->base.env->report, TS_PROGRAM,
		TS_PROGRAM_COMPUTE_SET);

	snprintf(out, size,
		"(SELECT count(*) FROM step s%s = %" PRId64
		") * (max(m) * max(v) - sum(v)) / max(m)",
		by_program ? " LEFT JOIN program p USING (program) WHERE coalesce(s.compute_set, "
			     "p.compute_set)"
			   : " WHERE compute_set",
		k->compute_set);
}

void
insights_explain_tiles(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	const struct ts_set_fact *k = set_of(s, f);
	char saved[SAVED_SQL], what[SAVED_SQL + 500];

	if (!k) {
		ts_explain_from(x, TS_KNOWN_DERIVED, "compute_set.cycles_by_tile; step");
		ts_explain_note(x, "no query: %s", f->evidence);
		return;
	}
	set_from(x, k);
	if (strcmp(f->rule->measure, "active-tiles") == 0) {
		ts_explain_formula(x,
			"tiles of IPU %" PRId64 " with cycles in compute set %" PRId64
			" / all of its tiles: %" PRId64 " / %" PRId64,
			k->ipu, k->compute_set, k->active, k->tiles);
		query_set(s, x, k, "1.0 * sum(v > 0) / max(m)");
		return;
	}
	if (strcmp(f->rule->measure, "tile-balance") == 0) {
		ts_explain_formula(x,
			"mean / slowest of the tiles of IPU %" PRId64 " in compute set %" PRId64
			": %" PRId64 " / %" PRId64 " / %" PRId64,
			k->ipu, k->compute_set, k->sum, k->tiles, k->most);
		query_set(s, x, k, "1.0 * sum(v) / (1.0 * max(v) * max(m))");
		return;
	}
	ts_explain_formula(x, "%" PRId64 " cycles that it saves / those of %s", k->saves,
		facts_of(s)->loss_runs > 0 ? "all runs" : "the trace");
	saved_sql(s, k, saved, sizeof(saved));
	snprintf(what, sizeof(what), "%s * 1.0 / (SELECT sum(b - a) FROM (%s))", saved,
		runs_sql(facts_of(s)->loss_runs));
	query_set(s, x, k, what);
}

void
insights_explain_tiles_saved(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	const struct ts_set_fact *k = set_of(s, f);
	char what[SAVED_SQL];

	if (!k) {
		ts_explain_note(x, "no query: %s", f->evidence);
		return;
	}
	set_from(x, k);
	ts_explain_formula(x,
		"executions x (slowest - mean of the tiles of IPU %" PRId64
		"), of compute set %" PRId64 ": %" PRId64 " x (%" PRId64 " - %" PRId64 " / %" PRId64
		"), rounded down",
		k->ipu, k->compute_set, k->executions, k->most, k->sum, k->tiles);
	saved_sql(s, k, what, sizeof(what));
	query_set(s, x, k, what);
}

/* --- stages, and the rest --------------------------------------------------------------------- */

void
insights_explain_stages(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	const struct ts_execution_facts *e = facts_of(s);

	ts_explain_from(x, TS_KNOWN_DERIVED,
		"step_ipu.start, .end, .data_in, .data_out; step.type");
	if (strcmp(f->rule->measure, "slow-stage") == 0)
		ts_explain_formula(x,
			"work of a mean pass of the slowest of %d stages, IPU %" PRId64
			" / mean of the stages",
			e->stages, e->slowest_ipu);
	else
		ts_explain_formula(x,
			"cycles of sync, external sync and nothing / all, of %d stages", e->stages);
	ts_explain_note(x,
		"no query: stages are found pass by pass; the Pipeline tab of the Trace has them");
}

void
insights_explain_stage_saved(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	const struct ts_execution_facts *e = facts_of(s);

	(void)f;
	ts_explain_from(x, TS_KNOWN_ESTIMATED,
		"step_ipu.start, .end, .data_in, .data_out; step.type");
	ts_explain_formula(x,
		"how much shorter moving work makes a pass x cycles of all passes of the slowest stage: "
		"%.6g x %" PRId64,
		e->saves, e->slowest_span);
	ts_explain_note(x,
		"no query: stages are found pass by pass; the Pipeline tab of the Trace has them");
}

void
insights_explain_rearranged(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f)
{
	(void)f;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"step_ipu.cycles; step.type, .name: that of its compute set, else of its program");
	ts_explain_formula(x,
		"%" PRId64 " / %" PRId64 " cycles of compute steps, each IPU by itself",
		facts_of(s)->rearranged, facts_of(s)->compute);
	ts_explain_note(x,
		"of steps whose name has Transpose, preRegroup, OnTileCopy, PreArrange or Copy_");
	ts_explain_query(x,
		"SELECT ifnull(sum(cycles) FILTER (WHERE name GLOB '*Transpose*' OR name GLOB "
		"'*preRegroup*' OR name GLOB '*OnTileCopy*' OR name GLOB '*PreArrange*' OR name GLOB "
		"'*Copy_*'), 0) * 1.0 / sum(cycles) FROM step JOIN step_ipu USING (step) WHERE "
		"step_class(type, sync_type) = 'compute'");
}
