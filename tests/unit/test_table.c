/* SPDX-License-Identifier: MIT */
/*
 * Rows read from pages are those that SQLite gives: random tables of all shapes, random queries; then the
 * same over files that were damaged in random places, where rows and errors have to be the same too.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "depth.h"
#include "corpus.h"
#include "sqlite_bytes.h"
#include "table_compare.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/damage.h"

enum { TABLES = 3, DAMAGES = 25 };

static struct dice
dice_of(int seed)
{
	struct dice d = {0x9e3779b97f4a7c15u * (uint64_t)(seed + 1)};

	for (int i = 0; i < 8; i++)
		roll(&d);
	return d;
}

/* --- making files ------------------------------------------------------------------------------ */

struct shape {
	int page_size, columns, rows, long_values; /* one of so many values is long; 0 = none */
	int ids;				   /* 0 as they come, 1 with gaps, 2 anywhere */
	int key;				   /* column that is the row id, or -1 */
};

static void
bind_value(sqlite3_stmt *stmt, int at, struct dice *d, const struct shape *s)
{
	static const double reals[] = {0.0, -0.0, 1.0, 0.5, -7.25, 1e300, 9007199254740993.0, -3.0,
		5e-324, 1.0 / 0.0};
	int n = below(d, 30);
	char *text;

	if (s->long_values && below(d, s->long_values) == 0)
		n = below(d, 6 * s->page_size);
	switch (below(d, 8)) {
	case 0:
		sqlite3_bind_null(stmt, at);
		return;
	case 1:
		sqlite3_bind_int64(stmt, at, below(d, 3));
		return;
	case 2:
		sqlite3_bind_double(stmt, at, reals[below(d, TS_COUNT(reals))]);
		return;
	case 3:
	case 4:
		text = sqlite3_malloc(n + 1);
		for (int i = 0; i < n; i++)
			text[i] = (char)(below(d, 50) ? 'a' + below(d, 26) : below(d, 256));
		if (below(d, 2))
			sqlite3_bind_text(stmt, at, text, n, sqlite3_free);
		else
			sqlite3_bind_blob(stmt, at, text, n, sqlite3_free);
		return;
	default:
		sqlite3_bind_int64(stmt, at, any_int(d));
		return;
	}
}

static int64_t
next_id(struct dice *d, const struct shape *s, int i)
{
	static const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};

	if (s->ids == 0)
		return i + 1;
	if (s->ids == 1)
		return (int64_t)i * 1000 - 50000 + below(d, 900);
	return below(d, 20) ? any_int(d) : edges[below(d, TS_COUNT(edges))];
}

static void
fill(sqlite3 *db, const char *table, struct dice *d, const struct shape *s, int from, int count,
	int columns)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;

	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "INSERT OR IGNORE INTO %s(rowid", table);
	for (int c = 0; c < columns; c++)
		if (c != s->key)
			ts_strbuf_printf(&sql, ", c%d", c);
	ts_strbuf_puts(&sql, ") VALUES(?");
	for (int c = 0; c < columns - (s->key >= 0); c++)
		ts_strbuf_puts(&sql, ", ?");
	ts_strbuf_puts(&sql, ")");
	ck_assert_msg(sqlite3_prepare_v2(db, sql.s, -1, &stmt, NULL) == SQLITE_OK, "%s: %s", sql.s,
		sqlite3_errmsg(db));
	for (int i = from; i < from + count; i++) {
		sqlite3_bind_int64(stmt, 1, next_id(d, s, i));
		for (int c = 0; c < columns - (s->key >= 0); c++)
			bind_value(stmt, c + 2, d, s);
		/* column 0 rises: a key to bisect by */
		if (s->key != 0 && s->ids < 2 && below(d, 40))
			sqlite3_bind_int64(stmt, 2, i / 3);
		ck_assert_int_eq(sqlite3_step(stmt), SQLITE_DONE);
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	ts_strbuf_fini(&sql);
}

static void
run_f(sqlite3 *db, const char *format, ...)
{
	va_list ap;
	char *sql;

	va_start(ap, format);
	sql = sqlite3_vmprintf(format, ap);
	va_end(ap);
	sqlite_run(db, sql);
	sqlite3_free(sql);
}

static void
make_table(sqlite3 *db, const char *name, struct dice *d, struct shape *s)
{
	static const char *const types[] = {"INTEGER", "TEXT", "REAL", "BLOB", "", "DOUBLE",
		"FLOATING POINT", "NUMERIC", "CHAREAL", "float"};
	struct ts_strbuf sql;

	s->columns = below(d, 12) ? 1 + below(d, 10) : 140;
	s->rows = below(d, 10) ? below(d, 400) : below(d, 3);
	s->long_values = below(d, 2) ? 0 : 20 + below(d, 200);
	s->ids = below(d, 3);
	s->key = below(d, 3) ? -1 : below(d, s->columns);
	if (s->key >= 0 && s->columns == 1)
		s->key = -1;
	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "CREATE TABLE %s(", name);
	for (int c = 0; c < s->columns; c++)
		ts_strbuf_printf(&sql, "%sc%d %s", c ? ", " : "", c,
			c == s->key ? "INTEGER PRIMARY KEY" : types[below(d, TS_COUNT(types))]);
	ts_strbuf_puts(&sql, ")");
	sqlite_run(db, sql.s);
	ts_strbuf_fini(&sql);
}

/* Deleted and changed rows, columns that came later. */
static void
age_table(sqlite3 *db, const char *name, struct dice *d, struct shape *s)
{
	if (below(d, 2))
		run_f(db, "DELETE FROM %s WHERE abs(rowid %% %d) = 0", name, 2 + below(d, 5));
	if (below(d, 3) == 0)
		run_f(db, "DELETE FROM %s WHERE rowid BETWEEN %d AND %d", name, below(d, 200),
			below(d, 400));
	if (below(d, 3) == 0 && s->key != 0)
		run_f(db, "UPDATE %s SET c0 = zeroblob(%d) WHERE rowid %% 17 = 0", name,
			below(d, 3 * s->page_size));
	if (below(d, 4) == 0) {
		static const char *const later[] = {"INTEGER DEFAULT 5", "TEXT", "REAL DEFAULT 3",
			"TEXT DEFAULT 'x'"};

		run_f(db, "ALTER TABLE %s ADD COLUMN c%d %s", name, s->columns,
			later[below(d, TS_COUNT(later))]);
		s->columns++;
		if (below(d, 2))
			fill(db, name, d, s, s->rows, 50, s->columns);
	}
}

/* A file of random tables: free with sqlite3_free(). */
static unsigned char *
make_file(size_t *n, struct dice *d)
{
	static const int page_sizes[] = {512, 512, 1024, 2048, 4096, 8192, 32768, 65536};
	static const int reserves[] = {0, 0, 0, 8, 32};
	struct shape shape[TABLES] = {{0}};
	int reserve = reserves[below(d, TS_COUNT(reserves))];
	int page_size = page_sizes[below(d, TS_COUNT(page_sizes))];
	bool vacuum = below(d, 5) == 0, utf16 = below(d, 12) == 0;
	unsigned char *bytes;
	sqlite3_int64 size;
	sqlite3 *db;
	char name[16];

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	run_f(db, "PRAGMA page_size=%d", page_size);
	sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
	run_f(db, "PRAGMA auto_vacuum=%d; PRAGMA encoding='%s'", vacuum,
		utf16 ? "UTF-16le" : "UTF-8");
	for (int i = 0; i < TABLES; i++) {
		shape[i].page_size = page_size;
		snprintf(name, sizeof(name), "t%d", i);
		make_table(db, name, d, &shape[i]);
	}
	/* several at a time, so that their pages mix */
	for (int part = 0; part < 4; part++)
		for (int i = 0; i < TABLES; i++) {
			snprintf(name, sizeof(name), "t%d", i);
			fill(db, name, d, &shape[i], part * shape[i].rows / 4,
				(part + 1) * shape[i].rows / 4 - part * shape[i].rows / 4,
				shape[i].columns);
		}
	for (int i = 0; i < TABLES; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		age_table(db, name, d, &shape[i]);
	}
	sqlite_run(db,
		"CREATE VIEW v AS SELECT * FROM t0;"
		"CREATE VIEW sorted AS SELECT * FROM t1 ORDER BY c0;"
		"CREATE INDEX i1 ON t1(c0);"
		"CREATE TABLE w(c0 INTEGER PRIMARY KEY, c1 TEXT) WITHOUT ROWID;"
		"INSERT INTO w VALUES(1, 'one'), (2, 'two'), (-3, 'less');"
		"CREATE TABLE g(c0 INTEGER, c1 AS (c0 + 1), c2 AS (c0) STORED, c3 TEXT);"
		"INSERT INTO g(c0, c3) VALUES(1, 'one'), (2, 'two');"
		"CREATE TABLE hidden(rowid INTEGER, oid TEXT, _rowid_ REAL);"
		"INSERT INTO hidden VALUES(9, 'nine', 9);");
	bytes = sqlite3_serialize(db, "main", &size, 0);
	ck_assert_ptr_nonnull(bytes);
	sqlite3_close(db);
	*n = (size_t)size;
	return bytes;
}

/* --- tests ------------------------------------------------------------------------------------- */

START_TEST(any_table)
{
	struct dice d = dice_of(_i);
	struct compare c;
	unsigned char *bytes;
	size_t n;

	bytes = make_file(&n, &d);
	ck_assert(compare_open(&c, bytes, n));
	if (!compare_all(&c, &d, 12))
		ck_abort_msg("%s", c.why);
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

static void
damage(unsigned char *bytes, size_t *n, struct dice *d)
{
	int page = bytes[16] << 8 | bytes[17], kind = below(d, 8), changes = 1 + below(d, 6);
	size_t whole = *n;

	page = page == 1 ? 65536 : page;
	if (kind == 0) {
		*n = (size_t)(roll(d) % whole);
		return;
	}
	if (kind == 1) { /* one page is another's bytes */
		size_t pages = whole / (size_t)page;
		size_t from = (size_t)below(d, (int)pages), to = (size_t)below(d, (int)pages);

		if (from != to && to > 0)
			memcpy(bytes + to * (size_t)page, bytes + from * (size_t)page,
				(size_t)page);
		return;
	}
	for (int i = 0; i < changes; i++) {
		size_t at = (size_t)(roll(d) % whole);

		if (kind < 5) /* the head of a page and its cells' places */
			at = at / (size_t)page * (size_t)page + (size_t)below(d, 40);
		if (at < whole && at >= 100)
			bytes[at] = below(d, 2) ? (unsigned char)below(d, 256)
						: (unsigned char)(bytes[at] ^ 1 << below(d, 8));
	}
}

START_TEST(damaged_tables)
{
	struct dice d = dice_of(1000 + _i);
	unsigned char *bytes, *bad;
	size_t n;

	bytes = make_file(&n, &d);
	bad = malloc(n);
	ck_assert_ptr_nonnull(bad);
	for (int k = 0; k < (at_full_depth() ? DAMAGES : DAMAGES / 4); k++) {
		size_t left = n;
		struct compare c;

		memcpy(bad, bytes, n);
		damage(bad, &left, &d);
		if (!compare_open(&c, bad, left))
			continue;
		if (!compare_all(&c, &d, 3))
			ck_abort_msg("%s", c.why);
		compare_close(&c);
	}
	free(bad);
	sqlite3_free(bytes);
}
END_TEST

/* Rows of the table between two row ids. */
static int64_t
rows_between(struct compare *c, int64_t from, int64_t to)
{
	struct ts_strbuf sql;
	struct ts_err err;
	int64_t n;
	bool found;

	ts_strbuf_init(&sql, 1 << 10);
	ts_strbuf_printf(&sql, "SELECT count(*) FROM t WHERE rowid >= %lld AND rowid < %lld",
		(long long)from, (long long)to);
	ck_assert_int_eq(ts_db_int(c->db[SQLITE], &n, &found, sql.s, &err), TS_OK);
	ts_strbuf_fini(&sql);
	return n;
}

/* Parts have about as many rows each, wherever the row ids are. _i: their number */
START_TEST(split_evenly)
{
	static const char *const ids[] = {"i", "CASE WHEN i = 1 THEN 1 ELSE (1 << 40) + i END",
		"i * i * i - 5", "CASE WHEN i > 200 THEN i ELSE i - (1 << 50) END"};
	enum { ROWS = 30000 };

	for (size_t k = 0; k < TS_COUNT(ids); k++) {
		const struct ts_object *o;
		struct ts_strbuf sql;
		struct ts_split s;
		struct ts_err err;
		struct compare c;
		unsigned char *bytes;
		size_t n;

		ts_strbuf_init(&sql, 1 << 12);
		ts_strbuf_printf(&sql,
			"PRAGMA page_size = 1024; CREATE TABLE t(a, b); WITH RECURSIVE n(i) AS (SELECT 1 "
			"UNION ALL SELECT i + 1 FROM n LIMIT %d) INSERT INTO t(rowid, a, b) "
			"SELECT %s, i, 'a few words' FROM n",
			ROWS, ids[k]);
		bytes = sqlite_bytes(&n, sql.s);
		ck_assert(compare_open(&c, bytes, n));
		o = ts_schema_find(c.schema, "t");
		ck_assert_ptr_nonnull(o);
		ck_assert_int_eq(ts_split_table(&s, c.db[PAGES], o, _i, &err), TS_OK);
		ck_assert_int_eq(s.parts, _i);
		ck_assert_int_eq(s.begin[0], INT64_MIN);
		ck_assert_msg(s.rows > ROWS / 2 && s.rows < 2 * ROWS, "%lld rows",
			(long long)s.rows);
		for (int i = 0; i < _i; i++) {
			int64_t rows = rows_between(&c, s.begin[i],
				i + 1 < _i ? s.begin[i + 1] : INT64_MAX);

			ck_assert_msg(rows > ROWS / _i / 2 && rows < 2 * ROWS / _i,
				"table %zu, part %d of %d: %lld rows", k, i, _i, (long long)rows);
		}
		compare_close(&c);
		sqlite3_free(bytes);
		ts_strbuf_fini(&sql);
	}
}
END_TEST

static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	struct compare c;

	(void)ctx;
	for (int k = 0; k < 5; k++) {
		struct dice d = dice_of(k);

		if (!compare_open(&c, bytes, n))
			break;
		c.rows_max = 2000;
		c.tables_only = true;
		if (!compare_all(&c, &d, 3))
			ck_abort_msg("%s: %s", file, c.why);
		compare_close(&c);
	}
}

/* What the fuzzer is given, and what it has found. */
START_TEST(corpus)
{
	corpus_each("table", 1 << 20, replay, NULL);
}
END_TEST

/* A table of a report is read from pages, not by SQLite after all. */
START_TEST(pages_are_used)
{
	size_t n;
	unsigned char *bytes = sqlite_bytes(&n,
		"PRAGMA page_size=1024;"
		"CREATE TABLE t(a INTEGER, b TEXT, c REAL);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
		" INSERT INTO t SELECT i, 'row ' || i, i FROM n;"
		"CREATE VIEW v AS SELECT b, a FROM t");
	struct ts_rows_query q = {.columns = {0, 1, 2}, .column_count = 3};
	struct ts_db_stats before, after;
	struct ts_err err = {0};
	struct ts_binding b;
	struct ts_rows *rows;
	struct compare c;
	bool there;
	int64_t seen = 0;

	ck_assert(compare_open(&c, bytes, n));
	ck_assert_uint_gt(c.schema->object[0].root, 1);
	ck_assert(!c.schema->object[0].column[0].real && c.schema->object[0].column[2].real);
	ck_assert_uint_eq(c.schema->object[1].root, 0);
	compare_bind(&b, &c, &c.schema->object[0]);
	q.binding = &b;
	ts_db_stats(&before, c.db[PAGES]);
	ck_assert_int_eq(ts_rows_open(&rows, c.db[PAGES], &q, &err), TS_OK);
	while (ts_rows_next(rows, &there, &err) == TS_OK && there)
		seen++;
	ts_rows_close(rows);
	ts_db_stats(&after, c.db[PAGES]);
	ck_assert_int_eq(seen, 20000);
	ck_assert_int_eq(after.statements_prepared, before.statements_prepared);
	ck_assert_int_gt(after.page_misses, before.page_misses);
	ck_assert_int_ge(after.bytes - before.bytes, 300000);
	/* many pages at a time */
	ck_assert_int_lt(after.reads - before.reads, (after.bytes - before.bytes) / 8192);
	/* and again by SQLite */
	ts_db_stats(&before, c.db[SQLITE]);
	ck_assert_int_eq(ts_rows_open(&rows, c.db[SQLITE], &q, &err), TS_OK);
	ck_assert_int_eq(ts_rows_next(rows, &there, &err), TS_OK);
	ts_rows_close(rows);
	ts_db_stats(&after, c.db[SQLITE]);
	ck_assert_int_eq(after.statements_prepared, before.statements_prepared + 1);
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

/* What is refused once is refused again: SQLite takes a page whose cells are not whole when it finds it in its cache. */
START_TEST(refused_again)
{
	enum { PAGE = 1024 };
	size_t n;
	unsigned char *leaf,
		*bytes = sqlite_bytes(&n,
			"PRAGMA page_size=1024;"
			"CREATE TABLE t(a INTEGER);"
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
			" INSERT INTO t SELECT i FROM n;");
	struct ts_rows_query q = {.columns = {0}, .column_count = 1};
	struct ts_binding b;
	struct compare c;

	/* the first leaf: the cell of its fourth row begins where the page ends */
	for (leaf = bytes + PAGE; *leaf != 0x0d; leaf += PAGE)
		;
	leaf[8 + 2 * 3] = (PAGE - 2) >> 8;
	leaf[8 + 2 * 3 + 1] = (PAGE - 2) & 0xff;
	ck_assert(compare_open(&c, bytes, n));
	compare_bind(&b, &c, &c.schema->object[0]);
	q.binding = &b;
	for (int turn = 0; turn < 3; turn++) {
		struct ts_err err = {0};
		struct ts_rows *rows;
		enum ts_code code;
		bool there = true;
		int seen = 0;

		ck_assert_int_eq(ts_rows_open(&rows, c.db[SQLITE], &q, &err), TS_OK);
		while (!(code = ts_rows_next(rows, &there, &err)) && there)
			seen++;
		ck_assert_int_eq(code, TS_E_DAMAGED);
		ck_assert_int_eq(seen, 0);
		ts_rows_close(rows);
	}
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

/* --- behind damage ------------------------------------------------------------------------------ */

enum { PAGE = 512, MANY = 3000 };

/* Row ids with gaps, a text that now and then goes on in other pages: three levels of pages. */
static const char many_sql[] =
	"PRAGMA page_size=512;"
	"CREATE TABLE t(a INTEGER, b TEXT);"
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)"
	" INSERT INTO t(rowid, a, b) SELECT i * 3 - 4000, i,"
	" CASE WHEN i % 500 = 7 THEN printf('%.1500c', 'x') ELSE 'row ' || i END FROM n;";

/* A page of the table and the rows, by number, that are below it. */
struct below {
	unsigned page;
	int first, last;
};

static int
take_pages(struct below *to, const unsigned char *bytes, unsigned page, int *row)
{
	const unsigned char *p = bytes + (size_t)(page - 1) * PAGE;
	unsigned cells = (unsigned)(p[3] << 8 | p[4]);
	int n = 1;

	*to = (struct below){page, *row, 0};
	if (*p == 0x0d) {
		*row += (int)cells;
	} else {
		ck_assert_int_eq(*p, 0x05);
		for (unsigned i = 0; i <= cells; i++) {
			const unsigned char *at = i < cells
				? p + (p[12 + 2 * i] << 8 | p[13 + 2 * i])
				: p + 8;

			n += take_pages(to + n, bytes, (unsigned)at[2] << 8 | at[3], row);
		}
	}
	to->last = *row - 1;
	return n;
}

/* All rows that can be read; what is told at the end. */
static void
read_past(bool seen[MANY], struct ts_err *err, struct compare *c, const struct ts_binding *b,
	bool blocks)
{
	struct ts_rows_query q = {.binding = b,
		.columns = {0, 1},
		.column_count = blocks ? 1 : 2,
		.past_damage = true};
	struct ts_rows *rows;
	struct ts_rows_block block;
	bool there = true;
	int64_t a, id, last = INT64_MIN;
	const char *text;
	size_t n;

	memset(seen, 0, MANY * sizeof(*seen));
	*err = (struct ts_err){0};
	ck_assert_int_eq(ts_rows_open(&rows, c->db[PAGES], &q, err), TS_OK);
	while (blocks && ts_rows_block(rows, &block, err) == TS_OK && block.rows > 0)
		for (int k = 0; k < block.rows; k++) {
			a = block.v[0][k];
			ck_assert(a >= 0 && a < MANY && !seen[a]);
			seen[a] = true;
		}
	while (!blocks && ts_rows_next(rows, &there, err) == TS_OK && there) {
		ck_assert_int_eq(ts_rows_number(rows, 0, &a), TS_VALUE_OK);
		ck_assert(a >= 0 && a < MANY && !seen[a]);
		ck_assert_int_eq(ts_rows_text(rows, 1, &text, &n), TS_VALUE_OK);
		ck_assert(ts_rows_rowid(rows, &id) && id > last && id == a * 3 - 4000);
		last = id;
		seen[a] = true;
	}
	ts_rows_close(rows);
}

/* The first pages and every ninth in turn: the rows below it are missing and no others, and that is said. _i: how */
START_TEST(behind_each_page)
{
	static struct below all[MANY];
	static bool seen[MANY];
	unsigned char keep[PAGE], *bytes;
	struct compare c;
	struct ts_binding b;
	int count, row = 0;
	size_t n;

	bytes = sqlite_bytes(&n, many_sql);
	ck_assert(compare_open(&c, bytes, n));
	compare_bind(&b, &c, &c.schema->object[0]);
	count = take_pages(all, bytes, c.schema->object[0].root, &row);
	ck_assert_int_eq(row, MANY);
	ck_assert_int_gt(count, 100);
	for (int i = _i == 1; i < count; i += i < 20 ? 1 : at_full_depth() ? 9 : 29) {
		unsigned char *p = bytes + (size_t)(all[i].page - 1) * PAGE;
		struct ts_table_state state;
		char page[40];
		struct ts_err err;

		memcpy(keep, p, PAGE);
		if (_i == 0)
			memset(p, 0, PAGE);
		else if (_i == 1) /* another page's bytes: rows that stand elsewhere */
			memcpy(p, bytes + (size_t)(all[i - 1].page - 1) * PAGE, PAGE);
		else
			p[8] = 0xff; /* the place of a cell, or the last child */
		ck_assert(compare_connect_anew(&c));
		for (int blocks = 0; blocks < 2; blocks++) {
			read_past(seen, &err, &c, &b, blocks);
			for (int k = 0; k < MANY; k++)
				ck_assert_msg(seen[k] == (k < all[i].first || k > all[i].last) ||
						(_i == 2 && all[i].last - all[i].first > 20),
					"page %u, row %d", all[i].page, k);
			ck_assert_int_eq(err.code, TS_E_DAMAGED);
			ck_assert_ptr_nonnull(strstr(err.msg, "table t: "));
			snprintf(page, sizeof(page), "(page %u)", all[i].page);
			if (_i == 0)
				ck_assert_msg(strstr(err.msg, page) != NULL, "%s: %s", page,
					err.msg);
		}
		ck_assert_int_eq(ts_table_walk(&state, c.db[PAGES], &c.schema->object[0], NULL,
					 &err),
			TS_OK);
		ck_assert(state.known && state.gaps.count == 1);
		if (_i == 0) {
			ck_assert_int_eq(state.rows, MANY - (all[i].last - all[i].first + 1));
			ck_assert_uint_eq(state.gaps.gap[0].page, all[i].page);
		}
		memcpy(p, keep, PAGE);
	}
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

/* Pages that lead to themselves, or all to one: it ends, and no row comes twice. */
START_TEST(behind_circles)
{
	static struct below all[MANY];
	static bool seen[MANY];
	struct compare c;
	struct ts_binding b;
	struct ts_err err;
	int count, row = 0;
	unsigned char *bytes, *root;
	size_t n;

	bytes = sqlite_bytes(&n, many_sql);
	ck_assert(compare_open(&c, bytes, n));
	compare_bind(&b, &c, &c.schema->object[0]);
	count = take_pages(all, bytes, c.schema->object[0].root, &row);
	for (int i = 0; i < count; i++) {
		unsigned char *p = bytes + (size_t)(all[i].page - 1) * PAGE;
		unsigned to = _i == 0 ? all[0].page : _i == 1 ? all[i].page : all[1].page;

		if (*p != 0x05)
			continue;
		for (int k = 0; k <= (p[3] << 8 | p[4]); k++) {
			unsigned char *at = k < (p[3] << 8 | p[4])
				? p + (p[12 + 2 * k] << 8 | p[13 + 2 * k])
				: p + 8;

			at[2] = (unsigned char)(to >> 8);
			at[3] = (unsigned char)to;
		}
	}
	root = bytes + (size_t)(all[0].page - 1) * PAGE;
	ck_assert_int_eq(*root, 0x05);
	ck_assert(compare_connect_anew(&c));
	for (int blocks = 0; blocks < 2; blocks++) {
		read_past(seen, &err, &c, &b, blocks);
		ck_assert_int_eq(err.code, TS_E_DAMAGED);
	}
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

/* A table that is read by SQLite alone: a few of its leaves in turn, the first and the last among them. */
START_TEST(behind_by_sqlite)
{
	static struct below all[MANY];
	static bool seen[MANY];
	unsigned char keep[PAGE], *bytes;
	struct compare c;
	struct ts_binding b;
	struct ts_err err;
	int count, row = 0, tried = 0;
	int64_t root;
	bool found;
	size_t n;

	bytes = sqlite_bytes(&n,
		"PRAGMA page_size=512;"
		"CREATE TABLE t(a INTEGER, b TEXT, c AS (a + 1));"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)"
		" INSERT INTO t(rowid, a, b) SELECT i * 3 - 4000, i, 'row ' || i FROM n;");
	ck_assert(compare_open(&c, bytes, n));
	ck_assert_uint_eq(c.schema->object[0].root, 0);
	ck_assert_int_eq(ts_db_int(c.db[PAGES], &root, &found,
				 "SELECT rootpage FROM main.sqlite_schema", &err),
		TS_OK);
	compare_bind(&b, &c, &c.schema->object[0]);
	count = take_pages(all, bytes, (unsigned)root, &row);
	ck_assert_int_eq(row, MANY);
	for (int i = 0; i < count; i++) {
		unsigned char *p = bytes + (size_t)(all[i].page - 1) * PAGE;

		if (*p != 0x0d || (i != count - 1 && tried++ % 20 > 0))
			continue;
		memcpy(keep, p, PAGE);
		memset(p, 0, PAGE);
		ck_assert(compare_connect_anew(&c));
		read_past(seen, &err, &c, &b, false);
		for (int k = 0; k < MANY; k++)
			ck_assert_msg(seen[k] == (k < all[i].first || k > all[i].last),
				"page %u, row %d", all[i].page, k);
		ck_assert_int_eq(err.code, TS_E_DAMAGED);
		ck_assert_ptr_nonnull(strstr(err.msg, "table t: row ids "));
		memcpy(p, keep, PAGE);
	}
	ck_assert_int_gt(tried, 40);
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

/* A record that cannot be read is one row. */
START_TEST(behind_a_record)
{
	static bool seen[MANY];
	struct compare c;
	struct ts_binding b;
	struct ts_err err;
	unsigned char *bytes;
	int broken = 0, missing = 0;
	size_t n;

	bytes = sqlite_bytes(&n, many_sql);
	/* the first overflow page of each long text begins with the number of the next one */
	for (unsigned char *p = bytes + PAGE; p < bytes + n; p += PAGE)
		if (p[0] == 0 && p[1] == 0 && memcmp(p + 4, "xxxxxxxx", 8) == 0 && (p[2] || p[3])) {
			p[0] = 0xff;
			broken++;
		}
	ck_assert_int_ge(broken, MANY / 500);
	ck_assert(compare_open(&c, bytes, n));
	compare_bind(&b, &c, &c.schema->object[0]);
	read_past(seen, &err, &c, &b, false);
	for (int k = 0; k < MANY; k++) {
		ck_assert(seen[k] || k % 500 == 7);
		missing += !seen[k];
	}
	ck_assert_int_eq(missing, MANY / 500);
	ck_assert_int_eq(err.code, TS_E_DAMAGED);
	ck_assert_ptr_nonnull(
		strstr(err.msg, "row id -3979, row id -2479, row id -979 and 3 more"));
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

/* A cursor that is told to stop. */
START_TEST(cancelled)
{
	size_t n;
	unsigned char *bytes = sqlite_bytes(&n,
		"CREATE TABLE t(a INTEGER);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
		" INSERT INTO t SELECT i FROM n;");
	struct ts_rows_query q = {.columns = {0}, .column_count = 1};
	struct ts_cancel token = {0};
	struct ts_err err = {0};
	struct ts_binding b;
	struct ts_rows *rows;
	struct compare c;
	enum ts_code code;
	bool there;
	int64_t seen = 0;

	ck_assert(compare_open(&c, bytes, n));
	compare_bind(&b, &c, &c.schema->object[0]);
	q.binding = &b;
	ts_db_set_cancel(c.db[PAGES], &token);
	ck_assert_int_eq(ts_rows_open(&rows, c.db[PAGES], &q, &err), TS_OK);
	ck_assert_int_eq(ts_rows_next(rows, &there, &err), TS_OK);
	ts_cancel_set(&token);
	while (!(code = ts_rows_next(rows, &there, &err)) && there)
		seen++;
	ck_assert_int_eq(code, TS_E_CANCELLED);
	ck_assert_int_lt(seen, 1000);
	ts_rows_close(rows);
	/* the connection lives */
	ts_cancel_clear(&token);
	ck_assert_int_eq(ts_rows_open(&rows, c.db[PAGES], &q, &err), TS_OK);
	for (seen = 0; !(code = ts_rows_next(rows, &there, &err)) && there;)
		seen++;
	ck_assert_int_eq(code, TS_OK);
	ck_assert_int_eq(seen, 20000);
	ts_rows_close(rows);
	compare_close(&c);
	sqlite3_free(bytes);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("table");
	TCase *t = tcase_create("table");
	int failed;
	SRunner *r;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, any_table, 0, at_full_depth() ? 40 : 20);
	tcase_add_loop_test(t, damaged_tables, 0, at_full_depth() ? 16 : 10);
	tcase_add_loop_test(t, split_evenly, 1, TS_SPLIT_PARTS + 1);
	tcase_add_test(t, corpus);
	tcase_add_test(t, pages_are_used);
	tcase_add_test(t, refused_again);
	tcase_add_loop_test(t, behind_each_page, 0, 3);
	tcase_add_loop_test(t, behind_circles, 0, 3);
	tcase_add_test(t, behind_by_sqlite);
	tcase_add_test(t, behind_a_record);
	tcase_add_test(t, cancelled);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
