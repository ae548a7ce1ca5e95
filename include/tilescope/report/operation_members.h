/* SPDX-License-Identifier: MIT */
/*
 * operation_members - which programs, and which debug contexts, belong to which operation: all pairs at once, for whoever asks
 * for many of them (operations in SQL).
 */
#ifndef TS_REPORT_OPERATION_MEMBERS_H
#define TS_REPORT_OPERATION_MEMBERS_H

#include "tilescope/report/operations.h"

/* What is at or below a node; `own`: it counts in the operation itself. */
struct ts_operation_member {
	uint32_t node; /* TS_NO_OPERATION: in none */
	uint32_t item; /* place of a program in the costs; the node that stands for a context */
	uint32_t own;
};

/* Does a node stand for its debug context? Not so further recorded operations of the same one, which stand below the first. */
static inline bool
ts_operation_stands(const struct ts_operations *o, const struct ts_operation *n)
{
	const struct ts_operation *above = n->parent == TS_NO_OPERATION ? NULL
									: &o->node[n->parent];

	return n->has_context &&
		!(above && above->has_context && above->context == n->context &&
			above->from == TS_OPERATION_IS_RECORDED);
}

/*
 * Programs, put into *out, which is empty: by node, then item, each pair once; those of no operation last. Errors: those of
 * ts_pile_add(), TS_E_CANCELLED, TS_E_LIMIT: there are too many.
 */
enum ts_code ts_operation_programs_read(struct ts_pile *out, const struct ts_operations *o,
	const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Contexts that have a node; others (those of variables alone) belong where the nearest above them does. As above. */
enum ts_code ts_operation_contexts_read(struct ts_pile *out, const struct ts_operations *o,
	const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
