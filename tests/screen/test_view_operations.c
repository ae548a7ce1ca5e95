/* SPDX-License-Identifier: MIT */
/*
 * The Operations view on a canvas: the table of a layer, the tree of all, roll-ups, at every size; order, filter, search and
 * marks against SQL over the report; addresses; the walk over producers and consumers; what is not recorded; keys of any kind.
 */
#include "config.h"

#define HARNESS_OLD_LAYOUT

#include <locale.h>

#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/sheet.h"

static struct harness h;

static void
begin(int w, int height, enum ts_glyphs glyphs, enum ts_demo_layout layout, const char *sql)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.layout = layout,
		.ipus = 2,
		.tiles = 40,
		.steps = 200,
		.variables = 1200};

	harness_demo(&h, &o);
	if (sql)
		harness_sql(&h, sql);
	harness_start(&h, &ts_view_operations, w, height, glyphs);
	harness_settle(&h);
}

static void
command(const char *line)
{
	harness_command(&h, line);
	harness_draw(&h);
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *keys[8];
} screens[] = {
	{"operations-80", 80, 22, TS_GLYPHS_FULL, {"down", 0}},
	{"operations-120", 120, 38, TS_GLYPHS_FULL, {"search dropout", "mark", "mark", 0}},
	{"operations-200", 200, 58, TS_GLYPHS_FULL,
		{"layer poplibs", "sort code", "tab programs", "columns all", 0}},
	{"operations-tree-80", 80, 22, TS_GLYPHS_FULL, {"layer-tree", "down", "unfold", 0}},
	{"operations-tree-120", 120, 38, TS_GLYPHS_FULL,
		{"3 down", "open", "right", "right", "down", "tab programs", "pane-next", 0}},
	{"operations-ascii", 80, 22, TS_GLYPHS_ASCII, {"layer-tree on", "open", "down", 0}},
	{"operations-rollup-120", 120, 38, TS_GLYPHS_FULL, {"rollup", "down", "open", 0}},
	{"operations-filter-80", 80, 22, TS_GLYPHS_FULL,
		{"filter kind=matMul and cycles>1000", "sort operation", 0}},
	{"operations-code-120", 120, 38, TS_GLYPHS_FULL, {"tab code", "pane-next", 0}},
	{"operations-vertices-80", 80, 22, TS_GLYPHS_FULL, {"tab vertices", "pane-next", 0}},
	{"operations-cycles-80", 80, 22, TS_GLYPHS_FULL, {"tab cycles", "pane-next", "down", 0}},
	{"operations-debug-120", 120, 38, TS_GLYPHS_FULL, {"tab debug", 0}},
	{"operations-40", 40, 8, TS_GLYPHS_BASIC, {0}},
};

static void
press(const char *line)
{
	int times = atoi(line);

	for (int k = 0; k < (times ? times : 1); k++)
		command(times ? strchr(line, ' ') + 1 : line);
}

START_TEST(looks)
{
	begin(screens[_i].w, screens[_i].h, screens[_i].glyphs, TS_DEMO_STORE, NULL);
	for (int i = 0; screens[_i].keys[i]; i++)
		press(screens[_i].keys[i]);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

START_TEST(sdk)
{
	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_SDK, NULL);
	harness_look(&h, "operations-sdk-120");
	harness_end(&h);
}
END_TEST

/* --- the sheet -------------------------------------------------------------------------------------- */

static struct ts_sheet
sheet(void)
{
	struct ts_sheet s = {0};

	ck_assert(ts_view_operations.sheet(h.view, &s));
	return s;
}

static int
column(const struct ts_table *t, const char *name)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(ts_table_column_name(t, i), name) == 0)
			return i;
	ck_abort_msg("no column %s", name);
	return -1;
}

/* A figure of a row, INT64_MIN: not known. */
static int64_t
number(int64_t row, const char *name)
{
	struct ts_sheet s = sheet();
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	ck_assert(s.table.value(s.table.ctx, row, column(&s.table, name), &v));
	return v.type == TS_VALUE_INTEGER ? v.integer : INT64_MIN;
}

/* Each recorded operation has what SQL says of the programs that operation_program names. */
START_TEST(figures_are_those_of_their_programs)
{
	int64_t rows;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	rows = sheet().rows;
	ck_assert_int_eq(rows, harness_number(&h, "SELECT count(*) FROM operation") + 1);
	for (int64_t i = 0; i + 1 < rows; i += 7) {
		long long op = (long long)number(i, "number");

		ck_assert_int_eq(number(i, "programs"),
			harness_number(&h,
				"SELECT count(DISTINCT program) FROM operation_program WHERE "
				"operation = %lld",
				op));
		ck_assert_int_eq(number(i, "cycles"),
			harness_number(&h,
				"SELECT coalesce(sum(i.cycles), 0) FROM step s JOIN step_ipu i ON "
				"i.step = s.step WHERE s.program IN (SELECT program FROM "
				"operation_program WHERE operation = %lld)",
				op));
		ck_assert_int_eq(number(i, "steps"),
			harness_number(&h,
				"SELECT count(*) FROM step WHERE program IN (SELECT program FROM "
				"operation_program WHERE operation = %lld)",
				op));
	}
	ck_assert_int_eq(number(TS_TABLE_TOTAL, "programs"),
		harness_number(&h, "SELECT count(*) FROM program"));
	harness_end(&h);
}
END_TEST

/* Sorted by what is asked, backwards too; what is in no operation stays last; the cursor stays on its operation. */
START_TEST(rows_are_sorted)
{
	static const char *const by[] = {"cycles", "code", "memory", "programs", "steps"};
	int64_t rows, kept;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	rows = sheet().rows;
	command("4 down");
	for (size_t k = 0; k < TS_COUNT(by); k++) {
		char line[40];

		kept = number(sheet().list->cursor, "number");
		snprintf(line, sizeof(line), "sort %s", by[k]);
		command(line);
		if (k % 2)
			command("sort-reverse");
		ck_assert_int_eq(sheet().rows, rows);
		ck_assert_int_eq(number(sheet().list->cursor, "number"), kept);
		for (int64_t i = 1; i + 1 < rows; i++) {
			int64_t a = number(i - 1, by[k]), b = number(i, by[k]);

			if (a != INT64_MIN && b != INT64_MIN)
				ck_assert(sheet().table.descending ? a >= b : a <= b);
		}
		ck_assert_int_eq(number(rows - 1, "number"), INT64_MIN);
	}
	harness_end(&h);
}
END_TEST

/* --- other operations in the place of those that are shown --------------------------------------------- */

/* Waits for an answer; NULL: none is under way. */
static struct ts_fetch *
next_answer(void)
{
	struct pollfd p = {ts_jobs_fd(h.env.jobs), POLLIN, 0};
	struct ts_job *job = ts_jobs_receive(h.env.jobs);

	while (!job && !harness_idle(&h)) {
		poll(&p, 1, 10);
		job = ts_jobs_receive(h.env.jobs);
	}
	return (struct ts_fetch *)(job ? job : ts_jobs_receive(h.env.jobs));
}

static void
deliver(struct ts_fetch *f)
{
	h.view->ops->deliver(h.view, f);
	ts_fetch_free(f);
}

/* What the cursor leads to is of the row that has it: the programs of each operation are known here by its name. */
static void
check_cursor(void)
{
	static const struct {
		const char *name, *programs;
	} known[] = {{"a/b", "01"}, {"a/c", "23"}, {"left", "0"}, {"right", "123"}};
	struct ts_sheet s = {0};
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	struct ts_at_cursor at = harness_at_cursor(&h);
	bool found = false;

	harness_draw(&h);
	if (!ts_view_operations.sheet(h.view, &s) || s.rows == 0) {
		ck_assert_int_lt(at.program, 0);
		return;
	}
	ck_assert(s.table.value(s.table.ctx, s.list->cursor, column(&s.table, "operation"), &v));
	for (size_t i = 0; i < TS_COUNT(known); i++)
		if (v.n == strlen(known[i].name) && memcmp(v.s, known[i].name, v.n) == 0) {
			found = true;
			ck_assert_int_ge(at.program, 0);
			ck_assert_msg(strchr(known[i].programs, '0' + (int)at.program),
				"program %d of %s", (int)at.program, known[i].name);
		}
	ck_assert(found);
}

/*
 * Programs belong to their names until the steps are read: these name compute sets with contexts, which make as many other
 * operations. What is asked of a row meanwhile is of what is shown.
 */
START_TEST(others_take_their_place)
{
	struct ts_fetch *f, *trace = NULL;

	harness_dir(&h);
	harness_sql(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version', '1');"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, context INTEGER);"
		"CREATE TABLE context(context INTEGER PRIMARY KEY, parent INTEGER, layer TEXT, name TEXT);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER, compute_set "
		"INTEGER);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, end "
		"INTEGER);"
		"INSERT INTO program VALUES(0, 'OnTileExecute', 'a/b'), (1, 'OnTileExecute', 'a/b'), (2, "
		"'OnTileExecute', 'a/c'), (3, 'OnTileExecute', 'a/c');"
		"INSERT INTO context VALUES(6, NULL, 'top', 'all'), (7, 6, 'inner', 'left'), (8, 6, "
		"'inner', 'right');"
		"INSERT INTO compute_set VALUES(0, NULL, 7), (1, NULL, 8);"
		"INSERT INTO step VALUES(0, 'OnTileExecute', 0, 0), (1, 'OnTileExecute', 1, 1), (2, "
		"'OnTileExecute', 2, 1), (3, 'OnTileExecute', 3, 1);"
		"INSERT INTO step_ipu VALUES(0, 0, 10, 0, 10), (1, 0, 90, 10, 100), (2, 0, 20, 100, 120), "
		"(3, 0, 30, 120, 150)");
	harness_start(&h, &ts_view_operations, 120, 38, TS_GLYPHS_FULL);
	h.view->ops->request(h.view);
	while ((f = next_answer())) {
		struct ts_sheet s = {0};

		if (strcmp(f->job.what, "adding up what operations executed") == 0) {
			ck_assert_ptr_null(trace);
			trace = f;
			continue;
		}
		deliver(f);
		h.view->ops->request(h.view);
		if (ts_view_operations.sheet(h.view, &s) && s.rows == 2)
			harness_type(&h, "last");
		check_cursor();
	}
	harness_says(&h, "a/c");
	ck_assert_int_ge(harness_at_cursor(&h).program, 2);
	ck_assert_ptr_nonnull(trace);
	deliver(trace);
	check_cursor();
	h.view->ops->request(h.view);
	while ((f = next_answer())) {
		deliver(f);
		check_cursor();
		h.view->ops->request(h.view);
	}
	harness_says(&h, "right");
	harness_end(&h);
}
END_TEST

/* A filter counts what passes, the total is of it; in the tree what is below and above stays, too. */
START_TEST(filters)
{
	int64_t some, all;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	all = sheet().rows;
	some = harness_number(&h, "SELECT count(*) FROM operation WHERE name = 'matMul'");
	command("filter kind=matMul");
	ck_assert_int_eq(sheet().rows, some);
	ck_assert_int_eq(number(TS_TABLE_TOTAL, "programs"),
		harness_number(&h,
			"SELECT count(DISTINCT program) FROM operation_program WHERE operation IN "
			"(SELECT operation FROM operation WHERE name = 'matMul')"));
	command("layer-tree on");
	command("unfold");
	ck_assert_int_gt(sheet().rows, 10);
	command("filter colour>3");
	ck_assert(h.env.message_is_error);
	command("layer popart");
	ck_assert_int_eq(sheet().rows, some);
	command("filter");
	ck_assert_int_eq(sheet().rows, all);
	command("filter kind=Nothing");
	ck_assert_int_eq(sheet().rows, 0);
	command("open");
	command("mark");
	ck_assert(h.env.message_is_error);
	harness_end(&h);
}
END_TEST

START_TEST(searches)
{
	int64_t first;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	command("search LayerNorm");
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit "));
	first = sheet().list->cursor;
	command("search-next");
	ck_assert_int_ne(sheet().list->cursor, first);
	command("search-previous");
	ck_assert_int_eq(sheet().list->cursor, first);
	command("search no such thing");
	ck_assert(h.env.message_is_error);
	command("layer-tree on");
	command("fold");
	command("search self/value/matMul/Conv_1");
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit "));
	harness_says(&h, "self/value/matMul");
	harness_end(&h);
}
END_TEST

/* Marked operations are added up, each program once. */
START_TEST(marks_are_added_up)
{
	long long a, b;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	a = (long long)number(0, "number");
	b = (long long)number(1, "number");
	command("first");
	command("mark");
	command("mark");
	harness_says(&h, "2 marked");
	ck_assert_int_eq(number(TS_TABLE_TOTAL, "programs"),
		harness_number(&h,
			"SELECT count(DISTINCT program) FROM operation_program WHERE operation IN "
			"(%lld, %lld)",
			a, b));
	command("marks-clear");
	ck_assert_int_eq(number(TS_TABLE_TOTAL, "programs"),
		harness_number(&h, "SELECT count(*) FROM program"));
	harness_end(&h);
}
END_TEST

/* Groups hold all operations of the layer, each once; wrong expressions are said. */
START_TEST(rolls_up)
{
	int64_t programs = 0;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	command("rollup layer_(\\d+)");
	harness_says(&h, "(not found)");
	command("tab cycles");
	harness_says(&h, "This is of single operations: groups and what is in no operation");
	command("tab summary");
	for (int64_t i = 0; i < sheet().rows; i++)
		programs += number(i, "programs");
	ck_assert_int_ge(programs, harness_number(&h, "SELECT count(*) FROM program"));
	command("first");
	command("open");
	ck_assert_int_gt(sheet().rows, 6);
	command("rollup (");
	ck_assert(h.env.message_is_error);
	command("rollup (a+)+$");
	command("rollup");
	ck_assert_int_eq(sheet().rows, harness_number(&h, "SELECT count(*) FROM operation") + 1);
	harness_end(&h);
}
END_TEST

/* --- addresses --------------------------------------------------------------------------------------- */

static enum ts_arg_state
set(const char *name, const char *value)
{
	enum ts_arg_state state = TS_ARG_NO;

	for (const struct ts_view_arg *a = ts_view_operations.args; a->name; a++)
		if (strcmp(a->name, name) == 0)
			state = a->set(h.view, value);
	harness_settle(&h);
	harness_draw(&h);
	return state;
}

static void
check_said(const char *name, const char *value)
{
	struct ts_strbuf out;

	for (const struct ts_view_arg *a = ts_view_operations.args; a->name; a++) {
		if (strcmp(a->name, name) != 0)
			continue;
		ts_strbuf_init(&out, 400);
		ck_assert_msg(a->get(h.view, &out), "%s is not said", name);
		ck_assert_str_eq(out.s, value);
		ts_strbuf_fini(&out);
	}
}

START_TEST(is_gone_to)
{
	char value[32];
	int64_t program, op;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	ck_assert_int_eq(set("operation", "17"), TS_ARG_DONE);
	check_said("operation", "17");
	ck_assert_int_eq(set("order", "-code"), TS_ARG_DONE);
	check_said("order", "-code");
	check_said("operation", "17");
	ck_assert_int_eq(set("order", "colour"), TS_ARG_NO);
	program = harness_number(&h,
		"SELECT min(program) FROM operation_program WHERE operation = 30");
	op = harness_number(&h, "SELECT min(operation) FROM operation_program WHERE program = %lld",
		(long long)program);
	snprintf(value, sizeof(value), "%lld", (long long)program);
	ck_assert_int_eq(set("program", value), TS_ARG_DONE);
	snprintf(value, sizeof(value), "%lld", (long long)op);
	check_said("operation", value);
	ck_assert_int_eq(set("filter", "kind=Nothing"), TS_ARG_DONE);
	ck_assert_int_eq(sheet().rows, 0);
	ck_assert_int_eq(set("operation", "5"), TS_ARG_DONE); /* the filter gives way */
	check_said("operation", "5");
	ck_assert_int_eq(set("tree", "yes"), TS_ARG_DONE);
	check_said("operation", "5");
	ck_assert_int_eq(set("operation", "999999"), TS_ARG_NO);
	ck_assert_int_eq(set("program", "999999999"), TS_ARG_NO);
	ck_assert_int_eq(set("node", "999999999"), TS_ARG_NO);
	ck_assert_int_eq(set("layer", "nothing"), TS_ARG_NO);
	ck_assert_int_eq(set("layer", "poplibs"), TS_ARG_DONE);
	check_said("layer", "poplibs");
	harness_end(&h);
}
END_TEST

/* Enter leads to a program, or from the table into the tree. */
START_TEST(leads_elsewhere)
{
	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	command("open");
	harness_says(&h, "all layers");
	command("tab programs");
	command("pane-next");
	command("open");
	ck_assert_int_eq(strncmp(h.env.place, "programs?program=", 17), 0);
	command("tab cycles");
	command("open");
	ck_assert_int_eq(strncmp(h.env.place, "memory?tile=", 12), 0);
	harness_end(&h);
}
END_TEST

/* Each operation uses what the one before it made. */
#define CHAIN                                                                                \
	"INSERT INTO program_variable SELECT p.program, l.id FROM operation o JOIN (SELECT " \
	"operation, min(program) AS program FROM operation_program GROUP BY 1) p ON "        \
	"p.operation = o.operation + 1 JOIN variable v ON v.context = o.context JOIN "       \
	"lowered_variable l ON l.variable = v.variable"

/* From an operation to what it uses, and on: Enter leads there, with an address, so that Backspace comes back. */
START_TEST(walks)
{
	char value[32];
	int64_t op;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, CHAIN);
	op = harness_number(&h,
		"WITH has(o) AS (SELECT DISTINCT o.operation FROM operation o JOIN variable v ON "
		"v.context = o.context JOIN lowered_variable l ON l.variable = v.variable) SELECT "
		"min(o) FROM has WHERE o - 1 IN (SELECT o FROM has)");
	snprintf(value, sizeof(value), "%lld", (long long)op);
	ck_assert_int_eq(set("operation", value), TS_ARG_DONE);
	command("tab links");
	command("pane-next");
	harness_look(&h, "operations-links-120");
	ck_assert_int_ge(sheet().rows, 2);
	harness_says(&h, "producer");
	harness_says(&h, "consumer");
	command("open");
	ck_assert_int_eq(strncmp(h.env.place, "operations?node=", 16), 0);
	snprintf(value, sizeof(value), "%.31s", h.env.place + 16);
	*strchr(value, '&') = '\0';
	ck_assert_int_eq(set("node", value), TS_ARG_DONE);
	snprintf(value, sizeof(value), "%lld", (long long)op - 1);
	check_said("operation", value);
	harness_end(&h);
}
END_TEST

/* A variable leads to the operation whose context it has. */
START_TEST(variables_lead_here)
{
	char value[32];
	long long variable;

	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE, NULL);
	variable = (long long)harness_number(&h,
		"SELECT min(variable) FROM variable WHERE context = (SELECT context FROM operation "
		"WHERE operation = 9)");
	snprintf(value, sizeof(value), "%lld", variable);
	ck_assert_int_eq(set("variable", value), TS_ARG_DONE);
	check_said("operation", "9");
	ck_assert_int_eq(set("operation", "3"), TS_ARG_DONE);
	snprintf(value, sizeof(value), "%lld",
		(long long)harness_number(&h,
			"SELECT min(id) FROM lowered_variable WHERE variable = %lld", variable));
	ck_assert_int_eq(set("lowered", value), TS_ARG_DONE);
	check_said("operation", "9");
	ck_assert_int_eq(set("lowered", "4611686018427387903"), TS_ARG_DONE);
	ck_assert(h.env.message_is_error);
	harness_end(&h);
}
END_TEST

/* --- what is missing, or nonsense ------------------------------------------------------------------- */

static const char *const broken[] = {
	"DROP TABLE operation",
	"DROP TABLE operation_program",
	"DROP TABLE operation; DROP TABLE operation_program",
	"DROP TABLE context",
	"DROP TABLE context; DROP TABLE operation; DROP TABLE operation_program",
	"DROP TABLE program",
	"DROP TABLE program; DROP TABLE operation_program",
	"DROP TABLE program_child",
	"DROP TABLE step",
	"DROP TABLE step_ipu",
	"DROP TABLE compute_set",
	"DROP TABLE compute_set_vertex",
	"DROP TABLE program_variable; DROP TABLE lowered_variable",
	"DELETE FROM operation",
	"DELETE FROM operation; DELETE FROM operation_program; DELETE FROM context; UPDATE program SET name = NULL",
	"DELETE FROM program",
	"UPDATE context SET parent = context",
	"UPDATE context SET parent = context + 1",
	"UPDATE context SET name = NULL, layer = NULL",
	"UPDATE context SET layer = 'layer ' || context",
	"UPDATE context SET name = x'1b5b33316d', layer = x'ff00'",
	"UPDATE operation SET name = NULL, debug_name = NULL, layer = NULL",
	"UPDATE operation SET name = replace(hex(zeroblob(30000)), '0', 'a/')",
	"UPDATE operation SET context = 4611686018427387905",
	"UPDATE operation_program SET program = 4611686018427387904",
	"INSERT INTO operation_program SELECT 3, program FROM program",
	"UPDATE step_ipu SET cycles = 4611686018427387904",
	"UPDATE program SET cycles_by_tile = x'ffffff', code_by_tile = 'text', context = -5",
};

static const char *const keys[] = {"down", "open", "unfold", "right", "left", "sort", "sort code",
	"sort-reverse", "page-down", "search a", "search-next", "layer", "layer-tree", "rollup",
	"rollup (.)", "rollup (a|aa)+$", "filter cycles>0", "filter a", "filter", "mark", "mark",
	"pane-next", "down", "tab-next", "tab code", "tab vertices", "tab cycles", "open",
	"tab programs", "down", "open", "sort cycles", "tab links", "down", "open", "tab debug",
	"tab summary", "pane-previous", "last", "layer-tree on", "unfold", "fold", "first",
	"goto 3", "copy", "pane-zoom", "marks-clear", "columns all", "layer"};

START_TEST(survives)
{
	size_t what = (size_t)_i;
	struct ts_explain *e = calloc(1, sizeof(*e));

	if (_i % stride_of(2, 8)) {
		free(e);
		return;
	}
	ck_assert_ptr_nonnull(e);
	begin(80 + _i % 2 * 60, 24, TS_GLYPHS_FULL, TS_DEMO_STORE, broken[what]);
	harness_draw(&h);
	for (size_t i = 0; i < TS_COUNT(keys); i++) {
		command(keys[(i * 7 + (size_t)_i) % TS_COUNT(keys)]);
		ts_explain_init(e);
		ts_view_operations.explain(h.view, e);
	}
	harness_end(&h);
	free(e);
}
END_TEST

START_TEST(nothing_is_recorded)
{
	begin(120, 38, TS_GLYPHS_FULL, TS_DEMO_STORE,
		"DROP TABLE operation; DROP TABLE operation_program; DROP TABLE context; "
		"UPDATE program SET name = NULL; UPDATE compute_set SET name = NULL");
	harness_says(&h, "Not in this report: ");
	harness_says(&h, "Recorded by: autoReport.outputDebugInfo");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_operations");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, looks, 0, (int)TS_COUNT(screens));
	tcase_add_test(tc, sdk);
	tcase_add_test(tc, figures_are_those_of_their_programs);
	tcase_add_test(tc, rows_are_sorted);
	tcase_add_test(tc, others_take_their_place);
	tcase_add_test(tc, filters);
	tcase_add_test(tc, searches);
	tcase_add_test(tc, marks_are_added_up);
	tcase_add_test(tc, rolls_up);
	tcase_add_test(tc, is_gone_to);
	tcase_add_test(tc, leads_elsewhere);
	tcase_add_test(tc, walks);
	tcase_add_test(tc, variables_lead_here);
	tcase_add_loop_test(tc, survives, 0, (int)TS_COUNT(broken));
	tcase_add_test(tc, nothing_is_recorded);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
