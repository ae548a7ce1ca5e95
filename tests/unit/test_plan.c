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
static void
make(struct fixture *x)
{
	static const char sql[] =
		"PRAGMA page_size=512;"
		"CREATE TABLE t0 (a, b); CREATE TABLE t1 (a, b); CREATE TABLE t2 (a, b);"
		"INSERT INTO t0 VALUES (1, 2);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
		" INSERT INTO t1 SELECT i, i * i FROM n;"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
		" INSERT INTO t2(rowid, a, b) SELECT i * 10, i, zeroblob(i % 40) FROM n;";
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	x->bytes = sqlite3_serialize(db, "main", &x->n, 0);
	ck_assert_ptr_nonnull(x->bytes);
	sqlite3_close(db);
}

static void
begin(struct fixture *x, bool is_far)
{
	*x = (struct fixture){0};
	make(x);
	x->far = (struct far){.base = {.ops = is_far ? &far_ops : &near_ops, .size = x->n},
		.bytes = x->bytes};
	x->far.is = ts_alloc(units(&x->far), 1);
	ck_assert_ptr_nonnull(x->far.is);
	ck_assert_int_eq(ts_db_open(&x->db, &x->far.base, &err), TS_OK);
	ck_assert_int_eq(ts_schema_read(&x->schema, x->db, &err), TS_OK);
	for (int i = 0; i < TABLES; i++) {
		const char name[] = {'t', (char)('0' + i), '\0'};

		x->o[i] = ts_schema_find(x->schema, name);
		ck_assert(x->o[i] && x->o[i]->root > 0);
	}
	x->far.trips = x->far.asked = 0;
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

		rows[i] = (struct ts_plan_rows){x.o[table], at, at, 0};
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
	struct ts_plan_rows rows[] = {{NULL, 100005, 120000, 0}, {NULL, INT64_MAX, INT64_MAX, 0},
		{NULL, INT64_MIN, INT64_MIN, 0}, {NULL, 7, 3, 0}, {NULL, INT64_MIN, INT64_MAX, 8}};
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
		rows[i] = (struct ts_plan_rows){x.o[2], i * 6000, i * 6000 + 500, 0};
	ck_assert_int_eq(ts_plan_fetch(x.db, rows, 50, &err), TS_OK);
	ck_assert_int_eq(ts_plan_interior(x.db, x.o, TABLES, 1000, NULL, &err), TS_OK);
	end(&x);
}
END_TEST

START_TEST(near)
{
	struct fixture x;
	struct ts_plan_rows row = {NULL, 1, 1000, 0};

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
	struct ts_plan_rows row = {NULL, 1, 1000, 0};
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
	tcase_add_loop_test(c, damaged, 0, 20);
	tcase_add_test(c, near);
	tcase_add_test(c, cancelled);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
