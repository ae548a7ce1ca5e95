/* SPDX-License-Identifier: MIT */
/*
 * rows - build the one SELECT that a query needs, and compute what no SELECT should.
 *
 * Sums, constants, dictionaries and row order are worked out here, row by row, from plain columns:
 * a view or a window function in SQL would cost a hundred times as much (an order within a step by
 * window function takes seconds and hundreds of megabytes on a few million rows).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/plan.h"
#include "tilescope/report/memory.h"

#include "binding_internal.h"
#include "rows_internal.h"

enum { VIEW_ROWS_ALWAYS = 1 << 20, VIEW_ROWS_PER_BYTE = 16 };

enum { SQL_MAX = 1 << 16, TEXT_MAX = 1 << 20, NO_ORDER = -1 };
enum { AHEAD_PAGES = 256 }; /* of an index, and rows of it, that are named before they are read */

/* Where ts_rows_block() puts rows by column. */
struct rows_block {
	int64_t *v[ROWS_SLOTS];			 /* as read, by slot; NULL: the row id */
	int64_t *made[TS_ROWS_COLUMNS];		 /* what is worked out for a column of the query */
	int64_t rowid;				 /* of a row alone */
	bool small;				 /* no value is above TS_NUMBER_MAX, or below 0 */
	enum ts_value constant[TS_ROWS_COLUMNS]; /* of columns that are the same in all rows */
	int64_t room[];
};

/* A column is read once, however many columns of the query are made of it. */
static int
add_slot(struct ts_rows *rows, int column)
{
	for (int i = 0; i < rows->slots; i++)
		if (rows->column[i] == column)
			return i;
	rows->column[rows->slots] = column;
	return rows->slots++;
}

static void
add_columns(struct ts_rows *rows)
{
	const struct ts_binding *b = rows->q.binding;

	rows->rowid_slot = b->reach.has_rowid ? add_slot(rows, -1) : -1;
	rows->key_slot = rows->q.range == TS_RANGE_KEY ? add_slot(rows, b->reach.column) : -1;
	rows->only_slot = b->some ? add_slot(rows, b->only) : -1;
	rows->order_slot = -1;
	for (int i = 0; i < rows->q.column_count; i++) {
		const struct ts_column_binding *cb = &b->column[rows->q.columns[i]];

		rows->slot_a[i] = cb->a >= 0 ? add_slot(rows, cb->a) : -1;
		rows->slot_b[i] = cb->b >= 0 ? add_slot(rows, cb->b) : -1;
		rows->slot_c[i] = cb->op == TS_OP_NAME || cb->op == TS_OP_PLACE
			? add_slot(rows, cb->c)
			: -1;
		rows->slot_d[i] = cb->op == TS_OP_PLACE && cb->d >= 0 ? add_slot(rows, cb->d) : -1;
		if (cb->op == TS_OP_ORDER_IN) {
			rows->order_slot = rows->slot_a[i];
			rows->order_column = i;
		}
	}
}

static void
add_select(const struct ts_rows *rows, struct ts_strbuf *sql)
{
	const struct ts_object *o = rows->q.binding->reach.rows;

	ts_strbuf_puts(sql, "SELECT ");
	for (int i = 0; i < rows->slots; i++) {
		if (i > 0)
			ts_strbuf_puts(sql, ", ");
		if (rows->column[i] < 0)
			ts_strbuf_puts(sql, o->rowid);
		else
			ts_sql_quote(sql, o->column[rows->column[i]].name);
	}
	if (rows->slots == 0)
		ts_strbuf_puts(sql, "1");
	ts_strbuf_puts(sql, " FROM ");
	ts_sql_from(sql, o);
}

/* May SQLite apply the limit? Not where this cursor leaves out rows that SQLite gives. */
static bool
limits_sql(const struct ts_rows *rows)
{
	return rows->q.limit > 0 && rows->key_slot < 0 && rows->only_slot < 0;
}

static void
add_where(const struct ts_rows *rows, struct ts_strbuf *sql, enum way way)
{
	const struct ts_reach *r = &rows->q.binding->reach;

	/* left alone, SQLite may walk an index that holds the columns, in the order of that index */
	if (way != BY_KEY && !r->gather && r->rows->kind == TS_OBJECT_TABLE)
		ts_strbuf_puts(sql, " NOT INDEXED");
	if (way == BY_KEY) {
		ts_strbuf_puts(sql, " WHERE ");
		ts_sql_quote(sql, r->rows->column[r->column].name);
		ts_strbuf_puts(sql, " >= ?1 AND ");
		ts_sql_quote(sql, r->rows->column[r->column].name);
		ts_strbuf_puts(sql, " < ?2 ORDER BY ");
		ts_sql_quote(sql, r->rows->column[r->column].name);
		/* an index of more columns has equal keys in another order than the rows */
		if (r->rows->rowid)
			ts_strbuf_printf(sql, ", %s", r->rows->rowid);
	} else if (way == FROM_ROWID) {
		ts_strbuf_printf(sql, " WHERE %s >= ?1 ORDER BY %s", r->rows->rowid,
			r->rows->rowid);
	} else if (way == BY_ROWID) {
		ts_strbuf_printf(sql, " WHERE %s >= ?1 AND %s < ?2 ORDER BY %s", r->rows->rowid,
			r->rows->rowid, r->rows->rowid);
	} else if (r->gather) {
		ts_strbuf_puts(sql, " ORDER BY ");
		ts_sql_quote(sql, r->rows->column[r->gather_by].name);
		if (r->rows->rowid)
			ts_strbuf_printf(sql, ", %s", r->rows->rowid);
	} else if (r->rows->rowid) {
		ts_strbuf_printf(sql, " ORDER BY %s", r->rows->rowid);
	}
	if (limits_sql(rows))
		ts_strbuf_puts(sql, " LIMIT ?3");
}

/* Of a report on another host: have the entries of the index here that SQLite goes along, and their rows. */
static enum ts_code
index_ahead(const struct ts_rows *rows, const char *sql, int64_t from, int64_t to,
	struct ts_err *err)
{
	struct ts_plan_rows p = {.o = rows->q.binding->reach.rows,
		.from = from,
		.most = AHEAD_PAGES};
	enum ts_code code;

	if (!ts_plan_helps(rows->db) || from >= to || p.o->sql)
		return TS_OK;
	p.to = to - 1; /* it is above `from` */
	code = ts_plan_index(&p.index, rows->db, sql, err);
	return code || p.index == 0 ? code : ts_plan_fetch(rows->db, &p, 1, err);
}

/* Rows from SQLite from here on; `more`: rows beyond the limit that the caller leaves out. */
enum ts_code
rows_open_statement(struct ts_rows *rows, enum way way, int64_t from, int64_t to, int64_t more,
	struct ts_err *err)
{
	struct ts_strbuf sql;
	enum ts_code code;

	ts_strbuf_init(&sql, SQL_MAX);
	add_select(rows, &sql);
	add_where(rows, &sql, way);
	code = way == BY_KEY && !sql.nomem ? index_ahead(rows, sql.s, from, to, err) : TS_OK;
	if (code) {
		ts_strbuf_fini(&sql);
		return code;
	}
	code = ts_db_prepare_sql(rows->db, &rows->stmt, &sql, err);
	if (code)
		return code;
	if (way != BY_NOTHING)
		sqlite3_bind_int64(rows->stmt, 1, from);
	if (way == BY_KEY || way == BY_ROWID)
		sqlite3_bind_int64(rows->stmt, 2, to);
	if (limits_sql(rows))
		sqlite3_bind_int64(rows->stmt, 3, rows->q.limit - rows->given + more);
	return TS_OK;
}

/* Decide how the range is applied. */
static enum ts_code
plan(struct ts_rows *rows, enum way *way, struct ts_err *err)
{
	const struct ts_reach *r = &rows->q.binding->reach;
	bool by_rowid = rows->q.range == TS_RANGE_ROWID;

	rows->from = rows->q.from;
	rows->to = rows->q.to;
	*way = by_rowid ? BY_ROWID : BY_NOTHING;
	rows->from_start = rows->whole = rows->q.range == TS_RANGE_ALL ||
		(by_rowid && rows->q.from <= r->first_rowid);
	if (by_rowid && !r->has_rowid)
		return ts_err_set(err, TS_E_USAGE, "rows of %s have no row id", r->rows->name);
	if (rows->q.range != TS_RANGE_KEY)
		return TS_OK;
	if (r->column < 0)
		return ts_err_set(err, TS_E_ABSENT, "%s has no key", r->rows->name);
	rows->from_start = true; /* a key's rows stand together */
	switch (r->key) {
	case TS_REACH_ROWID:
		*way = BY_ROWID;
		break;
	case TS_REACH_INDEX:
		*way = BY_KEY;
		break;
	case TS_REACH_MONOTONE:
		*way = FROM_ROWID;
		rows->until = true;
		return ts_reach_bisect(&rows->from, r, rows->db, rows->q.from, err);
	case TS_REACH_NONE:
		rows->whole = true;
		break;
	}
	return TS_OK;
}

/* A dictionary that is gone through with the rows; several columns may have the same one. */
static size_t
add_dictionary(struct ts_plan_rows *p, size_t n, const struct ts_object *o)
{
	for (size_t i = 1; i < n; i++)
		if (p[i].o == o)
			return n;
	p[n] = (struct ts_plan_rows){.o = o, .from = INT64_MIN, .to = INT64_MAX};
	return n + 1;
}

/* What one pass names is to be here together until it is read: the rows, their overflow pages and all dictionaries share it. */
static void
share_pages(struct ts_plan_rows *p, size_t n)
{
	int share = TS_PASS_ALL / (1 + p[0].whole + (n > 1));

	p[0].most = share < TS_PASS_PAGES ? share : TS_PASS_PAGES;
	for (size_t i = 1; i < n; i++)
		p[i].most = p[0].most / (int)(n - 1);
}

/*
 * Of a report on another host: have all rows here that are gone through, with the dictionaries of their texts. Of more than
 * their share of TS_PASS_ALL pages only those that lead to them: the cache reads on ahead of who reads on.
 */
static enum ts_code
pass_ahead(const struct ts_rows *rows, struct ts_err *err)
{
	const struct ts_binding *b = rows->q.binding;
	struct ts_plan_rows p[1 + TS_ROWS_COLUMNS] = {
		{.o = b->reach.rows, .from = INT64_MIN, .to = INT64_MAX}};
	size_t n = 1;

	if (rows->way != BY_NOTHING || rows->q.limit > 0 || !ts_plan_helps(rows->db))
		return TS_OK;
	for (int i = 0; i < rows->q.column_count; i++) {
		int column = rows->q.columns[i];
		const struct ts_column_binding *c = &b->column[column];

		p[0].whole |= ts_relation_def(b->relation)->column[column].type == TS_TYPE_BLOB;
		if (c->dict.rows && c->op != TS_OP_MOVED)
			n = add_dictionary(p, n, c->dict.rows);
	}
	share_pages(p, n);
	return ts_plan_fetch(rows->db, p, n, err);
}

/* Columns that stand in the page's record as they are wanted. */
static void
set_plain(struct ts_rows *rows)
{
	for (int i = 0; i < rows->q.column_count; i++) {
		int op = rows->q.binding->column[rows->q.columns[i]].op, slot = rows->slot_a[i];

		if ((op == TS_OP_COLUMN || op == TS_OP_DICT) && !rows->table->value[slot].real)
			rows->plain[i] = &rows->table->value[slot];
	}
}

/* The one place that chooses who reads the rows: pages where they can be, else SQLite. */
static enum ts_code
open_rows(struct ts_rows *rows, struct ts_err *err)
{
	enum ts_code code = plan(rows, &rows->way, err);

	if (code)
		return code;
	add_columns(rows);
	code = pass_ahead(rows, err);
	if (!code && rows->way != BY_KEY && !rows->q.binding->reach.gather)
		code = ts_table_open(&rows->table, rows->db, rows->q.binding->reach.rows,
			rows->column, rows->slots, err);
	if (code)
		return code;
	if (!rows->table)
		return rows_open_statement(rows, rows->way, rows->from, rows->to, 0, err);
	if (rows->way != BY_NOTHING)
		ts_table_seek(rows->table, rows->from);
	if (rows->way == BY_ROWID)
		ts_table_until(rows->table, rows->to);
	if (rows->q.unknowns)
		ts_table_nulls(rows->table);
	set_plain(rows);
	return TS_OK;
}

enum ts_code
ts_rows_open(struct ts_rows **out, struct ts_db *db, const struct ts_rows_query *q,
	struct ts_err *err)
{
	struct ts_rows *rows = ts_alloc(1, sizeof(*rows));
	enum ts_code code;

	*out = NULL;
	if (!rows)
		return ts_err_nomem(err);
	rows->db = db;
	rows->q = *q;
	rows->most = q->binding->reach.rows->kind == TS_OBJECT_TABLE
		? INT64_MAX
		: VIEW_ROWS_ALWAYS + VIEW_ROWS_PER_BYTE * ts_db_bytes(db);
	rows->position = -1;
	for (int i = 0; i < TS_ROWS_COLUMNS; i++)
		ts_strbuf_init(&rows->text[i], TEXT_MAX);
	code = open_rows(rows, err);
	if (code) {
		ts_rows_close(rows);
		return code;
	}
	*out = rows;
	return TS_OK;
}

void
ts_rows_close(struct ts_rows *rows)
{
	if (!rows)
		return;
	ts_db_release(rows->db, rows->stmt);
	ts_table_close(rows->table);
	for (int i = 0; i < TS_ROWS_COLUMNS; i++) {
		ts_strbuf_fini(&rows->text[i]);
		ts_table_close(rows->lookup[i]);
	}
	rows_moved_close(rows->moved, rows->db);
	free(rows->block);
	free(rows);
}

/* --- values of the row, from whoever read it ---------------------------------------------------- */

static int
value_type(const struct ts_rows *rows, int slot)
{
	if (slot < 0)
		return SQLITE_NULL;
	return rows->stmt ? sqlite3_column_type(rows->stmt, slot)
			  : ts_table_type(&rows->table->value[slot]);
}

static int64_t
value_int(const struct ts_rows *rows, int slot)
{
	return rows->stmt ? sqlite3_column_int64(rows->stmt, slot)
			  : ts_table_int(&rows->table->value[slot]);
}

static double
value_double(const struct ts_rows *rows, int slot)
{
	return rows->stmt ? sqlite3_column_double(rows->stmt, slot)
			  : ts_table_double(&rows->table->value[slot]);
}

static const void *
value_bytes(const struct ts_rows *rows, int slot, size_t *n)
{
	const void *bytes;

	if (!rows->stmt) {
		*n = ts_table_bytes(&rows->table->value[slot]);
		return rows->table->value[slot].bytes;
	}
	bytes = sqlite3_column_type(rows->stmt, slot) == SQLITE_TEXT
		? (const void *)sqlite3_column_text(rows->stmt, slot)
		: sqlite3_column_blob(rows->stmt, slot);
	*n = (size_t)sqlite3_column_bytes(rows->stmt, slot);
	return bytes ? bytes : "";
}

static enum ts_value
plain_number(const struct ts_rows *rows, int slot, int64_t *v)
{
	double d;

	*v = 0;
	switch (value_type(rows, slot)) {
	case SQLITE_NULL:
		return TS_VALUE_NULL;
	case SQLITE_INTEGER:
		*v = value_int(rows, slot);
		break;
	case SQLITE_FLOAT:
		d = value_double(rows, slot);
		if (!(d >= 0 && d <= 9007199254740992.0) || d != floor(d))
			return TS_VALUE_BAD;
		*v = (int64_t)d;
		break;
	default:
		return TS_VALUE_BAD;
	}
	if (*v >= 0 && *v <= TS_NUMBER_MAX)
		return TS_VALUE_OK;
	*v = 0;
	return TS_VALUE_BAD;
}

/* A number that may be negative: an offset from a step's base. */
static enum ts_value
signed_number(const struct ts_rows *rows, int slot, int64_t *v)
{
	enum ts_value is = plain_number(rows, slot, v);

	if (is != TS_VALUE_BAD || value_type(rows, slot) != SQLITE_INTEGER ||
		value_int(rows, slot) < -TS_NUMBER_MAX || value_int(rows, slot) > 0)
		return is;
	*v = value_int(rows, slot);
	return TS_VALUE_OK;
}

/* --- rows --------------------------------------------------------------------------------------- */

/* Keep the order within equal values of the group up to date. */
static void
count_order(struct ts_rows *rows)
{
	int64_t group;

	rows->ungroupable = plain_number(rows, rows->order_slot, &group) != TS_VALUE_OK;
	if (rows->ungroupable)
		return; /* it stands amid the others of a group, and does not part them */
	if (!rows->grouped) {
		rows->grouped = true;
		rows->order = rows->from_start ? 0 : NO_ORDER;
	} else if (group != rows->group) {
		rows->order = 0;
	} else if (rows->order != NO_ORDER) {
		rows->order++;
	}
	rows->group = group;
}

/* Pages do not tell: SQLite goes on behind the last row that they gave. */
static enum ts_code
go_on_with_sqlite(struct ts_rows *rows, bool *there, struct ts_err *err)
{
	enum way way = rows->way == BY_ROWID ? BY_ROWID : FROM_ROWID;
	int64_t from, to = rows->to;
	bool skip = false;
	enum ts_code code;

	memset(rows->plain, 0, sizeof(rows->plain));
	if (rows->of_leaf) {
		to = way == BY_ROWID ? ts_min_i64(to, rows->leaf_end + 1) : rows->leaf_end + 1;
		way = BY_ROWID;
	}
	if (ts_table_resume(rows->table, &from, &skip))
		code = rows_open_statement(rows, way, from, to, skip, err);
	else
		code = rows_open_statement(rows, rows->way, rows->from, rows->to, 0, err);
	if (!code)
		code = ts_db_step(rows->db, rows->stmt, there, err);
	if (!code && skip && *there)
		code = ts_db_step(rows->db, rows->stmt, there, err);
	return code;
}

void
rows_back_to_pages(struct ts_rows *rows, int64_t rowid)
{
	ts_db_release(rows->db, rows->stmt);
	rows->stmt = NULL;
	rows->of_leaf = false;
	ts_table_seek(rows->table, rowid);
	set_plain(rows);
}

/*
 * Who goes on behind damage does not ask SQLite about pages: it takes some that stand in the wrong place, and rows would
 * come twice. It reads the rest of a sound leaf, where a record is not for us.
 */
enum ts_code
rows_read(struct ts_rows *rows, bool *there, struct ts_err *err)
{
	enum ts_table_at at;
	enum ts_code code;

	for (;;) {
		if (rows->stmt) {
			code = ts_db_step(rows->db, rows->stmt, there, err);
		} else {
			code = ts_table_next(&at, rows->table, err);
			*there = !code && at == TS_TABLE_ROW;
			if (code || at != TS_TABLE_UNKNOWN)
				return code;
			if (rows->q.past_damage &&
				!ts_table_at_record(rows->table, &rows->leaf_end))
				return ts_err_set(err, TS_E_DAMAGED, "a page is damaged");
			rows->of_leaf = rows->q.past_damage && rows->leaf_end < INT64_MAX;
			code = go_on_with_sqlite(rows, there, err);
		}
		if (code || *there || !rows->of_leaf)
			return code;
		rows_back_to_pages(rows, rows->leaf_end + 1);
	}
}

/* Is a value of the column `only` one of a row of the relation? */
static bool
passes(const struct ts_binding *b, int64_t v)
{
	return b->only_bit < 0 || (v >> b->only_bit & 1);
}

/* With a key range: does the row belong to it? Rows without a valid key belong to none. */
static bool
in_range(struct ts_rows *rows)
{
	int64_t key;

	if (rows->only_slot >= 0 &&
		(plain_number(rows, rows->only_slot, &key) != TS_VALUE_OK ||
			!passes(rows->q.binding, key)))
		return false;
	if (rows->key_slot < 0)
		return true;
	if (plain_number(rows, rows->key_slot, &key) != TS_VALUE_OK)
		return false;
	rows->ended = rows->until && key >= rows->q.to;
	return key >= rows->q.from && key < rows->q.to;
}

static enum ts_code
tell(const struct ts_err *what, struct ts_err *err)
{
	if (err && what->code)
		*err = *what;
	return what->code;
}

enum ts_code
ts_rows_passed(const struct ts_rows *rows, struct ts_err *err)
{
	return tell(&rows->damaged, err);
}

enum ts_code
ts_rows_next(struct ts_rows *rows, bool *there, struct ts_err *err)
{
	enum ts_code code;

	*there = false;
	if (rows->late.code)
		return tell(&rows->late, err);
	if (rows->ended || (rows->q.limit > 0 && rows->given == rows->q.limit))
		return tell(&rows->damaged, err);
	while (!(code = rows_past_read(rows, there, err)) && *there) {
		rows->position++;
		if (rows->order_slot >= 0)
			count_order(rows);
		if (rows->position >= rows->most) {
			code = ts_err_set(err, TS_E_LIMIT,
				"more rows than a file of this size can have (a view that never ends?)");
			break;
		}
		if (in_range(rows)) {
			rows->given++;
			return TS_OK;
		}
		if (rows->ended)
			break;
	}
	*there = false;
	rows->ended = true;
	return code ? code : tell(&rows->damaged, err);
}

/* The number that a key leads to. */
static enum ts_value
look_up(struct ts_rows *rows, int i, int64_t key, int64_t *v)
{
	const struct ts_column_binding *cb = &rows->q.binding->column[rows->q.columns[i]];
	struct ts_err why = {0};
	enum ts_table_at at = TS_TABLE_UNKNOWN;
	enum ts_code code = TS_OK;
	struct ts_strbuf sql;
	bool found = false;

	*v = 0;
	if (!rows->lookup[i])
		code = ts_table_open(&rows->lookup[i], rows->db, cb->dict.rows, &cb->dict_text, 1,
			&why);
	if (!code && rows->lookup[i])
		code = ts_table_find(&at, rows->lookup[i], key, &why);
	if (!code && at == TS_TABLE_ROW)
		found = ts_table_number(&rows->lookup[i]->value[0], v);
	if (!code && at == TS_TABLE_UNKNOWN) {
		ts_strbuf_init(&sql, SQL_MAX);
		ts_sql_select(&sql, cb->dict.rows, &cb->dict_text, 1);
		ts_strbuf_printf(&sql, " WHERE %s = %lld", cb->dict.rows->rowid, (long long)key);
		code = sql.nomem ? ts_err_nomem(&why) : ts_db_int(rows->db, v, &found, sql.s, &why);
		ts_strbuf_fini(&sql);
	}
	if (code == TS_E_DAMAGED)
		rows->damaged = why;
	else if (code)
		rows->late = why;
	if (code || !found || *v < 0 || *v > TS_NUMBER_MAX) {
		*v = 0;
		return found && !code ? TS_VALUE_BAD : TS_VALUE_NULL;
	}
	return TS_VALUE_OK;
}

/* TS_OP_MOVED: by the program that the key leads to. */
static enum ts_value
moved(struct ts_rows *rows, int i, int64_t *v)
{
	const struct ts_column_binding *cb = &rows->q.binding->column[rows->q.columns[i]];
	struct rows_moved_of of = {.out = cb->bit > 0};
	struct ts_err why = {0};
	enum ts_code code;
	int64_t key;

	if (plain_number(rows, rows->slot_a[i], &key) != TS_VALUE_OK ||
		plain_number(rows, rows->slot_b[i], &of.ipu) != TS_VALUE_OK ||
		look_up(rows, i, key, &of.program) != TS_VALUE_OK)
		return TS_VALUE_NULL;
	code = rows_moved_get(v, &rows->moved, rows->db, cb->by, &of, &why);
	if (code == TS_E_DAMAGED)
		rows->damaged = why;
	else if (code)
		rows->late = why;
	if (*v != TS_UNKNOWN && *v <= TS_NUMBER_MAX)
		return TS_VALUE_OK;
	*v = 0;
	return TS_VALUE_NULL;
}

/* TS_OP_PLACE: a base plus an offset, which may be negative. */
static enum ts_value
place(const struct ts_rows *rows, int i, int64_t *v)
{
	int64_t active, add = 0;
	bool idle = plain_number(rows, rows->slot_c[i], &active) == TS_VALUE_OK && active == 0;
	int slot = idle ? rows->slot_d[i] : rows->slot_b[i];
	enum ts_value is = plain_number(rows, rows->slot_a[i], v);

	if (is != TS_VALUE_OK || slot < 0)
		return is;
	is = signed_number(rows, slot, &add);
	if (is == TS_VALUE_OK && (!ts_add_i64(v, add) || *v < 0))
		is = TS_VALUE_BAD;
	if (is != TS_VALUE_OK)
		*v = 0;
	return is;
}

/* Not inlined: the short way in ts_rows_number() needs no frame. */
__attribute__((noinline)) static enum ts_value
number(struct ts_rows *rows, int i, int64_t *v)
{
	const struct ts_column_binding *cb = &rows->q.binding->column[rows->q.columns[i]];
	enum ts_value a, b;
	int64_t second;

	*v = 0;
	switch (cb->op) {
	case TS_OP_COLUMN:
	case TS_OP_DICT:
		return plain_number(rows, rows->slot_a[i], v);
	case TS_OP_NAME: /* a text is no number */
		a = plain_number(rows, rows->slot_a[i], v);
		*v = 0;
		return a == TS_VALUE_OK ? TS_VALUE_BAD : a;
	case TS_OP_BIT:
		a = plain_number(rows, rows->slot_a[i], v);
		*v = *v >> cb->bit & 1;
		return a;
	case TS_OP_LOOKUP:
		a = plain_number(rows, rows->slot_a[i], &second);
		return a == TS_VALUE_OK ? look_up(rows, i, second, v) : a;
	case TS_OP_PLACE:
		return place(rows, i, v);
	case TS_OP_MOVED:
		return moved(rows, i, v);
	case TS_OP_SUM:
	case TS_OP_DIFFERENCE:
		a = plain_number(rows, rows->slot_a[i], v);
		b = cb->op == TS_OP_SUM ? signed_number(rows, rows->slot_b[i], &second)
					: plain_number(rows, rows->slot_b[i], &second);
		if (a == TS_VALUE_OK && b == TS_VALUE_OK) {
			/* neither is beyond 2^62: the difference cannot overflow, the sum can */
			bool fits = cb->op == TS_OP_DIFFERENCE || ts_add_i64(v, second);

			if (cb->op == TS_OP_DIFFERENCE)
				*v -= second;
			if (fits && *v >= 0)
				return TS_VALUE_OK;
			a = TS_VALUE_BAD;
		}
		*v = 0;
		return a == TS_VALUE_OK ? b : a;
	case TS_OP_CONSTANT:
		*v = strtoll(cb->text, NULL, 10);
		if (*v >= 0)
			return TS_VALUE_OK;
		*v = 0;
		return TS_VALUE_BAD;
	case TS_OP_ORDER_IN:
		if (rows->order == NO_ORDER || rows->ungroupable)
			return TS_VALUE_NULL;
		*v = rows->order;
		return TS_VALUE_OK;
	case TS_OP_POSITION:
		*v = rows->whole ? rows->position : 0;
		return rows->whole ? TS_VALUE_OK : TS_VALUE_NULL;
	default:
		return TS_VALUE_NULL;
	}
}

enum ts_value
ts_rows_number(struct ts_rows *rows, int i, int64_t *v)
{
	if (rows->plain[i] && ts_table_number(rows->plain[i], v) && *v >= 0 && *v <= TS_NUMBER_MAX)
		return TS_VALUE_OK;
	return number(rows, i, v);
}

enum ts_value
ts_rows_bits(struct ts_rows *rows, int i, uint64_t *v)
{
	bool plain = rows->q.binding->column[rows->q.columns[i]].op == TS_OP_COLUMN;
	int64_t number;
	enum ts_value is;

	if (plain && value_type(rows, rows->slot_a[i]) == SQLITE_INTEGER) {
		*v = (uint64_t)value_int(rows, rows->slot_a[i]);
		return TS_VALUE_OK;
	}
	is = ts_rows_number(rows, i, &number);
	*v = (uint64_t)number;
	return is;
}

int64_t
ts_rows_known(struct ts_rows *rows, int i)
{
	int64_t v;

	return ts_rows_number(rows, i, &v) == TS_VALUE_OK ? v : TS_UNKNOWN;
}

enum ts_value
ts_rows_real(struct ts_rows *rows, int i, double *v)
{
	int type = value_type(rows, rows->slot_a[i]);

	*v = 0;
	if (type == SQLITE_NULL)
		return TS_VALUE_NULL;
	if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
		return TS_VALUE_BAD;
	*v = value_double(rows, rows->slot_a[i]);
	return isfinite(*v) ? TS_VALUE_OK : TS_VALUE_BAD;
}

static enum ts_value
dict_text(struct ts_rows *rows, int i, const char **s, size_t *n)
{
	const struct ts_column_binding *cb = &rows->q.binding->column[rows->q.columns[i]];
	enum ts_value value;
	int64_t key, before;
	struct ts_err why = {0};
	enum ts_code code;
	bool found;

	value = plain_number(rows, rows->slot_a[i], &key);
	if (value != TS_VALUE_OK)
		return value;
	ts_strbuf_reset(&rows->text[i]);
	if (cb->op == TS_OP_NAME && plain_number(rows, rows->slot_b[i], &before) == TS_VALUE_OK)
		ts_strbuf_printf(&rows->text[i], "__vertexField_%lld", (long long)before);
	code = ts_reach_text(&rows->text[i], &found, &cb->dict, rows->db, key, cb->dict_text, &why);
	if (code == TS_E_DAMAGED)
		rows->damaged = why;
	else if (code)
		rows->late = why;
	if (code || !found)
		return TS_VALUE_NULL;
	/* a name: what many share is in the middle */
	if (cb->op == TS_OP_NAME && value_type(rows, rows->slot_c[i]) == SQLITE_TEXT) {
		const char *behind = value_bytes(rows, rows->slot_c[i], n);

		ts_strbuf_add(&rows->text[i], behind, *n);
	}
	*s = rows->text[i].s;
	*n = rows->text[i].len;
	return TS_VALUE_OK;
}

enum ts_value
ts_rows_text(struct ts_rows *rows, int i, const char **s, size_t *n)
{
	const struct ts_column_binding *cb = &rows->q.binding->column[rows->q.columns[i]];
	int slot = rows->slot_a[i], type;

	*s = "";
	*n = 0;
	if (cb->op == TS_OP_DICT || cb->op == TS_OP_NAME)
		return dict_text(rows, i, s, n);
	if (cb->op == TS_OP_CONSTANT) {
		*s = cb->text;
		*n = strlen(cb->text);
		return TS_VALUE_OK;
	}
	type = value_type(rows, slot);
	if (type == SQLITE_TEXT)
		*s = value_bytes(rows, slot, n);
	return type == SQLITE_TEXT    ? TS_VALUE_OK
		: type == SQLITE_NULL ? TS_VALUE_NULL
				      : TS_VALUE_BAD;
}

enum ts_value
ts_rows_blob(struct ts_rows *rows, int i, const void **bytes, size_t *n)
{
	int type = value_type(rows, rows->slot_a[i]);

	*bytes = "";
	*n = 0;
	if (type == SQLITE_BLOB)
		*bytes = value_bytes(rows, rows->slot_a[i], n);
	return type == SQLITE_BLOB    ? TS_VALUE_OK
		: type == SQLITE_NULL ? TS_VALUE_NULL
				      : TS_VALUE_BAD;
}

/* --- blocks ------------------------------------------------------------------------------------- */

static bool
make_block(struct ts_rows *rows)
{
	size_t columns = (size_t)rows->slots + (size_t)rows->q.column_count;
	struct rows_block *b = ts_alloc(sizeof(*b) + columns * TS_BLOCK_ROWS * sizeof(b->room[0]),
		1);
	int64_t *at = b ? b->room : NULL;

	if (!b)
		return false;
	for (int i = 0; i < rows->slots; i++, at += TS_BLOCK_ROWS)
		b->v[i] = i == rows->rowid_slot ? NULL : at;
	for (int i = 0; i < rows->q.column_count; i++) {
		b->made[i] = at;
		at += TS_BLOCK_ROWS;
		if (rows->q.binding->column[rows->q.columns[i]].op == TS_OP_CONSTANT)
			b->constant[i] = number(rows, i, b->made[i]);
		for (int k = 1; k < TS_BLOCK_ROWS; k++)
			b->made[i][k] = b->made[i][0];
	}
	rows->block = b;
	return true;
}

/* How many of n values come before one that is no number. */
static int
count_numbers(const struct rows_block *b, const int64_t *v, int n)
{
	int i = b->small ? n : 0;

	while (i < n && v[i] >= 0 && v[i] <= TS_NUMBER_MAX)
		i++;
	return i;
}

/* The same where NULL is one, too. */
static int
count_known(const struct rows_block *b, const int64_t *v, int n)
{
	int i = b->small ? n : 0;

	while (i < n && v[i] >= TS_UNKNOWN && v[i] <= TS_NUMBER_MAX)
		i++;
	return i;
}

/* a + b, or a - b: of how many of n rows it is a number. */
static int
make_sums(int64_t *to, const int64_t *a, const int64_t *b, bool minus, int n)
{
	uint64_t sign = minus ? UINT64_MAX : 1, all = 0;

	for (int k = 0; k < n; k++) {
		uint64_t sum = (uint64_t)a[k] + (uint64_t)b[k] * sign;

		all |= sum;
		to[k] = (int64_t)sum;
	}
	for (int k = 0; k < n && all > INT64_MAX; k++)
		if (to[k] < 0)
			return k;
	return n;
}

/* a + b, or where c is 0 a + d (d NULL: a): of how many of n rows it is a number. */
static int
make_places(int64_t *to, const int64_t *a, const int64_t *b, const int64_t *c, const int64_t *d,
	int n)
{
	for (int k = 0; k < n; k++) {
		to[k] = a[k];
		if ((c[k] > 0 || d) && !ts_add_i64(&to[k], c[k] > 0 ? b[k] : d[k]))
			return k;
	}
	return n;
}

/* The order of n rows; how many of them have one. */
static int
make_order(struct ts_rows *rows, int64_t *to, int n)
{
	const int64_t *group = rows->block->v[rows->order_slot];
	int64_t order = rows->order;

	if (!rows->grouped || (order == NO_ORDER && group[0] == rows->group))
		return 0; /* row by row, until it is known */
	n = count_numbers(rows->block, group, n);
	for (int k = 0; k < n; k++) {
		order = group[k] == (k ? group[k - 1] : rows->group) ? order + 1 : 0;
		to[k] = order;
	}
	return n;
}

/* Column i of the first n rows: how many of them are as `is` says. */
static int
make_column(struct ts_rows *rows, struct ts_rows_block *out, int i, int n)
{
	const struct ts_column_binding *cb = &rows->q.binding->column[rows->q.columns[i]];
	const int64_t *a = rows->slot_a[i] < 0 ? NULL : rows->block->v[rows->slot_a[i]];
	const int64_t *b = rows->slot_b[i] < 0 ? NULL : rows->block->v[rows->slot_b[i]];
	const int64_t *c = rows->slot_c[i] < 0 ? NULL : rows->block->v[rows->slot_c[i]];
	const int64_t *d = rows->slot_d[i] < 0 ? NULL : rows->block->v[rows->slot_d[i]];
	int64_t *made = rows->block->made[i];

	out->v[i] = made;
	out->is[i] = TS_VALUE_OK;
	switch (cb->op) {
	case TS_OP_NAME:  /* texts are read row by row, */
	case TS_OP_MOVED: /* and what most rows do not have */
		return 0;
	case TS_OP_COLUMN:
	case TS_OP_DICT:
		out->v[i] = a;
		return rows->q.unknowns ? count_known(rows->block, a, n)
					: count_numbers(rows->block, a, n);
	case TS_OP_SUM:
	case TS_OP_DIFFERENCE:
		n = count_numbers(rows->block, b, count_numbers(rows->block, a, n));
		return make_sums(made, a, b, cb->op == TS_OP_DIFFERENCE, n);
	case TS_OP_PLACE:
		n = count_numbers(rows->block, b, count_numbers(rows->block, a, n));
		n = count_numbers(rows->block, c, n);
		if (d)
			n = count_numbers(rows->block, d, n);
		return make_places(made, a, b, c, d, n);
	case TS_OP_BIT:
		n = count_numbers(rows->block, a, n);
		for (int k = 0; k < n; k++)
			made[k] = a[k] >> cb->bit & 1;
		return n;
	case TS_OP_LOOKUP:
		n = count_numbers(rows->block, a, n);
		for (int k = 0; k < n; k++)
			if (k > 0 && a[k] == a[k - 1])
				made[k] = made[k - 1];
			else if (look_up(rows, i, a[k], &made[k]) != TS_VALUE_OK)
				return k;
		return n;
	case TS_OP_CONSTANT:
		out->is[i] = rows->block->constant[i];
		return n;
	case TS_OP_ORDER_IN:
		return make_order(rows, made, n);
	case TS_OP_POSITION:
		out->is[i] = rows->whole ? TS_VALUE_OK : TS_VALUE_NULL;
		for (int k = 0; k < n; k++)
			made[k] = rows->whole ? rows->position + 1 + k : 0;
		return n;
	default:
		out->is[i] = TS_VALUE_NULL;
		return n;
	}
}

/* What is no number is unknown, in a query that wants it so. */
static void
say_unknown(struct ts_rows *rows, struct ts_rows_block *b, int i, int n)
{
	for (int k = 0; k < n && b->is[i] != TS_VALUE_OK; k++)
		rows->block->made[i][k] = TS_UNKNOWN;
	b->is[i] = TS_VALUE_OK;
}

/* How many of the first n rows belong to the relation, up to one that does not. */
static int
count_passing(const struct ts_rows *rows, int n)
{
	const int64_t *v = rows->block->v[rows->only_slot];
	int k = 0;

	while (k < n && v[k] >= 0 && passes(rows->q.binding, v[k]))
		k++;
	return k;
}

/* The rows that pages give at once, as many as are alike; often none. */
static enum ts_code
block_of_pages(struct ts_rows *rows, struct ts_rows_block *b, struct ts_err *err)
{
	struct ts_table_rows got;
	int most = TS_BLOCK_ROWS, n;
	enum ts_code code;

	b->rows = 0;
	if (!rows->table || rows->stmt || rows->ended || rows->late.code || rows->key_slot >= 0)
		return TS_OK;
	if (rows->q.limit > 0)
		most = (int)ts_min_i64(most, rows->q.limit - rows->given);
	code = ts_table_peek(&got, rows->table, rows->block->v, most, err);
	if (code)
		return code;
	rows->block->small = got.bits < TS_NUMBER_MAX;
	n = rows->only_slot < 0 ? got.n : count_passing(rows, got.n);
	for (int i = 0; n > 0 && i < rows->q.column_count; i++)
		n = make_column(rows, b, i, n);
	for (int i = 0; rows->q.unknowns && n > 0 && i < rows->q.column_count; i++)
		if (b->is[i] != TS_VALUE_OK)
			say_unknown(rows, b, i, n);
	if (n <= 0)
		return TS_OK;
	if (rows->order_slot >= 0) {
		rows->ungroupable = false;
		rows->order = b->v[rows->order_column][n - 1];
		rows->group = rows->block->v[rows->order_slot][n - 1];
	}
	ts_table_take(rows->table, n);
	rows->position += n;
	rows->given += n;
	if (rows->rowid_slot >= 0)
		rows_note(rows, got.rowid[n - 1]);
	b->rows = n;
	b->rowid = rows->rowid_slot >= 0 ? got.rowid : NULL;
	return TS_OK;
}

enum ts_code
ts_rows_block(struct ts_rows *rows, struct ts_rows_block *b, struct ts_err *err)
{
	enum ts_code code;
	bool there;

	b->rows = 0;
	if (!rows->block && !make_block(rows))
		return ts_err_nomem(err);
	code = block_of_pages(rows, b, err);
	if (code || b->rows > 0)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (code || !there)
		return code;
	for (int i = 0; i < rows->q.column_count; i++) {
		b->is[i] = ts_rows_number(rows, i, rows->block->made[i]);
		b->v[i] = rows->block->made[i];
		if (rows->q.unknowns)
			say_unknown(rows, b, i, 1);
	}
	b->rowid = ts_rows_rowid(rows, &rows->block->rowid) ? &rows->block->rowid : NULL;
	b->rows = 1;
	return TS_OK;
}

bool
ts_rows_rowid(struct ts_rows *rows, int64_t *rowid)
{
	if (rows->rowid_slot < 0)
		return false;
	*rowid = rows->stmt ? sqlite3_column_int64(rows->stmt, rows->rowid_slot)
			    : rows->table->rowid;
	return true;
}
