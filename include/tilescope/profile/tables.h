/* SPDX-License-Identifier: MIT */
/*
 * tables - the tables of profile.pop, format 3.8, as data: what the readers bind to, what the demo writes.
 *
 * Names of tables and columns are known here and in the readers of this folder alone. Other versions lack some and
 * have others: a reader takes the columns that are there. Rows of the execution tables were never seen: their
 * names and types are those of the schema of a real file whose program had not run.
 */
#ifndef TS_PROFILE_TABLES_H
#define TS_PROFILE_TABLES_H

#include "tilescope/base/strbuf.h"
#include "tilescope/profile/blob.h"

enum ts_profile_group {
	TS_GROUP_TARGET,
	TS_GROUP_MEMORY,
	TS_GROUP_VARIABLES,
	TS_GROUP_LIVENESS,
	TS_GROUP_PROGRAMS,
	TS_GROUP_EXECUTION,
	TS_GROUPS
};

enum ts_profile_type {
	TS_DECLARED_INTEGER,
	TS_DECLARED_INT,
	TS_DECLARED_BOOLEAN,
	TS_DECLARED_REAL,
	TS_DECLARED_TEXT,
	TS_DECLARED_BLOB,
	TS_DECLARED_UNTYPED
};

enum {
	TS_COLUMN_NOT_NULL = 1,
	TS_COLUMN_KEY = 2 /* INTEGER PRIMARY KEY, or the only column of the key */
};

/* How many numbers a blob has. */
enum ts_blob_of {
	TS_BLOB_OF_ANY,	      /* not told by the target */
	TS_BLOB_OF_TILE,      /* one for each tile of the target */
	TS_BLOB_OF_IPU_TILES, /* one for each tile of one IPU */
	TS_BLOB_OF_IPU,	      /* one for each IPU */
};

struct ts_profile_column {
	const char *name;
	enum ts_profile_type type;
	unsigned flags;
	enum ts_blob_kind blob; /* of TS_DECLARED_BLOB */
	enum ts_blob_of of;
};

struct ts_profile_table {
	const char *name;
	enum ts_profile_group group;
	int columns;
	const struct ts_profile_column *column;
	const char *key; /* SQL of a key of several columns, or NULL */
};

extern const struct ts_profile_table ts_profile_tables[];
extern const int ts_profile_tables_count;

/* The table of this name, the column of a table; NULL when the layout has none. */
const struct ts_profile_table *ts_profile_table_find(const char *table);
const struct ts_profile_column *ts_profile_column_find(const struct ts_profile_table *t,
	const char *column);

/* SQL that makes all tables and indexes; max of *out at least TS_PROFILE_SQL. */
enum { TS_PROFILE_SQL = 1 << 16 };
void ts_profile_sql(struct ts_strbuf *out);

#endif
