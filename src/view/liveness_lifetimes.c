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

#include "liveness_lifetimes.h"
#include "liveness_tabs.h"

enum {
	BARS_FROM = 50, /* columns of the pane from which half of it are bars */
	NAME = 14,
};

struct lifetimes_fetch {
	struct ts_fetch f;
	struct ts_lives *lives; /* held */
	struct ts_uses *uses;	/* held; NULL: read them, or there are none */
	bool want_uses;
	const struct ts_cache *cache; /* may be NULL */
	char why[TS_ERR_MSG];	      /* uses are not known */
	bool damaged;		      /* that is why */
	bool by_number;		      /* `number` is looked for; else the idlest at the step */
	int64_t step, alive;
	int count;
	int64_t number[TS_MARKED_VARIABLES];
	uint32_t index[TS_LIFETIME_ROWS];
	struct ts_lifetimes made;
	struct ts_alive *names;
};

/* Where none of them has a life here, those that are alive are shown. */
static void
find_marks(struct lifetimes_fetch *l)
{
	bool some = false;

	ts_lives_find(l->index, l->lives, l->number, l->count);
	for (int i = 0; i < l->count; i++)
		some |= l->index[i] != UINT32_MAX;
	l->by_number = some;
}

static enum ts_code
read_lifetimes(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct lifetimes_fetch *l = (struct lifetimes_fetch *)f;
	struct ts_err why = {0};
	enum ts_code code;

	if (l->want_uses) {
		code = l->lives->lowered
			? ts_uses_read_pieces(&l->uses, rd, l->lives, l->cache, &f->job.progress,
				  &why)
			: ts_uses_read(&l->uses, rd, l->cache, &f->job.progress, &why);
		if (code == TS_E_NOMEM || code == TS_E_CANCELLED) {
			*err = why;
			return code;
		}
		l->damaged = code == TS_E_DAMAGED;
		if (code)
			snprintf(l->why, sizeof(l->why), "%s", why.msg);
	}
	code = TS_OK;
	if (l->by_number)
		find_marks(l);
	if (!l->by_number)
		code = ts_lifetimes_idlest(l->index, &l->count, &l->alive, l->lives, l->uses,
			l->step, TS_LIFETIME_ROWS, rd->cancel, err);
	if (!code)
		code = ts_lifetimes_make(&l->made, l->lives, l->uses, l->index, l->count,
			rd->cancel, err);
	if (!code && !l->by_number)
		code = ts_alive_pick(&l->names, rd, l->lives, l->index, l->count, err);
	return code;
}

static void
fini_lifetimes(struct ts_fetch *f)
{
	struct lifetimes_fetch *l = (struct lifetimes_fetch *)f;

	ts_lives_close(l->lives);
	ts_uses_close(l->uses);
	ts_lifetimes_fini(&l->made);
	ts_alive_close(l->names);
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
marked_numbers(const struct liveness *s, struct lifetimes_fetch *f)
{
	const struct ts_marked_variables *m = &s->v.env->selection->marked;
	int n = 0;

	for (int i = 0; i < m->count; i++) {
		int64_t number = mark_number(s, &m->item[i]);

		if (number >= 0)
			f->number[n++] = number;
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
fill_question(struct lifetimes_tab *d, struct lifetimes_fetch *f)
{
	const struct liveness *s = d->s;

	f->lives = ts_lives_hold(s->lives);
	f->want_uses = !has_looked(d);
	f->cache = s->v.env->cache;
	f->uses = d->uses && !f->want_uses ? ts_uses_hold(d->uses) : NULL;
	f->count = marked_numbers(s, f);
	f->by_number = f->count > 0;
	f->step = live_step(s);
}

static void
request(struct ts_tab *t)
{
	struct lifetimes_tab *d = t->own;
	struct liveness *s = d->s;
	uint64_t marked = s->v.env->selection->marked.version + 1;
	struct lifetimes_fetch *f;
	bool others;

	if (!s->lives || !s->alive || !s->alive->listed || d->sent)
		return;
	others = !d->of_marked && d->alive != s->alive_data;
	if (d->of == s->lives_data && d->marked == marked && !others)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_lifetimes;
	f->f.fini = fini_lifetimes;
	fill_question(d, f);
	d->of = s->lives_data;
	d->marked = marked;
	d->alive = s->alive_data;
	d->of_marked = f->by_number;
	d->sent = &f->f;
	live_send(t, &f->f, 0, f->want_uses ? INT64_MAX : 0, "looking at lifetimes");
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
drop_made(struct lifetimes_tab *d)
{
	ts_lifetimes_fini(&d->made);
	ts_alive_close(d->names);
	d->names = NULL;
	d->known = false;
	d->sent = NULL;
	d->of = 0;
	d->l.of++;
}

static enum ts_effect
deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct lifetimes_tab *d = t->own;
	struct lifetimes_fetch *answer = (struct lifetimes_fetch *)f;
	const struct ts_marked_variables *m = &t->view->env->selection->marked;
	const struct liveness *s = d->s;

	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation) || f->code)
		return TS_EFFECT_REPAINT;
	if (answer->want_uses) {
		d->looked = true;
		d->looked_of = answer->lives->lowered ? d->of : 0;
		ts_uses_close(d->uses);
		d->uses = answer->uses;
		answer->uses = NULL;
		t->view->env->partial |= answer->damaged;
		snprintf(d->why, sizeof(d->why), "%s", answer->why);
	}
	ts_lifetimes_fini(&d->made);
	d->made = answer->made;
	answer->made = (struct ts_lifetimes){0};
	ts_alive_close(d->names);
	d->names = answer->names;
	answer->names = NULL;
	d->known = true;
	d->of_marked = answer->by_number;
	d->count = answer->by_number ? m->count : answer->alive;
	d->names_count = 0;
	for (int i = 0; d->of_marked && s->lives && i < m->count; i++) {
		d->number[d->names_count] = mark_number(s, &m->item[i]);
		snprintf(d->name[d->names_count++], TS_MARKED_NAME, "%s", m->item[i].name);
	}
	d->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- the table -------------------------------------------------------------------------------- */

enum { C_NAME, C_BYTES, C_STEPS, C_IDLE, C_PRODUCT, C_LONGEST, C_USED, C_COUNT };

static const struct ts_column columns[C_COUNT] = {
	{"lifetime of", NAME, 60, 1, 0, TS_FIELD_TAIL},
	{"bytes", 9, 0, 0, 0, TS_FIELD_RIGHT},
	{"steps", 7, 0, 0, 4, TS_FIELD_RIGHT},
	{"idle", 7, 0, 0, 3, TS_FIELD_RIGHT},
	{"bytes x idle", 14, 0, 0, 1, TS_FIELD_RIGHT},
	{"longest", 7, 0, 0, 5, TS_FIELD_RIGHT},
	{"used", 6, 0, 0, 6, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[C_COUNT] = {
	{"variable", NULL, TS_SUM_COUNT, false},
	{"bytes", "bytes", TS_SUM_BYTES, false},
	{"steps", "steps", TS_SUM_NONE, false},
	{"idle", "steps", TS_SUM_NONE, false},
	{"bytes_x_idle", "bytes x steps", TS_SUM_NONE, false},
	{"longest_idle", "steps", TS_SUM_NONE, false},
	{"used", "steps", TS_SUM_NONE, true},
};

const char *
live_lifetime_name(const struct lifetimes_tab *d, int64_t i, char *buf, size_t size)
{
	int64_t variable = d->made.row[i].variable;

	for (int k = 0; d->of_marked && k < d->names_count; k++)
		if (d->number[k] == variable && d->name[k][0])
			return d->name[k];
	/* those that are listed were asked for in the order of the list */
	if (d->names && i < d->names->rows && d->names->row[i].variable == variable &&
		*ts_alive_name(d->names, (int)i))
		return ts_alive_name(d->names, (int)i);
	snprintf(buf, size, "%s %lld",
		variable < 0 || (d->s->lives && d->s->lives->lowered) ? "row" : "variable",
		(long long)(variable < 0 ? -1 - variable : variable));
	return buf;
}

static int64_t
figure(const struct ts_lifetime *row, int column)
{
	int64_t idle = row->idle;

	switch (column) {
	case C_BYTES:
		return row->bytes;
	case C_STEPS:
		return row->steps;
	case C_IDLE:
		return idle;
	case C_PRODUCT:
		if (idle > 0 && row->bytes > TS_NUMBER_MAX / idle)
			return TS_NUMBER_MAX;
		return idle == TS_UNKNOWN ? TS_UNKNOWN : idle * row->bytes;
	case C_LONGEST:
		return row->longest;
	default:
		return row->used;
	}
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct lifetimes_tab *d = ctx;
	int64_t v;

	if (i < 0 || i >= d->made.rows)
		return false;
	out->s = out->buf;
	out->role = column == C_BYTES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	if (column == C_NAME) {
		out->s = live_lifetime_name(d, i, out->buf, sizeof(out->buf));
		return true;
	}
	v = figure(&d->made.row[i], column);
	if (v == TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "?");
	else if (column == C_BYTES)
		ts_fmt_bytes(out->buf, v, live_units(d->s));
	else
		ts_fmt_count(out->buf, v);
	return true;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct lifetimes_tab *d = ctx;

	if (i < 0 || i >= d->made.rows)
		return false;
	if (column == C_NAME)
		ts_table_value_text(out, live_lifetime_name(d, i, out->buf, sizeof(out->buf)));
	else
		ts_table_value_known(out, figure(&d->made.row[i], column));
	return true;
}

static const struct ts_held_table table = {.id = "liveness.lifetimes",
	.column = columns,
	.facts = facts,
	.columns = C_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no variable to show: mark some (m) in the list of variables"};

static void
begin(struct lifetimes_tab *d, const struct ts_tab *t)
{
	struct ts_held_table what = table;

	d->body = t->r;
	d->total = ts_rect_cut_bottom(&d->body, t->r.h >= 3);
	d->bars = (struct ts_rect){0};
	if (t->r.w >= BARS_FROM) {
		d->bars = ts_rect_cut_right(&d->body, t->r.w - t->r.w / 2);
		ts_rect_cut_left(&d->bars, 1);
	}
	what.empty = d->known && d->count == 0 ? "nothing but what is always live" : table.empty;
	ts_held_list_begin(&d->l, t, &what, d->body, d->known ? d->made.rows : 0);
}

/* --- the tab ---------------------------------------------------------------------------------- */

static bool
open_tab(struct ts_tab *t)
{
	struct lifetimes_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = t->host;
	ts_held_list_init(&d->l, C_PRODUCT);
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
	drop(t);
	ts_held_list_fini(&((struct lifetimes_tab *)t->own)->l);
	free(t->own);
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

	if (!d->known)
		snprintf(out, TS_TAB_NOTE, "step %s", ts_fmt_count(n, live_step(d->s)));
	else if (d->of_marked && d->made.rows < d->count)
		snprintf(out, TS_TAB_NOTE, "%d of %s marked, the others have no life here",
			d->made.rows, ts_fmt_count(n, d->count));
	else if (d->of_marked)
		snprintf(out, TS_TAB_NOTE, "%d marked", d->made.rows);
	else if (d->made.rows < d->count)
		snprintf(out, TS_TAB_NOTE, "idlest %s of %s, step %s",
			ts_fmt_count(n, d->made.rows), ts_fmt_count(m, d->count),
			ts_fmt_count(of, live_step(d->s)));
	else
		snprintf(out, TS_TAB_NOTE, "alive at step %s; m marks",
			ts_fmt_count(n, live_step(d->s)));
}

static void
resize(struct ts_tab *t)
{
	begin(t->own, t);
}

#define MEANING \
	"idle: steps whose program does not name it (program_variable); ?: no program names it"

/* What idle means here, and why it may not be known. */
static void
draw_meaning(struct ts_canvas *c, const struct lifetimes_tab *d)
{
	struct ts_rect at = ts_held_list_below(&d->l, d->body, d->total);
	const char *why = d->why;
	int x = 0;

	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	if (live_has_replicas(d->s))
		x = ts_canvas_text(c, at, 0, 0, TS_ROLE_TOTAL, "of one replica; ");
	if (why[0])
		ts_canvas_printf(c, at, x, 0, TS_ROLE_NOTE, "idle is not known: %s", why);
	else
		ts_canvas_field(c, at, x, 0, at.w - x, TS_ROLE_TOTAL, MEANING, strlen(MEANING),
			TS_FIELD_CLAUSES);
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct lifetimes_tab *d = t->own;
	struct liveness *s = d->s;

	(void)focus;
	if (!ts_pane_has(&s->table)) {
		ts_pane_draw(c, t->r, s->v.env, &s->table);
	} else if (!d->known) {
		ts_canvas_pending(c, t->r, 2, 0);
	} else {
		begin(d, t);
		ts_held_list_draw(&d->l, c, d->body);
		live_draw_bars(c, d);
		draw_meaning(c, d);
	}
}

/* Take the mark of the row away. */
static enum ts_effect
unmark(struct lifetimes_tab *d)
{
	struct ts_marked_variables *m = &d->s->v.env->selection->marked;
	const struct liveness *s = d->s;
	int64_t row = d->known ? ts_held_list_row(&d->l) : -1;

	for (int i = 0; row >= 0 && d->of_marked && i < m->count; i++)
		if (s->lives && mark_number(s, &m->item[i]) == d->made.row[row].variable) {
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
	int64_t row = d->known ? ts_held_list_row(&d->l) : -1;

	if (row < 0 || row >= d->made.rows || d->made.row[row].variable < 0 ||
		d->s->shown.where == TS_LIVE_TILE)
		return false;
	*out = (struct ts_debug_about){.relation = TS_VARIABLE,
		.key = d->made.row[row].variable,
		.what = "variable"};
	return true;
}

static struct ts_list *
list(struct ts_tab *t, bool *there)
{
	struct lifetimes_tab *d = t->own;

	*there = d->known && !d->sent;
	return &d->l.list;
}

/* lowered_variable.id of a row that is a piece; TS_UNKNOWN. */
static int64_t
piece_id(const struct lifetimes_tab *d, int64_t row)
{
	const struct ts_marked_variables *m = &d->s->v.env->selection->marked;
	int64_t number = d->made.row[row].variable;

	for (int i = 0; d->of_marked && d->s->lives && i < m->count; i++)
		if (m->item[i].lowered && mark_number(d->s, &m->item[i]) == number)
			return m->item[i].id;
	if (!d->of_marked && d->names && row < d->names->rows &&
		d->names->row[row].variable == number)
		return d->names->row[row].id;
	return TS_UNKNOWN;
}

static void
explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct lifetimes_tab *d = t->own;
	int64_t row = d->known ? ts_held_list_row(&d->l) : -1;

	char buf[64];

	if (row >= 0 && row < d->made.rows)
		live_explain_lifetime(d->s, out, &d->made.row[row], piece_id(d, row),
			live_lifetime_name(d, row, buf, sizeof(buf)));
}

static bool
chart(struct ts_tab *t, struct ts_chart_page *page)
{
	return live_bars_chart(t->own, page);
}

static const struct ts_hint hints[] = {
	{TS_CMD_MARK, "unmark"},
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_lifetimes = {
	.name = "lifetimes",
	.title = "Lifetimes",
	.brief = "Lives",
	.hints = hints,
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
	.sheet = live_tab_sheet,
};
