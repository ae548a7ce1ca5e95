/* SPDX-License-Identifier: MIT */
/* flame_internal - what the files of the merged flame graph share. */
#ifndef TS_REPORT_FLAME_INTERNAL_H
#define TS_REPORT_FLAME_INTERNAL_H

#include "tilescope/report/flame.h"

/*
 * Fill in f (frames, range and nothing else are there) from the index of the reader. *done false: nothing was filled in, the rows
 * have to say it. Errors as ts_flame_read().
 */
enum ts_code flame_of_stacks(bool *done, struct ts_flame *f, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
