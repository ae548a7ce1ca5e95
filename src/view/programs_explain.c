/* SPDX-License-Identifier: MIT */
/* programs_explain - what the figures of the program under the cursor are, for `=`. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "program_tabs.h"
#include "programs_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"

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
		"(SELECT p FROM below) AND " TS_EXPLAIN_LEAF,
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
		program_explain(out, p, s->base.env->options->units);
}
