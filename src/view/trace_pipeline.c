/* SPDX-License-Identifier: MIT */
/*
 * trace_pipeline - the stages of the pipeline, a tab of the Trace view; trace_passes.c has the passes of the one under its cursor.
 *
 * Both show the same struct ts_pipeline, which is read when one of them is shown, and again when `stages` says how
 * stages are to be found. What the lines below the stages say is trace_pipeline_verdict.c.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_pipeline_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/option.h"
#include "tilescope/view/sheet.h"

struct pipeline_fetch {
	struct ts_fetch f;
	struct ts_trace *trace;
	struct ts_pattern *stages; /* or NULL */
	int64_t least_bytes;
	const struct ts_cache *cache;
	struct ts_pipeline *pipeline;
};

static enum ts_code
read_pipeline(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct pipeline_fetch *p = (struct pipeline_fetch *)f;
	struct ts_pipeline_options o = {p->stages, p->least_bytes};

	return ts_pipeline_read(&p->pipeline, rd, p->trace, &o, p->cache, &f->job.progress, err);
}

static void
fini_pipeline(struct ts_fetch *f)
{
	struct pipeline_fetch *p = (struct pipeline_fetch *)f;

	ts_pipeline_close(p->pipeline);
	ts_trace_release(p->trace);
	ts_pattern_free(p->stages);
}

struct ts_tab *
pipeline_tab_of(const struct trace_view *t, const struct ts_tab_ops *ops)
{
	for (int i = 0; i < t->tabs.count; i++)
		if (t->tabs.tab[i].ops == ops)
			return (struct ts_tab *)&t->tabs.tab[i];
	return NULL;
}

struct stages_tab *
pipeline_stages_of(const struct trace_view *t)
{
	return pipeline_tab_of(t, &trace_tab_stages)->own;
}

/* --- figures -------------------------------------------------------------------------------------- */

const char *
pipeline_stage_name(const struct stages_tab *s, int stage, char *buf, size_t size)
{
	size_t n;
	const char *name = ts_pipeline_stage_name(&n, s->pipeline, stage);

	if (name)
		snprintf(buf, size, "%.*s", (int)(n < size ? n : size - 1), name);
	else
		snprintf(buf, size, "ipu %lld", (long long)s->pipeline->stage[stage].ipu);
	return buf;
}

int64_t
pipeline_part_of(enum part part, const int64_t by_class[TS_CLASS_COUNT], int64_t idle)
{
	switch (part) {
	case P_COMPUTE:
		return by_class[TS_CLASS_COMPUTE];
	case P_EXCHANGE:
		return by_class[TS_CLASS_EXCHANGE];
	case P_GLOBAL:
		return by_class[TS_CLASS_GLOBAL_EXCHANGE];
	case P_IO:
		return ts_pipeline_io(by_class);
	case P_SYNC:
		return ts_pipeline_syncs(by_class);
	case P_IDLE:
		return idle;
	default:
		return ts_pipeline_bubble(by_class, idle);
	}
}

/* --- the stages ----------------------------------------------------------------------------------- */

enum { S_NAME, S_PASSES, S_WORK, S_FACTOR, S_MOST, S_PARTS, S_SPAN = S_PARTS + P_COUNT, S_COUNT };

static const struct ts_column stage_columns[S_COUNT] = {
	{"stage", 8, 40, 1, 0, TS_FIELD_ELLIPSIS},
	{"passes", 7, 0, 0, 2, TS_FIELD_RIGHT},
	{"work a pass", 13, 0, 0, 0, TS_FIELD_RIGHT},
	{"x mean", 6, 0, 0, 0, TS_FIELD_RIGHT},
	{"most", 13, 0, 0, 5, TS_FIELD_RIGHT},
	{"comp.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"exch.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"glob.", 6, 0, 0, 3, TS_FIELD_RIGHT},
	{"I/O", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"sync", 6, 0, 0, 3, TS_FIELD_RIGHT},
	{"idle", 6, 0, 0, 3, TS_FIELD_RIGHT},
	{"bubble", 6, 0, 0, 0, TS_FIELD_RIGHT},
	{"cycles in all", 16, 0, 0, 4, TS_FIELD_RIGHT},
};

static const struct ts_column_facts stage_facts[S_COUNT] = {
	{"stage", NULL, TS_SUM_COUNT, false},
	{"passes", "passes", TS_SUM_COUNT, false},
	{"work", "cycles", TS_SUM_NONE, false},
	{"factor", NULL, TS_SUM_NONE, false},
	{"most", "cycles", TS_SUM_NONE, false},
	{"compute", "%", TS_SUM_NONE, false},
	{"exchange", "%", TS_SUM_NONE, false},
	{"global", "%", TS_SUM_NONE, false},
	{"io", "%", TS_SUM_NONE, false},
	{"sync", "%", TS_SUM_NONE, false},
	{"idle", "%", TS_SUM_NONE, false},
	{"bubble", "%", TS_SUM_NONE, false},
	{"cycles", "cycles", TS_SUM_COUNT, false},
};

double
pipeline_factor_of(const struct ts_pipeline *p, const struct ts_pipeline_stage *s)
{
	return s->regular && p->mean_work > 0 ? ts_pipeline_mean_work(s) / p->mean_work : -1;
}

static bool
stages_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct stages_tab *s = ctx;
	const struct ts_pipeline_stage *stage;

	if (!s->pipeline || i < 0 || i >= s->pipeline->stages)
		return false;
	stage = &s->pipeline->stage[i];
	switch (column) {
	case S_NAME:
		ts_table_value_text(out,
			pipeline_stage_name(s, (int)i, out->buf, sizeof(out->buf)));
		break;
	case S_PASSES:
		ts_table_value_integer(out, stage->passes);
		break;
	case S_WORK:
		if (stage->passes > 0)
			ts_table_value_real(out, ts_pipeline_mean_work(stage));
		break;
	case S_FACTOR:
		if (pipeline_factor_of(s->pipeline, stage) >= 0)
			ts_table_value_real(out, pipeline_factor_of(s->pipeline, stage));
		break;
	case S_MOST:
		ts_table_value_integer(out, stage->most_work);
		break;
	case S_SPAN:
		ts_table_value_integer(out, stage->span);
		break;
	default:
		if (stage->span > 0)
			ts_table_value_real(out,
				100.0 *
					(double)pipeline_part_of((enum part)(column - S_PARTS),
						stage->by_class, stage->idle) /
					(double)stage->span);
	}
	return true;
}

static bool
stages_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct stages_tab *s = ctx;
	const struct ts_pipeline_stage *stage;
	double factor;

	if (!s->pipeline || i < 0 || i >= s->pipeline->stages)
		return false;
	stage = &s->pipeline->stage[i];
	factor = pipeline_factor_of(s->pipeline, stage);
	out->s = out->buf;
	out->role = i == s->pipeline->slowest && (column == S_FACTOR || column == S_NAME)
		? TS_ROLE_ACCENT
		: TS_ROLE_TEXT;
	switch (column) {
	case S_NAME:
		pipeline_stage_name(s, (int)i, out->buf, sizeof(out->buf));
		break;
	case S_PASSES:
		ts_fmt_count(out->buf, stage->passes);
		break;
	case S_WORK:
		if (stage->passes > 0)
			trace_fmt_length(s->t, out->buf,
				(int64_t)(ts_pipeline_mean_work(stage) + 0.5));
		break;
	case S_FACTOR:
		if (factor >= 0)
			snprintf(out->buf, sizeof(out->buf), "%.2f", factor);
		break;
	case S_MOST:
		trace_fmt_length(s->t, out->buf, stage->most_work);
		break;
	case S_SPAN:
		trace_fmt_length(s->t, out->buf, stage->span);
		break;
	default:
		ts_fmt_percent(out->buf,
			(double)pipeline_part_of((enum part)(column - S_PARTS), stage->by_class,
				stage->idle),
			(double)stage->span);
	}
	return true;
}

static const struct ts_held_table stages_table = {.id = "trace.stages",
	.column = stage_columns,
	.facts = stage_facts,
	.columns = S_COUNT,
	.cell = stages_cell,
	.value = stages_value,
	.empty = "no stages"};

static bool
stages_open(struct ts_tab *tab)
{
	struct stages_tab *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return false;
	s->t = tab->host;
	s->pane.absent = TS_ABSENT_LANES;
	s->least_bytes = TS_PIPELINE_BYTES;
	ts_held_list_init(&s->l, -1);
	tab->own = s;
	return true;
}

static void
stages_forget(struct stages_tab *s)
{
	ts_pipeline_close(s->pipeline);
	s->pipeline = NULL;
	s->sent = NULL;
	s->asked = false;
	s->none[0] = '\0';
	s->l.of++;
	s->pane.state = TS_PANE_EMPTY;
}

static void
stages_drop(struct ts_tab *tab)
{
	stages_forget(tab->own);
}

static void
stages_close(struct ts_tab *tab)
{
	struct stages_tab *s = tab->own;

	stages_forget(s);
	ts_held_list_fini(&s->l);
	free(s);
}

static bool
stages_absent(const struct ts_tab *tab)
{
	const struct trace_view *t = tab->host;

	return t->lanes.state == TS_PANE_ABSENT;
}

static void
stages_request(struct ts_tab *tab)
{
	struct stages_tab *s = tab->own;
	struct trace_view *t = s->t;
	struct pipeline_fetch *f;

	/* of a far report a pass more is for who asks for it: in the tab Work */
	if (s->pipeline && s->pipeline->slowest >= 0 && !t->view.env->report->files)
		pipeline_ask_costs(t, s->pipeline->slowest);
	if (!t->trace || s->asked)
		return;
	s->asked = true;
	f = ts_alloc(1, sizeof(*f));
	if (!f ||
		(s->names[0] && ts_pattern_compile(&f->stages, s->names, 0, NULL, NULL) != TS_OK)) {
		s->pane.state = TS_PANE_FAILED;
		snprintf(s->pane.reason, sizeof(s->pane.reason), "out of memory");
		free(f);
		return;
	}
	f->f.read = read_pipeline;
	f->f.fini = fini_pipeline;
	f->trace = ts_trace_hold(t->trace);
	f->least_bytes = s->least_bytes;
	f->cache = t->view.env->cache;
	s->pane.state = TS_PANE_LOADING;
	s->sent = &f->f;
	ts_fetch_send(&t->view, &f->f, tab->kind, TS_WORKER_BULK, "finding the stages");
}

static void
stages_begin(struct stages_tab *s, const struct ts_tab *tab)
{
	s->body = tab->r;
	s->total = ts_rect_cut_bottom(&s->body,
		tab->r.h >= 10		? 4
			: tab->r.h >= 8 ? 3
					: tab->r.h >= 3);
	ts_held_list_begin(&s->l, tab, &stages_table, s->body,
		s->pipeline ? s->pipeline->stages : 0);
	trace_name_columns(&s->l.table, &s->heads, s->t);
}

static enum ts_effect
stages_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct stages_tab *s = tab->own;
	struct pipeline_fetch *answer = (struct pipeline_fetch *)f;
	bool first = !s->pipeline;

	if (s->sent != f)
		return TS_EFFECT_NONE;
	s->sent = NULL;
	if (ts_fetch_in_vain(f, tab->view->env->generation)) {
		s->pane.state = TS_PANE_FAILED;
		snprintf(s->pane.reason, sizeof(s->pane.reason),
			"it was stopped; reload to try again");
		return TS_EFFECT_REPAINT;
	}
	ts_pipeline_close(s->pipeline);
	s->pipeline = answer->pipeline;
	answer->pipeline = NULL;
	s->none[0] = '\0';
	s->l.of++;
	if (f->code == TS_E_ABSENT && s->t->trace && s->t->trace->has_parts) {
		snprintf(s->none, sizeof(s->none), "%.*s", (int)sizeof(s->none) - 1, f->err.msg);
		s->pane.state = TS_PANE_READY;
	} else {
		ts_pane_result(&s->pane, f->code, &f->err, s->pipeline != NULL);
	}
	stages_begin(s,
		tab); /* the passes are of the stage under its cursor, whichever tab is shown */
	if (first && s->pipeline && s->pipeline->slowest >= 0 && s->l.list.cursor == 0)
		ts_list_jump(&s->l.list, ts_table_place(&s->l.table, s->pipeline->slowest));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static void
stages_resize(struct ts_tab *tab)
{
	stages_begin(tab->own, tab);
}

static void
stages_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct stages_tab *s = tab->own;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (s->names[0])
		snprintf(out, TS_TAB_NOTE, "stages named by %.60s", s->names);
	else if (s->pipeline)
		snprintf(out, TS_TAB_NOTE, "%s phases, ended by global exchanges over %s bytes%s",
			ts_fmt_count(n, s->pipeline->phases), ts_fmt_count(m, s->least_bytes),
			s->pipeline->bytes_known ? "" : " (not recorded: any)");
	else
		snprintf(out, TS_TAB_NOTE, "by global exchange");
}

static void
draw_none(const struct stages_tab *s, struct ts_canvas *c, struct ts_rect r)
{
	char text[2 * TRACE_NOTE + 160];

	snprintf(text, sizeof(text),
		"No pipeline was found: %s.\n`:stages REGEX` takes stages from the names of steps (its "
		"first group names the stage), `:stages BYTES` lets smaller exchanges end a phase.",
		s->none);
	ts_rect_cut_left(&r, 2);
	ts_canvas_wrap(c, r, 0, TS_ROLE_TEXT, text);
}

static void
stages_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct stages_tab *s = tab->own;

	(void)focus;
	if (s->none[0]) {
		draw_none(s, c, tab->r);
		return;
	}
	if (!ts_pane_has(&s->pane) || !s->pipeline) {
		ts_pane_draw(c, tab->r, tab->view->env, &s->pane);
		return;
	}
	stages_begin(s, tab);
	ts_held_list_draw(&s->l, c, s->body);
	pipeline_draw_verdict(s, c);
}

static enum ts_effect
open_stage(struct stages_tab *s, int stage)
{
	for (int i = 0; i < s->t->tabs.count; i++)
		if (s->t->tabs.tab[i].ops == &trace_tab_passes)
			ts_tabs_show(&s->t->tabs, i);
	trace_arrange(s->t);
	(void)stage;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
stages_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct stages_tab *s = tab->own;
	int64_t row;

	stages_begin(s, tab);
	if (call->cmd != TS_CMD_OPEN || ts_call_arg(call, 0))
		return ts_held_list_command(&s->l, tab, call);
	row = s->pipeline ? ts_held_list_row(&s->l) : -1;
	return row < 0 ? TS_EFFECT_BELL : open_stage(s, (int)row);
}

static enum ts_effect
stages_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct stages_tab *s = tab->own;

	(void)x;
	stages_begin(s, tab);
	return ts_held_list_mouse(&s->l, s->body, y, wheel);
}

static struct ts_list *
stages_list(struct ts_tab *tab, bool *there)
{
	struct stages_tab *s = tab->own;

	*there = s->pipeline != NULL;
	return &s->l.list;
}

bool
pipeline_sheet_of(struct ts_sheet *out, struct ts_held_list *l, const char *title, const char *of)
{
	if (!l->table.column)
		return false;
	snprintf(out->title, sizeof(out->title), "%s%s", title, of);
	out->table = l->table;
	out->list = &l->list;
	out->rows = l->order.rows;
	return true;
}

static bool
stages_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct stages_tab *s = tab->own;

	return s->pipeline && pipeline_sheet_of(out, &s->l, "Stages of the pipeline", "");
}

static const struct ts_hint stages_hints[] = {
	{TS_CMD_OPEN, "its passes"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_stages = {
	.name = "pipeline",
	.title = "Pipeline",
	.brief = "Pipe",
	.hints = stages_hints,
	.open = stages_open,
	.close = stages_close,
	.drop = stages_drop,
	.absent = stages_absent,
	.note = stages_note,
	.resize = stages_resize,
	.request = stages_request,
	.deliver = stages_deliver,
	.draw = stages_draw,
	.command = stages_command,
	.mouse = stages_mouse,
	.list = stages_list,
	.explain = pipeline_stages_explain,
	.sheet = stages_sheet,
};

/* --- how stages are found ------------------------------------------------------------------------- */

enum ts_effect
trace_set_stages(struct trace_view *t, const char *text)
{
	struct stages_tab *s = pipeline_stages_of(t);
	struct ts_pattern *p = NULL;
	struct ts_err err = {0};
	char *end;
	long long bytes = text ? strtoll(text, &end, 10) : 0;
	bool number = text && *text && !*end && bytes >= 0;

	if (text && !number && ts_pattern_compile(&p, text, 0, NULL, &err) != TS_OK) {
		ts_view_say_error(t->view.env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	ts_pattern_free(p);
	stages_forget(s);
	snprintf(s->names, sizeof(s->names), "%s", text && !number ? text : "");
	s->least_bytes = number ? bytes : TS_PIPELINE_BYTES;
	for (int i = 0; i < t->tabs.count; i++)
		if (t->tabs.tab[i].ops == &trace_tab_stages)
			ts_tabs_show(&t->tabs, i);
	t->focus = TRACE_TABS;
	trace_arrange(t);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

bool
trace_say_stages(const struct trace_view *t, struct ts_strbuf *out)
{
	const struct stages_tab *s = pipeline_stages_of(t);

	if (s->names[0])
		ts_strbuf_puts(out, s->names);
	else if (s->least_bytes != TS_PIPELINE_BYTES)
		ts_strbuf_printf(out, "%lld", (long long)s->least_bytes);
	return s->names[0] || s->least_bytes != TS_PIPELINE_BYTES;
}
