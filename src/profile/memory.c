/* SPDX-License-Identifier: MIT */
/* memory - memory by tile of categories, vertices and compute sets, and the elements of a tile's memory. */
#include "config.h"

#include "tilescope/base/mem.h"

#include "relations_internal.h"

#define REGION(name)                                                                        \
	"SELECT '" name "' AS region, category_id, " name "_non_overlapped AS alone, " name \
	"_overlapped AS shared FROM @memory_by_category"

static const struct ts_profile_from tile_memory[] = {
	AS_IS("tile", "tile"),
	AS_IS("total", "total"),
	AS_IS("total_gaps", "total_including_gaps"),
	AS_IS("non_interleaved", "non_interleaved"),
	AS_IS("interleaved", "interleaved"),
	AS_IS("overflowed", "overflowed"),
	AS_IS("always_live", "always_live_bytes"),
	AS_IS("not_always_live_peak", "not_always_live_max_bytes"),
	END_OF_COLUMNS,
};

static const struct ts_profile_relation relations[] = {
	{.name = "tile_memory", .table = "memory_by_tile", .from = tile_memory},
	{.name = "memory_category",
		.needs = "var_categories.id var_categories.name",
		.sql = "SELECT id AS category, name, description FROM @var_categories",
		.optional = "description=var_categories.description",
		.keyed = true},
	{.name = "vertex_type",
		.needs = "vertex_types.id vertex_types.name",
		.sql = "SELECT id AS vertex_type, name, size AS state_bytes, source FROM @vertex_types",
		.optional = "state_bytes=vertex_types.size source=vertex_types.source",
		.keyed = true},
	{.name = "tile_category",
		.needs = "memory_by_category.category_id var_categories.name "
			 "memory_by_category.non_interleaved_non_overlapped",
		.sql = "SELECT n.i AS tile, c.id AS category, m.region, coalesce(n.v0, 0) AS not_overlapped, "
		       "coalesce(n.v1, 0) AS overlapped FROM (" REGION("non_interleaved") " UNION ALL " REGION(
			       "interleaved") " UNION ALL " REGION("overflowed") ") m "
										 "JOIN @var_categories c ON c.name = m.category_id "
										 "JOIN numbers('list', " TILES
										 ", m.alone, m.shared) n",
		.keyed = true},
	{.name = "tile_vertex",
		.needs = "memory_by_vertex_type.vertex_type memory_by_vertex_type.code_bytes",
		.sql = "SELECT n.i AS tile, m.vertex_type, coalesce(n.v0, 0) AS code_bytes, n.v1 AS data_bytes, "
		       "n.v2 AS edge_pointer_bytes, n.v3 AS copy_pointer_bytes, n.v4 AS descriptor_bytes, "
		       "n.v5 AS padding_bytes FROM @memory_by_vertex_type m JOIN numbers('list', " TILES
		       ", m.code_bytes, m.vertex_data_bytes, m.edge_ptr_bytes, m.copy_ptr_bytes, "
		       "m.descriptor_bytes, m.padding_bytes) n",
		.keyed = true},
	{.name = "tile_compute_set",
		.needs = "memory_by_compute_set.compute_set",
		.sql = "SELECT n.i AS tile, m.compute_set, n.v0 AS data_bytes, n.v1 AS edge_pointer_bytes, "
		       "n.v2 AS copy_pointer_bytes, n.v3 AS descriptor_bytes, n.v4 AS padding_bytes "
		       "FROM @memory_by_compute_set m JOIN numbers('runs', " TILES
		       ", m.vertex_data_bytes, m.edge_ptr_bytes, m.copy_ptr_bytes, m.descriptor_bytes, "
		       "m.padding_bytes) n",
		.keyed = true},
	{.name = "memory_element",
		.needs = "target_info.memoryElementOffsets target_info.bytes_per_tile",
		/* an element ends where the next begins */
		.sql = "SELECT n.i AS element, n.v0 AS offset, "
		       "lead(n.v0, 1, t.bytes_per_tile) OVER (ORDER BY n.i) - n.v0 AS bytes, "
		       "n.v0 >= t.interleavedMemoryStart AS interleaved "
		       "FROM @target_info t JOIN items('list', NULL, t.memoryElementOffsets) n",
		.optional = "interleaved=target_info.interleavedMemoryStart"},
};

const struct profile_group profile_memory = {relations, TS_COUNT(relations)};
