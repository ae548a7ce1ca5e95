/* SPDX-License-Identifier: MIT */
/* liveness_internal - how a timeline is made and kept: shared by liveness.c, ipu_lines.c, live_source.c and the index. */
#ifndef TS_REPORT_LIVENESS_INTERNAL_H
#define TS_REPORT_LIVENESS_INTERNAL_H

#include "tilescope/report/index.h"
#include "tilescope/report/liveness.h"

/* --- liveness.c --- */

/* Empty, nothing known, one replica. */
void liveness_begin(struct ts_liveness *l);

/* A row of the timeline; program -1 = not known. */
enum ts_code liveness_add(struct ts_liveness *l, int64_t step, int64_t bytes, int32_t program,
	struct ts_err *err) TS_WARN_UNUSED;

/* All rows were added: order, pyramid, peaks. */
enum ts_code liveness_finish(struct ts_liveness *l, struct ts_err *err) TS_WARN_UNUSED;

/* Does it end all that goes on (cancelled, no memory)? */
bool liveness_ends_all(enum ts_code code);

/* --- ipu_lines.c --- */

/* Timelines of the IPUs [first, first + count), each begun. */
struct ipu_lines {
	struct ts_liveness *line;
	int64_t first;
	int count;
	size_t most;   /* points of all of them, at most: TS_E_LIMIT */
	size_t points; /* that they have */
	bool others;   /* some rows are of another IPU */
	bool past_damage;
};

/*
 * Read liveness_step_ipu once. `all` (may be empty) says which program runs at a step. Errors: as ts_rows_next();
 * with `past_damage` the lines are finished after TS_E_DAMAGED, too.
 */
enum ts_code ipu_lines_read(struct ipu_lines *lines, const struct ts_liveness *all,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* --- index_liveness.c --- */

/* A timeline in a section: where its arrays stand in the payload. */
struct liveness_head {
	uint32_t flags, unused;
	uint64_t count, nodes, peaks, peaks_found;
	uint64_t step_at, bytes_at, program_at, sum_at, least_at, node_at, peak_at;
	int64_t per, last, steps, first_step, last_step, bad_rows, repeated, unsorted;
	struct ts_peak peak;
	int64_t always_live, memory, replicas;
};

/* Bytes of its arrays. */
size_t liveness_bytes(const struct ts_liveness *l);

/* Append its arrays and say in *h where they stand; the head is the caller's to write. */
enum ts_code liveness_put(struct ts_section_writer *w, struct liveness_head *h,
	const struct ts_liveness *l, struct ts_err *err) TS_WARN_UNUSED;

/* Borrow it from a payload of the index, which is held; false, and nothing changed: it does not lie in it. */
bool liveness_map(struct ts_liveness *l, struct ts_index *x, const void *payload, size_t size,
	const struct liveness_head *h);

#endif
