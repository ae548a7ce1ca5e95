/* SPDX-License-Identifier: MIT */
/* relations_internal - the relations of each group of tables; all of them stand in relations.c. */
#ifndef TS_PROFILE_RELATIONS_INTERNAL_H
#define TS_PROFILE_RELATIONS_INTERNAL_H

#include "tilescope/profile/relations.h"

struct profile_group {
	const struct ts_profile_relation *relation;
	size_t count;
};

extern const struct profile_group profile_target, profile_memory, profile_variables,
	profile_liveness, profile_programs, profile_execution;

/* Columns of rows of a table. */
#define AS_IS(name, from)                 \
	{                                 \
		.column = name, .a = from \
	}
#define SUM(name, from, add)                           \
	{                                              \
		.column = name, .a = from, .plus = add \
	}
/* A sum; where active_tiles is 0 the column `otherwise` is added instead of `add` (NULL: nothing is). */
#define PLACE(name, from, add, otherwise)                                       \
	{                                                                       \
		.column = name, .a = from, .plus = add, .idle = "active_tiles", \
		.idle_plus = otherwise                                          \
	}
#define BIT(name, from, number)                                \
	{                                                      \
		.column = name, .a = from, .bit = (number) + 1 \
	}
#define LOOKUP(name, from, table, what)                               \
	{                                                             \
		.column = name, .a = from, .in = table, .value = what \
	}
#define MOVED(name, from, table, what, of_ipu, is_sent)                               \
	{                                                                             \
		.column = name, .a = from, .in = table, .value = what, .ipu = of_ipu, \
		.sent = is_sent                                                       \
	}
#define END_OF_COLUMNS         \
	{                      \
		.column = NULL \
	}

/* How many numbers a vector by tile has, of the target and of one IPU. */
#define TILES "(SELECT num_tiles FROM @target_info)"
#define IPU_TILES "(SELECT tiles_per_ipu FROM @target_info)"

#endif
