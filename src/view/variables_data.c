/* SPDX-License-Identifier: MIT */
/*
 * variables_data - what the Variables view asks of the report, and what it does with the answers.
 *
 * Windows are asked of the worker that the screen waits for, everything that reads all rows of the
 * pool. What is asked follows from the state alone: variables_request() compares what is there with
 * what is wished for.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"

/* --- in a worker -------------------------------------------------------------------------------- */

static enum ts_code
read_open(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	return ts_variables_open(&f->opened, rd, f->cache, err);
}

static enum ts_code
read_count(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	return ts_variables_count(&f->opened, f->v, rd, &fetch->job.progress, err);
}

static enum ts_code
read_window(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	int64_t place[TS_VARIABLES_WINDOW];
	int count = (int)ts_clamp_i64(f->to - f->from, 0, TS_VARIABLES_WINDOW);

	for (int i = 0; i < count; i++) {
		place[i] = ts_variable_list_place(f->list, f->from + i);
		f->untrue |= place[i] < 0 && ts_variable_list_is_untrue(f->list, f->from + i);
	}
	return ts_variables_read(&f->window, rd, f->list->v, place, count, &fetch->job.progress,
		err);
}

static enum ts_code
read_list(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	enum ts_code code = ts_variable_list_make(f->list, rd, &f->gap, &fetch->job.cancel,
		&fetch->job.progress, err);

	if (!code && f->keep >= 0)
		f->at = ts_variable_list_find(f->list, f->keep, &fetch->job.cancel);
	return code;
}

static enum ts_code
read_next(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	return ts_variable_list_next(&f->at, f->list, f->hits, f->position, f->by, &f->gap, rd,
		&fetch->job.cancel, &fetch->job.progress, err);
}

static enum ts_code
read_keep(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	return ts_variable_list_keep(f->list, rd, &fetch->job.cancel, err);
}

static void
fini(struct ts_fetch *fetch)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	ts_variables_release(f->v);
	ts_variables_release(f->opened);
	ts_variable_list_release(f->list);
	ts_variable_list_release(f->hits);
	ts_variable_window_fini(&f->window);
}

/* --- asking ----------------------------------------------------------------------------------- */

static const struct {
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	enum ts_worker_id worker;
	const char *what;
} kinds[ASK_KINDS] = {
	[ASK_OPEN] = {read_open, TS_WORKER_SCREEN, "looking at the variables"},
	[ASK_COUNT] = {read_count, TS_WORKER_BULK, "counting variables"},
	[ASK_WINDOW] = {read_window, TS_WORKER_SCREEN, "reading variables"},
	[ASK_LIST] = {read_list, TS_WORKER_BULK, "reading variables"},
	[ASK_HITS] = {read_list, TS_WORKER_BULK, "searching variables"},
	[ASK_KEEP] = {read_keep, TS_WORKER_BULK, "keeping an order"},
	[ASK_SUMS] = {read_list, TS_WORKER_BULK, "adding variables up"},
	[ASK_NEXT] = {read_next, TS_WORKER_BULK, "looking for the next hit"},
};

static struct variables_fetch *
begin(struct variables_view *t, enum variables_kind kind)
{
	struct variables_fetch *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fetch.read = kinds[kind].read;
	f->fetch.fini = fini;
	f->cache = t->view.env->cache;
	f->at = f->keep = -1;
	if (t->v)
		f->v = ts_variables_hold(t->v);
	return f;
}

static void
send(struct variables_view *t, enum variables_kind kind, struct variables_fetch *f)
{
	enum ts_worker_id worker = kinds[kind].worker;
	const char *what = kinds[kind].what;

	if (kind == ASK_WINDOW && t->v->range == TS_RANGE_ALL)
		worker = TS_WORKER_BULK; /* read from the begin */
	if (kind == ASK_LIST)
		what = f->list->filter.count == 0      ? "sorting variables"
			: f->list->sort != TS_SORT_ROW ? "filtering and sorting variables"
						       : "filtering variables";
	f->fetch.job.patient = kind == ASK_KEEP || kind == ASK_SUMS;
	t->fetch[kind] = &f->fetch;
	ts_fetch_send(&t->view, &f->fetch, (int)kind, worker, what);
}

const struct ts_variable *
variables_row(const struct variables_view *t, int64_t position)
{
	const struct ts_variable *x;

	if (t->window_list != t->list || !t->list || position < t->window_from ||
		position - t->window_from >= t->window.count)
		return NULL;
	x = &t->window.row[position - t->window_from];
	return x->state == TS_VARIABLE_MISSING ? NULL : x;
}

static bool
same_wish(const struct ts_variable_list *l, const struct variables_wish *w)
{
	return l->sort == w->sort && strcmp(l->filter.line, w->filter.line) == 0;
}

bool
variables_has_wish(const struct variables_view *t)
{
	return t->list && !t->making && !t->again && !t->need_count && same_wish(t->list, &t->wish);
}

static void
show(struct variables_view *t, struct ts_variable_list *l)
{
	if (t->list == l)
		return;
	ts_variable_list_release(t->list);
	t->list = ts_variable_list_hold(l);
	t->stopped = false;
	t->window_failed = false;
}

/* A pass that somebody asked for adds up, too. */
static void
leave_sums(struct variables_view *t)
{
	if (!t->fetch[ASK_SUMS])
		return;
	ts_cancel_set(&t->fetch[ASK_SUMS]->job.cancel);
	t->fetch[ASK_SUMS] = NULL;
	t->summed = false;
}

/* The list as it is wished for: at once where it can be had so, else it is made. */
static void
ask_list(struct variables_view *t)
{
	struct variables_fetch *f;
	struct ts_variable_list *l;

	if (!t->v || t->need_count || !ts_variables_placed(t->v))
		return;
	if (!t->again &&
		(t->making ? same_wish(t->making, &t->wish)
			   : t->list && same_wish(t->list, &t->wish)))
		return;
	t->again = false;
	l = ts_variable_list_new(t->v, t->wish.sort, t->wish.reverse, &t->wish.filter);
	if (!l)
		return;
	ts_variable_list_release(t->making);
	t->making = NULL;
	if (t->fetch[ASK_LIST])
		ts_cancel_set(&t->fetch[ASK_LIST]->job.cancel);
	t->fetch[ASK_LIST] = NULL;
	if (atomic_load(&l->ready)) {
		show(t, l);
		ts_list_set_count(&t->rows, ts_variable_list_count(l));
		if (t->to_top)
			ts_list_go(&t->rows, 0);
		else if (t->keep >= 0)
			ts_list_follow(&t->rows, ts_variable_list_find(l, t->keep, NULL));
		ts_variable_list_release(l);
		return;
	}
	f = begin(t, ASK_LIST);
	if (!f) {
		ts_variable_list_release(l);
		return;
	}
	l->anew = t->untrue >> l->sort & 1;
	f->list = ts_variable_list_hold(l);
	f->keep = t->to_top ? -1 : t->keep;
	t->making = l;
	leave_sums(t);
	send(t, ASK_LIST, f);
}

/* What is being made is shown as soon as it has something to show. */
static void
look_at_making(struct variables_view *t)
{
	int64_t count;

	if (!t->making)
		return;
	count = ts_variable_list_count(t->making);
	if (count == 0 && t->list != t->making && t->wish.filter.count == 0)
		return;
	if (count == 0 && t->list != t->making && atomic_load(&t->making->scanned) == 0)
		return;
	if (t->list != t->making) {
		show(t, t->making);
		ts_list_set_count(&t->rows, count);
		ts_list_go(&t->rows, 0);
	}
	ts_list_set_count(&t->rows, count);
}

static void
ask_window(struct variables_view *t)
{
	bool here = t->window_list == t->list;
	int version = t->list ? atomic_load(&t->list->version) : 0;
	struct ts_fetch *under_way = t->fetch[ASK_WINDOW];
	struct variables_fetch *f;
	int64_t from, to, ignore;

	if (!t->list || t->rows.rows <= 0)
		return;
	ts_window_want(&t->view, TS_WINDOW_VARIABLES, &t->rows, (uintptr_t)t->list,
		here ? t->window_from : 0, here ? t->window_from + t->window.count : 0);
	if (ts_list_enough(&t->rows, here ? t->window_from : 0,
		    here ? t->window_from + t->window.count : 0, &from, &to) &&
		(here ? t->window_version == version : from >= to))
		return;
	if (from >= to || t->window_failed)
		return;
	f = (struct variables_fetch *)under_way;
	if (f && f->list == t->list && f->version == version &&
		ts_list_enough(&t->rows, f->from, f->to, &ignore, &ignore))
		return;
	f = begin(t, ASK_WINDOW);
	if (!f)
		return;
	f->list = ts_variable_list_hold(t->list);
	f->from = from;
	f->to = ts_min_i64(to, from + TS_VARIABLES_WINDOW);
	f->version = version;
	send(t, ASK_WINDOW, f);
}

static void
ask_count(struct variables_view *t)
{
	struct variables_fetch *f;

	if (t->fetch[ASK_COUNT] || !t->v || (!t->need_count && ts_variables_placed(t->v)) ||
		t->data.state == TS_PANE_FAILED)
		return;
	f = begin(t, ASK_COUNT);
	if (f)
		send(t, ASK_COUNT, f);
}

static void
ask_hits(struct variables_view *t)
{
	struct variables_fetch *f;

	if (t->needle.count == 0 || t->hits || !t->v || t->need_count || !ts_variables_placed(t->v))
		return;
	f = begin(t, ASK_HITS);
	if (!f)
		return;
	f->list = ts_variable_list_new(t->v, TS_SORT_ROW, false, &t->needle);
	if (!f->list) {
		ts_fetch_free(&f->fetch);
		return;
	}
	leave_sums(t);
	t->hits = ts_variable_list_hold(f->list);
	send(t, ASK_HITS, f);
}

/* The bytes of all rows, where neither the index will tell them nor another pass. */
static void
ask_sums(struct variables_view *t)
{
	struct variables_fetch *f;

	if (t->bytes != TS_UNKNOWN || t->summed || t->making || t->need_count || !t->list ||
		t->fetch[ASK_SUMS] || t->fetch[ASK_HITS] ||
		ts_view_waits(t->view.env, TS_SECTION_VARIABLES, TS_LOWERED_VARIABLE))
		return;
	f = begin(t, ASK_SUMS);
	if (!f)
		return;
	f->list = ts_variable_list_new(t->v, TS_SORT_ROW, false, NULL);
	if (!f->list) {
		ts_fetch_free(&f->fetch);
		return;
	}
	t->summed = true;
	send(t, ASK_SUMS, f);
}

static void
share_selection(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);

	if (!x || x->tile == TS_UNKNOWN)
		return;
	t->view.env->selection->tile = x->tile;
	if (x->ipu != TS_UNKNOWN)
		t->view.env->selection->ipu = x->ipu;
}

/* Where the variable under the cursor comes from: its own context, else that of what it was lowered from. */
static void
ask_debug(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	struct ts_debug_about about = {.relation = TS_LOWERED_VARIABLE,
		.key = TS_UNKNOWN,
		.what = "variable"};

	if (!x)
		return;
	if (x->context != TS_UNKNOWN) {
		about.relation = TS_CONTEXT;
		about.context = (uint64_t)x->context;
	} else if (x->variable != TS_UNKNOWN &&
		ts_context_recorded(t->view.env->report, TS_VARIABLE)) {
		about.relation = TS_VARIABLE;
		about.key = x->variable;
	}
	ts_debug_request(&t->debug, &t->view, &about);
}

void
variables_request(struct ts_view *v)
{
	struct variables_view *t = (struct variables_view *)v;

	if (!t->v) {
		if (t->data.state == TS_PANE_EMPTY) {
			struct variables_fetch *f = begin(t, ASK_OPEN);

			if (f) {
				t->data.state = TS_PANE_LOADING;
				send(t, ASK_OPEN, f);
			}
		}
		return;
	}
	ask_count(t);
	ask_list(t);
	look_at_making(t);
	ask_window(t);
	ask_hits(t);
	if (t->seek && !t->fetch[ASK_NEXT] && !t->need_count) /* while the others are counted */
		variables_next(t, t->direction);
	ask_sums(t);
	share_selection(t);
	ask_debug(t);
}

/* --- wishes ----------------------------------------------------------------------------------- */

void
variables_wish(struct variables_view *t, enum ts_variable_sort sort, bool reverse,
	const struct ts_filter *filter, bool to_top)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	struct ts_variable_list *l = t->list;

	t->to_top = to_top;
	t->kept_row = -1;
	t->keep = x ? x->place : -1;
	t->wish.sort = sort;
	if (filter != &t->wish.filter)
		t->wish.filter = *filter;
	if (reverse != t->wish.reverse && !t->making && l && same_wish(l, &t->wish) &&
		atomic_load(&l->ready)) {
		atomic_store(&l->reverse, reverse);
		atomic_fetch_add(&l->version, 1);
		ts_list_go(&t->rows, 0);
	} else {
		t->again = t->stopped || (t->making && reverse != t->wish.reverse);
	}
	t->wish.reverse = reverse;
}

void
variables_search(struct variables_view *t, const struct ts_filter *needle, int by)
{
	if (t->fetch[ASK_HITS])
		ts_cancel_set(&t->fetch[ASK_HITS]->job.cancel);
	t->fetch[ASK_HITS] = NULL;
	if (t->fetch[ASK_NEXT])
		ts_cancel_set(&t->fetch[ASK_NEXT]->job.cancel);
	t->fetch[ASK_NEXT] = NULL;
	ts_variable_list_release(t->hits);
	t->hits = NULL;
	t->needle = *needle;
	t->direction = by;
	t->seek = needle->count > 0;
}

void
variables_next(struct variables_view *t, int by)
{
	struct variables_fetch *f;

	if (!t->list || !t->hits)
		return;
	if (t->v->range == TS_RANGE_ALL && !atomic_load(&t->hits->ready)) {
		variables_say_hits(t); /* no row can be read before those that stand before it */
		return;
	}
	f = begin(t, ASK_NEXT);
	if (!f)
		return;
	f->list = ts_variable_list_hold(t->list);
	f->hits = ts_variable_list_hold(t->hits);
	f->position = t->rows.cursor;
	f->by = by;
	send(t, ASK_NEXT, f);
}

void
variables_say_hits(struct variables_view *t)
{
	char count[TS_FMT_MAX], bytes[TS_FMT_MAX];
	int64_t sum;

	if (!t->hits)
		return;
	if (!atomic_load(&t->hits->ready)) {
		ts_view_say(t->view.env, "counting what matches \"%.80s\"", t->needle.line);
		return;
	}
	sum = atomic_load(&t->hits->bytes);
	ts_view_say(t->view.env, "%s variable%s match%s \"%.80s\"%s%s",
		ts_fmt_count(count, t->hits->count), t->hits->count == 1 ? "" : "s",
		t->hits->count == 1 ? "es" : "", t->needle.line, sum >= 0 ? ", " : "",
		sum >= 0 ? ts_fmt_bytes(bytes, sum, t->view.env->options->units) : "");
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Another set of rows: whatever was made of the old one goes. */
static void
replace(struct variables_view *t, struct ts_variables *v)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);

	if (x && t->kept_row < 0)
		t->kept_row = t->rows.cursor;
	ts_variables_release(t->v);
	t->v = v;
	ts_variable_list_release(t->list);
	ts_variable_list_release(t->making);
	ts_variable_list_release(t->hits);
	t->list = t->making = t->hits = NULL;
	ts_variable_list_release(t->window_list);
	t->window_list = NULL;
	t->fetch[ASK_WINDOW] = t->fetch[ASK_LIST] = t->fetch[ASK_HITS] = t->fetch[ASK_NEXT] = NULL;
	t->need_count = t->summed = false;
	t->fetch[ASK_SUMS] = NULL;
	t->to_top = false;
	t->keep = -1;
}

static enum ts_effect
take_open(struct variables_view *t, struct variables_fetch *f)
{
	ts_pane_result(&t->data, f->fetch.code, &f->fetch.err, false);
	t->data.absent = TS_ABSENT_VARIABLES;
	if (!f->opened)
		return TS_EFFECT_REPAINT;
	replace(t, f->opened);
	f->opened = NULL;
	if (t->v->bytes != TS_UNKNOWN) {
		t->bytes = t->v->bytes;
		t->unsized = t->v->unsized;
	}
	if (!ts_variables_placed(t->v))
		t->data.state = TS_PANE_LOADING;
	variables_layout(t);
	if (ts_variables_placed(t->v) && t->kept_row >= 0) {
		ts_list_set_count(&t->rows, t->v->rows);
		ts_list_jump(&t->rows, t->kept_row);
		if (t->wish.sort == TS_SORT_ROW && t->wish.filter.count == 0)
			t->kept_row = -1; /* else: when the list is there */
	}
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_count(struct variables_view *t, struct variables_fetch *f)
{
	if (!f->opened) {
		ts_pane_result(&t->data, f->fetch.code, &f->fetch.err, false);
		return TS_EFFECT_REPAINT;
	}
	replace(t, f->opened);
	f->opened = NULL;
	t->data.state = t->v->partial ? TS_PANE_PARTIAL : TS_PANE_READY;
	if (t->kept_row >= 0) {
		ts_list_set_count(&t->rows, t->v->rows);
		ts_list_jump(&t->rows, t->kept_row);
		if (t->wish.sort == TS_SORT_ROW && t->wish.filter.count == 0)
			t->kept_row = -1; /* else: when the list is there */
	}
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

/* An order that was kept names rows that there are not: it is made again, and kept in its place. */
static enum ts_effect
distrust(struct variables_view *t)
{
	struct ts_variable_list *l = ts_variable_list_new(t->v, TS_SORT_ROW, false, NULL);

	if (!l)
		return TS_EFFECT_REPAINT;
	if (t->view.env->log)
		ts_log_add(t->view.env->log,
			"index: the order by %s is not used and made again: it names rows that are not there",
			ts_variable_sort_name(t->list->sort));
	t->untrue |= 1u << t->list->sort;
	show(t, l);
	ts_variable_list_release(l);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_window(struct variables_view *t, struct variables_fetch *f)
{
	if (f->list != t->list)
		return TS_EFFECT_NONE;
	if (f->fetch.code == TS_E_CANCELLED)
		return TS_EFFECT_REPAINT;
	if (f->fetch.code) {
		t->window_failed = true;
		ts_view_say_error(t->view.env, "variables: %s", f->fetch.err.msg);
	}
	if (f->untrue)
		return distrust(t);
	ts_variable_window_fini(&t->window);
	t->window = f->window;
	f->window = (struct ts_variable_window){0};
	ts_variable_list_release(t->window_list);
	t->window_list = ts_variable_list_hold(f->list);
	t->window_from = f->from;
	t->window_version = f->version;
	ts_window_hold(&t->view, TS_WINDOW_VARIABLES, t->window.count,
		t->window.count * (int64_t)sizeof(*t->window.row) + (int64_t)t->window.text.len);
	t->need_count |= t->window.gap;
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

/* It was not made: stay with what is shown. */
static enum ts_effect
list_failed(struct variables_view *t, struct variables_fetch *f, bool shown)
{
	if (f->gap && !t->v->counted) {
		t->need_count = true;
		return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
	}
	if (f->fetch.code != TS_E_CANCELLED)
		ts_view_say_error(t->view.env, "variables: %s", f->fetch.err.msg);
	t->stopped = shown;
	if (!shown && t->list) {
		t->wish.sort = t->list->sort;
		t->wish.reverse = atomic_load(&t->list->reverse);
		t->wish.filter = t->list->filter;
	}
	return TS_EFFECT_REPAINT;
}

/* The order is there; that it also is the next time may take its time. */
static void
keep_order(struct variables_view *t)
{
	struct variables_fetch *f;

	if (ts_variable_list_is_kept(t->list) || t->fetch[ASK_KEEP])
		return;
	f = begin(t, ASK_KEEP);
	if (!f)
		return;
	f->list = ts_variable_list_hold(t->list);
	send(t, ASK_KEEP, f);
}

/* Without a place for it it is made again the next time: nothing that has to be said twice. */
static enum ts_effect
take_keep(struct variables_view *t, struct variables_fetch *f)
{
	if (f->fetch.code && f->fetch.code != TS_E_CANCELLED && t->view.env->log)
		ts_log_add(t->view.env->log, "the order of the variables is not kept: %s",
			f->fetch.err.msg);
	return TS_EFFECT_NONE;
}

static enum ts_effect
take_list(struct variables_view *t, struct variables_fetch *f)
{
	bool shown = t->list == f->list;

	if (t->making != f->list)
		return TS_EFFECT_NONE;
	ts_variable_list_release(t->making);
	t->making = NULL;
	if (f->fetch.code)
		return list_failed(t, f, shown);
	t->bytes = atomic_load(&f->list->all_bytes);
	t->unsized = atomic_load(&f->list->unsized);
	show(t, f->list);
	ts_list_set_count(&t->rows, ts_variable_list_count(t->list));
	if (!shown && t->to_top)
		ts_list_go(&t->rows, 0);
	else if (f->at >= 0 && (!shown || t->rows.cursor == 0)) /* who has moved is left alone */
		ts_list_follow(&t->rows, f->at);
	if (t->kept_row >= 0 && (!shown || t->rows.cursor == 0))
		ts_list_jump(&t->rows, t->kept_row);
	t->kept_row = -1;
	keep_order(t);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_hits(struct variables_view *t, struct variables_fetch *f)
{
	if (f->list != t->hits)
		return TS_EFFECT_NONE;
	if (f->fetch.code) {
		if (f->gap && !t->v->counted) {
			t->need_count = true;
			return TS_EFFECT_RECALC;
		}
		ts_variable_list_release(t->hits);
		t->hits = NULL;
		t->seek = false;
		t->needle.count = 0;
		if (f->fetch.code != TS_E_CANCELLED)
			ts_view_say_error(t->view.env, "search: %s", f->fetch.err.msg);
		return TS_EFFECT_REPAINT;
	}
	t->bytes = atomic_load(&f->list->all_bytes);
	t->unsized = atomic_load(&f->list->unsized);
	if (t->hits->count == 0) {
		t->seek = false;
		ts_view_say_error(t->view.env, "no variable matches \"%s\"", t->needle.line);
		return TS_EFFECT_REPAINT | TS_EFFECT_BELL;
	}
	variables_say_hits(t);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
next_failed(struct variables_view *t, struct variables_fetch *f)
{
	if (f->fetch.code != TS_E_CANCELLED)
		ts_view_say_error(t->view.env, "search: %s", f->fetch.err.msg);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
take_next(struct variables_view *t, struct variables_fetch *f)
{
	if (f->gap && !t->v->counted) {
		t->need_count = true;
		return TS_EFFECT_RECALC;
	}
	if (f->list != t->list && !f->fetch.code)
		return TS_EFFECT_REPAINT; /* asked again when it is the first one */
	t->seek = false;
	if (f->fetch.code)
		return next_failed(t, f);
	if (f->at < 0 && atomic_load(&f->hits->ready) && f->hits->count == 0)
		return TS_EFFECT_REPAINT; /* that was said */
	if (f->at < 0) {
		ts_view_say_error(t->view.env, "no match of \"%s\" among the rows that are shown",
			t->needle.line);
		return TS_EFFECT_REPAINT | TS_EFFECT_BELL;
	}
	if (f->at == f->position || !atomic_load(&f->hits->ready))
		variables_say_hits(t);
	return ts_list_jump(&t->rows, f->at) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
take_sums(struct variables_view *t, struct variables_fetch *f)
{
	if (f->gap && !t->v->counted)
		t->need_count = true;
	if (f->fetch.code || f->list->partial)
		return TS_EFFECT_RECALC;
	t->bytes = atomic_load(&f->list->all_bytes);
	t->unsized = atomic_load(&f->list->unsized);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect (*const takers[ASK_KINDS])(struct variables_view *t,
	struct variables_fetch *f) = {
	[ASK_OPEN] = take_open,
	[ASK_COUNT] = take_count,
	[ASK_WINDOW] = take_window,
	[ASK_LIST] = take_list,
	[ASK_HITS] = take_hits,
	[ASK_NEXT] = take_next,
	[ASK_KEEP] = take_keep,
	[ASK_SUMS] = take_sums,
};

enum ts_effect
variables_deliver(struct ts_view *v, struct ts_fetch *fetch)
{
	struct variables_view *t = (struct variables_view *)v;
	int kind = fetch->job.kind;
	enum ts_effect effect;

	if (kind == TS_DEBUG_KIND) {
		effect = ts_debug_deliver(&t->debug, v, fetch);
		ts_debug_resize(&t->debug, t->at.details);
		return effect;
	}
	if (kind < 0 || kind >= ASK_KINDS || t->fetch[kind] != fetch)
		return TS_EFFECT_NONE;
	t->fetch[kind] = NULL;
	if (fetch->job.generation != v->env->generation)
		return TS_EFFECT_NONE;
	if (fetch->job.dropped) { /* C-c before it began */
		fetch->code = TS_E_CANCELLED;
		ts_err_set(&fetch->err, TS_E_CANCELLED, "cancelled");
	}
	effect = takers[kind](t, (struct variables_fetch *)fetch);
	v->env->partial |= (t->v && t->v->partial) || (t->list && t->list->partial);
	return effect;
}

void
variables_drop(struct variables_view *t)
{
	replace(t, NULL);
	ts_variable_window_fini(&t->window);
	ts_window_hold(&t->view, TS_WINDOW_VARIABLES, 0, 0);
	memset(t->fetch, 0, sizeof(t->fetch));
	t->data = (struct ts_pane_data){.state = TS_PANE_EMPTY};
	t->bytes = TS_UNKNOWN;
	t->unsized = 0;
	t->untrue = 0;
	t->window_failed = false;
	ts_list_set_count(&t->rows, 0);
}
