/* SPDX-License-Identifier: MIT */
/*
 * program_find - programs by text, by figures, and by what they are called from.
 *
 *	matMul                                      type or name contains it
 *	type=DoExchange and code>100K               a filter (base/filter.h) over the fields below
 *	DoExchange under Repeat                     ... of those that something like this calls, however far above
 *	DoExchange under Repeat where code > 100K   `where` belongs to what is sought, not to what stands above
 *
 * Figures of fields: steps, cycles, executed, code, control, live and programs are those of a program with all that it
 * calls; own_code, each and estimated are those of one execution of the program alone.
 */
#ifndef TS_REPORT_PROGRAM_FIND_H
#define TS_REPORT_PROGRAM_FIND_H

#include "tilescope/base/filter.h"
#include "tilescope/report/names.h"
#include "tilescope/report/program_below.h"

enum { TS_PROGRAM_UNDER = 4 }; /* `under` in one line, at most */

extern const struct ts_filter_field ts_program_fields[];

/* A line, parsed. */
struct ts_program_query {
	int parts; /* part[0] is sought, below something like part[1], below ... */
	struct ts_filter part[TS_PROGRAM_UNDER + 1];
};

/* Errors: TS_E_USAGE, with what is wrong and where. */
enum ts_code ts_program_query_parse(struct ts_program_query *q, const char *line,
	struct ts_err *err) TS_WARN_UNUSED;

/* Where to look. `below`: sums by node (ts_program_below_all()). */
struct ts_program_world {
	const struct ts_program_tree *tree;
	const struct ts_program_costs *costs;
	const struct ts_names *names;
	const struct ts_program_sums *below;
};

/* Nodes that answer, ascending: uint32_t in `hits`. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_LIMIT, TS_E_CANCELLED. */
enum ts_code ts_program_find(struct ts_pile *hits, const struct ts_program_query *q,
	const struct ts_program_world *w, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Nodes that answer and all from which one of them is reached: a bit each, of tree->nodes, in `keep`. Errors: TS_E_NOMEM,
 * TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_program_above(struct ts_pile *keep, const struct ts_program_tree *t,
	const uint32_t *hit, size_t hits, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* What they cost alone, each once. */
void ts_program_sums_of(struct ts_program_sums *sums, const struct ts_program_tree *t,
	const struct ts_program_costs *c, const uint32_t *hit, size_t hits);

#endif
