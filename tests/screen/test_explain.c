/* SPDX-License-Identifier: MIT */
/*
 * Every figure that a view explains is what its query prints: each view is walked with keys over several
 * reports, at each place all explained figures are taken, and the query of each is asked of the report.
 */
#include "config.h"

#include <check.h>
#include <locale.h>
#include <math.h>

#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/report/query.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/summary.h"
#include "tilescope/view/programs.h"
#include "tilescope/view/trace.h"
#include "tilescope/view/variables.h"
#include "tilescope/view/what_if.h"

enum { SEEN = 4096, QUERY_SECONDS = 60 };

/* --- one figure ------------------------------------------------------------------------------- */

struct walk {
	struct harness h;
	struct ts_query *query;
	uint64_t seen[SEEN]; /* hashes of figures that were asked for */
	int seen_count, figures, queries, without;
	const char *where;
};

static bool
is_new(struct walk *w, const struct ts_explained *x)
{
	uint64_t hash = (uint64_t)x->integer;

	for (const char *c = x->query; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	for (int i = 0; i < w->seen_count; i++)
		if (w->seen[i] == hash)
			return false;
	if (w->seen_count < SEEN)
		w->seen[w->seen_count++] = hash;
	return true;
}

static bool
is_close(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool
agrees(const struct ts_explained *x, const struct ts_sql_value *v)
{
	double real = v->type == TS_SQL_INTEGER ? (double)v->integer : v->real;

	switch (x->kind) {
	case TS_EXPLAIN_INTEGER:
		return v->type == TS_SQL_INTEGER && v->integer == x->integer;
	case TS_EXPLAIN_REAL:
		return (v->type == TS_SQL_INTEGER || v->type == TS_SQL_REAL) &&
			is_close(real, x->real);
	case TS_EXPLAIN_TEXT:
		return v->type == TS_SQL_TEXT && v->n == strlen(x->text) &&
			memcmp(v->bytes, x->text, v->n) == 0;
	default:
		return v->type == TS_SQL_NULL;
	}
}

static void
ask(struct walk *w, const struct ts_explained *x)
{
	char exact[TS_EXPLAIN_SHOWN];
	struct ts_sql_value v;
	struct ts_err err = {0};
	bool row = false;

	ck_assert_msg(ts_query_prepare(w->query, x->query, QUERY_SECONDS, &err) == TS_OK,
		"%s: %s: %s\n%s", w->where, x->title, err.msg, x->query);
	ck_assert_msg(ts_query_step(w->query, &row, &err) == TS_OK, "%s: %s: %s", w->where,
		x->title, err.msg);
	ck_assert_msg(row, "%s: %s: no row\n%s", w->where, x->title, x->query);
	ts_query_value(&v, w->query, 0);
	ck_assert_msg(agrees(x, &v), "%s: %s is %s, but the query says %lld %.17g %.*s\n%s",
		w->where, x->title, ts_explain_exact(x, exact), (long long)v.integer, v.real,
		(int)v.n, v.n ? v.bytes : "", x->query);
}

/* In any of the reports. */
static bool
needs_query(const char *title)
{
	static const char *const titles[] = {"liveness steps", "what is no variable",
		"all variables alive at the peak", "how many of the largest are 50%"};
	bool needs = false;

	for (size_t i = 0; i < TS_COUNT(titles); i++)
		needs |= strcmp(title, titles[i]) == 0;
	return needs;
}

/* All figures that are explained at this place. */
static void
look(struct walk *w)
{
	struct ts_explain *e = malloc(sizeof(*e));

	ck_assert_ptr_nonnull(e);
	ts_explain_init(e);
	if (w->h.view->ops->explain)
		w->h.view->ops->explain(w->h.view, e);
	for (int i = 0; i < e->count; i++) {
		const struct ts_explained *x = &e->figure[i];

		w->figures++;
		ck_assert_str_ne(x->title, "");
		ck_assert_msg(x->from[0] || x->note[0], "%s: %s: nothing says where it is from",
			w->where, x->title);
		/* a known value has a query, or it is said why not */
		ck_assert_msg(x->query[0] || x->note[0] || x->kind == TS_EXPLAIN_UNKNOWN,
			"%s: %s has no query", w->where, x->title);
		ck_assert_msg(x->query[0] || !needs_query(x->title), "%s: no query of %s", w->where,
			x->title);
		if (!x->query[0] && x->kind != TS_EXPLAIN_UNKNOWN) {
			w->without++;
			if (getenv("TS_EXPLAIN_COUNT"))
				fprintf(stderr, "%s: no query of %s: %s\n", w->where, x->title,
					x->note);
		}
		if (!x->query[0] || !is_new(w, x))
			continue;
		w->queries++;
		ask(w, x);
	}
	free(e);
}

/* --- walks ------------------------------------------------------------------------------------ */

static const struct {
	const struct ts_view_ops *ops;
	const char *keys[48];
	int least; /* queries that were asked on a whole report */
} views[] = {
	{&ts_view_summary, {"30 down"}, 40},
	{&ts_view_insights,
		{"24 down", "tab tiles", "pane-next", "4 down", "tab peak", "5 down", "tab fp32",
			"2 down", "tab largest", "12 down"},
		20},
	{&ts_view_memory,
		{"fullest", "series gaps", "right", "breakdown", "breakdown", "breakdown",
			"pane-next", "down", "down", "last", "pane-next", "down", "pane-next",
			"down", "pane-next", "tab-next", "down", "tab-next", "down", "tab-next",
			"down", "tab-next", "down", "tab-next", "down"},
		30},
	{&ts_view_memory,
		{"breakdown region", "fullest", "fullest", "breakdown layer", "fullest", "right",
			"breakdown family", "right", "per-ipu", "breakdown layer", "left",
			"breakdown region", "breakdown category", "right", "breakdown liveness",
			"series gaps", "breakdown total", "left"},
		0},
	{&ts_view_memory,
		{"pane-next", "tiles 0-3", "tab details", "unfold", "20 down", "tab sets", "first",
			"down", "tab vertices", "unfold", "down", "fold", "first", "down",
			"tab exchanges", "first", "down", "tiles worst(2)", "tab details", "20 up",
			"tab sets", "down", "tiles 5", "tab vertices", "down", "tab exchanges",
			"last"},
		60},
	{&ts_view_memory,
		{"tab variables", "pane-next", "tiles 0-3", "3 down", "last", "series gaps",
			"tiles worst(2)", "2 down", "series gaps", "sort variable", "first",
			"tiles 5"},
		30},
	{&ts_view_memory,
		{"map", "series gaps", "scale", "series gaps", "metric total", "right",
			"metric gaps", "metric category:variable", "metric category:vertexCode",
			"metric cycles", "fullest", "down", "metric cycles-once",
			"metric active-cycles", "metric active-cycles-once", "fullest",
			"metric exchange-code", "metric control-code", "metric bytes-in",
			"metric bytes-out", "metric vertices", "metric vertex-state",
			"metric vertex-code", "metric interleaved", "metric always-live",
			"metric not-always-live", "metric peak", "map", "right"},
		30},
	{&ts_view_liveness,
		{"peak-next", "replica", "replica", "source tile 0", "right", "source ipu 1",
			"right", "source 0-3,7", "source all", "right", "series", "pane-next",
			"down", "down", "pane-next", "down", "tab-next", "down", "tab-next", "down",
			"tab-next", "down"},
		15},
	{&ts_view_liveness,
		{"goto 20", "mark", "goto 30", "pane-next", "down", "tab always", "2 down",
			"tab groups", "down", "tab lifetimes", "down", "tab vertices", "down",
			"tab cycles", "down", "goto 5", "tab path", "down", "tab always",
			"source tile 0", "down", "tab variables"},
		0},
	{&ts_view_liveness,
		{"goto 20", "mark", "peak-next", "mark", "pane-next", "tab groups", "3 down",
			"source tile 0", "3 down", "source ipu 1", "3 down", "source 0-3,7",
			"3 down", "source all", "replica", "2 down", "tab lifetimes", "4 down",
			"source tile 0", "4 down", "source ipu 1", "down"},
		40},
	{&ts_view_liveness,
		{"goto 5", "mark", "peak-next", "pane-next", "source tile 0", "down",
			"source ipu 1", "2 down", "source 0-3,7", "down", "tab always", "down",
			"source ipu 0", "down", "source all", "down"},
		12},
	{&ts_view_liveness,
		{"peak-next", "pane-next", "tab variables", "tiles 0-3", "source selected",
			"30 down", "source ipu 0", "30 down", "source tile 3", "3 down"},
		50},
	{&ts_view_liveness,
		{"bottleneck", "zoom-in", "left", "up", "zoom-in", "right", "open", "tick",
			"tab what-if", "5 down"},
		2},
	{&ts_view_liveness,
		{"whatif halve other", "whatif remove weights", "tab what-if", "source ipu 0",
			"source tile 0", "source tile 1", "source 0-3", "source all", "pane-next",
			"12 down"},
		8},
	{&ts_view_variables,
		{"down", "sort bytes", "down", "sort tile", "last", "columns all", "sort steps",
			"7 down", "filter steps<20", "3 down", "level unlowered", "5 down",
			"sort fullest", "5 down", "sort from", "last", "up"},
		40},
	{&ts_view_programs,
		{"down", "open", "2 down", "unfold", "20 down", "sort", "search DoExchange",
			"search-next", "pane-next", "tab code", "down", "tab vertices", "2 down",
			"tab cycles", "2 down", "tab path", "2 down", "tab steps", "2 down"},
		20},
	{&ts_view_operations,
		{"3 down", "sort code", "first", "3 down", "layer", "2 down", "layer-tree", "open",
			"3 down", "rollup", "down", "layer popart", "tab programs", "pane-next",
			"2 down", "tab links", "2 down", "tab code", "down", "tab cycles", "down",
			"tab vertices", "down", "tab summary"},
		20},
	{&ts_view_operations,
		{"rollup", "down", "last", "up", "rollup g(.)", "first", "open", "down", "last",
			"layer names", "2 down", "open", "last", "layer-tree on", "unfold",
			"20 down", "last", "layer poptorch", "6 down", "last", "layer poplibs",
			"5 down", "tab links", "pane-next", "6 down", "tab vertices", "last",
			"layer-tree on", "tab code", "first", "tab cycles", "last"},
		100},
	{&ts_view_trace,
		{"search layer", "right", "right", "ipu-next", "pane-next", "down", "down",
			"page-down", "tab balance", "down", "scope run", "down", "zoom-in",
			"scope view", "tab lost", "down", "6 down", "drawing bsp", "pane-next",
			"pane-next", "down", "tiles-in"},
		30},
	{&ts_view_trace,
		{"tab details", "goto 12", "goto 20", "down", "goto 33", "goto 35", "ipu-next",
			"goto 40", "goto 41", "goto 42", "tab longest", "3 down", "search layer",
			"tab hits", "3 down", "tab vertices", "2 down", "tab cycles", "2 down",
			"tab pipeline", "2 down", "tab work", "2 down", "breakdown compute-sets",
			"tab passes", "2 down", "tab blocks", "2 down", "pane-next",
			"drawing flame", "3 down", "right", "drawing merged", "3 down", "open",
			"right", "tab frame", "first", "5 down", "drawing blocks", "2 down"},
		30},
};

static const struct {
	const char *name;
	struct ts_demo_options options;
	const char *sql; /* what is changed in it, or NULL */
} reports[] = {
	{"two", {.ipus = 2, .tiles = 24, .steps = 300, .variables = 900, .seed = 1}, NULL},
	{"oom", {.ipus = 1, .tiles = 40, .variables = 2000, .oom = true, .seed = 3}, NULL},
	/* variables without a name, with gaps in their order, and a program's child that is not there */
	{"no-names", {.ipus = 1, .tiles = 6, .steps = 60, .variables = 300, .seed = 5},
		"UPDATE unlowered_vars SET name = NULL WHERE id % 9 = 0;"
		"UPDATE vars_info SET name_base_id = 1 << 40 WHERE var_id % 5 = 0;"
		"UPDATE vars_info SET var_id = -2 * var_id - 2; UPDATE vars_info SET var_id = -var_id;"
		"UPDATE programs SET children = CAST(children || x'7fff' AS BLOB) WHERE id = 0"},
	/* pieces of one variable that have several classes, most of which are alive at once */
	{"classes", {.ipus = 2, .tiles = 6, .steps = 60, .variables = 200, .seed = 6},
		"CREATE TEMP TABLE longest AS SELECT eq_class_id AS class FROM eq_class_step JOIN eq_classes c ON "
		"c.id = eq_class_id WHERE NOT is_always_live GROUP BY class ORDER BY min(step_id_from) - "
		"max(step_id_to) LIMIT 3;"
		"UPDATE vars_info SET equivalence_class = (SELECT class FROM longest WHERE rowid = 1 + tile % 4) "
		"WHERE tile % 4 < 3 AND equivalence_class IN (SELECT id FROM eq_classes WHERE NOT is_always_live);"
		"CREATE TEMP TABLE one AS SELECT unlowered_var_id % 16 AS k, min(unlowered_var_id) AS v FROM "
		"vars_info JOIN eq_classes c ON c.id = equivalence_class WHERE NOT is_always_live GROUP BY k;"
		"UPDATE vars_info SET unlowered_var_id = (SELECT v FROM one WHERE k = unlowered_var_id % 16) WHERE "
		"equivalence_class IN (SELECT id FROM eq_classes WHERE NOT is_always_live)"},
	/* steps are recorded from one above 0 on */
	{"later-steps", {.ipus = 2, .tiles = 6, .steps = 60, .variables = 200, .seed = 12},
		"DELETE FROM depth_first_steps WHERE id < 9;"
		"DELETE FROM memory_not_always_live_by_step_and_ipu WHERE step_id < 9"},
	/* of another version: no programs' own code, no bytes by class of tiles, no total with gaps */
	{"older", {.ipus = 2, .tiles = 9, .steps = 80, .variables = 300, .seed = 10},
		"ALTER TABLE programs DROP COLUMN control_code_bytes_by_tile;"
		"DELETE FROM var_bytes_by_eq_class WHERE tile IS NOT NULL;"
		"ALTER TABLE memory_by_tile DROP COLUMN total_including_gaps"},
	{"one", {.ipus = 1, .tiles = 1, .steps = 40, .variables = 30, .seed = 4}, NULL},
	{"seeds", {.ipus = 3, .tiles = 7, .steps = 80, .variables = 300, .seed = 9}, NULL},
};

/* What the program does with :tiles. */
static void
select_tiles(struct walk *w, const char *text)
{
	struct ts_tile_set set;
	struct ts_err err = {0};
	struct ts_sql_value v;
	char sql[120];
	bool row = true;

	ck_assert(ts_tile_set_init(&set, 4096));
	snprintf(sql, sizeof(sql), "SELECT tile FROM tiles('%s')", text);
	ck_assert_msg(ts_query_prepare(w->query, sql, QUERY_SECONDS, &err) == TS_OK, "%s", err.msg);
	while (ts_query_step(w->query, &row, &err) == TS_OK && row) {
		ts_query_value(&v, w->query, 0);
		ts_tile_set_add(&set, v.integer, v.integer + 1);
	}
	ts_select_tiles(&w->h.selection, &set, text);
}

/* A command that this view does not have (yet) is passed over. */
static void
press(struct walk *w, const char *line)
{
	struct ts_call call;
	struct ts_err err = {0};

	w->h.env.copy[0] = '\0';
	if (ts_call_parse(&call, line, &err) != TS_OK)
		return;
	if (call.cmd == TS_CMD_TILES)
		select_tiles(w, ts_call_arg(&call, 0));
	if (call.cmd == TS_CMD_WHAT_IF)
		ts_what_if_command(w->h.view, &call);
	if (w->h.view->ops->command(w->h.view, &call) & TS_EFFECT_REFLOW)
		w->h.view->ops->resize(w->h.view, ts_canvas_rect(w->h.canvas));
	harness_settle(&w->h);
	harness_draw(&w->h);
}

static void
walk(struct walk *w, size_t view)
{
	struct ts_err err = {0};

	harness_start(&w->h, views[view].ops, 120, 40, TS_GLYPHS_FULL);
	harness_settle(&w->h);
	harness_draw(&w->h);
	ck_assert_msg(ts_query_open(&w->query, w->h.env.report, &err) == TS_OK, "%s", err.msg);
	look(w);
	for (int i = 0; views[view].keys[i]; i++) {
		const char *line = views[view].keys[i];
		int times = atoi(line);

		for (int k = 0; k < (times ? times : 1); k++) {
			press(w, times ? strchr(line, ' ') + 1 : line);
			look(w);
		}
	}
	ts_query_close(w->query);
}

START_TEST(figures_are_what_their_queries_print)
{
	size_t view = (size_t)_i % TS_COUNT(views), report = (size_t)_i / TS_COUNT(views);
	struct walk *w = calloc(1, sizeof(*w));
	char where[80];

	/* the first report with all views; of the others each with a fifth, other ones each time */
	if (report > 0 && (view + report) % (size_t)stride_of(5, 13)) {
		free(w);
		return;
	}
	ck_assert_ptr_nonnull(w);
	snprintf(where, sizeof(where), "%s of report %s", views[view].ops->title,
		reports[report].name);
	w->where = where;
	harness_demo(&w->h, &reports[report].options);
	if (reports[report].sql) {
		harness_loosen(&w->h);
		harness_sql(&w->h, reports[report].sql);
	}
	walk(w, view);
	if (report == 0)
		ck_assert_msg(w->queries >= views[view].least, "%s: only %d queries", where,
			w->queries);
	if (report == 0 && strcmp(views[view].keys[0], "map") == 0) /* ranks, too */
		ck_assert_msg(w->without == 0, "%s: %d figures without a query", where, w->without);
	if (report == 0 &&
		views[view].ops == &ts_view_insights) /* X04, X08, X09: of several IPUs */
		ck_assert_msg(w->without <= 4, "%s: %d figures without a query", where, w->without);
	if (getenv("TS_EXPLAIN_COUNT"))
		fprintf(stderr, "%s: %d figures, %d queries, %d without\n", where, w->figures,
			w->queries, w->without);
	harness_end(&w->h);
	free(w);
}
END_TEST

/* Figures of the tabs of Insights, by pieces of their titles; that they are right the walks say. */
static const struct {
	const char *tab, *titles[14];
} insights[] = {
	{"tab tiles",
		{"how full tile", "has more of", "there", "fullest tiles use, together",
			"have live at their peaks, together", "than the median tile, together",
			"more of these variables, together", "highest bar", "more than the limit"}},
	{"tab peak",
		{"what is no variable", "how many variables are alive", "largest are 50%",
			"largest are 75%", "largest are 90%"}},
};

static bool
explains(const struct ts_explain *e, const char *title)
{
	for (int i = 0; i < e->count; i++)
		if (strstr(e->figure[i].title, title))
			return true;
	return false;
}

START_TEST(figures_of_insights)
{
	const struct ts_demo_options o = {.ipus = 1,
		.tiles = 40,
		.variables = 2000,
		.oom = true,
		.seed = 3};
	struct ts_explain *e = malloc(sizeof(*e));
	struct harness h = {0};

	ck_assert_ptr_nonnull(e);
	harness_demo(&h, &o);
	harness_start(&h, &ts_view_insights, 120, 40, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_command(&h, insights[_i].tab);
	harness_command(&h, "pane-next");
	harness_settle(&h);
	harness_draw(&h);
	ts_explain_init(e);
	h.view->ops->explain(h.view, e);
	ck_assert_int_lt(e->count, TS_EXPLAIN_FIGURES); /* none is left out */
	for (int i = 0; insights[_i].titles[i]; i++)
		ck_assert_msg(explains(e, insights[_i].titles[i]), "%s: nothing says %s",
			insights[_i].tab, insights[_i].titles[i]);
	harness_end(&h);
	free(e);
}
END_TEST

/* --- what has no report -------------------------------------------------------------------------- */

START_TEST(names_are_quoted)
{
	char out[16];

	ck_assert(ts_explain_quote(out, sizeof(out), "it's"));
	ck_assert_str_eq(out, "'it''s'");
	ck_assert(ts_explain_quote(out, sizeof(out), ""));
	ck_assert_str_eq(out, "''");
	ck_assert(!ts_explain_quote(out, sizeof(out), "much longer than that"));
	ck_assert_str_eq(out, "");
	ck_assert(!ts_explain_quote(out, sizeof(out), "''''''''"));
}
END_TEST

START_TEST(cut_titles_say_so)
{
	struct ts_explain e;
	char name[3 * TS_EXPLAIN_TITLE];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ts_explain_init(&e);
	ck_assert_str_eq(ts_explain_add(&e, "bytes of %s", "a")->title, "bytes of a");
	ts_explain_add(&e, "bytes of %s", name);
	ck_assert_uint_eq(strlen(e.figure[1].title), TS_EXPLAIN_TITLE - 1);
	ck_assert_str_eq(strstr(e.figure[1].title, "x\u2026"), "x\u2026");
	name[TS_EXPLAIN_TITLE - 1 - strlen("bytes of ")] = '\0'; /* as long as there is room for */
	ck_assert_ptr_null(strstr(ts_explain_add(&e, "bytes of %s", name)->title, "\u2026"));
}
END_TEST

START_TEST(too_much_is_left_out)
{
	struct ts_explain *e = malloc(sizeof(*e));
	struct ts_explained *x;
	char exact[TS_EXPLAIN_SHOWN];

	ck_assert_ptr_nonnull(e);
	ts_explain_init(e);
	for (int i = 0; i < 3 * TS_EXPLAIN_FIGURES; i++)
		ts_explain_bytes(ts_explain_add(e, "figure %d", i), i - 1, TS_UNITS_KIB);
	ck_assert_int_eq(e->count, TS_EXPLAIN_FIGURES);
	ck_assert_int_eq(e->figure[0].kind, TS_EXPLAIN_UNKNOWN);
	ck_assert_str_eq(ts_explain_exact(&e->figure[0], exact), "not known");
	ck_assert_str_eq(ts_explain_exact(&e->figure[5], exact), "4 bytes");
	x = &e->figure[1];
	ts_explain_query(x, "SELECT %*d", TS_EXPLAIN_QUERY, 1);
	ck_assert_str_eq(x->query, "");
	ck_assert_str_ne(x->note, "");
	ts_explain_real(x, INFINITY, "us");
	ck_assert_int_eq(x->kind, TS_EXPLAIN_INTEGER); /* as it was: that is no number */
	ts_explain_real(x, 3921308.88, "cycles");
	ck_assert_str_eq(x->shown, "3,921,309 cycles");
	ts_explain_real(x, -99999.96875, "%");
	ck_assert_str_eq(x->shown, "-100000 %");
	ts_explain_real(x, 4.390977, NULL);
	ck_assert_str_eq(x->shown, "4.39098");
	ts_explain_real(x, 1e300, "us");
	ck_assert_str_eq(x->shown, "1e+300 us");
	free(e);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("explain");
	TCase *c = tcase_create("all");

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, figures_are_what_their_queries_print, 0,
		(int)(TS_COUNT(views) * TS_COUNT(reports)));
	tcase_add_loop_test(c, figures_of_insights, 0, (int)TS_COUNT(insights));
	tcase_add_test(c, names_are_quoted);
	tcase_add_test(c, cut_titles_say_so);
	tcase_add_test(c, too_much_is_left_out);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
