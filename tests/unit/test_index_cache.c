/* SPDX-License-Identifier: MIT */
/*
 * The cache of indexes: which directory, locks, what is evicted first, what is listed; and whether a report
 * is still the one that it was.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/mem.h"

#include "index_dir.h"

static struct index_dir d;
static struct ts_err err;

static void
begin(void)
{
	index_dir_begin(&d);
}

static void
end(void)
{
	index_dir_end(&d);
}

/* --- which directory -------------------------------------------------------------------------- */

START_TEST(directories)
{
	struct ts_cache c;
	char path[INDEX_PATH];
	struct stat st;

	ck_assert_int_eq(ts_cache_init(&c, "none", 1, &err), TS_OK);
	ck_assert_ptr_null(c.dir);
	ck_assert_str_eq(c.why, "");
	ts_cache_fini(&c);

	snprintf(path, sizeof(path), "%s/x/y", d.dir);
	ck_assert_int_eq(ts_cache_look(&c, path, &err), TS_OK);
	ck_assert_ptr_null(c.dir);
	ck_assert_str_eq(c.why, "");
	ck_assert_int_lt(stat(path, &st), 0);

	setenv("XDG_CACHE_HOME", path, 1);
	ck_assert_int_eq(ts_cache_init(&c, NULL, 1, &err), TS_OK);
	snprintf(path, sizeof(path), "%s/x/y/tilescope", d.dir);
	ck_assert_str_eq(c.dir, path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0700);
	ts_cache_fini(&c);
	ck_assert_int_eq(ts_cache_look(&c, NULL, &err), TS_OK);
	ck_assert_str_eq(c.dir, path);
	ts_cache_fini(&c);

	setenv("XDG_CACHE_HOME", "not/absolute", 1);
	setenv("HOME", d.dir, 1);
	ck_assert_int_eq(ts_cache_init(&c, NULL, 1, &err), TS_OK);
	snprintf(path, sizeof(path), "%s/.cache/tilescope", d.dir);
	ck_assert_str_eq(c.dir, path);
	ts_cache_fini(&c);
	unsetenv("HOME");
	ck_assert_int_eq(ts_cache_init(&c, NULL, 1, &err), TS_OK);
	ck_assert_ptr_null(c.dir);
	ck_assert_ptr_nonnull(strstr(c.why, "--cache DIR"));
	ts_cache_fini(&c);
}
END_TEST

/* Everything answers, nothing is kept. */
static void
works_without(const struct ts_cache *c)
{
	struct ts_report *r = index_dir_report(&d, "a.pop");
	struct ts_section_writer *w;
	struct ts_cache_entry *entries;
	struct ts_index_lock *lock;
	struct ts_index *x;
	struct ts_cache_cleared cleared;
	size_t n;
	void *p;
	bool got;

	ck_assert_int_eq(ts_index_open(&x, c, r, NULL, NULL, &err), TS_OK);
	ck_assert_ptr_nonnull(x);
	ck_assert_int_eq(ts_index_bytes(x), 0);
	ck_assert_int_eq(ts_section_create(&w, c, r, TS_SECTION_STEPS, &err), TS_E_ABSENT);
	ck_assert_int_eq(ts_index_lock_take(&lock, &got, c, r, &err), TS_E_ABSENT);
	ck_assert_int_eq(ts_spill_new(&p, c, 4096, &err), TS_OK);
	ts_spill_free(p, 4096);
	ck_assert_int_eq(ts_cache_list(&entries, &n, c, &err), TS_OK);
	ck_assert_uint_eq(n, 0);
	ts_cache_list_free(entries, n);
	ck_assert_int_eq(ts_cache_clear(&cleared, c, &err), TS_OK);
	ck_assert_uint_eq(cleared.reports, 0);
	ts_index_release(x);
	ts_report_close(r);
}

/* _i: what is in the way; root may write to any directory, so that its mode says nothing */
START_TEST(of_no_use)
{
	const char *words[] = {"Not a directory", "Not a directory", "No such file", "names no",
		"Too many"};
	char path[INDEX_PATH] = "", index[INDEX_PATH + 10];
	struct ts_cache c;

	if (_i != 3)
		snprintf(path, sizeof(path), "%s/of-no-use", d.dir);
	snprintf(index, sizeof(index), "%s/index", path);
	if (_i == 0) {
		index_dir_put(path, "x", 1);
	} else if (_i == 1) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
		index_dir_put(index, "x", 1);
	} else if (_i == 2) {
		ck_assert_int_eq(symlink("nowhere/at/all", path), 0);
	} else if (_i == 4) {
		ck_assert_int_eq(symlink(path, path), 0);
	}
	ck_assert_int_eq(ts_cache_init(&c, path, 1 << 20, &err), TS_OK);
	ck_assert_ptr_null(c.dir);
	ck_assert_msg(strstr(c.why, words[_i]), "%s", c.why);
	ck_assert_ptr_nonnull(strstr(c.why, "--cache"));
	works_without(&c);
	ts_cache_fini(&c);
}
END_TEST

/* --- locks ------------------------------------------------------------------------------------ */

/* A process that holds the lock until it is killed. */
static pid_t
holder(const struct ts_report *r)
{
	struct ts_index_lock *lock;
	int ready[2];
	char c = 0;
	bool got;
	pid_t child;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (ts_index_lock_take(&lock, &got, &d.c, r, NULL) || !got)
			_exit(1);
		c = 1;
		if (write(ready[1], &c, 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq((int)read(ready[0], &c, 1), 1);
	close(ready[0]);
	return child;
}

START_TEST(one_builder)
{
	struct ts_report *r = index_dir_report(&d, "a.pop"), *other = index_dir_report(&d, "b.pop");
	struct ts_index_lock *lock, *second;
	char path[INDEX_PATH];
	struct ts_cache_cleared cleared;
	bool got;
	pid_t child = holder(r);

	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_OK);
	ck_assert(!got);
	ck_assert_ptr_null(lock);
	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, other, &err), TS_OK);
	ck_assert(got);
	ck_assert_int_eq(ts_index_lock_take(&second, &got, &d.c, other, &err), TS_OK);
	ck_assert(!got);
	ts_index_lock_give(lock);

	/* a report that is being built stays, and may be read */
	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, 50, &err), TS_OK);
	ck_assert_int_eq(index_dir_section(&d, other, TS_SECTION_STEPS, 50, &err), TS_OK);
	ck_assert_int_eq(ts_cache_clear(&cleared, &d.c, &err), TS_OK);
	ck_assert_uint_eq(cleared.reports, 1);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
	ck_assert_uint_eq(index_dir_sections(&d, other, NULL), 0);

	index_dir_put(index_dir_path(path, &d, r, "lanes.0123.tmp"), "left over", 9);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_OK);
	ck_assert(got);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
	ts_index_lock_give(lock);
	ts_index_lock_give(NULL);
	ck_assert_int_eq(ts_cache_clear(&cleared, &d.c, &err), TS_OK);
	ck_assert_uint_eq(cleared.reports, 1);
	ts_report_close(other);
	ts_report_close(r);
}
END_TEST

START_TEST(lock_that_was_cleared)
{
	struct ts_report *r = index_dir_report(&d, "a.pop");
	struct ts_index_lock *lock, *second;
	char path[INDEX_PATH];
	bool got;

	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_OK);
	ck_assert(got);
	/* without its file the lock locks nothing: who comes next makes a new one */
	ck_assert_int_eq(unlink(index_dir_path(path, &d, r, "lock")), 0);
	ck_assert_int_eq(ts_index_lock_take(&second, &got, &d.c, r, &err), TS_OK);
	ck_assert(got);
	ts_index_lock_give(second);
	ts_index_lock_give(lock);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("used", path), 0);
	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_E_SYS);
	ck_assert(!got);
	ts_report_close(r);
}
END_TEST

/* --- eviction --------------------------------------------------------------------------------- */

enum { REPORTS = 4, SIZE = 4096 };

static struct ts_report *reports[REPORTS];

static void
set_used(const struct ts_report *r, time_t when)
{
	const struct timespec t[2] = {{when, 0}, {when, 0}};
	char path[INDEX_PATH];

	ck_assert_int_eq(utimensat(AT_FDCWD, index_dir_path(path, &d, r, "used"), t, 0), 0);
}

/* Four reports, the first used longest ago; each with a section of the core and one on demand. */
static void
four_reports(void)
{
	for (int i = 0; i < REPORTS; i++) {
		char name[] = {(char)('a' + i), 0};

		reports[i] = index_dir_report(&d, name);
		ck_assert_int_eq(index_dir_section(&d, reports[i], TS_SECTION_STEPS, SIZE, &err),
			TS_OK);
		ck_assert_int_eq(index_dir_section(&d, reports[i], TS_SECTION_LIVES, SIZE, &err),
			TS_OK);
	}
	for (int i = 0; i < REPORTS; i++)
		set_used(reports[i], 1000000 + i);
}

static void
close_reports(void)
{
	for (int i = 0; i < REPORTS; i++)
		ts_report_close(reports[i]);
}

/* What is there, a digit a report: 1 = core, 2 = on demand. */
static int
kept(void)
{
	char path[INDEX_PATH];
	int all = 0;

	for (int i = 0; i < REPORTS; i++) {
		all = all * 10;
		all += access(index_dir_path(path, &d, reports[i], "steps.idx"), F_OK) == 0;
		all += 2 * (access(index_dir_path(path, &d, reports[i], "lives.idx"), F_OK) == 0);
	}
	return all;
}

static int64_t
size_now(void)
{
	struct ts_cache_entry *e;
	int64_t sum = 0;
	size_t n;

	ck_assert_int_eq(ts_cache_list(&e, &n, &d.c, &err), TS_OK);
	for (size_t i = 0; i < n; i++)
		sum += e[i].bytes;
	ts_cache_list_free(e, n);
	return sum;
}

/* Evict for the report used last, its section on demand new. */
static void
evict(int64_t cap)
{
	d.c.cap = cap;
	ts_cache_evict(&d.c, reports[3], TS_SECTION_LIVES);
}

START_TEST(eviction_order)
{
	static const int order[] = {3333, 1333, 1133, 1113, 113, 13, 3, 3, 3};
	int64_t all;

	four_reports();
	all = size_now();
	evict(all);
	ck_assert_int_eq(kept(), 3333);
	for (int i = 1; i < (int)(sizeof(order) / sizeof(order[0])); i++) {
		evict(ts_max_i64(size_now() - 1, 0));
		ck_assert_int_eq(kept(), order[i]);
	}
	close_reports();
}
END_TEST

START_TEST(own_on_demand)
{
	four_reports();
	d.c.cap = 0;
	ts_cache_evict(&d.c, reports[1],
		TS_SECTION_STEPS); /* not the one that is new: it goes, too */
	ck_assert_int_eq(kept(), 100);
	close_reports();
}
END_TEST

START_TEST(gone_first)
{
	char path[INDEX_PATH];

	four_reports();
	snprintf(path, sizeof(path), "%s/c", d.dir);
	ck_assert_int_eq(unlink(path), 0);
	evict(size_now() - 1);
	ck_assert_int_eq(kept(), 3303);
	index_dir_write(&d, "b", "another");
	evict(size_now() - 1);
	ck_assert_int_eq(kept(), 3003);
	evict(size_now() - 1);
	ck_assert_int_eq(kept(), 1003);
	close_reports();
}
END_TEST

START_TEST(built_ones_stay)
{
	pid_t child;

	four_reports();
	child = holder(reports[0]);
	evict(0);
	ck_assert_int_eq(kept(), 1003);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	evict(0);
	ck_assert_int_eq(kept(), 3);
	close_reports();
}
END_TEST

/* Times in the future and at the beginning of all times: it ends, and what is needed stays. */
START_TEST(clock_goes_back)
{
	four_reports();
	set_used(reports[0], (time_t)1 << 40);
	set_used(reports[1], 0);
	set_used(reports[3], 1);
	evict(size_now() - 1);
	ck_assert_int_eq(kept() % 10, 3);
	evict(0);
	ck_assert_int_eq(kept(), 3);
	ck_assert_uint_eq(index_dir_sections(&d, reports[3], NULL),
		ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LIVES));
	close_reports();
}
END_TEST

/* A commit evicts; opening a report is using it. */
START_TEST(commit_evicts)
{
	four_reports();
	ck_assert_uint_ne(index_dir_sections(&d, reports[0], NULL), 0);
	d.c.cap = size_now();
	ck_assert_int_eq(index_dir_section(&d, reports[3], TS_SECTION_LANES, SIZE, &err), TS_OK);
	ck_assert_int_eq(kept(), 3133);
	close_reports();
}
END_TEST

/* --- list ------------------------------------------------------------------------------------- */

START_TEST(listed)
{
	struct ts_cache_entry *e;
	char path[INDEX_PATH];
	size_t n;

	four_reports();
	index_dir_put(index_dir_path(path, &d, reports[0], "steps.idx"), "damaged", 7);
	snprintf(path, sizeof(path), "%s/c", d.dir);
	ck_assert_int_eq(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/index/not-a-report", d.cache);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(ts_cache_list(&e, &n, &d.c, &err), TS_OK);
	ck_assert_uint_eq(n, REPORTS);
	for (size_t i = 0; i < n; i++) {
		const struct ts_report *r = reports[REPORTS - 1 - i];

		ck_assert_str_eq(e[i].path, r->real);
		ck_assert_int_eq(e[i].used_s, 1000003 - (int64_t)i);
		ck_assert_uint_eq(e[i].sections,
			ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LIVES));
		ck_assert_int_eq(e[i].gone, i == 1);
		ck_assert_int_ge(e[i].bytes, i == 3 ? SIZE : 2 * SIZE);
	}
	ts_cache_list_free(e, n);
	close_reports();
}
END_TEST

/* --- identity --------------------------------------------------------------------------------- */

static void
set_mtime(const char *name, const struct stat *st)
{
	const struct timespec t[2] = {st->st_atim, st->st_mtim};
	char path[INDEX_PATH];

	snprintf(path, sizeof(path), "%s/%s", d.dir, name);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, t, 0), 0);
}

/* _i: how the report is replaced by one of the same size, within the same second */
START_TEST(replaced)
{
	struct ts_report *r = index_dir_report(&d, "a.pop"), *again;
	struct ts_section_writer *w;
	char path[INDEX_PATH];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/a.pop", d.dir);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, 10, &err), TS_OK);
	ck_assert(!ts_report_changed(r));
	ck_assert_int_eq(ts_section_create(&w, &d.c, r, TS_SECTION_LANES, &err), TS_OK);
	switch (_i) {
	case 0: /* a nanosecond later */
		st.st_mtim.tv_nsec += st.st_mtim.tv_nsec < 999999999 ? 1 : -1;
		set_mtime("a.pop", &st);
		break;
	case 1: /* the same time; its change counter differs */
		fd = open(path, O_WRONLY);
		ck_assert_int_eq((int)pwrite(fd, "\0\0\7\7", 4, 24), 4);
		close(fd);
		set_mtime("a.pop", &st);
		break;
	case 2: /* longer */
		fd = open(path, O_WRONLY | O_APPEND);
		ck_assert_int_eq((int)write(fd, "more", 4), 4);
		close(fd);
		set_mtime("a.pop", &st);
		break;
	case 3: /* truncated */
		ck_assert_int_eq(truncate(path, st.st_size / 2), 0);
		set_mtime("a.pop", &st);
		break;
	case 4: /* no report any more */
		index_dir_put(path, "nothing", 7);
		break;
	default:
		ck_assert_int_eq(unlink(path), 0);
	}
	ck_assert(ts_report_changed(r));
	ck_assert_int_eq(ts_section_commit(w, &err), TS_E_STALE);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
	ck_assert_int_eq(index_dir_count(&d, r, "lanes"), 0);
	/* who opened it before sees what it saw, and takes nothing away from who comes later */
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
	if (_i < 3) {
		again = index_dir_open(&d, "a.pop");
		ck_assert_uint_eq(index_dir_sections(&d, again, NULL), 0);
		ck_assert_int_eq(index_dir_count(&d, r, ".idx"), 0);
		ck_assert_int_eq(index_dir_section(&d, again, TS_SECTION_STEPS, 10, &err), TS_OK);
		ck_assert_uint_eq(index_dir_sections(&d, r, NULL), 0);
		ck_assert_uint_eq(index_dir_sections(&d, again, NULL),
			ts_section_bit(TS_SECTION_STEPS));
		ts_report_close(again);
	}
	ts_report_close(r);
}
END_TEST

/* The same bytes and times under the same name, in another file: noticed, and the index still holds. */
START_TEST(copied_over)
{
	struct ts_report *r = index_dir_report(&d, "a.pop"), *again;
	char path[INDEX_PATH], copy[INDEX_PATH];
	unsigned char *bytes;
	struct stat st;
	size_t n;

	snprintf(path, sizeof(path), "%s/a.pop", d.dir);
	snprintf(copy, sizeof(copy), "%s/copy", d.dir);
	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, 10, &err), TS_OK);
	ck_assert_int_eq(stat(path, &st), 0);
	bytes = index_dir_read(path, &n);
	index_dir_put(copy, bytes, n);
	free(bytes);
	set_mtime("copy", &st);
	ck_assert_int_eq(rename(copy, path), 0);
	ck_assert(ts_report_changed(r));
	again = index_dir_open(&d, "a.pop");
	ck_assert(!ts_report_changed(again));
	ck_assert_uint_eq(index_dir_sections(&d, again, NULL), ts_section_bit(TS_SECTION_STEPS));
	ts_report_close(again);
	ts_report_close(r);
}
END_TEST

/* A link to a report and the report share what was built. */
START_TEST(through_a_link)
{
	struct ts_report *r = index_dir_report(&d, "a.pop"), *linked;
	char link[INDEX_PATH];

	snprintf(link, sizeof(link), "%s/link.pop", d.dir);
	ck_assert_int_eq(symlink("a.pop", link), 0);
	linked = index_dir_open(&d, "link.pop");
	ck_assert_int_eq(index_dir_section(&d, linked, TS_SECTION_STEPS, 10, &err), TS_OK);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
	ts_report_close(linked);
	ts_report_close(r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cache");
	TCase *c = tcase_create("cache");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 30);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, directories);
	tcase_add_loop_test(c, of_no_use, 0, 5);
	tcase_add_test(c, one_builder);
	tcase_add_test(c, lock_that_was_cleared);
	tcase_add_test(c, eviction_order);
	tcase_add_test(c, own_on_demand);
	tcase_add_test(c, gone_first);
	tcase_add_test(c, built_ones_stay);
	tcase_add_test(c, clock_goes_back);
	tcase_add_test(c, commit_evicts);
	tcase_add_test(c, listed);
	tcase_add_loop_test(c, replaced, 0, 6);
	tcase_add_test(c, copied_over);
	tcase_add_test(c, through_a_link);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
