/* SPDX-License-Identifier: MIT */
/*
 * memory_harness - a report in a directory of its own, and the Memory view driven by hand. For Check
 * programs.
 *
 * Fetches go through the real queue with its two workers; answers are awaited one by one, so that a
 * screen is the same every time.
 */
#ifndef TS_TESTS_SCREEN_MEMORY_HARNESS_H
#define TS_TESTS_SCREEN_MEMORY_HARNESS_H

#include <check.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/memory.h"

struct harness {
	char dir[REPORT_DIR];
	char *path;
	struct ts_report *report;
	struct ts_options options;
	struct ts_selection selection;
	struct ts_view_env env;
	struct ts_view *view;
	struct ts_canvas *canvas;
};

static inline void
harness_give_back(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

/* Open h->path and the view on it. */
static inline void
harness_start(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	struct ts_report_options ro = {0};
	struct ts_err err = {0};

	ck_assert_msg(ts_report_open(&h->report, h->path, &ro, &err) == TS_OK, "%s", err.msg);
	ts_options_init(&h->options);
	h->selection = (struct ts_selection){-1, -1, -1, -1};
	h->env = (struct ts_view_env){.report = h->report,
		.options = &h->options,
		.selection = &h->selection,
		.generation = 1};
	ck_assert_int_eq(ts_jobs_new(&h->env.jobs, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	h->view = ts_view_memory.open(&h->env);
	ck_assert_ptr_nonnull(h->view);
	h->canvas = ts_canvas_new(w, height, glyphs);
	ck_assert_ptr_nonnull(h->canvas);
	ts_view_memory.resize(h->view, ts_canvas_rect(h->canvas));
	ts_view_memory.shown(h->view);
	ts_view_memory.request(h->view);
}

/* A directory for the report. */
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

/* Change the report with SQL, or make one with the SDK's names. */
static inline void
harness_sql(struct harness *h, const char *sql)
{
	report_dir_sql(h->dir, &h->path, "profile.pop", sql);
}

/* Receive one answer, waiting for it; false when none comes in `ms`. */
static inline bool
harness_take_one(struct harness *h, int ms)
{
	struct ts_job *job = ts_jobs_receive(h->env.jobs);
	struct pollfd p = {ts_jobs_fd(h->env.jobs), POLLIN, 0};

	while (!job) {
		if (poll(&p, 1, ms) <= 0)
			return false;
		job = ts_jobs_receive(h->env.jobs);
	}
	ts_view_memory.deliver(h->view, (struct ts_fetch *)job);
	ts_fetch_free((struct ts_fetch *)job);
	ts_view_memory.request(h->view);
	return true;
}

/* Until both workers are idle and everything was taken. */
static inline void
harness_settle(struct harness *h)
{
	for (;;) {
		struct ts_job_info a, b;

		while (harness_take_one(h, 0))
			;
		ts_jobs_info(h->env.jobs, TS_WORKER_SCREEN, &a);
		ts_jobs_info(h->env.jobs, TS_WORKER_BULK, &b);
		if (!a.what && !b.what && a.waiting == 0 && b.waiting == 0 &&
			!harness_take_one(h, 0))
			return;
		usleep(500);
	}
}

static inline enum ts_effect
harness_command(struct harness *h, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};
	enum ts_effect effect;

	h->env.message[0] = h->env.copy[0] = '\0';
	h->env.message_is_error = false;
	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s", err.msg);
	effect = ts_view_memory.command(h->view, &call);
	ts_view_memory.request(h->view);
	return effect;
}

static inline void
harness_draw(struct harness *h)
{
	ts_canvas_erase(h->canvas);
	ts_view_memory.draw(h->view, h->canvas);
}

static inline void
harness_resize(struct harness *h, int w, int height)
{
	ck_assert_int_eq(ts_canvas_resize(h->canvas, w, height, NULL), TS_OK);
	ts_view_memory.resize(h->view, ts_canvas_rect(h->canvas));
	ts_view_memory.request(h->view);
}

static inline void
harness_end(struct harness *h)
{
	while (!ts_jobs_free(h->env.jobs, harness_give_back))
		; /* it waits for a while each time: a busy machine may need more */
	ts_view_memory.close(h->view);
	ts_canvas_free(h->canvas);
	ts_report_close(h->report);
	unlink(h->path);
	free(h->path);
	ck_assert_int_eq(rmdir(h->dir), 0);
}

#endif
