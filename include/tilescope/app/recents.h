/* SPDX-License-Identifier: MIT */
/* recents - keep the list of recent reports. */
#ifndef TS_APP_RECENTS_H
#define TS_APP_RECENTS_H

#include "tilescope/job/jobs.h"

struct ts_app;

struct ts_app_recents {
	char *file;	/* NULL: there is no home directory */
	bool keeps;	/* it may be written */
	int64_t opened; /* when the report was opened, seconds since 1970 */
	bool complete;	/* its figures were sent */
	bool told;	/* that it cannot be written */
};

/* At the begin of a program with a screen, and at its end. */
void ts_app_recents_begin(struct ts_app *app);
void ts_app_recents_end(struct ts_app *app);

/* A report was opened; at every turn of the loop: are its figures known? */
void ts_app_recents_opened(struct ts_app *app);
void ts_app_recents_turn(struct ts_app *app);

/* A job came back; free one in vain. */
void ts_app_recents_take(struct ts_app *app, struct ts_job *job);
void ts_app_recents_free(struct ts_job *job);

#endif
