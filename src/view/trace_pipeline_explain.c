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
		"No query: a pass ends %s.",
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
	ts_explain_formula(x, "(sync %lld + external sync %lld + idle %lld) / %lld cycles",
		(long long)stage->by_class[TS_CLASS_SYNC],
		(long long)stage->by_class[TS_CLASS_EXTERNAL_SYNC], (long long)stage->idle,
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

void
pipeline_stages_explain(struct ts_tab *tab, struct ts_explain *out)
{
	const struct stages_tab *s = tab->own;
	int64_t row = s->pipeline ? ts_held_list_row(&s->l) : -1;
	struct ts_explained *x;
	char name[64], other[64];

	if (row < 0 || row >= s->pipeline->stages)
		return;
	explain_stage(s, &s->pipeline->stage[row],
		pipeline_stage_name(s, (int)row, name, sizeof(name)), out);
	if (s->pipeline->slowest >= 0) {
		x = ts_explain_add(out, "work to move from %s to %s",
			pipeline_stage_name(s, s->pipeline->slowest, name, sizeof(name)),
			pipeline_stage_name(s, s->pipeline->fastest, other, sizeof(other)));
		ts_explain_real(x, s->pipeline->move * 100, "%");
		ts_explain_from(x, TS_KNOWN_ESTIMATED, "the work of the stages");
		ts_explain_formula(x,
			"until both have the same work, or the next slowest stage is the slowest; a pass "
			"is then %.2f%% shorter",
			s->pipeline->saves * 100);
		ts_explain_note(x, "As if cycles moved with the work; no query.");
	}
	if (!s->names[0] && s->pipeline->bytes_known)
		explain_exchanges(s, out);
}
