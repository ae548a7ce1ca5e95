/* SPDX-License-Identifier: MIT */
/*
 * summary_operations - the operations that cost most, each one key from its place. They come from what the index keeps of
 * operations. What it does not have yet is added up and kept when nothing else of it is on its way, with the lowest priority: a
 * pass over the trace, which Operations (6) does not have to make then. Where nothing can be kept they are not asked for.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/operations.h"

#include "summary_internal.h"

enum { CYCLES_W = 10, SHARE_W = 8, NAME = 160 };

struct operations_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	struct summary_operations top; /* what is found */
};

/* The first that is recorded, else the outermost that contexts, or names, give. */
static uint32_t
first_layer(const struct ts_operations *o)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < o->layers; i++)
		if (o->layer[i].from < o->layer[best].from)
			best = i;
	return best;
}

static void
describe(struct summary_operation *out, const struct ts_operations *o, uint32_t node)
{
	const struct ts_operation *x = ts_operation_at(o, node);
	size_t n;
	const char *name = ts_operation_debug_name(&n, o, node);

	if (!name)
		name = ts_operation_name(&n, o, node);
	snprintf(out->name, sizeof(out->name), "%.*s", name ? (int)ts_min_i64((int64_t)n, NAME) : 0,
		name ? name : "");
	out->cycles = x->of.executed;
	if (x->operation != TS_UNKNOWN)
		snprintf(out->place, sizeof(out->place), "operations?operation=%" PRId64,
			x->operation);
	else
		snprintf(out->place, sizeof(out->place), "operations?node=%" PRIu32, node);
}

/* The most cycles first; the operation that stands first of equal ones. */
static void
find_top(struct summary_operations *top, const struct ts_operations *o)
{
	uint32_t layer = first_layer(o), best[SUMMARY_OPERATIONS];
	int count = 0;

	for (uint64_t i = 0; i < o->layer[layer].count; i++) {
		uint32_t node = ts_operation_in_layer(o, layer, i);
		int64_t cycles = ts_operation_at(o, node)->of.executed;
		int at = count;

		while (at > 0 && cycles > ts_operation_at(o, best[at - 1])->of.executed)
			at--;
		if (cycles <= 0 || at == SUMMARY_OPERATIONS)
			continue;
		count += count < SUMMARY_OPERATIONS;
		for (int k = count - 1; k > at; k--)
			best[k] = best[k - 1];
		best[at] = node;
	}
	for (int i = 0; i < count; i++)
		describe(&top->op[i], o, best[i]);
	top->count = count;
	top->all = o->all.executed;
}

static enum ts_code
read_top(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct operations_fetch *q = (struct operations_fetch *)f;
	struct ts_operations *o;
	enum ts_code code = ts_operations_read(&o, rd, q->cache, true, &f->job.progress, err);

	if (code)
		return code;
	if (o->layers > 0)
		find_top(&q->top, o);
	ts_operations_close(o);
	return TS_OK;
}

/* The index is whole but for these, there is room for them, and a trace. */
static bool
may_be_made(const struct ts_view_env *env)
{
	return !env->looking && !env->coming && env->cache && env->cache->dir &&
		ts_report_has(env->report, TS_PROGRAM) && ts_report_has(env->report, TS_STEP);
}

void
summary_operations_request(struct summary_view *s)
{
	struct summary_operations *t = &s->operations;
	const struct ts_view_env *env = s->base.env;
	bool kept = ts_index_sections(env->index) & ts_section_bit(TS_SECTION_OPERATIONS);
	struct operations_fetch *q;

	if (t->there || t->asked || t->failed || !s->execution || (!kept && !may_be_made(env)))
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->f.read = read_top;
	q->cache = s->base.env->cache;
	q->f.job.patient = !kept;
	t->asked = &q->f;
	ts_fetch_send(&s->base, &q->f, ASK_OPERATIONS, TS_WORKER_BULK,
		kept ? "looking at operations" : "index: operations");
}

bool
summary_operations_deliver(struct summary_view *s, struct ts_fetch *f)
{
	struct summary_operations *t = &s->operations;

	if (t->asked != f)
		return false;
	t->asked = NULL;
	t->failed = ts_fetch_in_vain(f, s->base.env->generation) || f->code;
	if (t->failed)
		return true;
	*t = ((struct operations_fetch *)f)->top;
	t->there = true;
	return true;
}

void
summary_operations_draw(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int i)
{
	const struct summary_operations *t = &s->operations;
	int x = SUMMARY_LABEL + 2;
	char n[TS_FMT_MAX];

	if (i == 0)
		ts_canvas_text(c, r, 1, 0, TS_ROLE_LABEL, "operations");
	ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "%*s", CYCLES_W - 2,
		ts_fmt_cycles_short(n, t->op[i].cycles));
	ts_canvas_printf(c, r, x + CYCLES_W - 1, 0, TS_ROLE_TEXT, "%*s", SHARE_W - 2,
		ts_fmt_percent(n, (double)t->op[i].cycles, (double)t->all));
	x += CYCLES_W + SHARE_W - 1;
	ts_canvas_field(c, r, x, 0, r.w - x - 1, TS_ROLE_TEXT, t->op[i].name, strlen(t->op[i].name),
		TS_FIELD_TAIL);
}
