/* SPDX-License-Identifier: MIT */
/*
 * trace_work - the tab with what the work of the stage under the cursor of Pipeline consists of, by what is executed: which
 * operation makes it slow (report/stage_costs.h).
 *
 * The costs of a stage are read when it is looked at, here or, of the slowest one, in Pipeline, which names the largest;
 * they are kept until there are other stages. `breakdown` says whose costs: of kinds of operations (of all layers together), of
 * operations, or of compute sets and programs.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_pipeline_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/stage_costs.h"

struct work_fetch {
	struct ts_fetch f;	/* first */
	struct ts_trace *trace; /* held, as the next one */
	struct ts_pipeline *pipeline;
	const struct ts_cache *cache;
	int stage;
	uint64_t of;
	struct ts_stage_costs costs[TS_STAGE_BY_COUNT];
};

/* Of a stage: what was read, or why it was not. */
struct stage_work {
	bool asked;
	struct ts_pane_data pane;
	struct ts_stage_costs costs[TS_STAGE_BY_COUNT];
};

static const struct {
	const char *name, *head;
} kinds[TS_STAGE_BY_COUNT] = {
	[TS_STAGE_BY_KIND] = {"kinds", "kind of operation"},
	[TS_STAGE_BY_OPERATION] = {"operations", "operation"},
	[TS_STAGE_BY_EXECUTED] = {"compute-sets", "compute set or program"},
};

enum {
	W_NAME,
	W_CYCLES,
	W_SHARE,
	W_CLASS,
	W_BALANCE,
	W_LOST,
	W_MEMBERS,
	W_STEPS,
	W_FIRST,
	W_ID,
	W_COUNT
};

struct work_tab {
	struct ts_held_list l; /* first */
	struct trace_view *t;
	struct trace_heads heads;
	uint64_t of; /* the pipeline that all below is of */
	int stage;   /* whose rows are in the list */
	enum ts_stage_by by;
	struct ts_column column[W_COUNT]; /* the first one is called as `by` is */
	int stages;
	struct stage_work *kept; /* by stage */
	struct ts_fetch *sent;
	struct ts_rect body, total;
};

static const struct ts_column work_columns[W_COUNT] = {
	{"", 34, 110, 1, 0, TS_FIELD_TAIL},
	{"work a pass", 14, 0, 0, 0, TS_FIELD_RIGHT},
	{"share", 6, 0, 0, 0, TS_FIELD_RIGHT},
	{"class", 15, 0, 0, 3, TS_FIELD_ELLIPSIS},
	{"bal.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"lost a pass", 13, 0, 0, 2, TS_FIELD_RIGHT},
	{"sets", 6, 0, 0, 4, TS_FIELD_RIGHT},
	{"read", 9, 0, 0, 5, TS_FIELD_RIGHT},
	{"first step", 11, 0, 0, 6, TS_FIELD_RIGHT},
	{"id", 8, 0, 0, 7, TS_FIELD_RIGHT},
};

static const struct ts_column_facts work_facts[W_COUNT] = {
	{"executed", NULL, TS_SUM_COUNT, false},
	{"cycles", "cycles", TS_SUM_COUNT, false},
	{"percent", "%", TS_SUM_COUNT, false},
	{"class", NULL, TS_SUM_NONE, false},
	{"balance", "%", TS_SUM_NONE, false},
	{"lost", "cycles", TS_SUM_COUNT, false},
	{"members", NULL, TS_SUM_COUNT, false},
	{"steps_read", NULL, TS_SUM_COUNT, false},
	{"first_step", NULL, TS_SUM_NONE, false},
	{"id", NULL, TS_SUM_NONE, true},
};

/* --- what there is -------------------------------------------------------------------------------- */

static void
forget(struct work_tab *w)
{
	for (int i = 0; i < w->stages; i++)
		for (int by = 0; by < TS_STAGE_BY_COUNT; by++)
			ts_stage_costs_fini(&w->kept[i].costs[by]);
	free(w->kept);
	w->kept = NULL;
	w->stages = 0;
	w->sent = NULL;
}

/* Of the stages that Pipeline has now; false: none, or no memory. */
static bool
keep_up(struct work_tab *w)
{
	const struct stages_tab *s = pipeline_stages_of(w->t);

	if (w->of != s->l.of) {
		forget(w);
		w->of = s->l.of;
	}
	if (!w->kept && s->pipeline) {
		w->kept = ts_alloc((size_t)s->pipeline->stages, sizeof(*w->kept));
		w->stages = w->kept ? s->pipeline->stages : 0;
	}
	return w->kept != NULL;
}

static struct stage_work *
work_of(struct work_tab *w, int stage)
{
	return keep_up(w) && stage >= 0 && stage < w->stages ? &w->kept[stage] : NULL;
}

/* The stage under the cursor of Pipeline, or -1. */
static int
shown_stage(const struct work_tab *w)
{
	const struct stages_tab *s = pipeline_stages_of(w->t);

	return s->pipeline ? (int)ts_held_list_row(&s->l) : -1;
}

static const struct ts_stage_costs *
costs_of(struct work_tab *w, int stage, enum ts_stage_by by)
{
	const struct stage_work *k = work_of(w, stage);

	return k && ts_pane_has(&k->pane) ? &k->costs[by] : NULL;
}

const struct ts_stage_costs *
pipeline_costs_of(const struct trace_view *t, int stage)
{
	return costs_of(pipeline_tab_of(t, &trace_tab_work)->own, stage, TS_STAGE_BY_KIND);
}

const char *
pipeline_costs_absent(const struct trace_view *t, int stage)
{
	const struct stage_work *k = work_of(pipeline_tab_of(t, &trace_tab_work)->own, stage);
	enum ts_pane_state is = k ? k->pane.state : TS_PANE_FAILED;

	return is == TS_PANE_LOADING  ? "..."
		: is == TS_PANE_EMPTY ? "see the tab Work"
				      : "not known (see the tab Work)";
}

const char *
pipeline_cost_name(const struct ts_stage_costs *c, size_t i, char *buf, size_t size)
{
	const struct ts_stage_cost *cost = ts_stage_cost_at(c, i);
	size_t n;
	const char *name = ts_stage_cost_name(&n, c, i);

	if (name)
		snprintf(buf, size, "%.*s", (int)(n < size ? n : size - 1), name);
	else if (cost->compute_set != TS_UNKNOWN)
		snprintf(buf, size, "compute set %lld", (long long)cost->compute_set);
	else if (cost->program != TS_UNKNOWN)
		snprintf(buf, size, "program %lld", (long long)cost->program);
	else
		snprintf(buf, size, "steps without a name");
	return buf;
}

/* --- asking ------------------------------------------------------------------------------------------ */

static enum ts_code
read_work(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct work_fetch *w = (struct work_fetch *)f;
	const struct ts_stage_costs *all = &w->costs[TS_STAGE_BY_EXECUTED];
	enum ts_code code = ts_stage_costs_read(&w->costs[TS_STAGE_BY_EXECUTED], rd, w->trace,
		w->pipeline, w->stage, ts_stage_sample_of(rd->report), w->cache, &f->job.progress,
		err);

	for (enum ts_stage_by by = 0; !code && by < TS_STAGE_BY_EXECUTED; by++)
		code = ts_stage_costs_group(&w->costs[by], all, by, w->cache, rd->cancel, err);
	return code;
}

static void
fini_work(struct ts_fetch *f)
{
	struct work_fetch *w = (struct work_fetch *)f;

	for (int by = 0; by < TS_STAGE_BY_COUNT; by++)
		ts_stage_costs_fini(&w->costs[by]);
	ts_pipeline_close(w->pipeline);
	ts_trace_release(w->trace);
}

void
pipeline_ask_costs(struct trace_view *t, int stage)
{
	struct ts_tab *tab = pipeline_tab_of(t, &trace_tab_work);
	struct work_tab *w = tab->own;
	struct stage_work *k = work_of(w, stage);
	struct work_fetch *f;

	if (!t->trace || !k || k->asked || w->sent)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_work;
	f->f.fini = fini_work;
	f->trace = ts_trace_hold(t->trace);
	f->pipeline = ts_pipeline_hold(pipeline_stages_of(t)->pipeline);
	f->cache = t->view.env->cache;
	f->stage = stage;
	f->of = w->of;
	k->asked = true;
	k->pane.state = TS_PANE_LOADING;
	w->sent = &f->f;
	ts_fetch_send(&t->view, &f->f, tab->kind, TS_WORKER_BULK, "what the stage executes");
}

static void
work_request(struct ts_tab *tab)
{
	trace_tab_stages.request(pipeline_tab_of(tab->host, &trace_tab_stages));
	pipeline_ask_costs(tab->host, shown_stage(tab->own));
}

static enum ts_effect
work_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct work_tab *w = tab->own;
	struct work_fetch *answer = (struct work_fetch *)f;
	struct stage_work *k;

	if (w->sent != f)
		return TS_EFFECT_NONE;
	w->sent = NULL;
	k = work_of(w, answer->stage);
	if (!k || answer->of != w->of)
		return TS_EFFECT_RECALC;
	if (ts_fetch_in_vain(f, tab->view->env->generation)) {
		k->pane.state = TS_PANE_FAILED;
		snprintf(k->pane.reason, sizeof(k->pane.reason),
			"it was stopped; reload to try again");
		return TS_EFFECT_REPAINT;
	}
	memcpy(k->costs, answer->costs, sizeof(k->costs));
	memset(answer->costs, 0, sizeof(answer->costs));
	ts_pane_result(&k->pane, f->code, &f->err, !f->code);
	w->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- the table -------------------------------------------------------------------------------------- */

static const struct ts_stage_cost *
row_of(struct work_tab *w, int64_t i, const struct ts_stage_costs **costs)
{
	*costs = costs_of(w, w->stage, w->by);
	return *costs && i >= 0 && (size_t)i < (*costs)->count ? ts_stage_cost_at(*costs, (size_t)i)
							       : NULL;
}

static double
balance_of(const struct ts_stage_cost *cost)
{
	return cost->balanced > 0 ? (double)cost->mean / (double)cost->balanced : -1;
}

static int64_t
id_of(const struct ts_stage_cost *cost)
{
	return cost->compute_set != TS_UNKNOWN ? cost->compute_set : cost->program;
}

static void
known_real(struct ts_table_value *out, double v)
{
	if (v >= 0)
		ts_table_value_real(out, v);
}

static bool
work_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct ts_stage_costs *c;
	const struct ts_stage_cost *cost = row_of(ctx, i, &c);

	if (!cost)
		return false;
	switch (column) {
	case W_NAME:
		ts_table_value_text(out,
			pipeline_cost_name(c, (size_t)i, out->buf, sizeof(out->buf)));
		break;
	case W_CYCLES:
		known_real(out, ts_stage_cost_a_pass(c, (size_t)i));
		break;
	case W_SHARE:
		known_real(out, 100 * ts_stage_cost_share(c, (size_t)i));
		break;
	case W_CLASS:
		ts_table_value_text(out, ts_step_class_key(cost->class_of));
		break;
	case W_BALANCE:
		known_real(out, 100 * balance_of(cost));
		break;
	case W_LOST:
		known_real(out, ts_stage_cost_lost(c, (size_t)i));
		break;
	default:
		ts_table_value_known(out,
			column == W_STEPS	      ? cost->steps
				: column == W_MEMBERS ? cost->members
				: column == W_FIRST   ? cost->first_step
						      : id_of(cost));
	}
	return true;
}

static bool
work_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	struct work_tab *w = ctx;
	const struct ts_stage_costs *c;
	const struct ts_stage_cost *cost = row_of(w, i, &c);
	struct ts_table_value v = {0};

	if (!cost || !work_value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	out->role = column == W_CYCLES || column == W_SHARE ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->buf[0] = '\0';
	if (column == W_NAME)
		pipeline_cost_name(c, (size_t)i, out->buf, sizeof(out->buf));
	else if (column == W_CLASS)
		out->s = ts_step_class_key(cost->class_of);
	else if (v.type == TS_VALUE_REAL && (column == W_CYCLES || column == W_LOST))
		trace_fmt_length(w->t, out->buf, ts_cycles_of(v.real + 0.5));
	else if (v.type == TS_VALUE_REAL)
		ts_fmt_percent(out->buf, v.real, 100);
	else if (v.type == TS_VALUE_INTEGER && column <= W_STEPS)
		ts_fmt_count(out->buf, v.integer);
	else if (v.type == TS_VALUE_INTEGER)
		ts_fmt_number(out->buf, v.integer);
	return true;
}

static const struct ts_held_table work_table = {.id = "trace.work",
	.column = work_columns,
	.facts = work_facts,
	.columns = W_COUNT,
	.cell = work_cell,
	.value = work_value,
	.empty = "no step of this stage computes or exchanges"};

/* --- as a tab ------------------------------------------------------------------------------------ */

static bool
work_open(struct ts_tab *tab)
{
	struct work_tab *w = ts_alloc(1, sizeof(*w));

	if (!w)
		return false;
	w->t = tab->host;
	w->stage = -1;
	ts_held_list_init(&w->l, W_CYCLES);
	tab->own = w;
	return true;
}

static void
work_drop(struct ts_tab *tab)
{
	forget(tab->own);
}

static void
work_close(struct ts_tab *tab)
{
	struct work_tab *w = tab->own;

	forget(w);
	ts_held_list_fini(&w->l);
	free(w);
}

static void
work_begin(struct work_tab *w, const struct ts_tab *tab)
{
	int stage = shown_stage(w);
	const struct ts_stage_costs *c = costs_of(w, stage, w->by);
	struct ts_held_table what = work_table;

	what.column = w->column;
	if (w->stage != stage) { /* other rows */
		w->stage = stage;
		w->l.of++;
	}
	w->body = tab->r;
	w->total = ts_rect_cut_bottom(&w->body, tab->r.h >= 3);
	memcpy(w->column, work_columns, sizeof(work_columns));
	w->column[W_NAME].title = kinds[w->by].head;
	ts_held_list_begin(&w->l, tab, &what, w->body, c ? (int64_t)c->count : 0);
	trace_name_columns(&w->l.table, &w->heads, w->t);
}

static void
work_resize(struct ts_tab *tab)
{
	work_begin(tab->own, tab);
}

static void
work_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	struct work_tab *w = tab->own;
	int stage = shown_stage(w);
	const struct ts_stage_costs *c = costs_of(w, stage, w->by);
	char name[64];

	if (stage >= 0)
		snprintf(out, TS_TAB_NOTE, "of stage %s, by %s%s",
			pipeline_stage_name(pipeline_stages_of(w->t), stage, name, sizeof(name)),
			kinds[w->by].head, c && c->sampled ? ", estimated" : "");
}

static void
draw_total(const struct work_tab *w, const struct ts_stage_costs *c, struct ts_canvas *canvas)
{
	const struct ts_table_order *order = &w->l.order;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], name[64];
	struct ts_strbuf text;

	ts_strbuf_init(&text, 400);
	if (order->filtered)
		ts_strbuf_printf(&text, "%s of %s match, ", ts_fmt_count(n, w->l.list.count),
			ts_fmt_count(m, (int64_t)c->count));
	if (c->passes > 0)
		ts_strbuf_printf(&text, "a pass of %s works %s",
			pipeline_stage_name(pipeline_stages_of(w->t), w->stage, name, sizeof(name)),
			trace_fmt_length(w->t, n,
				ts_cycles_of((double)c->work / (double)c->passes + 0.5)));
	if (!trace_in_time(w->t) && c->passes > 0)
		ts_strbuf_puts(&text, " cycles");
	if (ts_stage_costs_waits(c) >= 0)
		ts_strbuf_printf(&text, ", %s of it lost while tiles wait",
			ts_fmt_percent(n, ts_stage_costs_waits(c), 1));
	if (c->sampled)
		ts_strbuf_printf(&text, ", estimated from %s places", ts_fmt_count(n, c->places));
	if (c->partial)
		ts_strbuf_puts(&text, "; damaged: what could be read");
	if (c->bad_rows > 0)
		ts_strbuf_printf(&text, "; %s row%s left out: bad numbers, or no such step",
			ts_fmt_count(n, c->bad_rows), c->bad_rows == 1 ? "" : "s");
	if (c->unseen)
		ts_strbuf_puts(&text, "; steps from long before may be missing");
	ts_canvas_fill(canvas, w->total, TS_ROLE_TOTAL, ' ');
	ts_canvas_field(canvas, w->total, 0, 0, w->total.w, TS_ROLE_TOTAL, text.s, text.len,
		TS_FIELD_CLAUSES | TS_FIELD_ELLIPSIS);
	ts_strbuf_fini(&text);
}

static void
work_draw(struct ts_tab *tab, struct ts_canvas *canvas, bool focus)
{
	struct work_tab *w = tab->own;
	const struct ts_stage_costs *c;
	struct stage_work *k;

	work_begin(w, tab);
	k = work_of(w, w->stage);
	if (!k) {
		struct ts_tab stages = *pipeline_tab_of(tab->host, &trace_tab_stages);

		stages.r = tab->r;
		trace_tab_stages.draw(&stages, canvas, focus);
		return;
	}
	c = costs_of(w, w->stage, w->by);
	if (!c) {
		ts_pane_draw(canvas, tab->r, tab->view->env, &k->pane);
		return;
	}
	ts_held_list_draw(&w->l, canvas, w->body);
	draw_total(w, c, canvas);
}

/* Enter: look for its steps; of a group, and of what has no name to look for, to the first one. */
static enum ts_effect
go_to_steps(struct work_tab *w)
{
	const struct ts_stage_costs *c;
	int64_t i = ts_held_list_row(&w->l);
	const struct ts_stage_cost *cost = row_of(w, i, &c);
	char needle[TS_TRACE_NEEDLE];
	size_t n;

	if (!cost)
		return TS_EFFECT_BELL;
	if (w->by != TS_STAGE_BY_EXECUTED || (id_of(cost) == TS_UNKNOWN && !cost->named))
		return trace_land_on_step(w->t, cost->first_step);
	if (cost->compute_set != TS_UNKNOWN)
		snprintf(needle, sizeof(needle), "set:%lld", (long long)cost->compute_set);
	else if (cost->program != TS_UNKNOWN)
		snprintf(needle, sizeof(needle), "program:%lld", (long long)cost->program);
	else if (ts_stage_cost_name(&n, c, (size_t)i) && n < sizeof(needle))
		pipeline_cost_name(c, (size_t)i, needle, sizeof(needle));
	else
		return TS_EFFECT_BELL;
	trace_search_begin(w->t, needle, 1);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* `breakdown [NAME]`: whose costs; without a name the next one. */
static enum ts_effect
break_down(struct work_tab *w, const char *name)
{
	int by = (w->by + 1) % TS_STAGE_BY_COUNT;

	for (int i = 0; name && i < TS_STAGE_BY_COUNT; i++)
		if (strcmp(name, kinds[i].name) == 0)
			by = i;
	if (name && strcmp(name, kinds[by].name) != 0) {
		ts_view_say_error(w->t->view.env,
			"breakdown of the tab Work: kinds, operations, compute-sets");
		return TS_EFFECT_BELL;
	}
	w->by = (enum ts_stage_by)by;
	w->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

enum ts_effect
trace_break_down(struct trace_view *t, const struct ts_call *call)
{
	struct ts_tab *tab = pipeline_tab_of(t, &trace_tab_work);

	return ts_tab_is_shown(tab) ? break_down(tab->own, ts_call_arg(call, 0))
				    : TS_EFFECT_UNKNOWN;
}

static enum ts_effect
work_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct work_tab *w = tab->own;

	work_begin(w, tab);
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0))
		return go_to_steps(w);
	return ts_held_list_command(&w->l, tab, call);
}

static enum ts_effect
work_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct work_tab *w = tab->own;

	(void)x;
	work_begin(w, tab);
	return ts_held_list_mouse(&w->l, w->body, y, wheel);
}

static bool
work_about(const struct ts_tab *tab, struct ts_debug_about *out)
{
	struct work_tab *w = tab->own;
	const struct ts_stage_costs *c;
	const struct ts_stage_cost *cost = row_of(w, ts_held_list_row(&w->l), &c);
	bool set = cost && cost->compute_set != TS_UNKNOWN;

	if (!cost || id_of(cost) == TS_UNKNOWN)
		return false;
	*out = (struct ts_debug_about){.relation = set ? TS_COMPUTE_SET : TS_PROGRAM,
		.key = id_of(cost),
		.what = set ? "compute set" : "program"};
	return true;
}

static void
work_object(const struct ts_tab *tab, struct ts_at_cursor *out)
{
	struct work_tab *w = tab->own;
	const struct ts_stage_costs *c;
	const struct ts_stage_cost *cost = row_of(w, ts_held_list_row(&w->l), &c);

	if (!cost)
		return;
	out->compute_set = cost->compute_set;
	out->program = cost->program;
	out->step = cost->first_step;
}

static struct ts_list *
work_list(struct ts_tab *tab, bool *there)
{
	struct work_tab *w = tab->own;

	*there = costs_of(w, shown_stage(w), w->by) != NULL;
	return &w->l.list;
}

static bool
work_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct work_tab *w = tab->own;
	char name[64];

	work_begin(w, tab);
	return costs_of(w, w->stage, w->by) &&
		pipeline_sheet_of(out, &w->l, "Work of stage ",
			pipeline_stage_name(pipeline_stages_of(w->t), w->stage, name,
				sizeof(name)));
}

static bool
work_absent(const struct ts_tab *tab)
{
	return trace_tab_stages.absent(tab);
}

/* --- what the figures are -------------------------------------------------------------------------- */

static void
explain_sample(struct ts_explained *x, const struct stages_tab *s, const struct ts_stage_costs *c)
{
	if (!c->sampled) {
		pipeline_from_and_note(x, s);
		return;
	}
	ts_explain_from(x, TS_KNOWN_ESTIMATED, "step, step_ipu: %d places of the stage's passes",
		c->places);
	ts_explain_note(x,
		"Of a long trace some places of the passes are read, %lld cycles in all; figures of the "
		"stage are shares of these times its work. No query.",
		(long long)c->cycles);
}

static void
explain_cost(const struct stages_tab *s, const struct ts_stage_costs *c, size_t i,
	struct ts_explain *out)
{
	const struct ts_stage_cost *cost = ts_stage_cost_at(c, i);
	char name[TS_EXPLAIN_TITLE / 2];
	struct ts_explained *x = ts_explain_add(out, "cycles a pass of %s",
		pipeline_cost_name(c, i, name, sizeof(name)));

	ts_explain_real(x, ts_stage_cost_a_pass(c, i), "cycles");
	explain_sample(x, s, c);
	if (c->sampled)
		ts_explain_formula(x, "%lld of %lld cycles x work %lld / %lld passes",
			(long long)cost->cycles, (long long)c->cycles, (long long)c->work,
			(long long)c->passes);
	else
		ts_explain_formula(x, "%lld cycles of %lld steps / %lld passes",
			(long long)cost->cycles, (long long)cost->steps, (long long)c->passes);
	x = ts_explain_add(out, "what of the stage's work that is");
	ts_explain_real(x, 100 * ts_stage_cost_share(c, i), "%");
	explain_sample(x, s, c);
	ts_explain_formula(x, "100 x %lld / %lld cycles of all steps that compute or exchange",
		(long long)cost->cycles, (long long)c->cycles);
	if (cost->balanced <= 0)
		return;
	x = ts_explain_add(out, "cycles a pass that even tiles would save of it");
	ts_explain_real(x, ts_stage_cost_lost(c, i), "cycles");
	explain_sample(x, s, c);
	ts_explain_formula(x,
		"(%lld cycles - %lld of the mean tile: tile_balance x cycles)%s / %lld passes",
		(long long)cost->balanced, (long long)cost->mean,
		c->sampled ? " x work / what was read" : "", (long long)c->passes);
}

static void
work_explain(struct ts_tab *tab, struct ts_explain *out)
{
	struct work_tab *w = tab->own;
	const struct ts_stage_costs *c;
	int64_t i = ts_held_list_row(&w->l);

	if (row_of(w, i, &c))
		explain_cost(pipeline_stages_of(w->t), c, (size_t)i, out);
}

static const struct ts_hint work_hints[] = {
	{TS_CMD_OPEN, "its steps"},
	{TS_CMD_BREAKDOWN, "of sets, operations"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_work = {
	.name = "work",
	.title = "Work",
	.hints = work_hints,
	.open = work_open,
	.close = work_close,
	.drop = work_drop,
	.absent = work_absent,
	.note = work_note,
	.resize = work_resize,
	.request = work_request,
	.deliver = work_deliver,
	.draw = work_draw,
	.command = work_command,
	.mouse = work_mouse,
	.about = work_about,
	.object = work_object,
	.list = work_list,
	.explain = work_explain,
	.sheet = work_sheet,
};
