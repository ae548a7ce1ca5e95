/* SPDX-License-Identifier: MIT */
/*
 * watch - a verb's companion: turns SIGINT, SIGTERM and SIGHUP into a cancelled token, and shows
 * progress on standard error while that is a terminal: rows, and of a report on another host the bytes that came over the link, and
 * that it is being connected to, or again.
 *
 * A thread of its own waits for the signals, so no handler and no global is needed. They are blocked in
 * the whole program from ts_watch_start() on; after the second one the program ends at once.
 */
#ifndef TS_APP_WATCH_H
#define TS_APP_WATCH_H

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/progress.h"

struct ts_files;
struct ts_watch;

enum ts_code ts_watch_start(struct ts_watch **w, const char *what,
	struct ts_err *err) TS_WARN_UNUSED;

/* What progress counts, at the begin; without it "rows". */
void ts_watch_count(struct ts_watch *w, const char *unit);

/* What it does now, behind its name: "check, index: steps" (a constant; NULL: nothing more is said). */
void ts_watch_doing(struct ts_watch *w, const char *doing);

/*
 * What it reads lies on another host (held until the end, or another one): from then on progress says how many bytes came from
 * there, and how fast. NULL: on this machine.
 */
void ts_watch_files(struct ts_watch *w, struct ts_files *files);

/* As ts_warn(), in the place of a progress line that stands there. */
void ts_watch_warn(struct ts_watch *w, const char *subject, const char *text);

/* The same, for who looks on: only where standard error is a terminal. */
void ts_watch_say(struct ts_watch *w, const char *subject, const char *text);

/* The same of what went wrong, as ts_complain(). */
void ts_watch_complain(struct ts_watch *w, const char *subject, const struct ts_err *err);

/* Answers follow, on what may be the same terminal: the line goes, and no other comes. */
void ts_watch_hide(struct ts_watch *w);

/* Ends the thread and clears the progress line. NULL allowed. */
void ts_watch_stop(struct ts_watch *w);

struct ts_cancel *ts_watch_cancel(struct ts_watch *w);
struct ts_progress *ts_watch_progress(struct ts_watch *w);

#endif
