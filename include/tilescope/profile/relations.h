/* SPDX-License-Identifier: MIT */
/*
 * relations - how the relations of the report model are made of the tables of a profile.
 *
 * Two ways. The tables that grow are read as they stand, row by row: `table` and `column` say where each column comes
 * from, and a file that lacks it lacks the relation's column. Everything else is SQL: numbers out of blobs, names out of
 * several tables, running sums. There `@table` stands for a table of the layout: where the file lacks it, or some of its
 * columns, they are there and NULL, so that one text serves all versions.
 */
#ifndef TS_PROFILE_RELATIONS_H
#define TS_PROFILE_RELATIONS_H

#include "tilescope/db/schema.h"

enum { TS_PROFILE_RELATION_SQL = 1 << 16 };

/* A column of a relation whose rows are those of a table. */
struct ts_profile_from {
	const char *column; /* of the relation */
	const char *a;	    /* of the table */
	const char *plus;   /* a + plus; else NULL */
	/* a column, or NULL; where it is 0, idle_plus is added instead of plus (idle_plus NULL: nothing is) */
	const char *idle;
	const char *idle_plus;
	int bit; /* bit - 1 of a; 0: the number as it stands */
	/* `value` of the row of table `in` whose key is a; NULL: a itself */
	const char *in, *value;
	/*
	 * bytes that the program so found moves to the IPU of this column, or from it (`sent`): as the relation
	 * "program_moved" has them; or NULL
	 */
	const char *ipu;
	bool sent;
	/* that text between the numbers and texts of these columns: a lowered variable's name; or NULL */
	const char *before, *behind;
};

struct ts_profile_relation {
	const char *name; /* of the relation */

	/* rows of a table */
	const char *table;
	const struct ts_profile_from *from; /* ends with {NULL} */
	const char *
		only; /* rows where this column is a number with bit `only_bit`, -1: any number; NULL: all */
	int only_bit;

	/* or SQL */
	const char *needs; /* "table.column table.column": without them it means nothing */
	const char *sql;   /* one SELECT, its columns named as the relation's */
	/*
	 * "column=table.column": the column is told to be absent where the file has none of these; several
	 * after one another, parted by '|'; NULL: all columns are there
	 */
	const char *optional;
	bool executed; /* of things that ran: without rows nothing did */
	bool keyed;    /* SQLite finds rows of a range of keys without reading all */
};

/* The relation of that name, or NULL: it is none of these. */
const struct ts_profile_relation *ts_profile_relation_find(const char *name);

/* Does the file have all that it needs? Else the first that is missing, "table" or "table.column", into `out`. */
bool ts_profile_relation_fits(const struct ts_profile_relation *r, const struct ts_schema *schema,
	char *out, size_t room);

/* Can `column` have values in this file? */
bool ts_profile_relation_has(const struct ts_profile_relation *r, const char *column,
	const struct ts_schema *schema);

/* Is anything of the relation read from that table? */
bool ts_profile_relation_uses(const struct ts_profile_relation *r, const char *table);

/* The SQL for this file. The buffer is cut, and then of no use, beyond TS_PROFILE_RELATION_SQL. */
void ts_profile_relation_sql(struct ts_strbuf *out, const struct ts_profile_relation *r,
	const struct ts_schema *schema);

#endif
