/* SPDX-License-Identifier: MIT */
/*
 * trace_rows_tab - two tabs with some steps, to be sorted and filtered: the longest ones in sight, and those that the
 * search found, from the cursor on. `open` goes to the step.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"

enum { HITS_MOST = 500 };

enum {
	R_CLASS,
	R_STEP,
	R_RUN,
	R_TYPE,
	R_NAME,
	R_CYCLES,
	R_SHARE,
	R_BALANCE,
	R_TILES,
	R_START,
	R_COUNT
};

static const struct ts_column columns[R_COUNT] = {
	[R_CLASS] = {"", 1, 1, 0, 0, TS_FIELD_LEFT},
	[R_STEP] = {"step", 10, 12, 0, 0, TS_FIELD_RIGHT},
	[R_RUN] = {"run", 3, 4, 0, 4, TS_FIELD_RIGHT},
	[R_TYPE] = {"type", 13, 16, 2, 3, TS_FIELD_ELLIPSIS},
	[R_NAME] = {"name", 12, 0, 8, 0, TS_FIELD_TAIL},
	[R_CYCLES] = {"cycles", 11, 16, 0, 0, TS_FIELD_RIGHT},
	[R_SHARE] = {"share", 6, 6, 0, 1, TS_FIELD_RIGHT},
	[R_BALANCE] = {"bal.", 5, 5, 0, 2, TS_FIELD_RIGHT},
	[R_TILES] = {"tiles", 6, 8, 0, 3, TS_FIELD_RIGHT},
	[R_START] = {"start", 13, 18, 0, 5, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[R_COUNT] = {
	[R_CLASS] = {"class", NULL, TS_SUM_NONE, false},
	[R_CYCLES] = {"cycles", "cycles", TS_SUM_COUNT, false},
	[R_SHARE] = {"percent_in_sight", "%", TS_SUM_NONE, false},
	[R_BALANCE] = {"tile_balance", NULL, TS_SUM_NONE, false},
	[R_TILES] = {"active_tiles", NULL, TS_SUM_NONE, false},
	[R_START] = {NULL, "cycles", TS_SUM_NONE, false},
};

struct rows_tab {
	struct ts_held_list l; /* first */
	struct trace_view *view;
	struct trace_heads heads;
	bool hits;
	/* of hits */
	struct ts_fetch *sent;
	uint64_t asked;
	int64_t ipu;
	bool known;
	struct ts_trace_window rows;
	struct ts_rect body, total; /* total: of the marked steps, when there are some */
};

struct rows_fetch {
	struct ts_fetch f;
	struct ts_trace *trace; /* held */
	int64_t ipu;
	int n;
	int64_t step[HITS_MOST];
	struct ts_trace_window rows;
};

static const struct ts_trace_window *
window_of(const struct rows_tab *d)
{
	return d->hits ? &d->rows : &d->view->longest.rows;
}

static const struct ts_trace_row *
row_at(const struct rows_tab *d, int64_t i)
{
	const struct ts_trace_window *w = window_of(d);

	return i >= 0 && i < w->count ? &w->row[i] : NULL;
}

/* Cycles of the step in the range that is drawn. */
static int64_t
inside(const struct rows_tab *d, const struct ts_trace_row *r)
{
	const struct trace_view *t = d->view;
	int64_t from = t->trace->from + t->span.from, to = t->trace->from + t->span.to;

	if (!d->hits) {
		from = t->longest.from;
		to = t->longest.to;
	}
	return r->here ? ts_max_i64(ts_min_i64(r->end, to) - ts_max_i64(r->start, from), 0) : 0;
}

static double
share(const struct rows_tab *d, const struct ts_trace_row *r)
{
	const struct trace_view *t = d->view;
	int64_t length = d->hits ? t->span.to - t->span.from : t->longest.to - t->longest.from;

	return length > 0 ? 100.0 * (double)inside(d, r) / (double)length : 0;
}

/* --- asking for hits ---------------------------------------------------------------------------------- */

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct rows_fetch *r = (struct rows_fetch *)f;

	return ts_trace_rows_read(&r->rows, rd, r->trace, r->ipu, r->step, r->n, err);
}

static void
fini_hits(struct ts_fetch *f)
{
	struct rows_fetch *r = (struct rows_fetch *)f;

	ts_trace_release(r->trace);
	ts_trace_window_fini(&r->rows);
}

/* Those from the cursor on, and from the begin when there are fewer. */
static void
choose_hits(struct rows_fetch *r, const struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	int64_t from = (row && row->step != TS_UNKNOWN ? row->step : t->trace->first_step) - 1,
		step;

	for (step = from; r->n < HITS_MOST;) {
		step = ts_trace_hit_next(&t->hits, step, 1);
		if (step == TS_UNKNOWN)
			break;
		r->step[r->n++] = step;
	}
	for (step = t->trace->first_step - 1; r->n < HITS_MOST;) {
		step = ts_trace_hit_next(&t->hits, step, 1);
		if (step == TS_UNKNOWN || step > from)
			break;
		r->step[r->n++] = step;
	}
}

static void
ask_hits(struct rows_tab *d, struct ts_tab *tab)
{
	struct trace_view *t = d->view;
	struct rows_fetch *r;

	if (!trace_searched(t) || (d->asked == t->search && d->ipu == trace_ipu(t)))
		return;
	r = ts_alloc(1, sizeof(*r));
	if (!r)
		return;
	d->asked = t->search;
	d->ipu = r->ipu = trace_ipu(t);
	choose_hits(r, t);
	r->f.read = read_hits;
	r->f.fini = fini_hits;
	r->trace = ts_trace_hold(t->trace);
	d->sent = &r->f;
	ts_fetch_send(tab->view, &r->f, tab->kind, TS_WORKER_BULK, "reading the steps found");
}

static void
rows_request(struct ts_tab *tab)
{
	struct rows_tab *d = tab->own;

	if (!d->view->trace)
		return;
	if (d->hits)
		ask_hits(d, tab);
	else
		trace_ask_longest(d->view);
}

static enum ts_effect
rows_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct rows_tab *d = tab->own;
	struct rows_fetch *r = (struct rows_fetch *)f;

	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, tab->view->env->generation) || (f->code && f->code != TS_E_DAMAGED))
		return TS_EFFECT_REPAINT;
	ts_trace_window_fini(&d->rows);
	d->rows = r->rows;
	r->rows = (struct ts_trace_window){0};
	d->known = true;
	d->l.of++;
	return TS_EFFECT_REPAINT;
}

/* --- the table ------------------------------------------------------------------------------------------ */

/* Of the step that the profiler inflated: with its sign before them. */
static const char *
cycles_text(const struct rows_tab *d, const struct ts_trace_row *r, char out[TS_FMT_MAX + 1])
{
	enum ts_mark m = ts_honesty_step(&d->view->trace->honest, r->step, r->class_of);
	size_t at = 0;

	if (m == TS_MARK_ARTEFACT)
		out[at++] = ts_mark_sign(m);
	trace_fmt_length(d->view, out + at, r->cycles);
	return out;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct rows_tab *d = ctx;
	const struct ts_trace_row *r = row_at(d, i);
	const char *text = window_of(d)->text;

	if (!r)
		return false;
	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case R_CLASS:
		out->buf[0] = ts_step_class_letter(r->class_of);
		out->buf[1] = '\0';
		out->role = (enum ts_role)(TS_ROLE_COMPUTE + (int)r->class_of);
		break;
	case R_STEP:
		if (trace_is_marked(d->view, r->step))
			out->role = TS_ROLE_ACCENT;
		ts_fmt_count(out->buf, r->step);
		break;
	case R_RUN:
		out->s = r->run == TS_UNKNOWN ? "-" : ts_fmt_count(out->buf, r->run);
		break;
	case R_TYPE:
	case R_NAME:
		out->s = text + (column == R_TYPE ? r->type : r->name);
		out->n = column == R_TYPE ? r->type_n : r->name_n;
		break;
	case R_CYCLES:
		out->role = TS_ROLE_VALUE;
		out->s = r->here ? cycles_text(d, r, out->buf) : "-";
		break;
	case R_SHARE:
		ts_fmt_percent(out->buf, share(d, r), 100);
		break;
	case R_BALANCE:
		if (r->balance >= 0)
			snprintf(out->buf, sizeof(out->buf), "%.0f%%", 100 * r->balance);
		else
			out->s = "-";
		break;
	case R_TILES:
		out->s = r->active_tiles == TS_UNKNOWN ? "-"
						       : ts_fmt_count(out->buf, r->active_tiles);
		break;
	default:
		if (r->here)
			trace_fmt_place(d->view, out->buf, r->start);
	}
	return true;
}

static void
value_text(struct ts_table_value *out, const char *s, size_t n)
{
	out->type = n > 0 ? TS_VALUE_TEXT : TS_VALUE_NONE;
	out->s = s;
	out->n = n;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct rows_tab *d = ctx;
	const struct ts_trace_row *r = row_at(d, i);
	const char *text = window_of(d)->text;

	if (!r)
		return false;
	switch (column) {
	case R_CLASS:
		ts_table_value_text(out, ts_step_class_key(r->class_of));
		break;
	case R_STEP:
	case R_RUN:
		ts_table_value_known(out, column == R_STEP ? r->step : r->run);
		break;
	case R_TYPE:
		value_text(out, text + r->type, r->type_n);
		break;
	case R_NAME:
		value_text(out, text + r->name, r->name_n);
		break;
	case R_SHARE:
		ts_table_value_real(out, share(d, r));
		break;
	case R_BALANCE:
		if (r->here && r->balance >= 0)
			ts_table_value_real(out, r->balance);
		break;
	default:
		if (r->here)
			ts_table_value_known(out,
				column == R_CYCLES	    ? r->cycles
					: column == R_TILES ? r->active_tiles
							    : r->start);
	}
	return true;
}

static const struct ts_held_table longest_table = {.id = "trace.longest",
	.column = columns,
	.facts = facts,
	.columns = R_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no step in sight has a length"};

static const struct ts_held_table hits_table = {.id = "trace.hits",
	.column = columns,
	.facts = facts,
	.columns = R_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no step was found"};

static void
begin(struct rows_tab *d, const struct ts_tab *tab)
{
	if (!d->hits)
		d->l.of = d->view->longest.number;
	d->body = tab->r;
	d->total = trace_cut_marked(d->view, &d->body);
	ts_held_list_begin(&d->l, tab, d->hits ? &hits_table : &longest_table, d->body,
		window_of(d)->count);
	trace_name_columns(&d->l.table, &d->heads, d->view);
}

/* Why there is no table; NULL: there is one, or it comes. */
static const char *
nothing(const struct rows_tab *d)
{
	const struct trace_view *t = d->view;

	if (!t->trace->has_parts && !d->hits)
		return "What each IPU did is not in this report: no step has a length.";
	if (d->hits && !t->needle[0])
		return "Nothing was searched for: / finds names; :executions the steps that run the same "
		       "compute set as the one under the cursor.";
	return NULL;
}

static void
rows_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct rows_tab *d = tab->own;
	const char *why = d->view->trace ? nothing(d) : NULL;

	(void)focus;
	if (!d->view->trace)
		return;
	if (why) {
		ts_canvas_wrap(c, tab->r, 0, TS_ROLE_DIM, why);
		return;
	}
	begin(d, tab);
	if (window_of(d)->count == 0 && (d->sent || (!d->hits && d->view->fetch[ASK_LONGEST])))
		ts_canvas_pending(c, tab->r, 2, 0);
	else
		ts_held_list_draw(&d->l, c, d->body);
	trace_draw_marked(d->view, c, d->total);
}

static void
rows_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct rows_tab *d = tab->own;
	const struct trace_view *t = d->view;
	char n[TS_FMT_MAX], all[TS_FMT_MAX];

	if (!t->trace)
		return;
	if (!d->hits)
		snprintf(out, TS_TAB_NOTE, "%s longest in sight, of ipu %lld",
			ts_fmt_count(n, t->longest.rows.count), (long long)t->longest.ipu);
	else if (trace_searched(t))
		snprintf(out, TS_TAB_NOTE, "%s of %s with \"%.40s\"",
			ts_fmt_count(n, d->rows.count), ts_fmt_count(all, t->hits.count),
			t->needle);
}

/* --- the tabs --------------------------------------------------------------------------------------------- */

static bool
open_rows(struct ts_tab *tab, bool hits)
{
	struct rows_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->view = tab->host;
	d->hits = hits;
	d->ipu = TS_UNKNOWN;
	ts_held_list_init(&d->l, -1);
	tab->own = d;
	return true;
}

static bool
longest_open(struct ts_tab *tab)
{
	return open_rows(tab, false);
}

static bool
hits_open(struct ts_tab *tab)
{
	return open_rows(tab, true);
}

static void
rows_drop(struct ts_tab *tab)
{
	struct rows_tab *d = tab->own;

	ts_trace_window_fini(&d->rows);
	d->sent = NULL;
	d->known = false;
	d->asked = 0;
	d->l.of++;
}

static void
rows_close(struct ts_tab *tab)
{
	rows_drop(tab);
	ts_held_list_fini(&((struct rows_tab *)tab->own)->l);
	free(tab->own);
}

static void
rows_resize(struct ts_tab *tab)
{
	struct rows_tab *d = tab->own;

	begin(d, tab);
}

static enum ts_effect
rows_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct rows_tab *d = tab->own;
	const struct ts_trace_row *row;

	begin(d, tab);
	row = row_at(d, ts_held_list_row(&d->l));
	if (call->cmd == TS_CMD_OPEN && row)
		return d->hits ? trace_land_on_step(d->view, row->step)
			       : trace_go_step(d->view, row->step);
	if (call->cmd == TS_CMD_MARK)
		return trace_mark_step(d->view, row ? row->step : TS_UNKNOWN);
	if (call->cmd == TS_CMD_SEARCH || call->cmd == TS_CMD_SEARCH_BACK ||
		call->cmd == TS_CMD_SEARCH_NEXT || call->cmd == TS_CMD_SEARCH_PREVIOUS)
		return TS_EFFECT_UNKNOWN; /* of all steps */
	return ts_held_list_command(&d->l, tab, call);
}

static enum ts_effect
rows_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct rows_tab *d = tab->own;

	(void)x;
	begin(d, tab);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
rows_about(const struct ts_tab *tab, struct ts_debug_about *out)
{
	struct rows_tab *d = tab->own;
	const struct ts_trace_row *row = row_at(d, ts_held_list_row(&d->l));

	if (!row)
		return false;
	*out = (struct ts_debug_about){.relation = TS_STEP, .key = row->step, .what = "step"};
	return true;
}

static void
rows_object(const struct ts_tab *tab, struct ts_at_cursor *out)
{
	struct rows_tab *d = tab->own;
	const struct ts_trace_row *row = row_at(d, ts_held_list_row(&d->l));

	if (row)
		trace_object_of(out, row);
}

static void
rows_explain(struct ts_tab *tab, struct ts_explain *out)
{
	struct rows_tab *d = tab->own;
	const struct ts_trace_window *w = window_of(d);
	const struct ts_trace_row *r = row_at(d, ts_held_list_row(&d->l));
	struct ts_explained *x;
	enum ts_mark m;

	if (!r || !r->here)
		return;
	m = ts_honesty_step(&d->view->trace->honest, r->step, r->class_of);
	x = ts_explain_add(out, "cycles of step %lld on ipu %lld", (long long)r->step,
		(long long)w->ipu);
	ts_explain_integer(x, r->cycles, "cycles");
	ts_explain_from(x, ts_known_of_mark(m), "step_ipu.cycles");
	ts_explain_note(x, "%s", ts_mark_sentence(m));
	ts_explain_query(x, "SELECT cycles FROM step_ipu WHERE step = %lld AND ipu = %lld",
		(long long)r->step, (long long)w->ipu);
	x = ts_explain_add(out, "cycles of it in sight");
	ts_explain_integer(x, inside(d, r), "cycles");
	ts_explain_from(x, ts_known_of_mark(m), "step_ipu.start, step_ipu.\"end\"");
	ts_explain_formula(x, "what of %lld .. %lld is drawn", (long long)r->start,
		(long long)r->end);
	ts_explain_note(x, "no query: it depends on the zoom");
}

static bool
rows_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct rows_tab *d = tab->own;

	if (!d->l.table.column)
		return false;
	snprintf(out->title, sizeof(out->title), "%s of ipu %lld",
		d->hits ? "Steps found" : "Longest steps in sight", (long long)window_of(d)->ipu);
	out->table = d->l.table;
	out->list = &d->l.list;
	out->rows = d->l.order.rows;
	return true;
}

static struct ts_list *
rows_list(struct ts_tab *tab, bool *there)
{
	struct rows_tab *d = tab->own;

	*there = d->hits ? d->known : d->view->longest.known;
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

#define ROWS_OPS                                                                           \
	.close = rows_close, .drop = rows_drop, .note = rows_note, .resize = rows_resize,  \
	.request = rows_request, .deliver = rows_deliver, .draw = rows_draw,               \
	.command = rows_command, .mouse = rows_mouse, .hints = hints, .about = rows_about, \
	.object = rows_object, .explain = rows_explain, .sheet = rows_sheet, .list = rows_list

/* Without rows by IPU no step has a length. */
static bool
longest_hidden(const struct ts_tab *tab)
{
	const struct rows_tab *d = tab->own;

	return d->view->trace && !d->view->trace->has_parts;
}

const struct ts_tab_ops trace_tab_longest = {
	.name = "longest",
	.title = "Longest",
	.brief = "Long",
	.open = longest_open,
	.hidden = longest_hidden,
	ROWS_OPS,
};

const struct ts_tab_ops trace_tab_hits = {
	.name = "hits",
	.title = "Hits",
	.open = hits_open,
	ROWS_OPS,
};
