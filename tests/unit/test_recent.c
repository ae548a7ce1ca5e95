/* SPDX-License-Identifier: MIT */
/*
 * The list of recent reports: what is put in comes out, bounded and the last first; a file that anybody may have
 * damaged costs its own lines at most; two programs do not lose each other's.
 */
#include "config.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/recent.h"

static char dir[64];
static struct ts_recents list;
static struct ts_err err;

/* Where the disk is busy a file takes longer to be synced than the lock is waited for: here none is. */
int
fsync(int fd)
{
	(void)fd;
	return 0;
}

static int
remove_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

static void
begin(void)
{
	snprintf(dir, sizeof(dir), "/tmp/ts-recent-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	err = (struct ts_err){0};
	list = (struct ts_recents){0};
}

static void
end(void)
{
	ts_recents_fini(&list);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(nftw(dir, remove_one, 20, FTW_DEPTH | FTW_PHYS), 0);
}

static void
write_file(const char *name, const void *bytes, size_t n)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* A report of that name, opened then; with figures or without. */
static void
add(const char *name, int64_t opened, bool figures)
{
	struct ts_recent x = {.path = ts_strdup(name),
		.opened = opened,
		.bytes = 7,
		.mtime = 8,
		.mtime_ns = 9,
		.figures = TS_FIGURES_NONE};

	mkdir(name, 0700);
	if (figures)
		x.figures = (struct ts_figures){1, 10, 20, 30, 40, 50, "3.1.0 \x1b[31m%"};
	ck_assert_msg(!ts_recents_add("list", &x, &err), "%s", err.msg);
	free(x.path);
}

static void
read_list(void)
{
	ts_recents_fini(&list);
	ck_assert_msg(!ts_recents_read(&list, "list", &err), "%s", err.msg);
}

static const char *
name_at(int i)
{
	return strrchr(list.item[i].path, '/') + 1;
}

START_TEST(what_goes_in_comes_out)
{
	struct stat st;

	read_list();
	ck_assert_int_eq(list.count, 0);
	add("a", 100, true);
	add("b \xff\n\x1b%", 300, false);
	add("c", 200, false);
	read_list();
	ck_assert_int_eq(list.count, 3);
	ck_assert_str_eq(name_at(0), "b \xff\n\x1b%");
	ck_assert_str_eq(name_at(1), "c");
	ck_assert_str_eq(name_at(2), "a");
	ck_assert_int_eq(list.item[2].opened, 100);
	ck_assert_int_eq(list.item[2].bytes + list.item[2].mtime * 10 + list.item[2].mtime_ns * 100,
		987);
	ck_assert_int_eq(list.item[2].figures.fits, 1);
	ck_assert_int_eq(list.item[2].figures.worst_tile_bytes, 10);
	ck_assert_int_eq(list.item[2].figures.limit_bytes, 20);
	ck_assert_int_eq(list.item[2].figures.total_bytes, 30);
	ck_assert_int_eq(list.item[2].figures.peak_bytes, 40);
	ck_assert_int_eq(list.item[2].figures.cycles, 50);
	ck_assert_str_eq(list.item[2].figures.poplar_version, "3.1.0 \x1b[31m%");
	ck_assert_int_eq(list.item[1].figures.fits, -1);
	ck_assert_int_eq(list.item[1].figures.cycles, -1);
	ck_assert_int_eq(stat("list", &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
}
END_TEST

/* Opened again: one line; the verdict stays as long as the bytes do. */
START_TEST(a_report_stands_once)
{
	struct ts_recent x = {.path = (char *)"a", .opened = 400, .bytes = 1};

	add("a", 100, true);
	add("b", 200, false);
	add("a", 300, false);
	read_list();
	ck_assert_int_eq(list.count, 2);
	ck_assert_str_eq(name_at(0), "a");
	ck_assert_int_eq(list.item[0].figures.cycles, 50);
	x.figures = TS_FIGURES_NONE;
	ck_assert_int_eq(ts_recents_add("list", &x, &err), TS_OK);
	read_list();
	ck_assert_int_eq(list.item[0].opened, 400);
	ck_assert_int_eq(list.item[0].figures.cycles, -1);
}
END_TEST

START_TEST(it_is_bounded)
{
	char name[20];

	for (int i = 0; i < TS_RECENT_MAX + 5; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		add(name, i, false);
	}
	read_list();
	ck_assert_int_eq(list.count, TS_RECENT_MAX);
	ck_assert_str_eq(name_at(0), "r104");
	ck_assert_str_eq(name_at(TS_RECENT_MAX - 1), "r5");
}
END_TEST

/* Each is no line of ours, between two that are. */
static const char *const bad_lines[] = {
	"",
	"tilescope recent 1",
	"1 2 3",
	"x 1 1 1 1 1 1 1 1 1 3.1 /x",
	"1 1 1 1 1 1 1 1 1 1 3.1 relative",
	"1 1 1 1 1 1 1 1 1 1 3.1 -",
	"1 1 1 1 1 1 1 1 1 1 3.1 /x more",
	"1 1 1 1 1 1 1 1 1 1 3.1 /x%0",
	"1 1 1 1 1 1 1 1 1 1 3.1 /x%",
	"1 1 1 1 1 1 1 1 1 1 3.1 /x%00y",
	"1 1 1 1 1 1 1 1 1 1 3.1 /x%zz",
	"- 1 1 1 1 1 1 1 1 1 3.1 /x",
	"1 -1 1 1 1 1 1 1 1 1 3.1 /x",
	"1 +1 1 1 1 1 1 1 1 1 3.1 /x",
	"99999999999999999999 1 1 1 1 1 1 1 1 1 3.1 /x",
	"1 1 1 1 1 1 1 1 1 9223372036854775808 3.1 /x",
	"1  1 1 1 1 1 1 1 1 1 3.1 /x",
	("1 1 1 1 1 1 1 1 1 1 "
	 "0123456789012345678901234567890123456789012345678901234567890123456789 /x"),
};

START_TEST(hostile_lines_are_passed_over)
{
	char text[1000];

	snprintf(text, sizeof(text),
		"5 1 1 1 - - - - - - - /first\n%s\n4 1 1 1 0 1 1 1 1 1 3%%20x /second\n",
		bad_lines[_i]);
	write_file("list", text, strlen(text));
	read_list();
	ck_assert_int_eq(list.count, 2);
	ck_assert_str_eq(list.item[0].path, "/first");
	ck_assert_str_eq(list.item[1].path, "/second");
	ck_assert_str_eq(list.item[1].figures.poplar_version, "3 x");
	add("mine", 9, true);
	read_list();
	ck_assert_int_eq(list.count, 3);
}
END_TEST

/* Whatever it is: reading ends, and the next report is kept. */
START_TEST(hostile_files)
{
	size_t n = (size_t)TS_RECENT_BYTES + 1;
	unsigned char *bytes = ts_alloc(n, 1);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 7919 >> 3);
	if (_i == 0) {
		write_file("list", bytes, n);
		ck_assert_int_eq(ts_recents_read(&list, "list", &err), TS_E_LIMIT);
	} else if (_i == 1) {
		write_file("list", bytes, 100000);
		read_list();
	} else if (_i == 2) {
		ck_assert_int_eq(mkfifo("list", 0600), 0);
		ck_assert_int_eq(ts_recents_read(&list, "list", &err), TS_E_FORMAT);
	} else if (_i == 3) {
		ck_assert_int_eq(symlink("nowhere", "list"), 0);
		read_list();
	} else {
		memset(bytes, '\n', 100000);
		write_file("list", bytes, 100000);
		read_list();
	}
	free(bytes);
	add("mine", 9, true);
	read_list();
	ck_assert_int_ge(list.count, 1);
	ck_assert_int_le(list.count, TS_RECENT_MAX);
	ck_assert_ptr_null(strstr(list.item[0].path, "nowhere"));
}
END_TEST

START_TEST(a_directory_in_its_place)
{
	struct ts_recent x = {.path = (char *)".", .figures = TS_FIGURES_NONE};

	ck_assert_int_eq(mkdir("list", 0700), 0);
	ck_assert_int_eq(ts_recents_read(&list, "list", &err), TS_E_FORMAT);
	ck_assert_int_eq(ts_recents_add("list", &x, &err), TS_E_SYS);
	ck_assert_int_eq(access("list/x", F_OK), -1);
	ck_assert_int_eq(ts_recents_add("no/such/list", &x, &err), TS_E_SYS);
	x.path = (char *)"gone";
	ck_assert_int_eq(ts_recents_add("other", &x, &err), TS_E_SYS);
}
END_TEST

/* Several programs at once: every report of each is in the list afterwards. */
START_TEST(programs_at_once)
{
	enum { PROGRAMS = 3, EACH = 8 };
	char name[40];
	int status;

	for (int p = 0; p < PROGRAMS; p++) {
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (pid > 0)
			continue;
		for (int i = 0; i < EACH; i++) {
			snprintf(name, sizeof(name), "p%d-%d", p, i);
			add(name, i, false);
		}
		_exit(0);
	}
	for (int p = 0; p < PROGRAMS; p++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	read_list();
	ck_assert_int_eq(list.count, PROGRAMS * EACH);
}
END_TEST

START_TEST(what_became_of_them)
{
	struct ts_recent x = {.path = (char *)"r", .opened = 1, .figures = TS_FIGURES_NONE};
	struct stat st;

	ck_assert_int_eq(mkdir("r", 0700), 0);
	write_file("r/profile.pop", "SQLite format 3", 16);
	ck_assert_int_eq(stat("r/profile.pop", &st), 0);
	x.bytes = st.st_size;
	x.mtime = st.st_mtim.tv_sec;
	x.mtime_ns = st.st_mtim.tv_nsec;
	ck_assert_int_eq(ts_recents_add("list", &x, &err), TS_OK);
	read_list();
	ts_recents_look(&list, NULL);
	ck_assert_int_eq(list.item[0].state, TS_RECENT_SAME);
	write_file("r/profile.pop", "SQLite format 3 and more", 24);
	ts_recents_look(&list, NULL);
	ck_assert_int_eq(list.item[0].state, TS_RECENT_CHANGED);
	ck_assert_int_eq(unlink("r/profile.pop"), 0);
	ts_recents_look(&list, NULL);
	ck_assert_int_eq(list.item[0].state, TS_RECENT_GONE);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recent");
	TCase *tc = tcase_create("recent");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, what_goes_in_comes_out);
	tcase_add_test(tc, a_report_stands_once);
	tcase_add_test(tc, it_is_bounded);
	tcase_add_loop_test(tc, hostile_lines_are_passed_over, 0, (int)TS_COUNT(bad_lines));
	tcase_add_loop_test(tc, hostile_files, 0, 5);
	tcase_add_test(tc, a_directory_in_its_place);
	tcase_add_test(tc, programs_at_once);
	tcase_add_test(tc, what_became_of_them);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
