/* SPDX-License-Identifier: MIT */
/*
 * The Tables view on a canvas: screens that were looked at and kept, and what its commands do. The file has
 * names that need quotes, row ids with gaps, rows without row ids, views, blobs by tile (unit/sql_check.h).
 */
#include "config.h"

#include <locale.h>
#include <poll.h>
#include <unistd.h>

#include "golden.h"
#include "report_dir.h"

#include "../../src/view/tables_internal.h"
#include "../unit/sql_check.h"

#include "tilescope/base/mem.h"

struct stage {
	char dir[REPORT_DIR];
	char *path;
	struct ts_options options;
	struct ts_selection selection;
	struct ts_view_env env;
	struct ts_view *view;
	struct tables_view *t;
	struct ts_canvas *canvas;
};

static void
open_report(struct stage *s)
{
	struct ts_report_options ro = {.any = true};
	struct ts_err err = {0};

	ck_assert_msg(ts_report_open(&s->env.report, s->path, &ro, &err) == TS_OK, "%s", err.msg);
}

static bool
idle(struct stage *s)
{
	struct ts_job_info info;

	for (int i = 0; i < ts_jobs_workers(s->env.jobs); i++) {
		ts_jobs_worker(s->env.jobs, i, &info);
		if (info.what || info.waiting > 0)
			return false;
	}
	return true;
}

/* Ask, and take answers, until there is nothing more to ask. */
static void
settle(struct stage *s)
{
	for (;;) {
		struct ts_job *job;
		bool nothing;

		s->view->ops->request(s->view);
		nothing = idle(s);
		job = ts_jobs_receive(s->env.jobs);
		if (job) {
			s->view->ops->deliver(s->view, (struct ts_fetch *)job);
			ts_fetch_free((struct ts_fetch *)job);
		} else if (nothing) {
			return;
		} else {
			poll(NULL, 0, 1);
		}
	}
}

static void
begin(struct stage *s, int w, int h, enum ts_glyphs glyphs, const char *sql)
{
	struct ts_err err = {0};

	memset(s, 0, sizeof(*s));
	report_dir_make(s->dir);
	report_dir_sql(s->dir, &s->path, "profile.pop", sql);
	ts_options_init(&s->options);
	s->env = (struct ts_view_env){.options = &s->options,
		.selection = &s->selection,
		.go = -1,
		.generation = 1};
	open_report(s);
	ck_assert_int_eq(ts_jobs_new(&s->env.jobs, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	s->view = ts_view_tables.open(&s->env);
	ck_assert_ptr_nonnull(s->view);
	s->t = (struct tables_view *)s->view;
	s->canvas = ts_canvas_new(w, h, glyphs);
	ck_assert_ptr_nonnull(s->canvas);
	s->view->ops->resize(s->view, ts_canvas_rect(s->canvas));
	settle(s);
}

static void
give_back(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

static void
end(struct stage *s)
{
	while (!ts_jobs_free(s->env.jobs, give_back))
		poll(NULL, 0, 1);
	s->view->ops->close(s->view);
	ts_report_close(s->env.report);
	ts_canvas_free(s->canvas);
	unlink(s->path);
	rmdir(s->dir);
	free(s->path);
}

static enum ts_effect
run(struct stage *s, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};
	enum ts_effect effect;

	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	effect = s->view->ops->command(s->view, &call);
	settle(s);
	return effect;
}

static void
look(struct stage *s, const char *name)
{
	ts_canvas_erase(s->canvas);
	s->view->ops->draw(s->view, s->canvas);
	golden_check(name, s->canvas);
}

static void
on_screen(struct stage *s, const char *text, bool there)
{
	struct ts_strbuf dump;

	ts_canvas_erase(s->canvas);
	s->view->ops->draw(s->view, s->canvas);
	ts_strbuf_init(&dump, 1 << 20);
	ts_canvas_dump(s->canvas, &dump);
	ck_assert_msg((strstr(dump.s, text) != NULL) == there, "%s \"%s\":\n%s",
		there ? "no" : "there is", text, dump.s);
	ts_strbuf_fini(&dump);
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
} sizes[] = {
	{"tables-80x22", 80, 22, TS_GLYPHS_FULL},
	{"tables-120x38", 120, 38, TS_GLYPHS_FULL},
	{"tables-200x58", 200, 58, TS_GLYPHS_FULL},
	{"tables-40x10-ascii", 40, 10, TS_GLYPHS_ASCII},
};

START_TEST(screens)
{
	struct stage s;

	begin(&s, sizes[_i].w, sizes[_i].h, sizes[_i].glyphs, sql_check_file);
	run(&s, "down");
	run(&s, "down"); /* odd: gaps */
	run(&s, "pane-next");
	run(&s, "right");
	look(&s, sizes[_i].name);
	end(&s);
}
END_TEST

START_TEST(filter_and_sort)
{
	struct stage s;

	begin(&s, 120, 30, TS_GLYPHS_FULL, sql_check_file);
	on_screen(&s, "300 rows", true);
	run(&s, "filter type:sync id>100");
	on_screen(&s, "66 rows match", true);
	run(&s, "sort id");
	run(&s, "sort-reverse");
	look(&s, "tables-filter-120x30");
	run(&s, "filter nosuch=1");
	ck_assert_str_eq(s.env.message, "there is no column \"nosuch\"");
	run(&s, "filter type=never");
	on_screen(&s, "No row matches", true);
	run(&s, "filter \"\"");
	run(&s, "sort row");
	on_screen(&s, "300 rows", true);
	ck_assert(run(&s, "sort nosuch") & TS_EFFECT_BELL);
	ck_assert(run(&s, "goto 301") & TS_EFFECT_BELL);
	run(&s, "goto 300");
	on_screen(&s, "row 300 of 300", true);
	run(&s, "open");
	run(&s, "open");
	on_screen(&s, "Tables", true);
	end(&s);
}
END_TEST

/* Keys while answers are under way, every command at every size: nothing falls over. */
START_TEST(any_keys)
{
	static const char *const lines[] = {"down", "pane-next", "right", "open", "sort",
		"sort-reverse", "page-down", "pane-zoom", "last", "up", "filter x", "left", "first",
		"goto 7", "copy", "half-page-down", "pane-previous", "filter \"\""};
	struct stage s;
	struct ts_call call;
	struct ts_err err = {0};
	unsigned dice = 12345;

	begin(&s, 80, 22, TS_GLYPHS_FULL, sql_check_file);
	for (int i = 0; i < 3000; i++) {
		dice = dice * 1103515245u + 12345u;
		if (dice >> 16 & 15) {
			ck_assert_int_eq(ts_call_parse(&call, lines[(dice >> 20) % TS_COUNT(lines)],
						 &err),
				TS_OK);
			s.view->ops->command(s.view, &call);
			s.view->ops->request(s.view);
		} else if (dice >> 20 & 1) {
			settle(&s);
		} else {
			ts_canvas_resize(s.canvas, 40 + (int)(dice >> 21) % 90,
				10 + (int)(dice >> 25) % 50, NULL);
			s.view->ops->resize(s.view, ts_canvas_rect(s.canvas));
		}
		ts_canvas_erase(s.canvas);
		s.view->ops->draw(s.view, s.canvas);
	}
	end(&s);
}
END_TEST

/* The report is read again: the table and the row stay. */
START_TEST(reloaded)
{
	struct ts_report *old;
	struct stage s;

	begin(&s, 120, 30, TS_GLYPHS_FULL, sql_check_file);
	run(&s, "down");
	run(&s, "pane-next");
	run(&s, "goto 40");
	on_screen(&s, "row 40 of 64", true);
	old = s.env.report;
	open_report(&s);
	s.env.generation++;
	ts_report_close(old);
	s.view->ops->reload(s.view);
	settle(&s);
	on_screen(&s, "row 40 of 64", true);
	end(&s);
}
END_TEST

START_TEST(nothing_to_see)
{
	struct stage s;

	begin(&s, 80, 22, TS_GLYPHS_FULL, "CREATE TABLE t(x); DROP TABLE t;");
	on_screen(&s, "no tables", true);
	end(&s);
	begin(&s, 80, 22, TS_GLYPHS_FULL,
		"CREATE TABLE t(x); CREATE VIEW bad AS SELECT nosuch FROM t;"
		"CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
		" SELECT i FROM n;");
	on_screen(&s, "No rows.", true);
	run(&s, "down");
	on_screen(&s, "nosuch", true);
	run(&s, "down"); /* read forwards, as far as it is looked at */
	run(&s, "pane-next");
	run(&s, "page-down");
	on_screen(&s, "rows are read forwards", true);
	end(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_tables");
	TCase *t = tcase_create("tables");
	SRunner *r;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, screens, 0, (int)TS_COUNT(sizes));
	tcase_add_test(t, filter_and_sort);
	tcase_add_test(t, any_keys);
	tcase_add_test(t, reloaded);
	tcase_add_test(t, nothing_to_see);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
