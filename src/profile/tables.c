/* SPDX-License-Identifier: MIT */
/*
 * tables - the tables of profile.pop, format 3.8.
 *
 * A blob of numbers by tile has one for each tile of the target, or of one IPU where its row belongs to one. Columns
 * that end in _rle are runs, var_ids_diff_rle has differences, the others are lists but for three whose names
 * do not say that they are runs: control_code_bytes_by_tile, instances_by_tile, and those of memory_by_compute_set.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/profile/tables.h"

enum { NEVER_NULL = TS_COLUMN_NOT_NULL, KEY = TS_COLUMN_KEY };

/* A column of numbers, texts or packed numbers: its name, its type, what holds of it; of a blob its kind and length. */
#define COLUMN(name, type, flags)                                             \
	{                                                                     \
		name, TS_DECLARED_##type, flags, TS_BLOB_LIST, TS_BLOB_OF_ANY \
	}
#define BLOB(name, flags, kind, of)                                            \
	{                                                                      \
		name, TS_DECLARED_BLOB, flags, TS_BLOB_##kind, TS_BLOB_OF_##of \
	}

/* ---- target ---- */

static const struct ts_profile_column poplar_version[] = {
	COLUMN("string", TEXT, NEVER_NULL),
	COLUMN("package_hash", TEXT, NEVER_NULL),
	COLUMN("major", INTEGER, NEVER_NULL),
	COLUMN("minor", INTEGER, NEVER_NULL),
	COLUMN("point", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column version_info[] = {
	COLUMN("major", INTEGER, NEVER_NULL),
	COLUMN("minor", INTEGER, NEVER_NULL),
	COLUMN("point", INTEGER, NEVER_NULL),
	COLUMN("is_unstable_format", BOOLEAN, NEVER_NULL),
	COLUMN("file_type", TEXT, NEVER_NULL),
};

static const struct ts_profile_column date_time[] = {
	COLUMN("string", TEXT, NEVER_NULL),
};

static const struct ts_profile_column compilation_info[] = {
	COLUMN("compilation_id", TEXT, NEVER_NULL),
};

static const struct ts_profile_column execution_info[] = {
	COLUMN("compilation_id", TEXT, NEVER_NULL),
};

static const struct ts_profile_column instrumentation_settings[] = {
	COLUMN("compute", INTEGER, NEVER_NULL),
	COLUMN("compute_level", TEXT, 0),
	COLUMN("external_exchange", INTEGER, NEVER_NULL),
	COLUMN("control_flow", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column target_info[] = {
	COLUMN("bytes_per_ipu", INTEGER, NEVER_NULL),
	COLUMN("bytes_per_tile", INTEGER, NEVER_NULL),
	COLUMN("clock_frequency", INTEGER, NEVER_NULL),
	COLUMN("min_sync_delay", INTEGER, NEVER_NULL),
	COLUMN("num_ipus", INTEGER, NEVER_NULL),
	COLUMN("num_tiles", INTEGER, NEVER_NULL),
	COLUMN("tiles_per_ipu", INTEGER, NEVER_NULL),
	COLUMN("total_memory", INTEGER, NEVER_NULL),
	COLUMN("num_replicas", INTEGER, NEVER_NULL),
	COLUMN("ipus_per_replica", INTEGER, NEVER_NULL),
	COLUMN("tiles_per_replica", INTEGER, NEVER_NULL),
	COLUMN("memory_per_replica", INTEGER, NEVER_NULL),
	COLUMN("architecture", TEXT, NEVER_NULL),
	COLUMN("type_", TEXT, NEVER_NULL),
	COLUMN("supervisorInstrFetchDelay", INTEGER, NEVER_NULL),
	BLOB("memoryElementOffsets", NEVER_NULL, LIST, ANY),
	COLUMN("interleavedMemoryStart", INTEGER, NEVER_NULL),
	BLOB("memoryRegionsOffsets", NEVER_NULL, LIST, ANY),
	COLUMN("tileMemoryBaseAddress", INTEGER, NEVER_NULL),
	COLUMN("tilesPerSuperTile", INTEGER, NEVER_NULL),
	COLUMN("numWorkerContexts", INTEGER, NEVER_NULL),
	COLUMN("exchangeBytesPerCycle", INTEGER, NEVER_NULL),
	COLUMN("memcpyBytesPerCycle", INTEGER, NEVER_NULL),
	COLUMN("instructionBytes", INTEGER, NEVER_NULL),
	COLUMN("supportsSuperTileSendReceive", BOOLEAN, NEVER_NULL),
	COLUMN("globalSyncCycles", INTEGER, NEVER_NULL),
	COLUMN("globalExchangePacketBytes", INTEGER, NEVER_NULL),
	COLUMN("tileLocalSyncSyncDelay", INTEGER, NEVER_NULL),
	COLUMN("tileLocalSyncExitDelay", INTEGER, NEVER_NULL),
	COLUMN("numStrideBits", INTEGER, NEVER_NULL),
	COLUMN("dataPathWidth", INTEGER, NEVER_NULL),
	COLUMN("fp8ConvUnitMaxPipelineDepth", INTEGER, 0),
	COLUMN("fp16ConvUnitMaxPipelineDepth", INTEGER, NEVER_NULL),
	COLUMN("fp32ConvUnitMaxPipelineDepth", INTEGER, NEVER_NULL),
	COLUMN("fp8ConvUnitInputLoadElemsPerCycle", INTEGER, 0),
	COLUMN("fp16ConvUnitInputLoadElemsPerCycle", INTEGER, NEVER_NULL),
	COLUMN("fp32ConvUnitInputLoadElemsPerCycle", INTEGER, NEVER_NULL),
	COLUMN("fp16InFp16OutConvUnitsPerTile", INTEGER, NEVER_NULL),
	COLUMN("fp16InFp32OutConvUnitsPerTile", INTEGER, NEVER_NULL),
	COLUMN("fp32InFp32OutConvUnitsPerTile", INTEGER, NEVER_NULL),
	COLUMN("fp8InFp16OutConvUnitsPerTile", INTEGER, 0),
	COLUMN("convUnitCoeffLoadBytesPerCycle", INTEGER, NEVER_NULL),
	COLUMN("workerInstrFetchDelay", INTEGER, NEVER_NULL),
	COLUMN("maxImmediateOffsetInRunInstr", INTEGER, NEVER_NULL),
	COLUMN("rptCountMax", INTEGER, NEVER_NULL),
	COLUMN("atomicStoreGranularity", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column relative_sync_delay[] = {
	COLUMN("tile", INTEGER, KEY),
	COLUMN("delay", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column graph_info[] = {
	COLUMN("num_compute_sets", INTEGER, NEVER_NULL),
	COLUMN("num_edges", INTEGER, NEVER_NULL),
	COLUMN("num_vars", INTEGER, NEVER_NULL),
	COLUMN("num_vertices", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column compilation_parameters[] = {
	COLUMN("name", TEXT, KEY),
	COLUMN("value", TEXT, NEVER_NULL),
	COLUMN("is_default", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column target_parameters[] = {
	COLUMN("name", TEXT, KEY),
	COLUMN("value", TEXT, NEVER_NULL),
	COLUMN("is_default", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column execution_parameters[] = {
	COLUMN("name", TEXT, NEVER_NULL),
	COLUMN("value", TEXT, NEVER_NULL),
	COLUMN("is_default", INTEGER, NEVER_NULL),
	COLUMN("run", INTEGER, 0),
};

static const struct ts_profile_column optimization_info[] = {
	COLUMN("key", TEXT, NEVER_NULL),
	COLUMN("value", REAL, NEVER_NULL),
};

static const struct ts_profile_column compilation_trace[] = {
	COLUMN("dur", INTEGER, NEVER_NULL),
	COLUMN("name", TEXT, NEVER_NULL),
	COLUMN("ts", INTEGER, NEVER_NULL),
};

/* ---- memory ---- */

static const struct ts_profile_column memory_by_tile[] = {
	COLUMN("tile", INTEGER, KEY),
	COLUMN("interleaved", INTEGER, NEVER_NULL),
	COLUMN("interleaved_including_gaps", INTEGER, NEVER_NULL),
	COLUMN("non_interleaved", INTEGER, NEVER_NULL),
	COLUMN("non_interleaved_including_gaps", INTEGER, NEVER_NULL),
	COLUMN("overflowed", INTEGER, NEVER_NULL),
	COLUMN("overflowed_including_gaps", INTEGER, NEVER_NULL),
	COLUMN("total", INTEGER, NEVER_NULL),
	COLUMN("total_including_gaps", INTEGER, NEVER_NULL),
	COLUMN("always_live_bytes", INTEGER, NEVER_NULL),
	COLUMN("not_always_live_max_bytes", INTEGER, 0),
};

static const struct ts_profile_column memory_by_category[] = {
	COLUMN("category_id", TEXT, KEY),
	BLOB("interleaved_non_overlapped", NEVER_NULL, LIST, TILE),
	BLOB("interleaved_overlapped", NEVER_NULL, LIST, TILE),
	BLOB("non_interleaved_non_overlapped", NEVER_NULL, LIST, TILE),
	BLOB("non_interleaved_overlapped", NEVER_NULL, LIST, TILE),
	BLOB("overflowed_non_overlapped", NEVER_NULL, LIST, TILE),
	BLOB("overflowed_overlapped", NEVER_NULL, LIST, TILE),
};

static const struct ts_profile_column var_categories[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("name", TEXT, NEVER_NULL),
	COLUMN("description", TEXT, NEVER_NULL),
};

static const struct ts_profile_column vertex_types[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("name", TEXT, NEVER_NULL),
	COLUMN("size", INTEGER, NEVER_NULL),
	COLUMN("source", TEXT, 0),
};

static const struct ts_profile_column memory_by_vertex_type[] = {
	COLUMN("vertex_type", INTEGER, KEY),
	BLOB("code_bytes", NEVER_NULL, LIST, TILE),
	BLOB("copy_ptr_bytes", NEVER_NULL, LIST, TILE),
	BLOB("descriptor_bytes", NEVER_NULL, LIST, TILE),
	BLOB("edge_ptr_bytes", NEVER_NULL, LIST, TILE),
	BLOB("padding_bytes", NEVER_NULL, LIST, TILE),
	BLOB("vertex_data_bytes", NEVER_NULL, LIST, TILE),
};

static const struct ts_profile_column memory_by_compute_set[] = {
	COLUMN("compute_set", INTEGER, KEY),
	BLOB("copy_ptr_bytes", NEVER_NULL, RUNS, TILE),
	BLOB("descriptor_bytes", NEVER_NULL, RUNS, TILE),
	BLOB("edge_ptr_bytes", NEVER_NULL, RUNS, TILE),
	BLOB("padding_bytes", NEVER_NULL, RUNS, TILE),
	BLOB("vertex_data_bytes", NEVER_NULL, RUNS, TILE),
};

/* ---- variables ---- */

static const struct ts_profile_column vars_info[] = {
	COLUMN("var_id", INTEGER, KEY),
	COLUMN("tile", INTEGER, NEVER_NULL),
	COLUMN("name_base_id", INTEGER, NEVER_NULL),
	COLUMN("name_prefix__vertex_field_", INTEGER, 0),
	COLUMN("name_suffix", TEXT, NEVER_NULL),
	COLUMN("size_bytes", INTEGER, NEVER_NULL),
	COLUMN("alignment", INTEGER, NEVER_NULL),
	COLUMN("offset", INTEGER, NEVER_NULL),
	COLUMN("category", INTEGER, NEVER_NULL),
	COLUMN("equivalence_class", INTEGER, NEVER_NULL),
	BLOB("element_constraints", 0, LIST, ANY),
	BLOB("region_constraints", 0, LIST, ANY),
	COLUMN("unlowered_var_id", INTEGER, 0),
	COLUMN("bitset", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column vars_string_table[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("string", TEXT, NEVER_NULL),
};

static const struct ts_profile_column allocation_order_by_tile[] = {
	COLUMN("tile", INTEGER, NEVER_NULL),
	BLOB("order", NEVER_NULL, LIST, ANY),
};

static const struct ts_profile_column equivalence_class_interference[] = {
	COLUMN("class_id", INTEGER, NEVER_NULL),
	BLOB("interference_class_ids", NEVER_NULL, LIST, ANY),
};

static const struct ts_profile_column eq_classes[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("is_always_live", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column eq_class_step[] = {
	COLUMN("eq_class_id", INTEGER, NEVER_NULL),
	COLUMN("step_id_from", INTEGER, NEVER_NULL),
	COLUMN("step_id_to", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column unlowered_vars[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("name", TEXT, NEVER_NULL),
};

static const struct ts_profile_column var_bytes_by_eq_class[] = {
	COLUMN("unlowered_var_id", INTEGER, NEVER_NULL),
	COLUMN("eq_class_id", INTEGER, NEVER_NULL),
	COLUMN("bytes", INTEGER, NEVER_NULL),
	COLUMN("tile", INTEGER, 0),
};

static const struct ts_profile_column debug_ids[] = {
	COLUMN("variable_id", INTEGER, 0),
	BLOB("ids", 0, LIST, ANY),
};

/* ---- liveness ---- */

static const struct ts_profile_column depth_first_steps[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("program_id", INTEGER, NEVER_NULL),
	COLUMN("parent_step_id", INTEGER, 0),
};

static const struct ts_profile_column memory_not_always_live_by_step_and_ipu[] = {
	COLUMN("ipu", INTEGER, 0),
	COLUMN("step_id", INTEGER, NEVER_NULL),
	COLUMN("delta_bytes", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column memory_liveness_tiles[] = {
	COLUMN("position", INTEGER, KEY),
	COLUMN("tile", INTEGER, 0),
};

/* ---- programs ---- */

static const struct ts_profile_column compilation_steps[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("name", TEXT, NEVER_NULL),
};

static const struct ts_profile_column programs[] = {
	COLUMN("compilation_step_id", INTEGER, 0),
	COLUMN("id", INTEGER, NEVER_NULL),
	COLUMN("variant", INTEGER, NEVER_NULL),
	COLUMN("variant_index", INTEGER, 0),
	BLOB("children", 0, LIST, ANY),
	COLUMN("name", TEXT, 0),
	COLUMN("debug_id", INTEGER, 0),
	BLOB("control_code_bytes_by_tile", 0, RUNS, TILE),
};

static const struct ts_profile_column program_types[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("name", TEXT, NEVER_NULL),
	COLUMN("program_type_table", TEXT, 0),
};

static const struct ts_profile_column control_programs[] = {
	COLUMN("compilation_step_id", INTEGER, 0),
	COLUMN("id", INTEGER, NEVER_NULL),
	COLUMN("program", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column function_programs[] = {
	COLUMN("compilation_step_id", INTEGER, 0),
	COLUMN("id", INTEGER, NEVER_NULL),
	COLUMN("program", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column program_type_on_tile_execute[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("compute_set", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column program_type_repeat[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("repeat_count", INT, 0),
};

static const struct ts_profile_column program_type_call[] = {
	COLUMN("compilation_step_id", INTEGER, 0),
	COLUMN("id", INTEGER, KEY),
	COLUMN("function_id", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column program_type_sync[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("sync_type", TEXT, NEVER_NULL),
};

static const struct ts_profile_column program_type_sans[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("tiles", NEVER_NULL, LIST, ANY),
};

static const struct ts_profile_column program_type_sync_ans[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("tiles", NEVER_NULL, LIST, ANY),
};

static const struct ts_profile_column program_type_do_exchange[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("bytes_received_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("bytes_sent_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("code_bytes_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("cycles_by_tile_rle", 0, RUNS, TILE),
	COLUMN("source_vars", TEXT, 0),
	COLUMN("destination_vars", TEXT, 0),
	BLOB("bytes_received_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("bytes_sent_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("max_data_sent_and_received_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("cycles_by_tile_ids", 0, LIST, IPU),
	COLUMN("source_regions_id", INT, 0),
	COLUMN("destination_regions_id", UNTYPED, 0),
};

static const struct ts_profile_column program_type_global_exchange[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("bytes_received_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("bytes_sent_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("estimated_cycles_by_tile_rle", 0, RUNS, TILE),
	COLUMN("source_vars", TEXT, 0),
	COLUMN("destination_vars", TEXT, 0),
	BLOB("bytes_received_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("bytes_sent_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("max_data_sent_and_received_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("estimated_cycles_by_tile_ids", 0, LIST, IPU),
	COLUMN("source_regions_id", INT, 0),
	COLUMN("destination_regions_id", INT, 0),
	COLUMN("sync_type", TEXT, NEVER_NULL),
};

static const struct ts_profile_column program_type_stream_copy_mid[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("bytes_received_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("bytes_sent_by_tile_rle", NEVER_NULL, RUNS, TILE),
	BLOB("estimated_cycles_by_tile_rle", 0, RUNS, TILE),
	BLOB("bytes_received_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("bytes_sent_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("max_data_sent_and_received_by_ipu_rle", NEVER_NULL, RUNS, IPU),
	BLOB("estimated_cycles_by_tile_ids", 0, LIST, IPU),
};

static const struct ts_profile_column program_type_code_copy[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("cycles_by_tile_ids", 0, LIST, IPU),
	COLUMN("destination_regions_id", UNTYPED, 0),
};

static const struct ts_profile_column compilation_cycles_by_tile[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("cycles_by_tile_rle", 0, RUNS, IPU_TILES),
};

static const struct ts_profile_column exchange_target[] = {
	COLUMN("id", INTEGER, KEY),
};

static const struct ts_profile_column exchange_regions[] = {
	COLUMN("id", INTEGER, NEVER_NULL),
	COLUMN("var_id", INTEGER, NEVER_NULL),
	COLUMN("regions", TEXT, 0),
};

static const struct ts_profile_column host_exchange_from_host[] = {
	COLUMN("stream_copy_mid_id", INTEGER, NEVER_NULL),
	COLUMN("stream", TEXT, NEVER_NULL),
	COLUMN("regions", TEXT, NEVER_NULL),
	COLUMN("is_remote_buffer", INTEGER, NEVER_NULL),
	COLUMN("regions_id", INT, 0),
};

static const struct ts_profile_column host_exchange_to_host[] = {
	COLUMN("stream_copy_mid_id", INTEGER, NEVER_NULL),
	COLUMN("stream", TEXT, NEVER_NULL),
	COLUMN("regions", TEXT, NEVER_NULL),
	COLUMN("is_remote_buffer", INTEGER, NEVER_NULL),
	COLUMN("regions_id", INT, 0),
};

static const struct ts_profile_column compute_sets[] = {
	COLUMN("compute_set", INTEGER, KEY),
	COLUMN("name", TEXT, NEVER_NULL),
	BLOB("vertex_types", NEVER_NULL, LIST, ANY),
	BLOB("vertex_counts", NEVER_NULL, LIST, ANY),
	BLOB("active_cycles_by_tile", 0, LIST, TILE),
	BLOB("active_cycles_by_vertex_type", 0, LIST, ANY),
	BLOB("cycles_by_tile", 0, LIST, TILE),
	COLUMN("edge_count", INTEGER, 0),
	COLUMN("debug_id", INTEGER, 0),
	BLOB("cycles_by_tile_ids", 0, LIST, IPU),
	BLOB("estimated_flops_by_tile", 0, LIST, TILE),
	BLOB("var_ids_diff_rle", 0, DIFFERENCES, ANY),
};

static const struct ts_profile_column vertex_instances[] = {
	COLUMN("compute_set", INTEGER, NEVER_NULL),
	COLUMN("vertex_type", INTEGER, NEVER_NULL),
	BLOB("instances_by_tile", NEVER_NULL, RUNS, TILE),
};

/* ---- execution ---- */

static const struct ts_profile_column runs[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("start_epoch_time_microseconds", INTEGER, NEVER_NULL),
	COLUMN("elapsed_microseconds", INTEGER, 0),
	COLUMN("name", TEXT, NEVER_NULL),
	COLUMN("num_programs", INTEGER, NEVER_NULL),
	COLUMN("num_steps", INTEGER, NEVER_NULL),
	BLOB("estimated_freq_by_ipu", 0, LIST, IPU),
	BLOB("start_cycles_by_ipu", 0, LIST, IPU),
	BLOB("end_cycles_by_ipu", 0, LIST, IPU),
};

static const struct ts_profile_column steps[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("type", TEXT, NEVER_NULL),
	COLUMN("program", INTEGER, 0),
	COLUMN("sync_type", TEXT, 0),
	COLUMN("host_exchange", INTEGER, 0),
	COLUMN("inter_ipu_exchange", INTEGER, 0),
	COLUMN("exchange", INTEGER, 0),
	COLUMN("compute_set", INTEGER, 0),
};

static const struct ts_profile_column steps_by_ipu[] = {
	COLUMN("step_id", INTEGER, NEVER_NULL),
	COLUMN("ipu", INTEGER, NEVER_NULL),
	COLUMN("cycles_base", INTEGER, NEVER_NULL),
	COLUMN("active_cycles_from_max", INTEGER, NEVER_NULL),
	COLUMN("active_cycles_from_mean", INTEGER, NEVER_NULL),
	COLUMN("active_cycles_from_min", INTEGER, NEVER_NULL),
	COLUMN("active_cycles_to_max", INTEGER, NEVER_NULL),
	COLUMN("active_cycles_to_mean", INTEGER, NEVER_NULL),
	COLUMN("active_cycles_to_min", INTEGER, NEVER_NULL),
	COLUMN("all_cycles_to_max", INTEGER, NEVER_NULL),
	COLUMN("all_cycles_to_mean", INTEGER, NEVER_NULL),
	COLUMN("all_cycles_to_min", INTEGER, NEVER_NULL),
	COLUMN("cycles", INTEGER, NEVER_NULL),
	COLUMN("active_tiles", INTEGER, NEVER_NULL),
	COLUMN("active_tile_balance", REAL, NEVER_NULL),
	COLUMN("thread_balance", REAL, 0),
	COLUMN("tile_balance", REAL, NEVER_NULL),
	COLUMN("tile_cycles_id", INTEGER, 0),
};

static const struct ts_profile_column cycles_by_tile[] = {
	COLUMN("id", INTEGER, KEY),
	BLOB("cycles_by_tile_rle", NEVER_NULL, RUNS, IPU_TILES),
};

static const struct ts_profile_column compute_set_cycles_by_tile[] = {
	COLUMN("compute_set_id", INTEGER, KEY),
	BLOB("cycles_by_tile_ids", NEVER_NULL, LIST, IPU),
};

static const struct ts_profile_column compute_set_cycles_by_ipu[] = {
	COLUMN("compute_set_id", INTEGER, KEY),
	BLOB("cycles_by_ipu_rle", NEVER_NULL, RUNS, IPU),
};

static const struct ts_profile_column inter_ipu_exchange_cycles_by_tile[] = {
	COLUMN("inter_ipu_exchange_id", INTEGER, KEY),
	BLOB("exchange_cycles_by_tile_ids", NEVER_NULL, LIST, IPU),
	BLOB("sync_cycles_by_tile_ids", NEVER_NULL, LIST, IPU),
};

static const struct ts_profile_column vertices[] = {
	COLUMN("vertex_id", INTEGER, KEY),
	COLUMN("compute_set_id", INTEGER, NEVER_NULL),
	COLUMN("vertex_type", INTEGER, NEVER_NULL),
	COLUMN("cycles", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column program_trace[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("program_id", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column absolute_markers[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("cycles_from", INTEGER, NEVER_NULL),
	COLUMN("cycles_length", INTEGER, NEVER_NULL),
	BLOB("step_id_by_tile", NEVER_NULL, LIST, TILE),
	BLOB("cycles_by_tile", NEVER_NULL, LIST, TILE),
};

static const struct ts_profile_column blocks[] = {
	COLUMN("tile", INTEGER, NEVER_NULL),
	COLUMN("cycles_from", INTEGER, NEVER_NULL),
	COLUMN("cycles_to", INTEGER, NEVER_NULL),
	COLUMN("block_id", INTEGER, 0),
	COLUMN("type", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column execution_cycle_totals[] = {
	COLUMN("run_id", INTEGER, 0),
	COLUMN("cycles", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_active_compute", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_compute", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_internal_exchange", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_inter_ipu_exchange", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_stream_copy", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_stream_copy_begin", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_stream_copy_end", INTEGER, NEVER_NULL),
	COLUMN("tile_cycles_sync", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_active_compute", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_compute", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_internal_exchange", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_inter_ipu_exchange", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_stream_copy", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_stream_copy_begin", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_stream_copy_end", INTEGER, NEVER_NULL),
	COLUMN("tile_overhead_cycles_sync", INTEGER, NEVER_NULL),
};

static const struct ts_profile_column string_table[] = {
	COLUMN("id", INTEGER, KEY),
	COLUMN("string", TEXT, 0),
};

/* ---- all ---- */

#define TABLE(table, group, key)                                      \
	{                                                             \
#table, TS_GROUP_##group, TS_COUNT(table), table, key \
	}

const struct ts_profile_table ts_profile_tables[] = {
	TABLE(poplar_version, TARGET, NULL),
	TABLE(version_info, TARGET, NULL),
	TABLE(date_time, TARGET, NULL),
	TABLE(compilation_info, TARGET, NULL),
	TABLE(execution_info, TARGET, NULL),
	TABLE(instrumentation_settings, TARGET, NULL),
	TABLE(target_info, TARGET, NULL),
	TABLE(relative_sync_delay, TARGET, NULL),
	TABLE(graph_info, TARGET, NULL),
	TABLE(compilation_parameters, TARGET, NULL),
	TABLE(target_parameters, TARGET, NULL),
	TABLE(execution_parameters, TARGET, "PRIMARY KEY(name, run)"),
	TABLE(optimization_info, TARGET, NULL),
	TABLE(compilation_trace, TARGET, NULL),
	TABLE(memory_by_tile, MEMORY, NULL),
	TABLE(memory_by_category, MEMORY, NULL),
	TABLE(var_categories, MEMORY, NULL),
	TABLE(vertex_types, MEMORY, NULL),
	TABLE(memory_by_vertex_type, MEMORY, NULL),
	TABLE(memory_by_compute_set, MEMORY, NULL),
	TABLE(vars_info, VARIABLES, NULL),
	TABLE(vars_string_table, VARIABLES, NULL),
	TABLE(allocation_order_by_tile, VARIABLES, NULL),
	TABLE(equivalence_class_interference, VARIABLES, NULL),
	TABLE(eq_classes, VARIABLES, NULL),
	TABLE(eq_class_step, VARIABLES, NULL),
	TABLE(unlowered_vars, VARIABLES, NULL),
	TABLE(var_bytes_by_eq_class, VARIABLES, NULL),
	TABLE(debug_ids, VARIABLES, "UNIQUE(variable_id)"),
	TABLE(depth_first_steps, LIVENESS, NULL),
	TABLE(memory_not_always_live_by_step_and_ipu, LIVENESS, NULL),
	TABLE(memory_liveness_tiles, LIVENESS, NULL),
	TABLE(compilation_steps, PROGRAMS, NULL),
	TABLE(programs, PROGRAMS, "PRIMARY KEY(compilation_step_id, id)"),
	TABLE(program_types, PROGRAMS, NULL),
	TABLE(control_programs, PROGRAMS, "PRIMARY KEY(compilation_step_id, id)"),
	TABLE(function_programs, PROGRAMS, "PRIMARY KEY(compilation_step_id, id)"),
	TABLE(program_type_on_tile_execute, PROGRAMS, NULL),
	TABLE(program_type_repeat, PROGRAMS, NULL),
	TABLE(program_type_call, PROGRAMS, NULL),
	TABLE(program_type_sync, PROGRAMS, NULL),
	TABLE(program_type_sans, PROGRAMS, NULL),
	TABLE(program_type_sync_ans, PROGRAMS, NULL),
	TABLE(program_type_do_exchange, PROGRAMS, NULL),
	TABLE(program_type_global_exchange, PROGRAMS, NULL),
	TABLE(program_type_stream_copy_mid, PROGRAMS, NULL),
	TABLE(program_type_code_copy, PROGRAMS, NULL),
	TABLE(compilation_cycles_by_tile, PROGRAMS, NULL),
	TABLE(exchange_target, PROGRAMS, NULL),
	TABLE(exchange_regions, PROGRAMS, "PRIMARY KEY(id, var_id)"),
	TABLE(host_exchange_from_host, PROGRAMS, NULL),
	TABLE(host_exchange_to_host, PROGRAMS, NULL),
	TABLE(compute_sets, PROGRAMS, NULL),
	TABLE(vertex_instances, PROGRAMS, "PRIMARY KEY(compute_set, vertex_type)"),
	TABLE(runs, EXECUTION, NULL),
	TABLE(steps, EXECUTION, NULL),
	TABLE(steps_by_ipu, EXECUTION, "PRIMARY KEY(step_id, ipu)"),
	TABLE(cycles_by_tile, EXECUTION, NULL),
	TABLE(compute_set_cycles_by_tile, EXECUTION, NULL),
	TABLE(compute_set_cycles_by_ipu, EXECUTION, NULL),
	TABLE(inter_ipu_exchange_cycles_by_tile, EXECUTION, NULL),
	TABLE(vertices, EXECUTION, NULL),
	TABLE(program_trace, EXECUTION, NULL),
	TABLE(absolute_markers, EXECUTION, NULL),
	TABLE(blocks, EXECUTION, NULL),
	TABLE(execution_cycle_totals, EXECUTION, NULL),
	TABLE(string_table, EXECUTION, NULL),
};

const int ts_profile_tables_count = TS_COUNT(ts_profile_tables);

static const char *const indexes[] = {
	"CREATE INDEX memory_not_always_live_by_ipu ON memory_not_always_live_by_step_and_ipu(ipu);",
	"CREATE INDEX block_cycles_from ON blocks(tile, cycles_from);",
	"CREATE INDEX block_cycles_to ON blocks(tile, cycles_to);",
};

static const char *const types[] = {
	[TS_DECLARED_INTEGER] = " INTEGER",
	[TS_DECLARED_INT] = " INT",
	[TS_DECLARED_BOOLEAN] = " BOOLEAN",
	[TS_DECLARED_REAL] = " REAL",
	[TS_DECLARED_TEXT] = " TEXT",
	[TS_DECLARED_BLOB] = " BLOB",
	[TS_DECLARED_UNTYPED] = "",
};

const struct ts_profile_table *
ts_profile_table_find(const char *table)
{
	for (int i = 0; i < ts_profile_tables_count; i++)
		if (strcmp(ts_profile_tables[i].name, table) == 0)
			return &ts_profile_tables[i];
	return NULL;
}

const struct ts_profile_column *
ts_profile_column_find(const struct ts_profile_table *t, const char *column)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(t->column[i].name, column) == 0)
			return &t->column[i];
	return NULL;
}

void
ts_profile_sql(struct ts_strbuf *out)
{
	for (const struct ts_profile_table *t = ts_profile_tables;
		t < ts_profile_tables + ts_profile_tables_count; t++) {
		ts_strbuf_printf(out, "CREATE TABLE %s(", t->name);
		for (int i = 0; i < t->columns; i++) {
			const struct ts_profile_column *c = &t->column[i];

			ts_strbuf_printf(out, "%s\"%s\"%s%s%s", i ? ", " : "", c->name,
				types[c->type], c->flags & TS_COLUMN_KEY ? " PRIMARY KEY" : "",
				c->flags & TS_COLUMN_NOT_NULL ? " NOT NULL" : "");
		}
		ts_strbuf_printf(out, "%s%s);\n", t->key ? ", " : "", t->key ? t->key : "");
	}
	for (size_t i = 0; i < TS_COUNT(indexes); i++)
		ts_strbuf_printf(out, "%s\n", indexes[i]);
}
