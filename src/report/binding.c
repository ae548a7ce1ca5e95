/* SPDX-License-Identifier: MIT */
/*
 * binding - fit a schema map to a file.
 *
 * Column by column the first candidate whose source columns exist wins; a required column that finds
 * none makes the relation absent, with the reason. Columns that nobody outside Graphcore has seen are
 * found by their values, on a sample: the whole table when it is small, else windows of rows at evenly
 * spaced row ids. A sample may hold broken rows (a report is hostile, or damaged), so nine groups out
 * of ten must fit, not all.
 *
 * The same sampling decides whether the key column never falls along the row id; when it does not,
 * rows are reached by bisecting row ids. That is 0.06 ms for a screen of rows, with no index.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/binding.h"

enum {
	SAMPLE_WHOLE = 16384, /* tables of up to so many row ids are looked at whole */
	SAMPLE_WINDOWS = 24,
	SAMPLE_WINDOW_ROWS = 256,
	SAMPLE_GROUPS = 4, /* a window holds so many steps at least */
	SAMPLE_COLUMNS = 12,
	GROUP_MAX = 4096, /* rows within one step */
	PROBES = 48,
};

/* What is known while one relation is bound. */
struct fit {
	struct ts_binding *b;
	const struct ts_schema *schema;
	struct ts_db *db;
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

bool
ts_binding_has(const struct ts_binding *b, int column)
{
	return b->bound && b->column[column].op != TS_OP_NONE;
}

/* Errors that end everything; all others only mean "this does not fit". */
static bool
fatal(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM;
}

/* --- sampling ------------------------------------------------------------------------------- */

/* Rows of a few integer columns; a value that is no integer in 0..2^31 is -1. */
struct sample {
	int columns; /* the first is the group's */
	size_t rows, cap;
	int64_t *value; /* rows x columns */
};

static void
sample_fini(struct sample *s)
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
sample_add(struct sample *s, sqlite3_stmt *stmt)
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
trim_window(struct sample *s, size_t from, bool at_start, bool at_end)
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

static void
select_columns(struct ts_strbuf *sql, const struct ts_object *o, const int *columns, int count)
{
	ts_strbuf_puts(sql, "SELECT ");
	for (int i = 0; i < count; i++) {
		ts_strbuf_puts(sql, i ? ", " : "");
		ts_sql_quote(sql, o->column[columns[i]].name);
	}
	ts_strbuf_puts(sql, " FROM main.");
	ts_sql_quote(sql, o->name);
}

/* Read up to `limit` rows from `rowid` on (ignored without row ids). */
static enum ts_code
sample_window(struct sample *s, const struct fit *f, const int *columns, int64_t rowid, int limit,
	struct ts_err *err)
{
	const struct ts_object *o = f->b->reach.rows;
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	size_t from = s->rows;
	bool row = false;

	ts_strbuf_init(&sql, 1 << 16);
	select_columns(&sql, o, columns, s->columns);
	if (f->b->reach.has_rowid)
		ts_strbuf_printf(&sql, " WHERE %s >= ?1 ORDER BY %s", o->rowid, o->rowid);
	ts_strbuf_puts(&sql, " LIMIT ?2");
	code = ts_db_prepare(f->db, &stmt, sql.s, err);
	ts_strbuf_fini(&sql);
	if (code)
		return code;
	if (f->b->reach.has_rowid)
		sqlite3_bind_int64(stmt, 1, rowid);
	sqlite3_bind_int(stmt, 2, limit);
	while (!(code = ts_db_step(f->db, stmt, &row, err)) && row)
		if (!sample_add(s, stmt)) {
			code = ts_err_nomem(err);
			break;
		}
	ts_db_release(f->db, stmt);
	if (!code && s->rows > from)
		trim_window(s, from, !f->b->reach.has_rowid || rowid <= f->b->reach.first_rowid,
			(int)(s->rows - from) < limit);
	return code;
}

/* Rows in the first group of the table. */
static int
first_group(const struct sample *s)
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

/*
 * Sample `columns` of f->b->reach.rows, the first being the group's, sorted by it. Damaged pages end a window
 * early and nothing else.
 */
static enum ts_code
sample_take(struct sample *s, const struct fit *f, const int *columns, int count,
	struct ts_err *err)
{
	const struct ts_reach *b = &f->b->reach;
	int64_t span;
	enum ts_code code;
	int rows;

	*s = (struct sample){.columns = count};
	if (b->has_rowid && b->first_rowid > b->last_rowid)
		return TS_OK;
	span = b->has_rowid ? b->last_rowid - b->first_rowid : 0;
	if (!b->has_rowid || span < SAMPLE_WHOLE) {
		code = sample_window(s, f, columns, b->first_rowid, SAMPLE_WHOLE, err);
	} else {
		code = sample_window(s, f, columns, b->first_rowid, SAMPLE_WINDOW_ROWS, err);
		if (!fatal(code) && s->rows == 0) /* one group is larger than the window */
			code = sample_window(s, f, columns, b->first_rowid, GROUP_MAX, err);
		rows = (int)ts_clamp_i64((int64_t)first_group(s) * (SAMPLE_GROUPS + 2),
			SAMPLE_WINDOW_ROWS, (int64_t)GROUP_MAX * 2);
		for (int i = 1; i < SAMPLE_WINDOWS && !fatal(code); i++)
			code = sample_window(s, f, columns,
				b->first_rowid + span / SAMPLE_WINDOWS * i, rows, err);
	}
	if (fatal(code))
		return code;
	if (s->rows)
		qsort(s->value, s->rows, (size_t)count * sizeof(*s->value), compare_group);
	return TS_OK;
}

/* One column of the sample, judged group by group. */
struct verdict {
	int groups;  /* with an integer to group by */
	int exact;   /* values are 0..size-1, each once */
	int apart;   /* values are distinct small integers */
	int largest; /* rows of the largest group, at most GROUP_MAX */
	int common;  /* size that most exact groups have */
};

static void
judge_group(struct verdict *v, const struct sample *s, size_t from, size_t to, int column,
	unsigned char *seen, int *sizes)
{
	size_t size = to - from;
	bool exact = true, apart = true;

	v->groups++;
	if (size > GROUP_MAX)
		return;
	if ((int)size > v->largest)
		v->largest = (int)size;
	memset(seen, 0, GROUP_MAX);
	for (size_t i = from; i < to; i++) {
		int64_t x = s->value[i * (size_t)s->columns + (size_t)column];

		if (x < 0 || x >= GROUP_MAX || seen[x]) {
			apart = exact = false;
			break;
		}
		seen[x] = 1;
		exact &= x < (int64_t)size;
	}
	v->exact += exact;
	v->apart += apart;
	if (exact && ++sizes[size] > sizes[v->common])
		v->common = (int)size;
}

static enum ts_code
judge(struct verdict *v, const struct sample *s, int column, struct ts_err *err)
{
	unsigned char *seen = ts_alloc(GROUP_MAX, 1);
	int *sizes = ts_alloc(GROUP_MAX + 1, sizeof(*sizes));
	size_t n = (size_t)s->columns, to;

	*v = (struct verdict){0};
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
	return seen && sizes ? TS_OK : ts_err_nomem(err);
}

static bool
most(int part, int whole)
{
	return whole > 0 && (int64_t)part * 10 >= (int64_t)whole * 9;
}

/* --- columns -------------------------------------------------------------------------------- */

/* Column `name` of the relation's object as a column of its rows; -1 when there is none. */
static int
source_column(const struct ts_binding *b, const char *name)
{
	int c = ts_object_column(b->object, name);

	if (c < 0 || b->reach.rows == b->object)
		return c;
	return ts_object_column(b->reach.rows, b->object->column[c].origin);
}

static bool
used(const struct ts_binding *b, int column)
{
	for (int i = 0; i < TS_RELATION_COLUMNS; i++)
		if (b->column[i].op != TS_OP_NONE &&
			(b->column[i].a == column || b->column[i].b == column))
			return true;
	return false;
}

/* Is column `c` (named by a candidate) one that tells rows of equal `group` apart? */
static enum ts_code
tells_apart(bool *yes, const struct fit *f, int group, int c, struct ts_err *err)
{
	struct sample s;
	struct verdict v = {0};
	enum ts_code code;

	code = sample_take(&s, f, (const int[]){group, c}, 2, err);
	if (!code)
		code = judge(&v, &s, 1, err);
	sample_fini(&s);
	*yes = v.groups == 0 || v.apart * 2 >= v.groups;
	f->b->group = v.largest;
	return code;
}

static enum ts_code
find_by_values(int *found, const struct fit *f, int group, struct ts_err *err)
{
	int columns[SAMPLE_COLUMNS] = {group}, count = 1;
	struct sample s;
	enum ts_code code;

	*found = -1;
	for (int c = 0; c < f->b->reach.rows->column_count && count < SAMPLE_COLUMNS; c++)
		if (c != group && !used(f->b, c))
			columns[count++] = c;
	code = sample_take(&s, f, columns, count, err);
	for (int i = 1; !code && i < count && *found < 0; i++) {
		struct verdict v;

		code = judge(&v, &s, i, err);
		if (!code && most(v.exact, v.groups)) {
			*found = columns[i];
			f->b->group = v.largest;
		}
	}
	sample_fini(&s);
	return code;
}

static enum ts_code
largest_group(const struct fit *f, int group, struct ts_err *err)
{
	struct sample s;
	struct verdict v = {0};
	enum ts_code code;

	code = sample_take(&s, f, (const int[]){group}, 1, err);
	if (!code)
		code = judge(&v, &s, 0, err);
	sample_fini(&s);
	f->b->group = v.largest;
	return code;
}

/* The kinds of value in a column of `o`, over its first rows: true when all are `type`. */
static bool
all_of_type(struct ts_db *db, const struct ts_object *o, int column, int type)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	bool row, same = true;
	int rows = 0;

	ts_strbuf_init(&sql, 1 << 16);
	select_columns(&sql, o, &column, 1);
	ts_strbuf_puts(&sql, " LIMIT 200");
	if (ts_db_prepare(db, &stmt, sql.s, NULL) == TS_OK) {
		while (same && ts_db_step(db, stmt, &row, NULL) == TS_OK && row) {
			same = sqlite3_column_type(stmt, 0) == type;
			rows++;
		}
		ts_db_release(db, stmt);
	}
	ts_strbuf_fini(&sql);
	return same && rows > 0;
}

/* A column of `o` by name, or by type when the name is "*". */
static int
dict_column(struct ts_db *db, const struct ts_object *o, const char *name, int type)
{
	if (strcmp(name, "*") != 0)
		return ts_object_column(o, name);
	for (int c = 0; c < o->column_count; c++)
		if (all_of_type(db, o, c, type))
			return c;
	return -1;
}

/* --- reaching rows -------------------------------------------------------------------------- */

static void
quoted_column(struct ts_strbuf *sql, const struct ts_reach *r)
{
	if (r->column < 0)
		ts_strbuf_puts(sql, r->rows->rowid);
	else
		ts_sql_quote(sql, r->rows->column[r->column].name);
}

/* Two sub-selects, for min and max in one statement make SQLite scan the table. */
static enum ts_code
find_rowids(struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	static const char *const ends[] = {"min", "max"};
	int64_t *to[] = {&r->first_rowid, &r->last_rowid};

	r->has_rowid = r->rows->rowid != NULL;
	r->first_rowid = 0;
	r->last_rowid = -1;
	for (size_t i = 0; r->has_rowid && i < TS_COUNT(ends); i++) {
		struct ts_strbuf sql;
		enum ts_code code;
		bool found;

		ts_strbuf_init(&sql, 1 << 16);
		ts_strbuf_printf(&sql, "SELECT %s(%s) FROM main.", ends[i], r->rows->rowid);
		ts_sql_quote(&sql, r->rows->name);
		code = ts_db_int(db, to[i], &found, sql.s, err);
		ts_strbuf_fini(&sql);
		if (fatal(code))
			return code;
		if (code || !found) { /* empty, or its edge is damaged */
			r->has_rowid = !code;
			r->first_rowid = 0;
			r->last_rowid = -1;
			break;
		}
	}
	return TS_OK;
}

/* The first row at or behind `rowid` whose key is an integer: *there, its row id and key. */
static enum ts_code
probe(const struct ts_reach *r, struct ts_db *db, int64_t *rowid, int64_t *key, bool *there,
	struct ts_err *err)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	const char *word = r->rows->rowid;

	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "SELECT %s, ", word);
	quoted_column(&sql, r);
	ts_strbuf_puts(&sql, " FROM main.");
	ts_sql_quote(&sql, r->rows->name);
	ts_strbuf_printf(&sql, " WHERE %s >= ?1 ORDER BY %s LIMIT 64", word, word);
	code = ts_db_prepare(db, &stmt, sql.s, err);
	ts_strbuf_fini(&sql);
	if (code)
		return code;
	sqlite3_bind_int64(stmt, 1, *rowid);
	while (!(code = ts_db_step(db, stmt, there, err)) && *there)
		if (sqlite3_column_type(stmt, 1) == SQLITE_INTEGER) {
			*rowid = sqlite3_column_int64(stmt, 0);
			*key = sqlite3_column_int64(stmt, 1);
			break;
		}
	ts_db_release(db, stmt);
	return code;
}

enum ts_code
ts_reach_bisect(int64_t *rowid, const struct ts_reach *r, struct ts_db *db, int64_t value,
	struct ts_err *err)
{
	int64_t low = r->first_rowid, high = r->last_rowid; /* the answer lies in low..high + 1 */

	while (low <= high) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
		int64_t at = middle, key = 0;
		bool there;
		enum ts_code code = probe(r, db, &at, &key, &there, err);

		if (code)
			return code;
		if (!there || at > high || key >= value)
			high = middle - 1;
		else
			low = at + 1;
	}
	*rowid = low;
	return TS_OK;
}

/* Small tables are looked at whole; of large ones a few dozen rows. */
static enum ts_code
is_monotone(bool *yes, const struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	uint64_t span = (uint64_t)r->last_rowid - (uint64_t)r->first_rowid;
	uint64_t stride = span / PROBES ? span / PROBES : 1;
	int64_t last = INT64_MIN, rowid = r->first_rowid;

	*yes = true;
	while (*yes && rowid <= r->last_rowid) {
		int64_t key = 0;
		bool there;
		enum ts_code code = probe(r, db, &rowid, &key, &there, err);

		if (fatal(code))
			return code;
		if (code) {
			*yes = false; /* a damaged page: who bisects would meet it too */
			return TS_OK;
		}
		if (!there)
			break;
		*yes = key >= last;
		last = key;
		if ((uint64_t)r->last_rowid - (uint64_t)rowid < stride)
			break;
		rowid += (int64_t)stride;
	}
	return TS_OK;
}

/* Every row of a small table, in order. */
static enum ts_code
is_monotone_whole(bool *yes, const struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;
	int64_t last = INT64_MIN;

	*yes = true;
	ts_strbuf_init(&sql, 1 << 16);
	select_columns(&sql, r->rows, &r->column, 1);
	ts_strbuf_printf(&sql, " ORDER BY %s", r->rows->rowid);
	code = ts_db_prepare(db, &stmt, sql.s, err);
	ts_strbuf_fini(&sql);
	if (code)
		return code;
	while (*yes && !(code = ts_db_step(db, stmt, &row, err)) && row)
		if (sqlite3_column_type(stmt, 0) == SQLITE_INTEGER) {
			*yes = sqlite3_column_int64(stmt, 0) >= last;
			last = sqlite3_column_int64(stmt, 0);
		}
	ts_db_release(db, stmt);
	if (code && !fatal(code)) {
		*yes = false;
		code = TS_OK;
	}
	return code;
}

/* Fill in how rows are reached by r->column (r->rows and r->column are set). */
static enum ts_code
find_reach(struct ts_reach *r, struct ts_db *db, struct ts_err *err)
{
	enum ts_code code = find_rowids(r, db, err);
	bool monotone = false;

	r->key = TS_REACH_NONE;
	if (code || r->column < 0)
		return code;
	if (r->rows->rowid_alias == r->column) {
		r->key = TS_REACH_ROWID;
	} else if (r->rows->column[r->column].index_first) {
		r->key = TS_REACH_INDEX;
	} else if (r->has_rowid && r->first_rowid <= r->last_rowid) {
		if ((uint64_t)r->last_rowid - (uint64_t)r->first_rowid < SAMPLE_WHOLE)
			code = is_monotone_whole(&monotone, r, db, err);
		else
			code = is_monotone(&monotone, r, db, err);
		if (monotone)
			r->key = TS_REACH_MONOTONE;
	}
	return code;
}

/* Can a row be found by its key without reading a large table? */
static bool
can_look_up(const struct ts_reach *r)
{
	return r->column < 0 ? r->has_rowid
			     : r->key != TS_REACH_NONE ||
			(r->has_rowid && r->last_rowid - r->first_rowid < SAMPLE_WHOLE);
}

enum ts_code
ts_reach_text(struct ts_strbuf *out, bool *found, const struct ts_reach *r, struct ts_db *db,
	int64_t value, int text, struct ts_err *err)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code = TS_OK;
	int64_t rowid = value;
	bool row = false;

	*found = false;
	if (!can_look_up(r))
		return TS_OK;
	if (r->key == TS_REACH_MONOTONE)
		code = ts_reach_bisect(&rowid, r, db, value, err);
	if (code)
		return code;
	ts_strbuf_init(&sql, 1 << 16);
	select_columns(&sql, r->rows, &text, 1);
	ts_strbuf_puts(&sql, " WHERE ");
	quoted_column(&sql, r);
	ts_strbuf_puts(&sql, " = ?1");
	if (r->key == TS_REACH_MONOTONE)
		ts_strbuf_printf(&sql, " AND %s = ?2", r->rows->rowid);
	code = ts_db_prepare(db, &stmt, sql.s, err);
	ts_strbuf_fini(&sql);
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

/* --- candidates ----------------------------------------------------------------------------- */

/* The only integer column that nobody uses and whose sampled values all are keys of the dictionary. */
static enum ts_code
find_reference(int *found, const struct fit *f, const struct ts_reach *dict, int text,
	struct ts_err *err)
{
	int matches = 0;
	enum ts_code code = TS_OK;
	struct ts_strbuf ignored;

	*found = -1;
	ts_strbuf_init(&ignored, 64);
	for (int c = 0; c < f->b->reach.rows->column_count && !code; c++) {
		struct sample s;
		size_t hits = 0, tried = 0;

		if (used(f->b, c))
			continue;
		code = sample_take(&s, f, (const int[]){c}, 1, err);
		for (size_t i = 0; !code && i < s.rows; i += 1 + s.rows / 64) {
			bool there = false;

			ts_strbuf_reset(&ignored);
			if (s.value[i] >= 0)
				code = ts_reach_text(&ignored, &there, dict, f->db, s.value[i],
					text, err);
			tried++;
			hits += there;
		}
		sample_fini(&s);
		if (tried > 0 && hits == tried) {
			*found = c;
			matches++;
		}
	}
	ts_strbuf_fini(&ignored);
	if (matches != 1)
		*found = -1;
	return code;
}

static enum ts_code
fit_dict(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	const struct ts_object *o = ts_schema_find(f->schema, c->a);
	enum ts_code code;
	int ref = -1;

	*fits = false;
	if (!o)
		return TS_OK;
	cb->dict.rows = o;
	cb->dict_text = dict_column(f->db, o, c->c, SQLITE_TEXT);
	cb->dict.column = dict_column(f->db, o, c->b, SQLITE_INTEGER);
	if (cb->dict_text < 0 || (cb->dict.column < 0 && !o->rowid))
		return TS_OK;
	code = find_reach(&cb->dict, f->db, err);
	if (code)
		return code;
	if (strcmp(c->d, "*") == 0)
		code = find_reference(&ref, f, &cb->dict, cb->dict_text, err);
	else
		ref = source_column(f->b, c->d);
	*fits = ref >= 0;
	cb->a = ref;
	cb->guessed = strcmp(c->d, "*") == 0;
	return code;
}

static enum ts_code
fit_column(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	cb->a = source_column(f->b, c->a);
	(void)err;
	*fits = cb->a >= 0;
	return TS_OK;
}

static enum ts_code
fit_two(bool *fits, struct ts_column_binding *cb, const struct fit *f, const struct ts_candidate *c,
	struct ts_err *err)
{
	(void)err;
	cb->a = source_column(f->b, c->a);
	cb->b = source_column(f->b, c->b);
	*fits = cb->a >= 0 && cb->b >= 0;
	return TS_OK;
}

static enum ts_code
fit_constant(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	(void)f;
	(void)err;
	cb->text = c->a;
	*fits = true;
	return TS_OK;
}

static enum ts_code
fit_by_values(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	int group = source_column(f->b, c->a);
	enum ts_code code = TS_OK;

	*fits = false;
	if (group < 0)
		return TS_OK;
	code = find_by_values(&cb->a, f, group, err);
	*fits = cb->a >= 0;
	cb->op = TS_OP_COLUMN;
	cb->guessed = true;
	return code;
}

static enum ts_code
fit_order_in(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	cb->a = source_column(f->b, c->a);
	cb->guessed = true;
	*fits = cb->a >= 0;
	return *fits ? largest_group(f, cb->a, err) : TS_OK;
}

static enum ts_code
fit_position(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	(void)f;
	(void)c;
	(void)err;
	cb->guessed = true;
	*fits = true;
	return TS_OK;
}

static enum ts_code (*const fits_by_op[])(bool *fits, struct ts_column_binding *cb,
	const struct fit *f, const struct ts_candidate *c, struct ts_err *err) = {
	[TS_OP_COLUMN] = fit_column,
	[TS_OP_SUM] = fit_two,
	[TS_OP_DIFFERENCE] = fit_two,
	[TS_OP_CONSTANT] = fit_constant,
	[TS_OP_DICT] = fit_dict,
	[TS_OP_BY_VALUES] = fit_by_values,
	[TS_OP_ORDER_IN] = fit_order_in,
	[TS_OP_POSITION] = fit_position,
};

/*
 * The IPU of a step: a column that a candidate names has to tell the rows of a step apart, or it is
 * something else that has the name.
 */
static enum ts_code
check_ipu(bool *fits, const struct fit *f, int a, struct ts_err *err)
{
	const struct ts_column_binding *step = &f->b->column[TS_STEP_IPU_STEP];

	if (step->op != TS_OP_COLUMN)
		return TS_OK;
	return tells_apart(fits, f, step->a, a, err);
}

static enum ts_code
bind_column(const struct fit *f, const struct ts_map_relation *m, int column, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < m->candidate_count[column]; i++) {
		const struct ts_candidate *c = &m->candidate[column][i];
		struct ts_column_binding cb = {.op = c->op, .a = -1, .b = -1};
		bool fits = false;

		code = fits_by_op[c->op](&fits, &cb, f, c, err);
		if (!code && fits && c->op == TS_OP_COLUMN && f->b->relation == TS_STEP_IPU &&
			column == TS_STEP_IPU_IPU)
			code = check_ipu(&fits, f, cb.a, err);
		if (code)
			return fatal(code) ? code : TS_OK;
		if (fits) {
			f->b->column[column] = cb;
			return TS_OK;
		}
	}
	return TS_OK;
}

static enum ts_code
bind_columns(const struct fit *f, const struct ts_map *map, struct ts_err *err)
{
	const struct ts_relation_def *def = ts_relation_def(f->b->relation);
	const struct ts_map_relation *m = &map->relation[f->b->relation];
	enum ts_code code = TS_OK;

	/* Columns that are found by their values come last: what others use is not a candidate. */
	for (int pass = 0; pass < 2; pass++)
		for (int c = 0; !code && c < def->column_count; c++) {
			struct ts_column_binding *cb = &f->b->column[c];

			if (map->identity_object) {
				cb->a = source_column(f->b, def->column[c].name);
				cb->op = cb->a >= 0 ? TS_OP_COLUMN : TS_OP_NONE;
			} else if (cb->op == TS_OP_NONE && m->candidate_count[c] > 0) {
				bool by_values = m->candidate[c][0].op == TS_OP_DICT ||
					(f->b->relation == TS_STEP_IPU && c == TS_STEP_IPU_IPU);

				if (by_values == (pass == 1))
					code = bind_column(f, m, c, err);
			}
		}
	return code;
}

/* A view's rows are its base table's when every column that is needed comes from there. */
static void
choose_rows(struct ts_binding *b, const struct ts_schema *schema)
{
	const struct ts_object *base;

	b->reach.rows = b->object;
	if (b->object->base < 0)
		return;
	base = &schema->object[b->object->base];
	for (int c = 0; c < b->object->column_count; c++) {
		const char *origin = b->object->column[c].origin;

		if (!origin || ts_object_column(base, origin) < 0)
			return;
	}
	b->reach.rows = base;
}

static bool
choose_object(struct ts_binding *b, const struct ts_map *map, const struct ts_schema *schema)
{
	const struct ts_map_relation *m = &map->relation[b->relation];
	const char *name = ts_relation_def(b->relation)->name;

	if (map->identity_object) {
		b->object = ts_schema_find(schema, name);
	} else if (!m->listed) {
		snprintf(b->reason, sizeof(b->reason),
			"the schema map %s does not know where it is", map->name);
		return false;
	} else {
		name = m->object[0];
		for (int i = 0; i < m->object_count && !b->object; i++)
			b->object = ts_schema_find(schema, m->object[i]);
	}
	if (!b->object)
		snprintf(b->reason, sizeof(b->reason), "no table \"%s\"", name);
	else if (b->object->problem)
		snprintf(b->reason, sizeof(b->reason), "table \"%s\": %s", b->object->name,
			b->object->problem);
	return b->object && !b->object->problem;
}

static bool
has_required(struct ts_binding *b, const struct ts_map *map)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);
	const struct ts_map_relation *m = &map->relation[b->relation];

	for (int c = 0; c < def->column_count; c++)
		if (def->column[c].required && b->column[c].op == TS_OP_NONE) {
			const struct ts_candidate *want = m->candidate_count[c]
				? &m->candidate[c][0]
				: NULL;

			snprintf(b->reason, sizeof(b->reason),
				"table \"%s\" has no column for %s (%s%s%s)", b->object->name,
				def->column[c].name,
				want && want->a ? want->a : def->column[c].name,
				want && want->b ? ", " : "", want && want->b ? want->b : "");
			return false;
		}
	return true;
}

enum ts_code
ts_binding_make(struct ts_binding *b, enum ts_relation relation, const struct ts_map *map,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err)
{
	const struct ts_relation_def *def = ts_relation_def(relation);
	struct fit f = {b, schema, db};
	enum ts_code code;

	*b = (struct ts_binding){.relation = relation, .reach.column = -1};
	for (int c = 0; c < TS_RELATION_COLUMNS; c++)
		b->column[c].a = b->column[c].b = -1;
	if (!choose_object(b, map, schema))
		return TS_OK;
	choose_rows(b, schema);
	code = find_rowids(&b->reach, db, err);
	if (!code)
		code = bind_columns(&f, map, err);
	if (code)
		return code;
	b->bound = has_required(b, map);
	if (!b->bound || def->key < 0 || b->column[def->key].op != TS_OP_COLUMN)
		return TS_OK;
	b->reach.column = b->column[def->key].a;
	return find_reach(&b->reach, db, err);
}

/* Does the object have a row whose first text column is `key`? */
static bool
has_key_row(const struct ts_object *o, struct ts_db *db, const char *key)
{
	int column = ts_object_column(o, "key");
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	bool row = false;

	if (column < 0)
		return false;
	ts_strbuf_init(&sql, 1 << 16);
	select_columns(&sql, o, &column, 1);
	ts_strbuf_puts(&sql, " WHERE \"key\" = ?1 LIMIT 1");
	if (ts_db_prepare(db, &stmt, sql.s, NULL) == TS_OK) {
		sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
		if (ts_db_step(db, stmt, &row, NULL))
			row = false;
		ts_db_release(db, stmt);
	}
	ts_strbuf_fini(&sql);
	return row;
}

bool
ts_map_recognises(const struct ts_map *map, const struct ts_schema *schema, struct ts_db *db)
{
	if (map->identity_object) {
		const struct ts_object *o = ts_schema_find(schema, map->identity_object);

		return o && map->identity_key && has_key_row(o, db, map->identity_key);
	}
	for (int i = 0; i < map->recognise_count; i++)
		if (ts_schema_find(schema, map->recognise[i]))
			return true;
	return false;
}
