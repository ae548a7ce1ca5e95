/* SPDX-License-Identifier: MIT */
/*
 * What a report does not have: every view is shown without each relation in turn. Nothing falls over, and every
 * panel says what is missing, why, what records it, what that costs, and where something of it can be seen.
 */
#include "config.h"

#include <locale.h>

#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/base/embedded.h"
#include "tilescope/ui/keymap.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/jobs.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/summary.h"
#include "tilescope/view/tables.h"
#include "tilescope/view/trace.h"
#include "tilescope/view/variables.h"

static const struct ts_view_ops *const views[] = {&ts_view_summary, &ts_view_insights,
	&ts_view_memory, &ts_view_liveness, &ts_view_operations, &ts_view_trace, &ts_view_variables,
	&ts_view_tables, &ts_view_jobs};

/* What a view has to say without a table. */
static const struct missing {
	const char *table;
	const struct ts_view_ops *view;
	enum ts_absent says;
	const char *instead; /* after the last of these is gone, "" */
} expected[] = {
	{"memory_by_tile", &ts_view_memory, TS_ABSENT_TILES, "Variables (8)"},
	{"vars_info", &ts_view_memory, TS_ABSENT_TILE_VARIABLES,
		"tab Details, the categories of the tile"},
	{"vars_info", &ts_view_variables, TS_ABSENT_VARIABLES, "Memory (3)"},
	{"depth_first_steps", &ts_view_liveness, TS_ABSENT_LIVENESS, "Memory (3)"},
	{"var_bytes_by_eq_class", &ts_view_liveness, TS_ABSENT_LIVE_VARIABLES, "Variables (8)"},
	{"steps", &ts_view_trace, TS_ABSENT_STEPS, "Memory (3)"},
	{"steps_by_ipu", &ts_view_trace, TS_ABSENT_LANES, "the steps, by number"},
};

struct stage {
	struct harness h;
	struct ts_keymap keymap;
};

static void
begin(struct stage *s)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 1,
		.tiles = 24,
		.steps = 60,
		.variables = 300};
	struct ts_strbuf complaints;

	harness_demo(&s->h, &o);
	ts_keymap_init(&s->keymap);
	ts_strbuf_init(&complaints, 1000);
	ck_assert_int_eq(ts_keymap_read(&s->keymap, "default.keys",
				 ts_embedded_find("keymaps/default.keys")->text, NULL, NULL,
				 &complaints),
		0);
	ts_strbuf_fini(&complaints);
}

static void
end(struct stage *s)
{
	ts_keymap_fini(&s->keymap);
	unlink(s->h.path);
	free(s->h.path);
	ck_assert_int_eq(rmdir(s->h.dir), 0);
}

static void
rename_table(struct stage *s, const char *from, const char *to)
{
	char sql[200];

	snprintf(sql, sizeof(sql),
		"PRAGMA legacy_alter_table=ON; ALTER TABLE \"%s\" RENAME TO \"%s\"", from, to);
	harness_sql(&s->h, sql);
}

/* What the view shows of the report as it is now; the caller frees it. */
static char *
screen(struct stage *s, const struct ts_view_ops *ops, int w, int height)
{
	char *text;

	harness_start(&s->h, ops, w, height, TS_GLYPHS_FULL);
	s->h.env.keymap = &s->keymap;
	harness_settle(&s->h);
	text = harness_text(&s->h);
	ck_assert_ptr_nonnull(text);
	harness_stop(&s->h);
	return text;
}

/* Every panel on the screen is whole, and its option is one of `help capture`. */
static void
check_panels(const char *text, const char *where)
{
	static const char *const lines[] = {"Why: ", "Recorded by: ", "Costs: "};
	const char *capture = ts_embedded_find("help/capture.txt")->text;

	for (const char *p = text; (p = strstr(p, "Not in this report: ")); p++) {
		char option[80];

		for (size_t i = 0; i < TS_COUNT(lines); i++)
			ck_assert_msg(strstr(p, lines[i]), "%s: no \"%s\" in\n%.2000s", where,
				lines[i], text);
		ck_assert_int_eq(sscanf(strstr(p, lines[1]), "Recorded by: %79[A-Za-z.]", option),
			1);
		ck_assert_msg(strstr(capture, option), "%s: %s", where, option);
	}
}

static void
walk(const char *const *tables, int n)
{
	struct stage s;

	begin(&s);
	for (int i = 0; i < n; i++) {
		char gone[80];

		snprintf(gone, sizeof(gone), "%s gone", tables[i]);
		rename_table(&s, tables[i], gone);
		for (size_t v = 0; v < TS_COUNT(views); v++) {
			char where[100], *text;

			if ((i + (int)v) % stride_of(3, 9))
				continue;
			text = screen(&s, views[v], 160, 50);
			snprintf(where, sizeof(where), "%s without %s", views[v]->name, tables[i]);
			check_panels(text, where);
			free(text);
		}
		rename_table(&s, gone, tables[i]);
	}
	end(&s);
}

/* Tables of the report's file, at most `max`; names are the caller's. */
static int
tables_of(char *names[], int max)
{
	struct stage s;
	sqlite3_stmt *statement;
	sqlite3 *db;
	int n = 0;

	begin(&s);
	ck_assert_int_eq(sqlite3_open(s.h.path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db,
				 "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT "
				 "LIKE 'sqlite%' AND name <> 'report'",
				 -1, &statement, NULL),
		SQLITE_OK);
	while (n < max && sqlite3_step(statement) == SQLITE_ROW)
		names[n++] = strdup((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	end(&s);
	return n;
}

START_TEST(without_each_table)
{
	char *names[100];
	int n = tables_of(names, (int)TS_COUNT(names));

	ck_assert_int_gt(n, 60);
	walk((const char *const *)names, n);
	for (int i = 0; i < n; i++)
		free(names[i]);
}
END_TEST

static void
says(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words), "no \"%s\" in\n%.3000s", words, text);
}

START_TEST(what_is_said)
{
	const struct missing *m = &expected[_i];
	const struct ts_absent_text *a = &ts_absent_texts[m->says];
	struct stage s;
	char *text;

	begin(&s);
	if (m->says == TS_ABSENT_LIVENESS) /* else it is derived from the intervals of classes */
		harness_sql(&s.h, "DROP TABLE IF EXISTS eq_class_step");
	if (m->says == TS_ABSENT_STEPS) /* else blocks are shown */
		harness_sql(&s.h, "DROP TABLE IF EXISTS blocks");
	rename_table(&s, m->table, "gone");
	text = screen(&s, m->view, 160, 50);
	says(text, a->what);
	says(text, "Why: ");
	says(text, a->option);
	says(text, a->cost);
	says(text, "Instead: ");
	says(text, m->instead);
	free(text);
	end(&s);
}
END_TEST

/* The tabs of the peak: the variables of the tiles are there, those before lowering are not. */
START_TEST(tabs_of_the_peak)
{
	static const char *const tabs[] = {"tab peak", "tab fp32"};
	const struct ts_absent_text *a = &ts_absent_texts[TS_ABSENT_PEAK_VARIABLES];
	struct stage s;
	char *text;

	begin(&s);
	harness_sql(&s.h, "DROP TABLE unlowered_vars");
	harness_start(&s.h, &ts_view_insights, 160, 50, TS_GLYPHS_FULL);
	s.h.env.keymap = &s.keymap;
	harness_settle(&s.h);
	harness_command(&s.h, tabs[_i]);
	harness_command(&s.h, "pane-next");
	text = harness_text(&s.h);
	says(text, a->what);
	says(text, "Why: ");
	says(text, a->option);
	says(text, "Instead: Variables (8)");
	free(text);
	harness_stop(&s.h);
	end(&s);
}
END_TEST

/* Where nothing of it is to be seen, no place is named. */
START_TEST(places_that_are_not_there)
{
	struct stage s;
	char *text;

	begin(&s);
	harness_sql(&s.h,
		"DROP TABLE steps; DROP TABLE memory_by_tile; DROP TABLE depth_first_steps;"
		"DROP TABLE vars_info; DROP TABLE blocks");
	text = screen(&s, &ts_view_trace, 80, 22);
	says(text, "Not in this report: the steps of the execution");
	says(text, "Instead: Tables (9), any table of the file.");
	ck_assert_ptr_null(strstr(text, "(3)"));
	free(text);
	text = screen(&s, &ts_view_summary, 80, 22);
	says(text, "not found (recorded by autoReport.outputGraphProfile)");
	says(text, "not found (recorded by autoReport.outputExecutionProfile)");
	free(text);
	end(&s);
}
END_TEST

/* On a small screen the panel of the lanes is whole, and the list of steps has its rows. */
START_TEST(lanes_of_a_small_screen)
{
	struct stage s;
	char *text;

	begin(&s);
	harness_sql(&s.h, "DROP TABLE steps_by_ipu");
	text = screen(&s, &ts_view_trace, 80, 22);
	says(text, "Not in this report: what each IPU did in a step");
	says(text, "any table of the file.");
	says(text, "StreamCopyMid");
	free(text);
	for (int height = 1; height < 22; height++)
		free(screen(&s, &ts_view_trace, 40, height));
	end(&s);
}
END_TEST

/* The table is there, with columns of other names: not the same as not recorded. */
START_TEST(other_names)
{
	struct stage s;
	char *text;

	begin(&s);
	harness_sql(&s.h, "ALTER TABLE memory_by_tile RENAME COLUMN total TO totals");
	text = screen(&s, &ts_view_memory, 120, 38);
	says(text, "has no column for total");
	says(text, "Or: it is there under a name that is not known yet; tilescope schema lists");
	free(text);
	end(&s);
}
END_TEST

/* From the line of Summary to the panel that says more. */
START_TEST(from_summary)
{
	struct stage s;

	begin(&s);
	harness_sql(&s.h, "DROP TABLE steps");
	harness_start(&s.h, &ts_view_summary, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&s.h);
	harness_command(&s.h, "search not found");
	harness_command(&s.h, "open");
	ck_assert_int_eq(s.h.env.go, TS_CMD_GOTO_TRACE);
	harness_stop(&s.h);
	end(&s);
}
END_TEST

/* The bottom line names no key of a pane that has nothing but what is missing. */
START_TEST(no_keys_of_nothing)
{
	struct stage s;
	struct ts_view *v;

	begin(&s);
	harness_sql(&s.h, "DROP TABLE depth_first_steps; DROP TABLE eq_class_step");
	harness_start(&s.h, &ts_view_memory, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&s.h);
	v = s.h.view;
	ck_assert_ptr_nonnull(v->ops->pane_hints(v));
	harness_stop(&s.h);
	harness_start(&s.h, &ts_view_liveness, 120, 38, TS_GLYPHS_FULL);
	harness_settle(&s.h);
	v = s.h.view;
	ck_assert_ptr_null(v->ops->pane_hints(v));
	harness_command(&s.h, "tab heat");
	harness_command(&s.h, "pane-next");
	harness_settle(&s.h);
	ck_assert_ptr_null(v->ops->pane_hints(v));
	harness_stop(&s.h);
	for (int i = 0; i < 2; i++) {
		harness_start(&s.h, &ts_view_trace, 120, 38, TS_GLYPHS_FULL);
		harness_settle(&s.h);
		v = s.h.view;
		ck_assert_int_eq(!v->ops->pane_hints(v), i);
		harness_stop(&s.h);
		harness_sql(&s.h,
			"DROP TABLE IF EXISTS steps; DROP TABLE IF EXISTS steps_by_ipu; DROP TABLE IF EXISTS blocks");
	}
	end(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("absent");
	TCase *tc = tcase_create("absent");
	SRunner *sr;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, without_each_table);
	tcase_add_loop_test(tc, what_is_said, 0, TS_COUNT(expected));
	tcase_add_loop_test(tc, tabs_of_the_peak, 0, 2);
	tcase_add_test(tc, places_that_are_not_there);
	tcase_add_test(tc, lanes_of_a_small_screen);
	tcase_add_test(tc, other_names);
	tcase_add_test(tc, from_summary);
	tcase_add_test(tc, no_keys_of_nothing);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
