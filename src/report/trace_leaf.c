/* SPDX-License-Identifier: MIT */
/*
 * trace_leaf - the rows of a leaf of the lanes: from the index, or from the report where the index had no room for them.
 *
 * An IPU that is known by the order of its rows is known from the begin of a step on only: a few rows before are read.
 */
#include "config.h"

#include <string.h>

#include "trace_internal.h"

bool
trace_leaves_open(struct trace_leaves *l, struct ts_reader *rd)
{
	*l = (struct trace_leaves){.rd = rd};
	if (!ts_lanes_open(&l->lanes, rd->index))
		return false;
	l->readable = l->lanes.head->flags & TS_LANES_ROWID && ts_steps_open(&l->steps, rd->index);
	l->by_order = rd->report->binding[TS_STEP_IPU].column[TS_STEP_IPU_IPU].op == TS_OP_ORDER_IN;
	return true;
}

void
trace_leaves_close(struct trace_leaves *l)
{
	if (l->steps.head)
		ts_steps_close(&l->steps);
	ts_lanes_close(&l->lanes);
}

/* Row ids before a leaf from which on its rows are read. */
static int64_t
back_of(const struct trace_leaves *l, int64_t from)
{
	const struct ts_binding *b = &l->rd->report->binding[TS_STEP_IPU];
	uint64_t most = (uint64_t)from - (uint64_t)b->reach.first_rowid;
	uint64_t back = 4 * ((uint64_t)l->lanes.head->step_ipus + 1);

	if (!l->by_order || from < b->reach.first_rowid)
		return 0;
	return (int64_t)(back < most ? back : most);
}

enum ts_code
trace_leaf_parts(struct trace_part part[TS_LANE_LEAF], int *n, struct trace_leaves *l, int64_t ipu,
	int64_t from, int64_t rowids, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = T_COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = from - back_of(l, from),
		.to = trace_add(from, rowids),
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	int64_t rowid;
	bool there;

	*n = 0;
	memcpy(q.columns, trace_part_columns, sizeof(trace_part_columns));
	code = ts_reader_rows(&rows, l->rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (*n < TS_LANE_LEAF && !(code = ts_rows_next(rows, &there, err)) && there) {
		struct trace_part *p = &part[*n];

		if (!ts_rows_rowid(rows, &rowid) || rowid < from || !trace_part_numbers(p, rows) ||
			p->ipu != ipu || p->end <= p->start)
			continue;
		++*n;
	}
	ts_rows_close(rows);
	return code;
}

int
trace_leaf_rows(struct ts_lane_row row[TS_LANE_LEAF], struct trace_leaves *l, int64_t ipu,
	const struct ts_lane_node *node, const struct ts_lane_leaf *leaf)
{
	struct trace_part part[TS_LANE_LEAF];
	int n = ts_lane_unpack(row, &l->lanes, node, leaf, INT64_MAX);

	if (n != 0)
		return n;
	if (!l->readable ||
		trace_leaf_parts(part, &n, l, ipu, (int64_t)((uint64_t)node->rowid + leaf->rowid),
			leaf->rowids, NULL))
		return -1;
	for (int i = 0; i < n; i++) {
		int k = ts_steps_class(&l->steps, part[i].step);

		row[i] = (struct ts_lane_row){part[i].start, part[i].end,
			k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k};
	}
	return n == leaf->rows ? n : -1;
}
