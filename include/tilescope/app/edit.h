/* SPDX-License-Identifier: MIT */
/* edit - open a source file in the user's editor, and come back. */
#ifndef TS_APP_EDIT_H
#define TS_APP_EDIT_H

#include "tilescope/app/app.h"

/* What a view asked for (env.edit, taken); nothing when it is NULL. Waits until the editor ends. */
void ts_app_edit(struct ts_app *app);

#endif
