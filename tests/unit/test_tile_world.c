/* SPDX-License-Identifier: MIT */
/*
 * Expressions of tiles over reports: what they name in small ones, against what SQL says of the same rows;
 * names in the rows, names by number, variables on tiles that there are not.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/name_pass.h"
#include "tilescope/report/query.h"
#include "tilescope/report/tile_world.h"

static struct ts_err err;

static void
begin_demo(struct world *w)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.layout = TS_DEMO_PROFILE,
		.seed = 3,
		.tiles = 96,
		.variables = 8000};

	begin_world(w, &o);
}

/* The tiles that a statement gives, in a set. */
static void
by_sql(struct ts_tile_set *s, const struct world *w, const char *sql, int64_t tiles)
{
	struct ts_sql_value v;
	struct ts_query *q;
	bool row;

	ck_assert(ts_tile_set_init(s, tiles));
	ck_assert_int_eq(ts_query_open(&q, w->report, &err), TS_OK);
	ck_assert_msg(ts_query_prepare(q, sql, 0, &err) == TS_OK, "%s", err.msg);
	while (ts_query_step(q, &row, &err) == TS_OK && row) {
		ts_query_value(&v, q, 0);
		ts_tile_set_add(s, v.integer, v.integer + 1);
	}
	ts_query_close(q);
}

static const struct {
	const char *text, *sql;
} same[] = {
	{"all", "SELECT tile FROM tile_memory"},
	{"ipu(1)", "SELECT tile FROM tile_memory WHERE ipu = 1"},
	{"over(150KiB)", "SELECT tile FROM tile_memory WHERE coalesce(total_gaps, total) > 153600"},
	{"under(149.5KB)",
		"SELECT tile FROM tile_memory WHERE coalesce(total_gaps, total) < 149500"},
	{"worst(7)",
		"SELECT tile FROM tile_memory ORDER BY coalesce(total_gaps, total) DESC, tile LIMIT 7"},
	{"using(\"Layer_1/\")",
		"SELECT DISTINCT tile FROM lowered_variable WHERE instr(lower(name), 'layer_1/')"},
	{"using(/encoder\\/layer_[02]\\/.*out/)",
		"SELECT DISTINCT tile FROM lowered_variable WHERE name LIKE '%encoder/layer_0/%out%' "
		"OR name LIKE '%encoder/layer_2/%out%'"},
	{"ipu(0) & using(\"WEIGHT\") - worst(10)",
		"SELECT DISTINCT tile FROM lowered_variable WHERE name LIKE '%weight%' "
		"AND tile IN (SELECT tile FROM tile_memory WHERE ipu = 0) "
		"AND tile NOT IN (SELECT tile FROM tile_memory "
		"ORDER BY coalesce(total_gaps, total) DESC, tile LIMIT 10)"},
};

START_TEST(means_what_sql_says)
{
	struct world w;

	begin_demo(&w);
	for (size_t i = 0; i < TS_COUNT(same); i++) {
		struct ts_tiles_named n;
		struct ts_tile_set s;
		char a[TS_TILE_SET_TEXT], b[TS_TILE_SET_TEXT];

		ck_assert_msg(ts_tiles_named(&n, same[i].text, NULL, w.rd, NULL, NULL, &err) ==
				TS_OK,
			"%s: %s", same[i].text, err.msg);
		by_sql(&s, &w, same[i].sql, n.set.tiles);
		ts_tile_set_print(a, sizeof(a), &n.set);
		ts_tile_set_print(b, sizeof(b), &s);
		ck_assert_msg(strcmp(a, b) == 0, "%s is %s, not %s", same[i].text, a, b);
		ck_assert_int_eq(n.count, ts_tile_set_count(&s));
		ts_tile_set_fini(&s);
		ts_tiles_named_fini(&n);
	}
	end_world(&w);
}
END_TEST

static const char few[] =
	"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER);"
	"INSERT INTO tile_memory VALUES(0, 10), (1, 30), (3, 30), (2000000, 99);"
	"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT, bytes INTEGER);"
	"INSERT INTO lowered_variable(tile, name, bytes) VALUES(0, 'a', 1), (3, 'a', 2),"
	" (7, 'a', 3), (2000000, 'a', 4), (-1, 'a', 5), (NULL, 'a', 6), (1, NULL, 7),"
	" (1, 'b[2]', 4611686018427387904), (4611686018427387904, 'a', 0);";

static void
names(const struct world *w, const char *text, const char *tiles)
{
	struct ts_tiles_named n;
	char is[TS_TILE_SET_TEXT];

	ck_assert_msg(ts_tiles_named(&n, text, NULL, w->rd, NULL, NULL, &err) == TS_OK, "%s: %s",
		text, err.msg);
	ts_tile_set_print(is, sizeof(is), &n.set);
	ck_assert_msg(strcmp(is, tiles) == 0, "%s is %s, not %s", text, is, tiles);
	ts_tiles_named_fini(&n);
}

START_TEST(tiles_with_gaps_between_them)
{
	struct ts_tiles_named n;
	struct world w;

	begin_sql(&w, few);
	names(&w, "all", "0-1,3");
	names(&w, "0-3", "0-1,3");
	names(&w, "using(\"A\")", "0,3");
	names(&w, "using(\"b[2]\")", "1");
	names(&w, "using(/^[ab]/)", "0-1,3");
	names(&w, "over(10B)", "1,3");
	ck_assert_int_eq(ts_tiles_named(&n, "2", NULL, w.rd, NULL, NULL, &err), TS_E_USAGE);
	ts_tiles_named_fini(&n);
	ck_assert_int_eq(ts_tiles_named(&n, "using(/a(/)", NULL, w.rd, NULL, NULL, &err),
		TS_E_USAGE);
	ts_tiles_named_fini(&n);
	ck_assert_int_eq(ts_tiles_named(&n, "over(10B)", NULL, w.rd, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(n.bytes, 60);
	ck_assert_int_eq(n.fullest, 1);
	ts_tiles_named_fini(&n);
	end_world(&w);
}
END_TEST

/* One part of a report at a time: the rest is an error of the expression, nothing else. */
START_TEST(what_is_not_recorded)
{
	struct ts_tiles_named n;
	struct world w;

	begin_sql(&w,
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER);"
		"INSERT INTO target VALUES('IPU', 2, 1, 4, 1000);");
	names(&w, "all", "0-7");
	names(&w, "ipu(1) - 5", "4,6-7");
	ck_assert_int_eq(ts_tiles_named(&n, "worst(1)", NULL, w.rd, NULL, NULL, &err), TS_E_USAGE);
	ts_tiles_named_fini(&n);
	ck_assert_int_eq(ts_tiles_named(&n, "using(\"a\")", NULL, w.rd, NULL, NULL, &err),
		TS_E_USAGE);
	ts_tiles_named_fini(&n);
	end_world(&w);
}
END_TEST

START_TEST(no_tiles_at_all)
{
	struct ts_tiles_named n;
	struct world w;

	begin_sql(&w,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT, bytes INTEGER);"
		"INSERT INTO lowered_variable VALUES(0, 5, 'a', 7);");
	ck_assert_int_eq(ts_tiles_named(&n, "using(\"a\")", NULL, w.rd, NULL, NULL, &err),
		TS_E_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "what tiles there are is not recorded"));
	ts_tiles_named_fini(&n);
	end_world(&w);
}
END_TEST

/* --- the pass ----------------------------------------------------------------------------------- */

struct sums {
	int asked;
	int64_t rows, bytes[3];
};

static int
by_first_letter(void *ctx, const char *name, size_t n, size_t begins)
{
	(void)begins;
	((struct sums *)ctx)->asked++;
	return n > 0 && name[0] >= 'a' && name[0] <= 'l' ? 0 : n > 0 ? 1 : TS_NAME_GROUP_NONE;
}

static bool
add_row(void *ctx, int64_t tile, int64_t bytes, int group)
{
	struct sums *s = ctx;

	(void)tile;
	s->rows++;
	s->bytes[group + 1] += ts_max_i64(bytes, 0);
	return true;
}

/* Read in pieces of any size it comes to the same, and no name is asked about twice. */
START_TEST(stops_and_goes_on)
{
	static const int64_t pieces[] = {0, 1, 100, 5000, 1 << 30};
	struct sums whole = {0};
	struct world w;

	begin_demo(&w);
	for (size_t i = 0; i < TS_COUNT(pieces); i++) {
		struct sums s = {0};
		const struct ts_name_asker asker = {.group = by_first_letter,
			.row = add_row,
			.ctx = &s};
		struct ts_name_pass *p;
		bool end = false;
		int64_t of;

		ck_assert_int_eq(ts_name_pass_new(&p, w.report, NULL, &err), TS_OK);
		while (!end)
			ck_assert_msg(ts_name_pass_read(p, &end, w.rd, &asker, pieces[i], NULL,
					      &err) == TS_OK,
				"%s", err.msg);
		ck_assert_int_eq(ts_name_pass_rows(p, &of), s.rows);
		ck_assert_int_ge(of, s.rows);
		ts_name_pass_free(p);
		if (i == 0)
			whole = s;
		ck_assert_int_gt(s.rows, 100);
		ck_assert(memcmp(&s, &whole, sizeof(s)) == 0);
	}
	end_world(&w);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile_world");
	TCase *t = tcase_create("tile_world");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, means_what_sql_says);
	tcase_add_test(t, tiles_with_gaps_between_them);
	tcase_add_test(t, what_is_not_recorded);
	tcase_add_test(t, no_tiles_at_all);
	tcase_add_test(t, stops_and_goes_on);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
