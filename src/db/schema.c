/* SPDX-License-Identifier: MIT */
/*
 * schema - ask SQLite what a file holds.
 *
 * A view is traced to its base table when SQLite's own program for `SELECT * FROM view` does nothing
 * but walk one table and hand out its columns: then its rows are that table's rows, one to one, and
 * can be reached by row id. The program is looked at (EXPLAIN), not the view's text: any opcode
 * outside a short list, so any filter, join, sort or function, means "forwards only".
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/schema.h"

enum { SQL_MAX = 1 << 16 };

enum { UNKNOWN = -2, GENERATED = -3 }; /* ts_sql_column.stored, while it is looked for */

static char *
text_column(sqlite3_stmt *stmt, int i)
{
	const char *s = (const char *)sqlite3_column_text(stmt, i);

	return ts_strdup(s ? s : "");
}

/* Prepare `head "name" tail`. */
static enum ts_code
prepare_on(struct ts_db *db, sqlite3_stmt **stmt, const char *head, const char *name,
	const char *tail, struct ts_err *err)
{
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, SQL_MAX);
	ts_strbuf_puts(&sql, head);
	ts_sql_quote(&sql, name);
	ts_strbuf_puts(&sql, tail);
	return ts_db_prepare_sql(db, stmt, &sql, err);
}

static enum ts_code
read_columns(struct ts_object *o, struct ts_db *db, int *pk, int *pk_count, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	size_t cap = 0;

	*pk = -1;
	*pk_count = 0;
	code = prepare_on(db, &stmt, "PRAGMA main.table_xinfo(", o->name, ")", err);
	if (code)
		return code;
	while (!(code = ts_db_step(db, stmt, &row, err)) && row) {
		void *p = o->column;
		struct ts_sql_column *c;

		if (o->column_count == TS_SCHEMA_COLUMNS)
			break;
		if (!ts_room(&p, &cap, (size_t)o->column_count, sizeof(*o->column))) {
			code = ts_err_nomem(err);
			break;
		}
		o->column = p;
		c = &o->column[o->column_count];
		*c = (struct ts_sql_column){
			.stored = sqlite3_column_int(stmt, 6) == 0 ? UNKNOWN : GENERATED};
		if (sqlite3_column_int(stmt, 5) > 0) {
			*pk = o->column_count;
			*pk_count += 1;
		}
		c->name = text_column(stmt, 1);
		c->type = text_column(stmt, 2);
		if (!c->name || !c->type) {
			free(c->name);
			free(c->type);
			code = ts_err_nomem(err);
			break;
		}
		o->column_count++;
	}
	ts_db_release(db, stmt);
	return code;
}

/* Mark the first column of an index. */
static enum ts_code
read_index(struct ts_object *o, struct ts_db *db, const char *index, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	code = prepare_on(db, &stmt, "PRAGMA main.index_info(", index, ")", err);
	if (code)
		return code;
	code = ts_db_step(db, stmt, &row, err);
	if (!code && row) {
		const char *name = (const char *)sqlite3_column_text(stmt, 2);
		int c = name ? ts_object_column(o, name) : -1;

		if (c >= 0)
			o->column[c].index_first = true;
	}
	ts_db_release(db, stmt);
	return code;
}

static enum ts_code
read_indexes(struct ts_object *o, struct ts_db *db, bool *pk_index, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	*pk_index = false;
	code = prepare_on(db, &stmt, "PRAGMA main.index_list(", o->name, ")", err);
	if (code)
		return code;
	while (!(code = ts_db_step(db, stmt, &row, err)) && row) {
		char *name = text_column(stmt, 1);
		const char *origin = (const char *)sqlite3_column_text(stmt, 3);

		*pk_index |= origin && strcmp(origin, "pk") == 0;
		if (!name)
			code = ts_err_nomem(err);
		else if (!sqlite3_column_int(stmt, 4))
			code = read_index(o, db, name, err);
		free(name);
		if (code)
			break;
	}
	ts_db_release(db, stmt);
	return code;
}

/* Errors that end everything; all others are of one object. */
static bool
is_fatal(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_SYS;
}

/* The word for the row id that no column hides; stays NULL for a table without row ids. */
static enum ts_code
find_rowid(struct ts_object *o, struct ts_db *db, struct ts_err *err)
{
	static const char *const words[] = {"rowid", "_rowid_", "oid"};

	for (size_t i = 0; i < TS_COUNT(words); i++) {
		char head[40];
		sqlite3_stmt *stmt;
		enum ts_code code;

		if (ts_object_column(o, words[i]) >= 0)
			continue;
		sqlite3_snprintf(sizeof(head), head, "SELECT %s FROM main.", words[i]);
		code = prepare_on(db, &stmt, head, o->name, " LIMIT 0", err);
		if (code)
			return is_fatal(code) ? code : TS_OK;
		ts_db_release(db, stmt);
		o->rowid = words[i];
		return TS_OK;
	}
	return TS_OK;
}

static bool
harmless_opcode(const char *op)
{
	static const char *const ops[] = {"Init", "OpenRead", "Explain", "Rewind", "Column",
		"Rowid", "RealAffinity", "ResultRow", "Next", "Halt", "Transaction", "Goto", "Noop",
		"SCopy", "Copy", "ColumnsUsed", "Integer", "Int64", "Real", "String8", "Null"};

	for (size_t i = 0; i < TS_COUNT(ops); i++)
		if (strcmp(op, ops[i]) == 0)
			return true;
	return false;
}

/* Does `SELECT * FROM view` walk one table and nothing else? */
static enum ts_code
is_projection(bool *yes, const struct ts_object *o, struct ts_db *db, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	int opened = 0;
	bool plain = true, row;
	enum ts_code code = prepare_on(db, &stmt, "EXPLAIN SELECT * FROM main.", o->name, "", err);

	*yes = false;
	if (code)
		return is_fatal(code) ? code : TS_OK;
	while (plain && !(code = ts_db_step(db, stmt, &row, err)) && row) {
		const char *op = (const char *)sqlite3_column_text(stmt, 1);

		plain = op && harmless_opcode(op);
		if (plain && strcmp(op, "OpenRead") == 0)
			opened++;
	}
	ts_db_release(db, stmt);
	*yes = !code && plain && opened == 1;
	return is_fatal(code) ? code : TS_OK;
}

/* An opcode that moves along the table and gives no value. */
static bool
steps_only(const char *op)
{
	static const char *const ops[] = {"Init", "Explain", "Rewind", "Next", "Halt",
		"Transaction", "Goto", "Noop", "ColumnsUsed"};

	for (size_t i = 0; i < TS_COUNT(ops); i++)
		if (strcmp(op, ops[i]) == 0)
			return true;
	return false;
}

/*
 * One line of SQLite's program for `SELECT * FROM table`: take what it says of the table and its columns.
 * *first: the register of the first column, 0 = not met. False: it is not a plain table.
 */
static bool
plain_opcode(struct ts_object *o, int *first, bool *whole, sqlite3_stmt *line)
{
	const char *op = (const char *)sqlite3_column_text(line, 1);
	int64_t p1 = sqlite3_column_int64(line, 2), p2 = sqlite3_column_int64(line, 3);
	bool column = op && strcmp(op, "Column") == 0, rowid = op && strcmp(op, "Rowid") == 0;
	bool real = op && strcmp(op, "RealAffinity") == 0;
	int64_t to = column ? sqlite3_column_int64(line, 4) : rowid ? p2 : p1;

	if (!op)
		return false;
	if (strcmp(op, "OpenRead") == 0) {
		/* KeyInfo in P4: the b-tree of an index, or of a table without row ids */
		bool again = o->root != 0,
		     sound = p2 > 1 && p2 <= UINT32_MAX && sqlite3_column_int(line, 4) == 0 &&
			sqlite3_column_int64(line, 5) == o->column_count;

		o->root = sound && !again ? (uint32_t)p2 : 0;
		return o->root != 0;
	}
	if (strcmp(op, "ResultRow") == 0) {
		*whole = p1 == *first && p2 == o->column_count;
		return *whole;
	}
	if (!column && !rowid && !real)
		return steps_only(op);
	if (*first == 0)
		*first = (int)to;
	if (to < *first || to - *first >= o->column_count)
		return false;
	if (real)
		o->column[to - *first].real = true;
	else
		o->column[to - *first].stored = column ? (int)p2 : -1;
	return real || (p1 == 0 && p2 >= 0 && (rowid || p2 < o->column_count));
}

/*
 * Where the rows of a table stand, as SQLite's program says, not the file's schema table: what that
 * says may be anything. Sets o->root where the table is plain.
 */
static enum ts_code
find_root(struct ts_object *o, struct ts_db *db, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	bool plain = true, whole = false, row;
	int first = 0;
	enum ts_code code;

	for (int i = 0; i < o->column_count; i++)
		if (o->column[i].stored == GENERATED)
			return TS_OK;
	code = prepare_on(db, &stmt, "EXPLAIN SELECT * FROM main.", o->name, " NOT INDEXED", err);
	if (code)
		return is_fatal(code) ? code : TS_OK;
	while (plain && !(code = ts_db_step(db, stmt, &row, err)) && row)
		plain = plain_opcode(o, &first, &whole, stmt);
	ts_db_release(db, stmt);
	for (int i = 0; i < o->column_count; i++)
		plain = plain && o->column[i].stored != UNKNOWN;
	if (code || !plain || !whole)
		o->root = 0;
	return is_fatal(code) ? code : TS_OK;
}

static enum ts_code
read_object(struct ts_object *o, struct ts_db *db, struct ts_err *err)
{
	int pk, pk_count;
	bool pk_index;
	enum ts_code code;

	code = read_columns(o, db, &pk, &pk_count, err);
	if (code || o->kind != TS_OBJECT_TABLE)
		return code;
	code = read_indexes(o, db, &pk_index, err);
	if (code)
		return code;
	code = find_rowid(o, db, err);
	if (o->rowid && pk_count == 1 && !pk_index &&
		sqlite3_stricmp(o->column[pk].type, "integer") == 0)
		o->rowid_alias = pk;
	if (!code && o->rowid)
		code = find_root(o, db, err);
	return code;
}

static int
index_of(const struct ts_schema *s, const char *name)
{
	const struct ts_object *o = ts_schema_find(s, name);

	return o ? (int)(o - s->object) : -1;
}

static enum ts_code
trace_view(struct ts_schema *s, struct ts_object *o, struct ts_db *db, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	bool projection;
	enum ts_code code = is_projection(&projection, o, db, err);

	if (code || !projection)
		return code;
	code = prepare_on(db, &stmt, "SELECT * FROM main.", o->name, "", err);
	if (code)
		return is_fatal(code) ? code : TS_OK;
	for (int i = 0; i < o->column_count && i < sqlite3_column_count(stmt); i++) {
		const char *table = sqlite3_column_table_name(stmt, i);
		const char *column = sqlite3_column_origin_name(stmt, i);
		int base = table ? index_of(s, table) : -1;

		if (!column || base < 0 || s->object[base].kind != TS_OBJECT_TABLE)
			continue;
		o->base = base;
		o->column[i].origin = ts_strdup(column);
		if (!o->column[i].origin) {
			ts_db_release(db, stmt);
			return ts_err_nomem(err);
		}
	}
	ts_db_release(db, stmt);
	return TS_OK;
}

static enum ts_code
list_objects(struct ts_schema *s, struct ts_db *db, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	code = ts_db_prepare(db, &stmt,
		"SELECT name, type, coalesce(rootpage, 0) FROM main.sqlite_schema "
		"WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
		err);
	if (code)
		return code;
	while (!(code = ts_db_step(db, stmt, &row, err)) && row) {
		struct ts_object *o = &s->object[s->count];
		const char *type = (const char *)sqlite3_column_text(stmt, 1);

		if (s->count == TS_SCHEMA_OBJECTS) {
			s->cut = true;
			break;
		}
		*o = (struct ts_object){.rowid_alias = -1, .base = -1};
		o->name = text_column(stmt, 0);
		if (!o->name) {
			code = ts_err_nomem(err);
			break;
		}
		if (type && strcmp(type, "view") == 0)
			o->kind = TS_OBJECT_VIEW;
		else if (sqlite3_column_int(stmt, 2) == 0)
			o->kind = TS_OBJECT_VIRTUAL;
		s->count++;
	}
	ts_db_release(db, stmt);
	return code;
}

/* An object whose columns cannot be read stays in the list with the reason. */
static enum ts_code
note_problem(struct ts_object *o, const struct ts_err *why, struct ts_err *err)
{
	if (is_fatal(why->code)) {
		if (err)
			*err = *why;
		return why->code;
	}
	o->problem = ts_strdup(why->msg);
	return o->problem ? TS_OK : ts_err_nomem(err);
}

enum ts_code
ts_schema_read(struct ts_schema **out, struct ts_db *db, struct ts_err *err)
{
	struct ts_schema *s = ts_alloc(1, sizeof(*s));
	struct ts_err why = {0};
	enum ts_code code = TS_OK;

	*out = NULL;
	if (!s)
		return ts_err_nomem(err);
	s->object = ts_alloc(TS_SCHEMA_OBJECTS, sizeof(*s->object));
	if (!s->object)
		code = ts_err_nomem(err);
	if (!code)
		code = list_objects(s, db, err);
	for (int i = 0; !code && i < s->count; i++)
		if (read_object(&s->object[i], db, &why))
			code = note_problem(&s->object[i], &why, err);
	for (int i = 0; !code && i < s->count; i++)
		if (s->object[i].kind == TS_OBJECT_VIEW)
			code = trace_view(s, &s->object[i], db, err);
	if (code) {
		ts_schema_free(s);
		return code;
	}
	*out = s;
	return TS_OK;
}

static void
object_fini(struct ts_object *o)
{
	for (int c = 0; c < o->column_count; c++) {
		free(o->column[c].name);
		free(o->column[c].type);
		free(o->column[c].origin);
	}
	free(o->column);
	free(o->name);
	free(o->problem);
	free(o->sql);
}

void
ts_object_free(struct ts_object *o)
{
	if (o)
		object_fini(o);
	free(o);
}

void
ts_schema_free(struct ts_schema *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->count; i++)
		object_fini(&s->object[i]);
	free(s->object);
	free(s);
}

void
ts_sql_from(struct ts_strbuf *sql, const struct ts_object *o)
{
	if (o->sql) {
		ts_strbuf_putc(sql, '(');
		ts_strbuf_puts(sql, o->sql);
		ts_strbuf_putc(sql, ')');
	} else {
		ts_strbuf_puts(sql, "main.");
		ts_sql_quote(sql, o->name);
	}
}

const struct ts_object *
ts_schema_find(const struct ts_schema *s, const char *name)
{
	for (int i = 0; i < s->count; i++)
		if (sqlite3_stricmp(s->object[i].name, name) == 0)
			return &s->object[i];
	return NULL;
}

int
ts_object_column(const struct ts_object *o, const char *name)
{
	for (int i = 0; i < o->column_count; i++)
		if (sqlite3_stricmp(o->column[i].name, name) == 0)
			return i;
	return -1;
}
