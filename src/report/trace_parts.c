/* SPDX-License-Identifier: MIT */
/*
 * trace_parts - reach the rows of step_ipu by address, by step and by time, and join steps to them.
 *
 * By time: the starts of one IPU rise along its rows, so a time is found by interpolation between two
 * rows, with a plain bisection every third time so that no data makes it slow. Data whose starts
 * do not rise gives a wrong place, never an endless search.
 *
 * By step: where steps go evenly with the row id (nearly always) their row id is computed and
 * checked with one row; bisecting would take twenty.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum {
	LOCATE_TURNS = 160,
	CONFINE_ROWS = 256, /* row ids from which on the index is asked where to look */
	PROBES = 3,	    /* places behind damage where to look instead */
	PROBE_ROWS = 96,    /* rows in which an IPU has to show up, besides two groups */
	STEP_GAP = 64,	    /* steps that are read although nobody asked, rather than query again */
	STEP_RANGES = 512,
	SKIP = 64, /* addresses that are left out at damage, at first */
	SKIPS = 24,
};

/* --- by address ------------------------------------------------------------------------------- */

const int trace_part_columns[T_COLUMNS] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_START,
	TS_STEP_IPU_END};

enum ts_code
trace_parts_open(struct ts_rows **rows, struct ts_reader *rd, const struct ts_trace *t,
	int64_t from, int64_t to, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = T_COLUMNS,
		.range = t->part.range,
		.from = ts_max_i64(from, t->part.first),
		.to = ts_min_i64(to, trace_add(t->part.last, 1)),
		.past_damage = true};

	memcpy(q.columns, trace_part_columns, sizeof(trace_part_columns));
	return ts_reader_rows(rows, rd, TS_STEP_IPU, &q, err);
}

bool
trace_part_numbers(struct trace_part *part, struct ts_rows *rows)
{
	return ts_rows_number(rows, T_STEP, &part->step) == TS_VALUE_OK &&
		ts_rows_number(rows, T_IPU, &part->ipu) == TS_VALUE_OK &&
		ts_rows_number(rows, T_START, &part->start) == TS_VALUE_OK &&
		ts_rows_number(rows, T_END, &part->end) == TS_VALUE_OK;
}

bool
trace_part_get(struct trace_part *part, struct ts_rows *rows, const struct ts_trace *t)
{
	if (!trace_part_numbers(part, rows))
		return false;
	part->at = part->step;
	part->class_of = TS_CLASS_CONTROL;
	if (t->part.range == TS_RANGE_ROWID)
		ts_rows_rowid(rows, &part->at);
	return true;
}

static bool
parts_add(struct trace_parts *parts, const struct trace_part *part)
{
	void *p = parts->p;

	if (!ts_room(&p, &parts->cap, parts->n, sizeof(*parts->p)))
		return false;
	parts->p = p;
	parts->p[parts->n++] = *part;
	return true;
}

static enum ts_code
parts_read(struct trace_parts *parts, struct ts_reader *rd, const struct ts_trace *t, int64_t from,
	int64_t to, int64_t limit, int64_t *looked_at, struct ts_err *err)
{
	int64_t rows_seen = 0;
	struct trace_part part;
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, rd, t, from, to, err);
	bool there;

	if (code)
		return code;
	while ((limit == 0 || rows_seen < limit) && !(code = ts_rows_next(rows, &there, err)) &&
		there) {
		rows_seen++;
		if (trace_part_get(&part, rows, t) && !parts_add(parts, &part)) {
			code = ts_err_nomem(err);
			break;
		}
	}
	if (!code)
		code = ts_rows_passed(rows, err);
	ts_rows_close(rows);
	*looked_at += rows_seen;
	return code;
}

/* Damage: what is behind it may be whole. Go on there, further on each time that nothing comes. */
enum ts_code
trace_parts_read(struct trace_parts *parts, struct ts_reader *rd, const struct ts_trace *t,
	int64_t from, int64_t to, int64_t limit, int64_t *looked_at, struct ts_err *err)
{
	int64_t stop = trace_add(*looked_at, limit), skip = SKIP;
	enum ts_code code = parts_read(parts, rd, t, from, to, limit, looked_at, err), again = code;

	for (int turn = 0; turn < SKIPS && again == TS_E_DAMAGED; turn++) {
		size_t before = parts->n;

		if (before > 0 && parts->p[before - 1].at > from)
			from = parts->p[before - 1].at;
		from = trace_add(from, skip);
		limit = limit ? stop - *looked_at : 0;
		if (from >= to || from > t->part.last || t->part.range == TS_RANGE_ALL ||
			limit < 0 || (limit == 0 && stop == *looked_at))
			break;
		again = parts_read(parts, rd, t, from, to, limit, looked_at, NULL);
		skip = parts->n > before ? SKIP : skip * 2;
	}
	return again == TS_OK || again == TS_E_DAMAGED ? code : again;
}

void
trace_parts_fini(struct trace_parts *parts)
{
	free(parts->p);
	*parts = (struct trace_parts){0};
}

/* --- by step ---------------------------------------------------------------------------------- */

static int64_t
key_of(struct ts_reader *rd, enum ts_relation relation, int key, int64_t rowid)
{
	struct ts_rows_query q = {.columns = {key},
		.column_count = 1,
		.range = TS_RANGE_ROWID,
		.from = rowid,
		.to = trace_add(rowid, 1),
		.limit = 1};
	struct ts_rows *rows;
	int64_t v = -1;
	bool there;

	if (ts_reader_rows(&rows, rd, relation, &q, NULL))
		return -1;
	if (ts_rows_next(rows, &there, NULL) != TS_OK || !there ||
		ts_rows_number(rows, 0, &v) != TS_VALUE_OK)
		v = -1;
	ts_rows_close(rows);
	return v;
}

/* The row id where a key begins if keys go evenly with row ids; false when they do not. */
static bool
even_rowid(int64_t *rowid, struct ts_reader *rd, const struct ts_trace *t,
	enum ts_relation relation, int key, int64_t from)
{
	const struct ts_reach *r = &rd->report->binding[relation].reach;
	int64_t per = 1, offset;

	if (r->key != TS_REACH_MONOTONE || from < t->first_step)
		return false;
	if (relation == TS_STEP_IPU)
		per = t->group;
	if (__builtin_mul_overflow(from - t->first_step, per, &offset))
		return false;
	*rowid = trace_add(r->first_rowid, offset);
	return *rowid <= r->last_rowid && key_of(rd, relation, key, *rowid) == from &&
		(per == 1 || *rowid == r->first_rowid ||
			key_of(rd, relation, key, *rowid - 1) < from);
}

bool
trace_rises(const struct ts_trace *t, const struct ts_reader *rd, enum ts_relation relation)
{
	return rd->report->binding[relation].reach.key != TS_REACH_NONE &&
		!t->fall[relation == TS_STEP_IPU];
}

enum ts_code
trace_keys_open(struct ts_rows **rows, struct ts_reader *rd, const struct ts_trace *t,
	enum ts_relation relation, struct ts_rows_query *q, int64_t from, int64_t to,
	struct ts_err *err)
{
	int64_t rowid;

	q->range = TS_RANGE_KEY;
	q->from = from;
	q->to = to;
	if (t->fall[relation == TS_STEP_IPU])
		q->range = TS_RANGE_ALL;
	else if (even_rowid(&rowid, rd, t, relation, q->columns[0], from)) {
		q->range = TS_RANGE_ROWID;
		q->from = rowid;
		q->to = trace_add(rd->report->binding[relation].reach.last_rowid, 1);
	}
	return ts_reader_rows(rows, rd, relation, q, err);
}

/* --- classes ---------------------------------------------------------------------------------- */

static int
by_step(const void *a, const void *b)
{
	const struct trace_part *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
sort_by_step(struct trace_parts *parts)
{
	for (size_t i = 1; i < parts->n; i++)
		if (parts->p[i - 1].step > parts->p[i].step) {
			qsort(parts->p, parts->n, sizeof(*parts->p), by_step);
			return;
		}
}

/* Classes of the parts [i, n), whose steps rise from `from` up to less than `to`. */
static enum ts_code
classes_range(struct trace_part *p, size_t n, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT, .past_damage = true};
	int64_t from = p[0].step, to = p[n - 1].step + 1, step;
	struct ts_rows *rows;
	enum ts_code code;
	size_t i = 0;
	bool there;

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = trace_keys_open(&rows, rd, t, TS_STEP, &q, from, to, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		enum ts_step_class class_of;

		if (ts_rows_number(rows, TS_STEP_Q_STEP, &step) != TS_VALUE_OK)
			continue;
		if (step >= to)
			break;
		while (i < n && p[i].step < step)
			i++;
		if (i == n || p[i].step != step)
			continue;
		class_of = ts_step_class_row(rows);
		for (size_t k = i; k < n && p[k].step == step; k++)
			p[k].class_of = class_of; /* of equal steps the last one counts */
	}
	if (!code)
		code = ts_rows_passed(rows, err);
	ts_rows_close(rows);
	return code;
}

enum ts_code
trace_parts_classes(struct trace_parts *parts, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_err *err)
{
	struct ts_step_classes classes = t->classes;
	enum ts_code code = TS_OK, damaged = TS_OK;
	int ranges = 0;

	if (t->forwards) {
		for (size_t i = 0; i < parts->n; i++) {
			int k = ts_step_classes_find(&classes, parts->p[i].step);

			parts->p[i].class_of = k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k;
		}
		return TS_OK;
	}
	if (t->steps.head) {
		for (size_t i = 0; i < parts->n; i++) {
			int k = ts_steps_class(&t->steps, parts->p[i].step);

			parts->p[i].class_of = k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k;
		}
		return TS_OK;
	}
	sort_by_step(parts);
	for (size_t i = 0, n; i < parts->n && !code && ranges < STEP_RANGES; i += n, ranges++) {
		for (n = 1; i + n < parts->n &&
			parts->p[i + n].step - parts->p[i + n - 1].step <= STEP_GAP;)
			n++;
		code = classes_range(parts->p + i, n, rd, t, err);
		if (code == TS_E_DAMAGED) {
			damaged = code;
			code = TS_OK;
		}
	}
	return code ? code : damaged;
}

/* --- by time ---------------------------------------------------------------------------------- */

enum ts_code
trace_probe(struct trace_place *out, bool *found, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, int64_t at, struct ts_err *err)
{
	struct trace_part part;
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, rd, t, at, INT64_MAX, err);
	bool there;

	*found = false;
	if (code)
		return code;
	for (int i = 0; i < 2 * t->group + PROBE_ROWS; i++) {
		code = ts_rows_next(rows, &there, err);
		if (code || !there)
			break;
		if (!trace_part_get(&part, rows, t) || (*found && part.ipu != ipu))
			continue;
		*out = (struct trace_place){part.at, part.start};
		*found = true;
		if (part.ipu == ipu)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/*
 * Where to look next between low and high; `side` says which of them moved last. `hint`: about where it is, looked at from
 * both sides first; INT64_MIN: not known.
 */
static int64_t
guess(const struct trace_place *low, const struct trace_place *high, int64_t hint, int64_t cycles,
	int64_t width, int side, int turn)
{
	uint64_t span = (uint64_t)high->at - (uint64_t)low->at;
	int64_t beside = trace_add(hint, turn == 0 ? -width / 2 : width - width / 2);
	double share;

	if (hint != INT64_MIN && turn < 2 && beside > low->at && beside < high->at)
		return beside;
	if (turn % 3 == 2 || low->start == INT64_MIN || high->start == INT64_MAX ||
		high->start <= low->start)
		return low->at + (int64_t)(span / 2);
	share = (double)(cycles - low->start) / (double)(high->start - low->start);
	share = share * (double)span + side * (double)width / 2;
	return low->at +
		(share < 1				? 1
				: share >= (double)span ? (int64_t)span - 1
							: (int64_t)share);
}

/* A leaf begins at or before the time (`low`) or behind it (`high`): bring the ends of a search closer. */
static void
confine_by(struct trace_place *low, struct trace_place *high, int64_t rowid, int64_t start,
	int64_t cycles)
{
	if (start <= cycles && rowid > low->at && rowid < high->at)
		*low = (struct trace_place){rowid, start};
	else if (start > cycles && rowid < high->at && rowid > low->at)
		*high = (struct trace_place){rowid, start};
}

/* The first of n blocks that starts behind a time; n when none does. */
static uint64_t
first_behind(const struct ts_lane_node *node, uint64_t n, int64_t cycles)
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (node[middle].start <= cycles)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Where in a leaf the last row stands that starts at or before a time, if its rows are spread evenly over its row ids: mostly
 * they are, of whatever lengths they may be. INT64_MIN: the index does not have its rows.
 */
static int64_t
place_in(const struct ts_lanes *l, const struct ts_lane_node *node, const struct ts_lane_leaf *leaf,
	int64_t cycles)
{
	struct ts_lane_row row[TS_LANE_LEAF];
	int n = ts_lane_unpack(row, l, node, leaf, cycles), before = 0;

	if (n <= 0 || leaf->rows == 0)
		return INT64_MIN;
	while (before < n && row[before].start <= cycles)
		before++;
	return (int64_t)((uint64_t)node->rowid + leaf->rowid +
		(uint64_t)leaf->rowids * (uint64_t)ts_max_i64(before - 1, 0) / leaf->rows);
}

/*
 * The lanes of the index know the row ids of 128 rows that have a length: what a search by time begins with. The answer: about
 * where it ends, or INT64_MIN.
 */
static int64_t
confine(struct trace_place *low, struct trace_place *high, const struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t cycles)
{
	const struct ts_lane_node *node;
	const struct ts_lane_leaf *leaf, *last = NULL;
	const struct ts_lane *lane;
	int64_t hint = INT64_MIN;
	struct ts_lanes l;
	uint64_t i, n;

	if (t->part.range != TS_RANGE_ROWID || !ts_lanes_open(&l, rd->index))
		return hint;
	lane = l.head->flags & TS_LANES_ROWID ? ts_lanes_find(&l, ipu) : NULL;
	if (lane && lane->levels > 0) {
		node = ts_lane_nodes(&l, lane, 0);
		n = lane->level[0].nodes;
		i = first_behind(node, n, cycles);
		if (i < n)
			confine_by(low, high, node[i].rowid, node[i].start, cycles);
		leaf = i > 0 ? ts_lane_leaves(&l, &node[i - 1]) : NULL;
		for (uint32_t k = 0; leaf && k < node[i - 1].leaves; k++) {
			confine_by(low, high,
				(int64_t)((uint64_t)node[i - 1].rowid + leaf[k].rowid),
				leaf[k].start, cycles);
			last = leaf[k].start <= cycles ? &leaf[k] : last;
		}
		hint = last ? place_in(&l, &node[i - 1], last, cycles) : hint;
	}
	ts_lanes_close(&l);
	return hint;
}

enum ts_code
trace_locate(struct trace_place *low, struct trace_place *high, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t cycles, int64_t width, struct ts_err *err)
{
	int64_t hint = INT64_MIN;
	int side = 0;

	width = ts_max_i64(width, 1);
	if (high->at > low->at && (uint64_t)high->at - (uint64_t)low->at > CONFINE_ROWS)
		hint = confine(low, high, rd, t, ipu, cycles);
	for (int turn = 0; turn < LOCATE_TURNS; turn++) {
		uint64_t span = (uint64_t)high->at - (uint64_t)low->at;
		struct trace_place at;
		int64_t looked;
		bool found;
		enum ts_code code;

		if (high->at <= low->at || span <= (uint64_t)width)
			return TS_OK;
		looked = guess(low, high, hint, cycles, width, side, turn);
		code = trace_probe(&at, &found, rd, t, ipu, looked, err);
		for (int k = 1; k <= PROBES && code == TS_E_DAMAGED; k++)
			code = trace_probe(&at, &found, rd, t, ipu,
				trace_add(looked, k * (int64_t)PROBE_ROWS / t->part.per), NULL);
		if (code && code != TS_E_DAMAGED)
			return code;
		if (!found || at.at >= high->at || at.start > cycles) {
			high->at = looked; /* nothing of it from here to the old end */
			if (found && at.start > cycles)
				high->start = ts_min_i64(high->start, at.start);
			side = -1;
		} else {
			*low = at;
			side = 1;
		}
	}
	return TS_OK;
}
