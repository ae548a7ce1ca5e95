/* SPDX-License-Identifier: MIT */
/*
 * Reports that nobody wrote with good intentions, before the eyes of somebody who tries every key: relations that are
 * missing together, tiles that are not there, memory that ends nowhere, lives that end before they begin, numbers at
 * the ends of what is one. Nothing falls over (sanitizers see to that), every view comes to rest, every panel about
 * what is missing is whole, and no number that stands for "not known" is shown for one.
 */
#include "config.h"

#include <locale.h>

#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/programs.h"
#include "tilescope/view/trace.h"
#include "tilescope/view/variables.h"

static const char *const everywhere[] = {"pane-next", "first", "last", "largest", "search matMul",
	"filter bytes>100", "mark", NULL};
static const char *const in_memory[] = {"breakdown", "breakdown", "breakdown", "breakdown",
	"breakdown", "breakdown", "per-ipu", "per-ipu", "map", "metric", "metric", "metric",
	"metric", "metric", "metric", "metric", "metric", "metric", "metric", "metric", "metric",
	"metric", "metric", "metric", "metric-back", "metric-back", "limit-line", "scale", "scale",
	"order", "map", "fullest", "fullest-back", "fullest", "largest-back", "zoom-in",
	"page-right", "range", "last", "range", "zoom-selection", "zoom-fit", "pane-next",
	"tab-next", "tab-next", "tab-next", "tab-next", "tab-next", "tab-next", "marks-clear",
	NULL};
static const char *const in_liveness[] = {"peak-next", "mark", "last", "mark", "pane-next", "only",
	"tab-next", "tab-next", "tab-next", "tab-next", "tab-next", "tab-next", "tab-next",
	"bottleneck", "axes", "tab-next", "whatif halve matMul", "whatif remove .", "tab-next",
	"source ipu 1", "source tile 3", "source tile 99", "source device", "replica", "zoom-in",
	"zoom-selection", "tab alive", NULL};
static const char *const in_insights[] = {"pane-next", "tab-next", "tab-next", "tab-next",
	"tab-next", NULL};
static const char *const in_variables[] = {"sort", "sort", "sort", "sort", "sort-reverse", "last",
	"level", "sort", "last", "level", "filter steps<3 or tiles>1",
	"filter bytes>=4611686018427387904", NULL};
static const char *const in_programs[] = {"down", "unfold", "sort", "threshold 1", "fold",
	"threshold 0", "open", "goto 5", "search DoExchange under Repeat where code>0",
	"search-next", "goto-trace", "goto-liveness", "goto-memory",
	"filter type=DoExchange where code>0", "filter", "goto 12", "pane-next", "tab-next",
	"tab-next", "down", "tab-next", "tab-next", "open", "tab-next", "down", "open", "tab-next",
	NULL};

static const char *const in_operations[] = {"sort", "sort-reverse", "sort code", "mark", "down",
	"mark", "rollup", "open", "down", "rollup (.)", "rollup", "layer", "last", "layer",
	"layer-tree", "unfold", "down", "search matMul", "search-next",
	"filter cycles>0 or memory>0", "filter", "tab programs", "pane-next", "down", "open",
	"tab links", "down", "open", "tab code", "open", "tab vertices", "tab cycles", "tab debug",
	"tab summary", "marks-clear", "pane-previous", "layer", NULL};

static const char *const in_trace[] = {"jump step", "jump class", "jump gap", "jump longest",
	"jump run", "jump-back step", "jump-back gap", "executions", "search-next", "lane-fold",
	"unfold", "fold", "lanes 0", "lanes all", "series compute", "zoom-in", "time-unit",
	"tab details", "open", "tab vertices", "tab cycles", "tab longest", "open", "sort cycles",
	"tab hits", "last", "pane-next", "drawing", "zoom-out", "drawing", "last", "drawing",
	"search layer", "drawing", "drawing-back", "series all", "tab steps", "pane-next",
	"drawing flame", "down", "down", "down", "right", "open", "left", "back", "ipu-next",
	"goto 7", "drawing merged", "down", "down", "right", "open", "back", "merge view",
	"merge-ipus", "merge run", "search-next", "tab frame", "down", "open", "down", "open",
	"tab steps", "drawing lanes", "tab balance", "scope run", "down", "scope all",
	"sort compute", "zoom-in", "scope view", "tab lost", "down", "sort saves", "filter lost>0",
	"open", "drawing bsp", "down", "tiles-in", "page-down", "ipu-next", "tiles-out", "zoom-out",
	"drawing blocks", "down", "open", "ipu-next", "tab blocks", "sort count", "down",
	"tab pipeline", "down", "tab work", "breakdown", "down", "open", "tab passes", "open",
	"drawing lanes", "goto 3", "mark", "range", "right", "range", "zoom-selection",
	"marks-clear", NULL};

static const struct {
	const struct ts_view_ops *ops;
	const char *const *commands;
} views[] = {
	{&ts_view_insights, in_insights},
	{&ts_view_memory, in_memory},
	{&ts_view_liveness, in_liveness},
	{&ts_view_variables, in_variables},
	{&ts_view_programs, in_programs},
	{&ts_view_operations, in_operations},
	{&ts_view_trace, in_trace},
};

/* What of a report these views are made of. */
static const char *const tables[] = {"memory_by_tile", "memory_by_category", "var_categories",
	"vars_info", "vars_string_table", "allocation_order_by_tile",
	"equivalence_class_interference", "eq_classes", "eq_class_step", "unlowered_vars",
	"var_bytes_by_eq_class", "depth_first_steps", "memory_not_always_live_by_step_and_ipu",
	"target_info", "vertex_types", "memory_by_vertex_type", "memory_by_compute_set", "programs",
	"program_types", "control_programs", "program_type_on_tile_execute",
	"program_type_do_exchange", "exchange_regions", "compute_sets", "vertex_instances",
	"compilation_cycles_by_tile", "steps", "steps_by_ipu", "runs", "cycles_by_tile",
	"compute_set_cycles_by_tile", "blocks", "string_table"};

/* Values that break one thing each. */
static const char *const bad[] = {
	"UPDATE vars_info SET tile = 24 + tile WHERE var_id % 3 = 0", /* beyond the target */
	"UPDATE vars_info SET tile = 4611686018427387904 WHERE var_id % 50 = 0",
	"UPDATE vars_info SET tile = NULL WHERE var_id % 2 = 0",
	"UPDATE vars_info SET offset = 0",			     /* all over each other */
	"UPDATE vars_info SET offset = 638970 WHERE var_id % 5 = 0", /* beyond the end */
	"UPDATE vars_info SET offset = 1 << 62, size_bytes = 1 << 62 WHERE var_id % 7 = 0",
	"UPDATE vars_info SET size_bytes = 0",
	"UPDATE vars_info SET size_bytes = 4611686018427387904",
	"UPDATE vars_info SET equivalence_class = 9223372036854775807",
	"UPDATE vars_info SET unlowered_var_id = -1, category = 99, alignment = 0",
	"UPDATE vars_info SET name_base_id = -5, name_prefix__vertex_field_ = 1 << 62, name_suffix = NULL",
	"UPDATE vars_info SET element_constraints = x'0102', bitset = NULL WHERE var_id % 3",
	"UPDATE vars_info SET bitset = 0",		      /* no tile has a variable */
	"UPDATE eq_class_step SET step_id_to = step_id_from", /* empty */
	"UPDATE eq_class_step SET step_id_from = step_id_to, step_id_to = step_id_from", /* reversed */
	"UPDATE eq_class_step SET step_id_to = 4611686018427387904 WHERE rowid % 2",
	"UPDATE eq_class_step SET step_id_from = -5 WHERE rowid % 3 = 0",
	"UPDATE eq_class_step SET step_id_from = 4611686018427387904, step_id_to = 9223372036854775807",
	"INSERT INTO eq_class_step SELECT * FROM eq_class_step", /* overlapping: twice the same */
	"UPDATE eq_classes SET is_always_live = 1 - is_always_live",
	"UPDATE var_bytes_by_eq_class SET bytes = 4611686018427387904",
	"UPDATE var_bytes_by_eq_class SET bytes = -1, tile = tile + 7",
	"UPDATE var_bytes_by_eq_class SET eq_class_id = -3",
	"UPDATE unlowered_vars SET name = ''",
	"UPDATE OR IGNORE unlowered_vars SET id = -9223372036854775808 WHERE id % 9 = 0",
	"UPDATE OR IGNORE depth_first_steps SET id = 9223372036854775807 WHERE id = 0",
	"UPDATE depth_first_steps SET parent_step_id = id",
	"UPDATE memory_not_always_live_by_step_and_ipu SET delta_bytes = 4611686018427387904",
	"UPDATE memory_not_always_live_by_step_and_ipu SET delta_bytes = 0; "
	"UPDATE depth_first_steps SET program_id = -1",
	"DELETE FROM depth_first_steps",
	"UPDATE memory_not_always_live_by_step_and_ipu SET ipu = 4611686018427387904, delta_bytes = -1 "
	"WHERE ipu IS NOT NULL",
	"UPDATE memory_by_tile SET tile = tile * 1000000 WHERE tile % 5 = 0",
	"UPDATE memory_by_tile SET total = 0, total_including_gaps = 0",
	"UPDATE memory_by_tile SET total = 4611686018427387904, total_including_gaps = 1, overflowed = "
	"4611686018427387904",
	"UPDATE memory_by_category SET non_interleaved_non_overlapped = x'0000', interleaved_overlapped = NULL",
	"UPDATE memory_by_category SET category_id = 'none such ' || category_id",
	"UPDATE var_categories SET name = char(27, 91, 50, 74) || name",
	"UPDATE target_info SET bytes_per_tile = 0",
	"UPDATE target_info SET bytes_per_tile = 4611686018427387904, tiles_per_ipu = 4611686018427387904",
	"UPDATE target_info SET num_ipus = 0, tiles_per_ipu = 0, num_replicas = 0, num_tiles = 0",
	"UPDATE target_info SET num_tiles = 4611686018427387904, ipus_per_replica = 0",
	"UPDATE target_info SET memoryElementOffsets = x'80808080'",
	"UPDATE target_info SET memoryElementOffsets = x'7f7f7f7f7f7f7fff', interleavedMemoryStart = -1",
	"UPDATE steps SET program = NULL, compute_set = NULL",
	"UPDATE steps SET type = NULL, sync_type = char(27, 91, 50, 74)",
	"UPDATE steps SET compute_set = 4611686018427387904, program = -7",
	"UPDATE steps_by_ipu SET ipu = ipu + 4611686018427387000 WHERE step_id % 3 = 0",
	"UPDATE steps_by_ipu SET ipu = NULL WHERE step_id % 2",
	"UPDATE steps_by_ipu SET active_cycles_from_min = active_cycles_to_max, active_cycles_to_max = "
	"active_cycles_from_min",
	"UPDATE steps_by_ipu SET cycles_base = -cycles_base WHERE step_id % 2",
	/* overlap without bound */
	"UPDATE steps_by_ipu SET active_cycles_to_max = 4611686018427387904 WHERE step_id % 5 = 0",
	"UPDATE steps_by_ipu SET cycles = 4611686018427387904, tile_cycles_id = -1",
	"UPDATE steps_by_ipu SET cycles_base = 0, active_cycles_from_min = 0, active_cycles_to_max = "
	"4611686018427387904, cycles = 4611686018427387904",
	"UPDATE steps_by_ipu SET cycles_base = cycles_base + 1000000000000000 * ipu",
	"UPDATE steps_by_ipu SET cycles_base = 0, active_cycles_from_min = 0, active_cycles_to_max = 0",
	"UPDATE steps_by_ipu SET tile_balance = -1, active_tiles = -5, thread_balance = 9.5",
	"UPDATE runs SET num_steps = -1",
	"UPDATE runs SET num_steps = 4611686018427387904",
	"DELETE FROM steps_by_ipu WHERE step_id > 3",
	"UPDATE cycles_by_tile SET cycles_by_tile_rle = zeroblob(3); "
	"UPDATE compute_sets SET cycles_by_tile_ids = NULL",
	"UPDATE vertex_instances SET instances_by_tile = zeroblob(0)",
	"UPDATE vertex_types SET size = -1, name = '' WHERE id % 2",
	"UPDATE programs SET children = x'80' || children", /* all have the first as a child */
	"UPDATE programs SET children = CAST(x'2080808080808080' || children AS BLOB) WHERE id % 2",
	"UPDATE programs SET variant_index = -1, debug_id = -1, variant = variant + id % 3",
	"UPDATE programs SET control_code_bytes_by_tile = x'ffffffff', name = char(27, 91, 50, 74) || name",
	"UPDATE exchange_regions SET regions = '[0,9999999999999999999)[5,'",
	"UPDATE steps SET program = 4611686018427387904 WHERE id % 2; UPDATE steps_by_ipu SET cycles = -1 "
	"WHERE step_id % 3 = 0",
	"UPDATE steps_by_ipu SET cycles = 4611686018427387904",
	"DELETE FROM memory_by_tile; DELETE FROM vars_info; DELETE FROM unlowered_vars",
};

/* Of the execution alone: each table absent in turn, and what the Trace is made of. */
static const char *const bad_trace[] = {"DROP TABLE steps", "DROP TABLE steps_by_ipu",
	"DROP TABLE runs", "DROP TABLE programs", "DROP TABLE compute_sets",
	"DROP TABLE vertex_instances", "DROP TABLE vertex_types", "DROP TABLE target_info",
	"DROP TABLE blocks", "DROP TABLE string_table", "DROP TABLE cycles_by_tile",
	"DROP TABLE compute_set_cycles_by_tile", "DROP TABLE program_types",
	"DELETE FROM poplar_version; DELETE FROM instrumentation_settings",
	"DROP TABLE steps; DROP TABLE steps_by_ipu", "DROP TABLE steps; DROP TABLE blocks",
	"DROP TABLE target_info; DROP TABLE memory_by_tile; DROP TABLE memory_by_category",
	"DELETE FROM steps", "DELETE FROM steps_by_ipu", "DELETE FROM runs", "DELETE FROM blocks",
	"UPDATE steps_by_ipu SET ipu = NULL", "UPDATE steps SET program = NULL",
	"UPDATE steps SET compute_set = NULL",
	"UPDATE steps_by_ipu SET step_id = NULL WHERE step_id % 3 = 0",
	"UPDATE steps_by_ipu SET active_cycles_from_min = active_cycles_to_max + 10 WHERE step_id % 2",
	"UPDATE steps_by_ipu SET cycles_base = 0, active_cycles_from_min = -5, active_cycles_to_max = -1",
	"UPDATE steps_by_ipu SET cycles_base = 0, active_cycles_from_min = -9223372036854775807, "
	"active_cycles_to_max = 9223372036854775807",
	"UPDATE steps_by_ipu SET cycles_base = 9223372036854775807",
	"UPDATE steps_by_ipu SET cycles_base = 0, active_cycles_from_min = 0, active_cycles_to_max = "
	"(SELECT max(cycles_base) FROM steps_by_ipu)",
	"UPDATE steps_by_ipu SET cycles_base = cycles_base + (1 << 60) * ipu",
	"UPDATE steps_by_ipu SET cycles = 1 << 62, active_cycles_to_max = 1 << 62 WHERE step_id = 3",
	"UPDATE steps_by_ipu SET cycles_base = (1 << 62) - cycles_base",
	"UPDATE compute_sets SET name = char(27) || ']0;x' || char(7) || char(10) || name",
	"UPDATE programs SET name = CAST(x'ff' AS TEXT) || char(8238) || '/////' || name || char(0) || 'x'",
	"UPDATE compute_sets SET name = NULL; UPDATE steps SET type = NULL; UPDATE programs SET name = NULL",
	"UPDATE compute_sets SET name = hex(zeroblob(9000)) || name",
	"UPDATE compute_sets SET name = replace(hex(zeroblob(300)), '0', 'a/') || name",
	"UPDATE blocks SET cycles_to = cycles_from",
	"UPDATE blocks SET cycles_from = cycles_to + 1",
	"UPDATE blocks SET cycles_from = cycles_from - 700 * (rowid % 9), cycles_to = cycles_to + 700",
	"UPDATE blocks SET cycles_from = -1 WHERE rowid % 2",
	"UPDATE blocks SET cycles_from = 0, cycles_to = 1 << 62",
	"UPDATE blocks SET cycles_from = -9223372036854775807, cycles_to = 9223372036854775807",
	"UPDATE blocks SET tile = 4611686018427387904 WHERE rowid % 2",
	"UPDATE blocks SET block_id = -1, type = 99; UPDATE string_table SET string = char(27) || string",
	"UPDATE blocks SET block_id = NULL, type = NULL"};

struct stage {
	struct harness h;
};

/* The report as it was, to begin each turn with: made once, and every test's process has it. */
static struct {
	char *copy;
	size_t bytes;
} sound;

static void
make_sound(void)
{
	struct harness h;
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 2,
		.tiles = 12,
		.steps = 20,
		.variables = 300};
	FILE *f;

	harness_demo(&h, &o);
	harness_loosen(&h);
	f = fopen(h.path, "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	sound.bytes = (size_t)ftell(f);
	rewind(f);
	sound.copy = malloc(sound.bytes);
	ck_assert_ptr_nonnull(sound.copy);
	ck_assert_uint_eq(fread(sound.copy, 1, sound.bytes, f), sound.bytes);
	fclose(f);
	unlink(h.path);
	free(h.path);
	ck_assert_int_eq(rmdir(h.dir), 0);
}

static void
free_sound(void)
{
	free(sound.copy);
}

static void
begin(struct stage *s)
{
	harness_dir(&s->h);
	s->h.path = malloc(2 * REPORT_DIR);
	ck_assert_ptr_nonnull(s->h.path);
	snprintf(s->h.path, 2 * REPORT_DIR, "%s/profile.pop", s->h.dir);
}

/* The report as it was, changed so. */
static void
change(struct stage *s, const char *sql)
{
	FILE *f = fopen(s->h.path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(sound.copy, 1, sound.bytes, f), sound.bytes);
	ck_assert_int_eq(fclose(f), 0);
	harness_sql(&s->h, sql);
}

static void
end(struct stage *s)
{
	unlink(s->h.path);
	free(s->h.path);
	ck_assert_int_eq(rmdir(s->h.dir), 0);
}

static void
look(struct stage *s, const char *what, const char *sql)
{
	static const char *const never[] = {"9,223,37", "9223372036854775807", "-9,2", "nan",
		"inf "};
	struct ts_explain e;
	bool wide = ts_canvas_rect(s->h.canvas).w > 80; /* else a panel has not all of its lines */
	char *text = harness_text(&s->h);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < TS_COUNT(never); i++)
		ck_assert_msg(!strstr(text, never[i]), "%s, after %s: %s in\n%.3000s", sql, what,
			never[i], text);
	for (const char *p = text; wide && (p = strstr(p, "Not in this report: ")); p++)
		ck_assert_msg(strstr(p, "Recorded by: "), "%s, after %s:\n%.3000s", sql, what,
			text);
	free(text);
	if (!s->h.view->ops->explain)
		return;
	ts_explain_init(&e);
	s->h.view->ops->explain(s->h.view, &e);
}

static void
do_all(struct stage *s, const char *const *commands, const char *sql)
{
	for (; *commands; commands++) {
		harness_command(&s->h, *commands);
		look(s, *commands, sql);
	}
}

/* Every view, one command after another; `view` alone when it is not negative. */
static void
walk(struct stage *s, const char *sql, int view)
{
	for (int i = 0; i < (int)TS_COUNT(views); i++) {
		if (view >= 0 && i != view)
			continue;
		harness_start(&s->h, views[i].ops, 120, 38, TS_GLYPHS_FULL);
		harness_settle(&s->h);
		look(s, views[i].ops->name, sql);
		do_all(s, views[i].commands, sql);
		do_all(s, everywhere, sql);
		harness_resize(&s->h, 40, 10);
		harness_settle(&s->h);
		look(s, "being made small", sql);
		harness_stop(&s->h);
	}
}

START_TEST(values)
{
	struct stage s;

	if (_i % stride_of(3, 9))
		return;
	begin(&s);
	change(&s, bad[_i]);
	walk(&s, bad[_i], -1);
	end(&s);
}
END_TEST

START_TEST(trace_alone)
{
	int trace = 0;
	struct stage s;

	while (views[trace].ops != &ts_view_trace)
		trace++;
	begin(&s);
	change(&s, bad_trace[_i]);
	walk(&s, bad_trace[_i], trace);
	end(&s);
}
END_TEST

/* Some tables missing at a time, others in each turn, and one thing broken besides. */
START_TEST(missing_together)
{
	uint64_t random = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct ts_strbuf sql;
	struct stage s;

	begin(&s);
	for (int turn = 0; turn < 3; turn++) {
		ts_strbuf_init(&sql, 4000);
		for (size_t i = 0; i < TS_COUNT(tables); i++) {
			random = random * UINT64_C(6364136223846793005) +
				UINT64_C(1442695040888963407);
			if ((random >> 33) % 4 == 0)
				ts_strbuf_printf(&sql, "DROP TABLE \"%s\";", tables[i]);
		}
		change(&s, sql.s);
		walk(&s, sql.s, -1);
		ts_strbuf_fini(&sql);
	}
	end(&s);
}
END_TEST

int
main(void)
{
	bool few = !at_full_depth();
	Suite *s = suite_create("bad views");
	TCase *t = tcase_create("bad views");
	SRunner *r;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(t, 120);
	tcase_add_unchecked_fixture(t, make_sound, free_sound);
	tcase_add_loop_test(t, values, 0, (int)TS_COUNT(bad));
	tcase_add_loop_test(t, trace_alone, 0, (int)TS_COUNT(bad_trace));
	tcase_add_loop_test(t, missing_together, 0, few ? 3 : 8);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
