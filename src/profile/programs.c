/* SPDX-License-Identifier: MIT */
/*
 * programs - programs, what they call and move, compute sets.
 *
 * A program's row says its type (variant), and where in the table of that type the rest stands (variant_index).
 * Of several compilation steps only the last is shown.
 */
#include "config.h"

#include "tilescope/base/mem.h"

#include "relations_internal.h"

#define LAST_STEP "compilation_step_id IS (SELECT max(compilation_step_id) FROM @programs)"

/* The row of a program `p` with type `t` in the table of its type. */
#define OF_TYPE(table, as)                    \
	" LEFT JOIN @" table " " as " ON " as \
	".id = p.variant_index AND t.program_type_table = '" table "'"
/* Tables name this one without its last word. */
#define STREAM_COPY_MID(type) type ".program_type_table GLOB 'program_type_stream_copy*'"
#define OF_STREAM_COPY                                                                               \
	" LEFT JOIN @program_type_stream_copy_mid m ON m.id = p.variant_index AND " STREAM_COPY_MID( \
		"t")

/* Cycles by tile under one id an IPU. */
#define BY_IDS(ids, table)                                                                        \
	"(SELECT by_tile_join(" IPU_TILES ", y.cycles_by_tile_rle) FROM items('list', NULL, " ids \
	") n LEFT JOIN @" table " y ON y.id = n.v0)"

/* The streams that a copy moves, as one text. */
#define STREAMS                                                                   \
	"(SELECT id, group_concat(stream, ', ') AS names FROM "                   \
	"(SELECT stream_copy_mid_id AS id, stream FROM @host_exchange_from_host " \
	"UNION SELECT stream_copy_mid_id, stream FROM @host_exchange_to_host) GROUP BY id)"

/* A compute set's name that says something: not empty, and more than the number at its end. */
#define SET_NAME "CASE WHEN c.name GLOB '-[0-9]*' THEN NULL ELSE nullif(c.name, '') END"

static const struct ts_profile_relation relations[] = {
	{.name = "program",
		.needs = "programs.id programs.variant program_types.name",
		/* the streams of a copy name the programs that begin and end it, which stand beside it */
		.sql = "SELECT p.id AS program, t.name AS type, "
		       "coalesce(nullif(p.name, ''), " SET_NAME ", s.names, nullif(fp.name, ''), "
		       "context_says(p.debug_id, 'name'), context_says(p.debug_id, 'place')) AS name, "
		       "CASE WHEN p.name <> '' THEN 'own' WHEN " SET_NAME
		       " IS NOT NULL THEN 'compute_set' "
		       "WHEN s.names IS NOT NULL THEN 'stream' WHEN fp.name <> '' THEN 'function' "
		       "WHEN context_says(p.debug_id, 'name') IS NOT NULL THEN 'context' "
		       "WHEN context_says(p.debug_id, 'place') IS NOT NULL THEN 'location' "
		       "ELSE 'type' END AS named_by, "
		       "x.compute_set, l.function_id AS function, r.repeat_count, "
		       "coalesce(y.sync_type, g.sync_type) AS sync_type, nullif(p.debug_id, 0) AS context, "
		       "by_tile('runs', " TILES
		       ", p.control_code_bytes_by_tile) AS control_code_by_tile, "
		       "by_tile_minus(by_tile('runs', " TILES ", p.control_code_bytes_by_tile), "
		       "(SELECT by_tile_sum('runs', " TILES ", k.control_code_bytes_by_tile) "
		       "FROM items('list', NULL, p.children) n JOIN @programs k ON k.id = n.v0 AND "
		       "k.compilation_step_id IS p.compilation_step_id)) AS own_control_code_by_tile, "
		       "by_tile('runs', " TILES ", e.code_bytes_by_tile_rle) AS code_by_tile, "
		       "coalesce(" BY_IDS(
			       "coalesce(e.cycles_by_tile_ids, g.estimated_cycles_by_tile_ids, "
			       "m.estimated_cycles_by_tile_ids, o.cycles_by_tile_ids)",
			       "compilation_cycles_by_tile") ", by_tile('runs', " TILES
							     ", coalesce(e.cycles_by_tile_rle, g.estimated_cycles_by_tile_rle, "
							     "m.estimated_cycles_by_tile_rle))) AS estimated_cycles_by_tile, "
							     "by_tile('runs', " TILES
							     ", coalesce(e.bytes_received_by_tile_rle, "
							     "g.bytes_received_by_tile_rle, m.bytes_received_by_tile_rle)) AS bytes_in_by_tile, "
							     "by_tile('runs', " TILES
							     ", coalesce(e.bytes_sent_by_tile_rle, "
							     "g.bytes_sent_by_tile_rle, m.bytes_sent_by_tile_rle)) AS bytes_out_by_tile "
							     "FROM @programs p LEFT JOIN @program_types t ON t.id = p.variant" OF_TYPE(
								     "program_type_on_tile_execute",
								     "x") OF_TYPE("program_type_call",
								     "l") OF_TYPE("program_type_repeat",
								     "r") OF_TYPE("program_type_sync",
								     "y") OF_TYPE("program_type_do_exchange",
								     "e") OF_TYPE("program_type_global_exchange",
								     "g")
								     OF_TYPE("program_type_code_copy",
									     "o") OF_STREAM_COPY
		" LEFT JOIN @compute_sets c ON c.compute_set = x.compute_set "
		"LEFT JOIN @function_programs f ON f.id = l.function_id AND f.compilation_step_id IS "
		"p.compilation_step_id LEFT JOIN @programs fp ON fp.id = f.program AND "
		"fp.compilation_step_id IS p.compilation_step_id "
		"LEFT JOIN @programs b ON b.compilation_step_id IS p.compilation_step_id AND b.id = "
		"p.id + CASE t.name WHEN 'StreamCopyBegin' THEN 1 WHEN 'StreamCopyEnd' THEN -1 ELSE 0 END "
		"LEFT JOIN @program_types bt ON bt.id = b.variant "
		"LEFT JOIN " STREAMS
		" s ON s.id = b.variant_index AND " STREAM_COPY_MID("bt") " WHERE p." LAST_STEP,
		.optional = "compute_set=program_type_on_tile_execute.compute_set "
			    "function=program_type_call.function_id "
			    "repeat_count=program_type_repeat.repeat_count "
			    "sync_type=program_type_sync.sync_type "
			    "context=programs.debug_id "
			    "control_code_by_tile=programs.control_code_bytes_by_tile "
			    "own_control_code_by_tile=programs.control_code_bytes_by_tile "
			    "code_by_tile=program_type_do_exchange.code_bytes_by_tile_rle "
			    "estimated_cycles_by_tile=program_type_do_exchange.cycles_by_tile_ids|"
			    "program_type_do_exchange.cycles_by_tile_rle "
			    "bytes_in_by_tile=program_type_do_exchange.bytes_received_by_tile_rle "
			    "bytes_out_by_tile=program_type_do_exchange.bytes_sent_by_tile_rle",
		.keyed = true},
	/* of no view: what step_ipu says of the bytes of a step; packed numbers by IPU */
	{.name = "program_moved",
		.needs = "programs.id programs.variant_index program_types.program_type_table",
		.sql = "SELECT p.id AS program, coalesce(e.bytes_received_by_ipu_rle, "
		       "g.bytes_received_by_ipu_rle, m.bytes_received_by_ipu_rle) AS bytes_in, "
		       "coalesce(e.bytes_sent_by_ipu_rle, g.bytes_sent_by_ipu_rle, "
		       "m.bytes_sent_by_ipu_rle) AS bytes_out FROM @programs p "
		       "LEFT JOIN @program_types t ON t.id = p.variant" OF_TYPE(
			       "program_type_do_exchange", "e")
			       OF_TYPE("program_type_global_exchange", "g") OF_STREAM_COPY
		" WHERE p." LAST_STEP,
		.optional = "bytes_in=program_type_do_exchange.bytes_received_by_ipu_rle|"
			    "program_type_global_exchange.bytes_received_by_ipu_rle|"
			    "program_type_stream_copy_mid.bytes_received_by_ipu_rle "
			    "bytes_out=program_type_do_exchange.bytes_sent_by_ipu_rle|"
			    "program_type_global_exchange.bytes_sent_by_ipu_rle|"
			    "program_type_stream_copy_mid.bytes_sent_by_ipu_rle",
		.keyed = true},
	{.name = "program_child",
		.needs = "programs.id programs.children",
		/* the function of a call counts as its child */
		.sql = "SELECT p.id AS parent, n.i AS position, n.v0 AS child FROM @programs p "
		       "JOIN items('list', NULL, p.children) n WHERE p." LAST_STEP
		       " UNION ALL SELECT p.id, 0, f.program FROM @programs p "
		       "JOIN @program_types t ON t.id = p.variant "
		       "AND t.program_type_table = 'program_type_call' "
		       "JOIN @program_type_call l ON l.id = p.variant_index "
		       "JOIN @function_programs f ON f.id = l.function_id "
		       "AND f.compilation_step_id IS p.compilation_step_id WHERE p." LAST_STEP,
		.keyed = true},
	{.name = "program_root",
		.needs = "control_programs.id control_programs.program",
		.sql = "SELECT 'control' AS kind, id AS position, program FROM @control_programs "
		       "WHERE " LAST_STEP " UNION ALL SELECT 'function', id, program "
		       "FROM @function_programs WHERE " LAST_STEP},
	{.name = "program_variable",
		.needs = "programs.id programs.variant_index program_types.program_type_table",
		.sql = "SELECT p.id AS program, n.v0 AS lowered_variable, 'uses' AS direction, NULL AS bytes "
		       "FROM @programs p JOIN @program_types t ON t.id = p.variant "
		       "AND t.program_type_table = 'program_type_on_tile_execute' "
		       "JOIN @program_type_on_tile_execute x ON x.id = p.variant_index "
		       "JOIN @compute_sets c ON c.compute_set = x.compute_set "
		       "JOIN items('differences', NULL, c.var_ids_diff_rle) n WHERE p." LAST_STEP
		       " UNION ALL SELECT p.id, g.var_id, 'in', region_bytes(g.regions) FROM @programs p "
		       "JOIN @program_types t ON t.id = p.variant" OF_TYPE(
			       "program_type_do_exchange",
			       "e") OF_TYPE("program_type_global_exchange",
			       "x") OF_TYPE("program_type_code_copy",
			       "o") " JOIN @exchange_regions g ON g.id = coalesce(e.destination_regions_id, "
				    "x.destination_regions_id, o.destination_regions_id) WHERE p." LAST_STEP
				    " UNION ALL SELECT p.id, g.var_id, 'out', region_bytes(g.regions) FROM @programs p "
				    "JOIN @program_types t ON t.id = p.variant" OF_TYPE(
					    "program_type_do_exchange",
					    "e") OF_TYPE("program_type_global_exchange",
					    "x") " JOIN @exchange_regions g ON g.id = coalesce(e.source_regions_id, "
						 "x.source_regions_id) WHERE p." LAST_STEP
						 " UNION ALL SELECT p.id, g.var_id, h.direction, region_bytes(g.regions) "
						 "FROM (SELECT 'in' AS direction, stream_copy_mid_id, regions_id "
						 "FROM @host_exchange_from_host UNION ALL SELECT 'out', stream_copy_mid_id, regions_id "
						 "FROM @host_exchange_to_host) h "
						 "JOIN @programs p ON p.variant_index = h.stream_copy_mid_id "
						 "JOIN @program_types t ON t.id = p.variant AND " STREAM_COPY_MID(
							 "t") " JOIN @exchange_regions g ON g.id = h.regions_id WHERE p." LAST_STEP,
		.keyed = true},
	{.name = "stream_copy",
		.needs = "programs.variant_index program_types.program_type_table "
			 "host_exchange_from_host.stream",
		.sql = "SELECT p.id AS program, h.direction, h.stream, h.is_remote_buffer AS remote_buffer, "
		       "h.regions, (SELECT add_up(region_bytes(g.regions)) FROM @exchange_regions g "
		       "WHERE g.id = h.regions_id) AS bytes "
		       "FROM (SELECT 'from_host' AS direction, * FROM @host_exchange_from_host "
		       "UNION ALL SELECT 'to_host', * FROM @host_exchange_to_host) h "
		       "JOIN @programs p ON p.variant_index = h.stream_copy_mid_id "
		       "JOIN @program_types t ON t.id = p.variant AND " STREAM_COPY_MID(
			       "t") " WHERE p." LAST_STEP},
	{.name = "compute_set",
		.needs = "compute_sets.compute_set compute_sets.name",
		.sql = "SELECT c.compute_set, c.name, nullif(c.debug_id, 0) AS context, "
		       "c.edge_count AS edges, "
		       "coalesce(" BY_IDS("c.cycles_by_tile_ids",
			       "compilation_cycles_by_tile") ", by_tile('list', " TILES
							     ", c.cycles_by_tile)) AS estimated_cycles_by_tile, "
							     "(SELECT " BY_IDS(
								     "k.cycles_by_tile_ids",
								     "cycles_by_tile") " FROM @compute_set_cycles_by_tile k WHERE k.compute_set_id = c.compute_set) "
										       "AS cycles_by_tile, "
										       "by_tile('list', " TILES
										       ", c.estimated_flops_by_tile) AS estimated_flops_by_tile "
										       "FROM @compute_sets c",
		.optional = "context=compute_sets.debug_id edges=compute_sets.edge_count "
			    "estimated_cycles_by_tile=compute_sets.cycles_by_tile_ids|"
			    "compute_sets.cycles_by_tile "
			    "cycles_by_tile=compute_set_cycles_by_tile.cycles_by_tile_ids "
			    "estimated_flops_by_tile=compute_sets.estimated_flops_by_tile",
		.keyed = true},
	{.name = "compute_set_vertex",
		.needs = "vertex_instances.compute_set vertex_instances.vertex_type "
			 "vertex_instances.instances_by_tile",
		.sql = "SELECT v.compute_set, v.vertex_type, "
		       "numbers_sum('runs', " TILES ", v.instances_by_tile) AS instances, "
		       "by_tile('runs', " TILES ", v.instances_by_tile) AS count_by_tile "
		       "FROM @vertex_instances v",
		.keyed = true},
};

const struct profile_group profile_programs = {relations, TS_COUNT(relations)};
