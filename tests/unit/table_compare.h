/* SPDX-License-Identifier: MIT */
/*
 * table_compare - the same query over the same bytes, read from pages and read by SQLite: every row, every
 * value and the way it ends have to be the same. For test_table.c and tests/fuzz/fuzz_table.c.
 *
 * Each query begins with empty caches, for SQLite checks the cells of a page only when it comes into its cache (db.c
 * has refused pages forgotten, or they would be taken the next time). As a rule the caches are emptied, which is a hundred times as
 * quick as new connections; what differs then has to differ with new connections as well.
 */
#ifndef TS_TESTS_UNIT_TABLE_COMPARE_H
#define TS_TESTS_UNIT_TABLE_COMPARE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/db.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/db/schema.h"
#include "tilescope/db/split.h"
#include "tilescope/db/table.h"

enum { PAGES, SQLITE, WAYS };

struct compare {
	struct ts_source *source;
	struct ts_db *db[WAYS];
	sqlite3 *sqlite[WAYS];
	struct ts_schema *schema;
	char why[400];	 /* what differs */
	int64_t rows;	 /* compared */
	int64_t by_page; /* of them read from pages to the end of their query */
	int64_t rows_max;
	bool tables_only;
	bool fresh; /* new connections for every query */
};

static inline void
compare_disconnect(struct compare *c)
{
	for (int i = 0; i < WAYS; i++) {
		ts_db_close(c->db[i]);
		c->db[i] = NULL;
	}
}

/* SQLite's own handle. */
static inline sqlite3 *
compare_sqlite(struct ts_db *db)
{
	struct ts_strbuf sql;
	struct ts_err err;
	sqlite3_stmt *stmt = NULL;
	sqlite3 *sqlite = NULL;

	ts_strbuf_init(&sql, 1 << 10);
	ts_strbuf_puts(&sql, "SELECT 1");
	if (ts_db_prepare_sql(db, &stmt, &sql, &err) == TS_OK) {
		sqlite = sqlite3_db_handle(stmt);
		ts_db_release(db, stmt);
	}
	return sqlite;
}

/* New connections; false: SQLite does not open it. */
static inline bool
compare_connect_anew(struct compare *c)
{
	struct ts_err err = {0};
	enum ts_code code = TS_OK;

	compare_disconnect(c);
	for (int i = 0; !code && i < WAYS; i++)
		code = ts_db_open(&c->db[i], c->source, &err);
	for (int i = 0; !code && i < WAYS; i++)
		c->sqlite[i] = compare_sqlite(c->db[i]);
	if (!code)
		ts_db_use_api(c->db[SQLITE], true);
	return !code;
}

/* Connections that know no page; false: SQLite does not open it. */
static inline bool
compare_connect(struct compare *c)
{
	for (int i = 0; i < WAYS; i++)
		if (c->fresh || !c->db[i] || !c->sqlite[i] ||
			sqlite3_db_release_memory(c->sqlite[i]) != SQLITE_OK)
			return compare_connect_anew(c);
	return true;
}

static inline void
compare_close(struct compare *c)
{
	ts_schema_free(c->schema);
	compare_disconnect(c);
	ts_source_close(c->source);
}

/* False: SQLite does not open it (nothing is left open). */
static inline bool
compare_open(struct compare *c, const void *bytes, size_t n)
{
	struct ts_err err = {0};
	bool done;

	*c = (struct compare){.rows_max = INT64_MAX};
	done = ts_source_open_mem(&c->source, bytes, n, &err) == TS_OK && compare_connect(c) &&
		ts_schema_read(&c->schema, c->db[PAGES], &err) == TS_OK;
	if (!done)
		compare_close(c);
	return done;
}

/* A binding of all columns of an object, by hand: as many as a relation can have. */
static inline void
compare_bind(struct ts_binding *b, struct compare *c, const struct ts_object *o)
{
	*b = (struct ts_binding){.bound = true, .object = o};
	b->reach.rows = o;
	b->reach.column = -1;
	b->reach.has_rowid = o->rowid != NULL;
	b->reach.first_rowid = INT64_MIN;
	b->reach.last_rowid = INT64_MAX;
	for (int i = 0; i < TS_RELATION_COLUMNS; i++) {
		b->column[i].a = b->column[i].b = -1;
		if (i < o->column_count) {
			b->column[i].op = TS_OP_COLUMN;
			b->column[i].a = i;
		}
	}
	(void)c;
}

static inline bool
compare_differs(struct compare *c, const struct ts_rows_query *q, const char *what)
{
	snprintf(c->why, sizeof(c->why),
		"%s: range %d, %lld .. %lld, limit %lld, %d columns, row %lld: %s",
		q->binding->object->name, (int)q->range, (long long)q->from, (long long)q->to,
		(long long)q->limit, q->column_count, (long long)c->rows, what);
	return false;
}

static inline bool
compare_bytes(const void *a, size_t n, const void *b, size_t m)
{
	return n == m && (n == 0 || memcmp(a, b, n) == 0);
}

/* Everything that a row gives. */
static inline bool
compare_row(struct compare *c, struct ts_rows *const rows[WAYS], const struct ts_rows_query *q)
{
	int64_t id[WAYS] = {0}, number[WAYS];
	double real[WAYS];
	const char *text[WAYS];
	const void *blob[WAYS];
	size_t n[WAYS];

	if (ts_rows_rowid(rows[0], &id[0]) != ts_rows_rowid(rows[1], &id[1]) || id[0] != id[1])
		return compare_differs(c, q, "row id");
	for (int i = 0; i < q->column_count; i++) {
		if (ts_rows_number(rows[0], i, &number[0]) !=
				ts_rows_number(rows[1], i, &number[1]) ||
			number[0] != number[1])
			return compare_differs(c, q, "number");
		if (ts_rows_real(rows[0], i, &real[0]) != ts_rows_real(rows[1], i, &real[1]) ||
			memcmp(&real[0], &real[1], sizeof(double)) != 0)
			return compare_differs(c, q, "real");
		if (ts_rows_text(rows[0], i, &text[0], &n[0]) !=
				ts_rows_text(rows[1], i, &text[1], &n[1]) ||
			!compare_bytes(text[0], n[0], text[1], n[1]))
			return compare_differs(c, q, "text");
		if (ts_rows_blob(rows[0], i, &blob[0], &n[0]) !=
				ts_rows_blob(rows[1], i, &blob[1], &n[1]) ||
			!compare_bytes(blob[0], n[0], blob[1], n[1]))
			return compare_differs(c, q, "blob");
	}
	return true;
}

/* Is it made of what stands in the row alone? */
static inline bool
compare_of_row(const struct ts_rows_query *q, int i)
{
	enum ts_op op = q->binding->column[q->columns[i]].op;

	return op != TS_OP_ORDER_IN && op != TS_OP_POSITION;
}

/* A row from behind damage: if SQLite finds it by its row id, with the same values. */
static inline bool
compare_behind(struct compare *c, struct ts_rows *row, const struct ts_rows_query *q)
{
	struct ts_rows_query one = *q;
	struct ts_rows *rows[WAYS] = {row, NULL};
	struct ts_err err = {0};
	bool there = false, same = true;
	int64_t id;

	if (!ts_rows_rowid(row, &id))
		return compare_differs(c, q, "behind damage: a row without a row id");
	if (id == INT64_MAX)
		return true;
	one.column_count = 0;
	for (int i = 0; i < q->column_count; i++)
		if (compare_of_row(q, i))
			one.columns[one.column_count++] = q->columns[i];
	if (one.column_count < q->column_count) /* values would not stand side by side */
		return true;
	one.range = TS_RANGE_ROWID;
	one.from = id;
	one.to = id + 1;
	one.limit = 0;
	one.past_damage = false;
	sqlite3_db_release_memory(c->sqlite[SQLITE]);
	if (ts_rows_open(&rows[1], c->db[SQLITE], &one, &err) == TS_OK &&
		ts_rows_next(rows[1], &there, &err) == TS_OK && there)
		same = compare_row(c, rows, &one);
	ts_rows_close(rows[1]);
	return same;
}

/*
 * With reading on behind damage: the same rows as SQLite's; or from where they differ on rows that SQLite finds
 * by their row ids, and at the end it is told that some are missing.
 */
static inline bool
compare_past(struct compare *c, const struct ts_rows_query *q)
{
	struct ts_rows *rows[WAYS] = {NULL, NULL};
	struct ts_err err[WAYS] = {{0}, {0}};
	enum ts_code code[WAYS] = {TS_OK, TS_OK};
	bool there[WAYS] = {true, true}, same = true, differ = false;
	struct ts_rows_query plain = *q;
	int64_t id[WAYS];

	plain.past_damage = false;
	if (!compare_connect(c))
		return true;
	code[0] = ts_rows_open(&rows[0], c->db[0], q, &err[0]);
	code[1] = ts_rows_open(&rows[1], c->db[1], &plain, &err[1]);
	if (code[1] && !code[0]) /* a bisection has passed damaged rows by */
		differ = true;
	for (int64_t seen = 0; same && !code[0] && there[0] && seen < c->rows_max; seen++) {
		code[0] = ts_rows_next(rows[0], &there[0], &err[0]);
		if (!differ) {
			code[1] = ts_rows_next(rows[1], &there[1], &err[1]);
			differ = code[0] || code[1] || there[0] != there[1] ||
				(there[0] && ts_rows_rowid(rows[0], &id[0]) &&
					ts_rows_rowid(rows[1], &id[1]) && id[0] != id[1]);
		}
		if (!code[0] && there[0])
			same = differ ? compare_behind(c, rows[0], q) : compare_row(c, rows, q);
		c->rows++;
	}
	if (same && differ && !code[0] && !there[0] && (!code[1] || rows[1]))
		same = compare_differs(c, q, "behind damage: it is not told");
	if (same && code[0] && code[0] != TS_E_DAMAGED && code[0] != code[1])
		same = compare_differs(c, q, "behind damage: another error");
	for (int i = 0; i < WAYS; i++)
		ts_rows_close(rows[i]);
	return same;
}

/* False: c->why says what differs. */
static inline bool
compare_query(struct compare *c, const struct ts_rows_query *q)
{
	struct ts_rows *rows[WAYS] = {NULL, NULL};
	struct ts_err err[WAYS] = {{0}, {0}};
	enum ts_code code[WAYS] = {TS_OK, TS_OK};
	bool there[WAYS] = {true, true}, same = true, opened;

	if (q->past_damage)
		return compare_past(c, q);
	if (!compare_connect(c))
		return true;
	for (int i = 0; i < WAYS; i++)
		code[i] = ts_rows_open(&rows[i], c->db[i], q, &err[i]);
	opened = !code[0] && !code[1];
	for (int64_t seen = 0;
		same && !code[0] && !code[1] && there[0] && there[1] && seen < c->rows_max;
		seen++) {
		for (int i = 0; i < WAYS; i++)
			code[i] = ts_rows_next(rows[i], &there[i], &err[i]);
		if (!code[0] && !code[1] && there[0] && there[1])
			same = compare_row(c, rows, q);
		c->rows++;
	}
	if (same && !opened && code[1] == TS_E_DAMAGED && !code[0]) {
		/* a bisection has passed damaged rows by */
	} else if (same && (code[0] != code[1] || strcmp(err[0].msg, err[1].msg) != 0)) {
		char text[300];

		snprintf(text, sizeof(text), "ends with %d (%.100s), in SQLite with %d (%.100s)",
			(int)code[0], err[0].msg, (int)code[1], err[1].msg);
		same = compare_differs(c, q, text);
	} else if (same && there[0] != there[1]) {
		same = compare_differs(c, q, there[0] ? "more rows" : "fewer rows");
	}
	for (int i = 0; i < WAYS; i++)
		ts_rows_close(rows[i]);
	return same;
}

/* A block of rows from pages, and as many rows from SQLite. */
static inline bool
compare_block(struct compare *c, const struct ts_rows_block *b, struct ts_rows *rows,
	const struct ts_rows_query *q)
{
	struct ts_err err = {0};
	enum ts_value is;
	int64_t id, v;
	bool there;

	for (int k = 0; k < b->rows; k++, c->rows++) {
		if (ts_rows_next(rows, &there, &err) != TS_OK || !there)
			return compare_differs(c, q, "a block: more rows");
		if (ts_rows_rowid(rows, &id) != (b->rowid != NULL) ||
			(b->rowid && b->rowid[k] != id))
			return compare_differs(c, q, "a block: row id");
		for (int i = 0; i < q->column_count; i++) {
			is = ts_rows_number(rows, i, &v);
			if (q->unknowns && is != TS_VALUE_OK) {
				is = TS_VALUE_OK;
				v = TS_UNKNOWN;
			}
			if (is != b->is[i] || v != b->v[i][k])
				return compare_differs(c, q, "a block: number");
		}
	}
	return true;
}

/* The same query by blocks; `mixed`: with rows one by one among them. */
static inline bool
compare_blocks(struct compare *c, const struct ts_rows_query *q, bool mixed)
{
	struct ts_rows *rows[WAYS] = {NULL, NULL};
	struct ts_err err[WAYS] = {{0}, {0}};
	enum ts_code code[WAYS] = {TS_OK, TS_OK};
	struct ts_rows_block b = {.rows = 1};
	bool there[WAYS] = {true, true}, same = true;

	/* two statements of one connection need not find the same damage in a record: SQLite's own difference */
	if (q->past_damage && (q->binding->object->root == 0 || !ts_db_pages(c->db[PAGES])))
		return true;
	if (!compare_connect(c))
		return true;
	/* row by row SQLite reads them; behind damage it is pages again */
	for (int i = 0; i < WAYS; i++)
		code[i] = ts_rows_open(&rows[i], c->db[q->past_damage ? PAGES : i], q, &err[i]);
	if (code[1] == TS_E_DAMAGED && !code[0]) { /* a bisection has passed damaged rows by */
		ts_rows_close(rows[0]);
		return true;
	}
	for (int64_t seen = 0; same && !code[0] && !code[1] && there[0] && seen < c->rows_max;) {
		if (mixed && seen % 3 == 0) {
			for (int i = 0; i < WAYS; i++)
				code[i] = ts_rows_next(rows[i], &there[i], &err[i]);
			if (!code[0] && !code[1] && there[0] && there[1])
				same = compare_row(c, rows, q);
			same = same && there[0] == there[1];
			seen++;
			continue;
		}
		code[0] = ts_rows_block(rows[0], &b, &err[0]);
		there[0] = b.rows > 0;
		same = compare_block(c, &b, rows[1], q);
		if (code[0] || !there[0])
			code[1] = ts_rows_next(rows[1], &there[1], &err[1]);
		seen += b.rows;
	}
	if (same &&
		(code[0] != code[1] || strcmp(err[0].msg, err[1].msg) != 0 ||
			there[0] != there[1])) {
		char text[300];

		snprintf(text, sizeof(text),
			"blocks end with %d (%.100s), row by row with %d (%.100s) there %d",
			(int)code[0], err[0].msg, (int)code[1], err[1].msg, (int)there[1]);
		same = compare_differs(c, q, text);
	}
	for (int i = 0; i < WAYS; i++)
		ts_rows_close(rows[i]);
	return same;
}

/* All rows of a table by its pages, and the values as SQLite has them, as far as pages tell. */
static inline bool
compare_values(struct compare *c, const struct ts_object *o)
{
	struct ts_rows_query q = {.binding = &(struct ts_binding){.object = o}};
	int columns[TS_TABLE_COLUMNS], count = 0;
	struct ts_strbuf sql;
	struct ts_table *t;
	struct ts_err err = {0};
	sqlite3_stmt *stmt;
	enum ts_table_at at;
	bool row, same = true;

	if (!compare_connect(c))
		return true;
	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "SELECT %s", o->rowid ? o->rowid : "NULL");
	columns[count++] = -1;
	for (int i = 0; i < o->column_count && count < TS_TABLE_COLUMNS; i++) {
		ts_strbuf_puts(&sql, ", ");
		ts_sql_quote(&sql, o->column[i].name);
		columns[count++] = i;
	}
	ts_strbuf_puts(&sql, " FROM main.");
	ts_sql_quote(&sql, o->name);
	ts_strbuf_puts(&sql, " NOT INDEXED");
	if (ts_table_open(&t, c->db[PAGES], o, columns, count, &err) != TS_OK || !t) {
		ts_strbuf_fini(&sql);
		return true;
	}
	if (ts_db_prepare_sql(c->db[SQLITE], &stmt, &sql, &err) != TS_OK) {
		ts_table_close(t);
		return true;
	}
	for (int64_t seen = 0; same && seen < c->rows_max; seen++) {
		enum ts_code code = ts_table_next(&at, t, &err);

		if (code || at == TS_TABLE_UNKNOWN)
			break;
		if (ts_db_step(c->db[SQLITE], stmt, &row, &err) != TS_OK) {
			same = compare_differs(c, &q, "SQLite finds damage");
			break;
		}
		c->by_page += row;
		if (row != (at == TS_TABLE_ROW))
			same = compare_differs(c, &q, "number of rows");
		for (int i = 0; same && row && i < count; i++) {
			const struct ts_table_value *v = &t->value[i];
			int type = ts_table_type(v);

			same = type == sqlite3_column_type(stmt, i);
			if (same && type == SQLITE_INTEGER)
				same = ts_table_int(v) == sqlite3_column_int64(stmt, i);
			else if (same && type == SQLITE_FLOAT)
				same = ts_table_double(v) == sqlite3_column_double(stmt, i);
			else if (same && type != SQLITE_NULL)
				same = compare_bytes(v->bytes, ts_table_bytes(v),
					sqlite3_column_blob(stmt, i),
					(size_t)sqlite3_column_bytes(stmt, i));
			if (!same)
				compare_differs(c, &q, "a value");
		}
		if (!row)
			break;
	}
	ts_db_release(c->db[SQLITE], stmt);
	ts_table_close(t);
	return same;
}

/* --- queries --- */

/* A generator of its own: the same files everywhere. */
struct dice {
	uint64_t x;
};

static inline uint64_t
roll(struct dice *d)
{
	d->x ^= d->x << 13;
	d->x ^= d->x >> 7;
	d->x ^= d->x << 17;
	return d->x * 2685821657736338717u;
}

/* 0 .. n - 1 */
static inline int
below(struct dice *d, int n)
{
	return (int)(roll(d) >> 33) % n;
}

static inline int64_t
any_int(struct dice *d)
{
	uint64_t bits = roll(d) >> below(d, 64);

	return below(d, 3) ? (int64_t)bits : (int64_t)~bits;
}

static inline int64_t
compare_near(struct dice *d, struct compare *c, const struct ts_object *o)
{
	int64_t v = any_int(d);
	struct ts_strbuf sql;
	struct ts_err err = {0};
	bool found;

	if (!o->rowid || below(d, 6) == 0)
		return v;
	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "SELECT %s FROM main.", o->rowid);
	ts_sql_quote(&sql, o->name);
	ts_strbuf_printf(&sql, " NOT INDEXED LIMIT 1 OFFSET %d", below(d, 300));
	if (ts_db_int(c->db[SQLITE], &v, &found, sql.s, &err) != TS_OK)
		v = any_int(d);
	ts_strbuf_fini(&sql);
	return v;
}

/* Columns that are made of others. */
static inline void
compare_operations(struct ts_binding *b, struct dice *d, const struct ts_rows_query *q)
{
	static const enum ts_op ops[] = {TS_OP_SUM, TS_OP_DIFFERENCE, TS_OP_CONSTANT,
		TS_OP_ORDER_IN, TS_OP_POSITION, TS_OP_NONE};

	for (int i = 0; i < q->column_count; i++) {
		struct ts_column_binding *cb = &b->column[q->columns[i]];

		if (below(d, 6) > 0)
			continue;
		cb->op = ops[below(d, (int)TS_COUNT(ops))];
		cb->b = b->column[q->columns[below(d, q->column_count)]].a;
		cb->text = below(d, 2) ? "17" : "-3 of it";
		if (cb->op == TS_OP_NONE || cb->op == TS_OP_CONSTANT)
			cb->a = -1;
		if (cb->a < 0 || (cb->b < 0 && (cb->op == TS_OP_SUM || cb->op == TS_OP_DIFFERENCE)))
			cb->op = cb->op == TS_OP_CONSTANT ? TS_OP_CONSTANT : TS_OP_NONE;
		if (cb->op != TS_OP_SUM && cb->op != TS_OP_DIFFERENCE)
			cb->b = -1;
	}
}

static inline bool
compare_random(struct compare *c, struct dice *d, const struct ts_object *o)
{
	struct ts_binding b;
	struct ts_rows_query q = {.binding = &b};
	int most = o->column_count < TS_RELATION_COLUMNS ? o->column_count : TS_RELATION_COLUMNS;

	compare_bind(&b, c, o);
	q.column_count = below(d, TS_ROWS_COLUMNS + 1);
	for (int i = 0; i < q.column_count; i++)
		q.columns[i] = below(d, most);
	if (below(d, 4) == 0) /* a column that stands far behind */
		b.column[q.columns[0]].a = below(d, o->column_count);
	q.range = below(d, 3) ? TS_RANGE_ROWID : TS_RANGE_ALL;
	if (!o->rowid)
		q.range = TS_RANGE_ALL;
	q.from = compare_near(d, c, o);
	q.to = below(d, 3) ? INT64_MAX : compare_near(d, c, o);
	q.limit = below(d, 3) ? 0 : below(d, 50);
	if (below(d, 4) == 0) {
		q.range = TS_RANGE_KEY;
		b.reach.column = below(d, 2) ? 0 : below(d, o->column_count);
		b.reach.key = TS_REACH_NONE;
		if (o->rowid_alias == b.reach.column)
			b.reach.key = TS_REACH_ROWID;
		else if (o->rowid && below(d, 2))
			b.reach.key = TS_REACH_MONOTONE;
		q.from = below(d, 200);
		q.to = q.from + below(d, 100);
	}
	compare_operations(&b, d, &q);
	q.past_damage = below(d, 2);
	q.unknowns = below(d, 2);
	return compare_query(c, &q) && compare_blocks(c, &q, below(d, 4) == 0);
}

/* Bisection and texts by key. */
static inline bool
compare_look_up(struct compare *c, struct dice *d, const struct ts_object *o)
{
	struct ts_reach r = {.rows = o,
		.has_rowid = true,
		.key = TS_REACH_MONOTONE,
		.first_rowid = -50000,
		.last_rowid = 400000};
	int64_t value = below(d, 200), at[WAYS] = {0};
	int text = below(d, o->column_count);
	struct ts_strbuf out[WAYS];
	struct ts_err err[WAYS] = {{0}, {0}};
	enum ts_code code[WAYS];
	bool found[WAYS] = {false}, same;
	struct ts_rows_query q = {.binding = &(struct ts_binding){.object = o}, .from = value};

	if (!o->rowid || o->kind != TS_OBJECT_TABLE || !compare_connect(c))
		return true;
	for (int i = 0; i < WAYS; i++)
		code[i] = ts_reach_bisect(&at[i], &r, c->db[i], value, &err[i]);
	/* where SQLite ends with damage, pages may go on behind it */
	if (code[1] != TS_E_DAMAGED && (code[0] != code[1] || (!code[0] && at[0] != at[1]))) {
		char why[300];

		snprintf(why, sizeof(why),
			"bisection gives %lld, %d (%.100s), in SQLite %lld, %d (%.100s)",
			(long long)at[0], (int)code[0], err[0].msg, (long long)at[1], (int)code[1],
			err[1].msg);
		return compare_differs(c, &q, why);
	}
	if (below(d, 2)) {
		r.key = TS_REACH_ROWID;
		r.column = o->rowid_alias;
		value = compare_near(d, c, o);
	}
	if (!compare_connect(c))
		return true;
	for (int i = 0; i < WAYS; i++) {
		ts_strbuf_init(&out[i], 1 << 20);
		code[i] = ts_reach_text(&out[i], &found[i], &r, c->db[i], value, text, &err[i]);
	}
	same = code[1] == TS_E_DAMAGED ||
		(code[0] == code[1] && found[0] == found[1] &&
			compare_bytes(out[0].s, out[0].len, out[1].s, out[1].len));
	for (int i = 0; i < WAYS; i++)
		ts_strbuf_fini(&out[i]);
	return same || compare_differs(c, &q, "a text by key");
}

/* Where a table is divided: in order, whatever is damaged. */
static inline bool
compare_split(struct compare *c, struct dice *d, const struct ts_object *o)
{
	struct ts_rows_query q = {.binding = &(struct ts_binding){.object = o}};
	struct ts_err err = {0};
	struct ts_split s;
	int most = 1 + below(d, TS_SPLIT_PARTS);

	if (!compare_connect(c) || ts_split_table(&s, c->db[PAGES], o, most, &err) != TS_OK)
		return true;
	if (s.parts < 0 || s.parts > most || s.rows < 0)
		return compare_differs(c, &q, "parts");
	for (int i = 1; i < s.parts; i++)
		if (s.begin[i] <= s.begin[i - 1])
			return compare_differs(c, &q, "parts out of order");
	return true;
}

static inline bool
compare_objects(struct compare *c, struct dice *d, int queries)
{
	bool same = true;

	for (int i = 0; same && i < c->schema->count; i++) {
		const struct ts_object *o = &c->schema->object[i];

		if (o->problem || o->column_count == 0 ||
			(c->tables_only && o->kind != TS_OBJECT_TABLE))
			continue;
		same = compare_values(c, o);
		for (int k = 0; same && k < queries; k++)
			same = compare_random(c, d, o);
		same = same && compare_look_up(c, d, o) && compare_split(c, d, o);
	}
	return same;
}

/* Everything about every object of the file, `queries` queries each; false: c->why. */
static inline bool
compare_all(struct compare *c, struct dice *d, int queries)
{
	struct dice again = *d;

	if (compare_objects(c, d, queries))
		return true;
	c->fresh = true;
	return compare_objects(c, &again, queries);
}

#endif
