/* SPDX-License-Identifier: MIT */
/*
 * liveness_harness - a report in a directory of its own, and the Liveness view driven by hand. For Check
 * programs.
 *
 * Fetches go through the real queue; a screen is looked at when all answers are there, or before any.
 */
#ifndef TS_TESTS_SCREEN_LIVENESS_HARNESS_H
#define TS_TESTS_SCREEN_LIVENESS_HARNESS_H

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/liveness.h"

struct harness {
	char dir[REPORT_DIR];
	char *path; /* of the file */
	struct ts_options options;
	struct ts_selection selection;
	struct ts_view_env env;
	struct ts_view *view;
	struct ts_canvas *canvas;
};

static inline void
harness_dir(struct harness *h)
{
	memset(h, 0, sizeof(*h));
	report_dir_make(h->dir);
}

static inline void
harness_demo(struct harness *h, const struct ts_demo_options *o)
{
	harness_dir(h);
	report_dir_demo(h->dir, &h->path, o);
}

/* Change the report with SQL, or make a store with nothing else in it. */
static inline void
harness_sql(struct harness *h, const char *sql)
{
	report_dir_sql(h->dir, &h->path, "report.tilescope", sql);
}

static inline void
harness_give_back(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

/* Open the report and the view; nothing is asked yet. */
static inline void
harness_start(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	struct ts_report_options ro = {0};
	struct ts_err err = {0};

	ts_options_init(&h->options);
	h->selection = (struct ts_selection){-1, -1, -1, -1};
	h->env = (struct ts_view_env){.options = &h->options,
		.selection = &h->selection,
		.generation = 1};
	ck_assert_msg(ts_report_open(&h->env.report, h->path, &ro, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_jobs_new(&h->env.jobs, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	h->view = ts_view_liveness.open(&h->env);
	ck_assert_ptr_nonnull(h->view);
	h->canvas = ts_canvas_new(w, height, glyphs);
	ck_assert_ptr_nonnull(h->canvas);
	ts_view_liveness.resize(h->view, ts_canvas_rect(h->canvas));
	ts_view_liveness.shown(h->view);
}

static inline bool
harness_idle(struct harness *h)
{
	struct ts_job_info a, b;

	ts_jobs_info(h->env.jobs, TS_WORKER_SCREEN, &a);
	ts_jobs_info(h->env.jobs, TS_WORKER_BULK, &b);
	return !a.what && !b.what && a.waiting == 0 && b.waiting == 0;
}

/* Ask, and take answers, until there is nothing more to ask. */
static inline void
harness_settle(struct harness *h)
{
	for (;;) {
		struct ts_job *job;
		bool idle;

		ts_view_liveness.request(h->view);
		idle = harness_idle(h);
		job = ts_jobs_receive(h->env.jobs);
		if (job) {
			ts_view_liveness.deliver(h->view, (struct ts_fetch *)job);
			ts_fetch_free((struct ts_fetch *)job);
		} else if (idle) {
			return;
		} else {
			usleep(200);
		}
	}
}

/* A typed line as a command; what it asks for is answered. */
static inline enum ts_effect
harness_command(struct harness *h, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};
	enum ts_effect effect;

	h->env.message[0] = h->env.copy[0] = '\0';
	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s", err.msg);
	effect = ts_view_liveness.command(h->view, &call);
	harness_settle(h);
	return effect;
}

static inline void
harness_resize(struct harness *h, int w, int height)
{
	ck_assert_int_eq(ts_canvas_resize(h->canvas, w, height, NULL), TS_OK);
	ts_view_liveness.resize(h->view, ts_canvas_rect(h->canvas));
}

static inline void
harness_draw(struct harness *h)
{
	ts_canvas_erase(h->canvas);
	ts_view_liveness.draw(h->view, h->canvas);
}

/* Text of the screen; valid until the next call, the caller frees it. */
static inline char *
harness_text(struct harness *h)
{
	struct ts_strbuf out;

	harness_draw(h);
	ts_strbuf_init(&out, 4 << 20);
	ts_canvas_dump(h->canvas, &out);
	return ts_strbuf_take(&out);
}

/* Does the screen say this? */
static inline void
harness_says(struct harness *h, const char *words)
{
	char *text = harness_text(h);

	ck_assert_msg(text && strstr(text, words), "no \"%s\" in\n%.2000s", words,
		text ? text : "");
	free(text);
}

/* Close view, queue and report; the file stays. */
static inline void
harness_stop(struct harness *h)
{
	ts_view_liveness.close(h->view);
	while (!ts_jobs_free(h->env.jobs, harness_give_back))
		; /* it waits for a while each time: a busy machine may need more */
	ts_report_close(h->env.report);
	ts_canvas_free(h->canvas);
}

static inline void
harness_end(struct harness *h)
{
	harness_stop(h);
	unlink(h->path);
	free(h->path);
	ck_assert_int_eq(rmdir(h->dir), 0);
}

#endif
