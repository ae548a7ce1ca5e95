/* SPDX-License-Identifier: MIT */
/* target - who wrote the profile, for what machine, with which options. */
#include "config.h"

#include "tilescope/base/mem.h"

#include "relations_internal.h"

static const struct ts_profile_relation relations[] = {
	{.name = "target",
		.needs = "target_info",
		.sql = "SELECT type_ AS type, architecture, num_ipus AS ipus, num_replicas AS replicas, "
		       "tiles_per_ipu, bytes_per_tile, clock_frequency AS clock_hz, "
		       "tileMemoryBaseAddress AS memory_base, interleavedMemoryStart AS interleaved_start "
		       "FROM @target_info",
		.optional = "type=target_info.type_ architecture=target_info.architecture "
			    "ipus=target_info.num_ipus replicas=target_info.num_replicas "
			    "tiles_per_ipu=target_info.tiles_per_ipu "
			    "bytes_per_tile=target_info.bytes_per_tile "
			    "clock_hz=target_info.clock_frequency "
			    "memory_base=target_info.tileMemoryBaseAddress "
			    "interleaved_start=target_info.interleavedMemoryStart"},
	{.name = "report",
		.needs = "poplar_version",
		.sql = "SELECT 'poplar_version' AS key, string AS value FROM @poplar_version "
		       "UNION ALL SELECT 'package_hash', package_hash FROM @poplar_version "
		       "UNION ALL SELECT 'format_version', major || '.' || minor || '.' || point "
		       "FROM @version_info "
		       "UNION ALL SELECT 'compute_instrumentation', CASE WHEN compute THEN "
		       "coalesce(lower(compute_level), 'on') ELSE 'off' END FROM @instrumentation_settings "
		       "UNION ALL SELECT 'exchange_instrumentation', "
		       "CASE WHEN external_exchange THEN 'on' ELSE 'off' END FROM @instrumentation_settings "
		       "UNION ALL SELECT 'control_flow_instrumentation', "
		       "CASE WHEN control_flow THEN 'on' ELSE 'off' END FROM @instrumentation_settings "
		       "UNION ALL SELECT 'created', string FROM @date_time "
		       "UNION ALL SELECT 'compilation_id', compilation_id FROM @compilation_info "
		       "UNION ALL SELECT 'execution_compilation_id', compilation_id FROM @execution_info "
		       "UNION ALL SELECT 'source', 'profile'"},
	{.name = "engine_option",
		.needs = "compilation_parameters.name compilation_parameters.value",
		.sql = "SELECT 'compilation' AS scope, NULL AS run, name AS key, value, is_default "
		       "FROM @compilation_parameters "
		       "UNION ALL SELECT 'target', NULL, name, value, is_default FROM @target_parameters "
		       "UNION ALL SELECT 'execution', run, name, value, is_default "
		       "FROM @execution_parameters"},
	{.name = "compile_pass",
		.needs = "compilation_trace.name compilation_trace.ts compilation_trace.dur",
		/* passes that contain each other: of those that began before, the last one that ends later */
		.sql = "WITH p AS MATERIALIZED (SELECT row_number() OVER (ORDER BY ts, dur DESC) - 1 AS pass, "
		       "name, ts, dur FROM @compilation_trace) "
		       "SELECT pass, name, ts - (SELECT min(ts) FROM p) AS start_us, dur AS duration_us, "
		       "(SELECT max(q.pass) FROM p q WHERE q.pass < p.pass AND q.ts + q.dur >= p.ts + p.dur) "
		       "AS parent FROM p ORDER BY pass"},
	{.name = "graph_count",
		.needs = "graph_info",
		.sql = "SELECT 'compute_sets' AS name, num_compute_sets AS value FROM @graph_info "
		       "UNION ALL SELECT 'edges', num_edges FROM @graph_info "
		       "UNION ALL SELECT 'variables', num_vars FROM @graph_info "
		       "UNION ALL SELECT 'vertices', num_vertices FROM @graph_info"},
	{.name = "ipu",
		.needs = "target_info.num_ipus target_info.tiles_per_ipu",
		.sql = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4095) "
		       "SELECT i AS ipu, i / max(1, coalesce(ipus_per_replica, num_ipus)) AS replica, "
		       "i * tiles_per_ipu AS first_tile, tiles_per_ipu AS tile_count "
		       "FROM n, @target_info t WHERE i < num_ipus"},
};

const struct profile_group profile_target = {relations, TS_COUNT(relations)};
