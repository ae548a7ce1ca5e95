/* SPDX-License-Identifier: MIT */
/* index_lanes_read - look at the section of the lanes; every place in it is checked before it is used. */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/execution.h"
#include "tilescope/report/index_lanes.h"

static bool
lane_sound(const struct ts_lanes *l, const struct ts_lane *k)
{
	if (k->levels > TS_LANE_LEVELS || k->rows < 0)
		return false;
	for (uint64_t i = 0; i < k->levels; i++) {
		uint64_t below = i > 0 ? k->level[i - 1].nodes : 0;

		if (k->level[i].nodes == 0 || k->level[i].nodes > INT32_MAX ||
			(i > 0 && k->level[i].nodes != (below + TS_LANE_FAN - 1) / TS_LANE_FAN) ||
			!ts_section_at(l->payload, l->size, k->level[i].at, k->level[i].nodes,
				sizeof(struct ts_lane_node)))
			return false;
	}
	return true;
}

static bool
sound(const struct ts_lanes *l)
{
	const struct ts_lanes_head *h = l->head;

	if (!l->lane || h->lanes > TS_IPUS_MAX || h->ipus > TS_IPUS_MAX || h->step_ipus < 0 ||
		h->step_ipus > TS_IPUS_MAX || h->rows < 0)
		return false;
	for (uint64_t i = 0; i < h->lanes; i++)
		if (l->lane[i].ipu < 0 || (i > 0 && l->lane[i].ipu <= l->lane[i - 1].ipu) ||
			!lane_sound(l, &l->lane[i]))
			return false;
	return h->lanes == 0 || (h->from >= 0 && h->from <= h->to && h->to <= TS_NUMBER_MAX);
}

bool
ts_lanes_open(struct ts_lanes *l, struct ts_index *x)
{
	*l = (struct ts_lanes){0};
	l->payload = ts_index_section(x, TS_SECTION_LANES, &l->size);
	if (!l->payload)
		return false;
	l->head = ts_section_at(l->payload, l->size, 0, 1, sizeof(*l->head));
	if (l->head)
		l->lane = ts_section_at(l->payload, l->size, l->head->lanes_at, l->head->lanes,
			sizeof(*l->lane));
	if (!l->head || !sound(l)) {
		*l = (struct ts_lanes){0};
		return false;
	}
	l->index = ts_index_hold(x);
	return true;
}

void
ts_lanes_close(struct ts_lanes *l)
{
	ts_index_release(l->index);
	*l = (struct ts_lanes){0};
}

const struct ts_lane *
ts_lanes_find(const struct ts_lanes *l, int64_t ipu)
{
	uint64_t low = 0, high = l->head->lanes;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (l->lane[middle].ipu < ipu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->head->lanes && l->lane[low].ipu == ipu ? &l->lane[low] : NULL;
}

const struct ts_lane_node *
ts_lane_nodes(const struct ts_lanes *l, const struct ts_lane *lane, int level)
{
	return (const struct ts_lane_node *)((const char *)l->payload + lane->level[level].at);
}

bool
ts_lanes_overlap(const struct ts_lanes *l, const struct ts_lane *lane)
{
	int top = (int)lane->levels - 1;
	const struct ts_lane_node *n = top < 0 ? NULL : ts_lane_nodes(l, lane, top);

	for (uint64_t i = 0; n && i < lane->level[top].nodes; i++)
		if (!(n[i].flags & TS_LANE_ORDERED) || (i > 0 && n[i].start < n[i - 1].end))
			return true;
	return false;
}

const struct ts_lane_leaf *
ts_lane_leaves(const struct ts_lanes *l, const struct ts_lane_node *n)
{
	uint64_t bytes = n->leaves * sizeof(struct ts_lane_leaf) + n->bytes;

	if (n->leaves > TS_LANE_FAN || !ts_section_at(l->payload, l->size, n->at, bytes, 1))
		return NULL;
	return (const struct ts_lane_leaf *)((const char *)l->payload + n->at);
}

const struct ts_class_set *
ts_lane_sets(const struct ts_lanes *l, const struct ts_lane_node *n)
{
	return n->sets > 0 && n->sets <= TS_LANE_SETS
		? ts_section_at(l->payload, l->size, n->sets_at, n->sets,
			  sizeof(struct ts_class_set))
		: NULL;
}

bool
ts_lanes_execution(struct ts_execution *x, struct ts_index *index, enum ts_code *code,
	struct ts_err *err)
{
	const struct ts_ipu_cycles *ipu;
	struct ts_lanes l;

	if (!ts_lanes_open(&l, index))
		return false;
	ipu = ts_section_at(l.payload, l.size, l.head->ipus_at, l.head->ipus, sizeof(*ipu));
	if (!ipu) {
		ts_lanes_close(&l);
		return false;
	}
	*x = (struct ts_execution){.count = (int)l.head->ipus,
		.step_ipus = (int)l.head->step_ipus,
		.rows = l.head->rows,
		.bad_rows = l.head->bad_rows,
		.orphans = l.head->orphans,
		.reversed = l.head->reversed};
	x->ipu = ts_alloc(l.head->ipus, sizeof(*x->ipu));
	*code = x->ipu ? TS_OK : ts_err_nomem(err);
	if (!x->ipu)
		*x = (struct ts_execution){0};
	else if (l.head->ipus > 0)
		memcpy(x->ipu, ipu, l.head->ipus * sizeof(*x->ipu));
	ts_lanes_close(&l);
	return true;
}
