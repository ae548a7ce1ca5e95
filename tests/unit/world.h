/* SPDX-License-Identifier: MIT */
/* world - a report, of the demo or made with SQL, and a reader of it. */
#ifndef TS_TESTS_UNIT_WORLD_H
#define TS_TESTS_UNIT_WORLD_H

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "../screen/report_dir.h"

#include "tilescope/report/report.h"

#include "index_dir.h"

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
begin_made(struct world *w, const char *sql, void (*make)(const char *, const char *))
{
	char *relations = NULL;

	report_dir_make(w->dir);
	report_dir_sql(w->dir, &relations, "relations.db", sql);
	w->path = malloc(2 * REPORT_DIR);
	ck_assert_ptr_nonnull(w->path);
	snprintf(w->path, 2 * REPORT_DIR, "%s/profile.pop", w->dir);
	make(relations, w->path);
	free(relations);
	open_world(w);
}

static inline void
begin_sql(struct world *w, const char *sql)
{
	begin_made(w, sql, relations_profile);
}

/* Rows that no profile can have. */
static inline void
begin_as_it_is(struct world *w, const char *sql)
{
	begin_made(w, sql, relations_as_they_are);
}

static inline void
end_world(struct world *w)
{
	ts_reader_close(w->rd);
	ts_report_close(w->report);
	free(w->path);
	index_dir_remove(w->dir);
}

#endif
