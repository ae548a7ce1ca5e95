/* SPDX-License-Identifier: MIT */
/* damage - spoil one leaf page of a table in a SQLite file. */
#ifndef TS_TESTS_UNIT_DAMAGE_H
#define TS_TESTS_UNIT_DAMAGE_H

#include <check.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <unistd.h>

enum { DAMAGE_INTERIOR = 5, DAMAGE_LEAF = 13, DAMAGE_CELLS = 12 };

static inline int64_t
damage_number(sqlite3 *db, const char *sql, const char *table)
{
	sqlite3_stmt *st;
	int64_t v;

	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	if (table)
		sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return v;
}

/* Leaf number `leaf` of a table that has more pages than one, and is no more than two levels deep. */
static inline void
damage_leaf(const char *path, const char *table, int leaf)
{
	unsigned char head[8], at[4], bad[8];
	int64_t page, size;
	sqlite3 *db;
	int fd;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	page = damage_number(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table);
	size = damage_number(db, "PRAGMA page_size", NULL);
	sqlite3_close(db);
	fd = open(path, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, head, sizeof(head), (page - 1) * size), sizeof(head));
	ck_assert_int_eq(head[0], DAMAGE_INTERIOR);
	ck_assert_int_eq(pread(fd, at, 2, (page - 1) * size + DAMAGE_CELLS + 2 * leaf), 2);
	ck_assert_int_eq(pread(fd, at, 4, (page - 1) * size + (at[0] << 8 | at[1])), 4);
	page = (int64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
	ck_assert_int_eq(pread(fd, head, 1, (page - 1) * size), 1);
	ck_assert_int_eq(head[0], DAMAGE_LEAF);
	for (size_t i = 0; i < sizeof(bad); i++)
		bad[i] = 0xee;
	ck_assert_int_eq(pwrite(fd, bad, sizeof(bad), (page - 1) * size), sizeof(bad));
	close(fd);
}

static inline void
damage_table(const char *path, const char *table)
{
	damage_leaf(path, table, 0);
}

#endif
