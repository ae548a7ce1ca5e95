/* SPDX-License-Identifier: MIT */
/* largest_internal - largest.c looks at variables, largest_work.c at code and state. */
#ifndef TS_REPORT_LARGEST_INTERNAL_H
#define TS_REPORT_LARGEST_INTERNAL_H

#include "tilescope/report/largest.h"

/* Cancelled or no memory ends it; all else leaves figures unknown. */
enum ts_code largest_bear(struct ts_largest *l, enum ts_code code, const struct ts_err *why,
	struct ts_err *err);

/* Make it the largest one: `name` (raw, n bytes, or NULL) is copied. */
enum ts_code largest_take(struct ts_large_one *one, int64_t bytes, int64_t id, const char *name,
	size_t n, struct ts_err *err);

/* Vertex code, vertex state and exchange code of all scopes, by one pass over each relation. */
enum ts_code largest_work(struct ts_largest *l, struct ts_reader *rd,
	const struct ts_insight_facts *x, struct ts_progress *progress, struct ts_err *err);

#endif
