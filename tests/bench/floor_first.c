/* SPDX-License-Identifier: MIT */
/*
 * floor_first - the smallest program that can show a first screen: ncurses, SQLite, one statement.
 *
 *     floor_first DB 'SELECT tile, bytes ...'
 *
 * Shows the first row as "worst tile T  B bytes", waits for a key, ends. What `make bench` holds the
 * program's first screen against: nothing that draws with curses what SQLite read can be faster.
 */
#include "config.h"

#include <curses.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;

	if (argc != 3) {
		fputs("usage: floor_first DB SQL\n", stderr);
		return 2;
	}
	setlocale(LC_ALL, "");
	if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
		sqlite3_prepare_v2(db, argv[2], -1, &stmt, NULL) != SQLITE_OK ||
		sqlite3_step(stmt) != SQLITE_ROW) {
		fprintf(stderr, "floor_first: %s\n", sqlite3_errmsg(db));
		return 1;
	}
	initscr();
	raw();
	noecho();
	mvprintw(2, 0, "worst tile %lld  %lld bytes", (long long)sqlite3_column_int64(stmt, 0),
		(long long)sqlite3_column_int64(stmt, 1));
	refresh();
	getch();
	endwin();
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return 0;
}
