/* SPDX-License-Identifier: MIT */
/*
 * trace_data - what the Trace view asks of the report, and how one of its two cursors follows the other.
 *
 * A question of each kind is under way at most once; the newest replaces an older one. It is not
 * asked again before something in it has changed, so that neither a failure nor a cancel repeats
 * itself.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

/* --- in the worker ---------------------------------------------------------------------------- */

static enum ts_code
read_open(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;
	enum ts_code code = ts_trace_open_again(&t->opened, rd, t->trace, &f->job.progress, err);

	if (code == TS_E_ABSENT && ts_report_has(rd->report, TS_BLOCK))
		code = ts_trace_open_empty(&t->opened, rd, err); /* lightweight profiling alone */
	if (t->opened && t->opened->numbered && t->ref_at != TS_UNKNOWN)
		t->found = ts_steps_row(&t->row, &t->opened->steps, rd, t->ref_at, NULL) == TS_OK;
	return code;
}

static enum ts_code
read_window(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	return ts_trace_window_read(&t->window, rd, t->trace, t->q.ipu, t->row, t->q.at, t->before,
		t->after, err);
}

static enum ts_code
read_chart(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	return ts_trace_chart_read(&t->chart, rd, t->trace, t->q.from, t->q.to, t->q.columns,
		t->ipus, t->q.lanes, &f->job.progress, err);
}

/* The IPU to look at the step on: the chosen one, unless it does nothing in it. */
static enum ts_code
read_ipu(struct trace_fetch *t, struct ts_reader *rd, struct ts_err *err)
{
	int64_t ipu;
	enum ts_code code = ts_trace_step_ipu(&ipu, rd, t->trace, t->step, t->q.ipu, err);

	if (ipu != TS_UNKNOWN)
		t->ipu = ipu;
	return code == TS_E_DAMAGED ? TS_OK : code; /* what could be read decides */
}

static enum ts_code
read_locate(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;
	enum ts_code code = TS_OK;

	t->step = t->q.at;
	t->ipu = t->q.ipu;
	t->found = t->follow != FOLLOW_TIME;
	if (!t->found)
		code = ts_trace_step_at(&t->step, &t->found, rd, t->trace, t->q.ipu, t->q.at, err);
	if (!code && t->found)
		code = ts_trace_find_step(&t->row, &t->row_at, &t->found, rd, t->trace, t->step,
			err);
	if (!code && t->found && t->follow == FOLLOW_WORK)
		code = read_ipu(t, rd, err);
	/* its rows come along; when they cannot be had, asking for them alone says why */
	if (!code && t->found && t->before > 0 &&
		ts_trace_window_read(&t->window, rd, t->trace, t->ipu, t->row, t->row_at, t->before,
			t->after, NULL))
		ts_trace_window_fini(&t->window);
	return code;
}

static enum ts_code
read_search(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	int64_t program = ts_trace_needle_program(t->needle);
	enum ts_code code = TS_OK;

	if (t->slices <= 1)
		return ts_trace_search(&t->hits, rd, t->trace, t->needle, &f->job.progress, err);
	if (program != TS_UNKNOWN && !t->called)
		code = ts_program_called_read(&t->called, rd, program, t->cache, &f->job.progress,
			err);
	return code ? code
		    : ts_trace_search_part(&t->hits, rd, t->trace, t->needle, t->called, t->from,
			      t->to, &f->job.progress, err);
}

static enum ts_code
read_cost(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	return ts_trace_cost_read(&t->cost, rd, t->trace, &t->hits, t->q.ipu, t->q.columns,
		&f->job.progress, err);
}

static void
fini(struct ts_fetch *f)
{
	struct trace_fetch *t = (struct trace_fetch *)f;

	ts_trace_release(t->trace);
	ts_trace_release(t->opened);
	ts_trace_window_fini(&t->window);
	ts_trace_chart_fini(&t->chart);
	ts_trace_hits_fini(&t->hits);
	ts_program_called_close(t->called);
	free(t->ipus);
	free(t->longest);
}

/* --- asking ----------------------------------------------------------------------------------- */

static const struct {
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	enum ts_worker_id worker;
	const char *what;
} kinds[ASK_COUNT] = {
	[ASK_OPEN] = {read_open, TS_WORKER_SCREEN, "looking at the trace"},
	[ASK_WINDOW] = {read_window, TS_WORKER_SCREEN, "reading steps"},
	[ASK_CHART] = {read_chart, TS_WORKER_SCREEN, "reading lanes"},
	[ASK_OVERVIEW] = {read_chart, TS_WORKER_SCREEN, "reading the overview"},
	[ASK_LOCATE] = {read_locate, TS_WORKER_SCREEN, "looking for a step"},
	[ASK_SEARCH] = {read_search, TS_WORKER_BULK, "searching steps"},
	[ASK_SEARCH_BESIDE] = {read_search, TS_WORKER_BULK, "searching steps beside"},
	[ASK_COST] = {read_cost, TS_WORKER_BULK, "adding up hits"},
	[ASK_JUMP] = {trace_read_jump, TS_WORKER_BULK, "looking along the lane"},
	[ASK_MARKED] = {trace_read_marked, TS_WORKER_BULK, "adding up marked steps"},
	[ASK_LONGEST] = {trace_read_longest, TS_WORKER_BULK, "looking for the longest steps"},
	[ASK_FIRST] = {trace_read_first, TS_WORKER_SCREEN, "looking for the longest step"},
};

static bool
same(const struct trace_question *a, const struct trace_question *b)
{
	return a->asked == b->asked && a->from == b->from && a->to == b->to && a->ipu == b->ipu &&
		a->at == b->at && a->columns == b->columns && a->lanes == b->lanes &&
		a->lane_top == b->lane_top && a->search == b->search;
}

/* A fetch for a question that was not asked last; NULL when it was. */
struct trace_fetch *
trace_begin(struct trace_view *t, enum trace_kind kind, struct trace_question q)
{
	struct trace_fetch *f;

	q.asked = true;
	if (same(&q, &t->asked[kind]))
		return NULL;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return NULL;
	t->asked[kind] = q;
	f->q = q;
	f->fetch.read = kinds[kind].read;
	f->fetch.fini = fini;
	if (t->trace)
		f->trace = ts_trace_hold(t->trace);
	return f;
}

void
trace_send(struct trace_view *t, enum trace_kind kind, struct trace_fetch *f)
{
	enum ts_worker_id worker = kinds[kind].worker;

	bool by_index = kind == ASK_CHART || kind == ASK_OVERVIEW || kind == ASK_JUMP;

	/* what can only be read forwards is read whole: not by the worker that the screen waits for */
	if ((t->trace && t->trace->forwards) ||
		(!t->trace && !t->view.env->report->binding[TS_STEP].reach.has_rowid))
		worker = TS_WORKER_BULK;
	if (by_index && trace_sections(t) & 1u << TS_SECTION_LANES)
		worker = TS_WORKER_SCREEN;
	if (kind == ASK_OPEN && (t->trace || f->ahead)) /* nothing waits for it */
		worker = TS_WORKER_BULK;
	t->fetch[kind] = &f->fetch;
	ts_fetch_send(&t->view, &f->fetch, (int)kind, worker, kinds[kind].what);
}

int64_t
trace_ipu(const struct trace_view *t)
{
	return t->trace && t->ipu < t->trace->ipus ? t->trace->ipu[t->ipu] : TS_UNKNOWN;
}

const struct ts_trace_row *
trace_row(const struct trace_view *t, int64_t row)
{
	if (row < t->window.first_row || row - t->window.first_row >= t->window.count)
		return NULL;
	return &t->window.row[row - t->window.first_row];
}

/*
 * Where rows have numbers a window is read from the computed address of its first row. Where they
 * have none, from the row of the old window that is nearest, else from the address that was found.
 */
static void
anchor(const struct trace_view *t, struct trace_fetch *f, int64_t from, int64_t to)
{
	const struct ts_trace_window *w = &t->window;
	int64_t row = from, at = ts_trace_row_at(t->trace, from);

	if (t->trace->gaps && t->row_at != TS_UNKNOWN) {
		row = t->list.cursor;
		at = t->row_at;
	} else if (t->trace->gaps && w->count > 0 && from < w->first_row + w->count &&
		to > w->first_row) {
		row = ts_max_i64(from, w->first_row);
		at = w->row[row - w->first_row].at;
	}
	f->row = row;
	f->q.at = at;
	f->before = (int)(row - from);
	f->after = (int)(to - row);
}

/* It may be ours that waits there, behind questions that go through whole tables. */
static bool
waits_in_bulk(const struct trace_view *t)
{
	struct ts_job_info info;

	ts_jobs_info(t->view.env->jobs, TS_WORKER_BULK, &info);
	return !t->trace && info.waiting > 0;
}

/* The first time, and again when the index can say more. */
static void
ask_open(struct trace_view *t, bool ahead)
{
	unsigned sections = trace_sections(t);
	struct trace_fetch *f;

	if (t->trace && (sections & ~t->sections) == 0)
		return;
	if (!ahead && t->ahead && t->fetch[ASK_OPEN] && waits_in_bulk(t))
		t->asked[ASK_OPEN].asked = false; /* it was asked ahead, and now somebody waits */
	f = trace_begin(t, ASK_OPEN,
		(struct trace_question){.at = t->trace ? (int64_t)sections : 0});
	if (!f)
		return;
	f->sections = sections;
	f->ahead = t->ahead = ahead;
	f->ref_at = trace_ref_row(t);
	if (!t->trace)
		t->data.state = TS_PANE_LOADING;
	trace_send(t, ASK_OPEN, f);
}

static void
ask_window(struct trace_view *t)
{
	int64_t ipu = trace_ipu(t), from, to;
	bool right = t->window.ipu == ipu && t->window.count > 0;
	const struct trace_question *q = &t->asked[ASK_WINDOW];
	struct trace_fetch *f;

	ts_window_want(&t->view, TS_WINDOW_TRACE, &t->list, (uint64_t)ipu,
		right ? t->window.first_row : 0, right ? t->window.first_row + t->window.count : 0);
	if (ts_list_enough(&t->list, right ? t->window.first_row : 0,
		    right ? t->window.first_row + t->window.count : 0, &from, &to) ||
		from >= to)
		return;
	if (t->steps.state == TS_PANE_FAILED && !t->fetch[ASK_WINDOW] && q->from == from &&
		q->to == to && q->ipu == ipu)
		return; /* it would fail again */
	if (t->fetch[ASK_WINDOW]) {
		int64_t ignore_from, ignore_to;

		if (q->ipu == ipu &&
			ts_list_enough(&t->list, q->from, q->to, &ignore_from, &ignore_to))
			return;
	}
	f = trace_begin(t, ASK_WINDOW, (struct trace_question){.from = from, .to = to, .ipu = ipu});
	if (!f)
		return;
	anchor(t, f, from, to);
	trace_send(t, ASK_WINDOW, f);
}

static bool
ask_lanes(struct trace_view *t, enum trace_kind kind, struct trace_question q, const int *lane)
{
	struct trace_fetch *f = trace_begin(t, kind, q);

	if (!f)
		return false;
	f->ipus = ts_alloc((size_t)q.lanes, sizeof(*f->ipus));
	for (int i = 0; f->ipus && i < q.lanes; i++)
		f->ipus[i] = t->trace->ipu[lane[i]];
	if (!f->ipus)
		f->q.lanes = 0;
	trace_send(t, kind, f);
	return true;
}

/* A number for a choice of lanes: others may have been chosen for the same places. */
static int64_t
which_lanes(const int *lane, int n)
{
	uint64_t hash = 1;

	for (int i = 0; i < n; i++)
		hash = hash * 0x100000001b3 + (uint64_t)lane[i];
	return (int64_t)(hash >> 1);
}

void
trace_ask_chart(struct trace_view *t)
{
	int lane[TS_TRACE_LANES], n = 0;
	struct trace_question q = {.from = t->trace->from + t->span.from,
		.to = t->trace->from + t->span.to,
		.columns = t->span.columns,
		.lane_top = t->lane_top};

	if (!t->trace->has_parts || t->at.lanes.h <= 0 || q.columns <= 0)
		return;
	while (n < t->at.lane_count && n < TS_TRACE_LANES && t->lane_top + n < t->lane.count) {
		lane[n] = t->lane.shown[t->lane_top + n];
		n++;
	}
	q.at = which_lanes(lane, n);
	q.lanes = n;
	if (ask_lanes(t, ASK_CHART, q, lane))
		t->lanes.state = t->chart.columns > 0 ? TS_PANE_STALE : TS_PANE_LOADING;
}

/* The overview is of at most four IPUs, evenly chosen. */
enum { OVERVIEW_MOST = 4 };

static struct trace_question
overview_question(const struct trace_view *t, int lane[OVERVIEW_MOST])
{
	struct trace_question q = {.from = t->trace->from,
		.to = t->trace->to,
		.columns = t->at.strip.w,
		.lanes = t->trace->ipus < OVERVIEW_MOST ? t->trace->ipus : OVERVIEW_MOST,
		.asked = true};

	for (int i = 0; i < q.lanes; i++)
		lane[i] = (int)((int64_t)i * t->trace->ipus / q.lanes);
	q.at = which_lanes(lane, q.lanes);
	return q;
}

/* Are the lanes of the whole run, which come first, just what the overview shows? */
static bool
lanes_are_overview(const struct trace_view *t, const struct trace_question *lanes)
{
	int lane[OVERVIEW_MOST];
	struct trace_question q = overview_question(t, lane);

	return t->trace->ipus <= OVERVIEW_MOST && same(&q, lanes);
}

void
trace_share_lanes(struct trace_view *t, const struct trace_fetch *f)
{
	struct ts_trace_chart copy;

	if (!lanes_are_overview(t, &f->q) || ts_trace_chart_copy(&copy, &t->chart, NULL))
		return;
	ts_trace_chart_fini(&t->overview);
	t->overview = copy;
	t->asked[ASK_OVERVIEW] = f->q;
	t->fetch[ASK_OVERVIEW] = NULL;
}

static void
ask_overview(struct trace_view *t)
{
	int lane[OVERVIEW_MOST];
	struct trace_question q = overview_question(t, lane);

	if (!t->trace->has_parts || t->at.strip.h <= 0 || q.columns <= 0 ||
		(t->fetch[ASK_CHART] && lanes_are_overview(t, &t->asked[ASK_CHART])))
		return;
	ask_lanes(t, ASK_OVERVIEW, q, lane);
}

static void
ask_slice(struct trace_view *t, int slice)
{
	enum trace_kind kind = slice % 2 ? ASK_SEARCH_BESIDE : ASK_SEARCH;
	struct trace_fetch *f;

	if (t->fetch[kind] && t->asked[kind].search == t->search)
		return;
	f = trace_begin(t, kind, (struct trace_question){.search = t->search, .at = slice});
	if (!f)
		return;
	trace_search_slice(t, f);
	trace_send(t, kind, f);
}

static void
ask_search(struct trace_view *t)
{
	struct trace_fetch *f;

	if (!t->needle[0])
		return;
	if (!trace_searched(t)) {
		ask_slice(t, t->searched);
		/* the first one alone: it is waited for, and reads what a program calls for all */
		if (t->searched > 0 && t->searched + 1 < t->slices)
			ask_slice(t, t->searched + 1);
		return;
	}
	if (!t->hits.bit || t->hits.count == 0 || !t->trace->has_parts ||
		t->follow == FOLLOW_WORK) /* it is of an IPU, which may be another one then */
		return;
	f = trace_begin(t, ASK_COST,
		(struct trace_question){.search = t->search,
			.ipu = trace_ipu(t),
			.columns = t->at.strip.w > 0 ? t->at.strip.w : 100});
	if (!f)
		return;
	f->hits = t->hits; /* a copy of its own: the view may drop its one at any time */
	f->hits.bit = ts_alloc((size_t)t->hits.steps / 8 + 1, 1);
	if (f->hits.bit)
		memcpy(f->hits.bit, t->hits.bit, (size_t)t->hits.steps / 8 + 1);
	t->has_cost = false;
	trace_send(t, ASK_COST, f);
}

/* --- two cursors ------------------------------------------------------------------------------ */

static void
share_selection(struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	if (row && row->step != TS_UNKNOWN)
		t->view.env->selection->step = row->step;
	if (trace_ipu(t) != TS_UNKNOWN)
		t->view.env->selection->ipu = trace_ipu(t);
}

/* Put the list on a row. */
void
trace_go_row(struct trace_view *t, int64_t row, int64_t at)
{
	t->row_at = t->trace->gaps ? at : TS_UNKNOWN;
	ts_list_jump(&t->list, row);
	if (t->trace->gaps) { /* row numbers are estimates: what is here does not count */
		t->window.count = 0;
		t->asked[ASK_WINDOW].asked = false;
	}
}

static bool
time_follows(struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	if (!row || t->window.ipu != trace_ipu(t))
		return false;
	if (row->here)
		ts_span_go(&t->span, row->start - t->trace->from);
	return true;
}

/* A row of the window that runs at the time. */
static bool
list_follows(struct trace_view *t)
{
	int64_t cycles = t->trace->from + t->span.cursor;
	int best = -1;

	if (t->window.ipu != trace_ipu(t))
		return false;
	for (int i = 0; i < t->window.count; i++) {
		const struct ts_trace_row *r = &t->window.row[i];

		if (r->here && r->start <= cycles && cycles < r->end)
			best = i;
	}
	if (best >= 0)
		ts_list_go(&t->list, t->window.first_row + best);
	return best >= 0;
}

static void
ask_locate(struct trace_view *t)
{
	struct trace_question q = {.ipu = trace_ipu(t),
		.at = t->follow == FOLLOW_TIME ? t->trace->from + t->span.cursor : t->goal,
		.lanes = (int)t->follow};
	struct trace_fetch *f = trace_begin(t, ASK_LOCATE, q);

	if (!f)
		return;
	f->follow = t->follow;
	if (!t->trace->gaps &&
		!t->trace->forwards) /* enough to have the row anywhere on the screen */
		f->before = f->after = 3 * t->list.rows / 2;
	trace_send(t, ASK_LOCATE, f);
}

void
trace_forget_locate(struct trace_view *t)
{
	t->fetch[ASK_LOCATE] = NULL;
	t->asked[ASK_LOCATE].asked = false;
}

/* Is there no question on which IPU to look at the goal: it is in sight that this one works in it, or there is no other. */
static bool
works_here(const struct trace_view *t)
{
	const struct ts_trace_row *row = trace_row(t, t->goal - t->trace->first_step);

	return !t->trace->has_parts || t->trace->ipus < 2 ||
		(row && t->window.ipu == trace_ipu(t) && row->here && row->cycles > 0);
}

static void
follow(struct trace_view *t)
{
	switch (t->follow) {
	case FOLLOW_LIST:
		trace_forget_locate(t);
		if (time_follows(t))
			t->follow = FOLLOW_NONE;
		break;
	case FOLLOW_TIME:
		if (!t->trace->has_parts || list_follows(t)) {
			trace_forget_locate(t);
			t->follow = FOLLOW_NONE;
		} else {
			ask_locate(t);
		}
		break;
	case FOLLOW_STEP:
	case FOLLOW_WORK:
		if (t->trace->dense && (t->follow == FOLLOW_STEP || works_here(t))) {
			trace_go_row(t, t->goal - t->trace->first_step, TS_UNKNOWN);
			t->follow = FOLLOW_LIST;
			follow(t);
		} else {
			ask_locate(t);
		}
		break;
	case FOLLOW_NONE:
		break;
	}
	share_selection(t);
}

void
trace_request(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;

	if (t->option_time != v->env->options->time)
		t->time = t->option_time = v->env->options->time;
	if (!v->env->report)
		return;
	ask_open(t, false);
	if (!t->trace)
		return;
	follow(t);
	ask_window(t);
	if (trace_drawn(t)->ops->request && !ts_rect_empty(t->at.lanes))
		trace_drawn(t)->ops->request(trace_drawn(t));
	ask_overview(t);
	ask_search(t);
	trace_ask_jump(t);
	trace_ask_marked(t);
	trace_ask_for_jump(t);
	ts_tabs_request(&t->tabs);
}

/* Opening reads all names; what goes through whole tables is left until somebody wants it. */
void
trace_ahead(struct ts_view *v)
{
	const struct ts_report *r = v->env->report;

	if (r && ts_report_has(r, TS_STEP) && ts_view_names_are_cheap(v->env) &&
		r->binding[TS_STEP].reach.key != TS_REACH_NONE &&
		(!ts_report_has(r, TS_STEP_IPU) ||
			r->binding[TS_STEP_IPU].reach.key != TS_REACH_NONE))
		ask_open((struct trace_view *)v, true);
}
