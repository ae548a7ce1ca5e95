/* SPDX-License-Identifier: MIT */
/*
 * The same object in another view: from every view and tab by gm, gl, gp and gt, as a table. The whole program runs, without
 * a terminal.
 */
#include "config.h"

#include <locale.h>

#include "view_harness.h"

#include "tilescope/app/headless.h"

static struct harness h;
static struct ts_app *app;
static struct ts_watch *watch;
static struct ts_args args;

static void
settle(void)
{
	struct ts_err err = {0};
	enum ts_code code;

	ts_index_release(app->env.index); /* it is opened anew each time */
	app->env.index = NULL;
	code = ts_headless_draw(app, watch, &err);
	ck_assert_msg(code == TS_OK || code == TS_E_USAGE, "%s", err.msg);
	app->at.failed = false;
}

static void
begin(const char *sql)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.layout = TS_DEMO_STORE,
		.ipus = 2,
		.tiles = 40,
		.steps = 200,
		.variables = 1200};
	struct ts_err err = {0};

	harness_demo(&h, &o);
	if (sql)
		harness_sql(&h, sql);
	harness_open(&h);
	args = (struct ts_args){.cache = "none", .size = {120, 40}};
	ck_assert_int_eq(ts_watch_start(&watch, "test", &err), TS_OK);
}

static void
end(void)
{
	ts_watch_stop(watch);
	ts_report_close(h.env.report);
	unlink(h.path);
	free(h.path);
	ck_assert_int_eq(rmdir(h.dir), 0);
}

/* The program anew: nothing is left of where it was before. */
static void
start(void)
{
	struct ts_err err = {0};

	ck_assert_msg(ts_headless_new(&app, &args, h.env.report, TS_GLYPHS_FULL, true, &err) ==
			TS_OK,
		"%s", err.msg);
}

/* To an address, then commands with ; between them. */
static void
go(const char *at, const char *lines)
{
	char line[200];
	struct ts_call call;
	struct ts_err err = {0};

	ck_assert_msg(ts_address_parse(&app->at, at, &err) == TS_OK, "%s", err.msg);
	settle();
	while (*lines) {
		size_t n = strcspn(lines, ";");

		snprintf(line, sizeof(line), "%.*s", (int)n, lines);
		lines += n + (lines[n] != '\0');
		ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
		app->env.message[0] = '\0';
		app->at = (struct ts_address){.view = (int)app->current};
		ts_app_call(app, &call);
		if (!app->at.pending)
			app->at = (struct ts_address){.view = (int)app->current};
		settle();
	}
}

/* Where it is now, as Y says it. */
static void
where(char *out, size_t size)
{
	struct ts_strbuf text;

	ts_strbuf_init(&text, size - 1);
	ts_address_print(&text, app->view[app->current]);
	snprintf(out, size, "%s", text.s);
	ts_strbuf_fini(&text);
}

static const struct {
	const char *from, *keys; /* an address, and commands with ; between them */
	const char *view, *at;	 /* where that leads: the address has this in it, ... */
	const char *says;	 /* ... and the bottom line this */
} jumps[] = {
	{"summary", "goto-memory", "memory", "tile=51", "tile 51"},
	{"summary", "goto-liveness", "liveness", "source=tile%2051", "tile 51 at its highest step"},
	{"summary", "goto-programs", "programs", "", "stays where it was"},
	{"summary", "goto-trace", "trace", "", "stays where it was"},
	{"insights", "goto-memory", "memory", "tile=51", ""},
	{"insights", "goto-liveness", "liveness", "source=tile%2051",
		"tile 51 at its highest step"},
	{"insights", "goto-programs", "programs", "", "stays where it was"},
	{"insights", "goto-trace", "trace", "", "stays where it was"},
	{"insights?tab=peak&pane=tabs", "goto-memory", "memory", "", "stays where it was"},
	{"insights?tab=peak&pane=tabs", "goto-liveness", "liveness", "step=520", ""},
	{"insights?tab=peak&pane=tabs", "goto-programs", "programs", "program=37",
		"1 of 1 program that names variable 814"},
	{"insights?tab=tiles&pane=tabs", "goto-memory", "memory", "tile=51", ""},
	{"insights?tab=tiles&pane=tabs", "goto-liveness", "liveness", "source=tile%2051",
		"tile 51 at its highest step"},
	{"insights?tab=largest&pane=tabs", "goto-programs", "programs", "", "stays where it was"},
	{"memory?tile=12", "goto-liveness", "liveness", "source=tile%2012",
		"tile 12 at its highest step"},
	{"memory?tile=12", "goto-programs", "programs", "", "stays where it was"},
	{"memory?tile=12", "goto-trace", "trace", "ipu=0", "ipu 0"},
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-liveness", "liveness",
		"source=tile%2012", "tile 12 at its highest step"},
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-programs", "programs", "program=37",
		"1 of 1 program that names lowered variable 188"},
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-trace", "trace", "ipu=0", "ipu 0"},
	{"memory?tile=12&tab=sets&pane=tabs", "down;goto-programs", "programs", "program=872",
		"compute set 231"},
	{"memory?tile=12&tab=sets&pane=tabs", "down;goto-trace", "trace", "step=0",
		"no step runs compute set 231"},
	{"memory?tile=12&tab=exchanges&pane=tabs", "down;goto-programs", "programs", "program=818",
		"program 818"},
	{"memory?tile=12&tab=exchanges&pane=tabs", "down;goto-liveness", "liveness", "step=846",
		"the first liveness step of program 818"},
	{"memory?tile=12&tab=exchanges&pane=tabs", "down;goto-trace", "trace", "step=0",
		"no step runs program 818"},
	{"liveness?step=30", "goto-memory", "memory", "", "stays where it was"},
	{"liveness?step=30", "goto-programs", "programs", "program=54", "program 54"},
	{"liveness?step=30", "goto-trace", "trace", "step=37", "hit 1 of 2"},
	{"liveness?step=30&source=tile%2012", "goto-memory", "memory", "tile=12", "tile 12"},
	{"liveness?step=30&tab=variables&pane=tab", "down;goto-programs", "programs", "program=37",
		"1 of 1 program that names variable 158"},
	{"liveness?step=30&tab=variables&pane=tab", "down;goto-trace", "trace", "step=37",
		"hit 1 of 2"},
	{"liveness?step=30&tab=cycles&pane=tab", "down;goto-memory", "memory", "tile=1", "tile 1"},
	{"liveness?step=30&tab=cycles&pane=tab", "down;goto-programs", "programs", "program=54",
		"program 54"},
	{"programs?program=37", "goto-memory", "memory", "tile=5", "tile 5"},
	{"programs?program=64", "goto-liveness", "liveness", "step=39",
		"step 39, the first of the program"},
	{"programs?program=64", "goto-trace", "trace", "step=50", "step 50"},
	{"programs?program=37&tab=cycles&pane=tabs", "down;down;goto-memory", "memory", "tile=9",
		"tile 9"},
	{"programs?program=64&tab=steps&pane=tabs", "down;goto-trace", "trace", "step=40",
		"hit 1 of 2"},
	{"programs?program=64&tab=path&pane=tabs", "last;goto-trace", "trace", "step=50",
		"step 50"},
	{"programs?program=64", "goto-operations", "operations",
		"operation=", "the operation of program 64"},
	{"trace?step=50", "goto-operations", "operations",
		"operation=", "the operation of program 64"},
	{"liveness?step=30", "goto-operations", "operations",
		"operation=", "the operation of program 54"},
	{"variables", "down;goto-operations", "operations",
		"operation=", "the operation of lowered variable 777"},
	{"variables?level=unlowered", "down;goto-operations", "operations",
		"operation=", "no operation is known of variable 4"},
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-operations", "operations",
		"operation=", "no operation is known of lowered variable 188"},
	{"memory?tile=12&tab=sets&pane=tabs", "down;goto-operations", "operations",
		"operation=", "the operation of compute set 231"},
	{"operations?operation=4", "goto-trace", "trace", "step=", "step "},
	{"operations?operation=4", "goto-liveness", "liveness",
		"step=", "the first of the operation"},
	{"operations?operation=4", "goto-programs", "programs", "program=", "program "},
	{"operations?operation=4", "goto-memory", "memory", "tile=", "tile "},
	{"operations?operation=4&tab=programs&pane=tabs", "down;goto-programs", "programs",
		"program=", "program "},
	{"operations?operation=4&tab=cycles&pane=tabs", "down;goto-memory", "memory",
		"tile=", "tile "},
	{"trace?step=50", "goto-memory", "memory", "tile=29", "the fullest tile of ipu 0"},
	{"trace?step=50", "goto-liveness", "liveness", "step=39",
		"the first liveness step of program 64"},
	{"trace?step=50", "goto-programs", "programs", "program=64", "program 64"},
	{"trace?step=50&tab=longest&pane=tab", "down;goto-programs", "programs", "program=13",
		"program 13"},
	{"trace?step=50&tab=lost&pane=tab", "down;goto-programs", "programs", "program=37",
		"compute set 2"},
	{"trace?step=50&tab=lost&pane=tab", "down;goto-memory", "memory", "tile=5", "tile 5"},
	{"trace?step=50&tab=lost&pane=tab", "down;goto-liveness", "liveness", "source=tile%205",
		"tile 5 at its highest step"},
	{"trace?step=50&tab=balance&pane=tab", "down;goto-memory", "memory", "tile=51",
		"the fullest tile of ipu 1"},
	{"liveness?step=30&tab=always&pane=tab", "down;goto-programs", "programs", "program=37",
		"1 of 1 program that names variable 4"},
	{"liveness?step=30&tab=lifetimes&pane=tab", "down;goto-programs", "programs", "program=37",
		"1 of 1 program that names variable 158"},
	{"liveness?step=30&tab=heat&pane=tab", "down;open;goto-memory", "memory", "tile=55",
		"tile 55"},
	{"variables", "down;goto-memory", "memory", "tile=51", "tile 51"},
	{"variables", "down;goto-liveness", "liveness", "step=273",
		"step 273, where the life of the variable begins"},
	{"variables", "down;goto-programs", "programs", "program=37",
		"1 of 1 program that names lowered variable 777"},
	{"variables", "down;goto-trace", "trace", "ipu=1", "ipu 1"},
	{"variables?level=unlowered", "down;goto-memory", "memory", "tile=69", "tile 69"},
	{"variables?level=unlowered", "down;goto-liveness", "liveness", "step=0",
		"step 0, where the life"},
	{"variables?level=unlowered", "down;goto-programs", "programs", "program=37",
		"1 of 1 program that names variable 4"},
	{"variables?level=unlowered", "down;goto-trace", "trace", "", "stays where it was"},
	{"tables", "goto-memory", "memory", "tile=51", ""},
};

/* Workers of the pool may wait long for a processor that nothing else wants. */
static void
leave(void)
{
	while (!ts_headless_free(app))
		;
}

START_TEST(every_jump)
{
	char place[400];

	begin("INSERT INTO program_variable SELECT 37, id FROM lowered_variable");
	for (size_t i = 0; i < TS_COUNT(jumps); i++) {
		start();
		go(jumps[i].from, jumps[i].keys);
		where(place, sizeof(place));
		ck_assert_msg(strncmp(place, jumps[i].view, strlen(jumps[i].view)) == 0 &&
				strstr(place, jumps[i].at) &&
				strstr(app->env.message, jumps[i].says),
			"%s, %s: %s (%s)", jumps[i].from, jumps[i].keys, place, app->env.message);
		leave();
	}
	end();
}
END_TEST

/* The number behind `name` in the place where it is now. */
static int64_t
place_number(const char *name)
{
	char place[400];
	const char *at;

	where(place, sizeof(place));
	at = strstr(place, name);
	ck_assert_msg(at != NULL, "%s in %s", name, place);
	return atoll(at + strlen(name));
}

static int64_t
cycles_of(int64_t step, int64_t ipu)
{
	return harness_number(&h,
		"SELECT coalesce(max(cycles), -1) FROM step_ipu WHERE step = %lld AND ipu = %lld",
		(long long)step, (long long)ipu);
}

/* The Trace, with an IPU that somebody chose. */
static void
choose_ipu(int ipu)
{
	char at[40];

	snprintf(at, sizeof(at), "trace?ipu=%d", ipu);
	go(at, "");
	ck_assert_int_eq(place_number("ipu="), ipu);
}

/* A program with cycles on one IPU only: it is looked at there, whichever was chosen before. */
START_TEST(lands_where_work_is)
{
	/* an address with the program's number behind it, then commands; the last one: the number behind these */
	static const char *const ways[][2] = {{"programs?program=", "goto-trace"},
		{"operations?tree=yes&program=", "goto-trace"}, {"trace?program=", ""},
		{"trace", "search program:"}};
	int chosen = _i % 2, who = _i / 2;
	char from[100], keys[100], number[24];
	int64_t program;

	begin(NULL);
	program = harness_number(&h,
		"SELECT program FROM step JOIN step_ipu USING(step) WHERE cycles > 0 GROUP BY program "
		"HAVING count(DISTINCT ipu) = 1 AND max(ipu) = %d AND count(*) > 1 ORDER BY program",
		who);
	for (size_t i = 0; i < TS_COUNT(ways); i++) {
		bool last = i + 1 == TS_COUNT(ways);

		snprintf(number, sizeof(number), "%lld", (long long)program);
		snprintf(from, sizeof(from), "%s%s", ways[i][0], last ? "" : number);
		snprintf(keys, sizeof(keys), "%s%s", ways[i][1], last ? number : "");
		start();
		choose_ipu(chosen);
		go(from, keys);
		ck_assert_msg(place_number("ipu=") == who, "%s, %s: %s", from, keys,
			app->env.message);
		ck_assert_int_gt(cycles_of(place_number("step="), who), 0);
		ck_assert_int_eq(harness_number(&h, "SELECT program FROM step WHERE step = %lld",
					 (long long)place_number("step=")),
			program);
		if (who != chosen && i == 0)
			ck_assert_msg(strstr(app->env.message, "does nothing in it") != NULL, "%s",
				app->env.message);
		leave();
	}
	end();
}
END_TEST

/* Hits: the chosen IPU stays as long as it works; an address that names one, and `goto`, mean what they say. */
START_TEST(hits_are_where_work_is)
{
	int64_t step, ipu = _i, moved = 0;
	char at[80];

	begin(NULL);
	start();
	choose_ipu(_i);
	go("trace", "search type:OnTileExecute");
	for (int i = 0; i < 40; i++) {
		int64_t before = ipu;

		if (i > 0)
			go("trace", i % 5 == 4 ? "search-previous" : "search-next;search-next");
		step = place_number("step=");
		ipu = place_number("ipu=");
		ck_assert_int_gt(cycles_of(step, ipu), 0);
		ck_assert(ipu == before || cycles_of(step, before) <= 0);
		moved += ipu != before;
	}
	ck_assert_int_gt(moved, 2);
	step = harness_number(&h, "SELECT step FROM step_ipu WHERE ipu = %d AND cycles = 0", _i);
	snprintf(at, sizeof(at), "trace?ipu=%d&step=%lld", _i, (long long)step);
	go(at, "");
	ck_assert_int_eq(place_number("step="), step);
	ck_assert_int_eq(place_number("ipu="), _i);
	leave();
	end();
}
END_TEST

/* What a program calls, as recursive SQL. */
#define CALLED                                                                               \
	"WITH RECURSIVE b(p) AS (SELECT child FROM program_child WHERE parent = %lld UNION " \
	"SELECT child FROM program_child, b WHERE parent = p) "

/* Programs that run no step themselves lead to the first step of what they call, wherever the cursor was; all are hits. */
START_TEST(callers_lead_to_the_first_step)
{
	char from[60], says[80];
	int64_t program = -1, led = 0;

	begin("INSERT INTO program_child SELECT max(child), 99, min(parent) FROM program_child");
	start();
	for (int i = 0; i < 12; i++) {
		int64_t steps;
		long long hits;

		program = harness_number(&h,
			"SELECT coalesce(min(parent), -1) FROM program_child WHERE parent > %lld AND parent "
			"NOT IN (SELECT program FROM step)",
			(long long)program);
		if (program < 0)
			break;
		go("trace", "goto 150");
		snprintf(from, sizeof(from), "programs?program=%lld", (long long)program);
		go(from, "goto-trace");
		steps = harness_number(&h, CALLED "SELECT count(*) FROM step WHERE program IN b",
			(long long)program);
		snprintf(says, sizeof(says),
			steps ? "of what program %lld calls"
			      : "no step runs program %lld, or what it calls",
			(long long)program);
		ck_assert_msg(strstr(app->env.message, says) != NULL, "%s: %s", says,
			app->env.message);
		if (!steps)
			continue;
		led++;
		ck_assert_int_eq(sscanf(app->env.message, "hit 1 of %lld", &hits), 1);
		ck_assert_int_eq(hits, steps);
		ck_assert_int_eq(place_number("step="),
			harness_number(&h, CALLED "SELECT min(step) FROM step WHERE program IN b",
				(long long)program));
	}
	ck_assert_int_gt(led, 4);
	leave();
	end();
}
END_TEST

/* What a jump needs is not recorded: it says so, and nothing else happens. */
static const char *const dropped[] = {"DROP TABLE program", "DROP TABLE program_variable",
	"DROP TABLE program_child", "DROP TABLE step", "DROP TABLE liveness_step",
	"DROP TABLE lowered_variable", "DROP TABLE tile_memory",
	"UPDATE program_variable SET program = 1 << 62, lowered_variable = -1",
	"UPDATE step SET program = -1"};

START_TEST(without)
{
	enum { EACH = 4 };
	char place[400];

	begin(dropped[_i]);
	for (size_t i = (size_t)_i % EACH; i < TS_COUNT(jumps); i += EACH) {
		start();
		go(jumps[i].from, jumps[i].keys);
		where(place, sizeof(place));
		ck_assert_msg(strncmp(place, jumps[i].view, strlen(jumps[i].view)) == 0, "%s",
			place);
		leave();
	}
	end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("jumps");
	TCase *t = tcase_create("jumps");
	SRunner *runner;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, every_jump);
	tcase_add_loop_test(t, lands_where_work_is, 0, 4);
	tcase_add_loop_test(t, hits_are_where_work_is, 0, 2);
	tcase_add_test(t, callers_lead_to_the_first_step);
	tcase_add_loop_test(t, without, 0, (int)TS_COUNT(dropped));
	suite_add_tcase(s, t);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
