/* SPDX-License-Identifier: MIT */
/*
 * watch - a verb's companion: turns SIGINT, SIGTERM and SIGHUP into a cancelled token, and shows
 * progress on standard error while that is a terminal.
 *
 * A thread of its own waits for the signals, so no handler and no global is needed. They are blocked in
 * the whole program from ts_watch_start() on; after the second one the program ends at once.
 */
#ifndef TS_APP_WATCH_H
#define TS_APP_WATCH_H

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/progress.h"

struct ts_watch;

enum ts_code ts_watch_start(struct ts_watch **w, const char *what,
	struct ts_err *err) TS_WARN_UNUSED;

/* What progress counts, at the begin; without it "rows". */
void ts_watch_count(struct ts_watch *w, const char *unit);

/* What it does now, behind its name: "check, index: steps" (a constant; NULL: nothing more is said). */
void ts_watch_doing(struct ts_watch *w, const char *doing);

/* Ends the thread and clears the progress line. NULL allowed. */
void ts_watch_stop(struct ts_watch *w);

struct ts_cancel *ts_watch_cancel(struct ts_watch *w);
struct ts_progress *ts_watch_progress(struct ts_watch *w);

#endif
