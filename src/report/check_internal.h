/* SPDX-License-Identifier: MIT */
/* check_internal - what the files of check share. */
#ifndef TS_REPORT_CHECK_INTERNAL_H
#define TS_REPORT_CHECK_INTERNAL_H

#include "tilescope/report/archive.h"
#include "tilescope/report/check.h"

enum { CHECK_NAME = 200 }; /* bytes of a table's name in a sentence */

struct check_run {
	const struct ts_check_options *options;
	struct ts_files *seen; /* as they were when it began: what is there (io/files_listed.h) */
	struct ts_check *check;
	struct ts_report *report;   /* NULL: it cannot be opened as one */
	struct ts_archive *archive; /* what was read of it, or NULL */
	int64_t vars_tiles;	    /* of vars.json, or TS_UNKNOWN */
};

/* Add something that was read; NULL: no memory. `name` is copied (NULL: none). */
struct ts_check_item *check_item(struct ts_check_part *p, const char *what, const char *name,
	int64_t count);

/* Note what is wrong: the part is damaged, or, where nothing of it was read, unreadable. */
void check_damage(struct ts_check_part *p, const char *fmt, ...) TS_PRINTF(2, 3);

/* As check_damage(), for what ended with `code`; what ends everything is passed on. */
enum ts_code check_failed(struct ts_check_part *p, const char *what, enum ts_code code,
	const struct ts_err *why, struct ts_err *err);

/*
 * One part each: p->path is set and is a regular file that can be opened. Errors: TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code check_sqlite(struct ts_check_part *p, struct check_run *run, struct ts_err *err);
enum ts_code check_archive(struct ts_check_part *p, struct check_run *run, struct ts_err *err);
enum ts_code check_debug(struct ts_check_part *p, struct check_run *run, struct ts_err *err);
enum ts_code check_json(struct ts_check_part *p, struct check_run *run, struct ts_err *err);
enum ts_code check_vars(struct ts_check_part *p, struct check_run *run, struct ts_err *err);

#endif
