/* SPDX-License-Identifier: MIT */
/*
 * Steps of the Liveness graph that are searched for and filtered, against what SQL says of them: how many there are, where
 * the next one is, which is the highest.
 */
#include "config.h"

#include "view_harness.h"

#include "../unit/damage.h"
#include "tilescope/report/live_steps.h"
#include "tilescope/view/liveness.h"

#define CALLED                                                                              \
	"SELECT %s FROM liveness_step l JOIN program p ON p.program = l.program LEFT JOIN " \
	"compute_set c ON c.compute_set = p.compute_set WHERE "
#define NAME "(p.type || ' ' || coalesce(nullif(p.name, ''), c.name, ''))"

static void
begin(struct harness *h)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 16, .steps = 400, .variables = 1500};

	harness_demo(h, &o);
	harness_start(h, &ts_view_liveness, 120, 38, TS_GLYPHS_FULL);
	harness_settle(h);
}

static void TS_PRINTF(2, 3) says(struct harness *h, const char *fmt, ...)
{
	char words[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	harness_says(h, words);
}

static void
command(struct harness *h, const char *line)
{
	harness_command(h, line);
	harness_settle(h);
}

/* The command alone: nothing is asked for yet. */
static void
filter_line(struct harness *h, const char *line)
{
	char text[100], *words[] = {text};
	struct ts_call call;

	snprintf(text, sizeof(text), "%s", line);
	ck_assert_int_eq(ts_call_make(&call, TS_CMD_FILTER, words, 1, NULL), TS_OK);
	h->view->ops->command(h->view, &call);
}

/* An empty line: all steps. */
static void
unfilter(struct harness *h)
{
	filter_line(h, "");
	h->view->ops->request(h->view);
	harness_settle(h);
}

/* A search goes from hit to hit, in both directions and around the ends. */
START_TEST(search)
{
	static const char hit[] = CALLED NAME " LIKE '%%matmul%%'";
	struct harness h;
	int64_t first, second, last, hits;

	begin(&h);
	hits = harness_number(&h, hit, "count(*)");
	first = harness_number(&h, hit, "min(live_step)");
	last = harness_number(&h, hit, "max(live_step)");
	second = harness_number(&h, CALLED NAME " LIKE '%%matmul%%' AND live_step > %lld",
		"min(live_step)", (long long)first);
	ck_assert_int_gt(hits, 3);
	command(&h, "first");
	command(&h, "search matMUL");
	ck_assert_int_eq(h.selection.live_step, first);
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit 1 of"));
	command(&h, "search-next");
	ck_assert_int_eq(h.selection.live_step, second);
	command(&h, "search-previous");
	command(&h, "search-previous");
	ck_assert_int_eq(h.selection.live_step, last);
	command(&h, "search-next");
	ck_assert_int_eq(h.selection.live_step, first);
	command(&h, "last");
	command(&h, "search-back matmul");
	ck_assert_int_eq(h.selection.live_step, last);
	ck_assert(harness_command(&h, "search no such program") & TS_EFFECT_REPAINT);
	harness_settle(&h);
	ck_assert_ptr_nonnull(strstr(h.env.message, "no step runs a program of this name"));
	ck_assert_int_eq(h.selection.live_step, last);
	harness_end(&h);
}
END_TEST

static const struct {
	const char *line, *where;
} filters[] = {
	{"type=DoExchange", "p.type = 'DoExchange'"},
	{"matMul", NAME " LIKE '%matmul%'"},
	{"matMul and not type=DoExchange", NAME " LIKE '%matmul%' AND p.type <> 'DoExchange'"},
	{"step:100-300 bytes>=100K",
		"l.live_step BETWEEN 100 AND 300 AND l.not_always_live >= 102400"},
	{"name~layer_0.*out or name~\"^Sync\"",
		"(" NAME " GLOB '*layer_0*out*' OR " NAME " GLOB 'Sync*')"},
	{"program:0-50", "p.program BETWEEN 0 AND 50"},
};

/* A filter leaves the steps that SQL leaves, and the highest of them; none brings all back. */
START_TEST(filter)
{
	char line[200], n[TS_FMT_MAX], m[TS_FMT_MAX], what[700];
	struct harness h;
	int64_t kept, all, highest;

	begin(&h);
	snprintf(what, sizeof(what),
		"SELECT count(*) FROM liveness_step l JOIN program p ON p.program "
		"= l.program LEFT JOIN compute_set c ON c.compute_set = "
		"p.compute_set WHERE %s",
		filters[_i].where);
	kept = harness_number(&h, "%s", what);
	all = harness_number(&h, "SELECT count(*) FROM liveness_step");
	snprintf(what, sizeof(what),
		"SELECT live_step FROM liveness_step l JOIN program p ON p.program "
		"= l.program LEFT JOIN compute_set c ON c.compute_set = "
		"p.compute_set WHERE %s ORDER BY not_always_live DESC, live_step",
		filters[_i].where);
	ck_assert_int_gt(kept, 1);
	ck_assert_int_lt(kept, all);
	highest = harness_number(&h, "%s", what);
	snprintf(line, sizeof(line), "filter %s", filters[_i].line);
	command(&h, line);
	says(&h, "%s of %s steps with %.20s", ts_fmt_count(n, kept), ts_fmt_count(m, all),
		filters[_i].line);
	command(&h, "first");
	command(&h, "peak-next");
	ck_assert_int_eq(h.selection.live_step, highest);
	unfilter(&h);
	says(&h, "all tiles, %s steps", ts_fmt_count(m, all));
	ck_assert_int_eq(h.selection.live_step, highest);
	harness_end(&h);
}
END_TEST

/* What is wrong, or leaves nothing, changes nothing; another source has the same filter; lifetimes stay those of all steps. */
START_TEST(kept)
{
	struct harness h;

	begin(&h);
	command(&h, "filter size>>3");
	ck_assert_ptr_null(strstr(h.env.message, "of"));
	harness_says(&h, "all tiles, 1,043 steps");
	command(&h, "filter xyzzy");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no step passes"));
	harness_says(&h, "all tiles, 1,043 steps");
	command(&h, "filter step:0-9");
	harness_says(&h, "all tiles, 10 of 1,043 steps");
	command(&h, "filter step:0-19");
	harness_says(&h, "all tiles, 20 of 1,043 steps");
	command(&h, "filter xyzzy");
	harness_says(&h, "all tiles, 20 of 1,043 steps");
	command(&h, "source ipu 1");
	harness_says(&h, "ipu 1, 20 of 1,043 steps");
	command(&h, "search e");
	command(&h, "source all");
	harness_says(&h, "all tiles, 20 of 1,043 steps");
	command(&h, "search-next");
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit "));
	command(&h, "marks-clear");
	ck_assert(harness_command(&h, "search-next") & TS_EFFECT_BELL);
	command(&h, "goto 500");
	ck_assert_int_eq(h.selection.live_step, 19);
	unfilter(&h);
	harness_says(&h, "all tiles, 1,043 steps");
	harness_end(&h);
}
END_TEST

/* Without programs no step has a name: nothing is found, and bytes can be asked for all the same. */
START_TEST(nameless)
{
	struct harness h;

	harness_dir(&h);
	harness_rows(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE liveness_step(live_step, program, not_always_live);"
		"CREATE TABLE tile_memory(tile, total);"
		"INSERT INTO liveness_step VALUES(0,7,1),(1,NULL,5000),(2,9,3000),(3,9,1)");
	harness_start(&h, &ts_view_liveness, 80, 22, TS_GLYPHS_FULL);
	harness_settle(&h);
	command(&h, "filter not type=x");
	ck_assert_msg(strstr(h.env.message, "names of programs are not recorded here: not") != NULL,
		"%s", h.env.message);
	command(&h, "search a");
	ck_assert_str_eq(h.env.message, "names of programs are not recorded here");
	ck_assert(!h.env.partial);
	command(&h, "filter bytes>2K or name~a");
	harness_says(&h, "2 of 4 steps");
	ck_assert_ptr_nonnull(strstr(h.env.message, "(names of programs are not recorded here)"));
	unfilter(&h);
	command(&h, "filter bytes>2K");
	ck_assert_str_eq(h.env.message, "2 of 4 steps");
	harness_says(&h, "2 of 4 steps");
	command(&h, "filter program:9");
	harness_says(&h, "2 of 4 steps");
	harness_end(&h);
}
END_TEST

/* Names that are damaged are said wherever they are asked for, and nowhere else. */
START_TEST(damaged)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 16, .steps = 400, .variables = 1500};
	static const char said[] = "(partial: not all names can be read)";
	struct harness h;

	harness_demo(&h, &o);
	damage_leaf(h.path, _i ? "compute_sets" : "programs", 1); /* SQL ends there */
	harness_start(&h, &ts_view_liveness, 160, 38, TS_GLYPHS_FULL);
	harness_settle(&h);
	command(&h, "filter step:0-9");
	harness_says(&h, "10 of 1,043 steps with step:0-9");
	ck_assert(!harness_has(&h, said) && !h.env.partial);
	ck_assert_str_eq(h.env.message, "10 of 1,043 steps");
	command(&h, "filter name~e");
	harness_says(&h, "of 1,043 steps with name~e (partial: not all names can be read)");
	ck_assert_ptr_nonnull(strstr(h.env.message, said));
	ck_assert(h.env.partial);
	h.env.partial = false;
	command(&h, "filter name~xyzzy");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no step passes"));
	ck_assert_ptr_nonnull(strstr(h.env.message, said));
	ck_assert(h.env.partial);
	h.env.partial = false;
	unfilter(&h);
	command(&h, "search e");
	ck_assert_ptr_nonnull(strstr(h.env.message, "hit "));
	ck_assert_ptr_nonnull(strstr(h.env.message, said));
	ck_assert(h.env.partial);
	command(&h, "search xyzzy");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no step runs"));
	ck_assert_ptr_nonnull(strstr(h.env.message, said));
	harness_end(&h);
}
END_TEST

/* A line that is wrong leaves the one that waits as it is. */
START_TEST(wrong_while_one_waits)
{
	struct harness h;

	begin(&h);
	filter_line(&h, "step:0-9");
	filter_line(&h, "step:0-19 size>>3");
	h.view->ops->request(h.view);
	harness_settle(&h);
	harness_says(&h, "10 of 1,043 steps with step:0-9");
	harness_end(&h);
}
END_TEST

/* Nothing is left of groups of steps: an empty timeline. */
START_TEST(none_of_groups)
{
	int64_t step[] = {0, 4}, bytes[] = {5, 6};
	int32_t program[] = {-1, -1};
	unsigned char hit[] = {0, 0};
	const struct ts_liveness points = {.count = 2,
		.per = 4,
		.last = 4,
		.steps = 8,
		.first_step = 0,
		.last_step = 7,
		.step = step,
		.bytes = bytes,
		.program = program};
	const struct ts_live_hits none = {.points = 2, .hit = hit};
	struct ts_liveness out;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_live_hits_keep(&out, &points, &none, &err), TS_OK);
	ck_assert_uint_eq(out.count, 0);
	ck_assert_int_eq(out.steps, 0);
	ck_assert_int_eq(out.first_step, TS_UNKNOWN);
	ck_assert_int_eq(out.last_step, TS_UNKNOWN);
	ts_liveness_fini(&out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("liveness steps");
	TCase *tc = tcase_create("liveness steps");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, search);
	tcase_add_loop_test(tc, filter, 0, TS_COUNT(filters));
	tcase_add_test(tc, kept);
	tcase_add_test(tc, nameless);
	tcase_add_loop_test(tc, damaged, 0, 2);
	tcase_add_test(tc, wrong_while_one_waits);
	tcase_add_test(tc, none_of_groups);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
