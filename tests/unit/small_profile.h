/* SPDX-License-Identifier: MIT */
/*
 * small_profile - a profile of 2 IPUs with 3 tiles each, small enough to be worked out by hand.
 *
 * Columns that a row does not name are what their declaration allows: NULL, else 0, '' or an empty blob.
 */
#ifndef TS_TESTS_UNIT_SMALL_PROFILE_H
#define TS_TESTS_UNIT_SMALL_PROFILE_H

#include "made_report.h"

#include "tilescope/profile/tables.h"

/* "table": "columns": "values; values; ...". Blobs are packed by hand: 84 = 4, runs of 6: 8C = 6 times, 8D = 6 as they are. */
static const struct {
	const char *table, *columns, *rows;
} small_profile[] = {
	{"poplar_version", "string, package_hash, major", "'3.3.0 (abc)', 'def', 3"},
	{"version_info", "major, minor, point, file_type", "3, 8, 0, 'graph_profile'"},
	{"date_time", "string", "'2024-04-09 08:23:39'"},
	{"compilation_info", "compilation_id", "'id1'"},
	{"instrumentation_settings", "compute, compute_level, external_exchange, control_flow",
		"1, 'Tile', 1, 0"},
	{"target_info",
		"bytes_per_tile, clock_frequency, num_ipus, num_tiles, tiles_per_ipu, num_replicas, "
		"ipus_per_replica, architecture, type_, memoryElementOffsets, interleavedMemoryStart, "
		"tileMemoryBaseAddress",
		/* elements at 0, 64, 128 */
		"256, 1000000, 2, 6, 3, 1, 2, 'ipu2', 'IPU', x'80C00180', 128, 1000"},
	{"graph_info", "num_compute_sets, num_edges, num_vars, num_vertices", "2, 9, 5, 7"},
	{"compilation_parameters", "name, value, is_default", "'a', '1', 1; 'b', '2', 0"},
	{"target_parameters", "name, value, is_default", "'c', '3', 1"},
	{"execution_parameters", "name, value, is_default, run", "'d', '4', 0, 7"},
	{"compilation_trace", "name, ts, dur",
		"'all', 1000, 100; 'inner', 1010, 50; 'after', 1070, 10"},
	{"memory_by_tile",
		"tile, non_interleaved, total, total_including_gaps, always_live_bytes, "
		"not_always_live_max_bytes",
		"0, 30, 30, 40, 20, 10; 1, 5, 5, 5, 5, 0; 2, 0, 0, 0, 0, 0; 3, 7, 7, 8, 7, 0; "
		"4, 0, 0, 0, 0, 0; 5, 0, 0, 0, 0, 0"},
	{"var_categories", "id, name, description",
		"0, 'variable', 'data'; 5, 'vertexCode', 'code'"},
	{"memory_by_category",
		"category_id, interleaved_non_overlapped, interleaved_overlapped, "
		"non_interleaved_non_overlapped, non_interleaved_overlapped, overflowed_non_overlapped, "
		"overflowed_overlapped",
		"'variable', x'808080808080', x'808080808080', x'8A8580878080', x'868080808080', "
		"x'808080808080', x'808080808080'; "
		"'vertexCode', x'808080808081', x'808080808080', x'848080808080', x'808080808080', "
		"x'808080808080', x'808080808080'"},
	{"vertex_types", "id, name, size, source", "0, '_add', 8, 'c++'; 1, '_mul', 4, 'asm'"},
	{"memory_by_vertex_type",
		"vertex_type, code_bytes, copy_ptr_bytes, descriptor_bytes, edge_ptr_bytes, padding_bytes, "
		"vertex_data_bytes",
		"1, x'848080808080', x'808080808080', x'808080808080', x'828080808080', x'808080808080', "
		"x'808180808080'"},
	{"memory_by_compute_set",
		"compute_set, copy_ptr_bytes, descriptor_bytes, edge_ptr_bytes, padding_bytes, "
		"vertex_data_bytes",
		"1, x'8C80', x'8C80', x'8D828080808080', x'8C80', x'8D808180808080'"},
	{"vars_string_table", "id, string", "0, 'weights#'; 1, '_add.x#'"},
	/* bits: 1 allocated, 2 constant, 8 executable, 128 interleaved */
	{"vars_info",
		"var_id, tile, name_base_id, name_prefix__vertex_field_, name_suffix, size_bytes, alignment, "
		"offset, category, equivalence_class, element_constraints, unlowered_var_id, bitset",
		"0, 0, 0, NULL, '0', 20, 4, 0, 0, 1, x'81', 10, 1; "
		"1, 0, 1, 3, '0', 10, 4, 64, 0, 2, x'80', NULL, 131; "
		"2, 1, 0, NULL, '1', 5, 4, 0, 0, 1, NULL, 10, 9; "
		"3, 1, 0, NULL, '2', 0, 1, 0, 0, 0, NULL, NULL, 0; "
		"4, 3, 0, NULL, '3', 7, 4, 0, 0, 1, NULL, 10, 1"},
	{"allocation_order_by_tile", "tile, \"order\"", "0, x'8180'; 1, x'82'; 3, x'84'"},
	{"eq_classes", "id, is_always_live", "0, 0; 1, 1; 2, 0; 3, 0"},
	{"eq_class_step", "eq_class_id, step_id_from, step_id_to", "1, 0, 4; 2, 1, 3; 3, 2, 4"},
	{"equivalence_class_interference", "class_id, interference_class_ids",
		"2, x'8183'; 3, x'8182'"},
	{"unlowered_vars", "id, name",
		"10, 'weights'; 12, '<anon>'; 13, 'programId0'; 14, 'vertexCode'"},
	{"var_bytes_by_eq_class", "unlowered_var_id, eq_class_id, bytes, tile",
		"10, 1, 32, NULL; 12, 2, 10, NULL; 12, 3, 6, NULL; 12, 1, 2, NULL; 14, 1, 4, NULL; "
		"10, 1, 20, 0; 10, 1, 5, 1; 10, 1, 7, 3; 12, 2, 10, 0"},
	{"debug_ids", "variable_id, ids", "10, x'8085'; 12, x'80'"},
	{"depth_first_steps", "id, program_id, parent_step_id",
		"0, 0, NULL; 1, 1, 0; 2, 3, 0; 3, 2, 2"},
	{"memory_not_always_live_by_step_and_ipu", "ipu, step_id, delta_bytes",
		"NULL, 1, 10; NULL, 2, 6; NULL, 3, -10; 0, 1, 10; 0, 3, -10; 1, 2, 6"},
	{"program_types", "id, name, program_type_table",
		"1, 'Sequence', NULL; 2, 'OnTileExecute', 'program_type_on_tile_execute'; "
		"3, 'Call', 'program_type_call'; 4, 'DoExchange', 'program_type_do_exchange'; "
		"5, 'Sync', 'program_type_sync'; 6, 'StreamCopyBegin', NULL; "
		"7, 'StreamCopyMid', 'program_type_stream_copy'; 8, 'Repeat', 'program_type_repeat'"},
	{"programs",
		"id, variant, variant_index, children, name, debug_id, control_code_bytes_by_tile",
		"0, 1, NULL, x'8183', NULL, 9, x'8C8A'; 1, 2, 1, NULL, NULL, 0, x'8C84'; "
		"2, 4, 0, NULL, 'cp/ExchangePre', NULL, NULL; 3, 3, 0, NULL, NULL, NULL, x'8D838080808080'; "
		"4, 1, NULL, x'8285868788', NULL, NULL, NULL; 5, 5, 0, NULL, NULL, NULL, NULL; "
		"6, 6, NULL, NULL, NULL, NULL, NULL; 7, 7, 2, NULL, NULL, NULL, NULL; "
		"8, 8, 4, NULL, NULL, NULL, NULL"},
	{"program_type_on_tile_execute", "id, compute_set", "1, 1"},
	{"program_type_call", "id, function_id", "0, 2"},
	{"program_type_repeat", "id, repeat_count", "4, 12"},
	{"program_type_sync", "id, sync_type", "0, 'External'"},
	{"program_type_do_exchange",
		"id, bytes_received_by_tile_rle, bytes_sent_by_tile_rle, code_bytes_by_tile_rle, "
		"cycles_by_tile_ids, source_regions_id, destination_regions_id",
		"0, x'8D888080808080', x'8D808880808080', x'8C90', x'8180', 0, 1"},
	{"program_type_stream_copy_mid",
		"id, bytes_received_by_tile_rle, bytes_sent_by_tile_rle, estimated_cycles_by_tile_ids",
		"2, x'8C80', x'8D848080808080', NULL"},
	{"compilation_cycles_by_tile", "id, cycles_by_tile_rle", "0, x'868A'; 1, x'8781828B'"},
	{"control_programs", "id, program", "0, 0"},
	{"function_programs", "id, program", "2, 4"},
	{"exchange_target", "id", "0; 1; 2"},
	{"exchange_regions", "id, var_id, regions",
		"0, 2, '[0,4),[8,12)'; 1, 0, '[0,8)'; 2, 0, '[0,4)'"},
	{"host_exchange_to_host",
		"stream_copy_mid_id, stream, regions, is_remote_buffer, regions_id",
		"2, 'out', 'variable: weights#0[0,4)', 0, 2"},
	{"compute_sets",
		"compute_set, name, edge_count, debug_id, cycles_by_tile_ids, var_ids_diff_rle",
		"0, '-0', 2, 0, NULL, NULL; 1, 'fwd/add', 7, 6, x'8180', x'858082'"},
	{"vertex_instances", "compute_set, vertex_type, instances_by_tile",
		"1, 1, x'8D838180808080'"},
	{"runs",
		"id, start_epoch_time_microseconds, elapsed_microseconds, name, num_programs, num_steps",
		"3, 100, 50, 'load', 2, 2; 4, 200, 0, 'x', 1, 1"},
	{"steps", "id, type, program, sync_type",
		"0, 'OnTileExecute', 1, NULL; 1, 'Sync', NULL, 'Internal'; 2, 'DoExchange', 2, NULL"},
	{"steps_by_ipu",
		"step_id, ipu, cycles_base, active_cycles_from_min, active_cycles_to_max, cycles, "
		"active_tiles, tile_balance, active_tile_balance, thread_balance",
		"0, 0, 100, 5, 30, 25, 2, 0.5, 0.75, 0.9; 0, 1, 100, 0, 10, 10, 1, 0.5, 1.0, NULL; "
		"2, 0, 130, 0, 20, 20, 3, 1.0, 1.0, NULL;"},
	{"blocks", "tile, cycles_from, cycles_to, block_id, type",
		"1, 0, 10, 4, 0; 1, 10, 20, 4, 1; 2, 5, 9, 3, 4"},
};

/* Columns that may not be NULL and are not named. */
static inline void
small_profile_defaults(char *columns, char *values, size_t room, const char *table,
	const char *named)
{
	const struct ts_profile_table *t = ts_profile_table_find(table);

	ck_assert_msg(t != NULL, "%s", table);
	*columns = *values = '\0';
	for (int i = 0; i < t->columns; i++) {
		const struct ts_profile_column *c = &t->column[i];
		const char *at = strstr(named, c->name);
		bool is_named = false;
		size_t n = strlen(c->name);

		for (; at && !is_named; at = strstr(at + 1, c->name))
			is_named = (at == named || at[-1] == ' ' || at[-1] == '"') &&
				strchr(",\"", at[n]) && (at[n] || 1);
		if (is_named || !(c->flags & (TS_COLUMN_NOT_NULL | TS_COLUMN_KEY)))
			continue;
		snprintf(columns + strlen(columns), room - strlen(columns), ", \"%s\"", c->name);
		snprintf(values + strlen(values), room - strlen(values), ", %s",
			c->type == TS_DECLARED_TEXT	      ? "''"
				: c->type == TS_DECLARED_BLOB ? "x''"
							      : "0");
	}
}

static inline void
small_profile_make(struct fixture *f)
{
	static char columns[4000], values[4000];
	struct ts_strbuf ddl;

	make_fixture(f, "profile.pop", 1);
	ts_strbuf_init(&ddl, TS_PROFILE_SQL);
	ts_profile_sql(&ddl);
	sql(f, "%s", ddl.s);
	ts_strbuf_fini(&ddl);
	for (size_t i = 0; i < sizeof(small_profile) / sizeof(small_profile[0]); i++) {
		const char *rows = small_profile[i].rows;

		small_profile_defaults(columns, values, sizeof(columns), small_profile[i].table,
			small_profile[i].columns);
		while (*rows) {
			size_t n = strcspn(rows, ";");

			sql(f, "INSERT INTO %s(%s%s) VALUES(%.*s%s)", small_profile[i].table,
				small_profile[i].columns, columns, (int)n, rows, values);
			rows += n + strspn(rows + n, "; ");
		}
	}
}

#endif
