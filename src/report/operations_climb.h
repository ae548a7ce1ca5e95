/* SPDX-License-Identifier: MIT */
/*
 * operations_climb - what is counted is an *item*: a program, a compute set, a vertex type, a variable. An item belongs to nodes;
 * it counts once in each of these and in all above them (`below`), and once in the node of each layer that is the nearest
 * one going up (`of`). So each item climbs from its nodes to the roots, marks where it has been, and is added
 * where it comes for the first time: as many steps as there are levels, no sets to be united. An item of several programs counts
 * how many of them came to a node: where all did, nothing else has it (vertex_alone).
 */
#ifndef TS_REPORT_OPERATIONS_CLIMB_H
#define TS_REPORT_OPERATIONS_CLIMB_H

#include "operations_internal.h"

/* Where an item was: by node twice (below, of), then by layer. */
struct op_visit {
	uint32_t item, member; /* which came last */
	uint32_t members;      /* how many of this item's */
};

struct op_climbing {
	struct op_making *k;
	struct op_visit *below, *of;		     /* by node */
	struct op_visit in[TS_OPERATION_LAYERS + 2]; /* by layer */
	struct ts_pile seen;			     /* uint32_t: nodes of this item */
	uint32_t item, member;
	bool programs; /* items are programs, or what programs run */
	struct ts_pile visits;
};

/* What is added of an item, to one sum. */
typedef void (*op_add)(struct ts_operation_figures *f, const void *item);

/* Another item: nobody has it yet. */
void ts_op_next_item(struct op_climbing *c);

/*
 * From a node to the root: the nearest of each layer has it. Operations that say which programs are theirs have no others (`said`:
 * this one does), but stand in the way of those further up.
 */
enum ts_code ts_op_climb(struct op_climbing *c, uint32_t from, bool said, op_add add,
	const void *item, struct ts_err *err) TS_WARN_UNUSED;

/* One of the item's programs climbs from all its nodes. */
enum ts_code ts_op_next_program(struct op_climbing *c, uint32_t program, op_add add,
	const void *item, struct ts_err *err) TS_WARN_UNUSED;

/* Behind the last of its programs: what no node of a layer has; what one has alone (NULL: that is not asked). */
void ts_op_end_item(struct op_climbing *c, op_add add, op_add alone, const void *item);

/* operations_types.c: compute sets, then the vertex types that they run (in that order). */
enum ts_code ts_op_count_sets(struct op_climbing *c, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_op_count_types(struct op_climbing *c, struct ts_err *err) TS_WARN_UNUSED;

/* operations_variables.c: those of contexts; lowered ones that recorded operations name. */
enum ts_code ts_op_count_variables(struct op_climbing *c, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_op_count_said(struct op_climbing *c, struct ts_err *err) TS_WARN_UNUSED;

#endif
