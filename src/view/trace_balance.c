/* SPDX-License-Identifier: MIT */
/*
 * trace_balance - the tab with the proportions of each IPU: shares of the classes, balance, bytes moved.
 *
 * Of what: the cycles in view, the range that is marked, the run of the step under the cursor, or everything (`scope`). Shares come from the index at
 * once; so do balance and bytes when its section of them is there, else they come behind (report/proportions.h). What is hidden from
 * the drawing counts all the same.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/index_work.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/explain_work.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"

enum { ASK_TIME, ASK_WORK, ASKS };

enum {
	OF_NARROW =
		100, /* columns from which on the line of titles has room for what the figures are of */
	OF_FROM = 5, /* rows from which on a line of its own has it where that has not */
};

static const char *const scopes[TRACE_SCOPES] = {"view", "range", "run", "all"};

struct question {
	const struct ts_trace *trace; /* only compared */
	int64_t from, to;
};

struct balance_fetch {
	struct ts_fetch f;	/* first */
	struct ts_trace *trace; /* held */
	const struct ts_cache *cache;
	struct question q;
	unsigned what;
	struct ts_proportions p;
};

struct balance_tab {
	struct ts_held_list l; /* first */
	struct ts_pane_data pane;
	struct ts_fetch *sent[ASKS];
	struct question asked[ASKS];
	struct ts_proportions p[ASKS]; /* times, work */
	char scope[48];
	struct ts_rect body, of, total; /* of: where the line of titles has no room for the note */
	const struct trace_view *view;
};

/* --- figures ------------------------------------------------------------------------------------ */

enum {
	B_IPU,
	B_CLASS,
	B_IDLE = B_CLASS + TS_CLASS_COUNT,
	B_OVERLAP,
	B_COVERED,
	B_BALANCE,
	B_USED,
	B_HOST_IN,
	B_HOST_OUT,
	B_HOST_RATE,
	B_GLOBAL_IN,
	B_GLOBAL_OUT,
	B_GLOBAL_RATE,
	B_COUNT
};

#define CLASS(title, priority)                           \
	{                                                \
		title, 6, 0, 0, priority, TS_FIELD_RIGHT \
	}
#define FIGURE(title, width, priority)                       \
	{                                                    \
		title, width, 0, 0, priority, TS_FIELD_RIGHT \
	}
static const struct ts_column columns[B_COUNT] = {
	FIGURE("ipu", 4, 0),
	CLASS("comp.", 0),
	CLASS("exch.", 0),
	CLASS("glob.", 1),
	CLASS("sync", 1),
	CLASS("ext.s", 3),
	CLASS("async", 9),
	CLASS("wait", 2),
	CLASS("copy", 2),
	CLASS("end", 9),
	CLASS("ctl", 9),
	CLASS("idle", 1),
	FIGURE("overl.", 6, 4),
	FIGURE("io cov", 6, 8),
	FIGURE("bal.", 6, 1),
	FIGURE("util", 6, 1),
	FIGURE("host in", 8, 5),
	FIGURE("out", 8, 6),
	FIGURE("rate", 9, 11),
	FIGURE("glob in", 8, 5),
	FIGURE("out", 8, 7),
	FIGURE("rate", 9, 12),
};

static const struct ts_column_facts facts[B_COUNT] = {
	{"ipu", NULL, TS_SUM_NONE, false},
	{"compute", "%", TS_SUM_NONE, false},
	{"exchange", "%", TS_SUM_NONE, false},
	{"global_exchange", "%", TS_SUM_NONE, false},
	{"sync", "%", TS_SUM_NONE, false},
	{"external_sync", "%", TS_SUM_NONE, false},
	{"sync_ans", "%", TS_SUM_NONE, false},
	{"host_wait", "%", TS_SUM_NONE, false},
	{"host_copy", "%", TS_SUM_NONE, false},
	{"host_end", "%", TS_SUM_NONE, false},
	{"control", "%", TS_SUM_NONE, false},
	{"idle", "%", TS_SUM_NONE, false},
	{"overlap", "%", TS_SUM_NONE, false},
	{"io_covered", "%", TS_SUM_NONE, false},
	{"balance", "%", TS_SUM_NONE, false},
	{"utilisation", "%", TS_SUM_NONE, false},
	{"host_in", "bytes", TS_SUM_NONE, false},
	{"host_out", "bytes", TS_SUM_NONE, false},
	{"host_bandwidth", "bytes/cycle", TS_SUM_NONE, false},
	{"global_in", "bytes", TS_SUM_NONE, false},
	{"global_out", "bytes", TS_SUM_NONE, false},
	{"global_bandwidth", "bytes/cycle", TS_SUM_NONE, false},
};

/* Row i, or (TS_TABLE_TOTAL) all IPUs, of one kind of figures; NULL: not there. */
static const struct ts_proportion *
part_of(const struct balance_tab *t, int64_t i, int kind)
{
	const struct ts_proportions *p = &t->p[kind];

	if (!p->has)
		return NULL;
	return i == TS_TABLE_TOTAL ? &p->sum : i >= 0 && i < p->count ? &p->ipu[i] : NULL;
}

/* Cycles of a column of time. */
static int64_t
cycles_of(const struct ts_class_figures *f, int column)
{
	switch (column) {
	case B_IDLE:
		return f->span - f->busy;
	case B_OVERLAP:
		return f->overlap;
	case B_COVERED:
		return f->io_covered;
	default:
		return f->all[column - B_CLASS];
	}
}

/* What it is a share of. */
static int64_t
whole_of(const struct ts_class_figures *f, int column)
{
	return column == B_COVERED ? f->io : f->span;
}

/* The same figures of one range: work of another range than the times' does not count. */
static const struct ts_step_work *
work_of(const struct balance_tab *t, int64_t i)
{
	const struct ts_proportion *p = part_of(t, i, ASK_WORK);

	return p && t->p[ASK_TIME].from == t->p[ASK_WORK].from &&
			t->p[ASK_TIME].to == t->p[ASK_WORK].to
		? &p->work
		: NULL;
}

static const struct ts_traffic_sum *
traffic_of(const struct ts_step_work *w, int column)
{
	return &w->traffic[column >= B_GLOBAL_IN ? TS_TRAFFIC_GLOBAL : TS_TRAFFIC_STREAM];
}

static int64_t
bytes_of(const struct ts_step_work *w, int column)
{
	const struct ts_traffic_sum *s = traffic_of(w, column);

	return column == B_HOST_IN || column == B_GLOBAL_IN ? s->in : s->out;
}

/* Bytes a cycle in and out, below 0: not known. */
static double
rate_of(const struct ts_step_work *w, int column)
{
	const struct ts_traffic_sum *s = traffic_of(w, column);

	if (s->cycles <= 0 || (s->in == TS_UNKNOWN && s->out == TS_UNKNOWN))
		return -1;
	return (double)(ts_max_i64(s->in, 0) + ts_max_i64(s->out, 0)) / (double)s->cycles;
}

/* A share in percent; false: it is not known. */
static bool
share_of(const struct balance_tab *t, int64_t i, int column, double *part, double *whole)
{
	const struct ts_proportion *p = part_of(t, i, ASK_TIME);
	const struct ts_step_work *w = work_of(t, i);

	if (column == B_BALANCE && w) {
		*part = (double)w->all.mean;
		*whole = (double)w->all.cycles;
	} else if (column == B_USED && w && p && w->compute.steps > 0) {
		*part = (double)w->compute.mean;
		*whole = (double)p->time.span;
	} else if (p && column < B_BALANCE) {
		*part = (double)cycles_of(&p->time, column);
		*whole = (double)whole_of(&p->time, column);
	} else {
		return false;
	}
	return *whole > 0;
}

static void
say_rate(char *out, const struct balance_tab *t, double rate)
{
	double clock = trace_clock(t->view);
	char n[TS_FMT_MAX];

	if (rate < 0)
		return;
	if (clock > 0)
		snprintf(out, TS_FMT_MAX, "%s/s",
			ts_fmt_bytes_short(n, (int64_t)(rate * clock),
				t->view->view.env->options->units));
	else
		snprintf(out, TS_FMT_MAX, "%.2f B/c", rate);
}

/* Balance and bytes are asked for apart: "" while they may come. */
static const char *
unknown(const struct balance_tab *t, const struct ts_step_work *w)
{
	return w || !t->sent[ASK_WORK] ? "-" : "";
}

static bool
balance_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct balance_tab *t = ctx;
	const struct ts_proportion *p = part_of(t, i, ASK_TIME);
	const struct ts_step_work *w = work_of(t, i);
	double part, whole;

	if (!p)
		return false;
	out->s = out->buf;
	out->role = i == TS_TABLE_TOTAL ? TS_ROLE_TOTAL : TS_ROLE_TEXT;
	if (column == B_IPU) {
		if (i == TS_TABLE_TOTAL)
			out->s = "all";
		else
			ts_fmt_count(out->buf, p->ipu);
	} else if (column < B_HOST_IN) {
		out->s = share_of(t, i, column, &part, &whole)
			? ts_fmt_percent(out->buf, part, whole)
			: unknown(t, w);
	} else if (w && (column == B_HOST_RATE || column == B_GLOBAL_RATE) &&
		rate_of(w, column) >= 0) {
		say_rate(out->buf, t, rate_of(w, column));
	} else if (w && column != B_HOST_RATE && column != B_GLOBAL_RATE &&
		bytes_of(w, column) != TS_UNKNOWN) {
		ts_fmt_bytes_short(out->buf, bytes_of(w, column),
			t->view->view.env->options->units);
	} else {
		out->s = unknown(t, w);
	}
	return true;
}

static bool
balance_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct balance_tab *t = ctx;
	const struct ts_proportion *p = part_of(t, i, ASK_TIME);
	const struct ts_step_work *w = work_of(t, i);
	double part, whole;

	if (!p)
		return false;
	if (column == B_IPU) {
		if (i != TS_TABLE_TOTAL)
			ts_table_value_integer(out, p->ipu);
	} else if (column < B_HOST_IN) {
		if (share_of(t, i, column, &part, &whole))
			ts_table_value_real(out, 100 * part / whole);
	} else if (w && (column == B_HOST_RATE || column == B_GLOBAL_RATE)) {
		if (rate_of(w, column) >= 0)
			ts_table_value_real(out, rate_of(w, column));
	} else if (w) {
		ts_table_value_known(out, bytes_of(w, column));
	}
	return true;
}

static const struct ts_held_table balance_table = {.id = "trace.balance",
	.column = columns,
	.facts = facts,
	.columns = B_COUNT,
	.cell = balance_cell,
	.value = balance_value,
	.empty = "no IPU does anything"};

/* --- asking ------------------------------------------------------------------------------------- */

static enum ts_code
read_balance(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct balance_fetch *b = (struct balance_fetch *)f;

	return ts_proportions_read(&b->p, rd, b->trace, b->q.from, b->q.to, b->what, b->cache,
		&f->job.progress, err);
}

static void
fini_balance(struct ts_fetch *f)
{
	struct balance_fetch *b = (struct balance_fetch *)f;

	ts_trace_release(b->trace);
	ts_proportions_fini(&b->p);
}

/* The range that the figures are of, and what it is called. */
static void
range_of(struct balance_tab *t, const struct trace_view *v, struct question *q)
{
	const struct ts_trace *trace = v->trace;
	const struct ts_trace_row *row = trace_row(v, v->list.cursor);
	int run = v->scope == TRACE_SCOPE_RUN && row ? ts_trace_run_of(trace, row->step) : -1;

	*q = (struct question){trace, trace->from, trace->to};
	snprintf(t->scope, sizeof(t->scope), "everything");
	if (run >= 0 && trace->run[run].start != TS_UNKNOWN &&
		trace->run[run].end > trace->run[run].start) {
		q->from = trace->run[run].start;
		q->to = trace->run[run].end;
		snprintf(t->scope, sizeof(t->scope), "run %lld", (long long)trace->run[run].run);
	} else if (v->scope == TRACE_SCOPE_RANGE && v->marks.range) {
		q->from = v->marks.from;
		q->to = v->marks.to;
		snprintf(t->scope, sizeof(t->scope), "marked range");
	} else if (v->scope == TRACE_SCOPE_VIEW || v->scope == TRACE_SCOPE_RANGE) {
		q->from = trace->from + v->span.from;
		q->to = ts_min_i64(trace->from + v->span.to, trace->to);
		if (q->from > trace->from || q->to < trace->to)
			snprintf(t->scope, sizeof(t->scope), "in view");
	}
}

/* Are there sums, or has the section been left to the rows? */
static bool
work_is_indexed(const struct ts_view_env *env)
{
	size_t size;

	return ts_index_section(env->index, TS_SECTION_WORK, &size) &&
		size > 2 * sizeof(struct ts_work_head);
}

static void
ask(struct ts_tab *tab, int kind, const struct question *q)
{
	struct balance_tab *t = tab->own;
	struct trace_view *v = tab->host;
	bool indexed = kind == ASK_TIME ? trace_sections(v) & 1u << TS_SECTION_LANES
					: work_is_indexed(tab->view->env);
	struct balance_fetch *f;

	if (q->trace == t->asked[kind].trace && q->from == t->asked[kind].from &&
		q->to == t->asked[kind].to)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_balance;
	f->f.fini = fini_balance;
	f->trace = ts_trace_hold(v->trace);
	f->cache = tab->view->env->cache;
	f->q = t->asked[kind] = *q;
	f->what = kind == ASK_TIME ? TS_PROPORTIONS_TIME : TS_PROPORTIONS_WORK;
	if (kind == ASK_TIME)
		t->pane.state = t->p[ASK_TIME].has ? TS_PANE_STALE : TS_PANE_LOADING;
	t->sent[kind] = &f->f;
	ts_fetch_send(tab->view, &f->f, tab->kind + kind,
		indexed ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		kind == ASK_TIME ? "working out proportions" : "adding up bytes and balance");
}

static void
balance_request(struct ts_tab *tab)
{
	struct balance_tab *t = tab->own;
	struct trace_view *v = tab->host;
	const struct ts_report *r = tab->view->env->report;
	struct question q;

	if (!v->trace)
		return;
	if (!v->trace->has_parts) {
		t->pane = v->lanes;
		return;
	}
	range_of(t, v, &q);
	ask(tab, ASK_TIME, &q);
	if (!ts_proportions_has_balance(r) && !ts_proportions_has_bytes(r))
		return;
	tab->view->env->wanted |= ts_section_bit(TS_SECTION_WORK);
	ask(tab, ASK_WORK, &q);
}

static enum ts_effect
balance_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct balance_tab *t = tab->own;
	struct balance_fetch *answer = (struct balance_fetch *)f;
	int kind = f->job.kind - tab->kind;

	if (kind < 0 || kind >= ASKS || t->sent[kind] != f)
		return TS_EFFECT_NONE;
	t->sent[kind] = NULL;
	if (ts_fetch_in_vain(f, tab->view->env->generation))
		return TS_EFFECT_NONE; /* what is there stays; another range asks again */
	ts_proportions_fini(&t->p[kind]);
	t->p[kind] = answer->p;
	memset(&answer->p, 0, sizeof(answer->p));
	if (kind == ASK_TIME)
		ts_pane_result(&t->pane, f->code, &f->err, t->p[kind].has != 0);
	t->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- as a tab ------------------------------------------------------------------------------------ */

static bool
balance_open(struct ts_tab *tab)
{
	struct balance_tab *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return false;
	t->pane.absent = TS_ABSENT_LANES;
	t->view = tab->host;
	ts_held_list_init(&t->l, -1);
	tab->own = t;
	return true;
}

static void
balance_drop(struct ts_tab *tab)
{
	struct balance_tab *t = tab->own;

	for (int k = 0; k < ASKS; k++) {
		ts_proportions_fini(&t->p[k]);
		t->sent[k] = NULL;
		t->asked[k] = (struct question){NULL, 0, 0};
	}
	t->l.of++;
	t->pane.state = TS_PANE_EMPTY;
}

static void
balance_close(struct ts_tab *tab)
{
	balance_drop(tab);
	ts_held_list_fini(&((struct balance_tab *)tab->own)->l);
	free(tab->own);
}

static bool
balance_absent(const struct ts_tab *tab)
{
	return ((const struct balance_tab *)tab->own)->pane.state == TS_PANE_ABSENT;
}

static bool
balance_hidden(const struct ts_tab *tab)
{
	const struct ts_report *r = tab->view->env->report;

	return r && !ts_report_has(r, TS_STEP_IPU);
}

static void
begin(struct balance_tab *t, const struct ts_tab *tab)
{
	t->body = tab->r;
	t->total = ts_rect_cut_bottom(&t->body, tab->r.h >= 3);
	t->of = ts_rect_cut_bottom(&t->body, tab->r.h >= OF_FROM && tab->r.w < OF_NARROW);
	ts_held_list_begin(&t->l, tab, &balance_table, t->body, t->p[ASK_TIME].count);
}

static void
balance_resize(struct ts_tab *tab)
{
	begin(tab->own, tab);
}

/* Do the figures hold the step that the profiler inflated? */
static bool
holds_artefact(const struct trace_view *v, const struct ts_proportions *p)
{
	const struct ts_trace *t = v->trace;

	if (!t || t->honest.artefact == TS_UNKNOWN)
		return false;
	if (t->artefact_start == TS_UNKNOWN) /* somewhere */
		return p->from <= t->from && p->to >= t->to;
	return t->artefact_start < p->to && t->artefact_end > p->from;
}

/* What the figures are of: "! run 1: 505,601,917, profiler's wait in it"; `unit`: behind the number. */
static void
say_of(const struct ts_tab *tab, const char *unit, char out[TS_TAB_NOTE])
{
	const struct balance_tab *t = tab->own;
	const struct trace_view *v = tab->host;
	char n[TS_FMT_MAX], mark[] = {ts_mark_sign(TS_MARK_ARTEFACT), ' ', '\0'};

	if (!t->p[ASK_TIME].has)
		return;
	/* the sign stands first: the end of a note is cut where room is short */
	snprintf(out, TS_TAB_NOTE, "%s%s: %s%s%s%s%s",
		holds_artefact(v, &t->p[ASK_TIME]) ? mark : "", t->scope,
		trace_fmt_length(v, n, t->p[ASK_TIME].to - t->p[ASK_TIME].from),
		trace_in_time(v) ? "" : unit,
		holds_artefact(v, &t->p[ASK_TIME]) ? ", profiler's wait in it" : "",
		t->sent[ASK_WORK] ? ", bytes are being added up" : "",
		t->pane.state == TS_PANE_PARTIAL ? ", damaged" : "");
}

static void
balance_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	say_of(tab, "", out);
}

/* All IPUs together, in the columns of the table. */
static void
draw_total(struct ts_canvas *c, const struct balance_tab *t)
{
	int width[TS_TABLE_COLUMNS], x = 0;

	ts_canvas_fill(c, t->total, TS_ROLE_TOTAL, ' ');
	ts_table_layout(width, &t->l.table, t->total.w);
	for (int i = 0; i < B_COUNT; i++) {
		struct ts_table_cell cell = {.n = (size_t)-1};

		if (width[i] <= 0)
			continue;
		if (balance_cell((void *)(uintptr_t)t, TS_TABLE_TOTAL, i, &cell))
			ts_canvas_field(c, t->total, x, 0, width[i], TS_ROLE_TOTAL, cell.s,
				strlen(cell.s), TS_FIELD_RIGHT);
		x += width[i] + 1;
	}
}

static void
balance_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct balance_tab *t = tab->own;
	char note[TS_TAB_NOTE] = "";

	(void)focus;
	if (!t->p[ASK_TIME].has || !ts_pane_has(&t->pane)) {
		ts_pane_draw(c, tab->r, tab->view->env, &t->pane);
		return;
	}
	begin(t, tab);
	ts_held_list_draw(&t->l, c, t->body);
	draw_total(c, t);
	if (!ts_rect_empty(t->of)) {
		say_of(tab, " cycles", note);
		ts_canvas_field(c, t->of, 1, 0, t->of.w - 1, TS_ROLE_NOTE, note, strlen(note),
			TS_FIELD_CLAUSES | TS_FIELD_ELLIPSIS);
	}
}

bool
trace_set_scope(struct trace_view *t, const char *name)
{
	for (int i = 0; i < TRACE_SCOPES; i++)
		if (strcmp(scopes[i], name) == 0) {
			t->scope = (enum trace_scope)i;
			return true;
		}
	ts_view_say_error(t->view.env, "scope is one of view, range, run, all");
	return false;
}

const char *
trace_scope_name(const struct trace_view *t)
{
	return scopes[t->scope];
}

static enum ts_effect
balance_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct balance_tab *t = tab->own;
	struct trace_view *v = tab->host;
	const char *name = ts_call_arg(call, 0);

	begin(t, tab);
	if (call->cmd != TS_CMD_SCOPE)
		return ts_held_list_command(&t->l, tab, call);
	if (!trace_set_scope(v, name ? name : scopes[(v->scope + 1) % TRACE_SCOPES]))
		return TS_EFFECT_BELL;
	if (v->scope == TRACE_SCOPE_RANGE && !v->marks.range)
		ts_view_say(v->view.env, "no range is marked (v): proportions of what is in view");
	else
		ts_view_say(v->view.env, "proportions of: %s", trace_scope_name(v));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
balance_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct balance_tab *t = tab->own;

	(void)x;
	begin(t, tab);
	return ts_held_list_mouse(&t->l, t->body, y, wheel);
}

static struct ts_list *
balance_list(struct ts_tab *tab, bool *there)
{
	struct balance_tab *t = tab->own;

	*there = t->p[ASK_TIME].has && !t->sent[ASK_TIME];
	return &t->l.list;
}

static bool
balance_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct balance_tab *t = tab->own;

	if (!t->p[ASK_TIME].has)
		return false;
	begin(t, tab);
	snprintf(out->title, sizeof(out->title), "Proportions of each IPU, %s", t->scope);
	out->table = t->l.table;
	out->list = &t->l.list;
	out->rows = t->l.order.rows;
	return true;
}

/* --- what the figures are -------------------------------------------------------------------------- */

static void
explain_time(struct ts_explain *out, const struct trace_view *v, const struct ts_proportion *p,
	const struct ts_proportions *of, int column, const char *what)
{
	bool artefact = holds_artefact(v, of);
	struct ts_explained *x = ts_explain_add(out, "part of its cycles in which IPU %lld %s",
		(long long)p->ipu, what);
	int64_t part = cycles_of(&p->time, column), whole = whole_of(&p->time, column);
	char n[TS_FMT_MAX];

	if (whole <= 0)
		return;
	ts_explain_real(x, 100 * (double)part / (double)whole, "%");
	ts_explain_shown(x, "%s", ts_fmt_percent(n, (double)part, (double)whole));
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"step_ipu.start, end; step.type, of cycles %lld to %lld", (long long)of->from,
		(long long)of->to);
	ts_explain_formula(x, "100 x %lld / %lld", (long long)part, (long long)whole);
	ts_explain_note(x,
		"Steps of an IPU may overlap: they are intersected, not added, for which there is no "
		"query; sums of their lengths may be larger.");
	if (artefact)
		ts_explain_note(x, "step %lld is in it: %s", (long long)v->trace->honest.artefact,
			ts_mark_sentence(TS_MARK_ARTEFACT));
}

static void
balance_object(const struct ts_tab *tab, struct ts_at_cursor *out)
{
	const struct balance_tab *t = tab->own;
	int64_t row = t->p[ASK_TIME].has ? ts_held_list_row(&t->l) : -1;
	const struct ts_proportion *p = row < 0 ? NULL : part_of(t, row, ASK_TIME);

	if (p)
		out->ipu = p->ipu;
}

static void
balance_explain(struct ts_tab *tab, struct ts_explain *out)
{
	const struct balance_tab *t = tab->own;
	int64_t row = t->p[ASK_TIME].has ? ts_held_list_row(&t->l) : -1;
	const struct ts_proportion *p = part_of(t, row, ASK_TIME);
	const struct ts_step_work *w = work_of(t, row);
	const struct ts_proportions *of = &t->p[ASK_WORK];

	if (row < 0 || !p)
		return;
	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		char what[64];

		snprintf(what, sizeof(what), "runs steps of class %s",
			ts_step_class_label((enum ts_step_class)k));
		explain_time(out, t->view, p, &t->p[ASK_TIME], B_CLASS + k, what);
	}
	explain_time(out, t->view, p, &t->p[ASK_TIME], B_IDLE, "runs nothing");
	explain_time(out, t->view, p, &t->p[ASK_TIME], B_OVERLAP,
		"runs steps of several classes at once");
	if (!w)
		return;
	ts_explain_tile_balance(out, p->ipu, of->from, of->to, w);
	for (int c = B_HOST_IN; c < B_COUNT; c++)
		if (c != B_HOST_RATE && c != B_GLOBAL_RATE)
			ts_explain_traffic(out, p->ipu, of->from, of->to, w,
				c < B_GLOBAL_IN ? TS_TRAFFIC_STREAM : TS_TRAFFIC_GLOBAL,
				c == B_HOST_IN || c == B_GLOBAL_IN, tab->view->env->options->units);
}

static const struct ts_hint hints[] = {
	{TS_CMD_SCOPE, "view, range, run, all"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_balance = {
	.name = "balance",
	.title = "Balance",
	.brief = "Bal",
	.hints = hints,
	.explain = balance_explain,
	.object = balance_object,
	.open = balance_open,
	.close = balance_close,
	.drop = balance_drop,
	.hidden = balance_hidden,
	.absent = balance_absent,
	.note = balance_note,
	.resize = balance_resize,
	.request = balance_request,
	.deliver = balance_deliver,
	.draw = balance_draw,
	.command = balance_command,
	.mouse = balance_mouse,
	.list = balance_list,
	.sheet = balance_sheet,
};
