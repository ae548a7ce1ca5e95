/* SPDX-License-Identifier: MIT */
/*
 * settings - the file of what was set in the program: $XDG_STATE_HOME/tilescope/settings.
 *
 * It is read at the start and written at the end, by a program with a screen; not with `--cache none`,
 * which leaves no traces. Of it and the configuration file the one that was written last wins.
 */
#ifndef TS_APP_SETTINGS_H
#define TS_APP_SETTINGS_H

#include <stdbool.h>

struct ts_app;

void ts_app_settings_begin(struct ts_app *app);

/* Is the file newer than the configuration file? */
bool ts_app_settings_newer(void);

/* Set the options as the file says. */
void ts_app_settings_use(struct ts_app *app);

/* Write what was set, over what another program has written meanwhile; free. */
void ts_app_settings_end(struct ts_app *app);

#endif
