/* SPDX-License-Identifier: MIT */
/*
 * query - a connection on which a user may run SQL.
 *
 * It is hardened as every connection (db.c), and once more: an authorizer lets nothing but reading
 * through (no ATTACH, no writing, no transaction, and of the pragmas only those that tell), functions
 * that reach files are refused, and a statement has a bound of time instead of the bound of work that
 * the program's own statements have, since a user may well ask for much. What a sort or a DISTINCT needs
 * beyond SQLite's cache goes to unlinked temporary files, for memory is capped.
 *
 * Relations are read by connections of their own (q->rd), so the authorizer, the bound of time and an
 * error of the one are no matter of the other.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "query_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/index_contexts.h"

enum {
	PATTERN_MAX = 1000, /* bytes of a pattern of LIKE: matching cannot be cancelled */
	ATTACH_MAX = 256,
};

/* What a statement may do at all. */
static const int allowed[] = {SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE};

/* Pragmas that tell; those with `argument` also take one, which only says about what. */
static const struct {
	const char *name;
	bool argument;
} pragmas[] = {
	{"application_id", false},
	{"collation_list", false},
	{"compile_options", false},
	{"database_list", false},
	{"encoding", false},
	{"foreign_key_list", true},
	{"freelist_count", false},
	{"function_list", false},
	{"index_info", true},
	{"index_list", true},
	{"index_xinfo", true},
	{"module_list", false},
	{"page_count", false},
	{"page_size", false},
	{"pragma_list", false},
	{"schema_version", false},
	{"table_info", true},
	{"table_list", true},
	{"table_xinfo", true},
	{"user_version", false},
};

static const char *const functions_refused[] = {
	"edit",
	"fts3_tokenizer",
	"load_extension",
	"readfile",
	"writefile",
};

/* Words for what is not allowed; all else is "this". */
static const struct {
	int action;
	const char *word;
} actions[] = {
	{SQLITE_ATTACH, "ATTACH"},
	{SQLITE_DETACH, "DETACH"},
	{SQLITE_INSERT, "writing"},
	{SQLITE_UPDATE, "writing"},
	{SQLITE_DELETE, "writing"},
	{SQLITE_TRANSACTION, "a transaction"},
	{SQLITE_SAVEPOINT, "a savepoint"},
	{SQLITE_ANALYZE, "ANALYZE"},
	{SQLITE_REINDEX, "REINDEX"},
};

static int
deny(struct ts_query *q, const char *what, const char *name)
{
	if (!q->denied.code)
		ts_err_set(&q->denied, TS_E_USAGE, "%s%s%.80s is not allowed: a query only reads",
			what, *name ? " " : "", name);
	return SQLITE_DENY;
}

static int
check_pragma(struct ts_query *q, const char *name, const char *argument)
{
	for (size_t i = 0; i < TS_COUNT(pragmas); i++)
		if (sqlite3_stricmp(pragmas[i].name, name) == 0 &&
			(!argument || pragmas[i].argument))
			return SQLITE_OK;
	return deny(q, "PRAGMA", name);
}

static int
check_function(struct ts_query *q, const char *name)
{
	for (size_t i = 0; i < TS_COUNT(functions_refused); i++)
		if (sqlite3_stricmp(functions_refused[i], name) == 0)
			return deny(q, "the function", name);
	return SQLITE_OK;
}

static int
authorize(void *ctx, int action, const char *a, const char *b, const char *schema,
	const char *inside)
{
	struct ts_query *q = ctx;

	(void)schema;
	(void)inside;
	for (size_t i = 0; i < TS_COUNT(allowed); i++)
		if (action == allowed[i])
			return SQLITE_OK;
	if (action == SQLITE_PRAGMA)
		return check_pragma(q, a ? a : "", b);
	if (action == SQLITE_FUNCTION)
		return check_function(q, b ? b : "");
	for (size_t i = 0; i < TS_COUNT(actions); i++)
		if (action == actions[i].action)
			return deny(q, actions[i].word, "");
	return deny(q, "this", "");
}

/*
 * Tables that SQLite has of its own are made when they are first named, which an authorizer is asked about as
 * if the schema were written: so they are named before there is one. What this SQLite has not is no matter.
 */
static void
name_tables(sqlite3 *db)
{
	static const char *const tables[] = {"dbstat", "json_each", "json_tree"};
	char sql[80];

	for (size_t i = 0; i < TS_COUNT(pragmas) + TS_COUNT(tables); i++) {
		sqlite3_stmt *stmt = NULL;
		bool pragma = i < TS_COUNT(pragmas);

		sqlite3_snprintf(sizeof(sql), sql, "SELECT 1 FROM %s%s", pragma ? "pragma_" : "",
			pragma ? pragmas[i].name : tables[i - TS_COUNT(pragmas)]);
		if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
			sqlite3_finalize(stmt);
	}
}

/*
 * The other sources, under their names. They are opened once more through the VFS objects of the readers of
 * relations, which live as long. One that SQLite does not take (its text is encoded in another way than the
 * first one's, it is damaged) has its relations and nothing else.
 */
static void
add_sources(struct ts_query *q, sqlite3 *db)
{
	const struct ts_report *r = q->rd->report;

	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, TS_SOURCES);
	for (int i = 1; i < r->sources; i++) {
		struct ts_strbuf sql;

		ts_strbuf_init(&sql, ATTACH_MAX);
		ts_strbuf_printf(&sql, "ATTACH 'file:%s?immutable=1&mode=ro&vfs=%s' AS ",
			ts_source_name(r, i), ts_db_vfs(q->rd->db[i]));
		ts_sql_quote(&sql, ts_source_name(r, i));
		(void)sqlite3_exec(db, sql.s, NULL, NULL, NULL);
		ts_strbuf_fini(&sql);
	}
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

/* The temporary schema can be written only before query_only is on (again). */
static int
equip(struct ts_query *q)
{
	sqlite3 *db = ts_db_handle(q->db);
	int rc = sqlite3_exec(db, "PRAGMA query_only=OFF", NULL, NULL, NULL);

	sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_MAX);
	if (rc == SQLITE_OK)
		add_sources(q, db);
	if (rc == SQLITE_OK)
		rc = ts_query_add_relations(q, db);
	if (rc == SQLITE_OK)
		rc = ts_query_add_operations(q, db);
	if (rc == SQLITE_OK)
		rc = ts_query_add_functions(q, db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "PRAGMA query_only=ON", NULL, NULL, NULL);
	name_tables(db);
	if (rc == SQLITE_OK)
		rc = sqlite3_set_authorizer(db, authorize, q);
	return rc;
}

enum ts_code
ts_query_open(struct ts_query **out, const struct ts_report *r, struct ts_err *err)
{
	struct ts_query *q = ts_alloc(1, sizeof(*q));
	enum ts_code code;

	*out = NULL;
	if (!q)
		return ts_err_nomem(err);
	code = ts_reader_open(&q->rd, r, err);
	if (!code)
		code = ts_db_open(&q->db, r->source[0], err);
	if (!code) {
		int rc = equip(q);

		if (rc == SQLITE_NOMEM)
			code = ts_err_nomem(err);
		else if (rc != SQLITE_OK)
			code = ts_db_error(q->db, rc, err);
	}
	if (code) {
		ts_query_close(q);
		return code;
	}
	*out = q;
	return TS_OK;
}

static void
forget_statement(struct ts_query *q)
{
	if (q->db)
		ts_db_watch(q->db, NULL, NULL, 0);
	sqlite3_finalize(q->stmt);
	q->stmt = NULL;
}

void
ts_query_close(struct ts_query *q)
{
	if (!q)
		return;
	forget_statement(q);
	ts_db_close(q->db); /* before the readers, whose files it has attached */
	ts_query_operations_free(q->operations);
	ts_grouper_free(q->grouper);
	ts_reader_close(q->rd);
	ts_step_names_fini(&q->names);
	ts_tile_ipus_fini(&q->ipus);
	ts_category_names_fini(&q->categories);
	ts_contexts_close(q->contexts);
	ts_frames_fini(&q->frames);
	free(q);
}

void
ts_query_set_cancel(struct ts_query *q, const struct ts_cancel *cancel)
{
	ts_db_set_cancel(q->db, cancel);
	ts_reader_set_cancel(q->rd, cancel);
}

void
ts_query_set_selected(struct ts_query *q, const struct ts_tile_set *selected)
{
	q->selected = selected;
}

void
ts_query_set_rules(struct ts_query *q, const char *file)
{
	q->rules = file;
}

void
ts_query_set_progress(struct ts_query *q, struct ts_progress *progress)
{
	q->progress = progress;
}

/* SQLite's complaint about the user's words, or what stands behind it. */
static enum ts_code
explain(struct ts_query *q, enum ts_code code, struct ts_err *err)
{
	const struct ts_err *why = q->denied.code ? &q->denied : q->inner.code ? &q->inner : NULL;

	if (why && err)
		*err = *why;
	if (why)
		return why->code;
	if (code == TS_E_FORMAT && err)
		err->code = TS_E_USAGE;
	return code == TS_E_FORMAT ? TS_E_USAGE : code;
}

/* Is there nothing behind the statement but blanks, comments and semicolons? */
static enum ts_code
check_tail(struct ts_query *q, const char *tail, struct ts_err *err)
{
	while (*tail) {
		sqlite3_stmt *more = NULL;
		const char *next = tail;
		int rc = sqlite3_prepare_v2(ts_db_handle(q->db), tail, -1, &more, &next);

		sqlite3_finalize(more);
		if (more || rc != SQLITE_OK || next == tail)
			return ts_err_set(err, TS_E_USAGE,
				"one statement at a time: there is more behind the first");
		tail = next;
	}
	return TS_OK;
}

enum ts_code
ts_query_prepare(struct ts_query *q, const char *sql, double seconds, struct ts_err *err)
{
	const char *tail = sql;
	int rc;

	forget_statement(q);
	q->gone_through = 0;
	q->relations = false;
	q->denied.code = q->inner.code = q->partial.code = TS_OK;
	ts_db_bound(q->db, seconds);
	rc = sqlite3_prepare_v2(ts_db_handle(q->db), sql, -1, &q->stmt, &tail);
	if (rc != SQLITE_OK)
		return explain(q, ts_db_error(q->db, rc, err), err);
	if (!q->stmt)
		return ts_err_set(err, TS_E_USAGE, "there is no statement");
	if (sqlite3_column_count(q->stmt) == 0 || !sqlite3_stmt_readonly(q->stmt))
		return ts_err_set(err, TS_E_USAGE, "no rows come of this: a query only reads");
	if (sqlite3_bind_parameter_count(q->stmt) > 0)
		return ts_err_set(err, TS_E_USAGE, "parameters (?, :name) have no values here");
	if (!q->relations)
		ts_db_watch(q->db, q->stmt, q->progress, 0);
	return check_tail(q, tail, err);
}

int
ts_query_columns(const struct ts_query *q)
{
	return sqlite3_column_count(q->stmt);
}

const char *
ts_query_name(const struct ts_query *q, int column)
{
	const char *name = sqlite3_column_name(q->stmt, column);

	return name ? name : "";
}

enum ts_code
ts_query_step(struct ts_query *q, bool *row, struct ts_err *err)
{
	enum ts_code code = ts_db_step(q->db, q->stmt, row, err);

	return code ? explain(q, code, err) : TS_OK;
}

void
ts_query_value(struct ts_sql_value *v, struct ts_query *q, int column)
{
	ts_sql_value_of(v, q->stmt, column);
}

const char *
ts_query_partial(const struct ts_query *q)
{
	return q->partial.code ? q->partial.msg : NULL;
}
