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

#include "golden.h"
#include "report_dir.h"

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

struct stage {
	char dir[REPORT_DIR];
	char *path;
	struct ts_options options;
	struct ts_selection selection;
	struct ts_view_env env;
	struct ts_view *view;
	struct variables_view *t;
	struct ts_canvas *canvas;
};

static void
give_back(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

static void
open_report(struct stage *s)
{
	struct ts_report_options ro = {0};
	struct ts_err err = {0};

	ck_assert_msg(ts_report_open(&s->env.report, s->path, &ro, &err) == TS_OK, "%s", err.msg);
}

static void
begin(struct stage *s, int w, int h, enum ts_glyphs glyphs, const char *more)
{
	struct ts_err err = {0};

	memset(s, 0, sizeof(*s));
	report_dir_make(s->dir);
	report_dir_sql(s->dir, &s->path, "report.tilescope", tables);
	report_dir_sql(s->dir, &s->path, "report.tilescope", more);
	ts_options_init(&s->options);
	s->selection = (struct ts_selection){-1, -1, -1, -1};
	s->env = (struct ts_view_env){.options = &s->options,
		.selection = &s->selection,
		.go = -1,
		.generation = 1};
	open_report(s);
	ck_assert_int_eq(ts_jobs_new(&s->env.jobs, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	s->view = ts_view_variables.open(&s->env);
	ck_assert_ptr_nonnull(s->view);
	s->t = (struct variables_view *)s->view;
	s->canvas = ts_canvas_new(w, h, glyphs);
	ck_assert_ptr_nonnull(s->canvas);
	s->view->ops->resize(s->view, ts_canvas_rect(s->canvas));
	s->view->ops->request(s->view);
}

static bool
idle(struct stage *s)
{
	struct ts_job_info a, b;

	ts_jobs_info(s->env.jobs, TS_WORKER_SCREEN, &a);
	ts_jobs_info(s->env.jobs, TS_WORKER_BULK, &b);
	return !a.what && !b.what && a.waiting == 0 && b.waiting == 0;
}

/* Deliver and ask until nothing is under way. */
static void
settle(struct stage *s)
{
	struct pollfd p = {ts_jobs_fd(s->env.jobs), POLLIN, 0};

	for (int quiet = 0; quiet < 2;) {
		bool was_idle = idle(s);
		struct ts_job *job = ts_jobs_receive(s->env.jobs);

		if (!job) {
			quiet = was_idle ? quiet + 1 : 0;
			if (!was_idle)
				poll(&p, 1, 10);
			continue;
		}
		quiet = 0;
		s->view->ops->deliver(s->view, (struct ts_fetch *)job);
		ts_fetch_free((struct ts_fetch *)job);
		s->view->ops->request(s->view);
	}
}

static enum ts_effect
command(struct stage *s, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};
	enum ts_effect effect;

	s->env.message[0] = s->env.copy[0] = '\0';
	s->env.message_is_error = false;
	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	effect = s->view->ops->command(s->view, &call);
	s->view->ops->request(s->view);
	settle(s);
	return effect;
}

static void
draw(struct stage *s)
{
	ts_canvas_erase(s->canvas);
	s->view->ops->draw(s->view, s->canvas);
}

static void
look(struct stage *s, const char *name)
{
	draw(s);
	golden_check(name, s->canvas);
}

/* The number of the row under the cursor in the report, and what it is. */
static const struct ts_variable *
under_cursor(struct stage *s)
{
	const struct ts_variable *x = variables_row(s->t, s->t->rows.cursor);

	ck_assert_ptr_nonnull(x);
	return x;
}

static void
end(struct stage *s)
{
	while (!ts_jobs_free(s->env.jobs, give_back))
		;
	s->view->ops->close(s->view);
	ts_canvas_free(s->canvas);
	ts_report_close(s->env.report);
	unlink(s->path);
	free(s->path);
	ck_assert_int_eq(rmdir(s->dir), 0);
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
	struct stage s;

	begin(&s, screens[_i].w, screens[_i].h, screens[_i].glyphs, rows);
	settle(&s);
	command(&s, screens[_i].first);
	if (screens[_i].second)
		command(&s, screens[_i].second);
	look(&s, screens[_i].name);
	end(&s);
}
END_TEST

START_TEST(absent)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, "");
	look(&s, "variables_loading_80x22");
	settle(&s);
	look(&s, "variables_absent_80x22");
	ck_assert(command(&s, "sort bytes") & TS_EFFECT_UNKNOWN);
	end(&s);
}
END_TEST

/* An order that is half made: its first rows, and how far it is. */
START_TEST(half_made)
{
	struct ts_variable_list *l;
	struct ts_variable_top *top = ts_alloc(1, sizeof(*top));
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	l = ts_variable_list_new(s.t->v, TS_SORT_BYTES, false, NULL);
	ck_assert(l && top);
	s.t->wish.sort = TS_SORT_BYTES;
	s.t->making = l;
	atomic_store(&l->scanned, 1800);
	s.view->ops->request(s.view);
	settle(&s);
	look(&s, "variables_sorting_80x22"); /* nothing to show yet: the old rows stay */
	for (top->count = 0; top->count < 900; top->count++)
		top->place[top->count] = 2 * top->count;
	atomic_store(&l->top, top);
	atomic_fetch_add(&l->version, 1);
	s.view->ops->request(s.view);
	settle(&s);
	look(&s, "variables_partial_80x22");
	ck_assert_int_eq(s.t->rows.count, 900);
	end(&s);
}
END_TEST

/* A filter that waits is not applied, and nothing is said to be missing before all was looked at. */
START_TEST(filter_waits)
{
	struct ts_variable_filter f;
	struct ts_err err = {0};
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	ck_assert_int_eq(ts_variable_filter_parse(&f, "bytes>90KiB tile:79", &err), TS_OK);
	s.t->wish.filter = f;
	s.t->making = ts_variable_list_new(s.t->v, TS_SORT_ROW, false, &f);
	ck_assert_ptr_nonnull(s.t->making);
	s.view->ops->request(s.view);
	settle(&s);
	ck_assert_int_eq(s.t->rows.count, 4000);
	look(&s, "variables_waiting_80x22");
	atomic_store(&s.t->making->scanned, 1800);
	s.view->ops->request(s.view);
	settle(&s);
	ck_assert_int_eq(s.t->rows.count, 0);
	look(&s, "variables_none_yet_80x22");
	end(&s);
}
END_TEST

/* --- commands --------------------------------------------------------------------------------- */

START_TEST(goes_anywhere)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	command(&s, "goto 3000");
	ck_assert_int_eq(under_cursor(&s)->id, 2999);
	ck_assert_int_eq(s.selection.tile, 2999 / 50);
	ck_assert_int_eq(s.selection.ipu, 1);
	command(&s, "last");
	ck_assert_int_eq(under_cursor(&s)->id, 3999);
	command(&s, "first");
	ck_assert_int_eq(under_cursor(&s)->id, 0);
	ck_assert(command(&s, "goto 4001") & TS_EFFECT_BELL);
	ck_assert_str_eq(s.env.message, "rows go from 1 to 4,000");
	ck_assert(command(&s, "goto 0") & TS_EFFECT_BELL);
	command(&s, "open");
	ck_assert_int_eq(s.env.go, TS_CMD_GOTO_MEMORY);
	command(&s, "copy");
	ck_assert_str_eq(s.env.copy,
		"bert/encoder/layer_0/attention/self/query/matMul/partials_0\t0\t0\tvariable");
	end(&s);
}
END_TEST

START_TEST(sorts_and_filters)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	command(&s, "sort bytes");
	ck_assert_int_eq(under_cursor(&s)->id, 2345);
	command(&s, "sort-reverse");
	ck_assert_int_eq(under_cursor(&s)->bytes, 0);
	command(&s, "last"); /* of unknown size: at the end in both directions */
	ck_assert_int_eq(under_cursor(&s)->bytes, TS_UNKNOWN);
	command(&s, "filter tile:7 bytes>8000");
	ck_assert_int_eq(under_cursor(&s)->tile, 7);
	ck_assert_int_gt(s.t->rows.count, 0);
	ck_assert_int_lt(s.t->rows.count, 50);
	command(&s, "sort row"); /* the variable stays under the cursor */
	command(&s, "goto 3");
	{
		int64_t id = under_cursor(&s)->id;

		command(&s, "filter");
		ck_assert_int_eq(under_cursor(&s)->id, id);
		ck_assert_int_eq(s.t->rows.cursor, id);
	}
	ck_assert(command(&s, "sort size") & TS_EFFECT_BELL);
	ck_assert(s.env.message_is_error);
	ck_assert(command(&s, "filter tile:") & TS_EFFECT_BELL);
	ck_assert_ptr_nonnull(strstr(s.env.message, "tile:12"));
	for (int i = 0; i < TS_SORT_COUNT; i++)
		command(&s, "sort");
	ck_assert_int_eq(s.t->list->sort, TS_SORT_ROW);
	end(&s);
}
END_TEST

START_TEST(searches)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	command(&s, "search-next");
	ck_assert_str_eq(s.env.message, "nothing was searched for yet");
	command(&s, "search matMul/partials_350");
	ck_assert_int_eq(under_cursor(&s)->id, 350);
	command(&s, "search-next"); /* 3501: `partials_350` is a part of that, too */
	ck_assert_int_eq(under_cursor(&s)->id, 3500);
	command(&s, "search-previous");
	ck_assert_int_eq(under_cursor(&s)->id, 350);
	command(&s, "search bytes>90000");
	ck_assert_int_eq(under_cursor(&s)->id, 2345);
	command(&s, "search nowhere");
	ck_assert(s.env.message_is_error);
	ck_assert_int_eq(under_cursor(&s)->id, 2345);
	end(&s);
}
END_TEST

/* An order as variable_order.c keeps it, whole and with its checksums, of rows that there are not. */
static void
forge_an_order(struct stage *s, const struct ts_cache *cache)
{
	struct {
		uint64_t version;
		int64_t rows, known, width, all_bytes, unsized;
	} head = {1, s->t->v->rows, s->t->v->rows, 4, 1, 0};
	struct ts_section_writer *w;
	struct ts_err err;
	void *places;

	ck_assert_msg(ts_section_create(&w, cache, s->env.report, TS_SECTION_ORDER_BYTES, &err) ==
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
first_of_list(const struct stage *s)
{
	ck_assert_ptr_nonnull(s->t->list);
	ck_assert_int_eq(s->t->list->sort, TS_SORT_BYTES);
	ck_assert(atomic_load(&s->t->list->ready));
	return ts_variable_list_place(s->t->list, 0);
}

START_TEST(an_order_of_rows_that_are_not_there)
{
	struct stage s;
	struct ts_cache cache;
	char dir[REPORT_DIR];
	int64_t largest;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	command(&s, "sort bytes");
	largest = first_of_list(&s);
	report_dir_make(dir);
	ck_assert_int_eq(ts_cache_init(&cache, dir, INT64_MAX, NULL), TS_OK);
	forge_an_order(&s, &cache);
	s.env.cache = &cache;
	s.env.log = ts_log_new();
	for (int again = 0; again < 2; again++) { /* the second time it is kept, and true */
		command(&s, "sort row");
		s.view->ops->reload(s.view);
		s.env.generation++;
		s.view->ops->request(s.view);
		settle(&s);
		command(&s, "sort bytes");
		ck_assert_int_eq(first_of_list(&s), largest);
		ck_assert_int_eq(under_cursor(&s)->place, largest);
		ck_assert_int_eq(s.t->untrue != 0, again == 0);
	}
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	end(&s);
	ts_log_free(s.env.log);
	ts_cache_fini(&cache);
}
END_TEST

/* Rows that are missing are noticed in a window; the list is then counted, and is right. */
START_TEST(gaps)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	report_dir_sql(s.dir, &s.path, "report.tilescope",
		"DELETE FROM lowered_variable WHERE id % 10 = 3");
	ts_report_close(s.env.report);
	open_report(&s);
	s.env.generation++;
	s.view->ops->reload(s.view);
	s.view->ops->request(s.view);
	settle(&s);
	ck_assert_int_eq(s.t->rows.count, 3600);
	command(&s, "goto 3590");
	ck_assert_int_eq(under_cursor(&s)->id, 3589 / 9 * 10 + 3589 % 9 + (3589 % 9 >= 3));
	command(&s, "sort bytes");
	ck_assert_int_eq(under_cursor(&s)->id, 2345);
	end(&s);
}
END_TEST

/* A report that is read again: the place, the order and the filter stay. */
START_TEST(reload)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, rows);
	settle(&s);
	command(&s, "filter weights");
	command(&s, "sort bytes");
	command(&s, "goto 100");
	{
		int64_t id = under_cursor(&s)->id;

		s.env.generation++;
		s.view->ops->reload(s.view);
		s.view->ops->request(s.view);
		settle(&s);
		ck_assert_int_eq(under_cursor(&s)->id, id);
	}
	end(&s);
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
