/* SPDX-License-Identifier: MIT */
/* sqlite_bytes - SQLite files that a test makes in memory, by SQL. */
#ifndef TS_TESTS_UNIT_SQLITE_BYTES_H
#define TS_TESTS_UNIT_SQLITE_BYTES_H

#include <check.h>
#include <sqlite3.h>
#include <stddef.h>

static inline void
sqlite_run(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s: %s", why, sql);
}

/* The bytes of a database made by `sql`: free with sqlite3_free(). */
static inline unsigned char *
sqlite_bytes(size_t *n, const char *sql)
{
	unsigned char *bytes;
	sqlite3_int64 size;
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open_v2(":memory:", &db,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL),
		SQLITE_OK);
	sqlite_run(db, sql);
	bytes = sqlite3_serialize(db, "main", &size, 0);
	ck_assert_ptr_nonnull(bytes);
	sqlite3_close(db);
	*n = (size_t)size;
	return bytes;
}

#endif
