/* SPDX-License-Identifier: MIT */
/*
 * Keys that were typed before the rows they are for had come: they wait, go to these rows, in their order; other keys do not
 * wait, and drop them.
 */
#include "config.h"

#include <semaphore.h>

#include "live_report.h"

#include "tilescope/app/headless.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/programs.h"
#include "tilescope/view/tab.h"
#include "tilescope/view/trace.h"
#include "tilescope/view/variables.h"

static void
begin(struct harness *h, const struct ts_view_ops *ops)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64, .steps = 400, .variables = 3000};

	harness_demo(h, &o);
	harness_start(h, ops, 120, 38, TS_GLYPHS_FULL);
}

/* Where the cursor stands in the table of the view; of the tab that has the keys of the lower pane. */
static int64_t
cursor(struct harness *h)
{
	struct ts_sheet s = {.list = NULL};

	ck_assert(h->view->ops->sheet(h->view, &s) && s.list);
	return s.list->cursor;
}

static int64_t
tab_cursor(struct harness *h)
{
	struct ts_tab *t = ts_tabs_at(h->view->ops->tabs(h->view));
	bool there;
	int64_t row = t->ops->list(t, &there)->cursor;

	ck_assert_msg(there, "rows of %s are not there", t->ops->name);
	return row;
}

/* A question of a view that is not answered before answer_slow(). */
static sem_t gate;

static enum ts_code
read_slow(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	(void)f;
	(void)rd;
	(void)err;
	while (sem_wait(&gate) != 0)
		;
	return TS_OK;
}

static void
ask_slow(struct ts_view *v, bool patient)
{
	enum { KIND = 900 }; /* none of the view's own */
	struct ts_fetch *f = ts_alloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	f->read = read_slow;
	f->job.patient = patient;
	ts_fetch_send(v, f, KIND, TS_WORKER_BULK, "slow");
}

static void
answer_slow(void)
{
	ck_assert_int_eq(sem_post(&gate), 0);
}

/* Keys for rows that were just asked for: none is lost. */
static void
down_twice_here(struct harness *h)
{
	ck_assert(harness_key(h, "down"));
	ck_assert_str_eq(h->env.message, "1 key waits for what is being read (Escape drops it)");
	ck_assert(harness_key(h, "down"));
	ck_assert_str_eq(h->env.message, "2 keys wait for what is being read (Escape drops them)");
	while (h->typed.count > 0)
		ck_assert(harness_take_one(h, -1));
}

static void
down_twice(struct harness *h)
{
	down_twice_here(h);
	harness_settle(h);
	ck_assert_int_eq(h->typed.count, 0);
}

/* What the row under the cursor is called. */
static void
name_of_row(struct harness *h, char *out, size_t size)
{
	harness_type(h, "copy");
	snprintf(out, size, "%.*s", (int)strcspn(h->env.copy, "\t"), h->env.copy);
	ck_assert_str_ne(out, "");
}

START_TEST(list_of_a_view)
{
	static const struct ts_view_ops *const views[] = {&ts_view_programs, &ts_view_operations,
		&ts_view_variables, &ts_view_insights};
	struct harness h;
	char row[sizeof(h.env.copy)], then[sizeof(row)];

	begin(&h, views[_i]);
	h.view->ops->request(h.view);
	down_twice_here(&h);
	ck_assert_int_eq(cursor(&h), 2);
	if (views[_i] == &ts_view_programs || views[_i] == &ts_view_variables) {
		harness_settle(&h);
		ck_assert_int_eq(cursor(&h), 2);
	} else { /* what was executed comes behind: the same row, be it on another line */
		name_of_row(&h, row, sizeof(row));
		harness_settle(&h);
		name_of_row(&h, then, sizeof(then));
		ck_assert_str_eq(then, row);
	}
	harness_end(&h);
}
END_TEST

/* From the very first key on: the view has nothing either, and takes no `tab` yet. */
START_TEST(tab_at_once)
{
	static const struct ts_view_ops *const views[] = {&ts_view_memory, &ts_view_liveness};
	struct harness h;

	begin(&h, views[_i]);
	h.view->ops->request(h.view);
	harness_key(&h, "tab variables");
	ck_assert(harness_key(&h, "down"));
	ck_assert(harness_key(&h, "down"));
	harness_settle(&h);
	ck_assert_int_eq(h.typed.count, 0);
	ck_assert_int_eq(tab_cursor(&h), 2);
	harness_end(&h);
}
END_TEST

/* Tabs that read for themselves when they are shown. */
static const struct {
	const struct ts_view_ops *ops;
	const char *tab;
} tabs[] = {
	{&ts_view_memory, "tab sets"},
	{&ts_view_memory, "tab vertices"},
	{&ts_view_memory, "tab addresses"},
	{&ts_view_liveness, "tab always"},
	{&ts_view_liveness, "tab lifetimes"},
	{&ts_view_trace, "tab longest"},
};

/* To the tab, with the keys in it; nothing of it is here. */
static void
show_tab(struct harness *h, int i)
{
	harness_settle(h);
	ck_assert(!harness_key(h, tabs[i].tab));
	if (h->view->ops->pane_context(h->view) == TS_CONTEXT_CHART)
		harness_type(h, "pane-next");
}

START_TEST(tab_changed)
{
	struct harness h;
	int64_t row;

	begin(&h, tabs[_i].ops);
	show_tab(&h, _i);
	harness_settle(&h);
	harness_command(&h, "down");
	harness_command(&h, "down");
	row = tab_cursor(&h);
	harness_stop(&h);
	harness_start(&h, tabs[_i].ops, 120, 38, TS_GLYPHS_FULL);
	show_tab(&h, _i);
	down_twice(&h);
	ck_assert_int_eq(tab_cursor(&h), row);
	harness_end(&h);
}
END_TEST

/* Rows of the tile before are on the screen: a key is not for them. */
START_TEST(other_rows)
{
	struct harness h;
	char first[sizeof(h.env.copy)];

	begin(&h, &ts_view_memory);
	harness_settle(&h);
	harness_command(&h, "tab variables");
	if (h.view->ops->pane_context(h.view) == TS_CONTEXT_CHART)
		harness_command(&h, "pane-next");
	harness_command(&h, "goto 3");
	harness_command(&h, "copy");
	snprintf(first, sizeof(first), "%s", h.env.copy);
	ck_assert_str_ne(first, "");
	harness_command(&h, "goto 40");
	harness_command(&h, "goto 70");
	harness_command(&h, "goto 71");
	harness_command(&h, "goto 72");
	ck_assert(!harness_key(&h, "goto 3"));
	h.env.copy[0] = '\0';
	ck_assert(harness_key(&h, "copy")); /* not on the shelf any more */
	ck_assert_str_eq(h.env.copy, "");
	harness_settle(&h);
	ck_assert_str_eq(h.env.copy, first);
	harness_end(&h);
}
END_TEST

START_TEST(dropped)
{
	struct harness h;

	begin(&h, &ts_view_memory);
	harness_settle(&h);
	harness_command(&h, "tab variables");
	harness_key(&h, "tab vertices");
	ck_assert(harness_key(&h, "down"));
	ck_assert(harness_key(&h, "marks-clear")); /* Escape, for them */
	ck_assert_str_eq(h.env.message, "the keys that waited are dropped");
	ck_assert_int_eq(h.typed.count, 0);
	ck_assert(!harness_key(&h, "marks-clear")); /* for the view */
	ck_assert(harness_key(&h, "down"));
	ck_assert(!harness_key(&h, "tab sets")); /* what it leads to is another list */
	ck_assert_int_eq(h.typed.count, 0);
	ck_assert(harness_key(&h, "down"));
	harness_settle(&h);
	ck_assert_int_eq(tab_cursor(&h), 1);
	harness_command(&h, "tab vertices");
	ck_assert_int_eq(tab_cursor(&h), 0);
	harness_end(&h);
}
END_TEST

/* The graph waits for its steps, the list for its rows; what needs neither is done. */
START_TEST(graph)
{
	struct harness h;

	begin(&h, &ts_view_liveness);
	h.view->ops->request(h.view);
	ck_assert(harness_key(&h, "goto 123"));
	ck_assert(harness_key(&h, "right"));
	ck_assert(harness_key(&h, "down"));
	harness_settle(&h);
	ck_assert_int_ge(h.selection.live_step, 124);
	harness_command(&h, "tab variables");
	ck_assert_int_eq(tab_cursor(&h), 1);
	harness_stop(&h);
	harness_start(&h, &ts_view_liveness, 120, 38, TS_GLYPHS_FULL);
	h.view->ops->request(h.view);
	ck_assert(harness_key(&h, "right"));
	ck_assert(!harness_key(&h, "pane-next"));
	ck_assert_int_eq(h.typed.count, 0);
	harness_end(&h);
}
END_TEST

/* A list with rows of the step that is shown takes keys although more is read behind it. */
START_TEST(some_rows)
{
	struct harness h;

	begin(&h, &ts_view_liveness);
	harness_settle(&h);
	harness_command(&h, "tab variables");
	ask_slow(h.view, false);
	ck_assert(ts_typed_reads(h.view));
	ck_assert(!harness_key(&h, "down"));
	ck_assert_int_eq(tab_cursor(&h), 1);
	ck_assert(ts_typed_reads(h.view));
	answer_slow();
	harness_settle(&h);
	ck_assert(!harness_key(&h, "goto 300")); /* rows of another step are asked for */
	ck_assert(harness_key(&h, "down"));
	harness_settle(&h);
	ck_assert_int_eq(h.typed.count, 0);
	harness_end(&h);
}
END_TEST

START_TEST(filtered)
{
	struct harness h;

	begin(&h, &ts_view_variables);
	harness_settle(&h);
	ck_assert(!harness_key(&h, "filter tile=7"));
	ck_assert(harness_key(&h, "copy")); /* the row under the cursor is of all */
	harness_settle(&h);
	ck_assert_ptr_nonnull(strstr(h.env.copy, "\t7\t"));
	harness_end(&h);
}
END_TEST

/* A key that nobody takes is for what is read behind, but not for what nobody waits for. */
START_TEST(nobody_takes_it)
{
	struct harness h;
	bool patient = _i == 1;

	begin(&h, &ts_view_variables);
	harness_settle(&h);
	ask_slow(h.view, patient);
	ck_assert_int_eq(harness_key(&h, "zoom-in"), !patient);
	answer_slow();
	harness_settle(&h);
	ck_assert_int_eq(h.typed.count, 0);
	harness_end(&h);
}
END_TEST

/* No row passes the filter: a key waits for none, whatever else is read. */
START_TEST(no_row_passes)
{
	struct harness h;

	begin(&h, &ts_view_variables);
	harness_settle(&h);
	harness_command(&h, "filter tile>999999");
	ask_slow(h.view, false);
	ck_assert(ts_typed_reads(h.view));
	ck_assert(!harness_key(&h, "down"));
	ck_assert_int_eq(h.typed.count, 0);
	answer_slow();
	harness_settle(&h);
	harness_end(&h);
}
END_TEST

/* The whole program, on a view that has all it asked for. */
static struct ts_app *
whole(struct harness *h, struct ts_args *args, struct ts_watch **watch, const char *at)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64, .steps = 400, .variables = 3000};
	struct ts_err err = {0};
	struct ts_app *app;

	harness_demo(h, &o);
	harness_open(h);
	*args = (struct ts_args){.cache = "none", .size = {120, 40}};
	ck_assert_int_eq(ts_watch_start(watch, "test", &err), TS_OK);
	ck_assert_int_eq(ts_headless_new(&app, args, h->env.report, TS_GLYPHS_FULL, true, &err),
		TS_OK);
	ck_assert_int_eq(ts_address_parse(&app->at, at, &err), TS_OK);
	ck_assert_msg(ts_headless_draw(app, *watch, &err) == TS_OK, "%s", err.msg);
	return app;
}

static void
whole_end(struct harness *h, struct ts_app *app, struct ts_watch *watch)
{
	while (!ts_headless_free(app))
		; /* a busy machine may need more */
	ts_watch_stop(watch);
	ts_report_close(h->env.report);
	unlink(h->path);
	free(h->path);
	ck_assert_int_eq(rmdir(h->dir), 0);
}

/* What an answer has said stays while a key waits on; once nobody takes it although all is here, that is said. */
START_TEST(words_of_answers_stay)
{
	const struct ts_call key = {.cmd = TS_CMD_ZOOM_IN};
	struct harness h;
	struct ts_args args;
	struct ts_watch *watch;
	struct ts_app *app = whole(&h, &args, &watch, "variables");

	ask_slow(app->view[app->current], false);
	ts_app_call(app, &key);
	ck_assert_int_eq(app->typed.count, 1);
	ts_app_typed_turn(app);
	ck_assert_str_eq(app->env.message, "1 key waits for what is being read (Escape drops it)");
	ts_view_say_error(&app->env, "it failed");
	ts_app_typed_turn(app);
	ck_assert_str_eq(app->env.message, "it failed");
	ck_assert(app->env.message_is_error);
	ck_assert_int_eq(app->typed.count, 1);
	answer_slow();
	while (app->typed.count > 0)
		ts_app_take_answers(app);
	ck_assert_str_eq(app->env.message, "zoom-in does nothing here");
	whole_end(&h, app, watch);
}
END_TEST

/* What was ticked before its row had come is there in What-if, where one goes at once; what else goes on says what it drops. */
START_TEST(ticked_early)
{
	const struct ts_call tick = {.cmd = TS_CMD_TICK}, go = {.cmd = TS_CMD_GOTO_WHAT_IF};
	const struct ts_call other = {.cmd = TS_CMD_PANE_NEXT};
	struct harness h;
	struct ts_args args;
	struct ts_watch *watch;
	struct ts_app *app = whole(&h, &args, &watch, "summary");

	ts_app_show(app, TS_VIEW_VARIABLES);
	ts_app_call(app, &tick);
	ts_app_call(app, &go);
	ck_assert_str_eq(app->env.message,
		"2 keys wait for what is being read (Escape drops them)");
	while (app->typed.count > 0)
		ts_app_take_answers(app);
	ck_assert_int_eq(app->selection.what_if.count, 1);
	ck_assert_int_eq(app->current, TS_VIEW_LIVENESS);

	app->env.message[0] = '\0';
	ask_slow(app->view[app->current], false);
	app->typed.call[0] = tick;
	app->typed.count = 1;
	ts_app_call(app, &other);
	ck_assert_int_eq(app->typed.count, 0);
	ck_assert_str_eq(app->env.message, "1 key that waited is dropped");
	answer_slow();
	whole_end(&h, app, watch);
}
END_TEST

/* A chart has no rows: where those are is said. */
START_TEST(rows_are_below)
{
	const struct ts_call filter = {.cmd = TS_CMD_FILTER}, sort = {.cmd = TS_CMD_SORT};
	struct harness h;
	struct ts_args args;
	struct ts_watch *watch;
	struct ts_app *app = whole(&h, &args, &watch, "memory");

	ts_app_call(app, &filter);
	ck_assert_int_eq(app->asking, TS_ASK_NOTHING);
	ck_assert_str_eq(app->env.message, "filter is for a table: Tab goes to the one below");
	ts_app_call(app, &sort);
	ck_assert_str_eq(app->env.message, "sort is for a table: Tab goes to the one below");
	whole_end(&h, app, watch);
}
END_TEST

/* Beneath a line that is typed, or that a host has asked for, nothing is done. */
START_TEST(beneath_a_line)
{
	const struct ts_call line = {.cmd = TS_CMD_PROMPT};
	struct harness h;
	struct ts_args args;
	struct ts_watch *watch;
	struct ts_app *app = whole(&h, &args, &watch, "variables");
	struct ts_view *v = app->view[app->current];
	struct ts_sheet s = {.list = NULL};

	ck_assert(v->ops->sheet(v, &s) && s.list);
	ts_app_call(app, &line);
	ck_assert_int_ne(app->asking, TS_ASK_NOTHING);
	app->typed.call[0] = (struct ts_call){.cmd = TS_CMD_DOWN};
	app->typed.count = 1;
	ts_app_typed_turn(app);
	ck_assert_int_eq(s.list->cursor, 0);
	ck_assert_int_eq(app->typed.count, 1);
	app->asking = TS_ASK_NOTHING;
	app->hosts.asks = 0; /* a question of a host */
	ts_app_typed_turn(app);
	ck_assert_int_eq(app->typed.count, 1);
	app->hosts.asks = -1;
	ts_app_typed_turn(app);
	ck_assert_int_eq(s.list->cursor, 1);
	ck_assert_int_eq(app->typed.count, 0);
	whole_end(&h, app, watch);
}
END_TEST

/* Nothing is under way: a key that finds nothing is told so, as ever. */
START_TEST(nothing_comes)
{
	struct harness h;

	harness_dir(&h);
	harness_sql(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version', '1');");
	harness_start(&h, &ts_view_liveness, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert(!harness_key(&h, "down"));
	ck_assert(!harness_key(&h, "right"));
	harness_end(&h);
}
END_TEST

START_TEST(too_many)
{
	struct harness h;

	begin(&h, &ts_view_insights);
	h.view->ops->request(h.view);
	for (int i = 0; i < TS_TYPED_MAX + 3; i++)
		ck_assert(harness_key(&h, "down"));
	ck_assert_int_eq(h.typed.count, TS_TYPED_MAX);
	ck_assert(h.env.message_is_error);
	harness_settle(&h);
	ck_assert_int_eq(h.typed.count, 0);
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("screen: typed ahead");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, list_of_a_view, 0, 4);
	tcase_add_loop_test(tc, tab_at_once, 0, 2);
	tcase_add_loop_test(tc, tab_changed, 0, (int)TS_COUNT(tabs));
	tcase_add_test(tc, other_rows);
	tcase_add_test(tc, dropped);
	tcase_add_test(tc, graph);
	tcase_add_test(tc, some_rows);
	tcase_add_test(tc, filtered);
	tcase_add_loop_test(tc, nobody_takes_it, 0, 2);
	tcase_add_test(tc, no_row_passes);
	tcase_add_test(tc, words_of_answers_stay);
	tcase_add_test(tc, ticked_early);
	tcase_add_test(tc, rows_are_below);
	tcase_add_test(tc, beneath_a_line);
	tcase_add_test(tc, nothing_comes);
	tcase_add_test(tc, too_many);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
