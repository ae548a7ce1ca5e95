/* SPDX-License-Identifier: MIT */
/*
 * variables_ask - what the Variables view asks of the report.
 *
 * Windows are asked of the worker that the screen waits for, everything that reads all rows of the
 * pool. What is asked follows from the state alone: variables_request() compares what is there with
 * what is wished for.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_pieces.h"
#include "tilescope/view/typed.h"

/* How long the cursor stays on a row until its pieces are looked for, while it moves. */
enum { STAY_MS = 120, LOOK_MS = 10 };

/* --- in a worker -------------------------------------------------------------------------------- */

static enum ts_code
read_open(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	return f->unlowered ? ts_variables_open_unlowered(&f->opened, rd, f->cache, err)
			    : ts_variables_open(&f->opened, rd, f->cache, err);
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

/* The order of the list as it was kept, of all rows; or none. */
static void
load_order(struct variables_fetch *f, struct ts_reader *rd)
{
	f->order = ts_variable_list_new(f->list->v, f->list->sort, false, NULL);
	if (f->order && !ts_variable_list_load(f->order, rd)) {
		ts_variable_list_release(f->order);
		f->order = NULL;
	}
}

/* The order that was kept is there with it, where the view has another one, or none. */
static enum ts_code
read_first(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	struct ts_variable_list *l = f->list;
	enum ts_code code;

	if (!f->order && l->sort != TS_SORT_ROW && !l->anew)
		load_order(f, rd);
	code = ts_variable_list_first(l, &f->done, f->order, f->by_name, rd, &fetch->job.cancel,
		err);
	if (!code && f->keep >= 0 && atomic_load(&l->ready))
		f->at = ts_variable_list_find(l, f->keep, &fetch->job.cancel);
	return code;
}

/* Where the rows of each name are: their order, which is kept. */
static enum ts_code
read_by_name(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	enum ts_code code = ts_variable_list_make(f->list, rd, &f->gap, &fetch->job.cancel,
		&fetch->job.progress, err);

	return code ? code : ts_variable_list_keep(f->list, rd, &fetch->job.cancel, err);
}

static enum ts_code
read_seek(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	return ts_variable_list_seek(&f->next, f->list, f->hits, f->by_name, f->position, f->by, rd,
		&fetch->job.cancel, err);
}

static enum ts_code
read_list(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	enum ts_code code = ts_variable_list_make(f->list, rd, &f->gap, &fetch->job.cancel,
		&fetch->job.progress, err);

	if (f->gap && !f->list->v->counted)
		return TS_OK; /* no failure: they are counted, and it begins again */
	if (!code && f->keep >= 0)
		f->at = ts_variable_list_find(f->list, f->keep, &fetch->job.cancel);
	return code;
}

static enum ts_code
read_next(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	enum ts_code code = ts_variable_list_next(&f->at, f->list, f->hits, f->position, f->by,
		&f->gap, rd, &fetch->job.cancel, &fetch->job.progress, err);

	return f->gap && !f->list->v->counted ? TS_OK : code;
}

static enum ts_code
read_keep(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	enum ts_code code = ts_variable_list_keep(f->list, rd, &fetch->job.cancel, err);

	if (!code && f->list->index) /* kept once more, with names */
		load_order(f, rd);
	return code;
}

static enum ts_code
read_facts(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;
	enum ts_code code = ts_variable_facts_lives(f->v->facts, rd, &fetch->job.progress, err);

	if (!code && f->spread)
		code = ts_variable_facts_spread(f->v->facts, rd, &fetch->job.progress, err);
	return code;
}

static enum ts_code
read_pieces(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	/* a pass for each row that a held key goes over would take what the screen needs */
	for (int i = 0; f->moving && i < STAY_MS / LOOK_MS; i++) {
		if (ts_cancelled(&fetch->job.cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
	}
	return ts_variable_pieces_read(&f->pieces, rd, f->v, f->variable, &fetch->job.progress,
		err);
}

static enum ts_code
read_nothing(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	(void)rd;
	(void)err;
	ts_variable_list_release(f->list);
	f->list = NULL;
	return TS_OK;
}

static void
fini(struct ts_fetch *fetch)
{
	struct variables_fetch *f = (struct variables_fetch *)fetch;

	ts_variables_release(f->v);
	ts_variables_release(f->opened);
	ts_variable_list_release(f->list);
	ts_variable_list_release(f->hits);
	ts_variable_list_release(f->order);
	ts_variable_list_release(f->by_name);
	ts_variable_window_fini(&f->window);
	ts_variable_pieces_fini(&f->pieces);
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
	[ASK_FIRST] = {read_first, TS_WORKER_SCREEN, "the first variables of a filter"},
	[ASK_LIST] = {read_list, TS_WORKER_BULK, "reading variables"},
	[ASK_HITS] = {read_list, TS_WORKER_BULK, "searching variables"},
	[ASK_BY_NAME] = {read_by_name, TS_WORKER_BULK, "where each name stands"},
	[ASK_KEEP] = {read_keep, TS_WORKER_BULK, "keeping an order"},
	[ASK_SUMS] = {read_list, TS_WORKER_BULK, "adding variables up"},
	[ASK_SEEK] = {read_seek, TS_WORKER_SCREEN, "looking for the next hit"},
	[ASK_NEXT] = {read_next, TS_WORKER_BULK, "looking for the next hit"},
	[ASK_FACTS] = {read_facts, TS_WORKER_BULK, "lifetimes and tiles of variables"},
	[ASK_PIECES] = {read_pieces, TS_WORKER_BULK, "pieces of a variable"},
	[ASK_LET_GO] = {read_nothing, TS_WORKER_BULK, "freeing memory"},
};

struct variables_fetch *
variables_begin(struct variables_view *t, enum variables_kind kind)
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
	if (t->by_name)
		f->by_name = ts_variable_list_hold(t->by_name);
	return f;
}

void
variables_send(struct variables_view *t, enum variables_kind kind, struct variables_fetch *f)
{
	enum ts_worker_id worker = kinds[kind].worker;
	const char *what = kinds[kind].what;

	if (kind == ASK_WINDOW && t->v->range == TS_RANGE_ALL)
		worker = TS_WORKER_BULK; /* read from the begin */
	if (kind == ASK_PIECES && f->quick)
		worker = TS_WORKER_SCREEN; /* the index has it */
	if (kind == ASK_LIST)
		what = f->list->filter.count == 0      ? "sorting variables"
			: f->list->sort != TS_SORT_ROW ? "filtering and sorting variables"
						       : "filtering variables";
	f->fetch.job.patient = kind == ASK_KEEP || kind == ASK_SUMS || kind == ASK_BY_NAME;
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

bool
variables_waits(struct ts_view *v, enum ts_cmd cmd)
{
	const struct variables_view *t = (const struct variables_view *)v;
	bool search = ts_typed_is_search(cmd); /* has its own way to wait */

	if (!t->v || t->debug_focus || search || !ts_typed_is_of_rows(cmd))
		return false;
	if (!t->list || !same_wish(t->list, &t->wish) ||
		(t->rows.count == 0 && !atomic_load(&t->list->ready)))
		return true;
	if (t->rows.count == 0)
		return false;
	return ts_typed_is_of_row(cmd) && !variables_row(t, t->rows.cursor);
}

void
variables_let_go(struct variables_view *t, struct ts_variable_list *l)
{
	struct variables_fetch *f = l ? variables_begin(t, ASK_LET_GO) : NULL;

	if (!f) {
		ts_variable_list_release(l);
		return;
	}
	f->list = l;
	f->fetch.job.patient = true;
	ts_fetch_send(&t->view, &f->fetch, ASK_LET_GO, kinds[ASK_LET_GO].worker,
		kinds[ASK_LET_GO].what);
}

void
variables_show(struct variables_view *t, struct ts_variable_list *l)
{
	if (t->list == l)
		return;
	variables_let_go(t, t->list);
	t->list = ts_variable_list_hold(l);
	t->stopped = t->unseekable = false;
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

static void
leave(struct variables_view *t, enum variables_kind kind)
{
	if (t->fetch[kind])
		ts_cancel_set(&t->fetch[kind]->job.cancel);
	t->fetch[kind] = NULL;
}

/* What names are in all rows is known without reading them. */
bool
variables_has_columns(const struct variables_view *t)
{
	return !t->unlowered &&
		ts_index_sections(t->view.env->index) & ts_section_bit(TS_SECTION_COLUMNS);
}

void
variables_hold_order(struct variables_view *t, struct ts_variable_list *l)
{
	if (l == t->order || (l && (l->filter.count > 0 || !atomic_load(&l->ready))))
		return;
	ts_variable_list_release(t->order);
	t->order = l ? ts_variable_list_hold(l) : NULL;
}

/* The rows that the screen shows first; then all. False: no memory. */
static bool
ask_first(struct variables_view *t)
{
	struct variables_fetch *f = variables_begin(t, ASK_FIRST);

	if (!f)
		return false;
	f->list = ts_variable_list_hold(t->making);
	if (t->order && t->order->sort == t->making->sort && !t->making->anew)
		f->order = ts_variable_list_hold(t->order);
	f->keep = t->to_top ? -1 : t->keep;
	variables_send(t, ASK_FIRST, f);
	return true;
}

void
variables_make(struct variables_view *t)
{
	struct variables_fetch *f = variables_begin(t, ASK_LIST);

	if (!f) {
		ts_variable_list_release(t->making);
		t->making = NULL;
		return;
	}
	f->list = ts_variable_list_hold(t->making);
	f->keep = t->to_top ? -1 : t->keep;
	variables_send(t, ASK_LIST, f);
}

/* The list as it is wished for: at once where it can be had so, else it is made. */
static void
ask_list(struct variables_view *t)
{
	struct ts_variable_list *l;

	if (!t->v || t->need_count || !ts_variables_placed(t->v) || t->data.state == TS_PANE_FAILED)
		return;
	if (!t->again &&
		(t->making ? same_wish(t->making, &t->wish)
			   : t->list && same_wish(t->list, &t->wish)))
		return;
	t->again = false;
	l = ts_variable_list_new(t->v, t->wish.sort, t->wish.reverse, &t->wish.filter);
	if (!l)
		return;
	if (!ts_variable_list_select(l, &t->view.env->selection->tiles.set)) {
		ts_variable_list_release(l);
		return;
	}
	ts_variable_list_release(t->making);
	t->making = NULL;
	leave(t, ASK_FIRST);
	leave(t, ASK_LIST);
	if (atomic_load(&l->ready)) {
		variables_show(t, l);
		ts_list_set_count(&t->rows, ts_variable_list_count(l));
		if (t->to_top)
			ts_list_go(&t->rows, 0);
		else if (t->keep >= 0)
			ts_list_follow(&t->rows, ts_variable_list_find(l, t->keep, NULL));
		ts_variable_list_release(l);
		return;
	}
	l->anew = t->untrue >> l->sort & 1;
	t->making = l;
	leave_sums(t);
	if (!l->filter.count || !variables_has_columns(t) || !ask_first(t))
		variables_make(t);
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
		variables_show(t, t->making);
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
	f = variables_begin(t, ASK_WINDOW);
	if (!f)
		return;
	f->list = ts_variable_list_hold(t->list);
	f->from = from;
	f->to = ts_min_i64(to, from + TS_VARIABLES_WINDOW);
	f->version = version;
	variables_send(t, ASK_WINDOW, f);
}

static void
ask_count(struct variables_view *t)
{
	struct variables_fetch *f;

	if (t->fetch[ASK_COUNT] || !t->v || (!t->need_count && ts_variables_placed(t->v)) ||
		t->data.state == TS_PANE_FAILED)
		return;
	f = variables_begin(t, ASK_COUNT);
	if (f)
		variables_send(t, ASK_COUNT, f);
}

/* All hits, which are found behind the next one: the two would share what reads names. */
static void
ask_hits(struct variables_view *t)
{
	struct variables_fetch *f;

	if (!t->hits || t->hits_asked || t->fetch[ASK_SEEK])
		return;
	f = variables_begin(t, ASK_HITS);
	if (!f)
		return;
	f->list = ts_variable_list_hold(t->hits);
	leave_sums(t);
	t->hits_asked = true;
	variables_send(t, ASK_HITS, f);
}

/* What is searched for; the next hit from the cursor on, where somebody waits for one. */
static void
ask_search(struct variables_view *t)
{
	if (t->needle.count > 0 && !t->hits && t->v && !t->need_count &&
		ts_variables_placed(t->v)) {
		struct ts_variable_list *hits = ts_variable_list_new(t->v, TS_SORT_ROW, false,
			&t->needle);

		if (hits && !ts_variable_list_select(hits, &t->view.env->selection->tiles.set)) {
			ts_variable_list_release(hits);
			hits = NULL;
		}
		t->hits = hits;
		t->hits_asked = false;
	}
	if (t->seek && !t->fetch[ASK_SEEK] && !t->fetch[ASK_NEXT] &&
		!t->need_count) /* while the others are counted */
		variables_next(t, t->direction);
	ask_hits(t);
}

/* Somebody waits for them: what nobody waits for comes behind. */
static bool
hits_are_coming(const struct variables_view *t)
{
	return t->hits && !atomic_load(&t->hits->ready);
}

/* The bytes of all rows, where neither the index will tell them nor another pass. */
static void
ask_sums(struct variables_view *t)
{
	struct variables_fetch *f;

	if (t->bytes != TS_UNKNOWN || t->summed || t->making || t->need_count || !t->list ||
		t->fetch[ASK_SUMS] || hits_are_coming(t) ||
		ts_view_waits(t->view.env, TS_SECTION_VARIABLES, TS_LOWERED_VARIABLE))
		return;
	f = variables_begin(t, ASK_SUMS);
	if (!f)
		return;
	f->list = ts_variable_list_new(t->v, TS_SORT_ROW, false, NULL);
	if (!f->list) {
		ts_fetch_free(&f->fetch);
		return;
	}
	t->summed = true;
	variables_send(t, ASK_SUMS, f);
}

/* Once the names are in the index. Without it few rows take longer, no more. */
static void
ask_by_name(struct variables_view *t)
{
	struct variables_fetch *f;

	if (t->by_name || t->by_name_asked || !variables_has_columns(t) || t->need_count ||
		t->making || !t->list || !ts_variables_placed(t->v) || hits_are_coming(t) ||
		!ts_variable_sort_can(t->v, TS_SORT_NAME) ||
		ts_reach_span(&t->view.env->report->binding[TS_LOWERED_VARIABLE].reach) <=
			TS_VIEW_MANY_VARIABLES)
		return;
	f = variables_begin(t, ASK_BY_NAME);
	if (!f)
		return;
	f->list = ts_variable_list_new(t->v, TS_SORT_NAME, false, NULL);
	if (!f->list) {
		ts_fetch_free(&f->fetch);
		return;
	}
	t->by_name_asked = true;
	variables_send(t, ASK_BY_NAME, f);
}

static bool
has_many_pieces(const struct variables_view *t)
{
	return ts_reach_span(&t->view.env->report->binding[TS_LOWERED_VARIABLE].reach) >
		TS_VIEW_MANY_VARIABLES;
}

/* What other relations say, as far as a column on the screen shows it. */
static void
ask_facts(struct variables_view *t)
{
	const struct ts_variable_facts *known = t->v->facts;
	bool spread = t->v->has_spread && !atomic_load(&known->spreads) &&
		variables_wants_spread(t);
	bool lives = t->v->has_lives && !atomic_load(&known->alive);
	struct variables_fetch *f;

	if (t->facts_failed || t->fetch[ASK_FACTS] || (!lives && !spread))
		return;
	if (spread && has_many_pieces(t))
		t->view.env->wanted |= ts_section_bit(TS_SECTION_PIECES);
	if (spread &&
		(ts_view_waits(t->view.env, TS_SECTION_VARIABLES, TS_LOWERED_VARIABLE) ||
			ts_view_waits(t->view.env, TS_SECTION_PIECES, TS_LOWERED_VARIABLE)))
		spread = false;
	if (!lives && !spread)
		return;
	f = variables_begin(t, ASK_FACTS);
	if (!f)
		return;
	f->spread = spread;
	variables_send(t, ASK_FACTS, f);
}

/* Where the unlowered variable of the row under the cursor lies. */
static void
ask_pieces(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	struct variables_fetch *f = (struct variables_fetch *)t->fetch[ASK_PIECES];
	struct ts_piece_list list;
	bool quick = x && ts_index_pieces(&list, t->view.env->index, x->variable);

	if (!t->v->has_spread || !x || x->variable == TS_UNKNOWN || t->at.details.h < 4 ||
		t->debug.shown || (t->making && !quick) || (f && f->variable == x->variable) ||
		(t->has_pieces && t->pieces.variable == x->variable) ||
		ts_view_waits(t->view.env, TS_SECTION_VARIABLES, TS_LOWERED_VARIABLE))
		return;
	f = variables_begin(t, ASK_PIECES);
	if (!f)
		return;
	if (has_many_pieces(t))
		t->view.env->wanted |= ts_section_bit(TS_SECTION_PIECES); /* for the next row */
	f->variable = x->variable;
	f->quick = quick;
	f->moving = t->fetch[ASK_PIECES] && !quick;
	variables_send(t, ASK_PIECES, f);
}

/* The cursor has moved: others look at its tile, too. Who only came to look takes no tile from them. */
static void
share_selection(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	int64_t before = t->shared;

	if (!x || x->place == before)
		return;
	t->shared = x->place;
	if (before < 0 || x->tile == TS_UNKNOWN)
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
	struct ts_debug_about about = {.relation = t->v->relation,
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

bool
variables_asks_selected(const struct ts_filter *f)
{
	for (int i = 0; i < f->count; i++)
		if (f->node[i].op == TS_FILTER_IN &&
			ts_tile_set_asks_selected(f->text + f->node[i].a))
			return true;
	return false;
}

/* Other tiles are selected: what asks for them is made anew, or let go of when there are none. */
static void
follow_selection(struct variables_view *t)
{
	const struct ts_selected_tiles *tiles = &t->view.env->selection->tiles;

	if (t->tiles_version == tiles->version)
		return;
	t->tiles_version = tiles->version;
	if (variables_asks_selected(&t->needle))
		variables_search(t, &(struct ts_filter){.count = 0}, 1);
	if (!variables_asks_selected(&t->wish.filter))
		return;
	t->again = true;
	t->to_top = true;
	if (tiles->count > 0)
		return;
	t->wish.filter = (struct ts_filter){.count = 0};
	ts_view_say(t->view.env, "no tiles are selected any more: all variables");
}

void
variables_request(struct ts_view *v)
{
	struct variables_view *t = (struct variables_view *)v;

	if (!t->v) {
		/* who is opened before it is known where something is kept keeps no order, and finds none */
		bool early = !v->env->cache && v->env->looking;

		if (t->data.state == TS_PANE_EMPTY && !early) {
			struct variables_fetch *f = variables_begin(t, ASK_OPEN);

			if (f) {
				f->unlowered = t->unlowered;
				t->data.state = TS_PANE_LOADING;
				variables_send(t, ASK_OPEN, f);
			}
		}
		return;
	}
	if (!t->unlowered)
		ts_view_wants_columns(v->env);
	follow_selection(t);
	ask_count(t);
	ask_list(t);
	look_at_making(t);
	ask_window(t);
	ask_search(t);
	ask_sums(t);
	ask_by_name(t);
	ask_facts(t);
	ask_pieces(t);
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

	if (t->v && t->data.state == TS_PANE_FAILED)
		t->data.state = TS_PANE_READY;
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
	leave(t, ASK_HITS);
	leave(t, ASK_SEEK);
	leave(t, ASK_NEXT);
	ts_variable_list_release(t->hits);
	t->hits = NULL;
	t->hits_asked = t->unseekable = false;
	t->more = 0;
	t->needle = *needle;
	t->direction = by;
	t->seek = needle->count > 0;
}

/* From the cursor on. */
static void
ask_next(struct variables_view *t, enum variables_kind kind, int by)
{
	struct variables_fetch *f = variables_begin(t, kind);

	if (!f)
		return;
	f->list = ts_variable_list_hold(t->list);
	f->hits = ts_variable_list_hold(t->hits);
	f->position = t->rows.cursor;
	f->by = by;
	variables_send(t, kind, f);
}

void
variables_next_slowly(struct variables_view *t, int by)
{
	if (t->v->range == TS_RANGE_ALL && !atomic_load(&t->hits->ready)) {
		variables_say_hits(t,
			t->rows.cursor); /* no row can be read before those that stand before it */
		return;
	}
	ask_next(t, ASK_NEXT, by);
}

void
variables_next(struct variables_view *t, int by)
{
	if (!t->list || !t->hits)
		return;
	if (variables_has_columns(t) && atomic_load(&t->list->ready) &&
		(!t->unseekable || atomic_load(&t->hits->ready)))
		ask_next(t, ASK_SEEK, by);
	else
		variables_next_slowly(t, by);
}

/* "hit 3 of ": which of the hits stands at a position, where few stand before it; else nothing. */
static void
number_of(const struct variables_view *t, int64_t position, char out[40])
{
	enum { LOOKS = 1 << 11 }; /* each of them looks a place up: some tenths of a millisecond */
	char number[TS_FMT_MAX];
	int64_t n = 0;

	out[0] = '\0';
	if (!t->list || position < 0 || position >= LOOKS ||
		!ts_variable_list_has(t->hits, ts_variable_list_place(t->list, position)))
		return;
	for (int64_t i = 0; i <= position; i++)
		n += ts_variable_list_has(t->hits, ts_variable_list_place(t->list, i));
	snprintf(out, 40, "hit %s of ", ts_fmt_count(number, n));
}

void
variables_say_hits(struct variables_view *t, int64_t position)
{
	char count[TS_FMT_MAX], bytes[TS_FMT_MAX], number[40];
	int64_t sum;

	if (!t->hits)
		return;
	if (!atomic_load(&t->hits->ready)) {
		ts_view_say(t->view.env, "counting what matches \"%.80s\"", t->needle.line);
		return;
	}
	number_of(t, position, number);
	if (t->list && t->list->filter.count > 0 && atomic_load(&t->list->ready)) {
		ts_view_say(t->view.env,
			*number ? "%s%s among the rows shown that match \"%.80s\""
				: "%s%s of the rows shown match \"%.80s\"",
			number, ts_fmt_count(count, ts_variable_list_common(t->list, t->hits)),
			t->needle.line);
		return;
	}
	sum = atomic_load(&t->hits->bytes);
	ts_view_say(t->view.env, "%s%s variable%s %smatch%s \"%.80s\"%s%s", number,
		ts_fmt_count(count, t->hits->count), t->hits->count == 1 ? "" : "s",
		*number ? "that " : "", t->hits->count == 1 ? "es" : "", t->needle.line,
		sum >= 0 ? ", " : "",
		sum >= 0 ? ts_fmt_bytes(bytes, sum, t->view.env->options->units) : "");
}

void
variables_level(struct variables_view *t)
{
	struct variables_level other = t->other;

	t->other.wish = t->wish;
	t->other.chosen = t->chosen;
	t->other.row = t->rows.cursor;
	t->unlowered = !t->unlowered;
	variables_drop(t);
	t->wish = other.wish;
	t->chosen = other.chosen;
	t->kept_row = other.row;
	t->needle.count = 0;
}
