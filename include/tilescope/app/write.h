/* SPDX-License-Identifier: MIT */
/*
 * write - `:write FILE`: the table of the pane with the keys, or the chart, as a file.
 *
 * .csv, .json and .md are rows: all rows of the table, not only those in sight, in the order and with the columns and the
 * filter of the screen, exact numbers, units in the header; .md with the pinned total. .svg is the chart for a report
 * (ui/chart_page.h), or the screen where there is no chart; .txt and .ansi are the screen.
 *
 * A worker writes to a temporary name and renames. A file that is there is replaced by `write!` only, the same goes
 * for a file in the report's own directory; a file of the report is never written to, nor anything that is no
 * ordinary file.
 */
#ifndef TS_APP_WRITE_H
#define TS_APP_WRITE_H

#include "tilescope/job/jobs.h"
#include "tilescope/ui/command.h"
#include "tilescope/ui/effect.h"

struct ts_app;

enum ts_effect ts_app_write(struct ts_app *app, const struct ts_call *call);

/* A job came back; free one in vain. */
void ts_app_write_take(struct ts_app *app, struct ts_job *job);
void ts_app_write_free(struct ts_job *job);

#endif
