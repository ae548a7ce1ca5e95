/* SPDX-License-Identifier: MIT */
/*
 * operations_data - what the Operations view asks, and what comes back.
 *
 * Operations are read twice, as programs are: with what the compiler said of them, which is there soon, and with what was
 * executed, which goes over every step of the trace. From them a worker makes the shape: the rows that are shown, in their
 * order. Until another one is there the old one stays on the screen.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"

struct operations_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	bool trace;
	struct ts_operations *before; /* held: what is shown meanwhile, or NULL */
	struct ts_operations *ops;
	bool same; /* rows of `before` are those of `ops`: numbers mean the same */
};

struct shape_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	struct ts_operations *ops; /* held */
	struct operations_wish wish;
	struct operations_shape *shape;
};

/* --- operations ------------------------------------------------------------------------------------- */

static bool
same_name(const struct ts_operations *a, const struct ts_operations *b, uint32_t i)
{
	size_t n, m;
	const char *x = ts_operation_name(&n, a, i), *y = ts_operation_name(&m, b, i);

	return n == m && memcmp(x, y, n) == 0;
}

/* Are the operations of one answer those of another one, row by row? What steps say may make others. */
static bool
same_rows(const struct ts_operations *a, const struct ts_operations *b)
{
	bool same = a->count == b->count && a->layers == b->layers &&
		a->costs->count == b->costs->count;

	for (uint32_t i = 0; same && i < a->count; i++) {
		const struct ts_operation *x = ts_operation_at(a, i), *y = ts_operation_at(b, i);

		same = x->operation == y->operation && x->parent == y->parent &&
			x->layer == y->layer && x->from == y->from &&
			x->has_context == y->has_context && x->context == y->context &&
			same_name(a, b, i);
	}
	return same;
}

static enum ts_code
read_operations(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct operations_fetch *q = (struct operations_fetch *)f;
	enum ts_code code = ts_operations_read(&q->ops, rd, q->cache, q->trace, &f->job.progress,
		err);

	q->same = !code && q->before && same_rows(q->before, q->ops);
	if (!code && q->ops->partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all of the operations could be read");
	return code;
}

static void
fini_operations(struct ts_fetch *f)
{
	struct operations_fetch *q = (struct operations_fetch *)f;

	ts_operations_close(q->ops);
	ts_operations_close(q->before);
}

static void
ask_operations(struct operations_view *s, bool trace, enum ts_worker_id worker)
{
	struct operations_fetch *q = ts_alloc(1, sizeof(*q));
	enum operations_kind kind = trace ? ASK_TRACE : ASK_OPERATIONS;

	if (!q)
		return;
	q->f.read = read_operations;
	q->f.fini = fini_operations;
	q->cache = s->base.env->cache;
	q->trace = trace;
	q->before = s->ops ? ts_operations_hold(s->ops) : NULL;
	s->asked[kind] = &q->f;
	ts_fetch_send(&s->base, &q->f, (int)kind, worker,
		trace ? "adding up what operations executed" : "reading operations");
}

static void
ask_first(struct operations_view *s, enum ts_worker_id worker)
{
	if (s->state.state != TS_PANE_EMPTY || s->asked[ASK_OPERATIONS])
		return;
	s->state.state = TS_PANE_LOADING;
	s->state.absent = TS_ABSENT_OPERATIONS;
	ask_operations(s, false, worker);
}

/* --- the shape -------------------------------------------------------------------------------------- */

static enum ts_code
read_shape(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct shape_fetch *q = (struct shape_fetch *)f;

	return operations_shape_make(&q->shape, q->ops, &q->wish, q->cache, rd->cancel, err);
}

static void
fini_shape(struct ts_fetch *f)
{
	struct shape_fetch *q = (struct shape_fetch *)f;

	ts_operations_close(q->ops);
	operations_shape_close(q->shape);
}

bool
operations_is_shown(const struct operations_view *s)
{
	const struct operations_wish *w = &s->wish;
	const struct operations_wish *is = s->shape ? &s->shape->wish : NULL;

	return is && s->shape->ops == s->ops && w->tree == is->tree && w->group == is->group &&
		w->layer == is->layer && w->sorted == is->sorted &&
		w->descending == is->descending && strcmp(w->filter, is->filter) == 0 &&
		(!w->group || strcmp(w->rollup, is->rollup) == 0);
}

static void
ask_shape(struct operations_view *s)
{
	struct shape_fetch *q;

	if (!s->ops || operations_is_shown(s) || s->asked[ASK_SHAPE])
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->f.read = read_shape;
	q->f.fini = fini_shape;
	q->cache = s->base.env->cache;
	q->ops = ts_operations_hold(s->ops);
	q->wish = s->wish;
	s->asked[ASK_SHAPE] = &q->f;
	ts_fetch_send(&s->base, &q->f, ASK_SHAPE, TS_WORKER_SCREEN, "arranging operations");
}

/* What was asked for cannot be: back to what is shown. */
static void
take_back(struct operations_view *s)
{
	if (s->shape)
		s->wish = s->shape->wish;
	else
		s->wish.group = false;
	if (!s->shape)
		s->wish.filter[0] = '\0';
	snprintf(s->order.filter, sizeof(s->order.filter), "%s", s->wish.filter);
	s->order.sorted = s->wish.sorted;
	s->order.descending = s->wish.descending;
	s->go_to = TS_NO_OPERATION;
}

static enum ts_effect
take_shape(struct operations_view *s, struct ts_fetch *f)
{
	struct shape_fetch *q = (struct shape_fetch *)f;

	s->asked[ASK_SHAPE] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->ops != s->ops) {
		if (f->code == TS_E_CANCELLED && s->shape && s->shape->ops == s->ops)
			take_back(s); /* not asked again at once */
		return TS_EFFECT_REPAINT;
	}
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		take_back(s);
		return TS_EFFECT_REPAINT;
	}
	operations_take_shape(s, q->shape);
	q->shape = NULL;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* --- when they are asked ------------------------------------------------------------------------------ */

/* Costs that are kept are there at once: the table then waits for the first key. */
void
operations_ahead(struct ts_view *v)
{
	const uint64_t kept = ts_section_bit(TS_SECTION_OPERATIONS);

	if (v->env->report && ts_index_sections(v->env->index) & kept)
		ask_first(operations_of(v), TS_WORKER_BULK);
}

void
operations_request(struct ts_view *v)
{
	struct operations_view *s = operations_of(v);

	ask_first(s, TS_WORKER_BULK);
	if (ts_pane_has(&s->state) && !s->traced && !s->asked[ASK_TRACE] &&
		ts_report_has(v->env->report, TS_STEP))
		ask_operations(s, true, TS_WORKER_BULK);
	ask_shape(s);
	operations_ask_marked(s);
	ts_tabs_request(&s->split.tabs);
}

void
operations_drop(struct operations_view *s)
{
	operations_shape_close(s->shape);
	s->shape = NULL;
	ts_operations_close(s->ops);
	s->ops = NULL;
	memset(s->asked, 0, sizeof(s->asked));
	s->state = (struct ts_pane_data){0};
	s->traced = false;
	s->began = false;
	s->marks = 0;
	s->hits = 0;
	s->hit.used = 0;
	s->go_to = TS_NO_OPERATION;
	ts_outline_clear(&s->outline);
}

/* --- answers ---------------------------------------------------------------------------------------- */

/* The layer that is shown first: the first recorded one, else the one with most operations that contexts give. */
static uint32_t
first_layer(const struct ts_operations *o)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < o->layers; i++) {
		const struct ts_operation_layer *a = &o->layer[i], *b = &o->layer[best];

		if (a->from < b->from ||
			(a->from == b->from && a->from != TS_OPERATION_IS_RECORDED &&
				a->count > b->count && i == best + 1 && b->count < 8))
			best = i;
	}
	return best;
}

/* The same layer as before, by name: its number may be another one in a report that was read again. */
static void
choose_layer(struct operations_view *s, const struct ts_operations *before)
{
	const char *name, *now;
	size_t n, m;

	if (before && s->wish.layer < before->layers) {
		name = ts_operation_layer_name(&n, before, s->wish.layer);
		for (uint32_t i = 0; i < s->ops->layers; i++) {
			now = ts_operation_layer_name(&m, s->ops, i);
			if (n == m && memcmp(name, now, n) == 0) {
				s->wish.layer = i;
				return;
			}
		}
	}
	s->wish.layer = first_layer(s->ops);
}

/*
 * Rows, marks, and where the cursor is to go, are numbers of nodes. Where these are others now nothing of it stays, but for the
 * operation under the cursor, which is looked for again.
 */
static void
forget_rows(struct operations_view *s)
{
	operations_keep_cursor(s);
	operations_shape_close(s->shape);
	s->shape = NULL;
	ts_outline_clear(&s->outline);
	s->marks = 0;
	s->go_to = TS_NO_OPERATION;
}

static void
take(struct operations_view *s, struct operations_fetch *q)
{
	struct ts_operations *before = s->ops;

	if (before && !(q->same && q->before == before))
		forget_rows(s);
	s->ops = q->ops;
	s->version++;
	q->ops = NULL;
	if (!s->began || before)
		choose_layer(s, before);
	s->began = true;
	s->marked_known = false;
	ts_operations_close(before);
	s->asked[ASK_SHAPE] = NULL;
	s->hits = 0;
	s->hit.used = 0;
}

static enum ts_effect
take_operations(struct operations_view *s, struct ts_fetch *f)
{
	struct operations_fetch *q = (struct operations_fetch *)f;
	bool some = q->ops && (f->code == TS_OK || f->code == TS_E_DAMAGED);

	s->asked[q->trace ? ASK_TRACE : ASK_OPERATIONS] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation)) {
		if (!ts_pane_has(&s->state)) {
			s->state.state = TS_PANE_FAILED;
			snprintf(s->state.reason, sizeof(s->state.reason),
				"cancelled (r reads it again)");
		}
		s->traced |= q->trace; /* not asked again */
		return TS_EFFECT_REPAINT;
	}
	if (some || !q->trace)
		ts_pane_result(&s->state, f->code, &f->err, some);
	else
		ts_view_say_error(s->base.env, "what was executed: %s", f->err.msg);
	s->traced |= q->trace || (some && q->ops->traced);
	if (some && q->ops->count == 0) {
		s->state.state = TS_PANE_ABSENT;
		snprintf(s->state.reason, sizeof(s->state.reason),
			"no program has a debug context or a name with parts");
	} else if (some) {
		take(s, q);
	}
	s->base.env->partial |= f->code == TS_E_DAMAGED;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

enum ts_effect
operations_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct operations_view *s = operations_of(v);
	enum ts_effect effect = ts_tabs_deliver(&s->split.tabs, f);

	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (f == s->asked[ASK_HITS])
		return operations_take_hits(s, f);
	if (f == s->asked[ASK_MARKED])
		return operations_take_marked(s, f);
	if (f == s->asked[ASK_VARIABLE])
		return operations_take_variable(s, f);
	if (f == s->asked[ASK_SHAPE])
		return take_shape(s, f);
	if (f == s->asked[ASK_OPERATIONS] || f == s->asked[ASK_TRACE])
		return take_operations(s, f);
	return TS_EFFECT_NONE;
}
