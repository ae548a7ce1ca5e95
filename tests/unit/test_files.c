/* SPDX-License-Identifier: MIT */
/* What a path means on this machine; that the host's own table is asked where there is one. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files.h"

static void
in_empty_directory(void)
{
	char dir[] = "/tmp/tilescope-files-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(close(open("plain", O_WRONLY | O_CREAT, 0600)), 0);
	ck_assert_int_eq(truncate("plain", 42), 0);
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(symlink("plain", "link"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
}

static const struct {
	const char *path;
	enum ts_file_kind kind;
	bool there;
	enum ts_code code;
} paths[] = {
	{"plain", TS_FILE_REGULAR, true, TS_OK},
	{"directory", TS_FILE_DIRECTORY, true, TS_OK},
	{"fifo", TS_FILE_OTHER, true, TS_OK},
	{"link", TS_FILE_REGULAR, true, TS_OK},
	{"dangling", TS_FILE_DANGLING, false, TS_OK},
	{"loop", TS_FILE_DANGLING, false, TS_E_SYS},
	{"none", TS_FILE_NONE, false, TS_OK},
	{"plain/none", TS_FILE_NONE, false, TS_OK},
};

START_TEST(a_path_means_what_it_leads_to)
{
	struct ts_file_state s, again;
	struct ts_err err;

	in_empty_directory();
	ck_assert_int_eq(ts_files_look(NULL, &s, paths[_i].path, NULL, &err), paths[_i].code);
	ck_assert_int_eq(s.kind, paths[_i].kind);
	ck_assert_int_eq(ts_file_is_there(&s), paths[_i].there);
	ck_assert_int_eq(s.bytes, s.kind == TS_FILE_REGULAR ? 42 : s.bytes);
	ts_files_state(NULL, &again, paths[_i].path);
	ck_assert_int_eq(ts_file_is_there(&again), paths[_i].there);
	ck_assert(!paths[_i].there || ts_file_state_same(&s, &again));
}
END_TEST

struct seen {
	int entries, most, plain, unknown;
};

static bool
see(void *ctx, const char *name, enum ts_file_kind kind)
{
	struct seen *s = ctx;

	ck_assert_str_ne(name, ".");
	ck_assert_str_ne(name, "..");
	s->plain += strcmp(name, "plain") == 0 && kind == TS_FILE_REGULAR;
	s->unknown += kind == TS_FILE_UNKNOWN;
	return ++s->entries < s->most;
}

START_TEST(a_directory_is_listed_until_it_is_enough)
{
	struct seen all = {.most = 100}, two = {.most = 2};
	struct ts_cancel cancel = {0};
	struct ts_err err;

	in_empty_directory();
	ck_assert_int_eq(ts_files_list(NULL, ".", see, &all, NULL, &err), TS_OK);
	ck_assert_int_eq(all.entries, 6);
	ck_assert_int_eq(all.plain, 1);
	ck_assert_int_eq(all.unknown, 3); /* links */
	ck_assert_int_eq(ts_files_list(NULL, ".", see, &two, NULL, &err), TS_OK);
	ck_assert_int_eq(two.entries, 2);
	ck_assert_int_eq(ts_files_list(NULL, "none", see, &all, NULL, &err), TS_E_SYS);
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_files_list(NULL, ".", see, &all, &cancel, &err), TS_E_CANCELLED);
}
END_TEST

/* --- another file system ---------------------------------------------------------------------- */

struct elsewhere {
	struct ts_files base;
	int released;
};

static enum ts_code
look_elsewhere(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	(void)f;
	(void)path;
	(void)cancel;
	(void)err;
	s->kind = TS_FILE_DIRECTORY;
	return TS_OK;
}

static void
release_elsewhere(struct ts_files *f)
{
	((struct elsewhere *)f)->released++;
}

START_TEST(a_host_is_asked_and_let_go_by_the_last)
{
	static const struct ts_files_ops ops = {.look = look_elsewhere,
		.release = release_elsewhere};
	struct elsewhere e = {.base = {.ops = &ops, .host = "far"}};
	struct ts_file_state s;

	atomic_init(&e.base.uses, 1);
	ts_files_state(&e.base, &s, "/none");
	ck_assert_int_eq(s.kind, TS_FILE_DIRECTORY);
	ck_assert_ptr_eq(ts_files_hold(&e.base), &e.base);
	ts_files_release(&e.base);
	ck_assert_int_eq(e.released, 0);
	ts_files_release(&e.base);
	ck_assert_int_eq(e.released, 1);
	ts_files_release(NULL);
	ck_assert_ptr_null(ts_files_hold(NULL));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("files");
	TCase *c = tcase_create("files");
	SRunner *r;
	int failed;

	tcase_add_loop_test(c, a_path_means_what_it_leads_to, 0, (int)TS_COUNT(paths));
	tcase_add_test(c, a_directory_is_listed_until_it_is_enough);
	tcase_add_test(c, a_host_is_asked_and_let_go_by_the_last);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
