/* SPDX-License-Identifier: MIT */
/*
 * trace_lanes - what the lanes do in each column, from the index: exact at any zoom.
 *
 * The tree of each lane is walked once for all columns. A node that lies in one column is added as it
 * stands, one outside of the range is passed over, one that the edge of a column cuts is looked into;
 * in the end the rows of some leaves are. Those that the index does not hold are read from the
 * report, the leaves of all lanes in the order of their rows and each row once, since rows of one
 * time lie together whatever their IPU.
 *
 * All work is bounded: where steps overlap so much that half of the tree would have to be looked into (or
 * the index does not hold together) nothing is drawn, and the chart is one of samples, as without
 * an index.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_lanes.h"

enum {
	NODES_MAX = 1 << 21,  /* nodes and leaves that are looked at */
	ROWS_MAX = 1 << 21,   /* rows of leaves */
	READ_MAX = 160 * 1000 /* rows that are read from the report */
};

/* A leaf whose rows have to be read from the report. */
struct wanted {
	int64_t from, to; /* row ids */
	int lane;
	int32_t next; /* of the lane, behind it; -1 = none */
};

struct walk {
	struct ts_trace_chart *c;
	struct trace_sums sums;
	struct ts_lanes lanes;
	const struct ts_lane *of;
	int lane;
	int64_t nodes, rows; /* looked at */
	struct wanted *wanted;
	size_t n, cap;
	bool readable; /* rows can be read by row id */
	bool unread;   /* a leaf's rows are not in the index */
	bool broken, nomem;
};

static bool
going(struct walk *w, int64_t nodes, int64_t rows)
{
	w->nodes += nodes;
	w->rows += rows;
	w->broken |= w->nodes > NODES_MAX || w->rows > ROWS_MAX;
	return !w->broken && !w->nomem;
}

static void
want(struct walk *w, const struct ts_lane_node *n, const struct ts_lane_leaf *leaf)
{
	int64_t from = (int64_t)((uint64_t)n->rowid + leaf->rowid);
	void *p = w->wanted;

	if (!w->readable || w->cap > READ_MAX) {
		w->broken = true;
		return;
	}
	if (!ts_room(&p, &w->cap, w->n, sizeof(*w->wanted))) {
		w->nomem = true;
		return;
	}
	w->wanted = p;
	w->wanted[w->n++] = (struct wanted){from, trace_add(from, leaf->rowids), w->lane, -1};
}

/* Is the leaf within a column? Then it is added. */
static bool
add_whole(struct walk *w, const struct ts_lane_leaf *leaf)
{
	int64_t length[TS_CLASS_COUNT];

	if (leaf->flags & TS_LEAF_WIDE)
		return false;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		length[k] = leaf->length[k];
	return trace_sums_node(&w->sums, w->lane, leaf->start, ts_leaf_end(leaf), length);
}

/* --- ordered nodes that lie in two columns ------------------------------------------------------ */

/* What stands before an edge, and whether a row starts behind it. */
struct half {
	int64_t edge;
	int64_t length[TS_CLASS_COUNT];
	bool more;
};

static void
half_leaf(struct walk *w, struct half *h, const struct ts_lane_node *n,
	const struct ts_lane_leaf *leaf)
{
	struct ts_lane_row row[TS_LANE_LEAF];
	int rows = ts_lane_unpack(row, &w->lanes, n, leaf, h->edge);

	w->broken |= rows < 0;
	if (rows == 0)
		w->unread = true;
	for (int i = 0; i < rows; i++)
		trace_add_to(&h->length[row[i].class_of],
			ts_min_i64(row[i].end, h->edge) - row[i].start);
	h->more = rows < leaf->rows;
	w->rows += rows;
}

static void
half_block(struct walk *w, struct half *h, const struct ts_lane_node *n)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&w->lanes, n);
	uint32_t i = 0;

	w->broken |= !leaf;
	for (; leaf && i < n->leaves && ts_leaf_end(&leaf[i]) <= h->edge; i++) {
		if (leaf[i].flags & TS_LEAF_WIDE) {
			half_leaf(w, h, n, &leaf[i]);
			continue;
		}
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			h->length[k] += leaf[i].length[k];
	}
	w->nodes += i;
	h->more = leaf && i < n->leaves;
	if (h->more && leaf[i].start < h->edge) {
		half_leaf(w, h, n, &leaf[i]);
		h->more |= i + 1 < n->leaves;
	}
}

static void
half_node(struct walk *w, struct half *h, int level, uint64_t at)
{
	const struct ts_lane_node *n = &ts_lane_nodes(&w->lanes, w->of, level)[at];
	uint64_t i = at * TS_LANE_FAN, to;

	if (level == 0) {
		half_block(w, h, n);
		return;
	}
	n = ts_lane_nodes(&w->lanes, w->of, level - 1);
	to = (uint64_t)ts_min_i64((int64_t)i + TS_LANE_FAN, (int64_t)w->of->level[level - 1].nodes);
	for (; i < to && n[i].end <= h->edge; i++)
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			trace_add_to(&h->length[k], n[i].length[k]);
	h->more = i < to;
	if (h->more && n[i].start < h->edge) { /* as deep as there are levels */
		half_node(w, h, level - 1, i);
		h->more |= i + 1 < to;
	}
}

/*
 * A node whose rows follow on each other and lie in two columns: what is before the edge is added up,
 * the rest is behind it. False: it is not like that.
 */
static bool
add_halves(struct walk *w, int level, uint64_t at)
{
	const struct ts_lane_node *n = &ts_lane_nodes(&w->lanes, w->of, level)[at];
	struct half h = {.edge = trace_sums_cut(&w->sums, n->start, n->end)};

	if (!(n->flags & TS_LANE_ORDERED) || h.edge == 0)
		return false;
	w->unread = false;
	half_node(w, &h, level, at);
	if (w->unread || w->broken)
		return false;
	trace_sums_halves(&w->sums, w->lane, n->start, n->length, h.length, h.more);
	return true;
}

/* The same for a leaf. */
static bool
add_leaf_halves(struct walk *w, const struct ts_lane_node *n, const struct ts_lane_leaf *leaf)
{
	struct half h = {0};
	int64_t length[TS_CLASS_COUNT];

	if ((leaf->flags & (TS_LANE_ORDERED | TS_LEAF_PACKED | TS_LEAF_WIDE)) !=
		(TS_LANE_ORDERED | TS_LEAF_PACKED))
		return false;
	h.edge = trace_sums_cut(&w->sums, leaf->start, ts_leaf_end(leaf));
	if (h.edge == 0)
		return false;
	half_leaf(w, &h, n, leaf);
	if (w->broken)
		return false;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		length[k] = leaf->length[k];
	trace_sums_halves(&w->sums, w->lane, leaf->start, length, h.length, h.more);
	return true;
}

static void
walk_leaves(struct walk *w, const struct ts_lane_node *n)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&w->lanes, n);
	struct ts_lane_row row[TS_LANE_LEAF];

	if (!leaf) {
		w->broken = true;
		return;
	}
	for (uint32_t i = 0; i < n->leaves && going(w, 1, 0); i++) {
		int rows;

		if (leaf[i].start >= w->c->to || ts_leaf_end(&leaf[i]) <= w->c->from ||
			add_whole(w, &leaf[i]) || add_leaf_halves(w, n, &leaf[i]))
			continue;
		rows = ts_lane_unpack(row, &w->lanes, n, &leaf[i], INT64_MAX);
		w->broken |= rows < 0;
		if (rows == 0)
			want(w, n, &leaf[i]);
		if (rows > 0 && going(w, 0, rows))
			trace_sums_rows(&w->sums, w->lane, row, rows);
	}
}

/* Nodes [i, to) of a level. */
static void
walk_nodes(struct walk *w, int level, uint64_t i, uint64_t to)
{
	const struct ts_lane_node *node = ts_lane_nodes(&w->lanes, w->of, level);

	for (; i < to && going(w, 1, 0); i++) {
		const struct ts_lane_node *n = &node[i];

		if (n->start >= w->c->to || n->end <= w->c->from ||
			trace_sums_node(&w->sums, w->lane, n->start, n->end, n->length) ||
			add_halves(w, level, i))
			continue;
		if (level == 0)
			walk_leaves(w, n);
		else /* as deep as there are levels */
			walk_nodes(w, level - 1, i * TS_LANE_FAN,
				ts_min_i64((int64_t)(i + 1) * TS_LANE_FAN,
					(int64_t)w->of->level[level - 1].nodes));
	}
}

static void
walk_lanes(struct walk *w)
{
	for (w->lane = 0; w->lane < w->c->lanes; w->lane++) {
		w->of = ts_lanes_find(&w->lanes, w->c->ipu[w->lane]);
		if (w->of && w->of->levels > 0)
			w->c->overlap[w->lane] = ts_lanes_overlap(&w->lanes, w->of);
		if (w->of && w->of->levels > 0)
			walk_nodes(w, (int)w->of->levels - 1, 0,
				w->of->level[w->of->levels - 1].nodes);
	}
}

/* --- leaves that are read from the report ----------------------------------------------------- */

static int
by_rowid(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* The wanted leaves [i, i + *n) follow on each other; the row id behind them. */
static int64_t
piece(const struct walk *w, size_t i, size_t *n)
{
	int64_t to = w->wanted[i].to;

	for (*n = 1; i + *n < w->n && w->wanted[i + *n].from <= to; ++*n)
		to = ts_max_i64(to, w->wanted[i + *n].to);
	return to;
}

struct reading {
	struct walk *w;
	struct ts_reader *rd;
	struct ts_steps steps;
	int32_t at[TS_TRACE_LANES]; /* of each lane the leaf that its next row may be in */
};

/* Add a row to its lane if it stands in a wanted leaf of that lane. */
static void
add_read(struct reading *r, int64_t rowid, const struct trace_part *p)
{
	struct walk *w = r->w;
	int lane = trace_lane_of(w->c, p->ipu), k;

	if (lane < 0)
		return;
	while (r->at[lane] >= 0 && w->wanted[r->at[lane]].to <= rowid)
		r->at[lane] = w->wanted[r->at[lane]].next;
	if (r->at[lane] < 0 || w->wanted[r->at[lane]].from > rowid)
		return;
	k = ts_steps_class(&r->steps, p->step);
	trace_sums_row(&w->sums, lane, p->start, p->end,
		k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k);
}

/* Rows by column: a leaf here and one there, thousands of rows for a screen. */
static void
add_block(struct reading *r, const struct ts_rows_block *b)
{
	const struct ts_trace_chart *c = r->w->c;

	for (int i = 0; i < b->rows; i++) {
		struct trace_part p = {.step = b->v[T_STEP][i],
			.ipu = b->v[T_IPU][i],
			.start = b->v[T_START][i],
			.end = b->v[T_END][i]};

		if (p.end > p.start && p.end > c->from && p.start < c->to)
			add_read(r, b->rowid[i], &p);
	}
}

static bool
all_numbers(const struct ts_rows_block *b)
{
	for (int i = 0; i < T_COLUMNS; i++)
		if (b->is[i] != TS_VALUE_OK)
			return false;
	return b->rowid;
}

static enum ts_code
read_piece(struct reading *r, int64_t from, int64_t to, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = T_COLUMNS,
		.range = TS_RANGE_ROWID,
		.from = from,
		.to = to,
		.past_damage = true};
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;

	memcpy(q.columns, trace_part_columns, sizeof(trace_part_columns));
	code = ts_reader_rows(&rows, r->rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		r->w->c->rows += b.rows;
		if (all_numbers(&b))
			add_block(r, &b);
	}
	ts_rows_close(rows);
	return code;
}

/* Begin with the first leaf of each lane. */
static void
chain(struct reading *r)
{
	struct walk *w = r->w;
	int32_t last[TS_TRACE_LANES];

	for (int l = 0; l < w->c->lanes; l++)
		r->at[l] = last[l] = -1;
	for (size_t i = 0; i < w->n; i++) {
		int lane = w->wanted[i].lane;

		if (last[lane] < 0)
			r->at[lane] = (int32_t)i;
		else
			w->wanted[last[lane]].next = (int32_t)i;
		last[lane] = (int32_t)i;
	}
}

static enum ts_code
read_wanted(struct walk *w, struct ts_reader *rd, struct ts_err *err)
{
	struct reading r = {.w = w, .rd = rd};
	uint64_t rows = 0;
	size_t n;
	enum ts_code code = TS_OK;

	if (w->n == 0)
		return TS_OK;
	qsort(w->wanted, w->n, sizeof(*w->wanted), by_rowid);
	for (size_t i = 0; i < w->n && rows <= READ_MAX; i += n)
		rows += (uint64_t)piece(w, i, &n) - (uint64_t)w->wanted[i].from;
	w->broken |= rows > READ_MAX || !ts_steps_open(&r.steps, w->lanes.index);
	if (w->broken)
		return TS_OK;
	chain(&r);
	for (size_t i = 0; i < w->n && !code; i += n) {
		int64_t to = piece(w, i, &n);

		code = read_piece(&r, w->wanted[i].from, to, err);
	}
	ts_steps_close(&r.steps);
	return code;
}

enum ts_code
trace_draw_indexed(bool *done, struct ts_trace_chart *c, struct ts_reader *rd, struct ts_err *err)
{
	struct walk w = {.c = c};
	enum ts_code code;

	*done = false;
	if (!ts_lanes_open(&w.lanes, rd->index))
		return TS_OK;
	/* by order: an IPU is known from the begin of a step on only */
	w.readable = w.lanes.head->flags & TS_LANES_ROWID &&
		rd->report->binding[TS_STEP_IPU].column[TS_STEP_IPU_IPU].op != TS_OP_ORDER_IN;
	code = trace_sums_init(&w.sums, c, err);
	if (!code) {
		walk_lanes(&w);
		if (w.nomem)
			code = ts_err_nomem(err);
		else if (!w.broken)
			code = read_wanted(&w, rd, err);
	}
	*done = !code && !w.broken;
	if (*done) {
		trace_sums_put(c, &w.sums);
		c->rows += w.rows + w.nodes;
	} else {
		c->rows = 0;
	}
	trace_sums_fini(&w.sums);
	ts_lanes_close(&w.lanes);
	free(w.wanted);
	return code;
}
