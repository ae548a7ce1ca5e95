/* SPDX-License-Identifier: MIT */
/*
 * sample - look at some rows of a table to learn what its columns are.
 *
 * Groups are rows with an equal value in one column (the IPUs of a step). Only whole groups count, so
 * what the edges of a window cut is dropped.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/plan.h"

#include "binding_internal.h"

enum {
	SAMPLE_GROUPS = 4, /* a window holds so many groups at least */
	GROUP_MAX = 4096,  /* rows of one group */
};

/* Errors that end everything; all others only mean "this does not fit". */
bool
ts_is_fatal(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_SYS;
}

void
ts_sql_select(struct ts_strbuf *sql, const struct ts_object *o, const int *columns, int count)
{
	ts_strbuf_puts(sql, "SELECT ");
	for (int i = 0; i < count; i++) {
		ts_strbuf_puts(sql, i ? ", " : "");
		ts_sql_quote(sql, o->column[columns[i]].name);
	}
	ts_strbuf_puts(sql, " FROM ");
	ts_sql_from(sql, o);
}

void
ts_sample_fini(struct ts_sample *s)
{
	free(s->value);
}

static int64_t
small_integer(sqlite3_stmt *stmt, int i)
{
	int64_t v = -1;

	if (sqlite3_column_type(stmt, i) == SQLITE_INTEGER)
		v = sqlite3_column_int64(stmt, i);
	return v;
}

static bool
sample_add(struct ts_sample *s, sqlite3_stmt *stmt)
{
	if (s->rows == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 1024;
		int64_t *bigger = ts_resize(s->value, cap, (size_t)s->columns * sizeof(*bigger));

		if (!bigger)
			return false;
		s->value = bigger;
		s->cap = cap;
	}
	for (int i = 0; i < s->columns; i++)
		s->value[s->rows * (size_t)s->columns + (size_t)i] = small_integer(stmt, i);
	s->rows++;
	return true;
}

/* Drop the rows from `from` on that belong to the group cut by the window's end and, unless the
 * window begins where the table does, by its beginning. */
static void
trim_window(struct ts_sample *s, size_t from, bool at_start, bool at_end)
{
	int64_t *v = s->value;
	size_t n = (size_t)s->columns, first = from, end = s->rows;

	while (!at_end && end > from && v[(end - 1) * n] == v[(s->rows - 1) * n])
		end--;
	while (!at_start && first < end && v[first * n] == v[from * n])
		first++;
	memmove(v + from * n, v + first * n, (end - first) * n * sizeof(*v));
	s->rows = from + (end - first);
}

/* Read up to `limit` rows from `rowid` on, up to `last` (both ignored without row ids). */
static enum ts_code
sample_window(struct ts_sample *s, const struct ts_reach *r, struct ts_db *db, const int *columns,
	int64_t rowid, int64_t last, int limit, struct ts_err *err)
{
	const struct ts_object *o = r->rows;
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	size_t from = s->rows;
	bool row = false;

	ts_strbuf_init(&sql, 1 << 16);
	ts_sql_select(&sql, o, columns, s->columns);
	if (o->kind == TS_OBJECT_TABLE)
		ts_strbuf_puts(&sql, " NOT INDEXED");
	if (r->has_rowid)
		ts_strbuf_printf(&sql, " WHERE %s >= ?1 AND %s <= ?3", o->rowid, o->rowid);
	if (o->rowid)
		ts_strbuf_printf(&sql, " ORDER BY %s", o->rowid);
	ts_strbuf_puts(&sql, " LIMIT ?2");
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return code;
	if (r->has_rowid) {
		sqlite3_bind_int64(stmt, 1, rowid);
		sqlite3_bind_int64(stmt, 3, last);
	}
	sqlite3_bind_int(stmt, 2, limit);
	while (!(code = ts_db_step(db, stmt, &row, err)) && row)
		if (!sample_add(s, stmt)) {
			code = ts_err_nomem(err);
			break;
		}
	ts_db_release(db, stmt);
	if (!code && s->rows > from)
		trim_window(s, from, !r->has_rowid || rowid <= r->first_rowid,
			(int)(s->rows - from) < limit && (!r->has_rowid || last >= r->last_rowid));
	return code;
}

/* Rows in the first group of the table. */
static int
first_group(const struct ts_sample *s)
{
	size_t n = 0;

	while (n < s->rows && s->value[n * (size_t)s->columns] == s->value[0])
		n++;
	return (int)n;
}

static int
compare_group(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Rows that a window should have: a few groups of the size of the first. */
static enum ts_code
window_rows(int *rows, const struct ts_sample *of, const struct ts_reach *r, struct ts_db *db,
	const int *columns, struct ts_err *err)
{
	struct ts_sample s = {.columns = of->columns};
	enum ts_code code = sample_window(&s, r, db, columns, r->first_rowid, r->last_rowid,
		TS_SAMPLE_WINDOW_ROWS, err);

	if (!ts_is_fatal(code) && s.rows == 0) /* one group is larger than the window */
		code = sample_window(&s, r, db, columns, r->first_rowid, r->last_rowid, GROUP_MAX,
			err);
	*rows = (int)ts_clamp_i64((int64_t)first_group(&s) * (SAMPLE_GROUPS + 2),
		TS_SAMPLE_WINDOW_ROWS, (int64_t)GROUP_MAX * 2);
	ts_sample_fini(&s);
	return code;
}

static int64_t
windows_of(const struct ts_reach *r, int rows)
{
	return ts_clamp_i64(ts_reach_span(r) / rows, 1, TS_SAMPLE_WINDOWS);
}

/* Where window i stands, in which the first `rows` rows are looked at. */
static void
window_at(int64_t *first, int64_t *last, const struct ts_reach *r, int64_t i, int rows)
{
	int64_t windows = windows_of(r, rows),
		stride = (int64_t)ts_steady_stride((uint64_t)(ts_reach_span(r) / windows));

	*first = (int64_t)((uint64_t)r->first_rowid + (uint64_t)(stride * i));
	*last = i == windows - 1 ? r->last_rowid
				 : (int64_t)((uint64_t)*first + (uint64_t)stride - 1);
}

void
ts_sample_window(int64_t *first, int64_t *last, const struct ts_reach *r, int i, int rows)
{
	*first = 0;
	*last = -1;
	if (i >= windows_of(r, rows))
		return;
	window_at(first, last, r, i, rows);
	if ((uint64_t)*last - (uint64_t)*first >= (uint64_t)rows)
		*last = *first + rows - 1;
}

/* Windows do not overlap: a group that is seen twice looks like one that has every value twice. */
static enum ts_code
sample_windows(struct ts_sample *s, const struct ts_reach *r, struct ts_db *db, const int *columns,
	struct ts_err *err)
{
	struct ts_plan_rows ahead[TS_SAMPLE_WINDOWS];
	int rows;
	enum ts_code code = window_rows(&rows, s, r, db, columns, err);
	int windows = (int)windows_of(r, rows);

	for (int i = 0; i < windows; i++) {
		ahead[i] = (struct ts_plan_rows){.o = r->rows};
		ts_sample_window(&ahead[i].from, &ahead[i].to, r, i, rows);
	}
	if (!ts_is_fatal(code))
		code = ts_plan_fetch(db, ahead, (size_t)windows, err);
	for (int i = 0; i < windows && !ts_is_fatal(code); i++) {
		int64_t first, last;

		window_at(&first, &last, r, i, rows);
		code = sample_window(s, r, db, columns, first, last, rows, err);
	}
	return code;
}

/*
 * Sample `columns` of r->rows, the first being the group's, sorted by it. Damaged pages end a window
 * early and nothing else.
 */
enum ts_code
ts_sample_take(struct ts_sample *s, const struct ts_reach *r, struct ts_db *db, const int *columns,
	int count, struct ts_err *err)
{
	enum ts_code code;

	*s = (struct ts_sample){.columns = count};
	if (r->has_rowid && r->first_rowid > r->last_rowid)
		return TS_OK;
	if (!r->has_rowid || ts_reach_span(r) <= TS_SAMPLE_WHOLE)
		code = sample_window(s, r, db, columns, r->first_rowid, r->last_rowid,
			TS_SAMPLE_WHOLE, err);
	else
		code = sample_windows(s, r, db, columns, err);
	if (ts_is_fatal(code))
		return code;
	if (s->rows)
		qsort(s->value, s->rows, (size_t)count * sizeof(*s->value), compare_group);
	return TS_OK;
}

static void
judge_group(struct ts_verdict *v, const struct ts_sample *s, size_t from, size_t to, int column,
	unsigned char *seen, int *sizes)
{
	size_t size = to - from;
	size_t valid = 0;
	bool exact = true, apart = true;

	v->groups++;
	if (size > GROUP_MAX)
		return;
	if ((int)size > v->largest)
		v->largest = (int)size;
	memset(seen, 0, GROUP_MAX);
	for (size_t i = from; i < to; i++) {
		int64_t x = s->value[i * (size_t)s->columns + (size_t)column];

		exact &= x >= 0 && x < (int64_t)size;
		if (x < 0 || x >= GROUP_MAX)
			continue;
		if (seen[x]) {
			apart = exact = false;
			break;
		}
		seen[x] = 1;
		valid++;
	}
	v->exact += exact;
	v->apart += apart && valid * 2 >= size; /* a row may lack its number */
	if (exact && ++sizes[size] > sizes[v->common])
		v->common = (int)size;
}

enum ts_code
ts_sample_judge(struct ts_verdict *v, const struct ts_sample *s, int column, struct ts_err *err)
{
	unsigned char *seen = ts_alloc(GROUP_MAX, 1);
	int *sizes = ts_alloc(GROUP_MAX + 1, sizeof(*sizes));
	unsigned char *any = ts_alloc(GROUP_MAX, 1);
	size_t n = (size_t)s->columns, to;

	*v = (struct ts_verdict){0};
	for (size_t i = 0; any && i < s->rows; i++) {
		int64_t x = s->value[i * n + (size_t)column];

		if (x >= 0 && x < GROUP_MAX && !any[x]) {
			any[x] = 1;
			v->distinct++;
		}
	}
	for (size_t from = 0; seen && sizes && from < s->rows; from = to) {
		for (to = from; to < s->rows && s->value[to * n] == s->value[from * n]; to++)
			;
		if (s->value[from * n] >= 0)
			judge_group(v, s, from, to, column, seen, sizes);
	}
	if (seen && sizes)
		v->exact = sizes[v->common]; /* the same set everywhere */
	free(sizes);
	free(seen);
	free(any);
	return seen && sizes && any ? TS_OK : ts_err_nomem(err);
}
