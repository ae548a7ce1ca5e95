/* SPDX-License-Identifier: MIT */
/*
 * The frame of a build: what is planned, how rows are split, that everything of a stage is given back in
 * whatever way it ends, and that what was finished is there at the next start.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"

#include "index_dir.h"

#define ALL (ts_section_bit(TS_SECTION_COUNT) - 1)

static struct index_dir d;
static struct ts_report *r;
static struct ts_err err;

/* What the passes below were called for. */
static struct {
	int begun, parts, finished, part_finis, finis;
	enum ts_code fail_begin, fail_part, fail_finish;
	bool cannot;
} world;

static void
begin(void)
{
	memset(&world, 0, sizeof(world));
	index_dir_begin(&d);
	r = index_dir_report(&d, "a.pop");
}

static void
end(void)
{
	ts_report_close(r);
	index_dir_end(&d);
}

/* A relation with these row ids, none of which is read. */
static void
bind(enum ts_relation relation, bool has_rowid, int64_t first, int64_t last)
{
	r->binding[relation].bound = true;
	r->binding[relation].reach = (struct ts_reach){.rows = &r->schema[0]->object[0],
		.column = -1,
		.has_rowid = has_rowid,
		.first_rowid = first,
		.last_rowid = last};
}

/* --- passes ----------------------------------------------------------------------------------- */

struct sum {
	int64_t rows;
	void *memory;
};

static bool
can(const struct ts_report *report)
{
	return report == r && !world.cannot;
}

static enum ts_code
pass_begin(struct ts_pass_run *run, struct ts_err *e)
{
	struct sum *sum = run->state;

	world.begun++;
	ck_assert_int_eq(sum->rows, 0);
	sum->memory = malloc(10);
	return world.fail_begin ? ts_err_set(e, world.fail_begin, "begin") : TS_OK;
}

static enum ts_code
pass_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *e)
{
	struct sum *sum = p->state;

	(void)rd;
	world.parts++;
	sum->memory = malloc(20);
	sum->rows = p->to - p->from;
	ts_progress_set(progress, sum->rows, sum->rows);
	return world.fail_part ? ts_err_set(e, world.fail_part, "part") : TS_OK;
}

static enum ts_code
pass_finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *e)
{
	struct sum *sum = run->state;
	enum ts_code code = TS_OK;

	(void)rd;
	(void)progress;
	world.finished++;
	for (int i = 0; i < count; i++) {
		ck_assert_int_eq(parts[i].number, i);
		sum->rows += ((struct sum *)parts[i].state)->rows;
	}
	for (int i = 0; !code && i < TS_PASS_SECTIONS; i++)
		if (run->writer[i])
			code = ts_section_append(run->writer[i], NULL, &sum->rows, 8, e);
	return world.fail_finish ? ts_err_set(e, world.fail_finish, "finish") : code;
}

static void
pass_part_fini(struct ts_pass_part *p)
{
	world.part_finis++;
	free(((struct sum *)p->state)->memory);
}

static void
pass_fini(struct ts_pass_run *run)
{
	world.finis++;
	free(((struct sum *)run->state)->memory);
}

#define PASS(name, relation, a, b)                                                               \
	{                                                                                        \
		name, relation, {a, b}, can, sizeof(struct sum), sizeof(struct sum), pass_begin, \
			pass_part, pass_finish, pass_part_fini, pass_fini, false                 \
	}

static const struct ts_pass steps = PASS("steps", TS_STEP, TS_SECTION_STEPS, TS_SECTION_COUNT);
static const struct ts_pass both = PASS("both", TS_STEP_IPU, TS_SECTION_VARIABLES,
	TS_SECTION_CATEGORIES);
static const struct ts_pass *const passes[] = {&both, &steps, NULL};

static struct ts_build *
plan(struct ts_index *have, uint64_t wanted, int parts)
{
	struct ts_build *b;
	bool busy;

	ck_assert_msg(ts_build_new_with(&b, &busy, r, &d.c, have, wanted, parts, passes, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert(!busy);
	ck_assert_ptr_nonnull(b);
	return b;
}

/* One stage from its beginning to its end. */
static enum ts_code
run(struct ts_build *b, int stage, struct ts_index **out)
{
	struct ts_progress progress = {0};
	enum ts_code code = ts_build_begin(b, stage, &err);

	*out = NULL;
	if (code)
		return code;
	for (int i = 0; !code && i < ts_build_parts(b, stage); i++)
		code = ts_build_part(b, stage, i, NULL, &progress, &err);
	if (!code)
		return ts_build_finish(out, b, stage, NULL, &progress, &err);
	ts_build_drop(b, stage);
	return code;
}

static int64_t
number(const struct ts_index *x, enum ts_section s)
{
	size_t size;
	const int64_t *v = ts_index_section(x, s, &size);

	ck_assert_ptr_nonnull(v);
	ck_assert_uint_eq(size, 8);
	return *v;
}

/* Everything that was begun was given back, and nothing half-done is left. */
static void
balanced(int parts)
{
	ck_assert_int_eq(world.part_finis, parts);
	ck_assert_int_eq(world.finis, world.begun);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
}

/* --- tests ------------------------------------------------------------------------------------ */

START_TEST(builds_what_is_missing)
{
	struct ts_index *x, *y;
	struct ts_build *b;

	bind(TS_STEP, true, 1, 1000);
	bind(TS_STEP_IPU, true, -5, 94);
	b = plan(NULL, ALL, 4);
	ck_assert_int_eq(ts_build_stages(b), 2);
	ck_assert_str_eq(ts_build_what(b, 0), "both");
	ck_assert_int_eq(ts_build_rows(b, 0), 100);
	ck_assert_uint_eq(ts_build_sections(b, 0),
		ts_section_bit(TS_SECTION_VARIABLES) | ts_section_bit(TS_SECTION_CATEGORIES));
	ck_assert_int_eq(run(b, 0, &x), TS_OK);
	ck_assert_int_eq(number(x, TS_SECTION_VARIABLES), 100);
	ck_assert_int_eq(number(x, TS_SECTION_CATEGORIES), 100);
	ck_assert_ptr_eq(ts_build_index(b), x);
	ck_assert_int_eq(run(b, 1, &y), TS_OK);
	ck_assert_int_eq(number(y, TS_SECTION_STEPS), 1000);
	ck_assert_int_eq(number(y, TS_SECTION_VARIABLES), 100);
	ts_index_release(x);
	ts_build_free(b);
	balanced(8);
	b = plan(y, ALL, 4);
	ck_assert_int_eq(ts_build_stages(b), 0);
	ts_build_free(b);
	ts_index_release(y);
	/* the next start: what is on disk is found without being handed over */
	b = plan(NULL, ALL, 4);
	ck_assert_int_eq(ts_build_stages(b), 0);
	ck_assert_int_eq(number(ts_build_index(b), TS_SECTION_STEPS), 1000);
	ts_build_free(b);
}
END_TEST

START_TEST(only_what_is_wanted)
{
	struct ts_build *b;

	bind(TS_STEP, true, 1, 1000);
	bind(TS_STEP_IPU, true, 1, 100);
	b = plan(NULL, ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES), 1);
	ck_assert_int_eq(ts_build_stages(b), 1);
	ck_assert_str_eq(ts_build_what(b, 0), "steps");
	ts_build_free(b);
	b = plan(NULL, ts_section_bit(TS_SECTION_CATEGORIES), 1);
	ck_assert_int_eq(ts_build_stages(b), 1);
	ck_assert_str_eq(ts_build_what(b, 0), "both");
	ts_build_free(b);
	b = plan(NULL, 0, 1);
	ck_assert_int_eq(ts_build_stages(b), 0);
	ts_build_free(b);
	world.cannot = true;
	b = plan(NULL, ALL, 1);
	ck_assert_int_eq(ts_build_stages(b), 0);
	ts_build_free(b);
}
END_TEST

/* Parts are in order, meet, and cover all rows; none is empty. */
START_TEST(rows_are_split)
{
	const struct {
		int64_t first, last;
		int most, parts;
	} t[] = {{1, 1000, 4, 4}, {1, 10, 4, 4}, {1, 3, 16, 3}, {7, 7, 16, 1}, {1, 1000, 99, 16},
		{1, 1000, 0, 1}, {-1000, 1000, 7, 7}, {INT64_MIN, INT64_MIN + 9, 3, 3},
		{1, INT64_MAX - 1, 3, 3}, {INT64_MAX - 5, INT64_MAX - 1, 2, 2}};

	for (size_t i = 0; i < TS_COUNT(t); i++) {
		struct ts_index *x;
		struct ts_build *b;
		struct ts_cache_cleared cleared;

		bind(TS_STEP, true, t[i].first, t[i].last);
		b = plan(NULL, ts_section_bit(TS_SECTION_STEPS), t[i].most);
		ck_assert_msg(ts_build_parts(b, 0) == t[i].parts, "line %zu: %d parts", i,
			ts_build_parts(b, 0));
		ck_assert_int_eq(run(b, 0, &x), TS_OK);
		ck_assert_int_eq(number(x, TS_SECTION_STEPS), t[i].last - t[i].first + 1);
		ts_index_release(x);
		ts_build_free(b);
		ck_assert_int_eq(ts_cache_clear(&cleared, &d.c, &err), TS_OK);
	}
}
END_TEST

static enum ts_range seen_range;

static enum ts_code
look_at_range(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *e)
{
	(void)rd;
	(void)progress;
	(void)e;
	seen_range = p->range;
	return TS_OK;
}

/* _i: no row ids; none at all; the last row id of all; more than can be counted */
START_TEST(rows_are_not_split)
{
	struct ts_pass pass = steps;
	const struct ts_pass *const list[] = {&pass, NULL};
	struct ts_build *b;
	bool busy;

	pass.part = look_at_range;
	pass.part_fini = NULL;
	seen_range = TS_RANGE_KEY;
	bind(TS_STEP, _i > 0, _i == 3 ? INT64_MIN : 1, (const int64_t[]){50, 0, INT64_MAX, 5}[_i]);
	ck_assert_int_eq(ts_build_new_with(&b, &busy, r, &d.c, NULL, ALL, 8, list, &err), TS_OK);
	ck_assert_int_eq(ts_build_parts(b, 0), 1);
	ck_assert_int_eq(ts_build_begin(b, 0, &err), TS_OK);
	ck_assert_int_eq(ts_build_part(b, 0, 0, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(seen_range, TS_RANGE_ALL);
	ts_build_free(b);
	ck_assert_int_eq(world.finis, 1);
}
END_TEST

/* _i: where a stage fails; the next one is built all the same */
START_TEST(a_stage_fails)
{
	struct ts_index *x;
	struct ts_build *b;

	bind(TS_STEP, true, 1, 1000);
	bind(TS_STEP_IPU, true, 1, 100);
	*(enum ts_code *[]){&world.fail_begin, &world.fail_part,
		&world.fail_finish}[_i] = TS_E_DAMAGED;
	b = plan(NULL, ALL, 3);
	ck_assert_int_eq(run(b, 0, &x), TS_E_DAMAGED);
	ck_assert_ptr_null(x);
	balanced(3);
	world.fail_begin = world.fail_part = world.fail_finish = TS_OK;
	ck_assert_int_eq(run(b, 1, &x), TS_OK);
	ck_assert_int_eq(number(x, TS_SECTION_STEPS), 1000);
	ts_index_release(x);
	ts_build_drop(b, 0);
	ts_build_free(b);
	balanced(6);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
}
END_TEST

/* Ended amid a stage: it is lost, and nothing else. */
START_TEST(ended_early)
{
	struct ts_index *x;
	struct ts_build *b;

	bind(TS_STEP, true, 1, 1000);
	bind(TS_STEP_IPU, true, 1, 100);
	b = plan(NULL, ALL, 2);
	ck_assert_int_eq(run(b, 0, &x), TS_OK);
	ts_index_release(x);
	ck_assert_int_eq(ts_build_begin(b, 1, &err), TS_OK);
	ck_assert_int_eq(ts_build_part(b, 1, 1, NULL, NULL, &err), TS_OK);
	ts_build_free(b);
	balanced(4);
	b = plan(NULL, ALL, 2);
	ck_assert_int_eq(ts_build_stages(b), 1);
	ck_assert_str_eq(ts_build_what(b, 0), "steps");
	ts_build_free(b);
}
END_TEST

START_TEST(somebody_else_builds)
{
	struct ts_build *b, *second;
	struct ts_index *x;
	bool busy;

	bind(TS_STEP, true, 1, 1000);
	b = plan(NULL, ALL, 2);
	ck_assert_int_eq(ts_build_new_with(&second, &busy, r, &d.c, NULL, ALL, 2, passes, &err),
		TS_OK);
	ck_assert(busy && !second);
	ck_assert_int_eq(run(b, 1, &x), TS_OK);
	ts_index_release(x);
	ts_build_free(b);
	/* it gets what the other one finished, and has to do the rest */
	second = plan(NULL, ALL, 2);
	ck_assert_int_eq(ts_build_stages(second), 1);
	ck_assert_int_eq(number(ts_build_index(second), TS_SECTION_STEPS), 1000);
	ts_build_free(second);
}
END_TEST

START_TEST(report_changes_meanwhile)
{
	char path[INDEX_PATH];
	struct ts_index *x;
	struct ts_build *b;

	bind(TS_STEP, true, 1, 1000);
	b = plan(NULL, ts_section_bit(TS_SECTION_STEPS), 2);
	snprintf(path, sizeof(path), "%s/a.pop", d.dir);
	ck_assert_int_eq(unlink(path), 0);
	index_dir_write(&d, "a.pop", "another");
	ck_assert_int_eq(run(b, 0, &x), TS_E_STALE);
	ck_assert_ptr_null(x);
	ts_build_free(b);
	balanced(2);
	ck_assert_int_eq(index_dir_count(&d, r, ".idx"), 0);
}
END_TEST

START_TEST(no_cache)
{
	struct ts_cache none = {0};
	struct ts_build *b;
	bool busy = true;

	ck_assert_int_eq(ts_build_new(&b, &busy, r, &none, NULL, ALL, 2, &err), TS_E_ABSENT);
	ck_assert_ptr_null(b);
	ck_assert(!busy);
	ts_build_free(NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("build");
	TCase *c = tcase_create("build");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, builds_what_is_missing);
	tcase_add_test(c, only_what_is_wanted);
	tcase_add_test(c, rows_are_split);
	tcase_add_loop_test(c, rows_are_not_split, 0, 4);
	tcase_add_loop_test(c, a_stage_fails, 0, 3);
	tcase_add_test(c, ended_early);
	tcase_add_test(c, somebody_else_builds);
	tcase_add_test(c, report_changes_meanwhile);
	tcase_add_test(c, no_cache);
	suite_add_tcase(s, c);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
