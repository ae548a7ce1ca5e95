/* SPDX-License-Identifier: MIT */
/*
 * query - SQL that a user wrote, over the relations of a report and over the tables of its file.
 *
 * The relations of the model stand under their own names; what the file itself calls so is reached as
 * main."name". A relation that this report has not is refused with the reason: it must never fall
 * through to a table that happens to have its name. Tables of the other sources of the report stand
 * under the source's name: archive."name", vars."name". Functions: tile_at(blob, tile), tile_sum(blob),
 * tile_max(blob), step_class(type, name), step_stack(type, name, program, compute_set), variable_group(name, category),
 * category_name(category), and the tables tiles(blob) and tiles('EXPR') with columns tile and value (docs/model.md).
 *
 * Reading is all that is allowed. A query belongs to one thread.
 */
#ifndef TS_REPORT_QUERY_H
#define TS_REPORT_QUERY_H

#include <stdbool.h>

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/report.h"
#include "tilescope/db/sql_value.h"

struct ts_query;

/* `r` must outlive the query. Errors: as ts_reader_open(). */
enum ts_code ts_query_open(struct ts_query **q, const struct ts_report *r,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_query_close(struct ts_query *q);

/* The statement ends with TS_E_CANCELLED while this token is set; NULL = none. */
void ts_query_set_cancel(struct ts_query *q, const struct ts_cancel *cancel);

/* Rows that a statement has gone through are told there (of no known total) from the next one on; NULL = no more. */
void ts_query_set_progress(struct ts_query *q, struct ts_progress *progress);

/* What the word `selected` means in tiles('EXPR'); must outlive the statements. NULL (before it is set): an error. */
void ts_query_set_selected(struct ts_query *q, const struct ts_tile_set *selected);

/*
 * The file with the user's rules of groups, for variable_group() (groups.h); must outlive the statements. NULL (before it is
 * set), or no such file: the program's own.
 */
void ts_query_set_rules(struct ts_query *q, const char *file);

/*
 * Take one statement, which replaces the one before. It may take `seconds` from now on (0: any time).
 * Errors: TS_E_USAGE (SQLite's own words, what is not allowed, a relation that is not in this report,
 * no or more than one statement), TS_E_DAMAGED, TS_E_LIMIT, TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_query_prepare(struct ts_query *q, const char *sql, double seconds,
	struct ts_err *err) TS_WARN_UNUSED;

int ts_query_columns(const struct ts_query *q);
const char *ts_query_name(const struct ts_query *q, int column); /* untrusted, never NULL */

/*
 * The next row: *row false at the end. Errors as ts_query_prepare(); TS_E_LIMIT also for too much time
 * or memory. Damaged rows of a relation are missing: see ts_query_partial().
 */
enum ts_code ts_query_step(struct ts_query *q, bool *row, struct ts_err *err) TS_WARN_UNUSED;

/* A value of the row; what it points to is valid until the next step. */
void ts_query_value(struct ts_sql_value *v, struct ts_query *q, int column);

/* How the values of a column come about that a row of the report does not have itself; NULL: they do not. */
const char *ts_query_derived(enum ts_relation relation, int column);

/* What of the relations that were read is damaged, or NULL: the answer is then of the rows before it. */
const char *ts_query_partial(const struct ts_query *q);

#endif
