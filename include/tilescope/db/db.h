/* SPDX-License-Identifier: MIT */
/*
 * db - one hardened, read-only SQLite connection over a source.
 *
 * A connection belongs to one thread at a time. Statements are cached by their text.
 */
#ifndef TS_DB_DB_H
#define TS_DB_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/progress.h"
#include "tilescope/io/source.h"
#include "tilescope/db/sql_value.h"

struct ts_db;
struct ts_pages;

enum {
	TS_DB_LENGTH_MAX = 16 << 20, /* bytes of one value or row */
	TS_DB_STATEMENTS = 32,	     /* kept by a connection */
	TS_DB_PAGES_BYTES = 2 << 20, /* of SQLite's page cache, a connection */
};

/*
 * Open. `source` must outlive the connection. Errors: TS_E_FORMAT (not SQLite), TS_E_DAMAGED (its
 * schema cannot be read), TS_E_NOMEM, those of the source.
 */
enum ts_code ts_db_open(struct ts_db **db, struct ts_source *source,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_db_close(struct ts_db *db);

/* Statements end with TS_E_CANCELLED while this token is set; NULL = none. */
void ts_db_set_cancel(struct ts_db *db, const struct ts_cancel *cancel);

/*
 * A statement for `sql`, from the cache or new, reset and without bindings. Give it back with
 * ts_db_release(). Errors: as ts_db_step().
 */
enum ts_code ts_db_prepare(struct ts_db *db, sqlite3_stmt **stmt, const char *sql,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_db_release(struct ts_db *db, sqlite3_stmt *stmt);

/* The same for SQL that was put together: `sql` is given up. Also TS_E_NOMEM, TS_E_LIMIT: it was cut. */
struct ts_strbuf;
enum ts_code ts_db_prepare_sql(struct ts_db *db, sqlite3_stmt **stmt, struct ts_strbuf *sql,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Step: *row says whether there is one. A row that takes more work than a file of this size can need ends
 * the statement (TS_E_LIMIT): a hostile view may never end. Errors: TS_E_DAMAGED, TS_E_CANCELLED, TS_E_LIMIT (needs
 * too much memory), TS_E_SYS, TS_E_FORMAT (anything else SQLite says).
 */
enum ts_code ts_db_step(struct ts_db *db, sqlite3_stmt *stmt, bool *row,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * From here on what a statement may take is bound by time, not by what the file can need: for SQL of the
 * user. `seconds` from now (0 = any time), then TS_E_LIMIT.
 */
void ts_db_bound(struct ts_db *db, double seconds);

/*
 * While `stmt` is stepped, `progress` is told how many rows it has gone through, of `total` (0 = not known);
 * stmt NULL: no longer, which has to be said before it is released.
 */
void ts_db_watch(struct ts_db *db, sqlite3_stmt *stmt, struct ts_progress *progress, int64_t total);
int64_t ts_db_scanned(sqlite3_stmt *stmt); /* rows it has gone through since ts_db_watch() */

/* The error that SQLite's code `rc` means here, for statements that ts_db_prepare() has not made. */
enum ts_code ts_db_error(struct ts_db *db, int rc, struct ts_err *err);

/* Column of the row that a statement stands at; valid until the next step. */
void ts_sql_value_of(struct ts_sql_value *v, sqlite3_stmt *stmt, int column);

/* A statement with at most one row and one integer; *found false when there is no row or NULL. */
enum ts_code ts_db_int(struct ts_db *db, int64_t *out, bool *found, const char *sql,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Read rows through SQLite alone, never from pages (table.h): for tests and measures. The rows are the
 * same.
 */
void ts_db_use_api(struct ts_db *db, bool only);

/* Pages to read rows from, for table.c; NULL: not from this file, or not now. */
struct ts_pages *ts_db_pages(struct ts_db *db);

struct ts_db_stats {
	int64_t page_hits, page_misses; /* of tables read from pages, and of SQLite's cache */
	int64_t bytes, reads;		/* of the source; a read is something to wait for */
	int64_t statements_cached;	/* found in the cache of statements */
	int64_t statements_prepared;
	struct ts_source_counts far; /* of a source on another host */
};

/* What the connection has done so far. Any thread; the connection must not be closed meanwhile. */
void ts_db_stats(struct ts_db_stats *s, const struct ts_db *db);

/* Size of the file. */
int64_t ts_db_bytes(const struct ts_db *db);

sqlite3 *ts_db_handle(struct ts_db *db);

/* The name by which another connection can open the same source while this one is open. */
const char *ts_db_vfs(const struct ts_db *db);

/* Append an identifier in double quotes, quotes doubled. */
void ts_sql_quote(struct ts_strbuf *sql, const char *name);

#endif
