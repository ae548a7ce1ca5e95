/* SPDX-License-Identifier: MIT */
/* world - a report, of the demo or made with SQL, and a reader of it. */
#ifndef TS_TESTS_UNIT_WORLD_H
#define TS_TESTS_UNIT_WORLD_H

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "../screen/report_dir.h"

#include "tilescope/report/report.h"

struct world {
	char dir[REPORT_DIR];
	char *path;
	struct ts_report *report;
	struct ts_reader *rd;
};

static inline void
open_world(struct world *w)
{
	struct ts_report_options ro = {.any = true};
	struct ts_err err = {0};

	ck_assert_msg(ts_report_open(&w->report, w->path, &ro, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_reader_open(&w->rd, w->report, &err) == TS_OK, "%s", err.msg);
}

static inline void
begin_world(struct world *w, const struct ts_demo_options *o)
{
	report_dir_make(w->dir);
	report_dir_demo(w->dir, &w->path, o);
	open_world(w);
}

static inline void
begin_sql(struct world *w, const char *sql)
{
	report_dir_make(w->dir);
	w->path = NULL;
	report_dir_sql(w->dir, &w->path, "report.tilescope", sql);
	open_world(w);
}

static inline void
end_world(struct world *w)
{
	ts_reader_close(w->rd);
	ts_report_close(w->report);
	unlink(w->path);
	free(w->path);
	ck_assert_int_eq(rmdir(w->dir), 0);
}

#endif
