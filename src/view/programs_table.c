/* SPDX-License-Identifier: MIT */
/*
 * programs_table - the rows of the Programs view: a way to a program, and what it costs with all that it calls.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"

enum {
	C_WHAT,
	C_NAME,
	C_USES,
	C_STEPS,
	C_CYCLES,
	C_SHARE,
	C_ONCE,
	C_CODE,
	C_CONTROL,
	C_LIVE,
	C_MEASURED,
	C_ESTIMATED,
	C_OWN_CODE,
	C_PROGRAMS,
	C_SET,
	C_PROGRAM,
	COLUMNS
};

static const struct ts_column columns[COLUMNS] = {
	[C_WHAT] = {"program", 24, 44, 3, 0, TS_FIELD_ELLIPSIS},
	[C_NAME] = {"name", 20, 0, 6, 0, TS_FIELD_TAIL},
	[C_USES] = {"used", 5, 6, 0, 3, TS_FIELD_RIGHT},
	[C_STEPS] = {"steps", 9, 11, 0, 2, TS_FIELD_RIGHT},
	[C_CYCLES] = {"cycles", 8, 8, 0, 0, TS_FIELD_RIGHT},
	[C_SHARE] = {"share", 6, 6, 0, 0, TS_FIELD_RIGHT},
	[C_ONCE] = {"each", 8, 8, 0, 4, TS_FIELD_RIGHT},
	[C_CODE] = {"exch code", 10, 10, 0, 5, TS_FIELD_RIGHT},
	[C_CONTROL] = {"control", 8, 8, 0, 6, TS_FIELD_RIGHT},
	[C_LIVE] = {"live", 8, 8, 0, 4, TS_FIELD_RIGHT},
	[C_MEASURED] = {"measured", 8, 8, 0, 7, TS_FIELD_RIGHT},
	[C_ESTIMATED] = {"estimated", 9, 9, 0, 7, TS_FIELD_RIGHT},
	[C_OWN_CODE] = {"own code", 8, 8, 0, 7, TS_FIELD_RIGHT},
	[C_PROGRAMS] = {"programs", 8, 8, 0, 7, TS_FIELD_RIGHT},
	[C_SET] = {"set", 7, 8, 0, 7, TS_FIELD_RIGHT},
	[C_PROGRAM] = {"number", 7, 8, 0, 7, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[COLUMNS] = {
	[C_WHAT] = {"type", NULL, TS_SUM_NONE, false},
	[C_NAME] = {"name", NULL, TS_SUM_NONE, false},
	[C_USES] = {"uses", NULL, TS_SUM_NONE, false},
	[C_STEPS] = {"steps", NULL, TS_SUM_NONE, false},
	[C_CYCLES] = {"cycles", "cycles", TS_SUM_NONE, false},
	[C_SHARE] = {"share", "%", TS_SUM_NONE, false},
	[C_ONCE] = {"cycles_once", "cycles", TS_SUM_NONE, false},
	[C_CODE] = {"exchange_code", "bytes", TS_SUM_NONE, false},
	[C_CONTROL] = {"control_code", "bytes", TS_SUM_NONE, false},
	[C_LIVE] = {"live", "bytes", TS_SUM_NONE, false},
	[C_MEASURED] = {"measured", "cycles", TS_SUM_NONE, false},
	[C_ESTIMATED] = {"estimated", "cycles", TS_SUM_NONE, false},
	[C_OWN_CODE] = {"own_code", "bytes", TS_SUM_NONE, true},
	[C_PROGRAMS] = {"programs", NULL, TS_SUM_NONE, true},
	[C_SET] = {"compute_set", NULL, TS_SUM_NONE, true},
	[C_PROGRAM] = {"program", NULL, TS_SUM_NONE, false},
};

void
programs_title(const struct programs_data *d, uint32_t node, struct ts_strbuf *type,
	struct ts_strbuf *name)
{
	const struct ts_program_cost *p = programs_cost(d, node);
	const char *s;
	size_t n;

	s = p ? ts_program_type(&n, d->costs, p) : NULL;
	if (s)
		ts_strbuf_add(type, s, n);
	else
		ts_strbuf_puts(type, p ? "program" : "not described");
	if (p && p->repeat_count != TS_UNKNOWN) {
		char count[TS_FMT_MAX];

		ts_strbuf_printf(type, " x%s", ts_fmt_count(count, p->repeat_count));
	}
	s = ts_names_find(&d->names, programs_node(d, node)->program, &n);
	if (s)
		ts_strbuf_add(name, s, n);
}

/* "control 3 ", "function 12 ": what a program on top is called as. */
static void
root_title(const struct programs_data *d, uint32_t node, struct ts_strbuf *out)
{
	const struct ts_program_root *root = d->tree->root.memory;
	uint32_t at = programs_root(d, node);

	if (at != UINT32_MAX)
		ts_strbuf_printf(out, "%s %lld ", root[at].function ? "function" : "control",
			(long long)root[at].position);
}

/* "  ▸ Repeat x10", indented by its depth; deep ones say how deep they are. */
static void
what_cell(struct programs_view *s, const struct ts_outline_row *row, struct ts_table_cell *out)
{
	enum { INDENT_MOST = 12 };
	const struct programs_data *d = s->data;
	bool leaf = programs_node(d, row->node)->edges == 0;
	const struct ts_program_cost *p = programs_cost(d, row->node);
	struct ts_strbuf type, name;
	char deep[16] = "";

	ts_strbuf_init(&type, sizeof(out->buf) / 2);
	ts_strbuf_init(&name, 1);
	if (row->depth == 0)
		root_title(d, row->node, &type);
	programs_title(d, row->node, &type, &name);
	if (row->depth > INDENT_MOST)
		snprintf(deep, sizeof(deep), "%u ", row->depth);
	snprintf(out->buf, sizeof(out->buf), "%*s%s%s%s%s",
		(int)ts_min_i64(row->depth, INDENT_MOST), "", deep,
		leaf		      ? "  "
			: row->circle ? "\xe2\x86\xba " /* ↺ */
			: row->open   ? "\xe2\x96\xbe " /* ▾ */
				      : "\xe2\x96\xb8 " /* ▸ */,
		type.s, row->circle ? " (again)" : "");
	if (p && leaf)
		out->role = (enum ts_role)(TS_ROLE_COMPUTE + p->class_of);
	ts_strbuf_fini(&type);
	ts_strbuf_fini(&name);
	out->s = out->buf;
}

static void
name_cell(struct programs_view *s, uint32_t node, struct ts_table_cell *out)
{
	size_t n;
	const char *name = ts_names_find(&s->data->names, programs_node(s->data, node)->program,
		&n);

	out->s = name ? name : "";
	out->n = name ? n : 0;
}

static void
count_cell(struct ts_table_cell *out, int64_t v)
{
	if (v != TS_UNKNOWN)
		out->s = ts_fmt_count(out->buf, v);
}

/* The number of a thing, as it is typed. */
static void
number_cell(struct ts_table_cell *out, int64_t v)
{
	if (v == TS_UNKNOWN)
		return;
	snprintf(out->buf, sizeof(out->buf), "%lld", (long long)v);
	out->s = out->buf;
}

static void
cycles_cell(struct ts_table_cell *out, int64_t v)
{
	if (v != TS_UNKNOWN)
		out->s = ts_fmt_cycles_short(out->buf, v);
}

static void
bytes_cell(const struct programs_view *s, struct ts_table_cell *out, int64_t v)
{
	if (v != TS_UNKNOWN)
		out->s = ts_fmt_bytes_short(out->buf, v, s->base.env->options->units);
}

/* One execution of the program itself: measured, else estimated, which is marked. */
static void
once_cell(const struct ts_program_cost *p, struct ts_table_cell *out)
{
	char text[TS_FMT_MAX];
	bool estimated = p && p->measured.most == TS_UNKNOWN;

	if (!p || (estimated && p->estimated.most == TS_UNKNOWN))
		return;
	snprintf(out->buf, sizeof(out->buf), "%s%s", estimated ? "~" : "",
		ts_fmt_cycles_short(text, estimated ? p->estimated.most : p->measured.most));
	out->s = out->buf;
	if (estimated)
		out->role = TS_ROLE_NOTE;
}

static void
sums_cell(const struct programs_view *s, int column, const struct ts_program_sums *sums,
	struct ts_table_cell *out)
{
	int64_t all = programs_figure(s, &s->data->all), own = programs_figure(s, sums);

	if (sums->programs == TS_UNKNOWN) { /* there are too many below */
		out->s = "-";
		out->role = TS_ROLE_DIM;
		return;
	}
	if (column == C_STEPS)
		count_cell(out, sums->steps);
	else if (column == C_CYCLES)
		cycles_cell(out, own);
	else if (column == C_SHARE && own != TS_UNKNOWN && all > 0)
		out->s = ts_fmt_percent(out->buf, (double)own, (double)all);
	else if (column == C_CODE)
		bytes_cell(s, out, sums->exchange_code);
	else if (column == C_CONTROL)
		bytes_cell(s, out, sums->control_code);
	else if (column == C_LIVE)
		bytes_cell(s, out, sums->live);
	else if (column == C_MEASURED)
		cycles_cell(out, sums->measured);
	else if (column == C_ESTIMATED)
		cycles_cell(out, sums->estimated);
	else if (column == C_PROGRAMS)
		count_cell(out, sums->programs);
}

/* All programs; with a filter those that answer it, alone. */
static const struct ts_program_sums *
total_of(const struct programs_view *s)
{
	return s->keep.memory ? &s->kept_sums : &s->data->all;
}

static bool
total_cell(struct programs_view *s, int column, struct ts_table_cell *out)
{
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (column == C_WHAT && s->keep.memory) {
		snprintf(out->buf, sizeof(out->buf), "%s of %s, alone",
			ts_fmt_count(n, (int64_t)s->matches),
			ts_fmt_count(m, (int64_t)s->data->costs->count));
		out->s = out->buf;
	} else if (column == C_WHAT) {
		snprintf(out->buf, sizeof(out->buf), "%s programs",
			ts_fmt_count(n, (int64_t)s->data->costs->count));
		out->s = out->buf;
	} else {
		sums_cell(s, column, total_of(s), out);
	}
	return true;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	struct programs_view *s = ctx;
	const struct ts_outline_row *row;
	const struct ts_program_cost *p;

	if (i == TS_TABLE_TOTAL)
		return total_cell(s, column, out);
	if (i < 0 || i >= (int64_t)s->outline.count)
		return false;
	row = &s->outline.row[i];
	p = programs_cost(s->data, row->node);
	if (column == C_WHAT)
		what_cell(s, row, out);
	else if (column == C_NAME)
		name_cell(s, row->node, out);
	else if (column == C_ONCE)
		once_cell(p, out);
	else if (column == C_USES) {
		uint32_t uses = programs_node(s->data, row->node)->uses;

		if (uses > 1) {
			snprintf(out->buf, sizeof(out->buf), "x%u", uses);
			out->s = out->buf;
			out->role = TS_ROLE_NOTE;
		}
	} else if (column == C_SET)
		number_cell(out, p ? p->compute_set : TS_UNKNOWN);
	else if (column == C_OWN_CODE)
		bytes_cell(s, out, p ? p->exchange_code : TS_UNKNOWN);
	else if (column == C_PROGRAM)
		number_cell(out, programs_node(s->data, row->node)->program);
	else
		sums_cell(s, column, programs_below(s->data, row->node), out);
	return true;
}

_Static_assert(C_CYCLES == (int)PROGRAMS_BY_COST, "what decides in the tree");

bool
programs_value(const struct programs_view *s, uint32_t node, int column, struct ts_table_value *out)
{
	const struct ts_program_sums *sums = total_of(s);
	const struct ts_program_cost *p = NULL;
	int64_t all = programs_figure(s, &s->data->all), own;
	const char *text;
	size_t n;

	if (node != UINT32_MAX) {
		sums = programs_below(s->data, node);
		p = programs_cost(s->data, node);
	}
	own = programs_figure(s, sums);
	switch (column) {
	case C_WHAT:
		text = p ? ts_program_type(&n, s->data->costs, p) : NULL;
		if (text)
			*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = text, .n = n};
		break;
	case C_NAME:
		text = node == UINT32_MAX
			? NULL
			: ts_names_find(&s->data->names, programs_node(s->data, node)->program, &n);
		if (text)
			*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = text, .n = n};
		break;
	case C_USES:
		ts_table_value_known(out,
			node == UINT32_MAX ? TS_UNKNOWN : programs_node(s->data, node)->uses);
		break;
	case C_ONCE:
		if (p)
			ts_table_value_known(out,
				p->measured.most == TS_UNKNOWN ? p->estimated.most
							       : p->measured.most);
		break;
	case C_SHARE:
		if (sums->programs != TS_UNKNOWN && own != TS_UNKNOWN && all > 0)
			ts_table_value_real(out, 100.0 * (double)own / (double)all);
		break;
	case C_OWN_CODE:
		ts_table_value_known(out, p ? p->exchange_code : TS_UNKNOWN);
		break;
	case C_SET:
		ts_table_value_known(out, p ? p->compute_set : TS_UNKNOWN);
		break;
	case C_PROGRAM:
		if (node != UINT32_MAX)
			ts_table_value_integer(out, programs_node(s->data, node)->program);
		break;
	default:
		if (sums->programs != TS_UNKNOWN)
			ts_table_value_known(out,
				column == C_STEPS		? sums->steps
					: column == C_CYCLES	? own
					: column == C_MEASURED	? sums->measured
					: column == C_ESTIMATED ? sums->estimated
					: column == C_CODE	? sums->exchange_code
					: column == C_CONTROL	? sums->control_code
					: column == C_LIVE	? sums->live
								: sums->programs);
	}
	return true;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	struct programs_view *s = ctx;

	return i < (int64_t)s->outline.count &&
		programs_value(s, i < 0 ? UINT32_MAX : s->outline.row[i].node, column, out);
}

/* What was found, and what has to do with the program under the cursor. */
enum ts_role
programs_row_role(void *ctx, int64_t i)
{
	struct programs_view *s = ctx;
	uint32_t at = programs_at(s), node = programs_row_node(s, i);

	if (node == UINT32_MAX)
		return TS_ROLE_TEXT;
	if (programs_is_hit(s, node))
		return TS_ROLE_MATCH;
	if (at == UINT32_MAX || i == s->outline.list.cursor)
		return TS_ROLE_TEXT;
	return node == at || programs_same(s, node) ? TS_ROLE_SELECTION : TS_ROLE_TEXT;
}

struct ts_table
programs_table(struct programs_view *s)
{
	if (s->diff)
		return programs_diff_table(s);
	return (struct ts_table){
		.column = columns,
		.columns = COLUMNS,
		.cell = cell,
		.row = programs_row_role,
		.needle = s->sought,
		.ctx = s,
		.header = true,
		.total = true,
		.focus = !s->split.in_tabs,
		.sorted = s->sort.sorted,
		.descending = s->sort.descending,
		.empty = "no programs",
		.id = "programs.tree",
		.facts = facts,
		.value = value,
		.looks = s->base.env->looks,
		.units = s->base.env->options->units,
	};
}

void
programs_row_text(const struct programs_view *s, int64_t row, struct ts_strbuf *out)
{
	struct ts_strbuf name;
	uint32_t node;

	node = programs_row_node(s, row);
	if (node == UINT32_MAX)
		return;
	ts_strbuf_init(&name, 1 << 14);
	ts_strbuf_printf(out, "%lld ", (long long)programs_node(s->data, node)->program);
	programs_title(s->data, node, out, &name);
	ts_strbuf_printf(out, "%s%s", name.len ? " " : "", name.s);
	ts_strbuf_fini(&name);
}
