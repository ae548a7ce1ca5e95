/* SPDX-License-Identifier: MIT */
/* What tile_metric.c and metric_sums.c share: where the tiles stand that are asked for. */
#ifndef TS_REPORT_METRIC_INTERNAL_H
#define TS_REPORT_METRIC_INTERNAL_H

#include "tilescope/report/tile_metric.h"

struct ts_rows;

struct metric_read {
	struct ts_tile_values *v;
	struct ts_reader *rd;
	struct ts_progress *progress;
	const int64_t *tile; /* ascending */
	size_t n, hint;
};

/* Place of a tile among those asked for; -1: it is not. */
ptrdiff_t metric_place(struct metric_read *m, int64_t tile);

/* Add to a tile's value: a sum that does not fit is not known, whatever comes behind. */
void metric_add(struct ts_tile_values *v, size_t place, int64_t bytes);

/* --- metric_sums.c --- */

/* Is a metric one that is summed over blobs, and are the columns of one of its passes there? */
bool metric_is_sum(enum ts_metric_id id);
bool metric_sum_recorded(const struct ts_report *r, enum ts_metric_id id);
enum ts_code metric_sum_read(struct metric_read *m, enum ts_metric_id id, struct ts_err *err);

#endif
