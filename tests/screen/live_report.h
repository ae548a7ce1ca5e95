/* SPDX-License-Identifier: MIT */
/* live_report - a store with the relations of liveness, filled by a test, and the Liveness view on it. */
#ifndef TS_TESTS_SCREEN_LIVE_REPORT_H
#define TS_TESTS_SCREEN_LIVE_REPORT_H

#include "view_harness.h"

#include "tilescope/view/liveness.h"

static inline void
make_own(struct harness *h, const char *rows)
{
	harness_dir(h);
	harness_rows(h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE liveness_step(live_step, program, not_always_live);"
		"CREATE TABLE variable(variable, name, bytes, always_live);"
		"CREATE TABLE liveness_variable(variable, start, \"end\");"
		"CREATE TABLE target(ipus, replicas, tiles_per_ipu, bytes_per_tile);"
		"CREATE TABLE ipu(ipu, replica, first_tile, tile_count);"
		"CREATE TABLE tile_memory(tile, ipu, total, always_live);"
		"CREATE TABLE lowered_variable(id, tile, name, bytes, class, variable, always_live);"
		"CREATE TABLE class_interval(class, start, \"end\");"
		"CREATE TABLE program_variable(program, lowered_variable);");
	harness_rows(h, rows);
}

static inline void
begin_own(struct harness *h, const char *rows)
{
	make_own(h, rows);
	harness_start(h, &ts_view_liveness, 100, 30, TS_GLYPHS_FULL);
	harness_settle(h);
}

#endif
