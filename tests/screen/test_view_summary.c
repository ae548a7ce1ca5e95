/* SPDX-License-Identifier: MIT */
/*
 * Summary on a canvas: the verdict stays where it is, and below it framework.json and app.json are a folded tree that
 * can be searched, whole, damaged or not there.
 */
#include "config.h"

#include <locale.h>

#include "view_harness.h"

#include "../../src/view/summary_internal.h"
#include "../unit/index_dir.h"

#include "tilescope/report/operations.h"
#include "tilescope/view/summary.h"

static const char framework[] =
	"{\"System Information\": {\"Machine\": \"x86_64\", \"Nominal CPU frequency [GHz]\": 2.30,"
	" \"Number of total cpus\": 96},\n"
	" \"TensorFlow\": {\"Cluster\": \"cluster_9417\", \"Version\": \"2.5.2\"}}\n";

static const char app[] =
	"{\"model\": \"bert\\u001b[31m\\u202e\\u0000\", \"empty\": {}, \"none\": [], \"one\": [7],\n"
	" \"layers\": [{\"name\": \"layer0\"}, {\"name\": \"layer1\"}, {\"name\": \"Layer2\"}],\n"
	" \"ok\": true, \"same\": 1, \"same\": null}\n";

static void
put(struct harness *h, const char *name, const char *text)
{
	char path[2 * REPORT_DIR];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", h->dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fputs(text, f) < 0, 0);
	fclose(f);
}

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs, const char *first,
	const char *second)
{
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 1,
		.tiles = 64,
		.steps = 200,
		.variables = 2000};

	harness_demo(h, &o);
	if (first)
		put(h, "framework.json", first);
	if (second)
		put(h, "app.json", second);
	harness_start(h, &ts_view_summary, w, height, glyphs);
	snprintf(h->env.report->file, strlen(h->env.report->file) + 1,
		"demo"); /* for kept screens */
	h->env.report->part[TS_PART_PROFILE].bytes = 1 << 20;
	harness_settle(h);
}

static void
end(struct harness *h)
{
	static const char *const names[] = {"framework.json", "app.json", "debug.cbor"};

	for (size_t i = 0; i < TS_COUNT(names); i++) {
		char path[2 * REPORT_DIR];

		snprintf(path, sizeof(path), "%s/%s", h->dir, names[i]);
		unlink(path);
	}
	harness_end(h);
}

/* The verdict is above, whatever is below. */
static void
verdict(struct harness *h)
{
	char *text = harness_text(h);

	ck_assert_ptr_nonnull(strstr(text, "worst tile"));
	ck_assert_ptr_nonnull(strstr(text, "FRAMEWORK.JSON"));
	ck_assert(strstr(text, "worst tile") < strstr(text, "FRAMEWORK.JSON"));
	free(text);
}

START_TEST(below_the_verdict)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, framework, app);
	verdict(&h);
	ck_assert(!harness_has(&h, "TensorFlow"));
	harness_command(&h, "pane-next");
	verdict(&h);
	harness_look(&h, "summary-files-80x22");
	harness_command(&h, "unfold");
	harness_command(&h, "pane-zoom");
	harness_look(&h, "summary-files-80x22-zoom");
	harness_command(&h, "fold");
	ck_assert(!harness_has(&h, "TensorFlow"));
	harness_command(&h, "open");
	harness_says(&h, "TensorFlow");
	harness_command(&h, "pane-zoom");
	harness_command(&h, "pane-next");
	ck_assert(!harness_has(&h, "TensorFlow"));
	end(&h);
}
END_TEST

/*
 * Steps of an IPU that overlap are intersected: compute in [0, 900), beside it copies from the host in [600, 1200). Added up
 * compute would be 60 %. Balance is that of the steps. The same where row ids lie far apart (_i): there are few
 * rows, whatever their numbers.
 */
START_TEST(steps_that_overlap)
{
	struct harness h;
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 1,
		.tiles = 64,
		.steps = 200,
		.variables = 2000};

	harness_demo(&h, &o);
	harness_sql(&h,
		"CREATE TEMP TABLE kept AS SELECT * FROM (SELECT id, 0 AS start, 900 AS n, 0.5 AS balance FROM "
		"steps WHERE type = 'OnTileExecute' ORDER BY id LIMIT 1) UNION ALL SELECT * FROM (SELECT id, "
		"600, 600, 1 FROM steps WHERE type = 'StreamCopyMid' ORDER BY id LIMIT 1);"
		"DELETE FROM steps_by_ipu WHERE step_id NOT IN (SELECT id FROM kept);"
		"UPDATE steps_by_ipu SET cycles_base = start, active_cycles_from_min = 0, active_cycles_to_max = n, "
		"cycles = n, tile_balance = balance FROM kept WHERE id = step_id");
	if (_i > 0)
		harness_sql(&h, "UPDATE steps_by_ipu SET rowid = rowid << 40");
	harness_start(&h, &ts_view_summary, 120, 60, TS_GLYPHS_ASCII);
	harness_settle(&h);
	harness_says(&h, "75.0%"); /* 900 of 1200 */
	harness_says(&h, "37.5%"); /* 450 of 1200 */
	harness_says(&h, "where they go");
	harness_says(&h, " CCCCCCCCCCCCCCCCCCCCCCCCCCmmmmmmmmm ");
	ck_assert(!harness_has(&h, "60%"));
	ck_assert_int_eq(((struct summary_view *)h.view)->times->p.ipu[0].part[TS_CLASS_COMPUTE],
		900);
	end(&h);
}
END_TEST

/* Ids that lead nowhere are a note, with figures; a sound report has none. */
START_TEST(parts_of_different_runs)
{
	struct harness h;
	struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.ipus = 1,
		.tiles = 64,
		.steps = 200,
		.variables = 2000,
		.debug = true};

	harness_demo(&h, &o);
	harness_start(&h, &ts_view_summary, 100, 120, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert(!harness_has(&h, "sampled"));
	end(&h);
	harness_demo(&h, &o);
	harness_sql(&h, "UPDATE programs SET debug_id = debug_id + 1000000 WHERE debug_id > 0");
	harness_start(&h, &ts_view_summary, 100, 120, TS_GLYPHS_FULL);
	harness_settle(&h);
	harness_says(&h, "sampled debug contexts of programs");
	end(&h);
}
END_TEST

/* Findings of memory come first; until the rules of the execution have answered, too, that is said. */
START_TEST(execution_comes_later)
{
	struct ts_demo_options o = {.ipus = 1,
		.tiles = 16,
		.steps = 400,
		.variables = 64,
		.seed = 7};
	const char *said = "the rules of the execution were not asked yet";
	struct harness h;
	bool before = false;

	harness_demo(&h, &o);
	harness_start(&h, &ts_view_summary, 120, 60, TS_GLYPHS_FULL);
	h.view->ops->request(h.view);
	for (bool idle = false, took = true; took || !idle;) {
		idle = harness_idle(&h);
		took = harness_take_one(&h, idle ? 0 : 10);
		before |= took && harness_has(&h, said);
	}
	harness_settle(&h);
	ck_assert(before);
	ck_assert(!harness_has(&h, said));
	harness_end(&h);
}
END_TEST

START_TEST(other_sizes)
{
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL, framework, app);
	harness_look(&h, "summary-120x38");
	harness_resize(&h, 200, 58);
	harness_settle(&h);
	harness_look(&h, "summary-200x58");
	for (int w = 1; w < 60; w += 7)
		for (int height = 1; height < 12; height++) {
			harness_resize(&h, w, height);
			harness_draw(&h);
			harness_command(&h, "pane-next");
			harness_draw(&h);
		}
	end(&h);
	begin(&h, 40, 8, TS_GLYPHS_ASCII, framework, app);
	harness_command(&h, "pane-next");
	harness_look(&h, "summary-files-40x8-ascii");
	end(&h);
}
END_TEST

static void
hit(struct harness *h, const char *command, const char *says, const char *shows)
{
	harness_command(h, command);
	ck_assert_msg(strncmp(h->env.message, says, strlen(says)) == 0, "%s", h->env.message);
	if (shows)
		harness_says(h, shows);
}

START_TEST(searching)
{
	struct harness h;

	begin(&h, 80, 22, TS_GLYPHS_FULL, framework, app);
	harness_command(&h, "pane-next");
	ck_assert(!harness_has(&h, "\"layer1\""));
	hit(&h, "search layer", "hit 1 of 4", "layers  [ 3 items ]"); /* a key */
	hit(&h, "search-next", "hit 2 of 4", "\"layer0\"");	      /* folded till now */
	hit(&h, "search-next", "hit 3 of 4", NULL);
	hit(&h, "search-next", "hit 4 of 4  app.json > layers > [2]", "\"Layer2\"");
	hit(&h, "search-next", "hit 1 of 4", NULL);
	hit(&h, "search-previous", "hit 4 of 4", NULL);
	hit(&h, "search-back 2.30", "hit 1 of 1", "Nominal CPU frequency [GHz]  2.30");
	hit(&h, "search-next", "hit 1 of 1", NULL); /* round and round */
	hit(&h, "search nowhere", "not found in framework.json, app.json: nowhere", NULL);
	ck_assert(h.env.message_is_error);
	hit(&h, "search app.j", "hit 1 of 1", NULL);
	harness_command(&h, "copy");
	ck_assert_str_eq(h.env.copy, "app.json\t{ 8 }");
	end(&h);
}
END_TEST

static const struct {
	const char *framework, *app, *rule;
	const char *says[3];
} states[] = {
	{NULL, NULL, "not there",
		{"framework.json  is not there (a framework may", "app.json  is not there", ""}},
	{framework, NULL, "only framework.json is there",
		{"TensorFlow", "app.json  is not there (an application may", ""}},
	{NULL, app, "only app.json is there",
		{"framework.json  is not there", "model", "same  null"}},
	{"{\"a\": 1,\n\"b\": [2, nul]}", app, "damaged",
		{"framework.json  damaged: line 2, near byte 21: not JSON: lexical error", "a  1",
			"b  [ 1 item ]"}},
	{"", "[]", "damaged",
		{"framework.json  damaged: line 1, near byte 1: not JSON: parse error",
			"app.json  damaged: line 1, near byte 1: not a JSON object", ""}},
};

START_TEST(whatever_is_there)
{
	struct harness h;

	begin(&h, 120, 22, TS_GLYPHS_FULL, states[_i].framework, states[_i].app);
	verdict(&h);
	harness_says(&h, states[_i].rule);
	harness_command(&h, "pane-next");
	verdict(&h);
	for (int i = 0; i < 3; i++)
		harness_says(&h, states[_i].says[i]);
	end(&h);
}
END_TEST

static void
read_again(struct harness *h)
{
	ts_report_close(h->env.report);
	h->env.generation++;
	h->env.reload = TS_RELOAD_CHANGED;
	harness_open(h);
	h->view->ops->reload(h->view);
	harness_settle(h);
}

START_TEST(read_again_keeps_the_place)
{
	struct harness h;

	begin(&h, 120, 22, TS_GLYPHS_FULL, framework, app);
	harness_command(&h, "pane-next");
	hit(&h, "search layer1", "hit 1 of 1", "\"layer1\"");
	read_again(&h);
	harness_says(&h, "\"layer1\"");
	put(&h, "app.json", "{\"other\": [1, 2]}");
	read_again(&h);
	harness_says(&h, "other  [ 2 items ]");
	ck_assert(!harness_has(&h, "layer1"));
	hit(&h, "search-next", "not found in framework.json, app.json: layer1", NULL);
	end(&h);
}
END_TEST

/* More values than are kept, a value longer than any line, and a large array. */
START_TEST(large)
{
	enum { VALUES = 1100000 };
	struct ts_strbuf b;
	struct harness h;

	ts_strbuf_init(&b, 16 << 20);
	ts_strbuf_puts(&b, "{\"long\": \"");
	for (int i = 0; i < 20000; i++)
		ts_strbuf_puts(&b, "é");
	ts_strbuf_puts(&b, "\", \"many\": [0");
	for (int i = 1; i < VALUES; i++)
		ts_strbuf_puts(&b, ",0");
	ts_strbuf_puts(&b, "]}");
	begin(&h, 120, 22, TS_GLYPHS_FULL, b.s, NULL);
	ts_strbuf_fini(&b);
	harness_command(&h, "pane-next");
	harness_says(&h, "the first 1,048,576 of 1,100,003 values");
	harness_says(&h, "many  [ 1,100,000 items ]");
	harness_command(&h, "unfold");
	harness_command(&h, "last");
	harness_says(&h, "app.json  is not there");
	harness_says(&h, "[1048572]  0");
	hit(&h, "search-back 0", "hit 1,048,573 of 1,048,573", NULL);
	harness_command(&h, "fold");
	harness_says(&h, "framework.json  the first");
	end(&h);
}
END_TEST

START_TEST(filtering_options)
{
	struct harness h;

	begin(&h, 120, 60, TS_GLYPHS_FULL, framework, app);
	harness_says(&h, "autoReport.directory");
	harness_says(&h, "autoReport.outputLoweredVars");
	harness_command(&h, "filter lowered");
	ck_assert(!harness_has(&h, "autoReport.directory"));
	harness_says(&h, "autoReport.outputLoweredVars");
	harness_says(&h, "with \"lowered\"");
	ck_assert_ptr_nonnull(strstr(h.env.message, "1 of "));
	harness_command(&h, "filter nothing");
	ck_assert_ptr_nonnull(strstr(h.env.message, "0 of "));
	harness_says(&h, "ENGINE OPTIONS");
	harness_command(&h, "filter");
	harness_says(&h, "autoReport.directory");
	end(&h);
}
END_TEST

START_TEST(by_mouse)
{
	struct harness h;
	struct summary_view *s;

	begin(&h, 80, 22, TS_GLYPHS_FULL, framework, app);
	s = (struct summary_view *)h.view;
	h.view->ops->mouse(h.view, 5, 21, 0);
	ck_assert(s->files_focus);
	harness_says(&h, "TensorFlow");
	h.view->ops->mouse(h.view, 5, s->files_at.y + 3, 0);
	ck_assert_int_eq(s->files.tree.list.cursor, 2);
	h.view->ops->mouse(h.view, 5, 1, 0);
	ck_assert(!s->files_focus);
	end(&h);
}
END_TEST

static struct ts_operations *
operations_of(struct harness *h, const struct index_dir *d)
{
	struct ts_reader *rd;
	struct ts_operations *o;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_reader_open(&rd, h->env.report, &err), TS_OK);
	ck_assert_msg(ts_operations_read(&o, rd, &d->c, true, NULL, &err) == TS_OK, "%s", err.msg);
	ts_reader_close(rd);
	return o;
}

static void
keep_operations(struct harness *h, const struct index_dir *d)
{
	struct ts_err err = {0};

	ts_operations_close(operations_of(h, d));
	ck_assert_int_eq(ts_index_open(&h->env.index, &d->c, h->env.report, NULL, NULL, &err),
		TS_OK);
}

/* None of its layer has more cycles. */
static bool
is_dearest(const struct ts_operations *o, uint32_t node)
{
	const struct ts_operation *x = ts_operation_at(o, node);

	for (uint64_t i = 0; i < o->layer[x->layer].count; i++)
		if (ts_operation_at(o, ts_operation_in_layer(o, x->layer, i))->of.executed >
			x->of.executed)
			return false;
	return x->of.executed > 0;
}

/*
 * The dearest operations are named, the dearest first, each with its place: without Operations having been shown, when nothing else
 * of the index is on its way (_i: 0), or from what it keeps (1). Where there is no room for them they are not asked for.
 */
START_TEST(names_the_dearest_operations)
{
	struct harness h;
	struct index_dir d;
	struct ts_index *again;
	struct ts_err err = {0};
	struct ts_operations *o;
	unsigned node;
	struct ts_demo_options options = {.scale = TS_DEMO_SMALL,
		.ipus = 1,
		.tiles = 64,
		.steps = 200,
		.variables = 2000};

	harness_demo(&h, &options);
	harness_start(&h, &ts_view_summary, 120, 50, TS_GLYPHS_FULL);
	harness_settle(&h);
	ck_assert(!harness_has(&h, " operations "));
	index_dir_begin(&d);
	h.env.cache = &d.c;
	h.env.coming = ts_section_bit(TS_SECTION_LANES);
	harness_settle(&h);
	ck_assert(!harness_has(&h, " operations "));
	if (_i == 1)
		keep_operations(&h, &d);
	h.env.coming = _i == 1 ? h.env.coming : 0;
	harness_settle(&h);
	ck_assert_int_eq(ts_index_open(&again, &d.c, h.env.report, NULL, NULL, &err), TS_OK);
	ck_assert(ts_index_sections(again) & ts_section_bit(TS_SECTION_OPERATIONS));
	ts_index_release(again);
	harness_says(&h, " operations ");
	harness_command(&h, "search operations  ");
	harness_command(&h, "open");
	ck_assert_int_eq(sscanf(h.env.place, "operations?node=%u", &node), 1);
	o = operations_of(&h, &d);
	ck_assert(is_dearest(o, node));
	ts_operations_close(o);
	ts_index_release(h.env.index);
	h.env.index = NULL;
	harness_end(&h);
	index_dir_end(&d);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view_summary");
	TCase *tc = tcase_create("view_summary");
	SRunner *sr;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, below_the_verdict);
	tcase_add_loop_test(tc, steps_that_overlap, 0, 2);
	tcase_add_test(tc, parts_of_different_runs);
	tcase_add_test(tc, execution_comes_later);
	tcase_add_test(tc, other_sizes);
	tcase_add_test(tc, searching);
	tcase_add_loop_test(tc, whatever_is_there, 0, TS_COUNT(states));
	tcase_add_test(tc, read_again_keeps_the_place);
	tcase_add_test(tc, large);
	tcase_add_test(tc, filtering_options);
	tcase_add_test(tc, by_mouse);
	tcase_add_loop_test(tc, names_the_dearest_operations, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
