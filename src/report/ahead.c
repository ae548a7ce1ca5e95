/* SPDX-License-Identifier: MIT */
/*
 * ahead - what opening a report looks at, asked for before it does so one by one (db/plan.h).
 *
 * A schema map is fitted to a file by rows here and there in its tables: at both ends, at evenly spaced row ids, in windows.
 * All of that is known as soon as the ends of the tables are, and roughly as soon as their roots are. What is asked for here
 * and not looked at, or the other way round, costs time and nothing else.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/plan.h"

#include "binding_internal.h"
#include "report_internal.h"

enum {
	TABLES = 64,	   /* more are not planned */
	FIRST_ROWS = 256,  /* that the types of columns are looked for in */
	SMALL_PAGES = 192, /* of a table that is looked at whole */
	POINTS = TS_REACH_PROBES + TS_SAMPLE_WINDOWS + 4,
	LEVELS = 12, /* that are waited for, at most */
	SQL_MAX = 1 << 16,
};

enum ts_code
ts_reach_ahead(const struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	struct ts_plan_rows rows[TS_REACH_PROBES + 1];
	size_t n = 0;

	if (!ts_plan_helps(db))
		return TS_OK;
	for (int i = 0; i <= TS_REACH_PROBES; i++) {
		int64_t at = ts_reach_probe_row(r, i);

		if (at <= r->last_rowid)
			rows[n++] = (struct ts_plan_rows){r->rows, at, at, 0, false, 0};
	}
	return ts_plan_fetch(db, rows, n, err);
}

enum ts_code
ts_reach_all_ahead(const struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	const struct ts_plan_rows all = {.o = r->rows,
		.from = INT64_MIN,
		.to = INT64_MAX,
		.most = TS_PASS_PAGES};

	return ts_plan_fetch(db, &all, 1, err);
}

enum ts_code
ts_reach_index(uint32_t *root, const struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	struct ts_strbuf sql;
	enum ts_code code;

	*root = 0;
	if (r->key != TS_REACH_INDEX || r->column < 0)
		return TS_OK;
	ts_strbuf_init(&sql, SQL_MAX);
	ts_sql_select(&sql, r->rows, &r->column, 1);
	ts_strbuf_puts(&sql, " WHERE ");
	ts_sql_quote(&sql, r->rows->column[r->column].name);
	ts_strbuf_puts(&sql, " = ?1");
	code = sql.nomem ? ts_err_nomem(err) : ts_plan_index(root, db, sql.s, err);
	ts_strbuf_fini(&sql);
	return code;
}

enum ts_code
ts_reach_keys_ahead(const struct ts_reach *r, struct ts_db *db, const int64_t *key, size_t n,
	bool whole, struct ts_err *err)
{
	bool evenly = r->key == TS_REACH_MONOTONE;
	struct ts_plan_rows *rows;
	uint32_t index;
	enum ts_code code;

	if (!ts_plan_helps(db) || n == 0 || r->key == TS_REACH_NONE)
		return TS_OK;
	code = ts_reach_index(&index, r, db, err);
	if (code || (r->key == TS_REACH_INDEX && index == 0))
		return code;
	rows = ts_alloc(n, sizeof(*rows));
	if (!rows)
		return ts_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct ts_plan_rows){r->rows, key[i], key[i], 0, whole && !evenly,
			index};
	/* keys that go evenly with row ids are near where they would be if they were these */
	for (size_t i = 0; i < n && evenly; i++) {
		rows[i].from = ts_clamp_i64(key[i], r->first_rowid, r->last_rowid);
		rows[i].to = ts_min_i64(rows[i].from, INT64_MAX - 1) + 1;
	}
	code = ts_plan_fetch(db, rows, n, err);
	for (size_t i = 0; i < n && whole && evenly && !code; i++) {
		code = ts_reach_bisect(&rows[i].from, r, db, key[i], err);
		rows[i].to = rows[i].from;
		rows[i].whole = true;
	}
	if (!code && whole && evenly)
		code = ts_plan_fetch(db, rows, n, err);
	free(rows);
	return code;
}

/* What will be looked at in a table that is not small. */
static size_t
add_points(struct ts_plan_rows *rows, const struct ts_reach *r, bool windows)
{
	size_t n = 0;

	for (int i = 0; i <= TS_REACH_PROBES; i++) {
		int64_t at = ts_reach_probe_row(r, i);

		if (at <= r->last_rowid)
			rows[n++] = (struct ts_plan_rows){r->rows, at, at, 0, false, 0};
	}
	for (int i = 0; windows && i < TS_SAMPLE_WINDOWS; i++) {
		int64_t first, last;

		ts_sample_window(&first, &last, r, i, TS_SAMPLE_WINDOW_ROWS);
		if (first <= last)
			rows[n++] = (struct ts_plan_rows){r->rows, first, last, 0, false, 0};
	}
	return n;
}

static bool
is_object_of(const struct ts_map *map, enum ts_relation relation, const struct ts_object *o)
{
	const struct ts_map_relation *m = &map->relation[relation];

	for (int i = 0; i < m->object_count; i++)
		if (sqlite3_stricmp(m->object[i], o->name) == 0)
			return true;
	return map->identity_object &&
		sqlite3_stricmp(ts_relation_def(relation)->name, o->name) == 0;
}

/* The ends of a table, and what is between them as far as they are known. */
static size_t
add_table(struct ts_plan_rows *rows, const struct ts_object *o, const struct ts_map *map,
	struct ts_db *db)
{
	struct ts_reach r = {.rows = o, .column = -1, .has_rowid = true};
	size_t n = 0;

	rows[n++] = (struct ts_plan_rows){o, INT64_MIN, FIRST_ROWS, SMALL_PAGES, false, 0};
	rows[n++] = (struct ts_plan_rows){o, INT64_MAX, INT64_MAX, 0, false, 0};
	if (!ts_plan_ends(&r.first_rowid, &r.last_rowid, db, o))
		return n;
	if (ts_reach_span(&r) <= TS_SAMPLE_WHOLE)
		rows[n++] = (struct ts_plan_rows){o, INT64_MIN, INT64_MAX, SMALL_PAGES, false, 0};
	else if (o->rowid_alias < 0 || is_object_of(map, TS_STEP_IPU, o))
		n += add_points(rows + n, &r, is_object_of(map, TS_STEP_IPU, o));
	return n;
}

/* Where rows between the ends stand is named anew for each level: every one tells the ends better, and the last one exactly. */
enum ts_code
ts_report_ahead(const struct ts_schema *s, const struct ts_map *map, struct ts_db *db,
	struct ts_err *err)
{
	struct ts_plan_rows *rows;
	const struct ts_object *table[TABLES];
	enum ts_code code = TS_OK;
	size_t tables = 0;
	bool whole = false;

	for (int i = 0; i < s->count && tables < TABLES; i++)
		if (s->object[i].root > 0)
			table[tables++] = &s->object[i];
	if (!ts_plan_helps(db) || !map || tables == 0)
		return TS_OK;
	rows = ts_alloc(tables * POINTS, sizeof(*rows));
	if (!rows)
		return ts_err_nomem(err);
	for (int level = 0; level < LEVELS && !whole && !code; level++) {
		size_t n = 0;

		for (size_t i = 0; i < tables; i++)
			n += add_table(rows + n, table[i], map, db);
		code = ts_plan_level(&whole, db, rows, n, err);
	}
	free(rows);
	return code;
}
