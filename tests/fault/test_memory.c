/* SPDX-License-Identifier: MIT */
/*
 * The first, second, ... Nth allocation fails: finding and opening a report, its summary, each figure, the
 * state of its files, the index of a report, the queue of jobs. It has to be said (TS_E_NOMEM), or to change nothing but notes.
 *
 * Check's calls may come to us, too (wrap_alloc.h): nothing is asserted while calls fail.
 * At full depth every allocation of opening is tried; of the rest a sample (see stride()).
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/depth.h"
#include "figures.h"
#include "tilescope/job/jobs.h"
#include "tilescope/report/check.h"
#include "tilescope/report/find.h"
#include "tilescope/report/index.h"
#include "wrap_alloc.h"

static struct {
	bool armed;
	bool on; /* all later ones fail, too */
	int at, calls;
} world;

static bool
alloc_fails(void)
{
	if (!world.armed)
		return false;
	world.calls++;
	return world.on ? world.calls >= world.at : world.calls == world.at;
}

static void
arm(int at, bool on)
{
	world.armed = true;
	world.at = at;
	world.on = on;
	world.calls = 0;
}

/* The calls since arm(). */
static int
disarm(void)
{
	world.armed = false;
	return world.calls;
}

/* About `most` of the calls. */
static int
stride(int calls, int most)
{
	most /= stride_of(8, 32);
	return calls > most ? calls / most : 1;
}

static const enum ts_demo_layout layouts[] = {TS_DEMO_STORE, TS_DEMO_SDK};

static void
open_report(struct ts_report **r, const char *path)
{
	const struct ts_report_options options = {0};
	struct ts_err err = {0};

	disarm();
	ck_assert_msg(ts_report_open(r, path, &options, &err) == TS_OK, "%s", err.msg);
}

static uint64_t
bindings(const struct ts_report *r)
{
	uint64_t d = (uint64_t)r->kind;

	digest_text(&d, r->file);
	digest_text(&d, r->map ? r->map->name : NULL);
	for (int i = 0; i < TS_RELATION_COUNT; i++) {
		const struct ts_binding *b = &r->binding[i];

		digest_i64(&d, b->bound);
		digest_i64(&d, b->reach.key);
		for (int c = 0; b->bound && c < TS_RELATION_COLUMNS; c++) {
			digest_i64(&d, b->column[c].op);
			digest_i64(&d, b->column[c].a);
		}
	}
	for (int i = 0; i < TS_PART_COUNT; i++)
		digest_i64(&d, r->part[i].state);
	return d;
}

static void
expect(enum ts_code code, const struct ts_err *err, bool same, const char *what, int n)
{
	if (code == TS_OK)
		ck_assert_msg(same, "%s, allocation %d: something is missing", what, n);
	else
		ck_assert_msg(code == TS_E_NOMEM && err->code == TS_E_NOMEM,
			"%s, allocation %d: code %d (%s)", what, n, (int)code, err->msg);
}

/* A part beside the profile. */
static void
add_file(char path[100], const char *dir)
{
	FILE *f;

	snprintf(path, 100, "%s/framework.json", dir);
	f = fopen(path, "w");
	fputs("{\"a\": 1}", f);
	fclose(f);
}

START_TEST(opening)
{
	struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_err err = {0};
	struct demo demo;
	char part[100];
	uint64_t whole;
	enum ts_code code;
	int calls;

	demo_begin_with(&demo, layouts[_i], true);
	add_file(part, demo.dir);
	arm(0, false);
	code = ts_report_open(&r, demo.dir, &options, &err);
	calls = disarm();
	ck_assert_int_eq(code, TS_OK);
	ck_assert_int_gt(calls, 100);
	whole = bindings(r);
	ts_report_close(r);
	for (int on = 0; on < 2; on++)
		for (int n = 1; n <= calls; n += stride(calls, 4000)) {
			err = (struct ts_err){0};
			arm(n, on);
			code = ts_report_open(&r, demo.dir, &options, &err);
			disarm();
			ck_assert((code == TS_OK) == (r != NULL));
			expect(code, &err, r && bindings(r) == whole, "opening", n);
			ts_report_close(r);
		}
	unlink(part);
	demo_end(&demo);
}
END_TEST

/* _i: layout x figure */
START_TEST(each_figure)
{
	const struct figure *f = &figures[(size_t)_i % TS_COUNT(figures)];
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	struct demo demo;
	uint64_t whole = 0, d;
	enum ts_code code;
	int calls;

	demo_begin_with(&demo, layouts[(size_t)_i / TS_COUNT(figures)], true);
	open_report(&r, demo.path);
	arm(0, false);
	code = ts_reader_open(&rd, r, &err);
	if (!code)
		code = f->read(&whole, rd, &err);
	calls = disarm();
	ts_reader_close(rd);
	if (code == TS_E_ABSENT)
		calls = 0;
	for (int n = 1; n <= calls; n += stride(calls, 1000)) {
		d = 0;
		err = (struct ts_err){0};
		arm(n, n % 2);
		code = ts_reader_open(&rd, r, &err);
		if (!code)
			code = f->read(&d, rd, &err);
		disarm();
		expect(code, &err, d == whole, f->name, n);
		if (rd) { /* the same connection, memory again */
			d = 0;
			ck_assert_int_eq(f->read(&d, rd, &err), TS_OK);
			ck_assert_msg(d == whole, "%s, after allocation %d", f->name, n);
		}
		ts_reader_close(rd);
	}
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

START_TEST(the_summary)
{
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	struct demo demo;
	uint64_t whole = 0, d;
	enum ts_code code;
	bool partial;
	int calls;

	demo_begin_with(&demo, layouts[_i], true);
	open_report(&r, demo.path);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	arm(0, false);
	code = read_summary(&whole, &partial, rd, &err);
	calls = disarm();
	ck_assert_int_eq(code, TS_OK);
	for (int n = 1; n <= calls; n += stride(calls, 1000)) {
		d = 0;
		err = (struct ts_err){0};
		arm(n, n % 2);
		code = read_summary(&d, &partial, rd, &err);
		disarm();
		expect(code, &err, d == whole, "summary", n);
	}
	ts_reader_close(rd);
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

static enum ts_code
check_files(uint64_t *d, const char *dir, struct ts_err *err)
{
	const struct ts_check_options options = {.deep = true};
	struct ts_check c;
	enum ts_code code = ts_check_read(&c, dir, &options, err);

	for (size_t i = 0; i < c.parts; i++) {
		const struct ts_check_part *p = &c.part[i];

		digest_text(d, p->name);
		digest_text(d, p->path);
		digest_i64(d, p->state);
		for (size_t k = 0; k < p->items; k++) {
			digest_text(d, p->item[k].name);
			digest_i64(d, p->item[k].count);
		}
	}
	digest_i64(d, c.is_report + 2 * c.usable + 4 * c.notes.partial);
	ts_check_fini(&c);
	return code;
}

START_TEST(the_state_of_files)
{
	struct ts_err err = {0};
	struct demo demo;
	char part[100];
	uint64_t whole = 0, d;
	enum ts_code code;
	int calls;

	demo_begin_with(&demo, layouts[_i], true);
	add_file(part, demo.dir);
	arm(0, false);
	code = check_files(&whole, demo.dir, &err);
	calls = disarm();
	ck_assert_int_eq(code, TS_OK);
	ck_assert_int_gt(calls, 100);
	for (int n = 1; n <= calls; n += stride(calls, 500)) {
		d = 0;
		err = (struct ts_err){0};
		arm(n, n % 2);
		code = check_files(&d, demo.dir, &err);
		disarm();
		expect(code, &err, d == whole, "files", n);
	}
	unlink(part);
	demo_end(&demo);
}
END_TEST

START_TEST(looking_below_a_directory)
{
	static struct ts_found_list list;
	struct ts_err err = {0};
	struct demo demo;
	char *file;

	demo_begin_with(&demo, TS_DEMO_SDK, true);
	for (int n = 1, calls = 1; n <= calls + 1; n++) {
		enum ts_code code;

		arm(n, false);
		code = ts_find_reports(&list, NULL, demo.dir, NULL, &err);
		calls = disarm();
		expect(code, &err, list.count == 1, "looking", n);
		ck_assert(code != TS_OK || n > calls);
		ts_found_list_fini(&list);
		arm(n, false);
		code = ts_find_profile(&file, NULL, demo.dir, NULL, &err);
		calls = calls > disarm() ? calls : world.calls;
		expect(code, &err, file != NULL, "finding", n);
		free(file);
	}
	demo_end(&demo);
}
END_TEST

/* What an index is asked for, from the directory to its removal; *found: what was read of it, or listed. */
static enum ts_code
keep_index(int *found, const struct ts_report *r, const char *dir, struct ts_err *err)
{
	struct ts_cache_entry *entries = NULL;
	struct ts_section_writer *w = NULL;
	struct ts_index_lock *lock = NULL;
	struct ts_index *x = NULL, *y = NULL;
	struct ts_cache c = {0};
	size_t n = 0;
	struct ts_cache_cleared cleared;
	void *room;
	bool got;
	enum ts_code code = ts_cache_init(&c, dir, 1, err), last;

	*found = 0;
	if (!code && !c.dir)
		code = TS_E_NOMEM; /* it goes on without, and says why */
	if (!code)
		code = ts_index_lock_take(&lock, &got, &c, r, err);
	if (!code)
		code = ts_section_create(&w, &c, r, TS_SECTION_STEPS, err);
	if (!code)
		code = ts_section_append(w, NULL, "12345678", 8, err);
	if (!code)
		code = ts_section_room(w, NULL, &room, 10000, err);
	if (!code)
		code = ts_section_commit(w, err);
	else
		ts_section_abandon(w);
	if (!code)
		code = ts_index_open(&x, &c, r, NULL, NULL, err);
	if (!code)
		code = ts_index_with(&y, x, TS_SECTION_STEPS, &c, r, err);
	if (!code)
		*found += ts_index_section(y, TS_SECTION_STEPS, &n) && n == 10008;
	if (!code)
		code = ts_cache_list(&entries, &n, &c, err);
	if (!code)
		*found += n == 1 && strcmp(entries[0].path, r->real) == 0 && !entries[0].gone;
	ts_cache_list_free(entries, code ? 0 : n);
	ts_index_release(x);
	ts_index_release(y);
	ts_index_lock_give(lock);
	last = c.dir ? ts_cache_clear(&cleared, &c, code ? NULL : err) : TS_OK;
	ts_cache_fini(&c);
	return code ? code : last;
}

START_TEST(the_index)
{
	struct ts_report *r;
	struct ts_err err = {0};
	struct demo demo;
	char dir[100];
	enum ts_code code;
	int calls, found, left = 0;

	demo_begin_with(&demo, TS_DEMO_SDK, true);
	open_report(&r, demo.path);
	snprintf(dir, sizeof(dir), "%s/cache", demo.dir);
	arm(0, false);
	code = keep_index(&found, r, dir, &err);
	calls = disarm();
	ck_assert_msg(code == TS_OK && found == 2, "%s", err.msg);
	ck_assert_int_gt(calls, 20);
	for (int n = 1; n <= calls; n++) {
		arm(n, n % 2);
		code = keep_index(&found, r, dir, &err);
		disarm();
		ck_assert_msg(code ? code == TS_E_NOMEM : found == 2, "allocation %d: code %d (%s)",
			n, (int)code, err.msg);
	}
	ck_assert_int_eq(keep_index(&found, r, dir, &err), TS_OK);
	ck_assert_int_eq(found, 2);
	for (const char *const *p = (const char *const[]){"index", "", NULL}; *p; p++) {
		char path[120];

		snprintf(path, sizeof(path), "%s/%s", dir, *p);
		left += rmdir(path) < 0;
	}
	ck_assert_int_eq(left, 0);
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

START_TEST(starting_workers)
{
	struct ts_jobs *jobs;
	struct ts_err err = {0};
	enum ts_code code;
	int calls;

	arm(0, false);
	code = ts_jobs_new(&jobs, 100, NULL, &err);
	calls = disarm();
	ck_assert_int_eq(code, TS_OK);
	while (!ts_jobs_free(jobs, NULL))
		; /* it waits for a while each time: a busy machine may need more */
	ck_assert_int_ge(calls, 3);
	for (int n = 1; n <= calls; n++) {
		arm(n, false);
		code = ts_jobs_new(&jobs, 100, NULL, &err);
		disarm();
		ck_assert_int_eq(code, TS_E_NOMEM);
		ck_assert_ptr_null(jobs);
	}
}
END_TEST

int
main(void)
{
	const int layout_count = (int)TS_COUNT(layouts);
	Suite *s = suite_create("missing memory");
	TCase *c = tcase_create("memory");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 40);
	tcase_add_loop_test(c, opening, 0, layout_count);
	tcase_add_loop_test(c, each_figure, 0, layout_count * (int)TS_COUNT(figures));
	tcase_add_loop_test(c, the_summary, 0, layout_count);
	tcase_add_loop_test(c, the_state_of_files, 0, layout_count);
	tcase_add_test(c, looking_below_a_directory);
	tcase_add_test(c, the_index);
	tcase_add_test(c, starting_workers);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
