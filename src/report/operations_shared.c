/* SPDX-License-Identifier: MIT */
/*
 * operations_shared - programs that several operations of a layer have: such as are outlined, and called by each of them.
 *
 * Counted whenever operations are read, not kept: each program climbs from its nodes twice, first to count who has it in
 * each layer, then to tell them.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"

#include "operations_internal.h"

enum { LOOK = 4096 };

struct sharing {
	const struct ts_operations *o;
	uint32_t *stamp;		/* by node: the last walk that came to it, from 1 */
	struct ts_operation_shared *of; /* by node, then by layer */
	uint32_t owners[TS_OPERATION_LAYERS + 1]; /* by layer, of this program */
	uint32_t walk;
};

/* A program that `others` have, too. */
static void
add(struct ts_operation_shared *to, uint32_t others)
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
				add(&x->of[at], x->owners[layer] - 1);
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
			add(&layer[l], x->owners[l] - 1);
}

enum ts_code
ts_op_share(struct ts_operations *o, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	size_t told = ((size_t)o->count + o->layers) * sizeof(struct ts_operation_shared);
	size_t stamps = ((size_t)o->count + 1) * sizeof(uint32_t);
	struct sharing x = {.o = o};
	struct ts_pile stamp = {0};
	enum ts_code code = ts_pile_room(&o->shared_pile, told, cache, err);

	if (!code)
		code = ts_pile_room(&stamp, stamps, cache, err);
	if (!code) {
		memset(o->shared_pile.memory, 0, told);
		memset(stamp.memory, 0, stamps);
		x.of = o->shared_pile.memory;
		x.stamp = stamp.memory;
	}
	for (uint64_t from = 0, to; !code && from < o->owns; from = to) {
		if (from % LOOK == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (to = from + 1; to < o->owns && o->own[to].program == o->own[from].program;)
			to++;
		if (!code && to - from > 1) /* a program of one node has one owner in a layer */
			share(&x, from, to);
	}
	ts_pile_fini(&stamp);
	o->shared = o->shared_pile.memory;
	return code;
}
