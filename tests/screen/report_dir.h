/* SPDX-License-Identifier: MIT */
/* report_dir - a report in a directory of its own, for Check programs that drive a view. */
#ifndef TS_TESTS_SCREEN_REPORT_DIR_H
#define TS_TESTS_SCREEN_REPORT_DIR_H

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilescope/demo/demo.h"

enum { REPORT_DIR = 64 };

static inline void
report_dir_make(char dir[REPORT_DIR])
{
	snprintf(dir, REPORT_DIR, "/tmp/ts-view-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

/* *path is malloc'ed. */
static inline void
report_dir_demo(const char *dir, char **path, const struct ts_demo_options *o)
{
	struct ts_err err = {0};

	ck_assert_msg(ts_demo_write(path, dir, o, NULL, NULL, &err) == TS_OK, "%s", err.msg);
}

/* Change the report with SQL; without one yet (*path NULL) make `file` with nothing else in it. */
static inline void
report_dir_sql(const char *dir, char **path, const char *file, const char *sql)
{
	char *message = NULL;
	sqlite3 *db;

	if (!*path) {
		*path = malloc(2 * REPORT_DIR);
		ck_assert_ptr_nonnull(*path);
		snprintf(*path, 2 * REPORT_DIR, "%s/%s", dir, file);
	}
	ck_assert_int_eq(sqlite3_open(*path, &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK, "%s", message);
	sqlite3_close(db);
}

#endif
