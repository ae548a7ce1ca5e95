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
#define AS_IS(column, a)                                   \
	{                                                  \
		column, a, NULL, 0, NULL, NULL, NULL, NULL \
	}
#define SUM(column, a, plus)                               \
	{                                                  \
		column, a, plus, 0, NULL, NULL, NULL, NULL \
	}
#define BIT(column, a, bit)                                        \
	{                                                          \
		column, a, NULL, (bit) + 1, NULL, NULL, NULL, NULL \
	}
#define LOOKUP(column, a, in, value)                      \
	{                                                 \
		column, a, NULL, 0, in, value, NULL, NULL \
	}

/* How many numbers a vector by tile has, of the target and of one IPU. */
#define TILES "(SELECT num_tiles FROM @target_info)"
#define IPU_TILES "(SELECT tiles_per_ipu FROM @target_info)"

#endif
