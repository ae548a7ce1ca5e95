/* SPDX-License-Identifier: MIT */
/* set_rows - variables of several tiles by name, from the rows by tile of the index (tile_rows.h). */
#ifndef TS_REPORT_SET_ROWS_H
#define TS_REPORT_SET_ROWS_H

#include "tilescope/report/set_variables.h"
#include "tilescope/report/tile_rows.h"

/*
 * As ts_set_variables_read() in all that is counted (but all names are told apart: there are no others). `key` of
 * the rows kept is the number of their name in the section columns (TS_UNKNOWN: none), which has so many `names`.
 * *done false: the index has no such rows, or no names of them; then nothing is counted.
 */
enum ts_code set_rows_read(bool *done, struct ts_set_variables *v, struct ts_reader *rd,
	int64_t names, const int64_t *tiles, size_t n, size_t most, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* A row behind those of v. */
enum ts_code set_rows_add(struct ts_set_variables *v, const struct ts_set_variable *row,
	struct ts_err *err) TS_WARN_UNUSED;

/* A name of some, and in which place it came. */
typedef struct ts_set_variable set_rows_name_fn(const void *ctx, size_t i, size_t *order);

/* Rows of the `most` largest of n names, the largest first; of equals those that came first. */
enum ts_code set_rows_keep(struct ts_set_variables *v, size_t n, size_t most,
	set_rows_name_fn *name, const void *ctx, struct ts_err *err) TS_WARN_UNUSED;

/* Are these the tiles of an IPU that is kept? */
bool set_rows_kept(struct ts_reader *rd, const int64_t *tiles, size_t n);

/*
 * The same of what is no section yet: of the tiles of an IPU it is kept there. *done false: it does not fit, or is not
 * sound.
 */
enum ts_code set_rows_sum(bool *done, struct ts_set_variables *v, const struct ts_kinds *kinds,
	const int64_t *tiles, size_t n, size_t most, const struct ts_cancel *cancel,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
