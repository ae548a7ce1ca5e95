/* SPDX-License-Identifier: MIT */
/* operation_links_internal - what operation_uses.c makes once and operation_links.c looks at. */
#ifndef TS_REPORT_OPERATION_LINKS_INTERNAL_H
#define TS_REPORT_OPERATION_LINKS_INTERNAL_H

#include "tilescope/report/lifetimes.h"
#include "tilescope/report/operation_links.h"

/* A variable that programs name, its uses are use[first .. next one's first). */
struct op_variable {
	int64_t variable, bytes;
	uint64_t first;
	uint32_t door; /* the innermost node of its debug context; TS_NO_OPERATION */
	uint32_t spare;
};

/* Of node or program `key`: place in variable[], or place of a program in the costs. */
struct op_belongs {
	uint32_t key, item;
};

struct ts_operation_uses {
	atomic_int holders;
	struct ts_operations *ops; /* held */
	struct ts_uses *uses;	   /* NULL: not recorded */
	struct ts_pile variable;   /* struct op_variable, by number, and one behind the last */
	struct ts_pile
		of_program;	 /* struct op_belongs: variables that a program (its place) names */
	struct ts_pile of_door;	 /* variables that stand in a node */
	struct ts_pile programs; /* programs (their places) of a node */
	size_t variables;
	bool partial;
	char why[300];
};

static inline const struct op_variable *
ts_op_variable(const struct ts_operation_uses *v, size_t i)
{
	return (const struct op_variable *)v->variable.memory + i;
}

#endif
