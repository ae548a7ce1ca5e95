/* SPDX-License-Identifier: MIT */
/* name_pass_tiles - on which tiles the names stand that are in a group, where the index says it. */
#ifndef TS_REPORT_NAME_PASS_TILES_H
#define TS_REPORT_NAME_PASS_TILES_H

#include "tilescope/report/index_columns.h"
#include "tilescope/report/index_name_tiles.h"
#include "tilescope/report/name_pass.h"

/*
 * For who asks with tiles_alone: each of these tiles as a row of group 0, without bytes. *sound false: the index is not to
 * be believed, and no row was given. Errors: TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code name_pass_tiles(bool *sound, const struct ts_columns *c, const struct ts_name_tiles *t,
	const struct ts_name_asker *a, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
