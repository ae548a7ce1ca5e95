/* SPDX-License-Identifier: MIT */
/*
 * vars_rows - vars.json as a database, so that its lowered variables are rows like all others.
 *
 * JSON cannot be read at a row. What vars.json knows of the model (lowered_variable, memory_element) is therefore
 * written into tables of these names when the report is opened, in a temporary file without a name that lasts as long
 * as it is open.
 */
#ifndef TS_REPORT_VARS_ROWS_H
#define TS_REPORT_VARS_ROWS_H

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"

/*
 * Make it of `json`, which was found at `path`, and open it. What was read before damage is kept; `notes` then says
 * where it ended, and is partial. Progress counts bytes of the file. Errors: TS_E_DAMAGED: nothing could be read,
 * TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_vars_rows_make(struct ts_source **s, struct ts_notes *notes, struct ts_source *json,
	const char *path, struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
