/* SPDX-License-Identifier: MIT */
/*
 * The Variables view on a canvas: screens that were looked at and kept, and what its commands do.
 *
 * The report is made here with SQL: 2 IPUs of 40 tiles, 4,000 variables, names of all kinds, sizes and names
 * that are not known. Fetches go through the real queue; what is half made is put there by hand, so
 * that screens are the same every time.
 */
#include "config.h"

#include <ftw.h>
#include <locale.h>
#include <poll.h>
#include <unistd.h>

#include "view_harness.h"

#include "../../src/view/variables_internal.h"

#include "tilescope/base/mem.h"

static const char tables[] =
	"CREATE TABLE report(key TEXT, value TEXT);"
	"INSERT INTO report VALUES('store_version', '1');"
	"CREATE TABLE target(type TEXT, architecture TEXT, ipus INTEGER, replicas INTEGER,"
	" tiles_per_ipu INTEGER, bytes_per_tile INTEGER, clock_hz REAL);"
	"INSERT INTO target VALUES('IPU', 'Mk2', 2, 1, 40, 638976, 1.33e9);";

static const char rows[] =
	"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
	"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'vertexInstanceState'), (2, 'stack');"
	"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT,"
	" bytes INTEGER, offset INTEGER, alignment INTEGER, category INTEGER, class INTEGER,"
	" variable INTEGER, always_live INTEGER, element_type TEXT, context INTEGER);"
	"WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 3999)"
	" INSERT INTO lowered_variable SELECT i, i / 50,"
	" CASE WHEN i % 97 = 5 THEN NULL ELSE 'bert/encoder/layer_' || (i % 24) ||"
	" '/attention/self/' || (CASE i % 3 WHEN 0 THEN 'query' WHEN 1 THEN 'key' ELSE 'value' END)"
	" || '/matMul/' || (CASE WHEN i % 7 < 4 THEN 'partials_' ELSE 'weights_' END) || i END,"
	" CASE WHEN i % 331 = 3 THEN NULL ELSE (i * 7919) % 4096 * 4 + (i = 2345) * 90000 END,"
	" (i % 50) * 4096, 8, CASE WHEN i % 5 = 4 THEN 7 ELSE i % 3 END, i % 400, i / 3,"
	" i % 11 = 0, CASE i % 2 WHEN 0 THEN 'half' END, i % 60 FROM i;"
	"UPDATE lowered_variable SET name = 'x' || char(27) || '[31m' || char(8238) || 'y' ||"
	" char(9) || 'z' WHERE id = 3;";

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs, const char *more)
{
	harness_dir(h);
	harness_sql(h, tables);
	harness_sql(h, more);
	harness_start(h, &ts_view_variables, w, height, glyphs);
	h->view->ops->request(h->view);
}

static struct variables_view *
of(const struct harness *h)
{
	return (struct variables_view *)h->view;
}

/* The number of the row under the cursor in the report, and what it is. */
static const struct ts_variable *
under_cursor(struct harness *h)
{
	const struct ts_variable *x = variables_row(of(h), of(h)->rows.cursor);

	ck_assert_ptr_nonnull(x);
	return x;
}

/* --- screens ---------------------------------------------------------------------------------- */

static const struct {
	const char *name, *first, *second;
	int w, h;
	enum ts_glyphs glyphs;
} screens[] = {
	{"variables_80x22", "down", NULL, 80, 22, TS_GLYPHS_FULL},
	{"variables_40x8", "down", NULL, 40, 8, TS_GLYPHS_FULL},
	{"variables_bytes_200x48", "sort bytes", "goto 2", 200, 48, TS_GLYPHS_FULL},
	{"variables_last_80x22_ascii", "sort name", "last", 80, 22, TS_GLYPHS_ASCII},
	{"variables_filter_120x38", "filter partials bytes>12KiB", "sort tile", 120, 38,
		TS_GLYPHS_FULL},
	{"variables_nothing_80x22", "filter category:nobody", NULL, 80, 22, TS_GLYPHS_FULL},
	{"variables_hits_80x22", "goto 60", "search weights tile:1", 80, 22, TS_GLYPHS_FULL},
};

START_TEST(kept_screens)
{
	struct harness h;

	begin(&h, screens[_i].w, screens[_i].h, screens[_i].glyphs, rows);
	harness_settle(&h);
	harness_command(&h, screens[_i].first);
	if (screens[_i].second)
		harness_command(&h, screens[_i].second);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

START_TEST(absent)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, "");
	harness_look(&h, "variables_loading_80x22");
	harness_settle(&h);
	harness_look(&h, "variables_absent_80x22");
	ck_assert(harness_command(&h, "sort bytes") & TS_EFFECT_UNKNOWN);
	harness_end(&h);
}
END_TEST

/* An order that is half made: its first rows, and how far it is. */
START_TEST(half_made)
{
	struct ts_variable_list *l;
	struct ts_variable_top *top = ts_alloc(1, sizeof(*top));
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	l = ts_variable_list_new(of(&h)->v, TS_SORT_BYTES, false, NULL);
	ck_assert(l && top);
	of(&h)->wish.sort = TS_SORT_BYTES;
	of(&h)->making = l;
	atomic_store(&l->scanned, 1800);
	h.view->ops->request(h.view);
	harness_settle(&h);
	harness_look(&h, "variables_sorting_80x22"); /* nothing to show yet: the old rows stay */
	for (top->count = 0; top->count < 900; top->count++)
		top->place[top->count] = 2 * top->count;
	atomic_store(&l->top, top);
	atomic_fetch_add(&l->version, 1);
	h.view->ops->request(h.view);
	harness_settle(&h);
	harness_look(&h, "variables_partial_80x22");
	ck_assert_int_eq(of(&h)->rows.count, 900);
	harness_end(&h);
}
END_TEST

/* A filter that waits is not applied, and nothing is said to be missing before all was looked at. */
START_TEST(filter_waits)
{
	struct ts_filter f;
	struct ts_err err = {0};
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	ck_assert_int_eq(ts_filter_parse(&f, "bytes>90KiB tile:79", ts_variable_fields, NULL, &err),
		TS_OK);
	of(&h)->wish.filter = f;
	of(&h)->making = ts_variable_list_new(of(&h)->v, TS_SORT_ROW, false, &f);
	ck_assert_ptr_nonnull(of(&h)->making);
	h.view->ops->request(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->rows.count, 4000);
	harness_look(&h, "variables_waiting_80x22");
	atomic_store(&of(&h)->making->scanned, 1800);
	h.view->ops->request(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->rows.count, 0);
	harness_look(&h, "variables_none_yet_80x22");
	harness_end(&h);
}
END_TEST

/* --- commands --------------------------------------------------------------------------------- */

START_TEST(goes_anywhere)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "goto 3000");
	ck_assert_int_eq(under_cursor(&h)->id, 2999);
	ck_assert_int_eq(h.selection.tile, 2999 / 50);
	ck_assert_int_eq(h.selection.ipu, 1);
	harness_command(&h, "last");
	ck_assert_int_eq(under_cursor(&h)->id, 3999);
	harness_command(&h, "first");
	ck_assert_int_eq(under_cursor(&h)->id, 0);
	ck_assert(harness_command(&h, "goto 4001") & TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message, "rows go from 1 to 4,000");
	ck_assert(harness_command(&h, "goto 0") & TS_EFFECT_BELL);
	harness_command(&h, "open");
	ck_assert_int_eq(h.env.go, TS_CMD_GOTO_MEMORY);
	harness_command(&h, "copy");
	ck_assert_str_eq(h.env.copy,
		"bert/encoder/layer_0/attention/self/query/matMul/partials_0\t0\t0\tvariable");
	harness_end(&h);
}
END_TEST

START_TEST(sorts_and_filters)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "sort bytes");
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_command(&h, "sort-reverse");
	ck_assert_int_eq(under_cursor(&h)->bytes, 0);
	harness_command(&h, "last"); /* of unknown size: at the end in both directions */
	ck_assert_int_eq(under_cursor(&h)->bytes, TS_UNKNOWN);
	harness_command(&h, "filter tile:7 bytes>8000");
	ck_assert_int_eq(under_cursor(&h)->tile, 7);
	ck_assert_int_gt(of(&h)->rows.count, 0);
	ck_assert_int_lt(of(&h)->rows.count, 50);
	harness_command(&h, "sort row"); /* the variable stays under the cursor */
	harness_command(&h, "goto 3");
	{
		int64_t id = under_cursor(&h)->id;

		harness_command(&h, "filter");
		ck_assert_int_eq(under_cursor(&h)->id, id);
		ck_assert_int_eq(of(&h)->rows.cursor, id);
	}
	ck_assert(harness_command(&h, "sort colour") & TS_EFFECT_BELL);
	ck_assert(h.env.message_is_error);
	ck_assert(harness_command(&h, "filter tile:") & TS_EFFECT_BELL);
	ck_assert_ptr_nonnull(strstr(h.env.message, "tile:12"));
	harness_command(&h, "sort size"); /* the other name of a field */
	ck_assert_int_eq(of(&h)->list->sort, TS_SORT_BYTES);
	for (int i = 0; i < TS_SORT_COUNT && of(&h)->list->sort != TS_SORT_ROW; i++)
		harness_command(&h, "sort");
	ck_assert_int_eq(of(&h)->list->sort, TS_SORT_ROW);
	harness_end(&h);
}
END_TEST

START_TEST(searches)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "search-next");
	ck_assert_str_eq(h.env.message, "nothing was searched for yet");
	harness_command(&h, "search matMul/partials_350");
	ck_assert_int_eq(under_cursor(&h)->id, 350);
	harness_command(&h, "search-next"); /* 3501: `partials_350` is a part of that, too */
	ck_assert_int_eq(under_cursor(&h)->id, 3500);
	harness_command(&h, "search-previous");
	ck_assert_int_eq(under_cursor(&h)->id, 350);
	harness_command(&h, "search bytes>90000");
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_command(&h, "search nowhere");
	ck_assert(h.env.message_is_error);
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_end(&h);
}
END_TEST

/* An order as variable_order.c keeps it, whole and with its checksums, of rows that there are not. */
static void
forge_an_order(struct harness *h, const struct ts_cache *cache)
{
	struct {
		uint64_t version;
		int64_t rows, known, width, all_bytes, unsized;
	} head = {1, of(h)->v->rows, of(h)->v->rows, 4, 1, 0};
	struct ts_section_writer *w;
	struct ts_err err;
	void *places;

	ck_assert_msg(ts_section_create(&w, cache, h->env.report, TS_SECTION_ORDER_BYTES, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(ts_section_append(w, NULL, &head, sizeof(head), NULL), TS_OK);
	ck_assert_int_eq(ts_section_room(w, NULL, &places, (size_t)head.rows * 4, NULL), TS_OK);
	memset(places, 0xff, (size_t)head.rows * 4);
	ck_assert_int_eq(ts_section_commit(w, NULL), TS_OK);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int64_t
first_of_list(const struct harness *h)
{
	ck_assert_ptr_nonnull(of(h)->list);
	ck_assert_int_eq(of(h)->list->sort, TS_SORT_BYTES);
	ck_assert(atomic_load(&of(h)->list->ready));
	return ts_variable_list_place(of(h)->list, 0);
}

START_TEST(an_order_of_rows_that_are_not_there)
{
	struct harness h;
	struct ts_cache cache;
	char dir[REPORT_DIR];
	int64_t largest;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "sort bytes");
	largest = first_of_list(&h);
	report_dir_make(dir);
	ck_assert_int_eq(ts_cache_init(&cache, dir, INT64_MAX, NULL), TS_OK);
	forge_an_order(&h, &cache);
	h.env.cache = &cache;
	h.env.log = ts_log_new();
	for (int again = 0; again < 2; again++) { /* the second time it is kept, and true */
		harness_command(&h, "sort row");
		h.view->ops->reload(h.view);
		h.env.generation++;
		h.view->ops->request(h.view);
		harness_settle(&h);
		harness_command(&h, "sort bytes");
		ck_assert_int_eq(first_of_list(&h), largest);
		ck_assert_int_eq(under_cursor(&h)->place, largest);
		ck_assert_int_eq(of(&h)->untrue != 0, again == 0);
	}
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	harness_end(&h);
	ts_log_free(h.env.log);
	ts_cache_fini(&cache);
}
END_TEST

/* Rows that are missing are noticed in a window; the list is then counted, and is right. */
START_TEST(gaps)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	report_dir_sql(h.dir, &h.path, "report.tilescope",
		"DELETE FROM lowered_variable WHERE id % 10 = 3");
	ts_report_close(h.env.report);
	harness_open(&h);
	h.env.generation++;
	h.view->ops->reload(h.view);
	h.view->ops->request(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->rows.count, 3600);
	harness_command(&h, "goto 3590");
	ck_assert_int_eq(under_cursor(&h)->id, 3589 / 9 * 10 + 3589 % 9 + (3589 % 9 >= 3));
	harness_command(&h, "sort bytes");
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_end(&h);
}
END_TEST

/* A report that is read again: the place, the order and the filter stay. */
START_TEST(reload)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "filter weights");
	harness_command(&h, "sort bytes");
	harness_command(&h, "goto 100");
	{
		int64_t id = under_cursor(&h)->id;

		h.env.generation++;
		h.view->ops->reload(h.view);
		h.view->ops->request(h.view);
		harness_settle(&h);
		ck_assert_int_eq(under_cursor(&h)->id, id);
	}
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view variables");
	TCase *t = tcase_create("screens");
	SRunner *run;
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, kept_screens, 0, TS_COUNT(screens));
	tcase_add_test(t, absent);
	tcase_add_test(t, half_made);
	tcase_add_test(t, filter_waits);
	tcase_add_test(t, goes_anywhere);
	tcase_add_test(t, sorts_and_filters);
	tcase_add_test(t, searches);
	tcase_add_test(t, an_order_of_rows_that_are_not_there);
	tcase_add_test(t, gaps);
	tcase_add_test(t, reload);
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
