/* SPDX-License-Identifier: MIT */
/*
 * liveness_lifetimes - the tab with a bar for the life of each marked variable; without marks, of those that are
 * alive at the step, the ones with the most bytes x idle steps. The bars have the steps that the graph shows.
 *
 * What a variable's uses are is known where programs name it (lifetimes.h): its bar is full there and shaded where it
 * lies idle; where no program names it the bar is a double line, and idle is not known. On a tile variables are its
 * pieces, each with the uses of its own.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/view/sheet.h"

#include "liveness_lifetimes.h"
#include "liveness_tabs.h"

enum { BARS_FROM = 50 /* columns of the pane from which half of it are bars */ };

enum { ASK_ROWS, ASK_REST, ASK_ORDER, ASK_HIT }; /* kinds of the tab's fetches */

struct lifetimes_fetch {
	struct ts_fetch f;
	struct lifetimes_question q;
	bool want_uses;
	char why[TS_ERR_MSG]; /* uses are not known */
	bool damaged;	      /* that is why */
	struct lifetimes_rows *rows;
};

static enum ts_code
read_lifetimes(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct lifetimes_fetch *l = (struct lifetimes_fetch *)f;
	struct lifetimes_question *q = &l->q;
	struct ts_err why = {0};
	enum ts_code code;

	if (l->want_uses) {
		code = q->lives->lowered
			? ts_uses_read_pieces(&q->uses, rd, q->lives, q->cache, &f->job.progress,
				  &why)
			: ts_uses_read(&q->uses, rd, q->cache, &f->job.progress, &why);
		if (code == TS_E_NOMEM || code == TS_E_CANCELLED) {
			*err = why;
			return code;
		}
		l->damaged = code == TS_E_DAMAGED;
		if (code)
			snprintf(l->why, sizeof(l->why), "%s", why.msg);
	}
	return live_lifetimes_read(&l->rows, q, rd, err);
}

static void
fini_lifetimes(struct ts_fetch *f)
{
	struct lifetimes_fetch *l = (struct lifetimes_fetch *)f;

	live_lifetimes_question_fini(&l->q);
	live_lifetimes_close(l->rows);
}

/* --- asking ----------------------------------------------------------------------------------- */

/*
 * The number that a mark has among the lives: of a variable before lowering its own, on a tile the row of the piece. -1:
 * it has none here.
 */
static int64_t
mark_number(const struct liveness *s, const struct ts_marked_variable *m)
{
	if (!s->lives->lowered)
		return m->variable;
	return m->lowered && live_same_rows(s) ? m->row : -1;
}

static int
marked_numbers(const struct liveness *s, int64_t number[TS_MARKED_VARIABLES])
{
	const struct ts_marked_variables *m = &s->v.env->selection->marked;
	int n = 0;

	for (int i = 0; i < m->count; i++) {
		int64_t of = mark_number(s, &m->item[i]);

		if (of >= 0)
			number[n++] = of;
	}
	return n;
}

/* Uses of pieces are those of one tile; the others are of all. */
static bool
has_looked(const struct lifetimes_tab *d)
{
	const struct liveness *s = d->s;

	return d->looked && d->looked_of == (s->lives->lowered ? s->lives_data : 0);
}

static void
fill_question(const struct lifetimes_tab *d, struct lifetimes_question *q, int most)
{
	const struct liveness *s = d->s;

	*q = (struct lifetimes_question){.lives = ts_lives_hold(s->lives),
		.uses = d->uses && has_looked(d) ? ts_uses_hold(d->uses) : NULL,
		.cache = s->v.env->cache,
		.step = live_step(s),
		.most = most};
	q->count = marked_numbers(s, q->number);
	q->by_number = q->count > 0;
}

static struct lifetimes_fetch *
new_fetch(const struct lifetimes_tab *d, int most)
{
	struct lifetimes_fetch *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->f.read = read_lifetimes;
	f->f.fini = fini_lifetimes;
	f->want_uses = !has_looked(d);
	fill_question(d, &f->q, most);
	return f;
}

/* Are the rows those of what is shown? */
static bool
is_asked(const struct lifetimes_tab *d)
{
	const struct liveness *s = d->s;

	return d->of == s->lives_data && d->marked == s->v.env->selection->marked.version + 1 &&
		(d->of_marked || d->alive == s->alive_data);
}

static void
ask_rows(struct lifetimes_tab *d, struct ts_tab *t)
{
	struct liveness *s = d->s;
	struct lifetimes_fetch *f = new_fetch(d, TS_LIFETIME_ROWS);

	if (!f)
		return;
	d->of = s->lives_data;
	d->marked = s->v.env->selection->marked.version + 1;
	d->alive = s->alive_data;
	d->of_marked = f->q.by_number;
	d->sent = &f->f;
	d->rest = NULL;
	d->stopped = false;
	d->pane.state = d->rows ? TS_PANE_STALE : TS_PANE_LOADING;
	live_send(t, &f->f, ASK_ROWS, f->want_uses ? INT64_MAX : 0, "looking at lifetimes");
}

/* All of them, when nobody waits for anything else. */
static void
ask_rest(struct lifetimes_tab *d, struct ts_tab *t)
{
	struct lifetimes_fetch *f = new_fetch(d, (int)ts_min_i64(d->rows->count, TS_LIFETIME_MOST));

	if (!f)
		return;
	d->rest = &f->f;
	f->f.job.patient = true;
	ts_fetch_send(t->view, &f->f, t->kind + ASK_REST, TS_WORKER_BULK,
		"looking at all lifetimes");
}

/* Will there be more rows than are here? */
static bool
more_come(const struct lifetimes_tab *d)
{
	return live_lifetimes_some(d->rows) && !d->stopped && d->rows->made.rows < TS_LIFETIME_MOST;
}

static void begin(struct lifetimes_tab *d, const struct ts_tab *t);

static void
ask_order(struct lifetimes_tab *d, struct ts_tab *t)
{
	const struct ts_table_wish wish = ts_table_wish(&d->l.order);
	struct ts_arrangeable what;

	if (live_lifetimes_as_they_come(&wish)) {
		ts_arranging_set(&d->arranging, &d->l.table, &d->l.list, d->l.of, NULL);
		return;
	}
	what = live_lifetimes_arrangeable(d->rows);
	ts_arranging_send(&d->arranging, t, t->kind + ASK_ORDER, &d->l.table, d->l.of, &what);
}

static void
ask_hit(struct lifetimes_tab *d, struct ts_tab *t)
{
	struct ts_arrangeable what;

	d->search.wanted = false;
	if (!d->l.order.elsewhere) {
		ts_held_list_find(&d->l, t->view->env, d->search.step, d->search.here);
		return;
	}
	what = live_lifetimes_arrangeable(d->rows);
	(void)ts_row_search_send(&d->search, t, t->kind + ASK_HIT, &d->l.list, d->l.of, d->l.needle,
		&what, d->l.order.row ? d->arranging.shown : NULL);
}

static void
request(struct ts_tab *t)
{
	struct lifetimes_tab *d = t->own;
	struct liveness *s = d->s;

	if (!s->lives || !s->alive || !s->alive->listed || d->sent)
		return;
	if (!is_asked(d)) {
		ask_rows(d, t);
		return;
	}
	if (!d->rows)
		return;
	if (more_come(d) && !d->rest)
		ask_rest(d, t);
	begin(d, t);
	if (d->l.order.elsewhere && !ts_arranging_is_asked(&d->arranging, &d->l.order, d->l.of))
		ask_order(d, t);
	if (d->search.wanted && !more_come(d) && !d->arranging.sent)
		ask_hit(d, t);
}

static void
drop_uses(struct lifetimes_tab *d)
{
	ts_uses_close(d->uses);
	d->uses = NULL;
	d->looked = false;
	d->why[0] = '\0';
}

static void
drop_rows(struct lifetimes_tab *d)
{
	live_lifetimes_close(d->rows);
	d->rows = NULL;
	d->sent = d->rest = NULL;
	d->l.of++;
	ts_arranging_drop(&d->arranging);
	d->search = (struct ts_row_search){.wanted = false};
}

static void
drop_made(struct lifetimes_tab *d)
{
	drop_rows(d);
	d->of = 0;
	d->pane = (struct ts_pane_data){.state = TS_PANE_EMPTY};
}

/* What marks are called. */
static void
name_marks(const struct lifetimes_tab *d, struct lifetimes_rows *r)
{
	const struct ts_marked_variables *m = &d->s->v.env->selection->marked;

	r->count = m->count;
	for (int i = 0; d->s->lives && i < m->count; i++) {
		r->number[r->names_count] = mark_number(d->s, &m->item[i]);
		snprintf(r->name[r->names_count++], TS_MARKED_NAME, "%s", m->item[i].name);
	}
}

static void
take_rows(struct lifetimes_tab *d, struct lifetimes_fetch *answer)
{
	if (answer->rows->of_marked)
		name_marks(d, answer->rows);
	live_lifetimes_close(d->rows);
	d->rows = answer->rows;
	answer->rows = NULL;
	d->of_marked = d->rows->of_marked;
	d->l.of++;
}

static void
take_uses(struct lifetimes_tab *d, struct lifetimes_fetch *answer, struct ts_view_env *env)
{
	d->looked = true;
	d->looked_of = answer->q.lives->lowered ? d->of : 0;
	ts_uses_close(d->uses);
	d->uses = answer->q.uses;
	answer->q.uses = NULL;
	env->partial |= answer->damaged;
	snprintf(d->why, sizeof(d->why), "%s", answer->why);
}

/* No rows came. Of the first ones: what is here is of another step, and goes; of the rest: what is here is what there is. */
static enum ts_effect
fail_rows(struct lifetimes_tab *d, const struct lifetimes_fetch *answer, bool in_vain, bool rest)
{
	struct ts_err err = {0};

	if (!rest)
		drop_rows(d);
	if (in_vain)
		(void)ts_err_set(&err, TS_E_CANCELLED, "it was stopped; reload to try again");
	else
		err = answer->f.err;
	ts_pane_result(&d->pane, in_vain ? TS_E_CANCELLED : answer->f.code, &err, rest);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
deliver_rows(struct lifetimes_tab *d, struct ts_tab *t, struct lifetimes_fetch *answer)
{
	bool in_vain = ts_fetch_in_vain(&answer->f, t->view->env->generation);
	bool rest = &answer->f == d->rest;

	if (rest) {
		d->rest = NULL;
		d->stopped = in_vain || answer->f.code;
	} else {
		d->sent = NULL;
	}
	if (in_vain || answer->f.code)
		return fail_rows(d, answer, in_vain, rest);
	ts_pane_result(&d->pane, TS_OK, NULL, true);
	if (answer->want_uses)
		take_uses(d, answer, t->view->env);
	take_rows(d, answer);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct lifetimes_tab *d = t->own;
	struct ts_view_env *env = t->view->env;
	struct ts_row_hit found;

	if (f == d->sent || f == d->rest)
		return deliver_rows(d, t, (struct lifetimes_fetch *)f);
	if (f != d->arranging.sent && f != d->search.sent)
		return TS_EFFECT_NONE;
	begin(d, t);
	if (f == d->arranging.sent && d->l.order.elsewhere)
		ts_arranging_take(&d->arranging, f, env, &d->l.table, &d->l.list, d->l.of);
	else if (f == d->arranging.sent)
		ts_arranging_drop(&d->arranging);
	else if (ts_row_search_take(&d->search, f, env, d->l.of, &found))
		ts_held_list_found(&d->l, env, found.at, found.before, found.hits);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static void
begin(struct lifetimes_tab *d, const struct ts_tab *t)
{
	struct ts_held_table what = live_lifetimes_table;

	d->body = t->r;
	d->total = ts_rect_cut_bottom(&d->body, t->r.h >= 3);
	d->bars = (struct ts_rect){0};
	if (t->r.w >= BARS_FROM) {
		d->bars = ts_rect_cut_right(&d->body, t->r.w - t->r.w / 2);
		ts_rect_cut_left(&d->bars, 1);
	}
	if (d->rows && d->rows->count == 0)
		what.empty = "nothing but what is always live";
	d->l.order.elsewhere = live_lifetimes_count(d) > TS_ARRANGED_FROM;
	ts_held_list_begin(&d->l, t, &what, d->body, live_lifetimes_count(d));
}

/* --- the tab ---------------------------------------------------------------------------------- */

static bool
open_tab(struct ts_tab *t)
{
	struct lifetimes_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = t->host;
	ts_held_list_init(&d->l, L_PRODUCT);
	t->own = d;
	return true;
}

static void
drop(struct ts_tab *t)
{
	drop_made(t->own);
	drop_uses(t->own);
}

static void
close_tab(struct ts_tab *t)
{
	struct lifetimes_tab *d = t->own;

	drop(t);
	ts_held_list_fini(&d->l);
	ts_arranging_fini(&d->arranging);
	free(d);
}

static bool
is_absent(const struct ts_tab *t)
{
	return ((const struct liveness *)t->host)->table.state == TS_PANE_ABSENT;
}

static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct lifetimes_tab *d = t->own;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], of[TS_FMT_MAX];

	int64_t rows = live_lifetimes_count(d), count = d->rows ? d->rows->count : 0;

	if (!d->rows)
		snprintf(out, TS_TAB_NOTE, "step %s", ts_fmt_count(n, live_step(d->s)));
	else if (d->pane.state == TS_PANE_STALE || !is_asked(d))
		snprintf(out, TS_TAB_NOTE, "step %s, being looked at",
			ts_fmt_count(n, live_step(d->s)));
	else if (d->of_marked && rows < count)
		snprintf(out, TS_TAB_NOTE, "%s of %s marked, the others have no life here",
			ts_fmt_count(n, rows), ts_fmt_count(m, count));
	else if (d->of_marked)
		snprintf(out, TS_TAB_NOTE, "%s marked", ts_fmt_count(n, rows));
	else if (rows < count)
		snprintf(out, TS_TAB_NOTE, "idlest %s of %s%s, step %s%s%.120s",
			ts_fmt_count(n, rows), ts_fmt_count(m, count),
			more_come(d) ? " so far" : "", ts_fmt_count(of, live_step(d->s)),
			d->pane.reason[0] ? "; " : "", d->pane.reason);
	else
		snprintf(out, TS_TAB_NOTE, "alive at step %s", ts_fmt_count(n, live_step(d->s)));
}

static void
resize(struct ts_tab *t)
{
	begin(t->own, t);
}

#define MEANING \
	"idle: steps whose program does not name it (program_variable); ?: no program names it"

#define MEANING_SHORT "idle: no program of the step names it"

/* What idle means here, and why it may not be known; what the signs of the bars mean, where the line above has no room. */
static void
draw_meaning(struct ts_canvas *c, const struct lifetimes_tab *d, bool legend)
{
	struct ts_rect at = ts_held_list_below(&d->l, d->body, d->total);
	const char *why = d->why, *what = legend ? MEANING : MEANING_SHORT;
	int x = 0;

	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	if (!legend && !why[0])
		x = live_bars_legend(c, at, 0, true);
	if (live_has_replicas(d->s))
		x = ts_canvas_text(c, at, x, 0, TS_ROLE_TOTAL, "of one replica; ");
	if (d->rows->made.cut)
		x = ts_canvas_text(c, at, x, 0, TS_ROLE_NOTE,
			"too many pieces: not all bars are whole; ");
	if (why[0]) {
		x = ts_canvas_text(c, at, x, 0, TS_ROLE_NOTE, "idle is not known: ");
		ts_canvas_field(c, at, x, 0, at.w - x, TS_ROLE_NOTE, why, strlen(why),
			TS_FIELD_ELLIPSIS);
	} else {
		ts_canvas_field(c, at, x, 0, at.w - x, TS_ROLE_TOTAL, what, strlen(what),
			TS_FIELD_CLAUSES);
	}
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct lifetimes_tab *d = t->own;
	struct liveness *s = d->s;

	(void)focus;
	if (!ts_pane_has(&s->table)) {
		ts_pane_draw(c, t->r, s->v.env, &s->table);
	} else if (d->pane.state == TS_PANE_FAILED) {
		ts_pane_draw(c, t->r, s->v.env, &d->pane);
	} else if (!d->rows) {
		ts_canvas_pending(c, t->r, 2, 0);
	} else {
		begin(d, t);
		ts_held_list_draw(&d->l, c, d->body);
		draw_meaning(c, d, live_draw_bars(c, d));
	}
}

static int64_t
row_at_cursor(const struct lifetimes_tab *d)
{
	int64_t row = d->rows ? ts_held_list_row(&d->l) : -1;

	return row < live_lifetimes_count(d) ? row : -1;
}

/* Take the mark of the row away. */
static enum ts_effect
unmark(struct lifetimes_tab *d)
{
	struct ts_marked_variables *m = &d->s->v.env->selection->marked;
	const struct liveness *s = d->s;
	int64_t row = row_at_cursor(d);

	for (int i = 0; row >= 0 && d->of_marked && i < m->count; i++)
		if (s->lives && mark_number(s, &m->item[i]) == d->rows->made.row[row].variable) {
			struct ts_marked_variable v = m->item[i];

			ts_marked_toggle(m, &v);
			return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
		}
	ts_view_say(d->s->v.env, "variables are marked in the list of those that are alive");
	return TS_EFFECT_BELL;
}

static enum ts_effect
command(struct ts_tab *t, const struct ts_call *call)
{
	struct lifetimes_tab *d = t->own;

	begin(d, t);
	if (call->cmd == TS_CMD_MARK)
		return unmark(d);
	if (d->l.order.elsewhere || more_come(d)) {
		enum ts_effect effect = ts_row_search_command(&d->search, d->l.needle, call);

		if (!(effect & TS_EFFECT_UNKNOWN))
			return effect;
	}
	return ts_held_list_command(&d->l, t, call);
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct lifetimes_tab *d = t->own;

	(void)x;
	begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct lifetimes_tab *d = t->own;
	int64_t row = row_at_cursor(d);

	if (row < 0 || d->rows->made.row[row].variable < 0 || d->s->shown.where == TS_LIVE_TILE)
		return false;
	*out = (struct ts_debug_about){.relation = TS_VARIABLE,
		.key = d->rows->made.row[row].variable,
		.what = "variable"};
	return true;
}

static struct ts_list *
list(struct ts_tab *t, bool *there)
{
	struct lifetimes_tab *d = t->own;

	*there = d->rows && !d->sent && !d->search.wanted && !d->search.sent && !d->arranging.sent;
	return &d->l.list;
}

/* lowered_variable.id of a row that is a piece; TS_UNKNOWN. */
static int64_t
piece_id(const struct lifetimes_tab *d, int64_t row)
{
	const struct ts_marked_variables *m = &d->s->v.env->selection->marked;
	const struct ts_alive *names = d->rows->names;
	int64_t number = d->rows->made.row[row].variable;

	for (int i = 0; d->of_marked && d->s->lives && i < m->count; i++)
		if (m->item[i].lowered && mark_number(d->s, &m->item[i]) == number)
			return m->item[i].id;
	if (!d->of_marked && names && row < names->rows && names->row[row].variable == number)
		return names->row[row].id;
	return TS_UNKNOWN;
}

static void
explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct lifetimes_tab *d = t->own;
	int64_t row = row_at_cursor(d);
	char buf[LIFETIME_NAME];

	if (row >= 0)
		live_explain_lifetime(d->s, out, &d->rows->made, row, piece_id(d, row),
			live_lifetime_name(d->rows, row, buf));
}

static struct ts_row_source *
make_source(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;
	const struct lifetimes_tab *d = ts_tabs_at(&s->tabs)->own;
	struct lifetimes_question q;

	fill_question(d, &q, (int)ts_min_i64(d->rows->count, TS_LIFETIME_MOST));
	return live_lifetimes_source(d->rows, &q, &d->l.order);
}

static bool
sheet(struct ts_tab *t, struct ts_sheet *out)
{
	const struct lifetimes_tab *d = t->own;

	if (!d->rows || !d->s->lives || !live_tab_sheet(t, out))
		return false;
	if (d->l.order.elsewhere || live_lifetimes_some(d->rows))
		out->source = make_source;
	out->wait = d->sent || !is_asked(d) ? "they are being looked at" : NULL;
	return true;
}

static bool
chart(struct ts_tab *t, struct ts_chart_page *page)
{
	return live_bars_chart(t->own, page);
}

static const struct ts_hint hints[] = {
	{TS_CMD_MARK, "unmark"}, /* first: hints_now() */
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_COUNT, NULL},
};

/* Where nothing is marked there is nothing to unmark. */
static const struct ts_hint *
hints_now(const struct ts_tab *t)
{
	const struct lifetimes_tab *d = t->own;

	return d->of_marked ? hints : hints + 1;
}

const struct ts_tab_ops live_tab_lifetimes = {
	.name = "lifetimes",
	.title = "Lifetimes",
	.brief = "Lives",
	.hints_now = hints_now,
	.explain = explain,
	.chart = chart,
	.open = open_tab,
	.close = close_tab,
	.drop = drop,
	.absent = is_absent,
	.note = note,
	.resize = resize,
	.request = request,
	.deliver = deliver,
	.draw = draw,
	.command = command,
	.mouse = mouse,
	.about = about,
	.list = list,
	.sheet = sheet,
};
