/* SPDX-License-Identifier: MIT */
/* set_rows - variables of several tiles by name, from the rows by tile of the index (tile_rows.h). */
#ifndef TS_REPORT_SET_ROWS_H
#define TS_REPORT_SET_ROWS_H

#include "tilescope/report/set_variables.h"

/*
 * As ts_set_variables_read() in all that is counted, `key` of the rows kept being the number of their name in the section
 * columns (TS_UNKNOWN: none). *done false: the index has no such rows, or no names of them; then nothing is counted.
 */
enum ts_code set_rows_read(bool *done, struct ts_set_variables *v, struct ts_reader *rd,
	const int64_t *tiles, size_t n, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
