/* SPDX-License-Identifier: MIT */
/* report_watch - have the files of the open report changed, and is it read again? */
#ifndef TS_APP_REPORT_WATCH_H
#define TS_APP_REPORT_WATCH_H

#include "tilescope/job/jobs.h"
#include "tilescope/report/watched.h"

enum { TS_WATCH_TEXT = 320 };

struct ts_app;

struct ts_report_watch {
	struct ts_file_watch *files; /* wakes the loop; NULL before the first look */
	struct ts_watched opened;    /* the files as they were when the report was opened */
	struct ts_watched last;	     /* as they were at the last look */
	struct ts_watched tried;     /* as they were when the report was read again in vain */
	bool begun;		     /* `opened` is known */
	bool changed;		     /* they are others than when the report was opened */
	char text[TS_WATCH_TEXT];    /* what the screen says of it; "" = nothing */
};

/* A report was opened: forget what is known of the one before. */
void ts_app_watch_restart(struct ts_app *app);
void ts_app_watch_end(struct ts_app *app); /* all workers have ended */

/*
 * Look at the files; have a look in a moment (reading the report has failed: what has happened meanwhile?), or
 * when it is time where nothing wakes; the answer of a look; free one in vain.
 */
void ts_app_watch_look(struct ts_app *app);
void ts_app_watch_soon(struct ts_app *app);
void ts_app_watch_later(struct ts_app *app);
void ts_app_watch_take(struct ts_app *app, struct ts_job *job);
void ts_app_watch_free(struct ts_job *job);

/* What the loop waits for; -1 = nothing, or a look is coming anyway. It has become readable. */
int ts_app_watch_fd(const struct ts_app *app);
void ts_app_watch_event(struct ts_app *app);

#endif
