/* SPDX-License-Identifier: MIT */
/*
 * trace_jump - places of a lane to go to; see the header.
 *
 * In the index a node knows when its first row starts and its last one ends, how long each class is in it, and its
 * longest row: what cannot be in it is passed over, so a jump looks at a few nodes of each level. Where rows of a
 * leaf are not in the index (a report of very many steps) they are read.
 *
 * A gap lies between the last end of all rows before a place and the first start of all behind it. Where the starts of an IPU
 * do not rise along its rows that is still so, but gaps between rows that stand in one another's midst are passed over.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/slices.h"
#include "tilescope/report/trace_jump.h"

enum { FIRST_PIECE = 1 << 14, PIECE_TIMES = 8 }; /* cycles that are read first; how they grow */

struct hunt {
	struct ts_trace_jump *j;
	struct trace_leaves l;
	const struct ts_lane *of;
	bool broken; /* the index cannot say */
};

/* --- what is looked for ------------------------------------------------------------------------- */

/* A gap [from, to): true when it is the one. */
static bool
is_gap(struct ts_trace_jump *j, int64_t from, int64_t to)
{
	if (from == INT64_MIN || to <= from || to - from < j->least ||
		(j->back ? from >= j->at : from <= j->at))
		return false;
	j->found = true;
	j->start = from;
	j->end = to;
	return true;
}

/* A step: it becomes the answer when it is nearer than the one before. */
static void
offer(struct ts_trace_jump *j, const struct ts_lane_row *r)
{
	if (r->end <= r->start || (j->goal == TS_GOAL_CLASS && r->class_of != j->class_of) ||
		(j->back ? r->start >= j->at : r->start <= j->at) ||
		(j->found && (j->back ? r->start <= j->start : r->start >= j->start)))
		return;
	j->found = true;
	j->start = r->start;
	j->end = r->end;
}

/* May a node with these figures hold a step that is nearer? */
static bool
may_hold(const struct ts_trace_jump *j, int64_t start, int64_t end, int64_t of_class)
{
	if (j->goal == TS_GOAL_CLASS && of_class == 0)
		return false;
	if (j->back)
		return start < j->at && (!j->found || end > j->start);
	return end > j->at && (!j->found || start < j->start);
}

/* May it hold a gap inside? `idle`: cycles in which nothing runs, at most; -1 = not known. */
static bool
may_gap(const struct ts_trace_jump *j, int64_t start, int64_t end, int64_t idle)
{
	if (idle >= 0 && idle < j->least)
		return false;
	return j->back ? start < j->at : end > j->at;
}

/* --- in the index --------------------------------------------------------------------------------- */

/*
 * Cycles in which nothing runs, at most. Where rows overlap their lengths cannot be subtracted, but the longest row can: what is
 * shorter than a gap is passed over there, too. -1: not known.
 */
static int64_t
idle_of(bool ordered, int64_t start, int64_t end, const int64_t length[TS_CLASS_COUNT],
	int64_t longest)
{
	int64_t idle = end - start;

	for (int k = 0; k < TS_CLASS_COUNT && ordered; k++)
		idle -= length[k];
	idle -= ordered ? 0 : longest;
	return idle >= 0 ? idle : -1;
}

/* Of a node. Of a block whose rows overlap it is known how long which classes run, and how long none does. */
static int64_t
idle_in(const struct hunt *h, const struct ts_lane_node *n, int level)
{
	bool ordered = n->flags & TS_LANE_ORDERED;
	const struct ts_class_set *set = level == 0 && !ordered ? ts_lane_sets(&h->l.lanes, n)
								: NULL;
	int64_t idle = n->end - n->start;

	if (!set)
		return idle_of(ordered, n->start, n->end, n->length, n->longest);
	for (uint64_t i = 0; i < n->sets; i++)
		idle -= set[i].set ? set[i].cycles : 0;
	return idle >= 0 ? idle : -1;
}

/* Where a gap may lie: behind all that stands before some rows, before all that stands behind them. */
struct around {
	int64_t reach; /* the last end before, INT64_MIN: none */
	int64_t ahead; /* the first start behind, INT64_MAX: none */
};

static void
hunt_rows(struct hunt *h, const struct ts_lane_row *row, int n, struct around a)
{
	int64_t before[TS_LANE_LEAF], behind[TS_LANE_LEAF];

	if (h->j->goal != TS_GOAL_GAP) {
		for (int i = 0; i < n; i++)
			offer(h->j, &row[i]);
		return;
	}
	for (int i = 0; i < n; i++) {
		before[i] = a.reach;
		a.reach = ts_max_i64(a.reach, row[i].end);
	}
	for (int i = n - 1; i >= 0; i--)
		behind[i] = a.ahead = ts_min_i64(a.ahead, row[i].start);
	for (int i = 0; i < n && !h->j->found; i++) {
		int at = h->j->back ? n - 1 - i : i;

		is_gap(h->j, before[at], behind[at]);
	}
}

static void
hunt_leaf(struct hunt *h, const struct ts_lane_node *n, const struct ts_lane_leaf *leaf,
	struct around a)
{
	struct ts_lane_row row[TS_LANE_LEAF];
	int64_t length[TS_CLASS_COUNT];
	bool wide = leaf->flags & TS_LEAF_WIDE, worth;
	int64_t end = ts_leaf_end(leaf);
	int rows;

	for (int k = 0; k < TS_CLASS_COUNT; k++)
		length[k] = wide ? (k == (int)leaf->length[2]) : leaf->length[k];
	worth = h->j->goal == TS_GOAL_GAP
		? may_gap(h->j, leaf->start, end,
			  wide ? 0
			       : idle_of(leaf->flags & TS_LANE_ORDERED, leaf->start, end, length,
					 0))
		: may_hold(h->j, leaf->start, end, length[h->j->class_of]);
	rows = worth ? trace_leaf_rows(row, &h->l, h->of->ipu, n, leaf) : 0;
	h->broken |= worth && rows <= 0;
	/* what is before its first row is the caller's */
	a.reach = ts_max_i64(a.reach, leaf->start);
	hunt_rows(h, row, rows > 0 ? rows : 0, a);
}

static void
hunt_leaves(struct hunt *h, const struct ts_lane_node *n, struct around a)
{
	const struct ts_lane_leaf *leaf = ts_lane_leaves(&h->l.lanes, n);
	struct ts_trace_jump *j = h->j;

	h->broken |= !leaf;
	for (uint32_t k = 0; leaf && k < n->leaves && !h->broken; k++) {
		uint32_t i = j->back ? n->leaves - 1 - k : k;
		struct around here = a;
		int64_t start;

		if (j->goal != TS_GOAL_GAP) {
			hunt_leaf(h, n, &leaf[i], here);
			continue;
		}
		for (uint32_t b = 0; b < i; b++)
			here.reach = ts_max_i64(here.reach, ts_leaf_end(&leaf[b]));
		for (uint32_t b = i + 1; b < n->leaves; b++)
			here.ahead = ts_min_i64(here.ahead, leaf[b].start);
		start = ts_min_i64(here.ahead, leaf[i].start);
		if (!j->back && is_gap(j, here.reach, start))
			return;
		hunt_leaf(h, n, &leaf[i], here);
		if (j->found || (j->back && is_gap(j, here.reach, start)))
			return;
	}
}

static void hunt_nodes(struct hunt *h, int level, uint64_t from, uint64_t to, struct around a);

static void
hunt_node(struct hunt *h, int level, uint64_t i, struct around a)
{
	const struct ts_lane_node *n = &ts_lane_nodes(&h->l.lanes, h->of, level)[i];
	struct ts_trace_jump *j = h->j;
	bool worth = j->goal == TS_GOAL_GAP ? may_gap(j, n->start, n->end, idle_in(h, n, level))
					    : may_hold(j, n->start, n->end, n->length[j->class_of]);

	if (!worth)
		return;
	if (level == 0)
		hunt_leaves(h, n, a);
	else /* as deep as there are levels */
		hunt_nodes(h, level - 1, i * TS_LANE_FAN,
			(uint64_t)ts_min_i64((int64_t)(i + 1) * TS_LANE_FAN,
				(int64_t)h->of->level[level - 1].nodes),
			a);
}

/* Nodes [from, to) of a level, in the direction of the jump. */
static void
hunt_nodes(struct hunt *h, int level, uint64_t from, uint64_t to, struct around a)
{
	const struct ts_lane_node *n = ts_lane_nodes(&h->l.lanes, h->of, level);
	struct ts_trace_jump *j = h->j;

	for (uint64_t k = 0; k < to - from && !h->broken; k++) {
		uint64_t i = j->back ? to - 1 - k : from + k;
		struct around here = a, inside;
		int64_t start;

		if (j->goal != TS_GOAL_GAP) {
			hunt_node(h, level, i, here);
			continue;
		}
		for (uint64_t b = from; b < i; b++)
			here.reach = ts_max_i64(here.reach, n[b].end);
		for (uint64_t b = i + 1; b < to; b++)
			here.ahead = ts_min_i64(here.ahead, n[b].start);
		start = ts_min_i64(here.ahead, n[i].start);
		if (!j->back && is_gap(j, here.reach, start))
			return;
		inside = (struct around){ts_max_i64(here.reach, n[i].start), here.ahead};
		hunt_node(h, level, i, inside);
		if (j->found || (j->back && is_gap(j, here.reach, start)))
			return;
	}
}

/* False: the index cannot say. */
static bool
jump_indexed(struct ts_trace_jump *j, struct ts_reader *rd)
{
	struct hunt h = {.j = j};

	if (!trace_leaves_open(&h.l, rd))
		return false;
	h.of = ts_lanes_find(&h.l.lanes, j->ipu);
	if (h.of && h.of->levels > 0)
		hunt_nodes(&h, (int)h.of->levels - 1, 0, h.of->level[h.of->levels - 1].nodes,
			(struct around){INT64_MIN, INT64_MAX});
	if (h.broken)
		j->found = false;
	trace_leaves_close(&h.l);
	return !h.broken;
}

/* --- from the rows -------------------------------------------------------------------------------- */

/*
 * What a piece [from, to) of cycles says. A gap is known when a row behind it is seen, or (`last`) never ends; rows of
 * other pieces may reach into this one, so `from` lies a little before what is new of it.
 */
static enum ts_code
jump_piece(struct ts_trace_jump *j, struct ts_reader *rd, const struct ts_trace *t, int64_t from,
	int64_t to, const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_slices *slices;
	const struct ts_slice *s;
	int64_t reach = INT64_MIN;
	enum ts_code code = ts_slices_open_range(&slices, rd, t, from, to, cache, progress, err);

	if (code)
		return code;
	while (!(code = ts_slices_next(&s, slices, err)) && s) {
		struct ts_lane_row row = {s->start, s->end, s->class_of};

		if (s->ipu != j->ipu || s->end <= s->start)
			continue;
		if (j->goal != TS_GOAL_GAP)
			offer(j, &row);
		else if (!j->found || j->back)
			is_gap(j, reach, s->start);
		reach = ts_max_i64(reach, s->end);
		if (!j->back && j->found)
			break; /* rows of an IPU rise */
	}
	ts_slices_close(slices);
	return code;
}

/* Pieces from the place on, each larger than the one before; one has all that is left in the end. */
static enum ts_code
jump_rows(struct ts_trace_jump *j, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	int64_t length = ts_max_i64(FIRST_PIECE, j->least);
	bool end = false;
	enum ts_code code = TS_OK;

	while (!code && !j->found && !end) {
		int64_t from = ts_max_i64(j->back ? trace_add(j->at, -length) : j->at, t->from);
		int64_t to = ts_min_i64(j->back ? j->at : trace_add(j->at, length), t->to);

		end = j->back ? from == t->from : to == t->to;
		if (t->forwards) {
			from = t->from;
			to = t->to;
			end = true;
		}
		code = jump_piece(j, rd, t, from, trace_add(to, 1), cache, progress, err);
		length = length > INT64_MAX / PIECE_TIMES ? INT64_MAX : length * PIECE_TIMES;
	}
	return code;
}

enum ts_code
ts_trace_jump_read(struct ts_trace_jump *j, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	j->found = false;
	j->least = ts_max_i64(j->least, 1);
	if (!t->has_parts || jump_indexed(j, rd))
		return TS_OK;
	return jump_rows(j, rd, t, cache, progress, err);
}

/* --- where a step is looked at ------------------------------------------------------------------ */

enum ts_code
ts_trace_step_ipu(int64_t *ipu, struct ts_reader *rd, const struct ts_trace *t, int64_t step,
	int64_t wanted, struct ts_err *err)
{
	struct ts_trace_part *part;
	int64_t most = TS_UNKNOWN, best = TS_UNKNOWN, there = TS_UNKNOWN;
	int n;
	enum ts_code code = ts_trace_step_read(&part, &n, rd, t, step, err);

	for (int i = 0; i < n; i++) {
		if (part[i].ipu == wanted)
			there = part[i].of.cycles;
		if (part[i].of.cycles > most) {
			most = part[i].of.cycles;
			best = part[i].ipu;
		}
	}
	*ipu = there > 0 || (there == 0 && most == 0) ? wanted : best;
	free(part);
	return code;
}
