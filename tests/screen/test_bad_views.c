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
static const char *const relations[] = {"tile_memory", "tile_category", "memory_category",
	"lowered_variable", "class_interval", "liveness_step", "liveness_step_ipu", "variable",
	"liveness_variable", "tile_always_live", "ipu", "target", "vertex_type", "tile_vertex",
	"program", "program_child", "program_root", "program_variable", "compute_set",
	"compute_set_vertex", "memory_element", "context", "operation", "operation_program",
	"operation_variable", "step", "step_ipu", "run", "block"};

/* Values that break one thing each. */
static const char *const bad[] = {
	"UPDATE lowered_variable SET tile = 24 + tile WHERE id % 3 = 0", /* beyond the target */
	"UPDATE lowered_variable SET tile = 4611686018427387904 WHERE id % 50 = 0",
	"UPDATE lowered_variable SET tile = NULL WHERE id % 2 = 0",
	"UPDATE lowered_variable SET offset = 0",			/* all over each other */
	"UPDATE lowered_variable SET offset = 638970 WHERE id % 5 = 0", /* beyond the end */
	"UPDATE lowered_variable SET offset = 1 << 62, bytes = 1 << 62 WHERE id % 7 = 0",
	"UPDATE lowered_variable SET bytes = 0",
	"UPDATE lowered_variable SET bytes = 4611686018427387904",
	"UPDATE lowered_variable SET class = 9223372036854775807",
	"UPDATE lowered_variable SET variable = -1, category = 99, alignment = 0",
	"UPDATE class_interval SET \"end\" = start",		      /* empty */
	"UPDATE class_interval SET start = \"end\", \"end\" = start", /* reversed */
	"UPDATE class_interval SET \"end\" = 4611686018427387904 WHERE rowid % 2",
	"UPDATE class_interval SET start = -5 WHERE rowid % 3 = 0",
	"INSERT INTO class_interval SELECT * FROM class_interval", /* overlapping: twice the same */
	"UPDATE liveness_variable SET \"end\" = start",
	"UPDATE liveness_variable SET start = \"end\", \"end\" = start",
	"UPDATE liveness_variable SET start = 4611686018427387904, \"end\" = 9223372036854775807",
	"UPDATE variable SET bytes = 4611686018427387904",
	"UPDATE variable SET bytes = 0, name = ''",
	"UPDATE OR IGNORE variable SET variable = -9223372036854775808 WHERE variable % 9 = 0",
	"UPDATE OR IGNORE liveness_step SET live_step = 9223372036854775807 WHERE live_step = 0",
	"UPDATE liveness_step SET not_always_live = 4611686018427387904",
	"UPDATE liveness_step SET not_always_live = 0, program = -1",
	"DELETE FROM liveness_step",
	"UPDATE liveness_step_ipu SET ipu = 4611686018427387904, not_always_live = -1",
	"UPDATE tile_memory SET tile = tile * 1000000 WHERE tile % 5 = 0",
	"UPDATE tile_memory SET total = 0, total_gaps = 0",
	"UPDATE tile_memory SET total = 4611686018427387904, total_gaps = 1, overflowed = 4611686018427387904",
	"UPDATE tile_memory SET physical = -1, ipu = 77",
	"UPDATE tile_category SET not_overlapped = 4611686018427387904, overlapped = 4611686018427387904",
	"UPDATE tile_category SET tile = -1 WHERE rowid % 2",
	"UPDATE memory_category SET name = char(27, 91, 50, 74) || name",
	"UPDATE target SET bytes_per_tile = 0",
	"UPDATE target SET bytes_per_tile = 4611686018427387904, tiles_per_ipu = 4611686018427387904",
	"UPDATE target SET ipus = 0, tiles_per_ipu = 0, replicas = 0",
	"UPDATE ipu SET first_tile = 4611686018427387904, tile_count = 4611686018427387904",
	"UPDATE memory_element SET offset = 0, bytes = 0",
	"UPDATE memory_element SET offset = 4611686018427387904, bytes = 4611686018427387904",
	"UPDATE step SET program = NULL, compute_set = NULL, run = NULL",
	"UPDATE step SET type = NULL, name = char(27, 91, 50, 74)",
	"UPDATE step SET compute_set = 4611686018427387904, program = -7",
	"UPDATE step_ipu SET ipu = ipu + 4611686018427387000 WHERE step % 3 = 0",
	"UPDATE step_ipu SET ipu = NULL WHERE step % 2",
	"UPDATE step_ipu SET start = \"end\", \"end\" = start",
	"UPDATE step_ipu SET start = -start WHERE step % 2",
	"UPDATE step_ipu SET \"end\" = 4611686018427387904 WHERE step % 5 = 0", /* overlap without bound */
	"UPDATE step_ipu SET cycles = 4611686018427387904, data_in = 4611686018427387904",
	"UPDATE step_ipu SET start = 0, \"end\" = 4611686018427387904, cycles = 4611686018427387904",
	"UPDATE step_ipu SET start = start + 1000000000000000 * ipu, \"end\" = \"end\" + 1000000000000000 * ipu",
	"UPDATE step_ipu SET start = 0, \"end\" = 0",
	"UPDATE step_ipu SET tile_balance = -1, active_tiles = -5, data_out = 9.5",
	"UPDATE run SET first_step = 4611686018427387904, step_count = -1",
	"DELETE FROM step_ipu WHERE step > 3",
	"UPDATE compute_set SET cycles_by_tile = zeroblob(3), estimated_cycles_by_tile = NULL",
	"UPDATE compute_set_vertex SET instances = 4611686018427387904, count_by_tile = zeroblob(0)",
	"UPDATE program_child SET child = parent",
	"UPDATE program_child SET parent = child + 4611686018427387904 WHERE position % 2",
	"UPDATE program SET repeat_count = 4611686018427387904, compute_set = -1, context = -1",
	"UPDATE program SET type = NULL, name = char(27, 91, 50, 74) || name, cycles_by_tile = x'ffffffff'",
	"UPDATE step SET program = 4611686018427387904 WHERE step % 2; UPDATE step_ipu SET cycles = -1 WHERE step % 3 = 0",
	"UPDATE step_ipu SET cycles = 4611686018427387904",
	"DELETE FROM tile_memory; DELETE FROM lowered_variable; DELETE FROM variable",
};

/* Of the execution alone: each relation absent in turn, and what the Trace is made of. */
static const char *const bad_trace[] = {"DROP TABLE step", "DROP TABLE step_ipu", "DROP TABLE run",
	"DROP TABLE program", "DROP TABLE compute_set", "DROP TABLE compute_set_vertex",
	"DROP TABLE vertex_type", "DROP TABLE target", "DROP TABLE ipu", "DROP TABLE block",
	"DROP TABLE context", "DROP TABLE report; CREATE TABLE report(key TEXT, value TEXT)",
	"DROP TABLE step; DROP TABLE step_ipu", "DROP TABLE step; DROP TABLE block",
	"DROP TABLE target; DROP TABLE ipu; DROP TABLE tile_memory; DROP TABLE tile_category",
	"DELETE FROM step", "DELETE FROM step_ipu", "DELETE FROM run", "DELETE FROM block",
	"UPDATE step SET run = NULL; DROP TABLE run", "UPDATE step_ipu SET ipu = NULL",
	"UPDATE step SET program = NULL", "UPDATE step SET compute_set = NULL",
	"UPDATE step_ipu SET step = NULL WHERE step % 3 = 0",
	"UPDATE step_ipu SET start = \"end\" + 10 WHERE step % 2",
	"UPDATE step_ipu SET start = -5, \"end\" = -1",
	"UPDATE step_ipu SET start = -9223372036854775807, \"end\" = 9223372036854775807",
	"UPDATE step_ipu SET start = 0, \"end\" = (SELECT max(\"end\") FROM step_ipu)",
	"UPDATE step_ipu SET start = start + (1 << 60) * ipu, \"end\" = \"end\" + (1 << 60) * ipu",
	"UPDATE step_ipu SET cycles = 1 << 62, \"end\" = 1 << 62 WHERE step = 3",
	"UPDATE step_ipu SET start = (1 << 62) - start, \"end\" = 1 << 62",
	"UPDATE compute_set SET name = char(27) || ']0;x' || char(7) || char(10) || name",
	"UPDATE program SET name = CAST(x'ff' AS TEXT) || char(8238) || '/////' || name || char(0) || 'x'",
	"UPDATE compute_set SET name = NULL; UPDATE step SET type = NULL; UPDATE program SET name = NULL",
	"UPDATE compute_set SET name = hex(zeroblob(9000)) || name",
	"UPDATE compute_set SET name = replace(hex(zeroblob(300)), '0', 'a/') || name",
	"UPDATE block SET cycles_to = cycles_from", "UPDATE block SET cycles_from = cycles_to + 1",
	"UPDATE block SET cycles_from = cycles_from - 700 * seq, cycles_to = cycles_to + 700",
	"UPDATE block SET cycles_from = -1 WHERE seq % 2",
	"UPDATE block SET cycles_from = 0, cycles_to = 1 << 62",
	"UPDATE block SET cycles_from = -9223372036854775807, cycles_to = 9223372036854775807",
	"UPDATE block SET tile = 4611686018427387904 WHERE seq % 2",
	"UPDATE block SET name = char(27) || name, kind = 'none such', program = -1",
	"UPDATE block SET name = NULL, kind = NULL, seq = NULL"};

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
		.layout = TS_DEMO_STORE,
		.ipus = 2,
		.tiles = 12,
		.steps = 20,
		.variables = 300};
	FILE *f;

	harness_demo(&h, &o);
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
	snprintf(s->h.path, 2 * REPORT_DIR, "%s/report.tilescope", s->h.dir);
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

/* Some relations missing at a time, others in each turn, and one thing broken besides. */
START_TEST(missing_together)
{
	uint64_t random = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct ts_strbuf sql;
	struct stage s;

	begin(&s);
	for (int turn = 0; turn < 3; turn++) {
		ts_strbuf_init(&sql, 4000);
		for (size_t i = 0; i < TS_COUNT(relations); i++) {
			random = random * UINT64_C(6364136223846793005) +
				UINT64_C(1442695040888963407);
			if ((random >> 33) % 4 == 0)
				ts_strbuf_printf(&sql, "DROP TABLE \"%s\";", relations[i]);
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
