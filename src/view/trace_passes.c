/* SPDX-License-Identifier: MIT */
/* trace_passes - the tab with the passes of the stage that is under the cursor of Pipeline. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_pipeline_internal.h"

#include "tilescope/base/mem.h"

struct passes_tab {
	struct ts_held_list l; /* first */
	struct trace_view *t;
	uint64_t of; /* the pipeline and the stage that its rows are of */
	int stage;
	struct ts_rect body, total;
};

enum { TOTAL_NAME = 40 /* bytes of the name of a stage in the total */ };

enum { Q_PASS, Q_RUN, Q_IPU, Q_START, Q_SPAN, Q_WORK, Q_PARTS, Q_COUNT = Q_PARTS + P_COUNT };

static const struct ts_column pass_columns[Q_COUNT] = {
	{"pass", 7, 0, 0, 0, TS_FIELD_RIGHT},
	{"run", 4, 0, 0, 5, TS_FIELD_RIGHT},
	{"ipu", 4, 0, 0, 4, TS_FIELD_RIGHT},
	{"start", 16, 0, 0, 3, TS_FIELD_RIGHT},
	{"length", 13, 0, 0, 0, TS_FIELD_RIGHT},
	{"work", 13, 0, 0, 0, TS_FIELD_RIGHT},
	{"comp.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"exch.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"glob.", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"I/O", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"sync", 6, 0, 0, 3, TS_FIELD_RIGHT},
	{"idle", 6, 0, 0, 3, TS_FIELD_RIGHT},
	{"bubble", 6, 0, 0, 0, TS_FIELD_RIGHT},
};

static const struct ts_column_facts pass_facts[Q_COUNT] = {
	{"pass", NULL, TS_SUM_COUNT, false},
	{"run", NULL, TS_SUM_NONE, false},
	{"ipu", NULL, TS_SUM_NONE, false},
	{"start", "cycles", TS_SUM_NONE, false},
	{"length", "cycles", TS_SUM_COUNT, false},
	{"work", "cycles", TS_SUM_COUNT, false},
	{"compute", "cycles", TS_SUM_COUNT, false},
	{"exchange", "cycles", TS_SUM_COUNT, false},
	{"global", "cycles", TS_SUM_COUNT, false},
	{"io", "cycles", TS_SUM_COUNT, false},
	{"sync", "cycles", TS_SUM_COUNT, false},
	{"idle", "cycles", TS_SUM_COUNT, false},
	{"bubble", "cycles", TS_SUM_COUNT, false},
};

/* The stage under the cursor of the other tab, or NULL. */
static const struct ts_pipeline_stage *
shown_stage(const struct passes_tab *q, int *number)
{
	const struct stages_tab *s = pipeline_stages_of(q->t);
	int64_t row = s->pipeline ? ts_held_list_row(&s->l) : -1;

	if (row < 0 || row >= s->pipeline->stages)
		return NULL;
	*number = (int)row;
	return &s->pipeline->stage[row];
}

static const struct ts_pipeline_pass *
pass_of(const struct passes_tab *q, int64_t i)
{
	int number;
	const struct ts_pipeline_stage *stage = shown_stage(q, &number);

	if (!stage || i < 0 || i >= stage->count)
		return NULL;
	return ts_pipeline_pass_at(pipeline_stages_of(q->t)->pipeline, (size_t)(stage->first + i));
}

static int64_t
run_number(const struct passes_tab *q, const struct ts_pipeline_pass *pass)
{
	const struct ts_trace *t = q->t->trace;

	return t && pass->run >= 0 && pass->run < t->runs ? t->run[pass->run].run : TS_UNKNOWN;
}

static bool
passes_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct passes_tab *q = ctx;
	const struct ts_pipeline_pass *pass = pass_of(q, i);
	int64_t figure[Q_PARTS] = {0};

	if (!pass)
		return false;
	figure[Q_PASS] = i + 1;
	figure[Q_RUN] = run_number(q, pass);
	figure[Q_IPU] = pass->ipu;
	figure[Q_START] = pass->from;
	figure[Q_SPAN] = ts_pipeline_pass_span(pass);
	figure[Q_WORK] = ts_pipeline_work(pass->by_class);
	ts_table_value_known(out,
		column < Q_PARTS ? figure[column]
				 : pipeline_part_of((enum part)(column - Q_PARTS), pass->by_class,
					   pass->idle));
	return true;
}

static bool
passes_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct passes_tab *q = ctx;
	const struct ts_pipeline_pass *pass = pass_of(q, i);
	struct ts_table_value v = {0};

	if (!pass || !passes_value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	if (v.type != TS_VALUE_INTEGER)
		out->buf[0] = '\0';
	else if (column >= Q_PARTS)
		ts_fmt_percent(out->buf, (double)v.integer, (double)ts_pipeline_pass_span(pass));
	else if (column == Q_START)
		trace_fmt_place(q->t, out->buf, v.integer);
	else if (column == Q_SPAN || column == Q_WORK)
		trace_fmt_length(q->t, out->buf, v.integer);
	else
		ts_fmt_count(out->buf, v.integer);
	return true;
}

static const struct ts_held_table passes_table = {.id = "trace.passes",
	.column = pass_columns,
	.facts = pass_facts,
	.columns = Q_COUNT,
	.cell = passes_cell,
	.value = passes_value,
	.empty = "no passes"};

static bool
passes_open(struct ts_tab *tab)
{
	struct passes_tab *q = ts_alloc(1, sizeof(*q));

	if (!q)
		return false;
	q->t = tab->host;
	ts_held_list_init(&q->l, -1);
	tab->own = q;
	return true;
}

static void
passes_close(struct ts_tab *tab)
{
	struct passes_tab *q = tab->own;

	ts_held_list_fini(&q->l);
	free(q);
}

static void
passes_begin(struct passes_tab *q, const struct ts_tab *tab)
{
	const struct stages_tab *s = pipeline_stages_of(q->t);
	int number = -1;
	const struct ts_pipeline_stage *stage = shown_stage(q, &number);

	if (q->of != s->l.of || q->stage != number) { /* other rows */
		q->of = s->l.of;
		q->stage = number;
		q->l.of++;
	}
	q->body = tab->r;
	q->total = ts_rect_cut_bottom(&q->body, tab->r.h >= 3);
	ts_held_list_begin(&q->l, tab, &passes_table, q->body, stage ? stage->count : 0);
}

static void
passes_resize(struct ts_tab *tab)
{
	passes_begin(tab->own, tab);
}

static void
passes_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct passes_tab *q = tab->own;
	const struct stages_tab *s = pipeline_stages_of(q->t);
	int number;
	char name[64];

	if (shown_stage(q, &number))
		snprintf(out, TS_TAB_NOTE, "of stage %s",
			pipeline_stage_name(s, number, name, sizeof(name)));
}

static void
passes_request(struct ts_tab *tab)
{
	trace_tab_stages.request(pipeline_tab_of(tab->host, &trace_tab_stages));
}

static void
draw_passes_total(const struct passes_tab *q, struct ts_canvas *c)
{
	char n[TS_FMT_MAX], m[TS_FMT_MAX], w[TS_FMT_MAX], name[TOTAL_NAME], text[240];
	int number;
	const struct ts_pipeline_stage *stage = shown_stage(q, &number);
	const struct stages_tab *s = pipeline_stages_of(q->t);
	const char *wait = pipeline_wait_note(s);
	bool some = q->l.order.filtered;
	int64_t rows = some ? q->l.list.count : stage->count;
	int64_t span = some ? (int64_t)q->l.order.sum[Q_SPAN] : stage->span;
	int64_t work = some ? (int64_t)q->l.order.sum[Q_WORK] : ts_pipeline_work(stage->by_class);

	ts_canvas_fill(c, q->total, TS_ROLE_TOTAL, ' ');
	snprintf(text, sizeof(text), "%s pass%s of %s in %s, %s work%s%s%s", ts_fmt_count(n, rows),
		rows == 1 ? "" : "es", pipeline_stage_name(s, number, name, sizeof(name)),
		trace_fmt_length(q->t, m, span), ts_fmt_percent(w, (double)work, (double)span),
		some ? " (filtered)" : "", *wait ? ", " : "", wait);
	ts_canvas_field(c, q->total, 0, 0, q->total.w, TS_ROLE_TOTAL, text, strlen(text),
		TS_FIELD_CLAUSES | TS_FIELD_ELLIPSIS);
}

static void
passes_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct passes_tab *q = tab->own;
	int number;

	if (!shown_stage(q, &number)) {
		struct ts_tab stages = *pipeline_tab_of(tab->host, &trace_tab_stages);

		stages.r = tab->r;
		trace_tab_stages.draw(&stages, c, focus);
		return;
	}
	passes_begin(q, tab);
	ts_held_list_draw(&q->l, c, q->body);
	draw_passes_total(q, c);
}

/* Show a time and an IPU in the drawing: where a pass begins, with the pass in sight. */
static enum ts_effect
go_to_pass(struct trace_view *t, const struct ts_pipeline_pass *pass)
{
	int64_t length = pass->to - pass->from, margin = length / 8;

	for (int i = 0; i < t->trace->ipus; i++)
		if (t->trace->ipu[i] == pass->ipu)
			trace_go_ipu(t, i);
	ts_span_show(&t->span, ts_max_i64(pass->from - t->trace->from - margin, 0),
		pass->to - t->trace->from + margin);
	return (enum ts_effect)(
		trace_go_time(t, pass->from) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
passes_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct passes_tab *q = tab->own;
	const struct ts_pipeline_pass *pass;

	passes_begin(q, tab);
	if (call->cmd != TS_CMD_OPEN || ts_call_arg(call, 0))
		return ts_held_list_command(&q->l, tab, call);
	pass = pass_of(q, ts_held_list_row(&q->l));
	return pass && q->t->trace ? go_to_pass(q->t, pass) : TS_EFFECT_BELL;
}

static enum ts_effect
passes_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct passes_tab *q = tab->own;

	(void)x;
	passes_begin(q, tab);
	return ts_held_list_mouse(&q->l, q->body, y, wheel);
}

static struct ts_list *
passes_list(struct ts_tab *tab, bool *there)
{
	struct passes_tab *q = tab->own;
	int number;

	*there = shown_stage(q, &number) != NULL;
	return &q->l.list;
}

static void
passes_explain(struct ts_tab *tab, struct ts_explain *out)
{
	const struct passes_tab *q = tab->own;
	const struct stages_tab *s = pipeline_stages_of(q->t);
	const struct ts_pipeline_pass *pass = pass_of(q, ts_held_list_row(&q->l));
	struct ts_explained *x;

	if (!pass)
		return;
	x = ts_explain_add(out, "work of the pass from cycle %lld on IPU %lld",
		(long long)pass->from, (long long)pass->ipu);
	ts_explain_integer(x, ts_pipeline_work(pass->by_class), "cycles");
	pipeline_from_and_note(x, s);
	ts_explain_formula(x, "compute %lld + exchange %lld + global exchange %lld",
		(long long)pass->by_class[TS_CLASS_COMPUTE],
		(long long)pass->by_class[TS_CLASS_EXCHANGE],
		(long long)pass->by_class[TS_CLASS_GLOBAL_EXCHANGE]);
	x = ts_explain_add(out, "bubble of this pass");
	ts_explain_integer(x, ts_pipeline_bubble(pass->by_class, pass->idle), "cycles");
	pipeline_from_and_note(x, s);
	ts_explain_formula(x, "syncs %lld + idle %lld of %lld cycles",
		(long long)ts_pipeline_syncs(pass->by_class), (long long)pass->idle,
		(long long)ts_pipeline_pass_span(pass));
}

static bool
passes_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct passes_tab *q = tab->own;
	const struct stages_tab *s = pipeline_stages_of(q->t);
	int number;
	char name[64];

	return shown_stage(q, &number) &&
		pipeline_sheet_of(out, &q->l, "Passes of stage ",
			pipeline_stage_name(s, number, name, sizeof(name)));
}

static bool
passes_absent(const struct ts_tab *tab)
{
	return trace_tab_stages.absent(tab);
}

static const struct ts_hint passes_hints[] = {
	{TS_CMD_OPEN, "show it"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_passes = {
	.name = "passes",
	.title = "Passes",
	.brief = "Pass",
	.hints = passes_hints,
	.open = passes_open,
	.close = passes_close,
	.absent = passes_absent,
	.note = passes_note,
	.resize = passes_resize,
	.request = passes_request,
	.draw = passes_draw,
	.command = passes_command,
	.mouse = passes_mouse,
	.list = passes_list,
	.explain = passes_explain,
	.sheet = passes_sheet,
};
