/* SPDX-License-Identifier: MIT */
/*
 * What the plot of the Memory view is divided by: screens, series that are hidden, marked variables, reports
 * that lack what a breakdown takes, and plots whose parts come to what the tiles use.
 */
#include "config.h"

#include "view_harness.h"

#include "../../src/view/memory_internal.h"
#include "tilescope/report/pile.h"
#include "tilescope/view/memory.h"

static void
begin(struct harness *h, int w, int height, enum ts_glyphs glyphs)
{
	const struct ts_demo_options o = {.scale = TS_DEMO_SMALL,
		.seed = 7,
		.tiles = 120,
		.variables = 6000};

	harness_demo(h, &o);
	harness_start(h, &ts_view_memory, w, height, glyphs);
	h->canvas->mono = glyphs == TS_GLYPHS_ASCII;
	harness_settle(h);
}

static const struct shot {
	const char *name;
	int w, h;
	enum ts_glyphs glyphs;
	const char *line[3];
} shots[] = {
	{"parts_region_80x22", 80, 22, TS_GLYPHS_FULL, {"breakdown region"}},
	{"parts_layer_120x38", 120, 38, TS_GLYPHS_FULL, {"breakdown layer"}},
	{"parts_layer_80x22_ascii", 80, 22, TS_GLYPHS_ASCII, {"breakdown layer"}},
	{"parts_family_200x58", 200, 58, TS_GLYPHS_FULL, {"breakdown family"}},
	{"parts_liveness_120x38", 120, 38, TS_GLYPHS_FULL, {"breakdown liveness"}},
	{"parts_ipus_80x22", 80, 22, TS_GLYPHS_FULL, {"per-ipu"}},
	{"parts_ipus_120x38_ascii", 120, 38, TS_GLYPHS_ASCII,
		{"breakdown layer", "per-ipu", "right"}},
	{"parts_hidden_120x38", 120, 38, TS_GLYPHS_FULL, {"breakdown region", "series non"}},
};

START_TEST(screens_are_those_that_were_kept)
{
	const struct shot *s = &shots[_i];
	struct harness h;

	begin(&h, s->w, s->h, s->glyphs);
	for (int i = 0; i < 3 && s->line[i]; i++)
		harness_command(&h, s->line[i]);
	harness_command(&h, "pane-zoom"); /* the graph alone: what is below is others' */
	harness_look(&h, s->name);
	harness_end(&h);
}
END_TEST

/* In every column the bands come to what the tile in it uses, whatever it is divided by; more where parts overlap. */
START_TEST(parts_come_to_the_whole)
{
	char line[40];
	struct harness h;

	begin(&h, 60 + 40 * _i, 40, TS_GLYPHS_FULL);
	for (int by = BY_CATEGORY; by < BY_MARKED; by++) {
		const struct memory_view *m = (const struct memory_view *)h.view;

		if (!memory_can(m, (enum memory_breakdown)by))
			continue;
		snprintf(line, sizeof(line), "breakdown %s",
			memory_breakdown_name((enum memory_breakdown)by));
		harness_command(&h, line);
		/* variables that are never alive together share places: their parts come to more */
		ck_assert(m->plot.beyond ==
			(by == BY_CATEGORY || by == BY_CATEGORY_MEAN || by == BY_LAYER));
		for (int b = 0; b < m->plot.bands; b++)
			if (m->plot.band[b].hidden) {
				snprintf(line, sizeof(line), "series %.30s", m->plot.band[b].name);
				harness_command(&h, line);
				b = -1;
			}
		for (int i = 0; i < m->plot.columns; i++) {
			double sum = 0;

			for (int b = 0; b < m->plot.bands; b++)
				sum += m->plot.layer[b][i];
			if (m->plot.beyond)
				ck_assert_double_ge(sum,
					(by == BY_CATEGORY_MEAN ? m->plot.bucket[i].mean
								: (double)m->plot.bucket[i].max) -
						1e-3);
			else if (by == BY_CATEGORY_MEAN)
				ck_assert_double_eq_tol(sum, m->plot.bucket[i].mean, 1e-3);
			else
				ck_assert_double_eq_tol(sum, (double)m->plot.bucket[i].max, 1e-3);
		}
	}
	harness_end(&h);
}
END_TEST

/* By IPU the bands come to what its tiles use together; left and right go by IPUs; nothing is zoomed. */
START_TEST(ipus_are_summed)
{
	struct harness h;
	const struct memory_view *m;
	int64_t sum[2] = {0}, parts[2] = {0};

	begin(&h, 120, 40, TS_GLYPHS_FULL);
	m = (const struct memory_view *)h.view;
	for (int64_t i = 0; i < m->tiles->n; i++)
		sum[m->tiles->ipu[i]] += m->tiles->value[m->gaps][i];
	harness_command(&h, "breakdown region");
	harness_command(&h, "per-ipu");
	harness_says(&h, "Memory of each IPU by region");
	ck_assert_int_eq(m->ipus.count, 2);
	for (int k = 0; k < 2; k++) {
		ck_assert_int_eq(m->ipus.ipu[k].bytes, sum[m->ipus.ipu[k].ipu]);
		for (int b = 0; b < m->plot.bands; b++)
			parts[k] += m->ipus.ipu[k].part[b];
		ck_assert_int_eq(parts[k], m->ipus.ipu[k].bytes);
	}
	harness_command(&h, "left");
	ck_assert_int_eq(h.selection.ipu, 0);
	ck_assert_int_eq(harness_command(&h, "zoom-in"), TS_EFFECT_BELL);
	harness_command(&h, "right");
	ck_assert_int_eq(h.selection.ipu, 1);
	harness_command(&h, "per-ipu");
	harness_says(&h, "Memory by region");
	harness_end(&h);
}
END_TEST

/* However wide the screen is, the row of parts ends with a figure, and a sign where there are more: no name stands there without its own. */
START_TEST(parts_are_named_with_figures)
{
	enum { LEAST = 60, MOST = 140 };
	struct harness h;

	begin(&h, LEAST, 40, TS_GLYPHS_FULL);
	harness_command(&h, "breakdown category");
	harness_command(&h, "per-ipu"); /* of a tile the details have them */
	for (int w = LEAST; w < MOST; w++) {
		char *text, *row, *end;

		harness_resize(&h, w, 40);
		text = harness_text(&h);
		ck_assert_ptr_nonnull(text);
		row = strstr(text, "of it:  ");
		ck_assert_ptr_nonnull(row);
		end = row + strcspn(row, "\n");
		while (end > row && (end[-1] == ' ' || end[-1] & 0x80)) /* more is left out: … */
			end--;
		ck_assert_msg(strchr("KMGB0123456789", end[-1]) && end - row > 10,
			"%d columns: \"%.*s\"", w, (int)(end - row), row);
		free(text);
	}
	harness_end(&h);
}
END_TEST

START_TEST(the_limit_is_a_line)
{
	struct harness h;

	begin(&h, 80, 24, TS_GLYPHS_FULL);
	harness_says(&h, "limit 624K");
	harness_command(&h, "limit-line");
	ck_assert(!harness_has(&h, "limit 624K"));
	harness_command(&h, "limit-line");
	harness_says(&h, "limit 624K");
	harness_end(&h);
}
END_TEST

/* Parts that are hidden leave the others the room; what the plot shows of each tile is what is left. */
START_TEST(series_are_hidden)
{
	const struct ts_view_arg *arg = ts_view_memory.args;
	struct harness h;
	struct ts_strbuf address;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	ck_assert(harness_type(&h, "series") & TS_EFFECT_UNKNOWN);
	ck_assert_int_eq(harness_type(&h, "series variable"), TS_EFFECT_BELL);
	harness_command(&h, "breakdown region");
	harness_type(&h, "series non-inter");
	harness_says(&h, "hidden: non-interleaved");
	harness_says(&h, "tile with most of it per column");
	ts_strbuf_init(&address, 100);
	while (strcmp(arg->name, "hide") != 0)
		arg++;
	ck_assert(arg->get(h.view, &address));
	ck_assert_str_eq(address.s, "non-interleaved");
	ts_strbuf_fini(&address);
	harness_type(&h, "series i"); /* by its letter */
	harness_says(&h, "hidden: non-interleaved, interleaved");
	ck_assert_int_eq(harness_type(&h, "series x"), TS_EFFECT_BELL);
	harness_type(&h, "series all");
	ck_assert(!harness_has(&h, "hidden:"));
	harness_end(&h);
}
END_TEST

/* Marked variables are series of their own, and follow their marks. */
START_TEST(marked_variables_are_drawn)
{
	struct ts_marked_variable v = {.variable = -1, .row = 1, .lowered = true};
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	snprintf(v.name, sizeof(v.name), "__stack");
	ck_assert(ts_marked_toggle(&h.selection.marked, &v));
	harness_command(&h, "breakdown marked");
	harness_says(&h, "__stack");
	harness_says(&h, "hidden: not marked");
	v.row = 2;
	snprintf(v.name, sizeof(v.name), ".text.poplar_start");
	ck_assert(ts_marked_toggle(&h.selection.marked, &v));
	harness_settle(&h);
	harness_says(&h, "poplar_start");
	harness_command(&h, "pane-zoom");
	harness_look(&h, "parts_marked_120x38");
	ts_marked_clear(&h.selection.marked);
	harness_settle(&h);
	harness_draw(&h);
	harness_end(&h);
}
END_TEST

/* Reports without something: one line says what is missing, and the plot stays. */
START_TEST(what_is_missing_is_said)
{
	static const char *const lines[] = {"breakdown region", "breakdown liveness",
		"breakdown layer", "breakdown family"};
	struct harness h;

	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER);"
		"INSERT INTO tile_memory VALUES(0, 10), (1, 30), (2, 4611686018427387904);");
	harness_start(&h, &ts_view_memory, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	for (size_t i = 0; i < TS_COUNT(lines); i++) {
		ck_assert_int_eq(harness_command(&h, lines[i]), TS_EFFECT_BELL);
		ck_assert(h.env.message_is_error && strstr(h.env.message, "not recorded"));
		harness_says(&h, "Memory of each tile");
	}
	harness_end(&h);
}
END_TEST

/* The expression that finds layers is an option: another one, and the plot is made anew. */
START_TEST(the_pattern_is_an_option)
{
	struct ts_err err = {0};
	struct harness h;

	begin(&h, 120, 38, TS_GLYPHS_FULL);
	harness_command(&h, "breakdown layer");
	harness_says(&h, "layer 1");
	ck_assert_int_eq(ts_option_set(&h.options, "layer-pattern", "layer(", &err), TS_E_USAGE);
	ck_assert_int_eq(ts_option_set(&h.options, "layer-pattern", "(attention|output)", &err),
		TS_OK);
	harness_settle(&h);
	ck_assert(!harness_has(&h, "layer 1"));
	harness_says(&h, "attention");
	harness_says(&h, "no layer");
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("memory_parts");
	TCase *c = tcase_create("memory_parts");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, screens_are_those_that_were_kept, 0, (int)TS_COUNT(shots));
	tcase_add_loop_test(c, parts_come_to_the_whole, 0, 3);
	tcase_add_test(c, ipus_are_summed);
	tcase_add_test(c, parts_are_named_with_figures);
	tcase_add_test(c, the_limit_is_a_line);
	tcase_add_test(c, series_are_hidden);
	tcase_add_test(c, marked_variables_are_drawn);
	tcase_add_test(c, what_is_missing_is_said);
	tcase_add_test(c, the_pattern_is_an_option);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
