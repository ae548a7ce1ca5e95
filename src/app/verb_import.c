/* SPDX-License-Identifier: MIT */
/*
 * verb_import - `tilescope import PROFILE [-o STORE]`: what libpva can say, as a store that opens anywhere.
 *
 * Without -o it goes below the cache directory, never into the report; the path is printed.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/importing.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/app/watch.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/import.h"

static void
print_outcome(const struct ts_args *args, const char *path, const struct ts_import_outcome *outcome)
{
	struct ts_strbuf text;

	for (int i = 0; !args->quiet && i < outcome->skipped.count; i++)
		ts_warn("libpva does not give", outcome->skipped.note[i]);
	ts_strbuf_init(&text, 1 << 16);
	ts_utf8_mend(&text, path, strlen(path));
	ts_strbuf_putc(&text, '\n');
	if (ts_output_write(NULL, &text, NULL))
		fputs("tilescope: standard output cannot be written\n", stderr);
	ts_strbuf_fini(&text);
}

static enum ts_code
import(const struct ts_args *args, struct ts_reader *rd, struct ts_watch *w, struct ts_err *err)
{
	struct ts_import_options options = {.python = args->python, .complete = args->complete};
	struct ts_import_outcome outcome = {0};
	char *path;
	enum ts_code code;

	if (rd->report->kind != TS_KIND_SDK)
		return ts_err_set(err, TS_E_USAGE,
			rd->report->kind == TS_KIND_STORE
				? "it is a store already"
				: "there is no profile.pop, which is what libpva reads");
	if (args->output) {
		path = ts_strdup(args->output);
		code = path ? TS_OK : ts_err_nomem(err);
	} else {
		code = ts_import_place(&path, args->cache, rd->report, err);
	}
	if (!code)
		code = ts_import(&outcome, path, rd, &options, ts_watch_progress(w),
			ts_watch_cancel(w), err);
	if (!code && !args->output)
		ts_import_tidy(path, rd->report->real ? rd->report->real : rd->report->file);
	ts_watch_hide(w);
	if (!code)
		print_outcome(args, path, &outcome);
	ts_import_outcome_fini(&outcome);
	free(path);
	return code;
}

enum ts_exit
ts_verb_import(const struct ts_args *args)
{
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_watch *w;
	struct ts_err err = {0};
	enum ts_code code = ts_watch_start(&w, "reading through libpva", &err);

	if (code) {
		ts_complain(NULL, &err);
		return ts_exit_of(code);
	}
	code = ts_open_report(&r, &rd, args, args->paths[0], true, w);
	if (!code) {
		code = import(args, rd, w, &err);
		if (code)
			ts_watch_complain(w, args->paths[0], &err);
		ts_close_report(args, r, rd);
	}
	ts_watch_stop(w);
	return ts_exit_of(code);
}
