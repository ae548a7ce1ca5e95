/* SPDX-License-Identifier: MIT */
/*
 * operations_explain - what the figures of the operation under the cursor are, for `=`, each with the query that reproduces it:
 * over the programs that operation_program names, or whose nearest context of the layer it is.
 */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "operations_internal.h"
#include "program_tabs.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"

enum { WITH = 700 };

/* "WITH of(p) AS (...)": its programs. "": no query says them (names, several ways at once). */
static void
programs_query(char with[WITH], const struct operations_view *s, uint32_t node)
{
	const struct ts_operation *o = ts_operation_at(s->ops, node);

	with[0] = '\0';
	if (!s->shape->wish.tree && o->operation != TS_UNKNOWN && o->programs_said)
		snprintf(with, WITH,
			"WITH of(p) AS (SELECT DISTINCT o.program FROM operation_program o JOIN program x "
			"ON x.program = o.program WHERE o.operation = %" PRId64 ") ",
			o->operation);
}

static const struct {
	const char *what, *unit, *from, *query;
	size_t member; /* in ts_operation_figures */
	enum ts_known known;
} figures[] = {
	{"cycles executed", "cycles", "step_ipu.cycles, step.program",
		"SELECT coalesce(sum(i.cycles), 0) FROM step s JOIN step_ipu i ON i.step = s.step "
		"WHERE s.program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, executed), TS_KNOWN_REPEATED},
	{"steps executed", "steps", "step.program",
		"SELECT count(*) FROM step WHERE program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, steps), TS_KNOWN_RECORDED},
	{"measured cycles of one execution, longest tiles", "cycles",
		"program.cycles_by_tile, else compute_set.cycles_by_tile",
		"SELECT sum(tile_max(coalesce(x.cycles_by_tile, (SELECT c.cycles_by_tile FROM "
		"compute_set c WHERE c.compute_set = x.compute_set)))) FROM program x WHERE x.program "
		"IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, measured), TS_KNOWN_REPEATED},
	{"measured cycles of one execution, all tiles", "cycles",
		"program.cycles_by_tile, else compute_set.cycles_by_tile",
		"SELECT sum(tile_sum(coalesce(x.cycles_by_tile, (SELECT c.cycles_by_tile FROM "
		"compute_set c WHERE c.compute_set = x.compute_set)))) FROM program x WHERE x.program "
		"IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, measured_tiles), TS_KNOWN_REPEATED},
	{"estimated cycles of one execution, longest tiles", "cycles",
		"program.estimated_cycles_by_tile, else compute_set.estimated_cycles_by_tile",
		"SELECT sum(tile_max(coalesce(x.estimated_cycles_by_tile, (SELECT "
		"c.estimated_cycles_by_tile FROM compute_set c WHERE c.compute_set = x.compute_set)))) "
		"FROM program x WHERE x.program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, estimated), TS_KNOWN_ESTIMATED},
	{"estimated cycles of one execution, all tiles", "cycles",
		"program.estimated_cycles_by_tile, else compute_set.estimated_cycles_by_tile",
		"SELECT sum(tile_sum(coalesce(x.estimated_cycles_by_tile, (SELECT "
		"c.estimated_cycles_by_tile FROM compute_set c WHERE c.compute_set = x.compute_set)))) "
		"FROM program x WHERE x.program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, estimated_tiles), TS_KNOWN_ESTIMATED},
	{"exchange code", "bytes", "program.code_by_tile",
		"SELECT sum(tile_sum(code_by_tile)) FROM program WHERE program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, exchange_code), TS_KNOWN_RECORDED},
	{"control code", "bytes", "program.control_code_by_tile",
		"SELECT sum(tile_sum(control_code_by_tile)) FROM program WHERE program IN (SELECT p "
		"FROM of) AND program NOT IN (SELECT parent FROM program_child)",
		offsetof(struct ts_operation_figures, control_code), TS_KNOWN_RECORDED},
	{"vertex code", "bytes", "compute_set_vertex, tile_vertex.code_bytes", NULL,
		offsetof(struct ts_operation_figures, vertex_code), TS_KNOWN_DERIVED},
	{"code", "bytes", "program.control_code_by_tile, program.code_by_tile, tile_vertex", NULL,
		offsetof(struct ts_operation_figures, code), TS_KNOWN_DERIVED},
	{"memory of its variables", "bytes", "variable.bytes, variable.context", NULL,
		offsetof(struct ts_operation_figures, bytes), TS_KNOWN_DERIVED},
	{"live bytes at its fullest liveness step", "bytes", "liveness_step.not_always_live",
		"SELECT max(not_always_live) FROM liveness_step WHERE program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, live), TS_KNOWN_RECORDED},
	{"vertices", "vertices", "compute_set_vertex.instances", NULL,
		offsetof(struct ts_operation_figures, vertices), TS_KNOWN_DERIVED},
	{"programs", "programs", "operation_program, program.context", "SELECT count(*) FROM of",
		offsetof(struct ts_operation_figures, programs), TS_KNOWN_DERIVED},
};

bool
operations_shares_words(char *out, size_t size, const struct operations_view *s, uint32_t row)
{
	const struct ts_operation_shared *x = operations_shared(s->shape, row);
	char n[TS_FMT_MAX], m[TS_FMT_MAX], others[TS_FMT_MAX];
	struct ts_operation_figures room;

	if (!x || x->programs == 0)
		return false;
	snprintf(out, size, "%s of %s, with %s%s other %s%s; cycles count in each",
		ts_fmt_count(n, x->programs),
		ts_fmt_count(m, operations_figures(s->shape, row, &room)->programs),
		x->least < x->others ? "up to " : "", ts_fmt_count(others, x->others),
		row < s->shape->ids.nodes ? "operation" : "group", x->others == 1 ? "" : "s");
	return true;
}

static void
explain_figures(const struct operations_view *s, struct ts_explain *out, const char *name,
	const struct ts_operation_figures *f, const char *with, const char *shared)
{
	for (size_t i = 0; i < TS_COUNT(figures); i++) {
		struct ts_explained *x;
		int64_t v;

		memcpy(&v, (const char *)f + figures[i].member, sizeof(v));
		if (v == TS_UNKNOWN)
			continue;
		x = ts_explain_add(out, "%s of %.90s", figures[i].what, name);
		if (strcmp(figures[i].unit, "bytes") == 0)
			ts_explain_bytes(x, v, s->base.env->options->units);
		else
			ts_explain_integer(x, v, figures[i].unit);
		ts_explain_from(x, figures[i].known, "%s", figures[i].from);
		ts_explain_formula(x, "of %" PRId64 " program%s, each once", f->programs,
			f->programs == 1 ? "" : "s");
		if (figures[i].query && with[0])
			ts_explain_query(x, "%s%s", with, figures[i].query);
		else
			ts_explain_note(x, "several relations say it together: no one query does");
		if (shared && strcmp(figures[i].unit, "cycles") == 0)
			ts_explain_note(x, "shared programs: %s", shared);
	}
}

static void
explain_share(const struct operations_view *s, struct ts_explain *out,
	const struct ts_operation_figures *f)
{
	int64_t part = operations_cycles(s->ops, f), all = operations_cycles(s->ops, &s->ops->all);

	if (part != TS_UNKNOWN && all > 0)
		ts_explain_share(out, "share of the cycles of all programs", part, all,
			"step_ipu.cycles, step.program", NULL);
}

void
operations_explain(struct ts_view *v, struct ts_explain *out)
{
	struct operations_view *s = operations_of(v);
	struct ts_operation_figures room;
	const struct ts_operation_figures *f;
	uint32_t row = operations_at(s), i;
	struct ts_strbuf name;
	char with[WITH] = "", shared[160];

	if (row == UINT32_MAX)
		return;
	if (operations_row(&s->shape->ids, row, &i) == ROW_PROGRAM) {
		program_explain(out, (const struct ts_program_cost *)s->ops->costs->cost.memory + i,
			v->env->options->units);
		return;
	}
	f = operations_figures(s->shape, row, &room);
	if (row < s->shape->ids.nodes)
		programs_query(with, s, row);
	ts_strbuf_init(&name, 400);
	operations_title(&name, s->shape, row, false);
	explain_figures(s, out, name.s ? name.s : "", f, with,
		operations_shares_words(shared, sizeof(shared), s, row) ? shared : NULL);
	ts_strbuf_fini(&name);
	explain_share(s, out, f);
}
