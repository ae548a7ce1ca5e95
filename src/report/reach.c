/* SPDX-License-Identifier: MIT */
/*
 * reach - how rows are reached by a key: row id, index, or bisection of row ids where the key never falls
 * along them (looked at whole in small tables, at a few dozen rows in large ones).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/damage.h"
#include "tilescope/db/plan.h"
#include "tilescope/db/table.h"

#include "binding_internal.h"

enum {
	PROBE_ROWS = 1024,
	PROBE_GAPS = 16,
	FEW_ROWS = 2048,
	HALVINGS = 4, /* of a bisection that are planned together */
};

static const char *const key_names[] = {
	[TS_REACH_NONE] = "forwards only",
	[TS_REACH_ROWID] = "row id",
	[TS_REACH_INDEX] = "index",
	[TS_REACH_MONOTONE] = "bisection",
};

const char *
ts_reach_name(enum ts_reach_kind key)
{
	return key_names[key];
}

static void
quoted_column(struct ts_strbuf *sql, const struct ts_reach *r)
{
	if (r->column < 0)
		ts_strbuf_puts(sql, r->rows->rowid);
	else
		ts_sql_quote(sql, r->rows->column[r->column].name);
}

/* Two sub-selects, for min and max in one statement make SQLite scan the table. */
enum ts_code
ts_reach_rowids(struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	static const char *const ends[] = {"min", "max"};
	int64_t *to[] = {&r->first_rowid, &r->last_rowid};

	r->has_rowid = r->rows->rowid != NULL;
	r->first_rowid = 0;
	r->last_rowid = -1;
	r->cut = false;
	for (size_t i = 0; r->has_rowid && i < TS_COUNT(ends); i++) {
		struct ts_strbuf sql;
		enum ts_code code;
		bool found;

		ts_strbuf_init(&sql, 1 << 16);
		ts_strbuf_printf(&sql, "SELECT %s(%s) FROM main.", ends[i], r->rows->rowid);
		ts_sql_quote(&sql, r->rows->name);
		code = sql.nomem ? ts_err_nomem(err) : ts_db_int(db, to[i], &found, sql.s, err);
		ts_strbuf_fini(&sql);
		if (code == TS_E_DAMAGED) {
			enum ts_code tree = ts_table_end(to[i], &found, i > 0, db, r->rows, err);

			if (tree || found)
				code = tree;
			r->cut |= !tree && found;
		}
		if (ts_is_fatal(code))
			return code;
		if (code || !found) { /* empty, or damaged beyond telling */
			r->has_rowid = !code;
			r->first_rowid = 0;
			r->last_rowid = -1;
			break;
		}
	}
	return TS_OK;
}

static bool
whole_real(int64_t *v, double d)
{
	const double most = 9007199254740992.0;

	if (!(d >= -most && d <= most) || d != floor(d))
		return false;
	*v = (int64_t)d;
	return true;
}

/* Is the column a whole number? Reals that are one count, as they do for ts_rows_number(). */
static bool
whole_number(int64_t *v, sqlite3_stmt *stmt, int i)
{
	if (sqlite3_column_type(stmt, i) == SQLITE_FLOAT)
		return whole_real(v, sqlite3_column_double(stmt, i));
	if (sqlite3_column_type(stmt, i) != SQLITE_INTEGER)
		return false;
	*v = sqlite3_column_int64(stmt, i);
	return true;
}

/* The same of a row that is read from pages. */
static bool
whole_value(int64_t *v, const struct ts_table_value *value)
{
	int type = ts_table_type(value);

	if (type == SQLITE_FLOAT)
		return whole_real(v, ts_table_double(value));
	if (type != SQLITE_INTEGER)
		return false;
	*v = ts_table_int(value);
	return true;
}

/* Looks at keys here and there. */
struct prober {
	const struct ts_reach *r;
	struct ts_db *db;
	struct ts_table *table; /* its rows with the key alone, or NULL: SQLite has to be asked */
};

static enum ts_code
prober_init(struct prober *p, const struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	*p = (struct prober){r, db, NULL};
	return ts_table_open(&p->table, db, r->rows, &r->column, 1, err);
}

static void
prober_fini(struct prober *p)
{
	ts_table_close(p->table);
}

enum probed {
	KEY_FOUND,
	KEY_BEHIND,   /* found behind damaged rows */
	KEY_DAMAGED,  /* as far as can be seen there are damaged rows */
	KEY_NOT_NEAR, /* PROBE_ROWS have none */
	KEY_NONE,     /* up to the end */
};

/* probe() by pages; *known false: they do not tell. */
static enum ts_code
probe_pages(bool *known, enum probed *what, const struct prober *p, int64_t *rowid, int64_t *key,
	struct ts_err *err)
{
	enum ts_table_at at = TS_TABLE_ROW;
	enum ts_code code = TS_OK;
	int looked_at = 0;

	*what = KEY_NONE;
	ts_table_seek(p->table, *rowid);
	while (*what == KEY_NONE && !(code = ts_table_next(&at, p->table, err)) &&
		at == TS_TABLE_ROW)
		if (whole_value(key, &p->table->value[0])) {
			*rowid = p->table->rowid;
			*what = KEY_FOUND;
		} else if (++looked_at == PROBE_ROWS) {
			*what = KEY_NOT_NEAR;
		}
	*known = *what != KEY_NONE || at == TS_TABLE_END;
	return code;
}

static enum ts_code
probe_sqlite(enum probed *what, const struct prober *p, int64_t *rowid, int64_t *key,
	struct ts_err *err)
{
	const struct ts_reach *r = p->r;
	bool there = false;
	int looked_at = 0;
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	const char *word = r->rows->rowid;

	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "SELECT %s, ", word);
	quoted_column(&sql, r);
	ts_strbuf_puts(&sql, " FROM main.");
	ts_sql_quote(&sql, r->rows->name);
	if (r->rows->kind == TS_OBJECT_TABLE)
		ts_strbuf_puts(&sql, " NOT INDEXED");
	ts_strbuf_printf(&sql, " WHERE %s >= ?1 ORDER BY %s", word, word);
	code = ts_db_prepare_sql(p->db, &stmt, &sql, err);
	if (code)
		return code;
	sqlite3_bind_int64(stmt, 1, *rowid);
	*what = KEY_NONE;
	while (*what == KEY_NONE && !(code = ts_db_step(p->db, stmt, &there, err)) && there)
		if (whole_number(key, stmt, 1)) {
			*rowid = sqlite3_column_int64(stmt, 0);
			*what = KEY_FOUND;
		} else if (++looked_at == PROBE_ROWS) {
			*what = KEY_NOT_NEAR;
		}
	ts_db_release(p->db, stmt);
	return code;
}

static enum ts_code
probe_once(enum probed *what, const struct prober *p, int64_t *rowid, int64_t *key,
	struct ts_err *err)
{
	bool known = false;
	enum ts_code code = TS_OK;

	if (p->table)
		code = probe_pages(&known, what, p, rowid, key, err);
	return code || known ? code : probe_sqlite(what, p, rowid, key, err);
}

/* The first row at or behind `rowid` whose key is a whole number: its row id and key. */
static enum ts_code
probe(enum probed *what, const struct prober *p, int64_t *rowid, int64_t *key, struct ts_err *err)
{
	enum ts_code code = probe_once(what, p, rowid, key, err);
	int64_t at = *rowid;

	for (int turn = 0; code == TS_E_DAMAGED && turn < PROBE_GAPS; turn++) {
		enum ts_path path;
		struct ts_gap gap;

		*what = KEY_DAMAGED;
		code = ts_path_find(&path, &gap, p->db, p->r->rows, at, err);
		if (code)
			return code;
		if (path == TS_PATH_UNKNOWN)
			return TS_E_DAMAGED;
		if (path != TS_PATH_GAP || gap.to == INT64_MAX)
			return TS_OK;
		at = gap.to + 1;
		code = probe_once(what, p, &at, key, err);
		if (!code && *what == KEY_FOUND) {
			*what = KEY_BEHIND;
			*rowid = at;
		}
	}
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* Of a report on another host: have the rows here at which the next HALVINGS of a bisection look. */
static enum ts_code
halvings_ahead(const struct prober *p, int64_t low, int64_t high, struct ts_err *err)
{
	struct ts_plan_rows rows[1 << HALVINGS];
	uint64_t stride = ((uint64_t)high - (uint64_t)low) >> HALVINGS;
	size_t n = 0;

	if (!ts_plan_helps(p->db))
		return TS_OK;
	for (uint64_t i = 1; i < 1 << HALVINGS; i++) {
		int64_t at = (int64_t)((uint64_t)low + i * stride);

		rows[n++] = (struct ts_plan_rows){.o = p->r->rows, .from = at, .to = at};
	}
	return ts_plan_fetch(p->db, rows, n, err);
}

static enum ts_code
bisect(int64_t *rowid, const struct prober *p, int64_t value, struct ts_err *err)
{
	int64_t low = p->r->first_rowid, high = p->r->last_rowid; /* it is *rowid or lies there */

	*rowid = high == INT64_MAX ? high : high + 1;
	for (int turn = 0; low <= high; turn++) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
		int64_t at = middle, key = 0;
		enum probed what;
		enum ts_code code = turn % HALVINGS == 0 ? halvings_ahead(p, low, high, err)
							 : TS_OK;

		if (!code)
			code = probe(&what, p, &at, &key, err);
		if (code)
			return code;
		at = ts_max_i64(at, middle); /* where row ids do not rise it may be anywhere */
		if (what <= KEY_BEHIND && at <= high && key < value) {
			if (at == high)
				break;
			low = at + 1;
			continue;
		}
		if (what == KEY_BEHIND && at <= high)
			*rowid = middle; /* who knows what the damaged rows had */
		else if (what != KEY_NONE && at <= high)
			*rowid = at; /* without a key: `middle` */
		if (middle == low)
			break;
		high = middle - 1;
	}
	return TS_OK;
}

/*
 * Numbers that are given one after the other, as those of names are, stand as far from each other as their
 * row ids: two or three looks instead of twenty. *sure: *rowid has the value and the row before it a smaller
 * one; else, and where something cannot be read, nothing is known.
 */
static enum ts_code
guess(int64_t *rowid, bool *sure, const struct prober *p, int64_t value, struct ts_err *err)
{
	int64_t first = p->r->first_rowid, last = p->r->last_rowid;
	int64_t at = ts_clamp_i64(value, first, last), key = 0;
	enum probed what = KEY_NONE;
	enum ts_code code = TS_OK;

	*sure = false;
	for (int turn = 0; turn < 2; turn++) {
		int64_t asked = at, off;

		code = probe(&what, p, &at, &key, err);
		if (code || what != KEY_FOUND || at != asked || key == value)
			break;
		if (turn > 0 || __builtin_sub_overflow(value, key, &off) ||
			__builtin_add_overflow(at, off, &at) || at < first || at > last)
			return TS_OK;
	}
	*rowid = at;
	*sure = !code && what == KEY_FOUND && key == value && at == first;
	if (!code && what == KEY_FOUND && key == value && at > first) {
		int64_t before = at - 1;

		code = probe(&what, p, &before, &key, err);
		*sure = !code && what == KEY_FOUND && before == at - 1 && key < value;
	}
	return code == TS_E_DAMAGED ? TS_OK : code;
}

enum ts_code
ts_reach_bisect(int64_t *rowid, const struct ts_reach *r, struct ts_db *db, int64_t value,
	struct ts_err *err)
{
	struct prober p;
	enum ts_code code = prober_init(&p, r, db, err);
	bool sure = false;

	if (!code && r->first_rowid <= r->last_rowid)
		code = guess(rowid, &sure, &p, value, err);
	if (!code && !sure)
		code = bisect(rowid, &p, value, err);
	prober_fini(&p);
	return code;
}

uint64_t
ts_steady_stride(uint64_t stride)
{
	int less = 0;

	while (stride >> less >= 128)
		less++;
	return stride >> less << less;
}

static uint64_t
probe_stride(const struct ts_reach *r)
{
	uint64_t span = (uint64_t)r->last_rowid - (uint64_t)r->first_rowid;
	uint64_t stride = ts_steady_stride(span / TS_REACH_PROBES);

	return stride ? stride : 1;
}

int64_t
ts_reach_probe_row(const struct ts_reach *r, int i)
{
	/* i strides are at most the span */
	return (int64_t)((uint64_t)r->first_rowid + (uint64_t)i * probe_stride(r));
}

/* Small tables are looked at whole; of large ones a few dozen rows. */
static enum ts_code
is_monotone(bool *yes, const struct prober *p, struct ts_err *err)
{
	const struct ts_reach *r = p->r;
	uint64_t stride = probe_stride(r);
	int64_t last = INT64_MIN, rowid = r->first_rowid;
	enum ts_code ahead = ts_reach_ahead(r, p->db, err);

	if (ahead)
		return ahead;
	*yes = true;
	while (*yes && rowid <= r->last_rowid) {
		int64_t key = 0;
		enum probed what;
		enum ts_code code = probe(&what, p, &rowid, &key, err);

		if (ts_is_fatal(code))
			return code;
		if (code || what == KEY_NOT_NEAR) {
			*yes = false;
			return TS_OK;
		}
		if (what == KEY_NONE || what == KEY_DAMAGED)
			break;
		*yes = key >= last;
		last = key;
		if (rowid >= r->last_rowid)
			break;
		rowid = (uint64_t)r->last_rowid - (uint64_t)rowid < stride
			? r->last_rowid
			: rowid + (int64_t)stride;
	}
	return TS_OK;
}

/* Every row of a small table, in order, by pages; *known false: they do not tell. */
static enum ts_code
is_monotone_pages(bool *known, bool *yes, const struct prober *p, struct ts_err *err)
{
	enum ts_table_at at;
	enum ts_code code;
	int64_t key, last = INT64_MIN;

	*yes = true;
	ts_table_seek(p->table, INT64_MIN);
	while (*yes && !(code = ts_table_next(&at, p->table, err)) && at == TS_TABLE_ROW)
		if (whole_value(&key, &p->table->value[0])) {
			*yes = key >= last;
			last = key;
		}
	*known = !code && at != TS_TABLE_UNKNOWN;
	return code;
}

/* Every row of a small table, in order; *damaged: not all of them could be read. */
static enum ts_code
is_monotone_whole(bool *yes, bool *damaged, const struct prober *p, struct ts_err *err)
{
	const struct ts_reach *r = p->r;
	struct ts_db *db = p->db;
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;
	int64_t key, last = INT64_MIN;

	if (p->table) {
		code = is_monotone_pages(&row, yes, p, err);
		if (ts_is_fatal(code) || (!code && row))
			return code;
	}
	*yes = true;
	ts_strbuf_init(&sql, 1 << 16);
	ts_sql_select(&sql, r->rows, &r->column, 1);
	ts_strbuf_printf(&sql, " NOT INDEXED ORDER BY %s", r->rows->rowid);
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return code;
	while (*yes && !(code = ts_db_step(db, stmt, &row, err)) && row)
		if (whole_number(&key, stmt, 0)) {
			*yes = key >= last;
			last = key;
		}
	ts_db_release(db, stmt);
	if (code && !ts_is_fatal(code)) {
		*damaged = code == TS_E_DAMAGED && *yes;
		*yes = false;
		code = TS_OK;
	}
	return code;
}

/* Fill in how rows are reached by r->column (r->rows and r->column are set). */
enum ts_code
ts_reach_find(struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	enum ts_code code = ts_reach_rowids(r, db, err);
	bool monotone = false, damaged = false;

	r->key = TS_REACH_NONE;
	if (code || r->column < 0)
		return code;
	if (r->rows->rowid_alias == r->column) {
		r->key = TS_REACH_ROWID;
	} else if (r->rows->column[r->column].index_first) {
		r->key = TS_REACH_INDEX;
	} else if (r->has_rowid && r->first_rowid <= r->last_rowid) {
		struct prober p;

		code = prober_init(&p, r, db, err);
		if (!code && ts_reach_span(r) <= TS_SAMPLE_WHOLE)
			code = is_monotone_whole(&monotone, &damaged, &p, err);
		if (!code && (damaged || ts_reach_span(r) > TS_SAMPLE_WHOLE))
			code = is_monotone(&monotone, &p, err);
		prober_fini(&p);
		if (monotone)
			r->key = TS_REACH_MONOTONE;
	}
	return code;
}

/* Is a number of `column` below one before it, in the first rows as they lie? */
static enum ts_code
falls(bool *yes, const struct ts_object *o, int column, struct ts_db *db, struct ts_err *err)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;
	int64_t key, last = INT64_MIN;

	*yes = false;
	ts_strbuf_init(&sql, 1 << 16);
	ts_sql_select(&sql, o, &column, 1);
	if (o->kind == TS_OBJECT_TABLE)
		ts_strbuf_puts(&sql, " NOT INDEXED");
	if (o->rowid)
		ts_strbuf_printf(&sql, " ORDER BY %s", o->rowid);
	ts_strbuf_printf(&sql, " LIMIT %d", TS_SAMPLE_WHOLE);
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return code;
	while (!*yes && !(code = ts_db_step(db, stmt, &row, err)) && row)
		if (whole_number(&key, stmt, 0)) {
			*yes = key < last;
			last = key;
		}
	ts_db_release(db, stmt);
	return code;
}

enum ts_code
ts_reach_gather(struct ts_reach *r, int column, struct ts_db *db, struct ts_err *err)
{
	const struct ts_reach by = {r->rows, column, .has_rowid = r->has_rowid,
		.first_rowid = r->first_rowid, .last_rowid = r->last_rowid};
	struct prober p;
	bool apart, rise = true;
	enum ts_code code;

	if (r->rows->rowid_alias == column)
		return TS_OK;
	code = falls(&apart, r->rows, column, db, err);
	if (!code && !apart && ts_reach_span(r) > TS_SAMPLE_WHOLE) {
		code = prober_init(&p, &by, db, err);
		if (!code)
			code = is_monotone(&rise, &p, err);
		prober_fini(&p);
	}
	if (ts_is_fatal(code) || (!apart && rise))
		return ts_is_fatal(code) ? code : TS_OK;
	r->gather = true;
	r->gather_by = column;
	r->has_rowid = false;
	if (r->key == TS_REACH_MONOTONE)
		r->key = TS_REACH_NONE;
	return TS_OK;
}

enum ts_code
ts_reach_count_few(struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	struct ts_strbuf sql;
	int64_t rows = 0;
	bool found = false;
	enum ts_code code;

	r->few = false;
	if (r->column < 0)
		return TS_OK;
	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_puts(&sql, "SELECT count(*) FROM (");
	ts_sql_select(&sql, r->rows, &r->column, 1);
	ts_strbuf_printf(&sql, " LIMIT %d)", FEW_ROWS + 1);
	code = sql.nomem ? ts_err_nomem(err) : ts_db_int(db, &rows, &found, sql.s, err);
	ts_strbuf_fini(&sql);
	r->few = !code && found && rows <= FEW_ROWS;
	return ts_is_fatal(code) ? code : TS_OK;
}

bool
ts_reach_can_look_up(const struct ts_reach *r)
{
	if (r->few)
		return true;
	return r->column < 0
		? r->has_rowid
		: r->key != TS_REACH_NONE || (r->has_rowid && ts_reach_span(r) <= TS_SAMPLE_WHOLE);
}

/*
 * The text in column `text` of the row `rowid`, if its key is `value`, by pages; *known false: they do
 * not tell.
 */
static enum ts_code
text_pages(bool *known, struct ts_strbuf *out, bool *found, const struct ts_reach *r,
	struct ts_db *db, int64_t rowid, int64_t value, int text, struct ts_err *err)
{
	struct ts_table *t;
	enum ts_table_at at;
	int64_t key = value;
	enum ts_code code = ts_table_open(&t, db, r->rows, (const int[]){text, r->column}, 2, err);

	*known = false;
	if (code || !t)
		return code;
	code = ts_table_find(&at, t, rowid, err);
	if (!code && at != TS_TABLE_UNKNOWN) {
		bool there = at == TS_TABLE_ROW;

		/* text that reads like the key is for SQLite to compare */
		*known = !there || whole_value(&key, &t->value[1]);
		if (*known && there && key == value && ts_table_type(&t->value[0]) == SQLITE_TEXT) {
			ts_strbuf_add(out, (const char *)t->value[0].bytes,
				ts_table_bytes(&t->value[0]));
			*found = true;
		}
	}
	ts_table_close(t);
	return code;
}

static enum ts_code
text_sqlite(struct ts_strbuf *out, bool *found, const struct ts_reach *r, struct ts_db *db,
	int64_t rowid, int64_t value, int text, struct ts_err *err)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row = false;

	ts_strbuf_init(&sql, 1 << 16);
	ts_sql_select(&sql, r->rows, &text, 1);
	/* a row that is known is in the table, whatever an index says */
	if (r->rows->kind == TS_OBJECT_TABLE && r->key != TS_REACH_INDEX)
		ts_strbuf_puts(&sql, " NOT INDEXED");
	ts_strbuf_puts(&sql, " WHERE ");
	quoted_column(&sql, r);
	ts_strbuf_puts(&sql, " = ?1");
	if (r->key == TS_REACH_MONOTONE)
		ts_strbuf_printf(&sql, " AND %s = ?2", r->rows->rowid);
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return code;
	sqlite3_bind_int64(stmt, 1, value);
	if (r->key == TS_REACH_MONOTONE)
		sqlite3_bind_int64(stmt, 2, rowid);
	code = ts_db_step(db, stmt, &row, err);
	if (!code && row && sqlite3_column_type(stmt, 0) == SQLITE_TEXT) {
		const char *s = (const char *)sqlite3_column_text(stmt, 0);

		ts_strbuf_add(out, s, (size_t)sqlite3_column_bytes(stmt, 0));
		*found = true;
	}
	ts_db_release(db, stmt);
	return code;
}

enum ts_code
ts_reach_text(struct ts_strbuf *out, bool *found, const struct ts_reach *r, struct ts_db *db,
	int64_t value, int text, struct ts_err *err)
{
	bool by_rowid = r->column < 0 || r->key == TS_REACH_ROWID || r->key == TS_REACH_MONOTONE;
	enum ts_code code = TS_OK;
	int64_t rowid = value;
	bool known = false;

	*found = false;
	if (!ts_reach_can_look_up(r))
		return TS_OK;
	if (r->key == TS_REACH_MONOTONE)
		code = ts_reach_bisect(&rowid, r, db, value, err);
	if (!code && by_rowid)
		code = text_pages(&known, out, found, r, db, rowid, value, text, err);
	if (!code && !known)
		code = text_sqlite(out, found, r, db, rowid, value, text, err);
	if (!code && out->nomem)
		code = ts_err_nomem(err);
	return code;
}
