/* SPDX-License-Identifier: MIT */
/*
 * The Trace view, driven by hand on demo reports: open, resize, ask, wait, draw, look.
 */
#include "config.h"

#include <check.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fault/index_build.h"
#include "golden.h"

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
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

/* A store of nothing but what the SQL makes. */
static void
write_store(struct stage *s, const char *text)
{
	struct ts_report_options open = {0};
	struct ts_err err = {0};
	char path[128], *why = NULL;
	sqlite3 *db;

	snprintf(s->dir, sizeof(s->dir), "/tmp/ts-view-trace-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(s->dir));
	snprintf(path, sizeof(path), "%s/report.tilescope", s->dir);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db,
				 "PRAGMA synchronous=OFF;"
				 "CREATE TABLE report(key TEXT, value TEXT);"
				 "INSERT INTO report VALUES('store_version','1')",
				 NULL, NULL, NULL),
		SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, text, NULL, NULL, &why) == SQLITE_OK, "%s", why);
	sqlite3_close(db);
	ck_assert_msg(ts_report_open(&s->env.report, path, &open, &err) == TS_OK, "%s", err.msg);
}

/* With a demo report, or with a store made by SQL. */
static void
stage_begin(struct stage *s, const struct ts_demo_options *options, const char *text)
{
	struct ts_err err = {0};

	memset(s, 0, sizeof(*s));
	ts_options_init(&s->options);
	s->selection = (struct ts_selection)TS_SELECTION_NONE;
	s->env.options = &s->options;
	s->env.selection = &s->selection;
	s->env.generation = 1;
	ck_assert(ts_jobs_new(&s->env.jobs, sizeof(struct ts_fetch_local), ts_fetch_local_fini,
			  &err) == TS_OK);
	if (text)
		write_store(s, text);
	else
		write_demo(s, options);
	s->view = ts_view_trace.open(&s->env);
	ck_assert_ptr_nonnull(s->view);
	s->view->id = 7;
	ts_view_trace.shown(s->view);
}

static void
stage_open(struct stage *s, const struct ts_demo_options *options)
{
	stage_begin(s, options, NULL);
}

static void
stage_close(struct stage *s)
{
	char command[128];

	ts_view_trace.close(s->view);
	ts_index_release(s->env.index);
	while (!ts_jobs_free(s->env.jobs, give_back))
		; /* it waits for a while each time: a busy machine may need more */
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

/* --- two cursors ---------------------------------------------------------------------------------- */

/* The row of the list that is drawn as the cursor's, as text. */
static void
cursor_line(struct stage *s, char *out, size_t size)
{
	size_t n = 0;

	draw(s);
	out[0] = '\0';
	for (int y = 0; y < s->canvas->h; y++) {
		const struct ts_cell *c = ts_canvas_at(s->canvas, 5, y);

		if (c->over != TS_ROLE_CURSOR && c->over != TS_ROLE_CURSOR_OTHER)
			continue;
		for (int x = 0; x < s->canvas->w && n + 1 < size; x++) {
			c = ts_canvas_at(s->canvas, x, y);
			out[n++] = c->cp < 127 ? (char)c->cp : '?';
		}
		break;
	}
	out[n] = '\0';
}

/* The column of the lanes' cursor, or -1. */
static int
lane_cursor(struct stage *s)
{
	draw(s);
	for (int x = 0; x < s->canvas->w; x++) {
		const struct ts_cell *c = ts_canvas_at(s->canvas, x, 2);

		if (c->over == TS_ROLE_COLUMN || c->over == TS_ROLE_COLUMN_OTHER)
			return x;
	}
	return -1;
}

START_TEST(cursors_follow_each_other)
{
	struct stage s;
	char line[256];
	int before;

	stage_open(&s, &small_store);
	stage_size(&s, 120, 37, TS_GLYPHS_FULL);
	before = lane_cursor(&s);
	ck_assert_int_ge(before, 0);

	/* the list leads: the time follows, also out of the zoomed range */
	run(&s, "pane-next");
	ck_assert_int_eq(s.view->ops->pane_context(s.view), TS_CONTEXT_LIST);
	run(&s, "last");
	ck_assert_int_gt(lane_cursor(&s), before + 50);
	ck_assert_int_eq(s.selection.step, 3999);
	run(&s, "first");
	ck_assert_int_eq(lane_cursor(&s), before);
	for (int i = 0; i < 12; i++)
		run(&s, "zoom-in");
	run(&s, "goto 3000");
	ck_assert_int_eq(s.selection.step, 3000);
	ck_assert_int_ge(lane_cursor(&s), 0);
	cursor_line(&s, line, sizeof(line));
	ck_assert_msg(strstr(line, "3,000") != NULL, "%s", line);

	/* the lane leads: the list follows */
	run(&s, "pane-next");
	run(&s, "zoom-fit");
	run(&s, "last");
	ck_assert_int_gt(s.selection.step, 3900);
	run(&s, "page-left");
	run(&s, "first");
	ck_assert_int_eq(s.selection.step, 0);
	for (int i = 0; i < 40; i++)
		run(&s, "right");
	ck_assert_int_gt(s.selection.step, 100);
	ck_assert_int_lt(s.selection.step, 3900);

	/* another IPU: the step stays */
	before = (int)s.selection.step;
	run(&s, "ipu-next");
	ck_assert_int_eq(s.selection.step, before);
	ck_assert_int_eq(s.selection.ipu, 1);
	ck_assert(shows(&s, "steps of ipu 1"));
	stage_close(&s);
}
END_TEST

START_TEST(search_goes_round)
{
	struct stage s;
	int64_t first;
	int number, hits;

	stage_open(&s, &small_store);
	stage_size(&s, 120, 37, TS_GLYPHS_FULL);
	run(&s, "search type:StreamCopyBegin");
	ck_assert_int_eq(sscanf(s.env.message, "hit 1 of %d, ", &hits), 1);
	ck_assert_ptr_nonnull(strstr(s.env.message, " of run 0 on ipu 0"));
	first = s.selection.step;
	ck_assert_int_eq(first, 2);
	run(&s, "search-next");
	ck_assert_int_gt(s.selection.step, first);
	ck_assert_ptr_nonnull(strstr(s.env.message, "hit 2 of "));
	run(&s, "search-previous");
	ck_assert_int_eq(s.selection.step, first);
	run(&s, "search-previous");
	ck_assert_int_gt(s.selection.step, 2000);
	ck_assert_int_eq(sscanf(s.env.message, "hit %d of %d", &number, &hits), 2);
	ck_assert_int_eq(number, hits);
	ck_assert_msg(strstr(s.env.message, "went on from the end") != NULL, "%s", s.env.message);
	run(&s, "search-next");
	ck_assert_int_eq(s.selection.step, first);
	ck_assert_ptr_nonnull(strstr(s.env.message, "went on from the begin"));
	for (int i = 0; i < 3; i++) { /* whoever asks for the next one is told the same */
		run(&s,
			i == 0		 ? "search no such name"
				: i == 1 ? "search-next"
					 : "search-previous");
		ck_assert(s.env.message_is_error);
		ck_assert_str_eq(s.env.message, "no step has \"no such name\" in its name");
		ck_assert_int_eq(s.selection.step, first);
		ts_view_say(&s.env, "%s", "");
	}
	stage_close(&s);
}
END_TEST

START_TEST(the_artefact_is_marked)
{
	struct stage s;

	stage_open(&s, &small_store);
	stage_size(&s, 120, 37, TS_GLYPHS_FULL);
	run(&s, "goto 2002");
	ck_assert(shows(&s, "inflated by the profiler's own work"));
	run(&s, "goto 4000");
	ck_assert_ptr_nonnull(strstr(s.env.message, "steps go from 0 to 3,999"));
	stage_close(&s);
}
END_TEST

START_TEST(reload_keeps_the_place)
{
	struct stage s;

	stage_open(&s, &small_store);
	stage_size(&s, 120, 37, TS_GLYPHS_FULL);
	run(&s, "goto 1234");
	s.view->ops->reload(s.view);
	s.env.generation++;
	settle(&s);
	ck_assert_int_eq(s.selection.step, 1234);
	ck_assert(shows(&s, "1,234"));
	/* another view leads elsewhere: the IPU stays where it works, else it is one that does */
	s.selection.step = 83;
	s.selection.ipu = 1;
	s.view->ops->shown(s.view);
	settle(&s);
	ck_assert(shows(&s, "step 83 "));
	ck_assert(shows(&s, ">ipu 1"));
	s.selection.step = 77;
	s.view->ops->shown(s.view);
	settle(&s);
	ck_assert(shows(&s, "step 77 "));
	ck_assert(shows(&s, ">ipu 0"));
	stage_close(&s);
}
END_TEST

/* Every command at every size, with every pane alone: nothing is drawn outside, nothing hangs. */
START_TEST(all_sizes)
{
	static const char *const commands[] = {"zoom-in", "page-right", "right", "zoom-in",
		"pane-next", "page-down", "pane-zoom", "down", "pane-next", "zoom-out", "pane-zoom",
		"ipu-next", "open", "copy", "half-page-down", "last", "first", "zoom-fit",
		"ipu-previous", "up", "left"};
	static const int sizes[][2] = {{1, 1}, {5, 3}, {20, 6}, {40, 8}, {79, 10}, {250, 80}};
	struct ts_demo_options many = {.ipus = 64, .tiles = 4, .steps = 600, .variables = 256};
	struct stage s;

	stage_open(&s, &many);
	for (size_t i = 0; i < TS_COUNT(sizes); i++) {
		stage_size(&s, sizes[i][0], sizes[i][1], TS_GLYPHS_BASIC);
		for (size_t k = 0; k < TS_COUNT(commands); k++) {
			run(&s, commands[k]);
			draw(&s);
		}
	}
	ck_assert_int_ge(s.selection.step, 0);
	stage_close(&s);
}
END_TEST

/* --- odd reports ----------------------------------------------------------------------------------- */

#define COUNT_TO(n) \
	"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < " #n " - 1) "

/* Steps whose ids have gaps: no row of the list is blank, none comes twice, both ends are reached. */
START_TEST(ids_with_gaps)
{
	struct stage s;
	int64_t last = -1;

	memset(&s, 0, sizeof(s));
	stage_begin(&s, NULL,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program "
		"INTEGER, compute_set INTEGER, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER);" COUNT_TO(
			3000) "INSERT INTO step SELECT i * i / 8 + i, NULL, 'Sync', NULL, NULL, NULL FROM c;"
			      "INSERT INTO step_ipu SELECT step, 0, 9, step * 10, step * 10 + 9 FROM step");
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	ck_assert(shows(&s, "about "));
	run(&s, "pane-next");
	for (int i = 0; i < 300; i++) {
		int64_t k = i;

		ck_assert_int_eq(s.selection.step, k * k / 8 + k);
		run(&s, "down");
	}
	run(&s, "goto 500500"); /* no such step: the place stays */
	ck_assert_ptr_nonnull(strstr(s.env.message, "there is no step"));
	run(&s, "goto 502000"); /* i = 2000 */
	ck_assert_int_eq(s.selection.step, 502000);
	for (int i = 1; i < 60; i++) {
		int64_t k = 2000 - i;

		run(&s, "up");
		ck_assert_int_eq(s.selection.step, k * k / 8 + k);
	}
	run(&s, "last");
	for (int i = 0; i < 80 && s.selection.step != last; i++) {
		last = s.selection.step;
		run(&s, "page-down");
	}
	ck_assert_int_eq(s.selection.step, INT64_C(2999) * 2999 / 8 + 2999);
	run(&s, "first");
	ck_assert_int_eq(s.selection.step, 0);
	stage_close(&s);
}
END_TEST

/* A view that is no projection: slow, and it says so. */
START_TEST(read_forwards)
{
	struct stage s;

	stage_begin(&s, NULL,
		"CREATE TABLE s(a INTEGER); CREATE TABLE x(a INTEGER, b INTEGER);" COUNT_TO(2000) "INSERT INTO s SELECT i FROM c;" COUNT_TO(
			4000) "INSERT INTO x SELECT i / 2, i % 2 FROM c;"
			      "CREATE VIEW step AS SELECT DISTINCT a AS step, 'OnTileExecute' AS type FROM s;"
			      "CREATE VIEW step_ipu AS SELECT DISTINCT a AS step, b AS ipu, 8 AS cycles, a * 10 "
			      "AS start, a * 10 + 8 AS \"end\" FROM x");
	stage_size(&s, 140, 30, TS_GLYPHS_FULL);
	ck_assert(shows(&s, "read forwards"));
	run(&s, "goto 1500");
	ck_assert_int_eq(s.selection.step, 1500);
	ck_assert(shows(&s, "15,000..15,008"));
	run(&s, "first");
	ck_assert_int_eq(s.selection.step, 0);
	stage_close(&s);
}
END_TEST

START_TEST(steps_without_ipus)
{
	struct stage s;

	stage_begin(&s, NULL,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program "
		"INTEGER, compute_set INTEGER, name TEXT);" COUNT_TO(
			50) "INSERT INTO step SELECT i, 0, 'Sync', NULL, NULL, 'a' || i FROM c");
	stage_size(&s, 80, 20, TS_GLYPHS_FULL);
	ck_assert(shows(&s, "what each IPU did in a step"));
	ck_assert(shows(&s, "50 steps"));
	run(&s, "pane-next");
	run(&s, "last");
	ck_assert_int_eq(s.selection.step, 49);
	ck_assert(shows(&s, "a49"));
	run(&s, "search a17");
	ck_assert_int_eq(s.selection.step, 17);
	stage_close(&s);
}
END_TEST

/* --- before it is shown ------------------------------------------------------------------------- */

/* What was asked comes, and nothing more is asked. */
static void
take_one(struct stage *s)
{
	struct pollfd fd = {.fd = ts_jobs_fd(s->env.jobs), .events = POLLIN};
	struct ts_job *job = NULL;

	for (int turns = 0; !job && turns < 5000; turns++) {
		poll(&fd, 1, 10);
		job = ts_jobs_receive(s->env.jobs);
	}
	ck_assert_ptr_nonnull(job);
	ts_view_trace.deliver(s->view, (struct ts_fetch *)job);
	ts_fetch_free((struct ts_fetch *)job);
}

START_TEST(it_is_opened_before_it_is_shown)
{
	struct ts_demo_options o = {.layout = TS_DEMO_SDK,
		.ipus = 2,
		.tiles = 16,
		.steps = 3000,
		.variables = 64};
	struct stage s;

	stage_open(&s, &o);
	ts_view_trace.ahead(s.view);
	ts_view_trace.ahead(s.view);
	ck_assert_int_eq(ts_jobs_sent(s.env.jobs, TS_WORKER_BULK), 1);
	ck_assert_int_eq(ts_jobs_sent(s.env.jobs, TS_WORKER_SCREEN), 0);
	take_one(&s);
	ck_assert_int_eq(s.selection.step, -1);
	s.selection.step = 1235;
	s.selection.ipu = 1;
	ts_view_trace.shown(s.view);
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	ck_assert_int_eq(ts_jobs_sent(s.env.jobs, TS_WORKER_BULK), 1);
	ck_assert_int_eq(s.selection.step, 1235);
	ck_assert_int_eq(s.selection.ipu, 1);
	ck_assert_int_gt(s.env.window[TS_WINDOW_TRACE].rows, 0);
	ck_assert_int_gt(s.env.window[TS_WINDOW_TRACE].misses, 0);
	stage_close(&s);
}
END_TEST

static void
hold(struct ts_job *job, void *local)
{
	(void)local;
	while (!ts_cancelled(&job->cancel))
		poll(NULL, 0, 1);
}

/* What is received of the view's is delivered; false: it was one of those that hold. */
static bool
take_any(struct stage *s)
{
	struct ts_job *job = ts_jobs_receive(s->env.jobs);

	if (!job) {
		poll(NULL, 0, 1);
		return true;
	}
	if (job->run == hold)
		return false;
	ts_view_trace.deliver(s->view, (struct ts_fetch *)job);
	ts_fetch_free((struct ts_fetch *)job);
	ts_view_trace.request(s->view);
	return true;
}

/* Both workers of what goes through whole tables have something to do until it is cancelled (owner 99). */
static void
hold_workers(struct stage *s, struct ts_job held[2])
{
	for (int i = 0; i < 2; i++) {
		held[i] = (struct ts_job){.run = hold,
			.what = "held",
			.worker = TS_WORKER_BULK,
			.owner = 99,
			.kind = i};
		ts_jobs_send(s->env.jobs, &held[i]);
	}
}

/* Questions that go through whole tables hold both workers: who goes to the view does not wait for them. */
START_TEST(who_goes_there_overtakes)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 16, .steps = 3000, .variables = 64};
	struct ts_job held[2];
	struct stage s;

	stage_open(&s, &o);
	hold_workers(&s, held);
	ts_view_trace.ahead(s.view);
	s.canvas = ts_canvas_new(100, 30, TS_GLYPHS_FULL);
	ck_assert_ptr_nonnull(s.canvas);
	ts_view_trace.resize(s.view, ts_canvas_rect(s.canvas));
	ts_view_trace.request(s.view);
	for (int turns = 0; s.env.window[TS_WINDOW_TRACE].rows == 0; turns++) {
		ck_assert_int_lt(turns, 20000);
		ck_assert(take_any(&s));
	}
	ts_jobs_cancel(s.env.jobs, 99);
	for (int ended = 0; ended < 2;)
		ended += !take_any(&s);
	stage_close(&s);
}
END_TEST

/* Make the pages of a table unreadable, behind the back of the report. */
static void
damage_table(struct stage *s, const char *table)
{
	char sql[128];
	unsigned char zeros[4096] = {0};
	sqlite3_stmt *statement;
	sqlite3 *db;
	FILE *f;

	snprintf(sql, sizeof(sql), "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
	ck_assert_int_eq(sqlite3_open(s->env.report->file, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
	f = fopen(s->env.report->file, "r+b");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, (sqlite3_column_int(statement, 0) - 1) * 4096L, SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(zeros, 1, sizeof(zeros), f), sizeof(zeros));
	fclose(f);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

/* It fails: whoever wants to see the view asks again, and is told why. */
START_TEST(what_fails_ahead_is_not_told)
{
	struct stage s;

	stage_begin(&s, NULL,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, name TEXT);" COUNT_TO(
			50) "INSERT INTO program SELECT i, 'p' || i FROM c;" COUNT_TO(50) "INSERT INTO step SELECT i, 'Sync', i FROM c");
	damage_table(&s, "program");
	ts_view_trace.ahead(s.view);
	ck_assert_int_eq(ts_jobs_sent(s.env.jobs, TS_WORKER_BULK), 1);
	take_one(&s);
	ck_assert_str_eq(s.env.message, "");
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	ck_assert_str_ne(s.env.message, "");
	ck_assert(shows(&s, "50 steps"));
	stage_close(&s);
}
END_TEST

START_TEST(whole_tables_are_not_read_ahead)
{
	struct stage s;

	stage_begin(&s, NULL,
		"CREATE TABLE s(a INTEGER);" COUNT_TO(
			100) "INSERT INTO s SELECT i FROM c;"
			     "CREATE VIEW step AS SELECT DISTINCT a AS step, 'Sync' AS type FROM s");
	ts_view_trace.ahead(s.view);
	ck_assert_int_eq(ts_jobs_sent(s.env.jobs, TS_WORKER_BULK), 0);
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	ck_assert(shows(&s, "100 steps"));
	stage_close(&s);
}
END_TEST

/* --- the index comes -------------------------------------------------------------------------------- */

/* Build the steps and the lanes while the view is shown. */
static void
bring_index(struct stage *s, unsigned sections)
{
	struct ts_err err = {0};
	struct ts_cache cache;
	struct ts_index *x;
	char dir[100];
	int failed;

	snprintf(dir, sizeof(dir), "%s/cache", s->dir);
	ck_assert(ts_cache_init(&cache, dir, 1 << 30, &err) == TS_OK);
	ck_assert_msg(build_index(&x, &failed, s->env.report, &cache, sections, 2, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(failed, 0);
	ts_index_release(s->env.index);
	s->env.index = x;
	ts_cache_fini(&cache);
	settle(s);
}

static bool
lacks(struct stage *s, const char *text)
{
	struct ts_strbuf out;
	bool found;

	draw(s);
	ts_strbuf_init(&out, 1 << 20);
	ts_canvas_dump(s->canvas, &out);
	found = strstr(out.s, text) != NULL;
	ts_strbuf_fini(&out);
	return !found;
}

START_TEST(the_index_makes_lanes_exact)
{
	struct ts_demo_options o = {.ipus = 4, .tiles = 16, .steps = 15000, .variables = 64};
	struct stage s;
	char before[256], after[256];

	stage_open(&s, &o);
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	ck_assert(shows(&s, "sampled"));
	run(&s, "goto 7777");
	run(&s, "ipu-next");
	cursor_line(&s, before, sizeof(before));
	bring_index(&s, ts_section_bit(TS_SECTION_STEPS));
	ck_assert(shows(&s, "sampled"));
	bring_index(&s, ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES));
	ck_assert(lacks(&s, "sampled"));
	cursor_line(&s, after, sizeof(after));
	ck_assert_str_eq(before, after);
	ck_assert_int_eq(s.selection.step, 7777);
	ck_assert_int_eq(s.selection.ipu, 1);
	for (int i = 0; i < 6; i++) {
		run(&s, "zoom-in");
		ck_assert(lacks(&s, "sampled"));
	}
	ck_assert_int_eq(s.selection.step, 7777);
	stage_close(&s);
}
END_TEST

/* Where a run's number covers a part of a tick of time nothing of that is left, neither figure nor unit. */
START_TEST(runs_take_ticks_whole)
{
	struct stage s;

	stage_open(&s, &small_store);
	s.options.clock_hz = 1.85e9;
	s.options.time = TS_TIME_US;
	for (int w = 60; w < 200; w++) {
		struct ts_strbuf out;
		char *line, *p;

		stage_size(&s, w, 24, TS_GLYPHS_FULL);
		draw(&s);
		ts_strbuf_init(&out, 1 << 20);
		ts_canvas_dump(s.canvas, &out);
		line = strstr(out.s, "time ");
		ck_assert_ptr_nonnull(line);
		line[strcspn(line, "\n")] = '\0';
		ck_assert_ptr_nonnull(strstr(line, "|run 1 "));
		for (p = line + 5; *p; p++) {
			size_t n = strspn(p, "0123456789.");

			if (p[0] == ' ' && (p[1] == 'm' || p[1] == 'u'))
				ck_assert_msg(p[-1] >= '0' && p[-1] <= '9', "%d: %s", w, line);
			if (n > 0 && strncmp(p - 4, "run ", 4) != 0)
				ck_assert_msg(p[n] == ' ' && (p[n + 1] == 'm' || p[n + 1] == 'u'),
					"%d: %s", w, line);
			p += n > 0 ? n - 1 : 0;
		}
		ts_strbuf_fini(&out);
	}
	stage_close(&s);
}
END_TEST

/* Give a command before any answer has come. */
static void
press(struct stage *s, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};

	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	(void)s->view->ops->command(s->view, &call);
	s->view->ops->request(s->view);
}

/*
 * Keys to the next longest step lead to the same steps whether the answers come between them or behind them (a bit each), with
 * the index, which has the first one alone, and without.
 */
START_TEST(longest_steps_by_quick_keys)
{
	enum { KEYS = 4 };
	struct ts_demo_options o = {.ipus = 2, .tiles = 16, .steps = 3000, .variables = 64};
	struct stage s;
	int64_t step[KEYS];

	stage_open(&s, &o);
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	if (_i)
		bring_index(&s,
			ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES));
	for (int waits = (1 << KEYS) - 1; waits >= 0; waits--) {
		run(&s, "zoom-in");
		run(&s, "jump longest");
		run(&s, "zoom-fit");
		for (int k = 0; k < KEYS; k++) {
			press(&s, "jump longest");
			if (waits >> k & 1)
				settle(&s);
			if (waits == (1 << KEYS) - 1)
				step[k] = s.selection.step;
			else if (waits >> k & 1)
				ck_assert_int_eq(s.selection.step, step[k]);
		}
		settle(&s);
		ck_assert_int_eq(s.selection.step, step[KEYS - 1]);
		run(&s, "jump-back longest");
		ck_assert_int_eq(s.selection.step, step[KEYS - 2]);
	}
	for (int k = 1; k < KEYS; k++)
		ck_assert_int_ne(step[k], step[k - 1]);
	stage_close(&s);
}
END_TEST

/* Slices of half a million steps, by two workers: no step is missed, none counted twice, from wherever it begins. */
START_TEST(a_search_in_slices)
{
	static const int begin[] = {1, 1100000, 1899999};
	struct stage s;

	stage_begin(&s, NULL,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program "
		"INTEGER, compute_set INTEGER, name TEXT);" COUNT_TO(
			1900000) "INSERT INTO step SELECT i, 0, 'Sync', NULL, NULL, CASE WHEN i % 100003 = 7 THEN "
				 "'one' END FROM c");
	stage_size(&s, 80, 20, TS_GLYPHS_FULL);
	for (size_t i = 0; i < TS_COUNT(begin); i++) {
		char go[32];

		snprintf(go, sizeof(go), "goto %d", begin[i]);
		run(&s, go);
		run(&s, i == 1 ? "search-back one" : "search one");
		ck_assert(shows(&s, "19 hits"));
		ck_assert_int_eq(s.selection.step % 100003, 7);
		ck_assert_int_eq(s.selection.step / 100003, i == 1 ? 10 : 0);
	}
	/* with the first slice known the next key does not go round to what may not be the first hit */
	run(&s, "goto 1800055");
	press(&s, "search one");
	while (s.selection.step == 1800055)
		take_one(&s), s.view->ops->request(s.view);
	ck_assert_int_eq(s.selection.step / 100003, 18);
	press(&s, "search-next");
	settle(&s);
	ck_assert(s.selection.step / 100003 == 18 || s.selection.step == 7);
	stage_close(&s);
}
END_TEST

/* Both workers of a search are told to end as soon as another one begins, or none; its first answer may be long in coming. */
START_TEST(a_search_that_is_left)
{
	struct ts_job held[2];
	struct stage s;
	int told = 0, asked = 0;
	int64_t sent;

	stage_begin(&s, NULL,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program "
		"INTEGER, compute_set INTEGER, name TEXT);" COUNT_TO(
			1600000) "INSERT INTO step SELECT i, 0, 'Sync', NULL, NULL, NULL FROM c");
	stage_size(&s, 80, 20, TS_GLYPHS_FULL);
	press(&s, "search one");
	hold_workers(&s, held);
	sent = ts_jobs_sent(s.env.jobs, TS_WORKER_BULK);
	for (int turns = 0; ts_jobs_sent(s.env.jobs, TS_WORKER_BULK) < sent + 2; turns++) {
		ck_assert_int_lt(turns, 20000);
		(void)take_any(&s); /* with the first slice two are asked for */
	}
	press(&s, _i ? "search two" : "search");
	ts_jobs_cancel(s.env.jobs, 99);
	for (bool busy = true; busy;) {
		struct ts_job *job;

		busy = !idle(s.env.jobs);
		job = ts_jobs_receive(s.env.jobs);
		busy |= job != NULL;
		if (!job)
			poll(NULL, 0, 1);
		if (!job || job->run == hold)
			continue;
		if (strncmp(job->what, "searching steps", 15) == 0) {
			asked++;
			told += job->dropped || ts_cancelled(&job->cancel);
		}
		ts_view_trace.deliver(s.view, (struct ts_fetch *)job);
		ts_fetch_free((struct ts_fetch *)job);
	}
	ck_assert_int_eq(asked, 2 + _i); /* and the first slice of the new one */
	ck_assert_int_eq(told, 2);
	stage_close(&s);
}
END_TEST

/* Rows that had no numbers have them: the step under the cursor stays on its line. */
START_TEST(the_index_numbers_rows)
{
	struct stage s;
	char before[256], after[256];

	stage_begin(&s, NULL,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program "
		"INTEGER, compute_set INTEGER, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER);" COUNT_TO(
			3000) "INSERT INTO step SELECT i * i / 8 + i, NULL, 'Sync', NULL, NULL, NULL FROM c;"
			      "INSERT INTO step_ipu SELECT step, 0, 9, step * 10, step * 10 + 9 FROM step");
	stage_size(&s, 100, 30, TS_GLYPHS_FULL);
	run(&s, "pane-next");
	run(&s, "goto 502000"); /* i = 2000 */
	for (int i = 0; i < 5; i++)
		run(&s, "up");
	ck_assert(shows(&s, "about "));
	cursor_line(&s, before, sizeof(before));
	bring_index(&s, ts_section_bit(TS_SECTION_STEPS));
	ck_assert(lacks(&s, "about "));
	ck_assert(shows(&s, "3,000 steps"));
	cursor_line(&s, after, sizeof(after));
	ck_assert_str_eq(before, after);
	for (int i = 1; i < 40; i++) {
		int64_t k = 1995 - i;

		run(&s, "up");
		ck_assert_int_eq(s.selection.step, k * k / 8 + k);
	}
	run(&s, "last");
	ck_assert_int_eq(s.selection.step, INT64_C(2999) * 2999 / 8 + 2999);
	run(&s, "goto 502000");
	ck_assert_int_eq(s.selection.step, 502000);
	run(&s, "goto 500500");
	ck_assert_ptr_nonnull(strstr(s.env.message, "there is no step"));
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
	ck_assert(shows(&s, "Memory, how full each tile is"));
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
	tcase_add_test(looks, cursors_follow_each_other);
	tcase_add_test(looks, search_goes_round);
	tcase_add_test(looks, a_search_in_slices);
	tcase_add_loop_test(looks, a_search_that_is_left, 0, 2);
	tcase_add_test(looks, the_artefact_is_marked);
	tcase_add_test(looks, reload_keeps_the_place);
	tcase_add_test(looks, all_sizes);
	tcase_add_test(looks, ids_with_gaps);
	tcase_add_test(looks, read_forwards);
	tcase_add_test(looks, steps_without_ipus);
	tcase_add_test(looks, it_is_opened_before_it_is_shown);
	tcase_add_test(looks, who_goes_there_overtakes);
	tcase_add_test(looks, what_fails_ahead_is_not_told);
	tcase_add_test(looks, whole_tables_are_not_read_ahead);
	tcase_add_test(looks, the_index_makes_lanes_exact);
	tcase_add_test(looks, runs_take_ticks_whole);
	tcase_add_loop_test(looks, longest_steps_by_quick_keys, 0, 2);
	tcase_add_test(looks, the_index_numbers_rows);
	tcase_add_test(looks, absent_says_why);
	tcase_add_test(looks, sdk_layout);
	suite_add_tcase(suite, looks);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
