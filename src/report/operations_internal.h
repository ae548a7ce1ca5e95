/* SPDX-License-Identifier: MIT */
/* operations_internal - what the parts of operations.c share while operations are made. */
#ifndef TS_REPORT_OPERATIONS_INTERNAL_H
#define TS_REPORT_OPERATIONS_INTERNAL_H

#include "tilescope/base/mem.h"
#include "tilescope/report/context_steps.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operations.h"

enum {
	TS_OPERATION_CONTEXTS = 1 << 20, /* looked at */
	TS_OPERATIONS_MAX = 1 << 20,	 /* recorded ones */
	TS_OPERATION_ROWS = 1 << 24,	 /* of operation_program and operation_variable */
	TS_OPERATION_TEXT = 2048,	 /* bytes of a name */
};

/* A context on the way up from an object. */
struct op_context {
	uint64_t id, parent_id;
	uint32_t parent; /* index, or TS_NO_OPERATION */
	uint32_t depth;
	uint32_t mark;	       /* of a walk */
	uint32_t node;	       /* of its own, or TS_NO_OPERATION */
	uint32_t door;	       /* the node that what belongs to it belongs to */
	uint32_t op;	       /* recorded operation that stands for it */
	int32_t name, layer;   /* texts, or TS_DICTIONARY_NONE */
	bool found, cut, deep; /* deep: its depth is known */
};

/* A row of the relation operation. */
struct op_row {
	int64_t operation, first, last;
	int32_t layer, name, debug_name;
	uint32_t context; /* index, or TS_NO_OPERATION */
	uint32_t node;
};

/* A node before it has its place. */
struct op_raw {
	uint32_t parent;
	uint32_t first; /* place of the first program at or below it */
	uint32_t context, op;
	int32_t name, layer;
	uint8_t from, cut;
	uint32_t place;
};

/* What a program or a compute set says of itself. */
struct op_program {
	uint32_t context; /* index, or TS_NO_OPERATION */
	int32_t name;
};

struct op_set_context {
	int64_t set;
	struct op_program says;
};

/* The arrays of struct ts_operations while they are made, as the section has them. */
enum {
	TS_OP_NODES,
	TS_OP_LAYERS,
	TS_OP_IN_LAYER,
	TS_OP_OWN,
	TS_OP_PROGRAMS,
	TS_OP_SETS,
	TS_OP_RUNS,
	TS_OP_TYPES,
	TS_OP_TEXTS,
	TS_OP_BYTES,
	TS_OP_PILES
};

struct op_making {
	struct ts_operations *o;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	bool trace;
	struct ts_context_steps steps;
	struct ts_context_step one;
	struct ts_dictionary texts;
	struct ts_dictionary ids; /* of contexts */
	struct ts_pile context;	  /* struct op_context */
	struct ts_pile row;	  /* struct op_row, by number */
	struct ts_pile program;	  /* struct op_program, by place in costs */
	struct ts_pile raw;	  /* struct op_raw */
	struct ts_pile own;	  /* struct ts_operation_own */
	struct ts_pile sets;	  /* struct op_set_context, by number */
	size_t contexts, rows, raws, owns;

	/* of what is counted at the moment */
	struct ts_pile sums, pairs;
	size_t sums_full;
	struct ts_dictionary types;
};

/* The index of a context, its parents looked up; TS_NO_OPERATION: nobody knows it. */
enum ts_code ts_op_context(uint32_t *index, struct op_making *k, uint64_t id,
	struct ts_err *err) TS_WARN_UNUSED;

/* Break circles, count depths, find doors (of contexts that have no node, that of the nearest above). */
void ts_op_contexts_settle(struct op_making *k);
void ts_op_contexts_doors(struct op_making *k);

/* Nodes of contexts and rows, in preorder, with their layers, and what programs belong to them. */
enum ts_code ts_op_forest(struct op_making *k, struct ts_err *err) TS_WARN_UNUSED;

/* The figures of nodes, layers, and all. */
enum ts_code ts_op_figures(struct op_making *k, struct ts_err *err) TS_WARN_UNUSED;

/* Each row of a relation; damage is noted, and no error. */
enum ts_code ts_op_each(struct op_making *k, enum ts_relation relation, const int *columns, int n,
	enum ts_code (*each)(struct op_making *k, struct ts_rows *rows, struct ts_err *err),
	struct ts_err *err) TS_WARN_UNUSED;

/* The recorded operation of a number, or NULL. */
const struct op_row *ts_op_row_find(const struct op_making *k, int64_t operation);

/* Place of a program in the costs, or UINT32_MAX. */
uint32_t ts_op_place(const struct ts_program_costs *c, int64_t program);

/* Where the nodes of a program begin in own[]. */
size_t ts_op_first_own(const struct ts_operations *o, uint32_t program);

/* Who shares programs with whom, of operations that are read. */
enum ts_code ts_op_share(struct ts_operations *o, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* A program more that `others` have, too. */
void ts_op_shared_add(struct ts_operation_shared *to, uint32_t others);

/*
 * On the way up from own->node: does its program count in node `at` itself, as the first of its layer? `layers`: those met,
 * 0 at the begin.
 */
static inline bool
ts_op_counts_in(const struct ts_operations *o, const struct ts_operation_own *own, uint32_t at,
	uint64_t *layers)
{
	const struct ts_operation *n = &o->node[at];
	uint64_t bit = UINT64_C(1) << n->layer;
	bool first = !(*layers & bit);

	*layers |= bit;
	return first && !(n->programs_said && !(own->said && at == own->node));
}

/* The nearest of a layer, upwards; of -1 the node itself. TS_NO_OPERATION: none. */
static inline uint32_t
ts_op_up_to(const struct ts_operations *o, uint32_t at, int layer)
{
	while (at != TS_NO_OPERATION && layer >= 0 && o->node[at].layer != layer)
		at = o->node[at].parent;
	return at;
}

static inline struct op_context *
ts_op_context_at(const struct op_making *k, uint32_t i)
{
	return (struct op_context *)k->context.memory + i;
}

static inline struct op_row *
ts_op_row_at(const struct op_making *k, size_t i)
{
	return (struct op_row *)k->row.memory + i;
}

static inline struct op_raw *
ts_op_raw_at(const struct op_making *k, size_t i)
{
	return (struct op_raw *)k->raw.memory + i;
}

/* --- figures ------------------------------------------------------------------------------------- */

#define TS_OP_BEYOND INT64_MAX /* what a sum is that does not fit, until ts_op_figures_end() */

/* A known figure more. */
static inline void
ts_op_add_known(int64_t *sum, int64_t v)
{
	if (v == TS_UNKNOWN || *sum == TS_OP_BEYOND)
		return;
	if (*sum == TS_UNKNOWN)
		*sum = 0;
	if (!ts_add_i64(sum, v))
		*sum = TS_OP_BEYOND;
}

/* The lower one of those that are known. */
static inline void
ts_op_take_least(int64_t *to, int64_t v)
{
	if (v != TS_UNKNOWN && (*to == TS_UNKNOWN || v < *to))
		*to = v;
}

void ts_op_figures_none(struct ts_operation_figures *f);

/* A program more, a compute set, a vertex type (`alone`: nothing else runs it), the variables of others. */
void ts_op_figures_program(struct ts_operation_figures *f, const struct ts_program_cost *c,
	const struct ts_operation_program *more, const struct ts_honesty *h);
void ts_op_figures_set(struct ts_operation_figures *f, const struct ts_operation_set *s);
void ts_op_figures_type(struct ts_operation_figures *f, const struct ts_operation_type *t,
	bool alone);
void ts_op_figures_variables(struct ts_operation_figures *f,
	const struct ts_operation_figures *more);

/* When all is added. */
void ts_op_figures_end(struct ts_operation_figures *f);

#endif
