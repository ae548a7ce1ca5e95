/* SPDX-License-Identifier: MIT */
/*
 * trace_ahead - of a report on another host: have the rows here that a question about the trace is going to read.
 *
 * Steps go evenly with row ids, nearly always: which rows of `step` and `step_ipu` belong to a window of the list follows
 * from that. Times do not, quite: many of them are looked for at once, each between the rows next to it that are known, all
 * of a turn in one burst. What is known then (*anchors*) confines the searches that the question does itself.
 *
 * What is wrongly guessed costs round trips; no figure depends on it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "binding_internal.h"
#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/db/plan.h"

enum {
	TURNS = 2,	   /* of the search */
	NEAR = 9,	   /* pieces between two places that are near each other */
	SIDE = 8,	   /* pieces from where one time should be to the places beside it */
	SPREAD = 8,	   /* places between two others where time goes slowly */
	ENDS_TURNS = 3,	   /* of that for the ends */
	WIDTHS = 7,	   /* of places beside an end, */
	WIDER = 4,	   /* each so many times as far away */
	SLACK = 8,	   /* steps beside those that are wanted */
	STEPS_MAX = 65536, /* of a window or range */
	RANGE_ROWS = 192,  /* on either side of an end */
};

struct ahead {
	const struct ts_reader *rd;
	struct ts_plan_rows *rows;
	size_t n, cap;
	uint32_t index[2]; /* of `step` and step_ipu: its first page; 0: not known */
	bool nomem;
};

static void
add(struct ahead *a, const struct ts_plan_rows *rows)
{
	void *p = a->rows;

	if (!ts_room(&p, &a->cap, a->n, sizeof(*a->rows))) {
		a->nomem = true;
		return;
	}
	a->rows = p;
	a->rows[a->n++] = *rows;
}

/* Row ids of a relation, inclusive. */
static void
add_rows(struct ahead *a, enum ts_relation relation, int64_t from, int64_t to)
{
	const struct ts_reach *r = &a->rd->report->binding[relation].reach;

	from = ts_max_i64(from, r->first_rowid);
	to = ts_min_i64(to, r->last_rowid);
	if (!r->has_rowid || from > to)
		return;
	add(a, &(struct ts_plan_rows){r->rows, from, to, 0, false, 0});
}

/* Fetch what was added; the two relations are mostly of one file. */
static enum ts_code
fetch(struct ahead *a, struct ts_err *err)
{
	const struct ts_binding *b = a->rd->report->binding;
	enum ts_code code = a->nomem ? ts_err_nomem(err) : TS_OK;

	if (!code && b[TS_STEP].bound && b[TS_STEP_IPU].bound &&
		b[TS_STEP].source != b[TS_STEP_IPU].source) {
		for (size_t i = 0; !code && i < a->n; i++)
			code = ts_plan_fetch(a->rd->db[a->rows[i].o == b[TS_STEP].reach.rows
							     ? b[TS_STEP].source
							     : b[TS_STEP_IPU].source],
				&a->rows[i], 1, err);
	} else if (!code) {
		code = ts_plan_fetch(a->rd->db[b[TS_STEP].bound ? b[TS_STEP].source
								: b[TS_STEP_IPU].source],
			a->rows, a->n, err);
	}
	free(a->rows);
	*a = (struct ahead){.rd = a->rd};
	return code;
}

bool
trace_ahead_helps(const struct ts_reader *rd)
{
	const struct ts_binding *b = rd->report->binding;

	return (b[TS_STEP].bound && ts_plan_helps(rd->db[b[TS_STEP].source])) ||
		(b[TS_STEP_IPU].bound && ts_plan_helps(rd->db[b[TS_STEP_IPU].source]));
}

/* Entries of the index by which rows of steps are reached, and their rows. */
static void
add_entries(struct ahead *a, enum ts_relation relation, int64_t from, int64_t to)
{
	const struct ts_binding *b = &a->rd->report->binding[relation];
	uint32_t *root = &a->index[relation == TS_STEP_IPU];

	if (*root == 0 && ts_reach_index(root, &b->reach, a->rd->db[b->source], NULL))
		return;
	if (*root > 0)
		add(a, &(struct ts_plan_rows){b->reach.rows, from, to, 0, false, *root});
}

/* Rows of some steps, by number, in a relation with `per` rows a step. */
static void
add_steps(struct ahead *a, const struct ts_trace *t, enum ts_relation relation, int64_t from,
	int64_t to, int64_t per)
{
	const struct ts_reach *r = &a->rd->report->binding[relation].reach;
	int64_t low = ts_max_i64(from - t->first_step, 0), high;

	if (!a->rd->report->binding[relation].bound || to < t->first_step)
		return;
	high = ts_min_i64(to - t->first_step, low + STEPS_MAX);
	if (r->key == TS_REACH_INDEX)
		add_entries(a, relation, from, ts_min_i64(to, from + STEPS_MAX));
	if (r->key == TS_REACH_ROWID) {
		add_rows(a, relation, from, ts_min_i64(to, from + STEPS_MAX));
	} else if (r->key != TS_REACH_NONE && !__builtin_mul_overflow(low, per, &low) &&
		!__builtin_mul_overflow(high, per, &high)) {
		add_rows(a, relation, trace_add(r->first_rowid, low - SLACK * per),
			trace_add(r->first_rowid, high + SLACK * per));
	}
}

enum ts_code
trace_ahead_window(struct ts_reader *rd, const struct ts_trace *t, int64_t at, int before,
	int after, struct ts_err *err)
{
	struct ahead a = {.rd = rd};
	int64_t step;

	if (!trace_ahead_helps(rd) || t->step.range != TS_RANGE_ROWID)
		return TS_OK;
	add_rows(&a, TS_STEP, trace_add(at, -before), trace_add(at, after));
	step = t->first_step + (at - t->step.first);
	add_steps(&a, t, TS_STEP_IPU, step - before, trace_add(step, after), t->group);
	return fetch(&a, err);
}

enum ts_code
trace_ahead_places(struct ts_reader *rd, const struct ts_trace_axis *axis,
	enum ts_relation relation, int places, int64_t rows, int64_t edge, struct ts_err *err)
{
	struct ahead a = {.rd = rd};
	uint64_t span = (uint64_t)axis->last - (uint64_t)axis->first;

	if (!trace_ahead_helps(rd) || axis->range != TS_RANGE_ROWID || axis->first > axis->last)
		return TS_OK;
	for (int i = 0; i < places; i++) {
		int64_t at = (int64_t)((uint64_t)axis->first +
			span / (uint64_t)places * (uint64_t)i);

		add_rows(&a, relation, at, trace_add(at, i == 0 ? edge : rows));
	}
	add_rows(&a, relation, trace_add(axis->last, -edge), axis->last);
	return fetch(&a, err);
}

enum ts_code
trace_ahead_parts(struct ts_reader *rd, const struct ts_trace *t, int64_t from, int64_t to,
	struct ts_err *err)
{
	struct ahead a = {.rd = rd};
	int64_t per = t->group, first;

	if (!trace_ahead_helps(rd) || t->part.range != TS_RANGE_ROWID)
		return TS_OK;
	add_rows(&a, TS_STEP_IPU, from, ts_min_i64(to, trace_add(from, STEPS_MAX * per)));
	first = t->first_step + (from - t->part.first) / per;
	add_steps(&a, t, TS_STEP, first - SLACK, trace_add(first, (to - from) / per + SLACK), 1);
	return fetch(&a, err);
}

enum ts_code
trace_ahead_steps(struct ts_reader *rd, const struct ts_trace *t, const int64_t *step, int n,
	struct ts_err *err)
{
	struct ahead a = {.rd = rd};

	if (!trace_ahead_helps(rd))
		return TS_OK;
	for (int i = 0; i < n; i++) {
		add_steps(&a, t, TS_STEP, step[i], step[i], 1);
		add_steps(&a, t, TS_STEP_IPU, step[i], step[i], t->group);
	}
	return fetch(&a, err);
}

enum ts_code
trace_ahead_rows(struct ts_reader *rd, const struct trace_rows *rows, size_t n, struct ts_err *err)
{
	struct ahead a = {.rd = rd};

	if (!trace_ahead_helps(rd))
		return TS_OK;
	for (size_t i = 0; i < n; i++)
		add_rows(&a, TS_STEP_IPU, rows[i].from, trace_add(rows[i].to, -1));
	return fetch(&a, err);
}

/* --- many times at once ------------------------------------------------------------------------- */

/* The last place that starts at or before a time; -1: none. */
static int
place_before(const struct trace_anchors *k, int64_t cycles)
{
	int low = 0, high = k->n;

	while (low < high) {
		int middle = (low + high) / 2;

		if (k->at[middle].start <= cycles)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* Where a time is, as far as the places next to it tell; *off: how many addresses from the nearest of them. */
static int64_t
estimate(int64_t *off, const struct trace_anchors *k, const struct ts_trace *t, int64_t cycles)
{
	int i = place_before(k, cycles);
	struct trace_place low = {t->part.first, t->from}, high = {t->part.last, t->to};
	double share;
	int64_t at;

	if (i >= 0)
		low = k->at[i];
	if (i + 1 < k->n)
		high = k->at[i + 1];
	share = high.start > low.start && cycles > low.start
		? (double)(cycles - low.start) / (double)(high.start - low.start)
		: 0;
	at = low.at + (int64_t)((share < 1 ? share : 1) * (double)(high.at - low.at));
	*off = INT64_MAX;
	if (i >= 0)
		*off = at - low.at;
	if (i + 1 < k->n)
		*off = ts_min_i64(*off, high.at - at);
	return at;
}

static int
by_place(const void *a, const void *b)
{
	const struct trace_place *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Sorted, each once, and starts that rise. */
static void
put_in_order(struct trace_anchors *k)
{
	int n = 0;

	if (k->n > 1)
		qsort(k->at, (size_t)k->n, sizeof(*k->at), by_place);
	for (int i = 0; i < k->n; i++)
		if (n == 0 ||
			(k->at[i].at > k->at[n - 1].at && k->at[i].start >= k->at[n - 1].start))
			k->at[n++] = k->at[i];
	k->n = n;
}

static enum ts_code
look(struct trace_anchors *k, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	const int64_t *at, int n, struct ts_err *err)
{
	for (int i = 0; i < n && k->n < k->room; i++) {
		bool found;
		enum ts_code code = trace_probe(&k->at[k->n], &found, rd, t, ipu, at[i], err);

		if (code && code != TS_E_DAMAGED)
			return code;
		k->n += !code && found;
	}
	put_in_order(k);
	return TS_OK;
}

/* What lies between two places that are known (k->at[i], k->at[i + 1]), and how many of the times are there. */
struct between {
	int i;
	int64_t low, high; /* addresses */
	int times;
};

static struct between
between(const struct trace_anchors *k, const struct ts_trace *t, const int64_t *times, int n,
	int at)
{
	struct between b = {.i = place_before(k, times[at])};

	b.low = b.i >= 0 ? k->at[b.i].at : t->part.first;
	b.high = b.i + 1 < k->n ? k->at[b.i + 1].at : t->part.last;
	for (; at + b.times < n && place_before(k, times[at + b.times]) == b.i;)
		b.times++;
	return b;
}

/*
 * Where to look for some times between two places. One alone is where it should be, or a little beside that; many
 * are where time goes slowly, which may be anywhere there: evenly spaced places find it.
 */
static int
guesses(int64_t *at, const struct between *b, const struct trace_anchors *k,
	const struct ts_trace *t, const int64_t *times, int64_t rows)
{
	int spread = b->times == 1 ? 0 : b->times < SPREAD ? SPREAD : b->times, n = 0;
	int64_t off;

	for (int i = 0; i < b->times; i++)
		at[n++] = estimate(&off, k, t, times[i]);
	if (b->times == 1) {
		at[n] = trace_add(at[0], -SIDE * rows);
		at[n + 1] = trace_add(at[0], SIDE * rows);
		n += 2;
	}
	for (int i = 1; i < spread; i++)
		at[n++] = b->low + (int64_t)((double)(b->high - b->low) * i / spread);
	return n;
}

/* A turn: those times that are not yet between two places that are near; *left: how many places were looked at. */
static enum ts_code
turn(struct trace_anchors *k, int *left, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, const int64_t *times, int n, int64_t rows, int64_t *at, struct ts_err *err)
{
	struct ahead a = {.rd = rd};
	struct between b;
	enum ts_code code;

	*left = 0;
	for (int i = 0; i < n; i += b.times) {
		b = between(k, t, times, n, i);
		if (b.high - b.low > NEAR * rows)
			*left += guesses(at + *left, &b, k, t, times + i, rows);
	}
	for (int i = 0; i < *left; i++)
		add_rows(&a, TS_STEP_IPU, at[i], trace_add(at[i], 2 * t->group));
	code = fetch(&a, err);
	return code ? code : look(k, rd, t, ipu, at, *left, err);
}

/*
 * All that the samples read, and a place on either side of each time. Of those that turn out to be elsewhere (`again`) all
 * between the places next to them.
 */
static enum ts_code
surround(struct trace_anchors *k, bool again, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, const int64_t *times, int n, int64_t rows, int64_t *at, struct ts_err *err)
{
	struct ahead a = {.rd = rd};
	struct between b;
	enum ts_code code;
	int places = 0;

	for (int i = 0; i < n; i += b.times) {
		b = between(k, t, times, n, i);
		if (again && b.high - b.low <= rows / 2 + 1)
			continue;
		for (int m = i; m < i + b.times; m++) {
			int64_t off, guess = estimate(&off, k, t, times[m]), step;
			int64_t low = trace_add(guess, -rows), high = trace_add(guess, rows);

			if ((again || b.times > 1) && b.high - b.low <= 2 * NEAR * rows) {
				low = b.low - rows;
				high = trace_add(b.high, rows);
			}
			step = t->first_step + (low - t->part.first) / t->group;
			add_rows(&a, TS_STEP_IPU, low, high);
			add_steps(&a, t, TS_STEP, step, step + (high - low) / t->group, 1);
			at[places++] = trace_add(guess, -(rows / 4));
			at[places++] = trace_add(guess, rows / 4);
			if (!again && b.high - b.low > NEAR * rows) { /* not found yet */
				at[places++] = trace_add(guess, -SIDE * rows);
				at[places++] = trace_add(guess, SIDE * rows);
			}
		}
	}
	for (int i = 0; i < places; i++)
		add_rows(&a, TS_STEP_IPU, at[i], trace_add(at[i], 2 * t->group));
	code = fetch(&a, err);
	return code ? code : look(k, rd, t, ipu, at, places, err);
}

/*
 * The two ends of the range: places further and further away from where they should be are looked at with each, so that
 * a turn or two leave little between two of them.
 */
static enum ts_code
find_ends(struct trace_anchors *k, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	const int64_t *times, int64_t near, struct ts_err *err)
{
	int64_t at[2 * 2 * WIDTHS];
	enum ts_code code = TS_OK;
	int n = 1;

	for (int turn = 0; turn < ENDS_TURNS && !code && n > 0; turn++) {
		struct ahead a = {.rd = rd};

		n = 0;
		for (int i = 0; i < 2; i++) {
			int64_t off, guess = estimate(&off, k, t, times[i]), by = near;

			for (int w = 0; off > near && w < WIDTHS; w++, by *= WIDER) {
				at[n++] = trace_add(guess, -by);
				at[n++] = trace_add(guess, by);
			}
		}
		for (int i = 0; i < n; i++)
			add_rows(&a, TS_STEP_IPU, at[i], trace_add(at[i], 2 * t->group));
		code = fetch(&a, err);
		if (!code)
			code = look(k, rd, t, ipu, at, n, err);
	}
	return code;
}

enum ts_code
trace_anchors_find(struct trace_anchors *k, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, const int64_t *times, int n, int64_t rows, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t *at;
	int left = n;

	*k = (struct trace_anchors){.ipu = ipu};
	if (!trace_ahead_helps(rd) || t->part.range != TS_RANGE_ROWID || n < 2 || !t->has_parts)
		return TS_OK;
	k->room = n * (SPREAD + 1) * (TURNS + 2) + 2 + ENDS_TURNS * 4 * WIDTHS;
	k->at = ts_alloc((size_t)k->room, sizeof(*k->at));
	at = ts_alloc((SPREAD + 1) * (size_t)n, sizeof(*at));
	if (!k->at || !at)
		code = ts_err_nomem(err);
	if (!code) {
		k->at[k->n++] = (struct trace_place){t->part.first, t->from};
		k->at[k->n++] = (struct trace_place){t->part.last, t->to};
		code = find_ends(k, rd, t, ipu, times, rows, err);
	}
	times += 2; /* the ends have been found */
	n -= 2;
	for (int i = 0; i < TURNS && !code && left > 0; i++)
		code = turn(k, &left, rd, t, ipu, times, n, rows, at, err);
	for (int i = 0; i < 2 && !code; i++)
		code = surround(k, i == 1, rd, t, ipu, times, n, rows, at, err);
	free(at);
	return code;
}

enum ts_code
trace_anchors_range(struct trace_anchors *k, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, int64_t from, int64_t to, struct ts_err *err)
{
	const int64_t times[] = {from, to, from, to};

	return trace_anchors_find(k, rd, t, ipu, times, TS_COUNT(times), RANGE_ROWS, err);
}

void
trace_anchors_tighten(const struct trace_anchors *k, int64_t ipu, int64_t cycles,
	struct trace_place *low, struct trace_place *high)
{
	int i = k && k->n > 0 && k->ipu == ipu ? place_before(k, cycles) : -2;

	if (i >= 0 && k->at[i].at > low->at && k->at[i].at < high->at)
		*low = k->at[i];
	if (i >= -1 && i + 1 < k->n && k->at[i + 1].at < high->at && k->at[i + 1].at > low->at)
		*high = k->at[i + 1];
}

void
trace_anchors_fini(struct trace_anchors *k)
{
	free(k->at);
	*k = (struct trace_anchors){0};
}
