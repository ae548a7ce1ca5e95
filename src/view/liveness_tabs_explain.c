/* SPDX-License-Identifier: MIT */
/* liveness_tabs_explain - what the figures of the tabs of Liveness are: of the row under the cursor, and their totals. */
#include "config.h"

#include <stdio.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/view/explain.h"

#include "liveness_tabs.h"

/* --- who is alive ----------------------------------------------------------------------------- */

/* What is alive at step `at` and not at step `not`, of the device: a condition on `variable`. */
#define ALIVE_AT                                                                       \
	"EXISTS (SELECT 1 FROM liveness_variable l WHERE l.variable = v.variable AND " \
	"l.start <= %lld AND l.\"end\" > %lld)"

static void
explain_change(const struct liveness *s, struct ts_explain *out, bool born)
{
	const struct ts_alive *a = s->alive;
	int64_t later = a->asked.to > 0 ? a->asked.mark[a->asked.to - 1] : a->step;
	char sql[LIVE_SQL];
	long long at = (long long)(born ? later : a->asked.against);
	long long not = (long long)(born ? a->asked.against : later);
	const struct ts_live_total *t = born ? &a->change.born : &a->change.died;
	struct ts_explained *x = ts_explain_add(out, "%s from step %lld to %lld%s",
		born ? "born" : "died", (long long)a->asked.against, (long long)later,
		live_has_replicas(s) ? ", one replica" : "");

	ts_explain_bytes(x, t->bytes, live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s",
		s->shown.where == TS_LIVE_ALL && !s->src.derived
			? "variable.bytes, liveness_variable.start, .\"end\""
			: "lowered_variable (tile, bytes, class, always_live), class_interval");
	ts_explain_formula(x, "%lld variable%s alive at step %lld and not at %lld",
		(long long)t->count, t->count == 1 ? "" : "s", at, not );
	if (s->shown.where == TS_LIVE_ALL && !s->src.derived)
		ts_explain_query(x,
			"SELECT coalesce(sum(v.bytes), 0) FROM variable v WHERE coalesce(v.always_live, "
			"0) = 0 AND " ALIVE_AT " AND NOT " ALIVE_AT,
			at, at, not, not );
	else if (live_lowered_sql(s, at, not, sql))
		ts_explain_query(x, "SELECT %s", sql);
	else
		ts_explain_note(x, "%s", live_too_many_tiles);
}

void
live_explain_alive(struct ts_tab *t, struct ts_explain *out)
{
	const struct liveness *s = t->host;

	if (!s->alive || !s->alive->listed || s->alive->asked.against == TS_UNKNOWN)
		return;
	explain_change(s, out, true);
	explain_change(s, out, false);
}

/* --- what is always live ---------------------------------------------------------------------- */

void
live_explain_always(const struct liveness *s, struct ts_explain *out, const struct ts_always *a,
	int64_t row)
{
	const struct ts_always_row *r = row >= 0 && row < a->rows ? &a->row[row] : NULL;
	struct ts_explained *x;
	char name[2 * LIVE_SOURCE], where[LIVE_TILES_SQL];
	bool tiles = live_tiles_sql(s, where);

	if (r) {
		x = ts_explain_add(out, "bytes of %.100s", ts_always_name(a, (int)row));
		ts_explain_bytes(x, r->bytes, live_units(s));
		ts_explain_from(x, TS_KNOWN_RECORDED, "%s",
			a->by_tile ? "tile_always_live.bytes of that name" : "variable.bytes");
		if (!a->by_tile)
			ts_explain_query(x, "SELECT bytes FROM variable WHERE variable = %lld",
				(long long)r->variable);
		else if (!tiles)
			ts_explain_note(x, "%s", live_too_many_tiles);
		else if (ts_explain_quote(name, sizeof(name), ts_always_name(a, (int)row)))
			ts_explain_query(x,
				"SELECT sum(bytes) FROM tile_always_live WHERE name = %s%s%s", name,
				where[0] ? " AND " : "", where);
		else
			ts_explain_note(x, "no query: its name does not fit");
	}
	x = ts_explain_add(out, "all that is always live, by name");
	ts_explain_bytes(x, a->bytes, live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s",
		a->by_tile ? "tile_always_live.bytes" : "variable.bytes, .always_live");
	ts_explain_formula(x, "the sum of %lld names", (long long)a->count);
	if (!a->by_tile)
		ts_explain_query(x,
			"SELECT coalesce(sum(bytes), 0) FROM variable WHERE always_live <> 0");
	else if (tiles)
		ts_explain_query(x, "SELECT coalesce(sum(bytes), 0) FROM tile_always_live%s%s",
			where[0] ? " WHERE " : "", where);
	else
		ts_explain_note(x, "%s", live_too_many_tiles);
}

/* --- groups ----------------------------------------------------------------------------------- */

void
live_explain_group(const struct liveness *s, struct ts_explain *out, const char *name,
	int64_t not_always, int64_t always)
{
	struct ts_explained *x = ts_explain_add(out, "not always live in the group %s", name);
	const char *problem;

	ts_explain_bytes(x, not_always, live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "names and categories of variables, rules of groups");
	ts_explain_note(x,
		"no query: the rules are in groups.rules; a name says what somebody called a "
		"variable, not what it is");
	if (s->groups && ts_groups_wrong(s->groups, &problem) > 0)
		ts_explain_note(x, "%d line%s of the rules passed over: %s",
			ts_groups_wrong(s->groups, &problem),
			ts_groups_wrong(s->groups, &problem) == 1 ? " is" : "s are", problem);
	x = ts_explain_add(out, "always live in the group %s", name);
	ts_explain_bytes(x, always, live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "names and categories of variables, rules of groups");
	ts_explain_note(x, "no query: as above");
}

/* --- lifetimes -------------------------------------------------------------------------------- */

void
live_explain_lifetime(const struct liveness *s, struct ts_explain *out, const struct ts_lifetime *r)
{
	bool device = s->shown.where == TS_LIVE_ALL && !s->src.derived && r->variable >= 0;
	struct ts_explained *x = ts_explain_add(out, "steps of its life");

	ts_explain_integer(x, r->steps, "steps");
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s",
		device ? "liveness_variable.start, .\"end\"" : "class_interval.start, .\"end\"");
	ts_explain_note(x, "no query: intervals that overlap count once");
	x = ts_explain_add(out, "idle steps");
	ts_explain_integer(x, r->idle, "steps");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"program_variable, lowered_variable.variable, liveness_step.program");
	if (r->idle == TS_UNKNOWN)
		return;
	ts_explain_formula(x, "%lld step%s - %lld at which the program names it",
		(long long)r->steps, r->steps == 1 ? "" : "s", (long long)r->used);
	ts_explain_note(x, "no query: intervals that overlap count once");
	x = ts_explain_add(out, "bytes x idle steps");
	if (r->idle > 0 && r->bytes > TS_NUMBER_MAX / r->idle)
		return;
	ts_explain_integer(x, r->idle * r->bytes, "bytes x steps");
	ts_explain_from(x, TS_KNOWN_DERIVED, "the figures before, variable.bytes");
	ts_explain_formula(x, "%lld bytes x %lld steps", (long long)r->bytes, (long long)r->idle);
	ts_explain_note(x, "no query: see idle steps");
}
