/* SPDX-License-Identifier: MIT */
/* verb_app - open a report in the app; without a terminal, print its summary instead. */
#include "config.h"

#include <unistd.h>

#include "tilescope/app/app.h"
#include "tilescope/app/verbs.h"

enum ts_exit
ts_verb_app(const struct ts_args *args)
{
	struct ts_err err = {0};

	bool printed = args->format != TS_FORMAT_TEXT ||
		args->output; /* the summary is asked for */

	if (isatty(STDOUT_FILENO) && !printed)
		return ts_app_run(args);
	if (args->path_count > 0)
		return ts_verb_summary(args);
	ts_err_set(&err, TS_E_USAGE,
		"no PATH, and no terminal to choose one on (see tilescope help)");
	ts_complain(NULL, &err);
	return TS_EXIT_USAGE;
}
