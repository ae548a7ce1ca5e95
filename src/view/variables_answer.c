/* SPDX-License-Identifier: MIT */
/* variables_answer - what the Variables view does with what comes back. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"

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
	variables_hold_order(t, NULL);
	ts_variable_list_release(t->by_name);
	t->by_name = NULL;
	t->by_name_asked = false;
	t->fetch[ASK_BY_NAME] = NULL;
	t->fetch[ASK_FIRST] = t->fetch[ASK_SEEK] = NULL;
	t->fetch[ASK_WINDOW] = t->fetch[ASK_LIST] = t->fetch[ASK_HITS] = t->fetch[ASK_NEXT] = NULL;
	t->need_count = t->summed = false;
	t->more = 0;
	t->fetch[ASK_SUMS] = t->fetch[ASK_FACTS] = t->fetch[ASK_PIECES] = NULL;
	t->to_top = false;
	t->keep = -1;
}

/* Both levels have the same facts. Nobody else knows of `v` yet. */
static void
share_facts(struct variables_view *t)
{
	if (t->known) {
		ts_variable_facts_release(t->v->facts);
		t->v->facts = ts_variable_facts_hold(t->known);
	} else {
		t->known = ts_variable_facts_hold(t->v->facts);
	}
}

/* Who has not said in which order wants to see the largest ones; the first of them are there soon. */
static void
largest_first(struct variables_view *t)
{
	if (!t->chosen && t->wish.sort == TS_SORT_ROW && ts_variable_sort_can(t->v, TS_SORT_BYTES))
		t->wish.sort = TS_SORT_BYTES;
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
	share_facts(t);
	largest_first(t);
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
	variables_show(t, l);
	ts_variable_list_release(l);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

/* Facts may be there since the rows were read, whichever answer comes first. */
static void
add_facts(struct variables_view *t)
{
	for (int i = 0; i < t->window.count; i++)
		if (t->window.row[i].state == TS_VARIABLE_OK)
			ts_variables_add_facts(t->v, &t->window.row[i]);
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
	if (t->window_list != f->list) {
		variables_let_go(t, t->window_list);
		t->window_list = ts_variable_list_hold(f->list);
	}
	t->window_from = f->from;
	t->window_version = f->version;
	add_facts(t);
	ts_window_hold(&t->view, TS_WINDOW_VARIABLES, t->window.count,
		t->window.count * (int64_t)sizeof(*t->window.row) + (int64_t)t->window.text.len);
	t->need_count |= t->window.gap;
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

/* It was not made: stay with what is shown. Where that is nothing, why it was not made stands there until something else is wished for. */
static enum ts_effect
list_failed(struct variables_view *t, struct variables_fetch *f, bool shown)
{
	if (f->gap && !t->v->counted) {
		t->need_count = true;
		return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
	}
	if (f->fetch.code != TS_E_CANCELLED)
		ts_view_say_error(t->view.env, "%s%s",
			f->fetch.code == TS_E_USAGE ? "" : "variables: ", f->fetch.err.msg);
	t->stopped = shown;
	if (!t->list && f->fetch.code)
		ts_pane_result(&t->data, f->fetch.code, &f->fetch.err, false);
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

	if (ts_variable_list_is_kept(t->list, variables_has_columns(t)) || t->fetch[ASK_KEEP])
		return;
	f = variables_begin(t, ASK_KEEP);
	if (!f)
		return;
	f->list = ts_variable_list_hold(t->list);
	variables_send(t, ASK_KEEP, f);
}

/* The same order, which now says where each name stands: nothing is read again. */
static void
take_order(struct variables_view *t, struct ts_variable_list *order)
{
	atomic_store(&order->reverse, atomic_load(&t->list->reverse));
	if (t->window_list == t->list) {
		ts_variable_list_release(t->window_list);
		t->window_list = ts_variable_list_hold(order);
		t->window_version = atomic_load(&order->version);
	}
	variables_show(t, order);
	variables_hold_order(t, order);
}

/* Without a place for an order it is made again the next time: nothing that has to be said twice. */
static void
say_not_kept(struct variables_view *t, const struct variables_fetch *f)
{
	if (!f->fetch.code || f->fetch.code == TS_E_CANCELLED || t->not_kept_said)
		return;
	t->not_kept_said = true;
	ts_log_add(t->view.env->log, "the order of the variables is not kept: %s",
		f->fetch.err.msg);
}

static enum ts_effect
take_keep(struct variables_view *t, struct variables_fetch *f)
{
	if (!f->fetch.code && f->order && f->order->names > 0 && t->list == f->list && !t->making &&
		!t->fetch[ASK_SEEK] && !t->fetch[ASK_NEXT] && !t->fetch[ASK_WINDOW] &&
		t->window_version == atomic_load(&t->list->version))
		take_order(t, f->order);
	say_not_kept(t, f);
	if (!f->fetch.code && t->list && f->list != t->list && !t->making)
		keep_order(t); /* of the order that came meanwhile */
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
	if (f->fetch.code || f->gap)
		return list_failed(t, f, shown);
	t->bytes = atomic_load(&f->list->all_bytes);
	t->unsized = atomic_load(&f->list->unsized);
	variables_show(t, f->list);
	ts_list_set_count(&t->rows, ts_variable_list_count(t->list));
	if (!shown && t->to_top)
		ts_list_go(&t->rows, 0);
	else if (f->at >= 0 && (!shown || t->rows.cursor == 0)) /* who has moved is left alone */
		ts_list_follow(&t->rows, f->at);
	if (t->kept_row >= 0 && (!shown || t->rows.cursor == 0))
		ts_list_jump(&t->rows, t->kept_row);
	t->kept_row = -1;
	variables_hold_order(t, t->list);
	keep_order(t);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

/* Of few rows these are all; else the others are looked for behind them. */
static enum ts_effect
take_first(struct variables_view *t, struct variables_fetch *f)
{
	if (t->making != f->list)
		return TS_EFFECT_NONE;
	variables_hold_order(t, f->order);
	if (f->fetch.code == TS_E_CANCELLED || (!f->fetch.code && atomic_load(&f->list->ready)))
		return take_list(t, f);
	variables_make(t);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_hits(struct variables_view *t, struct variables_fetch *f)
{
	if (f->list != t->hits)
		return TS_EFFECT_NONE;
	if (f->fetch.code || f->gap) {
		if (f->gap && !t->v->counted) {
			t->need_count = true;
			return TS_EFFECT_RECALC;
		}
		ts_variable_list_release(t->hits);
		t->hits = NULL;
		t->seek = false;
		t->needle.count = 0;
		if (f->fetch.code != TS_E_CANCELLED)
			ts_view_say_error(t->view.env, "%s%s",
				f->fetch.code == TS_E_USAGE ? "" : "search: ", f->fetch.err.msg);
		return TS_EFFECT_REPAINT;
	}
	t->bytes = atomic_load(&f->list->all_bytes);
	t->unsized = atomic_load(&f->list->unsized);
	if (t->hits->count == 0 && !t->seek)
		return TS_EFFECT_REPAINT; /* that was said */
	if (t->hits->count == 0) {
		t->seek = false;
		ts_view_say_error(t->view.env, "no variable matches \"%s\"", t->needle.line);
		return TS_EFFECT_REPAINT | TS_EFFECT_BELL;
	}
	variables_say_hits(t, t->rows.cursor);
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
	enum ts_effect effect;
	int more = t->more;

	if (f->gap && !t->v->counted) {
		t->need_count = true;
		return TS_EFFECT_RECALC;
	}
	if (f->list != t->list && !f->fetch.code)
		return TS_EFFECT_REPAINT; /* asked again when it is the first one */
	t->seek = false;
	t->more = 0;
	if (f->fetch.code)
		return next_failed(t, f);
	if (f->at < 0 && atomic_load(&f->hits->ready) && f->hits->count == 0) {
		t->seek = t->fetch[ASK_HITS]; /* then take_hits() says so; else it has */
		return TS_EFFECT_REPAINT;
	}
	if (f->at < 0) {
		ts_view_say_error(t->view.env, "no match of \"%s\" among the rows that are shown",
			t->needle.line);
		return TS_EFFECT_REPAINT | TS_EFFECT_BELL;
	}
	variables_say_hits(t, f->at);
	effect = ts_list_jump(&t->rows, f->at);
	t->more = more - (more > 0) + (more < 0);
	if (more != 0)
		variables_next(t, more > 0 ? 1 : -1);
	return effect | TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
take_seek(struct variables_view *t, struct variables_fetch *f)
{
	if (f->fetch.code == TS_E_CANCELLED)
		t->seek = false;
	if (f->list != t->list || f->hits != t->hits || f->fetch.code == TS_E_CANCELLED)
		return TS_EFFECT_REPAINT; /* of another list it is asked again */
	if (f->fetch.code || !f->next.done) {
		t->unseekable = true;
		variables_next_slowly(t, f->by);
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	}
	if (f->next.none) {
		t->seek = false;
		t->more = 0;
		ts_view_say_error(t->view.env, "no variable matches \"%s\"", t->needle.line);
		return TS_EFFECT_REPAINT | TS_EFFECT_BELL;
	}
	f->at = f->next.at;
	return take_next(t, f);
}

static enum ts_effect
take_by_name(struct variables_view *t, struct variables_fetch *f)
{
	if (!f->gap && atomic_load(&f->list->ready) && !f->list->partial)
		t->by_name = ts_variable_list_hold(f->list);
	say_not_kept(t, f);
	if (t->list && !t->making && atomic_load(&t->list->ready))
		keep_order(t); /* it may have been kept when the index had no names yet */
	return TS_EFFECT_NONE;
}

static enum ts_effect
take_sums(struct variables_view *t, struct variables_fetch *f)
{
	if (f->gap && !t->v->counted)
		t->need_count = true;
	if (f->fetch.code || f->gap || f->list->partial)
		return TS_EFFECT_RECALC;
	t->bytes = atomic_load(&f->list->all_bytes);
	t->unsized = atomic_load(&f->list->unsized);
	return TS_EFFECT_REPAINT;
}

/* The rows that are here learn it at once, others as they are read. */
static enum ts_effect
take_facts(struct variables_view *t, struct variables_fetch *f)
{
	if (f->fetch.code && f->fetch.code != TS_E_CANCELLED)
		ts_view_say_error(t->view.env, "variables: %s", f->fetch.err.msg);
	t->facts_failed = f->fetch.code != TS_OK;
	add_facts(t);
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect
take_pieces(struct variables_view *t, struct variables_fetch *f)
{
	if (f->fetch.code == TS_E_CANCELLED)
		return TS_EFFECT_REPAINT;
	ts_variable_pieces_fini(&t->pieces);
	t->pieces = f->pieces;
	t->pieces.variable = f->variable; /* also when it failed: it would again */
	t->has_pieces = true;
	f->pieces = (struct ts_variable_pieces){0};
	return TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
}

static enum ts_effect (*const takers[ASK_KINDS])(struct variables_view *t,
	struct variables_fetch *f) = {
	[ASK_OPEN] = take_open,
	[ASK_COUNT] = take_count,
	[ASK_WINDOW] = take_window,
	[ASK_FIRST] = take_first,
	[ASK_LIST] = take_list,
	[ASK_HITS] = take_hits,
	[ASK_SEEK] = take_seek,
	[ASK_NEXT] = take_next,
	[ASK_BY_NAME] = take_by_name,
	[ASK_KEEP] = take_keep,
	[ASK_SUMS] = take_sums,
	[ASK_FACTS] = take_facts,
	[ASK_PIECES] = take_pieces,
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
	v->env->partial |= (t->v && (t->v->partial || ts_variable_facts_partial(t->v->facts))) ||
		(t->list && t->list->partial) || (t->has_pieces && t->pieces.partial);
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
	t->window_failed = t->facts_failed = false;
	ts_variable_pieces_fini(&t->pieces);
	t->has_pieces = false;
	ts_list_set_count(&t->rows, 0);
}
