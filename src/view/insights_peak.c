/* SPDX-License-Identifier: MIT */
/*
 * insights_peak - rows of the tabs Peak and FP32: the largest are there with the findings, all others come behind them, as
 * work that rests while somebody waits for anything else, when one of the two is shown.
 *
 * Many rows are sorted, filtered and searched by a worker (arranged.h), which has a share in them; a file is written
 * from them, too.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"

#include "insights_peak.h"

enum { ASK_ORDER, ASK_HIT }; /* kinds of a tab's fetches */

static struct peak_tab *
own(const struct ts_tab *t)
{
	return t->own;
}

/* --- one row ---------------------------------------------------------------------------------- */

int64_t
peak_look_rows(const struct peak_look *k)
{
	if (k->all)
		return (int64_t)(k->halves ? k->all->halves : k->all->count);
	return k->halves ? k->found->halves.count : k->found->largest.count;
}

bool
peak_look_row(const struct peak_look *k, int64_t row, struct ts_peak_variable *out)
{
	const struct ts_peak_row *r;

	if (row < 0 || row >= peak_look_rows(k))
		return false;
	if (!k->all) {
		*out = (k->halves ? k->found->halves : k->found->largest).row[row];
		return true;
	}
	r = &k->all->row[k->halves ? k->all->half[row] : row];
	*out = (struct ts_peak_variable){.variable = r->variable,
		.bytes = r->bytes,
		.always = r->always,
		.fp32 = r->fp32,
		.type = r->type,
		.name = (char *)(uintptr_t)ts_peak_row_name(k->all, r)};
	return true;
}

double
peak_look_so_far(const struct peak_look *k, int64_t row)
{
	double sum = 0;

	if (k->all)
		return (double)k->all->row[row].so_far;
	for (int64_t i = 0; i <= row; i++)
		sum += (double)k->found->largest.row[i].bytes;
	return sum;
}

struct peak_look
peak_look(const struct insights_view *s, bool halves)
{
	return (struct peak_look){.found = &insights_facts(s)->peak,
		.all = s->peak,
		.what_if = &s->base.env->selection->what_if,
		.whole = (double)ts_peak_bytes(&insights_facts(s)->peak),
		.halves = halves};
}

int64_t
peak_share(const struct insights_view *s, int percent)
{
	const struct ts_peak_variables *p = &insights_facts(s)->peak;

	return s->peak ? ts_peak_rows_share(s->peak, ts_peak_bytes(p), percent)
		       : ts_peak_share(p, percent);
}

/* --- all rows --------------------------------------------------------------------------------- */

struct peak_fetch {
	struct ts_fetch fetch; /* first */
	int64_t step, replicas;
	struct ts_categories names; /* of the findings' categories, and nothing else */
	bool named;		    /* they are recorded */
	const struct ts_cache *cache;
	struct ts_peak_rows *rows;
};

static enum ts_code
read_peak(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct peak_fetch *q = (struct peak_fetch *)f;

	return ts_peak_rows_read(&q->rows, rd, q->step, q->replicas, q->named ? &q->names : NULL,
		q->cache, &f->job.progress, err);
}

static void
fini_peak(struct ts_fetch *f)
{
	struct peak_fetch *q = (struct peak_fetch *)f;

	ts_categories_fini(&q->names);
	ts_peak_rows_close(q->rows);
}

static bool
copy_names(struct ts_categories *to, const struct ts_categories *from)
{
	for (int i = 0; i < from->count; i++) {
		to->category[i].name = ts_strdup(from->category[i].name);
		if (!to->category[i].name)
			return false;
		to->count++;
	}
	return true;
}

bool
insights_peak_lacks(const struct insights_view *s)
{
	const struct ts_peak_variables *p = &insights_facts(s)->peak;

	return insights_ready(s) && insights_facts(s)->has_peak && !s->peak && !s->peak_failed &&
		p->always.count + p->alive.count > p->largest.count;
}

static void
ask_rows(struct insights_view *s)
{
	const struct ts_insight_facts *x = insights_facts(s);
	struct peak_fetch *q;

	if (!insights_peak_lacks(s) || s->peak_sent)
		return;
	q = ts_alloc(1, sizeof(*q));
	s->peak_failed = !q || !copy_names(&q->names, &x->categories);
	if (s->peak_failed) {
		if (q)
			fini_peak(&q->fetch);
		free(q);
		return;
	}
	q->named = x->has_categories;
	q->step = x->peak.step;
	q->replicas = x->peak.replicas;
	q->cache = s->base.env->cache;
	q->fetch.read = read_peak;
	q->fetch.fini = fini_peak;
	q->fetch.job.patient = true;
	s->peak_sent = &q->fetch;
	ts_fetch_send(&s->base, &q->fetch, INSIGHTS_FETCH_PEAK, TS_WORKER_BULK,
		"reading the smaller variables of the peak");
}

void
insights_peak_take(struct insights_view *s, struct ts_fetch *f)
{
	struct peak_fetch *q = (struct peak_fetch *)f;

	s->peak_sent = NULL;
	s->peak_failed = ts_fetch_in_vain(f, s->base.env->generation) || f->code;
	if (s->peak_failed) {
		if (f->code && f->code != TS_E_CANCELLED)
			ts_log_add(s->base.env->log, "variables of the peak: %s", f->err.msg);
		return;
	}
	s->peak = q->rows;
	q->rows = NULL;
	s->data++;
}

void
insights_peak_drop(struct insights_view *s)
{
	ts_peak_rows_close(s->peak);
	s->peak = NULL;
	s->peak_sent = NULL;
	s->peak_failed = false;
}

/* --- in a worker ------------------------------------------------------------------------------ */

/* What it has to know of the rows. */
struct question {
	struct peak_look look;
	struct ts_peak_rows *all; /* held */
	struct ts_what_if_changes what_if;
	const struct peak_table_of *of;
};

static void
free_question(void *ctx)
{
	struct question *q = ctx;

	ts_peak_rows_close(q->all);
	free(q);
}

static bool
far_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct question *q = ctx;

	return q->of->value(&q->look, row, column, out);
}

/* A search looks at the first column: it is given names. */
static bool
far_name(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct question *q = ctx;

	(void)column;
	return q->of->value(&q->look, row, q->of->name, out);
}

static bool
arrangeable(struct ts_arrangeable *out, const struct ts_tab *t, bool names)
{
	const struct insights_view *s = insights_host(t);
	const struct peak_table_of *of = own(t)->of;
	struct question *q = s->peak ? ts_alloc(1, sizeof(*q)) : NULL;

	if (!q)
		return false;
	q->of = of;
	q->all = ts_peak_rows_hold(s->peak);
	q->what_if = s->base.env->selection->what_if;
	q->look = peak_look(s, of->halves);
	q->look.found = NULL; /* that of the view may go */
	q->look.what_if = &q->what_if;
	*out = (struct ts_arrangeable){.rows = peak_look_rows(&q->look),
		.free = free_question,
		.table = {.column = of->column,
			.columns = of->columns,
			.facts = of->facts,
			.value = names ? far_name : far_value,
			.shared = true,
			.ctx = q}};
	return true;
}

static struct ts_table
table_of(const struct ts_tab *t)
{
	return own(t)->of->table->table(insights_host(t), &own(t)->l);
}

void
peak_set_order(const struct insights_view *s, struct insights_list *l, bool halves)
{
	const struct peak_look k = peak_look(s, halves);

	l->order.elsewhere = insights_ready(s) && peak_look_rows(&k) > TS_ARRANGED_FROM;
}

static void
ask_order(struct ts_tab *t)
{
	const struct insights_view *s = insights_host(t);
	struct peak_tab *p = own(t);
	struct ts_table_wish wish;
	struct ts_arrangeable what;
	struct ts_table table;

	insights_table_fit(t);
	wish = ts_table_wish(&p->l.order);
	table = table_of(t);
	if (!p->l.order.elsewhere || ts_arranging_is_asked(&p->arranging, &p->l.order, s->data))
		return;
	if (ts_table_wish_is_plain(&wish, 0))
		ts_arranging_set(&p->arranging, &table, &p->l.list, s->data, NULL);
	else
		ts_arranging_send(&p->arranging, t, t->kind + ASK_ORDER, &table, s->data,
			arrangeable(&what, t, false) ? &what : NULL);
}

/* When all rows are there, in their order. */
static void
ask_hit(struct ts_tab *t)
{
	struct insights_view *s = insights_host(t);
	struct peak_tab *p = own(t);
	struct ts_arrangeable what;

	if (!p->search.wanted || p->arranging.sent || insights_peak_lacks(s))
		return;
	p->search.wanted = false;
	if (p->l.order.elsewhere)
		(void)ts_row_search_send(&p->search, t, t->kind + ASK_HIT, &p->l.list, s->data,
			s->sought, arrangeable(&what, t, true) ? &what : NULL,
			p->l.order.row ? p->arranging.shown : NULL);
	else
		(void)insights_table_find(t, p->search.step, p->search.here);
}

/* --- the tab's functions ---------------------------------------------------------------------- */

bool
peak_tab_open(struct ts_tab *t, const struct peak_table_of *of)
{
	struct peak_tab *p = ts_alloc(1, sizeof(*p));

	if (!p)
		return false;
	ts_list_init(&p->l.list);
	ts_table_order_init(&p->l.order);
	p->of = of;
	t->own = p;
	return true;
}

void
peak_tab_drop(struct ts_tab *t)
{
	ts_arranging_drop(&own(t)->arranging);
	own(t)->search = (struct ts_row_search){.wanted = false};
}

void
peak_tab_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	peak_tab_drop(t);
	ts_table_order_fini(&own(t)->l.order);
	ts_arranging_fini(&own(t)->arranging);
	free(t->own);
	t->own = NULL;
}

void
peak_tab_request(struct ts_tab *t)
{
	ask_rows(insights_host(t));
	ask_order(t);
	ask_hit(t);
}

static enum ts_effect
take_hit(struct ts_tab *t, struct ts_fetch *f)
{
	struct insights_view *s = insights_host(t);
	struct ts_row_hit found;

	if (!ts_row_search_take(&own(t)->search, f, t->view->env, s->data, &found))
		return TS_EFFECT_REPAINT;
	if (found.at < 0) {
		ts_view_say_error(t->view->env, "not found%s: %s",
			s->peak && s->peak->named < s->peak->count
				? " in the names that are here, which are not all"
				: "",
			found.needle);
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_BELL);
	}
	ts_view_say_hit(t->view->env, found.before + 1, found.hits, NULL);
	return (enum ts_effect)(ts_list_jump(&own(t)->l.list, found.at) | TS_EFFECT_REPAINT);
}

enum ts_effect
peak_tab_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct peak_tab *p = own(t);
	struct ts_table table;

	if (f == p->search.sent)
		return take_hit(t, f);
	if (f != p->arranging.sent)
		return TS_EFFECT_NONE;
	insights_table_fit(t);
	table = table_of(t);
	if (p->l.order.elsewhere)
		ts_arranging_take(&p->arranging, f, t->view->env, &table, &p->l.list,
			insights_host(t)->data);
	else
		ts_arranging_drop(&p->arranging);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

_Static_assert((int)INSIGHTS_SOUGHT == (int)TS_ARRANGED_NEEDLE, "room for what is looked for");

enum ts_effect
peak_tab_command(struct ts_tab *t, const struct ts_call *call)
{
	struct insights_view *s = insights_host(t);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;

	if (own(t)->l.order.elsewhere || insights_peak_lacks(s))
		effect = ts_row_search_command(&own(t)->search, s->sought, call);
	return effect & TS_EFFECT_UNKNOWN ? insights_table_command(t, call) : effect;
}

struct ts_list *
peak_tab_list(struct ts_tab *t, bool *there)
{
	*there = insights_ready(insights_host(t)) && !insights_peak_lacks(insights_host(t));
	return &own(t)->l.list;
}

bool
peak_tab_some(const struct ts_tab *t)
{
	return insights_ready(insights_host(t));
}

/* --- files ------------------------------------------------------------------------------------ */

static struct ts_row_source *
make_source(struct ts_view *v)
{
	const struct ts_tab *t = ts_tabs_at(&((struct insights_view *)v)->tabs);
	struct ts_table table = table_of(t);
	struct ts_arrangeable rows;

	return arrangeable(&rows, t, false)
		? ts_arranged_source(&rows, &table, own(t)->arranging.shown)
		: NULL;
}

bool
peak_tab_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	if (!insights_table_sheet(t, out))
		return false;
	if (own(t)->l.order.elsewhere)
		out->source = make_source;
	if (insights_peak_lacks(insights_host(t)))
		out->wait = "the smaller ones are being read";
	else if (own(t)->arranging.sent)
		out->wait = "its rows are being put in order";
	return true;
}
