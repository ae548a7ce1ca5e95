/* SPDX-License-Identifier: MIT */
/* programs_explain - what the figures of the program under the cursor are, for `=`. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"

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
explain_control(const struct programs_view *s, struct ts_explain *out,
	const struct ts_program_cost *p)
{
	struct ts_explained *x;

	if (p->control_code == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "control code of program %" PRId64, p->program);
	ts_explain_bytes(x, p->control_code, s->base.env->options->units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "program.control_code_by_tile");
	ts_explain_formula(x, "sum over all tiles; of a program with children theirs is in it");
	ts_explain_query(x,
		"SELECT tile_sum(control_code_by_tile) FROM program WHERE program = %" PRId64,
		p->program);
}

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
	explain_control(s, out, p);
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

/* Sums over `below(p)`, a WITH that names programs. */
static const struct {
	const char *what, *unit, *from, *query;
	size_t member; /* in ts_program_sums */
	enum ts_known known;
} sums_of[] = {
	{"cycles executed", "cycles", "step_ipu.cycles, step.program, program_child",
		"SELECT coalesce(sum(i.cycles), 0) FROM step s JOIN step_ipu i ON i.step = s.step "
		"WHERE s.program IN (SELECT p FROM below)",
		offsetof(struct ts_program_sums, executed), TS_KNOWN_REPEATED},
	{"steps", "steps", "step.program, program_child",
		"SELECT count(*) FROM step WHERE program IN (SELECT p FROM below)",
		offsetof(struct ts_program_sums, steps), TS_KNOWN_DERIVED},
	{"exchange code", "bytes", "program.code_by_tile, program_child",
		"SELECT sum(tile_sum(code_by_tile)) FROM program WHERE program IN (SELECT p FROM below)",
		offsetof(struct ts_program_sums, exchange_code), TS_KNOWN_DERIVED},
	{"control code", "bytes", "program.control_code_by_tile, program_child",
		"SELECT sum(tile_sum(control_code_by_tile)) FROM program WHERE program IN "
		"(SELECT p FROM below) AND program NOT IN (SELECT parent FROM program_child)",
		offsetof(struct ts_program_sums, control_code), TS_KNOWN_DERIVED},
	{"live bytes at the fullest liveness step", "bytes",
		"liveness_step.not_always_live, liveness_step.program, program_child",
		"SELECT max(not_always_live) FROM liveness_step WHERE program IN (SELECT p FROM below)",
		offsetof(struct ts_program_sums, live), TS_KNOWN_DERIVED},
};

static void
explain_sums(const struct programs_view *s, struct ts_explain *out, int64_t program,
	const struct ts_program_sums *sums, const char *with)
{
	for (size_t i = 0; i < TS_COUNT(sums_of); i++) {
		struct ts_explained *x;
		int64_t v;

		memcpy(&v, (const char *)sums + sums_of[i].member, sizeof(v));
		if (v == TS_UNKNOWN)
			continue;
		x = ts_explain_add(out, "%s of program %" PRId64 " with all it calls",
			sums_of[i].what, program);
		if (strcmp(sums_of[i].unit, "bytes") == 0)
			ts_explain_bytes(x, v, s->base.env->options->units);
		else
			ts_explain_integer(x, v, sums_of[i].unit);
		ts_explain_from(x, sums_of[i].known, "%s", sums_of[i].from);
		ts_explain_formula(x, "of %" PRId64 " program%s, each once", sums->programs,
			sums->programs == 1 ? "" : "s");
		ts_explain_query(x, "%s%s", with, sums_of[i].query);
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
	explain_sums(s, out, program, sums, with);
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
