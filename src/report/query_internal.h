/* SPDX-License-Identifier: MIT */
/* query_internal - what the files of query share. */
#ifndef TS_REPORT_QUERY_INTERNAL_H
#define TS_REPORT_QUERY_INTERNAL_H

#include "tilescope/report/execution.h"
#include "tilescope/report/categories.h"
#include "tilescope/report/frames.h"
#include "tilescope/report/groups.h"
#include "tilescope/report/query.h"
#include "tilescope/report/tile_ipus.h"

struct ts_query {
	struct ts_db *db;     /* the user's statements: hardened once more, see query.c */
	struct ts_reader *rd; /* rows of the relations: connections of their own */
	sqlite3_stmt *stmt;
	struct ts_err denied;		    /* why the authorizer said no */
	struct ts_err inner;		    /* why a relation's rows ended the statement */
	struct ts_err partial;		    /* a relation is damaged: its rows ended before */
	struct ts_progress *progress;	    /* rows that were gone through; or NULL */
	const struct ts_tile_set *selected; /* or NULL */
	int64_t gone_through;		    /* of relations, for this statement */
	bool relations;			    /* it names relations: else SQLite counts its rows */
	/* what the app assumes or joins where the report does not say it: read when it is first asked for */
	bool has_names, has_ipus;
	struct ts_step_names names;
	struct ts_tile_ipus ipus;
	struct ts_contexts *contexts; /* debug.cbor's, when they were asked for */
	bool has_categories;
	struct ts_category_names categories; /* of category_name(), when it was asked for */
	bool has_frames;
	struct ts_frames frames;		/* of step_stack(), when it was asked for */
	struct ts_query_operations *operations; /* so are these */
	const char *rules;			/* file of the user's groups; or NULL */
	struct ts_grouper *grouper;		/* of variable_group(), when it was asked for */
};

/* What ended the rows of a relation: damage ends them alone, all else ends the statement. A code of SQLite. */
int ts_query_ended(struct ts_query *q, enum ts_relation relation, const struct ts_err *why);
int ts_query_ended_as(struct ts_query *q, const char *name, const struct ts_err *why);

/* A row more was gone through, which the progress is told now and then. */
void ts_query_count_row(struct ts_query *q);

/* A table of ours, which owns nothing else: `is` says which one, in the words of who made it. */
struct ts_query_table {
	sqlite3_vtab base;
	struct ts_query *q;
	int is;
};

/* For xConnect: a table with the columns of a relation, or of a CREATE TABLE x(...). SQLite codes. */
int ts_query_table_new(sqlite3_vtab **out, sqlite3 *db, void *query, int is,
	const struct ts_relation_def *def);
int ts_query_table_made(sqlite3_vtab **out, sqlite3 *db, void *query, int is, const char *create);

/* xDisconnect and xDestroy of these. */
int ts_query_table_free(sqlite3_vtab *tab);

/* For xOpen: `bytes` of zeros that begin with a sqlite3_vtab_cursor; sqlite3_free() them in xClose. */
int ts_query_cursor_new(sqlite3_vtab_cursor **out, size_t bytes);

/* A cursor over the rows [at, end): its struct begins with this. */
struct ts_query_span {
	sqlite3_vtab_cursor base;
	uint64_t at, end;
};

int ts_query_span_eof(sqlite3_vtab_cursor *cursor);
int ts_query_span_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid);

/* What xColumn gives: nothing (NULL) where there is no text, where a number is TS_UNKNOWN. */
void ts_query_give_text(sqlite3_context *ctx, const char *s, size_t n);
void ts_query_give_known(sqlite3_context *ctx, int64_t v);

/* The relation `context` where debug.cbor has it. */
int ts_query_add_contexts(struct ts_query *q, sqlite3 *db) TS_WARN_UNUSED;

/* operation_node, operation_member, operation_link (query_operations.c), and what they keep; NULL allowed. */
int ts_query_add_operations(struct ts_query *q, sqlite3 *db) TS_WARN_UNUSED;
void ts_query_operations_free(struct ts_query_operations *o);

/*
 * Make the relations, and tile_at(), tile_sum(), tile_max() and tiles(), known to a connection that may
 * still write its temporary schema. SQLite codes.
 */
int ts_query_add_relations(struct ts_query *q, sqlite3 *db) TS_WARN_UNUSED;
int ts_query_add_functions(struct ts_query *q, sqlite3 *db) TS_WARN_UNUSED;

#endif
