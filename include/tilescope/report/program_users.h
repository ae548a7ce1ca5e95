/* SPDX-License-Identifier: MIT */
/*
 * program_users - which programs name a variable.
 *
 * Programs name lowered variables (relation program_variable); a variable before lowering is named by those that name one
 * of its pieces. What a program does with it, whether it reads or writes, is not recorded.
 */
#ifndef TS_REPORT_PROGRAM_USERS_H
#define TS_REPORT_PROGRAM_USERS_H

#include "tilescope/base/progress.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/report.h"

/*
 * Numbers of the programs (int64_t, ascending, each once) that name lowered variable `number`, or a piece of variable
 * `number`. Variables before lowering come from the section `uses` where it is kept, else from a pass over lowered
 * variables. Errors: TS_E_ABSENT: what it takes is not recorded; TS_E_DAMAGED: those that could be read; TS_E_NOMEM,
 * TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_program_users_read(struct ts_pile *program, struct ts_reader *rd, bool lowered,
	int64_t number, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
