/* SPDX-License-Identifier: MIT */
/*
 * proportions_work - what steps do: sums of bytes and balance, row by row or from the section of the index.
 *
 * Mean cycles of a step are rounded to a whole cycle, so that sums are the same in whatever order, and of whatever pieces,
 * they are made.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "proportions_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_work.h"

/* --- sums ----------------------------------------------------------------------------------------- */

void
work_sum_init(struct work_sum *w)
{
	*w = (struct work_sum){.cut = {{false}}};
	for (int k = 0; k < TS_TRAFFIC_COUNT; k++)
		w->work.traffic[k].in = w->work.traffic[k].out = TS_UNKNOWN;
}

/* Add what may not be known; a sum that does not fit is not known either, and stays so. */
static void
add_known(int64_t *sum, bool *cut, int64_t v)
{
	if (v == TS_UNKNOWN || *cut)
		return;
	if (*sum == TS_UNKNOWN)
		*sum = 0;
	if (!ts_add_i64(sum, v)) {
		*sum = TS_UNKNOWN;
		*cut = true;
	}
}

static int
traffic_of(enum ts_step_class k)
{
	switch (k) {
	case TS_CLASS_HOST_WAIT:
	case TS_CLASS_HOST_COPY:
	case TS_CLASS_HOST_END:
		return TS_TRAFFIC_STREAM;
	case TS_CLASS_GLOBAL_EXCHANGE:
		return TS_TRAFFIC_GLOBAL;
	case TS_CLASS_EXCHANGE:
		return TS_TRAFFIC_EXCHANGE;
	default:
		return -1;
	}
}

/* False, and nothing is added: more than a clock can count. */
static bool
add_balance(struct ts_balance_sum *to, const struct ts_balance_sum *from)
{
	if (to->cycles > TS_NUMBER_MAX - from->cycles)
		return false;
	to->steps += from->steps;
	to->cycles += from->cycles;
	to->mean += from->mean;
	return true;
}

/* Of one kind of step; those that are behind `from` are one or many. */
static bool
add_traffic(struct work_sum *w, int kind, const struct ts_traffic_sum *from)
{
	struct ts_traffic_sum *t = &w->work.traffic[kind];
	bool fits = t->cycles <= TS_NUMBER_MAX - from->cycles;

	t->steps += from->steps;
	t->cycles += fits ? from->cycles : 0;
	add_known(&t->in, &w->cut[kind][0], from->in);
	add_known(&t->out, &w->cut[kind][1], from->out);
	return fits;
}

bool
work_sum_add(struct work_sum *w, const struct ts_slice *s)
{
	int kind = traffic_of(s->class_of);
	struct ts_balance_sum balance = {1, s->cycles, 0};
	bool fits = true;

	w->work.steps++;
	if (kind >= 0) {
		bool moves = s->data_in > 0 || s->data_out > 0;
		struct ts_traffic_sum one = {1, moves ? s->cycles : 0, s->data_in, s->data_out};

		fits = add_traffic(w, kind, &one);
	}
	if (s->tile_balance < 0 || s->class_of == TS_CLASS_SYNC ||
		s->class_of == TS_CLASS_EXTERNAL_SYNC || s->class_of == TS_CLASS_ASYNC_SYNC)
		return fits;
	balance.mean = llround(s->tile_balance * (double)s->cycles);
	fits &= add_balance(&w->work.all, &balance);
	if (s->class_of == TS_CLASS_COMPUTE)
		fits &= add_balance(&w->work.compute, &balance);
	return fits;
}

bool
work_sum_join(struct work_sum *to, const struct work_sum *from)
{
	bool fits = true;

	to->work.steps += from->work.steps;
	fits &= add_balance(&to->work.all, &from->work.all);
	fits &= add_balance(&to->work.compute, &from->work.compute);
	for (int k = 0; k < TS_TRAFFIC_COUNT; k++) {
		struct ts_traffic_sum *t = &to->work.traffic[k];

		to->cut[k][0] |= from->cut[k][0];
		to->cut[k][1] |= from->cut[k][1];
		t->in = to->cut[k][0] ? TS_UNKNOWN : t->in;
		t->out = to->cut[k][1] ? TS_UNKNOWN : t->out;
		fits &= add_traffic(to, k, &from->work.traffic[k]);
	}
	return fits;
}

void
work_sum_of(struct work_sum *w, const struct ts_step_work *kept)
{
	*w = (struct work_sum){.work = *kept};
	for (int k = 0; k < TS_TRAFFIC_COUNT; k++) {
		struct ts_traffic_sum *t = &w->work.traffic[k];

		w->cut[k][0] = t->in == TS_WORK_CUT;
		w->cut[k][1] = t->out == TS_WORK_CUT;
		t->in = w->cut[k][0] ? TS_UNKNOWN : t->in;
		t->out = w->cut[k][1] ? TS_UNKNOWN : t->out;
	}
}

void
work_sum_keep(struct ts_step_work *kept, const struct work_sum *w)
{
	*kept = w->work;
	for (int k = 0; k < TS_TRAFFIC_COUNT; k++) {
		if (w->cut[k][0])
			kept->traffic[k].in = TS_WORK_CUT;
		if (w->cut[k][1])
			kept->traffic[k].out = TS_WORK_CUT;
	}
}

/* --- rows ----------------------------------------------------------------------------------------- */

enum { STEP, IPU, CYCLES, START, END, IN, OUT, BALANCE };

const int work_columns[WORK_COLUMNS] = {
	[STEP] = TS_STEP_IPU_STEP,
	[IPU] = TS_STEP_IPU_IPU,
	[CYCLES] = TS_STEP_IPU_CYCLES,
	[START] = TS_STEP_IPU_START,
	[END] = TS_STEP_IPU_END,
	[IN] = TS_STEP_IPU_DATA_IN,
	[OUT] = TS_STEP_IPU_DATA_OUT,
	[BALANCE] = TS_STEP_IPU_TILE_BALANCE,
};

bool
work_row(struct ts_slice *s, struct ts_rows *rows, const struct ts_steps *steps)
{
	int class_of;

	*s = (struct ts_slice){.step = ts_rows_known(rows, STEP),
		.ipu = ts_rows_known(rows, IPU),
		.cycles = ts_rows_known(rows, CYCLES),
		.start = ts_rows_known(rows, START),
		.end = ts_rows_known(rows, END)};
	if (s->step == TS_UNKNOWN || s->ipu == TS_UNKNOWN || s->cycles == TS_UNKNOWN ||
		s->start == TS_UNKNOWN || s->end <= s->start)
		return false;
	class_of = ts_steps_class(steps, s->step);
	if (class_of < 0)
		return false;
	s->class_of = (enum ts_step_class)class_of;
	s->data_in = ts_rows_known(rows, IN);
	s->data_out = ts_rows_known(rows, OUT);
	if (ts_rows_real(rows, BALANCE, &s->tile_balance) != TS_VALUE_OK || s->tile_balance < 0 ||
		s->tile_balance > 1)
		s->tile_balance = -1;
	return true;
}

bool
ts_proportions_work_indexed(const struct ts_reader *rd)
{
	struct ts_work w;
	bool open = ts_work_open(&w, rd->index);

	if (open)
		ts_work_close(&w);
	return open;
}

/* --- of a range ------------------------------------------------------------------------------------ */

struct walk {
	struct proportions_read *r;
	struct ts_work work;
	struct ts_steps steps;
};

/* The IPU of a lane of the section; -1: the trace shows it not. */
static int
lane_of(const struct proportions_read *r, int64_t ipu, int hint)
{
	for (int i = 0; i < r->p->count; i++) {
		int at = (hint + i) % r->p->count;

		if (r->p->ipu[at].ipu == ipu)
			return at;
	}
	return -1;
}

/* A stretch at an end of the range: the rows that begin in it. */
static enum ts_code
read_stretch(struct walk *w, const struct ts_work_stretch *s, struct ts_err *err)
{
	struct proportions_read *r = w->r;
	struct ts_rows_query q = {.column_count = WORK_COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = s->rowid,
		.to = s->to};
	struct ts_slice slice;
	struct ts_rows *rows;
	enum ts_code code;
	int lane = 0;
	bool there;

	memcpy(q.columns, work_columns, sizeof(work_columns));
	code = ts_reader_rows(&rows, r->rd, TS_STEP_IPU, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		r->p->rows++;
		if (!work_row(&slice, rows, &w->steps) || slice.start < r->p->from ||
			slice.start >= r->p->to)
			continue;
		lane = lane_of(r, slice.ipu, lane < 0 ? 0 : lane + 1);
		if (lane >= 0)
			(void)work_sum_add(&r->lane[lane].sum, &slice);
	}
	ts_rows_close(rows);
	return code;
}

static void
take_stretch(struct walk *w, uint64_t i)
{
	const struct ts_step_work *sum = &w->work.sum[i * w->work.head->ipus];

	for (uint64_t k = 0; k < w->work.head->ipus; k++) {
		int lane = lane_of(w->r, w->work.ipu[k], (int)k);
		struct work_sum one;

		work_sum_of(&one, &sum[k]);
		if (lane >= 0 && one.work.steps > 0)
			(void)work_sum_join(&w->r->lane[lane].sum, &one);
	}
}

enum ts_code
work_of_range(bool *done, struct proportions_read *r, struct ts_err *err)
{
	struct walk w = {.r = r};
	enum ts_code code = TS_OK;

	*done = false;
	if (!ts_work_open(&w.work, r->rd->index))
		return TS_OK;
	*done = ts_steps_open(&w.steps, r->rd->index);
	for (uint64_t i = 0; *done && !code && i < w.work.head->stretches; i++) {
		const struct ts_work_stretch *s = &w.work.stretch[i];

		if (s->least > s->greatest || s->least >= r->p->to || s->greatest < r->p->from)
			continue;
		if (s->least >= r->p->from && s->greatest < r->p->to)
			take_stretch(&w, i);
		else
			code = read_stretch(&w, s, err);
	}
	if (*done)
		ts_steps_close(&w.steps);
	ts_work_close(&w.work);
	return code;
}
