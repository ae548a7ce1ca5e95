/* SPDX-License-Identifier: MIT */
/* index_build - all sections of a report's index, built in this thread. */
#ifndef TS_TESTS_FAULT_INDEX_BUILD_H
#define TS_TESTS_FAULT_INDEX_BUILD_H

#include "tilescope/report/index_build.h"

#define INDEX_CORE (ts_section_bit(TS_SECTION_LIVES) - 1)
#define INDEX_ALL (ts_section_bit(TS_SECTION_COUNT) - 1)

static inline enum ts_code
build_stage(struct ts_build *b, int stage, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_progress progress = {0};
	struct ts_index *x = NULL;
	enum ts_code code = ts_build_begin(b, stage, err);

	if (code)
		return code;
	ts_reader_set_index(rd, ts_build_index(b));
	for (int i = 0; !code && i < ts_build_parts(b, stage); i++)
		code = ts_build_part(b, stage, i, rd, &progress, err);
	if (!code)
		code = ts_build_finish(&x, b, stage, rd, &progress, err);
	else
		ts_build_drop(b, stage);
	ts_index_release(x);
	return code;
}

/*
 * *x (NULL when even that failed): what could be built. A stage that cannot be finished is passed over, and
 * *failed counts it; an error that is not of one stage ends the build.
 */
static inline enum ts_code
build_index(struct ts_index **x, int *failed, struct ts_report *r, const struct ts_cache *cache,
	uint64_t wanted, int parts, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_build *b = NULL;
	struct ts_reader *rd = NULL;
	bool busy;
	enum ts_code code = ts_build_new(&b, &busy, r, cache, NULL, wanted, parts, err);

	*x = NULL;
	*failed = 0;
	if (!code)
		code = ts_reader_open(&rd, r, err);
	if (!code)
		ts_reader_set_cancel(rd, cancel);
	for (int s = 0; !code && s < ts_build_stages(b); s++) {
		code = build_stage(b, s, rd, err);
		if (code == TS_E_DAMAGED || code == TS_E_LIMIT || code == TS_E_ABSENT) {
			*failed += 1;
			code = TS_OK;
		}
	}
	if (b)
		*x = ts_index_hold(ts_build_index(b));
	ts_reader_close(rd);
	ts_build_free(b);
	return code;
}

#endif
