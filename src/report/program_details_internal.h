/* SPDX-License-Identifier: MIT */
/* program_details_internal - what details of one program and of many share. */
#ifndef TS_REPORT_PROGRAM_DETAILS_INTERNAL_H
#define TS_REPORT_PROGRAM_DETAILS_INTERNAL_H

#include "tilescope/report/program_details.h"

enum { TS_DETAILS_TEXT = 16 << 20 };

/* When cycles and code by tile are known: the rows of the tiles that have some. Errors: TS_E_NOMEM. */
enum ts_code ts_details_list_tiles(struct ts_program_details *d, struct ts_err *err) TS_WARN_UNUSED;

/* When `vertex` has room for what it has: the first TS_VERTEX_ROWS of it, named. */
enum ts_code ts_details_name_vertices(struct ts_program_details *d, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
