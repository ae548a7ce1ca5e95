/* SPDX-License-Identifier: MIT */
/*
 * index_work - see the header. A part makes its stretches one after the other, with the IPUs of the lanes' section; the
 * parts stand behind one another at the end, as their rows do.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "proportions_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_work.h"
#include "tilescope/report/pile.h"

enum { STRETCH_MOST = 1 << 16, PROGRESS_ROWS = 8192 };

_Static_assert(sizeof(struct ts_step_work) % sizeof(int64_t) == 0, "sums have no padding");

struct run {
	struct ts_lanes lanes;
	struct ts_steps steps;
	bool left; /* the rows answer */
};

struct part {
	struct ts_pile stretch, sum;
	struct work_sum *now; /* of the open stretch, one for each IPU */
	struct ts_work_stretch open;
	int64_t rows, in_open;
	int hint;
	bool left;
};

static int64_t
stretch_rows(const struct run *run)
{
	return ts_min_i64(TS_WORK_STRETCH * (int64_t)ts_max_i64((int64_t)run->lanes.head->lanes, 1),
		STRETCH_MOST);
}

static void
begin_stretch(struct part *p, const struct run *run, int64_t rowid)
{
	p->open = (struct ts_work_stretch){rowid, rowid, INT64_MAX, -1};
	p->in_open = 0;
	for (uint64_t i = 0; i < run->lanes.head->lanes; i++)
		work_sum_init(&p->now[i]);
}

static enum ts_code
end_stretch(struct ts_pass_part *part, struct ts_err *err)
{
	const struct run *run = part->run->state;
	struct part *p = part->state;
	enum ts_code code = TS_OK;

	if (p->in_open == 0)
		return TS_OK;
	code = ts_pile_add(&p->stretch, &p->open, sizeof(p->open), part->run->cache, err);
	for (uint64_t i = 0; i < run->lanes.head->lanes && !code; i++) {
		struct ts_step_work kept;

		work_sum_keep(&kept, &p->now[i]);
		code = ts_pile_add(&p->sum, &kept, sizeof(kept), part->run->cache, err);
	}
	return code;
}

static int
lane_find(const struct run *run, int64_t ipu, int hint)
{
	uint64_t n = run->lanes.head->lanes;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = ((uint64_t)hint + i) % n;

		if (run->lanes.lane[at].ipu == ipu)
			return (int)at;
	}
	return -1;
}

static void
take_row(struct part *p, const struct run *run, struct ts_rows *rows)
{
	struct ts_slice s;

	if (!work_row(&s, rows, &run->steps))
		return;
	p->hint = lane_find(run, s.ipu, p->hint + 1);
	if (p->hint < 0) { /* not of a row that the lanes have seen */
		p->left = true;
		return;
	}
	p->open.least = ts_min_i64(p->open.least, s.start);
	p->open.greatest = ts_max_i64(p->open.greatest, s.start);
	p->left |= !work_sum_add(&p->now[p->hint], &s);
}

static enum ts_code
take_rows(struct ts_pass_part *part, struct ts_rows *rows, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct run *run = part->run->state;
	int64_t total = ts_pass_part_span(part), most = stretch_rows(run), rowid;
	struct part *p = part->state;
	enum ts_code code = TS_OK;
	bool there;

	while (!p->left && !code && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++p->rows % PROGRESS_ROWS == 0)
			ts_progress_set(progress, p->rows, total);
		p->left |= !ts_rows_rowid(rows, &rowid) || rowid == INT64_MAX;
		if (p->left)
			break;
		if (p->in_open == most) {
			code = end_stretch(part, err);
			p->in_open = 0;
		}
		if (p->in_open == 0)
			begin_stretch(p, run, rowid);
		p->in_open++;
		p->open.to = rowid + 1;
		take_row(p, run, rows);
	}
	return code ? code : end_stretch(part, err);
}

static enum ts_code
pass_part(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = WORK_COLUMNS,
		.range = part->range,
		.from = part->from,
		.to = part->to};
	const struct run *run = part->run->state;
	struct part *p = part->state;
	struct ts_rows *rows;
	enum ts_code code;

	if (run->left)
		return TS_OK;
	p->now = ts_alloc((size_t)run->lanes.head->lanes + 1, sizeof(*p->now));
	if (!p->now)
		return ts_err_nomem(err);
	memcpy(q.columns, work_columns, sizeof(work_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP_IPU, &q, err);
	if (!code)
		code = take_rows(part, rows, progress, err);
	ts_rows_close(rows);
	return code;
}

static void
part_fini(struct ts_pass_part *part)
{
	struct part *p = part->state;

	free(p->now);
	ts_pile_fini(&p->stretch);
	ts_pile_fini(&p->sum);
}

/* What all parts have, one behind the other. */
static enum ts_code
join(struct ts_pile *stretch, struct ts_pile *sum, struct ts_pass_part *parts, int count,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < count && !code; i++) {
		const struct part *p = parts[i].state;
		const struct ts_cache *cache = parts[i].run->cache;

		code = ts_pile_add(stretch, p->stretch.memory, p->stretch.used, cache, err);
		if (!code)
			code = ts_pile_add(sum, p->sum.memory, p->sum.used, cache, err);
	}
	return code;
}

/* Do the sums of all stretches fit? Then those of any of them do. */
static bool
fits(const struct ts_pile *sum, uint64_t ipus)
{
	const struct ts_step_work *s = sum->memory;
	size_t n = sum->used / sizeof(*s);
	bool ok = true;

	for (uint64_t k = 0; k < ipus && ok; k++) {
		struct work_sum all, one;

		work_sum_init(&all);
		for (size_t i = k; i < n && ok; i += ipus) {
			work_sum_of(&one, &s[i]);
			ok = work_sum_join(&all, &one);
		}
	}
	return ok;
}

static enum ts_code
write_all(struct ts_pass_run *run, const struct ts_pile *stretch, const struct ts_pile *sum,
	bool left, struct ts_err *err)
{
	const struct run *state = run->state;
	struct ts_work_head h = {.left = left};
	int64_t *ipu;
	enum ts_code code;

	h.ipus = left ? 0 : state->lanes.head->lanes;
	h.stretches = left ? 0 : stretch->used / sizeof(struct ts_work_stretch);
	ipu = ts_alloc((size_t)h.ipus + 1, sizeof(*ipu));
	if (!ipu)
		return ts_err_nomem(err);
	for (uint64_t i = 0; i < h.ipus; i++)
		ipu[i] = state->lanes.lane[i].ipu;
	{
		const struct ts_section_array array[] = {{&h.ipus_at, ipu,
								 (size_t)h.ipus * sizeof(*ipu)},
			{&h.stretches_at, stretch->memory,
				(size_t)h.stretches * sizeof(struct ts_work_stretch)},
			{&h.sums_at, sum->memory,
				(size_t)(h.stretches * h.ipus) * sizeof(struct ts_step_work)}};

		code = ts_section_put_arrays(run->writer[0], &h, sizeof(h), array, TS_COUNT(array),
			err);
	}
	free(ipu);
	return code;
}

static enum ts_code
pass_finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct run *state = run->state;
	struct ts_pile stretch = {0}, sum = {0};
	bool left = state->left;
	enum ts_code code;

	(void)rd;
	(void)progress;
	for (int i = 0; i < count; i++)
		left |= ((const struct part *)parts[i].state)->left;
	code = left ? TS_OK : join(&stretch, &sum, parts, count, err);
	if (!code && !left)
		left = !fits(&sum, state->lanes.head->lanes);
	if (!code)
		code = write_all(run, &stretch, &sum, left, err);
	ts_pile_fini(&stretch);
	ts_pile_fini(&sum);
	return code;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP) && ts_report_has(r, TS_STEP_IPU) &&
		(ts_proportions_has_balance(r) || ts_proportions_has_bytes(r));
}

static enum ts_code
pass_begin(struct ts_pass_run *run, struct ts_err *err)
{
	struct run *state = run->state;

	if (!ts_steps_open(&state->steps, run->index))
		return ts_err_set(err, TS_E_ABSENT, "the steps are not in the index");
	if (!ts_lanes_open(&state->lanes, run->index))
		return ts_err_set(err, TS_E_ABSENT, "the steps by IPU are not in the index");
	state->left = !ts_binding_is_plain(&run->report->binding[TS_STEP_IPU], work_columns,
			      WORK_COLUMNS) ||
		state->lanes.head->lanes == 0 || state->lanes.head->lanes > TS_TRACE_LANES;
	return TS_OK;
}

static void
pass_fini(struct ts_pass_run *run)
{
	struct run *state = run->state;

	if (state->steps.head)
		ts_steps_close(&state->steps);
	if (state->lanes.head)
		ts_lanes_close(&state->lanes);
}

const struct ts_pass ts_pass_work = {
	.what = "bytes and balance of steps",
	.relation = TS_STEP_IPU,
	.section = {TS_SECTION_WORK, TS_SECTION_COUNT},
	.can = can,
	.state_size = sizeof(struct run),
	.part_size = sizeof(struct part),
	.begin = pass_begin,
	.part = pass_part,
	.finish = pass_finish,
	.part_fini = part_fini,
	.fini = pass_fini,
};

/* --- reading -------------------------------------------------------------------------------------- */

static bool
is_balance(const struct ts_balance_sum *b)
{
	return b->steps >= 0 && b->steps <= STRETCH_MOST && b->cycles >= 0 &&
		b->cycles <= TS_NUMBER_MAX && b->mean >= 0 && b->mean <= b->cycles;
}

/* Could this be what a stretch of rows comes to? Others could not be added up. */
static bool
is_sum(const struct ts_step_work *s)
{
	bool ok = s->steps >= 0 && s->steps <= STRETCH_MOST && is_balance(&s->all) &&
		is_balance(&s->compute);

	for (int k = 0; k < TS_TRAFFIC_COUNT; k++) {
		const struct ts_traffic_sum *t = &s->traffic[k];

		ok &= t->steps >= 0 && t->steps <= STRETCH_MOST && t->cycles >= 0 &&
			t->cycles <= TS_NUMBER_MAX && t->in >= TS_WORK_CUT && t->out >= TS_WORK_CUT;
	}
	return ok;
}

static bool
is_sound(const struct ts_work *w)
{
	for (uint64_t i = 1; i < w->head->ipus; i++)
		if (w->ipu[i] <= w->ipu[i - 1])
			return false;
	for (uint64_t i = 0; i < w->head->stretches; i++)
		if (w->stretch[i].rowid >= w->stretch[i].to ||
			(i > 0 && w->stretch[i].rowid < w->stretch[i - 1].to))
			return false;
	for (uint64_t i = 0; i < w->head->stretches * w->head->ipus; i++)
		if (!is_sum(&w->sum[i]))
			return false;
	return true;
}

bool
ts_work_open(struct ts_work *w, struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_WORK, &size);
	const struct ts_work_head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h))
					       : NULL;

	*w = (struct ts_work){.head = h};
	if (!h || h->left || h->ipus == 0 || h->ipus > TS_TRACE_LANES || h->stretches > INT32_MAX)
		return false;
	w->ipu = ts_section_at(payload, size, h->ipus_at, h->ipus, sizeof(*w->ipu));
	w->stretch = ts_section_at(payload, size, h->stretches_at, h->stretches,
		sizeof(*w->stretch));
	w->sum = ts_section_at(payload, size, h->sums_at, h->stretches * h->ipus, sizeof(*w->sum));
	if (!w->ipu || !w->stretch || !w->sum || !is_sound(w))
		return false;
	w->index = ts_index_hold(x);
	return true;
}

void
ts_work_close(struct ts_work *w)
{
	ts_index_release(w->index);
	*w = (struct ts_work){0};
}
