/* SPDX-License-Identifier: MIT */
/*
 * vars_store - vars.json as a store, so that its lowered variables are rows like all others.
 *
 * JSON cannot be read at a row. What vars.json knows of the model (lowered_variable,
 * memory_element) is therefore written into a store once, below the cache directory, and found there
 * afterwards by the file's path, size and time; without a cache directory it is a file without a name that
 * lasts as long as it is open.
 */
#ifndef TS_REPORT_VARS_STORE_H
#define TS_REPORT_VARS_STORE_H

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"

/*
 * Open the store that was made of the file `path` before; *s NULL when there is none, or not all of it.
 * `dir`: the cache directory; NULL: never any. Errors: TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_vars_store_find(struct ts_source **s, struct ts_files *files, const char *path,
	const char *dir, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Make it, and open it; stores of what the file was before go. What was read before damage is kept; `notes` then says where it ended, and is
 * partial. Progress counts bytes of the file. Errors: TS_E_DAMAGED: nothing could be read, TS_E_SYS, TS_E_NOMEM,
 * TS_E_CANCELLED: nothing is kept.
 */
enum ts_code ts_vars_store_make(struct ts_source **s, struct ts_notes *notes,
	struct ts_files *files, const char *path, const char *dir, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

#endif
