/* SPDX-License-Identifier: MIT */
/*
 * program_same - the programs that have to do with one: they run the same compute set, one with a vertex of the same type, or
 * come from the same debug context.
 */
#ifndef TS_REPORT_PROGRAM_SAME_H
#define TS_REPORT_PROGRAM_SAME_H

#include "tilescope/report/program_costs.h"

enum { TS_SAME_SET = 1, TS_SAME_CONTEXT = 2, TS_SAME_VERTEX = 4 };

struct ts_program_same_row {
	const struct ts_program_cost *cost; /* of the costs it was made of */
	unsigned same;			    /* bits */
};

struct ts_program_same {
	int64_t program;
	int64_t count, with_set, with_context,
		with_vertex; /* programs; the last three: whatever else they share */
	struct ts_pile
		row;  /* struct ts_program_same_row: by compute set, context, vertex, then number */
	bool partial; /* damage: what could be read */
};

/*
 * Those of `program` but itself, as far as relations are there; none where it is not in `c`. With the vertices of its
 * compute set all rows of compute_set_vertex are looked at. Free with ts_program_same_fini() in every case. Errors:
 * TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_program_same_read(struct ts_program_same *s, struct ts_reader *rd,
	const struct ts_program_costs *c, int64_t program, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_program_same_fini(struct ts_program_same *s);

#endif
