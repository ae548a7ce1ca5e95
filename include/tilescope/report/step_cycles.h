/* SPDX-License-Identifier: MIT */
/*
 * step_cycles - what each program's steps took, from numbers alone: for sums over the whole trace.
 *
 * The same rows as report/slices.h gives, several times as fast: two relations are read by column, side by side, and no
 * text of them is looked at. That goes as long as both stand in the order of their steps; where they do not, who asks
 * takes the slices.
 */
#ifndef TS_REPORT_STEP_CYCLES_H
#define TS_REPORT_STEP_CYCLES_H

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"

/* Cycles of one step on one IPU; program: TS_UNKNOWN = its step names none. */
typedef void (*ts_step_cycles_fn)(void *ctx, int64_t program, int64_t cycles);

/*
 * Each row of step_ipu whose five numbers are some, in the order of the rows; *bad_rows: of those that are not. *whole
 * false: rows were met that want the slices (a step that is not where it should be, or is not there at all; damage):
 * what was given until then is to be forgotten. Errors: those of ts_rows_block(), but for damage.
 */
enum ts_code ts_step_cycles_read(bool *whole, int64_t *bad_rows, ts_step_cycles_fn take, void *ctx,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
