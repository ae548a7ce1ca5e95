/* SPDX-License-Identifier: MIT */
/* trace_pipeline_explain - how figures of the stages of the pipeline are worked out. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_pipeline_internal.h"

#include "tilescope/base/mem.h"

const char *
pipeline_wait_note(const struct stages_tab *s)
{
	const struct ts_trace *t = s->t->trace;

	if (!s->pipeline || !t)
		return "";
	if (s->pipeline->left_out > 0)
		return "profiler's wait left out";
	return t->runs == 0 || (t->honest.artefact != TS_UNKNOWN && t->artefact_start == TS_UNKNOWN)
		? "profiler's wait not told apart"
		: "";
}

void
pipeline_from_and_note(struct ts_explained *x, const struct stages_tab *s)
{
	ts_explain_from(x, TS_KNOWN_DERIVED, "step_ipu.start, end, data_in, data_out; step.type%s",
		s->names[0] ? "; names of compute sets and programs" : "");
	ts_explain_note(x,
		"Each cycle of a pass counts once, for compute before exchange, I/O, sync and nothing. "
		"No query: a pass ends %s",
		s->names[0] ? "where the next stage begins on its IPU"
			    : "with a global exchange, on each IPU at its own time");
	if (s->pipeline && s->pipeline->left_out > 0 && s->t->trace)
		ts_explain_note(x,
			"As in the rules of check, cycles %lld to %lld are left out: step %lld, %s.",
			(long long)s->t->trace->artefact_start,
			(long long)s->t->trace->artefact_end,
			(long long)s->t->trace->honest.artefact, ts_mark_note(TS_MARK_ARTEFACT));
}

static void
explain_stage(const struct stages_tab *s, const struct ts_pipeline_stage *stage, const char *name,
	struct ts_explain *out)
{
	const struct ts_pipeline *p = s->pipeline;
	struct ts_explained *x = ts_explain_add(out, "work of a pass of %s", name);
	int64_t bubble = ts_pipeline_bubble(stage->by_class, stage->idle);

	ts_explain_real(x, ts_pipeline_mean_work(stage), "cycles");
	pipeline_from_and_note(x, s);
	ts_explain_formula(x, "(compute %lld + exchange %lld + global exchange %lld) / %lld passes",
		(long long)stage->by_class[TS_CLASS_COMPUTE],
		(long long)stage->by_class[TS_CLASS_EXCHANGE],
		(long long)stage->by_class[TS_CLASS_GLOBAL_EXCHANGE], (long long)stage->passes);
	x = ts_explain_add(out, "bubble of %s", name);
	ts_explain_real(x, stage->span > 0 ? 100.0 * (double)bubble / (double)stage->span : 0, "%");
	pipeline_from_and_note(x, s);
	ts_explain_formula(x, "(syncs %lld + idle %lld) / %lld cycles",
		(long long)ts_pipeline_syncs(stage->by_class), (long long)stage->idle,
		(long long)stage->span);
	if (pipeline_factor_of(p, stage) < 0)
		return;
	x = ts_explain_add(out, "%s against the mean stage", name);
	ts_explain_real(x, pipeline_factor_of(p, stage), NULL);
	pipeline_from_and_note(x, s);
	ts_explain_formula(x, "%.1f / %.1f cycles: the mean of the stages' means",
		ts_pipeline_mean_work(stage), p->mean_work);
}

static void
explain_exchanges(const struct stages_tab *s, struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "global exchanges that end a phase");

	ts_explain_integer(x, s->pipeline->ends, "exchanges");
	ts_explain_from(x, TS_KNOWN_DERIVED, "step.type, step_ipu.data_in, data_out");
	ts_explain_formula(x,
		"of all IPUs together the larger of bytes in and out is more than %lld; with the ends "
		"of runs that makes %lld phases",
		(long long)s->least_bytes, (long long)s->pipeline->phases);
	ts_explain_query(x,
		"SELECT count(*) FROM (SELECT 1 FROM step_ipu WHERE step IN (SELECT step FROM step "
		"WHERE type = 'GlobalExchange') GROUP BY step HAVING "
		"sum(max(coalesce(data_in, -1), coalesce(data_out, -1), 0)) > %lld)",
		(long long)s->least_bytes);
}

/* The line below the table: what all stages lose, how many of them work, and which is slow. */
static void
explain_verdict(const struct stages_tab *s, struct ts_explain *out)
{
	const struct ts_pipeline *p = s->pipeline;
	long long bubble = 0, span = 0, work = 0, all = 0;
	struct ts_explained *x;
	char name[64];

	for (int i = 0; i < p->stages; i++) {
		const struct ts_pipeline_stage *stage = &p->stage[i];

		work += ts_pipeline_work(stage->by_class);
		all += stage->span;
		if (stage->regular) {
			bubble += ts_pipeline_bubble(stage->by_class, stage->idle);
			span += stage->span;
		}
	}
	if (p->bubble >= 0) {
		x = ts_explain_add(out, "bubble of all stages");
		ts_explain_real(x, p->bubble * 100, "%");
		pipeline_from_and_note(x, s);
		ts_explain_formula(x,
			"sync, external sync and idle %lld / %lld cycles of the stages that are compared: those "
			"with at least half as many passes as the one with most",
			bubble, span);
	}
	if (p->at_once >= 0) {
		x = ts_explain_add(out, "stages at work at a time");
		ts_explain_real(x, p->at_once, "stages");
		pipeline_from_and_note(x, s);
		ts_explain_formula(x, "work %lld / (%lld cycles of all passes / %d stages)", work,
			all, p->stages);
	}
	if (p->slow_factor < 0)
		return;
	x = ts_explain_add(out, "slowest stage, %s, against the mean",
		pipeline_stage_name(s, p->slowest, name, sizeof(name)));
	ts_explain_real(x, p->slow_factor, NULL);
	pipeline_from_and_note(x, s);
	ts_explain_formula(x, "%.1f / %.1f cycles: the mean of the stages' means",
		ts_pipeline_mean_work(&p->stage[p->slowest]), p->mean_work);
}

static void
from_work(struct ts_explained *x)
{
	ts_explain_from(x, TS_KNOWN_ESTIMATED, "the mean work of a pass of each stage");
	ts_explain_note(x, "As if cycles moved with the work: no query");
}

/* The last line: what moving work would give. */
static void
explain_move(const struct stages_tab *s, struct ts_explain *out)
{
	const struct ts_pipeline *p = s->pipeline;
	const struct ts_pipeline_stage *slow = &p->stage[p->slowest];
	double most = ts_pipeline_mean_work(slow);
	double least = ts_pipeline_mean_work(&p->stage[p->fastest]);
	char name[64], other[64];
	struct ts_explained *x;

	pipeline_stage_name(s, p->slowest, name, sizeof(name));
	x = ts_explain_add(out, "work to move from %s to %s", name,
		pipeline_stage_name(s, p->fastest, other, sizeof(other)));
	ts_explain_real(x, p->move * 100, "%");
	from_work(x);
	if (p->target > (most + least) / 2)
		ts_explain_formula(x,
			"(%.1f - %.1f) / %.1f cycles: until the next slowest stage, with %.1f, is the slowest",
			most, p->target, most, p->target);
	else
		ts_explain_formula(x,
			"(%.1f - %.1f) / %.1f cycles: until both have (%.1f + %.1f) / 2", most,
			p->target, most, most, least);
	x = ts_explain_add(out, "a pass of %s is then shorter by", name);
	ts_explain_real(x, p->saves * 100, "%");
	from_work(x);
	ts_explain_formula(x, "(%.1f - %.1f) / (%lld cycles / %lld passes)", most, p->target,
		(long long)slow->span, (long long)slow->count);
}

/* What even tiles would give, as far as the costs of the slowest stage are read. */
static void
explain_even(const struct stages_tab *s, struct ts_explain *out)
{
	const struct ts_pipeline *p = s->pipeline;
	const struct ts_pipeline_stage *slow = &p->stage[p->slowest];
	const struct ts_stage_costs *c = pipeline_costs_of(s->t, p->slowest);
	double span = ts_pipeline_mean_span(slow), lead = ts_pipeline_mean_work(slow) - p->second;
	struct ts_explained *x;
	char name[64];

	if (!c || ts_stage_costs_lost(c) < 0)
		return;
	x = ts_explain_add(out, "a pass of %s with even tiles is shorter by",
		pipeline_stage_name(s, p->slowest, name, sizeof(name)));
	ts_explain_real(x, span > 0 ? 100 * ts_stage_costs_lost(c) / span : 0, "%");
	ts_explain_from(x, TS_KNOWN_ESTIMATED, "step_ipu.tile_balance of the steps in its passes");
	ts_explain_formula(x, "%.1f cycles of a mean pass in which tiles wait / %.1f cycles of it",
		ts_stage_costs_lost(c), span);
	ts_explain_note(x,
		"As if each step took as long as its tiles do on average; the tab Work says where. No "
		"query: passes are found, not recorded");
	if (ts_stage_costs_lost(c) <= lead)
		return;
	x = ts_explain_add(out, "of that, until the next slowest stage leads");
	ts_explain_real(x, span > 0 ? 100 * lead / span : 0, "%");
	ts_explain_from(x, TS_KNOWN_ESTIMATED, "the work of the two slowest stages");
	ts_explain_formula(x, "(%.1f - %.1f) cycles of work of a mean pass / %.1f cycles of it",
		ts_pipeline_mean_work(slow), p->second, span);
	ts_explain_note(x,
		"As if the slowest stage set the pace. No query: passes are found, not recorded");
}

void
pipeline_stages_explain(struct ts_tab *tab, struct ts_explain *out)
{
	const struct stages_tab *s = tab->own;
	int64_t row = s->pipeline ? ts_held_list_row(&s->l) : -1;
	char name[64];

	if (row < 0 || row >= s->pipeline->stages)
		return;
	explain_stage(s, &s->pipeline->stage[row],
		pipeline_stage_name(s, (int)row, name, sizeof(name)), out);
	explain_verdict(s, out);
	if (s->pipeline->slowest >= 0) {
		explain_move(s, out);
		explain_even(s, out);
	}
	if (!s->names[0] && s->pipeline->bytes_known)
		explain_exchanges(s, out);
}
