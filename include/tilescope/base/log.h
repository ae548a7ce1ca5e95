/* SPDX-License-Identifier: MIT */
/*
 * log - the last few hundred messages, for the log view and for the user who asks what happened.
 *
 * A log is a value that app/ owns and hands down. Any thread may write to it and read it.
 */
#ifndef TS_BASE_LOG_H
#define TS_BASE_LOG_H

#include <stdbool.h>

#include "tilescope/base/err.h"

enum { TS_LOG_LINES = 256, TS_LOG_LINE_MAX = 400 };

struct ts_log;

struct ts_log *ts_log_new(void) TS_WARN_UNUSED;
void ts_log_free(struct ts_log *log);

/* Append a line, made safe for the terminal. NULL log: nothing happens. */
void ts_log_add(struct ts_log *log, const char *fmt, ...) TS_PRINTF(2, 3);

/* Lines written since the start (the last TS_LOG_LINES of them can be read). */
int ts_log_count(struct ts_log *log);

/* Copy line i (0 = oldest ever) to out; false when it is no longer or not yet there. */
bool ts_log_get(struct ts_log *log, int i, char out[TS_LOG_LINE_MAX]);

#endif
