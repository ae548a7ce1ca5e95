/* SPDX-License-Identifier: MIT */
/*
 * proportions_lanes - how long each class runs, from the lanes of the index.
 *
 * The tree of an IPU is walked from left to right, once. A node whose steps follow on each other (TS_LANE_ORDERED) and
 * beside which the same runs from its begin to its end is added as a whole; others are looked into, down to
 * the rows of a leaf. Of a block with steps that overlap it is known how long which classes run together, so only
 * what lies at the ends of the range, or what a step of one block reaches into, is looked at row by row.
 */
#include "config.h"

#include <string.h>

#include "proportions_internal.h"

#include "tilescope/base/mem.h"

bool
ts_proportions_indexed(const struct ts_reader *rd)
{
	return ts_index_sections(rd->index) & 1u << TS_SECTION_LANES;
}

static bool
going(const struct lanes_walk *w)
{
	return !w->broken && !w->code && !w->sweep->falls;
}

/*
 * Row ids before a leaf from which on its rows are read: an IPU that is known by the order of its rows is known from the
 * begin of a step on only.
 */
static int64_t
back_of(const struct lanes_walk *w, int64_t from)
{
	const struct ts_binding *b = &w->rd->report->binding[TS_STEP_IPU];
	uint64_t most = (uint64_t)from - (uint64_t)b->reach.first_rowid;
	uint64_t back = 4 * ((uint64_t)w->lanes.head->step_ipus + 1);

	if (!w->by_order || from < b->reach.first_rowid)
		return 0;
	return (int64_t)(back < most ? back : most);
}

/* A row of a leaf that stands at `from` or behind. */
static void
read_row(struct lanes_walk *w, struct ts_rows *rows, int64_t from)
{
	struct trace_part p;
	int64_t rowid;
	int k;

	w->rows++;
	if (!ts_rows_rowid(rows, &rowid) || rowid < from)
		return;
	w->broken = w->by_order && ts_rows_number(rows, T_IPU, &p.ipu) != TS_VALUE_OK;
	if (!trace_part_numbers(&p, rows) || p.ipu != w->of->ipu || p.end <= p.start)
		return;
	k = ts_steps_class(&w->steps, p.step);
	ts_class_sweep_add(w->sweep, p.start, p.end,
		k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k);
}

/* The rows of a leaf that the index does not hold, from the report. */
static void
read_leaf(struct lanes_walk *w, const struct ts_lane_node *n, const struct ts_lane_leaf *leaf)
{
	int64_t from = (int64_t)((uint64_t)n->rowid + leaf->rowid);
	struct ts_rows_query q = {.column_count = T_COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = from - back_of(w, from),
		.to = trace_add(from, leaf->rowids),
		.past_damage = true};
	struct ts_rows *rows;
	bool there;

	w->broken = !w->readable || !w->steps.head;
	if (w->broken)
		return;
	memcpy(q.columns, trace_part_columns, sizeof(trace_part_columns));
	w->code = ts_reader_rows(&rows, w->rd, TS_STEP_IPU, &q, w->err);
	if (w->code)
		return;
	while (!w->broken && !(w->code = ts_rows_next(rows, &there, w->err)) && there)
		read_row(w, rows, from);
	ts_rows_close(rows);
}

static bool
add_leaf(struct lanes_walk *w, const struct ts_lane_leaf *leaf, int64_t next)
{
	int64_t length[TS_CLASS_COUNT];

	if (leaf->flags & TS_LEAF_WIDE || !(leaf->flags & TS_LANE_ORDERED) ||
		next < ts_leaf_end(leaf))
		return false;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		length[k] = leaf->length[k];
	return ts_class_sweep_add_all(w->sweep, leaf->start, ts_leaf_end(leaf), length);
}

static bool
outside(const struct lanes_walk *w, int64_t start, int64_t end)
{
	return start >= w->sweep->to || end <= w->sweep->from;
}

/* The leaves of a block; what stands behind it begins at `next`. */
static void
walk_leaves(struct lanes_walk *w, const struct ts_lane_node *n, int64_t next)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&w->lanes, n);
	struct ts_lane_row row[TS_LANE_LEAF];

	w->broken |= !leaf;
	for (uint32_t i = 0; going(w) && i < n->leaves; i++) {
		int64_t behind = i + 1 < n->leaves ? leaf[i + 1].start : next;
		int rows;

		if (outside(w, leaf[i].start, ts_leaf_end(&leaf[i])) ||
			add_leaf(w, &leaf[i], behind))
			continue;
		rows = ts_lane_unpack(row, &w->lanes, n, &leaf[i], INT64_MAX);
		w->broken |= rows < 0;
		if (rows == 0)
			read_leaf(w, n, &leaf[i]);
		for (int k = 0; k < rows; k++)
			ts_class_sweep_add(w->sweep, row[k].start, row[k].end, row[k].class_of);
	}
}

/* A node as a whole; not where something behind it begins before it ends. */
static bool
add_node(struct lanes_walk *w, const struct ts_lane_node *n, int64_t next)
{
	const struct ts_class_set *set;

	if (next < n->end)
		return false;
	if (n->flags & TS_LANE_ORDERED)
		return ts_class_sweep_add_all(w->sweep, n->start, n->end, n->length);
	set = ts_lane_sets(&w->lanes, n);
	return set && ts_class_sweep_add_sets(w->sweep, n->start, n->end, set, n->sets);
}

/* Nodes [i, to) of a level; what stands behind them begins at `next`. */
static void
walk_nodes(struct lanes_walk *w, int level, uint64_t i, uint64_t to, int64_t next)
{
	const struct ts_lane_node *node = ts_lane_nodes(&w->lanes, w->of, level);

	for (; going(w) && i < to; i++) {
		const struct ts_lane_node *n = &node[i];
		int64_t behind = i + 1 < to ? n[1].start : next;

		if (outside(w, n->start, n->end) || add_node(w, n, behind))
			continue;
		if (level == 0)
			walk_leaves(w, n, behind);
		else /* as deep as there are levels */
			walk_nodes(w, level - 1, i * TS_LANE_FAN,
				(uint64_t)ts_min_i64((int64_t)(i + 1) * TS_LANE_FAN,
					(int64_t)w->of->level[level - 1].nodes),
				behind);
		if (ts_cancelled(w->rd->cancel))
			w->code = ts_err_set(w->err, TS_E_CANCELLED, "cancelled");
	}
}

bool
lanes_walk_open(struct lanes_walk *w, struct ts_reader *rd)
{
	*w = (struct lanes_walk){.rd = rd};
	if (!ts_lanes_open(&w->lanes, rd->index))
		return false;
	w->readable = w->lanes.head->flags & TS_LANES_ROWID;
	w->by_order = rd->report->binding[TS_STEP_IPU].column[TS_STEP_IPU_IPU].op == TS_OP_ORDER_IN;
	if (!ts_steps_open(&w->steps, rd->index))
		w->steps = (struct ts_steps){0};
	return true;
}

void
lanes_walk_close(struct lanes_walk *w)
{
	if (w->steps.head)
		ts_steps_close(&w->steps);
	ts_lanes_close(&w->lanes);
}

enum ts_code
lanes_walk_ipu(bool *done, struct lanes_walk *w, struct ts_class_sweep *sweep, int64_t ipu,
	struct ts_err *err)
{
	w->of = ts_lanes_find(&w->lanes, ipu);
	w->sweep = sweep;
	w->broken = false;
	w->code = TS_OK;
	w->err = err;
	if (w->of && w->of->levels > 0)
		walk_nodes(w, (int)w->of->levels - 1, 0, w->of->level[w->of->levels - 1].nodes,
			INT64_MAX);
	*done = !w->broken && !sweep->falls;
	return *done || w->code != TS_E_DAMAGED ? w->code : TS_OK;
}
