/* SPDX-License-Identifier: MIT */
/* liveness_steps - how many liveness steps there are: where intervals are cut off. */
#include "config.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/rows.h"

enum ts_code
ts_live_steps_read(int64_t *steps, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LIVENESS_STEP_LIVE_STEP},
		.column_count = 1,
		.past_damage = true};
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;

	*steps = TS_UNKNOWN;
	if (!ts_report_has(rd->report, TS_LIVENESS_STEP))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_LIVENESS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0)
		for (int i = 0; i < b.rows && b.is[0] == TS_VALUE_OK; i++)
			*steps = ts_max_i64(*steps, b.v[0][i] + 1);
	ts_rows_close(rows);
	return code;
}
