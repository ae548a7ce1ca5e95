/* SPDX-License-Identifier: MIT */
/*
 * schema - what tables and views an SQLite file has, as values.
 *
 * Read once when a report is opened and not changed afterwards: any thread may look at it. Names
 * are the file's and untrusted; SQL is only ever built from them through ts_sql_quote().
 */
#ifndef TS_DB_SCHEMA_H
#define TS_DB_SCHEMA_H

#include <stdbool.h>

#include "tilescope/db/db.h"

enum { TS_SCHEMA_OBJECTS = 1024, TS_SCHEMA_COLUMNS = 2000 };

enum ts_object_kind { TS_OBJECT_TABLE, TS_OBJECT_VIEW, TS_OBJECT_VIRTUAL };

struct ts_sql_column {
	char *name;
	char *type;	  /* as declared, may be "" */
	bool index_first; /* an index (not a partial one) begins with it */
	char *origin;	  /* a view's column: the base table's column, or NULL */
	/* where ts_object.root is set */
	int stored; /* its place in a record; -1 = it is the row id */
	bool real;  /* whole numbers are stored as integers and given as reals */
};

struct ts_object {
	char *name;
	enum ts_object_kind kind;
	int column_count;
	struct ts_sql_column *column;
	const char
		*rowid;	 /* the word that reaches the row id ("rowid", "_rowid_", "oid"), or NULL */
	int rowid_alias; /* column that is the row id, or -1 */
	uint32_t root; /* a table whose records are its rows, no more and no less: the first page of
			    its b-tree; else 0 */
	int base; /* a view that shows the rows of one table, one to one: that object; else -1 */
	char *problem; /* why its columns could not be read, or NULL */
	char *sql;     /* no object of the file: the SELECT that makes its rows; else NULL */
};

struct ts_schema {
	int count;
	struct ts_object *object;
	bool cut; /* there are more than TS_SCHEMA_OBJECTS */
};

enum ts_code ts_schema_read(struct ts_schema **s, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_schema_free(struct ts_schema *s);

/* What is allocated in an object, and the object. NULL is fine. */
void ts_object_free(struct ts_object *o);

/* Append the object as it stands behind FROM. */
void ts_sql_from(struct ts_strbuf *sql, const struct ts_object *o);

/* By name, ASCII letters without case as SQLite does; NULL when there is none. */
const struct ts_object *ts_schema_find(const struct ts_schema *s, const char *name);

/* Index of the column of that name; -1 when there is none. */
int ts_object_column(const struct ts_object *o, const char *name);

#endif
