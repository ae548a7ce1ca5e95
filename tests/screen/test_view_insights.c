/* SPDX-License-Identifier: MIT */
/*
 * The Insights view on a canvas: findings and their places, every tab, at every size; what is not recorded; rules of the
 * user; sorted, filtered, searched; before the answer, with another one, with keys of any kind.
 */
#include "config.h"

#include <locale.h>
#include <sys/stat.h>

#include "view_harness.h"

#include "tilescope/base/utf8.h"
#include "tilescope/report/rules.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/sheet.h"

static struct harness h;

static void
begin(int w, int height, enum ts_glyphs glyphs, const char *sql)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 2,
		.tiles = 160,
		.steps = 200,
		.variables = 12000,
		.oom = true};

	harness_demo(&h, &o);
	if (sql)
		harness_sql(&h, sql);
	harness_start(&h, &ts_view_insights, w, height, glyphs);
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *keys[8];
} screens[] = {
	{"insights-80", 80, 22, TS_GLYPHS_FULL, {0}},
	{"insights-tiles-80", 80, 22, TS_GLYPHS_FULL, {"tab tiles", "pane-next", 0}},
	{"insights-120", 120, 38, TS_GLYPHS_FULL, {"down", 0}},
	{"insights-peak-200", 200, 58, TS_GLYPHS_FULL, {"tab peak", "pane-previous", "down", 0}},
	{"insights-fp32-120", 120, 38, TS_GLYPHS_FULL,
		{"tab fp32", "pane-previous", "pane-zoom", 0}},
	{"insights-largest-120", 120, 38, TS_GLYPHS_FULL,
		{"tab largest", "pane-previous", "down", 0}},
	{"insights-ascii", 80, 22, TS_GLYPHS_ASCII, {"tab tiles", "pane-next", "pane-zoom", 0}},
	{"insights-40", 40, 8, TS_GLYPHS_BASIC, {0}},
};

START_TEST(looks)
{
	begin(screens[_i].w, screens[_i].h, screens[_i].glyphs, NULL);
	harness_settle(&h);
	for (int i = 0; screens[_i].keys[i]; i++)
		harness_command(&h, screens[_i].keys[i]);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

/* Enter leads to the place of what has the cursor; what has none says so. */
START_TEST(places)
{
	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	harness_command(&h, "open");
	ck_assert_int_eq(strncmp(h.env.place, "memory?tile=", 12), 0);
	ck_assert_str_eq(harness_at_cursor(&h).place, h.env.place);
	harness_command(&h, "search half of the peak");
	ck_assert_int_eq(strncmp(harness_at_cursor(&h).place, "liveness?step=", 14), 0);
	h.env.place[0] = '\0';
	harness_command(&h, "tab tiles");
	harness_command(&h, "pane-previous");
	harness_command(&h, "down");
	harness_command(&h, "open");
	ck_assert_ptr_nonnull(strstr(h.env.place, "&by=category"));
	harness_command(&h, "tab largest");
	harness_command(&h, "search variable");
	harness_command(&h, "search-next");
	harness_command(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "variable"));
	harness_command(&h, "open");
	ck_assert_int_eq(strncmp(h.env.place, "memory?tile=", 12), 0);
	harness_end(&h);
}
END_TEST

/* What app/ does with the table of the pane. */
static void
table_command(enum ts_cmd cmd, const char *arg)
{
	struct ts_sheet sheet = {0};
	struct ts_call call;
	struct ts_err e = {0};
	char word[80], say[200] = "", *words[] = {word};

	snprintf(word, sizeof(word), "%s", arg);
	ck_assert(ts_view_insights.sheet(h.view, &sheet));
	ck_assert_int_eq(ts_call_make(&call, cmd, words, 1, &e), TS_OK);
	ck_assert(
		!(ts_table_order_command(&sheet.table, &call, say, sizeof(say)) & TS_EFFECT_BELL));
	harness_settle(&h);
}

START_TEST(sorted_and_filtered)
{
	struct ts_sheet sheet = {0};

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	table_command(TS_CMD_FILTER, "severity:bad");
	harness_says(&h, "M01");
	ck_assert(!harness_has(&h, "M03"));
	ck_assert(ts_view_insights.sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.list->count, 2);
	table_command(TS_CMD_FILTER, "");
	harness_says(&h, "M10");
	table_command(TS_CMD_SORT, "rule");
	harness_command(&h, "search nothing of the kind");
	ck_assert(h.env.message_is_error);
	harness_command(&h, "tab peak");
	harness_command(&h, "pane-previous");
	table_command(TS_CMD_FILTER, "layer_1");
	table_command(TS_CMD_SORT, "bytes");
	ck_assert(ts_view_insights.sheet(h.view, &sheet));
	ck_assert_str_eq(sheet.table.id, "insights.peak");
	ck_assert_int_gt(sheet.list->count, 0);
	ck_assert_int_lt(sheet.list->count, sheet.rows);
	harness_end(&h);
}
END_TEST

/* By severity: the worst first, what is not known last, on the screen and in a file. */
START_TEST(sorted_by_severity)
{
	static const char *const order[] = {"bad", "warn", "note", "ok", "not known"};
	struct ts_sheet sheet = {0};
	size_t at = 0;

	begin(120, 38, TS_GLYPHS_FULL, "DROP TABLE depth_first_steps");
	harness_settle(&h);
	table_command(TS_CMD_SORT, "rule");
	table_command(TS_CMD_SORT, "severity");
	ck_assert(ts_view_insights.sheet(h.view, &sheet));
	for (int64_t i = 0; i < sheet.list->count; i++) {
		struct ts_table_value v = {.type = TS_VALUE_NONE};

		ck_assert(sheet.table.value(sheet.table.ctx, ts_table_row(&sheet.table, i), 0, &v));
		while (at < TS_COUNT(order) && strcmp(order[at], v.s) != 0)
			at++;
		ck_assert_msg(at < TS_COUNT(order), "%s stands behind what is less", v.s);
	}
	ck_assert_uint_eq(at, TS_COUNT(order) - 1);
	harness_end(&h);
}
END_TEST

/* What is absent, relation by relation: the rule says why, the tabs what is missing. */
static const struct {
	const char *sql, *says[4];
} gone[] = {
	{"DROP TABLE memory_by_tile", {"the memory of tiles is not recorded", "17 not known", 0}},
	{"DROP TABLE unlowered_vars", {"variables before lowering are not recorded", 0}},
	{"DROP TABLE depth_first_steps", {"what is alive at each step is not recorded", 0}},
	{"DROP TABLE memory_by_category; DROP TABLE vars_info",
		{"the categories of memory are not", 0}},
	{"DELETE FROM memory_by_tile; DELETE FROM memory_by_category; DELETE FROM unlowered_vars;"
	 "DELETE FROM vars_info; DELETE FROM depth_first_steps",
		{"22 not known", 0}},
};

START_TEST(absent)
{
	static const char *const tabs[] = {"tiles", "peak", "fp32", "largest", "finding"};

	begin(120, 38, TS_GLYPHS_FULL, gone[_i].sql);
	harness_settle(&h);
	for (int i = 0; gone[_i].says[i]; i++)
		harness_says(&h, gone[_i].says[i]);
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		char line[40];

		snprintf(line, sizeof(line), "tab %s", tabs[i]);
		harness_command(&h, line);
		harness_command(&h, "pane-next");
		harness_command(&h, "open");
		harness_command(&h, "down");
		harness_draw(&h);
	}
	harness_end(&h);
}
END_TEST

/* Rules that are not known for one reason are one row, which any of them leads to. */
START_TEST(same_reason)
{
	const struct ts_view_arg *a = ts_view_insights.args;
	struct ts_sheet sheet = {0};
	int written = 0, x07 = 0;

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	harness_says(&h, "13 not known");
	harness_says(&h, "X01-X11 11 rules");
	ck_assert(ts_view_insights.sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.rows, 12);
	/* and each is written */
	for (int64_t i = 0, k, row; i < sheet.rows; i++)
		for (k = 0; (row = sheet.written(sheet.table.ctx, i, k)) >= 0; k++, written++) {
			struct ts_table_value id = {0}, title = {0};

			ck_assert(sheet.table.value(sheet.table.ctx, row, 1, &id));
			ck_assert(sheet.table.value(sheet.table.ctx, row, 2, &title));
			ck_assert_int_eq(id.n, 3);
			ck_assert_ptr_null(strstr(title.s, " rules"));
			x07 += strcmp(id.s, "X07") == 0;
		}
	ck_assert_int_eq(written, 22);
	ck_assert_int_eq(x07, 1);
	for (; a->name && strcmp(a->name, "rule") != 0; a++)
		;
	ck_assert_ptr_nonnull(a->name);
	ck_assert_int_eq(a->set(h.view, "X07"), TS_ARG_DONE);
	harness_draw(&h);
	harness_says(&h, "X05  Unbalanced compute"); /* the tab Finding has them all */
	harness_command(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "X01-X11"));
	ck_assert_ptr_nonnull(strstr(h.env.copy, "X09 Pipeline bubbles"));
	harness_end(&h);
	/* two reasons: two rows, and what stands between them is not said to be of either */
	begin(120, 38, TS_GLYPHS_FULL, "DROP TABLE depth_first_steps");
	harness_settle(&h);
	harness_says(&h, "X01-X11 11 rules");
	ck_assert(!harness_has(&h, "M07-M"));
	harness_end(&h);
}
END_TEST

/* A sum of what is not known is not 0. */
START_TEST(sum_of_nothing)
{
	begin(200, 58, TS_GLYPHS_FULL, "DROP TABLE eq_class_step");
	harness_settle(&h);
	harness_command(&h, "tab tiles");
	harness_settle(&h);
	harness_says(&h, "Live");
	harness_says(&h, "together");
	ck_assert(!harness_has(&h, " 0 B"));
	harness_end(&h);
}
END_TEST

/* Vertex types without names have their numbers. */
START_TEST(largest_without_names)
{
	begin(200, 58, TS_GLYPHS_FULL, "DROP TABLE vertex_types");
	harness_settle(&h);
	harness_command(&h, "tab largest");
	harness_says(&h, "vertex names not recorded");
	harness_says(&h, " vertex type ");
	harness_end(&h);
}
END_TEST

/* The user's rules: one of his own, one switched off, a line that is none. */
START_TEST(own_rules)
{
	char dir[2 * REPORT_DIR], path[3 * REPORT_DIR];
	FILE *f;

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	snprintf(dir, sizeof(dir), "%s/rules", h.dir);
	snprintf(path, sizeof(path), "%s/insights.rules", dir);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("off M03\nrule X1 tile-imbalance bad >0 \"Of \x1b[31mmine\" \"Do something\"\nnonsense\n",
		f);
	fclose(f);
	h.env.rules_dir = dir;
	harness_settle(&h);
	ck_assert(h.env.message_is_error);
	ck_assert_ptr_nonnull(strstr(h.env.message, "line 3"));
	harness_says(&h, "1 off");
	harness_command(&h, "search switched off");
	harness_says(&h, "M03");
	harness_command(&h, "open");
	ck_assert_str_eq(h.env.place, "");
	harness_command(&h, "search X1");
	harness_says(&h, "Do something");
	unlink(path);
	rmdir(dir);
	harness_end(&h);
}
END_TEST

/* The rule under the cursor, as its address has it. */
static const char *
rule_at_cursor(char out[TS_RULE_ID + 1])
{
	const struct ts_view_arg *arg = h.view->ops->args;
	struct ts_strbuf b;

	ts_strbuf_init(&b, TS_RULE_ID);
	while (strcmp(arg->name, "rule") != 0)
		arg++;
	arg->get(h.view, &b);
	snprintf(out, TS_RULE_ID + 1, "%s", b.s);
	ts_strbuf_fini(&b);
	return out;
}

static int64_t
line_of_cursor(void)
{
	struct ts_sheet sheet = {0};

	ck_assert(h.view->ops->sheet(h.view, &sheet));
	return sheet.list->cursor;
}

/* Findings that come later, or anew and in another order, move rows: the cursor stays on its rule. */
START_TEST(cursor_stays)
{
	char dir[2 * REPORT_DIR], path[3 * REPORT_DIR], was[TS_RULE_ID + 1] = "",
									 is[TS_RULE_ID + 1];
	int64_t row;
	FILE *f;

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	h.view->ops->request(h.view);
	for (bool idle = false, took = true; took || !idle;) { /* the memory, then the execution */
		idle = harness_idle(&h);
		took = harness_take_one(&h, idle ? 0 : 100);
		if (!took || *rule_at_cursor(was))
			continue;
		harness_type(&h, "down");
		harness_type(&h, "down");
		rule_at_cursor(was);
	}
	ck_assert_str_ne(was, "");
	ck_assert_str_eq(rule_at_cursor(is), was);
	harness_settle(&h);

	snprintf(dir, sizeof(dir), "%s/rules", h.dir);
	snprintf(path, sizeof(path), "%s/insights.rules", dir);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	for (int i = 1; i <= 4; i++)
		fprintf(f, "rule A%d tile-imbalance bad >0 \"Another\" \"None\"\n", i);
	fclose(f);
	h.env.rules_dir = dir;
	row = line_of_cursor();
	h.env.reload = TS_RELOAD_SAME;
	h.view->ops->reload(h.view);
	harness_settle(&h);
	ck_assert_str_eq(rule_at_cursor(is), was);
	ck_assert_int_ne(line_of_cursor(), row);
	h.env.rules_dir = NULL;
	unlink(path);
	rmdir(dir);
	harness_end(&h);
}
END_TEST

enum { BULK = 60000 };

/* Rows that a file gets: how many, and whether the names and bytes are those of the table in its order. */
static int64_t
count_written(void)
{
	struct ts_table_value values[8], shown;
	struct ts_sheet sheet = {0};
	struct ts_row_source *source;
	struct ts_err err = {0};
	int64_t rows = 0;
	bool more;

	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_ptr_null(sheet.wait);
	ck_assert(sheet.source != NULL);
	source = sheet.source(h.view);
	ck_assert_ptr_nonnull(source);
	while (source->next(source, NULL, values, &more, &err) == TS_OK && more) {
		int64_t row = ts_table_row(&sheet.table, rows++);

		shown = (struct ts_table_value){.type = TS_VALUE_NONE};
		ck_assert(sheet.table.value(sheet.table.ctx, row, 0, &shown));
		ck_assert_int_eq(values[0].integer, shown.integer);
		for (size_t i = 0; i < TS_COUNT(values); i++)
			values[i] = (struct ts_table_value){.type = TS_VALUE_NONE};
	}
	ck_assert_int_eq(rows, source->expected);
	source->free(source);
	return rows;
}

/* Many variables are alive at the peak: all are listed behind the largest, sorted, filtered, searched and written. */
START_TEST(all_of_the_peak)
{
	struct ts_sheet sheet = {0};
	int64_t all;

	begin(120, 38, TS_GLYPHS_FULL,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999) "
		"INSERT INTO unlowered_vars SELECT 1000000 + i, printf('bulk/%05d', i * 7919 % 60000) FROM n;"
		"INSERT INTO var_bytes_by_eq_class SELECT id, (SELECT id FROM eq_classes WHERE is_always_live), 8 + (id - 1000000) % 100, NULL FROM unlowered_vars "
		"WHERE id >= 1000000");
	harness_settle(&h);
	harness_type(&h, "tab peak");
	harness_type(&h, "pane-next");
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.rows, 500);
	ck_assert_ptr_nonnull(sheet.wait);
	harness_says(&h, "largest 500 of 60,1");
	harness_type(&h, "search bulk/00000"); /* waits for the others */
	harness_settle(&h);
	ck_assert_str_eq(h.env.message, "hit 1 of 1");
	harness_says(&h, "bulk/00000");
	harness_command(&h, "search bulk/00000"); /* the row under the cursor is one */
	ck_assert_str_eq(h.env.message, "hit 1 of 1");
	harness_says(&h, "bulk/00000");
	harness_command(&h, "search bulk/0000");
	harness_command(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "bulk/00000"));
	harness_command(&h, "search "); /* nothing: the word stays */
	harness_command(&h, "search-next");
	ck_assert(!h.env.message_is_error);
	harness_type(&h, "search no such name");
	harness_type(&h, "pane-previous");
	harness_type(&h, "search fullest"); /* in the list of findings, before that is answered */
	harness_type(&h, "pane-next");
	harness_settle(&h);
	ck_assert_str_eq(h.env.message, "not found: no such name");
	ck_assert(h.env.message_is_error);

	ck_assert(h.view->ops->sheet(h.view, &sheet));
	all = sheet.rows;
	ck_assert_int_gt(all, BULK);
	harness_command(&h, "last");
	harness_says(&h, "    100%"); /* so far */
	ck_assert(!harness_has(&h, "largest 500"));
	ck_assert_int_eq(count_written(), all);

	table_command(TS_CMD_FILTER, "bulk/0000");
	harness_says(&h, "10 of 60,1");
	table_command(TS_CMD_SORT, "variable");
	harness_command(&h, "first");
	ck_assert_int_eq(count_written(), 10);
	harness_command(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "bulk/0000"));
	ck_assert_int_ge(harness_at_cursor(&h).variable, 1000000);
	harness_command(&h, "search-next");
	table_command(TS_CMD_FILTER, "");

	ck_assert_int_eq(h.view->ops->pane_hints(h.view)->cmd, TS_CMD_TICK);
	harness_command(&h, "open"); /* to the list that it stands in */
	ck_assert_ptr_nonnull(strstr(h.env.place, "&tab=always"));

	h.env.reload = TS_RELOAD_SAME;
	h.view->ops->reload(h.view);
	harness_settle(&h);
	harness_draw(&h);
	harness_end(&h);
}
END_TEST

/* More names than are kept: those of the largest are, which is said. */
START_TEST(names_of_the_largest)
{
	begin(120, 38, TS_GLYPHS_FULL,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79999) "
		"INSERT INTO unlowered_vars SELECT 1000000 + i, printf('%01000d', i) FROM n;"
		"INSERT INTO var_bytes_by_eq_class SELECT id, (SELECT id FROM eq_classes WHERE is_always_live), id - 1000000, NULL FROM unlowered_vars WHERE id >= "
		"1000000");
	harness_settle(&h);
	harness_type(&h, "pane-zoom");
	harness_type(&h, "tab peak");
	harness_type(&h, "pane-next");
	harness_settle(&h);
	harness_says(&h, ", names of the largest");
	harness_command(&h, "first");
	harness_command(&h, "search 0079999");
	ck_assert_int_eq(strncmp(h.env.message, "hit 1 of ", 9), 0);
	harness_command(&h, "last");
	harness_command(&h, "copy");
	ck_assert_ptr_nonnull(strstr(h.env.copy, "(no name)"));
	harness_end(&h);
}
END_TEST

START_TEST(units_and_reload)
{
	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_draw(&h); /* before anything was asked */
	h.view->ops->request(h.view);
	harness_says(&h, "FINDINGS");
	harness_settle(&h);
	harness_says(&h, "KiB");
	h.options.units = TS_UNITS_BYTES;
	harness_settle(&h);
	ck_assert(!harness_has(&h, "KiB"));
	harness_command(&h, "down");
	h.env.reload = TS_RELOAD_SAME;
	h.view->ops->reload(h.view);
	harness_draw(&h);
	harness_settle(&h);
	harness_says(&h, "M02");
	h.env.generation++; /* an answer of before is not taken */
	h.env.reload = TS_RELOAD_OTHER;
	h.view->ops->reload(h.view);
	harness_settle(&h);
	harness_end(&h);
}
END_TEST

/* Keys of every kind, anywhere, at sizes of every kind. */
START_TEST(any_keys)
{
	static const char *const lines[] = {"down", "up", "page-down", "last", "first", "pane-next",
		"pane-previous", "tab-next", "tab-previous", "pane-zoom", "open", "copy", "sort",
		"sort-reverse", "search t", "search-next", "search-back 1", "left", "right",
		"filter a", "filter", "goto-memory", "goto-liveness", "mark", "debug"};
	static const struct {
		int w, h;
	} sizes[] = {{120, 40}, {80, 22}, {40, 8}, {3, 2}, {200, 60}, {1, 1}, {300, 9}};
	uint64_t state = 88172645463325252u + (uint64_t)_i;

	begin(100, 30, TS_GLYPHS_FULL, NULL);
	for (int i = 0; i < 250; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (state % 9 == 0)
			harness_resize(&h, sizes[state / 9 % TS_COUNT(sizes)].w,
				sizes[state / 9 % TS_COUNT(sizes)].h);
		else if (state % 5 == 0)
			h.view->ops->mouse(h.view, (int)(state / 5 % 120), (int)(state / 7 % 40),
				(int)(state / 11 % 3) - 1);
		else
			harness_type(&h, lines[state / 9 % TS_COUNT(lines)]);
		harness_draw(&h);
		h.env.place[0] = '\0';
		if (i == 100)
			harness_settle(&h);
	}
	harness_end(&h);
}
END_TEST

/* Exchanges whose code is all on the second IPU: the first one has none, which is known. */
START_TEST(none_is_not_unknown)
{
	begin(120, 60, TS_GLYPHS_FULL,
		/* 160 times 0, 0x101010, 159 times 0 */
		"UPDATE program_type_do_exchange SET code_bytes_by_tile_rle = x'02C0808340209002BE80'");
	harness_settle(&h);
	harness_command(&h, "tab largest");
	harness_says(&h, "IPU 0      exchange code      none");
	harness_says(&h, "IPU 1      exchange code  1.00 MiB");
	ck_assert(!harness_has(&h, "code not known"));
	harness_end(&h);
}
END_TEST

/* x on a variable of Peak, of FP32 and on the model's largest; elsewhere it says where it works. */
START_TEST(ticks)
{
	static const struct {
		const char *tab, *says;
		int count;
	} tabs[] = {{"peak", "removed: ", 1}, {"largest", "no variable here", 0},
		{"tiles", "no variable here: x works in the tabs Peak, FP32, Largest", 0}};

	begin(80, 22, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	harness_command(&h, "pane-next");
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		char command[40];

		ts_what_if_clear(&h.selection.what_if);
		snprintf(command, sizeof(command), "tab %s", tabs[i].tab);
		harness_command(&h, command);
		harness_settle(&h);
		harness_command(&h, "tick");
		ck_assert_msg(strstr(h.env.message, tabs[i].says), "%s", h.env.message);
		ck_assert_int_eq(h.selection.what_if.count, tabs[i].count);
		if (tabs[i].count == 0)
			continue;
		ck_assert_int_le(ts_utf8_columns(h.env.message, strlen(h.env.message)), 78);
		harness_says(&h, " removed");
		harness_command(&h, "tick");
		harness_says(&h, " halved");
		ck_assert(h.selection.what_if.item[0].sure);
	}
	harness_end(&h);
}
END_TEST

/* The chart that is written is that of the pane with the keys: the list of findings has none, and says so. */
START_TEST(charts_of_the_pane)
{
	struct ts_chart_page *page = calloc(1, sizeof(*page));

	ck_assert_ptr_nonnull(page);
	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	ts_chart_page_init(page, 100);
	ck_assert(!h.view->ops->chart(h.view, page));
	ck_assert_str_eq(page->without, "Findings");
	ts_chart_page_fini(page);
	harness_command(&h, "tab tiles");
	harness_command(&h, "pane-next");
	ts_chart_page_init(page, 100);
	ck_assert(h.view->ops->chart(h.view, page));
	ck_assert_str_eq(page->x.title, "memory of a tile");
	ts_chart_page_fini(page);
	free(page);
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_insights");
	TCase *t = tcase_create("insights");
	SRunner *r;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, ticks);
	tcase_add_test(t, none_is_not_unknown);
	tcase_add_loop_test(t, looks, 0, (int)TS_COUNT(screens));
	tcase_add_test(t, places);
	tcase_add_test(t, charts_of_the_pane);
	tcase_add_test(t, sorted_and_filtered);
	tcase_add_test(t, sorted_by_severity);
	tcase_add_loop_test(t, absent, 0, (int)TS_COUNT(gone));
	tcase_add_test(t, same_reason);
	tcase_add_test(t, sum_of_nothing);
	tcase_add_test(t, largest_without_names);
	tcase_add_test(t, own_rules);
	tcase_add_test(t, cursor_stays);
	tcase_add_test(t, all_of_the_peak);
	tcase_add_test(t, names_of_the_largest);
	tcase_add_test(t, units_and_reload);
	tcase_add_loop_test(t, any_keys, 0, 4);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
