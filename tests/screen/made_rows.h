/* SPDX-License-Identifier: MIT */
/*
 * made_rows - a profile.pop made of rows of relations, for Check programs.
 *
 * A test creates tables named like relations, with the columns that it needs, in a database in memory, and fills them
 * with SQL. made_rows_write() puts their rows into the tables of profile.pop. Tables and columns of relations that
 * the test did not create are left out of the file, as in one of another version; nothing is NOT NULL, so that rows
 * may be as odd as a test wants.
 *
 * Variables before lowering have a class each, with their rows of liveness_variable as intervals.
 */
#ifndef TS_TESTS_SCREEN_MADE_ROWS_H
#define TS_TESTS_SCREEN_MADE_ROWS_H

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/profile/blob.h"
#include "tilescope/profile/tables.h"
#include "tilescope/report/relation.h"

/* ---- packed numbers ---- */

enum { MADE_NUMBERS_MOST = 1 << 20 };

struct made_numbers {
	int64_t *v;
	int64_t n, cap;
};

static inline enum ts_blob_kind
made_kind(sqlite3_value *v)
{
	const char *s = (const char *)sqlite3_value_text(v);

	return *s == 'r' ? TS_BLOB_RUNS : *s == 'd' ? TS_BLOB_DIFFERENCES : TS_BLOB_LIST;
}

static inline void
made_result(sqlite3_context *c, enum ts_blob_kind kind, const int64_t *v, int64_t n)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, 64 << 20);
	ts_blob_put(&b, kind, v, (size_t)n);
	sqlite3_result_blob64(c, b.s ? b.s : "", b.len, SQLITE_TRANSIENT);
	ts_strbuf_fini(&b);
}

/* pack_list(N, I, V) and its like, aggregates: N numbers with the sum of V at I; N NULL: as many as there are. */
static inline void
made_step(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	struct made_numbers *m = sqlite3_aggregate_context(c, sizeof(*m));
	int64_t i = sqlite3_value_int64(argv[1]);
	int64_t n = ts_min_i64(sqlite3_value_int64(argv[0]), MADE_NUMBERS_MOST);

	(void)argc;
	ck_assert_ptr_nonnull(m);
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		n = ts_min_i64(i + 1, MADE_NUMBERS_MOST);
	if (n > m->cap) {
		m->v = realloc(m->v, (size_t)n * 2 * sizeof(*m->v));
		ck_assert_ptr_nonnull(m->v);
		m->cap = n * 2;
	}
	for (; m->n < n; m->n++)
		m->v[m->n] = 0;
	if (i >= 0 && i < m->n)
		m->v[i] += sqlite3_value_int64(argv[2]);
}

static inline void
made_final(sqlite3_context *c)
{
	struct made_numbers *m = sqlite3_aggregate_context(c, 0);

	if (!m) {
		sqlite3_result_null(c);
		return;
	}
	made_result(c, (enum ts_blob_kind)(intptr_t)sqlite3_user_data(c), m->v, m->n);
	free(m->v);
}

/* repacked(KIND, N, FROM, B): numbers [FROM, FROM + N) of an array by tile; those that it has not are 0. */
static inline void
made_repacked(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	int64_t n = ts_min_i64(sqlite3_value_int64(argv[1]), MADE_NUMBERS_MOST),
		from = sqlite3_value_int64(argv[2]);
	const unsigned char *b = sqlite3_value_blob(argv[3]);
	int64_t have = sqlite3_value_bytes(argv[3]) / 4, *v;

	(void)argc;
	if (sqlite3_value_type(argv[3]) == SQLITE_NULL) {
		sqlite3_result_null(c);
		return;
	}
	v = calloc((size_t)n + 1, sizeof(*v));
	ck_assert_ptr_nonnull(v);
	for (int64_t i = 0; i < n && from + i < have; i++)
		v[i] = b[4 * (from + i)] | b[4 * (from + i) + 1] << 8 |
			b[4 * (from + i) + 2] << 16 | (int64_t)b[4 * (from + i) + 3] << 24;
	made_result(c, made_kind(argv[0]), v, n);
	free(v);
}

/* ---- what relations become ---- */

/* Where columns of relations that a test did not create would stand; without a column: the table. */
static const struct {
	const char *relation, *column, *table, *its;
} made_lacks[] = {
	{"report", NULL, "poplar_version", NULL},
	{"report", NULL, "instrumentation_settings", NULL},
	{"target", NULL, "target_info", NULL},
	{"graph_count", NULL, "graph_info", NULL},
	{"engine_option", NULL, "compilation_parameters", NULL},
	{"engine_option", NULL, "target_parameters", NULL},
	{"engine_option", NULL, "execution_parameters", NULL},
	{"tile_memory", NULL, "memory_by_tile", NULL},
	{"tile_memory", "total_gaps", "memory_by_tile", "total_including_gaps"},
	{"tile_memory", "non_interleaved", "memory_by_tile", "non_interleaved"},
	{"tile_memory", "interleaved", "memory_by_tile", "interleaved"},
	{"tile_memory", "overflowed", "memory_by_tile", "overflowed"},
	{"tile_memory", "always_live", "memory_by_tile", "always_live_bytes"},
	{"tile_memory", "not_always_live_peak", "memory_by_tile", "not_always_live_max_bytes"},
	{"memory_category", NULL, "var_categories", NULL},
	{"tile_category", NULL, "memory_by_category", NULL},
	{"vertex_type", NULL, "vertex_types", NULL},
	{"tile_vertex", NULL, "memory_by_vertex_type", NULL},
	{"tile_compute_set", NULL, "memory_by_compute_set", NULL},
	{"lowered_variable", NULL, "vars_info", NULL},
	{"lowered_variable", NULL, "vars_string_table", NULL},
	{"lowered_variable", NULL, "allocation_order_by_tile", NULL},
	{"lowered_variable", "name", "vars_string_table", NULL},
	{"lowered_variable", "offset", "vars_info", "offset"},
	{"lowered_variable", "alignment", "vars_info", "alignment"},
	{"lowered_variable", "category", "vars_info", "category"},
	{"lowered_variable", "class", "vars_info", "equivalence_class"},
	{"lowered_variable", "variable", "vars_info", "unlowered_var_id"},
	{"class_interference", NULL, "equivalence_class_interference", NULL},
	{"liveness_step", NULL, "depth_first_steps", NULL},
	{"liveness_step", NULL, "memory_not_always_live_by_step_and_ipu", NULL},
	{"variable", NULL, "unlowered_vars", NULL},
	{"variable", NULL, "var_bytes_by_eq_class", NULL},
	{"variable", NULL, "debug_ids", NULL},
	{"program", NULL, "programs", NULL},
	{"program", NULL, "control_programs", NULL},
	{"program", NULL, "function_programs", NULL},
	{"compute_set", NULL, "compute_sets", NULL},
	{"compute_set_vertex", NULL, "vertex_instances", NULL},
	{"run", NULL, "runs", NULL},
	{"step", NULL, "steps", NULL},
	{"step", "program", "steps", "program"},
	{"step", "compute_set", "steps", "compute_set"},
	{"step_ipu", NULL, "steps_by_ipu", NULL},
	{"step_ipu", "active_tiles", "steps_by_ipu", "active_tiles"},
	{"step_ipu", "active_start_max", "steps_by_ipu", "active_cycles_from_max"},
	{"step_ipu", "active_end_min", "steps_by_ipu", "active_cycles_to_min"},
	{"step_ipu", "tile_balance", "steps_by_ipu", "tile_balance"},
	{"step_ipu", "active_tile_balance", "steps_by_ipu", "active_tile_balance"},
	{"step_ipu", "thread_balance", "steps_by_ipu", "thread_balance"},
	{"block", NULL, "blocks", NULL},
};

#define MADE_TILES \
	"(SELECT coalesce(max(ipus * tiles_per_ipu), (SELECT max(tile) + 1 FROM r_tile_memory)) FROM r_target)"
#define MADE_IPUS "(SELECT ipus FROM r_target)"
#define MADE_IPU_TILES "(SELECT tiles_per_ipu FROM r_target)"
#define MADE_OPTIONS(scope) \
	"SELECT key, value, is_default FROM r_engine_option WHERE scope = '" scope "'"
/* Columns of a row for each key, of numbers by tile. */
#define MADE_NUMBERS(as, v) "pack_list(" MADE_TILES ", tile, " v ") AS " as
#define MADE_RUNS(as, v) "pack_runs(" MADE_TILES ", tile, " v ") AS " as
#define MADE_REGION(name, v) \
	"pack_list(" MADE_TILES ", tile, CASE WHEN region IS '" name "' THEN " v " END)"

static const char *const made_sql[] = {
	"INSERT INTO p.poplar_version(string) SELECT value FROM r_report WHERE key = 'poplar_version'",
	"INSERT INTO p.instrumentation_settings(compute, compute_level, external_exchange, control_flow) "
	"SELECT 1, value, 1, 1 FROM r_report WHERE key = 'compute_instrumentation'",
	"INSERT INTO p.target_info(type_, architecture, num_ipus, num_replicas, ipus_per_replica, tiles_per_ipu, "
	"num_tiles, bytes_per_tile, clock_frequency, tileMemoryBaseAddress, interleavedMemoryStart, "
	"memoryElementOffsets) SELECT type, architecture, ipus, replicas, ipus / max(1, coalesce(replicas, 1)), "
	"tiles_per_ipu, ipus * tiles_per_ipu, bytes_per_tile, CAST(clock_hz AS INTEGER), memory_base, "
	"coalesce(interleaved_start, (SELECT min(offset) FROM r_memory_element WHERE interleaved)), "
	"(SELECT pack_list(NULL, element, offset) FROM r_memory_element) FROM r_target",
	"INSERT INTO p.compilation_parameters " MADE_OPTIONS("compilation") "",
	"INSERT INTO p.target_parameters " MADE_OPTIONS("target") "",
	"INSERT INTO p.memory_by_tile(tile, total, total_including_gaps, non_interleaved, interleaved, overflowed, "
	"always_live_bytes, not_always_live_max_bytes) SELECT tile, total, total_gaps, non_interleaved, "
	"interleaved, overflowed, always_live, not_always_live_peak FROM r_tile_memory",
	"INSERT INTO p.var_categories SELECT category, name, description FROM r_memory_category",
	"INSERT INTO p.memory_by_category(category_id, interleaved_non_overlapped, interleaved_overlapped, "
	"non_interleaved_non_overlapped, non_interleaved_overlapped, overflowed_non_overlapped, "
	"overflowed_overlapped) SELECT c.name, " MADE_REGION("interleaved",
		"not_overlapped") ", " MADE_REGION("interleaved",
		"overlapped") ", "
			      "pack_list(" MADE_TILES
			      ", tile, CASE WHEN coalesce(region, 'non_interleaved') = 'non_interleaved' THEN "
			      "not_overlapped END), "
			      "pack_list(" MADE_TILES
			      ", tile, CASE WHEN coalesce(region, 'non_interleaved') = 'non_interleaved' THEN "
			      "overlapped END), " MADE_REGION("overflowed",
				      "not_overlapped") ", " MADE_REGION("overflowed",
				      "overlapped") " FROM r_tile_category t JOIN r_memory_category c USING(category) GROUP BY category",
	"INSERT INTO p.vertex_types SELECT vertex_type, name, state_bytes, source FROM r_vertex_type",
	"INSERT INTO p.memory_by_vertex_type(vertex_type, code_bytes, copy_ptr_bytes, descriptor_bytes, "
	"edge_ptr_bytes, padding_bytes, vertex_data_bytes) SELECT vertex_type, " MADE_NUMBERS("a",
		"code_bytes") ", " MADE_NUMBERS("b", "copy_pointer_bytes") ", " MADE_NUMBERS("c",
		"descriptor_bytes") ", " MADE_NUMBERS("d",
		"edge_pointer_bytes") ", " MADE_NUMBERS("e", "padding_bytes") ", " MADE_NUMBERS("f",
		"data_bytes") " FROM r_tile_vertex GROUP BY vertex_type",
	"INSERT INTO p.memory_by_compute_set(compute_set, copy_ptr_bytes, descriptor_bytes, edge_ptr_bytes, "
	"padding_bytes, vertex_data_bytes) SELECT compute_set, " MADE_RUNS("b",
		"copy_pointer_bytes") ", " MADE_RUNS("c", "descriptor_bytes") ", " MADE_RUNS("d",
		"edge_pointer_bytes") ", " MADE_RUNS("e", "padding_bytes") ", " MADE_RUNS("f",
		"data_bytes") " FROM r_tile_compute_set GROUP BY compute_set",
	/* a variable without a class has that of all that are always live, or of none */
	"INSERT INTO p.vars_string_table(id, string) SELECT row_number() OVER (ORDER BY name) - 1, name FROM "
	"(SELECT DISTINCT CAST(name AS TEXT) AS name FROM r_lowered_variable WHERE name IS NOT NULL)",
	"CREATE TEMP TABLE made_names AS SELECT id, CAST(string AS TEXT) AS string FROM p.vars_string_table",
	"CREATE INDEX temp.made_names_string ON made_names(string)",
	"INSERT INTO p.vars_info(var_id, tile, name_base_id, name_suffix, size_bytes, alignment, offset, category, "
	"equivalence_class, unlowered_var_id, bitset) SELECT id, tile, (SELECT n.id FROM made_names n WHERE "
	"n.string = l.name), '', bytes, alignment, offset, category, "
	"coalesce(class, CASE WHEN always_live THEN 1000000 ELSE 1000001 END), variable, "
	"1 + 2 * coalesce(constant, 0) + 8 * coalesce(executable, 0) + 128 * coalesce(interleaved, 0) "
	"FROM r_lowered_variable l",
	"INSERT INTO p.eq_classes SELECT coalesce(class, CASE WHEN always_live THEN 1000000 ELSE 1000001 END) AS c, "
	"max(coalesce(always_live, 0)) FROM r_lowered_variable WHERE NOT (class IS NULL AND always_live IS NULL) GROUP BY c",
	"INSERT OR IGNORE INTO p.eq_classes SELECT class, coalesce(always_live, 0) FROM r_equivalence_class",
	"INSERT OR IGNORE INTO p.eq_classes SELECT DISTINCT class, 0 FROM r_class_interval WHERE class IS NOT NULL",
	"INSERT INTO p.eq_class_step SELECT class, start, \"end\" FROM r_class_interval",
	"INSERT INTO p.equivalence_class_interference SELECT class, pack_list(NULL, i, other) FROM (SELECT class, other, "
	"row_number() OVER (PARTITION BY class) - 1 AS i FROM r_class_interference) GROUP BY class",
	"INSERT INTO p.allocation_order_by_tile SELECT tile, pack_list(NULL, position, lowered_variable) FROM "
	"r_allocation GROUP BY tile",
	"INSERT INTO p.unlowered_vars SELECT variable, name FROM r_variable",
	"INSERT OR IGNORE INTO p.eq_classes SELECT 2000000 + variable, coalesce(always_live, 0) FROM r_variable",
	"INSERT INTO p.var_bytes_by_eq_class SELECT variable, 2000000 + variable, bytes, NULL FROM r_variable",
	"INSERT INTO p.var_bytes_by_eq_class SELECT variable, class, sum(bytes), tile FROM r_lowered_variable "
	"WHERE variable IS NOT NULL AND class IS NOT NULL GROUP BY tile, variable, class",
	"INSERT INTO p.eq_class_step SELECT 2000000 + variable, start, \"end\" FROM r_liveness_variable",
	"INSERT INTO p.depth_first_steps SELECT live_step, program, parent FROM r_liveness_step",
	"INSERT INTO p.memory_not_always_live_by_step_and_ipu SELECT NULL, live_step, not_always_live - "
	"lag(not_always_live, 1, 0) OVER (ORDER BY live_step) FROM r_liveness_step",
	"INSERT INTO p.memory_not_always_live_by_step_and_ipu SELECT ipu, live_step, not_always_live - "
	"lag(not_always_live, 1, 0) OVER (PARTITION BY ipu ORDER BY live_step) FROM r_liveness_step_ipu",
	"INSERT INTO p.program_types SELECT row_number() OVER (ORDER BY type), type, CASE type "
	"WHEN 'OnTileExecute' THEN 'program_type_on_tile_execute' WHEN 'Repeat' THEN 'program_type_repeat' "
	"WHEN 'DoExchange' THEN 'program_type_do_exchange' WHEN 'Sync' THEN 'program_type_sync' "
	"WHEN 'GlobalExchange' THEN 'program_type_global_exchange' "
	"WHEN 'StreamCopyMid' THEN 'program_type_stream_copy' END FROM "
	"(SELECT DISTINCT type FROM r_program WHERE type IS NOT NULL)",
	"INSERT INTO p.programs(id, variant, variant_index, children, name, debug_id, control_code_bytes_by_tile) "
	"SELECT program, (SELECT id FROM p.program_types t WHERE t.name = r.type), program, "
	"(SELECT pack_list(NULL, position, child) FROM r_program_child c WHERE c.parent = r.program), name, context, "
	"repacked('runs', " MADE_TILES ", 0, control_code_by_tile) FROM r_program r",
	"INSERT INTO p.program_type_on_tile_execute SELECT program, coalesce(compute_set, 1000000 + program) FROM "
	"r_program WHERE type = 'OnTileExecute' AND (compute_set IS NOT NULL OR program IN (SELECT program FROM "
	"r_program_variable))",
	"INSERT INTO p.program_type_repeat SELECT program, repeat_count FROM r_program WHERE type = 'Repeat'",
	"INSERT INTO p.program_type_sync SELECT program, coalesce(sync_type, 'Internal') FROM r_program WHERE type = 'Sync'",
	"INSERT INTO p.program_type_do_exchange(id, code_bytes_by_tile_rle, cycles_by_tile_rle, "
	"bytes_received_by_tile_rle, bytes_sent_by_tile_rle, source_regions_id, destination_regions_id) "
	"SELECT program, repacked('runs', " MADE_TILES ", 0, code_by_tile), "
	"repacked('runs', " MADE_TILES ", 0, estimated_cycles_by_tile), "
	"repacked('runs', " MADE_TILES ", 0, bytes_in_by_tile), "
	"repacked('runs', " MADE_TILES ", 0, bytes_out_by_tile), 2 * program, 2 * program + 1 "
	"FROM r_program WHERE type = 'DoExchange'",
	"INSERT INTO p.program_type_global_exchange(id, estimated_cycles_by_tile_rle, bytes_received_by_tile_rle, "
	"bytes_sent_by_tile_rle, source_regions_id, destination_regions_id, sync_type) "
	"SELECT program, repacked('runs', " MADE_TILES ", 0, estimated_cycles_by_tile), "
	"repacked('runs', " MADE_TILES ", 0, bytes_in_by_tile), "
	"repacked('runs', " MADE_TILES
	", 0, bytes_out_by_tile), 2 * program, 2 * program + 1, 'External' "
	"FROM r_program WHERE type = 'GlobalExchange'",
	"INSERT INTO p.program_type_stream_copy_mid(id, estimated_cycles_by_tile_rle, bytes_received_by_tile_rle, "
	"bytes_sent_by_tile_rle) SELECT program, repacked('runs', " MADE_TILES
	", 0, estimated_cycles_by_tile), "
	"repacked('runs', " MADE_TILES ", 0, bytes_in_by_tile), "
	"repacked('runs', " MADE_TILES
	", 0, bytes_out_by_tile) FROM r_program WHERE type = 'StreamCopyMid'",
	"INSERT OR IGNORE INTO p.exchange_regions SELECT 2 * v.program + (v.direction IS 'in'), v.lowered_variable, "
	"'[0,' || coalesce(v.bytes, 4) || ')' FROM r_program_variable v JOIN r_program r USING(program) "
	"WHERE r.type <> 'OnTileExecute'",
	"INSERT INTO p.control_programs(id, program) SELECT position, program FROM r_program_root WHERE kind = 'control'",
	"INSERT INTO p.function_programs(id, program) SELECT position, program FROM r_program_root WHERE kind = 'function'",
	"INSERT INTO p.compute_sets(compute_set, name, debug_id, edge_count, cycles_by_tile, estimated_flops_by_tile) "
	"SELECT compute_set, name, context, edges, repacked('list', " MADE_TILES
	", 0, estimated_cycles_by_tile), "
	"repacked('list', " MADE_TILES ", 0, estimated_flops_by_tile) FROM r_compute_set",
	"INSERT OR IGNORE INTO p.compute_sets(compute_set, name) SELECT x.compute_set, '' FROM "
	"p.program_type_on_tile_execute x WHERE compute_set >= 1000000",
	"UPDATE p.compute_sets SET var_ids_diff_rle = (SELECT pack_differences(NULL, i, v) FROM (SELECT "
	"row_number() OVER (ORDER BY v) - 1 AS i, v FROM (SELECT DISTINCT lowered_variable AS v FROM "
	"r_program_variable WHERE program IN (SELECT id FROM p.program_type_on_tile_execute x WHERE "
	"x.compute_set = compute_sets.compute_set))))",
	"WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < " MADE_IPUS
	") "
	"INSERT INTO p.cycles_by_tile SELECT compute_set * 4096 + i, repacked('runs', " MADE_IPU_TILES
	", i * " MADE_IPU_TILES
	", cycles_by_tile) FROM r_compute_set, i WHERE cycles_by_tile IS NOT NULL",
	"INSERT INTO p.compute_set_cycles_by_tile SELECT id / 4096, pack_list(NULL, id % 4096, id) FROM "
	"p.cycles_by_tile GROUP BY id / 4096",
	"INSERT INTO p.vertex_instances SELECT compute_set, vertex_type, coalesce(repacked('runs', " MADE_TILES
	", 0, count_by_tile), (SELECT pack_runs(" MADE_TILES
	", 0, x.n) FROM (SELECT v.instances AS n) x)) FROM r_compute_set_vertex v",
	"INSERT INTO p.runs(id, name, start_epoch_time_microseconds, elapsed_microseconds, num_programs, num_steps) "
	"SELECT run, name, start_us, coalesce(elapsed_us, end_us - start_us), program_count, step_count FROM r_run",
	"INSERT INTO p.steps(id, type, program, sync_type, compute_set) SELECT step, type, program, sync_type, "
	"compute_set FROM r_step",
	"INSERT INTO p.steps_by_ipu(step_id, ipu, cycles_base, active_cycles_from_min, active_cycles_to_max, "
	"active_cycles_from_max, active_cycles_to_min, cycles, active_tiles, tile_balance, active_tile_balance, "
	"thread_balance) SELECT step, ipu, start, 0, \"end\" - start, active_start_max - start, "
	"active_end_min - start, cycles, active_tiles, tile_balance, active_tile_balance, thread_balance "
	"FROM r_step_ipu",
	/* a block that has a name and no number gets one */
	"INSERT OR IGNORE INTO p.string_table SELECT block, name FROM r_block WHERE block IS NOT NULL",
	"INSERT INTO p.string_table(string) SELECT DISTINCT name FROM r_block WHERE block IS NULL AND name IS NOT NULL",
	"INSERT INTO p.blocks(tile, cycles_from, cycles_to, block_id, type) SELECT tile, cycles_from, cycles_to, "
	"coalesce(block, (SELECT min(id) FROM p.string_table s WHERE s.string = b.name)), "
	"CASE kind WHEN 'stream_copy' THEN 1 WHEN 'overflow' THEN 2 WHEN 'anonymous' THEN 3 WHEN 'flush' THEN 4 "
	"WHEN 'common' THEN 0 ELSE 9 END FROM r_block b",
};

/* ---- the file ---- */

static inline void
made_exec(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK, "%s: %.2000s",
		message, sql);
}

static inline bool
made_has(sqlite3 *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(db, "main", table, column, NULL, NULL, NULL, NULL,
		       NULL) == SQLITE_OK;
}

static inline void
made_functions(sqlite3 *db)
{
	static const char *const names[TS_BLOB_KINDS] = {[TS_BLOB_LIST] = "pack_list",
		[TS_BLOB_RUNS] = "pack_runs",
		[TS_BLOB_DIFFERENCES] = "pack_differences"};

	for (intptr_t k = 0; k < TS_BLOB_KINDS; k++)
		sqlite3_create_function(db, names[k], 3, SQLITE_UTF8, (void *)k, NULL, made_step,
			made_final);
	sqlite3_create_function(db, "repacked", 4, SQLITE_UTF8, NULL, made_repacked, NULL, NULL);
}

/* A database for the rows. */
static inline sqlite3 *
made_rows_new(void)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	made_functions(db);
	return db;
}

/* Programs that name variables and have no row: what runs a compute set of their own. */
static inline void
made_programs(sqlite3 *db)
{
	if (!made_has(db, "program_variable", NULL))
		return;
	if (!made_has(db, "program", NULL))
		made_exec(db, "CREATE TABLE program(program, type)");
	if (!made_has(db, "compute_set", NULL))
		made_exec(db, "CREATE TABLE compute_set(compute_set, name)");
	made_exec(db,
		"INSERT INTO program(program, type) SELECT DISTINCT program, 'OnTileExecute' FROM "
		"program_variable WHERE program NOT IN (SELECT program FROM program)");
}

/* Names of steps are those of programs: a step without a program has one of its own. */
static inline void
made_steps(sqlite3 *db)
{
	if (!made_has(db, "step", NULL))
		return;
	if (!made_has(db, "run", NULL) && made_has(db, "step", "run"))
		made_exec(db,
			"CREATE TABLE run(run, step_count); INSERT INTO run SELECT run, count(*) FROM step "
			"WHERE run IS NOT NULL GROUP BY run");
	if (!made_has(db, "step", "name"))
		return;
	if (!made_has(db, "program", NULL))
		made_exec(db, "CREATE TABLE program(program, type, name, compute_set)");
	if (!made_has(db, "step", "program"))
		made_exec(db, "ALTER TABLE step ADD COLUMN program");
	if (!made_has(db, "step", "compute_set"))
		made_exec(db, "ALTER TABLE step ADD COLUMN compute_set");
	made_exec(db,
		"CREATE TEMP TABLE made_named AS SELECT type, name, compute_set, 500000 + row_number() "
		"OVER (ORDER BY type, name, compute_set) AS program FROM (SELECT DISTINCT type, name, "
		"compute_set FROM step WHERE program IS NULL AND name IS NOT NULL);"
		"INSERT INTO program(program, type, name) SELECT program, type, name FROM made_named;"
		"UPDATE step SET program = (SELECT program FROM made_named n WHERE n.type IS step.type AND "
		"n.name = step.name AND n.compute_set IS step.compute_set) WHERE program IS NULL;"
		"INSERT INTO program(program, type, name) SELECT program, max(type), max(name) FROM step "
		"WHERE program NOT IN (SELECT program FROM program) GROUP BY program;");
}

/* Each relation with all its columns, those that the test did not create NULL. */
static inline void
made_views(sqlite3 *db)
{
	struct ts_strbuf b;

	for (int r = 0; r < TS_RELATION_COUNT; r++) {
		const struct ts_relation_def *d = ts_relation_def((enum ts_relation)r);
		bool there = made_has(db, d->name, NULL);

		ts_strbuf_init(&b, 1 << 16);
		ts_strbuf_printf(&b, "CREATE TEMP VIEW r_%s AS SELECT ", d->name);
		for (int i = 0; i < d->column_count; i++) {
			const char *column = d->column[i].name;

			if (there && made_has(db, d->name, column))
				ts_strbuf_printf(&b, "%s\"%s\"", i ? ", " : "", column);
			else
				ts_strbuf_printf(&b, "%s%s AS \"%s\"", i ? ", " : "",
					there && strcmp(column, "id") == 0 ? "rowid" : "NULL",
					column);
		}
		if (there)
			ts_strbuf_printf(&b, " FROM main.\"%s\"", d->name);
		else
			ts_strbuf_puts(&b, " WHERE 0");
		made_exec(db, b.s);
		ts_strbuf_fini(&b);
	}
}

/* The tables of a profile, where anything may be NULL. */
static inline void
made_tables(sqlite3 *db)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, TS_PROFILE_SQL);
	ts_profile_sql(&b);
	for (char *at = b.s; (at = strstr(at, " NOT NULL")) != NULL;)
		memset(at, ' ', strlen(" NOT NULL"));
	made_exec(db, b.s);
	ts_strbuf_fini(&b);
}

/* Leave out what the test did not create. */
static inline void
made_leave_out(sqlite3 *db, sqlite3 *file)
{
	char sql[200];

	for (size_t i = 0; i < TS_COUNT(made_lacks); i++) {
		if (made_has(db, made_lacks[i].relation, made_lacks[i].column) ||
			!made_has(file, made_lacks[i].table, made_lacks[i].its))
			continue;
		if (made_lacks[i].its)
			snprintf(sql, sizeof(sql), "ALTER TABLE %s DROP COLUMN \"%s\"",
				made_lacks[i].table, made_lacks[i].its);
		else
			snprintf(sql, sizeof(sql), "DROP TABLE %s", made_lacks[i].table);
		made_exec(file, sql);
	}
	/* tables of several relations */
	if (!made_has(db, "liveness_step_ipu", NULL) &&
		made_has(file, "memory_not_always_live_by_step_and_ipu", NULL))
		made_exec(file,
			"DROP INDEX memory_not_always_live_by_ipu; "
			"ALTER TABLE memory_not_always_live_by_step_and_ipu DROP COLUMN ipu");
	if (!made_has(db, "class_interval", NULL) && !made_has(db, "liveness_variable", NULL))
		made_exec(file, "DROP TABLE eq_class_step");
	made_exec(file, "DROP TABLE IF EXISTS temp.made_names; VACUUM");
}

/* Write the rows to a new profile at `path`. */
static inline void
made_rows_write(sqlite3 *db, const char *path)
{
	sqlite3 *file;
	char sql[300];

	ck_assert_int_eq(sqlite3_open(path, &file), SQLITE_OK);
	made_exec(file, "PRAGMA synchronous = OFF");
	made_tables(file);
	sqlite3_close(file);
	made_steps(db);
	made_programs(db);
	made_views(db);
	snprintf(sql, sizeof(sql), "ATTACH '%s' AS p", path);
	made_exec(db, sql);
	made_exec(db, "PRAGMA p.synchronous = OFF; BEGIN");
	for (size_t i = 0; i < TS_COUNT(made_sql); i++)
		made_exec(db, made_sql[i]);
	made_exec(db, "COMMIT; DETACH p");
	ck_assert_int_eq(sqlite3_open(path, &file), SQLITE_OK);
	made_exec(file, "PRAGMA synchronous = OFF");
	made_leave_out(db, file);
	sqlite3_close(file);
}

#endif
