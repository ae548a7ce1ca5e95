/* SPDX-License-Identifier: MIT */
/*
 * trace_reaching - rows that began long before a time and still run at it, from the lanes of the index.
 *
 * A range of rows begins TS_TRACE_LOOK_BACK rows early. A step that takes longer (I/O beside compute) began further back, and
 * only a tree that knows the last end of what is below each node can say so without reading all rows before.
 */
#include "config.h"

#include "trace_internal.h"

#include "tilescope/report/index_lanes.h"

enum {
	NODES_MAX = 1 << 18, /* that are looked at */
	LOOK = 1 << 12,	     /* of these from one look at the token to the next */
	ROWS_MAX = 1 << 18,  /* of stretches: more are not read */
	STRETCHES_MAX = 512, /* each costs statements of its own */
	NEAR = 64,	     /* rows between two stretches that are read rather than passed over */
};

struct looking {
	struct ts_pile *out;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
	struct ts_lanes lanes;
	const struct ts_lane *of;
	int64_t time, before; /* row id */
	int64_t nodes, rows;
	bool broken;
	enum ts_code code;
	struct ts_err *err;
};

static void
look_block(struct looking *w, const struct ts_lane_node *n)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&w->lanes, n);

	w->broken |= !leaf;
	for (uint32_t i = 0; !w->code && !w->broken && i < n->leaves && leaf[i].start < w->time;
		i++) {
		int64_t from = (int64_t)((uint64_t)n->rowid + leaf[i].rowid);
		struct trace_rows s = {from,
			ts_min_i64(trace_add(from, leaf[i].rowids), w->before)};

		if (ts_leaf_end(&leaf[i]) <= w->time || s.from >= s.to)
			continue;
		w->rows = trace_add(w->rows, s.to - s.from);
		w->broken |= w->rows > ROWS_MAX;
		w->code = ts_pile_add(w->out, &s, sizeof(s), w->cache, w->err);
	}
}

static void
look(struct looking *w, int level, uint64_t from, uint64_t to)
{
	const struct ts_lane_node *n = ts_lane_nodes(&w->lanes, w->of, level);

	for (uint64_t i = from; !w->code && !w->broken && i < to && n[i].start < w->time; i++) {
		w->broken |= ++w->nodes > NODES_MAX;
		if (w->nodes % LOOK == 0 && ts_cancelled(w->cancel))
			w->code = ts_err_set(w->err, TS_E_CANCELLED, "cancelled");
		if (n[i].end <= w->time)
			continue;
		if (level == 0)
			look_block(w, &n[i]);
		else
			look(w, level - 1, i * TS_LANE_FAN,
				(uint64_t)ts_min_i64((int64_t)((i + 1) * TS_LANE_FAN),
					(int64_t)w->of->level[level - 1].nodes));
	}
}

static int
by_begin(const void *a, const void *b)
{
	const struct trace_rows *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Leaves of several IPUs stand in the same rows: each row once. */
static void
put_together(struct ts_pile *p)
{
	struct trace_rows *s = p->memory;
	size_t n = p->used / sizeof(*s), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept > 0 && s[i].from - s[kept - 1].to <= NEAR)
			s[kept - 1].to = ts_max_i64(s[kept - 1].to, s[i].to);
		else
			s[kept++] = s[i];
	p->used = kept * sizeof(*s);
}

enum ts_code
trace_reaching(struct ts_pile *out, bool *known, struct ts_reader *rd, int64_t time, int64_t before,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct looking w = {.out = out,
		.cache = cache,
		.cancel = rd->cancel,
		.time = time,
		.before = before,
		.err = err};

	*known = false;
	if (!ts_lanes_open(&w.lanes, rd->index))
		return TS_OK;
	/* by order: an IPU is known from the begin of a step on only */
	w.broken = !(w.lanes.head->flags & TS_LANES_ROWID) ||
		rd->report->binding[TS_STEP_IPU].column[TS_STEP_IPU_IPU].op == TS_OP_ORDER_IN;
	for (uint64_t i = 0; !w.broken && !w.code && i < w.lanes.head->lanes; i++) {
		w.of = &w.lanes.lane[i];
		if (w.of->levels > 0)
			look(&w, (int)w.of->levels - 1, 0, w.of->level[w.of->levels - 1].nodes);
	}
	if (!w.code && !w.broken)
		w.code = ts_pile_sort(out, out->used / sizeof(struct trace_rows),
			sizeof(struct trace_rows), by_begin, cache, rd->cancel, err);
	if (!w.code && !w.broken)
		put_together(out);
	w.broken |= out->used > STRETCHES_MAX * sizeof(struct trace_rows);
	if (w.code || w.broken)
		out->used = 0;
	*known = !w.code && !w.broken;
	ts_lanes_close(&w.lanes);
	return w.code;
}
