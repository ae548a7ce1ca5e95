/* SPDX-License-Identifier: MIT */
/*
 * What the memory of tiles is made of, against SQL: every node is the sum of those in it, categories and regions are
 * what the rows say. On random small stores, with totals that agree and others; categories of lowered variables.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/tile_details.h"

enum { TILES = 6 };

static const char *const categories[] = {"variable", "vertexCode", "stack",
	"instrumentationResults", "vertexInstanceState", "odd"};
static const char *const regions[] = {"'non_interleaved'", "'interleaved'", "'overflowed'", "NULL"};

static int64_t
ask(struct fixture *f, const char *text)
{
	sqlite3_stmt *s;
	int64_t v = TS_UNKNOWN;

	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &s, NULL), SQLITE_OK);
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
		v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

static void
begin(struct fixture *f, unsigned seed)
{
	make_relations(f, seed * 131 + 7);
	sql(f,
		"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER, total_gaps INTEGER,"
		" non_interleaved INTEGER, interleaved INTEGER, overflowed INTEGER,"
		" always_live INTEGER, not_always_live_peak INTEGER)");
	for (size_t i = 0; i < TS_COUNT(categories); i++)
		sql(f, "INSERT INTO memory_category VALUES(%d, '%s')", (int)i, categories[i]);
}

/* Of some tiles the totals agree with the categories, of some they do not, of some they are not known. */
static void
fill(struct fixture *f)
{
	sql(f,
		"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT,"
		" not_overlapped INTEGER, overlapped INTEGER)");
	for (int t = 0; t < TILES; t++) {
		for (unsigned i = rnd(f, 12); i > 0; i--)
			sql(f, "INSERT INTO tile_category VALUES(%d, %u, %s, %u, %s%u)", t,
				rnd(f, TS_COUNT(categories)), regions[rnd(f, TS_COUNT(regions))],
				rnd(f, 1000), rnd(f, 4) ? "" : "0 * ", rnd(f, 500));
		sql(f,
			"INSERT INTO tile_memory SELECT %d, x, x + %u, %s, %u, %s, %u, %u FROM (SELECT "
			"max(coalesce(sum(not_overlapped + overlapped), 0) + %d, 0) AS x FROM tile_category "
			"WHERE tile = %d)",
			t, rnd(f, 90), rnd(f, 2) ? "x / 2" : "NULL", rnd(f, 900),
			rnd(f, 2) ? "0" : "NULL", rnd(f, 2000), rnd(f, 3000),
			rnd(f, 2) ? 0 : (int)rnd(f, 200) - 100, t);
	}
}

static void
nodes_add_up(const struct ts_tile_details *d)
{
	for (size_t i = 0; i < d->nodes; i++) {
		const struct ts_detail_node *n = &d->node[i];
		int64_t sum = 0;

		ck_assert_uint_lt(i + n->inside, d->nodes);
		if (n->inside == 0)
			continue;
		for (size_t k = i + 1; k <= i + n->inside; k++) {
			ck_assert_int_gt(d->node[k].depth, n->depth);
			if (d->node[k].depth == n->depth + 1)
				sum += d->node[k].bytes;
		}
		ck_assert_int_eq(sum, n->bytes);
	}
}

static const struct ts_detail_node *
find(const struct ts_tile_details *d, int depth, enum ts_detail_kind kind, const char *name)
{
	for (size_t i = 0; i < d->nodes; i++)
		if (d->node[i].depth == depth && d->node[i].kind == kind &&
			(!name || strcmp(d->node[i].name, name) == 0))
			return &d->node[i];
	return NULL;
}

static void
check(struct fixture *f, const int64_t *tile, size_t n, const char *in)
{
	struct ts_tile_details d;
	struct ts_err err = {0};
	char text[300];
	int64_t top = 0;

	ck_assert_msg(ts_tile_details_read(&d, f->reader, tile, n, NULL, &err) == TS_OK, "%s",
		err.msg);
	nodes_add_up(&d);
	for (size_t i = 0; i < TS_COUNT(categories); i++) {
		const struct ts_detail_node *k = find(&d, 0, TS_DETAIL_CATEGORY, categories[i]);
		int64_t bytes;

		snprintf(text, sizeof(text),
			"SELECT coalesce(sum(not_overlapped + overlapped), 0) FROM tile_category WHERE "
			"category = %d AND tile IN (%s)",
			(int)i, in);
		bytes = ask(f, text);
		ck_assert_int_eq(k ? k->bytes : 0, bytes);
		top += bytes;
	}
	snprintf(text, sizeof(text), "SELECT sum(total_gaps) FROM tile_memory WHERE tile IN (%s)",
		in);
	ck_assert_int_eq(d.used, ask(f, text));
	for (size_t i = 0; i < d.nodes; i++)
		if (d.node[i].depth == 0 && d.node[i].kind <= TS_DETAIL_TWICE &&
			d.node[i].kind != TS_DETAIL_CATEGORY)
			top += d.node[i].bytes;
	ck_assert_int_eq(top, d.used); /* what stands at the top comes to all that is used */
	snprintf(text, sizeof(text),
		"SELECT sum(not_overlapped + overlapped) FROM tile_category WHERE category = 3 AND tile "
		"IN (%s)",
		in);
	if (ask(f, text) > 0)
		ck_assert_int_eq(find(&d, 0, TS_DETAIL_PROFILING, "cost of profiling")->bytes,
			ask(f, text));
	snprintf(text, sizeof(text), "SELECT sum(total) FROM tile_memory WHERE tile IN (%s)", in);
	if (find(&d, 0, TS_DETAIL_BY_REGION, NULL))
		ck_assert_int_eq(find(&d, 0, TS_DETAIL_BY_REGION, NULL)->bytes, ask(f, text));
	ts_tile_details_fini(&d);
}

START_TEST(every_sum_holds)
{
	static const int64_t some[] = {0, 3, 4};
	struct fixture f;
	char in[8];

	begin(&f, (unsigned)_i);
	fill(&f);
	open_report(&f);
	for (int64_t t = 0; t < TILES; t++) {
		snprintf(in, sizeof(in), "%d", (int)t);
		check(&f, &t, 1, in);
	}
	check(&f, some, TS_COUNT(some), "0, 3, 4");
	end(&f);
}
END_TEST

START_TEST(lowered_variables_tell_categories)
{
	struct fixture f;
	struct ts_tile_details d;
	struct ts_err err = {0};
	int64_t tiles[] = {0, 1};

	begin(&f, 1);
	sql(&f,
		"INSERT INTO tile_memory(tile, total) VALUES(0, 100), (1, 70);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER,"
		" category INTEGER);"
		"INSERT INTO lowered_variable VALUES(0, 0, 60, 0), (1, 0, 50, 1), (2, 1, 60, 0),"
		" (3, 1, NULL, 0), (4, 2, 5, 5);");
	open_report(&f);
	for (size_t n = 1; n <= 2; n++) {
		ck_assert_msg(ts_tile_details_read(&d, f.reader, tiles, n, NULL, &err) == TS_OK,
			"%s", err.msg);
		nodes_add_up(&d);
		ck_assert(d.from_variables);
		ck_assert_int_eq(find(&d, 0, TS_DETAIL_CATEGORY, "variable")->bytes,
			n == 1 ? 60 : 120);
		ck_assert_int_eq(find(&d, 0, TS_DETAIL_CATEGORY, "vertexCode")->bytes, 50);
		ck_assert_int_eq(d.used, n == 1 ? 100 : 170);
		ck_assert((find(&d, 0, TS_DETAIL_TWICE, NULL) != NULL) == (n == 1));
		ts_tile_details_fini(&d);
	}
	end(&f);
}
END_TEST

START_TEST(numbers_of_any_size_are_safe)
{
	struct fixture f;
	struct ts_tile_details d;
	struct ts_err err = {0};
	int64_t tiles[] = {0, 1, 99};

	begin(&f, 1);
	sql(&f,
		"INSERT INTO tile_memory VALUES(0, 4611686018427387904, 4611686018427387904, "
		"4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, "
		"4611686018427387904), (1, 5, 4, -1, 'x', NULL, 1, 2);"
		"CREATE TABLE tile_category(tile, category, region, not_overlapped, overlapped);"
		"INSERT INTO tile_category VALUES(0, 0, 'interleaved', 4611686018427387904, "
		"4611686018427387904), (0, 1, 'interleaved', 4611686018427387904, 0), "
		"(0, 1, 'interleaved', 5, NULL), (0, -1, 7, 5, 5), ('x', 0, NULL, 1, 1)");
	open_report(&f);
	for (size_t n = 1; n <= TS_COUNT(tiles); n++) {
		ck_assert_msg(ts_tile_details_read(&d, f.reader, tiles, n, NULL, &err) == TS_OK,
			"%s", err.msg);
		nodes_add_up(&d);
		ck_assert_int_gt(d.bad_rows, 0);
		ts_tile_details_fini(&d);
	}
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile details");
	TCase *c = tcase_create("tile details");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, every_sum_holds, 0, 25);
	tcase_add_test(c, lowered_variables_tell_categories);
	tcase_add_test(c, numbers_of_any_size_are_safe);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
