/* SPDX-License-Identifier: MIT */
/*
 * The Variables view on a canvas: screens that were looked at and kept, and what its commands do.
 *
 * The report is made here with SQL: 2 IPUs of 40 tiles, 4,000 variables, names of all kinds, sizes and names
 * that are not known. Fetches go through the real queue; what is half made is put there by hand, so
 * that screens are the same every time.
 */
#include "config.h"

#include <ftw.h>
#include <locale.h>
#include <poll.h>
#include <unistd.h>

#include "../unit/index_dir.h"
#include "view_harness.h"

#include "../../src/view/variables_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/prompt.h"

static const char tables[] =
	"CREATE TABLE report(key TEXT, value TEXT);"
	"CREATE TABLE target(type TEXT, architecture TEXT, ipus INTEGER, replicas INTEGER,"
	" tiles_per_ipu INTEGER, bytes_per_tile INTEGER, clock_hz REAL);"
	"INSERT INTO target VALUES('IPU', 'Mk2', 2, 1, 40, 638976, 1.33e9);";

static const char rows[] =
	"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
	"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'vertexInstanceState'), (2, 'stack');"
	"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT,"
	" bytes INTEGER, offset INTEGER, alignment INTEGER, category INTEGER, class INTEGER,"
	" variable INTEGER, always_live INTEGER, element_type TEXT, context INTEGER);"
	"WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 3999)"
	" INSERT INTO lowered_variable SELECT i, i / 50,"
	" CASE WHEN i % 97 = 5 THEN NULL ELSE 'bert/encoder/layer_' || (i % 24) ||"
	" '/attention/self/' || (CASE i % 3 WHEN 0 THEN 'query' WHEN 1 THEN 'key' ELSE 'value' END)"
	" || '/matMul/' || (CASE WHEN i % 7 < 4 THEN 'partials_' ELSE 'weights_' END) || i END,"
	" CASE WHEN i % 331 = 3 THEN NULL ELSE (i * 7919) % 4096 * 4 + (i = 2345) * 90000 END,"
	" (i % 50) * 4096, 8, CASE WHEN i % 5 = 4 THEN 7 ELSE i % 3 END,"
	" CASE WHEN i % 11 = 0 THEN 1000 ELSE i % 400 END, i / 3,"
	" i % 11 = 0, CASE i % 2 WHEN 0 THEN 'half' END, i % 60 FROM i;"
	"UPDATE lowered_variable SET name = 'x' || char(27) || '[31m' || char(8238) || 'y' ||"
	" char(9) || 'z' WHERE id = 3;";

static struct variables_view *
of(const struct harness *h)
{
	return (struct variables_view *)h->view;
}

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs, const char *more)
{
	harness_dir(h);
	harness_rows(h, tables);
	harness_rows(h, more);
	harness_start(h, &ts_view_variables, w, height, glyphs);
	of(h)->chosen = of(h)->other.chosen =
		true; /* as they stand in the report, unless a test says otherwise */
	h->view->ops->request(h->view);
}

/* The number of the row under the cursor in the report, and what it is. */
static const struct ts_variable *
under_cursor(struct harness *h)
{
	const struct ts_variable *x = variables_row(of(h), of(h)->rows.cursor);

	ck_assert_ptr_nonnull(x);
	return x;
}

/* --- screens ---------------------------------------------------------------------------------- */

static const struct {
	const char *name, *first, *second;
	int w, h;
	enum ts_glyphs glyphs;
} screens[] = {
	{"variables_80x22", "down", NULL, 80, 22, TS_GLYPHS_FULL},
	{"variables_40x8", "down", NULL, 40, 8, TS_GLYPHS_FULL},
	{"variables_bytes_200x48", "sort bytes", "goto 2", 200, 48, TS_GLYPHS_FULL},
	{"variables_last_80x22_ascii", "sort name", "last", 80, 22, TS_GLYPHS_ASCII},
	{"variables_filter_120x38", "filter partials bytes>12KiB", "sort tile", 120, 38,
		TS_GLYPHS_FULL},
	{"variables_nothing_80x22", "filter category:nobody", NULL, 80, 22, TS_GLYPHS_FULL},
	{"variables_hits_80x22", "goto 60", "search weights tile:1", 80, 22, TS_GLYPHS_FULL},
};

START_TEST(kept_screens)
{
	struct harness h;

	begin(&h, screens[_i].w, screens[_i].h, screens[_i].glyphs, rows);
	harness_settle(&h);
	harness_command(&h, screens[_i].first);
	if (screens[_i].second)
		harness_command(&h, screens[_i].second);
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

START_TEST(absent)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, "CREATE TABLE tile_memory(tile, total)");
	harness_look(&h, "variables_loading_80x22");
	harness_settle(&h);
	harness_look(&h, "variables_absent_80x22");
	ck_assert(harness_command(&h, "sort bytes") & TS_EFFECT_UNKNOWN);
	harness_end(&h);
}
END_TEST

/* Who has said nothing sees the largest first, of both levels; the address says another order. */
START_TEST(opens_largest_first)
{
	struct harness h;
	const struct ts_variable *x;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	of(&h)->chosen = false;
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->list->sort, TS_SORT_BYTES);
	x = under_cursor(&h);
	ck_assert_int_eq(x->id, 2345);
	harness_command(&h, "sort row");
	harness_settle(&h);
	ck_assert_int_eq(under_cursor(&h)->id, 2345); /* the cursor stays on it */
	ck_assert_int_eq(of(&h)->rows.cursor, 2345);
	h.view->ops->reload(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->list->sort, TS_SORT_ROW);
	harness_end(&h);
}
END_TEST

/* ---- both levels ---- */

/* What lowered variables came from, classes with intervals, and 30 liveness steps. */
static const char levels[] =
	"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name TEXT, bytes INTEGER,"
	" always_live INTEGER, element_type TEXT, context INTEGER);"
	"WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 1333)"
	" INSERT INTO variable SELECT i, 'bert/variable_' || i, 1000 + i % 50, i % 7 = 0,"
	" CASE i % 2 WHEN 0 THEN 'float' END, NULL FROM i;"
	"UPDATE lowered_variable SET variable = CASE WHEN id % 5 = 0 THEN 77 ELSE id / 3 END;"
	"CREATE TABLE class_interval(class INTEGER, start INTEGER, \"end\" INTEGER);"
	"INSERT INTO class_interval SELECT id, id % 20, id % 20 + 5 FROM lowered_variable"
	" WHERE id < 300;"
	"INSERT INTO class_interval SELECT id, 27, 29 FROM lowered_variable WHERE id < 100;"
	"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, program INTEGER,"
	" not_always_live INTEGER);"
	"WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 29)"
	" INSERT INTO liveness_step SELECT i, NULL, 100 FROM i;"
	"CREATE TABLE liveness_variable(variable INTEGER, start INTEGER, \"end\" INTEGER);"
	"INSERT INTO liveness_variable SELECT variable, variable % 9, variable % 9 + 12"
	" FROM variable WHERE variable % 3 = 0;";

static void
begin_levels(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	harness_dir(h);
	harness_rows(h, tables);
	harness_rows(h, rows);
	harness_rows(h, levels);
	harness_start(h, &ts_view_variables, w, height, glyphs);
	of(h)->chosen = of(h)->other.chosen = true;
	harness_settle(h);
}

static const struct {
	const char *name, *commands[3];
	int w, h;
	enum ts_glyphs glyphs;
} level_screens[] = {
	{"variables_unlowered_80x22", {"level", "sort tiles", "mark"}, 80, 22, TS_GLYPHS_FULL},
	{"variables_unlowered_200x48", {"level unlowered", "filter steps>11 or tiles>2", "goto 3"},
		200, 48, TS_GLYPHS_FULL},
	{"variables_unlowered_80x22_ascii", {"level", "sort from", NULL}, 80, 22, TS_GLYPHS_ASCII},
	{"variables_lives_120x38", {"sort steps", "goto 2", "mark"}, 120, 38, TS_GLYPHS_FULL},
};

START_TEST(both_levels)
{
	struct harness h;

	begin_levels(&h, level_screens[_i].w, level_screens[_i].h, level_screens[_i].glyphs);
	for (int i = 0; i < 3 && level_screens[_i].commands[i]; i++)
		harness_command(&h, level_screens[_i].commands[i]);
	harness_look(&h, level_screens[_i].name);
	harness_end(&h);
}
END_TEST

/* There and back: each level keeps its filter, its order and its row. */
START_TEST(levels_keep_their_place)
{
	struct harness h;

	begin_levels(&h, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "filter tile:3-20");
	harness_command(&h, "goto 9");
	harness_command(&h, "level");
	ck_assert(!of(&h)->v->lowered);
	ck_assert_int_eq(of(&h)->rows.count, 1334);
	harness_command(&h, "sort fullest");
	ck_assert_int_eq(under_cursor(&h)->variable, 77);
	ck_assert_int_eq(under_cursor(&h)->tiles, 80);
	harness_command(&h, "goto 5");
	harness_command(&h, "level lowered");
	ck_assert_str_eq(of(&h)->list->filter.line, "tile:3-20");
	ck_assert_int_eq(of(&h)->rows.cursor, 8);
	harness_command(&h, "level unlowered");
	ck_assert_int_eq(of(&h)->list->sort, TS_SORT_FULLEST);
	ck_assert_int_eq(of(&h)->rows.cursor, 4);
	ck_assert(harness_command(&h, "filter tile:3") & TS_EFFECT_BELL);
	ck_assert_ptr_nonnull(strstr(h.env.message, "before lowering"));
	harness_end(&h);
}
END_TEST

/* From a variable to its pieces, their tile and the begin of their life. */
START_TEST(jumps)
{
	struct harness h;

	begin_levels(&h, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "level");
	harness_command(&h, "filter variable:77");
	ck_assert_int_eq(harness_at_cursor(&h).live_step, under_cursor(&h)->from);
	ck_assert_int_eq(harness_at_cursor(&h).tile, under_cursor(&h)->fullest_tile);
	ck_assert_int_eq(harness_at_cursor(&h).variable, 77);
	harness_command(&h, "open");
	ck_assert(of(&h)->v->lowered);
	ck_assert_int_eq(of(&h)->rows.count, 803);
	ck_assert_int_eq(under_cursor(&h)->variable, 77);
	harness_command(&h, "goto 11");
	harness_command(&h, "open");
	ck_assert_int_eq(h.env.go, TS_CMD_GOTO_MEMORY);
	ck_assert_int_eq(h.selection.tile, under_cursor(&h)->tile);
	ck_assert_int_eq(harness_at_cursor(&h).address, under_cursor(&h)->offset);
	harness_end(&h);
}
END_TEST

/* Marks are of rows, not of places in the list: other views know row ids alone. */
START_TEST(marks_are_of_row_ids)
{
	struct ts_marked_variable v = {.lowered = true, .variable = -1, .row = 7};
	struct harness h;

	harness_dir(&h);
	harness_rows(&h, tables);
	harness_rows(&h, rows);
	harness_rows(&h,
		"DELETE FROM lowered_variable WHERE id >= 40;"
		"UPDATE lowered_variable SET id = 100 + id;"
		"UPDATE lowered_variable SET id = (id - 100) * 2 + 1, name = 'row ' || (id * 2 - 199);");
	harness_start(&h, &ts_view_variables, 80, 22, TS_GLYPHS_FULL);
	of(&h)->chosen = of(&h)->other.chosen = true;
	harness_settle(&h);
	ck_assert(ts_marked_toggle(&h.selection.marked, &v));
	harness_command(&h, "sort id");
	harness_command(&h, "goto 4");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 0);
	harness_command(&h, "mark");
	harness_command(&h, "goto 6");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 2);
	ck_assert_str_eq(h.selection.marked.item[1].name, "row 11");
	ck_assert_int_eq(h.selection.marked.item[1].row, 11);
	harness_end(&h);
}
END_TEST

START_TEST(marks)
{
	struct harness h;

	begin_levels(&h, 80, 22, TS_GLYPHS_FULL);
	harness_command(&h, "mark");
	harness_command(&h, "down");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 2);
	ck_assert_int_eq(h.selection.marked.item[1].id, 1);
	ck_assert(h.selection.marked.item[1].lowered);
	ck_assert_ptr_nonnull(strstr(h.selection.marked.item[1].name, "partials_1"));
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 1);
	harness_command(&h, "level");
	harness_command(&h, "mark");
	ck_assert_int_eq(h.selection.marked.count, 2);
	ck_assert(!h.selection.marked.item[1].lowered);
	for (int i = 0; i < TS_MARKED_VARIABLES; i++) {
		harness_command(&h, "down");
		harness_command(&h, "mark");
	}
	ck_assert_int_eq(h.selection.marked.count, TS_MARKED_VARIABLES);
	ck_assert(h.env.message_is_error);
	harness_command(&h, "marks-clear");
	ck_assert_int_eq(h.selection.marked.count, 0);
	harness_end(&h);
}
END_TEST

static int
completions(struct harness *h, const char *line, const char *wanted)
{
	static struct ts_candidates c;
	int found = 0;

	c.count = 0;
	h->view->ops->complete(h->view, TS_CMD_FILTER, line, &c);
	for (int i = 0; i < c.count; i++)
		found += strcmp(c.text[i], wanted) == 0;
	return found;
}

START_TEST(completion)
{
	struct harness h;

	begin_levels(&h, 80, 22, TS_GLYPHS_FULL);
	ck_assert_int_eq(completions(&h, "ti", "tiles>"), 1);
	ck_assert_int_eq(completions(&h, "size>3 and (al", "alive:"), 1);
	ck_assert_int_eq(completions(&h, "size>3 and (al", "always_live"), 1);
	ck_assert_int_eq(completions(&h, "not category=ver", "category=vertexInstanceState"), 1);
	ck_assert_int_eq(completions(&h, "category:st", "category:stack"), 1);
	ck_assert_int_eq(completions(&h, "always_live=", "always_live=no"), 1);
	ck_assert_int_eq(completions(&h, "always=", "always_live=no"), 0);
	ck_assert_int_eq(completions(&h, "type=fp", "type=fp16"), 1);
	ck_assert_int_eq(completions(&h, "type:b", "type:bool"), 1);
	ck_assert_int_eq(completions(&h, "tile=", "type=fp16"), 0);
	ck_assert_int_eq(completions(&h, "tile in ", "worst("), 1);
	ck_assert_int_eq(completions(&h, "x tile in (se", "selected"), 1);
	ck_assert_int_eq(completions(&h, "in w", "worst("), 0);
	harness_command(&h, "level");
	ck_assert_int_eq(completions(&h, "cat", "category:"), 0);
	ck_assert_int_eq(completions(&h, "bal", "balance<"), 1);
	harness_end(&h);
}
END_TEST

/* All rows of the list, for a file. */
START_TEST(rows_for_files)
{
	struct ts_row_source *source;
	struct ts_reader *rd;
	struct ts_sheet sheet;
	struct harness h;
	int64_t n = 0, bytes = 0;
	int column = -1;
	bool more, steps = false;

	begin_levels(&h, 80, 24, TS_GLYPHS_FULL);
	harness_command(&h, "filter bytes>=8KiB and name~weights");
	memset(&sheet, 0, sizeof(sheet));
	ck_assert(h.view->ops->sheet(h.view, &sheet));
	ck_assert_ptr_null(sheet.wait);
	for (int i = 0; i < sheet.table.columns; i++) /* whatever fits on the screen */
		steps |= strcmp(ts_table_column_name(&sheet.table, i), "steps") == 0 &&
			ts_table_column_wanted(&sheet.table, i);
	ck_assert(steps);
	for (int i = 0; i < sheet.table.columns; i++)
		if (strcmp(ts_table_column_name(&sheet.table, i), "bytes") == 0)
			column = i;
	ck_assert_int_ge(column, 0);
	source = sheet.source(h.view);
	ck_assert_ptr_nonnull(source);
	ck_assert_int_eq(ts_reader_open(&rd, h.env.report, NULL), TS_OK);
	for (;;) {
		struct ts_table_value v[TS_TABLE_COLUMNS];

		memset(v, 0, sizeof(v));
		ck_assert_int_eq(source->next(source, rd, v, &more, NULL), TS_OK);
		if (!more)
			break;
		n++;
		ck_assert_int_eq(v[column].type, TS_VALUE_INTEGER);
		ck_assert_int_ge(v[column].integer, 8192);
		bytes += v[column].integer;
	}
	ck_assert_int_eq(n, of(&h)->rows.count);
	{
		struct ts_table_value v[TS_TABLE_COLUMNS];

		memset(v, 0, sizeof(v));
		ck_assert(source->total(source, v));
		ck_assert_int_eq(v[column].integer, bytes);
	}
	source->free(source);
	ts_reader_close(rd);
	harness_end(&h);
}
END_TEST

/* An order that is half made: its first rows, and how far it is. */
START_TEST(half_made)
{
	struct ts_variable_list *l;
	struct ts_variable_top *top = ts_alloc(1, sizeof(*top));
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	l = ts_variable_list_new(of(&h)->v, TS_SORT_BYTES, false, NULL);
	ck_assert(l && top);
	of(&h)->wish.sort = TS_SORT_BYTES;
	of(&h)->making = l;
	atomic_store(&l->scanned, 1800);
	h.view->ops->request(h.view);
	harness_settle(&h);
	harness_look(&h, "variables_sorting_80x22"); /* nothing to show yet: the old rows stay */
	for (top->count = 0; top->count < 900; top->count++)
		top->place[top->count] = 2 * top->count;
	atomic_store(&l->top, top);
	atomic_fetch_add(&l->version, 1);
	h.view->ops->request(h.view);
	harness_settle(&h);
	harness_look(&h, "variables_partial_80x22");
	ck_assert_int_eq(of(&h)->rows.count, 900);
	harness_end(&h);
}
END_TEST

/* A filter that waits is not applied, and nothing is said to be missing before all was looked at. */
START_TEST(filter_waits)
{
	struct ts_filter f;
	struct ts_err err = {0};
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	ck_assert_int_eq(ts_filter_parse(&f, "bytes>90KiB tile:79", ts_variable_fields, NULL, &err),
		TS_OK);
	of(&h)->wish.filter = f;
	of(&h)->making = ts_variable_list_new(of(&h)->v, TS_SORT_ROW, false, &f);
	ck_assert_ptr_nonnull(of(&h)->making);
	h.view->ops->request(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->rows.count, 4000);
	harness_look(&h, "variables_waiting_80x22");
	atomic_store(&of(&h)->making->scanned, 1800);
	h.view->ops->request(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->rows.count, 0);
	harness_look(&h, "variables_none_yet_80x22");
	harness_end(&h);
}
END_TEST

/* --- commands --------------------------------------------------------------------------------- */

START_TEST(goes_anywhere)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	h.selection.tile =
		7; /* that Memory looks at, and goes on to as long as nothing is done here */
	harness_settle(&h);
	ck_assert_int_eq(h.selection.tile, 7);
	harness_command(&h, "goto 3000");
	ck_assert_int_eq(under_cursor(&h)->id, 2999);
	ck_assert_int_eq(h.selection.tile, 2999 / 50);
	ck_assert_int_eq(h.selection.ipu, 1);
	harness_command(&h, "last");
	ck_assert_int_eq(under_cursor(&h)->id, 3999);
	harness_command(&h, "first");
	ck_assert_int_eq(under_cursor(&h)->id, 0);
	ck_assert(harness_command(&h, "goto 4001") & TS_EFFECT_BELL);
	ck_assert_str_eq(h.env.message, "rows go from 1 to 4,000");
	ck_assert(harness_command(&h, "goto 0") & TS_EFFECT_BELL);
	harness_command(&h, "open");
	ck_assert_int_eq(h.env.go, TS_CMD_GOTO_MEMORY);
	harness_command(&h, "copy");
	ck_assert_str_eq(h.env.copy,
		"bert/encoder/layer_0/attention/self/query/matMul/partials_0\t0\t0\tvariable");
	harness_end(&h);
}
END_TEST

START_TEST(sorts_and_filters)
{
	static const enum ts_variable_sort along[] = {TS_SORT_CATEGORY, TS_SORT_OFFSET,
		TS_SORT_NAME, TS_SORT_ROW, TS_SORT_TILE, TS_SORT_BYTES};
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "sort bytes");
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_command(&h, "sort-reverse");
	ck_assert_int_eq(under_cursor(&h)->bytes, 0);
	harness_command(&h, "last"); /* of unknown size: at the end in both directions */
	ck_assert_int_eq(under_cursor(&h)->bytes, TS_UNKNOWN);
	harness_command(&h, "filter tile:7 bytes>8000");
	ck_assert_int_eq(under_cursor(&h)->tile, 7);
	ck_assert_int_gt(of(&h)->rows.count, 0);
	ck_assert_int_lt(of(&h)->rows.count, 50);
	harness_command(&h, "sort row"); /* the variable stays under the cursor */
	harness_command(&h, "goto 3");
	{
		int64_t id = under_cursor(&h)->id;

		harness_command(&h, "filter");
		ck_assert_int_eq(under_cursor(&h)->id, id);
		ck_assert_int_eq(of(&h)->rows.cursor, id);
	}
	ck_assert(harness_command(&h, "sort colour") & TS_EFFECT_BELL);
	ck_assert(h.env.message_is_error);
	ck_assert(harness_command(&h, "filter tile:") & TS_EFFECT_BELL);
	ck_assert_ptr_nonnull(strstr(h.env.message, "tile:12"));
	harness_command(&h, "sort size"); /* the other name of a field */
	ck_assert_int_eq(of(&h)->list->sort, TS_SORT_BYTES);
	for (size_t i = 0; i < TS_COUNT(along); i++) { /* along the columns from the left */
		harness_command(&h, "sort");
		ck_assert_int_eq(of(&h)->list->sort, along[i]);
	}
	harness_end(&h);
}
END_TEST

/* Tiles that are selected do not narrow the list unless the filter says so: it is said which of both it is. */
START_TEST(says_that_all_tiles_are_listed)
{
	static const struct {
		const char *command;
		bool all;
	} cases[] = {{"filter bytes>8000", true}, {"filter tile in selected", false},
		{"filter ipu=0", false}};
	struct ts_tile_set set;
	struct harness h;

	begin(&h, 120, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "filter bytes>8000");
	ck_assert(!harness_has(&h, "of all tiles"));
	ck_assert(ts_tile_set_init(&set, 128));
	ts_tile_set_add(&set, 3, 9);
	ts_select_tiles(&h.selection, &set, NULL);
	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		harness_command(&h, cases[i].command);
		harness_settle(&h);
		ck_assert_msg(harness_has(&h, "of all tiles") == cases[i].all, "%s",
			cases[i].command);
	}
	ts_select_no_tiles(&h.selection);
	harness_end(&h);
}
END_TEST

START_TEST(searches)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "search-next");
	ck_assert_str_eq(h.env.message, "nothing was searched for yet");
	harness_command(&h, "search matMul/partials_350");
	ck_assert_int_eq(under_cursor(&h)->id, 350);
	harness_command(&h, "search-next"); /* 3501: `partials_350` is a part of that, too */
	ck_assert_int_eq(under_cursor(&h)->id, 3500);
	harness_command(&h, "search-previous");
	ck_assert_int_eq(under_cursor(&h)->id, 350);
	harness_command(&h, "search bytes>90000");
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_command(&h, "search nowhere");
	ck_assert(h.env.message_is_error);
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_end(&h);
}
END_TEST

/* Keys for the next hit that come before the one before it is found are counted from there. */
START_TEST(hits_typed_ahead)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "goto 1");
	harness_type(&h, "search matMul/partials_350");
	harness_type(&h, "search-next");
	harness_type(&h, "search-next");
	harness_type(&h, "search-previous");
	harness_settle(&h);
	ck_assert_int_eq(under_cursor(&h)->id, 3500);
	harness_type(&h, "search-previous");
	harness_type(&h, "search-previous");
	harness_settle(&h);
	ck_assert_int_ne(under_cursor(&h)->id, 3500);
	ck_assert_int_ne(under_cursor(&h)->id, 350); /* the last one */
	harness_end(&h);
}
END_TEST

/* Among rows that a filter has left, hits are those of them. */
START_TEST(hits_among_the_rows_shown)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "filter tile:0-9");
	harness_command(&h, "search query");
	ck_assert_ptr_nonnull(strstr(h.env.message, " the rows shown that match \"query\""));
	{
		int64_t n = 0, before = 0;
		long long number, of_all;

		for (int64_t i = 0; i < of(&h)->list->count; i++) {
			bool is = ts_variable_list_has(of(&h)->hits,
				ts_variable_list_place(of(&h)->list, i));

			n += is;
			before += is && i < of(&h)->rows.cursor;
		}
		ck_assert_int_eq(n, ts_variable_list_common(of(&h)->list, of(&h)->hits));
		ck_assert_int_eq(sscanf(h.env.message, "hit %lld of %lld", &number, &of_all), 2);
		ck_assert_int_eq(number, before + 1);
		ck_assert_int_eq(of_all, n);
		ck_assert_int_lt(n, of(&h)->hits->count);
	}
	harness_end(&h);
}
END_TEST

/* An order as variable_order.c keeps it, whole and with its checksums, of rows that there are not. */
static void
forge_an_order(struct harness *h, const struct ts_cache *cache)
{
	struct {
		uint64_t version;
		int64_t rows, known, width, all_bytes, unsized, names;
	} head = {3, of(h)->v->rows, of(h)->v->rows, 4, 1, 0, 0};
	struct ts_section_writer *w;
	struct ts_err err;
	void *places;

	ck_assert_msg(ts_section_create(&w, cache, h->env.report, TS_SECTION_ORDER_BYTES, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(ts_section_append(w, NULL, &head, sizeof(head), NULL), TS_OK);
	ck_assert_int_eq(ts_section_room(w, NULL, &places, (size_t)head.rows * 4, NULL), TS_OK);
	memset(places, 0xff, (size_t)head.rows * 4);
	ck_assert_int_eq(ts_section_commit(w, NULL), TS_OK);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int64_t
first_of_list(const struct harness *h)
{
	ck_assert_ptr_nonnull(of(h)->list);
	ck_assert_int_eq(of(h)->list->sort, TS_SORT_BYTES);
	ck_assert(atomic_load(&of(h)->list->ready));
	return ts_variable_list_place(of(h)->list, 0);
}

START_TEST(an_order_of_rows_that_are_not_there)
{
	struct harness h;
	struct ts_cache cache;
	char dir[REPORT_DIR];
	int64_t largest;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "sort bytes");
	largest = first_of_list(&h);
	report_dir_make(dir);
	ck_assert_int_eq(ts_cache_init(&cache, dir, INT64_MAX, NULL), TS_OK);
	forge_an_order(&h, &cache);
	h.env.cache = &cache;
	h.env.log = ts_log_new();
	for (int again = 0; again < 2; again++) { /* the second time it is kept, and true */
		harness_command(&h, "sort row");
		h.view->ops->reload(h.view);
		h.env.generation++;
		h.view->ops->request(h.view);
		harness_settle(&h);
		harness_command(&h, "sort bytes");
		ck_assert_int_eq(first_of_list(&h), largest);
		ck_assert_int_eq(under_cursor(&h)->place, largest);
		ck_assert_int_eq(of(&h)->untrue != 0, again == 0);
	}
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	harness_end(&h);
	ts_log_free(h.env.log);
	ts_cache_fini(&cache);
}
END_TEST

/* Rows that are missing are noticed in a window; the list is then counted, and is right. */
START_TEST(gaps)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_sql(&h, "DELETE FROM vars_info WHERE var_id % 10 = 3");
	ts_report_close(h.env.report);
	harness_open(&h);
	h.env.generation++;
	h.view->ops->reload(h.view);
	h.view->ops->request(h.view);
	harness_settle(&h);
	ck_assert_int_eq(of(&h)->rows.count, 3600);
	harness_command(&h, "goto 3590");
	ck_assert_int_eq(under_cursor(&h)->id, 3589 / 9 * 10 + 3589 % 9 + (3589 % 9 >= 3));
	harness_command(&h, "sort bytes");
	ck_assert_int_eq(under_cursor(&h)->id, 2345);
	harness_end(&h);
}
END_TEST

/* A report that is read again: the place, the order and the filter stay. */
START_TEST(reload)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, rows);
	harness_settle(&h);
	harness_command(&h, "filter weights");
	harness_command(&h, "sort bytes");
	harness_command(&h, "goto 100");
	{
		int64_t id = under_cursor(&h)->id;

		h.env.generation++;
		h.view->ops->reload(h.view);
		h.view->ops->request(h.view);
		harness_settle(&h);
		ck_assert_int_eq(under_cursor(&h)->id, id);
	}
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view variables");
	TCase *t = tcase_create("screens");
	SRunner *run;
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, both_levels, 0, (int)TS_COUNT(level_screens));
	tcase_add_test(t, levels_keep_their_place);
	tcase_add_test(t, jumps);
	tcase_add_test(t, marks);
	tcase_add_test(t, marks_are_of_row_ids);
	tcase_add_test(t, completion);
	tcase_add_test(t, rows_for_files);
	tcase_add_loop_test(t, kept_screens, 0, TS_COUNT(screens));
	tcase_add_test(t, absent);
	tcase_add_test(t, opens_largest_first);
	tcase_add_test(t, half_made);
	tcase_add_test(t, filter_waits);
	tcase_add_test(t, goes_anywhere);
	tcase_add_test(t, sorts_and_filters);
	tcase_add_test(t, says_that_all_tiles_are_listed);
	tcase_add_test(t, searches);
	tcase_add_test(t, hits_typed_ahead);
	tcase_add_test(t, hits_among_the_rows_shown);
	tcase_add_test(t, an_order_of_rows_that_are_not_there);
	tcase_add_test(t, gaps);
	tcase_add_test(t, reload);
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
