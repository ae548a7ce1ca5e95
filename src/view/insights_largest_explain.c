/* SPDX-License-Identifier: MIT */
/*
 * insights_largest_explain - what the figures of the tab Largest are, with the query that finds the same: of each thing
 * what it has on the tiles of the scope, and the most of these.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/largest.h"

#include "insights_internal.h"

enum { WHERE = 80 };

/* Which tiles a scope has: behind "tile". */
static const char *
tiles_sql(char out[WHERE], const struct ts_largest *l, int64_t scope)
{
	if (scope == TS_LARGE_MODEL)
		snprintf(out, WHERE, "IN (SELECT tile FROM tile_memory)");
	else if (scope == TS_LARGE_TILE)
		snprintf(out, WHERE, "= %" PRId64, l->tile);
	else
		snprintf(out, WHERE, "IN (SELECT tile FROM tile_memory WHERE ipu = %" PRId64 ")",
			scope - TS_LARGE_IPU);
	return out;
}

/* The most that one thing has on these tiles: sums of `times` x the blob, by `by`. */
static void
query_blobs(struct ts_explained *x, const struct ts_largest *l, int64_t scope, const char *times,
	const char *blob, const char *from, const char *by)
{
	char where[WHERE], sum[WHERE];

	if (scope >= TS_LARGE_IPU) {
		ts_explain_query(x,
			"SELECT max(b) FROM (SELECT sum(%st.value) AS b FROM %s, tiles(%s) AS t WHERE t.tile %s "
			"GROUP BY %s)",
			times, from, blob, tiles_sql(where, l, scope), by);
		return;
	}
	if (scope == TS_LARGE_MODEL)
		snprintf(sum, sizeof(sum), "tile_sum(%s)", blob);
	else
		snprintf(sum, sizeof(sum), "tile_at(%s, %" PRId64 ")", blob, l->tile);
	ts_explain_query(x, "SELECT max(b) FROM (SELECT sum(%s%s) AS b FROM %s GROUP BY %s)", times,
		sum, from, by);
}

static void
explain_state(struct ts_explained *x, const struct insights_view *s, const struct ts_largest *l,
	int64_t scope)
{
	const struct ts_large_one *one = &l->one[scope][TS_LARGE_VERTEX_STATE];

	(void)s;
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"compute_set_vertex.count_by_tile, vertex_type.state_bytes");
	ts_explain_formula(x,
		"vertex type %" PRId64
		": instances on these tiles x its state_bytes, the most of all types",
		one->id);
	query_blobs(x, l, scope, "state_bytes * ", "count_by_tile",
		"compute_set_vertex JOIN vertex_type USING (vertex_type)", "vertex_type");
}

static void
explain_code(struct ts_explained *x, const struct insights_view *s, const struct ts_largest *l,
	int64_t scope)
{
	const struct ts_large_one *one = &l->one[scope][TS_LARGE_VERTEX_CODE];
	char where[WHERE];

	(void)s;
	ts_explain_from(x, scope == TS_LARGE_TILE ? TS_KNOWN_RECORDED : TS_KNOWN_DERIVED,
		"tile_vertex.code_bytes");
	ts_explain_formula(x,
		"vertex type %" PRId64 ": sum of its code on these tiles, the most of all types",
		one->id);
	ts_explain_query(x,
		"SELECT max(b) FROM (SELECT sum(code_bytes) AS b FROM tile_vertex WHERE tile %s GROUP BY "
		"vertex_type)",
		tiles_sql(where, l, scope));
}

static void
explain_exchange(struct ts_explained *x, const struct insights_view *s, const struct ts_largest *l,
	int64_t scope)
{
	const struct ts_large_one *one = &l->one[scope][TS_LARGE_EXCHANGE_CODE];

	(void)s;
	ts_explain_from(x, scope == TS_LARGE_TILE ? TS_KNOWN_RECORDED : TS_KNOWN_DERIVED,
		"program.code_by_tile");
	ts_explain_formula(x,
		"program %" PRId64 ": sum of its code on these tiles, the most of all programs",
		one->id);
	query_blobs(x, l, scope, "", "code_by_tile", "program", "program");
}

/* Of the model before lowering; else one piece on one tile. */
static void
explain_variable(struct ts_explained *x, const struct insights_view *s, const struct ts_largest *l,
	int64_t scope)
{
	const struct ts_large_one *one = &l->one[scope][TS_LARGE_VARIABLE];
	const struct ts_peak_variables *p = &insights_facts(s)->peak;
	int64_t times = p->most.always ? 1 : p->replicas;
	char where[WHERE];

	if (scope == TS_LARGE_MODEL) {
		ts_explain_from(x, times > 1 ? TS_KNOWN_DERIVED : TS_KNOWN_RECORDED,
			"variable.bytes");
		ts_explain_formula(x, "variable %" PRId64 ", over all tiles", one->id);
		if (times > 1)
			ts_explain_note(x, "of all %" PRId64 " replicas", times);
		ts_explain_query(x,
			"SELECT bytes * %" PRId64 " FROM variable WHERE variable = %" PRId64, times,
			one->id);
		return;
	}
	ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable.bytes, .tile");
	ts_explain_formula(x, "the largest piece on one of these tiles: on tile %" PRId64, one->id);
	ts_explain_note(x, "code and state that stand among the variables are left out");
	if (ts_report_has(s->base.env->report, TS_MEMORY_CATEGORY))
		ts_explain_query(x,
			"SELECT max(bytes) FROM lowered_variable WHERE tile %s AND (name IS NULL OR name "
			"NOT IN (SELECT name FROM memory_category WHERE name IS NOT NULL))",
			tiles_sql(where, l, scope));
	else
		ts_explain_query(x, "SELECT max(bytes) FROM lowered_variable WHERE tile %s",
			tiles_sql(where, l, scope));
}

void
insights_explain_large(struct ts_explained *x, const struct insights_view *s,
	const struct ts_largest *l, int64_t scope, int kind)
{
	static const struct {
		void (*explain)(struct ts_explained *x, const struct insights_view *s,
			const struct ts_largest *l, int64_t scope);
		const char *from;
	} kinds[TS_LARGE_KINDS] = {
		[TS_LARGE_VERTEX_STATE] = {explain_state,
			"compute_set_vertex.count_by_tile, vertex_type.state_bytes"},
		[TS_LARGE_VERTEX_CODE] = {explain_code, "tile_vertex.code_bytes"},
		[TS_LARGE_EXCHANGE_CODE] = {explain_exchange, "program.code_by_tile"},
		[TS_LARGE_VARIABLE] = {explain_variable, "variable.bytes, lowered_variable.bytes"},
	};

	if (l->one[scope][kind].bytes != TS_UNKNOWN) {
		kinds[kind].explain(x, s, l, scope);
		return;
	}
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", kinds[kind].from);
	ts_explain_note(x,
		l->one[TS_LARGE_MODEL][kind].bytes == TS_UNKNOWN || l->partial
			? "not recorded, not in the index yet, or damaged"
			: "none on these tiles");
}
