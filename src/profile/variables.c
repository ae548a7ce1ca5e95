/* SPDX-License-Identifier: MIT */
/* variables - what is told of lowered variables besides their rows: when classes are alive, the allocator's order. */
#include "config.h"

#include "tilescope/base/mem.h"

#include "relations_internal.h"

enum { ALLOCATED, CONSTANT, EXECUTABLE = 3, MUST_BE_INTERLEAVED = 7 }; /* bits of bitset */

static const struct ts_profile_from lowered_variable[] = {
	AS_IS("id", "var_id"),
	AS_IS("tile", "tile"),
	{.column = "name",
		.a = "name_base_id",
		.in = "vars_string_table",
		.value = "string",
		.before = "name_prefix__vertex_field_",
		.behind = "name_suffix"},
	AS_IS("bytes", "size_bytes"),
	AS_IS("offset", "offset"),
	AS_IS("alignment", "alignment"),
	AS_IS("category", "category"),
	AS_IS("class", "equivalence_class"),
	AS_IS("variable", "unlowered_var_id"),
	LOOKUP("always_live", "equivalence_class", "eq_classes", "is_always_live"),
	BIT("constant", "bitset", CONSTANT),
	BIT("executable", "bitset", EXECUTABLE),
	BIT("interleaved", "bitset", MUST_BE_INTERLEAVED),
	END_OF_COLUMNS,
};

static const struct ts_profile_from class_interval[] = {
	AS_IS("class", "eq_class_id"),
	AS_IS("start", "step_id_from"),
	AS_IS("end", "step_id_to"),
	END_OF_COLUMNS,
};

static const struct ts_profile_relation relations[] = {
	{.name = "lowered_variable",
		.table = "vars_info",
		.from = lowered_variable,
		.only = "bitset",
		.only_bit = ALLOCATED},
	{.name = "class_interval", .table = "eq_class_step", .from = class_interval},
	{.name = "equivalence_class",
		.needs = "eq_classes.id eq_classes.is_always_live",
		.sql = "SELECT id AS class, is_always_live AS always_live FROM @eq_classes",
		.keyed = true},
	{.name = "class_interference",
		.needs = "equivalence_class_interference.class_id "
			 "equivalence_class_interference.interference_class_ids",
		.sql = "SELECT e.class_id AS class, n.v0 AS other FROM @equivalence_class_interference e "
		       "JOIN items('list', NULL, e.interference_class_ids) n"},
	{.name = "allocation",
		.needs = "allocation_order_by_tile.tile allocation_order_by_tile.order",
		.sql = "SELECT a.tile, n.i AS position, n.v0 AS lowered_variable "
		       "FROM @allocation_order_by_tile a JOIN items('list', NULL, a.\"order\") n",
		.keyed = true},
	{.name = "element_constraint",
		.needs = "vars_info.var_id vars_info.tile vars_info.element_constraints",
		/* a list of positions among the tile's variables, which stand one behind the other */
		.sql = "SELECT v.var_id AS lowered_variable, f.first + n.v0 AS other FROM @vars_info v "
		       "JOIN (SELECT tile, min(var_id) AS first FROM @vars_info GROUP BY tile) f "
		       "ON f.tile = v.tile JOIN items('list', NULL, v.element_constraints) n"},
};

const struct profile_group profile_variables = {relations, TS_COUNT(relations)};
