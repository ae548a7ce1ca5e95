/* SPDX-License-Identifier: MIT */
/*
 * The Open view on a canvas: recent reports with what was known of them, a directory with its reports, their parts
 * and the directories to go into; at every size, while it searches, cancelled, with names of any kind.
 */
#include "config.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "view_harness.h"

#include "tilescope/report/recent.h"
#include "tilescope/view/open.h"

static struct harness h;
static char recents[REPORT_DIR + 20];

static void
put(const char *path, int64_t seconds)
{
	const struct timeval times[2] = {{seconds, 0}, {seconds, 0}};
	char part[200];
	FILE *f;

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdir(part, 0700);
	}
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs("something", f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(utimes(path, times), 0);
}

static void
remember(const char *path, int64_t opened, struct ts_figures figures, int64_t mtime)
{
	struct ts_recent x = {.path = (char *)path,
		.opened = opened,
		.bytes = 9,
		.mtime = mtime,
		.figures = figures};
	struct ts_err err = {0};

	ck_assert_msg(!ts_recents_add(recents, &x, &err), "%s", err.msg);
}

/* Reports of three ages, a directory of more, one without; three of them were opened before. */
static void
begin(void)
{
	struct ts_figures fits = {1, 300000, 600000, 1 << 30, -1, 1234567, "3.1.0"};
	struct ts_figures over = {0, 660000, 600000, -1, -1, -1, ""};

	harness_dir(&h);
	ck_assert_int_eq(chdir(h.dir), 0);
	snprintf(recents, sizeof(recents), "%s/.recent", h.dir);
	put("run1/profile.pop", 1000000000);
	put("run1/archive.a", 1);
	put("run1/debug.cbor", 1);
	put("run2/report.tilescope", 1100000000);
	put("more/deep/profile_1a2b.pop", 1200000000);
	put("none/readme", 1);
	put("\x1b[31mred\n/profile.pop", 900000000);
	put("gone/profile.pop", 5);
	remember("run1", 1300000000, fits, 1000000000);
	remember("run2", 1310000000, over, 7);
	remember("gone", 1320000000, TS_FIGURES_NONE, 5);
	ck_assert_int_eq(remove("gone/profile.pop") | remove("gone"), 0);
}

static void
start(int w, int height, enum ts_glyphs glyphs)
{
	struct ts_err err = {0};

	ts_options_init(&h.options);
	h.env = (struct ts_view_env){.options = &h.options,
		.selection = &h.selection,
		.recents = recents,
		.go = -1};
	ck_assert_int_eq(ts_jobs_new(&h.env.jobs, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	h.view = ts_view_open.open(&h.env);
	ck_assert_ptr_nonnull(h.view);
	h.view->ops = &ts_view_open;
	h.view->env = &h.env;
	h.canvas = ts_canvas_new(w, height, glyphs);
	ck_assert_ptr_nonnull(h.canvas);
	ts_view_open.resize(h.view, ts_canvas_rect(h.canvas));
	ts_view_open.shown(h.view);
}

/* Take answers until nothing is under way. */
static void
settle(void)
{
	bool idle;

	do {
		struct ts_job *job;

		idle = harness_idle(&h);
		while ((job = ts_jobs_receive(h.env.jobs))) {
			h.view->ops->deliver(h.view, (struct ts_fetch *)job);
			ts_fetch_free((struct ts_fetch *)job);
		}
		if (!idle) {
			struct pollfd p = {ts_jobs_fd(h.env.jobs), POLLIN, 0};

			poll(&p, 1, 1);
		}
	} while (!idle);
}

static void
type(const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};

	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	h.view->ops->command(h.view, &call);
	settle();
}

static void
free_job(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

static int
remove_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

static void
end(void)
{
	while (!ts_jobs_free(h.env.jobs, free_job))
		;
	h.view->ops->close(h.view);
	ts_canvas_free(h.canvas);
	free(h.env.open);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(nftw(h.dir, remove_one, 20, FTW_DEPTH | FTW_PHYS), 0);
}

/* The one line of the screen with these words has the others too; NULL at the end. */
static void
line_says(const char *words, ...)
{
	char *text = harness_text(&h), *rest = text, *line, *found = NULL;
	const char *word;
	va_list ap;

	while ((line = strsep(&rest, "\n")))
		if (strstr(line, words)) {
			ck_assert_msg(!found, "two lines with %s", words);
			found = line;
		}
	ck_assert_msg(found, "no line with %s", words);
	va_start(ap, words);
	while ((word = va_arg(ap, const char *)))
		ck_assert_msg(strstr(found, word), "no %s in: %s", word, found);
	va_end(ap);
	free(text);
}

START_TEST(what_stands_on_it)
{
	start(120, 30, TS_GLYPHS_FULL);
	settle();
	line_says("/run1 ", "2011-03-13 07:06", "fits", "50.0%", "1,234,567", "3.1.0", NULL);
	line_says("/run2 ", "over", "110%", "changed", NULL);
	line_says("/gone ", "gone", NULL);
	line_says("PAD....", "run1", "9 B", "2001-09-09 01:46", NULL);
	line_says("......S", "run2", "2004-11-09", NULL);
	line_says("more/deep", "P......", "half-written", NULL);
	line_says("more/ ", "1 report below", NULL);
	line_says("none/", NULL);
	line_says("red", "P......", NULL);
}
END_TEST

START_TEST(every_size)
{
	static const int sizes[][2] = {{200, 60}, {120, 40}, {80, 22}, {40, 8}, {20, 3}, {1, 1}};

	start(80, 22, _i ? TS_GLYPHS_ASCII : TS_GLYPHS_FULL);
	for (int pass = 0; pass < 2; pass++) { /* while it searches, and then */
		for (size_t i = 0; i < TS_COUNT(sizes); i++) {
			ck_assert_int_eq(ts_canvas_resize(h.canvas, sizes[i][0], sizes[i][1], NULL),
				TS_OK);
			h.view->ops->resize(h.view, ts_canvas_rect(h.canvas));
			free(harness_text(&h));
		}
		settle();
	}
}
END_TEST

START_TEST(into_and_out_of_directories)
{
	start(120, 30, TS_GLYPHS_FULL);
	settle();
	type("pane-next");
	type("search none");
	type("open");
	ck_assert_ptr_null(h.env.open);
	ck_assert(harness_has(&h, "no report here or below"));
	type("back");
	line_says("PAD....", "run1", NULL);
	type("search run1");
	type("open");
	ck_assert_ptr_nonnull(h.env.open);
	ck_assert_str_eq(strrchr(h.env.open, '/'), "/run1");
	for (int i = 0; i < 20; i++) /* up to the root, and no further */
		type("back");
	ck_assert(harness_has(&h, "Reports below / "));
}
END_TEST

START_TEST(order_and_filter)
{
	static const char *const orders[] = {"name", "parts", "size", "changed", "row", "report",
		"opened", "memory", "worst", "cycles", "Poplar"};
	struct ts_call call;

	start(120, 30, TS_GLYPHS_FULL);
	settle();
	for (int pane = 0; pane < 2; pane++) {
		for (size_t i = 0; i < TS_COUNT(orders); i++) {
			char line[40];

			snprintf(line, sizeof(line), "sort %s", orders[i]);
			ck_assert_int_eq(ts_call_parse(&call, line, NULL), TS_OK);
			h.view->ops->command(h.view, &call);
			type("sort-reverse");
			line_says("/run1 ", "50.0%", NULL);
			line_says("PAD....", "run1", NULL);
		}
		type("filter RUN run1"); /* the directory has a name by chance */
		type("pane-next");
	}
	line_says("/run1 ", NULL);
	line_says("PAD....", NULL);
	ck_assert(!harness_has(&h, "run2"));
	type("filter nothing of this name");
	ck_assert(harness_has(&h, "none that the filter lets through"));
	type("open");
	type("copy");
}
END_TEST

/* Stopped: it says so, and looks once more when asked. */
START_TEST(a_search_that_is_stopped)
{
	start(100, 20, TS_GLYPHS_FULL);
	ts_jobs_cancel(h.env.jobs, -1);
	settle();
	type("reload");
	line_says("PAD....", NULL);
	line_says("/run1 ", NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_open");
	TCase *tc = tcase_create("open");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, what_stands_on_it);
	tcase_add_loop_test(tc, every_size, 0, 2);
	tcase_add_test(tc, into_and_out_of_directories);
	tcase_add_test(tc, order_and_filter);
	tcase_add_test(tc, a_search_that_is_stopped);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
