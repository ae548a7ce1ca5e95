/* SPDX-License-Identifier: MIT */
/*
 * The Jobs view: workers at rest, an index in every state that a section can have, memory. What runs is
 * not kept on golden screens: its time would differ.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "golden.h"

#include "tilescope/view/fetch.h"
#include "tilescope/view/host_status.h"
#include "tilescope/view/index_status.h"
#include "tilescope/view/jobs.h"

struct screen {
	struct ts_options options;
	struct ts_index_status status;
	struct ts_cache cache;
	struct ts_view_env env;
	struct ts_view *view;
	struct ts_canvas *canvas;
};

static void
start(struct screen *s, int w, int h, enum ts_glyphs glyphs)
{
	struct ts_err err = {0};

	memset(s, 0, sizeof(*s));
	ts_options_init(&s->options);
	s->status.doing = "building";
	s->status.resident = 31 << 20;
	s->cache = (struct ts_cache){.dir = strdup("/home/somebody/.cache/tilescope/a\033[31mb"),
		.cap = (int64_t)8 << 30};
	s->env = (struct ts_view_env){.options = &s->options,
		.cache = &s->cache,
		.indexing = &s->status};
	ck_assert_int_eq(ts_jobs_new_pool(&s->env.jobs, 2, sizeof(struct ts_fetch_local),
				 ts_fetch_local_fini, &err),
		TS_OK);
	ts_windows_init(s->env.window);
	for (int i = 0; i < TS_WINDOW_COUNT; i++) {
		ck_assert_int_gt(s->env.window[i].most_bytes, s->env.window[i].most_rows);
		s->env.window[i].most_bytes = ((int64_t)i + 1)
			<< 20; /* not the sizes of structures */
	}
	s->env.window[TS_WINDOW_TRACE] = (struct ts_window){.most_rows = 2048,
		.most_bytes = 3 << 20,
		.rows = 175,
		.bytes = 23456,
		.hits = 987654,
		.misses = 350,
		.waits = 3,
		.wait_us = 21500};
	s->env.window[TS_WINDOW_TABLES] = (struct ts_window){.most_rows = 512,
		.most_bytes = 100 << 20,
		.rows = 512,
		.bytes = (int64_t)90 << 20,
		.hits = 5120,
		.misses = 1024};
	s->view = ts_view_jobs.open(&s->env);
	ck_assert_ptr_nonnull(s->view);
	s->view->env = &s->env;
	s->canvas = ts_canvas_new(w, h, glyphs);
	ck_assert_ptr_nonnull(s->canvas);
	ts_view_jobs.resize(s->view, ts_canvas_rect(s->canvas));
	ts_view_jobs.request(s->view);
}

static void
set(struct screen *s, enum ts_section section, enum ts_section_state state, int percent,
	const char *reason)
{
	struct ts_section_status *st = &s->status.section[section];

	st->state = state;
	st->percent = percent;
	snprintf(st->reason, sizeof(st->reason), "%s", reason);
}

/* Every state at once. */
static void
set_all(struct screen *s)
{
	set(s, TS_SECTION_CATEGORIES, TS_SECTION_IS_FAILED, -1,
		"var_categories: database disk image is malformed \033]0;x\007");
	set(s, TS_SECTION_VARIABLES, TS_SECTION_IS_BUILDING, 45, "");
	set(s, TS_SECTION_LIVENESS, TS_SECTION_IS_UNPLANNED, -1, "");
	set(s, TS_SECTION_STEPS, TS_SECTION_IS_BUILDING, -1, "");
	set(s, TS_SECTION_LANES, TS_SECTION_IS_MISSING, -1, "");
	set(s, TS_SECTION_CONTEXTS, TS_SECTION_IS_UNPLANNED, -1, "");
	set(s, TS_SECTION_LIVES, TS_SECTION_IS_MISSING, -1, "");
}

static void
draw(struct screen *s)
{
	ts_canvas_erase(s->canvas);
	ts_view_jobs.draw(s->view, s->canvas);
}

static void
command(struct screen *s, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_call_parse(&call, line, &err), TS_OK);
	ts_view_jobs.command(s->view, &call);
	draw(s);
}

static void
end(struct screen *s)
{
	while (!ts_jobs_free(s->env.jobs, NULL))
		;
	ts_view_jobs.close(s->view);
	ts_canvas_free(s->canvas);
	free(s->cache.dir);
}

START_TEST(every_state)
{
	struct screen s;

	start(&s, 80, 30, TS_GLYPHS_FULL);
	set_all(&s);
	draw(&s);
	golden_check("jobs-80x30", s.canvas);
	end(&s);
	start(&s, 80, 30, TS_GLYPHS_ASCII);
	set_all(&s);
	draw(&s);
	golden_check("jobs-80x30-ascii", s.canvas);
	end(&s);
}
END_TEST

START_TEST(a_small_one_scrolls)
{
	struct screen s;

	start(&s, 40, 10, TS_GLYPHS_FULL);
	set_all(&s);
	draw(&s);
	golden_check("jobs-40x10", s.canvas);
	command(&s, "last");
	golden_check("jobs-40x10-last", s.canvas);
	command(&s, "up");
	command(&s, "up");
	golden_check("jobs-40x10-up", s.canvas);
	command(&s, "first");
	golden_check("jobs-40x10", s.canvas);
	end(&s);
}
END_TEST

START_TEST(a_large_one_shows_all)
{
	struct screen s;

	start(&s, 200, 60, TS_GLYPHS_FULL);
	set_all(&s);
	draw(&s);
	golden_check("jobs-200x60", s.canvas);
	end(&s);
}
END_TEST

/* Names have what room there is; what libssh leaves out of a configuration stands there. */
START_TEST(other_hosts)
{
	static const struct ts_host_status hosts[] = {
		{.name = "somebody@a-host-with-a-rather-long-name.example.com:2222",
			.stands = TS_HOST_IS_CONNECTED,
			.transport = "libssh",
			.left_out = "IdentitiesOnly, Match exec",
			.rtt_us = 50000},
		{.name = "box", .stands = TS_HOST_IS_NOT_CONNECTED, .why = "box: no connection"},
	};
	struct screen s;

	start(&s, 80, 16, TS_GLYPHS_FULL);
	s.env.hosts = hosts;
	s.env.host_count = 2;
	draw(&s);
	golden_check("jobs-hosts-80x16", s.canvas);
	end(&s);
	start(&s, 120, 16, TS_GLYPHS_FULL);
	s.env.hosts = hosts;
	s.env.host_count = 2;
	draw(&s);
	golden_check("jobs-hosts-120x16", s.canvas);
	end(&s);
}
END_TEST

/* Of each list: what of the screen was there, and for how long frames had to do without it. */
START_TEST(rows_of_lists_are_counted)
{
	struct screen s;
	struct ts_window *w = &s.env.window[TS_WINDOW_MEMORY];
	struct ts_list list;

	start(&s, 80, 24, TS_GLYPHS_FULL);
	ts_list_init(&list);
	ts_list_resize(&list, 10);
	ts_list_set_count(&list, 25);
	ts_window_want(s.view, TS_WINDOW_MEMORY, &list, 7, 0, 0);
	ts_window_want(s.view, TS_WINDOW_MEMORY, &list, 7, 0, 0); /* asked already */
	ck_assert_int_eq(w->hits, 0);
	ck_assert_int_eq(w->misses, 10);
	ck_assert_int_eq(w->waits, 0); /* no frame shows that */
	ts_window_drawn(s.env.window, s.view, 1000);
	ts_window_drawn(s.env.window, s.view, 2000);
	ck_assert_int_eq(w->waits, 1);
	ts_window_hold(s.view, TS_WINDOW_MEMORY, 15, 600);
	ts_window_want(s.view, TS_WINDOW_MEMORY, &list, 7, 0, 15);
	ck_assert_int_gt(w->wait_us, 0);
	ck_assert_int_eq(w->hits, 0); /* what was missed is no hit when it comes */
	ts_list_go(&list, 18);
	ts_window_want(s.view, TS_WINDOW_MEMORY, &list, 7, 0, 15);
	ck_assert_int_eq(w->hits, 6); /* 9 .. 14 of 9 .. 18 */
	ck_assert_int_eq(w->misses, 14);
	ts_window_want(s.view, TS_WINDOW_MEMORY, &list, 8, 0, 25); /* of another tile */
	ck_assert_int_eq(w->hits, 16);
	ts_list_set_count(&list, 3);
	ts_window_want(s.view, TS_WINDOW_MEMORY, &list, 9, 0, 0);
	ck_assert_int_eq(w->misses, 17); /* no more than there are */
	ts_window_drawn(s.env.window, s.view, 5000);
	ts_window_drawn(s.env.window, NULL, 6000); /* another view: nobody waits any more */
	ts_window_drawn(s.env.window, s.view, 9000);
	ck_assert_int_eq(w->waits, 2);
	ck_assert_int_eq(w->rows, 15);
	ck_assert_int_eq(w->bytes, 600);
	end(&s);
}
END_TEST

START_TEST(no_index)
{
	struct screen s;

	start(&s, 80, 30, TS_GLYPHS_FULL);
	free(s.cache.dir);
	s.cache.dir = NULL;
	snprintf(s.cache.why, sizeof(s.cache.why), "/home/somebody: cannot be written");
	s.status.doing = "not kept";
	s.status.resident = -1;
	draw(&s);
	golden_check("jobs-none", s.canvas);
	s.env.indexing = NULL;
	s.env.cache = NULL;
	draw(&s); /* whatever it shows: no crash */
	end(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_jobs");
	TCase *c = tcase_create("jobs");
	SRunner *r;
	int failed;

	tcase_add_test(c, every_state);
	tcase_add_test(c, other_hosts);
	tcase_add_test(c, a_small_one_scrolls);
	tcase_add_test(c, a_large_one_shows_all);
	tcase_add_test(c, rows_of_lists_are_counted);
	tcase_add_test(c, no_index);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
