/* SPDX-License-Identifier: MIT */
/* program_tabs_explain - what the figures of the tabs about a program are, and of those about several. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"

#include "program_tabs_internal.h"

/* Its share, the tiles that have it, its state. */
static void
explain_one_vertex(struct ts_explain *out, const struct details_tab *t, int64_t row)
{
	const struct ts_program_details *d = &t->details;
	const struct ts_vertex_row *v = &d->vertex[row];
	long long set = (long long)d->compute_set, type = (long long)v->vertex_type;
	char query[400];
	struct ts_explained *x;

	snprintf(query, sizeof(query),
		"SELECT 100.0 * (SELECT instances FROM compute_set_vertex WHERE compute_set = %lld AND "
		"vertex_type = %lld) / (SELECT sum(instances) FROM compute_set_vertex WHERE "
		"compute_set = %lld)",
		set, type, set);
	ts_explain_share(out, "its share of all instances", v->instances, d->instances,
		"compute_set_vertex.instances", query);
	x = ts_explain_add(out, "tiles that have it");
	ts_explain_integer(x, v->tiles, "tiles");
	ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.count_by_tile");
	if (v->tiles != TS_UNKNOWN)
		ts_explain_query(x,
			"SELECT count(*) FROM compute_set_vertex v, tiles(v.count_by_tile) t WHERE "
			"v.compute_set = %lld AND v.vertex_type = %lld AND t.value > 0",
			set, type);
	x = ts_explain_add(out, "state of one of them");
	ts_explain_bytes(x, v->state_bytes, t->t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "vertex_type.state_bytes");
	if (v->state_bytes != TS_UNKNOWN)
		ts_explain_query(x, "SELECT state_bytes FROM vertex_type WHERE vertex_type = %lld",
			type);
}

static void
explain_vertex(struct ts_explain *out, const struct details_tab *t, int64_t row)
{
	const struct ts_program_details *d = &t->details;
	struct ts_explained *x;

	if (!d->has_vertices || d->compute_set == TS_UNKNOWN)
		return;
	if (row >= 0 && row < d->vertices) {
		x = ts_explain_add(out, "instances of a vertex in compute set %lld",
			(long long)d->compute_set);
		ts_explain_integer(x, d->vertex[row].instances, "instances");
		ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.instances");
		ts_explain_query(x,
			"SELECT instances FROM compute_set_vertex WHERE compute_set = %lld AND "
			"vertex_type = %lld",
			(long long)d->compute_set, (long long)d->vertex[row].vertex_type);
		explain_one_vertex(out, t, row);
	}
	x = ts_explain_add(out, "instances of all its vertices");
	ts_explain_integer(x, d->instances, "instances");
	ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.instances");
	ts_explain_query(x,
		"SELECT coalesce(sum(instances), 0) FROM compute_set_vertex WHERE compute_set = %lld",
		(long long)d->compute_set);
}

/* Cycles of a tile, or its code. */
static void
say_tile(struct ts_explained *x, const struct details_tab *t, int kind, int64_t figure,
	const char *from)
{
	bool code = t->is == PROGRAM_CODE;

	if (code)
		ts_explain_bytes(x, figure, t->t->view->env->options->units);
	else
		ts_explain_integer(x, figure, "cycles");
	ts_explain_from(x,
		code				     ? TS_KNOWN_RECORDED
			: kind == TS_CYCLES_MEASURED ? TS_KNOWN_REPEATED
						     : TS_KNOWN_ESTIMATED,
		"%s", from);
}

/* The tile against the one with most, and how even all are: `of` is "tiles(x.COLUMN) t ... WHERE ...". */
static void
explain_spread(struct ts_explain *out, const struct details_tab *t, int kind, int64_t figure,
	const char *what, const char *of)
{
	const struct ts_tile_cycles *c = &kinds_of(t)[kind];
	char title[80], query[300];
	struct ts_explained *x;

	snprintf(title, sizeof(title), "%s: the most of a tile", what);
	x = ts_explain_add(out, "%s", title);
	say_tile(x, t, kind, c->most, c->from);
	ts_explain_query(x, "SELECT coalesce(max(t.value), 0) FROM %s", of);
	if (kind == main_kind(t)) {
		snprintf(title, sizeof(title), "%s: of the most", what);
		snprintf(query, sizeof(query), "SELECT 100.0 * %lld / max(t.value) FROM %s",
			(long long)figure, of);
		ts_explain_share(out, title, figure, c->most, c->from, query);
	}
	x = ts_explain_add(out, "%s: tiles that have some", what);
	ts_explain_integer(x, c->active, "tiles");
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", c->from);
	ts_explain_query(x, "SELECT count(*) FROM %s AND t.value > 0", of);
	if (c->active == 0 || c->most == 0)
		return;
	x = ts_explain_add(out, "%s: balance", what);
	ts_explain_real(x, 100 * (double)c->sum / (double)c->active / (double)c->most, "%");
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", c->from);
	ts_explain_formula(x, "%lld / %lld tiles / %lld", (long long)c->sum, (long long)c->active,
		(long long)c->most);
	ts_explain_note(x, "the mean of the tiles that have some, of the most of them");
	ts_explain_query(x,
		"SELECT 100.0 * sum(t.value) / count(*) / max(t.value) FROM %s AND t.value > 0",
		of);
}

static void
explain_tile(struct ts_explain *out, const struct details_tab *t, int64_t row)
{
	static const char *const said[2][TS_CYCLES_KINDS] = {{"measured cycles",
								     "estimated cycles"},
		{"exchange code", "control code"}};
	const struct ts_program_details *d = &t->details;
	bool code = t->is == PROGRAM_CODE;

	for (int k = 0; k < TS_CYCLES_KINDS; k++) {
		const struct ts_tile_cycles *c = &kinds_of(t)[k];
		bool program = c->from && c->from[0] == 'p';
		const char *column = !c->from ? "" : strchr(c->from, '.') + 1;
		const struct ts_cycle_row *at;
		struct ts_explained *x;
		char of[160];

		if (!c->known || row < 0 || row >= rows_of(t)->count)
			continue;
		at = &rows_of(t)->row[row];
		x = ts_explain_add(out, "%s of tile %lld", said[code][k], (long long)at->tile);
		say_tile(x, t, k, at->cycles[k], c->from);
		ts_explain_query(x, "SELECT tile_at(%s, %lld) FROM %s WHERE %s = %lld", column,
			(long long)at->tile, program ? "program" : "compute_set",
			program ? "program" : "compute_set",
			(long long)(program ? d->program : d->compute_set));
		snprintf(of, sizeof(of), "%s x, tiles(x.%s) t WHERE x.%s = %lld",
			program ? "program" : "compute_set", column,
			program ? "program" : "compute_set",
			(long long)(program ? d->program : d->compute_set));
		explain_spread(out, t, k, at->cycles[k], said[code][k], of);
	}
}

/* --- the same of a set of programs -------------------------------------------------------------- */

static void
explain_vertices_of(struct ts_explain *out, const struct ts_program_details *d, int64_t row,
	const char *with)
{
	static const char sum[] =
		"SELECT coalesce(sum(instances), 0) FROM compute_set_vertex WHERE "
		"compute_set IN (SELECT c FROM of)";
	struct ts_explained *x;

	if (!d->has_vertices)
		return;
	if (row >= 0 && row < d->vertices) {
		x = ts_explain_add(out, "instances of a vertex in its compute sets");
		ts_explain_integer(x, d->vertex[row].instances, "instances");
		ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.instances");
		ts_explain_query(x, "%s%s AND vertex_type = %lld", with, sum,
			(long long)d->vertex[row].vertex_type);
	}
	x = ts_explain_add(out, "instances of all its vertices");
	ts_explain_integer(x, d->instances, "instances");
	ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.instances");
	ts_explain_query(x, "%s%s", with, sum);
}

/* Cycles of each program, else of its compute set; control code of those without children. */
static void
explain_tile_of(struct ts_explain *out, const struct details_tab *t, int64_t row, const char *with)
{
	static const char *const said[2][TS_CYCLES_KINDS] =
		{{"measured cycles of one execution of each program",
			 "estimated cycles of one execution of each program"},
			{"exchange code", "control code"}};
	static const char *const from[2][TS_CYCLES_KINDS] =
		{{"program.cycles_by_tile, else compute_set.cycles_by_tile",
			 "program.estimated_cycles_by_tile, else "
			 "compute_set.estimated_cycles_by_tile"},
			{"program.code_by_tile", "program.control_code_by_tile"}};
	static const char *const query[2][TS_CYCLES_KINDS] =
		{{"coalesce(x.cycles_by_tile, (SELECT c.cycles_by_tile FROM compute_set c WHERE "
		  "c.compute_set = o.c))",
			 "coalesce(x.estimated_cycles_by_tile, (SELECT c.estimated_cycles_by_tile "
			 "FROM compute_set c WHERE c.compute_set = o.c))"},
			{"x.code_by_tile", "x.control_code_by_tile"}};
	bool code = t->is == PROGRAM_CODE,
	     sets = ts_report_has(t->t->view->env->report, TS_COMPUTE_SET);

	for (int k = 0; k < TS_CYCLES_KINDS; k++) {
		const struct ts_cycle_row *at;
		struct ts_explained *x;

		if (!kinds_of(t)[k].known || row < 0 || row >= rows_of(t)->count)
			continue;
		at = &rows_of(t)->row[row];
		x = ts_explain_add(out, "%s on tile %lld", said[code][k], (long long)at->tile);
		say_tile(x, t, k, at->cycles[k], from[code][k]);
		ts_explain_formula(x, "added up over its programs, each once");
		if (!code && !sets)
			ts_explain_note(x, "no query: compute_set is not recorded");
		else
			ts_explain_query(x,
				"%sSELECT sum(coalesce(tile_at(%s, %lld), 0)) FROM of o JOIN program x "
				"ON x.program = o.p%s",
				with, query[code][k], (long long)at->tile,
				code && k == TS_CODE_CONTROL ? " WHERE x." TS_EXPLAIN_LEAF : "");
	}
}

static void
explain_set(struct ts_tab *t, struct ts_explain *out)
{
	const struct details_tab *d = t->own;
	char with[TS_EXPLAIN_QUERY];

	if (!d->known || !d->of->query || !d->of->query(t, with, sizeof(with)))
		return;
	if (d->is == PROGRAM_VERTICES)
		explain_vertices_of(out, &d->details, ts_held_list_row(&d->l), with);
	else
		explain_tile_of(out, d, ts_held_list_row(&d->l), with);
}

void
program_tab_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct details_tab *d = t->own;

	if (d->of->read)
		explain_set(t, out);
	else if (d->known && d->is == PROGRAM_VERTICES)
		explain_vertex(out, d, ts_held_list_row(&d->l));
	else if (d->known)
		explain_tile(out, d, ts_held_list_row(&d->l));
}
