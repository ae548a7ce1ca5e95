/* SPDX-License-Identifier: MIT */
/* table_rows - rows of a table, as the screen and as files have them, against SQL. For Check programs. */
#ifndef TS_TESTS_SCREEN_TABLE_ROWS_H
#define TS_TESTS_SCREEN_TABLE_ROWS_H

#include "view_harness.h"

enum { TABLE_ROWS_COLUMNS = 8 };

static inline int
table_rows_column(const struct ts_sheet *s, const char *name)
{
	for (int i = 0; i < s->table.columns; i++)
		if (strcmp(ts_table_column_name(&s->table, i), name) == 0)
			return i;
	ck_abort_msg("no column %s", name);
	return -1;
}

static inline void
table_rows_value(const struct ts_table_value *v, struct ts_query *is, int column, const char *where,
	int64_t row)
{
	struct ts_sql_value x;

	ts_query_value(&x, is, column);
	if (x.type == TS_SQL_INTEGER) {
		ck_assert_int_eq(v->type, TS_VALUE_INTEGER);
		ck_assert_msg(v->integer == x.integer, "%s, row %lld, column %d: %lld is %lld",
			where, (long long)row, column, (long long)v->integer, (long long)x.integer);
		return;
	}
	ck_assert_int_eq(v->type, TS_VALUE_TEXT);
	ck_assert_msg(v->n == x.n && memcmp(v->s, x.bytes, v->n) == 0, "%s, row %lld: %.*s is %.*s",
		where, (long long)row, (int)v->n, v->s, (int)x.n, x.bytes);
}

/*
 * Rows of the screen, and those of a file where it is written from a source, are what the query has. Its columns
 * are those of the table that `names` says. Returns how many rows there are.
 */
static inline int64_t
table_rows_check(struct harness *h, const struct ts_view_ops *view, const char *const *names, int n,
	const char *query)
{
	struct ts_sheet s = {.list = NULL};
	struct ts_table_value v[TS_TABLE_COLUMNS];
	struct ts_row_source *file = NULL;
	struct ts_reader *rd = NULL;
	struct ts_err err = {0};
	int column[TABLE_ROWS_COLUMNS];
	int64_t rows = 0;
	struct ts_query *is;
	bool more;

	ck_assert(view->sheet(h->view, &s));
	for (int i = 0; i < n; i++)
		column[i] = table_rows_column(&s, names[i]);
	if (s.source) {
		file = s.source(h->view);
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(ts_reader_open(&rd, h->env.report, &err), TS_OK);
	}
	ck_assert_msg(ts_query_open(&is, h->env.report, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_query_prepare(is, query, 60, &err) == TS_OK, "%s: %s", query, err.msg);
	for (;; rows++) {
		ck_assert_msg(ts_query_step(is, &more, &err) == TS_OK, "%s", err.msg);
		if (!more)
			break;
		for (int i = 0; i < TS_TABLE_COLUMNS; i++)
			v[i].type = TS_VALUE_NONE;
		if (file) {
			ck_assert_int_eq(file->next(file, rd, v, &more, &err), TS_OK);
			ck_assert_msg(more, "%s: row %lld", query, (long long)rows);
		}
		for (int i = 0; i < n; i++) {
			struct ts_table_value here = {.type = TS_VALUE_NONE};

			if (file)
				table_rows_value(&v[column[i]], is, i, "file", rows);
			if (rows < s.list->count) {
				ck_assert(s.table.value(s.table.ctx, ts_table_row(&s.table, rows),
					column[i], &here));
				table_rows_value(&here, is, i, "screen", rows);
			}
		}
	}
	if (file) {
		ck_assert_int_eq(file->next(file, rd, v, &more, &err), TS_OK);
		ck_assert(!more);
		file->free(file);
		ts_reader_close(rd);
	}
	ts_query_close(is);
	return rows;
}

#endif
