/* SPDX-License-Identifier: MIT */
/*
 * test_plan - rows that were named come without another round trip, whatever the tables; a round trip is a level of the trees.
 *
 * The far source counts itself: what was named is on its way and there after the next wait, what was not costs a wait of
 * its own.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/damage.h"
#include "tilescope/db/plan.h"
#include "tilescope/db/table.h"
#include "tilescope/report/rows.h"

#include "depth.h"
#include "../../src/report/binding_internal.h"

enum { UNIT = 512, ROWS = 30000, TABLES = 3 };

enum is { AWAY, COMING, HERE };

struct far {
	struct ts_source base;
	const unsigned char *bytes;
	unsigned char *is; /* by unit */
	int trips, asked;
};

static struct ts_err err;

static size_t
units(const struct far *f)
{
	return (size_t)(f->base.size + UNIT - 1) / UNIT;
}

static void
far_want(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent,
	struct ts_source_meter *meter)
{
	struct far *f = (struct far *)s;

	(void)urgent;
	(void)meter;
	for (size_t i = 0; i < count; i++)
		for (size_t u = (size_t)span[i].offset / UNIT;
			u < units(f) && u * UNIT < (size_t)span[i].offset + span[i].n; u++)
			if (f->is[u] == AWAY) {
				f->is[u] = COMING;
				f->asked++;
			}
}

static enum ts_code
far_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *e)
{
	struct far *f = (struct far *)s;
	bool away = false;

	(void)cancel;
	(void)e;
	if (offset >= f->base.size)
		return TS_OK;
	*got = (size_t)ts_min_i64((int64_t)n, f->base.size - offset);
	for (size_t u = (size_t)offset / UNIT; u * UNIT < (size_t)offset + *got; u++)
		away |= f->is[u] != HERE;
	if (away) { /* and all that is on its way comes with it */
		f->trips++;
		for (size_t u = 0; u < units(f); u++)
			if (f->is[u] == COMING)
				f->is[u] = HERE;
		for (size_t u = (size_t)offset / UNIT; u * UNIT < (size_t)offset + *got; u++) {
			f->asked += f->is[u] == AWAY;
			f->is[u] = HERE;
		}
	}
	memcpy(buf, f->bytes + offset, *got);
	return TS_OK;
}

static size_t
far_here(struct ts_source *s, int64_t offset, size_t n)
{
	struct far *f = (struct far *)s;
	size_t u = (size_t)offset / UNIT;

	while (u < units(f) && u * UNIT < (size_t)offset + n && f->is[u] == HERE)
		u++;
	return u * UNIT <= (size_t)offset
		? 0
		: (size_t)ts_min_i64((int64_t)n, (int64_t)u * UNIT - offset);
}

static const struct ts_source_ops far_ops = {.read_at = far_read,
	.want = far_want,
	.here = far_here};
static const struct ts_source_ops near_ops = {.read_at = far_read};

struct fixture {
	unsigned char *bytes;
	sqlite3_int64 n;
	struct far far;
	struct ts_db *db;
	struct ts_schema *schema;
	const struct ts_object *o[TABLES];
};

/* Three tables of rising size: a leaf, two levels, three or more. */
static const char plain_sql[] =
	"PRAGMA page_size=512;"
	"CREATE TABLE t0 (a, b); CREATE TABLE t1 (a, b); CREATE TABLE t2 (a, b);"
	"INSERT INTO t0 VALUES (1, 2);"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
	" INSERT INTO t1 SELECT i, i * i FROM n;"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
	" INSERT INTO t2(rowid, a, b) SELECT i * 10, i, zeroblob(i % 40) FROM n;";

static void
make(struct fixture *x, const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	x->bytes = sqlite3_serialize(db, "main", &x->n, 0);
	ck_assert_ptr_nonnull(x->bytes);
	sqlite3_close(db);
}

/* A file of these statements, with tables t0 .. */
static void
begin_with(struct fixture *x, bool is_far, const char *sql, int tables)
{
	*x = (struct fixture){0};
	make(x, sql);
	x->far = (struct far){.base = {.ops = is_far ? &far_ops : &near_ops, .size = x->n},
		.bytes = x->bytes};
	x->far.is = ts_alloc(units(&x->far), 1);
	ck_assert_ptr_nonnull(x->far.is);
	ck_assert_int_eq(ts_db_open(&x->db, &x->far.base, &err), TS_OK);
	ck_assert_int_eq(ts_schema_read(&x->schema, x->db, &err), TS_OK);
	for (int i = 0; i < tables; i++) {
		const char name[] = {'t', (char)('0' + i), '\0'};

		x->o[i] = ts_schema_find(x->schema, name);
		ck_assert(x->o[i] && x->o[i]->root > 0);
	}
	x->far.trips = x->far.asked = 0;
}

static void
begin(struct fixture *x, bool is_far)
{
	begin_with(x, is_far, plain_sql, TABLES);
}

static void
end(struct fixture *x)
{
	ts_schema_free(x->schema);
	ts_db_close(x->db);
	free(x->far.is);
	sqlite3_free(x->bytes);
}

static int64_t
value_at(struct fixture *x, int table, int64_t rowid)
{
	const int column = 0;
	struct ts_table *t;
	enum ts_table_at at;
	int64_t v = -1;

	ck_assert_int_eq(ts_table_open(&t, x->db, x->o[table], &column, 1, &err), TS_OK);
	ck_assert_int_eq(ts_table_find(&at, t, rowid, &err), TS_OK);
	ck_assert_int_ne(at, TS_TABLE_UNKNOWN);
	if (at == TS_TABLE_ROW)
		v = ts_table_int(&t->value[0]);
	ts_table_close(t);
	return v;
}

START_TEST(points)
{
	struct ts_plan_rows rows[300];
	struct fixture x;
	int depth;

	begin(&x, true);
	for (int i = 0; i < 300; i++) {
		int table = i % TABLES;
		int64_t at = table == 0 ? 1
			: table == 1	? i + 1
					: (int64_t)(i * 97 % ROWS + 1) * 10;

		rows[i] = (struct ts_plan_rows){x.o[table], at, at, 0, false, 0};
	}
	ck_assert_int_eq(ts_plan_fetch(x.db, rows, 300, &err), TS_OK);
	depth = x.far.trips;
	ck_assert_int_ge(depth, 3);
	ck_assert_int_le(depth, 5);
	for (int i = 0; i < 300; i++)
		ck_assert_int_eq(value_at(&x, i % TABLES, rows[i].from),
			i % TABLES == 2 ? rows[i].from / 10 : rows[i].from);
	ck_assert_int_eq(x.far.trips, depth);
	/* once more: nothing is asked for */
	depth = x.far.asked;
	ck_assert_int_eq(ts_plan_fetch(x.db, rows, 300, &err), TS_OK);
	ck_assert_int_eq(x.far.asked, depth);
	end(&x);
}
END_TEST

/* One by one the same rows take a trip for each level that is not there: what the plan is for. */
START_TEST(without)
{
	struct fixture x;

	begin(&x, true);
	for (int i = 0; i < 100; i++)
		(void)value_at(&x, 2, (int64_t)(i * 297 + 1) * 10);
	ck_assert_int_ge(x.far.trips, 100);
	end(&x);
}
END_TEST

/* A range is all leaves between its ends; a table that is too wide is left out, ends that lie nowhere do no harm. */
START_TEST(ranges)
{
	struct fixture x;
	struct ts_plan_rows rows[] = {{NULL, 100005, 120000, 0, false, 0},
		{NULL, INT64_MAX, INT64_MAX, 0, false, 0},
		{NULL, INT64_MIN, INT64_MIN, 0, false, 0}, {NULL, 7, 3, 0, false, 0},
		{NULL, INT64_MIN, INT64_MAX, 8, false, 0}};
	int trips, asked;

	begin(&x, true);
	for (size_t i = 0; i < TS_COUNT(rows); i++)
		rows[i].o = x.o[2];
	ck_assert_int_eq(ts_plan_fetch(x.db, rows, TS_COUNT(rows), &err), TS_OK);
	trips = x.far.trips;
	asked = x.far.asked;
	ck_assert_int_le(asked, 400); /* of 2,500 pages */
	for (int64_t at = 100010; at <= 120000; at += 10)
		ck_assert_int_eq(value_at(&x, 2, at), at / 10);
	ck_assert_int_eq(value_at(&x, 2, ROWS * 10), ROWS);
	ck_assert_int_eq(value_at(&x, 2, 10), 1);
	ck_assert_int_eq(x.far.trips, trips);
	end(&x);
}
END_TEST

/* All pages above the leaves: then any row takes one trip. */
START_TEST(interior)
{
	struct ts_progress progress = {0};
	struct fixture x;
	int trips;

	begin(&x, true);
	ck_assert_int_eq(ts_plan_interior(x.db, x.o, TABLES, 1000, &progress, &err), TS_OK);
	ck_assert_int_gt(progress.done, 20);
	ck_assert_int_le(x.far.trips, 8);
	for (int i = 1; i < 200; i++) {
		trips = x.far.trips;
		ck_assert_int_eq(value_at(&x, 2, i * 1490), i * 149);
		ck_assert_int_le(x.far.trips, trips + 1);
	}
	end(&x);
	begin(&x, true);
	ck_assert_int_eq(ts_plan_interior(x.db, x.o, TABLES, 5, NULL, &err), TS_OK);
	ck_assert_int_le(x.far.asked, 16);
	end(&x);
}
END_TEST

/* --- indexes, chains ---------------------------------------------------------------------------- */

static const char keyed_sql[] =
	"PRAGMA page_size=512;"
	"CREATE TABLE i (k, v); CREATE INDEX ik ON i (k);"
	"CREATE TABLE w (k INTEGER, v, PRIMARY KEY (k, v)) WITHOUT ROWID;"
	"CREATE TABLE c (k INTEGER PRIMARY KEY, b);"
	"WITH RECURSIVE n(j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM n WHERE j < 8000)"
	" INSERT INTO i SELECT j * 7919 % 8000 / 4 - 500, j FROM n;"
	"INSERT INTO i VALUES (NULL, 1), ('text', 2), (1.5, 3), (x'00', 4);"
	"INSERT INTO w SELECT k, v FROM i WHERE typeof(k) = 'integer';"
	"WITH RECURSIVE n(j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM n WHERE j < 300)"
	" INSERT INTO c SELECT j, zeroblob(j * 11) FROM n;";

static const struct ts_object *
object(struct fixture *x, const char *name)
{
	const struct ts_object *o = ts_schema_find(x->schema, name);

	ck_assert_ptr_nonnull(o);
	return o;
}

/* The sum of a statement's integers, and how many rows it has. */
static int64_t
sum(struct fixture *x, const char *sql, int *rows)
{
	sqlite3_stmt *stmt;
	int64_t v = 0;
	bool row;

	*rows = 0;
	ck_assert_int_eq(ts_db_prepare(x->db, &stmt, sql, &err), TS_OK);
	while (ts_db_step(x->db, stmt, &row, &err) == TS_OK && row) {
		v += sqlite3_column_int64(stmt, 0);
		++*rows;
	}
	ts_db_release(x->db, stmt);
	return v;
}

/* What SQLite goes along for a range of keys is here before it does so, and the rows that it leads to. */
START_TEST(along_an_index)
{
	static const char *const sql[] =
		{"SELECT v FROM i INDEXED BY ik WHERE k >= 100 AND k < 110",
			"SELECT v FROM w WHERE k >= 100 AND k < 110"};
	const char *name[] = {"i", "w"};
	int64_t wanted = 0;

	for (int j = 1; j <= 8000; j++)
		wanted += j * 7919 % 8000 / 4 - 500 >= 100 && j * 7919 % 8000 / 4 - 500 < 110 ? j
											      : 0;
	for (int t = 0; t < 2; t++) {
		struct fixture x;
		struct ts_plan_rows row = {NULL, 100, 109, 256, false, 0};
		int trips, n, alone;

		begin_with(&x, true, keyed_sql, 0);
		row.o = object(&x, name[t]);
		ck_assert_int_eq(ts_plan_index(&row.index, x.db, sql[t], &err), TS_OK);
		ck_assert_uint_gt(row.index, 1);
		x.far.trips = 0;
		ck_assert_int_eq(ts_plan_fetch(x.db, &row, 1, &err), TS_OK);
		trips = x.far.trips;
		ck_assert_int_le(trips, 8);
		ck_assert_int_eq(sum(&x, sql[t], &n), wanted);
		ck_assert_int_eq(n, 40);
		ck_assert_int_eq(x.far.trips, trips);
		end(&x);

		begin_with(&x, true, keyed_sql, 0);
		ck_assert_int_eq(sum(&x, sql[t], &n), wanted);
		alone = x.far.trips;
		end(&x);
		ck_assert_int_ge(alone, t == 0 ? 4 * trips : trips);
	}
}
END_TEST

/* The rows of an index are those of its keys, wherever they stand; the table is read from pages afterwards. */
START_TEST(rows_of_an_index)
{
	struct ts_plan_rows row = {NULL, 100, 109, 256, false, 0};
	struct fixture x;
	int trips;

	begin_with(&x, true, keyed_sql, 0);
	x.o[0] = row.o = object(&x, "i");
	ck_assert_int_eq(ts_plan_index(&row.index, x.db,
				 "SELECT v FROM i INDEXED BY ik WHERE k >= 100", &err),
		TS_OK);
	ck_assert_int_eq(ts_plan_fetch(x.db, &row, 1, &err), TS_OK);
	trips = x.far.trips;
	for (int j = 1; j <= 8000; j++)
		if (j * 7919 % 8000 / 4 - 500 >= 100 && j * 7919 % 8000 / 4 - 500 < 110)
			ck_assert_int_eq(value_at(&x, 0, j), j * 7919 % 8000 / 4 - 500);
	ck_assert_int_eq(x.far.trips, trips);
	ck_assert_int_eq(ts_plan_index(&row.index, x.db, "SELECT b FROM c", &err), TS_OK);
	ck_assert_uint_eq(row.index, 0);
	end(&x);
}
END_TEST

/* Long rows come with all of their pages. */
START_TEST(chains)
{
	struct ts_plan_rows rows[20];
	struct fixture x;
	int trips, n;

	begin_with(&x, true, keyed_sql, 0);
	for (int i = 0; i < 20; i++)
		rows[i] = (struct ts_plan_rows){object(&x, "c"), i * 14 + 10, i * 14 + 10, 0, true,
			0};
	ck_assert_int_eq(ts_plan_fetch(x.db, rows, 20, &err), TS_OK);
	trips = x.far.trips;
	ck_assert_int_le(trips, 5);
	ck_assert_int_eq(
		sum(&x,
			"SELECT length(hex(b)) / 2 FROM c WHERE k % 14 = 10 AND k < 277 AND k IN "
			"(10,24,38,52,66,80,94,108,122,136,150,164,178,192,206,220,234,248,262,276)",
			&n),
		20 * 143 * 11);
	ck_assert_int_eq(n, 20);
	ck_assert_int_eq(x.far.trips, trips);
	end(&x);
}
END_TEST

/* With all that leads to them, a look into an index takes a trip for its leaf and one for each row. */
START_TEST(interior_of_indexes)
{
	const char *sql[] = {"SELECT b.v FROM i AS b NOT INDEXED WHERE rowid = 17",
		"SELECT v FROM i INDEXED BY ik WHERE k = 777", "SELECT v FROM w WHERE k = 1234"};
	struct fixture x;
	int n;

	begin_with(&x, true, keyed_sql, 0);
	x.o[0] = object(&x, "i");
	ck_assert_int_eq(ts_plan_interior(x.db, x.o, 1, 1000, NULL, &err), TS_OK);
	for (int i = 0; i < 3; i++) {
		x.far.trips = 0;
		(void)sum(&x, sql[i], &n);
		ck_assert_int_ge(n, 1);
		ck_assert_int_le(x.far.trips, i == 0 ? 1 : i == 1 ? 1 + n : 2);
	}
	end(&x);
}
END_TEST

/* Damaged pages of an index: no end but an end. */
START_TEST(damaged_index)
{
	uint64_t dice = (uint64_t)_i * 0x9e3779b97f4a7c15u + 1;
	struct ts_plan_rows row[3];
	struct fixture x;

	begin_with(&x, true, keyed_sql, 0);
	for (int i = 0; i < 3; i++)
		row[i] = (struct ts_plan_rows){object(&x, i ? "i" : "c"), INT64_MIN, INT64_MAX, 0,
			true, 0};
	ck_assert_int_eq(ts_plan_index(&row[1].index, x.db,
				 "SELECT v FROM i INDEXED BY ik WHERE k > 1", &err),
		TS_OK);
	row[2].index = (uint32_t)(dice % 3000);
	for (int i = 0; i < 2000; i++) {
		dice ^= dice << 13;
		dice ^= dice >> 7;
		dice ^= dice << 17;
		x.bytes[UNIT * 8 + dice % (uint64_t)(x.n - UNIT * 8)] = (unsigned char)(dice >> 40);
	}
	ck_assert_int_eq(ts_plan_fetch(x.db, row, 3, &err), TS_OK);
	ck_assert_int_eq(ts_plan_interior(x.db, &row[1].o, 1, 1000, NULL, &err), TS_OK);
	end(&x);
}
END_TEST

/* --- a pass over a relation --------------------------------------------------------------------- */

/* Tables of 1,500 pages, and one of 600 rows with ten overflow pages each. */
static const char pass_sql[] =
	"PRAGMA page_size=512;"
	"CREATE TABLE p (k, b);"
	"CREATE TABLE d1 (k, s); CREATE TABLE d2 (k, s); CREATE TABLE d3 (k, s); CREATE TABLE d4 (k, s);"
	"CREATE TABLE c (k, b);"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)"
	" INSERT INTO p SELECT i, zeroblob(400) FROM n;"
	"INSERT INTO d1 SELECT k, zeroblob(400) FROM p; INSERT INTO d2 SELECT k, s FROM d1;"
	"INSERT INTO d3 SELECT k, s FROM d1; INSERT INTO d4 SELECT k, s FROM d1;"
	"INSERT INTO c SELECT k, zeroblob(5000) FROM p LIMIT 600;";

/* What a cursor over all rows names when it is opened: with these dictionaries, or with blobs. */
static int
named(const char *table, const char *const *dictionary, int n, bool blobs)
{
	static const int columns[] = {TS_PROGRAM_NAME, TS_PROGRAM_TYPE, TS_PROGRAM_CONTEXT,
		TS_PROGRAM_REPEAT_COUNT};
	struct ts_rows_query q = {0};
	struct ts_binding *b = ts_alloc(1, sizeof(*b));
	struct ts_rows *rows;
	struct fixture x;
	int asked;

	ck_assert_ptr_nonnull(b);
	begin_with(&x, true, pass_sql, 0);
	b->relation = TS_PROGRAM;
	b->bound = true;
	b->reach = (struct ts_reach){.rows = object(&x, table), .column = -1, .has_rowid = true};
	q.binding = b;
	for (int i = 0; i < n; i++) {
		b->column[columns[i]] = (struct ts_column_binding){.op = TS_OP_DICT,
			.b = -1,
			.dict = {.rows = object(&x, dictionary[i])}};
		q.columns[q.column_count++] = columns[i];
	}
	if (blobs) {
		b->column[TS_PROGRAM_CODE_BY_TILE] =
			(struct ts_column_binding){.op = TS_OP_COLUMN, .a = 1, .b = -1};
		q.columns[q.column_count++] = TS_PROGRAM_CODE_BY_TILE;
	}
	ck_assert_int_eq(ts_rows_open(&rows, x.db, &q, &err), TS_OK);
	asked = x.far.asked;
	ts_rows_close(rows);
	end(&x);
	free(b);
	return asked;
}

/* All that is named for a pass stays in the cache until it is read: half of it, however many relations are gone through. */
START_TEST(one_share_for_all)
{
	static const char *const one[] = {"d1"}, *const same[] = {"d1", "d1", "d1", "d1"},
				 *const four[] = {"d1", "d2", "d3", "d4"};
	int n;

	ck_assert_int_le(TS_PASS_ALL, 8192 / 2); /* TS_BLOCKS_USUAL */
	n = named("p", one, 0, false);
	ck_assert(n >= 1500 && n < 1700);
	n = named("p", one, 1, false);
	ck_assert(n >= 3000 && n < 3400);
	ck_assert_int_eq(named("p", same, 4, false), n);
	n = named("p", four, 4, false);
	ck_assert(n >= 1500 && n <= TS_PASS_ALL);
	n = named("c", one, 0, true);
	ck_assert(n >= 100 && n <= TS_PASS_ALL);
	n = named("c", four, 4, true);
	ck_assert(n >= 100 && n <= TS_PASS_ALL);
}
END_TEST

/* --- level by level ------------------------------------------------------------------------------- */

/* Each call waits once; the last one not at all, and then the rows are here. */
START_TEST(levels)
{
	struct fixture x;
	struct ts_plan_rows row = {NULL, 150000, 150000, 0, false, 0};
	bool whole = false;
	int calls = 0, trips;

	begin(&x, true);
	row.o = x.o[2];
	for (; !whole && calls < 20; calls++) {
		trips = x.far.trips;
		ck_assert_int_eq(ts_plan_level(&whole, x.db, &row, 1, &err), TS_OK);
		ck_assert_int_eq(x.far.trips, trips + !whole);
	}
	ck_assert(whole);
	ck_assert_int_ge(calls, 3);
	trips = x.far.trips;
	ck_assert_int_eq(value_at(&x, 2, 150000), 15000);
	ck_assert_int_eq(x.far.trips, trips);
	end(&x);
}
END_TEST

/* Without a wait, and nearer with each level; exact when the leaves are there. */
START_TEST(where_a_table_ends)
{
	struct ts_plan_rows rows[] = {{NULL, INT64_MIN, INT64_MIN, 0, false, 0},
		{NULL, INT64_MAX, INT64_MAX, 0, false, 0}};
	int64_t first = -7, last = -7, off = INT64_MAX;
	bool whole = false;
	struct fixture x;

	begin(&x, true);
	ck_assert(!ts_plan_ends(&first, &last, x.db, x.o[2]));
	ck_assert_int_eq(x.far.trips, 0);
	rows[0].o = rows[1].o = x.o[2];
	for (int i = 0; i < 20 && !whole; i++) {
		int trips;

		ck_assert_int_eq(ts_plan_level(&whole, x.db, rows, 2, &err), TS_OK);
		trips = x.far.trips;
		ck_assert(ts_plan_ends(&first, &last, x.db, x.o[2]));
		ck_assert_int_eq(x.far.trips, trips);
		ck_assert_int_le(first, last);
		ck_assert_int_le(llabs(last - ROWS * 10), off);
		off = llabs(last - ROWS * 10);
	}
	ck_assert(whole);
	ck_assert_int_eq(first, 10);
	ck_assert_int_eq(last, ROWS * 10);
	end(&x);
}
END_TEST

/* Never more than it was, by less than a 64th of it, and the same for all that are that near. */
START_TEST(steady_strides)
{
	uint64_t dice = 12345;

	for (uint64_t i = 0; i < 128; i++)
		ck_assert_uint_eq(ts_steady_stride(i), i);
	ck_assert_uint_eq(ts_steady_stride(UINT64_MAX), UINT64_C(127) << 57);
	for (int i = 0; i < 10000; i++) {
		uint64_t v, s;

		dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
		v = dice >> (i % 57);
		s = ts_steady_stride(v);
		ck_assert(s <= v && v - s <= v / 64);
		ck_assert_uint_eq(ts_steady_stride(s), s);
		ck_assert(ts_steady_stride(s + (v - s) / 2) == s);
	}
}
END_TEST

/* Any bytes changed: no row that is wrong, no end but an end. */
START_TEST(damaged)
{
	struct ts_plan_rows rows[50];
	uint64_t dice = (uint64_t)_i * 0x9e3779b97f4a7c15u + 1;
	struct fixture x;

	begin(&x, true);
	for (int i = 0; i < 400; i++) {
		dice ^= dice << 13;
		dice ^= dice >> 7;
		dice ^= dice << 17;
		x.bytes[UNIT + dice % (uint64_t)(x.n - UNIT)] = (unsigned char)(dice >> 40);
	}
	memset(x.bytes + UNIT * (x.o[2]->root - 1) + 12, (int)(dice >> 50), 100 * (size_t)(_i % 3));
	for (int i = 0; i < 50; i++)
		rows[i] = (struct ts_plan_rows){x.o[2], i * 6000, i * 6000 + 500, 0, false, 0};
	ck_assert_int_eq(ts_plan_fetch(x.db, rows, 50, &err), TS_OK);
	ck_assert_int_eq(ts_plan_interior(x.db, x.o, TABLES, 1000, NULL, &err), TS_OK);
	end(&x);
}
END_TEST

START_TEST(near)
{
	struct fixture x;
	struct ts_plan_rows row = {NULL, 1, 1000, 0, false, 0};

	begin(&x, false);
	row.o = x.o[2];
	ck_assert(!ts_plan_helps(x.db));
	ck_assert_int_eq(ts_plan_fetch(x.db, &row, 1, &err), TS_OK);
	ck_assert_int_eq(x.far.trips, 0);
	end(&x);
}
END_TEST

START_TEST(cancelled)
{
	struct ts_cancel cancel = {0};
	struct ts_plan_rows row = {NULL, 1, 1000, 0, false, 0};
	struct fixture x;

	begin(&x, true);
	row.o = x.o[2];
	ts_cancel_set(&cancel);
	ts_db_set_cancel(x.db, &cancel);
	ck_assert_int_eq(ts_plan_fetch(x.db, &row, 1, &err), TS_E_CANCELLED);
	ck_assert_int_eq(ts_plan_interior(x.db, x.o, TABLES, 9, NULL, &err), TS_E_CANCELLED);
	ts_db_set_cancel(x.db, NULL);
	end(&x);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("plan");
	TCase *c = tcase_create("plan");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 300);
	tcase_add_test(c, points);
	tcase_add_test(c, without);
	tcase_add_test(c, ranges);
	tcase_add_test(c, interior);
	tcase_add_test(c, along_an_index);
	tcase_add_test(c, rows_of_an_index);
	tcase_add_test(c, chains);
	tcase_add_test(c, interior_of_indexes);
	tcase_add_loop_test(c, damaged_index, 0, sample_of(20));
	tcase_add_test(c, one_share_for_all);
	tcase_add_test(c, levels);
	tcase_add_test(c, where_a_table_ends);
	tcase_add_test(c, steady_strides);
	tcase_add_loop_test(c, damaged, 0, sample_of(20));
	tcase_add_test(c, near);
	tcase_add_test(c, cancelled);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
