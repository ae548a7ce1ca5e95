/* SPDX-License-Identifier: MIT */
/*
 * program_below - what a program and everything that it calls cost together.
 *
 * Programs are a DAG with shared bodies (and in hostile files with circles): each program below counts once, however
 * many ways lead to it, so that figures of two siblings may come to more than that of their parent.
 */
#ifndef TS_REPORT_PROGRAM_BELOW_H
#define TS_REPORT_PROGRAM_BELOW_H

#include "tilescope/report/program_costs.h"
#include "tilescope/report/program_tree.h"

/* Sums over programs; each figure is TS_UNKNOWN unless one of them knows it. */
struct ts_program_sums {
	int64_t programs; /* that were added */
	int64_t control_code, exchange_code;
	int64_t measured, estimated; /* cycles of the tile that takes longest, added */
	int64_t steps, executed;
	int64_t live; /* not added: the most */
	bool cut;     /* there are more programs than were walked */
};

/*
 * Of no programs; and with one more (`leaf`: it has no children, so that its control code counts; p NULL: not
 * described); and when all are added: sums that do not fit are TS_UNKNOWN then.
 */
void ts_program_sums_none(struct ts_program_sums *s);
void ts_program_sums_add(struct ts_program_sums *s, const struct ts_program_cost *p, bool leaf);
void ts_program_sums_end(struct ts_program_sums *s);

/*
 * A program and everything below it, each program once: what runs in there, not how often a path leads to it. Looks at
 * `most` programs at most. `seen`: room for tree->nodes bits, zero; it is zero again afterwards. Errors: TS_E_NOMEM,
 * TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_program_below(struct ts_program_sums *sums, const struct ts_program_tree *t,
	const struct ts_program_costs *c, int64_t program, size_t most, unsigned char *seen,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same for every node of the tree: struct ts_program_sums by node in `sums`. Looks at `budget` programs in all: of
 * nodes for which it does not last `programs` is TS_UNKNOWN. Errors: as above.
 */
enum ts_code ts_program_below_all(struct ts_pile *sums, const struct ts_program_tree *t,
	const struct ts_program_costs *c, size_t budget, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * A tree without edges, of all programs: for reports that do not say who calls whom. Errors: TS_E_NOMEM, TS_E_SYS. To
 * be closed as any tree.
 */
enum ts_code ts_program_tree_flat(struct ts_program_tree **out, const struct ts_program_costs *c,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

#endif
