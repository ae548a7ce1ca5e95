/* SPDX-License-Identifier: MIT */
/* ipu_lines - timelines of IPUs, as liveness_step_ipu has them. */
#include "config.h"

#include "tilescope/report/rows.h"

#include "liveness_internal.h"

enum { PROGRESS_ROWS = 8192 };
enum { R_STEP, R_IPU, R_BYTES, R_COLUMNS };

static enum ts_code
add_row(struct ipu_lines *lines, const struct ts_liveness *all, struct ts_rows *rows,
	struct ts_err *err)
{
	int64_t step, ipu, bytes;
	struct ts_liveness *l;
	enum ts_code code;
	size_t at, before;

	if (ts_rows_number(rows, R_IPU, &ipu) != TS_VALUE_OK)
		return TS_OK;
	if (ipu < lines->first || ipu - lines->first >= lines->count) {
		lines->others = true;
		return TS_OK;
	}
	l = &lines->line[ipu - lines->first];
	if (ts_rows_number(rows, R_STEP, &step) != TS_VALUE_OK ||
		ts_rows_number(rows, R_BYTES, &bytes) != TS_VALUE_OK) {
		l->bad_rows++;
		return TS_OK;
	}
	at = ts_liveness_find(all, step);
	before = l->count;
	code = liveness_add(l, step, bytes,
		at < all->count && all->step[at] == step ? all->program[at] : -1, err);
	lines->points += l->count - before; /* fewer, where points are put together */
	if (!code && lines->points > lines->most)
		code = ts_err_set(err, TS_E_LIMIT, "too many liveness steps of IPUs");
	return code;
}

enum ts_code
ipu_lines_read(struct ipu_lines *lines, const struct ts_liveness *all, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {[R_STEP] = TS_LIVENESS_STEP_IPU_LIVE_STEP,
					  [R_IPU] = TS_LIVENESS_STEP_IPU_IPU,
					  [R_BYTES] = TS_LIVENESS_STEP_IPU_NOT_ALWAYS_LIVE},
		.column_count = R_COLUMNS,
		.past_damage = lines->past_damage};
	const struct ts_reach *reach = &rd->report->binding[TS_LIVENESS_STEP_IPU].reach;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LIVENESS_STEP_IPU, &q, err), end = TS_OK;
	int64_t seen = 0;
	bool there;

	if (code)
		return code;
	for (int i = 0; i < lines->count; i++)
		lines->line[i].peak.steps = 0;
	while (!end && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, ts_reach_span(reach));
		end = add_row(lines, all, rows, err);
	}
	ts_rows_close(rows);
	if (end || liveness_ends_all(code))
		return end ? end : code;
	for (int i = 0; !end && i < lines->count; i++)
		end = liveness_finish(&lines->line[i], code ? NULL : err);
	return end ? end : code;
}
