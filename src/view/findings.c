/* SPDX-License-Identifier: MIT */
/* findings - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"
#include "tilescope/view/findings.h"

enum { FEW_ROWS = 1000000 }; /* a pass over so many takes no time worth speaking of */

/* --- in a worker ------------------------------------------------------------------------------ */

static void
note_problem(void *ctx, const char *file, int line, const char *reason)
{
	struct ts_findings *f = ctx;

	if (f->wrong++ == 0)
		snprintf(f->problem, sizeof(f->problem), "%.100s: line %d: %s", file, line, reason);
}

static enum ts_code
spread(struct ts_findings *f, struct ts_err *err)
{
	const struct ts_tiles *t = &f->facts.tiles;

	f->used = ts_alloc(t->count + 1, sizeof(*f->used));
	if (!f->used)
		return ts_err_nomem(err);
	for (size_t i = 0; i < t->count; i++)
		f->used[i] = ts_tile_used(&t->tile[i]);
	ts_spread_sort(f->used, t->count);
	f->has_balance = ts_balance_index(&f->balance, f->used, t->count,
		f->facts.target.bytes_per_tile);
	return TS_OK;
}

static void
drop_facts(struct ts_findings *f)
{
	ts_insight_facts_fini(&f->facts);
	f->facts = (struct ts_insight_facts){0};
	free(f->used);
	f->used = NULL;
}

static enum ts_code
read_findings(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_findings_fetch *q = (struct ts_findings_fetch *)fetch;
	struct ts_findings *f = &q->found;
	enum ts_code code = ts_rules_read(&f->rules, q->file, note_problem, f, err);

	if (!code)
		code = ts_insight_facts_read(&f->facts, rd, &fetch->job.progress, err);
	if (!code)
		code = spread(f, err);
	if (!code)
		code = ts_insights_find(&f->insights, &f->rules, &f->facts, f->units, err);
	if (q->brief)
		drop_facts(f);
	return code;
}

static void
fini_findings(struct ts_fetch *fetch)
{
	struct ts_findings_fetch *q = (struct ts_findings_fetch *)fetch;

	free(q->file);
	ts_findings_fini(&q->found);
}

/* --- for views -------------------------------------------------------------------------------- */

bool
ts_findings_can(const struct ts_view_env *env, bool cheap)
{
	const struct ts_report *r = env->report;
	size_t size;

	if (env->looking)
		return false;
	if (ts_report_has(r, TS_TILE_CATEGORY))
		return !cheap || ts_reach_span(&r->binding[TS_TILE_CATEGORY].reach) <= FEW_ROWS;
	if (!ts_report_has(r, TS_LOWERED_VARIABLE) ||
		ts_index_section(env->index, TS_SECTION_CATEGORIES, &size))
		return true;
	if (ts_view_waits(env, TS_SECTION_CATEGORIES, TS_LOWERED_VARIABLE))
		return false;
	return !cheap || ts_reach_span(&r->binding[TS_LOWERED_VARIABLE].reach) <= FEW_ROWS;
}

const struct ts_fetch *
ts_findings_ask(struct ts_view *v, int kind, bool brief)
{
	struct ts_findings_fetch *q = ts_alloc(1, sizeof(*q));
	struct ts_strbuf path;

	if (!q)
		return NULL;
	ts_strbuf_init(&path, 1 << 14);
	if (v->env->rules_dir) {
		ts_strbuf_printf(&path, "%s/insights.rules", v->env->rules_dir);
		q->file = ts_strdup(path.s);
	}
	ts_strbuf_fini(&path);
	q->brief = brief;
	q->found.units = v->env->options->units;
	q->fetch.read = read_findings;
	q->fetch.fini = fini_findings;
	ts_fetch_send(v, &q->fetch, kind, TS_WORKER_BULK, "looking for insights");
	return &q->fetch;
}

/* The rules do not move when a finding points at one: they are copied first, then found anew. */
void
ts_findings_take(struct ts_findings *to, struct ts_fetch *f)
{
	struct ts_findings_fetch *q = (struct ts_findings_fetch *)f;

	q->found.execution = to->execution; /* what was found in the execution stays */
	q->found.has_execution = to->has_execution;
	to->execution = (struct ts_execution_facts){0};
	ts_findings_fini(to);
	*to = q->found;
	for (int i = 0; i < to->insights.count; i++) {
		struct ts_finding *x = &to->insights.finding[i];

		x->rule = &to->rules.rule[x->rule - q->found.rules.rule];
	}
	q->found = (struct ts_findings){0};
	if (to->has_execution)
		ts_insights_add_execution(&to->insights, &to->execution);
}

void
ts_findings_say(struct ts_findings *f, enum ts_units units)
{
	struct ts_insights other;
	struct ts_err err;

	if (f->units == units || f->insights.count == 0)
		return;
	if (ts_insights_find(&other, &f->rules, &f->facts, units, &err) == TS_OK) {
		ts_insights_fini(&f->insights);
		f->insights = other;
		f->units = units;
		if (f->has_execution)
			ts_insights_add_execution(&f->insights, &f->execution);
	} else {
		ts_insights_fini(&other);
	}
}

/* --- the execution ---------------------------------------------------------------------------- */

struct execution_fetch {
	struct ts_fetch fetch; /* first */
	const struct ts_cache *cache;
	struct ts_execution_facts facts;
};

static enum ts_code
read_execution(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct execution_fetch *q = (struct execution_fetch *)fetch;

	return ts_execution_facts_read(&q->facts, rd, NULL, q->cache, &fetch->job.progress, err);
}

static void
fini_execution(struct ts_fetch *fetch)
{
	ts_execution_facts_fini(&((struct execution_fetch *)fetch)->facts);
}

bool
ts_findings_can_execution(const struct ts_findings *to, const struct ts_view_env *env, bool cheap)
{
	const struct ts_binding *b = &env->report->binding[TS_STEP_IPU];
	size_t size;

	if (to->has_execution || to->insights.count == 0 || env->looking ||
		ts_view_waits(env, TS_SECTION_LANES, TS_STEP_IPU))
		return false;
	return !cheap || !b->bound || ts_reach_span(&b->reach) <= FEW_ROWS ||
		ts_index_section(env->index, TS_SECTION_PROGRAMS, &size);
}

const struct ts_fetch *
ts_findings_ask_execution(struct ts_view *v, int kind)
{
	struct execution_fetch *q = ts_alloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->cache = v->env->cache;
	q->fetch.read = read_execution;
	q->fetch.fini = fini_execution;
	ts_fetch_send(v, &q->fetch, kind, TS_WORKER_BULK, "looking for insights of the execution");
	return &q->fetch;
}

void
ts_findings_take_execution(struct ts_findings *to, struct ts_fetch *f)
{
	struct execution_fetch *q = (struct execution_fetch *)f;

	ts_execution_facts_fini(&to->execution);
	to->execution = q->facts;
	to->has_execution = true;
	q->facts = (struct ts_execution_facts){0};
	ts_insights_add_execution(&to->insights, &to->execution);
}

void
ts_findings_fini(struct ts_findings *f)
{
	ts_insights_fini(&f->insights);
	drop_facts(f);
	ts_execution_facts_fini(&f->execution);
	ts_rules_fini(&f->rules);
	*f = (struct ts_findings){0};
}

enum ts_role
ts_severity_role(enum ts_severity severity)
{
	static const enum ts_role roles[] = {TS_ROLE_GOOD, TS_ROLE_NOTE, TS_ROLE_WARN, TS_ROLE_BAD};

	return roles[severity];
}

const char *
ts_severity_word(enum ts_severity severity)
{
	return severity == TS_SEVERITY_NONE ? "ok" : ts_severity_name(severity);
}
