/* SPDX-License-Identifier: MIT */
/* context_says - the SQL function context_says(ID, WHAT) of a reader's connections; see the source. */
#ifndef TS_REPORT_CONTEXT_SAYS_H
#define TS_REPORT_CONTEXT_SAYS_H

#include "tilescope/report/report.h"

struct context_says;

/* *out is the reader's, also after an error, and is to outlive its connections. Errors: TS_E_NOMEM, TS_E_FORMAT. */
enum ts_code context_says_add(struct context_says **out, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
void context_says_free(struct context_says *s); /* NULL allowed */

#endif
