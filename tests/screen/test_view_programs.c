/* SPDX-License-Identifier: MIT */
/*
 * The Programs view on a canvas: the tree at every size, opened, in the order of costs, above a threshold; search by text and by
 * structure; what is not recorded; circles; keys of any kind.
 */
#include "config.h"

#include <locale.h>

#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/report/program_find.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/programs.h"
#include "tilescope/view/sheet.h"

static struct harness h;

static void
begin(int w, int height, enum ts_glyphs glyphs, const char *sql)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 2,
		.tiles = 40,
		.steps = 200,
		.variables = 1200};

	harness_demo(&h, &o);
	if (sql) {
		harness_loosen(&h);
		harness_sql(&h, sql);
	}
	harness_start(&h, &ts_view_programs, w, height, glyphs);
}

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *keys[8];
} screens[] = {
	{"programs-80", 80, 22, TS_GLYPHS_FULL, {"down", "open", "down", 0}},
	{"programs-120", 120, 38, TS_GLYPHS_FULL, {"sort", "first", "unfold", "down", "down", 0}},
	{"programs-200", 200, 58, TS_GLYPHS_FULL,
		{"search DoExchange under Repeat where code>1", "search-next", 0}},
	{"programs-ascii", 80, 22, TS_GLYPHS_ASCII, {"down", "unfold", "pane-next", "down", 0}},
	{"programs-filter-80", 80, 22, TS_GLYPHS_FULL,
		{"filter type=DoExchange where cycles>1000", 0}},
	{"programs-code-120", 120, 38, TS_GLYPHS_FULL,
		{"search type=DoExchange where own_code>1", "tab code", "pane-next", "down", 0}},
	{"programs-vertices-120", 120, 38, TS_GLYPHS_FULL,
		{"search type=OnTileExecute", "tab vertices", "pane-next", "down", 0}},
	{"programs-cycles-80", 80, 22, TS_GLYPHS_FULL,
		{"search type=OnTileExecute", "tab cycles", 0}},
	{"programs-path-80", 80, 22, TS_GLYPHS_FULL, {"search type=OnTileExecute", "tab path", 0}},
	{"programs-steps-120", 120, 38, TS_GLYPHS_FULL,
		{"search type=OnTileExecute", "tab steps", "pane-next", "down", 0}},
	{"programs-40", 40, 8, TS_GLYPHS_BASIC, {0}},
};

START_TEST(looks)
{
	begin(screens[_i].w, screens[_i].h, screens[_i].glyphs, NULL);
	harness_settle(&h);
	for (int i = 0; screens[_i].keys[i]; i++) {
		harness_command(&h, screens[_i].keys[i]);
		harness_settle(&h);
	}
	harness_look(&h, screens[_i].name);
	harness_end(&h);
}
END_TEST

static int64_t
rows(void)
{
	struct ts_sheet sheet = {0};

	ck_assert(ts_view_programs.sheet(h.view, &sheet));
	return sheet.rows;
}

static void
command(const char *line)
{
	harness_command(&h, line);
	harness_settle(&h);
}

/* Vertex types without names have their numbers, and that there are none is said. */
START_TEST(vertices_without_names)
{
	begin(80, 22, TS_GLYPHS_FULL, "DROP TABLE vertex_types");
	harness_settle(&h);
	command("search type=OnTileExecute");
	command("tab vertices");
	harness_says(&h, "vertex type ");
	harness_says(&h, "; vertex names not recorded");
	harness_end(&h);
}
END_TEST

/* Rows come and go; the threshold leaves out what costs little; the cursor stays on its program. */
START_TEST(rows_open_and_fold)
{
	int64_t folded, all, opened;
	char place[80];

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	command("fold");
	folded = rows();
	command("down");
	command("unfold");
	all = rows();
	ck_assert_int_gt(all, folded);
	command("goto 12");
	command("copy");
	snprintf(place, sizeof(place), "%.79s", h.env.copy);
	ck_assert_ptr_nonnull(strstr(place, "12 "));
	opened = rows();
	command("sort");
	ck_assert_int_eq(rows(), opened); /* what is open stays so */
	command("copy");
	ck_assert_str_eq(place, h.env.copy);
	command("threshold 5%");
	command("copy");
	ck_assert_str_eq(place, h.env.copy);
	command("down");
	command("unfold");
	ck_assert_int_lt(rows(), all);
	harness_says(&h, "from 5% on");
	command("search DoExchange");
	harness_settle(&h);
	harness_says(&h, " found, from 5% on");
	h.env.message[0] = '\0';
	command("threshold apples");
	ck_assert_str_ne(h.env.message, "");
	command("threshold 0");
	harness_end(&h);
}
END_TEST

/* The program of each row, and the exact value of a column. */
static int64_t
row_value(int64_t row, const char *name)
{
	struct ts_sheet sheet = {0};
	struct ts_table_value v = {0};
	int column = 0;

	ck_assert(ts_view_programs.sheet(h.view, &sheet));
	while (column < sheet.table.columns &&
		strcmp(ts_table_column_name(&sheet.table, column), name) != 0)
		column++;
	ck_assert(sheet.table.value(sheet.table.ctx, row, column, &v));
	return v.type == TS_VALUE_INTEGER ? v.integer : -1;
}

/* o O mean what they mean everywhere; the first column is the costs, behind the last siblings stand as they run. */
START_TEST(sorts_siblings)
{
	int64_t plain[8], first[8];
	int turns = 0;

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	command("fold");
	for (int i = 0; i < 8; i++)
		plain[i] = row_value(i, "program");
	command("sort");
	ck_assert_str_eq(h.env.message, "sorted by cycles");
	ck_assert(harness_has(&h, "dearest first"));
	for (int i = 0; i < 7; i++)
		ck_assert_int_ge(row_value(i, "cycles"), row_value(i + 1, "cycles"));
	command("sort-reverse");
	ck_assert(!harness_has(&h, "dearest first"));
	for (int i = 0; i < 7; i++)
		ck_assert_int_le(row_value(i, "cycles"), row_value(i + 1, "cycles"));
	command("sort live");
	for (int i = 0; i < 7; i++)
		ck_assert_int_ge(row_value(i, "live"), row_value(i + 1, "live"));
	command("sort program");
	for (int i = 0; i < 7; i++)
		ck_assert_int_gt(row_value(i, "program"), row_value(i + 1, "program"));
	command("sort apples");
	ck_assert(h.env.message_is_error);
	command("sort row");
	ck_assert_str_eq(h.env.message, "as they run");
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(row_value(i, "program"), plain[i]);
	do {
		command("sort");
		turns++;
	} while (strcmp(h.env.message, "as they run") != 0 && turns < 40);
	ck_assert_int_gt(turns, 9);
	ck_assert_int_lt(turns, 20);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(row_value(i, "program"), plain[i]);
	for (const struct ts_view_arg *a = ts_view_programs.args; a->name; a++) {
		struct ts_strbuf say;

		if (strcmp(a->name, "order") != 0)
			continue;
		ts_strbuf_init(&say, 100);
		ck_assert(!a->get(h.view, &say));
		ck_assert_int_eq(a->set(h.view, "-cycles"), TS_ARG_DONE);
		ck_assert(a->get(h.view, &say));
		ck_assert_str_eq(say.s, "-cycles");
		ck_assert_int_eq(a->set(h.view, "apples"), TS_ARG_NO);
		ts_strbuf_fini(&say);
	}
	for (int i = 0; i < 8; i++)
		first[i] = row_value(i, "cycles");
	for (int i = 0; i < 7; i++)
		ck_assert_int_ge(first[i], first[i + 1]);
	harness_end(&h);
}
END_TEST

/* n goes round; what is wrong in a line is said; Enter on nothing found is no harm. */
START_TEST(searches)
{
	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	command("search matMul");
	ck_assert_ptr_nonnull(strstr(h.env.message, " of "));
	command("search-next");
	command("search-previous");
	command("search type=Nothing");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no program"));
	command("search colour>3");
	ck_assert(h.env.message_is_error);
	command("search a under");
	ck_assert(h.env.message_is_error);
	command("search (a+)+b$ under name~(a+)+b$");
	harness_end(&h);
}
END_TEST

/* A filter leaves what answers and what leads there; the total is of what answers; & alone brings all again. */
START_TEST(filters)
{
	struct ts_sheet sheet = {0};
	struct ts_table_value v = {0};
	int64_t all, exchanges;

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	exchanges = harness_number(&h, "SELECT count(*) FROM program WHERE type = 'DoExchange'");
	harness_settle(&h);
	command("first");
	command("unfold");
	all = rows();
	command("filter type=DoExchange");
	ck_assert(ts_view_programs.sheet(h.view, &sheet));
	ck_assert(sheet.table.value(sheet.table.ctx, TS_TABLE_TOTAL, 13, &v));
	ck_assert_int_eq(v.integer, exchanges);
	command("first");
	command("unfold");
	ck_assert_int_gt(rows(), 5);
	command("search OnTileExecute");
	ck_assert(h.env.message_is_error);
	command("filter type=Nothing");
	ck_assert_int_eq(rows(), 0);
	command("filter colour>3");
	ck_assert(h.env.message_is_error);
	ck_assert_int_eq(rows(), 0);
	command("filter");
	command("first");
	command("unfold");
	ck_assert_int_eq(rows(), all);
	harness_end(&h);
}
END_TEST

/* & and / know one language: what something above calls, as a recursive query has it. */
START_TEST(filters_by_structure)
{
	static const struct {
		const char *line, *above, *where;
	} lines[] = {{"type=DoExchange under type=Repeat", "above.type = 'Repeat'",
			     "p.type = 'DoExchange'"},
		{"type=OnTileExecute under (name~layer_1 children>0) where uses=1",
			"above.name LIKE '%layer_1%' AND EXISTS (SELECT 1 FROM program_child c WHERE c.parent = "
			"above.program)",
			"p.type = 'OnTileExecute' AND (SELECT count(*) FROM program_child c WHERE c.child = "
			"p.program) + (SELECT count(*) FROM program_root r WHERE r.program = p.program) = 1"},
		{"type=Sync under type=Sync", "above.type = 'Sync'", "p.type = 'Sync'"}};
	char line[200], says[60];

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	for (size_t i = 0; i < TS_COUNT(lines); i++) {
		int64_t n = harness_number(&h,
			"WITH RECURSIVE below(program) AS (SELECT child FROM program_child WHERE parent IN "
			"(SELECT above.program FROM program above WHERE %s) UNION SELECT child FROM "
			"program_child, below WHERE parent = below.program) SELECT count(*) FROM program p "
			"WHERE p.program IN below AND %s",
			lines[i].above, lines[i].where);

		snprintf(line, sizeof(line), "search %s", lines[i].line);
		command(line);
		snprintf(says, sizeof(says), " of %lld program", (long long)n);
		ck_assert_msg(strstr(h.env.message, n ? says : "no program has it") != NULL,
			"%s: %s, not %lld", line, h.env.message, (long long)n);
		snprintf(line, sizeof(line), "filter %s", lines[i].line);
		command(line);
		snprintf(says, sizeof(says), "%lld program%s", (long long)n, n == 1 ? "" : "s");
		ck_assert_str_eq(h.env.message, says);
		command("filter");
	}
	harness_end(&h);
}
END_TEST

START_TEST(leads_elsewhere)
{
	struct ts_at_cursor o;
	int64_t set;

	begin(120, 38, TS_GLYPHS_FULL, NULL);
	harness_settle(&h);
	command("search type=OnTileExecute steps>0");
	o = harness_at_cursor(&h);
	ck_assert(o.program >= 0 && o.compute_set >= 0 && o.tile >= 0);
	ck_assert_int_eq(o.step,
		harness_number(&h, "SELECT min(step) FROM step WHERE program = %lld",
			(long long)o.program));
	ck_assert_int_eq(o.live_step,
		harness_number(&h, "SELECT min(live_step) FROM liveness_step WHERE program = %lld",
			(long long)o.program));
	set = harness_number(&h, "SELECT max(compute_set) FROM program");
	for (const struct ts_view_arg *a = ts_view_programs.args; a->name; a++) {
		char value[24];

		if (strcmp(a->name, "compute_set") != 0)
			continue;
		snprintf(value, sizeof(value), "%lld", (long long)set);
		ck_assert_int_eq(a->set(h.view, value), TS_ARG_DONE);
		ck_assert_int_eq(a->set(h.view, "99999999"), TS_ARG_NO);
	}
	command("copy");
	ck_assert_int_eq(atoll(h.env.copy),
		harness_number(&h, "SELECT min(program) FROM program WHERE compute_set = %lld",
			(long long)set));
	harness_end(&h);
}
END_TEST

/* The programs that `where` says have n children. */
#define BODIES(n, where, child)                                                            \
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " #n \
	") UPDATE programs SET children = (SELECT pack_list(NULL, i, " child               \
	") FROM n) WHERE " where

/* Programs up to n, each of which calls the next one. */
#define CHAIN(n)                                                                                      \
	"DELETE FROM programs WHERE id > 0; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 " \
	"FROM n WHERE i < " #n                                                                        \
	") INSERT INTO programs(compilation_step_id, id, variant, children) "                         \
	"SELECT compilation_step_id, i, 1, (SELECT pack_list(NULL, 0, x.next) FROM (SELECT i + 1 AS " \
	"next) x) FROM n, programs WHERE id = 0"

/* They call each other. */
#define CIRCLE                                                                                           \
	"UPDATE programs SET children = CAST(coalesce(children, x'') || x'8194' AS BLOB) WHERE id = 20;" \
	"UPDATE programs SET children = CAST(coalesce(children, x'') || x'94' AS BLOB) WHERE id = 1"

/* What is missing, or nonsense, one after the other: something is drawn, nothing breaks. */
static const char *const broken[] = {
	"ALTER TABLE programs DROP COLUMN children",
	"DROP TABLE control_programs",
	"UPDATE programs SET children = NULL; DROP TABLE control_programs; DROP TABLE function_programs",
	"DROP TABLE programs",
	"DROP TABLE steps",
	"DROP TABLE steps_by_ipu",
	"DROP TABLE compute_sets",
	"DROP TABLE depth_first_steps",
	"DELETE FROM programs",
	CIRCLE,
	CHAIN(10000),
	"UPDATE cycles_by_tile SET cycles_by_tile_rle = x'ffffff'; UPDATE program_type_do_exchange SET "
	"code_bytes_by_tile_rle = 'text'; UPDATE programs SET name = x'1b5b33316d'; UPDATE program_types SET "
	"name = 5",
	"UPDATE programs SET variant = NULL, name = NULL, variant_index = -1; UPDATE program_type_repeat SET "
	"repeat_count = 4611686018427387904",
	"UPDATE steps_by_ipu SET cycles = 4611686018427387904",
	"UPDATE steps SET program = NULL",
	BODIES(3, "id % 3 = 0", "4611686018427387904"),
	"INSERT INTO control_programs SELECT compilation_step_id, id + 1000, 4611686018427387903 FROM programs",
	"DROP TABLE vertex_instances; DROP TABLE exchange_regions; DROP TABLE vertex_types",
	"DROP TABLE target_info; DROP TABLE memory_by_tile",
	"UPDATE programs SET children = NULL; DELETE FROM control_programs; DELETE FROM function_programs",
	/* each calls itself, and nothing is called from outside */
	"DELETE FROM control_programs; DELETE FROM function_programs; UPDATE programs SET children = (SELECT "
	"pack_list(NULL, 0, x.n) FROM (SELECT programs.id AS n) x)",
	"UPDATE programs SET name = x'ff00feff' WHERE id % 2; UPDATE program_types SET name = x'e280ae41' WHERE "
	"id % 2; UPDATE programs SET name = replace(hex(zeroblob(20000)), '0', char(8238, 0x1b, 10)) WHERE id % 2 "
	"= 0; UPDATE program_types SET name = char(0x202e) || name WHERE id % 2 = 0",
	"UPDATE programs SET control_code_bytes_by_tile = zeroblob(400001), debug_id = 1 << 62; "
	"UPDATE program_type_on_tile_execute SET compute_set = 1 << 62; UPDATE compilation_cycles_by_tile SET "
	"cycles_by_tile_rle = x''; UPDATE compute_set_cycles_by_tile SET cycles_by_tile_ids = 5; "
	"UPDATE compute_sets SET compute_set = compute_set + 1000000",
	BODIES(300000, "id = 1", "2"),
	BODIES(150000, "id < 3", "i % 50"),
};

static const char *const keys[] = {"down", "open", "unfold", "right", "left", "sort", "page-down",
	"search a", "search-next", "search x under y where code>0", "threshold 1",
	"filter DoExchange under Sequence", "goto-memory", "filter", "filter cycles>0", "pane-next",
	"down", "tab-next", "tab code", "tab vertices", "tab cycles", "open", "tab path", "down",
	"open", "tab steps", "down", "open", "tab debug", "tab details", "pane-previous", "last",
	"open", "goto-trace", "goto-liveness", "fold", "first", "goto 3", "copy", "pane-zoom",
	"threshold 0"};

START_TEST(survives)
{
	size_t what = (size_t)_i;
	struct ts_explain *e = calloc(1, sizeof(*e));

	if (_i % stride_of(2, 8)) {
		free(e);
		return;
	}
	ck_assert_ptr_nonnull(e);
	begin(80 + _i % 2 * 60, 24, TS_GLYPHS_FULL, broken[what]);
	harness_settle(&h);
	harness_draw(&h);
	for (size_t i = 0; i < TS_COUNT(keys); i++) {
		command(keys[(i * 7 + (size_t)_i) % TS_COUNT(keys)]);
		harness_draw(&h);
		ts_explain_init(e);
		ts_view_programs.explain(h.view, e);
	}
	harness_end(&h);
	free(e);
}
END_TEST

/* A name is cut between two characters where it has no room, and where it is cut is seen. */
START_TEST(notes_are_cut)
{
	static const struct {
		const char *name, *says;
	} of[] = {
		{"printf('%.59c', 'a') || 'éb'", "aaaaaéb ─"},
		{"printf('%.179c', 'a') || 'éb'", "DoExchange aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		{"printf('%.179c', 'a') || 'éb'", "aaaaaaaaaaaaaaaaaaaaaaaaa…"},
		{"printf('%.179c', 'a') || '/b/c'", "DoExchange .../b/c ─"},
	};
	char sql[200];

	for (size_t i = 0; i < TS_COUNT(of); i++) {
		snprintf(sql, sizeof(sql), "UPDATE programs SET name = %s WHERE variant = 11",
			of[i].name);
		begin(200, 38, TS_GLYPHS_FULL, sql);
		harness_settle(&h);
		command("search type=DoExchange where own_code>1");
		command("tab code");
		harness_draw(&h);
		harness_says(&h, of[i].says);
		harness_end(&h);
	}
}
END_TEST

/* More looks than sums may take: the last ones have none, which is said, and the others are as they were. */
START_TEST(too_many_below)
{
	struct ts_sheet sheet = {0};
	struct ts_table_value v = {0};

	begin(120, 38, TS_GLYPHS_FULL,
		CHAIN(13000) "; UPDATE programs SET children = x'81' WHERE id = 0;"
			     "DELETE FROM control_programs; DELETE FROM function_programs; INSERT INTO control_programs SELECT "
			     "compilation_step_id, 0, 1 FROM programs WHERE id = 0 UNION ALL SELECT compilation_step_id, 1, 13000 "
			     "FROM programs WHERE id = 0 UNION ALL SELECT compilation_step_id, 2, 12990 FROM programs WHERE id = 0");
	harness_settle(&h);
	command("threshold 0");
	harness_says(&h, "have too many below to be summed");
	ck_assert(ts_view_programs.sheet(h.view, &sheet));
	ck_assert(sheet.table.value(sheet.table.ctx, 0, sheet.table.columns - 3, &v));
	command("last");
	harness_says(&h, "not summed: all programs together have too many below");
	harness_end(&h);
}
END_TEST

/* --- compared with an earlier report ----------------------------------------------------------------- */

struct earlier {
	struct harness h;
	struct ts_reader *rd;
	struct ts_program_tree *tree;
	struct ts_program_costs *costs;
	struct ts_names names;
	struct ts_pile below;
	struct ts_program_world w;
};

/* The demo's programs as they were before: some did not exist, some were called otherwise, some took longer. */
static void
read_earlier(struct earlier *e, const char *sql)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 2,
		.tiles = 40,
		.steps = 200,
		.variables = 1200};
	struct ts_err err = {0};

	harness_demo(&e->h, &o);
	harness_sql(&e->h, sql);
	harness_open(&e->h);
	ck_assert_int_eq(ts_reader_open(&e->rd, e->h.env.report, &err), TS_OK);
	ck_assert_int_eq(ts_program_costs_read(&e->costs, e->rd, NULL, true, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_program_tree_read(&e->tree, e->rd, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_names_read(&e->names, e->rd, TS_PROGRAM, TS_PROGRAM_PROGRAM,
				 TS_PROGRAM_NAME, &err),
		TS_OK);
	ck_assert_int_eq(ts_program_below_all(&e->below, e->tree, e->costs, 1 << 26, NULL, NULL,
				 &err),
		TS_OK);
	e->w = (struct ts_program_world){e->tree, e->costs, &e->names, e->below.memory};
}

static void
drop_earlier(struct earlier *e)
{
	ts_program_tree_close(e->tree);
	ts_program_costs_close(e->costs);
	ts_names_fini(&e->names);
	ts_pile_fini(&e->below);
	ts_reader_close(e->rd);
	ts_report_close(e->h.env.report);
	unlink(e->h.path);
	free(e->h.path);
	ck_assert_int_eq(rmdir(e->h.dir), 0);
}

#define EARLIER                                                                                       \
	"UPDATE programs SET name = coalesce(name, '') || '/old' WHERE id IN (3, 10, 40, 41);"        \
	"UPDATE programs SET children = NULL WHERE id % 17 = 3;"                                      \
	"UPDATE steps_by_ipu SET cycles = cycles * 2, active_cycles_to_max = active_cycles_to_max + " \
	"cycles WHERE step_id % 3 = 0;" /* 255 on tile 0 alone */                                     \
	"UPDATE program_type_do_exchange SET code_bytes_by_tile_rle = x'8301FF019E80' WHERE id % 7 = 0"

static const struct {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *keys[8];
} compared[] = {
	{"programs-diff-80", 80, 22, TS_GLYPHS_FULL, {"unfold", "down", 0}},
	{"programs-diff-120", 120, 38, TS_GLYPHS_FULL, {"sort", "first", "unfold", "goto 39", 0}},
	{"programs-diff-ascii", 100, 30, TS_GLYPHS_ASCII, {"goto 10", "up", 0}},
};

START_TEST(difference)
{
	struct earlier e = {0};

	read_earlier(&e, EARLIER);
	begin(compared[_i].w, compared[_i].h, compared[_i].glyphs, NULL);
	ts_programs_compare(h.view, &e.w);
	harness_settle(&h);
	for (int i = 0; compared[_i].keys[i]; i++)
		command(compared[_i].keys[i]);
	harness_look(&h, compared[_i].name);
	harness_end(&h);
	drop_earlier(&e);
}
END_TEST

/* Every key works on it, also when it ends in the midst, and the tree is as it was afterwards. */
START_TEST(difference_survives)
{
	struct earlier e = {0};
	int64_t before;

	read_earlier(&e,
		_i % 2 ? EARLIER
		       : "UPDATE programs SET children = NULL; DELETE FROM control_programs; DELETE FROM function_programs");
	begin(100, 30, TS_GLYPHS_FULL, _i < 2 ? NULL : CIRCLE);
	harness_settle(&h);
	command("fold");
	before = rows();
	ts_programs_compare(h.view, &e.w);
	harness_settle(&h);
	for (size_t i = 0; i < TS_COUNT(keys); i++) {
		command(keys[(i * 7 + (size_t)_i) % TS_COUNT(keys)]);
		harness_draw(&h);
	}
	command("filter");
	command("threshold 0");
	ts_programs_compare(h.view, NULL);
	harness_settle(&h);
	command("fold");
	ck_assert_int_eq(rows(), before);
	harness_end(&h);
	drop_earlier(&e);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_programs");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, looks, 0, (int)TS_COUNT(screens));
	tcase_add_test(tc, rows_open_and_fold);
	tcase_add_test(tc, vertices_without_names);
	tcase_add_test(tc, searches);
	tcase_add_test(tc, sorts_siblings);
	tcase_add_test(tc, filters);
	tcase_add_test(tc, filters_by_structure);
	tcase_add_test(tc, leads_elsewhere);
	tcase_add_loop_test(tc, survives, 0, (int)TS_COUNT(broken));
	tcase_add_test(tc, notes_are_cut);
	tcase_add_test(tc, too_many_below);
	tcase_add_loop_test(tc, difference, 0, (int)TS_COUNT(compared));
	tcase_add_loop_test(tc, difference_survives, 0, 4);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
