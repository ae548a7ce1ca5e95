/* SPDX-License-Identifier: MIT */
/* program_explain - what the figures of a program alone are, for `=` (program_tabs.h). */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "program_tabs.h"

/* Of one execution; the program's own, or those of its compute set. */
static void
explain_cycles(struct ts_explain *out, const struct ts_program_cost *p, const char *kind,
	const struct ts_program_cycles *c, const char *column)
{
	struct ts_explained *x;
	char query[400];

	if (c->sum == TS_UNKNOWN)
		return;
	snprintf(query, sizeof(query),
		"FROM (SELECT coalesce((SELECT %s FROM program WHERE program = %" PRId64
		"), (SELECT %s FROM compute_set WHERE compute_set = %" PRId64 ")) AS b)",
		column, p->program, column, p->compute_set);
	x = ts_explain_add(out, "%s cycles of one execution of program %" PRId64 ", longest tile",
		kind, p->program);
	ts_explain_integer(x, c->most, "cycles");
	ts_explain_from(x, column[0] == 'c' ? TS_KNOWN_REPEATED : TS_KNOWN_ESTIMATED,
		"program.%s, else compute_set.%s", column, column);
	ts_explain_formula(x, "the most of all tiles; those of its compute set where it has none");
	ts_explain_query(x, "SELECT tile_max(b) %s", query);
	x = ts_explain_add(out, "%s cycles of one execution of program %" PRId64 ", all tiles",
		kind, p->program);
	ts_explain_integer(x, c->sum, "cycles");
	ts_explain_from(x, column[0] == 'c' ? TS_KNOWN_REPEATED : TS_KNOWN_ESTIMATED,
		"program.%s, else compute_set.%s", column, column);
	ts_explain_formula(x, "sum over all tiles");
	ts_explain_query(x, "SELECT tile_sum(b) %s", query);
}

static void
explain_control(struct ts_explain *out, const struct ts_program_cost *p, enum ts_units units)
{
	struct ts_explained *x;

	if (p->control_code == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "control code of program %" PRId64, p->program);
	ts_explain_bytes(x, p->control_code, units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "program.control_code_by_tile");
	ts_explain_formula(x, "sum over all tiles; of a program with children theirs is in it");
	ts_explain_query(x,
		"SELECT tile_sum(control_code_by_tile) FROM program WHERE program = %" PRId64,
		p->program);
}

void
program_explain(struct ts_explain *out, const struct ts_program_cost *p, enum ts_units units)
{
	struct ts_explained *x;

	x = ts_explain_add(out, "exchange code of program %" PRId64, p->program);
	ts_explain_bytes(x, p->exchange_code, units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "program.code_by_tile");
	ts_explain_formula(x, "sum over all tiles");
	ts_explain_query(x, "SELECT tile_sum(code_by_tile) FROM program WHERE program = %" PRId64,
		p->program);
	explain_control(out, p, units);
	explain_cycles(out, p, "measured", &p->measured, "cycles_by_tile");
	explain_cycles(out, p, "estimated", &p->estimated, "estimated_cycles_by_tile");
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
