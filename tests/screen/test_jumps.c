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
begin_steps(int64_t steps, const char *sql)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 2,
		.tiles = 40,
		.steps = steps,
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
begin(const char *sql)
{
	begin_steps(200, sql);
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
	{"insights?tab=peak&pane=tabs", "goto-liveness", "liveness", "step=508", ""},
	{"insights?tab=peak&pane=tabs", "goto-programs", "programs", "program=0",
		"no program names variable 683"},
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
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-programs", "programs", "program=42",
		"1 of 1 program that names lowered variable 1827"},
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-trace", "trace", "ipu=0", "ipu 0"},
	{"memory?tile=12&tab=sets&pane=tabs", "down;goto-programs", "programs", "program=608",
		"compute set 141"},
	{"memory?tile=12&tab=sets&pane=tabs", "down;goto-trace", "trace", "step=0",
		"no step runs compute set 141"},
	{"memory?tile=12&tab=exchanges&pane=tabs", "down;goto-programs", "programs", "program=659",
		"program 659"},
	{"memory?tile=12&tab=exchanges&pane=tabs", "down;goto-liveness", "liveness", "step=828",
		"the first liveness step of program 659"},
	{"memory?tile=12&tab=exchanges&pane=tabs", "down;goto-trace", "trace", "step=0",
		"no step runs program 659"},
	{"liveness?step=30", "goto-memory", "memory", "", "stays where it was"},
	{"liveness?step=30", "goto-programs", "programs", "program=30", "program 30"},
	{"liveness?step=30", "goto-trace", "trace", "step=15", "hit 1 of 2"},
	{"liveness?step=30&source=tile%2012", "goto-memory", "memory", "tile=12", "tile 12"},
	{"liveness?step=30&tab=variables&pane=tab", "down;goto-programs", "programs", "program=0",
		"no program names variable 106"},
	{"liveness?step=30&tab=variables&pane=tab", "down;goto-trace", "trace", "step=15",
		"hit 1 of 2"},
	{"liveness?step=30&tab=cycles&pane=tab", "down;goto-memory", "memory", "tile=2", "tile 2"},
	{"liveness?step=30&tab=cycles&pane=tab", "down;goto-programs", "programs", "program=30",
		"program 30"},
	{"programs?program=37", "goto-memory", "memory", "tile=5", "stays where it was"},
	{"programs?program=64", "goto-liveness", "liveness", "step=64",
		"step 64, the first of the program"},
	{"programs?program=64", "goto-trace", "trace", "step=32", "step 32"},
	{"programs?program=37&tab=cycles&pane=tabs", "down;down;goto-memory", "memory", "tile=51",
		"stays where it was"},
	{"programs?program=64&tab=steps&pane=tabs", "down;goto-trace", "trace", "step=33",
		"hit 1 of 2"},
	{"programs?program=64&tab=path&pane=tabs", "last;goto-trace", "trace", "step=32",
		"step 32"},
	{"programs?program=64", "goto-operations", "operations", "node=46",
		"the operation of program 64"},
	{"trace?step=50", "goto-operations", "operations", "node=75",
		"the operation of program 96"},
	{"liveness?step=30", "goto-operations", "operations", "node=12",
		"the operation of program 30"},
	{"variables", "down;goto-operations", "operations", "node=9",
		"no operation is known of lowered variable 1136"},
	{"variables?level=unlowered", "down;goto-operations", "operations", "node=9",
		"no operation is known of variable 682"},
	{"memory?tile=12&tab=variables&pane=tabs", "down;goto-operations", "operations", "node=9",
		"no operation is known of lowered variable 1827"},
	{"memory?tile=12&tab=sets&pane=tabs", "down;goto-operations", "operations", "node=612",
		"the operation of compute set 141"},
	{"operations?operation=4", "goto-trace", "trace", "step=", "step "},
	{"operations?operation=4", "goto-liveness", "liveness",
		"step=", "the first of the operation"},
	{"operations?operation=4", "goto-programs", "programs", "program=", "program "},
	{"operations?operation=4", "goto-memory", "memory", "tile=", "stays where it was"},
	{"operations?operation=4&tab=programs&pane=tabs", "down;goto-programs", "programs",
		"program=", "program "},
	{"operations?operation=4&tab=cycles&pane=tabs", "down;goto-memory", "memory",
		"tile=", "tile "},
	{"trace?step=50", "goto-memory", "memory", "tile=7", "the fullest tile of ipu 0"},
	{"trace?step=50", "goto-liveness", "liveness", "step=96",
		"the first liveness step of program 96"},
	{"trace?step=50", "goto-programs", "programs", "program=96", "program 96"},
	{"trace?step=50&tab=longest&pane=tab", "down;goto-programs", "programs", "program=27",
		"program 27"},
	{"trace?step=50&tab=lost&pane=tab", "down;goto-programs", "programs", "program=128",
		"compute set 2"},
	{"trace?step=50&tab=lost&pane=tab", "down;goto-memory", "memory", "tile=17", "tile 17"},
	{"trace?step=50&tab=lost&pane=tab", "down;goto-liveness", "liveness", "source=tile%2017",
		"tile 17 at its highest step"},
	{"trace?step=50&tab=balance&pane=tab", "down;goto-memory", "memory", "tile=51",
		"the fullest tile of ipu 1"},
	{"liveness?step=30&tab=always&pane=tab", "down;goto-programs", "programs", "program=0",
		"no program names variable 682"},
	{"liveness?step=30&tab=lifetimes&pane=tab", "down;goto-programs", "programs", "program=0",
		"no program names variable 106"},
	{"liveness?step=30&tab=heat&pane=tab", "down;open;goto-memory", "memory", "tile=52",
		"tile 52"},
	{"variables", "down;goto-memory", "memory", "tile=8", "tile 8"},
	{"variables", "down;goto-liveness", "liveness", "step=888",
		"step 888, where the life of the variable begins"},
	{"variables", "down;goto-programs", "programs", "program=42",
		"1 of 4 programs that name lowered variable 1136"},
	{"variables", "down;goto-trace", "trace", "ipu=0", "ipu 0"},
	{"variables?level=unlowered", "down;goto-memory", "memory", "tile=51",
		"stays where it was"},
	{"variables?level=unlowered", "down;goto-liveness", "liveness", "step=0",
		"step 0, where the life"},
	{"variables?level=unlowered", "down;goto-programs", "programs", "program=0",
		"no program names variable 682"},
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

	/* the compute set of program 42 uses all variables */
	begin("UPDATE compute_sets SET var_ids_diff_rle = (SELECT pack_differences(NULL, i, v) FROM (SELECT "
	      "row_number() OVER (ORDER BY var_id) - 1 AS i, var_id AS v FROM vars_info)) WHERE compute_set = "
	      "(SELECT compute_set FROM programs p JOIN program_type_on_tile_execute x ON x.id = p.variant_index "
	      "WHERE p.id = 42)");
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

	begin_steps(2000, NULL); /* all IPUs work */
	program = harness_number(&h,
		"SELECT program FROM step JOIN step_ipu USING(step) WHERE cycles > 0 AND type = 'OnTileExecute' GROUP BY program "
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
		if (i != 1) /* an operation leads to the first step of all its programs */
			ck_assert_int_eq(harness_number(&h,
						 "SELECT program FROM step WHERE step = %lld",
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

	begin_steps(2000, NULL); /* all IPUs work */
	start();
	choose_ipu(_i);
	go("trace", "search type:OnTileExecute");
	for (int i = 0; i < 40; i++) {
		int64_t before = ipu;

		if (i > 0)
			go("trace",
				i % 5 == 4
					? "search-previous"
					: "search-next;search-next;search-next;search-next;search-next;search-next;search-next;search-next;search-next;search-next;search-next;search-next");
		step = place_number("step=");
		ipu = place_number("ipu=");
		ck_assert_int_gt(cycles_of(step, ipu), 0);
		ck_assert(ipu == before || cycles_of(step, before) <= 0);
		moved += ipu != before;
	}
	ck_assert_int_gt(moved, 2);
	step = harness_number(&h,
		"SELECT min(step) FROM step WHERE step NOT IN (SELECT step FROM step_ipu WHERE ipu = %d)",
		_i);
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

	begin("UPDATE programs SET children = x'80' WHERE id = (SELECT max(id) FROM programs)"); /* a circle */
	start();
	for (int i = 0; i < 12; i++) {
		int64_t steps;
		long long hits;

		program = harness_number(&h,
			"SELECT coalesce(min(parent), -1) FROM program_child WHERE parent > %lld AND parent "
			"NOT IN (SELECT program FROM step WHERE program IS NOT NULL)",
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
static const char *const dropped[] = {"DROP TABLE programs",
	"DROP TABLE exchange_regions; UPDATE compute_sets SET var_ids_diff_rle = NULL",
	"UPDATE programs SET children = NULL", "DROP TABLE steps", "DROP TABLE depth_first_steps",
	"DROP TABLE vars_info", "DROP TABLE memory_by_tile",
	"UPDATE exchange_regions SET var_id = -1 - var_id; UPDATE compute_sets SET var_ids_diff_rle = x'837f7f7f7f7f7f7f7fff'",
	"UPDATE steps SET program = -1"};

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
