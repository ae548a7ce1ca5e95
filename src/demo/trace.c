/* SPDX-License-Identifier: MIT */
/*
 * trace - the execution of the demo's program: a stream of steps in the order of their start.
 *
 * A run is input, micro-batches, update, output. A micro-batch is two stages (forward, backward)
 * in which every IPU works on its own programs, each closed by an external sync and the exchange
 * between IPUs. A stage is planned once as a segment: entries sorted by start; the walker plays
 * segments one after the other, so a run of any length needs no memory. Durations are those of
 * the programs, the same at every execution, as in a real trace.
 *
 * The number of steps asked for is met by the number of micro-batches; what is left over goes
 * into chunks of the update. A run shorter than one micro-batch is cut.
 *
 * Every step has a row for every IPU. An IPU that takes no part has a row without length where its
 * lane stands, so starts never go back within a lane; an external sync lasts from the arrival of
 * each IPU to the end of the slowest. Input for the next micro-batch is fetched while stages run:
 * steps that overlap.
 */
#include "config.h"

#include "internal.h"

#include <stdlib.h>

enum { CLOCK_FROM = 4096 }; /* cycles on the clock when the first run begins */

static bool
entry_add(struct demo_seg *seg, uint32_t prog, int ipu, int flags, int64_t start, uint32_t cycles)
{
	if (!ts_room((void **)&seg->e, &seg->cap, seg->n, sizeof(*seg->e)))
		return false;
	seg->e[seg->n++] = (struct demo_entry){prog, (int16_t)ipu, (uint8_t)flags, (uint32_t)start,
		cycles};
	seg->length = ts_max_i64(seg->length, start + cycles);
	return true;
}

/* ---- planning ---- */

struct plan {
	struct demo_seg *seg;
	int64_t *at; /* of each IPU; of all in at[0] when they go together */
	bool together;
};

static void
plan_leaf(struct demo_model *m, uint32_t prog, void *ctx)
{
	struct plan *p = ctx;
	const struct demo_prog *g = &m->progs[prog];
	if (!demo_types[g->type].steps || m->nomem)
		return;
	int flags = g->type == DEMO_SYNC && g->ipu == DEMO_ALL ? DEMO_BARRIER : 0;
	int64_t *at = &p->at[p->together ? 0 : g->ipu];
	uint32_t cycles = g->cycles;
	if (p->seg == &m->seg[DEMO_PRE] && g->type == DEMO_STREAM_BEGIN)
		flags = DEMO_WAIT, cycles = 0;
	if (p->seg == &m->seg[DEMO_PRE] && g->type == DEMO_STREAM_MID)
		flags = DEMO_COPY_IN, cycles = 0;
	if (!entry_add(p->seg, prog, p->together ? DEMO_ALL : g->ipu, flags, *at, cycles))
		m->nomem = true;
	*at += cycles;
}

/* A segment of programs that all IPUs run together. */
static void
plan_together(struct demo_model *m, enum demo_segment segment)
{
	int64_t at = 0;
	struct plan p = {.seg = &m->seg[segment], .at = &at, .together = true};
	demo_walk(m, m->part[segment], plan_leaf, &p);
}

static int
by_start(const void *pa, const void *pb)
{
	const struct demo_entry *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->ipu != b->ipu)
		return a->ipu < b->ipu ? -1 : 1;
	return (a->flags > b->flags) - (a->flags < b->flags);
}

/*
 * Input for the next micro-batch, on I/O tiles of IPU 0. Each part begins when a program of the
 * stage does, so that starts on a lane never go back.
 */
static void
plan_input(struct demo_model *m, int64_t end)
{
	struct demo_seg *seg = &m->seg[DEMO_FWD];
	const struct demo_link *l = &m->links[m->progs[m->io].first_link];
	int64_t from = end / 5;
	size_t k = 0, n = seg->n;
	for (int i = 0; i < 3; i++) {
		uint32_t cycles = m->progs[l[i].child].cycles;
		while (k < n && (seg->e[k].ipu || seg->e[k].start < from))
			k++;
		if (m->nomem || k == n || seg->e[k].start + cycles > end)
			return;
		from = seg->e[k].start + (int64_t)cycles;
		if (!entry_add(seg, l[i].child, 0, DEMO_OVERLAP, seg->e[k].start, cycles))
			m->nomem = true;
	}
}

/* A segment in which each IPU goes through its groups of one pass. */
static void
plan_stage(struct demo_model *m, enum demo_segment segment, enum demo_pass pass, int64_t *at)
{
	struct plan p = {.seg = &m->seg[segment], .at = at};
	for (int i = 0; i < m->ipus; i++)
		at[i] = 0;
	/* the stage's Sequence (Sans and SyncAns with it) holds the groups */
	demo_walk(m, m->stages[pass], plan_leaf, &p);
	if (segment == DEMO_FWD)
		plan_input(m, at[0]);
	if (!m->nomem)
		qsort(p.seg->e, p.seg->n, sizeof(*p.seg->e), by_start);
}

/* ---- runs ---- */

/* How a run of `count` steps is made of micro-batches and chunks of the update. */
static void
run_plan(struct demo_model *m, struct demo_run *r, int64_t first, int64_t count)
{
	const struct demo_seg *s = m->seg;
	int64_t fixed = (int64_t)(s[DEMO_PRE].n + s[DEMO_OPT].n + s[DEMO_POST].n);
	int64_t phase = (int64_t)(s[DEMO_FWD].n + s[DEMO_MID].n + s[DEMO_BWD].n + s[DEMO_END].n);
	*r = (struct demo_run){.first = first, .count = count};
	r->phases = ts_max_i64((count - fixed) / phase, 1);
	r->opt = ts_max_i64(count - fixed - r->phases * phase, 0) + (int64_t)s[DEMO_OPT].n;
	int64_t work = r->phases *
		(s[DEMO_FWD].length + s[DEMO_MID].length + s[DEMO_BWD].length + s[DEMO_END].length);
	work += r->opt * s[DEMO_OPT].length / (int64_t)s[DEMO_OPT].n;
	r->chunks = (r->opt + (int64_t)s[DEMO_OPT].n - 1) / (int64_t)s[DEMO_OPT].n;
	r->wait = work * (first ? 16 : 7) / 100;
	r->copy_in = work * 2 / 100;
}

/* When runs begin and end. */
static void
runs_place(struct demo_model *m)
{
	int64_t clock = CLOCK_FROM;
	for (int i = 0; i < DEMO_RUNS; i++) {
		struct demo_run *r = &m->run[i];
		const struct demo_seg *s = m->seg;
		int64_t length = s[DEMO_PRE].length + r->wait + r->copy_in + s[DEMO_POST].length;
		length += r->phases *
			(s[DEMO_FWD].length + s[DEMO_MID].length + s[DEMO_BWD].length +
				s[DEMO_END].length);
		length += r->chunks * s[DEMO_OPT].length;
		if (!r->count)
			length = 0;
		r->start = clock;
		r->end = clock + length;
		clock = r->end + length / 40; /* the host between the runs */
		r->start_us = (int64_t)((double)r->start / (m->target->clock_hz / 1e6));
		r->end_us = (int64_t)((double)r->end / (m->target->clock_hz / 1e6)) + 1;
	}
}

enum ts_code
demo_trace_init(struct demo_model *m, struct ts_err *err)
{
	int64_t *at = ts_alloc((size_t)m->ipus, sizeof(*at));
	if (!at)
		return ts_err_nomem(err);
	plan_together(m, DEMO_PRE);
	plan_stage(m, DEMO_FWD, DEMO_FORWARD, at);
	plan_together(m, DEMO_MID);
	plan_stage(m, DEMO_BWD, DEMO_BACKWARD, at);
	plan_together(m, DEMO_END);
	plan_stage(m, DEMO_OPT, DEMO_UPDATE, at);
	plan_together(m, DEMO_POST);
	free(at);
	if (m->nomem)
		return ts_err_nomem(err);
	run_plan(m, &m->run[0], 0, m->steps / 2);
	run_plan(m, &m->run[1], m->steps / 2, m->steps - m->steps / 2);
	runs_place(m);
	return TS_OK;
}

void
demo_trace_fini(struct demo_model *m)
{
	for (int i = 0; i < DEMO_SEGMENTS; i++)
		free(m->seg[i].e);
}

/* ---- playing ---- */

bool
demo_walker_init(struct demo_walker *w, const struct demo_model *m)
{
	*w = (struct demo_walker){.m = m, .base = m->run[0].start};
	w->lane = ts_alloc((size_t)m->ipus, sizeof(*w->lane));
	for (int i = 0; w->lane && i < m->ipus; i++)
		w->lane[i] = w->base;
	return w->lane;
}

void
demo_walker_fini(struct demo_walker *w)
{
	free(w->lane);
}

static void
run_begin(struct demo_walker *w)
{
	w->run++;
	w->segment = DEMO_PRE;
	w->index = 0;
	w->phase = w->opt = 0;
	w->base = w->m->run[w->run].start;
	for (int i = 0; i < w->m->ipus; i++)
		w->lane[i] = w->base;
}

/* The segment is played: which comes next. */
static void
segment_next(struct demo_walker *w)
{
	const struct demo_run *r = &w->m->run[w->run];
	w->base += w->m->seg[w->segment].length;
	w->index = 0;
	if (w->segment == DEMO_END && ++w->phase < r->phases)
		w->segment = DEMO_FWD;
	else if (w->segment != DEMO_OPT || w->opt >= r->opt)
		w->segment++;
}

static const struct demo_entry *
entry_next(struct demo_walker *w)
{
	const struct demo_model *m = w->m;
	const struct demo_run *r = &m->run[w->run];
	while (w->step >= r->first + r->count) {
		if (w->run + 1 == DEMO_RUNS)
			return NULL;
		run_begin(w);
		r = &m->run[w->run];
	}
	while (w->index == m->seg[w->segment].n || (w->segment == DEMO_OPT && w->opt >= r->opt))
		segment_next(w);
	if (w->segment == DEMO_OPT)
		w->opt++;
	return &m->seg[w->segment].e[w->index++];
}

static void
part_fill(const struct demo_walker *w, const struct demo_step *s, int ipu, struct demo_part *part)
{
	const struct demo_entry *e = s->entry;
	const struct demo_prog *p = s->prog;
	int64_t cycles = e->cycles;
	part->start = w->base + e->start;
	if (e->flags & DEMO_WAIT)
		cycles = w->m->run[w->run].wait;
	else if (e->flags & DEMO_COPY_IN)
		cycles = w->m->run[w->run].copy_in;
	else if (e->ipu == DEMO_ALL && !(e->flags & DEMO_BARRIER))
		cycles -= cycles / 64 * (ipu % 4); /* IPUs are not all alike */
	part->end = part->start + cycles;
	if (e->flags & DEMO_BARRIER)
		part->start = w->lane[ipu];
	cycles = part->end - part->start;
	part->start_max = part->start + cycles / 50;
	part->end_min = part->end -
		(int64_t)((double)cycles * (1 - (double)p->shortest / p->cycles));
	if (part->end_min < part->start_max)
		part->end_min = part->start_max;
	/* the host's data go one way, what IPUs exchange comes in and goes out */
	bool host = p->type == DEMO_STREAM_MID, output = w->segment == DEMO_POST;
	part->data_in = host && output ? 0 : p->data;
	part->data_out = host && !output ? 0 : p->data;
}

bool
demo_walker_next(struct demo_walker *w, struct demo_step *s, struct demo_part *parts)
{
	const struct demo_model *m = w->m;
	const struct demo_entry *e = entry_next(w);
	if (!e)
		return false;
	*s = (struct demo_step){w->step++, w->run, e, &m->progs[e->prog]};
	for (int i = 0; i < m->ipus; i++) {
		parts[i].active = e->ipu == DEMO_ALL || e->ipu == i;
		if (!parts[i].active) {
			parts[i].start = parts[i].end = w->lane[i];
			continue;
		}
		part_fill(w, s, i, &parts[i]);
		if (!(e->flags & DEMO_OVERLAP))
			w->lane[i] = parts[i].end;
	}
	if (e->flags & DEMO_WAIT)
		w->base += m->run[w->run].wait;
	if (e->flags & DEMO_COPY_IN)
		w->base += m->run[w->run].copy_in;
	return true;
}
