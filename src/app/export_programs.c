/* SPDX-License-Identifier: MIT */
/* export_programs - every program and what it costs, as rows (report/program_costs.h). */
#include "config.h"

#include <string.h>

#include "export_internal.h"
#include "tilescope/report/names.h"
#include "tilescope/report/program_costs.h"
#include "tilescope/report/program_tree.h"

enum {
	C_PROGRAM,
	C_TYPE,
	C_CLASS,
	C_NAME,
	C_SET,
	C_REPEAT,
	C_CONTEXT,
	C_USES,
	C_CHILDREN,
	C_CONTROL,
	C_CODE,
	C_CYCLES,
	C_CYCLES_MOST,
	C_CYCLES_TILE,
	C_ESTIMATED,
	C_ESTIMATED_MOST,
	C_ESTIMATED_TILE,
	C_STEPS,
	C_EXECUTED,
	C_LIVE_STEP,
	C_LIVE,
	COLUMNS
};

static const char *const names_of[COLUMNS] = {
	[C_PROGRAM] = "program",
	[C_TYPE] = "type",
	[C_CLASS] = "class",
	[C_NAME] = "name",
	[C_SET] = "compute_set",
	[C_REPEAT] = "repeat_count",
	[C_CONTEXT] = "context",
	[C_USES] = "uses",
	[C_CHILDREN] = "children",
	[C_CONTROL] = "control_code_bytes",
	[C_CODE] = "exchange_code_bytes",
	[C_CYCLES] = "cycles_sum",
	[C_CYCLES_MOST] = "cycles_max",
	[C_CYCLES_TILE] = "cycles_max_tile",
	[C_ESTIMATED] = "estimated_cycles_sum",
	[C_ESTIMATED_MOST] = "estimated_cycles_max",
	[C_ESTIMATED_TILE] = "estimated_cycles_max_tile",
	[C_STEPS] = "steps",
	[C_EXECUTED] = "executed_cycles",
	[C_LIVE_STEP] = "live_step",
	[C_LIVE] = "live_bytes",
};

struct programs {
	struct ts_program_costs *costs;
	struct ts_program_tree *tree; /* NULL: it is not known who calls whom */
	struct ts_names names;
};

static void
fill_row(struct ts_sql_value v[COLUMNS], const struct programs *p, const struct ts_program_cost *c)
{
	uint32_t at = p->tree ? ts_program_tree_find(p->tree, c->program) : UINT32_MAX;
	const struct ts_program_node *node = at == UINT32_MAX
		? NULL
		: (const struct ts_program_node *)p->tree->node.memory + at;
	const char *key = ts_step_class_key((enum ts_step_class)c->class_of), *text;
	size_t n;

	v[C_PROGRAM] = ts_export_integer(c->program);
	text = ts_program_type(&n, p->costs, c);
	v[C_TYPE] = ts_export_text(text, n);
	v[C_CLASS] = ts_export_text(key, strlen(key));
	text = ts_names_find(&p->names, c->program, &n);
	v[C_NAME] = ts_export_text(text, n);
	v[C_SET] = ts_export_integer(c->compute_set);
	v[C_REPEAT] = ts_export_integer(c->repeat_count);
	v[C_CONTEXT] = ts_export_integer(c->context);
	v[C_USES] = ts_export_integer(node ? node->uses : p->tree ? 0 : TS_UNKNOWN);
	v[C_CHILDREN] = ts_export_integer(node ? node->edges : p->tree ? 0 : TS_UNKNOWN);
	v[C_CONTROL] = ts_export_integer(c->control_code);
	v[C_CODE] = ts_export_integer(c->exchange_code);
	v[C_CYCLES] = ts_export_integer(c->measured.sum);
	v[C_CYCLES_MOST] = ts_export_integer(c->measured.most);
	v[C_CYCLES_TILE] = ts_export_integer(c->measured.tile);
	v[C_ESTIMATED] = ts_export_integer(c->estimated.sum);
	v[C_ESTIMATED_MOST] = ts_export_integer(c->estimated.most);
	v[C_ESTIMATED_TILE] = ts_export_integer(c->estimated.tile);
	v[C_STEPS] = ts_export_integer(c->steps);
	v[C_EXECUTED] = ts_export_integer(c->executed);
	v[C_LIVE_STEP] = ts_export_integer(c->live_step);
	v[C_LIVE] = ts_export_integer(c->live);
}

/* What there is of names and of the tree; what is missing or damaged of them is unknown. */
static enum ts_code
read_programs(struct programs *p, struct ts_export *x, struct ts_err *err)
{
	struct ts_progress *progress = ts_export_progress(x);
	struct ts_err why = {0};
	enum ts_code code = ts_program_costs_read(&p->costs, x->rd, NULL, true, progress, err);

	if (code)
		return code;
	code = ts_names_read(&p->names, x->rd, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_NAME,
		&why);
	code = ts_notes_soften(&x->notes, code, "names of programs", &why, err);
	if (code)
		return code;
	code = ts_program_tree_read(&p->tree, x->rd, NULL, progress, &why);
	return ts_notes_soften(&x->notes, code, "the tree of programs", &why, err);
}

static void
say_left_out(struct ts_export *x, const struct ts_program_costs *c)
{
	ts_notes_left_out(&x->notes, "programs", c->bad_rows,
		"no number, or cycles or bytes by tile that are none");
	ts_notes_left_out(&x->notes, "steps", c->orphans, "they name a program that is not there");
	ts_notes_left_out(&x->notes, "steps", c->unnamed, "they name no program");
	ts_notes_left_out(&x->notes, "steps by IPU", c->bad_parts,
		"no such step, or a number is missing, negative or too large");
}

enum ts_code
ts_export_programs(struct ts_export *x, struct ts_err *err)
{
	struct ts_sql_value v[COLUMNS];
	struct ts_rows_out *rows = NULL;
	struct programs p = {0};
	struct ts_err end = {0};
	enum ts_code code = read_programs(&p, x, err), last;
	bool more = true;

	if (!code) {
		rows = ts_rows_out_new(x->out, x->rows, COLUMNS, names_of);
		code = rows ? TS_OK : ts_err_nomem(err);
	}
	for (size_t i = 0; !code && more && i < p.costs->count; i++) {
		fill_row(v, &p, (const struct ts_program_cost *)p.costs->cost.memory + i);
		more = ts_rows_out_row(rows, v);
	}
	last = ts_rows_out_end(rows, &end);
	if (!code && last && err)
		*err = end;
	if (p.costs)
		say_left_out(x, p.costs);
	if (!code && p.costs->partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read: figures are partial");
	ts_names_fini(&p.names);
	ts_program_tree_close(p.tree);
	ts_program_costs_close(p.costs);
	return code ? code : last;
}
