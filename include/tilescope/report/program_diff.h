/* SPDX-License-Identifier: MIT */
/*
 * program_diff - how the programs of one report differ from those of an earlier one.
 *
 * Numbers of programs mean nothing in another report. Roots are paired by kind and number; children of a pair by type and
 * name, equal ones in the order in which they come: the first `matMul` with the first. What finds no partner is new or
 * gone. Programs are a DAG: a pair of nodes is one pair however many ways lead to it, and pairs are made as far as
 * somebody looks.
 *
 * A pair is the same when everything below it is called in the same order by the same names, types and repeat counts (told
 * by a hash of 64 bits of each node's tree; in circles, where a tree has no end, this may say changed of equal ones), and
 * its figures, alone and with all below, are the same.
 */
#ifndef TS_REPORT_PROGRAM_DIFF_H
#define TS_REPORT_PROGRAM_DIFF_H

#include "tilescope/report/program_find.h"

enum ts_diff_state { TS_DIFF_SAME, TS_DIFF_CHANGED, TS_DIFF_NEW, TS_DIFF_GONE };

/* Nodes of the two trees; UINT32_MAX: it is not in that one. */
struct ts_program_pair {
	uint32_t before, after;
	enum ts_diff_state state;
	bool known; /* its children were looked for: */
	uint32_t first_child, children;
};

struct ts_program_diff;

/*
 * Both worlds are borrowed, with their sums, and outlive it. Looks at each program of both once. Free with
 * ts_program_diff_free(). Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_program_diff_new(struct ts_program_diff **out,
	const struct ts_program_world *before, const struct ts_program_world *after,
	const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_program_diff_free(struct ts_program_diff *d); /* NULL allowed */

const struct ts_program_pair *ts_program_diff_pair(const struct ts_program_diff *d, uint32_t pair);

/*
 * Children of a pair, or the roots (UINT32_MAX): as they run afterwards, what is gone behind what it stood behind. Made when
 * first asked for. *pair is good until the next call. Errors: TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_program_diff_children(const uint32_t **pair, uint32_t *n, struct ts_program_diff *d,
	uint32_t of, struct ts_err *err) TS_WARN_UNUSED;

#endif
