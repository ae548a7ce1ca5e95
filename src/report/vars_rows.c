/* SPDX-License-Identifier: MIT */
/*
 * vars_rows - see the header.
 *
 * The variables go into a table as they come; rows of a tile have to stand together for all that follows, so
 * when the file has them in another order the tables are written once more, sorted, into another file (SQLite
 * sorts on disk). Not into the same: dropping the first table would leave its room in the file, and walks all of
 * its pages without a look at the token.
 * Variables that were never allocated have no memory and are left out. A category stands there by its name:
 * numbers of categories are another source's.
 */
#include "config.h"

#include "tilescope/report/vars_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/format/vars_json.h"

enum { PATH_LIMIT = 1 << 14 };

static const char begin_sql[] =
	"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192; "
	"PRAGMA temp_store=FILE; PRAGMA locking_mode=EXCLUSIVE; BEGIN; "
	"CREATE TABLE memory_element (element INTEGER PRIMARY KEY, \"offset\" INTEGER, bytes INTEGER, "
	"interleaved INTEGER);"
	"CREATE TABLE lowered_variable (id INTEGER, tile INTEGER, name TEXT, bytes INTEGER, "
	"\"offset\" INTEGER, alignment INTEGER, category TEXT, class INTEGER, always_live INTEGER)";

static const char sort_sql[] =
	"PRAGMA sorted.journal_mode=OFF; PRAGMA sorted.synchronous=OFF; BEGIN;"
	"CREATE TABLE sorted.memory_element AS SELECT * FROM main.memory_element ORDER BY element;"
	"CREATE TABLE sorted.lowered_variable AS SELECT * FROM main.lowered_variable "
	"ORDER BY tile, rowid; COMMIT";

struct maker {
	sqlite3 *db;
	sqlite3_stmt *variable, *element;
	int64_t rows, left_out;
	int64_t last_tile;
	bool sorted;
	struct ts_vars_target target;
};

/* --- rows ------------------------------------------------------------------------------------- */

static enum ts_code
sql_failed(sqlite3 *db, struct ts_err *err)
{
	if (sqlite3_errcode(db) == SQLITE_NOMEM)
		return ts_err_nomem(err);
	return ts_err_sys(err, sqlite3_system_errno(db) ? sqlite3_system_errno(db) : EIO,
		"the rows of vars.json cannot be written");
}

static enum ts_code
exec(sqlite3 *db, const char *sql, struct ts_err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? TS_OK : sql_failed(db, err);
}

static void
bind(sqlite3_stmt *s, int column, int64_t value)
{
	if (value == TS_VARS_UNKNOWN)
		sqlite3_bind_null(s, column);
	else
		sqlite3_bind_int64(s, column, value);
}

/* The bytes have to stay until the row is written. */
static void
bind_text(sqlite3_stmt *s, int column, const char *text, size_t n)
{
	if (n)
		sqlite3_bind_text(s, column, text, (int)n, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, column);
}

static enum ts_code
step(struct maker *m, sqlite3_stmt *s, struct ts_err *err)
{
	int rc = sqlite3_step(s);

	sqlite3_reset(s);
	return rc == SQLITE_DONE ? TS_OK : sql_failed(m->db, err);
}

static enum ts_code
take_variable(void *ctx, const struct ts_vars_variable *v, struct ts_err *err)
{
	struct maker *m = ctx;
	sqlite3_stmt *s = m->variable;

	if (v->allocated == 0 || v->tile == TS_VARS_UNKNOWN || v->bytes == TS_VARS_UNKNOWN) {
		m->left_out += v->allocated != 0;
		return TS_OK;
	}
	m->sorted = m->sorted && v->tile >= m->last_tile;
	m->last_tile = v->tile;
	bind(s, 1, v->number);
	bind(s, 2, v->tile);
	bind_text(s, 3, v->name, v->name_len);
	bind(s, 4, v->bytes);
	bind(s, 5, v->offset);
	bind(s, 6, v->alignment);
	bind_text(s, 7, v->category, v->category_len);
	bind(s, 8, v->equivalence_class);
	bind(s, 9, v->always_live);
	m->rows++;
	return step(m, s, err);
}

/* An element reaches to the next one's begin, the last to the end of the tile. */
static enum ts_code
write_elements(struct maker *m, struct ts_err *err)
{
	const struct ts_vars_target *t = &m->target;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < t->elements; i++) {
		int64_t begin = t->element_offset[i];
		int64_t end = i + 1 < t->elements ? t->element_offset[i + 1] : t->tile_bytes;

		if (begin < 0 || end < begin)
			continue; /* an unknown one is below 0 */
		bind(m->element, 1, (int64_t)i);
		bind(m->element, 2, begin);
		bind(m->element, 3, end - begin);
		bind(m->element, 4,
			t->interleaved_start == TS_VARS_UNKNOWN ? TS_VARS_UNKNOWN
								: begin >= t->interleaved_start);
		code = step(m, m->element, err);
	}
	return code;
}

/* --- the tables ------------------------------------------------------------------------------- */

static enum ts_code
begin(struct maker *m, const char *path, struct ts_err *err)
{
	static const char *const inserts[] =
		{"INSERT INTO lowered_variable VALUES (?,?,?,?,?,?,?,?,?)",
			"INSERT INTO memory_element VALUES (?,?,?,?)"};
	sqlite3_stmt **const statement[] = {&m->variable, &m->element};
	enum ts_code code;

	m->sorted = true;
	m->last_tile = INT64_MIN;
	if (sqlite3_open_v2(path, &m->db,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL))
		return m->db ? sql_failed(m->db, err) : ts_err_nomem(err);
	code = exec(m->db, begin_sql, err);
	for (size_t i = 0; !code && i < TS_COUNT(inserts); i++)
		if (sqlite3_prepare_v2(m->db, inserts[i], -1, statement[i], NULL))
			code = sql_failed(m->db, err);
	return code;
}

static void
end(struct maker *m)
{
	sqlite3_finalize(m->variable);
	sqlite3_finalize(m->element);
	m->variable = m->element = NULL;
	sqlite3_close(m->db);
	m->db = NULL;
}

/* Stops a long sort when the token is set. */
static int
stopped(void *cancel)
{
	return ts_cancelled(cancel);
}

/* Into the file `sorted`, which takes the place of the first then. */
static enum ts_code
sort_into(struct maker *m, const char *sorted, struct ts_err *err)
{
	int fd = open(sorted, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	char *attach = sqlite3_mprintf("ATTACH %Q AS sorted", sorted);
	enum ts_code code;

	if (fd < 0) {
		sqlite3_free(attach);
		return ts_err_sys(err, errno, "%s", sorted);
	}
	close(fd);
	code = attach ? exec(m->db, attach, err) : ts_err_nomem(err);

	sqlite3_free(attach);
	return code ? code : exec(m->db, sort_sql, err);
}

static enum ts_code
finish(struct maker *m, const char *sorted, const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code = write_elements(m, err);

	sqlite3_progress_handler(m->db, 1000, stopped, (void *)(uintptr_t)cancel);
	if (!code)
		code = exec(m->db, "COMMIT", err);
	if (!code && !m->sorted)
		code = sort_into(m, sorted, err);
	if (code && ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return code;
}

/* Damage is no end when there was something before it. */
static enum ts_code
note_damage(const struct maker *m, struct ts_notes *notes, const char *path, enum ts_code code,
	struct ts_err *why, struct ts_err *err)
{
	if (m->left_out)
		ts_notes_add(notes, "%s: %lld variables without tile or size are left out", path,
			(long long)m->left_out);
	if (code == TS_E_DAMAGED && m->rows > 0) {
		ts_notes_add(notes, "%s: %s; %lld variables before it are shown", path, why->msg,
			(long long)m->rows);
		notes->partial = true;
		return TS_OK;
	}
	if (code && err)
		*err = *why;
	return code;
}

/* The sorted file under the name of the other, when there is one. */
static enum ts_code
replace(const char *to, const char *sorted, struct ts_err *err)
{
	return rename(sorted, to) < 0 ? ts_err_sys(err, errno, "%s", to) : TS_OK;
}

static enum ts_code
fill(const char *to, struct ts_source *json, struct ts_notes *notes, const char *path,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct maker *m = ts_alloc(1, sizeof(*m));
	struct ts_vars_sink sink = {.ctx = m, .variable = take_variable};
	struct ts_err why = {0};
	struct ts_strbuf sorted;
	enum ts_code code;

	if (!m)
		return ts_err_nomem(err);
	ts_strbuf_init(&sorted, PATH_LIMIT);
	ts_strbuf_printf(&sorted, "%s.sorted", to);
	code = sorted.cut ? ts_err_nomem(err) : begin(m, to, err);
	if (!code) {
		code = ts_vars_json_read(&m->target, json, &sink, progress, cancel, &why);
		code = note_damage(m, notes, path, code, &why, err);
	}
	if (!code)
		code = finish(m, sorted.s, cancel, err);
	end(m);
	if (!code && !m->sorted)
		code = replace(to, sorted.s, err);
	if (code && sorted.s)
		unlink(sorted.s);
	ts_strbuf_fini(&sorted);
	free(m);
	return code;
}

/* --- where it lies ---------------------------------------------------------------------------- */

/* A name among the temporary files, until it is open. */
static enum ts_code
make_temporary(char **temporary, struct ts_err *err)
{
	const char *tmp = getenv("TMPDIR");
	struct ts_strbuf b;
	int fd;

	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_printf(&b, "%s/tilescope-vars.XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
	*temporary = ts_strbuf_take(&b);
	if (!*temporary)
		return ts_err_nomem(err);
	fd = mkostemp(*temporary, O_CLOEXEC);
	if (fd < 0)
		return ts_err_sys(err, errno, "the rows of vars.json cannot be written");
	close(fd);
	return TS_OK;
}

enum ts_code
ts_vars_rows_make(struct ts_source **s, struct ts_notes *notes, struct ts_source *json,
	const char *path, struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	char *temporary;
	enum ts_code code = make_temporary(&temporary, err);

	*s = NULL;
	if (!code) {
		code = fill(temporary, json, notes, path, progress, cancel, err);
		if (!code)
			code = ts_source_open_file(s, temporary, err);
		unlink(temporary);
	}
	free(temporary);
	return code;
}
