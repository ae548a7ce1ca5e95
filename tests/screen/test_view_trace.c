/* SPDX-License-Identifier: MIT */
/*
 * The Trace view, driven by hand on demo reports: open, resize, ask, wait, draw, look.
 */
#include "config.h"

#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"

#include "tilescope/report/demo.h"
#include "tilescope/report/trace.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/trace.h"

/* --- a loop of our own -------------------------------------------------------------------------- */

struct stage {
	char dir[64];
	struct ts_view_env env;
	struct ts_options options;
	struct ts_selection selection;
	struct ts_view *view;
	struct ts_canvas *canvas;
	int delivered;
};

static void
write_demo(struct stage *s, const struct ts_demo_options *options)
{
	struct ts_report_options open = {0};
	struct ts_err err = {0};
	char *path = NULL;

	snprintf(s->dir, sizeof(s->dir), "/tmp/ts-view-trace-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(s->dir));
	ck_assert_msg(ts_demo_write(&path, s->dir, options, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_msg(ts_report_open(&s->env.report, path, &open, &err) == TS_OK, "%s", err.msg);
	free(path);
}

/* Give up its answers, as the loop does when it ends. */
static void
give_back(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

static bool
idle(struct ts_jobs *jobs)
{
	struct ts_job_info info;

	for (int w = 0; w < TS_WORKER_COUNT; w++) {
		ts_jobs_info(jobs, (enum ts_worker_id)w, &info);
		if (info.what || info.waiting > 0)
			return false;
	}
	return true;
}

/* Ask and deliver until nothing is under way and nothing more is asked. */
static void
settle(struct stage *s)
{
	struct pollfd fd = {.fd = ts_jobs_fd(s->env.jobs), .events = POLLIN};

	for (int quiet = 0, turns = 0; quiet < 2; turns++) {
		struct ts_job *job;
		bool was_idle;

		ck_assert_int_lt(turns, 5000);
		s->view->ops->request(s->view);
		was_idle = idle(s->env.jobs);
		job = ts_jobs_receive(s->env.jobs);
		if (!job) {
			quiet = was_idle ? quiet + 1 : 0;
			if (!was_idle)
				poll(&fd, 1, 10);
			continue;
		}
		quiet = 0;
		s->delivered++;
		if (s->view->ops->deliver(s->view, (struct ts_fetch *)job) & TS_EFFECT_REFLOW)
			s->view->ops->resize(s->view, ts_canvas_rect(s->canvas));
		ts_fetch_free((struct ts_fetch *)job);
	}
}

static void
stage_size(struct stage *s, int w, int h, enum ts_glyphs glyphs)
{
	ts_canvas_free(s->canvas);
	s->canvas = ts_canvas_new(w, h, glyphs);
	ck_assert_ptr_nonnull(s->canvas);
	s->view->ops->resize(s->view, ts_canvas_rect(s->canvas));
	settle(s);
}

static void
stage_open(struct stage *s, const struct ts_demo_options *options)
{
	struct ts_err err = {0};

	memset(s, 0, sizeof(*s));
	ts_options_init(&s->options);
	s->selection = (struct ts_selection){-1, -1, -1, -1};
	s->env.options = &s->options;
	s->env.selection = &s->selection;
	s->env.generation = 1;
	ck_assert(ts_jobs_new(&s->env.jobs, sizeof(struct ts_fetch_local), ts_fetch_local_fini,
			  &err) == TS_OK);
	write_demo(s, options);
	s->view = ts_view_trace.open(&s->env);
	ck_assert_ptr_nonnull(s->view);
	s->view->id = 7;
	ts_view_trace.shown(s->view);
}

static void
stage_close(struct stage *s)
{
	char command[128];

	ts_view_trace.close(s->view);
	ck_assert(ts_jobs_free(s->env.jobs, give_back));
	ts_report_close(s->env.report);
	ts_canvas_free(s->canvas);
	snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
	ck_assert_int_eq(system(command), 0);
}

static void
run(struct stage *s, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};

	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	s->env.message[0] = '\0';
	ck_assert(!(s->view->ops->command(s->view, &call) & TS_EFFECT_UNKNOWN));
	s->view->ops->resize(s->view, ts_canvas_rect(s->canvas));
	settle(s);
}

static void
draw(struct stage *s)
{
	ts_canvas_erase(s->canvas);
	s->view->ops->draw(s->view, s->canvas);
}

static bool
shows(struct stage *s, const char *text)
{
	struct ts_strbuf out;
	bool found;

	draw(s);
	ts_strbuf_init(&out, 1 << 20);
	ts_canvas_dump(s->canvas, &out);
	found = strstr(out.s, text) != NULL;
	if (!found)
		fprintf(stderr, "no \"%s\" in\n%s", text, out.s);
	ts_strbuf_fini(&out);
	return found;
}

static const struct ts_demo_options small_store = {.layout = TS_DEMO_STORE};
static const struct ts_demo_options small_sdk = {.layout = TS_DEMO_SDK};

/* --- looks ------------------------------------------------------------------------------------- */

START_TEST(golden_screens)
{
	struct stage s;

	stage_open(&s, &small_store);
	stage_size(&s, 80, 20, TS_GLYPHS_FULL);
	draw(&s);
	golden_check("trace_80x20", s.canvas);
	run(&s, "goto 1020");
	for (int i = 0; i < 9; i++)
		run(&s, "zoom-in");
	run(&s, "search layer_1/attention");
	draw(&s);
	golden_check("trace_80x20_zoomed", s.canvas);
	s.canvas->mono = true;
	draw(&s);
	golden_check("trace_80x20_mono", s.canvas);
	stage_size(&s, 40, 7, TS_GLYPHS_ASCII);
	draw(&s);
	golden_check("trace_40x7_ascii", s.canvas);
	stage_size(&s, 200, 56, TS_GLYPHS_FULL);
	draw(&s);
	golden_check("trace_200x56", s.canvas);
	stage_close(&s);
}
END_TEST

/* --- what is not there -------------------------------------------------------------------------- */

START_TEST(absent_says_why)
{
	struct ts_demo_options none = {.layout = TS_DEMO_STORE, .oom = true};
	struct stage s;

	stage_open(&s, &none);
	stage_size(&s, 80, 20, TS_GLYPHS_FULL);
	ck_assert(shows(&s, "autoReport.outputExecutionProfile"));
	ck_assert(shows(&s, "Memory (key 3)"));
	stage_close(&s);
}
END_TEST

START_TEST(sdk_layout)
{
	struct stage s;

	stage_open(&s, &small_sdk);
	stage_size(&s, 120, 37, TS_GLYPHS_FULL);
	ck_assert(shows(&s, ">ipu 0"));
	ck_assert(shows(&s, "StreamCopyBegin"));
	ck_assert(shows(&s, "measured or estimated: not recorded"));
	run(&s, "time-unit");
	ck_assert_ptr_nonnull(strstr(s.env.message, ":set clock="));
	s.options.clock_hz = 1.85e9;
	run(&s, "time-unit");
	ck_assert(shows(&s, "time"));
	ck_assert(shows(&s, " us"));
	stage_close(&s);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("view_trace");
	TCase *looks = tcase_create("looks");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(looks, 120);
	tcase_add_test(looks, golden_screens);
	tcase_add_test(looks, absent_says_why);
	tcase_add_test(looks, sdk_layout);
	suite_add_tcase(suite, looks);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
