/* SPDX-License-Identifier: MIT */
/*
 * proportions - see the header. Both ways (proportions_lanes.c from the index, the rows here) feed the same sweep, one
 * for each IPU.
 *
 * A sweep wants steps by their start. Rows that do not stand so are noticed, put into a pile, sorted, and gone over
 * again: of those IPUs alone.
 */
#include "config.h"

#include <stdlib.h>

#include "proportions_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/slices.h"

enum { SORT_MAX = 1 << 24 /* steps that are put in order */ };

bool
ts_proportions_has_balance(const struct ts_report *r)
{
	return ts_report_has_column(r, TS_STEP_IPU, TS_STEP_IPU_TILE_BALANCE);
}

bool
ts_proportions_has_bytes(const struct ts_report *r)
{
	return ts_report_has_column(r, TS_STEP_IPU, TS_STEP_IPU_DATA_IN) ||
		ts_report_has_column(r, TS_STEP_IPU, TS_STEP_IPU_DATA_OUT);
}

double
ts_balance_share(const struct ts_balance_sum *b)
{
	return b->cycles > 0 ? (double)b->mean / (double)b->cycles : -1;
}

double
ts_utilisation(const struct ts_proportion *p)
{
	return p->work.compute.steps > 0 && p->time.span > 0
		? (double)p->work.compute.mean / (double)p->time.span
		: -1;
}

static void
sweep_begin(struct proportions_read *r, int lane)
{
	struct lane_work *w = &r->lane[lane];

	w->time = (struct ts_class_time){{0}};
	ts_class_sweep_init(&w->sweep, &w->time, r->p->from, r->p->to);
}

void
proportions_begin(struct proportions_read *r, int lane)
{
	struct lane_work *w = &r->lane[lane];

	*w = (struct lane_work){.passed = false};
	work_sum_init(&w->sum);
	sweep_begin(r, lane);
}

/* --- rows -------------------------------------------------------------------------------------------- */

/* A step in a pile. */
struct kept {
	int64_t lane, start, end, class_of;
};

static int
by_start(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int
lane_find(const struct proportions_read *r, int64_t ipu)
{
	int low = 0, high = r->p->count;

	if (r->hint < high && r->p->ipu[r->hint].ipu == ipu)
		return r->hint;
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (r->p->ipu[middle].ipu < ipu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->p->count && r->p->ipu[low].ipu == ipu ? low : -1;
}

/* An IPU has passed the end of the range. True: all have, and enough rows began behind it: reading may end. */
static bool
all_passed(struct proportions_read *r, int lane)
{
	if (!r->lane[lane].passed) {
		r->lane[lane].passed = true;
		r->passed++;
	}
	return r->passed == r->p->count && r->bounded && ++r->beyond > TS_TRACE_LOOK_BACK;
}

static enum ts_code
keep(struct proportions_read *r, struct ts_pile *pile, int lane, const struct ts_slice *s,
	struct ts_err *err)
{
	struct kept k = {lane, s->start, s->end, s->class_of};

	if (!r->lane[lane].sweep.falls)
		return TS_OK;
	if (pile->used / sizeof(k) >= SORT_MAX)
		return ts_err_set(err, TS_E_LIMIT, "steps of IPU %lld are in no order",
			(long long)r->p->ipu[lane].ipu);
	return ts_pile_add(pile, &k, sizeof(k), r->cache, err);
}

/* A row: to the sweep of its IPU, or (`pile`) kept. *done: no more are needed. */
static enum ts_code
take_slice(bool *done, struct proportions_read *r, struct ts_pile *pile, const struct ts_slice *s,
	struct ts_err *err)
{
	int lane = lane_find(r, s->ipu);

	if (lane < 0)
		return TS_OK;
	r->hint = lane + 1;
	if (s->start >= r->p->to) {
		*done = all_passed(r, lane);
		return TS_OK;
	}
	r->beyond = 0;
	if (s->end <= s->start || s->end <= r->p->from)
		return TS_OK;
	if (pile)
		return keep(r, pile, lane, s, err);
	if (r->what & TS_PROPORTIONS_TIME)
		ts_class_sweep_add(&r->lane[lane].sweep, s->start, s->end, s->class_of);
	if (r->what & TS_PROPORTIONS_WORK && s->start >= r->p->from && !s->orphan &&
		s->cycles != TS_UNKNOWN)
		(void)work_sum_add(&r->lane[lane].sum, s);
	return TS_OK;
}

/* All rows of the range once. */
static enum ts_code
read_rows(struct proportions_read *r, struct ts_pile *pile, struct ts_err *err)
{
	struct ts_slices *slices;
	const struct ts_slice *s = NULL;
	struct ts_slices_left_out left;
	bool done = false;
	enum ts_code code = ts_slices_open_range(&slices, r->rd, r->t, r->whole ? 0 : r->p->from,
		r->whole ? INT64_MAX : r->p->to, r->cache, r->progress, err);

	if (code)
		return code;
	r->passed = 0;
	r->beyond = 0;
	for (int i = 0; i < r->p->count; i++)
		r->lane[i].passed = false;
	while (!done && !(code = ts_slices_next(&s, slices, err)) && s) {
		r->p->rows++;
		code = take_slice(&done, r, pile, s, err);
		if (code)
			break;
	}
	left = ts_slices_left_out(slices);
	r->p->bad_rows = left.bad_rows + left.orphans;
	ts_slices_close(slices);
	return code;
}

/* The IPUs whose steps fell: once more, in order. */
static enum ts_code
sort_rows(struct proportions_read *r, struct ts_err *err)
{
	struct ts_pile pile = {0};
	enum ts_code code = read_rows(r, &pile, err), sorted = TS_OK;
	const struct kept *k;
	size_t n = pile.used / sizeof(*k);

	if (!code || code == TS_E_DAMAGED)
		sorted = ts_pile_sort(&pile, n, sizeof(*k), by_start, r->cache, r->rd->cancel, err);
	k = pile.memory;
	for (int i = 0; !sorted && i < r->p->count; i++)
		if (r->lane[i].sweep.falls)
			sweep_begin(r, i);
	for (size_t i = 0; !sorted && i < n; i++)
		ts_class_sweep_add(&r->lane[k[i].lane].sweep, k[i].start, k[i].end,
			(enum ts_step_class)k[i].class_of);
	ts_pile_fini(&pile);
	return sorted ? sorted : code;
}

static bool
any_falls(const struct proportions_read *r)
{
	for (int i = 0; i < r->p->count; i++)
		if (r->lane[i].sweep.falls)
			return true;
	return false;
}

/* Where starts fall the rows of a range cannot be found by bisecting, either: all are read. */
static enum ts_code
from_rows(struct proportions_read *r, struct ts_err *err)
{
	enum ts_code code = read_rows(r, NULL, err);

	if ((!code || code == TS_E_DAMAGED) && any_falls(r) && !r->whole) {
		r->whole = true;
		r->bounded = false;
		for (int i = 0; i < r->p->count; i++)
			proportions_begin(r, i);
		code = read_rows(r, NULL, err);
	}
	if (code && code != TS_E_DAMAGED)
		return code;
	return any_falls(r) && r->what & TS_PROPORTIONS_TIME ? sort_rows(r, err) : code;
}

/* --- together ----------------------------------------------------------------------------------------- */

/* Figures of 256 IPUs of 2^62 cycles each do not fit: the largest number stands for more. */
static void
sum_time(struct ts_class_figures *to, const struct ts_class_figures *from)
{
	int64_t *a = (int64_t *)to;
	const int64_t *b = (const int64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
		if (!ts_add_i64(&a[i], b[i]))
			a[i] = INT64_MAX;
}

static void
finish(struct proportions_read *r)
{
	struct ts_proportions *p = r->p;
	struct work_sum sum;

	work_sum_init(&sum);
	for (int i = 0; i < p->count; i++) {
		struct lane_work *w = &r->lane[i];

		ts_class_sweep_finish(&w->sweep);
		ts_class_figures_of(&p->ipu[i].time, &w->time);
		(void)ts_class_partition(p->ipu[i].part, &w->time);
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			if (!ts_add_i64(&p->sum.part[k], p->ipu[i].part[k]))
				p->sum.part[k] = INT64_MAX;
		p->ipu[i].work = w->sum.work;
		sum_time(&p->sum.time, &p->ipu[i].time);
		(void)work_sum_join(&sum, &w->sum);
	}
	p->sum.work = sum.work;
	p->sum.ipu = TS_UNKNOWN;
}

static enum ts_code
begin(struct proportions_read *r, struct ts_err *err)
{
	struct ts_proportions *p = r->p;

	p->count = (int)ts_min_i64(r->t->ipus, TS_TRACE_LANES);
	p->ipu = ts_alloc((size_t)p->count, sizeof(*p->ipu));
	r->lane = ts_alloc((size_t)p->count, sizeof(*r->lane));
	if (!p->ipu || !r->lane) {
		p->count = 0;
		return ts_err_nomem(err);
	}
	for (int i = 0; i < p->count; i++) {
		p->ipu[i].ipu = r->t->ipu[i];
		proportions_begin(r, i);
	}
	return TS_OK;
}

/*
 * The times from the index of the reader. *done false: it cannot say (it has none, it does not hold together, rows
 * stand in no order), and the sweeps are as they were.
 */
static enum ts_code
from_lanes(bool *done, struct proportions_read *r, struct ts_err *err)
{
	struct lanes_walk w;
	enum ts_code code = TS_OK, damage = TS_OK;

	*done = lanes_walk_open(&w, r->rd);
	if (!*done)
		return TS_OK;
	for (int i = 0; i < r->p->count && *done && !code; i++) {
		code = lanes_walk_ipu(done, &w, &r->lane[i].sweep, r->p->ipu[i].ipu, err);
		r->whole |= r->lane[i].sweep.falls;
		if (code == TS_E_DAMAGED) {
			damage = code;
			code = TS_OK;
		}
	}
	r->p->rows += w.rows;
	r->bounded &= !r->whole;
	lanes_walk_close(&w);
	for (int i = 0; !*done && i < r->p->count; i++)
		proportions_begin(r, i);
	return code ? code : damage;
}

enum ts_code
ts_proportions_read(struct ts_proportions *p, struct ts_reader *rd, const struct ts_trace *t,
	int64_t from, int64_t to, unsigned what, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct proportions_read r = {.p = p,
		.rd = rd,
		.t = t,
		.cache = cache,
		.progress = progress,
		.whole = (what & TS_PROPORTIONS_ALL_ROWS) != 0,
		.bounded = !(what & TS_PROPORTIONS_ALL_ROWS) && to < t->to &&
			trace_rises(t, rd, TS_STEP_IPU)};
	bool done = false;
	enum ts_code code, damage;

	what &= ~(unsigned)TS_PROPORTIONS_ALL_ROWS;
	r.what = what;
	*p = (struct ts_proportions){.from = ts_clamp_i64(from, 0, TS_NUMBER_MAX)};
	p->to = ts_clamp_i64(to, p->from, TS_NUMBER_MAX);
	if (!t->has_parts)
		return ts_err_set(err, TS_E_ABSENT, "%s", t->why_no_parts);
	code = begin(&r, err);
	if (!code && what & TS_PROPORTIONS_TIME)
		code = from_lanes(&done, &r, err);
	if (done)
		r.what &= ~(unsigned)TS_PROPORTIONS_TIME;
	damage = code;
	done = false;
	if ((!code || code == TS_E_DAMAGED) && what & TS_PROPORTIONS_WORK)
		code = work_of_range(&done, &r, err);
	if (done)
		r.what &= ~(unsigned)TS_PROPORTIONS_WORK;
	damage = code ? code : damage;
	if ((!code || code == TS_E_DAMAGED) && r.what)
		code = from_rows(&r, err);
	code = code ? code : damage;
	if (!code || code == TS_E_DAMAGED) {
		p->has = what;
		p->partial = code == TS_E_DAMAGED;
		finish(&r);
	}
	free(r.lane);
	return code;
}

void
ts_proportions_fini(struct ts_proportions *p)
{
	free(p->ipu);
	*p = (struct ts_proportions){0};
}

/* --- many ranges ---------------------------------------------------------------------------------------- */

struct ts_lane_times {
	struct ts_reader *rd;
	const struct ts_trace *t;
	const struct ts_cache *cache;
	bool indexed;
	struct lanes_walk walk;
};

enum ts_code
ts_lane_times_open(struct ts_lane_times **out, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_lane_times *x = *out = ts_alloc(1, sizeof(*x));

	if (!x)
		return ts_err_nomem(err);
	x->rd = rd;
	x->t = t;
	x->cache = cache;
	x->indexed = lanes_walk_open(&x->walk, rd);
	return TS_OK;
}

void
ts_lane_times_close(struct ts_lane_times *x)
{
	if (x && x->indexed)
		lanes_walk_close(&x->walk);
	free(x);
}

/* The rows of a range, of all IPUs; the sets of one are what is wanted. */
static enum ts_code
times_from_rows(struct ts_class_time *time, struct ts_lane_times *x, int64_t ipu, int64_t from,
	int64_t to, bool falls, struct ts_err *err)
{
	struct ts_proportions p = {.from = from, .to = to};
	struct proportions_read r = {.p = &p,
		.rd = x->rd,
		.t = x->t,
		.cache = x->cache,
		.what = TS_PROPORTIONS_TIME,
		.whole = falls,
		.bounded = !falls && to < x->t->to && trace_rises(x->t, x->rd, TS_STEP_IPU)};
	enum ts_code code = begin(&r, err);
	int lane = code ? -1 : lane_find(&r, ipu);

	if (!code)
		code = from_rows(&r, err);
	if (lane >= 0 && (!code || code == TS_E_DAMAGED)) {
		ts_class_sweep_finish(&r.lane[lane].sweep);
		*time = r.lane[lane].time;
	}
	free(r.lane);
	ts_proportions_fini(&p);
	return code;
}

enum ts_code
ts_lane_times_of(struct ts_class_time *time, struct ts_lane_times *x, int64_t ipu, int64_t from,
	int64_t to, struct ts_err *err)
{
	struct ts_class_sweep sweep = {.falls = false};
	bool done = false;
	enum ts_code code = TS_OK;

	from = ts_clamp_i64(from, 0, TS_NUMBER_MAX);
	to = ts_clamp_i64(to, from, TS_NUMBER_MAX);
	*time = (struct ts_class_time){{0}};
	if (!x->t->has_parts)
		return ts_err_set(err, TS_E_ABSENT, "%s", x->t->why_no_parts);
	if (x->indexed) {
		ts_class_sweep_init(&sweep, time, from, to);
		code = lanes_walk_ipu(&done, &x->walk, &sweep, ipu, err);
		if (done) {
			ts_class_sweep_finish(&sweep);
			return code;
		}
		*time = (struct ts_class_time){{0}};
	}
	return code ? code : times_from_rows(time, x, ipu, from, to, sweep.falls, err);
}
