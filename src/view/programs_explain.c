/* SPDX-License-Identifier: MIT */
/* programs_explain - what the figures of the program under the cursor are, for `=`. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "programs_internal.h"

void
programs_explain_own(const struct programs_view *s, struct ts_explain *out,
	const struct ts_program_cost *p)
{
	enum ts_units units = s->base.env->options->units;
	struct ts_explained *x;

	x = ts_explain_add(out, "exchange code of program %" PRId64, p->program);
	ts_explain_bytes(x, p->exchange_code, units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "program.code_by_tile");
	ts_explain_formula(x, "sum over all tiles");
	ts_explain_query(x, "SELECT tile_sum(code_by_tile) FROM program WHERE program = %" PRId64,
		p->program);
	if (p->steps != TS_UNKNOWN) {
		x = ts_explain_add(out, "steps that execute program %" PRId64, p->program);
		ts_explain_integer(x, p->steps, "steps");
		ts_explain_from(x, TS_KNOWN_RECORDED, "step.program");
		ts_explain_query(x, "SELECT count(*) FROM step WHERE program = %" PRId64,
			p->program);
	}
	if (p->executed != TS_UNKNOWN) {
		x = ts_explain_add(out, "cycles of the steps of program %" PRId64, p->program);
		ts_explain_integer(x, p->executed, "cycles");
		ts_explain_from(x, TS_KNOWN_REPEATED, "step_ipu.cycles, step.program");
		ts_explain_formula(x, "sum over its steps and all IPUs of the trace");
		ts_explain_query(x,
			"SELECT coalesce(sum(i.cycles), 0) FROM step s JOIN step_ipu i ON i.step = s.step "
			"WHERE s.program = %" PRId64,
			p->program);
	}
	if (p->live != TS_UNKNOWN) {
		x = ts_explain_add(out,
			"live bytes at the fullest liveness step of program %" PRId64, p->program);
		ts_explain_bytes(x, p->live, units);
		ts_explain_from(x, TS_KNOWN_RECORDED, "liveness_step.not_always_live");
		ts_explain_query(x,
			"SELECT max(not_always_live) FROM liveness_step WHERE program = %" PRId64,
			p->program);
	}
}

/* What a program costs with all that it calls: the same figures, over a recursive walk. */
static void
explain_below(const struct programs_view *s, struct ts_explain *out, uint32_t node)
{
	static const char walk[] =
		"WITH RECURSIVE below(p) AS (SELECT %" PRId64
		" UNION SELECT c.child FROM below b JOIN program_child c ON c.parent = b.p) ";
	const struct ts_program_sums *sums = programs_below(s->data, node);
	int64_t program = programs_node(s->data, node)->program;
	char with[200];
	struct ts_explained *x;

	if (sums->programs == TS_UNKNOWN || s->data->flat)
		return;
	snprintf(with, sizeof(with), walk, program);
	x = ts_explain_add(out, "programs that program %" PRId64 " leads to", program);
	ts_explain_integer(x, sums->programs, "programs");
	ts_explain_from(x, TS_KNOWN_DERIVED, "program_child.parent, program_child.child");
	ts_explain_formula(x, "itself and all below, each once");
	ts_explain_query(x, "%sSELECT count(*) FROM below", with);
	if (sums->executed == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "cycles of program %" PRId64 " with all it calls", program);
	ts_explain_integer(x, sums->executed, "cycles");
	ts_explain_from(x, TS_KNOWN_REPEATED, "step_ipu.cycles, step.program, program_child");
	ts_explain_formula(x, "cycles of the steps of %" PRId64 " programs, each once",
		sums->programs);
	ts_explain_query(x,
		"%sSELECT coalesce(sum(i.cycles), 0) FROM step s JOIN step_ipu i ON i.step = s.step WHERE s.program IN "
		"(SELECT p FROM below)",
		with);
}

void
programs_explain(struct ts_view *v, struct ts_explain *out)
{
	struct programs_view *s = programs_of(v);
	uint32_t at = programs_at(s);
	const struct ts_program_cost *p;

	if (!s->data || at == UINT32_MAX)
		return;
	p = programs_cost(s->data, at);
	explain_below(s, out, at);
	if (p)
		programs_explain_own(s, out, p);
}
