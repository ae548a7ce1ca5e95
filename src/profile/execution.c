/* SPDX-License-Identifier: MIT */
/* execution - runs, and the blocks of tiles. */
#include "config.h"

#include "tilescope/base/mem.h"

#include "relations_internal.h"

static const struct ts_profile_from step[] = {
	AS_IS("step", "id"),
	AS_IS("type", "type"),
	AS_IS("sync_type", "sync_type"),
	AS_IS("program", "program"),
	AS_IS("compute_set", "compute_set"),
	END_OF_COLUMNS,
};

static const struct ts_profile_from step_ipu[] = {
	AS_IS("step", "step_id"),
	AS_IS("ipu", "ipu"),
	AS_IS("cycles", "cycles"),
	PLACE("start", "cycles_base", "active_cycles_from_min", NULL),
	PLACE("end", "cycles_base", "active_cycles_to_max", "all_cycles_to_max"),
	AS_IS("active_tiles", "active_tiles"),
	PLACE("active_start_max", "cycles_base", "active_cycles_from_max", NULL),
	PLACE("active_end_min", "cycles_base", "active_cycles_to_min", "all_cycles_to_max"),
	MOVED("data_in", "step_id", "steps", "program", "ipu", false),
	MOVED("data_out", "step_id", "steps", "program", "ipu", true),
	AS_IS("tile_balance", "tile_balance"),
	AS_IS("active_tile_balance", "active_tile_balance"),
	AS_IS("thread_balance", "thread_balance"),
	END_OF_COLUMNS,
};

static const struct ts_profile_relation relations[] = {
	{.name = "step", .table = "steps", .from = step, .executed = true},
	{.name = "step_ipu",
		.table = "steps_by_ipu",
		.from = step_ipu,
		.executed = true,
		.only = "ipu", /* NULL: the whole device */
		.only_bit = -1},
	{.name = "run",
		.executed = true,
		.needs = "runs.id runs.num_steps",
		/* a run's steps follow those of the runs before it */
		.sql = "SELECT id AS run, name, start_epoch_time_microseconds AS start_us, "
		       "start_epoch_time_microseconds + elapsed_microseconds AS end_us, elapsed_microseconds "
		       "AS elapsed_us, add_up(num_steps) OVER (ORDER BY id) - num_steps AS first_step, "
		       "num_steps AS step_count, num_programs AS program_count FROM @runs ORDER BY id",
		.optional =
			"start_us=runs.start_epoch_time_microseconds end_us=runs.elapsed_microseconds "
			"elapsed_us=runs.elapsed_microseconds program_count=runs.num_programs"},
	{.name = "block",
		.executed = true,
		.needs = "blocks.tile blocks.cycles_from blocks.cycles_to",
		.sql = "SELECT b.tile, row_number() OVER (PARTITION BY b.tile ORDER BY b.cycles_from) - 1 AS seq, "
		       "b.block_id AS block, s.string AS name, CASE b.type WHEN 0 THEN 'common' "
		       "WHEN 1 THEN 'stream_copy' WHEN 2 THEN 'overflow' WHEN 3 THEN 'anonymous' "
		       "WHEN 4 THEN 'flush' ELSE 'type ' || b.type END AS kind, b.cycles_from, b.cycles_to "
		       "FROM @blocks b LEFT JOIN @string_table s ON s.id = b.block_id",
		.keyed = true},
};

const struct profile_group profile_execution = {relations, TS_COUNT(relations)};
