/* SPDX-License-Identifier: MIT */
/*
 * trace_table - the columns of the list of steps. Figures are those of the selected IPU; rows that it does
 * nothing in are dim.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum { TYPE_FROM = 51 }; /* columns of the screen from which on the type has one of its own */

static const struct ts_column columns[C_COUNT] = {
	[C_CLASS] = {"", 1, 1, 0, 0, TS_FIELD_LEFT},
	[C_STEP] = {"step", 8, 12, 1, 0, TS_FIELD_RIGHT},
	[C_RUN] = {"run", 3, 3, 0, 4, TS_FIELD_RIGHT},
	[C_TYPE] = {"type", 13, 18, 1, 1, TS_FIELD_ELLIPSIS},
	[C_NAME] = {"name", 14, 0, 8, 0, TS_FIELD_TAIL},
	[C_CYCLES] = {"cycles", 11, 16, 1, 0, TS_FIELD_RIGHT},
	[C_BALANCE] = {"bal.", 4, 4, 0, 2, TS_FIELD_RIGHT},
	[C_TILES] = {"tiles", 6, 8, 1, 3, TS_FIELD_RIGHT},
	[C_START] = {"start", 11, 16, 1, 5, TS_FIELD_RIGHT},
	[C_END] = {"end", 11, 16, 1, 6, TS_FIELD_RIGHT},
	[C_MARK] = {"", 1, 1, 0, 7, TS_FIELD_LEFT},
	[C_ACTIVE_BALANCE] = {"of active", 10, 10, 0, 7, TS_FIELD_RIGHT},
	[C_IN] = {"in", 9, 12, 0, 7, TS_FIELD_RIGHT},
	[C_IN_RATE] = {"in B/cycle", 10, 10, 0, 7, TS_FIELD_RIGHT},
	[C_OUT] = {"out", 9, 12, 0, 7, TS_FIELD_RIGHT},
	[C_OUT_RATE] = {"out B/cycle", 11, 11, 0, 7, TS_FIELD_RIGHT},
	[C_PROGRAM] = {"program", 8, 10, 0, 7, TS_FIELD_RIGHT},
	[C_SET] = {"set", 8, 10, 0, 7, TS_FIELD_RIGHT},
};

/*
 * Heads of columns whose cells trace_fmt_length() writes. Files, filters and sorts go on to call them by their facts:
 * there they are cycles.
 */
static const struct {
	const char *in_cycles, *in_time;
} heads[] = {{"cycles", "time"}, {"cycles in all", "time in all"}};

void
trace_name_columns(struct ts_table *table, struct trace_heads *to, const struct trace_view *t)
{
	if (!trace_in_time(t))
		return;
	for (int i = 0; i < table->columns; i++) {
		to->column[i] = table->column[i];
		for (size_t k = 0; k < TS_COUNT(heads); k++)
			if (strcmp(to->column[i].title, heads[k].in_cycles) == 0)
				to->column[i].title = heads[k].in_time;
	}
	table->column = to->column;
}

static void
bytes_cell(const struct trace_view *t, const struct ts_trace_row *row, int column,
	struct ts_table_cell *out)
{
	bool in = column == C_IN || column == C_IN_RATE;
	int64_t bytes = in ? row->data_in : row->data_out;

	if (bytes == TS_UNKNOWN)
		return;
	if (column == C_IN || column == C_OUT)
		out->s = ts_fmt_bytes(out->buf, bytes, t->view.env->options->units);
	else if (row->cycles > 0)
		snprintf(out->buf, sizeof(out->buf), "%.1f", (double)bytes / (double)row->cycles),
			out->s = out->buf;
}

/* The cells whose figures are the IPU's. */
static void
ipu_cell(const struct trace_view *t, const struct ts_trace_row *row, int column,
	struct ts_table_cell *out)
{
	if (row->cycles > 0)
		out->role = TS_ROLE_VALUE;
	out->s = "-";
	if (column == C_CYCLES)
		out->s = trace_fmt_length(t, out->buf, row->cycles);
	else if (column == C_START || column == C_END)
		out->s = trace_fmt_place(t, out->buf, column == C_START ? row->start : row->end);
	else if (column == C_BALANCE && row->balance >= 0 && row->cycles > 0)
		snprintf(out->buf, sizeof(out->buf), "%.0f%%", 100 * row->balance),
			out->s = out->buf;
	else if (column == C_TILES && row->active_tiles != TS_UNKNOWN)
		out->s = ts_fmt_count(out->buf, row->active_tiles);
	else if (column == C_ACTIVE_BALANCE && row->active_balance >= 0)
		snprintf(out->buf, sizeof(out->buf), "%.0f%%", 100 * row->active_balance),
			out->s = out->buf;
	else if (column >= C_IN && column <= C_OUT_RATE)
		bytes_cell(t, row, column, out);
}

static bool
cell(void *ctx, int64_t at, int column, struct ts_table_cell *out)
{
	const struct trace_view *t = ctx;
	const struct ts_trace_row *row = trace_row(t, at);
	const char *text = t->window.text;

	if (!row)
		return false;
	if (t->window.ipu == trace_ipu(t) && (!row->here || row->cycles == 0))
		out->role = TS_ROLE_DIM; /* the IPU does nothing in it */
	switch (column) {
	case C_CLASS:
		out->buf[0] = ts_step_class_letter(row->class_of);
		out->buf[1] = '\0';
		out->s = out->buf;
		out->role = (enum ts_role)(TS_ROLE_COMPUTE + (int)row->class_of);
		break;
	case C_STEP:
	case C_RUN:
		if (column == C_STEP && trace_is_marked(t, row->step))
			out->role = TS_ROLE_ACCENT;
		out->s = "-";
		if ((column == C_STEP ? row->step : row->run) != TS_UNKNOWN)
			out->s = ts_fmt_count(out->buf, column == C_STEP ? row->step : row->run);
		break;
	case C_MARK:
		out->buf[0] = ts_mark_sign(
			ts_honesty_step(&t->trace->honest, row->step, row->class_of));
		out->buf[1] = '\0';
		out->s = row->here && row->cycles > 0 ? out->buf : "";
		out->role = TS_ROLE_NOTE;
		break;
	case C_PROGRAM:
	case C_SET:
		out->s = "-";
		if ((column == C_SET ? row->compute_set : row->program) != TS_UNKNOWN)
			snprintf(out->buf, sizeof(out->buf), "%lld",
				(long long)(column == C_SET ? row->compute_set : row->program)),
				out->s = out->buf;
		break;
	case C_TYPE:
		out->s = text + row->type;
		out->n = row->type_n;
		break;
	case C_NAME: /* where there is no room for the type: that, rather than nothing */
		out->s = text + (row->name_n || t->at.table.w >= TYPE_FROM ? row->name : row->type);
		out->n = row->name_n || t->at.table.w >= TYPE_FROM ? row->name_n : row->type_n;
		break;
	default:
		if (t->window.ipu != trace_ipu(t))
			out->s = "", out->n = 0;
		else if (!row->here)
			out->s = column != C_CYCLES ? "" : row->damaged ? "damaged" : "-";
		else
			ipu_cell(t, row, column, out);
	}
	return true;
}

static enum ts_role
row_role(void *ctx, int64_t at)
{
	const struct trace_view *t = ctx;
	const struct ts_trace_row *row = trace_row(t, at);

	return row && t->has_hits && row->step != TS_UNKNOWN && ts_trace_hit(&t->hits, row->step)
		? TS_ROLE_MATCH
		: TS_ROLE_TEXT;
}

/* Those that are hidden are shown when somebody asks for them. */
static const struct ts_column_facts facts[C_COUNT] = {
	[C_CLASS] = {"class", NULL, TS_SUM_NONE, false},
	[C_CYCLES] = {"cycles", "cycles", TS_SUM_COUNT, false},
	[C_BALANCE] = {"tile_balance", NULL, TS_SUM_NONE, false},
	[C_TILES] = {"active_tiles", NULL, TS_SUM_NONE, false},
	[C_START] = {NULL, "cycles", TS_SUM_NONE, true},
	[C_END] = {NULL, "cycles", TS_SUM_NONE, true},
	[C_MARK] = {"known", NULL, TS_SUM_NONE, true},
	[C_ACTIVE_BALANCE] = {"active_tile_balance", NULL, TS_SUM_NONE, true},
	[C_IN] = {"data_in", "bytes", TS_SUM_NONE, true},
	[C_IN_RATE] = {"in_bytes_per_cycle", NULL, TS_SUM_NONE, true},
	[C_OUT] = {"data_out", "bytes", TS_SUM_NONE, true},
	[C_OUT_RATE] = {"out_bytes_per_cycle", NULL, TS_SUM_NONE, true},
	[C_PROGRAM] = {NULL, NULL, TS_SUM_NONE, true},
	[C_SET] = {"compute_set", NULL, TS_SUM_NONE, true},
};

void
trace_table(struct ts_table *table, struct trace_view *t)
{
	*table = (struct ts_table){.column = columns,
		.columns = C_COUNT,
		.cell = cell,
		.row = row_role,
		.needle = t->needle,
		.ctx = t,
		.header = true,
		.sorted = -1,
		.empty = "no steps",
		.id = "trace.steps",
		.facts = facts,
		.looks = t->view.env->looks};
	trace_name_columns(table, &t->heads, t);
}
