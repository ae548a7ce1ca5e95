/* SPDX-License-Identifier: MIT */
/* Variables of several tiles by name against SQL: rows by tile and rows mixed. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "depth.h"
#include "index_dir.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/set_variables.h"
#include "tilescope/report/tile_rows.h"

enum { TILES = 10, ROWS = 300, WITHOUT = 12, WAYS = 3 };
enum { NAMES = 1600, TOO_LARGE = 4, SIZES = 5 };

/* Rows that do not stand by tile. */
static bool
mixed_rows(unsigned seed)
{
	return seed % 4 == 3;
}

/* The name of a category of r. */
#define CATEGORY \
	"CASE category WHEN 3 THEN 'stack' WHEN 1 THEN 'code' WHEN 2000 THEN 'category 2000' END"

/* Most names are of one category, or of none. */
static void
begin(struct fixture *f, unsigned seed)
{
	make_relations(f, seed * 31 + 1);
	sql(f, "CREATE TABLE names(id INTEGER PRIMARY KEY, s TEXT)");
	for (int i = 0; i < 20; i++)
		sql(f, "INSERT INTO names VALUES(%d, 'n%d')", i, i % 17);
	sql(f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, "
		"bytes INTEGER, name TEXT, category INTEGER);"
		"CREATE TABLE memory_category(category, name TEXT);"
		"INSERT INTO memory_category VALUES(3, 'stack'), (1, 'code');"
		"CREATE TABLE target(ipus INTEGER, tiles_per_ipu INTEGER)");
	sql(f, "INSERT INTO target VALUES(2, %d); CREATE TEMP TABLE r(tile, bytes, name, category)",
		TILES / 2);
	for (int i = 0; i < ROWS; i++) {
		static const char *const categories[] = {"3", "1", "NULL", "2000"};
		unsigned name = rnd(f, 20);

		sql(f, "INSERT INTO r VALUES(%u, %u, %u, %s)", rnd(f, TILES), rnd(f, 5000), name,
			categories[(name % 17 < 8		? name % 17
						   : rnd(f, 50) ? 0
								: 1) %
				4]);
	}
	sql(f,
		"INSERT INTO lowered_variable SELECT NULL, tile, bytes, s, category FROM r JOIN "
		"names ON id = name ORDER BY %s",
		mixed_rows(seed) ? "bytes" : "tile");
}

static int64_t
ask(struct fixture *f, const char *what, const char *name, const char *in)
{
	char text[500];
	sqlite3_stmt *s;
	int64_t v;

	snprintf(text, sizeof(text),
		"SELECT %s FROM r JOIN names ON id = name WHERE s = '%s' AND tile IN (%s)", what,
		name, in);
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &s, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

static void
check_category(struct fixture *f, const struct ts_set_variables *v, const struct ts_set_variable *r,
	const char *in)
{
	const char *is = ts_set_variable_category(v, r), *name = ts_set_variable_name(v, r);
	char text[400];

	ck_assert(v->has_categories);
	if (ask(f, "count(DISTINCT coalesce(category, -1))", name, in) > 1)
		ck_assert_str_eq(is, "several");
	else if (ask(f, "count(category)", name, in) == 0)
		ck_assert_ptr_null(is);
	else {
		snprintf(text, sizeof(text), "min((" CATEGORY ") = '%.50s')", is ? is : "?");
		ck_assert_msg(ask(f, text, name, in) == 1, "%s is %s", name, is ? is : "none");
	}
}

/* Loops of the cases: without the index, and with the columns that it keeps. */
START_TEST(names_have_the_sums_of_sql)
{
	bool indexed = _i >= WITHOUT;
	struct index_dir d;
	struct ts_index *x = NULL;
	struct ts_kinds kinds;
	static const int64_t some[] = {1, 2, 5, 8}, of_ipu[] = {5, 6, 7, 8, 9};
	bool ipu = _i % 3 == 0;
	const int64_t *tiles = ipu ? of_ipu : some;
	size_t n = ipu ? TS_COUNT(of_ipu) : TS_COUNT(some);
	const char *in = ipu ? "5, 6, 7, 8, 9" : "1, 2, 5, 8";
	struct ts_err err = {0};
	struct ts_set_variables v;
	struct fixture f;
	int64_t sum = 0;
	char most[200];

	begin(&f, (unsigned)_i);
	open_report(&f);
	index_dir_begin(&d);
	if (indexed) {
		x = index_dir_build(&d, f.report, f.reader,
			ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_VARIABLES) |
				(_i >= 2 * WITHOUT ? ts_section_bit(TS_SECTION_TILE_ROWS) : 0),
			1 + _i % 3);
		ck_assert(ts_index_sections(x) & ts_section_bit(TS_SECTION_COLUMNS));
		ck_assert_int_eq(_i >= 2 * WITHOUT && !mixed_rows((unsigned)_i),
			ts_tile_rows_quick(x));
		if (ts_tile_rows_quick(x)) /* of its two IPUs it is kept there */
			ck_assert(ts_tile_rows_of(&kinds, x) && kinds.kept == 2);
		ts_reader_set_index(f.reader, x);
	}
	ck_assert_msg(ts_set_variables_read(&v, f.reader, tiles, n, TS_SET_NAMES, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_uint_eq(v.count, v.names);
	for (size_t i = 0; i < v.count; i++) {
		const struct ts_set_variable *r = &v.row[i];
		const char *name = ts_set_variable_name(&v, r);

		ck_assert_int_eq(r->bytes, ask(&f, "sum(bytes)", name, in));
		ck_assert_int_eq(r->pieces, ask(&f, "count(*)", name, in));
		ck_assert_int_eq(r->tiles, ask(&f, "count(DISTINCT tile)", name, in));
		snprintf(most, sizeof(most),
			"max((SELECT sum(x.bytes) FROM r x JOIN names y ON y.id = x.name "
			"WHERE y.s = names.s AND x.tile = r.tile))");
		ck_assert_int_eq(r->fullest, ask(&f, most, name, in));
		check_category(&f, &v, r, in);
		ck_assert(i == 0 || r->bytes <= v.row[i - 1].bytes);
		sum += r->bytes;
	}
	ck_assert_int_eq(sum, v.bytes);
	ts_set_variables_fini(&v);
	ts_reader_set_index(f.reader, NULL);
	ts_index_release(x);
	index_dir_end(&d);
	end(&f);
}
END_TEST

static void
check_same(const struct ts_set_variables *a, const struct ts_set_variables *b, size_t count)
{
	ck_assert_uint_eq(a->names, b->names);
	ck_assert_int_eq(a->found, b->found);
	ck_assert_int_eq(a->bytes, b->bytes);
	ck_assert_int_eq(a->others, b->others);
	ck_assert(a->count >= count && b->count >= count);
	for (size_t i = 0; i < count; i++) {
		const struct ts_set_variable *x = &a->row[i], *y = &b->row[i];

		ck_assert_str_eq(ts_set_variable_name(a, x), ts_set_variable_name(b, y));
		ck_assert_int_eq(x->bytes, y->bytes);
		ck_assert_int_eq(x->pieces, y->pieces);
		ck_assert_int_eq(x->tiles, y->tiles);
		ck_assert_int_eq(x->fullest, y->fullest);
		ck_assert_int_eq(x->fullest_tile, y->fullest_tile);
	}
}

/*
 * So many names that not all are kept, many of which are as large as the last one that is; sizes that fill a word,
 * and more.
 */
static void
begin_many(struct fixture *f, int which)
{
	static const int64_t large[SIZES] = {100, 5000, 1 << 20, INT64_C(1) << 35,
		INT64_C(1) << 41};

	make_relations(f, (unsigned)which + 7);
	sql(f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, "
		"name TEXT); CREATE TEMP TABLE r(tile, bytes, name)");
	for (int i = 0; i < NAMES; i++)
		for (unsigned k = 0, rows = 1 + rnd(f, 3); k < rows; k++)
			sql(f, "INSERT INTO r VALUES(%u, %lld, 'n%d')", rnd(f, TILES),
				i % 200 == 0 ? (long long)large[which] : 4LL * rnd(f, 3), i);
	sql(f,
		"INSERT INTO lowered_variable SELECT NULL, tile, bytes, name FROM r "
		"ORDER BY tile, rowid");
}

/* The largest, and all of them: the largest are the first of all. */
START_TEST(of_many_names_the_same_are_kept_with_an_index)
{
	static const int64_t tiles[] = {0, 3, 4, 7, 8};
	struct ts_set_variables with, without, all, all_without;
	struct ts_err err = {0};
	struct index_dir d;
	struct ts_index *x;
	struct fixture f;

	begin_many(&f, _i);
	open_report(&f);
	ck_assert(ts_set_variables_read(&without, f.reader, tiles, TS_COUNT(tiles), TS_SET_FIRST,
			  NULL, &err) == TS_OK);
	ck_assert(ts_set_variables_read(&all_without, f.reader, tiles, TS_COUNT(tiles),
			  TS_SET_NAMES, NULL, &err) == TS_OK);
	index_dir_begin(&d);
	x = index_dir_build(&d, f.report, f.reader,
		ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_TILE_ROWS),
		1 + _i % 3);
	/* all bytes together do not fit into a sum: the rows answer */
	ck_assert_int_eq(ts_tile_rows_quick(x), _i < TOO_LARGE);
	ts_reader_set_index(f.reader, x);
	ck_assert(ts_set_variables_read(&with, f.reader, tiles, TS_COUNT(tiles), TS_SET_FIRST, NULL,
			  &err) == TS_OK);
	ck_assert(ts_set_variables_read(&all, f.reader, tiles, TS_COUNT(tiles), TS_SET_NAMES, NULL,
			  &err) == TS_OK);
	ck_assert_uint_eq(with.count, TS_SET_FIRST);
	ck_assert_uint_eq(without.count, TS_SET_FIRST);
	ck_assert_uint_gt(all.names, TS_SET_FIRST);
	ck_assert_uint_eq(all.count, all.names);
	ck_assert_uint_eq(all_without.count, all.names);
	check_same(&with, &without, TS_SET_FIRST);
	check_same(&all, &with, TS_SET_FIRST);
	check_same(&all, &all_without, all.names);
	ck_assert(with.ranked && all.ranked && !all_without.ranked);
	for (size_t i = 1; i < all.count; i++) {
		const struct ts_set_variable *a = &all.row[i - 1], *b = &all.row[i];
		int order = strcmp(ts_set_variable_name(&all, a), ts_set_variable_name(&all, b));

		ck_assert_int_ge(a->bytes, b->bytes);
		ck_assert_int_ne(order, 0);
		ck_assert_int_eq(order < 0, a->key < b->key);
	}
	ts_set_variables_fini(&with);
	ts_set_variables_fini(&without);
	ts_set_variables_fini(&all);
	ts_set_variables_fini(&all_without);
	ts_reader_set_index(f.reader, NULL);
	ts_index_release(x);
	index_dir_end(&d);
	end(&f);
}
END_TEST

enum { LONG = 8100, LONG_NAMES = 9000 }; /* more than TS_SET_TEXT together */
enum { LONG_ROWS, LONG_INDEX, LONG_WAYS };

/* The section of columns may be so large in a larger report only. */
static void
begin_long(struct fixture *f)
{
	make_relations(f, 3);
	sql(f,
		"CREATE TABLE more(x); INSERT INTO more VALUES(zeroblob(60000000));"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, name TEXT);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO lowered_variable SELECT NULL, i * 2 / %d, i, printf('%%.%dc', 'n') || i FROM n",
		LONG_NAMES - 1, LONG_NAMES, LONG);
}

/* Names in the rows are not told apart then; with the index the smallest are left out. */
START_TEST(names_that_do_not_fit_are_left_out)
{
	static const int64_t tiles[] = {0, 1};
	struct ts_set_variables v;
	struct ts_err err = {0};
	struct ts_index *x = NULL;
	struct index_dir d;
	struct fixture f;

	begin_long(&f);
	open_report(&f);
	index_dir_begin(&d);
	if (_i == LONG_INDEX) {
		x = index_dir_build(&d, f.report, f.reader,
			ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_TILE_ROWS),
			1);
		ck_assert(ts_tile_rows_quick(x));
		ts_reader_set_index(f.reader, x);
	}
	ck_assert(ts_set_variables_read(&v, f.reader, tiles, TS_COUNT(tiles), TS_SET_NAMES, NULL,
			  &err) == TS_OK);
	ck_assert_int_eq(v.found, LONG_NAMES);
	ck_assert_uint_eq(v.names + (size_t)v.others, LONG_NAMES);
	ck_assert_int_eq(v.others > 0, _i == LONG_ROWS);
	ck_assert_int_eq(v.count < v.names, _i != LONG_ROWS);
	ck_assert_uint_gt(v.count, TS_SET_FIRST);
	ck_assert_uint_le(v.text.used, TS_SET_TEXT);
	for (size_t i = 0; i < v.count; i++) {
		int64_t from = _i == LONG_ROWS ? (int64_t)v.count : LONG_NAMES;
		char last[20];

		ck_assert_int_eq(v.row[i].bytes, from - 1 - (int64_t)i);
		snprintf(last, sizeof(last), "n%lld", (long long)v.row[i].bytes);
		ck_assert_str_eq(ts_set_variable_name(&v, &v.row[i]) + LONG - 1, last);
	}
	ts_set_variables_fini(&v);
	ts_reader_set_index(f.reader, NULL);
	ts_index_release(x);
	index_dir_end(&d);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("set variables");
	TCase *c = tcase_create("set variables");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, names_have_the_sums_of_sql, 0, sample_of(WAYS * WITHOUT));
	if (at_full_depth())
		tcase_add_loop_test(c, of_many_names_the_same_are_kept_with_an_index, 0, SIZES);
	if (at_full_depth())
		tcase_add_loop_test(c, names_that_do_not_fit_are_left_out, 0, LONG_WAYS);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
