/* SPDX-License-Identifier: MIT */
/*
 * slices - the execution as a stream: every row of `step_ipu` with the step that it belongs to.
 *
 * For exports and for figures that need all rows: one pass over both relations side by side, in memory that does not
 * grow with them. Rows come as they stand in `step_ipu`. Where a step is not found on the way (rows that are not in the
 * order of their steps) all steps are kept in a mapped file from there on, and looked up.
 *
 * Cycles are tile clock cycles of the report; intervals are half-open, and stand as they are recorded: one that ends
 * before it starts too.
 */
#ifndef TS_REPORT_SLICES_H
#define TS_REPORT_SLICES_H

#include "tilescope/report/execution.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/trace.h"

/* Texts are not NUL-terminated, untrusted, and valid until the next slice; NULL = not known. */
struct ts_slice {
	int64_t step, run, program, compute_set; /* TS_UNKNOWN, but for the step */
	enum ts_step_class class_of;
	const char *type, *name; /* name: of its compute set, else of its program */
	size_t type_n, name_n;
	int64_t rowid; /* of step_ipu; INT64_MIN: none */
	int64_t ipu, cycles, start, end;
	int64_t active_tiles, active_start_max, active_end_min, data_in, data_out; /* TS_UNKNOWN */
	double tile_balance, active_tile_balance; /* below 0: not recorded, or no share */
	bool orphan; /* no such step: control, nothing else of it is known (ts_slices_open_range() alone) */
};

/* Rows that are not given: figures leave them out as well (report/execution.h). */
struct ts_slices_left_out {
	int64_t bad_rows; /* step, IPU, cycles, start or end is no number */
	int64_t orphans;  /* no such step */
};

struct ts_slices;

/*
 * `rd` and `names` must outlive it. `progress` (NULL allowed) counts rows of step_ipu. Errors: TS_E_ABSENT: `step` or
 * `step_ipu` is not there, with the reason; those of ts_rows_open().
 */
enum ts_code ts_slices_open(struct ts_slices **out, struct ts_reader *rd,
	const struct ts_step_names *names, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_slices_close(struct ts_slices *s); /* NULL allowed */

/*
 * The same, only of what may lie in [from, to) of cycles (and some rows around it): fewer rows are read where those of the
 * range are found by bisecting. Who knows that all its IPUs are behind the range may stop. `t` must outlive it. Here rows
 * without a step come too, and those whose cycles are no number (TS_UNKNOWN): they have a place in the lanes.
 */
enum ts_code ts_slices_open_range(struct ts_slices **out, struct ts_reader *rd,
	const struct ts_trace *t, int64_t from, int64_t to, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* From now on rows of that IPU alone come; of the others nothing is looked up. */
void ts_slices_only(struct ts_slices *s, int64_t ipu);

/*
 * Of a range: steps that began more than TS_TRACE_LOOK_BACK rows before it, and still run in it, may be missing, since no index
 * says where they are. With the index they come first.
 */
bool ts_slices_unseen(const struct ts_slices *s);

/*
 * The next one; *slice NULL at the end. Errors as ts_rows_next(); damage is said at the end: what could be read was
 * given.
 */
enum ts_code ts_slices_next(const struct ts_slice **slice, struct ts_slices *s,
	struct ts_err *err) TS_WARN_UNUSED;

/* How many were left out so far. */
struct ts_slices_left_out ts_slices_left_out(const struct ts_slices *s);

#endif
