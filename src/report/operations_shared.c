/* SPDX-License-Identifier: MIT */
/*
 * operations_shared - programs that several operations of a layer, or several places of the tree, have: such as are outlined, and
 * called by each of them.
 *
 * Counted whenever operations are read, not kept: each program climbs from its nodes twice, first to count who has it in
 * each layer (at how many places below each node), then to tell them.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"

#include "operations_internal.h"

struct sharing {
	const struct ts_operations *o;
	uint32_t *stamp;		   /* by node: the last walk that came to it, from 1 */
	uint32_t *places;		   /* by node: of the program under way, at or below it */
	struct ts_operation_shared *of;	   /* by node, then by layer */
	struct ts_operation_shared *below; /* by node, then of all */
	uint32_t owners[TS_OPERATION_LAYERS + 1]; /* by layer, of this program */
	uint32_t walk;
};

void
ts_op_shared_add(struct ts_operation_shared *to, uint32_t others)
{
	to->least = to->programs == 0 || others < to->least ? others : to->least;
	to->others = others > to->others ? others : to->others;
	to->programs++;
}

/* One walk over the owners of a program, own[from, to): counting, then telling. */
static void
walk(struct sharing *x, uint64_t from, uint64_t to, bool tell)
{
	const struct ts_operation *node = x->o->node;

	x->walk++;
	for (uint64_t i = from; i < to; i++) {
		const struct ts_operation_own *own = &x->o->own[i];
		uint64_t layers = 0;

		for (uint32_t at = own->node; at != TS_NO_OPERATION; at = node[at].parent) {
			uint32_t layer = node[at].layer;

			if (!ts_op_counts_in(x->o, own, at, &layers) || x->stamp[at] == x->walk)
				continue;
			x->stamp[at] = x->walk;
			if (!tell) {
				x->owners[layer]++;
			} else if (x->owners[layer] > 1) {
				ts_op_shared_add(&x->of[at], x->owners[layer] - 1);
			}
		}
	}
}

static void
share(struct sharing *x, uint64_t from, uint64_t to)
{
	struct ts_operation_shared *layer = x->of + x->o->count;

	memset(x->owners, 0, sizeof(x->owners));
	walk(x, from, to, false);
	walk(x, from, to, true);
	for (uint32_t l = 0; l < x->o->layers; l++)
		if (x->owners[l] > 1)
			ts_op_shared_add(&layer[l], x->owners[l] - 1);
}

/* One walk over the places of a program: its innermost nodes. What stands below a node comes right behind it. */
static uint32_t
walk_places(struct sharing *x, uint64_t from, uint64_t to, uint32_t places)
{
	const struct ts_operation *node = x->o->node;
	const struct ts_operation_own *own = x->o->own;
	uint32_t n = 0;

	x->walk++;
	for (uint64_t i = from; i < to; i++) {
		if (i + 1 < to && own[i + 1].node < node[own[i].node].end)
			continue;
		n++;
		for (uint32_t at = own[i].node; at != TS_NO_OPERATION; at = node[at].parent) {
			bool first = x->stamp[at] != x->walk;

			x->stamp[at] = x->walk;
			if (places == 0)
				x->places[at] = first ? 1 : x->places[at] + 1;
			else if (first && x->places[at] < places)
				ts_op_shared_add(&x->below[at], places - x->places[at]);
		}
	}
	return n;
}

static void
share_places(struct sharing *x, uint64_t from, uint64_t to)
{
	uint32_t places = walk_places(x, from, to, 0);

	if (places < 2)
		return;
	walk_places(x, from, to, places);
	ts_op_shared_add(&x->below[x->o->count], places - 1);
}

enum ts_code
ts_op_share(struct ts_operations *o, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	size_t told = (2 * (size_t)o->count + o->layers + 1) * sizeof(struct ts_operation_shared);
	size_t stamps = 2 * ((size_t)o->count + 1) * sizeof(uint32_t);
	struct sharing x = {.o = o};
	struct ts_pile stamp = {0};
	enum ts_code code = ts_pile_room(&o->shared_pile, told, cache, err);

	if (!code)
		code = ts_pile_room(&stamp, stamps, cache, err);
	if (!code) {
		memset(o->shared_pile.memory, 0, told);
		memset(stamp.memory, 0, stamps);
		x.of = o->shared_pile.memory;
		x.below = x.of + o->count + o->layers;
		x.stamp = stamp.memory;
		x.places = x.stamp + o->count + 1;
	}
	for (uint64_t from = 0, to; !code && from < o->owns; from = to) {
		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (to = from + 1; to < o->owns && o->own[to].program == o->own[from].program;)
			to++;
		if (!code && to - from > 1) { /* a program of one node has one owner in a layer */
			share(&x, from, to);
			share_places(&x, from, to);
		}
	}
	ts_pile_fini(&stamp);
	o->shared = o->shared_pile.memory;
	return code;
}
