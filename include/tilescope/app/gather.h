/* SPDX-License-Identifier: MIT */
/*
 * gather - what a verb that goes over several paths prints: text as it comes, JSON (one path: an object, several: an
 * array) when all are through, or rows of CSV or Markdown. Nothing is kept of what was interrupted.
 */
#ifndef TS_APP_GATHER_H
#define TS_APP_GATHER_H

#include "tilescope/app/json_out.h"
#include "tilescope/app/output.h"
#include "tilescope/app/rows_out.h"

struct ts_gather {
	const struct ts_args *args;
	json_t *json;		  /* add an object for each path */
	struct ts_strbuf text;	  /* or text */
	struct ts_rows_out *rows; /* or rows; NULL unless the format is CSV or Markdown */
	struct ts_output out;
};

/* Errors: those of ts_output_open(); TS_E_NOMEM. */
enum ts_code ts_gather_begin(struct ts_gather *g, const struct ts_args *args, int columns,
	const char *const *names, struct ts_err *err) TS_WARN_UNUSED;

/* Write it where `keep` is set, and give everything back; in every case. */
enum ts_code ts_gather_end(struct ts_gather *g, bool keep, struct ts_err *err) TS_WARN_UNUSED;

#endif
