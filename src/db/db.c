/* SPDX-License-Identifier: MIT */
/*
 * db - open hardened, prepare once, cancel.
 *
 * The file is hostile: SQLite is told to trust nothing in it (defensive, trusted_schema off, cell
 * sizes checked, no triggers, no extensions, limits on everything that can grow), double-quoted
 * words are never taken for text (an absent column must be an error, not its own name), and memory
 * is capped for the whole process.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/db.h"
#include "tilescope/db/pages.h"
#include "tilescope/db/vfs.h"

enum {
	CACHED_STATEMENTS = TS_DB_STATEMENTS,
	PROGRESS_OPS = 2000,	/* virtual machine steps between looks at the token */
	TICKS_ALWAYS = 50000,	/* PROGRESS_OPS for one row that are allowed in any file */
	HEAP_LIMIT = 192 << 20, /* bytes, the whole process */
};

struct cached {
	sqlite3_stmt *stmt;
	char *sql;
	bool busy;
	unsigned used; /* clock of the last use */
};

struct ts_db {
	sqlite3 *sqlite;
	struct ts_vfs *vfs;
	const struct ts_cancel *cancel;
	struct cached cache[CACHED_STATEMENTS];
	unsigned clock;
	int64_t bytes; /* of the file */
	int64_t ticks; /* of PROGRESS_OPS since the last row */
	bool endless;  /* more than a file of this size can need: a view that never ends */
	bool bounded;  /* by time instead: ts_db_bound() */
	double seconds;
	int64_t until;	       /* ts_clock_us(), or 0 = any time */
	sqlite3_stmt *watched; /* tells its progress; or NULL */
	struct ts_progress *progress;
	int64_t total;
	struct ts_pages *pages; /* or NULL */
	struct ts_source_meter far;
	bool api_only;
	_Atomic int64_t page_hits, page_misses, cached, prepared;
};

/* What SQLite's primary codes mean here; all others are TS_E_FORMAT. */
static const struct {
	int sqlite;
	enum ts_code code;
} codes[] = {
	{SQLITE_CORRUPT, TS_E_DAMAGED},
	{SQLITE_NOTADB, TS_E_DAMAGED},
	{SQLITE_TOOBIG, TS_E_LIMIT},
	{SQLITE_IOERR, TS_E_SYS}, /* not of our source: of a temporary file */
	{SQLITE_FULL, TS_E_SYS},
	{SQLITE_CANTOPEN, TS_E_SYS},
};

static enum ts_code
fail(struct ts_db *db, int rc, struct ts_err *err)
{
	const struct ts_err *io = ts_vfs_error(db->vfs);
	int primary = rc & 0xff;
	sqlite3_int64 now, largest = 0;

	/*
	 * With cell_size_check SQLite refuses a page whose cells are not whole when it comes into the cache, but marks it
	 * as checked: found there again it is taken, and a cell is then read beyond the page's end.
	 */
	if (primary == SQLITE_CORRUPT)
		sqlite3_db_release_memory(db->sqlite);
	/* SQLite turns SQLITE_IOERR_CORRUPTFS into SQLITE_CORRUPT when a statement runs */
	if (io->code == TS_E_DAMAGED && (primary == SQLITE_IOERR || primary == SQLITE_CORRUPT))
		return ts_err_set(err, TS_E_DAMAGED, "the file is truncated: %s", io->msg);
	if (primary == SQLITE_IOERR && io->code)
		return ts_err_set(err, io->code, "%s", io->msg);
	if (primary == SQLITE_INTERRUPT && db->endless && !ts_cancelled(db->cancel))
		return db->bounded
			? ts_err_set(err, TS_E_LIMIT, "stopped after %g seconds", db->seconds)
			: ts_err_set(err, TS_E_LIMIT,
				  "takes more work than a file of this size can need (a view that never ends?)");
	if (primary == SQLITE_INTERRUPT || ts_cancelled(db->cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	/* the limit of the heap, unless nothing ever came near it: then there is no memory, or a function of ours had none */
	sqlite3_status64(SQLITE_STATUS_MALLOC_SIZE, &now, &largest, 0);
	if (primary == SQLITE_NOMEM &&
		ts_max_i64(largest, sqlite3_memory_highwater(0)) < HEAP_LIMIT / 2)
		return ts_err_nomem(err);
	if (primary == SQLITE_NOMEM)
		return ts_err_set(err, TS_E_LIMIT, "needs too much memory");
	for (size_t i = 0; i < TS_COUNT(codes); i++)
		if (primary == codes[i].sqlite)
			return ts_err_set(err, codes[i].code, "%s", sqlite3_errmsg(db->sqlite));
	return ts_err_set(err, TS_E_FORMAT, "%s", sqlite3_errmsg(db->sqlite));
}

void
ts_db_bound(struct ts_db *db, double seconds)
{
	db->bounded = true;
	db->endless = false;
	db->seconds = seconds;
	db->until = seconds > 0 ? ts_clock_us() + (int64_t)(seconds * 1e6) : 0;
}

int64_t
ts_db_scanned(sqlite3_stmt *stmt)
{
	return sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
}

void
ts_db_watch(struct ts_db *db, sqlite3_stmt *stmt, struct ts_progress *progress, int64_t total)
{
	db->watched = stmt;
	db->progress = progress;
	db->total = total > 0 ? total : 0;
	if (stmt)
		sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
}

enum ts_code
ts_db_error(struct ts_db *db, int rc, struct ts_err *err)
{
	return fail(db, rc, err);
}

static int
on_progress(void *ctx)
{
	struct ts_db *db = ctx;

	db->ticks++;
	if (db->watched)
		ts_progress_set(db->progress, ts_db_scanned(db->watched), db->total);
	db->endless = db->bounded ? db->until && ts_clock_us() > db->until
				  : db->ticks > TICKS_ALWAYS + db->bytes / 4;
	return db->endless || ts_cancelled(db->cancel);
}

static const struct {
	int option, value;
} configs[] = {
	{SQLITE_DBCONFIG_DEFENSIVE, 1},
	{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
	{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
	{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
	{SQLITE_DBCONFIG_DQS_DML, 0},
};

static const struct {
	int limit, value;
} limits[] = {
	{SQLITE_LIMIT_LENGTH, TS_DB_LENGTH_MAX},
	{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
	{SQLITE_LIMIT_EXPR_DEPTH, 100},
	{SQLITE_LIMIT_COMPOUND_SELECT, 20},
	{SQLITE_LIMIT_ATTACHED, 0},
	{SQLITE_LIMIT_WORKER_THREADS, 0},
	{SQLITE_LIMIT_FUNCTION_ARG, 32},
};

static const char *const pragmas[] = {
	"PRAGMA cell_size_check=ON",
	"PRAGMA mmap_size=0",
	"PRAGMA cache_size=-2048", /* KiB: TS_DB_PAGES_BYTES */
	"PRAGMA temp_store=FILE",
	"PRAGMA query_only=ON",
};

static int
harden(struct ts_db *db)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < TS_COUNT(configs); i++)
		sqlite3_db_config(db->sqlite, configs[i].option, configs[i].value, NULL);
	for (size_t i = 0; i < TS_COUNT(limits); i++)
		sqlite3_limit(db->sqlite, limits[i].limit, limits[i].value);
	sqlite3_extended_result_codes(db->sqlite, 1);
	sqlite3_progress_handler(db->sqlite, PROGRESS_OPS, on_progress, db);
	for (size_t i = 0; i < TS_COUNT(pragmas) && rc == SQLITE_OK; i++)
		rc = sqlite3_exec(db->sqlite, pragmas[i], NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db->sqlite, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL,
			NULL);
	return rc;
}

enum ts_code
ts_db_open(struct ts_db **out, struct ts_source *source, struct ts_err *err)
{
	struct ts_db *db = ts_alloc(1, sizeof(*db));
	enum ts_code code;
	int rc;

	*out = NULL;
	if (!db)
		return ts_err_nomem(err);
	code = ts_vfs_new(&db->vfs, source, &db->far, err);
	if (code) {
		free(db);
		return code;
	}
	db->bytes = source->size;
	code = ts_pages_new(&db->pages, source, &db->far, ts_vfs_header(db->vfs), err);
	if (code) {
		ts_db_close(db);
		return code;
	}
	sqlite3_hard_heap_limit64(HEAP_LIMIT);
	rc = sqlite3_open_v2("file:report?immutable=1", &db->sqlite,
		SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
			SQLITE_OPEN_PRIVATECACHE,
		ts_vfs_name(db->vfs));
	if (rc == SQLITE_OK)
		rc = harden(db);
	if (rc != SQLITE_OK) {
		code = db->sqlite ? fail(db, rc, err) : ts_err_nomem(err);
		ts_db_close(db);
		return code;
	}
	*out = db;
	return TS_OK;
}

const char *
ts_db_vfs(const struct ts_db *db)
{
	return ts_vfs_name(db->vfs);
}

int64_t
ts_db_bytes(const struct ts_db *db)
{
	return db->bytes;
}

void
ts_db_close(struct ts_db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < CACHED_STATEMENTS; i++) {
		sqlite3_finalize(db->cache[i].stmt);
		free(db->cache[i].sql);
	}
	sqlite3_close_v2(db->sqlite);
	ts_pages_free(db->pages);
	ts_vfs_free(db->vfs);
	free(db);
}

void
ts_db_set_cancel(struct ts_db *db, const struct ts_cancel *cancel)
{
	db->cancel = cancel;
	ts_vfs_set_cancel(db->vfs, cancel);
	ts_pages_set_cancel(db->pages, cancel);
}

void
ts_db_use_api(struct ts_db *db, bool only)
{
	db->api_only = only;
}

struct ts_pages *
ts_db_pages(struct ts_db *db)
{
	return db->api_only ? NULL : db->pages;
}

/* Only the connection's thread writes them. */
static void
publish(_Atomic int64_t *to, int64_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

static int64_t
published(const _Atomic int64_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

void
ts_db_stats(struct ts_db_stats *s, const struct ts_db *db)
{
	struct ts_pages_stats pages;
	struct ts_vfs_stats vfs;

	ts_pages_stats(&pages, db->pages);
	ts_vfs_stats(&vfs, db->vfs);
	*s = (struct ts_db_stats){
		.page_hits = pages.hits + published(&db->page_hits),
		.page_misses = pages.misses + published(&db->page_misses),
		.bytes = pages.bytes + vfs.bytes,
		.reads = pages.waits + vfs.reads,
		.statements_cached = published(&db->cached),
		.statements_prepared = published(&db->prepared),
	};
	ts_source_meter_read(&s->far, &db->far);
}

/* SQLite's own cache counts where only this thread may look. */
static void
publish_pages(struct ts_db *db)
{
	int hits = 0, misses = 0, most;

	sqlite3_db_status(db->sqlite, SQLITE_DBSTATUS_CACHE_HIT, &hits, &most, 1);
	sqlite3_db_status(db->sqlite, SQLITE_DBSTATUS_CACHE_MISS, &misses, &most, 1);
	publish(&db->page_hits, published(&db->page_hits) + hits);
	publish(&db->page_misses, published(&db->page_misses) + misses);
}

sqlite3 *
ts_db_handle(struct ts_db *db)
{
	return db->sqlite;
}

/* The entry to keep a new statement in: the least recently used that nobody holds, or NULL. */
static struct cached *
cache_victim(struct ts_db *db)
{
	struct cached *best = NULL;

	for (size_t i = 0; i < CACHED_STATEMENTS; i++) {
		struct cached *c = &db->cache[i];

		if (!c->busy && (!best || c->used < best->used))
			best = c;
	}
	return best;
}

static struct cached *
cache_find(struct ts_db *db, const char *sql)
{
	for (size_t i = 0; i < CACHED_STATEMENTS; i++) {
		struct cached *c = &db->cache[i];

		if (c->sql && !c->busy && strcmp(c->sql, sql) == 0)
			return c;
	}
	return NULL;
}

enum ts_code
ts_db_prepare(struct ts_db *db, sqlite3_stmt **stmt, const char *sql, struct ts_err *err)
{
	struct cached *c = cache_find(db, sql);
	int rc;

	if (c) {
		c->busy = true;
		c->used = ++db->clock;
		*stmt = c->stmt;
		publish(&db->cached, published(&db->cached) + 1);
		return TS_OK;
	}
	publish(&db->prepared, published(&db->prepared) + 1);
	ts_vfs_clear_error(db->vfs);
	rc = sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
	if (rc != SQLITE_OK)
		return fail(db, rc, err);
	c = cache_victim(db);
	if (c) {
		char *copy = ts_strdup(sql);

		if (copy) {
			sqlite3_finalize(c->stmt);
			free(c->sql);
			*c = (struct cached){*stmt, copy, true, ++db->clock};
		}
	}
	return TS_OK;
}

enum ts_code
ts_db_prepare_sql(struct ts_db *db, sqlite3_stmt **stmt, struct ts_strbuf *sql, struct ts_err *err)
{
	enum ts_code code;

	*stmt = NULL;
	if (sql->nomem)
		code = ts_err_nomem(err);
	else if (sql->cut)
		code = ts_err_set(err, TS_E_LIMIT, "a name is too long");
	else
		code = ts_db_prepare(db, stmt, sql->s, err);
	ts_strbuf_fini(sql);
	return code;
}

void
ts_db_release(struct ts_db *db, sqlite3_stmt *stmt)
{
	if (!stmt)
		return;
	publish_pages(db);
	for (size_t i = 0; i < CACHED_STATEMENTS; i++)
		if (db->cache[i].stmt == stmt) {
			sqlite3_reset(stmt);
			sqlite3_clear_bindings(stmt);
			db->cache[i].busy = false;
			return;
		}
	sqlite3_finalize(stmt);
}

enum ts_code
ts_db_step(struct ts_db *db, sqlite3_stmt *stmt, bool *row, struct ts_err *err)
{
	int rc;

	ts_vfs_clear_error(db->vfs);
	db->ticks = 0;
	rc = sqlite3_step(stmt);
	*row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? TS_OK : fail(db, rc, err);
}

enum ts_code
ts_db_int(struct ts_db *db, int64_t *out, bool *found, const char *sql, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	*found = false;
	code = ts_db_prepare(db, &stmt, sql, err);
	if (code)
		return code;
	code = ts_db_step(db, stmt, &row, err);
	if (!code && row && sqlite3_column_type(stmt, 0) == SQLITE_INTEGER) {
		*out = sqlite3_column_int64(stmt, 0);
		*found = true;
	}
	ts_db_release(db, stmt);
	return code;
}

void
ts_sql_value_of(struct ts_sql_value *v, sqlite3_stmt *stmt, int column)
{
	static const enum ts_sql_type types[] = {
		[SQLITE_INTEGER] = TS_SQL_INTEGER,
		[SQLITE_FLOAT] = TS_SQL_REAL,
		[SQLITE_TEXT] = TS_SQL_TEXT,
		[SQLITE_BLOB] = TS_SQL_BLOB,
		[SQLITE_NULL] = TS_SQL_NULL,
	};
	const void *bytes = NULL;

	*v = (struct ts_sql_value){.type = types[sqlite3_column_type(stmt, column)], .bytes = ""};
	if (v->type == TS_SQL_INTEGER)
		v->integer = sqlite3_column_int64(stmt, column);
	if (v->type == TS_SQL_REAL)
		v->real = sqlite3_column_double(stmt, column);
	if (v->type == TS_SQL_TEXT)
		bytes = sqlite3_column_text(stmt, column);
	if (v->type == TS_SQL_BLOB)
		bytes = sqlite3_column_blob(stmt, column);
	if (bytes) {
		v->bytes = bytes;
		v->n = (size_t)sqlite3_column_bytes(stmt, column);
	}
}

void
ts_sql_quote(struct ts_strbuf *sql, const char *name)
{
	ts_strbuf_putc(sql, '"');
	for (; *name; name++) {
		if (*name == '"')
			ts_strbuf_putc(sql, '"');
		ts_strbuf_putc(sql, *name);
	}
	ts_strbuf_putc(sql, '"');
}
