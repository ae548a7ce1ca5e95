/* SPDX-License-Identifier: MIT */
/* browse_internal - what browse.c has of browse_filter.c. */
#ifndef TS_REPORT_BROWSE_INTERNAL_H
#define TS_REPORT_BROWSE_INTERNAL_H

#include "tilescope/report/browse.h"

/* A condition on a column, or on any. Values are bound, never written into SQL. */
struct browse_term {
	int column; /* -1 = any */
	int op;	    /* index into the operators of browse_filter.c */
	bool is_null, is_number, is_integer;
	int64_t integer;
	double real;
	char text[TS_BROWSE_FILTER];
};

struct browse_filter {
	int count;
	struct browse_term term[TS_BROWSE_TERMS];
};

enum ts_code browse_filter_parse(struct browse_filter *f, const struct ts_browse_table *t,
	const char *line, struct ts_err *err) TS_WARN_UNUSED;

/* Append " WHERE ...", with parameters from ?10 on; nothing for a filter of no terms. */
void browse_filter_sql(struct ts_strbuf *sql, const struct browse_filter *f,
	const struct ts_browse_table *t);
void browse_filter_bind(sqlite3_stmt *stmt, const struct browse_filter *f);

/* Append the name by which column i of the table is read. */
void browse_column(struct ts_strbuf *sql, const struct ts_browse_table *t, int i);

#endif
