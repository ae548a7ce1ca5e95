/* SPDX-License-Identifier: MIT */
/*
 * sql_check - what has to hold for any bytes that reach SQL: as a blob by tile, as the text of a filter, as
 * a statement. For the fuzzer (tests/fuzz/fuzz_sql.c) and for the replay of its corpus (test_query).
 *
 * The first byte says which of the three the rest is.
 */
#ifndef TS_TESTS_UNIT_SQL_CHECK_H
#define TS_TESTS_UNIT_SQL_CHECK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/report/browse.h"
#include "tilescope/report/query.h"

enum { SQL_CHECK_BYTES = 1 << 14, SQL_CHECK_ROWS = 200 };

struct sql_check {
	char dir[64], path[96];
	struct ts_report *report;
	struct ts_reader *reader;
	struct ts_query *query;
	struct ts_browse_list tables;
	char why[TS_ERR_MSG + 200];
};

/* A little of everything: names that need quotes, all types, gaps, WITHOUT ROWID, views. */
static const char *const sql_check_file =
	"PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"
	"CREATE TABLE steps(id INTEGER PRIMARY KEY, type TEXT, program INT, compute_set INT);"
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<299)"
	" INSERT INTO steps SELECT i, CASE i%3 WHEN 0 THEN 'Sync' ELSE 'DoExchange' END, i%7, NULL FROM n;"
	"CREATE TABLE memory_by_tile(tile INTEGER PRIMARY KEY, total INT);"
	"INSERT INTO memory_by_tile SELECT id, id*100 FROM steps WHERE id<64;"
	"CREATE TABLE odd(\"a \"\"b\" TEXT, \"select\" INT, c_by_tile BLOB, d REAL);"
	"INSERT INTO odd SELECT 'x' || id, id-5, CASE id%4 WHEN 0 THEN NULL WHEN 1 THEN x'0102'"
	" ELSE x'0100000002000000' END, id/3.0 FROM steps;"
	"DELETE FROM odd WHERE rowid%5=0;"
	"CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;"
	"INSERT INTO w SELECT 'k' || id, type FROM steps;"
	"CREATE VIEW v AS SELECT type, count(*) AS n FROM steps GROUP BY type;"
	"CREATE TABLE step(mine TEXT); CREATE TABLE run(mine TEXT); CREATE TABLE tiles(mine TEXT);";

static inline bool
sql_check_open(struct sql_check *c)
{
	struct ts_report_options options = {0};
	struct ts_err err = {0};
	sqlite3 *db;
	bool made;

	memset(c, 0, sizeof(*c));
	snprintf(c->dir, sizeof(c->dir), "/tmp/ts-sql-XXXXXX");
	if (!mkdtemp(c->dir))
		return false;
	snprintf(c->path, sizeof(c->path), "%s/profile.pop", c->dir);
	if (sqlite3_open(c->path, &db) != SQLITE_OK)
		return false;
	made = sqlite3_exec(db, sql_check_file, NULL, NULL, NULL) == SQLITE_OK;
	sqlite3_close(db);
	return made && !ts_report_open(&c->report, c->path, &options, &err) &&
		!ts_reader_open(&c->reader, c->report, &err) &&
		!ts_query_open(&c->query, c->report, &err) &&
		!ts_browse_tables(&c->tables, c->reader, &err);
}

static inline void
sql_check_close(struct sql_check *c)
{
	ts_browse_list_fini(&c->tables);
	ts_query_close(c->query);
	ts_reader_close(c->reader);
	ts_report_close(c->report);
	unlink(c->path);
	rmdir(c->dir);
}

static inline bool
sql_check_no(struct sql_check *c, const char *what, const char *more)
{
	snprintf(c->why, sizeof(c->why), "%.300s: %.300s", what, more);
	return false;
}

/* The first column of the first row; INT64_MIN: NULL, or no row. */
static inline bool
sql_check_int(struct sql_check *c, int64_t *out, const char *sql)
{
	struct ts_sql_value v;
	struct ts_err err = {0};
	bool row;

	*out = INT64_MIN;
	if (ts_query_prepare(c->query, sql, 0, &err) || ts_query_step(c->query, &row, &err))
		return sql_check_no(c, sql, err.msg);
	if (!row)
		return true;
	ts_query_value(&v, c->query, 0);
	if (v.type == TS_SQL_INTEGER)
		*out = v.integer;
	return true;
}

static inline bool
sql_check_equal(struct sql_check *c, const char *call, const char *hex, int64_t want)
{
	static char sql[2 * SQL_CHECK_BYTES + 200];
	char *to = sql;
	int64_t got;

	for (const char *p = call; *p; p++) { /* `@` stands for the digits */
		size_t n = *p == '@' ? strlen(hex) : 1;

		memcpy(to, *p == '@' ? hex : p, n);
		to += n;
	}
	*to = '\0';
	if (!sql_check_int(c, &got, sql))
		return false;
	return got == want || sql_check_no(c, call, "is another number");
}

static inline bool
sql_check_blob(struct sql_check *c, const uint8_t *bytes, size_t n)
{
	static char hex[2 * SQL_CHECK_BYTES + 1];
	int64_t sum = 0, most = 0, count = (int64_t)(n / 4), last = 0;
	bool whole = n % 4 == 0;

	hex[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	for (size_t i = 0; whole && i < n; i += 4) {
		last = (int64_t)bytes[i] | (int64_t)bytes[i + 1] << 8 |
			(int64_t)bytes[i + 2] << 16 | (int64_t)bytes[i + 3] << 24;
		sum += last;
		most = last > most ? last : most;
	}
	if (!whole)
		sum = most = last = INT64_MIN;
	return sql_check_equal(c, "SELECT tile_sum(x'@')", hex, sum) &&
		sql_check_equal(c, "SELECT tile_max(x'@')", hex, most) &&
		sql_check_equal(c, "SELECT count(*) FROM tiles(x'@')", hex, whole ? count : 0) &&
		sql_check_equal(c, "SELECT sum(value) FROM tiles(x'@')", hex,
			whole && n ? sum : INT64_MIN) &&
		sql_check_equal(c,
			"WITH b(x) AS (SELECT x'@') SELECT tile_at(x, length(x)/4-1) FROM b", hex,
			n ? last : INT64_MIN) &&
		sql_check_equal(c, "WITH b(x) AS (SELECT x'@') SELECT tile_at(x, length(x)) FROM b",
			hex,
			!whole	    ? INT64_MIN
				: n ? 0
				    : 0);
}

/* A filter is refused, or gives as many rows as its order has; SQL never complains. */
static inline bool
sql_check_filter(struct sql_check *c, const char *line)
{
	for (int i = 0; i < c->tables.count; i++) {
		const struct ts_browse_table *t = &c->tables.table[i];
		struct ts_browse_wish wish = {.sort = (int)(strlen(line) % 3) - 1};
		struct ts_browse_order *order = NULL;
		struct ts_browse_window w;
		struct ts_err err = {0};
		enum ts_code code = ts_browse_check(t, line, &err);

		if (code == TS_E_USAGE)
			continue;
		if (wish.sort >= t->object->column_count)
			wish.sort = -1;
		snprintf(wish.filter, sizeof(wish.filter), "%.*s", (int)sizeof(wish.filter) - 1,
			line);
		if (!code && t->has_rowid)
			code = ts_browse_order_make(&order, c->reader, t, &wish, 0, NULL, &err);
		if (!code)
			code = ts_browse_read(&w, c->reader, t, &wish, order, 0, SQL_CHECK_ROWS,
				NULL, &err);
		if (code)
			return sql_check_no(c, line, err.msg);
		if (order &&
			w.block.rows !=
				(order->count < SQL_CHECK_ROWS ? order->count : SQL_CHECK_ROWS))
			return sql_check_no(c, line, "other rows than its order has");
		ts_browse_window_fini(&w);
		ts_browse_order_release(order);
	}
	return true;
}

/* A statement ends, and leaves everything as it was. */
static inline bool
sql_check_statement(struct sql_check *c, const char *sql)
{
	struct ts_sql_value v;
	struct ts_err err = {0};
	int64_t n;
	bool row = true;

	if (!ts_query_prepare(c->query, sql, 0.5, &err))
		for (int i = 0; i < SQL_CHECK_ROWS && row; i++) {
			if (ts_query_step(c->query, &row, &err))
				break;
			for (int k = 0; row && k < ts_query_columns(c->query); k++)
				ts_query_value(&v, c->query, k);
		}
	return sql_check_int(c, &n, "SELECT count(*) FROM temp.step") &&
		(n == 300 || sql_check_no(c, sql, "changed the relations"));
}

static inline bool
sql_check(struct sql_check *c, const uint8_t *bytes, size_t n)
{
	static char text[SQL_CHECK_BYTES + 1];

	if (n < 1 || n > SQL_CHECK_BYTES)
		return true;
	memcpy(text, bytes + 1, n - 1);
	text[n - 1] = '\0';
	switch (bytes[0] % 3) {
	case 0:
		return sql_check_blob(c, bytes + 1, n - 1);
	case 1:
		return sql_check_filter(c, text);
	default:
		return sql_check_statement(c, text);
	}
}

#endif
