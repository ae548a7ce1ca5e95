/* SPDX-License-Identifier: MIT */
/*
 * More variables alive at a step than the thread that draws sorts: the list of Liveness against SQL, sorted, filtered,
 * searched, at marks, and row by row as files have it.
 */
#include "config.h"

#include "../unit/depth.h"
#include "live_report.h"
#include "table_rows.h"

#include "../unit/index_dir.h"

#include "tilescope/base/fmt.h"
#include "tilescope/report/index_names.h"
#include "tilescope/ui/table_order.h"

enum { VARIABLES = 26000, TRIES = 14, STEPS = 5 };

/* Many equal sizes, a few equal names, one without; lives of one or two intervals, at most up to step 5. */
static const char *const report =
	"CREATE INDEX lives ON liveness_variable(variable);"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 26000) "
	"INSERT INTO variable SELECT i, CASE WHEN i = 77 THEN NULL ELSE 'layer' || (i * 7919 % 97) || "
	"'/weights_' || (i * 104729 % 25000) END, 64 + i * 48271 % 2003, 0 FROM n;"
	"INSERT INTO liveness_variable SELECT variable, variable % 2, 3 + variable % 3 FROM variable "
	"WHERE variable % 50;"
	"INSERT INTO liveness_variable SELECT variable, 0, 1 FROM variable WHERE variable % 50 = 0;"
	"INSERT INTO liveness_variable SELECT variable, 2, 4 FROM variable WHERE variable % 50 = 0;"
	"INSERT INTO liveness_step SELECT s.i, -1, sum(v.bytes) FROM (SELECT 0 AS i UNION SELECT 1 UNION "
	"SELECT 2 UNION SELECT 3 UNION SELECT 4) s JOIN liveness_variable l ON l.start <= s.i AND "
	"l.\"end\" > s.i JOIN variable v ON v.variable = l.variable GROUP BY s.i";

static void
begin(struct harness *h)
{
	make_own(h, report);
	harness_make(h);
	harness_sql(h, "CREATE TABLE more(x); INSERT INTO more VALUES(zeroblob(30000000))");
	harness_start(h, &ts_view_liveness, 100, 30, TS_GLYPHS_FULL);
	h->options.units = TS_UNITS_BYTES;
	harness_resize(h, 120, 40);
	harness_settle(h);
	harness_command(h, "pane-next");
}

/* Name, bytes, steps. */
static int64_t
check_rows(struct harness *h, const char *query)
{
	static const char *const columns[] = {"variable", "bytes", "steps"};

	return table_rows_check(h, &ts_view_liveness, columns, TS_COUNT(columns), query);
}

#define ALIVE                                                                                         \
	"WITH l AS MATERIALIZED (SELECT variable, sum(\"end\" - start) AS s, max(start <= %d AND "    \
	"\"end\" > %d) AS here FROM liveness_variable GROUP BY variable), alive AS (SELECT "          \
	"coalesce(name, 'variable ' || v.variable) n, bytes b, s, v.variable i FROM variable v JOIN " \
	"l USING(variable) WHERE here) SELECT n, b, s FROM alive WHERE "                              \
	"%s ORDER BY %s%s, b DESC, i"

/* The section of names: of a report that is large enough for it. */
static void
keep_names(struct harness *h, const struct index_dir *d)
{
	struct ts_variable_names names;
	struct ts_reader *rd;

	ck_assert_int_eq(ts_reader_open(&rd, h->env.report, NULL), TS_OK);
	h->env.index = index_dir_build(d, h->env.report, rd, ts_section_bit(TS_SECTION_NAMES), 1);
	ts_reader_close(rd);
	ck_assert(ts_variable_names_of(&names, h->env.index));
}

/* Sorted by anything and filtered by anything, at any step; with names of the index (_i: 1), too. */
START_TEST(arranged)
{
	static const struct {
		const char *sort, *key;
		bool falls;
	} sorts[] = {{"variable", "n", false}, {"bytes", "b", true}, {"steps", "s", true},
		{"bytes_x_steps", "b * s", true}, {"share", "b", true}};
	static const struct {
		const char *filter, *where;
	} filters[] = {{"size>0", "1"}, {"size<70", "b < 70"},
		{"weights_12", "instr(n, 'weights_12')"},
		{"size>1000 and not variable:layer1", "b > 1000 AND NOT instr(n, 'layer1')"},
		{"steps=4 or size:100", "s = 4 OR b = 100"},
		{"variable~_7[0-9]$", "n GLOB '*_7[0-9]'"}, {"nobody", "0"}};
	uint32_t random = 5 + (uint32_t)_i;
	struct index_dir d;
	struct harness h;

	index_dir_begin(&d);
	begin(&h);
	if (_i > 0)
		keep_names(&h, &d);
	for (int i = 0; i < TRIES; i++) {
		char line[200], query[1000];
		const char *way;
		int sort, filter, step;
		bool back;
		struct ts_sheet s = {.list = NULL};
		int64_t rows;

		random = random * 1664525u + 1013904223u;
		sort = (int)(random >> 8) % (int)TS_COUNT(sorts);
		filter = i < 7 ? i : (int)(random >> 12) % 7;
		step = (int)(random >> 16) % STEPS;
		back = random >> 24 & 1;
		snprintf(line, sizeof(line), "goto %d", step);
		harness_command(&h, line);
		snprintf(line, sizeof(line), "filter %s", filters[filter].filter);
		harness_command(&h, line);
		ck_assert_msg(!h.env.message_is_error, "%s", h.env.message);
		ck_assert(ts_view_liveness.sheet(h.view, &s));
		ck_assert_str_eq(s.table.order->filter, filters[filter].filter);
		snprintf(line, sizeof(line), "sort %s", sorts[sort].sort);
		harness_command(&h, line);
		if (back)
			harness_command(&h, "sort-reverse");
		harness_draw(&h);
		way = back != sorts[sort].falls ? " DESC" : "";
		snprintf(query, sizeof(query), ALIVE, step, step, filters[filter].where,
			sorts[sort].key, way);
		rows = check_rows(&h, query);
		ck_assert(ts_view_liveness.sheet(h.view, &s));
		ck_assert_int_eq(s.list->count, rows);
	}
	ts_index_release(h.env.index);
	h.env.index = NULL;
	harness_end(&h);
	index_dir_end(&d);
}
END_TEST

/* All are listed, found and added up; the screen says so. */
START_TEST(small_ones)
{
	char query[800], n[TS_FMT_MAX];
	int64_t count, bytes;
	struct harness h;

	begin(&h);
	harness_command(&h, "goto 2");
	count = harness_number(&h,
		"SELECT count(*) FROM liveness_variable WHERE start <= 2 AND \"end\" > 2");
	ck_assert_int_gt(count, 20000);
	snprintf(query, sizeof(query), ALIVE, 2, 2, "1", "b", " DESC");
	ck_assert_int_eq(check_rows(&h, query), count); /* the file has what the screen has not */
	harness_command(&h, "filter size<66");
	bytes = harness_number(&h,
		"SELECT sum(bytes) FROM liveness_variable WHERE bytes < 66 AND start <= 2 AND "
		"\"end\" > 2");
	harness_says(&h, ts_fmt_bytes(n, bytes, TS_UNITS_BYTES));
	harness_says(&h, "of the 26,000 listed");
	harness_end(&h);
}
END_TEST

/* From the largest thousand to a hit far behind them, on, and back. */
START_TEST(search)
{
	char name[100], words[100];
	int64_t hits;
	struct harness h;

	begin(&h);
	harness_command(&h, "goto 2");
	hits = harness_number(&h,
		"SELECT count(*) FROM variable WHERE name LIKE '%%/weights_1999' OR name LIKE "
		"'%%/weights_1999_'");
	ck_assert_int_gt(hits, 2);
	harness_command(&h, "search weights_1999");
	snprintf(words, sizeof(words), "hit 1 of %lld", (long long)hits);
	ck_assert_str_eq(h.env.message, words);
	harness_says(&h, "weights_1999");
	harness_command(&h, "search-next");
	snprintf(words, sizeof(words), "hit 2 of %lld", (long long)hits);
	ck_assert_str_eq(h.env.message, words);
	harness_command(&h, "search-previous");
	harness_command(&h, "search-previous");
	snprintf(words, sizeof(words), "hit %lld of %lld", (long long)hits, (long long)hits);
	ck_assert_str_eq(h.env.message, words);
	harness_command(&h, "search nobody-is-called-so");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no row has this in its name"));
	snprintf(name, sizeof(name), "filter weights_1999");
	harness_command(&h, name);
	harness_command(&h, "sort variable");
	harness_command(&h, "search weights_1999");
	snprintf(words, sizeof(words), " of %lld", (long long)hits);
	ck_assert_msg(strstr(h.env.message, words) != NULL, "%s", h.env.message);
	harness_end(&h);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("live_far");
	TCase *c = tcase_create("all");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, arranged, 0, sample_of(2));
	tcase_add_test(c, small_ones);
	tcase_add_test(c, search);
	suite_add_tcase(s, c);
	return s;
}

int
main(void)
{
	SRunner *r = srunner_create(suite());
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
