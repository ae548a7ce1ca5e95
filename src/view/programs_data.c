/* SPDX-License-Identifier: MIT */
/*
 * programs_data - what the Programs view asks, and what comes back.
 *
 * Two questions: what the compiler said of the programs, which is there soon; and what was executed, which goes over every
 * step of the trace. The second brings costs and sums anew, and takes the tree and the names over.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"

enum { BELOW_BUDGET = 1 << 26 }; /* programs that sums look at, of all nodes together */

struct programs_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	bool trace;
	/* from before: held, or NULL; and shared, or empty */
	struct ts_program_tree *tree;
	struct ts_names names;
	struct programs_data *data;
	bool damaged;
};

struct programs_data *
programs_hold(struct programs_data *d)
{
	atomic_fetch_add(&d->uses, 1);
	return d;
}

void
programs_release(struct programs_data *d)
{
	if (!d || atomic_fetch_sub(&d->uses, 1) > 1)
		return;
	ts_program_tree_close(d->tree);
	ts_program_costs_close(d->costs);
	ts_names_fini(&d->names);
	ts_pile_fini(&d->root);
	ts_pile_fini(&d->below);
	free(d);
}

/* --- in a worker ------------------------------------------------------------------------------------ */

/* The tree; where nothing says who calls whom, every program for itself. */
static enum ts_code
read_tree(struct programs_fetch *q, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_program_tree_read(&q->data->tree, rd, q->cache, &q->f.job.progress,
		&why);

	q->data->flat = code == TS_E_ABSENT;
	q->damaged |= code == TS_E_DAMAGED;
	if (code == TS_E_ABSENT)
		return ts_program_tree_flat(&q->data->tree, q->data->costs, q->cache, err);
	if (code == TS_E_DAMAGED && q->data->tree)
		return TS_OK;
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
read_names(struct programs_fetch *q, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code;

	if (q->names.rows >= 0 && ts_names_share(&q->data->names, &q->names))
		return TS_OK;
	code = ts_names_read(&q->data->names, rd, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_NAME,
		err);
	q->damaged |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static int
by_node(const void *a, const void *b)
{
	const struct programs_root *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->root > y->root) - (x->root < y->root);
}

static enum ts_code
list_roots(struct programs_data *d, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	const struct ts_program_root *root = d->tree->root.memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < d->tree->roots; i++) {
		struct programs_root r = {ts_program_tree_find(d->tree, root[i].program), i};

		code = ts_pile_add(&d->root, &r, sizeof(r), cache, err);
	}
	return code ? code
		    : ts_pile_sort(&d->root, d->tree->roots, sizeof(struct programs_root), by_node,
			      cache, cancel, err);
}

uint32_t
programs_root(const struct programs_data *d, uint32_t node)
{
	const struct programs_root *all = d->root.memory;
	size_t low = 0, n = d->root.used / sizeof(*all), high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && all[low].node == node ? all[low].root : UINT32_MAX;
}

/* All programs, each once: those that nothing calls, too. */
static void
add_all(struct programs_data *d)
{
	const struct ts_program_cost *p = d->costs->cost.memory;
	struct ts_program_sums *s = &d->all;

	ts_program_sums_none(s);
	for (size_t i = 0; i < d->costs->count; i++) {
		uint32_t node = ts_program_tree_find(d->tree, p[i].program);

		ts_program_sums_add(s, &p[i],
			node == UINT32_MAX || programs_node(d, node)->edges == 0);
	}
	ts_program_sums_end(s);
}

static enum ts_code
read_programs(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct programs_fetch *q = (struct programs_fetch *)f;
	struct programs_data *d = q->data = ts_alloc(1, sizeof(*d));
	enum ts_code code;

	if (!d)
		return ts_err_nomem(err);
	atomic_init(&d->uses, 1);
	code = ts_program_costs_read(&d->costs, rd, q->cache, q->trace, &f->job.progress, err);
	if (!code && q->tree)
		d->tree = ts_program_tree_hold(q->tree);
	else if (!code)
		code = read_tree(q, rd, err);
	if (!code)
		code = list_roots(d, q->cache, rd->cancel, err);
	if (!code)
		code = read_names(q, rd, err);
	if (!code)
		code = ts_program_below_all(&d->below, d->tree, d->costs, BELOW_BUDGET, q->cache,
			rd->cancel, err);
	if (!code) {
		for (uint32_t i = 0; i < d->tree->nodes; i++)
			d->not_summed += programs_below(d, i)->programs == TS_UNKNOWN;
		add_all(d);
		d->whole = true;
	}
	if (!code && (q->damaged || d->costs->partial))
		code = ts_err_set(err, TS_E_DAMAGED, "not all of the programs could be read");
	return code;
}

static void
fini_programs(struct ts_fetch *f)
{
	struct programs_fetch *q = (struct programs_fetch *)f;

	ts_program_tree_close(q->tree);
	ts_names_fini(&q->names);
	programs_release(q->data);
}

/* --- asking ----------------------------------------------------------------------------------------- */

static void
ask(struct programs_view *s, enum programs_kind kind, enum ts_worker_id worker)
{
	struct programs_fetch *q = ts_alloc(1, sizeof(*q));

	if (!q)
		return;
	q->f.read = read_programs;
	q->f.fini = fini_programs;
	q->cache = s->base.env->cache;
	q->trace = kind == ASK_TRACE;
	if (q->trace) {
		q->tree = ts_program_tree_hold(s->data->tree);
		(void)ts_names_share(&q->names, &s->data->names);
	}
	s->asked[kind] = &q->f;
	ts_fetch_send(&s->base, &q->f, kind, worker,
		q->trace ? "adding up what was executed" : "reading programs");
}

static void
ask_programs(struct programs_view *s, enum ts_worker_id worker)
{
	if (s->state.state != TS_PANE_EMPTY || s->asked[ASK_PROGRAMS])
		return;
	s->state.state = TS_PANE_LOADING;
	s->state.absent = TS_ABSENT_PROGRAMS;
	ask(s, ASK_PROGRAMS, worker);
}

/* Costs that are kept are there at once: the tree then waits for the first key. */
void
programs_ahead(struct ts_view *v)
{
	if (v->env->report && ts_view_names_are_cheap(v->env) &&
		ts_index_sections(v->env->index) & ts_section_bit(TS_SECTION_PROGRAMS))
		ask_programs(programs_of(v), TS_WORKER_BULK);
}

void
programs_request(struct ts_view *v)
{
	struct programs_view *s = programs_of(v);
	const struct ts_report *r = v->env->report;

	ask_programs(s, TS_WORKER_SCREEN);
	if (ts_pane_has(&s->state) && !s->traced && !s->asked[ASK_TRACE] &&
		ts_report_has_column(r, TS_STEP, TS_STEP_PROGRAM))
		ask(s, ASK_TRACE, TS_WORKER_BULK);
	programs_ask_diff(s);
	ts_tabs_request(&s->split.tabs);
}

void
programs_drop(struct programs_view *s)
{
	programs_drop_diff(s);
	programs_release(s->data);
	s->data = NULL;
	memset(s->asked, 0, sizeof(s->asked));
	s->state = (struct ts_pane_data){0};
	s->traced = s->in_vain = false;
	s->hits = 0;
	s->hit.used = 0;
	ts_pile_fini(&s->keep);
	s->order_of = UINT32_MAX;
	ts_outline_clear(&s->outline);
}

/* --- answers ---------------------------------------------------------------------------------------- */

static void
take(struct programs_view *s, struct programs_fetch *q)
{
	bool flat = s->data && s->data->flat, compared = s->diff != NULL;

	programs_drop_diff(s); /* it is of the data that there was */
	programs_release(s->data);
	s->data = q->data;
	q->data = NULL;
	s->data->flat |= flat;
	s->order_of = UINT32_MAX;
	if (s->filter[0]) /* its figures may be others now */
		programs_filter(s, s->filter);
	if (!q->trace || compared || !programs_is_plain(s))
		programs_rows(s);
}

static enum ts_effect
take_programs(struct programs_view *s, struct ts_fetch *f)
{
	struct programs_fetch *q = (struct programs_fetch *)f;
	bool whole = f->code == TS_OK || (f->code == TS_E_DAMAGED && q->data && q->data->whole);

	s->asked[q->trace ? ASK_TRACE : ASK_PROGRAMS] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation)) {
		if (!ts_pane_has(&s->state)) {
			s->state.state = TS_PANE_FAILED;
			snprintf(s->state.reason, sizeof(s->state.reason),
				"cancelled (r reads it again)");
		}
		s->traced |= q->trace; /* not asked again */
		s->in_vain |= q->trace;
		return TS_EFFECT_REPAINT;
	}
	if (whole || !q->trace)
		ts_pane_result(&s->state, f->code, &f->err, whole);
	else
		ts_view_say_error(s->base.env, "what was executed: %s", f->err.msg);
	s->traced |= q->trace || (whole && q->data->costs->traced);
	if (whole)
		take(s, q);
	s->base.env->partial |= f->code == TS_E_DAMAGED;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

enum ts_effect
programs_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct programs_view *s = programs_of(v);
	enum ts_effect effect = ts_tabs_deliver(&s->split.tabs, f);

	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (f == s->asked[ASK_HITS] || f == s->asked[ASK_USERS])
		return programs_take_hits(s, f) ? TS_EFFECT_REPAINT | TS_EFFECT_RECALC
						: TS_EFFECT_REPAINT;
	if (f == s->asked[ASK_FILTER])
		return programs_take_filter(s, f) ? TS_EFFECT_REPAINT | TS_EFFECT_RECALC
						  : TS_EFFECT_REPAINT;
	if (f == s->asked[ASK_DIFF])
		return programs_take_diff(s, f) ? TS_EFFECT_REPAINT | TS_EFFECT_RECALC
						: TS_EFFECT_REPAINT;
	if (f == s->asked[ASK_PROGRAMS] || f == s->asked[ASK_TRACE])
		return take_programs(s, f);
	return TS_EFFECT_NONE;
}
