/* SPDX-License-Identifier: MIT */
/*
 * proportions_lanes - how long each class runs, from the lanes of the index.
 *
 * The tree of an IPU is walked from left to right, once. A node whose steps follow on each other (TS_LANE_ORDERED) and
 * beside which the same runs from its begin to its end is added as a whole; others are looked into, down to
 * the rows of a leaf. So only leaves with steps that overlap, and those at the ends of the range, are unpacked.
 */
#include "config.h"

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

/* The rows of a leaf that the index does not hold, from the report. */
static void
read_leaf(struct lanes_walk *w, const struct ts_lane_node *n, const struct ts_lane_leaf *leaf)
{
	int64_t from = (int64_t)((uint64_t)n->rowid + leaf->rowid);
	struct ts_rows_query q = {.columns = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_START,
					  TS_STEP_IPU_END},
		.column_count = T_COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = from,
		.to = trace_add(from, leaf->rowids),
		.past_damage = true};
	struct trace_part p;
	struct ts_rows *rows;
	bool there;

	w->broken = !w->readable || !w->steps.head;
	if (w->broken)
		return;
	w->code = ts_reader_rows(&rows, w->rd, TS_STEP_IPU, &q, w->err);
	if (w->code)
		return;
	while (!(w->code = ts_rows_next(rows, &there, w->err)) && there) {
		int k;

		w->rows++;
		if (!trace_part_numbers(&p, rows) || p.ipu != w->of->ipu || p.end <= p.start)
			continue;
		k = ts_steps_class(&w->steps, p.step);
		ts_class_sweep_add(w->sweep, p.start, p.end,
			k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k);
	}
	ts_rows_close(rows);
}

static bool
add_leaf(struct lanes_walk *w, const struct ts_lane_leaf *leaf)
{
	int64_t length[TS_CLASS_COUNT];

	if (leaf->flags & TS_LEAF_WIDE || !(leaf->flags & TS_LANE_ORDERED))
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

static void
walk_leaves(struct lanes_walk *w, const struct ts_lane_node *n)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&w->lanes, n);
	struct ts_lane_row row[TS_LANE_LEAF];

	w->broken |= !leaf;
	for (uint32_t i = 0; going(w) && i < n->leaves; i++) {
		int rows;

		if (outside(w, leaf[i].start, ts_leaf_end(&leaf[i])) || add_leaf(w, &leaf[i]))
			continue;
		rows = ts_lane_unpack(row, &w->lanes, n, &leaf[i], INT64_MAX);
		w->broken |= rows < 0;
		if (rows == 0)
			read_leaf(w, n, &leaf[i]);
		for (int k = 0; k < rows; k++)
			ts_class_sweep_add(w->sweep, row[k].start, row[k].end, row[k].class_of);
	}
}

/* Nodes [i, to) of a level. */
static void
walk_nodes(struct lanes_walk *w, int level, uint64_t i, uint64_t to)
{
	const struct ts_lane_node *node = ts_lane_nodes(&w->lanes, w->of, level);

	for (; going(w) && i < to; i++) {
		const struct ts_lane_node *n = &node[i];

		if (outside(w, n->start, n->end) ||
			(n->flags & TS_LANE_ORDERED &&
				ts_class_sweep_add_all(w->sweep, n->start, n->end, n->length)))
			continue;
		if (level == 0)
			walk_leaves(w, n);
		else /* as deep as there are levels */
			walk_nodes(w, level - 1, i * TS_LANE_FAN,
				(uint64_t)ts_min_i64((int64_t)(i + 1) * TS_LANE_FAN,
					(int64_t)w->of->level[level - 1].nodes));
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
	/* by order: an IPU is known from the begin of a step on only */
	w->readable = w->lanes.head->flags & TS_LANES_ROWID &&
		rd->report->binding[TS_STEP_IPU].column[TS_STEP_IPU_IPU].op != TS_OP_ORDER_IN;
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
		walk_nodes(w, (int)w->of->levels - 1, 0, w->of->level[w->of->levels - 1].nodes);
	*done = !w->broken && !sweep->falls;
	return *done || w->code != TS_E_DAMAGED ? w->code : TS_OK;
}
