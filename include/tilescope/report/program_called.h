/* SPDX-License-Identifier: MIT */
/*
 * program_called - a program and all that runs when it runs: what it calls, and what these call.
 *
 * Each program is in it once, however many ways lead to it; circles end where they began.
 */
#ifndef TS_REPORT_PROGRAM_CALLED_H
#define TS_REPORT_PROGRAM_CALLED_H

#include "tilescope/report/program_tree.h"

/* Read-only once it is read: any thread may look at it. */
struct ts_program_called {
	atomic_int uses;
	int64_t program;
	size_t count;	       /* with itself: 1 = it calls none */
	struct ts_pile number; /* int64_t: their numbers, ascending */
	bool partial;	       /* damage: as far as it could be read */
};

/*
 * Read it. One that calls nothing is known by a look at its rows, where these are found by the parent's number; else all of
 * program_child is read. Where that is not recorded it is the program alone. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED,
 * those of ts_rows_next() but for damage. Give back with ts_program_called_close().
 */
enum ts_code ts_program_called_read(struct ts_program_called **out, struct ts_reader *rd,
	int64_t program, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_program_called *ts_program_called_hold(struct ts_program_called *c);
void ts_program_called_close(struct ts_program_called *c); /* NULL allowed */

bool ts_program_called_has(const struct ts_program_called *c, int64_t program);

#endif
