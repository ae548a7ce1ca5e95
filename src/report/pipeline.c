/* SPDX-License-Identifier: MIT */
/*
 * pipeline - first where passes begin and end, then what is in them.
 *
 * By exchange that takes one pass over step_ipu by blocks, from which the rows of global exchanges are kept; by name one
 * over all slices (each compute set's and program's name is matched once). The cycles of a pass then come from the
 * lanes of the index, or from its rows.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/pipeline.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/slices.h"

enum { PROGRESS_ROWS = 65536, NO_STAGE = -1 };

/* An IPU while its passes are found. */
struct lane {
	int64_t ipu;
	int64_t from;	    /* of the pass that has begun, or where the last one ended */
	int64_t end;	    /* the last end of its rows so far */
	int64_t first_step; /* of the pass that has begun */
	int32_t stage, run;
};

/* A row of a global exchange. */
struct exchange {
	int64_t step, ipu, end;
	int64_t bytes; /* the larger of what comes in and goes out, or TS_UNKNOWN */
};

struct finding {
	struct ts_pipeline *p;
	struct ts_reader *rd;
	const struct ts_trace *t;
	const struct ts_pipeline_options *o;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct lane *lane; /* as trace->ipu */
	struct ts_pile exchange;
	size_t exchanges;
	struct ts_matcher *matcher;
	struct ts_dictionary
		seen; /* numbers of names that were matched; the text of each is its stage */
};

static struct ts_pipeline_pass *
pass_of(const struct ts_pipeline *p, size_t i)
{
	return (struct ts_pipeline_pass *)p->pass.memory + i;
}

static struct lane *
lane_of(struct finding *f, int64_t ipu)
{
	int low = 0, high = f->t->ipus;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (f->lane[middle].ipu < ipu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->t->ipus && f->lane[low].ipu == ipu ? &f->lane[low] : NULL;
}

static enum ts_code
add_pass(struct finding *f, const struct lane *l, int32_t stage, int64_t to, struct ts_err *err)
{
	struct ts_pipeline_pass pass = {.ipu = l->ipu,
		.from = l->from,
		.to = to,
		.first_step = l->first_step,
		.stage = stage,
		.run = l->run};

	if (to <= l->from)
		return TS_OK;
	if (f->p->passes >= TS_PIPELINE_PASSES) {
		f->p->cut = true;
		return TS_OK;
	}
	f->p->passes++;
	return ts_pile_add(&f->p->pass, &pass, sizeof(pass), f->cache, err);
}

/* --- by exchange ------------------------------------------------------------------------------------ */

enum { X_STEP, X_IPU, X_END, X_IN, X_OUT, X_COLUMNS };

static const int exchange_columns[X_COLUMNS] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_END,
	TS_STEP_IPU_DATA_IN, TS_STEP_IPU_DATA_OUT};

static int64_t
known(const struct ts_rows_block *b, int column, int row)
{
	return b->is[column] == TS_VALUE_OK ? b->v[column][row] : TS_UNKNOWN;
}

static enum ts_code
take_exchanges(struct finding *f, struct ts_step_classes *classes, const struct ts_rows_block *b,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; !code && i < b->rows; i++) {
		struct exchange x = {known(b, X_STEP, i), known(b, X_IPU, i), known(b, X_END, i),
			ts_max_i64(known(b, X_IN, i), known(b, X_OUT, i))};

		if (x.step == TS_UNKNOWN || x.ipu == TS_UNKNOWN || x.end == TS_UNKNOWN) {
			f->p->bad_rows++;
			continue;
		}
		if (ts_step_classes_find(classes, x.step) != TS_CLASS_GLOBAL_EXCHANGE)
			continue;
		f->exchanges++;
		f->p->bytes_known |= x.bytes != TS_UNKNOWN;
		code = ts_pile_add(&f->exchange, &x, sizeof(x), f->cache, err);
	}
	return code;
}

static enum ts_code
read_exchanges(struct finding *f, struct ts_step_classes *classes, struct ts_err *err)
{
	const struct ts_reach *reach = &f->rd->report->binding[TS_STEP_IPU].reach;
	struct ts_rows_query q = {.column_count = X_COLUMNS, .past_damage = true};
	struct ts_rows *rows = NULL;
	struct ts_rows_block b;
	int64_t seen = 0, said = 0;
	enum ts_code code;

	memcpy(q.columns, exchange_columns, sizeof(exchange_columns));
	code = ts_reader_rows(&rows, f->rd, TS_STEP_IPU, &q, err);
	while (!code && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		seen += b.rows;
		if (seen - said >= PROGRESS_ROWS) {
			ts_progress_set(f->progress, seen, ts_reach_span(reach));
			said = seen;
		}
		code = take_exchanges(f, classes, &b, err);
	}
	ts_rows_close(rows);
	f->p->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
by_step(const void *a, const void *b)
{
	const struct exchange *x = a, *y = b;
	int c = compare(x->step, y->step);

	return c ? c : compare(x->ipu, y->ipu);
}

/* All rows of one step: does it end a phase? */
static bool
ends_phase(const struct finding *f, const struct exchange *x, size_t n)
{
	int64_t bytes = 0;
	bool known_bytes = false;

	for (size_t i = 0; i < n; i++)
		if (x[i].bytes != TS_UNKNOWN) {
			known_bytes = true;
			if (!ts_add_i64(&bytes, x[i].bytes))
				return true;
		}
	return known_bytes ? bytes > f->o->least_bytes : !f->p->bytes_known;
}

/* The passes of all IPUs end: at the end of their row of the exchange, those without one at the last of these. */
static enum ts_code
end_phase(struct finding *f, const struct exchange *x, size_t n, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t last = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		last = ts_max_i64(last, x[i].end);
	for (int i = 0; !code && i < f->t->ipus; i++) {
		struct lane *l = &f->lane[i];
		int64_t to = last;

		for (; k < n && x[k].ipu <= l->ipu; k++)
			if (x[k].ipu == l->ipu)
				to = x[k].end;
		code = add_pass(f, l, i, to, err);
		l->from = ts_max_i64(l->from, to);
	}
	f->p->phases++;
	return code;
}

/* A run begins (from TS_UNKNOWN: there are no runs, or it is not known where). */
static void
begin_run(struct finding *f, int32_t run, int64_t from)
{
	for (int i = 0; i < f->t->ipus; i++) {
		f->lane[i].run = run;
		f->lane[i].first_step = TS_UNKNOWN;
		f->lane[i].from = ts_max_i64(f->lane[i].from, from);
	}
}

static enum ts_code
end_run(struct finding *f, int64_t to, struct ts_err *err)
{
	struct exchange end = {.ipu = -1, .end = to};
	bool left = false;

	for (int i = 0; i < f->t->ipus; i++)
		left |= f->lane[i].from < to;
	return left ? end_phase(f, &end, 1, err) : TS_OK;
}

static int64_t
run_start(const struct ts_trace *t, int run)
{
	return run < 0 || t->run[run].start == TS_UNKNOWN ? t->from : t->run[run].start;
}

static int64_t
run_end(const struct ts_trace *t, int run)
{
	return run < 0 || t->run[run].end == TS_UNKNOWN ? t->to : t->run[run].end;
}

static enum ts_code
find_phases(struct finding *f, struct ts_err *err)
{
	const struct exchange *x = f->exchange.memory;
	int run = -1;
	enum ts_code code = TS_OK;

	for (size_t i = 0, n; !code && i < f->exchanges; i += n) {
		int at;

		for (n = 1; i + n < f->exchanges && x[i + n].step == x[i].step;)
			n++;
		if (!ends_phase(f, &x[i], n))
			continue;
		at = ts_trace_run_of(f->t, x[i].step);
		if (f->p->phases == 0 || at != run) {
			if (f->p->phases > 0)
				code = end_run(f, run_end(f->t, run), err);
			run = at;
			begin_run(f, run, run_start(f->t, run));
		}
		f->p->ends++;
		if (!code)
			code = end_phase(f, &x[i], n, err);
	}
	return code || f->p->phases == 0 ? code : end_run(f, run_end(f->t, run), err);
}

static enum ts_code
by_exchange(struct finding *f, struct ts_err *err)
{
	struct ts_step_classes classes = {0};
	enum ts_code code;

	if (f->t->ipus < 2)
		return ts_err_set(err, TS_E_ABSENT, "the trace has one IPU: no stages by exchange");
	code = ts_step_classes_read(&classes, f->rd, NULL, err);
	f->p->partial |= code == TS_E_DAMAGED;
	if (!code || code == TS_E_DAMAGED)
		code = read_exchanges(f, &classes, err);
	ts_step_classes_fini(&classes);
	if (!code)
		code = ts_pile_sort(&f->exchange, f->exchanges, sizeof(struct exchange), by_step,
			f->cache, f->rd->cancel, err);
	if (!code)
		code = find_phases(f, err);
	if (!code && f->p->phases == 0)
		return ts_err_set(err, TS_E_ABSENT,
			"no global exchange moves more than %" PRId64 " bytes: no stages",
			f->o->least_bytes);
	return code;
}

/* --- by name ---------------------------------------------------------------------------------------- */

/* The stage of a name: its number, or NO_STAGE. */
static enum ts_code
match(int32_t *stage, struct finding *f, const char *name, size_t n, struct ts_err *err)
{
	const struct ts_pattern *pattern = f->o->stages;
	int group = ts_pattern_groups(pattern) > 0;
	const char *text;
	size_t from, to;
	uint32_t entry;
	enum ts_code code;

	*stage = NO_STAGE;
	if (!name || ts_pattern_matches(f->matcher, name, n) != TS_MATCH_YES)
		return ts_matcher_costly(f->matcher) ? ts_pattern_costly_err(pattern, err) : TS_OK;
	if (!ts_matcher_group(f->matcher, group, &text, &from, &to) || from == to)
		return TS_OK;
	code = ts_dictionary_text(&f->p->names, &entry, text + from, to - from, err);
	if (!code && entry < TS_PIPELINE_STAGES)
		*stage = (int32_t)entry;
	f->p->cut |= !code && entry >= TS_PIPELINE_STAGES;
	return code;
}

/* The same for a step; its name is its compute set's or its program's, which is matched once. */
static enum ts_code
stage_of(int32_t *stage, struct finding *f, const struct ts_slice *s, struct ts_err *err)
{
	bool set = s->compute_set != TS_UNKNOWN;
	int64_t number = set ? s->compute_set : s->program, at;
	uint32_t entry;
	enum ts_code code;

	if (number == TS_UNKNOWN || number >= INT64_MAX / 2)
		return match(stage, f, s->name, s->name_n, err);
	number = number * 2 + set;
	at = ts_dictionary_find(&f->seen, number);
	if (at != TS_DICTIONARY_NONE) {
		memcpy(stage,
			(char *)f->seen.text.memory + ts_dictionary_at(&f->seen, (uint32_t)at)->at,
			sizeof(*stage));
		return TS_OK;
	}
	code = match(stage, f, s->name, s->name_n, err);
	return code ? code
		    : ts_dictionary_number(&f->seen, &entry, number, (const char *)stage,
			      sizeof(*stage), err);
}

static enum ts_code
take_slice(struct finding *f, const struct ts_slice *s, struct ts_err *err)
{
	struct lane *l = lane_of(f, s->ipu);
	int32_t stage, run;
	enum ts_code code;

	if (!l || s->end <= s->start)
		return TS_OK;
	code = stage_of(&stage, f, s, err);
	run = (int32_t)ts_trace_run_of(f->t, s->step);
	if (!code && l->stage != NO_STAGE && run != l->run) {
		code = add_pass(f, l, l->stage, l->end, err);
		l->stage = NO_STAGE;
	}
	if (!code && stage != NO_STAGE && stage != l->stage) {
		if (s->start < l->from) {
			f->p->falls++;
			return TS_OK;
		}
		if (l->stage != NO_STAGE)
			code = add_pass(f, l, l->stage, s->start, err);
		l->from = s->start;
		l->first_step = s->step;
		l->stage = stage;
	}
	l->run = run;
	l->end = ts_max_i64(l->end, s->end);
	return code;
}

static enum ts_code
by_name(struct finding *f, struct ts_err *err)
{
	const struct ts_slice *s = NULL;
	struct ts_slices *slices = NULL;
	enum ts_code code = ts_matcher_new(&f->matcher, f->o->stages, err);

	if (!code)
		code = ts_slices_open(&slices, f->rd, &f->t->names, f->cache, f->progress, err);
	while (!code && !(code = ts_slices_next(&s, slices, err)) && s)
		code = take_slice(f, s, err);
	if (slices) {
		struct ts_slices_left_out left = ts_slices_left_out(slices);

		f->p->bad_rows = left.bad_rows + left.orphans;
	}
	ts_slices_close(slices);
	ts_matcher_free(f->matcher);
	f->p->partial |= code == TS_E_DAMAGED;
	code = code == TS_E_DAMAGED ? TS_OK : code;
	for (int i = 0; !code && i < f->t->ipus; i++)
		if (f->lane[i].stage != NO_STAGE)
			code = add_pass(f, &f->lane[i], f->lane[i].stage, f->lane[i].end, err);
	if (!code && f->p->passes == 0)
		return ts_err_set(err, TS_E_ABSENT, "no step has a name that matches %s",
			ts_pattern_text(f->o->stages));
	return code;
}

/* --- what is in them -------------------------------------------------------------------------------- */

static void
add_up(int64_t *sum, int64_t v)
{
	if (!ts_add_i64(sum, v))
		*sum = INT64_MAX;
}

/* At most INT64_MAX, as each of them is. */
static int64_t
sum_of(int64_t a, int64_t b, int64_t c)
{
	add_up(&a, b);
	add_up(&a, c);
	return a;
}

int64_t
ts_pipeline_work(const int64_t by_class[TS_CLASS_COUNT])
{
	return sum_of(by_class[TS_CLASS_COMPUTE], by_class[TS_CLASS_EXCHANGE],
		by_class[TS_CLASS_GLOBAL_EXCHANGE]);
}

int64_t
ts_pipeline_io(const int64_t by_class[TS_CLASS_COUNT])
{
	return sum_of(by_class[TS_CLASS_HOST_WAIT], by_class[TS_CLASS_HOST_COPY],
		by_class[TS_CLASS_HOST_END]);
}

int64_t
ts_pipeline_syncs(const int64_t by_class[TS_CLASS_COUNT])
{
	return sum_of(by_class[TS_CLASS_SYNC], by_class[TS_CLASS_EXTERNAL_SYNC],
		by_class[TS_CLASS_ASYNC_SYNC]);
}

int64_t
ts_pipeline_bubble(const int64_t by_class[TS_CLASS_COUNT], int64_t idle)
{
	int64_t waits = ts_pipeline_syncs(by_class);

	add_up(&waits, idle);
	return waits;
}

double
ts_pipeline_mean_work(const struct ts_pipeline_stage *s)
{
	return s->passes > 0 ? (double)ts_pipeline_work(s->by_class) / (double)s->passes : -1;
}

double
ts_pipeline_mean_span(const struct ts_pipeline_stage *s)
{
	return s->count > 0 ? (double)s->span / (double)s->count : 0;
}

/* Add what stands in [from, to) of a pass. */
static enum ts_code
measure_part(struct finding *f, struct ts_class_time *time, struct ts_lane_times *times,
	struct ts_pipeline_pass *pass, int64_t from, int64_t to, struct ts_err *err)
{
	int64_t by_class[TS_CLASS_COUNT];
	enum ts_code code;

	if (to <= from)
		return TS_OK;
	code = ts_lane_times_of(time, times, pass->ipu, from, to, err);
	f->p->partial |= code == TS_E_DAMAGED;
	code = code == TS_E_DAMAGED ? TS_OK : code;
	if (code)
		return code;
	pass->idle += ts_class_partition(by_class, time);
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		pass->by_class[k] += by_class[k];
	return TS_OK;
}

/* All of a pass but the profiler's own work: before it, and behind it. */
static enum ts_code
measure_pass(struct finding *f, struct ts_class_time *time, struct ts_lane_times *times,
	struct ts_pipeline_pass *pass, struct ts_err *err)
{
	bool some = f->t->artefact_start != TS_UNKNOWN && f->t->artefact_end != TS_UNKNOWN;
	int64_t from = some ? ts_clamp_i64(f->t->artefact_start, pass->from, pass->to) : pass->to;
	int64_t to = some ? ts_clamp_i64(f->t->artefact_end, from, pass->to) : pass->to;
	enum ts_code code = measure_part(f, time, times, pass, pass->from, from, err);

	pass->left_out = to - from;
	add_up(&f->p->left_out, pass->left_out);
	return code ? code : measure_part(f, time, times, pass, to, pass->to, err);
}

static enum ts_code
measure(struct finding *f, struct ts_err *err)
{
	struct ts_class_time *time = ts_alloc(1, sizeof(*time));
	struct ts_lane_times *times = NULL;
	enum ts_code code = time ? ts_lane_times_open(&times, f->rd, f->t, f->cache, err)
				 : ts_err_nomem(err);

	for (size_t i = 0; !code && i < f->p->passes; i++) {
		code = measure_pass(f, time, times, pass_of(f->p, i), err);
		if (i % 1024 == 0)
			ts_progress_set(f->progress, (int64_t)i, (int64_t)f->p->passes);
	}
	ts_lane_times_close(times);
	free(time);
	return code;
}

static int
by_stage(const void *a, const void *b)
{
	const struct ts_pipeline_pass *x = a, *y = b;
	int c = compare(x->stage, y->stage);

	c = c ? c : compare(x->from, y->from);
	return c ? c : compare(x->ipu, y->ipu);
}

static void
add_to_stage(struct ts_pipeline_stage *s, const struct ts_pipeline_pass *pass)
{
	int64_t work = ts_pipeline_work(pass->by_class);

	s->ipu = s->count == 0 || s->ipu == pass->ipu ? pass->ipu : TS_UNKNOWN;
	s->count++;
	s->passes += work > 0;
	s->most_work = ts_max_i64(s->most_work, work);
	add_up(&s->span, ts_pipeline_pass_span(pass));
	add_up(&s->idle, pass->idle);
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		add_up(&s->by_class[k], pass->by_class[k]);
}

/* When the first pass of a stage with work begins; INT64_MAX: none has work. */
static int64_t
begins(const struct ts_pipeline *p, const struct ts_pipeline_stage *s)
{
	for (int64_t i = s->first; i < s->first + s->count; i++)
		if (ts_pipeline_work(pass_of(p, (size_t)i)->by_class) > 0)
			return pass_of(p, (size_t)i)->from;
	return INT64_MAX;
}

static enum ts_code
gather_stages(struct ts_pipeline *p, struct ts_err *err)
{
	int n = 0;

	for (size_t i = 0; i < p->passes; i++)
		n += i == 0 || pass_of(p, i)->stage != pass_of(p, i - 1)->stage;
	p->stage = ts_alloc((size_t)n, sizeof(*p->stage));
	if (!p->stage)
		return ts_err_nomem(err);
	for (size_t i = 0; i < p->passes; i++) {
		int32_t stage = pass_of(p, i)->stage;

		if (i == 0 || stage != pass_of(p, i - 1)->stage)
			p->stage[p->stages++] = (struct ts_pipeline_stage){.first = (int64_t)i,
				.name = p->by_name ? stage : TS_DICTIONARY_NONE};
		add_to_stage(&p->stage[p->stages - 1], pass_of(p, i));
	}
	return TS_OK;
}

/* Stages by their begin; by insertion, for they are few and nearly in order. Passes get their stage's new number. */
static void
order_stages(struct ts_pipeline *p)
{
	for (int i = 1; i < p->stages; i++) {
		struct ts_pipeline_stage s = p->stage[i];
		int64_t start = begins(p, &s);
		int k = i;

		for (; k > 0 && begins(p, &p->stage[k - 1]) > start; k--)
			p->stage[k] = p->stage[k - 1];
		p->stage[k] = s;
	}
	for (int i = 0; i < p->stages; i++)
		for (int64_t k = 0; k < p->stage[i].count; k++)
			pass_of(p, (size_t)(p->stage[i].first + k))->stage = i;
}

/* --- which is slow ---------------------------------------------------------------------------------- */

static void
find_regular(struct ts_pipeline *p)
{
	int64_t most = 0;

	for (int i = 0; i < p->stages; i++)
		most = ts_max_i64(most, p->stage[i].passes);
	for (int i = 0; i < p->stages; i++)
		p->stage[i].regular = p->stage[i].passes > 0 &&
			p->stage[i].passes >= most - most / 2;
}

/* What moving work from the slowest stage to the fastest one gives. */
static void
weigh_move(struct ts_pipeline *p)
{
	const struct ts_pipeline_stage *slow = &p->stage[p->slowest];
	double most = ts_pipeline_mean_work(slow);
	double least = ts_pipeline_mean_work(&p->stage[p->fastest]);
	double span = ts_pipeline_mean_span(slow), target = (most + least) / 2;

	target = p->second > target ? p->second : target;
	p->target = target;
	p->move = most > 0 ? (most - target) / most : 0;
	p->saves = span > 0 ? (most - target) / span : 0;
}

static void
compare_stages(struct ts_pipeline *p)
{
	double sum = 0, span = 0, bubble = 0;
	int regular = 0;

	p->slowest = p->fastest = -1;
	p->slow_factor = p->bubble = p->mean_work = -1;
	p->second = 0;
	for (int i = 0; i < p->stages; i++) {
		const struct ts_pipeline_stage *s = &p->stage[i];
		double work = ts_pipeline_mean_work(s);

		if (!s->regular)
			continue;
		regular++;
		sum += work;
		span += (double)s->span;
		bubble += (double)ts_pipeline_bubble(s->by_class, s->idle);
		if (p->slowest < 0 || work > ts_pipeline_mean_work(&p->stage[p->slowest])) {
			p->second = p->slowest < 0 ? 0
						   : ts_pipeline_mean_work(&p->stage[p->slowest]);
			p->slowest = i;
		} else if (work > p->second) {
			p->second = work;
		}
		if (p->fastest < 0 || work < ts_pipeline_mean_work(&p->stage[p->fastest]))
			p->fastest = i;
	}
	if (span > 0)
		p->bubble = bubble / span;
	if (regular > 0)
		p->mean_work = sum / regular;
	if (regular < 2) {
		p->slowest = p->fastest = -1;
		return;
	}
	if (p->mean_work > 0)
		p->slow_factor = ts_pipeline_mean_work(&p->stage[p->slowest]) / p->mean_work;
	weigh_move(p);
}

static void
count_at_once(struct ts_pipeline *p)
{
	double work = 0, span = 0;

	p->at_once = -1;
	for (int i = 0; i < p->stages; i++) {
		work += (double)ts_pipeline_work(p->stage[i].by_class);
		span += (double)p->stage[i].span;
	}
	if (p->phases > 0 && span > 0)
		p->at_once = work / (span / p->stages);
}

/* --- all of it -------------------------------------------------------------------------------------- */

static enum ts_code
find(struct finding *f, struct ts_err *err)
{
	struct ts_pipeline *p = f->p;
	enum ts_code code;

	f->lane = ts_alloc((size_t)ts_max_i64(f->t->ipus, 1), sizeof(*f->lane));
	if (!f->lane)
		return ts_err_nomem(err);
	for (int i = 0; i < f->t->ipus; i++)
		f->lane[i] = (struct lane){.ipu = f->t->ipu[i],
			.first_step = TS_UNKNOWN,
			.stage = NO_STAGE,
			.run = -1};
	code = p->by_name ? by_name(f, err) : by_exchange(f, err);
	if (!code)
		code = measure(f, err);
	if (!code)
		code = ts_pile_sort(&p->pass, p->passes, sizeof(struct ts_pipeline_pass), by_stage,
			f->cache, f->rd->cancel, err);
	if (!code)
		code = gather_stages(p, err);
	if (code)
		return code;
	order_stages(p);
	find_regular(p);
	compare_stages(p);
	count_at_once(p);
	return TS_OK;
}

enum ts_code
ts_pipeline_read(struct ts_pipeline **out, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_pipeline_options *o, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct finding f = {.rd = rd, .t = t, .o = o, .cache = cache, .progress = progress};
	enum ts_code code;

	*out = NULL;
	if (!t->has_parts)
		return ts_err_set(err, TS_E_ABSENT, "step_ipu: %s", t->why_no_parts);
	f.p = ts_alloc(1, sizeof(*f.p));
	if (!f.p)
		return ts_err_nomem(err);
	atomic_init(&f.p->uses, 1);
	f.p->by_name = o->stages != NULL;
	f.p->least_bytes = o->least_bytes;
	f.p->names.cache = f.seen.cache = cache;
	f.seen.numbers = true;
	code = find(&f, err);
	free(f.lane);
	ts_pile_fini(&f.exchange);
	ts_dictionary_fini(&f.seen);
	if (code) {
		ts_pipeline_close(f.p);
		return code;
	}
	*out = f.p;
	return TS_OK;
}

struct ts_pipeline *
ts_pipeline_hold(struct ts_pipeline *p)
{
	atomic_fetch_add(&p->uses, 1);
	return p;
}

void
ts_pipeline_close(struct ts_pipeline *p)
{
	if (!p || atomic_fetch_sub(&p->uses, 1) > 1)
		return;
	ts_pile_fini(&p->pass);
	ts_dictionary_fini(&p->names);
	free(p->stage);
	free(p);
}

const char *
ts_pipeline_stage_name(size_t *n, const struct ts_pipeline *p, int stage)
{
	const struct ts_dictionary_entry *e;

	*n = 0;
	if (p->stage[stage].name == TS_DICTIONARY_NONE)
		return NULL;
	e = ts_dictionary_at(&p->names, (uint32_t)p->stage[stage].name);
	*n = e->n;
	return (const char *)p->names.text.memory + e->at;
}
