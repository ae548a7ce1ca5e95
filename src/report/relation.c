/* SPDX-License-Identifier: MIT */
/* relation - the table of the report model; see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/report/relation.h"

#define I TS_TYPE_INTEGER
#define R TS_TYPE_REAL
#define T TS_TYPE_TEXT
#define B TS_TYPE_BLOB

static const struct ts_relation_def defs[TS_RELATION_COUNT] = {
	[TS_REPORT] = {"report", -1, 2,
		{
			{"key", T, true},
			{"value", T, true},
		}},
	[TS_TARGET] = {"target", -1, 9,
		{
			{"type", T, false},
			{"architecture", T, false},
			{"ipus", I, false},
			{"replicas", I, false},
			{"tiles_per_ipu", I, false},
			{"bytes_per_tile", I, false},
			{"clock_hz", R, false},
			{"memory_base", I, false},
			{"interleaved_start", I, false},
		}},
	[TS_ENGINE_OPTION] = {"engine_option", -1, 5,
		{
			{"scope", T, false},
			{"run", I, false},
			{"key", T, true},
			{"value", T, true},
			{"is_default", I, false},
		}},
	[TS_HOST] = {"host", -1, 2,
		{
			{"key", T, true},
			{"value", T, true},
		}},
	[TS_COMPILE_PASS] = {"compile_pass", TS_COMPILE_PASS_PASS, 5,
		{
			{"pass", I, true},
			{"name", T, true},
			{"start_us", I, true},
			{"duration_us", I, true},
			{"parent", I, false},
		}},
	[TS_GRAPH_COUNT] = {"graph_count", -1, 2,
		{
			{"name", T, true},
			{"value", I, true},
		}},
	[TS_IPU] = {"ipu", TS_IPU_IPU, 4,
		{
			{"ipu", I, true},
			{"replica", I, false},
			{"first_tile", I, true},
			{"tile_count", I, true},
		}},
	[TS_TILE_MEMORY] = {"tile_memory", TS_TILE_MEMORY_TILE, 10,
		{
			{"tile", I, true},
			{"ipu", I, false},
			{"physical", I, false},
			{"total", I, true},
			{"total_gaps", I, false},
			{"non_interleaved", I, false},
			{"interleaved", I, false},
			{"overflowed", I, false},
			{"always_live", I, false},
			{"not_always_live_peak", I, false},
		}},
	[TS_MEMORY_CATEGORY] = {"memory_category", TS_MEMORY_CATEGORY_CATEGORY, 3,
		{
			{"category", I, true},
			{"name", T, true},
			{"description", T, false},
		}},
	[TS_TILE_CATEGORY] = {"tile_category", TS_TILE_CATEGORY_TILE, 5,
		{
			{"tile", I, true},
			{"category", I, true},
			{"region", T, false},
			{"not_overlapped", I, true},
			{"overlapped", I, false},
		}},
	[TS_VERTEX_TYPE] = {"vertex_type", TS_VERTEX_TYPE_VERTEX_TYPE, 4,
		{
			{"vertex_type", I, true},
			{"name", T, true},
			{"state_bytes", I, false},
			{"source", T, false},
		}},
	[TS_TILE_VERTEX] = {"tile_vertex", TS_TILE_VERTEX_TILE, 8,
		{
			{"tile", I, true},
			{"vertex_type", I, true},
			{"code_bytes", I, true},
			{"data_bytes", I, false},
			{"edge_pointer_bytes", I, false},
			{"copy_pointer_bytes", I, false},
			{"descriptor_bytes", I, false},
			{"padding_bytes", I, false},
		}},
	[TS_TILE_COMPUTE_SET] = {"tile_compute_set", TS_TILE_COMPUTE_SET_TILE, 7,
		{
			{"tile", I, true},
			{"compute_set", I, true},
			{"data_bytes", I, false},
			{"edge_pointer_bytes", I, false},
			{"copy_pointer_bytes", I, false},
			{"descriptor_bytes", I, false},
			{"padding_bytes", I, false},
		}},
	[TS_LOWERED_VARIABLE] = {"lowered_variable", TS_LOWERED_VARIABLE_TILE, 15,
		{
			{"id", I, false},
			{"tile", I, true},
			{"name", T, false},
			{"bytes", I, true},
			{"offset", I, false},
			{"alignment", I, false},
			{"category", I, false},
			{"class", I, false},
			{"variable", I, false},
			{"always_live", I, false},
			{"constant", I, false},
			{"executable", I, false},
			{"interleaved", I, false},
			{"element_type", T, false},
			{"context", I, false},
		}},
	[TS_EQUIVALENCE_CLASS] = {"equivalence_class", TS_EQUIVALENCE_CLASS_CLASS, 2,
		{
			{"class", I, true},
			{"always_live", I, true},
		}},
	[TS_CLASS_INTERFERENCE] = {"class_interference", TS_CLASS_INTERFERENCE_CLASS, 2,
		{
			{"class", I, true},
			{"other", I, true},
		}},
	[TS_ALLOCATION] = {"allocation", TS_ALLOCATION_TILE, 3,
		{
			{"tile", I, true},
			{"position", I, true},
			{"lowered_variable", I, true},
		}},
	[TS_ELEMENT_CONSTRAINT] = {"element_constraint", TS_ELEMENT_CONSTRAINT_LOWERED_VARIABLE, 2,
		{
			{"lowered_variable", I, true},
			{"other", I, true},
		}},
	[TS_CLASS_INTERVAL] = {"class_interval", TS_CLASS_INTERVAL_CLASS, 3,
		{
			{"class", I, true},
			{"start", I, true},
			{"end", I, true},
		}},
	[TS_MEMORY_ELEMENT] = {"memory_element", TS_MEMORY_ELEMENT_ELEMENT, 4,
		{
			{"element", I, true},
			{"offset", I, true},
			{"bytes", I, true},
			{"interleaved", I, false},
		}},
	[TS_PROGRAM] = {"program", TS_PROGRAM_PROGRAM, 16,
		{
			{"program", I, true},
			{"type", T, false},
			{"name", T, false},
			{"named_by", T, false},
			{"compute_set", I, false},
			{"function", I, false},
			{"repeat_count", I, false},
			{"sync_type", T, false},
			{"context", I, false},
			{"control_code_by_tile", B, false},
			{"own_control_code_by_tile", B, false},
			{"code_by_tile", B, false},
			{"estimated_cycles_by_tile", B, false},
			{"cycles_by_tile", B, false},
			{"bytes_in_by_tile", B, false},
			{"bytes_out_by_tile", B, false},
		}},
	[TS_PROGRAM_VARIABLE] = {"program_variable", TS_PROGRAM_VARIABLE_PROGRAM, 4,
		{
			{"program", I, true},
			{"lowered_variable", I, true},
			{"direction", T, false},
			{"bytes", I, false},
		}},
	[TS_PROGRAM_CHILD] = {"program_child", TS_PROGRAM_CHILD_PARENT, 3,
		{
			{"parent", I, true},
			{"position", I, true},
			{"child", I, true},
		}},
	[TS_PROGRAM_ROOT] = {"program_root", -1, 3,
		{
			{"kind", T, true},
			{"position", I, true},
			{"program", I, true},
		}},
	[TS_STREAM_COPY] = {"stream_copy", TS_STREAM_COPY_PROGRAM, 6,
		{
			{"program", I, true},
			{"direction", T, true},
			{"stream", T, true},
			{"remote_buffer", I, false},
			{"regions", T, false},
			{"bytes", I, false},
		}},
	[TS_COMPUTE_SET] = {"compute_set", TS_COMPUTE_SET_COMPUTE_SET, 7,
		{
			{"compute_set", I, true},
			{"name", T, true},
			{"context", I, false},
			{"edges", I, false},
			{"estimated_cycles_by_tile", B, false},
			{"cycles_by_tile", B, false},
			{"estimated_flops_by_tile", B, false},
		}},
	[TS_COMPUTE_SET_VERTEX] = {"compute_set_vertex", TS_COMPUTE_SET_VERTEX_COMPUTE_SET, 4,
		{
			{"compute_set", I, true},
			{"vertex_type", I, true},
			{"instances", I, true},
			{"count_by_tile", B, false},
		}},
	[TS_LIVENESS_STEP] = {"liveness_step", TS_LIVENESS_STEP_LIVE_STEP, 5,
		{
			{"live_step", I, true},
			{"program", I, false},
			{"parent", I, false},
			{"depth", I, false},
			{"not_always_live", I, true},
		}},
	[TS_LIVENESS_STEP_IPU] = {"liveness_step_ipu", TS_LIVENESS_STEP_IPU_LIVE_STEP, 3,
		{
			{"live_step", I, true},
			{"ipu", I, true},
			{"not_always_live", I, true},
		}},
	[TS_VARIABLE] = {"variable", TS_VARIABLE_VARIABLE, 9,
		{
			{"variable", I, true},
			{"name", T, true},
			{"bytes", I, true},
			{"always_live", I, true},
			{"always_live_bytes", I, false},
			{"pseudo", I, false},
			{"element_type", T, false},
			{"shape", T, false},
			{"context", I, false},
		}},
	[TS_TILE_VARIABLE] = {"tile_variable", TS_TILE_VARIABLE_TILE, 4,
		{
			{"tile", I, true},
			{"variable", I, true},
			{"class", I, true},
			{"bytes", I, true},
		}},
	[TS_LIVENESS_VARIABLE] = {"liveness_variable", TS_LIVENESS_VARIABLE_VARIABLE, 6,
		{
			{"variable", I, true},
			{"class", I, false},
			{"bytes", I, false},
			{"always_live", I, false},
			{"start", I, true},
			{"end", I, true},
		}},
	[TS_TILE_ALWAYS_LIVE] = {"tile_always_live", TS_TILE_ALWAYS_LIVE_TILE, 3,
		{
			{"tile", I, true},
			{"name", T, true},
			{"bytes", I, true},
		}},
	[TS_RUN] = {"run", TS_RUN_RUN, 8,
		{
			{"run", I, true},
			{"name", T, false},
			{"start_us", I, false},
			{"end_us", I, false},
			{"elapsed_us", I, false},
			{"first_step", I, true},
			{"step_count", I, true},
			{"program_count", I, false},
		}},
	[TS_STEP] = {"step", TS_STEP_STEP, 7,
		{
			{"step", I, true},
			{"run", I, false},
			{"type", T, true},
			{"sync_type", T, false},
			{"program", I, false},
			{"compute_set", I, false},
			{"name", T, false},
		}},
	[TS_STEP_IPU] = {"step_ipu", TS_STEP_IPU_STEP, 13,
		{
			{"step", I, true},
			{"ipu", I, true},
			{"cycles", I, true},
			{"start", I, true},
			{"end", I, true},
			{"active_tiles", I, false},
			{"active_start_max", I, false},
			{"active_end_min", I, false},
			{"data_in", I, false},
			{"data_out", I, false},
			{"tile_balance", R, false},
			{"active_tile_balance", R, false},
			{"thread_balance", R, false},
		}},
	[TS_BLOCK] = {"block", TS_BLOCK_TILE, 8,
		{
			{"tile", I, true},
			{"seq", I, true},
			{"block", I, false},
			{"program", I, false},
			{"name", T, false},
			{"kind", T, false},
			{"cycles_from", I, true},
			{"cycles_to", I, true},
		}},
	[TS_CONTEXT] = {"context", TS_CONTEXT_CONTEXT, 8,
		{
			{"context", I, true},
			{"parent", I, false},
			{"layer", T, true},
			{"name", T, true},
			{"file", T, false},
			{"function", T, false},
			{"line", I, false},
			{"details", T, false},
		}},
	[TS_OPERATION] = {"operation", TS_OPERATION_OPERATION, 7,
		{
			{"operation", I, true},
			{"layer", T, true},
			{"name", T, true},
			{"debug_name", T, false},
			{"context", I, false},
			{"first_step", I, false},
			{"last_step", I, false},
		}},
	[TS_OPERATION_PROGRAM] = {"operation_program", TS_OPERATION_PROGRAM_OPERATION, 2,
		{
			{"operation", I, true},
			{"program", I, true},
		}},
	[TS_OPERATION_VARIABLE] = {"operation_variable", TS_OPERATION_VARIABLE_OPERATION, 2,
		{
			{"operation", I, true},
			{"lowered_variable", I, true},
		}},
};

const struct ts_relation_def *
ts_relation_def(enum ts_relation relation)
{
	return &defs[relation];
}

int
ts_relation_find(const char *name)
{
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		if (strcmp(defs[i].name, name) == 0)
			return i;
	return -1;
}

int
ts_relation_column(enum ts_relation relation, const char *name)
{
	for (int i = 0; i < defs[relation].column_count; i++)
		if (strcmp(defs[relation].column[i].name, name) == 0)
			return i;
	return -1;
}
