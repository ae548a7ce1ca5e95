/* SPDX-License-Identifier: MIT */
/*
 * browse - see the header.
 *
 * All SQL is built here from the names that the schema was read with, and runs on the reader's connection
 * like every other statement of the program's own: read-only, hardened, and with an end to what a view of a
 * hostile file may ask for.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding_internal.h"
#include "browse_internal.h"

#include "tilescope/base/mem.h"

enum { SQL_MAX = 1 << 19, STRIDE = 64, PROGRESS_ROWS = 1024 };

/* --- tables -------------------------------------------------------------------------------------- */

static bool
is_bound_to(const struct ts_binding *b, const struct ts_browse_table *t)
{
	return b->source == t->source && ts_binding_uses(b, t->object);
}

static void
find_relation(struct ts_browse_table *t, const struct ts_report *r)
{
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		if (is_bound_to(&r->binding[i], t)) {
			if (!t->relation)
				t->relation = ts_relation_def((enum ts_relation)i)->name;
			t->relations++;
		}
}

/* What can be known without reading rows. What cannot be read is the table's problem alone. */
static enum ts_code
look_at(struct ts_browse_table *t, const struct ts_schema *s, struct ts_reader *rd,
	struct ts_err *err)
{
	struct ts_reach ends = {.column = -1};
	enum ts_code code = TS_OK;

	t->rows = t->object->base >= 0 ? &s->object[t->object->base] : t->object;
	t->estimate = t->counted = -1;
	find_relation(t, rd->report);
	if (t->object->problem)
		snprintf(t->problem, sizeof(t->problem), "%.119s", t->object->problem);
	if (t->problem[0] || t->rows->kind != TS_OBJECT_TABLE || !t->rows->rowid ||
		t->object->column_count >=
			sqlite3_limit(ts_db_handle(rd->db[t->source]), SQLITE_LIMIT_COLUMN, -1))
		return TS_OK; /* as many columns as a statement may have: none is left for the row id */
	ends.rows = t->rows;
	code = ts_reach_rowids(&ends, rd->db[t->source], err);
	t->has_rowid = ends.has_rowid;
	t->first = ends.first_rowid;
	if (t->has_rowid)
		t->estimate = ts_reach_span(&ends);
	return code;
}

enum ts_code
ts_browse_tables(struct ts_browse_list *list, struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_report *r = rd->report;
	enum ts_code code = TS_OK;
	size_t count = 0;

	*list = (struct ts_browse_list){0};
	for (int i = 0; i < TS_SOURCES; i++)
		count += r->schema[i] ? (size_t)r->schema[i]->count : 0;
	list->table = ts_alloc(count, sizeof(*list->table));
	if (!list->table)
		return ts_err_nomem(err);
	for (int i = 0; !code && i < TS_SOURCES; i++)
		for (int k = 0; !code && r->schema[i] && k < r->schema[i]->count; k++) {
			struct ts_browse_table *t = &list->table[list->count++];

			t->source = i;
			t->object = &r->schema[i]->object[k];
			code = look_at(t, r->schema[i], rd, err);
		}
	return code;
}

void
ts_browse_list_fini(struct ts_browse_list *list)
{
	free(list->table);
	*list = (struct ts_browse_list){0};
}

/* --- orders -------------------------------------------------------------------------------------- */

static enum ts_code
order_add(struct ts_browse_order *o, int64_t rowid, struct ts_err *err)
{
	if (o->count++ % o->stride != 0)
		return TS_OK;
	if (!ts_room((void **)&o->rowid, &o->room, o->n, sizeof(*o->rowid)))
		return ts_err_nomem(err);
	o->rowid[o->n++] = rowid;
	return TS_OK;
}

static void
add_order_by(struct ts_strbuf *sql, const struct ts_browse_table *t,
	const struct ts_browse_wish *wish)
{
	if (wish->sort < 0 && !t->has_rowid)
		return;
	ts_strbuf_puts(sql, " ORDER BY ");
	if (wish->sort >= 0) {
		browse_column(sql, t, wish->sort);
		ts_strbuf_puts(sql, wish->descending ? " DESC" : "");
		ts_strbuf_puts(sql, t->has_rowid ? ", " : "");
	}
	if (t->has_rowid)
		ts_strbuf_puts(sql, t->rows->rowid);
}

static enum ts_code
run_order(struct ts_browse_order *o, struct ts_db *db, sqlite3_stmt *stmt, int64_t limit,
	struct ts_progress *progress, int64_t rows, struct ts_err *err)
{
	enum ts_code code;
	bool row;

	while (!(code = ts_db_step(db, stmt, &row, err)) && row) {
		if (limit > 0 && o->count == limit) {
			o->cut = true;
			break;
		}
		code = order_add(o, sqlite3_column_int64(stmt, 0), err);
		if (code)
			break;
		if (o->count % PROGRESS_ROWS == 0)
			ts_progress_set(progress, ts_db_scanned(stmt), rows);
	}
	return code;
}

enum ts_code
ts_browse_order_make(struct ts_browse_order **out, struct ts_reader *rd,
	const struct ts_browse_table *t, const struct ts_browse_wish *wish, int64_t limit,
	struct ts_progress *progress, struct ts_err *err)
{
	bool plain = !wish->filter[0] && wish->sort < 0;
	struct ts_db *db = rd->db[t->source];
	struct ts_browse_order *o;
	struct browse_filter f;
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code = browse_filter_parse(&f, t, wish->filter, err);

	*out = NULL;
	if (code)
		return code;
	o = ts_alloc(1, sizeof(*o));
	if (!o)
		return ts_err_nomem(err);
	atomic_init(&o->uses, 1);
	o->stride = plain ? STRIDE : 1;
	limit = plain ? 0 : limit ? limit : TS_BROWSE_LISTED;
	ts_strbuf_init(&sql, SQL_MAX);
	ts_strbuf_printf(&sql, "SELECT %s FROM main.", t->rows->rowid);
	ts_sql_quote(&sql, t->rows->name);
	browse_filter_sql(&sql, &f, t);
	add_order_by(&sql, t, wish);
	if (limit > 0)
		ts_strbuf_printf(&sql, " LIMIT %lld", (long long)limit + 1);
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (!code) {
		browse_filter_bind(stmt, &f);
		ts_db_watch(db, stmt, progress, t->estimate);
		code = run_order(o, db, stmt, limit, progress, t->estimate, err);
		ts_db_watch(db, NULL, NULL, 0);
		ts_db_release(db, stmt);
	}
	if (code && code != TS_E_DAMAGED)
		ts_browse_order_release(o);
	else
		*out = o;
	return code;
}

struct ts_browse_order *
ts_browse_order_hold(struct ts_browse_order *o)
{
	if (o)
		atomic_fetch_add(&o->uses, 1);
	return o;
}

void
ts_browse_order_release(struct ts_browse_order *o)
{
	if (!o || atomic_fetch_sub(&o->uses, 1) > 1)
		return;
	free(o->rowid);
	free(o);
}

/* --- rows ---------------------------------------------------------------------------------------- */

struct reading {
	struct ts_browse_window *w;
	const struct ts_browse_table *t;
	struct ts_db *db;
	sqlite3_stmt *stmt;
	struct ts_sql_value *values;
	bool *by_tile;
	int64_t rowid; /* of the last row */
};

static void
add_columns(struct ts_strbuf *sql, const struct ts_browse_table *t)
{
	ts_strbuf_printf(sql, "SELECT %s", t->has_rowid ? t->rows->rowid : "");
	for (int i = 0; i < t->object->column_count; i++) {
		ts_strbuf_puts(sql, i > 0 || t->has_rowid ? ", " : "");
		browse_column(sql, t, i);
	}
	ts_strbuf_puts(sql, " FROM main.");
	ts_sql_quote(sql, t->rows->name);
}

/* The next row into the window; *more false at the end, or when there is no room. */
static enum ts_code
take_row(struct reading *r, bool *more, struct ts_err *err)
{
	enum ts_code code = ts_db_step(r->db, r->stmt, more, err);

	if (code || !*more)
		return code;
	r->rowid = r->t->has_rowid ? sqlite3_column_int64(r->stmt, 0) : 0;
	for (int i = 0; i < r->w->block.columns; i++)
		ts_sql_value_of(&r->values[i], r->stmt, i + r->t->has_rowid);
	*more = ts_row_block_add(&r->w->block, r->values, r->by_tile);
	return r->w->block.nomem ? ts_err_nomem(err) : TS_OK;
}

/* [from, to) of a table whose row ids are believed to follow each other. */
static enum ts_code
read_dense(struct reading *r, int64_t from, int64_t to, struct ts_err *err)
{
	int64_t first = r->t->first + from;
	enum ts_code code = TS_OK;
	bool more = true;

	to = ts_min_i64(to, r->t->estimate);
	sqlite3_bind_int64(r->stmt, 1, first);
	sqlite3_bind_int64(r->stmt, 2, to - from);
	for (int64_t i = 0; !code && more && i < to - from; i++) {
		code = take_row(r, &more, err);
		r->w->gap |= !code && more && r->rowid != first + i;
	}
	r->w->ended = !code && !more && !r->w->gap;
	return code;
}

/* Behind an anchor: `skip` rows, then those that are wanted. */
static enum ts_code
read_anchored(struct reading *r, const struct ts_browse_order *o, int64_t from, int64_t to,
	struct ts_err *err)
{
	int64_t anchor = from / o->stride, skip = from % o->stride;
	enum ts_code code = TS_OK;
	bool more = anchor < (int64_t)o->n;

	if (!more)
		return TS_OK;
	sqlite3_bind_int64(r->stmt, 1, o->rowid[anchor]);
	sqlite3_bind_int64(r->stmt, 2, skip + to - from);
	for (; !code && more && skip > 0; skip--)
		code = ts_db_step(r->db, r->stmt, &more, err);
	for (int64_t i = from; !code && more && i < to; i++)
		code = take_row(r, &more, err);
	return code;
}

/* Row by row, as the order says. */
static enum ts_code
read_listed(struct reading *r, const struct ts_browse_order *o, int64_t from, int64_t to,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;
	bool more = true;

	for (int64_t i = from; !code && more && i < to && i < (int64_t)o->n; i++) {
		sqlite3_bind_int64(r->stmt, 1, o->rowid[i]);
		sqlite3_bind_int64(r->stmt, 2, 1);
		code = take_row(r, &more, err);
		sqlite3_reset(r->stmt);
	}
	return code;
}

static enum ts_code
read_forwards(struct reading *r, int64_t from, int64_t to, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	bool more = true;
	int64_t i;

	sqlite3_bind_int64(r->stmt, 1, from);
	sqlite3_bind_int64(r->stmt, 2, to - from);
	for (i = from; !code && more && i < to; i++)
		code = take_row(r, &more, err);
	r->w->ended = !code && !more && r->w->block.rows < to - from;
	return code;
}

static enum ts_code
prepare(struct reading *r, const struct ts_browse_wish *wish, struct ts_progress *progress,
	struct ts_err *err)
{
	struct browse_filter f;
	struct ts_strbuf sql;
	enum ts_code code = browse_filter_parse(&f, r->t, wish->filter, err);

	if (code)
		return code;
	ts_strbuf_init(&sql, SQL_MAX);
	add_columns(&sql, r->t);
	if (r->t->has_rowid) {
		ts_strbuf_printf(&sql, " WHERE %s >= ?1 ORDER BY %s LIMIT ?2", r->t->rows->rowid,
			r->t->rows->rowid);
	} else {
		browse_filter_sql(&sql, &f, r->t);
		add_order_by(&sql, r->t, wish);
		ts_strbuf_puts(&sql, " LIMIT ?2 OFFSET ?1");
	}
	code = ts_db_prepare_sql(r->db, &r->stmt, &sql, err);
	if (!code && !r->t->has_rowid)
		browse_filter_bind(r->stmt, &f);
	if (!code)
		ts_db_watch(r->db, r->stmt, progress, 0);
	return code;
}

enum ts_code
ts_browse_read(struct ts_browse_window *w, struct ts_reader *rd, const struct ts_browse_table *t,
	const struct ts_browse_wish *wish, const struct ts_browse_order *order, int64_t from,
	int64_t to, struct ts_progress *progress, struct ts_err *err)
{
	struct reading r = {.w = w, .t = t, .db = rd->db[t->source]};
	size_t columns = (size_t)t->object->column_count;
	enum ts_code code = TS_OK;

	*w = (struct ts_browse_window){0};
	ts_row_block_init(&w->block, t->object->column_count);
	if (t->problem[0])
		return ts_err_set(err, TS_E_DAMAGED, "%s", t->problem);
	r.values = ts_alloc(columns, sizeof(*r.values));
	r.by_tile = ts_alloc(columns, sizeof(*r.by_tile));
	if (!r.values || !r.by_tile)
		code = ts_err_nomem(err);
	for (size_t i = 0; !code && i < columns; i++)
		r.by_tile[i] = ts_is_by_tile(t->object->column[i].name);
	if (!code)
		code = prepare(&r, wish, progress, err);
	if (!code) {
		code = !t->has_rowid	    ? read_forwards(&r, from, to, err)
			: !order	    ? read_dense(&r, from, to, err)
			: order->stride > 1 ? read_anchored(&r, order, from, to, err)
					    : read_listed(&r, order, from, to, err);
		ts_db_watch(r.db, NULL, NULL, 0);
	}
	ts_db_release(r.db, r.stmt);
	w->damaged = code == TS_E_DAMAGED;
	free(r.values);
	free(r.by_tile);
	return code;
}

void
ts_browse_window_fini(struct ts_browse_window *w)
{
	ts_row_block_fini(&w->block);
}
