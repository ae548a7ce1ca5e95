/* SPDX-License-Identifier: MIT */
/*
 * execution_facts - see the header. Four parts, each by itself: one that is not there leaves the others as they are.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/execution_facts.h"
#include "tilescope/report/pipeline.h"
#include "tilescope/report/stage_costs.h"
#include "tilescope/report/program_costs.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/tile_loss.h"

struct work {
	struct ts_execution_facts *x;
	struct ts_reader *rd;
	struct ts_trace *trace;
	struct ts_program_costs *costs;	 /* or NULL */
	const struct ts_pattern *stages; /* or NULL */
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_err *err;
};

static int
place_of(unsigned what)
{
	int i = 0;

	while (!(what & 1u << i))
		i++;
	return i;
}

const char *
ts_execution_why(const struct ts_execution_facts *x, unsigned what)
{
	return x->why[place_of(what)];
}

/* What reading a part came to: known, known in part, or why not. */
static enum ts_code
finish(struct work *w, unsigned what, const char *name, enum ts_code code, const struct ts_err *why)
{
	struct ts_execution_facts *x = w->x;

	if (code == TS_OK || code == TS_E_DAMAGED)
		x->has |= what;
	else
		snprintf(x->why[place_of(what)], TS_REASON_MAX, "%.*s", TS_REASON_MAX - 1,
			why->msg);
	x->partial |= code == TS_E_DAMAGED ? what : 0;
	return ts_notes_soften(&x->notes, code, name, why, w->err);
}

/* The end of a name says most: what a path leads to. */
static void
keep_name(char out[TS_FACT_NAME], const char *name, size_t n)
{
	size_t most = TS_FACT_NAME - 1 - strlen("...");

	if (n < TS_FACT_NAME)
		snprintf(out, TS_FACT_NAME, "%.*s", (int)n, name);
	else
		snprintf(out, TS_FACT_NAME, "...%.*s", (int)most, name + n - most);
}

/* --- time --------------------------------------------------------------------------------------------- */

struct stretch {
	int64_t from, to;
};

static int
by_from(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* The runs as stretches without overlap, without [hole.from, hole.to); returns how many: at most twice the runs. */
static int
stretches(struct stretch *out, int *runs, const struct ts_trace *t, struct stretch hole)
{
	struct stretch all[TS_TRACE_RUNS];
	int n = 0, k = 0;
	int64_t done = 0;

	for (int i = 0; i < t->runs; i++)
		if (t->run[i].start != TS_UNKNOWN && t->run[i].end > t->run[i].start)
			all[n++] = (struct stretch){t->run[i].start, t->run[i].end};
	*runs = n;
	if (n == 0 && t->to > t->from)
		all[n++] = (struct stretch){t->from, t->to};
	qsort(all, (size_t)n, sizeof(all[0]), by_from);
	for (int i = 0; i < n; i++) {
		int64_t from = ts_max_i64(all[i].from, done), to = all[i].to;

		done = ts_max_i64(done, to);
		if (from < ts_min_i64(to, hole.from))
			out[k++] = (struct stretch){from, ts_min_i64(to, hole.from)};
		if (ts_max_i64(from, hole.to) < to)
			out[k++] = (struct stretch){ts_max_i64(from, hole.to), to};
	}
	return k;
}

struct ipu_time {
	int64_t ipu;
	int64_t all[TS_CLASS_COUNT], covered[TS_CLASS_COUNT];
};

static enum ts_code
add_stretch(struct work *w, struct ipu_time *ipu, struct stretch s, struct ts_err *why)
{
	struct ts_proportions p;
	enum ts_code code = ts_proportions_read(&p, w->rd, w->trace, s.from, s.to,
		TS_PROPORTIONS_TIME, w->cache, w->progress, why);

	w->x->partial |= p.partial ? TS_EXECUTION_TIME : 0;
	w->x->notes.partial |= p.partial;
	for (int i = 0; i < p.count; i++) {
		ipu[i].ipu = p.ipu[i].ipu;
		for (int k = 0; k < TS_CLASS_COUNT; k++) {
			ipu[i].all[k] += p.ipu[i].time.all[k];
			ipu[i].covered[k] += p.ipu[i].time.covered[k];
		}
	}
	ts_proportions_fini(&p);
	return code;
}

/* The IPU that has the most of a class; `bare`: of what no compute covers. */
static void
most_of(struct ts_class_fact *out, const struct ipu_time *ipu, int n, enum ts_step_class k,
	bool bare)
{
	*out = (struct ts_class_fact){.ipu = TS_UNKNOWN};
	for (int i = 0; i < n; i++) {
		struct ts_class_fact f = {ipu[i].ipu, ipu[i].all[k],
			ipu[i].all[k] - ipu[i].covered[k]};

		if (i == 0 || (bare ? f.bare > out->bare : f.cycles > out->cycles))
			*out = f;
	}
}

static bool
something_runs(const struct ipu_time *ipu, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			if (ipu[i].all[k] > 0)
				return true;
	return false;
}

static enum ts_code
read_time(struct work *w)
{
	struct ts_execution_facts *x = w->x;
	const struct ts_trace *t = w->trace;
	struct stretch part[2 * TS_TRACE_RUNS + 1], hole = {INT64_MAX, INT64_MAX};
	struct ipu_time *ipu;
	struct ts_err why = {0};
	enum ts_code code = TS_OK;
	int n, ipus = (int)ts_min_i64(t->ipus, TS_TRACE_LANES);

	x->artefact_cycles = TS_UNKNOWN;
	if (t->artefact_start != TS_UNKNOWN && t->artefact_end > t->artefact_start) {
		hole = (struct stretch){t->artefact_start, t->artefact_end};
		x->artefact_cycles = hole.to - hole.from;
	}
	x->wait_apart = t->runs > 0 &&
		(t->honest.artefact == TS_UNKNOWN || x->artefact_cycles != TS_UNKNOWN);
	x->ipus = t->ipus;
	n = stretches(part, &x->runs, t, hole);
	if (!t->has_parts || n == 0 || ipus == 0)
		code = ts_err_set(&why, TS_E_ABSENT, "%s",
			t->has_parts ? "no step takes any cycles" : t->why_no_parts);
	ipu = code ? NULL : ts_alloc((size_t)ipus, sizeof(*ipu));
	if (!code && !ipu)
		return ts_err_nomem(w->err);
	for (int i = 0; i < n && !code; i++) {
		x->span += part[i].to - part[i].from;
		code = add_stretch(w, ipu, part[i], &why);
	}
	if (!code && !something_runs(ipu, ipus))
		code = ts_err_set(&why, TS_E_ABSENT, "no step takes any cycles");
	if (ipu) {
		most_of(&x->wait, ipu, ipus, TS_CLASS_HOST_WAIT, false);
		most_of(&x->copy, ipu, ipus, TS_CLASS_HOST_COPY, true);
		most_of(&x->exchange, ipu, ipus, TS_CLASS_EXCHANGE, false);
		most_of(&x->global, ipu, ipus, TS_CLASS_GLOBAL_EXCHANGE, false);
	}
	free(ipu);
	if (t->ipus > ipus)
		ts_notes_add(&x->notes, "steps by IPU: the first %d of %d IPUs are looked at", ipus,
			t->ipus);
	return finish(w, TS_EXECUTION_TIME, "steps by IPU", code, &why);
}

/* --- tiles that wait ---------------------------------------------------------------------------------- */

/* The first step that executes a compute set, where the programs' costs say it. */
static int64_t
step_of_set(const struct ts_program_costs *c, int64_t set)
{
	const struct ts_program_cost *cost = c ? c->cost.memory : NULL;
	int64_t first = TS_UNKNOWN;

	for (size_t i = 0; c && i < c->count; i++)
		if (cost[i].compute_set == set && cost[i].first_step != TS_UNKNOWN &&
			(first == TS_UNKNOWN || cost[i].first_step < first))
			first = cost[i].first_step;
	return first;
}

/* `share` as it is given. */
static void
set_fact(struct ts_set_fact *out, const struct work *w, const struct ts_tile_loss *l,
	const struct ts_loss_row *row, double share)
{
	*out = (struct ts_set_fact){.compute_set = row->compute_set,
		.ipu = row->ipu,
		.tiles = row->tiles,
		.active = row->active,
		.executions = row->executions,
		.most = row->most,
		.sum = row->sum,
		.saves = row->saves,
		.step = step_of_set(w->costs, row->compute_set),
		.balance = (double)row->sum / ((double)row->most * (double)row->tiles),
		.share = share,
		.estimated = row->estimated};
	keep_name(out->name, l->text.s + row->name, strlen(l->text.s + row->name));
}

static bool
is_of_use(const struct ts_loss_row *row)
{
	return row->most > 0 && row->tiles > 0 && row->executions != TS_UNKNOWN;
}

static void
keep_loss(struct work *w, const struct ts_tile_loss *l)
{
	struct ts_execution_facts *x = w->x;
	const struct ts_loss_row *uneven = NULL, *idle = NULL;
	double span = (double)l->span, least = 2, fewest = 2;

	for (size_t i = 0; i < l->count; i++) {
		const struct ts_loss_row *row = &l->row[i];
		double share = is_of_use(row) ? (double)row->executions * (double)row->most / span
					      : 0;
		double balance = (double)row->sum / ((double)row->most * (double)row->tiles);
		double active = (double)row->active / (double)row->tiles;

		if (is_of_use(row) && x->lost < TS_FACT_SETS && ts_loss_share(l, row) > 0)
			set_fact(&x->lost_set[x->lost++], w, l, row, ts_loss_share(l, row));
		if (share < TS_FACT_LARGE)
			continue;
		x->large++;
		if (balance < least)
			set_fact(&x->uneven, w, l, uneven = row, share);
		if (active < fewest)
			set_fact(&x->idle, w, l, idle = row, share);
		least = uneven == row ? balance : least;
		fewest = idle == row ? active : fewest;
	}
}

static enum ts_code
read_loss(struct work *w)
{
	struct ts_tile_loss l = {.count = 0};
	struct ts_err why = {0};
	enum ts_code code = ts_tile_loss_read(&l, w->rd, w->trace, w->cache, w->progress, &why);

	if (!code && (!l.has_steps || l.span == TS_UNKNOWN || l.span <= 0))
		code = ts_err_set(&why, TS_E_ABSENT, "how often compute sets run");
	if (!code || code == TS_E_DAMAGED) {
		w->x->loss_mark = l.mark;
		w->x->loss_runs = l.runs;
		if (l.span > 0)
			keep_loss(w, &l);
		w->x->partial |= l.partial || l.cut ? TS_EXECUTION_LOSS : 0;
		ts_notes_left_out(&w->x->notes, "compute sets", l.bad_rows,
			"no number, or cycles by tile that are none");
	}
	ts_tile_loss_fini(&l);
	return finish(w, TS_EXECUTION_LOSS, "cycles by tile", code, &why);
}

/* --- stages ------------------------------------------------------------------------------------------- */

/* What the slowest stage works most on. Not knowing it ends nothing. */
static enum ts_code
read_slowest(struct work *w, const struct ts_pipeline *p, struct ts_err *err)
{
	struct ts_execution_facts *x = w->x;
	struct ts_stage_costs costs = {.count = 0}, kinds = {.count = 0};
	enum ts_code code;

	x->slow_lost = -1;
	if (p->slowest < 0)
		return TS_OK;
	code = ts_stage_costs_read(&costs, w->rd, w->trace, p, p->slowest,
		ts_stage_sample_of(w->rd->report), w->cache, w->progress, err);
	if (!code)
		code = ts_stage_costs_group(&kinds, &costs, TS_STAGE_BY_KIND, w->cache,
			w->rd->cancel, err);
	if (!code && kinds.count > 0) {
		size_t n;
		const char *name = ts_stage_cost_name(&n, &kinds, 0);

		if (name)
			keep_name(x->slow_name, name, n);
		x->slow_share = ts_stage_cost_share(&kinds, 0);
		x->slow_lost = ts_stage_costs_waits(&costs);
		x->slow_sampled = kinds.sampled;
		x->partial |= costs.partial ? TS_EXECUTION_STAGES : 0;
	}
	ts_stage_costs_fini(&costs);
	ts_stage_costs_fini(&kinds);
	w->x->partial |= code ? TS_EXECUTION_STAGES : 0;
	return code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_STALE ||
			code == TS_E_CONNECT
		? code
		: TS_OK;
}

static enum ts_code
read_stages(struct work *w)
{
	const struct ts_pipeline_options options = {w->stages, TS_PIPELINE_BYTES};
	struct ts_execution_facts *x = w->x;
	struct ts_pipeline *p = NULL;
	struct ts_err why = {0};
	enum ts_code code = ts_pipeline_read(&p, w->rd, w->trace, &options, w->cache, w->progress,
		&why);

	if (p && (!code || code == TS_E_DAMAGED)) {
		x->stages = p->stages;
		x->slow_factor = p->slow_factor;
		x->bubble = p->bubble;
		x->saves = p->saves;
		x->slowest_ipu = p->slowest >= 0 ? p->stage[p->slowest].ipu : TS_UNKNOWN;
		x->slowest_span = p->slowest >= 0 ? p->stage[p->slowest].span : TS_UNKNOWN;
		x->named_by_exchange = !w->stages && !p->bytes_known;
		if (w->stages)
			keep_name(x->stages_of, ts_pattern_text(w->stages),
				strlen(ts_pattern_text(w->stages)));
		x->partial |= p->partial || p->cut ? TS_EXECUTION_STAGES : 0;
		x->notes.partial |= p->partial;
		code = read_slowest(w, p, &why);
	}
	ts_pipeline_close(p);
	return finish(w, TS_EXECUTION_STAGES, "stages", code, &why);
}

/* --- rearrangement ------------------------------------------------------------------------------------ */

bool
ts_is_rearrangement(const char *name, size_t n)
{
	static const char *const parts[] = {"Transpose", "preRegroup", "OnTileCopy", "PreArrange",
		"Copy_"};

	for (size_t i = 0; i < TS_COUNT(parts); i++)
		if (name && memmem(name, n, parts[i], strlen(parts[i])))
			return true;
	return false;
}

/* A step's name is its compute set's, else its program's. */
static const char *
name_of(size_t *n, const struct ts_step_names *names, const struct ts_program_cost *c)
{
	const char *name = NULL;

	if (c->compute_set != TS_UNKNOWN)
		name = ts_names_find(&names->compute_sets, c->compute_set, n);
	return name ? name : ts_names_find(&names->programs, c->program, n);
}

static bool
add_costs(struct work *w)
{
	struct ts_execution_facts *x = w->x;
	const struct ts_program_cost *cost = w->costs->cost.memory;

	x->rearrange_step = TS_UNKNOWN;
	for (size_t i = 0; i < w->costs->count; i++) {
		size_t n = 0;
		const char *name;

		if (cost[i].class_of != TS_CLASS_COMPUTE || cost[i].executed <= 0)
			continue;
		if (!ts_add_i64(&x->compute, cost[i].executed))
			return false;
		name = name_of(&n, &w->trace->names, &cost[i]);
		if (!ts_is_rearrangement(name, n))
			continue;
		x->rearranged += cost[i].executed;
		x->rearrangers++;
		if (cost[i].executed <= x->rearrange_most)
			continue;
		x->rearrange_most = cost[i].executed;
		x->rearrange_step = cost[i].first_step;
		keep_name(x->rearrange_name, name, n);
	}
	return true;
}

static enum ts_code
read_costs(struct work *w)
{
	struct ts_err why = {0};
	enum ts_code code = ts_program_costs_read(&w->costs, w->rd, w->cache, true, w->progress,
		&why);

	if (!code && !w->costs->has_executed)
		code = ts_err_set(&why, TS_E_ABSENT,
			"which program a step runs, and its cycles, are not recorded");
	if (!code && !add_costs(w))
		code = ts_err_set(&why, TS_E_LIMIT, "the cycles of all steps are too many");
	if (!code && w->costs->partial) {
		w->x->partial |= TS_EXECUTION_COSTS;
		w->x->notes.partial = true;
	}
	return finish(w, TS_EXECUTION_COSTS, "cycles of programs", code, &why);
}

/* --- what is in none of them ---------------------------------------------------------------------------- */

/* Rows of steps by IPU that are left out: counted with the costs of programs, else by a pass of its own. */
static enum ts_code
note_left_out(struct work *w)
{
	struct ts_step_classes classes = {0};
	struct ts_execution all = {0};
	struct ts_err why = {0};
	enum ts_code code = TS_OK;
	int64_t bad = w->costs && w->costs->has_executed ? w->costs->bad_parts : TS_UNKNOWN;

	if (bad == TS_UNKNOWN && w->trace->has_parts) {
		code = ts_step_classes_read(&classes, w->rd, w->progress, &why);
		if (!code)
			code = ts_execution_read(&all, w->rd, &classes, w->progress, &why);
		bad = all.bad_rows + all.orphans;
		ts_execution_fini(&all);
		ts_step_classes_fini(&classes);
	}
	ts_notes_left_out(&w->x->notes, "rows of steps by IPU", ts_max_i64(bad, 0),
		"a number is missing, negative or too large, or there is no such step");
	return ts_notes_soften(&w->x->notes, code == TS_E_ABSENT ? TS_OK : code, "steps by IPU",
		&why, w->err);
}

/* --- all of them -------------------------------------------------------------------------------------- */

enum ts_code
ts_execution_facts_read(struct ts_execution_facts *x, struct ts_reader *rd,
	const struct ts_pattern *stages, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	static enum ts_code (*const parts[])(
		struct work * w) = {read_time, read_costs, read_loss, read_stages, note_left_out};
	struct work w = {.x = x,
		.rd = rd,
		.stages = stages,
		.cache = cache,
		.progress = progress,
		.err = err};
	struct ts_err why = {0};
	enum ts_code code;

	*x = (struct ts_execution_facts){.honest = ts_honesty_unknown(),
		.slow_factor = -1,
		.bubble = -1};
	code = ts_trace_open(&w.trace, rd, progress, &why);
	if (!w.trace) {
		for (size_t i = 0; i < TS_COUNT(x->why); i++)
			snprintf(x->why[i], TS_REASON_MAX, "the trace is not recorded: %.150s",
				why.msg);
		return ts_notes_soften(&x->notes, code, "trace", &why, err);
	}
	x->honest = w.trace->honest;
	code = ts_notes_soften(&x->notes, code, "trace", &why, err);
	for (size_t i = 0; i < TS_COUNT(parts) && !code; i++)
		code = parts[i](&w);
	ts_program_costs_close(w.costs);
	ts_trace_release(w.trace);
	return code;
}

void
ts_execution_facts_fini(struct ts_execution_facts *x)
{
	ts_notes_fini(&x->notes);
}
