/* SPDX-License-Identifier: MIT */
/* alive_internal - shared by alive.c and alive_names.c. */
#ifndef TS_REPORT_ALIVE_INTERNAL_H
#define TS_REPORT_ALIVE_INTERNAL_H

#include "tilescope/report/lives.h"

/* Type and name of a program into a->program; without a name that of its compute set. */
enum ts_code alive_name_program(struct ts_alive *a, struct ts_reader *rd, int64_t program,
	struct ts_err *err) TS_WARN_UNUSED;

/* Names of a's rows; those that `before` knows (NULL allowed) are taken over. */
enum ts_code alive_name_rows(struct ts_alive *a, struct ts_reader *rd,
	const struct ts_alive *before, struct ts_err *err) TS_WARN_UNUSED;

#endif
