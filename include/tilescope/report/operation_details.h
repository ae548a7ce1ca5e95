/* SPDX-License-Identifier: MIT */
/*
 * operation_details - what the programs of an operation run, all together: cycles and code by tile, vertices.
 */
#ifndef TS_REPORT_OPERATION_DETAILS_H
#define TS_REPORT_OPERATION_DETAILS_H

#include "tilescope/report/operations.h"
#include "tilescope/report/program_details.h"

/*
 * As ts_program_details_read(), of all programs of an operation (`below`: and of those below it): cycles of one execution
 * of each program (its own, else its compute set's) and code, added up by tile; control code of programs without
 * children alone; vertices of their compute sets, each set once (on how many tiles is not known, unless it is one set). d->program is TS_UNKNOWN
 * unless it is one program. `progress`: programs. Free with ts_program_details_fini() in every case. Errors:
 * TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED. What is absent or damaged stays unknown.
 */
enum ts_code ts_operation_details_read(struct ts_program_details *d, struct ts_reader *rd,
	const struct ts_operations *o, uint32_t i, bool below, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
