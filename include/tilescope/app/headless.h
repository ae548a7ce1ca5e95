/* SPDX-License-Identifier: MIT */
/*
 * headless - one view without a terminal: the same view as in the app, asked until nothing is under way.
 *
 * What an index has is used, none is built. Everything happens in the caller's thread and the workers.
 */
#ifndef TS_APP_HEADLESS_H
#define TS_APP_HEADLESS_H

#include "tilescope/app/app.h"
#include "tilescope/app/watch.h"

/* Make one for `args` (--at, --size, --theme, --cache, ...) on a report, which is held. */
enum ts_code ts_headless_new(struct ts_app **app, const struct ts_args *args, struct ts_report *r,
	enum ts_glyphs glyphs, bool mono, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Go where --at leads, wait for all answers, draw to app->canvas. Errors: TS_E_CANCELLED; TS_E_USAGE: this
 * report has no such place; TS_E_LIMIT: the view does not come to rest.
 */
enum ts_code ts_headless_draw(struct ts_app *app, struct ts_watch *w,
	struct ts_err *err) TS_WARN_UNUSED;

/* False when a worker hangs in a read: then nothing was freed, and the process has to end so. NULL allowed. */
bool ts_headless_free(struct ts_app *app);

#endif
