/* SPDX-License-Identifier: MIT */
/*
 * trace_longest - the longest steps of an IPU in a range of cycles.
 *
 * In the index each block of 8,192 rows says how long its longest one is: blocks are looked into from
 * the longest down, until no other can have a longer row than the last of those that were found. Of a
 * block only those leaves count whose cycles of one class come to as much. The steps that rows belong to
 * stand in the report alone: of each leaf the few rows around that start are read. Without the index all
 * rows of the range are read.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/slices.h"
#include "tilescope/report/trace_jump.h"

struct found {
	struct ts_trace_long of;
	/* where its row stands: [rowid, rowid + rowids), and when these begin and end */
	int64_t rowid, rowids, begin, end;
};

enum { NEAR_ROWS = 48 }; /* that are read around a start */

struct longest {
	int64_t ipu, from, to;
	int n, most;
	struct found *found; /* the longest first, of equal ones the earlier */
	bool broken;
};

/* Cycles of [start, end) in the range. */
static int64_t
inside(const struct longest *l, int64_t start, int64_t end)
{
	return ts_min_i64(end, l->to) - ts_max_i64(start, l->from);
}

static bool
is_before(const struct found *a, const struct found *b)
{
	if (a->of.inside != b->of.inside)
		return a->of.inside > b->of.inside;
	return a->of.start < b->of.start;
}

static void
keep(struct longest *l, const struct found *f)
{
	int i = l->n;

	if (f->of.inside <= 0)
		return;
	if (l->n == l->most && !is_before(f, &l->found[l->n - 1]))
		return;
	if (l->n < l->most)
		l->n++;
	else
		i--;
	for (; i > 0 && is_before(f, &l->found[i - 1]); i--)
		l->found[i] = l->found[i - 1];
	l->found[i] = *f;
}

/* Can one that starts at `start` or later and has at most so many cycles in the range be kept? */
static bool
may_count(const struct longest *l, int64_t most, int64_t start)
{
	const struct found *last = &l->found[l->n - 1];

	if (most <= 0 || l->n < l->most)
		return most > 0;
	return most > last->of.inside || (most == last->of.inside && start < last->of.start);
}

/* --- in the index --------------------------------------------------------------------------------- */

/* Cycles that a row of the leaf has at most: no more than all rows of its class. */
static int64_t
longest_of(const struct ts_lane_leaf *leaf)
{
	int64_t most = 0;

	if (leaf->flags & TS_LEAF_WIDE)
		return INT64_MAX;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		most = ts_max_i64(most, leaf->length[k]);
	return most;
}

static void
look_into(struct longest *l, struct trace_leaves *leaves, const struct ts_lane_node *n)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&leaves->lanes, n);
	struct ts_lane_row row[TS_LANE_LEAF];

	l->broken |= !leaf;
	for (uint32_t i = 0; leaf && i < n->leaves && !l->broken; i++) {
		struct found f = {.of = {.step = TS_UNKNOWN},
			.rowid = (int64_t)((uint64_t)n->rowid + leaf[i].rowid),
			.rowids = leaf[i].rowids,
			.begin = leaf[i].start,
			.end = ts_leaf_end(&leaf[i])};
		int64_t most = inside(l, f.begin, f.end);
		int rows;

		if (!may_count(l, ts_min_i64(most, longest_of(&leaf[i])), leaf[i].start))
			continue;
		rows = trace_leaf_rows(row, leaves, l->ipu, n, &leaf[i]);
		l->broken |= rows <= 0;
		for (int k = 0; k < rows; k++) {
			f.of.start = row[k].start;
			f.of.end = row[k].end;
			f.of.class_of = row[k].class_of;
			f.of.inside = inside(l, row[k].start, row[k].end);
			keep(l, &f);
		}
	}
}

struct block {
	const struct ts_lane_node *node;
	int64_t most; /* cycles that a row of it has in the range, at most */
};

static int
by_most(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->most != y->most)
		return x->most > y->most ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static enum ts_code
look_along(struct longest *l, struct trace_leaves *leaves, const struct ts_lane *lane,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct ts_lane_node *node = ts_lane_nodes(&leaves->lanes, lane, 0);
	struct block *block = ts_alloc(lane->level[0].nodes + 1, sizeof(*block));
	size_t n = 0;
	enum ts_code code = TS_OK;

	if (!block)
		return ts_err_nomem(err);
	for (uint64_t i = 0; i < lane->level[0].nodes; i++) {
		int64_t most = ts_min_i64(inside(l, node[i].start, node[i].end), node[i].longest);

		if (most > 0)
			block[n++] = (struct block){&node[i], most};
	}
	qsort(block, n, sizeof(*block), by_most);
	for (size_t i = 0; i < n && !l->broken && !code; i++) {
		if (l->n == l->most && block[i].most < l->found[l->n - 1].of.inside)
			break;
		if (may_count(l, block[i].most, block[i].node->start))
			look_into(l, leaves, block[i].node);
		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	free(block);
	return code;
}

/* The step of a row, if it stands between these row ids. */
static enum ts_code
find_step_in(struct found *f, struct trace_leaves *leaves, int64_t ipu, int64_t rowid,
	int64_t rowids, struct ts_err *err)
{
	struct trace_part part[TS_LANE_LEAF];
	int n;
	enum ts_code code = trace_leaf_parts(part, &n, leaves, ipu, rowid, rowids, err);

	for (int i = 0; i < n && f->of.step == TS_UNKNOWN; i++)
		if (part[i].start == f->of.start && part[i].end == f->of.end)
			f->of.step = part[i].step;
	return code;
}

/* Of a report on another host: have the rows here whose steps are looked for. */
static enum ts_code
rows_ahead(const struct longest *l, struct ts_reader *rd, struct ts_err *err)
{
	struct trace_rows *rows;
	enum ts_code code;

	if (!trace_ahead_helps(rd))
		return TS_OK;
	rows = ts_alloc((size_t)l->n, sizeof(*rows));
	if (!rows)
		return ts_err_nomem(err);
	for (int i = 0; i < l->n; i++)
		rows[i] = (struct trace_rows){l->found[i].rowid,
			trace_add(l->found[i].rowid, l->found[i].rowids)};
	code = trace_ahead_rows(rd, rows, (size_t)l->n, err);
	free(rows);
	return code;
}

/* A leaf has thousands of row ids, of all IPUs: where starts rise the row is near one that is found by its start. */
static enum ts_code
find_step(struct found *f, struct trace_leaves *leaves, const struct ts_trace *t, int64_t ipu,
	struct ts_err *err)
{
	struct trace_place low = {f->rowid, f->begin},
			   high = {trace_add(f->rowid, f->rowids), f->end};
	enum ts_code code = TS_OK;

	if (t->part.range == TS_RANGE_ROWID && f->rowids > 2 * NEAR_ROWS)
		code = trace_locate(&low, &high, leaves->rd, t, ipu, f->of.start, NEAR_ROWS, err);
	if (!code && high.at - low.at < f->rowids)
		code = find_step_in(f, leaves, ipu, low.at, high.at - low.at + 1, err);
	if (!code && f->of.step == TS_UNKNOWN)
		code = find_step_in(f, leaves, ipu, f->rowid, f->rowids, err);
	return code;
}

/* *done false: the index cannot say. */
static enum ts_code
longest_indexed(bool *done, struct longest *l, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_err *err)
{
	struct trace_leaves leaves;
	const struct ts_lane *lane;
	enum ts_code code = TS_OK;

	*done = false;
	if (!trace_leaves_open(&leaves, rd))
		return TS_OK;
	l->broken = !leaves.readable;
	lane = ts_lanes_find(&leaves.lanes, l->ipu);
	if (!l->broken && lane && lane->levels > 0)
		code = look_along(l, &leaves, lane, rd->cancel, err);
	if (!code && !l->broken && l->n > 0)
		code = rows_ahead(l, rd, err);
	for (int i = 0; i < l->n && !code && !l->broken; i++) {
		code = find_step(&l->found[i], &leaves, t, l->ipu, err);
		l->broken |= !code && l->found[i].of.step == TS_UNKNOWN;
	}
	trace_leaves_close(&leaves);
	*done = !code && !l->broken;
	return code;
}

/* --- from the rows --------------------------------------------------------------------------------- */

static enum ts_code
longest_rows(struct longest *l, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_slices *slices;
	const struct ts_slice *s;
	enum ts_code code;

	code = ts_slices_open_range(&slices, rd, t, l->from, l->to, cache, progress, err);
	if (code)
		return code;
	while (!(code = ts_slices_next(&s, slices, err)) && s) {
		struct found f = {.of = {s->step, s->start, s->end, s->class_of, 0}};

		f.of.inside = inside(l, s->start, s->end);
		if (s->ipu == l->ipu && s->end > s->start)
			keep(l, &f);
	}
	ts_slices_close(slices);
	return code;
}

enum ts_code
ts_trace_longest_read(struct ts_trace_long *out, int *n, int most, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t from, int64_t to,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct longest l = {.ipu = ipu, .from = from, .to = to, .most = most};
	bool done = false;
	enum ts_code code = TS_OK;

	*n = 0;
	if (!t->has_parts || from >= to)
		return TS_OK;
	l.found = ts_alloc((size_t)most, sizeof(*l.found));
	if (!l.found)
		return ts_err_nomem(err);
	code = longest_indexed(&done, &l, rd, t, err);
	if (!code && !done) {
		l.n = 0;
		code = longest_rows(&l, rd, t, cache, progress, err);
	}
	for (int i = 0; i < l.n && (!code || code == TS_E_DAMAGED); i++)
		out[(*n)++] = l.found[i].of;
	free(l.found);
	return code;
}

enum ts_code
ts_trace_longest_first(struct ts_trace_long *out, int *n, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t from, int64_t to, struct ts_err *err)
{
	struct found found = {0};
	struct longest l = {.ipu = ipu, .from = from, .to = to, .most = 1, .found = &found};
	bool done = false;
	enum ts_code code;

	*n = 0;
	if (!t->has_parts || from >= to)
		return TS_OK;
	code = longest_indexed(&done, &l, rd, t, err);
	if (!code && done && l.n > 0) {
		*out = found.of;
		*n = 1;
	}
	return code;
}

/* --- rows of some steps --------------------------------------------------------------------------- */

static void
append(struct ts_trace_window *w, struct ts_strbuf *text, const struct ts_trace_window *one,
	int64_t step)
{
	const struct ts_trace_row *r = NULL;
	struct ts_trace_row *to = &w->row[w->count];

	for (int i = 0; i < one->count && !r; i++)
		if (one->row[i].step == step)
			r = &one->row[i];
	if (!r)
		return;
	*to = *r;
	to->type = (uint32_t)text->len;
	ts_strbuf_add(text, one->text + r->type, r->type_n);
	to->type_n = (uint32_t)(text->len - to->type);
	to->name = (uint32_t)text->len;
	ts_strbuf_add(text, one->text + r->name, r->name_n);
	to->name_n = (uint32_t)(text->len - to->name);
	w->count++;
}

enum ts_code
ts_trace_rows_read(struct ts_trace_window *w, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, const int64_t *step, int n, struct ts_err *err)
{
	struct ts_strbuf text;
	enum ts_code code = TS_OK, damaged = TS_OK;

	*w = (struct ts_trace_window){.ipu = ipu, .at_begin = true, .at_end = true};
	w->row = ts_alloc((size_t)ts_max_i64(n, 1), sizeof(*w->row));
	if (!w->row)
		return ts_err_nomem(err);
	ts_strbuf_init(&text, TS_TRACE_TEXT);
	code = trace_ahead_steps(rd, t, step, n, err);
	for (int i = 0; i < n && !code; i++) {
		struct ts_trace_window one = {0};
		int64_t row, at;
		bool found;

		code = ts_trace_find_step(&row, &at, &found, rd, t, step[i], err);
		if (!code && found)
			code = ts_trace_window_read(&one, rd, t, ipu, row, at, 0, 1, err);
		if (code == TS_E_DAMAGED)
			damaged = code, code = TS_OK;
		if (!code && one.count > 0)
			append(w, &text, &one, step[i]);
		ts_trace_window_fini(&one);
	}
	w->text_n = text.len;
	w->text = ts_strbuf_take(&text);
	ts_strbuf_fini(&text);
	if (!w->text && !code)
		code = ts_err_nomem(err);
	if (!w->text)
		w->count = 0;
	return code ? code : damaged;
}
