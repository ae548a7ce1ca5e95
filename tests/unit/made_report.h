/* SPDX-License-Identifier: MIT */
/* made_report - a small report that a test makes with SQL, and asks with SQL what it should find. */
#ifndef TS_TESTS_UNIT_MADE_REPORT_H
#define TS_TESTS_UNIT_MADE_REPORT_H

#include <check.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/report/report.h"

#include "index_dir.h"
#include "relations_profile.h"

struct fixture {
	char dir[64], path[128], profile[128];
	sqlite3 *db;	/* of `path`; NULL until something was put into it */
	bool relations; /* it has tables named as relations, and `profile` is made of it */
	bool as_it_is;	/* ... but they stay exactly as they stand */
	struct ts_report *report;
	struct ts_reader *reader;
	unsigned seed;
};

/* A number below n, the same ones for the same seed. */
static inline unsigned
rnd(struct fixture *f, unsigned n)
{
	f->seed = f->seed * 1103515245u + 12345u;
	return (f->seed >> 16 & 0x7fff) % n;
}

static inline void
open_db(struct fixture *f)
{
	if (f->db)
		return;
	ck_assert_int_eq(sqlite3_open(f->path, &f->db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(f->db,
				 "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", NULL,
				 NULL, NULL),
		SQLITE_OK);
}

/* The format is that of sqlite3_mprintf(). */
static inline void TS_PRINTF(2, 3) sql(struct fixture *f, const char *fmt, ...)
{
	char *message = NULL, *text;
	va_list ap;

	open_db(f);
	va_start(ap, fmt);
	text = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s: %s",
		message, text);
	sqlite3_free(text);
}

/* A directory, and the path of a file in it that is not there yet. */
static inline void
make_fixture(struct fixture *f, const char *file, unsigned seed)
{
	memset(f, 0, sizeof(*f));
	f->seed = seed;
	snprintf(f->dir, sizeof(f->dir), "/tmp/ts-made-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, file);
	snprintf(f->profile, sizeof(f->profile), "%s", f->path);
}

/* Its tables are to be named as relations: a profile is made of them when it is opened. */
static inline void
make_relations(struct fixture *f, unsigned seed)
{
	make_fixture(f, "relations.db", seed);
	snprintf(f->profile, sizeof(f->profile), "%s/profile.pop", f->dir);
	f->relations = true;
	sql(f, "CREATE TABLE report(key TEXT, value TEXT)");
}

/* Rows that no profile can have: they stay as they stand. */
static inline void
make_as_it_is(struct fixture *f, unsigned seed)
{
	make_relations(f, seed);
	f->as_it_is = true;
}

/* Nothing more is put into it while it is open. */
static inline void
open_report(struct fixture *f)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};

	open_db(f);
	if (f->relations)
		(f->as_it_is ? relations_as_they_are : relations_profile)(f->path, f->profile);
	ck_assert_msg(ts_report_open(&f->report, f->profile, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_reader_open(&f->reader, f->report, &err) == TS_OK, "%s", err.msg);
}

static inline void
close_report(struct fixture *f)
{
	ts_reader_close(f->reader);
	ts_report_close(f->report);
	f->reader = NULL;
	f->report = NULL;
}

static inline void
end(struct fixture *f)
{
	close_report(f);
	sqlite3_close(f->db);
	index_dir_remove(f->dir);
}

#endif
