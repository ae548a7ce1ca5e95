/* SPDX-License-Identifier: MIT */
/*
 * Fitting schema maps to files: which tables, views and columns a relation is found in, how its rows are
 * reached, and that what is read by key is what SQL would give.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite_bytes.h"
#include "tilescope/base/embedded.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/report.h"
#include "tilescope/report/rows.h"

struct fixture {
	unsigned char *bytes;
	size_t n;
	struct ts_source *source;
	struct ts_db *db;
	struct ts_schema *schema;
	struct ts_map *map;
	struct ts_binding b;
};

static struct ts_map *
parse(const char *text, ts_map_problem_fn *problem, void *ctx)
{
	char *copy = ts_strdup(text);
	struct ts_err err = {0};
	struct ts_map *map;

	ck_assert_int_eq(ts_map_parse(&map, "a.schema", copy, problem, ctx, &err), TS_OK);
	free(copy);
	return map;
}

static bool
recognises(const struct ts_map *map, const struct ts_schema *schema, struct ts_db *db)
{
	struct ts_err err = {0};
	bool yes;

	ck_assert_int_eq(ts_map_recognises(&yes, map, schema, db, &err), TS_OK);
	return yes;
}

/* A file made by `sql`, and a relation bound in it by `map` (NULL: our own of the SDK). */
static void
make(struct fixture *f, enum ts_relation relation, const char *map, const char *sql)
{
	struct ts_err err = {0};

	*f = (struct fixture){0};
	f->bytes = sqlite_bytes(&f->n, sql);
	ck_assert_int_eq(ts_source_open_mem(&f->source, f->bytes, f->n, &err), TS_OK);
	ck_assert_msg(ts_db_open(&f->db, f->source, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_schema_read(&f->schema, f->db, &err) == TS_OK, "%s", err.msg);
	f->map = parse(map ? map : ts_embedded_find("schemas/poplar3.schema")->text, NULL, NULL);
	ck_assert_ptr_nonnull(f->map);
	ck_assert_msg(ts_binding_make(&f->b, relation, f->map, f->schema, f->db, &err) == TS_OK,
		"%s", err.msg);
}

static void
done(struct fixture *f)
{
	ts_map_free(f->map);
	ts_schema_free(f->schema);
	ts_db_close(f->db);
	ts_source_close(f->source);
	sqlite3_free(f->bytes);
}

/* ---- reading ---- */

enum { ROWS_MAX = 5000, BAD = -2, NONE = -1 };

struct read {
	int count;
	int64_t key[ROWS_MAX], second[ROWS_MAX]; /* NONE: NULL, BAD: no number */
	int64_t rowid[ROWS_MAX];
};

static int64_t
value_of(struct ts_rows *rows, int i)
{
	int64_t v;
	enum ts_value value = ts_rows_number(rows, i, &v);

	if (value != TS_VALUE_OK && v != 0)
		ck_abort_msg("%lld where there is no number", (long long)v);
	return value == TS_VALUE_OK ? v : value == TS_VALUE_NULL ? NONE : BAD;
}

/* Two columns of the relation, of the rows in a range. */
static void
read_rows(struct read *out, const struct fixture *f, int key, int second, enum ts_range range,
	int64_t from, int64_t to, int64_t limit)
{
	const struct ts_rows_query q = {.binding = &f->b,
		.columns = {key, second},
		.column_count = 2,
		.range = range,
		.from = from,
		.to = to,
		.limit = limit};
	struct ts_rows *rows;
	struct ts_err err = {0};
	bool there;

	out->count = 0;
	ck_assert_msg(ts_rows_open(&rows, f->db, &q, &err) == TS_OK, "%s", err.msg);
	while (ts_rows_next(rows, &there, &err) == TS_OK && there) {
		if (out->count == ROWS_MAX)
			ck_abort_msg("too many rows");
		out->key[out->count] = value_of(rows, 0);
		out->second[out->count] = value_of(rows, 1);
		out->rowid[out->count] = 0;
		ts_rows_rowid(rows, &out->rowid[out->count]);
		out->count++;
	}
	ck_assert_msg(err.code == TS_OK, "%s", err.msg);
	ts_rows_close(rows);
}

static struct read all, part, want;

/* Rows of `all` with from <= key < to, by key, equals as they stand. */
static void
expect_range(int64_t from, int64_t to)
{
	want.count = 0;
	for (int i = 0; i < all.count; i++) {
		int at = want.count;

		if (all.key[i] < from || all.key[i] >= to)
			continue;
		while (at > 0 && want.key[at - 1] > all.key[i])
			at--;
		for (int k = want.count++; k > at; k--) {
			want.key[k] = want.key[k - 1];
			want.second[k] = want.second[k - 1];
		}
		want.key[at] = all.key[i];
		want.second[at] = all.second[i];
	}
}

/* By key, equals as they stand: what is reached forwards comes in the order of its rows. */
static void
sort_by_key(struct read *r)
{
	for (int i = 1; i < r->count; i++)
		for (int k = i; k > 0 && r->key[k - 1] > r->key[k]; k--) {
			int64_t key = r->key[k], second = r->second[k];

			r->key[k] = r->key[k - 1];
			r->second[k] = r->second[k - 1];
			r->key[k - 1] = key;
			r->second[k - 1] = second;
		}
}

static void
check_range(const struct fixture *f, int key, int second, int64_t from, int64_t to)
{
	expect_range(from, to);
	read_rows(&part, f, key, second, TS_RANGE_KEY, from, to, 0);
	sort_by_key(&part);
	ck_assert_msg(part.count == want.count, "[%lld, %lld): %d rows, expected %d",
		(long long)from, (long long)to, part.count, want.count);
	for (int i = 0; i < part.count; i++)
		if (part.key[i] != want.key[i] || part.second[i] != want.second[i])
			ck_abort_msg("[%lld, %lld): row %d has %lld, %lld, expected %lld, %lld",
				(long long)from, (long long)to, i, (long long)part.key[i],
				(long long)part.second[i], (long long)want.key[i],
				(long long)want.second[i]);
	for (int limit = 1; limit < 4; limit += 2) {
		read_rows(&part, f, key, second, TS_RANGE_KEY, from, to, limit);
		ck_assert_int_eq(part.count, want.count < limit ? want.count : limit);
	}
}

static void
check_ranges(const struct fixture *f, int key, int second)
{
	static const int64_t ends[] = {0, 1, 7, 99, 100, 101, 333, 1000, TS_NUMBER_MAX};

	read_rows(&all, f, key, second, TS_RANGE_ALL, 0, 0, 0);
	for (size_t i = 0; i < TS_COUNT(ends); i++)
		for (size_t k = 0; k < TS_COUNT(ends); k++)
			check_range(f, key, second, ends[i], ends[k]);
}

/* ---- how steps are reached ---- */

#define N(n) "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #n " - 1) "
#define TYPES "'OnTileExecute', i * 3, i * 2 FROM n;"
#define STEP_COLUMNS "type TEXT, program INTEGER, compute_set INTEGER"
#define BASE                                           \
	"CREATE TABLE base (id INTEGER, " STEP_COLUMNS \
	");" N(300) "INSERT INTO base SELECT i * 2, " TYPES

static const struct {
	const char *what, *sql;
	enum ts_reach_kind key;
	const char *rows; /* the object that rows are read from */
	bool has_rowid;
} reaches[] = {
	{"in order",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i, " TYPES,
		TS_REACH_MONOTONE, "steps", true},
	{"equal keys",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i / 7 * 5, " TYPES,
		TS_REACH_MONOTONE, "steps", true},
	{"the row id",
		"CREATE TABLE steps (id INTEGER PRIMARY KEY, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 3, " TYPES,
		TS_REACH_ROWID, "steps", true},
	{"the row id, not first",
		"CREATE TABLE steps (" STEP_COLUMNS ", id INTEGER PRIMARY KEY);" N(
			300) "INSERT INTO steps SELECT 'x', i, i, i * 3 FROM n;",
		TS_REACH_ROWID, "steps", true},
	{"a primary key that is not the row id",
		"CREATE TABLE steps (id INT PRIMARY KEY, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 307, " TYPES,
		TS_REACH_INDEX, "steps", true},
	{"a descending primary key",
		"CREATE TABLE steps (id INTEGER PRIMARY KEY DESC, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 307, " TYPES,
		TS_REACH_INDEX, "steps", true},
	{"an index",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 100, " TYPES
			    "CREATE INDEX x ON steps (id);",
		TS_REACH_INDEX, "steps", true},
	{"an index of two, the second falls",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 100, 'x', 1000 - i, i FROM n;"
			    "CREATE INDEX x ON steps (id, program);",
		TS_REACH_INDEX, "steps", true},
	{"an index that begins with another column",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 100, " TYPES
			    "CREATE INDEX x ON steps (type, id);",
		TS_REACH_NONE, "steps", true},
	{"an index on a part",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 100, " TYPES
			    "CREATE INDEX x ON steps (id) WHERE id > 50;",
		TS_REACH_NONE, "steps", true},
	{"an index on an expression",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 100, " TYPES
			    "CREATE INDEX x ON steps (id + 1);",
		TS_REACH_NONE, "steps", true},
	{"in no order",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i * 7 % 100, " TYPES,
		TS_REACH_NONE, "steps", true},
	{"one row out of order",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT iif(i = 250, 3, i), " TYPES,
		TS_REACH_NONE, "steps", true},
	{"without row ids",
		"CREATE TABLE steps (id INTEGER PRIMARY KEY, " STEP_COLUMNS
		") WITHOUT ROWID;" N(300) "INSERT INTO steps SELECT i * 2, " TYPES,
		TS_REACH_INDEX, "steps", false},
	{"without row ids, another key",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		", PRIMARY KEY (program)) WITHOUT ROWID;" N(
			300) "INSERT INTO steps SELECT i * 7 % 307, " TYPES,
		TS_REACH_NONE, "steps", false},
	{"gaps and negative row ids",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps (rowid, id, type, program) SELECT"
			    " (i - 150) * 1000000007, i * 2, 'x', i FROM n;",
		TS_REACH_MONOTONE, "steps", true},
	{"row ids at both ends",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS ");"
		"INSERT INTO steps (rowid, id, type, program) VALUES"
		" (-9223372036854775807 - 1, 1, 'x', 1), (0, 50, 'x', 2), (5, 100, 'x', 3),"
		" (9223372036854775807, 333, 'x', 4);",
		TS_REACH_MONOTONE, "steps", true},
	{"the row id at both ends",
		"CREATE TABLE steps (id INTEGER PRIMARY KEY, " STEP_COLUMNS ");"
		"INSERT INTO steps VALUES (-9223372036854775807 - 1, 'x', 1, 1), (0, 'x', 1, 2),"
		" (100, 'x', 1, 3), (9223372036854775807, 'x', 1, 4);",
		TS_REACH_ROWID, "steps", true},
	{"a column called rowid",
		"CREATE TABLE steps (rowid TEXT, oid TEXT, id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT 'a', 'b', i, " TYPES,
		TS_REACH_MONOTONE, "steps", true},
	{"columns with all three names of the row id",
		"CREATE TABLE steps (rowid, oid, _rowid_, id INTEGER, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT 9, 9, 9, i, " TYPES,
		TS_REACH_NONE, "steps", false},
	{"hostile keys",
		"CREATE TABLE steps (id, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT CASE i % 10 WHEN 3 THEN NULL WHEN 5 THEN 'x' "
			    "WHEN 7 THEN i + 0.5 WHEN 8 THEN x'00' ELSE i END, " TYPES,
		TS_REACH_MONOTONE, "steps", true},
	{"a hundred rows without a key",
		"CREATE TABLE steps (id, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT iif(i BETWEEN 100 AND 200, NULL, i), " TYPES,
		TS_REACH_MONOTONE, "steps", true},
	{"whole numbers as reals",
		"CREATE TABLE steps (id, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT CAST(i AS REAL), " TYPES,
		TS_REACH_MONOTONE, "steps", true},
	{"falling reals among rising integers",
		"CREATE TABLE steps (id, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT iif(i % 2, i, 1000.0 - i), " TYPES,
		TS_REACH_NONE, "steps", true},
	{"negative and huge keys in order",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS ");"
		"INSERT INTO steps VALUES (-9223372036854775807 - 1, 'x', 1, 1), (-1, 'x', 2, 2),"
		" (0, 'x', 3, 3), (100, 'x', 4, 4), (9223372036854775807, 'x', 5, 5);",
		TS_REACH_MONOTONE, "steps", true},
	{"keys as text with an index",
		"CREATE TABLE steps (id TEXT, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT i, " TYPES "CREATE INDEX x ON steps (id);",
		TS_REACH_INDEX, "steps", true},
	{"mixed keys with an index",
		"CREATE TABLE steps (id, " STEP_COLUMNS
		");" N(300) "INSERT INTO steps SELECT CASE i % 10 WHEN 3 THEN NULL WHEN 5 THEN 'x' "
			    "WHEN 7 THEN i + 0.5 WHEN 8 THEN CAST(i AS REAL) ELSE 300 - i END, " TYPES
			    "CREATE INDEX x ON steps (id);",
		TS_REACH_INDEX, "steps", true},
	{"no rows", "CREATE TABLE steps (id INTEGER, " STEP_COLUMNS ");", TS_REACH_NONE, "steps",
		true},
	{"one row",
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		"); INSERT INTO steps VALUES (7, 'x', 1, 1);",
		TS_REACH_MONOTONE, "steps", true},
	{"a view", BASE "CREATE VIEW steps AS SELECT * FROM base;", TS_REACH_MONOTONE, "base",
		true},
	{"a view with other names",
		"CREATE TABLE base (a INTEGER, b TEXT, c INTEGER, d INTEGER);" N(
			300) "INSERT INTO base SELECT i * 2, " TYPES
			     "CREATE VIEW steps (compute_set, program, type, id) AS SELECT d, c, b, a FROM base;",
		TS_REACH_MONOTONE, "base", true},
	{"a view of a view",
		BASE "CREATE VIEW v AS SELECT id AS k, type, program, compute_set FROM base;"
		     "CREATE VIEW steps AS SELECT k AS id, type, program, compute_set FROM v;",
		TS_REACH_MONOTONE, "base", true},
	{"a view of a table with a row id",
		"CREATE TABLE base (k INTEGER PRIMARY KEY, " STEP_COLUMNS
		");" N(300) "INSERT INTO base SELECT i * 2, " TYPES
			    "CREATE VIEW steps AS SELECT k AS id, type, program, compute_set FROM base;",
		TS_REACH_ROWID, "base", true},
	{"a filtered view", BASE "CREATE VIEW steps AS SELECT * FROM base WHERE program > 30;",
		TS_REACH_NONE, "steps", false},
	{"a joined view",
		BASE "CREATE TABLE other (p INTEGER); INSERT INTO other SELECT id FROM base;"
		     "CREATE VIEW steps AS SELECT base.* FROM base JOIN other ON p = id;",
		TS_REACH_NONE, "steps", false},
	{"a view of a few", BASE "CREATE VIEW steps AS SELECT * FROM base LIMIT 100;",
		TS_REACH_NONE, "steps", false},
	{"a view of the last", BASE "CREATE VIEW steps AS SELECT * FROM base LIMIT -1 OFFSET 20;",
		TS_REACH_NONE, "steps", false},
	{"a sorted view", BASE "CREATE VIEW steps AS SELECT * FROM base ORDER BY id DESC;",
		TS_REACH_NONE, "steps", false},
	{"a view backwards", BASE "CREATE VIEW steps AS SELECT * FROM base ORDER BY rowid DESC;",
		TS_REACH_NONE, "steps", false},
	{"an aggregate",
		BASE
		"CREATE VIEW steps AS SELECT id / 10 AS id, max(type) AS type, count(*) AS program,"
		" 1 AS compute_set FROM base GROUP BY id / 10;",
		TS_REACH_NONE, "steps", false},
	{"one row in place of all",
		BASE
		"CREATE VIEW steps AS SELECT min(id) AS id, type, program, compute_set FROM base;",
		TS_REACH_NONE, "steps", false},
	{"different rows", BASE "CREATE VIEW steps AS SELECT DISTINCT * FROM base;", TS_REACH_NONE,
		"steps", false},
	{"two tables in one",
		BASE "CREATE VIEW steps AS SELECT * FROM base UNION ALL SELECT * FROM base;",
		TS_REACH_NONE, "steps", false},
	{"a computed key",
		BASE
		"CREATE VIEW steps AS SELECT id + 0 AS id, type, program, compute_set FROM base;",
		TS_REACH_NONE, "steps", false},
	{"a view of values",
		"CREATE VIEW steps AS SELECT 3 AS id, 'x' AS type, 1 AS program, 2 AS compute_set;",
		TS_REACH_NONE, "steps", false},
	{"a view of a table without row ids",
		"CREATE TABLE base (id INTEGER PRIMARY KEY, " STEP_COLUMNS
		") WITHOUT ROWID;" N(300) "INSERT INTO base SELECT i * 2, " TYPES
					  "CREATE VIEW steps AS SELECT * FROM base;",
		TS_REACH_INDEX, "base", false},
};

START_TEST(rows_by_key_equal_sql)
{
	struct fixture f;

	make(&f, TS_STEP, NULL, reaches[_i].sql);
	ck_assert_msg(f.b.bound, "%s: %s", reaches[_i].what, f.b.reason);
	check_ranges(&f, TS_STEP_STEP, TS_STEP_PROGRAM);
	ck_assert_msg(f.b.reach.key == reaches[_i].key, "%s: %s", reaches[_i].what,
		ts_reach_name(f.b.reach.key));
	ck_assert_str_eq(f.b.reach.rows->name, reaches[_i].rows);
	ck_assert_msg(f.b.reach.has_rowid == reaches[_i].has_rowid, "%s", reaches[_i].what);
	ck_assert_str_eq(f.b.object->name, "steps");
	done(&f);
}
END_TEST

/* The rows in front of the answer have smaller keys, the one at it has not. */
START_TEST(bisection_finds_the_first)
{
	struct fixture f;
	struct ts_err err = {0};

	if (reaches[_i].key != TS_REACH_MONOTONE)
		return;
	make(&f, TS_STEP, NULL, reaches[_i].sql);
	read_rows(&all, &f, TS_STEP_STEP, TS_STEP_PROGRAM, TS_RANGE_ALL, 0, 0, 0);
	for (int64_t value = -3; value < 700; value += 1 + value / 50) {
		int64_t at;

		ck_assert_int_eq(ts_reach_bisect(&at, &f.b.reach, f.db, value, &err), TS_OK);
		for (int i = 0; i < all.count; i++)
			if (all.key[i] >= 0 && all.key[i] >= value && all.rowid[i] < at)
				ck_abort_msg("%s: %lld", reaches[_i].what, (long long)value);
	}
	done(&f);
}
END_TEST

START_TEST(bisection_of_plain_rows_is_exact)
{
	struct fixture f;
	struct ts_err err = {0};

	make(&f, TS_STEP, NULL,
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(2000) "INSERT INTO steps (rowid, id, type) SELECT i * i - 1000, i / 3 * 2, 'x' FROM n;");
	for (int value = 0; value < 1400; value++) {
		int64_t at, i = (value + 1) / 2 * 3;

		ck_assert_int_eq(ts_reach_bisect(&at, &f.b.reach, f.db, value, &err), TS_OK);
		if (i < 2000) {
			ck_assert_int_eq(at, i * i - 1000);
		} else {
			ck_assert_int_eq(at, f.b.reach.last_rowid + 1);
		}
	}
	done(&f);
}
END_TEST

START_TEST(large_tables_are_sampled)
{
	struct fixture f;

	make(&f, TS_STEP, NULL,
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(60000) "INSERT INTO steps SELECT i, " TYPES);
	ck_assert_int_eq(f.b.reach.key, TS_REACH_MONOTONE);
	read_rows(&part, &f, TS_STEP_STEP, TS_STEP_PROGRAM, TS_RANGE_KEY, 54321, 54325, 0);
	ck_assert_int_eq(part.count, 4);
	ck_assert_int_eq(part.key[0], 54321);
	ck_assert_int_eq(part.second[3], 54324 * 3);
	done(&f);
	make(&f, TS_STEP, NULL,
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(60000) "INSERT INTO steps SELECT 60000 - i, " TYPES);
	ck_assert_int_eq(f.b.reach.key, TS_REACH_NONE);
	done(&f);
	/* the last row is looked at, too, however the others are spread */
	make(&f, TS_STEP, NULL,
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(60000) "INSERT INTO steps SELECT iif(i < 59995, i, i - 40000), " TYPES);
	ck_assert_int_eq(f.b.reach.key, TS_REACH_NONE);
	done(&f);
}
END_TEST

START_TEST(a_range_of_row_ids)
{
	struct fixture f;

	make(&f, TS_STEP, NULL,
		"CREATE TABLE steps (id INTEGER, " STEP_COLUMNS
		");" N(100) "INSERT INTO steps (rowid, id, type) SELECT i * 10 - 500, i, 'x' FROM n;");
	read_rows(&part, &f, TS_STEP_STEP, TS_STEP_PROGRAM, TS_RANGE_ROWID, -25, 30, 0);
	ck_assert_int_eq(part.count, 5);
	ck_assert_int_eq(part.rowid[0], -20);
	ck_assert_int_eq(part.rowid[4], 20);
	read_rows(&part, &f, TS_STEP_STEP, TS_STEP_PROGRAM, TS_RANGE_ROWID, -25, 30, 2);
	ck_assert_int_eq(part.count, 2);
	done(&f);
}
END_TEST

START_TEST(ranges_that_cannot_be)
{
	struct fixture f;
	struct ts_rows_query q = {.column_count = 1, .range = TS_RANGE_ROWID, .to = 5};
	struct ts_rows *rows;
	struct ts_err err = {0};

	make(&f, TS_STEP, NULL, BASE "CREATE VIEW steps AS SELECT * FROM base WHERE id > 3;");
	q.binding = &f.b;
	ck_assert_int_eq(ts_rows_open(&rows, f.db, &q, &err), TS_E_USAGE);
	ck_assert_ptr_null(rows);
	ts_rows_close(NULL);
	done(&f);
	make(&f, TS_TILE_MEMORY, NULL,
		"CREATE TABLE memory_by_tile (total INTEGER); INSERT INTO memory_by_tile VALUES (1)");
	q.binding = &f.b;
	q.range = TS_RANGE_KEY;
	ck_assert_int_eq(ts_rows_open(&rows, f.db, &q, &err), TS_E_ABSENT);
	done(&f);
}
END_TEST

/* ---- the IPU of a step ---- */

#define PARTS_COLUMNS                                                                 \
	"step_id INTEGER, cycles INTEGER, active_tiles INTEGER, cycles_base INTEGER," \
	" active_cycles_from_min INTEGER, active_cycles_to_max INTEGER"
#define PARTS_VALUES "i / 4, 10 + i % 4, 100, i, 1, 2"

static const struct {
	const char *what, *sql;
	enum ts_op op;
	const char *column; /* its name, or NULL */
	bool guessed;
} ipus[] = {
	{"named",
		"CREATE TABLE steps_by_ipu (ipu INTEGER, " PARTS_COLUMNS
		");" N(400) "INSERT INTO steps_by_ipu SELECT i % 4, " PARTS_VALUES " FROM n;",
		TS_OP_COLUMN, "ipu", false},
	{"named in another way",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ", ipu_id INTEGER);" N(
			400) "INSERT INTO steps_by_ipu SELECT " PARTS_VALUES ", i % 4 FROM n;",
		TS_OP_COLUMN, "ipu_id", false},
	{"renamed",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ", zz INTEGER);" N(
			400) "INSERT INTO steps_by_ipu SELECT " PARTS_VALUES ", i % 4 FROM n;",
		TS_OP_COLUMN, "zz", true},
	{"renamed, first, in another order",
		"CREATE TABLE steps_by_ipu (\"a \"\"b\" INTEGER, " PARTS_COLUMNS
		");" N(400) "INSERT INTO steps_by_ipu SELECT (i + i / 4) % 4, " PARTS_VALUES
			    " FROM n;",
		TS_OP_COLUMN, "a \"b", true},
	{"absent",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS
		");" N(400) "INSERT INTO steps_by_ipu SELECT " PARTS_VALUES " FROM n;",
		TS_OP_ORDER_IN, NULL, true},
	{"text of that name",
		"CREATE TABLE steps_by_ipu (ipu TEXT, " PARTS_COLUMNS
		");" N(400) "INSERT INTO steps_by_ipu SELECT 'IPU ' || (i % 4), " PARTS_VALUES
			    " FROM n;",
		TS_OP_ORDER_IN, NULL, true},
	{"a constant of that name, the IPU of another",
		"CREATE TABLE steps_by_ipu (ipu INTEGER, " PARTS_COLUMNS
		", zz INTEGER);" N(400) "INSERT INTO steps_by_ipu SELECT 4, " PARTS_VALUES
					", 3 - i % 4 FROM n;",
		TS_OP_COLUMN, "zz", true},
	{"decoys: a constant, the step, a counter, from one on, half of them twice",
		"CREATE TABLE steps_by_ipu (d0 INTEGER, d1 INTEGER, d2 INTEGER, d3 INTEGER,"
		" d4 INTEGER, d5, " PARTS_COLUMNS ", zz INTEGER);" N(
			400) "INSERT INTO steps_by_ipu SELECT 0, i / 4, i, i % 4 + 1, i % 2, NULL, " PARTS_VALUES
			     ", i % 4 FROM n;",
		TS_OP_COLUMN, "zz", true},
	{"only decoys",
		"CREATE TABLE steps_by_ipu (d0 INTEGER, d1 INTEGER, d2 INTEGER, d3 INTEGER,"
		" d4 INTEGER, d5, " PARTS_COLUMNS
		");" N(400) "INSERT INTO steps_by_ipu SELECT 0, i / 4, i, i % 4 + 1, i % 2, NULL, " PARTS_VALUES
			    " FROM n;",
		TS_OP_ORDER_IN, NULL, true},
	{"a broken row here and there",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ", zz);" N(
			400) "INSERT INTO steps_by_ipu SELECT " PARTS_VALUES
			     ", CASE i % 97 WHEN 5 THEN -1 WHEN 7 THEN 'x' ELSE i % 4 END FROM n;",
		TS_OP_COLUMN, "zz", true},
	{"steps mixed up",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ", zz);" N(
			400) "INSERT INTO steps_by_ipu SELECT i * 7 % 100, 1, 1, 1, 1, 2, i / 100 FROM n;",
		TS_OP_COLUMN, "zz", true},
	{"many rows",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS
		", d, zz);" N(60000) "INSERT INTO steps_by_ipu SELECT " PARTS_VALUES
				     ", i % 3, i % 4 FROM n;",
		TS_OP_COLUMN, "zz", true},
	{"many IPUs",
		"CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ", d, zz);" N(
			40000) "INSERT INTO steps_by_ipu SELECT i / 400, 1, 1, 1, 1, 2, i % 300, i % 400"
			       " FROM n;",
		TS_OP_COLUMN, "zz", true},
};

START_TEST(the_ipu_of_a_step)
{
	struct fixture f;
	const struct ts_column_binding *cb;

	make(&f, TS_STEP_IPU, NULL, ipus[_i].sql);
	cb = &f.b.column[TS_STEP_IPU_IPU];
	ck_assert_msg(f.b.bound, "%s: %s", ipus[_i].what, f.b.reason);
	ck_assert_msg(cb->op == ipus[_i].op, "%s: operation %d", ipus[_i].what, (int)cb->op);
	if (ipus[_i].column)
		ck_assert_str_eq(f.b.reach.rows->column[cb->a].name, ipus[_i].column);
	ck_assert_msg(cb->guessed == ipus[_i].guessed, "%s", ipus[_i].what);
	done(&f);
}
END_TEST

/* By row order, whatever index SQLite could walk. */
START_TEST(the_order_within_a_step_is_that_of_rows)
{
	static const char *const indexes[] = {"", "CREATE INDEX x ON steps_by_ipu (step_id);",
		"CREATE INDEX x ON steps_by_ipu (step_id, cycles);",
		"CREATE INDEX x ON steps_by_ipu (step_id, cycles, cycles_base);",
		"CREATE INDEX x ON steps_by_ipu (step_id DESC);",
		"CREATE INDEX x ON steps_by_ipu (cycles);"};
	struct fixture f;
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_puts(&sql, "CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ");");
	ts_strbuf_puts(&sql,
		N(400) "INSERT INTO steps_by_ipu SELECT i / 4, 100 - i % 4, 1, i, 1, 2"
		       " FROM n;");
	ts_strbuf_puts(&sql, indexes[_i]);
	make(&f, TS_STEP_IPU, NULL, sql.s);
	ck_assert_int_eq(f.b.column[TS_STEP_IPU_IPU].op, TS_OP_ORDER_IN);
	ck_assert_int_eq(f.b.group, 4);
	read_rows(&all, &f, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES, TS_RANGE_ALL, 0, 0, 0);
	ck_assert_int_eq(all.count, 400);
	for (int i = 0; i < 400; i++) {
		ck_assert_int_eq(all.key[i], i % 4);
		ck_assert_int_eq(all.second[i], 100 - i % 4);
	}
	read_rows(&part, &f, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES, TS_RANGE_KEY, 30, 35, 0);
	ck_assert_int_eq(part.count, 20);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(part.key[i], i % 4);
		ck_assert_int_eq(part.second[i], 100 - i % 4);
	}
	/* a range that begins within a step does not know the first of its rows */
	read_rows(&part, &f, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES, TS_RANGE_ROWID, 11, 20, 0);
	for (int i = 0; i < part.count; i++)
		ck_assert_int_eq(part.key[i], i < 2 ? NONE : (i + 2) % 4);
	read_rows(&part, &f, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES, TS_RANGE_ROWID, -5, 7, 0);
	for (int i = 0; i < part.count; i++)
		ck_assert_int_eq(part.key[i], i % 4);
	ts_strbuf_fini(&sql);
	done(&f);
}
END_TEST

START_TEST(a_position_is_counted_from_the_first_row)
{
	struct fixture f;

	make(&f, TS_TILE_MEMORY, NULL,
		"CREATE TABLE memory_by_tile (total INTEGER);" N(
			50) "INSERT INTO memory_by_tile SELECT i * 10 FROM n;"
			    "CREATE INDEX x ON memory_by_tile (total DESC);");
	ck_assert(f.b.column[TS_TILE_MEMORY_TILE].guessed);
	read_rows(&all, &f, TS_TILE_MEMORY_TILE, TS_TILE_MEMORY_TOTAL, TS_RANGE_ALL, 0, 0, 0);
	ck_assert_int_eq(all.count, 50);
	for (int i = 0; i < 50; i++) {
		ck_assert_int_eq(all.key[i], i);
		ck_assert_int_eq(all.second[i], i * 10);
	}
	/* from the middle on it is not known */
	read_rows(&part, &f, TS_TILE_MEMORY_TILE, TS_TILE_MEMORY_TOTAL, TS_RANGE_ROWID, 11, 20, 0);
	ck_assert_int_eq(part.count, 9);
	ck_assert_int_eq(part.key[0], NONE);
	ck_assert_int_eq(part.second[0], 100);
	done(&f);
}
END_TEST

/* ---- names through a table of strings ---- */

#define VARS "CREATE TABLE vars_info (tile INTEGER, size_bytes INTEGER, category INTEGER, "
#define VARS_ROWS N(100) "INSERT INTO vars_info SELECT i / 10, 1000 + i, 1, "
#define STRINGS N(40) "INSERT INTO vars_string_table SELECT "

static const struct {
	const char *what, *sql;
	const char *reference; /* the column of vars_info, or NULL: no names */
	int first;	       /* of name i % 20: "name <first + i % 20>" */
} dicts[] = {
	{"number and text",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (id INTEGER, string TEXT);" STRINGS
		     "i, 'name ' || i FROM n;",
		"name", 0},
	{"text and number, another reference",
		VARS "name_id INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (string TEXT, id INTEGER);" STRINGS
		     "'name ' || i, i FROM n;",
		"name_id", 0},
	{"a row id",
		VARS "string_id INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER PRIMARY KEY, v TEXT);" STRINGS
		     "i, 'name ' || i FROM n;",
		"string_id", 0},
	{"only text: by row id",
		VARS "name INTEGER);" VARS_ROWS "i % 20 + 1 FROM n;"
		     "CREATE TABLE vars_string_table (v TEXT);" STRINGS "'name ' || i FROM n;",
		"name", 0},
	{"in no order",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER, v TEXT);" STRINGS
		     "i * 7 % 40, 'name ' || (i * 7 % 40) FROM n;",
		"name", 0},
	{"with an index",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER, v TEXT);" STRINGS
		     "i * 7 % 40, 'name ' || (i * 7 % 40) FROM n;"
		     "CREATE INDEX x ON vars_string_table (k);",
		"name", 0},
	{"without row ids",
		VARS
		"name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		"CREATE TABLE vars_string_table (k INTEGER PRIMARY KEY, v TEXT) WITHOUT ROWID;" STRINGS
		"i, 'name ' || i FROM n;",
		"name", 0},
	{"a view",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE t (k INTEGER, v TEXT);"
		     "CREATE VIEW vars_string_table AS SELECT v AS a, k AS b FROM t;" N(
			     40) "INSERT INTO t SELECT i, 'name ' || i FROM n;",
		"name", 0},
	{"a reference of any name",
		VARS "zz INTEGER, flag TEXT);" VARS_ROWS "i % 20 + 5, 'x' FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER, v TEXT);" STRINGS
		     "i + 5, 'name ' || (i + 5) FROM n;",
		"zz", 5},
	{"two references of any name: neither",
		VARS "zz INTEGER, yy INTEGER);" VARS_ROWS "i % 20, i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER, v TEXT);" STRINGS
		     "i, 'name ' || i FROM n;",
		NULL, 0},
	{"no string table", VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;", NULL, 0},
	{"a string table without text",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER, v INTEGER);" STRINGS
		     "i, i FROM n;",
		NULL, 0},
	{"an empty string table",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE TABLE vars_string_table (k INTEGER, v TEXT);",
		NULL, 0},
	{"a string table that cannot be read",
		VARS "name INTEGER);" VARS_ROWS "i % 20 FROM n;"
		     "CREATE VIEW vars_string_table AS SELECT * FROM nowhere;",
		NULL, 0},
};

START_TEST(names_by_dictionary)
{
	struct fixture f;
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_NAME, TS_LOWERED_VARIABLE_BYTES},
		.column_count = 2};
	struct ts_rows *rows;
	struct ts_err err = {0};
	bool there;
	int i = 0;

	make(&f, TS_LOWERED_VARIABLE, NULL, dicts[_i].sql);
	ck_assert_msg(f.b.bound, "%s: %s", dicts[_i].what, f.b.reason);
	ck_assert_msg(ts_binding_has(&f.b, TS_LOWERED_VARIABLE_NAME) ==
			(dicts[_i].reference != NULL),
		"%s", dicts[_i].what);
	if (dicts[_i].reference)
		ck_assert_str_eq(f.b.reach.rows->column[f.b.column[TS_LOWERED_VARIABLE_NAME].a]
					 .name,
			dicts[_i].reference);
	q.binding = &f.b;
	ck_assert_int_eq(ts_rows_open(&rows, f.db, &q, &err), TS_OK);
	for (; ts_rows_next(rows, &there, &err) == TS_OK && there; i++) {
		char name[40];
		const char *s;
		size_t n;
		enum ts_value value = ts_rows_text(rows, 0, &s, &n);

		if (!dicts[_i].reference) {
			ck_assert_int_eq(value, TS_VALUE_NULL);
			continue;
		}
		snprintf(name, sizeof(name), "name %d", dicts[_i].first + i % 20);
		ck_assert_msg(value == TS_VALUE_OK, "%s: row %d", dicts[_i].what, i);
		ck_assert_uint_eq(n, strlen(name));
		ck_assert_mem_eq(s, name, n);
	}
	ck_assert_int_eq(i, 100);
	ts_rows_close(rows);
	done(&f);
}
END_TEST

/* ---- values ---- */

static const struct {
	const char *sql;
	enum ts_value number;
	int64_t v;
	enum ts_value real, text, blob;
} values[] = {
	{"NULL", TS_VALUE_NULL, 0, TS_VALUE_NULL, TS_VALUE_NULL, TS_VALUE_NULL},
	{"0", TS_VALUE_OK, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"-1", TS_VALUE_BAD, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"4611686018427387904", TS_VALUE_OK, TS_NUMBER_MAX, TS_VALUE_OK, TS_VALUE_BAD,
		TS_VALUE_BAD},
	{"4611686018427387905", TS_VALUE_BAD, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"9223372036854775807", TS_VALUE_BAD, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"-9223372036854775807 - 1", TS_VALUE_BAD, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"7.0", TS_VALUE_OK, 7, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"7.5", TS_VALUE_BAD, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"-0.0", TS_VALUE_OK, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"1e300", TS_VALUE_BAD, 0, TS_VALUE_OK, TS_VALUE_BAD, TS_VALUE_BAD},
	{"9e999", TS_VALUE_BAD, 0, TS_VALUE_BAD, TS_VALUE_BAD, TS_VALUE_BAD},
	{"'7'", TS_VALUE_BAD, 0, TS_VALUE_BAD, TS_VALUE_OK, TS_VALUE_BAD},
	{"''", TS_VALUE_BAD, 0, TS_VALUE_BAD, TS_VALUE_OK, TS_VALUE_BAD},
	{"x'00ff'", TS_VALUE_BAD, 0, TS_VALUE_BAD, TS_VALUE_BAD, TS_VALUE_OK},
	{"x''", TS_VALUE_BAD, 0, TS_VALUE_BAD, TS_VALUE_BAD, TS_VALUE_OK},
};

static const char values_map[] = "map m\nrecognise t\nrelation memory_category t\n"
				 "column category v\ncolumn name v\n";

START_TEST(values_are_checked)
{
	struct fixture f;
	struct ts_rows_query q = {.columns = {TS_MEMORY_CATEGORY_CATEGORY, TS_MEMORY_CATEGORY_NAME},
		.column_count = 2};
	struct ts_rows *rows;
	struct ts_err err = {0};
	char sql[200];
	const char *s;
	const void *bytes;
	bool there;
	double real;
	size_t n;

	snprintf(sql, sizeof(sql), "CREATE TABLE t (v); INSERT INTO t VALUES (%s)", values[_i].sql);
	make(&f, TS_MEMORY_CATEGORY, values_map, sql);
	q.binding = &f.b;
	ck_assert_int_eq(ts_rows_open(&rows, f.db, &q, &err), TS_OK);
	ck_assert_int_eq(ts_rows_next(rows, &there, &err), TS_OK);
	ck_assert(there);
	ck_assert_int_eq(value_of(rows, 0),
		values[_i].number == TS_VALUE_OK	     ? values[_i].v
			: values[_i].number == TS_VALUE_NULL ? NONE
							     : BAD);
	ck_assert_int_eq(ts_rows_real(rows, 0, &real), values[_i].real);
	ck_assert_int_eq(ts_rows_text(rows, 1, &s, &n), values[_i].text);
	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(ts_rows_blob(rows, 1, &bytes, &n), values[_i].blob);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(ts_rows_next(rows, &there, &err), TS_OK);
	ck_assert(!there);
	ts_rows_close(rows);
	done(&f);
}
END_TEST

static const struct {
	const char *a, *b;
	int64_t sum, difference;
} pairs[] = {
	{"5", "3", 8, 2},
	{"3", "5", 8, BAD},
	{"0", "0", 0, 0},
	{"NULL", "5", NONE, NONE},
	{"5", "NULL", NONE, NONE},
	{"'x'", "5", BAD, BAD},
	{"5", "-1", BAD, BAD},
	{"4611686018427387904", "1", TS_NUMBER_MAX + 1, TS_NUMBER_MAX - 1},
	{"4611686018427387904", "4611686018427387904", BAD, 0},
	{"4611686018427387903", "1", TS_NUMBER_MAX, TS_NUMBER_MAX - 2},
};

START_TEST(sums_do_not_overflow)
{
	static const char map[] = "map m\nrecognise t\nrelation class_interval t\n"
				  "column class =7\ncolumn start a+b\ncolumn end a-b\n";
	struct fixture f;
	char sql[200];

	snprintf(sql, sizeof(sql), "CREATE TABLE t (a, b); INSERT INTO t VALUES (%s, %s)",
		pairs[_i].a, pairs[_i].b);
	make(&f, TS_CLASS_INTERVAL, map, sql);
	ck_assert_msg(f.b.bound, "%s", f.b.reason);
	read_rows(&all, &f, TS_CLASS_INTERVAL_START, TS_CLASS_INTERVAL_END, TS_RANGE_ALL, 0, 0, 0);
	ck_assert_int_eq(all.count, 1);
	ck_assert_int_eq(all.key[0], pairs[_i].sum);
	ck_assert_int_eq(all.second[0], pairs[_i].difference);
	done(&f);
}
END_TEST

/* ---- maps ---- */

static void
note(void *ctx, const char *file, int line, const char *reason)
{
	ts_strbuf_printf(ctx, "%s:%d: %s\n", file, line, reason);
}

START_TEST(our_own_maps_are_right)
{
	static const char *const names[] = {"schemas/poplar3.schema", "schemas/store.schema"};
	struct ts_strbuf told;

	for (size_t i = 0; i < TS_COUNT(names); i++) {
		struct ts_map *map;

		ts_strbuf_init(&told, 1 << 12);
		map = parse(ts_embedded_find(names[i])->text, note, &told);
		ck_assert_ptr_nonnull(map);
		ck_assert_str_eq(told.s, "");
		ts_map_free(map);
		ts_strbuf_fini(&told);
	}
}
END_TEST

START_TEST(names_with_quotes_and_blanks)
{
	struct fixture f;

	make(&f, TS_STEP,
		"map m\nrecognise x\nrelation step \"no such\" \"ta\\\"b'le; --\"\n"
		"column step \"i\\\"d\"\ncolumn type \"select\"\ncolumn program \"a b\"\n",
		"CREATE TABLE \"ta\"\"b'le; --\" (\"i\"\"d\" INTEGER, \"select\" TEXT, \"a b\" INTEGER);" N(
			300) "INSERT INTO \"ta\"\"b'le; --\" SELECT i * 2, 'x', i FROM n;");
	ck_assert_msg(f.b.bound, "%s", f.b.reason);
	ck_assert_int_eq(f.b.reach.key, TS_REACH_MONOTONE);
	check_ranges(&f, TS_STEP_STEP, TS_STEP_PROGRAM);
	done(&f);
}
END_TEST

static const struct {
	enum ts_relation relation;
	const char *sql, *reason; /* in the reason; NULL: bound */
} absents[] = {
	{TS_STEP, "CREATE TABLE x (a)", "no table \"steps\""},
	{TS_STEP, "CREATE TABLE steps (type)", "step (id)"},
	{TS_STEP, "CREATE TABLE steps (id)", "type (type)"},
	{TS_STEP, "CREATE TABLE steps (id, type)", NULL},
	{TS_STEP, "CREATE TABLE STEPS (ID, Type)", NULL},
	{TS_STEP, "CREATE VIEW steps AS SELECT * FROM nowhere", "steps"},
	{TS_STEP, "CREATE VIEW steps AS SELECT id, type FROM steps", "steps"},
	{TS_STEP_IPU,
		"CREATE TABLE steps_by_ipu (step_id, cycles, cycles_base, active_cycles_to_max)",
		"start (cycles_base, active_cycles_from_min)"},
	{TS_STEP_IPU, "CREATE TABLE steps_by_ipu (" PARTS_COLUMNS ")", NULL},
	{TS_STEP_IPU, "CREATE TABLE steps_by_ipu (cycles)", "step (step_id)"},
	{TS_CONTEXT, "CREATE TABLE context (context)", "no known table"},
	{TS_LOWERED_VARIABLE, "CREATE TABLE vars_info (tile, size_bytes)", NULL},
	{TS_LOWERED_VARIABLE, "CREATE TABLE vars_info (size_bytes)", "tile (tile)"},
};

START_TEST(what_is_absent_has_a_reason)
{
	struct fixture f;

	make(&f, absents[_i].relation, NULL, absents[_i].sql);
	ck_assert_msg(f.b.bound == !absents[_i].reason, "%s: %s", absents[_i].sql, f.b.reason);
	if (absents[_i].reason)
		ck_assert_msg(strstr(f.b.reason, absents[_i].reason), "%s", f.b.reason);
	for (int c = 0; c < TS_RELATION_COLUMNS; c++)
		ck_assert(f.b.bound || !ts_binding_has(&f.b, c));
	done(&f);
}
END_TEST

START_TEST(a_store_is_recognised_by_its_key)
{
	static const char store[] = "map store\nrecognise report\nidentity report store_version\n";
	struct fixture f;
	struct ts_map *map = parse(store, NULL, NULL);

	make(&f, TS_STEP, NULL, "CREATE TABLE report (key, value); CREATE TABLE steps (id, type);");
	ck_assert(!recognises(map, f.schema, f.db));
	ck_assert(recognises(f.map, f.schema, f.db));
	done(&f);
	make(&f, TS_STEP, store,
		"CREATE TABLE report (key, value); INSERT INTO report VALUES ('store_version', '1');"
		"CREATE TABLE step (step INTEGER PRIMARY KEY, type TEXT, program INTEGER, extra);"
		"INSERT INTO step VALUES (5, 'x', 2, 1), (6, 'y', 3, 1);");
	ck_assert(recognises(map, f.schema, f.db));
	ck_assert(f.b.bound);
	ck_assert_int_eq(f.b.reach.key, TS_REACH_ROWID);
	check_ranges(&f, TS_STEP_STEP, TS_STEP_PROGRAM);
	done(&f);
	make(&f, TS_STEP, NULL, "CREATE VIEW report AS SELECT 'store_version' AS key, 1 AS value;");
	ck_assert(recognises(map, f.schema, f.db));
	done(&f);
	ts_map_free(map);
}
END_TEST

/* ---- no report ---- */

static char dir[64];

static void
make_dir(void)
{
	snprintf(dir, sizeof(dir), "/tmp/ts-binding-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
remove_dir(void)
{
	char command[100];

	static const char *const names[] = {"profile.pop", "a.schema", "b.schema", "c.schema",
		"d.txt"};

	for (size_t i = 0; i < TS_COUNT(names); i++) {
		snprintf(command, sizeof(command), "%s/%s", dir, names[i]);
		unlink(command);
	}
	ck_assert_int_eq(rmdir(dir), 0);
}

static void
write_file(const char *name, const void *bytes, size_t n)
{
	char path[100];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(bytes, 1, n, out), n);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(sqlite_of_something_else)
{
	struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_err err = {0};
	size_t n;
	unsigned char *bytes = sqlite_bytes(&n,
		"CREATE TABLE a (x); CREATE TABLE b (x); CREATE VIEW c AS SELECT 1;"
		"CREATE TABLE d (x); CREATE TABLE e (x); CREATE TABLE f (x); CREATE TABLE g (x)");

	write_file("profile.pop", bytes, n);
	ck_assert_int_eq(ts_report_open(&r, dir, &options, &err), TS_E_FORMAT);
	ck_assert_ptr_null(r);
	ck_assert_ptr_nonnull(strstr(err.msg, "a, b, c, d, e, f and 1 more"));
	options.any = true;
	ck_assert_int_eq(ts_report_open(&r, dir, &options, &err), TS_OK);
	for (int i = 0; i < TS_RELATION_COUNT; i++) {
		ck_assert(!r->binding[i].bound);
		ck_assert_int_ne(r->binding[i].reason[0], '\0');
	}
	ts_report_close(r);
	sqlite3_free(bytes);
}
END_TEST

static void
add_reading(Suite *s)
{
	TCase *c = tcase_create("rows");

	tcase_set_timeout(c, 30);
	tcase_add_loop_test(c, rows_by_key_equal_sql, 0, (int)TS_COUNT(reaches));
	tcase_add_loop_test(c, bisection_finds_the_first, 0, (int)TS_COUNT(reaches));
	tcase_add_test(c, bisection_of_plain_rows_is_exact);
	tcase_add_test(c, large_tables_are_sampled);
	tcase_add_test(c, a_range_of_row_ids);
	tcase_add_test(c, ranges_that_cannot_be);
	tcase_add_loop_test(c, values_are_checked, 0, (int)TS_COUNT(values));
	tcase_add_loop_test(c, sums_do_not_overflow, 0, (int)TS_COUNT(pairs));
	suite_add_tcase(s, c);
}

static void
add_columns(Suite *s)
{
	TCase *c = tcase_create("columns");

	tcase_set_timeout(c, 30);
	tcase_add_loop_test(c, the_ipu_of_a_step, 0, (int)TS_COUNT(ipus));
	tcase_add_loop_test(c, the_order_within_a_step_is_that_of_rows, 0, 6);
	tcase_add_test(c, a_position_is_counted_from_the_first_row);
	tcase_add_loop_test(c, names_by_dictionary, 0, (int)TS_COUNT(dicts));
	tcase_add_loop_test(c, what_is_absent_has_a_reason, 0, (int)TS_COUNT(absents));
	suite_add_tcase(s, c);
	c = tcase_create("maps");
	tcase_add_checked_fixture(c, make_dir, remove_dir);
	tcase_add_test(c, our_own_maps_are_right);
	tcase_add_test(c, names_with_quotes_and_blanks);
	tcase_add_test(c, a_store_is_recognised_by_its_key);
	tcase_add_test(c, sqlite_of_something_else);
	suite_add_tcase(s, c);
}

int
main(void)
{
	Suite *s = suite_create("binding");
	SRunner *r;
	int failed;

	add_reading(s);
	add_columns(s);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
