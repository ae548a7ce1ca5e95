/* SPDX-License-Identifier: MIT */
/*
 * view_harness - a report in a directory of its own, and a view on it driven by hand. For Check programs.
 *
 * Fetches go through the real queue with its workers. A test looks at a screen before any answer, after
 * each, or when there is nothing more to ask: none depends on how fast the machine is.
 */
#ifndef TS_TESTS_SCREEN_VIEW_HARNESS_H
#define TS_TESTS_SCREEN_VIEW_HARNESS_H

#include <check.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "made_rows.h"
#include "report_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/query.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/typed.h"
#include "tilescope/view/view.h"

struct harness {
	char dir[REPORT_DIR];
	char *path;    /* of the report's file */
	sqlite3 *rows; /* that it is to be made of, or NULL */
	struct ts_options options;
	struct ts_selection selection;
	struct ts_view_env env;
	struct ts_view *view;
	struct ts_canvas *canvas;
	struct ts_typed typed; /* what harness_key() typed too early */
};

/* A directory for the report. */
static inline void
harness_dir(struct harness *h)
{
	memset(h, 0, sizeof(*h));
	report_dir_make(h->dir);
}

static inline void
harness_demo(struct harness *h, const struct ts_demo_options *options)
{
	struct ts_demo_options o = *options;

#ifndef HARNESS_OLD_LAYOUT
	o.layout = TS_DEMO_PROFILE;
#endif
	harness_dir(h);
	report_dir_demo(h->dir, &h->path, &o);
}

/* Rows of relations, that the report is made of when it is opened (made_rows.h). */
static inline void
harness_rows(struct harness *h, const char *sql)
{
	if (!h->rows)
		h->rows = made_rows_new();
	made_exec(h->rows, sql);
}

/* Make the report of its rows. */
static inline void
harness_make(struct harness *h)
{
	if (!h->rows)
		return;
	h->path = malloc(2 * REPORT_DIR);
	ck_assert_ptr_nonnull(h->path);
	snprintf(h->path, 2 * REPORT_DIR, "%s/profile.pop", h->dir);
	made_rows_write(h->rows, h->path);
	sqlite3_close(h->rows);
	h->rows = NULL;
}

/* Change the report with SQL, or make one with nothing else in it. Numbers are packed by functions of made_rows.h. */
static inline void
harness_sql(struct harness *h, const char *sql)
{
#ifdef HARNESS_OLD_LAYOUT
	report_dir_sql(h->dir, &h->path, "report.tilescope", sql);
#else
	sqlite3 *db;

	harness_make(h);
	report_dir_sql(h->dir, &h->path, "profile.pop", "SELECT 1");
	ck_assert_int_eq(sqlite3_open(h->path, &db), SQLITE_OK);
	made_functions(db);
	made_exec(db, "PRAGMA synchronous=OFF");
	made_exec(db, sql);
	sqlite3_close(db);
#endif
}

/* Let anything be NULL in its tables. */
static inline void
harness_loosen(struct harness *h)
{
	harness_sql(h,
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', ''); "
		"PRAGMA writable_schema = RESET");
}

/* Open h->path; any SQLite file will do. */
static inline void
harness_open(struct harness *h)
{
	struct ts_report_options ro = {.any = true};
	struct ts_err err = {0};

	harness_make(h);
	ck_assert_msg(ts_report_open(&h->env.report, h->path, &ro, &err) == TS_OK, "%s", err.msg);
}

/* What a query of the report's relations answers: one number. */
static inline int64_t TS_PRINTF(2, 3) harness_number(struct harness *h, const char *fmt, ...)
{
	struct ts_query *q;
	struct ts_err err = {0};
	struct ts_sql_value v;
	char query[1200];
	va_list ap;
	bool row;

	va_start(ap, fmt);
	vsnprintf(query, sizeof(query), fmt, ap);
	va_end(ap);
	ck_assert_msg(ts_query_open(&q, h->env.report, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_query_prepare(q, query, 60, &err) == TS_OK &&
			ts_query_step(q, &row, &err) == TS_OK && row,
		"%s: %s", err.msg, query);
	ts_query_value(&v, q, 0);
	ts_query_close(q);
	return v.type == TS_SQL_REAL ? (int64_t)v.real : v.type == TS_SQL_INTEGER ? v.integer : 0;
}

/* The report and a view on it; nothing is asked yet. */
static inline void
harness_start(struct harness *h, const struct ts_view_ops *ops, int w, int height,
	enum ts_glyphs glyphs)
{
	struct ts_err err = {0};

	ts_options_init(&h->options);
	h->selection = (struct ts_selection)TS_SELECTION_NONE;
	h->env = (struct ts_view_env){.options = &h->options,
		.selection = &h->selection,
		.go = -1,
		.generation = 1};
	harness_open(h);
	ck_assert_int_eq(ts_jobs_new(&h->env.jobs, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	h->view = ops->open(&h->env);
	ck_assert_ptr_nonnull(h->view);
	h->canvas = ts_canvas_new(w, height, glyphs);
	ck_assert_ptr_nonnull(h->canvas);
	ops->resize(h->view, ts_canvas_rect(h->canvas));
	if (ops->shown)
		ops->shown(h->view);
}

static inline bool
harness_idle(struct harness *h)
{
	struct ts_job_info info;

	for (int i = 0; i < ts_jobs_workers(h->env.jobs); i++) {
		ts_jobs_worker(h->env.jobs, i, &info);
		if (info.what || info.waiting > 0)
			return false;
	}
	return true;
}

/* What the loop does after an answer: calls that waited for it. */
static inline void
harness_typed(struct harness *h)
{
	struct ts_call call;

	while (ts_typed_next(&h->typed, h->view, false, &call)) {
		enum ts_effect effect = h->view->ops->command(h->view, &call);

		if (effect & TS_EFFECT_UNKNOWN && ts_typed_reads(h->view))
			return;
		ts_typed_done(&h->typed);
		h->view->ops->request(h->view);
	}
}

/* Take one answer, waiting for it, and ask again; false when none comes in `ms`. */
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
	h->view->ops->deliver(h->view, (struct ts_fetch *)job);
	ts_fetch_free((struct ts_fetch *)job);
	h->view->ops->request(h->view);
	harness_typed(h);
	return true;
}

/* Ask, and take answers, until there is nothing more to ask. */
static inline void
harness_settle(struct harness *h)
{
	for (;;) {
		bool idle;

		h->view->ops->request(h->view);
		idle = harness_idle(h);
		if (!harness_take_one(h, idle ? 0 : 1) && idle)
			return;
	}
}

/* The same, but what is asked under this name is not read ("the disk is gone"): an error, or a stop. */
static inline void
harness_settle_in_vain(struct harness *h, const char *what, enum ts_code code)
{
	for (bool idle = false; !idle;) {
		struct ts_job *job;

		h->view->ops->request(h->view);
		idle = harness_idle(h);
		while ((job = ts_jobs_receive(h->env.jobs))) {
			struct ts_fetch *f = (struct ts_fetch *)job;

			if (strcmp(job->what, what) == 0)
				f->code = ts_err_set(&f->err, code, "the disk is gone");
			h->view->ops->deliver(h->view, f);
			ts_fetch_free(f);
			idle = false;
		}
	}
}

/* A typed line as a command; what it asks for is under way. */
static inline enum ts_effect
harness_type(struct harness *h, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};
	enum ts_effect effect;

	h->env.message[0] = h->env.copy[0] = '\0';
	h->env.message_is_error = false;
	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	effect = h->view->ops->command(h->view, &call);
	h->view->ops->request(h->view);
	return effect;
}

/* The same, and all of it answered. */
static inline enum ts_effect
harness_command(struct harness *h, const char *line)
{
	enum ts_effect effect = harness_type(h, line);

	harness_settle(h);
	return effect;
}

/* A line as a key: it waits where what it acts on is being read. True: it does. */
static inline bool
harness_key(struct harness *h, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};
	enum ts_effect effect;

	h->env.message[0] = '\0';
	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	if (ts_typed_keep(&h->typed, h->view, &call, false))
		return true;
	effect = h->view->ops->command(h->view, &call);
	h->view->ops->request(h->view);
	if (effect & TS_EFFECT_UNKNOWN && ts_typed_later(&h->typed, h->view, &call, false))
		return true;
	ts_typed_drop(&h->typed);
	return false;
}

/* What is under the cursor, for other views. */
static inline struct ts_at_cursor
harness_at_cursor(struct harness *h)
{
	struct ts_at_cursor o;

	ts_at_cursor_none(&o);
	h->view->ops->object(h->view, &o);
	return o;
}

static inline void
harness_resize(struct harness *h, int w, int height)
{
	ck_assert_int_eq(ts_canvas_resize(h->canvas, w, height, NULL), TS_OK);
	h->view->ops->resize(h->view, ts_canvas_rect(h->canvas));
	h->view->ops->request(h->view);
}

static inline void
harness_draw(struct harness *h)
{
	do { /* what the loop does between two frames: tables come to their order */
		ts_canvas_erase(h->canvas);
		h->view->ops->draw(h->view, h->canvas);
	} while (h->env.report && ts_view_order_turn(h->view));
}

/* The screen as it was kept under this name. */
static inline void
harness_look(struct harness *h, const char *name)
{
	harness_draw(h);
	golden_check(name, h->canvas);
}

/* Text of the screen; the caller frees it. */
static inline char *
harness_text(struct harness *h)
{
	struct ts_strbuf out;

	harness_draw(h);
	ts_strbuf_init(&out, 4 << 20);
	ts_canvas_dump(h->canvas, &out);
	return ts_strbuf_take(&out);
}

static inline bool
harness_has(struct harness *h, const char *words)
{
	char *text = harness_text(h);
	bool has = text && strstr(text, words);

	free(text);
	return has;
}

/* Does the screen say this? */
static inline void
harness_says(struct harness *h, const char *words)
{
	char *text = harness_text(h);

	ck_assert_msg(text && strstr(text, words), "no \"%s\" in\n%.3000s", words,
		text ? text : "");
	free(text);
}

static inline void
harness_give_back(struct ts_job *job)
{
	ts_fetch_free((struct ts_fetch *)job);
}

/* Close queue, view and report; the file stays. */
static inline void
harness_stop(struct harness *h)
{
	while (!ts_jobs_free(h->env.jobs, harness_give_back))
		; /* it waits for a while each time: a busy machine may need more */
	h->view->ops->close(h->view);
	ts_report_close(h->env.report);
	ts_select_no_tiles(&h->selection);
	ts_canvas_free(h->canvas);
}

static inline void
harness_end(struct harness *h)
{
	static const char *const beside[] = {"debug.cbor", "archive.a"};

	harness_stop(h);
	for (size_t i = 0; i < TS_COUNT(beside); i++) {
		char path[2 * REPORT_DIR];

		snprintf(path, sizeof(path), "%s/%s", h->dir, beside[i]);
		unlink(path);
	}
	unlink(h->path);
	free(h->path);
	ck_assert_int_eq(rmdir(h->dir), 0);
}

/* Figures are what their queries print: how many have one. */
static inline int
harness_ask(struct harness *h, const struct ts_explain *e)
{
	struct ts_query *q;
	struct ts_err err = {0};
	int queries = 0;

	ck_assert_msg(ts_query_open(&q, h->env.report, &err) == TS_OK, "%s", err.msg);
	for (int i = 0; i < e->count; i++) {
		const struct ts_explained *x = &e->figure[i];
		struct ts_sql_value v;
		bool row;

		if (!x->query[0])
			continue;
		ck_assert_msg(ts_query_prepare(q, x->query, 60, &err) == TS_OK, "%s: %s", err.msg,
			x->query);
		ck_assert_msg(ts_query_step(q, &row, &err) == TS_OK && row, "%s: %s", err.msg,
			x->query);
		ts_query_value(&v, q, 0);
		if (x->kind == TS_EXPLAIN_INTEGER)
			ck_assert_msg(v.type == TS_SQL_INTEGER && v.integer == x->integer,
				"%lld, but %lld: %s", (long long)x->integer, (long long)v.integer,
				x->query);
		else if (x->kind == TS_EXPLAIN_TEXT)
			ck_assert_msg(v.type == TS_SQL_TEXT && v.n == strlen(x->text) &&
					memcmp(v.bytes, x->text, v.n) == 0,
				"%s, but %.*s: %s", x->text, (int)v.n, v.n ? v.bytes : "",
				x->query);
		else
			ck_assert_msg(v.type == TS_SQL_REAL &&
					fabs(v.real - x->real) <= 1e-9 * fmax(1, fabs(x->real)),
				"%.17g, but %.17g: %s", x->real, v.real, x->query);
		queries++;
	}
	ts_query_close(q);
	return queries;
}

#endif
