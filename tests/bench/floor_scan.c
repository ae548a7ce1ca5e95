/* SPDX-License-Identifier: MIT */
/*
 * floor_scan - what the SQLite C API can do at best: the floors that `make bench` holds us against.
 *
 *     floor_scan scan DB TABLE COLUMNS THREADS MOST  add up integer columns of the first MOST rows
 *     floor_scan totals DB TABLE TILE BYTES       bytes by tile, in an array
 *     floor_scan window DB TABLE COLUMNS N SEED   N times 200 rows from a row id on
 *     floor_scan offset DB TABLE COLUMNS N SEED   the same with OFFSET
 *     floor_scan sql DB SQL                       step a statement to its end
 *
 * No hardening, no check of what a value is, nothing that could be cancelled. With several threads each
 * has a connection and a range of row ids. Prints one line of JSON: what was read and the milliseconds
 * from the first statement to the last row; opening is not counted.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/clock.h"

enum { THREADS_MAX = 16, TILES_MAX = 1 << 20, WINDOW = 200 };

struct part {
	const char *file, *sql;
	sqlite3 *db;
	sqlite3_stmt *stmt;
	int64_t from, to; /* row ids */
	int64_t rows;
	uint64_t sum;
	pthread_t thread;
};

static void
fail(sqlite3 *db)
{
	fprintf(stderr, "floor_scan: %s\n", db ? sqlite3_errmsg(db) : "out of memory");
	exit(1);
}

static sqlite3 *
open_file(const char *file)
{
	sqlite3 *db;

	if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
		SQLITE_OK)
		fail(db);
	return db;
}

static sqlite3_stmt *
prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail(db);
	return stmt;
}

static int64_t
number(sqlite3 *db, const char *format, const char *table)
{
	char *sql = sqlite3_mprintf(format, table);
	sqlite3_stmt *stmt = prepare(db, sql);
	int64_t n = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;

	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return n;
}

static void *
scan_part(void *arg)
{
	struct part *p = arg;
	int columns = sqlite3_column_count(p->stmt);
	int code;

	sqlite3_bind_int64(p->stmt, 1, p->from);
	sqlite3_bind_int64(p->stmt, 2, p->to);
	while ((code = sqlite3_step(p->stmt)) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++)
			p->sum += (uint64_t)sqlite3_column_int64(p->stmt, i);
		p->rows++;
	}
	if (code != SQLITE_DONE)
		fail(p->db);
	return NULL;
}

static void
print(int64_t rows, uint64_t sum, int64_t since_us)
{
	printf("{\"rows\": %" PRId64 ", \"sum\": %" PRIu64 ", \"ms\": %.3f}\n", rows, sum,
		(double)(ts_clock_us() - since_us) / 1e3);
}

static int
scan(char **argv)
{
	char *sql = sqlite3_mprintf("SELECT %s FROM \"%w\" WHERE rowid >= ?1 AND rowid < ?2",
		argv[2], argv[1]);
	struct part part[THREADS_MAX] = {0};
	int threads = (int)strtol(argv[3], NULL, 10);
	int64_t last, since, rows = 0, most = strtoll(argv[4], NULL, 10);
	uint64_t sum = 0;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (int i = 0; i < threads; i++) {
		part[i].db = open_file(argv[0]);
		part[i].stmt = prepare(part[i].db, sql);
	}
	last = number(part[0].db, "SELECT max(rowid) FROM \"%w\"", argv[1]);
	last = last < most ? last : most;
	since = ts_clock_us();
	for (int i = 0; i < threads; i++) {
		part[i].from = i ? part[i - 1].to : 1;
		part[i].to = i == threads - 1 ? last + 1 : last / threads * (i + 1);
		if (i && pthread_create(&part[i].thread, NULL, scan_part, &part[i]))
			return 1;
	}
	scan_part(&part[0]);
	for (int i = 0; i < threads; i++) {
		if (i)
			pthread_join(part[i].thread, NULL);
		rows += part[i].rows;
		sum += part[i].sum;
	}
	print(rows, sum, since);
	for (int i = 0; i < threads; i++) {
		sqlite3_finalize(part[i].stmt);
		sqlite3_close(part[i].db);
	}
	sqlite3_free(sql);
	return 0;
}

static int
totals(char **argv)
{
	sqlite3 *db = open_file(argv[0]);
	char *sql = sqlite3_mprintf("SELECT \"%w\", \"%w\" FROM \"%w\"", argv[2], argv[3], argv[1]);
	sqlite3_stmt *stmt = prepare(db, sql);
	int64_t *bytes = calloc(TILES_MAX, sizeof(*bytes));
	int64_t since = ts_clock_us(), rows = 0;
	uint64_t sum = 0;

	if (!bytes)
		fail(NULL);
	for (; sqlite3_step(stmt) == SQLITE_ROW; rows++) {
		int64_t tile = sqlite3_column_int64(stmt, 0);

		if (tile >= 0 && tile < TILES_MAX)
			bytes[tile] += sqlite3_column_int64(stmt, 1);
	}
	for (int i = 0; i < TILES_MAX; i++)
		sum += (uint64_t)bytes[i];
	print(rows, sum, since);
	free(bytes);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	sqlite3_free(sql);
	return 0;
}

/* Any numbers will do, the same ones each time. */
static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int
windows(char **argv, bool offset)
{
	sqlite3 *db = open_file(argv[0]);
	char *sql = sqlite3_mprintf(offset ? "SELECT %s FROM \"%w\" LIMIT 200 OFFSET ?1"
					   : "SELECT %s FROM \"%w\" WHERE rowid >= ?1 LIMIT 200",
		argv[2], argv[1]);
	sqlite3_stmt *stmt = prepare(db, sql);
	int64_t last = number(db, "SELECT max(rowid) FROM \"%w\"", argv[1]);
	int64_t n = strtoll(argv[3], NULL, 10);
	uint64_t state = strtoull(argv[4], NULL, 10) * 2654435761u + 1, sum = 0;
	int columns = sqlite3_column_count(stmt);

	if (last <= WINDOW)
		last = WINDOW + 1;
	printf("{\"ms\": [");
	for (int64_t i = 0; i < n; i++) {
		int64_t since = ts_clock_us();

		sqlite3_bind_int64(stmt, 1, (int64_t)(next(&state) % (uint64_t)(last - WINDOW)));
		while (sqlite3_step(stmt) == SQLITE_ROW)
			for (int c = 0; c < columns; c++)
				sum += (uint64_t)sqlite3_column_int64(stmt, c);
		sqlite3_reset(stmt);
		printf("%s%.3f", i ? ", " : "", (double)(ts_clock_us() - since) / 1e3);
	}
	printf("], \"sum\": %" PRIu64 "}\n", sum);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	sqlite3_free(sql);
	return 0;
}

static int
statement(char **argv)
{
	sqlite3 *db = open_file(argv[0]);
	sqlite3_stmt *stmt = prepare(db, argv[1]);
	int64_t since = ts_clock_us(), rows = 0;

	while (sqlite3_step(stmt) == SQLITE_ROW)
		rows++;
	print(rows, 0, since);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "scan") == 0 && argc == 7)
		return scan(argv + 2);
	if (strcmp(verb, "totals") == 0 && argc == 6)
		return totals(argv + 2);
	if (strcmp(verb, "window") == 0 && argc == 7)
		return windows(argv + 2, false);
	if (strcmp(verb, "offset") == 0 && argc == 7)
		return windows(argv + 2, true);
	if (strcmp(verb, "sql") == 0 && argc == 4)
		return statement(argv + 2);
	fputs("usage: floor_scan scan|totals|window|offset|sql DB ...\n", stderr);
	return 2;
}
