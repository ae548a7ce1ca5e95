/* SPDX-License-Identifier: MIT */
/*
 * trace - what is known of an execution before any of its rows is looked for.
 *
 * Opening looks at the ends of `step` and `step_ipu` and at a few places between them: how rows are
 * addressed, whether ids are missing, which IPUs there are, from when to when. An IPU that has rows
 * nowhere near these places, or an interval that ends after all of the last rows, is not seen. What
 * the index has seen is taken from there.
 *
 * Where rows can only be read forwards (a view that is no projection), or steps stand in no order, the
 * class of every step is read once, with progress: such a report has no quick way to anything.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/summary.h"

enum {
	PROBES = 32,
	PROBE_ROWS = 64,
	WHOLE = 16384, /* addresses up to which gaps are looked for everywhere */
	EDGE_ROWS = 1024,
};

#define CYCLES_MAX ((int64_t)1 << 61)
#define SPAN_MAX ((uint64_t)1 << 61)

/* --- holding ---------------------------------------------------------------------------------- */

struct ts_trace *
ts_trace_hold(struct ts_trace *t)
{
	atomic_fetch_add(&t->uses, 1);
	return t;
}

void
ts_trace_release(struct ts_trace *t)
{
	if (!t || atomic_fetch_sub(&t->uses, 1) > 1)
		return;
	ts_step_names_fini(&t->names);
	ts_step_classes_fini(&t->classes);
	ts_steps_close(&t->steps);
	free(t->ipu);
	free(t->run);
	free(t);
}

int
ts_trace_run_of(const struct ts_trace *t, int64_t step)
{
	for (int i = 0; i < t->runs; i++)
		if (step >= t->run[i].first_step && step - t->run[i].first_step < t->run[i].steps)
			return i;
	return -1;
}

/* --- axes ------------------------------------------------------------------------------------- */

/* Is the key an increasing function of the row id, as far as a few rows tell? */
static bool
rises(struct ts_reader *rd, enum ts_relation relation, int key)
{
	const struct ts_reach *r = &rd->report->binding[relation].reach;
	uint64_t span = (uint64_t)r->last_rowid - (uint64_t)r->first_rowid;
	uint64_t stride = span / PROBES ? span / PROBES : 1;
	const struct ts_trace_axis all = {TS_RANGE_ROWID, r->first_rowid, r->last_rowid, 1};
	int64_t last = -1;

	if (trace_ahead_places(rd, &all, relation, PROBES, PROBE_ROWS, PROBE_ROWS, NULL))
		return false;

	for (uint64_t i = 0; i <= span; i += stride) {
		struct ts_rows_query q = {.columns = {key},
			.column_count = 1,
			.range = TS_RANGE_ROWID,
			.from = r->first_rowid + (int64_t)i,
			.to = INT64_MAX,
			.limit = 2};
		struct ts_rows *rows;
		bool there, ok = true;
		int64_t v;

		if (ts_reader_rows(&rows, rd, relation, &q, NULL))
			return false;
		while (ok && ts_rows_next(rows, &there, NULL) == TS_OK && there)
			if (ts_rows_number(rows, 0, &v) == TS_VALUE_OK) {
				ok = v >= last;
				last = v;
			}
		ts_rows_close(rows);
		if (!ok)
			return false;
	}
	return true;
}

/* Is there a row with a key of at least `from`? *key is that row's. */
static enum ts_code
key_from(struct ts_reader *rd, enum ts_relation relation, int column, int64_t from, int64_t *key,
	bool *found, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {column},
		.column_count = 1,
		.range = TS_RANGE_KEY,
		.from = from,
		.to = INT64_MAX,
		.limit = PROBE_ROWS};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, relation, &q, err);
	bool there;

	*found = false;
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there && !*found)
		*found = ts_rows_number(rows, 0, key) == TS_VALUE_OK;
	ts_rows_close(rows);
	return code;
}

static enum ts_code
axis_by_key(struct ts_trace_axis *a, struct ts_reader *rd, enum ts_relation relation, int column,
	struct ts_err *err)
{
	int64_t low, high = TS_NUMBER_MAX, key = 0;
	bool found;
	enum ts_code code = key_from(rd, relation, column, 0, &key, &found, err);

	a->range = TS_RANGE_KEY;
	if (code || !found)
		return code;
	low = a->first = key;
	while (low < high) {
		int64_t middle = low + (high - low) / 2 + 1;

		code = key_from(rd, relation, column, middle, &key, &found, err);
		if (code)
			return code;
		if (found)
			low = ts_max_i64(key, middle);
		else
			high = middle - 1;
	}
	a->last = low;
	return TS_OK;
}

static enum ts_code
axis_make(struct ts_trace_axis *a, struct ts_reader *rd, enum ts_relation relation, int column,
	struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[relation];
	const struct ts_reach *r = &b->reach;

	*a = (struct ts_trace_axis){.range = TS_RANGE_ALL, .first = 0, .last = -1, .per = 1};
	if (r->key == TS_REACH_INDEX && !(r->has_rowid && rises(rd, relation, column))) {
		a->per = b->group > 0 ? b->group : 1;
		return axis_by_key(a, rd, relation, column, err);
	}
	/* row ids so far apart lie apart: few rows, none of which can be guessed */
	if (r->has_rowid &&
		(r->first_rowid > r->last_rowid ||
			(uint64_t)r->last_rowid - (uint64_t)r->first_rowid < SPAN_MAX)) {
		a->range = TS_RANGE_ROWID;
		a->first = r->first_rowid;
		a->last = r->last_rowid;
	}
	return TS_OK;
}

static int64_t
axis_span(const struct ts_trace_axis *a)
{
	uint64_t span = (uint64_t)a->last - (uint64_t)a->first;

	return a->first > a->last ? 0 : span >= TS_NUMBER_MAX ? TS_NUMBER_MAX : (int64_t)span + 1;
}

/* Place i of n along an axis. */
static int64_t
axis_place(const struct ts_trace_axis *a, int i, int n)
{
	return a->first + (int64_t)((uint64_t)(axis_span(a) - 1) / (uint64_t)n * (uint64_t)i);
}

/* --- steps ------------------------------------------------------------------------------------ */

/*
 * Look at the steps in [from, to), at most `limit` (0 = all): the first and last valid id, and
 * whether an address is missing.
 */
struct look {
	int64_t first, last, rows;
	bool gap;
};

static enum ts_code
look_at(struct look *k, struct ts_reader *rd, const struct ts_trace_axis *a, int64_t from,
	int64_t to, int64_t limit, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_STEP_STEP},
		.column_count = 1,
		.range = a->range,
		.from = from,
		.to = to,
		.limit = limit};
	int64_t expect = from, at, step;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		bool valid = ts_rows_number(rows, 0, &step) == TS_VALUE_OK;

		if (!ts_rows_rowid(rows, &at) || a->range == TS_RANGE_KEY)
			at = step;
		k->gap |= a->range != TS_RANGE_ALL && at != expect;
		expect = trace_add(at, 1);
		k->rows++;
		if (!valid)
			continue;
		if (k->first < 0)
			k->first = step;
		k->last = step;
	}
	ts_rows_close(rows);
	return code;
}

static bool
damaged(enum ts_code code)
{
	return code == TS_E_DAMAGED;
}

/* Steps that have addresses: ends, and gaps as far as a few places tell. */
static enum ts_code
steps_by_address(struct ts_trace *t, struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_trace_axis *a = &t->step;
	struct look head = {-1, -1, 0, false}, tail = {-1, -1, 0, false};
	int64_t span = axis_span(a), end = trace_add(a->last, 1);
	enum ts_code code = TS_OK, bad = TS_OK;

	t->rows = span;
	if (span == 0)
		return TS_OK;
	if (span <= WHOLE) {
		bad = look_at(&head, rd, a, a->first, end, 0, err);
		tail = head;
		if (!head.gap && !bad)
			t->rows = head.rows;
	} else {
		code = trace_ahead_places(rd, a, TS_STEP, PROBES, PROBE_ROWS, PROBE_ROWS, err);
		if (code)
			return code;
		bad = look_at(&head, rd, a, a->first, end, PROBE_ROWS, err);
		for (int i = 1; i < PROBES && !code; i++)
			code = look_at(&tail, rd, a, axis_place(a, i, PROBES), end, PROBE_ROWS,
				err);
		bad = bad ? bad : code;
		code = look_at(&tail, rd, a, trace_add(a->last, -PROBE_ROWS), end, 0, err);
		bad = bad ? bad : code;
	}
	t->first_step = ts_max_i64(head.first, 0);
	t->last_step = ts_max_i64(tail.last, t->first_step);
	t->gaps = (head.gap || tail.gap) && !bad;
	t->dense = !t->gaps && t->last_step - t->first_step == span - 1;
	t->cut = rd->report->binding[TS_STEP].reach.cut;
	return damaged(bad) ? TS_OK : bad;
}

static enum ts_code
steps_forwards(struct ts_trace *t, struct ts_reader *rd, struct ts_err *err)
{
	struct look k = {-1, -1, 0, false};
	enum ts_code code = look_at(&k, rd, &t->step, 0, 0, 0, err);

	t->rows = k.rows;
	t->first_step = ts_max_i64(k.first, 0);
	t->last_step = ts_max_i64(k.last, t->first_step);
	t->cut = damaged(code);
	return t->cut && k.rows ? TS_OK : code;
}

/* The index has looked at all of them. False: not at what is addressed by key, in the order of the keys. */
static bool
steps_indexed(struct ts_trace *t, struct ts_reader *rd)
{
	const struct ts_steps_head *h;

	if (t->step.range == TS_RANGE_KEY || !ts_steps_open(&t->steps, rd->index))
		return false;
	h = t->steps.head;
	t->rows = h->rows;
	t->first_step = ts_max_i64(h->least_step, 0);
	t->last_step = ts_max_i64(h->most_step, t->first_step);
	t->numbered = t->step.range == TS_RANGE_ROWID && h->flags & TS_STEPS_GAPS;
	t->dense = h->flags & TS_STEPS_DENSE && !t->numbered;
	t->fall[0] = h->flags & TS_STEPS_FALL &&
		rd->report->binding[TS_STEP].reach.key == TS_REACH_MONOTONE;
	return true;
}

/* Lanes and rows of IPUs cannot be reached by step. */
static enum ts_code
go_forwards(struct ts_trace *t, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (!t->forwards)
		code = ts_step_classes_read(&t->classes, rd, progress, err);
	t->forwards = true;
	return damaged(code) ? TS_OK : code;
}

static enum ts_code
open_steps(struct ts_trace *t, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code = axis_make(&t->step, rd, TS_STEP, TS_STEP_STEP, err);

	if (!code && !steps_indexed(t, rd))
		code = (t->step.range == TS_RANGE_ALL ? steps_forwards : steps_by_address)(t, rd,
			err);
	if (!code && t->rows == 0)
		code = ts_err_set(err, TS_E_ABSENT, "the table of steps has no rows");
	if (!code && !trace_rises(t, rd, TS_STEP))
		code = go_forwards(t, rd, progress, err);
	return code;
}

/* --- IPUs and cycles -------------------------------------------------------------------------- */

static bool
add_ipu(struct ts_trace *t, int64_t ipu)
{
	int i = 0;
	int64_t *bigger;

	while (i < t->ipus && t->ipu[i] < ipu)
		i++;
	if ((i < t->ipus && t->ipu[i] == ipu) || t->ipus == TS_IPUS_MAX)
		return true;
	bigger = ts_resize(t->ipu, (size_t)t->ipus + 1, sizeof(*bigger));
	if (!bigger)
		return false;
	t->ipu = bigger;
	memmove(&t->ipu[i + 1], &t->ipu[i], (size_t)(t->ipus - i) * sizeof(*t->ipu));
	t->ipu[i] = ipu;
	t->ipus++;
	return true;
}

/* Take IPUs and cycles from some rows. */
static enum ts_code
look_at_parts(struct ts_trace *t, struct ts_reader *rd, int64_t from, int64_t to, int64_t limit,
	struct ts_progress *progress, struct ts_err *err)
{
	int64_t last_ipu = -1, rows_seen = 0;
	struct trace_part part;
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, rd, t, from, to, err);
	bool there;

	if (code)
		return code;
	while ((limit == 0 || rows_seen < limit) && !(code = ts_rows_next(rows, &there, err)) &&
		there) {
		if (++rows_seen % WHOLE == 0)
			ts_progress_set(progress, rows_seen, 0);
		if (!trace_part_get(&part, rows, t))
			continue;
		t->from = ts_min_i64(t->from, part.start);
		t->to = ts_max_i64(t->to, ts_max_i64(part.start, part.end));
		if (part.ipu != last_ipu && !add_ipu(t, part.ipu)) {
			code = ts_err_nomem(err);
			break;
		}
		last_ipu = part.ipu;
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
look_along(struct ts_trace *t, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_trace_axis *a = &t->part;
	int group = rd->report->binding[TS_STEP_IPU].group;
	int64_t end = trace_add(a->last, 1), edge = EDGE_ROWS + 2 * (int64_t)group;
	enum ts_code code, bad = TS_OK;

	if (a->range == TS_RANGE_ALL)
		return look_at_parts(t, rd, 0, 0, 0, progress, err);
	if (axis_span(a) == 0)
		return TS_OK;
	if (axis_span(a) <= WHOLE)
		bad = look_at_parts(t, rd, a->first, end, 2 * WHOLE, progress, err);
	if (axis_span(a) <= WHOLE && !damaged(bad))
		return bad;
	code = trace_ahead_places(rd, a, TS_STEP_IPU, PROBES, 2 * group + PROBE_ROWS, edge, err);
	if (code)
		return code;
	for (int i = 0; i < PROBES; i++) {
		code = look_at_parts(t, rd, axis_place(a, i, PROBES), end,
			i == 0 ? edge : 2 * group + PROBE_ROWS, progress, err);
		bad = bad ? bad : code;
	}
	do { /* at damage ever closer to the end, which says when everything ends */
		code = look_at_parts(t, rd, ts_max_i64(a->first, trace_add(a->last, -edge)), end, 0,
			progress, err);
		bad = bad ? bad : code;
		edge /= 4;
	} while (damaged(code) && edge > 0);
	return bad;
}

/* The index has looked at all of them. */
static bool
look_indexed(struct ts_trace *t, struct ts_reader *rd, bool *nomem)
{
	struct ts_lanes l;

	if (!ts_lanes_open(&l, rd->index))
		return false;
	t->from = l.head->from;
	t->to = l.head->to;
	t->fall[1] = l.head->flags & TS_LANES_FALL &&
		rd->report->binding[TS_STEP_IPU].reach.key == TS_REACH_MONOTONE;
	for (uint64_t i = 0; i < l.head->lanes; i++)
		*nomem |= l.lane[i].rows > 0 && !add_ipu(t, l.lane[i].ipu);
	ts_lanes_close(&l);
	return true;
}

/* Rows of a step: where they stand together that is how many times more rows there are. */
static void
set_group(struct ts_trace *t)
{
	int64_t group = t->ipus;

	if (t->part.range == TS_RANGE_ROWID && t->rows > 0)
		group = (axis_span(&t->part) + t->rows / 2) / t->rows;
	t->group = (int)ts_clamp_i64(group, 1, TS_IPUS_MAX);
	if (t->part.range == TS_RANGE_KEY)
		t->part.per = t->group;
}

static enum ts_code
open_parts(struct ts_trace *t, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_STEP_IPU];
	bool indexed = false, nomem = false;
	enum ts_code code;

	t->from = INT64_MAX;
	t->to = -1;
	snprintf(t->why_no_parts, sizeof(t->why_no_parts), "%s", b->bound ? "" : b->reason);
	if (!b->bound) {
		t->from = t->to = 0;
		return TS_OK;
	}
	code = axis_make(&t->part, rd, TS_STEP_IPU, TS_STEP_IPU_STEP, err);
	if (!code)
		indexed = look_indexed(t, rd, &nomem);
	if (nomem)
		return ts_err_nomem(err);
	if (!code && (t->part.range == TS_RANGE_ALL || !trace_rises(t, rd, TS_STEP_IPU)))
		code = go_forwards(t, rd, progress, err);
	if (!code && !indexed)
		code = look_along(t, rd, progress, err);
	t->has_parts = t->ipus > 0 && t->to >= t->from;
	set_group(t);
	if (!t->has_parts)
		snprintf(t->why_no_parts, sizeof(t->why_no_parts), "%.190s",
			code ? err->msg : "the table of steps by IPU has no rows that can be used");
	if (!t->has_parts)
		t->from = t->to = 0;
	if (t->has_parts) {
		t->to = ts_max_i64(t->to, t->from + 1);
		t->to = ts_min_i64(t->to, trace_add(t->from, CYCLES_MAX));
	}
	return code;
}

/* --- together ----------------------------------------------------------------------------------- */

static enum ts_code
open_facts(struct ts_trace *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_about about;
	struct ts_target target;
	enum ts_code code = ts_about_read(&about, rd, err);

	target.replicas = TS_UNKNOWN;
	if (!code)
		code = ts_target_read(&target, rd, 0, 0, err);
	if (!code)
		t->clock_hz = target.clock_hz;
	ts_honesty_of(&t->honest, &about, target.replicas, t->honest.artefact);
	return code;
}

/* Damage ends one piece, not all of it; the first is told. */
static bool
soften(enum ts_code code, enum ts_code *told, struct ts_err *why, struct ts_err *err)
{
	if (damaged(code) && !*told) {
		*told = code;
		if (err)
			*err = *why;
	}
	return code && !damaged(code);
}

static struct ts_trace *
make(void)
{
	struct ts_trace *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return NULL;
	atomic_init(&t->uses, 1);
	t->honest = ts_honesty_unknown();
	t->artefact_start = t->artefact_end = TS_UNKNOWN;
	return t;
}

enum ts_code
ts_trace_open_empty(struct ts_trace **out, struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_STEP];
	struct ts_trace *t = make();
	enum ts_code code;

	*out = NULL;
	if (!t)
		return ts_err_nomem(err);
	t->last_step = -1;
	snprintf(t->why_no_parts, sizeof(t->why_no_parts), "%s",
		b->bound ? "the table of steps has no rows" : b->reason);
	code = open_facts(t, rd, err);
	if (code && !damaged(code)) {
		ts_trace_release(t);
		return code;
	}
	*out = t;
	return code;
}

enum ts_code
ts_trace_open(struct ts_trace **out, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	return ts_trace_open_again(out, rd, NULL, progress, err);
}

enum ts_code
ts_trace_open_again(struct ts_trace **out, struct ts_reader *rd, const struct ts_trace *before,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_trace *t = make();
	struct ts_err why = {0};
	enum ts_code code, told = TS_OK;

	*out = NULL;
	if (!t)
		return ts_err_nomem(err);
	if (!ts_report_has(rd->report, TS_STEP))
		code = ts_err_set(&why, TS_E_ABSENT, "%s", rd->report->binding[TS_STEP].reason);
	else if (before && ts_step_names_share(&t->names, &before->names))
		code = TS_OK;
	else
		code = ts_step_names_read(&t->names, rd, &why);
	if (!soften(code, &told, &why, err))
		code = open_steps(t, rd, progress, &why);
	if (!code && !soften(code = open_parts(t, rd, progress, &why), &told, &why, err))
		code = TS_OK;
	if (!code && !soften(code = trace_open_runs(t, rd, &why), &told, &why, err))
		code = TS_OK;
	if (!code && !soften(code = open_facts(t, rd, &why), &told, &why, err))
		code = TS_OK;
	if (code) {
		ts_trace_release(t);
		if (err)
			*err = why;
		return code;
	}
	*out = t;
	return told;
}
