/* SPDX-License-Identifier: MIT */
/* liveness_tabs_explain - what the figures of the tabs of Liveness are: of the row under the cursor, and their totals. */
#include "config.h"

#include <stdio.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/always.h"
#include "tilescope/report/rows.h"
#include "tilescope/view/explain.h"

#include "liveness_lifetimes.h"
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
			"SELECT coalesce(sum(v.bytes), 0) FROM variable v WHERE NOT "
			"ifnull(v.always_live, 0) AND " ALIVE_AT " AND NOT " ALIVE_AT,
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
		x = ts_explain_add(out, "bytes of %s", ts_always_name(a, (int)row));
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
			"SELECT coalesce(sum(bytes), 0) FROM variable WHERE always_live");
	else if (tiles)
		ts_explain_query(x, "SELECT coalesce(sum(bytes), 0) FROM tile_always_live%s%s",
			where[0] ? " WHERE " : "", where);
	else
		ts_explain_note(x, "%s", live_too_many_tiles);
}

/* --- groups ----------------------------------------------------------------------------------- */

enum { GROUP_QUOTED = 2 * TS_GROUP_NAME + 3, GROUP_OF = 400, GROUP_SQL = LIVE_TILES_SQL + 700 };

static const char group_note[] =
	"the rules are in groups.rules (variable_group() asks those in force): a name says what somebody called a variable, "
	"not what it is";

/* Are variables those of the relations `variable` and `liveness_variable`, not lowered ones? */
static bool
of_variables(const struct liveness *s)
{
	return s->shown.where == TS_LIVE_ALL && !s->src.derived;
}

/* The group of a row `v`, as an expression: as report/live_labels.c asks for it. */
static void
group_of_sql(const struct liveness *s, char out[GROUP_OF])
{
	static const char category[] = "category_name(v.category)";

	if (of_variables(s))
		snprintf(out, GROUP_OF, "variable_group(v.name, NULL)");
	else if (s->alive->lowered || !ts_report_has(s->v.env->report, TS_VARIABLE))
		snprintf(out, GROUP_OF, "variable_group(v.name, %s)", category);
	else
		snprintf(out, GROUP_OF,
			"CASE WHEN v.variable IS NULL THEN variable_group(v.name, %s) ELSE "
			"variable_group((SELECT u.name FROM variable u WHERE u.variable = v.variable), "
			"NULL) END",
			category);
}

/* "FROM ... WHERE ...": rows `v` of what is alive at a step and not always live. False: it does not fit. */
static bool
alive_rows_sql(const struct liveness *s, int64_t at, char out[GROUP_SQL])
{
	char where[LIVE_TILES_SQL];

	if (!live_tiles_sql(s, where))
		return false;
	if (of_variables(s))
		snprintf(out, GROUP_SQL,
			"FROM variable v WHERE NOT ifnull(v.always_live, 0) AND v.variable IN (SELECT "
			"variable FROM liveness_variable WHERE start <= %lld AND \"end\" > %lld)",
			(long long)at, (long long)at);
	else
		snprintf(out, GROUP_SQL,
			"FROM lowered_variable v WHERE %s%sNOT ifnull(v.always_live, 0) AND v.class IN "
			"(SELECT class FROM class_interval WHERE start <= %lld AND \"end\" > %lld)",
			where, where[0] ? " AND " : "", (long long)at, (long long)at);
	return true;
}

static void
explain_group_at(const struct liveness *s, struct ts_explain *out, int group, int column,
	const char *quoted)
{
	const struct ts_alive *a = s->alive;
	const struct ts_live_total *t = &a->group[group][column];
	int64_t step = column > 0 ? a->asked.mark[column - 1] : a->step, times = 1;
	char rows[GROUP_SQL], of[GROUP_OF], shown[TS_FMT_MAX];
	bool fits = alive_rows_sql(s, step, rows);
	struct ts_explained *x = ts_explain_add(out, "not always live in the group %s, step %lld",
		ts_groups_name(s->groups, group), (long long)step);

	group_of_sql(s, of);
	if (t->bytes > 0)
		times = live_scaled(s, t->bytes) / t->bytes;
	ts_explain_bytes(x, live_scaled(s, t->bytes), live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s; rules of groups",
		of_variables(s) ? "variable.name, .bytes, liveness_variable"
				: "lowered_variable, class_interval, names and categories");
	ts_explain_formula(x, "%lld variable%s with %lld bytes%s", (long long)t->count,
		t->count == 1 ? "" : "s", (long long)t->bytes,
		times > 1 ? ", times the replicas" : "");
	ts_explain_note(x, "%s", fits ? group_note : live_too_many_tiles);
	if (fits)
		ts_explain_query(x, "SELECT %lld * coalesce(sum(v.bytes), 0) %s AND %s = %s",
			(long long)times, rows, of, quoted);
	if (column > 0)
		return;
	x = ts_explain_add(out, "its share of what is not always live");
	ts_explain_from(x, TS_KNOWN_DERIVED, "the figure before, and the same of all groups");
	if (a->bytes > 0) {
		ts_explain_real(x, 100 * (double)t->bytes / (double)a->bytes, "%");
		ts_explain_shown(x, "%s",
			ts_fmt_percent(shown, (double)t->bytes, (double)a->bytes));
		ts_explain_formula(x, "%lld / %lld bytes", (long long)t->bytes,
			(long long)a->bytes);
	}
	ts_explain_note(x, "%s", fits ? group_note : live_too_many_tiles);
	if (fits && a->bytes > 0)
		ts_explain_query(x,
			"SELECT 100.0 * sum(CASE WHEN %s = %s THEN v.bytes ELSE 0 END) / sum(v.bytes) %s",
			of, quoted, rows);
	x = ts_explain_add(out, "its variables");
	ts_explain_integer(x, t->count, "variables");
	ts_explain_from(x, TS_KNOWN_DERIVED, "names and categories of variables, rules of groups");
	ts_explain_note(x, "%s", fits ? group_note : live_too_many_tiles);
	if (fits && (of_variables(s) || a->lowered))
		ts_explain_query(x, "SELECT count(*) %s AND %s = %s", rows, of, quoted);
	else if (fits) /* pieces of one variable with the same life are one */
		ts_explain_query(x,
			"SELECT count(DISTINCT v.variable || '/' || v.class) + count(CASE WHEN v.variable IS NULL THEN 1 END) %s "
			"AND %s = %s",
			rows, of, quoted);
}

static void
explain_group_always(const struct liveness *s, struct ts_explain *out, int group,
	const struct ts_always *a, const char *quoted)
{
	int64_t bytes = a->group[group].bytes, shown = live_always_scaled(s, a->bytes, bytes);
	long long replicas = (long long)s->src.line.replicas;
	char where[LIVE_TILES_SQL], scale[48] = "";
	bool fits = live_tiles_sql(s, where), scaled = shown != bytes;
	struct ts_explained *x = ts_explain_add(out, "always live in the group %s",
		ts_groups_name(s->groups, group));

	ts_explain_bytes(x, shown, live_units(s));
	ts_explain_from(x, scaled ? TS_KNOWN_ASSUMED : TS_KNOWN_DERIVED, "%s; rules of groups",
		a->by_tile ? "tile_always_live.name, .bytes"
			   : "variable.name, .bytes, .always_live");
	ts_explain_formula(x, "%lld name%s with %lld bytes%s", (long long)a->group[group].count,
		a->group[group].count == 1 ? "" : "s", (long long)bytes,
		!scaled			 ? ""
			: s->one_replica ? ", divided by the replicas"
					 : ", times the replicas");
	ts_explain_note(x, "%s", fits ? group_note : live_too_many_tiles);
	if (scaled)
		snprintf(scale, sizeof(scale), " %c %lld", s->one_replica ? '/' : '*', replicas);
	if (!a->by_tile)
		ts_explain_query(x,
			"SELECT coalesce(sum(bytes), 0)%s FROM variable WHERE always_live AND "
			"variable_group(name, NULL) = %s",
			scale, quoted);
	else if (fits)
		ts_explain_query(x,
			"SELECT coalesce(sum(bytes), 0)%s FROM tile_always_live WHERE %s%svariable_group("
			"name, NULL) = %s",
			scale, where, where[0] ? " AND " : "", quoted);
}

/* x and y: not always live at the step, and always live. */
static void
explain_group_sum(const struct liveness *s, struct ts_explain *out, int group,
	const struct ts_explained *x, const struct ts_explained *y)
{
	struct ts_explained *sum = ts_explain_add(out, "both together, in the group %s",
		ts_groups_name(s->groups, group));

	ts_explain_bytes(sum, x->integer + y->integer, live_units(s));
	ts_explain_from(sum, TS_KNOWN_DERIVED, "the two figures before");
	ts_explain_formula(sum, "not always live %lld + always live %lld", (long long)x->integer,
		(long long)y->integer);
	ts_explain_note(sum, "%s", x->note);
	if (x->query[0] && y->query[0])
		ts_explain_query(sum, "SELECT (%s) + (%s)", x->query, y->query);
}

void
live_explain_group(const struct liveness *s, struct ts_explain *out, int group,
	const struct ts_always *always)
{
	char quoted[GROUP_QUOTED];
	const struct ts_explained *y;
	struct ts_explained *x;
	const char *problem;
	int wrong = s->groups ? ts_groups_wrong(s->groups, &problem) : 0;

	(void)!ts_explain_quote(quoted, sizeof(quoted), ts_groups_name(s->groups, group));
	x = &out->figure[out->count];
	explain_group_at(s, out, group, 0, quoted);
	if (always) {
		y = &out->figure[out->count];
		explain_group_always(s, out, group, always, quoted);
		explain_group_sum(s, out, group, x, y);
	}
	for (int i = 1; i <= s->alive->asked.marks; i++)
		explain_group_at(s, out, group, i, quoted);
	if (wrong > 0)
		ts_explain_note(x, "%d line%s of the rules passed over: %s", wrong,
			wrong == 1 ? " is" : "s are", problem);
}

/* --- lifetimes -------------------------------------------------------------------------------- */

enum { LIFE_WITH = LIVE_TILES_SQL + 400, LIFE_USES = LIVE_TILES_SQL + 300, LIFE_NAME = 64 };

/* What the queries of a lifetime are made of. */
struct life_sql {
	bool known; /* else `why` there is none */
	const char *why;
	char bytes[LIFE_WITH];	    /* of the variable, in brackets */
	char with[LIFE_WITH + 300]; /* "WITH ... ": i(s, e) has the intervals of its life */
	char uses[LIFE_USES];	    /* numbers of the lowered variables that it is */
};

/* Steps of its life, each once: of an interval what lies behind the ends of all before it. */
static const char life_steps[] =
	"(SELECT coalesce(sum(max(e - max(s, m), 0)), 0) FROM (SELECT s, e, coalesce(max(e) OVER (ORDER BY s ROWS "
	"BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS m FROM i WHERE e > s))";

/* Steps of its life at which a program names it: %s are those lowered variables. */
#define LIFE_AT "EXISTS (SELECT 1 FROM i WHERE s <= l.live_step AND e > l.live_step)"
#define LIFE_NAMED \
	"l.program IN (SELECT program FROM program_variable WHERE lowered_variable IN (%s))"
#define LIFE_USED                                                                    \
	"(SELECT count(DISTINCT l.live_step) FROM liveness_step l WHERE " LIFE_NAMED \
	" AND " LIFE_AT ")"

static void
make_life_sql(struct life_sql *q, const struct liveness *s, const struct ts_lifetime *r, int64_t id)
{
	char tiles[LIVE_TILES_SQL], one[LIFE_USES], from[LIFE_WITH];
	const char *cut = ts_report_has(s->v.env->report, TS_LIVENESS_STEP)
		? "min(\"end\", coalesce((SELECT 1 + max(live_step) FROM liveness_step), \"end\"))"
		: "\"end\"";
	long long variable = (long long)r->variable;

	*q = (struct life_sql){.why = live_too_many_tiles};
	if (!live_tiles_sql(s, tiles))
		return;
	if (of_variables(s) && r->variable >= 0) {
		snprintf(q->bytes, sizeof(q->bytes),
			"(SELECT bytes FROM variable WHERE variable = %lld)", variable);
		snprintf(from, sizeof(from), "liveness_variable WHERE variable = %lld", variable);
		snprintf(q->uses, sizeof(q->uses),
			"SELECT id FROM lowered_variable WHERE variable = %lld", variable);
	} else if (s->lives && s->lives->lowered && id >= 0) {
		snprintf(one, sizeof(one), "FROM lowered_variable WHERE %s%sid = %lld", tiles,
			tiles[0] ? " AND " : "", (long long)id);
		snprintf(q->bytes, sizeof(q->bytes), "(SELECT bytes %s)", one);
		snprintf(from, sizeof(from), "class_interval WHERE class = (SELECT class %s)", one);
		snprintf(q->uses, sizeof(q->uses), "%lld", (long long)id);
	} else {
		q->why = s->lives && !s->lives->lowered
			? "no query: on several tiles a row is the pieces of one class, which is not kept"
			: "no query: this variable has no number of its own";
		return;
	}
	snprintf(q->with, sizeof(q->with),
		"WITH i(s, e) AS MATERIALIZED (SELECT start, %s FROM %s) SELECT ", cut, from);
	q->known = true;
}

/* What is known of its uses. */
static void
explain_idle(struct ts_explain *out, const struct ts_lifetime *r, const struct life_sql *q,
	const char *note)
{
	static const char from[] =
		"program_variable, lowered_variable.variable, liveness_step.program";
	struct ts_explained *x = ts_explain_add(out, "idle steps");

	ts_explain_integer(x, r->idle, "steps");
	ts_explain_from(x, TS_KNOWN_DERIVED, from);
	if (r->idle == TS_UNKNOWN) {
		ts_explain_note(x, "no program is known to name it");
		return;
	}
	ts_explain_formula(x, "%lld step%s - %lld at which the program names it",
		(long long)r->steps, r->steps == 1 ? "" : "s", (long long)r->used);
	ts_explain_note(x, "%s", note);
	if (q->known)
		ts_explain_query(x, "%s%s - " LIFE_USED, q->with, life_steps, q->uses);
	x = ts_explain_add(out, "bytes x idle steps");
	if (r->idle == 0 || r->bytes <= TS_NUMBER_MAX / r->idle) {
		ts_explain_integer(x, r->idle * r->bytes, "bytes x steps");
		if (q->known)
			ts_explain_query(x, "%s%s * (%s - " LIFE_USED ")", q->with, q->bytes,
				life_steps, q->uses);
	}
	ts_explain_from(x, TS_KNOWN_DERIVED, "the figure before, bytes of the variable");
	ts_explain_formula(x, "%lld bytes x %lld steps", (long long)r->bytes, (long long)r->idle);
	ts_explain_note(x, "%s", note);
	x = ts_explain_add(out, "most idle steps one after the other");
	ts_explain_integer(x, r->longest, "steps");
	ts_explain_from(x, TS_KNOWN_DERIVED, from);
	ts_explain_note(x, "%s", note);
	if (q->known) /* a run of them: number and place grow together */
		ts_explain_query(x,
			"%scoalesce(max(n), 0) FROM (SELECT count(*) AS n FROM (SELECT l.live_step - "
			"row_number() OVER (ORDER BY l.live_step) AS run FROM liveness_step l "
			"WHERE " LIFE_AT " AND (" LIFE_NAMED ") IS NOT 1) GROUP BY run)",
			q->with, q->uses);
	x = ts_explain_add(out, "steps at which a program names it");
	ts_explain_integer(x, r->used, "steps");
	ts_explain_from(x, TS_KNOWN_DERIVED, from);
	ts_explain_note(x, "%s", note);
	if (q->known)
		ts_explain_query(x, "%s" LIFE_USED, q->with, q->uses);
}

/* Where its life begins, where it ends: an interval does not have the step at its end. */
static void
explain_end(struct ts_explain *out, const char *title, int64_t step, const struct life_sql *q,
	const char *figure)
{
	struct ts_explained *x = ts_explain_add(out, "%s", title);

	ts_explain_integer(x, step, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "the intervals of its life");
	if (q->known)
		ts_explain_query(x, "%s%s FROM i WHERE e > s", q->with, figure);
	else
		ts_explain_note(x, "%s", q->why);
}

void
live_explain_lifetime(const struct liveness *s, struct ts_explain *out,
	const struct ts_lifetimes *made, int64_t i, int64_t id, const char *name)
{
	const struct ts_lifetime *r = &made->row[i];
	struct ts_explained *x = ts_explain_add(out, "bytes of %s", name);
	struct life_sql q;
	const char *note;

	make_life_sql(&q, s, r, id);
	note = q.known ? "intervals that overlap count once, to the last step" : q.why;
	ts_explain_bytes(x, r->bytes, live_units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s.bytes",
		of_variables(s) ? "variable" : "lowered_variable");
	if (q.known)
		ts_explain_query(x, "SELECT %s", q.bytes);
	else
		ts_explain_note(x, "%s", note);
	x = ts_explain_add(out, "steps of its life");
	ts_explain_integer(x, r->steps, "steps");
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s",
		of_variables(s) ? "liveness_variable.start, .\"end\""
				: "class_interval.start, .\"end\"");
	ts_explain_note(x, "%s", note);
	if (q.known)
		ts_explain_query(x, "%s%s", q.with, life_steps);
	explain_idle(out, r, &q, note);
	explain_end(out, "first step of its life", live_lifetime_from(made, i), &q, "min(s)");
	explain_end(out, "last step of its life", live_lifetime_to(made, i), &q, "max(e) - 1");
}
