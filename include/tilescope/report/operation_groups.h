/* SPDX-License-Identifier: MIT */
/*
 * operation_groups - several operations together: what any of them come to, and operations of a layer rolled up by a regular
 * expression. A program that several of them have counts once.
 */
#ifndef TS_REPORT_OPERATION_GROUPS_H
#define TS_REPORT_OPERATION_GROUPS_H

#include "tilescope/report/operations.h"

struct ts_pattern;

enum { TS_OPERATION_GROUPS = 1 << 16 };

/*
 * The programs of an operation (`below`: of all below it, too), int64_t ascending, each once, put into *out, which is
 * empty. Looks at what all programs belong to: for a worker. Errors: those of ts_pile_add(), TS_E_CANCELLED.
 */
enum ts_code ts_operation_programs(struct ts_pile *out, const struct ts_operations *o, uint32_t i,
	bool below, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * What n nodes come to, each in its layer (`below`: with all below them). Variables count once in nodes of one layer. Errors: as
 * above.
 */
enum ts_code ts_operations_sum(struct ts_operation_figures *sum, const struct ts_operations *o,
	const uint32_t *node, size_t n, bool below, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

struct ts_operation_group {
	int64_t key; /* entry of `keys`; TS_DICTIONARY_NONE: operations that the expression does not match */
	uint64_t first, count; /* its nodes, in `node` */
	struct ts_operation_figures of;
	struct ts_operation_shared shared; /* programs that other groups have, too */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_operation_groups {
	atomic_int uses;
	struct ts_dictionary keys;
	size_t count;
	struct ts_pile
		group; /* struct ts_operation_group, by the first of their nodes; what does not match last */
	struct ts_pile node;		 /* uint32_t, by group */
	struct ts_operation_figures all; /* of the whole layer, each program once: as layer[].all */
	struct ts_operation_shared shared; /* programs that several groups have */
	int64_t left_out; /* nodes beyond TS_OPERATION_GROUPS groups: they are with those that do not match */
	int64_t not_summed; /* groups whose vertices' code is not known: their compute sets run too many types, or it does not fit */
};

/*
 * Operations of a layer by what the expression's first capture group (else all that it matches) finds in their debug name, else in
 * their path (ts_operation_path()). Errors: TS_E_LIMIT: the expression takes too long; TS_E_NOMEM, TS_E_SYS,
 * TS_E_CANCELLED.
 */
enum ts_code ts_operation_groups_read(struct ts_operation_groups **out,
	const struct ts_operations *o, uint32_t layer, const struct ts_pattern *by,
	const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_operation_groups *ts_operation_groups_hold(struct ts_operation_groups *g);
void ts_operation_groups_close(struct ts_operation_groups *g); /* NULL allowed */

static inline const struct ts_operation_group *
ts_operation_group_at(const struct ts_operation_groups *g, size_t i)
{
	return (const struct ts_operation_group *)g->group.memory + i;
}

/* Its key (raw, not NUL-terminated); NULL: what does not match. */
const char *ts_operation_group_key(size_t *n, const struct ts_operation_groups *g, size_t i);

#endif
